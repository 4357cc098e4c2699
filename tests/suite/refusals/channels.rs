//! Channels, subscriptions to them, and groups of default channels.

use super::{group, refuse, refuse_to, send};
use crate::levels::Age;
use crate::support::TestServer;
use chatdouble::realm::group::SystemGroup;
use serde_json::json;

const CREATE: &str = "POST /channels/create";
const SUBSCRIBE: &str = "POST /users/me/subscriptions";
const CHANGE: &str = "PATCH /users/me/subscriptions";
const EDIT: &str = "PATCH /streams/{stream_id}";

#[tokio::test]
async fn names_that_channels_cannot_have() {
    let server = TestServer::start().await;
    let quiet = server.channel("quiet");
    let long = "x".repeat(61);

    for (name, message) in [
        ("", "Channel name can't be empty."),
        (long.as_str(), "Channel name too long (limit: 60 characters)."),
        ("a\u{7}b", "Invalid character in channel name, at position 2."),
    ] {
        let to = json!({"type": "channel", "to": json!(name).to_string(), "topic": "x", "content": "x"});
        refuse(
            &server,
            [
                ("mel", CREATE, json!({"name": name, "subscribers": []}), message),
                ("mel", SUBSCRIBE, json!({"subscriptions": [{"name": name}]}), message),
                ("mel", "DELETE /users/me/subscriptions", json!({"subscriptions": [name]}), message),
                ("adam", EDIT, json!({"stream_id": quiet, "new_name": name}), message),
                ("mel", "POST /messages", to, message),
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn kinds_of_channels_that_there_are_not() {
    let server = TestServer::start().await;
    let quiet = server.channel("quiet");
    let members = group(&server, "role:members");
    let excluded = "Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group";

    for (by, traits, message) in [
        ("adam", json!({"invite_only": true, "is_default_stream": true}), "A default channel cannot be private."),
        ("adam", json!({"message_retention_days": 10}), "Must be an organization owner"),
        ("mel", json!({"invite_only": true, "is_web_public": true}), "Invalid parameters"),
        ("mel", json!({"invite_only": true, "can_create_topic_group": members}), excluded),
    ] {
        let [mut created, mut subscribed] = [traits.clone(), traits];
        created["name"] = json!("new");
        created["subscribers"] = json!([]);
        subscribed["subscriptions"] = json!([{"name": "new"}]);
        refuse(&server, [(by, CREATE, created, message), (by, SUBSCRIBE, subscribed, message)]).await;
    }
    let message = "Bad value for 'message_retention_days': 0";
    refuse(&server, [("olive", EDIT, json!({"stream_id": quiet, "message_retention_days": 0}), message)]).await;

    server.set("enable_spectator_access", false).await;
    let message = "Web-public channels are not enabled.";
    refuse(
        &server,
        [
            ("olive", CREATE, json!({"name": "new", "subscribers": [], "is_web_public": true}), message),
            ("olive", SUBSCRIBE, json!({"subscriptions": [{"name": "new"}], "is_web_public": true}), message),
            ("olive", EDIT, json!({"stream_id": quiet, "is_web_public": true}), message),
        ],
    )
    .await;
}

#[tokio::test]
async fn subscriptions_that_there_are_not() {
    let server = TestServer::start().await;
    let [engineering, quiet] = [server.channel("engineering"), server.channel("quiet")];
    let not_subscribed = format!("Not subscribed to channel ID {quiet}");
    let property = |channel: i64, property: &str, value: &str| {
        ("mel", "PATCH /users/me/subscriptions/{stream_id}", {
            json!({"stream_id": channel, "property": property, "value": value})
        })
    };
    let properties = [
        (property(engineering, "is_muted", "perhaps"), "is_muted is not a boolean"),
        (
            property(engineering, "color", "red"),
            "Invalid subscription_data[0]: Value error, color is not a valid hex color code",
        ),
        (property(999, "is_muted", "true"), "Invalid channel ID"),
        (property(quiet, "is_muted", "true"), &not_subscribed),
    ];

    refuse(&server, properties.map(|((by, way, params), message)| (by, way, params, message))).await;
    refuse(
        &server,
        [
            (
                "mel",
                "PATCH /users/me/subscriptions/muted_topics",
                json!({"op": "add", "stream_id": 999, "topic": "x"}),
                "Invalid channel ID",
            ),
            (
                "mel",
                "GET /streams/{stream_id}/email_address",
                json!({"stream_id": server.channel("announcements")}),
                "You do not have permission to post in this channel.",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn subscribing_and_unsubscribing_in_one_request() {
    let server = TestServer::start().await;
    server.allow("can_create_public_channel_group", SystemGroup::Administrators).await;
    let age = Age::at(&server, 511).await;
    let long = "x".repeat(61);
    refuse_to(
        |handle| age.user(handle),
        [
            ("mel", CHANGE, json!({"add": [{"name": ""}]}), "Channel name can't be empty."),
            ("mel", CHANGE, json!({"add": [{"name": long}]}), "Channel name too long (limit: 60 characters)."),
            ("mel", CHANGE, json!({"add": [{"name": "a\u{7}b"}]}), "Invalid character in channel name, at position 2."),
            ("mel", CHANGE, json!({"add": [{"name": "leadership"}]}), "Unable to access channel (leadership)."),
            ("mel", CHANGE, json!({"add": [{"name": "new"}]}), "Insufficient permission"),
            ("mel", CHANGE, json!({"delete": ["nowhere"]}), "Channel 'nowhere' does not exist"),
            ("mel", CHANGE, json!({}), "Nothing to do. Specify at least one of \"add\" or \"delete\"."),
            ("gus", CHANGE, json!({"delete": ["general"]}), "Not allowed for guest users"),
            ("mel", CHANGE, json!({"add": "x", "delete": "7"}), "delete is not a list"),
        ],
    )
    .await;
}

#[tokio::test]
async fn groups_of_default_channels_that_there_cannot_be() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    for name in ["News", "Work"] {
        let params = json!({"group_name": name, "description": "", "stream_names": []});
        send(&olive, "POST /default_stream_groups/create", params).await.success();
    }
    let long = "x".repeat(61);
    let unknown = "Default channel group with id '99' does not exist.";

    const RENAME: &str = "PATCH /default_stream_groups/{group_id}";
    let named = |name: &str| json!({"group_id": 1, "new_group_name": name});
    refuse(
        &server,
        [
            ("olive", RENAME, json!({"group_id": 99, "new_description": "x"}), unknown),
            ("olive", RENAME, named(" "), "Invalid default channel group name ' '"),
            ("olive", RENAME, named(&long), "Default channel group name too long (limit: 60 characters)"),
            ("olive", RENAME, named("a\0b"), "Default channel group name 'a\0b' contains NULL (0x00) characters."),
            ("olive", RENAME, named("Work"), "Default channel group 'Work' already exists"),
        ],
    )
    .await;

    const FILL: &str = "PATCH /default_stream_groups/{group_id}/streams";
    let filled = |group: i64, channel: &str| json!({"group_id": group, "op": "add", "stream_names": [channel]});
    let is_default = "'general' is a default channel and cannot be added to 'News'";
    refuse(
        &server,
        [
            ("olive", FILL, filled(99, "quiet"), unknown),
            ("olive", FILL, filled(1, "nowhere"), "Invalid channel name 'nowhere'"),
            ("olive", FILL, filled(1, "leadership"), "Private channels cannot be made default."),
            ("olive", FILL, filled(1, "general"), is_default),
        ],
    )
    .await;
}
