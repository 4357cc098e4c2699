//! Of several parameters that are missing or malformed, the one is named that a real server reads first.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn the_first_parameter_that_is_wrong_is_named() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let missing = "REQUEST_VARIABLE_MISSING";
    for (method, path, params, code, message) in [
        ("POST", "/realm/domains", json!({"allow_subdomains": "x"}), missing, "Missing 'domain' argument"),
        ("POST", "/users/me/subscriptions", json!({"invite_only": "x"}), missing, "Missing 'subscriptions' argument"),
        ("POST", "/users/me/presence", json!({"ping_only": "x"}), missing, "Missing 'status' argument"),
        ("POST", "/user_groups/create", json!({"members": "x"}), missing, "Missing 'name' argument"),
        ("POST", "/realm/playgrounds", json!({"pygments_language": ""}), missing, "Missing 'name' argument"),
        ("POST", "/bots", json!({"full_name": "B", "bot_type": "x"}), missing, "Missing 'short_name' argument"),
        ("POST", "/typing", json!({"type": "x"}), "BAD_REQUEST", "Invalid type"),
        (
            "POST",
            "/realm/profile_fields",
            json!({"field_data": [1], "required": "x"}),
            "BAD_REQUEST",
            "field_data is not a dict",
        ),
        (
            "POST",
            "/bots",
            json!({"full_name": "", "short_name": "b", "bot_type": 3, "payload_url": "\"nowhere\""}),
            "BAD_REQUEST",
            "payload_url is not a URL",
        ),
        (
            "PATCH",
            "/settings",
            json!({"enable_sounds": "7", "web_home_view": "nowhere", "twenty_four_hour_time": "7"}),
            "BAD_REQUEST",
            "twenty_four_hour_time is not a boolean",
        ),
        (
            "PATCH",
            "/realm/user_settings_defaults",
            json!({"enable_sounds": "7", "emojiset": "none"}),
            "BAD_REQUEST",
            "Invalid emojiset: Value error, Not in the list of possible values",
        ),
        (
            "POST",
            "/invites",
            json!({"invitee_emails": "", "invite_as": "7", "stream_ids": "x"}),
            "BAD_REQUEST",
            "Invalid invite_as: Value error, Not in the list of possible values",
        ),
        (
            "PATCH",
            "/default_stream_groups/99/streams",
            json!({"op": "x", "stream_names": []}),
            "BAD_REQUEST",
            "Default channel group with id '99' does not exist.",
        ),
        (
            "POST",
            "/default_stream_groups/create",
            json!({"group_name": "", "description": "", "stream_names": ["nowhere"]}),
            "BAD_REQUEST",
            "Invalid channel name 'nowhere'",
        ),
        (
            "POST",
            "/messages",
            json!({"type": "stream", "to": "general", "content": " "}),
            "BAD_REQUEST",
            "Missing topic",
        ),
    ] {
        let reply = match method {
            "POST" => olive.post(path, params).await,
            _ => olive.patch(path, params).await,
        };
        reply.error(code, message);
    }
}

#[tokio::test]
async fn settings_of_the_organization_are_sent_in_one_order() {
    let server = TestServer::start().await;
    let [olive, gus] = server.users(["olive", "gus"]);
    let mut queue = gus.events(["realm"]).await;

    let params = json!({
        "org_type": 20,
        "message_retention_days": 9,
        "enable_guest_user_indicator": false,
        "name": "Double",
        "signup_announcements_stream_id": -1,
        "move_messages_within_stream_limit_seconds": 60,
        "move_messages_between_streams_limit_seconds": "unlimited",
    });
    olive.patch("/realm", params).await.success();

    for property in [
        "move_messages_between_streams_limit_seconds",
        "name",
        "enable_guest_user_indicator",
        "message_retention_days",
        "move_messages_within_stream_limit_seconds",
        "signup_announcements_stream_id",
        "org_type",
    ] {
        queue.next().await.has(json!({"type": "realm", "op": "update", "property": property}));
    }
    queue.none().await;
}
