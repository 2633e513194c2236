//! riprap, a simulator of granular matter: the program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(riprap_cli::main(std::env::args_os()))
}
