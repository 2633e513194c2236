//! Shapes of grains and blocks in their places, checked as bodies.

use super::Lowering;
use crate::bodies::{Solid, cluster, hull};
use crate::check::{Node, Table, Value};
use crate::model::*;
use crate::raw::Span;
use crate::shapes::box_corners;
use crate::vector::*;
use riprap_engine::ShapeError;

/// The most bricks of one entry: as many as cells of a Voronoi sample, ten times over.
const MOST_BRICKS: i64 = 1_000_000;

impl Lowering<'_> {
    /// The shape of an entry, if it has one; the outer option is none after a fault.
    pub(super) fn shaping(&mut self, table: &Table, aligned: bool) -> Option<Option<Shaping>> {
        let Some(node) = table.get("shape") else { return Some(None) };
        let spec = self.spec(node)?;
        Some(Some(Shaping { spec, aligned }))
    }

    fn spec(&mut self, node: &Node) -> Option<ShapeSpec> {
        let entry = node.as_table()?.only()?;
        let (table, place) = (entry.node.as_table()?, &entry.node.place);
        Some(match entry.key.as_str() {
            "polygon" => ShapeSpec::Polygon { sides: self.counts(table, "sides", "sides_max")? },
            "rectangle" | "cuboid" => ShapeSpec::Cuboid { aspect: self.numbers(table, "aspect", "aspect_max")? },
            "random_polygon" => ShapeSpec::RandomPolygon {
                vertices: self.counts(table, "vertices", "vertices_max")?,
                elongation: table.number("elongation")?,
            },
            "polyhedron" => {
                let faces = usize::try_from(table.integer("faces")?).ok()?;
                if ![4, 6, 8, 12, 20].contains(&faces) {
                    let message = format!("there is no regular solid with {faces} faces");
                    self.faults.add(table.place("faces", place), message, "expected 4, 6, 8, 12 or 20", "");
                    return None;
                }
                let truncation = self.numbers(table, "truncation", "truncation_max")?;
                ShapeSpec::Polyhedron { faces, truncation, stretch: self.lengths(table, "stretch")? }
            }
            "random_polyhedron" => ShapeSpec::RandomPolyhedron {
                vertices: self.counts(table, "vertices", "vertices_max")?,
                stretch: self.lengths(table, "stretch")?,
            },
            "voronoi" => ShapeSpec::Voronoi,
            "file" => ShapeSpec::File { path: table.text("path")?.to_owned(), hull: table.flag("hull")? },
            "box" => {
                let edges = self.lengths(table, "edges")?;
                self.fixed(hull(&box_corners(edges, self.dimension), self.dimension), table.place("edges", place))?
            }
            "hull" => {
                let points = points(&table.get("points")?.value)?;
                self.fixed(hull(&points, self.dimension), table.place("points", place))?
            }
            _ => self.cluster(table, place)?,
        })
    }

    fn cluster(&mut self, table: &Table, place: &Span) -> Option<ShapeSpec> {
        let balls: Option<Vec<(Point, f64)>> =
            table.tables("balls").map(|(ball, _)| Some((ball.vector("centre")?, ball.number("radius")?))).collect();
        let bodies: Option<Vec<Vec<Point>>> = table.list("bodies").iter().map(|node| points(&node.value)).collect();
        match cluster(&balls?, &bodies?, self.dimension) {
            Ok(solid) => Some(ShapeSpec::Fixed(Box::new(solid))),
            Err((Some(body), error)) => self.fixed(Err(error), &table.list("bodies")[body].place),
            Err((None, error)) => {
                let help = "give `balls`, `bodies` or both";
                self.faults.add(place, format!("not a valid cluster: {error}"), "", help);
                None
            }
        }
    }

    fn fixed(&mut self, solid: Result<Solid, ShapeError>, place: &Span) -> Option<ShapeSpec> {
        self.body(solid, place).map(|solid| ShapeSpec::Fixed(Box::new(solid)))
    }

    /// A body, or the fault that it is none.
    pub(super) fn body(&mut self, solid: Result<Solid, ShapeError>, place: &Span) -> Option<Solid> {
        match solid {
            Ok(solid) => Some(solid),
            Err(error) => {
                self.faults.add(
                    place,
                    format!("not a valid body: {error}"),
                    "vertices and faces are numbered from 0",
                    "",
                );
                None
            }
        }
    }

    /// A number and the largest that occurs.
    fn numbers(&mut self, table: &Table, least: &str, most: &str) -> Option<[f64; 2]> {
        let low = table.number(least)?;
        let high = if table.has(most) { table.number(most)? } else { low };
        self.rising(table, least, most, [low, high])
    }

    fn counts(&mut self, table: &Table, least: &str, most: &str) -> Option<[usize; 2]> {
        let low = table.integer(least)?;
        let high = if table.has(most) { table.integer(most)? } else { low };
        self.rising(table, least, most, [low as f64, high as f64])?;
        Some([usize::try_from(low).ok()?, usize::try_from(high).ok()?])
    }

    fn rising(&mut self, table: &Table, least: &str, most: &str, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
        if low > high {
            let message = format!("`{most}` is smaller than `{least}`");
            self.faults.add(&table.get(most)?.place, message, format!("expected at least {low}"), "");
            return None;
        }
        Some([low, high])
    }

    /// A vector whose components are all positive.
    fn lengths(&mut self, table: &Table, key: &str) -> Option<Point> {
        let vector = table.vector(key)?;
        if vector[..self.dimension].iter().any(|&x| x <= 0.0) {
            let message = format!("all components of `{key}` must be greater than 0");
            self.faults.add(&table.get(key)?.place, message, "", "");
            return None;
        }
        Some(vector)
    }

    /// Blocks by corners and from a file.
    pub(super) fn blocks(&mut self, table: &Table, place: &Span) -> Option<Sample> {
        let mut corners = Vec::new();
        let mut broken = false;
        for node in table.list("corners") {
            let block = points(&node.value);
            let solid = block.as_ref().and_then(|block| self.body(hull(block, self.dimension), &node.place));
            broken |= solid.is_none();
            corners.extend(block);
        }
        let file = match table.text("path") {
            Some(path) => {
                Some(BlockFile { path: path.to_owned(), scale: table.number("scale")?, hull: table.flag("hull")? })
            }
            None => None,
        };
        if corners.is_empty() && file.is_none() && !table.has("corners") {
            self.faults.add(place, "no blocks are given", "in this table", "give `corners`, or in 3D `path`");
            return None;
        }
        (!broken).then_some(Sample::Blocks { corners, file, shift: table.vector("shift")? })
    }

    /// Brickwork: courses along x, every other one shifted, with cut bricks at its ends.
    pub(super) fn bricks(&mut self, table: &Table, place: &Span) -> Option<Sample> {
        let (lower, brick) = (table.vector("lower")?, self.lengths(table, "brick")?);
        let (columns, courses) = (table.integer("columns")?, table.integer("courses")?);
        if columns * courses > MOST_BRICKS {
            let message = format!("{columns} columns and {courses} courses are more than {MOST_BRICKS} bricks");
            self.faults.add(table.place("courses", place), message, "", "reduce `columns` or `courses`");
            return None;
        }
        let (bond, joint) = (table.number("bond")?, table.number("joint")?);
        let up = self.last_axis();
        let pitch = brick[0] + joint;
        let length = pitch * columns as f64 - joint;
        let mut corners = Vec::new();
        for course in 0..courses {
            let shift = if course % 2 == 1 { bond * pitch } else { 0.0 };
            let first = if shift > 0.0 { -1 } else { 0 };
            for column in first..columns {
                // What of the brick is within the wall.
                let start = (shift + pitch * column as f64).max(0.0);
                let end = (shift + pitch * column as f64 + brick[0]).min(length);
                if end - start <= 1e-6 * brick[0] {
                    continue;
                }
                let edges = std::array::from_fn(|axis| if axis == 0 { end - start } else { brick[axis] });
                let middle: Point = std::array::from_fn(|axis| {
                    let along = match axis {
                        0 => 0.5 * (start + end),
                        axis if axis == up => (brick[up] + joint) * course as f64 + 0.5 * brick[up],
                        axis => 0.5 * brick[axis],
                    };
                    if axis < self.dimension { lower[axis] + along } else { 0.0 }
                });
                corners
                    .push(box_corners(edges, self.dimension).into_iter().map(|corner| add(corner, middle)).collect());
            }
        }
        Some(Sample::Blocks { corners, file: None, shift: table.vector("shift")? })
    }

    /// The voussoirs of an arch, from the springer at the larger x to the other.
    pub(super) fn arch(&mut self, table: &Table, place: &Span) -> Option<Sample> {
        let (centre, radius, thickness) =
            (table.vector("centre")?, table.number("radius")?, table.number("thickness")?);
        let (count, angle) = (table.integer("voussoirs")?, table.number("angle")?);
        if 0.5 * thickness >= radius {
            let label = format!("expected less than {}, the diameter of the centre line", 2.0 * radius);
            self.faults.add(table.place("thickness", place), "the arch is thicker than it is wide", label, "");
            return None;
        }
        let depths =
            if self.dimension == 2 { vec![0.0] } else { table.number("depth").map(|d| vec![-0.5 * d, 0.5 * d])? };
        let joint = |i: i64| 0.5 * (std::f64::consts::PI - angle) + angle * i as f64 / count as f64;
        let voussoir = |i: i64| {
            let mut corners = Vec::new();
            for end in [joint(i), joint(i + 1)] {
                for edge in [radius - 0.5 * thickness, radius + 0.5 * thickness] {
                    for &depth in &depths {
                        // A springer on a plane through the centre stands on it, to the last bit.
                        let height = if end == std::f64::consts::PI { 0.0 } else { libm::sin(end) };
                        let (x, y) = (edge * libm::cos(end), edge * height);
                        let corner = if self.dimension == 2 { [x, y, 0.0] } else { [x, depth, y] };
                        corners.push(add(centre, corner));
                    }
                }
            }
            corners
        };
        let corners = (0..count).map(voussoir).collect();
        Some(Sample::Blocks { corners, file: None, shift: table.vector("shift")? })
    }

    pub(super) fn voronoi(&mut self, table: &Table, place: &Span, region: Option<Region>) -> Option<Sample> {
        let region = region?;
        if region.round.is_some() || region.upper.iter().any(|x| x.is_infinite()) {
            self.faults.add(place, "only a box can be broken into cells", "", "give `region = { box = … }`");
            return None;
        }
        Some(Sample::Voronoi {
            count: usize::try_from(table.integer("count")?).ok()?,
            joint: table.number("joint")?,
            region,
            shift: table.vector("shift")?,
        })
    }
}

/// The points of a list of vectors; none if one is broken.
pub(super) fn points(value: &Value) -> Option<Vec<Point>> {
    match value {
        Value::List(items) => items.iter().map(Node::as_vector).collect(),
        _ => None,
    }
}
