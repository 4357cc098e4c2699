//! Changes of an account's name, role, avatar, email address and email visibility, each with its events.

use crate::api::changes::users::bot::emit_bot_account_field;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::group::SystemGroup;
use crate::realm::id::{GroupId, UserId};
use crate::realm::tx::Tx;
use crate::realm::user::{AvatarSource, EmailVisibility, Role, User};
use crate::realm::visibility::VisibleKind;
use crate::record::avatar::{AvatarSize, avatar_url};
use crate::record::events::{MemberChange, PersonUpdate};
use imbl::OrdSet;
use serde_json::json;

/// Renames a user.
///
/// Events: `realm_user` update to everyone who can access the user; for bots also that of [`emit_bot_account_field`].
pub fn change_name(tx: &mut Tx, id: UserId, full_name: String) {
    tx.user_mut(id).full_name.clone_from(&full_name);
    let audience = tx.audience_with_access_to(id);
    tx.emit(audience, PersonUpdate::Name { user_id: id, full_name });
    emit_bot_account_field(tx, id, "full_name", |_, bot| json!(bot.full_name));
}

/// Changes the role of a user, which also changes the user's system groups, and which channels and users the user can
/// see.
///
/// Events: `realm_user` update to everyone who can access the user; `user_group` remove_members and add_members to
/// everyone; then those of [`VisibleKind::Users`] and [`VisibleKind::Channels`].
pub fn change_role(tx: &mut Tx, id: UserId, role: Role) {
    let before = tx.realm_copy();
    let left_groups = tx.leave_system_groups(id);
    tx.user_mut(id).role = role;
    let entered_groups = tx.join_role_groups(id, role);
    tx.schedule_full_membership(id);
    let audience = tx.audience_with_access_to(id);
    tx.emit(audience, PersonUpdate::Role { user_id: id, role: role.number() });
    // The real server sends the events of the full members' group after those of the roles' groups.
    let full_members = tx.system_group(SystemGroup::FullMembers);
    for selects_full_members in [false, true] {
        let is_changed = |group: &&GroupId, others: &[GroupId]| {
            (**group == full_members) == selects_full_members && !others.contains(group)
        };
        emit_member_changes(
            tx,
            id,
            MemberChange::Remove,
            left_groups.iter().filter(|group| is_changed(group, &entered_groups)),
        );
        emit_member_changes(
            tx,
            id,
            MemberChange::Add,
            entered_groups.iter().filter(|group| is_changed(group, &left_groups)),
        );
    }
    tx.emit_visibility(&before, &[VisibleKind::Users, VisibleKind::Channels]);
}

fn emit_member_changes<'ids>(
    tx: &mut Tx,
    id: UserId,
    change: MemberChange,
    groups: impl Iterator<Item = &'ids GroupId>,
) {
    for group in groups {
        tx.emit_member_change(change, *group, [id]);
    }
}

/// Replaces a user's avatar, or with [`AvatarSource::Provider`] removes the uploaded one.
///
/// Events: `realm_user` update to everyone who can access the user; for bots also that of [`emit_bot_account_field`].
pub fn change_avatar(tx: &mut Tx, id: UserId, source: AvatarSource) {
    let avatar = &mut tx.user_mut(id).avatar;
    avatar.source = source;
    avatar.version += 1;
    emit_avatar(tx, id);
}

fn emit_avatar(tx: &mut Tx, id: UserId) {
    emit_bot_account_field(tx, id, "avatar_url", |realm, bot| json!(avatar_url(realm, bot, AvatarSize::Small)));
    let audience = tx.audience_with_access_to(id);
    emit_avatar_to(tx, id, audience);
}

fn emit_avatar_to(tx: &mut Tx, id: UserId, audience: Audience) {
    let user = &tx.users[&id];
    let update = PersonUpdate::Avatar {
        user_id: id,
        avatar_source: user.avatar.source.letter(),
        avatar_url: avatar_url(tx, user, AvatarSize::Small),
        avatar_url_medium: avatar_url(tx, user, AvatarSize::Medium),
        avatar_version: user.avatar.version,
    };
    tx.emit(audience, update);
}

/// Changes a user's email address. The caller has checked that no other user has it.
///
/// Events: `realm_user` update with `delivery_email` to those who can see the real address. If everyone can, also
/// `realm_user` update with `new_email` to everyone who can access the user. If the URL of the avatar is derived from
/// the address, also those of [`change_avatar`].
pub fn change_email(tx: &mut Tx, id: UserId, email: String) {
    let old_email = std::mem::replace(&mut tx.user_mut(id).email, email.clone());
    let realm = tx.realm_mut();
    realm.users_by_email.remove(&old_email.to_lowercase());
    realm.users_by_email.insert(email.to_lowercase(), id);
    let user = tx.users[&id].clone();
    let audience = email_audience(tx, &user, user.email_visibility);
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
/// Events: `realm_user` update with `delivery_email` to those who gain or lose (null) access to the address. If the API
/// address changes between the real one and a dummy, also `realm_user` update with `new_email`, and another with the
/// avatar, to everyone who can access the user. Otherwise, from 497 on, `realm_user` update with the avatar, if it is
/// the provider's, to those who gain or lose access to the address.
pub fn change_email_visibility(tx: &mut Tx, id: UserId, visibility: EmailVisibility) {
    let user = tx.users[&id].clone();
    let previous_audience = email_audience(tx, &user, user.email_visibility);
    let new_audience = email_audience(tx, &user, visibility);
    tx.user_mut(id).email_visibility = visibility;
    let viewers_only_in_larger = |tx: &Tx, larger: &Audience, smaller: &Audience| -> OrdSet<UserId> {
        let viewers = tx.active_users.iter().copied();
        viewers.filter(|viewer| larger.contains(*viewer) && !smaller.contains(*viewer)).collect()
    };
    let involves_everyone = [user.email_visibility, visibility].contains(&EmailVisibility::Everyone);
    let gaining_viewers = viewers_only_in_larger(tx, &new_audience, &previous_audience);
    let losing_viewers = viewers_only_in_larger(tx, &previous_audience, &new_audience);
    for (viewers, email) in [(gaining_viewers, Some(user.email.clone())), (losing_viewers, None)] {
        if viewers.is_empty() {
            continue;
        }
        let viewers = Audience::of_users(viewers);
        tx.emit(viewers.clone(), PersonUpdate::DeliveryEmail { user_id: id, delivery_email: email });
        // Clients that can see the email address compute the URL of the provider's picture themselves.
        let depends_on_visibility = tx.has(Feature::AvatarsByEmailVisibility);
        if depends_on_visibility && !involves_everyone && user.avatar.source == AvatarSource::Provider {
            emit_avatar_to(tx, id, viewers);
        }
    }
    if involves_everyone {
        let user = tx.users[&id].clone();
        emit_new_email(tx, &user);
        emit_avatar(tx, id);
    }
}

fn emit_new_email(tx: &mut Tx, user: &User) {
    let update = PersonUpdate::Email { user_id: user.id, new_email: tx.api_email(user) };
    let audience = tx.audience_with_access_to(user.id);
    tx.emit(audience, update);
}

/// The users who can see a user's real email address with this visibility. The user is always among them.
fn email_audience(realm: &Realm, user: &User, visibility: EmailVisibility) -> Audience {
    let role = match visibility {
        _ if user.is_bot() => Role::Guest,
        EmailVisibility::Everyone => Role::Guest,
        EmailVisibility::Members => Role::Member,
        EmailVisibility::Moderators => Role::Moderator,
        EmailVisibility::Administrators => Role::Administrator,
        EmailVisibility::Nobody => return Audience::of_user(user.id),
    };
    if role == Role::Guest {
        return realm.audience_with_access_to(user.id);
    }
    Audience::of_users(realm.users_with_role_or_higher(role)).with_users(OrdSet::unit(user.id))
}
