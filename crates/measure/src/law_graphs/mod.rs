//! The graph of every contact law, drawn from the step that runs: one contact is stepped over and over, with another
//! velocity each time, and what it does is plotted.

mod methods;

use crate::plot::{Axis, Chart, Curve, Style};
use riprap_engine::{
    Body, BondLaw, Bridges, Cohesion, Criterion, D2, D3, Dim, Extent, Freedom, Freedoms, GapVariant, Gravity, Liquid,
    Load, Materials, Motion, Options, PairLaw, Placement, Scheme, Settings, Shape, Silent, SpeedCurve, Strength,
    Target, TimeFunction, TorqueLimit, Vector, World,
};

/// The time step of all graphs.
const STEP: f64 = 1e-3;
/// The weight that presses where a law is shown under pressure: its time step is the unit of impulse.
const WEIGHT: f64 = 1.0;

/// All graphs, each with the name of its file.
pub fn law_graphs() -> Vec<(&'static str, Chart)> {
    vec![
        ("signorini", signorini()),
        ("restitution", restitution()),
        ("coulomb", coulomb()),
        ("friction-by-speed", friction_by_speed()),
        ("rolling", rolling()),
        ("torsion", torsion()),
        ("adhesion", adhesion()),
        ("cohesion", cohesion()),
        ("cohesion-gap", cohesion_by_gap()),
        ("capillary", capillary()),
        ("bond", bond()),
        ("viscous", methods::viscous()),
        ("tresca", methods::tresca()),
        ("soft-collision", methods::soft_collision()),
        ("soft-friction", methods::soft_friction()),
        ("soft-rolling", methods::soft_rolling()),
    ]
}

/// A ball of mass 1 and radius 1/2 above a floor, with this gap, in a world of this law. It turns only if it is `free`,
/// and is pressed by [`WEIGHT`] only if it is `pressed`.
fn on_floor<D: Dim>(law: PairLaw, gap: f64, pressed: bool, free: bool) -> World<D> {
    let settings = Settings {
        scheme: Scheme::Euler { gap: GapVariant::Keep },
        solver: Options { criterion: Criterion::Residual { tolerance: 1e-12 }, ..Options::default() },
        ..Settings::new(STEP)
    };
    let mut world = World::new(settings);
    world.materials = Materials::single("one", law);
    world.gravity = Gravity::none();
    world.groups.push("all".into());
    let up = D::Vector::axis(D::AXES - 1);
    let weight = if pressed { up * -WEIGHT } else { D::Vector::ZERO };
    let mut body = Body::ball(0.5, 1.0 / D::ball_volume(0.5));
    if !free {
        let mut freedoms = Freedoms::default();
        for axis in 0..D::AXES {
            freedoms.translation[axis] = Freedom::Force(TimeFunction::Constant(weight.get(axis)));
        }
        body.motion = Motion::Driven(Box::new(freedoms));
    }
    world.add(body, Placement { position: up * (0.5 + gap), ..Placement::default() });
    world.add(Body::wall("floor", Shape::Plane { normal: up }), Placement::default());
    if free {
        world.loads.push(Load {
            target: Target::Body(0),
            force: weight.to_array3().map(TimeFunction::Constant),
            torque: [0.0; 3].map(TimeFunction::Constant),
        });
    }
    world
}

/// One step of a copy of `world`, with the ball's motion changed; its contact, if it has one.
fn stepped<D: Dim>(world: &World<D>, change: impl Fn(&mut World<D>)) -> World<D> {
    let mut world = world.clone();
    change(&mut world);
    // One contact of a ball cannot fail to be solved.
    let _ = world.step(&mut Silent);
    world
}

/// The normal velocity after the step against the normal force in it, from many velocities before it.
fn normal_graph(world: &World<D2>, speeds: f64) -> Vec<[f64; 2]> {
    swept(speeds)
        .map(|speed| {
            let after = stepped(world, |world| world.state.velocity[0] = <D2 as Dim>::Vector::axis(1) * speed);
            let force = after.state.contacts.first().map_or(0.0, |contact| contact.impulse.dot(contact.normal) / STEP);
            [after.state.velocity[0].get(1), force]
        })
        .collect()
}

/// Speeds from one end to the other, denser where nothing is.
fn swept(most: f64) -> impl Iterator<Item = f64> {
    (-400..=400).map(move |i| most * f64::from(i) / 400.0)
}

fn signorini() -> Chart {
    let world = on_floor(PairLaw::frictional(0.0), 0.0, false, true);
    Chart::new("Signorini: no tension, no overlap", Axis::linear("u_{n}^{+} (m/s)"), Axis::linear("f_{n} (N)"))
        .with(Curve::new(Style::Line, normal_graph(&world, 2e-3)))
}

fn restitution() -> Chart {
    let mut chart = Chart::new("Restitution", Axis::linear("-u_{n}^{-} (m/s)"), Axis::linear("u_{n}^{+} (m/s)"));
    let laws = [
        ("e_{n} = 0.3", PairLaw { normal_restitution: 0.3, ..PairLaw::default() }),
        ("e_{n} = 0.9", PairLaw { normal_restitution: 0.9, ..PairLaw::default() }),
        (
            "by speed: 0.7 (v/(1 m/s))^{-1/4}",
            PairLaw {
                restitution_curve: Some(SpeedCurve::Power { value: 0.7, speed: 1.0, exponent: -0.25 }),
                ..PairLaw::default()
            },
        ),
    ];
    for (name, law) in laws {
        let world = on_floor::<D2>(law, 0.0, false, true);
        let points = (0..=200).map(|i| {
            let speed = 0.01 * f64::from(i);
            let after = stepped(&world, |world| world.state.velocity[0] = <D2 as Dim>::Vector::axis(1) * -speed);
            [speed, after.state.velocity[0].get(1)]
        });
        chart = chart.with(Curve::new(Style::Line, points.collect()).named(name));
    }
    chart
}

/// The tangential velocity after the step against the friction over the normal force.
fn tangential_graph(world: &World<D2>, most: f64) -> Vec<[f64; 2]> {
    swept(most)
        .map(|speed| {
            let after = stepped(world, |world| world.state.velocity[0] = <D2 as Dim>::Vector::axis(0) * speed);
            let force = after.state.contacts.first().map_or(0.0, |contact| contact.impulse.get(0) / STEP);
            [after.state.velocity[0].get(0), force / WEIGHT]
        })
        .collect()
}

fn coulomb() -> Chart {
    let world = on_floor(PairLaw::frictional(0.5), 0.0, true, false);
    Chart::new("Coulomb: μ = 0.5", Axis::linear("u_{t}^{+} (m/s)"), Axis::linear("f_{t}/f_{n}"))
        .with(Curve::new(Style::Line, tangential_graph(&world, 2e-3)))
}

fn friction_by_speed() -> Chart {
    let mut chart = Chart::new("Friction by speed", Axis::linear("u_{t}^{+} (m/s)"), Axis::linear("f_{t}/f_{n}"));
    for (name, curve) in [
        ("decay from 0.5 to 0.2 at 0.3 m/s", SpeedCurve::Decay { from: 0.5, to: 0.2, speed: 0.3 }),
        ("table: 0.4 at rest, 0.1 at 1 m/s", SpeedCurve::Table(vec![[0.0, 0.4], [1.0, 0.1]])),
    ] {
        let law = PairLaw { friction_curve: Some(curve.clone()), ..PairLaw::frictional(curve.at(0.0)) };
        let world = on_floor(law, 0.0, true, false);
        chart = chart.with(Curve::new(Style::Line, tangential_graph(&world, 1.2)).named(name));
    }
    chart
}

/// A ball on the floor that spins about `axis`: its spin after the step against the torque over the normal force.
fn torque_graph<D: Dim>(law: PairLaw, axis: usize, most: f64) -> Vec<[f64; 2]> {
    let world = on_floor::<D>(law, 0.0, true, true);
    swept(most)
        .map(|spin| {
            let after = stepped(&world, |world| {
                // It rolls or turns on the spot, so that friction has nothing to do.
                let spin = D::Spin::from_fn(|i| if i == axis { spin } else { 0.0 });
                world.state.spin[0] = spin;
                world.state.velocity[0] = -D::cross(spin, D::Vector::axis(D::AXES - 1) * -0.5);
            });
            let torque = after.state.extras_of(0).torque.get(axis) / STEP;
            [after.state.spin[0].get(axis), torque / WEIGHT]
        })
        .collect()
}

fn rolling() -> Chart {
    let mut chart = Chart::new("Rolling friction", Axis::linear("Ω_{t}^{+} (rad/s)"), Axis::linear("τ_{t}/f_{n} (m)"));
    for (name, rolling) in
        [("length 0.05 m", TorqueLimit::Length(0.05)), ("coefficient 0.2, r* = 0.5 m", TorqueLimit::Reduced(0.2))]
    {
        let law = PairLaw { rolling, ..PairLaw::frictional(0.5) };
        chart = chart.with(Curve::new(Style::Line, torque_graph::<D2>(law, 0, 2e-3)).named(name));
    }
    chart
}

fn torsion() -> Chart {
    let law = PairLaw { torsion: TorqueLimit::Length(0.05), ..PairLaw::frictional(0.5) };
    Chart::new("Torsion friction", Axis::linear("Ω_{n}^{+} (rad/s)"), Axis::linear("τ_{n}/f_{n} (m)"))
        .with(Curve::new(Style::Line, torque_graph::<D3>(law, 2, 2e-3)).named("length 0.05 m"))
}

fn holding(extent: Extent) -> PairLaw {
    PairLaw { cohesion: Some(Cohesion { strength: Strength::Force(1.0), extent }), ..PairLaw::default() }
}

fn adhesion() -> Chart {
    let world = on_floor(holding(Extent::Contact), 0.0, false, true);
    Chart::new("Adhesion: 1 N", Axis::linear("u_{n}^{+} (m/s)"), Axis::linear("f_{n} (N)"))
        .with(Curve::new(Style::Line, normal_graph(&world, 2e-3)))
}

fn cohesion() -> Chart {
    let mut chart = Chart::new(
        "Cohesion with a range: F_{C} = 1 N, d_{C} = 2 μm",
        Axis::linear("u_{n}^{+} (m/s)"),
        Axis::linear("f_{n} (N)"),
    );
    for (name, gap) in [("gap 0", 0.0), ("gap 1 μm, touched before", 1e-6)] {
        // One step at rest where the two touch; then the ball is put where it is to be.
        let touching = on_floor(holding(Extent::Range(2e-6)), 0.0, false, true);
        let mut world = stepped(&touching, |_| ());
        world.state.position[0] += <D2 as Dim>::Vector::axis(1) * gap;
        chart = chart.with(Curve::new(Style::Line, normal_graph(&world, 2.5e-3)).named(name));
    }
    chart
}

/// A ball that is pulled off the floor at constant speed.
fn cohesion_by_gap() -> Chart {
    let mut chart = Chart::new("Opening a cohesive contact", Axis::linear("gap (μm)"), Axis::linear("f_{n} (N)"));
    for (name, extent) in [("adhesion", Extent::Contact), ("cohesion, d_{C} = 200 μm", Extent::Range(2e-4))] {
        let mut world = on_floor::<D2>(holding(extent), 0.0, false, true);
        let mut points = Vec::new();
        for _ in 0..300 {
            if world.step(&mut Silent).is_err() {
                break;
            }
            let force = world.state.contacts.first().map_or(0.0, |contact| contact.impulse.get(1) / STEP);
            let gap = world.state.contacts.first().map_or(points.len() as f64, |contact| contact.gap * 1e6);
            points.push([gap, force]);
            // The first step makes them touch; from then on the ball is pulled at 1 mm/s.
            world.state.velocity[0] = <D2 as Dim>::Vector::axis(1) * (1e-3 + STEP);
        }
        chart = chart.with(Curve::new(Style::Line, points).named(name));
    }
    chart
}

/// The force between two spheres at rest, from the motion that it gives them in one step.
fn capillary() -> Chart {
    let mut chart =
        Chart::new("Capillary bridges: water, R_{i} = 1 mm", Axis::linear("gap (mm)"), Axis::linear("f_{n} (mN)"));
    for (name, radius, volume) in [
        ("R_{j} = 1 mm, V_{b} = 1 nl", 1e-3, 1e-12),
        ("R_{j} = 1 mm, V_{b} = 10 nl", 1e-3, 1e-11),
        ("R_{j} = 2 mm, V_{b} = 10 nl", 2e-3, 1e-11),
    ] {
        let points = (0..=250).map(|i| {
            let gap = f64::from(i) * 1e-6;
            let mut world = on_floor::<D3>(PairLaw::default(), 1.0, false, true);
            world.liquid =
                Some(Liquid { surface_tension: 0.072, contact_angle: 0.0, volume, bridges: Bridges::Shared });
            world.bodies[0] = Body::ball(1e-3, 1.0);
            let place = world.state.position[0] + <D3 as Dim>::Vector::axis(0) * (1e-3 + radius + gap);
            world.add(Body::ball(radius, 1.0), Placement { position: place, ..Placement::default() });
            let after = stepped(&world, |_| ());
            let link = after.links().find(|link| link.bodies == [0, 2]);
            [gap * 1e3, link.map_or(0.0, |link| -link.attraction * 1e3)]
        });
        chart = chart.with(Curve::new(Style::Line, points.collect()).named(name));
    }
    chart
}

/// The largest shear force that a bond holds, by the normal force on it, found by halves.
fn bond() -> Chart {
    let law = BondLaw { tensile_strength: 2.0, shear_strength: 1.0, ..BondLaw::default() };
    let holds = |normal: f64, shear: f64| {
        let mut world = on_floor::<D2>(PairLaw::frictional(0.0), 0.0, false, false);
        let mut freedoms = Freedoms::default();
        freedoms.translation[0] = Freedom::Force(TimeFunction::Constant(shear));
        freedoms.translation[1] = Freedom::Force(TimeFunction::Constant(-normal));
        world.bodies[0].motion = Motion::Driven(Box::new(freedoms));
        world.glue_touching(law, |_, _| true);
        !stepped(&world, |_| ()).state.bonds.is_empty()
    };
    let points = (-40..=60).map(|i| {
        let normal = f64::from(i) * 0.05;
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            *(if holds(normal, middle) { &mut low } else { &mut high }) = middle;
        }
        [normal, low]
    });
    Chart::new(
        "Bond: tensile strength 2 N, shear strength 1 N",
        Axis::linear("f_{n} (N)"),
        Axis::linear("largest f_{t} (N)"),
    )
    .with(Curve::new(Style::Line, points.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    /// All graphs, drawn once for all tests.
    static GRAPHS: LazyLock<Vec<(&'static str, Chart)>> = LazyLock::new(law_graphs);

    fn graph(name: &str) -> Vec<Vec<[f64; 2]>> {
        let (_, chart) = GRAPHS.iter().find(|(other, _)| *other == name).expect("there is such a graph");
        chart.curves.iter().map(|curve| curve.points.clone()).collect()
    }

    #[test]
    fn graphs_of_laws_are_those_of_the_papers() {
        for [u, f] in graph("signorini").concat() {
            assert!(u.abs() < 1e-12 || f.abs() < 1e-9, "{u} {f}");
        }
        for [u, f] in graph("coulomb").concat() {
            assert!(f.abs() <= 0.5 + 1e-9 && (u.abs() < 1e-9 || (f + 0.5 * u.signum()).abs() < 1e-9), "{u} {f}");
        }
        for [u, f] in graph("rolling")[0].clone() {
            assert!(f.abs() <= 0.05 + 1e-9 && (u.abs() < 1e-9 || (f + 0.05 * u.signum()).abs() < 1e-9), "{u} {f}");
        }
        for [u, f] in graph("torsion").concat() {
            assert!(f.abs() <= 0.05 + 1e-9 && (u.abs() < 1e-9 || (f + 0.05 * u.signum()).abs() < 1e-9), "{u} {f}");
        }
        for [u, f] in graph("adhesion").concat() {
            assert!(f >= -1.0 - 1e-9 && (u.abs() < 1e-12 || (f + 1.0).abs() < 1e-9), "{u} {f}");
        }
        // The staircase of docs/method.md §3 across a gap of 1 μm: closing takes 1 mm/s.
        for [u, f] in graph("cohesion")[1].clone() {
            let on_it = match u {
                u if u > 1e-9 => (f + 1.0).abs() < 1e-6,
                u if u > -1e-9 => (-1.0 - 1e-6..=1e-6).contains(&f),
                u if u > -1e-3 + 1e-9 => f.abs() < 1e-6,
                u => (u + 1e-3).abs() < 1e-9 && f > -1e-6,
            };
            assert!(on_it, "{u} {f}");
        }
        for [n, t] in graph("bond").concat() {
            assert!((t - (1.0 + 0.5 * n).max(0.0)).abs() < 1e-3, "{n} {t}");
        }
    }

    #[test]
    fn graphs_of_the_other_methods_are_those_of_their_laws() {
        // P = 4K D where the contact closes and is not held shut by non-penetration alone (docs/method.md §7).
        for (curve, viscosity) in graph("viscous").into_iter().zip([0.2, 1.0, 5.0]) {
            for [d, p] in curve {
                let held = -4.0 * viscosity * d.min(0.0);
                assert!(if 2.0 * viscosity > 1.0 { (p - held).abs() < 1e-9 } else { p >= held - 1e-9 }, "{d} {p}");
            }
        }
        for [u, f] in graph("tresca")[0].clone() {
            assert!(f.abs() <= 0.3 + 1e-9 && (u.abs() < 1e-9 || (f + 0.3 * u.signum()).abs() < 1e-9), "{u} {f}");
        }
        let [elastic, clamped, free] = graph("soft-collision").try_into().expect("three collisions");
        assert!(elastic.iter().all(|[overlap, f]| (f - 10.0 * overlap).abs() < 0.02 * 100.0));
        let least = |curve: &[[f64; 2]]| curve.iter().map(|[_, f]| *f).fold(f64::INFINITY, f64::min);
        assert!(least(&clamped) >= 0.0 && least(&free) < -10.0);
        for (name, limit) in [("soft-friction", 0.5), ("soft-rolling", 0.05)] {
            let points = graph(name).concat();
            let reaches = |sign: f64| points.iter().filter(|[_, f]| (f * sign - limit).abs() < 1e-3 * limit).count();
            assert!(points.iter().all(|[_, f]| f.abs() < (1.0 + 1e-3) * limit), "{name}");
            assert!(reaches(1.0) > 100 && reaches(-1.0) > 100, "{name}");
        }
    }

    #[test]
    fn the_figures_in_docs_are_those_of_the_code() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/laws");
        for (name, chart) in GRAPHS.iter() {
            let path = folder.join(format!("{name}.svg"));
            let drawn = std::fs::read_to_string(&path).unwrap_or_default();
            let anew = "regenerate them: cargo run --release -p riprap-measure --example laws docs/laws";
            assert!(drawn == chart.draw().svg(), "{}: {anew}", path.display());
        }
    }
}
