//! Changing, archiving and bringing back channels.

use crate::support::{Queue, Reply, TestServer, User};
use serde_json::{Value, json};

async fn edit(server: &TestServer, user: &User, channel: &str, params: Value) -> Reply {
    user.patch(&format!("/streams/{}", server.channel(channel)), params).await
}

fn group(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    realm.group_by_name(name).unwrap_or_else(|| panic!("no group is called {name}")).id.0
}

/// Kinds, ops and properties of all events that are there.
async fn kinds(queue: &mut Queue) -> Vec<String> {
    let words = |event: &Value| {
        let word = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", word("type"), word("op"), word("property")).trim().to_owned()
    };
    queue.all().await.iter().map(words).collect()
}

/// A queue of a client that does not know archived channels.
async fn old_client(user: &User) -> Queue {
    let types = ["stream", "subscription", "default_streams"];
    let params = json!({"event_types": types, "fetch_event_types": [], "client_capabilities": {}});
    user.register(params).await
}

#[tokio::test]
async fn a_change_is_sent_to_everybody_who_sees_the_channel() {
    let server = TestServer::start().await;
    let [adam, nora, gus] = server.users(["adam", "nora", "gus"]);
    let mut at_nora = nora.events(["stream"]).await;
    let mut at_gus = gus.events(["stream"]).await;
    let id = server.channel("engineering");

    let params = json!({"description": "We *build*", "new_name": "Engineering", "folder_id": null});
    edit(&server, &adam, "engineering", params).await.is(json!({}));

    at_nora.next().await.is(json!({
        "type": "stream",
        "op": "update",
        "property": "description",
        "value": "We *build*",
        "stream_id": id,
        "name": "engineering",
        "rendered_description": "<p>We <em>build</em></p>",
    }));
    at_nora.next().await.is(json!({
        "type": "stream", "op": "update", "property": "name", "value": "Engineering", "stream_id": id, "name": "engineering",
    }));
    at_nora.next().await.is(json!({
        "type": "stream", "op": "update", "property": "folder_id", "value": null, "stream_id": id, "name": "Engineering",
    }));
    at_nora.none().await;
    at_gus.none().await;
}

#[tokio::test]
async fn an_unchanged_value_is_not_sent() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let mut events = adam.events(["stream", "message", "default_streams"]).await;

    let everyone = group(&server, "role:everyone");
    let params = json!({
        "is_default_stream": true,
        "topics_policy": "inherit",
        "can_send_message_group": {"new": everyone, "old": everyone},
    });
    edit(&server, &adam, "general", params).await.is(json!({}));

    events.none().await;
}

#[tokio::test]
async fn privacy_description_and_retention_are_sent_again() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let mut events = olive.events(["stream", "message", "default_streams"]).await;

    for (params, property) in [
        (json!({"description": "For **everyone**, about everything."}), "description"),
        (json!({"is_private": false}), "invite_only"),
        (json!({"message_retention_days": json!("realm_default").to_string()}), "message_retention_days"),
    ] {
        edit(&server, &olive, "general", params).await.is(json!({}));
        events.next().await.has(json!({"type": "stream", "property": property}));
        events.next().await.has(json!({"type": "message"}));
    }
    edit(&server, &olive, "engineering", json!({"is_default_stream": false})).await.is(json!({}));
    events.next().await.has(json!({"type": "default_streams"}));
    events.none().await;
}

#[tokio::test]
async fn who_publishes_a_published_channel_needs_the_right_to() {
    let server = TestServer::start().await;
    let [olive, adam] = server.users(["olive", "adam"]);
    let published = json!({"is_web_public": true});

    edit(&server, &adam, "town-square", published.clone()).await.error("BAD_REQUEST", "Insufficient permission");
    edit(&server, &olive, "town-square", published).await.is(json!({}));
}

#[tokio::test]
async fn changes_are_noted_in_the_channel_by_the_notification_bot() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let mut at_mel = mel.events(["message"]).await;

    edit(&server, &adam, "engineering", json!({"new_name": "building"})).await.success();

    let event = at_mel.next().await.has(json!({"type": "message"}));
    let message = &event["message"];
    assert_eq!((&message["subject"], &message["display_recipient"]), (&json!("channel events"), &json!("building")));
    let content = format!("@_**Adam Ashby|{}** renamed channel **engineering** to **building**.", adam.id());
    assert_eq!(message["content"], content);
    at_mel.none().await;
}

#[tokio::test]
async fn a_public_channel_made_private_vanishes_for_those_outside() {
    let server = TestServer::start().await;
    let [adam, mel, nora] = server.users(["adam", "mel", "nora"]);
    let mut at_nora = nora.events(["stream", "subscription"]).await;
    let mut at_mel = mel.events(["stream", "subscription"]).await;
    let id = server.channel("engineering");

    let params = json!({"is_private": true, "history_public_to_subscribers": false});
    edit(&server, &adam, "engineering", params).await.is(json!({}));

    at_nora
        .next()
        .await
        .is(json!({"type": "stream", "op": "delete", "streams": [{"stream_id": id}], "stream_ids": [id]}));
    at_nora.none().await;
    at_mel.next().await.is(json!({
        "type": "stream",
        "op": "update",
        "property": "invite_only",
        "value": true,
        "stream_id": id,
        "name": "engineering",
        "history_public_to_subscribers": false,
        "is_web_public": false,
    }));
    at_mel.none().await;
}

#[tokio::test]
async fn a_private_channel_made_public_shows_up_with_its_subscribers() {
    let server = TestServer::start().await;
    let [mona, mel, max, nora, gus] = server.users(["mona", "mel", "max", "nora", "gus"]);
    let mut at_nora = nora.events(["stream", "subscription"]).await;
    let id = server.channel("design");

    edit(&server, &mona, "design", json!({"is_private": false})).await.is(json!({}));

    let created = at_nora.next().await.has(json!({"type": "stream", "op": "create"}));
    assert_eq!(created["streams"][0]["invite_only"], false);
    let mut subscribers = [mona.id(), mel.id(), max.id(), gus.id()];
    subscribers.sort_unstable();
    at_nora
        .next()
        .await
        .is(json!({"type": "subscription", "op": "peer_add", "stream_ids": [id], "user_ids": subscribers}));
    at_nora.none().await;
}

#[tokio::test]
async fn holders_of_a_permission_that_opens_a_private_channel_come_to_see_it() {
    let server = TestServer::start().await;
    let [mona, nora] = server.users(["mona", "nora"]);
    let mut at_nora = nora.events(["stream", "subscription"]).await;
    let nobody = group(&server, "role:nobody");
    let only_nora = json!({"direct_members": [nora.id()], "direct_subgroups": []});

    let given = json!({"can_subscribe_group": {"new": only_nora, "old": nobody}});
    edit(&server, &mona, "design", given).await.is(json!({}));
    let expected = ["stream create", "subscription peer_add"];
    assert_eq!(kinds(&mut at_nora).await, expected);

    let taken = json!({"can_subscribe_group": {"new": nobody}});
    edit(&server, &mona, "design", taken).await.is(json!({}));
    assert_eq!(kinds(&mut at_nora).await, ["stream delete"]);
}

#[tokio::test]
async fn who_may_post_is_sent_in_the_old_words_too() {
    let server = TestServer::start().await;
    let [adam, nora] = server.users(["adam", "nora"]);
    let mut at_nora = nora.events(["stream"]).await;
    let administrators = group(&server, "role:administrators");

    edit(&server, &adam, "general", json!({"can_send_message_group": {"new": administrators}})).await.is(json!({}));

    for (property, value) in [
        ("can_send_message_group", json!(administrators)),
        ("stream_post_policy", json!(2)),
        ("is_announcement_only", json!(true)),
    ] {
        at_nora.next().await.has(json!({"op": "update", "property": property, "value": value}));
    }
    at_nora.none().await;
    let refused =
        nora.post("/messages", json!({"type": "channel", "to": "general", "topic": "t", "content": "c"})).await;
    refused.error("BAD_REQUEST", "You do not have permission to post in this channel.");
}

#[tokio::test]
async fn only_those_who_administer_a_channel_change_it() {
    let server = TestServer::start().await;
    let [mona, mel, nora] = server.users(["mona", "mel", "nora"]);
    let change = || json!({"description": "Mine"});
    let denied = "You do not have permission to administer this channel.";

    edit(&server, &mel, "general", change()).await.error("CANNOT_ADMINISTER_CHANNEL", denied);
    edit(&server, &nora, "design", change()).await.error("BAD_REQUEST", "Invalid channel ID");
    edit(&server, &mona, "design", change()).await.is(json!({}));
}

#[tokio::test]
async fn a_refused_change_changes_nothing() {
    let server = TestServer::start().await;
    let [olive, adam, mona] = server.users(["olive", "adam", "mona"]);
    let mut events = olive.events(["stream", "default_streams", "message"]).await;
    let refused = async |user: &User, channel: &str, params: Value, message: &str| {
        let mut params = params;
        params["description"] = params.get("description").cloned().unwrap_or_else(|| "Changed".into());
        edit(&server, user, channel, params).await.error("BAD_REQUEST", message);
    };

    let long = json!({"description": "x".repeat(1025)});
    refused(&adam, "general", long, "description is too long (limit: 1024 characters)").await;
    refused(&adam, "town-square", json!({"is_private": true}), "Invalid parameters").await;
    refused(&adam, "quiet", json!({"history_public_to_subscribers": false}), "Invalid parameters").await;
    refused(&adam, "general", json!({"is_private": true}), "A default channel cannot be private.").await;
    let moderation = "A moderation request channel cannot be public.";
    refused(&adam, "leadership", json!({"is_private": false}), moderation).await;
    refused(&adam, "design", json!({"is_private": false}), "Channel content access is required.").await;
    refused(&adam, "quiet", json!({"is_web_public": true}), "Insufficient permission").await;
    let others = "To enable this configuration, all messages in this channel must be in the general chat topic. \
                  Consider renaming or deleting other topics.";
    refused(&adam, "general", json!({"topics_policy": "empty_topic_only"}), others).await;
    let defaults = "You do not have permission to change default channels.";
    refused(&mona, "quiet", json!({"is_default_stream": true}), defaults).await;
    refused(&adam, "quiet", json!({"is_archived": false}), "Channel is not currently deactivated").await;
    refused(&adam, "quiet", json!({"new_name": " quiet "}), "Channel already has that name.").await;
    refused(&adam, "quiet", json!({"new_name": ""}), "Channel name can't be empty.").await;
    refused(&adam, "quiet", json!({"folder_id": 99}), "Invalid channel folder ID").await;
    let everyone = json!({"can_subscribe_group": {"new": group(&server, "role:everyone")}});
    let disallowed = "'can_subscribe_group' setting cannot be set to 'role:everyone' group.";
    refused(&adam, "quiet", everyone, disallowed).await;
    let opening = json!({"can_subscribe_group": {"new": group(&server, "role:members")}});
    refused(&adam, "design", opening, "Channel content access is required.").await;
    let taken = edit(&server, &adam, "quiet", json!({"new_name": "General"})).await.with_status(409);
    taken.error("CHANNEL_ALREADY_EXISTS", "Channel 'General' already exists");
    let retention = edit(&server, &adam, "quiet", json!({"message_retention_days": 7})).await;
    retention.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    let stale = json!({"can_subscribe_group": {"new": 1, "old": group(&server, "role:owners")}});
    let stale = edit(&server, &adam, "quiet", stale).await;
    stale.error("EXPECTATION_MISMATCH", "'old' value does not match the expected value.");

    events.none().await;
}

#[tokio::test]
async fn an_archived_channel_stays_for_clients_that_know_such() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let mut at_mel = mel.events(["stream", "default_streams", "message"]).await;
    let mut at_old_client = old_client(&mel).await;
    let id = server.channel("general");
    let path = format!("/streams/{id}");

    adam.delete(&path, json!({})).await.is(json!({}));

    at_mel.next().await.is(json!({"type": "default_streams", "default_streams": []}));
    at_mel.next().await.is(json!({
        "type": "stream", "op": "update", "property": "is_archived", "value": true, "stream_id": id, "name": "general",
    }));
    let notice = at_mel.next().await.has(json!({"type": "message", "flags": ["read"]}));
    assert_eq!(notice["message"]["content"], "Channel general has been archived.");
    at_mel.none().await;
    assert_eq!(kinds(&mut at_old_client).await, ["default_streams", "stream delete"]);
    adam.delete(&path, json!({})).await.error("BAD_REQUEST", "Channel is already deactivated");
}

#[tokio::test]
async fn an_archived_channel_comes_back_as_it_was() {
    let server = TestServer::start().await;
    let [adam, olive, nora] = server.users(["adam", "olive", "nora"]);
    let mut at_olive = olive.events(["stream", "subscription"]).await;
    let mut at_old_subscriber = old_client(&olive).await;
    let mut at_old_peer = old_client(&nora).await;

    edit(&server, &adam, "attic", json!({"is_archived": false})).await.is(json!({}));

    assert_eq!(kinds(&mut at_olive).await, ["stream update is_archived"]);
    assert_eq!(kinds(&mut at_old_subscriber).await, ["stream create", "subscription add"]);
    assert_eq!(kinds(&mut at_old_peer).await, ["stream create", "subscription peer_add"]);
    olive.send_to("attic", "dust", "Swept.").await;
}

#[tokio::test]
async fn only_those_who_administer_a_channel_archive_it() {
    let server = TestServer::start().await;
    let [mel, nora] = server.users(["mel", "nora"]);
    let path = |name: &str| format!("/streams/{}", server.channel(name));
    let denied = "You do not have permission to administer this channel.";

    mel.delete(&path("general"), json!({})).await.error("CANNOT_ADMINISTER_CHANNEL", denied);
    nora.delete(&path("design"), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
    mel.delete("/streams/999", json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn a_channel_that_comes_back_as_a_default_is_sent_as_one() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let mut queue = mel.events(["default_streams"]).await;

    edit(&server, &olive, "attic", json!({"is_archived": false, "is_default_stream": true})).await.success();

    let defaults = mel.post("/register", json!({"fetch_event_types": ["default_streams"]})).await.success();
    let last = queue.all().await.pop().expect("an event");
    assert_eq!(last["default_streams"], defaults["realm_default_streams"]);
    assert!(last["default_streams"].as_array().expect("a list").contains(&json!(server.channel("attic"))));
}

#[tokio::test]
async fn a_private_channel_without_subscribers_does_not_come_back() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    olive.delete(&format!("/streams/{}", server.channel("quiet")), json!({})).await.success();

    let refused = edit(&server, &olive, "quiet", json!({"is_archived": false, "is_private": true})).await;
    refused.error("BAD_REQUEST", "Channel is private and have no subscribers");
}
