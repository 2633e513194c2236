//! The tree passes, and a false map does not: each test falsifies a copy of the tree in memory, and one finding says so.

use std::path::Path;
use std::sync::LazyLock;
use xtask::tidy::{Tree, check};

static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the workspace");
    Tree::read(root).expect("the tree can be read")
});

/// Asserts that a falsified copy of the tree has a finding in this file that contains these words.
#[track_caller]
fn is_found(falsify: impl FnOnce(&mut Tree), file: &str, words: &str) {
    let mut tree = TREE.clone();
    falsify(&mut tree);
    let findings = check(&tree);
    let found = findings.iter().any(|finding| finding.file == file && finding.what.contains(words));
    assert!(found, "no finding in {file} says \"{words}\"; there are {findings:#?}");
}

/// Appends to a file of the tree.
fn append(tree: &mut Tree, path: &str, text: &str) {
    let old = tree.text(path).unwrap_or_else(|| panic!("no file {path}")).to_owned();
    tree.set(path, old + text);
}

#[test]
fn the_tree_is_as_its_pages_say() {
    let findings: Vec<String> = check(&TREE).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn a_named_file_that_is_gone_is_found() {
    is_found(
        |tree| tree.remove("crates/engine/src/rotation.rs"),
        "ARCHITECTURE.md",
        "`rotation.rs` is not in crates/engine",
    );
    is_found(|tree| append(tree, "docs/laws.md", "\nSee `gone.rs`.\n"), "docs/laws.md", "`gone.rs` names nothing");
}

#[test]
fn a_source_file_that_the_map_leaves_out_is_found() {
    let add = |tree: &mut Tree| tree.set("crates/store/src/forgotten.rs", "//! Nobody knows.\n");
    is_found(add, "ARCHITECTURE.md", "does not name crates/store/src/forgotten.rs");
}

#[test]
fn a_function_that_is_not_where_the_table_of_equations_says_is_found() {
    let rename = |tree: &mut Tree| {
        let text = tree.text("crates/engine/src/rotation.rs").unwrap().replace("turn_freely", "turn_otherwise");
        tree.set("crates/engine/src/rotation.rs", text);
    };
    is_found(rename, "ARCHITECTURE.md", "`turn_freely` is not in the files of its row");
}

#[test]
fn a_cited_section_that_is_not_there_is_found() {
    let file = "crates/measure/src/stress.rs";
    is_found(|tree| tree.replace(file, "docs/method.md §10", "docs/method.md §13"), file, "no section 13");
    is_found(|tree| tree.replace("docs/method.md", "## 10. ", "## "), file, "no section 10");
}

#[test]
fn a_cited_heading_that_is_not_there_is_found() {
    let file = "crates/scene/src/units.rs";
    let cite = |tree: &mut Tree| append(tree, file, "// See docs/method.md,\n// \"Perpetual motion\", for more.\n");
    is_found(cite, file, "no heading \"Perpetual motion\"");
}

#[test]
fn a_page_by_its_former_name_is_found() {
    let file = "crates/scene/src/units.rs";
    is_found(|tree| append(tree, file, "// METHOD.md section 3.\n"), file, "METHOD.md is no page");
}

#[test]
fn a_broken_link_is_found() {
    let link = |to: &'static str| move |tree: &mut Tree| append(tree, "docs/laws.md", to);
    is_found(link("\nSee [this](nowhere.md).\n"), "docs/laws.md", "there is no docs/nowhere.md");
    is_found(link("\nSee [this](method.md#perpetual-motion).\n"), "docs/laws.md", "has no such heading");
}

#[test]
fn a_page_that_the_book_leaves_out_is_found() {
    is_found(|tree| tree.set("docs/secret.md", "# Secret\n"), "docs/SUMMARY.md", "docs/secret.md is not in");
}

#[test]
fn a_dependency_that_the_table_of_crates_does_not_have_is_found() {
    let depend = |tree: &mut Tree| {
        tree.replace("crates/scene/Cargo.toml", "[dependencies]\n", "[dependencies]\nriprap-store.workspace = true\n");
    };
    is_found(depend, "ARCHITECTURE.md", "riprap-scene depends on");
}

#[test]
fn an_import_against_the_order_of_rooms_is_found() {
    let file = "crates/engine/src/loads.rs";
    let import = |text: &'static str| move |tree: &mut Tree| append(tree, file, text);
    is_found(import("use crate::step;\n"), file, "`loads` may not import `step`");
    // Neither by a name that the root of the crate re-exports, nor in a group.
    is_found(import("use crate::{World, cell};\n"), file, "`loads` may not import `world`");
    // Tests may see everything: nothing more is found than without them.
    let mut tree = TREE.clone();
    append(&mut tree, file, "#[cfg(test)]\nmod others { use crate::step; }\n");
    assert_eq!(check(&tree), check(&TREE));
}

#[test]
fn a_room_without_a_layer_is_found() {
    let add = |tree: &mut Tree| tree.set("crates/solve/src/attic.rs", "//! Full of things.\n");
    is_found(add, "ARCHITECTURE.md", "leave out the room `attic`");
}

#[test]
fn a_fused_multiply_add_is_found() {
    let file = "crates/engine/src/rotation.rs";
    is_found(|tree| append(tree, file, "fn f(a: f64) -> f64 { a.mul_add(a, a) }\n"), file, "mul_add");
    let native = |tree: &mut Tree| append(tree, ".cargo/config.toml", "rustflags = [\"-C\", \"target-cpu=native\"]\n");
    is_found(native, ".cargo/config.toml", "target-cpu=native");
}

#[test]
fn mathematics_of_the_platform_is_found_in_physics() {
    let file = "crates/engine/src/rotation.rs";
    let calls = ["a.sin()", "f64::exp(a)", "a.powi(4)", "a.powi(n)", "DQuat::from_rotation_z(a)", "a.hypot(\n a)"];
    for call in calls {
        is_found(|tree| append(tree, file, &format!("fn f() {{ {call} }}\n")), file, "take it from libm");
    }
    let fine = "fn f() { libm::sin(a) + a.sqrt() + a.powi(2) }\n#[cfg(test)]\nmod tests { fn f() { a.sin() } }\n";
    let mut tree = TREE.clone();
    append(&mut tree, file, fine);
    assert_eq!(check(&tree), []);
}

#[test]
fn an_iterated_hash_map_is_found() {
    let file = "crates/store/src/hash.rs";
    let iterate = |tree: &mut Tree| append(tree, file, "fn f(of: &HashMap<u8, u8>) { for _ in of.keys() {} }\n");
    is_found(iterate, file, "the hash map `of` is iterated");
}

#[test]
fn unsafe_code_outside_of_its_folder_is_found() {
    let file = "crates/engine/src/rotation.rs";
    is_found(|tree| append(tree, file, "fn f() { unsafe { g() } }\n"), file, "unsafe");
}

#[test]
fn what_is_out_of_place_is_found() {
    let engine = "crates/engine/src/rotation.rs";
    is_found(|tree| append(tree, engine, "fn f() -> std::time::Instant { g() }\n"), engine, "know nothing of Instant");
    is_found(
        |tree| append(tree, engine, "fn f() -> usize { rayon::current_num_threads() }\n"),
        engine,
        "number of threads",
    );
    let scene = "crates/scene/src/units.rs";
    is_found(|tree| append(tree, scene, "fn f() { println!() }\n"), scene, "a library does not speak");
    // Tests may.
    let mut tree = TREE.clone();
    append(&mut tree, scene, "#[cfg(test)]\nmod others { fn f() { println!() } }\n");
    assert_eq!(check(&tree), check(&TREE));
}

#[test]
fn a_name_with_two_meanings_is_found() {
    let file = "crates/engine/src/zone.rs";
    is_found(|tree| tree.set(file, "pub struct World;\n"), file, "the type World is defined in");
    is_found(|tree| tree.set(file, "const CLOSED: f64 = 17.0;\n"), file, "the constant CLOSED has another value");
}

#[test]
fn loose_ends_are_found() {
    let file = "crates/engine/src/rotation.rs";
    is_found(|tree| append(tree, file, "// TODO: the rest.\n"), file, "TODO");
    is_found(|tree| append(tree, "docs/laws.md", "\nPlasticity *(later)*.\n"), "docs/laws.md", "(later)");
}

#[test]
fn a_command_that_cannot_work_is_found() {
    let tell = |tree: &mut Tree| append(tree, "docs/laws.md", "\nRun `cargo run -p riprap-nothing --example no`.\n");
    is_found(tell, "docs/laws.md", "there is no package riprap-nothing");
    is_found(tell, "docs/laws.md", "there is no example no");
}
