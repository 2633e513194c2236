//! Files: snapshots, checkpoints, VTK, HDF5, LAMMPS, extended XYZ, CSV.
//!
//! A [`Snapshot`] records the system for viewers and scripts, in formats that other programs read. A [`Checkpoint`] is the
//! exact state from which a run continues, in riprap's own format. All files are written atomically
//! ([`write_atomically`]). The layout of every file is described in docs/files.md.
//!
//! Contact problems can be stored in files, including those of FCLib and Siconos:
//!
//! ```
//! use riprap_solve::assembled::{AssembledProblem, LocalProblem, SparseMatrix};
//! use riprap_store::{ProblemFile, read_problem, write_problem};
//!
//! // One contact between two unit masses in 3D, approaching and sliding.
//! let problem = AssembledProblem::Local(LocalProblem {
//!     size: 3,
//!     w: SparseMatrix::from_triplets(3, 3, (0..3).map(|i| (i, i, 2.0)).collect())?,
//!     q: vec![-1.0, 0.2, 0.0],
//!     friction: vec![0.5],
//!     rolling: Vec::new(),
//! });
//! let path = std::env::temp_dir().join(format!("riprap-doc-{}.hdf5", std::process::id()));
//! write_problem(&path, &ProblemFile::new(problem.clone()))?;
//! assert_eq!(read_problem(&path)?.problem, problem);
//! std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic;
mod checkpoint;
mod codec;
mod csv;
mod datasets;
pub mod disk;
mod error;
mod fclib;
mod format;
mod forms;
mod hash;
mod hdf5;
mod lammps;
mod problem_file;
mod pvd;
mod rows;
mod siconos;
mod size;
mod snapshot;
mod surface_file;
mod surfaces;
mod text;
mod vtp;
mod xyz;

pub use atomic::write_atomically;
pub use checkpoint::{AnyState, Checkpoint, read_checkpoint, read_checkpoint_file, write_checkpoint};
pub use error::StoreError;
pub use format::{Format, read_grains, read_snapshot, write_snapshot};
pub use hash::{hash_of_bytes, state_hash};
pub use problem_file::{ProblemFile, ProblemState, read_problem, write_problem};
pub use pvd::PvdSeries;
pub use snapshot::{ContactColumns, CrackColumns, FaceColumns, GrainColumns, Snapshot, SnapshotCell, Wall, WallShape};
pub use surface_file::read_surface;
pub use surfaces::{Surfaces, wall_surfaces, wall_surfaces_within};
pub use vtp::ROLES as VTP_ROLES;
