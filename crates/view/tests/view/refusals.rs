//! What is refused, and that nothing else comes of it.

use crate::{ask, get, path_of, server};
use riprap_view::Server;
use std::io::Write;
use std::net::TcpStream;

/// Requests that must be refused: each with the status that it gets.
fn hostile(server: &Server) -> Vec<(String, &'static str)> {
    let host = server.address().to_string();
    let site = path_of(server, "site");
    let token = site.split('/').nth(1).expect("a token").to_owned();
    let plain = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let (bad, forbidden, missing) = ("400", "403", "404");
    let mut requests = Vec::new();
    // Paths out of the folder, in every spelling: none of them is a name that exists here.
    for up in ["..", "%2e%2e", "..%2f", "%2e%2e%2f", "..;", "....", "%252e%252e", "..\\", "%c0%ae%c0%ae"] {
        for target in ["etc/passwd", "scene.toml", "log.txt", "snapshots.csv", "Cargo.toml"] {
            requests.push((plain(&format!("/{token}/{up}/{target}")), missing));
            requests.push((plain(&format!("/{token}/run/0/{up}/{target}")), missing));
        }
        requests.push((plain(&format!("/{token}/run/{up}/frame/0")), missing));
    }
    for path in [
        "/etc/passwd",
        "//etc/passwd",
        "run/0/frame/-1",
        "run/0/frame/1e3",
        "run/0/frame/99999999999999999999",
        "run/0/frame/18446744073709551615",
        "run/1",
        "run/-1",
        "run/0/grain/0/4294967296",
        "run/0/grain/0/x",
        "run/0/array/0/secret",
        "run/0/array/0/speed/more",
        "run/0/frame/0/..",
        "run/0/frame/now",
        "run",
        "run/",
        "run/0/",
        "site/",
        "index.html/",
        "main.js/../site",
        "MAIN.JS",
        "page/main.js",
        "src/lib.rs",
        "favicon.ico",
        "run/0/scene",
        "run/0/checkpoints",
        "run/0/frame/0%00",
    ] {
        requests.push((plain(&format!("/{token}/{path}")), missing));
    }
    // Without the token, or with another one.
    for wrong in [
        "",
        "x",
        "0",
        &"0".repeat(32),
        &token[..31],
        &format!("{token}0"),
        &token.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A"),
    ] {
        for rest in ["", "site", "run/0/frame/0", "main.js"] {
            requests.push((plain(&format!("/{wrong}/{rest}")), forbidden));
        }
    }
    requests.push((plain("/"), forbidden));
    requests.push((plain("/site"), forbidden));
    requests.push((plain("*"), forbidden));
    requests.push((plain("http://example.org/"), forbidden));
    // Other names of this server, and pages of other sites.
    for name in [
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        ":",
        "[::1",
        "127.0.0.1:80:80",
        "localhost@evil.example",
    ] {
        requests.push((format!("GET {site} HTTP/1.1\r\nHost: {name}\r\n\r\n"), forbidden));
    }
    requests.push((format!("GET {site} HTTP/1.1\r\n\r\n"), forbidden));
    requests.push((format!("GET {site} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n"), bad));
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://127.0.0.1:1",
        "file://",
        &format!("https://{host}"),
        &format!("http://{host}.evil.example"),
    ] {
        requests.push((format!("GET {site} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\r\n"), forbidden));
        requests.push((format!("POST {site} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\r\n"), forbidden));
    }
    // Methods that nobody needs.
    for method in ["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "get"] {
        requests.push((format!("{method} {site} HTTP/1.1\r\nHost: {host}\r\n\r\n"), "405"));
    }
    requests.push((format!("POST {site} HTTP/1.1\r\nHost: {host}\r\n\r\n"), "405"));
    for button in ["pause", "stop", "step", "go", "x"] {
        requests.push((
            format!("POST {} HTTP/1.1\r\nHost: {host}\r\n\r\n", path_of(server, &format!("run/0/live/{button}"))),
            missing,
        ));
        requests.push((
            format!("GET {} HTTP/1.1\r\nHost: {host}\r\n\r\n", path_of(server, &format!("run/0/live/{button}"))),
            missing,
        ));
    }
    // Bodies, and what is no HTTP at all.
    requests.push((format!("POST {site} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\n\r\nhello"), bad));
    requests
        .push((format!("POST {site} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), bad));
    for text in [
        "\r\n\0\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / \r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n",
        "GET /\u{7f} HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\u{0}: a\r\n\r\n",
    ] {
        requests.push((text.into(), bad));
    }
    // Heads that are too long.
    requests.push((format!("GET {site} HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n\r\n", "x".repeat(100_000)), "431"));
    requests.push((format!("GET {site} HTTP/1.1\r\nHost: {host}\r\n{}\r\n", "A: b\r\n".repeat(500)), "431"));
    requests.push((format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "a/".repeat(30_000)), "431"));
    requests
}

#[test]
fn two_hundred_malformed_requests_get_a_refusal_and_nothing_else() {
    let (server, run, _folder) = server();
    let secret = std::fs::read_to_string(run.scene()).expect("the scene is there");
    let requests = hostile(&server);
    assert!(requests.len() >= 200, "{} requests", requests.len());
    for (request, expected) in requests {
        let (status, body) = ask(&server, request.as_bytes());
        let shown: String = request.chars().take(120).collect();
        // Where a head is refused before all of it was sent, the connection may be reset before the answer is read.
        let is_cut_off = expected == "431" && status.is_empty();
        assert!(
            is_cut_off || status.split(' ').nth(1) == Some(expected),
            "{shown:?} got {status:?}, expected {expected}"
        );
        assert!(body.len() < 200 && !String::from_utf8_lossy(&body).contains(&secret), "{shown:?}");
    }
    assert_eq!(get(&server, "site").0, "HTTP/1.1 200 OK", "the server is still there");
}

#[test]
fn half_open_and_idle_connections_hold_up_nobody() {
    let (server, ..) = server();
    let half = |text: &[u8]| {
        let mut stream = TcpStream::connect(server.address()).expect("it listens");
        stream.write_all(text).expect("it takes them");
        stream
    };
    let idle: Vec<TcpStream> = (0..20).map(|k| half(if k % 2 == 0 { b"" } else { b"GET / HT" })).collect();
    assert_eq!(get(&server, "site").0, "HTTP/1.1 200 OK");
    // More than may be served at once are told so; when the idle ones are gone, there is room again.
    let more: Vec<TcpStream> = (0..20).map(|_| half(b"")).collect();
    drop((idle, more));
    let is_served = || get(&server, "site").0 == "HTTP/1.1 200 OK";
    assert!((0..20_000).any(|_| is_served()), "connections that were closed still count");
}

#[test]
fn the_server_is_gone_when_it_is_dropped() {
    let (server, ..) = server();
    let address = server.address();
    drop(server);
    // The thread takes the last connection and ends; from then on nobody answers.
    let refuses = || match TcpStream::connect(address) {
        Err(_) => true,
        Ok(mut stream) => stream.write_all(b"GET / HTTP/1.1\r\n\r\n").is_err(),
    };
    assert!((0..20_000).any(|_| refuses()), "it still listens");
}
