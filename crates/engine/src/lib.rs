//! Grains, walls and the step of contact dynamics, in two and three dimensions from one source.
//!
//! A [`World`] is a set of bodies with their materials, drivers and loads (the model) and a
//! [`State`] that the step moves on. Nothing in this crate knows about files, clocks, printing or
//! serialization: what is measured, stored or shown lives in the crates that use it.
//! `step.rs` is the step, one line a stage; docs/method.md has the physics.

mod any;
mod body;
mod bonds;
mod bridges;
mod cache;
mod cell;
mod cell_driver;
mod cohesive;
mod contact;
mod detect;
mod drive;
mod energy;
mod form;
mod geometry;
mod inertia;
mod kinematics;
mod law;
mod loads;
mod md;
mod membrane;
mod neighbours;
mod observer;
mod overlaps;
mod point_cache;
mod problem_dump;
mod reach;
mod report;
mod rotation;
mod settings;
mod shape;
mod stages;
mod state;
mod step;
mod stretching;
mod table;
mod wall_load;
mod work;
mod world;

pub use any::AnyWorld;
pub use body::{Body, Freedom, Freedoms, LoadedArea, Motion, Placement, Span};
pub use bonds::NotTouching;
pub use bridges::Link;
pub use cell::Cell;
pub use cell_driver::{CellDriver, Stretch};
pub use contact::{Contact, Status};
pub use energy::Energy;
pub use form::{Form, FormPart, Surface};
pub use law::bond::{Bond, BondLaw};
pub use law::capillary::{Bridge, Bridges, Liquid, Share, decay_length, reduced_diameter};
pub use law::cohesion::{Cohesion, Extent, Strength};
pub use law::material::{Dissipation, Materials, PairLaw};
pub use law::speed::SpeedCurve;
pub use law::torque::TorqueLimit;
pub use loads::{Gravity, Load, Target, TimeFunction};
pub use md::{damping_ratio, effective_restitution};
pub use membrane::{Membrane, Spring};
pub use observer::{Observer, Silent, Stage, StepProblem};
pub use overlaps::Overlap;
pub use report::{SoftRegime, StepError, StepReport, sweep_diffusivity};
pub use riprap_solve::percussion::{PercussionOptions, PercussionSolver, Stick};
pub use riprap_solve::{Criterion, D2, D3, Dim, Options, Solver, SweepOrder, Vector};
pub use settings::{Damping, GapVariant, Method, Scheme, Settings, Soft, Unconverged};
pub use shape::{
    Cluster, Convex, Edge, Face, Mesh, MeshFace, Part, PartShape, PlacedCluster, PlacedConvex, Primitive, Shape,
    ShapeError,
};
pub use state::{Search, State};
pub use table::GrainTable;
pub use wall_load::WallLoad;
pub use world::World;
