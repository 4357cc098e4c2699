//! `chatdouble watch`: a line for each thing that happens, through restarts, for people and for machines.

use crate::support::TestServer;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

/// A watcher that was started as a program.
struct Watcher {
    child: Child,
    out: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
}

impl Watcher {
    fn start(arguments: &[&str]) -> Self {
        Self::start_in(arguments, &[])
    }

    /// Starts one with these variables of the environment.
    fn start_in(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_chatdouble"))
            .arg("watch")
            .args(arguments)
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("piped")).lines();
        let stderr = BufReader::new(child.stderr.take().expect("piped")).lines();
        Self { child, out, stderr }
    }

    /// Starts one and waits until it watches.
    async fn ready(arguments: &[&str]) -> Self {
        let mut watcher = Self::start(arguments);
        let line = watcher.stderr_line().await;
        assert!(line.ends_with(": watching"), "{line}");
        watcher
    }

    /// The next line of a frame, after lines with a day.
    async fn line(&mut self) -> String {
        loop {
            let line = self.line_or_day().await;
            if !line.ends_with(" UTC") {
                return line;
            }
        }
    }

    async fn line_or_day(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(10), self.out.next_line()).await.expect("a line in time");
        line.expect("text").expect("a line")
    }

    async fn stderr_line(&mut self) -> String {
        let line =
            tokio::time::timeout(Duration::from_secs(10), self.stderr.next_line()).await.expect("a line in time");
        line.expect("text").expect("a line")
    }

    async fn status(&mut self) -> Option<i32> {
        let ended = tokio::time::timeout(Duration::from_secs(10), self.child.wait()).await.expect("it ends in time");
        ended.expect("it ends").code()
    }

    async fn signal(&mut self, name: &str) -> Option<i32> {
        let id = self.child.id().expect("it runs").to_string();
        assert!(Command::new("kill").args([name, &id]).status().await.expect("kill is there").success());
        self.status().await
    }
}

async fn control(server: &TestServer, path: &str, body: Value) -> Value {
    let bytes = body.to_string().into_bytes();
    let (caller, path) = (server.anonymous(), format!("/control{path}"));
    caller.send("POST", &path, &body, bytes, Some("application/json")).await.success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_events_faults_and_jumps_are_a_line_each() {
    let server = TestServer::start().await;
    let mut watcher = Watcher::ready(&[&server.url()]).await;
    let [mel, max] = server.users(["mel", "max"]);

    let id = mel.send_direct(&[max.id()], "hi").await;
    assert_eq!(watcher.line_or_day().await, "2026-01-01 UTC");
    let line = watcher.line_or_day().await;
    assert!(line.starts_with("12:00:00.000  POST    /messages ") && line.ends_with(" ms  mel@chat.test"), "{line}");
    assert!(line.contains("  200  "), "{line}");
    let line = watcher.line().await;
    assert!(
        line.starts_with(&format!("12:00:00.000  event   message #{id} ")) && line.ends_with("to mel, max  mel: hi"),
        "{line}"
    );
    control(&server, "/worlds/default/faults", json!({"times": 1, "effect": {"rate_limit": {"retry_after": 3}}})).await;
    let _ = max.get("/users/me", json!({})).await;
    let line = watcher.line().await;
    assert!(
        line.contains("  429  ") && line.ends_with("RATE_LIMIT_HIT: API usage exceeded rate limit  ! fault-1"),
        "{line}"
    );
    let line = watcher.line().await;
    assert!(line.contains("  fault   fault-1 ") && line.contains(r#" met {"rate_limit":{"retry_after":3}}"#), "{line}");
    let queue = max.events(["typing"]).await;
    loop {
        let line = watcher.line().await;
        if line.contains("  queue   registered ") {
            assert!(line.ends_with(&format!(" max@chat.test {}", queue.id)), "{line}");
            break;
        }
    }
    control(&server, "/worlds/default/clock", json!({"advance_seconds": 3_600})).await;
    let line = watcher.line().await;
    assert!(
        line.starts_with("13:00:00.000  clock   +1 h from 12:00:00.000 ")
            && line.ends_with("  queue_expired, reminder"),
        "{line}"
    );
    assert_eq!(watcher.signal("-INT").await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_gives_the_frames_of_the_world_that_the_url_names() {
    let server = TestServer::start().await;
    let url = control(&server, "/worlds", json!({"name": "blue"})).await["url"].as_str().expect("a URL").to_owned();
    let by_host = server.url().replace("127.0.0.1", "blue.localhost");
    let mut watchers = [Watcher::ready(&["--json", &url]).await, Watcher::ready(&[&by_host, "--json"]).await];
    let mel = crate::support::User::new(url, Some(server.user("mel").credentials().clone()));

    server.user("mel").get("/users/me", json!({})).await.success();
    mel.send_to("general", "t", "there").await;

    for watcher in &mut watchers {
        let request: Value = serde_json::from_str(&watcher.line().await).expect("JSON");
        assert_eq!((&request["type"], &request["params"]["content"]), (&json!("request"), &json!("there")));
        let event: Value = serde_json::from_str(&watcher.line().await).expect("JSON");
        assert_eq!(event["type"], "event");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_watches_again_when_the_server_is_back() {
    let server = TestServer::start().await;
    let (url, port) = (server.url(), server.server().address().port());
    let mut watcher = Watcher::ready(&["--json", &url]).await;
    drop(server);
    let line = watcher.stderr_line().await;
    assert!(line.starts_with(&format!("{url}: ")) && line.contains("; trying again in 0.25 s"), "{line}");

    let server = TestServer::start_with(|options| options.port = port).await;
    loop {
        if watcher.stderr_line().await.ends_with(": watching again") {
            break;
        }
    }
    server.user("mel").get("/users/me", json!({})).await.success();

    assert!(watcher.line().await.contains("/users/me"));
    assert_eq!(watcher.signal("-TERM").await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_token_is_given_and_refusals_are_faults() {
    let server = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;
    let url = server.url();
    let nowhere = format!("{url}/w/nowhere");
    let misspelled = format!("{url}/w/defualt");
    drop(Watcher::ready(&["--control-token", "secret", &url]).await);
    for (arguments, status, part) in [
        (vec![url.as_str()], 1, "--control-token"),
        (vec![&url, "--control-token", "wrong"], 1, "--control-token"),
        (vec![&nowhere, "--control-token", "secret"], 1, "no world 'nowhere'"),
        (vec![&misspelled, "--control-token", "secret"], 1, "can be watched; the nearest is 'default'"),
        (vec!["ftp://127.0.0.1"], 2, "base URL"),
        (vec!["http://127.0.0.1/somewhere"], 2, "base URL"),
        (vec!["http://127.0.0.1/contol/worlds"], 2, "; did you mean http://127.0.0.1?"),
    ] {
        let mut watcher = Watcher::start(&arguments);
        let line = watcher.stderr_line().await;
        assert!(line.starts_with("error: ") && line.contains(part), "{arguments:?}: {line}");
        assert_eq!(watcher.status().await, Some(status));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_is_asked_for_is_shown() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut watcher = Watcher::ready(&["--json", "--user", "max", "--kind", "request", &server.url()]).await;
    mel.send_to("general", "t", "not shown").await;
    max.get("/users/me", json!({})).await.success();

    let shown: Value = serde_json::from_str(&watcher.line().await).expect("JSON");
    assert_eq!((&shown["type"], &shown["user"]), (&json!("request"), &json!("max@chat.test")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_ends_with_a_word_when_nobody_listens() {
    let port = {
        let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        taken.local_addr().expect("an address").port()
    };
    let url = format!("http://127.0.0.1:{port}");
    for mut watcher in [Watcher::start(&[&url]), Watcher::start_in(&[], &[("CHATDOUBLE_URL", &url)])] {
        let line = watcher.stderr_line().await;
        let message = format!("error: nothing can be watched at {url}");
        assert!(line.starts_with(&message) && line.contains("chatdouble serve"), "{line}");
        assert_eq!(watcher.status().await, Some(1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_ends_when_nobody_reads_any_more() {
    let server = TestServer::start().await;
    let mut watcher = Watcher::start(&[&server.url()]);
    assert!(watcher.stderr_line().await.ends_with(": watching"));
    let Watcher { mut child, out, stderr: _stderr } = watcher;
    drop(out);

    server.user("mel").get("/users/me", json!({})).await.success();

    let ended = tokio::time::timeout(Duration::from_secs(10), child.wait()).await.expect("it ends in time");
    assert_eq!(ended.expect("it ends").code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_nothing_has_end_it_and_faults_are_a_kind() {
    let server = TestServer::start().await;
    for (arguments, reason) in [
        (["--user", "mell"], "error: --user: there is no user 'mell' in this world; the nearest is 'mel'"),
        (["--path", "/mesages"], "error: --path: no operation has the path /mesages; the nearest is /messages"),
        (["--kind", "cli-error"], "error: invalid value 'cli-error'"),
    ] {
        let mut watcher = Watcher::start(&[&server.url(), arguments[0], arguments[1]]);
        let line = watcher.stderr_line().await;
        assert!(line.starts_with(reason), "{line}");
        assert_eq!(watcher.status().await, Some(2));
    }
    let mut watcher = Watcher::ready(&[&server.url(), "--user", "mel", "--path", "/mess", "--kind", "fault"]).await;
    let control = crate::control::Control::of(&server);
    let id = control.fault(json!({"match": {"path": "/messages"}, "effect": {"delay_ms": 1}})).await;
    server.user("mel").send_to("general", "t", "hi").await;
    assert!(watcher.line().await.contains(&id));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_tls_is_named_as_such() {
    let server = TestServer::start().await;
    let mut watcher = Watcher::start(&[&server.url().replace("http:", "https:")]);
    let line = watcher.stderr_line().await;
    assert!(line.contains("it speaks HTTP, not HTTPS; did you mean http://?"), "{line}");
}
