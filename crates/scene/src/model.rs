//! What a scene says, checked and in SI units.

use crate::bodies::Solid;
use crate::raw::Span;
use crate::sizes::Size;
use riprap_engine::{
    BondStrength, Bridges, Cohesion, Dim, Dissipation, Form, PairLaw, PercussionOptions, Primitive, Settings,
    SpeedCurve, Stretch, Surface, TimeFunction, TorqueLimit, World,
};

/// A point or vector; in 2D the third component is zero.
pub(crate) type Point = [f64; 3];

/// Where an entry stands in the text. All places are equal, so that two scenes are equal if they say the same.
#[derive(Clone, Debug)]
pub(crate) struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    pub title: String,
    pub method: MethodSpec,
    pub soft: SoftSpec,
    pub percussions: PercussionOptions,
    pub dimension: usize,
    pub seed: u64,
    pub gravity: GravitySpec,
    /// Periods along the axes; zero where an axis is not periodic.
    pub period: Point,
    /// How far the image one period up the last axis is shifted along the first.
    pub tilt: f64,
    /// True if the cell came with the grains of a snapshot.
    pub cell_from_snapshot: bool,
    pub origin: Point,
    pub thickness: f64,
    pub cell: Option<CellSpec>,
    pub materials: Vec<Material>,
    pub pairs: Vec<Pair>,
    pub grains: Vec<Grains>,
    pub inlets: Vec<InletSpec>,
    pub outlets: Vec<OutletSpec>,
    pub gauges: Vec<GaugeSpec>,
    pub walls: Vec<Wall>,
    pub drivers: Vec<Driver>,
    pub loads: Vec<LoadSpec>,
    pub springs: Vec<SpringSpec>,
    pub membranes: Vec<MembraneSpec>,
    pub liquid: Option<LiquidSpec>,
    pub bonds: Vec<BondSpec>,
    pub solver: SolverSpec,
    pub stages: Vec<Stage>,
    pub outputs: Outputs,
}

impl Model {
    /// The index of the body that a wall of the scene is in a world; whoever steps the world may have removed it.
    pub fn body_of_wall<D: Dim>(&self, wall: usize, world: &World<D>) -> Option<usize> {
        world.wall(&self.walls[wall].name).map(|body| body as usize)
    }

    /// Where faults of the grains as a whole are shown.
    pub fn place_of_grains(&self) -> &Span {
        let inlets = self.inlets.iter().map(|inlet| &inlet.at.0);
        self.grains.iter().map(|entry| &entry.at.0).chain(inlets).next().expect("a scene has grains or inlets")
    }
}

/// The method of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MethodSpec {
    #[default]
    Cd,
    Acd2,
    Md,
}

impl MethodSpec {
    /// The word in the scene.
    pub fn word(self) -> &'static str {
        match self {
            MethodSpec::Cd => "cd",
            MethodSpec::Acd2 => "acd2",
            MethodSpec::Md => "md",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Cd, Self::Acd2, Self::Md].into_iter().find(|method| method.word() == word)
    }
}

/// Soft contacts of molecular dynamics.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SoftSpec {
    pub stiffness: Option<f64>,
    /// The overlap over the mean radius that the chosen stiffness allows.
    pub overlap: f64,
    pub tangential_ratio: f64,
    pub damping: Option<f64>,
    pub clamp: bool,
    pub steps_per_collision: f64,
    pub time_step: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GravitySpec {
    pub acceleration: Point,
    pub tilt: Option<(Point, TimeFunction)>,
    pub ground: Option<[TimeFunction; 3]>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Material {
    pub name: String,
    pub density: Option<f64>,
    pub law: LawSpec,
}

/// The parameters of a contact law that are given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LawSpec {
    pub friction_curve: Option<SpeedCurve>,
    pub restitution_curve: Option<SpeedCurve>,
    pub tangential_curve: Option<SpeedCurve>,
    pub rolling: Option<TorqueLimit>,
    pub torsion: Option<TorqueLimit>,
    pub couples_torsion: Option<bool>,
    pub cohesion: Option<Cohesion>,
    pub static_friction: Option<f64>,
    pub dynamic_friction: Option<f64>,
    pub normal_restitution: Option<f64>,
    pub tangential_restitution: Option<f64>,
    pub normal_viscosity: Option<f64>,
    pub tangential_viscosity: Option<f64>,
    pub tresca: Option<f64>,
    pub wear: Option<f64>,
}

impl LawSpec {
    /// `law` with what is given here put in.
    pub fn over(&self, law: PairLaw) -> PairLaw {
        PairLaw {
            static_friction: self.static_friction.unwrap_or(law.static_friction),
            dynamic_friction: self.dynamic_friction.unwrap_or(law.dynamic_friction),
            normal_restitution: self.normal_restitution.unwrap_or(law.normal_restitution),
            tangential_restitution: self.tangential_restitution.unwrap_or(law.tangential_restitution),
            dissipation: Dissipation {
                normal_viscosity: self.normal_viscosity.unwrap_or(law.dissipation.normal_viscosity),
                tangential_viscosity: self.tangential_viscosity.unwrap_or(law.dissipation.tangential_viscosity),
                tresca: self.tresca.or(law.dissipation.tresca),
            },
            // A constant takes the place of a curve, and a curve that of a constant.
            friction_curve: match (&self.friction_curve, self.dynamic_friction) {
                (Some(curve), _) => Some(curve.clone()),
                (None, Some(_)) => None,
                (None, None) => law.friction_curve,
            },
            restitution_curve: match (&self.restitution_curve, self.normal_restitution) {
                (Some(curve), _) => Some(curve.clone()),
                (None, Some(_)) => None,
                (None, None) => law.restitution_curve,
            },
            tangential_curve: match (&self.tangential_curve, self.tangential_restitution) {
                (Some(curve), _) => Some(curve.clone()),
                (None, Some(_)) => None,
                (None, None) => law.tangential_curve,
            },
            rolling: self.rolling.unwrap_or(law.rolling),
            torsion: self.torsion.unwrap_or(law.torsion),
            couples_torsion: self.couples_torsion.unwrap_or(law.couples_torsion),
            cohesion: self.cohesion.or(law.cohesion),
            wear: self.wear.unwrap_or(law.wear),
        }
    }
}

/// The liquid between grains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LiquidSpec {
    pub at: At,
    pub amount: LiquidAmount,
    pub surface_tension: f64,
    pub contact_angle: f64,
    pub bridges: Bridges,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LiquidAmount {
    /// Mass of liquid over mass of grains, and the density of the liquid.
    Content {
        content: f64,
        density: f64,
    },
    Volume(f64),
}

/// Grains that are glued at the start of a stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BondSpec {
    pub at: At,
    pub stage: usize,
    pub which: Glued,
    /// Walls to which grains are glued too.
    pub walls: Vec<usize>,
    pub strength: BondStrength,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Glued {
    All,
    Group(String),
    Pairs(Vec<[u32; 2]>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub materials: [usize; 2],
    pub law: LawSpec,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grains {
    pub at: At,
    pub sample: Sample,
    pub size: Size,
    /// What the grains look like; none for balls, and where the sample says it.
    pub shape: Option<Shaping>,
    /// The index of the material; none if the file says it.
    pub material: Option<usize>,
    pub group: Option<String>,
    pub velocity: Point,
    pub spin: Point,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sample {
    Lattice {
        close: bool,
        spacing: Option<f64>,
        jitter: f64,
        count: Option<usize>,
        region: Region,
    },
    Random {
        amount: Amount,
        region: Region,
    },
    Rain {
        count: Option<usize>,
        cover: f64,
        region: Region,
    },
    List {
        positions: Vec<Point>,
        radii: Vec<f64>,
        orientations: Vec<Point>,
        velocities: Vec<Point>,
    },
    /// Blocks where they are, by their corners and from a file.
    Blocks {
        corners: Vec<Vec<Point>>,
        file: Option<BlockFile>,
        shift: Point,
    },
    /// A box broken into cells that are drawn in by half of the joint.
    Voronoi {
        count: usize,
        joint: f64,
        region: Region,
        shift: Point,
    },
    File {
        path: String,
        shift: Point,
        at_rest: bool,
    },
}

/// A file of closed surfaces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockFile {
    pub path: String,
    pub scale: f64,
    /// Take the hull of each surface, whatever its faces are.
    pub hull: bool,
}

/// What the grains of an entry look like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shaping {
    pub spec: ShapeSpec,
    /// As described, and not turned at random.
    pub aligned: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShapeSpec {
    Polygon {
        sides: [usize; 2],
    },
    Cuboid {
        aspect: [f64; 2],
    },
    RandomPolygon {
        vertices: [usize; 2],
        elongation: f64,
    },
    Polyhedron {
        faces: usize,
        truncation: [f64; 2],
        stretch: Point,
    },
    RandomPolyhedron {
        vertices: [usize; 2],
        stretch: Point,
    },
    Voronoi,
    /// One body for all grains.
    Fixed(Box<Solid>),
    File {
        path: String,
        hull: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Count(usize),
    SolidFraction(f64),
}

/// Where grains may be: a box, and inside of a cylinder along one axis if there is one (in 2D a disk).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub lower: Point,
    /// Infinite along the axis on which it is open above.
    pub upper: Point,
    pub round: Option<Round>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    pub centre: Point,
    pub axis: usize,
    pub radius: f64,
}

/// Where grains come in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InletSpec {
    pub at: At,
    pub name: String,
    pub place: Place,
    /// None for an inlet that only takes grains back.
    pub rate: Option<Rate>,
    pub total: Option<Quota>,
    /// How long what is due may wait; none until it is chosen.
    pub wait: Option<f64>,
    pub size: Size,
    pub shape: Option<Shaping>,
    pub material: usize,
    pub group: String,
    pub velocity: Point,
    pub velocity_spread: f64,
    pub spin: Point,
    pub seed: u64,
    /// The stages in which it acts; empty for all.
    pub stages: Vec<usize>,
    /// Diameters between size classes, in increasing order.
    pub classes: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rate {
    Mass(TimeFunction),
    Number(TimeFunction),
}

/// What an inlet feeds in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Quota {
    Mass(f64),
    Number(f64),
}

/// Where grains leave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OutletSpec {
    pub at: At,
    pub name: String,
    pub place: Place,
    /// The inlet at which grains are put back.
    pub to: Option<usize>,
    pub group: Option<String>,
    pub stages: Vec<usize>,
    pub classes: Vec<f64>,
}

/// Where the flow of grains is measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GaugeSpec {
    pub name: String,
    pub place: Place,
    pub classes: Vec<f64>,
}

/// A part of space or a surface through which grains come and go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    Region(Region),
    Outside(Region),
    /// A point and a unit normal.
    Plane {
        point: Point,
        normal: Point,
    },
    /// The centre, and half of each edge; the second is zero in 2D.
    Plate {
        centre: Point,
        half_edges: [Point; 2],
    },
    Disk {
        centre: Point,
        normal: Point,
        radius: f64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wall {
    pub at: At,
    pub name: String,
    pub material: usize,
    /// Not there until a stage restores it.
    pub absent: bool,
    pub shape: WallShape,
    /// What a block is of; none for other walls.
    pub solid: Option<SolidWall>,
}

/// The volume of a solid wall and how it is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolidWall {
    /// In 2D the area.
    pub volume: f64,
    pub centre: Point,
    /// Principal moments of inertia about the centre for density 1 (in 2D the third), and the frame of their axes.
    pub inertia: Point,
    pub orientation: [f64; 4],
}

/// The shape and the placement of a wall; `walls.rs` has its geometry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WallShape {
    /// A point of a plane or of an axis, the middle of a plate or of a ball, the centre of mass of a block.
    pub position: Point,
    /// A quaternion (x, y, z, w).
    pub orientation: [f64; 4],
    pub form: WallForm,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WallForm {
    Primitive(Primitive),
    /// A convex body, and the distance of its farthest point from its centre.
    Block {
        form: Form,
        radius: f64,
    },
    /// A surface of triangles, in 2D of segments.
    Mesh(Surface),
    /// The surface in a file, which is read when the grains are placed, and the factor on its lengths.
    MeshFile {
        at: At,
        path: String,
        scale: f64,
    },
}

impl WallShape {
    /// A form that is not turned.
    pub fn at(position: Point, form: impl Into<WallForm>) -> Self {
        WallShape { position, orientation: [0.0, 0.0, 0.0, 1.0], form: form.into() }
    }
}

impl From<Primitive> for WallForm {
    fn from(primitive: Primitive) -> Self {
        WallForm::Primitive(primitive)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Driver {
    pub at: At,
    pub wall: usize,
    /// The wall that carries this one.
    pub on: Option<usize>,
    pub translation: [Option<Drive>; 3],
    pub rotation: Option<Rotation>,
    pub mass: Option<f64>,
    pub area: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Drive {
    Velocity(TimeFunction),
    Acceleration(TimeFunction),
    Displacement(TimeFunction),
    Force(TimeFunction),
    Pressure(TimeFunction),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rotation {
    /// A unit vector; along z in 2D.
    pub axis: Point,
    pub turn: Turn,
    pub hinge: Option<Hinge>,
}

/// What hangs on a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hinge {
    pub mass: f64,
    /// From the pivot to the centre of mass, at the start of the run.
    pub arm: Point,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Turn {
    Velocity(TimeFunction),
    Angle(TimeFunction),
    Torque { torque: TimeFunction, inertia: f64 },
    Motor { velocity: TimeFunction, largest: f64, inertia: f64 },
}

impl Turn {
    /// The moment of inertia by which the wall turns, if its rotation is not imposed.
    pub fn inertia(&self) -> Option<f64> {
        match self {
            Turn::Velocity(_) | Turn::Angle(_) => None,
            Turn::Torque { inertia, .. } | Turn::Motor { inertia, .. } => Some(*inertia),
        }
    }
}

impl Driver {
    /// True if forces can change its motion.
    pub fn is_loaded(&self) -> bool {
        self.needs_mass() || self.rotation.as_ref().is_some_and(|rotation| rotation.turn.inertia().is_some())
    }

    /// True if a force or a pressure moves the wall by its mass.
    pub fn needs_mass(&self) -> bool {
        self.translation.iter().flatten().any(|drive| matches!(drive, Drive::Force(_) | Drive::Pressure(_)))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LoadSpec {
    pub target: TargetSpec,
    pub action: ActionSpec,
}

/// What a load does to each of its grains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ActionSpec {
    Steady { force: [TimeFunction; 3], torque: [TimeFunction; 3] },
    Percussion { time: f64, impulse: Point, arm: Point },
}

impl LoadSpec {
    /// Its force and torque over time, if it is no percussion.
    pub fn steady(&self) -> Option<[&[TimeFunction; 3]; 2]> {
        match &self.action {
            ActionSpec::Steady { force, torque } => Some([force, torque]),
            ActionSpec::Percussion { .. } => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SpringSpec {
    pub grains: [u32; 2],
    pub stiffness: f64,
    /// None: the distance at which the two touch.
    pub rest: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MembraneSpec {
    pub group: String,
    pub towards: Point,
    pub pressure: TimeFunction,
    pub stiffness: f64,
    /// None: the distance at which neighbours touch.
    pub rest: Option<f64>,
    /// The stage in which it begins to act.
    pub stage: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TargetSpec {
    All,
    Group(String),
    Grain(u32),
}

/// Numerical choices that are given; a stage gives only some.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SolverSpec {
    pub time_step: Option<f64>,
    pub halvings: Option<u32>,
    pub motion_per_step: Option<f64>,
    pub scheme: Option<SchemeSpec>,
    pub gap: Option<riprap_engine::GapVariant>,
    pub midpoint_tolerance: Option<f64>,
    pub solver: Option<riprap_engine::Solver>,
    pub order: Option<riprap_engine::SweepOrder>,
    pub criterion: Option<riprap_engine::Criterion>,
    pub min_sweeps: Option<u32>,
    pub max_sweeps: Option<u32>,
    pub warm_start: Option<bool>,
    pub stiffness: Option<f64>,
    pub on_unconverged: Option<riprap_engine::Unconverged>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SchemeSpec {
    Euler,
    Midpoint,
}

impl SolverSpec {
    /// Puts what is given here into `settings`.
    pub fn apply(&self, base: &SolverSpec, settings: &mut Settings) {
        use riprap_engine::{GapVariant, Scheme};
        macro_rules! put {
            ($($field:ident => $target:expr;)*) => {
                $(if let Some(value) = self.$field.or(base.$field) { $target = value; })*
            };
        }
        put! {
            time_step => settings.time_step;
            halvings => settings.halvings;
            motion_per_step => settings.motion_per_step;
            solver => settings.solver.solver;
            order => settings.solver.order;
            criterion => settings.solver.criterion;
            min_sweeps => settings.solver.min_sweeps;
            max_sweeps => settings.solver.max_sweeps;
            warm_start => settings.solver.warm_start;
            on_unconverged => settings.on_unconverged;
        }
        settings.stiffness = self.stiffness.or(base.stiffness);
        settings.scheme = match self.scheme.or(base.scheme) {
            Some(SchemeSpec::Midpoint) => {
                Scheme::Midpoint { tolerance: self.midpoint_tolerance.or(base.midpoint_tolerance).unwrap_or(0.0) }
            }
            _ => Scheme::Euler { gap: self.gap.or(base.gap).unwrap_or(GapVariant::Correct) },
        };
    }
}

/// How the periodic cell deforms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CellSpec {
    pub at: At,
    pub stretch: [Stretch; 3],
    pub shear: Option<TimeFunction>,
    /// In units of the natural one.
    pub mass: f64,
}

impl CellSpec {
    /// True if the cell deforms along this axis.
    pub fn moves_along(&self, axis: usize, dimension: usize) -> bool {
        self.stretch[axis] != Stretch::Fixed || self.shear.is_some() && (axis == 0 || axis + 1 == dimension)
    }
}

/// One stage of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// When it ends: by whichever comes first.
    pub end: End,
    pub(crate) drivers: Vec<Driver>,
    pub(crate) release: Vec<usize>,
    pub(crate) remove: Vec<usize>,
    pub(crate) restore: Vec<usize>,
    /// Walls and the groups that they let through.
    pub(crate) let_through: Vec<(usize, Vec<String>)>,
    pub(crate) cell: Option<CellSpec>,
    pub(crate) loads: Vec<LoadSpec>,
    pub(crate) gravity: Option<Point>,
    pub(crate) tilt: Option<(Point, TimeFunction)>,
    pub(crate) ground: Option<[TimeFunction; 3]>,
    pub(crate) materials: Vec<(usize, LawSpec)>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) solver: SolverSpec,
}

/// The criteria that end a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// After this time (s).
    pub time: Option<f64>,
    /// After this many steps.
    pub steps: Option<u64>,
    /// At this strain of a wall.
    pub strain: Option<Strain>,
    /// Mean kinetic energy of a grain below this (J).
    pub kinetic_energy: Option<f64>,
    /// Mean kinetic energy of a grain below this part of `m g d`.
    pub kinetic_energy_over_mgd: Option<f64>,
    /// [`riprap_engine::StepReport::unbalanced_force`] below this.
    pub force_balance: Option<f64>,
    /// What else is watched, and ends the stage.
    pub(crate) watches: Vec<Watch>,
    /// For how long (s) energies, forces and lost contacts must stay beyond their thresholds.
    pub hold: Option<f64>,
}

/// Something that is watched in every step of a stage, and ends it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Watch {
    /// Mean kinetic energy of a grain above this (J).
    Energy { energy: f64 },
    /// The same, above this part of `m g d`.
    EnergyOverMgd { part: f64 },
    /// The centre of mass of a group has moved this far since the stage began.
    Displacement { group: Option<String>, axis: Option<usize>, distance: f64 },
    /// Two groups or walls that touched no longer do.
    ContactLost { between: [String; 2] },
    /// A wall that carried this force carries less.
    ForceLost { wall: String, force: f64 },
    /// The number or mass of the grains in a place is below or above a limit.
    Inside { at: At, place: Place, group: Option<String>, number: Option<f64>, mass: Option<f64>, below: bool },
}

impl Watch {
    /// True if it must last for the time `hold`.
    pub fn lasts(&self) -> bool {
        !matches!(self, Watch::Inside { .. } | Watch::Displacement { .. })
    }

    fn words(&self) -> String {
        let of =
            |group: &Option<String>| group.as_ref().map_or("all grains".to_owned(), |name| format!("group \"{name}\""));
        match self {
            Watch::Energy { energy } => {
                format!("by failure when the mean kinetic energy of a grain stays above {energy} J")
            }
            Watch::EnergyOverMgd { part } => {
                format!("by failure when the mean kinetic energy of a grain stays above {part} m g d")
            }
            Watch::Displacement { group, distance, .. } => {
                let have = if group.is_some() { "has" } else { "have" };
                format!("by failure when {} {have} moved by {distance} m", of(group))
            }
            Watch::ContactLost { between: [a, b] } => format!("by failure when \"{a}\" and \"{b}\" have lost contact"),
            Watch::ForceLost { wall, force } => {
                format!("by failure when the force on wall \"{wall}\" has fallen below {force} N")
            }
            Watch::Inside { group, number, mass, below, .. } => {
                let than = if *below { "less" } else { "more" };
                let amount = number
                    .map_or_else(|| format!("{} kg", mass.unwrap_or_default()), |number| format!("{number} grains"));
                format!("when {than} than {amount} of {} are inside the given place", of(group))
            }
        }
    }

    pub fn cause(&self) -> EndCause {
        match self {
            Watch::Energy { .. } | Watch::EnergyOverMgd { .. } => EndCause::Energy,
            Watch::Displacement { .. } => EndCause::Displacement,
            Watch::ContactLost { .. } => EndCause::ContactLost,
            Watch::ForceLost { .. } => EndCause::ForceLost,
            Watch::Inside { .. } => EndCause::Inside,
        }
    }
}

/// What ended a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// Its time.
    Time,
    /// Its number of steps.
    Steps,
    /// The strain that it was to reach.
    Strain,
    /// Rest: the kinetic energy stayed below its threshold.
    Rest,
    /// Rest: the forces balanced.
    ForceBalance,
    /// Failure: the kinetic energy stayed above its threshold.
    Energy,
    /// Failure: a group has moved too far.
    Displacement,
    /// Failure: a contact was lost.
    ContactLost,
    /// Failure: the force on a wall was lost.
    ForceLost,
    /// What is in a place.
    Inside,
}

impl EndCause {
    const ALL: [EndCause; 10] = [
        EndCause::Time,
        EndCause::Steps,
        EndCause::Strain,
        EndCause::Rest,
        EndCause::ForceBalance,
        EndCause::Energy,
        EndCause::Displacement,
        EndCause::ContactLost,
        EndCause::ForceLost,
        EndCause::Inside,
    ];

    /// The number that a checkpoint keeps; 0 is kept for a stage that has not ended.
    pub fn number(self) -> f64 {
        Self::ALL.iter().position(|cause| *cause == self).map_or(0.0, |index| index as f64 + 1.0)
    }

    /// The inverse of [`EndCause::number`].
    pub fn from_number(number: f64) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.number() == number)
    }

    /// The key of the scene that it belongs to.
    pub fn word(self) -> &'static str {
        match self {
            EndCause::Time => "time",
            EndCause::Steps => "steps",
            EndCause::Strain => "strain",
            EndCause::Rest => "kinetic_energy",
            EndCause::ForceBalance => "force_balance",
            EndCause::Energy => "kinetic_energy_above",
            EndCause::Displacement => "displacement",
            EndCause::ContactLost => "contact_lost",
            EndCause::ForceLost => "force_lost",
            EndCause::Inside => "inside",
        }
    }

    /// True if the stage ended by a sign of failure.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Energy | Self::Displacement | Self::ContactLost | Self::ForceLost)
    }
}

impl End {
    /// True if the kinetic energy or the balance of forces is judged.
    pub fn judges_rest(&self) -> bool {
        self.kinetic_energy.is_some() || self.kinetic_energy_over_mgd.is_some() || self.force_balance.is_some()
    }

    /// True if it may end before its time, which nobody knows beforehand.
    pub fn may_end_early(&self) -> bool {
        self.judges_rest() || !self.watches.is_empty()
    }

    /// True if it may end by a sign of failure.
    pub fn may_fail(&self) -> bool {
        self.watches.iter().any(|watch| watch.cause().is_failure())
    }

    /// In words: what is watched besides duration, strain and rest.
    pub fn watch_words(&self) -> Vec<String> {
        self.watches.iter().map(Watch::words).collect()
    }

    /// True if a criterion has to last.
    pub(crate) fn has_to_last(&self) -> bool {
        self.judges_rest() || self.watches.iter().any(Watch::lasts)
    }
}

/// The displacement of a wall over its distance to what faces it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain {
    /// The strain that ends the stage, in either direction.
    pub strain: f64,
    /// The index of the wall among the scene's walls, in their order in the world; the periodic cell if there is none.
    pub wall: Option<usize>,
    /// The axis of the displacement.
    pub axis: usize,
}

/// What is written, and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    /// Simulated time between snapshots (s).
    pub snapshot_interval: Option<f64>,
    /// The formats of snapshots, by their words.
    pub snapshot_formats: Vec<String>,
    /// Simulated time between lines of the time series (s); zero means every step.
    pub series_interval: Option<f64>,
    /// What is measured while the run goes on, by name.
    pub measure: Vec<String>,
    /// Simulated time between measurements (s); none for that between snapshots.
    pub measure_interval: Option<f64>,
    /// Time on the clock between checkpoints (s).
    pub checkpoint_interval: f64,
}
