//! What may not stand in the code or on the pages.

use super::rust::{Source, line_of, words};
use super::{Finding, Tree};

/// Words that would make results depend on the machine.
const NOT_IN_CODE: [&str; 6] = ["mul_add", "fmaf64", "fmaf32", "fadd_fast", "fmul_fast", "fdiv_fast"];
/// Functions that every platform rounds in its own way, of numbers and of `glam`: the physics takes them from `libm`.
/// Square roots are exact everywhere.
const OF_THE_PLATFORM: [&str; 32] = [
    "sin",
    "cos",
    "tan",
    "sin_cos",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "exp_m1",
    "ln",
    "ln_1p",
    "log",
    "log2",
    "log10",
    "powf",
    "hypot",
    "cbrt",
    "from_angle",
    "from_axis_angle",
    "from_scaled_axis",
    "from_rotation_x",
    "from_rotation_y",
    "from_rotation_z",
    "slerp",
];
/// Crates whose numbers get into the state of a run.
const PHYSICS: [&str; 3] = ["crates/solve/src/", "crates/engine/src/", "crates/scene/src/"];
/// The same in manifests, scripts and settings of the compiler.
const NOT_IN_SETTINGS: [&str; 3] = ["fast-math", "target-feature=+fma", "target-cpu=native"];
/// Loose ends.
const LOOSE_IN_CODE: [&str; 4] = ["todo", "unimplemented", "dbg", "TODO"];
const LOOSE_IN_TEXT: [&str; 4] = ["TODO", "FIXME", "XXX", "(later)"];
/// The one folder and the one file that may use `unsafe`.
const UNSAFE: [&str; 2] = ["crates/solve/src/sweep/", "crates/mpi/src/library.rs"];
/// The only files of solver and engine that may ask for the number of threads.
const THREADS: [&str; 2] = ["crates/solve/src/sweep/phases.rs", "crates/engine/src/md/loops.rs"];
/// Solver and engine know no files, clocks and serialization, and no numbers of half the length.
const NOT_IN_PHYSICS: [&str; 6] = ["fs", "Instant", "SystemTime", "serde", "Serialize", "f32"];
/// Libraries print nothing, handle no signals and end no process.
const NOT_IN_LIBRARIES: [&str; 7] = ["println", "eprintln", "print", "eprint", "ctrlc", "signal_hook", "exit"];

/// Reports what may not be there.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    // These rules name what they look for.
    for (path, source) in tree.sources("").filter(|(path, _)| !path.starts_with("xtask/")) {
        rust(path, source, &mut findings);
    }
    for (path, text) in tree.files() {
        if path.ends_with(".md") {
            forbid(path, text, &LOOSE_IN_TEXT, &mut findings);
        } else if path.ends_with(".toml") || path.ends_with(".sh") || path.starts_with(".c") {
            forbid(path, text, &NOT_IN_SETTINGS, &mut findings);
        }
    }
    findings
}

fn forbid(path: &str, text: &str, forbidden: &[&str], findings: &mut Vec<Finding>) {
    for word in forbidden {
        for (at, _) in text.match_indices(word) {
            findings.push(Finding::new(path, line_of(text, at), format!("{word} may not stand here")));
        }
    }
}

fn rust(path: &str, source: &Source, findings: &mut Vec<Finding>) {
    forbid(path, &source.comments, &LOOSE_IN_TEXT, findings);
    for (line, word) in words(&source.code) {
        if NOT_IN_CODE.contains(&word) {
            findings.push(Finding::new(
                path,
                line,
                format!("{word}: no fused multiply-add, and no arithmetic that may vary"),
            ));
        }
        if LOOSE_IN_CODE.contains(&word) && source.code.contains(&format!("{word}!")) {
            findings.push(Finding::new(path, line, format!("{word}! may not stand here")));
        }
        if word == "unsafe" && !UNSAFE.iter().any(|place| path.starts_with(place)) {
            findings.push(Finding::new(path, line, format!("unsafe is for {} alone", UNSAFE.join(" and "))));
        }
    }
    if path.starts_with("src/") || path.contains("/src/") {
        iterated_maps(path, &source.product, findings);
        out_of_place(path, &source.product, findings);
    }
    if PHYSICS.iter().any(|folder| path.starts_with(folder)) && !path.ends_with("/tests.rs") {
        of_the_platform(path, &source.product, findings);
    }
}

/// Calls of functions whose last bit depends on the platform. A power with a whole exponent does so too, since the order of
/// multiplications is the compiler's; squares and cubes have but one.
fn of_the_platform(path: &str, code: &str, findings: &mut Vec<Finding>) {
    let calls = code.match_indices('(').filter_map(|(at, _)| {
        let name = code[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        let owner = &code[..at - name.len()];
        let ours =
            owner.ends_with('.') || ["f64::", "f32::", "DQuat::", "DVec2::"].iter().any(|of| owner.ends_with(of));
        ours.then_some((at, name))
    });
    for (at, name) in calls {
        let power = name == "powi" && !["2)", "3)"].iter().any(|exponent| code[at + 1..].starts_with(exponent));
        if power || OF_THE_PLATFORM.contains(&name) {
            let what = format!("{name}: the platform rounds it in its own way; take it from libm");
            findings.push(Finding::new(path, line_of(code, at), what));
        }
    }
}

/// What the physics, and what libraries, have nothing to do with.
fn out_of_place(path: &str, code: &str, findings: &mut Vec<Finding>) {
    let is_physics = path.starts_with("crates/solve/") || path.starts_with("crates/engine/");
    let is_library = !path.starts_with("crates/cli/") && !path.starts_with("crates/fuzz/");
    for (line, word) in words(code) {
        if is_physics && NOT_IN_PHYSICS.contains(&word) {
            findings.push(Finding::new(path, line, format!("solver and engine know nothing of {word}")));
        }
        if is_physics && word == "current_num_threads" && !THREADS.contains(&path) {
            findings.push(Finding::new(path, line, "the number of threads is asked for elsewhere"));
        }
        if is_library && NOT_IN_LIBRARIES.contains(&word) {
            findings.push(Finding::new(path, line, format!("{word}: a library does not speak or end the process")));
        }
    }
}

/// Hash maps may be looked up, never iterated: their order is chance. A map is known by the type that its declaration
/// states or makes: a field in the whole file, a variable within the item at the margin in which it is declared.
fn iterated_maps(path: &str, code: &str, findings: &mut Vec<Finding>) {
    for (item_start, item) in items(code) {
        for (name, is_field) in maps_declared(item) {
            let (start, scope) = if is_field { (0, code) } else { (item_start, item) };
            for (at, _) in scope.match_indices(name) {
                if is_iterated(&scope[..at], &scope[at + name.len()..]) {
                    let line = line_of(code, start + at);
                    findings.push(Finding::new(path, line, format!("the hash map `{name}` is iterated")));
                }
            }
        }
    }
}

/// The items at the margin, with where they begin.
fn items(code: &str) -> Vec<(usize, &str)> {
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    for line in code.split_inclusive('\n') {
        at += line.len();
        if line.starts_with('}') || line.ends_with(";\n") && !line.starts_with(' ') {
            found.push((start, &code[start..at]));
            start = at;
        }
    }
    found.push((start, &code[start..]));
    found
}

/// The hash maps that an item declares, and whether they are fields.
fn maps_declared(item: &str) -> Vec<(&str, bool)> {
    let is_struct = words(item).any(|(_, word)| word == "struct");
    let mut found = Vec::new();
    let kinds = ["HashMap", "HashSet"].into_iter().flat_map(|kind| item.match_indices(kind));
    for (at, _) in kinds {
        let kind_start = item[..at].trim_end_matches("Fx").len();
        let before = item[..kind_start].trim_end().trim_end_matches("&mut").trim_end_matches('&').trim_end();
        let Some(declared) = before.strip_suffix(':').or_else(|| before.strip_suffix('=')) else { continue };
        let Some((_, name)) = words(declared.lines().last().unwrap_or_default()).last() else { continue };
        found.push((name, is_struct));
    }
    found
}

/// True if what follows a name goes through all of it, or what comes before does.
fn is_iterated(before: &str, after: &str) -> bool {
    const CALLS: [&str; 8] =
        [".iter()", ".iter_mut()", ".keys()", ".values()", ".values_mut()", ".into_iter()", ".drain()", ".retain("];
    let whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let owner = before.trim_end_matches("self.").trim_end_matches("&mut ").trim_end_matches('&');
    whole && (CALLS.iter().any(|call| after.starts_with(call)) || owner.ends_with(" in ") && after.starts_with(" {"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterating_a_hash_map_is_found() {
        let mut findings = Vec::new();
        let code = "struct A { known: HashMap<u64, u32> }\nfn f(a: &A) { a.known.get(&1); for x in a.known.values() {} }\n\
                    fn g() { let mut of = FxHashMap::default(); of.insert(1, 2); for (k, v) in &of {} }\n";
        iterated_maps("x.rs", code, &mut findings);
        let found: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
        assert_eq!(found, [2, 3], "{findings:?}");
    }
}
