//! The viewer: a page in the browser for runs on disk, or for the run that is under way.

use crate::arguments::ViewChoices;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::screen::{say, tell};
use riprap_run::{RunError, Simulation, Until};
use riprap_store::{Snapshot, write_atomically};
use riprap_view::{Live, Server, Site};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often the program looks whether it is to end.
const GLANCE: Duration = Duration::from_millis(100);

/// Shows runs until Ctrl-C, or writes a page that shows the first of them.
pub fn view(paths: &[PathBuf], export: Option<&Path>, frames: usize, choices: &ViewChoices) -> Result<Exit, Failure> {
    let mut site = Site::default();
    for path in paths {
        site.add(path)?;
    }
    if let Some(file) = export {
        return export_page(&site, file, frames);
    }
    interrupt::listen()?;
    let _server = open(site, choices)?;
    while !interrupt::asked() {
        std::thread::sleep(GLANCE);
    }
    Ok(Exit::Done)
}

fn export_page(site: &Site, file: &Path, frames: usize) -> Result<Exit, Failure> {
    let arrays = ["speed", "pressure", "coordination", "displacement", "material"];
    let exported = riprap_view::exported(site, frames, &arrays);
    let (page, skipped) = exported.map_err(|reason| Failure::new(Exit::Unreadable, reason))?;
    for reason in skipped {
        tell(format_args!("warning: skipped: {reason}"));
    }
    write_atomically(file, |out| out.write_all(page.as_bytes()))
        .map_err(|error| Failure::new(Exit::Unwritable, error.to_string()))?;
    say(format_args!("wrote {} ({:.1} MB)", file.display(), page.len() as f64 / 1e6));
    Ok(Exit::Done)
}

/// Runs all stages of a simulation while a page shows it.
pub fn watched(simulation: &mut Simulation, choices: &ViewChoices) -> Result<(), Failure> {
    let live = Live::new(simulation.interrupt());
    let mut site = Site::default();
    if let Some(folder) = simulation.folder() {
        site.add_live(folder.clone(), live.clone());
    }
    let _server = open(site, choices)?;
    let outcome: Result<_, RunError> = simulation.run_while(Until::End, |simulation, _| {
        live.after_step(|| Snapshot::of(simulation.world()), || simulation.progress());
        true
    });
    live.end(Snapshot::of(simulation.world()));
    outcome?;
    Ok(())
}

/// Opens the server, says where it is, and opens a browser if there is one.
fn open(site: Site, choices: &ViewChoices) -> Result<Server, Failure> {
    let bind = std::net::SocketAddr::new(choices.bind, choices.port);
    let server = Server::open(site, bind)
        .map_err(|error| Failure::new(Exit::RunFailed, format!("cannot serve at {bind}: {error}")))?;
    let port = server.address().port();
    tell(format_args!("view: {}", server.url()));
    if !server.address().ip().is_loopback() {
        tell("warning: other machines can reach this page; anyone with the address can see the runs");
    }
    if choices.no_open || !has_browser() || open::that_detached(server.url()).is_err() {
        tell(format_args!(
            "from another machine: ssh -L {port}:127.0.0.1:{port} HOST, then open the same address there"
        ));
    }
    Ok(server)
}

/// True if there is a desktop on which a browser can open.
fn has_browser() -> bool {
    !cfg!(target_os = "linux") || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}
