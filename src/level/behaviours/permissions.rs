//! Behaviours of permissions: former policies instead of groups, and named groups instead of anonymous ones.

use crate::api::parameter::types::group_setting::resolve;
use crate::error::Error;
use crate::level::objects::{CHANNEL, CHANNEL_PERMISSIONS, GROUP, PERMISSION, REALM_PERMISSIONS, REGISTER_REPLY};
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext, Request};
use crate::realm::Realm;
use crate::realm::group::SystemGroup;
use crate::realm::id::GroupId;
use crate::realm::permission::{self, GroupSettingValue, setting_named};
use serde_json::{Value, json};

const CHANNEL_PERMISSION_ROUTES: &[&str] = &["POST /users/me/subscriptions", "PATCH /streams/{stream_id}"];
const GROUP_PERMISSION_ROUTES: &[&str] = &["POST /user_groups/create", "PATCH /user_groups/{user_group_id}"];

const ANONYMOUS_GROUP_DESCRIPTION: &str = "The value may be an anonymous group of users and groups; before, only a group's ID. Older levels show the ID of the default group instead of an anonymous one.";
const ANONYMOUS_GROUP_TEST: &str = "permissions_were_held_by_named_groups";

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 427,
        subject: "supported permission setting",
        description: "`default_group_name` may be `channel_creator`; before, its name was `stream_creator_or_nobody`.",
        test: "channel_creators_had_another_name_before_427",
        downgrade: Downgrade::Objects(&PERMISSION, ChangedFields::Values, |setting, _| {
            if setting.get("default_group_name").is_some_and(|name| name == "channel_creator") {
                setting.insert("default_group_name".into(), "stream_creator_or_nobody".into());
            }
        }),
    },
    Behaviour {
        level: 299,
        subject: "supported permission setting",
        description: "`default_group_name` may be `group_creator`; before, its name was `stream_creator_or_nobody`.",
        test: "group_creators_had_another_name_before_299",
        downgrade: Downgrade::Objects(&PERMISSION, ChangedFields::Values, |setting, _| {
            if setting.get("default_group_name").is_some_and(|name| name == "group_creator") {
                setting.insert("default_group_name".into(), "stream_creator_or_nobody".into());
            }
        }),
    },
    Behaviour {
        level: 326,
        subject: "supported permission setting",
        description: "No longer has `id_field_name` and `allow_owners_group`.",
        test: "supported_permissions_named_their_fields_before_326",
        downgrade: Downgrade::Objects(
            &REGISTER_REPLY,
            ChangedFields::Fields(&["server_supported_permission_settings"]),
            |reply, _| {
                let supported_settings =
                    reply.get_mut("server_supported_permission_settings").and_then(Value::as_object_mut);
                for settings in supported_settings.into_iter().flat_map(|kinds| kinds.values_mut()) {
                    for (name, setting) in settings.as_object_mut().into_iter().flatten() {
                        let Some(setting) = setting.as_object_mut() else { continue };
                        setting.insert("id_field_name".into(), format!("{name}_id").into());
                        let allows_owners = name == "can_create_web_public_channel_group";
                        setting.insert("allow_owners_group".into(), allows_owners.into());
                    }
                }
            },
        ),
    },
    Behaviour {
        level: 333,
        subject: "POST /users/me/subscriptions, PATCH /streams/{stream_id}",
        description: "`can_send_message_group` decides who may post; before, `stream_post_policy` (from 1 on) or `is_announcement_only` did.",
        test: "posting_had_policies_before_333",
        downgrade: Downgrade::RequestChange(CHANNEL_PERMISSION_ROUTES, convert_posting_policy),
    },
    Behaviour {
        level: 270,
        subject: "errors where a system group has to hold a permission",
        description: "Their code is SYSTEM_GROUP_REQUIRED; before, BAD_REQUEST.",
        test: "some_permissions_required_system_groups",
        downgrade: Downgrade::Code { errors: &["SystemGroupRequired"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 320,
        subject: "supported permission settings of channels: can_remove_subscribers_group",
        description: "May be any group; before, only a system group other than `role:nobody`.",
        test: "some_permissions_required_system_groups",
        downgrade: Downgrade::Objects(&CHANNEL_PERMISSIONS, ChangedFields::Values, |settings, _| {
            if let Some(setting) = settings.get_mut(CAN_REMOVE_SUBSCRIBERS).and_then(Value::as_object_mut) {
                setting.insert("require_system_group".into(), true.into());
                setting.insert("allow_nobody_group".into(), false.into());
            }
        }),
    },
    Behaviour {
        level: 314,
        subject: "supported permission settings of the organization: create_multiuse_invite_group",
        description: "May be any group; before, only a system group.",
        test: "some_permissions_required_system_groups",
        downgrade: Downgrade::Objects(&REALM_PERMISSIONS, ChangedFields::Values, |settings, _| {
            if let Some(setting) = settings.get_mut("create_multiuse_invite_group").and_then(Value::as_object_mut) {
                setting.insert("require_system_group".into(), true.into());
            }
        }),
    },
    Behaviour {
        level: 320,
        subject: "channel: can_remove_subscribers_group",
        description: ANONYMOUS_GROUP_DESCRIPTION,
        test: ANONYMOUS_GROUP_TEST,
        downgrade: Downgrade::Objects(&CHANNEL, ChangedFields::Values, |channel, context| {
            replace_anonymous_group(
                channel.get_mut(CAN_REMOVE_SUBSCRIBERS),
                context.realm,
                SystemGroup::Administrators,
            );
        }),
    },
    Behaviour {
        level: 320,
        subject: "POST /users/me/subscriptions, PATCH /streams/{stream_id}: can_remove_subscribers_group",
        description: "The value may be an anonymous group of users and groups, and is `new` in an object when a channel is changed; before, a group's ID.",
        test: ANONYMOUS_GROUP_TEST,
        downgrade: Downgrade::RequestChange(CHANNEL_PERMISSION_ROUTES, |request| {
            refuse_anonymous_group(request, CAN_REMOVE_SUBSCRIBERS)?;
            if changes_channel(request) {
                wrap_in_object(request, CAN_REMOVE_SUBSCRIBERS, CHANNEL_PARAMETERS_STRICT_SINCE);
                return Ok(());
            }
            replace_boolean_with_number(request, CAN_REMOVE_SUBSCRIBERS, CHANNEL_PARAMETERS_STRICT_SINCE);
            // The group is checked even if no channel is created.
            let group =
                request.values.get(CAN_REMOVE_SUBSCRIBERS).and_then(|text| text.trim().parse().ok()).map(GroupId);
            let definition = setting_named(permission::CHANNEL_PERMISSIONS, CAN_REMOVE_SUBSCRIBERS);
            let (realm, level) = (request.realm, request.level);
            group.map_or(Ok(()), |group| resolve(realm, level, definition, GroupSettingValue::Group(group)).map(drop))
        }),
    },
    Behaviour {
        level: 314,
        subject: "PATCH /realm: can_access_all_users_group, create_multiuse_invite_group",
        description: "The value is `new` in an object; before, a group's ID.",
        test: "some_permissions_of_the_organization_were_numbers_before_314",
        downgrade: Downgrade::RequestChange(&["PATCH /realm"], |request| {
            for name in ["can_access_all_users_group", "create_multiuse_invite_group"] {
                refuse_anonymous_group(request, name)?;
                wrap_in_object(request, name, ORGANIZATION_PARAMETERS_STRICT_SINCE);
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 314,
        subject: "register reply: realm_create_multiuse_invite_group",
        description: ANONYMOUS_GROUP_DESCRIPTION,
        test: ANONYMOUS_GROUP_TEST,
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, context| {
            replace_anonymous_group(
                reply.get_mut("realm_create_multiuse_invite_group"),
                context.realm,
                SystemGroup::Administrators,
            );
        }),
    },
    Behaviour {
        level: 258,
        subject: "user group: can_mention_group",
        description: ANONYMOUS_GROUP_DESCRIPTION,
        test: ANONYMOUS_GROUP_TEST,
        downgrade: Downgrade::Objects(&GROUP, ChangedFields::Values, |group, context| {
            replace_anonymous_group(group.get_mut(CAN_MENTION), context.realm, SystemGroup::Everyone);
        }),
    },
    Behaviour {
        level: 258,
        subject: "POST /user_groups/create, PATCH /user_groups/{user_group_id}: can_mention_group",
        description: "The value may be an anonymous group of users and groups; before, a group's ID.",
        test: ANONYMOUS_GROUP_TEST,
        downgrade: Downgrade::RequestChange(GROUP_PERMISSION_ROUTES, |request| {
            replace_boolean_with_number(request, CAN_MENTION, 259);
            refuse_anonymous_group(request, CAN_MENTION)
        }),
    },
];

/// The first level at which the operations on channels refuse booleans for numbers.
const CHANNEL_PARAMETERS_STRICT_SINCE: i64 = 274;
/// The first level at which `PATCH /realm` refuses booleans for numbers.
const ORGANIZATION_PARAMETERS_STRICT_SINCE: i64 = 261;

const CAN_REMOVE_SUBSCRIBERS: &str = "can_remove_subscribers_group";
const CAN_MENTION: &str = "can_mention_group";

/// Replaces an anonymous group with a system group.
fn replace_anonymous_group(holder: Option<&mut Value>, realm: &Realm, default: SystemGroup) {
    if let Some(holder) = holder.filter(|holder| holder.is_object()) {
        *holder = json!(realm.system_group(default));
    }
}

/// Refuses an anonymous group as the holder of a permission.
fn refuse_anonymous_group(request: &Request<'_>, name: &str) -> Result<(), Error> {
    let Some(text) = request.values.get(name) else { return Ok(()) };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Ok(()) };
    let holder = value.get("new").unwrap_or(&value);
    if holder.is_object() { Err(Error::bad_value(name, "is not an integer")) } else { Ok(()) }
}

/// Replaces `true` with `1` and `false` with `0` below `strict_since`, the level from which on booleans are refused.
fn replace_boolean_with_number(request: &mut Request<'_>, name: &str, strict_since: i64) {
    if request.level < strict_since
        && let Some(text) = request.values.get_mut(name)
    {
        match text.trim() {
            "true" => "1".clone_into(text),
            "false" => "0".clone_into(text),
            _ => {}
        }
    }
}

/// Replaces `4` with `{"new": 4}`. Below `strict_since`, booleans count as numbers.
fn wrap_in_object(request: &mut Request<'_>, name: &str, strict_since: i64) {
    replace_boolean_with_number(request, name, strict_since);
    if let Some(text) = request.values.get_mut(name).filter(|text| text.trim().parse::<i64>().is_ok()) {
        *text = format!("{{\"new\": {}}}", text.trim());
    }
}

/// Whether the operation changes an existing channel; false for one that may create channels.
fn changes_channel(request: &Request<'_>) -> bool {
    request.path_id("stream_id").is_some()
}

fn convert_posting_policy(request: &mut Request<'_>) -> Result<(), Error> {
    let announcement_text = request.values.remove("is_announcement_only");
    let is_announcement_only =
        announcement_text.map(|text| parse_boolean(&text, "is_announcement_only")).transpose()?;
    let policy_text = request.values.remove("stream_post_policy").filter(|_| request.level >= 1);
    let policy = policy_text.map(|text| parse_integer(&text, "stream_post_policy", request.level)).transpose()?;
    if policy.is_some_and(|policy| !(1..=4).contains(&policy)) {
        return Err(Error::InvalidValue { parameter: "stream_post_policy".into() });
    }
    // When a channel is changed, `is_announcement_only` takes precedence.
    let policy = policy.filter(|_| is_announcement_only.is_none() || !changes_channel(request));
    let holder = match (policy, is_announcement_only) {
        (Some(1), _) | (None, Some(false)) => SystemGroup::Everyone,
        (Some(2), _) | (None, Some(true)) => SystemGroup::Administrators,
        (Some(3), _) => SystemGroup::FullMembers,
        (Some(_), _) => SystemGroup::Moderators,
        (None, None) => return Ok(()),
    };
    let holder = request.realm.system_group(holder).to_string();
    request.values.insert("can_send_message_group".into(), holder);
    if changes_channel(request) {
        wrap_in_object(request, "can_send_message_group", CHANNEL_PARAMETERS_STRICT_SINCE);
    }
    Ok(())
}

fn parse_boolean(text: &str, name: &str) -> Result<bool, Error> {
    match serde_json::from_str(text) {
        Ok(Value::Bool(value)) => Ok(value),
        Ok(_) => Err(Error::bad_value(name, "is not a boolean")),
        Err(_) => Err(Error::bad_value(name, "is not valid JSON")),
    }
}

fn parse_integer(text: &str, name: &str, level: i64) -> Result<i64, Error> {
    match serde_json::from_str(text) {
        Ok(Value::Bool(value)) if level < CHANNEL_PARAMETERS_STRICT_SINCE => Ok(i64::from(value)),
        Ok(Value::Number(number)) if number.is_i64() => Ok(number.as_i64().unwrap_or_default()),
        Ok(_) => Err(Error::bad_value(name, "is not an integer")),
        Err(_) => Err(Error::bad_value(name, "is not valid JSON")),
    }
}

/// The number of the policy that corresponds to the holder of a permission: 1 members, 2 administrators, 3 full
/// members, 4 moderators, 5 everyone, 6 nobody, 7 owners.
pub(in crate::level) fn number_for_permission(context: &DowngradeContext<'_>, permission: &str) -> Value {
    json!(crate::api::organization::policies::common_number_of(context.realm, permission))
}

/// The value of a boolean that a policy replaced: whether only administrators have a permission.
pub(in crate::level) fn is_for_administrators(context: &DowngradeContext<'_>, permission: &str) -> Value {
    json!(crate::api::organization::policies::common_number_of(context.realm, permission) == 2)
}
