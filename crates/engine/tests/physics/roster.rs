//! Bodies that are added and removed between steps: what stays, what goes with them, and what they bring and take.

use crate::packing::{Dice, deposit};
use crate::setting::*;
use riprap_engine::{
    Body, BodyError, BodyId, BodyUser, BondLaw, Bridges, CellDriver, D2, D3, Dim, Freedom, Freedoms, Liquid,
    LoadedArea, Membrane, Method, Motion, Placement, Scheme, Shape, Silent, Soft, Span, Spring, TimeFunction, Vector,
    World,
};

in_both_dimensions!(
    what_lay_on_a_removed_ball_falls_freely_and_the_floor_carries_the_rest,
    a_ball_added_in_mid_air_falls_as_one_that_was_there_from_the_start,
    a_stranger_that_leaves_does_not_change_the_others,
    ids_stay_and_are_never_used_again,
    the_exchange_has_the_closed_form_and_the_energy_balance_holds,
    momentum_and_angular_momentum_are_those_at_the_start_and_what_was_exchanged,
    bonds_of_a_removed_grain_go_and_the_others_stay,
    a_spring_follows_its_bodies_when_a_body_before_them_is_removed,
    a_soft_contact_takes_its_elastic_energy_along,
    a_body_that_the_model_refers_to_is_not_removed,
    a_changing_packing_has_the_same_bits_on_any_threads_and_after_a_copy,
    a_state_with_bodies_that_a_world_does_not_have_is_refused,
);

const G: f64 = 9.81;

fn id_of<D: Dim>(world: &World<D>, index: usize) -> BodyId {
    world.state.id[index]
}

/// A floor and a column of three touching balls of radius 1/2 at rest; their indices.
fn column<D: Dim>(scheme: Scheme) -> (World<D>, usize, [usize; 3]) {
    let mut world = world::<D>(scheme, 1e-3, law(0.3, 0.0, 0.0));
    gravity(&mut world, G, 0.0);
    let floor = floor(&mut world);
    let balls = [0.5, 1.5, 2.5].map(|height| ball(&mut world, 0.5, up::<D>() * height, D::Vector::ZERO));
    run(&mut world, 5);
    (world, floor, balls)
}

fn what_lay_on_a_removed_ball_falls_freely_and_the_floor_carries_the_rest<D: Dim>() {
    for scheme in SCHEMES {
        let (mut world, floor, balls) = column::<D>(scheme);
        let mass = world.bodies[balls[0]].mass;
        let carried = |world: &World<D>| -world.wall_loads()[floor].force.dot(up::<D>());
        close(carried(&world), 3.0 * mass * G, 1e-9 * mass);
        let [_, middle, top] = balls.map(|index| id_of(&world, index));
        let (_, placement) = world.remove(middle).unwrap();
        near(placement.position, up::<D>() * 1.5, 1e-9);
        run(&mut world, 50);
        // Free fall from rest, which velocities follow exactly, while the ball below stays.
        near(world.velocity(top), up::<D>() * (-G * 50.0 * 1e-3), 1e-9);
        close(carried(&world), mass * G, 1e-9 * mass);
        // It comes to rest on the ball below.
        run(&mut world, 1000);
        close(world.position(top).dot(up::<D>()), 1.5, 1e-2);
        close(carried(&world), 2.0 * mass * G, 1e-6 * mass);
    }
}

fn a_ball_added_in_mid_air_falls_as_one_that_was_there_from_the_start<D: Dim>() {
    for scheme in SCHEMES {
        let (mut world, ..) = column::<D>(scheme);
        let (height, speed) = (up::<D>() * 5.0, along::<D>() * 0.3);
        let ball = world.add(Body::ball(0.2, 1.0), Placement { velocity: speed, ..Placement::at(height) });
        run(&mut world, 100);
        near(world.velocity(ball), speed - up::<D>() * (G * 0.1), 1e-12);
        // The midpoint scheme is exact, Euler's method falls half a step too far in each step.
        let late = if scheme == MIDPOINT { 0.0 } else { 0.5 * 1e-3 * 0.1 };
        let fallen = up::<D>() * (G * (0.5 * 0.1 * 0.1 + late));
        near(world.position(ball), height + speed * 0.1 - fallen, 1e-12);
    }
}

fn a_stranger_that_leaves_does_not_change_the_others<D: Dim>() {
    for scheme in SCHEMES {
        let pair = |with_stranger: bool| {
            let mut world = world::<D>(scheme, 1e-2, law(0.4, 0.7, 0.0));
            if with_stranger {
                ball(&mut world, 0.3, up::<D>() * 40.0, along::<D>());
            }
            let hit = along::<D>() * 1.3 + up::<D>() * 0.4;
            ball(&mut world, 0.5, D::Vector::ZERO, D::Vector::ZERO);
            ball(&mut world, 0.5, hit, -along::<D>());
            run(&mut world, 20);
            if with_stranger {
                world.remove(BodyId(0)).unwrap();
            }
            run(&mut world, 80);
            world.state
        };
        let (alone, left) = (pair(false), pair(true));
        for body in 0..2 {
            near(left.position[body], alone.position[body], 1e-12);
            near(left.velocity[body], alone.velocity[body], 1e-12);
            assert!((left.spin[body] - alone.spin[body]).length() < 1e-12);
        }
    }
}

fn ids_stay_and_are_never_used_again<D: Dim>() {
    let mut world = world::<D>(EULER, 1e-3, law(0.3, 0.0, 0.0));
    let at = |i: f64| Placement::at(up::<D>() * i);
    let ids = [0.0, 2.0, 4.0, 6.0].map(|i| world.add(Body::ball(0.5, 1.0), at(i)));
    run(&mut world, 2);
    world.remove(ids[1]).unwrap();
    world.remove(ids[3]).unwrap();
    assert_eq!(world.remove(ids[1]).unwrap_err(), BodyError::Unknown(ids[1]));
    let new = world.add(Body::ball(0.5, 1.0), at(8.0));
    assert!(!ids.contains(&new));
    run(&mut world, 2);
    assert_eq!(world.state.id, [ids[0], ids[2], new]);
    assert_eq!(ids.map(|id| world.index_of(id)), [Some(0), None, Some(1), None]);
    close(world.position(ids[2]).dot(up::<D>()), 4.0, 1e-12);
    close(world.position(new).dot(up::<D>()), 8.0, 1e-12);
}

fn the_exchange_has_the_closed_form_and_the_energy_balance_holds<D: Dim>() {
    for scheme in SCHEMES {
        let (mut world, ..) = column::<D>(scheme);
        let energy = world.state.energy;
        let (position, velocity) = (up::<D>() * 4.0 + along::<D>(), along::<D>() * 2.0 - up::<D>());
        let spin = rolling::<D>(along::<D>()) * 3.0;
        let placement = Placement { position, velocity, spin, ..Placement::default() };
        let body = Body::<D>::ball(0.4, 2.0);
        let (mass, inertia) = (body.mass, body.inertia.get(0));
        let ball = world.add(body, placement);
        let kinetic = 0.5 * (mass * velocity.dot(velocity) + inertia * 9.0);
        let added = world.state.exchange.added;
        assert_eq!(added.bodies, 1);
        close(added.mass, mass, 1e-15);
        near(added.momentum, velocity * mass, 1e-14);
        let angular = D::wedge(position, velocity) * mass + spin * inertia;
        assert!((added.angular_momentum - angular).length() < 1e-14);
        close(added.kinetic, kinetic, 1e-13);
        close(added.potential, mass * G * 4.0, 1e-13);
        close(world.state.energy.exchanged, kinetic + mass * G * 4.0, 1e-12);
        // Every step of a run is checked to balance; here it is the books between two steps.
        close(world.state.energy.error(), energy.error(), ROUNDING * energy.scale());
        run(&mut world, 200);
        let energy = world.state.energy;
        world.remove(ball).unwrap();
        close(world.state.energy.error(), energy.error(), ROUNDING * energy.scale());
        let report = run(&mut world, 100);
        let exchange = world.state.exchange;
        let net =
            exchange.added.kinetic + exchange.added.potential - (exchange.removed.kinetic + exchange.removed.potential);
        close(report.energy.exchanged, net, ROUNDING * report.energy.scale());
        // Nothing of it was taken for work.
        close(report.energy.loads, 0.0, ROUNDING * report.energy.scale());
        close(report.energy.drivers, 0.0, ROUNDING * report.energy.scale());
        assert_eq!(exchange.removed.bodies, 1);
    }
}

/// Total angular momentum of the free bodies about the origin.
fn angular_momentum<D: Dim>(world: &World<D>) -> D::Spin {
    world.free_bodies().fold(D::Spin::ZERO, |sum, body| {
        let momentum = world.state.velocity[body] * world.bodies[body].mass;
        sum + D::wedge(world.state.position[body], momentum) + world.angular_momentum(body, world.state.spin[body])
    })
}

fn momentum_and_angular_momentum_are_those_at_the_start_and_what_was_exchanged<D: Dim>() {
    // A gas of frictionless balls, in which central impulses keep both sums exactly.
    let mut dice = Dice::new(3);
    let mut world = world::<D>(MIDPOINT, 1e-3, law(0.0, 0.9, 0.0));
    let scatter = |world: &mut World<D>, dice: &mut Dice, from: u32, to: u32| {
        for i in from..to {
            let cell = D::Vector::from_fn(|axis| f64::from(i / 4_u32.pow(axis as u32) % 4));
            ball(world, 0.3, cell + dice.vector::<D::Vector>() * 0.15, dice.vector::<D::Vector>() * 3.0);
        }
    };
    let count = 4_u32.pow(D::AXES as u32);
    scatter(&mut world, &mut dice, 0, count / 2);
    let (momentum_before, angular_before) = (momentum(&world), angular_momentum(&world));
    run(&mut world, 50);
    // What comes in may overlap what is there: then it is left out.
    for i in count / 2..count {
        scatter(&mut world, &mut dice, i, i + 1);
        if !world.overlaps(0.0).is_empty() {
            world.remove(BodyId(world.state.next_id - 1)).unwrap();
        }
    }
    run(&mut world, 50);
    for id in [1, 3, 4] {
        world.remove(BodyId(id)).unwrap();
    }
    run(&mut world, 100);
    let exchange = world.state.exchange;
    assert!(exchange.added.bodies > exchange.removed.bodies && exchange.removed.bodies >= 3);
    let scale = world.free_bodies().map(|body| world.bodies[body].mass * 5.0).sum::<f64>();
    near(momentum(&world), momentum_before + exchange.added.momentum - exchange.removed.momentum, ROUNDING * scale);
    let angular = angular_before + exchange.added.angular_momentum - exchange.removed.angular_momentum;
    assert!((angular_momentum(&world) - angular).length() < 4.0 * ROUNDING * scale);
}

fn bonds_of_a_removed_grain_go_and_the_others_stay<D: Dim>() {
    let (mut world, _, [bottom, middle, top]) = column::<D>(EULER);
    let above = ball(&mut world, 0.5, up::<D>() * 3.5, D::Vector::ZERO);
    let strength = BondLaw { tensile_strength: 1e3, shear_strength: 1e3, ..BondLaw::default() };
    let pairs = [[bottom, middle], [middle, top], [top, above]].map(|pair| pair.map(|body| body as u32));
    world.glue(strength, &pairs).unwrap();
    run(&mut world, 3);
    let ids = [top, above].map(|index| id_of(&world, index));
    world.remove(id_of(&world, middle)).unwrap();
    let bodies: Vec<_> =
        world.state.bonds.iter().map(|bond| bond.bodies.map(|body| world.state.id[body as usize])).collect();
    assert_eq!(bodies, [ids]);
    // The two that are left fall together, glued.
    run(&mut world, 30);
    near(world.velocity(ids[0]), world.velocity(ids[1]), 1e-9);
    assert_eq!(world.state.bonds.len(), 1);
}

fn a_spring_follows_its_bodies_when_a_body_before_them_is_removed<D: Dim>() {
    let pair = |with_another: bool| {
        let mut world = world::<D>(MIDPOINT, 1e-3, law(0.0, 0.0, 0.0));
        if with_another {
            ball(&mut world, 0.1, up::<D>() * 9.0, D::Vector::ZERO);
        }
        let a = ball(&mut world, 0.1, D::Vector::ZERO, D::Vector::ZERO);
        let b = ball(&mut world, 0.1, along::<D>() * 1.2, D::Vector::ZERO);
        world.springs.push(Spring { bodies: [a as u32, b as u32], stiffness: 5.0, rest: 1.0 });
        // Not `run`: the energies are so small that rounding of the positions shows in their balance.
        for step in 0..100 {
            if with_another && step == 10 {
                world.remove(BodyId(0)).unwrap();
            }
            world.step(&mut Silent).unwrap();
        }
        world
    };
    let (alone, left) = (pair(false), pair(true));
    assert_eq!(left.springs[0].bodies, [0, 1]);
    for body in 0..2 {
        near(left.state.position[body], alone.state.position[body], 1e-13);
    }
}

fn a_soft_contact_takes_its_elastic_energy_along<D: Dim>() {
    let mut world = world::<D>(EULER, 2e-3, law(0.0, 1.0, 0.0));
    let stiffness = 1e4;
    world.method = Method::MolecularDynamics(Soft::new(stiffness, 1e-5));
    // Three balls in a row, pressed together by 0.01 each.
    let places = [0.0, 0.99, 1.98].map(|x| along::<D>() * x);
    let [first, _, last] = places.map(|place| world.add(Body::ball(0.5, 1.0), Placement::at(place)));
    let before = run(&mut world, 1).energy;
    close(before.initial, 2.0 * 0.5 * stiffness * 1e-4, 1e-9);
    let velocity = world.velocity(first);
    world.remove(last).unwrap();
    let after = run(&mut world, 1).energy;
    let taken = world.state.exchange.removed.kinetic;
    // The contact with the removed ball held as much as the other one, by symmetry.
    close(after.exchanged, -(taken + 0.5 * before.elastic), 1e-6 * before.initial);
    assert!(before.elastic > 0.1 * before.initial && taken > 0.0 && velocity.length() > 0.0);
    // The error of integration is that of every other window: it has not swallowed what was taken.
    close(after.scheme - before.scheme, 0.0, 1e-3 * before.initial);
}

fn a_body_that_the_model_refers_to_is_not_removed<D: Dim>() {
    let constant = TimeFunction::Constant;
    let mut world = world::<D>(EULER, 1e-3, law(0.3, 0.0, 0.0));
    let balls: Vec<u32> =
        (0..6).map(|i| ball(&mut world, 0.1, up::<D>() * f64::from(i), D::Vector::ZERO) as u32).collect();
    let walls: Vec<u32> = (0..3).map(|i| plane(&mut world, up::<D>(), up::<D>() * -f64::from(i + 1)) as u32).collect();
    world.springs.push(Spring { bodies: [balls[0], balls[1]], stiffness: 1.0, rest: 1.0 });
    let membrane =
        Membrane { chain: vec![balls[2], balls[3]], pressure: constant(0.0), pushes_left: true, thickness: 1.0 };
    world.membranes.push(membrane);
    force(&mut world, balls[4] as usize, D::Vector::ZERO);
    let between = |other: u32| vec![Span::Between { walls: [walls[0], other], axis: D::AXES - 1 }];
    let mut freedoms = Freedoms::<D>::default();
    freedoms.translation[0] = Freedom::Pressure { pressure: constant(0.0), area: LoadedArea::Spans(between(walls[1])) };
    world.bodies[walls[0] as usize].mass = 1.0;
    world.bodies[walls[0] as usize].motion = Motion::Driven(Box::new(freedoms));
    world.cell_driver = Some(CellDriver { spans: between(walls[2]), ..CellDriver::default() });
    let users = [
        (balls[1], BodyUser::Spring),
        (balls[3], BodyUser::Membrane),
        (balls[4], BodyUser::Load),
        (walls[1], BodyUser::Pressure),
        (walls[2], BodyUser::CellDriver),
    ];
    for (body, user) in users {
        let id = id_of(&world, body as usize);
        assert_eq!(world.remove(id).unwrap_err(), BodyError::InUse { id, user });
        assert_eq!(world.bodies.len(), 9);
    }
    // The last ball is free to go, and every reference to a body after it follows.
    world.remove(id_of(&world, balls[5] as usize)).unwrap();
    let id = id_of(&world, walls[1] as usize - 1);
    assert_eq!(world.remove(id).unwrap_err(), BodyError::InUse { id, user: BodyUser::Pressure });
    world.springs.clear();
    world.remove(id_of(&world, balls[0] as usize)).unwrap();
    assert_eq!(world.membranes[0].chain, [balls[1], balls[2]]);
}

/// Adds what the run of [`changing`] adds, for a world into which its state is put.
fn newcomers<D: Dim>(world: &mut World<D>) {
    let top = world.state.position.iter().map(|place| place.dot(up::<D>())).fold(0.0, f64::max);
    for i in 0..3 {
        let across = 0.02 + 0.02 * f64::from(i);
        let place = D::Vector::from_fn(|axis| if axis + 1 == D::AXES { top + 0.03 } else { across });
        world.add(Body::ball(0.009, 2.0), Placement { velocity: up::<D>() * -0.5, ..Placement::at(place) });
    }
}

/// A run from which grains are removed and to which grains are added; its state is put into a fresh world before the given
/// step, if one is given.
fn changing<D: Dim>(start: &World<D>, threads: usize, copy_at: Option<usize>) -> World<D> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = start.clone();
        for step in 0..24 {
            if step == 4 {
                // Grains in the midst of the packing, with contacts.
                for id in [12, 20, 33] {
                    world.remove(BodyId(id)).unwrap();
                }
            }
            if step == 9 {
                newcomers(&mut world);
            }
            if copy_at == Some(step) {
                let state = world.state.clone();
                world = start.clone();
                if step >= 9 {
                    newcomers(&mut world);
                }
                world.restore(state).unwrap();
            }
            run(&mut world, 1);
        }
        world
    })
}

fn a_changing_packing_has_the_same_bits_on_any_threads_and_after_a_copy<D: Dim>() {
    let (start, _) = deposit::<D>(EULER, 60, 0.4);
    let whole = changing(&start, 1, None);
    assert_eq!(whole.state.exchange.removed.bodies, 3);
    assert_eq!(whole.state.exchange.added.bodies, 3);
    assert!(!whole.state.contacts.is_empty());
    assert_eq!(changing(&start, 2, None).state, whole.state, "two threads");
    // Copied before the changes, right after each of them, and later.
    for step in [2, 4, 6, 9, 15] {
        let resumed = changing(&start, 1, Some(step));
        assert_eq!(resumed.state, whole.state, "copied at step {step}");
        assert_eq!(resumed.bodies, whole.bodies);
    }
}

fn a_state_with_bodies_that_a_world_does_not_have_is_refused<D: Dim>() {
    let (mut world, ..) = column::<D>(EULER);
    let before = world.state.clone();
    let id = world.add(Body::ball(0.2, 1.0), Placement::at(up::<D>() * 7.0));
    let after = world.state.clone();
    let (mut other, ..) = column::<D>(EULER);
    assert_eq!(other.restore(after).unwrap_err(), BodyError::Unknown(id));
    // The other way round the body is removed.
    world.restore(before.clone()).unwrap();
    assert_eq!(world.state, before);
    assert_eq!(world.bodies.len(), 4);
}

#[test]
fn the_liquid_of_a_removed_grain_is_shared_by_the_others() {
    let mut world = world::<D3>(EULER, 1e-4, law(0.3, 0.0, 0.0));
    let volume = 1e-4;
    world.liquid = Some(Liquid { surface_tension: 0.1, contact_angle: 0.0, volume, bridges: Bridges::Shared });
    let ids = [0.0, 1.001, 2.002, 3.003].map(|x| world.add(Body::ball(0.5, 1.0), Placement::at(glam::DVec3::X * x)));
    run(&mut world, 3);
    assert_eq!(world.state.bridges.len(), 3);
    world.remove(ids[0]).unwrap();
    assert_eq!(world.state.bridges.iter().map(|bridge| bridge.bodies).collect::<Vec<_>>(), [[0, 1], [1, 2]]);
    run(&mut world, 3);
    let held: f64 = world.state.bridges.iter().map(|bridge| bridge.volume).sum();
    close(held, volume, 1e-12 * volume);
    assert_eq!(world.state.bridges.len(), 2);
}

#[test]
fn a_wall_can_be_opened_and_another_put_in() {
    // A ball rests on a shelf above a floor; the shelf is taken away, and put back under the ball lower down.
    let mut world = world::<D2>(EULER, 1e-3, law(0.3, 0.0, 0.0));
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let shelf = || Body::wall("shelf", Shape::Plane { normal: up::<D2>() });
    let first = world.add(shelf(), Placement::at(up::<D2>() * 5.0));
    let ball = world.add(Body::ball(0.5, 1.0), Placement::at(up::<D2>() * 5.5));
    run(&mut world, 10);
    world.remove(first).unwrap();
    run(&mut world, 400);
    close(world.velocity(ball).y, -G * 0.4, 1e-9);
    world.add(shelf(), Placement::at(up::<D2>() * 2.0));
    run(&mut world, 600);
    close(world.position(ball).y, 2.5, 1e-6);
    assert_eq!(world.wall("shelf"), Some(2));
}
