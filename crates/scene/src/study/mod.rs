//! Studies: one scene at many values of its keys.
//!
//! A [`StudyPlan`] says what is varied; [`StudyPlan::points`] lists the runs that this means, each with a name and the values
//! that it puts into the scene. Whether the scene takes these values is for whoever loads it.

mod file;
mod names;
mod sampling;
mod values;

pub use file::seed_in;
pub use sampling::{SampleKind, Samples};
pub use values::{Interval, StudyValue, Values, Variation};

use crate::raw::Override;
pub use names::is_run_name;
use names::{labels, run_name};

/// What is varied in a scene. All combinations are run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyPlan {
    /// The file of the scene, seen from the folder of the study's own file, if it names one.
    pub scene: Option<String>,
    /// Values that hold in all runs.
    pub set: Vec<Override>,
    /// Sets of values that belong together.
    pub cases: Vec<Case>,
    /// Keys with their values.
    pub vary: Vec<Variation>,
    /// How values are drawn from intervals.
    pub samples: Option<Samples>,
    /// The seeds; without them each run has that of the scene.
    pub seeds: Option<Seeds>,
}

/// Values that belong together, under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// What it sets.
    pub set: Vec<Override>,
}

/// Which seeds are run.
#[derive(Clone, Debug, PartialEq)]
pub enum Seeds {
    /// So many, from that of the scene on.
    Count(u64),
    /// These.
    List(Vec<u64>),
}

/// A run of a study: its name and what it puts into the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPoint {
    /// The name, made from the parameters.
    pub name: String,
    /// What is varied, by the shortest name that tells it from the others, and its value here; the seed is the last.
    pub parameters: Vec<(String, StudyValue)>,
    /// All values for the scene.
    pub overrides: Vec<Override>,
}

/// The name of the parameter that is the seed.
pub const SEED: &str = "seed";
/// The name of the parameter that is the case.
const CASE: &str = "case";
/// More runs than this are taken for a slip of the keyboard.
const MOST_RUNS: usize = 100_000;

/// One value of an axis of the grid, or several that are drawn together.
type GridValue = (Vec<(String, StudyValue)>, Vec<Override>);

impl StudyPlan {
    /// All runs in order, the last key varying fastest, or everything that is wrong. `seed` is that of the scene.
    pub fn points(&self, seed: u64) -> Result<Vec<StudyPoint>, Vec<String>> {
        let mut problems = self.key_problems();
        let axes = self.axes(seed, &mut problems);
        if axes.is_empty() && problems.is_empty() {
            problems.push("nothing is varied: give keys with their values, cases or seeds".to_owned());
        }
        let count = axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.len()));
        if count.is_none_or(|count| count > MOST_RUNS) {
            problems.push(format!("the study has more than {MOST_RUNS} runs"));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let order = self.parameters();
        let points: Vec<StudyPoint> = product(&axes).into_iter().map(|choice| self.point(choice, &order)).collect();
        let problems = name_problems(&points);
        if problems.is_empty() { Ok(points) } else { Err(problems) }
    }

    /// The names of what is varied, in the order of names and tables.
    fn parameters(&self) -> Vec<String> {
        let keys: Vec<&str> = self.vary.iter().map(|variation| variation.key.as_str()).collect();
        let case = (!self.cases.is_empty()).then(|| CASE.to_owned());
        let seed = self.seeds.is_some().then(|| SEED.to_owned());
        case.into_iter().chain(labels(&keys)).chain(seed).collect()
    }

    fn point(&self, (mut parameters, overrides): GridValue, order: &[String]) -> StudyPoint {
        let place = |label: &String| order.iter().position(|other| other == label);
        parameters.sort_by_key(|(label, _)| place(label));
        let overrides = self.set.iter().cloned().chain(overrides).collect();
        StudyPoint { name: run_name(&parameters), parameters, overrides }
    }

    /// The axes of the grid: cases, listed keys, one for all keys that are drawn from intervals, seeds.
    fn axes(&self, seed: u64, problems: &mut Vec<String>) -> Vec<Vec<GridValue>> {
        let mut axes = Vec::new();
        if !self.cases.is_empty() {
            let choice = |case: &Case| (vec![(CASE.to_owned(), StudyValue::text(&case.name))], case.set.clone());
            axes.push(self.cases.iter().map(choice).collect());
        }
        let keys: Vec<&str> = self.vary.iter().map(|variation| variation.key.as_str()).collect();
        let mut drawn: Vec<(&str, String, &Interval)> = Vec::new();
        for (Variation { key, values }, label) in self.vary.iter().zip(labels(&keys)) {
            match (values, self.samples) {
                (Values::Between(interval), Some(_)) => drawn.push((key, label, interval)),
                (values, _) => match values.listed() {
                    Ok(values) => axes.push(values.iter().map(|value| single(key, &label, value)).collect()),
                    Err(problem) => problems.push(format!("`{key}`: {problem}")),
                },
            }
        }
        if let Some(samples) = self.samples.filter(|samples| samples.count > MOST_RUNS) {
            problems.push(format!("{} samples are more than {MOST_RUNS}", samples.count));
        } else if let Some(samples) = self.samples {
            match samples.points(drawn.len()) {
                Ok(points) => axes.push(points.iter().map(|point| joint(&drawn, point)).collect()),
                Err(problem) => problems.push(problem),
            }
        }
        let seeds: Vec<u64> = match &self.seeds {
            None => return axes,
            Some(Seeds::Count(count)) if *count > MOST_RUNS as u64 => {
                problems.push(format!("there are more than {MOST_RUNS} seeds"));
                return axes;
            }
            Some(Seeds::Count(count)) => (seed..seed.saturating_add(*count)).collect(),
            Some(Seeds::List(seeds)) => seeds.clone(),
        };
        if seeds.is_empty() {
            problems.push("there must be at least one seed".to_owned());
        }
        axes.push(seeds.iter().map(|seed| single(SEED, SEED, &StudyValue::number(&seed.to_string()))).collect());
        axes
    }

    /// Keys that are given twice, or one within the other.
    fn key_problems(&self) -> Vec<String> {
        let seeds = self.seeds.is_some().then_some((SEED, "the seeds"));
        let set = self.set.iter().map(|set| (set.path.as_str(), "a value for all runs"));
        let varied = self.vary.iter().map(|variation| (variation.key.as_str(), "a varied key"));
        let single: Vec<(&str, &str)> = set.chain(varied).chain(seeds).collect();
        let mut problems = Vec::new();
        for (k, (key, kind)) in single.iter().enumerate() {
            for (other, other_kind) in &single[..k] {
                if overlap(key, other) {
                    problems.push(format!("`{key}` ({kind}) conflicts with `{other}` ({other_kind})"));
                }
            }
            for case in &self.cases {
                if let Some(set) = case.set.iter().find(|set| overlap(key, &set.path)) {
                    problems.push(format!("`{key}` ({kind}) conflicts with `{}` of case `{}`", set.path, case.name));
                }
            }
        }
        problems
    }
}

/// True if one key is the other or a table that it is in.
fn overlap(a: &str, b: &str) -> bool {
    let within = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
    a == b || within(a, b) || within(b, a)
}

fn single(key: &str, label: &str, value: &StudyValue) -> GridValue {
    (vec![(label.to_owned(), value.clone())], vec![Override { path: key.to_owned(), value: value.literal.clone() }])
}

/// Values of several keys that were drawn together; `point` is in the unit cube.
fn joint(drawn: &[(&str, String, &Interval)], point: &[f64]) -> GridValue {
    let choices = drawn.iter().zip(point).map(|((key, label, interval), u)| single(key, label, &interval.at(*u)));
    choices.fold(GridValue::default(), |all, choice| extended(&all, &choice))
}

fn extended(choice: &GridValue, more: &GridValue) -> GridValue {
    ([&choice.0[..], &more.0].concat(), [&choice.1[..], &more.1].concat())
}

fn product(axes: &[Vec<GridValue>]) -> Vec<GridValue> {
    axes.iter().fold(vec![GridValue::default()], |all, axis| {
        all.iter().flat_map(|choice| axis.iter().map(|more| extended(choice, more))).collect()
    })
}

/// Runs whose folders would be the same, or have a name that is too long.
fn name_problems(points: &[StudyPoint]) -> Vec<String> {
    const LONGEST: usize = 200;
    let mut problems = Vec::new();
    if let Some(point) = points.iter().find(|point| point.name.len() > LONGEST) {
        problems.push(format!(
            "the name of a run is longer than {LONGEST} bytes; put values that belong together into cases: {}",
            point.name
        ));
    }
    // Names are compared as file systems do that do not tell capitals from small letters.
    let mut names: Vec<String> = points.iter().map(|point| point.name.to_lowercase()).collect();
    names.sort_unstable();
    let mut twice: Vec<&String> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    twice.dedup();
    problems.extend(twice.iter().map(|name| format!("two runs would have the same folder: {name}")));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(vary: &[&str]) -> StudyPlan {
        StudyPlan { vary: vary.iter().map(|text| text.parse().unwrap()).collect(), ..StudyPlan::default() }
    }

    fn names(plan: &StudyPlan) -> Vec<String> {
        plan.points(1).unwrap().into_iter().map(|point| point.name).collect()
    }

    #[test]
    fn grids_are_all_combinations_with_the_last_key_fastest() {
        let mut plan = plan(&["materials.glass.friction=0.1,0.3", "solver.time_step=1 ms,0.5 ms"]);
        plan.seeds = Some(Seeds::Count(2));
        plan.set = vec![Override { path: "grains.0.count".into(), value: "20".into() }];
        let points = plan.points(7).unwrap();
        assert_eq!(points.len(), 8);
        assert_eq!(points[0].name, "friction=0.1,time_step=1ms,seed=7");
        assert_eq!(points[7].name, "friction=0.3,time_step=0.5ms,seed=8");
        let overrides: Vec<String> =
            points[7].overrides.iter().map(|change| format!("{}={}", change.path, change.value)).collect();
        let expected = ["grains.0.count=20", "materials.glass.friction=0.3", "solver.time_step=\"0.5 ms\"", "seed=8"];
        assert_eq!(overrides, expected);
    }

    #[test]
    fn keys_that_end_alike_are_told_apart() {
        let plan = plan(&["materials.glass.friction=0.1", "materials.steel.friction=0.2", "grains.0.count=1..3"]);
        assert_eq!(names(&plan)[2], "glass.friction=0.1,steel.friction=0.2,count=3");
    }

    #[test]
    fn samples_are_drawn_together_and_more_of_them_keep_the_first() {
        let mut plan = plan(&["a.friction=0.0..1.0", "a.name=x,y", "b.count=10..19"]);
        for kind in [SampleKind::Halton, SampleKind::Random] {
            plan.samples = Some(Samples { count: 8, kind, seed: 1 });
            let few = names(&plan);
            assert_eq!(few.len(), 16);
            plan.samples = Some(Samples { count: 12, kind, seed: 1 });
            let more = names(&plan);
            assert!(few.iter().all(|name| more.contains(name)), "{few:?} {more:?}");
        }
        plan.samples = Some(Samples { count: 4, kind: SampleKind::Halton, seed: 1 });
        let halton = names(&plan);
        let expected = ["0.5,name=x,count=13", "0.25,name=x,count=16", "0.75,name=x,count=11", "0.125,name=x,count=14"];
        for name in expected {
            assert!(halton.contains(&format!("friction={name}")), "{halton:?}");
        }
    }

    #[test]
    fn cases_have_names_and_several_values() {
        let plan = StudyPlan::parse(
            "scene = 'a.toml'\nseeds = [4, 9]\n[[cases]]\nname = 'loose'\nset.grains.0.spacing = '2 mm'\nset.a.b = 1\n\
             [[cases]]\nname = 'dense'\nset.grains.0.spacing = '1 mm'\n",
            "study.toml",
        )
        .unwrap();
        let points = plan.points(1).unwrap();
        let names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
        assert_eq!(names, ["case=loose,seed=4", "case=loose,seed=9", "case=dense,seed=4", "case=dense,seed=9"]);
        assert_eq!(points[0].overrides.len(), 3);
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let mut wrong = plan(&["a.b=0.1..0.9", "a.b.c=3", "x=1,1"]);
        let problems = wrong.points(1).unwrap_err().join("\n");
        assert!(problems.contains("`a.b.c` (a varied key) conflicts with `a.b`"), "{problems}");
        assert!(problems.contains("`a.b`: an interval needs a number of values"), "{problems}");
        wrong.vary.drain(..2);
        assert_eq!(wrong.points(1).unwrap_err(), ["two runs would have the same folder: x=1"]);
        assert!(plan(&[]).points(1).unwrap_err()[0].contains("nothing is varied"));
        let many = plan(&["a=1..1000", "b=1..1000"]);
        assert!(many.points(1).unwrap_err()[0].contains("more than 100000 runs"));
        let mut endless = plan(&["a=1..2"]);
        endless.seeds = Some(Seeds::Count(u64::MAX));
        assert!(endless.points(1).unwrap_err()[0].contains("more than 100000 seeds"));
        endless.samples = Some(Samples { count: usize::MAX, kind: SampleKind::Random, seed: 1 });
        assert!(endless.points(1).unwrap_err()[0].contains("more than 100000"));
        let mut nothing = plan(&["a=1,2"]);
        nothing.samples = Some(Samples { count: 3, kind: SampleKind::Halton, seed: 1 });
        assert!(nothing.points(1).unwrap_err()[0].contains("no key has an interval"));
    }
}
