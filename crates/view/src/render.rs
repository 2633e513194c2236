//! Pictures without a browser: the same grains, contacts, walls, colours and cameras as on the page, drawn by the program.
//!
//! Every ball is cut with the ray of each pixel that it covers, and the nearest surface wins; four rays per pixel smooth
//! the edges.

use crate::arrays::{Array, Frames, Scale};
use crate::camera::{Camera, Lens};
use crate::frame::{self, bounds};
use crate::look::{Colours, ContactColour, Contacts, Look, Range};
use glam::{DQuat, DVec3};
use riprap_engine::{Form, FormPart, Status};
use riprap_measure::plot::{Anchor, Colour, Drawing, PALETTE, Paint};
use riprap_store::Snapshot;

/// Rays per pixel along each side.
const FINE: usize = 2;
/// The thickness of a bond without force, against that of the strongest contact; as in `page/draw.js`.
const THINNEST_BOND: f64 = 0.25;
/// Width of the legend in pixels.
const LEGEND: usize = 120;
/// Colours of contacts, as in `page/draw.js`.
const PUSH: DVec3 = DVec3::new(178.0, 34.0, 34.0);
const PULL: DVec3 = DVec3::new(0.0, 110.0, 165.0);
const PALE: DVec3 = DVec3::new(205.0, 198.0, 190.0);
const STATUS: [DVec3; 3] =
    [DVec3::new(150.0, 150.0, 150.0), DVec3::new(0.0, 138.0, 100.0), DVec3::new(213.0, 74.0, 0.0)];
/// Plain contacts, bonds, liquid bridges.
const KIND: [DVec3; 3] =
    [DVec3::new(150.0, 150.0, 150.0), DVec3::new(177.0, 87.0, 145.0), DVec3::new(60.0, 160.0, 215.0)];
const CRACK: DVec3 = DVec3::new(200.0, 0.0, 110.0);
const MEMBRANE: DVec3 = DVec3::new(0.0, 138.0, 100.0);
const WALL_COLOUR: DVec3 = DVec3::new(115.0, 128.0, 148.0);

/// A picture in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Red, green and blue, row by row from the top.
    pub rgb: Vec<u8>,
}

impl Image {
    /// The picture as PNG.
    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&self.rgb));
        written.expect("a picture in memory can be written to memory");
        bytes
    }
}

/// What stays the same from picture to picture of a movie: the camera and the range of colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The camera.
    pub camera: Camera,
    /// The values at the ends of the colours.
    pub range: [f64; 2],
    /// Width and height in pixels, the legend included.
    pub size: [usize; 2],
}

impl Settings {
    /// Settings that suit all of some snapshots; displacements are since the first.
    pub fn of(look: &Look, snapshots: &[&Snapshot], size: [usize; 2]) -> Result<Settings, String> {
        let first = *snapshots.first().ok_or("there are no snapshots")?;
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let mut values = Vec::new();
        for snapshot in snapshots {
            let (lower, upper) = bounds(snapshot);
            low = std::array::from_fn(|axis| low[axis].min(lower[axis]));
            high = std::array::from_fn(|axis| high[axis].max(upper[axis]));
            values.extend(look.array.values(&Frames { now: snapshot, since: first })?);
        }
        let aspect = size[0].saturating_sub(LEGEND).max(1) as f64 / size[1].max(1) as f64;
        let camera = look.camera.unwrap_or_else(|| Camera::fitting(low, high, first.dimension, aspect));
        Ok(Settings { camera, range: range_of(values, look.range, look.array), size })
    }
}

/// The picture of a snapshot; displacements are since another one.
pub fn render(snapshot: &Snapshot, since: &Snapshot, look: &Look, settings: &Settings) -> Result<Image, String> {
    let [width, height] = [settings.size[0].saturating_sub(LEGEND).max(1), settings.size[1].max(1)];
    let values = look.array.values(&Frames { now: snapshot, since })?;
    let size = [width * FINE, height * FINE];
    let mut canvas = Canvas::new(size, settings.camera.lens(snapshot.dimension, size), snapshot.dimension == 2);
    canvas.cut = look.cut.map(|cut| cut_plane(cut, snapshot, &settings.camera, &canvas.lens));
    let shows = |row: usize| {
        look.grains && (look.limits[0]..=look.limits[1]).contains(&values[row]) && is_in(snapshot, look, row)
    };
    for row in (0..snapshot.grains.len()).filter(|&row| shows(row)) {
        canvas.grain(snapshot, row, colour_of(values[row], look, settings.range));
    }
    canvas.contacts(snapshot, look, &|row| !look.grains || shows(row));
    canvas.surroundings(snapshot, look);
    let legend = legend(look, settings.range, snapshot.time, height);
    Ok(beside(&canvas.smoothed(), &legend))
}

/// True if a grain's material and group are shown, and it is within the region.
fn is_in(snapshot: &Snapshot, look: &Look, row: usize) -> bool {
    let grains = &snapshot.grains;
    let is_hidden = |kind: &str, names: &[String], index: Option<&u16>| {
        let name = index.and_then(|&index| names.get(usize::from(index)));
        name.is_some_and(|name| look.hidden.iter().any(|hidden| hidden.strip_prefix(kind) == Some(name)))
    };
    let (low, high) = look.region.split_at(look.region.len() / 2);
    let mut sides = grains.position[row].iter().zip(low).zip(high);
    !is_hidden("m:", &snapshot.materials, grains.material.get(row))
        && !is_hidden("g:", &snapshot.groups, grains.group.get(row))
        && sides.all(|((x, low), high)| (low..=high).contains(&x))
}

/// The plane of a cut in the frame of the lens: what is between it and the eye is left out.
fn cut_plane((axis, at): (usize, f64), snapshot: &Snapshot, camera: &Camera, lens: &Lens) -> (DVec3, f64) {
    let (low, high) = bounds(snapshot);
    let mut normal = DVec3::ZERO;
    normal[axis] = if camera.towards(snapshot.dimension)[axis] < 0.0 { -1.0 } else { 1.0 };
    let mut point = DVec3::from_array(low);
    point[axis] = low[axis] + at * (high[axis] - low[axis]);
    let normal = lens.turned(normal);
    (normal, normal.dot(lens.seen(point)))
}

/// A picture under way. Depths are distances from the eye along its axis.
struct Canvas {
    size: [usize; 2],
    lens: Lens,
    is_flat: bool,
    cut: Option<(DVec3, f64)>,
    colour: Vec<DVec3>,
    depth: Vec<f64>,
}

impl Canvas {
    fn new(size: [usize; 2], lens: Lens, is_flat: bool) -> Canvas {
        let pixels = size[0] * size[1];
        Canvas {
            size,
            lens,
            is_flat,
            cut: None,
            colour: vec![DVec3::splat(251.0); pixels],
            depth: vec![f64::INFINITY; pixels],
        }
    }

    fn is_cut(&self, seen: DVec3) -> bool {
        self.cut.is_some_and(|(normal, offset)| normal.dot(seen) > offset)
    }

    /// The pixels around a ball in the frame of the lens; none if it is not all in front of the eye.
    fn pixels_around(&self, centre: DVec3, radius: f64) -> Option<[std::ops::Range<usize>; 2]> {
        if self.lens.perspective && centre.z + radius >= 0.0 {
            return None;
        }
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for corner in 0..8 {
            let sign = |bit: i32| if corner >> bit & 1 == 0 { -radius } else { radius };
            let pixel = self.lens.pixel(centre + DVec3::new(sign(0), sign(1), sign(2)));
            for axis in 0..2 {
                low[axis] = low[axis].min(pixel[axis]);
                high[axis] = high[axis].max(pixel[axis]);
            }
        }
        Some(std::array::from_fn(|axis| {
            let most = self.size[axis];
            (low[axis].max(0.0) as usize).min(most)..((high[axis] + 1.0).max(0.0) as usize).min(most)
        }))
    }

    /// Takes a colour for a pixel if nothing is nearer.
    fn put(&mut self, x: usize, y: usize, seen: DVec3, colour: DVec3) {
        let at = y * self.size[0] + x;
        let depth = -seen.z;
        if depth < self.depth[at] {
            (self.depth[at], self.colour[at]) = (depth, colour);
        }
    }

    fn grain(&mut self, snapshot: &Snapshot, row: usize, colour: DVec3) {
        let grains = &snapshot.grains;
        let centre = DVec3::from_array(grains.position[row]);
        let Some(Some(form)) =
            grains.form.get(row).map(|form| form.and_then(|index| snapshot.forms.get(index as usize)))
        else {
            return self.ball(centre, grains.radius[row], colour);
        };
        let turn = DQuat::from_array(grains.orientation[row]);
        if let Form::Cluster { parts, .. } = form {
            for part in parts {
                if let FormPart::Ball { centre: own, radius } = part {
                    self.ball(centre + turn * DVec3::from_array(*own), *radius, colour);
                }
            }
        }
        for corners in frame::triangles(form).chunks_exact(9) {
            let corner =
                |k: usize| centre + turn * DVec3::new(corners[k].into(), corners[k + 1].into(), corners[k + 2].into());
            self.triangle([corner(0), corner(3), corner(6)], colour, None);
        }
    }

    fn ball(&mut self, centre: DVec3, radius: f64, colour: DVec3) {
        let c = self.lens.seen(centre);
        let Some([columns, rows]) = self.pixels_around(c, radius) else { return };
        for y in rows {
            for x in columns.clone() {
                let (from, along) = self.lens.ray([x, y]);
                let offset = from - c;
                let b = offset.dot(along);
                let across = offset - along * b;
                let inside = radius * radius - across.length_squared();
                if inside < 0.0 {
                    continue;
                }
                let half = inside.sqrt();
                let mut seen = from + along * (-b - half);
                let mut normal = (seen - c) / radius;
                if let Some((plane, distance)) = self.cut.filter(|_| self.is_cut(seen)) {
                    let fall = plane.dot(along);
                    let t = (distance - plane.dot(from)) / fall;
                    if fall >= 0.0 || t > -b + half {
                        continue;
                    }
                    (seen, normal) = (from + along * t, plane);
                }
                let shade = if self.is_flat && across.length() > 0.93 * radius {
                    colour * 0.6
                } else {
                    self.lit(colour, normal)
                };
                self.put(x, y, seen, shade);
            }
        }
    }

    /// A triangle; with an opacity it is laid over what is behind it.
    fn triangle(&mut self, corners: [DVec3; 3], colour: DVec3, opacity: Option<f64>) {
        let [a, b, c] = corners.map(|corner| self.lens.seen(corner));
        let middle = (a + b + c) / 3.0;
        let radius = [a, b, c].iter().map(|corner| (*corner - middle).length()).fold(0.0, f64::max);
        let Some([columns, rows]) = self.pixels_around(middle, radius) else { return };
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for y in rows {
            for x in columns.clone() {
                let (from, along) = self.lens.ray([x, y]);
                let fall = normal.dot(along);
                if fall == 0.0 {
                    continue;
                }
                let seen = from + along * (normal.dot(a - from) / fall);
                let is_inside = |p: DVec3, q: DVec3| (q - p).cross(seen - p).dot(normal) >= 0.0;
                if !(is_inside(a, b) && is_inside(b, c) && is_inside(c, a)) || self.is_cut(seen) {
                    continue;
                }
                let facing = if fall > 0.0 { -normal } else { normal };
                match opacity {
                    None => self.put(x, y, seen, self.lit(colour, facing)),
                    Some(share) => {
                        let at = y * self.size[0] + x;
                        if -seen.z < self.depth[at] {
                            let tint = colour * (0.6 + 0.4 * facing.z.abs());
                            self.colour[at] = self.colour[at].lerp(tint, share);
                        }
                    }
                }
            }
        }
    }

    /// A rod between two points.
    fn rod(&mut self, ends: [DVec3; 2], radius: f64, colour: DVec3) {
        let [a, b] = ends.map(|end| self.lens.seen(end));
        if self.lens.perspective && (a.z >= 0.0 || b.z >= 0.0) {
            return;
        }
        let ([ax, ay], [bx, by]) = (self.lens.pixel(a), self.lens.pixel(b));
        let widths = [a, b].map(|end| (radius * self.lens.pixels_per_length(end)).max(0.5));
        let margin = widths[0].max(widths[1]);
        let limits = |p: f64, q: f64, most: usize| {
            ((p.min(q) - margin).max(0.0) as usize).min(most)..((p.max(q) + margin + 1.0).max(0.0) as usize).min(most)
        };
        let (dx, dy) = (bx - ax, by - ay);
        let squared = (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
        for y in limits(ay, by, self.size[1]) {
            for x in limits(ax, bx, self.size[0]) {
                let (px, py) = (x as f64 + 0.5 - ax, y as f64 + 0.5 - ay);
                let along = ((px * dx + py * dy) / squared).clamp(0.0, 1.0);
                let width = widths[0] + along * (widths[1] - widths[0]);
                let across = (px - along * dx).hypot(py - along * dy) / width;
                let seen = a.lerp(b, along);
                if across > 1.0 || self.is_cut(seen) {
                    continue;
                }
                let round = (1.0 - across * across).sqrt();
                // In the plane contacts lie above the grains.
                let lift = if self.is_flat { 1e3 * radius } else { radius * round };
                self.put(x, y, seen + DVec3::Z * lift, colour * (0.55 + 0.45 * round));
            }
        }
    }

    fn contacts(&mut self, snapshot: &Snapshot, look: &Look, shows: &dyn Fn(usize) -> bool) {
        let contacts = &snapshot.contacts;
        let force = |k: usize| DVec3::from_array(contacts.force[k]).dot(DVec3::from_array(contacts.normal[k]));
        let bearing: Vec<f64> = (0..contacts.len()).map(|k| force(k).abs()).filter(|&size| size > 0.0).collect();
        let most = bearing.iter().copied().fold(0.0, f64::max);
        let mean = bearing.iter().sum::<f64>() / bearing.len().max(1) as f64;
        let thickest = 0.5 * look.thickness * mean_radius(snapshot);
        for k in 0..contacts.len() {
            let size = force(k).abs();
            let is_chosen = match look.contacts {
                Contacts::None => false,
                Contacts::All => true,
                Contacts::Push => force(k) > 0.0,
                Contacts::Pull => force(k) < 0.0,
                Contacts::Slide => contacts.status[k] == Status::Slide,
                Contacts::Stick => contacts.status[k] == Status::Stick,
                Contacts::Bridges => frame::is_bridged(contacts, k),
                Contacts::Bonds => frame::is_bonded(contacts, k),
            };
            // A bond is there even if it carries nothing.
            let is_bond = frame::is_bonded(contacts, k)
                && (look.contacts == Contacts::Bonds || look.contact_colour == ContactColour::Kind);
            let rows = [contacts.body1[k], contacts.body2[k]].map(|id| snapshot.grains.id.binary_search(&id).ok());
            let is_seen = size > 0.0 || is_bond;
            if !is_chosen || !is_seen || size < look.strong * mean || !rows.into_iter().flatten().all(shows) {
                continue;
            }
            let colour = match look.contact_colour {
                ContactColour::Status => STATUS[contacts.status[k] as usize % 3],
                ContactColour::Friction => PALE.lerp(STATUS[2], frame::mobilised(contacts, k)),
                ContactColour::Kind if frame::is_bonded(contacts, k) => KIND[1],
                ContactColour::Kind if frame::is_bridged(contacts, k) => KIND[2],
                ContactColour::Kind => KIND[0],
                ContactColour::Force => PALE.lerp(if force(k) < 0.0 { PULL } else { PUSH }, (size / most).sqrt()),
            };
            let share = if most > 0.0 { (size / most).sqrt() } else { 0.0 };
            let radius = thickest * if is_bond { share.max(THINNEST_BOND) } else { share };
            self.rod(snapshot.contact_line(k).map(DVec3::from_array), radius, colour);
        }
    }

    /// Walls, membranes and the periodic cell.
    fn surroundings(&mut self, snapshot: &Snapshot, look: &Look) {
        let thin = 0.06 * mean_radius(snapshot);
        let grey = DVec3::splat(128.0);
        if look.cell && snapshot.cell.period.iter().any(|&period| period > 0.0) {
            let (low, high) = bounds(snapshot);
            let cell = &snapshot.cell;
            let end = |axis: usize, far: bool| match (cell.period[axis] > 0.0, far) {
                (true, false) => cell.origin[axis],
                (true, true) => cell.origin[axis] + cell.period[axis],
                (false, false) => low[axis],
                (false, true) => high[axis],
            };
            let corner = |bits: usize| DVec3::from_array(std::array::from_fn(|axis| end(axis, bits >> axis & 1 == 1)));
            for bits in 0..if snapshot.dimension == 2 { 4 } else { 8 } {
                for axis in (0..snapshot.dimension).filter(|axis| bits >> axis & 1 == 0) {
                    self.rod([corner(bits), corner(bits | 1 << axis)], thin, grey);
                }
            }
        }
        for chain in frame::membrane_rows(snapshot) {
            for pair in chain.windows(2) {
                let [from, to] = [pair[0], pair[1]].map(|row| DVec3::from_array(snapshot.grains.position[row]));
                self.rod([from, from + nearest(to - from, snapshot.cell.period)], 3.0 * thin, MEMBRANE);
            }
        }
        for line in frame::cracks(snapshot) {
            self.rod(line.map(DVec3::from_array), 2.0 * thin, CRACK);
        }
        let surfaces = frame::surfaces(snapshot);
        for cell in &surfaces.cells {
            let point = |k: usize| DVec3::from_array(surfaces.points[cell[k]]);
            if snapshot.dimension == 2 {
                (1..cell.len()).for_each(|k| self.rod([point(k - 1), point(k)], thin, DVec3::splat(90.0)));
            } else if look.walls > 0.0 {
                (1..cell.len().saturating_sub(1))
                    .for_each(|k| self.triangle([point(0), point(k), point(k + 1)], WALL_COLOUR, Some(look.walls)));
            }
        }
    }

    /// The light of the page (`page/shaders.js`).
    fn lit(&self, colour: DVec3, normal: DVec3) -> DVec3 {
        if self.is_flat {
            return colour;
        }
        let side = normal.dot(DVec3::new(0.5, 0.8, 0.6).normalize()).max(0.0);
        colour * (0.32 + 0.3 * normal.z.max(0.0) + 0.42 * side) + DVec3::splat(25.5 * side.powi(24))
    }

    /// The mean of the rays of each pixel.
    fn smoothed(&self) -> Image {
        let [width, height] = self.size.map(|side| side / FINE);
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let rays = (0..FINE * FINE).map(|k| (y * FINE + k / FINE) * self.size[0] + x * FINE + k % FINE);
                let mean = rays.map(|at| self.colour[at]).sum::<DVec3>() / (FINE * FINE) as f64;
                rgb.extend(mean.to_array().map(|part| part.clamp(0.0, 255.0).round() as u8));
            }
        }
        Image { width, height, rgb }
    }
}

/// The shortest of the images of a distance.
fn nearest(away: DVec3, period: [f64; 3]) -> DVec3 {
    let fold = |x: f64, period: f64| if period > 0.0 { x - (x / period).round() * period } else { x };
    DVec3::new(fold(away.x, period[0]), fold(away.y, period[1]), fold(away.z, period[2]))
}

fn mean_radius(snapshot: &Snapshot) -> f64 {
    let radii = &snapshot.grains.radius;
    if radii.is_empty() { 1.0 } else { radii.iter().sum::<f64>() / radii.len() as f64 }
}

/// The range of colours for some values: symmetric about zero where signs matter.
fn range_of(mut values: Vec<f64>, range: Range, array: &Array) -> [f64; 2] {
    if let Range::Values(range) = range {
        return range;
    }
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let place = (part * values.len().saturating_sub(1) as f64).round() as usize;
        values.get(place).or(values.last()).copied().unwrap_or(0.0)
    };
    let [low, high] = match range {
        Range::Percentiles(percents) => percents.map(|percent| at((percent / 100.0).clamp(0.0, 1.0))),
        _ => [at(0.0), at(1.0)],
    };
    if array.scale == Scale::Signed {
        let most = low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
        return [-most, most];
    }
    if high > low { [low, high] } else { [low, low + if low == 0.0 { 1.0 } else { low.abs() }] }
}

fn colour_of(value: f64, look: &Look, [low, high]: [f64; 2]) -> DVec3 {
    let rgb = |colour: Colour| DVec3::from_array(colour.rgb.map(f64::from));
    if look.array.scale == Scale::Named && look.map.is_none() {
        return rgb(PALETTE[value.max(0.0) as usize % PALETTE.len()]);
    }
    let share = (value - low) / (high - low);
    match look.colours() {
        Colours::Map(map) => rgb(map.at(share)),
        Colours::Grey => DVec3::splat(25.0 + 215.0 * share.clamp(0.0, 1.0)),
    }
}

/// The legend: what colours mean, and the time.
fn legend(look: &Look, range: [f64; 2], time: f64, height: usize) -> Image {
    // Two pixels per point, as plots have.
    let (width, tall) = (0.5 * LEGEND as f64, 0.5 * height as f64);
    let mut sheet = Drawing::new(width, tall);
    sheet.text(format!("{} s", riprap_run::three_digits(time)), [4.0, 14.0], 8.0, Anchor::Start);
    let title = if look.array.unit.is_empty() {
        look.array.label.to_string()
    } else {
        format!("{} ({})", look.array.label, look.array.unit)
    };
    // Long names are broken between words.
    let mut line = 30.0;
    for word in title.split(' ') {
        sheet.text(word, [4.0, line], 7.0, Anchor::Start);
        line += 9.0;
    }
    if look.array.scale != Scale::Named {
        let (top, bottom) = (line + 4.0, (line + 104.0).min(tall - 8.0));
        const BANDS: usize = 64;
        for k in 0..BANDS {
            let at = |k: usize| bottom + (top - bottom) * k as f64 / BANDS as f64;
            let value = range[0] + (range[1] - range[0]) * (k as f64 + 0.5) / BANDS as f64;
            let [red, green, blue] = colour_of(value, look, range).to_array().map(|part| part.round() as u8);
            sheet.rectangle([4.0, at(k + 1)], [14.0, at(k)], Paint::fill(Colour::new(red, green, blue)));
        }
        sheet.text(riprap_run::three_digits(range[1]), [17.0, top + 6.0], 7.0, Anchor::Start);
        sheet.text(riprap_run::three_digits(range[0]), [17.0, bottom], 7.0, Anchor::Start);
    }
    let (width, height, rgb) = sheet.pixels(2.0);
    Image { width, height, rgb }
}

/// Two pictures side by side; the second is cut or filled up to the height of the first.
fn beside(left: &Image, right: &Image) -> Image {
    let width = left.width + right.width;
    let mut rgb = vec![251; 3 * width * left.height];
    for y in 0..left.height {
        let row = &mut rgb[3 * width * y..3 * width * (y + 1)];
        row[..3 * left.width].copy_from_slice(&left.rgb[3 * left.width * y..3 * left.width * (y + 1)]);
        if y < right.height {
            row[3 * left.width..].copy_from_slice(&right.rgb[3 * right.width * y..3 * right.width * (y + 1)]);
        }
    }
    Image { width, height: left.height, rgb }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riprap_store::GrainColumns;

    /// Balls in space, all alike but for their places and radii.
    fn balls(places: &[([f64; 3], f64)]) -> Snapshot {
        let count = places.len();
        Snapshot {
            dimension: 3,
            grains: GrainColumns {
                id: (0..count as u32).collect(),
                position: places.iter().map(|place| place.0).collect(),
                image: vec![[0; 3]; count],
                orientation: vec![[0.0, 0.0, 0.0, 1.0]; count],
                velocity: (0..count).map(|k| [k as f64, 0.0, 0.0]).collect(),
                spin: vec![[0.0; 3]; count],
                radius: places.iter().map(|place| place.1).collect(),
                mass: vec![1.0; count],
                material: vec![0; count],
                group: vec![0; count],
                form: Vec::new(),
            },
            ..Snapshot::default()
        }
    }

    fn pixel(image: &Image, [x, y]: [f64; 2]) -> [u8; 3] {
        let at = 3 * (y as usize * image.width + x as usize);
        [image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]]
    }

    const PAPER: [u8; 3] = [251; 3];

    #[test]
    fn a_ball_covers_the_pixels_within_its_radius_and_hides_what_is_behind() {
        let snapshot = balls(&[([0.0; 3], 1.0), ([0.0, 3.0, 0.0], 2.0)]);
        // From −y the small ball is in front of the large one.
        let camera = Camera {
            target: [0.0; 3],
            distance: 20.0,
            azimuth: -std::f64::consts::FRAC_PI_2,
            elevation: 0.0,
            perspective: false,
        };
        let look = Look {
            camera: Some(camera),
            map: Some(Colours::Grey),
            range: Range::Values([0.0, 1.0]),
            ..Look::default()
        };
        let settings = Settings::of(&look, &[&snapshot], [320, 200]).expect("it can be drawn");
        let image = render(&snapshot, &snapshot, &look, &settings).expect("it can be drawn");
        assert_eq!((image.width, image.height), (320, 200));
        let lens = camera.lens(3, [200, 200]);
        let at = |x: f64, z: f64| pixel(&image, lens.pixel(lens.seen(DVec3::new(x, 0.0, z))));
        assert!(at(0.0, 0.0)[0] < 60, "the slow ball is dark and in front");
        assert!(at(1.5, 0.0)[0] > 100 && at(1.5, 0.0) != PAPER, "the fast one is light and shows around it");
        assert_eq!(at(2.1, 0.0), PAPER);
        assert_eq!(at(0.0, -2.1), PAPER);
        assert_ne!(at(0.0, -1.9), PAPER);
    }

    #[test]
    fn a_cut_opens_balls() {
        let snapshot = balls(&[([0.0; 3], 1.0)]);
        let camera = Camera {
            target: [0.0; 3],
            distance: 10.0,
            azimuth: -std::f64::consts::FRAC_PI_2,
            elevation: 0.0,
            perspective: true,
        };
        let look = Look { camera: Some(camera), cut: Some((1, 0.5)), ..Look::default() };
        let settings = Settings::of(&look, &[&snapshot], [320, 200]).expect("it can be drawn");
        let opened = render(&snapshot, &snapshot, &look, &settings).expect("it can be drawn");
        let whole =
            render(&snapshot, &snapshot, &Look { cut: None, ..look.clone() }, &settings).expect("it can be drawn");
        // The face of the cut has one shade; a whole ball does not.
        let middle = |image: &Image| [pixel(image, [100.0, 100.0]), pixel(image, [115.0, 90.0])];
        assert_eq!(middle(&opened)[0], middle(&opened)[1]);
        assert_ne!(middle(&whole)[0], middle(&whole)[1]);
        let gone =
            render(&snapshot, &snapshot, &Look { cut: Some((1, 1.0)), ..look }, &settings).expect("it can be drawn");
        assert_eq!(pixel(&gone, [100.0, 100.0]), PAPER);
    }

    #[test]
    fn ranges_are_by_percentile_value_and_sign() {
        let (speed, pressure) = (Array::find("speed").expect("speed"), Array::find("pressure").expect("pressure"));
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(range_of(values.clone(), Range::Percentiles([10.0, 90.0]), speed), [10.0, 90.0]);
        assert_eq!(range_of(values.clone(), Range::All, pressure), [-100.0, 100.0]);
        assert_eq!(range_of(values, Range::Values([1.0, 2.0]), speed), [1.0, 2.0]);
        assert_eq!(range_of(vec![3.0, f64::NAN], Range::All, speed), [3.0, 6.0]);
    }
}
