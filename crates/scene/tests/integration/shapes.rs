//! What angular grains and blocks are made of.

use crate::built;
use riprap_engine::{AnyWorld, D2, D3, Dim, Form, GrainTable, Shape, Vector, World};

const HEAD: &str =
    "[materials.glass]\ndensity = 2500\nfriction = 0.5\n[[stages]]\nname = \"fall\"\nend = { time = 1 }\n";
const BOX_2D: &str = "[[walls]]\nname = \"box\"\nshape = \"box\"\nlower = [0, 0]\nupper = [1, 1]\n";
const BOX_3D: &str = "[[walls]]\nname = \"box\"\nshape = \"box\"\nlower = [0, 0, 0]\nupper = [1, 1, 1]\n";

fn sample(dimension: usize, text: &str) -> (GrainTable, AnyWorld) {
    let (_, grains, world) = built("shapes.toml", &format!("dimension = {dimension}\n{HEAD}{text}"));
    (grains, world)
}

fn random(dimension: usize, shape: &str) -> (GrainTable, AnyWorld) {
    let walls = if dimension == 2 { BOX_2D } else { BOX_3D };
    let entry = "[[grains]]\nsample = \"random\"\ncount = 40\nradius = { uniform = { min = 0.02, max = 0.04 } }\n";
    sample(dimension, &format!("{walls}{entry}shape = {{ {shape} }}\n"))
}

fn corners(grains: &GrainTable, grain: usize) -> usize {
    match &grains.forms[grains.form[grain].expect("it is angular") as usize] {
        Form::Convex(surface) => surface.vertices.len(),
        other => panic!("{other:?}"),
    }
}

/// The sum of the volumes of all grains (in 2D areas).
fn volume<D: Dim>(world: &World<D>) -> f64 {
    world.free_bodies().map(|body| world.bodies[body].shape.volume()).sum()
}

/// Every grain reaches as far as its radius says, and weighs what its volume says.
fn is_sound<D: Dim>(world: &World<D>, grains: &GrainTable) {
    for body in world.free_bodies() {
        let shape = &world.bodies[body].shape;
        let radius = shape.bounding_radius().expect("it is bounded");
        assert!((radius / grains.radius[body] - 1.0).abs() < 1e-12);
        assert!((world.bodies[body].mass / (2500.0 * shape.volume()) - 1.0).abs() < 1e-12);
        assert!((0..D::SPINS).all(|i| shape.inertia().get(i) > 0.0));
    }
}

#[test]
fn shapes_have_their_corners_and_their_sizes() {
    for (dimension, shape, range) in [
        (2, "polygon = { sides = 3, sides_max = 8 }", 3..=8),
        (2, "rectangle = { aspect = 1, aspect_max = 3 }", 4..=4),
        (2, "random_polygon = { vertices = 5, vertices_max = 9, elongation = 1.5 }", 5..=9),
        (2, "voronoi = {}", 3..=20),
        (3, "cuboid = { aspect = 1, aspect_max = 2 }", 8..=8),
        (3, "polyhedron = { faces = 12 }", 20..=20),
        (3, "polyhedron = { faces = 8, truncation = 0.1, truncation_max = 0.4, stretch = [1, 1.2, 1.5] }", 24..=24),
        (3, "random_polyhedron = { vertices = 12, vertices_max = 24 }", 12..=24),
        (3, "voronoi = {}", 4..=80),
        (3, "hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]] }", 4..=4),
        (3, "file = { path = \"cube.stl\" }", 8..=8),
        (3, "file = { path = \"open.stl\", hull = true }", 8..=8),
    ] {
        let (grains, world) = random(dimension, shape);
        let counts: Vec<usize> = (0..grains.len()).map(|grain| corners(&grains, grain)).collect();
        assert!(counts.iter().all(|count| range.contains(count)), "{shape}: {counts:?}");
        if range.start() < range.end() {
            assert!(counts.iter().any(|count| *count != counts[0]), "{shape}: {counts:?}");
        }
        match &world {
            AnyWorld::D2(world) => is_sound(world, &grains),
            AnyWorld::D3(world) => is_sound(world, &grains),
        }
        assert_eq!(random(dimension, shape).0, grains, "{shape}: a seed gives the same sample");
        let other = random(dimension, &format!("{shape} }}\norientation = \"aligned\"\n#{{")).0;
        assert_eq!(other.position, grains.position, "{shape}: an orientation does not change where grains are");
        assert_ne!(other.orientation, grains.orientation, "{shape}");
    }
}

#[test]
fn a_clump_of_spheres_is_one_grain() {
    let (grains, world) =
        random(3, "cluster = { balls = [{ centre = [0, 0, 0], radius = 1 }, { centre = [2, 0, 0], radius = 1 }] }");
    let AnyWorld::D3(world) = world else { panic!("in space") };
    is_sound(&world, &grains);
    let Shape::Cluster(cluster) = &world.bodies[0].shape else { panic!("a cluster") };
    // Two spheres of half its radius.
    let ball = D3::ball_volume(0.5 * grains.radius[0]);
    assert!((cluster.volume / (2.0 * ball) - 1.0).abs() < 1e-12);
}

#[test]
fn a_box_in_a_list_is_as_large_as_its_edges_and_turned_as_it_says() {
    let (grains, world) = sample(
        2,
        "[[grains]]\nsample = \"list\"\npositions = [[0, 0], [1, 0]]\norientations = [0, \"90 deg\"]\n\
         shape = { box = { edges = [0.4, 0.2] } }\n",
    );
    let AnyWorld::D2(world) = world else { panic!("in the plane") };
    assert!((grains.radius[0] - 0.05_f64.sqrt()).abs() < 1e-15);
    assert!((volume(&world) - 0.16).abs() < 1e-15);
    let Shape::Convex(convex) = &world.bodies[1].shape else { panic!("a polygon") };
    let reach = |axis: usize| {
        let corner = |&vertex| D2::rotate(world.state.orientation[1], vertex).get(axis);
        convex.vertices.iter().map(corner).fold(0.0, f64::max)
    };
    assert!((reach(0) - 0.1).abs() < 1e-15 && (reach(1) - 0.2).abs() < 1e-15);
}

#[test]
fn an_arch_is_a_ring_of_straight_edged_voussoirs_on_the_ground() {
    // The area of N trapezoids between the radii R ± t/2 is N R t sin(π/N).
    for (dimension, depth) in [(2, String::new()), (3, "depth = 0.3\n".to_owned())] {
        let (grains, world) = sample(
            dimension,
            &format!("[[grains]]\nsample = \"arch\"\nradius = 2\nthickness = 0.3\nvoussoirs = 11\n{depth}"),
        );
        assert_eq!(grains.len(), 11);
        let area = 11.0 * 2.0 * 0.3 * (std::f64::consts::PI / 11.0).sin();
        let overlaps = world.overlaps(1e-12).len();
        let volume = match &world {
            AnyWorld::D2(world) => volume(world),
            AnyWorld::D3(world) => volume(world) / 0.3,
        };
        assert!((volume / area - 1.0).abs() < 1e-13, "{volume}, expected {area}");
        assert_eq!(overlaps, 0);
        // It is symmetric, with the keystone above the centre.
        assert!(grains.position[5][0].abs() < 1e-15 && grains.position[5][dimension - 1] > 1.9);
        assert!((grains.position[0][0] + grains.position[10][0]).abs() < 1e-14);
    }
}

#[test]
fn brickwork_has_straight_ends() {
    let (grains, world) = sample(
        3,
        "[[grains]]\nsample = \"bricks\"\nlower = [0, 0, 0]\nbrick = [0.25, 0.12, 0.065]\ncolumns = 12\ncourses = 16\n",
    );
    assert_eq!(grains.len(), 200);
    assert!(world.overlaps(1e-9).is_empty());
    let AnyWorld::D3(world) = world else { panic!("in space") };
    assert!((volume(&world) / (3.0 * 0.12 * 16.0 * 0.065) - 1.0).abs() < 1e-12);
}

#[test]
fn a_broken_block_fills_its_box() {
    for (dimension, walls) in [(2, BOX_2D), (3, BOX_3D)] {
        let (grains, world) = sample(dimension, &format!("{walls}[[grains]]\nsample = \"voronoi\"\ncount = 50\n"));
        let volume = match &world {
            AnyWorld::D2(world) => volume(world),
            AnyWorld::D3(world) => volume(world),
        };
        assert_eq!(grains.len(), 50);
        assert!((volume - 1.0).abs() < 1e-6, "{volume}");
    }
}

#[test]
fn walls_of_blocks_and_meshes_keep_grains_clear() {
    // A cube from a file in the middle of the box, and a block beside it.
    let (grains, world) = sample(
        3,
        &format!(
            "{BOX_3D}[[walls]]\nname = \"stone\"\nshape = \"mesh\"\npath = \"cube.stl\"\nscale = 0.4\n\
             centre = [0.3, 0.3, 0.3]\n[[walls]]\nname = \"step\"\nshape = \"block\"\ncorners = [[0, 0, 0], [1, 0, 0], \
             [0, 0.2, 0], [1, 0.2, 0], [0, 0, 0.2], [1, 0, 0.2], [0, 0.2, 0.2], [1, 0.2, 0.2]]\n\
             [[grains]]\nsample = \"random\"\ncount = 200\nradius = 0.03\n"
        ),
    );
    let inside = |p: &[f64; 3], low: [f64; 3], high: [f64; 3]| {
        // The distance from a box along the axes.
        let out = |i: usize| (low[i] - p[i]).max(p[i] - high[i]).max(0.0);
        (0..3).map(|i| out(i) * out(i)).sum::<f64>().sqrt() < 0.03 - 1e-12
    };
    for position in &grains.position {
        assert!(!inside(position, [0.0; 3], [1.0, 0.2, 0.2]), "{position:?}");
        let in_hollow = position.iter().all(|x| (0.33..=0.67).contains(x));
        assert!(in_hollow || !inside(position, [0.3; 3], [0.7; 3]), "{position:?}");
    }
    assert!(world.overlaps(1e-9).is_empty());
}
