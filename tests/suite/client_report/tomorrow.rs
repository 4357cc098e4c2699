//! What clients use that later servers no longer have.

use super::{Client, assert_only, clients};
use crate::control::Control;
use crate::support::TestServer;
use serde_json::json;

/// The two clients in a world at an older level.
async fn at_level(server: &TestServer, level: i64, clients: [&Client; 2]) -> [Client; 2] {
    let world = json!({"name": "older", "fork_of": "default", "feature_level": level});
    Control::of(server).post("/worlds", world).await.success();
    clients.map(|client| client.in_world("older"))
}

#[tokio::test]
async fn what_is_gone_later_is_reported_at_an_older_level() {
    let server = TestServer::start().await;
    let (bad, good) = (Client::of(&server, "bad/1.0", "olive"), Client::of(&server, "good/1.0", "olive"));
    let [bad, good] = at_level(&server, 351, [&bad, &good]).await;
    assert_eq!(bad.send("PATCH", "/realm", json!({"wildcard_mention_policy": 1})).await.0, 200);
    assert_eq!(good.send("PATCH", "/realm", json!({"name": "Other"})).await.0, 200);

    assert_only("gone-at-later-level", &bad.broken().await, &good.broken().await);
    let said = "Uses what later servers no longer have: \
                works at 351; at 352 parameter wildcard_mention_policy of PATCH /realm is gone";
    assert_eq!(bad.findings().await[0]["message"], said);
}

#[tokio::test]
async fn what_is_renamed_later_is_reported_at_an_older_level() {
    let server = TestServer::start().await;
    let (bad, good) = (Client::of(&server, "bad/1.0", "olive"), Client::of(&server, "good/1.0", "olive"));
    let [bad, good] = at_level(&server, 371, [&bad, &good]).await;
    assert_eq!(bad.send("PATCH", "/realm", json!({"mandatory_topics": true})).await.0, 200);
    assert_eq!(good.send("PATCH", "/realm", json!({"name": "Other"})).await.0, 200);

    assert_only("renamed-at-later-level", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn what_is_deprecated_later_is_reported_at_an_older_level() {
    let (server, bad, good) = clients().await;
    let [bad, good] = at_level(&server, 371, [&bad, &good]).await;
    let token = json!({"token": "ab".repeat(32), "appid": "org.example.chat"});
    assert_eq!(bad.post("/users/me/platform_device_token", token).await.0, 200);
    // Refused requests use nothing.
    good.post("/users/me/platform_device_token", json!({"token": ""})).await;

    assert_only("deprecated-at-later-level", &bad.broken().await, &good.broken().await);
}
