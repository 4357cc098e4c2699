//! Converts the organization with its settings and permissions to that of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use crate::fixture::format::{Domain, Holder, Organization};
use crate::realm::group::SystemGroup;
use crate::realm::organization::{AuthenticationMethod, LoginService};
use crate::realm::permission::{DefaultHolder, PermissionSetting, REALM_PERMISSIONS};
use crate::realm::setting::{REALM_SETTINGS, Setting, SettingKind, USER_SETTINGS};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Settings whose value is a text that people wrote.
const TEXT_SETTINGS: [&str; 1] = ["welcome_message_custom_text"];
/// Settings whose value is a URL.
const URL_SETTINGS: [&str; 1] = ["jitsi_server_url"];

/// Facts about the organization that are not fields of the register reply.
pub struct OrganizationContext<'a> {
    /// The reply to `GET /server_settings`.
    pub server_settings: &'a Value,
    pub subdomain: &'a str,
    pub id: i64,
    /// The domain of the bots' addresses, or the host of the organization's URL if it is unknown.
    pub host: &'a str,
}

pub fn convert_organization(
    register_reply: &Value,
    context: &OrganizationContext<'_>,
    directory: &Directory,
) -> Organization {
    let defaults = Organization::default();
    let channel = |key: &str| register_reply.integer(key).and_then(|id| directory.channel_name(id));
    let host = directory
        .anonymizer
        .as_ref()
        .map_or_else(|| context.host.to_owned(), |anonymizer| anonymizer.anonymize_host(context.host));
    let name = directory.convert_text(register_reply.text("realm_name"));
    Organization {
        id: context.id,
        uuid: register_reply["realm_uuid"].as_str().filter(|_| directory.anonymizer.is_none()).map(str::to_owned),
        name: if name.trim().is_empty() { defaults.name } else { name },
        description: directory.convert_markdown(register_reply.text("realm_description")),
        host,
        subdomain: directory.convert_text(context.subdomain),
        created: register_reply
            .integer("realm_date_created")
            .map_or(defaults.created, |at| directory.convert_past_time(at)),
        settings: convert_realm_settings(register_reply, directory),
        permissions: convert_permissions(
            REALM_PERMISSIONS,
            &|name| permission_value(register_reply, name, directory),
            directory,
        ),
        user_defaults: changed_settings(&USER_SETTINGS, &register_reply["realm_user_settings_defaults"], directory),
        new_channel_announcements: channel("realm_new_stream_announcements_stream_id"),
        signup_announcements: channel("realm_signup_announcements_stream_id"),
        service_update_announcements: channel("realm_service_update_announcements_stream_id"),
        moderation_requests: channel("realm_moderation_request_channel_id"),
        authentication_methods: convert_authentication_methods(&register_reply["realm_authentication_methods"]),
        login_services: convert_login_services(context.server_settings, directory),
        proxies_pictures: defaults.proxies_pictures,
        domains: convert_domains(register_reply, directory),
    }
}

fn convert_realm_settings(register_reply: &Value, directory: &Directory) -> BTreeMap<String, Value> {
    let mut values = json!({});
    for setting in REALM_SETTINGS.iter() {
        if let Some(value) = register_reply.get(setting.state_key()) {
            values[setting.name] = value.clone();
        }
    }
    // At older levels, 0 means no limit.
    for name in ["message_content_edit_limit_seconds", "message_content_delete_limit_seconds"] {
        if values[name] == 0 {
            values[name] = Value::Null;
        }
    }
    // At older levels, null means no language.
    if values["default_code_block_language"].is_null() {
        values["default_code_block_language"] = "".into();
    }
    changed_settings(&REALM_SETTINGS, &values, directory)
}

/// The settings of a table that differ from their defaults. A value that this double refuses gets a note.
pub fn changed_settings(table: &[Setting], values: &Value, directory: &Directory) -> BTreeMap<String, Value> {
    let mut settings = BTreeMap::new();
    for setting in table {
        let Some(value) = values.get(setting.name) else { continue };
        if *value == setting.default {
            continue;
        }
        if !setting.kind.accepts(value) {
            directory.add_note(format!("The setting {} has a value that this double does not take", setting.name));
            continue;
        }
        let is_text = matches!(setting.kind, SettingKind::Text | SettingKind::TextOrNull);
        let value = match value.as_str() {
            Some(text) if is_text && TEXT_SETTINGS.contains(&setting.name) => directory.convert_markdown(text).into(),
            Some(url) if is_text && URL_SETTINGS.contains(&setting.name) => directory.convert_url(url).into(),
            _ => value.clone(),
        };
        settings.insert(setting.name.to_owned(), value);
    }
    settings
}

/// The permissions of a table whose holders differ from the defaults. `value` returns the holder of a permission as the
/// API shows it. A holder that this double refuses gets a note.
pub fn convert_permissions(
    table: &[PermissionSetting],
    value: &dyn Fn(&str) -> Option<Value>,
    directory: &Directory,
) -> BTreeMap<String, Holder> {
    let mut permissions = BTreeMap::new();
    for row in table {
        let Some(holder) = value(row.name).as_ref().and_then(|value| directory.convert_holder(value)) else { continue };
        let is_default = match (row.default, &holder) {
            (DefaultHolder::System(system), Holder::Group(name)) => system.name() == name,
            _ => false,
        };
        if is_default {
            continue;
        }
        if can_hold(row, &holder) {
            permissions.insert(row.name.to_owned(), holder);
        } else {
            directory.add_note(format!("The permission {} is held by what cannot hold it in this double", row.name));
        }
    }
    permissions
}

fn can_hold(row: &PermissionSetting, holder: &Holder) -> bool {
    let can_group_hold =
        |name: &String, is_alone: bool| match SystemGroup::ALL.into_iter().find(|group| group.name() == name) {
            Some(SystemGroup::Internet) if !row.allow_internet => false,
            Some(SystemGroup::Everyone) if !row.allow_everyone => false,
            Some(SystemGroup::Nobody) if !row.allow_nobody => false,
            Some(group) => {
                row.refused != Some(group) && (row.allowed_groups.is_empty() || row.allowed_groups.contains(&group))
            }
            None => !(row.require_system_group && is_alone),
        };
    match holder {
        Holder::Group(name) => can_group_hold(name, true),
        Holder::Anonymous(anonymous) => {
            !row.require_system_group && anonymous.groups.iter().all(|name| can_group_hold(name, false))
        }
    }
}

/// Permissions and the keys of the policies that servers have instead at older levels. A policy is a number.
const FORMER_POLICIES: [(&str, &str); 14] = [
    ("can_create_public_channel_group", "realm_create_public_stream_policy"),
    ("can_create_private_channel_group", "realm_create_private_stream_policy"),
    ("can_create_web_public_channel_group", "realm_create_web_public_stream_policy"),
    ("can_add_subscribers_group", "realm_invite_to_stream_policy"),
    ("can_invite_users_group", "realm_invite_to_realm_policy"),
    ("can_move_messages_between_topics_group", "realm_edit_topic_policy"),
    ("can_move_messages_between_channels_group", "realm_move_messages_between_streams_policy"),
    ("can_add_custom_emoji_group", "realm_add_custom_emoji_policy"),
    ("can_create_groups", "realm_user_group_edit_policy"),
    ("can_delete_own_message_group", "realm_delete_own_message_policy"),
    ("can_mention_many_users_group", "realm_wildcard_mention_policy"),
    ("direct_message_permission_group", "realm_private_message_policy"),
    ("can_create_bots_group", "realm_bot_creation_policy"),
    ("can_create_public_channel_group", "realm_create_stream_policy"),
];

/// The holder of a permission as the API shows it; at older levels, the group that the former policy names.
fn permission_value(register_reply: &Value, name: &str, directory: &Directory) -> Option<Value> {
    if let Some(value) = register_reply.get(format!("realm_{name}")) {
        return Some(value.clone());
    }
    let (_, key) =
        FORMER_POLICIES.iter().find(|(permission, key)| *permission == name && !register_reply[*key].is_null())?;
    let group = former_holder(key, register_reply.integer(key)?)?;
    directory.groups.find(group)?;
    directory.system_group_id(group).map(Value::from)
}

/// The system group for a number of a former policy. The numbers of some policies have meanings of their own.
fn former_holder(key: &str, number: i64) -> Option<&'static str> {
    let name = match (key, number) {
        ("realm_private_message_policy", 1) => "role:everyone",
        ("realm_private_message_policy", _) => "role:nobody",
        ("realm_bot_creation_policy", 1) => "role:members",
        ("realm_bot_creation_policy", _) => "role:administrators",
        ("realm_wildcard_mention_policy", 1) | (_, 5) if key != "realm_wildcard_mention_policy" || number == 1 => {
            "role:everyone"
        }
        ("realm_wildcard_mention_policy", 5) => "role:administrators",
        ("realm_wildcard_mention_policy", 6) | (_, 6) => "role:nobody",
        ("realm_wildcard_mention_policy", 7) => "role:moderators",
        (_, 1) => "role:members",
        (_, 2) => "role:administrators",
        (_, 3) => "role:fullmembers",
        (_, 4) => "role:moderators",
        (_, 7) => "role:owners",
        _ => return None,
    };
    Some(name)
}

/// The enabled authentication methods that this double knows; all of them if none is enabled.
fn convert_authentication_methods(source: &Value) -> BTreeSet<AuthenticationMethod> {
    let is_enabled = |method: &AuthenticationMethod| {
        let value = &source[method.name()];
        value.as_bool().unwrap_or_else(|| value.boolean("enabled"))
    };
    let methods: BTreeSet<_> = AuthenticationMethod::ALL.into_iter().filter(is_enabled).collect();
    if methods.is_empty() { AuthenticationMethod::ALL.into_iter().collect() } else { methods }
}

fn convert_login_services(server_settings: &Value, directory: &Directory) -> Vec<LoginService> {
    let mut services: Vec<LoginService> = Vec::new();
    for service in server_settings.list("external_authentication_methods") {
        let name = directory.convert_text(service.text("name"));
        let display_name = directory.convert_text(service.text("display_name"));
        if !name.trim().is_empty() && services.iter().all(|other| other.name != name) {
            services.push(LoginService { name, display_name });
        }
    }
    services
}

fn convert_domains(register_reply: &Value, directory: &Directory) -> Vec<Domain> {
    let convert_domain = |source: &Value| {
        let original = source.text("domain");
        let domain = directory
            .anonymizer
            .as_ref()
            .map_or_else(|| original.to_owned(), |anonymizer| anonymizer.anonymize_host(original));
        Domain { domain, allow_subdomains: source.boolean("allow_subdomains") }
    };
    register_reply.list("realm_domains").iter().map(convert_domain).collect()
}
