//! What the contact law asks of a contact in this step: the shift of the relative velocity, and the friction
//! (METHOD.md section 3). The solver knows nothing else of the law.

pub mod capillary;

use crate::contact::{Contact, Status};
use crate::material::PairLaw;
use crate::world::{GapVariant, Scheme, Settings};
use riprap_solve::{Dim, Vector};

/// A gap below this fraction of the grain's radius is rounding: the contact is closed.
const CLOSED: f64 = 1e-9;
/// A contact that is about to bounce counts as closed when this fraction of the approach in a step is left, since the
/// solver closes gaps only to its tolerance.
const NEARLY: f64 = 1e-3;

/// The shift and the friction of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand<D: Dim> {
    /// What is added to the relative velocity in the law.
    pub shift: D::Vector,
    /// Coulomb's `μ`, frozen during the solve.
    pub friction: f64,
    /// True if the contact rebounds in this step; then its approach is forgotten after it.
    pub rebounds: bool,
}

/// What the law asks of `contact`, which comes into the step with the relative velocity `before` and as `last` left it
/// (`None` for a new contact). `radius` is that of the smaller grain.
pub fn demand<D: Dim>(
    settings: &Settings,
    law: &PairLaw,
    contact: &Contact<D>,
    last: Option<Status>,
    before: D::Vector,
    radius: f64,
) -> Demand<D> {
    let n = contact.normal;
    let before_n = before.dot(n);
    let before_t = before - n * before_n;
    let gap = contact.gap;
    let (e_n, e_t) = (law.normal_restitution, law.tangential_restitution);
    let (shift, rebounds) = match settings.scheme {
        // P0 7–8: w_n = (u_n⁺ + e_n u_n⁻)/(1+e_n), w_t = (u_t⁺ + e_t u_t⁻)/(1+|e_t|).
        Scheme::Midpoint { .. } => {
            let opening = if settings.clip_opening { before_n.min(0.0) } else { before_n };
            (n * (e_n * opening) + before_t * e_t, false)
        }
        // P1 25–34: w_n = u_n⁺ + g/δt until the gap has closed, then one rebound with the approach that was remembered.
        Scheme::Euler { gap: variant } => {
            let approach = if last.is_none() { before } else { contact.approach };
            let approach_n = f64::min(approach.dot(n), 0.0);
            let remembered = f64::min(contact.approach.dot(n), 0.0);
            let closed = gap <= CLOSED * radius - NEARLY * remembered * settings.time_step;
            if !closed {
                (n * (gap / settings.time_step), false)
            } else if approach_n < 0.0 && (e_n > 0.0 || e_t != 0.0) {
                (n * (e_n * approach_n) + (approach - n * approach.dot(n)) * e_t, true)
            } else if gap < 0.0 && variant == GapVariant::Keep {
                (before_t * e_t, false)
            } else {
                (n * (gap / settings.time_step) + before_t * e_t, false)
            }
        }
    };
    let stuck = match last {
        Some(status) => status == Status::Stick,
        None => before_t == D::Vector::ZERO,
    };
    Demand { shift, friction: if stuck { law.static_friction } else { law.dynamic_friction }, rebounds }
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
