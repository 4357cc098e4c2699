//! Messages: sending, looking at them, changing and deleting them.

use crate::support::TestServer;
use serde_json::{Value, json};

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
async fn a_range_of_messages_is_told_with_its_ends() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut ids = Vec::new();
    for text in ["a", "b", "c", "d"] {
        ids.push(mel.send_to("general", "range", text).await);
    }
    let narrow = json!([{"operator": "channel", "operand": "general"}, {"operator": "topic", "operand": "Range"}]);
    for (anchor, before, after, include, expected, found) in [
        (json!("newest"), 2, 0, true, &ids[2..], (false, false, true)),
        (json!("oldest"), 0, 2, true, &ids[..2], (false, true, false)),
        (json!(ids[1]), 1, 1, true, &ids[..3], (true, false, false)),
        (json!(ids[1]), 9, 9, true, &ids[..], (true, true, true)),
        (json!(ids[1]), 9, 0, false, &ids[..1], (false, true, false)),
        (json!(ids[1]), 0, 9, false, &ids[2..], (false, false, true)),
        (json!("newest"), 0, 0, true, &ids[..0], (false, false, true)),
    ] {
        let params = json!({
            "anchor": anchor, "num_before": before, "num_after": after, "include_anchor": include, "narrow": narrow,
        });
        let reply = mel.get("/messages", params).await.success();
        let got: Vec<i64> =
            reply["messages"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_i64()).collect();
        assert_eq!(got, expected, "{anchor} {before} {after}");
        let flags = (&reply["found_anchor"], &reply["found_oldest"], &reply["found_newest"]);
        assert_eq!(flags, (&json!(found.0), &json!(found.1), &json!(found.2)), "{anchor} {before} {after}");
        assert_eq!(reply["history_limited"], false);
    }
}

#[tokio::test]
async fn ranges_that_cannot_be_are_refused() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for (params, message) in [
        (json!({"num_before": 1, "num_after": 1}), "Missing 'anchor' argument."),
        (json!({"anchor": "soon", "num_before": 1, "num_after": 1}), "Invalid anchor"),
        (json!({"anchor": "newest", "num_before": -1, "num_after": 1}), "num_before is too small"),
        (json!({"anchor": "newest", "num_before": "x", "num_after": 1}), "num_before is not valid JSON"),
        (json!({"anchor": "newest", "num_before": "\"1\"", "num_after": 1}), "num_before is not an integer"),
        (
            json!({"anchor": "newest", "num_before": 5000, "num_after": 1}),
            "Too many messages requested (maximum 5000).",
        ),
        (
            json!({"anchor": 1, "num_before": 1, "num_after": 1, "include_anchor": false}),
            "The anchor can only be excluded at an end of the range",
        ),
        (
            json!({"anchor": 1, "message_ids": [1]}),
            "Unsupported parameter combination: num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor",
        ),
    ] {
        mel.get("/messages", params).await.error("BAD_REQUEST", message);
    }
}

#[tokio::test]
async fn messages_can_be_fetched_by_id_and_hidden_ones_are_left_out() {
    let server = TestServer::start().await;
    let [mel, olive, max] = server.users(["mel", "olive", "max"]);
    let seen = mel.send_to("general", "t", "seen").await;
    let hidden = olive.send_direct(&[max.id()], "hidden").await;

    let without_range = json!({"message_ids": [seen], "num_before": 0, "num_after": 0, "include_anchor": false});
    mel.get("/messages", without_range).await.success();
    let reply = mel.get("/messages", json!({"message_ids": [hidden, seen, 999_999]})).await.success();

    assert_eq!(reply["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!(reply["messages"][0]["id"], seen);
    assert!(reply.get("anchor").is_none());
}

#[tokio::test]
async fn the_first_unread_message_is_an_anchor() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let first = mel.send_direct(&[max.id()], "one").await;
    mel.send_direct(&[max.id()], "two").await;
    let narrow = json!([{"operator": "dm", "operand": [mel.id()]}]);
    let params = json!({"anchor": "first_unread", "num_before": 0, "num_after": 5, "narrow": narrow});

    let reply = max.get("/messages", params.clone()).await.success();
    assert_eq!((&reply["anchor"], &reply["found_anchor"]), (&json!(first), &json!(true)));

    let all =
        json!({"anchor": "newest", "num_before": 10, "num_after": 0, "flag": "read", "op": "add", "narrow": narrow});
    max.post("/messages/flags/narrow", all).await.success();
    let reply = max.get("/messages", params).await.success();
    assert_eq!(reply["anchor"], 10_000_000_000_000_000_i64);
}

#[tokio::test]
async fn protected_history_begins_with_subscribing() {
    let server = TestServer::start().await;
    let [olive, mona] = server.users(["olive", "mona"]);
    let narrow = json!([["channel", "leadership"]]);
    let params = json!({"anchor": "oldest", "num_before": 0, "num_after": 50, "narrow": narrow});
    let texts = |reply: Value| -> Vec<String> {
        reply["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["content"].as_str().map(str::to_owned))
            .collect()
    };

    let all = texts(olive.get("/messages", params.clone()).await.success());
    let own = texts(mona.get("/messages", params).await.success());

    assert!(all.iter().any(|text| text.contains("Before Mona joined")));
    assert!(!own.iter().any(|text| text.contains("Before Mona joined")));
    assert!(own.iter().any(|text| text.contains("can see this one")));
}

#[tokio::test]
async fn a_visitor_reads_web_public_channels_and_no_others() {
    let server = TestServer::start().await;
    let visitor = server.anonymous();
    let fetch = |narrow: Value| {
        let visitor = visitor.clone();
        async move {
            visitor
                .get("/messages", json!({"anchor": "newest", "num_before": 50, "num_after": 0, "narrow": narrow}))
                .await
        }
    };

    let reply = fetch(json!([["channels", "web-public"]])).await.success();
    let all_square = |reply: &Value| {
        reply["messages"]
            .as_array()
            .is_some_and(|all| !all.is_empty() && all.iter().all(|one| one["display_recipient"] == "town-square"))
    };
    assert!(all_square(&reply));
    let message = "Not logged in: API authentication or user session required";
    fetch(json!([])).await.with_status(401).error("UNAUTHORIZED", message);
    for (channel, problem) in [("general", "unknown web-public channel general"), ("x", "unknown channel x")] {
        let refused = fetch(json!([["channels", "web-public"], ["channel", channel]])).await;
        refused.error("BAD_NARROW", &format!("Invalid narrow operator: {problem}"));
    }
    fetch(json!([["channels", "web-public"], ["is", "starred"]])).await.error("UNAUTHORIZED", message);
}

#[tokio::test]
async fn visitors_get_messages_of_web_public_channels_and_are_to_log_in_for_others() {
    let server = TestServer::start().await;
    let [mel, visitor] = [server.user("mel"), server.anonymous()];
    let open = mel.send_to("town-square", "t", "for all").await;
    let closed = mel.send_to("general", "t", "for us").await;

    visitor.get(&format!("/messages/{open}"), json!({})).await.success();
    for id in [closed, 999_999] {
        let refused = visitor.get(&format!("/messages/{id}"), json!({})).await.with_status(401);
        refused.error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
    }
}

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
async fn resolving_a_topic_is_told_by_the_notification_bot() {
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

#[tokio::test]
async fn readers_are_told_but_for_the_sender_and_those_who_keep_it_private() {
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
