//! Accounts: made, changed, ended and brought back; bots; presence and statuses.

use super::case::{Case, PICTURE, id};
use crate::support::TestServer;
use crate::tokens::token_of;
use chatdouble::realm::group::SystemGroup;
use chatdouble::realm::permission::{AnonymousGroup, GroupSettingValue};
use serde_json::{Value, json};
use std::sync::Arc;

pub fn cases() -> Vec<Case> {
    [people(), roles(), ends(), bots(), own_account(), profiles(), presence()].into_iter().flatten().collect()
}

fn people() -> Vec<Case> {
    const CREATE: &str = "POST /users";
    let zoe: fn(&TestServer) -> Value =
        |_| json!({"email": "zoe@chat.test", "password": "correct horse battery", "full_name": "Zoe"});
    vec![
        Case::of(CREATE, "olive", zoe)
            .sends("realm_user add", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("subscription peer_add", "everyone")
            .sends("message", "everyone but out-bot")
            .shows("gus", "realm_user add", |_| json!({"person": {"delivery_email": "zoe@chat.test"}})),
        // Gus knows her through the default channel, but not before.
        Case::of(CREATE, "olive", zoe)
            .with_limited_guests()
            .sends("realm_user add", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("subscription peer_add", "everyone")
            .sends("message", "everyone but out-bot"),
        // Whose address changes can't poll with the old one.
        Case::of(
            "PATCH /users/{user_id}",
            "olive",
            |s| json!({"user_id": id(s, "mona"), "new_email": "moana@chat.test"}),
        )
        .sends("realm_user update avatar_url", "everyone but mona"),
        Case::of(
            "PATCH /users/{user_id}",
            "olive",
            |s| json!({"user_id": id(s, "gus"), "new_email": "august@chat.test"}),
        )
        .sends("realm_user update delivery_email", "olive adam")
        .sends("realm_user update avatar_url", "everyone but gus"),
        Case::of(
            "PATCH /users/{user_id}",
            "olive",
            |s| json!({"user_id": id(s, "max"), "new_email": "maxim@chat.test"}),
        )
        .sends("realm_user update delivery_email", "everyone but max")
        .sends("realm_user update new_email", "everyone but max")
        .sends("realm_user update avatar_url", "everyone but max"),
    ]
}

fn roles() -> Vec<Case> {
    let promotion = |way, params| {
        Case::of(way, "olive", params)
            .sends("realm_user update role", "everyone")
            .sends("user_group remove_members", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("stream create", "gus")
            .sends("subscription peer_add", "gus")
    };
    let demotion = |way, params| {
        Case::of(way, "olive", params)
            .sends("realm_user update role", "everyone")
            .sends("user_group remove_members", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("stream delete", "adam")
    };
    vec![
        promotion("PATCH /users/{user_id}", |s| json!({"user_id": id(s, "gus"), "role": 400})),
        promotion("PATCH /users/{email}", |_| json!({"email": "gus@chat.test", "role": 400})),
        demotion("PATCH /users/{user_id}", |s| json!({"user_id": id(s, "adam"), "role": 400})),
        demotion("PATCH /users/{email}", |_| json!({"email": "adam@chat.test", "role": 400})),
        // Who becomes a guest knows fewer people and channels, who is one no more knows all.
        limited_demotion("PATCH /users/{user_id}", |s| json!({"user_id": id(s, "out-bot"), "role": 600})),
        limited_demotion("PATCH /users/{email}", |_| json!({"email": "out-bot@chat.test", "role": 600})),
        limited_demotion("PATCH /bots/{bot_id}", |s| json!({"bot_id": id(s, "out-bot"), "role": 600})),
        limited_promotion("PATCH /users/{user_id}", |s| json!({"user_id": id(s, "out-bot"), "role": 400})),
        limited_promotion("PATCH /users/{email}", |_| json!({"email": "out-bot@chat.test", "role": 400})),
        limited_promotion("PATCH /bots/{bot_id}", |s| json!({"bot_id": id(s, "out-bot"), "role": 400})),
        Case::of("PATCH /users/{user_id}", "olive", |s| json!({"user_id": id(s, "ivy"), "full_name": "Ivana"}))
            .with_limited_guests()
            .sends("realm_user update full_name", "everyone"),
        Case::of("PATCH /users/{user_id}", "olive", |s| json!({"user_id": id(s, "ivy"), "full_name": "Ivana"}))
            .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
            .with_limited_guests()
            .sends("realm_user update full_name", "everyone but gus"),
    ]
}

fn limited_demotion(way: &'static str, params: fn(&TestServer) -> Value) -> Case {
    Case::of(way, "olive", params)
        .with_limited_guests()
        .sends("realm_user update role", "everyone")
        .sends("user_group remove_members", "everyone")
        .sends("user_group add_members", "everyone")
        .sends("realm_user remove", "out-bot")
        .sends("stream delete", "out-bot")
}

fn limited_promotion(way: &'static str, params: fn(&TestServer) -> Value) -> Case {
    Case::of(way, "olive", params)
        .after("PATCH /bots/{bot_id}", "olive", |s| json!({"bot_id": id(s, "out-bot"), "role": 600}))
        .with_limited_guests()
        .sends("realm_user update role", "everyone")
        .sends("user_group remove_members", "everyone")
        .sends("user_group add_members", "everyone")
        .sends("realm_user add", "out-bot")
        .sends("stream create", "out-bot")
        .sends("subscription peer_add", "out-bot")
}

fn ends() -> Vec<Case> {
    const END: &str = "DELETE /users/{user_id}";
    const RETURN: &str = "POST /users/{user_id}/reactivate";
    vec![
        // Her bots go first. Gus sees her leave what they share.
        Case::of(END, "olive", |s| json!({"user_id": id(s, "mel")}))
            .sends("realm_user update is_active", "everyone but mel build-bot out-bot")
            .sends("invites_changed", "olive adam")
            .sends("subscription peer_remove", "everyone but mel build-bot out-bot"),
        Case::of(END, "olive", |s| {
            json!({"user_id": id(s, "mona"), "actions": {"delete_private_channel_messages": true, "delete_profile": true}})
        })
        .sends("delete_message", "mel max gus")
        .sends("stream update first_message_id", "mel max gus")
        .sends("realm_user update full_name", "everyone but mona")
        .sends("subscription peer_remove", "everyone but mona")
        // That she made channels, and may administer them no more, follows.
        .sends("realm_user update is_active", "everyone but mona"),
        Case::of(END, "olive", |s| json!({"user_id": id(s, "nora")}))
            .with_limited_guests()
            .sends("realm_user update is_active", "everyone but gus nora")
            .sends("subscription peer_remove", "everyone but nora")
            .sends("realm_user remove", "gus")
            .sends("user_group remove_members", "gus"),
        Case::of("DELETE /users/me", "adam", |_| json!({}))
            .with_limited_guests()
            .sends("realm_user update is_active 2", "everyone but gus adam")
            // His bots', which guests know.
            .sends("realm_user update is_active", "everyone but adam")
            // He made two groups.
            .sends("user_group update can_add_members_group 9", "gus")
            .sends("user_group update can_add_members_group 10", "gus")
            .sends("user_group update can_manage_group 9", "gus")
            .sends("user_group update can_manage_group 10", "gus")
            .sends("invites_changed", "olive")
            .sends("subscription peer_remove", "everyone but adam")
            .sends("realm_user remove", "gus")
            .sends("user_group remove_members", "gus"),
        Case::of(RETURN, "olive", |s| json!({"user_id": id(s, "dana")}))
            .sends("realm_user update is_active", "everyone")
            .sends("realm_export_consent", "olive adam")
            .sends("subscription peer_add", "everyone")
            .sends("user_group add_members", "everyone"),
        // Who is not informed that she left is informed what she does not hold any more.
        listed(Case::of(END, "olive", |s| json!({"user_id": id(s, "nora")})), None)
            .sends("realm_user update is_active", "everyone but nora")
            .sends("subscription peer_remove", "everyone but nora"),
        listed(Case::of(END, "olive", |s| json!({"user_id": id(s, "nora")})).with_limited_guests(), Some("gus"))
            .sends("stream update can_resolve_topics_group", "gus")
            .sends("realm_user update is_active", "everyone but gus nora")
            .sends("subscription peer_remove", "everyone but nora")
            .sends("realm_user remove", "gus")
            .sends("user_group remove_members", "gus"),
        listed(Case::of("DELETE /users/me", "nora", |_| json!({})).with_limited_guests(), Some("gus"))
            .sends("stream update can_resolve_topics_group", "gus")
            .sends("realm_user update is_active", "everyone but gus nora")
            .sends("subscription peer_remove", "everyone but nora")
            .sends("realm_user remove", "gus")
            .sends("user_group remove_members", "gus"),
        listed(Case::of("DELETE /bots/{bot_id}", "mel", |s| json!({"bot_id": id(s, "build-bot")})), None)
            .sends("realm_user update is_active", "everyone but build-bot")
            .sends("subscription peer_remove", "everyone but build-bot"),
        listed(Case::of(RETURN, "olive", |s| json!({"user_id": id(s, "dana")})), Some("everyone"))
            .sends("realm_user update is_active", "everyone")
            .sends("realm_export_consent", "olive adam")
            .sends("subscription peer_add", "everyone")
            .sends("user_group add_members", "everyone"),
        Case::of(RETURN, "olive", |s| json!({"user_id": id(s, "dana")}))
            .with_limited_guests()
            .sends("realm_user update is_active", "everyone but gus")
            .sends("realm_export_consent", "olive adam")
            .sends("realm_user add", "gus")
            .sends("subscription peer_add", "everyone")
            .sends("user_group add_members", "everyone"),
    ]
}

/// A case in which somebody holds permissions without a group between, of the organization, of a group and of a channel:
/// events say so of those of the organization and of groups, to some.
fn listed(case: Case, to: Option<&'static str>) -> Case {
    let arranged = case.arranged(|tx| {
        let members = ["nora", "build-bot", "dana"].map(|name| {
            let is_of = |email: &str| email.split('@').next() == Some(name);
            tx.users.values().find(|user| is_of(&user.email)).expect("there is one").id
        });
        let subgroups = [tx.system_group(SystemGroup::Administrators), tx.system_group(SystemGroup::Moderators)];
        let value = GroupSettingValue::Anonymous(AnonymousGroup {
            direct_members: members.into_iter().collect(),
            direct_subgroups: subgroups.into_iter().collect(),
        });
        let organization = Arc::make_mut(&mut tx.realm_mut().organization);
        organization.permissions.insert("can_create_groups", value.clone());
        let group = tx.groups.values().find(|group| group.name == "engineers").expect("there is one").id;
        tx.group_mut(group).permissions.insert("can_join_group", value.clone());
        let channel = tx.channel_by_name("general").expect("there is one").id;
        tx.channel_mut(channel).permissions.insert("can_resolve_topics_group", value);
    });
    let Some(to) = to else { return arranged };
    arranged.sends("realm update_dict can_create_groups", to).sends("user_group update can_join_group", to)
}

fn bots() -> Vec<Case> {
    const EDIT: &str = "PATCH /bots/{bot_id}";
    vec![
        Case::of("POST /bots", "max", |_| json!({"full_name": "New Bot", "short_name": "new"}))
            .sends("realm_user add", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("realm_bot add", "olive adam max"),
        Case::of(EDIT, "mel", |s| json!({"bot_id": id(s, "build-bot"), "full_name": "Builder"}))
            .sends("realm_user update full_name", "everyone"),
        Case::of(EDIT, "olive", |s| json!({"bot_id": id(s, "build-bot"), "role": 300}))
            .sends("realm_user update role", "everyone")
            .sends("user_group remove_members", "everyone")
            .sends("user_group add_members", "everyone"),
        Case::of(EDIT, "adam", |s| json!({"bot_id": id(s, "out-bot"), "bot_owner_id": id(s, "max")}))
            .sends("realm_bot delete", "mel")
            .sends("realm_bot add", "max")
            .sends("realm_user update bot_owner_id", "everyone"),
        Case::of(
            EDIT,
            "mel",
            |s| json!({"bot_id": id(s, "out-bot"), "service_payload_url": "\"https://new.example.com\""}),
        )
        .sends("realm_bot update services", "olive adam mel"),
        Case::of(EDIT, "adam", |s| json!({"bot_id": id(s, "out-bot"), "default_sending_stream": "leadership"}))
            .sends("realm_bot update default_sending_stream", "olive adam mel"),
        Case::of("DELETE /bots/{bot_id}", "mel", |s| json!({"bot_id": id(s, "build-bot")}))
            .sends("realm_user update is_active", "everyone but build-bot")
            .sends("subscription peer_remove", "everyone but build-bot"),
    ]
}

fn own_account() -> Vec<Case> {
    const SETTINGS: &str = "PATCH /settings";
    let older = ["PATCH /settings/display", "PATCH /settings/notifications"].map(|older| {
        Case::of(
            older,
            "mel",
            |_| json!({"presence_enabled": false, "full_name": "Melanie", "allow_private_data_export": true}),
        )
        .sends("realm_user update full_name", "everyone")
        .sends("user_settings update", "mel")
        .sends("user_status", "everyone")
        .sends("presence", "everyone")
        .sends("realm_export_consent", "olive adam")
    });
    let mut cases = vec![
        Case::of(SETTINGS, "mel", |_| json!({"full_name": "Melanie"})).sends("realm_user update full_name", "everyone"),
        Case::of(SETTINGS, "mel", |_| json!({"color_scheme": 3})).sends("user_settings update", "mel"),
        Case::of(SETTINGS, "mel", |_| json!({"presence_enabled": false}))
            .sends("user_settings update", "mel")
            .sends("presence", "everyone")
            .sends("user_status", "everyone"),
        Case::of(SETTINGS, "mel", |_| json!({"timezone": "Asia/Tokyo"}))
            .sends("user_settings update", "mel")
            .sends("realm_user update timezone", "everyone"),
        // From everyone to moderators and above.
        Case::of(SETTINGS, "mel", |_| json!({"email_address_visibility": 5}))
            .sends("user_settings update", "mel")
            .sends("realm_user update delivery_email", "max gus nora ivy build-bot out-bot")
            .sends("realm_user update new_email", "everyone")
            .sends("realm_user update avatar_url", "everyone")
            .shows("max", "realm_user update delivery_email", |_| json!({"person": {"delivery_email": null}})),
        // From administrators to members and above: those in between come to see it.
        Case::of(SETTINGS, "gus", |_| json!({"email_address_visibility": 2}))
            .sends("user_settings update", "gus")
            .sends("realm_user update delivery_email", "mona mel max nora ivy build-bot out-bot")
            .sends("realm_user update avatar_url", "mona mel max nora ivy build-bot out-bot"),
        Case::of("POST /users/me/avatar", "mel", |_| json!({}))
            .uploading("me.png", "image/png", PICTURE)
            .sends("realm_user update avatar_url", "everyone"),
        // Her picture is one of the fixture's.
        Case::of("DELETE /users/me/avatar", "mel", |_| json!({})).sends("realm_user update avatar_url", "everyone"),
        Case::of("POST /dev_fetch_api_key", "mel", |_| json!({"username": "ivy@chat.test"}))
            .sends("realm_user update is_imported_stub", "everyone")
            .sends("realm_user update date_joined", "everyone")
            .sends("user_group remove_members", "everyone"),
        Case::of(
            "POST /fetch_api_key",
            "mel",
            |_| json!({"username": "ivy@chat.test", "password": "ivy-password-7421"}),
        )
        .sends("realm_user update is_imported_stub", "everyone")
        .sends("realm_user update date_joined", "everyone")
        .sends("user_group remove_members", "everyone"),
        Case::of("POST /jwt/fetch_api_key", "mel", |_| json!({"token": token_of("ivy@chat.test")}))
            .sends("realm_user update is_imported_stub", "everyone")
            .sends("realm_user update date_joined", "everyone")
            .sends("user_group remove_members", "everyone"),
    ];
    cases.extend(older);
    cases
}

fn profiles() -> Vec<Case> {
    vec![
        Case::of("PATCH /users/me/profile_data", "mel", |_| json!({"data": [{"id": 1, "value": "+1"}]}))
            .sends("realm_user update custom_profile_field", "everyone"),
        Case::of("DELETE /users/me/profile_data", "mel", |_| json!({"data": [1]}))
            .after("PATCH /users/me/profile_data", "mel", |_| json!({"data": [{"id": 1, "value": "+1"}]}))
            .sends("realm_user update custom_profile_field", "everyone"),
        // Gus doesn't know Ivy.
        Case::of("PATCH /users/me/profile_data", "ivy", |_| json!({"data": [{"id": 1, "value": "+1"}]}))
            .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
            .with_limited_guests()
            .sends("realm_user update custom_profile_field", "everyone but gus"),
    ]
}

fn presence() -> Vec<Case> {
    const STATUS: &str = "POST /users/me/status";
    vec![
        Case::of("POST /users/me/presence", "max", |_| json!({"status": "active"})).sends("presence", "everyone"),
        Case::of("POST /users/me/presence", "adam", |_| json!({"status": "active"}))
            .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
            .with_limited_guests()
            .sends("presence", "everyone but gus"),
        Case::of(STATUS, "mel", |_| json!({"status_text": "Away", "away": true}))
            .sends("user_settings update presence_enabled", "mel")
            .sends("presence", "everyone")
            .sends("user_status", "everyone"),
        Case::of("POST /users/{user_id}/status", "adam", |s| json!({"user_id": id(s, "ivy"), "status_text": "New"}))
            .after("DELETE /users/me/subscriptions", "gus", |_| json!({"subscriptions": ["general"]}))
            .with_limited_guests()
            .sends("user_status", "everyone but gus"),
    ]
}
