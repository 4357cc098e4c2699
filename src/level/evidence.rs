//! The evidence for the level of each change.

use super::behaviours::parameter_parsing;
use crate::feature::Evidence::{self, Between, ChangeLog, Documentation, Source};

/// Evidence other than the change log: the level, the beginning of the row's subject and of its description, and the
/// evidence. The first match counts; otherwise the order has no meaning. For changes without a match, the change log is
/// the evidence.
static OTHER_EVIDENCE: &[(i64, &str, &str, Evidence)] = &[
    (497, "user", "", Documentation),
    (497, "own user", "", Documentation),
    (497, "message: avatar_url", "", Documentation),
    (497, "linkifier", "", Documentation),
    (489, "", "", Documentation),
    (484, "", "", Documentation),
    // The level of the next three rows is assumed.
    (472, "linkifier", "New field `alternative_url_templates`", Between(472, 497)),
    (472, "POST /realm/filters", "", Between(472, 497)),
    (472, "PATCH /realm/filters/{filter_id}", "", Between(472, 497)),
    (464, "", "", Documentation),
    (462, "", "", Documentation),
    (458, "", "", Documentation),
    (450, "", "", Documentation),
    (449, "", "", Documentation),
    (446, "", "", Documentation),
    // The level of the next row is assumed.
    (441, "", "", Between(421, 442)),
    (440, "", "", Documentation),
    (430, "", "", Documentation),
    (427, "", "", Documentation),
    (426, "", "", Documentation),
    (417, "PATCH /streams/{stream_id}", "", Documentation),
    (417, "POST /invites", "", Documentation),
    (417, "DELETE and PATCH /users/me/subscriptions", "", Documentation),
    // The level of the next two rows is assumed.
    (497, "POST /users/me/platform_device_token", "Tokens", Between(388, 497)),
    (497, "DELETE /users/me/platform_device_token", "Tokens", Between(388, 497)),
    (388, "PATCH and DELETE /streams/{stream_id}", "CANNOT", Between(388, 442)),
    (368, "register reply, event onboarding_steps", "", Source("2025-03-14")),
    (342, "POST /users/me/subscriptions", "", Source("2025-01-22")),
    (336, "user settings", "By default", Source("2025-01-09")),
    (299, "supported permission setting", "`default_group_name`", Source("2024-10-01")),
    (299, "export", "Times are", Source("2024-10-04")),
    (249, "submessage", "", Source("2024-04-13")),
    (417, "PATCH /streams/{stream_id}, POST", "", Documentation),
    (392, "messages without a topic", "", Between(388, 442)),
    (497, "POST", "", Between(388, 497)),
    (497, "GET", "", Between(388, 497)),
    (497, "DELETE", "", Between(388, 497)),
    (497, "PATCH /realm", "", Between(388, 497)),
    (497, "reply of", "", Between(388, 497)),
    (497, "credentials that are refused", "", Between(388, 497)),
    (497, "a path that", "", Between(388, 497)),
    (497, "some refusals", "", Between(388, 497)),
    (311, "POST /user_groups/{user_group_id}/members without", "", Source("2024-10-17")),
    (274, "PATCH /users/me/subscriptions/{stream_id}", "", Source("2024-07-21")),
    (270, "errors where a system group", "", Source("2024-07-12")),
    (270, "pictures that can't be read", "", Source("2024-07-11")),
    (270, "users in profile fields", "", Source("2024-07-13")),
    (265, "GET /messages, GET /messages/matches_narrow", "A `narrow`", Source("2024-06-20")),
    (261, "reply of PATCH /realm", "", Source("2024-05-22")),
    (259, "POST /user_groups/create", "`members`", Source("2024-05-14")),
    (256, "reply of POST /invites/{invite_id}/resend", "", Source("2024-05-02")),
    (249, "narrows that are refused", "", Source("2024-04-12")),
];

/// The evidence for the level of a row of the table of levels.
pub fn evidence(level: i64, subject: &str, description: &str) -> Evidence {
    // The rows of `parameter_parsing`. Those of `parameter_order` and one of `recorded_requests` begin alike, and came
    // with the same changes of the code.
    if description.starts_with("Parameters are ")
        && let Some(evidence) = parameter_parsing::evidence(level)
    {
        return evidence;
    }
    let entry = OTHER_EVIDENCE.iter().find(|(entry_level, entry_subject, entry_description, _)| {
        *entry_level == level && subject.starts_with(entry_subject) && description.starts_with(entry_description)
    });
    entry.map_or(ChangeLog, |(.., evidence)| *evidence).with_date_read(level)
}

/// Returns the entries of [`OTHER_EVIDENCE`] that match none of these rows of the table of levels. A row is a level, a
/// subject, a description and the evidence.
pub fn unused_entries(rows: &[(i64, &str, &str, Evidence)]) -> Vec<String> {
    let is_used = |(entry_level, entry_subject, entry_description, entry_evidence): &&(i64, &str, &str, Evidence)| {
        let matches = |(level, subject, description, evidence): &(i64, &str, &str, Evidence)| {
            level == entry_level
                && subject.starts_with(entry_subject)
                && description.starts_with(entry_description)
                && evidence == entry_evidence
        };
        rows.iter().any(matches)
    };
    let unused_entries = OTHER_EVIDENCE.iter().filter(|entry| !is_used(entry));
    unused_entries.map(|(level, subject, description, _)| format!("{level} {subject}: {description}")).collect()
}
