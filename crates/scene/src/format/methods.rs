//! The method of a run, and what only one of them asks for.

use super::keys::key;
use super::{Key, Kind, Need, Range, Section};
use crate::units::*;

pub(super) const METHOD: Key = key(
    "method",
    Kind::Choice(&[
        ("cd", "contact dynamics: rigid grains, all contacts of a time step solved together"),
        ("acd2", "A-CD²: rigid grains, percussions derived from pseudopotentials of dissipation"),
        (
            "md",
            "molecular dynamics: soft grains with springs and dashpots, in many short steps; disks and spheres only",
        ),
    ]),
    Need::Default("\"cd\""),
    "The simulation method. The rest of the scene need not change, provided that the method supports its laws.",
);

pub(super) static ACD2: Section = Section {
    title: "[acd2]",
    doc: "Settings for `method = \"acd2\"`; ignored by the other methods. A-CD² always uses the midpoint scheme. The \
          viscosity of its contacts is set by `normal_viscosity` and `tangential_viscosity` of the materials, and sliding \
          by their friction or by a fixed threshold (`tresca`). There is no separate restitution.",
    keys: &[
        key(
            "solver",
            Kind::Choice(&[
                (
                    "auto",
                    "the sweeps of contact dynamics if Coulomb's is the only law, otherwise one contact at a time",
                ),
                ("gauss-seidel", "one contact at a time, each solved exactly"),
                ("uzawa-sequence", "Uzawa's method, with Coulomb's law as a sequence of Tresca problems"),
                ("uzawa-single-loop", "Uzawa's method, with thresholds and multipliers updated together"),
            ]),
            Need::Default("\"auto\""),
            "How the percussions are computed.",
        ),
        key(
            "stick",
            Kind::Choice(&[
                ("right-limit", "the velocity after the percussion is zero"),
                (
                    "mean",
                    "the mean of the velocities before and after is zero: provably dissipative, but grains keep jittering",
                ),
            ]),
            Need::Default("\"right-limit\""),
            "Which velocity vanishes at a sticking contact.",
        ),
        key(
            "tolerance",
            Kind::Number(PLAIN, Range::Positive),
            Need::Default("1e-6"),
            "The relative residual to reach.",
        ),
        key(
            "max_passes",
            Kind::Integer { min: 1, max: u32::MAX as i64 },
            Need::Default("20000"),
            "The largest number of passes over the contacts; a step that reaches it is counted as unconverged.",
        ),
    ],
    tag: None,
};

pub(super) static MD: Section = Section {
    title: "[md]",
    doc: "Settings for `method = \"md\"`; ignored by the other methods. A contact with overlap δ that opens at the speed \
          u_n has the normal force `k δ - γ u_n`; along the tangent there is a spring, limited by Coulomb friction. Each \
          `solver.time_step` is a window that is divided into equal velocity Verlet steps, none longer than the \
          `time_step` of this section. Forces in the results are means over the window, so that they can be compared with \
          those of contact dynamics at the same `solver.time_step`.",
    keys: &[
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::Positive),
            Need::Chosen("from `overlap` and the weights, pressures and speeds of the scene"),
            "The stiffness k of the normal springs.",
        ),
        key(
            "overlap",
            Kind::Number(PLAIN, Range::Between(1e-9, 0.2)),
            Need::Default("1e-3"),
            "The ratio of overlap to mean radius that the default stiffness allows under the largest steady force of the \
             scene; impacts may reach ten times this depth.",
        ),
        key(
            "tangential_stiffness",
            Kind::Number(PLAIN, Range::Positive),
            Need::ByDimension("0.3333333333333333", "0.2857142857142857"),
            "The stiffness of the tangential springs divided by k. With the default, both springs have the same period.",
        ),
        key(
            "damping",
            Kind::Number(DAMPING, Range::NotNegative),
            Need::Chosen("from the normal restitution of each pair of materials"),
            "The damping coefficient γ of all contacts. By default, γ is such that a free collision rebounds with \
             `normal_restitution`. A restitution of 0 cannot be reached; with `clamp`, the smallest is 0.048.",
        ),
        key(
            "clamp",
            Kind::Bool,
            Need::Default("true"),
            "Prevent the dashpot from pulling: the total normal force is never negative. Without the clamp, a collision \
             ends with a short pull, and its restitution is that of a complete half oscillation.",
        ),
        key(
            "steps_per_collision",
            Kind::Number(PLAIN, Range::Between(10.0, 1e6)),
            Need::Default("50"),
            "The number of integration steps in the shortest collision.",
        ),
        key(
            "time_step",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("from the stiffness, the lightest grain and `steps_per_collision`"),
            "The longest integration step.",
        ),
    ],
    tag: None,
};
