//! Users in bodies and filters: by address or handle; unknown ones are refused.

use super::Control;
use crate::support::TestServer;
use serde_json::json;

const WORLD: &str = "/worlds/default";

#[tokio::test]
async fn a_handle_is_as_good_as_the_address() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for name in ["mel", "MEL", "mel@chat.test", "Mel@Chat.Test"] {
        let id = control.fault(json!({"match": {"user": name}, "effect": {"garbage": true}})).await;
        let reply = server.user("mel").get("/users/me", json!({})).await;
        assert_eq!(reply.header("x-chatdouble-fault"), Some(id.as_str()), "{name}");
        control.delete(&format!("{WORLD}/faults")).await.success();
    }
    for name in ["mel", "mel%40chat.test"] {
        let entries = control.get(&format!("{WORLD}/journal?user={name}")).await.success()["entries"].clone();
        assert_eq!(entries.as_array().map(Vec::len), Some(4), "{name}");
    }
    control
        .post(&format!("{WORLD}/journal/verify"), json!({"user": "mel", "exactly": 4}))
        .await
        .is(json!({"count": 4}));
}

#[tokio::test]
async fn an_unknown_user_is_refused_with_the_nearest() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let nearest = "there is no user 'mell' in this world; the nearest is 'mel'";
    let body = json!({"user": "mell", "exactly": 0});
    control.post(&format!("{WORLD}/journal/verify"), body).await.refused(&format!("$.user: {nearest}"));
    let body = json!({"user": "mell", "timeout_ms": 0});
    for call in ["journal/wait", "queues/wait", "pushes/wait"] {
        control.post(&format!("{WORLD}/{call}"), body.clone()).await.refused(&format!("$.user: {nearest}"));
    }
    let rule = json!({"match": {"user": "mell"}, "effect": {"garbage": true}});
    control.post(&format!("{WORLD}/faults"), rule).await.refused(&format!("$.match.user: {nearest}"));
    for call in ["journal", "pushes"] {
        control.get(&format!("{WORLD}/{call}?user=mell")).await.refused(&format!("user: {nearest}"));
    }
    let address = json!({"user": "mell@chat.test", "exactly": 0});
    let reply = control.post(&format!("{WORLD}/journal/verify"), address).await;
    reply.refused("there is no user 'mell@chat.test' in this world; the nearest is 'mel@chat.test'");
    control.post(&format!("{WORLD}/journal/verify"), json!({"user": "", "exactly": 0})).await.refused("$.user");
}
