//! Tests of the client against local servers that reply, fail or send nothing.

use super::*;
use crate::tls::client_config_without_trust;
use http::Method;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Starts a server that sends these replies in order, one per connection. Returns its URL and the requests that it
/// reads.
fn serve(replies: &[&str]) -> (BaseUrl, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/chat/", listener.local_addr().expect("an address"));
    let replies: Vec<String> = replies.iter().map(|&reply| reply.to_owned()).collect();
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for reply in replies {
            let (mut connection, _) = listener.accept().expect("a connection");
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && connection.read(&mut byte).is_ok_and(|count| count > 0) {
                request.extend(byte);
            }
            let _ = sender.send(String::from_utf8_lossy(&request).into_owned());
            let _ = connection.write_all(reply.as_bytes());
        }
    });
    (BaseUrl::parse(&url).expect("a URL"), requests)
}

fn reply(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
}

fn new_upstream(base_url: BaseUrl, retries: u32) -> Upstream {
    let options = Options { rate: 0.0, read_timeout: Duration::from_millis(300), retries, notify: |_| {} };
    let account = Account { email: "mel@chat.test".to_owned(), api_key: "k".to_owned() };
    let upstream = Upstream::new(base_url, client_config_without_trust().expect("TLS"), options).expect("a client");
    upstream.with_account(account)
}

async fn get_own_user(replies: &[&str], retries: u32) -> Result<Reply, String> {
    let (base_url, _requests) = serve(replies);
    let url = base_url.as_str().to_owned();
    let result = new_upstream(base_url, retries).get("/users/me", &[]).await;
    result.map_err(|error| error.to_string().replace(&url, "URL"))
}

#[tokio::test]
async fn a_read_has_credentials_and_a_path_below_the_base_url() {
    let (base_url, requests) = serve(&[&reply("200 OK", "", r#"{"result":"success","a":1}"#)]);
    let reply = new_upstream(base_url, 0).get("/users/me", &[("q", "a b".to_owned())]).await.expect("a reply");
    assert_eq!(reply.json::<serde_json::Value>().expect("JSON")["a"], 1);
    let request = requests.recv().expect("a request").to_ascii_lowercase();
    assert!(request.starts_with("get /chat/api/v1/users/me?q=a+b http/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: basic bwvsqgnoyxqudgvzddpr\r\n"), "{request}");
    assert!(request.contains("user-agent: chatdouble/"), "{request}");
}

#[tokio::test]
async fn each_failure_has_a_message_of_one_line() {
    let html = "<html><head><title>502 Bad\n Gateway</title></head></html>";
    let incomplete = "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"result\":";
    for (text, message) in [
        (
            reply("200 OK", "", html),
            "the reply is a page in HTML instead of JSON (status 200, \"502 Bad Gateway\"); is this the base URL",
        ),
        (reply("502 Bad Gateway", "", html), "the reply is a page in HTML instead of JSON (status 502, "),
        (reply("200 OK", "", "{\"result\": \"succ"), "the reply is not the JSON of this API (status 200): EOF while"),
        (reply("503 Unavailable", "", ""), "the reply is not the JSON of this API (status 503): EOF while"),
        (incomplete.to_owned(), "the reply broke off after 10 bytes: "),
        (String::new(), "the connection ended without a reply: "),
        (reply("301 Moved", "Location: https://x/\r\n", ""), "the server leads to https://x/ instead"),
        (
            reply("401 Unauthorized", "", r#"{"result":"error","code":"UNAUTHORIZED","msg":"Invalid API key"}"#),
            "the server does not accept the API key of mel@chat.test: Invalid API key",
        ),
        (
            reply("400 Bad Request", "", r#"{"result":"error","code":"BAD_REQUEST","msg":"a\nb"}"#),
            "status 400, BAD_REQUEST: a b",
        ),
        (reply("429 Slow", "Retry-After: 3600\r\n", "{}"), "the server asks for a pause of 3600 s, which is too long"),
    ] {
        let error = get_own_user(&[&text], 0).await.expect_err(message);
        assert!(error.starts_with(&format!("GET URL/api/v1/users/me: {message}")), "{error}\nand not\n{message}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_reported_at_once() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let base_url = BaseUrl::parse(&format!("http://127.0.0.1:{port}")).expect("a URL");
    let error = new_upstream(base_url, 5).get("/users/me", &[]).await.expect_err("nobody is there").to_string();
    assert!(error.contains("no connection to the server: ") && error.to_lowercase().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_slow_server_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base_url = BaseUrl::parse(&format!("http://{}", listener.local_addr().expect("an address"))).expect("a URL");
    let error = new_upstream(base_url, 0).get("/users/me", &[]).await.expect_err("nothing comes").to_string();
    assert!(error.ends_with("no reply within 0.3 s (--timeout)"), "{error}");
}

#[tokio::test]
async fn a_read_is_retried_when_the_server_fails() {
    let success = reply("200 OK", "", r#"{"result":"success"}"#);
    let failure_reply = reply("502 Bad Gateway", "", "<html>");
    assert!(get_own_user(&[&failure_reply, &success], 1).await.is_ok());
    assert!(get_own_user(&[&failure_reply, &success], 0).await.is_err());
    // A page at the first request means that this is not a server of this API, so nothing is retried.
    assert!(get_own_user(&[&reply("200 OK", "", "<html>"), &success], 1).await.is_err());
}

#[tokio::test]
async fn a_change_is_retried_only_after_a_rate_limit() {
    let success = reply("200 OK", "", r#"{"result":"success"}"#);
    let failure_reply = reply("502 Bad Gateway", "", "<html>");
    let rate_limit_reply =
        reply("429 Slow", "", r#"{"result":"error","code":"RATE_LIMIT_HIT","msg":"","retry-after":0.2}"#);
    let (base_url, _requests) = serve(&[&failure_reply, &rate_limit_reply, &success]);
    let upstream = new_upstream(base_url, 5);
    let request = Request { method: Method::POST, path: "/register", parameters: &[] };
    assert!(upstream.send_checked(&request).await.is_err());
    let start = std::time::Instant::now();
    assert!(upstream.send_checked(&request).await.is_ok());
    assert!(start.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn a_request_that_a_rate_limit_refuses_too_often_is_reported() {
    let refusal = reply("429 Slow", "", r#"{"result":"error","code":"RATE_LIMIT_HIT","msg":"","retry-after":0}"#);
    let error = get_own_user(&[refusal.as_str(); 101], 0).await.expect_err("no other reply comes");
    assert!(error.ends_with("the server refused the request 101 times because of its rate limit"), "{error}");
}

#[tokio::test]
async fn a_compressed_reply_is_decompressed() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(br#"{"result":"success"}"#).expect("compressed");
    let body = encoder.finish().expect("compressed");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base_url = BaseUrl::parse(&format!("http://{}", listener.local_addr().expect("an address"))).expect("a URL");
    std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        let _ = connection.read(&mut [0; 4_096]);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
        let _ = connection.write_all(&[head.as_bytes(), &body].concat());
    });
    let reply = new_upstream(base_url, 0).get("/users/me", &[]).await.expect("a reply");
    assert_eq!(reply.body, r#"{"result":"success"}"#);
}
