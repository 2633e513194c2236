//! Values with units: `"1.2 mm"`, `"2600 kg/m3"`, `"30 deg"`. A bare number is in SI units.

/// Exponents of metre, kilogram, second and radian. The angle has an exponent of its own, so that a friction of
/// `"30 deg"` is a fault.
type Exponents = [i8; 4];

/// A physical quantity that a key of the scene may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// With its article: "a length".
    pub name: &'static str,
    /// The SI unit, empty for a plain number.
    pub unit: &'static str,
    /// An example as it is written in a scene.
    pub example: &'static str,
    exponents: Exponents,
    /// A second way to count it: an angular velocity may leave out the radian.
    also: Option<Exponents>,
}

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident =
        $words:literal, $unit:literal, $example:literal, $exponents:expr, $also:expr;)*) => {
        $($(#[$doc])* pub const $name: Quantity =
            Quantity { name: $words, unit: $unit, example: $example, exponents: $exponents, also: $also };)*
        /// Every quantity that the format knows.
        pub const QUANTITIES: &[Quantity] = &[$($name),*];
    };
}

quantities! {
    /// No unit.
    PLAIN = "a plain number", "", "0.5", [0, 0, 0, 0], None;
    /// m
    LENGTH = "a length", "m", "\"1.2 mm\"", [1, 0, 0, 0], None;
    /// m²
    AREA = "an area", "m2", "\"4 cm2\"", [2, 0, 0, 0], None;
    /// kg
    MASS = "a mass", "kg", "\"2 kg\"", [0, 1, 0, 0], None;
    /// kg m²
    INERTIA = "a moment of inertia", "kg m2", "\"0.1 kg m2\"", [2, 1, 0, 0], None;
    /// s
    TIME = "a time", "s", "\"20 ms\"", [0, 0, 1, 0], None;
    /// rad
    ANGLE = "an angle", "rad", "\"30 deg\"", [0, 0, 0, 1], Some([0, 0, 0, 0]);
    /// m/s
    VELOCITY = "a velocity", "m/s", "\"5 mm/s\"", [1, 0, -1, 0], None;
    /// rad/s
    ANGULAR_VELOCITY = "an angular velocity", "rad/s", "\"10 rpm\"", [0, 0, -1, 1], Some([0, 0, -1, 0]);
    /// Hz
    FREQUENCY = "a frequency", "Hz", "\"50 Hz\"", [0, 0, -1, 0], None;
    /// kg/m³
    DENSITY = "a density", "kg/m3", "\"2600 kg/m3\"", [-3, 1, 0, 0], None;
    /// N
    FORCE = "a force", "N", "\"2 mN\"", [1, 1, -2, 0], None;
    /// N s
    IMPULSE = "an impulse", "N s", "\"0.2 N s\"", [1, 1, -1, 0], None;
    /// Pa
    PRESSURE = "a pressure", "Pa", "\"5 kPa\"", [-1, 1, -2, 0], None;
    /// kg/s
    DAMPING = "a damping", "kg/s", "\"2 g/s\"", [0, 1, -1, 0], None;
    /// kg/s
    MASS_RATE = "a mass flow rate", "kg/s", "\"0.2 kg/s\"", [0, 1, -1, 0], None;
    /// N m
    TORQUE = "a torque", "N m", "\"0.2 N m\"", [2, 1, -2, 0], None;
    /// J
    ENERGY = "an energy", "J", "\"2 mJ\"", [2, 1, -2, 0], None;
    /// N/m
    STIFFNESS = "a stiffness", "N/m", "\"2 kN/m\"", [0, 1, -2, 0], None;
    /// N/m
    SURFACE_TENSION = "a surface tension", "N/m", "\"72 mN/m\"", [0, 1, -2, 0], None;
    /// J/m²
    SURFACE_ENERGY = "a surface energy", "J/m2", "\"50 mJ/m2\"", [0, 1, -2, 0], None;
    /// m³
    VOLUME = "a volume", "m3", "\"2 mm3\"", [3, 0, 0, 0], None;
    /// m³/(N m), which is 1/Pa
    WEAR_RATE = "a wear rate", "1/Pa", "\"2e-5 mm3/N/m\"", [1, -1, 2, 0], None;
    /// m/s²
    ACCELERATION = "an acceleration", "m/s2", "\"9.81 m/s2\"", [1, 0, -2, 0], None;
}

/// In m/s².
const STANDARD_GRAVITY: f64 = 9.80665;

/// Why a text is not the quantity that was expected.
#[derive(Clone, Debug, PartialEq)]
pub enum UnitError {
    /// It does not start with a number.
    NotANumber,
    /// A unit that does not exist.
    UnknownUnit(String),
    /// Another quantity: its name, if it has one, and its unit as written.
    WrongQuantity(Option<&'static str>, String),
}

impl Quantity {
    /// The value of `text` in SI units.
    pub fn parse(&self, text: &str) -> Result<f64, UnitError> {
        let text = text.trim();
        let (number, unit) = split_number(text).ok_or(UnitError::NotANumber)?;
        // An acceleration in grams would make no sense: as its unit, `g` is standard gravity.
        if self.exponents == ACCELERATION.exponents && unit == "g" {
            return Ok(number * STANDARD_GRAVITY);
        }
        let (factor, exponents) = parse_unit(unit)?;
        // A text without a unit is a bare number, which is in SI units.
        if unit.is_empty() || exponents == self.exponents || Some(exponents) == self.also {
            Ok(number * factor)
        } else {
            let name = QUANTITIES.iter().find(|q| q.exponents == exponents).map(|q| q.name);
            Err(UnitError::WrongQuantity(name, unit.to_owned()))
        }
    }

    /// "a length such as "1.2 mm"".
    pub fn expectation(&self) -> String {
        format!("{} such as {}", self.name, self.example)
    }
}

/// The number at the start of a text, and the rest.
pub(crate) fn split_number(text: &str) -> Option<(f64, &str)> {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(&byte) = bytes.get(end) {
        let exponent_follows = || {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit)
        };
        let after_exponent = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
        match byte {
            b'0'..=b'9' | b'.' => end += 1,
            b'+' | b'-' if end == 0 || after_exponent => end += 1,
            b'e' | b'E' if end > 0 && !text[..end].contains(['e', 'E']) && exponent_follows() => end += 1,
            _ => break,
        }
    }
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then(|| (number, text[end..].trim()))
}

/// The factor to SI and the exponents of a product of units such as `kg/m3`, `N*m`, `m/s^2`, `m s⁻²`, `1/s`.
fn parse_unit(text: &str) -> Result<(f64, Exponents), UnitError> {
    let unknown = |part: &str| UnitError::UnknownUnit(part.to_owned());
    let mut total: (f64, Exponents) = (1.0, [0; 4]);
    let mut sign = 1;
    for part in text.replace('/', " / ").split([' ', '*', '·', '\u{a0}']).filter(|part| !part.is_empty()) {
        if part == "/" {
            sign = -1;
            continue;
        }
        let (name, power) = split_power(part).ok_or_else(|| unknown(part))?;
        let (factor, exponents) = base_unit(name).ok_or_else(|| unknown(part))?;
        let power = power * sign;
        total.0 *=
            if power < 0 { 1.0 / libm::pow(factor, -f64::from(power)) } else { libm::pow(factor, f64::from(power)) };
        for (sum, exponent) in total.1.iter_mut().zip(exponents) {
            let more = i8::try_from(i32::from(exponent) * power).map_err(|_| unknown(part))?;
            *sum = sum.checked_add(more).ok_or_else(|| unknown(part))?;
        }
        sign = 1;
    }
    if sign == -1 { Err(unknown(text)) } else { Ok(total) }
}

/// `m2`, `m^2`, `m²`, `s^-1`, `s⁻¹` as name and power.
fn split_power(part: &str) -> Option<(&str, i32)> {
    if part == "1" {
        return Some((part, 1));
    }
    let end = part.find(|c: char| c.is_ascii_digit() || "^-+⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c)).unwrap_or(part.len());
    let power: String = part[end..]
        .chars()
        .filter(|&c| c != '^')
        .map(|c| match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|s| s == c) {
            Some(digit) => char::from(b'0' + digit as u8),
            None if c == '⁻' => '-',
            None => c,
        })
        .collect();
    let power = if end == part.len() { 1 } else { power.parse().ok().filter(|p: &i32| p.abs() <= 9)? };
    Some((&part[..end], power))
}

/// The names of all units, for the reference.
pub const UNITS: &[(&str, &str)] = &[
    ("length", "m km cm mm um µm nm"),
    ("mass", "kg g mg ug t"),
    ("time", "s ms us µs ns min h"),
    ("angle", "rad mrad deg ° turn"),
    ("angular velocity, frequency", "rpm Hz kHz"),
    ("force", "N kN MN mN uN nN"),
    ("pressure", "Pa hPa kPa MPa GPa bar"),
    ("acceleration", "g"),
    ("energy", "J kJ mJ uJ nJ"),
    ("plain", "1 %"),
];

fn base_unit(name: &str) -> Option<(f64, Exponents)> {
    use std::f64::consts::{PI, TAU};
    const M: Exponents = [1, 0, 0, 0];
    const KG: Exponents = [0, 1, 0, 0];
    const S: Exponents = [0, 0, 1, 0];
    const RAD: Exponents = [0, 0, 0, 1];
    const HZ: Exponents = [0, 0, -1, 0];
    const N: Exponents = [1, 1, -2, 0];
    const PA: Exponents = [-1, 1, -2, 0];
    const J: Exponents = [2, 1, -2, 0];
    Some(match name {
        "1" => (1.0, [0; 4]),
        "%" => (0.01, [0; 4]),
        "m" => (1.0, M),
        "km" => (1e3, M),
        "cm" => (1e-2, M),
        "mm" => (1e-3, M),
        "um" | "µm" | "μm" => (1e-6, M),
        "nm" => (1e-9, M),
        "kg" => (1.0, KG),
        "g" => (1e-3, KG),
        "mg" => (1e-6, KG),
        "ug" => (1e-9, KG),
        "t" => (1e3, KG),
        "s" => (1.0, S),
        "ms" => (1e-3, S),
        "us" | "µs" | "μs" => (1e-6, S),
        "ns" => (1e-9, S),
        "min" => (60.0, S),
        "h" => (3600.0, S),
        "rad" => (1.0, RAD),
        "mrad" => (1e-3, RAD),
        "deg" | "°" => (PI / 180.0, RAD),
        "turn" => (TAU, RAD),
        "rpm" => (TAU / 60.0, [0, 0, -1, 1]),
        "Hz" => (1.0, HZ),
        "kHz" => (1e3, HZ),
        "N" => (1.0, N),
        "kN" => (1e3, N),
        "MN" => (1e6, N),
        "mN" => (1e-3, N),
        "uN" => (1e-6, N),
        "nN" => (1e-9, N),
        "Pa" => (1.0, PA),
        "hPa" => (1e2, PA),
        "kPa" => (1e3, PA),
        "MPa" => (1e6, PA),
        "GPa" => (1e9, PA),
        "bar" => (1e5, PA),
        "J" => (1.0, J),
        "kJ" => (1e3, J),
        "mJ" => (1e-3, J),
        "uJ" => (1e-6, J),
        "nJ" => (1e-9, J),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_units_are_converted_to_si() {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-15 * b.abs();
        for (quantity, text, value) in [
            (LENGTH, "1.2 mm", 1.2e-3),
            (LENGTH, "1.2mm", 1.2e-3),
            (LENGTH, "-3e-2", -3e-2),
            (DENSITY, "2600 kg/m3", 2600.0),
            (DENSITY, "2.6 g/cm³", 2600.0),
            (ANGLE, "30 deg", std::f64::consts::PI / 6.0),
            (PRESSURE, "5 kPa", 5000.0),
            (PRESSURE, "5 kN/m^2", 5000.0),
            (ACCELERATION, "9.81 m/s^2", 9.81),
            (ACCELERATION, "9.81 m s⁻²", 9.81),
            (ACCELERATION, "0.5 g", 4.903325),
            (TORQUE, "3 N*m", 3.0),
            (TORQUE, "3 N m", 3.0),
            (ANGULAR_VELOCITY, "60 rpm", std::f64::consts::TAU),
            (ANGULAR_VELOCITY, "180 deg/s", std::f64::consts::PI),
            (ANGULAR_VELOCITY, "2 1/s", 2.0),
            (FREQUENCY, "2 kHz", 2000.0),
            (VELOCITY, "1 mm/ms", 1.0),
            (TIME, "1.5 min", 90.0),
            (PLAIN, "50 %", 0.5),
            (MASS, "1e3g", 1.0),
        ] {
            let parsed = quantity.parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert!(close(parsed, value), "{text} is {parsed}, not {value}");
        }
    }

    #[test]
    fn wrong_units_say_what_they_are() {
        assert_eq!(LENGTH.parse("2 kg"), Err(UnitError::WrongQuantity(Some("a mass"), "kg".into())));
        assert_eq!(PLAIN.parse("30 deg"), Err(UnitError::WrongQuantity(Some("an angle"), "deg".into())));
        assert_eq!(LENGTH.parse("2 mmm"), Err(UnitError::UnknownUnit("mmm".into())));
        assert_eq!(LENGTH.parse("about 2 mm"), Err(UnitError::NotANumber));
        assert_eq!(LENGTH.parse("2 m/"), Err(UnitError::UnknownUnit("m/".into())));
        assert_eq!(LENGTH.parse("1e999 m"), Err(UnitError::NotANumber));
        assert!(LENGTH.parse("2 m99999999999").is_err());
    }

    #[test]
    fn every_example_is_its_own_quantity() {
        for quantity in QUANTITIES {
            let text = quantity.example.trim_matches('"');
            assert!(quantity.parse(text).is_ok(), "{text}");
        }
        for (_, names) in UNITS {
            assert!(names.split(' ').all(|name| base_unit(name).is_some()));
        }
    }
}
