//! A picture of a world at one time, in plain columns of either dimension.

use crate::forms::FormColumns;
use crate::surfaces::grain_surfaces;
use riprap_engine::{
    AnyWorld, Body, Breaking, Crack, Dim, Form, GrainTable, Link, Passage, Primitive, Shape, Status, TableCell, Vector,
    World, for_any_world,
};
use std::collections::HashMap;
use std::sync::Arc;

/// No number of a snapshot is larger, in any unit: volumes of such lengths are still numbers.
const LARGEST: f64 = 1e100;

/// A picture of a world at one time. In 2D the third component of vectors is zero, and spins are in the third.
/// Bodies are identified by their ids, in `id` of grains and walls and in `body1`, `body2` of contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// 2 or 3.
    pub dimension: usize,
    /// Time.
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// The time step; zero where a file does not say.
    pub time_step: f64,
    /// Gravity at this time.
    pub gravity: [f64; 3],
    /// Periodic directions.
    pub cell: SnapshotCell,
    /// Names of materials.
    pub materials: Vec<String>,
    /// Names of groups.
    pub groups: Vec<String>,
    /// The grains.
    pub grains: GrainColumns,
    /// The walls.
    pub walls: Vec<Wall>,
    /// The contacts that touched or carried an impulse in the last step, and the capillary bridges beside them.
    pub contacts: ContactColumns,
    /// Where bonds have broken.
    pub cracks: CrackColumns,
    /// What the faces of the walls that grains have touched carried since the start.
    pub faces: FaceColumns,
    /// The membranes: the ids of the grains along each.
    pub membranes: Vec<Vec<u32>>,
    /// The forms of the grains and walls that are bodies of corners and faces, in their own frames.
    pub forms: Vec<Form>,
}

/// The periodic directions; a period is zero where the axis is not periodic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SnapshotCell {
    /// The lower corner of the first period.
    pub origin: [f64; 3],
    /// The length of a period along each axis.
    pub period: [f64; 3],
    /// How far the image one period up the last axis is shifted along the first.
    pub tilt: f64,
}

impl SnapshotCell {
    /// A position so many periods away.
    pub fn image(&self, position: [f64; 3], periods: [i32; 3], dimension: usize) -> [f64; 3] {
        let mut place: [f64; 3] = std::array::from_fn(|k| position[k] + f64::from(periods[k]) * self.period[k]);
        place[0] += f64::from(periods[dimension - 1]) * self.tilt;
        place
    }
}

/// Grains, one row each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainColumns {
    /// Ids, in increasing order.
    pub id: Vec<u32>,
    /// Centre, folded back into the first period.
    pub position: Vec<[f64; 3]>,
    /// How many periods the grain has really gone beyond `position`.
    pub image: Vec<[i32; 3]>,
    /// Orientation, a quaternion (x, y, z, w).
    pub orientation: Vec<[f64; 4]>,
    /// Velocity.
    pub velocity: Vec<[f64; 3]>,
    /// Spin.
    pub spin: Vec<[f64; 3]>,
    /// Radius; of a grain that is not a ball, the distance of its farthest point from its centre.
    pub radius: Vec<f64>,
    /// Mass; zero where a file does not say.
    pub mass: Vec<f64>,
    /// Index into [`Snapshot::materials`].
    pub material: Vec<u16>,
    /// Index into [`Snapshot::groups`].
    pub group: Vec<u16>,
    /// Index into [`Snapshot::forms`]; none for a ball. Empty if all grains are balls.
    pub form: Vec<Option<u32>>,
}

impl GrainColumns {
    /// The number of grains.
    pub fn len(&self) -> usize {
        self.radius.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.radius.is_empty()
    }
}

/// A wall: any body that is not a grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// Its id.
    pub id: u32,
    /// Its name in the scene.
    pub name: String,
    /// Its shape.
    pub shape: WallShape,
    /// Index into [`Snapshot::materials`].
    pub material: u16,
    /// Position.
    pub position: [f64; 3],
    /// Orientation, a quaternion (x, y, z, w).
    pub orientation: [f64; 4],
    /// Velocity.
    pub velocity: [f64; 3],
    /// Spin.
    pub spin: [f64; 3],
}

/// The shape of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WallShape {
    /// One that a formula describes, turned into the frame of the world.
    Primitive(Primitive),
    /// A convex body, a cluster or a mesh, which is in the wall's own frame.
    Form {
        /// Index into [`Snapshot::forms`].
        index: u32,
        /// The distance of its farthest point from the wall's position.
        radius: f64,
    },
}

/// Contacts, one row each. The normal points from body 1 to body 2; impulse and force act on body 2.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactColumns {
    /// Body 1.
    pub body1: Vec<u32>,
    /// Body 2.
    pub body2: Vec<u32>,
    /// The contact point, beside the grain as it is folded back (body 1 where both are grains).
    pub point: Vec<[f64; 3]>,
    /// Unit vector from body 1 to body 2.
    pub normal: Vec<[f64; 3]>,
    /// Signed gap; negative is overlap.
    pub gap: Vec<f64>,
    /// Impulse of the last step.
    pub impulse: Vec<[f64; 3]>,
    /// Impulse over time step, and the attraction of a capillary bridge where there is one.
    pub force: Vec<[f64; 3]>,
    /// Torque on body 2 besides that of the force: rolling and torsion.
    pub torque: Vec<[f64; 3]>,
    /// The attraction of a capillary bridge, contained in the force.
    pub attraction: Vec<f64>,
    /// What the contact did.
    pub status: Vec<Status>,
    /// Coulomb's friction of the pair, by the law of its materials: at rest for a contact that does not slide, else at the
    /// speed at which it slides. Empty where a file does not say.
    pub friction: Vec<f64>,
    /// True for a pair that a bond holds together. Empty where a file does not say.
    pub bonded: Vec<bool>,
}

/// Faces of walls, one row each: triangles of a mesh (in 2D segments), faces of a convex body, or any other wall as a whole.
/// The sums are from the start of the run, or from when the wall was added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceColumns {
    /// The id of the wall.
    pub wall: Vec<u32>,
    /// The number of the face in its wall, from 0.
    pub face: Vec<u32>,
    /// Its area; zero where it is endless or has no one area.
    pub area: Vec<f64>,
    /// The sum of normal impulses on it (N s).
    pub normal_impulse: Vec<f64>,
    /// The mean normal stress (Pa); zero where there is no area.
    pub normal_stress: Vec<f64>,
    /// The work of friction on it (J).
    pub sliding_work: Vec<f64>,
    /// The volume worn off it (m³).
    pub worn_volume: Vec<f64>,
    /// The mean depth worn off it (m); zero where there is no area.
    pub wear_depth: Vec<f64>,
}

impl FaceColumns {
    /// The number of faces.
    pub fn len(&self) -> usize {
        self.wall.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.wall.is_empty()
    }

    /// The columns of numbers, by name.
    pub fn numbers(&self) -> [(&'static str, &Vec<f64>); 6] {
        [
            ("area", &self.area),
            ("normal_impulse", &self.normal_impulse),
            ("normal_stress", &self.normal_stress),
            ("sliding_work", &self.sliding_work),
            ("worn_volume", &self.worn_volume),
            ("wear_depth", &self.wear_depth),
        ]
    }

    /// The row of a face of a wall, if the wall was touched; a wall that is one face has only that.
    pub fn row(&self, wall: u32, face: usize) -> Option<usize> {
        let first = self.wall.partition_point(|&id| id < wall);
        let rows = self.wall[first..].partition_point(|&id| id == wall);
        match rows {
            0 => None,
            1 => Some(first),
            _ => Some(first + face).filter(|_| face < rows),
        }
    }

    fn of<D: Dim>(world: &World<D>) -> FaceColumns {
        let mut columns = FaceColumns::default();
        for entry in &world.state.wear {
            let Some(body) = world.index_of(entry.wall) else { continue };
            let time = world.state.time - world.state.added_at[body];
            let areas = world.face_areas(body);
            for (face, (load, area)) in entry.faces.iter().zip(areas).enumerate() {
                let per_area = |value: f64| if area > 0.0 { value / area } else { 0.0 };
                columns.wall.push(entry.wall.0);
                columns.face.push(face as u32);
                columns.area.push(area);
                columns.normal_impulse.push(load.normal_impulse);
                columns.normal_stress.push(if time > 0.0 { per_area(load.normal_impulse) / time } else { 0.0 });
                columns.sliding_work.push(load.sliding_work);
                columns.worn_volume.push(load.worn_volume);
                columns.wear_depth.push(per_area(load.worn_volume));
            }
        }
        columns
    }
}

impl ContactColumns {
    /// The number of contacts.
    pub fn len(&self) -> usize {
        self.gap.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.gap.is_empty()
    }
}

/// Where bonds have broken, one row for each bond, in the order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrackColumns {
    /// Body 1 of the bond.
    pub body1: Vec<u32>,
    /// Body 2 of the bond.
    pub body2: Vec<u32>,
    /// The time at which it broke.
    pub time: Vec<f64>,
    /// How it broke.
    pub mode: Vec<Breaking>,
    /// The middle of the joint, as it has moved with body 1.
    pub point: Vec<[f64; 3]>,
    /// The normal of the joint, from body 1 to body 2.
    pub normal: Vec<[f64; 3]>,
    /// The area of the joint; zero where bodies touched at a corner.
    pub area: Vec<f64>,
}

impl CrackColumns {
    /// The number of cracks.
    pub fn len(&self) -> usize {
        self.area.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }
}

impl Snapshot {
    /// The picture of `world` as it is.
    pub fn of(world: &AnyWorld) -> Snapshot {
        for_any_world!(world, world => picture(world))
    }

    /// What no snapshot of a run can have: a reason to believe nothing of it.
    pub(crate) fn fault(&self) -> Option<String> {
        let Snapshot { grains, contacts, cracks, walls, forms, .. } = self;
        if !matches!(self.dimension, 2 | 3) {
            return Some(format!("the dimension is {}, expected 2 or 3", self.dimension));
        }
        let is_command = |name: &&String| name.chars().any(char::is_control);
        let names = self.materials.iter().chain(&self.groups).chain(walls.iter().map(|wall| &wall.name));
        if let Some(name) = { names }.find(is_command) {
            return Some(format!("the name {name:?} contains a control character"));
        }
        if let Some(radius) = grains.radius.iter().find(|radius| **radius < 0.0) {
            return Some(format!("a grain has radius {radius}"));
        }
        if let Some(period) = self.cell.period.iter().find(|period| **period < 0.0) {
            return Some(format!("a period is {period}"));
        }
        let of_walls = walls.iter().flat_map(|wall| {
            let (_, radius, directions) = wall.shape.parts();
            let vectors = [wall.position, wall.velocity, wall.spin, directions[0], directions[1]];
            vectors.into_iter().flatten().chain(wall.orientation).chain([radius])
        });
        let all = [
            (
                "the time or the domain",
                [&[self.time, self.time_step][..], &self.gravity, &self.cell.origin, &[self.cell.tilt]].concat(),
            ),
            ("a period", self.cell.period.to_vec()),
            ("a wall", of_walls.collect()),
        ];
        let of_faces = self.faces.numbers().map(|(_, column)| ("a number of a face", &column[..]));
        let forms = FormColumns::of(forms);
        let columns = [
            ("a position of a grain", grains.position.as_flattened()),
            ("an orientation of a grain", grains.orientation.as_flattened()),
            ("a velocity of a grain", grains.velocity.as_flattened()),
            ("a spin of a grain", grains.spin.as_flattened()),
            ("a radius", &grains.radius),
            ("a mass", &grains.mass),
            ("a contact point", contacts.point.as_flattened()),
            ("a normal", contacts.normal.as_flattened()),
            ("a gap", &contacts.gap),
            ("an impulse", contacts.impulse.as_flattened()),
            ("a force", contacts.force.as_flattened()),
            ("a torque", contacts.torque.as_flattened()),
            ("an attraction", &contacts.attraction),
            ("a friction", &contacts.friction),
            ("a crack", cracks.point.as_flattened()),
            ("the normal of a crack", cracks.normal.as_flattened()),
            ("the area of a crack", &cracks.area),
            ("the time of a crack", &cracks.time),
            ("a corner of a form", forms.vertex.as_flattened()),
            ("a part of a form", forms.part_position.as_flattened()),
            ("the orientation of a part of a form", forms.part_orientation.as_flattened()),
            ("the radius of a part of a form", &forms.part_radius),
            ("the volume of a form", &forms.volume),
            ("the inertia of a form", forms.inertia.as_flattened()),
        ];
        let mut lists = all.iter().map(|(what, list)| (*what, &list[..])).chain(columns).chain(of_faces);
        lists.find_map(|(what, list)| {
            let value = list.iter().find(|value| value.is_nan() || value.abs() > LARGEST)?;
            Some(format!("{what} is {value}, which is out of range for computation"))
        })
    }

    /// The grains as a sample for another run, with unfolded positions (in a sheared cell, those in the first period).
    pub fn grain_table(&self) -> GrainTable {
        let grains = &self.grains;
        GrainTable {
            position: (0..grains.len())
                .map(|i| match self.cell.tilt {
                    0.0 => self.cell.image(grains.position[i], grains.image[i], self.dimension),
                    // In a sheared cell, only places in one period are simply side by side.
                    _ => grains.position[i],
                })
                .collect(),
            radius: grains.radius.clone(),
            velocity: grains.velocity.clone(),
            spin: grains.spin.clone(),
            orientation: grains.orientation.clone(),
            material: names(&grains.material, &self.materials),
            group: names(&grains.group, &self.groups),
            form: grains.form.clone(),
            forms: if grains.form.is_empty() { Vec::new() } else { self.forms.clone() },
            surfaces: Vec::new(),
            cell: TableCell { origin: self.cell.origin, period: self.cell.period, tilt: self.cell.tilt },
        }
    }

    /// Where the line of contact `i` begins and ends: at the centres of its grains, in the images beside the contact
    /// point, and at the point itself on a wall.
    pub fn contact_line(&self, i: usize) -> [[f64; 3]; 2] {
        let point = self.contacts.point[i];
        [self.contacts.body1[i], self.contacts.body2[i]].map(|body| match self.grains.id.binary_search(&body) {
            Ok(row) => self.nearest_image(self.grains.position[row], point),
            Err(_) => point,
        })
    }

    /// The faces of the grains that are not balls, each with the row of its grain and its corners, counterclockwise as
    /// seen from outside; in 2D the outline of each.
    pub fn body_polygons(&self) -> Vec<(usize, Vec<[f64; 3]>)> {
        let surfaces = grain_surfaces(self);
        let corners = |cell: &Vec<usize>| cell.iter().map(|&point| surfaces.points[point]).collect();
        surfaces.row.iter().copied().zip(surfaces.cells.iter().map(corners)).collect()
    }

    fn nearest_image(&self, position: [f64; 3], point: [f64; 3]) -> [f64; 3] {
        let mut place = position;
        // The last axis first: its images are shifted along the first one.
        for axis in (0..self.dimension).rev() {
            let period = self.cell.period[axis];
            if period > 0.0 {
                let count = ((point[axis] - place[axis]) / period).round();
                place[axis] += count * period;
                if axis + 1 == self.dimension {
                    place[0] += count * self.cell.tilt;
                }
            }
        }
        place
    }
}

impl WallShape {
    /// The index of its form, if it has one.
    pub(crate) fn form(&self) -> Option<u32> {
        match *self {
            WallShape::Form { index, .. } => Some(index),
            WallShape::Primitive(_) => None,
        }
    }

    /// The shape in words and numbers: its name, its radius (zero where it has none), and its two directions.
    pub(crate) fn parts(&self) -> (&'static str, f64, [[f64; 3]; 2]) {
        match *self {
            WallShape::Primitive(primitive) => primitive.parts(),
            WallShape::Form { radius, .. } => ("form", radius, [[0.0; 3]; 2]),
        }
    }

    /// The inverse of [`WallShape::parts`]; `form` is its index among the forms, if it is one.
    pub(crate) fn from_parts(word: &str, radius: f64, vectors: [[f64; 3]; 2], form: Option<u32>) -> Option<WallShape> {
        match word {
            "form" => Some(WallShape::Form { index: form?, radius }),
            _ => Primitive::from_parts(word, radius, vectors).map(WallShape::Primitive),
        }
    }
}

/// The names of all rows; none where no row has a name.
fn names(indices: &[u16], names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    indices.iter().map(|&index| names.get(usize::from(index)).cloned().unwrap_or_default()).collect()
}

/// A grain moves freely, or is a ball without a name; everything else is a wall.
fn is_grain<D: Dim>(body: &Body<D>) -> bool {
    body.is_free() || (body.shape.ball_radius().is_some() && body.name.is_none())
}

/// The forms of a snapshot while it is taken: bodies that share a shape share a form.
#[derive(Default)]
struct Forms {
    forms: Vec<Form>,
    /// The number of each shape that was met, by where it is in memory.
    known: HashMap<usize, u32>,
}

impl Forms {
    fn index_of<D: Dim>(&mut self, shape: &Shape<D>) -> Option<u32> {
        let address = match shape {
            Shape::Convex(convex) => Arc::as_ptr(convex).addr(),
            Shape::Cluster(cluster) => Arc::as_ptr(cluster).addr(),
            Shape::Mesh(mesh) => Arc::as_ptr(mesh).addr(),
            _ => return None,
        };
        if let Some(&index) = self.known.get(&address) {
            return Some(index);
        }
        let index = self.forms.len() as u32;
        self.forms.push(Form::of(shape)?);
        self.known.insert(address, index);
        Some(index)
    }
}

fn picture<D: Dim>(world: &World<D>) -> Snapshot {
    let mut snapshot = Snapshot {
        dimension: D::AXES,
        time: world.state.time,
        step: world.state.step,
        time_step: world.time_step(),
        gravity: world.gravity.at(world.state.time).to_array3(),
        cell: SnapshotCell {
            origin: world.state.cell.origin.to_array3(),
            period: world.state.cell.period.to_array3(),
            tilt: world.state.cell.tilt,
        },
        materials: world.materials.names().to_vec(),
        groups: world.groups.clone(),
        ..Snapshot::default()
    };
    let mut forms = Forms::default();
    for (i, body) in world.bodies.iter().enumerate() {
        let form = forms.index_of(&body.shape);
        match body.shape.bounding_radius() {
            Some(radius) if is_grain(body) => add_grain(&mut snapshot.grains, world, i, radius, form),
            // A wall that lets everything through is not there.
            _ if body.passage == Passage::Open => {}
            _ => snapshot.walls.push(wall(world, i, form)),
        }
    }
    snapshot.forms = forms.forms;
    snapshot.faces = FaceColumns::of(world);
    if snapshot.grains.form.iter().all(Option::is_none) {
        snapshot.grains.form.clear();
    }
    let ids = |chain: &[u32]| chain.iter().map(|&body| world.state.id[body as usize].0).collect();
    snapshot.membranes = world.membranes.iter().map(|membrane| ids(&membrane.chain)).collect();
    for link in world.links() {
        add_contact(&mut snapshot.contacts, world, &link);
    }
    for crack in &world.state.cracks {
        add_crack(&mut snapshot.cracks, world, crack);
    }
    snapshot
}

fn add_grain<D: Dim>(grains: &mut GrainColumns, world: &World<D>, i: usize, radius: f64, form: Option<u32>) {
    let (body, state) = (&world.bodies[i], &world.state);
    let image = state.cell.periods(state.position[i]);
    let place = state.position[i] - state.cell.shift(image);
    grains.id.push(state.id[i].0);
    grains.position.push(place.to_array3());
    grains.image.push(image.map(i32::from));
    grains.orientation.push(D::quaternion(state.orientation[i]));
    grains.velocity.push(state.cell.carried(place, state.velocity[i]).to_array3());
    grains.spin.push(spin_array::<D>(state.spin[i]));
    grains.radius.push(radius);
    grains.mass.push(body.mass);
    grains.material.push(body.material);
    grains.group.push(body.group);
    grains.form.push(form);
}

fn wall<D: Dim>(world: &World<D>, i: usize, form: Option<u32>) -> Wall {
    let (body, state) = (&world.bodies[i], &world.state);
    Wall {
        id: state.id[i].0,
        name: body.name.as_deref().unwrap_or_default().into(),
        shape: match Primitive::of(&body.shape) {
            Some(primitive) => WallShape::Primitive(primitive.turned::<D>(state.orientation[i])),
            None => {
                let radius = body.shape.bounding_radius().unwrap_or(0.0);
                WallShape::Form { index: form.unwrap_or(0), radius }
            }
        },
        material: body.material,
        position: state.position[i].to_array3(),
        orientation: D::quaternion(state.orientation[i]),
        velocity: state.velocity[i].to_array3(),
        spin: spin_array::<D>(state.spin[i]),
    }
}

fn add_contact<D: Dim>(contacts: &mut ContactColumns, world: &World<D>, link: &Link<D>) {
    let contact = link.contact.map(|index| &world.state.contacts[index]);
    let status = contact.map_or(Status::Open, |contact| contact.status);
    let bonded = world.is_glued(link.bodies, link.offset);
    // Pairs that came near but neither touched nor acted are the solver's business only.
    if status == Status::Open && link.gap > 0.0 && link.attraction == 0.0 && !bonded {
        return;
    }
    let [body1, body2] = link.bodies;
    let folded = folding(world, link.bodies, link.offset);
    contacts.body1.push(world.state.id[body1 as usize].0);
    contacts.body2.push(world.state.id[body2 as usize].0);
    contacts.point.push((link.point - folded).to_array3());
    contacts.normal.push(link.normal.to_array3());
    contacts.gap.push(link.gap);
    contacts.impulse.push(contact.map_or(D::Vector::ZERO, |contact| contact.impulse).to_array3());
    contacts.force.push(link.force.to_array3());
    let torque = link.contact.map_or(D::Spin::ZERO, |index| world.state.extras_of(index).torque);
    let torque = torque * (1.0 / world.time_step());
    contacts.torque.push(spin_array::<D>(torque));
    contacts.attraction.push(link.attraction);
    contacts.status.push(status);
    let [a, b] = link.bodies.map(|body| world.bodies[body as usize].material);
    let law = world.materials.pair(a, b);
    contacts.friction.push(match (status, contact) {
        (Status::Slide, Some(contact)) => {
            let velocity = contact.velocity;
            law.friction_at((velocity - link.normal * velocity.dot(link.normal)).length())
        }
        _ => law.static_friction,
    });
    contacts.bonded.push(bonded);
}

fn add_crack<D: Dim>(cracks: &mut CrackColumns, world: &World<D>, crack: &Crack<D>) {
    let [point, normal] = world.place_of(crack);
    let [body1, body2] = crack.bodies.map(|body| world.state.id[body as usize].0);
    cracks.body1.push(body1);
    cracks.body2.push(body2);
    cracks.time.push(crack.time);
    cracks.mode.push(crack.mode);
    cracks.point.push((point - folding(world, crack.bodies, crack.offset)).to_array3());
    cracks.normal.push(normal.to_array3());
    cracks.area.push(crack.area);
}

/// A point of a pair lies beside body 1 and the image of body 2; the picture shows it beside the grain that is folded back,
/// which is so far away.
fn folding<D: Dim>(world: &World<D>, [body1, body2]: [u32; 2], offset: [i16; 3]) -> D::Vector {
    let beside = if is_grain(&world.bodies[body1 as usize]) {
        world.state.position[body1 as usize]
    } else {
        world.state.position[body2 as usize] + world.state.cell.shift(offset)
    };
    world.state.cell.shift(world.state.cell.periods(beside))
}

/// The turn in the plane is about the third axis.
fn spin_array<D: Dim>(spin: D::Spin) -> [f64; 3] {
    if D::SPINS == 1 { [0.0, 0.0, spin.get(0)] } else { spin.to_array3() }
}
