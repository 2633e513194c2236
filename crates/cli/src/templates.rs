//! The command `new`: a scene to start from.

use crate::failure::{Exit, Failure};
use crate::screen::say;
use riprap::templates::{self, TEMPLATES};
use riprap_scene::suggestion;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A scene file that is not there, with what was probably meant: a scene nearby, or a template.
pub fn find_scene(file: &Path) -> Result<(), Failure> {
    if file.exists() {
        return Ok(());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_scene = |name: &String| name.ends_with(".toml");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut scenes: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_scene).collect();
    scenes.sort();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.trim_end_matches(".toml");
    let mut message = format!("there is no file {}", file.display());
    let help = suggestion(&name, scenes.iter().map(String::as_str));
    if scenes.iter().any(|scene| *scene == format!("{stem}.toml")) {
        message += &format!("; did you mean {}?", file.with_file_name(format!("{stem}.toml")).display());
    } else if templates::find(stem).is_some() {
        message += &format!("; `riprap new {stem}` creates a scene of that name");
    } else if help.starts_with("did you mean") {
        message += &format!("; {help}");
    }
    Err(Failure::new(Exit::Unreadable, message))
}

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
        let help = suggestion(name, TEMPLATES.iter().map(|template| template.name));
        Failure::new(Exit::BadInput, format!("unknown template \"{name}\"; {help}"))
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
