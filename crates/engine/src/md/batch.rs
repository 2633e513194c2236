//! The forces of soft contacts, many side by side: one row of numbers for each quantity, so that the loop over a batch is
//! turned into wide instructions. Two dimensions are treated as three without the third axis.

use super::law::Springs;
use riprap_solve::simd::{WideLoop, run_in_rows};
use riprap_solve::{Dim, Vector};

/// Contacts that are computed side by side; all rows of a batch stay in the nearest cache.
pub(super) const BATCH: usize = 64;

/// The part of its squared length that a spring may lose as it turns in one step; that of a turn by 1e-5 in some
/// hundreds of steps of a collision is 1e-10 each.
const SMALL_TURN: f64 = 1e-9;

type Row = [f64; BATCH];

/// Inputs and outputs of all contacts of a batch.
pub(super) struct Batch {
    /// From the centre of body 1 to that of body 2, and the sum of their radii. For a wall: the normal times the radius
    /// of the ball, and that radius plus the overlap.
    away: [Row; 3],
    reach: Row,
    /// Of body 2 against body 1, at the centres; for a wall, at the centre of the ball and at the point.
    velocity: [Row; 3],
    /// Sum of spins times radii, by which the bodies turn past each other.
    turning: [Row; 3],
    /// Sum of spins, half of which turns the tangent plane about the normal.
    spins: [Row; 3],
    /// Normal dashpot.
    damping: Row,
    /// The friction coefficient up to which it sticks, and that of sliding.
    holding: Row,
    sliding: Row,
    /// The tangential spring, before and after.
    spring: [Row; 3],
    /// The force on body 2, and `n × f`.
    force: [Row; 3],
    turn: [Row; 3],
    /// Squared distance minus squared reach: negative if the bodies touch.
    apart: Row,
    /// How far beyond Coulomb's limit the tangential force would have been, in squares; positive if it slides.
    beyond: Row,
    /// Power lost in the normal and in the tangential dashpot, and energy lost in this step by sliding and by the finite
    /// step.
    normal_loss: Row,
    tangential_loss: Row,
    slip_loss: Row,
}

/// How the two bodies of a contact meet; see the rows of [`Batch`].
pub(super) struct Meeting<D: Dim> {
    pub away: D::Vector,
    pub velocity: D::Vector,
    pub turning: D::Spin,
    pub spins: D::Spin,
}

/// The output of a batch for one contact.
pub(super) struct ContactOutput<D: Dim> {
    pub force: D::Vector,
    pub turn: D::Spin,
    pub spring: D::Vector,
    pub slid: bool,
    /// Power lost in the dashpots, normal and tangential.
    pub dashpots: [f64; 2],
    /// Energy lost in this step by sliding, and by the finite step.
    pub slip_loss: f64,
}

impl Batch {
    pub fn new() -> Self {
        let (row, rows) = ([0.0; BATCH], [[0.0; BATCH]; 3]);
        Batch {
            away: rows,
            reach: row,
            velocity: rows,
            turning: rows,
            spins: rows,
            damping: row,
            holding: row,
            sliding: row,
            spring: rows,
            force: rows,
            turn: rows,
            apart: row,
            beyond: row,
            normal_loss: row,
            tangential_loss: row,
            slip_loss: row,
        }
    }

    #[inline(always)]
    pub fn put_reach(&mut self, i: usize, reach: f64) {
        self.reach[i] = reach;
    }

    #[inline(always)]
    pub fn put_meeting<D: Dim>(&mut self, i: usize, meeting: &Meeting<D>) {
        for axis in 0..D::AXES {
            self.away[axis][i] = meeting.away.get(axis);
            self.velocity[axis][i] = meeting.velocity.get(axis);
        }
        for axis in 0..D::SPINS {
            self.turning[3 - D::SPINS + axis][i] = meeting.turning.get(axis);
            self.spins[3 - D::SPINS + axis][i] = meeting.spins.get(axis);
        }
    }

    /// The spring as it was left, the normal dashpot, and the friction coefficients of sticking and sliding.
    #[inline(always)]
    pub fn put_memory<D: Dim>(&mut self, i: usize, spring: D::Vector, damping: f64, [holding, sliding]: [f64; 2]) {
        for axis in 0..D::AXES {
            self.spring[axis][i] = spring.get(axis);
        }
        (self.damping[i], self.holding[i], self.sliding[i]) = (damping, holding, sliding);
    }

    /// Whether the bodies of a contact touch. What is computed of those that do not has no meaning.
    #[inline(always)]
    pub fn touches(&self, i: usize) -> bool {
        self.apart[i] < 0.0
    }

    #[inline(always)]
    pub fn take<D: Dim>(&self, i: usize) -> ContactOutput<D> {
        ContactOutput {
            force: D::Vector::from_array3(row(&self.force, i)),
            // In the plane the only spin is about the third axis.
            turn: D::Spin::from_array3(if D::SPINS == 1 { [self.turn[2][i]; 3] } else { row(&self.turn, i) }),
            spring: D::Vector::from_array3(row(&self.spring, i)),
            slid: self.beyond[i] > 0.0,
            dashpots: [self.normal_loss[i], self.tangential_loss[i]],
            slip_loss: self.slip_loss[i],
        }
    }

    /// The forces of the first `count` contacts, after each has moved on by `step` to where it is now.
    ///
    /// ```text
    /// f_n = kδ − γu_n                  not below zero with the clamp
    /// f_t = −k_t ξ − γ_t ξ̇             ξ̇ = u_t while it holds
    /// |f_t| > μ f_n:  f_t on the cone, and ξ̇ the one that goes with it; u_t − ξ̇ is sliding
    /// ```
    pub fn compute(&mut self, count: usize, springs: &Springs, step: f64) {
        run_in_rows(Forces { batch: self, count, springs, step });
    }
}

/// The loop over the contacts of a batch.
struct Forces<'a> {
    batch: &'a mut Batch,
    count: usize,
    springs: &'a Springs,
    step: f64,
}

impl WideLoop for Forces<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Forces { batch, count, springs, step } = self;
        let (k, k_t, ahead, share) = (springs.normal, springs.tangential, springs.ahead, springs.damping_share);
        let floor = if springs.clamp { 0.0 } else { f64::NEG_INFINITY };
        let half_step = 0.5 * step;
        for i in 0..count.min(BATCH) {
            let away = row(&batch.away, i);
            let (squared_distance, reach) = (dot(away, away), batch.reach[i]);
            batch.apart[i] = squared_distance - reach * reach;
            let distance = squared_distance.sqrt();
            // Two centres in one place have no normal; any will do.
            let apart = distance > 0.0;
            let inverse = if apart { 1.0 / distance } else { 0.0 };
            let mut n = times(away, inverse);
            n[0] = if apart { n[0] } else { 1.0 };
            let velocity = minus(row(&batch.velocity, i), cross(row(&batch.turning, i), n));
            let u_n = dot(velocity, n);
            let u_t = minus(velocity, times(n, u_n));
            let damping = batch.damping[i];
            let elastic = k * (reach - distance);
            let free = elastic - damping * u_n;
            let f_n = if free > floor { free } else { floor };
            let pressing = if f_n > 0.0 { f_n } else { 0.0 };

            // The spring turns with the tangent plane at constant length, then stretches.
            let before = row(&batch.spring, i);
            let length = dot(before, before);
            let turned = plus(before, times(cross(row(&batch.spins, i), before), half_step));
            let flat = minus(turned, times(n, dot(turned, n)));
            let left = dot(flat, flat);
            // In a step of most contacts nothing is lost that rounding would not lose; the others get their length back.
            let lost = (length - left).abs() > SMALL_TURN * length && left > 0.0;
            let back = (length / left).sqrt();
            let xi = plus(times(flat, if lost { back } else { 1.0 }), times(u_t, step));

            let wanted = share * damping - ahead;
            let gamma_t = if wanted > 0.0 { wanted } else { 0.0 };
            let trial = times(plus(times(xi, k_t), times(u_t, gamma_t)), -1.0);
            let size = dot(trial, trial);
            let hold = batch.holding[i] * pressing;
            let beyond = size - hold * hold;
            let slides = beyond > 0.0;
            let on_cone = batch.sliding[i] * pressing / size.sqrt();
            let f_t = times(trial, if slides { on_cone } else { 1.0 });
            // Zero where it holds: the speed of the slider.
            let sliding = times(minus(f_t, trial), 1.0 / (gamma_t + 2.0 * ahead));
            let held = minus(u_t, sliding);
            let after = minus(xi, times(sliding, step));
            let force = plus(times(n, f_n), f_t);
            let turn = cross(n, force);
            for axis in 0..3 {
                batch.spring[axis][i] = after[axis];
                batch.force[axis][i] = force[axis];
                batch.turn[axis][i] = turn[axis];
            }
            batch.beyond[i] = beyond;
            batch.normal_loss[i] = (elastic - f_n) * u_n;
            let squared = dot(held, held);
            batch.tangential_loss[i] = gamma_t * squared;
            batch.slip_loss[i] = (ahead * squared - dot(f_t, sliding)) * step;
        }
    }
}

#[inline(always)]
fn row(rows: &[Row; 3], i: usize) -> [f64; 3] {
    [rows[0][i], rows[1][i], rows[2][i]]
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn times(a: [f64; 3], factor: f64) -> [f64; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::super::law::SurfaceLaw;
    use super::*;
    use crate::law::torque::TorqueLimit;
    use crate::settings::Soft;
    use glam::DVec3;
    use riprap_solve::D3;

    #[test]
    fn the_tangential_force_stays_in_coulombs_cone_and_what_it_does_is_booked() {
        let step = 1e-5;
        let springs = Springs::new::<D3>(&Soft::new(1e4, step), step);
        let surface = SurfaceLaw {
            static_friction: 0.5,
            dynamic_friction: 0.3,
            rolling: TorqueLimit::None,
            torsion: TorqueLimit::None,
            damping_ratio: 0.2,
        };
        let mut batch = Batch::new();
        // Two contacts side by side, of which the second is seen from the other body.
        let mut spring = [DVec3::ZERO; 2];
        let mut slid = [false; 2];
        let mut slides = 0;
        for i in 0..400 {
            let velocity = DVec3::new(0.3 * (0.05 * f64::from(i)).sin(), 0.1, 0.0);
            for (place, sign) in [(0, 1.0), (1, -1.0)] {
                let meeting = Meeting::<D3> {
                    away: DVec3::Z * sign,
                    velocity: velocity * sign,
                    turning: DVec3::ZERO,
                    spins: DVec3::ZERO,
                };
                batch.put_reach(place, 1.0 + 1e-4);
                batch.put_meeting(place, &meeting);
                batch.put_memory::<D3>(place, spring[place], 0.05, surface.frictions(slid[place]));
            }
            batch.compute(2, &springs, step);
            let told = [0, 1].map(|place| batch.take::<D3>(place));
            assert_eq!(told[0].force, -told[1].force);
            let ContactOutput { force, turn, dashpots: [normal_loss, tangential_loss], slip_loss, .. } = told[0];
            let f_t = force.truncate().length();
            assert!((force.z - 1.0).abs() < 1e-10 && normal_loss.abs() < 1e-12 && turn == DVec3::Z.cross(force));
            assert!(f_t <= 0.5 * (1.0 + 1e-9) && slip_loss >= 0.0 && tangential_loss >= 0.0);
            if told[0].slid {
                slides += 1;
                assert!((f_t - 0.3).abs() < 1e-10);
            }
            // Work against the force = what the spring gains + what is lost.
            let energy = |spring: DVec3| 0.5 * springs.tangential * spring.length_squared();
            let work = -force.dot(velocity) * step;
            let gained = energy(told[0].spring) - energy(spring[0]);
            assert!((work - gained - tangential_loss * step - slip_loss).abs() < 1e-15 + 1e-10 * work.abs());
            for place in 0..2 {
                (spring[place], slid[place]) = (told[place].spring, told[place].slid);
            }
        }
        assert!(slides > 100, "it slid in {slides} of 400 steps");
    }
}
