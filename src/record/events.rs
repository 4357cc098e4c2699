//! Events as clients get them: a type for each kind, whose fields are what it carries besides `type`, `op` and `id`.
//!
//! Those that look the same to everybody are emitted as they are ([`EventData`]); those that depend on who reads them are
//! made from the log's entry in `record/event.rs`. Documents have their schemas from here.

mod channels;
mod groups;
mod messages;
mod organization;
mod personal;
mod users;

pub use super::own_lists::*;
pub use crate::realm::event::data::*;
pub use channels::*;
pub use groups::*;
pub use messages::*;
pub use organization::*;
pub use personal::*;
pub use users::*;

use crate::realm::event::EventKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::sync::LazyLock;

/// A kind of event, and the schema of what it carries.
pub type EventSchema = (EventKind, fn(&mut SchemaGenerator) -> Schema);

macro_rules! schemas {
    ($($kind:ident)*) => {
        const HERE: &[EventSchema] = &[$((EventKind::$kind, <$kind as JsonSchema>::json_schema)),*];
    };
}

schemas! {
    AttachmentAdd AttachmentRemove AttachmentUpdate ChannelFolderAdd ChannelFolderReorder ChannelFolderUpdate
    CustomProfileFields DefaultStreamGroups DefaultStreams DeleteMessage DeviceAdd DeviceRemove DeviceUpdate Heartbeat
    InvitesChanged Message MutedTopics OnboardingSteps Presence ReactionAdd ReactionRemove RealmDeactivated RealmUpdate
    RealmUpdateDict RealmBotAdd RealmBotDelete RealmBotUpdate RealmDomainsAdd RealmDomainsChange RealmDomainsRemove
    RealmEmojiAdd RealmEmojiUpdate RealmEmojiUpdateOne RealmExport RealmExportConsent RealmLinkifiers RealmPlaygrounds
    RealmUserAdd RealmUserRemove RealmUserUpdate RealmUserSettingsDefaultsUpdate RemindersAdd RemindersRemove
    ScheduledMessagesAdd ScheduledMessagesRemove ScheduledMessagesUpdate StreamCreate StreamDelete StreamUpdate
    Submessage SubscriptionAdd SubscriptionPeerAdd SubscriptionPeerRemove SubscriptionRemove SubscriptionUpdate
    TypingStart TypingStop TypingEditMessageStart TypingEditMessageStop UpdateMessage UpdateMessageFlagsAdd
    UpdateMessageFlagsRemove UserGroupAdd UserGroupAddMembers UserGroupAddSubgroups UserGroupRemove
    UserGroupRemoveMembers UserGroupRemoveSubgroups UserGroupUpdate UserSettingsUpdate UserStatus UserTopic
}

/// The schema of what each kind of event carries, of those that the newest level has; sorted by kind.
pub static SCHEMAS: LazyLock<Vec<EventSchema>> = LazyLock::new(|| {
    let mut all = [HERE, super::own_lists::SCHEMAS].concat();
    all.sort_by_key(|(kind, _)| *kind);
    all
});

/// The value of a setting.
fn setting_value(_: &mut SchemaGenerator) -> Schema {
    any_of(&["boolean", "integer", "string", "null"])
}

/// A value of one of these types.
fn any_of(types: &[&str]) -> Schema {
    let choices: Vec<Schema> = types.iter().map(|one| json_schema!({ "type": one })).collect();
    json_schema!({ "anyOf": choices })
}
