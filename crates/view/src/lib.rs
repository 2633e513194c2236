//! The viewer: runs in the browser, live or from disk.
//!
//! A [`Site`] is the content to be shown, a [`Server`] serves it on this machine to anyone who has the address, and
//! [`exported`] is the page of a run as a single file. [`Live`] connects a running simulation to its page.
//!
//! ```no_run
//! use riprap_view::{Server, Site};
//!
//! let mut site = Site::default();
//! site.add("runs/heap".as_ref())?;
//! let server = Server::open(site, ([127, 0, 0, 1], 0).into())?;
//! println!("{}", server.url());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The page is plain WebGL2 and ES modules (folder `page`), embedded in the program. Requests are answered on their own
//! threads, and read only what is on disk, or the frame that a run provides between two steps.

mod arrays;
mod camera;
mod frame;
mod http;
mod live;
mod look;
mod movie;
mod page;
mod render;
mod server;
mod site;

pub use arrays::{Array, Frames, Scale};
pub use camera::Camera;
pub use live::Live;
pub use look::{Colours, ContactColour, Contacts, Look, Range};
pub use movie::{Movie, MovieFormat};
pub use render::{Image, Settings, render};
pub use server::{Door, Server};
pub use site::Site;

/// The page of the first run of a site as one HTML file, with at most this many of its frames and these arrays; and why
/// frames were left out that cannot be shown.
pub fn exported(site: &Site, most_frames: usize, arrays: &[&str]) -> Result<(String, Vec<String>), String> {
    let (files, skipped) = site.everything(most_frames, arrays)?;
    Ok((page::alone(&files), skipped))
}
