//! Small worlds in the middle of a run, of whose files good inputs are made.

use riprap_engine::AnyWorld;
use riprap_run::{Simulation, Until};

/// The scenes of the corpus.
pub const SCENES: [(&str, &str); 4] = [
    ("disks", include_str!("../corpus/disks.toml")),
    ("spheres", include_str!("../corpus/spheres.toml")),
    ("angular", include_str!("../corpus/angular.toml")),
    ("laws", include_str!("../corpus/laws.toml")),
];

/// The world of each of them after its last step.
pub fn all() -> Vec<AnyWorld> {
    SCENES.iter().map(|(name, text)| run(name, text)).collect()
}

fn run(name: &str, text: &str) -> AnyWorld {
    let scene = riprap_scene::load(text, name, &[]).unwrap_or_else(|faults| panic!("{faults}"));
    let mut simulation = Simulation::new(scene).unwrap_or_else(|error| panic!("{name}: {error}"));
    simulation.run(Until::End).unwrap_or_else(|error| panic!("{name}: {error}"));
    simulation.world().clone()
}

#[cfg(test)]
mod tests {
    use riprap_store::Snapshot;

    #[test]
    fn the_worlds_of_the_corpus_have_grains_and_contacts() {
        for world in super::all() {
            let snapshot = Snapshot::of(&world);
            assert!(snapshot.grains.len() > 5 && !snapshot.contacts.gap.is_empty());
        }
    }
}
