//! The section of samples, with their sizes and regions.

use super::keys::{AXES, ZEROS, in_space, key};
use super::shapes::{ARCH, BLOCKS, BRICKS, SHAPE, SHAPED, VORONOI};
use super::{Fill, Key, Kind, Need, Range, Section, Tag, Variant};
use crate::units::*;

pub(super) static GRAINS: Section = Section {
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
                            "The largest random displacement along each axis; too small for an overlap.",
                        ),
                        key("count", COUNT, Need::Optional, "How many; without it the region is filled."),
                    ],
                    PLACED,
                    SHAPED,
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
                    SHAPED,
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
                    SHAPED,
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
                    key("shape", SHAPE, Need::Optional, "What they look like; without it they are balls, in 2D disks."),
                    key(
                        "orientations",
                        Kind::List(&Kind::Spin(ANGLE)),
                        Need::Optional,
                        "How each is turned: in 2D an angle, in 3D a vector along the axis as long as the angle.",
                    ),
                    key("velocities", Kind::List(&Kind::Vector(VELOCITY)), Need::Optional, "One velocity for each."),
                    key("velocity", Kind::Vector(VELOCITY), ZEROS, "One velocity for all."),
                    key("spin", Kind::Spin(ANGULAR_VELOCITY), Need::ByDimension("0", "[0, 0, 0]"), "One spin for all."),
                ]],
            },
            Variant {
                name: "blocks",
                alias: "",
                doc: "Convex blocks, each where it is and as it is: by `corners`, or from a file.",
                keys: &[BLOCKS, IN_PLACE],
            },
            Variant {
                name: "bricks",
                alias: "",
                doc: "Brickwork: a wall of courses, or a tower of single bricks.",
                keys: &[BRICKS, IN_PLACE],
            },
            Variant {
                name: "arch",
                alias: "",
                doc: "An arch of equal voussoirs with straight edges, in the plane of x and y (in 3D of x and z).",
                keys: &[ARCH, IN_PLACE],
            },
            Variant {
                name: "voronoi",
                alias: "",
                doc: "A region that is broken into the Voronoi cells of random points, as cracks break rock.",
                keys: &[
                    VORONOI,
                    &[key(
                        "region",
                        Kind::OneOf(REGIONS),
                        Need::Chosen("the inside of the first box, and the whole period along periodic axes"),
                        "What is broken: a box.",
                    )],
                    IN_PLACE,
                ],
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

/// The keys of blocks that have their places and sizes.
const IN_PLACE: &[Key] = &[
    key("material", Kind::Text, Need::Chosen("the only one"), "The material."),
    key("group", Kind::Text, Need::Default("\"grains\""), "A name for these grains."),
    key("shift", Kind::Vector(LENGTH), ZEROS, "Added to every position."),
    key("velocity", Kind::Vector(VELOCITY), ZEROS, "Their velocity at the start."),
    key("spin", Kind::Spin(ANGULAR_VELOCITY), Need::ByDimension("0", "[0, 0, 0]"), "Their spin at the start."),
];

/// The keys of every sample that the program places.
const PLACED: &[Key] = &[
    key(
        "radius",
        SIZE,
        Need::Optional,
        "One radius for all, or a distribution of sizes. Of a grain that is not a ball it is the distance of the \
         farthest point from the centre of mass.",
    ),
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
