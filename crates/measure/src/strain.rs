//! What moves between two snapshots: displacements, rotations, strain, shear bands. Compression is positive in strains.

use crate::grid::Grid;
use crate::linear::{Tensor, add, add_outer, dot, length, principal, scaled, solve, sub, symmetric};
use crate::{Packing, Region, Unavailable};
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};
use std::f64::consts::PI;

/// What a grain did between two snapshots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Its number.
    pub id: u32,
    /// Its place in the earlier packing.
    pub row: usize,
    /// Where it was, folded back.
    pub position: [f64; 3],
    /// How far it went, in metres.
    pub displacement: [f64; 3],
    /// How far it turned, in radians, as a vector; in 2D about the third axis, less than half a turn.
    pub rotation: [f64; 3],
}

/// What every grain that is in both packings did between them, by increasing number.
pub fn motions(earlier: &Packing, later: &Packing) -> Result<Vec<Motion>, Unavailable> {
    let mut found = Vec::new();
    for (row, before) in earlier.grains.iter().enumerate() {
        let Ok(place) = later.grains.binary_search_by_key(&before.id, |grain| grain.id) else { continue };
        let after = &later.grains[place];
        found.push(Motion {
            id: before.id,
            row,
            position: before.position,
            displacement: sub(after.unfolded(later.period), before.unfolded(earlier.period)),
            rotation: turn(before.orientation, after.orientation),
        });
    }
    if found.len() < 3 { Err(Unavailable::OtherGrains(found.len())) } else { Ok(found) }
}

/// The rotation vector that carries one orientation into the other, along the shorter way.
fn turn(from: [f64; 4], to: [f64; 4]) -> [f64; 3] {
    // to · from⁻¹, for unit quaternions (x, y, z, w).
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (to, from);
    let vector = [
        -aw * bx + ax * bw - ay * bz + az * by,
        -aw * by + ay * bw - az * bx + ax * bz,
        -aw * bz + az * bw - ax * by + ay * bx,
    ];
    let real = aw * bw + ax * bx + ay * by + az * bz;
    let sine = length(vector);
    if sine == 0.0 {
        return [0.0; 3];
    }
    let angle = 2.0 * sine.atan2(real);
    let short = if angle > PI { angle - 2.0 * PI } else { angle };
    scaled(vector, short / sine)
}

/// The mean gradient of the displacement, and what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Strain {
    /// How many grains it was fitted to.
    pub grains: usize,
    /// `∂u_i/∂x_j`.
    pub gradient: Tensor,
    /// The symmetric part, compression positive.
    pub strain: Tensor,
    /// Its principal values, largest compression first, with their directions.
    pub principal: Vec<(f64, [f64; 3])>,
    /// The mean distance of the displacements from the mean gradient, in metres.
    pub fluctuation: f64,
}

impl Strain {
    /// The volumetric strain, compression positive.
    pub fn volumetric(&self) -> f64 {
        self.principal.iter().map(|(value, _)| value).sum()
    }

    /// The deviatoric strain: the difference of the largest and the smallest principal value.
    pub fn deviatoric(&self) -> f64 {
        self.principal[0].0 - self.principal[self.principal.len() - 1].0
    }
}

/// The mean strain of the grains in a region between two packings, by least squares over their displacements.
pub fn strain(earlier: &Packing, later: &Packing, region: Option<&Region>) -> Result<Strain, Unavailable> {
    let axes = earlier.dimension;
    let moved: Vec<Motion> = motions(earlier, later)?
        .into_iter()
        .filter(|motion| region.is_none_or(|region| region.contains(motion.position)))
        .collect();
    // Where a grain really is goes with how far it really went: round a period that strains, it goes farther.
    let at = |motion: &Motion| earlier.grains[motion.row].unfolded(earlier.period);
    let points: Vec<Displaced> = moved.iter().map(|motion| (at(motion), motion.displacement)).collect();
    let fewest = axes + 2;
    if points.len() < fewest {
        return Err(Unavailable::TooFew { what: "grains in the region", found: points.len(), needed: fewest });
    }
    let (gradient, scatter) = gradient(&points, axes).ok_or_else(|| {
        Unavailable::Because("the grains lie on a line or plane, so the gradient is undefined".into())
    })?;
    let strain = symmetric(gradient).map(|row| row.map(|c| -c));
    let principal = principal(strain, axes);
    Ok(Strain { grains: points.len(), gradient, strain, principal, fluctuation: scatter })
}

/// A place, and the displacement there.
type Displaced = ([f64; 3], [f64; 3]);

/// The gradient with the least squares through displacements at points, and the mean distance from it.
fn gradient(points: &[Displaced], axes: usize) -> Option<(Tensor, f64)> {
    let per = 1.0 / points.len() as f64;
    let mean =
        |k: fn(&Displaced) -> [f64; 3]| points.iter().fold([0.0; 3], |sum, point| add(sum, scaled(k(point), per)));
    let (centre, drift) = (mean(|p| p.0), mean(|p| p.1));
    let (mut spread, mut cross) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    for &(x, u) in points {
        let (x, u) = (sub(x, centre), sub(u, drift));
        add_outer(&mut spread, 1.0, x, x);
        add_outer(&mut cross, 1.0, u, x);
    }
    let mut gradient = [[0.0; 3]; 3];
    for i in 0..axes {
        gradient[i] = solve(spread, cross[i], axes)?;
    }
    let off = |&(x, u): &Displaced| {
        let affine = gradient.map(|row| dot(row, sub(x, centre)));
        length(sub(sub(u, drift), affine))
    };
    Some((gradient, points.iter().map(off).sum::<f64>() * per))
}

/// The strain around a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalStrain {
    /// Where: the centre of a triangle (2D) or of a grain (3D).
    pub position: [f64; 3],
    /// The corners of the triangle; in 3D all at the grain.
    pub corners: [[f64; 3]; 3],
    /// How much it counts: the area of the triangle, or the volume of the grain.
    pub weight: f64,
    /// Deviatoric strain: the difference of the largest and the smallest principal value.
    pub shear: f64,
    /// Volumetric strain, compression positive.
    pub volumetric: f64,
    /// Rotation in radians; in 2D about the third axis, in 3D its magnitude.
    pub rotation: f64,
}

/// Triangles with a longer side than this many mean diameters span a hole or a free edge.
const LONGEST: f64 = 3.0;
/// Neighbours up to this many mean diameters take part in a local fit in 3D.
const AROUND: f64 = 2.0;

/// Strains all over a packing: in 2D of the triangles between grains, in 3D by least squares around each grain.
pub fn local_strains(earlier: &Packing, later: &Packing) -> Result<Vec<LocalStrain>, Unavailable> {
    let moved = motions(earlier, later)?;
    let found = if earlier.dimension == 2 {
        in_triangles(earlier, later, &moved)?
    } else {
        around_grains(earlier, later, &moved)
    };
    if found.is_empty() {
        return Err(Unavailable::TooFew { what: "neighbouring grains", found: 0, needed: 3 });
    }
    Ok(found)
}

struct Corner {
    at: [f64; 2],
    displacement: [f64; 2],
}

impl HasPosition for Corner {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        Point2::new(self.at[0], self.at[1])
    }
}

fn in_triangles(earlier: &Packing, later: &Packing, moved: &[Motion]) -> Result<Vec<LocalStrain>, Unavailable> {
    let diameter = 2.0 * earlier.mean_radius();
    let mut corners = Vec::with_capacity(moved.len());
    for motion in moved {
        // Images beyond the edges of periods close the triangulation there; a period that changes carries them along.
        for k in 0..9_i32 {
            let shift = [k % 3 - 1, k / 3 - 1].map(f64::from);
            let at = [0, 1].map(|i| motion.position[i] + shift[i] * earlier.period[i]);
            let is_wanted = |i: usize| {
                let (low, high) = (earlier.origin[i], earlier.origin[i] + earlier.period[i]);
                let margin = LONGEST * diameter;
                shift[i] == 0.0 || (earlier.is_periodic(i) && at[i] > low - margin && at[i] < high + margin)
            };
            if is_wanted(0) && is_wanted(1) {
                // The folded image goes as far as the grain, but for the change of the periods in between.
                let image = earlier.grains[motion.row].image;
                let displacement = [0, 1].map(|i| {
                    let stretch = later.period[i] - earlier.period[i];
                    motion.displacement[i] + (shift[i] - f64::from(image[i])) * stretch
                });
                corners.push(Corner { at, displacement });
            }
        }
    }
    let triangulation = DelaunayTriangulation::<Corner>::bulk_load(corners)
        .map_err(|error| Unavailable::Because(format!("the grains cannot be triangulated: {error}")))?;
    let mut found = Vec::new();
    for face in triangulation.inner_faces() {
        let corners = face.vertices().map(|vertex| (vertex.data().at, vertex.data().displacement));
        let [(a, u), (b, v), (c, w)] = corners;
        let side = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]);
        if [side(a, b), side(b, c), side(c, a)].into_iter().any(|side| side > LONGEST * diameter) {
            continue;
        }
        let centre = [0, 1].map(|i| (a[i] + b[i] + c[i]) / 3.0);
        let is_home = |i: usize| {
            !earlier.is_periodic(i)
                || (centre[i] >= earlier.origin[i] && centre[i] < earlier.origin[i] + earlier.period[i])
        };
        if !is_home(0) || !is_home(1) {
            continue;
        }
        let (ab, ac) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let twice = ab[0] * ac[1] - ab[1] * ac[0];
        if twice.abs() < 1e-9 * diameter * diameter {
            continue;
        }
        let mut gradient = [[0.0; 3]; 3];
        for i in 0..2 {
            let (du, dv) = (v[i] - u[i], w[i] - u[i]);
            gradient[i][0] = (du * ac[1] - dv * ab[1]) / twice;
            gradient[i][1] = (dv * ab[0] - du * ac[0]) / twice;
        }
        let flat = |p: [f64; 2]| [p[0], p[1], 0.0];
        found.push(local(flat(centre), [a, b, c].map(flat), 0.5 * twice.abs(), gradient, 2));
    }
    Ok(found)
}

fn around_grains(earlier: &Packing, later: &Packing, moved: &[Motion]) -> Vec<LocalStrain> {
    let reach = AROUND * 2.0 * earlier.mean_radius();
    let grid = Grid::new(earlier, reach);
    let stretch: [f64; 3] = std::array::from_fn(|i| later.period[i] - earlier.period[i]);
    let mut of_row = vec![None; earlier.grains.len()];
    for (k, motion) in moved.iter().enumerate() {
        of_row[motion.row] = Some(k);
    }
    let mut found = Vec::new();
    for motion in moved {
        let mut points = Vec::new();
        grid.near(motion.position, reach, |row, to| {
            let Some(k) = of_row[row] else { return };
            let other = &earlier.grains[row];
            let displacement = std::array::from_fn(|i| {
                let period = earlier.period[i];
                let shift = if period > 0.0 {
                    ((motion.position[i] + to[i] - other.position[i]) / period).round()
                } else {
                    0.0
                };
                moved[k].displacement[i] + (shift - f64::from(other.image[i])) * stretch[i]
            });
            points.push((to, displacement));
        });
        if points.len() < 5 {
            continue;
        }
        if let Some((gradient, _)) = gradient(&points, 3) {
            let volume = earlier.grains[motion.row].volume;
            found.push(local(motion.position, [motion.position; 3], volume, gradient, 3));
        }
    }
    found
}

fn local(position: [f64; 3], corners: [[f64; 3]; 3], weight: f64, gradient: Tensor, axes: usize) -> LocalStrain {
    let values = principal(gradient, axes);
    let curl = [
        0.5 * (gradient[2][1] - gradient[1][2]),
        0.5 * (gradient[0][2] - gradient[2][0]),
        0.5 * (gradient[1][0] - gradient[0][1]),
    ];
    LocalStrain {
        position,
        corners,
        weight,
        shear: values[0].0 - values[axes - 1].0,
        volumetric: -values.iter().map(|(value, _)| value).sum::<f64>(),
        rotation: if axes == 2 { curl[2] } else { length(curl) },
    }
}

/// A shear band: the straight strip in which the local shear strain is concentrated most.
#[derive(Clone, Debug, PartialEq)]
pub struct ShearBand {
    /// Its direction, in radians from the first axis, in [0, π).
    pub angle: f64,
    /// Half the step in which directions were tried, or more where several directions are as good, in radians.
    pub uncertainty: f64,
    /// A point on its middle line.
    pub point: [f64; 2],
    /// Its width at half height, in mean diameters.
    pub width: f64,
    /// Shear strain in its middle over the mean of all.
    pub contrast: f64,
    /// How many local strains it was found from.
    pub points: usize,
    /// The profile across it: distance from its middle in mean diameters, and shear strain.
    pub profile: Vec<[f64; 2]>,
}

/// The shear band among local strains, in the plane of two axes. For every direction the strains are averaged in strips
/// along it, one mean diameter wide; the band is where these means differ most.
pub fn shear_band(strains: &[LocalStrain], plane: [usize; 2], diameter: f64) -> Result<ShearBand, Unavailable> {
    if strains.len() < 50 {
        return Err(Unavailable::TooFew { what: "local strains", found: strains.len(), needed: 50 });
    }
    let whole: f64 = strains.iter().map(|strain| strain.weight).sum();
    let mean = strains.iter().map(|strain| strain.weight * strain.shear).sum::<f64>() / whole;
    if mean.is_nan() || mean <= 0.0 {
        return Err(Unavailable::Because("there is no shear between the two snapshots".into()));
    }
    const STEP: f64 = PI / 180.0;
    let scores: Vec<f64> = (0..180)
        .map(|k| {
            let strips = strips(strains, plane, f64::from(k) * STEP, diameter);
            let weight: f64 = strips.iter().map(|strip| strip.1).sum();
            strips.iter().map(|&(_, weight, shear)| weight * (shear - mean).powi(2)).sum::<f64>() / weight
        })
        .collect();
    let best = (0..180).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
    // Directions within a tenth of the best are as good; half their range is the uncertainty.
    let is_good = |k: i32| scores[(k.rem_euclid(180)) as usize] > 0.9 * scores[best];
    let best = best as i32;
    let above = (0..90).take_while(|&k| is_good(best + k)).count() as i32 - 1;
    let below = (0..90).take_while(|&k| is_good(best - k)).count() as i32 - 1;
    let angle = (f64::from(best) + 0.5 * f64::from(above - below)) * STEP;
    let strips = strips(strains, plane, angle, diameter);
    let (at, _, top) = strips.iter().copied().fold((0.0, 0.0, 0.0), |a, b| if b.2 > a.2 { b } else { a });
    let half = 0.5 * (top + mean);
    let middle = strips.iter().position(|strip| strip.0 == at).unwrap_or(0);
    let right = strips[middle..].iter().take_while(|strip| strip.2 > half).count();
    let left = strips[..middle].iter().rev().take_while(|strip| strip.2 > half).count();
    Ok(ShearBand {
        angle: angle.rem_euclid(PI),
        uncertainty: STEP * (0.5 + 0.5 * f64::from(above + below)),
        point: [-at * angle.sin(), at * angle.cos()],
        width: (right + left) as f64,
        contrast: top / mean,
        points: strains.len(),
        profile: strips.iter().map(|strip| [(strip.0 - at) / diameter, strip.2]).collect(),
    })
}

/// Strips along a direction: distance from the origin, weight, mean shear. Strips at the rim, with little in them, are
/// left out.
fn strips(strains: &[LocalStrain], plane: [usize; 2], angle: f64, width: f64) -> Vec<(f64, f64, f64)> {
    let across =
        |strain: &LocalStrain| -strain.position[plane[0]] * angle.sin() + strain.position[plane[1]] * angle.cos();
    let least = strains.iter().map(across).fold(f64::INFINITY, f64::min);
    let most = strains.iter().map(across).fold(f64::NEG_INFINITY, f64::max);
    let count = ((most - least) / width).floor().clamp(0.0, 1e6) as usize + 1;
    let mut sums = vec![[0.0; 2]; count];
    for strain in strains {
        let sum = &mut sums[((across(strain) - least) / width) as usize];
        sum[0] += strain.weight;
        sum[1] += strain.weight * strain.shear;
    }
    let fullest = sums.iter().map(|sum| sum[0]).fold(0.0, f64::max);
    sums.iter()
        .enumerate()
        .filter(|(_, sum)| sum[0] > 0.3 * fullest)
        .map(|(k, sum)| (least + (k as f64 + 0.5) * width, sum[0], sum[1] / sum[0]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{add_ball, cubic_lattice, empty, periodic_square_lattice};
    use riprap_engine::{D2, Dim, Vector, World};

    fn moved<D: Dim>(world: &World<D>, by: impl Fn([f64; 3]) -> [f64; 3]) -> World<D> {
        let mut later = world.clone();
        for position in &mut later.state.position {
            let displacement = by(position.to_array3());
            *position += D::Vector::from_array3(displacement);
        }
        later
    }

    #[test]
    fn a_homogeneous_strain_comes_back_as_a_whole_and_everywhere() {
        // The lattice is sheared and flattened a little, so that the triangulation is not degenerate.
        let world = moved(&periodic_square_lattice(8, [1.0, 1.0]), |[x, y, _]| {
            [0.1 * (y * 7.0).sin(), 0.1 * (x * 5.0).sin(), 0.0]
        });
        let mut free = world.clone();
        free.state.cell.period = Vector::from_array3([0.0; 3]);
        let later = moved(&free, |[x, y, _]| [0.3 + 0.02 * x + 0.01 * y, -0.03 * y + 0.005 * x, 0.0]);
        let (earlier, later) = (Packing::of(&free), Packing::of(&later));
        let whole = strain(&earlier, &later, None).unwrap();
        assert!((whole.gradient[0][1] - 0.01).abs() < 1e-12 && (whole.gradient[1][1] + 0.03).abs() < 1e-12);
        assert!((whole.volumetric() - 0.01).abs() < 1e-12 && whole.fluctuation < 1e-12);
        let locals = local_strains(&earlier, &later).unwrap();
        assert!(locals.len() > 80);
        for local in locals {
            assert!((local.volumetric - 0.01).abs() < 1e-10 && (local.shear - whole.deviatoric()).abs() < 1e-10);
            assert!((local.rotation - 0.5 * (0.005 - 0.01)).abs() < 1e-10);
        }
    }

    #[test]
    fn a_periodic_cell_that_strains_is_homogeneous_across_its_edges() {
        let world = moved(&periodic_square_lattice(8, [1.0, 1.0]), |[x, y, _]| {
            [0.1 * (y * 7.0).sin(), 0.1 * (x * 5.0).sin(), 0.0]
        });
        let mut later = moved(&world, |[x, y, _]| [-0.02 * x, 0.01 * y, 0.0]);
        later.state.cell.period = Vector::from_array3([8.0 * 0.98, 8.0 * 1.01, 0.0]);
        let locals = local_strains(&Packing::of(&world), &Packing::of(&later)).unwrap();
        let area: f64 = locals.iter().map(|local| local.weight).sum();
        // Whole triangles are counted by their centres, so that the sum is the cell to about a triangle's share.
        assert!((area - 64.0).abs() < 3.0, "{area}");
        assert!(locals.iter().all(|local| (local.volumetric - 0.01).abs() < 1e-9 && (local.shear - 0.03).abs() < 1e-9));
    }

    #[test]
    fn in_space_strain_is_local_too() {
        let world = cubic_lattice([5, 5, 5]);
        let later = moved(&world, |[x, y, z]| [0.01 * z, 0.0 * x, -0.02 * z + 0.01 * y]);
        let locals = local_strains(&Packing::of(&world), &Packing::of(&later)).unwrap();
        assert_eq!(locals.len(), 125);
        assert!(locals.iter().all(|local| (local.volumetric - 0.02).abs() < 1e-12));
    }

    #[test]
    fn rotations_and_displacements_are_those_of_the_grains() {
        let world = periodic_square_lattice(3, [1.0, 1.0]);
        let mut later = moved(&world, |_| [7.0, 0.5, 0.0]);
        later.state.orientation.iter_mut().for_each(|angle| *angle += 0.25);
        for motion in motions(&Packing::of(&world), &Packing::of(&later)).unwrap() {
            assert!(length(sub(motion.displacement, [7.0, 0.5, 0.0])) < 1e-12);
            assert!((motion.rotation[2] - 0.25).abs() < 1e-12);
        }
        let turned = turn([0.0, 0.0, 0.0, 1.0], [0.0, (0.4_f64).sin(), 0.0, (0.4_f64).cos()]);
        assert!(length(sub(turned, [0.0, 0.8, 0.0])) < 1e-12);
        let other = Packing::of(&cubic_lattice([1, 1, 2]));
        assert_eq!(motions(&other, &Packing::default()), Err(Unavailable::OtherGrains(0)));
    }

    #[test]
    fn an_imposed_shear_band_is_found_where_it_is() {
        // Two halves slide along a line at 50°, with a band four diameters wide between them.
        let mut world = empty::<D2>();
        for i in 0..1600 {
            let (x, y) = (f64::from(i % 40), f64::from(i / 40));
            let wobble = 0.2 * (1.7 * x + 2.3 * y).sin();
            add_ball(&mut world, [x + wobble, y - wobble, 0.0], 0.5);
        }
        let angle = 50_f64.to_radians();
        let along = [angle.cos(), angle.sin()];
        let later = moved(&world, |[x, y, _]| {
            let across = -(x - 20.0) * along[1] + (y - 20.0) * along[0];
            let slide = 0.5 * (across / 2.0).clamp(-1.0, 1.0);
            [slide * along[0], slide * along[1], 0.0]
        });
        let locals = local_strains(&Packing::of(&world), &Packing::of(&later)).unwrap();
        let band = shear_band(&locals, [0, 1], 1.0).unwrap();
        assert!((band.angle - angle).abs() < 2_f64.to_radians(), "{}", band.angle.to_degrees());
        assert!((3.0..=6.0).contains(&band.width) && band.contrast > 4.0, "{} {}", band.width, band.contrast);
        // The middle line goes through (20, 20).
        let across = -(20.0 - band.point[0]) * along[1] + (20.0 - band.point[1]) * along[0];
        assert!(across.abs() < 2.0, "{across}");
    }
}
