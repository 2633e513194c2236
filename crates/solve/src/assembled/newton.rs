//! Proximal point with Newton steps: for small, redundant and ill-conditioned problems (docs/solvers.md).
//!
//! Each round solves the law for `u = W r + q + α (r − r₀)`, which has a solution where that of `α = 0` may not be unique,
//! by Newton's method on the equations of Alart and Curnier,
//!
//! ```text
//!   y = r − ρ u,    r_n = max(0, y_n),    r_t = y_t cut to the disc of radius μ max(0, y_n)   (rolling likewise)
//! ```
//!
//! with full steps and no line search: the kinks of the residual trap a line search, and full steps pass through. Contacts
//! that are open are eliminated, so that only those that bear are factorised. Each contact is scaled so that its block has
//! the mean diagonal 1, which leaves the cones as they are.

use super::blocks::Blocks;
use super::linear::{DenseSystem, solve_sparse};
use super::watch::{Assembled, Watch};
use crate::options::SweepOrder;
use crate::sweep::{Measure, OrderedSweeps};

/// Newton steps in one round; a round that needs more is repeated with a larger proximal term. Chosen, not measured.
const STEPS_PER_ROUND: usize = 20;
/// The first weight of the proximal term, in units of the mean diagonal of the scaled blocks.
const FIRST_WEIGHT: f64 = 1e-3;
/// The range of the weight: below it the term is lost in rounding, above it a round hardly moves.
const WEIGHT_RANGE: [f64; 2] = [1e-14, 1e3];
/// By how much a round has to reduce the norm of its equations: the first one, or one after a failure, and all others.
const ROUGH_GOAL: f64 = 0.1;
const SHARP_GOAL: f64 = 0.01;
/// Factors on the weight: after a rough round, after a sharp one, and after a failure. Falling slowly and rising fast keeps
/// failed rounds, which cost as much as successful ones, to about one in four. Chosen, not measured.
const AFTER_ROUGH: f64 = 0.6;
const AFTER_SHARP: f64 = 0.3;
const AFTER_FAILURE: f64 = 4.0;
/// A round has made progress if the best residual fell below this part of what it was.
const PROGRESS: f64 = 0.9;
/// Rounds without progress before the state is shaken by this many sweeps in random order. Chosen, not measured.
const STALLED_ROUNDS: u32 = 8;
const SHAKING_SWEEPS: u32 = 100;
/// A full step is halved only if it multiplies the error by more than this, and to no less than the part below: only steps
/// that threaten to overflow are shortened, all others pass through the kinks of the residual.
const WILD_STEP: f64 = 1e3;
const SHORTEST_STEP: f64 = 0.1;
/// Systems up to this size are factorised densely, as are larger ones whose blocks fill more than a third of the matrix:
/// there the sparse factors are full anyway, and have indices besides.
const DENSE_UNKNOWNS: usize = 150;
const DENSE_SHARE: usize = 3;

/// Rounds until the watch gives its verdict, or until `shakes` times shaken up the state gets no better.
pub fn run<const S: usize>(blocks: &mut Blocks<S>, watch: &mut Watch<Blocks<S>>, shakes: u32, seed: u64) {
    let mut newton = Newton::new(blocks);
    let mut weight = FIRST_WEIGHT;
    let mut goal = ROUGH_GOAL;
    let (mut bad, mut shaken) = (0, 0);
    let mut best = watch.best_residual();
    loop {
        let start = blocks.r.clone();
        let success = newton.round(blocks, watch, weight, goal);
        if watch.verdict.is_some() {
            return;
        }
        if success {
            blocks.refresh();
            watch.look(blocks);
            if watch.verdict.is_some() {
                return;
            }
            weight *= if goal < ROUGH_GOAL { AFTER_SHARP } else { AFTER_ROUGH };
            goal = SHARP_GOAL;
        } else {
            blocks.r = start;
            blocks.refresh();
            weight *= AFTER_FAILURE;
            goal = ROUGH_GOAL;
        }
        weight = weight.clamp(WEIGHT_RANGE[0], WEIGHT_RANGE[1]);
        if watch.best_residual() < PROGRESS * best {
            (best, bad) = (watch.best_residual(), 0);
        } else {
            bad += 1;
        }
        if bad == STALLED_ROUNDS {
            if shaken == shakes {
                return;
            }
            shaken += 1;
            (bad, weight, goal) = (0, FIRST_WEIGHT, ROUGH_GOAL);
            watch.restore_best(blocks);
            for number in 0..SHAKING_SWEEPS {
                blocks.sweep(SweepOrder::Random, number, seed ^ u64::from(shaken), Measure::Nothing);
            }
            watch.passes += u64::from(SHAKING_SWEEPS);
            blocks.refresh();
            watch.look(blocks);
            if watch.verdict.is_some() {
                return;
            }
        }
    }
}

/// The equations of one contact, linearised.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Linear<const S: usize> {
    /// `r − P(y)`.
    residual: [f64; S],
    /// The derivative `G` of `P`, by rows; `None` where the contact is open.
    derivative: Option<[[f64; S]; S]>,
}

/// The problem with each contact scaled, and room for the rounds.
struct Newton<const S: usize> {
    /// The scale of each contact: `r = scale · x`.
    scale: Vec<f64>,
    /// `ρ` of each row of each contact.
    rho: Vec<[f64; S]>,
    /// The place of each contact among those that bear.
    place: Vec<u32>,
    bearing: Vec<u32>,
    linear: Vec<Linear<S>>,
}

impl<const S: usize> Newton<S> {
    fn new(blocks: &Blocks<S>) -> Self {
        let scale: Vec<f64> = (blocks.contacts.iter())
            .map(|one| {
                let trace: f64 = (0..S).map(|i| one.block[i][i]).sum();
                1.0 / (trace / S as f64).sqrt()
            })
            .collect();
        let rho = (blocks.contacts.iter().zip(&scale))
            .map(|(one, scale)| {
                let square = scale * scale;
                let mean = |from: usize, to: usize| {
                    (from..to).map(|i| one.block[i][i]).sum::<f64>() * square / (to - from).max(1) as f64
                };
                let (slide, roll) = (mean(1, S.min(3)), if S == 5 { mean(3, 5) } else { 1.0 });
                std::array::from_fn(|i| 1.0 / [mean(0, 1), slide, slide, roll, roll][i])
            })
            .collect();
        let contacts = scale.len();
        Newton { scale, rho, place: vec![0; contacts], bearing: Vec::new(), linear: Vec::with_capacity(contacts) }
    }

    /// One round from the state of `blocks`: true if the equations with the proximal term hold `goal` times better than at
    /// its start.
    fn round(&mut self, blocks: &mut Blocks<S>, watch: &mut Watch<Blocks<S>>, weight: f64, goal: f64) -> bool {
        let start = blocks.r.clone();
        let mut last = self.linearise(blocks, &start, weight);
        let target = goal * last;
        for _ in 0..STEPS_PER_ROUND {
            if watch.count_iteration() {
                return false;
            }
            let before = blocks.r.clone();
            let Some(step) = self.step(blocks, weight) else { return false };
            let mut factor = 1.0;
            loop {
                for (contact, r) in blocks.r.iter_mut().enumerate() {
                    *r = std::array::from_fn(|i| before[contact][i] + factor * self.scale[contact] * step[contact][i]);
                }
                blocks.refresh();
                let error = self.linearise(blocks, &start, weight);
                if !error.is_finite() {
                    return false;
                }
                if error < WILD_STEP * last || factor < SHORTEST_STEP {
                    last = error;
                    break;
                }
                factor *= 0.5;
            }
            if last <= target {
                return true;
            }
        }
        false
    }

    /// The equations at the state of `blocks` with their derivatives; returns their norm.
    fn linearise(&mut self, blocks: &Blocks<S>, start: &[[f64; S]], weight: f64) -> f64 {
        self.linear.clear();
        self.bearing.clear();
        let mut square = 0.0;
        for (contact, one) in blocks.contacts.iter().enumerate() {
            let (scale, rho) = (self.scale[contact], &self.rho[contact]);
            let x = blocks.r[contact].map(|r| r / scale);
            let y: [f64; S] = std::array::from_fn(|i| {
                let proximal = weight * (x[i] - start[contact][i] / scale);
                x[i] - rho[i] * (scale * blocks.u[contact][i] + proximal)
            });
            let linear = linearise(&x, &y, one.limits.friction, one.limits.rolling);
            square += linear.residual.iter().map(|x| x * x).sum::<f64>();
            self.place[contact] = self.bearing.len() as u32;
            if linear.derivative.is_some() {
                self.bearing.push(contact as u32);
            }
            self.linear.push(linear);
        }
        square.sqrt()
    }

    /// The step of Newton's method, scaled; `None` if the system is singular.
    fn step(&self, blocks: &Blocks<S>, weight: f64) -> Option<Vec<[f64; S]>> {
        // Open contacts go to zero; what that does to the velocities of the others.
        let mut change = vec![[0.0; S]; blocks.r.len()];
        let mut velocity = vec![[0.0; S]; blocks.r.len()];
        for (contact, linear) in self.linear.iter().enumerate() {
            if linear.derivative.is_none() && linear.residual != [0.0; S] {
                change[contact] = linear.residual.map(|x| -x);
                let give = linear.residual.map(|x| -x * self.scale[contact]);
                blocks.add_columns(contact, &give, &mut velocity);
            }
        }
        let unknowns = self.bearing.len() * S;
        let mut right = vec![0.0; unknowns];
        for (place, &contact) in self.bearing.iter().enumerate() {
            let contact = contact as usize;
            let linear = &self.linear[contact];
            let g = linear.derivative.as_ref()?;
            let (scale, rho) = (self.scale[contact], &self.rho[contact]);
            for i in 0..S {
                let known: f64 = (0..S).map(|k| g[i][k] * rho[k] * scale * velocity[contact][k]).sum();
                right[place * S + i] = -linear.residual[i] - known;
            }
        }
        if unknowns == 0 {
            return Some(change);
        }
        let mut blocks_used = 0;
        for &contact in &self.bearing {
            blocks_used += 1 + blocks.column(contact as usize).count();
        }
        let is_dense =
            unknowns <= DENSE_UNKNOWNS || blocks_used * DENSE_SHARE > self.bearing.len() * self.bearing.len();
        let solution = if is_dense {
            let mut system = DenseSystem::new(&right);
            self.entries(blocks, weight, |i, j, value| system.set(i, j, value));
            system.solve()?
        } else {
            let mut entries = Vec::with_capacity(blocks_used * S * S);
            self.entries(blocks, weight, |i, j, value| entries.push((i, j, value)));
            solve_sparse(&entries, right)?
        };
        for (place, &contact) in self.bearing.iter().enumerate() {
            change[contact as usize] = std::array::from_fn(|i| solution[place * S + i]);
        }
        change.iter().flatten().all(|value| value.is_finite()).then_some(change)
    }

    /// The entries of `(1 − G) + G ρ (W + α)` over the contacts that bear.
    fn entries(&self, blocks: &Blocks<S>, weight: f64, mut entry: impl FnMut(usize, usize, f64)) {
        for (column, &other) in self.bearing.iter().enumerate() {
            let other = other as usize;
            let on_diagonal = std::iter::once((other, &blocks.contacts[other].block));
            for (contact, block) in on_diagonal.chain(blocks.column(other)) {
                let Some(g) = &self.linear[contact].derivative else { continue };
                let row = self.place[contact] as usize;
                let factor = self.scale[contact] * self.scale[other];
                let rho = &self.rho[contact];
                for j in 0..S {
                    for i in 0..S {
                        let mut value = 0.0;
                        for k in 0..S {
                            let mut w = factor * block[j][k];
                            if contact == other && j == k {
                                w += weight;
                            }
                            value += g[i][k] * rho[k] * w;
                        }
                        if contact == other {
                            value += f64::from(u8::from(i == j)) - g[i][j];
                        }
                        entry(row * S + i, column * S + j, value);
                    }
                }
            }
        }
    }
}

/// `x − P(y)` and the derivative of `P` for one contact.
fn linearise<const S: usize>(x: &[f64; S], y: &[f64; S], friction: f64, rolling: f64) -> Linear<S> {
    if y[0] <= 0.0 {
        return Linear { residual: *x, derivative: None };
    }
    let mut residual = [0.0; S];
    let mut g = [[0.0; S]; S];
    residual[0] = x[0] - y[0];
    g[0][0] = 1.0;
    for (from, to, limit) in [(1, S.min(3), friction), (3, S, rolling)] {
        if from >= to {
            continue;
        }
        let length = y[from..to].iter().map(|y| y * y).sum::<f64>().sqrt();
        let radius = limit * y[0];
        if length <= radius {
            for i in from..to {
                residual[i] = x[i] - y[i];
                g[i][i] = 1.0;
            }
            continue;
        }
        for i in from..to {
            let along = y[i] / length;
            residual[i] = x[i] - radius * along;
            g[i][0] = limit * along;
            for k in from..to {
                g[i][k] = radius / length * (f64::from(u8::from(i == k)) - along * y[k] / length);
            }
        }
    }
    Linear { residual, derivative: Some(g) }
}
