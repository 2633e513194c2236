//! Contact problems in FCLib's HDF5 layout, the one that the field exchanges them in.
//!
//! ```text
//! /fclib_local/    spacedim  W/  vectors/{q, mu}      info/{title, description, math_info}
//! /fclib_global/   spacedim  M/ H/  vectors/{f, w, mu}  info/…
//! /fclib_local_rolling/, /fclib_global_rolling/         the same with spacedim 5 and vectors/mu_r
//! /guesses/number_of_guesses, /guesses/1/{r, u, v}, …   /solution/{r, u, v}      optional
//! ```
//!
//! A matrix is a group `m n nz nzmax p i x` after CSparse: triplets where `nz` is not negative, by columns for −1, by rows
//! for −2.

use crate::datasets;
use crate::{ProblemFile, ProblemState, StoreError, write_atomically};
use hdf5_pure::{AttrValue, Error, File, FileBuilder, GroupBuilder, H5Element, LibVer};
use riprap_solve::assembled::{AssembledProblem, GlobalProblem, LocalProblem, SparseMatrix};
use std::io;
use std::path::Path;

const LOCAL: &str = "fclib_local";
const GLOBAL: &str = "fclib_global";
const LOCAL_ROLLING: &str = "fclib_local_rolling";
const GLOBAL_ROLLING: &str = "fclib_global_rolling";

/// Reads a problem from the bytes of the file `path`.
pub fn read(path: &Path, bytes: Vec<u8>) -> Result<ProblemFile, StoreError> {
    let length = bytes.len() as u64;
    let file = File::from_bytes(bytes)
        .map_err(|error| StoreError::damaged(path, format!("is HDF5, but damaged or cut off: {error}")))?;
    let source = ProblemSource { path, file, length };
    let kind = [LOCAL, GLOBAL, LOCAL_ROLLING, GLOBAL_ROLLING].into_iter().find(|kind| source.has_group(kind));
    let kind = kind.ok_or_else(|| {
        StoreError::damaged(path, "is HDF5, but not an FCLib problem: it has no group fclib_local or fclib_global")
    })?;
    let size = source.whole(&format!("{kind}/spacedim"))?;
    let rolls = matches!(kind, LOCAL_ROLLING | GLOBAL_ROLLING);
    if !(if rolls { size == 5 } else { size == 2 || size == 3 }) {
        let expected = if rolls { "5 (rows per contact with rolling)" } else { "2 or 3" };
        return Err(source.fault(&format!("{kind}/spacedim"), format!("is {size}, expected {expected}")));
    }
    let size = size as usize;
    let vector = |name: &str, length| source.vector(&format!("{kind}/vectors/{name}"), length);
    let friction_name = format!("{kind}/vectors/mu");
    let friction = source.coefficients(&friction_name, None)?;
    let contacts = friction.len();
    let rows = size * contacts;
    let rolling =
        if rolls { source.coefficients(&format!("{kind}/vectors/mu_r"), Some(contacts))? } else { Vec::new() };
    let of_contacts = format!("{rows} ({contacts} contacts with {size} rows each)");
    let (problem, freedoms) = if matches!(kind, LOCAL | LOCAL_ROLLING) {
        let w = source.matrix(&format!("{kind}/W"), (Some(rows), Some(rows)), &of_contacts)?;
        (AssembledProblem::Local(LocalProblem { size, w, q: vector("q", Some(rows))?, friction, rolling }), 0)
    } else {
        let f = vector("f", None)?;
        let freedoms = f.len();
        let as_f = format!("{freedoms} (the length of the vector f)");
        let m = source.matrix(&format!("{kind}/M"), (Some(freedoms), Some(freedoms)), &as_f)?;
        let expected = format!("{as_f} by {of_contacts}");
        let h = source.matrix(&format!("{kind}/H"), (Some(freedoms), Some(rows)), &expected)?;
        if source.has_group(&format!("{kind}/G")) {
            let reason = "contains equality constraints (b and G), which are not supported";
            return Err(source.fault(&format!("{kind}/G"), reason));
        }
        let w = vector("w", Some(rows))?;
        (AssembledProblem::Global(GlobalProblem { size, m, h, f, w, friction, rolling }), freedoms)
    };
    let info = |name| source.text(&format!("{kind}/info/{name}"));
    let sizes = (rows, freedoms);
    Ok(ProblemFile {
        problem,
        title: info("title"),
        description: info("description"),
        guesses: source.guesses(sizes)?,
        solution: source.state("solution", sizes)?,
        remark: None,
    })
}

/// An open file that says what is wrong with it.
struct ProblemSource<'a> {
    path: &'a Path,
    file: File,
    /// Its length in bytes.
    length: u64,
}

impl ProblemSource<'_> {
    fn fault(&self, name: &str, reason: impl std::fmt::Display) -> StoreError {
        StoreError::damaged(self.path, format!("/{name}: {reason}"))
    }

    fn has_group(&self, name: &str) -> bool {
        self.file.group(name).is_ok()
    }

    fn has(&self, name: &str) -> bool {
        self.file.dataset(name).is_ok()
    }

    /// All numbers of a dataset.
    fn list<T: H5Element>(&self, name: &str) -> Result<Vec<T>, StoreError> {
        let dataset = self.file.dataset(name).map_err(|error| self.fault(name, error))?;
        datasets::numbers(&dataset, self.length).map_err(|reason| self.fault(name, reason))
    }

    /// One whole number.
    fn whole(&self, name: &str) -> Result<i64, StoreError> {
        let list = self.list::<i64>(name)?;
        match list[..] {
            [value] => Ok(value),
            _ => Err(self.fault(name, format!("has {} numbers, expected one", list.len()))),
        }
    }

    fn size(&self, name: &str) -> Result<usize, StoreError> {
        let value = self.whole(name)?;
        u32::try_from(value).map(|size| size as usize).map_err(|_| self.fault(name, format!("is {value}, not a size")))
    }

    /// Finite numbers, so many of them if the length is known.
    fn vector(&self, name: &str, length: Option<usize>) -> Result<Vec<f64>, StoreError> {
        let values = self.list::<f64>(name)?;
        if let Some(length) = length.filter(|&length| length != values.len()) {
            return Err(self.fault(name, format!("has {} numbers, expected {length}", values.len())));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(self.fault(name, format!("entry {at} is {}, not a finite number", values[at]))),
            None => Ok(values),
        }
    }

    fn coefficients(&self, name: &str, length: Option<usize>) -> Result<Vec<f64>, StoreError> {
        let values = self.vector(name, length)?;
        match values.iter().position(|&value| value < 0.0) {
            Some(at) => {
                Err(self.fault(name, format!("the value of contact {at} is {}, which is negative", values[at])))
            }
            None => Ok(values),
        }
    }

    /// A matrix of the size that is asked for; `expected` says it in words.
    fn matrix(
        &self,
        name: &str,
        size: (Option<usize>, Option<usize>),
        expected: &str,
    ) -> Result<SparseMatrix, StoreError> {
        let part = |part: &str| format!("{name}/{part}");
        let (rows, columns) = (self.size(&part("m"))?, self.size(&part("n"))?);
        if size.0.is_some_and(|size| size != rows) || size.1.is_some_and(|size| size != columns) {
            return Err(self.fault(name, format!("is {rows} by {columns}, expected {expected}")));
        }
        let kind = self.whole(&part("nz"))?;
        let (pointers, inner) = (self.list::<i64>(&part("p"))?, self.list::<i64>(&part("i"))?);
        let values = self.vector(&part("x"), None)?;
        let index =
            |part: &str, at: usize, value: i64, size: usize| match usize::try_from(value) {
                Ok(index) if index < size => Ok(index as u32),
                _ => Err(self
                    .fault(&format!("{name}/{part}"), format!("index {value} at position {at} is not below {size}"))),
            };
        let short = |part: &str, found: usize, count: usize| {
            self.fault(
                &format!("{name}/{part}"),
                format!("has {found} numbers, but nz and p say that there are {count}"),
            )
        };
        let mut triplets = Vec::new();
        if kind >= 0 {
            let count = usize::try_from(kind).unwrap_or(usize::MAX);
            for (part, found) in [("p", pointers.len()), ("i", inner.len()), ("x", values.len())] {
                if found < count {
                    return Err(short(part, found, count));
                }
            }
            for k in 0..count {
                triplets.push((index("i", k, inner[k], rows)?, index("p", k, pointers[k], columns)?, values[k]));
            }
        } else if kind == -1 || kind == -2 {
            let (outer, across) = if kind == -1 { (columns, rows) } else { (rows, columns) };
            if pointers.len() < outer + 1 {
                return Err(self.fault(&part("p"), format!("has {} numbers, expected {}", pointers.len(), outer + 1)));
            }
            for line in 0..outer {
                let range = [pointers[line], pointers[line + 1]].map(usize::try_from);
                let [Ok(from), Ok(to)] = range else {
                    return Err(self.fault(&part("p"), format!("the start of row or column {line} is negative")));
                };
                if from > to || (line == 0 && from != 0) {
                    return Err(self.fault(&part("p"), format!("decreases at position {line}: from {from} to {to}")));
                }
                for (part, found) in [("i", inner.len()), ("x", values.len())] {
                    if found < to {
                        return Err(short(part, found, to));
                    }
                }
                for k in from..to {
                    let other = index("i", k, inner[k], across)?;
                    let line = line as u32;
                    triplets.push(if kind == -1 { (other, line, values[k]) } else { (line, other, values[k]) });
                }
            }
        } else {
            let reason = format!("is {kind}, expected a number of triplets, -1 (by columns) or -2 (by rows)");
            return Err(self.fault(&part("nz"), reason));
        }
        SparseMatrix::from_triplets(rows, columns, triplets).map_err(|error| self.fault(name, error))
    }

    fn guesses(&self, sizes: (usize, usize)) -> Result<Vec<ProblemState>, StoreError> {
        const NUMBER: &str = "guesses/number_of_guesses";
        let mut guesses = Vec::new();
        if self.has(NUMBER) {
            for number in 1..=self.size(NUMBER)? {
                let name = format!("guesses/{number}");
                let guess = self.state(&name, sizes)?;
                guesses.push(guess.ok_or_else(|| self.fault(&name, "missing, although it is counted"))?);
            }
        }
        Ok(guesses)
    }

    /// A state of a problem with so many rows of contacts and freedoms of bodies; `None` where there is no such group.
    fn state(&self, name: &str, (rows, freedoms): (usize, usize)) -> Result<Option<ProblemState>, StoreError> {
        if !self.has_group(name) {
            return Ok(None);
        }
        let optional = |part: &str, length: usize| {
            let part = format!("{name}/{part}");
            if self.has(&part) { self.vector(&part, Some(length)) } else { Ok(Vec::new()) }
        };
        Ok(Some(ProblemState {
            impulse: self.vector(&format!("{name}/r"), Some(rows))?,
            velocity: optional("u", rows)?,
            // The velocities of bodies of a local problem are those of no one, whatever the file says.
            body_velocity: if freedoms > 0 { optional("v", freedoms)? } else { Vec::new() },
        }))
    }

    /// A text, without characters that would command a terminal; empty where there is none.
    fn text(&self, name: &str) -> String {
        let dataset = self.file.dataset(name).ok();
        let strings = dataset.and_then(|dataset| datasets::strings(&dataset, self.length).ok());
        let text = strings.and_then(|strings| strings.into_iter().next()).unwrap_or_default();
        text.chars().filter(|character| !character.is_control()).collect()
    }
}

/// Writes a problem with its guesses and its solution.
pub fn write(path: &Path, file: &ProblemFile) -> Result<(), StoreError> {
    let other = |error: &dyn std::fmt::Display| io::Error::other(error.to_string());
    write_atomically(path, |out| {
        let builder = assemble(file).map_err(|error| other(&error))?;
        builder.finish_to(out).map_err(|error| match error {
            Error::Io(error) => error,
            error => other(&error),
        })
    })
}

fn assemble(file: &ProblemFile) -> Result<FileBuilder, hdf5_pure::FormatError> {
    let mut builder = FileBuilder::new();
    // FCLib and most of its readers are built with the HDF5 of their time.
    builder.with_libver_bounds(LibVer::Earliest, LibVer::V18);
    let rolls = |rolling: &[f64]| !rolling.is_empty();
    let name = match &file.problem {
        AssembledProblem::Local(problem) => {
            if rolls(&problem.rolling) {
                LOCAL_ROLLING
            } else {
                LOCAL
            }
        }
        AssembledProblem::Global(problem) => {
            if rolls(&problem.rolling) {
                GLOBAL_ROLLING
            } else {
                GLOBAL
            }
        }
    };
    let mut group = builder.create_group(name);
    let (size, friction, rolling) = match &file.problem {
        AssembledProblem::Local(problem) => {
            matrix(&mut group, "W", &problem.w, Layout::Rows);
            (problem.size, &problem.friction, &problem.rolling)
        }
        AssembledProblem::Global(problem) => {
            matrix(&mut group, "M", &problem.m, Layout::Triplets);
            matrix(&mut group, "H", &problem.h, Layout::Triplets);
            (problem.size, &problem.friction, &problem.rolling)
        }
    };
    whole(&mut group, "spacedim", size);
    let mut vectors = group.create_group("vectors");
    match &file.problem {
        AssembledProblem::Local(problem) => list(&mut vectors, "q", &problem.q),
        AssembledProblem::Global(problem) => {
            list(&mut vectors, "f", &problem.f);
            list(&mut vectors, "w", &problem.w);
        }
    }
    list(&mut vectors, "mu", friction);
    if !rolling.is_empty() {
        list(&mut vectors, "mu_r", rolling);
    }
    group.add_group(vectors.finish());
    let mut info = group.create_group("info");
    for (name, text) in [("title", &file.title), ("description", &file.description), ("math_info", &String::new())] {
        // As C programs have them: one string, with the zero at its end.
        info.create_dataset(name).with_strings(&[&format!("{text}\0")])?.with_shape(&[]);
    }
    group.add_group(info.finish());
    builder.add_group(group.finish());

    if !file.guesses.is_empty() {
        let mut group = builder.create_group("guesses");
        whole(&mut group, "number_of_guesses", file.guesses.len());
        for (k, guess) in file.guesses.iter().enumerate() {
            let mut one = group.create_group(&(k + 1).to_string());
            state(&mut one, guess);
            group.add_group(one.finish());
        }
        builder.add_group(group.finish());
    }
    if let Some(solution) = &file.solution {
        let mut group = builder.create_group("solution");
        state(&mut group, solution);
        builder.add_group(group.finish());
    }
    builder.set_attr("written_by", AttrValue::String("riprap".into()));
    Ok(builder)
}

/// How a matrix is stored. Not every program reads every layout of every matrix: `W` is by rows and `M` and `H` are
/// triplets in all files of the field.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Rows,
    Triplets,
}

fn matrix(group: &mut GroupBuilder, name: &str, matrix: &SparseMatrix, layout: Layout) {
    let mut part = group.create_group(name);
    let whole_list = |values: &mut dyn Iterator<Item = usize>| values.map(|value| value as i32).collect::<Vec<i32>>();
    whole(&mut part, "m", matrix.rows);
    whole(&mut part, "n", matrix.columns);
    whole(&mut part, "nzmax", matrix.values.len());
    let columns = whole_list(&mut matrix.indices.iter().map(|&index| index as usize));
    match layout {
        Layout::Rows => {
            list(&mut part, "nz", &[-2_i32]);
            list(&mut part, "p", &whole_list(&mut matrix.starts.iter().copied()));
            list(&mut part, "i", &columns);
        }
        Layout::Triplets => {
            let lengths = matrix.starts.windows(2).map(|ends| ends[1] - ends[0]).enumerate();
            let rows = whole_list(&mut lengths.flat_map(|(row, length)| std::iter::repeat_n(row, length)));
            whole(&mut part, "nz", matrix.values.len());
            list(&mut part, "p", &columns);
            list(&mut part, "i", &rows);
        }
    }
    list(&mut part, "x", &matrix.values);
    group.add_group(part.finish());
}

fn state(group: &mut GroupBuilder, state: &ProblemState) {
    list(group, "r", &state.impulse);
    for (name, values) in [("u", &state.velocity), ("v", &state.body_velocity)] {
        if !values.is_empty() {
            list(group, name, values);
        }
    }
}

fn whole(group: &mut GroupBuilder, name: &str, value: usize) {
    list(group, name, &[value as i32]);
}

fn list<T: H5Element>(group: &mut GroupBuilder, name: &str, values: &[T]) {
    group.create_dataset(name).with_data(values).with_shape(&[values.len() as u64]);
}
