//! What a user may choose about the solution of one step.

/// The order in which a sweep visits the contacts (docs/method.md §4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepOrder {
    /// A fresh random permutation each sweep: the reference of P1, for runs with a fixed number of sweeps. One thread.
    Random,
    /// The order in which the contacts were found. One thread.
    Sequential,
    /// Forward, then backward, in turn. One thread.
    ForwardBackward,
    /// Block by block through space, independent contacts side by side, on all threads. The default.
    #[default]
    Spatial,
}

impl SweepOrder {
    /// All of them, by the names that users know.
    pub const ALL: [SweepOrder; 4] =
        [SweepOrder::Random, SweepOrder::Sequential, SweepOrder::ForwardBackward, SweepOrder::Spatial];

    /// The name in scenes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SweepOrder::Random => "random",
            SweepOrder::Sequential => "sequential",
            SweepOrder::ForwardBackward => "forward-backward",
            SweepOrder::Spatial => "spatial",
        }
    }
}

impl std::str::FromStr for SweepOrder {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = SweepOrder::ALL;
        all.into_iter().find(|order| order.name() == name).ok_or_else(|| {
            format!("unknown sweep order \"{name}\"; expected one of {}", all.map(SweepOrder::name).join(", "))
        })
    }
}

/// How sweeps are put to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Nonlinear block Gauss–Seidel: plain sweeps, the reference.
    GaussSeidel,
    /// Nesterov's momentum around symmetric sweeps, with restart: far fewer sweeps on large packings. It needs the spatial
    /// order, and a criterion on the residual or the motion.
    Momentum,
    /// The program chooses, and may change its mind while solving; plain sweeps where momentum cannot be.
    #[default]
    Auto,
}

impl Solver {
    /// All of them, by the names that users know.
    pub const ALL: [Solver; 3] = [Solver::GaussSeidel, Solver::Momentum, Solver::Auto];

    /// The name in scenes, on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Solver::GaussSeidel => "gauss-seidel",
            Solver::Momentum => "momentum",
            Solver::Auto => "auto",
        }
    }
}

impl std::str::FromStr for Solver {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = Solver::ALL;
        all.into_iter()
            .find(|solver| solver.name() == name)
            .ok_or_else(|| format!("unknown solver \"{name}\"; expected one of {}", all.map(Solver::name).join(", ")))
    }
}

/// When the sweeps of a step may end (docs/method.md §4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// Every force changes by less than `epsilon` of itself in one sweep, those below `cutoff` times the mean force
    /// excepted (P0 41, P1 35).
    LocalForce {
        /// The relative change allowed.
        epsilon: f64,
        /// Forces below this fraction of the mean are not judged.
        cutoff: f64,
    },
    /// The mean force changes by less than `epsilon` of itself in one sweep (P1 36).
    MeanForce {
        /// The relative change allowed.
        epsilon: f64,
    },
    /// A fixed number of sweeps (P1 37).
    Fixed {
        /// The number of sweeps, `N_I`.
        sweeps: u32,
    },
    /// The natural-map residual of the whole problem is below `tolerance` (the true error of the laws).
    Residual {
        /// The relative residual allowed.
        tolerance: f64,
    },
    /// The natural-map error as a velocity is small against the motion, or the residual is small: what moves fast may be
    /// solved less sharply than what rests. The default.
    Motion {
        /// The error as a velocity (root mean square over contacts) allowed, over the root mean square velocity that the
        /// free bodies would have without contacts; pistons do not count.
        velocity: f64,
        /// The relative residual that is always enough.
        residual: f64,
    },
}

impl Default for Criterion {
    /// Chosen on the deposit of benches/README.md: tighter tolerances cost more and give the same packing,
    /// looser ones show in the contact forces.
    fn default() -> Self {
        Criterion::Motion { velocity: 8e-3, residual: 2e-4 }
    }
}

/// The choices for one solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How the sweeps are put to use.
    pub solver: Solver,
    /// The order of a sweep.
    pub order: SweepOrder,
    /// When to end.
    pub criterion: Criterion,
    /// At least this many sweeps.
    pub min_sweeps: u32,
    /// At most this many sweeps; a step that needs more is counted as unconverged.
    pub max_sweeps: u32,
    /// Start from the impulses of the step before.
    pub warm_start: bool,
    /// The seed of the random order.
    pub seed: u64,
    /// The largest error of one contact, as a velocity, that [`Criterion::Motion`] allows, however fast bodies move.
    pub worst_contact: f64,
    /// The part of its tolerances that [`Criterion::Motion`] aims at in the first sweeps of a step: 1 for bodies that move, a
    /// small part for bodies at rest.
    pub calm: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            solver: Solver::Auto,
            order: SweepOrder::Spatial,
            criterion: Criterion::default(),
            min_sweeps: 1,
            max_sweeps: 2000,
            warm_start: true,
            seed: 0,
            worst_contact: f64::INFINITY,
            calm: 1.0,
        }
    }
}

impl Options {
    /// True if momentum can be used: it needs the symmetric sweeps of the spatial order, and an error that says how far it is.
    pub(crate) fn allow_momentum(&self) -> bool {
        self.check_momentum().is_ok()
    }

    /// An error if the solver cannot do what is asked of it.
    pub fn check(&self) -> Result<(), OptionsError> {
        if self.solver == Solver::Momentum { self.check_momentum() } else { Ok(()) }
    }

    fn check_momentum(&self) -> Result<(), OptionsError> {
        match (self.order, self.criterion) {
            (SweepOrder::Spatial, Criterion::Residual { .. } | Criterion::Motion { .. }) => Ok(()),
            (SweepOrder::Spatial, _) => Err(OptionsError::Criterion),
            (order, _) => Err(OptionsError::Order(order)),
        }
    }
}

/// Options that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// Momentum in another order than the spatial one.
    #[error("momentum needs sweeps in spatial order; use gauss-seidel or auto for {} sweeps", .0.name())]
    Order(SweepOrder),
    /// Momentum with a criterion that does not measure an error.
    #[error("momentum needs a criterion on the residual or the motion; use gauss-seidel or auto with any other")]
    Criterion,
}
