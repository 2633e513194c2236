//! What grains can look like, and blocks that are placed as they are.

use super::keys::{in_plane, in_space, key};
use super::{Fill, Key, Kind, Need, Range, Section};
use crate::units::*;

/// The kind of the key `shape` of a sample.
pub(super) const SHAPE: Kind = Kind::OneOf(SHAPES);

const SHAPES: &[Key] = &[
    in_plane(key("polygon", Kind::Table(&POLYGON, Fill::Defaults), Need::Optional, "Regular polygons, in 2D.")),
    in_plane(key("rectangle", Kind::Table(&RECTANGLE, Fill::Defaults), Need::Optional, "Rectangles, in 2D.")),
    in_plane(key(
        "random_polygon",
        Kind::Table(&RANDOM_POLYGON, Fill::Defaults),
        Need::Optional,
        "Random convex polygons, in 2D.",
    )),
    in_space(key("polyhedron", Kind::Table(&POLYHEDRON, Fill::Defaults), Need::Optional, "Regular solids, in 3D.")),
    in_space(key("cuboid", Kind::Table(&RECTANGLE, Fill::Defaults), Need::Optional, "Boxes of any form, in 3D.")),
    in_space(key(
        "random_polyhedron",
        Kind::Table(&RANDOM_POLYHEDRON, Fill::Defaults),
        Need::Optional,
        "Random convex polyhedra, in 3D.",
    )),
    key("voronoi", Kind::Table(&VORONOI_CELL, Fill::Defaults), Need::Optional, "Cells of Voronoi's tessellation."),
    key("box", Kind::Table(&BOX, Fill::Defaults), Need::Optional, "A box (in 2D a rectangle) by its edges."),
    key("hull", Kind::Table(&HULL, Fill::Defaults), Need::Optional, "The convex hull of some points."),
    in_space(key("file", Kind::Table(&FILE, Fill::Defaults), Need::Optional, "A body of an STL or OBJ file, in 3D.")),
    key(
        "cluster",
        Kind::Table(&CLUSTER, Fill::Defaults),
        Need::Optional,
        "Balls and convex bodies that are one grain, which need not be convex.",
    ),
];

static POLYGON: Section = Section {
    title: "shape.polygon",
    doc: "For example `shape = { polygon = { sides = 5 } }`. The radius is the one of the circle through the corners.",
    keys: &[
        key("sides", Kind::Integer { min: 3, max: 1000 }, Need::Required, "The number of sides, or the least."),
        key(
            "sides_max",
            Kind::Integer { min: 3, max: 1000 },
            Need::Chosen("`sides`"),
            "The largest number of sides: each grain has its own, all equally often.",
        ),
    ],
    tag: None,
};

static RECTANGLE: Section = Section {
    title: "shape.rectangle, shape.cuboid",
    doc: "For example `shape = { rectangle = { aspect = 1, aspect_max = 3 } }`. The radius is half the diagonal.",
    keys: &[
        key(
            "aspect",
            Kind::Number(PLAIN, Range::Between(1.0, 100.0)),
            Need::Default("1"),
            "The longest edge over the shortest, or the least that occurs.",
        ),
        key(
            "aspect_max",
            Kind::Number(PLAIN, Range::Between(1.0, 100.0)),
            Need::Chosen("`aspect`"),
            "The most that occurs: each grain has its own, uniform in between (in 3D for two of the edges).",
        ),
    ],
    tag: None,
};

static RANDOM_POLYGON: Section = Section {
    title: "shape.random_polygon",
    doc: "Corners on a circle, stretched: one at a random place of each of as many equal parts. For example \
          `shape = { random_polygon = { vertices = 5, vertices_max = 9 } }`.",
    keys: &[
        key("vertices", Kind::Integer { min: 3, max: 1000 }, Need::Required, "The number of corners, or the least."),
        key(
            "vertices_max",
            Kind::Integer { min: 3, max: 1000 },
            Need::Chosen("`vertices`"),
            "The largest number of corners: each grain has its own, all equally often.",
        ),
        key(
            "elongation",
            Kind::Number(PLAIN, Range::Between(1.0, 100.0)),
            Need::Default("1"),
            "How much longer than wide.",
        ),
    ],
    tag: None,
};

static POLYHEDRON: Section = Section {
    title: "shape.polyhedron",
    doc: "Tetrahedra, cubes, octahedra, dodecahedra and icosahedra, with corners cut off and stretched. For example \
          `shape = { polyhedron = { faces = 8, truncation = 0.2 } }`.",
    keys: &[
        key("faces", Kind::Integer { min: 4, max: 20 }, Need::Required, "4, 6, 8, 12 or 20."),
        key(
            "truncation",
            Kind::Number(PLAIN, Range::Between(0.0, 0.5)),
            Need::Default("0"),
            "The part of each edge that is cut off at each end, or the least that occurs.",
        ),
        key(
            "truncation_max",
            Kind::Number(PLAIN, Range::Between(0.0, 0.5)),
            Need::Chosen("`truncation`"),
            "The most that occurs: each grain has its own, uniform in between.",
        ),
        STRETCH,
    ],
    tag: None,
};

static RANDOM_POLYHEDRON: Section = Section {
    title: "shape.random_polyhedron",
    doc: "The hull of random points on a sphere that keep away from each other, stretched. For example \
          `shape = { random_polyhedron = { vertices = 20 } }`.",
    keys: &[
        key("vertices", Kind::Integer { min: 4, max: 1000 }, Need::Required, "The number of corners, or the least."),
        key(
            "vertices_max",
            Kind::Integer { min: 4, max: 1000 },
            Need::Chosen("`vertices`"),
            "The largest number of corners: each grain has its own, all equally often.",
        ),
        STRETCH,
    ],
    tag: None,
};

const STRETCH: Key = key(
    "stretch",
    Kind::Vector(PLAIN),
    Need::Default("[1, 1, 1]"),
    "Factors along three axes before the whole is brought to its size.",
);

static VORONOI_CELL: Section = Section {
    title: "shape.voronoi",
    doc: "Each grain is the cell of a random point among random points: `shape = { voronoi = {} }`.",
    keys: &[],
    tag: None,
};

static BOX: Section = Section {
    title: "shape.box",
    doc: "As large as its edges say, unless `radius` or `diameter` is given. For example \
          `shape = { box = { edges = [\"20 cm\", \"10 cm\", \"5 cm\"] } }`.",
    keys: &[key("edges", Kind::Vector(LENGTH), Need::Required, "The edges along x, y, z.")],
    tag: None,
};

static HULL: Section = Section {
    title: "shape.hull",
    doc: "As large as the points say, unless `radius` or `diameter` is given.",
    keys: &[key("points", Kind::List(&Kind::Vector(LENGTH)), Need::Required, "The points.")],
    tag: None,
};

static FILE: Section = Section {
    title: "shape.file",
    doc: "The surface must be closed and convex, with faces counterclockwise as seen from outside; a surface that is \
          not is a fault that says where. It is brought to the size of the grain.",
    keys: &[
        key("path", Kind::Text, Need::Required, "The file, seen from the folder of the scene."),
        key("hull", Kind::Bool, Need::Default("false"), "Take the hull of its points, whatever its faces are."),
    ],
    tag: None,
};

static CLUSTER: Section = Section {
    title: "shape.cluster",
    doc: "As large as the parts say, unless `radius` or `diameter` is given. Parts may overlap: what they have in \
          common counts once for mass and inertia, to an accuracy of 1e-4 (exactly if no parts overlap).",
    keys: &[
        key("balls", Kind::Tables(&CLUSTER_BALL, Fill::Defaults), Need::Optional, "Spheres, in 2D disks."),
        key(
            "bodies",
            Kind::List(&Kind::List(&Kind::Vector(LENGTH))),
            Need::Optional,
            "Convex bodies, each by a list of its corners.",
        ),
    ],
    tag: None,
};

static CLUSTER_BALL: Section = Section {
    title: "shape.cluster.balls",
    doc: "For example `balls = [{ centre = [0, 0, 0], radius = \"1 mm\" }]`.",
    keys: &[
        key("centre", Kind::Vector(LENGTH), Need::Required, "The centre."),
        key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius."),
    ],
    tag: None,
};

/// The keys of shapes in a sample that the program places.
pub(super) const SHAPED: &[Key] = &[
    key("shape", SHAPE, Need::Optional, "What the grains look like; without it they are balls, in 2D disks."),
    key(
        "orientation",
        Kind::Choice(&[("random", "every orientation equally often"), ("aligned", "as the shape is described")]),
        Need::Default("\"random\""),
        "How grains that are not balls are turned.",
    ),
];

const JOINT: Key =
    key("joint", Kind::Number(LENGTH, Range::NotNegative), Need::Default("0"), "The distance between neighbours.");

/// Blocks by their corners or from a file.
pub(super) const BLOCKS: &[Key] = &[
    key(
        "corners",
        Kind::List(&Kind::List(&Kind::Vector(LENGTH))),
        Need::Optional,
        "The corners of each block; the block is their hull.",
    ),
    in_space(key("path", Kind::Text, Need::Optional, "An STL or OBJ file; every closed surface in it is a block.")),
    in_space(key(
        "scale",
        Kind::Number(PLAIN, Range::Positive),
        Need::Default("1"),
        "Metres in the file's unit of length.",
    )),
    in_space(key("hull", Kind::Bool, Need::Default("false"), "Take the hull of each surface, whatever its faces are.")),
];

/// Brickwork.
pub(super) const BRICKS: &[Key] = &[
    key("lower", Kind::Vector(LENGTH), Need::Required, "The lower corner of the first brick."),
    key("brick", Kind::Vector(LENGTH), Need::Required, "The edges of a brick along x, y, z."),
    key("columns", Kind::Integer { min: 1, max: 100_000 }, Need::Default("1"), "Bricks in a course, along x."),
    key("courses", Kind::Integer { min: 1, max: 100_000 }, Need::Required, "Courses above each other."),
    key(
        "bond",
        Kind::Number(PLAIN, Range::Between(0.0, 0.9)),
        Need::Default("0.5"),
        "The part of a brick by which every other course is shifted along x; its ends are closed by cut bricks. 0 puts \
         bricks above each other.",
    ),
    JOINT,
];

/// The voussoirs of an arch.
pub(super) const ARCH: &[Key] = &[
    key("centre", Kind::Vector(LENGTH), super::keys::ZEROS, "The centre of the circle."),
    key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius of the centre line."),
    key("thickness", Kind::Number(LENGTH, Range::Positive), Need::Required, "Across the arch, along the radius."),
    key("voussoirs", Kind::Integer { min: 2, max: 10_000 }, Need::Required, "The number of blocks, all equal."),
    key(
        "angle",
        Kind::Number(ANGLE, Range::Between(0.01, std::f64::consts::PI)),
        Need::Default("\"180 deg\""),
        "The angle of the whole arch at the centre; 180 deg is a semicircle that stands on a plane through the centre.",
    ),
    in_space(key(
        "depth",
        Kind::Number(LENGTH, Range::Positive),
        Need::Required,
        "Along y, to both sides of the centre; the arch is in the plane of x and z.",
    )),
];

/// A broken block of rock.
pub(super) const VORONOI: &[Key] =
    &[key("count", Kind::Integer { min: 2, max: 100_000 }, Need::Required, "How many cells."), JOINT];
