//! Good inputs, spoilt: bytes and words changed, cut out, doubled, moved, and put in from other inputs.

use crate::dice::Dice;

/// The longest input that is made: what is wrong with a reader shows in small files.
const LONGEST: usize = 1 << 17;

/// Numbers that readers believe too easily.
const NUMBERS: [&str; 28] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "7",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e-320",
    "1e-12",
    "1e15",
    "1e30",
    "1e308",
    "1e309",
    "nan",
    "inf",
    "-inf",
];

/// A corpus input with a few changes.
pub fn mutated(corpus: &[Vec<u8>], words: &[&str], dice: &mut Dice) -> Vec<u8> {
    let mut input = dice.pick(corpus).clone();
    // Mostly one or two changes, so that the rest of the input is still read.
    let changes = 1 + dice.below(2) + if dice.chance(0.2) { dice.below(8) } else { 0 };
    for _ in 0..changes {
        change(&mut input, corpus, words, dice);
    }
    input.truncate(LONGEST);
    input
}

fn change(input: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str], dice: &mut Dice) {
    if input.is_empty() {
        input.extend_from_slice(dice.pick::<Vec<u8>>(corpus));
        return;
    }
    let at = dice.below(input.len());
    let longest = if dice.chance(0.1) { 4096 } else { 32 };
    let length = 1 + dice.below((input.len() - at).min(longest));
    match dice.below(13) {
        0 => input[at] = dice.bits() as u8,
        1 => input[at] ^= 1 << dice.below(8),
        2 => drop(input.drain(at..at + length)),
        3 if dice.chance(0.2) => input.truncate(at),
        4 => {
            let copy = input[at..at + length].to_vec();
            let to = dice.below(input.len());
            input.splice(to..to, copy);
        }
        5 => wide_number(&mut input[at..], dice),
        6 => {
            let other = dice.pick(corpus);
            if !other.is_empty() {
                let from = dice.below(other.len());
                let to = (from + 1 + dice.below(256)).min(other.len());
                input.splice(at..at + length, other[from..to].iter().copied());
            }
        }
        7 if !words.is_empty() => replace_token(input, at, dice.pick(words).as_bytes()),
        8 => {
            let copy = line_at(input, at);
            let line = input[copy.clone()].to_vec();
            let to = line_at(input, dice.below(input.len())).start;
            if dice.chance(0.5) {
                input.splice(to..to, line);
            } else {
                input.drain(copy);
            }
        }
        _ => {
            let number = if dice.chance(0.5) {
                (*dice.pick(&NUMBERS)).to_owned()
            } else {
                format!("{:e}", f64::from_bits(dice.bits()))
            };
            replace_token(input, at, number.as_bytes());
        }
    }
}

/// Puts a number that is at the end of its range into the bytes, in either byte order.
fn wide_number(bytes: &mut [u8], dice: &mut Dice) {
    let value = *dice.pick(&[0_u64, 1, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, u64::MAX, u64::MAX / 2, 1 << 40]);
    let float = dice.pick(&[f64::NAN, f64::INFINITY, -1.0, 1e300, 1e-300, 0.0]).to_bits();
    let wide = if dice.chance(0.3) { float } else { value };
    let width = (*dice.pick(&[1, 2, 4, 8])).min(bytes.len());
    let little = wide.to_le_bytes();
    bytes[..width].copy_from_slice(&little[..width]);
}

/// Replaces the word or number about a place.
fn replace_token(input: &mut Vec<u8>, at: usize, with: &[u8]) {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b'_');
    // Most places are in words, but numbers are what readers stumble over: the next digit is taken if there is one near.
    let near = input[at..].iter().take(64).position(u8::is_ascii_digit).map_or(at, |ahead| at + ahead);
    let start = input[..near].iter().rposition(|byte| !belongs(byte)).map_or(0, |before| before + 1);
    let end = near + input[near..].iter().position(|byte| !belongs(byte)).unwrap_or(input.len() - near);
    input.splice(start..end.max(start), with.iter().copied());
}

fn line_at(input: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = input[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |before| before + 1);
    let end = at + input[at..].iter().position(|&byte| byte == b'\n').map_or(input.len() - at, |end| end + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_known_by_its_number() {
        let corpus = vec![b"radius = 1.5\ncount = 3\n".to_vec(), b"x y z\n0 1 2\n".to_vec()];
        let make = |number| mutated(&corpus, &["friction"], &mut Dice::new(1, "test", number));
        let all: Vec<Vec<u8>> = (0..500).map(make).collect();
        assert_eq!(all, (0..500).map(make).collect::<Vec<_>>());
        let changed = all.iter().filter(|input| !corpus.contains(input)).count();
        assert!(changed > 400, "{changed} of 500 differ from the corpus");
    }

    #[test]
    fn numbers_are_replaced_whole() {
        let mut input = b"radius = 1.5\n".to_vec();
        replace_token(&mut input, 3, b"1e9");
        assert_eq!(input, b"radius = 1e9\n");
    }
}
