//! Every section and key of a scene.

use super::{Fill, Key, Kind, Need, Only, Range, Section, Tag, Variant};
use crate::units::*;

const fn key(name: &'static str, kind: Kind, need: Need, doc: &'static str) -> Key {
    Key { name, kind, need, only: Only::Both, doc }
}

const fn in_plane(key: Key) -> Key {
    Key { only: Only::Plane, ..key }
}

const fn in_space(key: Key) -> Key {
    Key { only: Only::Space, ..key }
}

const ZEROS: Need = Need::ByDimension("[0, 0]", "[0, 0, 0]");
/// A section that is there, with its defaults, even if nothing of it is written.
const EMPTY: Need = Need::Default("{}");
const AXES: Kind = Kind::Choice(&[("x", "along x"), ("y", "along y"), ("z", "along z, in 3D")]);

/// The whole file.
pub(crate) static ROOT: Section = Section {
    title: "The top of the file",
    doc: "These keys stand before the first section.",
    keys: &[
        key("title", Kind::Text, Need::Default("\"\""), "A line that tells people what the scene is."),
        key("dimension", Kind::Integer { min: 2, max: 3 }, Need::Required, "2 for disks, 3 for spheres."),
        key(
            "seed",
            Kind::Integer { min: 0, max: i64::MAX },
            Need::Default("1"),
            "Everything random in the scene follows from this number.",
        ),
        key("domain", Kind::Table(&DOMAIN, Fill::Defaults), EMPTY, "Gravity and periodic directions."),
        key("materials", Kind::Named(&MATERIAL, Fill::Defaults), Need::Required, "What grains and walls are made of."),
        key("pairs", Kind::Tables(&PAIR, Fill::Defaults), Need::Optional, "Laws between two different materials."),
        key("grains", Kind::Tables(&GRAINS, Fill::Defaults), Need::Required, "Samples of grains."),
        key("walls", Kind::Tables(&WALL, Fill::Defaults), Need::Optional, "Walls; they stand still unless driven."),
        key("drivers", Kind::Tables(&DRIVER, Fill::Defaults), Need::Optional, "How walls move."),
        key("loads", Kind::Tables(&LOAD, Fill::Defaults), Need::Optional, "Forces and torques on grains."),
        key("solver", Kind::Table(&SOLVER, Fill::Defaults), EMPTY, "Numerical choices."),
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

const GRAVITY: Kind = Kind::Any(&[Kind::Number(ACCELERATION, Range::NotNegative), Kind::Vector(ACCELERATION)]);

static TILT: Section = Section {
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

static MATERIAL: Section = Section {
    title: "[materials.NAME]",
    doc: "A material, and its law with itself. Two different materials without an entry in `[[pairs]]` have the \
          geometric mean of their frictions (a frictionless material makes the pair frictionless) and the smaller of \
          their restitutions (the duller material decides). `friction` stands for both frictions.",
    keys: &[
        key("density", Kind::Number(DENSITY, Range::Positive), Need::Optional, "Needed if grains are made of it."),
        key("friction", FRICTION, Need::Optional, "Coulomb's coefficient, at rest and sliding."),
        key("static_friction", FRICTION, Need::Optional, "Of contacts that did not slide in the last step."),
        key("dynamic_friction", FRICTION, Need::Optional, "Of contacts that slid in the last step."),
        key("normal_restitution", NORMAL_RESTITUTION, Need::Default("0"), "`e_n`: rebound speed over impact speed."),
        key("tangential_restitution", TANGENTIAL_RESTITUTION, Need::Default("0"), "`e_t`."),
    ],
    tag: None,
};

const FRICTION: Kind = Kind::Number(PLAIN, Range::NotNegative);
const NORMAL_RESTITUTION: Kind = Kind::Number(PLAIN, Range::Between(0.0, 1.0));
const TANGENTIAL_RESTITUTION: Kind = Kind::Number(PLAIN, Range::Between(-1.0, 1.0));

static PAIR: Section = Section {
    title: "[[pairs]]",
    doc: "The law between two materials. What is not given follows the rule of `[materials.NAME]`.",
    keys: &[
        key("materials", Kind::List(&Kind::Text), Need::Required, "The names of the two materials."),
        key("friction", FRICTION, Need::Optional, "Coulomb's coefficient, at rest and sliding."),
        key("static_friction", FRICTION, Need::Optional, "Of contacts that did not slide in the last step."),
        key("dynamic_friction", FRICTION, Need::Optional, "Of contacts that slid in the last step."),
        key("normal_restitution", NORMAL_RESTITUTION, Need::Optional, "`e_n`."),
        key("tangential_restitution", TANGENTIAL_RESTITUTION, Need::Optional, "`e_t`."),
    ],
    tag: None,
};

static GRAINS: Section = Section {
    title: "[[grains]]",
    doc: "A sample of grains. Several entries may follow each other; each keeps clear of the walls and of the grains \
          before it.",
    keys: &[],
    tag: Some(Tag {
        key: "sample",
        doc: "How the grains are placed.",
        variants: &[
            Variant {
                name: "lattice",
                alias: "",
                doc: "A regular lattice, from below, layer by layer. Sites too near to a wall stay empty.",
                keys: &[
                    &[
                        key(
                            "lattice",
                            Kind::Choice(&[
                                ("square", "in 2D"),
                                ("triangular", "in 2D"),
                                ("cubic", "in 3D"),
                                ("hexagonal", "triangular layers, each over the gaps of the one below, in 3D"),
                            ]),
                            Need::ByDimension("\"square\"", "\"cubic\""),
                            "The kind of lattice.",
                        ),
                        key(
                            "spacing",
                            Kind::Number(LENGTH, Range::Positive),
                            Need::Chosen("the largest diameter and a thousandth of it"),
                            "The distance of neighbouring sites.",
                        ),
                        key(
                            "jitter",
                            Kind::Number(LENGTH, Range::NotNegative),
                            Need::Default("0"),
                            "The largest random displacement along each axis; at most half of the free distance.",
                        ),
                        key("count", COUNT, Need::Optional, "How many; without it the region is filled."),
                    ],
                    PLACED,
                ],
            },
            Variant {
                name: "random",
                alias: "",
                doc: "A loose random filling: grains are put one by one, the largest first, at random places where \
                      they touch nothing (random sequential addition). A solid fraction up to about 0.5 in 2D and \
                      0.35 in 3D can be reached; a sample that does not fit is a fault.",
                keys: &[
                    &[
                        key("count", COUNT, Need::Optional, "How many; this or `solid_fraction`."),
                        key(
                            "solid_fraction",
                            Kind::Number(PLAIN, Range::Between(0.0, 0.9)),
                            Need::Optional,
                            "The volume of the grains over the volume of the region.",
                        ),
                    ],
                    PLACED,
                ],
            },
            Variant {
                name: "rain",
                alias: "",
                doc: "Layers above each other, from the bottom of the region upwards, random in the plane, which fall \
                      together. Above an open container the rain is as high as it needs to be.",
                keys: &[
                    &[
                        key("count", COUNT, Need::Optional, "How many; without it the region is filled with layers."),
                        key(
                            "cover",
                            Kind::Number(PLAIN, Range::Between(0.01, 0.5)),
                            Need::Default("0.3"),
                            "The part of the plane that the grains of one layer cover at most.",
                        ),
                    ],
                    PLACED,
                ],
            },
            Variant {
                name: "list",
                alias: "",
                doc: "Grains one by one.",
                keys: &[&[
                    key("positions", Kind::List(&Kind::Vector(LENGTH)), Need::Required, "The centres."),
                    key("radius", SIZE, Need::Optional, "One radius for all, or a distribution of sizes."),
                    key("diameter", SIZE, Need::Optional, "The same by diameter."),
                    key(
                        "radii",
                        Kind::List(&Kind::Number(LENGTH, Range::Positive)),
                        Need::Optional,
                        "One radius for each, in place of `radius`.",
                    ),
                    key("material", Kind::Text, Need::Chosen("the only one"), "The material."),
                    key("group", Kind::Text, Need::Default("\"grains\""), "A name for these grains."),
                    key("velocities", Kind::List(&Kind::Vector(VELOCITY)), Need::Optional, "One velocity for each."),
                    key("velocity", Kind::Vector(VELOCITY), ZEROS, "One velocity for all."),
                    key("spin", Kind::Spin(ANGULAR_VELOCITY), Need::ByDimension("0", "[0, 0, 0]"), "One spin for all."),
                ]],
            },
            Variant {
                name: "file",
                alias: "",
                doc: "Grains of a file: CSV with a header (`x,y,z,r` and more), LAMMPS data or dump, extended XYZ.",
                keys: &[&[
                    key("path", Kind::Text, Need::Required, "The file, seen from the folder of the scene."),
                    key("material", Kind::Text, Need::Optional, "The material, in place of the file's."),
                    key("group", Kind::Text, Need::Optional, "A name for these grains, in place of the file's."),
                    key("shift", Kind::Vector(LENGTH), ZEROS, "Added to every position."),
                    key("at_rest", Kind::Bool, Need::Default("false"), "Forget velocities and spins."),
                ]],
            },
            Variant {
                name: "snapshot",
                alias: "",
                doc: "Grains of a snapshot of another run, where they were and as fast as they were.",
                keys: &[&[
                    key("path", Kind::Text, Need::Required, "The snapshot, seen from the folder of the scene."),
                    key("material", Kind::Text, Need::Optional, "Another material for all of them."),
                    key("group", Kind::Text, Need::Optional, "Another group for all of them."),
                    key("shift", Kind::Vector(LENGTH), ZEROS, "Added to every position."),
                    key("at_rest", Kind::Bool, Need::Default("false"), "Forget velocities and spins."),
                ]],
            },
        ],
    }),
};

const COUNT: Kind = Kind::Integer { min: 1, max: 100_000_000 };

/// The keys of every sample that the program places.
const PLACED: &[Key] = &[
    key("radius", SIZE, Need::Optional, "One radius for all, or a distribution of sizes."),
    key("diameter", SIZE, Need::Optional, "The same by diameter."),
    key(
        "region",
        Kind::OneOf(REGIONS),
        Need::Chosen("the inside of the first box or drum, and the whole period along periodic axes"),
        "Where the grains are, with their whole volume.",
    ),
    key("material", Kind::Text, Need::Chosen("the only one"), "The material."),
    key("group", Kind::Text, Need::Default("\"grains\""), "A name for these grains."),
    key("velocity", Kind::Vector(VELOCITY), ZEROS, "Their velocity at the start."),
    key("spin", Kind::Spin(ANGULAR_VELOCITY), Need::ByDimension("0", "[0, 0, 0]"), "Their spin at the start."),
];

const REGIONS: &[Key] = &[
    key("box", Kind::Table(&REGION_BOX, Fill::Defaults), Need::Optional, "Between two corners."),
    key("cylinder", Kind::Table(&REGION_CYLINDER, Fill::Defaults), Need::Optional, "In 2D a disk."),
];

static REGION_BOX: Section = Section {
    title: "region.box",
    doc: "For example `region = { box = { lower = [0, 0], upper = [\"4 cm\", \"6 cm\"] } }`.",
    keys: &[
        key("lower", Kind::Vector(LENGTH), Need::Required, "The lower corner."),
        key("upper", Kind::Vector(LENGTH), Need::Required, "The upper corner."),
    ],
    tag: None,
};

static REGION_CYLINDER: Section = Section {
    title: "region.cylinder",
    doc: "For example `region = { cylinder = { centre = [0, 0, 0.1], radius = \"2 cm\", length = \"10 cm\" } }`.",
    keys: &[
        key("centre", Kind::Vector(LENGTH), Need::Required, "The middle."),
        key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius."),
        in_space(key("axis", AXES, Need::Default("\"z\""), "The direction of the axis.")),
        in_space(key("length", Kind::Number(LENGTH, Range::Positive), Need::Required, "From one end to the other.")),
    ],
    tag: None,
};

const BY: Kind = Kind::Choice(&[("number", "a fraction of the number"), ("volume", "a fraction of the volume")]);
const SIZE: Kind = Kind::Any(&[Kind::Number(LENGTH, Range::Positive), Kind::OneOf(DISTRIBUTIONS)]);
const POSITIVE_LENGTH: Kind = Kind::Number(LENGTH, Range::Positive);

const DISTRIBUTIONS: &[Key] = &[
    key("uniform", Kind::Table(&UNIFORM, Fill::Defaults), Need::Optional, "All sizes equally often."),
    key(
        "uniform_by_volume",
        Kind::Table(&UNIFORM, Fill::Defaults),
        Need::Optional,
        "All sizes with the same volume: many small ones, few large ones.",
    ),
    key("normal", Kind::Table(&NORMAL, Fill::Defaults), Need::Optional, "A bell, cut off at both ends."),
    key(
        "log_normal",
        Kind::Table(&LOG_NORMAL, Fill::Defaults),
        Need::Optional,
        "A bell of the logarithm, cut off at both ends.",
    ),
    key("power_law", Kind::Table(&POWER_LAW, Fill::Defaults), Need::Optional, "Frequency as a power of the size."),
    key("two_sizes", Kind::Table(&TWO_SIZES, Fill::Defaults), Need::Optional, "Small ones and large ones."),
    key("table", Kind::Table(&SIZE_TABLE, Fill::Defaults), Need::Optional, "A measured grading curve."),
];

static UNIFORM: Section = Section {
    title: "radius.uniform, radius.uniform_by_volume",
    doc: "For example `radius = { uniform = { min = \"0.8 mm\", max = \"1.2 mm\" } }`.",
    keys: &[
        key("min", POSITIVE_LENGTH, Need::Required, "The smallest."),
        key("max", POSITIVE_LENGTH, Need::Required, "The largest."),
    ],
    tag: None,
};

static NORMAL: Section = Section {
    title: "radius.normal",
    doc: "Sizes beyond `min` and `max` are drawn again.",
    keys: &[
        key("mean", POSITIVE_LENGTH, Need::Required, "The middle of the bell."),
        key("deviation", POSITIVE_LENGTH, Need::Required, "The standard deviation before the cut."),
        key("min", POSITIVE_LENGTH, Need::Chosen("three deviations below the mean"), "The smallest."),
        key("max", POSITIVE_LENGTH, Need::Chosen("three deviations above the mean"), "The largest."),
    ],
    tag: None,
};

static LOG_NORMAL: Section = Section {
    title: "radius.log_normal",
    doc: "Sizes beyond `min` and `max` are drawn again.",
    keys: &[
        key("median", POSITIVE_LENGTH, Need::Required, "Half of the grains are smaller."),
        key(
            "sigma",
            Kind::Number(PLAIN, Range::Positive),
            Need::Required,
            "The standard deviation of the natural logarithm, before the cut.",
        ),
        key("min", POSITIVE_LENGTH, Need::Chosen("the median times exp(-3 sigma)"), "The smallest."),
        key("max", POSITIVE_LENGTH, Need::Chosen("the median times exp(3 sigma)"), "The largest."),
    ],
    tag: None,
};

static POWER_LAW: Section = Section {
    title: "radius.power_law",
    doc: "The number of grains of size r goes as r to the power of minus `exponent`.",
    keys: &[
        key("exponent", Kind::Number(PLAIN, Range::Any), Need::Required, "The exponent."),
        key("min", POSITIVE_LENGTH, Need::Required, "The smallest."),
        key("max", POSITIVE_LENGTH, Need::Required, "The largest."),
    ],
    tag: None,
};

static TWO_SIZES: Section = Section {
    title: "radius.two_sizes",
    doc: "For example `radius = { two_sizes = { small = \"1 mm\", large = \"1.4 mm\", large_fraction = 0.5 } }`.",
    keys: &[
        key("small", POSITIVE_LENGTH, Need::Required, "The smaller size."),
        key("large", POSITIVE_LENGTH, Need::Required, "The larger size."),
        key("large_fraction", Kind::Number(PLAIN, Range::Between(0.0, 1.0)), Need::Required, "How many are large."),
        key("by", BY, Need::Default("\"number\""), "What the fraction is a fraction of."),
    ],
    tag: None,
};

static SIZE_TABLE: Section = Section {
    title: "radius.table",
    doc: "The part of the grains that is smaller than each size, from 0 to 1, linear in between. \
          For example `radius = { table = { points = [[\"1 mm\", 0], [\"2 mm\", 0.7], [\"3 mm\", 1]] } }`.",
    keys: &[
        key("points", Kind::Rows(&[("size", LENGTH), ("fraction", PLAIN)]), Need::Required, "Sizes and fractions."),
        key("by", BY, Need::Default("\"number\""), "What the fractions are fractions of."),
    ],
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
        ],
    }),
};

const ROUND: &[Key] = &[
    key("centre", Kind::Vector(LENGTH), Need::Required, "A point on the axis; it turns about this point."),
    key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius."),
    in_space(key("axis", Kind::Vector(PLAIN), Need::Required, "The direction of the axis, of any length.")),
];

static DRIVER: Section = Section {
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

static LOAD: Section = Section {
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

static SOLVER: Section = Section {
    title: "[solver]",
    doc: "Numerical choices; all have defaults.",
    keys: &[
        key(
            "time_step",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("sizes and speeds, see below"),
            "The time step.",
        ),
        key(
            "scheme",
            Kind::Choice(&[
                ("euler", "implicit Euler with gap: contacts are all pairs that could close during the step"),
                ("midpoint", "Moreau's midpoint: contacts are the pairs that touch halfway through the step"),
            ]),
            Need::Default("\"euler\""),
            "How positions and velocities are put together in time.",
        ),
        key(
            "gap",
            Kind::Choice(&[
                ("correct", "overlaps are pushed apart"),
                ("keep", "overlaps stay, and measure the error; no energy is pumped in"),
            ]),
            Need::Default("\"correct\""),
            "What an overlap does under the Euler scheme.",
        ),
        key(
            "midpoint_tolerance",
            Kind::Number(LENGTH, Range::NotNegative),
            Need::Default("0"),
            "The gap up to which a pair counts as touching under the midpoint scheme.",
        ),
        key(
            "solver",
            Kind::Choice(&[
                ("auto", "the program chooses"),
                ("gauss-seidel", "plain sweeps, the reference"),
                ("momentum", "sweeps with Nesterov's momentum, fewer of them on large packings"),
            ]),
            Need::Default("\"auto\""),
            "How the sweeps are put to use.",
        ),
        key(
            "order",
            Kind::Choice(&[
                ("spatial", "block by block through space, on all threads"),
                ("random", "a fresh permutation each sweep, on one thread"),
                ("sequential", "in the order of detection, on one thread"),
                ("forward-backward", "forward and backward in turn, on one thread"),
            ]),
            Need::Default("\"spatial\""),
            "The order in which a sweep visits the contacts.",
        ),
        key("criterion", Kind::OneOf(CRITERIA), Need::Default("{ residual = 1e-4 }"), "When the sweeps of a step end."),
        key("min_sweeps", SWEEPS, Need::Default("1"), "At least this many sweeps in a step."),
        key("max_sweeps", SWEEPS, Need::Default("2000"), "At most this many; the step is counted as unconverged then."),
        key("warm_start", Kind::Bool, Need::Default("true"), "Start from the impulses of the step before."),
        key(
            "clip_opening",
            Kind::Bool,
            Need::Default("false"),
            "Treat a closed contact that opens as one at rest, so that restitution never pulls.",
        ),
        key(
            "on_unconverged",
            Kind::Choice(&[("continue", "go on, and count it"), ("stop", "end the run")]),
            Need::Default("\"continue\""),
            "What to do when a step does not converge.",
        ),
    ],
    tag: None,
};

const CRITERIA: &[Key] = &[
    key("residual", TOLERANCE, Need::Optional, "The error of all laws together is below this."),
    key("local_force", Kind::Table(&LOCAL_FORCE, Fill::Defaults), Need::Optional, "No force changes much."),
    key("mean_force", TOLERANCE, Need::Optional, "The mean force changes by less than this part of itself."),
    key("sweeps", SWEEPS, Need::Optional, "This many sweeps in every step."),
];

const TOLERANCE: Kind = Kind::Number(PLAIN, Range::Positive);
const SWEEPS: Kind = Kind::Integer { min: 1, max: u32::MAX as i64 };

static LOCAL_FORCE: Section = Section {
    title: "criterion.local_force",
    doc: "Every force changes by less than `change` of itself in one sweep; forces below `cutoff` times the mean force \
          are not judged.",
    keys: &[
        key("change", TOLERANCE, Need::Required, "The relative change allowed."),
        key("cutoff", Kind::Number(PLAIN, Range::NotNegative), Need::Default("0.01"), "In parts of the mean force."),
    ],
    tag: None,
};

static STAGE: Section = Section {
    title: "[[stages]]",
    doc: "What happens, one stage after the other. Times in the functions of a stage count from the start of the \
          stage. Drivers of a stage hold on in the later ones until they are replaced or released; everything else \
          that a stage changes (gravity, materials, pairs, solver) holds in that stage only, and its loads act in \
          addition to those of the top level.",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name of the stage."),
        key("end", Kind::Table(&END, Fill::Defaults), Need::Required, "When it ends: by whichever comes first."),
        key("drivers", Kind::Tables(&DRIVER, Fill::Defaults), Need::Optional, "Drivers from this stage on."),
        key("release", Kind::List(&Kind::Text), Need::Optional, "Walls that stand still from this stage on."),
        key("loads", Kind::Tables(&LOAD, Fill::Defaults), Need::Optional, "Further loads in this stage."),
        key("gravity", GRAVITY, Need::Optional, "Gravity in this stage."),
        key("tilt", Kind::Table(&TILT, Fill::Defaults), Need::Optional, "Tilt of gravity in this stage."),
        key(
            "materials",
            Kind::Named(&MATERIAL, Fill::Nothing),
            Need::Optional,
            "Friction and restitution in this stage.",
        ),
        key("pairs", Kind::Tables(&PAIR, Fill::Defaults), Need::Optional, "Laws between two materials in this stage."),
        key("solver", Kind::Table(&SOLVER, Fill::Nothing), Need::Optional, "Numerical choices in this stage."),
    ],
    tag: None,
};

static END: Section = Section {
    title: "end",
    doc: "The end of a stage, for example `end = { time = \"2 s\" }` or \
          `end = { kinetic_energy_over_mgd = 1e-5, time = \"5 s\" }`. Of several criteria the first one reached ends the \
          stage. The strain is the displacement of `wall` along `axis` since the start of the stage, over its distance \
          at the start of the stage, along its normal, to the plane that faces it, or without such a plane to the \
          farthest grain.",
    keys: &[
        key("time", Kind::Number(TIME, Range::Positive), Need::Optional, "After this time."),
        key(
            "steps",
            Kind::Integer { min: 1, max: i64::MAX },
            Need::Chosen("1,000,000 if there is no other limit"),
            "After this many steps.",
        ),
        key("strain", Kind::Number(PLAIN, Range::Positive), Need::Optional, "At this strain, in either direction."),
        key("wall", Kind::Text, Need::Optional, "The wall that strains; a plane or plate."),
        key("axis", AXES, Need::Chosen("the axis of the wall's normal"), "The direction of its displacement."),
        key(
            "kinetic_energy",
            Kind::Number(ENERGY, Range::Positive),
            Need::Optional,
            "Mean energy of a grain below this.",
        ),
        key(
            "kinetic_energy_over_mgd",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "Mean energy of a grain below this part of its weight times its diameter.",
        ),
        key(
            "force_balance",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "Mean unbalanced force on a grain below this part of the mean contact force.",
        ),
        key(
            "hold",
            Kind::Number(TIME, Range::NotNegative),
            Need::Chosen("the time of a fall by half a diameter, or 100 steps without gravity"),
            "For how long energy or force balance must stay below their thresholds.",
        ),
    ],
    tag: None,
};

static OUTPUTS: Section = Section {
    title: "[outputs]",
    doc: "What is written, and how often.",
    keys: &[
        key(
            "snapshot_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("a fiftieth of the time of all stages, or 1000 steps if that is not known"),
            "Simulated time between snapshots.",
        ),
        key(
            "snapshot_formats",
            Kind::List(&Kind::Choice(&[
                ("vtp", "VTK, for ParaView"),
                ("h5", "HDF5, for Python"),
                ("xyz", "extended XYZ, for OVITO"),
                ("dump", "LAMMPS dump, for OVITO"),
                ("csv", "a plain table"),
            ])),
            Need::Default("[\"vtp\", \"h5\"]"),
            "The formats of snapshots.",
        ),
        key(
            "series_interval",
            Kind::Number(TIME, Range::NotNegative),
            Need::Chosen("a thousandth of the time of all stages, or every step if that is not known"),
            "Simulated time between lines of the time series; 0 means every step.",
        ),
        key(
            "checkpoint_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Default("\"60 s\""),
            "Time on the clock between checkpoints.",
        ),
    ],
    tag: None,
};
