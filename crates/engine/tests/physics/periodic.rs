//! Periodic directions: nothing happens at the border.

use crate::setting::*;
use riprap_engine::{Cell, Dim, Scheme, Vector, World};

in_both_dimensions!(
    a_ball_that_has_gone_round_collides_as_at_the_start,
    balls_that_meet_through_the_border_collide_as_anywhere_else,
    momentum_is_conserved_in_a_periodic_gas,
    a_row_that_closes_on_itself_through_the_border_carries_a_force_all_round,
);

/// All axes periodic, with this period.
fn periodic<D: Dim>(scheme: Scheme, period: f64, dt: f64, restitution: f64) -> World<D> {
    let mut world = world::<D>(scheme, dt, law(0.3, restitution, 0.0));
    world.state.cell = Cell::new(D::Vector::ZERO, D::Vector::from_fn(|_| period));
    world
}

fn a_ball_that_has_gone_round_collides_as_at_the_start<D: Dim>() {
    let (period, radius, v) = (1.0, 0.05, 1.7);
    for scheme in SCHEMES {
        let mut world = periodic::<D>(scheme, period, 1e-3, 1.0);
        // The second ball stands just behind the first: the first has to go all the way round.
        let x = D::Vector::axis(0);
        let first = ball(&mut world, radius, x * 0.5, x * v);
        let second = ball(&mut world, radius, x * 0.35, D::Vector::ZERO);
        let way = period - 0.15 - 2.0 * radius;
        run(&mut world, (way / v / 1e-3) as usize - 2);
        near(world.state.velocity[first], x * v, 0.0);
        run(&mut world, 10);
        // Equal masses at e = 1 exchange their velocities.
        near(world.state.velocity[first], D::Vector::ZERO, 1e-12);
        near(world.state.velocity[second], x * v, 1e-12);
        // Positions are unwrapped: the first has crossed the border. A contact is up to a step late or early.
        close(world.state.position[first].get(0), 0.5 + way, v * 1e-3);
    }
}

fn balls_that_meet_through_the_border_collide_as_anywhere_else<D: Dim>() {
    let (period, r1, r2) = (1.0, 0.06, 0.09);
    for scheme in SCHEMES {
        let collide = |shift: D::Vector| {
            let mut world = periodic::<D>(scheme, period, 1e-3, 0.6);
            let x = D::Vector::axis(0);
            // Off centre, so that friction and spin take part.
            let above = D::Vector::axis(1) * 0.05;
            let first = ball(&mut world, r1, shift - x * 0.1, x * 0.8);
            let second = ball(&mut world, r2, shift + x * 0.1 + above, x * -0.5 + above * 2.0);
            run(&mut world, 120);
            let (p, s) = (momentum(&world), &world.state);
            let m = [first, second].map(|body| world.bodies[body].mass);
            near(p, x * (0.8 * m[0] - 0.5 * m[1]) + above * (2.0 * m[1]), 1e-14);
            assert!(s.velocity[first].get(0) < 0.0, "they have met");
            (s.position[first] - shift, s.position[second] - shift, s.velocity[second], s.spin[first])
        };
        let middle = collide(D::Vector::from_fn(|_| 0.5));
        // At a face, at an edge or corner, and with one ball written down a few periods away.
        for place in [[1.0, 0.5, 0.5], [0.0, 1.0, 0.0], [1.02, -0.01, 0.99], [7.0, -3.0, 2.0]] {
            let border = collide(D::Vector::from_array3(place));
            // Rounding of positions of order 10 is amplified by the impact at most by 1/radius.
            near(border.0, middle.0, 1e-12);
            near(border.1, middle.1, 1e-12);
            near(border.2, middle.2, 1e-12);
            near(border.3, middle.3, 1e-10);
        }
    }
}

fn momentum_is_conserved_in_a_periodic_gas<D: Dim>() {
    let mut dice = crate::packing::Dice::new(3);
    for scheme in SCHEMES {
        let mut world = periodic::<D>(scheme, 1.0, 2e-3, 0.9);
        let side = if D::AXES == 2 { 5u32 } else { 3 };
        for i in 0..side.pow(D::AXES as u32) {
            let place = D::Vector::from_fn(|axis| f64::from(i / side.pow(axis as u32) % side) / f64::from(side));
            ball(&mut world, 0.07 + 0.02 * dice.throw(), place, dice.vector());
        }
        let start = momentum(&world);
        let mut impacts = 0;
        for _ in 0..1000 {
            impacts += step(&mut world).contacts;
        }
        assert!(impacts > 50, "only {impacts} impacts");
        near(momentum(&world), start, 1e-13);
    }
}

fn a_row_that_closes_on_itself_through_the_border_carries_a_force_all_round<D: Dim>() {
    // Two balls fill the period: pushed together, they touch on both sides and cannot move.
    for scheme in SCHEMES {
        let mut world = periodic::<D>(scheme, 1.0, 1e-3, 0.0);
        world.state.cell.period = D::Vector::axis(0);
        let x = D::Vector::axis(0);
        let first = ball(&mut world, 0.2, x * 0.2, x);
        let second = ball(&mut world, 0.3, x * 0.7, -x);
        let report = step(&mut world);
        // Halfway through the step the side that opens is open.
        assert_eq!(report.candidates, if scheme == EULER { 2 } else { 1 });
        // They approach at one side and part at the other, and stop at the first: the common velocity.
        let m = [first, second].map(|body| world.bodies[body].mass);
        for body in [first, second] {
            near(world.state.velocity[body], x * ((m[0] - m[1]) / (m[0] + m[1])), 1e-12);
        }
    }
}
