//! Velocities of the bodies in the layout of the kernels, aligned to cache lines.

#![allow(unsafe_code)] // Contacts that are visited one at a time share the array with the kernels.
use super::kernel::slot_stride;
use super::lanes::{Lanes, WIDTH};
use crate::problem::{Inertia, Problem};
use crate::space::{Dim, Vector};
use rayon::prelude::*;

/// Velocity, scaled spin and, of balls, the inverse mass of each body.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// The numbers, eight to a line.
    pub lines: Vec<Lanes>,
}

impl Slots {
    /// Takes over the bodies of the problem as they are.
    pub fn fill<D: Dim>(&mut self, problem: &Problem<D>) {
        let stride = slot_stride(D::AXES);
        self.lines.clear();
        self.lines.resize((problem.bodies.len() * stride).div_ceil(WIDTH), Lanes::default());
        let per_line = WIDTH / stride;
        let lines = self.lines.par_iter_mut().zip(problem.bodies.par_chunks(per_line)).with_min_len(4096);
        lines.for_each(|(line, bodies)| {
            for (slot, body) in line.0.chunks_exact_mut(stride).zip(bodies) {
                for i in 0..D::AXES {
                    slot[i] = body.velocity.get(i);
                }
                for i in 0..D::SPINS {
                    slot[D::AXES + i] = body.spin.get(i);
                }
                if let Inertia::Ball(inverse_mass) = body.inertia {
                    slot[D::AXES + D::SPINS] = inverse_mass;
                }
            }
        });
    }

    /// Velocity and scaled spin of a body.
    pub fn motion<D: Dim>(&self, body: u32) -> (D::Vector, D::Spin) {
        assert!((body as usize + 1) * slot_stride(D::AXES) <= self.lines.len() * WIDTH);
        // SAFETY: the body is there, and nobody writes it while the array is borrowed.
        unsafe { motion::<D>(self.lines.as_ptr().cast(), body) }
    }

    /// The number of bodies.
    pub fn len<D: Dim>(&self) -> usize {
        self.lines.len() * WIDTH / slot_stride(D::AXES)
    }

    /// `1/m` of a ball, zero for others.
    pub fn inverse_mass<D: Dim>(&self, body: u32) -> f64 {
        let index = body as usize * slot_stride(D::AXES) + D::AXES + D::SPINS;
        self.lines[index / WIDTH].0[index % WIDTH]
    }
}

/// Velocity and scaled spin of a body.
///
/// # Safety
/// `slots` must point to a live array that holds the body, which no other thread may write meanwhile.
pub unsafe fn motion<D: Dim>(slots: *const f64, body: u32) -> (D::Vector, D::Spin) {
    // SAFETY: the caller's promise.
    unsafe {
        let slot = slots.add(body as usize * slot_stride(D::AXES));
        (D::Vector::from_fn(|i| *slot.add(i)), D::Spin::from_fn(|i| *slot.add(D::AXES + i)))
    }
}

/// Adds to the velocity and scaled spin of a body.
///
/// # Safety
/// As for [`motion`], and no other thread may read the body either.
pub unsafe fn add_motion<D: Dim>(slots: *mut f64, body: u32, velocity: D::Vector, spin: D::Spin) {
    // SAFETY: the caller's promise.
    unsafe {
        let slot = slots.add(body as usize * slot_stride(D::AXES));
        for i in 0..D::AXES {
            *slot.add(i) += velocity.get(i);
        }
        for i in 0..D::SPINS {
            *slot.add(D::AXES + i) += spin.get(i);
        }
    }
}
