//! The command `new`: a scene to start from.

use crate::failure::{Exit, Failure};
use crate::screen::say;
use riprap::templates::{self, TEMPLATES};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Writes a template, or lists them all.
pub fn new(template: Option<&str>, file: Option<PathBuf>) -> Result<(), Failure> {
    let Some(name) = template else {
        say(format_args!("Templates:"));
        for template in TEMPLATES {
            say(format_args!("  {:<22}{}", template.name, template.about));
        }
        say(format_args!("\nCreate one with: riprap new NAME"));
        return Ok(());
    };
    let template = templates::find(name).ok_or_else(|| {
        let names: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        Failure::new(Exit::BadInput, format!("unknown template \"{name}\"; available: {}", names.join(", ")))
    })?;
    let path = file.unwrap_or_else(|| format!("{name}.toml").into());
    let mut out = OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::new(Exit::BadInput, format!("{} already exists; choose another file name", path.display()))
        }
        _ => Failure::writing(&path, error),
    })?;
    out.write_all(template.text.as_bytes()).map_err(|error| Failure::writing(&path, error))?;
    say(format_args!("wrote {}; run it with: riprap run {0}", path.display()));
    Ok(())
}
