//! Personal data of a user: only that user gets events.

use super::case::{Case, id};
use crate::support::TestServer;
use serde_json::{Value, json};

pub fn cases() -> Vec<Case> {
    let own = [lists(), drafts_and_snippets(), later(), flags(), topics(), devices_and_files()];
    own.into_iter().flatten().collect()
}

fn lists() -> Vec<Case> {
    const VIEW: &str = "PATCH /navigation_views/{*fragment}";
    vec![
        Case::of("POST /users/me/alert_words", "max", |_| json!({"alert_words": ["lunch"]}))
            .sends("alert_words", "max"),
        Case::of("DELETE /users/me/alert_words", "mel", |_| json!({"alert_words": ["deploy"]}))
            .sends("alert_words", "mel"),
        // What was unread of the muted user is read.
        Case::of("POST /users/me/muted_users/{muted_user_id}", "mel", |s| json!({"muted_user_id": id(s, "max")}))
            .sends("muted_users", "mel")
            .sends("update_message_flags add read", "mel"),
        Case::of(
            "DELETE /users/me/muted_users/{muted_user_id}",
            "mona",
            |s| json!({"muted_user_id": id(s, "out-bot")}),
        )
        .sends("muted_users", "mona"),
        Case::of("POST /zcommand", "mel", |_| json!({"command": "/light"})).sends("user_settings update", "mel"),
        Case::of("POST /users/me/onboarding_steps", "mel", |_| json!({"onboarding_step": "intro_resolve_topic"}))
            .sends("onboarding_steps", "mel"),
        Case::of("POST /navigation_views", "max", |_| json!({"fragment": "inbox", "is_pinned": true}))
            .sends("navigation_view add", "max"),
        Case::of(VIEW, "mel", |_| json!({"fragment": "inbox", "is_pinned": false}))
            .sends("navigation_view update", "mel"),
        Case::of("DELETE /navigation_views/{*fragment}", "mel", |_| json!({"fragment": "inbox"}))
            .sends("navigation_view remove", "mel"),
    ]
}

fn drafts_and_snippets() -> Vec<Case> {
    let draft = |_: &TestServer| json!({"drafts": [{"type": "", "to": [], "topic": "", "content": "x"}]});
    vec![
        Case::of("POST /drafts", "max", draft).sends("drafts add", "max"),
        Case::of(
            "PATCH /drafts/{draft_id}",
            "mel",
            |_| json!({"draft_id": 3, "draft": {"type": "", "to": [], "topic": "", "content": "x"}}),
        )
        .sends("drafts update", "mel"),
        Case::of("DELETE /drafts/{draft_id}", "mel", |_| json!({"draft_id": 3})).sends("drafts remove", "mel"),
        Case::of("POST /saved_snippets", "max", |_| json!({"title": "x", "content": "y"}))
            .sends("saved_snippets add", "max"),
        Case::of("PATCH /saved_snippets/{saved_snippet_id}", "mel", |_| json!({"saved_snippet_id": 1, "title": "x"}))
            .sends("saved_snippets update", "mel"),
        Case::of("DELETE /saved_snippets/{saved_snippet_id}", "mel", |_| json!({"saved_snippet_id": 1}))
            .sends("saved_snippets remove", "mel"),
    ]
}

/// An hour after the time at which tests begin.
const LATER: i64 = 1_767_272_400;

/// The number of somebody's only thing to come.
fn pending(server: &TestServer, handle: &str, what: &str) -> i64 {
    let realm = super::case::realm(server);
    let user = chatdouble::realm::id::UserId(id(server, handle));
    let found = match what {
        "reminder" => realm.reminders.values().find(|one| one.user == user).map(|one| one.id.0),
        _ => realm.scheduled_messages.values().find(|one| one.sender == user).map(|one| one.id.0),
    };
    found.expect("the fixture has one")
}

fn later() -> Vec<Case> {
    const SCHEDULED: &str = "PATCH /scheduled_messages/{scheduled_message_id}";
    vec![
        Case::of(
            "POST /reminders",
            "max",
            |s| json!({"message_id": s.message("Pizza"), "scheduled_delivery_timestamp": LATER}),
        )
        .sends("reminders add", "max"),
        Case::of("DELETE /reminders/{reminder_id}", "mel", |s| json!({"reminder_id": pending(s, "mel", "reminder")}))
            .sends("reminders remove", "mel"),
        Case::of(
            "POST /scheduled_messages",
            "max",
            |s| json!({"type": "direct", "to": [id(s, "mel")], "content": "x", "scheduled_delivery_timestamp": LATER}),
        )
        .sends("scheduled_messages add", "max"),
        Case::of(SCHEDULED, "max", |s| json!({"scheduled_message_id": pending(s, "max", "message"), "content": "x"}))
            .sends("scheduled_messages update", "max"),
        Case::of(
            "DELETE /scheduled_messages/{scheduled_message_id}",
            "max",
            |s| json!({"scheduled_message_id": pending(s, "max", "message")}),
        )
        .sends("scheduled_messages remove", "max"),
    ]
}

fn flags() -> Vec<Case> {
    const FLAGS: &str = "POST /messages/flags";
    const NARROW: &str = "POST /messages/flags/narrow";
    let narrow = |op: &'static str| -> fn(&TestServer) -> Value {
        match op {
            "add" => {
                |_| json!({"anchor": "newest", "num_before": 5, "num_after": 0, "narrow": [], "op": "add", "flag": "starred"})
            }
            _ => {
                |_| json!({"anchor": "newest", "num_before": 5, "num_after": 0, "narrow": [], "op": "remove", "flag": "read"})
            }
        }
    };
    vec![
        Case::of(FLAGS, "max", |s| json!({"messages": [s.message("It is green")], "op": "add", "flag": "starred"}))
            .sends("update_message_flags add", "max"),
        Case::of(FLAGS, "max", |s| json!({"messages": [s.message("It is green")], "op": "remove", "flag": "read"}))
            .sends("update_message_flags remove message_details", "max"),
        Case::of(NARROW, "max", narrow("add")).sends("update_message_flags add", "max"),
        Case::of(NARROW, "max", narrow("remove")).sends("update_message_flags remove message_details", "max"),
        Case::of("POST /mark_all_as_read", "mel", |_| json!({})).sends("update_message_flags add", "mel"),
        Case::of("POST /mark_stream_as_read", "mel", |s| json!({"stream_id": s.channel("engineering")}))
            .sends("update_message_flags add", "mel"),
        Case::of(
            "POST /mark_topic_as_read",
            "mel",
            |s| json!({"stream_id": s.channel("engineering"), "topic_name": "on call"}),
        )
        .sends("update_message_flags add", "mel"),
    ]
}

fn topics() -> Vec<Case> {
    const POLICY: &str = "POST /user_topics";
    const MUTED: &str = "PATCH /users/me/subscriptions/muted_topics";
    let policy = |s: &TestServer| json!({"stream_id": s.channel("general"), "topic": "lunch", "visibility_policy": 1});
    let muted = |s: &TestServer| json!({"stream_id": s.channel("general"), "topic": "lunch", "op": "add"});
    vec![
        Case::of(POLICY, "max", policy).sends("muted_topics", "max").sends("user_topic", "max"),
        Case::of(POLICY, "max", policy).with_old_clients().sends("muted_topics", "max"),
        Case::of(MUTED, "max", muted).sends("muted_topics", "max").sends("user_topic", "max"),
        Case::of(MUTED, "max", muted).with_old_clients().sends("muted_topics", "max"),
    ]
}

fn devices_and_files() -> Vec<Case> {
    const PROPERTIES: &str = "POST /users/me/subscriptions/properties";
    vec![
        Case::of("POST /register_client_device", "max", |_| json!({})).sends("device add", "max"),
        Case::of("POST /remove_client_device", "max", |_| json!({"device_id": 2}))
            .after("POST /register_client_device", "max", |_| json!({}))
            .sends("device remove", "max"),
        Case::of("POST /mobile_push/register", "mel", |_| {
            json!({
                "device_id": 1, "token_kind": "fcm", "token_id": "dG9rZW4=", "bouncer_public_key": "a2V5",
                "encrypted_push_registration": "c2VjcmV0",
            })
        })
        .sends("device update", "mel"),
        Case::of("POST /user_uploads", "max", |_| json!({}))
            .uploading("note.txt", "text/plain", b"note")
            .sends("attachment add", "max"),
        // Also when somebody else's message links it.
        Case::of("DELETE /attachments/{attachment_id}", "mel", |s| {
            let realm = super::case::realm(s);
            let plan = realm.attachments.values().find(|one| one.name == "plan.png").expect("the fixture has it");
            json!({"attachment_id": plan.id})
        })
        .sends("attachment remove", "mel"),
        Case::of(PROPERTIES, "mel", |s| {
            json!({"subscription_data": [{"stream_id": s.channel("design"), "property": "color", "value": "#ffffff"}]})
        })
        .sends("subscription update color", "mel"),
        Case::of("PATCH /users/me/subscriptions/{stream_id}", "mel", |s| {
            json!({"stream_id": s.channel("design"), "property": "is_muted", "value": true})
        })
        .sends("subscription update in_home_view", "mel")
        .sends("subscription update is_muted", "mel"),
    ]
}
