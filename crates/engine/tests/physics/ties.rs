//! Springs between bodies and flexible membranes under molecular dynamics, in which their forces follow the bodies in
//! every short step, and what all three methods must agree on.

use crate::setting::*;
use glam::DVec2;
use riprap_engine::{
    Body, D2, Dim, Membrane, Method, PercussionOptions, Placement, Silent, Soft, Spring, StepReport, TimeFunction,
    Vector, World,
};

/// Soft grains of unit density and radius 0.1 or so, in windows of ten short steps.
const WINDOW: f64 = 0.02;
const SHORT: f64 = 0.002;

fn soft_world<D: Dim>(window: f64, short: f64) -> World<D> {
    let mut world = world::<D>(EULER, window, law(0.0, 0.0, 0.0));
    world.method = Method::MolecularDynamics(Soft::new(1e3, short));
    world
}

/// The frequency of velocity Verlet for an oscillator of the frequency `omega`.
fn of_verlet(omega: f64, step: f64) -> f64 {
    2.0 / step * (0.5 * step * omega).asin()
}

/// A step whose balances are not checked: where forces pass through zero they have no scale of their own.
fn unchecked<D: Dim>(world: &mut World<D>) -> StepReport {
    world.step(&mut Silent).unwrap_or_else(|error| panic!("{error}"))
}

/// A mass on a spring from a wall swings with the frequency of velocity Verlet, to rounding, however long the windows are,
/// and its energy stays within `(ωh)²/4` of itself.
fn a_spring_swings_at_its_frequency<D: Dim>() {
    let (stiffness, amplitude) = (3.0, 0.2);
    for window in [SHORT, WINDOW, 5.0 * WINDOW] {
        let mut world = soft_world::<D>(window, SHORT);
        let anchor = plane(&mut world, along::<D>(), along::<D>() * -50.0);
        let grain = ball(&mut world, 0.1, along::<D>() * (1.0 + amplitude), D::Vector::ZERO);
        world.springs.push(Spring { bodies: [anchor as u32, grain as u32], stiffness, rest: 51.0 });
        let omega = (stiffness / world.bodies[grain].mass).sqrt();
        let energy = 0.5 * stiffness * amplitude * amplitude;
        for count in 1..=(4.0 / window) as u32 {
            let report = unchecked(&mut world);
            let expected = 1.0 + amplitude * (of_verlet(omega, SHORT) * window * f64::from(count)).cos();
            close(world.state.position[grain].dot(along::<D>()), expected, 1e-9);
            assert!(report.energy.scheme.abs() <= 0.2501 * (omega * SHORT).powi(2) * energy, "{:?}", report.energy);
        }
    }
}

/// Two free grains on a spring swing with their reduced mass, and their centre flies on.
fn two_grains_swing_about_their_centre<D: Dim>() {
    let (stiffness, rest) = (20.0, 1.0);
    let mut world = soft_world::<D>(WINDOW, SHORT);
    let ride = up::<D>() * 0.3;
    for (radius, side) in [(0.1, -0.6), (0.15, 0.6)] {
        ball(&mut world, radius, along::<D>() * side, ride);
    }
    world.springs.push(Spring { bodies: [0, 1], stiffness, rest });
    let [a, b] = [0, 1].map(|body| world.bodies[body].mass);
    let omega = (stiffness * (1.0 / a + 1.0 / b)).sqrt();
    let short = 1e-4;
    world.method = Method::MolecularDynamics(Soft::new(1e3, short));
    for count in 1..=50 {
        step(&mut world);
        let expected = rest + 0.2 * (of_verlet(omega, short) * WINDOW * f64::from(count)).cos();
        close((world.state.position[1] - world.state.position[0]).length(), expected, 1e-9);
        near(momentum(&world), ride * (a + b), 1e-12);
    }
}

/// A ring of `n` grains at a distance `R` from its centre, joined by springs, with the pressure inside. A grain feels
/// `p L cos(π/n) − 2 k (L − L₀) sin(π/n)` outwards, `L = 2 R sin(π/n)`: linear in `R`, so that the ring breathes as a
/// harmonic oscillator about the radius at which the tension is `p R cos(π/n)`, that of a hoop.
#[test]
fn a_ring_under_pressure_breathes_about_the_radius_of_its_tension() {
    let (n, pressure, stiffness, balance, thickness) = (24_u32, 5.0, 200.0, 2.0, 0.5);
    let half = std::f64::consts::PI / f64::from(n);
    let load = pressure * thickness;
    let tension = load * balance * half.cos();
    let rest = 2.0 * balance * half.sin() - tension / stiffness;
    let swing = 0.05;
    for grown in [0.0, swing] {
        let short = 1e-3;
        let mut world = soft_world::<D2>(10.0 * short, short);
        for i in 0..n {
            let position = DVec2::from_angle(2.0 * half * f64::from(i)) * (balance + grown);
            world.add(Body::ball(0.1, 1.0), Placement { position, ..Placement::default() });
            world.springs.push(Spring { bodies: [i, (i + 1) % n], stiffness, rest });
        }
        let chain = (0..=n).map(|i| i % n).collect();
        let function = TimeFunction::Constant(pressure);
        world.membranes.push(Membrane { chain, pressure: function, pushes_left: false, thickness });
        let mass = world.bodies[0].mass;
        let squared = (4.0 * stiffness * half.sin().powi(2) - 2.0 * load * half.sin() * half.cos()) / mass;
        let omega = of_verlet(squared.sqrt(), short);
        // Area and springs at a radius: what pressure and springs have given is their change.
        let potential = |radius: f64| {
            let length = 2.0 * radius * half.sin();
            let area = 0.5 * f64::from(n) * radius * radius * (2.0 * half).sin();
            0.5 * f64::from(n) * stiffness * (length - rest).powi(2) - load * area
        };
        for count in 1..=200 {
            let report = unchecked(&mut world);
            let radius = balance + grown * (omega * 10.0 * short * f64::from(count)).cos();
            for body in 0..n as usize {
                close(world.state.position[body].length(), radius, 1e-9);
            }
            close(report.energy.loads, potential(balance + grown) - potential(radius), 1e-8);
        }
    }
}

/// An open chain feels the pressure on its chord: what it gains in a window is `p H t` across it, H its height.
#[test]
fn a_chain_feels_the_pressure_on_its_projected_length() {
    let (pressure, time) = (3.0, 1e-3);
    for thickness in [1.0, 0.1] {
        let mut world = soft_world::<D2>(time, 1e-4);
        for i in 0..9 {
            // It bulges; only its ends count.
            let position = DVec2::new(0.3 * (0.4 * f64::from(i)).sin(), 0.25 * f64::from(i));
            world.add(Body::ball(0.1, 1.0), Placement { position, ..Placement::default() });
        }
        let chain: Vec<u32> = (0..9).collect();
        let function = TimeFunction::Constant(pressure);
        world.membranes.push(Membrane { chain, pressure: function, pushes_left: false, thickness });
        let chord = world.state.position[8] - world.state.position[0];
        step(&mut world);
        let expected = -chord.perp() * (pressure * thickness * time);
        near(momentum(&world), expected, 1e-5 * expected.length());
    }
}

/// A chain that is pressed against a wall gives it the pressure on its length, by any method.
#[test]
fn a_membrane_presses_on_a_wall_with_its_pressure_by_every_method() {
    let (pressure, radius, count) = (3.0, 0.1, 7_u32);
    let soft = Method::MolecularDynamics(Soft::new(1e3, 1e-4));
    for (method, scheme, tolerance) in [
        (Method::ContactDynamics, MIDPOINT, 1e-9),
        (Method::Percussions(PercussionOptions::default()), MIDPOINT, 1e-6),
        // Nothing damps the springs between soft grains: they still swing by a little.
        (soft, EULER, 1e-5),
    ] {
        let mut world = world::<D2>(scheme, 2e-3, law(0.3, 0.0, 0.0));
        world.method = method;
        let wall = plane(&mut world, DVec2::X, DVec2::ZERO) as u32;
        for i in 0..count {
            ball(&mut world, radius, DVec2::new(radius, 2.0 * radius * f64::from(i)), DVec2::ZERO);
            if i > 0 {
                let bodies = [wall + i, wall + i + 1];
                world.springs.push(Spring { bodies, stiffness: 50.0, rest: 2.0 * radius });
            }
        }
        let chain = (1..=count).collect();
        let function = TimeFunction::Constant(pressure);
        world.membranes.push(Membrane { chain, pressure: function, pushes_left: true, thickness: 1.0 });
        for _ in 0..1000 {
            unchecked(&mut world);
        }
        let chord = world.state.position[count as usize].y - world.state.position[1].y;
        let force = world.wall_loads().iter().find(|load| load.body == wall).expect("the wall").force;
        close(force.x, -pressure * chord, tolerance);
        close(chord, 2.0 * radius * f64::from(count - 1), 1e-3);
    }
}

/// A packing in the plane between two plates and two membranes, the grains of which are joined by springs.
fn sleeve() -> World<D2> {
    let mut world = world::<D2>(EULER, 1e-2, law(0.3, 0.3, 0.0));
    world.method = Method::MolecularDynamics(Soft::new(1e4, 5e-4));
    plane(&mut world, DVec2::Y, DVec2::ZERO);
    plane(&mut world, -DVec2::Y, DVec2::Y * 16.4);
    for i in 0..64_u32 {
        let (column, row) = (i / 8, i % 8);
        let disturbed = 0.04 * f64::from((i * 7) % 5) - 0.08;
        let at = DVec2::new(2.2 * f64::from(column) + disturbed, 1.02 + 2.04 * f64::from(row));
        ball(&mut world, 1.0, at, DVec2::ZERO);
    }
    for (first, pushes_left) in [(2, false), (58, true)] {
        let chain: Vec<u32> = (first..first + 8).collect();
        for ends in chain.windows(2) {
            world.springs.push(Spring { bodies: [ends[0], ends[1]], stiffness: 2e3, rest: 2.0 });
        }
        let pressure = TimeFunction::Ramp { from: 0.0, to: 50.0, start: 0.0, end: 0.5 };
        world.membranes.push(Membrane { chain, pressure, pushes_left, thickness: 1.0 });
    }
    world
}

#[test]
fn any_number_of_threads_gives_the_same_bits_between_membranes() {
    let states = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut world = sleeve();
            run(&mut world, 100);
            world.state
        })
    });
    assert!(!states[0].contacts.is_empty());
    assert_eq!(states[0], states[1]);
    assert_eq!(states[0], states[2]);
}

#[test]
fn a_run_between_membranes_is_resumed_to_the_same_bits() {
    let mut whole = sleeve();
    run(&mut whole, 100);
    let mut resumed = sleeve();
    for steps in [31, 29] {
        run(&mut resumed, steps);
        let state = resumed.state.clone();
        resumed = sleeve();
        resumed.restore(state).unwrap();
    }
    run(&mut resumed, 40);
    assert_eq!(whole.state, resumed.state);
}

in_both_dimensions!(a_spring_swings_at_its_frequency, two_grains_swing_about_their_centre);
