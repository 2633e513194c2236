//! Files: snapshots, checkpoints, VTK, HDF5, LAMMPS, extended XYZ, CSV.
//!
//! A [`Snapshot`] is a picture for eyes and scripts, in formats that others read; a [`Checkpoint`] is the exact state
//! that a run goes on from, in a format of our own. Whatever is written is written whole or not at all
//! ([`write_atomically`]). The layout of every file is described in docs/files.md.

mod atomic;
mod base64;
mod checkpoint;
mod codec;
mod csv;
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
mod snapshot;
mod surface_file;
mod surfaces;
mod text;
mod vtp;
mod xyz;

pub use atomic::write_atomically;
pub use base64::Base64Writer;
pub use checkpoint::{AnyState, Checkpoint, read_checkpoint, read_checkpoint_file, write_checkpoint};
pub use error::StoreError;
pub use format::{Format, read_grains, read_snapshot, write_snapshot};
pub use hash::state_hash;
pub use problem_file::{ProblemFile, ProblemState, read_problem, write_problem};
pub use pvd::PvdSeries;
pub use snapshot::{ContactColumns, GrainColumns, Snapshot, SnapshotCell, Wall, WallShape};
pub use surface_file::read_surface;
