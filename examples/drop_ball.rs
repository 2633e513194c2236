//! The first program: a ball falls on a floor and bounces until it lies still.
//!
//!     cargo run --release --example drop_ball

use riprap::prelude::*;

/// The world after a second, and the ball in it.
pub fn dropped() -> Result<(World<D3>, BodyId), StepError> {
    let mut world = World::<D3>::new(Settings::new(1e-3));
    world.materials = Materials::single("rubber", PairLaw { normal_restitution: 0.6, ..PairLaw::frictional(0.5) });
    world.add(Body::wall("floor", Shape::Plane { normal: DVec3::Z }), Placement::default());
    let ball = world.add(Body::ball(0.01, 1100.0), Placement::at(DVec3::Z * 0.1));
    for step in 0..1000 {
        let report = world.step(&mut Silent)?;
        if step % 100 == 99 {
            println!("{:.1} s: height {:.4} m, {:.1e} J", report.time, world.position(ball).z, report.energy.kinetic);
        }
    }
    Ok((world, ball))
}

/// Drops it.
pub fn main() -> Result<(), StepError> {
    dropped().map(|_| ())
}
