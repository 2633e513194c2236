//! Base64, in which VTK files hold binary data.

use std::io::{self, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes what is written to it; the end must be marked by [`Base64Writer::finish`].
pub struct Base64Writer<'a> {
    out: &'a mut dyn Write,
    pending: Vec<u8>,
}

impl<'a> Base64Writer<'a> {
    /// A writer to `out`.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Base64Writer { out, pending: Vec::with_capacity(CHUNK) }
    }

    /// Adds bytes.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= CHUNK {
            let whole = self.pending.len() / 3 * 3;
            self.pass_on(whole)?;
        }
        Ok(())
    }

    /// Writes what is left, with padding.
    pub fn finish(mut self) -> io::Result<()> {
        let length = self.pending.len();
        self.pass_on(length)
    }

    fn pass_on(&mut self, length: usize) -> io::Result<()> {
        let mut text = Vec::with_capacity(length.div_ceil(3) * 4);
        for group in self.pending[..length].chunks(3) {
            let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(group.get(i).copied().unwrap_or(0)));
            for i in 0..4 {
                let six = (bits >> (18 - 6 * i) & 63) as usize;
                text.push(if i <= group.len() { ALPHABET[six] } else { b'=' });
            }
        }
        self.pending.drain(..length);
        self.out.write_all(&text)
    }
}

const CHUNK: usize = 3 << 12;

/// The bytes of a Base64 text; `None` if it is none. Blanks are passed over.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for character in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let six = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_4648() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = Vec::new();
            let mut writer = Base64Writer::new(&mut out);
            writer.put(plain.as_bytes()).unwrap();
            writer.finish().unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), coded);
            assert_eq!(decode(coded).unwrap(), plain.as_bytes());
        }
        assert_eq!(decode("Zm9*"), None);
    }

    #[test]
    fn long_data_in_many_pieces_is_one_stream() {
        let data: Vec<u8> = (0..50_000_u32).map(|i| (i * 7 % 251) as u8).collect();
        let mut out = Vec::new();
        let mut writer = Base64Writer::new(&mut out);
        data.chunks(17).try_for_each(|piece| writer.put(piece)).unwrap();
        writer.finish().unwrap();
        assert_eq!(out.len(), data.len().div_ceil(3) * 4);
        assert_eq!(decode(std::str::from_utf8(&out).unwrap()).unwrap(), data);
    }
}
