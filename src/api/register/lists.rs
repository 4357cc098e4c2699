//! The parts of the register reply that are lists of the user or the organization, with a table row for each.

use super::StateRequest;
use crate::api::{channel_folders, channels, onboarding, organization, reminders, scheduled_messages};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::personal::UserState;
use crate::realm::setting::{EMOJI_SETS, NOTIFICATION_SOUNDS, USER_SETTINGS};
use crate::record::channel::{DefaultGroupRecord, FolderRecord};
use crate::record::emoji::EmojiRecord;
use crate::record::events::UserTopic;
use crate::record::group::GroupRecord;
use crate::record::linkifier::{LinkifierRecord, linkifiers};
use crate::record::message::shown_topic;
use crate::record::organization::{DomainRecord, PlaygroundRecord};
use crate::record::own_lists::{OWN_LISTS, OwnList};
use crate::record::personal::{DeviceRecord, StepRecord};
use crate::record::profile_field::{ProfileFieldRecord, profile_fields};
use crate::record::scheduled::{ReminderRecord, ScheduledMessageRecord};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A key of the register reply.
pub struct StateRow {
    /// The type of events that update the value. The reply has the key if the request includes this type.
    event_type: &'static str,
    pub key: &'static str,
    /// None for values that are built without a type.
    pub schema: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// None leaves the key out of the reply.
    value: fn(&Realm, &StateRequest<'_>) -> Option<Value>,
}

impl StateRow {
    pub fn is_of(&self, event_type: &str) -> bool {
        self.event_type == event_type
    }
}

/// A row whose value has a Rust type, from which its schema is derived.
macro_rules! typed {
    ($event_type:literal $key:literal: $type:ty = $value:expr) => {
        StateRow {
            event_type: $event_type,
            key: $key,
            schema: Some(|generator| generator.subschema_for::<$type>()),
            value: |realm, request| {
                let value: fn(&Realm, &StateRequest<'_>) -> $type = $value;
                Some(json!(value(realm, request)))
            },
        }
    };
}

const fn untyped(
    event_type: &'static str,
    key: &'static str,
    value: fn(&Realm, &StateRequest<'_>) -> Option<Value>,
) -> StateRow {
    StateRow { event_type, key, schema: None, value }
}

/// The rows in the order of the reply, in which [`OWN_LISTS`] precede them. The OpenAPI document takes the schemas of
/// untyped rows from `openapi/shapes.json`.
pub const ROWS: &[StateRow] = &[
    typed!("user_topic" "user_topics": Vec<UserTopic> = user_topics),
    typed!("onboarding_steps" "onboarding_steps": Vec<StepRecord> = |realm, request| {
        request.viewer.map(|viewer| onboarding::records_of(realm, viewer.id)).unwrap_or_default()
    }),
    untyped("onboarding_steps", "navigation_tour_video_url", |_, _| Some(Value::Null)),
    untyped("device", "devices", devices),
    typed!("scheduled_messages" "scheduled_messages": Vec<ScheduledMessageRecord> = |realm, request| {
        request.viewer.map(|viewer| scheduled_messages::records_of(realm, viewer.id)).unwrap_or_default()
    }),
    typed!("reminders" "reminders": Vec<ReminderRecord> = |realm, request| {
        request.viewer.map(|viewer| reminders::records_of(realm, viewer.id)).unwrap_or_default()
    }),
    untyped("user_settings", "user_settings", |realm, request| Some(user_settings(realm, request))),
    untyped("video_calls", "has_zoom_token", |_, _| Some(false.into())),
    untyped("video_calls", "has_webex_token", |_, _| Some(false.into())),
    untyped("muted_topics", "muted_topics", muted_topics),
    typed!("channel_folders" "channel_folders": Vec<FolderRecord> = |realm, request| {
        let folders = channel_folders::in_order(realm).into_iter().filter(|_| request.viewer.is_some());
        folders.map(FolderRecord::new).collect()
    }),
    typed!("realm_user_groups" "realm_user_groups": Vec<GroupRecord> = |realm, request| {
        let shows_deactivated = request.options.capabilities.include_deactivated_groups;
        let groups = realm.groups.values().filter(|group| shows_deactivated || !group.is_deactivated);
        let lists_inactive = !request.options.level.has(Feature::OnlyActiveMembers);
        groups.map(|group| GroupRecord::new(realm, group, lists_inactive)).collect()
    }),
    typed!("realm_linkifiers" "realm_linkifiers": Vec<LinkifierRecord> = |realm, request| {
        let understands = request.options.capabilities.linkifier_url_template;
        if understands { linkifiers(&realm.linkifiers) } else { Vec::new() }
    }),
    untyped("realm_filters", "realm_filters", |_, _| Some(json!([]))),
    typed!("realm_playgrounds" "realm_playgrounds": Vec<PlaygroundRecord> = |realm, _| organization::playgrounds::records(realm)),
    typed!("realm_domains" "realm_domains": Vec<DomainRecord> = |realm, _| organization::domains::records(realm)),
    typed!("realm_emoji" "realm_emoji": BTreeMap<String, EmojiRecord> = |realm, _| {
        crate::record::emoji::all(realm, &realm.custom_emoji)
    }),
    typed!("custom_profile_fields" "custom_profile_fields": Vec<ProfileFieldRecord> = |realm, _| {
        profile_fields(&realm.profile_fields)
    }),
    untyped("custom_profile_fields", "custom_profile_field_types", |_, _| Some(profile_field_types())),
    untyped("realm_user_settings_defaults", "realm_user_settings_defaults", |realm, _| Some(user_defaults(realm))),
    untyped("realm_billing", "realm_billing", |_, _| Some(json!({"has_pending_sponsorship_request": false}))),
    untyped("realm_embedded_bots", "realm_embedded_bots", |_, _| Some(json!([{"name": "helloworld", "config": {}}]))),
    untyped("realm_incoming_webhook_bots", "realm_incoming_webhook_bots", |_, _| Some(webhook_bots())),
    untyped("stop_words", "stop_words", |_, _| Some(json!(*crate::realm::narrow::STOP_WORDS))),
    untyped("giphy", "giphy_api_key", |_, _| Some("".into())),
    untyped("tenor", "tenor_api_key", |_, _| Some("".into())),
    typed!("default_stream_groups" "realm_default_stream_groups": Vec<DefaultGroupRecord> = |realm, request| {
        let is_excluded = request.viewer.is_none_or(|viewer| viewer.is_guest());
        if is_excluded { Vec::new() } else { channels::default_groups::records(realm) }
    }),
];

pub(super) fn add(realm: &Realm, request: &StateRequest<'_>, state: &mut Map<String, Value>) {
    for OwnList { list, value, .. } in OWN_LISTS.iter().filter(|own_list| request.includes(own_list.list.key)) {
        state.insert(list.key.to_owned(), value(viewer_state(realm, request)));
    }
    for row in ROWS.iter().filter(|row| request.includes(row.event_type)) {
        if let Some(value) = (row.value)(realm, request) {
            state.insert(row.key.to_owned(), value);
        }
    }
}

/// The personal state of the viewer; empty for visitors.
fn viewer_state<'realm>(realm: &'realm Realm, request: &StateRequest<'_>) -> &'realm UserState {
    static EMPTY: LazyLock<UserState> = LazyLock::new(UserState::default);
    request.viewer.map_or(&*EMPTY, |viewer| realm.user_state(viewer.id))
}

fn user_topics(realm: &Realm, request: &StateRequest<'_>) -> Vec<UserTopic> {
    let allows_empty = request.options.capabilities.empty_topic_name;
    let topics = request.viewer.into_iter().flat_map(|viewer| realm.listed_topics(viewer.id));
    let record = |(stream_id, topic): (_, &crate::realm::personal::UserTopic)| UserTopic {
        stream_id,
        topic_name: shown_topic(&topic.name, allows_empty),
        last_updated: topic.last_updated.seconds(),
        visibility_policy: topic.policy.number(),
    };
    topics.map(record).collect()
}

fn devices(realm: &Realm, request: &StateRequest<'_>) -> Option<Value> {
    let devices = viewer_state(realm, request).devices.iter();
    let devices: Map<String, Value> =
        devices.map(|(id, device)| (id.to_string(), json!(DeviceRecord::new(device)))).collect();
    Some(devices.into())
}

/// The legacy list. Left out if the request lists the newer type `user_topic`.
fn muted_topics(realm: &Realm, request: &StateRequest<'_>) -> Option<Value> {
    if request.names("user_topic") {
        return None;
    }
    let allows_empty = request.options.capabilities.empty_topic_name;
    let mut muted = request.viewer.map(|viewer| realm.muted_topics(viewer.id)).unwrap_or_default();
    muted.iter_mut().for_each(|(_, topic, _)| *topic = shown_topic(topic, allows_empty));
    Some(json!(muted))
}

/// The lists of possible values that accompany the user settings.
pub fn choices() -> Map<String, Value> {
    let emoji_sets: Vec<Value> = EMOJI_SETS.iter().map(|(key, text)| json!({"key": key, "text": text})).collect();
    Map::from_iter([
        ("emojiset_choices".to_owned(), emoji_sets.into()),
        ("available_notification_sounds".to_owned(), json!(NOTIFICATION_SOUNDS)),
    ])
}

/// `email_address_visibility` of new users.
fn default_visibility(realm: &Realm) -> Value {
    realm.organization.user_defaults.get("email_address_visibility").cloned().unwrap_or(json!(1))
}

/// The settings of the viewer; for visitors, the defaults of new users.
fn user_settings(realm: &Realm, request: &StateRequest<'_>) -> Value {
    let mut settings = Map::new();
    for setting in USER_SETTINGS.iter() {
        let value = match request.viewer {
            Some(viewer) => realm.user_state(viewer.id).setting_named(setting.name),
            None => realm.organization.user_defaults.get(setting.name).unwrap_or(&setting.default),
        };
        settings.insert(setting.name.into(), value.clone());
    }
    let (timezone, visibility) = match request.viewer {
        Some(viewer) => (viewer.timezone.as_str(), json!(viewer.email_visibility.number())),
        None => ("", default_visibility(realm)),
    };
    settings.insert("timezone".into(), timezone.into());
    settings.insert("email_address_visibility".into(), visibility);
    settings.extend(choices());
    settings.into()
}

fn user_defaults(realm: &Realm) -> Value {
    let default = |setting: &crate::realm::setting::Setting| {
        realm.organization.user_defaults.get(setting.name).unwrap_or(&setting.default).clone()
    };
    let mut defaults: Map<String, Value> =
        USER_SETTINGS.iter().map(|setting| (setting.name.to_owned(), default(setting))).collect();
    defaults.insert("email_address_visibility".into(), default_visibility(realm));
    defaults.extend(choices());
    defaults.into()
}

/// The types of custom profile fields: key, number, display name.
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

/// A single integration, with an option of each kind (specification, integration options).
fn webhook_bots() -> Value {
    json!([{
        "name": "helloworld",
        "display_name": "Hello World",
        "all_event_types": null,
        "config_options": [{"key": "greeting", "label": "Greeting", "validator": "check_string"}],
        "url_options": [{"key": "branches", "label": "Which branches to tell of", "input_type": "text"}],
    }])
}
