//! Small worlds to write and read back.

use glam::{DQuat, DVec2, DVec3};
use riprap_engine::{
    AnyWorld, Body, BodyId, Breaking, Cell, Cluster, Contact, ContactExtras, Convex, Crack, D2, D3, Dim, FaceLoad,
    Materials, Mesh, PairLaw, Part, PartShape, Placement, Scheme, Settings, Shape, Status, Vector, WallWear, World,
};
use std::sync::Arc;

fn empty<D: Dim>(cell: Cell<D>) -> World<D> {
    let settings = Settings { scheme: Scheme::Midpoint { tolerance: 0.0 }, ..Settings::new(1e-3) };
    let materials = Materials::new([
        ("glass".to_string(), PairLaw::frictional(0.3)),
        ("dark steel".to_string(), PairLaw::frictional(0.5)),
    ]);
    let mut world = World::new(settings);
    world.state.cell = cell;
    world.materials = materials;
    world.groups = vec!["bed".into(), "rain".into()];
    world.state.step = 123;
    world.state.time = 0.123_456_789_012_345_67;
    world
}

fn contact<D: Dim>(bodies: [u32; 2], offset: [i16; 3], status: Status, gap: f64) -> Contact<D> {
    Contact {
        bodies,
        offset,
        feature: 0,
        status,
        normal: D::Vector::axis(0),
        point: D::Vector::from_fn(|k| 0.1 * (k + 1) as f64),
        gap,
        impulse: D::Vector::from_fn(|k| if status == Status::Open { 0.0 } else { 1.0 / 3.0 + k as f64 }),
        velocity: D::Vector::from_fn(|k| -0.01 * k as f64),
        bonded: gap < 0.0,
    }
}

/// Torques and springs for so many contacts.
fn extras<D: Dim>(contacts: usize) -> Vec<ContactExtras<D>> {
    let extras = ContactExtras {
        torque: D::Spin::from_fn(|i| 0.25 - i as f64),
        spring: D::Vector::from_fn(|i| 1e-6 * i as f64),
        turn: D::Spin::from_fn(|i| 1e-3 + i as f64),
    };
    vec![extras; contacts]
}

/// Spheres in a domain that is periodic along x, with a wall of every shape, one of them turned.
pub fn spheres() -> AnyWorld {
    let cell = Cell::new(DVec3::new(-0.5, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0));
    let mut world = empty::<D3>(cell);
    let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let place = |x, y, z| Placement { position: DVec3::new(x, y, z), ..Placement::default() };
    world.add(Body::wall("floor", Shape::Plane { normal: DVec3::Z }).material(1), place(0.0, 0.0, 0.0));
    for i in 0..5 {
        let x = f64::from(i);
        world.add(
            Body::ball(0.1 + 0.01 * x, 2600.0).material((i % 2) as u16).group((i / 3) as u16),
            Placement {
                position: DVec3::new(1.0 / 3.0 + 0.7 * x, 0.1 * x, 0.2 + 0.1 * x),
                orientation: DQuat::from_rotation_x(0.3 * x),
                velocity: DVec3::new(0.1 * x, -0.2, 1e-300),
                spin: DVec3::new(-1.0, 0.5 * x, 7.0 / 3.0),
            },
        );
    }
    world.add(
        Body::wall("gate", Shape::Plate { half_edges: [DVec3::X, DVec3::Y * 0.5] }),
        Placement { orientation: quarter, ..place(1.0, 0.0, 1.0) },
    );
    world.add(Body::wall("drum", Shape::Drum { radius: 2.0, axis: DVec3::X }), place(0.0, 0.0, 1.0));
    world.add(Body::wall("rod", Shape::Rod { radius: 0.1, axis: DVec3::Y }), place(0.0, 0.0, 2.0));
    world.add(
        Body { motion: riprap_engine::Motion::fixed(), name: Some("stone".into()), ..Body::ball(0.3, 1.0).material(1) },
        place(0.0, 0.0, 3.0),
    );
    let face = FaceLoad { normal_impulse: 2.5, sliding_work: 1.0 / 3.0, worn_volume: 7e-12 };
    world.state.wear = [0, 6].map(|wall| WallWear { wall: BodyId(wall), faces: vec![face] }).to_vec();
    world.state.contacts = vec![
        contact([1, 2], [0, 0, 0], Status::Stick, -1e-5),
        contact([0, 3], [0, 0, 0], Status::Slide, 0.0),
        contact([1, 5], [-1, 0, 0], Status::Stick, 1e-7),
        contact([2, 3], [0, 0, 0], Status::Open, -1e-6),
        contact([2, 4], [0, 0, 0], Status::Open, 1e-3),
    ];
    world.state.extras = extras(5);
    world.state.cracks = vec![Crack {
        bodies: [1, 5],
        offset: [-1, 0, 0],
        step: 77,
        time: 0.077,
        arm: DVec3::new(0.1, -0.02, 1.0 / 3.0),
        normal: DVec3::X,
        area: 0.03,
        mode: Breaking::Shear,
        normal_force: -2.0,
        shear_force: 7.0,
    }];
    world.state.energy.kinetic = 1.25;
    let state = &mut world.state;
    state.search.time = 0.125;
    state.search.position.clone_from(&state.position);
    state.search.orientation.clone_from(&state.orientation);
    state.search.reach = (0..state.position.len()).map(|body| 0.01 * body as f64).collect();
    state.search.drift = state.velocity[0];
    AnyWorld::D3(world)
}

/// A cube, a clump of a ball and a box, a ball, a block and a mesh as walls: every kind of form.
pub fn solids() -> AnyWorld {
    let mut world = empty::<D3>(Cell::default());
    let corner = |i: usize| DVec3::from_array(std::array::from_fn(|axis| (i >> axis & 1) as f64));
    let cube: Vec<DVec3> = (0..8).map(|i| corner(i) * 0.2).collect();
    let placed = Convex::<D3>::hull(&cube).unwrap();
    let part = Part {
        shape: PartShape::Convex(placed.convex.clone()),
        position: placed.position,
        orientation: placed.orientation,
    };
    let knob = Part { shape: PartShape::Ball { radius: 0.05 }, position: DVec3::X * 0.5, orientation: DQuat::IDENTITY };
    let clump = Cluster::join(vec![part, knob]).unwrap();
    let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE], &[[0, 1, 2], [1, 3, 2]]).unwrap();
    let at = |x: f64, z: f64| Placement {
        position: DVec3::new(x, 0.1, z),
        orientation: DQuat::from_rotation_y(0.3 + x),
        ..Placement::default()
    };
    let cube = Shape::Convex(placed.convex);
    for i in 0..2 {
        world.add(Body::solid(cube.clone(), 2600.0), at(f64::from(i), 1.0));
    }
    world.add(Body::solid(Shape::Cluster(clump.cluster), 2600.0).material(1).group(1), at(2.0, 1.0));
    world.add(Body::ball(0.1, 2600.0).material(1).group(1), at(3.0, 1.0));
    world.add(Body::wall("anvil", cube), at(0.0, 0.0));
    world.add(Body::wall("slope", Shape::Mesh(Arc::new(mesh))), at(1.0, 0.0));
    AnyWorld::D3(world)
}

/// A triangle and a disk on a line of segments.
pub fn polygons() -> AnyWorld {
    let mut world = empty::<D2>(Cell::default());
    let triangle = Convex::<D2>::hull(&[DVec2::ZERO, DVec2::X, DVec2::Y]).unwrap();
    let mesh = Mesh::<D2>::new(&[DVec2::ZERO, DVec2::X, DVec2::ONE], &[[0, 1, 0], [1, 2, 0]]).unwrap();
    let place = Placement { position: DVec2::new(0.5, 2.0), orientation: 0.7, ..Placement::default() };
    world.add(Body::solid(Shape::Convex(triangle.convex), 2600.0), place);
    world.add(Body::ball(0.1, 2600.0), Placement::default());
    world.add(Body::wall("line", Shape::Mesh(Arc::new(mesh))), Placement::default());
    AnyWorld::D2(world)
}

/// Disks on a line, with a drum.
pub fn disks() -> AnyWorld {
    let mut world = empty::<D2>(Cell::default());
    let place = |x, y| Placement { position: DVec2::new(x, y), ..Placement::default() };
    world.add(Body::wall("floor", Shape::Plane { normal: DVec2::Y }).material(1), place(0.0, 0.0));
    for i in 0..3 {
        let x = f64::from(i);
        world.add(
            Body::ball(0.2, 2600.0).group(1),
            Placement {
                position: DVec2::new(0.4 * x, 0.2),
                orientation: 40.0 + 0.1 * x,
                velocity: DVec2::new(x, -x),
                spin: 2.0 + x,
            },
        );
    }
    world.add(Body::wall("drum", Shape::Drum { radius: 2.0, axis: DVec2::ZERO }), place(0.5, 1.0));
    world.state.contacts =
        vec![contact([1, 2], [0; 3], Status::Stick, 0.0), contact([0, 1], [0; 3], Status::Slide, -1e-9)];
    world.state.extras = extras(2);
    AnyWorld::D2(world)
}
