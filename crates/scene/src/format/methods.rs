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
