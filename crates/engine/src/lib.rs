//! The simulator: grains, walls and the step of contact dynamics, in two and three dimensions from one source.
//!
//! A [`World`] holds the model (bodies with their materials, drivers, loads, [`Settings`]) and a [`State`], which
//! [`World::step`] advances by one time step. Each step returns a [`StepReport`] with its convergence and balances.
//!
//! ```
//! use riprap_engine::{Body, D3, Placement, Settings, Shape, Silent, World, glam::DVec3};
//!
//! fn main() -> Result<(), riprap_engine::StepError> {
//!     let mut world = World::<D3>::new(Settings::new(1e-3));
//!     world.add(Body::wall("floor", Shape::Plane { normal: DVec3::Z }), Placement::default());
//!     let ball = world.add(Body::ball(0.01, 2600.0), Placement::at(DVec3::Z * 0.1));
//!     for _ in 0..500 {
//!         world.step(&mut Silent)?;
//!     }
//!     assert!((world.position(ball).z - 0.01).abs() < 1e-6, "the ball lies on the floor");
//!     Ok(())
//! }
//! ```
//!
//! * **Dimensions.** `World<D2>` has disks and polygons, `World<D3>` spheres and polyhedra; [`AnyWorld`] is either, chosen
//!   at run time. All quantities are in SI units; a body in the plane is 1 m thick.
//! * **Bodies.** A grain is a free [`Body`]; a wall is one whose motions are imposed or loaded one by one ([`Motion`]).
//!   Bodies can be added and removed between any two steps ([`World::add`], [`World::remove`]). A [`BodyId`] never
//!   changes; an index into the columns of the state does when a body before it is removed.
//! * **Laws.** [`Materials`] has a [`PairLaw`] for every pair of materials: friction, restitution, rolling resistance,
//!   cohesion.
//! * **Reproducibility.** The same world gives the same bits on any number of threads, and so does a copy of its state in a
//!   fresh world ([`World::restore`]).
//!
//! Nothing in this crate knows about files, clocks, printing or serialization. The physics is in docs/method.md; `step.rs`
//! is the step, one line per stage.

mod any;
mod before;
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
mod exchange;
mod face;
mod form;
mod geometry;
mod inertia;
mod kinematics;
mod law;
mod loads;
mod md;
mod membrane;
mod motor;
mod neighbours;
mod observer;
mod overlaps;
mod point_cache;
mod problem_dump;
mod reach;
mod report;
mod roster;
mod rotation;
mod settings;
mod shape;
mod stages;
mod state;
mod step;
mod step_length;
mod stretching;
mod table;
mod vacancy;
mod wall_load;
mod wear;
mod work;
mod world;

pub use glam;

pub use any::AnyWorld;
pub use body::{Body, BodyId, Carrier, Freedom, Freedoms, Hanging, LoadedArea, Motion, Passage, Placement, Span};
pub use bonds::NotGlued;
pub use bridges::Link;
pub use cell::Cell;
pub use cell_driver::{CellDriver, Stretch};
pub use contact::{Contact, ContactExtras, Status};
pub use energy::Energy;
pub use exchange::{Exchange, Inventory};
pub use face::{FaceLoad, WallWear};
pub use form::{Form, FormPart, Surface};
pub use law::LawTable;
pub use law::bond::{Bond, BondLaw, BondStrength, Breaking, Crack, Joint};
pub use law::capillary::{Bridge, Bridges, Liquid, Share, decay_length, reduced_diameter};
pub use law::cohesion::{Cohesion, Extent, Strength};
pub use law::material::{Dissipation, Materials, PairLaw};
pub use law::speed::SpeedCurve;
pub use law::torque::TorqueLimit;
pub use loads::{Gravity, Load, Percussion, Target, TimeFunction};
pub use md::{damping_ratio, effective_restitution};
pub use membrane::{Membrane, Spring};
pub use neighbours::FARTHEST_RADII;
pub use observer::{Observer, Silent, Stage, StepProblem};
pub use overlaps::Overlap;
pub use report::{OVERLAP_GROWTH, SoftRegime, StepError, StepReport, sweep_diffusivity};
pub use riprap_solve::percussion::{PercussionOptions, PercussionSolver, Stick};
#[cfg(feature = "ablation")]
pub use riprap_solve::solvers::ablation;
pub use riprap_solve::{Criterion, D2, D3, Dim, Options, OptionsError, Solver, SweepOrder, Trace, Vector};
pub use roster::{BodyError, BodyUser};
pub use settings::{Damping, GapVariant, MOTION_PER_STEP, Method, Scheme, Settings, Soft, Unconverged};
pub use shape::{
    Cluster, Convex, Edge, Face, Mesh, MeshFace, Part, PartShape, PlacedCluster, PlacedConvex, Primitive, Shape,
    ShapeError,
};
pub use state::{Search, State};
pub use table::{GrainTable, TableCell};
pub use vacancy::Vacancy;
pub use wall_load::WallLoad;
pub use world::World;
