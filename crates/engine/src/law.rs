//! What the contact law asks of a contact in this step: the shift of the relative velocity, the friction, the limits of
//! torques, and what holds it against tension (METHOD.md section 3). The solver knows nothing else of the law.

pub mod bond;
pub mod capillary;
pub mod cohesion;
pub mod speed;
pub mod torque;

use crate::contact::{Contact, Status};
use crate::law::bond::Bond;
use crate::material::PairLaw;
use crate::world::{Scheme, Settings};
use riprap_solve::{Dim, Vector, problem};

/// A gap below this fraction of the grain's radius is rounding: the contact is closed.
const CLOSED: f64 = 1e-9;
/// A contact that is about to bounce counts as closed when this fraction of the approach in a step is left, since the
/// solver closes gaps only to its tolerance.
const NEARLY: f64 = 1e-3;
/// Plain adhesion acts on a gap up to this fraction of the smaller radius: what the solver leaves of a closed one.
pub const ADHERES: f64 = 1e-4;

/// What is asked of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand<D: Dim> {
    /// What is added to the relative velocity in the law.
    pub shift: D::Vector,
    /// Coulomb's `μ`, frozen during the solve.
    pub friction: f64,
    /// True if the contact rebounds in this step; then its approach is forgotten after it.
    pub rebounds: bool,
    /// True if cohesion or a bond holds the contact in this step.
    pub bonded: bool,
    /// The tension that can hold it, as an impulse: `F_C δt`. The solver's normal impulse counts from there.
    pub pull: f64,
    /// The step in the normal law of cohesion across a gap.
    pub cohesion: problem::Cohesion,
    /// The limit of rolling torques, a length.
    pub rolling: f64,
    /// The limit of torsion, a length.
    pub torsion: f64,
}

impl<D: Dim> Demand<D> {
    /// The impulse of a contact with normal `n` for which the solver found `p`, counted from the tension on; zero where
    /// only rounding is left.
    pub fn without_pull(&self, n: D::Vector, p: D::Vector) -> D::Vector {
        let impulse = p - n * self.pull;
        if self.pull > 0.0 && impulse.length() <= 1e-13 * self.pull { D::Vector::ZERO } else { impulse }
    }
}

/// A contact as it comes into the step.
pub struct Incoming<'a, D: Dim> {
    /// The contact, with what is left of the last step.
    pub contact: &'a Contact<D>,
    /// What it did in the last step; `None` for a new contact.
    pub last: Option<Status>,
    /// Its relative velocity.
    pub before: D::Vector,
    /// The radius of the smaller grain.
    pub radius: f64,
    /// The reduced radius `r* = r₁r₂/(r₁+r₂)`.
    pub reduced_radius: f64,
    /// The number of contacts that the two bodies have with each other: they share the cohesion of the pair.
    pub points: f64,
    /// The bond of the two bodies.
    pub bond: Option<&'a Bond>,
}

/// What the law asks of a contact.
pub fn demand<D: Dim>(settings: &Settings, law: &PairLaw, incoming: &Incoming<'_, D>) -> Demand<D> {
    let Incoming { contact, last, before, radius, reduced_radius, points, bond } = *incoming;
    let dt = settings.time_step;
    let n = contact.normal;
    let before_n = before.dot(n);
    let before_t = before - n * before_n;
    let gap = contact.gap;
    let e_t = law.tangential_restitution;
    let remembered = f64::min(contact.approach.dot(n), 0.0);
    let closed = match settings.scheme {
        Scheme::Midpoint { tolerance } => gap <= tolerance,
        Scheme::Euler { .. } => gap <= CLOSED * radius - NEARLY * remembered * dt,
    };
    if let Some(bond) = bond {
        return bonded(settings, contact, bond, points);
    }
    // P0 47–48, P2 §1.8: the state `bonded` is set when the gap closes, and lasts until it is wider than `d_C`.
    let force = law.cohesion.map_or(0.0, |cohesion| cohesion.force(reduced_radius) / points);
    let range = law.cohesion.map_or(0.0, |cohesion| cohesion.range(reduced_radius));
    let bonded = force > 0.0 && (closed || contact.bonded && gap <= range.max(ADHERES * radius));
    let across = bonded && !closed && range > 0.0;
    let (shift, rebounds) = match settings.scheme {
        // A contact that opens gives way slowly, and one that was opened is not pulled back: see `Demand::cohesion`.
        _ if across => (D::Vector::ZERO, false),
        // P0 7–8: w_n = (u_n⁺ + e_n u_n⁻)/(1+e_n), w_t = (u_t⁺ + e_t u_t⁻)/(1+|e_t|).
        Scheme::Midpoint { .. } => {
            let opening = if settings.clip_opening { before_n.min(0.0) } else { before_n };
            let e_n = law.restitution_at(opening.abs());
            (n * (e_n * opening) + before_t * e_t, false)
        }
        // P1 25–34: w_n = u_n⁺ + g/δt until the gap has closed, then one rebound with the approach that was remembered.
        Scheme::Euler { gap: variant } => {
            let approach = if last.is_none() { before } else { contact.approach };
            let approach_n = f64::min(approach.dot(n), 0.0);
            let e_n = law.restitution_at(-approach_n);
            if !closed {
                (n * (gap / dt), false)
            } else if approach_n < 0.0 && (e_n > 0.0 || e_t != 0.0) {
                (n * (e_n * approach_n) + (approach - n * approach.dot(n)) * e_t, true)
            } else {
                let part = if gap < 0.0 { variant.part() } else { 1.0 };
                (n * (part * gap / dt) + before_t * e_t, false)
            }
        }
    };
    let stuck = match last {
        Some(status) => status == Status::Stick,
        None => before_t == D::Vector::ZERO,
    };
    let normal_force = contact.impulse.dot(n) / dt + if contact.bonded { force } else { 0.0 };
    let pull = if bonded { force * dt } else { 0.0 };
    Demand {
        shift,
        friction: if stuck { law.static_friction } else { law.friction_at(before_t.length()) },
        rebounds,
        bonded,
        pull,
        cohesion: if across { problem::Cohesion { hold: pull, closing: gap / dt } } else { Default::default() },
        rolling: law.rolling.length::<D>(reduced_radius, normal_force),
        torsion: law.torsion.length::<D>(reduced_radius, normal_force),
    }
}

/// What a bond asks: that the surfaces stay where they are on each other, within Coulomb's cone of slope `S/T` from the
/// tension `T` on (see [`bond`]).
fn bonded<D: Dim>(settings: &Settings, contact: &Contact<D>, bond: &Bond, points: f64) -> Demand<D> {
    let (dt, law) = (settings.time_step, bond.law);
    let shift = match settings.scheme {
        Scheme::Midpoint { .. } => D::Vector::ZERO,
        Scheme::Euler { gap } => contact.normal * (gap.part() * (contact.gap - bond.gap) / dt),
    };
    Demand {
        shift,
        friction: law.shear_strength / law.tensile_strength,
        rebounds: false,
        bonded: true,
        pull: law.tensile_strength * dt / points,
        cohesion: problem::Cohesion::default(),
        rolling: law.bending_strength / law.tensile_strength,
        torsion: law.twisting_strength / law.tensile_strength,
    }
}

/// The approach velocity that the contact remembers after the step (METHOD.md section 3, under the Euler scheme): that of
/// the fastest step so far in which it pressed, until it has rebounded.
pub fn remembered_approach<D: Dim>(rebounds: bool, contact: &Contact<D>, before: D::Vector) -> D::Vector {
    let n = contact.normal;
    if rebounds || contact.status == Status::Open {
        D::Vector::ZERO
    } else if before.dot(n) < contact.approach.dot(n) {
        before
    } else {
        contact.approach
    }
}
