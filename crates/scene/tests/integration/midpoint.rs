//! The midpoint scheme at its default tolerance keeps contacts that only rounding opens.

use crate::holding::{begun, run, scene_file};
use riprap_engine::AnyWorld;

/// The position along the first axis of the body with the given index.
fn position(world: &AnyWorld, body: usize) -> f64 {
    match world {
        AnyWorld::D2(world) => world.state.position[body].x,
        AnyWorld::D3(world) => world.state.position[body].x,
    }
}

#[test]
fn a_pushed_block_slides_as_far_as_the_closed_form_says() {
    let (_, mut world) = begun(&scene_file("pushed-block.toml"), &[("solver.scheme", "midpoint")]);
    let start = position(&world, 0);
    // The closed forms of the scene; the scheme is of first order, and steps are 1 ms of the half second of sliding.
    for (time, expected) in [(2.0, 4.3486e-3), (5.0, -8.6971e-3)] {
        run(&mut world, time);
        let moved = position(&world, 0) - start;
        assert!((moved / expected - 1.0).abs() < 5e-3, "{moved} m after {time} s, expected {expected} m");
    }
}

/// Moreau's reflection (docs/method.md §3): a row of touching balls with `e = 1` leaves the ball that hit it with
/// `(2/n − 1)v`, and has `2v/n` itself, from the first step in which they touch.
#[test]
fn a_ball_shares_its_velocity_with_a_row_that_touches_but_for_rounding() {
    // Sums of radii like these are not exact in binary: neighbours are up to 3e-17 m apart.
    let scene = r#"
dimension = 2
domain.gravity = 0
[materials.steel]
density = 7800
friction = 0
normal_restitution = 1
[[grains]]
sample = "list"
positions = [[0.1, 0], [0.3, 0], [0.5, 0], [0.7, 0], [0.9, 0]]
radii = [0.1, 0.1, 0.1, 0.1, 0.1]
velocities = [["1 m/s", 0], [0, 0], [0, 0], [0, 0], [0, 0]]
[solver]
time_step = "1 ms"
scheme = "midpoint"
criterion = { residual = 1e-12 }
[[stages]]
name = "hit"
end = { steps = 5 }
"#;
    let (_, mut world) = begun(scene, &[]);
    run(&mut world, 4.5e-3);
    let AnyWorld::D2(world) = world else { panic!("disks") };
    for body in 0..5 {
        let expected = if body == 0 { 2.0 / 5.0 - 1.0 } else { 2.0 / 5.0 };
        let found = world.state.velocity[body].x;
        assert!((found - expected).abs() < 1e-9, "ball {body}: {found}, expected {expected}");
    }
}
