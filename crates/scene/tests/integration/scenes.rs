//! Every scene in `scenes` is good, and every scene in `scenes/bad` is bad in the way that it says.

use crate::{Fixed, built};
use riprap_engine::{AnyWorld, Vector, for_any_world};
use riprap_scene::{Override, StageProgress, load};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn scenes_in(name: &str) -> Vec<(String, String)> {
    let mut scenes: Vec<(String, String)> = std::fs::read_dir(folder(name))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| {
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("it can be read"))
        })
        .collect();
    scenes.sort();
    scenes
}

#[test]
fn every_scene_loads_samples_and_builds() {
    let scenes = scenes_in("scenes");
    assert!(scenes.len() > 30, "{} scenes", scenes.len());
    for (name, text) in &scenes {
        let (scene, grains, mut world) = built(name, text);
        let mut progress: Option<StageProgress> = None;
        for stage in 0..scene.stages().len() {
            progress = Some(scene.enter_stage(stage, &mut world, progress.as_ref()));
        }
        let (bodies, step) = for_any_world!(&world, world => (world.bodies.len(), world.settings.time_step));
        assert!(bodies >= grains.len() && (1e-6..1e-2).contains(&step), "{name}: {bodies} bodies, step {step}");
        println!("{name}: {} grains\n  {}", grains.len(), scene.choices().join("\n  "));
    }
}

#[test]
fn no_two_sampled_grains_overlap() {
    for (name, text) in scenes_in("scenes") {
        let (_, grains, world) = built(&name, &text);
        let period: [f64; 3] = for_any_world!(&world, world => world.state.cell.period.to_array3());
        // Bodies that are not balls are looked at when the world is built.
        let is_ball = |&i: &usize| grains.form.get(i).is_none_or(Option::is_none);
        let mut order: Vec<usize> = (0..grains.len()).filter(is_ball).collect();
        order.sort_by(|&a, &b| grains.position[a][1].total_cmp(&grains.position[b][1]));
        let largest = grains.radius.iter().copied().fold(0.0, f64::max);
        for (at, &i) in order.iter().enumerate() {
            for &j in
                order[at + 1..].iter().take_while(|&&j| grains.position[j][1] - grains.position[i][1] < 2.0 * largest)
            {
                let square: f64 = (0..3)
                    .map(|axis| {
                        let mut d = grains.position[i][axis] - grains.position[j][axis];
                        if period[axis] > 0.0 {
                            d -= period[axis] * (d / period[axis]).round();
                        }
                        d * d
                    })
                    .sum();
                let reach = grains.radius[i] + grains.radius[j];
                assert!(square.sqrt() >= reach * (1.0 - 1e-6), "{name}: grains {i} and {j}");
            }
        }
    }
}

#[test]
fn a_resolved_scene_is_the_same_scene() {
    let rich = ("rich.toml".to_owned(), RICH.to_owned());
    for (name, text) in scenes_in("scenes").into_iter().chain([rich]) {
        let (scene, grains, _) = built(&name, &text);
        let resolved = scene.resolved();
        let (again, grains_again, _) = built(&format!("{name} resolved"), &resolved);
        assert_eq!(grains, grains_again, "{name}");
        assert!(again.choices().is_empty(), "{name}: {:?}", again.choices());
        assert_eq!(scene.stages(), again.stages(), "{name}");
        assert_eq!(scene.outputs(), again.outputs(), "{name}");
        assert!(scene.says_the_same(&again), "{name}:\n{resolved}");
        // A second time nothing changes but the remarks.
        let strip = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split("  # ").next().unwrap_or("").to_owned()).collect()
        };
        let (third, ..) = built(&format!("{name} resolved twice"), &again.resolved());
        assert_eq!(strip(&third.resolved()), strip(&again.resolved()), "{name}");
    }
}

/// A scene that uses what the templates do not.
const RICH: &str = r#"
title = "a \"rich\" scene with a \\ in it"
dimension = 3
seed = 11
[domain]
gravity = [0, 0, "-1.62 m/s2"]
tilt = { towards = [2, 0, 0], angle = { sine = { amplitude = "5 deg", frequency = "2 Hz", phase = "90 deg" } } }
periodic = { y = "30 cm" }
origin = [0, "-15 cm", 0]
[materials."dark glass"]
density = "2.5 g/cm3"
static_friction = 0.5
dynamic_friction = 0.4
normal_restitution = 0.9
tangential_restitution = -0.2
[materials.felt]
friction = "40 %"
[[pairs]]
materials = ["felt", "dark glass"]
static_friction = 0.7
normal_restitution = 0
[[walls]]
name = "silo"
shape = "silo"
material = "felt"
centre = ["15 cm", 0, "15 cm"]
axis = [0, 3, 0]
radius = "15 cm"
[[walls]]
name = "paddle"
shape = "plate"
material = "felt"
centre = ["15 cm", 0, "3 cm"]
half_edges = [["2 cm", 0, 0], [0, 0, "1 cm"]]
[[walls]]
name = "rod"
shape = "rod"
material = "felt"
centre = ["15 cm", 0, "15 cm"]
axis = [0, -1, 0]
radius = "1 cm"
[[grains]]
sample = "random"
material = "dark glass"
count = 60
diameter = { log_normal = { median = "1 cm", sigma = 0.2 } }
[[grains]]
sample = "random"
material = "dark glass"
group = "tracers"
count = 5
radius = { table = { points = [["3 mm", 0], ["5 mm", 0.5], ["6 mm", 1]], by = "volume" } }
spin = ["1 rpm", 0, "2 rad/s"]
[[grains]]
sample = "list"
material = "dark glass"
positions = [["15 cm", "1 cm", "17 cm"]]
radius = { normal = { mean = "3 mm", deviation = "0.2 mm", max = "4 mm" } }
[[drivers]]
wall = "silo"
rotation = { velocity = { table = [[0, 0], ["1 s", "10 rpm"]] } }
[[drivers]]
wall = "rod"
rotation = { torque = "1 mN m", inertia = "1 g m2" }
[[loads]]
group = "tracers"
force = ["1 mN", 0, { ramp = { to = "2 mN", start = "1 s", duration = "1 s" } }]
torque = [0, "1e-6 N m", 0]
[[loads]]
grain = 3
force = [0, 0, "1 uN"]
[solver]
criterion = { local_force = { change = 1e-3 } }
order = "forward-backward"
[[stages]]
name = "turn"
end = { kinetic_energy = "0.001 uJ", force_balance = 0.1 }
[[stages]]
name = "sweep"
end = { strain = 0.1, wall = "paddle", axis = "x" }
gravity = "9.81 m/s2"
release = ["rod"]
[[stages.drivers]]
wall = "paddle"
x = { velocity = "1 mm/s" }
y = { force = "1 mN" }
[stages.materials."dark glass"]
normal_restitution = 0
[stages.solver]
on_unconverged = "stop"
criterion = { sweeps = 40 }
[[stages]]
name = "press"
end = { time = "1 s" }
solver = { stiffness = "20 kN/m" }
[outputs]
snapshot_formats = ["xyz", "dump"]
checkpoint_interval = "1 min"
"#;

#[test]
fn every_bad_scene_gives_the_message_that_it_says() {
    let scenes = scenes_in("scenes/bad");
    assert!(scenes.len() > 20);
    let problems: Vec<String> = scenes.iter().filter_map(|(name, text)| unexpected(name, text)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// How the faults of a bad scene differ from those that it says, if they do.
fn unexpected(name: &str, text: &str) -> Option<String> {
    let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# expect: ")).collect();
    let outcome = load(text, name, &[]).and_then(|mut scene| {
        let grains = scene.sample(&Fixed)?;
        scene.build(&grains)
    });
    let Err(faults) = outcome else { return Some(format!("{name} has no faults")) };
    let shown = faults.render(false);
    let mut rest = shown.as_str();
    for line in &expected {
        match rest.find(line) {
            Some(at) => rest = &rest[at + line.len()..],
            None => return Some(format!("{name}: not found (in this order): {line}\n{shown}")),
        }
    }
    let errors = expected.iter().filter(|line| line.starts_with("error:")).count();
    let placed = faults.iter().all(|fault| fault.line >= 1 && fault.column >= 1 && fault.origin == name);
    (faults.len() != errors || errors == 0 || !placed).then(|| format!("{name}: {errors} faults expected\n{shown}"))
}

#[test]
fn overrides_take_the_place_of_values_and_their_faults_say_so() {
    let text = &scenes_in("scenes").into_iter().find(|(name, _)| name == "deposit.toml").expect("it is there").1;
    let set = |path: &str, value: &str| Override { path: path.to_owned(), value: value.to_owned() };
    let mut scene = load(
        text,
        "deposit.toml",
        &[
            set("grains.0.count", "64"),
            set("stages.0.end.time", "2 s"),
            set("materials.stone.friction", "0.25"),
            set("solver.time_step", "1e-4"),
            set("title", "another deposit"),
            set("grains.0.radius", "{ uniform = { min = \"0.5 mm\", max = \"0.6 mm\" } }"),
        ],
    )
    .unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(scene.title(), "another deposit");
    assert_eq!(scene.stages()[0].end.time, Some(2.0));
    let grains = scene.sample(&Fixed).expect("it fits");
    assert_eq!(grains.len(), 64);
    assert!(grains.radius.iter().all(|r| (0.5e-3..=0.6e-3).contains(r)));
    let AnyWorld::D3(world) = scene.build(&grains).expect("it builds") else { panic!("spheres") };
    assert_eq!(world.settings.time_step, 1e-4);
    assert_eq!(world.materials.pair(0, 0).static_friction, 0.25);

    let faults = load(
        text,
        "deposit.toml",
        &[
            set("solver.time_stop", "1 ms"),
            set("grains.0.count", "many"),
            set("grains.7.count", "3"),
            set("title.deep", "3"),
            set("stages.0.end.time", "2 kg"),
        ],
    )
    .expect_err("all of them are wrong");
    let shown = faults.render(false);
    for part in [
        "unknown key `time_stop`",
        "did you mean `time_step`?",
        "--set grains.0.count",
        "`grains` has no entry `7`",
        "`title` is a string and has no key `deep`",
        "expected a time such as \"20 ms\", got a mass (kg)",
    ] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    assert_eq!(faults.len(), 5, "{shown}");
}

#[test]
fn damaged_scenes_never_panic() {
    // A plain generator of places to cut; the scenes themselves are the grammar.
    let mut state = 12345_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as usize) % below.max(1)
    };
    for (_, text) in scenes_in("scenes").into_iter().chain(scenes_in("scenes/bad")) {
        let small = text.contains("count = 10\n");
        let lines: Vec<&str> = text.lines().collect();
        for round in 0..60 {
            let damaged = if round % 2 == 0 {
                let out = next(lines.len());
                let moved = next(lines.len());
                let mut kept = lines.clone();
                let line = kept.remove(out);
                if round % 4 == 0 {
                    kept.insert(moved.min(kept.len()), line);
                }
                kept.join("\n")
            } else {
                let mut bytes = text.as_bytes().to_vec();
                for _ in 0..1 + next(4) {
                    let at = next(bytes.len());
                    match next(3) {
                        0 => drop(bytes.remove(at)),
                        1 => bytes[at] = b"\"[]{}=.,0-#x\n"[next(13)],
                        _ => bytes.insert(at, b"\"[]{}=.,0-#x\n"[next(13)]),
                    }
                }
                String::from_utf8_lossy(&bytes).into_owned()
            };
            match load(&damaged, "damaged.toml", &[]) {
                Err(faults) => {
                    assert!(!faults.is_empty());
                    assert!(!faults.render(round % 3 == 0).is_empty());
                }
                // Whether its grains fit or not, and whatever world comes of it.
                Ok(mut scene) => {
                    if let Some(Ok(grains)) = small.then(|| scene.sample(&Fixed)) {
                        let _ = scene.build(&grains);
                    }
                    assert!(!scene.resolved().is_empty());
                }
            }
        }
    }
}

#[test]
fn the_reference_in_docs_is_the_one_of_the_code() {
    let written = std::fs::read_to_string(folder("docs/scene.md")).expect("docs/scene.md is there");
    assert!(
        written == riprap_scene::reference(),
        "regenerate it: cargo run -p riprap-scene --example reference > docs/scene.md"
    );
}

#[test]
fn the_schema_knows_every_section() {
    let schema = riprap_scene::schema();
    for section in
        ["domain", "materials", "pairs", "grains", "walls", "drivers", "loads", "solver", "stages", "outputs"]
    {
        assert!(schema["properties"][section]["description"].is_string(), "{section}");
    }
    let samples = schema["properties"]["grains"]["items"]["oneOf"].as_array().expect("variants").len();
    assert_eq!(samples, 10);
    assert_eq!(schema["properties"]["solver"]["properties"]["time_step"]["anyOf"][0]["exclusiveMinimum"], 0);
}

/// A run that was prepared by a study is begun only if its scene says everything, which is compared as text.
#[test]
fn a_resolved_scene_is_resolved_to_the_same_values() {
    let values = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split("  # ").next().unwrap_or_default().to_owned()).collect()
    };
    for name in ["triaxial", "heap", "oedometer", "recirculation", "chute", "arch", "shear-cell"] {
        let text = std::fs::read_to_string(folder("scenes").join(name).with_extension("toml")).unwrap();
        let once = built(name, &text).0.resolved();
        let again = built(name, &once).0.resolved();
        assert_eq!(values(&once), values(&again), "{name}");
    }
}
