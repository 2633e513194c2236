//! Bodies: what they are made of, and which of their motions are free.

use crate::loads::TimeFunction;
use crate::shape::Shape;
use riprap_solve::{Dim, Vector};

/// A grain or a wall: its constant properties. Where it is and how it moves is in [`crate::State`].
#[derive(Clone, Debug, PartialEq)]
pub struct Body<D: Dim> {
    /// The name that a wall has in the scene; grains have none.
    pub name: Option<Box<str>>,
    /// Its shape.
    pub shape: Shape<D>,
    /// Index of its material in [`crate::Materials`].
    pub material: u16,
    /// Index of its group in [`crate::World::groups`].
    pub group: u16,
    /// Mass. Only the freedoms under an imposed force make use of a wall's mass.
    pub mass: f64,
    /// Principal moments of inertia about the centre of mass, in the body frame.
    pub inertia: D::Spin,
    /// Free, fixed or driven.
    pub motion: Motion<D>,
    /// Which grains a wall lets through.
    pub passage: Passage,
}

/// Which grains a wall lets through, as if it were not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Passage {
    /// None: a wall like any other.
    #[default]
    Closed,
    /// Those of some groups, by their indices in [`crate::World::groups`].
    Groups(Vec<u16>),
    /// All of them.
    Open,
}

impl Passage {
    /// True if grains of a group are let through.
    pub fn lets_through(&self, group: u16) -> bool {
        match self {
            Passage::Closed => false,
            Passage::Groups(groups) => groups.contains(&group),
            Passage::Open => true,
        }
    }
}

impl<D: Dim> Body<D> {
    /// A free, full ball of the given density (per cubic metre; in 2D it is 1 m thick), of the first material and group.
    pub fn ball(radius: f64, density: f64) -> Self {
        let mass = density * D::ball_volume(radius);
        Body {
            name: None,
            shape: Shape::Ball { radius },
            material: 0,
            group: 0,
            mass,
            inertia: D::Spin::from_fn(|_| D::BALL_INERTIA * mass * radius * radius),
            motion: Motion::Free,
            passage: Passage::Closed,
        }
    }

    /// A free, full body of a bounded shape and of the given density (per cubic metre; in 2D it is 1 m thick), of the
    /// first material and group.
    pub fn solid(shape: Shape<D>, density: f64) -> Self {
        let (mass, inertia) = (density * shape.volume(), shape.inertia() * density);
        Body { name: None, shape, material: 0, group: 0, mass, inertia, motion: Motion::Free, passage: Passage::Closed }
    }

    /// A wall that does not move, of the first material and group.
    pub fn wall(name: &str, shape: Shape<D>) -> Self {
        Body {
            name: Some(name.into()),
            shape,
            material: 0,
            group: 0,
            mass: 0.0,
            inertia: D::Spin::default(),
            motion: Motion::fixed(),
            passage: Passage::Closed,
        }
    }

    /// The same body of another material, by its index in [`crate::Materials`].
    pub fn material(self, material: u16) -> Self {
        Body { material, ..self }
    }

    /// The same body in another group, by its index in [`crate::World::groups`].
    pub fn group(self, group: u16) -> Self {
        Body { group, ..self }
    }

    /// The same body, driven or fixed in another way.
    pub fn motion(self, motion: Motion<D>) -> Self {
        Body { motion, ..self }
    }

    /// True if no force can change its motion: every freedom is an imposed motion.
    pub fn is_imposed(&self) -> bool {
        match &self.motion {
            Motion::Free => false,
            Motion::Driven(freedoms) => {
                !freedoms.translation[..D::AXES].iter().chain(&freedoms.rotation[..D::SPINS]).any(Freedom::is_loaded)
            }
        }
    }

    /// The radius of a free ball: a body that the solver treats by the simple law of balls, with its spin scaled by this.
    pub(crate) fn grain_radius(&self) -> Option<f64> {
        if self.is_free() { self.shape.ball_radius() } else { None }
    }

    /// The radius of the ball that the pair search sees: that of a ball, or around a free body of any shape. `None` for
    /// walls, which are searched by their surface.
    pub(crate) fn search_radius(&self) -> Option<f64> {
        self.shape.ball_radius().or_else(|| if self.is_free() { self.shape.bounding_radius() } else { None })
    }

    /// Equivalent radius: that of a ball of the same volume; infinite for surfaces.
    pub(crate) fn equivalent_radius(&self) -> f64 {
        match self.shape.ball_radius() {
            Some(radius) => radius,
            None if self.shape.volume() > 0.0 => {
                libm::pow(self.shape.volume() / D::ball_volume(1.0), 1.0 / D::AXES as f64)
            }
            None => f64::INFINITY,
        }
    }

    /// True for a body whose every motion is free: a grain.
    pub fn is_free(&self) -> bool {
        matches!(self.motion, Motion::Free)
    }
}

/// Identifies a body for the whole of a run: it never changes, and is never given to another body. (The index of a body in
/// [`crate::World::bodies`] changes when a body before it is removed.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub u32);

impl std::fmt::Display for BodyId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

/// Where a body starts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placement<D: Dim> {
    /// Centre of mass, or the reference point of a wall.
    pub position: D::Vector,
    /// Orientation of the body frame.
    pub orientation: D::Orientation,
    /// Velocity of the centre of mass.
    pub velocity: D::Vector,
    /// Spin, in the frame of the world.
    pub spin: D::Spin,
}

impl<D: Dim> Placement<D> {
    /// At rest at a position, not turned.
    pub fn at(position: D::Vector) -> Self {
        Placement { position, ..Placement::default() }
    }
}

/// Which motions of a body are free.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion<D: Dim> {
    /// All of them: a grain, under gravity and the loads of the scene.
    Free,
    /// Each one on its own is imposed or loaded: a wall, a piston, a drum.
    Driven(Box<Freedoms<D>>),
}

impl<D: Dim> Motion<D> {
    /// No motion at all.
    pub fn fixed() -> Self {
        Motion::Driven(Box::default())
    }
}

/// The freedoms of a driven body along and about the axes of the world. Gravity does not act on a driven body: an
/// imposed force is the whole external force, except for a body that hangs on a hinge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freedoms<D: Dim> {
    /// Along x, y, z (the third is unused in 2D).
    pub translation: [Freedom; 3],
    /// About x, y, z, through the body's position (in 2D only the first is used, the turn in the plane).
    pub rotation: [Freedom; 3],
    /// The body that carries it: imposed motions are then relative to that one.
    pub carrier: Option<Carrier<D>>,
    /// What its weight is, if that turns it.
    pub hanging: Option<Hanging<D>>,
}

/// A body whose motion is imposed, and that carries another: it moves as if fixed to the carrier, and its own imposed
/// motion comes on top, along and about axes that turn with the carrier. A freedom under a force or a torque is not
/// carried. If the carrier is removed, the body moves on by its own motion alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier<D: Dim> {
    /// The carrier.
    pub id: BodyId,
    /// The orientation of the carrier at which the axes are those of the world.
    pub aligned: D::Orientation,
}

/// The weight of a body that is hinged at its position, so that only its rotation feels it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hanging<D: Dim> {
    /// Its mass.
    pub mass: f64,
    /// From its position to its centre of mass, in the body frame.
    pub arm: D::Vector,
}

/// What drives one motion of a driven body.
#[derive(Clone, Debug, PartialEq)]
pub enum Freedom {
    /// The velocity (m/s, rad/s) is imposed; zero means fixed.
    Velocity(TimeFunction),
    /// The acceleration (m/s², rad/s²) is imposed, from rest at the time `start`; its velocity is the exact integral.
    Acceleration {
        /// Acceleration over time.
        acceleration: TimeFunction,
        /// When it starts.
        start: f64,
    },
    /// The displacement (m, rad) is imposed: in every step the velocity is the one that leads to it.
    Displacement(TimeFunction),
    /// The force (N) or torque (N m) is imposed, and the body moves by its mass or inertia.
    Force(TimeFunction),
    /// A motor imposes the velocity with no more than a largest torque (rotation only; not under molecular dynamics). At that
    /// limit the body turns by its inertia.
    Motor {
        /// The velocity that it aims at (rad/s).
        velocity: TimeFunction,
        /// The largest torque (N m).
        largest: f64,
    },
    /// The pressure on the wall is imposed (translation only): the force is pressure × area, along this axis.
    /// Its sign is the direction of the force.
    Pressure {
        /// Pressure over time (Pa).
        pressure: TimeFunction,
        /// The loaded area.
        area: LoadedArea,
    },
}

impl Freedom {
    /// True if forces can change the motion.
    pub fn is_loaded(&self) -> bool {
        matches!(self, Freedom::Force(_) | Freedom::Motor { .. } | Freedom::Pressure { .. })
    }
}

impl Default for Freedom {
    fn default() -> Self {
        Freedom::Velocity(TimeFunction::Constant(0.0))
    }
}

/// The area that a pressure acts on.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadedArea {
    /// A constant (m²; in 2D a length times 1 m).
    Constant(f64),
    /// The product of the spans along the other axes, as they are at the time: the distance between two walls, or a
    /// constant such as a period.
    Spans(Vec<Span>),
}

/// One factor of a loaded area.
#[derive(Clone, Debug, PartialEq)]
pub enum Span {
    /// A constant length.
    Constant(f64),
    /// The period along an axis, as long as it is.
    Period(usize),
    /// The distance of two walls along an axis.
    Between {
        /// The two bodies.
        walls: [u32; 2],
        /// The axis along which their distance is taken.
        axis: usize,
    },
}
