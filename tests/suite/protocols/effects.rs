//! Each effect of a fault over HTTP/2, to a client that asks for compression: as over HTTP/1.1, to one that does not.

use super::{Answer, Connection, FORM, control, unpacked};
use crate::support::TestServer;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// The milliseconds of the effect `delay_ms`.
const DELAY: u64 = 120;

/// A request, and the effects that are tried on it.
struct Case {
    method: &'static str,
    /// The path of its operation, as rules name it.
    route: &'static str,
    query: &'static str,
    body: &'static str,
    effects: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let refusal = json!({"status": 403, "code": "BAD_REQUEST", "msg": "No", "further": [1]});
    vec![
        Case {
            method: "GET",
            route: "/users",
            query: "",
            body: "",
            effects: vec![
                json!({"delay_ms": DELAY}),
                json!({"error": refusal}),
                json!({"rate_limit": {"retry_after": 7}}),
                json!({"change": {"members": null, "further": 1}}),
                json!({"garbage": true}),
                json!({"gateway": 502}),
                json!({"truncate_at": 300}),
                json!({"truncate_at": 0}),
                json!({"drop": "before"}),
            ],
        },
        Case {
            method: "POST",
            route: "/messages",
            query: "",
            body: "type=channel&to=general&topic=t&content=x",
            effects: vec![
                json!({"drop": "before"}),
                json!({"drop": "after"}),
                json!({"drop": "after", "retries": true}),
                json!({"truncate_at": 10}),
                json!({"garbage": true}),
                json!({"gateway": 502}),
            ],
        },
        Case {
            method: "POST",
            route: "/messages",
            query: "",
            body: "type=channel&to=nowhere&topic=t&content=x",
            effects: vec![json!({"pseudo_localize": true})],
        },
        Case {
            method: "POST",
            route: "/mobile_push/e2ee/test_notification",
            query: "",
            body: "",
            effects: ["unreachable", "server_error", "admin_action_required"].map(|how| json!({"bouncer": how})).into(),
        },
        Case {
            method: "GET",
            route: "/events",
            query: "last_event_id=0&dont_block=true",
            body: "",
            effects: vec![
                json!({"events": "repeat"}),
                json!({"events": "hold"}),
                json!({"events": "one_by_one"}),
                json!({"events": "unknown"}),
                json!({"lose_queue": true}),
            ],
        },
    ]
}

/// What a client sees: nothing, or the status, the headers that tell of faults, and the body as far as it came.
type Seen = Option<(u16, Vec<(String, String)>, Option<String>)>;

fn seen(answer: Option<Answer>, host: &str) -> Seen {
    let Answer { status, headers, body } = answer?;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let marks = ["x-chatdouble-fault", "retry-after", "content-type"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), text(name)?)))
        .collect();
    let body = body.ok().map(|bytes| match text("content-encoding") {
        Some(encoding) => unpacked(&encoding, &bytes),
        None => bytes.to_vec(),
    });
    // Servers differ in their port.
    Some((status, marks, body.map(|body| String::from_utf8_lossy(&body).replace(host, "HOST"))))
}

/// Sends a request over a connection of its own, as clients of HTTP/1.1 do.
async fn over_http1(connection: &Connection, method: &str, path: &str, body: &str) -> Option<Answer> {
    let stream = TcpStream::connect(&connection.host).await.expect("it listens");
    let (mut sender, serving) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
    tokio::spawn(serving);
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", &connection.host)
        .header("authorization", &connection.authorization)
        .header(FORM.0, FORM.1)
        .body(Full::new(Bytes::from(body.to_owned())))
        .expect("well-formed");
    let (head, body) = sender.send_request(request).await.ok()?.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes);
    Some(Answer { status: head.status.as_u16(), headers: head.headers, body })
}

/// What becomes of a request that a fault meets, on a fresh server: what the client sees of it and of its repetition, and
/// how many messages there are then.
async fn outcome(case: &Case, effect: &Value, is_http2: bool) -> (Vec<Seen>, usize, Duration) {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    let mel = server.user("mel");
    let queue = mel.events(["message"]).await;
    for content in ["one", "two", "three"] {
        mel.send_to("general", "t", content).await;
    }
    let rule = json!({"match": {"path": case.route, "method": case.method}, "times": 1, "effect": effect});
    control(&server, "/faults", rule).await;
    let query = if case.query.is_empty() { String::new() } else { format!("?queue_id={}&{}", queue.id, case.query) };
    let path = format!("/api/v1{}{query}", case.route);
    let asking = [FORM, ("accept-encoding", "gzip, br")];

    let began = Instant::now();
    let mut answers = Vec::new();
    for _ in 0..2 {
        let answer = match is_http2 {
            true => connection.send(case.method, &path, &asking, case.body).await.ok(),
            false => over_http1(&connection, case.method, &path, case.body).await,
        };
        answers.push(seen(answer, &connection.host));
    }
    let took = began.elapsed();
    // Events of an unknown type are no events that the API documents.
    server.request("DELETE", "/control/worlds/default/journal", &[], "").await.success();
    (answers, server.server().world("default").snapshot().messages.len(), took)
}

#[tokio::test]
async fn every_effect_is_the_same_over_http2_and_compressed() {
    let mut tried = BTreeSet::new();
    for case in cases() {
        for effect in &case.effects {
            let (expected, count, _) = outcome(&case, effect, false).await;
            let (answers, count_of_http2, took) = outcome(&case, effect, true).await;

            assert_eq!((&answers, count_of_http2), (&expected, count), "{effect} on {} {}", case.method, case.route);
            let has_effect = answers[0].is_none() || answers[0] != answers[1];
            assert!(has_effect, "{effect} has no effect on {} {}", case.method, case.route);
            if effect.get("delay_ms").is_some() {
                assert!(took >= Duration::from_millis(DELAY), "{took:?}");
            }
            tried.extend(effect.as_object().into_iter().flat_map(|effect| effect.keys().cloned()));
        }
    }
    let server = TestServer::start().await;
    let document = server.request("GET", "/control/openapi.json?control=true", &[], "").await.body;
    let effects = &document["components"]["schemas"]["FaultRule"]["properties"]["effect"]["properties"];
    let all: BTreeSet<String> = effects.as_object().expect("effects").keys().cloned().collect();
    assert_eq!(tried, all, "each effect is tried");
}
