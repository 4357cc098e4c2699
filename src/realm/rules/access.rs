//! Access checks: which users and email addresses a user can see, whether accounts and spectators may use the API, and
//! audiences by access to users. Checks of channels and messages are in submodules.

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
    /// The user's address in the API: the real one if everyone may see it, else a dummy address (specification, User,
    /// `email`).
    pub fn api_email(&self, user: &User) -> String {
        self.shown_dummy_email(user).unwrap_or_else(|| user.email.clone())
    }

    /// The user's address that `viewer` sees. `viewer` is None for a spectator. Spectators see only dummy addresses of
    /// people, and users see the dummy addresses of users that they can't access.
    pub fn email_shown_to(&self, viewer: Option<&User>, user: &User) -> String {
        let can_access = viewer.map_or(user.is_bot(), |viewer| self.can_access_user(viewer, user.id));
        if can_access { self.api_email(user) } else { self.dummy_email(user.id) }
    }

    /// The user's name that `viewer` sees. `viewer` is None for a spectator.
    pub fn name_shown_to<'user>(&self, viewer: Option<&User>, user: &'user User) -> &'user str {
        let can_access = viewer.is_none_or(|viewer| self.can_access_user(viewer, user.id));
        if can_access { &user.full_name } else { UNKNOWN_USER_NAME }
    }

    /// The user's dummy address; None if everyone may see the real one.
    pub fn shown_dummy_email(&self, user: &User) -> Option<String> {
        let is_real_shown =
            user.is_bot() || user.email_visibility == crate::realm::model::user::EmailVisibility::Everyone;
        (!is_real_shown).then(|| self.dummy_email(user.id))
    }

    /// A dummy address such as `user7@host`, which every user has.
    pub fn dummy_email(&self, user: UserId) -> String {
        format!("user{user}@{}", self.organization.host)
    }

    /// Whether `viewer` may see the real address of a user. `viewer` is None for a spectator.
    pub fn can_see_email(&self, viewer: Option<&User>, user: &User) -> bool {
        if user.is_bot() {
            return true;
        }
        viewer.is_some_and(|viewer| viewer.id == user.id || user.email_visibility.is_visible_to(viewer.role))
    }

    /// Whether `viewer` may access a user at all: guests may be limited to bots and to users in the same channels and
    /// conversations (`can_access_all_users_group`).
    pub fn can_access_user(&self, viewer: &User, user: UserId) -> bool {
        if !viewer.is_guest() || viewer.id == user || self.may(viewer.id, RealmPermission::CanAccessAllUsers) {
            return true;
        }
        let Some(target) = self.users.get(&user) else { return false };
        if target.is_bot() {
            return true;
        }
        let state = self.user_state(viewer.id);
        state
            .subscriptions
            .iter()
            .any(|(channel, subscription)| subscription.is_active && self.channels[channel].subscribers.contains(&user))
            || state.conversations.iter().any(|conversation| self.conversations[conversation].members.contains(&user))
    }

    /// A user that the viewer may access, including bots and deactivated users.
    ///
    /// # Errors
    ///
    /// In this order: `NoSuchUser`, `InsufficientPermission`.
    pub fn accessible_user(&self, viewer: &User, id: UserId) -> Result<&Arc<User>, Error> {
        let user = self.users.get(&id).ok_or(Error::NoSuchUser)?;
        if self.can_access_user(viewer, id) { Ok(user) } else { Err(Error::InsufficientPermission) }
    }

    /// An active user that the viewer may access, except bots.
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

    /// Finds a user by dummy address, or by a real address that the viewer may see. Users that the viewer can't access
    /// are not found by their real address.
    pub fn user_by_api_email(&self, viewer: &User, email: &str) -> Option<&Arc<User>> {
        if let Some(user) = self.user_by_dummy_email(email) {
            return Some(user);
        }
        let is_visible =
            |user: &&Arc<User>| self.can_see_email(Some(viewer), user) && self.can_access_user(viewer, user.id);
        self.user_by_email(email).filter(is_visible)
    }

    /// Like [`Realm::user_by_api_email`], but real addresses must be visible to users of the viewer's role, even the
    /// viewer's own address.
    pub fn user_by_email_visible_to_role(&self, viewer: &User, email: &str) -> Option<&Arc<User>> {
        let is_visible_to_role = |user: &&Arc<User>| user.is_bot() || user.email_visibility.is_visible_to(viewer.role);
        self.user_by_dummy_email(email).or_else(|| self.user_by_api_email(viewer, email).filter(is_visible_to_role))
    }

    /// Finds a user by dummy address, or by a real address that everyone may see, of a user that the viewer may access.
    /// `viewer` is None for a spectator. Other real addresses are not found, because a success would reveal whose
    /// address it is.
    pub fn user_by_displayed_email(&self, viewer: Option<&User>, email: &str) -> Option<&Arc<User>> {
        let is_known = |user: &&Arc<User>| self.email_shown_to(viewer, user).eq_ignore_ascii_case(email);
        self.user_by_dummy_email(email).or_else(|| self.user_by_email(email).filter(is_known))
    }

    pub fn user_by_dummy_email(&self, email: &str) -> Option<&Arc<User>> {
        self.dummy_email_digits(email)?.parse().ok().and_then(|id| self.users.get(&UserId(id)))
    }

    /// Whether an address has the format of dummy addresses, even if no user has it.
    pub fn is_dummy_email(&self, email: &str) -> bool {
        self.dummy_email_digits(email).is_some()
    }

    /// The user ID in a dummy address, as text. None for other addresses.
    fn dummy_email_digits<'a>(&self, email: &'a str) -> Option<&'a str> {
        let (name, host) = email.split_once('@')?;
        if !host.eq_ignore_ascii_case(&self.organization.host) {
            return None;
        }
        let digits = name.get(..4).filter(|prefix| prefix.eq_ignore_ascii_case("user")).and_then(|_| name.get(4..))?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
    }

    /// Checks that neither the organization nor the account is deactivated.
    ///
    /// # Errors
    ///
    /// In this order: `RealmDeactivated`, `UserDeactivated`.
    pub fn check_is_active(&self, user: &User) -> Result<(), Error> {
        if self.organization.is_deactivated {
            return Err(Error::RealmDeactivated);
        }
        if user.is_active { Ok(()) } else { Err(Error::UserDeactivated) }
    }

    /// Whether spectators may use the API (specification, Authentication 4).
    pub fn allows_spectators(&self) -> bool {
        self.organization.is_enabled(RealmSetting::EnableSpectatorAccess)
    }

    /// Whether spectators can see at least one channel that is not archived (`realm_web_public_access_enabled`).
    pub fn has_web_public_access(&self) -> bool {
        self.allows_spectators()
            && self.channels.values().any(|channel| channel.privacy == Privacy::WebPublic && !channel.is_archived)
    }

    /// Includes deactivated guests. The direct members of `role:everyone` are the guests; other roles are in its
    /// subgroups.
    pub fn guests(&self) -> &OrdSet<UserId> {
        self.system_group_members(SystemGroup::Everyone)
    }

    /// Users with this role or a higher one, including deactivated users.
    pub fn users_with_role_or_higher(&self, role: Role) -> OrdSet<UserId> {
        Role::ALL.into_iter().filter(|candidate| *candidate <= role).fold(OrdSet::new(), |users, candidate| {
            users.union(self.system_group_members(SystemGroup::of_role(candidate)).clone())
        })
    }

    /// All active users except system bots: the audience of changes of the organization.
    pub fn everyone(&self) -> Audience {
        Audience::of_users(self.active_users.clone())
    }

    /// All active users, except system bots, who may access a user.
    pub fn audience_with_access_to(&self, id: UserId) -> Audience {
        let lacks_access = |guest: &&UserId| !self.user(**guest).is_some_and(|viewer| self.can_access_user(viewer, id));
        let guests_without_access: OrdSet<UserId> = self.guests().iter().filter(lacks_access).copied().collect();
        self.everyone().except_all(&guests_without_access)
    }
}
