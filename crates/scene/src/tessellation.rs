//! Voronoi cells: what is nearer to one point than to any other, cut out of a box plane by plane.

use crate::model::Point;
use crate::vector::*;

/// The corners of the cell of each site in a box, drawn in by `margin` from every side. A cell that the margin eats up
/// is empty.
pub(crate) fn cells(sites: &[Point], lower: Point, upper: Point, margin: f64, dimension: usize) -> Vec<Vec<Point>> {
    (0..sites.len()).map(|site| cell(sites, site, lower, upper, margin, dimension)).collect()
}

/// The corners of one cell.
pub(crate) fn cell(
    sites: &[Point],
    site: usize,
    lower: Point,
    upper: Point,
    margin: f64,
    dimension: usize,
) -> Vec<Point> {
    let own = sites[site];
    let mut others: Vec<(f64, usize)> =
        (0..sites.len()).filter(|&other| other != site).map(|other| (length(sub(sites[other], own)), other)).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let inset = |corner: Point, sign: f64| -> Point {
        std::array::from_fn(|axis| if axis < dimension { corner[axis] + sign * margin } else { 0.0 })
    };
    let mut body = Polyhedron::cuboid(inset(lower, 1.0), inset(upper, -1.0), dimension);
    for (distance, other) in others {
        // A site that is farther away than twice the farthest corner cannot cut the cell any more.
        let farthest = body.corners().map(|corner| length(sub(corner, own))).fold(0.0, f64::max);
        if body.faces.is_empty() || distance > 2.0 * (farthest + margin) {
            break;
        }
        let Some(normal) = unit(sub(sites[other], own)) else { continue };
        body.cut(normal, dot(normal, own) + 0.5 * distance - margin, dimension);
    }
    body.corners().collect()
}

/// A convex body as the corners of its faces; in 2D one face is the body.
struct Polyhedron {
    faces: Vec<Vec<Point>>,
}

impl Polyhedron {
    fn cuboid(lower: Point, upper: Point, dimension: usize) -> Self {
        if (0..dimension).any(|axis| lower[axis] >= upper[axis]) {
            return Polyhedron { faces: Vec::new() };
        }
        let corner = |bits: [usize; 3]| -> Point {
            std::array::from_fn(|axis| if bits[axis] == 1 { upper[axis] } else { lower[axis] })
        };
        let around = [[0, 0], [1, 0], [1, 1], [0, 1]];
        if dimension == 2 {
            return Polyhedron { faces: vec![around.map(|[i, j]| corner([i, j, 0])).to_vec()] };
        }
        let mut faces = Vec::new();
        for axis in 0..3 {
            for side in 0..2 {
                let face = around.map(|[i, j]| {
                    let mut bits = [side; 3];
                    (bits[(axis + 1) % 3], bits[(axis + 2) % 3]) = (i, j);
                    corner(bits)
                });
                faces.push(face.to_vec());
            }
        }
        Polyhedron { faces }
    }

    fn corners(&self) -> impl Iterator<Item = Point> + '_ {
        self.faces.iter().flatten().copied()
    }

    /// Keeps what has `normal·x ≤ height`.
    fn cut(&mut self, normal: Point, height: f64, dimension: usize) {
        let above = |point: Point| dot(normal, point) - height;
        let mut section: Vec<Point> = Vec::new();
        for face in &mut self.faces {
            let mut kept = Vec::with_capacity(face.len() + 1);
            for i in 0..face.len() {
                let (from, to) = (face[i], face[(i + 1) % face.len()]);
                let (a, b) = (above(from), above(to));
                if a <= 0.0 {
                    kept.push(from);
                }
                if (a < 0.0) != (b < 0.0) && a != b {
                    let crossing = add(from, scale(sub(to, from), a / (a - b)));
                    kept.push(crossing);
                    section.push(crossing);
                }
            }
            *face = kept;
        }
        self.faces.retain(|face| face.len() >= 3);
        if dimension == 3 && section.len() >= 3 && !self.faces.is_empty() {
            // The new face goes around its middle.
            let middle =
                scale(section.iter().fold([0.0; 3], |sum, &point| add(sum, point)), 1.0 / section.len() as f64);
            let Some(first) = section.iter().find_map(|&point| unit(sub(point, middle))) else { return };
            let second = cross(normal, first);
            let angle = |point: Point| {
                let arm = sub(point, middle);
                libm::atan2(dot(arm, second), dot(arm, first))
            };
            section.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
            self.faces.push(section);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::hull;
    use crate::sizes::Random;

    #[test]
    fn cells_fill_their_box() {
        for dimension in [2, 3] {
            let (lower, upper) = ([0.0, 0.0, 0.0], [2.0, 1.0, if dimension == 2 { 0.0 } else { 3.0 }]);
            let mut random = Random::new(5, 0);
            let sites: Vec<Point> = (0..60).map(|_| random.point(lower, upper)).collect();
            let bodies = cells(&sites, lower, upper, 0.0, dimension);
            let volume: f64 = bodies.iter().map(|points| hull(points, dimension).unwrap().volume).sum();
            let expected = if dimension == 2 { 2.0 } else { 6.0 };
            assert!((volume - expected).abs() < 1e-6 * expected, "{volume}");
            // Drawn in, each is smaller, and still holds its site's neighbourhood.
            let inner = cells(&sites, lower, upper, 0.01, dimension);
            for (outer, inner) in bodies.iter().zip(&inner).filter(|(_, inner)| !inner.is_empty()) {
                if let (Ok(outer), Ok(inner)) = (hull(outer, dimension), hull(inner, dimension)) {
                    assert!(inner.volume < outer.volume);
                }
            }
        }
    }
}
