//! Grains, walls and the step of contact dynamics, in two and three dimensions from one source.
//!
//! A [`World`] is a set of bodies with their materials, drivers and loads (the model) and a
//! [`State`] that the step moves on. Nothing in this crate knows about files, clocks, printing or
//! serialization: what is measured, stored or shown lives in the crates that use it.
//! `step.rs` is the step, one line a stage; METHOD.md sections 1 to 5 are the physics.

mod acd2;
mod any;
mod balance;
mod body;
mod bonds;
mod books;
mod bridges;
mod cell;
mod contact;
mod detect;
mod drive;
mod form;
mod hold;
mod law;
mod look_back;
mod material;
mod md;
mod membrane;
mod neighbours;
mod overlaps;
mod report;
mod rotation;
mod seen;
mod shape;
mod step;
mod stretching;
mod table;
mod world;

pub use any::AnyWorld;
pub use balance::sweep_diffusivity;
pub use body::{Body, Freedom, Freedoms, LoadedArea, Motion, Placement, Span};
pub use bonds::NotTouching;
pub use bridges::{Bridge, Link};
pub use cell::Cell;
pub use contact::{Contact, Status};
pub use drive::{Gravity, Load, Target, TimeFunction};
pub use form::{Form, FormPart, Surface};
pub use law::bond::{Bond, BondLaw};
pub use law::capillary::{Bridges, Liquid, Share, decay_length, reduced_diameter};
pub use law::cohesion::{Cohesion, Extent, Strength};
pub use law::speed::SpeedCurve;
pub use law::torque::TorqueLimit;
pub use material::{Dissipation, Materials, PairLaw};
pub use md::{Damping, Soft, damping_ratio, effective_restitution};
pub use membrane::{Membrane, Spring};
pub use overlaps::Overlap;
pub use report::{Energy, Observer, Silent, SoftRegime, Stage, StepError, StepProblem, StepReport, WallLoad};
pub use riprap_solve::percussion::{PercussionOptions, PercussionSolver, Stick};
pub use riprap_solve::{Criterion, D2, D3, Dim, Options, Solver, SweepOrder, Vector};
pub use shape::{
    Cluster, Convex, Edge, Face, Mesh, MeshFace, Part, PartShape, PlacedCluster, PlacedConvex, Shape, ShapeError,
};
pub use stretching::{CellDriver, Stretch};
pub use table::GrainTable;
pub use world::{GapVariant, Method, Scheme, Search, Settings, State, Unconverged, World};
