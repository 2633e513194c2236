//! The radial distribution of grains.

use crate::grid::Grid;
use crate::linear::length;
use crate::solid_fraction::{grains_inside, packed_region};
use crate::{Packing, Region, Unavailable};
use std::f64::consts::PI;

/// How often grains are at a distance from each other, against grains without order.
#[derive(Clone, Debug, PartialEq)]
pub struct RadialDistribution {
    /// Mean diameter, the unit of distances, in metres.
    pub diameter: f64,
    /// Rows of distance over the diameter (middle of a bin) and `g`.
    pub points: Vec<[f64; 2]>,
    /// How many grains were stood on.
    pub centres: usize,
}

/// The radial distribution up to `reach` mean diameters, in bins of `width` diameters. It is taken about the grains that
/// are at least `reach` away from the sides of the region (by default the packed one), so that nothing is missing
/// around them.
pub fn radial_distribution(
    packing: &Packing,
    region: Option<&Region>,
    reach: f64,
    width: f64,
) -> Result<RadialDistribution, Unavailable> {
    let region = match region {
        Some(region) => *region,
        None => packed_region(packing)?,
    };
    let diameter = 2.0 * packing.mean_radius();
    let inner = region.inset(reach * diameter, packing);
    let is_empty = (0..packing.dimension).any(|axis| inner.low[axis] >= inner.high[axis]);
    let centres = if is_empty { Vec::new() } else { grains_inside(packing, &inner).unwrap_or_default() };
    if centres.is_empty() {
        return Err(Unavailable::Because(format!(
            "no grain is {reach} diameters away from all sides of the region, so that none is surrounded by all of its neighbours"
        )));
    }
    let bins = (reach / width).round().max(1.0) as usize;
    let mut counts = vec![0_u64; bins];
    let grid = Grid::new(packing, diameter);
    for &row in &centres {
        grid.near(packing.grains[row].position, reach * diameter, |_, to| {
            let place = (length(to) / (width * diameter)) as usize;
            // A grain is not its own neighbour.
            if place < bins && to != [0.0; 3] {
                counts[place] += 1;
            }
        });
    }
    // The number density is that of the region around the centres.
    let number = grains_inside(packing, &region)?.len() as f64 / region.volume(packing.dimension);
    let shell = |radius: f64| {
        if packing.dimension == 2 { PI * radius * radius } else { 4.0 / 3.0 * PI * radius.powi(3) }
    };
    let points = counts.into_iter().enumerate().map(|(place, count)| {
        let [from, to] = [place, place + 1].map(|k| k as f64 * width * diameter);
        let expected = centres.len() as f64 * number * (shell(to) - shell(from));
        [(place as f64 + 0.5) * width, count as f64 / expected]
    });
    Ok(RadialDistribution { diameter, points: points.collect(), centres: centres.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{cubic_lattice, periodic_square_lattice};
    use riprap_engine::Vector;

    #[test]
    fn a_periodic_cubic_lattice_has_the_shells_of_its_neighbours() {
        let mut world = cubic_lattice([6, 6, 6]);
        world.state.cell.period = Vector::from_array3([6.0; 3]);
        let found = radial_distribution(&Packing::of(&world), None, 2.0, 0.1).unwrap();
        assert_eq!(found.centres, 216);
        // Six neighbours at 1, between 1.0 and 1.1: the shell there has the volume 4/3 π (1.1³ − 1).
        let expected = 6.0 / (4.0 / 3.0 * PI * (1.1_f64.powi(3) - 1.0));
        assert!((found.points[10][1] - expected).abs() < 1e-9, "{:?}", found.points);
        assert!(found.points[..10].iter().all(|point| point[1] == 0.0));
    }

    #[test]
    fn without_periods_only_inner_grains_are_centres() {
        let found = radial_distribution(&Packing::of(&cubic_lattice([9, 9, 9])), None, 2.0, 0.05);
        assert!(found.is_err(), "free sides leave the middle third, which is too small");
        let region = Region::new([0.0; 3], [9.0; 3]);
        let found = radial_distribution(&Packing::of(&cubic_lattice([9, 9, 9])), Some(&region), 2.0, 0.05).unwrap();
        assert_eq!(found.centres, 125);
        let flat = radial_distribution(&Packing::of(&periodic_square_lattice(8, [1.0, 1.0])), None, 1.2, 0.1).unwrap();
        assert!((flat.points[10][1] - 4.0 / (PI * 0.21)).abs() < 1e-9, "{flat:?}");
    }
}
