//! The section of samples, with their sizes and regions.

use super::keys::{AXES, ZEROS, in_space, key};
use super::shapes::{ARCH, BLOCKS, BRICKS, SHAPE, SHAPED, VORONOI};
use super::{Fill, Key, Kind, Need, Range, Section, Tag, Variant};
use crate::units::*;

pub(super) static GRAINS: Section = Section {
    title: "[[grains]]",
    doc: "A sample of grains. There may be several entries; each avoids the walls and the grains of earlier entries.",
    keys: &[],
    tag: Some(Tag {
        key: "sample",
        doc: "How the grains are placed.",
        variants: &[
            Variant {
                name: "lattice",
                alias: "",
                doc: "A regular lattice, filled from the bottom, layer by layer. Sites too close to a wall stay empty.",
                keys: &[
                    &[
                        key(
                            "lattice",
                            Kind::Choice(&[
                                ("square", "in 2D"),
                                ("triangular", "in 2D"),
                                ("cubic", "in 3D"),
                                ("hexagonal", "triangular layers, each above the gaps of the one below, in 3D"),
                            ]),
                            Need::ByDimension("\"square\"", "\"cubic\""),
                            "The kind of lattice.",
                        ),
                        key(
                            "spacing",
                            Kind::Number(LENGTH, Range::Positive),
                            Need::Chosen("1.001 times the largest diameter"),
                            "The distance between neighbouring sites.",
                        ),
                        key(
                            "jitter",
                            Kind::Number(LENGTH, Range::NotNegative),
                            Need::Default("0"),
                            "The largest random displacement along each axis; must be too small to cause overlaps.",
                        ),
                        key("count", COUNT, Need::Optional, "The number of grains; if omitted, the region is filled."),
                    ],
                    PLACED,
                    SHAPED,
                ],
            },
            Variant {
                name: "random",
                alias: "",
                doc: "A loose random filling by random sequential addition: grains are placed one by one, the largest \
                      first, at random positions where they touch nothing. Solid fractions up to about 0.5 in 2D and \
                      0.35 in 3D can be reached; a sample that does not fit is an error.",
                keys: &[
                    &[
                        key("count", COUNT, Need::Optional, "The number of grains; give this or `solid_fraction`."),
                        key(
                            "solid_fraction",
                            Kind::Number(PLAIN, Range::Between(0.0, 0.9)),
                            Need::Optional,
                            "The volume of the grains divided by the volume of the region.",
                        ),
                    ],
                    PLACED,
                    SHAPED,
                ],
            },
            Variant {
                name: "rain",
                alias: "",
                doc: "Layers stacked from the bottom of the region upwards, with random positions in each layer; all fall \
                      together. Above an open container the stack is as high as needed.",
                keys: &[
                    &[
                        key(
                            "count",
                            COUNT,
                            Need::Optional,
                            "The number of grains; if omitted, the region is filled with layers.",
                        ),
                        key(
                            "cover",
                            Kind::Number(PLAIN, Range::Between(0.01, 0.5)),
                            Need::Default("0.3"),
                            "The largest fraction of the cross-section covered by the grains of one layer.",
                        ),
                    ],
                    PLACED,
                    SHAPED,
                ],
            },
            Variant {
                name: "list",
                alias: "",
                doc: "Individually listed grains.",
                keys: &[&[
                    key("positions", Kind::List(&Kind::Vector(LENGTH)), Need::Required, "The centres."),
                    key("radius", SIZE, Need::Optional, "A common radius, or a size distribution."),
                    key("diameter", SIZE, Need::Optional, "As `radius`, given as diameters."),
                    key(
                        "radii",
                        Kind::List(&Kind::Number(LENGTH, Range::Positive)),
                        Need::Optional,
                        "One radius per grain, instead of `radius`.",
                    ),
                    key(
                        "material",
                        Kind::Text,
                        Need::Chosen("the only material, if there is just one"),
                        "The material.",
                    ),
                    key("group", Kind::Text, Need::Default("\"grains\""), "A group name for these grains."),
                    key("shape", SHAPE, Need::Optional, "The shape of the grains; spheres (disks in 2D) if omitted."),
                    key(
                        "orientations",
                        Kind::List(&Kind::Spin(ANGLE)),
                        Need::Optional,
                        "The orientation of each grain: an angle in 2D; in 3D a vector along the rotation axis whose \
                         length is the angle.",
                    ),
                    key("velocities", Kind::List(&Kind::Vector(VELOCITY)), Need::Optional, "One velocity per grain."),
                    key("velocity", Kind::Vector(VELOCITY), ZEROS, "A common velocity."),
                    key(
                        "spin",
                        Kind::Spin(ANGULAR_VELOCITY),
                        Need::ByDimension("0", "[0, 0, 0]"),
                        "A common angular velocity.",
                    ),
                ]],
            },
            Variant {
                name: "blocks",
                alias: "",
                doc: "Convex blocks at their final positions, given by `corners` or read from a file.",
                keys: &[BLOCKS, IN_PLACE],
            },
            Variant {
                name: "bricks",
                alias: "",
                doc: "Brickwork: a wall in courses, or a tower of single bricks.",
                keys: &[BRICKS, IN_PLACE],
            },
            Variant {
                name: "arch",
                alias: "",
                doc: "An arch of equal, straight-edged voussoirs in the x-y plane (x-z in 3D).",
                keys: &[ARCH, IN_PLACE],
            },
            Variant {
                name: "voronoi",
                alias: "",
                doc: "A region broken into the Voronoi cells of random points, like cracked rock.",
                keys: &[
                    VORONOI,
                    &[key(
                        "region",
                        Kind::OneOf(&REGIONS),
                        Need::Chosen("the inside of the first box, and the full period along periodic axes"),
                        "The region to break up, a box.",
                    )],
                    IN_PLACE,
                ],
            },
            Variant {
                name: "file",
                alias: "",
                doc: "Grains read from a file: CSV with a header (`x,y,z,r` and more), LAMMPS data or dump, extended XYZ.",
                keys: &[&[
                    key("path", Kind::Text, Need::Required, "The file, relative to the folder of the scene."),
                    key("material", Kind::Text, Need::Optional, "The material, overriding that of the file."),
                    key("group", Kind::Text, Need::Optional, "A group name, overriding those of the file."),
                    key("shift", Kind::Vector(LENGTH), ZEROS, "Added to every position."),
                    key("at_rest", Kind::Bool, Need::Default("false"), "Discard velocities and angular velocities."),
                ]],
            },
            Variant {
                name: "snapshot",
                alias: "",
                doc: "Grains from a snapshot of another run, with their positions and velocities.",
                keys: &[&[
                    key("path", Kind::Text, Need::Required, "The snapshot, relative to the folder of the scene."),
                    key("material", Kind::Text, Need::Optional, "The material, overriding that of the snapshot."),
                    key("group", Kind::Text, Need::Optional, "A group name, overriding those of the snapshot."),
                    key("shift", Kind::Vector(LENGTH), ZEROS, "Added to every position."),
                    key("at_rest", Kind::Bool, Need::Default("false"), "Discard velocities and angular velocities."),
                ]],
            },
        ],
    }),
};

pub(super) const COUNT: Kind = Kind::Integer { min: 1, max: 100_000_000 };

/// The keys of blocks that have their places and sizes.
const IN_PLACE: &[Key] = &[
    key("material", Kind::Text, Need::Chosen("the only material, if there is just one"), "The material."),
    key("group", Kind::Text, Need::Default("\"grains\""), "A group name for these grains."),
    key("shift", Kind::Vector(LENGTH), ZEROS, "Added to every position."),
    key("velocity", Kind::Vector(VELOCITY), ZEROS, "The initial velocity."),
    key("spin", Kind::Spin(ANGULAR_VELOCITY), Need::ByDimension("0", "[0, 0, 0]"), "The initial angular velocity."),
];

/// The keys of every sample that the program places.
const PLACED: &[Key] = &[
    key(
        "radius",
        SIZE,
        Need::Optional,
        "A common radius, or a size distribution. The radius of a grain that is not a sphere is the distance from its \
         centre of mass to its farthest point.",
    ),
    key("diameter", SIZE, Need::Optional, "As `radius`, given as diameters."),
    key(
        "region",
        Kind::OneOf(&REGIONS),
        Need::Chosen("the inside of the first box or drum, and the full period along periodic axes"),
        "The region that contains the grains entirely.",
    ),
    key("material", Kind::Text, Need::Chosen("the only material, if there is just one"), "The material."),
    key("group", Kind::Text, Need::Default("\"grains\""), "A group name for these grains."),
    key("velocity", Kind::Vector(VELOCITY), ZEROS, "The initial velocity."),
    key("spin", Kind::Spin(ANGULAR_VELOCITY), Need::ByDimension("0", "[0, 0, 0]"), "The initial angular velocity."),
];

pub(super) const REGIONS: [Key; 2] = [
    key("box", BOX, Need::Optional, "A box between two corners."),
    key("cylinder", Kind::Table(&REGION_CYLINDER, Fill::Defaults), Need::Optional, "A cylinder, or a disk in 2D."),
];

/// A box between two corners.
pub(super) const BOX: Kind = Kind::Table(&REGION_BOX, Fill::Defaults);

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
        key("centre", Kind::Vector(LENGTH), Need::Required, "The centre."),
        key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius."),
        in_space(key("axis", AXES, Need::Default("\"z\""), "The direction of the axis.")),
        in_space(key("length", Kind::Number(LENGTH, Range::Positive), Need::Required, "The length along the axis.")),
    ],
    tag: None,
};

const BY: Kind =
    Kind::Choice(&[("number", "fraction of the number of grains"), ("volume", "fraction of their volume")]);
pub(super) const SIZE: Kind = Kind::Any(&[Kind::Number(LENGTH, Range::Positive), Kind::OneOf(DISTRIBUTIONS)]);
const POSITIVE_LENGTH: Kind = Kind::Number(LENGTH, Range::Positive);

const DISTRIBUTIONS: &[Key] = &[
    key(
        "uniform",
        Kind::Table(&UNIFORM, Fill::Defaults),
        Need::Optional,
        "Uniform in number: all sizes equally frequent.",
    ),
    key(
        "uniform_by_volume",
        Kind::Table(&UNIFORM, Fill::Defaults),
        Need::Optional,
        "Uniform in volume: all sizes have the same share of the volume, so small grains are more frequent.",
    ),
    key("normal", Kind::Table(&NORMAL, Fill::Defaults), Need::Optional, "Normal distribution, truncated at both ends."),
    key(
        "log_normal",
        Kind::Table(&LOG_NORMAL, Fill::Defaults),
        Need::Optional,
        "Log-normal distribution, truncated at both ends.",
    ),
    key("power_law", Kind::Table(&POWER_LAW, Fill::Defaults), Need::Optional, "Power-law distribution."),
    key("two_sizes", Kind::Table(&TWO_SIZES, Fill::Defaults), Need::Optional, "A binary mixture."),
    key("table", Kind::Table(&SIZE_TABLE, Fill::Defaults), Need::Optional, "A tabulated distribution."),
    key(
        "sieve",
        Kind::Table(&SIEVE, Fill::Defaults),
        Need::Optional,
        "A sieve curve: the fraction of the mass that passes.",
    ),
];

static UNIFORM: Section = Section {
    title: "radius.uniform, radius.uniform_by_volume",
    doc: "For example `radius = { uniform = { min = \"0.8 mm\", max = \"1.2 mm\" } }`.",
    keys: &[
        key("min", POSITIVE_LENGTH, Need::Required, "The smallest size."),
        key("max", POSITIVE_LENGTH, Need::Required, "The largest size."),
    ],
    tag: None,
};

static NORMAL: Section = Section {
    title: "radius.normal",
    doc: "Sizes outside `min` to `max` are redrawn.",
    keys: &[
        key("mean", POSITIVE_LENGTH, Need::Required, "The mean before truncation."),
        key("deviation", POSITIVE_LENGTH, Need::Required, "The standard deviation before truncation."),
        key("min", POSITIVE_LENGTH, Need::Chosen("three deviations below the mean"), "The smallest size."),
        key("max", POSITIVE_LENGTH, Need::Chosen("three deviations above the mean"), "The largest size."),
    ],
    tag: None,
};

static LOG_NORMAL: Section = Section {
    title: "radius.log_normal",
    doc: "Sizes outside `min` to `max` are redrawn.",
    keys: &[
        key("median", POSITIVE_LENGTH, Need::Required, "The median before truncation."),
        key(
            "sigma",
            Kind::Number(PLAIN, Range::Positive),
            Need::Required,
            "The standard deviation of the natural logarithm, before truncation.",
        ),
        key("min", POSITIVE_LENGTH, Need::Chosen("the median times exp(-3 sigma)"), "The smallest size."),
        key("max", POSITIVE_LENGTH, Need::Chosen("the median times exp(3 sigma)"), "The largest size."),
    ],
    tag: None,
};

static POWER_LAW: Section = Section {
    title: "radius.power_law",
    doc: "The number density of grains of size r is proportional to r^(-`exponent`).",
    keys: &[
        key("exponent", Kind::Number(PLAIN, Range::Any), Need::Required, "The exponent."),
        key("min", POSITIVE_LENGTH, Need::Required, "The smallest size."),
        key("max", POSITIVE_LENGTH, Need::Required, "The largest size."),
    ],
    tag: None,
};

static TWO_SIZES: Section = Section {
    title: "radius.two_sizes",
    doc: "For example `radius = { two_sizes = { small = \"1 mm\", large = \"1.4 mm\", large_fraction = 0.5 } }`.",
    keys: &[
        key("small", POSITIVE_LENGTH, Need::Required, "The smaller size."),
        key("large", POSITIVE_LENGTH, Need::Required, "The larger size."),
        key(
            "large_fraction",
            Kind::Number(PLAIN, Range::Between(0.0, 1.0)),
            Need::Required,
            "The fraction of large grains.",
        ),
        key("by", BY, Need::Default("\"number\""), "Whether the fraction is by number or by volume."),
    ],
    tag: None,
};

static SIEVE: Section = Section {
    title: "radius.sieve",
    doc: "A sieve curve: the openings of the sieves and the fraction of the mass that passes each, from 0 to 1. Openings are \
          diameters, whether the key is `radius` or `diameter`. Between two sieves the mass is spread evenly over the \
          diameters. The log says what was drawn. \
          For example `radius = { sieve = { points = [[\"0.5 mm\", 0], [\"1 mm\", \"35 %\"], [\"2 mm\", 1]] } }`, or from a CSV file: \
          `points = { file = { path = \"curve.csv\", opening = \"d\", opening_unit = \"mm\", passing = \"passing\", \
          passing_unit = \"%\" } }`, with columns by name or number.",
    keys: &[key(
        "points",
        Kind::Rows(&[("opening", LENGTH), ("passing", PLAIN)]),
        Need::Required,
        "Openings, and the fraction of the mass that passes.",
    )],
    tag: None,
};

static SIZE_TABLE: Section = Section {
    title: "radius.table",
    doc: "The cumulative fraction of grains smaller than each size, from 0 to 1, interpolated linearly. \
          For example `radius = { table = { points = [[\"1 mm\", 0], [\"2 mm\", 0.7], [\"3 mm\", 1]] } }`.",
    keys: &[
        key("points", Kind::Rows(&[("size", LENGTH), ("fraction", PLAIN)]), Need::Required, "Sizes and fractions."),
        key("by", BY, Need::Default("\"number\""), "Whether the fractions are by number or by volume."),
    ],
    tag: None,
};
