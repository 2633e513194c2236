//! What was drawn from a sieve curve, in words.

use crate::model::{Grains, Model};
use crate::sizes::Size;
use riprap_engine::GrainTable;

/// For each entry with a sieve curve, the fractions that pass among its grains, beside those of the curve. Entries that share
/// material and group cannot be told apart, and nothing is said about them.
pub(super) fn drawn(model: &Model, grains: &GrainTable) -> Vec<String> {
    let name = |entry: &Grains| {
        let material = entry.material.map(|index| model.materials[index].name.clone());
        (material.unwrap_or_default(), entry.group.clone().unwrap_or_else(|| "grains".into()))
    };
    let mut lines = Vec::new();
    for (index, entry) in model.grains.iter().enumerate() {
        let Size::Sieve { points } = &entry.size else { continue };
        let own = name(entry);
        if model.grains.iter().filter(|other| name(other) == own).count() > 1 {
            continue;
        }
        let is_own = |row: &usize| (&grains.material[*row], &grains.group[*row]) == (&own.0, &own.1);
        let radii: Vec<f64> = (0..grains.len()).filter(is_own).map(|row| grains.radius[row]).collect();
        if !radii.is_empty() {
            lines.push(format!("grains.{index}: {}", in_words(points, &radii, model.dimension)));
        }
    }
    lines
}

fn in_words(points: &[(f64, f64)], radii: &[f64], dimension: usize) -> String {
    let mass = |radius: f64| if dimension == 2 { radius * radius } else { radius * radius * radius };
    let total: f64 = radii.iter().map(|&radius| mass(radius)).sum();
    let passing = |opening: f64| radii.iter().filter(|&&r| r < opening).map(|&r| mass(r)).sum::<f64>() / total;
    let inner = &points[1..points.len() - 1];
    let parts: Vec<String> =
        inner.iter().map(|&(r, wanted)| format!("{:.3} of {wanted:.3} at {:.3e} m", passing(r), 2.0 * r)).collect();
    let worst = inner.iter().map(|&(r, wanted)| (passing(r) - wanted).abs()).fold(0.0, f64::max);
    match parts.len() {
        0 => format!("{} grains between two sieves", radii.len()),
        _ => format!(
            "of the mass of {} grains pass, as drawn and by the sieve curve, {} (largest difference {worst:.3})",
            radii.len(),
            parts.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_by_mass() {
        // Seven small disks of 1 kg, and one of twice the radius and 4 kg.
        let radii = [[1.0; 7].to_vec(), vec![2.0]].concat();
        let words = in_words(&[(0.5, 0.0), (1.5, 0.6), (2.5, 1.0)], &radii, 2);
        assert!(words.contains("0.636 of 0.600 at 3.000e0 m"), "{words}");
        assert!(words.contains("largest difference 0.036"), "{words}");
    }
}
