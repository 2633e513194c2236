//! What a step costs besides its sweeps, and what a pile at rest costs:
//! `cargo bench -p riprap-engine --bench step [--ms STEP] [N…]`; the numbers are kept in benches/README.md.
//!
//! Spheres fall on each other in a box, as in benches/deposit, on one thread. All times are those of the thread that
//! steps, so that other programs disturb them little. Three tables:
//!
//! * by stage, over the whole deposit;
//! * the cost of a step without its sweeps, on the pile: steps of few and of many sweeps, and the line through both;
//! * one more grain falls on the pile: the mean cost of these steps, over that of a step of the deposit.

use riprap_engine::{
    Body, Criterion, D3, Observer, Options, Placement, Settings, Shape, Silent, Stage, StepReport, Vector, World,
};

type V = <D3 as riprap_engine::Dim>::Vector;

/// Simulated seconds in which the grains fall and come to rest.
const DEPOSIT: f64 = 0.3;
/// Sweeps of the steps that are compared.
const SWEEPS: [u32; 2] = [2, 22];
/// Steps with each number of sweeps.
const STEPS: usize = 50;
/// How long the last grain falls and lies, in seconds.
const LAST: f64 = 0.05;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut step, mut sizes) = (0.2e-3, Vec::new());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--ms" => step = 1e-3 * words.next().and_then(|word| word.parse::<f64>().ok()).expect("a time step in ms"),
            _ => sizes.push(word.parse().expect("a number of grains")),
        }
    }
    if sizes.is_empty() {
        sizes = vec![4000, 16000];
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| sizes.into_iter().for_each(|grains| measure(grains, step)));
}

fn measure(grains: usize, step: f64) {
    let mut world = cloud(grains, step);
    let mut deposit = Cost::default();
    for _ in 0..(DEPOSIT / step).round() as usize {
        deposit.step(&mut world);
    }
    let floor = world.wall_loads().iter().map(|load| load.force.get(2)).sum::<f64>();
    let weight: f64 = world.free_bodies().map(|body| world.bodies[body].mass * 9.81).sum();
    println!("\n{grains} grains, steps of {} ms, nanoseconds per grain and step", 1e3 * step);
    println!(
        "deposit: {:.0} with {:.1} sweeps a step, floor force {:.4} of the weight, positions {:016x}",
        deposit.per_grain(grains, None),
        deposit.sweeps as f64 / deposit.steps as f64,
        -floor / weight,
        fingerprint(&world)
    );
    println!("lists of pairs: {} in {} steps", deposit.lists, deposit.steps);
    for stage in Stage::ALL {
        println!("    {:<18}{:8.1}", stage.name(), deposit.per_grain(grains, Some(stage)));
    }

    let costs = SWEEPS.map(|sweeps| {
        let mut world = world.clone();
        world.settings.solver = Options { criterion: Criterion::Fixed { sweeps }, ..Options::default() };
        (0..5).for_each(|_| drop(world.step(&mut Silent)));
        let mut cost = Cost::default();
        (0..STEPS).for_each(|_| cost.step(&mut world));
        cost
    });
    let [few, many] = costs.each_ref().map(|cost| cost.per_grain(grains, None));
    let sweep = (many - few) / f64::from(SWEEPS[1] - SWEEPS[0]);
    println!("on the pile: a sweep {sweep:.1}, what is not a sweep {:.1}", few - f64::from(SWEEPS[0]) * sweep);
    for stage in Stage::ALL {
        println!("    {:<18}{:8.1}", stage.name(), costs[0].per_grain(grains, Some(stage)));
    }

    let top = world.state.position.iter().map(|place| place.get(2)).fold(0.0, f64::max);
    let middle = 0.5 * side(grains);
    world.add(Body::ball(1e-3, 2600.0), Placement::at(V::from_array3([middle, middle, top + 3e-3])));
    let mut quiet = Cost::default();
    for _ in 0..(LAST / step).round() as usize {
        quiet.step(&mut world);
    }
    println!(
        "one grain falls on the pile: {:.0} with {:.1} sweeps a step, {:.3} of the deposit",
        quiet.per_grain(grains, None),
        quiet.sweeps as f64 / quiet.steps as f64,
        quiet.per_grain(grains, None) / deposit.per_grain(grains, None)
    );
    for stage in Stage::ALL {
        println!("    {:<18}{:8.1}", stage.name(), quiet.per_grain(grains, Some(stage)));
    }
}

/// The box of the deposit is as wide as a pile of its height is high.
fn side(grains: usize) -> f64 {
    2.7e-3 * columns(grains) as f64
}

fn columns(grains: usize) -> usize {
    (0.725 * (grains as f64).cbrt()) as usize
}

/// Spheres of radius 0.8 to 1.2 mm on a loose grid in a box.
fn cloud(grains: usize, step: f64) -> World<D3> {
    let mut world = World::<D3>::new(Settings::new(step));
    let (columns, side) = (columns(grains), side(grains));
    for axis in 0..3 {
        let mut wall = |normal: V, position: V| {
            world.add(Body::wall("wall", Shape::Plane { normal }), Placement::at(position));
        };
        wall(V::axis(axis), V::ZERO);
        if axis < 2 {
            wall(-V::axis(axis), V::axis(axis) * side);
        }
    }
    let mut state = 7_u64;
    let mut throw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for number in 0..grains {
        let radius = 0.8e-3 + 0.4e-3 * throw();
        let cell = [number % columns, number / columns % columns, number / columns / columns];
        let place = cell.map(|cell| 2.7e-3 * (cell as f64 + 0.5) + 0.1e-3 * (throw() - 0.5));
        world.add(Body::ball(radius, 2600.0), Placement::at(V::from_array3(place)));
    }
    world
}

/// A number that differs if a bit of a position does.
fn fingerprint(world: &World<D3>) -> u64 {
    let numbers = world.state.position.iter().flat_map(|place| place.to_array3());
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, x| (hash ^ x.to_bits()).wrapping_mul(0x0000_0100_0000_01b3))
}

/// CPU seconds of steps, by stage.
#[derive(Default)]
struct Cost {
    steps: usize,
    sweeps: usize,
    lists: usize,
    seconds: [f64; Stage::ALL.len()],
    now: Option<(Stage, f64)>,
}

impl Cost {
    fn step(&mut self, world: &mut World<D3>) {
        let report: StepReport = world.step(self).expect("a step");
        if let Some((stage, since)) = self.now.take() {
            self.add(stage, since);
        }
        self.steps += 1;
        self.sweeps += report.sweeps as usize;
        self.lists += usize::from(report.pairs_rebuilt);
    }

    fn add(&mut self, stage: Stage, since: f64) {
        let place = Stage::ALL.iter().position(|&one| one == stage).expect("a stage");
        self.seconds[place] += cpu_seconds() - since;
    }

    /// Nanoseconds per grain and step, of one stage or of all.
    fn per_grain(&self, grains: usize, stage: Option<Stage>) -> f64 {
        let seconds = Stage::ALL.iter().zip(self.seconds).filter(|(of, _)| stage.is_none_or(|stage| stage == **of));
        1e9 * seconds.map(|(_, seconds)| seconds).sum::<f64>() / (self.steps * grains) as f64
    }
}

impl Observer for Cost {
    fn begin(&mut self, stage: Stage) {
        if let Some((last, since)) = self.now {
            self.add(last, since);
        }
        self.now = Some((stage, cpu_seconds()));
    }
}

/// CPU seconds of this thread so far.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
    time.tv_sec() as f64 + 1e-9 * time.tv_nsec() as f64
}

/// Seconds, where CPU time cannot be told.
#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
