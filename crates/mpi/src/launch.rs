//! What the environment says about how this process was started, and where the library of MPI may be.

use crate::VARIABLE;
use std::path::Path;

/// A start together with other processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Which of the processes this is.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
    /// Names and paths of libraries, to be tried in this order.
    pub libraries: Vec<String>,
}

/// Who starts processes: the variables that say which of how many this is, and the libraries that fit, best first.
const LAUNCHERS: [(&str, &str, &[&str]); 4] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", &OPEN_MPI),
    ("PMI_RANK", "PMI_SIZE", &MPICH),
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS", &OPEN_MPI),
    ("PMIX_RANK", "SLURM_NTASKS", &OPEN_MPI),
];
const OPEN_MPI: [&str; 2] = ["libmpi.so.40", "libmpi_abi.so.1"];
/// Debian calls that of MPICH `libmpich.so.12`.
const MPICH: [&str; 3] = ["libmpi_abi.so.1", "libmpi.so.12", "libmpich.so.12"];

impl Launch {
    /// How this process was started; `None` if it is alone. `variable` looks into the environment.
    pub fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
        let found =
            |&(rank, size, names): &(&str, &str, &'static [&'static str])| Some((number(rank)?, number(size)?, names));
        let (rank, size, names) = LAUNCHERS.iter().find_map(found)?;
        let chosen = variable(VARIABLE).filter(|chosen| !chosen.is_empty());
        if size < 2 || chosen.as_deref() == Some("none") {
            return None;
        }
        let libraries =
            chosen.map_or_else(|| candidates(names, &variable("PATH").unwrap_or_default()), |path| vec![path]);
        Some(Launch { rank, size, libraries })
    }
}

/// Beside the launcher, as in an environment of conda or Python, then wherever the system looks.
fn candidates(names: &[&str], path: &str) -> Vec<String> {
    let is_launcher = |folder: &&Path| folder.join("mpiexec").exists();
    let launcher = path.split(':').filter(|folder| !folder.is_empty()).map(Path::new).find(is_launcher);
    let beside = launcher.and_then(Path::parent).map(|prefix| prefix.join("lib"));
    let beside = beside.iter().flat_map(|lib| names.iter().map(|name| lib.join(name)));
    let beside = beside.filter(|file| file.exists()).map(|file| file.display().to_string());
    beside.chain(names.iter().map(|&name| name.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Option<Launch> {
        Launch::of(&|name| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_process_that_was_started_alone_looks_for_nothing() {
        assert_eq!(launch(&[]), None);
        assert_eq!(launch(&[("PATH", "/usr/bin"), ("SLURM_NTASKS", "4")]), None);
        assert_eq!(launch(&[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")]), None);
        assert_eq!(launch(&[("PMI_RANK", "0"), ("PMI_SIZE", "4"), (VARIABLE, "none")]), None);
    }

    #[test]
    fn each_launcher_gets_its_library() {
        let open = launch(&[("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "3")]).unwrap();
        assert_eq!((open.rank, open.size, open.libraries[0].as_str()), (3, 4, "libmpi.so.40"));
        let mpich = launch(&[("PMI_RANK", "1"), ("PMI_SIZE", "2")]).unwrap();
        assert_eq!((mpich.rank, mpich.size, mpich.libraries), (1, 2, MPICH.map(str::to_owned).to_vec()));
        let chosen = launch(&[("PMI_RANK", "1"), ("PMI_SIZE", "2"), (VARIABLE, "/opt/mpi/libmpi.so")]).unwrap();
        assert_eq!(chosen.libraries, ["/opt/mpi/libmpi.so"]);
        assert_eq!(launch(&[("PMIX_RANK", "1"), ("SLURM_NTASKS", "8")]).unwrap().size, 8);
    }
}
