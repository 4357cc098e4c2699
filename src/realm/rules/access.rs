//! Who can see what: addresses and users here, channels and messages in the files below. Pure questions of the realm.

mod channels;
mod messages;

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::log::event::Audience;
use crate::realm::model::channel::Privacy;
use crate::realm::model::group::SystemGroup;
use crate::realm::model::id::UserId;
use crate::realm::model::permission::RealmPermission;
use crate::realm::model::setting::RealmSetting;
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

    /// The dummy that replaces the address of a user whose real one not everyone may see.
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
        if !viewer.is_guest() || viewer.id == user || self.may(viewer.id, RealmPermission::CanAccessAllUsers) {
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

    /// The user behind an API address: a real one that the viewer may see, or a dummy. The real address of somebody that
    /// the viewer may not know of is nobody's.
    pub fn user_by_api_email(&self, viewer: &User, email: &str) -> Option<&Arc<User>> {
        if let Some(user) = self.user_by_dummy_email(email) {
            return Some(user);
        }
        let is_seen =
            |user: &&Arc<User>| self.can_see_email(Some(viewer), user) && self.can_access_user(viewer, user.id);
        self.user_by_email(email).filter(is_seen)
    }

    /// The user behind a dummy address, or behind a real one that users of the viewer's role may see. The viewer's own
    /// is no exception.
    pub fn user_by_role_email(&self, viewer: &User, email: &str) -> Option<&Arc<User>> {
        let is_open = |user: &&Arc<User>| user.is_bot() || user.email_visibility.admits(viewer.role);
        self.user_by_dummy_email(email).or_else(|| self.user_by_api_email(viewer, email).filter(is_open))
    }

    /// The user behind a dummy address, or behind a real one that everyone may see, of somebody that the viewer (None: an
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

    /// The part of the user's number in a dummy address.
    fn dummy_digits<'a>(&self, email: &'a str) -> Option<&'a str> {
        let (name, host) = email.split_once('@')?;
        if !host.eq_ignore_ascii_case(&self.organization.host) {
            return None;
        }
        let digits = name.get(..4).filter(|prefix| prefix.eq_ignore_ascii_case("user")).and_then(|_| name.get(4..))?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
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
        self.organization.is_on(RealmSetting::EnableSpectatorAccess)
    }

    /// Whether there is something for anonymous visitors to see (`realm_web_public_access_enabled`).
    pub fn web_public_access_enabled(&self) -> bool {
        self.has_public_access()
            && self.channels.values().any(|channel| channel.privacy == Privacy::WebPublic && !channel.is_archived)
    }

    /// Guests, deactivated ones included.
    pub fn guests(&self) -> &OrdSet<UserId> {
        self.system_group_members(SystemGroup::Everyone)
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
