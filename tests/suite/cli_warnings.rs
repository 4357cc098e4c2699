//! Warnings on standard error while the program runs.

use crate::cli::chatdouble;
use crate::support::Program;
use base64::Engine;
use std::io::{Read, Write};
use std::net::TcpStream;

#[test]
fn a_stock_client_in_a_world_with_neutral_names_is_reported_once() {
    let ask = |program: &Program, client: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", program.port)).expect("connected");
        let head = "GET /api/v1/server_settings HTTP/1.1\r\nHost: localhost\r\nConnection: close";
        write!(stream, "{head}\r\nUser-Agent: {client}\r\n\r\n").expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
    };
    let warnings = |dialect: &str| {
        let mut program = Program::start(&mut chatdouble(&["--port", "0", "--dialect", dialect]));
        for client in ["ZulipPython/0.9.0 (Linux)", "curl/8", "ZulipPython/0.9.0 (Linux)", "ZulipMobile/30"] {
            ask(&program, client);
        }
        let _ = program.signal("-TERM");
        let mut text = String::new();
        program.child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
        text
    };

    let lines = warnings("neutral");
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for client in ["ZulipPython/0.9.0", "ZulipMobile/30"] {
        let line = lines.lines().find(|line| line.contains(client)).expect("a line for each client");
        assert!(line.contains("WARN") && line.ends_with("it needs --dialect zulip"), "{line}");
    }
    assert_eq!(warnings("zulip"), "");
}

#[test]
fn a_path_of_an_operation_outside_of_the_api_is_reported_once() {
    let mut program = Program::start(&mut chatdouble(&["--port", "0"]));
    for path in [
        "/register",
        "/messages",
        "/messages",
        "/favicon.ico",
        "/api/v2/messages",
        "//api/v1/messages",
        "/api/api/v1/users",
    ] {
        program.get("127.0.0.1", path);
    }
    let _ = program.signal("-TERM");
    let mut text = String::new();
    program.child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let place = "The API is below /api/v1, control below /control; the nearest operation is";
    let expected = [
        ("/register", format!("{place} POST /api/v1/register.")),
        ("/messages", format!("{place} GET /api/v1/messages.")),
        ("/api/v2/messages", format!("{place} GET /api/v1/messages.")),
        ("//api/v1/messages", "The path has a doubled slash; without it: /api/v1/messages".to_owned()),
        ("/api/api/v1/users", format!("{place} GET /api/v1/users.")),
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, (path, reason)) in lines.iter().zip(expected) {
        let warning = format!("GET {path} is not in the journal: {reason}");
        assert!(line.contains("WARN") && line.ends_with(&warning), "{line}");
    }
}

#[test]
fn a_default_world_that_changes_between_forks_is_reported_once() {
    let program = |changes_between_forks: bool| {
        let mut program = Program::start(&mut chatdouble(&["--port", "0"]));
        let mel = base64::engine::general_purpose::STANDARD.encode("mel@chat.test:melKey00000000000000000000000000");
        let change = |program: &Program| {
            let reply = program.post("/api/v1/users/me/status", Some(&mel), "status_text=away");
            assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
        };
        change(&program);
        for _ in 0..2 {
            program.control("POST", "/worlds", r#"{"fork_of": "default"}"#);
            program.get("127.0.0.1", "/api/v1/server_settings");
            if changes_between_forks {
                change(&program);
            }
        }
        program.control("POST", "/worlds", r#"{"fork_of": "default"}"#);
        let _ = program.signal("-TERM");
        let mut text = String::new();
        program.child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
        text
    };

    assert_eq!(program(false), "", "what is set up before the first fork is no mistake");
    let warning = "POST /users/me/status of mel@chat.test changed the world default: worlds that are forked from it later have the change";
    let text = program(true);
    assert!(text.lines().count() == 1 && text.trim_end().ends_with(warning), "{text}");
}

#[test]
fn a_page_of_a_refused_origin_is_reported_once() {
    let mut program = Program::start(&mut chatdouble(&["--port", "0", "--cors-origin", "http://localhost:5173"]));
    let own = format!("http://127.0.0.1:{}", program.port);
    for origin in ["http://localhost:5173", own.as_str(), "http://127.0.0.1:5173", "http://127.0.0.1:5173"] {
        let mut stream = TcpStream::connect(("127.0.0.1", program.port)).expect("connected");
        let host = own.trim_start_matches("http://");
        write!(
            stream,
            "OPTIONS /api/v1/messages HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\r\n"
        )
        .expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
    }
    let _ = program.signal("-TERM");
    let mut text = String::new();
    program.child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
    let warning = "pages of http://127.0.0.1:5173 can't read replies: --cors-origin allows http://localhost:5173";
    assert!(text.lines().count() == 1 && text.trim_end().ends_with(warning), "{text}");
}

#[test]
fn a_world_at_a_level_newer_than_the_newest_is_reported_once() {
    let newest = chatdouble::api::NEWEST_FEATURE_LEVEL;
    let mut program = Program::start(&mut chatdouble(&["--port", "0", "--feature-level", "9998"]));
    for level in [newest, 9998, 9999, 9999] {
        program.control("POST", "/worlds", &format!(r#"{{"feature_level": {level}}}"#));
    }
    let _ = program.signal("-TERM");
    let mut text = String::new();
    program.child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let warning =
        |level: i64| format!("feature level {level} is newer than {newest}, the newest that chatdouble knows");
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with(&format!("warning: {}", warning(9998))), "{text}");
    assert!(lines[1].contains("WARN") && lines[1].contains(&warning(9999)), "{text}");
}
