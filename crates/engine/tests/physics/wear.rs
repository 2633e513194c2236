//! What walls carry, face by face: pressing, sliding and wear.

use crate::setting::*;
use riprap_engine::{Body, D2, D3, Dim, FaceLoad, Mesh, PairLaw, Placement, Shape, Silent, Soft, State, Vector, World};
use std::sync::Arc;

in_both_dimensions!(
    a_sliding_block_wears_what_archard_says_of_the_faces_that_it_slid_on,
    wear_goes_on_from_a_state_and_goes_with_its_wall,
);

const G: f64 = 9.81;
const WEAR: f64 = 3e-12;

/// A strip of five squares of two triangles (in 2D five segments) along the direction of sliding, each 0.3 m long.
fn strip<D: Dim>() -> Shape<D> {
    let count = 5;
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for i in 0..=count {
        let at = along::<D>() * (0.3 * f64::from(i) - 0.2);
        if D::AXES == 2 {
            points.push(at);
        } else {
            points.extend([-1.0, 1.0].map(|y| at + D::Vector::axis(1) * y));
        }
    }
    for i in 0..count as usize {
        if D::AXES == 2 {
            faces.push([i + 1, i, 0]);
        } else {
            let [a, b, c, d] = [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1];
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    Shape::Mesh(Arc::new(Mesh::new(&points, &faces).unwrap()))
}

/// A block that slides along the strip at 2 m/s to begin with.
fn sliding<D: Dim>() -> (World<D>, usize, usize) {
    let mut world = world::<D>(MIDPOINT, 1e-3, PairLaw { wear: WEAR, ..law(0.4, 0.0, 0.0) });
    gravity(&mut world, G, 0.0);
    let wall = add(&mut world, Body::wall("strip", strip::<D>()), Placement::default());
    let block = solid(&mut world, &cuboid::<D>(up::<D>() * 0.05, [0.05; 3], 0.0), 2500.0);
    world.state.velocity[block] = along::<D>() * 2.0;
    (world, wall, block)
}

fn total(faces: &[FaceLoad]) -> [f64; 3] {
    let sum = |part: fn(&FaceLoad) -> f64| faces.iter().map(part).sum();
    [sum(|face| face.normal_impulse), sum(|face| face.sliding_work), sum(|face| face.worn_volume)]
}

fn a_sliding_block_wears_what_archard_says_of_the_faces_that_it_slid_on<D: Dim>() {
    let (mut world, wall, block) = sliding::<D>();
    let mass = world.bodies[block].mass;
    let steps = 800;
    run(&mut world, steps);
    assert!(world.state.velocity[block].length() < 1e-9, "it has come to rest");
    let way = 2.0_f64.powi(2) / (2.0 * 0.4 * G);
    close(world.state.position[block].dot(along::<D>()), way, 1e-6);
    let faces = &world.state.wear[0].faces;
    let [impulse, work, worn] = total(faces);
    let slid = world.state.position[block].dot(along::<D>());
    close(impulse / (mass * G * steps as f64 * 1e-3), 1.0, 1e-9);
    close(work / (0.5 * mass * 4.0), 1.0, 1e-9);
    close(worn / (WEAR * mass * G * slid), 1.0, 1e-9);
    // From 0.05 m behind the start to 0.05 m before the end: the strip is touched from -0.05 m to 0.56 m.
    let touched = |from: usize| faces[from..].iter().any(|face| face.worn_volume > 0.0);
    let per_square = D::AXES - 1;
    assert!(touched(0) && touched(2 * per_square) && !touched(3 * per_square));
    let area: f64 = world.face_areas(wall).iter().sum();
    // In space the sides of the strip are 2 m long along y, which is not across its length.
    let across = 2.0 * (1.0 - along::<D>().get(1).powi(2)).sqrt();
    close(area, if D::AXES == 2 { 1.5 } else { 1.5 * across }, 1e-12);
}

fn wear_goes_on_from_a_state_and_goes_with_its_wall<D: Dim>() {
    let (mut whole, ..) = sliding::<D>();
    run(&mut whole, 300);
    let (mut first, ..) = sliding::<D>();
    run(&mut first, 150);
    let (mut second, wall, _) = sliding::<D>();
    let kept: State<D> = first.state.clone();
    second.restore(kept).unwrap();
    run(&mut second, 150);
    assert!(second.state.wear[0].faces.iter().any(|face| face.worn_volume > 0.0));
    assert_eq!(second.state, whole.state);
    let id = second.state.id[wall];
    second.remove(id).unwrap();
    assert!(second.state.wear.is_empty());
}

#[test]
fn of_a_convex_wall_the_face_that_is_touched_wears_and_a_grain_that_rolls_wears_nothing() {
    let law = PairLaw { wear: WEAR, ..law(0.5, 0.0, 0.0) };
    let mut world = world::<D3>(MIDPOINT, 1e-3, law);
    gravity(&mut world, G, 0.0);
    let wall = fixed_solid(&mut world, &cuboid::<D3>(up::<D3>() * -0.5, [2.0, 2.0, 0.5], 0.0));
    let at = |x: f64| along::<D3>() * x + up::<D3>() * 0.1;
    let slides = ball(&mut world, 0.1, at(0.0), along::<D3>());
    let rolls = ball(&mut world, 0.1, at(-1.0), along::<D3>() * 0.5);
    world.state.spin[rolls] = rolling::<D3>(along::<D3>()) * 5.0;
    let mass = world.bodies[slides].mass;
    run(&mut world, 600);
    // A sliding ball rolls once it has lost two sevenths of its speed: it slid 12/49 v²/(2 μ g) at its foot in that time.
    let way = 1.0_f64.powi(2) / (7.0 * 0.5 * G);
    let Shape::Convex(convex) = &world.bodies[wall].shape else { unreachable!("a block") };
    let top = (0..6).find(|&face| convex.faces[face].normal.dot(up::<D3>()) > 0.5).unwrap();
    let faces = &world.state.wear[0].faces;
    for (face, load) in faces.iter().enumerate() {
        let expected = if face == top { WEAR * mass * G * way } else { 0.0 };
        close(load.worn_volume / (WEAR * mass * G * way), expected / (WEAR * mass * G * way), 1e-3);
    }
}

#[test]
fn soft_grains_wear_a_wall_as_hard_ones_do() {
    let law = PairLaw { wear: WEAR, ..law(0.5, 0.0, 0.0) };
    let mut world = world::<D2>(MIDPOINT, 1e-3, law);
    world.method = riprap_engine::Method::MolecularDynamics(Soft::new(1e5, 1e-5));
    gravity(&mut world, G, 0.0);
    floor(&mut world);
    let slides = ball(&mut world, 0.1, up::<D2>() * 0.1, along::<D2>());
    let mass = world.bodies[slides].mass;
    for _ in 0..600 {
        world.step(&mut Silent).unwrap();
    }
    // A disk loses a third of its speed until it rolls, while its foot slides v²/(6 μ g).
    let way = 1.0 / (6.0 * 0.5 * G);
    close(total(&world.state.wear[0].faces)[2] / (WEAR * mass * G * way), 1.0, 0.02);
}
