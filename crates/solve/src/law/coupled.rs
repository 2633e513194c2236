//! One contact whose normal and tangent are coupled: `u = W p + q` with a full block `W`.

use super::dense::solve_linear;
use super::natural_map_error;
use super::torque_contact::{Local, SIZE, TorqueLaw};

/// The impulse `p` that satisfies Signorini's and Coulomb's laws with `u = W p + q`, for the block of one contact.
///
/// `axes` is 2 or 3; in 2D the third row and column are ignored. The symmetric part of `W` must be positive
/// definite. The first case that fits is the answer: open (the free velocity already satisfies the law), stick, slide.
/// Where rounding spoils that, because the block is nearly singular, it is the best of several attempts.
pub fn solve_coupled(w: &[[f64; 3]; 3], q: [f64; 3], friction: f64, axes: usize) -> [f64; 3] {
    if q[0] >= 0.0 {
        return [0.0; 3];
    }
    let p = if axes == 2 { slide_or_stick_2d(w, q, friction) } else { slide_or_stick_3d(w, q, friction) };
    if relative_error(w, q, friction, axes, p) <= ROUNDING_LEFT { p } else { best_of_many(w, q, friction, axes, p) }
}

/// The error, in proportion to the impulses, that rounding may leave: five digits, which a block with a condition number of
/// 10⁵ loses.
const ROUNDING_LEFT: f64 = 1e-11;
/// What is added to the diagonal of a block that is nearly singular, in units of its trace: from the last digit, each a
/// hundred times the one before, until what the block cannot move is left out.
const REGULARISATIONS: [f64; 5] = [0.0, 1e-15, 1e-13, 1e-11, 1e-9];
/// Determinant of the tangential block over the square of its trace below which a tangent counts as immovable: four digits
/// of the determinant are left.
const IMMOVABLE: f64 = 1e-12;
/// Steps after which the search for `λ` ends; bisection alone has all digits after about 60.
const MOST_STEPS: usize = 200;
/// Ternary search of [`deepest`]: how far it looks, in units of the impulse, and how often it takes a third away. The range left
/// is `60 (2/3)⁶⁰`, about 1e-9.
const SEARCH_RANGE: f64 = 30.0;
const SEARCH_STEPS: usize = 60;

/// The error of an impulse relative to its size and to that of the free impulse.
fn relative_error(w: &[[f64; 3]; 3], q: [f64; 3], friction: f64, axes: usize, p: [f64; 3]) -> f64 {
    let rho = 1.0 / w[0][0];
    let mut u = [0.0; 3];
    let mut size = 0.0_f64;
    for i in 0..axes {
        u[i] = q[i] + w[i][0] * p[0] + w[i][1] * p[1] + if axes == 3 { w[i][2] * p[2] } else { 0.0 };
        size = size.max(p[i].abs()).max(q[i].abs() * rho);
    }
    let error = natural_map_error(p, u, friction, rho) / size;
    if error.is_nan() { f64::INFINITY } else { error }
}

/// For blocks that are nearly singular: without friction; sticking with a little added to the block, which leaves out what
/// it cannot move; and Newton's method on all equations at once from each of these.
#[cold]
fn best_of_many(w: &[[f64; 3]; 3], q: [f64; 3], friction: f64, axes: usize, found: [f64; 3]) -> [f64; 3] {
    let mut best = (found, relative_error(w, q, friction, axes, found));
    let mut consider = |p: [f64; 3]| {
        let error = relative_error(w, q, friction, axes, p);
        if error < best.1 {
            best = (p, error);
        }
    };
    consider([-q[0] / w[0][0], 0.0, 0.0]);
    let size = (0..axes).map(|i| w[i][i]).sum::<f64>();
    let mut block = [[0.0; SIZE]; SIZE];
    for i in 0..axes {
        block[i][..axes].copy_from_slice(&w[i][..axes]);
    }
    let right: Local = std::array::from_fn(|i| if i < axes { -q[i] } else { 0.0 });
    for more in REGULARISATIONS {
        let mut firmer = block;
        for i in 0..axes {
            firmer[i][i] += more * size;
        }
        if let Some(p) = solve_linear(firmer, right, axes) {
            let tangential = libm::hypot(p[1], p[2]);
            let cut = if tangential > friction * p[0] { friction * p[0].max(0.0) / tangential } else { 1.0 };
            consider([p[0].max(0.0), cut * p[1], cut * p[2]]);
            // What the block cannot move may be added at will: as much as brings the impulse deepest into the cone.
            if let Some(idle) = solve_linear(firmer, p, axes).and_then(|v| solve_linear(firmer, v, axes)) {
                consider(deepest(p, idle, friction));
            }
        }
    }
    let law = TorqueLaw::new(axes, friction, None, 0.0, 0.0);
    let free: Local = std::array::from_fn(|i| if i < axes { q[i] } else { 0.0 });
    for start in [best.0, found, [-q[0] / w[0][0], 0.0, 0.0]] {
        if best.1 > ROUNDING_LEFT {
            let p = law.solve(&block, free, [start[0], start[1], start[2], 0.0, 0.0, 0.0]);
            let error = relative_error(w, q, friction, axes, [p[0], p[1], p[2]]);
            if error < best.1 {
                best = ([p[0], p[1], p[2]], error);
            }
        }
    }
    best.0
}

/// The point on the line through `p` along `direction` where `|p_t| − μ p_n`, which is convex, is smallest.
fn deepest(p: Local, direction: Local, friction: f64) -> [f64; 3] {
    let largest = |v: Local| v.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let unit = largest(p) / largest(direction);
    let at = |t: f64| [0, 1, 2].map(|i| p[i] + t * unit * direction[i]);
    let height = |t: f64| {
        let p = at(t);
        libm::hypot(p[1], p[2]) - friction * p[0]
    };
    let (mut low, mut high) = (-SEARCH_RANGE, SEARCH_RANGE);
    for _ in 0..SEARCH_STEPS {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if height(a) <= height(b) { high = b } else { low = a }
    }
    at(0.5 * (low + high))
}

/// In 2D sliding has a closed form, `p_n = −q_n/(W_nn ± μ W_nt)`.
fn slide_or_stick_2d(w: &[[f64; 3]; 3], q: [f64; 3], friction: f64) -> [f64; 3] {
    let determinant = w[0][0] * w[1][1] - w[0][1] * w[1][0];
    let stick = [(w[0][1] * q[1] - w[1][1] * q[0]) / determinant, (w[1][0] * q[0] - w[0][0] * q[1]) / determinant, 0.0];
    if determinant > 0.0 && stick[1].abs() <= friction * stick[0] {
        return stick;
    }
    let slide = |direction: f64| {
        let normal = -q[0] / (w[0][0] - direction * friction * w[0][1]);
        let p = [normal, -direction * friction * normal, 0.0];
        let velocity = w[1][0] * p[0] + w[1][1] * p[1] + q[1];
        (p, direction * velocity)
    };
    // The contact slides where the velocity agrees with the direction; of two that do not quite, by rounding, the
    // better one.
    let (forward, backward) = (slide(1.0), slide(-1.0));
    let usable = |(p, _): &([f64; 3], f64)| p[0] >= 0.0 && p[0].is_finite();
    match (usable(&forward), usable(&backward)) {
        (true, true) => {
            if forward.1 >= backward.1 {
                forward.0
            } else {
                backward.0
            }
        }
        (true, false) => forward.0,
        _ => backward.0,
    }
}

/// In 3D a sliding contact has `u_t = −λ p_t`, `u_n = 0`: with `S = W_tt − w_tn w_nt/w_nn` and
/// `b = q_t − w_tn q_n/w_nn`, `(S + λ) p_t = −b` and `|p_t| = μ p_n` is one equation in `λ ≥ 0`,
/// `|λ b + adj(S) b| = c₂λ² + c₁λ + c₀`, which has a root for every positive definite block (docs/solvers.md).
/// Left not above right at `λ = 0` means stick.
fn slide_or_stick_3d(w: &[[f64; 3]; 3], q: [f64; 3], friction: f64) -> [f64; 3] {
    let inverse = 1.0 / w[0][0];
    let s = |i: usize, j: usize| w[i][j] - w[i][0] * w[0][j] * inverse;
    let (s11, s12, s21, s22) = (s(1, 1), s(1, 2), s(2, 1), s(2, 2));
    let b = [q[1] - w[1][0] * q[0] * inverse, q[2] - w[2][0] * q[0] * inverse];
    let adjoint_b = [s22 * b[0] - s12 * b[1], s11 * b[1] - s21 * b[0]];
    let (trace, determinant) = (s11 + s22, s11 * s22 - s12 * s21);

    let c2 = -friction * q[0] * inverse;
    let coupling = |v: [f64; 2]| friction * (w[0][1] * v[0] + w[0][2] * v[1]) * inverse;
    let c1 = c2 * trace + coupling(b);
    let c0 = c2 * determinant + coupling(adjoint_b);

    let left_vector = |l: f64| [l * b[0] + adjoint_b[0], l * b[1] + adjoint_b[1]];
    let excess = |l: f64| {
        let v = left_vector(l);
        libm::hypot(v[0], v[1]) - ((c2 * l + c1) * l + c0)
    };
    let impulse = |l: f64| {
        let divisor = (l + trace) * l + determinant;
        let v = left_vector(l);
        let p_t = [-v[0] / divisor, -v[1] / divisor];
        [-(q[0] + w[0][1] * p_t[0] + w[0][2] * p_t[1]) * inverse, p_t[0], p_t[1]]
    };

    if friction == 0.0 {
        return [-q[0] * inverse, 0.0, 0.0];
    }
    // A block that is singular along a tangent (a body that cannot move that way) is judged in the limit of λ → 0.
    let smallest = if determinant > IMMOVABLE * trace * trace { 0.0 } else { IMMOVABLE * trace };
    if excess(smallest) <= 0.0 {
        return impulse(smallest);
    }
    // Bracket the root, then Newton inside the bracket with bisection as the safeguard.
    let (mut low, mut high) = (smallest, trace.max(f64::MIN_POSITIVE));
    while excess(high) > 0.0 {
        low = high;
        high *= 4.0;
        if !high.is_finite() {
            return [-q[0] * inverse, 0.0, 0.0];
        }
    }
    let mut l = 0.5 * (low + high);
    for _ in 0..MOST_STEPS {
        let value = excess(l);
        if value > 0.0 {
            low = l
        } else {
            high = l
        }
        let v = left_vector(l);
        let slope = (v[0] * b[0] + v[1] * b[1]) / libm::hypot(v[0], v[1]) - (2.0 * c2 * l + c1);
        let newton = l - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - l).abs() <= 2.0 * f64::EPSILON * next || next == low || next == high {
            l = next;
            break;
        }
        l = next;
    }
    // Exactly on the cone: the normal from the tangent would lose digits where friction is small.
    let p = impulse(l);
    let tangential = libm::hypot(p[1], p[2]);
    if tangential > 0.0 {
        let factor = friction * p[0].max(0.0) / tangential;
        [p[0].max(0.0), p[1] * factor, p[2] * factor]
    } else {
        [p[0].max(0.0), 0.0, 0.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(w: &[[f64; 3]; 3], p: [f64; 3], q: [f64; 3], axes: usize) -> [f64; 3] {
        std::array::from_fn(|i| if i < axes { q[i] + (0..axes).map(|j| w[i][j] * p[j]).sum::<f64>() } else { 0.0 })
    }

    #[test]
    fn a_block_that_cannot_move_along_one_tangent_sticks_and_slides() {
        let w = [[2.0, 0.0, 0.3], [0.0, 0.0, 0.0], [0.3, 0.0, 1.0]];
        for (q, friction) in [([-1.0, 0.0, 0.2], 1.0), ([-1.0, 0.0, 5.0], 0.3), ([-1.0, 0.0, -5.0], 0.3)] {
            let p = solve_coupled(&w, q, friction, 3);
            assert!(natural_map_error(p, product(&w, p, q, 3), friction, 0.5) < 1e-10, "{p:?}");
        }
    }

    /// Blocks of one family: rank 3 with a spread of scales, or less; free velocities that the block can stop, or any.
    #[derive(Clone, Copy, Debug)]
    struct Family {
        axes: usize,
        rank: usize,
        decades: f64,
        in_range: bool,
    }

    /// Solves random contacts with friction from 0 to 10: how many have a relative error above 1e-8, and the largest.
    fn failures(family: Family, cases: u32) -> (u32, f64) {
        let mut state = 99u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let axes = family.axes;
        let (mut failed, mut worst) = (0, 0.0_f64);
        for case in 0..cases {
            let decades = family.decades * next();
            let mut w = [[0.0; 3]; 3];
            for k in 0..family.rank.min(axes) {
                let scale = 10f64.powf(-decades * k as f64 / (axes - 1) as f64);
                let a: [f64; 3] = std::array::from_fn(|i| if i < axes { 2.0 * next() - 1.0 } else { 0.0 });
                for i in 0..3 {
                    for j in 0..3 {
                        w[i][j] += scale * a[i] * a[j];
                    }
                }
            }
            let mut q: [f64; 3] = std::array::from_fn(|i| if i < axes { 2.0 * next() - 1.0 } else { 0.0 });
            if family.in_range {
                q = product(&w, q, [0.0; 3], axes);
            }
            let friction = [0.0, next(), 10.0 * next()][case as usize % 3];
            let p = solve_coupled(&w, q, friction, axes);
            let error = relative_error(&w, q, friction, axes, p);
            worst = worst.max(error);
            failed += u32::from(error > 1e-8);
        }
        (failed, worst)
    }

    const FAMILIES: [Family; 9] = [
        Family { axes: 2, rank: 2, decades: 4.0, in_range: false },
        Family { axes: 3, rank: 3, decades: 4.0, in_range: false },
        Family { axes: 2, rank: 2, decades: 12.0, in_range: false },
        Family { axes: 3, rank: 3, decades: 12.0, in_range: false },
        Family { axes: 3, rank: 3, decades: 12.0, in_range: true },
        Family { axes: 3, rank: 2, decades: 4.0, in_range: false },
        Family { axes: 3, rank: 2, decades: 4.0, in_range: true },
        Family { axes: 2, rank: 1, decades: 4.0, in_range: true },
        Family { axes: 3, rank: 1, decades: 4.0, in_range: true },
    ];

    #[test]
    fn the_law_holds_for_random_blocks() {
        for family in FAMILIES {
            let (failed, worst) = failures(family, 50_000);
            assert!(failed == 0, "{family:?}: {failed} failed, worst {worst:e}");
        }
    }

    /// `cargo test --release -p riprap-solve -- --ignored millions --nocapture`
    #[test]
    #[ignore = "a minute; its result is kept in benches/README.md"]
    fn the_law_holds_for_millions_of_random_blocks() {
        for family in FAMILIES {
            let (failed, worst) = failures(family, 1_000_000);
            println!("{family:?}: {failed} of a million above 1e-8, worst {worst:.1e}");
            assert!(failed == 0);
        }
    }

    #[test]
    fn an_uncoupled_block_has_the_closed_form_of_spheres() {
        // P1 34: p_n = −q_n m_n; p_t = −q_t m_t, cut at μ p_n.
        let w = [[2.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 7.0]];
        let p = solve_coupled(&w, [-1.0, 0.3, 0.4], 10.0, 3);
        for (found, expected) in p.iter().zip([0.5, -0.3 / 7.0, -0.4 / 7.0]) {
            assert!((found - expected).abs() < 1e-15);
        }
        let p = solve_coupled(&w, [-1.0, 3.0, 4.0], 0.1, 3);
        for (found, expected) in p.iter().zip([0.5, -0.03, -0.04]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }
}
