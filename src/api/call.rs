//! One request, as its operation sees it.

use super::ReplyForm;
use super::parameter::UploadedFile;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::form::form_at;
use crate::realm::id::MessageId;
use crate::realm::message::Message;
use crate::realm::queue::QueueLevel;
use crate::realm::site::Site;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::time::Timestamp;
use crate::world::{NewEvents, World};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who calls, from where, and when.
pub struct Call<'a> {
    /// The caller; None without credentials.
    pub caller: Option<Arc<User>>,
    /// The address that the request came to.
    pub origin: Origin<'a>,
    /// What the caller calls the built-in extra emoji next to its own name.
    pub extra_emoji: Option<&'a str>,
    /// What the client calls itself.
    pub client: &'a str,
    /// All that it says of itself.
    pub user_agent: &'a str,
    /// The world's time.
    pub now: Timestamp,
    /// When the world was made, by its clock.
    pub server_start: Timestamp,
    /// The feature level that the world emulates; the core asks only where the edge can't do it.
    pub feature_level: i64,
    /// What that level means for queues.
    pub queue_level: QueueLevel,
    /// Parameters that the level knows and the newest does not, as they were sent.
    pub former: &'a BTreeMap<&'static str, String>,
    /// Files of a multipart body.
    pub files: &'a [UploadedFile],
    /// Headers that services which deliver use.
    pub headers: &'a [(&'static str, String)],
    /// How a fault lets the push relay fail.
    pub bouncer: Option<crate::fault::Bouncer>,
    /// What a fault makes of the events of a poll.
    pub disturbance: Option<crate::fault::Disturbance>,
    /// The form in which the reply is wanted.
    pub reply_form: ReplyForm,
}

impl Call<'_> {
    /// Whether the world's level has a rule.
    pub fn has(&self, feature: Feature) -> bool {
        feature.is_at(self.feature_level)
    }

    /// Whether the caller and the level are still those that the request began with.
    pub fn is_current(&self, world: &World, realm: &Realm) -> bool {
        let is_same = |caller: &Arc<User>| realm.user(caller.id).is_some_and(|user| Arc::ptr_eq(user, caller));
        world.settings().feature_level == self.feature_level && self.caller.as_ref().is_none_or(is_same)
    }

    /// What the client knows things by.
    pub fn site(&self) -> Site {
        Site {
            own_url: Some(self.origin.base_url()),
            extra_emoji: self.extra_emoji.map(str::to_owned),
            form: form_at(self.feature_level),
        }
    }

    /// A message that the caller can see; of guests, older levels ask for a subscription even in web-public channels.
    ///
    /// # Errors
    ///
    /// `InvalidMessage`, the same for all reasons.
    pub fn message<'realm>(&self, realm: &'realm Realm, id: MessageId) -> Result<&'realm Arc<Message>, Error> {
        let caller = self.caller();
        let is_open = |message: &&Arc<Message>| {
            Feature::GuestsReadWebPublic.is_at(self.feature_level) || !realm.is_guest_outside(caller, message)
        };
        realm.message_seen_by(caller, id).filter(is_open).ok_or(Error::InvalidMessage)
    }

    /// A message that the caller can see and that does not lie in an archived channel.
    ///
    /// # Errors
    ///
    /// `InvalidMessage`, the same for all reasons.
    pub fn message_to_change<'realm>(
        &self,
        realm: &'realm Realm,
        id: MessageId,
    ) -> Result<&'realm Arc<Message>, Error> {
        let message = self.message(realm, id)?;
        if realm.is_in_archive(message) { Err(Error::InvalidMessage) } else { Ok(message) }
    }

    /// The caller of an operation that needs credentials.
    ///
    /// # Panics
    ///
    /// Where the operation's `ACCESS` lets visitors in: those ask `caller` itself.
    pub fn caller(&self) -> &User {
        self.caller.as_deref().expect("the operation needs credentials, which were checked")
    }

    /// As [`Call::caller`], shared.
    ///
    /// # Panics
    ///
    /// As that does.
    pub fn caller_shared(&self) -> &Arc<User> {
        self.caller.as_ref().expect("the operation needs credentials, which were checked")
    }
}

/// Changes the realm for a caller, None being a visitor, and notes that they were active. Another request may have come in
/// between since their credentials were checked, and shut them out.
///
/// # Errors
///
/// `InvalidApiKey`, those of [`Realm::check_is_open_to`], and what `change` refuses.
pub fn commit_for<T, E: From<Error>>(
    world: &World,
    caller: Option<&User>,
    change: impl FnOnce(&mut Tx) -> Result<T, E>,
) -> Result<(T, NewEvents), E> {
    world.commit_noting(|tx| {
        if let Some(caller) = caller {
            check_credentials_hold(tx, caller)?;
        }
        let value = change(tx)?;
        if let Some(caller) = caller {
            tx.note_activity(caller.id);
        }
        Ok(value)
    })
}

fn check_credentials_hold(realm: &Realm, caller: &User) -> Result<(), Error> {
    let user = realm.user(caller.id).filter(|user| user.api_key == caller.api_key).ok_or(Error::InvalidApiKey)?;
    realm.check_is_open_to(user)
}

/// The address that a request came to: what URLs in its reply begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Host and port.
    pub host: &'a str,
    /// `/w/NAME`, or "" when the world has the whole address.
    pub prefix: &'a str,
}

impl Origin<'_> {
    /// `http://127.0.0.1:9991/w/NAME`, without a slash at the end.
    pub fn base_url(&self) -> String {
        [self.scheme, "://", self.host, self.prefix].concat()
    }

    /// A text whose links to uploads lead there without the address and prefix that this caller knows: what is stored
    /// must lead anywhere. An address that is its own text stays, since without its beginning it would be none; it
    /// becomes relative when it is rendered.
    pub fn strip(&self, text: String) -> String {
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
