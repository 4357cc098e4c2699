//! Pushes: filtered, waited for and forgotten.

use super::Control;
use crate::support::TestServer;
use serde_json::{Value, json};

const PUSHES: &str = "/worlds/default/pushes";
const TESTING: &str = "/mobile_push/e2ee/test_notification";

#[tokio::test]
async fn pushes_are_filtered_waited_for_and_forgotten() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let waiting = {
        let control = control.clone();
        tokio::spawn(async move {
            control.post(&format!("{PUSHES}/wait"), json!({"user": "mel", "at_least": 2, "timeout_ms": 10_000})).await
        })
    };
    mel.post(TESTING, json!({})).await.success();
    mel.post(TESTING, json!({})).await.success();

    let waited = waiting.await.expect("answered").success();
    assert_eq!(waited["count"], 2);
    let all = control.get(PUSHES).await.success()["pushes"].clone();
    assert_eq!(waited["pushes"], all);
    let ids: Vec<i64> = all.as_array().into_iter().flatten().filter_map(|push| push["id"].as_i64()).collect();
    assert_eq!(ids, [1, 2]);
    let count = async |query: String| {
        control.get(&format!("{PUSHES}?{query}")).await.success()["pushes"].as_array().map(Vec::len)
    };
    let device = all[0]["device_id"].as_i64().expect("a device");
    assert_eq!(count("user=mel".into()).await, Some(2));
    assert_eq!(count("user=max".into()).await, Some(0));
    assert_eq!(count(format!("device_id={device}")).await, Some(2));
    assert_eq!(count(format!("device_id={}", device + 1)).await, Some(0));
    assert_eq!(count("since=1".into()).await, Some(1));
    control.get(&format!("{PUSHES}?since=x")).await.refused("since: takes a whole number");

    let late = control.post(&format!("{PUSHES}/wait"), json!({"user": "max", "timeout_ms": 5})).await.with_status(408);
    let cause = "; max has no device that receives pushes, but there were pushes to mel@chat.test";
    let refusal = format!("Expected at least 1 such push, found 0{cause}");
    let body = late.error("VERIFICATION_FAILED", &refusal);
    assert_eq!(body["nearest"].as_array().map(Vec::len), Some(2));
    control.delete(PUSHES).await.is(json!({}));
    assert_eq!(control.get(PUSHES).await.success(), json!({"pushes": []}));
    mel.post(TESTING, json!({})).await.success();
    assert_eq!(control.get(PUSHES).await.success()["pushes"][0]["id"], Value::from(3));
}

#[tokio::test]
async fn a_wait_for_pushes_that_did_not_come_says_why() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let wait = async |body| control.post(&format!("{PUSHES}/wait"), body).await.with_status(408);
    let refused = "Expected at least 1 such push, found 0";
    for (body, cause) in [
        (json!({"timeout_ms": 0}), "; there were no pushes"),
        (json!({"user": "mel", "timeout_ms": 0}), "; there was no push to mel"),
        (json!({"user": "max", "timeout_ms": 0}), "; max has no device that receives pushes"),
    ] {
        wait(body).await.error("VERIFICATION_FAILED", &format!("{refused}{cause}"));
    }

    let mel = server.user("mel");
    mel.patch("/settings", json!({"enable_online_push_notifications": false})).await.success();
    mel.post("/users/me/presence", json!({"status": "active", "new_user_input": true})).await.success();
    mel.register(json!({"event_types": ["message"]})).await;
    let cause = "; mel is online, and has enable_online_push_notifications off";
    wait(json!({"user": "mel", "timeout_ms": 0})).await.error("VERIFICATION_FAILED", &format!("{refused}{cause}"));

    mel.post(TESTING, json!({})).await.success();

    wait(json!({"since": 1, "timeout_ms": 0})).await.error("VERIFICATION_FAILED", refused);
    wait(json!({"user": "mel", "since": 1, "timeout_ms": 0})).await.error("VERIFICATION_FAILED", refused);
    let two = wait(json!({"user": "mel", "at_least": 2, "timeout_ms": 0})).await;
    two.error("VERIFICATION_FAILED", "Expected at least 2 such pushes, found 1");
}
