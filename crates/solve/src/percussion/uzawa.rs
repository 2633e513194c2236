//! Uzawa's method (P3 §4.2): ascent in the multipliers, and for given multipliers the minimum of a quadratic function
//! of the velocities. It converges for steps below `4/λ_max(W)`; P3's misprints are corrected (docs/method.md §12).

use super::contact::{LocalContact, clip};
use super::{PercussionOptions, PercussionReport, System, Threshold, square};
use crate::space::{Dim, Vector};

/// How much sharper than the residual the velocities for given multipliers are computed, so that their error does not show.
const INNER_ACCURACY: f64 = 1e-3;
/// In the sequence, how much smaller than the last move of the thresholds the change of the multipliers has to be before the
/// thresholds move again.
const TRESCA_ACCURACY: f64 = 0.01;
/// Iterations of the power method for the largest eigenvalue of `W`, and the margin that its estimate, which comes from
/// below, is given. Chosen, not measured.
const POWER_ITERATIONS: usize = 30;
const EIGENVALUE_MARGIN: f64 = 1.1;
/// Conjugate-gradient iterations for one set of multipliers; they are started warm, and what is left is made up for later.
const GRADIENT_ITERATIONS: usize = 500;

/// How Coulomb's thresholds follow the normal percussions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Coulomb {
    /// After each solved Tresca problem.
    Sequence,
    /// In every iteration.
    SingleLoop,
}

/// Solves the system; the percussions that it holds are where the multipliers start.
pub fn run<D: Dim>(mut system: System<'_, D>, options: &PercussionOptions, coulomb: Coulomb) -> PercussionReport {
    let count = system.contacts.len();
    let mut passes = 0;
    let step = ascent_step(&system, &mut passes);
    let mut multipliers: Vec<[f64; 3]> = (0..count)
        .map(|index| {
            let (contact, u) = (&system.contacts[index], system.velocity(index));
            std::array::from_fn(|i| contact.percussion[i] + contact.twice_viscosity[i] * (u[i] + contact.before[i]))
        })
        .collect();
    let mut thresholds: Vec<f64> = system.contacts.iter().map(|contact| contact.limit()).collect();
    // By how much the thresholds moved last, relative to the multipliers.
    let mut unknown = 1.0;
    while passes < options.max_passes {
        minimise(&mut system, &multipliers, INNER_ACCURACY * options.tolerance, &mut passes);
        if system.residual().relative <= options.tolerance {
            break;
        }
        let (mut change, mut size) = (0.0, f64::MIN_POSITIVE);
        for index in 0..count {
            let (contact, u) = (&system.contacts[index], system.velocity(index));
            if coulomb == Coulomb::SingleLoop {
                thresholds[index] = contact.limit();
            }
            let slip = contact.slip(u);
            let f = &mut multipliers[index];
            let t = clip([f[1] - 0.5 * step * slip[0], f[2] - 0.5 * step * slip[1]], thresholds[index]);
            let new = [(f[0] - 0.5 * step * u[0]).max(0.0), t[0], t[1]];
            change += square(std::array::from_fn(|i| new[i] - f[i]));
            size += square(new);
            *f = new;
        }
        passes += 1;
        // In the sequence a Tresca problem is solved, more sharply than its thresholds are known, before these move on.
        if coulomb == Coulomb::Sequence
            && change.sqrt() <= TRESCA_ACCURACY * f64::max(unknown, options.tolerance) * size.sqrt()
        {
            let next: Vec<f64> = system.contacts.iter().map(|contact| contact.limit()).collect();
            let moved: f64 = next.iter().zip(&thresholds).map(|(new, old)| (new - old).powi(2)).sum();
            unknown = moved.sqrt() / size.sqrt();
            thresholds = next;
        }
    }
    system.finish(passes, options.tolerance)
}

/// The step of the ascent, half of the largest that is sure to converge: `2/λ_max`, of `W` by the power method and then of
/// `W̃ = (W⁻¹ + 2K)⁻¹`, which viscosity makes smaller.
fn ascent_step<D: Dim>(system: &System<'_, D>, passes: &mut u32) -> f64 {
    let count = system.contacts.len();
    let mut vector: Vec<[f64; 3]> = (0..count).map(|i| [1.0, 0.3 + (i % 7) as f64 * 0.1, 0.2]).collect();
    let mut largest = 0.0;
    for _ in 0..POWER_ITERATIONS {
        let norm = vector.iter().copied().map(square).sum::<f64>().sqrt();
        let momenta = momenta(system, |i| vector[i].map(|x| x / norm));
        let velocities = velocities(system, &momenta);
        vector = (0..count).map(|i| relative(system, i, &velocities)).collect();
        largest = vector.iter().copied().map(square).sum::<f64>().sqrt();
        *passes += 1;
    }
    let stiffest = |contact: &LocalContact<D>| match contact.threshold {
        Threshold::None => contact.twice_viscosity[0],
        _ => contact.twice_viscosity[0].min(contact.twice_viscosity[1]),
    };
    let viscosity = system.contacts.iter().map(stiffest).fold(f64::INFINITY, f64::min);
    2.0 * (1.0 / (EIGENVALUE_MARGIN * largest) + viscosity)
}

/// Moves velocities and percussions to the minimum for the given multipliers: `M δ + H 2K Hᵀ δ = H (f − 2K(q + u⁻))` for
/// the change `δ` of the velocities by all contacts, by conjugate gradients in the momenta `M δ`.
fn minimise<D: Dim>(system: &mut System<'_, D>, multipliers: &[[f64; 3]], accuracy: f64, passes: &mut u32) {
    let count = system.contacts.len();
    system.problem.bodies.copy_from_slice(&system.free);
    let free: Vec<[f64; 3]> = (0..count).map(|index| system.velocity(index)).collect();
    let viscous = system.contacts.iter().any(|contact| square(contact.twice_viscosity) > 0.0);
    let damp = |i: usize, u: [f64; 3]| -> [f64; 3] {
        let contact = &system.contacts[i];
        std::array::from_fn(|k| contact.twice_viscosity[k] * u[k])
    };
    let target = momenta(system, |i| {
        let drag = damp(i, std::array::from_fn(|k| free[i][k] + system.contacts[i].before[k]));
        std::array::from_fn(|k| multipliers[i][k] - drag[k])
    });
    *passes += 1;
    let mut solution = if viscous { momenta(system, |i| system.contacts[i].percussion) } else { target.clone() };
    if viscous {
        let operator = |y: &[BodyMomentum<D>]| {
            let velocities = velocities(system, y);
            let drag = momenta(system, |i| damp(i, relative(system, i, &velocities)));
            add(y, 1.0, &drag)
        };
        let mut residual = add(&target, -1.0, &operator(&solution));
        let mut direction = residual.clone();
        let mut old = inner(system, &residual, &residual);
        let goal = accuracy * accuracy * inner(system, &target, &target);
        for _ in 0..GRADIENT_ITERATIONS {
            if old <= goal {
                break;
            }
            let image = operator(&direction);
            let step = old / inner(system, &direction, &image);
            solution = add(&solution, step, &direction);
            residual = add(&residual, -step, &image);
            let new = inner(system, &residual, &residual);
            direction = add(&residual, new / old, &direction);
            old = new;
            *passes += 1;
        }
    }
    let velocities = velocities(system, &solution);
    for index in 0..count {
        let turn = relative(system, index, &velocities);
        let contact = &mut system.contacts[index];
        contact.percussion = std::array::from_fn(|k| {
            multipliers[index][k] - contact.twice_viscosity[k] * (free[index][k] + turn[k] + contact.before[k])
        });
    }
    system.give_all();
}

/// Momentum and angular momentum of a body, or its velocity and spin (scaled as in `problem.rs`).
#[derive(Clone, Copy, Default)]
struct BodyMomentum<D: Dim> {
    linear: D::Vector,
    angular: D::Spin,
}

/// `H p` for percussions in the contacts' frames.
fn momenta<D: Dim>(system: &System<'_, D>, percussion: impl Fn(usize) -> [f64; 3]) -> Vec<BodyMomentum<D>> {
    let mut momenta = vec![BodyMomentum::<D>::default(); system.problem.bodies.len()];
    for (index, contact) in system.problem.contacts.iter().enumerate() {
        let impulse = system.contacts[index].world(percussion(index));
        let arms = system.problem.arms_of(index);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let momentum = &mut momenta[contact.bodies[side] as usize];
            momentum.linear += impulse * sign;
            momentum.angular += D::wedge(arms[side], impulse) * sign;
        }
    }
    momenta
}

/// `M⁻¹ y`.
fn velocities<D: Dim>(system: &System<'_, D>, momenta: &[BodyMomentum<D>]) -> Vec<BodyMomentum<D>> {
    (0u32..)
        .zip(momenta)
        .map(|(body, momentum)| {
            let mass = system.problem.mass(body);
            BodyMomentum {
                linear: mass.inverse_mass.scale(momentum.linear),
                angular: D::apply(mass.inverse_inertia, momentum.angular),
            }
        })
        .collect()
}

/// `Hᵀ v` at one contact, in its frame.
fn relative<D: Dim>(system: &System<'_, D>, index: usize, velocities: &[BodyMomentum<D>]) -> [f64; 3] {
    let contact = &system.problem.contacts[index];
    let arms = system.problem.arms_of(index);
    let at = |side: usize| {
        let velocity = velocities[contact.bodies[side] as usize];
        velocity.linear + D::cross(velocity.angular, arms[side])
    };
    system.contacts[index].local(at(1) - at(0))
}

/// The scalar product weighted by `M⁻¹`.
fn inner<D: Dim>(system: &System<'_, D>, a: &[BodyMomentum<D>], b: &[BodyMomentum<D>]) -> f64 {
    velocities(system, a).iter().zip(b).map(|(v, y)| v.linear.dot(y.linear) + v.angular.dot(y.angular)).sum()
}

fn add<D: Dim>(a: &[BodyMomentum<D>], factor: f64, b: &[BodyMomentum<D>]) -> Vec<BodyMomentum<D>> {
    a.iter()
        .zip(b)
        .map(|(a, b)| BodyMomentum { linear: a.linear + b.linear * factor, angular: a.angular + b.angular * factor })
        .collect()
}
