//! What a scene makes of a world: materials, drivers, loads, stages and their ends.

use crate::{Fixed, built};
use riprap_engine::{
    AnyWorld, Criterion, D2, Freedom, LoadedArea, Motion, Options, Scheme, Silent, Span, StepReport, Target, World,
};
use riprap_scene::{Override, Scene, StageProgress, load};

const BOX: &str = r#"
dimension = 2
[materials.glass]
density = 2000
friction = 0.4
normal_restitution = 0.5
[materials.steel]
friction = 0.9
[[walls]]
name = "box"
shape = "box"
material = "steel"
lower = [0, 0]
upper = [1, 2]
[[grains]]
sample = "lattice"
material = "glass"
radius = 0.05
count = 20
"#;

fn world(text: &str) -> (Scene, World<D2>) {
    match built("world.toml", text) {
        (scene, _, AnyWorld::D2(world)) => (scene, world),
        _ => panic!("a scene of disks"),
    }
}

/// Enters the stages one after the other, each at its time.
fn enter(scene: &Scene, world: &mut World<D2>, times: &[f64]) -> StageProgress {
    let mut any = AnyWorld::D2(world.clone());
    let mut progress = None;
    for (stage, &time) in times.iter().enumerate() {
        let AnyWorld::D2(inner) = &mut any else { panic!("disks") };
        inner.state.time = time;
        progress = Some(scene.enter_stage(stage, &mut any, progress.as_ref()));
    }
    let AnyWorld::D2(inner) = any else { panic!("disks") };
    *world = inner;
    progress.expect("at least one stage")
}

fn freedoms<'a>(world: &'a World<D2>, wall: &str) -> &'a riprap_engine::Freedoms<D2> {
    let index = world.wall(wall).expect("the wall is there") as usize;
    match &world.bodies[index].motion {
        Motion::Driven(freedoms) => freedoms,
        Motion::Free => panic!("a wall is never free"),
    }
}

fn velocity(freedom: &Freedom, time: f64) -> f64 {
    match freedom {
        Freedom::Velocity(function) => function.at(time),
        other => panic!("not a velocity: {other:?}"),
    }
}

#[test]
fn bodies_have_their_masses_materials_and_names() {
    let (_, world) =
        world(&format!("{BOX}[domain]\nthickness = 0.1\n[[stages]]\nname = \"s\"\nend = {{ steps = 5 }}\n"));
    assert_eq!(world.bodies.len(), 24);
    let mass = 2000.0 * std::f64::consts::PI * 0.05 * 0.05 * 0.1;
    assert!((world.bodies[0].mass / mass - 1.0).abs() < 1e-14);
    assert!((world.bodies[0].inertia / (0.5 * mass * 0.0025) - 1.0).abs() < 1e-14);
    let names: Vec<&str> = world.bodies[20..].iter().filter_map(|body| body.name.as_deref()).collect();
    assert_eq!(names, ["box.left", "box.right", "box.bottom", "box.top"]);
    assert_eq!(world.groups, ["grains", "walls"]);
    // Not given: the geometric mean of the frictions and the smaller restitution.
    assert!((world.materials.pair(0, 1).static_friction - 0.6).abs() < 1e-15);
    assert_eq!(world.materials.pair(0, 1).normal_restitution, 0.0);
}

#[test]
fn a_pressure_pushes_towards_the_grains_over_the_width_of_the_box() {
    let (scene, mut world) = world(&format!(
        "{BOX}[domain]\nthickness = 0.5\n[[drivers]]\nwall = \"box.top\"\ny = {{ pressure = \"2 kPa\" }}\n\
         [[stages]]\nname = \"s\"\nend = {{ time = 1 }}\n"
    ));
    enter(&scene, &mut world, &[0.0]);
    let top = freedoms(&world, "box.top");
    let Freedom::Pressure { pressure, area } = &top.translation[1] else { panic!("{top:?}") };
    assert_eq!(pressure.at(0.0), -2000.0);
    let walls = [world.wall("box.left").unwrap(), world.wall("box.right").unwrap()];
    assert_eq!(*area, LoadedArea::Spans(vec![Span::Between { walls, axis: 0 }, Span::Constant(0.5)]));
    // The mass of the lid is the mass of all grains, and that is said.
    let grains: f64 = world.bodies[..20].iter().map(|body| body.mass).sum();
    let lid = world.bodies[world.wall("box.top").unwrap() as usize].mass;
    assert!((lid / grains - 1.0).abs() < 1e-12);
    assert!(scene.choices().iter().any(|line| line.starts_with("drivers.0.mass = ")), "{:?}", scene.choices());
}

const STAGES: &str = r#"
[[drivers]]
wall = "box.left"
x = { velocity = { ramp = { to = 1, duration = 2 } } }
[[stages]]
name = "one"
end = { time = 1 }
[[stages.drivers]]
wall = "box.right"
x = { velocity = { sine = { amplitude = 1, frequency = 1 } } }
[stages.materials.glass]
friction = 0
[[stages]]
name = "two"
end = { time = 1 }
gravity = [1, 0]
[stages.solver]
time_step = "1 us"
scheme = "midpoint"
[[stages.drivers]]
wall = "box.top"
rotation = { velocity = "30 rpm" }
[[stages.loads]]
force = [{ ramp = { to = 2, duration = 1 } }, 0]
[[stages]]
name = "three"
end = { time = 1 }
release = ["box.left"]
[[stages.pairs]]
materials = ["steel", "glass"]
friction = 0.05
"#;

#[test]
fn drivers_hold_on_and_everything_else_is_of_its_stage() {
    let text = format!("{BOX}{STAGES}");
    let (scene, mut one) = world(&text);
    enter(&scene, &mut one, &[0.0]);
    assert_eq!(velocity(&freedoms(&one, "box.left").translation[0], 1.0), 0.5);
    assert_eq!(one.materials.pair(0, 0).static_friction, 0.0);
    assert_eq!(one.materials.pair(0, 0).normal_restitution, 0.5, "not named, so not changed");
    assert_eq!(one.gravity.at(0.0).y, -9.81);

    let (scene, mut two) = world(&text);
    enter(&scene, &mut two, &[0.0, 1.25]);
    // The sine of stage one goes on from its own start, the ramp of the top level from the start of the run.
    assert!((velocity(&freedoms(&two, "box.right").translation[0], 2.25) - 1.0).abs() < 1e-12);
    assert_eq!(velocity(&freedoms(&two, "box.left").translation[0], 1.0), 0.5);
    assert!((velocity(&freedoms(&two, "box.top").rotation[0], 2.0) - std::f64::consts::PI).abs() < 1e-12);
    assert_eq!(two.materials.pair(0, 0).static_friction, 0.4);
    assert_eq!((two.gravity.at(0.0).x, two.settings.time_step), (1.0, 1e-6));
    assert_eq!(two.settings.scheme, Scheme::Midpoint { tolerance: 5e-6 }, "1e-4 of the radius");
    assert_eq!((two.loads.len(), two.loads[0].target), (1, Target::All));
    assert_eq!(two.loads[0].force[0].at(1.75), 1.0);

    let (scene, mut three) = world(&text);
    enter(&scene, &mut three, &[0.0, 1.0, 2.0]);
    assert_eq!(velocity(&freedoms(&three, "box.left").translation[0], 9.0), 0.0);
    assert!(three.loads.is_empty() && matches!(three.settings.scheme, Scheme::Euler { .. }));
    assert_eq!(three.materials.pair(1, 0).dynamic_friction, 0.05);
}

#[test]
fn a_stage_entered_again_after_a_checkpoint_is_the_same() {
    let text = format!("{BOX}{STAGES}");
    let (scene, mut before) = world(&text);
    let progress = enter(&scene, &mut before, &[0.0, 1.25, 2.5]);
    let numbers = progress.to_numbers();
    let restored = scene.progress_from(2, &numbers).expect("the numbers are whole");
    assert_eq!(restored.to_numbers()[..11], numbers[..11]);
    assert_eq!(restored.starts, [0.0, 1.25, 2.5]);
    assert_eq!(scene.progress_from(2, &numbers[..5]), None);
    let (scene, after) = world(&scene.resolved());
    let mut after = AnyWorld::D2(after);
    scene.reenter_stage(2, &restored, &mut after);
    let AnyWorld::D2(after) = after else { panic!("disks") };
    assert_eq!(after.bodies, before.bodies);
    assert_eq!(
        (after.settings, &after.materials, &after.gravity),
        (before.settings, &before.materials, &before.gravity)
    );
}

fn report(time_step: f64, kinetic: f64, unbalanced_force: f64) -> StepReport {
    let mut report = StepReport { time_step, unbalanced_force, contacts: 5, ..StepReport::default() };
    report.energy.kinetic = kinetic;
    report
}

#[test]
fn stages_end_by_time_steps_and_strain() {
    let driver = "[[drivers]]\nwall = \"box.top\"\ny = { velocity = -0.1 }\nx = { velocity = 0.1 }\n";
    let stage = |end: &str| format!("{BOX}{driver}[[stages]]\nname = \"s\"\nend = {end}\n[solver]\ntime_step = 0.1\n");
    // Ten steps of 0.1 s are not quite 1 s in binary numbers, and end a stage of 1 s all the same.
    let steps_until = |end: &str, change: fn(&mut World<D2>)| {
        let (scene, mut world) = world(&stage(end));
        let mut progress = enter(&scene, &mut world, &[0.0]);
        for step in 1..1000 {
            world.state.time += 0.1;
            world.state.step += 1;
            change(&mut world);
            let any = AnyWorld::D2(world.clone());
            if progress.ended(&any, &report(0.1, 1.0, 1.0)) {
                assert_eq!(progress.fraction(), Some(1.0));
                return step;
            }
            assert!(progress.fraction().is_none_or(|part| part < 1.0));
        }
        panic!("it never ends");
    };
    assert_eq!(steps_until("{ time = 1 }", |_| ()), 10);
    assert_eq!(steps_until("{ steps = 7, time = 1 }", |_| ()), 7);
    // The box is 2 m high: a strain of 0.02 is 0.04 m, four of these steps, along either axis.
    let lower = |world: &mut World<D2>| {
        let top = world.wall("box.top").unwrap() as usize;
        world.state.position[top] += glam_vector(0.01, -0.01);
    };
    assert_eq!(steps_until("{ strain = 0.0199, wall = \"box.top\" }", lower), 4);
    assert_eq!(steps_until("{ strain = 0.0299, wall = \"box.top\", axis = \"x\" }", lower), 6);
}

fn glam_vector(x: f64, y: f64) -> <D2 as riprap_engine::Dim>::Vector {
    <<D2 as riprap_engine::Dim>::Vector as riprap_engine::Vector>::from_array3([x, y, 0.0])
}

#[test]
fn a_stage_that_waits_for_rest_does_not_end_in_free_fall() {
    let (scene, mut world) = world(&format!(
        "{BOX}[[stages]]\nname = \"s\"\nend = {{ kinetic_energy_over_mgd = 1e-3 }}\n[solver]\ntime_step = 0.01\n"
    ));
    let end = &scene.stages()[0].end;
    // √(d/g) is 0.101 s; without a limit of its own the stage gets one.
    assert_eq!((end.hold, end.steps), (Some(0.1), Some(1_000_000)));
    let mut progress = enter(&scene, &mut world, &[0.0]);
    let threshold = 1e-3 * world.bodies[0].mass * 9.81 * 0.1;
    assert!((progress.kinetic_energy / threshold - 1.0).abs() < 1e-12);
    let mut ended_after = |energies: &[f64]| {
        energies.iter().position(|energy| {
            world.state.time += 0.01;
            progress.ended(&AnyWorld::D2(world.clone()), &report(0.01, 20.0 * energy * threshold, 1.0))
        })
    };
    assert_eq!(ended_after(&[0.0, 0.1, 0.5, 2.0, 9.0, 99.0, 5.0, 0.5, 0.5]), None);
    assert_eq!(ended_after(&[2.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]), Some(11));
}

#[test]
fn the_frontal_collision_scene_rebounds_with_its_restitution() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/collision.toml");
    let (scene, _, mut any) = built("collision.toml", &std::fs::read_to_string(path).expect("it is there"));
    let mut progress = scene.enter_stage(0, &mut any, None);
    loop {
        let report = any.step(&mut Silent).expect("the step can be done");
        if progress.ended(&any, &report) {
            break;
        }
    }
    let AnyWorld::D2(world) = any else { panic!("disks") };
    let velocity = [world.state.velocity[0].x, world.state.velocity[1].x];
    assert!((velocity[1] - velocity[0] - 0.8 * 1.5).abs() < 1e-9, "{velocity:?}");
    assert_eq!(world.state.step, 1000);
}

#[test]
fn a_scene_leaves_the_solver_its_own_defaults() {
    let stage = "[[stages]]\nname = \"s\"\nend = { steps = 1 }\n";
    let criterion = |solver: &str| {
        let (scene, mut world) = world(&format!("{BOX}{stage}{solver}"));
        enter(&scene, &mut world, &[0.0]);
        world.settings.solver
    };
    let defaults = Options::default();
    assert_eq!(criterion(""), Options { seed: criterion("").seed, ..defaults });
    let Criterion::Motion { residual, .. } = defaults.criterion else { panic!("{:?}", defaults.criterion) };
    let given = criterion("[solver]\ncriterion = { motion = { velocity = 0.5 } }\n").criterion;
    assert_eq!(given, Criterion::Motion { velocity: 0.5, residual });
}

/// Every starter scene whose laws molecular dynamics has runs by it: it loads, builds, and takes a step.
#[test]
fn starter_scenes_run_by_molecular_dynamics() {
    let mut ran = 0;
    for name in ["collapse", "collision", "deposit", "drum", "heap", "hopper", "piston", "shear"] {
        let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the scene is there");
        let set = [Override { path: "method".to_owned(), value: "md".to_owned() }];
        let mut scene = match load(&text, name, &set) {
            Ok(scene) => scene,
            Err(faults) => {
                assert!(faults.render(false).contains("method \"md\" does not support"), "{}", faults.render(false));
                continue;
            }
        };
        let grains = scene.sample(&Fixed).expect("the sample fits");
        let mut world = scene.build(&grains).unwrap_or_else(|faults| panic!("{}", faults.render(false)));
        scene.enter_stage(0, &mut world, None);
        let chosen = scene.choices();
        for key in ["md.stiffness", "md.time_step"] {
            assert!(chosen.iter().any(|line| line.starts_with(key)), "{name}: {chosen:?}");
        }
        let report = world.step(&mut Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(report.substeps > 1 && report.momentum_error < 1e-9, "{name}: {report:?}");
        ran += 1;
    }
    assert!(ran >= 6, "{ran} of 8");
}

/// Two blocks, one on the other, and what is added.
fn blocks(more: &str) -> (Scene, World<D2>) {
    let text = r#"
dimension = 2
[materials.stone]
density = 2600
friction = 0.6
[[walls]]
name = "ground"
shape = "plane"
point = [0, 0]
normal = [0, 1]
[[grains]]
sample = "list"
shape = { box = { edges = [0.4, 0.2] } }
positions = [[0, 0.1]]
group = "lower"
[[grains]]
sample = "list"
shape = { box = { edges = [0.2, 0.1] } }
positions = [[0, 0.25]]
group = "upper"
"#;
    world(&format!("{text}{more}"))
}

#[test]
fn steps_are_halved_unless_their_length_is_given_or_nothing_is_gained() {
    let stage = |solver: &str| format!("[[stages]]\nname = \"rest\"\nend = {{ time = 1 }}\n{solver}\n");
    let halvings = |before: &str, solver: &str| {
        let (scene, mut world) = blocks(&format!("{before}\n{}", stage(solver)));
        enter(&scene, &mut world, &[0.0]);
        (world.settings.halvings, world.settings.motion_per_step)
    };
    assert_eq!(halvings("", ""), (3, 0.005));
    for even in ["time_step = 1e-3", "scheme = \"midpoint\"", "criterion = { sweeps = 20 }", "stiffness = 1e6"] {
        assert_eq!(halvings(&format!("[solver]\n{even}"), "").0, 0, "{even}");
        assert_eq!(halvings("", &format!("solver = {{ {even} }}")).0, 0, "{even}");
        assert_eq!(halvings(&format!("[solver]\n{even}\nhalvings = 4"), "").0, 4, "{even}");
    }
    let lid = "[[walls]]\nname = \"lid\"\nshape = \"plane\"\npoint = [0, 1]\nnormal = [0, -1]\n\
        [[drivers]]\nwall = \"lid\"\ny = { force = -1 }\n";
    assert_eq!(halvings(lid, "").0, 0, "a wall under a load");
    assert_eq!(halvings("[solver]\nmotion_per_step = 0.02", ""), (3, 0.02));
}

/// A load on a block that others hold up is not a free fall: the step is that of a wall under the same load.
#[test]
fn the_time_step_under_a_ramp_of_load_is_that_of_a_push_over_a_diameter() {
    let stage = "[[stages]]\nname = \"load\"\nend = { time = 1 }\n";
    let load = |group: &str| {
        format!("loads = [{{ group = \"{group}\", force = [0, {{ ramp = {{ to = \"-100 kN\", duration = 1 }} }}] }}]\n")
    };
    let step = |group: &str| blocks(&format!("{stage}{}", load(group))).1.settings.time_step;
    let expected = |mass: f64| {
        let diameter = (0.4_f64.hypot(0.2) + 0.2_f64.hypot(0.1)) / 2.0;
        // Half of the thinnest block is 5 cm, and half of that may be moved through in a step.
        let speed = (2.0 * 1e5 / mass * diameter + 2.0 * 9.81 * 0.25).sqrt();
        0.5 * 0.05 / speed
    };
    // The heavier block is pushed by its own mass, not by that of the lightest.
    for (group, mass) in [("lower", 208.0), ("upper", 52.0)] {
        let (step, expected) = (step(group), expected(mass));
        assert!((step / expected - 1.0).abs() < 0.05, "{group}: {step} s, expected {expected} s");
    }
}

/// Faces that are glued at several points hold more than they need, and no solve of that comes close to rounding; and
/// where grains are fed, the few at the start will be many.
#[test]
fn a_few_blocks_with_bonds_or_an_inlet_are_solved_as_many_blocks_are() {
    let stage = "[[stages]]\nname = \"stand\"\nend = { time = 1 }\n";
    let bonds = "[[bonds]]\ntensile_strength = \"10 N\"\nshear_strength = \"10 N\"\n";
    let residual = |text: &str| match blocks(text).1.settings.solver.criterion {
        Criterion::Motion { residual, .. } => residual,
        other => panic!("{other:?}"),
    };
    assert!(residual(stage) < 1e-8);
    let inlet = "[[inlets]]\nname = \"feed\"\nnumber_rate = 1\nradius = 0.05\n\
                 place = { box = { lower = [0, 5], upper = [1, 6] } }\n";
    for text in [bonds, inlet] {
        assert!((residual(&format!("{stage}{text}")) / 2e-5 - 1.0).abs() < 1e-9, "{text}");
    }
}

#[test]
fn a_text_that_is_not_toml_or_empty_has_that_fault_alone() {
    let faults = |text: &str| load(text, "scene.toml", &[]).unwrap_err();
    let yaml = faults("dimension: 2\nmaterials:\n  glass:\n    density: 2500\n");
    assert!(yaml.iter().all(|fault| fault.message.starts_with("not valid TOML")), "{yaml}");
    let broken = faults("title = \"a\ndimension = 2\nseed = [1 2]\n");
    let lines: Vec<usize> = broken.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [1, 3], "{broken}");
    for text in ["", "  \n\n"] {
        let empty = faults(text);
        assert_eq!((empty.len(), empty.iter().next().unwrap().message.as_str()), (1, "the file is empty"));
    }
}

/// Numbers of a handbook in g/cm³, and millimetres without their unit.
#[test]
fn sizes_and_densities_that_are_hardly_meant_are_remarked_on() {
    let text = |density: &str, radius: &str| {
        format!(
            "dimension = 2\n[materials.glass]\ndensity = {density}\nfriction = 0.5\n[[grains]]\nsample = \"list\"\n\
             positions = [[0, 0]]\nradius = {radius}\n[[stages]]\nname = \"fall\"\nend = {{ time = 1 }}\n"
        )
    };
    let remarks = |density: &str, radius: &str| world(&text(density, radius)).0.remarks().join("\n");
    let told = remarks("2.6", "1");
    assert!(told.contains("2.6 g/cm3 is \"2600 kg/m3\"") && told.contains("1 mm is written \"1 mm\""), "{told}");
    assert!(remarks("2.6e6", "\"1 mm\"").contains("more than any solid"));
    assert_eq!(remarks("\"2600 kg/m3\"", "\"1 m\""), "");
    assert_eq!(remarks("917", "0.01"), "");
}
