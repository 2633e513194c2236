//! A force of one's own: balls sink in syrup, slowed by Stokes' drag `−6π η r v`.
//!
//!     cargo run --release --example own_force

use riprap::engine::{Load, Target, TimeFunction};
use riprap::prelude::*;
use std::f64::consts::PI;

/// Viscosity of the syrup (Pa s), density of the balls (kg/m³), acceleration of gravity (m/s²).
const VISCOSITY: f64 = 2.0;
const DENSITY: f64 = 2600.0;
const GRAVITY: f64 = 9.81;

/// The drag on each grain at its present velocity, as a load that holds for a step.
fn drag(world: &World<D3>) -> Vec<Load> {
    let grain = |body: usize| {
        let radius = world.bodies[body].shape.bounding_radius().expect("grains are bounded");
        let force = world.state.velocity[body] * (-6.0 * PI * VISCOSITY * radius);
        Load {
            target: Target::Body(body as u32),
            force: force.to_array().map(TimeFunction::Constant),
            torque: [0.0; 3].map(TimeFunction::Constant),
        }
    };
    world.free_bodies().map(grain).collect()
}

/// The speeds at which balls of these radii sink, far apart from each other.
pub fn sinking(radii: &[f64]) -> Result<Vec<f64>, StepError> {
    let mut world = World::<D3>::new(Settings::new(1e-4));
    world.gravity = Gravity::new(DVec3::Z * -GRAVITY);
    for (i, &radius) in radii.iter().enumerate() {
        world.add(Body::ball(radius, DENSITY), Placement::at(DVec3::X * i as f64));
    }
    for _ in 0..500 {
        world.loads = drag(&world);
        world.step(&mut Silent)?;
    }
    Ok(world.state.velocity.iter().map(|velocity| -velocity.z).collect())
}

/// Where weight and drag are equal (without buoyancy).
pub fn terminal(radius: f64) -> f64 {
    let mass = DENSITY * 4.0 / 3.0 * PI * radius.powi(3);
    mass * GRAVITY / (6.0 * PI * VISCOSITY * radius)
}

/// Three radii.
pub fn main() -> Result<(), StepError> {
    let radii = [1e-3, 2e-3, 3e-3];
    for (radius, speed) in radii.iter().zip(sinking(&radii)?) {
        println!("radius {radius} m: {speed:.5} m/s, in theory {:.5} m/s", terminal(*radius));
    }
    Ok(())
}
