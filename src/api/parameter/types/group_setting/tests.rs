//! Tests of the values that permissions take, and of updates.

use super::*;
use crate::api::parameter::json_parameter;
use crate::realm::id::UserId;
use crate::realm::organization::Organization;
use crate::realm::permission::{GROUP_PERMISSIONS, REALM_PERMISSIONS, setting_named};
use crate::realm::tx::Tx;
use crate::realm::user::{Avatar, AvatarSource, EmailVisibility, Role, User};
use crate::time::Timestamp;
use imbl::{OrdMap, OrdSet};
use std::collections::BTreeSet;

const MEL: UserId = UserId(1);
const DEACTIVATED_USER: UserId = UserId(2);
const BAND: GroupId = GroupId(20);
const DEACTIVATED_GROUP: GroupId = GroupId(21);

fn now() -> Timestamp {
    Timestamp::parse("2026-01-01T12:00:00Z").expect("well-formed")
}

/// A realm with two users and two groups, one of each deactivated.
fn realm() -> Realm {
    let organization = Organization {
        id: 1,
        uuid: String::new(),
        name: String::new(),
        description: String::new(),
        rendered_description: String::new(),
        host: "chat.example.com".into(),
        subdomain: String::new(),
        is_deactivated: false,
        date_created: now(),
        settings: OrdMap::new(),
        permissions: Permissions::new(),
        new_channel_announcements: None,
        signup_announcements: None,
        service_update_announcements: None,
        moderation_requests: None,
        disabled_authentication_methods: std::collections::BTreeSet::new(),
        login_services: Vec::new(),
        proxies_pictures: true,
        domains: Vec::new(),
        playgrounds: Vec::new(),
        default_channel_groups: Vec::new(),
        pictures: std::collections::BTreeMap::new(),
        user_defaults: OrdMap::new(),
    };
    let mut tx = Tx::new(Realm::new(organization, now(), 1));
    tx.add_user(user(MEL, true));
    tx.add_user(user(DEACTIVATED_USER, false));
    for (id, is_deactivated) in [(BAND, false), (DEACTIVATED_GROUP, true)] {
        let group = Group {
            id,
            name: format!("group {id}"),
            description: String::new(),
            members: OrdSet::new(),
            subgroups: OrdSet::new(),
            creator: None,
            date_created: None,
            system: None,
            is_deactivated,
            permissions: Permissions::new(),
        };
        tx.realm_mut().groups.insert(id, group.into());
    }
    tx.into_realm()
}

fn user(id: UserId, is_active: bool) -> User {
    User {
        id,
        email: format!("user{id}@example.com"),
        full_name: String::new(),
        role: Role::Member,
        is_active,
        is_imported_stub: false,
        is_deleted: false,
        bot: None,
        date_joined: now(),
        joins_at_first_login: false,
        timezone: String::new(),
        avatar: Avatar { source: AvatarSource::Provider, version: 1 },
        email_visibility: EmailVisibility::Everyone,
        api_key: format!("key {id}"),
        password: None,
        can_create_users: false,
        profile: OrdMap::new(),
        cached_json: Default::default(),
    }
}

fn anonymous(members: &[UserId], subgroups: &[GroupId]) -> GroupSettingValue {
    GroupSettingValue::Anonymous(AnonymousGroup {
        direct_members: members.iter().copied().collect(),
        direct_subgroups: BTreeSet::from_iter(subgroups.iter().copied()),
    })
}

fn group_permission(name: &'static str) -> &'static PermissionSetting {
    setting_named(GROUP_PERMISSIONS, name)
}

#[test]
fn an_object_of_one_group_is_that_group_and_an_empty_one_is_nobody() {
    let realm = realm();
    let manage_permission = group_permission("can_manage_group");

    assert_eq!(
        resolve(&realm, i64::MAX, manage_permission, anonymous(&[], &[BAND])),
        Ok(GroupSettingValue::Group(BAND))
    );
    let nobody = GroupSettingValue::Group(realm.system_group(SystemGroup::Nobody));
    assert_eq!(resolve(&realm, i64::MAX, manage_permission, anonymous(&[], &[])), Ok(nobody));
    let user_and_group = anonymous(&[MEL], &[BAND]);
    assert_eq!(resolve(&realm, i64::MAX, manage_permission, user_and_group.clone()), Ok(user_and_group));
}

#[test]
fn unknown_and_deactivated_groups_are_refused() {
    let realm = realm();
    let manage_permission = group_permission("can_manage_group");
    let as_group = |id| resolve(&realm, i64::MAX, manage_permission, GroupSettingValue::Group(id)).unwrap_err();

    assert_eq!(as_group(GroupId(99)), Error::InvalidGroup);
    assert_eq!(as_group(DEACTIVATED_GROUP), Error::GroupDeactivated);
    let as_subgroup = |id| resolve(&realm, i64::MAX, manage_permission, anonymous(&[MEL], &[BAND, id])).unwrap_err();
    assert_eq!(as_subgroup(GroupId(99)), Error::InvalidGroupId { group_id: 99.into() });
    assert_eq!(as_subgroup(DEACTIVATED_GROUP), Error::GroupDeactivated);

    let as_only_subgroup =
        |level| resolve(&realm, level, manage_permission, anonymous(&[], &[GroupId(99)])).unwrap_err();
    assert_eq!(as_only_subgroup(496), Error::InvalidGroup);
    assert_eq!(as_only_subgroup(497), Error::InvalidGroupId { group_id: 99.into() });
}

#[test]
fn unknown_and_deactivated_users_are_refused() {
    let realm = realm();
    let manage_permission = group_permission("can_manage_group");
    let as_member =
        |id| resolve(&realm, i64::MAX, manage_permission, anonymous(&[MEL, id], &[GroupId(99)])).unwrap_err();

    assert_eq!(as_member(UserId(99)), Error::InvalidUserId { user_id: 99.into() });
    assert_eq!(as_member(DEACTIVATED_USER), Error::InvalidUserId { user_id: DEACTIVATED_USER.0.into() });
}

#[test]
fn some_system_groups_cannot_hold_some_permissions() {
    let realm = realm();
    let grant = |setting: &PermissionSetting, group: SystemGroup| {
        resolve(&realm, i64::MAX, setting, GroupSettingValue::Group(realm.system_group(group))).map(|_| ())
    };
    let disallowed =
        |setting: &str, group: &str| Err(Error::DisallowedGroup { setting: setting.into(), group: group.into() });

    let (manage_permission, mention_permission) =
        (group_permission("can_manage_group"), group_permission("can_mention_group"));
    assert_eq!(grant(manage_permission, SystemGroup::Internet), disallowed("can_manage_group", "role:internet"));
    assert_eq!(grant(manage_permission, SystemGroup::Everyone), disallowed("can_manage_group", "role:everyone"));
    assert_eq!(grant(manage_permission, SystemGroup::Nobody), Ok(()));
    assert_eq!(grant(mention_permission, SystemGroup::Internet), disallowed("can_mention_group", "role:internet"));
    assert_eq!(grant(mention_permission, SystemGroup::Everyone), Ok(()));
    let manage_all_permission = setting_named(REALM_PERMISSIONS, "can_manage_all_groups");
    assert_eq!(grant(manage_all_permission, SystemGroup::Nobody), disallowed("can_manage_all_groups", "role:nobody"));
}

#[test]
fn only_system_groups_can_hold_some_permissions() {
    let realm = realm();
    let setting = setting_named(REALM_PERMISSIONS, "can_create_web_public_channel_group");
    let expected_error = Error::SystemGroupRequired { setting_name: setting.name.into() };

    assert_eq!(resolve(&realm, i64::MAX, setting, GroupSettingValue::Group(BAND)), Err(expected_error.clone()));
    assert_eq!(resolve(&realm, i64::MAX, setting, anonymous(&[MEL], &[])), Err(expected_error));
}

#[test]
fn an_outdated_old_value_is_refused_even_if_the_new_value_is_current() {
    let realm = realm();
    let current = GroupSettingValue::Group(BAND);
    let update = |new: &GroupSettingValue, old: Option<GroupSettingValue>| {
        let update = GroupSettingUpdate { new: new.clone(), old };
        resolve_update(&realm, i64::MAX, group_permission("can_manage_group"), &current, update)
    };

    let mismatch = Err(Error::ExpectationMismatch { field_name: "old".into() });
    assert_eq!(update(&current, Some(anonymous(&[MEL], &[]))), mismatch);
    assert_eq!(update(&current, Some(anonymous(&[], &[BAND]))), Ok(None));
    assert_eq!(update(&anonymous(&[], &[BAND]), None), Ok(None));
    let new = anonymous(&[MEL], &[BAND]);
    assert_eq!(update(&new, Some(current.clone())), Ok(Some(new.clone())));
}

#[test]
fn malformed_updates_are_refused_with_the_place_of_the_error() {
    let problem = |text: &str| json_parameter::<GroupSettingUpdate>(text, "can_join_group").unwrap_err().message();

    assert_eq!(problem("{\"old\": 1}"), "can_join_group[\"new\"] field is missing: Field required");
    assert_eq!(problem("{\"new\": 1, \"newer\": 2}"), "Argument \"newer\" at can_join_group is unexpected");
    assert_eq!(problem("{\"new\": {\"direct_members\": []}}"), "can_join_group[\"new\"][\"int\"] is not an integer");
}
