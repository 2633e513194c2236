//! The same scene at another time step or tolerance, for studies of how results depend on them.

use crate::model::MethodSpec;
use crate::{Faults, Override, Scene, load};
use riprap_engine::{Criterion, SweepOrder};
use std::fmt;

/// Why a scene has no tolerance to sharpen, or cannot be read again.
#[derive(Clone, Debug)]
pub enum Unrefinable {
    /// Its steps end after a number of sweeps.
    FixedSweeps,
    /// Its method solves no contact problem.
    NoStopTest,
    /// The scene that came out has faults.
    Scene(Faults),
}

impl fmt::Display for Unrefinable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unrefinable::FixedSweeps => f.write_str(
                "the scene takes a fixed number of sweeps in every step (solver.criterion = { sweeps = … }), so it has no \
                 tolerance; choose another criterion, or do not vary the tolerance",
            ),
            Unrefinable::NoStopTest => f.write_str(
                "molecular dynamics solves no contact problem, so the scene has no tolerance; do not vary it",
            ),
            Unrefinable::Scene(faults) => faults.fmt(f),
        }
    }
}

impl std::error::Error for Unrefinable {}

impl Scene {
    /// The scene with all time steps multiplied by `step`, and the tolerances of all stop tests by `tolerance`.
    ///
    /// What the program chose for this scene stays as it is, so its world must have been built. A stage that ends after a
    /// number of steps lasts as long as before.
    pub fn refined(&self, step: f64, tolerance: f64) -> Result<Scene, Unrefinable> {
        let mut changes = Vec::new();
        if step != 1.0 {
            changes.extend(self.steps_times(step));
        }
        if tolerance != 1.0 {
            changes.extend(self.tolerances_times(tolerance)?);
        }
        if changes.is_empty() {
            return Ok(self.clone());
        }
        load(&self.resolved(), self.file(), &changes).map_err(Unrefinable::Scene)
    }

    /// The seed of everything that is drawn at random.
    pub fn seed(&self) -> u64 {
        self.model.seed
    }

    /// True if contacts are visited in a random order.
    pub fn sweeps_at_random(&self) -> bool {
        self.solvers().any(|(_, solver)| solver.order == Some(SweepOrder::Random))
    }

    /// The numerical choices of the scene and of its stages, with their place in the scene.
    fn solvers(&self) -> impl Iterator<Item = (String, &crate::model::SolverSpec)> {
        let of_stages = self.model.stages.iter().enumerate();
        let of_stages = of_stages.map(|(index, stage)| (format!("stages.{index}.solver"), &stage.solver));
        std::iter::once(("solver".to_owned(), &self.model.solver)).chain(of_stages)
    }

    fn steps_times(&self, factor: f64) -> Vec<Override> {
        let shorter = |path: String, time_step: Option<f64>| Some(change(path, number(factor * time_step?)));
        let steps = self.solvers().filter_map(|(path, solver)| shorter(format!("{path}.time_step"), solver.time_step));
        // Steps are halved as often as before.
        let motion = self
            .solvers()
            .filter_map(|(path, solver)| shorter(format!("{path}.motion_per_step"), solver.motion_per_step));
        // The window of molecular dynamics shrinks with its steps of integration, so that both are the same part of it.
        let soft = (self.model.method == MethodSpec::Md).then_some(self.model.soft.time_step).flatten();
        let soft = shorter("md.time_step".to_owned(), soft);
        let ends = self.model.stages.iter().enumerate().filter_map(|(index, stage)| {
            let steps = (stage.end.steps? as f64 / factor).round();
            Some(change(format!("stages.{index}.end.steps"), (steps as i64).max(1).to_string()))
        });
        steps.chain(motion).chain(soft).chain(ends).collect()
    }

    fn tolerances_times(&self, factor: f64) -> Result<Vec<Override>, Unrefinable> {
        match self.model.method {
            MethodSpec::Md => Err(Unrefinable::NoStopTest),
            MethodSpec::Acd2 => {
                Ok(vec![change("acd2.tolerance".to_owned(), number(factor * self.model.percussions.tolerance))])
            }
            MethodSpec::Cd => self
                .solvers()
                .filter_map(|(path, solver)| Some((path, solver.criterion?)))
                .map(|(path, criterion)| Ok(change(format!("{path}.criterion"), sharper(criterion, factor)?)))
                .collect(),
        }
    }
}

/// A criterion with its tolerance multiplied by `factor`, as TOML.
fn sharper(criterion: Criterion, factor: f64) -> Result<String, Unrefinable> {
    let times = |tolerance: f64| number(factor * tolerance);
    Ok(match criterion {
        Criterion::Motion { velocity, residual } => {
            format!("{{ motion = {{ velocity = {}, residual = {} }} }}", times(velocity), times(residual))
        }
        Criterion::Residual { tolerance } => format!("{{ residual = {} }}", times(tolerance)),
        Criterion::LocalForce { epsilon, cutoff } => {
            format!("{{ local_force = {{ change = {}, cutoff = {} }} }}", times(epsilon), number(cutoff))
        }
        Criterion::MeanForce { epsilon } => format!("{{ mean_force = {} }}", times(epsilon)),
        Criterion::Fixed { .. } => return Err(Unrefinable::FixedSweeps),
    })
}

fn change(path: String, value: String) -> Override {
    Override { path, value }
}

/// A number as TOML that reads back to the same bits.
fn number(value: f64) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoFiles;

    const SCENE: &str = r#"
        title = "disks"
        dimension = 2
        [materials.glass]
        density = "2600 kg/m3"
        friction = 0.5
        [[walls]]
        name = "floor"
        shape = "plane"
        point = [0, 0]
        normal = [0, 1]
        [[grains]]
        sample = "list"
        positions = [[0, "1 mm"], ["3 mm", "1 mm"]]
        radius = "1 mm"
        [[stages]]
        name = "first"
        end = { steps = 120 }
        [[stages]]
        name = "second"
        end = { kinetic_energy_over_mgd = 1e-5 }
        solver = { time_step = "0.3 ms", criterion = { residual = 1e-3 } }
    "#;

    fn built(changes: &[(&str, &str)]) -> Scene {
        let changes: Vec<Override> =
            changes.iter().map(|(path, value)| change((*path).to_owned(), (*value).to_owned())).collect();
        let mut scene = load(SCENE, "disks.toml", &changes).unwrap();
        let grains = scene.sample(&NoFiles).unwrap();
        scene.build(&grains).unwrap();
        scene
    }

    #[test]
    fn steps_shrink_and_nothing_else_changes() {
        let scene = built(&[]);
        let finer = scene.refined(0.25, 1.0).unwrap();
        let mut expected = scene.model.clone();
        expected.solver.time_step = scene.model.solver.time_step.map(|step| 0.25 * step);
        expected.stages[0].end.steps = Some(480);
        expected.stages[1].end.steps = scene.model.stages[1].end.steps.map(|steps| 4 * steps);
        expected.stages[1].solver.time_step = Some(0.25 * 0.3e-3);
        // Steps are halved at the same moments if what may move in them shrinks as they do.
        assert_eq!(scene.model.solver.halvings, Some(3));
        expected.solver.motion_per_step = scene.model.solver.motion_per_step.map(|motion| 0.25 * motion);
        assert_eq!(finer.model, expected);
        assert!(scene.refined(1.0, 1.0).unwrap().says_the_same(&scene));
        // Three times shorter and three times longer again is where it was, up to rounding of the step alone.
        assert_eq!(built(&[]).refined(1.0 / 3.0, 1.0).unwrap().model.stages[0].end.steps, Some(360));
    }

    #[test]
    fn every_stop_test_is_sharpened() {
        let scene = built(&[]);
        let sharper = scene.refined(1.0, 0.5).unwrap();
        let Some(Criterion::Motion { velocity, residual }) = scene.model.solver.criterion else { panic!() };
        let half = Criterion::Motion { velocity: 0.5 * velocity, residual: 0.5 * residual };
        assert_eq!(sharper.model.solver.criterion, Some(half));
        assert_eq!(sharper.model.stages[1].solver.criterion, Some(Criterion::Residual { tolerance: 5e-4 }));
        assert_eq!(sharper.model.solver.time_step, scene.model.solver.time_step);
        for (given, expected) in [
            ("{ mean_force = 1e-3 }", Criterion::MeanForce { epsilon: 5e-4 }),
            ("{ local_force = { change = 1e-3 } }", Criterion::LocalForce { epsilon: 5e-4, cutoff: 0.01 }),
        ] {
            let sharper = built(&[("solver.criterion", given)]).refined(1.0, 0.5).unwrap();
            assert_eq!(sharper.model.solver.criterion, Some(expected));
        }
        let percussions = built(&[("method", "acd2")]).refined(1.0, 0.5).unwrap();
        assert_eq!(percussions.model.percussions.tolerance, 5e-7);
    }

    #[test]
    fn what_has_no_tolerance_says_so() {
        let fixed = built(&[("solver.criterion", "{ sweeps = 20 }")]);
        assert!(matches!(fixed.refined(1.0, 0.5), Err(Unrefinable::FixedSweeps)));
        assert!(fixed.refined(0.5, 1.0).is_ok());
        let soft = built(&[("method", "md")]);
        assert!(matches!(soft.refined(1.0, 0.5), Err(Unrefinable::NoStopTest)));
        let finer = soft.refined(0.5, 1.0).unwrap();
        assert_eq!(finer.model.soft.time_step, soft.model.soft.time_step.map(|step| 0.5 * step));
        assert_eq!(finer.model.soft.stiffness, soft.model.soft.stiffness);
    }
}
