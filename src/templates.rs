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
    template!("heap", "spheres flow out under lifted plates and form a heap"),
    template!("deposit", "spheres fall into a box and come to rest"),
    template!("hopper", "grains flow out of a funnel"),
    template!("recirculation", "grains flow out of a funnel and are put back on top, in a steady state"),
    template!("chute", "stones slide down a chute of steel, which wears"),
    template!("drum", "grains tumble in a rotating drum"),
    template!("mixer", "two groups of grains are mixed in a rotating drum"),
    template!("screw", "a screw conveys grains along a trough"),
    template!("piston", "grains are compressed by a piston at a fixed pressure"),
    template!("shear", "grains are sheared between two walls"),
    template!("isotropic", "isotropic compression of spheres between walls"),
    template!("isotropic-disks", "isotropic compression of disks between walls"),
    template!("isotropic-cell", "isotropic compression of spheres in a periodic cell"),
    template!("isotropic-cell-disks", "isotropic compression of disks in a periodic cell"),
    template!("biaxial-walls", "biaxial compression of disks between walls"),
    template!("triaxial", "triaxial compression of spheres between walls"),
    template!("oedometer", "oedometric loading and unloading of spheres"),
    template!("undrained", "undrained (constant-volume) shear of disks"),
    template!("cyclic", "cyclic biaxial test of disks in a periodic cell"),
    template!("shear-cell", "plane shear of disks in a periodic cell"),
    template!("collision", "two grains collide"),
    template!("collapse", "a column of grains collapses when its gate is lifted"),
    template!("rolling-heap", "a heap of spheres held up by rolling friction"),
    template!("powder", "a cohesive powder is compacted by a piston"),
    template!("wet", "spheres held by capillary bridges are compressed"),
    template!("polygons", "random polygons settle in a box"),
    template!("polyhedra", "irregular polyhedra settle in a box"),
    template!("arch", "an arch of voussoirs stands, or falls if it is too thin"),
    template!("arch-collapse", "an arch on tilting ground turns over as a mechanism"),
    template!("tower", "a tower of blocks stands"),
    template!("wall", "a wall of bricks stands until it is pushed"),
    template!("mortar-wall", "a wall in mortar cracks as a footing settles"),
    template!("earthquake", "a wall of bricks under an accelerogram"),
    template!("domino", "a row of dominoes falls"),
    template!("incline", "a block rests on an incline without creep"),
    template!("pushed-block", "a block sticks and slips under an oscillating force"),
    template!("rocking", "a block rocks from one corner to the other"),
    template!("painleve", "Painlevé's rod is stopped by an impulse"),
    template!("cube", "a cube falls on a corner and comes to rest on a face"),
    template!("edges", "two boxes collide edge to edge"),
    template!("corner", "the corner of a box hits the face of another"),
    template!("overhang", "bricks overhang the edge of a table"),
    template!("landslide", "polygons slide down a slope and come to rest, by A-CD²"),
    template!("biaxial", "biaxial compression of disks between plates and membranes"),
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
