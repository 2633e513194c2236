//! The server: who may ask, and how many at once.

use crate::http::{Request, Response, Status, Unreadable};
use crate::site::Site;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How many are served at once: a browser opens six connections, and a few tabs may be open.
const MOST_CONNECTIONS: usize = 32;
/// How long a client may take to send its request, and to take in a piece of the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server that answers until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    token: String,
    ends: Arc<AtomicBool>,
}

impl Server {
    /// Serves a site at an address; port 0 is any that is free.
    pub fn open(site: Site, bind: SocketAddr) -> io::Result<Server> {
        let listener = TcpListener::bind(bind)?;
        let address = listener.local_addr()?;
        let (token, ends) = (random_word()?, Arc::new(AtomicBool::new(false)));
        let door = Arc::new(Door::new(site, &token, &random_word()?));
        let closes = ends.clone();
        thread::Builder::new().name("view".into()).spawn(move || {
            for stream in listener.incoming() {
                if closes.load(Ordering::SeqCst) {
                    break;
                }
                if let Ok(stream) = stream {
                    Door::receive(&door, stream);
                }
            }
        })?;
        Ok(Server { address, token, ends })
    }

    /// What it is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page, for a browser on this machine.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        format!("http://{host}:{}/{}/", self.address.port(), self.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // The thread waits for a connection: this is the last one.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

/// What stands between the network and the site.
#[derive(Debug)]
pub struct Door {
    site: Site,
    token: String,
    nonce: String,
    served: AtomicUsize,
}

impl Door {
    /// The door of a site to which a token opens it; `nonce` is that of the one script that the page holds itself.
    pub fn new(site: Site, token: &str, nonce: &str) -> Door {
        Door { site, token: token.to_owned(), nonce: nonce.to_owned(), served: AtomicUsize::new(0) }
    }

    /// Answers a connection on a thread of its own, so that a slow client holds up nobody.
    fn receive(door: &Arc<Door>, mut stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
        if door.served.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            let busy = Response::refusal(Status::Busy, "too many connections at once; try again");
            let _ = busy.write(&mut stream, &door.nonce);
            door.served.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let own = door.clone();
        let started = thread::Builder::new().name("view-client".into()).spawn(move || {
            own.serve(&mut stream);
            own.served.fetch_sub(1, Ordering::SeqCst);
        });
        if started.is_err() {
            door.served.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Reads one request and answers it.
    pub fn serve(&self, stream: &mut (impl Read + Write)) {
        let response = match Request::read(stream) {
            Ok(request) => self.answer(&request),
            Err(Unreadable::Gone) => return,
            Err(Unreadable::Malformed) => Response::refusal(Status::BadRequest, "this is not a request"),
            Err(Unreadable::TooLong) => Response::refusal(Status::TooLarge, "the request is too long"),
            Err(Unreadable::HasBody) => Response::refusal(Status::BadRequest, "requests with a body are not accepted"),
        };
        let _ = response.write(stream, &self.nonce);
    }

    fn answer(&self, request: &Request) -> Response {
        if let Some(refusal) = self.refusal(request) {
            return refusal;
        }
        let path = request.path.strip_prefix('/').unwrap_or_default();
        match path.split_once('/') {
            Some((token, rest)) if same(token, &self.token) => self.site.answer(&request.method, rest, &self.nonce),
            _ => Response::refusal(Status::Forbidden, "the address lacks its token; use the one that riprap printed"),
        }
    }

    /// Why a request is not answered, whatever it asks for. A page of another site must not reach this server through the
    /// user's browser, neither by its own name for this address (Host) nor as itself (Origin).
    fn refusal(&self, request: &Request) -> Option<Response> {
        if !matches!(request.method.as_str(), "GET" | "POST") {
            return Some(Response::refusal(Status::WrongMethod, "only GET and POST are supported"));
        }
        let Some(host) = request.host.as_deref().filter(|host| is_address(host)) else {
            return Some(Response::refusal(Status::Forbidden, "use the address that riprap printed"));
        };
        let is_ours = |origin: &str| origin.strip_prefix("http://") == Some(host);
        match request.origin.as_deref() {
            Some(origin) if !is_ours(origin) => Some(Response::refusal(Status::Forbidden, "not for other sites")),
            _ => None,
        }
    }
}

/// True if a host is `localhost` or an address in numbers, with or without a port: no name that somebody else could let
/// point here.
fn is_address(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name == "localhost" || bare.parse::<IpAddr>().is_ok()
}

/// Compares in a time that does not depend on where two words differ.
fn same(word: &str, token: &str) -> bool {
    word.len() == token.len() && word.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// 128 random bits as letters.
fn random_word() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_and_not_names() {
        for host in ["localhost", "localhost:80", "127.0.0.1:8000", "[::1]:9", "[::1]", "192.168.1.7:1"] {
            assert!(is_address(host), "{host}");
        }
        for host in ["", "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example:1", ":80"]
        {
            assert!(!is_address(host), "{host}");
        }
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (a, b) = (random_word().expect("random bits"), random_word().expect("random bits"));
        assert_eq!((a.len(), b.len()), (32, 32));
        assert_ne!(a, b);
        assert!(same(&a, &a) && !same(&a, &b) && !same(&a[..31], &a) && !same("", &a));
    }
}
