//! Servers that are slow, broken, guarded or busy: each a line that says so, and never half a file.

use super::{errors, part, place, read, reading, server_with};
use crate::support::TestServer;
use chatdouble::tls::Tls;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

async fn fault(server: &TestServer, rule: serde_json::Value) {
    let body = rule.to_string();
    server.request("POST", "/control/worlds/default/faults", &[("host", "localhost")], &body).await.success();
}

async fn without_faults(server: &TestServer) {
    server.request("DELETE", "/control/worlds/default/faults", &[("host", "localhost")], "").await.success();
}

/// Nothing is at the place of the file.
fn assert_untouched(file: &Path) {
    assert!(!file.exists(), "{} is there", file.display());
}

#[tokio::test]
async fn a_failing_server_is_reported_in_a_line_and_leaves_no_file() {
    let origin = server_with("default").await;
    let olive = origin.user("olive");
    for (name, effect, expected) in [
        ("html", json!({"garbage": true}), "the reply is a page in HTML instead of JSON"),
        ("truncated", json!({"truncate_at": 100}), "the reply broke off after 100 bytes"),
        ("dropped", json!({"drop": "before"}), "the connection ended without a reply"),
        (
            "5xx",
            json!({"error": {"status": 503, "code": "INTERNAL_SERVER_ERROR", "msg": "Upgrading"}}),
            "status 503, INTERNAL_SERVER_ERROR: Upgrading",
        ),
        (
            "4xx",
            json!({"error": {"status": 401, "code": "UNAUTHORIZED", "msg": "No\nmore"}}),
            "does not accept the API key of olive@chat.test: No more",
        ),
        ("slow", json!({"delay_ms": 5_000}), "no reply within 1 s (--timeout)"),
    ] {
        for path in ["/server_settings", "/register", "/messages"] {
            without_faults(&origin).await;
            fault(&origin, json!({"match": {"path": path}, "effect": effect})).await;
            let file = place(&format!("fault-{name}"));
            let output =
                reading(&origin.url(), &olive, &file).args(["--retries", "0", "--timeout", "1"]).output().await;
            let output = output.expect("the program starts");
            let line = errors(&output);
            assert_eq!(output.status.code(), Some(1), "{name} {path}: {line}");
            assert!(
                line.starts_with("error: ") && line.lines().count() == 1 && line.contains(expected),
                "{name} {path}: {line}"
            );
            assert!(line.contains(&format!("{}/api/v1{path}: ", origin.url())), "{line}");
            // Nothing that was read without an account is worth to be gone on with.
            let is_kept = path != "/server_settings" && (name, path) != ("4xx", "/register");
            assert_eq!(line.contains("--resume"), is_kept, "{line}");
            assert_untouched(&file);
            assert_eq!(part(&file).exists(), is_kept, "{line}");
            let _ = std::fs::remove_file(part(&file));
        }
    }
}

#[tokio::test]
async fn a_server_that_recovers_is_asked_again() {
    let origin = server_with("default").await;
    let olive = origin.user("olive");
    let whole = read(&origin.url(), &olive, "before", &[]).await;
    for effect in [
        json!({"garbage": true}),
        json!({"truncate_at": 100}),
        json!({"error": {"status": 502, "code": "X", "msg": "x"}}),
    ] {
        fault(&origin, json!({"match": {"path": "/messages"}, "times": 1, "effect": effect})).await;
        assert_eq!(read(&origin.url(), &olive, "after", &["--retries", "2"]).await, whole);
    }
}

#[tokio::test]
async fn the_pause_that_a_busy_server_asks_for_is_waited() {
    let origin = server_with("default").await;
    fault(&origin, json!({"match": {"method": "GET"}, "times": 2, "effect": {"rate_limit": {"retry_after": 0.7}}}))
        .await;
    let started = Instant::now();
    read(&origin.url(), &origin.user("olive"), "busy", &["--retries", "0"]).await;
    assert!(started.elapsed() >= Duration::from_millis(1_400));
}

#[tokio::test]
async fn a_rate_is_kept() {
    let origin = server_with("cast").await;
    let started = Instant::now();
    // The last option counts.
    read(&origin.url(), &origin.user("olive"), "rate", &["--messages", "1"]).await;
    let fast = super::requests(&origin).await.len();
    assert!(started.elapsed() < Duration::from_secs(20));
    let file = place("rate-slow");
    let olive = origin.user("olive");
    let started = Instant::now();
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args([
        "fixture",
        "from",
        &origin.url(),
        "--user",
        olive.email(),
        "--api-key",
        &olive.credentials().api_key,
    ]);
    command.args(["--rate", "10", "--messages", "1", "-o"]).arg(&file).env_clear();
    let output = command.output().await.expect("the program starts");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(started.elapsed().as_secs_f64() >= (fast - 1) as f64 / 10.0, "{:?} for {fast}", started.elapsed());
    std::fs::remove_file(file).expect("removed");
}

#[tokio::test]
async fn an_interrupted_run_goes_on_to_the_same_file() {
    let origin = server_with("default").await;
    let mel = origin.user("mel");
    let options = ["--with-uploads", "--messages", "20"];
    let whole = read(&origin.url(), &mel, "whole", &options).await;
    let file = place("resumed");
    // Twice the connection ends at another request, and what was written after the last step is broken.
    for (after, path) in [(0, "/messages"), (1, "/messages")] {
        without_faults(&origin).await;
        fault(&origin, json!({"match": {"path": path}, "after": after, "effect": {"drop": "before"}})).await;
        let mut command = reading(&origin.url(), &mel, &file);
        let output = command.args(options).args(["--retries", "0", "--resume"]).output().await.expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(errors(&output).contains("go on with --resume"), "{}", errors(&output));
        assert_untouched(&file);
        let mut broken = std::fs::OpenOptions::new().append(true).open(part(&file)).expect("it is there");
        broken.write_all(b"message 9\t{\"id\": 9, \"content\": \"\xe2").expect("written");
    }
    without_faults(&origin).await;
    origin.request("DELETE", "/control/worlds/default/journal", &[("host", "localhost")], "").await.success();
    let resumed = read(&origin.url(), &mel, "resumed", &["--with-uploads", "--messages", "20", "--resume"]).await;
    assert_eq!(resumed, whole);
    let asked = super::requests(&origin).await;
    assert!(asked.iter().all(|(_, path)| path != "/register" && path != "/server_settings"), "{asked:?}");
}

#[tokio::test]
async fn a_run_that_was_killed_goes_on_to_the_same_file() {
    let origin = server_with("hostile").await;
    let olive = origin.user("olive");
    let whole = read(&origin.url(), &olive, "unkilled", &[]).await;
    let file = place("killed");
    for path in ["/attachments", "/messages"] {
        without_faults(&origin).await;
        fault(&origin, json!({"match": {"path": path}, "effect": {"delay_ms": 20_000}})).await;
        let mut child = reading(&origin.url(), &olive, &file).arg("--resume").spawn().expect("it starts");
        let deadline = Instant::now() + Duration::from_secs(60);
        while !part(&file).exists() && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(700)).await;
        child.kill().await.expect("killed");
        assert_untouched(&file);
        assert!(part(&file).exists());
    }
    without_faults(&origin).await;
    assert_eq!(read(&origin.url(), &olive, "killed", &["--resume"]).await, whole);
}

#[tokio::test]
async fn a_partial_file_of_another_run_is_not_gone_on_with() {
    let origin = server_with("cast").await;
    let olive = origin.user("olive");
    let file = place("other");
    fault(&origin, json!({"match": {"path": "/messages"}, "effect": {"drop": "before"}})).await;
    reading(&origin.url(), &olive, &file).args(["--retries", "0"]).output().await.expect("it starts");
    without_faults(&origin).await;
    let mut command = reading(&origin.url(), &olive, &file);
    let output = command.args(["--resume", "--messages", "3"]).output().await.expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("was made with other options or for another account"), "{}", errors(&output));
    let _ = std::fs::remove_file(part(&file));
}

#[tokio::test]
async fn what_is_there_stays_when_reading_fails() {
    let origin = server_with("cast").await;
    let file = place("there");
    std::fs::write(&file, "mine").expect("written");
    fault(&origin, json!({"match": {"path": "/messages"}, "effect": {"drop": "before"}})).await;
    reading(&origin.url(), &origin.user("olive"), &file).args(["--retries", "0"]).output().await.expect("it starts");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "mine");
    let _ = (std::fs::remove_file(part(&file)), std::fs::remove_file(&file));
}

#[tokio::test]
async fn a_server_is_trusted_by_the_given_authority() {
    let default = chatdouble::fixture::built_in("cast").expect("a fixture");
    let origin = super::loaded(default, |options| options.tls = Some(Tls::Made { names: Vec::new() })).await;
    let authority = place("authority.pem");
    std::fs::write(&authority, origin.server().trusted_certificate().expect("TLS")).expect("written");
    let file = place("secure");
    let olive = origin.user("olive");
    let output = reading(&origin.url(), &olive, &file).output().await.expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let line = errors(&output);
    assert!(line.contains("certificate") && line.contains("--tls-ca"), "{line}");
    for option in ["--ca-file", "--tls-ca"] {
        let output =
            reading(&origin.url(), &olive, &file).arg(option).arg(&authority).output().await.expect("it starts");
        assert!(output.status.success(), "{}", errors(&output));
    }
    std::fs::remove_file(file).expect("written");
}

#[tokio::test]
async fn the_account_is_in_a_zuliprc() {
    let origin = server_with("cast").await;
    let (olive, rc, file) = (origin.user("olive"), place("zuliprc"), place("by-zuliprc"));
    let text = format!("[api]\nemail={}\nkey={}\nsite={}\n", olive.email(), olive.credentials().api_key, origin.url());
    std::fs::write(&rc, text).expect("written");
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command
        .args(["fixture", "from", &origin.url(), "--rate", "0", "-o"])
        .arg(&file)
        .arg("--zuliprc")
        .arg(&rc)
        .env_clear();
    // The file has precedence over the variable.
    let output = command.env("CHATDOUBLE_API_KEY", "another").output().await.expect("it starts");
    assert!(output.status.success(), "{}", errors(&output));
    std::fs::remove_file(&file).expect("written");

    let mut without = tokio::process::Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    without.args(["fixture", "from", &origin.url(), "-o"]).arg(&file).env_clear();
    let output = without.output().await.expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("--user") && errors(&output).contains("--zuliprc"), "{}", errors(&output));
}

#[tokio::test]
async fn requests_go_through_the_proxy_of_the_environment() {
    let origin = server_with("cast").await;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let proxy = format!("http://{}", listener.local_addr().expect("an address"));
    let seen = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        let mut request = [0; 1_024];
        let read = connection.read(&mut request).unwrap_or_default();
        let _ = connection.write_all(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    let file = place("proxied");
    let olive = origin.user("olive");
    let output = reading("http://chat.example.org", &olive, &file)
        .args(["--retries", "0"])
        .env("HTTP_PROXY", &proxy)
        .output()
        .await;
    assert_eq!(output.expect("it starts").status.code(), Some(1));
    let request = seen.join().expect("seen");
    assert!(request.starts_with("GET http://chat.example.org/api/v1/server_settings HTTP/1.1"), "{request}");
    let mut direct = reading(&origin.url(), &olive, &file);
    let output = direct.env("HTTP_PROXY", &proxy).env("NO_PROXY", "127.0.0.1").output().await.expect("it starts");
    assert!(output.status.success(), "{}", errors(&output));
    std::fs::remove_file(file).expect("written");
}

#[tokio::test]
async fn what_cannot_be_read_is_noted_on_standard_error_and_in_the_file() {
    let origin = server_with("cast").await;
    let (gus, file) = (origin.user("gus"), place("noted"));
    let output = reading(&origin.url(), &gus, &file).output().await.expect("it starts");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("note: Invitations are not in the file: "), "{}", errors(&output));
    let document: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).expect("written")).expect("JSON");
    assert!(document["description"].as_str().expect("text").contains("Invitations are not in the file: "));
    std::fs::remove_file(file).expect("written");
}

#[tokio::test]
async fn a_misspelt_channel_is_reported_with_the_nearest() {
    let origin = server_with("default").await;
    let (mel, file) = (origin.user("mel"), place("misspelt"));
    for (names, expected) in [
        (vec!["enginering"], "error: there is no channel `enginering`; did you mean `engineering`?\n"),
        (vec!["general", "GENERALL"], "error: there is no channel `GENERALL`; did you mean `general`?\n"),
    ] {
        let mut command = reading(&origin.url(), &mel, &file);
        names.iter().for_each(|name| _ = command.args(["--channel", name]));
        let output = command.output().await.expect("it starts");
        assert_eq!((output.status.code(), errors(&output).as_str()), (Some(1), expected));
        assert_untouched(&file);
        assert!(!part(&file).exists(), "it can't be resumed with another name");
    }
}

#[tokio::test]
async fn https_goes_through_a_tunnel_of_the_proxy() {
    let origin = server_with("cast").await;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let proxy = format!("http://{}", listener.local_addr().expect("an address"));
    let seen = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        let mut request = [0; 1_024];
        let read = connection.read(&mut request).unwrap_or_default();
        let _ = connection.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    let (olive, file) = (origin.user("olive"), place("tunnel"));
    let mut command = reading("https://chat.example.org", &olive, &file);
    let output = command.args(["--retries", "0"]).env("HTTPS_PROXY", &proxy).output().await.expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let line = errors(&output);
    let start = "error: GET https://chat.example.org/api/v1/server_settings: no connection to the server: ";
    assert!(line.starts_with(start) && line.lines().count() == 1, "{line}");
    let request = seen.join().expect("seen");
    assert!(request.starts_with("CONNECT chat.example.org:443 HTTP/1.1"), "{request}");
    assert!(!request.contains("Authorization: Basic"), "the key is sent to the server alone: {request}");
    assert_untouched(&file);
}
