//! The method of a run, and what only one of them asks for.

use super::keys::key;
use super::{Key, Kind, Need, Range, Section};
use crate::units::*;

pub(super) const METHOD: Key = key(
    "method",
    Kind::Choice(&[
        ("cd", "contact dynamics: rigid grains, all contacts of a step solved together"),
        ("acd2", "A-CD²: rigid grains, percussions from pseudopotentials of dissipation"),
        (
            "md",
            "molecular dynamics: soft grains with springs and dashpots, in many short steps; disks and spheres only",
        ),
    ]),
    Need::Default("\"cd\""),
    "The method; the rest of the scene stays as it is where the method knows its laws.",
);

pub(super) static ACD2: Section = Section {
    title: "[acd2]",
    doc: "How percussions are found, for `method = \"acd2\"`; the other methods pass over it. A-CD² always steps by the \
          midpoint scheme. Its contacts are viscous by `normal_viscosity` and `tangential_viscosity` of the materials, \
          slide by their friction or by a fixed threshold (`tresca`), and have no restitution beside that.",
    keys: &[
        key(
            "solver",
            Kind::Choice(&[
                (
                    "auto",
                    "the sweeps of contact dynamics where the law is Coulomb's alone, else one contact after the other",
                ),
                ("gauss-seidel", "one contact after the other, each exactly"),
                ("uzawa-sequence", "Uzawa's method; Coulomb's law as a sequence of Tresca problems"),
                ("uzawa-single-loop", "Uzawa's method; thresholds and multipliers updated together"),
            ]),
            Need::Default("\"auto\""),
            "How the percussions are found.",
        ),
        key(
            "stick",
            Kind::Choice(&[
                ("right-limit", "the velocity after the percussion is zero"),
                ("mean", "the mean of the velocities before and after is zero: dissipative by proof, but restless"),
            ]),
            Need::Default("\"right-limit\""),
            "What sticking means.",
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
            "At most this many passes over the contacts; the step is counted as unconverged then.",
        ),
    ],
    tag: None,
};

pub(super) static MD: Section = Section {
    title: "[md]",
    doc: "Soft contacts, for `method = \"md\"`; the other methods pass over it. A contact of overlap δ that opens at the \
          speed u_n pushes with `k δ - γ u_n`; along the tangent a spring holds, up to Coulomb's limit. Each time step of \
          the run is a window of so many equal steps of velocity Verlet that none is longer than `time_step` of this \
          section; forces in the results are means over the window, so that they can be set beside those of contact \
          dynamics with the same `solver.time_step`.",
    keys: &[
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::Positive),
            Need::Chosen("`overlap` and the weights, pressures and speeds of the scene"),
            "The stiffness k of the normal springs.",
        ),
        key(
            "overlap",
            Kind::Number(PLAIN, Range::Between(1e-9, 0.2)),
            Need::Default("1e-3"),
            "The overlap over the mean radius that the chosen stiffness allows under the largest steady force of the \
             scene; impacts may go ten times deeper.",
        ),
        key(
            "tangential_stiffness",
            Kind::Number(PLAIN, Range::Positive),
            Need::ByDimension("0.3333333333333333", "0.2857142857142857"),
            "The stiffness of the tangential springs over k. The default gives both springs one period.",
        ),
        key(
            "damping",
            Kind::Number(DAMPING, Range::NotNegative),
            Need::Chosen("the normal restitution of each pair of materials"),
            "The dashpot γ of all contacts. From restitution, it is the one with which a free collision rebounds with \
             `normal_restitution`; as a restitution of 0 cannot be reached, the smallest is 0.048 with `clamp`.",
        ),
        key(
            "clamp",
            Kind::Bool,
            Need::Default("true"),
            "Never let the dashpot pull: the total normal force is not below 0. Without it a collision ends with a short \
             pull, and its restitution is that of the whole half oscillation.",
        ),
        key(
            "steps_per_collision",
            Kind::Number(PLAIN, Range::Between(10.0, 1e6)),
            Need::Default("50"),
            "How many steps of integration the shortest collision takes.",
        ),
        key(
            "time_step",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("the stiffness, the lightest grain and `steps_per_collision`"),
            "The longest step of integration.",
        ),
    ],
    tag: None,
};
