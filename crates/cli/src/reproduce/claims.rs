//! How much of the five sources is reproduced: what they state, which rows test it, and which of these pass.
//!
//! The items are those of a reading of each source from its first equation to its last figure. Many are definitions, algorithms
//! or outlooks that no number can test; those are counted, but not listed here.

use super::Outcome;
use super::row::{Kind, Row, Verdict};

/// One of the five sources.
struct Source {
    name: &'static str,
    /// How many things it states.
    stated: usize,
    /// Those that rows test: what is stated, and the rows, each by its case and a part of its quantity.
    tested: &'static [(&'static str, &'static [(&'static str, &'static str)])],
}

const SOURCES: [Source; 5] = [
    Source {
        name: "P0",
        stated: 46,
        tested: &[
            ("the force as a mean over δt, (6)", &[("shear-windows", "mean force")]),
            ("frontal collision, (36) to (38)", &[("frontal-collision", "")]),
            ("updates of all contacts at once", &[("sweep-order", "all contacts at once")]),
            ("the network during the iterations, fig. 8", &[("iterations-network", "sum of the forces")]),
            (
                "the distribution during the iterations, fig. 9",
                &[("iterations-network", "⟨x²⟩"), ("iterations-network", "1000 and 2000")],
            ),
            ("iterations against precision, fig. 10", &[("iterations-precision", "iterations from ε_f")]),
            ("iterations do not depend on δt", &[("iterations-precision", "time steps over a factor")]),
            ("warm start", &[("iterations-precision", "forces of the previous step")]),
            ("forces below ε_f⟨f⟩ are not resolved", &[("iterations-precision", "relative error")]),
            ("no forces without a load", &[("self-stress", "")]),
            ("iterations per step, fig. 11", &[("shear-iterations", "")]),
            ("incomplete relaxation makes waves", &[("chain", ""), ("piston-waves", "")]),
            ("contact torques", &[("rolling-heap", "")]),
            ("imposed velocity has no scale of force", &[("force-scale", "displacement of the wall")]),
            ("a growing force", &[("force-scale", "ten times"), ("force-scale", "largest displacement")]),
            ("both methods agree in statics", &[("force-tail-md", "soft less that of rigid")]),
            ("averaged molecular dynamics beside long steps", &[("shear-windows", "")]),
        ],
    },
    Source {
        name: "P1",
        stated: 24,
        tested: &[
            ("random sweeps have no bias", &[("sweep-order", "reach of a load"), ("sweep-order", "the same ratio")]),
            ("diffusion, q = 0.797, (46)", &[("sweep-order", "q of sweeps")]),
            ("parallel updates, q = ½", &[("sweep-order", "q of updates"), ("sweep-order", "growth of the forces")]),
            ("sweeps against size, (47) to (50)", &[("iterations-size", "exponent of N in")]),
            ("waves and their speed, (52) to (57)", &[("chain", "ω δt")]),
            ("dispersion and cut-off, (58) to (60)", &[("chain-modes", "")]),
            ("the chain, figs. 6 and 7", &[("chain", "")]),
            ("the piston, figs. 5 and 8", &[("piston-waves", "")]),
            (
                "κ and γ of springs, shrinkage, (65) to (68)",
                &[("chain-springs", "of the springs"), ("chain-springs", "shrinkage")],
            ),
            (
                "cost at fixed N_I, (69)",
                &[("iterations-size", "fixed number of sweeps"), ("chain-springs", "half as many sweeps")],
            ),
        ],
    },
    Source {
        name: "P2",
        stated: 21,
        tested: &[
            (
                "cost against molecular dynamics, (1.35) to (1.37)",
                &[("iterations-size", "crossover"), ("iterations-size", "exponent of K")],
            ),
            ("cost of incomplete relaxation", &[("iterations-size", "fixed number of sweeps")]),
            ("a heap on a plane", &[("rolling-heap", "")]),
            ("work of cohesion, fig. 1.9b", &[("cohesion-work", "")]),
            ("pores of a cohesive powder", &[("cohesive-powder", "")]),
            ("strong and weak networks", &[("biaxial-networks", "")]),
        ],
    },
    Source {
        name: "P3",
        stated: 20,
        tested: &[
            ("the inequality of Clausius and Duhem, (10) to (12)", &[("landslide", "generate energy")]),
            ("Coulomb as a sequence of Tresca", &[("uzawa", "sequence")]),
            ("Uzawa's method", &[("uzawa", "")]),
            ("the single loop, (15) to (17)", &[("uzawa", "single loop")]),
            ("the landslide, fig. 5", &[("landslide", "")]),
            ("the biaxial test, fig. 7", &[("shear-band", "share of samples"), ("shear-band", "scatter")]),
            ("the direction of the band", &[("shear-band", "angle of the band to")]),
        ],
    },
    Source {
        name: "P4",
        stated: 20,
        tested: &[
            ("S1, fig. 2", &[("force-tail-spheres", "S1")]),
            (
                "soft and rigid spheres alike",
                &[("force-tail-md", "soft less that of rigid"), ("force-tail-md", "β of S5")],
            ),
            ("small deformations have no influence", &[("force-tail-md", "quarter of the stiffness")]),
            ("S2, fig. 3", &[("force-tail-spheres", "S2")]),
            ("S3, fig. 4", &[("force-tail-polyhedra", "")]),
            (
                "S6, fig. 6",
                &[
                    ("wet-packing", "α_w"),
                    ("wet-packing", "push that one"),
                    ("wet-packing", "density of forces at zero"),
                ],
            ),
            ("bonds per grain", &[("wet-packing", "bonds")]),
            ("S7, fig. 7", &[("wet-packing", "S7 over dry"), ("wet-packing", "exponent, S7")]),
            ("p_m/p₀", &[("wet-packing", "p_m/p₀")]),
            ("particle pressures, fig. 8", &[("wet-packing", "negative particle pressures")]),
            ("two phases, fig. 9", &[("wet-packing", "signs of pressures")]),
            ("the interface of the phases", &[("wet-packing", "interface")]),
        ],
    },
];

/// How much of one source, or of all, is reproduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// What it states.
    pub stated: usize,
    /// What has a row.
    pub with_row: usize,
    /// What was run in full.
    pub run: usize,
    /// What passes: all its rows do, one of which at least is no consistency row.
    pub passing: usize,
}

/// The shares of the sources by name, the last of them together.
pub fn shares(outcomes: &[Outcome]) -> Vec<(&'static str, Share)> {
    let mut together = Share::default();
    let mut all: Vec<(&'static str, Share)> = SOURCES
        .iter()
        .map(|source| {
            let mut share = Share { stated: source.stated, with_row: source.tested.len(), ..Share::default() };
            for (_, wanted) in source.tested {
                let found: Vec<Vec<&Row>> = wanted.iter().map(|(case, part)| rows(outcomes, case, part)).collect();
                if found.iter().all(|rows| !rows.is_empty()) {
                    share.run += 1;
                    share.passing += usize::from(passes(&found.concat()));
                }
            }
            together.stated += share.stated;
            together.with_row += share.with_row;
            together.run += share.run;
            together.passing += share.passing;
            (source.name, share)
        })
        .collect();
    all.push(("together", together));
    all
}

fn rows<'a>(outcomes: &'a [Outcome], case: &str, part: &str) -> Vec<&'a Row> {
    let of_case = outcomes.iter().filter(|outcome| outcome.case.name == case);
    let rows = of_case.filter_map(|outcome| outcome.result.as_ref().ok()).flat_map(|findings| &findings.rows);
    rows.filter(|row| row.quantity.contains(part)).collect()
}

fn passes(rows: &[&Row]) -> bool {
    rows.iter().all(|row| row.verdict() == Verdict::Pass) && rows.iter().any(|row| row.kind != Kind::Consistency)
}

#[cfg(test)]
mod tests {
    use super::super::case::Findings;
    use super::super::cases::CASES;
    use super::super::row::measured;
    use super::*;

    #[test]
    fn the_rows_of_claims_are_of_cases_that_exist() {
        for (claim, rows) in SOURCES.iter().flat_map(|source| source.tested) {
            for (case, _) in *rows {
                assert!(CASES.iter().any(|other| other.name == *case), "{claim}: {case}");
            }
        }
    }

    #[test]
    fn a_claim_passes_if_all_its_rows_do_and_one_is_not_of_consistency() {
        let case = CASES.iter().find(|case| case.name == "frontal-collision").unwrap();
        let share = |rows: Vec<Row>| {
            let result = Ok(Findings { rows, ..Findings::default() });
            let outcome = Outcome { case, result, cpu_s: 0.0, date: String::new() };
            shares(&[outcome])[0].1
        };
        let row = |value: f64| measured("speed", value).published(1.0).within(0.1, "why");
        assert_eq!((share(vec![row(1.0)]).run, share(vec![row(1.0)]).passing), (1, 1));
        assert_eq!(share(vec![row(1.0), row(2.0)]).passing, 0);
        assert_eq!(share(vec![row(1.0).consistency()]).passing, 0);
        assert_eq!(share(vec![row(1.0).consistency(), row(1.0)]).passing, 1);
        assert_eq!(share(Vec::new()).run, 0);
        assert_eq!(shares(&[]).last().unwrap().1.stated, 131);
    }
}
