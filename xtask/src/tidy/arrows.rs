//! Which crate depends on which, and which room of a crate imports which: the tables of ARCHITECTURE.md against manifests
//! and imports.

use super::map::MAP;
use super::markdown::{cells, code_spans, prose};
use super::rust::{line_of, words};
use super::{Finding, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Reports dependencies and imports that the tables do not allow, and tables that say more than there is.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = dependencies(tree);
    findings.extend(rooms(tree));
    findings
}

/// A package of the workspace.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder; empty for the one at the root.
    pub folder: String,
    /// The packages of the workspace that it depends on, tests aside.
    pub depends_on: BTreeSet<String>,
}

/// The packages of the workspace. A manifest that cannot be read is left out.
pub fn packages(tree: &Tree) -> Vec<Package> {
    let mut found = Vec::new();
    for (path, text) in tree.ending("Cargo.toml") {
        let Ok(manifest) = text.parse::<toml::Table>() else { continue };
        let Some(name) = manifest.get("package").and_then(|package| package.get("name")?.as_str()) else { continue };
        let tables = ["dependencies", "build-dependencies"].into_iter().filter_map(|key| manifest.get(key)?.as_table());
        let depends_on =
            tables.flat_map(|table| table.keys()).filter(|key| key.starts_with("riprap")).cloned().collect();
        let folder = path.trim_end_matches("Cargo.toml").trim_end_matches('/').to_owned();
        found.push(Package { name: name.to_owned(), folder, depends_on });
    }
    found
}

fn short(name: &str) -> &str {
    name.strip_prefix("riprap-").unwrap_or(name)
}

/// The table of ARCHITECTURE.md whose first line is `| crate | depends on |` says for every package which others it uses.
fn dependencies(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut allowed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut in_table = false;
    for (_, line) in prose(tree.text(MAP).unwrap_or_default()) {
        match cells(line) {
            Some(cells) if cells[..2.min(cells.len())] == ["crate", "depends on"] => in_table = true,
            Some(cells) if in_table => {
                if let Some(name) = code_spans(cells[0]).next() {
                    allowed.insert(name, code_spans(cells[1]).collect());
                }
            }
            _ => in_table = false,
        }
    }
    for Package { name, depends_on, .. } in &packages(tree) {
        let found: BTreeSet<&str> = depends_on.iter().map(|name| short(name)).collect();
        match allowed.remove(short(name)) {
            Some(stated) if stated == found => {}
            Some(stated) => findings.push(Finding::new(
                MAP,
                0,
                format!("{name} depends on {found:?}, and the table of crates says {stated:?}"),
            )),
            None => findings.push(Finding::new(MAP, 0, format!("the table of crates has no row for {name}"))),
        }
    }
    findings.extend(
        allowed.keys().map(|name| Finding::new(MAP, 0, format!("the table of crates has `{name}`, which is none"))),
    );
    findings
}

/// A table of ARCHITECTURE.md whose first line is ``| layer of `engine` | rooms |`` orders the rooms of that crate: each
/// may import those of the layers above its own, so there can be no cycle.
fn rooms(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut layers: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut current: Option<(String, usize)> = None;
    for (_, line) in prose(tree.text(MAP).unwrap_or_default()) {
        let Some(cells) = cells(line).filter(|cells| cells.len() == 2) else {
            current = None;
            continue;
        };
        if let Some(name) = cells[0].strip_prefix("layer of ") {
            current = code_spans(name).next().map(|name| (name.to_owned(), 0));
        } else if let Some((name, layer)) = &mut current {
            *layer += 1;
            let rooms = layers.entry(name.clone()).or_default();
            rooms.extend(code_spans(cells[1]).map(|room| (room.to_owned(), *layer)));
        }
    }
    for needed in ["solve", "engine"] {
        if !layers.contains_key(needed) {
            findings.push(Finding::new(MAP, 0, format!("there is no table of the rooms of {needed}")));
        }
    }
    for (name, layers) in &layers {
        rooms_of(tree, &format!("crates/{name}/src/"), layers, &mut findings);
    }
    findings
}

fn rooms_of(tree: &Tree, source: &str, layers: &BTreeMap<String, usize>, findings: &mut Vec<Finding>) {
    let files = || tree.sources(source);
    let room_of = |path: &str| path[source.len()..].split(['/', '.']).next().unwrap_or_default().to_owned();
    let rooms: BTreeSet<String> = files().map(|(path, _)| room_of(path)).filter(|room| room != "lib").collect();
    for room in rooms.iter().filter(|room| !layers.contains_key(*room)) {
        findings.push(Finding::new(MAP, 0, format!("the layers of {source} leave out the room `{room}`")));
    }
    for room in layers.keys().filter(|room| !rooms.contains(*room)) {
        findings.push(Finding::new(MAP, 0, format!("the layers of {source} have a room `{room}`, which is none")));
    }
    let library = format!("{source}lib.rs");
    let reexported = files().find(|(path, _)| *path == library).map(|(_, file)| reexports(&file.product, &rooms));
    let reexported = reexported.unwrap_or_default();
    for (path, file) in files() {
        let room = room_of(path);
        if room == "lib" || path.ends_with("/tests.rs") || path.contains("/tests/") {
            continue;
        }
        for (line, name) in imports(&file.product) {
            let imported = if rooms.contains(&name) { Some(&name) } else { reexported.get(&name) };
            let Some(imported) = imported.filter(|&imported| *imported != room) else { continue };
            if layers.get(imported) >= layers.get(&room) {
                findings.push(Finding::new(
                    path,
                    line,
                    format!("`{room}` may not import `{imported}`: it is no layer above"),
                ));
            }
        }
    }
}

/// What the crate's root re-exports, and from which room.
fn reexports(code: &str, rooms: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (at, _) in code.match_indices("use ") {
        let statement = &code[at + 4..at + code[at..].find(';').unwrap_or(4)];
        let names: Vec<&str> = words(statement).map(|(_, word)| word).filter(|word| *word != "crate").collect();
        if let Some(room) = names.first().filter(|room| rooms.contains(**room)) {
            found.extend(names.iter().skip(1).map(|name| ((*name).to_owned(), (*room).to_owned())));
        }
    }
    found
}

/// The first names after `crate::` in a code, with their lines; those of a group in braces too.
fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let line = line_of(code, at);
        let rest = &code[at + path.len()..];
        let mut add = |text: &str| {
            if let Some((_, name)) = words(text).next() {
                found.push((line, name.to_owned()));
            }
        };
        match rest.strip_prefix('{') {
            None => add(rest),
            Some(group) => group_members(group).into_iter().for_each(&mut add),
        }
    }
    found
}

/// The members of a group up to the brace that closes it.
fn group_members(group: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0, 0);
    let mut members = Vec::new();
    for (at, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => {
                members.push(&group[start..at]);
                break;
            }
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                members.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_in_groups_and_in_paths() {
        let code = "use crate::{a::{B, C}, d};\nfn f(x: crate::e::E) {}\nuse other_crate::g;\n";
        let names: Vec<String> = imports(code).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["a", "d", "e"]);
    }
}
