//! Messages: sent, changed, deleted, reacted to, and typed.

use super::case::{Case, id, newest, realm};
use crate::support::TestServer;
use serde_json::json;

pub fn cases() -> Vec<Case> {
    [sending(), editing(), moving(), deleting(), reacting(), widgets(), typing()].into_iter().flatten().collect()
}

/// The address of the file of an uploader's that no message links.
fn notes(server: &TestServer) -> String {
    let realm = realm(server);
    let notes = realm.attachments.values().find(|attachment| attachment.name == "notes.txt");
    format!("/user_uploads/{}", notes.expect("the fixture has it").path_id)
}

fn sending() -> Vec<Case> {
    const SEND: &str = "POST /messages";
    vec![
        Case::of(SEND, "adam", |s| {
            json!({"type": "channel", "to": "engineering", "topic": "new", "content": format!("[n]({})", notes(s))})
        })
        .sends("muted_topics", "adam").sends("user_topic", "adam")
        .sends("message", "adam mel max build-bot")
        .sends("attachment update", "adam")
        .shows("mel", "message", |_| json!({"flags": []})),
        Case::of(SEND, "mel", |_| {
            json!({"type": "channel", "to": "engineering", "topic": "builds", "content": "@**Nora Novak** @**Gus Grant** look"})
        })
        .sends("message", "adam mel max nora build-bot")
        .shows("nora", "message", |_| json!({"flags": ["read", "mentioned"]})),
        Case::of(SEND, "olive", |_| {
            json!({"type": "channel", "to": "leadership", "topic": "budget", "content": "@**Mel Marsh** psst"})
        })
        .sends("message", "olive adam mona"),
        Case::of(SEND, "gus", |_| json!({"type": "channel", "to": "town-square", "topic": "hello world", "content": "Hi"}))
            .sends("message", "olive mel gus"),
        Case::of(SEND, "mel", |s| json!({"type": "direct", "to": [id(s, "max"), id(s, "gus")], "content": "Hi"}))
            .sends("message", "mel max gus"),
        // Gus comes to know whoever writes to him.
        Case::of(SEND, "ivy", |s| json!({"type": "direct", "to": [id(s, "gus")], "content": "Hi"}))
            .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
            .with_limited_guests()
            .sends("realm_user add", "gus")
            .sends("message", "ivy gus"),
        Case::of(SEND, "nora", |s| json!({"type": "direct", "to": [id(s, "build-bot")], "content": "Hi"}))
            .sends("message", "nora build-bot"),
        Case::of("POST /messages/{message_id}/report", "max", |s| {
            json!({"message_id": s.message("Thank you"), "report_type": "spam"})
        })
        .sends("message", "olive adam mona"),
        // What a service delivers is a message of its bot, which claims the files that it links.
        Case::of("POST /external/{integration}", "adam", |s| {
            let payload = json!({"channel": "new", "text": format!("[n]({})", notes(s))}).to_string();
            let key = s.user("adam").credentials().api_key.clone();
            json!({"integration": "slack_incoming", "api_key": key, "stream": "engineering", "payload": payload})
        })
        .sends("muted_topics", "adam")
        .sends("user_topic", "adam")
        .sends("message", "adam mel max build-bot")
        .sends("attachment update", "adam"),
    ]
}

fn editing() -> Vec<Case> {
    const EDIT: &str = "PATCH /messages/{message_id}";
    const SEND: &str = "POST /messages";
    vec![
        // Those who hold it and those who follow the channel since; guests and others don't.
        Case::of(EDIT, "mel", |s| json!({"message_id": newest(s), "content": "two"}))
            .after(SEND, "mel", |_| json!({"type": "channel", "to": "engineering", "topic": "builds", "content": "one"}))
            .after("POST /users/me/subscriptions", "nora", |_| json!({"subscriptions": [{"name": "engineering"}]}))
            .sends("update_message", "adam mel max nora build-bot")
            .shows("nora", "update_message", |_| json!({"flags": ["read"]}))
            .shows("max", "update_message", |_| json!({"flags": []})),
        // Who is mentioned by the edit alone gets a row for it.
        Case::of(EDIT, "mel", |s| json!({"message_id": newest(s), "content": "@**Olive Ortega** @**Gus Grant** two"}))
            .after(SEND, "mel", |_| json!({"type": "channel", "to": "engineering", "topic": "builds", "content": "one"}))
            .sends("update_message", "olive adam mel max build-bot")
            .shows("olive", "update_message", |_| json!({"flags": ["read", "mentioned"]})),
        Case::of(EDIT, "mona", |s| json!({"message_id": newest(s), "content": "@**Gus Grant** @**Olive Ortega** two"}))
            .after(SEND, "mona", |_| json!({"type": "channel", "to": "design", "topic": "logo", "content": "one"}))
            .sends("update_message", "mona mel max gus")
            .shows("gus", "update_message", |_| json!({"flags": ["mentioned"]})),
        Case::of(EDIT, "mel", |s| json!({"message_id": newest(s), "content": "two"}))
            .after(SEND, "mel", |s| json!({"type": "direct", "to": [id(s, "gus")], "content": "one"}))
            .sends("update_message", "mel gus"),
        // A file that a message links no more and one that it links now are their owners' business.
        Case::of(EDIT, "adam", |s| json!({"message_id": newest(s), "content": format!("[n]({})", notes(s))}))
            .after(SEND, "adam", |_| json!({"type": "channel", "to": "leadership", "topic": "budget", "content": "one"}))
            .sends("attachment update", "adam")
            .sends("update_message", "olive adam mona"),
        Case::of(EDIT, "adam", |s| json!({"message_id": newest(s), "content": "gone"}))
            .after(SEND, "adam", |s| {
                json!({"type": "channel", "to": "leadership", "topic": "budget", "content": format!("[n]({})", notes(s))})
            })
            .sends("attachment update", "adam")
            .sends("update_message", "olive adam mona"),
    ]
}

fn moving() -> Vec<Case> {
    const EDIT: &str = "PATCH /messages/{message_id}";
    vec![
        Case::of(
            EDIT,
            "adam",
            |s| json!({"message_id": s.message("Pizza"), "topic": "dinner", "propagate_mode": "change_all"}),
        )
        .sends("update_message", "everyone but out-bot")
        .sends("muted_topics", "mel")
        .sends("user_topic", "mel")
        .sends("message", "everyone but out-bot"),
        // Into a private channel: users who may not follow lose the messages, and do not learn where they are. Its history is
        // protected: its subscribers get rows.
        Case::of(EDIT, "adam", |s| {
            json!({
                "message_id": s.message("@**topic**"), "stream_id": s.channel("leadership"),
                "propagate_mode": "change_all", "send_notification_to_new_thread": false,
            })
        })
        .sends("update_message", "olive adam mona")
        .sends("delete_message", "mel max build-bot")
        .sends("muted_topics", "mel")
        .sends("user_topic", "mel"),
        // Subscribers of both channels hear of it, but guests only where they are subscribed to the one that it leaves.
        Case::of(EDIT, "adam", |s| {
            json!({
                "message_id": s.message("Build 1041"), "stream_id": s.channel("town-square"),
                "send_notification_to_new_thread": false,
            })
        })
        .sends("update_message", "olive adam mel max build-bot")
        .shows("max", "update_message", |s| {
            json!({
                "flags": ["read"], "orig_subject": "builds", "propagate_mode": "change_one",
                "new_stream_id": s.channel("town-square"), "subject": null, "topic_links": null,
            })
        }),
        // Nobody who is not subscribed where it goes has a row any more.
        Case::of(EDIT, "adam", |s| {
            json!({
                "message_id": s.message("Build 1041"), "stream_id": s.channel("quiet"),
                "send_notification_to_new_thread": false,
            })
        })
        .sends("update_message", "adam mel max build-bot"),
    ]
}

fn deleting() -> Vec<Case> {
    const DELETE: &str = "DELETE /messages/{message_id}";
    vec![
        Case::of(DELETE, "olive", |s| json!({"message_id": s.message("Welcome, @**Mel")}))
            .sends("delete_message", "everyone but out-bot")
            .sends("stream update first_message_id", "everyone but out-bot"),
        Case::of(DELETE, "olive", |s| json!({"message_id": s.message("Which logo")}))
            .after(
                "POST /users/me/subscriptions",
                "mona",
                |s| json!({"subscriptions": [{"name": "design"}], "principals": [id(s, "olive")]}),
            )
            .sends("delete_message", "olive mona mel max gus")
            .sends("stream update first_message_id", "olive mona mel max gus"),
        // Users who could read a message get the event of its deletion if they received, starred or reacted to it.
        Case::of(DELETE, "adam", |s| json!({"message_id": s.message("The release")}))
            .sends("delete_message", "olive adam mona mel max build-bot")
            .sends("stream update first_message_id", "olive adam mona mel max build-bot"),
        Case::of(DELETE, "mel", |s| json!({"message_id": newest(s)}))
            .after("POST /messages", "mel", |s| json!({"type": "direct", "to": [id(s, "gus")], "content": "one"}))
            .with_old_clients()
            .sends("delete_message message_id", "mel gus"),
        Case::of(
            "POST /streams/{stream_id}/delete_topic",
            "adam",
            |s| json!({"stream_id": s.channel("engineering"), "topic_name": "release 1.0"}),
        )
        .sends("delete_message", "olive adam mona mel max build-bot")
        .sends("stream update first_message_id", "olive adam mona mel max build-bot")
        .sends("muted_topics", "mel")
        .sends("user_topic", "mel"),
        deleting_lunch()
            .sends("delete_message", "everyone but out-bot")
            .sends("muted_topics", "mel nora")
            .sends("user_topic", "mel nora"),
        deleting_lunch()
            .with_old_clients()
            .sends("delete_message message_id", "everyone but out-bot")
            .sends("muted_topics", "mel nora"),
    ]
}

fn deleting_lunch() -> Case {
    let lunch = |s: &TestServer| json!({"stream_id": s.channel("general"), "topic_name": "lunch"});
    Case::of("POST /streams/{stream_id}/delete_topic", "adam", lunch).after(
        "POST /user_topics",
        "nora",
        |s| json!({"stream_id": s.channel("general"), "topic": "Lunch", "visibility_policy": 3}),
    )
}

fn reacting() -> Vec<Case> {
    const ADD: &str = "POST /messages/{message_id}/reactions";
    const REMOVE: &str = "DELETE /messages/{message_id}/reactions";
    vec![
        // Who had it before leaving, or starred it, follows it; who may merely look does not.
        Case::of(ADD, "mel", |s| json!({"message_id": s.message("The release"), "emoji_name": "tada"}))
            .sends("reaction add", "olive adam mona mel max build-bot"),
        // Who takes part follows the topic, if they want that.
        Case::of(ADD, "max", |s| json!({"message_id": s.message("The release"), "emoji_name": "tada"}))
            .after("PATCH /settings", "max", |_| json!({"automatically_follow_topics_policy": 1}))
            .sends("muted_topics", "max")
            .sends("user_topic", "max")
            .sends("reaction add", "olive adam mona mel max build-bot"),
        Case::of(ADD, "mona", |s| json!({"message_id": s.message("@**Mona Maddox** can see"), "emoji_name": "tada"}))
            .sends("reaction add", "olive adam mona"),
        Case::of(ADD, "mona", |s| json!({"message_id": s.message("Which logo"), "emoji_name": "tada"}))
            .sends("reaction add", "mona mel max gus"),
        Case::of(ADD, "mel", |s| json!({"message_id": s.message("Have you seen"), "emoji_name": "tada"}))
            .sends("reaction add", "mel max"),
        Case::of(REMOVE, "adam", |s| json!({"message_id": s.message("Welcome, @**Mel"), "emoji_name": "tada"}))
            .sends("reaction remove", "everyone but out-bot"),
    ]
}

fn widgets() -> Vec<Case> {
    const ADD: &str = "POST /submessage";
    let strike = |s: &TestServer| json!({"message_id": newest(s), "msg_type": "widget", "content": r#"{"type": "strike", "key": "canned,0"}"#});
    let begun = |_: &TestServer| json!({"type": "channel", "to": "design", "topic": "logo", "content": "/todo\nDraw"});
    vec![
        Case::of(ADD, "max", strike)
            .after("POST /messages", "mona", begun)
            .after("PATCH /settings", "max", |_| json!({"automatically_follow_topics_policy": 1}))
            .sends("muted_topics", "max")
            .sends("user_topic", "max")
            .sends("submessage", "mona mel max gus"),
        Case::of(ADD, "max", strike).after("POST /messages", "mona", begun).sends("submessage", "mona mel max gus"),
    ]
}

fn typing() -> Vec<Case> {
    const TYPING: &str = "POST /typing";
    const EDITING: &str = "POST /messages/{message_id}/typing";
    let mut cases = vec![
        Case::of(TYPING, "mel", |s| json!({"op": "stop", "to": [id(s, "max")]})).sends("typing stop", "mel max"),
        Case::of(
            TYPING,
            "mel",
            |s| json!({"op": "start", "type": "channel", "stream_id": s.channel("design"), "topic": "logo"}),
        )
        .sends("typing start", "mel mona max gus"),
        Case::of(
            TYPING,
            "mel",
            |s| json!({"op": "start", "type": "channel", "stream_id": s.channel("design"), "topic": "logo"}),
        )
        .with_old_clients(),
    ];
    for (op, event) in [("start", "typing_edit_message start"), ("stop", "typing_edit_message stop")] {
        let params: fn(&TestServer) -> serde_json::Value = match op {
            "start" => |s| json!({"message_id": newest(s), "op": "start"}),
            _ => |s| json!({"message_id": newest(s), "op": "stop"}),
        };
        cases.push(
            Case::of(EDITING, "mona", params)
                .after(
                    "POST /messages",
                    "mona",
                    |_| json!({"type": "channel", "to": "design", "topic": "logo", "content": "one"}),
                )
                .sends(event, "mona mel max gus"),
        );
    }
    cases.push(
        Case::of(EDITING, "mel", |s| json!({"message_id": newest(s), "op": "start"}))
            .after("POST /messages", "mel", |s| json!({"type": "direct", "to": [id(s, "max")], "content": "one"}))
            .sends("typing_edit_message start", "mel max"),
    );
    cases
}
