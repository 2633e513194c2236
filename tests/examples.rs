//! The examples for users, run: each does what it says.

#[path = "../examples/contact_problem.rs"]
mod contact_problem;
#[path = "../examples/drop_ball.rs"]
mod drop_ball;
#[path = "../examples/observer.rs"]
mod observer;
#[path = "../examples/own_force.rs"]
mod own_force;
#[path = "../examples/scene.rs"]
mod scene;

use std::path::Path;

#[test]
fn a_dropped_ball_bounces_and_lies_on_the_floor() {
    let (world, ball) = drop_ball::dropped().unwrap();
    assert!((world.position(ball).z - 0.01).abs() < 1e-6, "{}", world.position(ball));
    assert!(world.velocity(ball).length() < 1e-6, "{}", world.velocity(ball));
    drop_ball::main().unwrap();
}

#[test]
fn balls_sink_at_the_speed_of_stokes() {
    let radii = [1e-3, 3e-3];
    for (radius, speed) in radii.iter().zip(own_force::sinking(&radii).unwrap()) {
        assert!((speed / own_force::terminal(*radius) - 1.0).abs() < 1e-6, "{speed}");
    }
    own_force::main().unwrap();
}

#[test]
fn a_heap_with_less_friction_is_flatter() {
    let [smooth, rough] = [0.1, 0.5].map(|friction| scene::foot(friction).unwrap());
    assert!(smooth > 1.2 * rough && rough > 0.01, "{smooth} {rough}");
    scene::main().unwrap();
}

#[test]
fn an_observer_sees_stages_and_contact_problems() {
    let watch = observer::watched("collapse", 20).unwrap();
    assert!(watch.times.len() >= 8 && watch.most_contacts > 10, "{} {}", watch.times.len(), watch.most_contacts);
    assert!(observer::watched("no such template", 1).is_err());
    observer::main().unwrap();
}

#[test]
fn a_ball_in_a_groove_is_held_by_two_equal_impulses() {
    let solution = contact_problem::solve(&contact_problem::groove(0.0).unwrap()).unwrap();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for contact in solution.impulse.chunks(2) {
        assert!((contact[0] - half).abs() < 1e-9 && contact[1].abs() < 1e-9, "{contact:?}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/global/Box_Stacks-i0122-82-5.hdf5");
    let problem = contact_problem::from_file(&file).unwrap();
    assert!(contact_problem::solve(&problem).unwrap().converged);
    contact_problem::main().unwrap();
}
