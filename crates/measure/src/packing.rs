//! What is measured: grains, walls and contacts at one time, in plain numbers of either dimension.
//!
//! A [`Packing`] is made from a [`World`] while a run goes on ([`Packing::of`]), or from a stored snapshot by whoever
//! reads files, so that one code measures both.

use crate::is_grain;
use crate::linear::{add, scaled, sub};
use riprap_engine::{
    AnyWorld, Crack, D3, Dim, Link, PartShape, Primitive, Shape, Status, Vector, World, for_any_world,
};

/// Grains, walls and contacts at one time. In 2D the third component of vectors is zero and spins are in the third.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packing {
    /// 2 or 3.
    pub dimension: usize,
    /// Steps done.
    pub step: u64,
    /// Time.
    pub time: f64,
    /// Gravity.
    pub gravity: [f64; 3],
    /// The lower corner of the first period.
    pub origin: [f64; 3],
    /// The length of a period along each axis; zero where the axis is not periodic.
    pub period: [f64; 3],
    /// The grains, by increasing number.
    pub grains: Vec<Grain>,
    /// The walls.
    pub walls: Vec<Wall>,
    /// The contacts; none if they were not stored.
    pub contacts: Option<Vec<Contact>>,
    /// Where bonds have broken.
    pub cracks: Vec<CrackPlace>,
}

/// Where a bond has broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrackPlace {
    /// The middle of the joint.
    pub point: [f64; 3],
    /// Its normal.
    pub normal: [f64; 3],
    /// Its area (its length times 1 m in 2D).
    pub area: f64,
}

impl CrackPlace {
    /// The corners of its outline: in 2D its two ends, in 3D those of an octagon of its area.
    pub fn outline(&self, dimension: usize) -> Vec<[f64; 3]> {
        let [x, y, _] = self.normal;
        if dimension == 2 {
            let along = [-0.5 * self.area * y, 0.5 * self.area * x, 0.0];
            return vec![sub(self.point, along), add(self.point, along)];
        }
        let [a, b] = D3::tangents(self.normal.into()).map(|tangent| tangent.to_array());
        // An octagon of radius r has the area 2√2 r².
        let radius = (self.area / 8.0_f64.sqrt()).sqrt();
        let corner = |k: usize| {
            let (sin, cos) = (std::f64::consts::FRAC_PI_4 * k as f64).sin_cos();
            add(self.point, add(scaled(a, radius * cos), scaled(b, radius * sin)))
        };
        (0..8).map(corner).collect()
    }
}

/// A free body with a volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grain {
    /// Its id, by which it is known from snapshot to snapshot.
    pub id: u32,
    /// Centre, folded back into the first period.
    pub position: [f64; 3],
    /// How many periods it has really gone beyond `position`.
    pub image: [i32; 3],
    /// Orientation, a quaternion (x, y, z, w).
    pub orientation: [f64; 4],
    /// Velocity.
    pub velocity: [f64; 3],
    /// Spin.
    pub spin: [f64; 3],
    /// Radius; of any other body that of the ball with the same volume.
    pub radius: f64,
    /// Volume (area times 1 m in 2D).
    pub volume: f64,
    /// Mass; zero where a file does not say.
    pub mass: f64,
    /// Its material, by the order of their names.
    pub material: u16,
    /// Its group, by the order of their names.
    pub group: u16,
    /// What it is put together from, about its centre as it stands; empty for a ball.
    pub parts: Vec<Part>,
}

/// A convex piece of a grain that is not a ball, relative to the grain's centre, in the frame of the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A ball.
    Ball {
        /// Its centre.
        centre: [f64; 3],
        /// Its radius.
        radius: f64,
    },
    /// The convex hull of these corners.
    Hull(Vec<[f64; 3]>),
}

/// Any body that is not a grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// Its id.
    pub id: u32,
    /// Its name in the scene.
    pub name: String,
    /// Position.
    pub position: [f64; 3],
    /// Orientation, a quaternion (x, y, z, w).
    pub orientation: [f64; 4],
    /// Velocity.
    pub velocity: [f64; 3],
    /// Its surface, as it stands.
    pub surface: WallSurface,
    /// How deep each of its pieces is worn (m); empty where that is not known.
    pub wear: Vec<f64>,
}

/// The surface of a wall, turned into the frame of the world.
#[derive(Clone, Debug, PartialEq)]
pub enum WallSurface {
    /// One that a formula describes.
    Primitive(Primitive),
    /// Any other body: corners of its pieces about its position (segments or triangles of a mesh, hulls of bodies).
    Pieces(Vec<Vec<[f64; 3]>>),
}

impl WallSurface {
    /// The surface of a shape that is turned.
    pub fn of_shape<D: Dim>(shape: &Shape<D>, orientation: D::Orientation) -> WallSurface {
        if let Some(primitive) = Primitive::of(shape) {
            return WallSurface::Primitive(primitive.turned::<D>(orientation));
        }
        let turned = |vector: D::Vector| D::rotate(orientation, vector).to_array3();
        WallSurface::Pieces(match shape {
            Shape::Mesh(mesh) => {
                let corners = |face: &[u32; 3]| {
                    face[..D::AXES].iter().map(|&corner| turned(mesh.vertices[corner as usize])).collect()
                };
                mesh.faces.iter().map(|face| corners(&face.vertices)).collect()
            }
            _ => {
                let corners = |part| match part {
                    Part::Hull(corners) => corners,
                    Part::Ball { centre, .. } => vec![centre],
                };
                parts_of_shape(shape, orientation).into_iter().map(corners).collect()
            }
        })
    }
}

/// What a contact ends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// A grain, by its place in [`Packing::grains`].
    Grain(u32),
    /// A wall, by its place in [`Packing::walls`].
    Wall(u32),
}

/// A contact, or a capillary bridge. The normal points from body 1 to body 2; the force acts on body 2 and is that of
/// both together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Body 1 and body 2.
    pub ends: [End; 2],
    /// Unit vector from body 1 to body 2.
    pub normal: [f64; 3],
    /// From the centre of each body, in the image that touches, to the contact point; zero for a wall.
    pub arms: [[f64; 3]; 2],
    /// Force on body 2.
    pub force: [f64; 3],
    /// Signed gap; negative is overlap.
    pub gap: f64,
    /// What it did in the last step.
    pub status: Status,
}

impl Contact {
    /// From centre to centre, from body 1 to body 2; from or to the contact point at a wall.
    pub fn branch(&self) -> [f64; 3] {
        sub(self.arms[0], self.arms[1])
    }

    /// True if it carries a force.
    pub fn bears(&self) -> bool {
        self.force != [0.0; 3]
    }

    /// The places of its grains.
    pub fn grains(&self) -> impl Iterator<Item = usize> + use<> {
        self.ends.into_iter().filter_map(|end| match end {
            End::Grain(row) => Some(row as usize),
            End::Wall(_) => None,
        })
    }
}

impl Grain {
    /// Where it really is, with all periods that it has gone.
    pub fn unfolded(&self, period: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| self.position[axis] + f64::from(self.image[axis]) * period[axis])
    }

    /// How far it reaches from its centre, down and up along each axis.
    pub fn bounds(&self) -> [[f64; 2]; 3] {
        if self.parts.is_empty() {
            return [[-self.radius, self.radius]; 3];
        }
        let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        let mut reach = |point: &[f64; 3], radius: f64| {
            for axis in 0..3 {
                bounds[axis][0] = bounds[axis][0].min(point[axis] - radius);
                bounds[axis][1] = bounds[axis][1].max(point[axis] + radius);
            }
        };
        for part in &self.parts {
            match part {
                Part::Ball { centre, radius } => reach(centre, *radius),
                Part::Hull(corners) => corners.iter().for_each(|corner| reach(corner, 0.0)),
            }
        }
        bounds
    }

    /// The lever arm of a contact, from the centre to the contact point. For a ball it follows from radius and gap; for
    /// other bodies the contact point has to be known, in any image.
    pub fn arm(&self, towards: [f64; 3], gap: f64, point: [f64; 3], period: [f64; 3]) -> [f64; 3] {
        if self.parts.is_empty() {
            return scaled(towards, self.radius + 0.5 * gap);
        }
        let arm = sub(point, self.position);
        std::array::from_fn(|axis| {
            let period = period[axis];
            if period > 0.0 { arm[axis] - (arm[axis] / period).round() * period } else { arm[axis] }
        })
    }
}

impl Packing {
    /// The packing of a world as it is.
    pub fn of<D: Dim>(world: &World<D>) -> Packing {
        let (mut packing, ends) = Packing::bodies_of(world);
        let contacts = shown_links(world).map(|(link, status)| {
            let contact = Contact {
                ends: link.bodies.map(|body| ends[body as usize]),
                normal: link.normal.to_array3(),
                arms: [[0.0; 3]; 2],
                force: link.force.to_array3(),
                gap: link.gap,
                status,
            };
            packing.with_arms(contact, link.point.to_array3())
        });
        packing.contacts = Some(contacts.collect());
        let crack = |crack: &Crack<D>| {
            let [point, normal] = world.place_of(crack);
            let folded = world.state.cell.shift(world.state.cell.periods(point));
            CrackPlace { point: (point - folded).to_array3(), normal: normal.to_array3(), area: crack.area }
        };
        packing.cracks = world.state.cracks.iter().map(crack).collect();
        packing
    }

    /// Grains and walls alone: contacts take most of the memory.
    pub fn without_contacts<D: Dim>(world: &World<D>) -> Packing {
        Packing::bodies_of(world).0
    }

    /// Grains and walls, and what each body is.
    fn bodies_of<D: Dim>(world: &World<D>) -> (Packing, Vec<End>) {
        let mut packing = Packing {
            dimension: D::AXES,
            step: world.state.step,
            time: world.state.time,
            gravity: world.gravity.at(world.state.time).to_array3(),
            origin: world.state.cell.origin.to_array3(),
            period: world.state.cell.period.to_array3(),
            ..Packing::default()
        };
        let mut ends = Vec::with_capacity(world.bodies.len());
        for (index, body) in world.bodies.iter().enumerate() {
            ends.push(if is_grain(body) {
                packing.grains.push(grain(world, index));
                End::Grain(packing.grains.len() as u32 - 1)
            } else {
                packing.walls.push(wall(world, index));
                End::Wall(packing.walls.len() as u32 - 1)
            });
        }
        (packing, ends)
    }

    /// The packing of a world of either dimension.
    pub fn of_any(world: &AnyWorld) -> Packing {
        for_any_world!(world, world => Packing::of(world))
    }

    /// The contact with the lever arms that follow from the contact point, in any periodic image; those it has are ignored.
    pub fn with_arms(&self, contact: Contact, point: [f64; 3]) -> Contact {
        let Contact { ends, normal, gap, .. } = contact;
        let arm = |end: End, towards: [f64; 3]| match end {
            End::Grain(row) => self.grains[row as usize].arm(towards, gap, point, self.period),
            End::Wall(_) => [0.0; 3],
        };
        Contact { arms: [arm(ends[0], normal), arm(ends[1], scaled(normal, -1.0))], ..contact }
    }

    /// The mean radius of the grains; zero if there is none.
    pub fn mean_radius(&self) -> f64 {
        let sum: f64 = self.grains.iter().map(|grain| grain.radius).sum();
        if self.grains.is_empty() { 0.0 } else { sum / self.grains.len() as f64 }
    }

    /// True if an axis is periodic.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.period[axis] > 0.0
    }

    /// Where contact lines begin: the centre of body 1, or the contact point on a wall. The line goes on by
    /// [`Contact::branch`].
    pub fn start(&self, contact: &Contact) -> [f64; 3] {
        match contact.ends {
            [End::Grain(row), _] => self.grains[row as usize].position,
            [End::Wall(_), End::Grain(row)] => sub(self.grains[row as usize].position, contact.branch()),
            [End::Wall(_), End::Wall(row)] => self.walls[row as usize].position,
        }
    }

    /// Where a contact is.
    pub fn point(&self, contact: &Contact) -> [f64; 3] {
        add(self.start(contact), contact.arms[0])
    }
}

/// The contacts and bridges of a world that a packing has, with what they did in the last step.
pub fn shown_links<D: Dim>(world: &World<D>) -> impl Iterator<Item = (Link<D>, Status)> {
    world.links().filter_map(|link| {
        let status = link.contact.map_or(Status::Open, |index| world.state.contacts[index].status);
        // Pairs that came near but neither touched nor acted are the solver's business only.
        let is_shown = status != Status::Open || link.gap <= 0.0 || link.attraction != 0.0;
        is_shown.then_some((link, status))
    })
}

fn grain<D: Dim>(world: &World<D>, index: usize) -> Grain {
    let (body, state) = (&world.bodies[index], &world.state);
    let image = state.cell.periods(state.position[index]);
    let place = state.position[index] - state.cell.shift(image);
    let orientation = state.orientation[index];
    let volume = body.shape.volume();
    Grain {
        id: state.id[index].0,
        position: place.to_array3(),
        image: image.map(i32::from),
        orientation: D::quaternion(orientation),
        velocity: state.cell.carried(place, state.velocity[index]).to_array3(),
        spin: spin_array::<D>(state.spin[index]),
        radius: body.shape.ball_radius().unwrap_or_else(|| radius_of_volume(D::AXES, volume)),
        volume,
        mass: body.mass,
        material: body.material,
        group: body.group,
        parts: parts_of_shape(&body.shape, orientation),
    }
}

/// The convex pieces of a body that is not a ball, about its centre and in the frame of the world.
pub fn parts_of_shape<D: Dim>(shape: &Shape<D>, orientation: D::Orientation) -> Vec<Part> {
    let turned = |vector: D::Vector| D::rotate(orientation, vector).to_array3();
    match shape {
        Shape::Convex(convex) => vec![Part::Hull(convex.vertices.iter().map(|&vertex| turned(vertex)).collect())],
        Shape::Cluster(cluster) => cluster
            .parts
            .iter()
            .map(|part| match &part.shape {
                PartShape::Ball { radius } => Part::Ball { centre: turned(part.position), radius: *radius },
                PartShape::Convex(convex) => {
                    let placed = |&vertex| turned(part.position + D::rotate(part.orientation, vertex));
                    Part::Hull(convex.vertices.iter().map(placed).collect())
                }
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn wall<D: Dim>(world: &World<D>, index: usize) -> Wall {
    let (body, state) = (&world.bodies[index], &world.state);
    Wall {
        id: state.id[index].0,
        name: body.name.as_deref().unwrap_or_default().into(),
        position: state.position[index].to_array3(),
        orientation: D::quaternion(state.orientation[index]),
        velocity: state.velocity[index].to_array3(),
        surface: WallSurface::of_shape(&body.shape, state.orientation[index]),
        wear: Vec::new(),
    }
}

/// The radius of the ball of this volume (in 2D of the disk, 1 m thick).
pub fn radius_of_volume(dimension: usize, volume: f64) -> f64 {
    use std::f64::consts::PI;
    if dimension == 2 { (volume / PI).sqrt() } else { (0.75 * volume / PI).cbrt() }
}

/// The turn in the plane is about the third axis.
fn spin_array<D: Dim>(spin: D::Spin) -> [f64; 3] {
    if D::SPINS == 1 { [0.0, 0.0, spin.get(0)] } else { spin.to_array3() }
}
