//! The little of HTTP that a page for one person needs: one request per connection, without a body, within limits.

use std::io::{self, Read, Write};

/// The longest head of a request, in bytes; browsers send less than a thousand.
const LONGEST_HEAD: usize = 8 * 1024;
/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// A request, as far as it matters here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path, as it was sent.
    pub path: String,
    /// What the client takes the server to be called.
    pub host: Option<String>,
    /// The page that asks, where a browser says it.
    pub origin: Option<String>,
}

/// Why there is no request.
#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The connection was closed, or too slow.
    Gone,
    /// It is not HTTP.
    Malformed,
    /// The head is too long.
    TooLong,
    /// It comes with a body, which nothing here reads.
    HasBody,
}

impl Request {
    /// Reads the head of a request.
    pub fn read(from: &mut impl Read) -> Result<Request, Unreadable> {
        let mut head = Vec::new();
        let mut chunk = [0; 1024];
        loop {
            let count = from.read(&mut chunk).map_err(|_| Unreadable::Gone)?;
            if count == 0 {
                return Err(Unreadable::Gone);
            }
            head.extend_from_slice(&chunk[..count]);
            if let Some(request) = Request::parse(&head)? {
                return Ok(request);
            }
            if head.len() > LONGEST_HEAD {
                return Err(Unreadable::TooLong);
            }
        }
    }

    /// The request with this head; `None` if more of it has to come.
    fn parse(head: &[u8]) -> Result<Option<Request>, Unreadable> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(head) {
            Ok(httparse::Status::Partial) => return Ok(None),
            Ok(httparse::Status::Complete(_)) => {}
            Err(httparse::Error::TooManyHeaders) => return Err(Unreadable::TooLong),
            Err(_) => return Err(Unreadable::Malformed),
        }
        let value = |name: &str| -> Result<Option<String>, Unreadable> {
            let mut found = parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            let Some(first) = found.next() else { return Ok(None) };
            // Two different names of one server are an attempt to be two things to two readers.
            if found.next().is_some() {
                return Err(Unreadable::Malformed);
            }
            let text = std::str::from_utf8(first.value).map_err(|_| Unreadable::Malformed)?;
            Ok(Some(text.trim().to_owned()))
        };
        if value("transfer-encoding")?.is_some() || value("content-length")?.is_some_and(|length| length != "0") {
            return Err(Unreadable::HasBody);
        }
        Ok(Some(Request {
            method: parsed.method.unwrap_or_default().into(),
            path: parsed.path.unwrap_or_default().into(),
            host: value("host")?,
            origin: value("origin")?,
        }))
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: Status,
    /// The media type of the body.
    pub kind: &'static str,
    /// The body.
    pub body: Vec<u8>,
}

/// The statuses in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Here it is.
    Ok,
    /// That is no request.
    BadRequest,
    /// Not for whoever asks.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// Not by this method.
    WrongMethod,
    /// More than a request may be.
    TooLarge,
    /// What is asked for is there, and cannot be read.
    Damaged,
    /// Too many ask at once.
    Busy,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::WrongMethod => "405 Method Not Allowed",
            Status::TooLarge => "431 Request Header Fields Too Large",
            Status::Damaged => "422 Unprocessable Content",
            Status::Busy => "503 Service Unavailable",
        }
    }
}

impl Response {
    /// An answer of this media type.
    pub fn new(kind: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response { status: Status::Ok, kind, body: body.into() }
    }

    /// A refusal in a sentence.
    pub fn refusal(status: Status, sentence: &str) -> Response {
        Response { status, kind: "text/plain; charset=utf-8", body: sentence.into() }
    }

    /// Writes the answer. `nonce` is that of the one script that the page holds itself.
    pub fn write(&self, to: &mut impl Write, nonce: &str) -> io::Result<()> {
        // The address holds the token, so no other site may learn it; nothing is loaded from anywhere else.
        write!(
            to,
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Content-Security-Policy: default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self'; \
             connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'\r\n\r\n",
            self.status.line(),
            self.kind,
            self.body.len()
        )?;
        to.write_all(&self.body)?;
        to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, Unreadable> {
        Request::read(&mut text.as_bytes())
    }

    #[test]
    fn the_head_of_a_request_is_read() {
        let request = read("GET /a/b?c HTTP/1.1\r\nHost: localhost:1\r\norigin: http://localhost:1\r\n\r\n");
        let expected = Request {
            method: "GET".into(),
            path: "/a/b?c".into(),
            host: Some("localhost:1".into()),
            origin: Some("http://localhost:1".into()),
        };
        assert_eq!(request, Ok(expected));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(read(""), Err(Unreadable::Gone));
        assert_eq!(read("GET / HTTP/1.1\r\nHost: a"), Err(Unreadable::Gone));
        assert_eq!(read("\u{1}\u{2}\u{3}\r\n\r\n"), Err(Unreadable::Malformed));
        assert_eq!(read("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), Err(Unreadable::Malformed));
        assert_eq!(read("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"), Err(Unreadable::HasBody));
        assert_eq!(read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(Unreadable::HasBody));
        let long = format!("GET / HTTP/1.1\r\nCookie: {}", "x".repeat(20_000));
        assert_eq!(read(&long), Err(Unreadable::TooLong));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(100));
        assert_eq!(read(&many), Err(Unreadable::TooLong));
    }
}
