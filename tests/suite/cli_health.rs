//! `chatdouble health`: 0 for a server that can answer, 1 for anything else.

use crate::support::Program;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};

fn chatdouble(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(arguments).env_clear();
    command
}

fn asked(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    (status.code(), String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn a_server_that_can_answer_is_healthy_whatever_its_token() {
    let program = Program::start(&mut chatdouble(&["serve", "--port", "0", "--control-token", "secret"]));
    let url = format!("http://127.0.0.1:{}", program.port);

    let (status, said, error) = asked(&mut chatdouble(&["health", &url]));
    assert_eq!((status, error.as_str()), (Some(0), ""));
    assert!(said.starts_with("chatdouble ") && said.trim_end().ends_with(&url), "{said}");

    for world in ["/w/default", "/api/v1/"] {
        assert_eq!(asked(&mut chatdouble(&["health", &format!("{url}{world}")])).0, Some(0), "{world}");
    }
    assert_eq!(asked(chatdouble(&["health"]).env("CHATDOUBLE_URL", &url)).0, Some(0));
    assert_eq!(asked(chatdouble(&["health"]).env("CHATDOUBLE_PORT", program.port.to_string())).0, Some(0));
}

#[test]
fn who_does_not_answer_is_not_healthy() {
    let nobody = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");

    let (status, said, error) = asked(&mut chatdouble(&["health", &format!("http://{nobody}")]));

    assert_eq!((status, said.as_str()), (Some(1), ""));
    assert!(
        error.starts_with("error: ") && error.contains(&nobody.to_string()) && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn who_answers_otherwise_is_not_healthy() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let other = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("it asks");
        let mut asked = [0; 1024];
        let length = stream.read(&mut asked).expect("it asks");
        assert!(asked[..length].starts_with(b"GET /control/health"));
        write!(stream, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").expect("it listens");
    });

    let (status, _, error) = asked(&mut chatdouble(&["health", &format!("http://{address}")]));

    assert_eq!(status, Some(1));
    assert!(error.contains("503"), "{error}");
    other.join().expect("it was asked");
}
