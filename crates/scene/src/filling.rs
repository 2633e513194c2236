//! How the grains of one entry are placed.

use crate::GrainSource;
use crate::bodies::{Solid, closed, hull};
use crate::lower::{DEFAULT_SPACING, up_axis};
use crate::model::*;
use crate::room::Room;
use crate::sample::Outcome;
use crate::shapes::{Drawn, Shaper};
use crate::sizes::Random;
use crate::tessellation::cells;
use crate::vector::*;
use riprap_engine::{D2, D3, Dim, FARTHEST_RADII, Form, GrainTable, ShapeError, Surface};

/// How often a place is tried for a grain before it is said not to fit.
const PLACE_TRIES: usize = 20_000;
/// How often a place in a layer of rain is tried before the next layer begins.
const LAYER_TRIES: usize = 200;

/// More grains or sites of a lattice than this are taken for a mistake in a unit.
pub(crate) const MOST_SITES: f64 = 1e8;

/// One entry while its grains are placed.
pub(crate) struct Filling<'a, 'm> {
    pub model: &'m Model,
    pub entry: &'m Grains,
    pub room: &'a mut Room<'m>,
    pub random: Random,
    /// For grains that are not balls.
    pub shaper: Option<Shaper<'m>>,
    /// The forms of all grains so far.
    pub forms: &'a mut Vec<Form>,
}

/// A grain before it has a place.
#[derive(Clone, Copy)]
struct Grain {
    radius: f64,
    volume: f64,
    shape: Option<Drawn>,
}

/// The sites of a lattice in a region.
pub(crate) struct Lattice {
    close: bool,
    /// The distances of sites, rows and layers.
    step: Point,
    /// How many of them there are.
    number: [usize; 3],
}

impl Lattice {
    pub fn new(model: &Model, region: &Region, spacing: f64, close: bool) -> Self {
        // Rows and layers lie closer where it is close.
        let step = std::array::from_fn(|axis| match (close, axis, model.dimension) {
            (true, 1, _) => spacing * 0.75_f64.sqrt(),
            (true, 2, 3) => spacing * (2.0_f64 / 3.0).sqrt(),
            _ => spacing,
        });
        let mut lattice = Lattice { close, step, number: [1; 3] };
        for axis in 0..model.dimension {
            let extent = region.upper[axis] - region.lower[axis];
            let whole = model.period[axis] > 0.0 && extent >= model.period[axis] * (1.0 - 1e-9);
            let (step, number) = (&mut lattice.step[axis], &mut lattice.number[axis]);
            if whole {
                // Along a whole period the lattice is stretched so that it closes.
                *number = ((extent / *step + 1e-9).floor() as usize).max(1);
                *step = extent / *number as f64;
            } else {
                // One more than fits: sites that reach out of the region are left out later.
                *number = (extent / *step).floor().min(1e6) as usize + 1;
            }
        }
        lattice
    }

    /// How many sites there are.
    pub fn count(&self) -> f64 {
        self.number.iter().map(|&number| number as f64).product()
    }

    /// All sites in units of the steps, from below.
    fn sites(&self) -> impl Iterator<Item = Point> {
        let ([columns, rows, layers], close) = (self.number, self.close);
        let odd = |n: usize| (n % 2) as f64;
        let site = move |i: usize, j: usize, k: usize| {
            let mut site = [i as f64, j as f64, k as f64];
            if close {
                site[0] += 0.5 * odd(j) + 0.5 * odd(k);
                site[1] += odd(k) / 3.0;
            }
            site
        };
        (0..layers).flat_map(move |k| (0..rows).flat_map(move |j| (0..columns).map(move |i| site(i, j, k))))
    }
}

impl Filling<'_, '_> {
    /// A regular lattice, from below.
    pub fn lattice(
        &mut self,
        close: bool,
        spacing: Option<f64>,
        jitter: f64,
        count: Option<usize>,
        region: &Region,
    ) -> Outcome {
        let (model, dimension) = (self.model, self.model.dimension);
        let largest = self.entry.size.bounds().1;
        let spacing = spacing.unwrap_or(2.0 * largest * DEFAULT_SPACING);
        let lattice = Lattice::new(model, region, spacing, close);
        if lattice.count() > MOST_SITES {
            return Err(too_many(lattice.count()));
        }
        // There sites are too near to each other for their positions to differ.
        if let Some(axis) = (0..dimension).find(|&axis| region.lower[axis].abs() > FARTHEST_RADII * largest) {
            let message = format!(
                "the region begins {:e} m from the origin, farther than {FARTHEST_RADII:e} radii of the largest grain",
                region.lower[axis].abs()
            );
            return Err((message, String::new()));
        }
        let wanted = count.unwrap_or(usize::MAX);
        let mut placed = 0;
        for site in lattice.sites() {
            let grain = self.draw();
            let radius = grain.radius;
            let position: Point = std::array::from_fn(|axis| {
                if axis >= dimension {
                    return 0.0;
                }
                let shake = if jitter > 0.0 { self.random.between(-jitter, jitter) } else { 0.0 };
                region.lower[axis] + largest.max(0.5 * spacing) + site[axis] * lattice.step[axis] + shake
            });
            let inside = region.centres(radius * (1.0 - 1e-9), model).is_some_and(|(lower, upper)| {
                (0..dimension).all(|axis| {
                    let periodic = model.period[axis] > 0.0;
                    periodic || (lower[axis] <= position[axis] && position[axis] <= upper[axis])
                })
            });
            // Neighbours at exactly one diameter touch, which rounding must not turn into an overlap.
            let free = radius * (1.0 - 1e-9);
            if inside && region.is_round_enough(position, radius, dimension) && self.room.is_free(position, free) {
                self.put(position, grain);
                placed += 1;
                if placed == wanted {
                    break;
                }
            }
        }
        match count {
            Some(count) if placed < count => Err(does_not_fit(placed, count)),
            _ if placed == 0 => Err(does_not_fit(0, 1)),
            _ => Ok(()),
        }
    }

    /// A loose random filling, the largest first.
    pub fn random(&mut self, amount: Amount, region: &Region) -> Outcome {
        let (model, dimension) = (self.model, self.model.dimension);
        let mut grains = Vec::new();
        match amount {
            Amount::Count(count) => grains.extend((0..count).map(|_| self.draw())),
            Amount::SolidFraction(fraction) => {
                let target = fraction * region.volume(dimension);
                let most = target / ball_volume(self.entry.size.bounds().0, dimension);
                if most > MOST_SITES {
                    return Err(too_many(most));
                }
                let mut volume = 0.0;
                while volume < target {
                    let grain = self.draw();
                    volume += grain.volume;
                    grains.push(grain);
                }
            }
        }
        // The volume alone says when it cannot work, before any place is tried.
        let volume: f64 = grains.iter().map(|grain| grain.volume).sum();
        if volume > region.volume(dimension) {
            let fraction = volume / region.volume(dimension);
            let message = format!("the sample does not fit: its solid fraction in the region would be {fraction:.2}");
            return Err((message, does_not_fit(0, 0).1));
        }
        grains.sort_by(|a, b| b.radius.total_cmp(&a.radius));
        for (placed, &grain) in grains.iter().enumerate() {
            let place = region
                .centres(grain.radius, model)
                .and_then(|(lower, upper)| self.free_place(region, grain.radius, (lower, upper), PLACE_TRIES));
            match place {
                Some(position) => self.put(position, grain),
                None => return Err(does_not_fit(placed, grains.len())),
            }
        }
        Ok(())
    }

    /// Layers above each other.
    pub fn rain(&mut self, count: Option<usize>, cover: f64, region: &Region) -> Outcome {
        let (model, dimension) = (self.model, self.model.dimension);
        let up = up_axis(model.gravity.acceleration, dimension);
        let largest = self.entry.size.bounds().1;
        let height = 2.0 * largest * DEFAULT_SPACING;
        let area = cover * region.section(dimension, up);
        let shadow = |radius: f64| if dimension == 2 { 2.0 * radius } else { std::f64::consts::PI * radius * radius };
        let wanted = count.unwrap_or(usize::MAX);
        let mut placed = 0;
        let mut empty_layers = 0;
        let mut next = self.draw();
        for layer in 0.. {
            let level = region.lower[up] + (layer as f64 + 0.5) * height;
            // A thousand empty layers: something is in the way all the way up.
            if placed == wanted || level + 0.5 * height > region.upper[up] + 1e-9 * height || empty_layers > 1000 {
                break;
            }
            let (mut covered, mut in_layer) = (0.0, 0);
            while placed < wanted {
                let Some((mut lower, mut upper)) = region.centres(next.radius, model) else { break };
                (lower[up], upper[up]) = (level, level);
                let place = self.free_place(region, next.radius, (lower, upper), LAYER_TRIES);
                let Some(position) = place else { break };
                self.put(position, next);
                covered += shadow(next.radius);
                placed += 1;
                in_layer += 1;
                next = self.draw();
                if covered + shadow(next.radius) > area {
                    break;
                }
            }
            empty_layers = if in_layer == 0 { empty_layers + 1 } else { 0 };
        }
        match count {
            Some(count) if placed < count => Err(does_not_fit(placed, count)),
            _ if placed == 0 => Err(does_not_fit(0, 1)),
            _ => Ok(()),
        }
    }

    /// Grains one by one.
    pub fn list(&mut self, positions: &[Point], radii: &[f64], orientations: &[Point]) {
        for (i, &position) in positions.iter().enumerate() {
            let radius = match radii.get(i) {
                Some(&radius) => radius,
                None => self.entry.size.draw(&mut self.random, self.model.dimension),
            };
            let mut grain = self.of_radius(radius);
            if let (Some(shape), Some(&turn)) = (&mut grain.shape, orientations.get(i)) {
                shape.orientation = product(rotation(turn), shape.orientation);
            }
            self.put(position, grain);
            if let (None, Some(&turn)) = (grain.shape, orientations.get(i)) {
                *self.room.orientation.last_mut().expect("it was put there") = rotation(turn);
            }
        }
    }

    /// The grains of a file.
    pub fn file(&mut self, file: &GrainTable) {
        let first = self.forms.len() as u32;
        self.forms.extend_from_slice(&file.forms);
        for row in 0..file.len() {
            let orientation = file.orientation.get(row).copied().unwrap_or(UNTURNED);
            let form = file.form.get(row).copied().flatten().map(|form| first + form);
            self.room.add(file.position[row], file.radius[row], form, orientation);
        }
    }

    /// Blocks in their places.
    pub fn blocks(
        &mut self,
        corners: &[Vec<Point>],
        file: Option<&BlockFile>,
        shift: Point,
        source: &dyn GrainSource,
    ) -> Outcome {
        for (block, corners) in corners.iter().enumerate() {
            let solid = hull(corners, self.model.dimension);
            self.put_solid(solid.map_err(|error| (format!("block {block}: {error}"), String::new()))?, shift);
        }
        let Some(BlockFile { path, scale: factor, hull: of_points }) = file else { return Ok(()) };
        let surface = source
            .read_surface(path)
            .map_err(|error| (format!("cannot read blocks from \"{path}\": {error}"), String::new()))?;
        for (block, mut part) in pieces(&surface).into_iter().enumerate() {
            part.vertices.iter_mut().for_each(|vertex| *vertex = scale(*vertex, *factor));
            let solid: Result<Solid, ShapeError> = if *of_points { hull(&part.vertices, 3) } else { closed(&part) };
            let hint = if *of_points { "" } else { "set `hull = true` to use the convex hull of each surface" };
            let solid = solid.map_err(|error| (format!("\"{path}\", block {block}: {error}"), hint.to_owned()))?;
            self.put_solid(solid, shift);
        }
        Ok(())
    }

    /// The Voronoi cells of random points in a box.
    pub fn voronoi(&mut self, count: usize, joint: f64, region: &Region, shift: Point) -> Outcome {
        let dimension = self.model.dimension;
        let sites: Vec<Point> = (0..count).map(|_| self.random.point(region.lower, region.upper)).collect();
        let cells = cells(&sites, region.lower, region.upper, 0.5 * joint, dimension);
        let bodies: Result<Vec<Solid>, ShapeError> = cells.iter().map(|corners| hull(corners, dimension)).collect();
        let bodies = bodies.map_err(|_| {
            let message = format!("a joint of {joint} m removes at least one of the {count} cells entirely");
            (message, "use a narrower joint, or fewer cells".to_owned())
        })?;
        bodies.into_iter().for_each(|solid| self.put_solid(solid, shift));
        Ok(())
    }

    /// A grain of a random size.
    fn draw(&mut self) -> Grain {
        let radius = self.entry.size.draw(&mut self.random, self.model.dimension);
        self.of_radius(radius)
    }

    fn of_radius(&mut self, radius: f64) -> Grain {
        let shape = self.shaper.as_mut().map(|shaper| shaper.draw(radius, self.forms));
        let volume = shape.map_or_else(|| ball_volume(radius, self.model.dimension), |shape| shape.volume);
        Grain { radius, volume, shape }
    }

    fn put(&mut self, position: Point, grain: Grain) {
        let orientation = grain.shape.map_or(UNTURNED, |shape| shape.orientation);
        self.room.add(position, grain.radius, grain.shape.map(|shape| shape.form), orientation);
    }

    fn put_solid(&mut self, solid: Solid, shift: Point) {
        self.room.add(add(solid.position, shift), solid.radius, Some(self.forms.len() as u32), solid.orientation);
        self.forms.push(solid.form);
    }

    /// A random place between two corners where a grain touches nothing.
    fn free_place(
        &mut self,
        region: &Region,
        radius: f64,
        (lower, upper): (Point, Point),
        tries: usize,
    ) -> Option<Point> {
        (0..tries).map(|_| self.random.point(lower, upper)).find(|&position| {
            region.is_round_enough(position, radius, self.model.dimension) && self.room.is_free(position, radius)
        })
    }
}

const UNTURNED: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// The surfaces that a surface consists of: faces that have corners in common are of one.
fn pieces(surface: &Surface) -> Vec<Surface> {
    let mut leader: Vec<usize> = (0..surface.vertices.len()).collect();
    fn lead(leader: &mut [usize], mut vertex: usize) -> usize {
        while leader[vertex] != vertex {
            leader[vertex] = leader[leader[vertex]];
            vertex = leader[vertex];
        }
        vertex
    }
    for face in &surface.faces {
        for &corner in face {
            let [a, b] = [face[0], corner].map(|corner| lead(&mut leader, corner as usize));
            leader[a.max(b)] = a.min(b);
        }
    }
    let mut pieces: Vec<Surface> = Vec::new();
    let mut piece_of = vec![usize::MAX; surface.vertices.len()];
    let mut number = vec![0_u32; surface.vertices.len()];
    let mut known = vec![false; surface.vertices.len()];
    for face in &surface.faces {
        let leader = lead(&mut leader, face[0] as usize);
        if piece_of[leader] == usize::MAX {
            piece_of[leader] = pieces.len();
            pieces.push(Surface::default());
        }
        let piece = &mut pieces[piece_of[leader]];
        for &corner in face {
            let corner = corner as usize;
            if !std::mem::replace(&mut known[corner], true) {
                number[corner] = piece.vertices.len() as u32;
                piece.vertices.push(surface.vertices[corner]);
            }
        }
        piece.faces.push(face.iter().map(|&corner| number[corner as usize]).collect());
    }
    pieces
}

/// The quaternion of a turn about a vector by its length.
fn rotation(turn: Point) -> [f64; 4] {
    let angle = length(turn);
    let Some(axis) = unit(turn) else { return UNTURNED };
    let (sin, cos) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
    [axis[0] * sin, axis[1] * sin, axis[2] * sin, cos]
}

/// The turn `b`, then `a`.
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

pub(crate) fn ball_volume(radius: f64, dimension: usize) -> f64 {
    if dimension == 2 { D2::ball_volume(radius) } else { D3::ball_volume(radius) }
}

fn does_not_fit(placed: usize, count: usize) -> (String, String) {
    let message = format!("the sample does not fit: only {placed} of {count} grains could be placed");
    (message, "use a larger region, or fewer or smaller grains".to_owned())
}

pub(crate) fn too_many(count: f64) -> (String, String) {
    (
        format!("the sample would have up to {count:.1e} grains"),
        "check the units of the sizes and of the region".to_owned(),
    )
}
