//! The angle of repose: of a heap with free sides, or of the grains in a drum.

use crate::linear::{cross, dot, length, scaled, sub};
use crate::{Grain, Packing, Region, Unavailable, WallSurface};
use riprap_engine::Primitive;

/// An inclined surface needs this many columns of grains.
const COLUMNS: usize = 6;

/// The inclination of free surfaces, in radians.
#[derive(Clone, Debug, PartialEq)]
pub struct Repose {
    /// The mean over the flanks.
    pub angle: f64,
    /// The standard error of the slope that is fitted.
    pub uncertainty: f64,
    /// Of a heap in 2D its left and right flank; else of one surface.
    pub flanks: Vec<f64>,
    /// The points of the surface: how far out, and how high.
    pub surface: Vec<[f64; 2]>,
}

/// Up: against gravity, or along the last axis without it.
pub(crate) fn up(packing: &Packing) -> [f64; 3] {
    let gravity = length(packing.gravity);
    if gravity > 0.0 {
        scaled(packing.gravity, -1.0 / gravity)
    } else {
        std::array::from_fn(|i| f64::from(u8::from(i + 1 == packing.dimension)))
    }
}

/// The angle of repose.
///
/// The surface is cut into columns of a mean diameter, along the slope of a drum, or away from the axis of a heap, which goes
/// through its centre of mass. The highest point of the grains in a column is a point of the surface. A line is fitted to those
/// between a fifth and four fifths of the height of a heap, so that neither the rounded top nor the scattered foot counts, or in
/// the middle half of the surface in a drum.
pub fn repose(packing: &Packing, region: Option<&Region>) -> Result<Repose, Unavailable> {
    let inside = |grain: &&Grain| region.is_none_or(|region| region.contains(grain.position));
    let grains: Vec<&Grain> = packing.grains.iter().filter(inside).collect();
    if grains.is_empty() {
        return Err(Unavailable::NoGrains);
    }
    let up = up(packing);
    let width = 2.0 * packing.mean_radius();
    if let Some(along) = across_drum(packing, up) {
        let surface = surface(&grains, up, width, |grain| dot(grain.position, along));
        let (low, high) = ends(&surface, 0);
        let quarter = 0.25 * (high - low);
        let chosen = surface.iter().filter(|[x, _]| (low + quarter..=high - quarter).contains(x)).copied().collect();
        let (slope, error) = line(chosen)?;
        let angle = slope.atan().abs();
        let uncertainty = error / (1.0 + slope * slope);
        return Ok(Repose { angle, uncertainty, flanks: vec![angle], surface });
    }
    let mass: f64 = grains.iter().map(|grain| grain.volume).sum();
    let centre: [f64; 3] =
        std::array::from_fn(|i| grains.iter().map(|grain| grain.position[i] * grain.volume).sum::<f64>() / mass);
    let flat = |grain: &Grain| {
        let away = sub(grain.position, centre);
        sub(away, scaled(up, dot(away, up)))
    };
    let sides: Vec<f64> = if packing.dimension == 2 { vec![-1.0, 1.0] } else { vec![1.0] };
    let mut all = Repose { angle: 0.0, uncertainty: 0.0, flanks: Vec::new(), surface: Vec::new() };
    for &side in &sides {
        // In 2D the distance has a sign, in space it has none.
        let out = |grain: &Grain| match packing.dimension {
            2 => side * (flat(grain)[0] * up[1] - flat(grain)[1] * up[0]),
            _ => length(flat(grain)),
        };
        let flank: Vec<&Grain> = grains.iter().filter(|grain| out(grain) >= 0.0).copied().collect();
        let surface = surface(&flank, up, width, out);
        let floor = grains.iter().map(|grain| dot(grain.position, up) - grain.radius).fold(f64::INFINITY, f64::min);
        let top = ends(&surface, 1).1 - floor;
        let is_flank = |point: &&[f64; 2]| (0.2 * top..=0.8 * top).contains(&(point[1] - floor));
        let (slope, error) = line(surface.iter().filter(is_flank).copied().collect())?;
        all.flanks.push((-slope).atan());
        all.uncertainty += (error / (1.0 + slope * slope)).powi(2);
        all.surface.extend(surface.iter().map(|[x, height]| [side * x, *height]));
    }
    all.angle = all.flanks.iter().sum::<f64>() / all.flanks.len() as f64;
    all.uncertainty = all.uncertainty.sqrt() / all.flanks.len() as f64;
    Ok(all)
}

/// The horizontal direction across the axis of a drum, if there is one with a horizontal axis.
fn across_drum(packing: &Packing, up: [f64; 3]) -> Option<[f64; 3]> {
    packing.walls.iter().find_map(|wall| match &wall.surface {
        WallSurface::Primitive(Primitive::Drum { .. }) if packing.dimension == 2 => Some([up[1], -up[0], 0.0]),
        WallSurface::Primitive(Primitive::Drum { axis, .. }) => {
            let across = cross(*axis, up);
            (length(across) > 0.5).then(|| scaled(across, 1.0 / length(across)))
        }
        _ => None,
    })
}

/// The highest point of the grains in each column.
fn surface(grains: &[&Grain], up: [f64; 3], width: f64, out: impl Fn(&Grain) -> f64) -> Vec<[f64; 2]> {
    let mut columns: Vec<(i64, f64)> = grains
        .iter()
        .map(|grain| ((out(grain) / width).floor() as i64, dot(grain.position, up) + grain.radius))
        .collect();
    columns.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let tops = columns.chunk_by(|a, b| a.0 == b.0).filter_map(|column| column.last());
    tops.map(|&(column, height)| [(column as f64 + 0.5) * width, height]).collect()
}

fn ends(points: &[[f64; 2]], of: usize) -> (f64, f64) {
    points
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| (low.min(point[of]), high.max(point[of])))
}

/// The slope of the line through points by least squares, and its standard error.
fn line(points: Vec<[f64; 2]>) -> Result<(f64, f64), Unavailable> {
    let n = points.len();
    if n < COLUMNS {
        return Err(Unavailable::TooFew { what: "columns of grains on the slope", found: n, needed: COLUMNS });
    }
    let mean = |of: usize| points.iter().map(|point| point[of]).sum::<f64>() / n as f64;
    let (x, y) = (mean(0), mean(1));
    let sum = |a: usize, b: usize| points.iter().map(|p| (p[a] - [x, y][a]) * (p[b] - [x, y][b])).sum::<f64>();
    let slope = sum(0, 1) / sum(0, 0);
    let left = (sum(1, 1) - slope * sum(0, 1)).max(0.0);
    Ok((slope, (left / (n as f64 - 2.0) / sum(0, 0)).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wall;

    fn packing(dimension: usize, positions: Vec<[f64; 3]>) -> Packing {
        let mut packing = Packing { dimension, ..Packing::default() };
        packing.gravity[dimension - 1] = -9.81;
        packing.grains = positions
            .into_iter()
            .enumerate()
            .map(|(id, position)| Grain { id: id as u32, position, radius: 0.5, volume: 1.0, ..Grain::default() })
            .collect();
        packing
    }

    #[test]
    fn a_cone_and_a_wedge_of_a_lattice_have_the_angle_of_their_slope() {
        for degrees in [15.0_f64, 25.0, 35.0] {
            let (slope, foot) = (degrees.to_radians().tan(), 40.0);
            let below = |x: f64, y: f64, height: f64| height <= slope * (foot - x.hypot(y));
            let side = || (-40..=40).map(f64::from);
            let heights = || (0..30).map(f64::from);
            let cone = side().flat_map(|x| side().flat_map(move |y| heights().map(move |z| [x, y, z])));
            let cone = packing(3, cone.filter(|[x, y, z]| below(*x, *y, *z)).collect());
            let found = repose(&cone, None).unwrap();
            // The steps of the lattice are a grain high.
            let error = (found.angle.to_degrees() - degrees).abs();
            assert!(error < 1.5 && found.uncertainty.to_degrees() < 1.0, "{degrees}: {found:?}");
            let wedge = side().flat_map(|x| heights().map(move |y| [x, y, 0.0]));
            let wedge = packing(2, wedge.filter(|[x, y, _]| below(*x, 0.0, *y)).collect());
            let found = repose(&wedge, None).unwrap();
            assert_eq!(found.flanks.len(), 2);
            let errors = found.flanks.iter().map(|flank| (flank.to_degrees() - degrees).abs());
            assert!(errors.fold(0.0, f64::max) < 2.0, "{degrees}: {:?} {}", found.flanks, found.angle.to_degrees());
        }
    }

    #[test]
    fn a_drum_has_the_angle_of_its_surface() {
        let slope = 28.0_f64.to_radians().tan();
        let inside = |x: f64, y: f64| x.hypot(y) <= 30.0 && y <= slope * x;
        let side = || (-30..=30).map(f64::from);
        let grains = side().flat_map(|x| side().map(move |y| [x, y, 0.0])).filter(|[x, y, _]| inside(*x, *y));
        let mut drum = packing(2, grains.collect());
        let surface = WallSurface::Primitive(Primitive::Drum { axis: [0.0, 0.0, 1.0], radius: 30.5 });
        let name = "drum".to_owned();
        let orientation = [0.0, 0.0, 0.0, 1.0];
        let (position, velocity, wear) = ([0.0; 3], [0.0; 3], Vec::new());
        drum.walls.push(Wall { id: 9999, name, position, orientation, velocity, surface, wear });
        let found = repose(&drum, None).unwrap();
        assert!((found.angle.to_degrees() - 28.0).abs() < 1.0, "{}", found.angle.to_degrees());
        assert!(repose(&packing(2, vec![[0.0; 3]; 3]), None).is_err());
    }
}
