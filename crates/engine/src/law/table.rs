//! The contacts of a step and their lowered laws in plain columns, for laws that are tried from outside.

use super::lower::LoweredLaw;
use crate::body::BodyId;
use crate::contact::Contact;
use riprap_solve::{Dim, Vector};

/// The contacts of a step before they are solved for, one row each, and the law of each in this step, whose columns
/// [`LawTable::shift`], [`LawTable::friction`] and [`LawTable::adhesion`] may be changed. In 2D the third component of
/// vectors is zero. What else a law has, such as limits of torques, stays as the materials of the contact have it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawTable {
    /// Time at the start of the step.
    pub time: f64,
    /// The time step.
    pub time_step: f64,
    /// 2 or 3.
    pub dimension: usize,
    /// Body 1 and body 2.
    pub bodies: Vec<[BodyId; 2]>,
    /// Unit vector from body 1 to body 2.
    pub normal: Vec<[f64; 3]>,
    /// Where the contact is.
    pub point: Vec<[f64; 3]>,
    /// Signed gap; negative is overlap.
    pub gap: Vec<f64>,
    /// Relative velocity of body 2 against body 1 before the solve.
    pub velocity: Vec<[f64; 3]>,
    /// The force on body 2 in the last step; zero for a new contact.
    pub force: Vec<[f64; 3]>,
    /// Added to the relative velocity in the law of Signorini and Coulomb.
    pub shift: Vec<[f64; 3]>,
    /// Coulomb's `μ` in this step.
    pub friction: Vec<f64>,
    /// The tension that the contact bears (N).
    pub adhesion: Vec<f64>,
}

impl LawTable {
    pub(crate) fn new(time: f64, time_step: f64, dimension: usize) -> Self {
        LawTable { time, time_step, dimension, ..LawTable::default() }
    }

    /// Appends a contact.
    pub(crate) fn push<D: Dim>(
        &mut self,
        bodies: [BodyId; 2],
        contact: &Contact<D>,
        velocity: D::Vector,
        law: &LoweredLaw<D>,
    ) {
        self.bodies.push(bodies);
        self.normal.push(contact.normal.to_array3());
        self.point.push(contact.point.to_array3());
        self.gap.push(contact.gap);
        self.velocity.push(velocity.to_array3());
        self.force.push((contact.impulse * (1.0 / self.time_step)).to_array3());
        self.shift.push(law.shift.to_array3());
        self.friction.push(law.friction);
        self.adhesion.push(law.tension / self.time_step);
    }

    /// What is wrong with a changed column, if anything.
    pub(crate) fn check(&self) -> Result<(), String> {
        let contacts = self.bodies.len();
        let lengths =
            [("shift", self.shift.len()), ("friction", self.friction.len()), ("adhesion", self.adhesion.len())];
        if let Some((name, length)) = lengths.iter().find(|(_, length)| *length != contacts) {
            return Err(format!("{name} has {length} rows for {contacts} contacts"));
        }
        if let Some(row) = self.shift.iter().position(|shift| !shift.iter().all(|x| x.is_finite())) {
            return Err(format!("the shift of contact {row} is not finite"));
        }
        for (name, column) in [("friction", &self.friction), ("adhesion", &self.adhesion)] {
            if let Some(row) = column.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
                return Err(format!("the {name} of contact {row} is {}, and must be 0 or more", column[row]));
            }
        }
        Ok(())
    }

    /// Puts a row of the changed columns into the law of its contact. Numbers that were not changed keep their bits.
    pub(crate) fn take<D: Dim>(&self, row: usize, law: &mut LoweredLaw<D>) {
        law.shift = D::Vector::from_array3(self.shift[row]);
        law.friction = self.friction[row];
        if self.adhesion[row] != law.tension / self.time_step {
            law.tension = self.adhesion[row] * self.time_step;
            law.bonded = law.tension > 0.0;
            law.cohesion = Default::default();
        }
    }
}
