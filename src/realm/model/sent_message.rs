//! A message as it was sent.

use super::channel::Channel;
use super::id::UserId;
use super::memo::RenderedVariants;
use super::message::Message;
use super::user::User;
use crate::realm::Realm;
use imbl::OrdSet;
use std::sync::Arc;

/// A message as it was sent, with what its readers need to know of others.
#[derive(Clone, Debug, PartialEq)]
pub struct SentMessage {
    pub message: Arc<Message>,
    pub sender: Arc<User>,
    /// The sender's dummy address, where others see that one.
    pub dummy_email: Option<String>,
    pub channel: Option<Arc<Channel>>,
    /// The queue that sent it and the client's own name for it.
    pub local: Option<(String, String)>,
    /// Guests, who hear of no channel but those that they are in.
    pub guests: OrdSet<UserId>,
    /// Users who have read it from the beginning.
    pub read_by: OrdSet<UserId>,
    /// Its text for each kind of reader, as it was when one of them first saw it.
    pub shown: RenderedVariants,
}

impl SentMessage {
    /// A message with what its readers need to know of others now.
    pub fn of(realm: &Realm, message: &Arc<Message>, sender: &Arc<User>) -> Self {
        Self {
            message: message.clone(),
            sender: sender.clone(),
            dummy_email: realm.shown_dummy_email(sender),
            channel: message.channel().map(|(channel, _)| realm.channels[&channel].clone()),
            local: None,
            guests: realm.guests().clone(),
            read_by: OrdSet::new(),
            shown: RenderedVariants::default(),
        }
    }

    /// The sender's address as others see it.
    pub fn sender_email(&self) -> &str {
        self.dummy_email.as_deref().unwrap_or(&self.sender.email)
    }
}
