//! Messages that are there: changing them, telling that one does, and narrows.

use super::{group, refuse, refuse_to, send};
use crate::levels::{Age, send_old};
use crate::support::TestServer;
use serde_json::json;

const EDIT: &str = "PATCH /messages/{message_id}";

#[tokio::test]
async fn places_that_messages_are_not_moved_to() {
    let server = TestServer::start().await;
    server.change_channel("town-square", json!({"topics_policy": "disable_empty_topic"})).await;
    server.empty_topics("engineering");
    let id = server.message("Thank you");
    let [announcements, square, engineering] =
        ["announcements", "town-square", "engineering"].map(|name| server.channel(name));

    refuse(
        &server,
        [
            ("adam", EDIT, json!({"message_id": id, "topic": "a\u{7}b"}), "Invalid character in topic, at position 2!"),
            (
                "mona",
                EDIT,
                json!({"message_id": id, "stream_id": announcements}),
                "You do not have permission to post in this channel.",
            ),
            (
                "adam",
                EDIT,
                json!({"message_id": id, "stream_id": square, "topic": ""}),
                "Sending messages to the general chat is not allowed in this channel.",
            ),
            (
                "adam",
                EDIT,
                json!({"message_id": id, "stream_id": engineering, "topic": "x"}),
                "Only the general chat topic is allowed in this channel.",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn texts_that_messages_are_not_given() {
    let server = TestServer::start().await;
    server.crowd("general");
    server.lengthen_links();
    for number in 0..20 {
        server.user(&format!("crowd{number}")).send_to("general", "busy", "here").await;
    }
    let admins = json!({"new": group(&server, "role:administrators")});
    let closed = json!({"user_group_id": group(&server, "engineers"), "can_mention_group": admins});
    send(&server.user("adam"), "PATCH /user_groups/{user_group_id}", closed).await.success();
    let id = server.user("mel").send_to("general", "busy", "here").await;
    let edit = |content: &str| json!({"message_id": id, "content": content});

    refuse(
        &server,
        [
            ("mel", EDIT, edit(&"x ".repeat(2_000)), "Unable to render message"),
            (
                "mel",
                EDIT,
                edit("@**all**"),
                "You do not have permission to use channel wildcard mentions in this channel.",
            ),
            (
                "mel",
                EDIT,
                edit("@**topic**"),
                "You do not have permission to use topic wildcard mentions in this topic.",
            ),
            ("mel", EDIT, edit("@*engineers*"), "You are not allowed to mention user group 'engineers'."),
        ],
    )
    .await;
}

#[tokio::test]
async fn messages_and_narrows_that_there_are_not() {
    let server = TestServer::start().await;
    let id = server.message("Thank you");
    let twice = json!([{"operator": "with", "operand": id}, {"operator": "with", "operand": id}]);
    let marked = json!({
        "anchor": "newest", "num_before": 1, "num_after": 0, "narrow": twice, "op": "add", "flag": "read",
    });

    refuse(
        &server,
        [
            (
                "mel",
                "POST /messages/flags/narrow",
                marked,
                "Invalid narrow operator combination: Duplicate 'with' operators.",
            ),
            ("mel", "GET /messages/{message_id}/history", json!({"message_id": 999_999}), "Invalid message(s)"),
            ("mel", "POST /register", json!({"narrow": [["is", "followed"]]}), "Operand followed not supported."),
        ],
    )
    .await;
}

#[tokio::test]
async fn older_levels_get_no_events_of_forbidden_editing() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 360).await;
    let [mel, max] = [age.user("mel"), age.user("max")];
    let in_channel = send_old(&mel, "general", "x", "x").await;
    let direct = json!({"type": "direct", "to": [max.id()], "content": "x"});
    let direct = mel.post("/messages", direct).await.success()["id"].take();
    for setting in ["send_private_typing_notifications", "send_stream_typing_notifications"] {
        mel.patch("/settings", json!({ setting: false })).await.success();
    }

    const TELL: &str = "POST /message_edit_typing";
    let begun = |id: &serde_json::Value| json!({"message_id": id, "op": "start"});
    let [old, foreign] = ["Thank you", "Welcome, "].map(|text| begun(&server.message(text).into()));
    refuse_to(
        |handle| age.user(handle),
        [
            ("mel", TELL, begun(&json!(999_999)), "Invalid message(s)"),
            ("mel", TELL, foreign, "You don't have permission to edit this message"),
            ("mel", TELL, old, "The time limit for editing this message has passed"),
            ("mel", TELL, begun(&direct), "User has disabled typing notifications for direct messages"),
            ("mel", TELL, begun(&in_channel), "User has disabled typing notifications for channel messages"),
        ],
    )
    .await;
    age.user("olive").patch("/realm", json!({"allow_message_editing": false})).await.success();
    let message = "Your organization has turned off message editing";
    refuse_to(|handle| age.user(handle), [("mel", TELL, begun(&in_channel), message)]).await;
}
