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
    let body = late.error("VERIFICATION_FAILED", "Expected at least 1 such push, found 0");
    assert_eq!(body["nearest"].as_array().map(Vec::len), Some(2));
    control.delete(PUSHES).await.is(json!({}));
    assert_eq!(control.get(PUSHES).await.success(), json!({"pushes": []}));
    mel.post(TESTING, json!({})).await.success();
    assert_eq!(control.get(PUSHES).await.success()["pushes"][0]["id"], Value::from(3));
}
