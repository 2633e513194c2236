//! Scenes and what is read with them: values of `--set`, studies, records.

use super::{Target, Verdict};
use crate::dice::Dice;
use crate::mutate::mutated;
use crate::worlds::SCENES;
use riprap::templates::TEMPLATES;
use riprap_engine::{GrainTable, Surface};
use riprap_scene::{GrainSource, NoFiles, Override, Scene, StudyPlan, load, load_with_files};

/// Scenes with more grains than this are checked, but not filled: they cost what they say.
const MOST_GRAINS: f64 = 3000.0;

/// Words of scenes, which take the places of others.
const WORDS: [&str; 44] = [
    "normal",
    "log_normal",
    "power_law",
    "uniform",
    "two_sizes",
    "min",
    "max",
    "deviation",
    "exponent",
    "count",
    "solid_fraction",
    "\"random\"",
    "\"rain\"",
    "\"lattice\"",
    "\"voronoi\"",
    "\"bricks\"",
    "\"arch\"",
    "\"box\"",
    "\"drum\"",
    "\"plane\"",
    "\"1 um\"",
    "\"1 km\"",
    "\"-1 s\"",
    "[]",
    "{}",
    "[[grains]]",
    "true",
    "sizes",
    "table",
    "pressure",
    "sieve",
    "points",
    "impulse",
    "arm",
    "wear",
    "coupled_torsion",
    "viscous_time",
    "roughness",
    "[[bonds]]",
    "[[loads]]",
    "tensile_stress",
    "\"35 %\"",
    "{ file = { path = \"a.csv\" } }",
    "[[0, 0], [1, 1]]",
];

struct Text {
    corpus: Vec<Vec<u8>>,
    words: &'static [&'static str],
    judge: fn(&str) -> Verdict,
}

impl Target for Text {
    fn input(&self, dice: &mut Dice) -> Vec<u8> {
        mutated(&self.corpus, self.words, dice)
    }

    fn judge(&mut self, input: &[u8]) -> Result<Verdict, String> {
        // What is not text is refused when the file is read.
        Ok(std::str::from_utf8(input).map_or(Verdict::Refused, self.judge))
    }
}

/// Reads a scene, and if it has no faults, samples its grains, builds its world and writes it out again.
fn build(loaded: Result<Scene, riprap_scene::Faults>) -> Verdict {
    let mut scene = match loaded {
        Ok(scene) => scene,
        Err(faults) => {
            // The message has to be found as well.
            let _ = faults.to_string();
            return Verdict::Refused;
        }
    };
    if scene.most_grains().all() > MOST_GRAINS {
        return Verdict::Accepted;
    }
    let built = scene.sample(&NoFiles).and_then(|grains| scene.build(&grains));
    match built {
        Ok(mut world) => {
            scene.enter_stage(0, &mut world, None);
            let _ = scene.resolved();
            Verdict::Accepted
        }
        Err(faults) => {
            let _ = faults.to_string();
            Verdict::Refused
        }
    }
}

fn texts() -> Vec<Vec<u8>> {
    let all = SCENES.iter().map(|(_, text)| *text).chain(TEMPLATES.iter().map(|template| template.text));
    all.map(|text| text.as_bytes().to_vec()).collect()
}

pub fn scene() -> Box<dyn Target> {
    Box::new(Text { corpus: texts(), words: &WORDS, judge: |text| build(load(text, "scene.toml", &[])) })
}

pub fn set() -> Box<dyn Target> {
    let corpus = [
        "materials.glass.friction=0.3",
        "grains.0.count=20",
        "grains.0.radius=2 mm",
        "stages.0.end.time=1 s",
        "seed=7",
        "domain.gravity=[0, 0, -1]",
        "walls.0.upper=[\"1 cm\", \"1 cm\", \"2 cm\"]",
        "solver.criterion.residual=1e-6",
        "grains.0.radius={ uniform = { min = \"1 mm\", max = \"2 mm\" } }",
        "outputs.measure=[\"stress\"]",
        "grains.9.count=1",
        "domain.periodic.x=4 cm",
        "method=\"md\"",
        "dimension=2",
        "stages.0.end={ steps = 3 }",
        "materials.new.density=1",
    ];
    Box::new(Text {
        corpus: corpus.iter().map(|text| text.as_bytes().to_vec()).collect(),
        words: &WORDS,
        judge: |text| {
            let Some((path, value)) = text.split_once('=') else { return Verdict::Refused };
            let change = Override { path: path.into(), value: value.into() };
            // Each value meets one scene, which the value itself chooses.
            let template = &TEMPLATES[riprap_store::hash_of_bytes(text.as_bytes()) as usize % TEMPLATES.len()];
            build(load(template.text, template.name, &[change]))
        },
    })
}

pub fn study() -> Box<dyn Target> {
    let corpus = [
        include_str!("../../corpus/study.toml"),
        "scene = \"a.toml\"\nseeds = [3, 7, 9]\n[vary]\nseed = { from = 3, to = 6 }\n",
        "scene = \"a.toml\"\nsamples = { count = 5, kind = \"random\", seed = 2 }\n[vary]\na.b = { from = \"1 mm\", to = \"2 mm\" }\n",
    ];
    Box::new(Text {
        corpus: corpus.iter().map(|text| text.as_bytes().to_vec()).collect(),
        words: &[
            "seeds",
            "samples",
            "count",
            "[vary]",
            "[[cases]]",
            "from",
            "to",
            "scale",
            "\"log\"",
            "name",
            "\"../a\"",
        ],
        judge: |text| match StudyPlan::parse(text, "study.toml") {
            Ok(plan) if plan.points(1).is_ok() => Verdict::Accepted,
            Ok(_) => Verdict::Refused,
            Err(faults) => {
                let _ = faults.to_string();
                Verdict::Refused
            }
        },
    })
}

/// A file of columns, whatever it is called.
struct OneFile<'a>(&'a str);

impl GrainSource for OneFile<'_> {
    fn read(&self, _path: &str) -> Result<GrainTable, String> {
        Err("there are no grains".into())
    }

    fn read_surface(&self, _path: &str) -> Result<Surface, String> {
        Err("there is no surface".into())
    }

    fn read_text(&self, _path: &str) -> Result<String, String> {
        Ok(self.0.into())
    }
}

/// A scene that is shaken as a file says.
const SHAKEN: &str = "dimension = 2\n[materials.a]\ndensity = 1\nfriction = 0.5\n[[walls]]\nname = \"floor\"\nshape = \"plane\"\n\
    point = [0, 0]\nnormal = [0, 1]\n[[grains]]\nsample = \"list\"\npositions = [[0, 1]]\nradius = 1\n[[drivers]]\n\
    wall = \"floor\"\nx = { acceleration = { file = { path = \"a.csv\", unit = \"g\", scale = 2 } } }\n[[stages]]\nname = \"a\"\n\
    end = { steps = 1 }\n";

/// A scene whose sizes are drawn from a sieve curve in a file.
const SIEVED: &str = "dimension = 2\n[materials.a]\ndensity = 1\n[[grains]]\nsample = \"random\"\ncount = 5\n\
    region = { box = { lower = [0, 0], upper = [1000, 1000] } }\n\
    radius = { sieve = { points = { file = { path = \"a.csv\", opening = 1, passing = 2 } } } }\n\
    [[stages]]\nname = \"a\"\nend = { steps = 1 }\n";

pub fn record() -> Box<dyn Target> {
    let even: String = (0..40).map(|row| format!("{:.2},{}\n", f64::from(row) * 0.01, row % 3)).collect();
    let corpus = [
        "0,1.5\n0.1,-2\n",
        "t;a\r\n0; 1.5\r\n0.1; -2\r\n",
        "# station 7\n0 1.5\n\n0.1 -2e0",
        "\"t\",\"a\"\n0,1\n1,2\n2,1\n",
        "d,passing\n0.5,0\n1,0.35\n2,1\n",
        &even,
    ];
    Box::new(Text {
        corpus: corpus.iter().map(|text| text.as_bytes().to_vec()).collect(),
        words: &["\t", ";", ",", "\"", "#", "\u{feff}", "\u{a0}", "é"],
        judge: |text| {
            let of = |scene| build(load_with_files(scene, "scene.toml", &[], &OneFile(text)));
            match (of(SHAKEN), of(SIEVED)) {
                (Verdict::Refused, Verdict::Refused) => Verdict::Refused,
                _ => Verdict::Accepted,
            }
        },
    })
}
