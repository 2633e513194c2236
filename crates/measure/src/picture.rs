//! Pictures of packings: grains, force networks, fields.

use crate::forces::bearing_pairs;
use crate::linear::{add, dot, length};
use crate::plot::{Anchor, Colour, ColourMap, Drawing, Paint, Spot, Stroke};
use crate::strain::{LocalStrain, motions};
use crate::stress::particle_pressures;
use crate::{CrackPlace, Packing, Part, Region, Unavailable, Wall, WallSurface, box_of_grains, solid_fraction};
use riprap_engine::Primitive;

/// Colour of compressive forces and of positive pressures.
pub const COMPRESSIVE: Colour = Colour::new(178, 34, 34);
/// Colour of tensile forces and of negative pressures.
pub const TENSILE: Colour = Colour::new(0, 110, 165);
/// Colour of broken bonds.
pub const CRACKED: Colour = Colour::new(200, 0, 110);

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// How grains are coloured.
    pub grains: Shade,
    /// True to draw the force of each contact as a line from centre to centre, its width by the force.
    pub forces: bool,
    /// Lines drawn above the grains, such as a thrust line.
    pub lines: Vec<[[f64; 3]; 2]>,
    /// The axes that go to the right and upwards.
    pub axes: [usize; 2],
    /// In 3D, the middle and the thickness of the slice along the third axis, in metres; by default three mean diameters
    /// in the middle of the grains.
    pub slice: Option<[f64; 2]>,
    /// What to show; by default all grains.
    pub region: Option<Region>,
    /// Width of the sheet in points.
    pub width: f64,
    /// Written above; may be empty.
    pub title: String,
}

/// How grains are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// As outlines.
    Plain,
    /// By speed.
    Speed,
    /// By spin about the axis towards the eye.
    Spin,
    /// By pressure, both signs.
    Pressure,
    /// Positive pressures black, negative ones white (P4 fig. 9).
    PressureSign,
    /// By how far they went since an earlier snapshot.
    Displacement,
    /// By how far they turned since an earlier snapshot, about the axis towards the eye.
    Rotation,
    /// Not drawn: the faces of walls are, by how deep they are worn.
    Wear,
}

impl Shade {
    /// All ways, the plain one first.
    pub const ALL: [Shade; 8] = [
        Shade::Plain,
        Shade::Speed,
        Shade::Spin,
        Shade::Pressure,
        Shade::PressureSign,
        Shade::Displacement,
        Shade::Rotation,
        Shade::Wear,
    ];

    /// The word by which commands know it.
    pub fn word(self) -> &'static str {
        match self {
            Shade::Plain => "plain",
            Shade::Speed => "speed",
            Shade::Spin => "spin",
            Shade::Pressure => "pressure",
            Shade::PressureSign => "pressure-sign",
            Shade::Displacement => "displacement",
            Shade::Rotation => "rotation",
            Shade::Wear => "wear",
        }
    }

    /// What it shows, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Shade::Plain => "Nothing",
            Shade::Speed => "Speed",
            Shade::Spin => "Angular velocity about the viewing axis",
            Shade::Pressure => "Particle pressure",
            Shade::PressureSign => "Sign of the particle pressure: positive black, negative white",
            Shade::Displacement => "Displacement since an earlier snapshot",
            Shade::Rotation => "Rotation since an earlier snapshot",
            Shade::Wear => "Depth of wear on the faces of meshes, without the grains",
        }
    }

    /// The way that a word means.
    pub fn from_word(word: &str) -> Option<Shade> {
        Self::ALL.into_iter().find(|shade| shade.word() == word)
    }
}

impl Picture {
    /// A picture of a packing of this dimension: the plane, or the first and the third axis of space.
    pub fn new(dimension: usize) -> Picture {
        Picture {
            grains: Shade::Plain,
            forces: false,
            lines: Vec::new(),
            axes: if dimension == 2 { [0, 1] } else { [0, 2] },
            slice: None,
            region: None,
            width: 520.0,
            title: String::new(),
        }
    }

    /// The picture of a packing; displacements and rotations are since the earlier one.
    pub fn draw(&self, packing: &Packing, earlier: Option<&Packing>) -> Result<Drawing, Unavailable> {
        if packing.grains.is_empty() {
            return Err(Unavailable::NoGrains);
        }
        if self.grains == Shade::Wear {
            return self.wear_map(packing);
        }
        let colours = self.colours(packing, earlier)?;
        let frame = Frame::new(self, packing, colours.bar.is_some() || self.forces)?;
        let mut sheet = Drawing::new(frame.sheet[0], frame.sheet[1]);
        let mut rows: Vec<usize> = (0..packing.grains.len())
            .filter(|&row| {
                let grain = &packing.grains[row];
                frame.is_in_slice(grain.position) && frame.shows(grain.position, grain.radius)
            })
            .collect();
        if rows.is_empty() {
            return Err(Unavailable::Because("there are no grains in the slice or region of the picture".into()));
        }
        if let Some(depth) = frame.depth {
            let key = |row: usize| self.towards() * packing.grains[row].position[depth];
            rows.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
        }
        let pen = Stroke::new(Colour::new(90, 90, 90), (0.03 * frame.diameter).clamp(0.25, 1.0));
        for &row in &rows {
            frame.grain(&mut sheet, packing, row, colours.of[row], pen);
        }
        for wall in &packing.walls {
            frame.wall(&mut sheet, wall);
        }
        if self.forces {
            self.force_lines(&mut sheet, packing, &frame)?;
        }
        for [from, to] in &self.lines {
            sheet.line(frame.spot(*from), frame.spot(*to), Stroke::new(COMPRESSIVE, 2.2));
        }
        for crack in packing.cracks.iter().filter(|crack| frame.is_in_slice(crack.point)) {
            frame.crack(&mut sheet, crack, packing.dimension);
        }
        frame.legend(&mut sheet, self, colours.bar.as_ref());
        Ok(sheet)
    }

    /// The sign of the axis across the sheet in the direction of the eye, from where the two axes turn counter-clockwise:
    /// what is far is drawn first.
    fn towards(&self) -> f64 {
        if (self.axes[1] + 3 - self.axes[0]) % 3 == 1 { 1.0 } else { -1.0 }
    }

    /// The faces of walls, coloured by the depth of their wear.
    fn wear_map(&self, packing: &Packing) -> Result<Drawing, Unavailable> {
        let mut faces: Vec<(Vec<[f64; 3]>, f64)> = Vec::new();
        for wall in &packing.walls {
            let WallSurface::Pieces(pieces) = &wall.surface else { continue };
            let placed = |piece: &Vec<[f64; 3]>| piece.iter().map(|&corner| add(wall.position, corner)).collect();
            faces.extend(pieces.iter().zip(&wall.wear).map(|(piece, &depth)| (placed(piece), depth)));
        }
        if !faces.iter().any(|(_, depth)| *depth > 0.0) {
            let reason = "no mesh is worn: give the material of one a `wear` rate, and save snapshots as h5";
            return Err(Unavailable::Because(reason.into()));
        }
        let corners = || faces.iter().flat_map(|(corners, _)| corners);
        let around = |start: f64, choose: fn(f64, f64) -> f64| {
            std::array::from_fn(|axis| corners().fold(start, |most, corner| choose(most, corner[axis])))
        };
        let whole = Region::new(around(f64::INFINITY, f64::min), around(f64::NEG_INFINITY, f64::max));
        let picture = Picture { region: Some(self.region.unwrap_or(whole)), ..self.clone() };
        let frame = Frame::new(&picture, packing, true)?;
        let bar = ColourBar::new(faces.iter().map(|(_, depth)| *depth).chain([0.0]), "wear depth (m)", false);
        let mut sheet = Drawing::new(frame.sheet[0], frame.sheet[1]);
        if let Some(axis) = frame.depth {
            let height = |corners: &Vec<[f64; 3]>| corners.iter().map(|corner| corner[axis]).sum::<f64>();
            faces.sort_by(|(a, _), (b, _)| (self.towards() * height(a)).total_cmp(&(self.towards() * height(b))));
        }
        let edge = Stroke::new(Colour::new(90, 90, 90), 0.6);
        for (corners, depth) in &faces {
            let spots = corners.iter().map(|&corner| frame.spot(corner)).collect();
            sheet.polygon(spots, Paint { fill: Some(bar.colour(*depth)), stroke: Some(edge) });
        }
        frame.legend(&mut sheet, &picture, Some(&bar));
        Ok(sheet)
    }

    fn colours(&self, packing: &Packing, earlier: Option<&Packing>) -> Result<Colours, Unavailable> {
        let depth = 3 - self.axes[0] - self.axes[1];
        let plain = Colour::new(236, 232, 222);
        let field: (Vec<Option<f64>>, &str, bool) = match self.grains {
            Shade::Plain | Shade::Wear => return Ok(Colours { of: vec![plain; packing.grains.len()], bar: None }),
            Shade::PressureSign => {
                let pressures = pressures(packing)?;
                let colour = |pressure: f64| if pressure > 0.0 { Colour::INK } else { Colour::WHITE };
                return Ok(Colours { of: pressures.into_iter().map(colour).collect(), bar: None });
            }
            Shade::Speed => {
                (packing.grains.iter().map(|grain| Some(length(grain.velocity))).collect(), "speed (m/s)", false)
            }
            Shade::Spin => (packing.grains.iter().map(|grain| Some(grain.spin[depth])).collect(), "spin (rad/s)", true),
            Shade::Pressure => (pressures(packing)?.into_iter().map(Some).collect(), "pressure (Pa)", true),
            Shade::Displacement | Shade::Rotation => {
                let earlier = earlier.ok_or(Unavailable::NeedsTwo)?;
                let mut values = vec![None; packing.grains.len()];
                let turns = self.grains == Shade::Rotation;
                for motion in motions(earlier, packing)? {
                    if let Ok(row) = packing.grains.binary_search_by_key(&motion.id, |grain| grain.id) {
                        values[row] = Some(if turns { motion.rotation[depth] } else { length(motion.displacement) });
                    }
                }
                if turns { (values, "rotation (rad)", true) } else { (values, "displacement (m)", false) }
            }
        };
        let (values, label, signed) = field;
        let bar = ColourBar::new(values.iter().flatten().copied(), label, signed);
        let of = values.iter().map(|value| value.map_or(Colour::WHITE, |value| bar.colour(value))).collect();
        Ok(Colours { of, bar: Some(bar) })
    }

    fn force_lines(&self, sheet: &mut Drawing, packing: &Packing, frame: &Frame) -> Result<(), Unavailable> {
        let pairs = bearing_pairs(packing, None)?;
        let normal = |pair: &crate::Contact| dot(pair.force, pair.normal);
        let mean = pairs.iter().map(|pair| normal(pair).abs()).sum::<f64>() / pairs.len() as f64;
        // Weak forces first, so that strong chains are seen whole.
        let mut shown: Vec<_> = pairs.iter().filter(|pair| frame.is_in_slice(packing.point(pair))).collect();
        shown.sort_by(|a, b| normal(a).abs().total_cmp(&normal(b).abs()));
        for pair in shown {
            let force = normal(pair);
            let width = (0.16 * frame.diameter * force.abs() / mean).min(1.1 * frame.diameter);
            let start = packing.start(pair);
            let end = add(start, pair.branch());
            if width > 0.02 && (frame.shows(start, 0.0) || frame.shows(end, 0.0)) {
                let colour = if force >= 0.0 { COMPRESSIVE } else { TENSILE };
                sheet.line(frame.spot(start), frame.spot(end), Stroke::new(colour, width));
            }
        }
        Ok(())
    }
}

/// Local strains as a picture: triangles in 2D, dots in 3D, coloured by the shear strain.
pub fn strain_picture(strains: &[LocalStrain], packing: &Packing, title: &str) -> Result<Drawing, Unavailable> {
    let picture = Picture { title: title.into(), ..Picture::new(packing.dimension) };
    let frame = Frame::new(&picture, packing, true)?;
    let bar = ColourBar::new(strains.iter().map(|strain| strain.shear), "shear strain", false);
    let mut sheet = Drawing::new(frame.sheet[0], frame.sheet[1]);
    for strain in strains.iter().filter(|strain| frame.is_in_slice(strain.position)) {
        let paint = Paint::fill(bar.colour(strain.shear));
        if packing.dimension == 2 {
            sheet.polygon(strain.corners.map(|corner| frame.spot(corner)).to_vec(), paint);
        } else {
            sheet.circle(frame.spot(strain.position), 0.5 * frame.diameter, paint);
        }
    }
    for wall in &packing.walls {
        frame.wall(&mut sheet, wall);
    }
    frame.legend(&mut sheet, &picture, Some(&bar));
    Ok(sheet)
}

fn pressures(packing: &Packing) -> Result<Vec<f64>, Unavailable> {
    // The sign and the shape of the field do not depend on the solid fraction.
    let nu = solid_fraction(packing, None).or_else(|_| solid_fraction(packing, Some(&box_of_grains(packing))))?;
    particle_pressures(packing, nu)
}

struct Colours {
    of: Vec<Colour>,
    bar: Option<ColourBar>,
}

struct ColourBar {
    low: f64,
    high: f64,
    map: ColourMap,
    label: String,
}

impl ColourBar {
    /// The range leaves out the outermost hundredth on either side, so that a few grains do not hide the others.
    fn new(values: impl Iterator<Item = f64>, label: &str, signed: bool) -> ColourBar {
        let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted.get((share * sorted.len() as f64) as usize).or(sorted.last()).copied();
        let (low, high) = (at(0.01).unwrap_or(0.0), at(0.99).unwrap_or(1.0));
        let map = if signed { ColourMap::Signed } else { ColourMap::Rising };
        let (low, high) = if signed {
            let most = low.abs().max(high.abs());
            (-most, most)
        } else {
            (low, high)
        };
        let high = if high > low { high } else { low + if low == 0.0 { 1.0 } else { low.abs() } };
        ColourBar { low, high, map, label: label.into() }
    }

    fn colour(&self, value: f64) -> Colour {
        self.map.at((value - self.low) / (self.high - self.low))
    }
}

/// From places in the packing to spots on the sheet.
struct Frame {
    axes: [usize; 2],
    low: [f64; 2],
    high: [f64; 2],
    scale: f64,
    top: f64,
    left: f64,
    sheet: [f64; 2],
    /// The axis across the sheet and the slice along it, in 3D.
    depth: Option<usize>,
    slice: [f64; 2],
    /// Mean diameter in points.
    diameter: f64,
}

impl Frame {
    fn new(picture: &Picture, packing: &Packing, with_legend: bool) -> Result<Frame, Unavailable> {
        let [a, b] = picture.axes;
        if a >= packing.dimension || b >= packing.dimension || a == b {
            return Err(Unavailable::Because(format!(
                "a {}D packing cannot be drawn along these axes",
                packing.dimension
            )));
        }
        let around = picture.region.unwrap_or_else(|| box_of_grains(packing));
        let bounds = |axis: usize| {
            if picture.region.is_none() && packing.is_periodic(axis) {
                (packing.origin[axis], packing.origin[axis] + packing.period[axis])
            } else {
                (around.low[axis], around.high[axis])
            }
        };
        let ([low_a, high_a], [low_b, high_b]) = (<[f64; 2]>::from(bounds(a)), <[f64; 2]>::from(bounds(b)));
        let margin = 0.5 * packing.mean_radius();
        let (low, high) = ([low_a - margin, low_b - margin], [high_a + margin, high_b + margin]);
        let (left, top, bottom) = (10.0, if picture.title.is_empty() { 10.0 } else { 34.0 }, 30.0);
        let right = if with_legend { 84.0 } else { 10.0 };
        let scale = (picture.width - left - right) / (high[0] - low[0]);
        let height = top + bottom + scale * (high[1] - low[1]);
        // A tall packing is made smaller instead of running off the page.
        let shrink = (1400.0 / height).min(1.0);
        let scale = scale * shrink;
        let height = (top + bottom + scale * (high[1] - low[1])).max(if with_legend { 190.0 } else { 40.0 });
        let width = (left + right + scale * (high[0] - low[0])).max(120.0);
        if !(scale.is_finite() && scale > 0.0) {
            return Err(Unavailable::Because("the region of the picture is empty".into()));
        }
        let depth = (packing.dimension == 3).then_some(3 - a - b);
        let whole = box_of_grains(packing);
        let slice = picture.slice.unwrap_or_else(|| match depth {
            Some(axis) => [0.5 * (whole.low[axis] + whole.high[axis]), 6.0 * packing.mean_radius()],
            None => [0.0, f64::INFINITY],
        });
        let diameter = 2.0 * packing.mean_radius() * scale;
        Ok(Frame { axes: picture.axes, low, high, scale, top, left, sheet: [width, height], depth, slice, diameter })
    }

    fn spot(&self, point: [f64; 3]) -> Spot {
        [
            self.left + (point[self.axes[0]] - self.low[0]) * self.scale,
            self.top + (self.high[1] - point[self.axes[1]]) * self.scale,
        ]
    }

    fn is_in_slice(&self, point: [f64; 3]) -> bool {
        self.depth.is_none_or(|axis| (point[axis] - self.slice[0]).abs() <= 0.5 * self.slice[1])
    }

    fn shows(&self, point: [f64; 3], radius: f64) -> bool {
        (0..2).all(|k| point[self.axes[k]] + radius >= self.low[k] && point[self.axes[k]] - radius <= self.high[k])
    }

    fn grain(&self, sheet: &mut Drawing, packing: &Packing, row: usize, colour: Colour, pen: Stroke) {
        let grain = &packing.grains[row];
        let paint = Paint { fill: Some(colour), stroke: Some(pen) };
        if grain.parts.is_empty() {
            sheet.circle(self.spot(grain.position), grain.radius * self.scale, paint);
        }
        for part in &grain.parts {
            match part {
                Part::Ball { centre, radius } => {
                    sheet.circle(self.spot(add(grain.position, *centre)), radius * self.scale, paint);
                }
                Part::Hull(corners) => {
                    let spots = corners.iter().map(|&corner| self.spot(add(grain.position, corner))).collect();
                    sheet.polygon(hull(spots), paint);
                }
            }
        }
    }

    /// A broken bond as its outline, with a dot in the middle for one that has no size.
    fn crack(&self, sheet: &mut Drawing, crack: &CrackPlace, dimension: usize) {
        let width = (0.12 * self.diameter).clamp(1.2, 3.5);
        if !self.shows(crack.point, 0.0) {
            return;
        }
        let spots: Vec<Spot> = crack.outline(dimension).into_iter().map(|corner| self.spot(corner)).collect();
        for (from, to) in spots.iter().zip(spots.iter().cycle().skip(1)) {
            sheet.line(*from, *to, Stroke::new(CRACKED, width));
        }
        if crack.area == 0.0 {
            sheet.circle(self.spot(crack.point), width, Paint::fill(CRACKED));
        }
    }

    /// A wall as a line where it stands across the sheet.
    fn wall(&self, sheet: &mut Drawing, wall: &Wall) {
        let pen = Stroke::new(Colour::INK, 1.6);
        match &wall.surface {
            WallSurface::Primitive(primitive) => self.primitive(sheet, *primitive, wall.position, pen),
            WallSurface::Pieces(pieces) => {
                for piece in pieces {
                    let spots: Vec<Spot> = piece.iter().map(|&corner| self.spot(add(wall.position, corner))).collect();
                    sheet.polygon(spots, Paint::stroke(pen));
                }
            }
        }
    }

    fn primitive(&self, sheet: &mut Drawing, primitive: Primitive, position: [f64; 3], pen: Stroke) {
        let [a, b] = self.axes;
        match primitive {
            Primitive::Plane { normal } => {
                let [x, y] = [normal[a], normal[b]];
                let size = x.hypot(y);
                if size < 0.999 {
                    return;
                }
                // Far enough along the line in both senses, then cut to what the sheet shows.
                let far = (self.high[0] - self.low[0]) + (self.high[1] - self.low[1]);
                let centre = [0.5 * (self.low[0] + self.high[0]), 0.5 * (self.low[1] + self.high[1])];
                let off = (centre[0] - position[a]) * x + (centre[1] - position[b]) * y;
                let foot = [centre[0] - off * x, centre[1] - off * y];
                let ends = [far, -far].map(|t| [foot[0] - t * y, foot[1] + t * x]);
                if let Some(ends) = self.cut(ends) {
                    let spots = ends.map(|end| {
                        let mut point = [0.0; 3];
                        (point[a], point[b]) = (end[0], end[1]);
                        self.spot(point)
                    });
                    sheet.line(spots[0], spots[1], pen);
                }
            }
            Primitive::Plate { half_edges: [p, q] } => {
                let corner = |s: f64, t: f64| self.spot(std::array::from_fn(|i| position[i] + s * p[i] + t * q[i]));
                let corners = [corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0), corner(-1.0, 1.0)];
                if corners.iter().all(|&[x, y]| x.abs() < 1e4 && y.abs() < 1e4) {
                    sheet.polygon(corners.to_vec(), Paint::stroke(pen));
                }
            }
            Primitive::Drum { radius, axis } => {
                let is_seen_along = self.depth.is_none_or(|depth| axis[depth].abs() > 0.999);
                if is_seen_along {
                    sheet.circle(self.spot(position), radius * self.scale, Paint::stroke(pen));
                }
            }
            Primitive::Ball { radius } | Primitive::Rod { radius, .. } => {
                let paint = Paint { fill: Some(Colour::new(200, 200, 200)), stroke: Some(pen) };
                if self.is_in_slice(position) {
                    sheet.circle(self.spot(position), radius * self.scale, paint);
                }
            }
        }
    }

    /// The part of a line that the sheet shows.
    fn cut(&self, [from, to]: [[f64; 2]; 2]) -> Option<[[f64; 2]; 2]> {
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for k in 0..2 {
            let along = to[k] - from[k];
            if along.abs() < 1e-300 {
                if from[k] < self.low[k] || from[k] > self.high[k] {
                    return None;
                }
                continue;
            }
            let [p, q] = [(self.low[k] - from[k]) / along, (self.high[k] - from[k]) / along];
            (start, end) = (start.max(p.min(q)), end.min(p.max(q)));
        }
        let at = |t: f64| [0, 1].map(|k| from[k] + t * (to[k] - from[k]));
        (start < end).then(|| [at(start), at(end)])
    }

    fn legend(&self, sheet: &mut Drawing, picture: &Picture, bar: Option<&ColourBar>) {
        sheet.text(picture.title.clone(), [0.5 * self.sheet[0], 20.0], 12.5, Anchor::Middle);
        let bottom = self.top + (self.high[1] - self.low[1]) * self.scale;
        let wanted = 0.25 * (self.high[0] - self.low[0]);
        let unit = 10_f64.powf(wanted.log10().floor());
        let round = [5.0, 2.0, 1.0].map(|m| m * unit).into_iter().find(|&l| l <= wanted).unwrap_or(unit);
        let (from, to) = ([self.left, bottom + 12.0], [self.left + round * self.scale, bottom + 12.0]);
        let pen = Stroke::new(Colour::INK, 1.4);
        sheet.line(from, to, pen);
        for [x, y] in [from, to] {
            sheet.line([x, y - 3.0], [x, y + 3.0], pen);
        }
        sheet.text(metres(round), [to[0] + 7.0, to[1] + 4.0], 10.5, Anchor::Start);
        let x = self.sheet[0] - 76.0;
        let mut y = self.top + 12.0;
        if let Some(bar) = bar {
            sheet.text(bar.label.clone(), [self.sheet[0] - 6.0, y], 10.0, Anchor::End);
            y += 12.0;
            let (steps, tall) = (48, 120.0);
            for k in 0..steps {
                let share = (f64::from(k) + 0.5) / f64::from(steps);
                let (above, below) =
                    (y + tall * (1.0 - share), y + tall * (1.0 - share) + tall / f64::from(steps) + 0.4);
                let half = 0.5 * tall / f64::from(steps);
                sheet.rectangle([x + 4.0, above - half], [x + 18.0, below - half], Paint::fill(bar.map.at(share)));
            }
            for share in [0.0, 0.5, 1.0] {
                let value = bar.low + share * (bar.high - bar.low);
                sheet.text(short(value), [x + 23.0, y + tall * (1.0 - share) + 3.5], 10.0, Anchor::Start);
            }
            y += tall + 22.0;
        }
        if picture.forces {
            for (colour, word) in [(COMPRESSIVE, "pushes"), (TENSILE, "pulls")] {
                sheet.line([x + 4.0, y - 3.0], [x + 18.0, y - 3.0], Stroke::new(colour, 3.0));
                sheet.text(word, [x + 23.0, y], 10.0, Anchor::Start);
                y += 15.0;
            }
        }
    }
}

/// The convex hull of spots, by Andrew's monotone chain.
fn hull(mut spots: Vec<Spot>) -> Vec<Spot> {
    spots.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turn = |a: Spot, b: Spot, c: Spot| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |spots: &mut dyn Iterator<Item = Spot>| {
        let mut chain: Vec<Spot> = Vec::new();
        for spot in spots {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], spot) <= 0.0 {
                chain.pop();
            }
            chain.push(spot);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut spots.iter().copied());
    hull.extend(chain(&mut spots.iter().rev().copied()));
    hull
}

/// A length with a unit that suits it.
fn metres(length: f64) -> String {
    let (value, unit) = match length {
        l if l >= 1.0 => (l, "m"),
        l if l >= 9.9e-3 => (l * 1e2, "cm"),
        l if l >= 9.9e-4 => (l * 1e3, "mm"),
        l => (l * 1e6, "µm"),
    };
    format!("{} {unit}", (value * 100.0).round() / 100.0)
}

fn short(value: f64) -> String {
    let size = value.abs();
    let text = if size == 0.0 || (1e-2..1e4).contains(&size) {
        let decimals = if size >= 100.0 {
            0
        } else if size >= 1.0 {
            1
        } else {
            3
        };
        format!("{value:.decimals$}")
    } else {
        format!("{value:.1e}")
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{cubic_lattice, periodic_square_lattice, square_lattice};
    use crate::plot::Mark;

    fn circles(drawing: &Drawing) -> usize {
        drawing.marks.iter().filter(|mark| matches!(mark, Mark::Circle { .. })).count()
    }

    #[test]
    fn grains_walls_and_forces_are_drawn_each() {
        let packing = Packing::of(&square_lattice(5));
        let plain = Picture::new(2).draw(&packing, None).unwrap();
        assert_eq!(circles(&plain), 25);
        let with = Picture { forces: true, title: "forces".into(), ..Picture::new(2) }.draw(&packing, None).unwrap();
        let lines = |drawing: &Drawing| {
            let is_line = |mark: &&Mark| matches!(mark, Mark::Path { closed: false, .. });
            drawing.marks.iter().filter(is_line).count()
        };
        // 45 contacts, and two samples in the legend.
        assert_eq!(lines(&with) - lines(&plain), 47);
    }

    #[test]
    fn the_width_of_a_line_grows_with_its_force_and_pulls_have_their_colour() {
        let mut packing = Packing::of(&periodic_square_lattice(4, [1.0, 3.0]));
        let contacts = packing.contacts.as_mut().unwrap();
        contacts[0].force = [-1.0, 0.0, 0.0];
        let sheet = Picture { forces: true, ..Picture::new(2) }.draw(&packing, None).unwrap();
        let pens: Vec<Stroke> = sheet
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Path { closed: false, paint, .. } => paint.stroke,
                _ => None,
            })
            .collect();
        let widths = |colour: Colour| pens.iter().filter(move |p| p.colour == colour).map(|p| p.width);
        let strong = widths(COMPRESSIVE).fold(0.0, f64::max);
        let pull = widths(TENSILE).find(|&width| width != 3.0).unwrap();
        assert!((strong / pull - 3.0).abs() < 1e-9);
        assert_eq!(widths(TENSILE).count(), 2, "one contact and the legend");
    }

    #[test]
    fn a_slice_of_space_shows_its_grains_only() {
        let packing = Packing::of(&cubic_lattice([4, 5, 6]));
        let slice = Picture { slice: Some([2.5, 0.9]), ..Picture::new(3) };
        assert_eq!(circles(&slice.draw(&packing, None).unwrap()), 24);
        let empty = Picture { slice: Some([50.0, 0.9]), ..Picture::new(3) };
        assert!(empty.draw(&packing, None).is_err());
        let needs = Picture { grains: Shade::Displacement, ..Picture::new(3) };
        assert_eq!(needs.draw(&packing, None), Err(Unavailable::NeedsTwo));
    }

    #[test]
    fn fields_have_a_colour_bar() {
        let mut world = periodic_square_lattice(4, [1.0, 1.0]);
        for (k, spin) in world.state.spin.iter_mut().enumerate() {
            *spin = k as f64 - 8.0;
        }
        let picture = Picture { grains: Shade::Spin, ..Picture::new(2) };
        let svg = picture.draw(&Packing::of(&world), None).unwrap().svg();
        assert!(svg.contains("spin (rad/s)") && svg.contains("#f6f6f6"), "zero is pale");
        let pressure = Picture { grains: Shade::PressureSign, ..Picture::new(2) };
        assert!(pressure.draw(&Packing::of(&world), None).is_ok());
    }

    #[test]
    fn a_wear_map_has_the_faces_of_walls_and_no_grains() {
        let mut packing = Packing::of(&cubic_lattice([2, 2, 2]));
        let picture = Picture { grains: Shade::Wear, axes: [0, 1], ..Picture::new(3) };
        assert!(matches!(picture.draw(&packing, None), Err(Unavailable::Because(_))));
        let corner = |i: usize| [(i % 2) as f64, (i / 2) as f64, 0.0];
        let pieces = vec![vec![corner(0), corner(1), corner(2)], vec![corner(1), corner(3), corner(2)]];
        packing.walls.push(Wall {
            id: 99,
            name: "bed".into(),
            position: [5.0, 0.0, 0.0],
            orientation: [0.0, 0.0, 0.0, 1.0],
            velocity: [0.0; 3],
            surface: WallSurface::Pieces(pieces),
            wear: vec![1e-6, 3e-6],
        });
        let svg = picture.draw(&packing, None).unwrap();
        assert_eq!(circles(&svg), 0);
        assert!(svg.svg().contains("wear depth (m)") && svg.svg().contains("3.0e−6"));
    }

    #[test]
    fn the_hull_of_a_square_with_points_inside_is_the_square() {
        let spots = vec![[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0], [0.2, 0.7]];
        assert_eq!(hull(spots).len(), 4);
    }
}
