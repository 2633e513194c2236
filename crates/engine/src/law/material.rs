//! Materials, and the contact law of every pair of them.

use super::cohesion::Cohesion;
use super::speed::SpeedCurve;
use super::torque::TorqueLimit;

/// The parameters of the contact law for one pair of materials (docs/method.md §3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairLaw {
    /// Coulomb friction of a contact that stuck in the last step, or that is new and does not move tangentially.
    pub static_friction: f64,
    /// Coulomb friction of every other contact.
    pub dynamic_friction: f64,
    /// Normal restitution `e_n`, 0 to 1.
    pub normal_restitution: f64,
    /// Tangential restitution `e_t`, −1 to 1.
    pub tangential_restitution: f64,
    /// The dissipation under A-CD², friction excluded.
    pub dissipation: Dissipation,
    /// Friction by sliding speed, which then takes the place of the dynamic friction.
    pub friction_curve: Option<SpeedCurve>,
    /// Normal restitution by approach speed, which then takes the place of the constant.
    pub restitution_curve: Option<SpeedCurve>,
    /// Tangential restitution by approach speed, which then takes the place of the constant.
    pub tangential_curve: Option<SpeedCurve>,
    /// The limit of rolling torques.
    pub rolling: TorqueLimit,
    /// The limit of torsion, in 3D.
    pub torsion: TorqueLimit,
    /// True if sliding and torsion share one limit, so that a contact that does both has less of each.
    pub couples_torsion: bool,
    /// Adhesion or cohesion.
    pub cohesion: Option<Cohesion>,
    /// Archard's wear rate: the volume (m³) worn off a wall per newton and metre of sliding.
    pub wear: f64,
}

/// The pseudopotential of a contact under A-CD² (docs/method.md §7).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dissipation {
    /// `K_N` (kg).
    pub normal_viscosity: f64,
    /// `K_T` (kg).
    pub tangential_viscosity: f64,
    /// Tresca's threshold (N), in place of Coulomb's friction.
    pub tresca: Option<f64>,
}

impl Dissipation {
    /// The rule for a pair of materials that the scene does not give: geometric means of the viscosities, and the smaller
    /// of two thresholds (a material without one follows the other's).
    fn mixed(a: Self, b: Self) -> Self {
        Dissipation {
            normal_viscosity: (a.normal_viscosity * b.normal_viscosity).sqrt(),
            tangential_viscosity: (a.tangential_viscosity * b.tangential_viscosity).sqrt(),
            tresca: [a.tresca, b.tresca].into_iter().flatten().reduce(f64::min),
        }
    }
}

impl PairLaw {
    /// One friction for rest and sliding, no restitution.
    pub fn frictional(friction: f64) -> Self {
        PairLaw { static_friction: friction, dynamic_friction: friction, ..PairLaw::default() }
    }

    /// True if the law is friction alone: no restitution, torques or cohesion.
    pub fn is_plain(&self) -> bool {
        let bounces = self.normal_restitution != 0.0 || self.tangential_restitution != 0.0;
        let by_speed = self.restitution_curve.is_some() || self.tangential_curve.is_some();
        !bounces && !by_speed && !self.has_torques() && self.cohesion.is_none()
    }

    /// Coulomb's `μ` of a contact that slides at this speed.
    pub fn friction_at(&self, speed: f64) -> f64 {
        self.friction_curve.as_ref().map_or(self.dynamic_friction, |curve| curve.at(speed))
    }

    /// `e_n` and `e_t` of a contact that is approached at this speed.
    pub fn restitutions_at(&self, speed: f64) -> [f64; 2] {
        [
            self.restitution_curve.as_ref().map_or(self.normal_restitution, |curve| curve.at(speed).min(1.0)),
            self.tangential_curve.as_ref().map_or(self.tangential_restitution, |curve| curve.signed(speed).min(1.0)),
        ]
    }

    /// The rule for a pair of materials that the scene does not give: friction is the geometric mean (a frictionless
    /// material makes every pair frictionless), restitution the smaller of the two. Limits of
    /// torques and cohesion are geometric means if both materials define them in the same way, else there are none.
    pub fn mixed(a: &Self, b: &Self) -> Self {
        let curves = |a: &Option<SpeedCurve>, b: &Option<SpeedCurve>, otherwise: [f64; 2]| {
            let curve = |given: &Option<SpeedCurve>, value| given.clone().unwrap_or(SpeedCurve::Constant(value));
            (a.is_some() || b.is_some()).then(|| Box::new([curve(a, otherwise[0]), curve(b, otherwise[1])]))
        };
        let friction = curves(&a.friction_curve, &b.friction_curve, [a.dynamic_friction, b.dynamic_friction]);
        let restitution =
            curves(&a.restitution_curve, &b.restitution_curve, [a.normal_restitution, b.normal_restitution]);
        let tangential =
            curves(&a.tangential_curve, &b.tangential_curve, [a.tangential_restitution, b.tangential_restitution]);
        PairLaw {
            static_friction: (a.static_friction * b.static_friction).sqrt(),
            dynamic_friction: (a.dynamic_friction * b.dynamic_friction).sqrt(),
            normal_restitution: a.normal_restitution.min(b.normal_restitution),
            tangential_restitution: a.tangential_restitution.min(b.tangential_restitution),
            dissipation: Dissipation::mixed(a.dissipation, b.dissipation),
            friction_curve: friction.map(SpeedCurve::Mean),
            restitution_curve: restitution.map(SpeedCurve::Least),
            tangential_curve: tangential.map(SpeedCurve::Least),
            rolling: a.rolling.mixed(b.rolling),
            torsion: a.torsion.mixed(b.torsion),
            couples_torsion: a.couples_torsion && b.couples_torsion,
            cohesion: Cohesion::mixed(a.cohesion, b.cohesion),
            wear: a.wear.max(b.wear),
        }
    }

    /// True if contacts carry torques.
    pub fn has_torques(&self) -> bool {
        self.rolling != TorqueLimit::None || self.torsion != TorqueLimit::None
    }
}

/// The table of pairs of materials, complete and symmetric.
#[derive(Clone, Debug, PartialEq)]
pub struct Materials {
    names: Vec<String>,
    pairs: Vec<PairLaw>,
}

impl Default for Materials {
    /// One material, of friction 0.5.
    fn default() -> Self {
        Materials::single("default", PairLaw::frictional(0.5))
    }
}

impl Materials {
    /// A single material, with this law between any two bodies.
    pub fn single(name: &str, law: PairLaw) -> Self {
        Materials::new([(name.to_string(), law)])
    }

    /// A table with the given laws of each material with itself; other pairs follow [`PairLaw::mixed`].
    pub fn new(own: impl IntoIterator<Item = (String, PairLaw)>) -> Self {
        let (names, own): (Vec<_>, Vec<_>) = own.into_iter().unzip();
        let pairs = own
            .iter()
            .enumerate()
            .flat_map(|(i, a)| {
                let own = &own;
                (0..own.len()).map(move |j| if i == j { a.clone() } else { PairLaw::mixed(a, &own[j]) })
            })
            .collect();
        Materials { names, pairs }
    }

    /// The materials' names, by index.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of the material of that name.
    pub fn index(&self, name: &str) -> Option<u16> {
        self.names.iter().position(|own| own == name).map(|index| index as u16)
    }

    /// The law between materials `a` and `b`.
    pub fn pair(&self, a: u16, b: u16) -> &PairLaw {
        &self.pairs[usize::from(a) * self.names.len() + usize::from(b)]
    }

    /// All laws; those between two different materials twice.
    pub fn laws(&self) -> impl Iterator<Item = &PairLaw> {
        self.pairs.iter()
    }

    /// Sets the law between materials `a` and `b`, in both orders.
    pub fn set_pair(&mut self, a: u16, b: u16, law: PairLaw) {
        let n = self.names.len();
        self.pairs[usize::from(a) * n + usize::from(b)] = law.clone();
        self.pairs[usize::from(b) * n + usize::from(a)] = law;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_not_given_follow_the_rule_and_are_symmetric() {
        let bouncy = PairLaw { normal_restitution: 0.9, ..PairLaw::frictional(0.4) };
        let mut materials = Materials::new([
            ("glass".into(), bouncy),
            ("steel".into(), PairLaw::frictional(0.9)),
            ("ice".into(), PairLaw::frictional(0.0)),
        ]);
        assert!((materials.pair(0, 1).static_friction - 0.6).abs() < 1e-15);
        assert_eq!(materials.pair(0, 1), materials.pair(1, 0));
        assert_eq!(materials.pair(0, 1).normal_restitution, 0.0);
        assert_eq!(materials.pair(2, 1).static_friction, 0.0);
        materials.set_pair(2, 1, PairLaw::frictional(0.1));
        assert_eq!(materials.pair(1, 2).static_friction, 0.1);
        assert_eq!(materials.pair(0, 0).normal_restitution, 0.9);
    }
}
