//! Subscribing oneself and others, to channels that exist and to new ones.

use super::{PATH, own, subscribed};
use crate::levels::Age;
use crate::support::{Queue, TestServer, User};
use serde_json::{Value, json};

async fn subscribe(user: &User, names: &[&str], more: Value) -> crate::support::Reply {
    let list: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let mut params = json!({ "subscriptions": list });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    user.post(PATH, params).await
}

/// The kinds and ops of all events that are there.
async fn kinds(queue: &mut Queue) -> Vec<String> {
    let word = |event: &Value, key: &str| event[key].as_str().unwrap_or_default().to_owned();
    let events = queue.all().await;
    events.iter().map(|event| format!("{} {}", word(event, "type"), word(event, "op")).trim().to_owned()).collect()
}

#[tokio::test]
async fn subscribing_is_sent_to_oneself_and_to_those_who_see_the_subscribers() {
    let server = TestServer::start().await;
    let [mel, max, gus] = server.users(["mel", "max", "gus"]);
    let mut at_mel = mel.events(["stream", "subscription", "message"]).await;
    let mut at_max = max.events(["stream", "subscription", "message"]).await;
    let mut at_gus = gus.events(["stream", "subscription", "message"]).await;
    let id = server.channel("quiet");

    let reply = subscribe(&mel, &["QUIET"], json!({})).await;

    reply.is(json!({
        "subscribed": {mel.id().to_string(): ["quiet"]},
        "already_subscribed": {},
        "new_subscription_messages_sent": true,
    }));
    let added = at_mel.next().await.has(json!({"type": "subscription", "op": "add"}));
    let record = &added["subscriptions"][0];
    assert_eq!((&record["stream_id"], &record["subscribers"]), (&json!(id), &json!([mel.id()])));
    assert_eq!(record["desktop_notifications"], Value::Null);
    at_mel.none().await;
    let peer = json!({"type": "subscription", "op": "peer_add", "stream_ids": [id], "user_ids": [mel.id()]});
    at_max.next().await.is(peer);
    at_max.none().await;
    at_gus.none().await;
}

#[tokio::test]
async fn subscribing_again_changes_nothing() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["subscription", "message"]).await;

    let again = json!({"subscriptions": [{"name": "general", "color": "#ffffff"}]});
    mel.post(PATH, again).await.is(json!({
        "subscribed": {},
        "already_subscribed": {mel.id().to_string(): ["general"]},
        "new_subscription_messages_sent": true,
    }));

    events.none().await;
    assert_eq!(own(&mel, "general").await["color"], "#76ce90");
}

#[tokio::test]
async fn settings_of_an_earlier_subscription_come_back_but_for_a_new_color() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.delete(PATH, json!({"subscriptions": ["general"]})).await.success();

    let params = json!({"subscriptions": [{"name": "general", "color": "#ABC"}]});
    mel.post(PATH, params).await.success();

    let general = own(&mel, "general").await;
    assert_eq!((&general["color"], &general["pin_to_top"]), (&json!("#ABC"), &json!(true)));
}

#[tokio::test]
async fn a_new_channel_shows_up_before_its_subscriber_and_its_first_message() {
    let server = TestServer::start().await;
    let [mel, nora, gus] = server.users(["mel", "nora", "gus"]);
    let types = ["stream", "subscription", "default_streams", "message"];
    let mut at_mel = mel.events(types).await;
    let mut at_nora = nora.events(types).await;
    let mut at_gus = gus.events(types).await;

    subscribe(&mel, &["chess"], json!({})).await.success();

    let created = at_mel.next().await.has(json!({"type": "stream", "op": "create"}));
    assert_eq!(created["streams"][0]["name"], "chess");
    at_mel.next().await.has(json!({"type": "subscription", "op": "add"}));
    let first = at_mel.next().await.has(json!({"type": "message"}));
    let message = &first["message"];
    let who = format!("@_**Mel Marsh|{}**", mel.id());
    assert_eq!(message["subject"], "channel events");
    assert_eq!(message["sender_full_name"], "Notification Bot");
    assert_eq!(
        message["content"],
        format!("**Public** channel created by {who}. **Description:**\n```` quote\n*No description.*\n````")
    );
    at_mel.none().await;
    assert_eq!(kinds(&mut at_nora).await, ["stream create", "subscription peer_add"]);
    at_gus.none().await;
}

#[tokio::test]
async fn a_new_private_channel_shows_up_for_its_people_and_administrators() {
    let server = TestServer::start().await;
    let [adam, mel, max, nora] = server.users(["adam", "mel", "max", "nora"]);
    let types = ["stream", "subscription"];
    let mut at_adam = adam.events(types).await;
    let mut at_mel = mel.events(types).await;
    let mut at_max = max.events(types).await;
    let mut at_nora = nora.events(types).await;

    let more = json!({"invite_only": true, "principals": [mel.id(), max.id()]});
    subscribe(&mel, &["vault"], more).await.success();

    assert_eq!(kinds(&mut at_mel).await, ["stream create", "subscription add"]);
    assert_eq!(kinds(&mut at_max).await, ["stream create", "subscription add"]);
    assert_eq!(kinds(&mut at_adam).await, ["stream create", "subscription peer_add"]);
    at_nora.none().await;
    let vault = own(&mel, "vault").await;
    assert_eq!((&vault["invite_only"], &vault["history_public_to_subscribers"]), (&json!(true), &json!(false)));
}

#[tokio::test]
async fn a_new_channel_is_as_the_request_wants_it() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let mut events = olive.events(["default_streams"]).await;
    let realm = server.server().world("default").snapshot();
    let moderators = realm.group_by_name("role:moderators").expect("a system group").id.0;
    let folder = *realm.folders.keys().next().expect("a folder");

    let more = json!({
        "is_web_public": true,
        "is_default_stream": true,
        "folder_id": folder,
        "message_retention_days": 30,
        "topics_policy": "empty_topic_only",
        "can_send_message_group": {"direct_members": [], "direct_subgroups": [moderators]},
        "can_subscribe_group": {"direct_members": [olive.id()], "direct_subgroups": [moderators]},
    });
    subscribe(&olive, &["news"], more).await.success();

    let news = own(&olive, "news").await;
    for (key, value) in [
        ("is_web_public", json!(true)),
        ("history_public_to_subscribers", json!(true)),
        ("folder_id", json!(folder)),
        ("message_retention_days", json!(30)),
        ("topics_policy", json!("empty_topic_only")),
        ("can_send_message_group", json!(moderators)),
        ("stream_post_policy", json!(4)),
        ("can_subscribe_group", json!({"direct_members": [olive.id()], "direct_subgroups": [moderators]})),
    ] {
        assert_eq!(news[key], value, "{key}");
    }
    let defaults = json!([server.channel("general"), server.channel("news")]);
    events.next().await.is(json!({"type": "default_streams", "default_streams": defaults}));
    events.none().await;
}

#[tokio::test]
async fn new_channels_are_announced_when_asked_for_private_ones_too() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut at_max = max.events(["message"]).await;

    subscribe(&mel, &["chess"], json!({"announce": true})).await.success();
    subscribe(&mel, &["vault"], json!({"announce": true, "invite_only": true})).await.success();

    let announced = at_max.next().await.has(json!({"type": "message"}));
    let message = &announced["message"];
    assert_eq!((&message["display_recipient"], &message["subject"]), (&json!("general"), &json!("new channels")));
    assert_eq!(message["content"], format!("@_**Mel Marsh|{}** created a new channel #**chess**.", mel.id()));
    let announced = at_max.next().await.has(json!({"type": "message"}));
    let content = format!("@_**Mel Marsh|{}** created a new channel #**vault**.", mel.id());
    assert_eq!(announced["message"]["content"], content);
    at_max.none().await;
}

#[tokio::test]
async fn people_subscribed_by_others_are_notified_and_bots_are_not() {
    let server = TestServer::start().await;
    let [mel, max, nora, bot] = server.users(["mel", "max", "nora", "build-bot"]);
    let mut at_max = max.events(["message"]).await;
    let mut at_nora = nora.events(["message"]).await;
    let mut at_bot = bot.events(["message"]).await;

    let more = json!({"principals": [max.email(), bot.email()]});
    let reply = subscribe(&mel, &["quiet", "town-square"], more).await.success();
    let quietly = json!({"principals": [nora.id()], "send_new_subscription_messages": false});
    let silent = subscribe(&mel, &["quiet"], quietly).await;

    assert_eq!(reply["subscribed"][max.id().to_string()], json!(["quiet", "town-square"]));
    assert_eq!(reply["new_subscription_messages_sent"], true);
    silent.is(json!({"subscribed": {nora.id().to_string(): ["quiet"]}, "already_subscribed": {}}));
    let received = at_max.next().await.has(json!({"type": "message"}));
    let message = &received["message"];
    let who = format!("@_**Mel Marsh|{}**", mel.id());
    let links = "* #**quiet**\n* #**town-square**";
    assert_eq!(message["type"], "private");
    assert_eq!(message["content"], format!("{who} subscribed you to the following channels:\n\n{links}"));
    at_max.none().await;
    at_nora.none().await;
    at_bot.none().await;
}

#[tokio::test]
async fn several_people_and_channels_are_one_event_for_their_peers() {
    let server = TestServer::start().await;
    let [olive, mel, max, nora] = server.users(["olive", "mel", "max", "nora"]);
    let mut at_olive = olive.events(["subscription"]).await;

    subscribe(&mel, &["chess", "go"], json!({"principals": [max.id(), nora.id()]})).await.success();

    at_olive.next().await.is(json!({
        "type": "subscription",
        "op": "peer_add",
        "stream_ids": [server.channel("chess"), server.channel("go")],
        "user_ids": [max.id(), nora.id()],
    }));
    at_olive.none().await;
}

#[tokio::test]
async fn a_private_channel_is_joined_only_through_somebody_inside() {
    let server = TestServer::start().await;
    let [adam, mel, nora] = server.users(["adam", "mel", "nora"]);
    let mut at_nora = nora.events(["stream", "subscription"]).await;

    for outsider in [&adam, &nora] {
        let reply = subscribe(outsider, &["design"], json!({})).await;
        reply.error("BAD_REQUEST", "Unable to access channel (design).");
    }
    at_nora.none().await;

    subscribe(&mel, &["design"], json!({"principals": [nora.id()]})).await.success();
    assert_eq!(kinds(&mut at_nora).await, ["stream create", "subscription add"]);
}

#[tokio::test]
async fn unauthorized_channels_are_listed_when_that_is_not_fatal() {
    let server = TestServer::start().await;
    let nora = server.user("nora");

    let reply = subscribe(&nora, &["design", "quiet"], json!({"authorization_errors_fatal": false})).await;

    reply.is(json!({
        "subscribed": {nora.id().to_string(): ["quiet"]},
        "already_subscribed": {},
        "unauthorized": ["design"],
        "new_subscription_messages_sent": true,
    }));
}

#[tokio::test]
async fn guests_leave_channels_and_are_subscribed_by_others_alone() {
    let server = TestServer::start().await;
    let [mel, gus] = server.users(["mel", "gus"]);
    gus.delete(PATH, json!({"subscriptions": ["town-square"]})).await.success();

    let refused = "Not allowed for guest users";
    subscribe(&gus, &["town-square"], json!({})).await.error("BAD_REQUEST", refused);
    let former = Age::at(&server, 511).await.user("gus");
    for change in [json!({"add": [{"name": "town-square"}]}), json!({"delete": ["general"]})] {
        former.patch(PATH, change).await.error("BAD_REQUEST", refused);
    }
    assert!(subscribed(&gus).await.contains(&"general".to_owned()));

    subscribe(&mel, &["town-square"], json!({"principals": [gus.id()]})).await.success();
    assert!(subscribed(&gus).await.contains(&"town-square".to_owned()));
}

#[tokio::test]
async fn an_archived_channel_can_be_subscribed_to() {
    let server = TestServer::start().await;
    let max = server.user("max");

    let reply = subscribe(&max, &["attic"], json!({})).await.success();

    assert_eq!(reply["subscribed"], json!({max.id().to_string(): ["attic"]}));
    assert!(!subscribed(&max).await.contains(&"attic".to_owned()));
}

#[tokio::test]
async fn a_refused_request_makes_and_changes_nothing() {
    let server = TestServer::start().await;
    let [mel, dana] = server.users(["mel", "dana"]);
    let mut events = mel.events(["stream", "subscription"]).await;
    let refused = async |name: &str, more: Value, message: &str| {
        subscribe(&mel, &["chess", name], more).await.error("BAD_REQUEST", message);
    };

    refused("go", json!({"folder_id": 99}), "Invalid channel folder ID").await;
    refused(" ", json!({}), "Channel name can't be empty.").await;
    refused(&"x".repeat(61), json!({}), "Channel name too long (limit: 60 characters).").await;
    refused("a\u{1}", json!({}), "Invalid character in channel name, at position 2.").await;
    refused("go", json!({"can_subscribe_group": 999}), "Invalid user group").await;
    let never = subscribe(&mel, &["chess", "go"], json!({"message_retention_days": "\"never\""})).await;
    never.error("REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': never");
    refused("go", json!({"is_default_stream": true}), "Insufficient permission").await;
    refused("go", json!({"is_web_public": true}), "Insufficient permission").await;
    refused("leadership", json!({}), "Unable to access channel (leadership).").await;
    refused("go", json!({"principals": [999]}), "No such user").await;
    refused("go", json!({"principals": ["nobody@example.com"]}), "No such user").await;
    refused("go", json!({"principals": [dana.id()]}), "User is deactivated").await;
    refused("go", json!({"principals": [mel.id(), "max"]}), "principals[1] is not an integer").await;
    let retention = subscribe(&mel, &["chess"], json!({"message_retention_days": 30})).await;
    retention.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");

    events.none().await;
    mel.get("/get_stream_id", json!({"stream": "chess"})).await.error("BAD_REQUEST", "Invalid channel name 'chess'");
}

#[tokio::test]
async fn malformed_subscriptions_name_their_place() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let refused = async |list: Value, message: &str| {
        mel.post(PATH, json!({"subscriptions": list})).await.error("BAD_REQUEST", message);
    };

    refused(json!({}), "subscriptions is not a list").await;
    refused(json!(["chess"]), "subscriptions[0] is not a dict").await;
    refused(json!([{"name": 7}]), "subscriptions[0][\"name\"] is not a string").await;
    refused(json!([{}]), "subscriptions[0][\"name\"] field is missing: Field required").await;
    let color = "Invalid subscriptions[0]: Value error, add.color is not a valid hex color code";
    refused(json!([{"name": "chess", "color": "blue"}]), color).await;
    mel.post(PATH, json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'subscriptions' argument");
}

#[tokio::test]
async fn the_default_channels_of_a_private_kind_are_refused() {
    let server = TestServer::start().await;
    let olive = server.user("olive");

    let reply = subscribe(&olive, &["vault"], json!({"invite_only": true, "is_default_stream": true})).await;

    reply.error("BAD_REQUEST", "A default channel cannot be private.");
}

#[tokio::test]
async fn one_request_adds_and_then_deletes() {
    let server = TestServer::start().await;
    let mel = Age::at(&server, 511).await.user("mel");

    mel.patch(PATH, json!({}))
        .await
        .error("BAD_REQUEST", "Nothing to do. Specify at least one of \"add\" or \"delete\".");
    let params = json!({"add": [{"name": "quiet"}, {"name": "general"}], "delete": ["design", "quiet", "leadership"]});
    mel.patch(PATH, params).await.is(json!({
        "subscribed": {mel.id().to_string(): ["quiet"]},
        "already_subscribed": {mel.id().to_string(): ["general"]},
        "new_subscription_messages_sent": true,
        "removed": ["design", "quiet"],
        "not_removed": ["leadership"],
    }));
    let unknown = mel.patch(PATH, json!({"add": [{"name": "chess"}], "delete": ["nowhere"]})).await;
    unknown.error("STREAM_DOES_NOT_EXIST", "Channel 'nowhere' does not exist");
    mel.get("/get_stream_id", json!({"stream": "chess"})).await.error("BAD_REQUEST", "Invalid channel name 'chess'");
}

#[tokio::test]
async fn channels_that_one_comes_back_to_follow_the_new_ones() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    olive.post(PATH, json!({"subscriptions": [{"name": "alpha"}]})).await.success();
    olive.delete(PATH, json!({"subscriptions": ["alpha"]})).await.success();
    let mut queue = olive.events(["subscription"]).await;

    let reply = olive.post(PATH, json!({"subscriptions": [{"name": "alpha"}, {"name": "beta"}]})).await.success();

    assert_eq!(reply["subscribed"][olive.id().to_string()], json!(["beta", "alpha"]));
    let event = queue.next().await.has(json!({"op": "add"}));
    assert_eq!(
        (&event["subscriptions"][0]["name"], &event["subscriptions"][1]["name"]),
        (&json!("beta"), &json!("alpha"))
    );
}

#[tokio::test]
async fn channels_that_a_guest_comes_to_see_are_sent_one_by_one() {
    let server = TestServer::start().await;
    let [olive, gus] = server.users(["olive", "gus"]);
    let mut queue = gus.events(["stream"]).await;

    let more = json!({"principals": [gus.id()]});
    subscribe(&olive, &["quiet", "announcements"], more).await.success();

    let created = queue.all().await;
    let names: Vec<Vec<&Value>> = created.iter().map(|event| names(&event["streams"])).collect();
    assert_eq!(names.concat().len(), 2, "{created:?}");
    assert!(names.iter().all(|one| one.len() == 1), "{created:?}");
}

fn names(channels: &Value) -> Vec<&Value> {
    channels.as_array().into_iter().flatten().map(|channel| &channel["name"]).collect()
}
