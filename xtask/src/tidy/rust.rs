//! Just enough of Rust's grammar: where comments, strings and test modules are.

/// A source text taken apart. All parts are as long as the whole, with spaces in place of what is left out, so that
/// lines and columns stay what they are.
#[derive(Clone, Debug)]
pub struct Source {
    /// Code without comments and without the content of strings.
    pub code: String,
    /// The code without modules of tests.
    pub product: String,
    /// Comments alone.
    pub comments: String,
}

impl Source {
    /// Takes a text apart.
    pub fn of(text: &str) -> Source {
        let mut reader = Reader { rest: text, code: String::new(), comments: String::new() };
        reader.read();
        Source { product: without_tests(&reader.code), code: reader.code, comments: reader.comments }
    }
}

fn without_tests(code: &str) -> String {
    let mut code = code.to_owned();
    while let Some(start) = code.find("#[cfg(test)]") {
        let Some(open) = code[start..].find(['{', ';']).map(|at| start + at) else { break };
        let end = if code.as_bytes()[open] == b'{' { closing(&code, open) } else { open + 1 };
        let blanked = blank(&code[start..end]);
        code.replace_range(start..end, &blanked);
    }
    code
}

/// One past the brace that closes the one at `open`.
fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The line that it begins on, from 1.
    pub line: usize,
    /// How many lines it has, from its name to the brace that closes it.
    pub lines: usize,
}

/// The functions of a code without comments and strings, those within others too.
pub fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let begins_word = !code[..at].ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if let (true, false, Some(open)) = (begins_word, name.is_empty(), body(code, at)) {
            let (line, last) = (line_of(code, at), line_of(code, closing(code, open)));
            found.push(Function { name, line, lines: last - line + 1 });
        }
    }
    found
}

/// The brace that opens the body of the function that begins at `start`; none if it is only declared.
fn body(code: &str, start: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(at),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The same number of bytes without anything but ends of lines.
fn blank(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

struct Reader<'a> {
    rest: &'a str,
    code: String,
    comments: String,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(next) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.comment(end);
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").map_or(self.rest.len(), |at| at + 2);
                self.comment(end);
            } else if let Some(length) = self.raw_string() {
                self.string(length);
            } else if next == '"' {
                self.string(string_end(self.rest));
            } else if next == '\'' {
                match character_end(self.rest) {
                    1 => self.code(1),
                    length => self.string(length),
                }
            } else {
                self.code(next.len_utf8());
            }
        }
    }

    /// The length of the raw string that begins here.
    fn raw_string(&self) -> Option<usize> {
        let begins_word = !self.code.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let after = self.rest.strip_prefix('r').filter(|_| begins_word)?;
        let hashes = after.len() - after.trim_start_matches('#').len();
        after[hashes..].starts_with('"').then_some(())?;
        let close = format!("\"{}", "#".repeat(hashes));
        let start = 1 + hashes + 1;
        Some(self.rest[start..].find(&close).map_or(self.rest.len(), |at| start + at + close.len()))
    }

    fn take(&mut self, length: usize) -> &str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn code(&mut self, length: usize) {
        let taken = self.take(length).to_owned();
        self.comments.push_str(&blank(&taken));
        self.code.push_str(&taken);
    }

    fn comment(&mut self, length: usize) {
        let taken = self.take(length).to_owned();
        self.code.push_str(&blank(&taken));
        self.comments.push_str(&taken);
    }

    fn string(&mut self, length: usize) {
        let taken = blank(self.take(length));
        self.code.push_str(&taken);
        self.comments.push_str(&taken);
    }
}

/// The length of the string that begins here.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the character that begins here, or 1 for the quote of a lifetime.
fn character_end(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    let Some((_, first)) = characters.next() else { return 1 };
    if first == '\\' {
        return text[2..].find('\'').map_or(1, |at| {
            // The escaped quote itself, '\'', ends one later.
            if at == 0 { 4 } else { 2 + at + 1 }
        });
    }
    match characters.next() {
        Some((at, '\'')) => at + 1,
        _ => 1,
    }
}

/// The words of a text with the line they are on, from 1.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(line, text)| {
        text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .map(move |word| (line + 1, word))
    })
}

/// The line, from 1, of a place in a text.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_with_their_braces() {
        let code = "fn a(x: [u8; 3]) { b() }\ntrait T { fn c(&self); fn d(&self) {\n    {}\n} }\nlet f: fn (u8) = e;\n";
        let found: Vec<_> = functions(code).into_iter().map(|found| (found.name, found.line, found.lines)).collect();
        assert_eq!(found, [("a".to_owned(), 1, 1), ("d".to_owned(), 2, 3)]);
    }

    #[test]
    fn comments_strings_and_tests_are_told_from_code() {
        let text = "fn a<'x>(c: char) { /* no */ b(\"// no\", 'c', '\\'', r#\"no \" no\"#); } // said\n#[cfg(test)]\nmod tests { fn no() { {} } }\nfn z() {}\n";
        let source = Source::of(text);
        assert_eq!(source.code.len(), text.len());
        assert_eq!(source.comments.len(), text.len());
        assert!(!source.code.contains("no\"") && !source.code.contains("said") && source.code.contains("<'x>"));
        assert!(source.comments.contains("said") && !source.comments.contains("// no"));
        let product = &source.product;
        assert!(product.contains("fn z") && !product.contains("mod tests") && !product.contains("fn no"));
        assert_eq!(line_of(product, product.find("fn z").unwrap()), 4);
    }
}
