//! The contacts of one kind in the layout of its kernel: batches of eight, row by row.

use super::ball::Ball;
use super::ball_torque::BallTorque;
use super::block::Block;
use super::kernel::Kernel;
use super::lanes::{Lanes, WIDTH};
use super::schedule::{EMPTY, Schedule};
use super::torque_contact::TorqueContact;
use crate::problem::{GROUND, Inertia, Problem, Torque};
use crate::space::{Dim, Vector};
use rayon::prelude::*;

/// Kinds of contacts, each with its own kernel; they are visited in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Between balls: normal and tangent are not coupled.
    Ball,
    /// Between balls, with torques or a step in the normal law.
    BallTorque,
    /// Coupled by a full block.
    Block,
    /// Coupled by a full block, with torques or a step in the normal law; or by a limit of sliding and torsion.
    BlockTorque,
}

impl Kind {
    /// All of them, in the order in which a task visits them.
    pub const ALL: [Kind; 4] = [Kind::Ball, Kind::BallTorque, Kind::Block, Kind::BlockTorque];

    /// The kind of contact `index`.
    pub fn of<D: Dim>(problem: &Problem<D>, index: usize) -> Kind {
        let laws = problem.torque(index).is_some() || problem.cohesion(index).is_some();
        // No kernel of balls knows the limit that sliding and torsion share.
        let is_simple = problem.is_ball_contact(&problem.contacts[index]) && problem.coupling_length(index).is_none();
        match (is_simple, laws) {
            (true, false) => Kind::Ball,
            (true, true) => Kind::BallTorque,
            (false, false) => Kind::Block,
            (false, true) => Kind::BlockTorque,
        }
    }

    /// How many components the impulse has.
    pub fn components<D: Dim>(self) -> usize {
        match self {
            Kind::Ball | Kind::Block => D::AXES,
            Kind::BallTorque | Kind::BlockTorque => D::AXES + D::SPINS,
        }
    }

    /// The first row of the shift among the constants of a batch; contacts that are visited one at a time have none.
    pub fn shift_row<D: Dim>(self) -> usize {
        match self {
            Kind::Ball | Kind::BallTorque => D::AXES,
            Kind::Block | Kind::BlockTorque => self.rows::<D>().saturating_sub(1 + D::AXES),
        }
    }

    /// How many rows of constants a batch has, without those of compliant contacts.
    fn rows<D: Dim>(self) -> usize {
        match (self, D::AXES) {
            (Kind::Ball, 2) => <Ball<2, 1> as Kernel<2, 1, 2>>::ROWS,
            (Kind::Ball, _) => <Ball<3, 3> as Kernel<3, 3, 3>>::ROWS,
            (Kind::BallTorque, 2) => <BallTorque<2, 1, 3> as Kernel<2, 1, 3>>::ROWS,
            (Kind::BallTorque, _) => <BallTorque<3, 3, 6> as Kernel<3, 3, 6>>::ROWS,
            (Kind::Block, 2) => <Block<2, 1> as Kernel<2, 1, 2>>::ROWS,
            (Kind::Block, _) => <Block<3, 3> as Kernel<3, 3, 3>>::ROWS,
            (Kind::BlockTorque, _) => 0,
        }
    }
}

/// The constants of all contacts of one kind.
pub struct Group<D: Dim> {
    /// The kind.
    pub kind: Kind,
    /// Rows of a batch.
    pub stride: usize,
    /// Constants, `stride` rows for each batch.
    pub rows: Vec<Lanes>,
    /// Bodies 1 and 2 of each lane; the ground in empty ones.
    pub bodies: Vec<[[u32; WIDTH]; 2]>,
    /// `1/m_n` of each lane, zero where it is empty.
    pub weights: Vec<Lanes>,
    /// The contacts that are visited one at a time, by lane.
    pub torque_contacts: Vec<TorqueContact<D>>,
}

impl<D: Dim> Group<D> {
    /// No contacts of a kind.
    pub fn new(kind: Kind) -> Self {
        let (rows, bodies, weights) = (Vec::new(), Vec::new(), Vec::new());
        Group { kind, stride: 0, rows, bodies, weights, torque_contacts: Vec::new() }
    }

    /// Lays out the contacts of the kind; `impulses` are the rows where they start from, filled if the start is warm. Batches
    /// that are not `own` have no contacts; where this is empty, all are.
    pub fn lay_out(
        &mut self,
        problem: &Problem<D>,
        schedule: &Schedule,
        impulses: &mut [Lanes],
        warm: bool,
        own: &[bool],
    ) {
        let kind = self.kind;
        let batches = &schedule.batches[kind as usize];
        let compliant = problem.compliance > 0.0;
        let is_visited_singly = kind == Kind::BlockTorque;
        self.stride = if is_visited_singly { 0 } else { kind.rows::<D>() + if compliant { D::AXES } else { 0 } };
        let components = kind.components::<D>();
        self.rows.resize(batches.len() * self.stride, Lanes::default());
        self.bodies.resize(batches.len(), [[GROUND; WIDTH]; 2]);
        self.weights.resize(batches.len(), Lanes::default());
        self.torque_contacts.resize_with(if is_visited_singly { batches.len() * WIDTH } else { 0 }, Default::default);
        let fill = |batch: usize, rows: &mut [Lanes], impulses: &mut [Lanes], lanes: &mut Batch<'_, D>| {
            // What the last problem left here, batch by batch and not all of it before: a batch stays in the nearest cache.
            rows.fill(Lanes::default());
            impulses.fill(Lanes::default());
            *lanes.bodies = [[GROUND; WIDTH]; 2];
            *lanes.weights = Lanes::default();
            lanes.torque_contacts.fill(TorqueContact::default());
            // Contacts that are visited one at a time are asked for the world's axes of the impulses of others, too.
            if !is_visited_singly && own.get(batch) == Some(&false) {
                return;
            }
            for (lane, &index) in batches[batch].iter().enumerate().filter(|&(_, &index)| index != EMPTY) {
                let index = index as usize;
                for side in 0..2 {
                    lanes.bodies[side][lane] = problem.contacts[index].bodies[side];
                }
                let mut row = Writer { rows, lane, next: 0 };
                lanes.weights.0[lane] = match kind {
                    Kind::Ball => write_ball(problem, index, &mut row),
                    Kind::BallTorque => write_ball(problem, index, &mut row),
                    Kind::Block => write_block(problem, index, &mut row),
                    Kind::BlockTorque => {
                        lanes.torque_contacts[lane] = TorqueContact::new(problem, index);
                        lanes.torque_contacts[lane].normal_weight()
                    }
                };
                if kind == Kind::BallTorque {
                    write_laws(problem, index, &mut row);
                }
                if compliant && kind != Kind::BlockTorque {
                    let undeformed = problem.undeformed_impulses.get(index).unwrap_or(&problem.contacts[index].impulse);
                    row.vector(*undeformed);
                }
                if warm {
                    let start = start_impulse(problem, index, kind, lanes.torque_contacts.get(lane));
                    for (row, value) in impulses.iter_mut().zip(start) {
                        row.0[lane] = value;
                    }
                }
            }
        };
        let heads = impulses
            .par_chunks_mut(components)
            .zip(self.bodies.par_iter_mut().zip(&mut self.weights))
            .enumerate()
            .with_min_len(64);
        if is_visited_singly {
            heads.zip(self.torque_contacts.par_chunks_mut(WIDTH)).for_each(|(head, torque_contacts)| {
                let (batch, (impulses, (bodies, weights))) = head;
                fill(batch, &mut [], impulses, &mut Batch { bodies, weights, torque_contacts });
            });
        } else {
            heads.zip(self.rows.par_chunks_mut(self.stride)).for_each(|(head, rows)| {
                let (batch, (impulses, (bodies, weights))) = head;
                fill(batch, rows, impulses, &mut Batch { bodies, weights, torque_contacts: &mut [] });
            });
        }
    }
}

/// What a batch has besides its rows.
struct Batch<'a, D: Dim> {
    bodies: &'a mut [[u32; WIDTH]; 2],
    weights: &'a mut Lanes,
    torque_contacts: &'a mut [TorqueContact<D>],
}

/// Writes the rows of one lane one after the other.
struct Writer<'a> {
    rows: &'a mut [Lanes],
    lane: usize,
    next: usize,
}

impl Writer<'_> {
    fn number(&mut self, value: f64) {
        self.rows[self.next].0[self.lane] = value;
        self.next += 1;
    }

    fn vector<V: Vector>(&mut self, vector: V) {
        for i in 0..V::LEN {
            self.number(vector.get(i));
        }
    }
}

/// Normal, shift, `m_n`, `μ`; returns `1/m_n`.
fn write_ball<D: Dim>(problem: &Problem<D>, index: usize, row: &mut Writer<'_>) -> f64 {
    let contact = &problem.contacts[index];
    let inverse: f64 = contact.bodies.iter().map(|&body| ball_inverse_mass(problem, body)).sum();
    row.vector(contact.normal);
    row.vector(contact.shift);
    row.number(1.0 / inverse);
    row.number(contact.friction);
    inverse
}

/// `hold`, `closing`, rolling and torsion over `ℓ`, `ℓ/r₁`, `ℓ/r₂`, shift of the spin times `ℓ`.
fn write_laws<D: Dim>(problem: &Problem<D>, index: usize, row: &mut Writer<'_>) {
    let step = problem.cohesion(index).copied().unwrap_or_default();
    let none = Torque::default();
    let torque = problem.torque(index).unwrap_or(&none);
    let length = ball_contact_length(problem, index);
    row.number(step.hold);
    row.number(step.closing);
    row.number(torque.rolling / length);
    row.number(if D::AXES == 3 { torque.torsion / length } else { 0.0 });
    for side in 0..2 {
        row.number(length * inverse_length(problem, index, side));
    }
    row.vector(torque.shift * length);
}

/// The frame, arms, inverse masses, `W`, shift, `μ`; returns `W_nn`.
fn write_block<D: Dim>(problem: &Problem<D>, index: usize, row: &mut Writer<'_>) -> f64 {
    let contact = &problem.contacts[index];
    let [t1, t2] = D::tangents(contact.normal);
    let frame = [contact.normal, t1, t2];
    let arms = problem.arms_of(index);
    let masses = contact.bodies.map(|body| problem.mass(body));
    row.vector(contact.normal);
    if D::AXES == 3 {
        row.vector(t1);
    }
    for arm in arms {
        row.vector(arm);
    }
    for mass in masses {
        row.vector(mass.inverse_mass);
    }
    for mass in masses {
        for i in 0..D::SPINS {
            let column = D::apply(mass.inverse_inertia, D::Spin::axis(i));
            for j in i..D::SPINS {
                row.number(column.get(j));
            }
        }
    }
    let mut normal = 0.0;
    for j in 0..D::AXES {
        let mut response = D::Vector::ZERO;
        for (arm, mass) in arms.into_iter().zip(&masses) {
            let spin = D::apply(mass.inverse_inertia, D::wedge(arm, frame[j]));
            response += mass.inverse_mass.scale(frame[j]) + D::cross(spin, arm);
        }
        for i in j..D::AXES {
            row.number(frame[i].dot(response));
        }
        if j == 0 {
            normal = frame[0].dot(response);
        }
    }
    row.vector(contact.shift);
    row.number(contact.friction);
    normal
}

/// The components of the impulse that a contact starts from.
fn start_impulse<D: Dim>(
    problem: &Problem<D>,
    index: usize,
    kind: Kind,
    contact: Option<&TorqueContact<D>>,
) -> [f64; 6] {
    let impulse = problem.contacts[index].impulse;
    let torque = problem.torque(index).map_or(D::Spin::ZERO, |torque| torque.impulse);
    if let Some(contact) = contact {
        return contact.to_local(impulse, torque);
    }
    let mut start = [0.0; 6];
    for i in 0..D::AXES {
        start[i] = impulse.get(i);
    }
    if kind == Kind::BallTorque {
        let length = ball_contact_length(problem, index);
        for i in 0..D::SPINS {
            start[D::AXES + i] = torque.get(i) / length;
        }
    }
    start
}

/// The length of a ball contact that makes a torque as able to turn as a force is to move, `ℓ² = 1/m_n / Σ 1/(m r²)`: the
/// radius of equal balls. It is 1 where there is no torque.
pub fn ball_contact_length<D: Dim>(problem: &Problem<D>, index: usize) -> f64 {
    let bodies = problem.contacts[index].bodies;
    let (mut moving, mut turning) = (0.0, 0.0);
    for side in 0..2 {
        let inverse = ball_inverse_mass(problem, bodies[side]);
        moving += inverse;
        turning += inverse * inverse_length(problem, index, side).powi(2);
    }
    if turning > 0.0 { (moving / turning).sqrt() } else { 1.0 }
}

/// One over the length of a body, zero for the ground and where there is no torque.
fn inverse_length<D: Dim>(problem: &Problem<D>, index: usize, side: usize) -> f64 {
    match problem.torque(index) {
        Some(torque) if problem.contacts[index].bodies[side] != GROUND => 1.0 / torque.lengths[side],
        _ => 0.0,
    }
}

fn ball_inverse_mass<D: Dim>(problem: &Problem<D>, body: u32) -> f64 {
    match problem.bodies[body as usize].inertia {
        Inertia::Ball(inverse) => inverse,
        _ => 0.0,
    }
}
