//! How bodies resist: mass and inertia along and about the axes, angular momentum, free rotation.

use crate::body::{Body, Motion};
use crate::rotation::turn_freely;
use crate::shape::Shape;
use crate::world::World;
use riprap_solve::problem::Mass;
use riprap_solve::{Dim, Vector};

impl<D: Dim> Body<D> {
    /// Orientation and spin after the body has turned freely for `time`.
    pub(crate) fn turned(&self, orientation: D::Orientation, spin: D::Spin, time: f64) -> (D::Orientation, D::Spin) {
        if self.is_free() && self.grain_radius().is_none() {
            turn_freely::<D>(orientation, spin, self.inertia, time)
        } else {
            (D::turn(orientation, spin * time), spin)
        }
    }
}

impl<D: Dim> World<D> {
    /// The mass that resists along each axis: zero where the velocity is imposed.
    pub(crate) fn mass_along_axes(&self, body: usize) -> D::Vector {
        let body = &self.bodies[body];
        D::Vector::from_fn(|i| match &body.motion {
            Motion::Driven(freedoms) if !freedoms.translation[i].is_loaded() => 0.0,
            _ => body.mass,
        })
    }

    /// The moment of inertia that resists about each axis: zero where the spin is imposed.
    pub(crate) fn inertia_about_axes(&self, body: usize) -> D::Spin {
        let body = &self.bodies[body];
        D::Spin::from_fn(|i| match &body.motion {
            Motion::Driven(freedoms) if !freedoms.rotation[i].is_loaded() => 0.0,
            _ => body.inertia.get(i),
        })
    }

    /// The inverse mass of a body that is not a free ball: of a driven one along and about the axes of the world, of a
    /// free one by its inertia as it is turned.
    pub(crate) fn general_mass(&self, body: usize) -> Mass<D> {
        self.general_mass_where(body, |_| true)
    }

    /// The same of a body that can be turned only about some of its axes.
    pub(crate) fn general_mass_where(&self, body: usize, turns: impl Fn(usize) -> bool) -> Mass<D> {
        let inverse = |resists: f64| if resists > 0.0 { 1.0 / resists } else { 0.0 };
        let (mass, inertia) = (self.mass_along_axes(body), self.inertia_about_axes(body));
        let inverse_inertia = D::Spin::from_fn(|i| if turns(i) { inverse(inertia.get(i)) } else { 0.0 });
        Mass {
            inverse_mass: D::Vector::from_fn(|i| inverse(mass.get(i))),
            inverse_inertia: D::spin_tensor(self.inertia_frame(body), inverse_inertia),
        }
    }

    /// The frame in which a body's inertia is diagonal: its own if it is free, the world's if its freedoms are driven one
    /// by one.
    fn inertia_frame(&self, body: usize) -> D::Orientation {
        if self.bodies[body].is_free() { self.state.orientation[body] } else { D::Orientation::default() }
    }

    /// Angular momentum about the centre of a body that turns with `spin`; zero about axes on which that is imposed.
    pub fn angular_momentum(&self, body: usize, spin: D::Spin) -> D::Spin {
        let inertia = self.inertia_about_axes(body);
        match self.bodies[body].shape {
            Shape::Ball { .. } => inertia.scale(spin),
            _ => D::apply(D::spin_tensor(self.inertia_frame(body), inertia), spin),
        }
    }

    /// The orientation and spin of a body after it has turned freely for `time`.
    pub(crate) fn turn_for(&self, body: usize, time: f64) -> (D::Orientation, D::Spin) {
        self.bodies[body].turned(self.state.orientation[body], self.state.spin[body], time)
    }

    /// The part of a vector along the axes on which the body's velocity is imposed.
    pub(crate) fn along_imposed_axes(&self, body: usize, vector: D::Vector) -> D::Vector {
        if self.bodies[body].is_free() {
            return D::Vector::ZERO;
        }
        let mass = self.mass_along_axes(body);
        D::Vector::from_fn(|i| if mass.get(i) == 0.0 { vector.get(i) } else { 0.0 })
    }
}
