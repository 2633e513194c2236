//! Angular bodies: impacts with a closed form, free flight, grains that settle, and the same bits every time.

use crate::packing::Dice;
use crate::reproducible::bits;
use crate::setting::*;
use glam::{DQuat, DVec3};
use riprap_engine::{Body, Criterion, D2, D3, Dim, GapVariant, Mesh, Placement, Scheme, Shape, Silent, Vector, World};
use std::sync::Arc;

in_both_dimensions!(angular_grains_settle_and_come_to_rest);

/// Corners of a box about the origin, turned.
fn turned_box(half: DVec3, turn: DQuat) -> Vec<DVec3> {
    let corner = |i: i32, bit: i32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
    (0..8).map(|i| turn * (half * DVec3::new(corner(i, 0), corner(i, 1), corner(i, 2)))).collect()
}

/// Two boxes that touch at one point and hit each other without friction: with `1/m_n = Σ 1/m + (l×n)·I⁻¹(l×n)` the
/// impulse is `−(1+e) u_n m_n`.
fn check_impact(first: Vec<DVec3>, second: Vec<DVec3>, n: DVec3, at: DVec3) {
    let mut dice = Dice::new(3);
    for restitution in [0.0, 0.6, 1.0] {
        let mut world = world::<D3>(MIDPOINT, 1e-9, law(0.0, restitution, 0.0));
        let bodies = [solid(&mut world, &first, 2.0), solid(&mut world, &second, 3.0)];
        let mut velocity = [DVec3::ZERO; 2];
        let mut spin = [DVec3::ZERO; 2];
        for (i, &body) in bodies.iter().enumerate() {
            (velocity[i], spin[i]) = (dice.vector(), dice.vector());
            velocity[i] += n * if i == 0 { 3.0 } else { -3.0 };
            (world.state.velocity[body], world.state.spin[body]) = (velocity[i], spin[i]);
        }
        let mut inverse = 0.0;
        let mut u_n = 0.0;
        let arms = bodies.map(|body| at - world.state.position[body]);
        let turning = bodies.map(|body| {
            let q = world.state.orientation[body];
            let arm = at - world.state.position[body];
            q * ((q.conjugate() * arm.cross(n)) / world.bodies[body].inertia)
        });
        for i in 0..2 {
            let sign = if i == 0 { -1.0 } else { 1.0 };
            inverse += 1.0 / world.bodies[bodies[i]].mass + turning[i].cross(arms[i]).dot(n);
            u_n += sign * n.dot(velocity[i] + spin[i].cross(arms[i]));
        }
        let impulse = -(1.0 + restitution) * u_n / inverse;
        step(&mut world);
        assert_eq!(world.state.contacts.len(), 1);
        near(world.state.contacts[0].impulse, n * impulse, 1e-6 * impulse);
        for i in 0..2 {
            let sign = if i == 0 { -1.0 } else { 1.0 };
            let gained = n * (sign * impulse / world.bodies[bodies[i]].mass);
            near(world.state.velocity[bodies[i]], velocity[i] + gained, 1e-6);
            near(world.state.spin[bodies[i]], spin[i] + turning[i] * (sign * impulse), 1e-6);
        }
    }
}

#[test]
fn two_edges_collide_as_two_bodies_at_a_point_do() {
    // Along x below and along (0.6, 0.8) above, each box standing on edge.
    let eighth = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let below = turned_box(DVec3::new(0.7, 0.5, 0.5), eighth);
    let above = turned_box(DVec3::new(0.8, 0.4, 0.4), DQuat::from_rotation_z(0.8_f64.atan2(0.6)) * eighth);
    let lift = DVec3::new(0.1, 0.05, (0.5 + 0.4) * 2.0_f64.sqrt() - 1e-10);
    let above = above.into_iter().map(|corner| corner + lift).collect();
    // The upper edge passes over y = 0 where 0.05 + 0.8 s = 0.
    let at = DVec3::new(0.1 - 0.6 * 0.05 / 0.8, 0.0, 0.5 * 2.0_f64.sqrt());
    check_impact(below, above, DVec3::Z, at);
}

#[test]
fn a_corner_collides_with_a_face_as_two_bodies_at_a_point_do() {
    let below = turned_box(DVec3::new(0.7, 0.9, 0.5), DQuat::IDENTITY);
    let corner = DQuat::from_rotation_arc(DVec3::new(0.3, 0.4, 0.5).normalize(), -DVec3::Z);
    let above = turned_box(DVec3::new(0.3, 0.4, 0.5), corner);
    let lift = DVec3::new(0.2, -0.3, 0.5 + 0.5_f64.sqrt() - 1e-10);
    let above = above.into_iter().map(|corner| corner + lift).collect();
    check_impact(below, above, DVec3::Z, DVec3::new(0.2, -0.3, 0.5));
}

#[test]
fn a_free_body_keeps_its_angular_momentum_and_energy_in_whole_steps() {
    for scheme in SCHEMES {
        let mut world = world::<D3>(scheme, 0.01, law(0.0, 0.0, 0.0));
        let brick = solid(&mut world, &turned_box(DVec3::new(0.1, 0.2, 0.35), DQuat::from_rotation_y(0.7)), 1000.0);
        world.state.spin[brick] = DVec3::new(0.5, 11.0, 0.3);
        let momentum = world.angular_momentum(brick, world.state.spin[brick]);
        let energy = world.kinetic_energy();
        run(&mut world, 20_000);
        near(world.angular_momentum(brick, world.state.spin[brick]), momentum, 1e-12 * momentum.length());
        close(world.kinetic_energy(), energy, 1e-12 * energy);
    }
}

/// A convex grain of up to `corners` corners on a ball.
fn grain<D: Dim>(dice: &mut Dice, radius: f64, corners: u32) -> Vec<D::Vector> {
    loop {
        let points: Vec<D::Vector> =
            (0..corners).filter_map(|_| dice.vector::<D::Vector>().normalized()).map(|point| point * radius).collect();
        // No splinters.
        if riprap_engine::Convex::<D>::hull(&points)
            .is_ok_and(|hull| hull.convex.faces.iter().all(|face| face.offset > 0.3 * radius))
        {
            return points;
        }
    }
}

/// Random grains above each other in a box.
fn heap<D: Dim>(scheme: Scheme, side: u32, layers: u32) -> World<D> {
    let mut dice = Dice::new(11);
    let (radius, cell, dt) = (0.01, 0.0202, 5e-4);
    let mut world = world::<D>(scheme, dt, law(0.5, 0.0, 0.0));
    gravity(&mut world, 9.81, 0.0);
    floor(&mut world);
    for axis in 0..D::AXES - 1 {
        plane(&mut world, D::Vector::axis(axis), D::Vector::ZERO);
        plane(&mut world, -D::Vector::axis(axis), D::Vector::axis(axis) * (cell * f64::from(side)));
    }
    let flat = u32::pow(side, D::AXES as u32 - 1);
    for i in 0..flat * layers {
        let corners = grain::<D>(&mut dice, radius, if D::AXES == 2 { 7 } else { 14 });
        let place = D::Vector::from_fn(|axis| {
            let row = i / u32::pow(side, axis as u32);
            cell * (0.5 + f64::from(if axis + 1 < D::AXES { row % side } else { row }))
        });
        let corners: Vec<D::Vector> = corners.into_iter().map(|corner| corner + place).collect();
        let body = solid(&mut world, &corners, 2500.0);
        world.state.velocity[body] = dice.vector::<D::Vector>() * 0.1;
    }
    world.settings.solver.criterion = Criterion::default();
    world
}

fn angular_grains_settle_and_come_to_rest<D: Dim>() {
    if D::AXES == 2 { settle::<D>(6, 6, 500) } else { settle::<D>(3, 3, 500) }
}

#[test]
fn five_hundred_polygons_settle() {
    settle::<D2>(20, 25, 1000);
}

/// `cargo test --release -p riprap-engine --test physics -- --ignored two_thousand`; benches/README.md has the numbers.
#[test]
#[ignore = "takes minutes"]
fn two_thousand_polyhedra_settle() {
    settle::<D3>(10, 20, 800);
}

/// Lets a heap fall, with what a scene of angular grains chooses by itself, and then solves sharply: that criterion lets
/// bodies at rest tremble by some thousandths of `g δt`, and here rest itself is the question. The heap must end at rest, with
/// overlaps below 1e-4 of the grains.
fn settle<D: Dim>(side: u32, layers: u32, fall: usize) {
    let mut world = heap::<D>(Scheme::Euler { gap: GapVariant::Relax }, side, layers);
    world.settings.time_step = 1e-3;
    world.settings.solver.criterion = Criterion::Motion { velocity: 8e-4, residual: 2e-5 };
    let steps = fall + 300;
    let count = world.free_bodies().count() as f64;
    let mass: f64 = world.free_bodies().map(|body| world.bodies[body].mass).sum();
    let mut report = step(&mut world);
    let (mut fastest, mut deepest, mut sweeps) = (0.0, 0.0, 0);
    for i in 0..steps {
        if i == fall {
            world.settings.solver.criterion = Criterion::Residual { tolerance: 1e-6 };
        }
        report = world.step(&mut Silent).unwrap();
        assert!(report.momentum_error <= ROUNDING);
        sweeps += report.sweeps;
        if i >= steps - 50 {
            fastest = f64::max(fastest, (2.0 * report.energy.kinetic / mass).sqrt());
            deepest = f64::max(deepest, report.max_overlap);
        }
    }
    println!(
        "{count} grains: {fastest:e} m/s, overlap {deepest:e} m, {} contacts, {} sweeps a step",
        report.contacts,
        sweeps as usize / steps
    );
    assert!(fastest < 1e-5, "moves at {fastest:e} m/s");
    assert!(deepest < 1e-4 * 0.02, "overlaps of {deepest:e} m");
    assert!(report.contacts as f64 > count);
}

/// A block slides over a floor of triangles as over a plane.
#[test]
fn a_block_slides_over_a_mesh_as_over_a_plane() {
    for scheme in SCHEMES {
        let (friction, speed, dt) = (0.3, 2.0, 1e-3);
        let mut world = world::<D3>(scheme, dt, law(friction, 0.0, 0.0));
        gravity(&mut world, 9.81, 0.0);
        let n = 8;
        let corner = |i: usize, j: usize| DVec3::new(0.13 * i as f64 - 0.2, 0.11 * j as f64 - 0.4, 0.0);
        let corners: Vec<DVec3> = (0..=n).flat_map(|i| (0..=n).map(move |j| corner(i, j))).collect();
        let mut faces = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let at = |di: usize, dj: usize| (i + di) * (n + 1) + j + dj;
                faces.extend([[at(0, 0), at(1, 0), at(1, 1)], [at(0, 0), at(1, 1), at(0, 1)]]);
            }
        }
        let mesh = Shape::Mesh(Arc::new(Mesh::<D3>::new(&corners, &faces).unwrap()));
        world.add(Body::wall("mesh", mesh), Placement::default());
        let half = [0.06, 0.05, 0.03];
        let block = solid(&mut world, &cuboid::<D3>(DVec3::Z * half[2], half, 0.0), 2500.0);
        world.state.velocity[block] = DVec3::X * speed;
        let steps = 250;
        for _ in 0..steps {
            step(&mut world);
        }
        let time = dt * f64::from(steps);
        near(world.state.velocity[block], DVec3::X * (speed - friction * 9.81 * time), 1e-6);
        close(world.state.position[block].z, half[2], 1e-8);
    }
}

#[test]
fn polyhedra_have_the_same_bits_on_any_number_of_threads_and_after_a_resume() {
    for scheme in SCHEMES {
        let fall = |threads: usize, resumed: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = heap::<D3>(scheme, 5, 5);
                for step in 0..90 {
                    if resumed && step % 13 == 7 {
                        let state = world.state.clone();
                        world = heap::<D3>(scheme, 5, 5);
                        world.restore(state).unwrap();
                    }
                    world.step(&mut Silent).unwrap();
                }
                assert!(world.state.contacts.len() > 60, "{} contacts", world.state.contacts.len());
                bits(&world.state)
            })
        };
        let one = fall(1, false);
        assert!(fall(3, false) == one, "three threads");
        assert!(fall(2, true) == one, "two threads, resumed");
    }
}

/// Fast bodies of any shape are stopped by the gap law, or named as too fast.
#[test]
fn an_angular_grain_too_fast_for_a_wall_is_an_error() {
    for thin in [false, true] {
        let mut world = world::<D2>(MIDPOINT, 0.1, law(0.0, 0.0, 0.0));
        if thin {
            let shape = Shape::Plate { half_edges: [glam::DVec2::X, glam::DVec2::ZERO] };
            world.add(Body::wall("plate", shape), Placement::default());
        } else {
            floor(&mut world);
        }
        let body = solid(&mut world, &cuboid::<D2>(glam::DVec2::Y * 2.0, [0.1; 3], 0.3), 1.0);
        world.state.velocity[body] = glam::DVec2::Y * -35.0;
        assert!(matches!(world.step(&mut Silent), Err(riprap_engine::StepError::Tunnel { .. })));
    }
}
