//! The program as a process of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that was started as a program.
pub struct Program {
    /// Its process.
    pub child: Child,
    /// The line that it printed when it was ready.
    pub ready: String,
    /// The port that the line names.
    pub port: u16,
}

impl Program {
    /// Starts `command` and waits for its line.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut ready = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        lines.read_line(&mut ready).expect("a line");
        let port = ready.trim().rsplit(':').next().and_then(|port| port.parse().ok()).unwrap_or_else(|| {
            let mut errors = String::new();
            let _ = child.stderr.take().expect("piped").read_to_string(&mut errors);
            panic!("not ready: {ready:?} {errors}")
        });
        Self { child, ready, port }
    }

    /// A GET request; the whole reply as text.
    pub fn get(&self, host: &str, path: &str) -> String {
        let address: SocketAddr = format!("{host}:{}", self.port).parse().expect("an address");
        let mut stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("{address}: {error}"));
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        reply
    }

    /// A form that is posted, with credentials; the reply.
    pub fn post(&self, path: &str, credentials: Option<&str>, form: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        self.begin_post(&mut stream, path, credentials, form);
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        reply
    }

    /// The same without waiting for the reply.
    pub fn begin_post(&self, stream: &mut TcpStream, path: &str, credentials: Option<&str>, form: &str) {
        let authorization = credentials.map(|credentials| format!("Authorization: Basic {credentials}\r\n"));
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
        let length = form.len();
        let authorization = authorization.unwrap_or_default();
        write!(stream, "{head}{authorization}{kind}Content-Length: {length}\r\n\r\n{form}").expect("sent");
    }

    /// A request of control; the reply must be a success.
    pub fn control(&self, method: &str, path: &str, body: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        let length = body.len();
        let head = format!("{method} /control{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    }

    /// Resident memory in KiB.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Sends a signal; the exit status, and how long the end took.
    pub fn signal(&mut self, name: &str) -> (Option<i32>, Duration) {
        let begun = Instant::now();
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().expect("kill is there");
        assert!(status.success());
        let status = self.child.wait().expect("it ends");
        (status.code(), begun.elapsed())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
