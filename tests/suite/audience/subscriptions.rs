//! Subscriptions: to those who come and go, and to those who may see who does.

use super::case::{Case, id};
use serde_json::json;

const SUBSCRIBE: &str = "POST /users/me/subscriptions";
const UNSUBSCRIBE: &str = "DELETE /users/me/subscriptions";
const BOTH: &str = "PATCH /users/me/subscriptions";

pub fn cases() -> Vec<Case> {
    [coming(), making(), leaving()].into_iter().flatten().collect()
}

fn coming() -> Vec<Case> {
    vec![
        Case::of(SUBSCRIBE, "nora", |_| json!({"subscriptions": [{"name": "engineering"}]}))
            .sends("subscription add", "nora")
            .sends("subscription peer_add", "everyone but nora gus"),
        // Who could not see it is shown it first; the notification bot tells people, not bots.
        Case::of(
            SUBSCRIBE,
            "mona",
            |s| json!({"subscriptions": [{"name": "design"}], "principals": [id(s, "nora"), id(s, "build-bot")]}),
        )
        .sends("stream create", "nora build-bot")
        .sends("subscription add", "nora build-bot")
        .sends("subscription peer_add", "olive adam mona mel max gus")
        .sends("message", "nora"),
        Case::of(SUBSCRIBE, "adam", |s| json!({"subscriptions": [{"name": "quiet"}], "principals": [id(s, "gus")]}))
            .sends("stream create", "gus")
            .sends("subscription add", "gus")
            .sends("subscription peer_add", "everyone but gus")
            .sends("message", "gus"),
        // Gus comes to know users in engineering who share nothing else with him.
        Case::of(
            SUBSCRIBE,
            "adam",
            |s| json!({"subscriptions": [{"name": "announcements"}], "principals": [id(s, "gus")]}),
        )
        .after(UNSUBSCRIBE, "gus", |_| json!({"subscriptions": ["general"]}))
        .with_limited_guests()
        .sends("realm_user add", "gus")
        .sends("stream create", "gus")
        .sends("subscription add", "gus")
        .sends("subscription peer_add", "everyone but gus")
        .sends("message", "gus"),
    ]
}

fn making() -> Vec<Case> {
    vec![
        Case::of(SUBSCRIBE, "olive", |_| json!({"subscriptions": [{"name": "new"}], "is_default_stream": true}))
            .sends("stream create", "everyone but gus")
            .sends("subscription add", "olive")
            .sends("subscription peer_add", "everyone but gus olive")
            .sends("default_streams", "everyone but gus")
            .sends("message", "olive"),
    ]
}

fn leaving() -> Vec<Case> {
    vec![
        Case::of(UNSUBSCRIBE, "max", |_| json!({"subscriptions": ["engineering"]}))
            .sends("subscription peer_remove", "everyone but max gus")
            .sends("subscription remove", "max")
            .sends("update_message_flags add read", "max"),
        Case::of(UNSUBSCRIBE, "mel", |_| json!({"subscriptions": ["design"]}))
            .sends("subscription peer_remove", "olive adam mona max gus")
            .sends("subscription remove", "mel")
            .sends("stream delete", "mel")
            .sends("update_message_flags add read", "mel"),
        // An administrator still sees it.
        Case::of(UNSUBSCRIBE, "adam", |_| json!({"subscriptions": ["leadership"]}))
            .sends("subscription peer_remove", "olive mona")
            .sends("subscription remove", "adam"),
        Case::of(
            UNSUBSCRIBE,
            "olive",
            |s| json!({"subscriptions": ["general"], "principals": [id(s, "gus"), id(s, "ivy")]}),
        )
        .sends("subscription peer_remove", "everyone")
        .sends("subscription remove", "gus ivy")
        .sends("stream delete", "gus")
        .sends("update_message_flags add read", "gus"),
        Case::of(UNSUBSCRIBE, "olive", |s| json!({"subscriptions": ["general"], "principals": [id(s, "gus")]}))
            .with_limited_guests()
            .sends("subscription peer_remove", "everyone but gus")
            .sends("subscription remove", "gus")
            .sends("stream delete", "gus")
            .sends("update_message_flags add read", "gus")
            .sends("realm_user remove", "gus"),
    ]
}

/// Of the operation that does both, which is gone at 512.
pub fn former_cases() -> Vec<Case> {
    vec![
        Case::of(BOTH, "nora", |_| json!({"delete": ["general"]}))
            .with_limited_guests()
            .sends("subscription peer_remove", "everyone but nora")
            .sends("subscription remove", "nora")
            .sends("realm_user remove", "gus"),
        Case::of(BOTH, "ivy", |_| json!({"add": [{"name": "town-square"}]}))
            .after(UNSUBSCRIBE, "gus", |_| json!({"subscriptions": ["general"]}))
            .with_limited_guests()
            .sends("realm_user add", "gus")
            .sends("subscription add", "ivy")
            .sends("subscription peer_add", "everyone but ivy"),
        Case::of(BOTH, "max", |_| json!({"add": [{"name": "new"}], "delete": ["design"]}))
            .sends("stream create", "everyone but gus")
            .sends("subscription add", "max")
            .sends("subscription peer_add", "everyone but gus max")
            .sends("message", "max")
            .sends("subscription peer_remove", "olive adam mona mel gus")
            .sends("subscription remove", "max")
            .sends("stream delete", "max")
            .sends("update_message_flags add read", "max"),
    ]
}
