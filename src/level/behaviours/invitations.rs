//! Invitations.

use crate::api::Access;
use crate::error::Error;
use crate::level::{Act, Behaviour, Request};
use serde_json::Value;

const INVITING: &[&str] = &["POST /invites", "POST /invites/multiuse"];
const MINUTES_A_DAY: i64 = 24 * 60;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 209,
        on: "POST /invites/multiuse, DELETE /invites/multiuse/{invite_id}",
        words: "Open to those with the permission; before, to administrators alone.",
        test: "links_were_for_administrators_before_209",
        act: Act::Also(&["POST /invites/multiuse", "DELETE /invites/multiuse/{invite_id}"], Access::Administrator),
    },
    Behaviour {
        level: 126,
        on: "POST /invites, POST /invites/multiuse",
        words: "`invite_expires_in_minutes` replaces `invite_expires_in_days`.",
        test: "invitations_expired_in_days_before_126",
        act: Act::Request(INVITING, days_to_minutes),
    },
    Behaviour {
        level: 117,
        on: "POST /invites, POST /invites/multiuse",
        words: "`invite_expires_in_days` may be null: the invitation never expires.",
        test: "invitations_always_expired_before_117",
        act: Act::Request(INVITING, |request| {
            match request.values.get("invite_expires_in_days").map(|text| text.trim()) {
                Some("null") if request.level >= 96 => {
                    Err(Error::bad_value("invite_expires_in_days", "is not an integer"))
                }
                _ => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 61,
        on: "POST /invites, POST /invites/multiuse",
        words: "`invite_as` takes 300, moderators.",
        test: "nobody_was_invited_as_moderator_before_61",
        act: Act::Request(INVITING, |request| match request.values.get("invite_as") {
            Some(role) if role == "300" => {
                let reason = "Not in the list of possible values".into();
                Err(Error::InvalidValueBecause { parameter: "invite_as".into(), reason })
            }
            _ => Ok(()),
        }),
    },
    Behaviour {
        level: 96,
        on: "POST /invites, POST /invites/multiuse",
        words: "`invite_expires_in_days` was added; before, nobody could choose.",
        test: "nobody_chose_when_invitations_expire_before_96",
        // The conversion to minutes leaves the parameter alone below this level, so that it counts as unsupported.
        act: Act::Elsewhere,
    },
];

fn days_to_minutes(request: &mut Request<'_>) -> Result<(), Error> {
    if request.level < 96 {
        return Ok(());
    }
    let Some(text) = request.values.remove("invite_expires_in_days") else { return Ok(()) };
    let refused = |problem| Err(Error::bad_value("invite_expires_in_days", problem));
    let minutes = match serde_json::from_str(&text) {
        Ok(Value::Null) => Value::Null,
        Ok(days) => match days.as_i64() {
            Some(days) if days < 1 => return refused("is too small"),
            Some(days) => days.saturating_mul(MINUTES_A_DAY).into(),
            None => return refused("is not an integer"),
        },
        Err(_) => return refused("is not valid JSON"),
    };
    request.values.insert("invite_expires_in_minutes".into(), minutes.to_string());
    Ok(())
}
