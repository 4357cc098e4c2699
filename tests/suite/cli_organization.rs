//! `chatdouble fixture from`: an organization of another server, read by an account.

mod anonymity;
mod failures;
mod questions;
mod reading;
mod recorded;
mod round_trip;

use crate::support::{TestServer, User};
use chatdouble::Options;
use chatdouble::fixture::Fixture;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use tokio::process::Command;

/// A file for one test.
pub fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-organization-{name}", std::process::id()))
}

/// The program, about to read what an account sees.
pub fn reading(url: &str, account: &User, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    let credentials = account.credentials();
    command.args(["fixture", "from", url, "--user", &credentials.email, "--rate", "0", "-o"]).arg(file);
    command.env_clear().env("CHATDOUBLE_API_KEY", &credentials.api_key).stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Reads, which must succeed; the file's text.
pub async fn read(url: &str, account: &User, name: &str, options: &[&str]) -> String {
    let file = place(name);
    let output = reading(url, account, &file).args(options).output().await.expect("the program starts");
    assert!(output.status.success(), "{}", errors(&output));
    let text = std::fs::read_to_string(&file).expect("written");
    assert!(!part(&file).exists(), "the partial file is removed");
    std::fs::remove_file(&file).expect("removed");
    text
}

/// What was said on standard error.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The file with what was read so far.
pub fn part(file: &Path) -> PathBuf {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

/// A server with one of the built-in organizations.
pub async fn server_with(name: &str) -> TestServer {
    let text = chatdouble::fixture::built_in(name).expect("a fixture");
    TestServer::start_with(|options| options.fixture = source(text)).await
}

fn source(text: &str) -> Fixture {
    let now = chatdouble::time::Timestamp::from_seconds(1_767_225_600);
    if let Err(faults) = chatdouble::fixture::read(text, now, 0) {
        panic!("the fixture does not load: {faults:#?}");
    }
    Fixture::Text(text.to_owned().into())
}

/// A server with what was read.
pub async fn loaded(text: &str, change: impl FnOnce(&mut Options)) -> TestServer {
    TestServer::start_with(|options| {
        options.fixture = source(text);
        change(options);
    })
    .await
}

/// The account with an address on a server made of what was read.
pub async fn account(server: &TestServer, email: &str) -> User {
    let reply = server.anonymous().post("/dev_fetch_api_key", json!({"username": email})).await.success();
    let id = chatdouble::realm::id::UserId(reply["user_id"].as_i64().expect("a number"));
    let api_key = reply["api_key"].as_str().expect("a key").to_owned();
    User::new(server.url(), Some(chatdouble::Credentials { id, email: email.to_owned(), api_key }))
}

/// The requests in a server's journal: method and path.
pub async fn requests(server: &TestServer) -> Vec<(String, String)> {
    let journal =
        server.request("GET", "/control/worlds/default/journal?limit=10000", &[("host", "localhost")], "").await;
    let entries = journal.success();
    let text = |entry: &Value, key: &str| entry[key].as_str().expect("text").to_owned();
    let entries = entries["entries"].as_array().expect("a list");
    entries.iter().map(|entry| (text(entry, "method"), text(entry, "path"))).collect()
}
