//! What belongs to the organization: folders, defaults, emoji, linkifiers, profile fields, invitations.

use super::case::{Case, PICTURE, group};
use crate::support::TestServer;
use chatdouble::realm::agenda::AgendaItem;
use chatdouble::realm::export::{ExportKind, ExportState};
use chatdouble::realm::id::UserId;
use chatdouble::realm::tx::Tx;
use serde_json::{Value, json};
use std::sync::Arc;

pub fn cases() -> Vec<Case> {
    [settings(), default_groups(), folders(), lists(), emoji(), invitations(), exports()]
        .into_iter()
        .flatten()
        .collect()
}

fn settings() -> Vec<Case> {
    const EDIT: &str = "PATCH /realm";
    const FULL: &str = "role:fullmembers";
    let waiting = |params| {
        Case::of(EDIT, "olive", params).after(
            "PATCH /streams/{stream_id}",
            "mona",
            |s| json!({"stream_id": s.channel("design"), "can_subscribe_group": {"new": group(s, FULL)}}),
        )
    };
    vec![
        Case::of(EDIT, "adam", |_| json!({"name": "Double", "digest_weekday": 3})).sends("realm update", "everyone"),
        Case::of(EDIT, "olive", |s| json!({"can_create_groups": {"new": group(s, "role:owners")}}))
            .sends("realm update_dict can_create_groups", "everyone"),
        Case::of(EDIT, "olive", |_| json!({"authentication_methods": {"Dev": false}}))
            .sends("realm update_dict authentication_methods", "everyone"),
        waiting(|_| json!({"waiting_period_threshold": 0}))
            .sends("realm update", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("stream create", "nora")
            .sends("subscription peer_add", "nora"),
        waiting(|_| json!({"waiting_period_threshold": 50}))
            .sends("realm update", "everyone")
            .sends("user_group remove_members", "everyone")
            .sends("stream delete", "ivy"),
        // Gus shares nothing with Nora once he has left the channel of all.
        Case::of(EDIT, "adam", |s| json!({"can_access_all_users_group": {"new": group(s, "role:members")}}))
            .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
            .sends("realm update_dict can_access_all_users_group", "everyone")
            .sends("realm_user remove", "gus"),
        Case::of(EDIT, "adam", |s| json!({"can_access_all_users_group": {"new": group(s, "role:everyone")}}))
            .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
            .with_limited_guests()
            .sends("realm update_dict can_access_all_users_group", "everyone")
            .sends("realm_user add", "gus"),
        Case::of("PATCH /realm/user_settings_defaults", "adam", |_| json!({"color_scheme": 2}))
            .sends("realm_user_settings_defaults update", "everyone"),
        Case::of("POST /realm/icon", "adam", |_| json!({}))
            .uploading("icon.png", "image/png", PICTURE)
            .sends("realm update_dict icon", "everyone"),
        Case::of("DELETE /realm/icon", "adam", |_| json!({})).sends("realm update_dict icon", "everyone"),
        Case::of("POST /realm/logo", "adam", |_| json!({"night": true}))
            .uploading("logo.png", "image/png", PICTURE)
            .sends("realm update_dict night_logo", "everyone"),
        Case::of("DELETE /realm/logo", "adam", |_| json!({"night": false})).sends("realm update_dict logo", "everyone"),
        Case::of(
            "POST /realm/test_welcome_bot_custom_message",
            "adam",
            |_| json!({"welcome_message_custom_text": "Make yourself at home"}),
        )
        .sends("message private", "adam"),
        Case::of("POST /realm/playgrounds", "adam", playground).sends("realm_playgrounds", "everyone"),
        Case::of("DELETE /realm/playgrounds/{playground_id}", "adam", |_| json!({"playground_id": 1}))
            .after("POST /realm/playgrounds", "adam", playground)
            .after(EDIT, "adam", |_| json!({"default_code_block_language": "Rust"}))
            .sends("realm update default_code_block_language", "everyone")
            .sends("realm_playgrounds", "everyone"),
        Case::of("POST /realm/domains", "olive", |_| json!({"domain": "example.com", "allow_subdomains": true}))
            .sends("realm_domains add", "everyone"),
        Case::of(
            "PATCH /realm/domains/{domain}",
            "olive",
            |_| json!({"domain": "chat.test", "allow_subdomains": true}),
        )
        .sends("realm_domains change", "everyone"),
        Case::of("DELETE /realm/domains/{domain}", "olive", |_| json!({"domain": "chat.test"}))
            .after(EDIT, "olive", |_| json!({"emails_restricted_to_domains": true}))
            .sends("realm_domains remove", "everyone")
            .sends("realm update emails_restricted_to_domains", "everyone"),
    ]
}

fn playground(_: &TestServer) -> Value {
    json!({"name": "Play", "pygments_language": "Rust", "url_template": "https://play.example.com/?code={code}"})
}

fn default_groups() -> Vec<Case> {
    const CREATE: &str = "POST /default_stream_groups/create";
    let create: fn(&TestServer) -> Value =
        |_| json!({"group_name": "Builders", "description": "", "stream_names": ["engineering"]});
    let changed = |way, params| Case::of(way, "adam", params).after(CREATE, "adam", create);
    const TO: &str = "everyone but gus";
    vec![
        Case::of(CREATE, "adam", create).sends("default_stream_groups", TO),
        changed("PATCH /default_stream_groups/{group_id}", |_| json!({"group_id": 1, "new_description": "x"}))
            .sends("default_stream_groups", TO),
        changed(
            "PATCH /default_stream_groups/{group_id}/streams",
            |_| json!({"group_id": 1, "op": "add", "stream_names": ["quiet"]}),
        )
        .sends("default_stream_groups", TO),
        changed("DELETE /default_stream_groups/{group_id}", |_| json!({"group_id": 1}))
            .sends("default_stream_groups", TO),
        changed("DELETE /streams/{stream_id}", |s| json!({"stream_id": s.channel("engineering")}))
            .sends("message", "adam mel max build-bot")
            .sends("default_stream_groups", TO)
            .sends("stream update is_archived", TO),
        changed("PATCH /streams/{stream_id}", |s| json!({"stream_id": s.channel("engineering"), "is_private": true}))
            .sends("stream update invite_only", "olive adam mel max build-bot")
            .sends("stream delete", "mona nora ivy out-bot")
            .sends("default_stream_groups", TO)
            .sends("message", "adam mel max build-bot"),
    ]
}

fn folders() -> Vec<Case> {
    const EDIT: &str = "PATCH /channel_folders/{channel_folder_id}";
    vec![
        Case::of("POST /channel_folders/create", "adam", |_| json!({"name": "New", "description": ""}))
            .sends("channel_folder add", "everyone"),
        Case::of(EDIT, "adam", |_| json!({"channel_folder_id": 1, "name": "Goods", "description": "All"}))
            .sends("channel_folder update", "everyone"),
        Case::of("PATCH /channel_folders", "adam", |_| json!({"order": [2, 1]}))
            .sends("channel_folder reorder", "everyone"),
    ]
}

fn lists() -> Vec<Case> {
    const FILTERS: &str = "POST /realm/filters";
    const FILTER: &str = "PATCH /realm/filters/{filter_id}";
    const FIELD: &str = "PATCH /realm/profile_fields/{field_id}";
    vec![
        Case::of("POST /default_streams", "adam", |s| json!({"stream_id": s.channel("quiet")}))
            .sends("default_streams", "everyone but gus"),
        Case::of("DELETE /default_streams", "adam", |s| json!({"stream_id": s.channel("general")}))
            .sends("default_streams", "everyone but gus"),
        Case::of(FILTERS, "adam", |_| json!({"pattern": "x(?P<id>[0-9]+)", "url_template": "https://x.test/{id}"}))
            .sends("realm_linkifiers", "everyone"),
        Case::of(FILTERS, "adam", |_| json!({"pattern": "x(?P<id>[0-9]+)", "url_template": "https://x.test/{id}"}))
            .with_old_clients(),
        Case::of(
            FILTER,
            "adam",
            |_| json!({"filter_id": 1, "pattern": "x(?P<id>[0-9]+)", "url_template": "https://x.test/{id}"}),
        )
        .sends("realm_linkifiers", "everyone"),
        Case::of("DELETE /realm/filters/{filter_id}", "adam", |_| json!({"filter_id": 1}))
            .sends("realm_linkifiers", "everyone"),
        Case::of("PATCH /realm/linkifiers", "adam", |_| json!({"ordered_linkifier_ids": [2, 1]}))
            .sends("realm_linkifiers", "everyone"),
        Case::of("POST /realm/profile_fields", "adam", |_| json!({"name": "Shoe size", "field_type": 1}))
            .sends("custom_profile_fields", "everyone"),
        Case::of("PATCH /realm/profile_fields", "adam", |_| json!({"order": [9, 8, 7, 6, 5, 4, 3, 2, 1]}))
            .sends("custom_profile_fields", "everyone"),
        // A choice that goes takes the values of those who made it.
        Case::of(FIELD, "adam", |_| json!({"field_id": 3, "field_data": {"ed": {"text": "Ed", "order": "1"}}}))
            .sends("custom_profile_fields", "everyone"),
        Case::of("DELETE /realm/profile_fields/{field_id}", "adam", |_| json!({"field_id": 3}))
            .sends("custom_profile_fields", "everyone"),
    ]
}

fn emoji() -> Vec<Case> {
    const ADD: &str = "POST /realm/emoji/{emoji_name}";
    const END: &str = "DELETE /realm/emoji/{emoji_name}";
    vec![
        Case::of(ADD, "mel", |_| json!({"emoji_name": "blue"}))
            .uploading("blue.png", "image/png", PICTURE)
            .sends("realm_emoji add", "everyone"),
        Case::of(ADD, "mel", |_| json!({"emoji_name": "blue"}))
            .uploading("blue.png", "image/png", PICTURE)
            .with_old_clients()
            .sends("realm_emoji update", "everyone"),
        Case::of(END, "mel", |_| json!({"emoji_name": "green_box"})).sends("realm_emoji update_one", "everyone"),
        Case::of(END, "mel", |_| json!({"emoji_name": "green_box"}))
            .with_old_clients()
            .sends("realm_emoji update", "everyone"),
    ]
}

fn exports() -> Vec<Case> {
    let ready = |tx: &mut Tx| {
        let id = tx.add_export(ExportKind::Public, UserId(1));
        tx.schedule(AgendaItem::Export(id), None);
        let export = tx.realm_mut().exports.get_mut(&id).expect("it was begun");
        Arc::make_mut(export).state = ExportState::Ready;
    };
    vec![
        Case::of("POST /export/realm", "adam", |_| json!({})).sends("realm_export", "olive adam"),
        Case::of("DELETE /export/realm/{export_id}", "adam", |_| json!({"export_id": 1}))
            .arranged(ready)
            .sends("realm_export", "olive adam"),
        Case::of("PATCH /settings", "mel", |_| json!({"allow_private_data_export": true}))
            .sends("user_settings update", "mel")
            .sends("realm_export_consent", "olive adam"),
    ]
}

fn invitations() -> Vec<Case> {
    const LINK: &str = "POST /invites/multiuse";
    const SEND: &str = "POST /invites";
    vec![
        Case::of(LINK, "max", |_| json!({})).sends("invites_changed", "olive adam max"),
        Case::of(LINK, "adam", |_| json!({})).sends("invites_changed", "olive adam"),
        Case::of(SEND, "max", |_| json!({"invitee_emails": "new@example.com", "stream_ids": []}))
            .sends("invites_changed", "olive adam max"),
        Case::of("DELETE /invites/multiuse/{invite_id}", "olive", |_| json!({"invite_id": 1}))
            .sends("invites_changed", "olive adam mel"),
        Case::of("DELETE /invites/{invite_id}", "olive", |_| json!({"invite_id": 2}))
            .after(SEND, "max", |_| json!({"invitee_emails": "new@example.com", "stream_ids": []}))
            .sends("invites_changed", "olive adam max"),
        Case::of("POST /invites/{invite_id}/resend", "olive", |_| json!({"invite_id": 1})),
    ]
}
