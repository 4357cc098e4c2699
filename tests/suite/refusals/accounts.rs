//! Names, addresses, roles, profiles and settings of accounts.

use super::{field, refuse};
use crate::support::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn names_that_nobody_can_have() {
    let server = TestServer::start().await;
    server.set("require_unique_names", true).await;
    let [max, bot] = server.users(["max", "build-bot"]);
    let long = "x".repeat(101);

    for (name, message) in [
        (long.as_str(), "Name too long!"),
        (" ", "Name must not be empty!"),
        ("a*b", "Invalid characters in name!"),
        ("Anna|17", "Invalid format!"),
        ("ADAM ASHBY", "Unique names required in this organization."),
    ] {
        let named = json!({"full_name": name});
        refuse(
            &server,
            [
                ("mel", "PATCH /settings", named.clone(), message),
                ("mel", "PATCH /settings/display", named.clone(), message),
                ("mel", "PATCH /settings/notifications", named.clone(), message),
                ("mel", "POST /bots", json!({"full_name": name, "short_name": "new"}), message),
                ("mel", "PATCH /bots/{bot_id}", json!({"bot_id": bot.id(), "full_name": name}), message),
            ],
        )
        .await;
        // For somebody else, a blank name is none.
        if name != " " {
            let by_id = json!({"user_id": max.id(), "full_name": name});
            let by_email = json!({"email": max.email(), "full_name": name});
            refuse(
                &server,
                [
                    ("adam", "PATCH /users/{user_id}", by_id, message),
                    ("adam", "PATCH /users/{email}", by_email, message),
                ],
            )
            .await;
        }
    }
}

#[tokio::test]
async fn what_is_not_changed_for_others() {
    let server = TestServer::start().await;
    let [dana, bot] = server.users(["dana", "build-bot"]);
    let [editor, mentor] = [field(&server, "Favourite editor"), field(&server, "Mentor")];
    let profile = |field: i64, value: Value| json!({"profile_data": [{"id": field, "value": value}]});
    let deactivated = format!("User with ID {} is deactivated", dana.id());
    let is_bot = format!("User with ID {} is a bot", bot.id());

    for (by, target, change, message) in [
        ("mel", "max", json!({"full_name": "Max"}), "Insufficient permission"),
        ("mel", "build-bot", json!({"new_email": "b@chat.test"}), "User not authorized to change user emails"),
        ("adam", "olive", json!({"role": 200}), "Must be an organization owner"),
        ("mel", "build-bot", json!({"role": 300}), "Must be an organization administrator"),
        (
            "olive",
            "olive",
            json!({"role": 200}),
            "The owner permission cannot be removed from the only organization owner.",
        ),
        ("adam", "max", profile(999, json!("x")), "Field id 999 not found."),
        ("adam", "max", profile(editor, json!("nano")), "'nano' is not a valid choice for 'Favourite editor'."),
        ("adam", "max", profile(mentor, json!([999])), "Invalid user IDs: 999"),
        ("adam", "max", profile(mentor, json!([dana.id()])), &deactivated),
        ("adam", "max", profile(mentor, json!([bot.id()])), &is_bot),
        ("adam", "max", json!({"new_email": "nowhere"}), "Invalid new email address."),
        ("adam", "max", json!({"new_email": "mel@chat.test"}), "New email value error: Email is already in use."),
    ] {
        let target = server.user(target);
        let with = |name: &str, value: Value| {
            let mut params = change.clone();
            params[name] = value;
            params
        };
        refuse(
            &server,
            [
                (by, "PATCH /users/{user_id}", with("user_id", target.id().into()), message),
                (by, "PATCH /users/{email}", with("email", target.email().into()), message),
            ],
        )
        .await;
    }
}

async fn refuse_settings<const N: usize>(server: &TestServer, rows: [(&str, Value, &str); N]) {
    for (by, params, message) in rows {
        let ways = ["PATCH /settings", "PATCH /settings/display", "PATCH /settings/notifications"];
        refuse(server, ways.map(|way| (by, way, params.clone(), message))).await;
    }
}

#[tokio::test]
async fn settings_that_nobody_can_have() {
    let server = TestServer::start().await;
    let max = server.user("max").id();
    let of_max = json!({"user_ids": [max]});

    refuse_settings(
        &server,
        [
            ("mel", json!({"notification_sound": "moo"}), "Invalid notification sound 'moo'"),
            ("mel", json!({"target_users": {}}), "Either user_ids or group_ids must be provided."),
            ("mel", json!({"target_users": of_max}), "Must be an organization administrator"),
            (
                "adam",
                json!({"target_users": of_max, "send_read_receipts": false}),
                "Cannot change this setting for other users.",
            ),
            ("adam", json!({"target_users": {"group_ids": [999]}}), "Invalid user group ID: 999"),
            ("adam", json!({"target_users": {"user_ids": [999]}}), "Invalid user ID: 999"),
            ("mel", json!({"old_password": "x", "new_password": "a-better-password-12"}), "Wrong password!"),
            ("mel", json!({"old_password": "", "new_password": "a-better-password-12"}), "Wrong password!"),
            ("mel", json!({"old_password": "mel-password-7421", "new_password": "x"}), "New password is too weak!"),
        ],
    )
    .await;
}

#[tokio::test]
async fn addresses_that_nobody_can_have() {
    let server = TestServer::start().await;

    server.set("disallow_disposable_email_addresses", true).await;
    refuse_settings(
        &server,
        [
            ("mel", json!({"email": "nowhere"}), "Invalid address."),
            ("mel", json!({"email": "mel@mailinator.com"}), "Please use your real email address."),
            ("mel", json!({"email": "max@chat.test"}), "Already has an account."),
            ("mel", json!({"email": "dana@chat.test"}), "Account has been deactivated."),
        ],
    )
    .await;
    server.set("emails_restricted_to_domains", true).await;
    refuse_settings(
        &server,
        [
            ("mel", json!({"email": "mel+new@chat.test"}), "Email addresses containing + are not allowed."),
            ("mel", json!({"email": "mel@example.com"}), "Outside your domain."),
        ],
    )
    .await;
    server.set("email_changes_disabled", true).await;
    let message = "Email address changes are disabled in this organization.";
    refuse_settings(&server, [("mel", json!({"email": "melanie@chat.test"}), message)]).await;
}
