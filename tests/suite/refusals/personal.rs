//! What is somebody's own: statuses, muted users, drafts, profile, settings of older levels.

use super::{refuse, refuse_to};
use crate::levels::Age;
use crate::statuses::limit_guests;
use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn statuses_that_nobody_can_have() {
    let server = TestServer::start().await;
    let max = server.user("max").id();
    let emoji =
        |name: &str, code: &str, kind: &str| json!({"emoji_name": name, "emoji_code": code, "reaction_type": kind});

    for (status, message) in [
        (
            json!({"status_text": "x", "emoji_code": "1f389"}),
            "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
        ),
        (json!({"emoji_name": "no_such"}), "Emoji 'no_such' does not exist"),
        (emoji("tada", "1f389", "hieroglyph"), "Invalid emoji type."),
        (emoji("tada", "zzz", "unicode_emoji"), "Invalid emoji code"),
        (emoji("smile", "1f389", "unicode_emoji"), "Invalid emoji name."),
        (emoji("green_box", "99", "realm_emoji"), "Invalid custom emoji."),
        (emoji("blue_box", "1", "realm_emoji"), "Invalid custom emoji name."),
        (emoji("red_check", "2", "realm_emoji"), "This custom emoji has been deactivated."),
    ] {
        let mut of_max = status.clone();
        of_max["user_id"] = max.into();
        refuse(
            &server,
            [
                ("mel", "POST /users/me/status", status, message),
                ("adam", "POST /users/{user_id}/status", of_max, message),
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn users_a_guest_may_not_know_are_not_muted() {
    let server = TestServer::start().await;
    let nora = server.user("nora");
    limit_guests(&server, &nora).await;

    let params = json!({"muted_user_id": nora.id()});
    refuse(
        &server,
        [
            ("gus", "POST /users/me/muted_users/{muted_user_id}", params.clone(), "Insufficient permission"),
            ("gus", "DELETE /users/me/muted_users/{muted_user_id}", params, "Insufficient permission"),
        ],
    )
    .await;
}

#[tokio::test]
async fn drafts_that_cannot_be_kept() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    let draft = |key: &str, value: serde_json::Value| {
        let mut draft = json!({"type": "stream", "to": [general], "topic": "x", "content": "x"});
        draft[key] = value;
        json!({"draft_id": 1, "draft": draft})
    };
    let to_nobody = json!({"type": "private", "to": [999], "topic": "", "content": "x"});

    const EDIT: &str = "PATCH /drafts/{draft_id}";
    refuse(
        &server,
        [
            ("mel", EDIT, draft("colour", json!("red")), "Argument \"colour\" at draft is unexpected"),
            ("mel", EDIT, draft("content", json!("a\0b")), "Message must not contain null bytes"),
            ("mel", EDIT, draft("timestamp", json!(-1)), "Timestamp must not be negative."),
            ("mel", EDIT, draft("topic", json!("a\0b")), "Topic must not contain null bytes"),
            ("mel", EDIT, draft("to", json!([])), "Must specify exactly 1 channel ID for channel messages"),
            ("mel", EDIT, draft("to", json!([999])), "Invalid channel ID"),
            ("mel", EDIT, json!({"draft_id": 1, "draft": to_nobody}), "Invalid user ID 999"),
        ],
    )
    .await;
}

#[tokio::test]
async fn values_that_nothing_of_ones_own_can_have() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 80).await;

    let unknown = json!({"data": [{"id": 999, "value": "x"}]});
    refuse(&server, [("mel", "PATCH /users/me/profile_data", unknown, "Field id 999 not found.")]).await;
    let malformed = "Argument \"enter_sends\" is not valid JSON.";
    refuse_to(
        |handle| age.user(handle),
        [("mel", "POST /users/me/enter-sends", json!({"enter_sends": "perhaps"}), malformed)],
    )
    .await;
}
