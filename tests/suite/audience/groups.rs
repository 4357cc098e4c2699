//! User groups: all users get the events, and users who see more or less by them get more.

use super::case::{Case, group, id};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    [making(), changing(), joining(), revealing()].into_iter().flatten().collect()
}

fn making() -> Vec<Case> {
    vec![
        Case::of(
            "POST /user_groups/create",
            "mel",
            |s| json!({"name": "new", "description": "", "members": [id(s, "max")], "subgroups": [group(s, "leads")]}),
        )
        .sends("user_group add", "everyone")
        .sends("user_group add_subgroups", "everyone"),
    ]
}

fn changing() -> Vec<Case> {
    const EDIT: &str = "PATCH /user_groups/{user_group_id}";
    const END: &str = "POST /user_groups/{user_group_id}/deactivate";
    vec![
        Case::of(EDIT, "adam", |s| json!({"user_group_id": group(s, "engineers"), "name": "builders"}))
            .sends("user_group update", "everyone"),
        Case::of(EDIT, "olive", |s| json!({"user_group_id": group(s, "old-timers"), "description": "Once"}))
            .sends("user_group update", "everyone"),
        Case::of(EDIT, "olive", |s| json!({"user_group_id": group(s, "old-timers"), "description": "Once"}))
            .with_old_clients(),
        Case::of(EDIT, "olive", |s| json!({"user_group_id": group(s, "old-timers"), "deactivated": false}))
            .sends("user_group update deactivated", "everyone"),
        Case::of(EDIT, "olive", |s| json!({"user_group_id": group(s, "old-timers"), "deactivated": false}))
            .with_old_clients()
            .sends("user_group add", "everyone"),
        Case::of(END, "adam", |s| json!({"user_group_id": group(s, "engineers")}))
            .sends("user_group update deactivated", "everyone"),
        Case::of(END, "adam", |s| json!({"user_group_id": group(s, "engineers")}))
            .with_old_clients()
            .sends("user_group remove", "everyone"),
    ]
}

fn joining() -> Vec<Case> {
    const MEMBERS: &str = "POST /user_groups/{user_group_id}/members";
    const SUBGROUPS: &str = "POST /user_groups/{user_group_id}/subgroups";
    vec![
        Case::of(
            MEMBERS,
            "adam",
            |s| json!({"user_group_id": group(s, "engineers"), "add": [id(s, "nora"), id(s, "out-bot")]}),
        )
        .sends("user_group add_members", "everyone")
        .sends("message", "nora"),
        Case::of(MEMBERS, "adam", |s| json!({"user_group_id": group(s, "engineers"), "delete": [id(s, "max")]}))
            .sends("user_group remove_members", "everyone")
            .sends("message", "max"),
        Case::of(MEMBERS, "adam", |s| {
            json!({
                "user_group_id": group(s, "engineers"), "delete_subgroups": [group(s, "leads")],
                "add_subgroups": [group(s, "role:owners")],
            })
        })
        .sends("user_group remove_subgroups", "everyone")
        .sends("user_group add_subgroups", "everyone"),
        Case::of(SUBGROUPS, "adam", |s| {
            json!({
                "user_group_id": group(s, "engineers"), "delete": [group(s, "leads")],
                "add": [group(s, "role:owners")],
            })
        })
        .sends("user_group remove_subgroups", "everyone")
        .sends("user_group add_subgroups", "everyone"),
    ]
}

/// Whoever is in `engineers` may subscribe themselves to `design`, and therefore reads it.
fn revealing() -> Vec<Case> {
    const MEMBERS: &str = "POST /user_groups/{user_group_id}/members";
    const SUBGROUPS: &str = "POST /user_groups/{user_group_id}/subgroups";
    let revealed = |way, params| {
        Case::of(way, "adam", params).after(
            "PATCH /streams/{stream_id}",
            "mona",
            |s| json!({"stream_id": s.channel("design"), "can_subscribe_group": {"new": group(s, "engineers")}}),
        )
    };
    vec![
        revealed(MEMBERS, |s| json!({"user_group_id": group(s, "engineers"), "add": [id(s, "nora")]}))
            .sends("user_group add_members", "everyone")
            .sends("message", "nora")
            .sends("stream create", "nora")
            .sends("subscription peer_add", "nora"),
        revealed(MEMBERS, |s| json!({"user_group_id": group(s, "engineers"), "delete": [id(s, "nora")]}))
            .after(MEMBERS, "adam", |s| json!({"user_group_id": group(s, "engineers"), "add": [id(s, "nora")]}))
            .sends("user_group remove_members", "everyone")
            .sends("message", "nora")
            .sends("stream delete", "nora"),
        // All members come to see it; guests never do.
        revealed(SUBGROUPS, |s| json!({"user_group_id": group(s, "engineers"), "add": [group(s, "role:everyone")]}))
            .sends("user_group add_subgroups", "everyone")
            .sends("stream create", "nora ivy build-bot out-bot")
            .sends("subscription peer_add", "nora ivy build-bot out-bot"),
        revealed(SUBGROUPS, |s| json!({"user_group_id": group(s, "engineers"), "delete": [group(s, "role:everyone")]}))
            .after(
                SUBGROUPS,
                "adam",
                |s| json!({"user_group_id": group(s, "engineers"), "add": [group(s, "role:everyone")]}),
            )
            .sends("user_group remove_subgroups", "everyone")
            .sends("stream delete", "nora ivy build-bot out-bot"),
    ]
}
