//! Creating bots (reference behaviour, POST /bots).

use super::emit_bot_event;
use super::url::Url;
use crate::api::changes::pictures::{check_avatar, store_avatar};
use crate::api::changes::users::bot::{check_may_create_bot, find_active_bot_by_name};
use crate::api::changes::users::creation::emit_new_user;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::account_names::checked_name;
use crate::realm::email::is_email;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::realm::user::{Avatar, AvatarSource, Bot, BotDefaults, BotKind, EmailVisibility, Role, User};
use crate::record::avatar::{AvatarSize, avatar_url};
use crate::record::bot::{BotDefaultsRecord, BotRecord};
use crate::record::events::RealmBotAdd;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Names of the bots that run inside the server. Must be those in `api/register/lists.rs`, which the register reply
/// lists.
const EMBEDDED_BOTS: [&str; 1] = ["helloworld"];

operation! {
    /// Creates a bot of the caller.
    pub CreateBot = POST "/bots", for HumanNotGuest;
    params {
        /// Display name, at most 100 code points; no other active bot may have it, regardless of case.
        full_name: String,
        /// Not blank; the bot's email address is `{short_name}-bot@` and the organization's host.
        short_name: String,
        /// 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded.
        bot_type: i64 = 1,
        /// URL that an outgoing webhook calls; JSON text.
        payload_url: Option<Url>,
        /// For an embedded bot, the program that it runs: `helloworld`.
        service_name: Option<String>,
        /// Settings of an embedded bot by name; ignored for other bots.
        config_data: BTreeMap<String, String> = BTreeMap::new() => "{}",
        /// Format of an outgoing webhook's calls: 1 generic, 2 Slack's.
        interface_type: i64 = 1,
        /// The name of the channel for its messages without a recipient.
        default_sending_stream: Option<String>,
        /// The name of the only channel whose messages its queues without a narrow get.
        default_events_register_stream: Option<String>,
        /// Whether its queues get messages of all public channels by default.
        default_all_public_streams: bool = false,
    }
    reply NewBotReply;
    errors [
        NameTooLong, NameEmpty, NameInvalidCharacters, NameInvalidFormat, NameTaken, InvalidEmbeddedBot,
        BadNameOrUsername, UsernameInUse, InvalidBotType, InsufficientPermission, InvalidInterfaceType, BadValue,
        BotNameTaken, SeveralFiles, InvalidChannelName, PictureTooLarge, UnreadablePicture,
    ];
    events [RealmUserAdd, UserGroupAddMembers, RealmBotAdd];
    takes files;
}

/// The new bot, with its API key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewBotReply {
    /// ID of the bot among all users.
    pub user_id: i64,
    /// 32 letters and digits.
    pub api_key: String,
    /// Relative to the organization's URL for an uploaded picture, absolute for the provider's.
    pub avatar_url: String,
    /// Values for the parameters that its requests omit.
    #[serde(flatten)]
    pub defaults: BotDefaultsRecord,
}

impl Write for CreateBot {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<NewBotReply, Error> {
        let new_bot = check_new_bot(tx, context, &params)?;

        let services = create_services(tx, new_bot.kind, &params);
        let avatar_source = match context.files {
            [file] => store_avatar(tx, file),
            _ => AvatarSource::Provider,
        };
        let id = add_bot(tx, context.caller().id, new_bot, services, avatar_source);
        let bot = tx.users[&id].clone();
        Ok(NewBotReply {
            user_id: id.0,
            api_key: bot.api_key.clone(),
            avatar_url: avatar_url(tx, &bot, AvatarSize::Small),
            defaults: BotDefaultsRecord::new(tx, bot.bot_defaults()),
        })
    }
}

/// Checked properties of a new bot.
struct NewBot {
    kind: BotKind,
    email: String,
    full_name: String,
    defaults: BotDefaults,
}

fn check_new_bot(realm: &Realm, context: &OperationContext<'_>, params: &CreateBot) -> Result<NewBot, Error> {
    if params.short_name.trim().is_empty() {
        return Err(Error::BadNameOrUsername);
    }
    let full_name = checked_name(realm, &params.full_name, None, context.feature_level)?;
    let kind = match params.bot_type {
        1 => Some(BotKind::Generic),
        2 => Some(BotKind::IncomingWebhook),
        3 => Some(BotKind::OutgoingWebhook),
        4 => Some(BotKind::Embedded),
        _ => None,
    };
    let is_embedded_bot = |name: &String| EMBEDDED_BOTS.contains(&name.as_str());
    if kind == Some(BotKind::Embedded) && !params.service_name.as_ref().is_some_and(is_embedded_bot) {
        return Err(Error::InvalidEmbeddedBot);
    }
    let email = format!("{}-bot@{}", params.short_name.trim(), realm.organization.host);
    if !is_email(&email) {
        return Err(Error::BadNameOrUsername);
    }
    if realm.user_by_email(&email).is_some() {
        return Err(Error::UsernameInUse);
    }
    if find_active_bot_by_name(realm, &full_name).is_some() {
        return Err(Error::BotNameTaken);
    }
    check_may_create_bot(realm, context, kind)?;
    let kind = kind.ok_or(Error::InvalidBotType)?;
    if !matches!(params.interface_type, 1 | 2) {
        return Err(Error::InvalidInterfaceType);
    }
    if context.files.len() > 1 {
        return Err(Error::SeveralFiles);
    }
    let find_channel = |name: &Option<String>| {
        name.as_deref().map(|name| realm.readable_active_channel_by_name(context.caller(), name)).transpose()
    };
    let defaults = BotDefaults {
        sending_channel: find_channel(&params.default_sending_stream)?.map(|channel| channel.id),
        events_channel: find_channel(&params.default_events_register_stream)?.map(|channel| channel.id),
        all_public_channels: params.default_all_public_streams,
    };
    context.files.iter().try_for_each(check_avatar)?;
    Ok(NewBot { kind, email, full_name, defaults })
}

fn create_services(tx: &mut Tx, kind: BotKind, params: &CreateBot) -> Vec<serde_json::Value> {
    match kind {
        BotKind::OutgoingWebhook => {
            let url = params.payload_url.as_ref().map_or("", |url| &url.0);
            let token = tx.realm_mut().rng.api_key();
            vec![json!({"base_url": url, "token": token, "interface": params.interface_type})]
        }
        BotKind::Embedded => vec![json!({"service_name": params.service_name, "config_data": params.config_data})],
        BotKind::Generic | BotKind::IncomingWebhook => Vec::new(),
    }
}

/// Adds a bot with the default role and settings.
///
/// Events: those of [`emit_new_user`], and `realm_bot` add to the bot's owner and the administrators.
fn add_bot(
    tx: &mut Tx,
    owner: UserId,
    new_bot: NewBot,
    services: Vec<serde_json::Value>,
    avatar_source: AvatarSource,
) -> UserId {
    tx.realm_mut().counters.user += 1;
    let id = UserId(tx.counters.user);
    let api_key = tx.realm_mut().rng.api_key();
    let now = tx.now;
    tx.add_user(User {
        id,
        email: new_bot.email,
        full_name: new_bot.full_name,
        role: Role::Member,
        is_active: true,
        is_imported_stub: false,
        is_deleted: false,
        bot: Some(Bot {
            kind: new_bot.kind,
            owner: Some(owner),
            is_system: false,
            system_kind: None,
            services,
            defaults: new_bot.defaults,
        }),
        date_joined: now,
        joins_at_first_login: false,
        timezone: String::new(),
        avatar: Avatar { source: avatar_source, version: 1 },
        email_visibility: EmailVisibility::Everyone,
        api_key,
        password: None,
        can_create_users: false,
        profile: OrdMap::new(),
        cached_json: Default::default(),
    });
    emit_new_user(tx, id);
    let event = RealmBotAdd { bot: BotRecord::new(tx, &tx.users[&id]) };
    emit_bot_event(tx, id, event);
    id
}
