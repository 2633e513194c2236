//! Who hears of a run while it goes on.

/// Hears of a run while it goes on. All methods do nothing unless they are written, and `()` is a listener that hears
/// nothing.
pub trait Listener: Send {
    /// Something that the user may like to know.
    fn note(&mut self, _text: &str) {}

    /// Something that the user has to know.
    fn warn(&mut self, _text: &str) {}

    /// A step is done. `progress` says how far the run is; whoever shows it ten times a second asks for it as often.
    fn step(&mut self, _progress: &mut dyn FnMut() -> Progress) {}

    /// No step follows.
    fn end(&mut self) {}
}

impl Listener for () {}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The name of the stage.
    pub stage: String,
    /// The simulated time (s).
    pub time: f64,
    /// The simulated time at the end of the run (s), where it is known.
    pub total_time: Option<f64>,
    /// Steps done.
    pub step: u64,
    /// Contacts that carry an impulse, in the last step.
    pub contacts: usize,
    /// Sweeps of the last step.
    pub sweeps: u32,
    /// How much of the stage is done, from 0 to 1, where its end is known.
    pub fraction: Option<f64>,
    /// True if this is the last stage, so that its end is the end of the run.
    pub last_stage: bool,
    /// Seconds until the stage ends at the speed of the last while, where its end is known.
    pub time_left: Option<f64>,
    /// Steps per second of the last while.
    pub speed: Option<f64>,
}
