//! Profiles: what grains do, layer by layer.

use crate::linear::{add, scaled, sub};
use crate::overlap::ball_in_box;
use crate::{Packing, Region, Unavailable, box_of_grains};

/// A layer across an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Where its middle is along the axis, in metres.
    pub at: f64,
    /// How many grains have their centre in it.
    pub grains: usize,
    /// Their mean velocity, in m/s.
    pub velocity: [f64; 3],
    /// Standard deviation of each component.
    pub fluctuation: [f64; 3],
    /// Their mean spin, in rad/s.
    pub spin: [f64; 3],
    /// The solid fraction, with grains cut at the sides of the layer.
    pub solid_fraction: f64,
}

/// Layers across an axis, each about `thickness` thick; by default a mean diameter. The solid fraction is against the
/// region, or the box of the grains with periodic axes at their whole length.
pub fn profile(
    packing: &Packing,
    region: Option<&Region>,
    axis: usize,
    thickness: Option<f64>,
) -> Result<Vec<Layer>, Unavailable> {
    if packing.grains.is_empty() {
        return Err(Unavailable::NoGrains);
    }
    if axis >= packing.dimension {
        return Err(Unavailable::Because(format!("a {}D packing has no axis {axis}", packing.dimension)));
    }
    let mut around = region.copied().unwrap_or_else(|| box_of_grains(packing));
    if region.is_none() {
        for k in (0..packing.dimension).filter(|&k| packing.is_periodic(k)) {
            (around.low[k], around.high[k]) = (packing.origin[k], packing.origin[k] + packing.period[k]);
        }
    }
    let wanted = thickness.unwrap_or(2.0 * packing.mean_radius());
    let length = around.high[axis] - around.low[axis];
    let count = ((length / wanted).round().clamp(1.0, 1e5) as usize).max(1);
    let step = length / count as f64;
    let mut layers: Vec<Layer> = (0..count)
        .map(|k| Layer {
            at: around.low[axis] + (k as f64 + 0.5) * step,
            grains: 0,
            velocity: [0.0; 3],
            fluctuation: [0.0; 3],
            spin: [0.0; 3],
            solid_fraction: 0.0,
        })
        .collect();
    let place = |x: f64| ((x - around.low[axis]) / step).floor();
    let inside: Vec<(&crate::Grain, usize)> = packing
        .grains
        .iter()
        .filter(|grain| region.is_none_or(|region| region.contains(grain.position)))
        .map(|grain| (grain, place(grain.position[axis]).clamp(0.0, (count - 1) as f64) as usize))
        .collect();
    for &(grain, k) in &inside {
        layers[k].grains += 1;
        layers[k].velocity = add(layers[k].velocity, grain.velocity);
        layers[k].spin = add(layers[k].spin, grain.spin);
    }
    for layer in layers.iter_mut().filter(|layer| layer.grains > 0) {
        let per_grain = 1.0 / layer.grains as f64;
        (layer.velocity, layer.spin) = (scaled(layer.velocity, per_grain), scaled(layer.spin, per_grain));
    }
    for &(grain, k) in &inside {
        let off = sub(grain.velocity, layers[k].velocity);
        layers[k].fluctuation = add(layers[k].fluctuation, off.map(|c| c * c));
    }
    for layer in layers.iter_mut().filter(|layer| layer.grains > 0) {
        layer.fluctuation = layer.fluctuation.map(|sum| (sum / layer.grains as f64).sqrt());
    }
    fill_solid_fractions(packing, &around, axis, step, &mut layers);
    Ok(layers)
}

fn fill_solid_fractions(packing: &Packing, around: &Region, axis: usize, step: f64, layers: &mut [Layer]) {
    let mut volume = step;
    let (mut low, mut high) = (around.low, around.high);
    for k in (0..packing.dimension).filter(|&k| k != axis) {
        volume *= around.high[k] - around.low[k];
        if packing.is_periodic(k) && around.high[k] - around.low[k] >= packing.period[k] * (1.0 - 1e-12) {
            (low[k], high[k]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }
    let shifts: &[f64] = if packing.is_periodic(axis) { &[-1.0, 0.0, 1.0] } else { &[0.0] };
    for grain in &packing.grains {
        for shift in shifts {
            let mut centre = grain.position;
            centre[axis] += shift * packing.period[axis];
            let layer_of = |x: f64| ((x - around.low[axis]) / step).floor();
            let first = layer_of(centre[axis] - grain.radius).max(0.0) as usize;
            let last = layer_of(centre[axis] + grain.radius);
            if last < 0.0 {
                continue;
            }
            let end = (last as usize + 1).min(layers.len());
            for (k, layer) in layers.iter_mut().enumerate().take(end).skip(first) {
                (low[axis], high[axis]) =
                    (around.low[axis] + k as f64 * step, around.low[axis] + (k + 1) as f64 * step);
                layer.solid_fraction += ball_in_box(packing.dimension, centre, grain.radius, low, high) / volume;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::periodic_square_lattice;
    use riprap_engine::Vector;
    use std::f64::consts::PI;

    #[test]
    fn plane_shear_of_a_lattice_is_a_straight_line() {
        let mut world = periodic_square_lattice(6, [1.0, 1.0]);
        for i in 0..36 {
            let height = world.state.position[i].y;
            let wobble = if i % 2 == 0 { 0.1 } else { -0.1 };
            world.state.velocity[i] = Vector::from_array3([2.0 * height, wobble, 0.0]);
            world.state.spin[i] = -height;
        }
        let layers = profile(&Packing::of(&world), None, 1, None).unwrap();
        assert_eq!(layers.len(), 6);
        for (k, layer) in layers.iter().enumerate() {
            let height = k as f64 + 0.5;
            assert!((layer.at - height).abs() < 1e-12 && layer.grains == 6);
            assert!((layer.velocity[0] - 2.0 * height).abs() < 1e-12 && layer.velocity[1].abs() < 1e-12);
            assert!(layer.fluctuation[0] < 1e-7 && (layer.fluctuation[1] - 0.1).abs() < 1e-12);
            assert!((layer.spin[2] + height).abs() < 1e-12);
            assert!((layer.solid_fraction - PI / 4.0).abs() < 1e-12);
        }
        // Layers of half the size cut every grain into two.
        let halves = profile(&Packing::of(&world), None, 1, Some(0.5)).unwrap();
        assert!(halves.len() == 12 && halves.iter().all(|layer| (layer.solid_fraction - PI / 4.0).abs() < 1e-12));
        assert!(profile(&Packing::of(&world), None, 2, None).is_err());
    }
}
