//! Subscriptions: coming, leaving, and what is one's own in between.

mod subscribe;
mod unsubscribe;

use crate::support::{TestServer, User};
use serde_json::{Value, json};

const PATH: &str = "/users/me/subscriptions";

/// The names of a user's subscriptions.
async fn subscribed(user: &User) -> Vec<String> {
    let reply = user.get(PATH, json!({})).await.success();
    let subscriptions = reply["subscriptions"].as_array().expect("a list").clone();
    subscriptions.iter().map(|one| one["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// A user's own record of a channel.
async fn own(user: &User, name: &str) -> Value {
    let reply = user.get(PATH, json!({})).await.success();
    let subscriptions = reply["subscriptions"].as_array().expect("a list").clone();
    subscriptions.into_iter().find(|one| one["name"] == name).unwrap_or_default()
}

#[tokio::test]
async fn own_subscriptions_come_by_name_without_archived_channels() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    assert_eq!(subscribed(&mel).await, ["announcements", "design", "engineering", "general", "town-square"]);

    let general = own(&mel, "general").await;
    assert_eq!((&general["color"], &general["pin_to_top"]), (&json!("#76ce90"), &json!(true)));
    assert_eq!((&general["is_muted"], &general["in_home_view"]), (&json!(false), &json!(true)));
    assert_eq!(general["desktop_notifications"], Value::Null);
    assert_eq!(general.get("subscribers"), None);
    assert_eq!(general.get("partial_subscribers"), None);
}

#[tokio::test]
async fn subscribers_stand_in_subscriptions_when_asked_for() {
    let server = TestServer::start().await;
    let [olive, mel, gus] = server.users(["olive", "mel", "gus"]);
    let with = async |include: &str| mel.get(PATH, json!({"include_subscribers": include})).await;

    for include in ["true", "partial"] {
        let reply = with(include).await.success();
        let square = reply["subscriptions"].as_array().and_then(|all| all.last()).expect("town-square").clone();
        assert_eq!(square["subscribers"], json!([olive.id(), mel.id(), gus.id()]), "{include}");
    }
    with("some").await.error("BAD_REQUEST", "Invalid include_subscribers");
}

#[tokio::test]
async fn whether_a_user_is_subscribed_is_returned_to_those_who_see_both() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let path = |user: i64, channel: &str| format!("/users/{user}/subscriptions/{}", server.channel(channel));

    mel.get(&path(max.id(), "design"), json!({})).await.is(json!({"is_subscribed": true}));
    mel.get(&path(nora.id(), "design"), json!({})).await.is(json!({"is_subscribed": false}));
    mel.get(&path(999, "leadership"), json!({})).await.error("BAD_REQUEST", "No such user");
    mel.get(&path(max.id(), "leadership"), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn the_channels_of_somebody_are_listed_as_far_as_they_can_be_seen() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let path = format!("/users/{}/channels", max.id());
    let ids = |names: &[&str]| names.iter().map(|name| server.channel(name)).collect::<Vec<_>>();

    let seen = ids(&["general", "engineering", "design", "announcements"]);
    mel.get(&path, json!({})).await.is(json!({"subscribed_channel_ids": seen}));
    let seen = ids(&["general", "engineering", "announcements"]);
    nora.get(&path, json!({})).await.is(json!({"subscribed_channel_ids": seen}));
    nora.get("/users/999/channels", json!({})).await.error("BAD_REQUEST", "No such user");
}

#[tokio::test]
async fn properties_change_for_oneself_in_the_order_given() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut at_mel = mel.events(["subscription"]).await;
    let mut at_max = max.events(["subscription"]).await;
    let id = server.channel("general");
    let change = |property: &str, value: Value| json!({"stream_id": id, "property": property, "value": value});

    let data = json!([
        change("color", json!("#c2c2c2")),
        change("is_muted", json!(true)),
        change("push_notifications", json!(true)),
        change("in_home_view", json!(true)),
    ]);
    mel.post("/users/me/subscriptions/properties", json!({"subscription_data": data})).await.is(json!({}));

    let received = [
        ("color", json!("#c2c2c2")),
        ("in_home_view", json!(false)),
        ("is_muted", json!(true)),
        ("push_notifications", json!(true)),
        ("in_home_view", json!(true)),
        ("is_muted", json!(false)),
    ];
    for (property, value) in received {
        at_mel
            .next()
            .await
            .is(json!({"type": "subscription", "op": "update", "property": property, "value": value, "stream_id": id}));
    }
    at_mel.none().await;
    at_max.none().await;
    let general = own(&mel, "general").await;
    assert_eq!((&general["color"], &general["is_muted"]), (&json!("#c2c2c2"), &json!(false)));
    assert_eq!(general["push_notifications"], true);
}

#[tokio::test]
async fn one_property_changes_with_and_without_quotes() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let path = format!("{PATH}/{}", server.channel("general"));
    let set = async |property: &str, value: &str| mel.patch(&path, json!({"property": property, "value": value})).await;

    set("color", "#123456").await.is(json!({}));
    assert_eq!(own(&mel, "general").await["color"], "#123456");
    set("color", "\"#abc\"").await.is(json!({}));
    assert_eq!(own(&mel, "general").await["color"], "#abc");
    set("wildcard_mentions_notify", "false").await.is(json!({}));
    assert_eq!(own(&mel, "general").await["wildcard_mentions_notify"], false);
}

#[tokio::test]
async fn a_refused_property_changes_nothing() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["subscription"]).await;
    let refused = async |channel: i64, property: &str, value: Value, message: &str| {
        let good = json!({"stream_id": server.channel("general"), "property": "is_muted", "value": true});
        let bad = json!({"stream_id": channel, "property": property, "value": value});
        let params = json!({"subscription_data": [good, bad]});
        mel.post("/users/me/subscriptions/properties", params).await.error("BAD_REQUEST", message);
    };
    let general = server.channel("general");

    refused(general, "shape", json!(true), "Unknown subscription property: shape").await;
    refused(general, "pin_to_top", json!("yes"), "pin_to_top is not a boolean").await;
    let color = "Invalid subscription_data[1]: Value error, color is not a valid hex color code";
    refused(general, "color", json!("blue"), color).await;
    refused(server.channel("leadership"), "pin_to_top", json!(true), "Invalid channel ID").await;
    let quiet = server.channel("quiet");
    refused(quiet, "pin_to_top", json!(true), &format!("Not subscribed to channel ID {quiet}")).await;

    events.none().await;
    assert_eq!(own(&mel, "general").await["is_muted"], false);
}
