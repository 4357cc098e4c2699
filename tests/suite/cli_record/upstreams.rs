//! Servers behind the recorder that speak HTTPS, are behind a proxy, or fail.

use super::Recorder;
use crate::support::{TestServer, User};
use chatdouble::tls::Tls;
use chatdouble::{Options, Server};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

async fn fault(server: &TestServer, path: &str, effect: &Value) {
    let faults = "/control/worlds/default/faults";
    server.request("DELETE", faults, &[("host", "localhost")], "").await.success();
    let rule = json!({"match": {"path": path}, "effect": effect}).to_string();
    server.request("POST", faults, &[("host", "localhost")], &rule).await.success();
}

/// How a recorder that can't start ends: its exit status and standard error.
async fn refused(upstream: &str, options: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String) {
    let file = std::env::temp_dir().join(format!("chatdouble-refused-{}.md", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["scenario", "record", "--upstream", upstream, "-o"]).arg(&file).args(options).env_clear();
    command.envs(environment.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output().expect("it runs")).await.expect("it ends");
    assert!(!file.exists(), "no file is written");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_trusted_by_the_given_authority() {
    let options = Options { tls: Some(Tls::Made { names: Vec::new() }), ..Options::default() };
    let secure = Server::start_with(options).await.expect("it starts");
    let (status, errors) = refused(secure.url(), &[], &[]).await;
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("the server's certificate is not trusted") && errors.contains("--tls-ca"), "{errors}");

    let authority = std::env::temp_dir().join(format!("chatdouble-authority-{}.pem", std::process::id()));
    std::fs::write(&authority, secure.trusted_certificate().expect("TLS")).expect("written");
    let recorder = Recorder::start("secure", secure.url(), &["--tls-ca", authority.to_str().expect("text")]);
    let mel = User::new(recorder.url(), Some(secure.user("mel")));
    mel.post("/messages", json!({"type": "channel", "to": "general", "topic": "lunch", "content": "Safe?"}))
        .await
        .success();
    let (text, _) = recorder.end_and_play();
    assert!(text.contains("content: Safe?"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_answer_is_given_up_after_the_time_limit() {
    let server = TestServer::start().await;
    fault(&server, "/server_settings", &json!({"delay_ms": 5_000})).await;

    let (status, errors) = refused(&server.url(), &["--timeout", "1"], &[]).await;

    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("no reply within 1 s (--timeout)"), "{errors}");
}

/// A proxy that passes plain requests on, and the request lines that it saw.
fn proxy() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let lines = seen.clone();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let (connection, lines) = (connection.expect("a connection"), lines.clone());
            std::thread::spawn(move || pass(connection, &lines));
        }
    });
    (url, seen)
}

/// Passes one request on and closes the connection.
fn pass(mut client: TcpStream, lines: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(client.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    lines.lock().expect("not poisoned").push(line.trim().to_owned());
    let (method, rest) = line.split_once(' ')?;
    let (authority, path) = rest.strip_prefix("http://")?.split_once('/')?;
    let mut head = format!("{method} /{path}Connection: close\r\n");
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let (name, value) = header.split_once(':').unwrap_or((header.trim(), ""));
        match name.to_ascii_lowercase().as_str() {
            "" => break,
            "connection" | "proxy-connection" => continue,
            "content-length" => length = value.trim().parse().ok()?,
            _ => {}
        }
        head.push_str(&header);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut server = TcpStream::connect(authority).ok()?;
    server.write_all(format!("{head}\r\n").as_bytes()).and_then(|()| server.write_all(&body)).ok()?;
    std::io::copy(&mut server, &mut client).ok()?;
    Some(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_go_through_the_proxy_of_the_environment() {
    let server = TestServer::start().await;
    let (proxy, seen) = proxy();
    let recorder = Recorder::start_with("proxied", &server.url(), &[], &[("HTTP_PROXY", &proxy)]);
    let mel = recorder.user(&server.user("mel"));
    mel.post("/messages", json!({"type": "channel", "to": "general", "topic": "lunch", "content": "Far?"}))
        .await
        .success();
    let (text, _) = recorder.end_and_play();
    assert!(text.contains("content: Far?"), "{text}");
    let seen = seen.lock().expect("not poisoned").clone();
    let wanted = format!("POST {}/api/v1/messages HTTP/1.1", server.url());
    assert!(seen.contains(&wanted), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fixture_that_the_scenario_would_not_find_is_refused_at_the_start() {
    let server = TestServer::start().await;
    for (fixture, reason) in [
        ("nofix.json", "error: --fixture nofix.json: is no file in the scenario's folder, "),
        (
            "fixtures/cast.json",
            "error: --fixture fixtures/cast.json: is in this folder; give its path from the scenario's folder, ",
        ),
        (
            "casst",
            "error: --fixture casst: is neither a built-in fixture (default, cast, empty, hostile, large) nor a file that ends with .json; did you mean 'cast'?",
        ),
    ] {
        let (status, errors) = refused(&server.url(), &["--fixture", fixture], &[]).await;
        // A name of no built-in fixture is a wrong command line, a file that is not there is none.
        let expected_status = if fixture == "casst" { 2 } else { 1 };
        assert_eq!(status, Some(expected_status), "{fixture}: {errors}");
        assert!(errors.starts_with(reason), "{fixture}: {errors}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_fails_at_the_start_is_reported_in_a_line() {
    let server = TestServer::start().await;
    for (effect, expected) in [
        (json!({"garbage": true}), "the reply is a page in HTML instead of JSON"),
        (json!({"truncate_at": 50}), "the reply broke off after 50 bytes"),
        (json!({"drop": "before"}), "the connection ended without a reply"),
        (json!({"error": {"status": 503, "code": "X", "msg": "Upgrading"}}), "status 503, X: Upgrading"),
    ] {
        fault(&server, "/server_settings", &effect).await;
        let (status, errors) = refused(&server.url(), &[], &[]).await;
        assert_eq!(status, Some(1), "{errors}");
        let start = format!("error: GET {}/api/v1/server_settings: ", server.url());
        assert!(errors.starts_with(&start) && errors.contains(expected) && errors.lines().count() == 1, "{errors}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_replies_pass_unchanged_and_are_left_out() {
    let server = TestServer::start().await;
    let recorder = Recorder::start("failing", &server.url(), &[]);
    let mel = recorder.user(&server.user("mel"));
    let list = mel.get("/users/me/alert_words", json!({})).await;

    fault(&server, "/users/me/alert_words", &json!({"delay_ms": 1_500})).await;
    assert_eq!(mel.get("/users/me/alert_words", json!({})).await.bytes, list.bytes, "a slow reply passes");
    fault(&server, "/drafts", &json!({"error": {"status": 502, "code": "X", "msg": "Bad gateway"}})).await;
    let reply = mel.get("/drafts", json!({})).await;
    assert_eq!((reply.status, reply.body["msg"].as_str()), (502, Some("Bad gateway")));
    fault(&server, "/saved_snippets", &json!({"garbage": true})).await;
    let page = mel.get("/saved_snippets", json!({})).await;
    assert!(String::from_utf8_lossy(&page.bytes).contains("<html"), "{page}");
    fault(&server, "/reminders", &json!({"truncate_at": 10})).await;
    let credentials = mel.credentials();
    let curl = Command::new("curl")
        .args(["-s", "-u", &format!("{}:{}", credentials.email, credentials.api_key)])
        .arg(format!("{}/api/v1/reminders", recorder.url()))
        .output()
        .expect("curl runs");
    assert!(!curl.status.success() && curl.stdout.len() <= 10, "the client sees that the reply is not whole");

    let control = Command::new("curl").arg("-s").arg(format!("{}/control/worlds", recorder.url())).output();
    assert!(String::from_utf8_lossy(&control.expect("curl runs").stdout).contains("\"default\""), "it passes");

    let (text, errors) = recorder.end_and_play();

    for reason in [
        "GET /control/worlds: a scenario has control in blocks of its own, which docs/scenarios.md names",
        "GET /api/v1/drafts: the server failed",
        "GET /api/v1/saved_snippets: the reply is a page in HTML instead of JSON",
        "GET /api/v1/reminders: the reply broke off",
    ] {
        assert!(errors.contains(&format!("leaves out: {reason}\n")), "{reason}\n{errors}");
        assert!(text.contains(&format!("- {reason}\n")), "{reason}\n{text}");
    }
    assert!(!text.contains("mel: GET /saved_snippets") && !text.contains("mel: GET /reminders"), "{text}");
    assert_eq!(text.matches("mel: GET /users/me/alert_words").count(), 2, "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_that_the_server_loses_is_lost_for_the_client_and_in_the_scenario() {
    let server = TestServer::start().await;
    fault(&server, "/typing", &json!({"drop": "after"})).await;
    let recorder = Recorder::start("lost", &server.url(), &[]);
    let mel = recorder.user(&server.user("mel"));
    mel.get("/users/me", json!({})).await.success();
    let mut connection = TcpStream::connect(("127.0.0.1", recorder.program.port)).expect("connected");
    let body = format!("type=direct&op=start&to=[{}]", server.user("max").id());
    let head = format!(
        "POST /api/v1/typing HTTP/1.1\r\nHost: localhost\r\nAuthorization: {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        "Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==",
        body.len(),
    );
    connection.write_all(head.as_bytes()).expect("sent");
    let mut reply = Vec::new();
    let _ = connection.read_to_end(&mut reply);
    assert_eq!(String::from_utf8_lossy(&reply), "", "the connection is closed without a reply");

    let (text, _) = recorder.end_and_play();

    assert!(
        text.contains("fault {\"match\":{\"method\":\"POST\"},\"times\":1,\"effect\":{\"drop\":\"after\"}}"),
        "{text}"
    );
    assert!(text.contains("```reply none\n"), "{text}");
}
