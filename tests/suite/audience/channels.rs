//! Channels: made, changed, hidden, archived and brought back.

use super::case::{Case, group, id};
use serde_json::json;

const EDIT: &str = "PATCH /streams/{stream_id}";

pub fn cases() -> Vec<Case> {
    [making(), changing(), opening(), closing(), archiving()].into_iter().flatten().collect()
}

fn making() -> Vec<Case> {
    const CREATE: &str = "POST /channels/create";
    let limited = Case::of(CREATE, "adam", |s| json!({"name": "new", "subscribers": [id(s, "ivy"), id(s, "gus")]}))
        .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
        .with_limited_guests();
    vec![
        limited
            .sends("realm_user add", "gus")
            .sends("stream create", "everyone")
            .sends("subscription add", "ivy gus")
            .sends("subscription peer_add", "everyone but ivy gus")
            .sends("message", "ivy gus"),
        // Guests see a public channel when they are in it.
        Case::of(CREATE, "adam", |s| {
            json!({"name": "new", "subscribers": [id(s, "max"), id(s, "gus")], "announce": true})
        })
        .sends("stream create", "everyone")
        .sends("subscription add", "max gus")
        .sends("subscription peer_add", "everyone but max gus")
        .sends("message", "everyone but out-bot"),
        Case::of(CREATE, "adam", |s| json!({"name": "new", "subscribers": [id(s, "adam")], "invite_only": true}))
            .sends("stream create", "olive adam")
            .sends("subscription add", "adam")
            .sends("subscription peer_add", "olive")
            .sends("message", "adam"),
        Case::of(CREATE, "mel", |s| {
            json!({
                "name": "new", "subscribers": [id(s, "mel")], "invite_only": true,
                "can_administer_channel_group": group(s, "engineers"),
            })
        })
        .sends("stream create", "olive adam mona mel max")
        .sends("subscription add", "mel")
        .sends("subscription peer_add", "olive adam mona max")
        .sends("message", "mel"),
        Case::of(CREATE, "olive", |s| {
            json!({"name": "new", "subscribers": [id(s, "olive")], "is_web_public": true, "is_default_stream": true})
        })
        .sends("stream create", "everyone")
        .sends("subscription add", "olive")
        .sends("subscription peer_add", "everyone but olive")
        .sends("default_streams", "everyone but gus")
        .sends("message", "olive"),
    ]
}

fn changing() -> Vec<Case> {
    vec![
        Case::of(EDIT, "mona", |s| json!({"stream_id": s.channel("design"), "description": "Pictures"}))
            .sends("stream update rendered_description", "olive adam mona mel max gus")
            .sends("message", "mona mel max gus"),
        Case::of(EDIT, "adam", |s| json!({"stream_id": s.channel("engineering"), "new_name": "building"}))
            .sends("stream update name", "everyone but gus")
            .sends("message", "adam mel max build-bot"),
        Case::of(EDIT, "olive", |s| json!({"stream_id": s.channel("town-square"), "folder_id": 1}))
            .sends("stream update folder_id", "everyone")
            .sends("message", "olive mel gus"),
        Case::of(EDIT, "adam", |s| json!({"stream_id": s.channel("quiet"), "is_default_stream": true}))
            .sends("default_streams", "everyone but gus"),
        Case::of(EDIT, "adam", |s| {
            json!({"stream_id": s.channel("engineering"), "can_send_message_group": {"new": group(s, "role:administrators")}})
        })
        .sends("stream update can_send_message_group", "everyone but gus")
        .sends("stream update stream_post_policy", "everyone but gus")
        .sends("stream update is_announcement_only", "everyone but gus")
        .sends("message", "adam mel max build-bot"),
    ]
}

fn opening() -> Vec<Case> {
    vec![
        // The content stays hidden from those who merely may administer it.
        Case::of(EDIT, "mona", |s| {
            json!({"stream_id": s.channel("design"), "can_administer_channel_group": {"new": group(s, "role:moderators")}})
        })
        .sends("stream update can_administer_channel_group", "olive adam mona mel max gus"),
        Case::of(EDIT, "mona", |s| {
            json!({"stream_id": s.channel("design"), "can_add_subscribers_group": {"new": group(s, "role:members")}})
        })
        .sends("stream create", "nora ivy build-bot out-bot")
        .sends("subscription peer_add", "nora ivy build-bot out-bot")
        .sends("stream update can_add_subscribers_group", "olive adam mona mel max gus"),
        Case::of(EDIT, "mona", |s| json!({"stream_id": s.channel("design"), "is_private": false}))
            .sends("stream create", "nora ivy build-bot out-bot")
            .sends("subscription peer_add", "nora ivy build-bot out-bot")
            .sends("stream update invite_only", "olive adam mona mel max gus")
            .sends("message", "mona mel max gus"),
        Case::of(EDIT, "olive", |s| json!({"stream_id": s.channel("engineering"), "is_web_public": true}))
            .sends("stream create", "gus")
            .sends("subscription peer_add", "gus")
            .sends("stream update invite_only", "everyone but gus")
            .sends("message", "adam mel max build-bot"),
    ]
}

fn closing() -> Vec<Case> {
    vec![
        Case::of(EDIT, "adam", |s| json!({"stream_id": s.channel("engineering"), "is_private": true}))
            .sends("stream update invite_only", "olive adam mel max build-bot")
            .sends("stream delete", "mona nora ivy out-bot")
            .sends("message", "adam mel max build-bot"),
        Case::of(EDIT, "olive", |s| json!({"stream_id": s.channel("town-square"), "is_web_public": false}))
            .sends("stream update invite_only", "everyone")
            .sends("message", "olive mel gus"),
        Case::of(EDIT, "mona", |s| {
            json!({"stream_id": s.channel("design"), "can_add_subscribers_group": {"new": group(s, "role:nobody")}})
        })
        .after(EDIT, "mona", |s| {
            json!({"stream_id": s.channel("design"), "can_add_subscribers_group": {"new": group(s, "role:members")}})
        })
        .sends("stream update can_add_subscribers_group", "olive adam mona mel max gus")
        .sends("stream delete", "nora ivy build-bot out-bot"),
    ]
}

fn archiving() -> Vec<Case> {
    const ARCHIVE: &str = "DELETE /streams/{stream_id}";
    vec![
        Case::of(ARCHIVE, "olive", |s| json!({"stream_id": s.channel("general")}))
            .sends("message", "everyone but out-bot")
            .sends("default_streams", "everyone but gus")
            .sends("realm update_dict new_stream_announcements_stream_id", "everyone")
            .sends("stream update is_archived", "everyone"),
        Case::of(ARCHIVE, "olive", |s| json!({"stream_id": s.channel("engineering")}))
            .with_old_clients()
            .sends("stream delete", "everyone but gus"),
        Case::of(ARCHIVE, "mona", |s| json!({"stream_id": s.channel("design")}))
            .sends("message", "mona mel max gus")
            .sends("stream update is_archived", "olive adam mona mel max gus"),
        Case::of(EDIT, "olive", |s| json!({"stream_id": s.channel("attic"), "is_archived": false}))
            .sends("stream update is_archived", "everyone but gus")
            .sends("message", "olive mel"),
        Case::of(EDIT, "olive", |s| json!({"stream_id": s.channel("attic"), "is_archived": false}))
            .with_old_clients()
            .sends("stream create", "everyone but gus")
            .sends("subscription add", "olive mel")
            .sends("subscription peer_add", "everyone but olive mel gus"),
    ]
}
