//! Samples of grains: their sizes, their regions, and what can be known to be wrong before they are placed.

use super::Lowering;
use super::walls::Container;
use crate::check::{Entry, Node, Table, Value};
use crate::model::*;
use crate::raw::Span;
use crate::sizes::Size;
use crate::vector::*;

impl Lowering<'_> {
    pub(super) fn grains(
        &mut self,
        root: &Table,
        place: &Span,
        containers: &[Container],
        gravity: Point,
    ) -> Vec<Grains> {
        let mut all = Vec::new();
        for (table, place) in root.tables("grains") {
            all.extend(self.entry(table, place, containers, gravity));
        }
        let is_empty = |key: &str| root.list(key).is_empty();
        if is_empty("grains") && is_empty("inlets") {
            let help = "add [[grains]] or [[inlets]]";
            self.faults.add(root.place("grains", place), "there are no grains", "", help);
        }
        all
    }

    fn entry(&mut self, table: &Table, place: &Span, containers: &[Container], gravity: Point) -> Option<Grains> {
        let variant = table.variant?;
        let from_file = matches!(variant, "file" | "snapshot");
        let material = if from_file && !table.has("material") { None } else { self.material(table, place) };
        self.check_density(table, place, material);
        let in_place = matches!(variant, "blocks" | "bricks" | "arch" | "voronoi");
        let shape = self.shaping(table, variant == "list" || table.text("orientation") == Some("aligned"));
        let own_size = match &shape {
            Some(Some(Shaping { spec: ShapeSpec::Fixed(solid), .. })) => Some(solid.radius),
            // The fault of a broken shape is enough.
            None => Some(1.0),
            _ => None,
        };
        let size = if from_file || in_place || (variant == "list" && table.has("radii")) {
            Some(Size::Constant(0.0))
        } else if let (Some(radius), false, false) = (own_size, table.has("radius"), table.has("diameter")) {
            Some(Size::Constant(radius))
        } else {
            self.size(table, place)
        };
        let region = match variant {
            "lattice" | "random" | "rain" | "voronoi" => {
                self.region(table, place, containers, variant == "rain", gravity)
            }
            _ => None,
        };
        let sample = match variant {
            "lattice" => self.lattice(table, region, size.as_ref()),
            "random" => self.random(table, place, region),
            "rain" => self.rain(table, place, region, gravity),
            "list" => self.list(table, place),
            "blocks" => self.blocks(table, place),
            "bricks" => self.bricks(table, place),
            "arch" => self.arch(table, place),
            "voronoi" => self.voronoi(table, place, region),
            _ => Some(Sample::File {
                path: table.text("path")?.to_owned(),
                shift: table.vector("shift")?,
                at_rest: table.flag("at_rest")?,
            }),
        };
        let size = size?;
        self.check_period(size.bounds().1, place);
        Some(Grains {
            at: At(place.clone()),
            sample: sample?,
            size,
            shape: shape?,
            material,
            group: table.text("group").map(str::to_owned),
            velocity: table.vector("velocity").unwrap_or_default(),
            spin: table.vector("spin").unwrap_or_default(),
        })
    }

    /// A material of grains needs a density.
    pub(super) fn check_density(&mut self, table: &Table, place: &Span, material: Option<usize>) {
        if let Some(index) = material
            && self.materials[index].density.is_none()
        {
            let message = format!("material \"{}\" has no density", self.materials[index].name);
            let help = format!("set `density` in [materials.{}]", self.materials[index].name);
            self.faults.add(table.place("material", place), message, "needed for the mass of these grains", help);
        }
    }

    /// The names of all groups of grains; none if a file may bring more.
    pub(super) fn groups(&self, grains: &[Grains], inlets: &[InletSpec]) -> Option<Vec<String>> {
        let fed = inlets.iter().map(|inlet| Some(inlet.group.clone()));
        grains.iter().map(|entry| entry.group.clone()).chain(fed).collect()
    }

    pub(super) fn check_period(&mut self, radius: f64, place: &Span) {
        for axis in 0..self.dimension {
            if let Some(message) = period_fault(self.period[axis], axis, radius) {
                self.faults.add(place, message, "the largest of these grains is too large", "");
            }
        }
    }

    fn lattice(&mut self, table: &Table, region: Option<Region>, size: Option<&Size>) -> Option<Sample> {
        let kind = table.text("lattice")?;
        let fitting: &[&str] = if self.dimension == 2 { &["square", "triangular"] } else { &["cubic", "hexagonal"] };
        if !fitting.contains(&kind) {
            let message = format!("a lattice in {}D cannot be {kind}", self.dimension);
            self.faults.add(&table.get("lattice")?.place, message, format!("expected {}", fitting.join(" or ")), "");
        }
        let jitter = table.number("jitter")?;
        let spacing = table.number("spacing");
        if let (Some(spacing), Some(size)) = (spacing, size) {
            let diameter = 2.0 * size.bounds().1;
            let free = spacing - diameter;
            if free < -1e-12 * diameter {
                let label = format!("expected at least {diameter} m, the largest diameter");
                self.faults.add(
                    &table.get("spacing")?.place,
                    "`spacing` is too small: grains would overlap",
                    label,
                    "",
                );
                return None;
            }
        }
        if let Some(size) = size {
            let free = spacing.unwrap_or(2.0 * size.bounds().1 * DEFAULT_SPACING) - 2.0 * size.bounds().1;
            let limit = 0.5 * free / (self.dimension as f64).sqrt();
            if jitter > limit.max(0.0) * (1.0 + 1e-12) {
                let label = format!("expected at most {limit:.3e} m with this spacing");
                self.faults.add(&table.get("jitter")?.place, "`jitter` is too large: grains could overlap", label, "");
            }
        }
        let close = matches!(kind, "triangular" | "hexagonal");
        Some(Sample::Lattice { close, spacing, jitter, count: count(table), region: region? })
    }

    fn random(&mut self, table: &Table, place: &Span, region: Option<Region>) -> Option<Sample> {
        let amount = match (table.has("count"), table.has("solid_fraction")) {
            (true, false) => Amount::Count(count(table)?),
            (false, true) => Amount::SolidFraction(table.number("solid_fraction")?),
            _ => {
                self.faults.add(place, "give either `count` or `solid_fraction`", "in this table", "");
                return None;
            }
        };
        let region = region?;
        if region.upper.iter().any(|x| x.is_infinite()) {
            self.faults.add(place, "the region of a random sample is unbounded", "", "set `region`");
            return None;
        }
        Some(Sample::Random { amount, region })
    }

    fn rain(&mut self, table: &Table, place: &Span, region: Option<Region>, gravity: Point) -> Option<Sample> {
        let cover = table.number("cover")?;
        let region = region?;
        let up = up_axis(gravity, self.dimension);
        if (0..3).any(|axis| axis != up && region.upper[axis].is_infinite()) {
            self.faults.add(place, "the region of the rain is unbounded at the sides", "", "set `region`");
            return None;
        }
        if !table.has("count") && region.upper[up].is_infinite() {
            self.faults.add(place, "`count` is missing", "in this table", "needed because the region has no upper end");
            return None;
        }
        Some(Sample::Rain { count: count(table), cover, region })
    }

    fn list(&mut self, table: &Table, place: &Span) -> Option<Sample> {
        let points = |key: &str| -> Option<Vec<Point>> { table.list(key).iter().map(Node::as_vector).collect() };
        let positions = table.list("positions").len();
        for key in ["radii", "orientations", "velocities"] {
            let count = table.list(key).len();
            if table.has(key) && count != positions {
                let message = format!("`{key}` has {count} entries");
                self.faults.add(
                    table.place(key, place),
                    message,
                    format!("expected {positions}, one per position"),
                    "",
                );
                return None;
            }
        }
        if table.has("radii") && (table.has("radius") || table.has("diameter")) {
            self.faults.add(
                table.place("radii", place),
                "the grain size is given twice",
                "",
                "give either `radii` or `radius`",
            );
        }
        let radii: Option<Vec<f64>> = table
            .list("radii")
            .iter()
            .map(|node| match node.value {
                Value::Number(radius) => Some(radius),
                _ => None,
            })
            .collect();
        if let Some(largest) = radii.as_ref().and_then(|radii| radii.iter().copied().max_by(f64::total_cmp)) {
            self.check_period(largest, place);
        }
        Some(Sample::List {
            positions: points("positions")?,
            radii: radii?,
            orientations: points("orientations")?,
            velocities: points("velocities")?,
        })
    }

    /// The sizes of an entry by radius or diameter.
    pub(super) fn size(&mut self, table: &Table, place: &Span) -> Option<Size> {
        match (table.get("radius"), table.get("diameter")) {
            (Some(node), None) => self.distribution(node, false),
            (None, Some(node)) => self.distribution(node, true).map(Size::halved),
            (None, None) => {
                self.faults.add(
                    place,
                    "`radius` is missing",
                    "in this table",
                    "give `radius` or `diameter`, for example \"1 mm\"",
                );
                None
            }
            (Some(_), Some(node)) => {
                self.faults.add(&node.place, "the grain size is given twice", "", "give either `radius` or `diameter`");
                None
            }
        }
    }

    fn distribution(&mut self, node: &Node, diameters: bool) -> Option<Size> {
        let entry = match &node.value {
            Value::Number(radius) => return Some(Size::Constant(*radius)),
            Value::Table(table) => table.only()?,
            _ => return None,
        };
        let (table, place) = (entry.node.as_table()?, &entry.node.place);
        let size = match entry.key.as_str() {
            "uniform" => Size::Uniform { min: table.number("min")?, max: table.number("max")? },
            "uniform_by_volume" => Size::UniformByVolume { min: table.number("min")?, max: table.number("max")? },
            "normal" => {
                let (mean, deviation) = (table.number("mean")?, table.number("deviation")?);
                let min = if table.has("min") { table.number("min")? } else { mean - 3.0 * deviation };
                let max = if table.has("max") { table.number("max")? } else { mean + 3.0 * deviation };
                if min <= 0.0 {
                    let help = "set `min` to a size greater than 0, or reduce `deviation`";
                    self.faults.add(
                        place,
                        "the mean minus three standard deviations is not a valid size",
                        format!("it is {min} m"),
                        help,
                    );
                    return None;
                }
                Size::Normal { mean, deviation, min, max }
            }
            "log_normal" => {
                let (median, sigma) = (table.number("median")?, table.number("sigma")?);
                let min = if table.has("min") { table.number("min")? } else { median * libm::exp(-3.0 * sigma) };
                let max = if table.has("max") { table.number("max")? } else { median * libm::exp(3.0 * sigma) };
                Size::LogNormal { median, sigma, min, max }
            }
            "power_law" => Size::PowerLaw {
                exponent: table.number("exponent")?,
                min: table.number("min")?,
                max: table.number("max")?,
            },
            "two_sizes" => Size::TwoSizes {
                small: table.number("small")?,
                large: table.number("large")?,
                large_fraction: table.number("large_fraction")?,
                by_volume: table.text("by")? == "volume",
            },
            "sieve" => self.sieve(table.get("points")?, diameters)?,
            _ => {
                let Value::Rows(rows) = &table.get("points")?.value else { return None };
                let points: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[1])).collect();
                let rising = points.windows(2).all(|pair| pair[0].1 <= pair[1].1);
                let ends = points.first().is_some_and(|p| p.1 == 0.0) && points.last().is_some_and(|p| p.1 == 1.0);
                if points.len() < 2 || !rising || !ends || points[0].0 <= 0.0 {
                    let label = "expected sizes greater than 0 and fractions that increase from 0 to 1";
                    self.faults.add(&table.get("points")?.place, "not a valid size table", label, "");
                    return None;
                }
                Size::Table { points, by_volume: table.text("by")? == "volume" }
            }
        };
        let (min, max) = size.bounds();
        if !(min > 0.0 && max.is_finite()) {
            self.faults.add(place, "these sizes are out of range", format!("from {min} m to {max} m"), "");
            return None;
        }
        if min > max {
            self.faults.add(place, "the smallest size is greater than the largest", format!("{min} m > {max} m"), "");
            return None;
        }
        Some(size)
    }

    /// A sieve curve, whose openings are diameters; `diameters` says that the distribution is one of diameters too.
    fn sieve(&mut self, node: &Node, diameters: bool) -> Option<Size> {
        let Value::Rows(rows) = &node.value else { return None };
        let fault = |message: String, label: &str, help: &str| Some((message, label.to_owned(), help.to_owned()));
        let wrong = if rows.len() < 2 {
            fault("a sieve curve needs two openings or more".into(), "", "")
        } else if let Some(row) = rows.iter().find(|row| row[0] <= 0.0) {
            fault(format!("an opening of {} m", row[0]), "expected sizes greater than 0", "")
        } else if let Some(row) = rows.iter().find(|row| !(0.0..=1.0).contains(&row[1])) {
            let help = "fractions are from 0 to 1; percent are written \"35 %\", in a file `passing_unit = \"%\"`";
            fault(format!("{} of the mass passes the opening of {} m", row[1], row[0]), "expected 0 to 1", help)
        } else if let Some(pair) = rows.windows(2).find(|pair| pair[0][1] > pair[1][1]) {
            let message =
                format!("less mass passes {} m than {} m: {} and {}", pair[1][0], pair[0][0], pair[1][1], pair[0][1]);
            fault(
                message,
                "expected fractions that do not decrease",
                "a fraction retained is 1 minus the fraction that passes",
            )
        } else if rows[0][1] != 0.0 {
            let help = "add a row with the size of the finest grains, which nothing passes";
            fault(
                format!("{} of the mass is finer than the smallest opening", rows[0][1]),
                "expected to start from 0",
                help,
            )
        } else if rows[rows.len() - 1][1] != 1.0 {
            let last = rows[rows.len() - 1][1];
            let help = "add a row with the size of the coarsest grains, which all passes";
            fault(format!("only {last} of the mass passes the largest opening"), "expected to end at 1", help)
        } else {
            None
        };
        if let Some((message, label, help)) = wrong {
            self.faults.add(&node.place, message, label, help);
            return None;
        }
        let factor = if diameters { 1.0 } else { 0.5 };
        Some(Size::Sieve { points: rows.iter().map(|row| (factor * row[0], row[1])).collect() })
    }

    fn region(
        &mut self,
        table: &Table,
        place: &Span,
        containers: &[Container],
        open_above: bool,
        gravity: Point,
    ) -> Option<Region> {
        if let Some(node) = table.get("region") {
            return self.given_region(node.as_table()?.only()?);
        }
        let region = self.inside(containers, open_above, gravity);
        if region.is_none() && !self.walls_broken {
            let help = "set `region`, for example { box = { lower = …, upper = … } }";
            self.faults.add(place, "the region of these grains is undefined: the scene has no box or drum", "", help);
        }
        region
    }

    /// A box or cylinder as it is written.
    pub(super) fn given_region(&mut self, entry: &Entry) -> Option<Region> {
        let (inner, place) = (entry.node.as_table()?, &entry.node.place);
        if entry.key != "cylinder" {
            let (lower, upper) = self.corners(inner, place)?;
            return Some(Region { lower, upper, round: None });
        }
        let (centre, radius) = (inner.vector("centre")?, inner.number("radius")?);
        let axis = AXIS_NAMES.iter().position(|name| inner.text("axis") == Some(name)).unwrap_or(2);
        let half = 0.5 * inner.number("length").unwrap_or(0.0);
        let ends = (centre[axis] - half, centre[axis] + half);
        Some(round_region(Round { centre, axis, radius }, self.dimension, ends))
    }

    /// The inside of the first container, of the planes and of the periodic cell.
    fn inside(&self, containers: &[Container], open_above: bool, gravity: Point) -> Option<Region> {
        let spans: Vec<(Option<f64>, Option<f64>)> = (0..self.dimension).map(|axis| self.span(axis)).collect();
        let up = up_axis(gravity, self.dimension);
        let mut region = match containers.first() {
            Some(&Container::Box { lower, upper }) => Region { lower, upper, round: None },
            Some(&Container::Drum { centre, axis, radius }) => {
                let axis = if self.dimension == 2 { 2 } else { aligned(axis)?.0 };
                let ends = if self.dimension == 2 { (0.0, 0.0) } else { (spans[axis].0?, spans[axis].1?) };
                round_region(Round { centre, axis, radius }, self.dimension, ends)
            }
            None => {
                let mut region = Region { lower: [0.0; 3], upper: [0.0; 3], round: None };
                for (axis, &(lower, upper)) in spans.iter().enumerate() {
                    region.lower[axis] = lower?;
                    region.upper[axis] = match upper {
                        Some(upper) => upper,
                        None if open_above && axis == up => f64::INFINITY,
                        None => return None,
                    };
                }
                region
            }
        };
        // Rain may reach above a container that has no lid.
        if open_above && spans[up].1.is_none() && region.round.is_none() {
            region.upper[up] = f64::INFINITY;
        }
        Some(region)
    }

    /// Between which planes, or over which period, an axis goes.
    fn span(&self, axis: usize) -> (Option<f64>, Option<f64>) {
        if self.period[axis] > 0.0 {
            return (Some(self.origin[axis]), Some(self.origin[axis] + self.period[axis]));
        }
        let (mut lower, mut upper) = (None::<f64>, None::<f64>);
        for wall in &self.walls {
            if let Some(normal) = wall.shape.plane_normal() {
                let point = wall.shape.position;
                match aligned(normal) {
                    Some((i, sign)) if i == axis && sign > 0.0 => {
                        lower = Some(lower.map_or(point[axis], |low| low.max(point[axis])));
                    }
                    Some((i, _)) if i == axis => {
                        upper = Some(upper.map_or(point[axis], |high| high.min(point[axis])));
                    }
                    _ => {}
                }
            }
        }
        (lower, upper)
    }
}

/// The spacing of a lattice over the largest diameter, if it is not given.
pub(crate) const DEFAULT_SPACING: f64 = 1.001;

/// The axis against which grains fall: the one that gravity is strongest along, the last one without gravity.
pub(crate) fn up_axis(gravity: Point, dimension: usize) -> usize {
    (0..dimension).max_by(|&i, &j| gravity[i].abs().total_cmp(&gravity[j].abs()).then(i.cmp(&j))).unwrap_or(0)
}

/// What is wrong with a period for grains of a radius.
pub(crate) fn period_fault(period: f64, axis: usize, radius: f64) -> Option<String> {
    (period > 0.0 && period < 4.0 * radius).then(|| {
        let (axis, least) = (AXIS_NAMES[axis], 4.0 * radius);
        format!("the period along {axis} is {period} m, but must be at least {least} m, twice the largest diameter")
    })
}

fn count(table: &Table) -> Option<usize> {
    table.integer("count").and_then(|count| usize::try_from(count).ok())
}

fn round_region(round: Round, dimension: usize, ends: (f64, f64)) -> Region {
    let bound = |sign: f64, end: f64| -> Point {
        std::array::from_fn(|i| match i {
            i if i == round.axis => end,
            i if i < dimension => round.centre[i] + sign * round.radius,
            _ => 0.0,
        })
    };
    let ends = if dimension == 2 { (0.0, 0.0) } else { ends };
    Region { lower: bound(-1.0, ends.0), upper: bound(1.0, ends.1), round: Some(round) }
}
