//! Messages: sending them, whatever their recipients, contents and topics.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn a_sent_message_can_be_fetched_whole() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = mel.send_to("general", "tests", "**hello** @**Max Mercer**").await;

    let reply = max.get(&format!("/messages/{id}"), json!({})).await.success();

    assert_eq!(reply["raw_content"], "**hello** @**Max Mercer**");
    let message = &reply["message"];
    let max_id = max.id();
    assert_eq!(
        message["content"],
        format!(
            "<p><strong>hello</strong> <span class=\"user-mention\" data-user-id=\"{max_id}\">@Max Mercer</span></p>"
        )
    );
    for (key, expected) in [
        ("id", json!(id)),
        ("type", json!("stream")),
        ("subject", json!("tests")),
        ("stream_id", json!(server.channel("general"))),
        ("display_recipient", json!("general")),
        ("sender_id", json!(mel.id())),
        ("sender_email", json!("mel@chat.test")),
        ("flags", json!(["mentioned"])),
        ("reactions", json!([])),
        ("submessages", json!([])),
        ("timestamp", json!(1_767_268_800)),
        ("is_me_message", json!(false)),
        ("content_type", json!("text/html")),
    ] {
        assert_eq!(message[key], expected, "{key}");
    }
    let plain = max.get(&format!("/messages/{id}"), json!({"apply_markdown": false})).await.success();
    assert_eq!(plain["message"]["content"], "**hello** @**Max Mercer**");
}

#[tokio::test]
async fn recipients_can_be_named_in_every_way() {
    let server = TestServer::start().await;
    let [mel, max, adam] = server.users(["mel", "max", "adam"]);
    let general = server.channel("general");
    for (kind, to) in [
        ("stream", json!("general")),
        ("channel", json!("GENERAL")),
        ("channel", json!(general)),
        ("channel", json!([general])),
        ("channel", json!("[\"general\"]")),
        ("private", json!("max@chat.test")),
        ("direct", json!("max@chat.test, adam@chat.test")),
        ("direct", json!([max.id(), adam.id()])),
        ("direct", json!(["max@chat.test"])),
        ("direct", json!(max.id())),
        ("direct", json!(format!("user{}@chat.test", max.id()))),
    ] {
        let params = json!({"type": kind, "to": to, "topic": "ways", "content": "x"});
        mel.post("/messages", params).await.success();
    }
}

#[tokio::test]
async fn recipients_that_cannot_be_are_refused_and_nothing_is_sent() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let dana = server.user("dana").id();
    let before = mel.get("/users/me", json!({})).await.success()["max_message_id"].clone();
    for (params, code, message) in [
        (
            json!({"type": "stream", "to": "nowhere", "topic": "t"}),
            "STREAM_DOES_NOT_EXIST",
            "Channel 'nowhere' does not exist",
        ),
        (
            json!({"type": "stream", "to": 99, "topic": "t"}),
            "STREAM_DOES_NOT_EXIST",
            "Channel with ID '99' does not exist",
        ),
        (
            json!({"type": "stream", "to": ["general", "design"], "topic": "t"}),
            "BAD_REQUEST",
            "Expected exactly one channel",
        ),
        (json!({"type": "stream", "to": {"a": 1}, "topic": "t"}), "BAD_REQUEST", "Invalid data type for channel"),
        (json!({"type": "stream", "to": "general"}), "BAD_REQUEST", "Missing topic"),
        (json!({"type": "direct", "to": []}), "BAD_REQUEST", "Message must have recipients"),
        (
            json!({"type": "direct", "to": [1, "max@chat.test"]}),
            "BAD_REQUEST",
            "Recipient lists may contain emails or user IDs, but not both.",
        ),
        (json!({"type": "direct", "to": [true]}), "BAD_REQUEST", "Invalid data type for recipients"),
        (json!({"type": "direct", "to": [999]}), "BAD_REQUEST", "Invalid user ID 999"),
        (json!({"type": "direct", "to": "no@chat.test"}), "BAD_REQUEST", "Invalid email 'no@chat.test'"),
        (json!({"type": "direct", "to": [dana]}), "BAD_REQUEST", "'dana@chat.test' is no longer using the service."),
        (json!({"type": "carrier pigeon", "to": "general", "topic": "t"}), "BAD_REQUEST", "Invalid type"),
    ] {
        let mut params = params;
        params["content"] = "x".into();
        mel.post("/messages", params).await.error(code, message);
    }
    assert_eq!(mel.get("/users/me", json!({})).await.success()["max_message_id"], before);
}

#[tokio::test]
async fn the_first_thing_that_is_missing_is_named() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let missing = |name: &str| format!("Missing '{name}' argument");

    let body = mel.post("/messages", json!({})).await.error("REQUEST_VARIABLE_MISSING", &missing("type"));
    assert_eq!(body["var_name"], "type");
    mel.post("/messages", json!({"type": "stream"})).await.error("REQUEST_VARIABLE_MISSING", &missing("to"));
    let both = json!({"type": "stream", "to": "general", "content": "x", "topic": "a", "subject": "b"});
    let body = mel
        .post("/messages", both)
        .await
        .error("REQUEST_CONFUSING_VAR", "Can't decide between 'topic' and 'subject' arguments");
    assert_eq!((&body["var_name1"], &body["var_name2"]), (&json!("topic"), &json!("subject")));
}

#[tokio::test]
async fn content_is_trimmed_cut_and_never_empty() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let raw = |id: i64| {
        let mel = mel.clone();
        async move { mel.get(&format!("/messages/{id}"), json!({})).await.success()["raw_content"].clone() }
    };
    let trimmed = mel.send_to("general", "t", "\n\n  hi \n ").await;
    assert_eq!(raw(trimmed).await, "  hi");
    let long = mel.send_to("general", "t", &"ü".repeat(10_001)).await;
    let cut = raw(long).await;
    let cut = cut.as_str().expect("text");
    assert_eq!(cut.chars().count(), 10_000);
    assert!(cut.ends_with("ü\n[message truncated]"));

    for (content, message) in [(" \n ", "Message must not be empty"), ("a\0b", "Message must not contain null bytes")] {
        let params = json!({"type": "stream", "to": "general", "topic": "t", "content": content});
        mel.post("/messages", params).await.error("BAD_REQUEST", message);
    }
}

#[tokio::test]
async fn topics_are_cut_and_the_general_one_has_several_names() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let topic = |id: i64| {
        let mel = mel.clone();
        async move {
            let params = json!({"allow_empty_topic_name": true});
            mel.get(&format!("/messages/{id}"), params).await.success()["message"]["subject"].clone()
        }
    };
    let long = mel.send_to("general", &"x".repeat(61), "a").await;
    assert_eq!(topic(long).await, format!("{}...", "x".repeat(57)));
    for name in ["", "general chat", "(no topic)"] {
        let id = mel.send_to("general", name, "a").await;
        assert_eq!(topic(id).await, "");
    }
    let params = json!({"type": "stream", "to": "general", "topic": "a\u{7}b", "content": "x"});
    mel.post("/messages", params).await.error("BAD_REQUEST", "Invalid character in topic, at position 2!");
}

#[tokio::test]
async fn posting_needs_the_right_to() {
    let server = TestServer::start().await;
    let [mel, olive, gus] = server.users(["mel", "olive", "gus"]);
    let params = |channel: &str| json!({"type": "stream", "to": channel, "topic": "t", "content": "x"});

    mel.post("/messages", params("announcements"))
        .await
        .error("BAD_REQUEST", "You do not have permission to post in this channel.");
    mel.post("/messages", params("leadership"))
        .await
        .error("BAD_REQUEST", "Not authorized to send to channel 'leadership'");
    mel.post("/messages", params("attic")).await.error("BAD_REQUEST", "Not authorized to send to channel 'attic'");
    olive.post("/messages", params("announcements")).await.success();
    gus.post("/messages", params("engineering"))
        .await
        .error("BAD_REQUEST", "Not authorized to send to channel 'engineering'");
}

#[tokio::test]
async fn a_webhook_bot_may_send_and_nothing_else() {
    let server = TestServer::start().await;
    let bot = server.user("hook-bot");

    bot.send_to("engineering", "builds", "green").await;

    bot.get("/users/me", json!({}))
        .await
        .with_status(401)
        .error("UNAUTHORIZED", "This API is not available to incoming webhook bots.");
}

#[tokio::test]
async fn readers_are_listed_but_for_the_sender_and_those_who_keep_it_private() {
    let server = TestServer::start().await;
    let [mel, max, adam] = server.users(["mel", "max", "adam"]);
    let id = mel.send_direct(&[max.id(), adam.id()], "read me").await;
    let path = format!("/messages/{id}/read_receipts");
    mel.get(&path, json!({})).await.is(json!({"user_ids": []}));

    max.post("/messages/flags", json!({"messages": [id], "op": "add", "flag": "read"})).await.success();

    mel.get(&path, json!({})).await.is(json!({"user_ids": [max.id()]}));
    server.user("olive").get(&path, json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
}

#[tokio::test]
async fn rendering_sends_nothing() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["message"]).await;

    let rendered = mel.post("/messages/render", json!({"content": "`code` and *more*"})).await;

    rendered.is(json!({"rendered": "<p><code>code</code> and <em>more</em></p>"}));
    events.none().await;
}
