//! The step against closed forms, conservation laws and published results, in two and three dimensions from one source.
//!
//! The last axis points up. Every run of [`setting::run`] also checks the balances of momentum and energy.

mod angular;
mod arch;
mod blocks;
mod blows;
mod chain;
mod collisions;
mod compliant;
mod control;
mod drivers;
mod extremes;
mod failures;
mod friction;
mod halved_steps;
mod holding;
mod machines;
mod packing;
mod percussions;
mod periodic;
mod problems;
mod properties;
mod reproducible;
mod restitution;
mod roster;
mod setting;
mod shaking;
mod soft;
mod statics;
mod stop_test;
mod stretching;
mod ties;
mod torques;
mod wear;
mod wet;
