//! The operation that changes a channel: its parameters and checks (reference behaviour, PATCH /streams/{id}). The
//! submodule `apply` makes the changes.

mod apply;

use super::administered_channel::administered_channel;
use crate::api::changes::channels::creation::{CAN_CREATE_TOPIC, check_folder, check_topic_creation, join_lines};
use crate::api::parameter::Nullable;
use crate::api::parameter::types::channel::{
    ChannelBooleanUpdates, ChannelPermissionUpdates, RetentionDays, TopicsPolicyWord,
};
use crate::api::parameter::types::group_setting::resolve_update;
use crate::api::parameter::types::text::LimitedText;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, MAX_CHANNEL_DESCRIPTION_LENGTH, Privacy, TopicsPolicy, validate_channel_name};
use crate::realm::id::{ChannelId, FolderId};
use crate::realm::permission::{
    CHANNEL_PERMISSIONS, ChannelPermission, GroupSettingValue, RealmPermission, setting_named,
};
use crate::realm::topic::{EMPTY_TOPIC_DISPLAY_NAME, TopicKey, topics_of_channel};
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};

operation! {
    /// Changes the properties, privacy and permissions of a channel, or unarchives it.
    pub EditChannel = PATCH "/streams/{stream_id}", for User;
    params {
        /// ID of a channel that the caller may administer; it may be archived.
        @path stream_id: ChannelId,
        /// At most 1,024 code points; line breaks become spaces.
        description: Option<LimitedText<MAX_CHANNEL_DESCRIPTION_LENGTH>>,
        /// True makes the channel private, false public.
        is_private: Option<bool>,
        /// Whether new users are subscribed to it, which a private channel does not allow; for administrators.
        is_default_stream since 200: Option<bool>,
        /// Whether new subscribers of a private channel see all of its history.
        history_public_to_subscribers: Option<bool>,
        /// Whether anyone on the internet may read it; not for private channels.
        is_web_public since 98: Option<bool>,
        /// Not blank, at most 60 code points; must differ from the present name and from those of other channels.
        new_name: Option<String>,
        /// How long messages are kept: `realm_default`, `unlimited` or days; owners only.
        message_retention_days since 17: Option<RetentionDays>,
        /// False unarchives a channel; true has no effect.
        is_archived since 388: Option<bool>,
        /// ID of a folder that is not archived; null for none.
        folder_id: Option<Nullable<FolderId>>,
        /// Which topics may be used; `empty_topic_only` is refused if the channel has other topics.
        topics_policy: Option<TopicsPolicyWord>,
        /// What is on or off in the channel.
        @group boolean_settings: ChannelBooleanUpdates,
        /// Who may do what in the channel.
        @group permissions: ChannelPermissionUpdates,
    }
    errors [
        BadValue, RequestVariableInvalid, InvalidChannelId, CannotAdministerChannel, InvalidPrivacyCombination,
        DefaultChannelCannotBePrivate, ModerationChannelCannotBecomePublic, ContentAccessRequired, WebPublicDisabled,
        InsufficientPermission, OtherTopicsExist, MayNotChangeDefaults, OwnerRequired, AdministratorRequired,
        ChannelNotArchived, ChannelWithoutSubscribers, ChannelNameEmpty, ChannelNameTooLong,
        ChannelNameInvalidCharacter, ChannelNameUnchanged, ChannelAlreadyExists, InvalidFolder, ExpectationMismatch,
        InvalidGroup, GroupDeactivated, DisallowedGroup, InvalidUserId, InvalidGroupId, UnsupportedCombination,
    ];
    events [
        StreamUpdate, StreamCreate, StreamDelete, SubscriptionPeerAdd, DefaultStreamGroups, DefaultStreams,
        SubscriptionAdd, Message,
    ];
}

impl Write for EditChannel {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let id = params.stream_id;
        let description = params.description.as_ref().map(|text| join_lines(&text.0));
        let channel = administered_channel(tx, context, id)?;
        let privacy = checked_privacy(tx, caller, channel, &params)?;
        let topics_policy = checked_topics_policy(tx, caller, channel, params.topics_policy)?;
        let is_default = checked_is_default(caller, channel, &params)?;
        let message_retention_days = checked_retention(caller, params.message_retention_days)?;
        let boolean_settings = params.boolean_settings.changes(caller, channel.boolean_settings)?;
        let is_unarchived = checked_unarchiving(channel, privacy.unwrap_or(channel.privacy), params.is_archived)?;
        check_deletion_policy(tx, caller, &params)?;
        let name = checked_new_name(tx, channel, params.new_name.as_deref())?;
        let folder = checked_folder(tx, channel, params.folder_id.clone())?;
        let permissions = checked_permissions(tx, context, channel, params)?;
        check_topic_creation_permission(tx, channel, privacy, &permissions)?;

        let changes = ChannelChanges {
            topics_policy,
            privacy,
            is_default,
            message_retention_days,
            is_unarchived,
            description,
            name,
            folder,
            boolean_settings,
            permissions,
        };
        changes.apply(tx, caller, id);
        Ok(Success {})
    }
}

/// The checked changes of a request. An outer None leaves a property as it is; an inner None means the organization's
/// retention policy, or no folder. Some changes may equal the current values, and their events are sent nevertheless:
/// `privacy`, `description`, `message_retention_days`, an `is_default` of false, and at older levels the permission to
/// post.
struct ChannelChanges {
    topics_policy: Option<TopicsPolicy>,
    privacy: Option<Privacy>,
    is_default: Option<bool>,
    message_retention_days: Option<Option<i64>>,
    is_unarchived: bool,
    description: Option<String>,
    name: Option<String>,
    folder: Option<Option<FolderId>>,
    boolean_settings: Vec<(&'static str, bool)>,
    permissions: Vec<(&'static str, GroupSettingValue)>,
}

fn checked_privacy(
    realm: &Realm,
    caller: &User,
    channel: &Channel,
    params: &EditChannel,
) -> Result<Option<Privacy>, Error> {
    let is_private = params.is_private.unwrap_or(channel.privacy.is_private());
    let is_web_public = params.is_web_public.unwrap_or(channel.privacy.is_web_public());
    // A request with `is_private` alone also changes the history: public channels have a shared one, private ones
    // don't.
    let has_public_history = params
        .history_public_to_subscribers
        .unwrap_or(params.is_private.map_or(channel.privacy.has_public_history(), |is_private| !is_private));
    let privacy = match (is_private, is_web_public, has_public_history) {
        (false, false, true) => Privacy::Public,
        (false, true, true) => Privacy::WebPublic,
        (true, false, true) => Privacy::PrivateSharedHistory,
        (true, false, false) => Privacy::PrivateProtectedHistory,
        (true, true, _) | (false, _, false) => return Err(Error::InvalidPrivacyCombination),
    };
    if is_private && params.is_default_stream.unwrap_or(channel.is_default) {
        return Err(Error::DefaultChannelCannotBePrivate);
    }
    if !is_private && realm.organization.moderation_requests == Some(channel.id) {
        return Err(Error::ModerationChannelCannotBecomePublic);
    }
    if params.is_private.is_some() && !realm.can_read(caller, channel) {
        return Err(Error::ContentAccessRequired);
    }
    let is_requested =
        params.is_private.is_some() || params.is_web_public.is_some() || params.history_public_to_subscribers.is_some();
    // A request for web-public access is checked even if the channel has it already.
    let makes_web_public = params.is_web_public == Some(true);
    if !is_requested || (privacy == channel.privacy && !makes_web_public) {
        return Ok(is_requested.then_some(privacy));
    }
    if privacy == Privacy::WebPublic && !realm.allows_spectators() {
        return Err(Error::WebPublicDisabled);
    }
    let required_permission = match privacy {
        Privacy::WebPublic => RealmPermission::CanCreateWebPublicChannel,
        Privacy::Public => RealmPermission::CanCreatePublicChannel,
        _ => RealmPermission::CanCreatePrivateChannel,
    };
    // A change of the history alone needs no permission, nor does a change from web-public to public.
    let needs_no_permission = is_private == channel.privacy.is_private() && privacy != Privacy::WebPublic;
    if needs_no_permission || realm.may(caller.id, required_permission) {
        Ok(Some(privacy))
    } else {
        Err(Error::InsufficientPermission)
    }
}

fn checked_topics_policy(
    realm: &Realm,
    caller: &User,
    channel: &Channel,
    requested_policy: Option<TopicsPolicyWord>,
) -> Result<Option<TopicsPolicy>, Error> {
    let Some(policy) = requested_policy.map(TopicsPolicy::from).filter(|policy| *policy != channel.topics_policy)
    else {
        return Ok(None);
    };
    if !realm.may(caller.id, RealmPermission::CanSetTopicsPolicy) {
        return Err(Error::InsufficientPermission);
    }
    let has_other_topics = topics_of_channel(realm, channel.id).count()
        > usize::from(realm.topics.contains_key(&(channel.id, TopicKey::new(""))));
    if policy == TopicsPolicy::EmptyTopicOnly && has_other_topics {
        return Err(Error::OtherTopicsExist { topic: EMPTY_TOPIC_DISPLAY_NAME.into() });
    }
    Ok(Some(policy))
}

fn checked_is_default(caller: &User, channel: &Channel, params: &EditChannel) -> Result<Option<bool>, Error> {
    if params.is_default_stream.is_some() && !caller.is_admin() {
        return Err(Error::MayNotChangeDefaults);
    }
    let stays_archived = channel.is_archived && params.is_archived != Some(false);
    if params.is_default_stream == Some(true) && stays_archived {
        return Err(Error::InvalidChannelId);
    }
    // For false, the event is sent even if nothing changes.
    Ok(params.is_default_stream.filter(|new| !(*new && channel.is_default)))
}

fn checked_retention(caller: &User, days: Option<RetentionDays>) -> Result<Option<Option<i64>>, Error> {
    if days.is_some() && caller.role != Role::Owner {
        return Err(Error::OwnerRequired);
    }
    Ok(days.map(|days| days.0))
}

fn checked_unarchiving(channel: &Channel, privacy: Privacy, is_archived: Option<bool>) -> Result<bool, Error> {
    let is_unarchived = is_archived == Some(false);
    if is_unarchived && !channel.is_archived {
        return Err(Error::ChannelNotArchived);
    }
    // Nobody could access a private channel without subscribers.
    if is_unarchived && privacy.is_private() && channel.subscribers.is_empty() {
        return Err(Error::ChannelWithoutSubscribers);
    }
    Ok(is_unarchived)
}

fn check_deletion_policy(realm: &Realm, caller: &User, params: &EditChannel) -> Result<(), Error> {
    let is_requested = params.permissions.can_delete_any_message_group.is_some()
        || params.permissions.can_delete_own_message_group.is_some();
    if is_requested && !realm.may(caller.id, RealmPermission::CanSetDeleteMessagePolicy) {
        return Err(Error::InsufficientPermission);
    }
    Ok(())
}

/// The new name; None if the request has none. A name that differs from the current one only in case is accepted.
fn checked_new_name(realm: &Realm, channel: &Channel, name: Option<&str>) -> Result<Option<String>, Error> {
    let Some(name) = name.map(validate_channel_name).transpose()? else { return Ok(None) };
    if name == channel.name {
        return Err(Error::ChannelNameUnchanged);
    }
    if realm.channel_by_name(&name).is_some_and(|other| other.id != channel.id) {
        return Err(Error::ChannelAlreadyExists { channel_name: name.into() });
    }
    Ok(Some(name))
}

fn checked_folder(
    realm: &Realm,
    channel: &Channel,
    folder: Option<Nullable<FolderId>>,
) -> Result<Option<Option<FolderId>>, Error> {
    let Some(Nullable(folder)) = folder else { return Ok(None) };
    if folder == channel.folder {
        return Ok(None);
    }
    if let Some(folder) = folder {
        check_folder(realm, folder)?;
    }
    Ok(Some(folder))
}

/// Permissions whose holders can read a private channel.
const CONTENT_ACCESS_PERMISSIONS: [&str; 2] =
    [ChannelPermission::CanAddSubscribers.name(), ChannelPermission::CanSubscribe.name()];

fn checked_permissions(
    realm: &Realm,
    context: &OperationContext<'_>,
    channel: &Channel,
    params: EditChannel,
) -> Result<Vec<(&'static str, GroupSettingValue)>, Error> {
    let mut changes = Vec::new();
    for (name, update) in params.permissions.by_name() {
        let (Some(update), Some(current)) = (update, channel.permissions.get(name)) else { continue };
        let permission = setting_named(CHANNEL_PERMISSIONS, name);
        let value = match resolve_update(realm, context.feature_level, permission, current, update)? {
            Some(value) => value,
            // Older levels report the posting policy even if it does not change.
            None if name == ChannelPermission::CanSendMessage.name() && !context.has(Feature::PostingByGroups) => {
                current.clone()
            }
            None => continue,
        };
        if CONTENT_ACCESS_PERMISSIONS.contains(&name) && !realm.can_read(context.caller(), channel) {
            return Err(Error::ContentAccessRequired);
        }
        changes.push((name, value));
    }
    Ok(changes)
}

/// Checks the combination of the new privacy and the new permission to create topics.
fn check_topic_creation_permission(
    realm: &Realm,
    channel: &Channel,
    privacy: Option<Privacy>,
    permissions: &[(&'static str, GroupSettingValue)],
) -> Result<(), Error> {
    let new_value = permissions.iter().find(|(name, _)| *name == CAN_CREATE_TOPIC).map(|(_, value)| value);
    if privacy.is_none() && new_value.is_none() {
        return Ok(());
    }
    let value = new_value.or_else(|| channel.permissions.get(CAN_CREATE_TOPIC));
    value.map_or(Ok(()), |value| check_topic_creation(realm, privacy.unwrap_or(channel.privacy), value))
}
