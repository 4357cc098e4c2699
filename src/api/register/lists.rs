//! The part of the register reply that has lists of the user and of the organization, and small values that clients
//! request by a type of events of their own. It includes the settings of the user.

use super::StateRequest;
use super::requested_values::requested_values;
use super::settings::{user_defaults, user_settings};
use crate::api::{channel_folders, channels, onboarding, organization, reminders, scheduled_messages};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::narrow::STOP_WORDS;
use crate::realm::personal::UserState;
use crate::record::channel::DefaultChannelGroupRecord;
use crate::record::channel_folder::FolderRecord;
use crate::record::device::DeviceRecord;
use crate::record::domain::DomainRecord;
use crate::record::emoji::EmojiRecord;
use crate::record::events::UserTopic;
use crate::record::group::GroupRecord;
use crate::record::linkifier::{LinkifierRecord, linkifier_records};
use crate::record::message::display_topic_name;
use crate::record::onboarding_step::OnboardingStepRecord;
use crate::record::own_lists::{OWN_LISTS, OwnList};
use crate::record::playground::PlaygroundRecord;
use crate::record::profile_field::{ProfileFieldRecord, profile_field_records};
use crate::record::scheduled::{ReminderRecord, ScheduledMessageRecord};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

requested_values! {
    /// Lists of the user and of the organization, settings of the user, and values that accompany them.
    pub struct ListState(realm, request) {
        "user_topic" user_topics: Vec<UserTopic> = user_topics(realm, request);
        "onboarding_steps" onboarding_steps: Vec<OnboardingStepRecord> = viewer_records(realm, request, onboarding::open_step_records);
        "onboarding_steps" navigation_tour_video_url: Option<String> = None;
        #[schemars(with = "BTreeMap<String, DeviceRecord>")]
        "device" devices: BTreeMap<DeviceId, DeviceRecord> = devices(realm, request);
        "scheduled_messages" scheduled_messages: Vec<ScheduledMessageRecord> =
            viewer_records(realm, request, scheduled_messages::scheduled_message_records);
        "reminders" reminders: Vec<ReminderRecord> = viewer_records(realm, request, reminders::reminder_records);
        "user_settings" user_settings: Map<String, Value> = user_settings(realm, request);
        "video_calls" has_zoom_token: bool = false;
        "video_calls" has_webex_token: bool = false;
        // The legacy form of `user_topics`.
        #[schemars(with = "Vec<Vec<Value>>")]
        "muted_topics" muted_topics: Vec<(String, String, i64)> = muted_topics(realm, request),
            if !request.names_explicitly("user_topic");
        "channel_folders" channel_folders: Vec<FolderRecord> = folders(realm, request);
        "realm_user_groups" realm_user_groups: Vec<GroupRecord> = groups(realm, request);
        "realm_linkifiers" realm_linkifiers: Vec<LinkifierRecord> = linkifiers_if_understood(realm, request);
        "realm_filters" realm_filters: Vec<Value> = Vec::new();
        "realm_playgrounds" realm_playgrounds: Vec<PlaygroundRecord> = organization::playgrounds::playground_records(realm);
        "realm_domains" realm_domains: Vec<DomainRecord> = organization::domains::domain_records(realm);
        "realm_emoji" realm_emoji: BTreeMap<String, EmojiRecord> =
            crate::record::emoji::records_by_id(realm, &realm.custom_emoji);
        "custom_profile_fields" custom_profile_fields: Vec<ProfileFieldRecord> =
            profile_field_records(&realm.profile_fields);
        "custom_profile_fields" custom_profile_field_types: NumberedChoices = numbered_choices(&PROFILE_FIELD_TYPES);
        "realm_user_settings_defaults" realm_user_settings_defaults: Map<String, Value> = user_defaults(realm);
        "realm_billing" realm_billing: Billing = Billing { has_pending_sponsorship_request: false };
        "realm_embedded_bots" realm_embedded_bots: Vec<EmbeddedBotKind> =
            vec![EmbeddedBotKind { name: "helloworld", config: BTreeMap::new() }];
        "realm_incoming_webhook_bots" realm_incoming_webhook_bots: Vec<WebhookBotKind> = vec![WebhookBotKind::example()];
        "stop_words" stop_words: Vec<&'static str> = STOP_WORDS.iter().copied().collect();
        "giphy" giphy_api_key: &'static str = "";
        "tenor" tenor_api_key: &'static str = "";
        "default_stream_groups" realm_default_stream_groups: Vec<DefaultChannelGroupRecord> =
            default_channel_groups(realm, request);
    }
}

/// Choices by their key, in the order in which clients show them.
pub type NumberedChoices = IndexMap<&'static str, NumberedChoice>;

/// A choice, with the number that the API uses for it and the name that clients show.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NumberedChoice {
    id: i64,
    name: &'static str,
}

/// Converts triples of key, number and displayed name to choices.
pub fn numbered_choices(choices: &[(&'static str, i64, &'static str)]) -> NumberedChoices {
    choices.iter().map(|&(key, id, name)| (key, NumberedChoice { id, name })).collect()
}

/// What the reply says about paying for the service.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Billing {
    has_pending_sponsorship_request: bool,
}

/// A bot that runs on the server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EmbeddedBotKind {
    name: &'static str,
    config: BTreeMap<String, String>,
}

/// A service whose webhooks a bot can receive.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WebhookBotKind {
    name: &'static str,
    display_name: &'static str,
    all_event_types: Option<Vec<String>>,
    config_options: Vec<ConfigOption>,
    url_options: Vec<UrlOption>,
}

/// A value that the bot of a service needs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ConfigOption {
    key: &'static str,
    label: &'static str,
    validator: &'static str,
}

/// A parameter that may be added to the URL of a webhook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct UrlOption {
    key: &'static str,
    label: &'static str,
    input_type: &'static str,
}

impl WebhookBotKind {
    /// The only service in the reply, with an option of each kind (specification, integration options).
    fn example() -> Self {
        Self {
            name: "helloworld",
            display_name: "Hello World",
            all_event_types: None,
            config_options: vec![ConfigOption { key: "greeting", label: "Greeting", validator: "check_string" }],
            url_options: vec![UrlOption { key: "branches", label: "Which branches to tell of", input_type: "text" }],
        }
    }
}

/// The user's own lists, such as drafts, by their keys in the reply. Those of spectators are empty.
pub(super) fn own_lists(realm: &Realm, request: &StateRequest<'_>) -> Map<String, Value> {
    let requested_lists = OWN_LISTS.iter().filter(|own_list| request.includes(own_list.list.key));
    requested_lists
        .map(|OwnList { list, value, .. }| (list.key.to_owned(), value(viewer_state(realm, request))))
        .collect()
}

/// The personal state of the viewer; empty for spectators.
fn viewer_state<'realm>(realm: &'realm Realm, request: &StateRequest<'_>) -> &'realm UserState {
    static EMPTY: LazyLock<UserState> = LazyLock::new(UserState::default);
    request.viewer.map_or(&*EMPTY, |viewer| realm.user_state(viewer.id))
}

fn user_topics(realm: &Realm, request: &StateRequest<'_>) -> Vec<UserTopic> {
    let allows_empty = request.options.capabilities.empty_topic_name;
    let topics = request.viewer.into_iter().flat_map(|viewer| realm.topics_with_policy(viewer.id));
    let record = |(stream_id, topic): (_, &crate::realm::personal::UserTopic)| UserTopic {
        stream_id,
        topic_name: display_topic_name(&topic.name, allows_empty),
        last_updated: topic.last_updated.seconds(),
        visibility_policy: topic.policy.number(),
    };
    topics.map(record).collect()
}

fn devices(realm: &Realm, request: &StateRequest<'_>) -> BTreeMap<DeviceId, DeviceRecord> {
    viewer_state(realm, request).devices.iter().map(|(id, device)| (*id, DeviceRecord::new(device))).collect()
}

fn muted_topics(realm: &Realm, request: &StateRequest<'_>) -> Vec<(String, String, i64)> {
    let allows_empty = request.options.capabilities.empty_topic_name;
    let mut muted = request.viewer.map(|viewer| realm.muted_topics(viewer.id)).unwrap_or_default();
    muted.iter_mut().for_each(|(_, topic, _)| *topic = display_topic_name(topic, allows_empty));
    muted
}

/// Records of the viewer; empty for spectators.
fn viewer_records<T>(realm: &Realm, request: &StateRequest<'_>, records: impl Fn(&Realm, UserId) -> Vec<T>) -> Vec<T> {
    request.viewer_id().map(|viewer| records(realm, viewer)).unwrap_or_default()
}

fn folders(realm: &Realm, request: &StateRequest<'_>) -> Vec<FolderRecord> {
    let folders = channel_folders::folders_in_order(realm).into_iter().filter(|_| request.viewer.is_some());
    folders.map(FolderRecord::new).collect()
}

fn groups(realm: &Realm, request: &StateRequest<'_>) -> Vec<GroupRecord> {
    let shows_deactivated = request.options.capabilities.include_deactivated_groups;
    let groups = realm.groups.values().filter(|group| shows_deactivated || !group.is_deactivated);
    let includes_deactivated_members = !request.options.level.has(Feature::OnlyActiveMembers);
    groups.map(|group| GroupRecord::new(realm, group, includes_deactivated_members)).collect()
}

/// Empty for clients that do not know URL templates.
fn linkifiers_if_understood(realm: &Realm, request: &StateRequest<'_>) -> Vec<LinkifierRecord> {
    if request.options.capabilities.linkifier_url_template { linkifier_records(&realm.linkifiers) } else { Vec::new() }
}

/// Empty for guests and spectators.
fn default_channel_groups(realm: &Realm, request: &StateRequest<'_>) -> Vec<DefaultChannelGroupRecord> {
    let is_excluded = request.viewer.is_none_or(|viewer| viewer.is_guest());
    if is_excluded { Vec::new() } else { channels::default_groups::default_group_records(realm) }
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
