//! Contact points of solids against closed forms, and against the definition of distance.

use super::Geometry;
use super::gap::Placed;
use super::matrix::{Posed, contact_points};
use super::nearest::Scratch;
use super::poses::Poses;
use crate::body::{Body, Placement};
use crate::shape::{Cluster, Convex, Mesh, Part, PartShape, Shape};
use glam::{DQuat, DVec2, DVec3};
use proptest::prelude::*;
use riprap_solve::{D2, D3, Dim, Vector};
use std::sync::Arc;

/// The contact points of two shapes, at most `reach` apart.
fn points<D: Dim>(shapes: [&Shape<D>; 2], at: [Placement<D>; 2], reach: f64) -> Vec<Geometry<D>> {
    let bodies = shapes.map(|shape| Body::wall("", shape.clone()));
    let mut poses = Poses::default();
    poses.turn(&bodies, &at.map(|placement| placement.orientation));
    let posed = |i: usize| Posed {
        placed: Placed { shape: shapes[i], position: at[i].position, orientation: at[i].orientation },
        body: i as u32,
        poses: &poses,
    };
    let mut found = Vec::new();
    contact_points(posed(0), posed(1), reach, &mut Scratch::default(), &mut found);
    found
}

/// The hull of points, where they are.
fn hull<D: Dim>(corners: &[D::Vector]) -> (Shape<D>, Placement<D>) {
    let placed = Convex::<D>::hull(corners).unwrap();
    let placement =
        Placement { position: placed.position, orientation: placed.orientation, ..Placement::<D>::default() };
    (Shape::Convex(placed.convex), placement)
}

fn cuboid(centre: DVec3, turn: DQuat, half: DVec3) -> (Shape<D3>, Placement<D3>) {
    let sign = |i: i32, bit: i32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let corners: Vec<DVec3> =
        (0..8).map(|i| centre + turn * (half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)))).collect();
    hull(&corners)
}

fn at(position: DVec3) -> Placement<D3> {
    Placement { position, ..Placement::default() }
}

#[test]
fn a_face_on_a_face_is_carried_by_the_corners_of_what_they_share() {
    let (below, place) = cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE);
    // Aligned, a smaller one inside, one that sticks out, one turned by an eighth.
    for (centre, turn, half, count) in [
        (DVec3::Z * 2.01, 0.0, DVec3::ONE, 4),
        (DVec3::new(0.1, 0.2, 1.51), 0.3, DVec3::new(0.5, 0.4, 0.5), 4),
        (DVec3::new(1.2, 0.7, 2.01), 0.0, DVec3::ONE, 4),
        (DVec3::Z * 2.01, std::f64::consts::FRAC_PI_4, DVec3::ONE, 8),
    ] {
        let (above, over) = cuboid(centre, DQuat::from_rotation_z(turn), half);
        let found = points([&below, &above], [place, over], 0.1);
        assert_eq!(found.len(), count, "{found:#?}");
        for point in &found {
            assert!((point.normal - DVec3::Z).length() < 1e-14 && (point.gap - 0.01).abs() < 1e-14);
            assert!((point.point.z - 1.005).abs() < 1e-14);
            assert!(point.point.x.abs() < 1.0 + 1e-6 && point.point.y.abs() < 1.0 + 1e-6);
        }
        let features: std::collections::BTreeSet<u64> = found.iter().map(|point| point.feature).collect();
        assert_eq!(features.len(), count, "features are not one per point");
        assert!(points([&below, &above], [place, over], 0.009).is_empty());
    }
}

#[test]
fn features_of_aligned_blocks_do_not_flicker_with_rounding() {
    let (below, place) = cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE);
    let features = |noise: DVec3| -> Vec<u64> {
        let turn = DQuat::from_scaled_axis(DVec3::new(noise.y, noise.z, noise.x));
        let (above, over) = cuboid(DVec3::Z * 2.0 + noise, turn, DVec3::ONE);
        points([&below, &above], [place, over], 0.05).iter().map(|point| point.feature).collect()
    };
    let still = features(DVec3::ZERO);
    assert_eq!(still.len(), 4);
    for i in 0..50 {
        let noise = DVec3::new((i as f64).sin(), (2.7 * i as f64).cos(), (5.1 * i as f64).sin()) * 1e-10;
        assert_eq!(features(noise), still);
    }
}

#[test]
fn two_edges_that_cross_touch_in_one_point_with_their_common_normal() {
    let tilt = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let (below, place) = cuboid(DVec3::ZERO, tilt, DVec3::ONE);
    let root = 2.0_f64.sqrt();
    for gap in [0.02, 0.0, -0.02] {
        let turn = DQuat::from_rotation_z(1.1) * tilt;
        let (above, over) = cuboid(DVec3::new(0.1, -0.05, 2.0 * root + gap), turn, DVec3::ONE);
        let found = points([&below, &above], [place, over], 0.05);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!((found[0].normal - DVec3::Z).length() < 1e-12, "{found:?}");
        assert!((found[0].gap - gap).abs() < 1e-12);
        // The two edges cross where the upper one, along (cos 1.1, sin 1.1), meets y = 0.
        let x = 0.1 + 0.05 / 1.1_f64.tan();
        assert!((found[0].point - DVec3::new(x, 0.0, root + 0.5 * gap)).length() < 1e-12, "{found:?}");
    }
}

#[test]
fn a_corner_and_an_edge_on_a_face_touch_where_they_are() {
    let (below, place) = cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::splat(3.0));
    // Standing on a corner.
    let corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), -DVec3::Z);
    for gap in [0.03, -0.03] {
        let (above, over) = cuboid(DVec3::new(0.3, 0.2, 3.0 + 3.0_f64.sqrt() + gap), corner, DVec3::ONE);
        let found = points([&below, &above], [place, over], 0.05);
        assert_eq!(found.len(), 1);
        assert!((found[0].gap - gap).abs() < 1e-12 && (found[0].normal - DVec3::Z).length() < 1e-12);
        assert!((found[0].point - DVec3::new(0.3, 0.2, 3.0 + 0.5 * gap)).length() < 1e-12);
        // Lying on an edge along y: two points.
        let edge = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
        let (above, over) = cuboid(DVec3::new(0.3, 0.2, 3.0 + 2.0_f64.sqrt() + gap), edge, DVec3::ONE);
        let mut found = points([&below, &above], [place, over], 0.05);
        found.sort_by(|a, b| a.point.y.total_cmp(&b.point.y));
        assert_eq!(found.len(), 2, "{found:#?}");
        for (point, y) in found.iter().zip([-0.8, 1.2]) {
            assert!((point.gap - gap).abs() < 1e-12 && (point.normal - DVec3::Z).length() < 1e-12);
            assert!((point.point - DVec3::new(0.3, y, 3.0 + 0.5 * gap)).length() < 1e-12);
        }
    }
}

#[test]
fn corners_that_face_each_other_touch_along_the_line_between_them() {
    let square = [DVec2::new(-1.0, -1.0), DVec2::new(1.0, -1.0), DVec2::ONE, DVec2::new(-1.0, 1.0)];
    let (first, place) = hull::<D2>(&square);
    let (second, over) = hull::<D2>(&square.map(|corner| corner + DVec2::new(2.03, 2.04)));
    let found = points([&first, &second], [place, over], 0.1);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap - 0.05).abs() < 1e-12);
    assert!((found[0].normal - DVec2::new(0.6, 0.8)).length() < 1e-12);
    assert!(points([&first, &second], [place, over], 0.04).is_empty());
    // Beside each other by a face, though far apart along it: none.
    let (second, over) = hull::<D2>(&square.map(|corner| corner + DVec2::new(2.6, 2.001)));
    assert!(points([&first, &second], [place, over], 0.1).is_empty());
}

#[test]
fn in_the_plane_an_edge_on_an_edge_has_two_points() {
    let square = [DVec2::new(-1.0, -1.0), DVec2::new(1.0, -1.0), DVec2::ONE, DVec2::new(-1.0, 1.0)];
    let (first, place) = hull::<D2>(&square);
    let (second, over) = hull::<D2>(&square.map(|corner| corner + DVec2::new(0.7, 1.98)));
    let mut found = points([&first, &second], [place, over], 0.1);
    found.sort_by(|a, b| a.point.x.total_cmp(&b.point.x));
    assert_eq!(found.len(), 2);
    for (point, x) in found.iter().zip([-0.3, 1.0]) {
        assert!((point.gap + 0.02).abs() < 1e-14 && (point.normal - DVec2::Y).length() < 1e-14);
        assert!((point.point - DVec2::new(x, 0.99)).length() < 1e-12);
    }
}

/// Round and flat walls against a cube, each with its closed form.
#[test]
fn a_cube_meets_every_kind_of_wall() {
    let cube = cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE);
    let meet = |wall: Shape<D3>, place: DVec3, centre: DVec3| {
        let (cube, over) = cuboid(centre, DQuat::IDENTITY, DVec3::ONE);
        points([&wall, &cube], [at(place), over], 0.1)
    };
    let check = |found: &[Geometry<D3>], count: usize, normal: DVec3, gap: f64| {
        assert_eq!(found.len(), count, "{found:#?}");
        for point in found {
            assert!((point.normal - normal).length() < 1e-9 && (point.gap - gap).abs() < 1e-12, "{point:?}");
        }
    };
    check(&meet(Shape::Plane { normal: DVec3::Z }, DVec3::ZERO, DVec3::Z * 1.05), 4, DVec3::Z, 0.05);
    let plate = Shape::Plate { half_edges: [DVec3::X * 0.5, DVec3::Y * 5.0] };
    check(&meet(plate.clone(), DVec3::ZERO, DVec3::Z * 1.05), 4, DVec3::Z, 0.05);
    check(&meet(plate, DVec3::ZERO, DVec3::Z * -0.97), 4, -DVec3::Z, -0.03);
    // In a drum along y the lower edges touch, at (±1, −1) from the cube's centre.
    let drum = meet(Shape::Drum { radius: 5.0, axis: DVec3::Y }, DVec3::ZERO, DVec3::Z * -(24.0_f64.sqrt() - 1.02));
    assert_eq!(drum.len(), 4);
    for point in &drum {
        let corner = DVec3::new(point.point.x, 0.0, point.point.z);
        assert!((point.normal + corner.normalize()).length() < 1e-12);
        assert!((point.gap - (5.0 - (1.0 + (24.0_f64.sqrt() - 0.02).powi(2)).sqrt())).abs() < 1e-12);
    }
    // A rod under the cube's lower face, along y; and across a corner edge.
    check(
        &meet(Shape::Rod { radius: 2.0, axis: DVec3::Y }, DVec3::ZERO, DVec3::new(0.3, 0.0, 3.05)),
        2,
        DVec3::Z,
        0.05,
    );
    let apart = DVec3::new(1.0, 0.0, 1.0) + DVec3::new(0.6, 0.0, 0.8) * 2.04;
    check(&meet(Shape::Rod { radius: 2.0, axis: DVec3::Y }, DVec3::ZERO, apart), 2, DVec3::new(0.6, 0.0, 0.8), 0.04);
    let ball = |centre: DVec3| points([&Shape::Ball { radius: 0.5 }, &cube.0], [at(centre), cube.1], 0.1);
    check(&ball(DVec3::new(0.3, 0.2, 1.46)), 1, -DVec3::Z, -0.04);
    check(&ball(DVec3::new(1.0, 0.2, 1.0) + DVec3::new(0.6, 0.0, 0.8) * 0.53), 1, -DVec3::new(0.6, 0.0, 0.8), 0.03);
    let corner = DVec3::ONE.normalize();
    check(&ball(DVec3::ONE + corner * 0.52), 1, -corner, 0.02);
}

/// A floor of triangles: a cube on it rests on the plane of all of them, and no inner edge pushes it sideways.
#[test]
fn inner_edges_of_a_mesh_do_not_catch() {
    let n = 6;
    let corner = |i: usize, j: usize| DVec3::new(i as f64 - 3.0, j as f64 - 3.0, 0.0);
    let corners: Vec<DVec3> = (0..=n).flat_map(|i| (0..=n).map(move |j| corner(i, j))).collect();
    let mut faces = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let at = |di: usize, dj: usize| (i + di) * (n + 1) + j + dj;
            faces.extend([[at(0, 0), at(1, 0), at(1, 1)], [at(0, 0), at(1, 1), at(0, 1)]]);
        }
    }
    let mesh = Shape::Mesh(Arc::new(Mesh::<D3>::new(&corners, &faces).unwrap()));
    for i in 0..200 {
        // Sliding and turning over all edges, with an overlap up to 2 %.
        let s = i as f64 / 200.0;
        let turn = DQuat::from_rotation_z(3.0 * s);
        let depth = 0.01 * (1.0 + (40.0 * s).sin());
        let (cube, over) = cuboid(DVec3::new(2.0 * s - 1.0, 0.7 * s, 0.5 - depth), turn, DVec3::splat(0.5));
        let found = points([&mesh, &cube], [at(DVec3::ZERO), over], 0.02);
        assert!(found.len() >= 3);
        for point in &found {
            assert!((point.normal - DVec3::Z).length() < 1e-9, "{i}: {point:?}");
            assert!((point.gap + depth).abs() < 1e-12, "{i}: {point:?}");
        }
        let ball = Shape::Ball { radius: 0.5 };
        let found =
            points([&mesh, &ball], [at(DVec3::ZERO), at(DVec3::new(2.0 * s - 1.0, 0.7 * s, 0.5 - depth))], 0.02);
        assert!(!found.is_empty());
        for point in &found {
            assert!((point.normal - DVec3::Z).length() < 1e-6, "{i}: {point:?}");
        }
    }
}

#[test]
fn a_cluster_touches_with_its_parts() {
    let (brick, _) = cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::new(1.0, 0.5, 0.5));
    let Shape::Convex(convex) = &brick else { unreachable!() };
    let part = |shape: PartShape<D3>, x: f64| Part { shape, position: DVec3::X * x, orientation: DQuat::IDENTITY };
    let parts = vec![part(PartShape::Ball { radius: 0.5 }, -3.0), part(PartShape::Convex(convex.clone()), 0.0)];
    let placed = Cluster::join(parts).unwrap();
    let cluster = Shape::Cluster(placed.cluster.clone());
    let place = Placement { position: placed.position, orientation: placed.orientation, ..Placement::default() };
    let floor = Shape::Plane { normal: DVec3::Z };
    let found = points([&floor, &cluster], [at(DVec3::Z * -0.52), place], 0.1);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|point| (point.gap - 0.02).abs() < 1e-12));
    assert!(found.iter().any(|point| (point.point - DVec3::new(-3.0, 0.0, -0.51)).length() < 1e-12));
}

/// Random points on a ball, as the hull of a grain.
fn grain<D: Dim>() -> impl Strategy<Value = Vec<D::Vector>> {
    let coordinate = prop::array::uniform3(-1.0..1.0_f64);
    prop::collection::vec(coordinate, 8..24)
        .prop_map(|points| points.iter().filter_map(|&point| D::Vector::from_array3(point).normalized()).collect())
}

/// How far two hulls are apart along a direction.
fn separation<D: Dim>(a: &[D::Vector], b: &[D::Vector], direction: D::Vector) -> f64 {
    let highest = a.iter().map(|corner| corner.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
    let lowest = b.iter().map(|corner| corner.dot(direction)).fold(f64::INFINITY, f64::min);
    lowest - highest
}

/// How far a point is outside the hull of a shape.
fn outside<D: Dim>(shape: &Shape<D>, place: &Placement<D>, point: D::Vector) -> f64 {
    let Shape::Convex(convex) = shape else { unreachable!() };
    let from_centre = point - place.position;
    let height =
        |face: &crate::shape::Face<D>| D::rotate(place.orientation, face.normal).dot(from_centre) - face.offset;
    convex.faces.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
}

fn check_pair<D: Dim>(a: &[D::Vector], b: &[D::Vector], toward: D::Vector, distance: f64) -> Result<(), TestCaseError> {
    let Some(toward) = toward.normalized() else { return Ok(()) };
    // Moved together along a line until they are about `distance` apart.
    let b: Vec<D::Vector> =
        b.iter().map(|&corner| corner + toward * (distance - separation::<D>(a, b, toward))).collect();
    let (Ok(_), Ok(_)) = (Convex::<D>::hull(a), Convex::<D>::hull(&b)) else { return Ok(()) };
    let ((first, place), (second, over)) = (hull::<D>(a), hull::<D>(&b));
    let least = |found: &[Geometry<D>]| found.iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
    let found = points([&first, &second], [place, over], 10.0);
    let nearest = found.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).unwrap();
    // With a short reach the same is found, or nothing if it is farther away.
    let within = least(&points([&first, &second], [place, over], 0.1));
    if nearest.gap <= 0.1 {
        prop_assert!((within - nearest.gap).abs() < 1e-12, "{} {}", within, nearest.gap);
    } else {
        prop_assert_eq!(within, f64::INFINITY);
    }
    let n = nearest.normal;
    prop_assert!((n.length() - 1.0).abs() < 1e-12);
    if nearest.gap > 1e-6 {
        // The least gap is the distance: no axis separates more than it, since both hulls have points that far apart.
        prop_assert!(
            (separation::<D>(a, &b, n) - nearest.gap).abs() < 2e-4,
            "{} {}",
            separation::<D>(a, &b, n),
            nearest.gap
        );
        prop_assert!(nearest.gap >= distance - 1e-9);
        prop_assert!(outside(&first, &place, nearest.point - n * (0.5 * nearest.gap)) < 1e-5);
        prop_assert!(outside(&second, &over, nearest.point + n * (0.5 * nearest.gap)) < 1e-5);
    } else {
        // The least overlap: moving the second by it separates the two.
        prop_assert!(
            (separation::<D>(a, &b, n) - nearest.gap).abs() < 2e-4,
            "{} {}",
            separation::<D>(a, &b, n),
            nearest.gap
        );
        prop_assert!(nearest.gap >= distance - 2e-4, "overlap {} where {} would do", nearest.gap, distance);
    }
    for point in &found {
        prop_assert!(point.gap >= nearest.gap);
    }
    // The mirrored pair has the mirrored contact.
    let mirrored = least(&points([&second, &first], [over, place], 0.1));
    prop_assert!(nearest.gap > 0.1 - 2e-4 || (mirrored - nearest.gap).abs() < 2e-4, "{} {}", mirrored, nearest.gap);
    Ok(())
}

#[test]
fn pairs_at_the_edge_of_two_cases_are_measured_as_all_others() {
    let pair = |a: &[[f64; 3]], b: &[[f64; 3]], toward: [f64; 3], distance: f64| {
        let [a, b] = [a, b].map(|points| points.iter().map(|&point| DVec3::from(point)).collect::<Vec<_>>());
        check_pair::<D3>(&a, &b, DVec3::from(toward), distance).unwrap();
    };
    // Nearly at the end of an edge.
    pair(
        &[
            [0.0, -1.0, 0.0],
            [0.45730034264604325, -0.37155398122248906, 0.8079752692091076],
            [-0.33123502776545394, 0.74068220488109, 0.5845282095448481],
            [0.0, -0.6887046938571102, 0.7250419606196485],
        ],
        &[
            [-0.4055042383355558, -0.46478582558769, -0.7871089181458119],
            [-0.0645474077129033, -0.19466535906405932, -0.9787435977507108],
            [0.0, 0.0, -1.0],
            [0.0, 0.0, 1.0],
        ],
        [0.0050841042498010625, 0.17528051561430308, 0.46929065210795246],
        0.1719395983216239,
    );
    // Edges in each other, almost as deep as a corner is under a face.
    pair(
        &[
            [0.6545182723283393, -0.7192305727152454, 0.23305195656768454],
            [0.7658983862239473, -0.6429616333651279, 0.0],
            [0.48988462185877335, -0.8638360516529692, -0.11747481913540159],
            [0.0, 0.0, 1.0],
        ],
        &[
            [1.0, 0.0, 0.0],
            [-0.4427693667131096, 0.717734626766721, -0.5374125914420944],
            [0.1591983554196835, 0.8357051871354481, -0.5255974922186881],
            [0.0, 0.972179019971585, 0.2342390939341435],
        ],
        [0.5790808677946263, -0.87978569095408, 0.3275835188824914],
        -0.04387331342665814,
    );
    // A corner over a face, close to its border.
    pair(
        &[
            [-0.6959711727555202, -0.4638859219536219, -0.5481185803332563],
            [-0.44186093799324716, 0.11153957553013324, -0.8901223705571529],
            [0.0, 0.0, -1.0],
            [-0.8025032787754797, -0.2286646670722953, 0.5510906981498791],
        ],
        &[
            [0.6151254039937518, -0.6302024005478479, -0.4737780827615955],
            [0.6078400170974471, -0.7063508369725581, 0.36276577667021165],
            [0.5367133194651635, 0.4183590321826018, 0.7327445208938256],
            [0.0, 0.0, -1.0],
        ],
        [-0.9988263485737842, 0.4362851171577264, -0.1716234897184462],
        0.01965692599068625,
    );
    // Two faces of one body in almost one plane.
    pair(
        &[
            [-0.6285977113105294, -0.40620355694183935, -0.6632221254323185],
            [0.0, 0.0, -1.0],
            [0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0],
        ],
        &[
            [0.6409933863356664, -0.6834741357142751, 0.34927150539882246],
            [0.0, -1.0, 0.0],
            [0.2174431823455697, 0.9031013145154864, -0.3703059251103493],
            [-0.37962749194950546, 0.8162394461963121, 0.43547231120849256],
            [-0.2658337546056093, 0.9441607545467919, 0.1946609475110958],
        ],
        [-0.892266412962621, -0.34534091006583373, -0.8792056967759988],
        0.08288448638160568,
    );
    // Two edges that cross at two degrees.
    pair(
        &[
            [0.4593203063000528, 0.4740151196940641, -0.7512220194601912],
            [0.0, 1.0, 0.0],
            [0.6891821453607807, -0.713326661771928, -0.12725189240726037],
            [0.0, 0.0, 1.0],
        ],
        &[
            [-0.7483829744050133, 0.6494150197707936, 0.1348445613171137],
            [-0.5731320878635083, -0.4573375168249833, 0.6799720623419567],
            [0.0, -1.0, 0.0],
            [1.0, 0.0, 0.0],
        ],
        [0.9342170941111473, -0.08560300471218386, -0.6974509603732951],
        0.0,
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_least_gap_of_two_polyhedra_is_their_distance(
        a in grain::<D3>(), b in grain::<D3>(), toward in prop::array::uniform3(-1.0..1.0_f64), distance in -0.2..0.2_f64,
    ) {
        check_pair::<D3>(&a, &b, DVec3::from(toward), distance)?;
    }

    #[test]
    fn the_least_gap_of_two_polygons_is_their_distance(
        a in grain::<D2>(), b in grain::<D2>(), toward in prop::array::uniform2(-1.0..1.0_f64), distance in -0.2..0.2_f64,
    ) {
        check_pair::<D2>(&a, &b, DVec2::from(toward), distance)?;
    }
}
