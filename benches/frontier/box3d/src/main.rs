//! The deposit by Box3D: spheres on a loose grid fall into a box.
//!
//!     box3d-deposit SPHERES.csv SIDE TIME STEP SUBSTEPS
//!
//! Reads x, y, z, r and prints the positions at the end, and the CPU seconds of the steps. The unit of length is the mean
//! radius, in which single precision and the tolerances of Box3D are at home; with gravity as it is, the unit of time follows.

use boxddd::{BodyType, BoxHull, Foundation, Sphere, Vec3};
use std::error::Error;

const DENSITY: f32 = 1.0;
const FRICTION: f32 = 0.5;
const GRAVITY: f32 = 9.81;
/// Damping of contacts, as Box3D has it by default.
const DAMPING: f32 = 10.0;
/// The largest speed at which overlaps are pushed apart, as Box3D has it by default.
const PUSH: f32 = 3.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, side, time, step, substeps] = &arguments[..] else { return Err("five arguments are needed".into()) };
    let (side, time, step): (f32, f32, f32) = (side.parse()?, time.parse()?, step.parse()?);
    let substeps: i32 = substeps.parse()?;
    let foundation = Foundation::initialize_default()?;
    // Contacts as stiff as the substeps allow: a quarter of their frequency.
    let frequency = 0.25 * substeps as f32 / step;
    let definition = foundation.world_def_builder().gravity(Vec3::new(0.0, 0.0, -GRAVITY)).worker_count(1);
    let definition = definition.enable_sleep(false).contact_tuning(frequency, DAMPING, PUSH);
    let mut world = foundation.create_world(definition.build()?)?;

    let surface = foundation.shape_def_builder().density(DENSITY).friction(FRICTION).build()?;
    let (half, tall) = (0.5 * side, 400.0);
    let walls = [
        ([half, half, -10.0], [side, side, 10.0]),
        ([-10.0, half, 0.5 * tall], [10.0, side, tall]),
        ([side + 10.0, half, 0.5 * tall], [10.0, side, tall]),
        ([half, -10.0, 0.5 * tall], [side, 10.0, tall]),
        ([half, side + 10.0, 0.5 * tall], [side, 10.0, tall]),
    ];
    for (at, extent) in walls {
        let body = foundation.body_def_builder().position(Vec3::new(at[0], at[1], at[2])).build()?;
        let body = world.create_body(body)?;
        world.create_hull_shape(body, &surface, &BoxHull::new(extent[0], extent[1], extent[2])?)?;
    }
    let mut bodies = Vec::new();
    for line in std::fs::read_to_string(file)?.lines().skip(1) {
        let numbers: Vec<f32> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let at = Vec3::new(numbers[0], numbers[1], numbers[2]);
        let body = foundation.body_def_builder().body_type(BodyType::Dynamic).position(at).build()?;
        let body = world.create_body(body)?;
        world.create_sphere_shape(body, &surface, &Sphere::new(Vec3::ZERO, numbers[3]))?;
        bodies.push(body);
    }
    for _ in 0..(time / step).round() as u32 {
        world.step(step, substeps)?;
    }
    for body in bodies {
        let at = world.body_position(body)?;
        println!("{},{},{}", at.x, at.y, at.z);
    }
    Ok(())
}
