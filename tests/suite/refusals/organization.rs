//! The organization: its profile fields, defaults, texts and invitations.

use super::{field, group, refuse, send};
use crate::support::TestServer;
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

#[tokio::test]
async fn profile_fields_that_there_cannot_be() {
    let server = TestServer::start().await;
    let [phone, biography, editor, mentor, host] =
        ["Phone number", "Biography", "Favourite editor", "Mentor", "Code host"].map(|name| field(&server, name));
    let choice = |text: &str| json!({"text": text, "order": "1"});

    const EDIT: &str = "PATCH /realm/profile_fields/{field_id}";
    let shown = |id: i64, is_shown: bool| json!({"field_id": id, "display_in_profile_summary": is_shown});
    let with = |id: i64, data: Value| json!({"field_id": id, "field_data": data});
    let account = |subtype: &str, pattern: &str| with(host, json!({"subtype": subtype, "url_pattern": pattern}));
    refuse(
        &server,
        [
            (
                "adam",
                EDIT,
                shown(biography, true),
                "Only 2 custom profile fields can be displayed in the profile summary.",
            ),
            ("adam", EDIT, with(editor, json!({})), "Field must have at least one choice."),
            ("adam", EDIT, with(editor, json!({" ": choice("Tea")})), "'value' cannot be blank."),
            ("adam", EDIT, with(editor, json!({"0": {"text": "Tea"}})), "order key is missing from field_data"),
            (
                "adam",
                EDIT,
                with(editor, json!({"0": {"text": "Tea", "order": "1", "milk": ""}})),
                "Unexpected arguments: milk",
            ),
            (
                "adam",
                EDIT,
                with(editor, json!({"0": choice("Tea"), "1": choice("Tea")})),
                "Field must not have duplicate choices.",
            ),
            ("adam", EDIT, account("custom", "https://x.test/"), "URL pattern must contain '%(username)s'."),
            ("adam", EDIT, with(host, json!({"subtype": "custom"})), "Custom external account must define URL pattern"),
            ("adam", EDIT, with(host, json!({"subtype": "elsewhere"})), "Invalid external account type"),
            ("adam", EDIT, json!({"field_id": phone, "name": " "}), "Label cannot be blank."),
        ],
    )
    .await;
    send(&server.user("adam"), EDIT, shown(phone, false)).await.success();
    let message = "Field type not supported for display in profile summary.";
    refuse(&server, [("adam", EDIT, shown(mentor, true), message)]).await;
}

#[tokio::test]
async fn defaults_and_texts_that_there_cannot_be() {
    let server = TestServer::start().await;
    server.lengthen_links();

    const DEFAULTS: &str = "PATCH /realm/user_settings_defaults";
    const WELCOME: &str = "POST /realm/test_welcome_bot_custom_message";
    let text = |text: &str| json!({"welcome_message_custom_text": text});
    refuse(
        &server,
        [
            (
                "adam",
                DEFAULTS,
                json!({"color_scheme": 9}),
                "Invalid color_scheme: Value error, Not in the list of possible values",
            ),
            ("adam", DEFAULTS, json!({"notification_sound": "moo"}), "Invalid notification sound 'moo'"),
            ("adam", WELCOME, text("a\0b"), "Message must not contain null bytes"),
            ("adam", WELCOME, text(&"x ".repeat(2_000)), "Unable to render message"),
        ],
    )
    .await;
}

#[tokio::test]
async fn invitations_that_there_cannot_be() {
    let server = TestServer::start().await;
    server.allow("can_add_subscribers_group", SystemGroup::Administrators).await;
    let engineering = server.channel("engineering");
    let invited = |key: &str, value: Value| {
        let mut params = json!({"invitee_emails": "new@example.com", "stream_ids": []});
        params[key] = value;
        params
    };

    const INVITE: &str = "POST /invites";
    refuse(
        &server,
        [
            (
                "olive",
                INVITE,
                invited("invite_as", json!(5)),
                "Invalid invite_as: Value error, Not in the list of possible values",
            ),
            ("adam", INVITE, invited("invite_as", json!(100)), "Must be an organization owner"),
            (
                "mel",
                INVITE,
                invited("stream_ids", json!([engineering])),
                "You do not have permission to subscribe other users to channels.",
            ),
            ("olive", INVITE, invited("group_ids", json!([999])), "Invalid user group"),
            (
                "olive",
                INVITE,
                invited("group_ids", json!([group(&server, "old-timers")])),
                "User group is deactivated.",
            ),
        ],
    )
    .await;

    send(&server.user("olive"), INVITE, invited("invite_as", json!(100))).await.success();
    let newest = server.server().world("default").snapshot().invites.keys().map(|id| id.0).max();
    let params = json!({"invite_id": newest});
    refuse(
        &server,
        [
            ("adam", "DELETE /invites/{invite_id}", params.clone(), "Must be an organization owner"),
            ("adam", "POST /invites/{invite_id}/resend", params, "Must be an organization owner"),
        ],
    )
    .await;
}
