//! Numbers and durations as people read them.

/// A duration as people write it.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 if seconds < 10.0 => format!("{seconds:.1} s"),
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3600..86400 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} d {:02} h", whole / 86400, whole % 86400 / 3600),
    }
}

/// A positive number with three digits that matter.
pub fn three_digits(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if !(1e-2..1e6).contains(&value.abs()) {
        format!("{value:.2e}")
    } else {
        let decimals = (2 - value.abs().log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_durations_read_well() {
        assert_eq!([0.5, 12.3456, 1234.5, 4.2e7].map(three_digits), ["0.500", "12.3", "1234", "4.20e7"]);
        assert_eq!(
            [1.26, 42.0, 75.0, 7260.0, 90000.0].map(duration),
            ["1.3 s", "42 s", "1 min 15 s", "2 h 01 min", "1 d 01 h"]
        );
    }
}
