//! The scenes to start from, as `riprap new` writes them.
//!
//! ```
//! let heap = riprap::templates::find("heap").expect("it is one of them");
//! let scene = riprap::scene::load(heap.text, "heap.toml", &[]).expect("it has no faults");
//! assert_eq!(scene.dimension(), 3);
//! ```

/// A scene to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name, and that of its file without the ending.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    /// The scene.
    pub text: &'static str,
}

macro_rules! template {
    ($name:literal, $about:literal) => {
        Template { name: $name, about: $about, text: include_str!(concat!("../scenes/", $name, ".toml")) }
    };
}

/// All of them: every scene in the folder `scenes` of the source, in the order in which `riprap new` lists them.
pub const TEMPLATES: &[Template] = &[
    template!("heap", "spheres flow out below lifted plates and make a heap"),
    template!("deposit", "spheres fall into a box and come to rest"),
    template!("hopper", "grains flow out of a funnel"),
    template!("drum", "grains tumble in a rotating drum"),
    template!("piston", "grains are compressed by a piston at a fixed pressure"),
    template!("shear", "grains are sheared between two walls"),
    template!("isotropic", "spheres are pressed from all sides by walls"),
    template!("isotropic-disks", "disks are pressed from all sides by walls"),
    template!("isotropic-cell", "spheres are pressed in a periodic cell"),
    template!("isotropic-cell-disks", "disks are pressed in a periodic cell"),
    template!("biaxial-walls", "disks are loaded from above, with pressed sides"),
    template!("triaxial", "spheres are loaded from above, with pressed sides"),
    template!("oedometer", "spheres are loaded and unloaded between rigid sides"),
    template!("undrained", "disks are sheared at constant volume"),
    template!("cyclic", "disks are loaded up and down, with pressed sides"),
    template!("shear-cell", "disks are sheared in a periodic cell"),
    template!("collision", "two grains hit each other"),
    template!("collapse", "a column of grains collapses when its gate is lifted"),
    template!("rolling-heap", "a heap of spheres stands by rolling friction"),
    template!("powder", "a cohesive powder is compacted by a piston"),
    template!("wet", "spheres are held by capillary bridges, then pressed"),
    template!("polygons", "random polygons settle in a box"),
    template!("polyhedra", "irregular polyhedra settle in a box"),
    template!("arch", "an arch of voussoirs stands, or falls if it is too thin"),
    template!("tower", "a tower of blocks stands"),
    template!("wall", "a wall of bricks stands until it is pushed"),
    template!("domino", "a row of dominoes falls"),
    template!("incline", "a block rests on an incline without creep"),
    template!("pushed-block", "a block slips and sticks under a swinging force"),
    template!("rocking", "a block rocks from one corner onto the other"),
    template!("painleve", "Painlevé's rod is stopped by an impulse"),
    template!("cube", "a cube falls on a corner and comes to rest on a face"),
    template!("edges", "two boxes hit each other with their edges"),
    template!("corner", "a box hits the face of another with its corner"),
    template!("overhang", "bricks reach over the end of a table"),
    template!("landslide", "polygons slide down a slope by A-CD², until they rest"),
    template!("biaxial", "disks are sheared between plates and flexible membranes"),
];

/// The template of this name.
pub fn find(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_scene_of_the_folder_is_a_template() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes")).unwrap();
        let files = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let scenes: BTreeSet<String> = files.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
        let names: BTreeSet<String> = TEMPLATES.iter().map(|template| template.name.to_owned()).collect();
        assert_eq!(names.len(), TEMPLATES.len(), "a name stands twice");
        assert_eq!(names, scenes);
    }
}
