//! What costs more than it has to.

use super::{assert_only, clients, event};
use serde_json::json;

#[tokio::test]
async fn history_is_fetched_as_it_is_read() {
    let (server, bad, good) = clients().await;
    for _ in 0..12 {
        event(&server).await;
    }
    let narrow = json!([{"operator": "topic", "operand": "report"}]);
    for client in [&bad, &good] {
        let mut anchor = json!("newest");
        for _ in 0..8 {
            let params =
                json!({"anchor": anchor, "num_before": 2, "num_after": 0, "include_anchor": false, "narrow": narrow});
            let (_, reply) = client.get("/messages", params).await;
            if reply["found_oldest"] == true {
                break;
            }
            anchor = reply["messages"][0]["id"].clone();
            if std::ptr::eq(client, &good) {
                // A user who scrolls.
                server.advance(15).await;
            }
        }
    }

    assert_only("whole-history-fetched", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn flags_are_changed_together() {
    let (server, bad, good) = clients().await;
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(event(&server).await);
    }
    let mark = |messages: &str| json!({"messages": messages, "op": "add", "flag": "read"});
    for id in &ids {
        bad.post("/messages/flags", mark(&format!("[{id}]"))).await;
    }
    good.post("/messages/flags", mark(&format!("{ids:?}"))).await;
    for id in &ids {
        good.post("/messages/flags", mark(&format!("[{id}]"))).await;
        server.advance(3).await;
    }

    assert_only("flags-one-by-one", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn users_are_fetched_once() {
    let (server, bad, good) = clients().await;
    for client in [&bad, &good] {
        client.register_for(json!(["realm_user"])).await;
        client.get("/users", json!({})).await;
        client.get("/users", json!({})).await;
    }
    bad.get("/users", json!({})).await;
    server.advance(610).await;
    good.get("/users", json!({})).await;

    assert_only("users-fetched-again", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn registering_names_what_is_used() {
    let (_server, bad, good) = clients().await;
    bad.post("/register", json!({})).await;
    good.post("/register", json!({"event_types": ["message"]})).await;

    assert_only("register-everything", &bad.broken().await, &good.broken().await);
}

#[tokio::test]
async fn capabilities_are_declared() {
    let (_server, bad, good) = clients().await;
    bad.post("/register", json!({"event_types": ["delete_message"]})).await;
    good.register_for(json!(["delete_message", "typing", "message"])).await;

    assert_only("capability-undeclared", &bad.broken().await, &good.broken().await);
}
