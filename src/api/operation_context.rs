//! The context of a request that operations use: caller, URL, client, time, level, files.

use super::ReplyFormat;
use super::parameter::UploadedFile;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::message::Message;
use crate::realm::output_format::output_format_at_level;
use crate::realm::queue::QueueLevel;
use crate::realm::render_context::RenderContext;
use crate::realm::user::User;
use crate::time::Timestamp;
use crate::world::World;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A request, without the parameters that its operation has at the newest level.
pub struct OperationContext<'a> {
    /// None without credentials.
    pub caller: Option<Arc<User>>,
    pub origin: Origin<'a>,
    /// The dialect's name for the extra emoji that the service adds, which is valid besides the neutral name.
    pub extra_emoji: Option<&'a str>,
    /// The name of the client, from the parameter `client` or the `User-Agent`.
    pub client: &'a str,
    pub user_agent: &'a str,
    /// The time by the world's clock.
    pub now: Timestamp,
    /// When the world was created, by its clock.
    pub server_start: Timestamp,
    /// The feature level of the world.
    pub feature_level: i64,
    /// How queues behave at that level.
    pub queue_level: QueueLevel,
    /// The raw values of parameters that this level has and the newest does not.
    pub legacy_values: &'a BTreeMap<&'static str, String>,
    /// Files of a multipart body; for resumable uploads, the body as a file without a name.
    pub files: &'a [UploadedFile],
    /// Headers of the services that deliver incoming webhooks, with their names in lower case.
    pub headers: &'a [(&'static str, String)],
    /// How the push relay fails during the request, if a fault makes it fail.
    pub push_relay_failure: Option<crate::fault::PushRelayFailure>,
    /// How the events of a poll are changed, if a fault changes them.
    pub disturbance: Option<crate::fault::Disturbance>,
    pub reply_format: ReplyFormat,
}

impl OperationContext<'_> {
    /// Whether the level of the world has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        feature.is_at(self.feature_level)
    }

    /// Whether the caller and the level have not changed since the caller was checked.
    pub fn is_current(&self, world: &World, realm: &Realm) -> bool {
        let is_unchanged = |caller: &Arc<User>| realm.user(caller.id).is_some_and(|user| Arc::ptr_eq(user, caller));
        world.settings().feature_level == self.feature_level && self.caller.as_ref().is_none_or(is_unchanged)
    }

    /// What rendering needs to know of the request: the server's URL, the name of the extra emoji, and the output
    /// format of the level.
    pub fn render_context(&self) -> RenderContext {
        RenderContext {
            organization_url: Some(self.origin.base_url()),
            extra_emoji: self.extra_emoji.map(str::to_owned),
            output_format: output_format_at_level(self.feature_level),
        }
    }

    /// A message that the caller can access. At older levels, guests have to be subscribed even to web-public channels.
    ///
    /// # Errors
    ///
    /// `InvalidMessage` if the message does not exist or is inaccessible, so that callers can't tell which.
    pub fn message<'realm>(&self, realm: &'realm Realm, id: MessageId) -> Result<&'realm Arc<Message>, Error> {
        let caller = self.caller();
        let is_accessible = |message: &&Arc<Message>| {
            self.has(Feature::GuestsReadWebPublic) || !realm.is_unsubscribed_guest(caller, message)
        };
        realm.visible_message(caller, id).filter(is_accessible).ok_or(Error::InvalidMessage)
    }

    /// A message that the caller can access and that is not in an archived channel.
    ///
    /// # Errors
    ///
    /// `InvalidMessage` if there is no such message.
    pub fn changeable_message<'realm>(
        &self,
        realm: &'realm Realm,
        id: MessageId,
    ) -> Result<&'realm Arc<Message>, Error> {
        let message = self.message(realm, id)?;
        if realm.is_in_archived_channel(message) { Err(Error::InvalidMessage) } else { Ok(message) }
    }

    /// The caller of an operation that needs credentials.
    ///
    /// # Panics
    ///
    /// If the request has no credentials. Operations whose `ACCESS` accepts such requests use the field `caller`.
    pub fn caller(&self) -> &User {
        self.caller.as_deref().expect("the operation needs credentials, which were checked")
    }

    /// Like [`OperationContext::caller`], as the shared pointer.
    ///
    /// # Panics
    ///
    /// If the request has no credentials.
    pub fn shared_caller(&self) -> &Arc<User> {
        self.caller.as_ref().expect("the operation needs credentials, which were checked")
    }
}

/// The URL of the world as the client of a request sees it: the base of URLs in the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Host and port.
    pub host: &'a str,
    /// `/w/NAME`, or "" if the path does not select the world.
    pub prefix: &'a str,
}

impl Origin<'_> {
    /// For example `http://127.0.0.1:9991/w/NAME`, without a slash at the end.
    pub fn base_url(&self) -> String {
        [self.scheme, "://", self.host, self.prefix].concat()
    }

    /// Makes the links to uploads in a Markdown text relative, so that stored texts do not depend on the URL of the
    /// request. Bare URLs are not changed, because a relative path would not become a link; rendering makes them
    /// relative.
    pub fn make_upload_links_relative(&self, text: String) -> String {
        if memchr::memmem::find(text.as_bytes(), b"/user_uploads/").is_none() {
            return text;
        }
        let mut text = text.replace(&format!("]({}/user_uploads/", self.base_url()), "](/user_uploads/");
        if !self.prefix.is_empty() {
            text = text.replace(&format!("]({}/user_uploads/", self.prefix), "](/user_uploads/");
        }
        text
    }
}
