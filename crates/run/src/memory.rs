//! How much memory a run takes, and how much there is.

use crate::error::RunError;
use crate::words::three_digits;
use riprap_scene::GrainCount;
use std::path::Path;
use std::{env, fs};

/// Bytes of a run per grain in a dense packing, in 2D and 3D: most of it is for contacts, of which angular grains have several to
/// each neighbour. How they were measured is in docs/command.md, "Memory".
const BYTES_PER_BALL: [f64; 2] = [5000.0, 10_000.0];
const BYTES_PER_ANGULAR: [f64; 2] = [13_000.0, 40_000.0];
/// Cells of a broken box touch each of some fifteen neighbours in space with a whole face.
const BYTES_PER_CELL: [f64; 2] = [13_000.0, 120_000.0];
/// Bytes of a run with a few grains.
const BASE: f64 = 15e6;
/// The variable that says how much memory there is, in place of the system.
const VARIABLE: &str = "RIPRAP_MEMORY";
/// The variable that says how much room there is on the disk, in place of the system.
pub(crate) const AMOUNT_OF_DISK: &str = "RIPRAP_DISK";

/// The memory that a run with so many grains takes when they are densely packed, in bytes: an estimate.
pub fn memory_estimate(grains: GrainCount, dimension: usize) -> f64 {
    let of_dimension = dimension - 2;
    let GrainCount { balls, cells, angular } = grains;
    let [per_ball, per_cell, per_angular] =
        [BYTES_PER_BALL, BYTES_PER_CELL, BYTES_PER_ANGULAR].map(|bytes| bytes[of_dimension]);
    BASE + balls * per_ball + cells * per_cell + angular * per_angular
}

/// An amount of memory as people write it.
pub fn memory_in_words(bytes: f64) -> String {
    let (unit, factor) = UNITS.into_iter().rev().find(|(_, factor)| bytes >= *factor).unwrap_or(UNITS[0]);
    format!("{} {unit}", three_digits(bytes / factor))
}

/// Refuses so many grains if they would take more memory than there is.
pub(crate) fn check_memory(grains: GrainCount, dimension: usize) -> Result<(), RunError> {
    let there_is = amount_of(VARIABLE)?.or_else(system_memory);
    refuse_above(there_is, grains, dimension)
}

/// The amount that a variable of the environment says, if it is set.
pub(crate) fn amount_of(name: &'static str) -> Result<Option<f64>, RunError> {
    match env::var(name) {
        Ok(text) => amount(&text).map(Some).ok_or(RunError::Variable { name, text }),
        Err(_) => Ok(None),
    }
}

fn refuse_above(there_is: Option<f64>, grains: GrainCount, dimension: usize) -> Result<(), RunError> {
    let needed = memory_estimate(grains, dimension);
    match there_is {
        Some(there_is) if needed > there_is => Err(RunError::TooLarge { grains: grains.all(), needed, there_is }),
        _ => Ok(()),
    }
}

const UNITS: [(&str, f64); 5] = [("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)];

/// The bytes of an amount such as "64 GB"; without a unit, the number is one of bytes.
fn amount(text: &str) -> Option<f64> {
    let digits = text.trim().trim_end_matches(char::is_alphabetic);
    let unit = text.trim()[digits.len()..].to_lowercase();
    let factor = if unit.is_empty() { 1.0 } else { UNITS.iter().find(|(name, _)| name.to_lowercase() == unit)?.1 };
    digits.trim().parse().ok().map(|number: f64| number * factor).filter(|bytes| *bytes >= 0.0)
}

/// The memory that this process may use at most: that of the machine, of its control groups (a container or a job of a cluster)
/// and of its own limit, whichever is least. None where the system does not say.
fn system_memory() -> Option<f64> {
    let limits = [memory_below(Path::new("/")), address_space()];
    limits.into_iter().flatten().reduce(f64::min)
}

/// The memory of a Linux whose files are below `root`.
fn memory_below(root: &Path) -> Option<f64> {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| {
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        amount(total)
    });
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().flat_map(|line| {
        // Both versions of control groups: "4:memory:/job/7" and "0::/job/7".
        let mut parts = line.splitn(3, ':').skip(1);
        match [parts.next(), parts.next()] {
            [Some(""), Some(group)] => limits_of(&root.join("sys/fs/cgroup"), group, "memory.max"),
            [Some(kinds), Some(group)] if kinds.split(',').any(|kind| kind == "memory") => {
                limits_of(&root.join("sys/fs/cgroup/memory"), group, "memory.limit_in_bytes")
            }
            _ => Vec::new(),
        }
    });
    limits.chain(machine).reduce(f64::min)
}

/// The limits of a control group and of those that it is part of. In a container its name may be one of outside, where the limit
/// is that of the topmost group to be seen.
fn limits_of(mount: &Path, group: &str, file: &str) -> Vec<f64> {
    let group = Path::new(group.trim_start_matches('/'));
    let limit = |part: &Path| amount(&fs::read_to_string(mount.join(part).join(file)).ok()?);
    group.ancestors().filter_map(limit).collect()
}

#[cfg(unix)]
fn address_space() -> Option<f64> {
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
    let (limit, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    (limit != RLIM_INFINITY).then_some(limit as f64)
}

#[cfg(not(unix))]
fn address_space() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory_are_read_and_written() {
        assert_eq!(amount("64 GB"), Some(64e9));
        assert_eq!(amount(" 24684100 kB"), Some(24_684_100e3));
        assert_eq!((amount("1e9"), amount("512mb"), amount("max"), amount("")), (Some(1e9), Some(512e6), None, None));
        assert_eq!((amount("-1 GB"), amount("nan"), amount("3 GiB")), (None, None, None));
        assert_eq!((memory_in_words(1.1e10), memory_in_words(3.0)), ("11.0 GB".into(), "3.00 B".into()));
    }

    #[test]
    fn a_scene_that_needs_more_than_there_is_is_refused_with_numbers() {
        let grains = GrainCount { balls: 1e6, ..GrainCount::default() };
        let needed = memory_estimate(grains, 3);
        assert!(refuse_above(Some(needed), grains, 3).is_ok() && refuse_above(None, grains, 3).is_ok());
        let error = refuse_above(Some(0.5 * needed), grains, 3).unwrap_err().to_string();
        for words in ["1000000 grains", &memory_in_words(needed), &memory_in_words(0.5 * needed), VARIABLE] {
            assert!(error.contains(words), "{error}");
        }
        // Fewer grains fit.
        assert!(refuse_above(Some(0.5 * needed), GrainCount { balls: 4e5, ..GrainCount::default() }, 3).is_ok());
    }

    #[test]
    fn cells_that_touch_everywhere_are_estimated_for_themselves() {
        // 2,000 cells in space took 117 kB each, measured as `peak_rss_bytes`; loose polyhedra a third of it.
        let text = "dimension = 3\n[materials.a]\ndensity = 1\nfriction = 0.5\n[[grains]]\nsample = \"voronoi\"\ncount = 2000\n\
                    region = { box = { lower = [0, 0, 0], upper = [1, 1, 1] } }\n[[stages]]\nname = \"a\"\nend = { steps = 1 }\n";
        let scene = riprap_scene::load(text, "cells.toml", &[]).unwrap_or_else(|faults| panic!("{faults}"));
        let grains = scene.most_grains();
        assert_eq!(grains, GrainCount { cells: 2000.0, ..GrainCount::default() });
        assert!(memory_estimate(grains, 3) > 2000.0 * 117e3);
        assert!(memory_estimate(GrainCount { angular: 2000.0, ..GrainCount::default() }, 3) < 1000.0 * 117e3);
    }

    #[test]
    fn the_least_of_all_limits_counts() {
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(memory_below(root.path()), None);
        put("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:        1 kB\n");
        assert_eq!(memory_below(root.path()), Some(16e9));
        // The newer control groups: that of the job says nothing, the one around it does.
        put("proc/self/cgroup", "0::/slice/job\n");
        put("sys/fs/cgroup/slice/job/memory.max", "max\n");
        put("sys/fs/cgroup/slice/memory.max", "8000000000\n");
        assert_eq!(memory_below(root.path()), Some(8e9));
        // The older ones, in a container that does not see its own name.
        put("proc/self/cgroup", "5:cpu,memory:/docker/abc\n1:pids:/docker/abc\n");
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000000\n");
        assert_eq!(memory_below(root.path()), Some(4e9));
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(memory_below(root.path()), Some(16e9));
    }
}
