//! Values that permissions can't have, wherever they are given.

use super::{group, refuse};
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn values_that_permissions_cannot_have() {
    let server = TestServer::start().await;
    let [general, engineers] = [server.channel("general"), group(&server, "engineers")];
    let of = |members: Value, subgroups: Value| json!({"direct_members": members, "direct_subgroups": subgroups});
    let internet = group(&server, "role:internet").into();
    let disallowed = |name: &str| format!("'{name}' setting cannot be set to 'role:internet' group.");

    for (value, refusal) in [
        (json!(999), Some("Invalid user group")),
        (json!(group(&server, "old-timers")), Some("User group is deactivated.")),
        (internet, None),
        (of(json!([999]), json!([])), Some("Invalid user ID: 999")),
        (of(json!([]), json!([999])), Some("Invalid user group ID: 999")),
    ] {
        let [in_channel, in_group, in_realm] =
            ["can_administer_channel_group", "can_manage_group", "can_add_custom_emoji_group"].map(disallowed);
        let [in_channel, in_group, in_realm] = [&in_channel, &in_group, &in_realm].map(|text| refusal.unwrap_or(text));
        let new = json!({"new": value});
        let channel = json!({"name": "new", "subscribers": [], "can_administer_channel_group": value});
        let subscription = json!({"subscriptions": [{"name": "new"}], "can_administer_channel_group": value});
        refuse(
            &server,
            [
                ("mel", "POST /channels/create", channel, in_channel),
                ("mel", "POST /users/me/subscriptions", subscription, in_channel),
                (
                    "adam",
                    "PATCH /streams/{stream_id}",
                    json!({"stream_id": general, "can_administer_channel_group": new}),
                    in_channel,
                ),
                (
                    "adam",
                    "PATCH /user_groups/{user_group_id}",
                    json!({"user_group_id": engineers, "can_manage_group": new}),
                    in_group,
                ),
                ("adam", "PATCH /realm", json!({"can_add_custom_emoji_group": new}), in_realm),
            ],
        )
        .await;
    }
}
