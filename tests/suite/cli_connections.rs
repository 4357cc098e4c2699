//! Connections of the program: idle ones, too many, and those that wait.

use crate::cli::chatdouble;
use crate::support::Program;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::Command;

#[test]
fn a_connection_that_sends_nothing_costs_nobody_anything() {
    let program = Program::start(&mut chatdouble(&["serve", "--port", "0"]));
    let idle: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(("127.0.0.1", program.port)).expect("connected")).collect();

    assert!(program.get("127.0.0.1", "/api/v1/server_settings").starts_with("HTTP/1.1 200"));
    drop(idle);
}

/// Starts a server that the shell has limited first, and opens a hundred connections to it.
fn limited(limit: &str) -> (Program, Vec<TcpStream>) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("ulimit {limit}; exec \"$0\" --port 0"), env!("CARGO_BIN_EXE_chatdouble")]).env_clear();
    let program = Program::start(&mut shell);
    let connect = |_| TcpStream::connect(("127.0.0.1", program.port)).expect("connected");
    let connections = (0..100).map(connect).collect();
    (program, connections)
}

#[test]
fn it_takes_as_many_open_files_as_it_can_have() {
    let (program, _connections) = limited("-S -n 64");

    assert!(program.get("127.0.0.1", "/api/v1/server_settings").starts_with("HTTP/1.1 200"));
}

#[test]
fn connections_that_have_to_wait_are_reported_and_taken_later() {
    let (mut program, connections) = limited("-n 64");

    let mut line = String::new();
    BufReader::new(program.child.stderr.take().expect("piped")).read_line(&mut line).expect("a line");
    assert!(line.contains("WARN") && line.contains("connections have to wait until others close"), "{line}");
    drop(connections);
    assert!(program.get("127.0.0.1", "/api/v1/server_settings").starts_with("HTTP/1.1 200"));
}
