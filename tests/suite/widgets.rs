//! Polls and to-do lists.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

async fn add(user: &User, message: i64, content: Value) -> Reply {
    let params = json!({"message_id": message, "msg_type": "widget", "content": content.to_string()});
    user.post("/submessage", params).await
}

async fn parts(user: &User, message: i64) -> Vec<Value> {
    let reply = user.get(&format!("/messages/{message}"), json!({})).await.success();
    reply["message"]["submessages"].as_array().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_poll_is_sent_and_voted_in() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let mut at_max = max.events(["message", "submessage"]).await;
    let mut at_nora = nora.events(["submessage"]).await;

    let poll = mel.send_to("engineering", "lunch", "/poll Lunch?\n* Pizza\n* Pasta").await;
    let vote = json!({"type": "vote", "key": "canned,0", "vote": 1});
    add(&max, poll, vote.clone()).await.is(json!({}));
    add(&mel, poll, json!({"type": "question", "question": "Dinner?"})).await.is(json!({}));

    // With blanks, as the real server writes it.
    let begun = r#"{"widget_type": "poll", "extra_data": {"question": "Lunch?", "options": ["Pizza", "Pasta"]}}"#;
    let first = json!({"id": 1, "message_id": poll, "sender_id": mel.id(), "msg_type": "widget", "content": begun});
    let sent = at_max.next().await.has(json!({"type": "message"}));
    assert_eq!(sent["message"]["submessages"], json!([first]));
    at_max.next().await.is(json!({
        "type": "submessage", "msg_type": "widget", "content": vote.to_string(),
        "message_id": poll, "sender_id": max.id(), "submessage_id": 2,
    }));
    at_max.next().await.has(json!({"type": "submessage", "sender_id": mel.id(), "submessage_id": 3}));
    at_nora.none().await;
    let all = parts(&mel, poll).await;
    assert_eq!((all.len(), &all[0], &all[1]["content"]), (3, &first, &json!(vote.to_string())));
}

#[tokio::test]
async fn lists_take_tasks_and_nothing_else_is_a_widget() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let list = mel.send_to("general", "t", "/todo Chores\nDishes: all of them").await;
    let poll = mel.send_to("general", "t", "/poll").await;
    let plain = mel.send_to("general", "t", "plain").await;
    let refused = async |message: i64, content: Value, text: &str| {
        add(&max, message, content).await.error("BAD_REQUEST", text);
    };

    add(&max, list, json!({"type": "new_task", "key": 0, "task": "Floor", "desc": "", "completed": false}))
        .await
        .is(json!({}));
    add(&max, list, json!({"type": "strike", "key": "canned,0"})).await.is(json!({}));
    let others = "You can't edit the task list title unless you are the author.";
    refused(list, json!({"type": "new_task_list_title", "title": "x"}), others).await;
    add(&mel, list, json!({"type": "new_task_list_title", "title": "x"})).await.is(json!({}));
    refused(list, json!({"type": "vote"}), "Unknown type for todo data: vote").await;
    refused(list, json!({"type": "new_task", "key": "0"}), r#"todo data["key"] is not an integer"#).await;
    refused(poll, json!({"type": "vote", "key": "canned,0", "vote": 2}), r#"Invalid poll data["vote"]"#).await;
    refused(poll, json!({"type": "new_option", "idx": 1}), "option key is missing from poll data").await;
    refused(poll, json!({"type": "new_option", "idx": -1, "option": "x"}), r#"poll data["idx"] is too small"#).await;
    refused(poll, json!({"type": "new_option", "idx": 1001, "option": "x"}), r#"poll data["idx"] is too large"#).await;
    refused(
        list,
        json!({"type": "new_task", "key": 1001, "task": "x", "desc": ""}),
        r#"todo data["key"] is too large"#,
    )
    .await;
    let question = json!({"type": "question", "question": "x"});
    refused(poll, question.clone(), "You can't edit a question unless you are the author.").await;
    refused(plain, question.clone(), "You cannot attach a submessage to this message.").await;
    refused(server.message("Before Mona joined"), question.clone(), "Invalid message(s)").await;
    for (message, name) in [(poll, "poll"), (list, "todo")] {
        refused(message, json!([]), &format!("{name} data is not a dict")).await;
        refused(message, json!({}), &format!("type key is missing from {name} data")).await;
        refused(message, json!({"type": 1}), &format!(r#"{name} data["type"] is not a string"#)).await;
    }
    let task = json!({"type": "new_task", "key": 1, "task": "x", "desc": ""});
    refused(list, task, "completed key is missing from todo data").await;
    let vote = json!({"type": "vote", "key": "canned,0", "vote": 1, "why": "x", "when": 1});
    refused(poll, vote, "Unexpected arguments: why, when").await;
    let params = |kind: &str, content: &str| json!({"message_id": poll, "msg_type": kind, "content": content});
    mel.post("/submessage", params("game", r#"{"type": "question", "question": "y"}"#)).await.success();
    mel.post("/submessage", params("widget", "{")).await.error("BAD_REQUEST", "Invalid json for submessage");
    let edit = mel.patch(&format!("/messages/{poll}"), json!({"content": "/poll What?"})).await;
    edit.error("BAD_REQUEST", "Widgets cannot be edited.");
    assert_eq!(
        (parts(&max, list).await.len(), parts(&max, poll).await.len(), parts(&max, plain).await.len()),
        (4, 2, 0)
    );
}

#[tokio::test]
async fn who_wrote_a_message_may_attach_anything_to_it_and_others_then_too() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let plain = mel.send_to("general", "t", "plain").await;

    let refused = add(&max, plain, json!({"anything": 1})).await;
    refused.error("BAD_REQUEST", "You cannot attach a submessage to this message.");
    add(&mel, plain, json!({"anything": 1})).await.is(json!({}));
    add(&max, plain, json!(["more"])).await.is(json!({}));

    let received: Vec<Value> = parts(&max, plain).await.into_iter().map(|part| part["content"].clone()).collect();
    assert_eq!(received, ["{\"anything\":1}", "[\"more\"]"]);
}

#[tokio::test]
async fn voting_follows_the_topic_where_any_participation_does() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let poll = mel.send_to("general", "t", "/poll Lunch?\nPizza").await;
    max.patch("/settings", json!({"automatically_follow_topics_policy": 1})).await.success();
    let mut events = max.events(["user_topic", "submessage"]).await;

    add(&max, poll, json!({"type": "vote", "key": "canned,0", "vote": 1})).await.success();

    events.next().await.has(json!({"type": "user_topic", "topic_name": "t", "visibility_policy": 3}));
    events.next().await.has(json!({"type": "submessage"}));
}

#[tokio::test]
async fn a_message_may_be_given_a_form_with_choices() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let send = async |widget: String| {
        let place = json!({"type": "channel", "to": "general", "topic": "t", "content": "x", "widget_content": widget});
        mel.post("/messages", place).await
    };
    let choice = json!({"short_name": "A", "long_name": "Apple", "reply": "A!"});
    let form = json!({"type": "choices", "heading": "Which?", "choices": [choice]});
    let given = json!({"widget_type": "zform", "extra_data": form});

    let id = send(given.to_string()).await.success()["id"].as_i64().expect("an ID");
    let received = parts(&mel, id).await;
    assert_eq!(serde_json::from_str::<Value>(received[0]["content"].as_str().expect("a text")).ok(), Some(given));
    assert_eq!((&received[0]["sender_id"], &received[0]["msg_type"]), (&json!(mel.id()), &json!("widget")));

    let invalid = "Widgets: API programmer sent invalid JSON content";
    send("{{".into()).await.error("BAD_REQUEST", invalid);
    let of = |extra_data: Value| json!({"widget_type": "zform", "extra_data": extra_data});
    for (widget, problem) in [
        (json!([]), "widget_content is not a dict"),
        (json!({"color": "red"}), "widget_type is not in widget_content"),
        (json!({"widget_type": "zform"}), "extra_data is not in widget_content"),
        (json!({"widget_type": "bogus", "extra_data": {}}), "unknown widget type: bogus"),
        (of(json!(4)), "extra_data is not a dict"),
        (of(json!({})), "zform is missing type field"),
        (of(json!({"type": "bogus"})), "unknown zform type: bogus"),
        (of(json!({"type": "choices"})), "heading key is missing from extra_data"),
        (of(json!({"type": "choices", "heading": "x"})), "choices key is missing from extra_data"),
        (
            of(json!({"type": "choices", "heading": "x", "choices": [{"short_name": 9}]})),
            "extra_data[\"choices\"][0][\"short_name\"] is not a string",
        ),
    ] {
        send(widget.to_string()).await.error("BAD_REQUEST", &format!("Widgets: {problem}"));
    }
}
