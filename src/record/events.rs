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

pub use crate::realm::event::data::*;
pub use channels::*;
pub use groups::*;
pub use messages::*;
pub use organization::*;
pub use personal::*;
pub use users::*;

use crate::realm::event::EventKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

macro_rules! schemas {
    ($($kind:ident)*) => {
        /// The schema of what each kind of event carries, of those that the newest level has.
        pub const SCHEMAS: &[(EventKind, fn(&mut SchemaGenerator) -> Schema)] =
            &[$((EventKind::$kind, <$kind as JsonSchema>::json_schema)),*];
    };
}

schemas! {
    AlertWords AttachmentAdd AttachmentRemove AttachmentUpdate ChannelFolderAdd ChannelFolderReorder ChannelFolderUpdate
    CustomProfileFields DefaultStreamGroups DefaultStreams DeleteMessage DeviceAdd DeviceRemove DeviceUpdate DraftsAdd
    DraftsRemove DraftsUpdate Heartbeat InvitesChanged Message MutedTopics MutedUsers NavigationViewAdd
    NavigationViewRemove NavigationViewUpdate OnboardingSteps Presence ReactionAdd ReactionRemove RealmDeactivated
    RealmUpdate RealmUpdateDict RealmBotAdd RealmBotDelete RealmBotUpdate RealmDomainsAdd RealmDomainsChange
    RealmDomainsRemove RealmEmojiAdd RealmEmojiUpdate RealmEmojiUpdateOne RealmExport RealmExportConsent RealmLinkifiers
    RealmPlaygrounds RealmUserAdd RealmUserRemove RealmUserUpdate RealmUserSettingsDefaultsUpdate RemindersAdd
    RemindersRemove SavedSnippetsAdd SavedSnippetsRemove SavedSnippetsUpdate ScheduledMessagesAdd
    ScheduledMessagesRemove ScheduledMessagesUpdate StreamCreate StreamDelete StreamUpdate Submessage SubscriptionAdd
    SubscriptionPeerAdd SubscriptionPeerRemove SubscriptionRemove SubscriptionUpdate TypingStart TypingStop
    TypingEditMessageStart TypingEditMessageStop UpdateMessage UpdateMessageFlagsAdd UpdateMessageFlagsRemove
    UserGroupAdd UserGroupAddMembers UserGroupAddSubgroups UserGroupRemove UserGroupRemoveMembers
    UserGroupRemoveSubgroups UserGroupUpdate UserSettingsUpdate UserStatus UserTopic
}

/// The value of a setting.
fn setting_value(_: &mut SchemaGenerator) -> Schema {
    any_of(&["boolean", "integer", "string", "null"])
}

/// A value of one of these types.
fn any_of(types: &[&str]) -> Schema {
    let choices: Vec<Schema> = types.iter().map(|one| json_schema!({ "type": one })).collect();
    json_schema!({ "anyOf": choices })
}
