//! A small client that `exec` runs as its command: this test binary, with the bug that a variable names.
//!
//! It has two users. One sends news and the other polls for them and sends a greeting; both survive what networks and
//! servers do, but for that bug.

use crate::support::form;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

/// Names the bug; without it, the test that runs the client does nothing.
const BUG: &str = "TEST_CLIENT_BUG";
/// How long a reply is waited for, and the news altogether.
const PATIENCE: Duration = Duration::from_secs(2);
const DEADLINE: Duration = Duration::from_secs(15);
const TRIES: usize = 8;

/// What the client does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    None,
    /// It sends a message again whose reply was lost, without looking.
    SendsTwice,
    /// It registers again when its queue is lost, and does not fetch what it missed.
    ForgetsMissed,
    /// It waits for ever when its queue is lost.
    Hangs,
}

/// The arguments of `exec` that run the client.
pub fn command(bug: Bug) -> Vec<String> {
    let program = std::env::current_exe().expect("this binary").to_string_lossy().into_owned();
    let name = format!("{BUG}={bug:?}");
    ["--", "env", &name, &program, "chaos_client::the_client", "--exact", "--quiet", "--test-threads=1"]
        .map(str::to_owned)
        .into()
}

/// The program with `exec`, these options and the client.
pub fn exec(options: &[&str], bug: Bug) -> Command {
    let mut exec = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    exec.arg("exec").args(options).args(command(bug)).env_clear();
    exec.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    exec
}

#[test]
fn the_client() {
    let Ok(bug) = std::env::var(BUG) else { return };
    let bugs = [Bug::None, Bug::SendsTwice, Bug::ForgetsMissed, Bug::Hangs];
    let bug = bugs.into_iter().find(|one| format!("{one:?}") == bug).expect("a bug");
    let [mel, max] = ["mel", "max"].map(User::of);
    let mut reader =
        Reader { user: &mel, bug, queue: String::new(), last: -1, seen: BTreeSet::new(), is_behind: false };
    reader.register();
    mel.send("greeting", bug == Bug::SendsTwice);
    for news in ["one", "two", "three"] {
        max.send(news, false);
        reader.wait_for(news);
    }

    let missed: Vec<&str> = ["one", "two", "three"].into_iter().filter(|news| !reader.seen.contains(*news)).collect();
    assert!(missed.is_empty(), "{missed:?} were missed");
    let all = mel.messages();
    for content in ["greeting", "one", "two", "three"] {
        assert_eq!(all.iter().filter(|one| *one == content).count(), 1, "{content} is there once: {all:?}");
    }
}

struct User {
    address: String,
    credentials: String,
}

impl User {
    fn of(handle: &str) -> Self {
        let url = std::env::var("CHATDOUBLE_URL").expect("a server");
        let key = format!("{handle}Key{}", "0".repeat(29 - handle.len()));
        let pair = format!("{handle}@chat.test:{key}");
        use base64::Engine;
        let credentials = base64::engine::general_purpose::STANDARD.encode(pair);
        Self { address: url.trim_start_matches("http://").to_owned(), credentials }
    }

    /// A request on a connection of its own; Err for a reply that is not whole or not of this API.
    fn ask(&self, method: &str, path: &str, params: &Value) -> io::Result<(u16, Value)> {
        let (query, body) =
            if method == "GET" { (format!("?{}", form(params)), String::new()) } else { (String::new(), form(params)) };
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let length = body.len();
        let credentials = &self.credentials;
        write!(
            stream,
            "{method} /api/v1{path}{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic {credentials}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        let broken = || io::Error::other("the reply is not whole");
        let (head, body) = reply.split_once("\r\n\r\n").ok_or_else(broken)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
        Ok((status, serde_json::from_str(body)?))
    }

    /// As [`User::ask`], again and again where that is right.
    fn ask_patiently(&self, method: &str, path: &str, params: &Value) -> (u16, Value) {
        for _ in 0..TRIES {
            match self.ask(method, path, params) {
                Ok((429, reply)) => {
                    std::thread::sleep(Duration::from_secs_f64(reply["retry-after"].as_f64().expect("seconds")));
                }
                Ok((status, reply)) if status < 500 => return (status, reply),
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        panic!("{method} {path} never succeeds");
    }

    /// Sends a message. When it can't know whether it arrived, it looks, or just sends again.
    fn send(&self, content: &str, is_blind: bool) {
        let params = json!({"type": "channel", "to": "general", "topic": "chaos", "content": content});
        for _ in 0..TRIES {
            match self.ask("POST", "/messages", &params) {
                Ok((200, _)) => return,
                Ok((429, reply)) => {
                    std::thread::sleep(Duration::from_secs_f64(reply["retry-after"].as_f64().expect("seconds")));
                }
                _ if !is_blind && self.messages().contains(&content.to_owned()) => return,
                _ => {}
            }
        }
        panic!("{content} can't be sent");
    }

    /// The newest messages of the topic.
    fn messages(&self) -> Vec<String> {
        let narrow = json!([{"operator": "topic", "operand": "chaos"}]);
        let params =
            json!({"anchor": "newest", "num_before": 20, "num_after": 0, "narrow": narrow, "apply_markdown": false});
        let (_, reply) = self.ask_patiently("GET", "/messages", &params);
        let messages = reply["messages"].as_array().expect("messages");
        messages.iter().map(|one| one["content"].as_str().expect("text").to_owned()).collect()
    }
}

struct Reader<'a> {
    user: &'a User,
    bug: Bug,
    queue: String,
    last: i64,
    seen: BTreeSet<String>,
    /// Whether it goes on without what it missed.
    is_behind: bool,
}

impl Reader<'_> {
    fn register(&mut self) {
        let params = json!({"event_types": ["message"], "fetch_event_types": ["message"], "apply_markdown": false});
        let (_, reply) = self.user.ask_patiently("POST", "/register", &params);
        self.queue = reply["queue_id"].as_str().expect("a queue").to_owned();
        self.last = reply["last_event_id"].as_i64().expect("a number");
    }

    /// Polls until a message came.
    fn wait_for(&mut self, content: &str) {
        let began = Instant::now();
        self.is_behind = false;
        while !self.seen.contains(content) && !self.is_behind {
            assert!(began.elapsed() < DEADLINE, "{content} does not come");
            let params = json!({"queue_id": self.queue, "last_event_id": self.last});
            match self.user.ask("GET", "/events", &params) {
                Ok((200, reply)) => self.take(&reply),
                Ok((_, reply)) if reply["code"] == "BAD_EVENT_QUEUE_ID" => self.begin_again(),
                Ok((429, reply)) => {
                    std::thread::sleep(Duration::from_secs_f64(reply["retry-after"].as_f64().expect("seconds")));
                }
                _ => {}
            }
        }
    }

    fn take(&mut self, reply: &Value) {
        for event in reply["events"].as_array().expect("events") {
            self.last = self.last.max(event["id"].as_i64().expect("an id"));
            if event["type"] == "message" {
                self.seen.insert(event["message"]["content"].as_str().expect("text").to_owned());
            }
        }
    }

    fn begin_again(&mut self) {
        match self.bug {
            Bug::Hangs => std::thread::sleep(Duration::from_secs(600)),
            Bug::ForgetsMissed => {
                self.register();
                self.is_behind = true;
            }
            Bug::None | Bug::SendsTwice => {
                self.register();
                self.seen.extend(self.user.messages());
            }
        }
    }
}
