//! What reaches the viewer: requests, and addresses of views.

use super::files::scratch;
use super::{Target, Verdict};
use crate::dice::Dice;
use crate::mutate::mutated;
use crate::worlds;
use riprap_store::{Format, Snapshot, write_snapshot};
use riprap_view::{Door, Look, Settings, Site, render};
use std::io::{self, Read, Write};
use tempfile::TempDir;

/// The token of the door, which a stranger does not know but a fuzzer may.
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

struct Http {
    door: Door,
    /// The snapshot that is shown.
    _folder: TempDir,
    corpus: Vec<Vec<u8>>,
}

/// A connection: what was sent, and what is answered.
struct Connection<'a> {
    request: &'a [u8],
    answer: Vec<u8>,
}

impl Read for Connection<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.request.read(buffer)
    }
}

impl Write for Connection<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.answer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn http() -> Box<dyn Target> {
    let folder = scratch();
    let world = worlds::all().remove(0);
    let paths =
        write_snapshot(&Snapshot::of(&world), Format::Hdf5, &folder.path().join("a")).expect("it can be written");
    let mut site = Site::default();
    site.add(&paths[0]).expect("it can be read");
    let paths = [
        "",
        "site",
        "main.js",
        "style.css",
        "run/0",
        "run/0/frame/0",
        "run/0/bodies/0",
        "run/0/wall-surfaces/0",
        "run/0/series",
        "run/0/log",
        "run/0/grain/0/1",
        "run/0/array/0/speed?since=0",
        "run/0/array/0/radius",
        "run/0/summary",
        "run/0/live/pause",
    ];
    let request = |path: &&str| {
        let origin = "Origin: http://127.0.0.1:8000\r\nAccept: */*\r\n";
        format!("GET /{TOKEN}/{path} HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n{origin}\r\n").into_bytes()
    };
    Box::new(Http {
        door: Door::new(site, TOKEN, "nonce"),
        corpus: paths.iter().map(request).collect(),
        _folder: folder,
    })
}

impl Target for Http {
    fn input(&self, dice: &mut Dice) -> Vec<u8> {
        let words = [
            "POST",
            "HEAD",
            "..",
            "%2e%2e",
            "Content-Length: 5",
            "Transfer-Encoding: chunked",
            "\r\n",
            "18446744073709551615",
        ];
        mutated(&self.corpus, &words, dice)
    }

    fn judge(&mut self, input: &[u8]) -> Result<Verdict, String> {
        let mut connection = Connection { request: input, answer: Vec::new() };
        self.door.serve(&mut connection);
        let answer = connection.answer;
        let head_ends = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        match head_ends {
            // The connection ended before the request did.
            None if answer.is_empty() => Ok(Verdict::Refused),
            None => Err("the answer has no head".into()),
            // A refusal is one sentence, and tells nothing of the machine.
            Some(end) if !answer.starts_with(b"HTTP/1.1 200") => match answer.len() - end {
                0..200 => Ok(Verdict::Refused),
                length => Err(format!("a refusal of {length} bytes")),
            },
            Some(_) => Ok(Verdict::Accepted),
        }
    }
}

struct Address {
    corpus: Vec<Vec<u8>>,
    snapshot: Snapshot,
}

pub fn look() -> Box<dyn Target> {
    let corpus = [
        "http://127.0.0.1:8/t/#array=pressure&range=values&low=-1&high=2.5&contacts=push&slice=y&cut=0.25&walls=0&camera=0+0+1+2+-1.5+0.25+1",
        "array=displacement&since=1&range=all&map=grey&above=0&below=1e3&colour=friction&contacts=all&strong=1&thickness=2",
        "hidden=m%3Aroter+Stein%2Cg%3Atop&region=0+0+0+1+1+2.5&grains=0&cell=0",
        "range=percentile&low=5&high=95&map=signed&slice=x&cut=0.5&contacts=bonds&colour=kind&frame=3&text=1",
    ];
    let snapshot = Snapshot::of(&worlds::all().remove(2));
    Box::new(Address { corpus: corpus.iter().map(|text| text.as_bytes().to_vec()).collect(), snapshot })
}

impl Target for Address {
    fn input(&self, dice: &mut Dice) -> Vec<u8> {
        let words = [
            "array",
            "range",
            "percentile",
            "cut",
            "camera",
            "hidden",
            "region",
            "%",
            "%41",
            "%zz",
            "&",
            "=",
            "slice",
            "since",
        ];
        mutated(&self.corpus, &words, dice)
    }

    fn judge(&mut self, input: &[u8]) -> Result<Verdict, String> {
        let Ok(text) = std::str::from_utf8(input) else { return Ok(Verdict::Refused) };
        let Ok(look) = Look::from_address(text) else { return Ok(Verdict::Refused) };
        // A picture takes a hundred times as long as the address: it is drawn for one in sixteen.
        if riprap_store::hash_of_bytes(input).is_multiple_of(16)
            && let Ok(settings) = Settings::of(&look, &[&self.snapshot], [24, 16])
        {
            let _ = render(&self.snapshot, &self.snapshot, &look, &settings);
        }
        Ok(Verdict::Accepted)
    }
}
