//! Channels, subscriptions, messages, reactions, uploads.

use super::{Age, send_old};
use crate::support::TestServer;
use chatdouble::api::Route;
use chatdouble::error::Error;
use chatdouble::level::emulation;
use serde_json::{Value, json};

/// What an error was given as at a level, when it was otherwise.
fn code(level: i64, route: Route, error: &str) -> Option<(u16, &'static str)> {
    let row = Error::TABLE.iter().find(|row| row.name == error).expect("it is in the table");
    emulation(level)?.former_code(Some(route), row)
}

#[tokio::test]
async fn archived_channels_had_no_topics_before_480() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 480).await;
    let attic = server.channel("attic");
    let of_channel = |rest: &str| format!("/streams/{attic}{rest}");
    for path in [format!("/users/me/{attic}/topics"), of_channel(""), of_channel("/members")] {
        before.user("mel").get(&path, json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
        after.user("mel").get(&path, json!({})).await.success();
    }
}

#[tokio::test]
async fn partial_subscribers_were_an_error_before_412() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 412).await;

    let reply = before.user("mel").post("/register", json!({"include_subscribers": "partial"})).await;
    reply.error("BAD_REQUEST", "include_subscribers is not valid JSON");
    before.user("mel").post("/register", json!({"include_subscribers": "true"})).await.success();
    after.user("mel").post("/register", json!({"include_subscribers": "partial"})).await.success();
}

#[tokio::test]
async fn default_channels_were_whole_before_330() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    let [before, after] = Age::around(&server, 330).await;
    let (mut old, mut new) =
        (before.user("mel").register(json!({})).await, after.user("mel").register(json!({})).await);

    let is_whole = |channel: &Value, id: i64, name: &str| {
        assert_eq!((&channel["stream_id"], &channel["name"]), (&json!(id), &json!(name)));
        assert!(channel.get("creator_id").is_some() && channel.get("folder_id").is_none());
    };
    is_whole(&old.state["realm_default_streams"][0], general, "general");
    assert_eq!(new.state["realm_default_streams"], json!([general]));
    let quiet = server.channel("quiet");
    for age in [&before, &after] {
        age.user("olive").post("/default_streams", json!({"stream_id": quiet})).await.success();
    }
    is_whole(&old.next().await.has(json!({"type": "default_streams"}))["default_streams"][1], quiet, "quiet");
    new.next().await.has(json!({"default_streams": [general, quiet]}));

    before.user("olive").patch(&format!("/streams/{quiet}"), json!({"new_name": "Quiet"})).await.success();
    let sorted = before.user("mel").register(json!({})).await.state["realm_default_streams"].take();
    assert_eq!((&sorted[0]["name"], &sorted[1]["name"]), (&json!("Quiet"), &json!("general")));
}

#[tokio::test]
async fn groups_had_whole_default_channels_before_330() {
    let server = TestServer::start().await;
    let quiet = server.channel("quiet");
    let [before, after] = Age::around(&server, 330).await;
    let mut received = Vec::new();
    for age in [&before, &after] {
        let mut mel = age.user("mel").register(json!({})).await;
        let group = json!({"group_name": "Interns", "description": "", "stream_names": ["quiet"]});
        age.user("olive").post("/default_stream_groups/create", group).await.success();
        let event = mel.next().await.has(json!({"type": "default_stream_groups"}));
        let later = age.user("mel").register(json!({})).await.state;
        assert_eq!(event["default_stream_groups"], later["realm_default_stream_groups"]);
        received.push(event["default_stream_groups"][0]["streams"][0].clone());
    }
    assert_eq!(
        (&received[0]["stream_id"], &received[0]["name"], &received[1]),
        (&json!(quiet), &json!("quiet"), &json!(quiet))
    );
    assert!(received[0].get("creator_id").is_some() && received[0].get("folder_id").is_none());
}

#[tokio::test]
async fn subscribing_replied_by_email_before_289() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 289).await;
    let params = json!({"subscriptions": [{"name": "quiet"}]});

    let reply = before.user("mel").post("/users/me/subscriptions", params.clone()).await.success();
    assert_eq!(reply["subscribed"], json!({"mel@chat.test": ["quiet"]}));
    let reply = after.user("mel").post("/users/me/subscriptions", params).await.success();
    assert_eq!(reply["subscribed"], json!({after.user("mel").id().to_string(): ["quiet"]}));
}

#[tokio::test]
async fn principals_were_unauthorized_before_208() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 208).await;
    for (principals, message) in [(json!([999]), "No such user"), (json!(["dana@chat.test"]), "User is deactivated")] {
        let params = json!({"subscriptions": ["general"], "principals": principals});
        for (age, status, code) in [(&before, 403, "UNAUTHORIZED_PRINCIPAL"), (&after, 400, "BAD_REQUEST")] {
            let reply = age.user("olive").delete("/users/me/subscriptions", params.clone()).await;
            reply.with_status(status).error(code, message);
            let add = json!({"subscriptions": [{"name": "general"}], "principals": principals});
            let reply = age.user("olive").post("/users/me/subscriptions", add).await;
            reply.with_status(status).error(code, message);
        }
    }
}

#[tokio::test]
async fn topics_policy_had_no_empty_topic_only_before_404() {
    let server = TestServer::start().await;
    let path = format!("/streams/{}", server.channel("quiet"));
    let alone = json!({"topics_policy": "empty_topic_only"});
    let [before, after] = Age::around(&server, 404).await;
    before.user("olive").patch(&path, alone.clone()).await.error("BAD_REQUEST", "Invalid topics_policy");
    after.user("olive").patch(&path, alone.clone()).await.success();

    server.user("olive").patch(&path, alone).await.success();
    for (level, policy) in [(403, "allow_empty_topic"), (404, "empty_topic_only")] {
        let channel = Age::at(&server, level).await.user("olive").get(&path, json!({})).await.success();
        assert_eq!(channel["stream"]["topics_policy"], policy, "at {level}");
    }
}

#[tokio::test]
async fn messages_were_kept_forever_before_91() {
    let server = TestServer::start().await;
    let path = format!("/streams/{}", server.channel("quiet"));
    let [before, after] = Age::around(&server, 91).await;
    let kept = |word: &str| json!({"message_retention_days": word});
    let refused = "Invalid message_retention_days";

    before.user("olive").patch(&path, kept("forever")).await.success();
    before.user("olive").patch(&path, kept("unlimited")).await.error("BAD_REQUEST", refused);
    after.user("olive").patch(&path, kept("unlimited")).await.success();
}

#[tokio::test]
async fn subscribers_were_addresses_before_79() {
    let server = TestServer::start().await;
    let path = format!("/streams/{}/members", server.channel("town-square"));
    let gus = server.user("gus").id();
    let old = json!(["olive@chat.test", "mel@chat.test", format!("user{gus}@chat.test")]);
    let new = json!([server.user("olive").id(), server.user("mel").id(), gus]);
    for (level, expected) in [(78, old), (79, new)] {
        let mel = Age::at(&server, level).await.user("mel");
        assert_eq!(mel.get(&path, json!({})).await.success()["subscribers"], expected, "at {level}");
        let state = mel.register(json!({"include_subscribers": true})).await.state;
        let channels = state["subscriptions"].as_array().expect("a list").iter();
        let square = channels.clone().find(|channel| channel["name"] == "town-square").expect("it is there");
        assert_eq!(square["subscribers"], expected, "at {level}");
    }
}

#[tokio::test]
async fn the_old_topic_got_notices_of_moves_before_152() {
    let server = TestServer::start().await;
    for (level, expected) in [(151, 1), (152, 0)] {
        let mel = Age::at(&server, level).await.user("mel");
        let params = json!({"type": "stream", "to": "general", "topic": "from here", "content": "x"});
        let id = mel.post("/messages", params).await.success()["id"].clone();
        let other = json!({"type": "stream", "to": "general", "topic": "from here", "content": "stays"});
        mel.post("/messages", other).await.success();
        mel.patch(&format!("/messages/{id}"), json!({"topic": "to there"})).await.success();
        let narrow = json!([["stream", "general"], ["topic", "from here"]]);
        let params = json!({"anchor": "newest", "num_before": 9, "num_after": 0, "narrow": narrow});
        let left = mel.get("/messages", params).await.success();
        assert_eq!(left["messages"].as_array().map(Vec::len), Some(expected + 1), "at {level}");
    }
}

#[tokio::test]
async fn some_parameters_of_spectators_were_ignored_before_149() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 149).await;
    for params in [json!({"client_gravatar": true}), json!({"include_subscribers": true})] {
        before.anonymous().post("/register", params.clone()).await.success();
        let reply = after.anonymous().post("/register", params).await;
        assert_eq!(reply.status, 400, "{reply}");
    }
}

#[tokio::test]
async fn principals_were_addresses_before_9() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 9).await;
    let with = |principals: Value| json!({"subscriptions": ["general"], "principals": principals});
    let id = before.user("max").id();

    let reply = before.user("olive").delete("/users/me/subscriptions", with(json!([id]))).await;
    reply.error("BAD_REQUEST", "principals[0] is not a string");
    before.user("olive").delete("/users/me/subscriptions", with(json!(["max@chat.test"]))).await.success();
    after.user("olive").delete("/users/me/subscriptions", with(json!([id]))).await.success();
}

#[tokio::test]
async fn attachments_listed_messages_before_472() {
    let server = TestServer::start().await;
    let message = server.message("The plan:");
    let [before, after] = Age::around(&server, 472).await;

    let old = before.user("mel").get("/attachments", json!({})).await.success();
    let sent = 1_767_268_800 - 2 * 86_400;
    assert_eq!(old["attachments"][0]["messages"], json!([{"id": message, "date_sent": sent}]));
    let new = after.user("mel").get("/attachments", json!({})).await.success();
    assert_eq!(new["attachments"][0]["message_ids"], json!([message]));
    let older = Age::at(&server, 442).await.user("mel").get("/attachments", json!({})).await.success();
    assert_eq!(older["attachments"][0]["messages"], json!([{"id": message, "date_sent": sent * 1000_i64}]));
    assert!(old["attachments"][0].get("message_ids").is_none() && new["attachments"][0].get("messages").is_none());
    for (age, key, other) in [(before, "messages", "message_ids"), (after, "message_ids", "messages")] {
        let mel = age.user("mel");
        let path = mel.upload("/user_uploads", "a.txt", "text/plain", b"a").await.success()["url"].clone();
        let id = send_old(&mel, "general", "t", &format!("[a]({})", path.as_str().unwrap_or_default())).await;
        let edited = mel.patch(&format!("/messages/{id}"), json!({"content": "gone"})).await.success();
        let detached = edited["detached_uploads"][0].clone();
        assert_eq!((&detached[key], detached.get(other)), (&json!([]), None), "{detached}");
    }
}

#[tokio::test]
async fn attachments_counted_milliseconds_before_443() {
    let server = TestServer::start().await;
    let seconds = 1_767_268_800 - 2 * 86_400_i64;
    for (level, expected) in [(442, seconds * 1000), (443, seconds)] {
        let reply = Age::at(&server, level).await.user("mel").get("/attachments", json!({})).await.success();
        assert_eq!(reply["attachments"][0]["create_time"], expected, "at {level}");
    }
}

#[tokio::test]
async fn reactions_had_no_user_from_328_to_338() {
    let server = TestServer::start().await;
    let message = server.message("Thank you");
    for (level, has_user) in [(327, true), (328, false), (338, false), (339, true), (483, true), (484, false)] {
        let age = Age::at(&server, level).await;
        let mut events = age.user("mel").events(["reaction"]).await;
        let path = format!("/messages/{message}/reactions");
        age.user("max").post(&path, json!({"emoji_name": "tada"})).await.success();
        assert_eq!(events.next().await.0.get("user").is_some(), has_user, "at {level}");
    }
}

#[tokio::test]
async fn who_reacted_had_another_key_for_the_id_in_events_than_in_messages() {
    let server = TestServer::start().await;
    let id = server.message("Thank you");
    let age = Age::at(&server, 327).await;
    let [mel, max] = [age.user("mel"), age.user("max")];
    let mut events = mel.events(["reaction"]).await;
    max.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada"})).await.success();

    let user = |key: &str| json!({key: max.id(), "email": max.email(), "full_name": "Max Mercer"});
    assert_eq!(events.next().await.0["user"], user("user_id"));
    let fetched = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    let reactions = fetched["message"]["reactions"].clone();
    let own = |reaction: &&Value| reaction["user_id"] == max.id() && reaction["emoji_name"] == "tada";
    let reaction = reactions.as_array().into_iter().flatten().find(own).expect("it has max's reaction").clone();
    assert_eq!(reaction["user"], user("id"));
}

#[tokio::test]
async fn types_were_stream_before_248_and_private_before_174() {
    let server = TestServer::start().await;
    let channel = |kind: &str| json!({"type": kind, "to": "general", "topic": "t", "content": "x"});
    let direct = |kind: &str, to: i64| json!({"type": kind, "to": [to], "content": "x"});
    for (level, kind, params) in [(248, "channel", channel("channel")), (174, "direct", direct("direct", 5))] {
        let [before, after] = Age::around(&server, level).await;
        before.user("mel").post("/messages", params.clone()).await.error("BAD_REQUEST", "Invalid type");
        after.user("mel").post("/messages", params).await.success();
        let older = if kind == "channel" { channel("stream") } else { direct("private", 5) };
        before.user("mel").post("/messages", older).await.success();
    }
}

#[test]
fn wildcards_were_a_bad_request_before_229() {
    for error in ["ChannelWildcardNotAllowed", "TopicWildcardNotAllowed"] {
        assert_eq!(code(228, Route::new("POST", "/messages"), error), Some((400, "BAD_REQUEST")));
        assert_eq!(code(229, Route::new("POST", "/messages"), error), None);
    }
}

#[tokio::test]
async fn typing_named_channels_in_to_before_215() {
    let server = TestServer::start().await;
    let (general, max) = (server.channel("general"), server.user("max").id());
    let [before, after] = Age::around(&server, 215).await;
    let old = json!({"op": "start", "type": "stream", "to": [general], "topic": "t"});
    let new = json!({"op": "start", "type": "stream", "stream_id": general, "topic": "t"});
    let private = json!({"op": "start", "type": "private", "to": [max]});

    let mut events = before.user("max").events(["typing"]).await;
    before.user("mel").post("/typing", old.clone()).await.success();
    before.user("mel").post("/typing", private.clone()).await.success();
    events.next().await.has(json!({"stream_id": general}));
    events.next().await.has(json!({"message_type": "private"}));
    let refused = before.user("mel").post("/typing", new.clone()).await;
    let hint = refused.header("x-chatdouble-hint").expect("a hint").to_owned();
    refused.with_status(400).error("REQUEST_VARIABLE_MISSING", "Missing 'to' argument");
    assert_eq!(hint, "POST /typing takes, in the form-encoded body: type, op, to, topic.");
    let unknown_type = json!({"op": "start", "type": "group"});
    before.user("mel").post("/typing", unknown_type).await.error("BAD_REQUEST", "Invalid type");
    before.user("mel").post("/typing", json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'op' argument");
    let to_none = json!({"op": "start", "type": "stream", "to": [], "topic": "t"});
    before.user("mel").post("/typing", to_none).await.error("BAD_REQUEST", "Empty 'to' list");
    let to_two = json!({"op": "start", "type": "stream", "to": [general, general], "topic": "t"});
    before.user("mel").post("/typing", to_two).await.error("BAD_REQUEST", "Cannot send to multiple streams");
    let to_text = json!({"op": "start", "type": "stream", "to": [general, "x"], "topic": "t"});
    before.user("mel").post("/typing", to_text).await.error("BAD_REQUEST", "to[1] is not an integer");
    after.user("mel").post("/typing", new).await.success();
    for refused in [old, private] {
        assert_eq!(after.user("mel").post("/typing", refused).await.status, 400);
    }
}

#[tokio::test]
async fn reactions_were_a_bad_request_before_193() {
    let server = TestServer::start().await;
    let path = format!("/messages/{}/reactions", server.message("Thank you"));
    let tada = json!({"emoji_name": "tada"});
    for (level, exists, missing) in
        [(192, "BAD_REQUEST", "BAD_REQUEST"), (193, "REACTION_ALREADY_EXISTS", "REACTION_DOES_NOT_EXIST")]
    {
        let mel = Age::at(&server, level).await.user("mel");
        mel.delete(&path, tada.clone()).await.with_status(400).error(missing, "Reaction doesn't exist.");
        mel.post(&path, tada.clone()).await.success();
        mel.post(&path, tada.clone()).await.with_status(400).error(exists, "Reaction already exists.");
    }
}

#[test]
fn late_moves_were_a_bad_request_before_172() {
    let route = Route::new("PATCH", "/messages/{message_id}");
    assert_eq!(code(171, route, "MoveTimeLimitExceeded"), Some((400, "BAD_REQUEST")));
    assert_eq!(code(172, route, "MoveTimeLimitExceeded"), None);
}

#[tokio::test]
async fn topic_links_were_texts_before_46() {
    let server = TestServer::start().await;
    let link = "https://tracker.example.com/issues/7";
    for (level, expected) in [(45, json!([link])), (46, json!([{"text": "#7", "url": link}]))] {
        let mel = Age::at(&server, level).await.user("mel");
        let params = json!({"type": "stream", "to": "general", "topic": "see #7", "content": "x"});
        mel.post("/messages", params).await.success();
        let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
        let reply = mel.get("/messages", newest).await.success();
        assert_eq!(reply["messages"][0]["topic_links"], expected, "at {level}");
    }
}

#[tokio::test]
async fn message_counts_were_required_before_300() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 300).await;
    let newest = json!({"anchor": "newest"});

    let reply = before.user("mel").get("/messages", newest.clone()).await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'num_before' argument");
    let half = json!({"anchor": "newest", "num_before": 1});
    let reply = before.user("mel").get("/messages", half).await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'num_after' argument");
    after.user("mel").get("/messages", newest).await.success();
    after.user("mel").get("/messages", json!({"message_ids": [1]})).await.success();
}

#[tokio::test]
async fn recipients_had_short_names_before_26() {
    let server = TestServer::start().await;
    for (age, name) in Age::around(&server, 26).await.iter().zip([json!("mel"), Value::Null]) {
        let mel = age.user("mel");
        let id =
            mel.post("/messages", json!({"type": "private", "to": [mel.id()], "content": "x"})).await.success()["id"]
                .clone();
        let params = json!({"anchor": id, "num_before": 0, "num_after": 0});
        let messages = mel.get("/messages", params).await.success();
        assert_eq!(messages["messages"][0]["display_recipient"][0]["short_name"], name);
    }
}

#[tokio::test]
async fn attachments_named_the_times_of_messages_before_22() {
    let server = TestServer::start().await;
    let message = server.message("The plan:");
    let milliseconds = (1_767_268_800 - 2 * 86_400) as f64 * 1000.0;
    let [before, after] = Age::around(&server, 22).await;

    let old = before.user("mel").get("/attachments", json!({})).await.success()["attachments"][0].take();
    assert_eq!(old["messages"], json!([{"id": message, "name": milliseconds}]));
    assert!(old["create_time"].is_f64(), "{old}");
    let new = after.user("mel").get("/attachments", json!({})).await.success()["attachments"][0].take();
    assert_eq!(new["messages"], json!([{"id": message, "date_sent": milliseconds as i64}]));
    assert!(new["create_time"].is_i64(), "{new}");
}

#[tokio::test]
async fn edits_had_a_version_of_rendering_before_284() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = json!({"type": "channel", "to": "general", "topic": "t", "content": "first"});
    let id = mel.post("/messages", message).await.success()["id"].take();
    mel.patch(&format!("/messages/{id}"), json!({"content": "second"})).await.success();
    mel.patch(&format!("/messages/{id}"), json!({"topic": "other"})).await.success();

    for (level, version) in [(283, json!(1)), (284, Value::Null)] {
        let found =
            Age::at(&server, level).await.user("mel").get(&format!("/messages/{id}"), json!({})).await.success();
        let history = &found["message"]["edit_history"];
        assert_eq!(history[1]["prev_rendered_content_version"], version, "at {level}: {history}");
        assert_eq!(history[0].get("prev_rendered_content_version"), None, "at {level}: {history}");
    }
}

#[tokio::test]
async fn messages_in_archived_channels_were_refused_before_360() {
    let server = TestServer::start().await;
    let (olive, town) = (server.user("olive"), server.channel("general"));
    let id = olive.send_to("general", "x", "before the end").await;
    olive.delete(&format!("/streams/{town}"), json!({})).await.success();
    let [before, after] = Age::around(&server, 360).await;
    for path in [format!("/messages/{id}"), format!("/messages/{id}/read_receipts")] {
        before.user("mel").get(&path, json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
        after.user("mel").get(&path, json!({})).await.success();
    }
}

#[tokio::test]
async fn emoji_had_other_names() {
    let server = TestServer::start().await;
    for (level, name, before, since) in [
        (377, "smile", Some("1f642"), Some("1f604")),
        (377, "big_smile", Some("1f604"), None),
        (332, "point", Some("1faf5"), Some("1fa9d")),
        (276, "folded_hands", None, Some("1f64f")),
        (274, "phoenix", None, Some("1f426-200d-1f525")),
    ] {
        for (age, code) in Age::around(&server, level).await.iter().zip([before, since]) {
            let mel = age.user("mel");
            let rendered = mel.post("/messages/render", json!({"content": format!(":{name}:")})).await.success();
            let text = rendered["rendered"].as_str().unwrap_or_default().to_owned();
            assert_eq!(text.contains("<span"), code.is_some(), "{level}: {text}");
            assert!(code.is_none_or(|code| text.contains(&format!("emoji-{code}\""))), "{level}: {text}");
            let status = mel.post("/users/me/status", json!({"emoji_name": name})).await;
            match code {
                Some(code) => {
                    status.success();
                    let found = mel.get(&format!("/users/{}/status", mel.id()), json!({})).await.success();
                    assert_eq!(found["status"]["emoji_code"], code, "{level}");
                }
                None => _ = status.error("BAD_REQUEST", &format!("Emoji '{name}' does not exist")),
            }
        }
    }
    // Emoticons follow their emoji.
    for (age, name) in Age::around(&server, 377).await.iter().zip(["smile", "slight_smile"]) {
        let mel = age.user("mel");
        mel.patch("/settings", json!({"translate_emoticons": true})).await.success();
        let rendered = mel.post("/messages/render", json!({"content": ":)"})).await.success();
        assert!(rendered["rendered"].as_str().is_some_and(|text| text.contains(&format!(":{name}:"))), "{rendered}");
    }
}

/// The end of an address as the picture proxy has it.
fn hexadecimal(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn video_thumbnails_were_smaller_before_361() {
    let server = TestServer::start().await;
    for (age, still) in Age::around(&server, 361).await.iter().zip(["/default.jpg", "/mqdefault.jpg"].map(hexadecimal))
    {
        let mel = age.user("mel");
        let link = json!({"content": "https://youtu.be/abcdefghijk"});
        let rendered = mel.post("/messages/render", link).await.success();
        assert!(rendered["rendered"].as_str().is_some_and(|text| text.contains(&still)), "{rendered}");
    }
}
