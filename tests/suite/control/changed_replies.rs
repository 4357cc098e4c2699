//! Faults that change what is in a reply: keys of a success, the words of a failure.

use super::Control;
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn a_changed_success_was_carried_out_and_has_the_keys_that_were_asked_for() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let effect = json!({"change": {"complete": false, "last_processed_id": null, "result": "partially_completed",
        "code": "REQUEST_TIMEOUT", "further": [1, {"a": null}]}});
    let id = control.fault(json!({"match": {"path": "/mark_all_as_read"}, "times": 1, "effect": effect})).await;
    assert_ne!(mel.get("/messages", narrowed()).await.success()["messages"], json!([]));

    let reply = mel.post("/mark_all_as_read", json!({})).await;

    assert_eq!((reply.status, reply.header("x-chatdouble-fault")), (200, Some(id.as_str())));
    let expected = json!({"result": "partially_completed", "msg": "", "complete": false,
        "code": "REQUEST_TIMEOUT", "further": [1, {"a": null}]});
    assert_eq!(reply.body, expected);
    assert_eq!(mel.get("/messages", narrowed()).await.success()["messages"], json!([]), "it was carried out");
    let listed = control.get("/worlds/default/faults").await.success();
    assert_eq!(listed["faults"][0]["effect"], effect, "a null that leaves a key out is kept");
}

/// A fetch of mel's unread messages.
fn narrowed() -> Value {
    json!({"anchor": "oldest", "num_before": 0, "num_after": 1, "narrow": [{"operator": "is", "operand": "unread"}]})
}

#[tokio::test]
async fn a_changed_reply_has_the_names_of_the_dialect_and_a_failure_stays() {
    let server = TestServer::start_with(|options| options.dialect = chatdouble::Dialect::zulip()).await;
    let control = Control::of(&server);
    let anyone = server.anonymous();
    control.fault(json!({"effect": {"change": {"service_feature_level": 1, "zulip_version": null}}})).await;

    let settings = anyone.get("/server_settings", json!({})).await.success();
    assert_eq!((&settings["zulip_feature_level"], settings.get("zulip_version")), (&json!(1), None));
    assert_eq!(settings.get("service_feature_level"), None);

    anyone
        .get("/users/me", json!({}))
        .await
        .with_status(401)
        .error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
}

#[tokio::test]
async fn the_words_of_failures_come_in_accented_letters() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let mel = server.user("mel");
    let plain = mel.get("/messages/999999", json!({})).await;
    let (code, message) = (plain.body["code"].clone(), plain.body["msg"].as_str().expect("a text").to_owned());
    control.fault(json!({"effect": {"pseudo_localize": true}})).await;

    let reply = mel.get("/messages/999999", json!({})).await;

    assert_eq!((reply.status, &reply.body["code"]), (400, &code), "only the words are others");
    let translated = reply.body["msg"].as_str().expect("a text");
    assert_eq!(translated.chars().count(), message.chars().count());
    assert!(!translated.contains(|one: char| "aeiou".contains(one)), "{translated}");
    assert_eq!(reply.header("content-language"), Some("en-XA"));
    assert_eq!(mel.get("/users/me", json!({})).await.success()["email"], "mel@chat.test");
    let unknown = mel.get("/no/such/path", json!({})).await;
    assert!(!unknown.body["msg"].as_str().is_some_and(str::is_ascii), "{unknown}");
}

#[tokio::test]
async fn what_changes_nothing_is_refused() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (effect, part) in [
        (json!({"change": {}}), "$.effect.change: takes keys of a reply"),
        (json!({"change": "complete"}), "$.effect.change"),
        (json!({"change": ["complete"]}), "$.effect.change"),
        (json!({"pseudo_localize": false}), "$.effect.pseudo_localize: takes true"),
        (json!({"pseudo_localize": true, "change": {"a": 1}}), "$.effect: takes exactly one of"),
    ] {
        control.post("/worlds/default/faults", json!({"effect": effect})).await.refused(part);
    }
}

#[tokio::test]
async fn a_field_that_the_reply_lacks_is_named_in_a_hint() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    Control::of(&server).fault(json!({"effect": {"change": {"full_nam": null}}, "times": 1})).await;

    let reply = mel.get("/users/me", json!({})).await;
    let hint = "The fault is to leave out 'full_nam', which the reply does not have; the nearest is 'full_name'.";
    assert_eq!((reply.status, reply.header("x-chatdouble-hint")), (200, Some(hint)), "{reply}");
    Control::of(&server).fault(json!({"effect": {"change": {"full_name": null}}})).await;
    let reply = mel.get("/users/me", json!({})).await;
    assert_eq!((reply.status, reply.header("x-chatdouble-hint")), (200, None), "{reply}");
}
