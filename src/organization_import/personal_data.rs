//! Converts the personal data that only the account itself sees: settings, alert words, topics, drafts, devices and the
//! like.

use super::directory::{Directory, to_valid_text};
use super::json::JsonFields;
use super::settings::changed_settings;
use crate::api::{onboarding, snippets};
use crate::fixture::format::{Device, Draft, MutedUser, Snippet, User, UserTopic};
use crate::realm::personal::{BUILT_IN_FRAGMENTS, MAX_ALERT_WORD_LENGTH, NavigationView, VisibilityPolicy};
use crate::realm::push::PushService;
use crate::realm::setting::USER_SETTINGS;
use crate::realm::user::EmailVisibility;
use serde_json::Value;
use std::collections::HashSet;

/// Adds to the account's own user the personal data in the register reply.
pub fn add_personal_data(user: &mut User, register_reply: &Value, directory: &Directory) {
    let settings = &register_reply["user_settings"];
    user.settings = changed_settings(&USER_SETTINGS, settings, directory);
    if let Some(visibility) = settings.integer("email_address_visibility").and_then(EmailVisibility::from_number) {
        user.email_visibility = visibility;
    }
    user.alert_words = convert_alert_words(register_reply, directory);
    user.muted_users =
        register_reply.list("muted_users").iter().filter_map(|muted| convert_muted_user(muted, directory)).collect();
    user.topics = convert_topics(register_reply, directory);
    let mut drafts: Vec<Draft> =
        register_reply.list("drafts").iter().filter_map(|draft| convert_draft(draft, directory)).collect();
    drafts.sort_by_key(|draft| draft.id);
    user.drafts = drafts;
    user.snippets =
        register_reply.list("saved_snippets").iter().filter_map(|record| convert_snippet(record, directory)).collect();
    user.navigation_views = convert_views(register_reply, directory);
    user.devices = convert_devices(register_reply, directory);
    let unseen_names: HashSet<&str> =
        register_reply.list("onboarding_steps").iter().map(|step| step.text("name")).collect();
    if register_reply.get("onboarding_steps").is_some() {
        let seen_names = onboarding::step_names().filter(|name| !unseen_names.contains(name));
        user.onboarding_steps_seen = seen_names.map(str::to_owned).collect();
    }
}

fn convert_alert_words(register_reply: &Value, directory: &Directory) -> Vec<String> {
    let mut used_words = HashSet::new();
    let words = register_reply.list("alert_words").iter().filter_map(Value::as_str);
    let valid_words = words.map(|word| to_valid_text(&directory.convert_text(word), MAX_ALERT_WORD_LENGTH));
    valid_words.filter(|word| !word.is_empty() && used_words.insert(word.to_lowercase())).collect()
}

fn convert_muted_user(record: &Value, directory: &Directory) -> Option<MutedUser> {
    let id = record.integer("id").filter(|id| *id != directory.own_id)?;
    Some(MutedUser { user: directory.handle(id)?, since: directory.convert_past_time(record.integer("timestamp")?) })
}

fn convert_topics(register_reply: &Value, directory: &Directory) -> Vec<UserTopic> {
    let mut used_topics = HashSet::new();
    let convert_topic = |record: &Value| {
        let policy = match record.integer("visibility_policy")? {
            1 => VisibilityPolicy::Muted,
            2 => VisibilityPolicy::Unmuted,
            3 => VisibilityPolicy::Followed,
            _ => return None,
        };
        let id = record.integer("stream_id")?;
        let topic = directory.convert_topic(record.text("topic_name"));
        used_topics.insert((id, topic.to_lowercase())).then_some(())?;
        let since = directory.convert_past_time(record.integer("last_updated").unwrap_or(directory.reference_time));
        Some(UserTopic { channel: directory.channel_name(id)?, topic, policy, since })
    };
    let mut topics: Vec<UserTopic> = register_reply.list("user_topics").iter().filter_map(convert_topic).collect();
    if register_reply.get("user_topics").is_none() {
        // At older levels, topics can only be muted. Each row has the name of the channel, the topic and the time.
        topics.extend(register_reply.list("muted_topics").iter().filter_map(|record| {
            let channel = directory.channels.find(record[0].as_str()?)?.fixture_name.clone();
            let since = directory.convert_past_time(record[2].as_i64().unwrap_or(directory.reference_time));
            let topic = directory.convert_topic(record[1].as_str()?);
            Some(UserTopic { channel, topic, policy: VisibilityPolicy::Muted, since })
        }));
    }
    topics
}

fn convert_draft(record: &Value, directory: &Directory) -> Option<Draft> {
    let to = record.integers("to");
    let channel =
        (record.text("type") == "stream").then(|| to.first().and_then(|id| directory.channel_name(*id))).flatten();
    Some(Draft {
        id: record.integer("id"),
        topic: directory.convert_topic(record.text("topic")),
        to: (record.text("type") == "private").then(|| directory.handles(to)),
        channel,
        content: directory.convert_content(record.text("content"))?,
        at: directory.convert_past_time(record["timestamp"].as_f64()? as i64),
    })
}

fn convert_snippet(record: &Value, directory: &Directory) -> Option<Snippet> {
    let title = Some(to_valid_text(&directory.convert_text(record.text("title")), snippets::MAX_TITLE_LENGTH))
        .filter(|title| !title.is_empty())?;
    let content = directory.convert_content(record.text("content"))?;
    Some(Snippet {
        id: record.integer("id"),
        title,
        content,
        created: directory.convert_past_time(record.integer("date_created")?),
    })
}

fn convert_views(register_reply: &Value, directory: &Directory) -> Vec<NavigationView> {
    let mut used_names = HashSet::new();
    let convert_view = |record: &Value| {
        let fragment = record.text("fragment");
        let is_built_in = BUILT_IN_FRAGMENTS.contains(&fragment);
        let name = record["name"].as_str().filter(|_| !is_built_in).map(|name| directory.convert_text(name));
        if !is_built_in && !name.as_ref().is_some_and(|name| !name.trim().is_empty() && used_names.insert(name.clone()))
        {
            return None;
        }
        let fragment = match &directory.anonymizer {
            Some(anonymizer) if !is_built_in => anonymizer.anonymize_narrow_link(fragment, directory),
            _ => fragment.to_owned(),
        };
        Some(NavigationView { fragment, is_pinned: record.boolean("is_pinned"), name })
    };
    register_reply.list("navigation_views").iter().filter_map(convert_view).collect()
}

/// Converts devices. Their keys and tokens are missing, because the API does not return them.
fn convert_devices(register_reply: &Value, directory: &Directory) -> Vec<Device> {
    let convert_device = |(id, record): (&String, &Value)| {
        Some(Device {
            id: Some(id.parse().ok()?),
            push_key_id: record.integer("push_key_id"),
            push_key: None,
            push_token_id: None,
            push_token_kind: PushService::default(),
            pending_push_token_id: None,
            push_token_last_updated: record
                .integer("push_token_last_updated_timestamp")
                .map(|at| directory.convert_past_time(at)),
            push_registration_error_code: record["push_registration_error_code"].as_str().map(str::to_owned),
        })
    };
    register_reply["devices"].as_object().into_iter().flatten().filter_map(convert_device).collect()
}
