//! How much of a grain lies in a box.

use crate::linear::{add, scaled, sub};
use crate::{Grain, Part};
use riprap_engine::{Convex, D2, D3, Dim, Shape, Vector};
use std::f64::consts::PI;

/// The volume (area times 1 m in 2D) of the part of a grain with its centre at `centre` that lies in the box from `low` to
/// `high`. Where parts of a grain overlap, what is cut off is shared out in proportion.
pub fn grain_in_box(axes: usize, grain: &Grain, centre: [f64; 3], low: [f64; 3], high: [f64; 3]) -> f64 {
    if grain.parts.is_empty() {
        return ball_in_box(axes, centre, grain.radius, low, high);
    }
    let everywhere = ([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);
    let inside = |(low, high): ([f64; 3], [f64; 3])| -> f64 {
        let part = |part: &Part| match part {
            Part::Ball { centre: own, radius } => ball_in_box(axes, add(centre, *own), *radius, low, high),
            Part::Hull(corners) => hull_in_box(axes, corners.iter().map(|&own| add(centre, own)).collect(), low, high),
        };
        grain.parts.iter().map(part).sum()
    };
    let bounds = grain.bounds();
    let at = |axis: usize, side: usize| centre[axis] + bounds[axis][side];
    if (0..axes).all(|axis| low[axis] <= at(axis, 0) && at(axis, 1) <= high[axis]) {
        return grain.volume;
    }
    if (0..axes).any(|axis| at(axis, 1) <= low[axis] || high[axis] <= at(axis, 0)) {
        return 0.0;
    }
    grain.volume * inside((low, high)) / inside(everywhere)
}

/// The volume of the part of a convex hull that lies in a box.
fn hull_in_box(axes: usize, mut corners: Vec<[f64; 3]>, low: [f64; 3], high: [f64; 3]) -> f64 {
    for axis in 0..axes {
        for (side, inward) in [(low[axis], 1.0), (high[axis], -1.0)] {
            corners = cut(axes, corners, |corner| inward * (corner[axis] - side));
        }
    }
    hull(axes, &corners).map_or(0.0, |(volume, _)| volume)
}

/// The corners of the part of a convex hull where `depth`, which is linear, is positive. Every segment between two corners is
/// inside the hull, and its edges are among these segments, so that their cuts span the section.
fn cut(axes: usize, corners: Vec<[f64; 3]>, depth: impl Fn([f64; 3]) -> f64) -> Vec<[f64; 3]> {
    let (inside, outside): (Vec<_>, Vec<_>) = corners.into_iter().partition(|&corner| depth(corner) >= 0.0);
    if outside.is_empty() || inside.is_empty() {
        return inside;
    }
    let between = |a: [f64; 3], b: [f64; 3]| add(a, scaled(sub(b, a), depth(a) / (depth(a) - depth(b))));
    let section = inside.iter().flat_map(|&a| outside.iter().map(move |&b| between(a, b)));
    let all: Vec<[f64; 3]> = inside.iter().copied().chain(section).collect();
    hull(axes, &all).map_or(Vec::new(), |(_, corners)| corners)
}

/// Volume and corners of the convex hull of some points; `None` if it is flat.
fn hull(axes: usize, points: &[[f64; 3]]) -> Option<(f64, Vec<[f64; 3]>)> {
    fn of<D: Dim>(points: &[[f64; 3]]) -> Option<(f64, Vec<[f64; 3]>)> {
        let points: Vec<D::Vector> = points.iter().map(|&point| D::Vector::from_array3(point)).collect();
        let placed = Convex::<D>::hull(&points).ok()?;
        let corner = |&own: &D::Vector| (placed.position + D::rotate(placed.orientation, own)).to_array3();
        let corners = placed.convex.vertices.iter().map(corner).collect();
        Some((Shape::Convex(placed.convex).volume(), corners))
    }
    if axes == 2 { of::<D2>(points) } else { of::<D3>(points) }
}

/// The volume (area times 1 m in 2D) of the part of a ball that lies in the box from `low` to `high`. Sides may be
/// infinite. Exact in 2D, and in 3D where the ball is cut along one axis only; to about 1e-4 of the ball at edges.
pub fn ball_in_box(axes: usize, centre: [f64; 3], radius: f64, low: [f64; 3], high: [f64; 3]) -> f64 {
    let (low, high): ([f64; 3], [f64; 3]) =
        (std::array::from_fn(|i| low[i] - centre[i]), std::array::from_fn(|i| high[i] - centre[i]));
    if (0..axes).all(|i| low[i] <= -radius && high[i] >= radius) {
        return if axes == 2 { D2::ball_volume(radius) } else { D3::ball_volume(radius) };
    }
    if (0..axes).any(|i| low[i] >= radius || high[i] <= -radius || low[i] >= high[i]) {
        return 0.0;
    }
    if axes < D3::AXES {
        return disk_in_rectangle(radius, [low[0], low[1]], [high[0], high[1]]);
    }
    let is_cut = |i: usize| low[i] > -radius || high[i] < radius;
    let mut cut = (0..axes).filter(|&i| is_cut(i));
    if let (Some(axis), None) = (cut.next(), cut.next()) {
        let (from, to) = (low[axis].max(-radius), high[axis].min(radius));
        return PI * (radius * radius * (to - from) - (to.powi(3) - from.powi(3)) / 3.0);
    }
    // Slices along the third axis, by Simpson's rule.
    const SLICES: usize = 64;
    let (from, to) = (low[2].max(-radius), high[2].min(radius));
    let step = (to - from) / SLICES as f64;
    let area = |k: usize| {
        let z = from + step * k as f64;
        let r = (radius * radius - z * z).max(0.0).sqrt();
        disk_in_rectangle(r, [low[0], low[1]], [high[0], high[1]])
    };
    let sum: f64 = (0..=SLICES)
        .map(|k| {
            area(k)
                * if k == 0 || k == SLICES {
                    1.0
                } else if k % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
        })
        .sum();
    sum * step / 3.0
}

/// The area of the part of a disk about the origin that lies in a rectangle.
pub(crate) fn disk_in_rectangle(radius: f64, low: [f64; 2], high: [f64; 2]) -> f64 {
    if radius <= 0.0 {
        return 0.0;
    }
    let corner = |x: f64, y: f64| disk_in_quadrant(radius, x.clamp(-radius, radius), y.clamp(-radius, radius));
    corner(high[0], high[1]) - corner(low[0], high[1]) - corner(high[0], low[1]) + corner(low[0], low[1])
}

/// The area of the part of a disk about the origin with both coordinates below `x` and `y`.
fn disk_in_quadrant(r: f64, x: f64, y: f64) -> f64 {
    // Area under the upper half circle, from its left end to u.
    let half = |u: f64| {
        0.5 * (u * (r * r - u * u).max(0.0).sqrt() + r * r * (u / r).clamp(-1.0, 1.0).asin()) + 0.25 * PI * r * r
    };
    // The horizontal line at y meets the circle at ±c.
    let c = (r * r - y * y).max(0.0).sqrt();
    if y < 0.0 {
        let u = x.clamp(-c, c);
        half(u) - half(-c) + y * (u + c)
    } else {
        let above = if x <= -c {
            half(x)
        } else if x < c {
            half(-c) + y * (x + c)
        } else {
            half(-c) + 2.0 * c * y + half(x) - half(c)
        };
        half(x) + above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: f64 = f64::INFINITY;

    #[test]
    fn halves_and_quarters_are_exact() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        let part = |low, high| ball_in_box(2, [1.0, 2.0, 0.0], 1.0, low, high);
        close(part([-FAR; 3], [FAR; 3]), PI);
        close(part([-FAR; 3], [1.0, FAR, FAR]), PI / 2.0);
        close(part([1.0, 2.0, 0.0], [FAR; 3]), PI / 4.0);
        close(part([0.5, 1.5, 0.0], [1.5, 2.5, 0.0]), 1.0);
        close(part([3.0, 0.0, 0.0], [4.0, 9.0, 0.0]), 0.0);
        // A segment of height h: r² acos(1 − h) − (1 − h) √(2h − h²).
        let h: f64 = 0.3;
        close(part([-FAR; 3], [FAR, 1.0 + h, FAR]), (1.0 - h).acos() - (1.0 - h) * (2.0 * h - h * h).sqrt());
    }

    #[test]
    fn a_cap_of_a_sphere_is_exact_and_an_eighth_nearly() {
        let part = |low, high| ball_in_box(3, [0.0; 3], 1.0, low, high);
        let h = 0.7;
        let cap = PI * h * h * (3.0 - h) / 3.0;
        assert!((part([-FAR; 3], [FAR, FAR, -1.0 + h]) - cap).abs() < 1e-12);
        assert!((part([-FAR; 3], [-1.0 + h, FAR, FAR]) - cap).abs() < 1e-12);
        // Cut along two axes: a quarter.
        assert!((part([-FAR, 0.0, -FAR], [0.0, FAR, FAR]) - PI / 3.0).abs() < 1e-3);
        assert!((part([0.0; 3], [FAR; 3]) - PI / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_box_cut_in_two_keeps_its_volume() {
        for cut in [-0.9, -0.3, 0.1, 0.6] {
            let (low, high) = ([-0.5, -0.8, -0.7], [0.9, 0.4, 0.8]);
            let whole = ball_in_box(3, [0.0; 3], 1.0, low, high);
            let left = ball_in_box(3, [0.0; 3], 1.0, low, [high[0], f64::clamp(cut, low[1], high[1]), high[2]]);
            let right = ball_in_box(3, [0.0; 3], 1.0, [low[0], f64::clamp(cut, low[1], high[1]), low[2]], high);
            assert!((whole - left - right).abs() < 1e-12);
        }
    }
}
