//! Small worlds from a few calls, for disks and spheres alike.

use riprap_engine::{
    Body, Convex, Criterion, Dim, Freedom, Freedoms, GapVariant, Gravity, Load, Materials, Motion, Options, PairLaw,
    Placement, Scheme, Settings, Shape, Silent, StepReport, Target, TimeFunction, Vector, World,
};

/// Declares each generic test in the plane and in space.
macro_rules! in_both_dimensions {
    ($($name:ident),* $(,)?) => {
        mod in_the_plane {
            $(#[test] fn $name() { super::$name::<riprap_engine::D2>(); })*
        }
        mod in_space {
            $(#[test] fn $name() { super::$name::<riprap_engine::D3>(); })*
        }
    };
}
pub(crate) use in_both_dimensions;

/// Pairs that touch but for rounding count as touching; lengths in these tests are of order 1.
pub const MIDPOINT: Scheme = Scheme::Midpoint { tolerance: 1e-9 };
pub const EULER: Scheme = Scheme::Euler { gap: GapVariant::Keep };
pub const SCHEMES: [Scheme; 2] = [MIDPOINT, EULER];
/// The relative residual that the solver is asked for.
pub const RESIDUAL: f64 = 1e-12;
/// What rounding may do to a balance, relative to its terms: a few thousand operations of 1e-16 each, adding up at
/// worst, and far below any real leak.
pub const ROUNDING: f64 = 1e-12;

/// A world without bodies and gravity, in which every pair of bodies has one law.
pub fn world<D: Dim>(scheme: Scheme, time_step: f64, law: PairLaw) -> World<D> {
    let solver =
        Options { criterion: Criterion::Residual { tolerance: RESIDUAL }, max_sweeps: 10_000, ..Options::default() };
    let mut world = World::new(Settings { scheme, solver, ..Settings::new(time_step) });
    world.materials = Materials::single("stone", law);
    world.gravity = Gravity::none();
    world.groups.push("grains".into());
    world
}

/// A law with one friction, and restitution.
pub fn law(friction: f64, normal_restitution: f64, tangential_restitution: f64) -> PairLaw {
    PairLaw { normal_restitution, tangential_restitution, ..PairLaw::frictional(friction) }
}

/// The unit vector against gravity.
pub fn up<D: Dim>() -> D::Vector {
    D::Vector::axis(D::AXES - 1)
}

/// A unit vector along the floor; in space it lies between the two axes.
pub fn along<D: Dim>() -> D::Vector {
    D::Vector::from_array3(if D::AXES == 2 { [1.0, 0.0, 0.0] } else { [0.6, 0.8, 0.0] })
}

/// The spin of a ball that rolls along `direction` over the floor, one radian per unit of time.
pub fn rolling<D: Dim>(direction: D::Vector) -> D::Spin {
    D::wedge(up::<D>(), direction)
}

/// The rolling part of a spin, positive if the ball rolls forward along `direction`.
pub fn forward<D: Dim>(spin: D::Spin, direction: D::Vector) -> f64 {
    spin.dot(rolling::<D>(direction))
}

/// Sets a downward acceleration, tilted by `angle` towards [`along`].
pub fn gravity<D: Dim>(world: &mut World<D>, strength: f64, angle: f64) {
    world.gravity.acceleration = up::<D>() * -strength;
    world.gravity.tilt = (angle != 0.0).then(|| (along::<D>(), TimeFunction::Constant(angle)));
}

/// Adds a body; returns its index.
pub fn add<D: Dim>(world: &mut World<D>, body: Body<D>, placement: Placement<D>) -> usize {
    let id = world.add(body, placement);
    world.index_of(id).expect("it was just added")
}

/// Adds a full ball of unit density; returns its index.
pub fn ball<D: Dim>(world: &mut World<D>, radius: f64, position: D::Vector, velocity: D::Vector) -> usize {
    let placement = Placement { position, velocity, ..Placement::default() };
    add(world, Body::ball(radius, 1.0), placement)
}

/// Adds a fixed plane through `point`; returns its index.
pub fn plane<D: Dim>(world: &mut World<D>, normal: D::Vector, point: D::Vector) -> usize {
    let placement = Placement { position: point, ..Placement::default() };
    add(world, Body::wall("plane", Shape::Plane { normal }), placement)
}

/// Adds a floor through the origin.
pub fn floor<D: Dim>(world: &mut World<D>) -> usize {
    plane(world, up::<D>(), D::Vector::ZERO)
}

/// A body loaded with a constant force along every axis, its rotation blocked.
pub fn pushed<D: Dim>(force: D::Vector) -> Motion<D> {
    let mut freedoms = Freedoms::default();
    for axis in 0..D::AXES {
        freedoms.translation[axis] = Freedom::Force(TimeFunction::Constant(force.get(axis)));
    }
    Motion::Driven(Box::new(freedoms))
}

/// A constant force on one body.
pub fn force<D: Dim>(world: &mut World<D>, body: usize, force: D::Vector) {
    world.loads.push(Load {
        target: Target::Body(body as u32),
        force: force.to_array3().map(TimeFunction::Constant),
        torque: [0.0; 3].map(TimeFunction::Constant),
    });
}

/// One step, with its balances of momentum and energy checked.
pub fn step<D: Dim>(world: &mut World<D>) -> StepReport {
    let report = world.step(&mut Silent).unwrap_or_else(|error| panic!("{error}"));
    assert!(report.momentum_error <= ROUNDING, "step {}: momentum error {:e}", report.step, report.momentum_error);
    let (error, scale) = (report.energy.error(), report.energy.scale());
    assert!(error.abs() <= ROUNDING * scale, "step {}: energy error {error:e} of {scale:e}", report.step);
    if let Scheme::Midpoint { .. } = world.settings.scheme {
        // Free flight of the midpoint scheme is exact: nothing is left over.
        assert!(report.energy.scheme.abs() <= ROUNDING * scale, "scheme {:e} of {scale:e}", report.energy.scheme);
    }
    report
}

/// Many steps; the report of the last.
pub fn run<D: Dim>(world: &mut World<D>, steps: usize) -> StepReport {
    let mut last = StepReport::default();
    for _ in 0..steps {
        last = step(world);
    }
    last
}

/// Total momentum of the free bodies.
pub fn momentum<D: Dim>(world: &World<D>) -> D::Vector {
    world.free_bodies().fold(D::Vector::ZERO, |sum, body| sum + world.state.velocity[body] * world.bodies[body].mass)
}

/// Asserts that two numbers agree within an absolute tolerance.
#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} within {tolerance:e}");
}

/// Asserts that two vectors agree within an absolute tolerance.
#[track_caller]
pub fn near<V: Vector>(found: V, expected: V, tolerance: f64) {
    assert!((found - expected).length() <= tolerance, "found {found:?}, expected {expected:?} within {tolerance:e}");
}

/// The corners of a cuboid (in the plane a rectangle): half lengths along the first axis, the second (in space only) and
/// upwards; turned forward about the second axis by `angle`, as a body that rolls along the first.
pub fn cuboid<D: Dim>(centre: D::Vector, half: [f64; 3], angle: f64) -> Vec<D::Vector> {
    let half = |axis: usize| if axis + 1 == D::AXES { half[2] } else { half[axis] };
    let (sin, cos) = angle.sin_cos();
    (0..1_usize << D::AXES)
        .map(|i| {
            let corner = |axis: usize| if i >> axis & 1 == 0 { -half(axis) } else { half(axis) };
            let (x, z) = (corner(0), corner(D::AXES - 1));
            let turned = D::Vector::axis(0) * (cos * x + sin * z) + up::<D>() * (cos * z - sin * x);
            centre + turned + if D::AXES == 3 { D::Vector::axis(1) * corner(1) } else { D::Vector::ZERO }
        })
        .collect()
}

/// Adds the hull of points where they are, full and free; returns its index.
pub fn solid<D: Dim>(world: &mut World<D>, corners: &[D::Vector], density: f64) -> usize {
    let hull = Convex::<D>::hull(corners).unwrap();
    let placement = Placement { position: hull.position, orientation: hull.orientation, ..Placement::default() };
    add(world, Body::solid(Shape::Convex(hull.convex), density), placement)
}

/// Adds the hull of points as a wall that does not move.
pub fn fixed_solid<D: Dim>(world: &mut World<D>, corners: &[D::Vector]) -> usize {
    let hull = Convex::<D>::hull(corners).unwrap();
    let placement = Placement { position: hull.position, orientation: hull.orientation, ..Placement::default() };
    add(world, Body::wall("block", Shape::Convex(hull.convex)), placement)
}
