//! The stages of a step of contact dynamics, one file each, in the order in which `step.rs` calls them. Stages that other
//! methods share are in rooms of their own: `drive.rs`, `neighbours.rs`, `bridges.rs`, `kinematics.rs`, `report/`.

mod free_velocity;
mod measure_gaps;
mod recall_impulses;

mod compliance;
mod percussions;
mod solve;
mod state_laws;
mod stop_test;

mod keep_impulses;
mod shock;
mod verify;

pub(crate) use verify::Verdict;
