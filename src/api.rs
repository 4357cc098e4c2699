//! The operations of the API: a type for each operation, and a row for each in the table [`OPERATIONS`].
//!
//! The `run` function of an operation first checks the request; after a blank line it makes the change, if any.
//! Operations do not depend on HTTP or dialects, and take no locks: a [`Read`] sees the realm in which its caller was
//! checked, a [`Write`] a private copy of the current one.
//!
//! A file or folder with operations is a family and does not use other families, except for [`register`], which shows
//! what they have. Changes that several families make are in [`changes`], parameter types that they share in
//! [`parameter`].
//!
//! To add an operation, declare it with `operation!`, write its reply struct, implement [`Read`], [`Write`] or
//! [`PartialWrite`], and add its row to the table. Routing, the OpenAPI document and the reference are derived from
//! these.

mod access;
pub mod alert_words;
pub mod avatars;
pub mod bot_storage;
pub mod bots;
pub mod calls;
pub mod changes;
pub mod channel_folders;
pub mod channels;
pub mod custom_emoji;
pub mod devices;
pub mod drafts;
pub mod events;
pub mod exports;
pub mod flags;
pub mod groups;
pub mod incoming_webhooks;
pub mod invites;
pub mod linkifiers;
pub mod messages;
pub mod muted_users;
pub mod navigation_views;
mod nul_characters;
pub mod onboarding;
pub mod operation;
mod operation_context;
pub mod organization;
mod outcome;
pub mod own_api_key;
pub mod parameter;
pub mod presence;
pub mod profile;
pub mod profile_fields;
pub mod push;
pub mod reactions;
pub mod register;
pub mod release;
pub mod reminders;
mod reply;
pub mod scheduled_messages;
pub mod server;
pub mod settings;
pub mod snippets;
pub mod statuses;
pub mod subscriptions;
mod table;
pub mod topics;
pub mod typing;
pub mod uploads;
pub mod users;

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::tx::Tx;
use crate::world::World;
use parameter::{ParameterInfo, Parameters, RawParameters};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::sync::Arc;
use table::{read, row, write, write_partially};

pub use access::Access;
pub(crate) use operation::operation;
pub use operation::{Deprecation, Docs, Effect, Operation, PartialWrite, Precondition, Protocol, Read, Write};
pub use operation_context::{OperationContext, Origin};
pub use outcome::{Outcome, PollOutcome, WriteError};
pub use reply::{ReplyBody, ReplyData, ReplyFormat, Success, envelope};

/// The newest feature level that the server implements. A world at a higher level behaves like one at this level,
/// except that queues without `event_types` also receive events of an unknown type.
pub const NEWEST_FEATURE_LEVEL: i64 = crate::feature::NEWEST_LEVEL;
/// `service_version` at the newest level (A-2 in docs/assumptions.md).
pub const SERVICE_VERSION: &str = "12.0";

/// An HTTP method and a path with placeholders in braces, without `/api/v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// In capitals: `GET`.
    pub method: &'static str,
    /// For example `/messages/{message_id}/reactions`.
    pub path: &'static str,
}

impl Route {
    pub const fn new(method: &'static str, path: &'static str) -> Self {
        Self { method, path }
    }
}

/// The function that runs an operation. Its realm is the one in which the caller's access was checked.
#[derive(Clone, Copy)]
pub enum RunFunction {
    /// Reads that realm.
    Read(fn(&Realm, &OperationContext<'_>, &RawParameters) -> Result<ReplyBody, Error>),
    /// Changes the current realm of the world, which may be newer than the one in which access was checked.
    Write(fn(&World, &Realm, &OperationContext<'_>, &RawParameters) -> Result<Outcome, WriteError>),
    /// The long poll, which waits for events.
    Poll(fn(&Arc<World>, &OperationContext<'_>, &RawParameters) -> Result<PollOutcome, Error>),
}

/// A row of the table: what other layers need to know of an [`Operation`], and the function that runs it.
pub struct OperationRow {
    /// The full path of the operation's type.
    pub type_name: fn() -> &'static str,
    pub route: Route,
    /// Method and path: `GET /messages`.
    pub route_text: &'static str,
    pub access: Access,
    pub docs: Docs,
    /// The first feature level without the operation.
    pub removed_in: Option<i64>,
    /// Whether `msg` of a successful reply may be non-empty.
    pub may_set_msg: bool,
    /// Whether the operation takes files. The others accept only bodies of the size that parameters need.
    pub takes_files: bool,
    /// Whether the operation returns API keys, or users whose keys can be fetched, without credentials.
    pub exposes_api_keys: bool,
    /// Whether the running time is nearly independent of the size of the organization.
    pub is_fast: bool,
    pub effects: &'static [Effect],
    /// The parameter with the caller's email address, which requests in a session may omit.
    pub caller_parameter: Option<&'static str>,
    pub protocol: Protocol,
    pub parameters: &'static [ParameterInfo],
    /// The schema of the reply's data, without `result` and `msg`.
    pub reply_schema: fn(&mut SchemaGenerator) -> Schema,
    pub run: RunFunction,
}

impl OperationRow {
    pub fn has_effect(&self, effect: Effect) -> bool {
        self.effects.contains(&effect)
    }

    /// Whether the operation is the long poll.
    pub fn is_poll(&self) -> bool {
        matches!(self.run, RunFunction::Poll(_))
    }

    /// Whether a feature level has the operation.
    pub fn exists_at(&self, level: i64) -> bool {
        self.docs.since <= level && self.removed_in.is_none_or(|removed_in| level < removed_in)
    }
}

/// The path in the table for a path from the reference, which has `{name}` in place of `{*name}`. None for an unknown
/// path.
pub fn find_path(path: &str) -> Option<&'static str> {
    let is_match = |route: &str| route == path || (route.contains("{*") && route.replace("{*", "{") == path);
    rows().map(|row| row.route.path).find(|route| is_match(route))
}

/// All rows: those of [`OPERATIONS`] and of [`RESUMABLE_UPLOADS`].
pub fn rows() -> impl Iterator<Item = &'static OperationRow> {
    OPERATIONS.iter().chain(RESUMABLE_UPLOADS)
}

/// The operations of resumable uploads, whose replies follow the tus protocol and have no envelope.
pub static RESUMABLE_UPLOADS: &[OperationRow] = &[
    write::<uploads::resumable::BeginUpload>(),
    read::<uploads::resumable::GetUploadOffset>(),
    write::<uploads::resumable::AddToUpload>(),
    write::<uploads::resumable::TerminateUpload>(),
];

/// All operations whose replies have the API's envelope.
#[rustfmt::skip]
pub static OPERATIONS: &[OperationRow] = &[
    read::<server::GetServerSettings>(),
    write::<server::DevFetchApiKey>(),
    read::<server::DevListUsers>(),
    write::<server::FetchApiKey>(),
    write::<server::token::FetchApiKeyForToken>(),
    write::<register::Register>(),
    row::<events::GetEvents>(RunFunction::Poll(events::poll)),
    write::<events::DeleteQueue>(),
    write::<messages::SendMessage>(),
    write_partially::<incoming_webhooks::DeliverWebhook>(),
    read::<messages::fetch::GetMessages>(),
    read::<messages::fetch::MatchesNarrow>(),
    read::<messages::summary::SummarizeMessages>(),
    read::<messages::RenderMessage>(),
    read::<messages::GetMessage>(),
    write::<messages::edit::EditMessage>(),
    write::<messages::delete::DeleteMessage>(),
    write::<messages::narrow_flags::UpdateFlagsForNarrow>(),
    write::<messages::report::ReportMessage>(),
    write::<messages::submessage::AddSubmessage>(),
    read::<messages::history::GetMessageHistory>(),
    read::<messages::read_receipts::GetReadReceipts>(),
    read::<users::GetUsers>(),
    write::<users::CreateUser>(),
    read::<users::GetOwnUser>(),
    read::<users::GetUser>(),
    read::<users::GetUserByEmail>(),
    write::<users::edit::EditUser>(),
    write::<users::edit::EditUserByEmail>(),
    write::<users::deactivate::DeactivateUser>(),
    write::<users::deactivate::DeactivateOwnUser>(),
    write::<users::reactivate::ReactivateUser>(),
    write::<settings::ChangeSettings>(),
    write::<settings::ChangeDisplaySettings>(),
    write::<settings::ChangeNotificationSettings>(),
    write::<settings::ChangeEnterSends>(),
    write::<settings::command::RunCommand>(),
    write::<organization::EditOrganization>(),
    read::<organization::subdomain::CheckSubdomain>(),
    write::<organization::deactivate::DeactivateOrganization>(),
    write::<organization::user_defaults::EditUserDefaults>(),
    read::<organization::domains::GetDomains>(),
    write::<organization::domains::AddDomain>(),
    write::<organization::domains::EditDomain>(),
    write::<organization::domains::RemoveDomain>(),
    write::<organization::playgrounds::AddPlayground>(),
    write::<organization::playgrounds::RemovePlayground>(),
    write::<organization::pictures::UploadIcon>(),
    write::<organization::pictures::RemoveIcon>(),
    write::<organization::pictures::UploadLogo>(),
    write::<organization::pictures::RemoveLogo>(),
    write::<organization::welcome::TestWelcomeMessage>(),
    read::<exports::GetExports>(),
    write::<exports::ExportOrganization>(),
    read::<exports::GetExportConsents>(),
    write::<exports::DeleteExport>(),
    write::<onboarding::MarkOnboardingStep>(),
    write::<profile::ChangeProfileValues>(),
    write::<profile::RemoveProfileValues>(),
    read::<profile_fields::GetProfileFields>(),
    write::<profile_fields::CreateProfileField>(),
    write::<profile_fields::OrderProfileFields>(),
    write::<profile_fields::EditProfileField>(),
    write::<profile_fields::RemoveProfileField>(),
    write::<avatars::UploadAvatar>(),
    write::<avatars::RemoveAvatar>(),
    read::<alert_words::GetAlertWords>(),
    write::<alert_words::AddAlertWords>(),
    write::<alert_words::RemoveAlertWords>(),
    write::<muted_users::MuteUser>(),
    write::<muted_users::UnmuteUser>(),
    read::<bots::GetBots>(),
    write::<bots::create::CreateBot>(),
    write::<bots::edit::EditBot>(),
    write::<bots::DeactivateBot>(),
    read::<bots::GetBotApiKey>(),
    write::<bots::RegenerateBotApiKey>(),
    write::<bot_storage::UpdateBotStorage>(),
    read::<bot_storage::GetBotStorage>(),
    write::<bot_storage::RemoveBotStorage>(),
    write::<own_api_key::RegenerateOwnApiKey>(),
    read::<statuses::GetStatus>(),
    write::<statuses::UpdateOwnStatus>(),
    write::<statuses::UpdateStatus>(),
    write::<presence::UpdatePresence>(),
    read::<presence::GetUserPresence>(),
    read::<presence::GetRealmPresence>(),
    write::<reactions::AddReaction>(),
    write::<reactions::RemoveReaction>(),
    write::<flags::UpdateFlags>(),
    write::<flags::MarkAllAsRead>(),
    write::<flags::MarkChannelAsRead>(),
    write::<flags::MarkTopicAsRead>(),
    write::<typing::SetTyping>(),
    write::<typing::SetEditTyping>(),
    write::<typing::SetLegacyEditTyping>(),
    write::<uploads::UploadFile>(),
    read::<uploads::GetTemporaryUrl>(),
    read::<uploads::GetAttachments>(),
    write::<uploads::RemoveAttachment>(),
    read::<uploads::thumbnail::GetThumbnailStatus>(),
    read::<calls::CreateBigBlueButtonCall>(),
    read::<calls::CreateConstructorGroupsCall>(),
    write::<calls::rooms::CreateNextcloudTalkCall>(),
    write::<calls::rooms::CreateWebexCall>(),
    write::<calls::rooms::CreateZoomCall>(),
    read::<channels::GetChannels>(),
    read::<channels::GetChannel>(),
    read::<channels::GetChannelId>(),
    read::<channels::GetSubscribers>(),
    read::<channels::GetChannelEmail>(),
    write::<channels::create::CreateChannel>(),
    write::<channels::edit::EditChannel>(),
    write::<channels::archive::ArchiveChannel>(),
    read::<subscriptions::GetSubscriptions>(),
    write::<subscriptions::subscribe::Subscribe>(),
    write::<subscriptions::ChangeSubscriptions>(),
    write::<subscriptions::unsubscribe::Unsubscribe>(),
    write::<subscriptions::properties::ChangeProperties>(),
    write::<subscriptions::properties::ChangeProperty>(),
    read::<subscriptions::GetSubscriptionStatus>(),
    read::<subscriptions::GetUserChannels>(),
    read::<topics::GetTopics>(),
    write::<topics::SetTopicPolicy>(),
    write::<topics::MuteTopic>(),
    write::<topics::delete::DeleteTopic>(),
    write::<channels::defaults::AddDefaultChannel>(),
    write::<channels::defaults::RemoveDefaultChannel>(),
    write::<channels::default_groups::CreateDefaultGroup>(),
    write::<channels::default_groups::EditDefaultGroup>(),
    write::<channels::default_groups::ChangeDefaultGroupChannels>(),
    write::<channels::default_groups::RemoveDefaultGroup>(),
    read::<channel_folders::GetFolders>(),
    write::<channel_folders::CreateFolder>(),
    write::<channel_folders::EditFolder>(),
    write::<channel_folders::ReorderFolders>(),
    read::<groups::GetGroups>(),
    read::<groups::GetGroupMembers>(),
    read::<groups::IsGroupMember>(),
    read::<groups::GetSubgroups>(),
    write::<groups::create::CreateGroup>(),
    write::<groups::edit::EditGroup>(),
    write::<groups::deactivate::DeactivateGroup>(),
    write::<groups::delete::RemoveGroup>(),
    write::<groups::members::ChangeMembers>(),
    write::<groups::members::ChangeSubgroups>(),
    read::<navigation_views::GetNavigationViews>(),
    write::<navigation_views::AddNavigationView>(),
    write::<navigation_views::EditNavigationView>(),
    write::<navigation_views::RemoveNavigationView>(),
    read::<snippets::GetSnippets>(),
    write::<snippets::CreateSnippet>(),
    write::<snippets::EditSnippet>(),
    write::<snippets::RemoveSnippet>(),
    read::<reminders::GetReminders>(),
    write::<reminders::CreateReminder>(),
    write::<reminders::RemoveReminder>(),
    read::<scheduled_messages::GetScheduledMessages>(),
    write::<scheduled_messages::ScheduleMessage>(),
    write::<scheduled_messages::EditScheduledMessage>(),
    write::<scheduled_messages::RemoveScheduledMessage>(),
    read::<drafts::GetDrafts>(),
    write::<drafts::CreateDrafts>(),
    write::<drafts::EditDraft>(),
    write::<drafts::RemoveDraft>(),
    read::<linkifiers::GetLinkifiers>(),
    write::<linkifiers::ReorderLinkifiers>(),
    write::<linkifiers::AddLinkifier>(),
    write::<linkifiers::EditLinkifier>(),
    write::<linkifiers::RemoveLinkifier>(),
    write::<invites::CreateInviteLink>(),
    read::<invites::GetInvites>(),
    write_partially::<invites::SendInvites>(),
    write::<invites::RevokeInvite>(),
    write::<invites::RevokeInviteLink>(),
    write::<invites::ResendInvite>(),
    write::<devices::AddPlatformToken>(),
    write::<devices::RemovePlatformToken>(),
    write::<devices::AddAndroidToken>(),
    write::<devices::RemoveAndroidToken>(),
    write::<devices::RegisterDevice>(),
    write::<devices::RemoveDevice>(),
    write::<push::RegisterPush>(),
    write::<push::TestEncryptedPush>(),
    write::<push::TestPush>(),
    read::<push::RegisterDeviceAtRelay>(),
    read::<custom_emoji::GetCustomEmoji>(),
    write::<custom_emoji::UploadCustomEmoji>(),
    write::<custom_emoji::DeactivateCustomEmoji>(),
];
