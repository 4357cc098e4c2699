//! The operations: one type each in the file of its family, one row each in [`OPERATIONS`].
//!
//! An operation reads from top to bottom: checks first, then a blank line, then the change. It knows nothing of HTTP,
//! feature levels or dialects, and takes no locks: a [`Read`] gets the realm as it is, a [`Write`] a private copy.
//!
//! A file or folder with operations is a family, and uses no other family; changes that several make are in [`changes`],
//! types of parameters in [`parameter`].
//!
//! To add an operation: declare it with `operation!`, write its reply struct and an `impl Read` or `impl Write`, and add
//! its row to the table. Routing, the OpenAPI document and the reference follow from these.

mod access;
pub mod alert_words;
pub mod avatars;
pub mod bot_storage;
pub mod bots;
mod call;
pub mod calls;
pub mod changes;
pub mod channel_folders;
pub mod channels;
pub mod credentials;
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
mod null;
pub mod onboarding;
pub mod operation;
pub mod organization;
mod outcome;
pub mod parameter;
pub mod presence;
pub mod profile;
pub mod profile_fields;
pub mod push;
pub mod reactions;
pub mod register;
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
use table::{read, row, write, write_in_part};

pub use access::Access;
pub use call::{Call, Origin, commit_for};
pub(crate) use operation::operation;
pub use operation::{Deprecation, Docs, Effect, Operation, PartialWrite, Precondition, Protocol, Read, Write};
pub use outcome::{NotDone, Outcome, Poll};
pub use reply::{ReplyBody, ReplyData, ReplyForm, Success, envelope};

/// The newest feature level that this build knows.
pub const NEWEST_FEATURE_LEVEL: i64 = crate::feature::NEWEST;
/// `service_version` at the newest level. in docs/assumptions.md.
pub const SERVICE_VERSION: &str = "12.0";

/// An HTTP method and a path with placeholders in braces, without `/api/v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// GET, POST, …
    pub method: &'static str,
    /// `/messages/{message_id}/reactions`
    pub path: &'static str,
}

impl Route {
    /// The route of a method, in capitals, and a path.
    pub const fn new(method: &'static str, path: &'static str) -> Self {
        Self { method, path }
    }
}

/// How a row's operation is carried out: with the realm in which the caller was checked, the call and its parameters.
#[derive(Clone, Copy)]
pub enum Run {
    /// Looks at that realm.
    Read(fn(&Realm, &Call<'_>, &RawParameters) -> Result<ReplyBody, Error>),
    /// Changes the world's present realm.
    Write(fn(&World, &Realm, &Call<'_>, &RawParameters) -> Result<Outcome, NotDone>),
    /// Waits for events: the long poll.
    Poll(fn(&Arc<World>, &Call<'_>, &RawParameters) -> Result<Poll, Error>),
}

/// An operation as the table has it.
pub struct Row {
    /// The full name of its type.
    pub name: fn() -> &'static str,
    /// Method and path.
    pub route: Route,
    /// Who may call it.
    pub access: Access,
    /// What the documents say.
    pub about: Docs,
    /// The first feature level that does not have it any more.
    pub removed_in: Option<i64>,
    /// Whether `msg` of its reply says something.
    pub says_something: bool,
    /// Whether it takes files; others take no larger bodies than parameters need.
    pub takes_files: bool,
    /// Whether it gives keys, or accounts to get keys of, to whoever asks.
    pub gives_keys: bool,
    /// Whether the time it takes is nearly independent of the size of the organization.
    pub is_short: bool,
    /// What follows from it outside of the realm.
    pub effects: &'static [Effect],
    /// The parameter with the caller's address, which callers in a session may leave out.
    pub caller_in: Option<&'static str>,
    /// How it is called.
    pub protocol: Protocol,
    /// What it takes.
    pub parameters: &'static [ParameterInfo],
    /// What it gives besides `result` and `msg`.
    pub reply: fn(&mut SchemaGenerator) -> Schema,
    /// How it is carried out.
    pub run: Run,
}

impl Row {
    /// Whether something follows from the operation outside of the realm.
    pub fn has(&self, effect: Effect) -> bool {
        self.effects.contains(&effect)
    }

    /// Whether it is the long poll, which waits for events.
    pub fn is_poll(&self) -> bool {
        matches!(self.run, Run::Poll(_))
    }

    /// Whether a feature level has the operation.
    pub fn is_at(&self, level: i64) -> bool {
        self.about.since <= level && self.removed_in.is_none_or(|removed_in| level < removed_in)
    }
}

/// The path in the table that is documented as this one, where `{*name}` is written `{name}`.
pub fn route_named(path: &str) -> Option<&'static str> {
    let is_named = |route: &str| route == path || (route.contains("{*") && route.replace("{*", "{") == path);
    rows().map(|row| row.route.path).find(|route| is_named(route))
}

/// All rows: those of [`OPERATIONS`] and of [`RESUMABLE_UPLOADS`].
pub fn rows() -> impl Iterator<Item = &'static Row> {
    OPERATIONS.iter().chain(RESUMABLE_UPLOADS)
}

/// The operations of resumable uploads, which speak the protocol tus instead of the API's envelope.
pub static RESUMABLE_UPLOADS: &[Row] = &[
    write::<uploads::resumable::BeginUpload>(),
    read::<uploads::resumable::GetUploadOffset>(),
    write::<uploads::resumable::AddToUpload>(),
    write::<uploads::resumable::EndUpload>(),
];

/// Every operation that is served in the API's envelope.
#[rustfmt::skip]
pub static OPERATIONS: &[Row] = &[
    read::<server::GetServerSettings>(),
    write::<server::DevFetchApiKey>(),
    read::<server::DevListUsers>(),
    write::<server::FetchApiKey>(),
    write::<server::token::FetchApiKeyForToken>(),
    write::<register::Register>(),
    row::<events::GetEvents>(Run::Poll(events::poll)),
    write::<events::DeleteQueue>(),
    write::<messages::SendMessage>(),
    write_in_part::<incoming_webhooks::DeliverWebhook>(),
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
    read::<messages::history::GetReadReceipts>(),
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
    write::<profile::ChangeProfile>(),
    write::<profile::RemoveProfile>(),
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
    write::<credentials::RegenerateOwnApiKey>(),
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
    write::<typing::SetFormerEditTyping>(),
    write::<uploads::UploadFile>(),
    read::<uploads::GetTemporaryAddress>(),
    read::<uploads::GetAttachments>(),
    write::<uploads::RemoveAttachment>(),
    read::<uploads::thumbnail::GetThumbnailStatus>(),
    read::<calls::CreateBigBlueButtonCall>(),
    read::<calls::CreateConstructorGroupsCall>(),
    write::<calls::rooms::CreateNextcloudTalkCall>(),
    write::<calls::rooms::CreateWebexCall>(),
    write::<calls::CreateZoomCall>(),
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
    write::<groups::remove::RemoveGroup>(),
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
    write_in_part::<invites::SendInvites>(),
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
    read::<push::RegisterRemotePush>(),
    read::<custom_emoji::GetCustomEmoji>(),
    write::<custom_emoji::UploadCustomEmoji>(),
    write::<custom_emoji::DeactivateCustomEmoji>(),
];
