//! The user's own lists, and the organization's.

use super::StateRequest;
use crate::api::{channel_folders, reminders, scheduled_messages};
use crate::realm::Realm;
use crate::realm::setting::{EMOJI_SETS, NOTIFICATION_SOUNDS, USER_SETTINGS};
use crate::record::channel::FolderRecord;
use crate::record::group::GroupRecord;
use crate::record::list;
use crate::record::message::shown_topic;
use crate::record::personal::{DeviceRecord, DraftRecord, SnippetRecord};
use serde_json::{Map, Value, json};

/// The newest drafts, and no more.
const MAX_DRAFTS: usize = 1_000;

pub(super) fn add(realm: &Realm, wish: &StateRequest<'_>, state: &mut Map<String, Value>) {
    add_own(realm, wish, state);
    add_shared(realm, wish, state);
}

fn add_own(realm: &Realm, wish: &StateRequest<'_>, state: &mut Map<String, Value>) {
    let own = wish.viewer.map(|viewer| realm.user_state(viewer.id)).cloned().unwrap_or_default();
    let mut put = |kind: &str, key: &str, value: &dyn Fn() -> Value| {
        if wish.wants(kind) {
            state.insert(key.into(), value());
        }
    };
    put("alert_words", "alert_words", &|| json!(own.alert_words.iter().collect::<Vec<_>>()));
    put("saved_snippets", "saved_snippets", &|| {
        own.snippets.values().map(|snippet| json!(SnippetRecord::new(snippet))).collect()
    });
    put("navigation_views", "navigation_views", &|| json!(own.navigation_views.iter().collect::<Vec<_>>()));
    put("drafts", "drafts", &|| {
        let mut drafts: Vec<_> = own.drafts.values().collect();
        drafts.sort_by_key(|draft| std::cmp::Reverse((draft.timestamp, draft.id)));
        drafts.into_iter().take(MAX_DRAFTS).map(|draft| json!(DraftRecord::new(draft))).collect()
    });
    put("muted_users", "muted_users", &|| json!(list::muted_users(&own.muted_users)));
    put("user_topic", "user_topics", &|| {
        let allows_empty = wish.options.capabilities.empty_topic_name;
        let record = |(channel, topic): (crate::realm::id::ChannelId, &crate::realm::personal::UserTopic)| {
            json!({
                "stream_id": channel,
                "topic_name": shown_topic(&topic.name, allows_empty),
                "last_updated": topic.last_updated.seconds(),
                "visibility_policy": topic.policy.number(),
            })
        };
        own.topics_in_order().into_iter().map(record).collect()
    });
    put("onboarding_steps", "onboarding_steps", &|| {
        wish.viewer.map_or(json!([]), |viewer| json!(crate::api::onboarding::records_of(realm, viewer.id)))
    });
    put("onboarding_steps", "navigation_tour_video_url", &|| Value::Null);
    put("device", "devices", &|| {
        let devices: Map<String, Value> =
            own.devices.iter().map(|(id, device)| (id.to_string(), json!(DeviceRecord::new(device)))).collect();
        devices.into()
    });
    let viewer = wish.viewer.map(|viewer| viewer.id);
    put("scheduled_messages", "scheduled_messages", &|| {
        json!(viewer.map(|viewer| scheduled_messages::records_of(realm, viewer)).unwrap_or_default())
    });
    put("reminders", "reminders", &|| {
        json!(viewer.map(|viewer| reminders::records_of(realm, viewer)).unwrap_or_default())
    });
    put("user_settings", "user_settings", &|| user_settings(realm, wish));
    put("video_calls", "has_zoom_token", &|| false.into());
    put("video_calls", "has_webex_token", &|| false.into());
    // The legacy list is left out for those who ask for the newer one by name.
    if wish.wants("muted_topics") && !wish.names("user_topic") {
        let allows_empty = wish.options.capabilities.empty_topic_name;
        let mut muted = viewer.map(|viewer| realm.muted_topics(viewer)).unwrap_or_default();
        muted.iter_mut().for_each(|(_, topic, _)| *topic = shown_topic(topic, allows_empty));
        state.insert("muted_topics".into(), json!(muted));
    }
}

/// Choices that stand beside the settings.
pub fn choices() -> Map<String, Value> {
    let emoji_sets: Vec<Value> = EMOJI_SETS.iter().map(|(key, text)| json!({"key": key, "text": text})).collect();
    Map::from_iter([
        ("emojiset_choices".to_owned(), emoji_sets.into()),
        ("available_notification_sounds".to_owned(), json!(NOTIFICATION_SOUNDS)),
    ])
}

/// Who may see the real addresses of new users.
fn default_visibility(realm: &Realm) -> Value {
    realm.organization.user_defaults.get("email_address_visibility").cloned().unwrap_or(json!(1))
}

/// A user's settings; for visitors, those that a new user would have.
fn user_settings(realm: &Realm, wish: &StateRequest<'_>) -> Value {
    let mut settings = Map::new();
    for setting in USER_SETTINGS.iter() {
        let value = match wish.viewer {
            Some(viewer) => realm.user_state(viewer.id).setting(setting.name),
            None => realm.organization.user_defaults.get(setting.name).unwrap_or(&setting.default),
        };
        settings.insert(setting.name.into(), value.clone());
    }
    let (timezone, visibility) = match wish.viewer {
        Some(viewer) => (viewer.timezone.as_str(), json!(viewer.email_visibility.number())),
        None => ("", default_visibility(realm)),
    };
    settings.insert("timezone".into(), timezone.into());
    settings.insert("email_address_visibility".into(), visibility);
    settings.extend(choices());
    settings.into()
}

fn add_shared(realm: &Realm, wish: &StateRequest<'_>, state: &mut Map<String, Value>) {
    let mut put = |kind: &str, key: &str, value: &dyn Fn() -> Value| {
        if wish.wants(kind) {
            state.insert(key.into(), value());
        }
    };
    let is_member = wish.viewer.is_some();
    put("channel_folders", "channel_folders", &|| {
        let folders = channel_folders::in_order(realm).into_iter().filter(|_| is_member);
        folders.map(|folder| json!(FolderRecord::new(folder))).collect()
    });
    put("realm_user_groups", "realm_user_groups", &|| {
        let shows_deactivated = wish.options.capabilities.include_deactivated_groups;
        let groups = realm.groups.values().filter(|group| shows_deactivated || !group.is_deactivated);
        groups.map(|group| json!(GroupRecord::new(realm, group))).collect()
    });
    put("realm_linkifiers", "realm_linkifiers", &|| {
        let understands = wish.options.capabilities.linkifier_url_template;
        if understands { json!(list::linkifiers(&realm.linkifiers)) } else { json!([]) }
    });
    put("realm_filters", "realm_filters", &|| json!([]));
    put("realm_playgrounds", "realm_playgrounds", &|| json!(crate::api::organization::playgrounds::records(realm)));
    put("realm_domains", "realm_domains", &|| json!(crate::api::organization::domains::records(realm)));
    put("realm_emoji", "realm_emoji", &|| json!(crate::record::emoji::all(realm, &realm.custom_emoji)));
    put("custom_profile_fields", "custom_profile_fields", &|| list::profile_fields(&realm.profile_fields));
    put("custom_profile_fields", "custom_profile_field_types", &profile_field_types);
    put("realm_user_settings_defaults", "realm_user_settings_defaults", &|| {
        let default = |setting: &crate::realm::setting::Setting| {
            realm.organization.user_defaults.get(setting.name).unwrap_or(&setting.default).clone()
        };
        let mut defaults: Map<String, Value> =
            USER_SETTINGS.iter().map(|setting| (setting.name.to_owned(), default(setting))).collect();
        defaults.insert("email_address_visibility".into(), default_visibility(realm));
        defaults.extend(choices());
        defaults.into()
    });
    put("realm_billing", "realm_billing", &|| json!({"has_pending_sponsorship_request": false}));
    put("realm_embedded_bots", "realm_embedded_bots", &|| json!([{"name": "helloworld", "config": {}}]));
    put("realm_incoming_webhook_bots", "realm_incoming_webhook_bots", &webhook_bots);
    put("stop_words", "stop_words", &|| json!(*crate::realm::narrow::STOP_WORDS));
    put("giphy", "giphy_api_key", &|| "".into());
    put("tenor", "tenor_api_key", &|| "".into());
    put("default_stream_groups", "realm_default_stream_groups", &|| {
        let is_blind = wish.viewer.is_none_or(|viewer| viewer.is_guest());
        if is_blind { json!([]) } else { json!(crate::api::channels::default_groups::records(realm)) }
    });
}

/// The kinds of custom profile fields, by their names on the wire.
const PROFILE_FIELD_TYPES: [(&str, i64, &str); 8] = [
    ("SHORT_TEXT", 1, "Text (short)"),
    ("LONG_TEXT", 2, "Text (long)"),
    ("SELECT", 3, "List of options"),
    ("DATE", 4, "Date"),
    ("URL", 5, "Link"),
    ("USER", 6, "Users"),
    ("EXTERNAL_ACCOUNT", 7, "External account"),
    ("PRONOUNS", 8, "Pronouns"),
];

fn profile_field_types() -> Value {
    let kind = |(key, id, name): &(&str, i64, &str)| ((*key).to_owned(), json!({"id": id, "name": name}));
    PROFILE_FIELD_TYPES.iter().map(kind).collect::<Map<String, Value>>().into()
}

/// One integration that can be made a bot for: with an option of each kind (specification, integration options).
fn webhook_bots() -> Value {
    json!([{
        "name": "helloworld",
        "display_name": "Hello World",
        "all_event_types": null,
        "config_options": [{"key": "greeting", "label": "Greeting", "validator": "check_string"}],
        "url_options": [{"key": "branches", "label": "Which branches to tell of", "input_type": "text"}],
    }])
}
