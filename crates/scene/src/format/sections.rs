//! The sections of what there is: domain, materials, walls, drivers and loads.

use super::grains::GRAINS;
use super::keys::{EMPTY, ZEROS, in_plane, in_space, key};
use super::laws::{BOND, LIQUID, law_keys};
use super::methods::{ACD2, MD, METHOD};
use super::running::{OUTPUTS, SOLVER, STAGE};
use super::{Fill, Key, Kind, Need, Range, Section, Tag, Variant};
use crate::units::*;

/// The whole file.
pub(crate) static ROOT: Section = Section {
    title: "The top of the file",
    doc: "These keys stand before the first section.",
    keys: &[
        key("title", Kind::Text, Need::Default("\"\""), "A line that tells people what the scene is."),
        key(
            "dimension",
            Kind::Integer { min: 2, max: 3 },
            Need::Required,
            "2 for disks and polygons, 3 for spheres and polyhedra.",
        ),
        METHOD,
        key(
            "seed",
            Kind::Integer { min: 0, max: i64::MAX },
            Need::Default("1"),
            "Everything random in the scene follows from this number.",
        ),
        key("domain", Kind::Table(&DOMAIN, Fill::Defaults), EMPTY, "Gravity and periodic directions."),
        key("cell", Kind::Table(&CELL, Fill::Defaults), Need::Optional, "How the periodic cell deforms."),
        key("materials", Kind::Named(&MATERIAL, Fill::Defaults), Need::Required, "What grains and walls are made of."),
        key("pairs", Kind::Tables(&PAIR, Fill::Defaults), Need::Optional, "Laws between two different materials."),
        key("grains", Kind::Tables(&GRAINS, Fill::Defaults), Need::Required, "Samples of grains."),
        key("walls", Kind::Tables(&WALL, Fill::Defaults), Need::Optional, "Walls; they stand still unless driven."),
        key("drivers", Kind::Tables(&DRIVER, Fill::Defaults), Need::Optional, "How walls move."),
        key("loads", Kind::Tables(&LOAD, Fill::Defaults), Need::Optional, "Forces and torques on grains."),
        key("springs", Kind::Tables(&SPRING, Fill::Defaults), Need::Optional, "Springs between grains."),
        in_plane(key(
            "membranes",
            Kind::Tables(&MEMBRANE, Fill::Defaults),
            Need::Optional,
            "Chains of grains that hold a pressure.",
        )),
        key("liquid", Kind::Table(&LIQUID, Fill::Defaults), Need::Optional, "Liquid between grains."),
        key("bonds", Kind::Tables(&BOND, Fill::Defaults), Need::Optional, "Grains glued to each other."),
        key("solver", Kind::Table(&SOLVER, Fill::Defaults), EMPTY, "Numerical choices."),
        key("acd2", Kind::Table(&ACD2, Fill::Defaults), EMPTY, "Percussions, for A-CD²."),
        key("md", Kind::Table(&MD, Fill::Defaults), EMPTY, "Soft contacts, for molecular dynamics."),
        key("stages", Kind::Tables(&STAGE, Fill::Defaults), Need::Required, "What happens, one stage after the other."),
        key("outputs", Kind::Table(&OUTPUTS, Fill::Defaults), EMPTY, "What is written, and how often."),
    ],
    tag: None,
};

static DOMAIN: Section = Section {
    title: "[domain]",
    doc: "Gravity and periodic directions.",
    keys: &[
        key("gravity", GRAVITY, Need::Default("9.81"), "A number acts downwards (-y in 2D, -z in 3D); or a vector."),
        key("tilt", Kind::Table(&TILT, Fill::Defaults), Need::Optional, "Turns gravity with time."),
        key(
            "periodic",
            Kind::Table(&PERIODIC, Fill::Defaults),
            Need::Optional,
            "The length of a period along each periodic axis.",
        ),
        key("origin", Kind::Vector(LENGTH), ZEROS, "The lower corner of the periodic cell."),
        in_plane(key(
            "thickness",
            Kind::Number(LENGTH, Range::Positive),
            Need::Default("1"),
            "How thick disks and walls are, for masses and pressures.",
        )),
    ],
    tag: None,
};

pub(super) const GRAVITY: Kind =
    Kind::Any(&[Kind::Number(ACCELERATION, Range::NotNegative), Kind::Vector(ACCELERATION)]);

pub(super) static TILT: Section = Section {
    title: "tilt",
    doc: "Gravity turned by an angle towards a direction, as if the whole set-up were tilted. \
          For example `tilt = { towards = [1, 0], angle = { ramp = { to = \"30 deg\", duration = \"10 s\" } } }`.",
    keys: &[
        key("towards", Kind::Vector(PLAIN), Need::Required, "A direction perpendicular to gravity."),
        key("angle", Kind::Function(ANGLE), Need::Required, "The angle from gravity as given, over time."),
    ],
    tag: None,
};

static PERIODIC: Section = Section {
    title: "periodic",
    doc: "What leaves on one side enters on the other. A period must hold at least two of the largest diameters. \
          For example `periodic = { x = \"40 mm\" }`.",
    keys: &[
        key("x", Kind::Number(LENGTH, Range::Positive), Need::Optional, "The period along x."),
        key("y", Kind::Number(LENGTH, Range::Positive), Need::Optional, "The period along y."),
        in_space(key("z", Kind::Number(LENGTH, Range::Positive), Need::Optional, "The period along z.")),
    ],
    tag: None,
};

pub(super) static CELL: Section = Section {
    title: "[cell]",
    doc: "The deformation of a periodic cell. Along each periodic axis its length is kept, stretched at a rate, or gives \
          way until the stress along the axis is the pressure; and it may be sheared. The grains are carried along: the \
          relative velocity of every contact gains what the cell moves its grains apart. It is for contact dynamics, \
          without gravity, loads and springs along the axes that deform, and walls may only be planes along these axes. A \
          cell holds until that of a later stage, which replaces all of it. For example `[cell]` with \
          `x = { pressure = \"10 kPa\" }` and `y = { rate = \"-0.1 1/s\" }`.",
    keys: &[
        key("x", STRETCH, Need::Optional, "What rules its length along x; if not given, it is kept."),
        key("y", STRETCH, Need::Optional, "The same along y."),
        in_space(key("z", STRETCH, Need::Optional, "The same along z.")),
        key(
            "shear",
            Kind::Function(FREQUENCY),
            Need::Optional,
            "The rate of shear: how the velocity along x grows upwards, along y in 2D and z in 3D.",
        ),
        key(
            "mass",
            Kind::Number(PLAIN, Range::Positive),
            Need::Default("1"),
            "How heavily it answers to pressures, in units of `m L²/12` with the mass `m` of all grains and its length `L`.",
        ),
    ],
    tag: None,
};

const STRETCH: Kind = Kind::OneOf(&[
    key("rate", Kind::Function(FREQUENCY), Need::Optional, "The rate of stretching; negative is compression."),
    key(
        "pressure",
        Kind::Function(PRESSURE),
        Need::Optional,
        "The stress that it gives way to, positive in compression.",
    ),
]);

pub(super) static MATERIAL: Section = Section {
    title: "[materials.NAME]",
    doc: "A material, and its law with itself. Two different materials without an entry in `[[pairs]]` have the \
          geometric mean of their frictions (a frictionless material makes the pair frictionless) and the smaller of \
          their restitutions (the duller material decides); rolling and torsion friction, adhesion and cohesion are \
          geometric means where both materials give them in the same way, else there are none. `friction` stands for \
          both frictions, and so does one of them alone. The graph of every law is drawn in [laws.md](laws.md).",
    keys: &law_keys(
        key("density", Kind::Number(DENSITY, Range::Positive), Need::Optional, "Needed if grains are made of it."),
        Need::Default("0"),
    ),
    tag: None,
};

pub(super) static PAIR: Section = Section {
    title: "[[pairs]]",
    doc: "The law between two materials. What is not given follows the rule of `[materials.NAME]`.",
    keys: &law_keys(
        key("materials", Kind::List(&Kind::Text), Need::Required, "The names of the two materials."),
        Need::Optional,
    ),
    tag: None,
};

static WALL: Section = Section {
    title: "[[walls]]",
    doc: "Walls are bodies of infinite mass that stand still unless a driver moves them. Two walls that leave no room \
          for grains between them are a fault.",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name by which drivers, stages and outputs know the wall."),
        key("material", Kind::Text, Need::Chosen("the only one"), "The material."),
    ],
    tag: Some(Tag {
        key: "shape",
        doc: "The shape.",
        variants: &[
            Variant {
                name: "plane",
                alias: "line",
                doc: "An endless plane (in 2D a line); grains are on the side of its normal.",
                keys: &[&[
                    key("point", Kind::Vector(LENGTH), Need::Required, "A point on it."),
                    key("normal", Kind::Vector(PLAIN), Need::Required, "A vector towards the grains, of any length."),
                ]],
            },
            Variant {
                name: "plate",
                alias: "segment",
                doc: "A thin rectangle (in 2D a segment), solid from both sides. Either `corners`, or `centre` and \
                      `half_edges`.",
                keys: &[&[
                    key(
                        "corners",
                        Kind::List(&Kind::Vector(LENGTH)),
                        Need::Optional,
                        "In 2D both ends; in 3D a corner and the two corners next to it.",
                    ),
                    key("centre", Kind::Vector(LENGTH), Need::Optional, "The middle."),
                    key(
                        "half_edges",
                        Kind::List(&Kind::Vector(LENGTH)),
                        Need::Optional,
                        "Vectors from the middle to the middles of the edges: one in 2D, two in 3D.",
                    ),
                ]],
            },
            Variant {
                name: "box",
                alias: "",
                doc: "A container of planes named NAME.left and NAME.right (at the ends of x), NAME.front and \
                      NAME.back (y, in 3D), NAME.bottom and NAME.top (y in 2D, z in 3D). Sides across a periodic axis \
                      are left out.",
                keys: &[&[
                    key("lower", Kind::Vector(LENGTH), Need::Required, "The lower corner."),
                    key("upper", Kind::Vector(LENGTH), Need::Required, "The upper corner."),
                    key(
                        "open",
                        Kind::List(&Kind::Choice(&[
                            ("left", "at the lower x"),
                            ("right", "at the upper x"),
                            ("front", "at the lower y, in 3D"),
                            ("back", "at the upper y, in 3D"),
                            ("bottom", "the lower side"),
                            ("top", "the upper side"),
                        ])),
                        Need::Default("[]"),
                        "The sides that are missing.",
                    ),
                ]],
            },
            Variant {
                name: "drum",
                alias: "silo",
                doc: "A cylinder (in 2D a circle) seen from inside. In 3D it has no ends: close it with planes, or \
                      make its axis periodic.",
                keys: &[ROUND],
            },
            Variant {
                name: "rod",
                alias: "",
                doc: "A cylinder (in 2D a circle) seen from outside. In 3D it has no ends.",
                keys: &[ROUND],
            },
            Variant {
                name: "block",
                alias: "",
                doc: "A convex body, the hull of its corners; it turns about its centre of mass.",
                keys: &[&[key("corners", Kind::List(&Kind::Vector(LENGTH)), Need::Required, "The corners.")]],
            },
            Variant {
                name: "mesh",
                alias: "",
                doc: "A surface of triangles (in 2D a line of segments), solid from both sides. In 3D from an STL or \
                      OBJ file, or by `vertices` and `faces`; in 2D by `vertices`, which are joined one after the other.",
                keys: &[&[
                    in_space(key("path", Kind::Text, Need::Optional, "The file, seen from the folder of the scene.")),
                    key(
                        "scale",
                        Kind::Number(PLAIN, Range::Positive),
                        Need::Default("1"),
                        "Factor on every vertex; metres in the file's unit of length.",
                    ),
                    key("vertices", Kind::List(&Kind::Vector(LENGTH)), Need::Optional, "The corners."),
                    in_space(key(
                        "faces",
                        Kind::List(&Kind::List(&Kind::Integer { min: 0, max: u32::MAX as i64 })),
                        Need::Optional,
                        "The corners of each triangle or convex polygon, counted from 0.",
                    )),
                    in_plane(key("closed", Kind::Bool, Need::Default("false"), "Join the last vertex to the first.")),
                    key("centre", Kind::Vector(LENGTH), ZEROS, "Where its origin is; it turns about this point."),
                ]],
            },
        ],
    }),
};

const ROUND: &[Key] = &[
    key("centre", Kind::Vector(LENGTH), Need::Required, "A point on the axis; it turns about this point."),
    key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius."),
    in_space(key("axis", Kind::Vector(PLAIN), Need::Required, "The direction of the axis, of any length.")),
];

pub(super) static DRIVER: Section = Section {
    title: "[[drivers]]",
    doc: "The motion of one wall. Along each axis it has an imposed velocity, or an imposed force or pressure under \
          which it moves by its mass; along axes that are not given it stands still. Gravity does not act on walls: an \
          imposed force is the whole force from outside. Drivers at the top level hold from the start of the run. A \
          driver holds until another one for the same wall, or `release`, in a later stage.",
    keys: &[
        key("wall", Kind::Text, Need::Required, "The wall; the sides of a box are NAME.top and so on."),
        key("x", FREEDOM, Need::Optional, "The motion along x."),
        key("y", FREEDOM, Need::Optional, "The motion along y."),
        in_space(key("z", FREEDOM, Need::Optional, "The motion along z.")),
        key(
            "rotation",
            Kind::Table(&ROTATION, Fill::Defaults),
            Need::Optional,
            "The rotation about its point or centre.",
        ),
        key(
            "mass",
            Kind::Number(MASS, Range::Positive),
            Need::Chosen("the mass of all grains, if a force or pressure is imposed"),
            "The mass by which the wall moves under a force.",
        ),
        key(
            "area",
            Kind::Number(AREA, Range::Positive),
            Need::Chosen("the distances of the walls or the periods across the axis, as they are at each time"),
            "The area that a pressure acts on.",
        ),
    ],
    tag: None,
};

const FREEDOM: Kind = Kind::OneOf(&[
    key("velocity", Kind::Function(VELOCITY), Need::Optional, "Imposed velocity along the axis."),
    key("force", Kind::Function(FORCE), Need::Optional, "Imposed force along the axis."),
    key(
        "pressure",
        Kind::Function(PRESSURE),
        Need::Optional,
        "Imposed pressure; a positive one pushes the wall (a plane) along its normal, towards the grains.",
    ),
]);

static ROTATION: Section = Section {
    title: "rotation",
    doc: "Either `velocity`, or `torque` and `inertia`. For example `rotation = { velocity = \"10 rpm\" }`.",
    keys: &[
        in_space(key(
            "axis",
            Kind::Vector(PLAIN),
            Need::Chosen("the axis of a drum or rod"),
            "The axis, of any length.",
        )),
        key("velocity", Kind::Function(ANGULAR_VELOCITY), Need::Optional, "Imposed angular velocity."),
        key("torque", Kind::Function(TORQUE), Need::Optional, "Imposed torque; in 3D about x, y or z only."),
        key("inertia", Kind::Number(INERTIA, Range::Positive), Need::Optional, "The moment of inertia under a torque."),
    ],
    tag: None,
};

static SPRING: Section = Section {
    title: "[[springs]]",
    doc: "A spring between the centres of two grains; it pulls and pushes, under every method.",
    keys: &[
        key(
            "grains",
            Kind::List(&Kind::Integer { min: 0, max: u32::MAX as i64 }),
            Need::Required,
            "Two grains, counted from 0.",
        ),
        key("stiffness", Kind::Number(STIFFNESS, Range::Positive), Need::Required, "Force over change of length."),
        key(
            "rest_length",
            Kind::Number(LENGTH, Range::NotNegative),
            Need::Optional,
            "The length without force; their distance when they touch if not given.",
        ),
    ],
    tag: None,
};

static MEMBRANE: Section = Section {
    title: "[[membranes]]",
    doc: "A flexible membrane: the grains of a group, in the order of their numbers, are a chain. Each piece between two \
          neighbours carries the pressure on its length times the domain's thickness, at a right angle to it. With a \
          stiffness, neighbours are joined by springs; without, only contacts hold them. All three methods have it: \
          contact dynamics and A-CD² take its force at the middle of a step, molecular dynamics in every short step. For \
          example the left side of a biaxial test: \
          `[[membranes]]` with `group = \"left\"`, `towards = [1, 0]`, `pressure = \"10 kPa\"`, `stiffness = \"50 kN/m\"`.",
    keys: &[
        key("group", Kind::Text, Need::Required, "The group of grains that are the chain."),
        key("towards", Kind::Vector(PLAIN), Need::Required, "A direction to the side that the pressure pushes to."),
        key("pressure", Kind::Function(PRESSURE), Need::Required, "The pressure over time."),
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::NotNegative),
            Need::Default("0"),
            "Of the springs between neighbours.",
        ),
        key(
            "rest_length",
            Kind::Number(LENGTH, Range::Positive),
            Need::Optional,
            "Length of these springs without force; the distance of touching grains if not given.",
        ),
        key(
            "stage",
            Kind::Text,
            Need::Optional,
            "The stage in which it begins to act, and its time begins; the first if not given.",
        ),
    ],
    tag: None,
};

pub(super) static LOAD: Section = Section {
    title: "[[loads]]",
    doc: "A force and a torque on each of some grains: on all of them unless `group` or `grain` is given.",
    keys: &[
        key("group", Kind::Text, Need::Optional, "On the grains of this group."),
        key("grain", Kind::Integer { min: 0, max: u32::MAX as i64 }, Need::Optional, "On one grain, counted from 0."),
        key("force", Kind::Functions(FORCE), Need::Optional, "The force on each, for example `[\"2 mN\", 0]`."),
        key("torque", Kind::SpinFunctions(TORQUE), Need::Optional, "The torque on each; in 2D one value."),
    ],
    tag: None,
};
