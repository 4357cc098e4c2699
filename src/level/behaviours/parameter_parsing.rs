//! The levels at which operations began to parse their parameters in the present way, which is stricter and has other
//! messages. Below, they parse them as in the recordings of a server at level 247 (A-331 in docs/assumptions.md).

use crate::feature::Evidence;
use crate::level::{Behaviour, Downgrade};
use std::sync::LazyLock;

/// A level, the date of the commit in the real server's source that made the change, and the operations that it
/// changed.
type ParsingChange = (i64, &'static str, &'static [&'static str]);

/// Operations that are not listed parse their parameters in the present way at all levels.
pub(super) static PARSING_CHANGES: &[ParsingChange] = &[
    (284, "2024-08-30", &["POST /fetch_api_key", "POST /jwt/fetch_api_key", "POST /dev_fetch_api_key"]),
    (
        283,
        "2024-08-20",
        &[
            "POST /messages",
            "POST /messages/render",
            "POST /zcommand",
            "GET /scheduled_messages",
            "POST /scheduled_messages",
            "PATCH /scheduled_messages/{scheduled_message_id}",
            "DELETE /scheduled_messages/{scheduled_message_id}",
        ],
    ),
    (
        277,
        "2024-07-31",
        &[
            "PATCH /settings",
            "PATCH /settings/display",
            "PATCH /settings/notifications",
            "POST /users/me/enter-sends",
            "POST /users/me/avatar",
            "POST /users/me/api_key/regenerate",
            "POST /register",
            "GET /events",
            "DELETE /events",
            "GET /calls/bigbluebutton/create",
            "POST /calls/zoom/create",
            "GET /user_groups",
            "GET /user_groups/{user_group_id}/members",
            "POST /user_groups/{user_group_id}/members",
            "GET /user_groups/{user_group_id}/members/{user_id}",
            "GET /user_groups/{user_group_id}/subgroups",
            "POST /user_groups/{user_group_id}/subgroups",
        ],
    ),
    (
        274,
        "2024-07-20",
        &[
            "POST /invites",
            "POST /invites/multiuse",
            "POST /invites/{invite_id}/resend",
            "GET /streams",
            "GET /streams/{stream_id}",
            "PATCH /streams/{stream_id}",
            "DELETE /streams/{stream_id}",
            "POST /streams/{stream_id}/delete_topic",
            "GET /streams/{stream_id}/email_address",
            "GET /streams/{stream_id}/members",
            "GET /get_stream_id",
            "GET /users/me/{stream_id}/topics",
            "POST /users/me/subscriptions",
            "DELETE /users/me/subscriptions",
            "GET /users/me/subscriptions",
            "PATCH /users/me/subscriptions",
            "POST /users/me/subscriptions/properties",
            "PATCH /users/me/subscriptions/{stream_id}",
            "POST /default_streams",
            "DELETE /default_streams",
            "POST /default_stream_groups/create",
            "PATCH /default_stream_groups/{group_id}",
            "DELETE /default_stream_groups/{group_id}",
            "PATCH /default_stream_groups/{group_id}/streams",
        ],
    ),
    (
        272,
        "2024-07-15",
        &[
            "PATCH /realm/user_settings_defaults",
            "POST /realm/deactivate",
            "POST /realm/domains",
            "PATCH /realm/domains/{domain}",
            "DELETE /realm/domains/{domain}",
            "POST /realm/emoji/{emoji_name}",
            "DELETE /realm/emoji/{emoji_name}",
            "POST /realm/filters",
            "PATCH /realm/filters/{filter_id}",
            "DELETE /realm/filters/{filter_id}",
            "PATCH /realm/linkifiers",
            "POST /realm/icon",
            "POST /realm/logo",
            "DELETE /realm/logo",
            "POST /realm/playgrounds",
            "DELETE /realm/playgrounds/{playground_id}",
        ],
    ),
    (266, "2024-07-05", &["POST /submessage"]),
    (
        265,
        "2024-06-19",
        &[
            "GET /messages",
            "GET /messages/matches_narrow",
            "PATCH /realm/profile_fields",
            "POST /realm/profile_fields",
            "PATCH /realm/profile_fields/{field_id}",
            "DELETE /realm/profile_fields/{field_id}",
            "PATCH /users/me/profile_data",
            "DELETE /users/me/profile_data",
        ],
    ),
    (
        264,
        "2024-06-14",
        &[
            "POST /typing",
            "POST /users/me/onboarding_steps",
            "PUT /bot_storage",
            "GET /bot_storage",
            "DELETE /bot_storage",
        ],
    ),
    (
        262,
        "2024-06-06",
        &[
            "GET /users",
            "POST /users",
            "GET /users/me",
            "GET /users/{user_id}",
            "PATCH /users/{user_id}",
            "DELETE /users/{user_id}",
            "GET /users/{email}",
            "POST /users/{user_id}/reactivate",
            "GET /users/{user_id}/subscriptions/{stream_id}",
            "POST /bots",
            "PATCH /bots/{bot_id}",
            "POST /bots/{bot_id}/api_key/regenerate",
            "POST /user_topics",
            "PATCH /users/me/subscriptions/muted_topics",
        ],
    ),
    (261, "2024-05-22", &["PATCH /realm"]),
    (259, "2024-05-14", &["POST /user_groups/create", "PATCH /user_groups/{user_group_id}"]),
    (
        254,
        "2024-04-21",
        &[
            "POST /messages/{message_id}/reactions",
            "DELETE /messages/{message_id}/reactions",
            "GET /messages/{message_id}/read_receipts",
            "POST /users/me/platform_device_token",
            "DELETE /users/me/platform_device_token",
            "POST /users/me/android_gcm_reg_id",
            "DELETE /users/me/android_gcm_reg_id",
        ],
    ),
    (
        253,
        "2024-04-20",
        &[
            "POST /messages/flags",
            "POST /messages/flags/narrow",
            "POST /mark_all_as_read",
            "POST /mark_stream_as_read",
            "POST /mark_topic_as_read",
        ],
    ),
];

/// The evidence for the level of a change of parsing; None if no operation changed at this level.
pub fn evidence(level: i64) -> Option<Evidence> {
    PARSING_CHANGES.iter().find(|(since, ..)| *since == level).map(|(_, date, _)| Evidence::Source(date))
}

const DESCRIPTION: &str = "Parameters are read strictly: `true` and `false` are no numbers, and refusals say `x is not valid JSON` and `Invalid x: Value error, Not in the list of possible values`; before, `true` and `false` were 1 and 0, in lists and objects too, and refusals said `Argument \"x\" is not valid JSON.` and `Invalid x`.";

pub(super) fn rows() -> &'static [Behaviour] {
    static ROWS: LazyLock<Vec<Behaviour>> = LazyLock::new(|| {
        let row = |(level, _, routes): &ParsingChange| Behaviour {
            level: *level,
            // Leaked once in a process.
            subject: Box::leak(routes.join(", ").into_boxed_str()),
            description: DESCRIPTION,
            test: "each_operation_parses_parameters_strictly_from_its_own_level_on",
            downgrade: Downgrade::FormerParsing(routes),
        };
        PARSING_CHANGES.iter().map(row).collect()
    });
    &ROWS
}
