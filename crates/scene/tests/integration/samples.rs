//! Where grains are put.

use crate::built;
use riprap_engine::GrainTable;

const HEAD: &str =
    "[materials.glass]\ndensity = 2500\nfriction = 0.5\n[[stages]]\nname = \"fall\"\nend = { time = 1 }\n";
const BOX_2D: &str = "[[walls]]\nname = \"box\"\nshape = \"box\"\nlower = [0, 0]\nupper = [1, 1]\n";
const BOX_3D: &str = "[[walls]]\nname = \"box\"\nshape = \"box\"\nlower = [0, 0, 0]\nupper = [1, 1, 1]\n";

fn sample(dimension: usize, text: &str) -> GrainTable {
    built("sample.toml", &format!("dimension = {dimension}\n{HEAD}{text}")).1
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt()
}

/// How many neighbours at the distance `spacing` the grain nearest to the middle has.
fn neighbours(grains: &GrainTable, spacing: f64) -> usize {
    let size: [f64; 3] = std::array::from_fn(|i| grains.position.iter().map(|p| p[i]).fold(0.0, f64::max));
    let middle = size.map(|x| 0.5 * x);
    let nearest = |a: &&[f64; 3], b: &&[f64; 3]| distance(**a, middle).total_cmp(&distance(**b, middle));
    let centre = *grains.position.iter().min_by(nearest).expect("there are grains");
    grains.position.iter().filter(|&&p| (distance(p, centre) / spacing - 1.0).abs() < 1e-6).count()
}

#[test]
fn lattices_have_their_neighbours() {
    for (dimension, walls, lattice, expected) in
        [(2, BOX_2D, "square", 4), (2, BOX_2D, "triangular", 6), (3, BOX_3D, "cubic", 6), (3, BOX_3D, "hexagonal", 12)]
    {
        let grains = sample(
            dimension,
            &format!(
                "{walls}[[grains]]\nsample = \"lattice\"\nlattice = \"{lattice}\"\nspacing = 0.1\nradius = 0.05\n"
            ),
        );
        assert_eq!(neighbours(&grains, 0.1), expected, "{lattice}, {} grains", grains.len());
        let inside = |p: &[f64; 3]| p[..dimension].iter().all(|x| (0.05 - 1e-9..=0.95 + 1e-9).contains(x));
        assert!(grains.position.iter().all(inside), "{lattice}");
    }
    // Ten rows of ten in the square box, nothing less.
    let grains = sample(2, &format!("{BOX_2D}[[grains]]\nsample = \"lattice\"\nspacing = 0.1\nradius = 0.05\n"));
    assert_eq!(grains.len(), 100);
}

#[test]
fn a_lattice_closes_over_a_period() {
    let grains = sample(
        2,
        "[domain]\nperiodic = { x = 1.05 }\n[[grains]]\nsample = \"lattice\"\nlattice = \"triangular\"\nspacing = 0.1\n\
         radius = 0.05\nregion = { box = { lower = [0, 0], upper = [1.05, 0.5] } }\n",
    );
    let rows: Vec<usize> = [0.05, 0.05 + 0.1 * 0.75_f64.sqrt()]
        .map(|y| grains.position.iter().filter(|p| (p[1] - y).abs() < 1e-6).count())
        .to_vec();
    assert_eq!(rows, [10, 10]);
}

#[test]
fn a_random_sample_has_its_solid_fraction_and_depends_on_the_seed_alone() {
    let text = |seed: usize| {
        format!("seed = {seed}\n{HEAD}{BOX_2D}[[grains]]\nsample = \"random\"\nsolid_fraction = 0.45\nradius = 0.02\n")
    };
    let grains = |seed| built("random.toml", &format!("dimension = 2\n{}", text(seed))).1;
    let first = grains(1);
    let area: f64 = first.radius.iter().map(|r| std::f64::consts::PI * r * r).sum();
    assert!((area - 0.45).abs() < 0.003, "{area}");
    assert_eq!(first, grains(1));
    assert_ne!(first.position, grains(2).position);
}

#[test]
fn entries_keep_clear_of_walls_and_of_each_other() {
    let rod = "[[walls]]\nname = \"rod\"\nshape = \"rod\"\ncentre = [0.5, 0.5]\nradius = 0.3\n";
    let two = "[[grains]]\nsample = \"random\"\ncount = 40\nradius = 0.03\ngroup = \"large\"\n\
               [[grains]]\nsample = \"random\"\ncount = 100\nradius = 0.01\ngroup = \"small\"\nvelocity = [1, 2]\n";
    let grains = sample(2, &format!("{BOX_2D}{rod}{two}"));
    assert_eq!(grains.len(), 140);
    for i in 0..grains.len() {
        assert!(distance(grains.position[i], [0.5, 0.5, 0.0]) >= 0.3 + grains.radius[i]);
        for j in 0..i {
            assert!(distance(grains.position[i], grains.position[j]) >= grains.radius[i] + grains.radius[j]);
        }
    }
    assert_eq!((grains.group[39].as_str(), grains.group[40].as_str()), ("large", "small"));
    assert_eq!((grains.velocity[0], grains.velocity[139]), ([0.0; 3], [1.0, 2.0, 0.0]));
}

#[test]
fn rain_stands_in_layers_above_an_open_box() {
    let grains = sample(
        3,
        "[[walls]]\nname = \"box\"\nshape = \"box\"\nlower = [0, 0, 0]\nupper = [1, 1, 0.5]\nopen = [\"top\"]\n\
         [[grains]]\nsample = \"rain\"\ncount = 400\nradius = 0.05\ncover = 0.2\nvelocity = [0, 0, -1]\n",
    );
    assert_eq!(grains.len(), 400);
    let mut levels: Vec<f64> = grains.position.iter().map(|p| p[2]).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    // At most 0.2 of the area in one layer: 25 grains.
    assert_eq!(levels.len(), 16);
    assert!(levels[0] >= 0.05 && levels.windows(2).all(|pair| pair[1] - pair[0] >= 0.1));
    assert!(levels[15] > 0.5, "higher than the box");
}

#[test]
fn a_cylinder_holds_its_grains() {
    let grains = sample(
        3,
        "[[grains]]\nsample = \"random\"\ncount = 200\nradius = 0.05\n\
         region = { cylinder = { centre = [1, 2, 3], axis = \"y\", radius = 0.5, length = 2 } }\n",
    );
    for p in &grains.position {
        assert!(f64::hypot(p[0] - 1.0, p[2] - 3.0) <= 0.45 && (1.05..=2.95).contains(&p[1]));
    }
    let drum = "[[walls]]\nname = \"drum\"\nshape = \"drum\"\ncentre = [1, 1]\nradius = 0.5\n";
    let grains = sample(2, &format!("{drum}[[grains]]\nsample = \"random\"\ncount = 50\ndiameter = 0.06\n"));
    assert!(grains.position.iter().all(|p| f64::hypot(p[0] - 1.0, p[1] - 1.0) <= 0.47));
}

#[test]
fn files_bring_their_grains_and_take_other_materials() {
    let more = "[materials.steel]\ndensity = 7800\nfriction = 0.2\n";
    let entry = "[[grains]]\nsample = \"file\"\npath = \"grains.csv\"\nmaterial = \"steel\"\ngroup = \"old\"\n\
                 shift = [0, 0, 1]\n";
    let grains = sample(3, &format!("{more}{entry}"));
    assert_eq!(grains.position, [[0.1, 0.1, 1.1], [0.2, 0.1, 1.1]]);
    assert_eq!(grains.radius, [0.01, 0.02]);
    assert_eq!(grains.velocity, [[0.5, 0.0, 0.0], [0.0; 3]]);
    assert_eq!((grains.material[0].as_str(), grains.group[1].as_str()), ("steel", "old"));
    let resting = sample(3, &format!("{more}{entry}at_rest = true\n").replace("\"file\"", "\"snapshot\""));
    assert_eq!(resting.velocity, [[0.0; 3], [0.0; 3]]);
}

/// The fraction of the mass of spheres that is finer than a radius.
fn passing(grains: &GrainTable, radius: f64) -> f64 {
    let mass =
        |part: &dyn Fn(f64) -> bool| -> f64 { grains.radius.iter().filter(|&&r| part(r)).map(|r| r * r * r).sum() };
    mass(&|r| r < radius) / mass(&|_| true)
}

#[test]
fn a_sieve_curve_is_drawn_by_mass_and_what_was_drawn_is_told() {
    let inline = "[[\"1 mm\", 0], [\"2 mm\", \"40 %\"], [\"4 mm\", 1]]";
    let file = "{ file = { path = \"sieves.csv\", opening = \"d (mm)\", opening_unit = \"mm\", passing = 3, \
                passing_unit = \"%\" } }";
    let drawn = |key: &str, points: &str| {
        let text = format!(
            "dimension = 3\n{HEAD}[[grains]]\nsample = \"lattice\"\ncount = 20000\n{key} = {{ sieve = {{ points = {points} }} \
             }}\nregion = {{ box = {{ lower = [0, 0, 0], upper = [1, 1, 1] }} }}\n"
        );
        built("sieve.toml", &text)
    };
    let (scene, grains, _) = drawn("radius", inline);
    // Openings are diameters. The coarsest grains carry a mass of their own of 1e-4 of the whole: the error is of that order
    // times the root of their number.
    for (radius, part) in [(0.5e-3, 0.0), (0.75e-3, 0.2), (1e-3, 0.4), (1.5e-3, 0.7), (2.001e-3, 1.0)] {
        let found = passing(&grains, radius);
        assert!((found - part).abs() < 0.02, "{radius}: {found} instead of {part}");
    }
    let said = scene.choices().into_iter().chain(scene.remarks().to_vec()).find(|line| line.contains("sieve curve"));
    let said = said.expect("it is told");
    assert!(said.starts_with("grains.0: of the mass of 20000 grains pass") && said.contains("of 0.400 at 2.000e-3 m"));
    // The same from a file, and as diameters; the scene that a run keeps has the rows in it.
    for key in ["radius", "diameter"] {
        let (scene, same, _) = drawn(key, file);
        assert_eq!(same.radius, grains.radius, "{key}");
        assert!(
            scene.resolved().contains("points = [[0.001, 0.0], [0.002, 0.4], [0.004, 1.0]]"),
            "{}",
            scene.resolved()
        );
    }
}

#[test]
fn a_snapshot_brings_its_cell_and_the_scene_that_is_kept_says_so() {
    let text = format!("dimension = 2\n{HEAD}[[grains]]\nsample = \"snapshot\"\npath = \"sheared.h5\"\n");
    let cell = |world: &riprap_engine::AnyWorld| match world {
        riprap_engine::AnyWorld::D2(world) => world.state.cell,
        riprap_engine::AnyWorld::D3(_) => unreachable!("it is flat"),
    };
    let (scene, _, world) = built("chained.toml", &text);
    let found = cell(&world);
    assert_eq!((found.origin.to_array(), found.period.to_array(), found.tilt), ([0.0, -0.1], [0.5, 0.4], 0.07));
    let kept = scene.resolved();
    assert!(
        kept.contains("periodic = { x = 0.5, y = 0.4, shift = 0.07 }") && kept.contains("origin = [0.0, -0.1]"),
        "{kept}"
    );
    let (_, _, again) = built("chained.toml", &kept);
    assert_eq!(cell(&again), found);
    // What the scene says of periods holds.
    let own = text.replace("[materials", "[domain]\nperiodic = { x = 0.6 }\n[materials");
    let (_, _, other) = built("chained.toml", &own);
    assert_eq!((cell(&other).period.to_array(), cell(&other).tilt), ([0.6, 0.0], 0.0));
    // Only grains that come from such a cell fit into it.
    let placed = "dimension = 2\n[domain]\nperiodic = { x = 0.5, y = 0.4, shift = 0.1 }\n".to_owned()
        + HEAD
        + "[[grains]]\nsample = \"random\"\ncount = 5\nradius = 0.01\n";
    let faults = riprap_scene::load(&placed, "placed.toml", &[]).unwrap_err().to_string();
    assert!(faults.contains("a sheared cell can only hold grains from a snapshot"), "{faults}");
}
