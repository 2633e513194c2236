//! What cannot be simulated is an error that names the body.

use crate::setting::*;
use riprap_engine::{
    Body, BodyId, Cell, CellDriver, Dim, Placement, Shape, Silent, Solver, StepError, Stretch, SweepOrder,
    TimeFunction, Unconverged, Vector, World,
};

in_both_dimensions!(
    a_ball_too_fast_for_a_floor_is_an_error_that_names_it,
    a_ball_too_fast_for_another_ball_is_an_error_that_names_it,
    a_ball_too_fast_for_a_plate_is_an_error_that_names_it,
    a_ball_shot_through_a_plate_by_an_impact_within_the_step_is_an_error_that_names_it,
    the_gap_law_stops_a_fast_ball_at_the_wall,
    a_velocity_that_is_not_a_number_is_an_error_that_names_the_body,
    a_step_that_does_not_converge_stops_the_run_if_told_to,
    a_cell_that_shrinks_too_far_is_an_error_before_a_grain_meets_itself,
    a_light_cell_under_a_great_pressure_is_an_error,
    a_grain_that_would_cross_a_period_in_one_step_is_an_error_that_names_it,
    a_grain_beyond_the_digits_of_its_position_is_an_error_that_names_it,
);

#[track_caller]
fn tunnels<D: Dim>(world: &mut World<D>, steps: usize, expected: [usize; 2]) {
    for _ in 0..steps {
        match world.step(&mut Silent) {
            Ok(_) => {}
            Err(StepError::Tunnel { body, other, moved, depth, .. }) => {
                let mut named = [body.0 as usize, other.0 as usize];
                named.sort_unstable();
                assert_eq!(named, expected);
                assert!(moved > 0.0 && depth > 0.0);
                return;
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("no error; positions {:?}", world.state.position);
}

/// A thin wall across the first axis, at `x`.
fn plate<D: Dim>(world: &mut World<D>, x: f64) -> usize {
    let second = if D::AXES == 2 { D::Vector::ZERO } else { D::Vector::axis(2) };
    let shape = Shape::Plate { half_edges: [D::Vector::axis(1), second] };
    let placement = Placement { position: D::Vector::axis(0) * x, ..Placement::default() };
    add(world, Body::wall("plate", shape), placement)
}

fn a_ball_too_fast_for_a_floor_is_an_error_that_names_it<D: Dim>() {
    // The midpoint scheme sees the contact only when the ball is already far below the floor.
    let mut world = world::<D>(MIDPOINT, 0.1, law(0.0, 0.0, 0.0));
    let floor = floor(&mut world);
    ball(&mut world, 0.1, up::<D>() * 5.0 + along::<D>(), D::Vector::ZERO);
    let fast = ball(&mut world, 0.1, up::<D>() * 0.5, up::<D>() * -50.0);
    tunnels(&mut world, 1, [floor, fast]);
}

fn a_ball_too_fast_for_another_ball_is_an_error_that_names_it<D: Dim>() {
    // Before, halfway and after the step the two are apart, but on the way they meet.
    let mut world = world::<D>(MIDPOINT, 0.1, law(0.0, 0.0, 0.0));
    let target = ball(&mut world, 0.1, D::Vector::ZERO, D::Vector::ZERO);
    let fast = ball(&mut world, 0.1, along::<D>() * -2.0, along::<D>() * 30.0);
    tunnels(&mut world, 1, [target, fast]);
}

fn a_ball_too_fast_for_a_plate_is_an_error_that_names_it<D: Dim>() {
    // It ends just behind the plate, or far behind it.
    for speed in [12.0, 30.0, 300.0] {
        let mut world = world::<D>(MIDPOINT, 0.1, law(0.0, 0.0, 0.0));
        let plate = plate(&mut world, 0.5);
        let fast = ball(&mut world, 0.1, D::Vector::ZERO, D::Vector::axis(0) * speed);
        tunnels(&mut world, 1, [plate, fast]);
        // Past its edge there is nothing to go through.
        world.state.position[fast] = D::Vector::axis(1) * 1.2;
        world.state.velocity[fast] = D::Vector::axis(0) * speed;
        step(&mut world);
    }
}

/// The ball was at rest when the pairs were listed, and passes the plate in the second half of the step.
fn a_ball_shot_through_a_plate_by_an_impact_within_the_step_is_an_error_that_names_it<D: Dim>() {
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, 0.1, law(0.0, 1.0, 0.0));
        let x = D::Vector::axis(0);
        let plate = plate(&mut world, 0.45);
        ball(&mut world, 1.0, x * -1.2, x * 8.0);
        let light = ball(&mut world, 0.1, D::Vector::ZERO, D::Vector::ZERO);
        if scheme == EULER {
            // The gap law closes the gap instead, whatever the speed.
            for _ in 0..3 {
                world.step(&mut Silent).unwrap();
                assert!(world.state.position[light].get(0) < 0.45);
            }
        } else {
            tunnels(&mut world, 1, [plate, light]);
        }
    }
}

fn the_gap_law_stops_a_fast_ball_at_the_wall<D: Dim>() {
    let mut world = world::<D>(EULER, 0.1, law(0.0, 0.0, 0.0));
    floor(&mut world);
    let fast = ball(&mut world, 0.1, up::<D>() * 0.5, up::<D>() * -50.0);
    run(&mut world, 2);
    near(world.state.position[fast], up::<D>() * 0.1, 1e-12);
}

fn a_velocity_that_is_not_a_number_is_an_error_that_names_the_body<D: Dim>() {
    for scheme in SCHEMES {
        for broken in [f64::NAN, f64::INFINITY] {
            let mut world = world::<D>(scheme, 1e-3, law(0.3, 0.0, 0.0));
            floor(&mut world);
            for i in 0..5 {
                ball(&mut world, 0.1, along::<D>() * (0.19 * f64::from(i)) + up::<D>() * 0.1, D::Vector::ZERO);
            }
            run(&mut world, 2);
            // One that touches nothing, so that nothing can catch it.
            let alone = ball(&mut world, 0.1, up::<D>() * 3.0, D::Vector::ZERO);
            world.state.velocity[alone] = up::<D>() * broken;
            match world.step(&mut Silent) {
                Err(StepError::NotFinite { body, step, .. }) => assert_eq!((body.0 as usize, step), (alone, 3)),
                other => panic!("{other:?}"),
            }
        }
    }
}

fn a_step_that_does_not_converge_stops_the_run_if_told_to<D: Dim>() {
    let mut world = world::<D>(EULER, 1e-3, law(0.0, 0.0, 0.0));
    gravity(&mut world, 9.81, 0.0);
    floor(&mut world);
    for i in 0..30 {
        ball(&mut world, 0.05, up::<D>() * (0.05 * f64::from(2 * i + 1)), D::Vector::ZERO);
    }
    world.settings.solver.max_sweeps = 3;
    world.settings.solver.solver = Solver::GaussSeidel;
    world.settings.solver.order = SweepOrder::Sequential;
    let mut patient = world.clone();
    assert!(!step(&mut patient).converged);
    world.settings.on_unconverged = Unconverged::Stop;
    match world.step(&mut Silent) {
        Err(StepError::Unconverged { step: 1, sweeps: 3, residual }) => assert!(residual > RESIDUAL),
        other => panic!("{other:?}"),
    }
}

/// A cell of length 1 along all axes with one ball of radius 0.1.
fn one_ball_in_a_cell<D: Dim>(velocity: D::Vector) -> World<D> {
    let mut world = world::<D>(MIDPOINT, 1e-3, law(0.0, 0.0, 0.0));
    world.state.cell = Cell::new(D::Vector::ZERO, D::Vector::from_fn(|_| 1.0));
    ball(&mut world, 0.1, D::Vector::from_fn(|_| 0.5), velocity);
    world
}

fn a_cell_that_shrinks_too_far_is_an_error_before_a_grain_meets_itself<D: Dim>() {
    // The slow cell shrinks by a little in each step, the fast one to nothing within one.
    for rate in [-10.0, -1e6] {
        let mut world = one_ball_in_a_cell::<D>(D::Vector::ZERO);
        let mut stretch = [(); 3].map(|()| Stretch::Rate(TimeFunction::Constant(0.0)));
        stretch[1] = Stretch::Rate(TimeFunction::Constant(rate));
        world.cell_driver = Some(CellDriver { stretch, ..CellDriver::default() });
        let error = (0..200).find_map(|_| world.step(&mut Silent).err()).expect("the cell is too small in the end");
        match error {
            StepError::CellTooSmall { axis: 1, period, least, .. } => {
                assert!(period < least && (least - 0.3).abs() < 1e-12)
            }
            StepError::FasterThanPeriod { .. } | StepError::NotFinite { .. } if rate < -1e3 => {}
            other => panic!("{other}"),
        }
        assert!(world.state.contacts.is_empty());
    }
}

/// A cell so light that its pressure turns it inside out within the first step, with which no list of pairs could be made.
fn a_light_cell_under_a_great_pressure_is_an_error<D: Dim>() {
    for pressure in [1e3, 1e6, 1e9] {
        let mut world = world::<D>(EULER, 1e-3, law(0.0, 0.0, 0.0));
        world.state.cell = Cell::new(D::Vector::ZERO, D::Vector::from_fn(|_| 1.0));
        ball(&mut world, 0.1, D::Vector::from_fn(|_| 0.3), D::Vector::ZERO);
        ball(&mut world, 0.1, D::Vector::from_fn(|_| 0.7), D::Vector::ZERO);
        let mut stretch = [(); 3].map(|()| Stretch::Rate(TimeFunction::Constant(0.0)));
        stretch[1] = Stretch::Pressure(TimeFunction::Constant(pressure));
        let mass = D::Vector::from_fn(|_| 1e-4);
        world.cell_driver = Some(CellDriver { stretch, mass, ..CellDriver::default() });
        let error = world.step(&mut Silent).expect_err("the cell is turned inside out");
        assert!(matches!(error, StepError::CellTooFast { step: 1 }), "{pressure}: {error}");
    }
}

fn a_grain_that_would_cross_a_period_in_one_step_is_an_error_that_names_it<D: Dim>() {
    let mut world = one_ball_in_a_cell::<D>(along::<D>() * 1e12);
    let error = (0..3).find_map(|_| world.step(&mut Silent).err()).expect("it is too fast");
    assert!(
        matches!(
            error,
            StepError::FasterThanPeriod { body: BodyId(0), .. } | StepError::TooFar { body: BodyId(0), .. }
        ),
        "{error}"
    );
}

fn a_grain_beyond_the_digits_of_its_position_is_an_error_that_names_it<D: Dim>() {
    for (distance, is_too_far) in [(0.99e8, false), (1.01e8, true), (1e300, true)] {
        let mut world = world::<D>(MIDPOINT, 1e-3, law(0.0, 0.0, 0.0));
        ball(&mut world, 0.1, D::Vector::ZERO, D::Vector::ZERO);
        ball(&mut world, 0.1, along::<D>() * distance, D::Vector::ZERO);
        let step = world.step(&mut Silent);
        assert_eq!(matches!(step, Err(StepError::TooFar { body: BodyId(1), .. })), is_too_far, "{distance}: {step:?}");
    }
    // In a periodic domain it is the number of periods that is limited.
    let mut world = one_ball_in_a_cell::<D>(D::Vector::ZERO);
    ball(&mut world, 0.1, along::<D>() * 30_000.0, D::Vector::ZERO);
    assert!(matches!(world.step(&mut Silent), Err(StepError::TooFar { body: BodyId(1), .. })));
}
