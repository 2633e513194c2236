//! The laws of A-CD² and of molecular dynamics, drawn from their own steps.

use super::{STEP, WEIGHT, on_floor, stepped, swept, tangential_graph};
use crate::plot::{Axis, Chart, Curve, Style};
use riprap_engine::{
    D2, Dim, Dissipation, Freedom, Freedoms, Method, Motion, PairLaw, PercussionOptions, Scheme, Silent, Soft,
    TimeFunction, TorqueLimit, Vector, World,
};

/// A ball on the floor under A-CD², with a quadratic pseudopotential or Tresca's threshold.
fn percussions(dissipation: Dissipation, pressed: bool) -> World<D2> {
    let law = PairLaw { dissipation, ..PairLaw::frictional(0.0) };
    let mut world = on_floor(law, 0.0, pressed, false);
    world.settings.scheme = Scheme::Midpoint { tolerance: 1e-9 };
    world.method = Method::Percussions(PercussionOptions { tolerance: 1e-12, ..PercussionOptions::default() });
    world
}

/// The percussion of a shock against the mean of the velocities before and after it, on a mass of 1 kg.
pub(super) fn viscous() -> Chart {
    let mut chart =
        Chart::new("Viscous shocks (A-CD²): m = 1 kg", Axis::linear("D_{n} (m/s)"), Axis::linear("P_{n} (N s)"));
    for (name, normal_viscosity) in [("K_{N} = 0.2 kg", 0.2), ("K_{N} = 1 kg", 1.0), ("K_{N} = 5 kg", 5.0)] {
        let world = percussions(Dissipation { normal_viscosity, ..Dissipation::default() }, false);
        let points = swept(1.0).map(|speed| {
            let after = stepped(&world, |world| world.state.velocity[0] = <D2 as Dim>::Vector::axis(1) * speed);
            let impulse = after.state.contacts.first().map_or(0.0, |contact| contact.impulse.get(1));
            [0.5 * (speed + after.state.velocity[0].get(1)), impulse]
        });
        chart = chart.with(Curve::new(Style::Line, points.collect()).named(name));
    }
    chart
}

pub(super) fn tresca() -> Chart {
    let mut chart = Chart::new(
        "Tresca and tangential viscosity (A-CD²)",
        Axis::linear("u_{t}^{+} (m/s)"),
        Axis::linear("f_{t} (N)"),
    );
    for (name, tresca, tangential_viscosity) in
        [("threshold 0.3 N", Some(0.3), 0.0), ("threshold 0.3 N, K_{T} = 0.1 kg", Some(0.3), 0.1)]
    {
        let world = percussions(Dissipation { normal_viscosity: 0.0, tangential_viscosity, tresca }, true);
        chart = chart.with(Curve::new(Style::Line, tangential_graph(&world, 1e-3)).named(name));
    }
    chart
}

/// Stiffness of soft contacts; a mass of 1 kg then swings for π/100 s.
const STIFFNESS: f64 = 1e4;

/// A ball on the floor under molecular dynamics, in windows of one short step, so that forces are those of the moment.
fn soft(law: PairLaw, clamp: bool, depth: f64) -> World<D2> {
    let mut world = on_floor(law, -depth, false, false);
    world.settings.time_step = 0.1 * STEP;
    world.method = Method::MolecularDynamics(Soft { clamp, ..Soft::new(STIFFNESS, 0.1 * STEP) });
    world
}

/// The force in the course of a collision at 1 m/s, against the overlap.
pub(super) fn soft_collision() -> Chart {
    let mut chart =
        Chart::new("A soft collision: k = 10 kN/m", Axis::linear("overlap (mm)"), Axis::linear("f_{n} (N)"));
    for (name, normal_restitution, clamp) in [
        ("e_{n} = 1", 1.0, true),
        ("e_{n} = 0.3, clamped", 0.3, true),
        ("e_{n} = 0.3, not clamped: it pulls at the end", 0.3, false),
    ] {
        let mut world = soft(PairLaw { normal_restitution, ..PairLaw::frictional(0.0) }, clamp, 0.0);
        world.state.velocity[0] = <D2 as Dim>::Vector::axis(1) * -1.0;
        let mut points = Vec::new();
        while points.len() < 1000 && world.step(&mut Silent).is_ok() {
            let Some(contact) = world.state.contacts.first().filter(|contact| contact.gap < 0.0) else { break };
            points.push([-1e3 * contact.gap, contact.impulse.get(1) / world.settings.time_step]);
        }
        chart = chart.with(Curve::new(Style::Line, points).named(name));
    }
    chart
}

/// A pressed ball that is moved, or turned, there for some time, back for twice as long, and there again.
fn there_and_back(law: PairLaw, drive: impl Fn(&mut Freedoms<D2>, Freedom), speed: f64, time: f64) -> World<D2> {
    let mut world = soft(law, true, WEIGHT / STIFFNESS);
    let (turn, again) = (time + 0.1 * STEP, 3.0 * time + 0.1 * STEP);
    let table = vec![(0.0, speed), (time, speed), (turn, -speed), (3.0 * time, -speed), (again, speed)];
    let mut freedoms = Freedoms::default();
    freedoms.translation[1] = Freedom::Force(TimeFunction::Constant(-WEIGHT));
    drive(&mut freedoms, Freedom::Velocity(TimeFunction::Table(table)));
    world.bodies[0].motion = Motion::Driven(Box::new(freedoms));
    world
}

pub(super) fn soft_friction() -> Chart {
    let law = PairLaw { normal_restitution: 0.3, ..PairLaw::frictional(0.5) };
    let time = 0.03;
    let mut world = there_and_back(law, |freedoms, drive| freedoms.translation[0] = drive, 0.01, time);
    let mut points = Vec::new();
    while world.state.time < 5.0 * time && world.step(&mut Silent).is_ok() {
        let force = world.state.contacts.first().map_or(0.0, |contact| contact.impulse.get(0));
        points.push([1e6 * world.state.position[0].get(0), force / world.settings.time_step / WEIGHT]);
    }
    Chart::new("Soft friction, moved there and back: μ = 0.5", Axis::linear("way (μm)"), Axis::linear("f_{t}/f_{n}"))
        .with(Curve::new(Style::Line, points))
}

pub(super) fn soft_rolling() -> Chart {
    let law = PairLaw { rolling: TorqueLimit::Length(0.05), ..PairLaw::frictional(0.0) };
    let time = 0.03;
    let mut world = there_and_back(law, |freedoms, drive| freedoms.rotation[0] = drive, 0.01, time);
    let mut points = Vec::new();
    while world.state.time < 5.0 * time && world.step(&mut Silent).is_ok() {
        let torque = world.state.extras_of(0).torque.get(0);
        points.push([1e6 * world.state.orientation[0], torque / world.settings.time_step / WEIGHT]);
    }
    Chart::new(
        "Soft rolling, turned there and back: length 0.05 m",
        Axis::linear("angle (10^{-6} rad)"),
        Axis::linear("τ_{t}/f_{n} (m)"),
    )
    .with(Curve::new(Style::Line, points))
}
