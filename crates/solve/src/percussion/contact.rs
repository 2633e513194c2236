//! One contact under the laws of A-CD², solved exactly.

use super::{PercussionLaw, Stick, Threshold};
use crate::law::solve_coupled;
use crate::problem::{Body, Mass, Problem};
use crate::space::{Dim, Vector};

/// Steps of the fixed point for Coulomb's threshold, and the change at which it ends: that of the last digits. It converges
/// linearly, by a factor of the viscosity over the contact's own mass.
const THRESHOLD_STEPS: usize = 60;
const THRESHOLD_CHANGE: f64 = 1e-14;
/// Bisections of the multiplier of a disc; about 53 have all digits where it is not tiny.
const BISECTIONS: usize = 100;

/// A contact in its own frame, normal first; the third component is zero in 2D.
pub struct LocalContact<D: Dim> {
    bodies: [u32; 2],
    frame: [D::Vector; 3],
    arms: [D::Vector; 2],
    masses: [Mass<D>; 2],
    /// The velocity of driven walls.
    shift: D::Vector,
    /// The diagonal block `W_αα`.
    pub block: [[f64; 3]; 3],
    /// `2K` along each axis: the dissipative percussion is `−2K (u⁺ + u⁻)`.
    pub twice_viscosity: [f64; 3],
    /// The relative velocity before, `u⁻`.
    pub before: [f64; 3],
    /// What is added to `u⁺` where the law of sticking asks for a zero.
    stick_shift: [f64; 3],
    pub threshold: Threshold,
    /// `(I + 2WK)⁻¹`, which takes the viscosity into the block.
    soften: [[f64; 3]; 3],
    /// The percussion `p` on body 2.
    pub percussion: [f64; 3],
}

impl<D: Dim> LocalContact<D> {
    pub fn new(problem: &Problem<D>, index: usize, law: PercussionLaw, before: D::Vector, stick: Stick) -> Self {
        let contact = &problem.contacts[index];
        let [t1, t2] = D::tangents(contact.normal);
        let frame = [contact.normal, t1, t2];
        let block = problem.block(index, &frame);
        let local = |vector: D::Vector| frame.map(|axis| axis.dot(vector));
        let before = local(before);
        let twice_viscosity =
            [2.0 * law.normal_viscosity, 2.0 * law.tangential_viscosity, 2.0 * law.tangential_viscosity];
        let softened =
            std::array::from_fn(|i| std::array::from_fn(|j| f64::from(i == j) + block[i][j] * twice_viscosity[j]));
        LocalContact {
            bodies: contact.bodies,
            arms: problem.arms_of(index),
            masses: contact.bodies.map(|body| problem.mass(body)),
            shift: contact.shift,
            block,
            twice_viscosity,
            before,
            stick_shift: match stick {
                Stick::RightLimit => [0.0; 3],
                Stick::Mean => [0.0, before[1], before[2]],
            },
            threshold: law.threshold,
            soften: inverse(&softened),
            percussion: local(contact.impulse),
            frame,
        }
    }

    pub fn local(&self, vector: D::Vector) -> [f64; 3] {
        self.frame.map(|axis| axis.dot(vector))
    }

    pub fn world(&self, local: [f64; 3]) -> D::Vector {
        self.frame[0] * local[0] + self.frame[1] * local[1] + self.frame[2] * local[2]
    }

    /// `u⁺` in the contact's frame, with the bodies as they are.
    pub fn velocity(&self, bodies: &[Body<D>]) -> [f64; 3] {
        let at = |side: usize| {
            let body = &bodies[self.bodies[side] as usize];
            body.velocity + D::cross(body.spin, self.arms[side])
        };
        self.local(at(1) - at(0) + self.shift)
    }

    /// Adds `M⁻¹ H p` to the velocities.
    pub fn give(&self, bodies: &mut [Body<D>], percussion: [f64; 3]) {
        let impulse = self.world(percussion);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let (body, mass) = (&mut bodies[self.bodies[side] as usize], &self.masses[side]);
            body.velocity += mass.inverse_mass.scale(impulse) * sign;
            body.spin += D::apply(mass.inverse_inertia, D::wedge(self.arms[side], impulse)) * sign;
        }
    }

    /// Solves the contact with the others frozen, given its velocity `u⁺` now; returns the change of its percussion.
    pub fn update(&mut self, velocity: [f64; 3]) -> [f64; 3] {
        // Without this contact's percussion u⁺ = q; with p = f − 2K(u⁺ + u⁻) it is u⁺ = W̃ f + q̃,
        // W̃ = (I + 2WK)⁻¹ W, q̃ = (I + 2WK)⁻¹ (q − 2WK u⁻).
        let own = product(&self.block, self.percussion);
        let viscous = product(&self.block, std::array::from_fn(|i| self.twice_viscosity[i] * self.before[i]));
        let q = product(&self.soften, std::array::from_fn(|i| velocity[i] - own[i] - viscous[i]));
        let block = matrix_product(&self.soften, &self.block);
        let multiplier = self.multiplier(&block, q);
        let after = product(&block, multiplier);
        let new: [f64; 3] =
            std::array::from_fn(|i| multiplier[i] - self.twice_viscosity[i] * (after[i] + q[i] + self.before[i]));
        let change = std::array::from_fn(|i| new[i] - self.percussion[i]);
        self.percussion = new;
        change
    }

    /// The multiplier `f` of non-penetration and of sticking, with `u⁺ = W̃ f + q̃`.
    fn multiplier(&self, block: &[[f64; 3]; 3], q: [f64; 3]) -> [f64; 3] {
        let q = std::array::from_fn(|i| q[i] + self.stick_shift[i]);
        match self.threshold {
            Threshold::None => bounded::<D>(block, q, 0.0),
            Threshold::Tresca(threshold) => bounded::<D>(block, q, threshold),
            // Without viscosity the normal percussion is the multiplier: Coulomb's law as in contact dynamics.
            Threshold::Coulomb(friction) if self.twice_viscosity[0] == 0.0 => {
                solve_coupled(block, q, friction, D::AXES)
            }
            Threshold::Coulomb(friction) => {
                // The threshold depends on the percussion that it limits, a little: a fixed point.
                let mut threshold = friction * self.percussion[0].max(0.0);
                let mut multiplier = [0.0; 3];
                for _ in 0..THRESHOLD_STEPS {
                    multiplier = bounded::<D>(block, q, threshold);
                    let after = product(block, multiplier)[0] + q[0];
                    let normal = multiplier[0] - self.twice_viscosity[0] * (after + self.before[0]);
                    let next = friction * normal.max(0.0);
                    if (next - threshold).abs() <= THRESHOLD_CHANGE * next {
                        break;
                    }
                    threshold = next;
                }
                multiplier
            }
        }
    }

    /// How far the contact is from its law: the natural map of the multiplier `f = p + 2K(u⁺ + u⁻)`, as a percussion.
    pub fn error(&self, velocity: [f64; 3]) -> f64 {
        let f: [f64; 3] =
            std::array::from_fn(|i| self.percussion[i] + self.twice_viscosity[i] * (velocity[i] + self.before[i]));
        let mass = 1.0 / self.block[0][0];
        let normal = f[0] - (f[0] - mass * velocity[0]).max(0.0);
        let slip = [velocity[1] + self.stick_shift[1], velocity[2] + self.stick_shift[2]];
        let nearest = clip([f[1] - mass * slip[0], f[2] - mass * slip[1]], self.limit());
        (normal * normal + (f[1] - nearest[0]).powi(2) + (f[2] - nearest[1]).powi(2)).sqrt()
    }

    /// The largest tangential multiplier, by the percussion as it is.
    pub fn limit(&self) -> f64 {
        match self.threshold {
            Threshold::None => 0.0,
            Threshold::Tresca(threshold) => threshold,
            Threshold::Coulomb(friction) => friction * self.percussion[0].max(0.0),
        }
    }

    /// The tangential velocity that is zero where the contact sticks.
    pub fn slip(&self, velocity: [f64; 3]) -> [f64; 2] {
        [velocity[1] + self.stick_shift[1], velocity[2] + self.stick_shift[2]]
    }
}

/// The nearest point of the disc of this radius.
pub fn clip(v: [f64; 2], radius: f64) -> [f64; 2] {
    let length = libm::hypot(v[0], v[1]);
    if length <= radius { v } else { [v[0] * radius / length, v[1] * radius / length] }
}

/// The multiplier with `0 ≤ u_n ⟂ f_n ≥ 0`, `|f_t| ≤ threshold` and `f_t` opposite to `u_t` at it, `u = W f + q`: the
/// minimum of a convex function, either with `f_n = 0` or with `u_n = 0`.
fn bounded<D: Dim>(w: &[[f64; 3]; 3], q: [f64; 3], threshold: f64) -> [f64; 3] {
    let free = disc::<D>([[w[1][1], w[1][2]], [w[2][1], w[2][2]]], [q[1], q[2]], threshold);
    if q[0] + w[0][1] * free[0] + w[0][2] * free[1] >= 0.0 {
        return [0.0, free[0], free[1]];
    }
    let inverse = 1.0 / w[0][0];
    let s = |i: usize, j: usize| w[i][j] - w[i][0] * w[0][j] * inverse;
    let b = [q[1] - w[1][0] * q[0] * inverse, q[2] - w[2][0] * q[0] * inverse];
    let t = disc::<D>([[s(1, 1), s(1, 2)], [s(2, 1), s(2, 2)]], b, threshold);
    [(-(q[0] + w[0][1] * t[0] + w[0][2] * t[1]) * inverse).max(0.0), t[0], t[1]]
}

/// The minimum of `½ t·S t + b·t` over the disc `|t| ≤ radius`.
fn disc<D: Dim>(s: [[f64; 2]; 2], b: [f64; 2], radius: f64) -> [f64; 2] {
    if radius <= 0.0 {
        return [0.0; 2];
    }
    if D::AXES == 2 {
        return [(-b[0] / s[0][0]).clamp(-radius, radius), 0.0];
    }
    // On the border (S + λ) t = −b with λ ≥ 0; its length falls with λ.
    let at = |l: f64| {
        let (a, c, d) = (s[0][0] + l, 0.5 * (s[0][1] + s[1][0]), s[1][1] + l);
        let determinant = a * d - c * c;
        [(c * b[1] - d * b[0]) / determinant, (c * b[0] - a * b[1]) / determinant]
    };
    let length = |t: [f64; 2]| libm::hypot(t[0], t[1]);
    let inside = at(0.0);
    if length(inside) <= radius {
        return inside;
    }
    let (mut low, mut high) = (0.0, length(b) / radius);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if length(at(middle)) > radius {
            low = middle
        } else {
            high = middle
        }
        if high - low <= f64::EPSILON * high {
            break;
        }
    }
    clip(at(high), radius)
}

fn product(a: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i][0] * v[0] + a[i][1] * v[1] + a[i][2] * v[2])
}

fn matrix_product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn inverse(a: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let matrix = glam::DMat3::from_cols_array_2d(a).transpose().inverse();
    matrix.transpose().to_cols_array_2d()
}
