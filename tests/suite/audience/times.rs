//! What nobody asks for at the moment: things that fall due, and invitations that are followed.

use super::case::{Case, group};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    const HOUR: i64 = 3_600;
    const DAY: i64 = 24 * HOUR;
    vec![
        Case::when_due(HOUR).sends("message", "mel").sends("reminders remove", "mel"),
        Case::when_due(2 * HOUR)
            .sends("message private", "mel")
            .sends("reminders remove", "mel")
            .sends("message stream", "everyone but out-bot")
            .sends("scheduled_messages remove", "mel"),
        // By then Nora is a full member, too.
        Case::when_due(3 * DAY)
            .sends("message Lunch?", "mel max")
            .sends("message stream", "everyone but out-bot")
            .sends("message private", "mel max")
            .sends("reminders remove", "mel max")
            .sends("scheduled_messages remove", "mel max")
            .sends("user_group add_members", "everyone"),
        // As a full member she may subscribe to a private channel, which she sees from then on.
        Case::when_due(3 * DAY)
            .after("PATCH /streams/{stream_id}", "mona", |s| {
                let full = group(s, "role:fullmembers");
                json!({"stream_id": s.channel("design"), "can_subscribe_group": {"new": full}})
            })
            .sends("message Lunch?", "mel max")
            .sends("message stream", "everyone but out-bot")
            .sends("message private", "mel max")
            .sends("reminders remove", "mel max")
            .sends("scheduled_messages remove", "mel max")
            .sends("user_group add_members", "everyone")
            .sends("stream create", "nora")
            .sends("subscription peer_add", "nora"),
        Case::when_due(600)
            .after("POST /invites/multiuse", "max", |_| json!({"invite_expires_in_minutes": 10}))
            .sends("invites_changed", "olive adam max"),
        Case::when_accepted("expiringlinkkeyaaaaaaaaa")
            .sends("realm_user add", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("subscription peer_add", "everyone")
            .sends("message", "everyone but out-bot"),
        Case::when_accepted("emailinvitekeyaaaaaaaaaa")
            .sends("realm_user add", "everyone")
            .sends("user_group add_members", "everyone")
            .sends("subscription peer_add", "everyone but gus")
            .sends("invites_changed", "olive adam")
            .sends("message", "everyone but out-bot"),
    ]
}
