//! How a command ends when it does not end well.

use riprap_run::RunError;
use riprap_scene::Faults;
use std::fmt;
use std::io::IsTerminal;
use std::path::Path;

/// Exit codes, as the help of the program and `docs/command.md` list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All done.
    Done = 0,
    /// The simulation could not go on.
    RunFailed = 1,
    /// The command line or the scene is wrong.
    BadInput = 2,
    /// A file is missing, unreadable or damaged.
    Unreadable = 3,
    /// Something could not be written.
    Unwritable = 4,
    /// Something that was asked for could not be measured or drawn; the rest was.
    Incomplete = 5,
    /// A published result was not reproduced, or a state is not the pinned one.
    Differs = 6,
    /// The time that was given is up, and everything is written: the same command goes on (EX_TEMPFAIL).
    Again = 75,
    /// Ended by Ctrl-C or a signal, with everything written.
    Interrupted = 130,
}

/// A message for the user, and the exit code that goes with it.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What happened, where, and what to do.
    pub message: String,
    /// True if the message is laid out already, with its own headline.
    is_rendered: bool,
}

impl Failure {
    /// A failure of any kind.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, message: message.into(), is_rendered: false }
    }

    /// A failure of several ranks, of which another tells it, and ends with its code.
    pub fn silent() -> Self {
        Failure::new(Exit::Done, "")
    }

    /// A failure whose message has its own headline, as the faults of a scene have.
    pub fn rendered(exit: Exit, message: String) -> Self {
        Failure { exit, message, is_rendered: true }
    }

    /// The message as it is printed.
    pub fn for_screen(&self) -> String {
        if self.is_rendered { self.message.clone() } else { format!("error: {}", self.message) }
    }

    /// `path` could not be read.
    pub fn reading(path: &Path, error: impl fmt::Display) -> Self {
        Failure::new(Exit::Unreadable, format!("cannot read {}: {error}", path.display()))
    }

    /// `path` could not be written.
    pub fn writing(path: &Path, error: impl fmt::Display) -> Self {
        Failure::new(Exit::Unwritable, format!("cannot write {}: {error}", path.display()))
    }
}

impl From<Faults> for Failure {
    fn from(faults: Faults) -> Self {
        Failure::rendered(Exit::BadInput, faults.render(screen_has_colour()))
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scene(faults) => faults.into(),
            error @ RunError::Study { .. } => Failure::rendered(Exit::BadInput, error.to_string()),
            RunError::Occupied { folder } => {
                let message = format!(
                    "{} already contains a run; choose another folder, continue it with `riprap resume {0}`, or replace it with \
                     --force",
                    folder.display()
                );
                Failure::new(Exit::BadInput, message)
            }
            error => Failure::new(exit_of(&error), error.to_string()),
        }
    }
}

fn exit_of(error: &RunError) -> Exit {
    match error {
        RunError::Scene(_)
        | RunError::Unrefinable(_)
        | RunError::Occupied { .. }
        | RunError::OtherScene { .. }
        | RunError::WouldOverwrite { .. }
        | RunError::Busy { .. }
        | RunError::NotPrepared { .. }
        | RunError::TooLarge { .. }
        | RunError::TooMuchOutput { .. }
        | RunError::Variable { .. }
        | RunError::Study { .. }
        | RunError::NoLimit { .. }
        | RunError::NotLonger { .. }
        | RunError::NotDivided { .. }
        | RunError::OtherState { .. }
        | RunError::Controlled { .. } => Exit::BadInput,
        RunError::Read { .. }
        | RunError::Unreadable(_)
        | RunError::Snapshot { .. }
        | RunError::NoFolder { .. }
        | RunError::NotARun { .. }
        | RunError::NoCheckpoint(_)
        | RunError::Unfit { .. } => Exit::Unreadable,
        RunError::Write { .. } | RunError::Unwritable(_) => Exit::Unwritable,
        RunError::Failed { cause, .. } => exit_of(cause),
        _ => Exit::RunFailed,
    }
}

/// True if messages may have colour.
fn screen_has_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
