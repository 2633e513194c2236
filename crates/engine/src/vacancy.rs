//! Where there is room for another grain: among the bodies of a world as they are between two steps.

use crate::body::Body;
use crate::detect::{Placed, Posed, Poses, Scratch, contact_points, gap, is_simple};
use crate::shape::Shape;
use crate::world::World;
use riprap_solve::{Dim, Vector};

/// A part of space in which grains are to be added, and the bodies that reach into it. A grain that is not a ball takes up
/// the ball around it.
pub struct Vacancy<'a, D: Dim> {
    world: &'a World<D>,
    walls: Vec<u32>,
    /// The balls around grains that reach into the box, wherever they are in a periodic direction, and those taken since.
    balls: Vec<(D::Vector, f64)>,
}

impl<D: Dim> World<D> {
    /// What is in the box between two corners, and what walls there are.
    pub fn vacancy(&self, lower: D::Vector, upper: D::Vector) -> Vacancy<'_, D> {
        let (middle, half) = ((lower + upper) * 0.5, (upper - lower) * 0.5);
        let mut vacancy = Vacancy { world: self, walls: Vec::new(), balls: Vec::new() };
        for (index, body) in self.bodies.iter().enumerate() {
            let Some(radius) = body.search_radius() else {
                vacancy.walls.push(index as u32);
                continue;
            };
            let position = self.state.position[index];
            let away = self.nearest_image(position - middle);
            if (0..D::AXES).all(|axis| away.get(axis).abs() <= half.get(axis) + radius) {
                vacancy.balls.push((position, radius));
            }
        }
        vacancy
    }

    /// A difference of positions, to the nearest image in the periodic directions.
    fn nearest_image(&self, difference: D::Vector) -> D::Vector {
        let cell = &self.state.cell;
        D::Vector::from_fn(|axis| {
            let (x, period) = (difference.get(axis), cell.period.get(axis));
            if cell.is_periodic(axis) { x - period * (x / period).round() } else { x }
        })
    }
}

impl<D: Dim> Vacancy<'_, D> {
    /// True if a ball of a grain of this group, anywhere in the box, touches nothing.
    pub fn is_free(&self, position: D::Vector, radius: f64, group: u16) -> bool {
        self.is_clear_of_walls(position, radius, group)
            && self.balls.iter().all(|&(other, own)| {
                let away = self.world.nearest_image(position - other);
                away.dot(away) >= (radius + own) * (radius + own)
            })
    }

    /// True if a ball of a grain of this group touches no wall that does not let it through.
    pub fn is_clear_of_walls(&self, position: D::Vector, radius: f64, group: u16) -> bool {
        self.blocking_wall(position, radius, group).is_none()
    }

    /// The first wall that such a ball touches, by its index.
    pub fn blocking_wall(&self, position: D::Vector, radius: f64, group: u16) -> Option<u32> {
        let touches = |&wall: &u32| {
            let body = &self.world.bodies[wall as usize];
            !body.passage.lets_through(group) && self.touches_wall(wall, body, position, radius)
        };
        self.walls.iter().copied().find(touches)
    }

    /// Takes up the room of a ball, for what is asked next.
    pub fn take(&mut self, position: D::Vector, radius: f64) {
        self.balls.push((position, radius));
    }

    fn touches_wall(&self, wall: u32, body: &Body<D>, position: D::Vector, radius: f64) -> bool {
        let state = &self.world.state;
        let (shape, own, orientation) = (&body.shape, state.position[wall as usize], state.orientation[wall as usize]);
        let ball = Shape::Ball { radius };
        let first = Placed { shape, position: own, orientation };
        let second = Placed { shape: &ball, position, orientation: D::Orientation::default() };
        match shape {
            shape if is_simple(shape) => gap(first, second).gap < 0.0,
            Shape::Mesh(_) => {
                // Neither a mesh nor a ball has convex pieces to be turned.
                let poses = Poses::default();
                let mut found = Vec::new();
                let [first, second] =
                    [(first, wall), (second, wall)].map(|(placed, body)| Posed { placed, body, poses: &poses });
                contact_points(first, second, 0.0, &mut Scratch::default(), &mut found);
                !found.is_empty()
            }
            Shape::Convex(convex) => {
                let away = position - own;
                let inside = |normal: D::Vector| D::rotate(orientation, normal).dot(away);
                !convex.faces.iter().any(|face| inside(face.normal) - face.offset >= radius)
            }
            other => {
                let reach = other.bounding_radius().unwrap_or(f64::INFINITY) + radius;
                (position - own).dot(position - own) < reach * reach
            }
        }
    }
}
