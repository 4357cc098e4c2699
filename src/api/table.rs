//! The table of operations: a row each, and how a row is made of an operation's type.

use super::reply::envelope_saying;
use super::*;
use crate::error::Error;

const fn row<O: Operation>(run: Run) -> Row {
    Row {
        name: std::any::type_name::<O>,
        route: O::ROUTE,
        access: O::ACCESS,
        about: O::DOCS,
        until: O::REMOVED_IN,
        says_something: O::MESSAGE.is_some(),
        takes_files: O::TAKES_FILES,
        gives_keys: O::GIVES_KEYS,
        is_short: O::IS_SHORT,
        parameters: O::Params::LIST,
        reply: O::Reply::json_schema,
        run,
    }
}

const fn read<O: Read>() -> Row {
    row::<O>(Run::Read(|realm, call, raw| {
        let params = checked_params::<O>(realm, call, raw)?;
        Ok(enveloped::<O>(&O::run(realm, call, params)?, raw))
    }))
}

const fn write<O: Write>() -> Row {
    row::<O>(Run::Write(|world, realm, call, raw| {
        let params = checked_params::<O>(realm, call, raw)?;
        let (reply, events) = commit::<O, _>(world, call, raw, |tx| O::run(tx, call, params))?;
        let session = O::SESSION.map(|session| session(&reply));
        Ok(Outcome { reply: Ok(Reply::Ready(enveloped::<O>(&reply, raw))), events, session })
    }))
}

const fn write_in_part<O: PartialWrite>() -> Row {
    row::<O>(Run::Write(|world, realm, call, raw| {
        let params = checked_params::<O>(realm, call, raw)?;
        let (reply, events) = commit::<O, _>(world, call, raw, |tx| O::run(tx, call, params))?;
        Ok(Outcome { reply: reply.map(|reply| Reply::Ready(enveloped::<O>(&reply, raw))), events, session: None })
    }))
}

fn check_precondition<O: Operation>(realm: &Realm, call: &Call<'_>) -> Result<(), Error> {
    O::PRECONDITION.map_or(Ok(()), |precondition| precondition(realm, call))
}

fn checked_params<O: Operation>(realm: &Realm, call: &Call<'_>, raw: &RawParameters) -> Result<O::Params, Error> {
    check_precondition::<O>(realm, call)?;
    O::Params::read(raw)
}

fn commit<O: Operation, T>(
    world: &World,
    call: &Call<'_>,
    raw: &RawParameters,
    change: impl FnOnce(&mut Tx) -> Result<T, Error>,
) -> Result<(T, NewEvents), NotDone> {
    commit_for(world, call.caller.as_deref(), |tx| {
        if !call.is_current(world, tx) {
            return Err(NotDone::Outdated);
        }
        check_precondition::<O>(tx, call)?;
        let value = change(tx)?;
        null::refuse(O::Params::LIST, raw)?;
        Ok(value)
    })
}

fn enveloped<O: Operation>(reply: &O::Reply, raw: &RawParameters) -> ReplyBytes {
    envelope_saying::<O::Params>(O::MESSAGE.map_or("", |message| message(reply)), reply, raw)
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
    read::<messages::fetch::GetMessages>(),
    read::<messages::fetch::MatchesNarrow>(),
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
