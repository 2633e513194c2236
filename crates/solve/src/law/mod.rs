//! The exact solution of one contact, and the cone that it lives in (docs/method.md §3).
//!
//! Local vectors have the normal first: `(n, t)` in 2D, `(n, t₁, t₂)` in 3D, the third zero in 2D.

mod coupled;
mod dense;
mod torque_contact;

pub use coupled::solve_coupled;
pub use dense::solve_linear;
pub use torque_contact::{Local, SIZE, TorqueLaw};

/// The point of Coulomb's cone `|p_t| ≤ μ p_n` nearest to `y`.
pub fn project_on_cone(y: [f64; 3], friction: f64) -> [f64; 3] {
    let tangential = libm::hypot(y[1], y[2]);
    // Without friction the cone is a ray, and a point behind its tip has no tangential part to give it away.
    if y[0] >= 0.0 && tangential <= friction * y[0] {
        y
    } else if friction * tangential <= -y[0] {
        [0.0; 3]
    } else {
        let normal = (y[0] + friction * tangential) / (1.0 + friction * friction);
        let factor = friction * normal / tangential;
        [normal, factor * y[1], factor * y[2]]
    }
}

/// How far one contact is from its law: `|p − P_K(p − ρ (ũ + μ|ũ_t| n))|`, in units of impulse. Zero exactly when
/// every Signorini and Coulomb condition holds.
pub fn natural_map_error(impulse: [f64; 3], velocity: [f64; 3], friction: f64, rho: f64) -> f64 {
    let tangential = libm::hypot(velocity[1], velocity[2]);
    let y = [
        impulse[0] - rho * (velocity[0] + friction * tangential),
        impulse[1] - rho * velocity[1],
        impulse[2] - rho * velocity[2],
    ];
    let nearest = project_on_cone(y, friction);
    (0..3).map(|i| (impulse[i] - nearest[i]).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_is_the_nearest_point_of_the_cone() {
        // Against a fine search over the boundary and the axis.
        let friction = 0.7;
        for y in [[1.0, 2.0, -0.5], [-1.0, 0.5, 0.2], [-0.2, 1.0, 0.0], [2.0, 0.1, 0.3], [0.0, 0.0, 0.0]] {
            let p = project_on_cone(y, friction);
            assert!(p[1].hypot(p[2]) <= friction * p[0] * (1.0 + 1e-14) + 1e-300);
            let distance = |p: [f64; 3]| (0..3).map(|i| (p[i] - y[i]).powi(2)).sum::<f64>();
            for k in 0..2000 {
                for s in [0.0, 0.3, 0.6, 1.0] {
                    let normal = 0.002 * f64::from(k);
                    for angle in 0..60 {
                        let (sin, cos) = (f64::from(angle) * std::f64::consts::TAU / 60.0).sin_cos();
                        let t = s * friction * normal;
                        assert!(distance(p) <= distance([normal, t * cos, t * sin]) + 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn the_error_is_zero_exactly_where_the_law_holds() {
        // Open, stick, slide; then each with one condition broken.
        assert_eq!(natural_map_error([0.0; 3], [1.0, 3.0, 0.0], 0.5, 2.0), 0.0);
        assert_eq!(natural_map_error([2.0, 0.5, 0.5], [0.0; 3], 0.5, 2.0), 0.0);
        assert!(natural_map_error([2.0, -1.0, 0.0], [0.0, 3.0, 0.0], 0.5, 2.0) < 1e-15);
        assert_eq!(natural_map_error([0.0; 3], [1.0, 0.0, 0.0], 0.0, 2.0), 0.0);
        assert!(natural_map_error([0.0; 3], [-1.0, 0.0, 0.0], 0.5, 2.0) > 0.1);
        assert!(natural_map_error([2.0, 1.0, 0.0], [0.0, 3.0, 0.0], 0.5, 2.0) > 0.1);
        assert!(natural_map_error([2.0, -0.9, 0.0], [0.0, 3.0, 0.0], 0.5, 2.0) > 0.05);
        assert!(natural_map_error([2.0, 0.0, 0.0], [0.5, 0.0, 0.0], 0.5, 2.0) > 0.1);
    }
}
