//! The page of the viewer, tested in a real browser.

use crate::cargo::{Outcome, call, is_installed};
use crate::environment;

/// Where the environment with the driver of the browser is.
const ENVIRONMENT: &str = "target/page";
/// What drives the browser, and what runs the tests.
const PACKAGES: [&str; 2] = ["playwright>=1.50,<2", "pytest>=8"];

/// Tests the page in Chromium; says so where that, or Python, is missing.
pub fn check() -> Outcome {
    if !has_browser() {
        println!("== there is no Chromium (Debian: apt-get install chromium): the page of the viewer is not tested");
        return Ok(());
    }
    let Some(python) = environment::python(ENVIRONMENT, &PACKAGES)? else {
        println!("== there is no Python: the page of the viewer is not tested");
        return Ok(());
    };
    call("cargo", &["build", "--locked", "--release", "--package", "riprap-cli"])?;
    call(&python, &["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "crates/view/tests/page"])
}

/// True if there is a browser. The hosted check installs Debian's where there is none.
fn has_browser() -> bool {
    let is_there = || ["chromium", "chromium-browser"].iter().any(|name| is_installed(name, &["--version"]));
    if !is_there() && std::env::var_os("CI").is_some() && is_installed("apt-get", &["--version"]) {
        let installed = call("apt-get", &["update", "--quiet", "--quiet"])
            .and_then(|()| call("apt-get", &["install", "--yes", "--quiet", "--quiet", "chromium"]));
        if let Err(message) = installed {
            println!("== {message}");
        }
    }
    is_there()
}
