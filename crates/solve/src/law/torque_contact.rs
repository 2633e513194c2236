//! One contact with all its laws at once: a step in the normal law, friction, torsion and rolling, coupled by a full block.
//!
//! ```text
//!   u = W p + q      p = (p_n, p_t, τ_n, τ_t), torques divided and spins multiplied by a length of the contact
//!   p_n on the staircase of `Cohesion` against u_n;   |p_i| ≤ μ_i p_n, opposite to u_i where that is an equality
//! ```
//!
//! The parts `p_i` are friction, torsion and rolling; or, where sliding and torsion are coupled, both of these as one part in
//! a ball, torsion being divided by `μ_tor/μ`, which makes a ball of the ellipsoid; and rolling.
//!
//! Newton's method with full steps from where the contact was finds it nearly always, in a few steps. Where it does not,
//! the problem is taken apart: for a given `p_n` friction and torques are the one minimum of a convex function over discs,
//! found by block descent that Newton's method ends; and what they leave of `u_n` is a continuous function of `p_n` alone,
//! whose root is kept in a bracket. (It has one: with the block positive definite, `u_n/p_n` tends to a positive number.)

use super::dense::solve_linear;

/// The largest number of components: normal, two tangents, torsion, two of rolling.
pub const SIZE: usize = 6;
/// A contact's impulse, or velocity, or a row of its block.
pub type Local = [f64; SIZE];

/// Newton steps on all equations of a contact. A few are enough where it converges; what is left after so many is taken
/// apart. Chosen, not measured.
const CONTACT_NEWTON_STEPS: usize = 16;
/// The error at which a contact is solved, in units of the impulses that matter: some tens of units in the last place,
/// which sums over six components lose.
const SOLVED: f64 = 1e-14;
/// The same for friction and torques at a given normal impulse, whose root is then looked for: as sharp as can be.
const FRICTION_SOLVED: f64 = 1e-15;
/// Doublings of the normal impulse while a bracket is looked for: no impulse is this much larger than the free one.
const DOUBLINGS: usize = 1000;
/// Steps inside the bracket, one of [`BISECTION_EVERY`] of them a bisection: so 20 bisections at least, for
/// functions on which the rule of false position crawls. Chosen, not measured.
const BRACKET_STEPS: usize = 80;
const BISECTION_EVERY: usize = 4;
/// Rounds of descent and Newton's method for friction and torques at a given normal impulse, the sweeps of descent in each,
/// the descent steps along one part, and the Newton steps that follow. Chosen, not measured.
const FRICTION_ROUNDS: usize = 30;
const DESCENT_SWEEPS: usize = 4;
const DESCENT_STEPS: usize = 2;
const FRICTION_NEWTON_STEPS: usize = 4;

/// A disc that part of the impulse is confined to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Disc {
    start: usize,
    end: usize,
    /// The radius over `p_n`.
    limit: f64,
}

/// The laws of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TorqueLaw {
    size: usize,
    discs: [Disc; 3],
    hold: f64,
    closing: f64,
}

impl TorqueLaw {
    /// The laws of a contact in 2 or 3 `axes`. The limits of the torques are divided by the length of the contact; `None` if
    /// it carries no torque. `hold` and `closing` are those of `Cohesion`.
    pub fn new(axes: usize, friction: f64, torque_limits: Option<[f64; 2]>, hold: f64, closing: f64) -> Self {
        let mut discs = [Disc { start: 1, end: axes, limit: friction }, Disc::default(), Disc::default()];
        let mut size = axes;
        if let Some([rolling, torsion]) = torque_limits {
            if axes == 3 {
                discs[1] = Disc { start: 3, end: 4, limit: torsion };
                discs[2] = Disc { start: 4, end: 6, limit: rolling };
                size = 6;
            } else {
                discs[1] = Disc { start: 2, end: 3, limit: rolling };
                size = 3;
            }
        }
        TorqueLaw { size, discs, hold, closing }
    }

    /// In 3D, with torques: friction and torsion as one part, whose limit is that of friction.
    pub fn coupled(mut self) -> Self {
        self.discs[0].end = self.discs[1].end;
        self.discs[1] = Disc::default();
        self
    }

    /// The number of components of the impulse.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The impulse that satisfies the laws with `u = W p + q`, looked for from `start`.
    pub fn solve(&self, w: &[Local; SIZE], q: Local, start: Local) -> Local {
        if q[0] >= 0.0 {
            return [0.0; SIZE];
        }
        let block = OneBlock { law: self, w, q, weight: self.weights(w) };
        let goal = SOLVED * block.scale();
        let (found, error) = block.newton(start, goal);
        if error <= goal {
            return found;
        }
        let (rough, rough_error) = block.take_apart(start);
        let (better, better_error) = block.newton(rough, goal);
        // A block that is nearly singular can have a very large solution: errors count in proportion.
        let relative = |(p, error): &(Local, f64)| error / p.iter().fold(block.scale(), |size, x| size.max(x.abs()));
        let candidates = [(found, error), (rough, rough_error), (better, better_error)];
        let best = candidates.into_iter().min_by(|a, b| relative(a).total_cmp(&relative(b)));
        best.map_or(rough, |(p, _)| p)
    }

    /// How far an impulse is from the laws, given the velocity with it, in units of impulse: `|p − P(p − ρ u)|`, where `P`
    /// takes the normal to the staircase and each other part to the disc that `p_n` gives it. Zero exactly when all laws hold.
    pub fn error(&self, p: Local, u: Local, rho: f64) -> f64 {
        let n = p[0] - self.staircase(p[0] - rho * u[0], rho);
        let mut sum = n * n;
        for disc in self.discs() {
            let mut z = [0.0; SIZE];
            for i in disc.start..disc.end {
                z[i] = p[i] - rho * u[i];
            }
            let cut = disc.cut(&z, disc.limit * p[0].max(0.0));
            for i in disc.start..disc.end {
                sum += (p[i] - cut * z[i]).powi(2);
            }
        }
        sum.sqrt()
    }

    /// The normal impulse that the free step `p_n − ρ u_n` ends in.
    pub fn staircase(&self, free: f64, rho: f64) -> f64 {
        free.min(self.hold).max(free - rho * self.closing).max(0.0)
    }

    /// Only part of the normal correction from `old` to the solution `new` (see `Tuning::part`), with friction and torques cut
    /// to their limits there.
    pub(crate) fn damped(&self, old: Local, new: Local, part: impl Fn(f64, f64) -> f64) -> Local {
        let friction = &self.discs[0];
        let mut p = new;
        p[0] = (old[0] + part(friction.limit * new[0], friction.length(&new)) * (new[0] - old[0])).max(0.0);
        for disc in self.discs() {
            let cut = disc.cut(&new, disc.limit * p[0]);
            for i in disc.start..disc.end {
                p[i] = cut * new[i];
            }
        }
        p
    }

    fn discs(&self) -> impl Iterator<Item = &Disc> {
        self.discs.iter().filter(|disc| disc.end > disc.start)
    }

    /// For each component, one over the mean of the block's diagonal over its part.
    fn weights(&self, w: &[Local; SIZE]) -> Local {
        let mut weights = [0.0; SIZE];
        weights[0] = 1.0 / w[0][0];
        for disc in self.discs() {
            let mean = (disc.start..disc.end).map(|i| w[i][i]).sum::<f64>() / (disc.end - disc.start) as f64;
            let weight = if mean > 0.0 { 1.0 / mean } else { weights[0] };
            weights[disc.start..disc.end].fill(weight);
        }
        weights
    }
}

impl Disc {
    /// The factor that cuts the part of `z` in this disc to a length of at most `radius`.
    fn cut(&self, z: &Local, radius: f64) -> f64 {
        let length = self.length(z);
        if length <= radius { 1.0 } else { radius / length }
    }

    fn length(&self, z: &Local) -> f64 {
        z[self.start..self.end].iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// A contact to be solved.
struct OneBlock<'a> {
    law: &'a TorqueLaw,
    w: &'a [Local; SIZE],
    q: Local,
    weight: Local,
}

impl OneBlock<'_> {
    /// The size of impulses that matter.
    fn scale(&self) -> f64 {
        (0..self.law.size).map(|i| self.q[i].abs() * self.weight[i]).fold(self.law.hold, f64::max)
    }

    fn velocity(&self, p: &Local, i: usize) -> f64 {
        let mut sum = self.q[i];
        for j in 0..self.law.size {
            sum += self.w[i][j] * p[j];
        }
        sum
    }

    /// Newton's method with full steps on `p = P(p − ρ (W p + q))`; the best state met, and its error.
    fn newton(&self, start: Local, goal: f64) -> (Local, f64) {
        let size = self.law.size;
        let mut p = start;
        let mut best = (start, f64::INFINITY);
        for _ in 0..CONTACT_NEWTON_STEPS {
            let (residual, jacobian) = self.equations(&p);
            let error = residual.iter().map(|x| x * x).sum::<f64>().sqrt();
            if error < best.1 {
                best = (p, error);
            }
            if error <= goal || !error.is_finite() {
                break;
            }
            let Some(step) = solve_linear(jacobian, residual, size) else { break };
            for i in 0..size {
                p[i] -= step[i];
            }
        }
        best
    }

    /// `p − P(p − ρ (W p + q))` and its derivative.
    fn equations(&self, p: &Local) -> (Local, [Local; SIZE]) {
        let size = self.law.size;
        let mut residual = [0.0; SIZE];
        let mut jacobian = [[0.0; SIZE]; SIZE];
        let rho = self.weight[0];
        let u_n = self.velocity(p, 0);
        let z_n = p[0] - rho * u_n;
        let pressed = z_n - rho * self.law.closing;
        let target = self.law.staircase(z_n, rho);
        residual[0] = p[0] - target;
        if target == 0.0 && z_n <= 0.0 || target == self.law.hold && z_n > target && pressed < target {
            jacobian[0][0] = 1.0;
        } else {
            for j in 0..size {
                jacobian[0][j] = rho * self.w[0][j];
            }
        }
        for disc in self.law.discs() {
            let mut z = [0.0; SIZE];
            for i in disc.start..disc.end {
                z[i] = p[i] - self.weight[i] * self.velocity(p, i);
            }
            let (length, radius) = (disc.length(&z), disc.limit * p[0].max(0.0));
            if length <= radius && radius > 0.0 {
                for i in disc.start..disc.end {
                    residual[i] = p[i] - z[i];
                    for j in 0..size {
                        jacobian[i][j] = self.weight[i] * self.w[i][j];
                    }
                }
                continue;
            }
            let ratio = if length > 0.0 { radius / length } else { 0.0 };
            for i in disc.start..disc.end {
                residual[i] = p[i] - ratio * z[i];
                jacobian[i][i] = 1.0;
                if ratio == 0.0 {
                    continue;
                }
                let along = z[i] / length;
                jacobian[i][0] -= disc.limit * along;
                // The part of the change of z that turns its direction.
                for k in disc.start..disc.end {
                    let turning = ratio * (f64::from(u8::from(i == k)) - along * z[k] / length);
                    for j in 0..size {
                        jacobian[i][j] -= turning * (f64::from(u8::from(j == k)) - self.weight[k] * self.w[k][j]);
                    }
                }
            }
        }
        (residual, jacobian)
    }

    /// The root of `u_n` as a function of `p_n`, in a bracket; the state and its error.
    fn take_apart(&self, start: Local) -> (Local, f64) {
        let mut state = start;
        // Either the law is on its step, or the normal impulse at which `u_n` is `wanted` lies in a bracket.
        let (mut low, mut high, wanted) =
            if self.law.hold > 0.0 && self.normal_velocity(self.law.hold, &mut state) >= 0.0 {
                (0.0, self.law.hold, 0.0)
            } else if self.normal_velocity(self.law.hold, &mut state) >= -self.law.closing {
                return (state, self.error(&state));
            } else {
                let mut high = (2.0 * self.law.hold).max(2.0 * (-self.q[0] - self.law.closing).abs() * self.weight[0]);
                high = high.max(f64::MIN_POSITIVE);
                for _ in 0..DOUBLINGS {
                    if self.normal_velocity(high, &mut state) + self.law.closing >= 0.0 {
                        break;
                    }
                    high *= 2.0;
                }
                (self.law.hold, high, -self.law.closing)
            };
        // The rule of false position, with its value at an end that stays halved (Illinois), and bisection now and then.
        let mut at_low = self.normal_velocity(low, &mut state) - wanted;
        let mut at_high = self.normal_velocity(high, &mut state) - wanted;
        for round in 0..BRACKET_STEPS {
            let secant = low - at_low * (high - low) / (at_high - at_low);
            let middle = 0.5 * (low + high);
            let next = if round % BISECTION_EVERY == BISECTION_EVERY - 1 || !(secant > low && secant < high) {
                middle
            } else {
                secant
            };
            let value = self.normal_velocity(next, &mut state) - wanted;
            if value == 0.0 || high - low <= 4.0 * f64::EPSILON * high || next == low || next == high {
                break;
            }
            if value < 0.0 {
                (low, at_low) = (next, value);
                at_high *= 0.5;
            } else {
                (high, at_high) = (next, value);
                at_low *= 0.5;
            }
        }
        (state, self.error(&state))
    }

    /// `u_n` with the friction and the torques that belong to `normal`; these are left in `state`.
    fn normal_velocity(&self, normal: f64, state: &mut Local) -> f64 {
        state[0] = normal;
        for disc in self.law.discs() {
            let cut = disc.cut(state, disc.limit * normal);
            for i in disc.start..disc.end {
                state[i] *= cut;
            }
        }
        let goal = FRICTION_SOLVED * (self.scale() + normal);
        for _ in 0..FRICTION_ROUNDS {
            // Descent along each part in turn, by steps that are short enough for its part of the block.
            for _ in 0..DESCENT_SWEEPS {
                for disc in self.law.discs() {
                    let size: f64 = (disc.start..disc.end).map(|i| self.w[i][i]).sum();
                    if size <= 0.0 {
                        continue;
                    }
                    for _ in 0..DESCENT_STEPS {
                        let mut z = *state;
                        for i in disc.start..disc.end {
                            z[i] -= self.velocity(state, i) / size;
                        }
                        let cut = disc.cut(&z, disc.limit * normal);
                        for i in disc.start..disc.end {
                            state[i] = cut * z[i];
                        }
                    }
                }
            }
            let error = self.fixed_error(state);
            if error <= goal {
                break;
            }
            if let Some(better) = self.fixed_newton(state, error) {
                *state = better;
                if self.fixed_error(state) <= goal {
                    break;
                }
            }
        }
        self.velocity(state, 0)
    }

    /// The error of friction and torques for the normal impulse as it is.
    fn fixed_error(&self, state: &Local) -> f64 {
        let (residual, _) = self.equations(state);
        residual[1..].iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// A few steps of Newton's method with the normal impulse held, if they halve the error at least.
    fn fixed_newton(&self, state: &Local, error: f64) -> Option<Local> {
        let size = self.law.size;
        let mut p = *state;
        for _ in 0..FRICTION_NEWTON_STEPS {
            let (mut residual, mut jacobian) = self.equations(&p);
            residual[0] = 0.0;
            jacobian[0] = [0.0; SIZE];
            jacobian[0][0] = 1.0;
            let step = solve_linear(jacobian, residual, size)?;
            for i in 1..size {
                p[i] -= step[i];
            }
        }
        // The descent needs a state inside the discs.
        for disc in self.law.discs() {
            let cut = disc.cut(&p, disc.limit * p[0]);
            for i in disc.start..disc.end {
                p[i] *= cut;
            }
        }
        (self.fixed_error(&p) < 0.5 * error).then_some(p)
    }

    fn error(&self, p: &Local) -> f64 {
        let (residual, _) = self.equations(p);
        residual.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between 0 and 1 that are the same everywhere.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn signed(&mut self) -> f64 {
            2.0 * self.next() - 1.0
        }

        /// A block `Σ s_k a_k a_kᵀ` whose scales `s` span the given number of decades.
        fn block(&mut self, size: usize, decades: f64) -> [Local; SIZE] {
            let mut w = [[0.0; SIZE]; SIZE];
            for k in 0..size {
                let scale = 10f64.powf(-decades * k as f64 / (size - 1) as f64);
                let a: Local = std::array::from_fn(|_| self.signed());
                for i in 0..size {
                    for j in 0..size {
                        w[i][j] += scale * a[i] * a[j];
                    }
                }
            }
            w
        }
    }

    /// Solves random contacts; the largest error over the size of the impulses, and what had it.
    fn worst(cases: usize, decades: f64, seed: u64) -> (f64, String) {
        let mut random = Numbers(seed);
        let mut worst = (0.0, String::new());
        for case in 0..cases {
            let axes = 2 + case % 2;
            let torque =
                (case % 3 != 0).then(|| [random.next(), if random.next() < 0.2 { 0.0 } else { random.next() }]);
            let friction = [0.0, random.next(), 10.0 * random.next()][case % 5 % 3];
            let (hold, closing) = if case % 7 < 3 { (random.next(), random.next()) } else { (0.0, 0.0) };
            let law = TorqueLaw::new(axes, friction, torque, hold, closing);
            let law = if torque.is_some() && case % 4 == 1 { law.coupled() } else { law };
            let spread = decades * random.next();
            let w = random.block(law.size(), spread);
            let mut q: Local = std::array::from_fn(|_| random.signed());
            q[law.size()..].fill(0.0);
            let mut start: Local = std::array::from_fn(|_| random.next());
            start[law.size()..].fill(0.0);
            let p = law.solve(&w, q, start);
            let block = OneBlock { law: &law, w: &w, q, weight: law.weights(&w) };
            let u: Local = std::array::from_fn(|i| block.velocity(&p, i));
            let size = p.iter().fold(block.scale(), |size, x| size.max(x.abs()));
            // What rounding leaves of the velocities grows with the impulses and the largest entries of the block.
            let largest = w.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs())) / w[0][0];
            let error = law.error(p, u, 1.0 / w[0][0]) / (size * largest.max(1.0));
            if error > worst.0 || error.is_nan() {
                worst = (error, format!("case {case}: {law:?}, block {w:?}, q {q:?}, found {p:?}"));
            }
        }
        worst
    }

    #[test]
    fn all_laws_hold_for_random_blocks() {
        for (decades, seed) in [(1.0, 1), (4.0, 2)] {
            let (error, what) = worst(40_000, decades, seed);
            assert!(error < 1e-9, "{decades} decades: error {error:e}, {what}");
        }
    }

    #[test]
    fn without_torque_and_step_it_is_the_coupled_contact() {
        let mut random = Numbers(5);
        for _ in 0..2000 {
            let w = random.block(3, 2.0);
            let q: Local = [random.signed(), random.signed(), random.signed(), 0.0, 0.0, 0.0];
            let p = TorqueLaw::new(3, 0.4, None, 0.0, 0.0).solve(&w, q, [0.0; SIZE]);
            let block = std::array::from_fn(|i| std::array::from_fn(|j| w[i][j]));
            let expected = crate::law::solve_coupled(&block, [q[0], q[1], q[2]], 0.4, 3);
            let size = expected[0].abs() + 1.0;
            assert!((0..3).all(|i| (p[i] - expected[i]).abs() < 1e-8 * size), "{p:?} {expected:?}");
        }
    }

    #[test]
    fn the_step_of_the_normal_law_has_four_parts() {
        let law = TorqueLaw::new(2, 0.0, None, 0.5, 0.2);
        let mut w = [[0.0; SIZE]; SIZE];
        (w[0][0], w[1][1]) = (2.0, 3.0);
        let normal = |q: f64| law.solve(&w, [q, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0; SIZE])[0];
        // Opens; held below the step; weakened on it; pressed beyond it: p = (−q − closing)/W.
        for (q, expected) in [(0.1, 0.0), (-0.6, 0.3), (-1.1, 0.5), (-1.6, 0.7)] {
            assert!((normal(q) - expected).abs() < 1e-14, "{q}: {}", normal(q));
        }
    }
}
