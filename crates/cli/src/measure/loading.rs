//! The curves of a loading test, from `loading.csv` of a run: stresses and strains of the box or cell that holds the grains.

use super::history::read;
use riprap_measure::Unavailable;
use riprap_measure::plot::{Axis, Chart, Curve, Drawing, Style};
use riprap_measure::report::{Measured, Number, Table, Value};
use riprap_run::TimeSeries;
use std::path::Path;

/// Strains, stresses and the criteria of a quasi-static test. Strains count from the end of the first stage, which prepares
/// the sample, if there are several, and are positive in compression.
pub fn loading(run: &Path) -> Result<Measured, Unavailable> {
    let path = run.join("loading.csv");
    if !path.is_file() {
        return Err(Unavailable::Because(
            "there is no loading.csv: the grains are not bounded by planes or periods along every axis".into(),
        ));
    }
    let series = read(&path)?;
    let path = LoadPath::of(&series)?;
    let (first, last) = (&path.rows[0], &path.rows[path.rows.len() - 1]);
    let points = path.windows();
    let late = &points[points.len() - points.len().div_ceil(3)..];
    let mean = |of: &dyn Fn(&PathRow) -> f64| {
        let values: Vec<f64> = path.rows.iter().map(of).filter(|value| value.is_finite()).collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    };
    let peak = peak(&points);
    let at_peak = |of: &dyn Fn(&Point) -> Option<f64>| {
        let number = peak.and_then(|place| of(&points[place])).map(Number::from);
        number.ok_or_else(|| Unavailable::Because("no part of the test has a pressure that lasts".into()))
    };
    let ratio = |place: usize| Number::from([points[place].ratio(), points[place].ratio_error]);
    let no_peak = || Unavailable::Because("no part of the test has a pressure that lasts".into());
    let late_ratio = late.iter().map(Point::ratio).sum::<f64>() / late.len() as f64;
    let numbers = [
        ("axial_strain", "", Ok((last.axial - first.axial).into())),
        ("shear_strain", "", Ok(last.shear.into())),
        ("volumetric_strain", "", Ok(last.volumetric.into())),
        ("pressure", "Pa", Ok(points[points.len() - 1].pressure().into())),
        ("deviator", "Pa", Ok(points[points.len() - 1].deviator().into())),
        ("peak_stress_ratio", "", peak.map(ratio).ok_or_else(no_peak)),
        ("late_stress_ratio", "", Ok(late_ratio.into())),
        ("peak_friction_angle", "°", at_peak(&|point| Some(point.friction_angle().to_degrees()))),
        (
            "late_friction_angle",
            "°",
            Ok((late.iter().map(Point::friction_angle).sum::<f64>() / late.len() as f64).to_degrees().into()),
        ),
        (
            "peak_dilatancy_angle",
            "°",
            at_peak(&|_| peak.and_then(|place| path.dilatancy_angle(&points, place)).map(f64::to_degrees)),
        ),
        ("void_ratio", "", Ok(last.void_ratio.into())),
        ("mean_inertial_number", "", Ok(mean(&|row| row.inertial_number).into())),
        ("mean_unbalanced_force", "", Ok(mean(&|row| row.unbalanced_force).into())),
        ("windows", "", Ok((points.len() as f64).into())),
    ];
    let values = numbers.map(|(name, unit, number)| Value { name, unit, number });
    let table = path.table(&points);
    Ok(Measured { values: values.into(), tables: vec![table], plots: path.plots(&points) })
}

/// The number of windows over which curves are averaged: few enough that each holds many steps, and many enough to draw.
const WINDOWS: usize = 50;
/// A window with less than this part of the largest pressure is not sheared under a pressure: its ratio is noise.
const LEAST_PRESSURE: f64 = 0.05;
/// The windows on either side of the peak over which the dilatancy is taken.
const BESIDE: usize = 3;

/// A test row by row, from the end of its preparation on.
struct LoadPath {
    rows: Vec<PathRow>,
    dimension: usize,
    /// True if the sample is sheared more than it is shortened.
    is_shear: bool,
}

#[derive(Clone, Default)]
struct PathRow {
    time: f64,
    axial: f64,
    shear: f64,
    volumetric: f64,
    stress: [f64; 3],
    shear_stress: f64,
    void_ratio: f64,
    inertial_number: f64,
    unbalanced_force: f64,
}

/// The mean of all rows in a window.
struct Point {
    mean: PathRow,
    dimension: usize,
    rows: usize,
    /// The standard error of the ratio of stresses, from its scatter among the rows.
    ratio_error: f64,
}

impl PathRow {
    /// The principal stresses: all of them, the largest first. Shear is in the plane of the first and the last axis.
    fn principal(&self, dimension: usize) -> Vec<f64> {
        let last = dimension - 1;
        let (middle, half) = (0.5 * (self.stress[0] + self.stress[last]), 0.5 * (self.stress[0] - self.stress[last]));
        let radius = half.hypot(self.shear_stress);
        let mut values = vec![middle + radius, middle - radius];
        if dimension == 3 {
            values.push(self.stress[1]);
        }
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

    fn pressure(&self, dimension: usize) -> f64 {
        self.stress[..dimension].iter().sum::<f64>() / dimension as f64
    }

    /// Half the difference of the principal stresses in 2D, that of the largest and the smallest in 3D.
    fn deviator(&self, dimension: usize) -> f64 {
        let values = self.principal(dimension);
        let difference = values[0] - values[dimension - 1];
        if dimension == 2 { 0.5 * difference } else { difference }
    }
}

impl Point {
    fn pressure(&self) -> f64 {
        self.mean.pressure(self.dimension)
    }

    fn deviator(&self) -> f64 {
        self.mean.deviator(self.dimension)
    }

    fn ratio(&self) -> f64 {
        self.deviator() / self.pressure()
    }

    /// The mobilised friction angle: `sin φ = (σ₁ − σ₃)/(σ₁ + σ₃)`.
    fn friction_angle(&self) -> f64 {
        let values = self.mean.principal(self.dimension);
        let (most, least) = (values[0], values[self.dimension - 1]);
        ((most - least) / (most + least)).clamp(-1.0, 1.0).asin()
    }
}

/// The window with the largest ratio of stresses, among those under a pressure.
fn peak(points: &[Point]) -> Option<usize> {
    let most = points.iter().map(Point::pressure).fold(0.0, f64::max);
    let loaded = (0..points.len()).filter(|&place| points[place].pressure() > LEAST_PRESSURE * most);
    loaded.max_by(|&a, &b| points[a].ratio().total_cmp(&points[b].ratio()))
}

impl LoadPath {
    fn of(series: &TimeSeries) -> Result<LoadPath, Unavailable> {
        let names = series.names();
        let first = names.iter().take_while(|name| **name == names[0]).count();
        // The last row of the preparation is where the test begins; a run of one stage is all test.
        let begin = if first < names.len() { first.saturating_sub(1) } else { 0 };
        let column = |name: &str| series.column(name).get(begin..).unwrap_or(&[]).to_vec();
        let of_axes = |names: [&str; 3]| -> Vec<Vec<f64>> {
            names.map(column).into_iter().filter(|list| !list.is_empty()).collect()
        };
        let lengths = of_axes(["length_x_m", "length_y_m", "length_z_m"]);
        let stresses = of_axes(["stress_x_Pa", "stress_y_Pa", "stress_z_Pa"]);
        let (time, shear_rate) = (column("time_s"), column("shear_rate_1_s"));
        if time.len() < 2 || lengths.is_empty() {
            return Err(Unavailable::TooFew { what: "rows in loading.csv", found: time.len(), needed: 2 });
        }
        let strain = |axis: usize, row: usize| -(lengths[axis][row] / lengths[axis][0]).ln();
        let most = |axis: usize| (0..time.len()).map(|row| strain(axis, row).abs()).fold(0.0, f64::max);
        // The axis that is shortened most, the last of several.
        let shortened = |axis: usize| (0..time.len()).map(|row| strain(axis, row)).fold(0.0, f64::max);
        let axial =
            (0..lengths.len()).fold(0, |best, axis| if shortened(axis) >= shortened(best) { axis } else { best });
        let [shear_stress, void_ratio] = ["shear_stress_Pa", "void_ratio"].map(column);
        let [inertial_number, unbalanced_force] = ["inertial_number", "unbalanced_force"].map(column);
        let at = |list: &[f64], row: usize| list.get(row).copied().unwrap_or(f64::NAN);
        let mut shear = 0.0;
        let rows: Vec<PathRow> = (0..time.len())
            .map(|row| {
                if row > 0 {
                    shear += 0.5 * (at(&shear_rate, row - 1) + at(&shear_rate, row)) * (time[row] - time[row - 1]);
                }
                PathRow {
                    time: time[row],
                    axial: strain(axial, row),
                    shear,
                    volumetric: (0..lengths.len()).map(|axis| strain(axis, row)).sum(),
                    stress: std::array::from_fn(|axis| stresses.get(axis).map_or(0.0, |list| at(list, row))),
                    shear_stress: at(&shear_stress, row),
                    void_ratio: at(&void_ratio, row),
                    inertial_number: at(&inertial_number, row),
                    unbalanced_force: at(&unbalanced_force, row),
                }
            })
            .collect();
        let is_shear = rows.iter().map(|row| row.shear.abs()).fold(0.0, f64::max) > most(axial);
        Ok(LoadPath { rows, dimension: lengths.len(), is_shear })
    }

    fn strain(&self, row: &PathRow) -> f64 {
        if self.is_shear { row.shear } else { row.axial }
    }

    /// Means over windows of equal strain, counted along the way where it goes back and forth. Where nothing is strained by
    /// more than rounding, windows are of equal time.
    fn windows(&self) -> Vec<Point> {
        let steps = self.rows.windows(2).map(|pair| (self.strain(&pair[1]) - self.strain(&pair[0])).abs());
        let mut way: Vec<f64> = std::iter::once(0.0).chain(steps).collect();
        for row in 1..way.len() {
            way[row] += way[row - 1];
        }
        if way[way.len() - 1] < 1e-9 {
            way = self.rows.iter().map(|row| row.time - self.rows[0].time).collect();
        }
        let width = way[way.len() - 1] / WINDOWS as f64;
        let mut windows: Vec<Vec<&PathRow>> = vec![Vec::new(); WINDOWS];
        for (row, way) in self.rows.iter().zip(&way) {
            windows[((way / width) as usize).min(WINDOWS - 1)].push(row);
        }
        windows.iter().filter(|rows| !rows.is_empty()).map(|rows| self.point(rows)).collect()
    }

    fn point(&self, rows: &[&PathRow]) -> Point {
        let mean = |of: &dyn Fn(&PathRow) -> f64| rows.iter().map(|row| of(row)).sum::<f64>() / rows.len() as f64;
        let means = PathRow {
            time: mean(&|row| row.time),
            axial: mean(&|row| row.axial),
            shear: mean(&|row| row.shear),
            volumetric: mean(&|row| row.volumetric),
            stress: std::array::from_fn(|axis| mean(&|row| row.stress[axis])),
            shear_stress: mean(&|row| row.shear_stress),
            void_ratio: mean(&|row| row.void_ratio),
            inertial_number: mean(&|row| row.inertial_number),
            unbalanced_force: mean(&|row| row.unbalanced_force),
        };
        let mut point = Point { mean: means, dimension: self.dimension, rows: rows.len(), ratio_error: 0.0 };
        if rows.len() > 1 {
            // Deviators of single rows over the mean pressure: single pressures may be zero.
            let ratios = rows.iter().map(|row| row.deviator(self.dimension) / point.pressure());
            let count = rows.len() as f64;
            let (sum, squares) =
                ratios.fold((0.0, 0.0), |(sum, squares), ratio| (sum + ratio, squares + ratio * ratio));
            let variance = (squares - sum * sum / count) / (count - 1.0);
            point.ratio_error = (variance.max(0.0) / count).sqrt();
        }
        point
    }

    /// The angle of dilatancy around a window: `sin ψ = -r/(2 - r)` with `r = dε_v/dε_a` of compression, `tan ψ = -dε_v/dγ` of
    /// shear.
    fn dilatancy_angle(&self, points: &[Point], place: usize) -> Option<f64> {
        let beside = &points[place.saturating_sub(BESIDE)..(place + BESIDE + 1).min(points.len())];
        let count = beside.len() as f64;
        let x = |point: &Point| self.strain(&point.mean);
        let (mx, my) = beside
            .iter()
            .fold((0.0, 0.0), |(mx, my), point| (mx + x(point) / count, my + point.mean.volumetric / count));
        let (sxx, sxy) = beside.iter().fold((0.0, 0.0), |(sxx, sxy), point| {
            let dx = x(point) - mx;
            (sxx + dx * dx, sxy + dx * (point.mean.volumetric - my))
        });
        let slope = (sxx > 0.0).then(|| sxy / sxx)?;
        Some(if self.is_shear { (-slope).atan() } else { (-slope / (2.0 - slope)).clamp(-1.0, 1.0).asin() })
    }

    /// The curve, a row per window.
    fn table(&self, points: &[Point]) -> Table {
        let columns = vec![
            "time_s",
            "axial_strain",
            "shear_strain",
            "volumetric_strain",
            "pressure_Pa",
            "deviator_Pa",
            "stress_ratio",
            "stress_ratio_error",
            "friction_angle_rad",
            "dilatancy_angle_rad",
            "void_ratio",
            "rows",
        ];
        let row = |(place, point): (usize, &Point)| {
            let mean = &point.mean;
            vec![
                mean.time,
                mean.axial,
                mean.shear,
                mean.volumetric,
                point.pressure(),
                point.deviator(),
                point.ratio(),
                point.ratio_error,
                point.friction_angle(),
                self.dilatancy_angle(points, place).unwrap_or(f64::NAN),
                mean.void_ratio,
                point.rows as f64,
            ]
        };
        Table { name: "path", columns, rows: points.iter().enumerate().map(row).collect() }
    }

    fn plots(&self, points: &[Point]) -> Vec<(String, Drawing)> {
        let axis = || Axis::linear(if self.is_shear { "shear strain" } else { "axial strain" });
        let strain = |point: &Point| self.strain(&point.mean);
        let curve = |x: &dyn Fn(&Point) -> f64, y: &dyn Fn(&Point) -> f64| {
            let points = points.iter().map(|point| [x(point), y(point)]);
            Curve::new(Style::Line, points.filter(|point| point.iter().all(|value| value.is_finite())).collect())
        };
        let pascals = Axis::linear;
        let charts = [
            (
                "loading_stress",
                Chart::new("Stress and strain", axis(), pascals("stress (Pa)"))
                    .with(curve(&strain, &Point::deviator).named("q"))
                    .with(curve(&strain, &Point::pressure).named("p")),
            ),
            (
                "loading_stress_ratio",
                Chart::new("Mobilised friction", axis(), Axis::linear("q/p")).with(curve(&strain, &Point::ratio)),
            ),
            (
                "loading_volume",
                Chart::new("Volume", axis(), Axis::linear("volumetric strain (compression positive)"))
                    .with(curve(&strain, &|point| point.mean.volumetric)),
            ),
            (
                "loading_path",
                Chart::new("Stress path", pascals("p (Pa)"), pascals("q (Pa)"))
                    .with(curve(&Point::pressure, &Point::deviator)),
            ),
            (
                "loading_compression",
                Chart::new("Compression", Axis::log("p (Pa)"), Axis::linear("void ratio"))
                    .with(curve(&Point::pressure, &|point| point.mean.void_ratio)),
            ),
            (
                "loading_criteria",
                Chart::new("Is it quasi-static?", Axis::linear("time (s)"), Axis::log("number"))
                    .with(curve(&|point| point.mean.time, &|point| point.mean.inertial_number).named("inertial number"))
                    .with(
                        curve(&|point| point.mean.time, &|point| point.mean.unbalanced_force).named("unbalanced force"),
                    ),
            ),
        ];
        charts.map(|(name, chart)| (name.to_owned(), chart.draw())).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A biaxial test that is known in all points: the stress ratio rises to 0.5 and falls to 0.3, the sample dilates at a
    /// constant rate, and every row has noise of ten times what a peak is above the rest.
    fn test(noise: f64) -> LoadPath {
        let rows = (0..5000).map(|number| {
            let axial = 0.2 * f64::from(number) / 5000.0;
            let ratio = if axial < 0.05 { 10.0 * axial } else { 0.3 + 0.2 * (-(axial - 0.05) / 0.02).exp() };
            let wobble = if number % 2 == 0 { noise } else { -noise };
            let pressure = 1e4 * (1.0 + wobble);
            PathRow {
                time: axial,
                axial,
                volumetric: -0.25 * axial,
                stress: [pressure - 1e4 * ratio, pressure + 1e4 * ratio, 0.0],
                ..PathRow::default()
            }
        });
        LoadPath { rows: rows.collect(), dimension: 2, is_shear: false }
    }

    #[test]
    fn peak_friction_and_dilatancy_are_those_of_a_known_test_whatever_the_noise() {
        for noise in [0.0, 0.9] {
            let path = test(noise);
            let points = path.windows();
            assert_eq!(points.len(), WINDOWS);
            let peak = peak(&points).unwrap();
            // Over a window of 0.004 the peak loses less than a tenth of 0.2.
            assert!((points[peak].ratio() - 0.5).abs() < 0.02, "{noise}: {}", points[peak].ratio());
            assert!((points[peak].mean.axial - 0.05).abs() < 0.005);
            assert!((points[peak].friction_angle().sin() - points[peak].ratio()).abs() < 1e-9);
            assert!((points[WINDOWS - 1].ratio() - 0.3).abs() < 1e-3);
            // sin ψ = 0.25/2.25.
            assert!((path.dilatancy_angle(&points, peak).unwrap().sin() - 0.25 / 2.25).abs() < 1e-9);
        }
    }

    #[test]
    fn rows_almost_without_pressure_make_no_peak() {
        let mut path = test(0.0);
        // Before it is loaded, a sample has ratios of any size.
        for row in &mut path.rows[..400] {
            row.stress = [0.0, 20.0, 0.0];
        }
        let points = path.windows();
        assert!((points[peak(&points).unwrap()].ratio() - 0.5).abs() < 0.02);
    }

    #[test]
    fn in_space_the_friction_angle_is_of_the_largest_and_the_smallest_stress() {
        let row = PathRow { stress: [100.0, 110.0, 300.0], ..PathRow::default() };
        let point = LoadPath { rows: Vec::new(), dimension: 3, is_shear: false }.point(&[&row]);
        assert!((point.friction_angle().sin() - 0.5).abs() < 1e-12 && (point.deviator() - 200.0).abs() < 1e-9);
        let sheared = PathRow { stress: [100.0, 100.0, 100.0], shear_stress: 40.0, ..PathRow::default() };
        assert_eq!(sheared.principal(3), [140.0, 100.0, 60.0]);
    }
}
