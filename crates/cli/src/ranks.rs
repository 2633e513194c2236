//! Runs by several ranks, processes that `mpiexec` has started (docs/mpi.md): the first one speaks and writes.

use crate::failure::{Exit, Failure};
use riprap_mpi::Joined;
use riprap_run::{PreparedScene, Simulation, refuse_ranks, unequal};
use riprap_solve::Ranks;
use riprap_store::hash_of_bytes;

/// The processes that were started together with this one: none, unless `mpiexec` has started it.
pub struct Team {
    joined: Option<Joined>,
    ranks: Ranks,
}

impl Team {
    /// Joins the others, which must be the same program.
    pub fn find() -> Result<Self, Failure> {
        let joined = riprap_mpi::join().map_err(|error| match riprap_mpi::speaks() {
            true => Failure::new(Exit::RunFailed, error.to_string()),
            // Not even this one may seem to have run.
            false => Failure::new(Exit::RunFailed, ""),
        })?;
        let ranks = joined.as_ref().map_or_else(Ranks::default, Joined::ranks);
        let team = Team { joined, ranks };
        if !team.is_alone() {
            let program = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
            if let Err(failure) = team.same(hash_of_bytes(&program), "runs another program, or another version of it,")
            {
                team.leave();
                return Err(failure);
            }
        }
        Ok(team)
    }

    /// True if there is no other process.
    pub fn is_alone(&self) -> bool {
        self.ranks.is_alone()
    }

    /// True for the process that speaks and writes.
    pub fn is_first(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// The number of threads where the user gives none: one for each of several processes.
    pub fn threads(&self, given: Option<u16>) -> Option<u16> {
        given.or((!self.is_alone()).then_some(1))
    }

    /// Fails if a rank has another number than the first one, and says so.
    fn same(&self, number: u64, what: &str) -> Result<(), Failure> {
        match unequal(&self.ranks, number) {
            Some(rank) if self.is_first() => {
                Err(Failure::new(Exit::BadInput, format!("rank {rank} {what} than rank 0; start all ranks alike")))
            }
            Some(_) => Err(Failure::silent()),
            None => Ok(()),
        }
    }

    /// What this rank has prepared, if all have prepared the same scene.
    pub fn same_scene(&self, prepared: Result<PreparedScene, Failure>) -> Result<PreparedScene, Failure> {
        let prepared = self.agree(prepared)?;
        if !self.is_alone() {
            self.same(hash_of_bytes(prepared.scene.resolved().as_bytes()), "has another scene")?;
            refuse_ranks(&prepared.world).map_err(|error| self.of_all(error.into()))?;
        }
        Ok(prepared)
    }

    /// What this rank has, if the others have it as well. Of those that failed the first one says why.
    fn agree<T>(&self, own: Result<T, Failure>) -> Result<T, Failure> {
        let failed: Vec<bool> =
            self.ranks.gather_each(f64::from(own.is_err())).iter().map(|&failed| failed > 0.0).collect();
        let Some(first) = failed.iter().position(|&failed| failed) else { return own };
        match own {
            Err(failure) if first == self.ranks.rank() => Err(failure),
            Ok(_) if self.is_first() => {
                Err(Failure::new(Exit::RunFailed, format!("rank {first} cannot take part; its own message says why")))
            }
            _ => Err(Failure::silent()),
        }
    }

    /// The simulation of all ranks: `leading` is what the first one does, and `following` what the others do, which read before
    /// the first one writes. `None` if the run is complete.
    pub fn simulation(
        &self,
        leading: impl FnOnce() -> Result<Option<Simulation>, Failure>,
        following: impl FnOnce() -> Result<Option<Simulation>, Failure>,
    ) -> Result<Option<Simulation>, Failure> {
        if self.is_alone() {
            return leading();
        }
        let followed = self.agree(if self.is_first() { Ok(None) } else { following() })?;
        let own = self.agree(if self.is_first() { leading() } else { Ok(followed) })?;
        self.same(u64::from(own.is_some()), "sees another run in the folder")?;
        let joined = own.map(|mut simulation| simulation.join(&self.ranks).map(|()| simulation)).transpose();
        joined.map_err(|error| self.of_all(error.into()))
    }

    /// A failure that all ranks have: the first one tells it.
    pub fn of_all(&self, failure: Failure) -> Failure {
        if self.is_first() { failure } else { Failure::silent() }
    }

    /// Takes leave of the others, once all are ready to.
    pub fn leave(self) {
        if let Some(joined) = self.joined {
            joined.leave();
        }
    }
}
