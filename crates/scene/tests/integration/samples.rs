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
