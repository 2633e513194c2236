//! Random scenes over all shapes, laws, drivers, methods and scales. Most are valid; those that are not are refused in words.

use crate::dice::Dice;

/// The text of a scene that runs for a few steps.
pub fn scene(dice: &mut Dice) -> String {
    Maker::new(dice).make()
}

/// A scene while it is written.
struct Maker<'a> {
    dice: &'a mut Dice,
    text: String,
    dimension: usize,
    method: &'static str,
    /// The size of the container, in metres.
    length: f64,
    /// The largest radius, and the smallest.
    radius: [f64; 2],
    density: f64,
    count: usize,
    angular: bool,
    container: &'static str,
}

impl<'a> Maker<'a> {
    fn new(dice: &'a mut Dice) -> Self {
        let dimension = *dice.pick(&[2, 3]);
        let length = 10_f64.powi(*dice.pick(&[-6, -6, -3, -3, -3, -2, 0, 0, 3, 6]));
        let method = *dice.pick(&["cd", "cd", "cd", "cd", "cd", "cd", "acd2", "md"]);
        let container =
            *dice.pick(&["box", "box", "box", "box", "drum", "floor", "periodic", "cell", "plates", "mesh", "none"]);
        let container = match (method, container) {
            ("cd", _) | ("acd2", "box" | "drum" | "floor" | "periodic" | "plates" | "mesh" | "none") => container,
            ("md", "mesh" | "cell") | ("acd2", _) => "box",
            _ => container,
        };
        let angular = method != "md" && dice.chance(0.4);
        let mut count = *dice.pick(&[1, 1, 2, 3, 8, 8, 20, 40, 80]);
        if angular {
            count = count.min(20);
        }
        let ratio = *dice.pick(&[1.0, 1.0, 1.0, 1.5, 3.0, 10.0, 100.0]);
        let largest = length * if count > 40 { 0.035 } else { 0.06 };
        let density = *dice.pick(&[1.0, 1000.0, 2600.0, 1e4]);
        let radius = [largest, largest / ratio];
        Maker { dice, text: String::new(), dimension, method, length, radius, density, count, angular, container }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// A vector of the scene's dimension.
    fn vector(&self, of: impl Fn(usize) -> f64) -> String {
        let numbers: Vec<String> = (0..self.dimension).map(|axis| format!("{:e}", of(axis))).collect();
        format!("[{}]", numbers.join(", "))
    }

    fn random_vector(&mut self, scale: f64) -> String {
        let numbers = [(); 3].map(|()| self.dice.between(-scale, scale));
        self.vector(|axis| numbers[axis])
    }

    /// A vector upwards, the last axis.
    fn up(&self) -> String {
        self.vector(|axis| if axis + 1 == self.dimension { 1.0 } else { 0.0 })
    }

    /// The mass of a large grain, about.
    fn mass(&self) -> f64 {
        self.density * self.radius[0].powi(self.dimension as i32)
    }

    fn make(mut self) -> String {
        let gravity = *self.dice.pick(&[0.0, 9.81, 9.81, 9.81, 1e3, 1e-6]);
        let gravity = if self.container == "cell" { 0.0 } else { gravity };
        let speed = 0.3 * (self.length * if gravity == 0.0 { 9.81 } else { gravity }).sqrt();
        let seed = self.dice.below(1000);
        self.line(format!("dimension = {}\nmethod = \"{}\"\nseed = {seed}", self.dimension, self.method));
        self.domain(gravity);
        // Soft contacts take steps that resolve the lightest grain: a ratio of 10⁶ takes minutes.
        let ratios: &[f64] = if self.method == "md" { &[10.0] } else { &[1e3, 1e6] };
        let heavy = self.dice.chance(0.3).then(|| *self.dice.pick(ratios));
        self.material("a", self.density);
        if let Some(ratio) = heavy {
            self.material("b", self.density * ratio);
        }
        self.walls(speed);
        let first = if heavy.is_some() { self.count.div_ceil(2) } else { self.count };
        self.grains(first, "a", speed);
        if heavy.is_some() && self.count > first {
            self.grains(self.count - first, "b", speed);
        }
        self.extras(speed);
        if self.method == "cd" {
            self.solver(speed);
        }
        let (one, two) = (2 + self.dice.below(8), 1 + self.dice.below(8));
        self.line(format!("[[stages]]\nname = \"one\"\nend = {{ steps = {one} }}"));
        self.line(format!("[[stages]]\nname = \"two\"\nend = {{ steps = {two} }}"));
        self.line("[outputs]\nseries_interval = 0\nsnapshot_interval = 1e30\nsnapshot_formats = [\"h5\"]");
        self.text
    }

    fn domain(&mut self, gravity: f64) {
        let length = self.length;
        self.line("[domain]");
        if self.dice.chance(0.2) && gravity > 0.0 {
            let vector = self.random_vector(gravity);
            self.line(format!("gravity = {vector}"));
        } else {
            self.line(format!("gravity = {gravity}"));
        }
        match self.container {
            "periodic" => self.line(format!("periodic = {{ x = {length:e} }}")),
            "cell" if self.dimension == 2 => self.line(format!("periodic = {{ x = {length:e}, y = {length:e} }}")),
            "cell" => self.line(format!("periodic = {{ x = {length:e}, y = {length:e}, z = {length:e} }}")),
            _ => {}
        }
        if self.container == "cell" {
            let pressure = self.mass() * self.count as f64 * 9.81 / length.powi(self.dimension as i32 - 1);
            let rate = (9.81 / length).sqrt();
            let choice = match self.dice.below(3) {
                0 => format!("y = {{ rate = {:e} }}", -0.3 * rate),
                1 => format!("y = {{ pressure = {pressure:e} }}"),
                _ => format!("shear = {rate:e}"),
            };
            self.line(format!("[cell]\n{choice}"));
        }
    }

    fn material(&mut self, name: &str, density: f64) {
        let friction = *self.dice.pick(&[0.0, 0.0, 0.1, 0.5, 0.5, 1.0, 10.0, 100.0]);
        self.line(format!("[materials.{name}]\ndensity = {density:e}\nfriction = {friction}"));
        let (weight, force) = (density * self.radius[0].powi(self.dimension as i32), 9.81);
        if self.method != "acd2" {
            let restitution = *self.dice.pick(&[0.0, 0.0, 0.2, 0.5, 0.9, 1.0]);
            self.line(format!("normal_restitution = {restitution}"));
        } else if self.dice.chance(0.4) {
            self.line(format!("normal_viscosity = {weight:e}"));
        }
        if self.method == "cd" && self.dice.chance(0.3) {
            let restitution = *self.dice.pick(&[0.5, -0.5, 1.0]);
            self.line(format!("tangential_restitution = {restitution}"));
        }
        if !self.angular && self.method != "acd2" && self.dice.chance(0.25) {
            let limit = self.torque_limit(weight * force);
            self.line(format!("rolling_friction = {limit}"));
        }
        if self.method == "cd" && self.dimension == 3 && !self.angular && self.dice.chance(0.2) {
            let limit = self.torque_limit(weight * force);
            self.line(format!("torsion_friction = {limit}"));
            if self.dice.chance(0.5) {
                self.line("coupled_torsion = true");
            }
        }
        if self.dice.chance(0.1) {
            let rate = *self.dice.pick(&[1e-14, 1e-9, 1.0]);
            self.line(format!("wear = {rate:e}"));
        }
        match self.dice.below(8) {
            0 if self.method == "cd" => self.line(format!("adhesion = {:e}", weight * force)),
            1 if self.method == "cd" => {
                let range = 0.02 * self.radius[1];
                self.line(format!("cohesion = {{ force = {:e}, range = {range:e} }}", 10.0 * weight * force));
            }
            _ => {}
        }
    }

    /// The limit of a contact torque, in any of the ways of giving it; `force` is the weight of a large grain.
    fn torque_limit(&mut self, force: f64) -> String {
        let coefficient = *self.dice.pick(&[0.0, 0.1, 2.0]);
        let radius = self.radius[1];
        match self.dice.below(5) {
            0 => format!("\"{:e} m\"", coefficient * radius),
            1 => format!("{{ roughness = {:e}, coefficient = {coefficient} }}", 1e-3 * radius),
            2 => format!("{{ viscous_time = {:e} }}", coefficient * 1e-2 * (self.length / 9.81).sqrt()),
            3 => format!("{{ loss = {coefficient}, modulus = {:e} }}", 1e4 * force / radius.powi(2)),
            _ => format!("{{ coefficient = {coefficient} }}"),
        }
    }

    fn wall(&mut self, name: &str, rest: &str) {
        self.line(format!("[[walls]]\nname = \"{name}\"\nmaterial = \"a\"\n{rest}"));
    }

    fn walls(&mut self, speed: f64) {
        let length = self.length;
        let (zero, one) = (self.vector(|_| 0.0), self.vector(|_| length));
        let container = format!("shape = \"box\"\nlower = {zero}\nupper = {one}");
        match self.container {
            "box" => {
                self.wall("box", &container);
                self.driver(speed);
            }
            "periodic" | "floor" => {
                let up = self.up();
                self.wall("floor", &format!("shape = \"plane\"\npoint = {zero}\nnormal = {up}"));
            }
            "drum" => {
                let centre = self.vector(|_| 0.5 * length);
                let axis = if self.dimension == 3 { "\naxis = [0, 1, 0]" } else { "" };
                self.wall("drum", &format!("shape = \"drum\"\ncentre = {centre}\nradius = {:e}{axis}", 0.5 * length));
                self.line(format!("[[drivers]]\nwall = \"drum\"\nrotation = {{ velocity = {:e} }}", speed / length));
            }
            "plates" => {
                self.wall("box", &container);
                let (from, to) = (self.vector(|axis| [0.2, 0.1, 0.1][axis] * length), self.vector(|_| 0.15 * length));
                let axis = if self.dimension == 3 { "\naxis = [0, 1, 0]" } else { "" };
                let plate = if self.dimension == 2 {
                    format!("shape = \"plate\"\ncorners = [{from}, {to}]")
                } else {
                    format!("shape = \"rod\"\ncentre = {to}\nradius = {:e}{axis}", 0.1 * length)
                };
                self.wall("plate", &plate);
            }
            "mesh" => {
                self.wall("box", &container);
                let corner = |x: f64, y: f64, z: f64| self.vector(|axis| [x, y, z][axis] * length);
                let (a, b, c) = (corner(0.2, 0.1, 0.1), corner(0.8, 0.15, 0.1), corner(0.5, 0.1, 0.15));
                let faces = if self.dimension == 3 { "\nfaces = [[0, 1, 2]]" } else { "" };
                self.wall("mesh", &format!("shape = \"mesh\"\nvertices = [{a}, {b}, {c}]{faces}"));
            }
            _ => {}
        }
    }

    fn driver(&mut self, speed: f64) {
        let area = self.length.powi(self.dimension as i32 - 1);
        let mass = self.mass() * self.count as f64;
        let mobile = mass * *self.dice.pick(&[1.0, 1e-3, 1e3]);
        let how = match self.dice.below(8) {
            0 => format!("x = {{ velocity = {:e} }}", -0.1 * speed),
            1 => format!("x = {{ pressure = {:e} }}\nmass = {mobile:e}", mass * 9.81 / area),
            2 => {
                let frequency = speed / self.length;
                format!(
                    "x = {{ velocity = {{ sine = {{ amplitude = {:e}, frequency = {frequency:e} }} }} }}",
                    0.2 * speed
                )
            }
            3 => format!("x = {{ force = {:e} }}\nmass = {mobile:e}", -mass * 9.81),
            _ => return,
        };
        self.line(format!("[[drivers]]\nwall = \"box.right\"\n{how}"));
    }

    fn grains(&mut self, count: usize, material: &str, speed: f64) {
        let [largest, smallest] = self.radius;
        let bounds = format!("min = {smallest:e}, max = {largest:e}");
        let size = match self.dice.below(7) {
            _ if largest == smallest => format!("{largest:e}"),
            0 => format!("{{ uniform = {{ {bounds} }} }}"),
            1 => format!("{{ uniform_by_volume = {{ {bounds} }} }}"),
            2 => format!("{{ power_law = {{ exponent = 2.5, {bounds} }} }}"),
            3 => format!("{{ normal = {{ mean = {largest:e}, deviation = {:e}, {bounds} }} }}", 0.2 * largest),
            4 => format!("{{ log_normal = {{ median = {smallest:e}, sigma = 0.3, {bounds} }} }}"),
            5 => {
                let middle = 0.5 * (smallest + largest);
                let passing = self.dice.between(0.0, 1.0);
                // Openings are diameters.
                let [small, middle, large] = [smallest, middle, largest].map(|radius| 2.0 * radius);
                format!("{{ sieve = {{ points = [[{small:e}, 0], [{middle:e}, {passing}], [{large:e}, 1]] }} }}")
            }
            _ => format!("{{ two_sizes = {{ small = {smallest:e}, large = {largest:e}, large_fraction = 0.2 }} }}"),
        };
        // Grains of a lattice touch from the start, so that bonds hold them; two lattices would overlap.
        let sample = if count == self.count && self.dice.chance(0.3) { "lattice" } else { "random" };
        self.line(format!(
            "[[grains]]\nsample = \"{sample}\"\ncount = {count}\nradius = {size}\nmaterial = \"{material}\""
        ));
        if self.angular {
            let shape = self.shape();
            self.line(format!("shape = {shape}"));
        }
        if self.container != "cell" {
            let (length, up) = (self.length, self.dimension - 1);
            let low = if matches!(self.container, "plates" | "mesh") { 0.3 } else { 0.02 };
            let [lower, upper] = match self.container {
                "drum" => [self.vector(|_| 0.2 * length), self.vector(|_| 0.8 * length)],
                _ => [
                    self.vector(|axis| if axis == up { low * length } else { 0.02 * length }),
                    self.vector(|_| 0.98 * length),
                ],
            };
            self.line(format!("region = {{ box = {{ lower = {lower}, upper = {upper} }} }}"));
        }
        if self.dice.chance(0.5) {
            let velocity = self.random_vector(speed);
            self.line(format!("velocity = {velocity}"));
        }
        if self.dice.chance(0.2) {
            let spin = speed / largest;
            let spin = if self.dimension == 2 { format!("{spin:e}") } else { self.random_vector(spin) };
            self.line(format!("spin = {spin}"));
        }
    }

    fn shape(&mut self) -> String {
        let aspect = *self.dice.pick(&[1, 3, 10]);
        let flat = [
            "{ polygon = { sides = 3, sides_max = 8 } }".to_owned(),
            format!("{{ rectangle = {{ aspect = 1, aspect_max = {aspect} }} }}"),
            "{ random_polygon = { vertices = 4, vertices_max = 9 } }".to_owned(),
            "{ cluster = { balls = [{ centre = [0, 0], radius = 1 }, { centre = [1, 0], radius = 0.7 }] } }".to_owned(),
        ];
        let faces = *self.dice.pick(&[4, 6, 8, 12, 20]);
        let solid = [
            format!("{{ polyhedron = {{ faces = {faces}, truncation = 0.2 }} }}"),
            format!("{{ cuboid = {{ aspect = 1, aspect_max = {aspect} }} }}"),
            "{ random_polyhedron = { vertices = 6, vertices_max = 16 } }".to_owned(),
            "{ cluster = { balls = [{ centre = [0, 0, 0], radius = 1 }, { centre = [1, 0, 0], radius = 0.7 }] } }"
                .to_owned(),
        ];
        self.dice.pick(if self.dimension == 2 { &flat } else { &solid }).clone()
    }

    fn extras(&mut self, speed: f64) {
        let mass = self.mass();
        if self.method != "acd2" && self.dimension == 3 && !self.angular && self.dice.chance(0.12) {
            let content = *self.dice.pick(&[0.001, 0.01, 0.1]);
            let bridges = *self.dice.pick(&["shared", "contact"]);
            self.line(format!("[liquid]\nwater_content = {content}\nbridges = \"{bridges}\""));
        }
        if self.dice.chance(0.15) {
            let force = self.random_vector(20.0 * mass);
            self.line(format!("[[loads]]\nforce = {force}"));
        }
        if self.dice.chance(0.1) {
            let strength = *self.dice.pick(&[0.1, 1.0, 100.0]) * mass * speed;
            let impulse = self.random_vector(strength);
            let arm = self.random_vector(self.radius[1]);
            let time = *self.dice.pick(&[0.0, 1e-4, 1e-2]) * self.length / speed;
            let grain = self.dice.below(self.count);
            self.line(format!("[[loads]]\ngrain = {grain}\nimpulse = {impulse}\ntime = {time:e}\narm = {arm}"));
        }
        if self.method == "cd" && self.dice.chance(0.1) {
            self.bonds(mass * 9.81);
        }
        // Soft contacts take steps that resolve the stiffest spring: millions of them in a step of this length.
        if self.method != "md" && self.count > 1 && self.dice.chance(0.1) {
            self.line(format!("[[springs]]\ngrains = [0, 1]\nstiffness = {:e}", 1e3 * mass));
        }
        if self.container == "box" && self.dice.chance(0.1) {
            let length = self.length;
            let (lower, upper) =
                (self.vector(|_| 0.0), self.vector(|axis| if axis == 0 { 0.1 * length } else { length }));
            self.line(format!(
                "[[outlets]]\nname = \"out\"\nplace = {{ box = {{ lower = {lower}, upper = {upper} }} }}"
            ));
            let lower = self.vector(|axis| if axis + 1 == self.dimension { 0.8 * length } else { 0.05 * length });
            let upper = self.vector(|_| 0.95 * length);
            let radius = self.radius[1];
            self.line(format!(
                "[[inlets]]\nname = \"in\"\nplace = {{ box = {{ lower = {lower}, upper = {upper} }} }}\nradius = {radius:e}\n\
                 material = \"a\"\ntotal_number = 3\nnumber_rate = {:e}",
                100.0 * speed / length
            ));
        }
    }

    /// Bonds that hold for a while, or break at once.
    fn bonds(&mut self, weight: f64) {
        let strength = *self.dice.pick(&[1e-3, 1.0, 1e3]) * weight;
        if self.dice.chance(0.5) {
            let stress = strength / self.radius[1].powi(2);
            self.line(format!("[[bonds]]\ntensile_stress = {stress:e}\nshear_stress = {stress:e}"));
            return;
        }
        self.line(format!("[[bonds]]\ntensile_strength = {strength:e}\nshear_strength = {strength:e}"));
        if self.dice.chance(0.5) {
            let torque = 0.1 * strength * self.radius[1];
            self.line(format!("bending_strength = {torque:e}"));
            if self.dimension == 3 {
                self.line(format!("twisting_strength = {torque:e}"));
            }
        }
    }

    fn solver(&mut self, speed: f64) {
        self.line("[solver]");
        match self.dice.below(8) {
            0 | 1 => self.line("scheme = \"midpoint\""),
            2 => self.line("gap = \"keep\""),
            3 => self.line("gap = \"relax\""),
            4 => {
                let stiffness = 1e6 * self.mass() / self.radius[0];
                self.line(format!("stiffness = {stiffness:e}"));
            }
            _ => {}
        }
        let plain = self.dice.chance(0.15);
        if plain {
            let order = *self.dice.pick(&["random", "sequential", "forward-backward"]);
            self.line(format!("solver = \"gauss-seidel\"\norder = \"{order}\""));
        } else if self.dice.chance(0.2) {
            self.line("solver = \"momentum\"");
        }
        match self.dice.below(10) {
            0 => self.line("criterion = { residual = 1e-6 }"),
            1 if plain => self.line("criterion = { sweeps = 30 }"),
            2 if plain => self.line("criterion = { mean_force = 1e-5 }"),
            3 if plain => self.line("criterion = { local_force = { change = 1e-3 } }"),
            4 => self.line("warm_start = false"),
            // From steps in which nothing moves to those in which everything meets everything.
            5 => {
                let crossing = self.length / speed;
                let step = crossing * *self.dice.pick(&[1e-12, 1e-6, 1e-3, 1e-2, 0.1]);
                self.line(format!("time_step = {step:e}"));
            }
            _ => {}
        }
        self.line("max_sweeps = 500");
    }
}

#[cfg(test)]
mod tests {
    use crate::dice::Dice;

    #[test]
    fn scenes_that_are_accepted_have_everything_there_is() {
        let accepted = |number| {
            let text = super::scene(&mut Dice::new(1, "run", number));
            riprap_scene::load(&text, "random.toml", &[]).is_ok().then_some(text)
        };
        let texts: Vec<String> = (0..1000).filter_map(accepted).collect();
        assert!(texts.len() > 900, "{} scenes are accepted", texts.len());
        for word in [
            "roughness",
            "viscous_time",
            "modulus",
            "torsion_friction",
            "coupled_torsion",
            "wear",
            "sieve",
            "impulse",
            "tensile_stress",
            "tensile_strength",
            "lattice",
            "liquid",
            "cohesion",
            "mesh",
            "cell",
            "inlets",
            "springs",
            "acd2",
            "\"md\"",
        ] {
            assert!(texts.iter().any(|text| text.contains(word)), "no scene has {word}");
        }
    }
}
