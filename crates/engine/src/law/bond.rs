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
//!
//! Mortar and cement have strengths per area. Over the area `A` of a joint, the stresses `σ` and `τ` make `T = σA` and
//! `S = τA`. Faces that touch at several points share them, and so resist bending; round grains touch at one, and have the
//! strength of a plug of the smaller radius: it breaks where `f/A + M/W` reaches `σ`, which is a bending strength `σW` of the
//! form above, with the section modulus `W`.

use riprap_solve::Dim;
use std::f64::consts::PI;

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

/// How strong the bonds are that are made together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BondStrength {
    /// Each has these strengths.
    Each(BondLaw),
    /// Each breaks at these stresses on the area over which its two bodies touch.
    Stress {
        /// The tensile stress, in Pa.
        tensile: f64,
        /// The shear stress, in Pa.
        shear: f64,
    },
}

impl From<BondLaw> for BondStrength {
    fn from(law: BondLaw) -> Self {
        BondStrength::Each(law)
    }
}

impl BondStrength {
    /// The strengths of a bond over a joint; none if the joint has no area that stresses could act on.
    pub fn over<D: Dim>(&self, joint: Joint) -> Option<BondLaw> {
        let (tensile, shear) = match *self {
            BondStrength::Each(law) => return Some(law),
            BondStrength::Stress { tensile, shear } => (tensile, shear),
        };
        let (area, bending, twisting) = match joint {
            Joint::Faces { area } => (area, 0.0, 0.0),
            Joint::Plug { radius: r } if D::AXES == 2 => (2.0 * r, 2.0 / 3.0 * r * r, 0.0),
            Joint::Plug { radius: r } => (PI * r * r, PI / 4.0 * r * r * r, PI / 2.0 * r * r * r),
        };
        (area > 0.0).then_some(BondLaw {
            tensile_strength: tensile * area,
            shear_strength: shear * area,
            bending_strength: tensile * bending,
            twisting_strength: shear * twisting,
        })
    }
}

/// Where two bodies are glued to each other. In the plane bodies are 1 m thick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// Faces, over the area that their contact points span.
    Faces {
        /// That area.
        area: f64,
    },
    /// Round grains, by a plug.
    Plug {
        /// The radius of the plug.
        radius: f64,
    },
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
