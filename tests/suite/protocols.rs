//! HTTP/2 and compression: the same replies, faults and networks as on other connections.

mod effects;

use crate::support::TestServer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Request, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use std::io::Read;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// A connection on which HTTP/2 is spoken from the beginning.
struct Connection {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    authorization: String,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Result<Bytes, hyper::Error>,
}

impl Connection {
    async fn open(server: &TestServer) -> Self {
        let host = server.url().trim_start_matches("http://").to_owned();
        let stream = TcpStream::connect(&host).await.expect("it listens");
        let (sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
        tokio::spawn(connection);
        let mel = server.user("mel");
        let pair = format!("{}:{}", mel.email(), mel.credentials().api_key);
        Self { sender, host, authorization: format!("Basic {}", STANDARD.encode(pair)) }
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Answer, hyper::Error> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.host))
            .version(Version::HTTP_2)
            .header("authorization", &self.authorization);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).expect("well-formed");
        let response = self.sender.clone().send_request(request).await?;
        assert_eq!(response.version(), Version::HTTP_2);
        let (head, body) = response.into_parts();
        let body = body.collect().await.map(http_body_util::Collected::to_bytes);
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }

    async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await.expect("it is answered")
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(self.body.as_ref().expect("a whole body")).expect("JSON")
    }
}

async fn control(server: &TestServer, path: &str, body: Value) {
    let headers = [("content-type", "application/json")];
    server.request("POST", &format!("/control/worlds/default{path}"), &headers, &body.to_string()).await.success();
}

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

#[tokio::test]
async fn http2_with_prior_knowledge_answers_as_http1_does() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    let mel = server.user("mel");

    let own = connection.get("/api/v1/users/me").await;
    assert_eq!((own.status, own.json()["email"].as_str()), (200, Some("mel@chat.test")));
    let sent =
        connection.send("POST", "/api/v1/messages", &[FORM], "type=channel&to=general&topic=t&content=over+two").await;
    let id = sent.expect("it is answered").json()["id"].clone();
    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(message["raw_content"], "over two");
    let missing = connection.get("/api/v1/nothing").await;
    assert_eq!((missing.status, missing.headers.contains_key("x-chatdouble-hint")), (404, true));
    let listed = connection.get("/control/worlds").await;
    assert_eq!(listed.json()["worlds"][0]["name"], "default");
    // Worlds are found by the host as well.
    let fork = json!({"name": "fork", "fork_of": "default"}).to_string();
    connection.send("POST", "/control/worlds", &[("content-type", "application/json")], &fork).await.expect("answered");
    let port = connection.host.rsplit(':').next().expect("a port").to_owned();
    let there = Connection { host: format!("fork.localhost:{port}"), ..Connection::open(&server).await };
    let settings = there.get("/api/v1/server_settings").await;
    assert_eq!(settings.json()["realm_url"], format!("http://fork.localhost:{port}"));
}

#[tokio::test]
async fn a_head_has_the_length_of_a_body_that_is_not_sent() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    for path in ["/api/v1/server_settings", "/api/v1/users/me", "/api/v1/nothing", "/control/worlds", "/console", "/"] {
        let whole = connection.get(path).await;

        let head = connection.send("HEAD", path, &[], "").await.expect("it is answered");

        assert_eq!(head.status, whole.status, "{path}");
        assert_eq!(head.body.expect("none"), Bytes::new(), "{path}");
        if path.starts_with("/api/v1/server") {
            assert_eq!(head.headers["content-length"], whole.headers["content-length"], "{path}");
        }
    }
    let slowly = json!({"match": {"path": "/users/me"}, "effect": {"delay_ms": 1}});
    control(&server, "/faults", slowly).await;
    assert_eq!(connection.send("HEAD", "/api/v1/users/me", &[], "").await.expect("it is answered").status, 200);
}

#[tokio::test]
async fn a_poll_that_waits_leaves_the_other_requests_of_its_connection_alone() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    let queue = server.user("mel").events(["message"]).await;
    let poll = format!("/api/v1/events?queue_id={}&last_event_id=-1", queue.id);

    let polled = tokio::join!(connection.get(&poll), async {
        server.until_parked(1).await;
        let body = "type=channel&to=general&topic=t&content=wake";
        connection.send("POST", "/api/v1/messages", &[FORM], body).await.expect("it is answered")
    });

    assert_eq!(polled.0.json()["events"][0]["message"]["subject"], "t");
}

#[tokio::test]
async fn faults_that_break_a_connection_end_the_stream_alone() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    let body = "type=channel&to=general&topic=t&content=lost";
    for (effect, is_done) in [("drop", true), ("drop_before", false)] {
        let effect = if effect == "drop" { json!({"drop": "after"}) } else { json!({"drop": "before"}) };
        let rule = json!({"match": {"path": "/messages", "method": "POST"}, "times": 1, "effect": effect});
        control(&server, "/faults", rule).await;
        let before = server.server().world("default").snapshot().messages.len();

        assert!(connection.send("POST", "/api/v1/messages", &[FORM], body).await.is_err());

        let after = server.server().world("default").snapshot().messages.len();
        assert_eq!(after - before, usize::from(is_done));
        assert_eq!(connection.get("/api/v1/users/me").await.status, 200);
    }
    let rule = json!({"match": {"path": "/users/me"}, "times": 1, "effect": {"truncate_at": 20}});
    control(&server, "/faults", rule).await;
    assert!(
        connection
            .send("GET", "/api/v1/users/me", &[("accept-encoding", "gzip")], "")
            .await
            .expect("a head")
            .body
            .is_err()
    );
    let rule = json!({"match": {"path": "/users/me"}, "times": 1, "effect": {"error": {"status": 503, "code": "BAD_REQUEST", "msg": "No"}}});
    control(&server, "/faults", rule).await;
    assert_eq!(connection.get("/api/v1/users/me").await.status, 503);
    assert_eq!(connection.get("/api/v1/users/me").await.status, 200);
}

#[tokio::test]
async fn networks_slow_the_streams_of_http2_too() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    control(&server, "/network", json!({"user": "mel", "latency_ms": 150})).await;

    let began = Instant::now();
    connection.get("/api/v1/users/me").await;
    assert!(began.elapsed() >= Duration::from_millis(150));

    control(&server, "/network", json!({"user": "mel", "loss": 1.0})).await;
    assert!(connection.send("GET", "/api/v1/users/me", &[], "").await.is_err());
}

fn unpacked(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match encoding {
        "gzip" => _ = flate2::read::GzDecoder::new(bytes).read_to_end(&mut out).expect("gzip"),
        "br" => _ = brotli::Decompressor::new(bytes, 4096).read_to_end(&mut out).expect("Brotli"),
        other => panic!("{other}"),
    }
    out
}

#[tokio::test]
async fn replies_are_compressed_for_clients_that_ask() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    let plain = connection.get("/api/v1/users").await;
    assert!(!plain.headers.contains_key("content-encoding"));
    let plain = plain.body.expect("whole");

    for (asked, encoding) in [("gzip, deflate", "gzip"), ("gzip, deflate, br", "br"), ("br;q=0.1, gzip", "gzip")] {
        let answer =
            connection.send("GET", "/api/v1/users", &[("accept-encoding", asked)], "").await.expect("answered");
        let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok().map(str::to_owned));
        assert_eq!(header("content-encoding").as_deref(), Some(encoding), "{asked}");
        assert!(answer.headers.get_all("vary").iter().any(|name| name == "Accept-Encoding"), "{asked}");
        let bytes = answer.body.expect("whole");
        assert!(bytes.len() < plain.len() / 2);
        assert_eq!(unpacked(encoding, &bytes), plain);
    }
    for (path, asked) in [("/api/v1/users", "identity"), ("/api/v1/users", "gzip;q=0"), ("/api/v1/nothing", "gzip")] {
        let answer = connection.send("GET", path, &[("accept-encoding", asked)], "").await.expect("answered");
        assert!(!answer.headers.contains_key("content-encoding"), "{path} {asked}");
    }
    let mel = server.user("mel");
    let uploaded = mel.upload("/user_uploads", "n.txt", "text/plain", &[b'x'; 5_000]).await.success();
    let url = uploaded["url"].as_str().expect("an address");
    let file = connection.send("GET", url, &[("accept-encoding", "gzip")], "").await.expect("answered");
    assert_eq!(file.body.expect("whole").len(), 5_000);
}

#[tokio::test]
async fn what_a_fault_makes_is_not_compressed() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    for effect in [json!({"garbage": true}), json!({"truncate_at": 300})] {
        let rule = json!({"match": {"path": "/users"}, "times": 1, "effect": effect});
        control(&server, "/faults", rule).await;
        let answer =
            connection.send("GET", "/api/v1/users", &[("accept-encoding", "gzip, br")], "").await.expect("a head");
        assert!(!answer.headers.contains_key("content-encoding"), "{effect}");
    }
}

#[tokio::test]
async fn packed_bodies_are_refused_whatever_they_unpack_to() {
    let server = TestServer::start().await;
    let connection = Connection::open(&server).await;
    let body = "type=channel&to=general&topic=t&content=x";
    for (encoding, status) in [("gzip", 415), ("br", 415), ("identity", 200), ("", 200)] {
        let headers = [FORM, ("content-encoding", encoding)];
        let answer = connection.send("POST", "/api/v1/messages", &headers, body).await.expect("answered");
        assert_eq!(answer.status, status, "{encoding}");
    }
    let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let refused = server.request("POST", "/control/worlds", &headers, "{}").await.with_status(415);
    refused.error("BAD_REQUEST", "Request bodies are not unpacked: Content-Encoding is 'gzip'");
}
