//! Numbers, durations and dates as people read them.

use std::time::{SystemTime, UNIX_EPOCH};

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

/// So many things, in the right number: "1 wall", "2 walls".
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A date and time in UTC, as ISO 8601 writes it.
pub fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut day, second) = (seconds / 86400, seconds % 86400);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year}-{:02}-{:02} {hour:02}:{minute:02}:{:02} UTC", month + 1, day + 1, second % 60)
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
    fn dates_are_those_of_the_calendar() {
        let date = |seconds| utc(UNIX_EPOCH + std::time::Duration::from_secs(seconds));
        assert_eq!(date(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(date(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(date(1_767_225_600), "2026-01-01 00:00:00 UTC");
        assert_eq!([counted(1, "wall"), counted(0, "wall")], ["1 wall", "0 walls"]);
    }

    #[test]
    fn numbers_and_durations_read_well() {
        assert_eq!([0.5, 12.3456, 1234.5, 4.2e7].map(three_digits), ["0.500", "12.3", "1234", "4.20e7"]);
        assert_eq!(
            [1.26, 42.0, 75.0, 7260.0, 90000.0].map(duration),
            ["1.3 s", "42 s", "1 min 15 s", "2 h 01 min", "1 d 01 h"]
        );
    }
}
