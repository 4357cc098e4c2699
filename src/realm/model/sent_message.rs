//! Messages with the data from the time when they were sent or edited, for events, pushes and webhooks.

use super::cached::RenderedVariants;
use super::channel::Channel;
use super::id::UserId;
use super::message::Message;
use super::user::User;
use crate::realm::Realm;
use imbl::OrdSet;
use std::sync::Arc;

/// A message, with the data that is needed to serialize it for a reader.
#[derive(Clone, Debug, PartialEq)]
pub struct SentMessage {
    pub message: Arc<Message>,
    pub sender: Arc<User>,
    /// The sender's dummy address; None if other users see the real one.
    pub dummy_email: Option<String>,
    /// None for a direct message.
    pub channel: Option<Arc<Channel>>,
    /// `queue_id` and `local_id` from the request that sent the message.
    pub queue_and_local_id: Option<(String, String)>,
    /// All guests: their queues of all public channels do not get the message (A-213 in docs/assumptions.md).
    pub guests: OrdSet<UserId>,
    /// Users who had the message marked as read when it was sent.
    pub read_by: OrdSet<UserId>,
    /// Users who want a push for the message, but were online when it was sent. Sorted.
    pub held_back_from: Vec<UserId>,
    /// The JSON for each kind of reader.
    pub rendered_json: RenderedVariants,
}

impl SentMessage {
    /// Takes the data from the realm's present state. What depends on how it was sent is left empty.
    pub fn new(realm: &Realm, message: &Arc<Message>, sender: &Arc<User>) -> Self {
        Self {
            message: message.clone(),
            sender: sender.clone(),
            dummy_email: realm.shown_dummy_email(sender),
            channel: message.channel_and_topic().map(|(channel, _)| realm.channels[&channel].clone()),
            queue_and_local_id: None,
            guests: realm.guests().clone(),
            read_by: OrdSet::new(),
            held_back_from: Vec::new(),
            rendered_json: RenderedVariants::default(),
        }
    }

    /// The sender's address that other users see.
    pub fn sender_email(&self) -> &str {
        self.dummy_email.as_deref().unwrap_or(&self.sender.email)
    }
}
