//! What the runs of a ladder say together: tables, JSON, plots.

use crate::failure::{Exit, Failure};
use crate::measure::arguments::PlotFormat;
use crate::measure::write_plot;
use riprap_measure::convergence::{Dependence, Limit, Mean, NoLimit, Verdict, order_word};
use riprap_run::{Ladder, Quantity, Rung, Tells, number, text, three_digits};
use riprap_store::write_atomically;
use serde_json::{Value, json};
use std::fs;

/// The report on a ladder.
pub struct Report<'a> {
    ladder: &'a Ladder,
    /// The change up to which a number counts as resolved, as a part of it.
    goal: f64,
    judged: Vec<Judged>,
    /// Results that are zero in all runs.
    zero: Vec<String>,
    effort: Vec<Quantity>,
    accuracy: Vec<Quantity>,
}

/// A result and how it depends on what was varied.
struct Judged {
    quantity: Quantity,
    step: Option<(Vec<f64>, Dependence)>,
    tolerance: Option<(Vec<f64>, Dependence)>,
}

impl<'a> Report<'a> {
    /// Judges all results of the summaries, and what was measured besides.
    pub fn new(ladder: &'a Ladder, measured: Vec<Quantity>, goal: f64, orders: &[f64]) -> Result<Report<'a>, Failure> {
        let mut results = ladder.summaries(Tells::Result)?;
        results.extend(measured);
        let (zero, results): (Vec<Quantity>, Vec<Quantity>) = results.into_iter().partition(Quantity::is_zero);
        let judge = |quantity: Quantity| Judged {
            step: ladder.against_step(&quantity).map(|samples| {
                let dependence = samples.dependence(goal, orders);
                (samples.factors, dependence)
            }),
            tolerance: ladder.against_tolerance(&quantity).map(|samples| {
                let dependence = samples.dependence(goal, orders);
                (samples.factors, dependence)
            }),
            quantity,
        };
        Ok(Report {
            ladder,
            goal,
            judged: results.into_iter().map(judge).collect(),
            zero: zero.into_iter().map(|quantity| quantity.name).collect(),
            effort: ladder.summaries(Tells::Effort)?,
            accuracy: ladder.summaries(Tells::Accuracy)?,
        })
    }

    /// Writes tables, JSON and plots into the folder of the ladder; how many files.
    pub fn write(&self, formats: &[PlotFormat]) -> Result<usize, Failure> {
        let folder = self.ladder.folder();
        let whole = [
            ("converge.md", format!("{}\n", self.text())),
            ("converge.json", format!("{:#}\n", self.json())),
            ("converge.csv", self.values()),
        ];
        for (name, contents) in &whole {
            write_atomically(&folder.join(name), |out| out.write_all(contents.as_bytes()))
                .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?;
        }
        let plots = folder.join("plots");
        let drawn = self.judged.iter().filter_map(|judged| Some((&judged.quantity.name, judged.step.as_ref()?)));
        let mut files = whole.len();
        for (name, (factors, dependence)) in drawn {
            let drawing = dependence.chart(factors, self.ladder.time_step, "time step (s)", name).draw();
            for &format in formats {
                fs::create_dir_all(&plots).map_err(|error| Failure::writing(&plots, error))?;
                write_plot(&drawing, format, &plots.join(format!("{name}.{}", format.ending())))?;
                files += 1;
            }
        }
        Ok(files)
    }

    /// The report as text, which is Markdown.
    pub fn text(&self) -> String {
        let ladder = self.ladder;
        let mut parts = vec![self.headline(), self.results()];
        if !self.zero.is_empty() {
            parts.push(format!("Zero in all runs: {}.", self.zero.join(", ")));
        }
        parts.push(format!(
            "What the settings cost, and how accurate they are (means over the seeds):\n\n{}",
            self.costs()
        ));
        let unconverged =
            self.accuracy.iter().find(|quantity| quantity.name == "unconverged_steps").map(Quantity::means);
        for (rung, steps) in ladder.rungs.iter().zip(unconverged.unwrap_or_default()).filter(|(_, steps)| *steps > 0.0)
        {
            parts.push(format!(
                "Warning: {rung}: {} steps per run did not converge, so their tolerance was not reached; raise solver.max_sweeps.",
                three_digits(steps)
            ));
        }
        parts.join("\n\n")
    }

    fn headline(&self) -> String {
        let ladder = self.ladder;
        let percent = three_digits(100.0 * self.goal);
        let scatter = if ladder.is_random {
            let chance = 0.05 * self.judged.iter().map(|judged| judged.dependences().len()).sum::<usize>() as f64;
            format!(
                "± is the standard error over {} seeds; changes are differences between runs with the same seed. \
                 \"Resolved\": with 95 % certainty the change is below {percent} %. \"Depends\": with 95 % certainty \
                 the change is not due to chance; among this many verdicts, about {chance:.0} may still be due to \
                 chance.",
                ladder.seeds.len()
            )
        } else {
            format!(
                "The scene uses no random numbers, so there is no scatter over seeds. \"Resolved\": the change is \
                 below {percent} %."
            )
        };
        format!("{}, time step {} s\n\n{scatter}", ladder.title(), three_digits(ladder.time_step))
    }

    /// The table of results.
    fn results(&self) -> String {
        let smallest = |is_step: bool| {
            let factors = self.ladder.rungs.iter().filter_map(|rung| match rung {
                Rung::Step(factor) if is_step => Some(*factor),
                Rung::Tolerance(factor) if !is_step => Some(*factor),
                _ => None,
            });
            factors.min_by(|a, b| a.value().total_cmp(&b.value()))
        };
        let (step, tolerance) = (smallest(true), smallest(false));
        let mut header = vec!["result".to_owned(), "at the settings".to_owned()];
        header.extend(step.map(|factor| format!("change at step × {factor}")));
        header.extend(step.map(|_| "limit of short steps".to_owned()));
        header.extend(tolerance.map(|factor| format!("change at tolerance × {factor}")));
        header.push("verdict".to_owned());
        let row = |judged: &Judged| {
            let mut row = vec![judged.quantity.name.clone(), judged.reference()];
            let change = |found: &Option<(Vec<f64>, Dependence)>| {
                found.as_ref().map_or(String::new(), |(_, found)| found.change_in_words())
            };
            if step.is_some() {
                row.extend([change(&judged.step), judged.limit()]);
            }
            if tolerance.is_some() {
                row.push(change(&judged.tolerance));
            }
            row.push(judged.words(self.ladder.seeds.len()));
            row
        };
        table(std::iter::once(header).chain(self.judged.iter().map(row)).collect())
    }

    /// The table of what is not physics.
    fn costs(&self) -> String {
        let mut header = vec!["settings".to_owned()];
        header.extend(self.ladder.rungs.iter().map(Rung::to_string));
        let shown = ["steps", "cpu_s", "sweeps"];
        let effort = self.effort.iter().filter(|quantity| shown.contains(&quantity.name.as_str()));
        let accuracy = self.accuracy.iter().filter(|quantity| !quantity.is_zero());
        let row = |quantity: &Quantity| {
            std::iter::once(quantity.name.clone()).chain(quantity.means().into_iter().map(three_digits)).collect()
        };
        table(std::iter::once(header).chain(effort.chain(accuracy).map(row)).collect())
    }

    /// All values of all runs, one a row.
    fn values(&self) -> String {
        let mut lines = vec!["quantity,step_factor,tolerance_factor,seed,value".to_owned()];
        let results = self.judged.iter().map(|judged| &judged.quantity);
        for quantity in results.chain(&self.effort).chain(&self.accuracy) {
            for (rung, values) in self.ladder.rungs.iter().zip(&quantity.values) {
                for (seed, value) in self.ladder.seeds.iter().zip(values).filter(|(_, value)| value.is_finite()) {
                    let (step, tolerance) = (number(rung.step()), number(rung.tolerance()));
                    lines.push(format!("{},{step},{tolerance},{seed},{}", text(&quantity.name), number(*value)));
                }
            }
        }
        lines.join("\n") + "\n"
    }

    /// The report as one JSON document.
    pub fn json(&self) -> Value {
        let ladder = self.ladder;
        let rung = |rung: &Rung| json!({"name": rung.to_string(), "step_factor": rung.step(), "tolerance_factor": rung.tolerance()});
        let plain = |quantities: &[Quantity]| -> Value {
            quantities.iter().map(|quantity| (quantity.name.clone(), json!(quantity.values))).collect()
        };
        json!({
            "title": ladder.title(),
            "folder": ladder.folder().display().to_string(),
            "time_step_s": ladder.time_step,
            "seeds": ladder.seeds,
            "is_random": ladder.is_random,
            "resolved_within": self.goal,
            "settings": ladder.rungs.iter().map(rung).collect::<Vec<_>>(),
            "results": self.judged.iter().map(|judged| judged.json(ladder.seeds.len())).collect::<Vec<_>>(),
            "zero_in_all_runs": self.zero,
            "effort": plain(&self.effort),
            "accuracy": plain(&self.accuracy),
        })
    }
}

impl Judged {
    fn dependences(&self) -> Vec<(&'static str, &Dependence)> {
        let step = self.step.as_ref().map(|(_, found)| ("time step", found));
        let tolerance = self.tolerance.as_ref().map(|(_, found)| ("tolerance", found));
        step.into_iter().chain(tolerance).collect()
    }

    fn reference(&self) -> String {
        self.dependences()
            .first()
            .map_or("not measured in all runs".to_owned(), |(_, found)| found.reference.to_string())
    }

    fn limit(&self) -> String {
        match self.step.as_ref().map(|(_, found)| &found.limit) {
            Some(Ok(Limit { order, value, .. })) => format!("{value}, order {}", order_word(*order)),
            Some(Err(NoLimit::SeveralOrdersFit(limits))) => {
                let limits: Vec<String> = limits
                    .iter()
                    .map(|limit| format!("{} by order {}", limit.value, order_word(limit.order)))
                    .collect();
                format!("none: {}", limits.join(" or "))
            }
            Some(Err(why)) => format!("none: {why}"),
            None => String::new(),
        }
    }

    /// The verdict: what is not resolved, or that everything is.
    fn words(&self, seeds: usize) -> String {
        let dependences = self.dependences();
        let open = dependences.iter().filter(|(_, found)| found.verdict != Verdict::Resolved);
        let words: Vec<String> = open.map(|(setting, found)| found.words(setting, seeds)).collect();
        match (dependences.is_empty(), words.is_empty()) {
            (true, _) => "not measured in all runs".to_owned(),
            (false, true) => "resolved".to_owned(),
            (false, false) => words.join("; "),
        }
    }

    fn json(&self, seeds: usize) -> Value {
        let side = |found: &Option<(Vec<f64>, Dependence)>, setting: &str| {
            found.as_ref().map(|(factors, found)| {
                let changes = factors.iter().zip(&found.changes);
                let changes: Vec<Value> =
                    changes.map(|(factor, change)| json!({"factor": factor, "change": mean(change)})).collect();
                json!({"changes": changes, "verdict": found.words(setting, seeds), "limit": limit(&found.limit)})
            })
        };
        let reference = self.dependences().first().map(|(_, found)| mean(&found.reference));
        json!({
            "name": self.quantity.name,
            "at_the_settings": reference,
            "step": side(&self.step, "time step"),
            "tolerance": side(&self.tolerance, "tolerance"),
            "verdict": self.words(seeds),
            "values": self.quantity.values,
        })
    }
}

fn mean(mean: &Mean) -> Value {
    json!({"value": mean.value, "standard_error": mean.error, "half_width_95": mean.half_width})
}

fn limit(limit: &Result<Limit, NoLimit>) -> Value {
    let found = |limit: &Limit| json!({"order": limit.order, "value": mean(&limit.value), "bias": mean(&limit.bias)});
    match limit {
        Ok(limit) => found(limit),
        Err(NoLimit::SeveralOrdersFit(limits)) => {
            json!({"none": limit.as_ref().unwrap_err().to_string(), "possible": limits.iter().map(found).collect::<Vec<_>>()})
        }
        Err(why) => json!({"none": why.to_string()}),
    }
}

/// A Markdown table with columns of even width; the first row is its header.
fn table(rows: Vec<Vec<String>>) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        format!("| {} |", cells.join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut lines = vec![line(&rows[0]), line(&rule)];
    lines.extend(rows[1..].iter().map(line));
    lines.join("\n")
}
