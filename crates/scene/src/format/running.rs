//! The sections of what happens: solver, stages and outputs.

use super::keys::{AXES, key};
use super::sections::{CELL, DRIVER, GRAVITY, LOAD, MATERIAL, PAIR, TILT};
use super::{Fill, Key, Kind, Need, Range, Section};
use crate::units::*;
use riprap_engine::Criterion;

pub(super) static SOLVER: Section = Section {
    title: "[solver]",
    doc: "Numerical choices; all have defaults.",
    keys: &[
        key(
            "time_step",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("sizes and speeds, see below"),
            "The time step.",
        ),
        key(
            "scheme",
            Kind::Choice(&[
                ("euler", "implicit Euler with gap: contacts are all pairs that could close during the step"),
                ("midpoint", "Moreau's midpoint: contacts are the pairs that touch halfway through the step"),
            ]),
            Need::Default("\"euler\""),
            "How positions and velocities are put together in time.",
        ),
        key(
            "gap",
            Kind::Choice(&[
                ("correct", "overlaps are pushed apart"),
                ("relax", "a tenth of each overlap is taken back in a step, with a hundredth of the energy"),
                ("keep", "overlaps stay, and measure the error; no energy is pumped in"),
            ]),
            Need::Chosen("\"correct\"; \"relax\" for angular grains; \"keep\" where contacts have a stiffness"),
            "What an overlap does under the Euler scheme.",
        ),
        key(
            "midpoint_tolerance",
            Kind::Number(LENGTH, Range::NotNegative),
            Need::Default("0"),
            "The gap up to which a pair counts as touching under the midpoint scheme.",
        ),
        key(
            "solver",
            Kind::Choice(&[
                ("auto", "the program chooses"),
                ("gauss-seidel", "plain sweeps, the reference"),
                ("momentum", "sweeps with Nesterov's momentum, fewer of them on large packings at rest"),
                ("capped-momentum", "the same with bounded momentum and a guard, for flow"),
            ]),
            Need::Default("\"auto\""),
            "How the sweeps are put to use. (`projected-gradient` and `newton` of `riprap solve` need the matrix `W`, which a \
             run never forms; docs/solvers.md says what they are good for.)",
        ),
        key(
            "order",
            Kind::Choice(&[
                ("spatial", "block by block through space, on all threads"),
                ("random", "a fresh permutation each sweep, on one thread"),
                ("sequential", "in the order of detection, on one thread"),
                ("forward-backward", "forward and backward in turn, on one thread"),
            ]),
            Need::Default("\"spatial\""),
            "The order in which a sweep visits the contacts.",
        ),
        key(
            "criterion",
            Kind::OneOf(CRITERIA),
            Need::Chosen(
                "`{ motion = {} }`, ten times sharper for angular grains, nearly to rounding for up to 50 of them",
            ),
            "When the sweeps of a step end.",
        ),
        key("min_sweeps", SWEEPS, Need::Default("1"), "At least this many sweeps in a step."),
        key("max_sweeps", SWEEPS, Need::Default("2000"), "At most this many; the step is counted as unconverged then."),
        key("warm_start", Kind::Bool, Need::Default("true"), "Start from the impulses of the step before."),
        key(
            "clip_opening",
            Kind::Bool,
            Need::Default("false"),
            "Treat a closed contact that opens as one at rest, so that restitution never pulls.",
        ),
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::Positive),
            Need::Optional,
            "The stiffness of all contacts, where grains are slightly compliant: `K` along the normal, and against sliding \
             `K/3` for disks and `K/3.5` for spheres. Without it they are rigid. The solver then needs few sweeps, and \
             few more for large samples than for small ones; the program says how stiff that is, \
             `κ = K d/f` with the force `f` on a grain. A step that does not get on all the same is solved \
             with half the stiffness, and counted. Overlaps are the strain of the contacts, so they stay \
             (`gap = \"keep\"`). What contacts store is counted as lost until they give it back.",
        ),
        key(
            "on_unconverged",
            Kind::Choice(&[("continue", "go on, and count it"), ("stop", "end the run")]),
            Need::Default("\"continue\""),
            "What to do when a step does not converge.",
        ),
    ],
    tag: None,
};

const CRITERIA: &[Key] = &[
    key("motion", Kind::Table(&MOTION, Fill::Defaults), Need::Optional, "The error is small against the motion."),
    key("residual", TOLERANCE, Need::Optional, "The error of all laws together is below this."),
    key("local_force", Kind::Table(&LOCAL_FORCE, Fill::Defaults), Need::Optional, "No force changes much."),
    key("mean_force", TOLERANCE, Need::Optional, "The mean force changes by less than this part of itself."),
    key("sweeps", SWEEPS, Need::Optional, "This many sweeps in every step."),
];

const TOLERANCE: Kind = Kind::Number(PLAIN, Range::Positive);
const SWEEPS: Kind = Kind::Integer { min: 1, max: u32::MAX as i64 };

static MOTION: Section = Section {
    title: "criterion.motion",
    doc: "The error of the contact laws as a velocity, root mean square over the contacts, is below `velocity` of the \
          speed that free bodies would have without contacts (root mean square as well), or the relative residual, the \
          one that `criterion.residual` judges, is below `residual`. Fast flow is so solved less sharply than rest, at \
          a tenth of the cost, while what comes to rest is solved as sharply as `residual` says.",
    keys: &[
        key("velocity", TOLERANCE, Need::Taken(|| motion().0), "The error allowed, in parts of the free speed."),
        key("residual", TOLERANCE, Need::Taken(|| motion().1), "The relative residual that is always enough."),
    ],
    tag: None,
};

/// The solver's own tolerances of the motion criterion.
fn motion() -> (String, String) {
    match Criterion::default() {
        Criterion::Motion { velocity, residual } => (format!("{velocity:?}"), format!("{residual:?}")),
        other => unreachable!("the default criterion of a scene is that of the solver, not {other:?}"),
    }
}

static LOCAL_FORCE: Section = Section {
    title: "criterion.local_force",
    doc: "Every force changes by less than `change` of itself in one sweep; forces below `cutoff` times the mean force \
          are not judged.",
    keys: &[
        key("change", TOLERANCE, Need::Required, "The relative change allowed."),
        key("cutoff", Kind::Number(PLAIN, Range::NotNegative), Need::Default("0.01"), "In parts of the mean force."),
    ],
    tag: None,
};

pub(super) static STAGE: Section = Section {
    title: "[[stages]]",
    doc: "What happens, one stage after the other. Times in the functions of a stage count from the start of the \
          stage. Drivers of a stage hold on in the later ones until they are replaced or released; everything else \
          that a stage changes (gravity, materials, pairs, solver) holds in that stage only, and its loads act in \
          addition to those of the top level.",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name of the stage."),
        key("end", Kind::Table(&END, Fill::Defaults), Need::Required, "When it ends: by whichever comes first."),
        key("drivers", Kind::Tables(&DRIVER, Fill::Defaults), Need::Optional, "Drivers from this stage on."),
        key("cell", Kind::Table(&CELL, Fill::Defaults), Need::Optional, "How the cell deforms from this stage on."),
        key("release", Kind::List(&Kind::Text), Need::Optional, "Walls that stand still from this stage on."),
        key("loads", Kind::Tables(&LOAD, Fill::Defaults), Need::Optional, "Further loads in this stage."),
        key("gravity", GRAVITY, Need::Optional, "Gravity in this stage."),
        key("tilt", Kind::Table(&TILT, Fill::Defaults), Need::Optional, "Tilt of gravity in this stage."),
        key(
            "materials",
            Kind::Named(&MATERIAL, Fill::Nothing),
            Need::Optional,
            "Friction and restitution in this stage.",
        ),
        key("pairs", Kind::Tables(&PAIR, Fill::Defaults), Need::Optional, "Laws between two materials in this stage."),
        key("solver", Kind::Table(&SOLVER, Fill::Nothing), Need::Optional, "Numerical choices in this stage."),
    ],
    tag: None,
};

static END: Section = Section {
    title: "end",
    doc: "The end of a stage, for example `end = { time = \"2 s\" }` or \
          `end = { kinetic_energy_over_mgd = 1e-5, time = \"5 s\" }`. Of several criteria the first one reached ends the \
          stage. The strain is the displacement of `wall` along `axis` since the start of the stage, over its distance \
          at the start of the stage, along its normal, to the plane that faces it, or without such a plane to the \
          farthest grain. Without `wall` it is that of the periodic cell along `axis`.",
    keys: &[
        key("time", Kind::Number(TIME, Range::Positive), Need::Optional, "After this time."),
        key(
            "steps",
            Kind::Integer { min: 1, max: i64::MAX },
            Need::Chosen("1,000,000 if there is no other limit"),
            "After this many steps.",
        ),
        key("strain", Kind::Number(PLAIN, Range::Positive), Need::Optional, "At this strain, in either direction."),
        key(
            "wall",
            Kind::Text,
            Need::Optional,
            "The wall that strains, a plane or plate; the periodic cell if not given.",
        ),
        key("axis", AXES, Need::Chosen("the axis of the wall's normal"), "The direction of its displacement."),
        key(
            "kinetic_energy",
            Kind::Number(ENERGY, Range::Positive),
            Need::Optional,
            "Mean energy of a grain below this.",
        ),
        key(
            "kinetic_energy_over_mgd",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "Mean energy of a grain below this part of its weight times its diameter.",
        ),
        key(
            "force_balance",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "Mean unbalanced force on a grain below this part of the mean contact force.",
        ),
        key(
            "hold",
            Kind::Number(TIME, Range::NotNegative),
            Need::Chosen("the time of a fall by half a diameter, or 100 steps without gravity"),
            "For how long energy or force balance must stay below their thresholds.",
        ),
    ],
    tag: None,
};

pub(super) static OUTPUTS: Section = Section {
    title: "[outputs]",
    doc: "What is written, and how often.",
    keys: &[
        key(
            "snapshot_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("a fiftieth of the time of all stages, or 1000 steps if that is not known"),
            "Simulated time between snapshots.",
        ),
        key(
            "snapshot_formats",
            Kind::List(&Kind::Choice(&[
                ("vtp", "VTK, for ParaView"),
                ("h5", "HDF5, for Python"),
                ("xyz", "extended XYZ, for OVITO"),
                ("dump", "LAMMPS dump, for OVITO"),
                ("csv", "a plain table"),
            ])),
            Need::Default("[\"vtp\", \"h5\"]"),
            "The formats of snapshots.",
        ),
        key(
            "series_interval",
            Kind::Number(TIME, Range::NotNegative),
            Need::Chosen("a thousandth of the time of all stages, or every step if that is not known"),
            "Simulated time between lines of the time series; 0 means every step.",
        ),
        key(
            "measure",
            Kind::List(&Kind::Choice(&[
                ("forces", "distributions of contact forces"),
                ("networks", "strong and weak, compressive and tensile contacts"),
                ("stress", "mean stress"),
                ("pressures", "particle pressures and their percolation"),
                ("coordination", "contacts per grain"),
                ("solid-fraction", "solid fraction"),
                ("fabric", "anisotropies of contacts and forces"),
                ("profile", "profile of velocity"),
                ("radial", "radial distribution"),
            ])),
            Need::Default("[]"),
            "What is measured while the run goes on, into measures.csv; `riprap measure` does the same on snapshots.",
        ),
        key(
            "measure_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Optional,
            "Simulated time between these measurements; by default that between snapshots.",
        ),
        key(
            "checkpoint_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Default("\"60 s\""),
            "Time on the clock between checkpoints.",
        ),
    ],
    tag: None,
};
