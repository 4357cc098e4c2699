//! Creating channels: the parameters of new channels, the checks, and the change with its events. One operation creates
//! a single channel; those that subscribe users to channels by name create the missing ones.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::OperationContext;
use crate::api::parameter::types::channel::{ChannelPermissions, ChannelProperties, TopicsPolicyWord};
use crate::api::parameter::types::group_setting::resolve_all;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::channel::{Channel, MAX_CHANNEL_DESCRIPTION_LENGTH, Privacy, TopicsPolicy};
use crate::realm::channel_boolean_setting::ChannelBooleanSettings;
use crate::realm::event::Audience;
use crate::realm::group::SystemGroup;
use crate::realm::id::{ChannelId, FolderId, RecipientId};
use crate::realm::permission::{
    CHANNEL_PERMISSIONS, ChannelPermission, GroupSettingValue, Permissions, RealmPermission,
};
use crate::realm::render::render_description;
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};
use crate::record::channel::ChannelRecord;
use crate::record::events::{DefaultStreams, StreamCreate};
use imbl::OrdSet;

/// The parameters that apply to all new channels of a request.
#[derive(Clone, Debug, Default)]
pub struct NewChannelParams {
    pub properties: ChannelProperties,
    pub topics_policy: Option<TopicsPolicyWord>,
    /// None in a field means the default.
    pub permissions: ChannelPermissions,
}

/// Checked properties of new channels that the caller may create, made by [`NewChannelParams::check`].
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    privacy: Privacy,
    is_default: bool,
    folder: Option<FolderId>,
    message_retention_days: Option<i64>,
    topics_policy: TopicsPolicy,
    boolean_settings: ChannelBooleanSettings,
    permissions: Permissions,
}

/// Permissions that only callers with `CanSetDeleteMessagePolicy` may change.
pub const DELETION_PERMISSIONS: [ChannelPermission; 2] =
    [ChannelPermission::CanDeleteAnyMessage, ChannelPermission::CanDeleteOwnMessage];

impl NewChannelParams {
    /// Checks values that are refused even if the request creates no channel.
    ///
    /// # Errors
    ///
    /// In this order: `InvalidFolder`; `InsufficientPermission` if the caller may not set a topics policy; those of
    /// [`resolve_all`].
    pub fn check_values(&self, realm: &Realm, context: &OperationContext<'_>) -> Result<(), Error> {
        let caller = context.caller();
        if let Some(folder) = self.folder_id() {
            check_folder(realm, folder)?;
        }
        let policy = self.topics_policy.map_or(TopicsPolicy::Inherit, TopicsPolicy::from);
        if policy != TopicsPolicy::Inherit && !realm.may(caller.id, RealmPermission::CanSetTopicsPolicy) {
            return Err(Error::InsufficientPermission);
        }
        let requested_permissions = self.permissions.clone().by_name();
        resolve_all(realm, context.feature_level, CHANNEL_PERMISSIONS, Permissions::new(), requested_permissions)
            .map(drop)
    }

    /// Checks that the caller may create these channels.
    ///
    /// # Errors
    ///
    /// In this order: those of [`resolve_all`]; `InsufficientPermission` if the caller may not set the permissions to
    /// delete messages; `InvalidPrivacyCombination` for a private web-public channel; `InsufficientPermission` if the
    /// caller may not create private or public channels, or default channels; `DefaultChannelCannotBePrivate`;
    /// `WebPublicDisabled`; `InsufficientPermission` if the caller may not create web-public channels; `OwnerRequired`
    /// for a retention policy; `AdministratorRequired` if a boolean setting is on that only administrators may turn on;
    /// those of [`check_topic_creation`].
    pub fn check(self, realm: &Realm, context: &OperationContext<'_>) -> Result<ChannelSpec, Error> {
        let caller = context.caller();
        let check_permission =
            |permission| if realm.may(caller.id, permission) { Ok(()) } else { Err(Error::InsufficientPermission) };
        let folder = self.folder_id();
        let defaults = realm.default_permissions(CHANNEL_PERMISSIONS, Some(caller.id));
        let requested_permissions = self.permissions.by_name();
        let permissions =
            resolve_all(realm, context.feature_level, CHANNEL_PERMISSIONS, defaults.clone(), requested_permissions)?;
        if DELETION_PERMISSIONS
            .iter()
            .any(|permission| permissions.get(permission.name()) != defaults.get(permission.name()))
        {
            check_permission(RealmPermission::CanSetDeleteMessagePolicy)?;
        }
        if self.properties.invite_only && self.properties.is_web_public {
            return Err(Error::InvalidPrivacyCombination);
        }
        check_permission(if self.properties.invite_only {
            RealmPermission::CanCreatePrivateChannel
        } else {
            RealmPermission::CanCreatePublicChannel
        })?;
        if self.properties.is_default_stream && !caller.is_admin() {
            return Err(Error::InsufficientPermission);
        }
        if self.properties.is_default_stream && self.properties.invite_only {
            return Err(Error::DefaultChannelCannotBePrivate);
        }
        if self.properties.is_web_public {
            if !realm.allows_spectators() {
                return Err(Error::WebPublicDisabled);
            }
            check_permission(RealmPermission::CanCreateWebPublicChannel)?;
        }
        let message_retention_days = self.properties.message_retention_days.and_then(|days| days.0);
        if message_retention_days.is_some() && caller.role != Role::Owner {
            return Err(Error::OwnerRequired);
        }
        let boolean_settings = self.properties.boolean_settings.settings_of_new_channel(caller)?;
        let privacy = privacy_of_new_channel(
            self.properties.invite_only,
            self.properties.is_web_public,
            self.properties.history_public_to_subscribers,
        );
        if let Some(value) = permissions.get(CAN_CREATE_TOPIC) {
            check_topic_creation(realm, privacy, value)?;
        }
        Ok(ChannelSpec {
            privacy,
            is_default: self.properties.is_default_stream,
            folder,
            message_retention_days,
            topics_policy: self.topics_policy.map_or(TopicsPolicy::Inherit, TopicsPolicy::from),
            boolean_settings,
            permissions,
        })
    }

    fn folder_id(&self) -> Option<FolderId> {
        self.properties.folder_id.as_ref().and_then(|folder| folder.0)
    }
}

impl ChannelSpec {
    /// Lets only administrators of the organization administer the channel; they need no permission. `nobody` is the
    /// system group without members.
    pub fn restrict_to_administrators(&mut self, nobody: GroupSettingValue) {
        self.permissions.insert(ChannelPermission::CanAdministerChannel.name(), nobody);
    }
}

/// The privacy that the parameters ask for. A private channel has a protected history unless they ask for a shared one.
fn privacy_of_new_channel(invite_only: bool, is_web_public: bool, has_public_history: Option<bool>) -> Privacy {
    match (invite_only, is_web_public) {
        (true, _) if has_public_history == Some(true) => Privacy::PrivateSharedHistory,
        (true, _) => Privacy::PrivateProtectedHistory,
        (false, true) => Privacy::WebPublic,
        (false, false) => Privacy::Public,
    }
}

pub const CAN_CREATE_TOPIC: &str = ChannelPermission::CanCreateTopic.name();

/// Checks that a channel may restrict who creates topics. With a protected history it may not, because users do not
/// know which topics exist.
///
/// # Errors
///
/// `UnsupportedCombination` for any value except everyone, if the history is protected.
pub fn check_topic_creation(realm: &Realm, privacy: Privacy, value: &GroupSettingValue) -> Result<(), Error> {
    let everyone = realm.system_groups.get(&SystemGroup::Everyone).map(|id| GroupSettingValue::Group(*id));
    if privacy.has_public_history() || everyone.as_ref() == Some(value) {
        return Ok(());
    }
    let parameters = format!("history_public_to_subscribers, {CAN_CREATE_TOPIC}");
    Err(Error::UnsupportedCombination { parameters: parameters.into() })
}

/// Checks that channels can be put into a folder.
///
/// # Errors
///
/// `InvalidFolder` if the folder is unknown or archived.
pub fn check_folder(realm: &Realm, folder: FolderId) -> Result<(), Error> {
    let is_available = realm.folders.get(&folder).is_some_and(|folder| !folder.is_archived);
    if is_available { Ok(()) } else { Err(Error::InvalidFolder) }
}

/// Checks the length of a description and returns it in its stored form, on one line.
///
/// # Errors
///
/// `BadValue` if it is too long.
pub fn checked_description(description: &str) -> Result<String, Error> {
    check_length(description, "description", MAX_CHANNEL_DESCRIPTION_LENGTH)?;
    Ok(join_lines(description))
}

/// Replaces line breaks with spaces.
pub fn join_lines(description: &str) -> String {
    description.replace('\n', " ")
}

/// Creates a channel without subscribers. The caller has checked that no other channel has the name.
///
/// Event: `stream` create to everyone who can see the channel.
pub fn create_channel(tx: &mut Tx, creator: &User, name: String, description: String, spec: &ChannelSpec) -> ChannelId {
    let rendered_description = render_description(tx, creator, &description);
    let counters = &mut tx.realm_mut().counters;
    counters.channel += 1;
    counters.recipient += 1;
    let id = ChannelId(counters.channel);
    let recipient = RecipientId(counters.recipient);
    let date_created = tx.now;
    tx.add_channel(Channel {
        id,
        recipient,
        name,
        description,
        rendered_description,
        date_created,
        creator: Some(creator.id),
        privacy: spec.privacy,
        is_archived: false,
        was_web_public: false,
        is_default: spec.is_default,
        folder: spec.folder,
        message_retention_days: spec.message_retention_days,
        topics_policy: spec.topics_policy,
        boolean_settings: spec.boolean_settings,
        permissions: spec.permissions.clone(),
        subscribers: OrdSet::new(),
        first_message: None,
    });
    let audience = tx.channel_audience(&tx.channels[&id]);
    let event = StreamCreate { streams: vec![ChannelRecord::new(tx, &tx.channels[&id])] };
    tx.emit(audience, event);
    id
}

/// Event: `default_streams` to everyone except guests.
pub fn emit_default_channels(tx: &mut Tx) {
    let defaults = tx.channels.values().filter(|channel| channel.is_default && !channel.is_archived);
    let ids: Vec<ChannelId> = defaults.map(|channel| channel.id).collect();
    let audience = Audience::of_users(tx.active_users.clone()).except_all(tx.guests());
    tx.emit(audience, DefaultStreams { default_streams: ids });
}
