//! Molecular dynamics averaged over windows, beside contact dynamics whose steps are as long (P0, section 9).

use crate::failure::Failure;
use crate::reproduce::bench::{Bench, step_failed, two_dimensional};
use crate::reproduce::case::{Case, Cost, Findings};
use crate::reproduce::row::{measured, short};
use riprap_engine::{Criterion, D2, Method, Options, Silent, Soft, World};
use riprap_measure::plot::{Axis, Chart, Curve, Style};
use std::collections::BTreeMap;

/// The shear flow.
pub const SHEAR_WINDOWS: Case = Case {
    name: "shear-windows",
    title: "A shear flow by molecular dynamics, averaged over windows, and by contact dynamics with steps as long",
    source: "F. Radjai, V. Richefeu 2009 (P0), section 9, which suggests it: \"perform a standard MD simulation of a shear flow, \
             then take averages over the dynamics for a given integration time δt and finally compare this coarse-grained \
             dynamics with CD simulations of the same flow with a time step δt\"",
    about: "400 disks with a friction of 0.4 flow between two rough walls under a pressure, one of which moves by 0.05 √(p/ρ) for every diameter between them. \
            By molecular dynamics the contacts are springs that this pressure compresses by a thousandth of a diameter; \
            contact dynamics takes steps of 0.1 to 1 d√(ρ/p), the longest of which are a twentieth of the time in which, at that rate, \
            neighbouring layers pass each other by a diameter. Velocities are displacements over a window, across the \
            flow; forces are the momentum that a contact carries in a window over its length; contacts are those that \
            carry any. Grains within three diameters of a wall are left out.",
    cost: Cost { quick_s: 25.0, full_s: 90.0 },
    run,
};

const FLOW: &str = include_str!("../scenes/shear_flow.toml");
const DIAMETERS_TO_WALLS: f64 = 3.0;
/// Times are in d√(ρ/p), forces in p d, as in the scene.
const SHORTEST: f64 = 0.1;
const STIFFNESS: f64 = 1000.0;
/// A fiftieth of the duration of a collision, as the program chooses.
const INTEGRATION: f64 = 0.001;
/// The windows over the shortest step.
const WINDOWS_OF: [u32; 7] = [1, 3, 10, 20, 100, 400, 2000];

/// What a flow is like if it is looked at over windows of one length.
#[derive(Clone, Copy, Debug)]
struct Look {
    window: f64,
    /// The shear rate between the grains that are looked at.
    rate: f64,
    /// Root mean square of the velocities across the flow.
    velocity: f64,
    /// Their fourth moment over the square of the second: 3 for a normal distribution.
    kurtosis: f64,
    /// Mean normal force.
    force: f64,
    /// ⟨f²⟩/⟨f⟩²: 2 for an exponential.
    spread: f64,
    /// Share of the forces below their mean.
    weak: f64,
    /// Contacts per grain.
    contacts: f64,
}

/// One of the numbers of a look.
type Of = fn(&Look) -> f64;

fn run(bench: &mut Bench) -> Result<Findings, Failure> {
    let start = bench.run("start", FLOW, &[("stages.1.end.steps", "400"), ("stages.1.drivers.0.x.velocity", "1")])?;
    let world = two_dimensional(start.world()?)?;
    let duration = bench.choose(420.0, 1600.0);
    let mut soft = world.clone();
    soft.method = Method::MolecularDynamics(Soft::new(STIFFNESS, INTEGRATION));
    let md = looks(bench, soft, SHORTEST, duration, &WINDOWS_OF)?;
    let mut rigid = world;
    rigid.settings.solver = Options { criterion: Criterion::Residual { tolerance: 1e-3 }, ..Options::default() };
    let mut by_step = Vec::new();
    let mut averaged = Vec::new();
    for steps in [1_u32, 3, 10] {
        let windows: &[u32] = if steps == 1 { &WINDOWS_OF } else { &[1] };
        let found = looks(bench, rigid.clone(), f64::from(steps) * SHORTEST, duration, windows)?;
        by_step.push(found[0]);
        if steps == 1 {
            averaged = found;
        }
    }
    let mut findings = Findings::default();
    judge(&mut findings, &md, &by_step, &averaged);
    Ok(findings)
}

fn judge(findings: &mut Findings, md: &[Look], by_step: &[Look], averaged: &[Look]) {
    let reason = "a tenth: both methods flow at their own shear rate and density";
    // A sixtieth and a twentieth of the time in which the walls shear the flow by one.
    for (index, name) in [(1, "0.3"), (2, "1")] {
        let (soft, rigid) = (md[index], by_step[index]);
        let quantities: [(&str, Of); 4] = [
            ("velocity fluctuation", |look| look.velocity),
            ("mean force", |look| look.force),
            ("⟨f²⟩/⟨f⟩²", |look| look.spread),
            ("contacts per grain", |look| look.contacts),
        ];
        for (quantity, of) in quantities {
            let row = measured(
                format!("{quantity}, steps of {name} d√(ρ/p) over molecular dynamics averaged over them"),
                of(&rigid) / of(&soft),
            );
            let row = row.published(1.0).within(0.1, reason).consistency().claim("P0 §9 asks, and has no numbers");
            let row = row.revised("the unit of velocity, which was γ̇d of each flow, and the longest step, which was 2");
            findings.row(row.null("molecular dynamics over a window of 0.1", of(&md[0]) / of(&soft)));
        }
    }
    let curve = |looks: &[Look], of: Of, name: &str, style| {
        Curve::new(style, looks.iter().map(|look| [look.window, of(look)]).collect()).named(name)
    };
    let charts: [(&str, &str, &str, Of); 4] = [
        ("velocity", "Velocity fluctuation across the flow.", "√⟨v²⟩ (√(p/ρ))", |look| look.velocity),
        ("kurtosis", "Shape of the distribution of velocities.", "⟨v⁴⟩/⟨v²⟩²", |look| look.kurtosis),
        ("spread", "Spread of the normal forces.", "⟨f²⟩/⟨f⟩²", |look| look.spread),
        ("contacts", "Contacts per grain that carry momentum in a window.", "contacts per grain", |look| look.contacts),
    ];
    for (name, caption, axis, of) in charts {
        findings.chart(
            name,
            caption,
            &Chart::new("", Axis::log("window (d√(ρ/p))"), Axis::linear(axis))
                .with(curve(md, of, "molecular dynamics, averaged", Style::Line))
                .with(curve(averaged, of, "contact dynamics with steps of 0.1, averaged", Style::Dashes))
                .with(curve(by_step, of, "contact dynamics with steps as long", Style::Points)),
        );
    }
    for (name, looks) in [
        ("Molecular dynamics", md),
        ("Contact dynamics with steps of 0.1, averaged", averaged),
        ("Contact dynamics with steps as long", by_step),
    ] {
        let list: Vec<String> = looks.iter().map(Look::words).collect();
        findings.remark(format!("{name}: {}.", list.join("; ")));
    }
}

impl Look {
    fn words(&self) -> String {
        format!(
            "over {} d√(ρ/p): shear rate {} √(p/ρ)/d, fluctuation {} √(p/ρ), kurtosis {}, mean force {} p d, ⟨f²⟩/⟨f⟩² {}, {} below the mean, {} contacts \
             per grain",
            short(self.window),
            short(self.rate),
            short(self.velocity),
            short(self.kurtosis),
            short(self.force),
            short(self.spread),
            short(self.weak),
            short(self.contacts)
        )
    }
}

/// What adds up over one window.
struct Span {
    steps: u32,
    done: u32,
    from: Vec<[f64; 2]>,
    /// Normal impulses by pair.
    impulses: BTreeMap<[u32; 2], f64>,
    sums: Sums,
}

/// What adds up over all windows of one length.
#[derive(Default)]
struct Sums {
    velocities: Vec<f64>,
    rates: Vec<f64>,
    forces: Vec<f64>,
    grains: usize,
}

/// A flow in steps of one length, looked at over several windows of so many steps, after it has become steady.
fn looks(bench: &Bench, mut world: World<D2>, step: f64, duration: f64, windows: &[u32]) -> Result<Vec<Look>, Failure> {
    const STEADY: f64 = 40.0;
    world.change_time_step(step);
    for _ in 0..(STEADY / step).ceil() as u32 {
        world.step(&mut Silent).map_err(step_failed)?;
    }
    let places = |world: &World<D2>| -> Vec<[f64; 2]> { world.state.position.iter().map(|at| [at.x, at.y]).collect() };
    let mut all: Vec<Span> = windows
        .iter()
        .map(|&steps| Span { steps, done: 0, from: places(&world), impulses: BTreeMap::new(), sums: Sums::default() })
        .collect();
    for count in 0..(duration / step).ceil() as u32 {
        if count % 100 == 0 {
            bench.pause()?;
        }
        world.step(&mut Silent).map_err(step_failed)?;
        for window in &mut all {
            for contact in &world.state.contacts {
                let impulse = contact.impulse.dot(contact.normal);
                if impulse != 0.0 {
                    *window.impulses.entry(contact.bodies).or_default() += impulse;
                }
            }
            window.done += 1;
            if window.done == window.steps {
                window.close(&world, places(&world));
            }
        }
    }
    Ok(all.into_iter().map(|window| window.sums.look(f64::from(window.steps) * step)).collect())
}

impl Span {
    fn close(&mut self, world: &World<D2>, now: Vec<[f64; 2]>) {
        let length = f64::from(self.steps) * world.settings.time_step;
        let inner = inner_grains(world);
        let mut points = Vec::new();
        for (index, _) in inner.iter().enumerate().filter(|(_, is_inner)| **is_inner) {
            let [from, to] = [self.from[index], now[index]];
            self.sums.velocities.push((to[1] - from[1]) / length);
            points.push([0.5 * (from[1] + to[1]), (to[0] - from[0]) / length]);
        }
        self.sums.rates.push(slope(&points));
        self.sums.grains += points.len();
        let between = self.impulses.iter().filter(|([a, b], _)| inner[*a as usize] && inner[*b as usize]);
        self.sums.forces.extend(between.map(|(_, impulse)| impulse / length));
        self.from = now;
        self.impulses.clear();
        self.done = 0;
    }
}

/// The grains that are far enough from the walls.
fn inner_grains(world: &World<D2>) -> Vec<bool> {
    let heights = || riprap_measure::grains(world).map(|index| world.state.position[index].y);
    let (low, high) = heights().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    let mut inner = vec![false; world.bodies.len()];
    for index in riprap_measure::grains(world) {
        let y = world.state.position[index].y;
        inner[index] = y > low + DIAMETERS_TO_WALLS && y < high - DIAMETERS_TO_WALLS;
    }
    inner
}

/// The slope of the regression of the second on the first.
fn slope(points: &[[f64; 2]]) -> f64 {
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let sum = |axis: usize, middle: f64| points.iter().map(|p| (p[0] - x) * (p[axis] - middle)).sum::<f64>();
    sum(1, y) / sum(0, x)
}

impl Sums {
    fn look(&self, window: f64) -> Look {
        let mean = |values: &[f64], power: i32| {
            values.iter().map(|value| value.powi(power)).sum::<f64>() / values.len() as f64
        };
        let [second, fourth] = [2, 4].map(|power| mean(&self.velocities, power));
        let force = mean(&self.forces, 1);
        let weak = self.forces.iter().filter(|&&value| value < force).count() as f64 / self.forces.len() as f64;
        Look {
            window,
            rate: mean(&self.rates, 1),
            velocity: second.sqrt(),
            kurtosis: fourth / (second * second),
            force,
            spread: mean(&self.forces, 2) / (force * force),
            weak,
            contacts: 2.0 * self.forces.len() as f64 / self.grains as f64,
        }
    }
}
