//! Editing messages and topics, and deleting messages.

use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn editing_changes_the_text_and_tells_everyone_who_has_it() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let id = mel.send_direct(&[max.id()], "befor").await;
    let mut events = max.events(["update_message"]).await;
    let mut others = nora.events(["update_message"]).await;

    server.advance(5).await;
    let reply = mel.patch(&format!("/messages/{id}"), json!({"content": "before **all**"})).await;
    reply.is(json!({"detached_uploads": []}));

    events.next().await.is(json!({
        "type": "update_message",
        "user_id": mel.id(),
        "edit_timestamp": 1_767_268_805,
        "message_id": id,
        "message_ids": [id],
        "rendering_only": false,
        "flags": [],
        "orig_content": "befor",
        "orig_rendered_content": "<p>befor</p>",
        "content": "before **all**",
        "rendered_content": "<p>before <strong>all</strong></p>",
        "is_me_message": false,
    }));
    others.none().await;
    let message = max.get(&format!("/messages/{id}"), json!({})).await.success()["message"].clone();
    assert_eq!(message["last_edit_timestamp"], 1_767_268_805);
    assert_eq!(message["edit_history"][0]["prev_content"], "befor");
    let history = max.get(&format!("/messages/{id}/history"), json!({})).await.success();
    let texts: Vec<&Value> =
        history["message_history"].as_array().into_iter().flatten().map(|one| &one["content"]).collect();
    assert_eq!(texts, [&json!("befor"), &json!("before **all**")]);
}

#[tokio::test]
async fn edits_are_refused_in_order() {
    let server = TestServer::start().await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let direct = mel.send_direct(&[max.id()], "mine").await;
    let in_channel = mel.send_to("general", "t", "mine").await;
    let path = |id: i64| format!("/messages/{id}");

    max.patch(&path(direct), json!({"content": "x"}))
        .await
        .error("BAD_REQUEST", "You don't have permission to edit this message");
    olive.patch(&path(direct), json!({"content": "x"})).await.error("BAD_REQUEST", "Invalid message(s)");
    mel.patch(&path(999_999), json!({"content": "x"})).await.error("BAD_REQUEST", "Invalid message(s)");
    mel.patch(&path(direct), json!({})).await.error("BAD_REQUEST", "Nothing to change");
    mel.patch(&path(direct), json!({"topic": "x"})).await.error("BAD_REQUEST", "Direct messages cannot have topics.");
    let general = server.channel("general");
    mel.patch(&path(direct), json!({"stream_id": general}))
        .await
        .error("BAD_REQUEST", "Direct messages cannot be moved to channels.");
    let far = json!({"content": "x", "propagate_mode": "change_all"});
    mel.patch(&path(in_channel), far).await.error("BAD_REQUEST", "Invalid propagate_mode without topic edit");
    let engineering = server.channel("engineering");
    let both = json!({"content": "x", "stream_id": engineering});
    mel.patch(&path(in_channel), both)
        .await
        .error("BAD_REQUEST", "Cannot change message content while changing channel");
    let stale = json!({"content": "x", "prev_content_sha256": "0"});
    let body = mel
        .patch(&path(in_channel), stale)
        .await
        .error("EXPECTATION_MISMATCH", "'prev_content_sha256' value does not match the expected value.");
    assert_eq!(body["field_name"], "prev_content_sha256");
    server.advance(621).await;
    mel.patch(&path(in_channel), json!({"content": "x"}))
        .await
        .error("BAD_REQUEST", "The time limit for editing this message has passed");
    let message = mel.get(&path(in_channel), json!({})).await.success();
    assert_eq!(message["raw_content"], "mine");
}

#[tokio::test]
async fn a_topic_is_moved_whole_with_what_users_said_of_it() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let first = mel.send_to("general", "old", "one").await;
    let second = max.send_to("general", "old", "two").await;
    let mut events = max.events(["update_message", "user_topic", "message"]).await;

    let params = json!({"topic": "new", "propagate_mode": "change_all"});
    mel.patch(&format!("/messages/{first}"), params).await.success();

    events.next().await.has(json!({
        "type": "update_message",
        "message_id": first,
        "message_ids": [first, second],
        "stream_id": server.channel("general"),
        "stream_name": "general",
        "propagate_mode": "change_all",
        "orig_subject": "old",
        "subject": "new",
    }));
    let notice = events.all().await.into_iter().find(|event| event["type"] == "message").expect("a notice");
    assert_eq!(
        notice["message"]["content"],
        format!("This topic was moved here from #**general>old** by @_**Mel Marsh|{}**.", mel.id())
    );
    let topics = max.get(&format!("/users/me/{}/topics", server.channel("general")), json!({})).await.success();
    let names: Vec<&str> =
        topics["topics"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.contains(&"new") && !names.contains(&"old"), "{names:?}");
}

#[tokio::test]
async fn a_message_moved_where_its_reader_is_not_subscribed_is_read_there() {
    let server = TestServer::start().await;
    let [mel, olive, gus] = server.users(["mel", "olive", "gus"]);
    let id = mel.send_to("general", "secret", "for few").await;
    let types = json!(["message", "update_message_flags"]);
    let mut gone = gus.events(["delete_message", "update_message_flags"]).await;

    let leadership = server.channel("leadership");
    olive.patch(&format!("/messages/{id}"), json!({"stream_id": leadership})).await.success();

    gone.next().await.has(json!({"type": "delete_message", "message_ids": [id], "topic": "secret"}));
    gus.get(&format!("/messages/{id}"), json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    let state = gus.post("/register", json!({"fetch_event_types": types})).await.success();
    assert!(!state["unread_msgs"].to_string().contains(&id.to_string()), "{:#}", state["unread_msgs"]);
}

#[tokio::test]
async fn resolving_a_topic_is_announced_by_the_notification_bot() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "bug", "broken").await;
    let mut events = max.events(["message"]).await;

    let params = json!({"topic": "✔ bug", "propagate_mode": "change_all"});
    mel.patch(&format!("/messages/{id}"), params).await.success();

    let notice = events.next().await.0;
    assert_eq!(notice["message"]["subject"], "✔ bug");
    assert_eq!(
        notice["message"]["content"],
        format!("@_**Mel Marsh|{}** has marked this topic as resolved.", mel.id())
    );
    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success()["message"].clone();
    assert!(message.get("last_moved_timestamp").is_none(), "resolving is no move");
}

#[tokio::test]
async fn deleting_needs_the_right_to_and_is_final() {
    let server = TestServer::start().await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let path = |id: i64| format!("/messages/{id}");
    let first = mel.send_to("general", "t", "one").await;
    let second = mel.send_to("general", "t", "two").await;

    max.delete(&path(first), json!({})).await.error("BAD_REQUEST", "You don't have permission to delete this message");
    mel.delete(&path(first), json!({})).await.is(json!({}));
    mel.delete(&path(first), json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    server.advance(601).await;
    mel.delete(&path(second), json!({}))
        .await
        .error("BAD_REQUEST", "The time limit for deleting this message has passed");
    olive.delete(&path(second), json!({})).await.is(json!({}));
}
