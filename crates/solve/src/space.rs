//! Two and three dimensions from one source.
//!
//! Everything that depends on the dimension is named here once: the vector of
//! positions and velocities, the spin (a number in 2D, a vector in 3D), the two
//! products between them, and orientations. The rest of the program is generic
//! over [`Dim`].

use glam::{DMat3, DQuat, DVec2, DVec3};
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A small vector of `f64`: a position, velocity, force (2 or 3 components), or a spin (1 or 3).
pub trait Vector:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// The number of components.
    const LEN: usize;
    /// All components zero.
    const ZERO: Self;
    /// The vector whose component `i` is `component(i)`.
    fn from_fn(component: impl FnMut(usize) -> f64) -> Self;
    /// Component `i`.
    fn get(self, i: usize) -> f64;
    /// The scalar product.
    fn dot(self, other: Self) -> f64;

    /// The vector along axis `i` with length 1.
    fn axis(i: usize) -> Self {
        Self::from_fn(|k| if k == i { 1.0 } else { 0.0 })
    }
    /// The product of each component with the same component of `other`.
    fn scale(self, other: Self) -> Self {
        Self::from_fn(|i| self.get(i) * other.get(i))
    }
    /// Euclidean length.
    fn length(self) -> f64 {
        self.dot(self).sqrt()
    }
    /// The vector of length 1 in this direction; `None` for a zero or non-finite vector.
    fn normalized(self) -> Option<Self> {
        let length = self.length();
        (length > 0.0 && length.is_finite()).then(|| self * (1.0 / length))
    }
    /// True if every component is a finite number.
    fn is_finite(self) -> bool {
        (0..Self::LEN).all(|i| self.get(i).is_finite())
    }
    /// The components in an array of three, padded with zeros (for files and pictures).
    fn to_array3(self) -> [f64; 3] {
        std::array::from_fn(|i| if i < Self::LEN { self.get(i) } else { 0.0 })
    }
    /// The inverse of [`Vector::to_array3`]; components beyond the dimension are dropped.
    fn from_array3(components: [f64; 3]) -> Self {
        Self::from_fn(|i| components[i])
    }
}

impl Vector for f64 {
    const LEN: usize = 1;
    const ZERO: Self = 0.0;
    fn from_fn(mut component: impl FnMut(usize) -> f64) -> Self {
        component(0)
    }
    fn get(self, _: usize) -> f64 {
        self
    }
    fn dot(self, other: Self) -> f64 {
        self * other
    }
}

macro_rules! glam_vector {
    ($vector:ty, $len:literal) => {
        impl Vector for $vector {
            const LEN: usize = $len;
            const ZERO: Self = <$vector>::ZERO;
            #[inline]
            fn from_fn(component: impl FnMut(usize) -> f64) -> Self {
                <$vector>::from_array(std::array::from_fn(component))
            }
            #[inline]
            fn get(self, i: usize) -> f64 {
                self[i]
            }
            #[inline]
            fn dot(self, other: Self) -> f64 {
                <$vector>::dot(self, other)
            }
            #[inline(always)]
            fn from_array3(components: [f64; 3]) -> Self {
                <$vector>::from_slice(&components[..$len])
            }
        }
    };
}
glam_vector!(DVec2, 2);
glam_vector!(DVec3, 3);

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::D2 {}
    impl Sealed for super::D3 {}
}

/// The plane: disks, lines, one spin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D2;

/// Space: spheres, planes, three spins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3;

/// What two and three dimensions do not share.
pub trait Dim: sealed::Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The number of axes, 2 or 3.
    const AXES: usize;
    /// The number of axes of rotation, 1 or 3.
    const SPINS: usize;
    /// Positions, velocities, forces, normals.
    type Vector: Vector;
    /// Spins and torques.
    type Spin: Vector;
    /// An angle (2D) or a unit quaternion (3D).
    type Orientation: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// A tensor that maps spins to spins (a number in 2D).
    type SpinTensor: Copy + Debug + PartialEq + Send + Sync + 'static;

    /// `ω × l`: the velocity that a spin gives to a point at the lever arm `l`.
    fn cross(spin: Self::Spin, arm: Self::Vector) -> Self::Vector;
    /// `a × b`: the torque of a force `b` at the lever arm `a`.
    fn wedge(a: Self::Vector, b: Self::Vector) -> Self::Spin;
    /// A vector of the body frame, in the frame of the world.
    fn rotate(orientation: Self::Orientation, vector: Self::Vector) -> Self::Vector;
    /// The orientation after turning by `angle` (spin × time): the exponential map.
    fn turn(orientation: Self::Orientation, angle: Self::Spin) -> Self::Orientation;
    /// A spin of the body frame, in the frame of the world.
    fn rotate_spin(orientation: Self::Orientation, spin: Self::Spin) -> Self::Spin;
    /// The orientation that undoes this one.
    fn inverse(orientation: Self::Orientation) -> Self::Orientation;
    /// The orientation as a quaternion (x, y, z, w), for files.
    fn quaternion(orientation: Self::Orientation) -> [f64; 4];
    /// The inverse of [`Dim::quaternion`]; in 2D only the turn about z is kept.
    fn from_quaternion(quaternion: [f64; 4]) -> Self::Orientation;
    /// A tensor with the given principal values in the body frame, turned into the frame of the world.
    fn spin_tensor(orientation: Self::Orientation, principal: Self::Spin) -> Self::SpinTensor;
    /// The tensor applied to a spin.
    fn apply(tensor: Self::SpinTensor, spin: Self::Spin) -> Self::Spin;
    /// The tangents that complete a right-handed frame with the unit vector `normal`; the second is zero in 2D.
    fn tangents(normal: Self::Vector) -> [Self::Vector; 2];
    /// A spin taken apart: what turns about the unit vector `normal` (nothing in 2D), and the rest.
    fn split_spin(normal: Self::Vector, spin: Self::Spin) -> [Self::Spin; 2];
    /// A spin carried along by a contact: its normal has gone from `from` to `to`, and its bodies have turned by `turned`
    /// on the average, of which the part about the normal turns the tangents. In 2D the axis of spins stays.
    fn carry_spin(spin: Self::Spin, from: Self::Vector, to: Self::Vector, turned: Self::Spin) -> Self::Spin;
    /// The volume of a ball (area times a thickness of 1 m in 2D).
    fn ball_volume(radius: f64) -> f64;
    /// Moment of inertia of a full ball over `m r²`: 2/5 for a sphere, 1/2 for a disk.
    const BALL_INERTIA: f64;
}

impl Dim for D2 {
    const AXES: usize = 2;
    const SPINS: usize = 1;
    type Vector = DVec2;
    type Spin = f64;
    type Orientation = f64;
    type SpinTensor = f64;

    #[inline]
    fn cross(spin: f64, arm: DVec2) -> DVec2 {
        DVec2::new(-spin * arm.y, spin * arm.x)
    }
    #[inline]
    fn wedge(a: DVec2, b: DVec2) -> f64 {
        a.x * b.y - a.y * b.x
    }
    fn rotate(orientation: f64, vector: DVec2) -> DVec2 {
        let (sin, cos) = libm::sincos(orientation);
        DVec2::new(cos * vector.x - sin * vector.y, sin * vector.x + cos * vector.y)
    }
    fn turn(orientation: f64, angle: f64) -> f64 {
        orientation + angle
    }
    fn rotate_spin(_: f64, spin: f64) -> f64 {
        spin
    }
    fn inverse(orientation: f64) -> f64 {
        -orientation
    }
    fn quaternion(orientation: f64) -> [f64; 4] {
        let (sin, cos) = libm::sincos(0.5 * orientation);
        [0.0, 0.0, sin, cos]
    }
    fn from_quaternion([_, _, z, w]: [f64; 4]) -> f64 {
        2.0 * libm::atan2(z, w)
    }
    fn spin_tensor(_: f64, principal: f64) -> f64 {
        principal
    }
    fn apply(tensor: f64, spin: f64) -> f64 {
        tensor * spin
    }
    fn tangents(normal: DVec2) -> [DVec2; 2] {
        [normal.perp(), DVec2::ZERO]
    }
    fn split_spin(_: DVec2, spin: f64) -> [f64; 2] {
        [0.0, spin]
    }
    fn carry_spin(spin: f64, _: DVec2, _: DVec2, _: f64) -> f64 {
        spin
    }
    fn ball_volume(radius: f64) -> f64 {
        std::f64::consts::PI * radius * radius
    }
    const BALL_INERTIA: f64 = 0.5;
}

impl Dim for D3 {
    const AXES: usize = 3;
    const SPINS: usize = 3;
    type Vector = DVec3;
    type Spin = DVec3;
    type Orientation = DQuat;
    type SpinTensor = DMat3;

    #[inline]
    fn cross(spin: DVec3, arm: DVec3) -> DVec3 {
        spin.cross(arm)
    }
    #[inline]
    fn wedge(a: DVec3, b: DVec3) -> DVec3 {
        a.cross(b)
    }
    fn rotate(orientation: DQuat, vector: DVec3) -> DVec3 {
        orientation * vector
    }
    fn turn(orientation: DQuat, angle: DVec3) -> DQuat {
        let length = angle.length();
        let turn = if length == 0.0 { DQuat::IDENTITY } else { rotation(angle / length, length) };
        (turn * orientation).normalize()
    }
    fn rotate_spin(orientation: DQuat, spin: DVec3) -> DVec3 {
        orientation * spin
    }
    fn inverse(orientation: DQuat) -> DQuat {
        orientation.conjugate()
    }
    fn quaternion(orientation: DQuat) -> [f64; 4] {
        orientation.to_array()
    }
    fn from_quaternion(quaternion: [f64; 4]) -> DQuat {
        DQuat::from_array(quaternion)
    }
    fn spin_tensor(orientation: DQuat, principal: DVec3) -> DMat3 {
        let turn = DMat3::from_quat(orientation);
        turn * DMat3::from_diagonal(principal) * turn.transpose()
    }
    fn apply(tensor: DMat3, spin: DVec3) -> DVec3 {
        tensor * spin
    }
    fn tangents(normal: DVec3) -> [DVec3; 2] {
        let (t1, t2) = normal.any_orthonormal_pair();
        // (n, t1, t2) right-handed whatever pair glam returns.
        if normal.dot(t1.cross(t2)) >= 0.0 { [t1, t2] } else { [t2, t1] }
    }
    fn split_spin(normal: DVec3, spin: DVec3) -> [DVec3; 2] {
        let about = normal * normal.dot(spin);
        [about, spin - about]
    }
    fn carry_spin(spin: DVec3, from: DVec3, to: DVec3, turned: DVec3) -> DVec3 {
        rotation(to, to.dot(turned)) * (DQuat::from_rotation_arc(from, to) * spin)
    }
    fn ball_volume(radius: f64) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
    }
    const BALL_INERTIA: f64 = 0.4;
}

/// A turn about a unit vector; that of `glam` takes sine and cosine from the platform.
pub fn rotation(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_vec4((axis * sin).extend(cos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_complete_a_right_handed_frame() {
        for normal in [DVec3::X, -DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(0.6, -0.48, 0.64)] {
            let [t1, t2] = D3::tangents(normal);
            assert!((normal.cross(t1) - t2).length() < 1e-15);
            assert!(normal.dot(t1).abs() < 1e-15);
        }
        let normal = DVec2::new(0.6, 0.8);
        assert!((normal.perp_dot(D2::tangents(normal)[0]) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_spin_is_carried_by_the_frame_of_its_contact() {
        // Half a turn of the whole contact about z, in small parts: rolling and torsion turn with it.
        let (mut normal, mut spin) = (DVec3::X, DVec3::new(1.0, 2.0, 3.0));
        let steps = 1000;
        let angle = std::f64::consts::PI / f64::from(steps);
        for _ in 0..steps {
            let next = DQuat::from_rotation_z(angle) * normal;
            spin = D3::carry_spin(spin, normal, next, DVec3::Z * angle);
            normal = next;
        }
        assert!((spin - DVec3::new(-1.0, -2.0, 3.0)).length() < 1e-12, "{spin}");
        // Turning about the normal turns the tangents.
        let spin = D3::carry_spin(DVec3::Y, DVec3::X, DVec3::X, DVec3::X * std::f64::consts::FRAC_PI_2);
        assert!((spin - DVec3::Z).length() < 1e-12, "{spin}");
    }

    #[test]
    fn turning_is_the_exponential_map() {
        // A quarter turn about z in a hundred small turns carries x to y.
        let mut orientation = DQuat::IDENTITY;
        for _ in 0..100 {
            orientation = D3::turn(orientation, DVec3::Z * (std::f64::consts::FRAC_PI_2 / 100.0));
        }
        assert!((D3::rotate(orientation, DVec3::X) - DVec3::Y).length() < 1e-14);
        let angle = D2::turn(0.3, 0.4);
        assert!((D2::from_quaternion(D2::quaternion(angle)) - 0.7).abs() < 1e-15);
    }

    #[test]
    fn power_of_a_torque_is_the_same_both_ways() {
        // (a × b)·ω = b·(ω × a): the map to contacts and its transpose.
        let (a, b, w) = (DVec3::new(1.0, 2.0, -0.5), DVec3::new(0.2, -1.0, 3.0), DVec3::new(-1.0, 0.7, 0.1));
        assert!((D3::wedge(a, b).dot(w) - b.dot(D3::cross(w, a))).abs() < 1e-14);
        let (a, b, w) = (DVec2::new(1.0, 2.0), DVec2::new(0.2, -1.0), 0.7);
        assert!((D2::wedge(a, b) * w - b.dot(D2::cross(w, a))).abs() < 1e-15);
    }
}
