//! Bodies: who may send large ones, how much of them is in memory at once, and how many parameters they may have.

use crate::control::Control;
use crate::support::{Program, Reply, START, TestServer, User};
use base64::Engine;
use bytes::Bytes;
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use chatdouble::dialect::Dialect;
use chatdouble::fixture::Fixture;
use chatdouble::http::authentication::Credentials;
use chatdouble::http::body::BodyMemory;
use chatdouble::http::request::RequestHead;
use chatdouble::http::{Edge, KeyGuard, Response};
use chatdouble::realm::id::UserId;
use chatdouble::time::{Clock, Timestamp};
use chatdouble::world::{RealTime, World, WorldSettings, Worlds};
use futures_util::stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const NOT_LOGGED_IN: &str = "Not logged in: API authentication or user session required";

/// Begins a request whose body of so many bytes never ends; its reply as text.
async fn begin(server: &TestServer, method: &str, path: &str, headers: &str, length: usize) -> String {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).await.expect("connected");
    let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let kind = if headers.contains("Content-Type") { "" } else { form };
    stream.write_all(format!("{head}{kind}Content-Length: {length}\r\n\r\n").as_bytes()).await.expect("sent");
    stream.write_all(&vec![b'x'; length.min(100_000)]).await.expect("sent");
    let mut reply = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut reply));
    read.await.unwrap_or_else(|_| panic!("no reply to {method} {path}")).expect("readable");
    String::from_utf8_lossy(&reply).into_owned()
}

fn basic(user: &User, key: &str) -> String {
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{}:{key}", user.email()));
    format!("Authorization: Basic {pair}\r\n")
}

#[tokio::test]
async fn nobody_without_credentials_is_waited_for_until_their_body_ends() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let wrong = basic(&mel, "00000000000000000000000000000000");
    let piece = "Tus-Resumable: 1.0.0\r\nUpload-Length: 90000000\r\nContent-Type: application/offset+octet-stream\r\n";
    let part = "Content-Type: multipart/form-data; boundary=b\r\n";
    let begun = Instant::now();
    for (method, path, headers, status, message) in [
        ("POST", "/api/v1/messages", "", "401", NOT_LOGGED_IN),
        ("POST", "/api/v1/messages", "Expect: 100-continue\r\n", "401", NOT_LOGGED_IN),
        ("POST", "/api/v1/messages", wrong.as_str(), "401", "Invalid API key"),
        ("POST", "/api/v1/user_uploads", part, "401", NOT_LOGGED_IN),
        ("POST", "/api/v1/tus", piece, "401", "Unauthorized"),
        ("POST", "/json/messages", "", "401", NOT_LOGGED_IN),
        ("POST", "/api/v1/no_such_path", "", "404", "Unknown path"),
        ("POST", "/w/nowhere/api/v1/messages", "", "404", "Invalid subdomain"),
        ("OPTIONS", "/api/v1/messages", "", "204", ""),
    ] {
        let reply = begin(&server, method, path, headers, 30_000_000).await;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status}")) && reply.contains(message), "{path}: {reply}");
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let journal = Control::of(&server).get("/worlds/default/journal?path=/messages").await.success();
    let statuses: Vec<Value> =
        journal["entries"].as_array().into_iter().flatten().map(|entry| entry["status"].clone()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 4, "{journal:#}");
}

#[tokio::test]
async fn faults_meet_requests_whose_body_is_not_read_too() {
    let server = TestServer::start().await;
    let effect = json!({"error": {"status": 500, "code": "INTERNAL_SERVER_ERROR", "msg": "Out of order"}});
    Control::of(&server).fault(json!({"match": {"path": "/messages"}, "effect": effect})).await;

    let reply = begin(&server, "POST", "/api/v1/messages", "", 30_000_000).await;

    assert!(reply.starts_with("HTTP/1.1 500") && reply.contains("Out of order"), "{reply}");
}

#[tokio::test]
async fn who_may_not_steer_sends_no_documents() {
    let server = TestServer::start_with(|options| options.control_token = Some("open sesame".into())).await;

    let reply = begin(&server, "PUT", "/control/worlds/default/state", "", 30_000_000).await;

    assert!(reply.starts_with("HTTP/1.1 401"), "{reply}");
}

struct NoTime;

impl RealTime for NoTime {
    fn now(&self) -> Timestamp {
        Timestamp::parse(START).expect("well-formed")
    }
}

/// The built-in world behind an edge with little memory for bodies.
fn edge(room: usize) -> Edge {
    let settings = WorldSettings { feature_level: NEWEST_FEATURE_LEVEL, dialect: Arc::new(Dialect::neutral()) };
    let realm = Fixture::built_in("default").expect("built in").build_realm(NoTime.now(), 0).expect("sound");
    let clock = Clock::Frozen { at: NoTime.now() };
    let worlds = Arc::new(Worlds::default());
    worlds.add(Arc::new(World::new("default".into(), realm, clock, settings.clone(), Arc::new(NoTime))));
    let mut edge = Edge::new(worlds, KeyGuard::default(), settings);
    edge.body_memory = BodyMemory::with_limit(room);
    edge
}

async fn send(edge: &Edge, length: usize) -> Response {
    let world = edge.worlds.get("default").expect("it was made");
    let mel = world.snapshot().user_by_email("mel@chat.test").expect("one of the cast").clone();
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{}:{}", mel.email, mel.api_key));
    let credentials = Some(Credentials::parse(&format!("Basic {pair}")).map(Arc::new));
    let headers = http::HeaderMap::from_iter([(http::header::HOST, "127.0.0.1".parse().expect("a header"))]);
    let uri = "/api/v1/messages/render".parse().expect("a path");
    let head =
        RequestHead { method: http::Method::POST, scheme: "http", uri, headers, connection_number: 0, credentials };
    let body = format!("content={}", "x".repeat(length));
    let pieces: Vec<Result<Bytes, Infallible>> =
        body.as_bytes().chunks(10_000).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    edge.respond(Arc::new(head), stream::iter(pieces), None).await
}

#[tokio::test]
async fn large_bodies_are_refused_while_others_take_all_of_their_memory() {
    let edge = edge(1024 * 1024);

    assert_eq!(send(&edge, 900_000).await.status(), 200);
    let refused = send(&edge, 1_100_000).await;
    let body: Value = serde_json::from_slice(refused.body()).expect("JSON");
    let message = "Request bodies are larger than the allowed limit of 1 MiB for all of them together";
    assert_eq!((refused.status().as_u16(), &body["msg"]), (503, &json!(message)));
    assert_eq!(send(&edge, 900_000).await.status(), 200, "what is answered takes no memory");
    assert_eq!(send(&edge, 60_000).await.status(), 200);
}

fn parts(count: usize, name: &str) -> Vec<u8> {
    let part = |index| format!("--b\r\nContent-Disposition: form-data; name=\"p{index}\"{name}\r\n\r\n1\r\n");
    ((0..count).map(part).collect::<String>() + "--b--\r\n").into_bytes()
}

async fn send_parts(user: &User, body: Vec<u8>) -> Reply {
    user.send("POST", "/users/me/status", &json!("parts"), body, Some("multipart/form-data; boundary=b")).await
}

#[tokio::test]
async fn a_request_has_a_thousand_parameters_and_a_hundred_files_at_most() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let form = |count: usize| (0..count).map(|index| format!("p{index}=1")).collect::<Vec<_>>().join("&");
    let post = |body: String| {
        let kind = Some("application/x-www-form-urlencoded");
        let mel = mel.clone();
        async move { mel.send("POST", "/users/me/status", &json!("a form"), body.into_bytes(), kind).await }
    };
    let message = |what: &str| format!("Malformed request body: more than {what}");

    let taken = post(form(999) + "&status_text=x").await.success();
    assert_eq!(taken["ignored_parameters_unsupported"].as_array().map(Vec::len), Some(999));
    post(form(1_001)).await.error("BAD_REQUEST", &message("1000 parameters"));
    let begun = Instant::now();
    post("a&".repeat(8_000_000)).await.error("BAD_REQUEST", &message("1000 parameters"));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let query = server.request("GET", &format!("/api/v1/server_settings?{}", form(1_001)), &[], "").await;
    query.error("BAD_REQUEST", &message("1000 parameters"));
    send_parts(&mel, parts(1_001, "")).await.error("BAD_REQUEST", &message("1000 parameters"));
    send_parts(&mel, parts(101, "; filename=\"a.txt\"")).await.error("BAD_REQUEST", &message("100 files"));
    let message = "Malformed request body: the names of its parameters are longer than 65536 bytes together";
    let long = |bytes: usize| format!("status_text=x&{}=1&a=1", "n".repeat(bytes));
    post(long(60_000)).await.success();
    post(long(65_536)).await.error("BAD_REQUEST", message);
    let file = format!("; filename=\"{}\"", "n".repeat(66_000));
    send_parts(&mel, parts(1, &file)).await.error("BAD_REQUEST", message);
}

async fn steer(control: &User, method: &str, path: &str, body: &Value) -> Value {
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    control.send(method, path, &Value::Null, bytes, Some("application/json")).await.success()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_memory_of_large_uploads_is_free_again_when_their_world_has_ended() {
    const FILES: usize = 3;
    const FILE_BYTES: usize = 20 * 1024 * 1024;
    const KB: usize = 1024;
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["serve", "--port", "0", "--log", "error", "--clock", START]).env_clear();
    let program = Program::start(&mut command);
    let url = format!("http://127.0.0.1:{}", program.port);
    let control = User::new(url.clone(), None);
    steer(&control, "POST", "/control/worlds", &json!({"name": "large"})).await;
    let before = program.memory();

    let users = steer(&control, "GET", "/control/worlds/large/users", &Value::Null).await;
    let email = "mel@chat.test";
    let mel =
        users["users"].as_array().expect("a list").iter().find(|user| user["email"] == email).expect("one of the cast");
    let (id, api_key) = (mel["user_id"].as_i64().expect("an id"), mel["api_key"].as_str().expect("a key").to_owned());
    let credentials = chatdouble::Credentials { id: UserId(id), email: email.into(), api_key };
    let mel = User::new(format!("{url}/w/large"), Some(credentials));
    for number in 0..FILES {
        mel.upload("/user_uploads", &format!("{number}.bin"), "application/zip", &vec![number as u8; FILE_BYTES])
            .await
            .success();
    }
    let full = program.memory();
    steer(&control, "DELETE", "/control/worlds/large", &Value::Null).await;

    assert!(full - before >= FILES * FILE_BYTES / KB, "{before} kB, then {full} kB");
    let began = Instant::now();
    while program.memory() > before + FILES * FILE_BYTES / KB / 2 {
        assert!(began.elapsed() < Duration::from_secs(10), "{before} kB, {full} kB, then {} kB", program.memory());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
