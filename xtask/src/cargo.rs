//! Other programs, called with their command shown.

use std::process::{Command, Stdio};

/// Nothing, or why it went wrong.
pub type Outcome = Result<(), String>;

/// Calls a program with what it prints shown; an error if it fails.
pub fn call(program: &str, arguments: &[&str]) -> Outcome {
    call_with(program, arguments, &[])
}

/// The same, with variables of the environment.
pub fn call_with(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let shown = format!("{program} {}", arguments.join(" "));
    println!("== {shown}");
    let status = Command::new(program).args(arguments).envs(environment.iter().copied()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{shown} failed")),
        Err(error) => Err(format!("{shown}: {error}")),
    }
}

/// What a program prints; an error if it fails.
pub fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let shown = format!("{program} {}", arguments.join(" "));
    let done = Command::new(program).args(arguments).stderr(Stdio::inherit()).output();
    let done = done.map_err(|error| format!("{shown}: {error}"))?;
    if done.status.success() {
        String::from_utf8(done.stdout).map_err(|error| format!("{shown}: {error}"))
    } else {
        Err(format!("{shown} failed"))
    }
}

/// True if a program is installed: it can say its version.
pub fn is_installed(program: &str, arguments: &[&str]) -> bool {
    let quiet = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}
