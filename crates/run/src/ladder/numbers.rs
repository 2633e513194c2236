//! The numbers of the runs of a ladder, side by side.

use super::{Ladder, LadderRun, Rung};
use crate::error::RunError;
use crate::summary::{Tells, numbers};
use riprap_measure::convergence::Samples;
use serde_json::Value;
use std::fs;

/// A number in all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// For each rung its value with every seed; not a number where it could not be measured.
    pub values: Vec<Vec<f64>>,
}

impl Quantity {
    /// The mean over seeds on each rung.
    pub fn means(&self) -> Vec<f64> {
        self.values.iter().map(|values| values.iter().sum::<f64>() / values.len() as f64).collect()
    }

    /// True if it is zero in all runs.
    pub fn is_zero(&self) -> bool {
        self.values.iter().flatten().all(|&value| value == 0.0)
    }
}

impl Ladder {
    /// The numbers of the summaries that tell something of this kind.
    pub fn summaries(&self, tells: Tells) -> Result<Vec<Quantity>, RunError> {
        self.gather(|run| {
            let path = run.folder.join("summary.json");
            let text = fs::read_to_string(&path).map_err(RunError::read(&path))?;
            let summary: Value = serde_json::from_str(&text).map_err(|error| RunError::read(&path)(error.into()))?;
            Ok(numbers(&summary, tells))
        })
    }

    /// The numbers that `measure` gives of each run, by name.
    pub fn gather<E>(
        &self,
        mut measure: impl FnMut(&LadderRun) -> Result<Vec<(String, f64)>, E>,
    ) -> Result<Vec<Quantity>, E> {
        let mut quantities: Vec<Quantity> = Vec::new();
        for rung in 0..self.rungs.len() {
            for seed in 0..self.seeds.len() {
                for (name, value) in measure(self.run_at(rung, seed))? {
                    let place = quantities.iter().position(|quantity| quantity.name == name).unwrap_or_else(|| {
                        let values = vec![vec![f64::NAN; self.seeds.len()]; self.rungs.len()];
                        quantities.push(Quantity { name, values });
                        quantities.len() - 1
                    });
                    quantities[place].values[rung][seed] = value;
                }
            }
        }
        Ok(quantities)
    }

    /// A number against the time step.
    pub fn against_step(&self, quantity: &Quantity) -> Option<Samples> {
        self.against(quantity, |rung| match rung {
            Rung::AsGiven => Some(1.0),
            Rung::Step(factor) => Some(factor.value()),
            Rung::Tolerance(_) => None,
        })
    }

    /// A number against the tolerance.
    pub fn against_tolerance(&self, quantity: &Quantity) -> Option<Samples> {
        self.against(quantity, |rung| match rung {
            Rung::AsGiven => Some(1.0),
            Rung::Tolerance(factor) => Some(factor.value()),
            Rung::Step(_) => None,
        })
    }

    /// A number against a setting, for the seeds with which it could be measured on all of its rungs; none if there is no
    /// such seed, or the setting is not varied.
    fn against(&self, quantity: &Quantity, factor: impl Fn(Rung) -> Option<f64>) -> Option<Samples> {
        let (factors, rows): (Vec<f64>, Vec<&Vec<f64>>) =
            self.rungs.iter().zip(&quantity.values).filter_map(|(&rung, row)| Some((factor(rung)?, row))).unzip();
        let is_whole = |seed: &usize| rows.iter().all(|row| row[*seed].is_finite());
        let whole: Vec<usize> = (0..self.seeds.len()).filter(is_whole).collect();
        let values = rows.iter().map(|row| whole.iter().map(|&seed| row[seed]).collect()).collect();
        (factors.len() > 1 && !whole.is_empty()).then_some(Samples { factors, values, is_random: self.is_random })
    }
}
