//! The parameters of operations that were added, renamed or removed at a level, with capabilities of clients and terms
//! of narrows.

use super::fields::{CHANNEL_SETTINGS_SINCE, GROUP_PERMISSIONS_SINCE, SETTINGS_SINCE, organization_settings_since};
use super::{Change, ChangeKind, SPECIFIED_LEVEL};
use crate::api::OPERATIONS;
use crate::api::changes::settings::legacy;
use crate::api::organization::policies::POLICIES;
use crate::api::parameter::Parameters;
use crate::api::parameter::types::user_settings::{SettingsParams, UserDefaultsParams};
use crate::realm::channel_boolean_setting::CHANNEL_BOOLEAN_SETTINGS_SINCE;

/// Pairs of a level and the parameter that it added. Assumed levels are listed in A-100.
type ParameterLevels = &'static [(i64, &'static str)];

/// The operations that create and change channels. Each takes all settings of a channel.
const CHANNEL_ROUTES: &[&str] =
    &["PATCH /streams/{stream_id}", "POST /channels/create", "POST /users/me/subscriptions"];
/// The operations that create and change groups. Each takes all permissions of a group.
const GROUP_ROUTES: &[&str] = &["POST /user_groups/create", "PATCH /user_groups/{user_group_id}"];

const SETTINGS_ROUTE: &str = "PATCH /settings";
const DISPLAY_SETTINGS_ROUTE: &str = "PATCH /settings/display";
const NOTIFICATION_SETTINGS_ROUTE: &str = "PATCH /settings/notifications";

/// The first level at which each of the three operations takes the settings of all.
const SETTINGS_MERGED_AT: i64 = 80;
/// The first level at which the three operations take `enter_sends`, which a separate operation changed before.
const ENTER_SENDS_SINCE: i64 = 81;
/// The first level with `target_users`.
const TARGET_USERS_SINCE: i64 = 444;

/// New parameters of operations that share a struct of parameters with other operations. The declarations of operations
/// have the levels of other parameters, except for settings and permissions, whose levels are in the tables of fields.
static PARAMETERS: &[(&str, ParameterLevels)] = &[
    ("POST /typing", &[(58, "type")]),
    ("POST /channels/create", &[(17, "message_retention_days")]),
    (
        "POST /users/me/subscriptions",
        &[(200, "is_default_stream"), (98, "is_web_public"), (17, "message_retention_days")],
    ),
    // The level is assumed.
    ("PATCH /realm", &[(SPECIFIED_LEVEL, "presence_disabled")]),
];

/// Renamed parameters: level, operation, old name, the first level with the old name, new name. Those of structs that
/// no operations share are in the declarations of the operations.
static RENAMED: &[(i64, &str, &str, i64, &str)] = &[
    (453, "PATCH /realm", "giphy_rating", 55, "gif_rating_policy"),
    (392, "PATCH /realm", "mandatory_topics", 0, "topics_policy"),
    (358, "PATCH /realm", "allow_edit_history", 0, "message_edit_history_visibility_policy"),
    (241, "PATCH /realm", "notifications_stream_id", 0, "new_stream_announcements_stream_id"),
    (241, "PATCH /realm", "signup_notifications_stream_id", 0, "signup_announcements_stream_id"),
    (219, SETTINGS_ROUTE, "default_view", SETTINGS_MERGED_AT, "web_home_view"),
    (219, DISPLAY_SETTINGS_ROUTE, "default_view", 42, "web_home_view"),
    (219, NOTIFICATION_SETTINGS_ROUTE, "default_view", SETTINGS_MERGED_AT, "web_home_view"),
    (219, SETTINGS_ROUTE, "escape_navigates_to_default_view", 107, "web_escape_navigates_to_home_view"),
    (219, DISPLAY_SETTINGS_ROUTE, "escape_navigates_to_default_view", 107, "web_escape_navigates_to_home_view"),
    (219, NOTIFICATION_SETTINGS_ROUTE, "escape_navigates_to_default_view", 107, "web_escape_navigates_to_home_view"),
    (219, "PATCH /realm/user_settings_defaults", "default_view", 96, "web_home_view"),
    (
        219,
        "PATCH /realm/user_settings_defaults",
        "escape_navigates_to_default_view",
        107,
        "web_escape_navigates_to_home_view",
    ),
    (
        168,
        SETTINGS_ROUTE,
        "realm_name_in_notifications",
        SETTINGS_MERGED_AT,
        "realm_name_in_email_notifications_policy",
    ),
    (
        168,
        DISPLAY_SETTINGS_ROUTE,
        "realm_name_in_notifications",
        SETTINGS_MERGED_AT,
        "realm_name_in_email_notifications_policy",
    ),
    (168, NOTIFICATION_SETTINGS_ROUTE, "realm_name_in_notifications", 0, "realm_name_in_email_notifications_policy"),
    (
        168,
        "PATCH /realm/user_settings_defaults",
        "realm_name_in_notifications",
        96,
        "realm_name_in_email_notifications_policy",
    ),
    (198, "POST /user_groups/create", "can_mention_group_id", 191, "can_mention_group"),
    (198, "PATCH /user_groups/{user_group_id}", "can_mention_group_id", 191, "can_mention_group"),
    (197, "POST /users/me/subscriptions", "can_remove_subscribers_group_id", 161, "can_remove_subscribers_group"),
    (197, "PATCH /streams/{stream_id}", "can_remove_subscribers_group_id", 161, "can_remove_subscribers_group"),
    (21, DISPLAY_SETTINGS_ROUTE, "night_mode", 0, "color_scheme"),
];

/// Removed parameters: level, operation, name, the first level with the parameter.
static REMOVED: &[(i64, &str, &str, i64)] = &[
    (184, "POST /scheduled_messages", "scheduled_message_id", 179),
    (364, "PATCH /realm/user_settings_defaults", "dense_mode", 96),
    (364, SETTINGS_ROUTE, "dense_mode", SETTINGS_MERGED_AT),
    (364, DISPLAY_SETTINGS_ROUTE, "dense_mode", 0),
    (364, NOTIFICATION_SETTINGS_ROUTE, "dense_mode", SETTINGS_MERGED_AT),
];

/// Whether a user setting was removed at this level or before.
pub(super) fn is_removed_setting(name: &str, level: i64) -> bool {
    REMOVED.iter().any(|(removed_at, route, removed_name, _)| {
        *route == SETTINGS_ROUTE && *removed_name == name && *removed_at <= level
    })
}

/// New keys of `client_capabilities`.
static CAPABILITIES: ParameterLevels = &[
    (491, "individual_emoji_changes"),
    (419, "simplified_presence_events"),
    (334, "empty_topic_name"),
    (315, "archived_channels"),
    (294, "include_deactivated_groups"),
    (232, "user_list_incomplete"),
    (176, "linkifier_url_template"),
    (89, "user_settings_object"),
    (58, "stream_typing_notifications"),
    (18, "user_avatar_url_field_optional"),
    (13, "bulk_message_deletion"),
];

/// New terms of narrows: level, operator, and the operand if the operator is older.
static NARROW_TERMS: &[(i64, &str, Option<&str>)] = &[
    (489, "channels", Some("archived")),
    (446, "mentions", None),
    (366, "is", Some("muted")),
    (271, "with", None),
    (265, "is", Some("followed")),
    (250, "channel", None),
    (250, "channels", None),
    (249, "has", Some("reaction")),
    (177, "dm", None),
    (177, "dm-including", None),
    (177, "is", Some("dm")),
];

/// The new parameters of an operation that changes settings.
fn setting_parameter_changes(route: &'static str) -> impl Iterator<Item = Change> {
    let has_no_level = |name: &str| !SETTINGS_SINCE.iter().any(|(_, other)| *other == name);
    // The row of a renamed parameter in the table of renamed ones has the level.
    let was_not_renamed =
        move |name: &str| !RENAMED.iter().any(|(_, renamed_on, .., new)| *renamed_on == route && *new == name);
    let was_taken_before_merge = move |name: &str| match route {
        DISPLAY_SETTINGS_ROUTE => legacy::DISPLAY_SETTINGS.contains(&name),
        NOTIFICATION_SETTINGS_ROUTE => legacy::NOTIFICATION_SETTINGS.contains(&name),
        // `PATCH /settings` always took those of the account.
        _ => ["full_name", "email", "old_password", "new_password"].contains(&name),
    };
    let merged_parameters = SettingsParams::LIST.iter().filter_map(move |info| match info.name {
        "target_users" => Some((TARGET_USERS_SINCE, info.name)),
        "enter_sends" => Some((ENTER_SENDS_SINCE, info.name)),
        name if has_no_level(name) && was_not_renamed(name) && !was_taken_before_merge(name) => {
            Some((SETTINGS_MERGED_AT, name))
        }
        _ => None,
    });
    let rows = SETTINGS_SINCE.iter().copied().chain(merged_parameters);
    rows.map(move |(level, name)| Change { level, kind: ChangeKind::Parameter { route, name } })
}

/// The changes of parameters that the declarations of operations name.
fn declared_changes() -> impl Iterator<Item = Change> {
    OPERATIONS.iter().flat_map(|row| row.parameters.iter().map(move |info| (row.route_text, info))).flat_map(
        |(route, info)| {
            let added = (info.since > 0)
                .then_some(Change { level: info.since, kind: ChangeKind::Parameter { route, name: info.name } });
            let renamed = info.former_names.iter().map(move |former| Change {
                level: former.levels.end,
                kind: ChangeKind::RenamedParameter {
                    route,
                    old: former.name,
                    since: former.levels.start,
                    new: info.name,
                },
            });
            added.into_iter().chain(renamed)
        },
    )
}

pub(super) fn changes() -> Vec<Change> {
    let mut changes = Vec::new();
    let channel_parameters = CHANNEL_ROUTES
        .iter()
        .flat_map(|route| [(*route, CHANNEL_SETTINGS_SINCE), (*route, CHANNEL_BOOLEAN_SETTINGS_SINCE)]);
    let group_parameters = GROUP_ROUTES.iter().map(|route| (*route, GROUP_PERMISSIONS_SINCE));
    for (route, rows) in PARAMETERS.iter().copied().chain(channel_parameters).chain(group_parameters) {
        let parameter =
            |(level, name): &(i64, &'static str)| Change { level: *level, kind: ChangeKind::Parameter { route, name } };
        changes.extend(rows.iter().map(parameter));
    }
    changes.extend(
        [SETTINGS_ROUTE, DISPLAY_SETTINGS_ROUTE, NOTIFICATION_SETTINGS_ROUTE]
            .into_iter()
            .flat_map(setting_parameter_changes),
    );
    let organization_changes = organization_settings_since()
        .map(|(level, name)| Change { level, kind: ChangeKind::Parameter { route: "PATCH /realm", name } });
    changes.extend(organization_changes);
    let is_default = |name: &str| UserDefaultsParams::LIST.iter().any(|info| info.name == name);
    let default_changes = SETTINGS_SINCE.iter().filter(|(_, name)| is_default(name)).map(|(level, name)| Change {
        level: *level,
        kind: ChangeKind::Parameter { route: "PATCH /realm/user_settings_defaults", name },
    });
    changes.extend(default_changes);
    changes.extend(declared_changes());
    changes.extend(RENAMED.iter().map(|(level, route, old, since, new)| Change {
        level: *level,
        kind: ChangeKind::RenamedParameter { route, old, since: *since, new },
    }));
    changes.extend(REMOVED.iter().map(|(level, route, name, since)| Change {
        level: *level,
        kind: ChangeKind::RemovedParameter { route, name, since: *since },
    }));
    changes.extend(POLICIES.iter().map(|policy| Change {
        level: policy.removed_in,
        kind: ChangeKind::RemovedParameter { route: "PATCH /realm", name: policy.name, since: policy.since },
    }));
    changes
        .extend(CAPABILITIES.iter().map(|(level, name)| Change { level: *level, kind: ChangeKind::Capability(name) }));
    changes.extend(NARROW_TERMS.iter().map(|(level, operator, operand)| Change {
        level: *level,
        kind: ChangeKind::NarrowTerm { operator, operand: *operand },
    }));
    changes
}
