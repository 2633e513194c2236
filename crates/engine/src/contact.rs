//! Contacts: a pair of bodies that touch, or may touch within the step, at one point.

use crate::detect::Geometry;
use riprap_solve::{Dim, Vector};

/// What a contact did in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// It carried no impulse.
    #[default]
    Open,
    /// It carried an impulse inside the friction cone and did not slide.
    Stick,
    /// It slid, with the impulse on the friction cone.
    Slide,
}

/// One contact of the last step. CONVENTIONS.md fixes the signs: the normal points from body 1 to body 2, and the
/// impulse acts on body 2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact<D: Dim> {
    /// Body 1 and body 2.
    pub bodies: [u32; 2],
    /// How many periods body 2's image is away from body 2 itself.
    pub offset: [i16; 3],
    /// Which contact point of the pair it is, from step to step (always 0 where there can be only one).
    pub feature: u64,
    /// What it did.
    pub status: Status,
    /// Unit vector from body 1 to body 2.
    pub normal: D::Vector,
    /// Where it is: midway between the two surfaces.
    pub point: D::Vector,
    /// Signed gap at the time of detection; negative is overlap.
    pub gap: f64,
    /// Impulse on body 2, in the frame of the world; force is impulse over time step.
    pub impulse: D::Vector,
    /// Relative velocity of body 2 against body 1 at the end of the step, at the point.
    pub velocity: D::Vector,
    /// True if cohesion or a bond held it.
    pub bonded: bool,
}

/// What only contacts with torques, and those of molecular dynamics, have. It is kept apart from them, since every step
/// walks several times over all contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactExtras<D: Dim> {
    /// Torque impulse on body 2 besides that of the impulse, in the frame of the world.
    pub torque: D::Spin,
    /// Molecular dynamics: the stretch of the tangential spring, in the frame of the world.
    pub spring: D::Vector,
    /// Molecular dynamics: the angle of the spring of rolling and torsion.
    pub turn: D::Spin,
}

impl<D: Dim> Contact<D> {
    /// A contact that has done nothing yet.
    pub(crate) fn new(bodies: [u32; 2], offset: [i16; 3], geometry: &Geometry<D>) -> Self {
        Contact {
            bodies,
            offset,
            feature: geometry.feature,
            status: Status::Open,
            normal: geometry.normal,
            point: geometry.point,
            gap: geometry.gap,
            impulse: D::Vector::ZERO,
            velocity: D::Vector::ZERO,
            bonded: false,
        }
    }

    /// What identifies this contact from step to step.
    pub fn key(&self) -> ([u32; 2], [i16; 3], u64) {
        (self.bodies, self.offset, self.feature)
    }
}
