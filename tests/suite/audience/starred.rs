//! Starred messages that go out of sight and come back: users who starred them get events.

use super::case::{Case, group, id};
use crate::support::TestServer;
use crate::tokens::token_of;
use serde_json::{Value, json};

type Params = fn(&TestServer) -> Value;

const FLAGS: &str = "POST /messages/flags";
const EDIT_CHANNEL: &str = "PATCH /streams/{stream_id}";
const MEMBERS: &str = "POST /user_groups/{user_group_id}/members";
const SUBGROUPS: &str = "POST /user_groups/{user_group_id}/subgroups";
const ADD: &str = "update_message_flags add starred";
const REMOVE: &str = "update_message_flags remove starred";

pub fn cases() -> Vec<Case> {
    [by_subscription(), by_role(), by_group(), by_change()].into_iter().flatten().collect()
}

/// Starred in a private channel.
fn logo(s: &TestServer) -> Value {
    json!({"messages": [s.message("Which logo")], "op": "add", "flag": "starred"})
}

/// Starred in a public one.
fn release(s: &TestServer) -> Value {
    json!({"messages": [s.message("The release")], "op": "add", "flag": "starred"})
}

fn by_subscription() -> Vec<Case> {
    const LEAVE: &str = "DELETE /users/me/subscriptions";
    let leaving = |way, params| {
        Case::of(way, "max", params)
            .after(FLAGS, "max", logo)
            .sends(REMOVE, "max")
            .sends("subscription peer_remove", "olive adam mona mel gus")
            .sends("subscription remove", "max")
            .sends("stream delete", "max")
            .sends("update_message_flags add read", "max")
    };
    let coming = |way, by, params| {
        Case::of(way, by, params)
            .after(FLAGS, "max", logo)
            .after(LEAVE, "max", |_| json!({"subscriptions": ["design"]}))
            .sends(ADD, "max")
            .sends("subscription add", "max")
    };
    vec![
        leaving(LEAVE, |_| json!({"subscriptions": ["design"]})),
        leaving("PATCH /users/me/subscriptions", |_| json!({"delete": ["design"]})),
        coming(
            "POST /users/me/subscriptions",
            "mona",
            |s| json!({"subscriptions": [{"name": "design"}], "principals": [id(s, "max")]}),
        )
        .sends("stream create", "max")
        .sends("subscription peer_add", "olive adam mona mel gus")
        .sends("message", "max"),
    ]
}

fn by_role() -> Vec<Case> {
    const BOT: &str = "PATCH /bots/{bot_id}";
    let changed = |way, params: Params| {
        Case::of(way, "olive", params)
            .after(FLAGS, "out-bot", release)
            .sends("realm_user update role", "everyone")
            .sends("user_group remove_members", "everyone")
            .sends("user_group add_members", "everyone")
    };
    let loss = |way, params| changed(way, params).sends("stream delete", "out-bot").sends(REMOVE, "out-bot");
    let gain = |way, params| {
        changed(way, params)
            .after(BOT, "olive", |s| json!({"bot_id": id(s, "out-bot"), "role": 600}))
            .sends("stream create", "out-bot")
            .sends("subscription peer_add", "out-bot")
            .sends(ADD, "out-bot")
    };
    vec![
        loss("PATCH /users/{user_id}", |s| json!({"user_id": id(s, "out-bot"), "role": 600})),
        loss("PATCH /users/{email}", |_| json!({"email": "out-bot@chat.test", "role": 600})),
        loss(BOT, |s| json!({"bot_id": id(s, "out-bot"), "role": 600})),
        gain("PATCH /users/{user_id}", |s| json!({"user_id": id(s, "out-bot"), "role": 400})),
        gain("PATCH /users/{email}", |_| json!({"email": "out-bot@chat.test", "role": 400})),
        gain(BOT, |s| json!({"bot_id": id(s, "out-bot"), "role": 400})),
    ]
}

/// Whoever is in `engineers` reads `design`. Nora comes in as a member, or with all members.
fn by_group() -> Vec<Case> {
    let add_nora: Params = |s| json!({"user_group_id": group(s, "engineers"), "add": [id(s, "nora")]});
    let remove_nora: Params = |s| json!({"user_group_id": group(s, "engineers"), "delete": [id(s, "nora")]});
    let add_all: Params = |s| json!({"user_group_id": group(s, "engineers"), "add": [group(s, "role:members")]});
    let remove_all: Params = |s| json!({"user_group_id": group(s, "engineers"), "delete": [group(s, "role:members")]});
    let starred = |way, entered: Params| {
        move |params| {
            Case::of(way, "adam", params)
                .after(EDIT_CHANNEL, "mona", |s| {
                    json!({"stream_id": s.channel("design"), "can_subscribe_group": {"new": group(s, "engineers")}})
                })
                .after(way, "adam", entered)
                .after(FLAGS, "nora", logo)
        }
    };
    let one = starred(MEMBERS, add_nora);
    let all = starred(SUBGROUPS, add_all);
    const MANY: &str = "nora ivy build-bot out-bot";
    vec![
        one(remove_nora)
            .sends("user_group remove_members", "everyone")
            .sends("message", "nora")
            .sends("stream delete", "nora")
            .sends(REMOVE, "nora"),
        one(add_nora)
            .after(MEMBERS, "adam", remove_nora)
            .sends("user_group add_members", "everyone")
            .sends("message", "nora")
            .sends("stream create", "nora")
            .sends("subscription peer_add", "nora")
            .sends(ADD, "nora"),
        all(remove_all)
            .sends("user_group remove_subgroups", "everyone")
            .sends("stream delete", MANY)
            .sends(REMOVE, "nora"),
        all(add_all)
            .after(SUBGROUPS, "adam", remove_all)
            .sends("user_group add_subgroups", "everyone")
            .sends("stream create", MANY)
            .sends("subscription peer_add", MANY)
            .sends(ADD, "nora"),
    ]
}

fn by_change() -> Vec<Case> {
    vec![
        Case::of(EDIT_CHANNEL, "adam", |s| json!({"stream_id": s.channel("engineering"), "is_private": true}))
            .after(FLAGS, "nora", release)
            .sends("stream update invite_only", "olive adam mel max build-bot")
            .sends("stream delete", "mona nora ivy out-bot")
            .sends("message", "adam mel max build-bot")
            .sends(REMOVE, "olive nora"),
        Case::of(EDIT_CHANNEL, "adam", |s| json!({"stream_id": s.channel("engineering"), "is_private": false}))
            .after(FLAGS, "nora", release)
            .after(EDIT_CHANNEL, "adam", |s| json!({"stream_id": s.channel("engineering"), "is_private": true}))
            .sends("stream create", "mona nora ivy out-bot")
            .sends("subscription peer_add", "mona nora ivy out-bot")
            .sends("stream update invite_only", "olive adam mel max build-bot")
            .sends("message", "adam mel max build-bot")
            .sends(ADD, "olive nora"),
        // Out of a private channel that Max has left.
        Case::of("PATCH /messages/{message_id}", "mona", |s| {
            json!({
                "message_id": s.message("Which logo"), "stream_id": s.channel("engineering"), "topic": "logo",
                "send_notification_to_new_thread": false,
            })
        })
        .after(FLAGS, "max", logo)
        .after("DELETE /users/me/subscriptions", "max", |_| json!({"subscriptions": ["design"]}))
        .sends("update_message", "mona mel max")
        .sends("delete_message", "gus")
        .sends(ADD, "max")
        .sends("stream update first_message_id", "olive adam mona mel gus"),
        // A stub that becomes a new member at the first login is no full one any more.
        first_login("POST /dev_fetch_api_key", |_| json!({"username": "ivy@chat.test"})),
        first_login("POST /fetch_api_key", |_| json!({"username": "ivy@chat.test", "password": "ivy-password-7421"})),
        first_login("POST /jwt/fetch_api_key", |_| json!({"token": token_of("ivy@chat.test")})),
    ]
}

fn first_login(way: &'static str, params: Params) -> Case {
    Case::of(way, "mel", params)
        .after(
            EDIT_CHANNEL,
            "mona",
            |s| json!({"stream_id": s.channel("design"), "can_subscribe_group": {"new": group(s, "role:fullmembers")}}),
        )
        .after(FLAGS, "ivy", logo)
        .sends("realm_user update is_imported_stub", "everyone")
        .sends("realm_user update date_joined", "everyone")
        .sends("user_group remove_members", "everyone")
        .sends("stream delete", "ivy")
        .sends(REMOVE, "ivy")
}
