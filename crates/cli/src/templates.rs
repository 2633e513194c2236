//! The scenes to start from.

use crate::failure::{Exit, Failure};
use crate::screen::say;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// A scene to start from.
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
        Template { name: $name, about: $about, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }
    };
}

/// All of them. Each also stands in the folder `scenes` of the source.
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

/// Writes a template, or lists them all.
pub fn new(template: Option<&str>, file: Option<PathBuf>) -> Result<(), Failure> {
    let Some(name) = template else {
        say(format_args!("Templates:"));
        for template in TEMPLATES {
            say(format_args!("  {:<22}{}", template.name, template.about));
        }
        say(format_args!("\nWrite one with: riprap new NAME"));
        return Ok(());
    };
    let template = TEMPLATES.iter().find(|template| template.name == name).ok_or_else(|| {
        let names: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        Failure::new(Exit::BadInput, format!("there is no template \"{name}\"; there are {}", names.join(", ")))
    })?;
    let path = file.unwrap_or_else(|| format!("{name}.toml").into());
    let mut out = OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::new(Exit::BadInput, format!("{} exists already; give another file name", path.display()))
        }
        _ => Failure::writing(&path, error),
    })?;
    out.write_all(template.text.as_bytes()).map_err(|error| Failure::writing(&path, error))?;
    say(format_args!("wrote {}; simulate it with: riprap run {0}", path.display()));
    Ok(())
}
