//! Contact problems as Siconos prints them: whitespace-separated words without a header or names.
//!
//! ```text
//! local    d nc  W  q[d·nc]  μ[nc]                  rolling (d = 5): μ_r[nc] after μ
//! global   d nc  M  H  f[ndof]  w[d·nc]  μ[nc]
//! ```
//!
//! A matrix is `storage rows columns` and a body: 0 dense, 1 blocks, 2 sparse as CSparse prints it. Which of the kinds a
//! file is can be told from the sizes alone: a local problem ends after its two vectors, and in a global one another
//! matrix, with as many columns as there are rows of contacts, follows the first.

use crate::{ProblemFile, StoreError, write_atomically};
use riprap_solve::assembled::{AssembledProblem, GlobalProblem, LocalProblem, SparseMatrix};
use std::io::{self, Write};
use std::path::Path;

/// Reads a problem from the text of the file `path`.
pub fn read(path: &Path, text: &str) -> Result<ProblemFile, StoreError> {
    let mut words = Words { path, text, at: 0, line: 1 };
    let size = words.whole("the number of rows per contact (2, 3, or 5 with rolling friction)")?;
    if !matches!(size, 2 | 3 | 5) {
        return Err(words.fault(size, "the number of rows per contact: 2, 3, or 5 with rolling friction"));
    }
    let contacts = words.count("the number of contacts")?;
    let rows = size * contacts;
    let first = words.matrix("the first matrix (W of a local problem, M of a global one)")?;

    let rolling_numbers = if size == 5 { contacts } else { 0 };
    let fits_local = first.rows == rows && first.columns == rows;
    // Many files end with one number more, which means nothing to the problem.
    let beyond_local = words.left().checked_sub(rows + contacts + rolling_numbers);
    let ends_as_local = matches!(beyond_local, Some(0 | 1));
    let global = !(fits_local && ends_as_local) && words.at_matrix(first.rows, rows, fits_local);
    if !global && !fits_local {
        let expected = format!(
            "a matrix of {rows} rows and columns, as a local problem of {contacts} contacts with {size} rows each has, or \
             one that is followed by a matrix H of {rows} columns, as in a global problem"
        );
        return Err(words.fault_at(first.line, format!("{} by {}", first.rows, first.columns), expected));
    }
    let problem = if global {
        let m = first.square(&words, "M")?;
        let h = words.matrix("the matrix H")?;
        if (h.rows, h.columns) != (m.rows, rows) {
            let expected = format!(
                "a matrix H of {} rows, as M has, and of {rows} columns, {size} for each of the {contacts} contacts",
                m.rows
            );
            return Err(words.fault_at(h.line, format!("{} by {}", h.rows, h.columns), expected));
        }
        let f = words.numbers(m.rows, "a number of the vector f")?;
        let w = words.numbers(rows, "a number of the vector w")?;
        let friction = words.coefficients(contacts, "a coefficient of friction")?;
        let rolling = words.coefficients(rolling_numbers, "a coefficient of rolling friction")?;
        AssembledProblem::Global(GlobalProblem {
            size,
            m: m.assembled(path)?,
            h: h.assembled(path)?,
            f,
            w,
            friction,
            rolling,
        })
    } else {
        let q = words.numbers(rows, "a number of the vector q")?;
        let friction = words.coefficients(contacts, "a coefficient of friction")?;
        let rolling = words.coefficients(rolling_numbers, "a coefficient of rolling friction")?;
        AssembledProblem::Local(LocalProblem { size, w: first.assembled(path)?, q, friction, rolling })
    };
    let mut file = ProblemFile::new(problem);
    let left = words.left();
    if left > 1 {
        let line = words.line;
        file.remark = Some(format!("the problem ends on line {line}; the {left} words after it are ignored"));
    }
    Ok(file)
}

/// A matrix as it was read, without the zeros of dense storage and blocks, before it is put in order: vectors of its size have yet to follow in the file, which shows
/// that the size is real before room is made for it.
struct RawMatrix {
    rows: usize,
    columns: usize,
    triplets: Vec<(u32, u32, f64)>,
    /// The line of its head.
    line: usize,
}

impl RawMatrix {
    fn square(self, words: &Words, name: &str) -> Result<Self, StoreError> {
        if self.rows == self.columns {
            return Ok(self);
        }
        let found = format!("{} by {}", self.rows, self.columns);
        Err(words.fault_at(self.line, found, format!("a square matrix {name}")))
    }

    fn assembled(self, path: &Path) -> Result<SparseMatrix, StoreError> {
        SparseMatrix::from_triplets(self.rows, self.columns, self.triplets)
            .map_err(|error| StoreError::damaged(path, error))
    }
}

/// The words of a file, one after the other, and the line that they are on.
struct Words<'a> {
    path: &'a Path,
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn fault(&self, found: impl ToString, expected: impl Into<String>) -> StoreError {
        self.fault_at(self.line, found, expected)
    }

    fn fault_at(&self, line: usize, found: impl ToString, expected: impl Into<String>) -> StoreError {
        // A long line of another format would only hide what was expected.
        let found = found.to_string().chars().take(60).collect();
        StoreError::Text { path: self.path.into(), line, found, expected: expected.into() }
    }

    /// The next word.
    fn word(&mut self, expected: &str) -> Result<&'a str, StoreError> {
        let rest = &self.text[self.at..];
        let blank = rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(rest.len());
        self.line += rest[..blank].bytes().filter(|&byte| byte == b'\n').count();
        let rest = &rest[blank..];
        let word = &rest[..rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len())];
        self.at += blank + word.len();
        if word.is_empty() { Err(self.fault("the end of the file: it is cut off", expected)) } else { Ok(word) }
    }

    /// What is left of the line, without its end, and the line's number; the next line is next. `None` at the end.
    fn line(&mut self) -> Option<(&'a str, usize)> {
        let rest = &self.text[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        let line = self.line;
        self.at += (end + 1).min(rest.len());
        self.line += usize::from(end < rest.len());
        (!rest.is_empty()).then(|| (rest[..end].trim(), line))
    }

    /// The next line that is not empty.
    fn full_line(&mut self, expected: &str) -> Result<(&'a str, usize), StoreError> {
        loop {
            match self.line() {
                Some(("", _)) => {}
                Some(line) => return Ok(line),
                None => return Err(self.fault("the end of the file: it is cut off", expected)),
            }
        }
    }

    fn whole(&mut self, expected: &str) -> Result<usize, StoreError> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| self.fault(word, format!("{expected}: a whole number")))
    }

    /// A number of things of which each takes a word at least, so that a wrong one is found before room is made for it.
    fn count(&mut self, expected: &str) -> Result<usize, StoreError> {
        let count = self.whole(expected)?;
        if count > self.text.len() {
            return Err(self.fault(count, format!("{expected}; the file is too short for that many")));
        }
        Ok(count)
    }

    fn number(&mut self, expected: &str) -> Result<f64, StoreError> {
        let word = self.word(expected)?;
        let number: Option<f64> = word.parse().ok();
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.fault(word, format!("{expected}: a finite number")))
    }

    fn numbers(&mut self, count: usize, expected: &str) -> Result<Vec<f64>, StoreError> {
        (0..count).map(|_| self.number(expected)).collect()
    }

    fn counts(&mut self, count: usize, expected: &str) -> Result<Vec<usize>, StoreError> {
        (0..count).map(|_| self.whole(expected)).collect()
    }

    fn coefficients(&mut self, count: usize, expected: &str) -> Result<Vec<f64>, StoreError> {
        let mut coefficient = || {
            let number = self.number(expected)?;
            if number < 0.0 { Err(self.fault(number, format!("{expected}, 0 or greater"))) } else { Ok(number) }
        };
        (0..count).map(|_| coefficient()).collect()
    }

    /// How many words are left.
    fn left(&self) -> usize {
        self.text[self.at..].split_ascii_whitespace().count()
    }

    /// True if the next words are the head of a matrix: of just this size if `exactly`, or else of any.
    fn at_matrix(&self, rows: usize, columns: usize, exactly: bool) -> bool {
        let mut head = self.text[self.at..].split_ascii_whitespace().map_while(|word| word.parse::<usize>().ok());
        let (Some(storage), Some(r), Some(c)) = (head.next(), head.next(), head.next()) else { return false };
        storage <= 2 && (!exactly || (r, c) == (rows, columns))
    }

    /// A matrix of any storage.
    fn matrix(&mut self, name: &str) -> Result<RawMatrix, StoreError> {
        let storage = self.whole(&format!("the storage of {name} (0 dense, 1 blocks, 2 sparse)"))?;
        let line = self.line;
        let rows = self.count(&format!("the number of rows of {name}"))?;
        let columns = self.count(&format!("the number of columns of {name}"))?;
        let triplets = match storage {
            0 => self.dense(name, rows, columns)?,
            1 => self.blocks(name, rows, columns)?,
            2 => self.sparse(name, rows, columns)?,
            _ => {
                let expected = format!("the storage of {name}: 0 dense, 1 blocks, 2 sparse");
                return Err(self.fault_at(line, storage, expected));
            }
        };
        Ok(RawMatrix { rows, columns, triplets, line })
    }

    /// The size again, then all numbers, column by column.
    fn dense(&mut self, name: &str, rows: usize, columns: usize) -> Result<Vec<(u32, u32, f64)>, StoreError> {
        let again = [self.whole("the number of rows again")?, self.whole("the number of columns again")?];
        if again != [rows, columns] {
            let found = format!("{} {}", again[0], again[1]);
            return Err(self.fault(found, format!("the size of {name} again: {rows} {columns}")));
        }
        let expected = format!("a number of {name}");
        let mut triplets = Vec::new();
        for column in 0..columns {
            for row in 0..rows {
                let value = self.number(&expected)?;
                if value != 0.0 {
                    triplets.push((row as u32, column as u32, value));
                }
            }
        }
        Ok(triplets)
    }

    /// Blocks in rows, each block column by column after its number.
    fn blocks(&mut self, name: &str, rows: usize, columns: usize) -> Result<Vec<(u32, u32, f64)>, StoreError> {
        let blocks = self.count("the number of blocks")?;
        let block_rows = self.count("the number of block rows")?;
        let block_columns = self.count("the number of block columns")?;
        let row_ends = self.ends(block_rows, rows, "rows")?;
        let column_ends = self.ends(block_columns, columns, "columns")?;
        let starts = self.count("the number of starts of block rows")?;
        let stored = self.count("the number of stored block columns")?;
        if starts == 0 || starts > block_rows + 1 || stored != blocks {
            let expected = format!("{} starts of block rows and {blocks} block columns", block_rows + 1);
            return Err(self.fault(format!("{starts} {stored}"), expected));
        }
        let start = self.counts(starts, "the start of a block row")?;
        if start[0] != 0 || !start.is_sorted() || start[starts - 1] != blocks {
            let expected = format!("non-decreasing starts of block rows from 0 to {blocks}");
            return Err(self.fault(format!("{} … {}", start[0], start[starts - 1]), expected));
        }
        let column_of = self.counts(blocks, "a block column")?;
        let expected = format!("a number of {name}");
        let begin = |ends: &[usize], k: usize| if k == 0 { 0 } else { ends[k - 1] };
        let mut triplets = Vec::new();
        for block_row in 0..starts - 1 {
            for block in start[block_row]..start[block_row + 1] {
                let block_column = column_of[block];
                if block_column >= block_columns {
                    let expected = format!("a column of block {block} below {block_columns}");
                    return Err(self.fault(block_column, expected));
                }
                let number = self.whole("the running number of a block")?;
                if number != block {
                    return Err(
                        self.fault(number, format!("block {block} of {name}: blocks are numbered consecutively"))
                    );
                }
                for column in begin(&column_ends, block_column)..column_ends[block_column] {
                    for row in begin(&row_ends, block_row)..row_ends[block_row] {
                        let value = self.number(&expected)?;
                        if value != 0.0 {
                            triplets.push((row as u32, column as u32, value));
                        }
                    }
                }
            }
        }
        Ok(triplets)
    }

    /// Where block rows or columns end.
    fn ends(&mut self, count: usize, size: usize, of: &str) -> Result<Vec<usize>, StoreError> {
        let ends = self.counts(count, &format!("the end of block {of}"))?;
        if ends.is_sorted() && ends.last().copied().unwrap_or(0) == size {
            return Ok(ends);
        }
        let last = ends.last().map_or("none".into(), ToString::to_string);
        Err(self.fault(last, format!("increasing ends of block {of}, up to {size}")))
    }

    /// What CSparse prints: a banner, the shape, and a line for every number.
    fn sparse(&mut self, name: &str, rows: usize, columns: usize) -> Result<Vec<(u32, u32, f64)>, StoreError> {
        const SHAPE: &str = "the shape of a sparse matrix, as in \"6-by-6, nzmax: 12 nnz: 12\"";
        let origin =
            self.whole("the kind of a sparse matrix (1 triplets, 2 columns, 3 rows, 4 half of a symmetric matrix)")?;
        if !(1..=4).contains(&origin) {
            return Err(
                self.fault(origin, "1 (triplets), 2 (columns), 3 (rows) or 4 (half of a symmetric matrix as triplets)")
            );
        }
        // The rest of the line of the origin; then a banner, which is passed over.
        self.line();
        let (mut shape, mut line) = self.full_line(SHAPE)?;
        if !shape.contains("-by-") {
            (shape, line) = self.full_line(SHAPE)?;
        }
        let bare = shape.trim_start_matches("triplet:").trim_start_matches("csr:").trim_start();
        let told = bare.split_once(',').and_then(|(size, _)| size.split_once("-by-"));
        let told = told.and_then(|(r, c)| Some((r.trim().parse::<f64>().ok()?, c.trim().parse::<f64>().ok()?)));
        // Sizes are printed with six digits, as everything is.
        let near = |told: f64, size: usize| (told - size as f64).abs() <= 1e-5 * size as f64;
        match told {
            None => return Err(self.fault_at(line, shape, SHAPE)),
            Some((r, c)) if !near(r, rows) || !near(c, columns) => {
                return Err(self.fault_at(line, shape, format!("{name} as {rows}-by-{columns}")));
            }
            Some(_) => {}
        }
        let count = shape.split_once("nnz:").map(|(_, rest)| rest.split([',', ' ']).find(|word| !word.is_empty()));
        let count = count.flatten().and_then(|word| word.parse::<f64>().ok());
        let count = count.ok_or_else(|| self.fault_at(line, shape, "the number of entries, as in \"nnz: 12\""))?;
        let triplets = match origin {
            2 => self.compressed(columns, rows, "col")?.into_iter().map(|(j, i, x)| (i, j, x)).collect(),
            3 => self.compressed(rows, columns, "row")?,
            _ => self.triplets(rows, columns, count, origin == 4)?,
        };
        // Where the kind says that one half stands for both, the other half is not counted.
        let found = if origin == 4 { triplets.iter().filter(|(i, j, _)| i <= j).count() } else { triplets.len() };
        if !near(count, found) {
            return Err(self.fault_at(line, shape, format!("the number of entries that follow: {found}")));
        }
        Ok(triplets)
    }

    /// `i j : value` in every line. Of a half, the other half is the mirror image.
    fn triplets(
        &mut self,
        rows: usize,
        columns: usize,
        count: f64,
        half: bool,
    ) -> Result<Vec<(u32, u32, f64)>, StoreError> {
        let mut triplets = Vec::new();
        loop {
            let (at, line) = (self.at, self.line);
            let Some((text, number)) = self.line() else { break };
            let Some((place, value)) = text.split_once(':') else {
                if text.is_empty() && (triplets.len() as f64) < count {
                    continue;
                }
                // The vectors begin here.
                (self.at, self.line) = (at, line);
                break;
            };
            let mut place = place.split_ascii_whitespace();
            let row = self.index(place.next(), rows, "row", number)?;
            let column = self.index(place.next(), columns, "column", number)?;
            let value = self.entry(value, number)?;
            triplets.push((row, column, value));
            if half && row != column {
                if column as usize >= rows || row as usize >= columns {
                    return Err(self.fault_at(number, text, "an entry of a square matrix given by one half"));
                }
                triplets.push((column, row, value));
            }
        }
        Ok(triplets)
    }

    /// For every column (or row) a line `col 3 : locations 6 to 8` and so many lines `i : value`.
    fn compressed(&mut self, outer: usize, inner: usize, word: &str) -> Result<Vec<(u32, u32, f64)>, StoreError> {
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for index in 0..outer {
            let expected = format!("{word} {index} : locations … to …");
            let (text, line) = self.full_line(&expected)?;
            let fault = || self.fault_at(line, text, expected.clone());
            let (head, locations) = text.split_once(':').ok_or_else(fault)?;
            let told = head.strip_prefix(word).and_then(|told| told.trim().parse::<f64>().ok()).ok_or_else(fault)?;
            // Indices are printed with six digits; the order tells which one it is.
            if (told - index as f64).abs() > 1e-5 * index as f64 {
                return Err(fault());
            }
            let range = locations.trim().strip_prefix("locations").and_then(|range| range.split_once("to"));
            let range = range.and_then(|(a, b)| Some((a.trim().parse::<f64>().ok()?, b.trim().parse::<f64>().ok()?)));
            let (from, to) = range.ok_or_else(fault)?;
            let exact = from < 1e6 && to < 1e6;
            let begin = entries.len();
            loop {
                let (at, line) = (self.at, self.line);
                let Some((text, number)) = self.line() else { break };
                let entry = text.split_once(':').filter(|(place, _)| !place.starts_with(word));
                let Some((place, value)) = entry else {
                    (self.at, self.line) = (at, line);
                    break;
                };
                let place = self.index(Some(place.trim()), inner, "index", number)?;
                let value = self.entry(value, number)?;
                entries.push((index as u32, place, value));
            }
            let found = entries.len() - begin;
            if exact && found as f64 != to - from + 1.0 {
                return Err(self.fault_at(
                    line,
                    text,
                    format!("the number of entries that follow in this {word}: {found}"),
                ));
            }
        }
        Ok(entries)
    }

    fn index(&self, word: Option<&str>, size: usize, of: &str, line: usize) -> Result<u32, StoreError> {
        let word = word.unwrap_or_default();
        let index = word.parse::<f64>().ok().filter(|index| index.fract() == 0.0 && *index >= 0.0);
        let index = index.ok_or_else(|| self.fault_at(line, word, format!("a {of}: an integer, 0 or greater")))?;
        if word.contains(['e', 'E']) && index >= 1e6 {
            return Err(self.fault_at(line, word, format!("a {of} with all digits; this one was rounded to six")));
        }
        if index >= size as f64 {
            return Err(self.fault_at(line, word, format!("a {of} below {size}")));
        }
        Ok(index as u32)
    }

    fn entry(&self, word: &str, line: usize) -> Result<f64, StoreError> {
        let word = word.trim();
        let value = word.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| self.fault_at(line, word, "an entry of a matrix: a finite number"))
    }
}

/// Writes a problem, `W` in blocks, `M` and `H` as triplets, all numbers with as many digits as they need.
pub fn write(path: &Path, problem: &AssembledProblem) -> Result<(), StoreError> {
    write_atomically(path, |out| match problem {
        AssembledProblem::Local(local) => {
            writeln!(out, "{}\n{}", local.size, local.friction.len())?;
            write_blocks(out, &local.w, local.size)?;
            write_vectors(out, &[&local.q, &local.friction, &local.rolling])
        }
        AssembledProblem::Global(global) => {
            writeln!(out, "{}\n{}", global.size, global.friction.len())?;
            write_triplets(out, &global.m)?;
            write_triplets(out, &global.h)?;
            write_vectors(out, &[&global.f, &global.w, &global.friction, &global.rolling])
        }
    })
}

fn write_vectors(out: &mut dyn Write, vectors: &[&Vec<f64>]) -> io::Result<()> {
    for vector in vectors.iter().filter(|vector| !vector.is_empty()) {
        write_line(out, vector.iter().map(|x| format!("{x:e}")))?;
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, words: impl Iterator<Item = String>) -> io::Result<()> {
    for (i, word) in words.enumerate() {
        write!(out, "{}{word}", if i == 0 { "" } else { " " })?;
    }
    writeln!(out)
}

fn write_triplets(out: &mut dyn Write, matrix: &SparseMatrix) -> io::Result<()> {
    let (rows, columns, entries) = (matrix.rows, matrix.columns, matrix.values.len());
    writeln!(out, "2\n{rows}\n{columns}\n1\nCSparse Version 3, with all digits")?;
    writeln!(out, "triplet: {rows}-by-{columns}, nzmax: {entries} nnz: {entries}")?;
    for row in 0..rows {
        for k in matrix.starts[row]..matrix.starts[row + 1] {
            writeln!(out, "    {row} {} : {:e}", matrix.indices[k], matrix.values[k])?;
        }
    }
    Ok(())
}

/// Every block that has an entry, and those of the diagonal.
fn write_blocks(out: &mut dyn Write, matrix: &SparseMatrix, size: usize) -> io::Result<()> {
    let count = matrix.rows / size;
    let mut starts = vec![0];
    let mut columns: Vec<usize> = Vec::new();
    for block_row in 0..count {
        let entries = matrix.starts[block_row * size]..matrix.starts[(block_row + 1) * size];
        let mut row: Vec<usize> = matrix.indices[entries].iter().map(|&j| j as usize / size).collect();
        row.push(block_row);
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        starts.push(columns.len());
    }
    writeln!(out, "1\n{}\n{}\n{}\n{count}\n{count}", matrix.rows, matrix.columns, columns.len())?;
    for _ in 0..2 {
        write_line(out, (1..=count).map(|end| (end * size).to_string()))?;
    }
    writeln!(out, "{}\n{}", count + 1, columns.len())?;
    write_line(out, starts.iter().map(usize::to_string))?;
    write_line(out, columns.iter().map(usize::to_string))?;
    let mut values = vec![0.0; size * size];
    for block_row in 0..count {
        for block in starts[block_row]..starts[block_row + 1] {
            values.fill(0.0);
            for row in 0..size {
                for k in matrix.starts[block_row * size + row]..matrix.starts[block_row * size + row + 1] {
                    let column = matrix.indices[k] as usize;
                    if column / size == columns[block] {
                        values[column % size * size + row] = matrix.values[k];
                    }
                }
            }
            writeln!(out, "{block}")?;
            write_line(out, values.iter().map(|x| format!("{x:e}")))?;
        }
    }
    Ok(())
}
