//! How fast contacts of angular grains are found, and what share of a step that is:
//! `cargo bench -p riprap-engine --bench contacts [words]` (only rows that have one of the words); the numbers are kept in
//! benches/README.md.
//!
//! Grains fall into a box and lie there; then the stages of some steps are timed. A contact is a point of the contact
//! problem. The narrow phase is in two stages: *verify*, at the places where a step ends, and *measure gaps*, which uses
//! what verification has cached and measures the rest. The search for pairs is *find pairs*.

use riprap_engine::{
    Body, Convex, Criterion, D2, D3, Dim, Observer, Options, Placement, Settings, Shape, Silent, Stage, Vector, World,
};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!(
        "{:>12} {:>7} {:>8} {:>8} {:>9} {:>14} {:>12} {:>8} {:>8} {:>8} {:>8}",
        "grains",
        "corners",
        "threads",
        "number",
        "contacts",
        "contacts/s",
        "µs a grain",
        "find",
        "measure",
        "look",
        "solve"
    );
    for threads in [1, 2] {
        row::<D2>("polygons", threads, 30, 40, &words, |dice| corners_on_ball::<D2>(dice, 8));
        row::<D2>("squares", threads, 30, 40, &words, cube::<D2>);
        row::<D3>("boxes", threads, 8, 16, &words, cube::<D3>);
        row::<D3>("polyhedra", threads, 8, 16, &words, |dice| corners_on_ball::<D3>(dice, 20));
    }
}

fn row<D: Dim>(
    name: &str,
    threads: usize,
    side: usize,
    layers: usize,
    words: &[String],
    mut corners: impl FnMut(&mut Dice) -> Vec<D::Vector> + Send,
) {
    if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
        return;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let mut world = heap::<D>(side, layers, &mut corners);
        for _ in 0..400 {
            world.step(&mut Silent).expect("a step");
        }
        let mut clock = Clock { now: None, seconds: [0.0; Stage::ALL.len()] };
        let (mut contacts, steps) = (0, 20);
        for _ in 0..steps {
            contacts += world.step(&mut clock).expect("a step").candidates;
            clock.begin(Stage::Drive);
        }
        let total: f64 = clock.seconds.iter().sum();
        let of = |stage: Stage| clock.seconds[Stage::ALL.iter().position(|&one| one == stage).expect("a stage")];
        let narrow = of(Stage::MeasureGaps) + of(Stage::Verify);
        let grains = world.free_bodies().count();
        let Shape::Convex(convex) = &world.bodies[world.bodies.len() - 1].shape else { unreachable!("a grain") };
        println!(
            "{name:>12} {:>7} {threads:>8} {grains:>8} {:>9} {:>14.3e} {:>12.2} {:>7.1}% {:>7.1}% {:>7.1}% {:>7.1}%",
            convex.vertices.len(),
            contacts / steps,
            contacts as f64 / narrow,
            1e6 * narrow / (steps * grains) as f64,
            100.0 * of(Stage::FindPairs) / total,
            100.0 * of(Stage::MeasureGaps) / total,
            100.0 * of(Stage::Verify) / total,
            100.0 * of(Stage::Solve) / total
        );
    });
}

/// Seconds by stage.
struct Clock {
    now: Option<(Stage, Instant)>,
    seconds: [f64; Stage::ALL.len()],
}

impl Observer for Clock {
    fn begin(&mut self, stage: Stage) {
        if let Some((last, since)) = self.now {
            let place = Stage::ALL.iter().position(|&one| one == last).expect("a stage");
            self.seconds[place] += since.elapsed().as_secs_f64();
        }
        self.now = Some((stage, Instant::now()));
    }
}

/// Grains of radius 1 cm above each other in a box.
fn heap<D: Dim>(side: usize, layers: usize, corners: &mut impl FnMut(&mut Dice) -> Vec<D::Vector>) -> World<D> {
    // Fifty sweeps a step: enough for a heap to lie, and the same work in every step.
    let solver = Options { criterion: Criterion::Fixed { sweeps: 50 }, ..Options::default() };
    let settings = Settings { solver, ..Settings::new(1e-3) };
    let mut world = World::<D>::new(settings);
    let cell = 0.0202;
    for axis in 0..D::AXES {
        let mut wall = |normal: D::Vector, position: D::Vector| {
            let placement = Placement { position, ..Placement::default() };
            world.add(Body::wall("wall", Shape::Plane { normal }), placement);
        };
        wall(D::Vector::axis(axis), D::Vector::ZERO);
        if axis + 1 < D::AXES {
            wall(-D::Vector::axis(axis), D::Vector::axis(axis) * (cell * side as f64));
        }
    }
    let mut dice = Dice(7);
    for i in 0..side.pow(D::AXES as u32 - 1) * layers {
        let place = D::Vector::from_fn(|axis| {
            let row = i / side.pow(axis as u32);
            cell * (0.5 + if axis + 1 < D::AXES { row % side } else { row } as f64)
        });
        let corners: Vec<D::Vector> = corners(&mut dice).into_iter().map(|corner| corner * 0.01 + place).collect();
        let hull = Convex::<D>::hull(&corners).expect("a grain");
        let placement = Placement { position: hull.position, orientation: hull.orientation, ..Placement::default() };
        world.add(Body::solid(Shape::Convex(hull.convex), 2500.0), placement);
    }
    world
}

/// Numbers in [0, 1).
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn direction<D: Dim>(&mut self) -> D::Vector {
        loop {
            if let Some(unit) = D::Vector::from_fn(|_| 2.0 * self.throw() - 1.0).normalized() {
                return unit;
            }
        }
    }
}

/// Corners spread over a ball of radius 1: each new one is the farthest of some from those before.
fn corners_on_ball<D: Dim>(dice: &mut Dice, count: usize) -> Vec<D::Vector> {
    let mut corners = vec![dice.direction::<D>()];
    while corners.len() < count {
        let nearest = |at: D::Vector| corners.iter().map(|&c| (c - at).length()).fold(f64::INFINITY, f64::min);
        let best = (0..5).map(|_| dice.direction::<D>()).max_by(|&a, &b| nearest(a).total_cmp(&nearest(b)));
        corners.extend(best);
    }
    corners
}

/// A cube or square within a ball of radius 1, turned at random.
fn cube<D: Dim>(dice: &mut Dice) -> Vec<D::Vector> {
    let turn = D::Spin::from_fn(|_| 3.0 * dice.throw());
    let orientation = D::turn(D::Orientation::default(), turn);
    let half = 1.0 / (D::AXES as f64).sqrt();
    (0..1_usize << D::AXES)
        .map(|i| D::rotate(orientation, D::Vector::from_fn(|axis| if i >> axis & 1 == 0 { -half } else { half })))
        .collect()
}
