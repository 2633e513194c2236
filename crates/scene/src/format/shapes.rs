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
    in_space(key("cuboid", Kind::Table(&RECTANGLE, Fill::Defaults), Need::Optional, "Cuboids, in 3D.")),
    in_space(key(
        "random_polyhedron",
        Kind::Table(&RANDOM_POLYHEDRON, Fill::Defaults),
        Need::Optional,
        "Random convex polyhedra, in 3D.",
    )),
    key("voronoi", Kind::Table(&VORONOI_CELL, Fill::Defaults), Need::Optional, "Voronoi cells."),
    key("box", Kind::Table(&BOX, Fill::Defaults), Need::Optional, "A box (a rectangle in 2D) with given edges."),
    key("hull", Kind::Table(&HULL, Fill::Defaults), Need::Optional, "The convex hull of given points."),
    in_space(key("file", Kind::Table(&FILE, Fill::Defaults), Need::Optional, "A body from an STL or OBJ file, in 3D.")),
    key(
        "cluster",
        Kind::Table(&CLUSTER, Fill::Defaults),
        Need::Optional,
        "Balls and convex bodies joined into one grain, which need not be convex.",
    ),
];

static POLYGON: Section = Section {
    title: "shape.polygon",
    doc: "For example `shape = { polygon = { sides = 5 } }`. The radius is that of the circumscribed circle.",
    keys: &[
        key("sides", Kind::Integer { min: 3, max: 1000 }, Need::Required, "The number of sides, or the smallest one."),
        key(
            "sides_max",
            Kind::Integer { min: 3, max: 1000 },
            Need::Chosen("`sides`"),
            "The largest number of sides; each grain draws its own, all equally likely.",
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
            "The ratio of the longest to the shortest edge, or the smallest such ratio.",
        ),
        key(
            "aspect_max",
            Kind::Number(PLAIN, Range::Between(1.0, 100.0)),
            Need::Chosen("`aspect`"),
            "The largest ratio; each grain draws its own uniformly in between (in 3D, for two of the edges).",
        ),
    ],
    tag: None,
};

static RANDOM_POLYGON: Section = Section {
    title: "shape.random_polygon",
    doc: "Corners on a circle, which is then stretched. The circle is divided into equal arcs, with one corner at a random \
          position in each. For example \
          `shape = { random_polygon = { vertices = 5, vertices_max = 9 } }`.",
    keys: &[
        key(
            "vertices",
            Kind::Integer { min: 3, max: 1000 },
            Need::Required,
            "The number of corners, or the smallest one.",
        ),
        key(
            "vertices_max",
            Kind::Integer { min: 3, max: 1000 },
            Need::Chosen("`vertices`"),
            "The largest number of corners; each grain draws its own, all equally likely.",
        ),
        key(
            "elongation",
            Kind::Number(PLAIN, Range::Between(1.0, 100.0)),
            Need::Default("1"),
            "The ratio of length to width.",
        ),
    ],
    tag: None,
};

static POLYHEDRON: Section = Section {
    title: "shape.polyhedron",
    doc: "Tetrahedra, cubes, octahedra, dodecahedra and icosahedra, optionally truncated and stretched. For example \
          `shape = { polyhedron = { faces = 8, truncation = 0.2 } }`.",
    keys: &[
        key("faces", Kind::Integer { min: 4, max: 20 }, Need::Required, "4, 6, 8, 12 or 20."),
        key(
            "truncation",
            Kind::Number(PLAIN, Range::Between(0.0, 0.5)),
            Need::Default("0"),
            "The fraction of each edge cut off at each end, or the smallest such fraction.",
        ),
        key(
            "truncation_max",
            Kind::Number(PLAIN, Range::Between(0.0, 0.5)),
            Need::Chosen("`truncation`"),
            "The largest fraction; each grain draws its own uniformly in between.",
        ),
        SHAPE_STRETCH,
    ],
    tag: None,
};

static RANDOM_POLYHEDRON: Section = Section {
    title: "shape.random_polyhedron",
    doc: "The convex hull of random, well-separated points on a sphere, which is then stretched. For example \
          `shape = { random_polyhedron = { vertices = 20 } }`.",
    keys: &[
        key(
            "vertices",
            Kind::Integer { min: 4, max: 1000 },
            Need::Required,
            "The number of corners, or the smallest one.",
        ),
        key(
            "vertices_max",
            Kind::Integer { min: 4, max: 1000 },
            Need::Chosen("`vertices`"),
            "The largest number of corners; each grain draws its own, all equally likely.",
        ),
        SHAPE_STRETCH,
    ],
    tag: None,
};

const SHAPE_STRETCH: Key = key(
    "stretch",
    Kind::Vector(PLAIN),
    Need::Default("[1, 1, 1]"),
    "Stretch factors along the three axes, applied before scaling to size.",
);

static VORONOI_CELL: Section = Section {
    title: "shape.voronoi",
    doc: "Each grain is the Voronoi cell of a point among random points: `shape = { voronoi = {} }`.",
    keys: &[],
    tag: None,
};

static BOX: Section = Section {
    title: "shape.box",
    doc: "The size follows from the edges, unless `radius` or `diameter` is given. For example \
          `shape = { box = { edges = [\"20 cm\", \"10 cm\", \"5 cm\"] } }`.",
    keys: &[key("edges", Kind::Vector(LENGTH), Need::Required, "The edges along x, y, z.")],
    tag: None,
};

static HULL: Section = Section {
    title: "shape.hull",
    doc: "The size follows from the points, unless `radius` or `diameter` is given.",
    keys: &[key("points", Kind::List(&Kind::Vector(LENGTH)), Need::Required, "The points.")],
    tag: None,
};

static FILE: Section = Section {
    title: "shape.file",
    doc: "The surface must be closed and convex, with faces counterclockwise as seen from outside; otherwise the error \
          says where it is not. The body is scaled to the size of the grain.",
    keys: &[
        key("path", Kind::Text, Need::Required, "The file, relative to the folder of the scene."),
        key("hull", Kind::Bool, Need::Default("false"), "Use the convex hull of the points and ignore the faces."),
    ],
    tag: None,
};

static CLUSTER: Section = Section {
    title: "shape.cluster",
    doc: "The size follows from the parts, unless `radius` or `diameter` is given. Parts may overlap: the overlap counts \
          once in mass and inertia, to an accuracy of 1e-4 (exact if no parts overlap).",
    keys: &[
        key("balls", Kind::Tables(&CLUSTER_BALL, Fill::Defaults), Need::Optional, "Spheres, or disks in 2D."),
        key(
            "bodies",
            Kind::List(&Kind::List(&Kind::Vector(LENGTH))),
            Need::Optional,
            "Convex bodies, each given by its corners.",
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
pub(super) const SHAPED: &[Key; 2] = &[
    key("shape", SHAPE, Need::Optional, "The shape of the grains; spheres (disks in 2D) if omitted."),
    key(
        "orientation",
        Kind::Choice(&[("random", "uniformly random orientations"), ("aligned", "oriented as described")]),
        Need::Default("\"random\""),
        "The orientation of grains that are not spheres.",
    ),
];

const JOINT: Key =
    key("joint", Kind::Number(LENGTH, Range::NotNegative), Need::Default("0"), "The gap between neighbours.");

/// Blocks by their corners or from a file.
pub(super) const BLOCKS: &[Key] = &[
    key(
        "corners",
        Kind::List(&Kind::List(&Kind::Vector(LENGTH))),
        Need::Optional,
        "The corners of each block; the block is their convex hull.",
    ),
    in_space(key("path", Kind::Text, Need::Optional, "An STL or OBJ file; every closed surface in it is a block.")),
    in_space(key(
        "scale",
        Kind::Number(PLAIN, Range::Positive),
        Need::Default("1"),
        "Metres per length unit of the file.",
    )),
    in_space(key(
        "hull",
        Kind::Bool,
        Need::Default("false"),
        "Use the convex hull of each surface and ignore its faces.",
    )),
];

/// Brickwork.
pub(super) const BRICKS: &[Key] = &[
    key("lower", Kind::Vector(LENGTH), Need::Required, "The lower corner of the first brick."),
    key("brick", Kind::Vector(LENGTH), Need::Required, "The edge lengths of a brick along x, y, z."),
    key(
        "columns",
        Kind::Integer { min: 1, max: 100_000 },
        Need::Default("1"),
        "The number of bricks in a course, along x.",
    ),
    key("courses", Kind::Integer { min: 1, max: 100_000 }, Need::Required, "The number of courses."),
    key(
        "bond",
        Kind::Number(PLAIN, Range::Between(0.0, 0.9)),
        Need::Default("0.5"),
        "The fraction of a brick by which every other course is shifted along x; cut bricks close its ends. With 0, bricks \
         are stacked directly above each other.",
    ),
    JOINT,
];

/// The voussoirs of an arch.
pub(super) const ARCH: &[Key] = &[
    key("centre", Kind::Vector(LENGTH), super::keys::ZEROS, "The centre of the circle."),
    key("radius", Kind::Number(LENGTH, Range::Positive), Need::Required, "The radius of the centre line."),
    key(
        "thickness",
        Kind::Number(LENGTH, Range::Positive),
        Need::Required,
        "The thickness of the arch, along the radius.",
    ),
    key("voussoirs", Kind::Integer { min: 2, max: 10_000 }, Need::Required, "The number of blocks, all equal."),
    key(
        "angle",
        Kind::Number(ANGLE, Range::Between(0.01, std::f64::consts::PI)),
        Need::Default("\"180 deg\""),
        "The angle subtended by the arch at the centre; 180 deg is a semicircle standing on a plane through the centre.",
    ),
    in_space(key(
        "depth",
        Kind::Number(LENGTH, Range::Positive),
        Need::Required,
        "The depth along y, centred; the arch lies in the x-z plane.",
    )),
];

/// A broken block of rock.
pub(super) const VORONOI: &[Key] =
    &[key("count", Kind::Integer { min: 2, max: 100_000 }, Need::Required, "The number of cells."), JOINT];
