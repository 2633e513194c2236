//! The reference of the format, written from its description.

use crate::defaults::{
    IDLE_STEP, STEP_LIMIT, STEP_OVER_FALL, STEP_OVER_RADIUS, STEP_OVER_RADIUS_IMPOSED, STEP_OVER_RANGE, STEP_STRAIN,
    STEP_STRAIN_IMPOSED, STEPS_PER_PERIOD, STEPS_PER_SWING,
};
use crate::format::{Key, Kind, Need, Only, ROOT, Section, Variant};
use crate::units::{Quantity, UNITS};
use std::fmt::Write;

/// The reference of all sections and keys, in Markdown; `docs/scene.md` holds it.
pub fn reference() -> String {
    let mut text = String::from(INTRODUCTION);
    text.push_str("\n| quantity | units |\n|---|---|\n");
    for (quantity, units) in UNITS {
        let _ = writeln!(
            text,
            "| {quantity} | {} |",
            units.split(' ').map(|u| format!("`{u}`")).collect::<Vec<_>>().join(" ")
        );
    }
    text.push_str(FUNCTIONS);
    let _ = writeln!(
        text,
        "\n## Time step and other defaults\n\n\
         Settings that the scene leaves open are chosen once the grains are known. `riprap check` and `riprap run` print \
         them, and the resolved scene in the run folder contains them with the reason for each. The time step is the \
         smallest of\n\n\
         * the time in which the fastest expected motion covers {STEP_OVER_RADIUS} of the smallest radius; this motion is \
         either a fall from the highest grain to the plane or drum below (from the initial speed, including loads), or \
         the speed that a wall gains under its force or pressure before it meets the grains;\n\
         * the time in which the fastest imposed velocity of a driver covers {STEP_OVER_RADIUS_IMPOSED} of the smallest \
         radius;\n\
         * {STEP_OVER_FALL} of √(d/g), the time in which the smallest grain falls half its diameter;\n\
         * for a deforming cell, the time in which it strains by {STEP_STRAIN_IMPOSED} at an imposed rate, or by \
         {STEP_STRAIN} at the rate expected under a pressure;\n\
         * with cohesion over a range d_C, the time in which two of the lightest grains separate by {STEP_OVER_RANGE} d_C \
         at √(2 F_C d_C/m*), the largest speed that cohesion can stop; the work of opening a contact then has a relative \
         error of {STEP_OVER_RANGE} at worst, and of 0.01 for grains that separate ten times more slowly;\n\
         * with springs between grains or membranes with a stiffness, 1/{STEPS_PER_SWING} of the period of the lightest \
         grain on the stiffest of them, 2π √(m/2Σk) (molecular dynamics has its own, shorter steps);\n\
         * 1/{STEPS_PER_PERIOD} of the period of the fastest sine.\n\n\
         If none of these applies, the time step is {IDLE_STEP} s. The scheme with gap detects contacts before they \
         close, so the step need not resolve impacts, but results depend on how much happens in a step \
         (docs/time-step.md). A step is therefore halved, up to `solver.halvings` times, while grains move against each \
         other: as long as contacts would move farther in it than `solver.motion_per_step`, judged by their velocities at \
         the end of the last step. In a halved step, the error of the criterion of motion may be 1.5 times as large. \
         Packings at rest take whole steps. The length of each step is `time_step_s` in `series.csv`. At the \
         default, against molecular dynamics with stiff grains, a deposit of 1,000 spheres with a friction of 0.5 is as dense to \
         0.02 ± 0.19 %, and friction's share of the dissipation is 3.6 ± 0.4 % too small (4,000 spheres: 0.26 ± 0.03 % \
         too dense, 3.3 ± 0.2 % too small); against steps nine times shorter, the friction of plane shear at an inertial \
         number of 0.1 is the same to 0.1 ± 0.7 % and its solid fraction to 0.03 ± 0.12 %. A single block that \
         falls onto its base needs a thirtieth of the default step (docs/time-step.md). A stage that might never end (one that ends by \
         strain, energy or force balance, without `time` or `steps`) ends after {STEP_LIMIT} steps."
    );
    let mut parts: Vec<Part> = vec![Part::Section(&ROOT)];
    let mut inner = Inner::default();
    let mut done: Vec<&'static str> = Vec::new();
    while !parts.is_empty() {
        let part = parts.remove(0);
        match part {
            Part::Section(section) if done.contains(&section.title) => continue,
            Part::Section(section) => {
                done.push(section.title);
                write_section(&mut text, section, &mut inner);
            }
            Part::Choice(title, keys) => {
                let _ = write!(text, "\n### `{title}`\n\nA table with exactly one of these keys.\n");
                write_keys(&mut text, keys.iter(), &mut inner);
            }
        }
        // The parts of a section follow it at once.
        parts.splice(0..0, std::mem::take(&mut inner.parts));
    }
    text
}

/// A part of the page.
enum Part {
    Section(&'static Section),
    /// A table with one of several keys, under the name of the key that it was first met at, with its section in front if
    /// another table stands under that name.
    Choice(String, &'static [Key]),
}

/// What the values of a section are made of.
#[derive(Default)]
struct Inner {
    /// Parts that are to follow the section.
    parts: Vec<Part>,
    /// The tables with one of several keys that stand on the page, with their titles.
    choices: Vec<(String, &'static [Key])>,
    /// The sections that stand on the page, the one that is being written last.
    written: Vec<&'static Section>,
}

/// A table with so many keys to choose from stands once, and is linked.
const SHARED: usize = 3;
/// So many keys at the end of a section that are those of another stand once, there.
const SHARED_KEYS: usize = 8;

/// The link to a heading of the page.
fn link(title: &str) -> String {
    let letters = title.to_lowercase().replace(' ', "-");
    let anchor: String = letters.chars().filter(|&c| c.is_alphanumeric() || "_-".contains(c)).collect();
    format!("[`{title}`](#{anchor})")
}

const INTRODUCTION: &str = "\
# The scene reference

<!-- Generated by `cargo run -p riprap-scene --example reference`; a test checks that it is up to date. -->

A scene is a TOML file that describes the grains and walls, their materials, what moves, and the stages of the run. The
scenes in the folder `scenes` are good starting points; `riprap new NAME` copies one of them. All errors in a scene are
reported at once, before the simulation starts. Every key can also be set on the command line, as in
`--set stages.0.end.time=\"2 s\"`; list entries are numbered from 0.

A scene is either two-dimensional (disks and polygons; axes x and y, with y up) or three-dimensional (spheres and polyhedra;
axes x, y and z, with z up). Points and vectors are lists of two or three numbers accordingly.

## Units

A value with a unit is a string: `\"1.2 mm\"`, `\"2600 kg/m3\"`, `\"30 deg\"`, `\"5 kPa\"`. A bare number is in SI units.
Units can be multiplied (`N m`, `N*m`), divided (`m/s`) and raised to powers (`m/s2`, `m/s^2`, `m/s²`).
";

const FUNCTIONS: &str = "
## Functions of time

A *function of time* is either a constant value or a table with one of these keys:

| function | keys | value |
|---|---|---|
| `{ ramp = { from, to, start, duration } }` | `from` and `start` default to 0 | `from` until `start`, then linear to `to` within `duration`, then constant |
| `{ sine = { mean, amplitude, frequency, phase } }` | `mean` and `phase` default to 0 | `mean + amplitude sin(2π frequency t + phase)` |
| `{ table = [[time, value], …] }` | times must increase | linear interpolation, constant outside |
| `{ file = { path, time, value, … } }` | see below | a table in a file of columns |
| `{ sum = [f, g, …] }` | constants and functions | the sum of them: a motion on top of another |

A record is read from a file with columns separated by commas, semicolons, tabs or spaces; lines that start with `#` are
comments. `{ file = \"quake.csv\" }` takes the times, in seconds, from the first column and the values, in SI units, from the
second. The longer form has the keys `path`, relative to the folder of the scene; `time` and `value`, columns by name or by
number, counted from 1; `time_unit` and `unit`, such as `\"ms\"` and `\"cm/s2\"` (accelerations also in `\"g\"`, 9.80665 m/s²);
`scale`, a factor applied to the values; `offset`, a value added to them; `start`, a time added to the times. Times must
increase. A gap in an otherwise evenly sampled record is an error, unless `bridge_gaps = true` asks for linear interpolation
across it. For example
`x.acceleration = { file = { path = \"quake.csv\", time = \"t\", value = \"ax\", unit = \"g\", scale = 1.5 } }`. The scene
stored with a run contains the rows themselves.

Time counts from the start of the stage that contains the function, or from the start of the run for functions at the top
level.
";

fn write_section(text: &mut String, section: &'static Section, inner: &mut Inner) {
    let level = if section.title.starts_with('[') || section.title.starts_with("The") { "##" } else { "###" };
    let title =
        if section.title.starts_with("The") { section.title.to_owned() } else { format!("`{}`", section.title) };
    let _ = write!(text, "\n{level} {title}\n\n{}\n", section.doc);
    let (own, shared_with) = own_keys(section, &inner.written);
    inner.written.push(section);
    write_keys(text, own.iter(), inner);
    if let Some(other) = shared_with {
        let (first, last) = (section.keys[own.len()].name, section.keys[section.keys.len() - 1].name);
        let _ = write!(text, "\nAlso the keys of {} from `{first}` to `{last}`.\n", link(other.title));
    }
    if let Some(tag) = &section.tag {
        let _ = write!(text, "\n{} `{}` is one of\n\n", tag.doc, tag.key);
        for Variant { name, alias, doc, .. } in tag.variants {
            let also = if alias.is_empty() { String::new() } else { format!(" (also `\"{alias}\"`)") };
            let _ = writeln!(text, "* `\"{name}\"`{also}: {doc}");
        }
        let with = |group: &[Key]| -> Vec<&str> {
            let has = |variant: &&Variant| variant.keys.iter().any(|keys| are_same(keys, group));
            tag.variants.iter().filter(has).map(|variant| variant.name).collect()
        };
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", ");
        for variant in tag.variants {
            let (shared, own): (Vec<&[Key]>, Vec<&[Key]>) =
                variant.keys.iter().copied().partition(|group| with(group).len() > 1);
            let _ = write!(text, "\n#### `{} = \"{}\"`\n", tag.key, variant.name);
            write_keys(text, own.into_iter().flatten(), inner);
            for groups in shared.chunk_by(|a, b| with(a) == with(b)) {
                let names = with(groups[0]);
                if names[0] == variant.name {
                    let _ = write!(text, "\nKeys of {}:\n", quoted(&names));
                    write_keys(text, groups.iter().copied().flatten(), inner);
                } else {
                    let _ = write!(text, "\nAlso the keys that it shares with {}, above.\n", quoted(&names[..1]));
                }
            }
        }
    }
}

/// True for the same keys. By names: where a constant is in memory differs from build to build.
fn are_same(a: &[Key], b: &[Key]) -> bool {
    a.iter().map(|key| (key.name, key.doc)).eq(b.iter().map(|key| (key.name, key.doc)))
}

/// The keys of a section without those at its end that end another section, and that section.
fn own_keys(section: &'static Section, written: &[&'static Section]) -> (&'static [Key], Option<&'static Section>) {
    for other in written {
        let both = section.keys.iter().rev().zip(other.keys.iter().rev());
        let count = both.take_while(|(a, b)| (a.name, a.doc) == (b.name, b.doc)).count();
        if count >= SHARED_KEYS {
            return (&section.keys[..section.keys.len() - count], Some(other));
        }
    }
    (section.keys, None)
}

fn write_keys(text: &mut String, keys: impl Iterator<Item = &'static Key>, inner: &mut Inner) {
    let mut rows = String::new();
    for key in keys {
        let need = match key.need {
            Need::Required => "**required**".to_owned(),
            Need::Optional | Need::Default("{}") => String::new(),
            Need::Default(literal) => format!("`{literal}`"),
            Need::Taken(literal) => format!("`{}`", literal()),
            Need::ByDimension(plane, space) => format!("`{plane}` or `{space}`"),
            Need::Chosen(how) => format!("*{how}*"),
        };
        let only = match key.only {
            Only::Both => "",
            Only::Plane => " 2D only.",
            Only::Space => " 3D only.",
        };
        let _ =
            writeln!(rows, "| `{}` | {} | {need} | {}{only} |", key.name, kind(key.name, &key.kind, inner), key.doc);
    }
    if !rows.is_empty() {
        let _ = write!(text, "\n| key | value | default | meaning |\n|---|---|---|---|\n{rows}");
    }
}

/// What a value is, in few words; sections inside are remembered.
fn kind(key: &'static str, kind_of: &'static Kind, inner: &mut Inner) -> String {
    match kind_of {
        Kind::Text => "string".to_owned(),
        Kind::Bool => "`true` or `false`".to_owned(),
        Kind::Integer { min, max } if *max == i64::MAX => format!("integer, {min} or greater"),
        Kind::Integer { min, max } => format!("integer from {min} to {max}"),
        Kind::Number(quantity, range) => match range.words() {
            words if words.is_empty() => name(quantity),
            words => format!("{}, {words}", name(quantity)),
        },
        Kind::Vector(quantity) => format!("vector: {}", name(quantity)),
        Kind::Spin(quantity) => format!("{} (a vector in 3D)", name(quantity)),
        Kind::Function(quantity) => format!("{FUNCTION_OF_TIME}: {}", name(quantity)),
        Kind::Functions(quantity) => format!("vector, each a {FUNCTION_OF_TIME}: {}", name(quantity)),
        Kind::SpinFunctions(quantity) => format!("{FUNCTION_OF_TIME} (three in 3D): {}", name(quantity)),
        Kind::Choice(words) => {
            words.iter().map(|(word, doc)| format!("`\"{word}\"` ({doc})")).collect::<Vec<_>>().join(", ")
        }
        Kind::List(items) => format!("list, each: {}", kind(key, items, inner)),
        Kind::Rows(columns) => {
            let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            format!("list of rows `[{}]`, or `{{ file = … }}`", names.join(", "))
        }
        Kind::Table(section, _) => remember(section, "table", inner),
        Kind::Tables(section, _) => remember(section, "list of tables", inner),
        Kind::Named(section, _) => remember(section, "named tables", inner),
        Kind::OneOf(keys) if keys.len() >= SHARED => format!("table, see {}", choice(key, keys, inner)),
        Kind::OneOf(keys) => {
            let words: Vec<String> =
                keys.iter().map(|key| format!("`{}` ({})", key.name, one_of(key, inner))).collect();
            format!("table with one of {}", words.join(", "))
        }
        Kind::Any(kinds) => kinds.iter().map(|k| kind(key, k, inner)).collect::<Vec<_>>().join("; or "),
    }
}

/// The link to a table with one of several keys, which is to be written if it is not yet on the page.
fn choice(key: &'static str, keys: &'static [Key], inner: &mut Inner) -> String {
    if let Some((title, _)) = inner.choices.iter().find(|(_, known)| are_same(known, keys)) {
        return link(title);
    }
    let is_taken = inner.choices.iter().any(|(title, _)| title == key);
    let section = inner.written.last().map_or("", |section| section.title).trim_matches(['[', ']']);
    let title = if is_taken { format!("{section}.{key}") } else { key.to_owned() };
    inner.choices.push((title.clone(), keys));
    inner.parts.push(Part::Choice(title.clone(), keys));
    link(&title)
}

/// Where functions of time are described.
const FUNCTION_OF_TIME: &str = "[function of time](#functions-of-time)";

fn one_of(key: &'static Key, inner: &mut Inner) -> String {
    let doc = key.doc.trim_end_matches('.');
    match &key.kind {
        Kind::Table(section, _) => {
            remember(section, "", inner);
            doc.to_owned()
        }
        other => format!("{}: {doc}", kind(key.name, other, inner)),
    }
}

fn remember(section: &'static Section, what: &str, inner: &mut Inner) -> String {
    inner.parts.push(Part::Section(section));
    format!("{what}, see {}", link(section.title))
}

fn name(quantity: &Quantity) -> String {
    let name = quantity.name.trim_start_matches("an ").trim_start_matches("a ");
    if quantity.unit.is_empty() { "number".to_owned() } else { name.to_owned() }
}
