//! The fields of events about the organization.

use super::{any_of_types, setting_value_schema};
use crate::realm::event::event_data;
use crate::realm::id::UserId;
use crate::realm::permission::{GroupSettingValue, REALM_PERMISSIONS};
use crate::record::domain::DomainRecord;
use crate::record::emoji::EmojiRecord;
use crate::record::export::ExportRecord;
use crate::record::linkifier::LinkifierRecord;
use crate::record::playground::PlaygroundRecord;
use crate::record::profile_field::ProfileFieldRecord;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

event_data! {
    RealmUpdate;
    RealmUpdateDict;
    RealmDeactivated;
    RealmDomainsAdd;
    RealmDomainsChange;
    RealmDomainsRemove;
    RealmEmojiAdd;
    RealmEmojiUpdateOne;
    RealmExportConsent;
    RealmPlaygrounds;
    RealmUserSettingsDefaultsUpdate;
}

/// A setting of the organization changed, other than those that `realm` `update_dict` reports.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUpdate {
    /// Name of the setting.
    pub property: String,
    /// New value of the setting.
    #[schemars(schema_with = "organization_value_schema")]
    pub value: Value,
}

fn organization_value_schema(_: &mut SchemaGenerator) -> Schema {
    any_of_types(&["string", "boolean", "integer", "null"])
}

/// Permissions, pictures and some settings of the organization changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUpdateDict {
    /// `icon`, `logo` or `night_logo` if that picture changed; otherwise `default`.
    #[schemars(extend("enum" = ["default", "icon", "logo", "night_logo"]))]
    pub property: &'static str,
    /// New values of the settings and permissions that changed, by name.
    #[schemars(schema_with = "organization_data_schema")]
    pub data: Map<String, Value>,
}

/// The schema of the settings that are sent together, and of the permissions.
fn organization_data_schema(generator: &mut SchemaGenerator) -> Schema {
    let method_schema = json!({"type": "object", "properties": {
        "enabled": {"type": "boolean"},
        "available": {"type": "boolean"},
    }, "required": ["enabled", "available"]});
    let text_schema = json!({"type": "string"});
    let channel_schema = json!({"type": "integer"});
    let mut properties = Map::from_iter(
        [
            ("allow_message_editing", json!({"type": "boolean"})),
            ("authentication_methods", json!({"type": "object", "additionalProperties": method_schema})),
            ("message_content_edit_limit_seconds", json!({"type": ["integer", "null"]})),
            ("mandatory_topics", json!({"type": "boolean"})),
            ("topics_policy", json!({"type": "string", "enum": ["allow_empty_topic", "disable_empty_topic"]})),
        ]
        .map(|(name, schema)| (name.to_owned(), schema)),
    );
    let pictures = [("icon", "G"), ("logo", "D"), ("night_logo", "D")];
    for (picture, default_source) in pictures {
        let source_schema = json!({"type": "string", "enum": [default_source, "U"]});
        properties.insert(format!("{picture}_source"), source_schema);
        properties.insert(format!("{picture}_url"), text_schema.clone());
    }
    let text_settings = ["description", "rendered_description"].into_iter().map(str::to_owned);
    properties.extend(text_settings.map(|name| (name, text_schema.clone())));
    let announcement_settings =
        ["new_stream", "service_update", "signup"].map(|purpose| format!("{purpose}_announcements_stream_id"));
    let channel_settings = announcement_settings.into_iter().chain(["moderation_request_channel_id".to_owned()]);
    properties.extend(channel_settings.map(|name| (name, channel_schema.clone())));
    for permission in REALM_PERMISSIONS {
        properties.insert(permission.name.to_owned(), generator.subschema_for::<GroupSettingValue>().to_value());
    }
    json_schema!({"type": "object", "properties": properties})
}

/// The organization was deactivated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDeactivated {
    /// ID of the organization, in which clients are now logged out.
    pub realm_id: i64,
}

/// A domain to which email addresses can be restricted was added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDomainsAdd {
    /// The new domain.
    pub realm_domain: DomainRecord,
}

/// The subdomains of a domain were included or excluded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDomainsChange {
    /// The domain as it is now.
    pub realm_domain: DomainRecord,
}

/// A domain to which email addresses could be restricted was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDomainsRemove {
    /// Name of the removed domain, in lowercase.
    pub domain: String,
}

/// A custom emoji was added, for clients with `individual_emoji_changes`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmEmojiAdd {
    /// The new emoji.
    pub emoji: EmojiRecord,
}

/// A custom emoji was added or deactivated, for other clients.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmEmojiUpdate {
    /// All custom emoji, including deactivated ones, by ID.
    pub realm_emoji: BTreeMap<String, EmojiRecord>,
}

/// A custom emoji was deactivated, for clients with `individual_emoji_changes`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmEmojiUpdateOne {
    /// ID of the emoji, as text.
    pub emoji_id: String,
    /// The new state of the emoji.
    pub data: EmojiChange,
}

/// The new state of a custom emoji.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EmojiChange {
    /// True: the emoji can't be chosen any more.
    pub deactivated: bool,
}

/// An export was requested, is ready, failed or was deleted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmExport {
    /// All exports, also deleted and failed ones.
    pub exports: Vec<ExportRecord>,
}

/// A user decided whether their private data may be exported; sent to administrators.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmExportConsent {
    /// ID of the user.
    pub user_id: UserId,
    /// Whether the user's private data may be exported from now on.
    pub consented: bool,
}

/// The linkifiers changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmLinkifiers {
    /// All linkifiers, in the order in which they apply.
    pub realm_linkifiers: Vec<LinkifierRecord>,
}

/// The linkifiers changed, for clients without `linkifier_url_template`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmFilters {
    /// The pattern, the URL format and the ID of each linkifier.
    pub realm_filters: Vec<(String, String, i64)>,
}

/// The code playgrounds changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmPlaygrounds {
    /// All code playgrounds, oldest first.
    pub realm_playgrounds: Vec<PlaygroundRecord>,
}

/// The custom profile fields changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CustomProfileFields {
    /// All custom profile fields, in the order in which profiles show them.
    pub fields: Vec<ProfileFieldRecord>,
}

/// A default setting of new users changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUserSettingsDefaultsUpdate {
    /// Name of the user setting.
    pub property: &'static str,
    /// The value that new users get.
    #[schemars(schema_with = "setting_value_schema")]
    pub value: Value,
}
