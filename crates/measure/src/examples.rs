//! Small worlds whose measures are known exactly.

use riprap_engine::{
    Body, Contact, D2, D3, Dim, GapVariant, Gravity, Materials, PairLaw, Placement, Scheme, Settings, Shape, Status,
    Vector, World,
};

pub fn empty<D: Dim>() -> World<D> {
    let settings = Settings { scheme: Scheme::Euler { gap: GapVariant::Keep }, ..Settings::new(1e-3) };
    let mut world = World::new(settings);
    world.materials = Materials::single("glass", PairLaw::frictional(0.5));
    world.gravity = Gravity::none();
    world.groups.push("grains".into());
    world
}

pub fn add_ball<D: Dim>(world: &mut World<D>, position: [f64; 3], radius: f64) -> u32 {
    world.add(Body::ball(radius, 1000.0), Placement::at(Vector::from_array3(position)));
    world.bodies.len() as u32 - 1
}

pub fn add_plane<D: Dim>(world: &mut World<D>, name: &str, point: [f64; 3], normal: [f64; 3]) -> u32 {
    let plane = Shape::Plane { normal: Vector::from_array3(normal) };
    world.add(Body::wall(name, plane), Placement::at(Vector::from_array3(point)));
    world.bodies.len() as u32 - 1
}

pub fn world_of_disks(disks: &[([f64; 2], f64)]) -> World<D2> {
    let mut world = empty();
    for &([x, y], radius) in disks {
        add_ball(&mut world, [x, y, 0.0], radius);
    }
    world
}

pub fn add_floor(world: &mut World<D2>) -> u32 {
    add_plane(world, "floor", [0.0; 3], [0.0, 1.0, 0.0])
}

pub fn touch<D: Dim>(world: &mut World<D>, a: u32, b: u32, normal: [f64; 2], impulse: [f64; 2]) {
    let vector = |[x, y]: [f64; 2]| D::Vector::from_array3([x, y, 0.0]);
    world.state.contacts.push(Contact {
        bodies: [a, b],
        offset: [0; 3],
        feature: 0,
        status: if impulse == [0.0, 0.0] { Status::Open } else { Status::Stick },
        normal: vector(normal),
        point: D::Vector::ZERO,
        gap: 0.0,
        impulse: vector(impulse),
        velocity: D::Vector::ZERO,
        bonded: false,
    });
}

/// Disks of radius 1/2 in rows and columns on a floor, all neighbours in bearing contact.
pub fn square_lattice(side: u32) -> World<D2> {
    let mut world = empty();
    for row in 0..side {
        for column in 0..side {
            add_ball(&mut world, [f64::from(column) + 0.5, f64::from(row) + 0.5, 0.0], 0.5);
        }
    }
    let floor = add_floor(&mut world);
    for row in 0..side {
        for column in 0..side {
            let i = row * side + column;
            if column + 1 < side {
                touch(&mut world, i, i + 1, [1.0, 0.0], [1.0, 0.0]);
            }
            if row + 1 < side {
                touch(&mut world, i, i + side, [0.0, 1.0], [0.0, 1.0]);
            }
            if row == 0 {
                touch(&mut world, floor, i, [0.0, 1.0], [0.0, 1.0]);
            }
        }
    }
    world
}

/// Spheres of radius 1/2 on a simple cubic lattice.
pub fn cubic_lattice(sides: [u32; 3]) -> World<D3> {
    let mut world = empty();
    for z in 0..sides[2] {
        for y in 0..sides[1] {
            for x in 0..sides[0] {
                add_ball(&mut world, [x, y, z].map(|c| f64::from(c) + 0.5), 0.5);
            }
        }
    }
    world
}

/// Two bodies in bearing contact, by the force of a step of 1 ms.
pub fn touch3(world: &mut World<D3>, a: u32, b: u32, normal: [f64; 3], force: [f64; 3]) {
    touch(world, a, b, [1.0, 0.0], [1.0, 0.0]);
    let contact = world.state.contacts.last_mut().unwrap();
    contact.normal = Vector::from_array3(normal);
    contact.impulse = <D3 as Dim>::Vector::from_array3(force) * world.settings.time_step;
}

/// Disks of radius 1/2 in rows and columns, periodic along both axes, with these forces across the bonds along x and y.
pub fn periodic_square_lattice(side: u32, force: [f64; 2]) -> World<D2> {
    let mut world = empty();
    for row in 0..side {
        for column in 0..side {
            add_ball(&mut world, [f64::from(column) + 0.5, f64::from(row) + 0.5, 0.0], 0.5);
        }
    }
    world.state.cell.period = Vector::from_array3([f64::from(side), f64::from(side), 0.0]);
    let impulse = force.map(|force| force * world.settings.time_step);
    for row in 0..side {
        for column in 0..side {
            let at = |row: u32, column: u32| (row % side) * side + column % side;
            touch(&mut world, at(row, column), at(row, column + 1), [1.0, 0.0], [impulse[0], 0.0]);
            touch(&mut world, at(row, column), at(row + 1, column), [0.0, 1.0], [0.0, impulse[1]]);
        }
    }
    world
}
