//! The sections of open systems: where grains come in, where they leave, and where their flow is measured.

use super::grains::{COUNT, REGIONS, SIZE};
use super::keys::{ZEROS, in_space, key};
use super::shapes::SHAPED;
use super::{Fill, Key, Kind, Need, Range, Section};
use crate::units::*;

pub(super) static INLET: Section = Section {
    title: "[[inlets]]",
    doc: "A feed: grains are inserted between steps, at random positions in a region or on a surface where they touch \
          nothing, until a total is reached. Grains that are due but find no room wait for at most the time `wait`; any \
          excess is refused, counted in flows.csv and reported in a warning. Sizes and shapes keep their distribution: a \
          large grain that finds no room is not replaced by a smaller one. The n-th grain of an inlet is the same in every \
          run with the same seed. A scene with inlets may omit `[[grains]]`.",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name in output files, and for `to` of an outlet."),
        key(
            "place",
            Kind::OneOf(&INLET_PLACES),
            Need::Required,
            "Where grains are created: a region that contains them entirely, or a surface that contains their centres.",
        ),
        key(
            "mass_rate",
            Kind::Function(MASS_RATE),
            Need::Optional,
            "Mass per time; give this or `number_rate`, or neither for an inlet that only takes grains back from an outlet.",
        ),
        key("number_rate", Kind::Function(FREQUENCY), Need::Optional, "Grains per time."),
        key("total_mass", Kind::Number(MASS, Range::Positive), Need::Optional, "The mass after which no more is fed."),
        key("total_number", COUNT, Need::Optional, "The number of grains after which no more are fed."),
        key(
            "wait",
            Kind::Number(TIME, Range::NotNegative),
            Need::Chosen("the time in which a grain leaves the inlet"),
            "How long grains may wait for room before they are refused.",
        ),
        key("radius", SIZE, Need::Optional, "A common radius, or a size distribution, as in `[[grains]]`."),
        key("diameter", SIZE, Need::Optional, "As `radius`, given as diameters."),
        key("material", Kind::Text, Need::Chosen("the only material, if there is just one"), "The material."),
        key("group", Kind::Text, Need::Default("\"grains\""), "A group name for these grains."),
        SHAPED[0],
        SHAPED[1],
        key("velocity", Kind::Vector(VELOCITY), ZEROS, "The initial velocity of the grains."),
        key(
            "velocity_spread",
            Kind::Number(VELOCITY, Range::NotNegative),
            Need::Default("0"),
            "The largest random deviation of each component of the velocity.",
        ),
        key("spin", Kind::Spin(ANGULAR_VELOCITY), Need::ByDimension("0", "[0, 0, 0]"), "Their angular velocity."),
        key("seed", Kind::Integer { min: 0, max: i64::MAX }, Need::Chosen("the scene's seed"), "The seed."),
        key("stages", STAGES, Need::Chosen("all"), "The stages in which grains are fed."),
        key("sizes", SIZE_CLASSES, Need::Default("[]"), "Diameters that divide the grains into size classes."),
    ],
    tag: None,
};

const INLET_PLACES: [Key; 4] = [REGIONS[0], REGIONS[1], PLATE_PLACE, DISK_PLACE];

const PLATE_PLACE: Key =
    key("plate", Kind::Table(&OPENING_PLATE, Fill::Defaults), Need::Optional, "A rectangle, in 2D a segment.");
const DISK_PLACE: Key =
    in_space(key("disk", Kind::Table(&OPENING_DISK, Fill::Defaults), Need::Optional, "A disk in space."));
const PLANE_PLACE: Key =
    key("plane", Kind::Table(&OPENING_PLANE, Fill::Defaults), Need::Optional, "An infinite plane, in 2D a line.");

const STAGES: Kind = Kind::List(&Kind::Text);
const SIZE_CLASSES: Kind = Kind::List(&Kind::Number(LENGTH, Range::Positive));

static OPENING_PLATE: Section = Section {
    title: "place.plate",
    doc: "For example `place = { plate = { corners = [[0, 0], [\"4 cm\", 0]] } }`.",
    keys: &[key(
        "corners",
        Kind::List(&Kind::Vector(LENGTH)),
        Need::Required,
        "In 2D the two ends; in 3D one corner and its two neighbours.",
    )],
    tag: None,
};

static OPENING_DISK: Section = Section {
    title: "place.disk",
    doc: "For example `place = { disk = { centre = [0, 0, 0.1], normal = [0, 0, 1], radius = \"2 cm\" } }`.",
    keys: &[
        key("centre", Kind::Vector(LENGTH), Need::Required, "The centre."),
        key("normal", Kind::Vector(PLAIN), Need::Required, "A vector of any length along the normal."),
        key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius."),
    ],
    tag: None,
};

static OPENING_PLANE: Section = Section {
    title: "place.plane",
    doc: "For example `place = { plane = { point = [0, 0], normal = [0, -1] } }`.",
    keys: &[
        key("point", Kind::Vector(LENGTH), Need::Required, "A point on the plane."),
        key("normal", Kind::Vector(PLAIN), Need::Required, "A vector of any length: the direction that counts as out."),
    ],
    tag: None,
};

pub(super) static OUTLET: Section = Section {
    title: "[[outlets]]",
    doc: "Grains whose centre is in the outlet after a step leave the simulation. They are counted in flows.csv, by material \
          and size class in flow_classes.csv, and one by one, with the time they have spent inside, in departures.csv. They \
          are deleted, or put back at an inlet as soon as there is room (recirculation).",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name in output files."),
        key(
            "place",
            Kind::OneOf(&OUTLET_PLACES),
            Need::Required,
            "Where grains leave: beyond a plane, inside a region, or outside a box.",
        ),
        key(
            "to",
            Kind::Text,
            Need::Optional,
            "The inlet at which the grains are put back; if omitted, they are deleted.",
        ),
        key("group", Kind::Text, Need::Optional, "Only the grains of this group leave."),
        key("stages", STAGES, Need::Chosen("all"), "The stages in which grains leave."),
        key("sizes", SIZE_CLASSES, Need::Default("[]"), "Diameters that divide the grains into size classes."),
    ],
    tag: None,
};

pub(super) const OUTLET_PLACES: [Key; 4] = [
    PLANE_PLACE,
    REGIONS[0],
    REGIONS[1],
    key("outside", super::grains::BOX, Need::Optional, "Everything outside of a box between two corners."),
];

pub(super) static GAUGE: Section = Section {
    title: "[[gauges]]",
    doc: "A surface through which the flow is measured: grains whose centre passes through it count +1 along the normal and \
          -1 against it. The sums and rates are in flows.csv, by material and size class in flow_classes.csv.",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name in output files."),
        key(
            "place",
            Kind::OneOf(&GAUGE_PLACES),
            Need::Required,
            "A plane, or an opening of limited size. The normal of a plate is to the left of its edge in 2D, and along the \
             cross product of its edges in 3D.",
        ),
        key("sizes", SIZE_CLASSES, Need::Default("[]"), "Diameters that divide the grains into size classes."),
    ],
    tag: None,
};

const GAUGE_PLACES: [Key; 3] = [PLANE_PLACE, PLATE_PLACE, DISK_PLACE];
