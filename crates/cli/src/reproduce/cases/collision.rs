//! Two disks that meet head on under constant forces (P0, equations 36 to 38).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::measured;
use riprap_engine::Silent;

/// The closed form of one collision.
pub const FRONTAL: Case = Case {
    name: "frontal-collision",
    title: "Frontal collision of two disks under constant forces",
    source: "F. Radjai, V. Richefeu 2009 (P0), fig. 7 and equation 38, corrected as described in section 12 of \
             docs/method.md",
    about: "Two disks that have just come into contact are pressed together by constant forces, in one step of the \
            midpoint scheme. The contact force has an impulsive part from the impact and a static part from the \
            forces: f = m (1 + e) |u|/δt + (m₂F₁ + m₁F₂)/(m₁ + m₂) with the reduced mass m.",
    cost: Cost { quick_s: 0.1, full_s: 0.1 },
    run,
};

const COLLISION_SCENE: &str = include_str!("../scenes/collision.toml");
const EXACT: &str = "a closed form: only rounding and the residual of 1e-12 are allowed for";

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    for (what, changes) in [
        ("e = 0.6, meeting at 0.5 m/s", vec![]),
        ("e = 0, meeting at 0.5 m/s", vec![("materials.steel.normal_restitution", "0")]),
        ("touching at rest", vec![("grains.0.velocities", "[[0, 0], [0, 0]]")]),
    ] {
        let mut world = two_dimensional(bench.world(COLLISION_SCENE, &changes)?)?;
        let restitution = world.materials.pair(0, 0).normal_restitution;
        let [m1, m2] = [0, 1].map(|body| world.bodies[body].mass);
        let [v1, v2] = [0, 1].map(|body: usize| world.state.velocity[body].x);
        let (forces, time_step) = ([900.0, 400.0], world.settings.time_step);
        world.step(&mut Silent).map_err(step_failed)?;
        let reduced = m1 * m2 / (m1 + m2);
        let expected =
            reduced * (1.0 + restitution) * (v1 - v2) / time_step + (m2 * forces[0] + m1 * forces[1]) / (m1 + m2);
        let force = world.state.contacts.iter().map(|contact| contact.impulse.x).sum::<f64>() / time_step;
        let row = measured(format!("contact force (N), {what}"), force).published(expected);
        findings.row(row.within_part(1e-9, EXACT).closed_form().claim("P0 (38)"));
        let opening = world.state.velocity[1].x - world.state.velocity[0].x;
        let row = measured(format!("opening speed (m/s), {what}"), opening).published(restitution * (v1 - v2));
        findings.row(row.within(1e-9, EXACT).closed_form().claim("P0 (7)"));
        if v1 == v2 {
            let common = time_step * (forces[0] - forces[1]) / (m1 + m2);
            let row = measured(format!("common speed (m/s), {what}"), world.state.velocity[0].x).published(common);
            findings.row(row.within_part(1e-9, EXACT).closed_form().claim("P0 (36)"));
        }
    }
    findings.remark("Equation (38) of the paper has f = a; its right-hand side is that of f = a/W.");
    Ok(findings)
}
