//! Control from outside: forces, changes of bodies, and contact laws that an observer brings along.

use crate::setting::*;
use riprap_engine::{BodyId, Dim, LawTable, Observer, Placement, Scheme, Stage, StepError, Vector, World};

in_both_dimensions!(
    applied_forces_accelerate_and_balance,
    a_changed_body_is_exchanged_for_itself,
    a_law_of_coulomb_from_outside_is_the_law_of_the_material,
    a_law_that_fails_leaves_the_world_as_it_was,
);

/// An observer that changes laws by a function.
struct Law<F>(F);

impl<F: FnMut(&mut LawTable) -> Result<(), String> + Send> Observer for Law<F> {
    fn begin(&mut self, _: Stage) {}
    fn changes_laws(&self) -> bool {
        true
    }
    fn change_laws(&mut self, laws: &mut LawTable) -> Result<(), String> {
        (self.0)(laws)
    }
}

fn applied_forces_accelerate_and_balance<D: Dim>() {
    let mut world = world::<D>(SCHEMES[0], 1e-3, law(0.3, 0.0, 0.0));
    gravity(&mut world, 0.0, 0.0);
    let balls = [0.0, 5.0].map(|x| ball(&mut world, 0.5, D::Vector::axis(0) * x, D::Vector::ZERO));
    world.applied = vec![Default::default(); 2];
    world.applied[balls[1]].0 = up::<D>() * 3.0;
    run(&mut world, 100);
    let mass = world.bodies[balls[1]].mass;
    near(world.state.velocity[balls[1]], up::<D>() * (0.3 / mass), 1e-12);
    near(world.state.velocity[balls[0]], D::Vector::ZERO, 0.0);
    // The force goes with its body when the one before is removed.
    world.remove(BodyId(0)).unwrap();
    run(&mut world, 100);
    near(world.velocity(BodyId(1)), up::<D>() * (0.6 / mass), 1e-12);
}

fn a_changed_body_is_exchanged_for_itself<D: Dim>() {
    let mut world = world::<D>(SCHEMES[0], 1e-3, law(0.3, 0.0, 0.0));
    gravity(&mut world, 9.81, 0.0);
    ball(&mut world, 0.5, up::<D>() * 7.0, D::Vector::ZERO);
    run(&mut world, 10);
    let (mass, velocity) = (world.bodies[0].mass, world.velocity(BodyId(0)));
    let placement = Placement { velocity: velocity * -2.0, ..Placement::at(up::<D>() * 9.0) };
    world.change_body(BodyId(0), world.bodies[0].clone(), placement).unwrap();
    let exchange = world.state.exchange;
    near(exchange.added.momentum, velocity * (-2.0 * mass), 1e-12 * mass);
    near(exchange.removed.momentum, velocity * mass, 1e-12 * mass);
    assert_eq!((exchange.added.bodies, exchange.removed.bodies), (0, 0));
    // `run` checks the balance of energy.
    run(&mut world, 10);
    assert!(world.change_body(BodyId(7), world.bodies[0].clone(), placement).is_err());
}

/// A row of balls that slide on a floor and push each other.
fn sliding<D: Dim>(scheme: Scheme, friction: f64) -> World<D> {
    let mut world = world::<D>(scheme, 1e-3, law(friction, 0.0, 0.0));
    gravity(&mut world, 9.81, 0.0);
    floor(&mut world);
    for i in 0..5 {
        let speed = D::Vector::axis(0) * (1.0 - 0.3 * f64::from(i));
        ball(&mut world, 0.5, up::<D>() * 0.5 + D::Vector::axis(0) * (1.02 * f64::from(i)), speed);
    }
    world
}

fn a_law_of_coulomb_from_outside_is_the_law_of_the_material<D: Dim>() {
    for scheme in SCHEMES {
        let (mut own, mut outside) = (sliding::<D>(scheme, 0.3), sliding::<D>(scheme, 0.0));
        let mut law = Law(|laws: &mut LawTable| {
            laws.friction.fill(0.3);
            Ok(())
        });
        for _ in 0..200 {
            own.step(&mut riprap_engine::Silent).unwrap();
            outside.step(&mut law).unwrap();
        }
        assert_eq!(own.state, outside.state);
    }
}

/// What a law from outside does to the laws of a step.
type Outcome = fn(&mut LawTable) -> Result<(), String>;

fn a_law_that_fails_leaves_the_world_as_it_was<D: Dim>() {
    for scheme in SCHEMES {
        let mut world = sliding::<D>(scheme, 0.3);
        run(&mut world, 20);
        let before = world.state.clone();
        let outcomes: [Outcome; 3] = [
            |_| Err("on purpose".into()),
            |laws| {
                laws.friction.fill(-1.0);
                Ok(())
            },
            |laws| {
                laws.shift.clear();
                Ok(())
            },
        ];
        for outcome in outcomes {
            assert!(matches!(world.step(&mut Law(outcome)), Err(StepError::Law { step: 21, .. })));
            assert_eq!(world.state, before);
        }
        run(&mut world, 20);
    }
}
