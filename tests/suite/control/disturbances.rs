//! Faults of polls, of repeated requests and of requests with certain parameters.

use super::{Control, exchange};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

const FAULTS: &str = "/worlds/default/faults";

/// The ids and types of the events of a poll that does not wait.
async fn poll(user: &User, queue_id: &str, last: i64) -> Vec<(i64, String)> {
    let params = json!({"queue_id": queue_id, "last_event_id": last, "dont_block": true});
    let reply = user.get("/events", params).await.success();
    let event =
        |event: &Value| (event["id"].as_i64().expect("an id"), event["type"].as_str().expect("a type").to_owned());
    reply["events"].as_array().expect("a list").iter().map(event).collect()
}

fn messages(ids: impl IntoIterator<Item = i64>) -> Vec<(i64, String)> {
    ids.into_iter().map(|id| (id, "message".to_owned())).collect()
}

async fn disturb(control: &Control, how: &str) {
    control.fault(json!({"times": 1, "effect": {"events": how}})).await;
}

#[tokio::test]
async fn events_are_repeated_held_given_one_by_one_or_joined_by_an_unknown_one() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.events(["message"]).await.id;
    for text in ["one", "two"] {
        max.send_to("general", "t", text).await;
    }
    assert_eq!(poll(&mel, &id, -1).await, messages([0, 1]));
    max.send_to("general", "t", "three").await;

    disturb(&control, "repeat").await;
    assert_eq!(poll(&mel, &id, 1).await, messages([0, 1, 2]), "what was acknowledged comes once more");
    assert_eq!(poll(&mel, &id, 1).await, messages([2]));

    disturb(&control, "hold").await;
    assert_eq!(poll(&mel, &id, 1).await, []);
    assert_eq!(poll(&mel, &id, 1).await, messages([2]));

    max.send_to("general", "t", "four").await;
    disturb(&control, "one_by_one").await;
    assert_eq!(poll(&mel, &id, 1).await, messages([2]));
    assert_eq!(poll(&mel, &id, 2).await, messages([3]));

    disturb(&control, "unknown").await;
    let params = json!({"queue_id": id, "last_event_id": 2, "dont_block": true});
    let reply = mel.get("/events", params).await.success();
    assert_eq!((&reply["events"][0]["id"], &reply["events"][1]["id"]), (&json!(3), &json!(4)));
    assert_eq!(reply["events"][1]["type"], "event_of_a_later_level");
    assert!(reply["field_of_a_later_level"].is_object() && reply["events"][0]["field_of_a_later_level"].is_object());
    max.send_to("general", "t", "five").await;
    assert_eq!(poll(&mel, &id, 4).await, messages([5]), "it counts among the queue's ids");
    let rules = control.get(FAULTS).await.success()["faults"].clone();
    assert!(rules.as_array().is_some_and(|rules| rules.iter().all(|rule| rule["fired"] == 1)), "{rules}");
}

#[tokio::test]
async fn only_polls_count_for_faults_of_events() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    disturb(&control, "hold").await;
    server.user("mel").get("/users/me", json!({})).await.success();
    assert_eq!(control.get(FAULTS).await.success()["faults"][0]["fired"], 0);
}

#[tokio::test]
async fn a_parked_poll_is_disturbed_too() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let [mel, max] = server.users(["mel", "max"]);
    let mut queue = mel.events(["message"]).await;
    let id = queue.id.clone();
    disturb(&control, "hold").await;
    let parked = tokio::spawn(async move { queue.wait().await });
    server.until_parked(1).await;
    max.send_to("general", "t", "held").await;

    assert_eq!(parked.await.expect("answered").success()["events"], json!([]));
    assert_eq!(poll(&mel, &id, -1).await, messages([0]));
}

#[tokio::test]
async fn a_rule_may_be_for_certain_parameters() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"path": "/messages", "params": {"topic": "x"}}, "effect": {"garbage": true}});
    control.fault(rule.clone()).await;
    let mel = server.user("mel");
    mel.send_to("general", "y", "passes").await;
    let params = json!({"type": "channel", "to": "general", "topic": "x", "content": "meets it"});
    assert!(mel.post("/messages", params).await.header("x-chatdouble-fault").is_some());
    let listed = control.get(FAULTS).await.success()["faults"][0].clone();
    assert_eq!((&listed["match"], &listed["fired"]), (&rule["match"], &json!(1)));
    let wrong = json!({"match": {"params": {"topic": 1}}, "effect": {"garbage": true}});
    control.post(FAULTS, wrong).await.refused("$.match.params.topic");
}

#[tokio::test]
async fn a_repetition_of_a_dropped_request_is_dropped_too() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let sending = "POST /api/v1/messages";
    let body = "type=channel&to=general&topic=t&content=once";
    control.fault(json!({"times": 1, "effect": {"drop": "after", "retries": true}})).await;

    assert_eq!(exchange(&server, sending, body).await, "");
    assert_eq!(exchange(&server, sending, body).await, "", "the browser sends it again");
    assert!(exchange(&server, sending, &body.replace("once", "other")).await.contains("success"));

    let realm = server.server().world("default").snapshot();
    assert_eq!(realm.messages.values().filter(|message| message.body.content == "once").count(), 1);
    assert_eq!(control.get(FAULTS).await.success()["faults"][0]["fired"], 1);
    let entries = control.get("/worlds/default/journal").await.success()["entries"].clone();
    let statuses: Vec<i64> =
        entries.as_array().into_iter().flatten().filter_map(|one| one["status"].as_i64()).collect();
    assert_eq!(statuses, [0, 0, 200]);
    control.post(FAULTS, json!({"effect": {"garbage": true, "retries": true}})).await.refused("$.effect.retries");
    control.post(FAULTS, json!({"effect": {"drop": "after", "retries": 1}})).await.refused("$.effect.retries");
}
