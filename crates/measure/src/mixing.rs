//! How well two or more kinds of grains are mixed.

use crate::grid::Grid;
use crate::{Grain, Packing, Region, Unavailable, box_of_grains};

/// The edge of a sample of a mixture, in mean diameters: some 20 disks, or 70 spheres of a dense packing.
pub const SAMPLE: f64 = 4.0;

/// Grains whose centres are at most this far apart, in mean diameters, are neighbours: the first shell of a dense packing.
const NEAR: f64 = 1.5;

/// By what grains are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// By their groups.
    Group,
    /// By their materials.
    Material,
    /// Those larger than the median, and the others.
    Size,
}

/// Indices of mixing.
///
/// The packing is cut into `K` cubes (squares) with `N` grains in all. In cube `i` with `n_i` grains, kind `k` has the share
/// `x_ik`, and `p_k` in the whole. The variance is `s² = Σ_k Σ_i n_i (x_ik − p_k)²/N`. It is `s_0² = Σ_k p_k (1 − p_k)` if every
/// cube holds one kind only, and `s_r² = s_0² (K − 1)/(N − 1)` in the mean over all ways to deal the kinds out to the grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixing {
    /// By what grains are told apart.
    pub kinds: Kinds,
    /// How many kinds there are.
    pub count: usize,
    /// The number of cubes with grains, `K`.
    pub samples: usize,
    /// Lacey's index, `(s_0² − s²)/(s_0² − s_r²)`: 0 if segregated, 1 in the mean for a random mixture.
    pub lacey: f64,
    /// The standard deviation of the shares over `√Σ p_k²`; of two kinds in equal parts that of one share over its mean.
    pub relative_deviation: f64,
    /// The part of neighbours that are of another kind, over that of a random mixture.
    pub neighbours: f64,
    /// The mean height of the first kind above that of the others, over the standard deviation of all heights; along gravity,
    /// or the last axis without it. Positive if the first kind is on top.
    pub segregation: f64,
}

/// The mixing of the grains in a region, or of all, in cubes of this edge.
pub fn mixing(packing: &Packing, region: Option<&Region>, edge: Option<f64>) -> Result<Mixing, Unavailable> {
    let inside = |grain: &&Grain| region.is_none_or(|region| region.contains(grain.position));
    let grains: Vec<&Grain> = packing.grains.iter().filter(inside).collect();
    if grains.is_empty() {
        return Err(Unavailable::NoGrains);
    }
    let (kinds, kind) = told_apart(&grains)?;
    let count = kind.iter().max().map_or(0, |last| last + 1);
    let total = grains.len() as f64;
    let mut share = vec![0.0; count];
    kind.iter().for_each(|&kind| share[kind] += 1.0 / total);
    let segregated: f64 = share.iter().map(|p| p * (1.0 - p)).sum();

    let edge = edge.unwrap_or(SAMPLE * 2.0 * packing.mean_radius());
    let cells = sampled(packing, &grains, &kind, count, edge);
    let mut variance = 0.0;
    for numbers in &cells {
        let n: f64 = numbers.iter().sum();
        variance += numbers.iter().zip(&share).map(|(m, p)| n * (m / n - p).powi(2)).sum::<f64>() / total;
    }
    let random = segregated * (cells.len() as f64 - 1.0) / (total - 1.0);
    if cells.len() < 2 || random >= segregated {
        return Err(Unavailable::TooFew { what: "grains for samples of a mixture", found: grains.len(), needed: 100 });
    }
    Ok(Mixing {
        kinds,
        count,
        samples: cells.len(),
        lacey: (segregated - variance) / (segregated - random),
        relative_deviation: (variance / share.iter().map(|p| p * p).sum::<f64>()).sqrt(),
        neighbours: unlike_neighbours(packing, &grains, &kind) / (segregated * total / (total - 1.0)),
        segregation: segregation(packing, &grains, &kind),
    })
}

/// What kind each grain is of, counted from 0.
fn told_apart(grains: &[&Grain]) -> Result<(Kinds, Vec<usize>), Unavailable> {
    let by = |of: &dyn Fn(&Grain) -> u16| {
        let mut found: Vec<u16> = grains.iter().map(|grain| of(grain)).collect();
        found.sort_unstable();
        found.dedup();
        let kind = |grain: &&Grain| found.binary_search(&of(grain)).unwrap_or(0);
        (found.len() > 1).then(|| grains.iter().map(kind).collect::<Vec<usize>>())
    };
    if let Some(kind) = by(&|grain| grain.group) {
        return Ok((Kinds::Group, kind));
    }
    if let Some(kind) = by(&|grain| grain.material) {
        return Ok((Kinds::Material, kind));
    }
    let mut radii: Vec<f64> = grains.iter().map(|grain| grain.radius).collect();
    radii.sort_unstable_by(f64::total_cmp);
    let median = radii[(radii.len() - 1) / 2];
    if radii[0] < radii[radii.len() - 1] && median < radii[radii.len() - 1] {
        return Ok((Kinds::Size, grains.iter().map(|grain| usize::from(grain.radius <= median)).collect()));
    }
    Err(Unavailable::Because(
        "all grains are alike: mixing is measured between groups, materials, or small and large grains".into(),
    ))
}

/// The number of grains of each kind in every cube that has grains.
fn sampled(packing: &Packing, grains: &[&Grain], kind: &[usize], count: usize, edge: f64) -> Vec<Vec<f64>> {
    let around = box_of_grains(packing);
    let low: [f64; 3] = std::array::from_fn(|i| if packing.is_periodic(i) { packing.origin[i] } else { around.low[i] });
    let cell = |grain: &Grain| -> [i64; 3] {
        std::array::from_fn(|i| {
            if i < packing.dimension { ((grain.position[i] - low[i]) / edge).floor() as i64 } else { 0 }
        })
    };
    let mut found: Vec<([i64; 3], usize)> = grains.iter().zip(kind).map(|(grain, &kind)| (cell(grain), kind)).collect();
    found.sort_unstable();
    let mut cells: Vec<Vec<f64>> = Vec::new();
    for chunk in found.chunk_by(|a, b| a.0 == b.0) {
        let mut numbers = vec![0.0; count];
        chunk.iter().for_each(|(_, kind)| numbers[*kind] += 1.0);
        cells.push(numbers);
    }
    cells
}

/// The part of the neighbours of a grain that are of another kind, in the mean over grains that have any.
fn unlike_neighbours(packing: &Packing, grains: &[&Grain], kind: &[usize]) -> f64 {
    let reach = NEAR * 2.0 * packing.mean_radius();
    let grid = Grid::new(packing, reach);
    // Grains stand by increasing id.
    let kind_of = |row: usize| grains.binary_search_by_key(&packing.grains[row].id, |g| g.id).ok().map(|at| kind[at]);
    let (mut sum, mut having) = (0.0, 0.0);
    for (grain, &own) in grains.iter().zip(kind) {
        let (mut unlike, mut all) = (0.0, 0.0);
        grid.near(grain.position, reach, |row, _| {
            if let Some(other) = kind_of(row).filter(|_| packing.grains[row].id != grain.id) {
                all += 1.0;
                unlike += f64::from(u8::from(other != own));
            }
        });
        if all > 0.0 {
            (sum, having) = (sum + unlike / all, having + 1.0);
        }
    }
    if having > 0.0 { sum / having } else { f64::NAN }
}

fn segregation(packing: &Packing, grains: &[&Grain], kind: &[usize]) -> f64 {
    let up = crate::repose::up(packing);
    let height = |grain: &Grain| (0..3).map(|i| grain.position[i] * up[i]).sum::<f64>();
    let mean = |of: &dyn Fn(usize) -> bool| {
        let chosen: Vec<f64> =
            grains.iter().zip(kind).filter(|(_, k)| of(**k)).map(|(grain, _)| height(grain)).collect();
        chosen.iter().sum::<f64>() / chosen.len() as f64
    };
    let all = mean(&|_| true);
    let spread = grains.iter().map(|grain| (height(grain) - all).powi(2)).sum::<f64>() / grains.len() as f64;
    if spread > 0.0 { (mean(&|kind| kind == 0) - mean(&|kind| kind != 0)) / spread.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Disks of diameter 1 on a square lattice, 32 by 32, of two groups.
    fn lattice(group: impl Fn(usize, usize) -> u16) -> Packing {
        let mut packing = Packing { dimension: 2, gravity: [0.0, -1.0, 0.0], ..Packing::default() };
        for y in 0..32_u16 {
            for x in 0..32_u16 {
                packing.grains.push(Grain {
                    id: u32::from(y) * 32 + u32::from(x),
                    position: [f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0],
                    radius: 0.5,
                    group: group(usize::from(x), usize::from(y)),
                    ..Grain::default()
                });
            }
        }
        packing
    }

    #[test]
    fn a_checkerboard_of_samples_is_segregated_and_one_of_grains_is_mixed_better_than_at_random() {
        // Every cube of 4 by 4 grains is pure.
        let board = mixing(&lattice(|x, y| ((x / 4 + y / 4) % 2) as u16), None, None).unwrap();
        assert_eq!((board.kinds, board.count, board.samples), (Kinds::Group, 2, 64));
        assert!(board.lacey.abs() < 1e-12, "{board:?}");
        assert!((board.relative_deviation - 1.0).abs() < 1e-12, "{board:?}");
        // Every cube has eight of each; what is left is the finite size of a random mixture.
        let fine = mixing(&lattice(|x, y| ((x + y) % 2) as u16), None, None).unwrap();
        assert!((fine.lacey - 1.0 / (1.0 - 63.0 / 1023.0)).abs() < 1e-12 && fine.relative_deviation == 0.0, "{fine:?}");
        assert!(fine.segregation.abs() < 1e-12);
        // Of the eight neighbours of a grain within 1.5 diameters, four are of the other kind; fewer at the edges, where
        // three of five are, and two of three in the corners.
        let unlike = (30.0 * 30.0 * 0.5 + 4.0 * 30.0 * 0.6 + 4.0 * 2.0 / 3.0) / 1024.0;
        assert!((fine.neighbours - unlike / (0.5 * 1024.0 / 1023.0)).abs() < 1e-12, "{fine:?}");
    }

    #[test]
    fn a_random_mixture_has_an_index_of_one_within_its_scatter() {
        // A generator of its own is enough for a coin.
        let mut state = 12345_u64;
        let mut coin = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) & 1) as u16
        };
        let draws: Vec<f64> = (0..200)
            .map(|_| {
                let tossed: Vec<u16> = (0..1024).map(|_| coin()).collect();
                mixing(&lattice(|x, y| tossed[32 * y + x]), None, None).unwrap().lacey
            })
            .collect();
        let mean = draws.iter().sum::<f64>() / 200.0;
        let deviation = (draws.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / 199.0).sqrt();
        assert!((mean - 1.0).abs() < 4.0 * deviation / 200.0_f64.sqrt(), "{mean} ± {deviation}");
    }

    #[test]
    fn layers_are_segregated_along_gravity() {
        let layers = mixing(&lattice(|_, y| u16::from(y < 16)), None, None).unwrap();
        // Uniform heights deviate by 32/√12, but for the steps of the lattice; the layers are 16 apart.
        let spread = ((32.0 * 32.0 - 1.0) / 12.0_f64).sqrt();
        assert!((layers.segregation - 16.0 / spread).abs() < 1e-12, "{layers:?}");
        assert!(layers.lacey.abs() < 1e-12 && layers.neighbours < 0.1, "{layers:?}");
        let alike = mixing(&lattice(|_, _| 0), None, None).unwrap_err();
        assert!(alike.to_string().contains("alike"), "{alike}");
    }
}
