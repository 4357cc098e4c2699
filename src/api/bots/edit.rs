//! Changing bots (reference behaviour, PATCH /bots/{bot_id}).
//!
//! A choice where the API is silent: A-69 in docs/assumptions.md.

use super::url::Url;
use super::{administered_bot, emit_bot_event};
use crate::api::changes::pictures::{check_avatar, store_avatar};
use crate::api::changes::users::account::{change_avatar, change_name, change_role};
use crate::api::changes::users::bot::{emit_new_owner, find_active_bot_by_name};
use crate::api::parameter::RoleNumber;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::account_names::checked_name;
use crate::realm::account_permissions::checked_role;
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::tx::Tx;
use crate::realm::user::{BotDefaults, BotKind, User};
use crate::record::avatar::{AvatarSize, avatar_url};
use crate::record::bot::{BotDefaultsRecord, BotRecord, channel_name};
use crate::record::events::{BotUpdate, PersonUpdate, RealmBotAdd, RealmBotDelete, RealmBotUpdate, RemovedBot};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

operation! {
    /// Changes a bot; for its owner and administrators.
    pub EditBot = PATCH "/bots/{bot_id}", for HumanNotGuest;
    params {
        /// User ID of the bot, which may be deactivated.
        @path bot_id: UserId,
        /// New display name; no other active bot may have it, regardless of case.
        full_name: Option<String>,
        /// 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest; for administrators.
        role since 130: Option<RoleNumber>,
        /// User ID of the new owner: an active human user.
        bot_owner_id: Option<UserId>,
        /// Settings of an embedded bot; omitted settings stay.
        config_data: Option<BTreeMap<String, String>>,
        /// URL that an outgoing webhook calls; JSON text.
        service_payload_url: Option<Url>,
        /// Format of an outgoing webhook's calls: 1 generic, 2 Slack's; ignored without `service_payload_url`.
        service_interface: i64 = 1,
        /// The name of the channel for its messages without a recipient; "" for none.
        default_sending_stream: Option<String>,
        /// The name of the only channel whose messages its queues without a narrow get; "" for none.
        default_events_register_stream: Option<String>,
        /// Whether its queues get messages of all public channels by default.
        default_all_public_streams: Option<bool>,
    }
    reply BotReply;
    errors [
        InvalidValueBecause, NoSuchBot, InsufficientPermission, OwnerRequired, NameTooLong, NameEmpty,
        NameInvalidCharacters, NameInvalidFormat, NameTaken, BotNameTaken, AdministratorRequired, BotOwnerUnknown,
        BotOwnerDeactivated, BotOwnerIsBot, InvalidChannelName, InvalidInterfaceType, BadValue, SeveralFiles,
        PictureTooLarge, UnreadablePicture,
    ];
    events [
        RealmUserUpdate, UserGroupRemoveMembers, UserGroupAddMembers, RealmUserAdd, RealmUserRemove, StreamCreate,
        SubscriptionPeerAdd, StreamDelete, RealmBotDelete,
        RealmBotAdd, RealmBotUpdate,
    ];
    takes files;
}

/// The bot after the change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BotReply {
    /// Display name, 1 to 100 code points.
    pub full_name: String,
    /// Relative to the organization's URL for an uploaded picture, absolute for the provider's.
    pub avatar_url: String,
    /// As in the request, or 1 if the request omits it, whatever the bot's value is.
    pub service_interface: i64,
    /// As in the request, or null if the request omits it.
    pub service_payload_url: Option<String>,
    /// As in the request, or null if the request omits it.
    pub config_data: Option<BTreeMap<String, String>>,
    /// Values for the parameters that its requests omit.
    #[serde(flatten)]
    pub defaults: BotDefaultsRecord,
    /// The owner's email address as user records show it; absent for bots without an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_owner: Option<String>,
}

impl Write for EditBot {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<BotReply, Error> {
        let bot = administered_bot(tx, context.caller(), params.bot_id)?.clone();
        let name = checked_bot_name(tx, &bot, params.full_name.as_deref())?;
        let role = checked_role(tx, context.caller(), &bot, params.role.map(|role| role.0))?;
        let owner = params.bot_owner_id.filter(|owner| bot.bot_owner() != Some(*owner));
        owner.map_or(Ok(()), |owner| check_owner(tx, context.caller(), owner))?;
        let defaults = NewDefaults::check(tx, context.caller(), &params)?;
        check_service_interface(&params)?;
        match context.files {
            [] => {}
            [file] => check_avatar(file)?,
            _ => return Err(Error::SeveralFiles),
        }

        if let Some(name) = name {
            change_name(tx, bot.id, name);
        }
        if let Some(role) = role {
            change_role(tx, bot.id, role);
        }
        if let Some(owner) = owner {
            change_owner(tx, &bot, owner);
        }
        defaults.apply(tx, bot.id);
        change_services(tx, &bot, &params);
        if let [file] = context.files {
            let source = store_avatar(tx, file);
            change_avatar(tx, bot.id, source);
        }
        Ok(bot_reply(tx, params))
    }
}

fn checked_bot_name(tx: &Tx, bot: &User, name: Option<&str>) -> Result<Option<String>, Error> {
    let Some(name) = name.filter(|name| *name != bot.full_name) else { return Ok(None) };
    let name = checked_name(tx, name, Some(bot.id), tx.feature_level())?;
    let is_taken = find_active_bot_by_name(tx, &name).is_some_and(|other| other.id != bot.id);
    if is_taken { Err(Error::BotNameTaken) } else { Ok(Some(name)) }
}

fn check_owner(realm: &Realm, caller: &User, owner: UserId) -> Result<(), Error> {
    let owner = realm.user(owner).filter(|user| realm.can_access_user(caller, user.id));
    let owner = owner.ok_or(Error::BotOwnerUnknown)?;
    if !owner.is_active {
        return Err(Error::BotOwnerDeactivated);
    }
    if owner.is_bot() { Err(Error::BotOwnerIsBot) } else { Ok(()) }
}

fn check_service_interface(params: &EditBot) -> Result<(), Error> {
    if !matches!(params.service_interface, 1 | 2) {
        return Err(Error::InvalidInterfaceType);
    }
    Ok(())
}

/// The defaults of a bot that a request changes. An outer None leaves a default as it is, an inner None removes the
/// channel.
struct NewDefaults {
    sending_channel: Option<Option<ChannelId>>,
    events_channel: Option<Option<ChannelId>>,
    all_public_channels: Option<bool>,
}

impl NewDefaults {
    fn check(realm: &Realm, caller: &User, params: &EditBot) -> Result<Self, Error> {
        let find_channel = |name: &Option<String>| match name.as_deref() {
            None => Ok(None),
            Some("") => Ok(Some(None)),
            Some(name) => realm.readable_active_channel_by_name(caller, name).map(|channel| Some(Some(channel.id))),
        };
        Ok(Self {
            sending_channel: find_channel(&params.default_sending_stream)?,
            events_channel: find_channel(&params.default_events_register_stream)?,
            all_public_channels: params.default_all_public_streams,
        })
    }

    /// Event: `realm_bot` update for each default in the request, even if its value does not change.
    fn apply(self, tx: &mut Tx, bot: UserId) {
        if let Some(channel) = self.sending_channel {
            let name = Some(channel_name(tx, channel));
            let update = BotUpdate { user_id: bot, default_sending_stream: name, ..BotUpdate::default() };
            set_default(tx, update, |defaults| defaults.sending_channel = channel);
        }
        if let Some(channel) = self.events_channel {
            let name = Some(channel_name(tx, channel));
            let update = BotUpdate { user_id: bot, default_events_register_stream: name, ..BotUpdate::default() };
            set_default(tx, update, |defaults| defaults.events_channel = channel);
        }
        if let Some(is_on) = self.all_public_channels {
            let update = BotUpdate { user_id: bot, default_all_public_streams: Some(is_on), ..BotUpdate::default() };
            set_default(tx, update, |defaults| defaults.all_public_channels = is_on);
        }
    }
}

fn set_default(tx: &mut Tx, update: BotUpdate, change: impl FnOnce(&mut BotDefaults)) {
    let id = update.user_id;
    if let Some(bot) = &mut tx.user_mut(id).bot {
        change(&mut bot.defaults);
    }
    emit_bot_event(tx, id, RealmBotUpdate { bot: update });
}

/// Events: `realm_bot` delete and add to the former and the new owner, except administrators, whose lists have all
/// bots; that of [`emit_new_owner`]; `realm_user` update to everyone who can access the bot.
fn change_owner(tx: &mut Tx, bot: &User, owner: UserId) {
    if let Some(former_owner) = bot.bot_owner().filter(|former_owner| !is_admin(tx, *former_owner)) {
        tx.emit(Audience::of_user(former_owner), RealmBotDelete { bot: RemovedBot { user_id: bot.id } });
    }
    if let Some(details) = &mut tx.user_mut(bot.id).bot {
        details.owner = Some(owner);
    }
    if !is_admin(tx, owner) {
        let event = RealmBotAdd { bot: BotRecord::new(tx, &tx.users[&bot.id]) };
        tx.emit(Audience::of_user(owner), event);
    }
    emit_new_owner(tx, bot.id, owner);
    let audience = tx.audience_with_access_to(bot.id);
    tx.emit(audience, PersonUpdate::BotOwner { user_id: bot.id, bot_owner_id: Some(owner) });
}

fn is_admin(realm: &Realm, user: UserId) -> bool {
    realm.user(user).is_some_and(|user| user.is_admin())
}

/// Changes the URL and format of an outgoing webhook's calls, or the settings of an embedded bot.
///
/// Event: `realm_bot` update to the bot's owner and the administrators, if anything changes.
fn change_services(tx: &mut Tx, bot: &User, params: &EditBot) {
    let Some(details) = &mut tx.user_mut(bot.id).bot else { return };
    let previous_services = details.services.clone();
    for service in &mut details.services {
        match (details.kind, &params.service_payload_url, &params.config_data) {
            (BotKind::OutgoingWebhook, Some(url), _) => {
                service["base_url"] = url.0.as_str().into();
                service["interface"] = params.service_interface.into();
            }
            (BotKind::Embedded, _, Some(config)) => {
                for (key, value) in config {
                    service["config_data"][key] = Value::String(value.clone());
                }
            }
            _ => {}
        }
    }
    if details.services != previous_services {
        let services = details.services.clone();
        let update = BotUpdate { user_id: bot.id, services: Some(services), ..BotUpdate::default() };
        emit_bot_event(tx, bot.id, RealmBotUpdate { bot: update });
    }
}

fn bot_reply(realm: &Realm, params: EditBot) -> BotReply {
    let bot = &realm.users[&params.bot_id];
    BotReply {
        full_name: bot.full_name.clone(),
        avatar_url: avatar_url(realm, bot, AvatarSize::Small),
        service_interface: params.service_interface,
        service_payload_url: params.service_payload_url.map(|url| url.0),
        config_data: params.config_data,
        defaults: BotDefaultsRecord::new(realm, bot.bot_defaults()),
        bot_owner: bot.bot_owner().and_then(|owner| realm.user(owner)).map(|owner| realm.api_email(owner)),
    }
}
