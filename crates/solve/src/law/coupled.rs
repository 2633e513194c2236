//! One contact whose normal and tangent are coupled: `u = W p + q` with a full block `W`.

/// The impulse `p` that satisfies Signorini's and Coulomb's laws with `u = W p + q`, for the block of one contact.
///
/// `axes` is 2 or 3; in 2D the third row and column are not looked at. The symmetric part of `W` must be positive
/// definite. The first case that fits is the answer: open (the free velocity already satisfies the law), stick, slide.
pub fn solve_coupled(w: &[[f64; 3]; 3], q: [f64; 3], friction: f64, axes: usize) -> [f64; 3] {
    if q[0] >= 0.0 {
        return [0.0; 3];
    }
    if axes == 2 { slide_or_stick_2d(w, q, friction) } else { slide_or_stick_3d(w, q, friction) }
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
/// `|λ b + adj(S) b| = c₂λ² + c₁λ + c₀`, which has a root for every positive definite block (SOLVERS.md).
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
        v[0].hypot(v[1]) - ((c2 * l + c1) * l + c0)
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
    let smallest = if determinant > 1e-12 * trace * trace { 0.0 } else { 1e-12 * trace };
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
    for _ in 0..200 {
        let value = excess(l);
        if value > 0.0 {
            low = l
        } else {
            high = l
        }
        let v = left_vector(l);
        let slope = (v[0] * b[0] + v[1] * b[1]) / v[0].hypot(v[1]) - (2.0 * c2 * l + c1);
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
    let tangential = p[1].hypot(p[2]);
    if tangential > 0.0 {
        let factor = friction * p[0].max(0.0) / tangential;
        [p[0].max(0.0), p[1] * factor, p[2] * factor]
    } else {
        [p[0].max(0.0), 0.0, 0.0]
    }
}

#[cfg(test)]
mod tests {
    use super::super::natural_map_error;
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        /// The law holds to rounding for random symmetric positive definite blocks, friction from 0 to 10.
        #[test]
        fn the_law_holds(
            a in prop::array::uniform3(prop::array::uniform3(-1.0..1.0)),
            q in prop::array::uniform3(-1.0..1.0),
            friction in prop_oneof![Just(0.0), 0.0..1.0, 1.0..10.0],
            axes in 2usize..=3,
            softness in 0.0..0.5,
        ) {
            let mut q = q;
            if axes == 2 { q[2] = 0.0 }
            let a: [[f64; 3]; 3] = a;
            let w: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| {
                let sum: f64 = (0..3).map(|k| a[i][k] * a[j][k]).sum();
                sum + if i == j { 0.02 + softness } else { 0.0 }
            }));
            let p = solve_coupled(&w, q, friction, axes);
            let error = natural_map_error(p, product(&w, p, q, axes), friction, 1.0 / w[0][0]);
            let size = p.iter().map(|x| x.abs()).fold(q.iter().map(|x| x.abs() / w[0][0]).fold(0.0, f64::max), f64::max);
            prop_assert!(error <= 1e-9 * (1.0 + friction) * (1.0 + size), "error {error:e}, p {p:?}");
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
