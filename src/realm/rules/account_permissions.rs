//! Permissions to administer other accounts and to change roles.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::group::SystemGroup;
use crate::realm::id::UserId;
use crate::realm::user::{Role, User};
use std::sync::Arc;

/// A user that the caller may administer, including deactivated users: administrators may administer all users except
/// system bots, and other users their own bots.
///
/// # Errors
///
/// In this order: `NoSuchUser`, `InsufficientPermission`.
pub fn administrable_user(realm: &Realm, caller: &User, id: UserId) -> Result<Arc<User>, Error> {
    let user = realm.user(id).filter(|user| !user.is_system_bot()).ok_or(Error::NoSuchUser)?;
    let may_administer = caller.is_admin() || user.bot_owner() == Some(caller.id);
    if may_administer { Ok(user.clone()) } else { Err(Error::InsufficientPermission) }
}

/// Whether a user is the only active owner. Bots with the role don't count (A-145 in docs/assumptions.md).
pub fn is_only_owner(realm: &Realm, user: &User) -> bool {
    let is_owner = |user: &User| user.role == Role::Owner && user.is_active && !user.is_bot();
    let is_other_owner = |id: &UserId| *id != user.id && is_owner(&realm.users[id]);
    is_owner(user) && !realm.system_group_members(SystemGroup::Owners).iter().any(is_other_owner)
}

/// Checks that the caller may give a user this role. Returns None if `role` is None or the user's present role.
///
/// # Errors
///
/// In this order: `OwnerRequired` if the old or new role is owner, `AdministratorRequired`, `CannotDemoteOnlyOwner`.
pub fn checked_role(realm: &Realm, caller: &User, user: &User, role: Option<Role>) -> Result<Option<Role>, Error> {
    let Some(role) = role.filter(|role| *role != user.role) else { return Ok(None) };
    if [role, user.role].contains(&Role::Owner) && caller.role != Role::Owner {
        return Err(Error::OwnerRequired);
    }
    if !caller.is_admin() {
        return Err(Error::AdministratorRequired);
    }
    if is_only_owner(realm, user) { Err(Error::CannotDemoteOnlyOwner) } else { Ok(Some(role)) }
}
