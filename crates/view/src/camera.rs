//! The camera of the page (`page/camera.js`), for pictures without a browser.

use glam::DVec3;

/// The opening angle of the camera.
const ANGLE: f64 = 35.0 * std::f64::consts::PI / 180.0;

/// A camera that looks at a target from a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at.
    pub target: [f64; 3],
    /// How far away it is.
    pub distance: f64,
    /// Around the vertical and above the horizontal (rad).
    pub azimuth: f64,
    /// See above.
    pub elevation: f64,
    /// With or without perspective.
    pub perspective: bool,
}

/// A camera set up for a picture: what it sees is in a frame with x to the right, y upwards and z towards the eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    eye: DVec3,
    axes: [DVec3; 3],
    /// Half the height of what is seen at distance 1 (with perspective), or anywhere (without).
    half: f64,
    pub perspective: bool,
    size: [f64; 2],
}

impl Camera {
    /// Seven numbers, as the page's address has them.
    pub(crate) fn from_text(text: &str) -> Option<Camera> {
        let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let [x, y, z, distance, azimuth, elevation, perspective] = numbers[..] else { return None };
        let is_sound = numbers.iter().all(|number| number.is_finite()) && distance > 0.0;
        is_sound.then_some(Camera { target: [x, y, z], distance, azimuth, elevation, perspective: perspective == 1.0 })
    }

    /// A camera that shows a box as large as it fits; in the plane, seen flat.
    pub fn fitting(low: [f64; 3], high: [f64; 3], dimension: usize, aspect: f64) -> Camera {
        let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
        let size = high - low;
        let radius = if dimension == 2 { (0.5 * size.y).max(0.5 * size.x / aspect) } else { 0.5 * size.length() };
        let narrow = if dimension == 2 { 1.0 } else { aspect.min(1.0) };
        Camera {
            target: (0.5 * (low + high)).to_array(),
            distance: 1.08 * radius.max(f64::MIN_POSITIVE) / (0.5 * ANGLE).tan() / narrow,
            azimuth: -1.0,
            elevation: 0.35,
            perspective: dimension == 3,
        }
    }

    /// The direction from the target to the eye.
    pub(crate) fn towards(&self, dimension: usize) -> DVec3 {
        if dimension == 2 {
            return DVec3::Z;
        }
        let (sin, cos) = self.elevation.sin_cos();
        DVec3::new(cos * self.azimuth.cos(), cos * self.azimuth.sin(), sin)
    }

    /// The camera before a picture of this size in pixels.
    pub(crate) fn lens(&self, dimension: usize, size: [usize; 2]) -> Lens {
        let back = self.towards(dimension);
        let up = if dimension == 2 {
            DVec3::Y
        } else {
            let (sin, cos) = self.elevation.sin_cos();
            DVec3::new(-sin * self.azimuth.cos(), -sin * self.azimuth.sin(), cos)
        };
        let perspective = self.perspective && dimension == 3;
        let opening = (0.5 * ANGLE).tan();
        Lens {
            eye: DVec3::from_array(self.target) + back * self.distance,
            axes: [up.cross(back), up, back],
            half: if perspective { opening } else { opening * self.distance },
            perspective,
            size: size.map(|pixels| pixels as f64),
        }
    }
}

impl Lens {
    /// A point in the frame of the lens.
    pub fn seen(&self, point: DVec3) -> DVec3 {
        self.turned(point - self.eye)
    }

    /// A direction in the frame of the lens.
    pub fn turned(&self, direction: DVec3) -> DVec3 {
        DVec3::from_array(self.axes.map(|axis| axis.dot(direction)))
    }

    /// How many pixels a length is long that is seen at this depth.
    pub fn pixels_per_length(&self, seen: DVec3) -> f64 {
        0.5 * self.size[1] / (self.half * if self.perspective { -seen.z } else { 1.0 })
    }

    /// Where a seen point is in the picture, in pixels from the upper left corner.
    pub fn pixel(&self, seen: DVec3) -> [f64; 2] {
        let scale = self.pixels_per_length(seen);
        [0.5 * self.size[0] + seen.x * scale, 0.5 * self.size[1] - seen.y * scale]
    }

    /// The ray through the middle of a pixel: where it begins, and its direction.
    pub fn ray(&self, [x, y]: [usize; 2]) -> (DVec3, DVec3) {
        let scale = 2.0 * self.half / self.size[1];
        let (right, up) =
            ((x as f64 + 0.5 - 0.5 * self.size[0]) * scale, (0.5 * self.size[1] - y as f64 - 0.5) * scale);
        if self.perspective {
            (DVec3::ZERO, DVec3::new(right, up, -1.0).normalize())
        } else {
            (DVec3::new(right, up, 0.0), -DVec3::Z)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_go_through_the_points_whose_pixels_they_are() {
        for perspective in [true, false] {
            let camera = Camera { target: [1.0, 2.0, 3.0], distance: 10.0, azimuth: 0.4, elevation: 0.7, perspective };
            let lens = camera.lens(3, [400, 300]);
            for point in [DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.5, 2.5, 2.0), DVec3::new(-0.5, 2.0, 3.5)] {
                let seen = lens.seen(point);
                let [x, y] = lens.pixel(seen);
                let (from, along) = lens.ray([x.floor() as usize, y.floor() as usize]);
                let miss = (seen - from) - along * along.dot(seen - from);
                assert!(miss.length() * lens.pixels_per_length(seen) < 1.0, "{point}");
            }
        }
    }

    #[test]
    fn a_fitting_camera_sees_the_whole_box() {
        for aspect in [0.5, 1.0, 2.0] {
            for dimension in [2, 3] {
                let camera = Camera::fitting([0.0, 0.0, 0.0], [4.0, 2.0, 3.0], dimension, aspect);
                let lens = camera.lens(dimension, [(300.0 * aspect) as usize, 300]);
                for corner in 0..8 {
                    let at = DVec3::new(
                        4.0 * f64::from(corner & 1),
                        2.0 * f64::from(corner >> 1 & 1),
                        3.0 * f64::from(corner >> 2),
                    );
                    let [x, y] = lens.pixel(lens.seen(at));
                    assert!((0.0..=300.0 * aspect).contains(&x) && (0.0..=300.0).contains(&y), "{at} at {x} {y}");
                }
            }
        }
    }
}
