//! The file of a study, in TOML.

use super::{Case, Interval, SampleKind, Samples, Seeds, StudyPlan, StudyValue, Values, Variation};
use crate::fault::{Collector, Faults, Sources, suggestion};
use crate::raw::{self, Override, Raw, RawEntry, RawValue, Span};
use std::sync::Arc;

/// The keys of the file, of samples and of ranges.
const KEYS: [&str; 6] = ["scene", "seeds", "samples", "set", "vary", "cases"];
const SAMPLE_KEYS: [&str; 3] = ["count", "kind", "seed"];
const RANGE_KEYS: [&str; 4] = ["from", "to", "count", "scale"];
const CASE_KEYS: [&str; 2] = ["name", "set"];

impl StudyPlan {
    /// True if a file is that of a study: it names a scene, which no scene does.
    pub fn is_study(text: &str) -> bool {
        let mut faults = Collector::default();
        let tree = raw::read(text, &[], &mut faults);
        matches!(tree.map(|tree| tree.value), Some(RawValue::Table(entries)) if entries.iter().any(|e| e.key == "scene"))
    }

    /// Reads the file of a study; `file` is its name in messages.
    pub fn parse(text: &str, file: &str) -> Result<StudyPlan, Faults> {
        let sources = Sources { file: file.to_owned(), text: text.to_owned(), overrides: Vec::new() };
        let mut reader = Reader { faults: Collector::default() };
        let tree = raw::read(text, &[], &mut reader.faults);
        let plan = match tree.map(|tree| tree.value) {
            Some(RawValue::Table(entries)) => reader.plan(&entries, text),
            _ => StudyPlan::default(),
        };
        let faults = reader.faults.faults;
        if faults.is_empty() { Ok(plan) } else { Err(Faults::new(faults, Arc::new(sources))) }
    }
}

/// The seed that a scene has, if its text says so; `overrides` take the place of values of the text.
pub fn seed_in(text: &str, overrides: &[Override]) -> u64 {
    let tree = raw::read(text, overrides, &mut Collector::default());
    let Some(RawValue::Table(entries)) = tree.map(|tree| tree.value) else { return 1 };
    let seed = entries.iter().find(|entry| entry.key == super::SEED).map(|entry| &entry.value.value);
    if let Some(RawValue::Integer(seed)) = seed { u64::try_from(*seed).unwrap_or(1) } else { 1 }
}

struct Reader {
    faults: Collector,
}

impl Reader {
    fn plan(&mut self, entries: &[RawEntry], text: &str) -> StudyPlan {
        let mut plan = StudyPlan::default();
        for RawEntry { key, key_place, value } in entries {
            match key.as_str() {
                "scene" => plan.scene = self.text(value, "the file of a scene"),
                "seeds" => plan.seeds = self.seeds(value),
                "samples" => plan.samples = self.samples(value),
                "set" => plan.set = self.leaves(value).into_iter().map(|(path, raw)| set(path, raw)).collect(),
                "vary" => plan.vary = self.vary(value),
                "cases" => plan.cases = self.cases(value),
                _ => self.unknown(key, key_place, &KEYS),
            }
        }
        if !entries.iter().any(|entry| entry.key == "scene") {
            let place = Span::Text(0..text.find('\n').unwrap_or(text.len()));
            self.faults.add(&place, "a study needs a scene", "", "add a line such as scene = \"heap.toml\"");
        }
        plan
    }

    /// The values below a table, by the path of their keys.
    fn leaves<'a>(&mut self, raw: &'a Raw) -> Vec<(String, &'a Raw)> {
        let RawValue::Table(entries) = &raw.value else {
            self.expected(raw, "a table of keys of the scene");
            return Vec::new();
        };
        let mut leaves = Vec::new();
        for RawEntry { key, value, .. } in entries {
            match &value.value {
                RawValue::Table(inner) if !is_range(inner) => {
                    let inner = self.leaves(value);
                    leaves.extend(inner.into_iter().map(|(path, raw)| (format!("{key}.{path}"), raw)));
                }
                _ => leaves.push((key.clone(), value)),
            }
        }
        leaves
    }

    fn vary(&mut self, raw: &Raw) -> Vec<Variation> {
        let leaves = self.leaves(raw);
        let variation = |(key, raw)| self.values(raw).map(|values| Variation { key, values });
        leaves.into_iter().filter_map(variation).collect()
    }

    fn values(&mut self, raw: &Raw) -> Option<Values> {
        match &raw.value {
            RawValue::List(items) if items.is_empty() => {
                self.faults.add(&raw.place, "the list of values is empty", "", "");
                None
            }
            RawValue::List(items) => Some(Values::Listed(items.iter().map(StudyValue::of).collect())),
            RawValue::Table(entries) => self.range(raw, entries),
            _ => {
                self.expected(raw, "a list of values, or a range { from, to, count }");
                None
            }
        }
    }

    fn range(&mut self, raw: &Raw, entries: &[RawEntry]) -> Option<Values> {
        self.only(entries, &RANGE_KEYS);
        let get = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        let (Some(from), Some(to)) = (get("from"), get("to")) else {
            self.faults.add(&raw.place, "a range needs `from` and `to`", "", "");
            return None;
        };
        let is_logarithmic = match get("scale").map(|scale| (scale, &scale.value)) {
            None => false,
            Some((_, RawValue::Text(word))) if word == "linear" => false,
            Some((_, RawValue::Text(word))) if word == "log" => true,
            Some((scale, _)) => {
                self.expected(scale, "\"linear\" or \"log\"");
                return None;
            }
        };
        let interval = Interval::new(&StudyValue::of(from), &StudyValue::of(to), is_logarithmic);
        let values = interval.and_then(|interval| match get("count") {
            None => Ok(Values::Between(interval)),
            Some(count) => interval.range(self.count(count).unwrap_or(2)),
        });
        values.map_err(|why| self.faults.add(&raw.place, why, "", "")).ok()
    }

    fn seeds(&mut self, raw: &Raw) -> Option<Seeds> {
        if let RawValue::List(items) = &raw.value {
            return Some(Seeds::List(
                items.iter().filter_map(|item| self.whole(item, "a seed, 0 or greater")).collect(),
            ));
        }
        let count = self.whole(raw, "a number of seeds, or a list of seeds")?;
        if !(1..=100_000).contains(&count) {
            self.expected(raw, "a number of seeds from 1 to 100000");
        }
        Some(Seeds::Count(count))
    }

    fn samples(&mut self, raw: &Raw) -> Option<Samples> {
        let mut samples = Samples { count: 0, kind: SampleKind::default(), seed: 1 };
        let RawValue::Table(entries) = &raw.value else {
            samples.count = self.count(raw)?;
            return Some(samples);
        };
        self.only(entries, &SAMPLE_KEYS);
        for RawEntry { key, value, .. } in entries {
            match key.as_str() {
                "count" => samples.count = self.count(value)?,
                "seed" => samples.seed = self.whole(value, "a seed, 0 or greater")?,
                "kind" => {
                    let word = self.text(value, "\"halton\" or \"random\"")?;
                    match SampleKind::ALL.iter().find(|(name, _)| *name == word) {
                        Some((_, kind)) => samples.kind = *kind,
                        None => self.expected(value, "\"halton\" or \"random\""),
                    }
                }
                _ => {}
            }
        }
        Some(samples)
    }

    fn cases(&mut self, raw: &Raw) -> Vec<Case> {
        let RawValue::List(items) = &raw.value else {
            self.expected(raw, "a list of tables [[cases]]");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.case(item)).collect()
    }

    fn case(&mut self, raw: &Raw) -> Option<Case> {
        let RawValue::Table(entries) = &raw.value else {
            self.expected(raw, "a table with `name` and `set`");
            return None;
        };
        self.only(entries, &CASE_KEYS);
        let get = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        let (Some(name), Some(values)) = (get("name"), get("set")) else {
            self.faults.add(&raw.place, "a case needs `name` and `set`", "", "");
            return None;
        };
        let name = self.text(name, "a name")?;
        Some(Case { name, set: self.leaves(values).into_iter().map(|(path, raw)| set(path, raw)).collect() })
    }

    fn text(&mut self, raw: &Raw, expected: &str) -> Option<String> {
        match &raw.value {
            RawValue::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            _ => {
                self.expected(raw, expected);
                None
            }
        }
    }

    fn count(&mut self, raw: &Raw) -> Option<usize> {
        let count = self.whole(raw, "a whole number greater than 0")?;
        if count == 0 {
            self.expected(raw, "a whole number greater than 0");
        }
        usize::try_from(count).ok()
    }

    fn whole(&mut self, raw: &Raw, expected: &str) -> Option<u64> {
        let number = if let RawValue::Integer(number) = raw.value { u64::try_from(number).ok() } else { None };
        if number.is_none() {
            self.expected(raw, expected);
        }
        number
    }

    fn only(&mut self, entries: &[RawEntry], known: &[&str]) {
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            self.unknown(&entry.key, &entry.key_place, known);
        }
    }

    fn unknown(&mut self, key: &str, place: &Span, known: &[&str]) {
        self.faults.add(place, format!("unknown key `{key}`"), "", suggestion(key, known.iter().copied()));
    }

    fn expected(&mut self, raw: &Raw, what: &str) {
        self.faults.add(&raw.place, format!("expected {what}, found {}", raw.kind()), format!("expected {what}"), "");
    }
}

/// A table that is a range, and not the key of a table of the scene.
fn is_range(entries: &[RawEntry]) -> bool {
    entries.iter().any(|entry| entry.key == "from" || entry.key == "to")
}

fn set(path: String, raw: &Raw) -> Override {
    Override { path, value: raw.literal() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_the_same_as_the_command_line() {
        let text = r#"
            scene = "triaxial.toml"
            seeds = 4
            samples = { count = 8, kind = "random", seed = 3 }
            [set]
            grains.0.count = 200
            [vary]
            materials.glass.friction = [0.1, 0.3]
            "solver.time_step" = { from = "1 us", to = "100 us", count = 3, scale = "log" }
            stages.0.end.time = { from = 0.1, to = 0.5 }
        "#;
        let plan = StudyPlan::parse(text, "study.toml").unwrap();
        assert!(StudyPlan::is_study(text) && !StudyPlan::is_study("title = 'a'"));
        let words =
            ["materials.glass.friction=0.1,0.3", "solver.time_step=1..100 us:3:log", "stages.0.end.time=0.1..0.5"];
        assert_eq!(plan.vary, words.map(|word| word.parse().unwrap()));
        assert_eq!(plan.set, [Override { path: "grains.0.count".into(), value: "200".into() }]);
        assert_eq!(plan.seeds, Some(Seeds::Count(4)));
        assert_eq!(plan.samples, Some(Samples { count: 8, kind: SampleKind::Random, seed: 3 }));
    }

    #[test]
    fn all_faults_of_a_file_are_told_with_their_places() {
        let text = "seeds = -1\nsamples = { count = 0, kid = 3 }\nvery = 3\n[vary]\na = 3\nb = []\nc = { from = 2, to = 1 }\n\
                    d = { from = 1, to = 2, scale = 'cubic' }\n[[cases]]\nname = 'x'\n";
        let faults = StudyPlan::parse(text, "study.toml").unwrap_err();
        let shown = faults.to_string();
        for words in [
            "a study needs a scene",
            "expected a number of seeds",
            "expected a whole number greater than 0",
            "unknown key `kid`",
            "did you mean `vary`?",
            "expected a list of values, or a range",
            "the list of values is empty",
            "must be below",
            "\"linear\" or \"log\"",
            "a case needs `name` and `set`",
            "study.toml:5",
        ] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
    }

    #[test]
    fn the_seed_of_a_scene_is_found_in_its_text() {
        assert_eq!(seed_in("seed = 12\n[a]\nseed = 3", &[]), 12);
        assert_eq!(seed_in("title = 'x'", &[]), 1);
        assert_eq!(seed_in("seed = 12", &[Override { path: "seed".into(), value: "5".into() }]), 5);
    }
}
