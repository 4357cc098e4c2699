//! What happens outside of the API: invitations that are followed, and what the push relay is handed.

use super::{Control, START_SECONDS};
use crate::support::TestServer;
use serde_json::{Value, json};

const LINK: &str = "/worlds/default/invites/expiringlinkkeyaaaaaaaaa/accept";
const TESTING: &str = "/mobile_push/e2ee/test_notification";

#[tokio::test]
async fn somebody_follows_an_invitation_and_may_log_in() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mut queue = server.user("mel").events(["realm_user"]).await;

    let reply = control.post(LINK, json!({"email": "new@example.com", "full_name": "New Ned"})).await.success();

    let event = queue.next().await.has(json!({"type": "realm_user", "op": "add"}));
    assert_eq!((&event["person"]["full_name"], &event["person"]["user_id"]), (&json!("New Ned"), &reply["user_id"]));
    let key = server.anonymous().post("/dev_fetch_api_key", json!({"username": "new@example.com"})).await.success();
    assert_eq!(key["user_id"], reply["user_id"]);
}

#[tokio::test]
async fn an_invitation_that_is_not_open_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let ned = json!({"email": "new@example.com", "full_name": "New Ned"});
    for (body, part) in [
        (json!({}), "email"),
        (json!({"email": "new@example.com"}), "full_name"),
        (json!({"email": 5, "full_name": "New Ned"}), "$.email"),
        (json!({"email": "new@example.com", "full_name": "New Ned", "role": 400}), "role"),
    ] {
        control.post(LINK, body).await.refused(part);
    }
    control.post("/worlds/default/invites/nokey/accept", ned.clone()).await.error("BAD_REQUEST", "No such invitation");
    let taken = control.post(LINK, json!({"email": "mel@chat.test", "full_name": "New Ned"})).await;
    assert_eq!((taken.status, &taken.body["result"]), (400, &json!("error")), "{taken}");
    control.post("/worlds/default/clock", json!({"advance_seconds": 10 * 86_400})).await.success();
    control.post(LINK, ned).await.error("BAD_REQUEST", "Invitation has expired");
}

#[tokio::test]
async fn the_push_relay_keeps_what_it_was_handed() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let pushes = || async { control.get("/worlds/default/pushes").await.success()["pushes"].clone() };
    assert_eq!(pushes().await, json!([]));

    server.user("mel").post(TESTING, json!({})).await.success();

    let handed = pushes().await;
    let expected = (&json!("mel@chat.test"), &json!("test"), &json!(START_SECONDS as f64));
    assert_eq!((&handed[0]["user"], &handed[0]["kind"], &handed[0]["at"]), expected);
    assert!(handed[0]["device_id"].is_i64() && handed[0]["payload"].is_object(), "{handed:#}");
    let fork = control.post("/worlds", json!({"fork_of": "default"})).await.success();
    let name = fork["name"].as_str().expect("a name");
    assert_eq!(control.get(&format!("/worlds/{name}/pushes")).await.success(), json!({"pushes": []}));
    control.send("POST", "/worlds/default/reset", vec![]).await.success();
    assert_eq!(pushes().await, json!([]));
}

#[tokio::test]
async fn a_broken_relay_fails_push_operations_alone() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    for (bouncer, code) in [
        ("unreachable", "FAILED_TO_CONNECT_BOUNCER"),
        ("server_error", "INTERNAL_SERVER_ERROR_ON_BOUNCER"),
        ("admin_action_required", "ADMIN_ACTION_REQUIRED"),
    ] {
        let id = control.fault(json!({"after": 1, "times": 1, "effect": {"bouncer": bouncer}})).await;
        mel.get("/users/me", json!({})).await.success();
        mel.post(TESTING, json!({})).await.success();

        let reply = mel.post(TESTING, json!({})).await;

        assert_eq!(reply.header("x-chatdouble-fault"), Some(id.as_str()));
        assert_eq!(reply.body["code"], code, "{reply}");
        mel.post(TESTING, json!({})).await.success();
        control.delete("/worlds/default/faults").await.success();
    }
    control.fault(json!({"effect": {"bouncer": "unreachable"}})).await;
    let reply = max.post(TESTING, json!({})).await;
    assert_eq!(reply.body["code"], "NO_ACTIVE_PUSH_DEVICE", "this is checked first: {reply}");
    let pushed: Value = control.get("/worlds/default/pushes").await.success();
    assert_eq!(pushed["pushes"].as_array().map(Vec::len), Some(6), "what failed was not handed on");
}
