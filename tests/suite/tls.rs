//! HTTPS: the certificate, what is spoken over it, and what those meet who can't or won't.

use crate::support::{Program, TestServer, form, least};
use base64::Engine;
use bytes::Bytes;
use chatdouble::tls::{Tls, client_config};
use futures_util::{FutureExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

fn temporary(name: &str, text: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-tls-{name}", std::process::id()));
    std::fs::write(&file, text).expect("written");
    file
}

/// Somebody who trusts a certificate.
struct Trusting {
    config: ClientConfig,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Trusting {
    fn file(file: &Path) -> Self {
        let config = client_config(Some(file)).expect("a certificate");
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(config.clone()).https_only().enable_http1().build();
        Self { config, client: Client::builder(TokioExecutor::new()).build(connector) }
    }

    fn server(name: &str, server: &TestServer) -> Self {
        Self::file(&temporary(name, server.server().trusted_certificate().expect("it speaks TLS")))
    }

    /// Sends a form or a control body, as mel; the reply's JSON.
    async fn send(&self, method: &str, url: &str, body: String) -> Value {
        let pair = base64::engine::general_purpose::STANDARD.encode("mel@chat.test:melKey00000000000000000000000000");
        let kind = if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
        let request = http::Request::builder().method(method).uri(url).header("content-type", kind);
        let request = request.header("authorization", format!("Basic {pair}")).body(Full::from(body)).expect("one");
        let reply = self.client.request(request).await.expect("a reply");
        let bytes = reply.into_body().collect().await.expect("whole").to_bytes();
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(value["result"], "success", "{method} {url}: {value}");
        value
    }

    /// A connection to this machine under a name.
    async fn connect(&self, port: u16, name: &str) -> std::io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        TlsConnector::from(Arc::new(self.config.clone())).connect(name, stream).await
    }
}

async fn started(names: &[&str]) -> TestServer {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    TestServer::start_with(|options| options.tls = Some(Tls::Made { names })).await
}

#[tokio::test]
async fn the_api_control_and_all_urls_are_https() {
    let server = started(&[]).await;
    let mel = Trusting::server("urls", &server);
    let url = server.url();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");

    let settings = mel.send("GET", &format!("{url}/api/v1/server_settings"), String::new()).await;
    assert_eq!(settings["realm_url"], json!(url));
    let control = format!("{url}/control/worlds");
    let path = mel.send("POST", &control, json!({"name": "blue"}).to_string()).await;
    assert_eq!(path["url"], json!(format!("{url}/w/blue")));
    let own = mel.send("POST", &control, json!({"name": "red", "listen": true}).to_string()).await;
    let own = own["url"].as_str().expect("text").to_owned();
    assert!(own.starts_with("https://127.0.0.1:") && own != url, "{own}");
    for base in [path["url"].as_str().expect("text"), &own] {
        let settings = mel.send("GET", &format!("{base}/api/v1/server_settings"), String::new()).await;
        assert_eq!(settings["realm_url"], json!(base));
    }
    let listed = mel.send("GET", &control, String::new()).await;
    for row in listed["worlds"].as_array().expect("a list") {
        assert!(row["url"].as_str().expect("text").starts_with("https://"), "{row}");
    }
}

#[tokio::test]
async fn a_parked_poll_is_answered_over_it() {
    let server = started(&[]).await;
    let mel = Trusting::server("poll", &server);
    let api = format!("{}/api/v1", server.url());
    let registered = mel.send("POST", &format!("{api}/register"), form(&json!({"fetch_event_types": []}))).await;
    let queue = registered["queue_id"].as_str().expect("a queue").to_owned();

    let message = json!({"type": "direct", "to": "[4]", "content": "sealed"});
    let (poll, messages) = (format!("{api}/events?queue_id={queue}&last_event_id=-1"), format!("{api}/messages"));
    let (polled, sent) = tokio::join!(mel.send("GET", &poll, String::new()), async {
        server.until_parked(1).await;
        mel.send("POST", &messages, form(&message)).await
    });

    assert_eq!(polled["events"][0]["message"]["id"], sent["id"]);
}

#[tokio::test]
async fn a_slow_network_is_as_slow_over_it() {
    let server = started(&[]).await;
    let mel = Trusting::server("network", &server);
    let (api, control) = (format!("{}/api/v1", server.url()), format!("{}/control/worlds/default", server.url()));
    let network = json!({"user": "mel", "latency_ms": 200, "bytes_per_second": 100_000});
    mel.send("POST", &format!("{control}/network"), network.to_string()).await;
    let content = "x".repeat(9_000);
    let draft = json!({"drafts": [{"type": "", "to": [], "topic": "", "content": content, "timestamp": 1}]});

    let (made, sending) = least(4, async || mel.send("POST", &format!("{api}/drafts"), form(&draft)).await).await;
    let draft = format!("{api}/drafts/{}", made["ids"][0]);
    let edited = json!({"draft": {"type": "", "to": [], "topic": "", "content": content, "timestamp": 1}});
    let (_, editing) = least(4, async || mel.send("PATCH", &draft, form(&edited)).await).await;
    for took in [sending, editing] {
        assert!((290..400).contains(&took.as_millis()), "{took:?}");
    }
}

#[tokio::test]
async fn the_certificate_is_for_each_name_of_this_machine_and_for_no_other() {
    let server = started(&["chat.test", "192.0.2.77", "fd00::77"]).await;
    let mel = Trusting::server("names", &server);
    let port = server.server().address().port();

    for name in
        ["localhost", "127.0.0.1", "::1", "10.0.2.2", "default.localhost", "chat.test", "192.0.2.77", "fd00::77"]
    {
        let mut stream = mel.connect(port, name).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let host = if name.contains("::") { format!("[{name}]") } else { name.to_owned() };
        let request =
            format!("GET /api/v1/server_settings HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.expect("a reply that ends as TLS ends");
        assert!(reply.contains(&format!("\"realm_url\":\"https://{host}:{port}\"")), "{name}: {reply}");
    }
    for name in ["evil.test", "a.b.localhost", "10.0.2.3"] {
        assert!(mel.connect(port, name).await.is_err(), "{name}");
    }
    let other = started(&[]).await;
    assert!(mel.connect(other.server().address().port(), "localhost").await.is_err(), "another authority");
}

#[tokio::test]
async fn plain_http_gets_the_address_that_would_have_worked() {
    let server = started(&[]).await;
    let mut stream = TcpStream::connect(server.server().address()).await.expect("connected");
    let request = "POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nto=me";
    stream.write_all(request.as_bytes()).await.expect("sent");

    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.expect("a reply");

    assert!(reply.starts_with("HTTP/1.1 400 ") && reply.contains("x-chatdouble-hint: this server speaks HTTPS"));
    assert!(reply.ends_with("\"code\":\"BAD_REQUEST\"}\n"), "{reply}");
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.arg("serve").args(arguments).env_clear();
    command
}

/// A ClientHello that breaks off.
const HALF_A_HELLO: &[u8] = &[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_and_broken_handshakes_keep_no_server_from_ending() {
    let file = temporary("ending", "");
    let arguments = ["--tls", "--port", "0", "--clock", "frozen", "--tls-ca-file", file.to_str().expect("text")];
    let mut served = Program::start(&mut program(&arguments));
    assert!(served.ready.contains(&format!("listening on https://127.0.0.1:{}", served.port)), "{}", served.ready);
    // It was complete before the line.
    let mel = Trusting::file(&file);
    let mut idle = Vec::new();
    for beginning in [&b""[..], HALF_A_HELLO, &[0xff; 100]] {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", served.port)).expect("connected");
        stream.write_all(beginning).expect("sent");
        idle.push(stream);
    }
    let api = format!("https://127.0.0.1:{}/api/v1", served.port);
    let registered = mel.send("POST", &format!("{api}/register"), "fetch_event_types=[]".to_owned()).await;
    let queue = registered["queue_id"].as_str().expect("a queue");
    let mut polling = mel.connect(served.port, "localhost").await.expect("connected");
    let pair = base64::engine::general_purpose::STANDARD.encode("mel@chat.test:melKey00000000000000000000000000");
    let path = format!("/api/v1/events?queue_id={queue}&last_event_id=-1");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {pair}\r\n\r\n");
    polling.write_all(request.as_bytes()).await.expect("sent");
    let queues = format!("https://127.0.0.1:{}/control/worlds/default/queues/wait", served.port);
    mel.send("POST", &queues, json!({"parked": true, "timeout_ms": 5000}).to_string()).await;

    let (status, took) = served.signal("-TERM");

    assert_eq!(status, Some(0));
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[tokio::test]
async fn a_handshake_that_does_not_go_on_is_given_up() {
    let server = started(&[]).await;
    let begun = Instant::now();
    let given_up = |beginning: &'static [u8]| {
        let address = server.server().address();
        async move {
            let mut stream = TcpStream::connect(address).await.expect("connected");
            stream.write_all(beginning).await.expect("sent");
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            begun.elapsed()
        }
    };

    let took = futures_util::future::join_all([given_up(b""), given_up(HALF_A_HELLO), given_up(&[0xff; 100])]).await;

    assert!(took.iter().all(|took| *took < Duration::from_secs(15)), "{took:?}");
    assert!(took[2] < Duration::from_secs(5), "what is no TLS is seen at once: {took:?}");
    let mel = Trusting::server("given-up", &server);
    mel.send("GET", &format!("{}/api/v1/users/me", server.url()), String::new()).await;
}

/// A certificate that nobody but itself signed, and its key.
fn self_signed(name: &str) -> (String, String) {
    let key = rcgen::KeyPair::generate().expect("a key");
    let params = rcgen::CertificateParams::new(vec![name.to_owned()]).expect("a name");
    (params.self_signed(&key).expect("a certificate").pem(), key.serialize_pem())
}

#[tokio::test]
async fn a_certificate_of_ones_own_is_shown_and_written() {
    let (certificate, key) = self_signed("localhost");
    let (certificate_file, key_file) = (temporary("own-cert", &certificate), temporary("own-key", &key));
    let file = temporary("own-ca", "");
    let text = |file: &Path| file.to_str().expect("text").to_owned();
    let served = Program::start(&mut program(&[
        "--port",
        "0",
        "--tls-cert",
        &text(&certificate_file),
        "--tls-key",
        &text(&key_file),
        "--tls-ca-file",
        &text(&file),
    ]));

    assert_eq!(std::fs::read_to_string(&file).expect("readable"), certificate);
    let url = format!("https://localhost:{}/api/v1/users/me", served.port);
    assert_eq!(Trusting::file(&file).send("GET", &url, String::new()).await["email"], "mel@chat.test");
}

#[test]
fn files_that_do_not_fit_and_options_that_need_more_are_reported() {
    let (certificate, key) = self_signed("localhost");
    let (_, foreign) = self_signed("localhost");
    let file = |name: &str, text: &str| temporary(name, text).to_str().expect("text").to_owned();
    let (certificate, key, foreign) = (file("cert", &certificate), file("key", &key), file("foreign", &foreign));
    let empty = file("empty", "");
    for (arguments, status, expected) in [
        (vec!["--tls-cert", &certificate, "--tls-key", &foreign], 1, "the key is not that of the certificate"),
        (vec!["--tls-cert", &empty, "--tls-key", &key], 1, "the certificate can't be read"),
        (vec!["--tls-cert", &certificate, "--tls-key", &empty], 1, "the key can't be read"),
        (vec!["--tls-cert", "/no/such/file", "--tls-key", &key], 1, "/no/such/file: "),
        (vec!["--tls", "--tls-ca-file", "/no/such/folder/ca"], 1, "cannot write /no/such/folder/ca"),
        (vec!["--tls-cert", &certificate], 2, "--tls-key"),
        (vec!["--tls-key", &key], 2, "--tls-cert"),
        (vec!["--tls-ca-file", &empty], 2, "--tls-ca-file needs --tls"),
        (vec!["--tls-name", "a.test"], 2, "--tls-name needs --tls"),
        (vec!["--tls", "--tls-name", "a b"], 2, "takes a host name or an address"),
    ] {
        let output = program(&["--port", "0"]).args(&arguments).output().expect("it starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
        assert!(error.starts_with("error: ") && error.trim_end().lines().count() == 1, "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[tokio::test]
async fn a_world_is_watched_over_it() {
    let server = started(&[]).await;
    let mel = Trusting::server("watch", &server);
    let address = server.server().address();
    let stream = mel.connect(address.port(), "localhost").await.expect("connected");
    let request = format!("wss://localhost:{}/control/worlds/default/watch", address.port());
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.expect("watching");

    mel.send("GET", &format!("{}/api/v1/users/me", server.url()), String::new()).await;

    let frame = tokio::time::timeout(Duration::from_secs(10), socket.next()).await.expect("in time");
    let frame = frame.expect("one").expect("a frame").into_text().expect("text");
    let frame: Value = serde_json::from_str(&frame).expect("JSON");
    assert_eq!((&frame["type"], &frame["path"]), (&json!("request"), &json!("/users/me")), "{frame}");
    assert!(socket.next().now_or_never().is_none(), "and nothing else");
}
