//! The sections of what happens: solver, stages and outputs.

use super::grains::COUNT;
use super::keys::{AXES, key};
use super::openings::OUTLET_PLACES;
use super::sections::{CELL, DRIVER, GRAVITY, GROUND, LOAD, MATERIAL, PAIR, TILT};
use super::{Fill, Key, Kind, Need, Range, Section};
use crate::units::*;
use riprap_engine::Criterion;

pub(super) static SOLVER: Section = Section {
    title: "[solver]",
    doc: "Numerical settings; all have defaults.",
    keys: &[
        key(
            "time_step",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("from sizes and speeds, see \"Time step and other defaults\""),
            "The time step; with `halvings`, the longest one.",
        ),
        key(
            "halvings",
            Kind::Integer { min: 0, max: 8 },
            Need::Chosen(
                "3; 0 if `time_step` is given, with a fixed number of sweeps, a `stiffness` or walls under a force or pressure, \
                 and for other schemes and methods",
            ),
            "How often a step may be halved while grains move against each other; see \"Time step and other defaults\". Only \
             contact dynamics halves steps.",
        ),
        key(
            "motion_per_step",
            Kind::Number(PLAIN, Range::Positive),
            Need::Chosen("0.005"),
            "How far contacts may move in a step, over the smallest radius, before it is halved: the root of the sum of the \
             squares of the relative velocities of the contacts that bear, over the number of grains, times the step.",
        ),
        key(
            "scheme",
            Kind::Choice(&[
                ("euler", "implicit Euler with gap: every pair that could close during the step is a contact"),
                ("midpoint", "Moreau's midpoint rule: pairs that touch at mid-step are contacts"),
            ]),
            Need::Default("\"euler\""),
            "The time-stepping scheme.",
        ),
        key(
            "gap",
            Kind::Choice(&[
                ("correct", "overlaps are removed within the step"),
                ("relax", "a tenth of each overlap is removed per step, which adds a hundredth of the energy"),
                ("keep", "overlaps remain and measure the error; no energy is added"),
            ]),
            Need::Chosen("\"correct\"; \"relax\" for angular grains; \"keep\" if contacts have a stiffness"),
            "How the Euler scheme treats overlaps.",
        ),
        key(
            "midpoint_tolerance",
            Kind::Number(LENGTH, Range::NotNegative),
            Need::Chosen("1e-4 of the smallest radius"),
            "The gap up to which a pair counts as touching under the midpoint scheme. At 0, contacts are lost to rounding.",
        ),
        key(
            "solver",
            Kind::Choice(&[
                ("auto", "the program chooses"),
                ("gauss-seidel", "plain sweeps, the reference"),
                ("momentum", "sweeps with Nesterov momentum; needs fewer sweeps for large packings at rest"),
            ]),
            Need::Default("\"auto\""),
            "The iterative solver. `momentum` needs the spatial order and a criterion on the residual or the motion. (`newton` is \
             available only in `riprap solve`: it needs the matrix `W`, which a run never assembles; see docs/solvers.md.)",
        ),
        key(
            "order",
            Kind::Choice(&[
                ("spatial", "block by block through space, on all threads"),
                ("random", "a new permutation in every sweep, on one thread"),
                ("sequential", "in the order of detection, on one thread"),
                ("forward-backward", "alternately forward and backward, on one thread"),
            ]),
            Need::Default("\"spatial\""),
            "The order in which a sweep visits the contacts.",
        ),
        key(
            "criterion",
            Kind::OneOf(CRITERIA),
            Need::Chosen(
                "`{ motion = {} }`; ten times tighter for angular grains, and close to rounding error for up to 50 of them",
            ),
            "The convergence criterion of a step.",
        ),
        key("min_sweeps", SWEEPS, Need::Default("1"), "The smallest number of sweeps in a step."),
        key(
            "max_sweeps",
            SWEEPS,
            Need::Default("2000"),
            "The largest number of sweeps in a step; a step that reaches it is counted as unconverged.",
        ),
        key("warm_start", Kind::Bool, Need::Default("true"), "Start from the impulses of the previous step."),
        key(
            "stiffness",
            Kind::Number(STIFFNESS, Range::Positive),
            Need::Optional,
            "Makes all contacts slightly compliant, with this stiffness `K` along the normal and `K/3` (disks) or `K/3.5` \
             (spheres) along the tangent. Without it, contacts are rigid. With it, the solver needs few sweeps, and hardly \
             more for large samples than for small ones. The run reports the stiffness number `κ = K d/f`, with the force \
             `f` on a grain. If the solver `auto` stalls, the stiffness is halved for that step and the step is counted \
             as softened. Overlaps represent the deformation of contacts and are kept (`gap = \"keep\"`). Elastic energy \
             stored in contacts counts as dissipated until it is released.",
        ),
        key(
            "on_unconverged",
            Kind::Choice(&[("continue", "count the step and continue"), ("stop", "end the run")]),
            Need::Default("\"continue\""),
            "What to do when a step does not converge.",
        ),
    ],
    tag: None,
};

const CRITERIA: &[Key] = &[
    key("motion", Kind::Table(&MOTION, Fill::Defaults), Need::Optional, "The error is small compared with the motion."),
    key("residual", TOLERANCE, Need::Optional, "The combined residual of all contact laws is below this value."),
    key(
        "local_force",
        Kind::Table(&LOCAL_FORCE, Fill::Defaults),
        Need::Optional,
        "No contact force changes much in a sweep.",
    ),
    key("mean_force", TOLERANCE, Need::Optional, "The relative change of the mean force is below this value."),
    key("sweeps", SWEEPS, Need::Optional, "A fixed number of sweeps in every step."),
];

const TOLERANCE: Kind = Kind::Number(PLAIN, Range::Positive);
const SWEEPS: Kind = Kind::Integer { min: 1, max: u32::MAX as i64 };

static MOTION: Section = Section {
    title: "criterion.motion",
    doc: "A step has converged when the error of the contact laws, expressed as a velocity (root mean square over the \
          contacts), is below `velocity` times the speed that bodies would have without contacts (also root mean square), \
          or when the relative residual, as in `criterion.residual`, is below `residual`. Fast flow is thus solved less \
          accurately than a packing at rest, at a tenth of the cost. The worst contact is judged as well: its error may be \
          20 times that of the mean, and may not cause an overlap of more than 0.02 of the smallest radius in the step. \
          Bodies at rest are solved to a `velocity` of 1e-4, as far as 100 sweeps go, so that they do not creep.",
    keys: &[
        key("velocity", TOLERANCE, Need::Taken(|| motion().0), "The tolerated error as a fraction of the free speed."),
        key("residual", TOLERANCE, Need::Taken(|| motion().1), "The relative residual that always suffices."),
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
    doc: "A step has converged when no force changes by more than the fraction `change` of itself in one sweep. Forces \
          below `cutoff` times the mean force are compared with that, not with themselves.",
    keys: &[
        key("change", TOLERANCE, Need::Required, "The tolerated relative change."),
        key(
            "cutoff",
            Kind::Number(PLAIN, Range::NotNegative),
            Need::Default("0.01"),
            "The cutoff as a fraction of the mean force.",
        ),
    ],
    tag: None,
};

pub(super) static STAGE: Section = Section {
    title: "[[stages]]",
    doc: "Stages run in the order given. Functions of time in a stage count time from the start of that stage. Drivers and \
          cells of a stage stay in force in later stages until they are replaced or released. All other changes (gravity, \
          materials, pairs, solver) apply to that stage only, and its loads act in addition to the top-level loads.",
    keys: &[
        key("name", Kind::Text, Need::Required, "The name of the stage."),
        key(
            "end",
            Kind::Table(&END, Fill::Defaults),
            Need::Required,
            "When the stage ends; the first criterion reached ends it.",
        ),
        key("drivers", Kind::Tables(&DRIVER, Fill::Defaults), Need::Optional, "Drivers that act from this stage on."),
        key("cell", Kind::Table(&CELL, Fill::Defaults), Need::Optional, "Deformation of the cell from this stage on."),
        key("release", Kind::List(&Kind::Text), Need::Optional, "Walls that are fixed from this stage on."),
        key(
            "remove",
            Kind::List(&Kind::Text),
            Need::Optional,
            "Walls removed from this stage on, until a later stage restores them: a gate that opens.",
        ),
        key("restore", Kind::List(&Kind::Text), Need::Optional, "Walls restored from this stage on, for all grains."),
        key(
            "let_through",
            Kind::Tables(&LET_THROUGH, Fill::Defaults),
            Need::Optional,
            "Walls that let some groups of grains through from this stage on.",
        ),
        key("loads", Kind::Tables(&LOAD, Fill::Defaults), Need::Optional, "Additional loads in this stage."),
        key("gravity", GRAVITY, Need::Optional, "Gravity in this stage."),
        key("tilt", Kind::Table(&TILT, Fill::Defaults), Need::Optional, "Tilt of gravity in this stage."),
        key(
            "ground_acceleration",
            GROUND,
            Need::Optional,
            "The acceleration of the ground in this stage, as in `[domain]`.",
        ),
        key(
            "materials",
            Kind::Named(&MATERIAL, Fill::Nothing),
            Need::Optional,
            "Changes to contact laws in this stage.",
        ),
        key("pairs", Kind::Tables(&PAIR, Fill::Defaults), Need::Optional, "Laws between two materials in this stage."),
        key("solver", Kind::Table(&SOLVER, Fill::Nothing), Need::Optional, "Numerical settings in this stage."),
    ],
    tag: None,
};

static LET_THROUGH: Section = Section {
    title: "let_through",
    doc: "For example `let_through = [{ wall = \"screen\", groups = [\"fines\"] }]`.",
    keys: &[
        key("wall", Kind::Text, Need::Required, "The wall."),
        key("groups", Kind::List(&Kind::Text), Need::Required, "The groups of grains that pass through it."),
    ],
    tag: None,
};

static END: Section = Section {
    title: "end",
    doc: "The end of a stage, for example `end = { time = \"2 s\" }` or \
          `end = { kinetic_energy_over_mgd = 1e-5, time = \"5 s\" }`. If several criteria are given, the first one reached \
          ends the stage. The strain is the displacement of `wall` along `axis` since the start of the stage, divided by \
          the initial distance along its normal to the opposite plane, or, if there is none, to the farthest grain. \
          Without `wall` it is the strain of the periodic cell along `axis`. The log and `stage_ends` in summary.json say what \
          ended each stage; `riprap limit` looks for the load at which a stage ends by failure.",
    keys: &[
        key("time", Kind::Number(TIME, Range::Positive), Need::Optional, "Duration of the stage in simulated time."),
        key(
            "steps",
            Kind::Integer { min: 1, max: i64::MAX },
            Need::Chosen("1,000,000 if there is no other limit"),
            "Number of steps.",
        ),
        key(
            "strain",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "The strain to reach, in either direction.",
        ),
        key(
            "wall",
            Kind::Text,
            Need::Optional,
            "The wall whose displacement defines the strain, a plane or plate; if omitted, the periodic cell.",
        ),
        key("axis", AXES, Need::Chosen("the axis of the wall's normal"), "The axis of the displacement."),
        key(
            "kinetic_energy",
            Kind::Number(ENERGY, Range::Positive),
            Need::Optional,
            "The mean kinetic energy per grain falls below this value.",
        ),
        key(
            "kinetic_energy_over_mgd",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "The mean kinetic energy per grain, in units of its weight times its diameter, falls below this value.",
        ),
        key(
            "force_balance",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "The mean unbalanced force on a grain, in units of the mean contact force, falls below this value.",
        ),
        key(
            "kinetic_energy_above",
            Kind::Number(ENERGY, Range::Positive),
            Need::Optional,
            "Failure: the mean kinetic energy per grain stays above this value.",
        ),
        key(
            "kinetic_energy_above_mgd",
            Kind::Number(PLAIN, Range::Positive),
            Need::Optional,
            "The same, in units of the mean weight times diameter of a grain.",
        ),
        key(
            "displacement",
            Kind::Table(&END_DISPLACEMENT, Fill::Defaults),
            Need::Optional,
            "Failure: a group has moved too far.",
        ),
        key(
            "contact_lost",
            Kind::List(&Kind::Text),
            Need::Optional,
            "Failure: no contact carries a force any more between these two groups or walls, `[\"keystone\", \"arch\"]`, after \
             one did in this stage.",
        ),
        key(
            "force_lost",
            Kind::Table(&END_FORCE, Fill::Defaults),
            Need::Optional,
            "Failure: a wall carries less than a given force, after it carried more in this stage.",
        ),
        key(
            "inside",
            Kind::Table(&END_INSIDE, Fill::Defaults),
            Need::Optional,
            "The number or mass of the grains in a part of space.",
        ),
        key(
            "hold",
            Kind::Number(TIME, Range::NotNegative),
            Need::Chosen("the time to fall half a diameter, or 100 steps without gravity"),
            "How long an energy, the force balance, a lost contact or a lost force must stay beyond its threshold.",
        ),
    ],
    tag: None,
};

static END_DISPLACEMENT: Section = Section {
    title: "end.displacement",
    doc: "For example `end = { displacement = { group = \"arch\", distance = \"2 cm\" }, time = \"5 s\" }`.",
    keys: &[
        key("group", Kind::Text, Need::Optional, "The group; if omitted, all grains."),
        key(
            "distance",
            Kind::Number(LENGTH, Range::Positive),
            Need::Required,
            "How far the centre of mass may move from where it was at the start of the stage.",
        ),
        key("axis", AXES, Need::Optional, "Only the displacement along this axis counts."),
    ],
    tag: None,
};

static END_FORCE: Section = Section {
    title: "end.force_lost",
    doc: "For example `end = { force_lost = { wall = \"abutment\", force = \"100 N\" }, time = \"5 s\" }`.",
    keys: &[
        key("wall", Kind::Text, Need::Required, "The wall."),
        key("force", Kind::Number(FORCE, Range::Positive), Need::Required, "The magnitude of the force."),
    ],
    tag: None,
};

static END_INSIDE: Section = Section {
    title: "end.inside",
    doc: "For example `end = { inside = { place = { plane = { point = [0, 0], normal = [0, -1] } }, mass_above = \"1 kg\" } }`: a \
          kilogram has fallen below the plane. Give one limit.",
    keys: &[
        key(
            "place",
            Kind::OneOf(&OUTLET_PLACES),
            Need::Required,
            "The part of space, as in `[[outlets]]`. Grains whose centre is in it count.",
        ),
        key("group", Kind::Text, Need::Optional, "Only the grains of this group count."),
        key("number_below", COUNT, Need::Optional, "Fewer grains than this are inside."),
        key("number_above", COUNT, Need::Optional, "More grains than this are inside."),
        key("mass_below", Kind::Number(MASS, Range::Positive), Need::Optional, "Less mass than this is inside."),
        key("mass_above", Kind::Number(MASS, Range::Positive), Need::Optional, "More mass than this is inside."),
    ],
    tag: None,
};

pub(super) static OUTPUTS: Section = Section {
    title: "[outputs]",
    doc: "Output files and how often they are written.",
    keys: &[
        key(
            "snapshot_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Chosen("1/50 of the total duration of all stages, or 1000 steps if that is unknown"),
            "Simulated time between snapshots.",
        ),
        key(
            "snapshot_formats",
            Kind::List(&Kind::Choice(&[
                ("h5", "HDF5, for Python"),
                ("vtp", "VTK, for ParaView"),
                ("csv", "plain table"),
                ("xyz", "extended XYZ, for OVITO"),
                ("dump", "LAMMPS dump, for OVITO"),
                ("data", "LAMMPS data file"),
            ])),
            Need::Default("[\"vtp\", \"h5\"]"),
            "The formats of snapshots.",
        ),
        key(
            "series_interval",
            Kind::Number(TIME, Range::NotNegative),
            Need::Chosen("1/1000 of the total duration of all stages, or every step if that is unknown"),
            "Simulated time between rows of the time series; 0 means every step.",
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
                ("profile", "velocity profile"),
                ("radial", "radial distribution function"),
                ("mixing", "mixing indices of groups, materials or sizes"),
                ("repose", "angle of repose of a heap or in a drum"),
            ])),
            Need::Default("[]"),
            "Measurements made during the run and written to measures.csv; `riprap measure` makes the same ones from \
             snapshots.",
        ),
        key(
            "measure_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Optional,
            "Simulated time between these measurements; if omitted, that between snapshots.",
        ),
        key(
            "checkpoint_interval",
            Kind::Number(TIME, Range::Positive),
            Need::Default("\"60 s\""),
            "Wall-clock time between checkpoints.",
        ),
    ],
    tag: None,
};
