//! The contact problem of one step, as the engine states it: bodies by inverse mass and free velocity, contacts by
//! normal, lever arms, friction and the shift of their law (docs/method.md §1 and §3).
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
    /// Scaled lever arms `l/ℓ` of the two bodies: none, or those of each contact. Without them, and between balls and the
    /// ground in any case, arms are `n` and `−n`.
    pub arms: Vec<[D::Vector; 2]>,
    /// Contact torques: none, or one for each contact.
    pub torques: Vec<Torque<D>>,
    /// Cohesion with a range: none, or one for each contact.
    pub cohesions: Vec<Cohesion>,
    /// Slightly compliant contacts: `1/(K δt²)` with the stiffness `K` of a contact; 0 is rigid. The law then holds for
    /// `ũ_n + c (p − p₀)_n` and `ũ_t + (1+k) c (p − p₀)_t`, with `k = m r²/I` of a ball: a tangential stiffness of `K/(1+k)`.
    pub compliance: f64,
    /// The impulses `p₀` of compliant contacts without deformation: one for each contact, or none, and then they are those
    /// that the contacts start from.
    pub undeformed_impulses: Vec<D::Vector>,
    /// The periodic cell that the contacts are in, if its stretching is a freedom.
    pub cell: Option<Cell<D>>,
}

/// A periodic cell whose stretching is a freedom: the relative velocity of every contact gains `ε̇∘ℓ`, axis by axis, with
/// the rate of stretching `ε̇` and the branch `ℓ` from the centre of body 1 to that of body 2, and the contacts' impulses move
/// the cell by `M δε̇ = Σ ℓ∘p`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell<D: Dim> {
    /// The rate of stretching along each axis: before the solve that without contact impulses, after it the new one.
    pub rate: D::Vector,
    /// One over the mass `M` of the cell along each axis; zero where the rate is imposed.
    pub inverse_mass: D::Vector,
    /// The branch of each contact.
    pub branches: Vec<D::Vector>,
}

impl<D: Dim> Cell<D> {
    /// What the stretching adds to the relative velocity of a contact.
    pub fn velocity(&self, contact: usize) -> D::Vector {
        self.rate.scale(self.branches[contact])
    }
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
/// `p_t` opposite to `ũ_t` where it slides. Restitution, gaps and moving walls are all in the shift (docs/method.md
/// §3; positive factors such as `1/(1+e_n)` change nothing in the law).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact<D: Dim> {
    /// Body 1 and body 2.
    pub bodies: [u32; 2],
    /// Unit vector from body 1 to body 2.
    pub normal: D::Vector,
    /// What is added to the relative velocity in the law.
    pub shift: D::Vector,
    /// Coulomb's `μ`.
    pub friction: f64,
    /// Impulse on body 2.
    pub impulse: D::Vector,
}

/// The torque that a contact carries besides its force (docs/method.md §3, P2 1.38–1.42).
///
/// With the relative spin `Ω = ω₂ − ω₁ + shift` and the torque impulse `τ` on body 2: `|τ_t| ≤ μ_r p_n`, `|τ_n| ≤ μ_tor p_n`,
/// opposite to `Ω_t`, `Ω_n` at the limit, and no relative rotation below it. In 2D there is rolling alone.
///
/// Where sliding and torsion are coupled, they share one limit, an ellipsoid: `(|p_t|/μ)² + (τ_n/μ_tor)² ≤ p_n²`, and where
/// that is an equality `(p_t, τ_n)` is opposite to `(μ² u_t, μ_tor² Ω_n)`, its normal: of all that the limit admits, what
/// dissipates most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Torque<D: Dim> {
    /// `μ_r`, a length.
    pub rolling: f64,
    /// `μ_tor`, a length; not looked at in 2D.
    pub torsion: f64,
    /// True if sliding and torsion share one limit.
    pub is_coupled: bool,
    /// The lengths `ℓ` of the two bodies, by which their spins are scaled. That of the ground is not looked at.
    pub lengths: [f64; 2],
    /// What is added to the relative spin in the law: the spin of a body with imposed motion.
    pub shift: D::Spin,
    /// Torque impulse on body 2, in the frame of the world: before the solve the one to start from, after it the solution.
    pub impulse: D::Spin,
}

/// A normal law with a step, for cohesion with a range (docs/method.md §3). With `p_n ≥ 0` counted from the tensile
/// limit (the tension itself is an external impulse on the bodies):
///
/// ```text
///   ũ_n > 0            p_n = 0
///   ũ_n = 0            0 ≤ p_n ≤ hold
///   −closing < ũ_n < 0   p_n = hold
///   ũ_n = −closing     p_n ≥ hold
/// ```
///
/// Friction and torques have their limits from this `p_n`. Both zero is Signorini's law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cohesion {
    /// The impulse on the step.
    pub hold: f64,
    /// How fast the contact may close before it presses.
    pub closing: f64,
}

impl<D: Dim> Problem<D> {
    /// The torque of contact `index`, if it has one.
    pub fn torque(&self, index: usize) -> Option<&Torque<D>> {
        self.torques.get(index).filter(|torque| torque.rolling > 0.0 || D::AXES == 3 && torque.torsion > 0.0)
    }

    /// The length `μ_tor/μ` of contact `index` if its sliding and its torsion are coupled. Where one of the two limits is zero,
    /// there is nothing to couple.
    pub(crate) fn coupling_length(&self, index: usize) -> Option<f64> {
        let torque = self.torque(index).filter(|torque| D::AXES == 3 && torque.is_coupled && torque.torsion > 0.0)?;
        let friction = self.contacts[index].friction;
        (friction > 0.0).then(|| torque.torsion / friction)
    }

    /// The step in the normal law of contact `index`, if it has one.
    pub fn cohesion(&self, index: usize) -> Option<&Cohesion> {
        self.cohesions.get(index).filter(|cohesion| cohesion.hold > 0.0 || cohesion.closing > 0.0)
    }

    /// The relative spin `ω₂ − ω₁` of a contact, without its shift.
    pub fn relative_spin(&self, contact: &Contact<D>, torque: &Torque<D>) -> D::Spin {
        let spin = |side: usize| match contact.bodies[side] {
            GROUND => D::Spin::ZERO,
            body => self.bodies[body as usize].spin * (1.0 / torque.lengths[side]),
        };
        spin(1) - spin(0)
    }

    /// Adds what the torque impulse of one contact does to the spins of its bodies.
    pub fn apply_torque(&mut self, contact: &Contact<D>, torque: &Torque<D>) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let index = contact.bodies[side];
            if index != GROUND {
                let inverse = self.mass(index).inverse_inertia;
                self.bodies[index as usize].spin += D::apply(inverse, torque.impulse * (sign / torque.lengths[side]));
            }
        }
    }

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

    /// The relative velocity `u` of contact `index`, without its shift.
    pub fn relative_velocity(&self, index: usize) -> D::Vector {
        let [first, second] = self.contacts[index].bodies.map(|body| &self.bodies[body as usize]);
        let arms = self.arms_of(index);
        second.velocity + D::cross(second.spin, arms[1]) - first.velocity - D::cross(first.spin, arms[0])
    }

    /// Adds `M⁻¹ H p` of contact `index` to the velocities of its bodies.
    pub fn apply(&mut self, index: usize, impulse: D::Vector) {
        let (arms, bodies) = (self.arms_of(index), self.contacts[index].bodies);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let index = bodies[side];
            let mass = self.mass(index);
            let body = &mut self.bodies[index as usize];
            body.velocity += mass.inverse_mass.scale(impulse) * sign;
            body.spin += D::apply(mass.inverse_inertia, D::wedge(arms[side], impulse)) * sign;
        }
    }

    /// The diagonal block `W_αα` of contact `index` in the given frame (normal first); zero beyond the dimension.
    pub(crate) fn block(&self, index: usize, frame: &[D::Vector; 3]) -> [[f64; 3]; 3] {
        let mut block = [[0.0; 3]; 3];
        for (arm, &body) in self.arms_of(index).into_iter().zip(&self.contacts[index].bodies) {
            let mass = self.mass(body);
            for j in 0..D::AXES {
                let velocity = mass.inverse_mass.scale(frame[j]);
                let spin = D::apply(mass.inverse_inertia, D::wedge(arm, frame[j]));
                let at_contact = velocity + D::cross(spin, arm);
                for i in 0..D::AXES {
                    block[i][j] += frame[i].dot(at_contact);
                }
            }
        }
        block
    }

    /// The lever arms of contact `index`; those of balls are plus and minus the normal.
    pub fn arms_of(&self, index: usize) -> [D::Vector; 2] {
        let contact = &self.contacts[index];
        match self.arms.get(index) {
            Some(arms) if !self.is_ball_contact(contact) => *arms,
            _ => [contact.normal, -contact.normal],
        }
    }
}
