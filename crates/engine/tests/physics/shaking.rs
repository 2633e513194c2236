//! Shaken ground and settling supports.

use crate::setting::*;
use riprap_engine::{Dim, Freedom, Freedoms, Motion, TimeFunction, Vector, World};

in_both_dimensions!(
    a_block_on_shaken_ground_sticks_and_slips_as_the_closed_form_says,
    a_wall_follows_an_imposed_displacement_to_rounding,
);

const G: f64 = 9.81;
const FRICTION: f64 = 0.2;
/// The peak of the record, in m/s².
const PEAK: f64 = 6.0;

/// An accelerogram of straight lines: up, down to the opposite, and back to zero; the ground starts and ends at rest.
fn record() -> TimeFunction {
    TimeFunction::Table(vec![(0.0, 0.0), (0.25, PEAK), (0.75, -PEAK), (1.0, 0.0)])
}

/// The velocity of the ground, by hand.
fn ground_velocity(t: f64) -> f64 {
    match t {
        t if t < 0.25 => 2.0 * PEAK * t * t,
        t if t < 0.75 => PEAK / 4.0 - 2.0 * PEAK * (t - 0.5) * (t - 0.5),
        t if t < 1.0 => 2.0 * PEAK * (1.0 - t) * (1.0 - t),
        _ => 0.0,
    }
}

/// How far the ground moves in all: twice the area below the first half of its velocity.
const GROUND_WAY: f64 = 2.0 * (2.0 * PEAK / 3.0 / 64.0 + PEAK / 16.0 - 2.0 * PEAK / 3.0 / 64.0);

/// The motion of the block: it sticks until the ground accelerates by `μg`, then slides back on the ground with `μg` until
/// their velocities meet, then forward against `−μg` until it rests.
struct Slip {
    /// When the velocities meet, with which velocity, and the acceleration of the ground there.
    meets: f64,
    velocity: f64,
    ground_acceleration: f64,
    /// How far the block moves in all.
    way: f64,
}

const LIMIT: f64 = FRICTION * G;

fn slip() -> Slip {
    let slips = 0.25 * LIMIT / PEAK;
    let velocity = |t: f64| ground_velocity(slips) + LIMIT * (t - slips);
    let (mut sliding, mut past) = (0.5, 0.75);
    for _ in 0..100 {
        let t = 0.5 * (sliding + past);
        if velocity(t) < ground_velocity(t) { sliding = t } else { past = t }
    }
    let (meets, ground_acceleration) = (sliding, -4.0 * PEAK * (sliding - 0.5));
    assert!(ground_acceleration < -LIMIT, "it would stick there");
    let stuck = 2.0 * PEAK * slips.powi(3) / 3.0;
    let back = 0.5 * (velocity(slips) + velocity(meets)) * (meets - slips);
    let way = stuck + back + 0.5 * velocity(meets).powi(2) / LIMIT;
    Slip { meets, velocity: velocity(meets), ground_acceleration, way }
}

/// How much shorter than exact the way of the block is, to first order in the time step.
///
/// All else is of second order: velocities hold for the middle of a step (imposed ones) or for its end (an acceleration of
/// the ground), where the sums over steps are the midpoint and the trapezoidal rule; the slip begins where the record is
/// tangent to `μg`; it ends at rest. But the velocities meet within a step, a time `s` after its start, and friction has one
/// direction in it: the block is carried along to the velocity of the ground at its end, or held back by `μg` from its
/// start, whichever is faster. It is then slower than the exact one by `(|a| − μg)(δt − s)` or `2μg s`, the smaller of the
/// two, and comes to rest sooner, by that over `μg`.
fn shortfall(slip: &Slip, dt: f64, first: f64) -> f64 {
    let s = (slip.meets - first).rem_euclid(dt);
    let slower = f64::min((-slip.ground_acceleration - LIMIT) * (dt - s), 2.0 * LIMIT * s);
    slip.velocity * slower / LIMIT
}

/// A block on a floor under gravity.
fn block_on_floor<D: Dim>(scheme: riprap_engine::Scheme, dt: f64) -> (World<D>, usize, usize) {
    let mut world = world::<D>(scheme, dt, law(FRICTION, 0.0, 0.0));
    gravity(&mut world, G, 0.0);
    let ground = floor(&mut world);
    let block = solid(&mut world, &cuboid::<D>(up::<D>() * 0.05, [0.1, 0.1, 0.05], 0.0), 2500.0);
    (world, ground, block)
}

/// How far the block has moved in the end, seen from where the ground was, and seen from the ground.
fn ways<D: Dim>(scheme: riprap_engine::Scheme, dt: f64) -> [f64; 2] {
    let steps = (1.5 / dt).round() as usize;
    let (mut seen_from_rest, ground, block) = block_on_floor::<D>(scheme, dt);
    let start = seen_from_rest.state.position[block];
    let mut freedoms = Freedoms::default();
    freedoms.translation[0] = Freedom::Acceleration { acceleration: record(), start: 0.0 };
    seen_from_rest.bodies[ground].motion = Motion::Driven(Box::new(freedoms));
    run(&mut seen_from_rest, steps / 3);
    let left_behind = seen_from_rest.state.position[ground] - (seen_from_rest.state.position[block] - start);
    assert!(left_behind.get(0) > 0.1, "the block slides: {left_behind:?}");
    run(&mut seen_from_rest, steps - steps / 3);
    // The velocity of the ground is exact in the middle of each step.
    close(seen_from_rest.state.position[ground].get(0), GROUND_WAY, dt * dt);

    let (mut seen_from_ground, _, block) = block_on_floor::<D>(scheme, dt);
    let zero = || TimeFunction::Constant(0.0);
    seen_from_ground.gravity.ground = Some(Box::new([record(), zero(), zero()]));
    for _ in 0..steps {
        let report = seen_from_ground.step(&mut riprap_engine::Silent).unwrap();
        let (error, scale) = (report.energy.error(), report.energy.scale());
        assert!(error.abs() <= ROUNDING * scale, "energy error {error:e} of {scale:e}");
    }
    [&seen_from_rest, &seen_from_ground].map(|world| (world.state.position[block] - start).get(0))
}

/// The error is of first order in the time step, by a term that is known; what is left is of second order, and below the
/// sum of the largest such terms: `δt²` times an eighth of the record's slope (24 m/s³) for the onset of the slip, which
/// lasts 1.2 s, and as much for the step in which the velocities meet and the one in which the block stops.
fn a_block_on_shaken_ground_sticks_and_slips_as_the_closed_form_says<D: Dim>() {
    let slip = slip();
    for scheme in SCHEMES {
        for dt in [1e-3, 2.5e-4] {
            let [from_rest, from_ground] = ways::<D>(scheme, dt);
            let (first_of_rest, first_of_ground) = (0.5 * dt, 0.0);
            close(from_rest, slip.way - shortfall(&slip, dt, first_of_rest), 10.0 * dt * dt);
            close(from_ground, slip.way - shortfall(&slip, dt, first_of_ground) - GROUND_WAY, 10.0 * dt * dt);
        }
    }
}

fn a_wall_follows_an_imposed_displacement_to_rounding<D: Dim>() {
    let settlement = TimeFunction::Table(vec![(0.0, 0.0), (0.1, -0.02), (0.35, -0.02), (0.5, -0.07)]);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, 7e-3, law(0.5, 0.0, 0.0));
        let support = floor(&mut world);
        let mut freedoms = Freedoms::default();
        freedoms.translation[D::AXES - 1] = Freedom::Displacement(settlement.clone());
        world.bodies[support].motion = Motion::Driven(Box::new(freedoms));
        for _ in 0..80 {
            run(&mut world, 1);
            near(world.state.position[support], up::<D>() * settlement.at(world.state.time), 1e-15);
        }
    }
}
