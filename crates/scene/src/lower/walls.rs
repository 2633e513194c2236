//! Walls, the sides of boxes among them, and whether they leave room for grains.

use super::Lowering;
use super::shapes::points;
use crate::bodies::{Solid, hull};
use crate::check::{Node, Table, Value};
use crate::model::*;
use crate::raw::Span;
use crate::vector::*;
use crate::walls::no_room;
use riprap_engine::{D2, D3, Form, FormPart, Primitive, ShapeError, Surface};

/// A box or drum that grains may be put into if no region is given.
pub(super) enum Container {
    Box { lower: Point, upper: Point },
    Drum { centre: Point, axis: Point, radius: f64 },
}

impl Lowering<'_> {
    pub(super) fn walls(&mut self, root: &Table) -> Vec<Container> {
        let mut containers = Vec::new();
        for (table, place) in root.tables("walls") {
            let material = self.material(table, place);
            let name = table.text("name").map(str::to_owned);
            let shapes = self.shapes(table, place, &mut containers);
            self.walls_broken |= shapes.is_none() || name.is_none();
            let (Some(name), Some(shapes)) = (name, shapes) else { continue };
            // Of the entries with several shapes, the boxes, none is solid.
            let solid = table.variant.filter(|shape| *shape == "block").and_then(|_| self.solid(table));
            for (side, shape) in shapes {
                let shape = match table.vector("pivot") {
                    Some(pivot) => self.pivoted(&shape, pivot),
                    None => shape,
                };
                let name = if side.is_empty() { name.clone() } else { format!("{name}.{side}") };
                if self.walls.iter().any(|wall| wall.name == name) {
                    let message = format!("two walls have the name \"{name}\"");
                    self.faults.add(table.place("name", place), message, "", "");
                    continue;
                }
                // A wall with a broken material is kept, so that what refers to its name is not reported as well.
                let absent = table.flag("absent").unwrap_or(false);
                self.walls.push(Wall {
                    at: At(place.clone()),
                    name,
                    material: material.unwrap_or(0),
                    absent,
                    shape,
                    solid,
                });
            }
        }
        self.check_room(root);
        containers
    }

    /// The shapes of one entry, each with the name of its side if it is the side of a box.
    fn shapes(
        &mut self,
        table: &Table,
        place: &Span,
        containers: &mut Vec<Container>,
    ) -> Option<Vec<(&'static str, WallShape)>> {
        let shape = match table.variant {
            Some("plane") => self.plane(table),
            Some("plate") => self.plate(table, place),
            Some("box") => return self.sides(table, place, containers),
            Some(round @ ("drum" | "rod")) => {
                let axis = if self.dimension == 3 { self.direction(table, "axis") } else { Some([0.0; 3]) };
                (|| {
                    let (centre, radius, axis) = (table.vector("centre")?, table.number("radius")?, axis?);
                    if round == "rod" {
                        return Some(WallShape::at(centre, Primitive::Rod { axis, radius }));
                    }
                    containers.push(Container::Drum { centre, axis, radius });
                    Some(WallShape::at(centre, Primitive::Drum { axis, radius }))
                })()
            }
            Some("block") => self.block(table, place),
            Some("mesh") => self.mesh(table, place),
            _ => None,
        };
        shape.map(|shape| vec![("", shape)])
    }

    /// What a block without a fault is of.
    fn solid(&self, table: &Table) -> Option<SolidWall> {
        let corners = points(&table.get("corners")?.value)?;
        hull(&corners, self.dimension).ok().map(|solid| SolidWall::of(&solid, self.dimension))
    }

    /// A plate or block that rotates about a point other than its centre.
    fn pivoted(&self, shape: &WallShape, pivot: Point) -> WallShape {
        let arm = sub(shape.position, pivot);
        let form = match &shape.form {
            WallForm::Primitive(Primitive::Plate { half_edges: [a, b] }) => {
                let corner = |i: f64, j: f64| add(arm, add(scale(*a, i), scale(*b, j)));
                let around = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
                WallForm::Mesh(match self.dimension {
                    2 => Surface { vertices: around[..2].to_vec(), faces: vec![vec![0, 1]] },
                    _ => Surface { vertices: around.to_vec(), faces: vec![vec![0, 1, 2], vec![0, 2, 3]] },
                })
            }
            WallForm::Block { form: Form::Convex(surface), radius } => {
                let orientation = shape.orientation;
                let part = FormPart::Convex { surface: surface.clone(), position: arm, orientation };
                // Of a wall neither volume nor inertia counts; what a hinge needs is in `solid`.
                let form = Form::Cluster { parts: vec![part], volume: 0.0, inertia: [0.0; 3] };
                WallForm::Block { form, radius: radius + length(arm) }
            }
            _ => return shape.clone(),
        };
        WallShape::at(pivot, form)
    }

    fn block(&mut self, table: &Table, place: &Span) -> Option<WallShape> {
        let corners = points(&table.get("corners")?.value)?;
        let solid = self.body(hull(&corners, self.dimension), table.place("corners", place))?;
        let Solid { form, position, orientation, radius, .. } = solid;
        Some(WallShape { position, orientation, form: WallForm::Block { form, radius } })
    }

    fn mesh(&mut self, table: &Table, place: &Span) -> Option<WallShape> {
        let (centre, scale) = (table.vector("centre")?, table.number("scale")?);
        let form = match (table.has("path"), table.has("vertices")) {
            (true, false) => {
                let at = At(table.place("path", place).clone());
                WallForm::MeshFile { at, path: table.text("path")?.to_owned(), scale }
            }
            (false, true) => WallForm::Mesh(self.surface(table, place, scale)?),
            _ => {
                let help =
                    if self.dimension == 2 { "give `vertices`" } else { "give `path`, or `vertices` and `faces`" };
                self.faults.add(place, "the shape of the mesh is missing or ambiguous", "", help);
                return None;
            }
        };
        Some(WallShape::at(centre, form))
    }

    /// The surface of a mesh that is written in the scene.
    fn surface(&mut self, table: &Table, place: &Span, factor: f64) -> Option<Surface> {
        let mut vertices = points(&table.get("vertices")?.value)?;
        vertices.iter_mut().for_each(|vertex| *vertex = scale(*vertex, factor));
        let faces: Vec<Vec<u32>> = if self.dimension == 2 {
            let count = vertices.len() as u32;
            let open = (1..count).map(|i| vec![i - 1, i]);
            open.chain((table.flag("closed")? && count > 2).then(|| vec![count - 1, 0])).collect()
        } else {
            let corner = |node: &Node| match node.value {
                Value::Integer(corner) => u32::try_from(corner).ok(),
                _ => None,
            };
            let face = |node: &Node| match &node.value {
                Value::List(corners) => corners.iter().map(corner).collect::<Option<Vec<u32>>>(),
                _ => None,
            };
            table.list("faces").iter().map(face).collect::<Option<_>>()?
        };
        let surface = Surface { vertices, faces: triangles(&faces, self.dimension) };
        if let Err(error) = mesh_shape(&surface, self.dimension) {
            let message = format!("not a valid mesh: {error}");
            self.faults.add(table.place("vertices", place), message, "vertices and faces are numbered from 0", "");
            return None;
        }
        Some(surface)
    }

    fn plane(&mut self, table: &Table) -> Option<WallShape> {
        let normal = self.direction(table, "normal");
        Some(WallShape::at(table.vector("point")?, Primitive::Plane { normal: normal? }))
    }

    pub(super) fn plate(&mut self, table: &Table, place: &Span) -> Option<WallShape> {
        let points =
            |key: &str| -> Option<Vec<Point>> { table.list(key).iter().map(|node| node.as_vector()).collect() };
        let count_faults = |lowering: &mut Self, key: &str, expected: usize| {
            let node = table.get(key);
            let count = table.list(key).len();
            let wrong = node.is_some_and(|node| matches!(node.value, Value::List(_))) && count != expected;
            if wrong {
                let message = format!("`{key}` has {count} points");
                let label = format!("expected {expected} in {}D", lowering.dimension);
                lowering.faults.add(table.place(key, place), message, label, "");
            }
            wrong
        };
        let (centre, edges) = match (table.has("corners"), table.has("centre"), table.has("half_edges")) {
            (true, false, false) => {
                if count_faults(self, "corners", self.dimension) {
                    return None;
                }
                let corners = points("corners")?;
                let (&first, others) = corners.split_first()?;
                let edges: Vec<Point> = others.iter().map(|&c| scale(sub(c, first), 0.5)).collect();
                (edges.iter().fold(first, |sum, &edge| add(sum, edge)), edges)
            }
            (false, true, true) => {
                if count_faults(self, "half_edges", self.dimension - 1) {
                    return None;
                }
                (table.vector("centre")?, points("half_edges")?)
            }
            _ => {
                let help = "give either `corners`, or `centre` and `half_edges`";
                self.faults.add(place, "the shape of the plate is missing or ambiguous", "", help);
                return None;
            }
        };
        let second = edges.get(1).copied().unwrap_or_default();
        let size = edges.iter().fold(0.0, |most, &edge| f64::max(most, length(edge)));
        if edges.iter().any(|&edge| length(edge) <= 1e-12 * size || size == 0.0) {
            self.faults.add(place, "an edge of the plate has no length", "", "");
            return None;
        }
        if dot(edges[0], second).abs() > 1e-6 * size * size {
            self.faults.add(place, "the edges of the plate are not perpendicular", "", "");
            return None;
        }
        // What rounding left of the first edge is taken out of the second.
        let second = unit(edges[0]).map_or(second, |n| across(second, n));
        Some(WallShape::at(centre, Primitive::Plate { half_edges: [edges[0], second] }))
    }

    fn sides(
        &mut self,
        table: &Table,
        place: &Span,
        containers: &mut Vec<Container>,
    ) -> Option<Vec<(&'static str, WallShape)>> {
        let open: Vec<&str> = table.list("open").iter().filter_map(|node| node.as_text()).collect();
        for node in table.list("open") {
            if self.dimension == 2 && matches!(node.as_text(), Some("front" | "back")) {
                self.faults.add(
                    &node.place,
                    "a 2D box has no front or back",
                    "",
                    "its sides are left, right, bottom, top",
                );
            }
        }
        let (lower, upper) = self.corners(table, place)?;
        containers.push(Container::Box { lower, upper });
        let names: &[[&str; 2]] = if self.dimension == 2 {
            &[["left", "right"], ["bottom", "top"]]
        } else {
            &[["left", "right"], ["front", "back"], ["bottom", "top"]]
        };
        let mut sides = Vec::new();
        for (axis, pair) in names.iter().enumerate() {
            if self.period[axis] > 0.0 {
                let fits = (lower[axis] - self.origin[axis]).abs() <= 1e-9 * self.period[axis]
                    && (upper[axis] - lower[axis] - self.period[axis]).abs() <= 1e-9 * self.period[axis];
                if !fits {
                    let message = format!(
                        "the box does not span exactly one period along the periodic axis {}",
                        AXIS_NAMES[axis]
                    );
                    let (from, to) = (self.origin[axis], self.origin[axis] + self.period[axis]);
                    self.faults.add(table.place("upper", place), message, format!("expected from {from} to {to}"), "");
                }
                continue;
            }
            for (end, &name) in pair.iter().enumerate().filter(|(_, name)| !open.contains(name)) {
                let (point, sign) = if end == 0 { (lower, 1.0) } else { (upper, -1.0) };
                // The plane's point is in the middle of the side, where a picture or a rotation wants it.
                let middle = std::array::from_fn(|i| if i == axis { point[i] } else { 0.5 * (lower[i] + upper[i]) });
                let normal = std::array::from_fn(|i| if i == axis { sign } else { 0.0 });
                sides.push((name, WallShape::at(middle, Primitive::Plane { normal })));
            }
        }
        Some(sides)
    }

    /// Walls that leave no room for grains are faults, reported at the later one.
    fn check_room(&mut self, root: &Table) {
        // A wall that is driven may go where there is no room at the start, and one that is absent is in nobody's way.
        let stages = root.tables("stages").map(|(stage, _)| stage);
        let drivers = std::iter::once(root).chain(stages).flat_map(|table| table.tables("drivers"));
        let driven: Vec<&str> = drivers.filter_map(|(driver, _)| driver.text("wall")).collect();
        for (index, later) in self.walls.iter().enumerate().filter(|(_, wall)| !wall.absent) {
            for earlier in self.walls[..index].iter().filter(|wall| !wall.absent) {
                let both_stand = [earlier, later].iter().all(|wall| !driven.contains(&wall.name.as_str()));
                if let Some(problem) = no_room(earlier, later, both_stand) {
                    let message = format!("walls \"{}\" and \"{}\" leave no room", earlier.name, later.name);
                    self.faults.add(&later.at.0, message, problem, "");
                }
            }
        }
    }
}

/// Polygons as fans of triangles; in 2D segments stay as they are.
pub(crate) fn triangles(faces: &[Vec<u32>], dimension: usize) -> Vec<Vec<u32>> {
    if dimension == 2 {
        return faces.to_vec();
    }
    let fan =
        |face: &Vec<u32>| (1..face.len().max(2) - 1).map(|i| vec![face[0], face[i], face[i + 1]]).collect::<Vec<_>>();
    faces.iter().flat_map(fan).collect()
}

/// The engine's mesh of a surface, or what is wrong with it.
pub(crate) fn mesh_shape(surface: &Surface, dimension: usize) -> Result<(), ShapeError> {
    let form = Form::Mesh(surface.clone());
    if dimension == 2 { form.shape::<D2>().map(drop) } else { form.shape::<D3>().map(drop) }
}
