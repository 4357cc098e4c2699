//! Which pages and host names are let in, and headers that can't be read.

use crate::support::{Reply, TestServer};
use bytes::Bytes;
use http::HeaderValue;
use http_body_util::Full;
use serde_json::json;

async fn raw(server: &TestServer, method: &str, path: &str, headers: &[(&str, &[u8])], body: &str) -> Reply {
    let mut request = http::Request::builder().method(method).uri(format!("{}{path}", server.url()));
    for (name, value) in headers {
        request = request.header(*name, HeaderValue::from_bytes(value).expect("a header"));
    }
    let request = request.body(Full::new(Bytes::from(body.to_owned()))).expect("a well-formed request");
    server.anonymous().raw(request, &format!("{method} {path} {headers:?}")).await
}

/// What somebody who asks with these headers gets of a development server's keys.
async fn keys(server: &TestServer, headers: &[(&str, &[u8])]) -> [u16; 2] {
    let form = [headers, &[("content-type", b"application/x-www-form-urlencoded".as_slice())]].concat();
    let key = raw(server, "POST", "/api/v1/dev_fetch_api_key", &form, "username=olive@chat.test").await;
    assert_eq!(key.status == 200, key.body["api_key"].is_string(), "{key}");
    let list = raw(server, "GET", "/w/default/api/v1/dev_list_users", headers, "").await;
    [key.status, list.status]
}

#[tokio::test]
async fn pages_of_this_machine_get_keys_and_others_do_not() {
    let server = TestServer::start().await;

    for origin in ["http://localhost:3000", "http://app.localhost", "https://127.0.0.1:1", "http://[::1]:5"] {
        assert_eq!(keys(&server, &[("origin", origin.as_bytes())]).await, [200, 200], "{origin}");
    }
    for origin in ["https://evil.test", "null", "http://localhost.evil.test", "http://localhost:1@evil.test", "\u{e9}"]
    {
        assert_eq!(keys(&server, &[("origin", origin.as_bytes())]).await, [403, 403], "{origin}");
    }
    let twice: [(&str, &[u8]); 2] = [("origin", b"http://localhost"), ("origin", b"https://evil.test")];
    assert_eq!(keys(&server, &twice).await, [403, 403]);
    let refused = raw(&server, "GET", "/api/v1/dev_list_users", &[("origin", b"https://evil.test")], "").await;
    refused.error("BAD_REQUEST", "Access denied: keys are not given to pages of https://evil.test");
    // Whoever has a key may call from anywhere.
    let settings = raw(&server, "GET", "/api/v1/server_settings", &[("origin", b"https://evil.test")], "").await;
    assert_eq!((settings.status, settings.header("access-control-allow-origin")), (200, Some("*")));
}

#[tokio::test]
async fn pages_of_the_one_origin_that_is_let_in_get_keys() {
    let server = TestServer::start_with(|options| options.cors_origin = "https://app.example.org".into()).await;

    assert_eq!(keys(&server, &[("origin", b"https://app.example.org")]).await, [200, 200]);
    assert_eq!(keys(&server, &[("origin", b"https://other.example.org")]).await, [403, 403]);
}

#[tokio::test]
async fn pages_of_this_machine_read_keys_though_another_origin_is_let_in() {
    let server = TestServer::start_with(|options| options.cors_origin = "https://app.test".into()).await;
    let preflight = ("access-control-request-method", &b"POST"[..]);
    for (path, may) in [
        ("/api/v1/dev_list_users", true),
        ("/w/default/api/v1/dev_list_users", true),
        ("/api/v1/dev_fetch_api_key", true),
        ("/accounts/login/", true),
        ("/api/v1/users/me", false),
    ] {
        for origin in ["http://localhost:5173", "http://127.0.0.1:1"] {
            let expected = may.then_some(origin);
            let reply = raw(&server, "GET", path, &[("origin", origin.as_bytes())], "").await;
            assert_eq!(reply.header("access-control-allow-origin"), expected, "{path}");
            let reply = raw(&server, "OPTIONS", path, &[("origin", origin.as_bytes()), preflight], "").await;
            assert_eq!(reply.header("access-control-allow-origin"), expected, "{path}");
            assert_eq!(reply.header("access-control-allow-methods").is_some(), may, "{path}");
        }
        let reply = raw(&server, "OPTIONS", path, &[("origin", b"https://evil.test"), preflight], "").await;
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
    }
}

#[tokio::test]
async fn keys_are_not_given_at_names_that_anybody_can_have_lead_here() {
    let server = TestServer::start_with(|options| options.host_names = vec!["Chat.Example.org".into()]).await;

    for host in [
        "127.0.0.1:1",
        "10.0.2.2:9991",
        "[::1]",
        "chat",
        "mac.local",
        "a.test",
        "host.docker.internal",
        "chat.example.org:1",
    ] {
        assert_eq!(keys(&server, &[("host", host.as_bytes())]).await, [200, 200], "{host}");
    }
    for host in ["rebind.evil.com", "example.org", "localhost.evil.com:9991", "localhost:evil"] {
        assert_eq!(keys(&server, &[("host", host.as_bytes())]).await, [403, 403], "{host}");
        let other = raw(&server, "GET", "/api/v1/server_settings", &[("host", host.as_bytes())], "").await;
        assert_eq!(other.status, 200, "{host}");
    }
}

#[tokio::test]
async fn credentials_that_cannot_be_read_are_refused() {
    let server = TestServer::start().await;
    let unreadable: [(&str, &[u8]); 1] = [("authorization", b"Basic \xff\xfe")];
    let twice: [(&str, &[u8]); 2] = [("authorization", b"Basic YTpi"), ("authorization", b"Basic YTpi")];

    for headers in [unreadable.as_slice(), twice.as_slice()] {
        for (method, path) in [("GET", "/api/v1/users"), ("POST", "/api/v1/register"), ("GET", "/user_uploads/2/x/y")] {
            let reply = raw(&server, method, path, headers, "").await.with_status(401);
            reply.error("UNAUTHORIZED", "Invalid authorization header for basic auth");
        }
    }
}

#[tokio::test]
async fn control_takes_origins_and_hosts_that_are_well_formed_alone() {
    let server = TestServer::start().await;
    for origin in [
        "http://127.0.0.1:9991.evil.test",
        "http://127.0.0.1:x",
        "http://[::1].evil.test",
        "http://[::1]evil.test",
        "http://localhost:1@evil.test",
        "://localhost",
        "http://localhost/",
    ] {
        assert_eq!(raw(&server, "GET", "/control/worlds", &[("origin", origin.as_bytes())], "").await.status, 403);
    }
    for host in ["localhost:evil", "[::1]x", ".localhost", "localhost:"] {
        assert_eq!(raw(&server, "GET", "/control/worlds", &[("host", host.as_bytes())], "").await.status, 403);
    }
    let twice: [(&str, &[u8]); 2] = [("origin", b"http://localhost"), ("origin", b"http://evil.test")];
    let refused = raw(&server, "GET", "/control/worlds", &twice, "").await.with_status(403);
    refused.error("BAD_REQUEST", "Access denied: control is not for several origins");
    let twice: [(&str, &[u8]); 2] = [("host", b"localhost"), ("host", b"evil.test")];
    assert_eq!(raw(&server, "GET", "/control/worlds", &twice, "").await.status, 403);
    assert_eq!(raw(&server, "GET", "/control/worlds", &[("origin", b"http://a.localhost:1")], "").await.status, 200);
}

#[tokio::test]
async fn a_forwarded_host_that_is_none_makes_no_address() {
    let server = TestServer::start().await;
    let url = async |headers: &[(&str, &[u8])]| {
        raw(&server, "GET", "/api/v1/server_settings", headers, "").await.success()["realm_url"].clone()
    };

    for host in ["a b", "evil.test\"><script>", "x/y", "x:y", "[::1"] {
        let headers: [(&str, &[u8]); 2] = [("host", b"chat.test:1"), ("x-forwarded-host", host.as_bytes())];
        assert_eq!(url(&headers).await, "http://chat.test:1", "{host}");
    }
    let headers: [(&str, &[u8]); 2] = [("x-forwarded-host", b"chat.example:8"), ("x-forwarded-proto", b"javascript")];
    assert_eq!(url(&headers).await, "http://chat.example:8");
    assert_eq!(url(&[("host", b"\"><script>")]).await, json!("http://127.0.0.1"));
}
