//! riprap, a simulator of granular matter.
//!
//! Grains are rigid: friction and impact are contact laws rather than springs, and all contact impulses of a time step are
//! solved together (*contact dynamics*). riprap simulates disks and polygons in 2D, spheres and polyhedra in 3D, between
//! walls of many kinds, on all cores, with bit-identical results for any number of threads.
//!
//! There are three levels of access, from the most convenient to the most basic.
//!
//! # A scene
//!
//! A scene is a TOML text that describes the grains and walls and what happens to them ([`scene`]). A [`run::Simulation`]
//! runs its stages, with or without writing files:
//!
//! ```
//! use riprap::prelude::*;
//!
//! let template = riprap::templates::find("collision").expect("a template of this name exists");
//! let mut simulation = Simulation::new(load_scene(template.text, "collision.toml", &[])?)?;
//! simulation.run(Until::Steps(100))?;
//! println!("{} contacts at {} s", simulation.progress().contacts, simulation.progress().time);
//! simulation.run(Until::End)?;
//! println!("{}", simulation.end()?.words);
//! # Ok::<(), RunError>(())
//! ```
//!
//! # A world by hand
//!
//! An [`engine::World`] holds bodies, what acts on them, and their state. Each step advances it and reports how well the
//! step went:
//!
//! ```
//! use riprap::prelude::*;
//!
//! fn main() -> Result<(), StepError> {
//!     let mut world = World::<D3>::new(Settings::new(1e-3));
//!     world.add(Body::wall("floor", Shape::Plane { normal: DVec3::Z }), Placement::default());
//!     let ball = world.add(Body::ball(0.01, 2600.0), Placement::at(DVec3::Z * 0.1));
//!     for _ in 0..500 {
//!         world.step(&mut Silent)?;
//!     }
//!     println!("the ball lies at {}", world.position(ball));
//!     Ok(())
//! }
//! ```
//!
//! # A contact problem
//!
//! The solver works on impulses and velocities and knows nothing about shapes ([`solve`]). [`store::read_problem`] reads
//! problems in FCLib and Siconos format:
//!
//! ```
//! use riprap::solve::assembled::*;
//!
//! // A block pushed down and sideways on a rough floor: u = W r + q, normal first.
//! let problem = AssembledProblem::Local(LocalProblem {
//!     size: 2,
//!     w: SparseMatrix::from_triplets(2, 2, vec![(0, 0, 1.0), (1, 1, 1.0)])?,
//!     q: vec![-1.0, 0.8],
//!     friction: vec![0.5],
//!     rolling: Vec::new(),
//! });
//! let solution = solve_assembled(&problem, &AssembledOptions::default(), None, &mut || false)?;
//! assert!((solution.impulse[0] - 1.0).abs() < 1e-9 && (solution.impulse[1] + 0.5).abs() < 1e-9);
//! # Ok::<(), ProblemError>(())
//! ```
//!
//! # More
//!
//! The folder `examples` contains programs to start from: `drop_ball`, `scene`, `observer`, `own_force`,
//! `contact_problem`. [`measure`] computes measurements and draws pictures, [`store`] reads and writes files, and
//! [`templates`] contains the scenes of `riprap new`. All quantities are in SI units.

pub use glam;
pub use riprap_engine as engine;
pub use riprap_measure as measure;
pub use riprap_run as run;
pub use riprap_scene as scene;
pub use riprap_solve as solve;
pub use riprap_store as store;

pub mod templates;

/// What most programs need.
pub mod prelude {
    pub use glam::{DQuat, DVec2, DVec3};
    pub use riprap_engine::{
        AnyWorld, Body, BodyId, Cell, D2, D3, Dim, Gravity, Materials, PairLaw, Placement, Settings, Shape, Silent,
        StepError, StepReport, World, for_any_world,
    };
    pub use riprap_run::{
        Interrupt, Listener, Output, PreparedScene, Progress, RunError, RunFolder, RunOptions, Simulation, Stop, Until,
    };
    pub use riprap_scene::{NoFiles, Override, Scene, load as load_scene};
}
