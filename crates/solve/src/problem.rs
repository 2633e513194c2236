//! The contact problem of one step, as the engine states it: bodies by inverse mass and free velocity, contacts by
//! normal, lever arms, friction and the shift of their law (METHOD.md sections 1 and 3).
//!
//! Spins are scaled: a body's spin here is `ℓ ω`, with a length `ℓ` of its own (the radius of a ball), and lever arms
//! are divided by `ℓ`. A ball's lever arms are then plus or minus the normal, and all velocities have one unit.

use crate::space::{Dim, Vector};

/// The index of the body that stands for all imposed motion. Its velocity is zero: the velocity of a driven wall at
/// the contact point goes into the contact's shift.
pub const GROUND: u32 = 0;

/// All bodies and contacts of one step.
#[derive(Clone, Debug, Default)]
pub struct Problem<D: Dim> {
    /// The bodies; the first is the ground. Neighbours in space should be neighbours here.
    pub bodies: Vec<Body<D>>,
    /// Masses of the bodies that are not balls.
    pub masses: Vec<Mass<D>>,
    /// The contacts; neighbours in space should be neighbours here.
    pub contacts: Vec<Contact<D>>,
}

/// A body: before the solve its free velocity, after it the new velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Body<D: Dim> {
    /// Velocity.
    pub velocity: D::Vector,
    /// Scaled spin `ℓ ω`.
    pub spin: D::Spin,
    /// Inertia.
    pub inertia: Inertia,
}

/// How a body answers an impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Inertia {
    /// Not at all: its motion is imposed.
    #[default]
    Imposed,
    /// As a full ball of this inverse mass.
    Ball(f64),
    /// By the mass of this index in [`Problem::masses`].
    General(u32),
}

/// The inverse mass of a body that is not a ball, or that moves along some axes only. The default is that of a body whose
/// motion is imposed: zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass<D: Dim> {
    /// Inverse mass along each axis of the world.
    pub inverse_mass: D::Vector,
    /// Scaled inverse inertia `ℓ² I⁻¹` in the frame of the world.
    pub inverse_inertia: D::SpinTensor,
}

impl<D: Dim> Default for Mass<D> {
    fn default() -> Self {
        Mass {
            inverse_mass: D::Vector::ZERO,
            inverse_inertia: D::spin_tensor(D::Orientation::default(), D::Spin::ZERO),
        }
    }
}

/// A contact: before the solve with the impulse to start from, after it with the solution.
///
/// The law is Signorini–Coulomb for the shifted velocity `ũ = u + shift`: `0 ≤ ũ_n ⟂ p_n ≥ 0`, `|p_t| ≤ μ p_n`, and
/// `p_t` opposite to `ũ_t` where it slides. Restitution, gaps and moving walls are all in the shift (METHOD.md
/// section 3; positive factors such as `1/(1+e_n)` change nothing in the law).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact<D: Dim> {
    /// Body 1 and body 2.
    pub bodies: [u32; 2],
    /// Unit vector from body 1 to body 2.
    pub normal: D::Vector,
    /// Scaled lever arms `l/ℓ` of the two bodies. Between balls and the ground they are `n` and `−n` and not looked at.
    pub arms: [D::Vector; 2],
    /// What is added to the relative velocity in the law.
    pub shift: D::Vector,
    /// Coulomb's `μ`.
    pub friction: f64,
    /// Impulse on body 2.
    pub impulse: D::Vector,
}

impl<D: Dim> Problem<D> {
    /// The inverse mass of body `index`, whatever it is.
    pub fn mass(&self, index: u32) -> Mass<D> {
        match self.bodies[index as usize].inertia {
            Inertia::Imposed => Mass::default(),
            Inertia::Ball(inverse) => Mass {
                inverse_mass: D::Vector::from_fn(|_| inverse),
                inverse_inertia: D::spin_tensor(
                    D::Orientation::default(),
                    D::Spin::from_fn(|_| inverse / D::BALL_INERTIA),
                ),
            },
            Inertia::General(mass) => self.masses[mass as usize],
        }
    }

    /// True if the contact is between balls, or a ball and the ground: then normal and tangent are not coupled.
    pub fn is_ball_contact(&self, contact: &Contact<D>) -> bool {
        contact.bodies.iter().all(|&body| !matches!(self.bodies[body as usize].inertia, Inertia::General(_)))
    }

    /// The relative velocity `u` of a contact, without its shift.
    pub fn relative_velocity(&self, contact: &Contact<D>) -> D::Vector {
        let [first, second] = contact.bodies.map(|body| &self.bodies[body as usize]);
        let arms = self.arms(contact);
        second.velocity + D::cross(second.spin, arms[1]) - first.velocity - D::cross(first.spin, arms[0])
    }

    /// Adds `M⁻¹ H p` of one contact to the velocities of its bodies.
    pub fn apply(&mut self, contact: &Contact<D>, impulse: D::Vector) {
        let arms = self.arms(contact);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let index = contact.bodies[side];
            let mass = self.mass(index);
            let body = &mut self.bodies[index as usize];
            body.velocity += mass.inverse_mass.scale(impulse) * sign;
            body.spin += D::apply(mass.inverse_inertia, D::wedge(arms[side], impulse)) * sign;
        }
    }

    fn arms(&self, contact: &Contact<D>) -> [D::Vector; 2] {
        if self.is_ball_contact(contact) { [contact.normal, -contact.normal] } else { contact.arms }
    }
}
