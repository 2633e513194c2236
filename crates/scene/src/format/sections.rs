//! The sections of what there is: domain, materials, walls, drivers and loads.

use super::grains::GRAINS;
use super::keys::{EMPTY, ZEROS, in_plane, in_space, key};
use super::laws::{BOND, LIQUID, law_keys};
use super::methods::{ACD2, MD, METHOD};
use super::openings::{GAUGE, INLET, OUTLET};
use super::running::{OUTPUTS, SOLVER, STAGE};
use super::{Fill, Key, Kind, Need, Range, Section, Tag, Variant};
use crate::units::*;

/// The whole file.
pub(crate) static ROOT: Section = Section {
    title: "The top of the file",
    doc: "These keys come before the first section.",
    keys: &[
        key("title", Kind::Text, Need::Default("\"\""), "A one-line description of the scene."),
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
            "The seed of all random numbers in the scene.",
        ),
        key("domain", Kind::Table(&DOMAIN, Fill::Defaults), EMPTY, "Gravity and periodic directions."),
        key("cell", Kind::Table(&CELL, Fill::Defaults), Need::Optional, "How the periodic cell deforms."),
        key(
            "materials",
            Kind::Named(&MATERIAL, Fill::Defaults),
            Need::Required,
            "Materials of grains and walls, with their contact laws.",
        ),
        key(
            "pairs",
            Kind::Tables(&PAIR, Fill::Defaults),
            Need::Optional,
            "Contact laws between two different materials.",
        ),
        key(
            "grains",
            Kind::Tables(&GRAINS, Fill::Defaults),
            Need::Optional,
            "The grains at the start, as one or more samples. Required unless there are inlets.",
        ),
        key("inlets", Kind::Tables(&INLET, Fill::Defaults), Need::Optional, "Where grains are fed."),
        key("outlets", Kind::Tables(&OUTLET, Fill::Defaults), Need::Optional, "Where grains leave."),
        key(
            "gauges",
            Kind::Tables(&GAUGE, Fill::Defaults),
            Need::Optional,
            "Surfaces through which the flow is measured.",
        ),
        key("walls", Kind::Tables(&WALL, Fill::Defaults), Need::Optional, "Walls; fixed unless driven."),
        key("drivers", Kind::Tables(&DRIVER, Fill::Defaults), Need::Optional, "Motion of walls."),
        key("loads", Kind::Tables(&LOAD, Fill::Defaults), Need::Optional, "External forces and torques on grains."),
        key("springs", Kind::Tables(&SPRING, Fill::Defaults), Need::Optional, "Springs between grains."),
        in_plane(key(
            "membranes",
            Kind::Tables(&MEMBRANE, Fill::Defaults),
            Need::Optional,
            "Flexible chains of grains that apply a confining pressure.",
        )),
        key("liquid", Kind::Table(&LIQUID, Fill::Defaults), Need::Optional, "Capillary liquid between grains."),
        key("bonds", Kind::Tables(&BOND, Fill::Defaults), Need::Optional, "Cemented contacts between grains."),
        key("solver", Kind::Table(&SOLVER, Fill::Defaults), EMPTY, "Numerical settings."),
        key("acd2", Kind::Table(&ACD2, Fill::Defaults), EMPTY, "Settings for A-CD²."),
        key("md", Kind::Table(&MD, Fill::Defaults), EMPTY, "Settings for molecular dynamics (soft contacts)."),
        key("stages", Kind::Tables(&STAGE, Fill::Defaults), Need::Required, "The stages of the run, in order."),
        key("outputs", Kind::Table(&OUTPUTS, Fill::Defaults), EMPTY, "Output files and intervals."),
    ],
    tag: None,
};

static DOMAIN: Section = Section {
    title: "[domain]",
    doc: "Gravity and periodic directions.",
    keys: &[
        key(
            "gravity",
            GRAVITY,
            Need::Default("9.81"),
            "A magnitude, acting downwards (-y in 2D, -z in 3D), or a vector.",
        ),
        key("tilt", Kind::Table(&TILT, Fill::Defaults), Need::Optional, "Rotates gravity over time."),
        key("ground_acceleration", GROUND, Need::Optional, GROUND_DOC),
        key("periodic", Kind::Table(&PERIODIC, Fill::Defaults), Need::Optional, "The period along each periodic axis."),
        key("origin", Kind::Vector(LENGTH), ZEROS, "The lower corner of the periodic cell."),
        in_plane(key(
            "thickness",
            Kind::Number(LENGTH, Range::Positive),
            Need::Default("1"),
            "Out-of-plane thickness of disks and walls, used for masses and pressures.",
        )),
    ],
    tag: None,
};

pub(super) const GRAVITY: Kind =
    Kind::Any(&[Kind::Number(ACCELERATION, Range::NotNegative), Kind::Vector(ACCELERATION)]);

pub(super) const GROUND: Kind = Kind::Functions(ACCELERATION);
pub(super) const GROUND_DOC: &str = "The acceleration of the ground, such as an accelerogram along each axis. The scene is then \
     described in the frame of the ground: walls stay where they are, and the opposite acceleration acts on the grains in \
     addition to gravity. A driver with an `acceleration` moves one wall instead.";

pub(super) static TILT: Section = Section {
    title: "tilt",
    doc: "Rotates gravity by an angle towards a direction, as if the whole set-up were tilted. \
          For example `tilt = { towards = [1, 0], angle = { ramp = { to = \"30 deg\", duration = \"10 s\" } } }`.",
    keys: &[
        key("towards", Kind::Vector(PLAIN), Need::Required, "A direction perpendicular to gravity."),
        key("angle", Kind::Function(ANGLE), Need::Required, "The angle from the direction of `gravity`, over time."),
    ],
    tag: None,
};

static PERIODIC: Section = Section {
    title: "periodic",
    doc: "Periodic boundaries: grains that leave on one side re-enter on the other. A period must be at least twice the \
          largest diameter. Without it, grains from a snapshot bring the periodic cell that they were in. \
          For example `periodic = { x = \"40 mm\" }`.",
    keys: &[
        key("x", Kind::Number(LENGTH, Range::Positive), Need::Optional, "The period along x."),
        key("y", Kind::Number(LENGTH, Range::Positive), Need::Optional, "The period along y."),
        in_space(key("z", Kind::Number(LENGTH, Range::Positive), Need::Optional, "The period along z.")),
        key(
            "shift",
            Kind::Number(LENGTH, Range::Any),
            Need::Default("0"),
            "How far the image one period up the last axis is shifted along x, as in a cell that was sheared; for grains \
             from snapshots only.",
        ),
    ],
    tag: None,
};

pub(super) static CELL: Section = Section {
    title: "[cell]",
    doc: "Deformation of a periodic cell. Along each periodic axis, the length of the cell is either fixed, strained at a \
          given rate, or adjusts until the stress along that axis equals a given pressure. The cell can also be sheared. \
          Grains move with the cell: its velocity gradient is added to the relative velocity of every contact. This \
          requires contact dynamics, no loads, springs or membranes, no gravity along the axes that deform, and no walls \
          other than planes parallel to these axes. A `cell` in a stage replaces the previous one entirely and stays in \
          force in later stages. For example `[cell]` with \
          `x = { pressure = \"10 kPa\" }` and `y = { rate = \"-0.1 1/s\" }`.",
    keys: &[
        key("x", CELL_STRETCH, Need::Optional, "Control of the length along x; fixed if omitted."),
        key("y", CELL_STRETCH, Need::Optional, "As `x`, along y."),
        in_space(key("z", CELL_STRETCH, Need::Optional, "As `x`, along z.")),
        key(
            "shear",
            Kind::Function(FREQUENCY),
            Need::Optional,
            "The shear rate: the gradient of the x velocity along the vertical axis (y in 2D, z in 3D).",
        ),
        key(
            "mass",
            Kind::Number(PLAIN, Range::Positive),
            Need::Default("1"),
            "Inertia of the cell under pressure control, in units of `m L²/12` with the total grain mass `m` and the length \
             `L` of the cell.",
        ),
    ],
    tag: None,
};

const CELL_STRETCH: Kind = Kind::OneOf(&[
    key("rate", Kind::Function(FREQUENCY), Need::Optional, "The strain rate; negative in compression."),
    key("pressure", Kind::Function(PRESSURE), Need::Optional, "The target stress, positive in compression."),
]);

pub(super) static MATERIAL: Section = Section {
    title: "[materials.NAME]",
    doc: "A material and the law of contacts between bodies made of it. For two different materials without an entry in \
          `[[pairs]]`, friction is the geometric mean (so a frictionless material makes the pair frictionless) and \
          restitution the smaller of the two values. Rolling and torsion friction, adhesion and cohesion are geometric \
          means if both materials specify them in the same way; otherwise they are absent. `friction` sets both the \
          static and the dynamic coefficient; if only one of the two is given, it is used for both. \
          [laws.md](laws.md) shows a plot of every law.",
    keys: &law_keys(
        key(
            "density",
            Kind::Number(DENSITY, Range::Positive),
            Need::Optional,
            "Required if any grains are made of this material.",
        ),
        Need::Default("0"),
    ),
    tag: None,
};

pub(super) static PAIR: Section = Section {
    title: "[[pairs]]",
    doc: "The contact law between two materials. Keys that are omitted follow the mixing rules of `[materials.NAME]`.",
    keys: &law_keys(
        key("materials", Kind::List(&Kind::Text), Need::Required, "The names of the two materials."),
        Need::Optional,
    ),
    tag: None,
};

static WALL: Section = Section {
    title: "[[walls]]",
    doc: "Walls are bodies of infinite mass that stay fixed unless a driver moves them. Two walls that leave no room for \
          grains between them are an error.",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name that drivers, stages and outputs use for the wall."),
        key("material", Kind::Text, Need::Chosen("the only material, if there is just one"), "The material."),
        key(
            "absent",
            Kind::Bool,
            Need::Default("false"),
            "The wall is absent until a stage restores it; until then, grains pass freely.",
        ),
    ],
    tag: Some(Tag {
        key: "shape",
        doc: "The shape of the wall.",
        variants: &[
            Variant {
                name: "plane",
                alias: "line",
                doc: "An infinite plane (a line in 2D); grains are on the side its normal points to.",
                keys: &[&[
                    key("point", Kind::Vector(LENGTH), Need::Required, "A point on the plane."),
                    key(
                        "normal",
                        Kind::Vector(PLAIN),
                        Need::Required,
                        "A vector of any length that points towards the grains.",
                    ),
                ]],
            },
            Variant {
                name: "plate",
                alias: "segment",
                doc: "A thin rectangle (a segment in 2D), solid on both sides. Give either `corners`, or `centre` and \
                      `half_edges`.",
                keys: &[&[
                    key(
                        "corners",
                        Kind::List(&Kind::Vector(LENGTH)),
                        Need::Optional,
                        "In 2D the two ends; in 3D one corner and its two neighbours.",
                    ),
                    key("centre", Kind::Vector(LENGTH), Need::Optional, "The centre."),
                    key(
                        "half_edges",
                        Kind::List(&Kind::Vector(LENGTH)),
                        Need::Optional,
                        "Vectors from the centre to the midpoints of adjacent edges: one in 2D, two in 3D.",
                    ),
                    PIVOT,
                ]],
            },
            Variant {
                name: "box",
                alias: "",
                doc: "A container made of planes named NAME.left and NAME.right (along x), NAME.front and NAME.back \
                      (along y, in 3D), NAME.bottom and NAME.top (along y in 2D, z in 3D). Sides perpendicular to a \
                      periodic axis are omitted.",
                keys: &[&[
                    key("lower", Kind::Vector(LENGTH), Need::Required, "The lower corner."),
                    key("upper", Kind::Vector(LENGTH), Need::Required, "The upper corner."),
                    key(
                        "open",
                        Kind::List(&Kind::Choice(&[
                            ("left", "lower x"),
                            ("right", "upper x"),
                            ("front", "lower y, in 3D"),
                            ("back", "upper y, in 3D"),
                            ("bottom", "lower side"),
                            ("top", "upper side"),
                        ])),
                        Need::Default("[]"),
                        "Sides to leave out.",
                    ),
                ]],
            },
            Variant {
                name: "drum",
                alias: "silo",
                doc: "A hollow cylinder (a circle in 2D) with the grains inside. In 3D it has no end caps: close it with \
                      planes, or make its axis periodic.",
                keys: &[ROUND],
            },
            Variant {
                name: "rod",
                alias: "",
                doc: "A solid cylinder (a disk in 2D) with the grains outside. In 3D it is infinitely long.",
                keys: &[ROUND],
            },
            Variant {
                name: "block",
                alias: "",
                doc: "A convex body, the hull of its corners; its centre is the centre of mass.",
                keys: &[&[key("corners", Kind::List(&Kind::Vector(LENGTH)), Need::Required, "The corners."), PIVOT]],
            },
            Variant {
                name: "mesh",
                alias: "",
                doc: "A triangulated surface (a polyline in 2D), solid on both sides. In 3D it is read from an STL or OBJ \
                      file, or given by `vertices` and `faces`; in 2D it is given by `vertices`, joined in order.",
                keys: &[&[
                    in_space(key("path", Kind::Text, Need::Optional, "The file, relative to the folder of the scene.")),
                    key(
                        "scale",
                        Kind::Number(PLAIN, Range::Positive),
                        Need::Default("1"),
                        "Scale factor for all vertices: metres per length unit of the file.",
                    ),
                    key("vertices", Kind::List(&Kind::Vector(LENGTH)), Need::Optional, "The corners."),
                    in_space(key(
                        "faces",
                        Kind::List(&Kind::List(&Kind::Integer { min: 0, max: u32::MAX as i64 })),
                        Need::Optional,
                        "The vertices of each triangle or convex polygon, numbered from 0.",
                    )),
                    in_plane(key("closed", Kind::Bool, Need::Default("false"), "Join the last vertex to the first.")),
                    key(
                        "centre",
                        Kind::Vector(LENGTH),
                        ZEROS,
                        "Position of the mesh's origin, and centre of rotation.",
                    ),
                ]],
            },
        ],
    }),
};

const ROUND: &[Key] = &[
    key("centre", Kind::Vector(LENGTH), Need::Required, "A point on the axis, and centre of rotation."),
    key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius."),
    in_space(key("axis", Kind::Vector(PLAIN), Need::Required, "A vector of any length along the axis.")),
];

pub(super) static DRIVER: Section = Section {
    title: "[[drivers]]",
    doc: "The motion of one wall. Along each axis the wall has either an imposed velocity, acceleration or displacement, or an \
          imposed force or pressure under which it accelerates according to its mass. It is fixed along axes that are omitted. Gravity does not act \
          on walls, unless they are hinged: an imposed force is the total external force. Top-level drivers act from the start of the run. A \
          driver stays in force until a later stage has another driver for the same wall or releases it.",
    keys: &[
        key("wall", Kind::Text, Need::Required, "The name of the wall; the sides of a box are NAME.top etc."),
        key(
            "on",
            Kind::Text,
            Need::Optional,
            "The wall that carries this one, as if it were fixed to it. The motions of this driver come on top of that, along \
             and about axes that turn with the carrier. A rotation under a torque is not carried: only its pivot is. The \
             motion of the carrier itself must be imposed.",
        ),
        key("x", FREEDOM, Need::Optional, "The motion along x."),
        key("y", FREEDOM, Need::Optional, "The motion along y."),
        in_space(key("z", FREEDOM, Need::Optional, "The motion along z.")),
        key(
            "rotation",
            Kind::Table(&ROTATION, Fill::Defaults),
            Need::Optional,
            "The rotation about the wall's point, centre or `pivot`.",
        ),
        key(
            "mass",
            Kind::Number(MASS, Range::Positive),
            Need::Chosen("the mass of all grains, if a force or pressure is imposed"),
            "The mass of the wall under an imposed force or pressure.",
        ),
        key(
            "area",
            Kind::Number(AREA, Range::Positive),
            Need::Chosen("from the current wall distances or periods perpendicular to the axis"),
            "The area on which a pressure acts.",
        ),
    ],
    tag: None,
};

const FREEDOM: Kind = Kind::OneOf(&[
    key("velocity", Kind::Function(VELOCITY), Need::Optional, "Imposed velocity along the axis."),
    key(
        "acceleration",
        Kind::Function(ACCELERATION),
        Need::Optional,
        "Imposed acceleration along the axis, from rest at the start of the stage, such as an accelerogram. The velocity is \
         its exact integral; a drift of the baseline is reported and not corrected.",
    ),
    key(
        "displacement",
        Kind::Function(LENGTH),
        Need::Optional,
        "Imposed displacement along the axis since the start of the stage, such as the settlement of a support. A value \
         other than 0 at the start is a shift that is not made.",
    ),
    key("force", Kind::Function(FORCE), Need::Optional, "Imposed force along the axis."),
    key(
        "pressure",
        Kind::Function(PRESSURE),
        Need::Optional,
        "Imposed pressure; a positive value pushes the wall (a plane) along its normal, towards the grains.",
    ),
]);

static ROTATION: Section = Section {
    title: "rotation",
    doc: "An imposed `velocity` or `angle`; or a motor, which aims at a `velocity` with a `largest_torque`; or a `torque`; or a \
          `hinge`, on which the wall turns freely under its weight and the forces of the grains, and under a torque or a \
          motor if there is one. A motor that aims at 0 is a brake, or the friction of a hinge. For example \
          `rotation = { velocity = \"10 rpm\" }`, \
          `rotation = { velocity = \"10 rpm\", largest_torque = \"50 N m\", inertia = 0.8 }`, \
          `rotation = { angle = { sine = { amplitude = \"20 deg\", frequency = \"2 Hz\" } } }`.",
    keys: &[
        in_space(key(
            "axis",
            Kind::Vector(PLAIN),
            Need::Chosen("the axis of a drum or rod"),
            "A vector of any length along the axis.",
        )),
        key("velocity", Kind::Function(ANGULAR_VELOCITY), Need::Optional, "Imposed angular velocity."),
        key(
            "angle",
            Kind::Function(ANGLE),
            Need::Optional,
            "Imposed angle since the start of the stage. A value other than 0 at the start is a turn that is not made.",
        ),
        key("torque", Kind::Function(TORQUE), Need::Optional, "Imposed torque; in 3D, about x, y or z only."),
        key(
            "largest_torque",
            Kind::Number(TORQUE, Range::Positive),
            Need::Optional,
            "The largest torque with which a motor holds its `velocity`; where that is too little, the wall turns by its \
             inertia. In 3D, about x, y or z only; not available with `md`.",
        ),
        key(
            "inertia",
            Kind::Number(INERTIA, Range::Positive),
            Need::Optional,
            "The moment of inertia of a wall under a torque or a motor.",
        ),
        key(
            "hinge",
            Kind::Table(&HINGE, Fill::Nothing),
            Need::Optional,
            "The wall is hinged at its pivot; in 3D, about x, y or z only.",
        ),
    ],
    tag: None,
};

static HINGE: Section = Section {
    title: "hinge",
    doc: "What hangs on the hinge. A `block` whose material has a density needs none of these keys: `hinge = {}`.",
    keys: &[
        key("mass", Kind::Number(MASS, Range::Positive), Need::Optional, "The mass."),
        key(
            "centre_of_mass",
            Kind::Vector(LENGTH),
            Need::Optional,
            "Where the centre of mass is at the start of the run.",
        ),
        key(
            "inertia",
            Kind::Number(INERTIA, Range::Positive),
            Need::Optional,
            "The moment of inertia about the axis of the hinge.",
        ),
    ],
    tag: None,
};

const PIVOT: Key = key(
    "pivot",
    Kind::Vector(LENGTH),
    Need::Chosen("the centre"),
    "The point about which the wall rotates, and at which it is hinged.",
);

static SPRING: Section = Section {
    title: "[[springs]]",
    doc: "A spring between the centres of two grains, in tension and compression; available with every method.",
    keys: &[
        key(
            "grains",
            Kind::List(&Kind::Integer { min: 0, max: u32::MAX as i64 }),
            Need::Required,
            "The indices of the two grains, counted from 0.",
        ),
        key("stiffness", Kind::Number(STIFFNESS, Range::Positive), Need::Required, "Force per change of length."),
        key(
            "rest_length",
            Kind::Number(LENGTH, Range::NotNegative),
            Need::Optional,
            "The unstressed length; if omitted, the distance between centres at touch.",
        ),
    ],
    tag: None,
};

static MEMBRANE: Section = Section {
    title: "[[membranes]]",
    doc: "A flexible membrane: the grains of a group form a chain, in index order. The pressure acts perpendicular to each \
          link between two neighbours, on the length of the link times the domain thickness. With a `stiffness`, \
          neighbours are also joined by springs; without one, only their contacts hold them together. Membranes are \
          available with all three methods: contact dynamics and A-CD² evaluate the force at mid-step, molecular dynamics \
          in every integration step. For example, the left side of a biaxial test: \
          `[[membranes]]` with `group = \"left\"`, `towards = [1, 0]`, `pressure = \"10 kPa\"`, `stiffness = \"50 kN/m\"`.",
    keys: &[
        key("group", Kind::Text, Need::Required, "The group of grains that forms the chain."),
        key("towards", Kind::Vector(PLAIN), Need::Required, "The direction in which the pressure pushes."),
        key("pressure", Kind::Function(PRESSURE), Need::Required, "The pressure over time."),
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::NotNegative),
            Need::Default("0"),
            "The stiffness of the springs between neighbours.",
        ),
        key(
            "rest_length",
            Kind::Number(LENGTH, Range::Positive),
            Need::Optional,
            "The unstressed length of these springs; if omitted, the distance between centres at touch.",
        ),
        key(
            "stage",
            Kind::Text,
            Need::Optional,
            "The stage at whose start the membrane begins to act and its time starts; the first if omitted.",
        ),
    ],
    tag: None,
};

pub(super) static LOAD: Section = Section {
    title: "[[loads]]",
    doc: "A force and a torque on each selected grain: all grains, unless `group` or `grain` is given. Or a percussion: an \
          `impulse` at a `time`, such as the blow of a hammer. With `cd` and `acd2` it acts as a whole in the step during \
          which that time comes; with `md`, spread over that step.",
    keys: &[
        key("group", Kind::Text, Need::Optional, "Select the grains of this group."),
        key(
            "grain",
            Kind::Integer { min: 0, max: u32::MAX as i64 },
            Need::Optional,
            "Select one grain by its index, counted from 0.",
        ),
        key("force", Kind::Functions(FORCE), Need::Optional, "The force on each grain, for example `[\"2 mN\", 0]`."),
        key("torque", Kind::SpinFunctions(TORQUE), Need::Optional, "The torque on each grain; a single value in 2D."),
        key(
            "impulse",
            Kind::Vector(IMPULSE),
            Need::Optional,
            "Instead of force and torque: the impulse on each grain, for example `[\"2 N s\", 0]`.",
        ),
        key(
            "time",
            Kind::Number(TIME, Range::NotNegative),
            Need::Optional,
            "When the impulse acts: since the start of the run or, in a stage, of the stage.",
        ),
        key(
            "arm",
            Kind::Vector(LENGTH),
            Need::Optional,
            "From the centre of mass of the grain to the point that the impulse strikes; if omitted, the centre.",
        ),
    ],
    tag: None,
};
