//! Who may steer.

use super::Control;
use crate::support::TestServer;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::json;

async fn health(server: &TestServer, headers: &[(&str, &str)]) -> crate::support::Reply {
    call(server, "/health", headers).await
}

async fn call(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> crate::support::Reply {
    let mut request = http::Request::builder().uri(format!("{}/control{path}", server.url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::new())).expect("a well-formed request");
    server.anonymous().raw(request, &format!("{headers:?}")).await
}

#[tokio::test]
async fn this_machine_may_steer_and_foreign_names_and_pages_may_not() {
    let server = TestServer::start().await;
    for host in ["127.0.0.1", "[::1]:80", "localhost:1234", "blue.localhost"] {
        health(&server, &[("host", host)]).await.success();
    }
    for origin in ["http://localhost:8080", "https://127.0.0.1", "http://app.localhost:3000", "http://[::1]:5"] {
        let reply = health(&server, &[("origin", origin)]).await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, Some(origin)), "{reply}");
        assert!(reply.headers.contains(&("vary".to_owned(), "Origin".to_owned())), "{:?}", reply.headers);
    }
    for headers in [
        [("host", "example.org")],
        [("host", "10.0.2.2:9991")],
        [("origin", "http://example.org")],
        [("origin", "null")],
        [("origin", "http://localhost.example.org")],
    ] {
        let reply = health(&server, &headers).await.with_status(403);
        assert_eq!(reply.body["code"], "BAD_REQUEST");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[tokio::test]
async fn the_token_is_asked_for_after_the_page_is_looked_at() {
    let server = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;

    call(&server, "/worlds", &[("authorization", "Bearer secret")]).await.success();
    call(&server, "/worlds", &[("authorization", "Bearer secret"), ("host", "example.org")]).await.success();
    for headers in [vec![], vec![("authorization", "Bearer wrong")], vec![("authorization", "Basic c2VjcmV0")]] {
        health(&server, &headers).await.success();
        let reply = call(&server, "/worlds", &headers).await.with_status(401);
        assert_eq!(reply.header("www-authenticate"), Some("Bearer realm=\"chatdouble control\""));
        reply.error(
            "UNAUTHORIZED",
            "Control needs the token that the server was started with, in the header Authorization: Bearer TOKEN",
        );
    }
    for origin in ["null", "http://example.org"] {
        let reply = health(&server, &[("authorization", "Bearer secret"), ("origin", origin)]).await;
        assert_eq!(reply.status, 403);
    }
}

#[tokio::test]
async fn a_preflight_of_a_foreign_page_gets_nothing() {
    let server = TestServer::start().await;
    let request = http::Request::builder()
        .method("OPTIONS")
        .uri(format!("{}/control/worlds", server.url()))
        .header("origin", "http://example.org")
        .header("access-control-request-method", "POST");
    let request = request.body(Full::new(Bytes::new())).expect("a well-formed request");

    let reply = server.anonymous().raw(request, "preflight").await;

    assert_eq!(reply.status, 403);
    assert!(reply.headers.iter().all(|(name, _)| !name.starts_with("access-control")), "{:?}", reply.headers);
}

#[tokio::test]
async fn what_is_refused_changes_nothing() {
    let server = TestServer::start().await;
    let request = http::Request::builder()
        .method("POST")
        .uri(format!("{}/control/worlds", server.url()))
        .header("origin", "http://example.org");
    let request = request.body(Full::new(Bytes::from_static(b"{}"))).expect("a well-formed request");

    server
        .anonymous()
        .raw(request, "a foreign page's form")
        .await
        .with_status(403)
        .error("BAD_REQUEST", "Access denied: control is not for pages of http://example.org");

    assert_eq!(Control::of(&server).get("/health").await.success()["worlds"], json!(1));
}

#[tokio::test]
async fn an_empty_token_is_none() {
    let server = TestServer::start_with(|options| options.control_token = Some(String::new())).await;

    health(&server, &[]).await.success();
    assert_eq!(health(&server, &[("host", "example.org")]).await.status, 403);
}

#[tokio::test]
async fn a_page_that_may_steer_gets_a_preflight_without_the_token() {
    let server = TestServer::start_with(|options| options.control_token = Some("secret".into())).await;
    let request = http::Request::builder()
        .method("OPTIONS")
        .uri(format!("{}/control/worlds", server.url()))
        .header("origin", "http://localhost:5173")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type");
    let request = request.body(Full::new(Bytes::new())).expect("a well-formed request");

    let reply = server.anonymous().raw(request, "preflight").await;

    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("http://localhost:5173"));
    assert_eq!(reply.header("access-control-allow-headers"), Some("authorization,content-type"));
    assert!(reply.header("access-control-allow-methods").is_some_and(|methods| methods.contains("DELETE")));
    let headers = [("origin", "http://localhost:5173"), ("authorization", "Bearer wrong")];
    let refused = call(&server, "/worlds", &headers).await.with_status(401);
    assert_eq!(refused.header("access-control-allow-origin"), Some("http://localhost:5173"), "the page may read why");
}
