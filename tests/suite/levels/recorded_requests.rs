//! Requests that a server of level 247 was recorded to take or refuse otherwise.

use super::{Age, send_old};
use crate::documented::Documented;
use crate::support::TestServer;
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use serde_json::json;

#[tokio::test]
async fn bots_could_run_commands_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let ping = json!({"command": "/ping"});
    before.user("build-bot").post("/zcommand", ping.clone()).await.success();
    let refused = "This endpoint does not accept bot requests.";
    after.user("build-bot").post("/zcommand", ping).await.error("BAD_REQUEST", refused);
}

#[tokio::test]
async fn bots_were_refused_as_group_creators_before_496() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 496).await;
    let group = json!({"name": "crew", "description": "", "members": []});
    let refused = "This endpoint does not accept bot requests.";
    before.user("build-bot").post("/user_groups/create", group.clone()).await.error("BAD_REQUEST", refused);
    after.user("build-bot").post("/user_groups/create", group).await.success();
}

#[tokio::test]
async fn invalid_values_were_ignored_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let (old, new) = (before.user("adam"), after.user("adam"));
    let ids = json!({"msg_ids": "[-1]", "narrow": "[]"});
    let reply = old.get("/messages/matches_narrow", ids.clone()).await.success();
    assert_eq!(reply["messages"], json!({}));
    new.get("/messages/matches_narrow", ids).await.error("BAD_REQUEST", "msg_ids[0] is too small");
    let message = json!({"type": "stream", "to": "true", "topic": "t", "content": "x"});
    let id = old.post("/messages", message.clone()).await.success()["id"].take();
    let sent = old.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(sent["message"]["stream_id"], 1);
    new.post("/messages", message).await.error("BAD_REQUEST", "Invalid data type for channel");
    let path = format!("/streams/{}/delete_topic", server.channel("general"));
    let topic = json!({"topic_name": "x".repeat(61)});
    old.post(&path, topic.clone()).await.success();
    new.post(&path, topic).await.error("BAD_REQUEST", "topic_name is too long (limit: 60 characters)");
}

#[tokio::test]
async fn tokens_were_base64_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let path = "/users/me/platform_device_token";
    let token = |text: &str| json!({"appid": "org.test.app", "token": text});
    let (old, new) = (before.user("mel"), after.user("mel"));
    for text in ["c2hvcnQ=", " ", "apple-tokenbb"] {
        old.post(path, token(text)).await.success();
        old.delete(path, json!({"token": text})).await.success();
        old.delete(path, json!({"token": text})).await.error("BAD_REQUEST", "Token does not exist");
        new.post(path, token(text)).await.error("BAD_REQUEST", "Invalid APNS token");
    }
    old.post(path, token("abcde")).await.error("BAD_REQUEST", "Invalid APNS token");
    old.post(path, token("abcdef")).await.error("BAD_REQUEST", "Invalid APNS token");
    new.post(path, token("abcdef")).await.success();
}

#[tokio::test]
async fn missing_targets_were_bad_requests_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let (old, new) = (before.user("mel"), after.user("mel"));
    for (path, params, was, missing) in [
        ("/messages", json!({"type": "stream", "topic": "t", "content": "x"}), "Missing channel", "to"),
        ("/messages", json!({"type": "private", "content": "x"}), "Message must have recipients", "to"),
    ] {
        old.post(path, params.clone()).await.error("BAD_REQUEST", was);
        let reply = new.post(path, params).await;
        reply.error("REQUEST_VARIABLE_MISSING", &format!("Missing '{missing}' argument"));
    }
    let path = "/users/me/subscriptions/muted_topics";
    let mut params = json!({"op": "add", "topic": "t"});
    let [before_channels, _] = Age::around(&server, 255).await;
    let oldest = before_channels.user("mel");
    oldest.patch(path, params.clone()).await.error("BAD_REQUEST", "Please supply 'stream'.");
    old.patch(path, params.clone()).await.error("BAD_REQUEST", "Missing 'stream_id' argument");
    new.patch(path, params.clone()).await.error("REQUEST_VARIABLE_MISSING", "Missing 'stream_id' argument");
    params["stream"] = "general".into();
    params["stream_id"] = server.channel("general").into();
    let both = "Unsupported parameter combination: stream_id, stream";
    let body = old.patch(path, params.clone()).await.error("BAD_REQUEST", both);
    assert_eq!(body["parameters"], "stream_id, stream");
    let body = oldest.patch(path, params).await.error("BAD_REQUEST", "Please choose one: 'stream' or 'stream_id'.");
    assert_eq!(body.get("parameters"), None);
}

#[tokio::test]
async fn some_booleans_were_read_first() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 262).await;
    let params = json!({"client_gravatar": "x"});
    let words = "Argument \"client_gravatar\" is not valid JSON.";
    before.user("adam").get("/users/nobody@chat.test", params.clone()).await.error("BAD_REQUEST", words);
    after.user("adam").get("/users/nobody@chat.test", params).await.error("BAD_REQUEST", "No such user");
    let [before, after] = Age::around(&server, 412).await;
    let params = json!({"include_subscribers": "7"});
    let (old, new) = (before.user("adam"), after.user("adam"));
    let reply = old.get("/users/me/subscriptions", params.clone()).await;
    reply.error("BAD_REQUEST", "include_subscribers is not a boolean");
    new.get("/users/me/subscriptions", params).await.error("BAD_REQUEST", "Invalid include_subscribers");
}

#[tokio::test]
async fn each_operation_parses_parameters_strictly_from_its_own_level_on() {
    let server = TestServer::start().await;
    for (level, method, path, params, was, is) in [
        (283, "PATCH", "/scheduled_messages/9", json!({"type": "x"}), "Invalid type", LISTED),
        (
            277,
            "PATCH",
            "/settings",
            json!({"color_scheme": "x"}),
            "Argument \"color_scheme\" is not valid JSON.",
            "color_scheme is not valid JSON",
        ),
        (
            274,
            "GET",
            "/streams",
            json!({"include_public": "x"}),
            "Argument \"include_public\" is not valid JSON.",
            "include_public is not valid JSON",
        ),
        (
            272,
            "PATCH",
            "/realm/user_settings_defaults",
            json!({"color_scheme": "x"}),
            "Argument \"color_scheme\" is not valid JSON.",
            "color_scheme is not valid JSON",
        ),
        (
            265,
            "DELETE",
            "/users/me/profile_data",
            json!({"data": "[false]"}),
            "Field id 0 not found.",
            "data[0] is not an integer",
        ),
        (
            264,
            "DELETE",
            "/bot_storage",
            json!({"keys": "x"}),
            "Argument \"keys\" is not valid JSON.",
            "keys is not valid JSON",
        ),
        (
            262,
            "POST",
            "/user_topics",
            json!({"stream_id": "x", "topic": "t", "visibility_policy": 1}),
            "Argument \"stream_id\" is not valid JSON.",
            "stream_id is not valid JSON",
        ),
        (
            261,
            "PATCH",
            "/realm",
            json!({"invite_required": "x"}),
            "Argument \"invite_required\" is not valid JSON.",
            "invite_required is not valid JSON",
        ),
        (
            259,
            "POST",
            "/user_groups/create",
            json!({"name": "n", "description": "", "members": "x"}),
            "Argument \"members\" is not valid JSON.",
            "members is not valid JSON",
        ),
        (
            253,
            "POST",
            "/messages/flags",
            json!({"messages": "x", "flag": "read", "op": "add"}),
            "Argument \"messages\" is not valid JSON.",
            "messages is not valid JSON",
        ),
    ] {
        let [before, after] = Age::around(&server, level).await;
        for (age, words) in [(before, was), (after, is)] {
            let olive = age.user("olive");
            let reply = match method {
                "GET" => olive.get(path, params.clone()).await,
                "DELETE" => olive.delete(path, params.clone()).await,
                "PATCH" => olive.patch(path, params.clone()).await,
                _ => olive.post(path, params.clone()).await,
            };
            assert_eq!(reply.body["msg"], words, "{method} {path} around {level}");
        }
    }
}

const LISTED: &str = "Invalid type: Value error, Not in the list of possible values";

#[tokio::test]
async fn numbers_beyond_64_bits_were_no_whole_numbers() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 262).await;
    let params = json!({"stream_id": "99999999999999999999", "topic": "t", "visibility_policy": 1});
    let reply = before.user("mel").post("/user_topics", params.clone()).await;
    reply.error("BAD_REQUEST", "stream_id is not an integer");
    after.user("mel").post("/user_topics", params).await.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn reminders_required_a_message_and_a_time_before_497() {
    let server = TestServer::start().await;
    let [before, _] = Age::around(&server, 497).await;
    let (old, new) = (before.user("mel"), server.user("mel"));
    let note = json!({"note": "tea"});
    let missing = "Missing 'message_id' argument";
    old.post("/reminders", note.clone()).await.error("REQUEST_VARIABLE_MISSING", missing);
    let message = send_old(&old, "general", "t", "x").await;
    let missing = "Missing 'scheduled_delivery_timestamp' argument";
    old.post("/reminders", json!({"message_id": message})).await.error("REQUEST_VARIABLE_MISSING", missing);
    new.post("/reminders", note).await.success();
}

#[tokio::test]
async fn themes_were_night_and_day_before_266() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 266).await;
    for (age, light, unknown) in [(before, "day", "light"), (after, "light", "day")] {
        let mel = age.user("mel");
        let reply = mel.post("/zcommand", json!({"command": format!("/{light}")})).await;
        assert_eq!(reply.body["msg"], "Changed to light theme! To revert light theme, type `/dark`.");
        let refused = format!("No such command: {unknown}");
        mel.post("/zcommand", json!({"command": format!("/{unknown}")})).await.error("BAD_REQUEST", &refused);
    }
}

#[tokio::test]
async fn wrong_methods_and_paths_had_no_code() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    for (age, code) in [(before, None), (after, Some(&json!("BAD_REQUEST")))] {
        let reply = age.user("mel").delete("/register", json!({})).await.with_status(405);
        assert_eq!(reply.body.get("code"), code);
        assert_eq!(reply.body["allowed_methods"], json!(["POST"]));
        let reply = age.user("mel").get("/nothing", json!({})).await.with_status(404);
        assert_eq!((&reply.body["msg"], reply.body.get("code")), (&json!("Unknown path"), code));
    }
}

#[tokio::test]
async fn wrong_methods_and_paths_are_answered_as_documented() {
    let server = TestServer::start().await;
    for level in [247, 421, 496, 497, NEWEST_FEATURE_LEVEL] {
        let document = Documented::at(level);
        let mel = Age::at(&server, level).await.user("mel");
        for (reply, status) in [
            (mel.get("/messages/-1", json!({})).await, 404),
            (mel.get("/messages/1x", json!({})).await, 404),
            (mel.put("/messages/1", json!({})).await, 405),
        ] {
            let reply = reply.with_status(status);
            let faults = document.faults("GET", "/messages/{message_id}", status, &reply.body);
            assert_eq!(faults, Vec::<String>::new(), "at {level}: {reply}");
        }
    }
}

#[tokio::test]
async fn some_operations_had_other_refusal_messages() {
    let server = TestServer::start().await;
    let [before, after] = Age::at_both(&server, 247, NEWEST_FEATURE_LEVEL).await;
    let (old, new) = (before.user("mel"), after.user("mel"));
    for (path, params, was, is) in [
        (
            "/users/me/subscriptions",
            json!({"subscriptions": "[{\"name\": \"x\"}]", "principals": "5"}),
            "principals is not an allowed_type",
            "principals is not a list",
        ),
        (
            "/users/me/subscriptions",
            json!({"subscriptions": "[{}]"}),
            "name key is missing from subscriptions[0]",
            "subscriptions[0][\"name\"] field is missing: Field required",
        ),
        (
            "/users/me/subscriptions/properties",
            json!({"subscription_data": r#"[{"stream_id": 1, "property": "color", "value": false}]"#}),
            "color is not a string",
            "Invalid subscription_data[0]: Value error, color is not a string",
        ),
        (
            "/users/me/subscriptions/properties",
            json!({"subscription_data": r#"[{"stream_id": 1, "value": "x"}]"#}),
            "property key is missing from subscription_data[0]",
            "subscription_data[0][\"property\"] field is missing: Field required",
        ),
        (
            "/zcommand",
            json!({"command": "ping"}),
            "There should be a leading slash in the zcommand.",
            "A command begins with a slash.",
        ),
        (
            "/drafts",
            json!({"drafts": r#"[{"x": 1, "type": "", "to": [], "topic": "", "content": "c"}]"#}),
            "Argument \"x\" at drafts[0][\"x\"] is unexpected",
            "Argument \"x\" at drafts[0] is unexpected",
        ),
        (
            "/scheduled_messages",
            json!({"type": "stream", "to": "x", "topic": "t", "content": "c", "scheduled_delivery_timestamp": 4_102_444_800_i64}),
            "Invalid data type for stream ID",
            "to is not valid JSON",
        ),
    ] {
        old.post(path, params.clone()).await.error("BAD_REQUEST", was);
        new.post(path, params).await.error("BAD_REQUEST", is);
    }
    for (data, was, is) in [
        ("[{}]", "id key is missing from data[0]", "data[0][\"id\"] field is missing: Field required"),
        (
            "[{\"id\": 1, \"value\": 3}]",
            "data[0][\"value\"] is not an allowed_type",
            "data[0][\"value\"][\"str\"] is not a string",
        ),
    ] {
        old.patch("/users/me/profile_data", json!({"data": data})).await.error("BAD_REQUEST", was);
        new.patch("/users/me/profile_data", json!({"data": data})).await.error("BAD_REQUEST", is);
    }
}

#[tokio::test]
async fn only_polls_that_created_their_queue_returned_its_id_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    for (age, tells) in [(before, false), (after, true)] {
        let mel = age.user("mel");
        // A poll without a queue makes one.
        let made = mel.get("/events", json!({"event_types": ["message"], "dont_block": true})).await.success();
        assert_eq!(made["events"], json!([]));
        let queue = &made["queue_id"];
        let message = send_old(&mel, "general", "t", "x").await;
        let poll = json!({"queue_id": queue, "last_event_id": -1, "dont_block": true});
        let reply = mel.get("/events", poll).await.success();
        assert_eq!(reply["events"][0]["message"]["id"], message);
        assert_eq!(reply["events"].as_array().map(Vec::len), Some(1));
        assert_eq!(reply.get("queue_id"), tells.then_some(queue));
        mel.get("/events", json!({})).await.error("BAD_REQUEST", "Missing 'queue_id' argument");
    }
}

#[tokio::test]
async fn blank_texts_were_accepted_before_497() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 497).await;
    let group = json!({"group_name": "g", "description": "d", "stream_names": "[\"design\"]"});
    for (age, is_taken) in [(before, true), (after, false)] {
        let adam = age.user("adam");
        let mut group = group.clone();
        group["stream_names"] = "[\"engineering\"]".into();
        adam.post("/default_stream_groups/create", group).await.success();
        let groups = adam.register(json!({"fetch_event_types": ["default_stream_groups"]})).await.state;
        let groups = groups["realm_default_stream_groups"].as_array().cloned().unwrap_or_default();
        let id = groups.iter().find(|one| one["name"] == "g").map(|one| one["id"].clone());
        let path = format!("/default_stream_groups/{}", id.expect("it was made"));
        let reply = adam.patch(&path, json!({"new_group_name": " "})).await;
        if is_taken {
            reply.success();
        } else {
            reply.error("BAD_REQUEST", "Invalid default channel group name ' '");
        }
        let invitation = json!({"invitee_emails": " ", "stream_ids": "[]"});
        let reply = adam.post("/invites", invitation).await;
        if is_taken {
            reply.success();
        } else {
            reply.error("BAD_REQUEST", "You must specify at least one email address.");
        }
        let invitation = json!({"invitee_emails": "", "stream_ids": "[]"});
        adam.post("/invites", invitation).await.error("BAD_REQUEST", "You must specify at least one email address.");
    }
}

#[tokio::test]
async fn an_empty_topic_name_meant_the_whole_channel_before_388() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 388).await;
    for (age, is_read) in [(before, true), (after, false)] {
        let (mel, max) = (age.user("mel"), age.user("max"));
        let message = send_old(&max, "general", "t", "unread").await;
        let whole = json!({"stream_id": server.channel("general"), "topic_name": ""});
        mel.post("/mark_topic_as_read", whole).await.success();
        let read = mel.get(&format!("/messages/{message}"), json!({})).await.success();
        let flags = read["message"]["flags"].as_array().cloned().unwrap_or_default();
        assert_eq!(flags.contains(&json!("read")), is_read);
    }
}

#[tokio::test]
async fn messages_had_the_name_of_archived_channels_before_315() {
    let server = TestServer::start().await;
    let before = Age::at(&server, 314).await;
    let (olive, mel) = (before.user("olive"), before.user("mel"));
    send_old(&olive, "general", "t", "x").await;
    olive.delete(&format!("/streams/{}", server.channel("general")), json!({})).await.success();
    let recent = json!({"anchor": "newest", "num_before": 100, "num_after": 0});
    let reply = mel.get("/messages", recent).await.success();
    let messages = reply["messages"].as_array().cloned().unwrap_or_default();
    let names = messages.iter().map(|message| message["display_recipient"].to_string()).collect::<String>();
    assert!(names.contains("\"general\"") && !names.contains("DEACTIVATED"), "{names}");
}

/// A topic that is followed on one side alone is followed no more where two become one; one that is unmuted stays so.
#[tokio::test]
async fn topics_that_become_one_are_followed_by_those_who_followed_both() {
    let server = TestServer::start().await;
    for level in [247, 387, NEWEST_FEATURE_LEVEL] {
        let mel = Age::at(&server, level).await.user("mel");
        let channel = server.channel("general");
        for (at, (one, other, merged)) in
            [(3, 3, 3), (0, 3, 0), (3, 0, 0), (2, 3, 2), (1, 3, 0)].into_iter().enumerate()
        {
            let (here, there) = (format!("here {at}"), format!("there {at}"));
            let message = send_old(&mel, "general", &here, "x").await;
            send_old(&mel, "general", &there, "y").await;
            for (topic, policy) in [(&here, one), (&there, other)] {
                let params = json!({"stream_id": channel, "topic": topic, "visibility_policy": policy});
                mel.post("/user_topics", params).await.success();
            }
            let place = json!({"topic": there, "propagate_mode": "change_all"});
            mel.patch(&format!("/messages/{message}"), place).await.success();
            let state = mel.register(json!({"fetch_event_types": ["user_topic"]})).await.state;
            let topics = state["user_topics"].as_array().cloned().unwrap_or_default();
            let policy = topics.iter().find(|topic| topic["topic_name"] == there.as_str());
            let policy = policy.and_then(|topic| topic["visibility_policy"].as_i64()).unwrap_or_default();
            assert_eq!(policy, merged, "{one} and {other} at {level}");
        }
    }
}

#[tokio::test]
async fn notices_said_stream_before_255() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 255).await;
    for (age, word) in [(before, "stream"), (after, "channel")] {
        let olive = age.user("olive");
        let made = json!({"subscriptions": "[{\"name\": \"made\", \"description\": \"of this channel\"}]"});
        olive.post("/users/me/subscriptions", made).await.success();
        let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "apply_markdown": false});
        let reply = olive.get("/messages", newest).await.success();
        let notice = reply["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
        assert_eq!(notice["subject"], format!("{word} events"));
        let content = notice["content"].as_str().unwrap_or_default();
        assert!(content.starts_with(&format!("**Public** {word} created by ")), "{content}");
        assert!(content.contains("of this channel"), "{content}");
    }
}
