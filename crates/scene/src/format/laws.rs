//! The laws of contacts, the liquid between grains, and bonds.

use super::keys::{in_space, key};
use super::{Fill, Key, Kind, Need, Range, Section};
use crate::units::*;
use std::f64::consts::FRAC_PI_2;

/// The keys of a contact law, behind the one key that a material or a pair has of its own. `restitution` says what holds
/// where a restitution is not given: a material has none, a pair follows its materials.
pub(super) const fn law_keys(own: Key, restitution: Need) -> [Key; 15] {
    [
        own,
        key("friction", FRICTION, Need::Optional, "Coulomb's coefficient, at rest and sliding."),
        key("static_friction", FRICTION, Need::Optional, "Of contacts that did not slide in the last step."),
        key("dynamic_friction", FRICTION, Need::Optional, "Of contacts that slid in the last step."),
        key("normal_restitution", NORMAL_RESTITUTION, restitution, "`e_n`: rebound speed over impact speed."),
        key("tangential_restitution", TANGENTIAL_RESTITUTION, restitution, "`e_t`."),
        key(
            "normal_viscosity",
            VISCOSITY,
            Need::Optional,
            "`K_N` of A-CD²'s quadratic pseudopotential; a material that does not give it has 0.",
        ),
        key(
            "tangential_viscosity",
            VISCOSITY,
            Need::Optional,
            "`K_T` of the same; a material that does not give it has 0.",
        ),
        FRICTION_BY_SPEED,
        RESTITUTION_BY_SPEED,
        ROLLING,
        TORSION,
        ADHESION,
        COHESION,
        key("tresca", TRESCA, Need::Optional, "A fixed largest friction force under A-CD², in place of Coulomb's."),
    ]
}

const FRICTION: Kind = Kind::Number(PLAIN, Range::NotNegative);
const VISCOSITY: Kind = Kind::Number(MASS, Range::NotNegative);
const TRESCA: Kind = Kind::Number(FORCE, Range::NotNegative);
const NORMAL_RESTITUTION: Kind = Kind::Number(PLAIN, Range::Between(0.0, 1.0));
const TANGENTIAL_RESTITUTION: Kind = Kind::Number(PLAIN, Range::Between(-1.0, 1.0));

const FRICTION_BY_SPEED: Key = key(
    "friction_by_speed",
    Kind::OneOf(&[TABLE, DECAY]),
    Need::Optional,
    "Friction of sliding contacts by their speed at the start of the step, in place of the dynamic friction. What does \
     not slide has `static_friction`, or the value at rest.",
);
const RESTITUTION_BY_SPEED: Key = key(
    "restitution_by_speed",
    Kind::OneOf(&[TABLE, POWER]),
    Need::Optional,
    "`e_n` by the speed of approach, in place of `normal_restitution`.",
);
const ROLLING: Key = key(
    "rolling_friction",
    LIMIT,
    Need::Optional,
    "The largest rolling torque over the normal force: a length, or a table `rolling_friction`.",
);
const TORSION: Key =
    in_space(key("torsion_friction", LIMIT, Need::Optional, "The same for the torque about the normal."));
const ADHESION: Key = key(
    "adhesion",
    Kind::Number(FORCE, Range::NotNegative),
    Need::Optional,
    "The largest tension of a closed contact. It has no range: a shock breaks it, the shorter the time step the smaller.",
);
const COHESION: Key = key(
    "cohesion",
    Kind::Table(&COHESION_TABLE, Fill::Defaults),
    Need::Optional,
    "Tension with a range, which it takes work to overcome, whatever the time step.",
);

const TABLE: Key = key(
    "table",
    Kind::Rows(&[("speed", VELOCITY), ("value", PLAIN)]),
    Need::Optional,
    "Straight lines between these points, constant outside.",
);
const DECAY: Key =
    key("decay", Kind::Table(&DECAY_TABLE, Fill::Defaults), Need::Optional, "`to + (from - to) exp(-v/speed)`.");
const POWER: Key =
    key("power", Kind::Table(&POWER_TABLE, Fill::Defaults), Need::Optional, "`value (v/speed)^exponent`, at most 1.");
const LIMIT: Kind = Kind::Any(&[Kind::Number(LENGTH, Range::NotNegative), Kind::Table(&TORQUE_LIMIT, Fill::Defaults)]);

static DECAY_TABLE: Section = Section {
    title: "decay",
    doc: "From one value at rest to another at high speed.",
    keys: &[
        key("from", Kind::Number(PLAIN, Range::NotNegative), Need::Required, "At rest."),
        key("to", Kind::Number(PLAIN, Range::NotNegative), Need::Required, "At high speed."),
        key("speed", Kind::Number(VELOCITY, Range::Positive), Need::Required, "The speed of the change."),
    ],
    tag: None,
};

static POWER_TABLE: Section = Section {
    title: "power",
    doc: "A power of the speed; an exponent of -1/4 is that of plastic impacts.",
    keys: &[
        key("value", Kind::Number(PLAIN, Range::Between(0.0, 1.0)), Need::Required, "The value at `speed`."),
        key("speed", Kind::Number(VELOCITY, Range::Positive), Need::Required, "Where it has that value."),
        key("exponent", Kind::Number(PLAIN, Range::Between(-10.0, 10.0)), Need::Required, "The exponent."),
    ],
    tag: None,
};

static TORQUE_LIMIT: Section = Section {
    title: "rolling_friction",
    doc: "The limit of a contact torque over the normal force: `length`; or `coefficient`, which counts in parts of the \
          reduced radius r* = r1 r2/(r1 + r2) (on a wall, the radius); or `loss` and `modulus`: the loss times the size \
          of the contact after Hertz under the force of the last step.",
    keys: &[
        key("length", Kind::Number(LENGTH, Range::NotNegative), Need::Optional, "The length itself."),
        key("coefficient", Kind::Number(PLAIN, Range::NotNegative), Need::Optional, "In parts of r*."),
        key("loss", Kind::Number(PLAIN, Range::NotNegative), Need::Optional, "In parts of Hertz's contact size."),
        key("modulus", Kind::Number(PRESSURE, Range::Positive), Need::Optional, "The effective modulus E*."),
    ],
    tag: None,
};

static COHESION_TABLE: Section = Section {
    title: "cohesion",
    doc: "A pair that has touched is held by a tension of up to F_C until its gap is wider than d_C = E_C/F_C. One of \
          `force`, `force_per_radius` and `surface_energy` gives F_C, one of `range` and `energy` the reach. Where it \
          holds, friction and torques have their limits from the normal force and F_C together. F_C belongs to the two \
          bodies: all their contact points share it.",
    keys: &[
        key("force", Kind::Number(FORCE, Range::Positive), Need::Optional, "F_C."),
        key(
            "force_per_radius",
            Kind::Number(STIFFNESS, Range::Positive),
            Need::Optional,
            "F_C over the reduced radius r*.",
        ),
        in_space(key(
            "surface_energy",
            Kind::Number(SURFACE_ENERGY, Range::Positive),
            Need::Optional,
            "F_C = 4 pi gamma r*, after Derjaguin, Muller and Toporov.",
        )),
        key("range", Kind::Number(LENGTH, Range::Positive), Need::Optional, "d_C."),
        key("energy", Kind::Number(ENERGY, Range::Positive), Need::Optional, "E_C."),
    ],
    tag: None,
};

pub(super) static LIQUID: Section = Section {
    title: "[liquid]",
    doc: "Capillary bridges between spheres, for `method = \"cd\"` and `\"md\"`. The amount of liquid is either \
          `water_content` or `volume`. Walls have no bridges.",
    keys: &[
        key(
            "water_content",
            Kind::Number(PLAIN, Range::Between(0.0, 1.0)),
            Need::Optional,
            "The mass of the liquid over that of the grains.",
        ),
        key("volume", Kind::Number(VOLUME, Range::NotNegative), Need::Optional, "The volume of all liquid."),
        key("density", Kind::Number(DENSITY, Range::Positive), Need::Default("\"1000 kg/m3\""), "Of the liquid."),
        key(
            "surface_tension",
            Kind::Number(SURFACE_TENSION, Range::Positive),
            Need::Default("\"72 mN/m\""),
            "Of the liquid.",
        ),
        key(
            "contact_angle",
            Kind::Number(ANGLE, Range::Between(0.0, FRAC_PI_2)),
            Need::Default("0"),
            "Of the liquid on the grains; 0 is perfect wetting.",
        ),
        key(
            "bridges",
            Kind::Choice(&[
                ("shared", "every pair within the debonding distance has one"),
                ("contact", "a bridge forms where grains touch, and lives until the debonding distance"),
            ]),
            Need::Default("\"shared\""),
            "Which pairs have a bridge; they share the liquid in proportion to d1 d2/(d1 + d2).",
        ),
    ],
    tag: None,
};

pub(super) static BOND: Section = Section {
    title: "[[bonds]]",
    doc: "Grains glued to each other, for `method = \"cd\"`: at the start of a stage, all that touch (that are not farther \
          apart than a two-hundredth of the smaller radius), or the given `pairs`. A bond breaks where the tension \
          is more than `tensile_strength` T, or the shear force more than `shear_strength` times 1 + f_n/T; bending and \
          twisting torques likewise, where their strengths are given. A broken bond is an ordinary contact.",
    keys: &[
        key("group", Kind::Text, Need::Optional, "Only between grains of this group."),
        key(
            "pairs",
            Kind::List(&Kind::List(&Kind::Integer { min: 0, max: u32::MAX as i64 })),
            Need::Optional,
            "Only these pairs of grains, counted from 0, which must touch; in the first stage only.",
        ),
        key("stage", Kind::Text, Need::Chosen("the first"), "The stage at whose start the grains are glued."),
        key("tensile_strength", Kind::Number(FORCE, Range::Positive), Need::Required, "The tension that breaks it."),
        key("shear_strength", Kind::Number(FORCE, Range::Positive), Need::Required, "The shear force that breaks it."),
        key(
            "bending_strength",
            Kind::Number(TORQUE, Range::NotNegative),
            Need::Default("0"),
            "The bending torque that breaks it; with 0 the grains can roll on each other.",
        ),
        in_space(key(
            "twisting_strength",
            Kind::Number(TORQUE, Range::NotNegative),
            Need::Default("0"),
            "The twisting torque that breaks it; with 0 the grains can spin on each other.",
        )),
    ],
    tag: None,
};
