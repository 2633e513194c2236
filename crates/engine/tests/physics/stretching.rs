//! Periodic cells that are stretched, sheared and pressed.

use crate::packing::Dice;
use crate::reproducible::bits;
use crate::setting::*;
use riprap_engine::{Cell, CellDriver, Criterion, Dim, Options, Scheme, Stretch, TimeFunction, Vector, World};

in_both_dimensions!(
    grains_are_carried_along_and_the_volume_grows_exponentially,
    a_sheared_cell_carries_grains_round_and_finds_their_neighbours,
    a_free_grain_in_a_sheared_cell_flies_straight_on,
    a_lattice_gives_way_until_its_stress_is_the_pressure,
    each_axis_has_a_pressure_of_its_own,
    the_work_of_a_pressure_is_that_of_the_volume,
    a_row_that_fills_the_period_stops_the_cell,
    a_packing_under_pressure_comes_to_rest_with_that_stress,
    a_sheared_packing_keeps_its_books_and_goes_on_from_a_copy,
);

fn constant(value: f64) -> TimeFunction {
    TimeFunction::Constant(value)
}

/// An empty cell of this length on all axes.
fn cell<D: Dim>(scheme: Scheme, length: f64, dt: f64, friction: f64) -> World<D> {
    let mut world = world::<D>(scheme, dt, law(friction, 0.0, 0.0));
    world.state.cell = Cell::new(D::Vector::from_fn(|_| -0.3), D::Vector::from_fn(|_| length));
    world
}

/// The same pressure along all axes.
fn press<D: Dim>(world: &mut World<D>, pressure: f64) {
    let grains = || world.free_bodies().map(|body| &world.bodies[body]);
    let diameter = grains().filter_map(|body| body.shape.ball_radius()).fold(0.0, f64::max) * 2.0;
    let mass = CellDriver::natural_mass(&world.state.cell, grains().map(|body| body.mass).sum(), diameter);
    let stretch = [(); 3].map(|()| Stretch::Pressure(constant(pressure)));
    world.cell_driver = Some(CellDriver { stretch, mass, ..CellDriver::default() });
}

/// The stress of the contacts between grains along each axis, `Σ f ℓ/V`, positive in compression.
fn stress<D: Dim>(world: &World<D>) -> D::Vector {
    let state = &world.state;
    let pushed = state.contacts.iter().fold(D::Vector::ZERO, |sum, contact| {
        let [a, b] = contact.bodies.map(|body| state.position[body as usize]);
        sum + (b + state.cell.shift(contact.offset) - a).scale(contact.impulse)
    });
    pushed * (1.0 / (world.settings.time_step * world.cell_volume()))
}

/// A square or cubic lattice of balls of diameter 1, `side` along each axis, spaced by `spacing`.
fn lattice<D: Dim>(world: &mut World<D>, side: u32, spacing: f64) {
    for i in 0..side.pow(D::AXES as u32) {
        let place = D::Vector::from_fn(|axis| f64::from(i / side.pow(axis as u32) % side) * spacing);
        ball(world, 0.5, place, D::Vector::ZERO);
    }
}

fn grains_are_carried_along_and_the_volume_grows_exponentially<D: Dim>() {
    for scheme in SCHEMES {
        let mut world = cell::<D>(scheme, 3.0, 1e-2, 0.0);
        // Into and out of the first period; with a velocity of their own.
        let places = [[0.1, 0.7, 2.0], [7.9, -4.1, 0.3]].map(D::Vector::from_array3);
        let own = D::Vector::from_fn(|i| 0.01 * (i as f64 + 1.0));
        ball(&mut world, 0.1, places[0], D::Vector::ZERO);
        ball(&mut world, 0.1, places[1], own);
        let rates = [0.2, -0.1, 0.05];
        let stretch = rates.map(|rate| Stretch::Rate(constant(rate)));
        world.cell_driver = Some(CellDriver { stretch, ..CellDriver::default() });
        run(&mut world, 100);
        let (state, origin) = (&world.state, world.state.cell.origin);
        let total: f64 = rates[..D::AXES].iter().sum();
        close(world.cell_volume(), 3.0_f64.powi(D::AXES as i32) * total.exp(), 1e-12);
        let stretched =
            |place: D::Vector| D::Vector::from_fn(|i| origin.get(i) + (place - origin).get(i) * rates[i].exp());
        near(state.position[0], stretched(places[0]), 1e-12);
        // The second one has moved on by its own velocity, which falls as it comes to ground that moves away faster:
        // ċ = −ε c, ∫ c e^{ε(T−t)} dt = c₀ sinh(εT)/ε; but for half a step.
        let slowed = D::Vector::from_fn(|i| own.get(i) * (-rates[i]).exp());
        near(state.velocity[1], slowed, 1e-12);
        let gone = D::Vector::from_fn(|i| own.get(i) * rates[i].sinh() / rates[i]);
        near(state.position[1], stretched(places[1]) + gone, 1e-4);
        assert_eq!(state.velocity[0], D::Vector::ZERO);
    }
}

fn a_sheared_cell_carries_grains_round_and_finds_their_neighbours<D: Dim>() {
    for scheme in SCHEMES {
        // A grain below the upper border and one above the lower: they meet through the border, again and again.
        let mut world = cell::<D>(scheme, 1.0, 1e-3, 0.0);
        let (x, up) = (D::Vector::axis(0), up::<D>());
        let low = ball(&mut world, 0.1, up * -0.25, D::Vector::ZERO);
        let high = ball(&mut world, 0.1, up * 0.6 + x * 0.5, D::Vector::ZERO);
        world.cell_driver = Some(CellDriver { shear: Some(constant(2.0)), ..CellDriver::default() });
        let mut touched = 0;
        let mut last = world.state.position.clone();
        for step in 1..=3000 {
            let report = crate::setting::step(&mut world);
            touched += report.contacts;
            let state = &world.state;
            close(state.cell.tilt, 2.0 * 1e-3 * f64::from(step), 1e-9);
            // Momentum of their own is conserved.
            near(state.velocity[low], -state.velocity[high], 1e-12);
            last.clone_from(&state.position);
            let [a, b] = [low, high].map(|body| state.cell.wrap(state.position[body]));
            let images = (-2..=2).flat_map(|i| [-1, 0, 1].map(|k| (i, k)));
            let nearest = images.map(|(i, k)| {
                let mut periods = [i, 0, 0];
                periods[D::AXES - 1] = k;
                (b + state.cell.shift(periods) - a).length()
            });
            // An overlap of the midpoint scheme is that of half a step.
            assert!(nearest.fold(f64::INFINITY, f64::min) > 0.2 - 2e-3, "step {step}");
        }
        assert!(touched > 0 && (last[low] - last[high]).length() > 0.0);
    }
}

fn a_free_grain_in_a_sheared_cell_flies_straight_on<D: Dim>() {
    for scheme in SCHEMES {
        let mut world = cell::<D>(scheme, 50.0, 1e-2, 0.0);
        let origin = world.state.cell.origin;
        let (start, own) = (D::Vector::from_fn(|_| 3.0), D::Vector::from_fn(|i| 0.3 + 0.1 * i as f64));
        ball(&mut world, 0.1, start, own);
        let shear = 0.7;
        world.cell_driver = Some(CellDriver { shear: Some(constant(shear)), ..CellDriver::default() });
        // As seen from outside: its own velocity and that of the place where it starts.
        let height = (start - origin).get(D::AXES - 1);
        let flight = own + D::Vector::axis(0) * (shear * height);
        run(&mut world, 300);
        // First order: off by no more than the step times what the shear does to its own velocity.
        let error = 1e-2 * shear * own.length() * 3.0;
        near(world.state.position[0], start + flight * 3.0, error);
        let place = world.state.position[0];
        near(world.state.cell.carried(place, world.state.velocity[0]), flight, error);
    }
}

fn a_lattice_gives_way_until_its_stress_is_the_pressure<D: Dim>() {
    for scheme in SCHEMES {
        let (side, pressure) = (3, 2.5);
        let mut world = cell::<D>(scheme, 3.3, 1e-3, 0.2);
        lattice(&mut world, side, 1.1);
        press(&mut world, pressure);
        let mut steps = 0;
        while stress(&world).get(0) == 0.0 || world.state.cell.rate.length() > 1e-9 {
            step(&mut world);
            steps += 1;
            assert!(steps < 4000, "does not come to rest");
        }
        run(&mut world, 3);
        for axis in 0..D::AXES {
            close(stress(&world).get(axis), pressure, 1e-6 * pressure);
            // Balls of diameter 1 in a row, but for what the midpoint scheme closes in half a step.
            close(world.state.cell.period.get(axis), 3.0, 3e-3);
        }
    }
}

fn each_axis_has_a_pressure_of_its_own<D: Dim>() {
    let mut world = cell::<D>(EULER, 2.2, 1e-3, 0.0);
    lattice(&mut world, 2, 1.1);
    press(&mut world, 1.0);
    let pressures = [1.0, 3.0, 2.0];
    let driver = world.cell_driver.as_mut().unwrap();
    driver.stretch = pressures.map(|pressure| Stretch::Pressure(constant(pressure)));
    run(&mut world, 3000);
    for (axis, pressure) in pressures.into_iter().enumerate().take(D::AXES) {
        close(stress(&world).get(axis), pressure, 1e-6);
    }
}

fn the_work_of_a_pressure_is_that_of_the_volume<D: Dim>() {
    for scheme in SCHEMES {
        let work_and_volume = |dt: f64| {
            let mut world = cell::<D>(scheme, 2.4, dt, 0.0);
            lattice(&mut world, 2, 1.2);
            press(&mut world, 1.5);
            let start = world.cell_volume();
            // Until shortly before the grains touch.
            let report = run(&mut world, (0.2 / dt) as usize);
            assert_eq!(report.contacts, 0);
            // Nothing else happens: the work is the kinetic energy of the cell.
            close(report.energy.loads, world.kinetic_energy(), 1e-12);
            (report.energy.loads, -1.5 * (world.cell_volume() - start))
        };
        let errors = [1e-3, 5e-4].map(|dt| {
            let (work, expected) = work_and_volume(dt);
            assert!(expected > 0.01);
            (work - expected).abs() / expected
        });
        // The volume of a step is that of its start or middle: first order.
        assert!(errors[0] < 2e-2 && errors[1] < 0.6 * errors[0], "{errors:?}");
    }
}

fn a_row_that_fills_the_period_stops_the_cell<D: Dim>() {
    // Two grains fill the period of the first axis: the cell pushes them together from both sides, and is stopped.
    for scheme in SCHEMES {
        let mut world = cell::<D>(scheme, 3.0, 1e-3, 0.0);
        for x in [0.0, 1.0] {
            ball(&mut world, 0.5, D::Vector::axis(0) * x, D::Vector::ZERO);
        }
        world.state.cell.period = D::Vector::from_fn(|i| if i == 0 { 2.0 } else { 3.0 });
        press(&mut world, 0.0);
        world.state.cell.rate = D::Vector::from_fn(|i| if i == 0 { -0.1 } else { 0.2 });
        let report = step(&mut world);
        assert_eq!(report.contacts, 2);
        near(world.state.velocity[0], D::Vector::ZERO, 1e-12);
        // The axis without a contact goes on.
        near(world.state.cell.rate, D::Vector::from_fn(|i| if i == 0 { 0.0 } else { 0.2 }), 1e-12);
        // Together they take the momentum of the cell, over branches of length 1 (but for half a step at the midpoint).
        let mass = world.cell_driver.as_ref().unwrap().mass.get(0);
        for contact in &world.state.contacts {
            close(contact.impulse.get(0).abs(), 0.5 * 0.1 * mass, 1e-4 * mass);
        }
    }
}

/// A loose random packing.
fn loose<D: Dim>(scheme: Scheme, side: u32) -> World<D> {
    let mut world = cell::<D>(scheme, 1.25 * f64::from(side), 2e-3, 0.3);
    let mut dice = Dice::new(5);
    for i in 0..side.pow(D::AXES as u32) {
        let place = D::Vector::from_fn(|axis| 1.25 * f64::from(i / side.pow(axis as u32) % side));
        ball(
            &mut world,
            0.4 + 0.1 * dice.throw(),
            place + dice.vector::<D::Vector>() * 0.1,
            dice.vector::<D::Vector>() * 0.5,
        );
    }
    world
}

fn a_packing_under_pressure_comes_to_rest_with_that_stress<D: Dim>() {
    let side = if D::AXES == 2 { 7 } else { 4 };
    let mut world = loose::<D>(EULER, side);
    press(&mut world, 10.0);
    let start = world.cell_volume();
    world.settings.solver = Options::default();
    run(&mut world, 1500);
    world.settings.solver.criterion = Criterion::Residual { tolerance: 1e-6 };
    let report = run(&mut world, 50);
    assert!(world.cell_volume() < 0.9 * start);
    assert!(report.unbalanced_force < 1e-3, "{}", report.unbalanced_force);
    for axis in 0..D::AXES {
        close(stress(&world).get(axis), 10.0, 0.01 * 10.0);
    }
    assert!(report.max_overlap < 1e-3, "{}", report.max_overlap);
}

fn a_sheared_packing_keeps_its_books_and_goes_on_from_a_copy<D: Dim>() {
    for scheme in SCHEMES {
        let make = || {
            let mut world = loose::<D>(scheme, if D::AXES == 2 { 8 } else { 4 });
            press(&mut world, 10.0);
            let driver = world.cell_driver.as_mut().unwrap();
            driver.shear = Some(constant(0.8));
            driver.stretch[0] = Stretch::Fixed;
            world
        };
        let mut whole = make();
        run(&mut whole, 250);
        let mut resumed = make();
        resumed.restore(whole.state.clone()).unwrap();
        let report = run(&mut whole, 50);
        run(&mut resumed, 50);
        assert!(report.contacts > 8, "{}", report.contacts);
        assert!(bits(&resumed.state) == bits(&whole.state));
        assert_eq!(resumed.state, whole.state);
    }
}
