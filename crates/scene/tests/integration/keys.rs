//! Keys that no starter scene uses: each does what the reference says.

use crate::built;
use riprap_engine::{AnyWorld, Criterion, Freedom, Method, Motion, Percussion, Soft, SpeedCurve, Target, TorqueLimit};

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
fn percussions_count_their_time_from_the_stage() {
    let blows = "[[loads]]\ngrain = 1\nimpulse = [0, 2]\ntime = 3\n";
    let later = "[[stages]]\nname = \"later\"\nend = { time = 1 }\nloads = [{ impulse = [\"1 mN s\", 0], time = \
                 \"0.5 s\", arm = [0, \"2 mm\"] }]\n";
    let (scene, _, mut world) = built("blows.toml", &format!("{TWO_DISKS}{later}{blows}"));
    let progress = scene.enter_stage(0, &mut world, None);
    let found = |world: &AnyWorld| match world {
        AnyWorld::D2(world) => world.percussions.clone(),
        AnyWorld::D3(_) => panic!("disks"),
    };
    let first = Percussion { target: Target::Body(1), time: 3.0, impulse: [0.0, 2.0, 0.0], arm: [0.0; 3] };
    assert_eq!(found(&world), [first]);
    if let AnyWorld::D2(world) = &mut world {
        world.state.time = 1.25;
    }
    scene.enter_stage(1, &mut world, Some(&progress));
    let [_, second] = found(&world)[..] else { panic!("two percussions") };
    assert_eq!((second.target, second.impulse, second.arm), (Target::All, [1e-3, 0.0, 0.0], [0.0, 2e-3, 0.0]));
    assert_eq!(second.time, 1.75);
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

/// A block on a ground that a driver moves.
const SHAKEN: &str = r#"
dimension = 2
[materials.stone]
density = 2000
friction = 0.4
[[walls]]
name = "ground"
shape = "plane"
point = [0, 0]
normal = [0, 1]
[[grains]]
sample = "list"
shape = { box = { edges = [0.2, 0.1] } }
positions = [[0, 0.05]]
[[stages]]
name = "rest"
end = { time = 0.5 }
[[stages]]
name = "shake"
end = { time = 0.3 }
"#;

#[test]
fn a_record_in_a_file_becomes_a_table_in_si_units_that_the_resolved_scene_holds() {
    let text = format!(
        "{SHAKEN}[[stages.drivers]]\nwall = \"ground\"\nx.acceleration = {{ file = {{ path = \"pulse.csv\", time = \
         \"time (ms)\", time_unit = \"ms\", value = 2, unit = \"g\", scale = 2, offset = 1, start = 0.05 }} }}\n"
    );
    let (scene, _, mut world) = built("shaken.toml", &text);
    let remark =
        scene.remarks().iter().find(|remark| remark.contains("acceleration of wall")).expect("the drift is told");
    assert!(remark.contains("ends at 0.2500 s") && remark.contains("1.000e0 m/s2, stays in force"), "{remark}");
    let progress = scene.enter_stage(0, &mut world, None);
    scene.enter_stage(1, &mut world, Some(&progress));
    let AnyWorld::D2(world) = &world else { panic!("blocks in a plane") };
    let ground = &world.bodies[world.wall("ground").unwrap() as usize];
    let Motion::Driven(freedoms) = &ground.motion else { panic!("it is driven") };
    let Freedom::Acceleration { acceleration, .. } = &freedoms.translation[0] else { panic!("it is accelerated") };
    assert!((acceleration.at(0.05) - 1.0).abs() < 1e-12 && (acceleration.at(0.15) - 10.80665).abs() < 1e-9);
    let resolved = scene.resolved();
    assert!(!resolved.contains("pulse.csv"), "{resolved}");
    let (again, ..) = built("resolved.toml", &resolved);
    assert!(scene.says_the_same(&again));
}

#[test]
fn the_ground_of_a_stage_shakes_from_the_start_of_that_stage() {
    let text = format!("{SHAKEN}ground_acceleration = [{{ file = \"pulse.csv\" }}, 0]\n");
    let (scene, _, mut world) = built("shaken.toml", &text);
    let mut progress = scene.enter_stage(0, &mut world, None);
    let AnyWorld::D2(early) = &mut world else { panic!("blocks in a plane") };
    assert!(early.gravity.is_constant());
    early.state.time = 7.0;
    progress = scene.enter_stage(1, &mut world, Some(&progress));
    let AnyWorld::D2(world) = &world else { panic!("blocks in a plane") };
    assert_eq!(progress.starts, [0.0, 7.0]);
    assert!((world.gravity.at(57.0).x + 0.25).abs() < 1e-12, "{:?}", world.gravity);
}

#[test]
fn faults_of_records_have_the_place_in_the_file_and_a_hint() {
    for (function, expected) in [
        ("{ file = \"unsorted.csv\" }", "unsorted.csv:3:1: the times are not sorted: 1 after 2"),
        ("{ file = \"none.csv\" }", "there is no such file"),
        ("{ file = { path = \"pulse.csv\", value = \"ay\" } }", "pulse.csv has no column \"ay\""),
        ("{ file = { path = \"pulse.csv\", unit = \"mm\" } }", "`unit` is not a unit of an acceleration"),
        ("{ file = { path = \"pulse.csv\", colum = 2 } }", "unknown key `colum`"),
        ("{ file = { time = 1 } }", "`path` is missing in `file`"),
        ("{ file = { path = \"pulse.csv\", time = 0 } }", "`time` is not a column"),
        ("{ file = 3 }", "expected a path, or a table with `path`"),
    ] {
        let text = format!("{SHAKEN}[[stages.drivers]]\nwall = \"ground\"\nx.acceleration = {function}\n");
        let faults = riprap_scene::load_with_files(&text, "shaken.toml", &[], &crate::Fixed).unwrap_err().to_string();
        assert!(faults.contains(expected), "{function}:\n{faults}");
    }
}

#[test]
fn richer_laws_of_torques_and_restitution_are_read() {
    let scene = r#"
dimension = 3
domain = { gravity = 0 }
[materials.glass]
density = 2000
friction = 0.4
tangential_restitution_by_speed = { table = [[0, 0.5], [1, -0.5]] }
rolling_friction = { viscous_time = "2 ms" }
torsion_friction = { roughness = "1 um", coefficient = 0.5 }
coupled_torsion = true
[materials.steel]
density = 7800
friction = 0.2
rolling_friction = { roughness = "2 um" }
[[grains]]
sample = "list"
material = "glass"
radius = 0.05
positions = [[0, 0, 0]]
[[stages]]
name = "run"
end = { time = 1 }
"#;
    let (_, _, world) = built("laws.toml", scene);
    let AnyWorld::D3(world) = world else { panic!("spheres") };
    let glass = world.materials.pair(0, 0);
    assert_eq!(glass.tangential_curve, Some(SpeedCurve::Table(vec![[0.0, 0.5], [1.0, -0.5]])));
    assert_eq!(glass.rolling, TorqueLimit::Viscous(2e-3));
    assert_eq!(glass.torsion, TorqueLimit::Rough { roughness: 1e-6, coefficient: 0.5 });
    assert!(glass.couples_torsion);
    let steel = world.materials.pair(1, 1);
    assert_eq!(steel.rolling, TorqueLimit::Rough { roughness: 2e-6, coefficient: 1.0 });
    assert_eq!((steel.couples_torsion, &steel.tangential_curve), (false, &None));
    assert_eq!(world.materials.pair(0, 1).rolling, TorqueLimit::None);
}
