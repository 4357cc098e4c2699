//! Typing notifications, while writing and while editing a message (reference behaviour, typing).
//!
//! A choice where the API is silent: A-33 in docs/assumptions.md.

use super::parameter::{Nullable, string_enum};
use super::{OperationContext, Success, Write, operation};
use crate::error::{Error, ErrorKind};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::editing::check_may_edit;
use crate::realm::event::{Audience, DeliveryCondition, Event, EventKind};
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::{Message, MessagePlace};
use crate::realm::setting::UserSetting;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::{
    Typing, TypingEdit, TypingEditMessageStart, TypingEditMessageStop, TypingPerson, TypingRecipient, TypingStart,
    TypingStop,
};
use imbl::OrdSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Typing in a channel with more subscribers than this notifies nobody.
const MAX_NOTIFIED_SUBSCRIBERS: usize = 100;

string_enum! {
    /// Whether typing starts or stops.
    pub enum TypingOp {
        /// Typing starts or goes on.
        Start = "start",
        Stop = "stop",
    }
}

string_enum! {
    /// The type of the message that is being typed.
    pub enum TypingType {
        Direct = "direct",
        Channel = "channel" | "stream",
    }
}

operation! {
    /// Notifies others that the caller is typing a message.
    pub SetTyping = POST "/typing", for User;
    params {
        /// Type of the message that is being typed; `stream` is the legacy word for `channel`.
        r#type as "type": TypingType = TypingType::Direct => "direct",
        /// `start` when typing starts or goes on, `stop` when it ends.
        op: TypingOp,
        /// IDs of the recipients of a direct message, with or without the caller; required for that type.
        to: Option<Vec<UserId>>,
        /// ID of the channel of a channel message; required for that type.
        stream_id since 215: Option<Nullable<ChannelId>>,
        /// Topic of a channel message; required for that type.
        topic since 58: Option<String>,
    }
    errors [
        MissingTo, EmptyTo, TypingDisabledDirect, InvalidRecipientId, MissingStreamId, MissingTopic,
        TypingDisabledChannel, TopicInvalidCharacter, InvalidChannelId, MayNotPost, MayNotCreateTopic,
        EmptyTopicNotAllowed, OnlyEmptyTopicAllowed,
    ];
    events [TypingStart, TypingStop];
    is fast;
}

impl Write for SetTyping {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        match params.r#type {
            TypingType::Direct => {
                let recipients = checked_recipients(tx, caller, params.to)?;

                emit_direct_typing(tx, caller, params.op, &recipients);
            }
            TypingType::Channel => {
                let channel_id = params.stream_id.and_then(|id| id.0).ok_or(Error::MissingStreamId)?;
                let topic = params.topic.ok_or(Error::MissingTopic)?;
                if !tx.user_state(caller.id).is_enabled(UserSetting::SendStreamTypingNotifications) {
                    return Err(Error::TypingDisabledChannel);
                }
                let topic: Arc<str> = tx.normalized_topic(&topic, Feature::NoTopicConvertedInTyping)?.into();
                let channel = tx.readable_active_channel(caller, channel_id)?.clone();
                tx.check_may_post(caller, &channel, &topic)?;

                emit_channel_typing(tx, caller, params.op, channel.id, &topic);
            }
        }
        Ok(Success {})
    }
}

/// The users in the conversation, each once. The caller comes last unless `to` lists them.
fn checked_recipients(realm: &Realm, caller: &User, to: Option<Vec<UserId>>) -> Result<Vec<UserId>, Error> {
    let to = to.ok_or(Error::MissingTo)?;
    if to.is_empty() {
        return Err(Error::EmptyTo);
    }
    if !realm.user_state(caller.id).is_enabled(UserSetting::SendPrivateTypingNotifications) {
        return Err(Error::TypingDisabledDirect);
    }
    let mut recipients = Vec::new();
    let mut unique_ids = BTreeSet::new();
    for id in to.into_iter().chain([caller.id]) {
        if realm.user(id).is_none_or(|user| !realm.can_access_user(caller, user.id)) {
            return Err(Error::InvalidRecipientId { user_id: id.0.into() });
        }
        if unique_ids.insert(id) {
            recipients.push(id);
        }
    }
    Ok(recipients)
}

fn emit_direct_typing(tx: &mut Tx, caller: &User, op: TypingOp, recipients: &[UserId]) {
    let people = recipients.iter().filter_map(|id| tx.user(*id)).map(|user| typing_person(tx, user)).collect();
    let fields = Typing {
        message_type: "direct",
        sender: typing_person(tx, caller),
        recipients: Some(people),
        stream_id: None,
        topic: None,
    };
    // The event lists all recipients, so only users who can access all of them get it.
    let can_access_all = |id: &&UserId| {
        tx.user(**id).is_some_and(|viewer| recipients.iter().all(|other| tx.can_access_user(viewer, *other)))
    };
    let audience = active_receivers(tx, recipients.iter().filter(can_access_all));
    tx.emit(audience, typing_event(op, fields));
}

fn typing_person(realm: &Realm, user: &User) -> TypingPerson {
    TypingPerson { user_id: user.id, email: realm.api_email(user) }
}

fn typing_event(op: TypingOp, fields: Typing) -> Event {
    match op {
        TypingOp::Start => TypingStart(fields).into(),
        TypingOp::Stop => TypingStop(fields).into(),
    }
}

fn emit_channel_typing(tx: &mut Tx, caller: &User, op: TypingOp, channel: ChannelId, topic: &str) {
    let Some(audience) = subscribed_receivers(tx, channel) else { return };
    let lacks_access = |id: &UserId| !tx.can_access_user(&tx.users[id], caller.id);
    let audience = audience.except_all(&tx.guests().iter().filter(|id| lacks_access(id)).copied().collect());
    let fields = Typing {
        message_type: "stream",
        sender: typing_person(tx, caller),
        recipients: None,
        stream_id: Some(channel),
        topic: Some(topic.to_owned()),
    };
    tx.emit(audience, typing_event(op, fields).only_for(DeliveryCondition::ChannelTyping));
}

/// The audience of those users who are active and receive typing notifications.
fn active_receivers<'id>(realm: &Realm, users: impl IntoIterator<Item = &'id UserId>) -> Audience {
    let is_receiver = |id: &UserId| {
        realm.is_active(*id) && realm.user_state(*id).is_enabled(UserSetting::ReceivesTypingNotifications)
    };
    Audience::of_users(users.into_iter().copied().filter(is_receiver).collect::<OrdSet<UserId>>())
}

/// The channel's subscribers who receive typing notifications; None if the channel has too many subscribers.
fn subscribed_receivers(realm: &Realm, channel: ChannelId) -> Option<Audience> {
    let subscribers = &realm.channels[&channel].subscribers;
    (subscribers.len() <= MAX_NOTIFIED_SUBSCRIBERS).then(|| active_receivers(realm, subscribers))
}

operation! {
    /// Notifies others that the caller is editing a message.
    pub SetEditTyping = POST "/messages/{message_id}/typing", for User, since 361;
    params {
        /// ID of one of the caller's messages, which must still be editable.
        @path message_id: MessageId,
        /// `start` when editing starts or goes on, `stop` when it ends.
        op: TypingOp,
    }
    errors in EDIT_ERRORS;
    events in EDIT_EVENTS;
}

/// The errors of the two operations about editing, the present one and the legacy one.
const EDIT_ERRORS: &[ErrorKind] = &[
    ErrorKind::InvalidMessage,
    ErrorKind::EditingDisabled,
    ErrorKind::MayNotEdit,
    ErrorKind::EditTimePassed,
    ErrorKind::TypingDisabledDirect,
    ErrorKind::TypingDisabledChannel,
];
const EDIT_EVENTS: &[EventKind] = &[EventKind::TypingEditMessageStart, EventKind::TypingEditMessageStop];

impl Write for SetEditTyping {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        set_edit_typing(tx, context.caller(), params.message_id, params.op)
    }
}

operation! {
    /// The legacy path of POST /messages/{message_id}/typing.
    pub SetLegacyEditTyping = POST "/message_edit_typing", for User, since 351, removed_in 361;
    params {
        /// ID of one of the caller's messages, which must still be editable.
        message_id: MessageId,
        /// `start` when editing starts or goes on, `stop` when it ends.
        op: TypingOp,
    }
    errors in EDIT_ERRORS;
    events in EDIT_EVENTS;
}

impl Write for SetLegacyEditTyping {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        set_edit_typing(tx, context.caller(), params.message_id, params.op)
    }
}

fn set_edit_typing(tx: &mut Tx, caller: &User, id: MessageId, op: TypingOp) -> Result<Success, Error> {
    let message = tx.changeable_message(caller, id)?.clone();
    check_may_edit(tx, caller, &message)?;
    let (setting, error) = match message.place {
        MessagePlace::Direct { .. } => (UserSetting::SendPrivateTypingNotifications, Error::TypingDisabledDirect),
        MessagePlace::Channel { .. } => (UserSetting::SendStreamTypingNotifications, Error::TypingDisabledChannel),
    };
    if !tx.user_state(caller.id).is_enabled(setting) {
        return Err(error);
    }

    emit_edit_typing(tx, caller.id, op, &message);
    Ok(Success {})
}

fn emit_edit_typing(tx: &mut Tx, caller: UserId, op: TypingOp, message: &Message) {
    let (audience, recipient) = match &message.place {
        MessagePlace::Channel { channel, topic } => {
            let Some(audience) = subscribed_receivers(tx, *channel) else { return };
            let topic = Some(topic.to_string());
            (audience, TypingRecipient { kind: "channel", channel_id: Some(*channel), topic, user_ids: None })
        }
        MessagePlace::Direct { conversation } => {
            let members = &tx.conversations[conversation].members;
            let user_ids = Some(members.to_vec());
            let recipient = TypingRecipient { kind: "direct", channel_id: None, topic: None, user_ids };
            (active_receivers(tx, members.iter()), recipient)
        }
    };
    let fields = TypingEdit { sender_id: caller, message_id: message.id, recipient };
    match op {
        TypingOp::Start => tx.emit(audience, TypingEditMessageStart(fields)),
        TypingOp::Stop => tx.emit(audience, TypingEditMessageStop(fields)),
    }
}
