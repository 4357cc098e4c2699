//! Channels and groups, the flags and reactions of messages.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// What a channel's object says of its history.
async fn shows_history(user: &User, channel: i64) -> Value {
    let channels = user.get("/streams", json!({})).await.success()["streams"].take();
    let mut channels = channels.as_array().expect("a list").iter();
    channels.find(|one| one["stream_id"] == channel).expect("it is there")["history_public_to_subscribers"].clone()
}

#[tokio::test]
async fn history_changed_only_with_privacy_before_136() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 136).await;
    let leadership = server.channel("leadership");
    let path = format!("/streams/{leadership}");
    let was = shows_history(&server.user("olive"), leadership).await;
    let other = json!(was == json!(false));

    let (old, new) = (before.user("olive"), after.user("olive"));
    old.patch(&path, json!({"history_public_to_subscribers": other})).await.success();
    assert_eq!(shows_history(&old, leadership).await, was);
    old.patch(&path, json!({"history_public_to_subscribers": other, "is_private": true})).await.success();
    assert_eq!(shows_history(&old, leadership).await, other);
    new.patch(&path, json!({"history_public_to_subscribers": other})).await.success();
    assert_eq!(shows_history(&new, leadership).await, other);

    let open = json!({"history_public_to_subscribers": false, "is_private": false});
    let quiet = format!("/streams/{}", server.channel("quiet"));
    old.patch(&quiet, open.clone()).await.success();
    assert_eq!(shows_history(&old, server.channel("quiet")).await, true);
    new.patch(&quiet, open).await.error("BAD_REQUEST", "Invalid parameters");
}

#[tokio::test]
async fn purposes_of_an_archived_channel_were_sent_one_by_one_before_331() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 331).await;
    let general = format!("/streams/{}", server.channel("general"));
    let received = async |age: &Age<'_>| {
        let mut events = age.user("nora").events(["realm"]).await;
        age.user("olive").delete(&general, json!({})).await.success();
        let received = events.all().await;
        received.into_iter().map(|event| (event["op"].clone(), event["property"].clone())).collect::<Vec<_>>()
    };

    let apart = ["new_stream_announcements_stream_id", "signup_announcements_stream_id"];
    assert_eq!(received(&before).await, apart.map(|name| (json!("update"), json!(name))));
    assert_eq!(received(&after).await, [(json!("update_dict"), json!("default"))]);
}

#[tokio::test]
async fn flags_were_sent_of_unchanged_messages_before_155() {
    let server = TestServer::start().await;
    for (level, both) in [(154, true), (155, false)] {
        let mel = Age::at(&server, level).await.user("mel");
        let [one, two] = [send_old(&mel, "general", "t", "1").await, send_old(&mel, "general", "t", "2").await];
        mel.post("/messages/flags", json!({"messages": [one], "op": "add", "flag": "starred"})).await.success();
        let mut queue = mel.events(["update_message_flags"]).await;
        for (flag, op, changed) in [
            ("starred", "add", json!([two])),
            ("starred", "add", json!([])),
            ("starred", "remove", json!([one, two])),
            ("starred", "remove", json!([])),
            ("collapsed", "add", json!([one, two])),
            ("read", "add", json!([one, two])),
            ("read", "add", json!([])),
            ("read", "remove", json!([one, two])),
            ("read", "remove", json!([])),
        ] {
            mel.post("/messages/flags", json!({"messages": [two, one], "op": op, "flag": flag})).await.success();
            let received = if both { json!([one, two]) } else { changed };
            queue.next().await.has(json!({"op": op, "flag": flag, "messages": received}));
        }
        mel.post("/messages/flags", json!({"messages": [99_999], "op": "add", "flag": "read"})).await.success();
        queue.next().await.has(json!({"messages": []}));
    }
}

#[tokio::test]
async fn reactions_needed_their_type_before_2() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 2).await;
    let path = format!("/messages/{}/reactions", server.message("Pasta it is."));

    let reply = before.user("mel").post(&path, json!({"emoji_name": "tada"})).await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'reaction_type' argument");
    let typed = json!({"emoji_name": "tada", "reaction_type": "unicode_emoji"});
    before.user("mel").post(&path, typed).await.success();
    after.user("mel").post(&path, json!({"emoji_name": "tada"})).await.success();
}

#[tokio::test]
async fn topics_were_not_muted_twice_before_169() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 169).await;
    let mute = json!({"stream": "general", "topic": "t", "op": "add"});
    for age in [&before, &after] {
        age.user("mel").patch("/users/me/subscriptions/muted_topics", mute.clone()).await.success();
    }

    let reply = before.user("mel").patch("/users/me/subscriptions/muted_topics", mute.clone()).await;
    reply.error("BAD_REQUEST", "Topic already muted");
    after.user("mel").patch("/users/me/subscriptions/muted_topics", mute).await.success();
}

#[tokio::test]
async fn subscriptions_had_addresses_before_226() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 226).await;
    let general = json!(server.channel("general"));
    let address = |list: &Value| {
        let mut channels = list.as_array().expect("a list").iter();
        channels.find(|one| one["stream_id"] == general).expect("it is there").get("email_address").cloned()
    };
    let (mel, max) = (before.user("mel"), before.user("max"));
    let mut queue = mel.events(["subscription"]).await;

    let listed = address(&mel.get("/users/me/subscriptions", json!({})).await.success()["subscriptions"]);
    let text = listed.as_ref().and_then(Value::as_str).expect("an address");
    assert!(text.len() > 32 && text.ends_with("@chat.test"), "{text}");
    for user in [&mel, &max] {
        assert_eq!(address(&user.register(json!({})).await.state["subscriptions"]), listed);
    }
    mel.delete("/users/me/subscriptions", json!({"subscriptions": ["general"]})).await.success();
    assert_eq!(address(&mel.register(json!({})).await.state["unsubscribed"]), listed);
    mel.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "general"}]})).await.success();
    queue.next().await.has(json!({"op": "remove"}));
    assert_eq!(address(&queue.next().await.has(json!({"op": "add"}))["subscriptions"]), listed);
    assert_eq!(address(&after.user("mel").register(json!({})).await.state["subscriptions"]), None);
}

#[tokio::test]
async fn groups_listed_deactivated_members_before_303() {
    let server = TestServer::start().await;
    let max = server.user("max").id();
    let group = |list: &Value, name: &str| {
        let mut groups = list.as_array().expect("a list").iter();
        groups.find(|group| group["name"] == name).expect("it is there").clone()
    };
    for (level, keeps) in [(302, true), (303, false)] {
        let age = Age::at(&server, level).await;
        let olive = age.user("olive");
        let mut queue = olive.events(["user_group"]).await;
        olive.delete(&format!("/users/{max}"), json!({})).await.success();

        let groups = olive.get("/user_groups", json!({})).await.success()["user_groups"].take();
        let lists = |group: &Value| group["members"].as_array().expect("a list").contains(&json!(max));
        let engineers = group(&groups, "engineers");
        assert_eq!(lists(&engineers), keeps, "at {level}");
        assert_eq!(lists(&group(&groups, "role:members")), keeps, "at {level}");
        for direct in [true, false] {
            let path = format!("/user_groups/{}/members", engineers["id"]);
            let reply = olive.get(&path, json!({"direct_member_only": direct})).await.success();
            assert_eq!(lists(&reply), keeps, "at {level}");
        }
        olive.post(&format!("/users/{max}/reactivate"), json!({})).await.success();
        let back: Vec<Value> = queue.all().await.into_iter().map(|mut event| event["group_id"].take()).collect();
        assert_eq!(back.contains(&engineers["id"]), !keeps, "at {level}");
        assert_eq!(back.contains(&group(&groups, "role:members")["id"]), !keeps, "at {level}");
    }
}

#[tokio::test]
async fn a_group_lists_the_members_of_when_it_was_made_before_303() {
    let server = TestServer::start().await;
    let [max, nora] = server.users(["max", "nora"]).map(|user| user.id());
    let olive = Age::at(&server, 302).await.user("olive");
    let mut queue = olive.events(["user_group"]).await;
    olive.delete(&format!("/users/{max}"), json!({})).await.success();
    let group = json!({"name": "night shift", "description": "", "members": [max, nora]});
    olive.post("/user_groups/create", group).await.success();

    olive.post(&format!("/users/{max}/reactivate"), json!({})).await.success();

    let events = queue.all().await;
    let added = events.iter().find(|event| event["op"] == "add").expect("the group is made");
    let mut members = vec![max, nora];
    members.sort_unstable();
    assert_eq!(added["group"]["members"], json!(members));
}

#[tokio::test]
async fn scheduled_messages_were_changed_by_scheduling_before_184() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    let message = |content: &str, more: Value| {
        let mut params = json!({"type": "stream", "to": general, "topic": "t", "content": content});
        params["scheduled_delivery_timestamp"] = 4_000_000_000_i64.into();
        params.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        params
    };
    for (level, contents) in [(183, ["new"].as_slice()), (184, &["old", "new"])] {
        let nora = Age::at(&server, level).await.user("nora");
        let send = async |params: Value| nora.post("/scheduled_messages", params).await;
        let id = send(message("old", json!({}))).await.success()["scheduled_message_id"].clone();
        let reply = send(message("new", json!({"scheduled_message_id": id}))).await.success();
        assert_eq!(reply["scheduled_message_id"] == id, level == 183);
        assert_eq!(reply.get("ignored_parameters_unsupported").is_some(), level == 184);
        let listed = nora.get("/scheduled_messages", json!({})).await.success();
        let listed = listed["scheduled_messages"].as_array().expect("a list").iter();
        let own: Vec<&str> =
            listed.filter(|one| one["to"] == general).filter_map(|one| one["content"].as_str()).collect();
        assert_eq!(own, contents, "at {level}");
        if level == 183 {
            let unknown = send(message("new", json!({"scheduled_message_id": 999}))).await.with_status(404);
            unknown.error("BAD_REQUEST", "Scheduled message does not exist");
            let wrong = send(message("new", json!({"scheduled_message_id": "x"}))).await;
            wrong.error("BAD_REQUEST", "Argument \"scheduled_message_id\" is not valid JSON.");
        }
    }
}

#[tokio::test]
async fn archived_channels_could_not_be_changed_before_362() {
    let server = TestServer::start().await;
    let (olive, quiet) = (server.user("olive"), server.channel("quiet"));
    olive.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "quiet"}]})).await.success();
    olive.delete(&format!("/streams/{quiet}"), json!({})).await.success();
    let [before, after] = Age::around(&server, 362).await;
    let (old, new) = (before.user("olive"), after.user("olive"));
    let (join, path) = (json!({"subscriptions": [{"name": "quiet"}]}), format!("/streams/{quiet}"));

    old.post("/users/me/subscriptions", join.clone()).await.error("BAD_REQUEST", "Unable to access channel (quiet).");
    let leave = json!({"subscriptions": ["quiet"]});
    let reply = old.delete("/users/me/subscriptions", leave.clone()).await;
    reply.error("BAD_REQUEST", "Channel(s) (quiet) do not exist");
    old.patch(&path, json!({"is_private": true})).await.error("BAD_REQUEST", "Invalid channel ID");
    old.patch(&path, json!({"description": "It was quiet."})).await.success();

    new.delete("/users/me/subscriptions", leave).await.success();
    new.post("/users/me/subscriptions", join).await.success();
    new.patch(&path, json!({"is_private": true})).await.success();
}

#[tokio::test]
async fn channel_addresses_were_for_readers_before_448() {
    let server = TestServer::start().await;
    let (olive, mel) = (server.user("olive"), server.user("mel"));
    let path = format!("/streams/{}", server.channel("general"));
    let alone = json!({"can_send_message_group": {"new": {"direct_members": [olive.id()], "direct_subgroups": []}}});
    olive.patch(&path, alone).await.success();
    let [before, after] = Age::around(&server, 448).await;
    let address = format!("{path}/email_address");

    for sender in [json!({}), json!({"sender_id": mel.id()}), json!({"sender_id": server.user("build-bot").id()})] {
        before.user("mel").get(&address, sender.clone()).await.success();
        let refused = after.user("mel").get(&address, sender).await;
        refused.error("BAD_REQUEST", "You do not have permission to post in this channel.");
    }
    after.user("olive").get(&address, json!({})).await.success();
}

#[tokio::test]
async fn only_administrators_listed_all_channels_before_356() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 356).await;

    for name in ["include_all_active", "include_all"] {
        let all = json!({name: true});
        if name == "include_all_active" {
            let refused = before.user("mel").get("/streams", all.clone()).await;
            refused.error("BAD_REQUEST", "User not authorized for this query");
            before.user("olive").get("/streams", all.clone()).await.success();
        }
        after.user("mel").get("/streams", all).await.success();
    }
    before.user("mel").get("/streams", json!({"include_all_active": false})).await.success();
}

#[tokio::test]
async fn options_of_webhook_bots_were_an_object_before_318() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 318).await;
    let bot = async |age: &Age| {
        let state = age.user("mel").register(json!({"fetch_event_types": ["realm_incoming_webhook_bots"]})).await.state;
        state["realm_incoming_webhook_bots"][0].clone()
    };

    let old = bot(&before).await;
    assert_eq!(old["config"], json!({"greeting": "check_string"}), "{old}");
    let new = bot(&after).await;
    assert_eq!((&new["config"], new["config_options"].is_array()), (&Value::Null, true), "{new}");
}
