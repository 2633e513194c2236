//! The laws of contacts, the liquid between grains, and bonds.

use super::keys::{in_space, key};
use super::{Fill, Key, Kind, Need, Range, Section};
use crate::units::*;
use std::f64::consts::FRAC_PI_2;

/// The keys of a contact law, after the one key that is specific to materials or to pairs. `restitution` is what holds if
/// a restitution is not given: a material has none, and a pair follows its materials.
pub(super) const fn law_keys(own: Key, restitution: Need) -> [Key; 18] {
    [
        own,
        key("friction", FRICTION, Need::Optional, "Coulomb friction coefficient, static and dynamic."),
        key(
            "static_friction",
            FRICTION,
            Need::Optional,
            "Friction coefficient of contacts that did not slide in the previous step.",
        ),
        key(
            "dynamic_friction",
            FRICTION,
            Need::Optional,
            "Friction coefficient of contacts that slid in the previous step.",
        ),
        key(
            "normal_restitution",
            NORMAL_RESTITUTION,
            restitution,
            "Normal restitution `e_n`: rebound speed over impact speed.",
        ),
        key("tangential_restitution", TANGENTIAL_RESTITUTION, restitution, "Tangential restitution `e_t`."),
        key(
            "normal_viscosity",
            VISCOSITY,
            Need::Optional,
            "`K_N` in the quadratic pseudopotential of A-CD²; a material without it has 0.",
        ),
        key(
            "tangential_viscosity",
            VISCOSITY,
            Need::Optional,
            "`K_T` in the same pseudopotential; a material without it has 0.",
        ),
        FRICTION_BY_SPEED,
        RESTITUTION_BY_SPEED,
        TANGENTIAL_BY_SPEED,
        ROLLING,
        TORSION,
        COUPLED,
        ADHESION,
        COHESION,
        WEAR,
        key("tresca", TRESCA, Need::Optional, "Fixed friction threshold for A-CD², in place of Coulomb's law."),
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
    "Friction coefficient of sliding contacts as a function of their sliding speed at the start of the step; replaces \
     `dynamic_friction`. Contacts that do not slide use `static_friction`, or the value at zero speed.",
);
const RESTITUTION_BY_SPEED: Key = key(
    "restitution_by_speed",
    Kind::OneOf(&[TABLE, POWER]),
    Need::Optional,
    "`e_n` as a function of the approach speed; replaces `normal_restitution`.",
);
const TANGENTIAL_BY_SPEED: Key = key(
    "tangential_restitution_by_speed",
    Kind::OneOf(&[TABLE, POWER]),
    Need::Optional,
    "`e_t` as a function of the approach speed, the one along the normal; replaces `tangential_restitution`. Values of the \
     table may be negative.",
);
const ROLLING: Key = key(
    "rolling_friction",
    LIMIT,
    Need::Optional,
    "Limit of the rolling torque divided by the normal force: a length, or a table `rolling_friction`.",
);
const TORSION: Key =
    in_space(key("torsion_friction", LIMIT, Need::Optional, "As `rolling_friction`, for the torque about the normal."));
const COUPLED: Key = in_space(key(
    "coupled_torsion",
    Kind::Bool,
    Need::Optional,
    "If `true`, sliding and torsion share one limit: a contact that slides and spins has less friction and less torsion \
     than one that does either. Needs `torsion_friction`. Without it, each has its own limit.",
));
const ADHESION: Key = key(
    "adhesion",
    Kind::Number(FORCE, Range::NotNegative),
    Need::Optional,
    "The largest tension of a closed contact. It has no range, so an impact breaks it, and the shorter the time step, the \
     smaller the impact that does.",
);
const COHESION: Key = key(
    "cohesion",
    Kind::Table(&COHESION_TABLE, Fill::Defaults),
    Need::Optional,
    "Tension with a finite range. Separating two grains takes a given amount of work, whatever the time step.",
);

const WEAR: Key = key(
    "wear",
    Kind::Number(WEAR_RATE, Range::NotNegative),
    Need::Optional,
    "Archard's wear rate `k`: the volume worn off a wall is `k F_n s`, with the normal force `F_n` of a contact and the \
     distance `s` that it slides; `k = K/H` with the wear coefficient `K` and the hardness `H` of the wall. Two materials \
     that no pair is given for have the larger of their rates.",
);

const TABLE: Key = key(
    "table",
    Kind::Rows(&[("speed", VELOCITY), ("value", PLAIN)]),
    Need::Optional,
    "Linear interpolation between these points, constant outside.",
);
const DECAY: Key =
    key("decay", Kind::Table(&DECAY_TABLE, Fill::Defaults), Need::Optional, "`to + (from - to) exp(-v/speed)`.");
const POWER: Key =
    key("power", Kind::Table(&POWER_TABLE, Fill::Defaults), Need::Optional, "`value (v/speed)^exponent`, at most 1.");
const LIMIT: Kind = Kind::Any(&[Kind::Number(LENGTH, Range::NotNegative), Kind::Table(&TORQUE_LIMIT, Fill::Defaults)]);

static DECAY_TABLE: Section = Section {
    title: "decay",
    doc: "Exponential decay from the value at zero speed to the value at high speed.",
    keys: &[
        key("from", Kind::Number(PLAIN, Range::NotNegative), Need::Required, "The value at zero speed."),
        key("to", Kind::Number(PLAIN, Range::NotNegative), Need::Required, "The value at high speed."),
        key("speed", Kind::Number(VELOCITY, Range::Positive), Need::Required, "The characteristic speed of the decay."),
    ],
    tag: None,
};

static POWER_TABLE: Section = Section {
    title: "power",
    doc: "A power law in the speed; plastic impacts have an exponent of -1/4.",
    keys: &[
        key("value", Kind::Number(PLAIN, Range::Between(0.0, 1.0)), Need::Required, "The value at `speed`."),
        key("speed", Kind::Number(VELOCITY, Range::Positive), Need::Required, "The reference speed."),
        key("exponent", Kind::Number(PLAIN, Range::Between(-10.0, 10.0)), Need::Required, "The exponent."),
    ],
    tag: None,
};

static TORQUE_LIMIT: Section = Section {
    title: "rolling_friction",
    doc: "Limit of a contact torque divided by the normal force. Give `length`; or `coefficient`, which is multiplied by \
          the reduced radius r* = r1 r2/(r1 + r2) (against a wall, the radius of the grain); or `loss` and `modulus`, in \
          which case the limit is `loss` times the Hertzian contact size under the force of the previous step; or \
          `roughness` ξ, with which the limit is √(ξ r*), times `coefficient` if that is given too; or `viscous_time`, \
          with which the limit is this time times the rolling speed r* Ω at the start of the step, so that the torque is \
          proportional to the speed and vanishes at rest.",
    keys: &[
        key("length", Kind::Number(LENGTH, Range::NotNegative), Need::Optional, "The length itself."),
        key(
            "coefficient",
            Kind::Number(PLAIN, Range::NotNegative),
            Need::Optional,
            "The limit as a fraction of r*, or of √(ξ r*).",
        ),
        key(
            "loss",
            Kind::Number(PLAIN, Range::NotNegative),
            Need::Optional,
            "The limit as a fraction of the Hertzian contact size.",
        ),
        key("modulus", Kind::Number(PRESSURE, Range::Positive), Need::Optional, "The effective modulus E*."),
        key(
            "roughness",
            Kind::Number(LENGTH, Range::NotNegative),
            Need::Optional,
            "The height ξ of the roughness of the surfaces.",
        ),
        key(
            "viscous_time",
            Kind::Number(TIME, Range::NotNegative),
            Need::Optional,
            "The limit divided by the rolling speed.",
        ),
    ],
    tag: None,
};

static COHESION_TABLE: Section = Section {
    title: "cohesion",
    doc: "Once two grains have touched, a tension of up to F_C holds them together until the gap exceeds d_C = E_C/F_C. \
          Give F_C by one of `force`, `force_per_radius` and `surface_energy`, and the range by one of `range` and \
          `energy`. While cohesion acts, the limits of friction and contact torques follow from the normal force plus F_C. \
          F_C is per pair of bodies: it is shared among all of their contact points.",
    keys: &[
        key("force", Kind::Number(FORCE, Range::Positive), Need::Optional, "F_C."),
        key(
            "force_per_radius",
            Kind::Number(STIFFNESS, Range::Positive),
            Need::Optional,
            "F_C divided by the reduced radius r*.",
        ),
        in_space(key(
            "surface_energy",
            Kind::Number(SURFACE_ENERGY, Range::Positive),
            Need::Optional,
            "γ in F_C = 4πγr* (Derjaguin, Muller and Toporov).",
        )),
        key("range", Kind::Number(LENGTH, Range::Positive), Need::Optional, "d_C."),
        key("energy", Kind::Number(ENERGY, Range::Positive), Need::Optional, "E_C."),
    ],
    tag: None,
};

pub(super) static LIQUID: Section = Section {
    title: "[liquid]",
    doc: "Capillary bridges between spheres, for `method = \"cd\"` and `\"md\"`. Give the amount of liquid by either \
          `water_content` or `volume`. No bridges form on walls.",
    keys: &[
        key(
            "water_content",
            Kind::Number(PLAIN, Range::Between(0.0, 1.0)),
            Need::Optional,
            "The mass of the liquid divided by the mass of the grains.",
        ),
        key("volume", Kind::Number(VOLUME, Range::NotNegative), Need::Optional, "The total volume of the liquid."),
        key(
            "density",
            Kind::Number(DENSITY, Range::Positive),
            Need::Default("\"1000 kg/m3\""),
            "The density of the liquid.",
        ),
        key(
            "surface_tension",
            Kind::Number(SURFACE_TENSION, Range::Positive),
            Need::Default("\"72 mN/m\""),
            "The surface tension of the liquid.",
        ),
        key(
            "contact_angle",
            Kind::Number(ANGLE, Range::Between(0.0, FRAC_PI_2)),
            Need::Default("0"),
            "The contact angle on the grains; 0 is perfect wetting.",
        ),
        key(
            "bridges",
            Kind::Choice(&[
                ("shared", "every pair within the rupture distance has a bridge"),
                ("contact", "a bridge forms when grains touch and lasts until the rupture distance"),
            ]),
            Need::Default("\"shared\""),
            "Which pairs have a bridge. The bridges share the liquid in proportion to d1 d2/(d1 + d2).",
        ),
    ],
    tag: None,
};

pub(super) static BOND: Section = Section {
    title: "[[bonds]]",
    doc: "Breakable bonds between grains, for `method = \"cd\"`: cement, glue, mortar. At the start of a stage, all touching \
          grains are bonded (those closer than 1/200 of the smaller radius), or only the given `pairs`; with `walls`, also \
          to these walls. A bond breaks when the tension exceeds its tensile strength T, or the shear force exceeds its shear \
          strength times 1 + f_n/T. Bending and twisting torques have limits of the same form. Strengths are either the \
          forces and torques that each bond can carry, or stresses: these are multiplied by the area over which two faces \
          touch (in 2D by the length of the joint and a thickness of 1 m), which is distributed over the contact points of \
          the joint. Round grains count as joined by a plug of the smaller radius r, with the area πr² (2D: 2r) and the \
          bending and twisting strengths of a round bar; angular grains that touch at a corner or along an edge are not \
          bonded by stresses. A broken bond becomes an ordinary contact.",
    keys: &[
        key("group", Kind::Text, Need::Optional, "Bond only grains of this group."),
        key(
            "pairs",
            Kind::List(&Kind::List(&Kind::Integer { min: 0, max: u32::MAX as i64 })),
            Need::Optional,
            "Bond only these pairs of grains (indices from 0), which must touch; first stage only.",
        ),
        key("walls", Kind::List(&Kind::Text), Need::Optional, "Bond grains that touch these walls to them too."),
        key("stage", Kind::Text, Need::Chosen("the first"), "The stage at whose start the bonds form."),
        key(
            "tensile_strength",
            Kind::Number(FORCE, Range::Positive),
            Need::Optional,
            "The tension at which a bond breaks.",
        ),
        key(
            "shear_strength",
            Kind::Number(FORCE, Range::Positive),
            Need::Optional,
            "The shear force at which a bond breaks.",
        ),
        key(
            "tensile_stress",
            Kind::Number(PRESSURE, Range::Positive),
            Need::Optional,
            "Instead of `tensile_strength`: the tensile stress at which a bond breaks.",
        ),
        key(
            "shear_stress",
            Kind::Number(PRESSURE, Range::Positive),
            Need::Optional,
            "Instead of `shear_strength`: the shear stress at which a bond breaks, the cohesion of a mortar joint.",
        ),
        key(
            "bending_strength",
            Kind::Number(TORQUE, Range::NotNegative),
            Need::Optional,
            "The bending torque at which a bond breaks; with 0, or without it, bonded grains roll freely on each other.",
        ),
        in_space(key(
            "twisting_strength",
            Kind::Number(TORQUE, Range::NotNegative),
            Need::Optional,
            "The twisting torque at which a bond breaks; with 0, or without it, bonded grains spin freely on each other.",
        )),
    ],
    tag: None,
};
