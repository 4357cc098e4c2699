//! The fields of events about the organization.

use super::{any_of_types, setting_value_schema};
use crate::realm::event::event_data;
use crate::realm::id::UserId;
use crate::realm::permission::{GroupSettingValue, REALM_PERMISSIONS};
use crate::record::emoji::EmojiRecord;
use crate::record::export::ExportRecord;
use crate::record::linkifier::LinkifierRecord;
use crate::record::organization::{DomainRecord, PlaygroundRecord};
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

/// A setting of the organization changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUpdate {
    /// The setting.
    pub property: String,
    /// Its value.
    #[schemars(schema_with = "organization_value_schema")]
    pub value: Value,
}

fn organization_value_schema(_: &mut SchemaGenerator) -> Schema {
    any_of_types(&["string", "boolean", "integer", "null"])
}

/// Permissions, pictures and some settings of the organization changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUpdateDict {
    /// The picture, or `default`.
    #[schemars(extend("enum" = ["default", "icon", "logo", "night_logo"]))]
    pub property: &'static str,
    /// What changed.
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
    let texts = ["description", "rendered_description"].into_iter().map(str::to_owned);
    let pictures = ["icon", "logo", "night_logo"].into_iter();
    let picture_fields = pictures.flat_map(|picture| [format!("{picture}_source"), format!("{picture}_url")]);
    properties.extend(texts.chain(picture_fields).map(|name| (name, text_schema.clone())));
    let purposes =
        ["new_stream", "service_update", "signup"].map(|purpose| format!("{purpose}_announcements_stream_id"));
    let channels = purposes.into_iter().chain(["moderation_request_channel_id".to_owned()]);
    properties.extend(channels.map(|name| (name, channel_schema.clone())));
    for permission in REALM_PERMISSIONS {
        properties.insert(permission.name.to_owned(), generator.subschema_for::<GroupSettingValue>().to_value());
    }
    json_schema!({"type": "object", "properties": properties})
}

/// The organization was deactivated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDeactivated {
    /// The organization's ID.
    pub realm_id: i64,
}

/// A domain was added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDomainsAdd {
    /// The domain.
    pub realm_domain: DomainRecord,
}

/// A domain was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDomainsChange {
    /// The domain as it is now.
    pub realm_domain: DomainRecord,
}

/// A domain was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmDomainsRemove {
    /// The removed domain.
    pub domain: String,
}

/// A custom emoji was added, for clients with `individual_emoji_changes`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmEmojiAdd {
    /// The emoji.
    pub emoji: EmojiRecord,
}

/// A custom emoji was added or deactivated, for other clients.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmEmojiUpdate {
    /// All of them by ID.
    pub realm_emoji: BTreeMap<String, EmojiRecord>,
}

/// A custom emoji was deactivated, for clients with `individual_emoji_changes`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmEmojiUpdateOne {
    /// Its ID, as text.
    pub emoji_id: String,
    /// What changed.
    pub data: EmojiChange,
}

/// What changed of a custom emoji.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EmojiChange {
    /// Whether it is deactivated.
    pub deactivated: bool,
}

/// An export was requested, is ready, failed or was deleted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmExport {
    /// All of them.
    pub exports: Vec<ExportRecord>,
}

/// A user decided whether their private data may be exported.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmExportConsent {
    /// The user's ID.
    pub user_id: UserId,
    /// Whether it may be exported.
    pub consented: bool,
}

/// The linkifiers changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmLinkifiers {
    /// All of them, in the order in which they apply.
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
    /// All of them, oldest first.
    pub realm_playgrounds: Vec<PlaygroundRecord>,
}

/// The custom profile fields changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CustomProfileFields {
    /// All of them, in order.
    pub fields: Vec<ProfileFieldRecord>,
}

/// A default setting of new users changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUserSettingsDefaultsUpdate {
    /// The setting.
    pub property: &'static str,
    /// Its value.
    #[schemars(schema_with = "setting_value_schema")]
    pub value: Value,
}
