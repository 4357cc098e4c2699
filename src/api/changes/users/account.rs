//! Changes of an account, each with its events, for every operation that makes them.

use crate::api::changes::users::bot::emit_account;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::group::SystemGroup;
use crate::realm::id::{GroupId, UserId};
use crate::realm::tx::Tx;
use crate::realm::user::{AvatarSource, EmailVisibility, Role, User};
use crate::realm::visibility::Sight;
use crate::record::events::{MemberChange, PersonUpdate, RealmExportConsent};
use crate::record::user::avatar_url;
use imbl::OrdSet;
use serde_json::json;

/// Gives a user another name.
///
/// Event: `realm_user` update to everybody who may know of the user; so with the others here.
pub fn change_name(tx: &mut Tx, id: UserId, full_name: String) {
    tx.user_mut(id).full_name.clone_from(&full_name);
    let audience = tx.who_can_access(id);
    tx.emit(audience, PersonUpdate::Name { user_id: id, full_name });
    emit_account(tx, id, "full_name", |_, bot| json!(bot.full_name));
}

/// Gives a user another role, and with it other system groups and other channels in sight.
///
/// Events: `realm_user` update; `user_group` remove_members and add_members to everybody; to the user `stream` create
/// with `subscription` peer_add, and `stream` delete, and `realm_user` add and remove where guests are limited.
pub fn change_role(tx: &mut Tx, id: UserId, role: Role) {
    let before = tx.mark();
    let left = tx.leave_roles(id);
    tx.user_mut(id).role = role;
    let entered = tx.enter_role(id, role);
    tx.schedule_full_membership(id);
    let audience = tx.who_can_access(id);
    tx.emit(audience, PersonUpdate::Role { user_id: id, role: role.number() });
    // Being a full member follows from the role, and is sent after it.
    let full = tx.system_group(SystemGroup::FullMembers);
    for is_follow_up in [false, true] {
        let is_of = |group: &&GroupId, others: &[GroupId]| (**group == full) == is_follow_up && !others.contains(group);
        emit_groups(tx, id, MemberChange::Remove, left.iter().filter(|group| is_of(group, &entered)));
        emit_groups(tx, id, MemberChange::Add, entered.iter().filter(|group| is_of(group, &left)));
    }
    tx.emit_visibility(&before, &[Sight::Users, Sight::Channels]);
}

/// Tells everybody that a user came to or left groups.
fn emit_groups<'ids>(tx: &mut Tx, id: UserId, change: MemberChange, groups: impl Iterator<Item = &'ids GroupId>) {
    for group in groups {
        tx.emit_members(change, *group, [id]);
    }
}

/// Replaces a user's picture, or with [`AvatarSource::Provider`] takes it away.
pub fn change_avatar(tx: &mut Tx, id: UserId, source: AvatarSource) {
    let avatar = &mut tx.user_mut(id).avatar;
    avatar.source = source;
    avatar.version += 1;
    emit_avatar(tx, id);
}

fn emit_avatar(tx: &mut Tx, id: UserId) {
    emit_account(tx, id, "avatar_url", |realm, bot| json!(avatar_url(realm, bot, false)));
    let audience = tx.who_can_access(id);
    emit_avatar_to(tx, id, audience);
}

fn emit_avatar_to(tx: &mut Tx, id: UserId, audience: Audience) {
    let user = &tx.users[&id];
    let update = PersonUpdate::Avatar {
        user_id: id,
        avatar_source: user.avatar.source.letter(),
        avatar_url: avatar_url(tx, user, false),
        avatar_url_medium: avatar_url(tx, user, true),
        avatar_version: user.avatar.version,
    };
    tx.emit(audience, update);
}

/// Gives a user another address, which is free: only the new one authenticates from now on.
///
/// Events: `realm_user` update with `delivery_email` to those who may see it, and where everyone may, with `new_email`
/// to all; a picture that is found by a hash of the address changes with it.
pub fn change_email(tx: &mut Tx, id: UserId, email: String) {
    let old = std::mem::replace(&mut tx.user_mut(id).email, email.clone());
    let realm = tx.realm_mut();
    realm.users_by_email.remove(&old.to_lowercase());
    realm.users_by_email.insert(email.to_lowercase(), id);
    let user = tx.users[&id].clone();
    let audience = who_sees_email(tx, &user, user.email_visibility);
    tx.emit(audience, PersonUpdate::DeliveryEmail { user_id: id, delivery_email: Some(email) });
    if user.is_bot() || user.email_visibility == EmailVisibility::Everyone {
        emit_new_email(tx, &user);
    }
    if user.avatar.source == AvatarSource::Provider {
        emit_avatar(tx, id);
    }
}

/// Changes who may see a user's real address.
///
/// Events: `realm_user` update with `delivery_email` to those who come to see it or (null) see it no more; where the
/// address for the API changes between the real one and a dummy, with `new_email` and the picture to all.
pub fn change_email_visibility(tx: &mut Tx, id: UserId, visibility: EmailVisibility) {
    let user = tx.users[&id].clone();
    let before = who_sees_email(tx, &user, user.email_visibility);
    let after = who_sees_email(tx, &user, visibility);
    tx.user_mut(id).email_visibility = visibility;
    let change = |tx: &Tx, gained: bool| -> OrdSet<UserId> {
        let (from, to) = if gained { (&before, &after) } else { (&after, &before) };
        tx.active_users.iter().copied().filter(|viewer| to.contains(*viewer) && !from.contains(*viewer)).collect()
    };
    let is_for_all = [user.email_visibility, visibility].contains(&EmailVisibility::Everyone);
    for (viewers, email) in [(change(tx, true), Some(user.email.clone())), (change(tx, false), None)] {
        if viewers.is_empty() {
            continue;
        }
        let viewers = Audience::of(viewers);
        tx.emit(viewers.clone(), PersonUpdate::DeliveryEmail { user_id: id, delivery_email: email });
        // Whether a client computes the address of a provider's picture by itself follows from what it sees.
        let follows_sight = tx.has(Feature::PicturesBySight);
        if follows_sight && !is_for_all && user.avatar.source == AvatarSource::Provider {
            emit_avatar_to(tx, id, viewers);
        }
    }
    if is_for_all {
        let user = tx.users[&id].clone();
        emit_new_email(tx, &user);
        emit_avatar(tx, id);
    }
}

fn emit_new_email(tx: &mut Tx, user: &User) {
    let update = PersonUpdate::Email { user_id: user.id, new_email: tx.api_email(user) };
    let audience = tx.who_can_access(user.id);
    tx.emit(audience, update);
}

/// Those who may see a user's real address: the user always.
fn who_sees_email(realm: &Realm, user: &User, visibility: EmailVisibility) -> Audience {
    let role = match visibility {
        _ if user.is_bot() => Role::Guest,
        EmailVisibility::Everyone => Role::Guest,
        EmailVisibility::Members => Role::Member,
        EmailVisibility::Moderators => Role::Moderator,
        EmailVisibility::Administrators => Role::Administrator,
        EmailVisibility::Nobody => return Audience::user(user.id),
    };
    if role == Role::Guest {
        return realm.who_can_access(user.id);
    }
    Audience::of(realm.at_least(role)).and(OrdSet::unit(user.id))
}

/// Tells administrators whether somebody lets their private messages be exported.
pub fn emit_export_consent(tx: &mut Tx, user: UserId, consented: bool) {
    let admins = Audience::of(tx.at_least(Role::Administrator));
    tx.emit(admins, RealmExportConsent { user_id: user, consented });
}
