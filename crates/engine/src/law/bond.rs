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
        let area = joint.area::<D>();
        let (bending, twisting) = match joint {
            Joint::Faces { .. } => (0.0, 0.0),
            Joint::Plug { radius: r } if D::AXES == 2 => (2.0 / 3.0 * r * r, 0.0),
            Joint::Plug { radius: r } => (PI / 4.0 * r * r * r, PI / 2.0 * r * r * r),
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

impl Joint {
    /// The area over which the bodies are glued.
    pub fn area<D: Dim>(&self) -> f64 {
        match *self {
            Joint::Faces { area } => area,
            Joint::Plug { radius } if D::AXES == 2 => 2.0 * radius,
            Joint::Plug { radius } => PI * radius * radius,
        }
    }
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
    /// The area of the joint; zero where bodies touch at a corner.
    pub area: f64,
    /// Its strengths.
    pub law: BondLaw,
}

impl Bond {
    /// What bonds are sorted by.
    pub fn key(&self) -> ([u32; 2], [i16; 3]) {
        (self.bodies, self.offset)
    }
}

/// Where a bond broke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crack<D: Dim> {
    /// Body 1 and body 2 of the bond.
    pub bodies: [u32; 2],
    /// How many periods body 2's image is away from body 2 itself.
    pub offset: [i16; 3],
    /// The step in which it broke.
    pub step: u64,
    /// The time at the end of that step.
    pub time: f64,
    /// The middle of the joint, from the position of body 1 and in its frame.
    pub arm: D::Vector,
    /// The normal of the joint, from body 1 to body 2, in the frame of body 1.
    pub normal: D::Vector,
    /// The area of the joint; zero where bodies touched at a corner.
    pub area: f64,
    /// Which of its strengths was exhausted most.
    pub mode: Breaking,
    /// The normal force of the joint as it broke, positive in compression.
    pub normal_force: f64,
    /// The shear force of the joint as it broke.
    pub shear_force: f64,
}

/// How a bond broke: the strength of which most was used where it broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaking {
    /// The tensile strength.
    Tension,
    /// The shear strength.
    Shear,
    /// The bending strength.
    Bending,
    /// The twisting strength.
    Twisting,
}

impl Breaking {
    /// All of them, in the order of their numbers in files.
    pub const ALL: [Breaking; 4] = [Breaking::Tension, Breaking::Shear, Breaking::Bending, Breaking::Twisting];

    /// The word by which files know it.
    pub fn word(self) -> &'static str {
        match self {
            Breaking::Tension => "tension",
            Breaking::Shear => "shear",
            Breaking::Bending => "bending",
            Breaking::Twisting => "twisting",
        }
    }
}
