//! The problem of a step, which the engine states by bodies and contacts, as a global problem `M v = H r + f`,
//! `u = Hᵀ v + w`, that other programs can solve too (docs/method.md §1).

use super::{GlobalProblem, SparseMatrix};
use crate::problem::{Contact, GROUND, Problem, Torque};
use crate::space::{Dim, Vector};

/// What of a problem in the engine's form a global problem cannot say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Contact torques in 2D, where no format has a row for them.
    pub rolling: bool,
    /// Torsion, for which there is no row in 3D, and with it that sliding and torsion are coupled.
    pub torsion: bool,
    /// Cohesion with a range: its normal law has a step.
    pub cohesion: bool,
    /// Compliance of contacts.
    pub compliance: bool,
}

/// A problem in the engine's form as a global problem, and the way between the two.
#[derive(Clone, Debug)]
pub struct FromBodies {
    /// The global problem; the velocities of the bodies are their free velocities.
    pub problem: GlobalProblem,
    /// What is not in it.
    pub left_out: LeftOut,
}

/// The rows of `M` that belong to a body, or to the cell: none along axes on which no impulse moves it.
struct FreeRows {
    /// The first row.
    start: usize,
    /// The axes of its velocity, then those of its spin (counted from [`Dim::AXES`] on), that are free.
    axes: Vec<usize>,
}

impl FreeRows {
    /// The free axes, each with its row.
    fn rows(&self) -> impl Iterator<Item = (u32, usize)> {
        self.axes.iter().enumerate().map(|(place, &axis)| ((self.start + place) as u32, axis))
    }
}

/// Entries of a sparse matrix.
type Triplets = Vec<(u32, u32, f64)>;

impl GlobalProblem {
    /// The same problem as `problem`, whose bodies hold their free velocities: spins stay scaled (`ℓ ω`), the rows of a
    /// contact are along its normal and its tangents and, with contact torques in 3D, the two tangents again for the
    /// relative spin.
    pub fn from_bodies<D: Dim>(problem: &Problem<D>) -> FromBodies {
        let has_torques = problem.torques.iter().any(|torque| torque.rolling > 0.0);
        let size = if has_torques && D::AXES == 3 { 5 } else { D::AXES };
        let left_out = LeftOut {
            rolling: has_torques && D::AXES == 2,
            torsion: D::AXES == 3 && problem.torques.iter().any(|torque| torque.torsion > 0.0),
            cohesion: problem.cohesions.iter().any(|cohesion| cohesion.hold != 0.0 || cohesion.closing != 0.0),
            compliance: problem.compliance != 0.0,
        };
        let Masses { bodies, cell, m, f } = Masses::of(problem);
        let (h, w) = contact_map(problem, size, &bodies, &cell);
        let matrix = |columns, triplets| {
            SparseMatrix::from_triplets(f.len(), columns, triplets).expect("rows and columns are counted above")
        };
        let (m, h) = (matrix(f.len(), m), matrix(w.len(), h));
        let friction = problem.contacts.iter().map(|contact| contact.friction).collect();
        let rolling =
            if size == 5 { problem.torques.iter().map(|torque| torque.rolling).collect() } else { Vec::new() };
        FromBodies { problem: GlobalProblem { size, m, h, f, w, friction, rolling }, left_out }
    }

    /// The impulses of `problem` in the rows of the global problem that was made from it.
    pub fn impulses_of<D: Dim>(&self, problem: &Problem<D>) -> Vec<f64> {
        let mut impulses = Vec::with_capacity(self.w.len());
        for (c, contact) in problem.contacts.iter().enumerate() {
            for (row, direction) in directions(contact, self.size).into_iter().enumerate() {
                impulses.push(if row < D::AXES {
                    contact.impulse.dot(direction)
                } else {
                    problem.torques.get(c).map_or(0.0, |torque| along::<D>(torque.impulse, direction))
                });
            }
        }
        impulses
    }

    /// The velocities of the bodies of `problem` in the rows of the global problem that was made from it.
    pub fn velocities_of<D: Dim>(&self, problem: &Problem<D>) -> Vec<f64> {
        let mut list = Vec::with_capacity(self.f.len());
        for index in 0..problem.bodies.len() {
            let inverse = inverse_mass(problem, index as u32);
            let velocity = velocities(problem, index);
            list.extend((0..inverse.len()).filter(|&i| inverse[i][i] > 0.0).map(|i| velocity[i]));
        }
        if let Some(cell) = &problem.cell {
            list.extend(free_stretching(problem).into_iter().map(|axis| cell.rate.get(axis)));
        }
        list
    }
}

/// The mass matrix, the free momentum, and the rows that bodies and the cell have in both.
struct Masses {
    bodies: Vec<FreeRows>,
    cell: FreeRows,
    m: Triplets,
    f: Vec<f64>,
}

impl Masses {
    fn of<D: Dim>(problem: &Problem<D>) -> Self {
        let (mut m, mut f) = (Triplets::new(), Vec::new());
        let mut bodies = Vec::with_capacity(problem.bodies.len());
        for index in 0..problem.bodies.len() {
            let inverse = inverse_mass(problem, index as u32);
            let free = FreeRows { start: f.len(), axes: (0..inverse.len()).filter(|&i| inverse[i][i] > 0.0).collect() };
            let mass = inverted(&inverse, &free.axes);
            let velocity = velocities(problem, index);
            for (a, row) in mass.iter().enumerate() {
                f.push(row.iter().zip(&free.axes).map(|(mass, &axis)| mass * velocity[axis]).sum());
                for (b, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    m.push(((free.start + a) as u32, (free.start + b) as u32, value));
                }
            }
            bodies.push(free);
        }
        let free = FreeRows { start: f.len(), axes: free_stretching(problem) };
        if let Some(cell) = &problem.cell {
            for (row, axis) in free.rows() {
                let mass = 1.0 / cell.inverse_mass.get(axis);
                f.push(mass * cell.rate.get(axis));
                m.push((row, row, mass));
            }
        }
        Masses { bodies, cell: free, m, f }
    }
}

/// `H` and `w`: how free motion moves the contacts, and how imposed motion does.
fn contact_map<D: Dim>(
    problem: &Problem<D>,
    size: usize,
    bodies: &[FreeRows],
    stretching: &FreeRows,
) -> (Triplets, Vec<f64>) {
    let (mut h, mut w) = (Triplets::new(), Vec::with_capacity(size * problem.contacts.len()));
    for (c, contact) in problem.contacts.iter().enumerate() {
        let torque = problem.torques.get(c);
        for (row, direction) in directions(contact, size).into_iter().enumerate() {
            let (column, of_spin) = ((c * size + row) as u32, row >= D::AXES);
            let mut imposed = if of_spin {
                torque.map_or(0.0, |torque| along::<D>(torque.shift, direction))
            } else {
                contact.shift.dot(direction) + imposed_stretching(problem, c).dot(direction)
            };
            if let Some(cell) = problem.cell.as_ref().filter(|_| !of_spin) {
                let value = |axis: usize| cell.branches[c].get(axis) * direction.get(axis);
                h.extend(stretching.rows().map(|(row, axis)| (row, column, value(axis))));
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = contact.bodies[side];
                if body == GROUND {
                    continue;
                }
                let map = if of_spin {
                    spin_map::<D>(direction, torque, side)
                } else {
                    velocity_map(problem, c, direction, side)
                };
                let free = &bodies[body as usize];
                let moving = free.rows().filter(|&(_, axis)| map[axis] != 0.0);
                h.extend(moving.map(|(row, axis)| (row, column, sign * map[axis])));
                // Along its other axes the body moves as prescribed.
                let prescribed = velocities(problem, body as usize);
                let axes = (0..map.len()).filter(|axis| !free.axes.contains(axis));
                imposed += sign * axes.map(|axis| map[axis] * prescribed[axis]).sum::<f64>();
            }
            w.push(imposed);
        }
    }
    (h, w)
}

/// The axes along which the cell is free to stretch: freedoms after those of the bodies.
fn free_stretching<D: Dim>(problem: &Problem<D>) -> Vec<usize> {
    let is_free = |axis: &usize| problem.cell.as_ref().is_some_and(|cell| cell.inverse_mass.get(*axis) > 0.0);
    (0..D::AXES).filter(is_free).collect()
}

/// What the stretching along the other axes adds to the relative velocity of a contact.
fn imposed_stretching<D: Dim>(problem: &Problem<D>, contact: usize) -> D::Vector {
    let Some(cell) = &problem.cell else { return D::Vector::ZERO };
    let all = cell.velocity(contact);
    D::Vector::from_fn(|i| if cell.inverse_mass.get(i) > 0.0 { 0.0 } else { all.get(i) })
}

/// The directions of the rows of a contact: normal, tangents, and the tangents again for the relative spin.
fn directions<D: Dim>(contact: &Contact<D>, size: usize) -> Vec<D::Vector> {
    let [t1, t2] = D::tangents(contact.normal);
    [contact.normal, t1, t2, t1, t2].into_iter().take(size).collect()
}

/// The inverse mass of a body, for its velocity and its spin.
fn inverse_mass<D: Dim>(problem: &Problem<D>, body: u32) -> Vec<Vec<f64>> {
    let mass = problem.mass(body);
    let mut inverse = vec![vec![0.0; D::AXES + D::SPINS]; D::AXES + D::SPINS];
    for i in 0..D::AXES {
        inverse[i][i] = mass.inverse_mass.get(i);
    }
    for column in 0..D::SPINS {
        let image = D::apply(mass.inverse_inertia, D::Spin::axis(column));
        for row in 0..D::SPINS {
            inverse[D::AXES + row][D::AXES + column] = image.get(row);
        }
    }
    inverse
}

/// The inverse of the part of a symmetric positive definite matrix that belongs to some axes, by Gauss–Jordan.
fn inverted(matrix: &[Vec<f64>], axes: &[usize]) -> Vec<Vec<f64>> {
    let count = axes.len();
    let mut a: Vec<Vec<f64>> = axes.iter().map(|&i| axes.iter().map(|&j| matrix[i][j]).collect()).collect();
    let mut inverse: Vec<Vec<f64>> =
        (0..count).map(|i| (0..count).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for pivot in 0..count {
        let scale = 1.0 / a[pivot][pivot];
        for j in 0..count {
            a[pivot][j] *= scale;
            inverse[pivot][j] *= scale;
        }
        for row in (0..count).filter(|&row| row != pivot) {
            let factor = a[row][pivot];
            if factor != 0.0 {
                for j in 0..count {
                    a[row][j] -= factor * a[pivot][j];
                    inverse[row][j] -= factor * inverse[pivot][j];
                }
            }
        }
    }
    inverse
}

fn velocities<D: Dim>(problem: &Problem<D>, body: usize) -> Vec<f64> {
    let body = &problem.bodies[body];
    let spins = (0..D::SPINS).map(|i| body.spin.get(i));
    (0..D::AXES).map(|i| body.velocity.get(i)).chain(spins).collect()
}

/// How the velocity and spin of a body move the contact point along `direction`: `e·(v + s × l)`.
fn velocity_map<D: Dim>(problem: &Problem<D>, contact: usize, direction: D::Vector, side: usize) -> Vec<f64> {
    let lever = D::wedge(problem.arms_of(contact)[side], direction);
    (0..D::AXES).map(|i| direction.get(i)).chain((0..D::SPINS).map(|i| lever.get(i))).collect()
}

/// How the spin of a body turns about `direction`: `e·s/ℓ`.
fn spin_map<D: Dim>(direction: D::Vector, torque: Option<&Torque<D>>, side: usize) -> Vec<f64> {
    let length = torque.map_or(1.0, |torque| torque.lengths[side]);
    (0..D::AXES).map(|_| 0.0).chain((0..D::SPINS).map(|i| direction.get(i) / length)).collect()
}

/// The part of a spin of 3D along a direction.
fn along<D: Dim>(spin: D::Spin, direction: D::Vector) -> f64 {
    (0..D::SPINS).map(|i| spin.get(i) * direction.get(i)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembled::AssembledProblem;
    use crate::problem::{Body, Inertia, Mass};
    use crate::space::{D2, D3};

    /// Numbers that look random, from −1 to 1.
    fn numbers() -> impl FnMut() -> f64 {
        let mut seed = 1_u64;
        move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / 2_f64.powi(52) - 1.0
        }
    }

    /// Balls, a body that turns and moves freely, one that moves along one axis only, and the ground, all in touch.
    fn sample<D: Dim>(torques: bool) -> Problem<D> {
        let mut number = numbers();
        let mut vector = || D::Vector::from_fn(|_| number());
        let mut problem = Problem::<D>::default();
        let tensor = D::spin_tensor(D::turn(D::Orientation::default(), D::Spin::from_fn(|i| 0.3 + i as f64)), {
            D::Spin::from_fn(|i| 1.0 + i as f64)
        });
        problem.masses.push(Mass { inverse_mass: D::Vector::from_fn(|_| 0.7), inverse_inertia: tensor });
        problem.masses.push(Mass { inverse_mass: D::Vector::axis(1) * 0.2, ..Mass::default() });
        let inertias =
            [Inertia::Imposed, Inertia::Ball(0.5), Inertia::Ball(2.0), Inertia::General(0), Inertia::General(1)];
        for inertia in inertias {
            let mut body: Body<D> = Body { velocity: vector(), spin: D::Spin::ZERO, inertia };
            match inertia {
                Inertia::Imposed => body.velocity = D::Vector::ZERO,
                // Along the other axes it keeps the velocity that it has.
                Inertia::General(1) => {}
                _ => body.spin = D::Spin::from_fn(|i| 0.1 * i as f64 - 0.4),
            }
            problem.bodies.push(body);
        }
        for bodies in [[0, 1], [1, 2], [2, 3], [0, 3], [4, 2], [3, 4]] {
            let normal = vector().normalized().unwrap();
            problem.arms.push([vector(), vector()]);
            problem.contacts.push(Contact { bodies, normal, shift: vector(), friction: 0.3, impulse: vector() });
            if torques {
                problem.torques.push(Torque {
                    rolling: 0.02,
                    lengths: [0.4, 0.7],
                    shift: D::Spin::from_fn(|i| 0.2 - i as f64),
                    impulse: D::Spin::from_fn(|i| 0.3 * i as f64 + 0.1),
                    ..Torque::default()
                });
            }
        }
        problem
    }

    /// The velocities that the global problem has for the impulses of `problem` are those that the bodies get.
    fn agrees<D: Dim>(problem: Problem<D>, size: usize) {
        let FromBodies { problem: global, left_out } = GlobalProblem::from_bodies(&problem);
        let assembled = AssembledProblem::Global(global.clone());
        assembled.check().unwrap();
        assert_eq!((global.size, left_out), (size, LeftOut::default()));
        let impulses = global.impulses_of(&problem);
        let local = assembled.condense().unwrap();
        let mut u = local.q.clone();
        local.w.multiply_add(&impulses, &mut u);

        let mut moved = problem.clone();
        for (c, contact) in problem.contacts.iter().enumerate() {
            moved.apply(c, contact.impulse);
            if size == 5 {
                let torque = &problem.torques[c];
                // Torsion has no row: only the part along the tangents acts.
                let [t1, t2] = D::tangents(contact.normal);
                let tangential = t1 * along::<D>(torque.impulse, t1) + t2 * along::<D>(torque.impulse, t2);
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let mass = problem.mass(contact.bodies[side]);
                    let turn = D::Spin::from_fn(|i| tangential.get(i) * sign / torque.lengths[side]);
                    moved.bodies[contact.bodies[side] as usize].spin += D::apply(mass.inverse_inertia, turn);
                }
            }
        }
        for (c, contact) in problem.contacts.iter().enumerate() {
            let shifted = moved.relative_velocity(c) + contact.shift;
            for (row, direction) in directions(contact, size).into_iter().enumerate() {
                let expected = if row < D::AXES {
                    shifted.dot(direction)
                } else {
                    let torque = &problem.torques[c];
                    let spin = |side: usize| match contact.bodies[side] {
                        GROUND => D::Spin::ZERO,
                        body => moved.bodies[body as usize].spin * (1.0 / torque.lengths[side]),
                    };
                    along::<D>(spin(1) - spin(0) + torque.shift, direction)
                };
                assert!((u[c * size + row] - expected).abs() < 1e-12, "contact {c}, row {row}");
            }
        }
        let mut momentum = global.f.clone();
        global.h.multiply_add(&impulses, &mut momentum);
        let mut found = vec![0.0; momentum.len()];
        global.m.multiply_add(&global.velocities_of(&moved), &mut found);
        for (found, expected) in found.iter().zip(momentum) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_global_problem_moves_contacts_as_the_bodies_do() {
        agrees(sample::<D2>(false), 2);
        agrees(sample::<D3>(false), 3);
        agrees(sample::<D3>(true), 5);
    }

    #[test]
    fn what_has_no_rows_is_told() {
        let plane = GlobalProblem::from_bodies(&sample::<D2>(true));
        assert!(plane.problem.size == 2 && plane.left_out.rolling);
        let mut space = sample::<D3>(true);
        space.torques[2].torsion = 0.1;
        space.compliance = 1e-3;
        let space = GlobalProblem::from_bodies(&space);
        assert!(space.left_out == LeftOut { torsion: true, compliance: true, ..LeftOut::default() });
    }
}
