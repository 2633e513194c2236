//! The scene with every default written out.

use crate::Scene;
use crate::check::{Entry, Node, Table, Value};
use crate::format::{Fill, Key, Kind, Need, ROOT, Section};
use crate::raw::{key_literal, quoted};
use std::fmt::Write;

impl Scene {
    /// The whole scene as TOML, with every default written out and, for what was chosen from the grains, the reason
    /// beside it. Loaded again it is the same scene.
    pub fn resolved(&self) -> String {
        let mut writer = Writer { scene: self, text: String::new() };
        writer.keys(&self.root, &ROOT, "", "", Fill::Defaults);
        writer.text
    }
}

struct Writer<'a> {
    scene: &'a Scene,
    text: String,
}

impl Writer<'_> {
    /// The keys of a table: plain values first, then the tables inside. `header` is the TOML path of the table, `path`
    /// the one that choices are known by.
    fn keys(&mut self, table: &Table, section: &'static Section, header: &str, path: &str, fill: Fill) {
        let variant = section.tag.as_ref().and_then(|tag| tag.variant(table.variant?));
        if let (Some(tag), Some(variant)) = (&section.tag, variant) {
            self.line(&format!("{} = {}", tag.key, quoted(variant.name)), "");
        }
        let keys: Vec<&'static Key> =
            section.keys_of(variant).filter(|key| key.only.allows(self.scene.model.dimension)).collect();
        for key in keys.iter().filter(|key| !is_section(key)) {
            self.plain(table, key, path, fill);
        }
        for key in keys.iter().filter(|key| is_section(key)) {
            if let Some(node) = table.get(key.name) {
                self.section(node, key, &joined(header, &key_literal(key.name)), &joined(path, key.name));
            }
        }
    }

    fn plain(&mut self, table: &Table, key: &'static Key, path: &str, fill: Fill) {
        let path = joined(path, key.name);
        let choice = self.scene.chosen.iter().find(|choice| choice.path == path);
        // A default that was chosen otherwise, such as the origin of the cell of a snapshot, is not written.
        match table.get(key.name).filter(|_| choice.is_none()) {
            Some(node) => {
                let remark = if node.given { "" } else { "default" };
                self.line(&format!("{} = {}", key.name, self.inline(node, &path, &key.kind)), remark);
            }
            None => match (choice, key.need) {
                (Some(choice), _) => {
                    let line = format!("{} = {}", key.name, choice.literal);
                    self.line(&line, &format!("chosen: {}", choice.reason));
                }
                (None, Need::Chosen(how)) if fill == Fill::Defaults => {
                    self.text.push_str("# ");
                    self.line(key.name, &format!("default: {how}"));
                }
                _ => {}
            },
        }
    }

    fn section(&mut self, node: &Node, key: &Key, header: &str, path: &str) {
        match (&key.kind, &node.value) {
            (Kind::Table(section, fill), Value::Table(table)) => {
                let _ = write!(self.text, "\n[{header}]\n");
                self.keys(table, section, header, path, *fill);
            }
            (Kind::Named(section, fill), Value::Table(table)) => {
                for Entry { key, node, .. } in &table.entries {
                    if let Some(table) = node.as_table() {
                        let header = joined(header, &key_literal(key));
                        let _ = write!(self.text, "\n[{header}]\n");
                        self.keys(table, section, &header, &joined(path, key), *fill);
                    }
                }
            }
            (Kind::Tables(section, fill), Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(table) = item.as_table() {
                        let _ = write!(self.text, "\n[[{header}]]\n");
                        self.keys(table, section, header, &joined(path, &index.to_string()), *fill);
                    }
                }
            }
            _ => {}
        }
    }

    /// A value on one line; tables inside are written with their defaults and choices, in the order of the format, so that
    /// the scene is written in the same way once it was read again.
    fn inline(&self, node: &Node, path: &str, kind: &'static Kind) -> String {
        let Value::Table(table) = &node.value else { return node.literal.clone() };
        let known = keys_of(kind, table);
        let place = |name: &str| known.iter().position(|key| key.name == name).unwrap_or(known.len());
        let mut parts: Vec<(usize, String)> = Vec::new();
        for Entry { key, node, .. } in &table.entries {
            let path = joined(path, key);
            let value = match known.get(place(key)) {
                Some(known) => self.inline(node, &path, &known.kind),
                None => self.inline(node, &path, &Kind::Text),
            };
            parts.push((place(key), format!("{} = {value}", key_literal(key))));
        }
        for choice in &self.scene.chosen {
            let key = choice.path.strip_prefix(path).and_then(|rest| rest.strip_prefix('.'));
            if let Some(key) = key.filter(|key| !key.contains('.')) {
                parts.push((place(key), format!("{key} = {}", choice.literal)));
            }
        }
        parts.sort_by_key(|(place, _)| *place);
        let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
        format!("{{ {} }}", parts.join(", "))
    }

    fn line(&mut self, line: &str, remark: &str) {
        self.text.push_str(line);
        if !remark.is_empty() {
            let _ = write!(self.text, "  # {remark}");
        }
        self.text.push('\n');
    }
}

/// The keys that a table of a kind may have, in the order of the format.
fn keys_of(kind: &'static Kind, table: &Table) -> Vec<&'static Key> {
    match kind {
        Kind::Table(section, _) => {
            let variant = section.tag.as_ref().and_then(|tag| tag.variant(table.variant?));
            section.keys_of(variant).collect()
        }
        Kind::OneOf(keys) => keys.iter().collect(),
        Kind::Any(kinds) => kinds.iter().flat_map(|kind| keys_of(kind, table)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a key is written as a section of its own rather than on one line.
fn is_section(key: &Key) -> bool {
    match &key.kind {
        Kind::Tables(..) | Kind::Named(..) => true,
        // Short tables such as the end of a stage read better on one line.
        Kind::Table(section, _) => section.title.starts_with('['),
        _ => false,
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
