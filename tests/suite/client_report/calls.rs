//! The calls of control about the report.

use super::{Client, clients};
use crate::control::Control;
use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn a_report_lists_clients_by_name_version_and_user() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = Client::new(&server, "app/1.0 (Linux)");
    mel.get("/users/me", json!({})).await;
    server.advance(10).await;
    mel.get("/users/me", json!({"x": 1})).await;
    Client::new(&server, "app/1.1").get("/users/me", json!({})).await;
    Client::of(&server, "app/1.0", "max").get("/users/me", json!({})).await;
    let _ = server.anonymous().get("/server_settings", json!({})).await;

    let report = control.get("/worlds/default/report").await.success();

    assert_eq!(report["complete"], true);
    let clients = report["clients"].as_array().expect("a list");
    let names: Vec<_> = clients.iter().map(|one| (one["client"].clone(), one["user"].clone())).collect();
    assert_eq!(
        names,
        [
            (json!("Unspecified"), json!(null)),
            (json!("app/1.0"), json!("max@chat.test")),
            (json!("app/1.0"), json!("mel@chat.test")),
            (json!("app/1.1"), json!("mel@chat.test")),
        ]
    );
    let start = crate::control::START_SECONDS as f64;
    let occurrence = json!({"journal_id": 2, "at": start + 10.0, "request": "GET /users/me x=1"});
    let mut of_mel = clients[2].clone();
    let finding = of_mel["findings"][0].take();
    assert_eq!(
        of_mel,
        json!({"client": "app/1.0", "user": "mel@chat.test", "requests": 2, "first_at": start, "last_at": start + 10.0,
            "findings": [null]})
    );
    assert_eq!((&finding["first"], &finding["last"]), (&occurrence, &occurrence));
    for key in ["rule", "severity", "message", "why", "help"] {
        assert!(finding[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {finding}");
    }
}

#[tokio::test]
async fn a_report_is_emptied_by_its_calls_and_by_a_reset() {
    let (server, client, _) = clients().await;
    let control = Control::of(&server);
    let count = async || {
        let report = control.get("/worlds/default/report").await.success();
        report["clients"].as_array().expect("a list").len()
    };
    client.get("/users/me", json!({})).await;
    control.post("/worlds/default/reset", json!({"keep": ["report"]})).await.success();
    assert_eq!(count().await, 1);
    control.post("/worlds/default/reset", json!({"keep": ["journal"]})).await.success();
    assert_eq!(count().await, 0);
    client.get("/users/me", json!({})).await;
    control.delete("/worlds/default/report").await.success();
    assert_eq!(count().await, 0);
    client.get("/users/me", json!({})).await;
    control.delete("/report").await.success();
    assert_eq!(count().await, 0);
}

#[tokio::test]
async fn ended_worlds_stay_in_the_report_of_all() {
    let (server, client, _) = clients().await;
    let control = Control::of(&server);
    let long = format!("a test\n{}", "x".repeat(100_000));
    control.post("/worlds", json!({"name": "gone", "fork_of": "default", "label": long})).await.success();
    client.get("/users/me", json!({})).await;
    client.in_world("gone").get("/users/me", json!({"x": 1})).await;
    control.delete("/worlds/gone").await.success();

    let report = control.get("/report").await.success();
    let rows: Vec<_> = report["clients"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| (row["world"].clone(), row["findings"].as_array().map(Vec::len)))
        .collect();
    assert_eq!(rows, [(json!("gone"), Some(1)), (json!("default"), Some(0))]);
    let label = report["clients"][0]["label"].as_str().expect("a text");
    assert!(label.starts_with("a test xxx") && label.len() == 200, "{label}");
    let unknown = control.get("/worlds/gone/report").await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn memory_is_bounded_and_what_is_forgotten_is_admitted() {
    let server = TestServer::start().await;
    let world = server.server().world("default");
    let mel = server.user("mel");
    for number in 0..chatdouble::report::MAX_CLIENTS + 10 {
        let pair = form_urlencoded::byte_serialize(number.to_string().as_bytes()).collect::<String>();
        let request = http::Request::builder()
            .uri(format!("{}/api/v1/server_settings", server.url()))
            .header("user-agent", format!("client-{pair}/1.0"))
            .body(http_body_util::Full::default())
            .expect("well-formed");
        let _ = mel.raw(request, "GET /server_settings").await;
    }

    let summary = world.report().summary();

    assert_eq!((summary.clients.len(), summary.complete), (chatdouble::report::MAX_CLIENTS, false));
}
