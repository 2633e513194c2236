//! Hints for numbers that are probably meant in another unit. They are not faults: there are boulders and aerogels.

use crate::check::Table;
use crate::model::Model;

/// Densities of solids (kg/m³): foams are above, and nothing on earth is beyond osmium, 22,590 kg/m³.
const DENSITIES: [f64; 2] = [10.0, 23_000.0];
/// Radii of grains (m) that a number without a unit hardly means: larger than a stone, smaller than any grain that friction
/// rather than the air decides about.
const RADII: [f64; 2] = [1e-7, 0.5];

/// What looks like a number in another unit.
pub(super) fn hints(root: &Table, model: &Model) -> Vec<String> {
    let mut hints = Vec::new();
    for material in &model.materials {
        let Some(density) = material.density else { continue };
        if density < DENSITIES[0] {
            hints.push(format!(
                "material \"{}\" has a density of {density} kg/m3, that of a gas; {density} g/cm3 is \"{} kg/m3\"",
                material.name,
                1000.0 * density
            ));
        } else if density > DENSITIES[1] {
            hints.push(format!(
                "material \"{}\" has a density of {density} kg/m3, more than any solid; numbers without a unit are in kg/m3",
                material.name
            ));
        }
    }
    for (index, (table, _)) in root.tables("grains").enumerate() {
        for key in ["radius", "diameter"] {
            let is_bare = table.get(key).is_some_and(|node| !node.literal.contains('"'));
            let Some(size) = table.number(key).filter(|_| is_bare) else { continue };
            let radius = if key == "radius" { size } else { 0.5 * size };
            if !(RADII[0]..RADII[1]).contains(&radius) {
                hints.push(format!(
                    "grains.{index}.{key} is {size} m: numbers without a unit are in metres, and {size} mm is written \
                     \"{size} mm\""
                ));
            }
        }
    }
    hints
}
