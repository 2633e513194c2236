//! Keys that no starter scene uses: each does what the reference says.

use crate::built;
use riprap_engine::{AnyWorld, Criterion, Method, Soft};

const TWO_DISKS: &str = r#"
dimension = 2
domain = { gravity = 0 }
[materials.glass]
density = 2000
friction = 0.4
normal_restitution = 0.5
[[grains]]
sample = "list"
radius = 0.05
positions = [[0, 0], [0.2, 0]]
group = "pair"
[[stages]]
name = "run"
end = { time = 1 }
"#;

/// The molecular dynamics of two disks with some lines in `[md]`.
fn soft(lines: &str) -> Soft {
    let (_, _, world) = built("md.toml", &format!("method = \"md\"\n{TWO_DISKS}[md]\nstiffness = 1e4\n{lines}"));
    let AnyWorld::D2(world) = world else { panic!("disks") };
    let Method::MolecularDynamics(soft) = world.method else { panic!("molecular dynamics") };
    soft
}

#[test]
fn tangential_stiffness_is_a_part_of_the_normal_one() {
    assert_eq!(soft("tangential_stiffness = 0.25").tangential_ratio, Some(0.25));
    assert_eq!(soft("").tangential_ratio, Some(1.0 / 3.0));
}

#[test]
fn a_collision_takes_as_many_steps_as_the_scene_says() {
    let (coarse, fine) = (soft("steps_per_collision = 20"), soft("steps_per_collision = 40"));
    assert!((coarse.longest_step / fine.longest_step - 2.0).abs() < 0.05, "{coarse:?} {fine:?}");
    assert!((coarse.longest_step / soft("").longest_step - 1.0).abs() > 0.05, "the default is another number");
}

#[test]
fn springs_and_membranes_have_the_rest_length_of_the_scene() {
    let spring = "[[springs]]\ngrains = [0, 1]\nstiffness = 100\n";
    let membrane = "[[membranes]]\ngroup = \"pair\"\ntowards = [0, 1]\npressure = 10\nstiffness = 100\n";
    for tie in [spring, membrane] {
        for (line, expected) in [("rest_length = 0.15\n", 0.15), ("", 0.1)] {
            let (scene, _, mut world) = built("tied.toml", &format!("{TWO_DISKS}{tie}{line}"));
            scene.enter_stage(0, &mut world, None);
            let AnyWorld::D2(world) = world else { panic!("disks") };
            assert_eq!(world.springs.len(), 1);
            assert!((world.springs[0].rest - expected).abs() < 1e-15, "{tie}{line}");
        }
    }
}

#[test]
fn a_solve_may_end_when_the_mean_force_rests() {
    let text = format!("{TWO_DISKS}[solver]\ncriterion = {{ mean_force = 1e-5 }}\n");
    let (scene, _, mut world) = built("mean-force.toml", &text);
    scene.enter_stage(0, &mut world, None);
    let AnyWorld::D2(world) = world else { panic!("disks") };
    assert_eq!(world.settings.solver.criterion, Criterion::MeanForce { epsilon: 1e-5 });
}

#[test]
fn sizes_follow_a_power_law() {
    let text = r#"
dimension = 2
[materials.glass]
density = 2000
friction = 0.4
[[grains]]
sample = "random"
count = 2000
radius = { power_law = { exponent = 3, min = "1 mm", max = "2 mm" } }
region = { box = { lower = [0, 0], upper = [1, 1] } }
[[stages]]
name = "run"
end = { time = 1 }
"#;
    let (_, grains, _) = built("power-law.toml", text);
    assert!(grains.radius.iter().all(|radius| (0.001..=0.002).contains(radius)));
    // With a density of r⁻³, (1 − (min/r)²)/(1 − (min/max)²) of the grains are smaller than r.
    for radius in [1.1e-3, 1.3e-3, 1.6e-3_f64] {
        let expected = (1.0 - (1e-3 / radius).powi(2)) / 0.75;
        let smaller = grains.radius.iter().filter(|&&r| r < radius).count() as f64 / 2000.0;
        assert!((smaller - expected).abs() < 0.05, "{smaller} of the grains below {radius}, expected {expected}");
    }
}
