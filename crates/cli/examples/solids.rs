//! A picture of the angular grains of a snapshot, as seen from above and from the side, with light from the upper left:
//!
//! ```text
//! cargo run --release -p riprap-cli --example solids -- runs/polyhedra/snapshots/snapshot_000020000.h5 polyhedra.png
//! ```

use riprap_measure::plot::{Colour, Drawing, PALETTE, Paint, Stroke};
use riprap_store::read_snapshot;
use std::path::Path;
use std::process::ExitCode;

/// How far the eye is turned about the vertical, and how far above the horizon it is.
const AZIMUTH: f64 = 0.6;
const ELEVATION: f64 = 0.45;
/// Width of the sheet in points, with an empty margin.
const WIDTH: f64 = 480.0;
const MARGIN: f64 = 12.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [snapshot, picture] = &arguments[..] else {
        eprintln!("usage: solids SNAPSHOT.h5 PICTURE.png");
        return ExitCode::from(2);
    };
    match draw(Path::new(snapshot)) {
        Ok(drawing) => match std::fs::write(picture, drawing.png(2.0)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(format!("{picture}: {error}")),
        },
        Err(message) => failed(message),
    }
}

fn failed(message: String) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}

/// A face on the sheet.
struct Facet {
    spots: Vec<[f64; 2]>,
    depth: f64,
    colour: Colour,
}

fn draw(path: &Path) -> Result<Drawing, String> {
    let snapshot = read_snapshot(path).map_err(|error| error.to_string())?;
    let flat = snapshot.dimension == 2;
    let (sin, cos) = AZIMUTH.sin_cos();
    let (high, along) = ELEVATION.sin_cos();
    // To the right, upwards and towards the eye.
    let axes = if flat {
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    } else {
        [[cos, sin, 0.0], [-high * sin, high * cos, along], [along * sin, -along * cos, high]]
    };
    let seen = |point: [f64; 3]| axes.map(|axis| (0..3).map(|i| axis[i] * point[i]).sum::<f64>());
    let mut facets: Vec<Facet> = snapshot
        .body_polygons()
        .into_iter()
        .filter_map(|(row, corners)| {
            let corners: Vec<[f64; 3]> = corners.into_iter().map(seen).collect();
            let normal = normal(&corners)?;
            // Faces that look away are behind others of their body.
            if !flat && normal[2] <= 0.0 {
                return None;
            }
            let light = (0.35 * -normal[0] + 0.55 * normal[1] + 0.75 * normal[2]).clamp(0.0, 1.0);
            let own = PALETTE[snapshot.grains.id[row] as usize % PALETTE.len()].mixed(Colour::WHITE, 0.45);
            let colour = if flat { own } else { Colour::INK.mixed(own, 0.3 + 0.7 * light) };
            let depth = corners.iter().map(|corner| corner[2]).sum::<f64>() / corners.len() as f64;
            Some(Facet { spots: corners.iter().map(|corner| [corner[0], corner[1]]).collect(), depth, colour })
        })
        .collect();
    if facets.is_empty() {
        return Err(format!("{}: there are no angular grains", path.display()));
    }
    facets.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    let spots = || facets.iter().flat_map(|facet| &facet.spots);
    let bound = |axis: usize, pick: fn(f64, f64) -> f64, from: f64| spots().map(|spot| spot[axis]).fold(from, pick);
    let low = [0, 1].map(|axis| bound(axis, f64::min, f64::INFINITY));
    let high = [0, 1].map(|axis| bound(axis, f64::max, f64::NEG_INFINITY));
    let scale = (WIDTH - 2.0 * MARGIN) / (high[0] - low[0]);
    let mut drawing = Drawing::new(WIDTH, (high[1] - low[1]) * scale + 2.0 * MARGIN);
    for facet in &facets {
        let on_sheet = |spot: &[f64; 2]| [MARGIN + (spot[0] - low[0]) * scale, MARGIN + (high[1] - spot[1]) * scale];
        let paint = Paint { fill: Some(facet.colour), stroke: Some(Stroke::new(Colour::INK, 0.35)) };
        drawing.polygon(facet.spots.iter().map(on_sheet).collect(), paint);
    }
    Ok(drawing)
}

/// The unit normal of a plane polygon; none if it has no area.
fn normal(corners: &[[f64; 3]]) -> Option<[f64; 3]> {
    let from = *corners.first()?;
    let arm = |i: usize| std::array::from_fn::<f64, 3, _>(|k| corners[i][k] - from[k]);
    let mut sum = [0.0; 3];
    for i in 1..corners.len() - 1 {
        let (a, b) = (arm(i), arm(i + 1));
        for k in 0..3 {
            sum[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        }
    }
    let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 0.0).then(|| sum.map(|x| x / length))
}
