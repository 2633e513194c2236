//! Hinges, motors, carriers and pivots in the words of a scene.

use crate::built;
use riprap_engine::{AnyWorld, Body, D2, D3, Freedom, Freedoms, Hanging, Motion, Silent, TimeFunction, World};
use riprap_scene::Scene;

const REST: &str = r#"
[materials.oak]
density = 700
friction = 0.4
[[grains]]
sample = "list"
positions = [POINT]
radius = 0.01
[[stages]]
name = "turn"
end = { time = 1 }
"#;

fn scene(dimension: usize, text: &str) -> (Scene, AnyWorld) {
    let rest = REST.replace("POINT", if dimension == 2 { "[5, 5]" } else { "[5, 5, 5]" });
    let (scene, _, mut world) = built("machine.toml", &format!("dimension = {dimension}\n{rest}\n{text}"));
    scene.enter_stage(0, &mut world, None);
    (scene, world)
}

fn plane(text: &str) -> World<D2> {
    match scene(2, text).1 {
        AnyWorld::D2(world) => world,
        AnyWorld::D3(_) => panic!("a scene of disks"),
    }
}

fn wall<'a>(world: &'a World<D2>, name: &str) -> (&'a Body<D2>, &'a Freedoms<D2>) {
    let body = &world.bodies[world.wall(name).expect("it is there") as usize];
    match &body.motion {
        Motion::Driven(freedoms) => (body, freedoms),
        Motion::Free => panic!("a wall"),
    }
}

/// A door of 2 m by 0.1 m that is hinged in the middle of its left edge: `I = m ((a² + b²)/12 + (a/2)²)`.
#[test]
fn a_hinged_block_has_the_mass_and_inertia_of_its_shape() {
    let door = "[[walls]]\nname = \"door\"\nshape = \"block\"\n\
                corners = [[1, 1], [3, 1], [3, 1.1], [1, 1.1]]\npivot = [1, 1.05]\n\
                [[drivers]]\nwall = \"door\"\nrotation = { hinge = {} }\n";
    let world = plane(door);
    let (body, freedoms) = wall(&world, "door");
    let mass = 700.0 * 0.2;
    let Some(Hanging { mass: hangs, arm }) = freedoms.hanging else { panic!("it hangs") };
    assert!((hangs - mass).abs() < 1e-9);
    assert!((arm - riprap_engine::glam::DVec2::new(1.0, 0.0)).length() < 1e-12, "{arm}");
    assert!((body.inertia / (mass * ((4.0 + 0.01) / 12.0 + 1.0)) - 1.0).abs() < 1e-12);
    assert_eq!(world.state.position[1], riprap_engine::glam::DVec2::new(1.0, 1.05));
    assert!(matches!(&freedoms.rotation[0], Freedom::Force(TimeFunction::Constant(0.0))));

    // In space, about an axis that is none of its own: a cuboid of 2 × 1 × 0.1 m about the edge along y.
    let door = "[[walls]]\nname = \"door\"\nshape = \"block\"\n\
                corners = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 0.1], [2, 0, 0.1], [2, 1, 0.1], [0, 1, 0.1]]\n\
                pivot = [0, 0, 0.05]\n\
                [[drivers]]\nwall = \"door\"\nrotation = { axis = [0, 1, 0], hinge = {} }\n";
    let AnyWorld::D3(world) = scene(3, door).1 else { panic!("a scene of spheres") };
    let body: &Body<D3> = &world.bodies[1];
    assert!((body.inertia.y / (mass * ((4.0 + 0.01) / 12.0 + 1.0)) - 1.0).abs() < 1e-9, "{}", body.inertia);
}

#[test]
fn motors_angles_sums_and_carriers_become_freedoms() {
    let world = plane(
        "[[walls]]\nname = \"disk\"\nshape = \"rod\"\ncentre = [0, 0]\nradius = 0.1\n\
         [[walls]]\nname = \"cup\"\nshape = \"drum\"\ncentre = [0, 0.5]\nradius = 10\n\
         [[walls]]\nname = \"fan\"\nshape = \"plate\"\ncorners = [[1, 0], [2, 0]]\npivot = [1, 0]\n\
         [[drivers]]\nwall = \"disk\"\nrotation = { angle = { sum = [{ ramp = { to = 2, duration = 1 } }, 1] } }\n\
         [[drivers]]\nwall = \"cup\"\non = \"disk\"\n\
         [[drivers]]\nwall = \"fan\"\nrotation = { velocity = 3, largest_torque = 4, inertia = 5 }\n",
    );
    let (_, disk) = wall(&world, "disk");
    let Freedom::Displacement(TimeFunction::Sum(parts)) = &disk.rotation[0] else { panic!("an angle") };
    assert_eq!(parts[1], TimeFunction::Constant(1.0));
    let (_, cup) = wall(&world, "cup");
    assert_eq!(cup.carrier.map(|carrier| carrier.id.0), world.wall("disk"));
    let (fan, freedoms) = wall(&world, "fan");
    assert_eq!(freedoms.rotation[0], Freedom::Motor { velocity: TimeFunction::Constant(3.0), largest: 4.0 });
    assert_eq!(fan.inertia, 5.0);
}

/// The corner of a plate that turns about its end stays at its distance, and grains lie on a plate with a pivot as on one
/// without.
#[test]
fn a_plate_with_a_pivot_turns_about_it() {
    let text = |pivot: &str| {
        format!(
            "[[walls]]\nname = \"table\"\nshape = \"plate\"\ncorners = [[4, 4.98], [6, 4.98]]\n{pivot}\n\
             [solver]\ntime_step = 1e-3\n"
        )
    };
    for pivot in ["", "pivot = [4, 4.98]"] {
        let mut world = plane(&text(pivot));
        for _ in 0..400 {
            world.step(&mut Silent).unwrap();
        }
        assert!((world.state.position[0].y - 4.99).abs() < 1e-6, "{pivot}: {}", world.state.position[0]);
    }
}

#[test]
fn a_record_within_a_sum_is_kept_with_the_run() {
    let text = "[[walls]]\nname = \"a\"\nshape = \"rod\"\ncentre = [0, 0]\nradius = 0.1\n\
                [[drivers]]\nwall = \"a\"\nx = { velocity = { sum = [1, { file = \"pulse.csv\" }] } }\n";
    let resolved = scene(2, text).0.resolved();
    let rows = "[[0.0, 0.0], [100.0, 0.5], [200.0, 0.0]]";
    assert!(resolved.contains(&format!("{{ sum = [1, {{ table = {rows} }}] }}")), "{resolved}");
}
