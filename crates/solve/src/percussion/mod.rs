//! A-CD² (P3, docs/method.md §7): all actions of a step are percussions at one instant, and contact percussions come
//! from pseudopotentials of dissipation of the *mean* relative velocity `D = (u⁺ + u⁻)/2`.
//!
//! ```text
//!   u⁺ = W p + q                                     q: without contacts, external percussions included
//!   p  = f − 4K D,  K = diag(K_N, K_T, K_T)          the quadratic pseudopotential ½K_T(2D_T)² + ½K_N(2D_N)²
//!   0 ≤ u_n⁺ ⟂ f_n ≥ 0                               the multiplier of non-penetration
//!   |f_t| ≤ s, opposite to u_t⁺ (or to D_t) at s     s fixed: Tresca;  s = μ max(0, p_n): Coulomb
//! ```
//!
//! With fixed thresholds this is the minimum of a strictly convex function of the mean velocities, which Uzawa's method
//! finds by ascent in the multipliers `f` (`uzawa.rs`). The same solution is found much faster by visiting one contact
//! after the other and solving each exactly (`contact.rs`), and, where the law is Coulomb's alone, by the sweeps of contact
//! dynamics. `cargo bench -p riprap-solve --bench percussions` says how much faster.

mod contact;
mod uzawa;

use crate::options::{Criterion, Options};
use crate::problem::{Body, Problem};
use crate::solvers::solve;
use crate::space::{Dim, Vector};
use contact::LocalContact;

/// Sweeps between two computations of all velocities from scratch: rounding of so many updates does not show in a residual.
const REFRESH_EVERY: u32 = 128;
/// The residual costs about as much as a sweep. It is computed after each of the first sweeps, then after every eighth part
/// of those done, at most this far apart.
const FIRST_CHECKS: u32 = 8;
const LONGEST_INTERVAL: u32 = 16;

/// The law of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PercussionLaw {
    /// `K_N` of the quadratic pseudopotential, a mass.
    pub normal_viscosity: f64,
    /// `K_T` of the quadratic pseudopotential, a mass.
    pub tangential_viscosity: f64,
    /// What limits the tangential multiplier.
    pub threshold: Threshold,
}

/// The largest tangential multiplier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Threshold {
    /// Zero: the contact slides freely, but for its viscosity.
    #[default]
    None,
    /// A fixed percussion (Tresca).
    Tresca(f64),
    /// This times the normal percussion (Coulomb).
    Coulomb(f64),
}

/// Which tangential velocity is zero where a contact sticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stick {
    /// The one after the percussion, `u_t⁺`, as in the algorithm of P3 (15).
    #[default]
    RightLimit,
    /// The mean, `D_t`, as in the law of P3 (13): then dissipation is proved, and a block at rest flips for ever.
    Mean,
}

/// How the percussions are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PercussionSolver {
    /// The sweeps of contact dynamics where the law is theirs (Coulomb's alone), else one contact after the other. The
    /// default.
    #[default]
    Auto,
    /// One contact after the other, each exactly.
    GaussSeidel,
    /// Uzawa; Coulomb's law as a sequence of Tresca problems with thresholds from the last one (P3, proved for small `μ`).
    UzawaSequence,
    /// Uzawa; thresholds and multipliers updated together (P3, the single loop).
    UzawaSingleLoop,
}

/// The choices for one solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PercussionOptions {
    /// How.
    pub solver: PercussionSolver,
    /// Where a contact sticks.
    pub stick: Stick,
    /// The relative residual to reach.
    pub tolerance: f64,
    /// At most this many passes over the contacts.
    pub max_passes: u32,
}

impl Default for PercussionOptions {
    fn default() -> Self {
        PercussionOptions {
            solver: PercussionSolver::default(),
            stick: Stick::default(),
            tolerance: 1e-6,
            max_passes: 20_000,
        }
    }
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PercussionReport {
    /// Visits of every contact: sweeps, or products with `H` and its transpose (Uzawa's inner minimisation included).
    pub passes: u32,
    /// True if the residual was reached within the limits.
    pub converged: bool,
    /// The relative natural-map residual of the result.
    pub residual: f64,
    /// The worst error of one contact, as a velocity.
    pub worst_contact: f64,
}

/// Finds all percussions and velocities of `problem`, from the impulses that it holds.
///
/// Contact `i` has the law `laws[i]` and came with the relative velocity `before[i]` (walls included). The problem's
/// bodies have the velocities that external percussions alone would give, and a contact's shift is the velocity of
/// driven walls; friction and restitution of the problem's contacts are not looked at.
pub fn solve_percussions<D: Dim>(
    problem: &mut Problem<D>,
    laws: &[PercussionLaw],
    before: &[D::Vector],
    options: &PercussionOptions,
) -> PercussionReport {
    if problem.contacts.is_empty() {
        return PercussionReport { converged: true, ..PercussionReport::default() };
    }
    if options.solver == PercussionSolver::Auto
        && let Some(report) = contact_dynamics(problem, laws, before, options)
    {
        return report;
    }
    let system = System::new(problem, laws, before, options.stick);
    match options.solver {
        PercussionSolver::Auto | PercussionSolver::GaussSeidel => gauss_seidel(system, options),
        PercussionSolver::UzawaSequence => uzawa::run(system, options, uzawa::Coulomb::Sequence),
        PercussionSolver::UzawaSingleLoop => uzawa::run(system, options, uzawa::Coulomb::SingleLoop),
    }
}

/// The problem with its contacts in their own frames. The bodies move along with the percussions.
struct System<'a, D: Dim> {
    problem: &'a mut Problem<D>,
    /// The bodies as they would be without contacts.
    free: Vec<Body<D>>,
    contacts: Vec<LocalContact<D>>,
}

impl<'a, D: Dim> System<'a, D> {
    fn new(problem: &'a mut Problem<D>, laws: &[PercussionLaw], before: &[D::Vector], stick: Stick) -> Self {
        let contacts: Vec<_> = (0..problem.contacts.len())
            .zip(laws.iter().zip(before))
            .map(|(index, (&law, &before))| LocalContact::new(problem, index, law, before, stick))
            .collect();
        let mut system = System { free: problem.bodies.clone(), problem, contacts };
        system.give_all();
        system
    }

    /// `u⁺` of a contact in its own frame.
    fn velocity(&self, index: usize) -> [f64; 3] {
        self.contacts[index].velocity(&self.problem.bodies)
    }

    /// Adds `M⁻¹ H p` of one contact to the velocities.
    fn give(&mut self, index: usize, percussion: [f64; 3]) {
        self.contacts[index].give(&mut self.problem.bodies, percussion);
    }

    /// Sets the velocities to those without contacts and adds all percussions, which takes rounding errors away.
    fn give_all(&mut self) {
        self.problem.bodies.copy_from_slice(&self.free);
        for index in 0..self.contacts.len() {
            self.give(index, self.contacts[index].percussion);
        }
    }

    /// One Gauss–Seidel visit of every contact.
    fn sweep(&mut self, backward: bool) {
        let count = self.contacts.len();
        for step in 0..count {
            let index = if backward { count - 1 - step } else { step };
            let velocity = self.velocity(index);
            let change = self.contacts[index].update(velocity);
            self.give(index, change);
        }
    }

    /// How far the state is from the laws.
    fn residual(&self) -> PercussionError {
        let (mut error, mut size, mut worst) = (0.0, 0.0, 0.0_f64);
        for (index, contact) in self.contacts.iter().enumerate() {
            let found = contact.error(self.velocity(index));
            error += found * found;
            size += contact.percussion.iter().map(|p| p * p).sum::<f64>();
            worst = worst.max(found * contact.block[0][0]);
        }
        let (error, size) = (f64::sqrt(error), f64::sqrt(size));
        let relative = if error == 0.0 { 0.0 } else { error / size.max(error) };
        PercussionError { relative, worst }
    }

    /// Ends a solve: the percussions go back to the problem, whose velocities follow them already.
    fn finish(self, passes: u32, tolerance: f64) -> PercussionReport {
        let PercussionError { relative, worst } = self.residual();
        for (contact, local) in self.problem.contacts.iter_mut().zip(&self.contacts) {
            contact.impulse = local.world(local.percussion);
        }
        PercussionReport {
            passes,
            converged: relative <= tolerance && relative.is_finite(),
            residual: relative,
            worst_contact: worst,
        }
    }
}

/// The natural-map error of all contacts, relative to the percussions, and that of the worst one as a velocity.
struct PercussionError {
    relative: f64,
    worst: f64,
}

/// Without viscosity and with Coulomb's law at every contact, A-CD² is contact dynamics with `e_n = 0`, and `e_t = 0` (stick
/// by the right limit) or 1 (by the mean): its fast sweeps solve it. `None` for other laws.
fn contact_dynamics<D: Dim>(
    problem: &mut Problem<D>,
    laws: &[PercussionLaw],
    before: &[D::Vector],
    options: &PercussionOptions,
) -> Option<PercussionReport> {
    let friction = |law: &PercussionLaw| match law.threshold {
        Threshold::Coulomb(friction) if law.normal_viscosity == 0.0 && law.tangential_viscosity == 0.0 => {
            Some(friction)
        }
        _ => None,
    };
    let frictions: Vec<f64> = laws.iter().map(friction).collect::<Option<_>>()?;
    for ((contact, friction), before) in problem.contacts.iter_mut().zip(frictions).zip(before) {
        contact.friction = friction;
        if options.stick == Stick::Mean {
            contact.shift += *before - contact.normal * before.dot(contact.normal);
        }
    }
    let criterion = Criterion::Residual { tolerance: options.tolerance };
    let choices = Options { criterion, max_sweeps: options.max_passes, ..Options::default() };
    let report = solve(problem, &choices, 0).ok()?;
    Some(PercussionReport {
        passes: report.sweeps,
        converged: report.converged,
        residual: report.residual,
        worst_contact: report.worst_contact,
    })
}

fn gauss_seidel<D: Dim>(mut system: System<'_, D>, options: &PercussionOptions) -> PercussionReport {
    let mut passes = 0;
    while passes < options.max_passes {
        system.sweep(passes % 2 == 1);
        passes += 1;
        if passes % REFRESH_EVERY == 0 {
            system.give_all();
        }
        let interval = (passes / FIRST_CHECKS).clamp(1, LONGEST_INTERVAL);
        if passes % interval == 0 && system.residual().relative <= options.tolerance {
            break;
        }
    }
    system.finish(passes, options.tolerance)
}

fn square(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum()
}
