//! What holds grains, from the scene to what it does: the scenes of the rolling heap, the powder and the wet spheres,
//! made small; and bonds.

use crate::Fixed;
use riprap_engine::{AnyWorld, BondLaw, Cohesion, Extent, Silent, SpeedCurve, Strength, TorqueLimit, for_any_world};
use riprap_scene::{Override, Scene, load};
use std::path::Path;

pub fn scene_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    std::fs::read_to_string(path).expect("the scene is there")
}

/// The world of a scene with some values changed, in its first stage.
pub fn begun(text: &str, changes: &[(&str, &str)]) -> (Scene, AnyWorld) {
    let overrides: Vec<Override> =
        changes.iter().map(|(path, value)| Override { path: (*path).to_owned(), value: (*value).to_owned() }).collect();
    let mut scene = load(text, "scene.toml", &overrides).unwrap_or_else(|faults| panic!("{faults}"));
    let grains = scene.sample(&Fixed).unwrap_or_else(|faults| panic!("{faults}"));
    let mut world = scene.build(&grains).unwrap_or_else(|faults| panic!("{faults}"));
    scene.enter_stage(0, &mut world, None);
    (scene, world)
}

/// Steps until `time`.
pub fn run(world: &mut AnyWorld, time: f64) {
    for_any_world!(world, world => {
        while world.state.time < time {
            world.step(&mut Silent).unwrap_or_else(|error| panic!("{error}"));
        }
    });
}

/// The heights of all grains, sorted.
fn heights(world: &AnyWorld) -> Vec<f64> {
    let AnyWorld::D3(world) = world else { panic!("spheres") };
    let mut heights: Vec<f64> = world.free_bodies().map(|body| world.state.position[body].z).collect();
    heights.sort_by(f64::total_cmp);
    heights
}

#[test]
fn a_heap_of_spheres_stands_with_rolling_friction_and_flattens_without() {
    let small = [
        ("grains.0.count", "60"),
        ("grains.0.region", "{ box = { lower = [\"-6 mm\", \"-6 mm\", 0], upper = [\"6 mm\", \"6 mm\", \"5 cm\"] } }"),
        ("solver.time_step", "0.5 ms"),
    ];
    let text = scene_file("rolling-heap.toml");
    let (_, mut stands) = begun(&text, &small);
    let without = [&small[..], &[("materials.stone.rolling_friction", "0"), ("materials.stone.torsion_friction", "0")]];
    let (_, mut flattens) = begun(&text, &without.concat());
    run(&mut stands, 0.6);
    run(&mut flattens, 0.6);
    let (with, without) = (heights(&stands), heights(&flattens));
    // Without rolling friction all but a few lie on the floor; with it, a fifth does not, and the top is in the third layer.
    let diameter = 4e-3;
    assert!(without[without.len() * 9 / 10] < 0.75 * diameter, "{without:?}");
    assert!(with[with.len() - 1] > 1.5 * diameter && with[with.len() * 4 / 5] > 0.75 * diameter, "{with:?}");
    // It stands: what moves is slow.
    let AnyWorld::D3(world) = &stands else { panic!("spheres") };
    let fast = world.free_bodies().filter(|&body| world.state.velocity[body].length() > 0.02).count();
    assert!(fast <= world.free_bodies().count() / 10, "{fast} still move");
}

#[test]
fn the_porosity_of_a_powder_grows_with_cohesion_and_with_torques() {
    let text = scene_file("powder.toml");
    let solid = |force: &str, rolling: &str| {
        let changes = [
            ("grains.0.count", "120"),
            ("walls.0.upper", "[\"3 cm\", \"9 cm\"]"),
            ("materials.powder.cohesion.force", force),
            ("materials.powder.rolling_friction", rolling),
            ("drivers.0.mass", "0.5 kg"),
            ("solver.time_step", "0.5 ms"),
        ];
        let (_, mut world) = begun(&text, &changes);
        run(&mut world, 1.0);
        let AnyWorld::D2(world) = &world else { panic!("disks") };
        let top = world.wall("box.top").expect("there is a lid") as usize;
        let area: f64 = world.free_bodies().map(|body| world.bodies[body].shape.volume()).sum();
        area / (0.03 * world.state.position[top].y)
    };
    let loose = solid("1e-9", "0");
    let cohesive = solid("2 N", "0");
    let with_torques = solid("2 N", "{ coefficient = 0.5 }");
    println!("solid fractions: {loose:.3}, {cohesive:.3} with cohesion, {with_torques:.3} with torques too");
    assert!(cohesive < loose - 0.02, "cohesion: {cohesive} and not less than {loose}");
    assert!(with_torques < cohesive - 0.01, "torques: {with_torques} and not less than {cohesive}");
}

#[test]
fn a_cohesive_scene_says_its_bond_number_and_takes_steps_that_resolve_its_range() {
    let (scene, world) = begun(&scene_file("powder.toml"), &[]);
    let AnyWorld::D2(world) = &world else { panic!("disks") };
    let grains: Vec<usize> = world.free_bodies().collect();
    let diameter =
        grains.iter().map(|&body| 2.0 * world.bodies[body].shape.bounding_radius().unwrap_or(0.0)).sum::<f64>()
            / grains.len() as f64;
    // F_C = 1 N against 50 Pa on a diameter times 1 m of thickness.
    let expected = format!("Bond number {:.3e}", 1.0 / (50.0 * diameter));
    assert!(scene.remarks()[0].starts_with(&expected), "{} and not {expected}", scene.remarks()[0]);
    // At the largest speed that F_C d_C stops, the lightest two go a tenth of d_C in a step, to the digits of the choice.
    let mass = grains.iter().map(|&body| world.bodies[body].mass).fold(f64::INFINITY, f64::min);
    let (force, range) = (1.0, 20e-6);
    let speed = (2.0 * force * range / (0.5 * mass)).sqrt();
    let part = speed * world.settings.time_step / range;
    assert!((part - 0.1).abs() < 5e-3, "{part} of the range in a step");
}

#[test]
fn wet_spheres_pull_together_and_keep_their_liquid() {
    let (scene, mut world) = begun(&scene_file("wet.toml"), &[("grains.0.count", "120")]);
    let remark = &scene.remarks()[0];
    assert!(remark.starts_with("Bond number ") && remark.contains("capillary bridge"), "{remark}");
    run(&mut world, 0.02);
    let AnyWorld::D3(world) = &world else { panic!("spheres") };
    let liquid = world.liquid.expect("there is some");
    let mass: f64 = world.free_bodies().map(|body| world.bodies[body].mass).sum();
    assert!((liquid.volume / (0.007 * mass / 1000.0) - 1.0).abs() < 1e-12);
    let volume: f64 = world.state.bridges.iter().map(|bridge| bridge.volume).sum();
    assert!((volume / liquid.volume - 1.0).abs() < 1e-12);
    assert!(world.state.bridges.len() > world.free_bodies().count() / 4, "{}", world.state.bridges.len());
    let tensile = world.links().filter(|link| link.force.dot(link.normal) < 0.0).count();
    assert!(tensile > 0);
}

const RICH: &str = r#"
dimension = 3
[domain]
gravity = 0
[materials.glass]
density = 2500
friction_by_speed = { decay = { from = 0.5, to = 0.3, speed = "1 m/s" } }
restitution_by_speed = { table = [[0, 0.9], ["2 m/s", 0.5]] }
rolling_friction = "0.1 mm"
torsion_friction = { loss = 0.1, modulus = "1 GPa" }
cohesion = { surface_energy = "50 mJ/m2", energy = "1 nJ" }
[materials.wax]
density = 900
friction = 0.4
adhesion = "2 mN"
[[pairs]]
materials = ["glass", "wax"]
rolling_friction = { coefficient = 0.3 }
cohesion = { force_per_radius = "3 N/m", range = "2 um" }
[[grains]]
sample = "list"
material = "glass"
positions = [[0, 0, 0], ["2 mm", 0, 0], ["4 mm", 0, 0], ["9 mm", 0, 0]]
radius = "1 mm"
[[bonds]]
pairs = [[1, 0]]
tensile_strength = "1 N"
shear_strength = "2 N"
[[bonds]]
stage = "later"
tensile_strength = "3 N"
shear_strength = "4 N"
bending_strength = "1 mN m"
twisting_strength = "2 mN m"
[liquid]
volume = "1 mm3"
bridges = "contact"
[[stages]]
name = "first"
end = { steps = 1 }
[[stages]]
name = "later"
end = { steps = 1 }
"#;

#[test]
fn laws_of_the_scene_are_those_of_the_world() {
    let (scene, mut any) = begun(RICH, &[]);
    let AnyWorld::D3(world) = &any else { panic!("spheres") };
    let glass = world.materials.pair(0, 0);
    assert_eq!(glass.friction_curve, Some(SpeedCurve::Decay { from: 0.5, to: 0.3, speed: 1.0 }));
    assert_eq!((glass.static_friction, glass.restitutions_at(1.0)[0]), (0.5, 0.7));
    assert_eq!(glass.rolling, TorqueLimit::Length(1e-4));
    assert_eq!(glass.torsion, TorqueLimit::Hertz { loss: 0.1, modulus: 1e9 });
    assert_eq!(glass.cohesion.map(|c| c.extent), Some(Extent::Energy(1e-9)));
    assert!((glass.cohesion.map_or(0.0, |c| c.force(5e-4)) / 3.14159e-4 - 1.0).abs() < 1e-5);
    let adhesion = Cohesion { strength: Strength::Force(2e-3), extent: Extent::Contact };
    assert_eq!(world.materials.pair(1, 1).cohesion, Some(adhesion));
    let pair = world.materials.pair(1, 0);
    assert_eq!(pair.rolling, TorqueLimit::Reduced(0.3));
    assert_eq!(pair.cohesion, Some(Cohesion { strength: Strength::PerRadius(3.0), extent: Extent::Range(2e-6) }));
    assert_eq!(world.state.bonds.len(), 1);
    assert_eq!(scene.remarks().len(), 2);
    assert!(scene.remarks()[0].contains("infinite"), "{:?}", scene.remarks());
    let progress = scene.enter_stage(0, &mut any, None);
    scene.enter_stage(1, &mut any, Some(&progress));
    let AnyWorld::D3(world) = &any else { panic!("spheres") };
    let law = BondLaw { tensile_strength: 3.0, shear_strength: 4.0, bending_strength: 1e-3, twisting_strength: 2e-3 };
    assert_eq!(world.state.bonds.iter().map(|bond| bond.bodies).collect::<Vec<_>>(), [[0, 1], [1, 2]]);
    assert!(world.state.bonds.iter().all(|bond| bond.law == law));
    // The resolved scene says the same.
    let resolved = load(&scene.resolved(), "resolved.toml", &[]).unwrap_or_else(|faults| panic!("{faults}"));
    assert!(scene.says_the_same(&resolved), "{}", scene.resolved());
}

#[test]
fn mortar_has_stresses_and_holds_on_the_ground() {
    let scene = r#"
dimension = 3
[materials.brick]
density = "2000 kg/m3"
friction = 0.6
[[walls]]
name = "ground"
shape = "plane"
point = [0, 0, 0]
normal = [0, 0, 1]
[[grains]]
sample = "list"
positions = [[0, 0, 0.05], [0.1, 0, 0.15]]
shape = { box = { edges = [0.4, 0.2, 0.1] } }
[[bonds]]
walls = ["ground"]
tensile_stress = "0.1 MPa"
shear_stress = "0.2 MPa"
[[stages]]
name = "stand"
end = { steps = 1 }
"#;
    let (loaded, any) = begun(scene, &[]);
    let AnyWorld::D3(world) = &any else { panic!("bricks") };
    let strengths: Vec<_> =
        world.state.bonds.iter().map(|bond| (bond.law.tensile_strength, bond.law.shear_strength)).collect();
    // One joint of 0.3 m by 0.2 m between the bricks, one of 0.4 m by 0.2 m on the ground.
    assert_eq!(strengths.len(), 2, "{strengths:?}");
    for (expected, (tensile, shear)) in [6e3, 8e3].into_iter().zip(strengths) {
        assert!((tensile / expected - 1.0).abs() < 1e-9 && (shear / expected - 2.0).abs() < 1e-9, "{tensile} {shear}");
    }
    let resolved = load(&loaded.resolved(), "resolved.toml", &[]).unwrap_or_else(|faults| panic!("{faults}"));
    assert!(loaded.says_the_same(&resolved), "{}", loaded.resolved());

    let fault =
        |change: [&str; 2]| load(&scene.replace(change[0], change[1]), "wall.toml", &[]).unwrap_err().to_string();
    let mixed = fault(["shear_stress = \"0.2 MPa\"", "shear_strength = \"2 N\""]);
    assert!(mixed.contains("`shear_strength` does not go with `tensile_stress`"), "{mixed}");
    let half = fault(["shear_stress = \"0.2 MPa\"\n", ""]);
    assert!(half.contains("`shear_stress` is missing"), "{half}");
    let nowhere = fault(["\"ground\"]", "\"grund\"]"]);
    assert!(nowhere.contains("no such wall: \"grund\""), "{nowhere}");
}

#[test]
fn a_stage_with_another_time_step_starts_from_the_same_forces() {
    let stages = "[[stages]]\nname = \"fall\"\nend = { time = 0.3 }\n\
        [[stages]]\nname = \"rest\"\nend = { time = 0.1 }\nsolver = { time_step = \"5 ms\" }\n";
    let text = scene_file("rolling-heap.toml");
    let text = format!("{}{stages}", &text[..text.find("[[stages]]").unwrap_or(text.len())]);
    let (scene, mut world) = begun(&text, &[("grains.0.count", "40"), ("solver.time_step", "0.5 ms")]);
    run(&mut world, 0.3);
    let forces = |world: &AnyWorld| -> Vec<([f64; 3], [f64; 3])> {
        let AnyWorld::D3(world) = world else { panic!("spheres") };
        let step = world.settings.time_step;
        let torques = world.state.extras.iter().map(|extra| (extra.torque / step).to_array());
        let impulses = world.state.contacts.iter().map(|contact| (contact.impulse / step).to_array());
        impulses.zip(torques).collect()
    };
    let progress = scene.enter_stage(0, &mut world, None);
    let before = forces(&world);
    assert!(before.iter().any(|(force, torque)| force[2] != 0.0 && torque[0] != 0.0));
    scene.enter_stage(1, &mut world, Some(&progress));
    assert!(for_any_world!(&world, world => world.settings.time_step == 5e-3));
    for ((force, torque), (now, turn)) in before.iter().zip(forces(&world)) {
        for axis in 0..3 {
            assert!((force[axis] - now[axis]).abs() <= 1e-14 * force[axis].abs(), "{force:?} {now:?}");
            assert!((torque[axis] - turn[axis]).abs() <= 1e-14 * torque[axis].abs(), "{torque:?} {turn:?}");
        }
    }
}
