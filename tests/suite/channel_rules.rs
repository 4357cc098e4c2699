//! What channels may be like, and what follows when they change.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

const SUBSCRIPTIONS: &str = "/users/me/subscriptions";

fn path(server: &TestServer, channel: &str) -> String {
    format!("/streams/{}", server.channel(channel))
}

async fn channel(server: &TestServer, user: &User, name: &str) -> Value {
    user.get(&path(server, name), json!({})).await.success()["stream"].clone()
}

async fn newest(user: &User) -> Value {
    let newest = user.get("/messages", json!({"anchor": "newest", "num_before": 1})).await.success();
    newest["messages"][0].clone()
}

#[tokio::test]
async fn who_makes_a_channel_private_hides_its_history_unless_they_say_otherwise() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let shows_history = async || channel(&server, &adam, "engineering").await["history_public_to_subscribers"].clone();
    let edit = async |params: Value| adam.patch(&path(&server, "engineering"), params).await.success();

    edit(json!({"is_private": true})).await;
    assert_eq!(shows_history().await, false);
    edit(json!({"history_public_to_subscribers": true})).await;
    assert_eq!(shows_history().await, true);
    // Whoever says it again says the same again.
    edit(json!({"is_private": true})).await;
    assert_eq!(shows_history().await, false);
    edit(json!({"is_private": true, "history_public_to_subscribers": true})).await;
    assert_eq!(shows_history().await, true);
    edit(json!({"is_private": false})).await;
    assert_eq!(shows_history().await, true);
}

#[tokio::test]
async fn only_everyone_begins_topics_where_the_history_is_protected() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let refused = "Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group";
    let members = server.server().world("default").snapshot().group_by_name("role:members").expect("it is there").id.0;
    let new = json!({"new": members});

    let closed = path(&server, "leadership");
    adam.patch(&closed, json!({"can_create_topic_group": new})).await.error("BAD_REQUEST", refused);
    let engineering = path(&server, "engineering");
    let both = json!({"is_private": true, "can_create_topic_group": new});
    adam.patch(&engineering, both).await.error("BAD_REQUEST", refused);
    adam.patch(&engineering, json!({"can_create_topic_group": new})).await.success();
    adam.patch(&engineering, json!({"is_private": true})).await.error("BAD_REQUEST", refused);
    let shared = json!({"is_private": true, "history_public_to_subscribers": true});
    adam.patch(&engineering, shared).await.success();

    let made = json!({"subscriptions": [{"name": "chess"}], "invite_only": true, "can_create_topic_group": members});
    mel.post(SUBSCRIPTIONS, made).await.error("BAD_REQUEST", refused);
    mel.get("/get_stream_id", json!({"stream": "chess"})).await.error("BAD_REQUEST", "Invalid channel name 'chess'");
}

#[tokio::test]
async fn an_archived_channel_serves_the_organization_no_more() {
    let server = TestServer::start().await;
    let [olive, nora] = server.users(["olive", "nora"]);
    let general = server.channel("general");
    let mut at_nora = nora.events(["realm"]).await;
    const PURPOSES: [&str; 2] = ["realm_new_stream_announcements_stream_id", "realm_signup_announcements_stream_id"];
    let purposes = async || {
        let state = nora.register(json!({"fetch_event_types": ["realm"]})).await.state;
        PURPOSES.map(|key| state[key].clone())
    };
    assert_eq!(purposes().await, [general, general]);

    olive.delete(&path(&server, "general"), json!({})).await.success();

    at_nora.next().await.is(json!({
        "type": "realm", "op": "update_dict", "property": "default",
        "data": {"new_stream_announcements_stream_id": -1, "signup_announcements_stream_id": -1},
    }));
    at_nora.none().await;
    assert_eq!(purposes().await, [-1, -1]);
    // It does not take them up again by itself.
    olive.patch(&path(&server, "general"), json!({"is_archived": false})).await.success();
    assert_eq!(purposes().await, [-1, -1]);
}

#[tokio::test]
async fn notices_go_where_a_channel_has_topics() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    olive
        .post(SUBSCRIPTIONS, json!({"subscriptions": [{"name": "chat"}], "topics_policy": "empty_topic_only"}))
        .await
        .success();
    let made = newest(&olive).await;
    assert_eq!((&made["display_recipient"], &made["subject"]), (&json!("chat"), &json!("general chat")));

    olive.patch(&path(&server, "chat"), json!({"new_name": "talk"})).await.success();
    assert_eq!(newest(&olive).await["subject"], "general chat");
    olive.patch(&path(&server, "talk"), json!({"topics_policy": "inherit"})).await.success();
    let changed = newest(&olive).await;
    assert_eq!(changed["subject"], "channel events");
    assert!(changed["content"].as_str().is_some_and(|text| text.contains("changed which topics")), "{changed}");
}

#[tokio::test]
async fn who_makes_a_channel_has_read_what_is_said_of_that() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let [mut at_mel, mut at_max] = [mel.events(["message"]).await, max.events(["message"]).await];

    let chess = json!({"subscriptions": [{"name": "chess"}], "principals": [mel.id(), max.id()], "announce": true});
    mel.post(SUBSCRIPTIONS, chess).await.success();

    for (queue, read_by_maker) in [(&mut at_mel, true), (&mut at_max, false)] {
        let flags: Vec<Value> = queue.all().await.into_iter().map(|event| event["flags"].clone()).collect();
        let expected = if read_by_maker { json!(["read"]) } else { json!([]) };
        assert_eq!(flags, [expected.clone(), expected], "of the announcement and the notice, and no direct message");
    }
}

#[tokio::test]
async fn a_private_channel_that_nobody_could_read_does_not_come_back() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    mel.post(SUBSCRIPTIONS, json!({"subscriptions": [{"name": "chess"}], "invite_only": true})).await.success();
    let chess = path(&server, "chess");
    mel.delete(SUBSCRIPTIONS, json!({"subscriptions": ["chess"]})).await.success();
    mel.delete(&chess, json!({})).await.success();

    let refused = mel.patch(&chess, json!({"is_archived": false})).await;

    refused.error("BAD_REQUEST", "Channel is private and have no subscribers");
}

#[tokio::test]
async fn who_changes_a_channels_privacy_can_read_it() {
    let server = TestServer::start().await;
    let [olive, adam] = server.users(["olive", "adam"]);
    let design = path(&server, "design");

    for is_private in [true, false] {
        let refused = adam.patch(&design, json!({"is_private": is_private})).await;
        refused.error("BAD_REQUEST", "Channel content access is required.");
    }
    // History is what those inside see of it.
    olive.patch(&design, json!({"history_public_to_subscribers": false})).await.success();
    assert_eq!(channel(&server, &adam, "design").await["history_public_to_subscribers"], false);
}

#[tokio::test]
async fn who_may_not_say_who_deletes_may_say_that_nobody_does() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let nobody = server.server().world("default").snapshot().group_by_name("role:nobody").expect("it is there").id.0;
    let made = async |name: &str, group: i64| {
        let params = json!({"subscriptions": [{"name": name}], "can_delete_own_message_group": group});
        mel.post(SUBSCRIPTIONS, params).await
    };

    made("chess", nobody).await.success();
    made("go", 3).await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn what_cannot_be_read_is_not_found_by_name() {
    let server = TestServer::start().await;
    let adam = server.user("adam");

    // An administrator sees its settings all the same.
    adam.get(&path(&server, "design"), json!({})).await.success();
    let refused = adam.get("/get_stream_id", json!({"stream": "design"})).await;
    refused.error("BAD_REQUEST", "Invalid channel name 'design'");
}

#[tokio::test]
async fn subscriptions_of_archived_channels_stay_as_they_are() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let muted = json!([{"stream_id": server.channel("attic"), "property": "is_muted", "value": true}]);

    let refused = olive.post("/users/me/subscriptions/properties", json!({"subscription_data": muted})).await;

    refused.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn no_event_reveals_where_a_deactivated_user_belongs() {
    let server = TestServer::start().await;
    let [mel, dana] = server.users(["mel", "dana"]);
    let group = server.server().world("default").snapshot().group_by_name("engineers").expect("it is there").id.0;
    let paths = [
        format!("/users/{}/subscriptions/{}", dana.id(), server.channel("general")),
        format!("/user_groups/{group}/members/{}", dana.id()),
    ];

    for path in paths {
        mel.get(&path, json!({})).await.error("BAD_REQUEST", "User is deactivated");
    }
}

#[tokio::test]
async fn names_of_channels_have_characters_alone() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    for character in ['\u{fdd0}', '\u{fffe}', '\u{1ffff}'] {
        let refused = mel.post(SUBSCRIPTIONS, json!({"subscriptions": [{"name": format!("new{character}")}]})).await;
        refused.error("BAD_REQUEST", "Invalid character in channel name, at position 4.");
    }

    let long = json!({"subscriptions": [{"name": "chess", "description": "x".repeat(1025)}]});
    let refused = mel.post(SUBSCRIPTIONS, long).await;
    refused.error("BAD_REQUEST", "subscriptions[0][\"description\"] is too long (limit: 1024 characters)");
}

#[tokio::test]
async fn topics_of_no_channel_cannot_be_unmuted() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let unmute = async |place: Value| {
        let mut params = json!({"op": "remove", "topic": "lunch"});
        params.as_object_mut().expect("an object").extend(place.as_object().cloned().unwrap_or_default());
        mel.patch("/users/me/subscriptions/muted_topics", params).await
    };

    for place in [json!({"stream": "nowhere"}), json!({"stream_id": 999})] {
        unmute(place).await.error("BAD_REQUEST", "Topic is not muted");
    }
    // A real server looks neither at who may see the channel nor at what was muted.
    for place in [json!({"stream": "leadership"}), json!({"stream_id": server.channel("attic")})] {
        unmute(place).await.is(json!({}));
    }
}

#[tokio::test]
async fn a_group_of_default_channels_has_a_name_that_people_can_read() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let make = async |name: &str| {
        let params = json!({"group_name": name, "description": "", "stream_names": []});
        adam.post("/default_stream_groups/create", params).await
    };

    make(" ").await.error("BAD_REQUEST", "Invalid default channel group name ' '");
    let limit = "Default channel group name too long (limit: 60 characters)";
    make(&"x".repeat(61)).await.error("BAD_REQUEST", limit);
    let null = "Default channel group name 'a\0b' contains NULL (0x00) characters.";
    make("a\0b").await.error("BAD_REQUEST", null);
}
