//! Bonds: grains that are glued to each other until the glue breaks.
//!
//! A bond holds both the gap and the surfaces still. With the force `f` of the contact it breaks where
//!
//! ```text
//!   f_n < −T     or     |f_t| > S (1 + f_n/T)
//! ```
//!
//! with the tensile strength `T` and the shear strength `S`: compression strengthens the bond, tension weakens it. In
//! the words of the solver this is Coulomb's cone of slope `S/T` with its tip at the tension `T`, so that a bond is
//! solved together with all contacts. Bending and twisting have strengths of the same kind, torques that are none
//! unless given. A broken bond is an ordinary contact from the next step on.

/// The strengths of a bond.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BondLaw {
    /// The tension at which it breaks without shear, in N.
    pub tensile_strength: f64,
    /// The shear force at which it breaks without a normal force, in N.
    pub shear_strength: f64,
    /// The bending torque at which it breaks without a normal force, in N m; zero lets the grains roll on each other.
    pub bending_strength: f64,
    /// The twisting torque at which it breaks without a normal force, in N m; zero lets them spin on each other.
    pub twisting_strength: f64,
}

/// A bond between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// Body 1 and body 2.
    pub bodies: [u32; 2],
    /// How many periods body 2's image is away from body 2 itself.
    pub offset: [i16; 3],
    /// The gap that it keeps.
    pub gap: f64,
    /// Its strengths.
    pub law: BondLaw,
}

impl Bond {
    /// What bonds are sorted by.
    pub fn key(&self) -> ([u32; 2], [i16; 3]) {
        (self.bodies, self.offset)
    }
}
