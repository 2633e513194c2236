//! A-CD² (docs/method.md §7) in whole steps: closed forms, contact dynamics where the two must agree, membranes.

use crate::setting::*;
use riprap_engine::{
    Dim, Dissipation, Membrane, Method, PairLaw, PercussionOptions, PercussionSolver, Placement, Silent, Spring, Stick,
    TimeFunction, Vector, World,
};

in_both_dimensions!(
    a_ball_rebounds_as_its_viscosity_says,
    a_block_under_tresca_friction_slides_to_rest_by_a_constant_force,
    a_block_under_coulomb_friction_slides_to_rest_both_ways_of_p3,
    a_pile_settles_as_under_contact_dynamics,
    stick_by_the_mean_flips_a_block_for_ever,
    energy_is_balanced_and_viscous_shocks_take_it,
    a_spring_swings_at_its_frequency,
);

const G: f64 = 9.81;
const RADIUS: f64 = 0.3;

fn percussions<D: Dim>(world: &mut World<D>, solver: PercussionSolver, stick: Stick) {
    world.method =
        Method::Percussions(PercussionOptions { solver, stick, tolerance: RESIDUAL, ..PercussionOptions::default() });
}

fn dissipating(friction: f64, normal_viscosity: f64, tangential_viscosity: f64, tresca: Option<f64>) -> PairLaw {
    let dissipation = Dissipation { normal_viscosity, tangential_viscosity, tresca };
    PairLaw { dissipation, ..PairLaw::frictional(friction) }
}

/// `u⁺ = −u⁻ (2K−m)/(2K+m)` if `2K > m`, else 0 (docs/method.md §7).
fn a_ball_rebounds_as_its_viscosity_says<D: Dim>() {
    let mass = D::ball_volume(RADIUS);
    for ratio in [0.2, 0.5, 0.7, 2.0, 50.0] {
        let viscosity = ratio * mass;
        let mut world = world::<D>(MIDPOINT, 1e-3, dissipating(0.0, viscosity, 0.0, None));
        percussions(&mut world, PercussionSolver::GaussSeidel, Stick::RightLimit);
        floor(&mut world);
        // The gap closes at the middle of a step: there is one shock, and no overlap that viscosity could hold on to.
        let grain = ball(&mut world, RADIUS, up::<D>() * (RADIUS + 0.011), up::<D>() * -2.0);
        run(&mut world, 30);
        let expected = f64::max(2.0 * (2.0 * viscosity - mass) / (2.0 * viscosity + mass), 0.0);
        close(world.state.velocity[grain].dot(up::<D>()), expected, 1e-12);
    }
}

/// A body that cannot turn slides on the floor: `v²/2a` with `a` the friction force over the mass.
fn slides_to_rest<D: Dim>(law: PairLaw, solver: PercussionSolver, deceleration: impl Fn(f64) -> f64) {
    let dt = 1e-3;
    let mut world = world::<D>(MIDPOINT, dt, law);
    percussions(&mut world, solver, Stick::RightLimit);
    floor(&mut world);
    let grain = ball(&mut world, RADIUS, up::<D>() * RADIUS, along::<D>() * 1.5);
    let mass = world.bodies[grain].mass;
    world.bodies[grain].motion = pushed::<D>(up::<D>() * (-G * mass));
    let a = deceleration(mass);
    run(&mut world, (1.0 / dt) as usize);
    near(world.state.velocity[grain], D::Vector::ZERO, 1e-11);
    // The last step of sliding is cut short: that is worth a δt².
    close(world.state.position[grain].dot(along::<D>()), 1.5 * 1.5 / (2.0 * a), a * dt * dt);
}

fn a_block_under_tresca_friction_slides_to_rest_by_a_constant_force<D: Dim>() {
    for solver in [PercussionSolver::GaussSeidel, PercussionSolver::UzawaSingleLoop] {
        slides_to_rest::<D>(dissipating(0.7, 0.0, 0.0, Some(0.8)), solver, |mass| 0.8 / mass);
    }
}

fn a_block_under_coulomb_friction_slides_to_rest_both_ways_of_p3<D: Dim>() {
    for solver in [PercussionSolver::GaussSeidel, PercussionSolver::UzawaSequence, PercussionSolver::UzawaSingleLoop] {
        slides_to_rest::<D>(dissipating(0.3, 0.0, 0.0, None), solver, |_| 0.3 * G);
    }
}

/// Balls above a floor, out of line, so that they fall on each other.
fn falling_balls<D: Dim>(law: PairLaw) -> World<D> {
    let mut world = world::<D>(MIDPOINT, 2e-3, law);
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    for i in 0..12 {
        let (row, place) = (f64::from(i / 4), f64::from(i % 4));
        let position = D::Vector::from_fn(|axis| match axis {
            0 => 0.62 * place + 0.2 * row,
            _ if axis + 1 == D::AXES => RADIUS + 0.05 + 0.65 * row,
            _ => 0.01 * place - 0.02 * row,
        });
        ball(&mut world, RADIUS * (1.0 - 0.02 * place), position, D::Vector::ZERO);
    }
    world
}

/// Without a pseudopotential, stick by the right limit is contact dynamics with `e_n = e_t = 0`, by the mean `e_t = 1`.
fn a_pile_settles_as_under_contact_dynamics<D: Dim>() {
    for (stick, tangential_restitution) in [(Stick::RightLimit, 0.0), (Stick::Mean, 1.0)] {
        let mut rigid = falling_balls::<D>(law(0.4, 0.0, tangential_restitution));
        let mut atomized = falling_balls::<D>(law(0.4, 0.0, 0.0));
        percussions(&mut atomized, PercussionSolver::GaussSeidel, stick);
        run(&mut rigid, 150);
        run(&mut atomized, 150);
        assert!(rigid.state.contacts.len() >= 6);
        for body in rigid.free_bodies() {
            near(rigid.state.position[body], atomized.state.position[body], 1e-6);
        }
    }
}

/// A block at rest under stick by the mean has `u_t⁺ = −u_t⁻`: once pushed, it flips for ever (docs/method.md §7).
fn stick_by_the_mean_flips_a_block_for_ever<D: Dim>() {
    let mut world = world::<D>(MIDPOINT, 1e-3, dissipating(0.5, 0.0, 0.0, None));
    percussions(&mut world, PercussionSolver::GaussSeidel, Stick::Mean);
    floor(&mut world);
    let speed = 0.2 * 0.5 * G * 1e-3;
    let grain = ball(&mut world, RADIUS, up::<D>() * RADIUS, along::<D>() * speed);
    let mass = world.bodies[grain].mass;
    world.bodies[grain].motion = pushed::<D>(up::<D>() * (-G * mass));
    for step in 1..=50 {
        run(&mut world, 1);
        let sign = if step % 2 == 0 { 1.0 } else { -1.0 };
        near(world.state.velocity[grain], along::<D>() * (sign * speed), 1e-13);
    }
}

/// The balance of every step is checked by `run`. Shocks of closing contacts take energy; contacts that open while they
/// still overlap may give some (docs/method.md §7), which is counted, and little against what is taken.
fn energy_is_balanced_and_viscous_shocks_take_it<D: Dim>() {
    let mass = D::ball_volume(RADIUS);
    let mut world = falling_balls::<D>(dissipating(0.0, 0.8 * mass, 0.4 * mass, None));
    percussions(&mut world, PercussionSolver::GaussSeidel, Stick::RightLimit);
    let first = loop {
        let report = run(&mut world, 1);
        if report.contacts > 0 {
            break report;
        }
    };
    assert!(!first.clausius_duhem_violated && first.energy.impact > 0.0);
    let last = run(&mut world, 300);
    assert!(last.converged);
    assert!(last.energy.created < 1e-2 * (last.energy.impact + last.energy.friction), "{:?}", last.energy);
}

/// A mass on a spring: the force is that of the middle of the step, so the motion is that of the leapfrog, whose
/// frequency is `2/δt asin(½δt√(k/m))`.
fn a_spring_swings_at_its_frequency<D: Dim>() {
    let (dt, stiffness) = (0.01, 3.0);
    let mut world = world::<D>(MIDPOINT, dt, law(0.0, 0.0, 0.0));
    percussions(&mut world, PercussionSolver::GaussSeidel, Stick::RightLimit);
    let anchor = plane(&mut world, along::<D>(), along::<D>() * -50.0);
    let grain = ball(&mut world, RADIUS, along::<D>() * 1.2, D::Vector::ZERO);
    let spring = Spring { bodies: [anchor as u32, grain as u32], stiffness, rest: 51.0 };
    world.springs.push(spring);
    let mass = world.bodies[grain].mass;
    let omega = 2.0 / dt * (0.5 * dt * (stiffness / mass).sqrt()).asin();
    for step in 1..400 {
        // Where the force passes through zero the balances have no scale of their own, and are not checked.
        world.step(&mut Silent).unwrap();
        let expected = 1.0 + 0.2 * (omega * dt * f64::from(step)).cos();
        close(world.state.position[grain].dot(along::<D>()), expected, 1e-5);
    }
}

/// A ring of grains joined by springs under pressure from inside: `p L cos(π/n) = 2 k (L − L₀) sin(π/n)` holds it open,
/// and moves it nowhere.
#[test]
fn a_ring_under_pressure_from_inside_stays_at_the_radius_of_its_tension() {
    use glam::DVec2;
    let (n, pressure, stiffness, radius) = (24_u32, 5.0, 200.0, 2.0);
    let half = std::f64::consts::PI / f64::from(n);
    let length = 2.0 * radius * half.sin();
    let rest = length - pressure * length * half.cos() / (2.0 * stiffness * half.sin());
    assert!(rest > 0.0 && rest < length);
    for method in [Method::ContactDynamics, Method::Percussions(PercussionOptions::default())] {
        let mut world = world::<riprap_engine::D2>(MIDPOINT, 1e-3, law(0.0, 0.0, 0.0));
        world.method = method;
        for i in 0..n {
            let position = DVec2::from_angle(2.0 * half * f64::from(i)) * radius;
            world.add(riprap_engine::Body::ball(0.1, 1.0), Placement { position, ..Placement::default() });
            world.springs.push(Spring { bodies: [i, (i + 1) % n], stiffness, rest });
        }
        let chain = (0..=n).map(|i| i % n).collect();
        let load = TimeFunction::Constant(pressure);
        world.membranes.push(Membrane { chain, pressure: load, pushes_left: false, thickness: 1.0 });
        run(&mut world, 500);
        for body in 0..n as usize {
            close(world.state.position[body].length(), radius, 1e-9);
        }
        // More pressure, and it grows.
        world.membranes[0].pressure = TimeFunction::Constant(1.2 * pressure);
        run(&mut world, 50);
        assert!(world.state.position[0].length() > radius + 1e-4);
    }
}
