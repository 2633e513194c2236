//! Piles and pistons at rest, and the warning for packings that cannot yield.

use crate::packing::{deposit, lattice_in_box};
use crate::setting::*;
use riprap_engine::{
    Body, Criterion, Dim, Freedom, Freedoms, LoadedArea, Motion, Placement, Shape, Span, TimeFunction, Unconverged,
    Vector, World,
};

in_both_dimensions!(
    the_base_of_a_column_carries_its_weight_and_the_column_does_not_drift,
    the_floor_carries_the_weight_of_a_settled_heap,
    a_piston_falls_with_the_acceleration_of_its_force,
    a_piston_at_fixed_pressure_presses_a_column_on_the_opposite_wall,
    a_piston_at_fixed_pressure_presses_a_packing_on_the_opposite_wall,
    a_jammed_packing_warns_of_compression_by_an_imposed_velocity_and_not_of_a_pressure,
    a_packing_whose_side_gives_way_to_a_load_is_not_jammed,
);

const G: f64 = 9.81;

/// The force of the grains on a wall.
fn force_on<D: Dim>(world: &World<D>, wall: usize) -> D::Vector {
    world.wall_loads().into_iter().find(|load| load.body as usize == wall).map_or(D::Vector::ZERO, |load| load.force)
}

fn the_base_of_a_column_carries_its_weight_and_the_column_does_not_drift<D: Dim>() {
    let (count, radius, dt, steps) = (20, 0.05, 1e-3, 2000);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        gravity(&mut world, G, 0.0);
        let base = floor(&mut world);
        let balls: Vec<usize> = (0..count)
            .map(|i| ball(&mut world, radius, up::<D>() * (radius * f64::from(2 * i + 1)), D::Vector::ZERO))
            .collect();
        let start = world.state.position.clone();
        run(&mut world, steps);
        // With a residual ε every contact moves by less than ε‖p‖/m_n, m_n ≥ m/2, and ‖p‖ ≤ √N N m g δt. Velocities add
        // up along the column: less than 2N²ε g δt at its top, so momentum is wrong by less than 2N²ε of N m g δt.
        let loose = 2.0 * f64::from(count * count) * RESIDUAL;
        let weight = f64::from(count) * world.bodies[balls[0]].mass * G;
        let rounding = 1e-12;
        near(force_on(&world, base) * (1.0 / weight), -up::<D>(), loose + rounding);
        for (now, then) in world.state.position.iter().zip(&start) {
            near(*now, *then, loose * G * dt * dt * steps as f64 + rounding);
        }
    }
}

fn the_floor_carries_the_weight_of_a_settled_heap<D: Dim>() {
    for scheme in SCHEMES {
        let (mut world, base) = deposit::<D>(scheme, 48, 0.4);
        let before = momentum(&world);
        run(&mut world, 1);
        let dt = world.settings.time_step;
        let weight: f64 = world.free_bodies().map(|body| world.bodies[body].mass * G).sum();
        // The side walls are rough too, so all walls together carry the weight; what is left is what still moves.
        let carried = world.wall_loads().iter().fold(D::Vector::ZERO, |sum, load| sum + load.force);
        let moves = (momentum(&world) - before) * (1.0 / dt);
        near(carried * (1.0 / weight), -up::<D>() - moves * (1.0 / weight), 1e-10);
        near(carried * (1.0 / weight), -up::<D>(), 1e-6);
        assert!(-force_on(&world, base).dot(up::<D>()) > 0.5 * weight);
    }
}

/// A horizontal wall above the grains, of the given mass, that a force presses down; it cannot move sideways.
fn piston<D: Dim>(world: &mut World<D>, height: f64, mass: f64, freedom: Freedom) -> usize {
    let mut freedoms = Freedoms::default();
    freedoms.translation[D::AXES - 1] = freedom;
    let mut body = Body::wall("piston", Shape::Plane { normal: -up::<D>() });
    body.mass = mass;
    body.motion = Motion::Driven(Box::new(freedoms));
    add(world, body, Placement { position: up::<D>() * height, ..Placement::default() })
}

fn a_piston_falls_with_the_acceleration_of_its_force<D: Dim>() {
    let (dt, mass, force, steps) = (1e-3, 2.0, 5.0, 100);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.0, 0.0, 0.0));
        // Gravity does not act on a piston: an imposed force is the whole force.
        gravity(&mut world, G, 0.0);
        let wall = piston(&mut world, 1.0, mass, Freedom::Force(TimeFunction::Constant(-force)));
        run(&mut world, steps);
        let time = dt * steps as f64;
        near(world.state.velocity[wall], up::<D>() * (-force / mass * time), 1e-13);
        let late = if scheme == EULER { 0.5 * force / mass * time * dt } else { 0.0 };
        near(world.state.position[wall], up::<D>() * (1.0 - 0.5 * force / mass * time * time - late), 1e-13);
    }
}

fn a_piston_at_fixed_pressure_presses_a_column_on_the_opposite_wall<D: Dim>() {
    let (dt, pressure, area, count, radius) = (1e-3, 3.0, 0.02, 6, 0.05);
    for scheme in SCHEMES {
        let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
        let base = floor(&mut world);
        for i in 0..count {
            ball(&mut world, radius, up::<D>() * (radius * f64::from(2 * i + 1)), D::Vector::ZERO);
        }
        let load = Freedom::Pressure { pressure: TimeFunction::Constant(-pressure), area: LoadedArea::Constant(area) };
        let top = 2.0 * radius * f64::from(count);
        // A piston much heavier than the grains would need very many sweeps.
        let mass = 4.0 * D::ball_volume(radius);
        let wall = piston(&mut world, top + 0.01, mass, load);
        run(&mut world, 500);
        // As in the column under gravity, every contact's part of the residual adds up along the column; the piston is
        // heavier than a ball, and so is its momentum.
        let loose = 2.0 * f64::from(count * count) * RESIDUAL * 4.0 + 1e-12;
        near(force_on(&world, base) * (1.0 / (pressure * area)), -up::<D>(), loose);
        near(force_on(&world, wall) * (1.0 / (pressure * area)), up::<D>(), loose);
        near(world.state.velocity[wall], D::Vector::ZERO, 1e-10);
        // The midpoint scheme finds a contact up to a step late: the piston came with at most √(2 a gap) + a δt.
        let fall = pressure * area / mass;
        let speed = (2.0 * fall * 0.01_f64).sqrt() + fall * dt;
        let overlap = if scheme == EULER { 1e-9 } else { speed * dt };
        assert!(world.state.position[wall].dot(up::<D>()) <= top + 1e-9);
        let found = world.state.position[wall].dot(up::<D>());
        assert!(found >= top - overlap, "{scheme:?}: {found} below {top} by more than {overlap}");
    }
}

fn a_piston_at_fixed_pressure_presses_a_packing_on_the_opposite_wall<D: Dim>() {
    let pressure = 250.0;
    for scheme in SCHEMES {
        let (mut world, walls, top) = lattice_in_box::<D>(scheme, 1e-3, law(0.0, 0.0, 0.0), 3);
        // The area is the product of the distances of the side walls.
        let spans = (0..D::AXES - 1)
            .map(|axis| Span::Between { walls: [walls[1 + 2 * axis] as u32, walls[2 + 2 * axis] as u32], axis })
            .collect();
        let span = |axis: usize| {
            (world.state.position[walls[2 + 2 * axis]] - world.state.position[walls[1 + 2 * axis]]).get(axis)
        };
        let area: f64 = (0..D::AXES - 1).map(span).product();
        let load = Freedom::Pressure { pressure: TimeFunction::Constant(-pressure), area: LoadedArea::Spans(spans) };
        let wall = piston(&mut world, top + 0.02, 1.0, load);
        let mut report = run(&mut world, 1);
        for _ in 0..300 {
            report = run(&mut world, 1);
        }
        // Frictionless side walls carry nothing downwards. What still moves gives the rest, as momentum says.
        let settled = 1e-6 * pressure * area;
        close(force_on(&world, walls[0]).dot(up::<D>()), -pressure * area, settled);
        close(force_on(&world, wall).dot(up::<D>()), pressure * area, settled);
        assert!(!report.jammed_compression);
    }
}

/// As in a triaxial test, the piston moves at a given speed and the side pushes back with a force: a ball is driven down
/// between two others. What the solve leaves over may be more than the piston moves.
fn a_packing_whose_side_gives_way_to_a_load_is_not_jammed<D: Dim>() {
    let (radius, speed) = (0.1, 1e-6);
    let mut world = world::<D>(EULER, 1e-3, law(0.3, 0.0, 0.0));
    world.settings.solver.criterion = Criterion::Motion { velocity: 0.1, residual: 0.1 };
    floor(&mut world);
    let along = D::Vector::axis(0);
    plane(&mut world, along, along * (-2.0 * radius));
    let side = plane(&mut world, -along, along * (2.0 * radius));
    for (x, height) in [(-radius, radius), (radius, radius), (0.0, radius * (1.0 + 3.0_f64.sqrt()))] {
        ball(&mut world, radius, along * x + up::<D>() * height, D::Vector::ZERO);
    }
    let mut freedoms = Freedoms::default();
    freedoms.translation[0] = Freedom::Force(TimeFunction::Constant(-250.0));
    world.bodies[side] = world.bodies[side].clone().motion(Motion::Driven(Box::new(freedoms)));
    world.bodies[side].mass = 1.0;
    let top = radius * (2.0 + 3.0_f64.sqrt());
    piston(&mut world, top, 1.0, Freedom::Velocity(TimeFunction::Constant(-speed)));
    let warned: Vec<bool> = (0..40).map(|_| run(&mut world, 1).jammed_compression).collect();
    assert!(warned.iter().all(|&warned| !warned), "{warned:?}");
    // The piston carries its share of the load, friction or not.
    assert!(force_on(&world, side).get(0) > 100.0);
}

fn a_jammed_packing_warns_of_compression_by_an_imposed_velocity_and_not_of_a_pressure<D: Dim>() {
    let speed = 0.01;
    for scheme in SCHEMES {
        let warned = |freedom: Freedom| {
            let (mut world, _, top) = lattice_in_box::<D>(scheme, 1e-3, law(0.3, 0.0, 0.0), 3);
            // Nothing can converge where there is no solution; the limit keeps that short.
            world.settings.solver.max_sweeps = 500;
            world.settings.on_unconverged = Unconverged::Continue;
            let clearance = 2.5 * speed * world.settings.time_step;
            piston(&mut world, top + clearance, 1.0, freedom);
            (0..40).map(|_| run(&mut world, 1).jammed_compression).collect::<Vec<_>>()
        };
        let imposed = warned(Freedom::Velocity(TimeFunction::Constant(-speed)));
        // Not before the piston touches, and in every step once the grains have no room to yield.
        assert!(!imposed[0] && imposed[20..].iter().all(|&warned| warned), "{scheme:?}: {imposed:?}");
        let pressed = Freedom::Pressure { pressure: TimeFunction::Constant(-250.0), area: LoadedArea::Constant(1.0) };
        assert!(warned(pressed).iter().all(|&warned| !warned));
    }
}
