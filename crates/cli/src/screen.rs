//! What goes to the screen. Nobody has to read on: a pipe that was closed (`riprap check … | head`) ends no run.

use std::fmt::Display;
use std::io::{Write, stderr, stdout};

/// A line of output.
pub fn say(text: impl Display) {
    let _ = writeln!(stdout(), "{text}");
}

/// A line of news, a warning or an error.
pub fn tell(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}
