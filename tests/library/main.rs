//! The library without its features: what a test of a client gets from the smallest build. CI runs this file by
//! itself, without features; with those of the program, it is empty.
#![cfg(not(feature = "cli"))]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chatdouble::testing::{self, TestWorld, WorldOptions};
use http::Method;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

/// Sends a request, with further lines of its head, and returns the response as text.
fn send(world: &TestWorld, handle: &str, method: &str, path: &str, head: &str, form: &[(&str, &str)]) -> String {
    let (address, world_path) = split_url(world.url());
    let user = world.user(handle);
    let credentials = STANDARD.encode(format!("{}:{}", user.email, user.api_key));
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let length = body.len();
    let request = format!(
        "{method} {world_path}{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Basic {credentials}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n{head}\r\n{body}"
    );
    exchange(address, request.as_bytes())
}

/// Sends bytes on a new connection, and returns what the server sends until it closes it.
fn exchange(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(bytes).expect("the request is sent");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("a response");
    String::from_utf8_lossy(&response).into_owned()
}

/// The address in a URL, and the path after it.
fn split_url(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").expect("a URL without TLS");
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

fn assert_contains(response: &str, text: &str) {
    assert!(response.contains(text), "no {text:?} in {response}");
}

#[test]
fn tex_is_shown_as_where_it_has_a_fault() {
    let world = testing::world();

    let response = send(&world, "mel", "POST", "/api/v1/messages/render", "", &[("content", "$$x^2$$")]);

    assert_contains(&response, r#"<span class=\"tex-error\">$$x^2$$</span>"#);
}

#[test]
fn a_long_password_is_hard_enough() {
    let world = testing::world();
    let password = "a".repeat(40);
    let account = [("email", "new@chat.test"), ("full_name", "New"), ("password", &*password)];

    let response = send(&world, "olive", "POST", "/api/v1/users", "", &account);

    assert_contains(&response, r#""result":"success""#);
}

#[test]
fn no_web_token_is_valid() {
    let world = testing::world();
    // Signed with the server's key, for mel.
    let token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJlbWFpbCI6Im1lbEBjaGF0LnRlc3QifQ.5SkQDmK57rrk7dgb_k87t6NitRetrKhihpvANtcMjlA";

    let response = send(&world, "mel", "POST", "/api/v1/jwt/fetch_api_key", "", &[("token", token)]);

    assert_contains(&response, "HTTP/1.1 400");
    assert_contains(&response, "Bad JSON web token");
}

#[test]
fn pushes_are_not_encrypted() {
    let world = testing::world();
    let created = send(&world, "max", "POST", "/api/v1/register_client_device", "", &[]);
    let device = created.split_once(r#""device_id":"#).expect("a device").1;
    let device: String = device.chars().take_while(char::is_ascii_digit).collect();
    let key = STANDARD.encode([[0x31; 1].as_slice(), &[1; 32]].concat());
    let registration = [
        ("device_id", &*device),
        ("push_key_id", "1"),
        ("push_key", &key),
        ("token_kind", "fcm"),
        ("token_id", "dG9rZW4="),
        ("bouncer_public_key", "a2V5"),
        ("encrypted_push_registration", "c2VjcmV0"),
    ];
    let registered = send(&world, "max", "POST", "/api/v1/mobile_push/register", "", &registration);
    assert_contains(&registered, r#""result":"success""#);

    send(&world, "max", "POST", "/api/v1/mobile_push/e2ee/test_notification", "", &[]);

    let pushes = world.control(Method::GET, "/pushes?user=max", None).expect("a reply");
    let push = pushes["pushes"].as_array().and_then(|pushes| pushes.last()).cloned().unwrap_or_default();
    assert_eq!((&push["kind"], &push["wire"]["encrypted_data"]), (&json!("test"), &Value::Null), "{push:#}");
}

#[test]
fn replies_are_not_compressed() {
    let world = testing::world();

    let response = send(&world, "mel", "GET", "/api/v1/users", "Accept-Encoding: gzip, br\r\n", &[]);

    assert_contains(&response, r#""result":"success""#);
    assert!(!response.to_lowercase().contains("content-encoding"), "{response}");
}

#[test]
fn paths_of_pages_are_unknown() {
    let world = testing::world();

    for path in ["/", "/login/", "/accounts/login/", "/join/a/"] {
        let response = send(&world, "mel", "GET", path, "Accept: text/html\r\n", &[]);

        assert_contains(&response, "HTTP/1.1 404");
        assert_contains(&response, r#""result":"error""#);
    }
}

#[test]
fn the_preface_of_http_2_is_refused() {
    let world = testing::world();
    let (address, _) = split_url(world.url());

    let response = exchange(address, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

    assert!(response.is_empty() || response.starts_with("HTTP/1.1 400"), "{response}");
}

#[test]
fn a_world_can_not_be_watched() {
    let world = testing::world();
    let (address, _) = split_url(world.url());
    let name = world.name();
    let upgrade = format!(
        "GET /control/worlds/{name}/watch HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );

    let response = exchange(address, upgrade.as_bytes());

    assert_contains(&response, "HTTP/1.1 400");
    assert_contains(&response, "the server is built without the feature watch");
}

#[test]
fn the_generated_organization_is_unknown() {
    let refused = std::panic::catch_unwind(|| testing::world_with(WorldOptions::new().fixture("large")));

    let reason = refused.err().and_then(|panic| panic.downcast::<String>().ok()).expect("a reason");
    assert_contains(&reason, "large");
}
