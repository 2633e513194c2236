//! Names of parameters and of runs.

use super::StudyValue;

/// The shortest name of each key that tells it from the others: its last parts, one or more. The number of a list's entry is
/// no name, and the words for cases and seeds are taken.
pub fn labels(keys: &[&str]) -> Vec<String> {
    let tail = |key: &str, parts: usize| {
        let all: Vec<&str> = key.split('.').collect();
        all[all.len().saturating_sub(parts)..].join(".")
    };
    let is_name = |label: &str| {
        let first = label.split('.').next().unwrap_or_default();
        first.parse::<usize>().is_err() && label != super::CASE && label != super::SEED
    };
    keys.iter()
        .map(|key| {
            let parts = key.split('.').count();
            let is_clear = |count: &usize| {
                let label = tail(key, *count);
                is_name(&label) && keys.iter().filter(|other| tail(other, *count) == label).count() == 1
            };
            tail(key, (1..=parts).find(is_clear).unwrap_or(parts))
        })
        .collect()
}

/// The name of a run, which is that of its folder: `friction=0.3,seed=2`.
pub fn run_name(parameters: &[(String, StudyValue)]) -> String {
    let part = |(label, value): &(String, StudyValue)| format!("{}={}", for_path(label), for_path(&value.text));
    parameters.iter().map(part).collect::<Vec<_>>().join(",")
}

/// True of a text that can be the name of a run: it names a folder in that of the study and none elsewhere, and needs no quotes
/// in a shell.
pub fn is_run_name(text: &str) -> bool {
    text.contains('=') && text.chars().all(|c| is_plain(c) || "=,".contains(c))
}

/// A text as part of a file name that needs no quotes in a shell.
fn for_path(text: &str) -> String {
    let spaceless = text.chars().filter(|c| !c.is_whitespace());
    let plain = spaceless.map(|c| if is_plain(c) { c } else { '_' });
    plain.collect::<String>().trim_matches('_').to_owned()
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "._+-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_different() {
        let keys = ["grains.0.count", "grains.1.count", "solver.time_step", "stages.0.end.time", "walls.2"];
        assert_eq!(labels(&keys), ["grains.0.count", "grains.1.count", "time_step", "time", "walls.2"]);
        assert_eq!(labels(&["seed"]), ["seed"]);
    }

    #[test]
    fn names_of_runs_are_plain() {
        let parameters = [
            ("criterion".to_owned(), StudyValue::text("{ residual = 1e-3 }")),
            ("angle".to_owned(), StudyValue::text("-5 deg")),
            ("a/b".to_owned(), StudyValue::text("../x y")),
        ];
        assert_eq!(run_name(&parameters), "criterion=residual_1e-3,angle=-5deg,a_b=.._xy");
        assert!(is_run_name(&run_name(&parameters)));
        for other in ["", "..", "../x=1", "/etc/x=1", "x=1/..", "x=1 y", "x='1'", "x=1\n", "x=$(y)", "x=\u{1b}[2J"] {
            assert!(!is_run_name(other), "{other:?}");
        }
    }
}
