//! What is measured, a function a figure.

use crate::load::{Connection, latency, median, rate, request};
use crate::process::Server;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::time::{Duration, Instant};

/// Mel's key, in every fixture that comes with the program.
pub const KEY: &str = "melKey00000000000000000000000000";
/// How long each rate is measured, and how often, in turns with the other server.
const SPAN: Duration = Duration::from_secs(1);
const ROUNDS: usize = 5;
const CONNECTIONS: usize = 64;
/// How often each server is started, in turns with the other.
const STARTS: usize = 25;
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
const SEND: &str = "type=channel&to=general&topic=speed&content=How+fast+is+it%3F";

/// A line of the table.
pub struct Row {
    name: &'static str,
    reached: String,
    goal: &'static str,
}

/// All figures, or those whose names contain one of these words.
pub async fn all(words: &[String]) -> Vec<Row> {
    let mut rows = Vec::new();
    macro_rules! measure {
        ($($name:literal, $goal:literal: $figure:expr;)*) => {$(
            if words.is_empty() || words.iter().any(|word| $name.contains(word.as_str())) {
                eprintln!("{}", $name);
                rows.push(Row { name: $name, reached: $figure.await, goal: $goal });
            }
        )*};
    }
    measure! {
        "start to first reply", "at most 1.5 times full": start();
        "authenticated small read", "0.85 of full, 0.63 of static": small_read();
        "send with 100 idle queues", "0.50 of full's write": send(100);
        "send with 1,000 idle queues", "0.45 of full's write": send(1_000);
        "register", "": register();
        "GET /users with 10,000 users", "0.85 of serializing per call": users();
        "flags/narrow over 1,000 of 100,000", "under 2 ms": narrow();
        "one event to 1,000 parked polls", "at most 1.3 times full": parked();
        "fork, snapshot, reset of large", "as fast as the small read": fork();
        "memory", "8 MiB idle, large under 250 MB, 300 forks under 50 MB": memory();
        "large from nothing to first reply", "under 1 s": start_large();
        "size of the program", "at most 8 MB": size();
    }
    rows
}

/// The table as Markdown.
pub fn table(rows: &[Row]) -> String {
    let line = |row: &Row| format!("| {} | {} | {} |\n", row.name, row.reached, row.goal);
    format!("| figure | reached | goal |\n|---|---|---|\n{}", rows.iter().map(line).collect::<String>())
}

fn credentials() -> String {
    STANDARD.encode(format!("mel@chat.test:{KEY}"))
}

fn get(path: &str) -> Vec<u8> {
    request("GET", path, Some(&credentials()), None)
}

fn post(path: &str, form: &str) -> Vec<u8> {
    request("POST", path, Some(&credentials()), Some((FORM, form)))
}

fn control(method: &str, path: &str, body: &str) -> Vec<u8> {
    request(method, path, None, (!body.is_empty()).then_some((JSON, body)))
}

/// A server's name for errors, its address, a request and the status that it is answered with.
struct Side<'a> {
    address: &'a str,
    request: Vec<u8>,
    status: u16,
}

/// Requests per second of several sides, measured in turns: the medians.
async fn in_turns<const N: usize>(sides: [Side<'_>; N]) -> [f64; N] {
    let mut rates = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (rates, side) in rates.iter_mut().zip(&sides) {
            rates.push(rate(side.address, &side.request, CONNECTIONS, side.status, SPAN).await);
        }
    }
    rates.map(median)
}

/// The time from starting a server to its first reply, in milliseconds.
async fn first_reply(start: impl FnOnce() -> Server, request: &[u8]) -> f64 {
    let began = Instant::now();
    let server = start();
    let (status, _) = Connection::open(&server.address).await.ask(request).await;
    assert_eq!(status, 200);
    began.elapsed().as_secs_f64() * 1e3
}

async fn start() -> String {
    let [mut ours, mut full] = [Vec::new(), Vec::new()];
    for _ in 0..STARTS {
        ours.push(first_reply(|| Server::chatdouble(&[]), &get("/api/v1/users/me")).await);
        full.push(first_reply(Server::baseline, &get("/full")).await);
    }
    let [ours, full] = [median(ours), median(full)];
    format!("{ours:.1} ms, {:.2} times full's {full:.1} ms", ours / full)
}

async fn start_large() -> String {
    let mut ours = Vec::new();
    for _ in 0..3 {
        ours.push(first_reply(|| Server::chatdouble(&["--fixture", "large"]), &get("/api/v1/users/me")).await);
    }
    format!("{:.0} ms", median(ours))
}

async fn small_read() -> String {
    let (server, baseline) = (Server::chatdouble(&[]), Server::baseline());
    let [ours, full, fixed] = in_turns([
        Side { address: &server.address, request: get("/api/v1/users/me"), status: 200 },
        Side { address: &baseline.address, request: get("/full"), status: 200 },
        Side { address: &baseline.address, request: get("/static"), status: 200 },
    ])
    .await;
    format!("{ours:.0}/s, {:.2} of full, {:.2} of static", ours / full, ours / fixed)
}

async fn send(queues: usize) -> String {
    let (server, baseline) = (Server::chatdouble(&[]), Server::baseline());
    let mut connection = Connection::open(&server.address).await;
    for _ in 0..queues {
        let register = post("/api/v1/register", "event_types=%5B%22message%22%5D&fetch_event_types=%5B%5D");
        assert_eq!(connection.ask(&register).await.0, 200);
    }
    let [ours, full] = in_turns([
        Side { address: &server.address, request: post("/api/v1/messages", SEND), status: 200 },
        Side { address: &baseline.address, request: post("/full", SEND), status: 200 },
    ])
    .await;
    format!("{ours:.0}/s, {:.2} of full's write", ours / full)
}

async fn register() -> String {
    let [small, large] = [Server::chatdouble(&[]), Server::chatdouble(&["--fixture", "large"])];
    let register = post("/api/v1/register", "");
    let [small, large] = [latency(&small.address, &register, 50).await, latency(&large.address, &register, 20).await];
    format!("{small:.2} ms, large {large:.1} ms")
}

async fn users() -> String {
    let (server, baseline) = (Server::chatdouble(&["--fixture", "large"]), Server::baseline());
    let ours = latency(&server.address, &get("/api/v1/users"), 40).await;
    let full = latency(&baseline.address, &get("/users"), 40).await;
    format!("{ours:.1} ms, {:.2} of serializing per call", full / ours)
}

async fn narrow() -> String {
    let server = Server::chatdouble(&["--fixture", "large"]);
    let around = |flag: &str| {
        let form = format!(
            "anchor=newest&num_before=1000&num_after=0&narrow=%5B%5D&op={flag}&flag=starred&include_anchor=true"
        );
        post("/api/v1/messages/flags/narrow", &form)
    };
    let mut all = Vec::new();
    for _ in 0..20 {
        all.push(latency(&server.address, &around("add"), 1).await);
        all.push(latency(&server.address, &around("remove"), 1).await);
    }
    format!("{:.2} ms", median(all))
}

/// The time from a write to the last of 1,000 answers.
async fn to_the_last(address: &str, polls: Vec<Vec<u8>>, write: &[u8]) -> f64 {
    let mut parked = Vec::new();
    for poll in &polls {
        let mut connection = Connection::open(address).await;
        connection.send(poll).await;
        parked.push(connection);
    }
    // All are parked once a later request of the last connection's kind would be answered.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut writer = Connection::open(address).await;
    let began = Instant::now();
    writer.send(write).await;
    for connection in &mut parked {
        assert_eq!(connection.answer().await.0, 200);
    }
    began.elapsed().as_secs_f64() * 1e3
}

async fn parked() -> String {
    let (server, baseline) = (Server::chatdouble(&[]), Server::baseline());
    let mut connection = Connection::open(&server.address).await;
    let mut polls = Vec::new();
    for _ in 0..1_000 {
        let register = post("/api/v1/register", "event_types=%5B%22message%22%5D&fetch_event_types=%5B%5D");
        let reply: serde_json::Value = serde_json::from_slice(connection.ask(&register).await.1).expect("JSON");
        let queue = reply["queue_id"].as_str().expect("a queue").to_owned();
        polls.push(queue);
    }
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        let last = i64::try_from(round).expect("few rounds") - 1;
        let ours: Vec<Vec<u8>> =
            polls.iter().map(|queue| get(&format!("/api/v1/events?queue_id={queue}&last_event_id={last}"))).collect();
        times[0].push(to_the_last(&server.address, ours, &post("/api/v1/messages", SEND)).await);
        times[1].push(to_the_last(&baseline.address, vec![get("/poll"); 1_000], &post("/full", SEND)).await);
    }
    let [ours, full] = times.map(median);
    format!("{ours:.1} ms, {:.2} times full's {full:.1} ms", ours / full)
}

async fn fork() -> String {
    let server = Server::chatdouble(&["--fixture", "large"]);
    let read = latency(&server.address, &get("/api/v1/users/me"), 200).await;
    let fork = latency(&server.address, &control("POST", "/control/worlds", r#"{"fork_of":"default"}"#), 100).await;
    let world = "/control/worlds/world-1";
    let snapshot = control("POST", &format!("{world}/snapshots"), r#"{"name":"a"}"#);
    let snapshot = latency(&server.address, &snapshot, 100).await;
    let reset = latency(&server.address, &control("POST", &format!("{world}/reset"), ""), 100).await;
    format!("{fork:.2}, {snapshot:.2}, {reset:.2} ms; the small read {read:.2} ms")
}

async fn memory() -> String {
    let idle = Server::chatdouble(&[]).memory();
    let large = Server::chatdouble(&["--fixture", "large"]);
    let before = large.memory();
    for _ in 0..300 {
        latency(&large.address, &control("POST", "/control/worlds", r#"{"fork_of":"default"}"#), 1).await;
    }
    format!("{idle:.1} MiB idle, large {before:.0} MiB, 300 forks of it {:.0} MiB", large.memory() - before)
}

async fn size() -> String {
    let bytes = std::fs::metadata(env!("CARGO_BIN_EXE_chatdouble")).map(|file| file.len()).unwrap_or_default();
    format!("{:.1} MB", bytes as f64 / 1e6)
}
