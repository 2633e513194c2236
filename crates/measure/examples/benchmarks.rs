//! Draws the newest numbers of `benches/results/*.csv` beside them:
//! `cargo run --release -p riprap-measure --example benchmarks benches/results`.

use riprap_measure::plot::{Axis, Chart, Curve, Style};
use std::collections::BTreeMap;
use std::io::{Error, Result};
use std::path::Path;

/// A chart of one file: a curve for each value of some columns, over the number of grains.
struct Plot {
    file: &'static str,
    title: &'static str,
    /// Rows are drawn if they have these values.
    only: &'static [(&'static str, &'static str)],
    /// The columns whose values name a curve.
    named_by: &'static [&'static str],
    value: &'static str,
    label: &'static str,
}

const PLOTS: [Plot; 3] = [
    Plot {
        file: "flow",
        title: "Rigid quasi-static flow to 1e-4, solver auto",
        only: &[("contacts", "rigid"), ("residual", "1e-4"), ("solver", "auto")],
        named_by: &["flow"],
        value: "mean_passes",
        label: "passes per step",
    },
    Plot {
        file: "packings",
        title: "Packings to 1e-6",
        only: &[("criterion", "1e-6"), ("seeds", "2")],
        named_by: &["dimension", "solver"],
        value: "passes",
        label: "passes",
    },
    Plot {
        file: "deposit",
        title: "Deposit",
        only: &[],
        named_by: &["program"],
        value: "cpu_s_per_simulated_s_and_grain",
        label: "CPU seconds per simulated second and grain",
    },
];

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "benches/results".to_owned());
    for plot in &PLOTS {
        let path = Path::new(&folder).join(plot.file);
        let text = std::fs::read_to_string(path.with_extension("csv"))?;
        let chart = plot.chart(&text).ok_or_else(|| Error::other(format!("{}.csv lacks a column", plot.file)))?;
        std::fs::write(path.with_extension("svg"), chart.draw().svg())?;
    }
    Ok(())
}

impl Plot {
    fn chart(&self, text: &str) -> Option<Chart> {
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let heads = lines.next()?;
        let column = |name: &str| heads.iter().position(|head| *head == name);
        let (grains, value) = (column("grains")?, column(self.value)?);
        let only: Vec<(usize, &str)> =
            self.only.iter().map(|(name, wanted)| Some((column(name)?, *wanted))).collect::<Option<_>>()?;
        let names: Vec<usize> = self.named_by.iter().map(|name| column(name)).collect::<Option<_>>()?;
        // Rows are added at the end: a later one takes the place of an earlier one.
        let mut curves: BTreeMap<String, BTreeMap<u64, f64>> = BTreeMap::new();
        for row in lines.filter(|row| only.iter().all(|&(at, wanted)| row[at] == wanted)) {
            let name: Vec<&str> = names.iter().map(|&at| row[at]).collect();
            if let (Ok(grains), Ok(value)) = (row[grains].parse(), row[value].parse()) {
                curves.entry(name.join(", ")).or_default().insert(grains, value);
            }
        }
        let mut chart = Chart::new(self.title, Axis::log("grains"), Axis::log(self.label));
        chart.size = [620.0, 440.0];
        for (name, points) in curves {
            let points = points.into_iter().map(|(grains, value)| [grains as f64, value]).collect();
            // Other programs have open points.
            let style = if self.named_by == ["program"] && name != "riprap" { Style::OpenPoints } else { Style::Both };
            chart = chart.with(Curve::new(style, points).named(name));
        }
        Some(chart)
    }
}
