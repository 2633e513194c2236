//! The few operations on plain arrays that both dimensions share before a world exists.

use crate::model::Point;

pub(crate) fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub(crate) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(crate) fn scale(a: Point, factor: f64) -> Point {
    a.map(|x| x * factor)
}
pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(crate) fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}
/// The unit vector along `a`; none for a zero vector.
pub(crate) fn unit(a: Point) -> Option<Point> {
    let length = length(a);
    (length > 0.0 && length.is_finite()).then(|| scale(a, 1.0 / length))
}
/// The part of `a` perpendicular to the unit vector `n`.
pub(crate) fn across(a: Point, n: Point) -> Point {
    sub(a, scale(n, dot(a, n)))
}
/// The axis that a unit vector lies along, and the sign; none if it is oblique.
pub(crate) fn aligned(a: Point) -> Option<(usize, f64)> {
    let axis = (0..3).max_by(|&i, &j| a[i].abs().total_cmp(&a[j].abs()))?;
    (a[axis].abs() > 1.0 - 1e-9).then(|| (axis, a[axis].signum()))
}
pub(crate) const AXIS_NAMES: [&str; 3] = ["x", "y", "z"];
