//! Text files: lines with their numbers, and numbers that read back to the same bits.

use crate::rows::{NO_NAME, RowFault};
use crate::{Snapshot, StoreError};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Reads a text file line by line and knows where it is.
pub struct Lines {
    path: PathBuf,
    source: BufReader<File>,
    /// The line that was read last, without its end.
    pub text: String,
    number: usize,
}

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let source = BufReader::new(File::open(path).map_err(StoreError::read(path))?);
        Ok(Lines { path: path.into(), source, text: String::new(), number: 0 })
    }

    /// Goes to the next line; false at the end of the file.
    pub fn advance(&mut self) -> Result<bool, StoreError> {
        self.text.clear();
        self.number += 1;
        let count = self.source.read_line(&mut self.text).map_err(StoreError::read(&self.path))?;
        self.text.truncate(self.text.trim_end_matches(['\n', '\r']).len());
        Ok(count > 0)
    }

    /// Goes to the next line, which must be there.
    pub fn require(&mut self, expected: &str) -> Result<(), StoreError> {
        if self.advance()? { Ok(()) } else { Err(self.fault("end of file", expected)) }
    }

    /// This line is wrong.
    pub fn fault(&self, found: &str, expected: impl Into<String>) -> StoreError {
        StoreError::Text { path: self.path.clone(), line: self.number, found: found.into(), expected: expected.into() }
    }

    /// Something in a row of this line is wrong.
    pub fn row_fault(&self, fault: RowFault) -> StoreError {
        self.fault(&fault.found, fault.expected)
    }
}

/// Writes numbers with a separator in front of each; the shortest digits that read back to the same bits.
pub fn write_numbers(out: &mut dyn Write, separator: char, numbers: &[f64]) -> io::Result<()> {
    numbers.iter().try_for_each(|number| write!(out, "{separator}{number:e}"))
}

/// The name of a row's material or group as one word, or a dash where there is none.
pub fn word(names: &[String], index: u16) -> String {
    let name = names.get(usize::from(index)).map_or("", |name| name.as_str());
    let joined = name.split_whitespace().collect::<Vec<_>>().join("_");
    if joined.is_empty() { NO_NAME.into() } else { joined }
}

/// The box that holds everything: a period where there is one, else the grains with their radii.
pub fn bounds(snapshot: &Snapshot) -> [[f64; 2]; 3] {
    std::array::from_fn(|k| {
        let (origin, period) = (snapshot.cell.origin[k], snapshot.cell.period[k]);
        if period > 0.0 {
            return [origin, origin + period];
        }
        let grains = &snapshot.grains;
        let [low, high] = grains
            .position
            .iter()
            .zip(&grains.radius)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (position, radius)| {
                [low.min(position[k] - radius), high.max(position[k] + radius)]
            });
        if low <= high { [low, high] } else { [0.0, 1.0] }
    })
}
