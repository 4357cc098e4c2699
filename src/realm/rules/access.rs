//! Who can see what: addresses, users, channels, messages. Pure questions of the realm.

use super::holding::covers;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::log::event::Audience;
use crate::realm::model::channel::{Channel, Privacy};
use crate::realm::model::group::SystemGroup;
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::{Attachment, Message, Place};
use crate::realm::model::permission::{CHANNEL_PERMISSIONS, setting};
use crate::realm::model::user::{Role, UNKNOWN_USER_NAME, User};
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// The address by which a user is known to the API: the real one where everyone may see it,
    /// else a dummy (specification, User, `email`).
    pub fn api_email(&self, user: &User) -> String {
        self.shown_dummy_email(user).unwrap_or_else(|| user.email.clone())
    }

    /// The address by which `viewer` (None: an anonymous visitor) knows a user: a dummy for visitors, who may see no
    /// person's address, and where the viewer may not know of the user.
    pub fn email_shown_to(&self, viewer: Option<&User>, user: &User) -> String {
        let is_known = viewer.map_or(user.is_bot(), |viewer| self.can_access_user(viewer, user.id));
        if is_known { self.api_email(user) } else { self.dummy_email(user.id) }
    }

    /// The name by which `viewer` (None: an anonymous visitor) knows a user.
    pub fn name_shown_to<'user>(&self, viewer: Option<&User>, user: &'user User) -> &'user str {
        let is_known = viewer.is_none_or(|viewer| self.can_access_user(viewer, user.id));
        if is_known { &user.full_name } else { UNKNOWN_USER_NAME }
    }

    /// The dummy that stands for the address of a user whose real one not everyone may see.
    pub fn shown_dummy_email(&self, user: &User) -> Option<String> {
        let is_shown = user.is_bot() || user.email_visibility == crate::realm::model::user::EmailVisibility::Everyone;
        (!is_shown).then(|| self.dummy_email(user.id))
    }

    /// The address that works for any user, `user7@host`.
    pub fn dummy_email(&self, user: UserId) -> String {
        format!("user{user}@{}", self.organization.host)
    }

    /// Whether `viewer` (None: an anonymous visitor) may see the real address of a user.
    pub fn can_see_email(&self, viewer: Option<&User>, user: &User) -> bool {
        if user.is_bot() {
            return true;
        }
        viewer.is_some_and(|viewer| viewer.id == user.id || user.email_visibility.admits(viewer.role))
    }

    /// Whether `viewer` may know of a user at all: guests may be limited to those they share
    /// channels or direct messages with (`can_access_all_users_group`).
    pub fn can_access_user(&self, viewer: &User, user: UserId) -> bool {
        if !viewer.is_guest() || viewer.id == user || self.may(viewer.id, "can_access_all_users_group") {
            return true;
        }
        let Some(target) = self.users.get(&user) else { return false };
        if target.is_bot() {
            return true;
        }
        let own = self.user_state(viewer.id);
        own.subscriptions
            .iter()
            .any(|(channel, subscription)| subscription.is_active && self.channels[channel].subscribers.contains(&user))
            || own.conversations.iter().any(|conversation| self.conversations[conversation].members.contains(&user))
    }

    /// A user that the viewer may know of; bots and deactivated ones too.
    ///
    /// # Errors
    ///
    /// In this order: `NoSuchUser`, `InsufficientPermission`.
    pub fn accessible_user(&self, viewer: &User, id: UserId) -> Result<&Arc<User>, Error> {
        let user = self.users.get(&id).ok_or(Error::NoSuchUser)?;
        if self.can_access_user(viewer, id) { Ok(user) } else { Err(Error::InsufficientPermission) }
    }

    /// An active person that the viewer may know of.
    ///
    /// # Errors
    ///
    /// In this order: `NoSuchUser` (for bots too), `TargetDeactivated`, `InsufficientPermission`.
    pub fn accessible_person(&self, viewer: &User, id: UserId) -> Result<&Arc<User>, Error> {
        let user = self.users.get(&id).filter(|user| !user.is_bot()).ok_or(Error::NoSuchUser)?;
        if !user.is_active {
            return Err(Error::TargetDeactivated);
        }
        self.accessible_user(viewer, id)
    }

    /// The user behind an API address: a real one that the viewer may see, or a dummy. The real address of somebody whom
    /// the viewer may not know of is nobody's.
    pub fn user_by_api_email(&self, viewer: &User, email: &str) -> Option<&Arc<User>> {
        if let Some(user) = self.user_by_dummy_email(email) {
            return Some(user);
        }
        let is_seen =
            |user: &&Arc<User>| self.can_see_email(Some(viewer), user) && self.can_access_user(viewer, user.id);
        self.user_by_email(email).filter(is_seen)
    }

    /// The user behind a dummy address, or behind a real one that everyone may see, of somebody whom the viewer (None: an
    /// anonymous visitor) may know of. Any other real one is nobody's: whoever could send to it would learn whose it is.
    pub fn user_known_as(&self, viewer: Option<&User>, email: &str) -> Option<&Arc<User>> {
        let is_known = |user: &&Arc<User>| self.email_shown_to(viewer, user).eq_ignore_ascii_case(email);
        self.user_by_dummy_email(email).or_else(|| self.user_by_email(email).filter(is_known))
    }

    /// The user behind a dummy address.
    pub fn user_by_dummy_email(&self, email: &str) -> Option<&Arc<User>> {
        self.dummy_digits(email)?.parse().ok().and_then(|id| self.users.get(&UserId(id)))
    }

    /// Whether an address has the form of dummies, also of users who don't exist yet.
    pub fn is_dummy_email(&self, email: &str) -> bool {
        self.dummy_digits(email).is_some()
    }

    /// What stands for the user's number in a dummy address.
    fn dummy_digits<'a>(&self, email: &'a str) -> Option<&'a str> {
        let (name, host) = email.split_once('@')?;
        if !host.eq_ignore_ascii_case(&self.organization.host) {
            return None;
        }
        let digits = name.get(..4).filter(|prefix| prefix.eq_ignore_ascii_case("user")).and_then(|_| name.get(4..))?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
    }

    /// Whether a user may do something in a channel.
    pub fn may_in(&self, user: UserId, channel: &Channel, name: &'static str) -> bool {
        channel.permissions.get(name).is_some_and(|value| covers(self, value, user, setting(CHANNEL_PERMISSIONS, name)))
    }

    /// Whether a user can read a channel's messages.
    pub fn can_read(&self, user: &User, channel: &Channel) -> bool {
        if channel.subscribers.contains(&user.id) || channel.privacy == Privacy::WebPublic {
            return true;
        }
        if user.is_guest() {
            return false;
        }
        channel.privacy == Privacy::Public
            || self.may_in(user.id, channel, "can_add_subscribers_group")
            || self.may_in(user.id, channel, "can_subscribe_group")
    }

    /// Whether a user can see a channel's name, settings and subscribers.
    pub fn can_see(&self, user: &User, channel: &Channel) -> bool {
        self.can_read(user, channel)
            || user.is_admin()
            || (!user.is_guest() && self.may_in(user.id, channel, "can_administer_channel_group"))
    }

    /// Whether a user may change a channel's settings.
    pub fn can_administer(&self, user: &User, channel: &Channel) -> bool {
        user.is_admin() || self.may_in(user.id, channel, "can_administer_channel_group")
    }

    /// A channel whose settings the user can see; archived ones too.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`, the same for a missing and a hidden channel.
    pub fn visible_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        self.channels.get(&id).filter(|channel| self.can_see(user, channel)).ok_or(Error::InvalidChannelId)
    }

    /// A channel that the user can see and that is not archived.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`.
    pub fn living_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        self.visible_channel(user, id)
            .and_then(|channel| if channel.is_archived { Err(Error::InvalidChannelId) } else { Ok(channel) })
    }

    /// A channel whose messages the user can read; archived ones too.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`.
    pub fn readable_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        self.channels.get(&id).filter(|channel| self.can_read(user, channel)).ok_or(Error::InvalidChannelId)
    }

    /// A channel whose messages the user can read and that is not archived.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`, the same for all reasons.
    pub fn open_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        let channel = self.readable_channel(user, id)?;
        if channel.is_archived { Err(Error::InvalidChannelId) } else { Ok(channel) }
    }

    /// A channel that the user can see and that is not archived, by name.
    ///
    /// # Errors
    ///
    /// `InvalidChannelName`, the same for a missing and a hidden channel.
    pub fn living_channel_by_name(&self, user: &User, name: &str) -> Result<&Arc<Channel>, Error> {
        self.channel_by_name(name.trim())
            .filter(|channel| self.can_see(user, channel) && !channel.is_archived)
            .ok_or_else(|| Error::InvalidChannelName { channel_name: name.into() })
    }

    /// Everyone who can see a channel: the audience of its changes, and of `subscription` peer events (A-338 in
    /// docs/assumptions.md). A shared set where possible.
    pub fn who_can_see(&self, channel: &Channel) -> Audience {
        let administrators = self
            .system_group_members(SystemGroup::Administrators)
            .clone()
            .union(self.system_group_members(SystemGroup::Owners).clone());
        match channel.privacy {
            Privacy::WebPublic => Audience::of(self.active_users.clone()),
            Privacy::Public => Audience::of(self.active_users.clone()).except_all(&self.guests_outside(channel)),
            _ => {
                let mut audience = Audience::of(channel.subscribers.clone()).and(administrators);
                for name in ["can_administer_channel_group", "can_add_subscribers_group", "can_subscribe_group"] {
                    audience = audience.and(self.holders(channel, name));
                }
                audience
            }
        }
    }

    /// Everyone who holds one of a channel's permissions that guests can't hold.
    fn holders(&self, channel: &Channel, name: &'static str) -> OrdSet<UserId> {
        use crate::realm::model::permission::GroupSettingValue::{Anonymous, Group};
        let everyone = match channel.permissions.get(name) {
            Some(Group(group)) => self.all_members(*group),
            Some(Anonymous(value)) => {
                let direct: OrdSet<UserId> = value.direct_members.iter().copied().collect();
                direct.union(self.members_of_any(value.direct_subgroups.iter().copied()))
            }
            None => OrdSet::new(),
        };
        everyone.relative_complement(self.guests().clone())
    }

    /// Guests who are not subscribed to a channel. Few are guests, many may be subscribers: these are not gone through.
    pub fn guests_outside(&self, channel: &Channel) -> OrdSet<UserId> {
        self.guests().iter().filter(|guest| !channel.subscribers.contains(*guest)).copied().collect()
    }

    /// Guests, deactivated ones included.
    pub fn guests(&self) -> &OrdSet<UserId> {
        self.system_group_members(SystemGroup::Everyone)
    }

    /// Whether the user has a row for a message: received it, or made one by starring.
    pub fn has_row(&self, user: UserId, message: &Message) -> bool {
        message.recipients.contains(&user) || self.user_state(user).historical.contains(&message.id)
    }

    /// A message that the user can see; None where it can't or there is none.
    pub fn message_seen_by(&self, user: &User, id: MessageId) -> Option<&Arc<Message>> {
        self.messages.get(&id).filter(|message| self.can_see_message(user, message))
    }

    /// Whether a user can see a message (reference behaviour: own row, or content access to a
    /// channel with public history).
    pub fn can_see_message(&self, user: &User, message: &Message) -> bool {
        match &message.place {
            Place::Direct { .. } => message.recipients.contains(&user.id),
            Place::Channel { channel, .. } => {
                let channel = &self.channels[channel];
                self.can_read(user, channel) && (channel.privacy.has_public_history() || self.has_row(user.id, message))
            }
        }
    }

    /// Whether a user is one of those who talk in a conversation.
    pub fn takes_part(&self, user: UserId, conversation: RecipientId) -> bool {
        self.conversations.get(&conversation).is_some_and(|conversation| conversation.members.contains(&user))
    }

    /// Whether anonymous visitors may see a message.
    pub fn is_for_visitors(&self, message: &Message) -> bool {
        message.channel().is_some_and(|(channel, _)| self.channels[&channel].privacy == Privacy::WebPublic)
    }

    /// Whether somebody may read a file: its owner, and whoever can see a message that links it; anonymous visitors (None)
    /// only through messages in web-public channels.
    pub fn can_read_file(&self, viewer: Option<&User>, file: &Attachment) -> bool {
        if viewer.is_some_and(|viewer| viewer.id == file.owner) {
            return true;
        }
        let mut messages = file.messages.iter().filter_map(|id| self.messages.get(id));
        messages.any(|message| match viewer {
            Some(viewer) => self.can_see_message(viewer, message),
            None => self.has_public_access() && self.is_for_visitors(message),
        })
    }

    /// A message that the user can see and that does not lie in an archived channel.
    ///
    /// # Errors
    ///
    /// `InvalidMessage`, the same for all reasons.
    pub fn message_to_change(&self, user: &User, id: MessageId) -> Result<&Arc<Message>, Error> {
        self.message_seen_by(user, id).filter(|message| !self.is_in_archive(message)).ok_or(Error::InvalidMessage)
    }

    /// Whether a message is in an archived channel.
    pub fn is_in_archive(&self, message: &Message) -> bool {
        message.channel().is_some_and(|(channel, _)| self.channels[&channel].is_archived)
    }

    /// Whom a change of a message concerns: those with a row for it and, where the history is public, the channel's
    /// subscribers; never those who can't see it any more.
    pub fn who_follows(&self, message: &Message) -> Audience {
        use imbl::ordset::DiffItem;
        let received = Audience::of(message.recipients.clone());
        let Some((channel, _)) = message.channel() else { return received };
        let channel = &self.channels[&channel];
        let late = self.late_rows.get(&message.id).cloned().unwrap_or_default();
        // Most recipients are subscribers still, and the sets share their parts: only the others need a look.
        let outside = message.recipients.diff(&channel.subscribers).filter_map(|difference| match difference {
            DiffItem::Remove(user) => Some(*user),
            _ => None,
        });
        let cannot_see = |id: &UserId| !self.users.get(id).is_some_and(|user| self.can_see_message(user, message));
        let blind: OrdSet<UserId> = outside.chain(late.iter().copied()).filter(cannot_see).collect();
        let audience = received.and(late).except_all(&blind);
        if channel.privacy.has_public_history() { audience.and(channel.subscribers.clone()) } else { audience }
    }

    /// Those who have a row for a message and can see it.
    pub fn who_holds(&self, id: MessageId) -> OrdSet<UserId> {
        let Some(message) = self.messages.get(&id) else { return OrdSet::new() };
        let late = self.late_rows.get(&id).cloned().unwrap_or_default();
        let sees = |user: &UserId| self.users.get(user).is_some_and(|user| self.can_see_message(user, message));
        message.recipients.clone().union(late).into_iter().filter(sees).collect()
    }

    /// Whom a move of messages concerns, of which the request named one. Where the history is public, whoever follows that
    /// one: all subscribers do. Else who follows any of them.
    pub fn who_follows_move(&self, named: &Message, moved: &[MessageId]) -> Audience {
        let has_public_history =
            named.channel().is_none_or(|(channel, _)| self.channels[&channel].privacy.has_public_history());
        if has_public_history {
            return self.who_follows(named);
        }
        self.who_follows_any(&[&[named.id], moved].concat())
    }

    /// Whom a change of several messages of one place concerns: whoever any of them concerns.
    pub fn who_follows_any(&self, messages: &[MessageId]) -> Audience {
        let mut messages = messages.iter().filter_map(|id| self.messages.get(id));
        let Some(first) = messages.next() else { return Audience::default() };
        let mut more: OrdSet<UserId> = OrdSet::new();
        let mut known = &first.recipients;
        for message in messages {
            let late = self.late_rows.get(&message.id);
            // Messages of one topic mostly share their recipients.
            if late.is_none() && message.recipients == *known {
                continue;
            }
            known = &message.recipients;
            let holders = message.recipients.iter().chain(late.into_iter().flatten());
            let sees = |id: &&UserId| self.users.get(*id).is_some_and(|user| self.can_see_message(user, message));
            more.extend(holders.filter(sees).copied());
        }
        let audience = self.who_follows(first);
        if more.is_empty() { audience } else { audience.including(more) }
    }

    /// Asserts that neither the organization nor the account was deactivated.
    ///
    /// # Errors
    ///
    /// In this order: `RealmDeactivated`, `UserDeactivated`.
    pub fn check_is_open_to(&self, user: &User) -> Result<(), Error> {
        if self.organization.is_deactivated {
            return Err(Error::RealmDeactivated);
        }
        if user.is_active { Ok(()) } else { Err(Error::UserDeactivated) }
    }

    /// Whether an anonymous visitor may look at the organization's public part
    /// (specification, Authentication 4).
    pub fn has_public_access(&self) -> bool {
        self.organization.is_on("enable_spectator_access")
    }

    /// Whether there is something for anonymous visitors to see (`realm_web_public_access_enabled`).
    pub fn web_public_access_enabled(&self) -> bool {
        self.has_public_access()
            && self.channels.values().any(|channel| channel.privacy == Privacy::WebPublic && !channel.is_archived)
    }

    /// Users of this role and above, deactivated ones included: owners and administrators for `Role::Administrator`.
    pub fn at_least(&self, role: Role) -> OrdSet<UserId> {
        Role::ALL
            .into_iter()
            .filter(|candidate| *candidate <= role)
            .fold(OrdSet::new(), |all, role| all.union(self.system_group_members(SystemGroup::of_role(role)).clone()))
    }

    /// Everybody with an account: the audience of changes of the organization.
    pub fn everyone(&self) -> Audience {
        Audience::of(self.active_users.clone())
    }

    /// Everybody who may know of a user.
    pub fn who_can_access(&self, id: UserId) -> Audience {
        let is_blind = |guest: &&UserId| !self.user(**guest).is_some_and(|viewer| self.can_access_user(viewer, id));
        let blind: OrdSet<UserId> = self.guests().iter().filter(is_blind).copied().collect();
        self.everyone().except_all(&blind)
    }
}
