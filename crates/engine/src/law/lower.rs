//! Lowers the contact law of a contact in this step to what the solver knows: the shift of the relative velocity, the
//! friction, the limits of torques, and the tension that it can bear (docs/method.md §3).

use super::bond::Bond;
use super::material::PairLaw;
use crate::contact::{Contact, Status};
use crate::settings::Scheme;
use riprap_solve::{Dim, Vector, problem};

/// A gap below this fraction of the grain's radius is rounding: the contact is closed.
pub const CLOSED: f64 = 1e-9;
/// Plain adhesion acts on a gap up to this fraction of the smaller radius: what the solver leaves of a closed one.
pub const ADHERES: f64 = 1e-4;

/// The law of one contact in this step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoweredLaw<D: Dim> {
    /// Added to the relative velocity in the law.
    pub shift: D::Vector,
    /// Coulomb's `μ`, frozen during the solve.
    pub friction: f64,
    /// Normal and tangential restitution of the shock that follows the solve (see [`lower_shock`]); zero where there is
    /// none.
    pub restitution: [f64; 2],
    /// True if cohesion or a bond holds the contact in this step.
    pub bonded: bool,
    /// The largest tension of the contact, as an impulse: `F_C δt`. The solver's normal impulse is measured from it.
    pub tension: f64,
    /// The step in the normal law of cohesion across a gap.
    pub cohesion: problem::Cohesion,
    /// The limit of rolling torques over the normal force, a length.
    pub rolling: f64,
    /// The limit of torsion over the normal force, a length.
    pub torsion: f64,
    /// True if sliding and torsion share one limit.
    pub is_coupled: bool,
}

impl<D: Dim> LoweredLaw<D> {
    /// The impulse of a contact with normal `n` for which the solver, which measures from the tension, found `p`; zero
    /// where only rounding is left.
    pub fn without_tension(&self, n: D::Vector, p: D::Vector) -> D::Vector {
        let impulse = p - n * self.tension;
        if self.tension > 0.0 && impulse.length() <= 1e-13 * self.tension { D::Vector::ZERO } else { impulse }
    }
}

/// What some of the contacts of a step have. What none has need not be looked for contact by contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LawFeatures {
    /// Torques besides those of the forces.
    pub torques: bool,
    /// A step in the normal law.
    pub cohesion: bool,
    /// A tension from which impulses are measured.
    pub tension: bool,
    /// Restitution, so that shocks may follow the solve.
    pub restitution: bool,
}

impl LawFeatures {
    /// Those of one law.
    pub fn of<D: Dim>(law: &LoweredLaw<D>) -> Self {
        LawFeatures {
            torques: law.rolling > 0.0 || law.torsion > 0.0,
            cohesion: law.cohesion != problem::Cohesion::default(),
            tension: law.tension > 0.0,
            restitution: law.restitution != [0.0; 2],
        }
    }

    /// Those of two laws together.
    pub fn or(self, other: Self) -> Self {
        LawFeatures {
            torques: self.torques | other.torques,
            cohesion: self.cohesion | other.cohesion,
            tension: self.tension | other.tension,
            restitution: self.restitution | other.restitution,
        }
    }
}

/// A contact as it enters the step.
pub struct IncomingContact<'a, D: Dim> {
    /// The contact, with its impulse and memory from the last step.
    pub contact: &'a Contact<D>,
    /// Its status in the last step; `None` for a new contact.
    pub last_status: Option<Status>,
    /// Its relative velocity.
    pub velocity: D::Vector,
    /// The spin of body 2 relative to body 1.
    pub spin: D::Spin,
    /// The radius of the smaller grain.
    pub radius: f64,
    /// The reduced radius `r* = r₁r₂/(r₁+r₂)`.
    pub reduced_radius: f64,
    /// The number of contacts between the two bodies, which share the cohesion of the pair.
    pub points: f64,
    /// The bond of the two bodies.
    pub bond: Option<&'a Bond>,
}

/// Lowers the law of a pair of materials for one contact, in a step of length `dt`.
pub fn lower_law<D: Dim>(scheme: Scheme, dt: f64, law: &PairLaw, incoming: &IncomingContact<'_, D>) -> LoweredLaw<D> {
    let IncomingContact { contact, last_status, velocity, spin, radius, reduced_radius, points, bond } = *incoming;
    let n = contact.normal;
    let velocity_n = velocity.dot(n);
    let velocity_t = velocity - n * velocity_n;
    let gap = contact.gap;
    let closed = match scheme {
        Scheme::Midpoint { tolerance } => gap <= tolerance,
        Scheme::Euler { .. } => gap <= CLOSED * radius,
    };
    if let Some(bond) = bond {
        return lower_bond(scheme, dt, contact, bond, points);
    }
    // P0 47–48, P2 §1.8: the state `bonded` is set when the gap closes, and lasts until it is wider than `d_C`.
    let force = law.cohesion.map_or(0.0, |cohesion| cohesion.force(reduced_radius) / points);
    let range = law.cohesion.map_or(0.0, |cohesion| cohesion.range(reduced_radius));
    let bonded = force > 0.0 && (closed || contact.bonded && gap <= range.max(ADHERES * radius));
    let across = bonded && !closed && range > 0.0;
    let (shift, restitution) = match scheme {
        // Across a gap cohesion resists opening but does not pull back: see `LoweredLaw::cohesion`.
        _ if across => (D::Vector::ZERO, [0.0; 2]),
        // P0 7–8: w_n = (u_n⁺ + e_n u_n⁻)/(1+e_n), w_t = (u_t⁺ + e_t u_t⁻)/(1+|e_t|).
        Scheme::Midpoint { .. } => {
            let [e_n, e_t] = law.restitutions_at(velocity_n.abs());
            (n * (e_n * velocity_n) + velocity_t * e_t, [0.0; 2])
        }
        // P1 25–34: w_n = u_n⁺ + g/δt. What is left of the approach once the gap has closed is the way of the rebound.
        Scheme::Euler { gap: variant } => {
            let [e_n, e_t] = law.restitutions_at(f64::max(-velocity_n, 0.0));
            let part = if gap < 0.0 { variant.part() } else { 1.0 };
            let rebound = e_n * f64::min(velocity_n + f64::max(gap, 0.0) / dt, 0.0);
            (n * (part * gap / dt + rebound), [e_n, e_t])
        }
    };
    let stuck = match last_status {
        Some(status) => status == Status::Stick,
        None => velocity_t == D::Vector::ZERO,
    };
    let normal_force = contact.impulse.dot(n) / dt + if contact.bonded { force } else { 0.0 };
    let [torsion, rolling] = D::split_spin(n, spin);
    let tension = if bonded { force * dt } else { 0.0 };
    LoweredLaw {
        shift,
        friction: if stuck { law.static_friction } else { law.friction_at(velocity_t.length()) },
        restitution,
        bonded,
        tension,
        cohesion: if across { problem::Cohesion { hold: tension, closing: gap / dt } } else { Default::default() },
        rolling: law.rolling.length::<D>(reduced_radius, normal_force, rolling.length()),
        torsion: law.torsion.length::<D>(reduced_radius, normal_force, torsion.length()),
        is_coupled: law.couples_torsion,
    }
}

/// Lowers a bond: the surfaces keep their place on each other, within Coulomb's cone of slope `S/T` that begins at the
/// tension `T` (see [`super::bond`]).
fn lower_bond<D: Dim>(scheme: Scheme, dt: f64, contact: &Contact<D>, bond: &Bond, points: f64) -> LoweredLaw<D> {
    let law = bond.law;
    let shift = match scheme {
        Scheme::Midpoint { .. } => D::Vector::ZERO,
        Scheme::Euler { gap } => contact.normal * (gap.part() * (contact.gap - bond.gap) / dt),
    };
    LoweredLaw {
        shift,
        friction: law.shear_strength / law.tensile_strength,
        restitution: [0.0; 2],
        bonded: true,
        tension: law.tensile_strength * dt / points,
        cohesion: problem::Cohesion::default(),
        rolling: law.bending_strength / law.tensile_strength,
        torsion: law.twisting_strength / law.tensile_strength,
        is_coupled: false,
    }
}

/// A contact as it enters the shock at the end of a step.
pub struct Shock<D: Dim> {
    /// Its relative velocity before the step.
    pub velocity: D::Vector,
    /// The change of its normal velocity by forces from outside during the step.
    pub change: f64,
}

/// Lowers the law of a contact of the Euler scheme for the shock that ends the step (docs/method.md §3): P0 7–8 with
/// `u_n⁻` at the moment of impact. Cohesion and bonds hold on through the shock as they do without it.
pub fn lower_shock<D: Dim>(
    time_step: f64,
    law: &LoweredLaw<D>,
    contact: &Contact<D>,
    shock: &Shock<D>,
) -> LoweredLaw<D> {
    if law.bonded {
        return *law;
    }
    let (n, [e_n, e_t]) = (contact.normal, law.restitution);
    let before = shock.velocity.dot(n);
    // The part of the step that passes before the impact; one that neighbours cause has no moment of its own.
    let (gap, way) = (f64::max(contact.gap, 0.0), -time_step * (before + shock.change));
    let part = if way > gap { gap / way } else { 0.0 };
    // Velocities are those of the middle of the steps. Forces act on the approach until the impact, and against the
    // rebound from then on: of the time from one middle to the other, twice the part remains.
    let approach = before + 2.0 * part * shock.change;
    LoweredLaw { shift: n * (e_n * approach) + (shock.velocity - n * before) * e_t, ..*law }
}
