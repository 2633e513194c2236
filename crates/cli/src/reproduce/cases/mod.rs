//! The published results that the program can run again.
//!
//! **To add a case**: write a function `fn(&mut Bench) -> Result<Findings, Failure>` in the file of its topic, describe it
//! by a `pub const NAME: Case` beside it, and put it into [`CASES`]. Scenes stand in `../scenes` as TOML and are read by
//! `include_str!`; [`Bench::run`](super::bench::Bench::run) runs one with some values replaced and keeps the run, and
//! [`Bench::world`](super::bench::Bench::world) builds one to be stepped by hand. Ranges are chosen before the first run,
//! with their reason; if one has to be changed afterwards, [`Row::revised`](super::case::Row::revised) says so on the
//! page. A quick size should take no more than 40 s of CPU. Costs are measured: the page shows what a case took.

mod beyond;
mod biaxial;
mod brendel;
mod chain;
mod collapse;
mod collision;
mod dal_pont;
mod discharge;
mod dry;
mod flow;
mod isotropic;
mod iterations;
mod richefeu;
mod scale;
mod shear;
mod springs;
mod sweeps;
mod waves;
mod windows;

use super::case::Case;

/// All cases, in the order of the page.
pub const CASES: &[Case] = &[
    collision::FRONTAL,
    chain::CHAIN,
    chain::MODES,
    springs::SPRINGS,
    sweeps::ORDER,
    waves::PISTON,
    iterations::ITERATIONS_PRECISION,
    iterations::ITERATIONS_SIZE,
    iterations::NETWORK,
    iterations::SELF_STRESS,
    scale::SCALE,
    flow::EVENTS,
    windows::SHEAR_WINDOWS,
    isotropic::ISOTROPIC_SPHERES,
    isotropic::ISOTROPIC_DISKS,
    biaxial::NETWORKS,
    shear::PLANE,
    shear::PENTAGONS,
    shear::ROLLING,
    collapse::COLUMN,
    beyond::CYLINDER,
    beyond::INCLINE,
    beyond::REPOSE,
    beyond::CRITICAL,
    discharge::DISCHARGE_DISKS,
    discharge::DISCHARGE_SPHERES,
    discharge::JANSSEN,
    brendel::OPENING,
    brendel::HEAP,
    brendel::POWDER,
    dal_pont::BAND,
    dal_pont::LANDSLIDE,
    dal_pont::UZAWA,
    dry::TAIL_SPHERES,
    dry::POLYHEDRA,
    dry::STATIONARY,
    richefeu::SOFT,
    richefeu::WET,
];

/// The text of one of the scenes to start from, for cases that run it as it is.
fn template(name: &str) -> &'static str {
    riprap::templates::find(name).expect("cases name scenes that exist").text
}

/// The same ordinates at the abscissae in reverse order: the null model of a trend.
fn reversed(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    points.iter().zip(points.iter().rev()).map(|(at, other)| [at[0], other[1]]).collect()
}
