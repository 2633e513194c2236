//! Grains that have fallen past all walls, and will fall for ever.

use crate::words::{counted, three_digits};
use riprap_engine::{AnyWorld, Dim, Shape, Vector, World, for_any_world};
use riprap_scene::Scene;

/// The grains that nothing will stop, in words; none if there are no such grains, or if an outlet waits for them.
pub fn fallen_in_words(scene: &Scene, world: &AnyWorld) -> Option<String> {
    if scene.has_outlets() {
        return None;
    }
    let (fallen, deepest) = for_any_world!(world, world => fallen(world))?;
    let grains = for_any_world!(world, world => world.free_bodies().count() as u64);
    let have = if fallen == 1 { "has" } else { "have" };
    let below = three_digits(deepest);
    Some(format!(
        "{fallen} of {} {have} fallen past all walls, down to {below} m below the lowest",
        counted(grains, "grain")
    ))
}

/// The number of grains that are entirely below all walls, and how far the lowest is. A wall without end is below every
/// grain, unless it stands along gravity.
fn fallen<D: Dim>(world: &World<D>) -> Option<(u64, f64)> {
    let down = world.gravity.at(world.state.time).normalized()?;
    if (0..D::AXES).any(|axis| world.state.cell.period.get(axis) > 0.0 && down.get(axis) != 0.0) {
        return None;
    }
    let depth = |body: usize| world.state.position[body].dot(down);
    let mut lowest = f64::NEG_INFINITY;
    for (index, body) in world.bodies.iter().enumerate().filter(|(_, body)| !body.is_free()) {
        match (body.shape.bounding_radius(), &body.shape) {
            (Some(radius), _) => lowest = lowest.max(depth(index) + radius),
            (None, Shape::Plane { normal }) => {
                let normal = D::rotate(world.state.orientation[index], *normal);
                if normal.dot(down).abs() > 1e-9 {
                    return None;
                }
            }
            (None, _) => return None,
        }
    }
    let below = world.free_bodies().filter_map(|body| {
        let beyond = depth(body) - world.bodies[body].shape.bounding_radius()? - lowest;
        (lowest.is_finite() && beyond > 0.0).then_some(beyond)
    });
    let (count, deepest) = below.fold((0, 0.0), |(count, most), beyond| (count + 1, f64::max(most, beyond)));
    (count > 0).then_some((count, deepest))
}
