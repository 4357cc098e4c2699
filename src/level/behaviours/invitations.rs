//! Behaviours of invitations.

use crate::api::Access;
use crate::error::Error;
use crate::feature::Feature;
use crate::level::objects::INVITES_REPLY;
use crate::level::{Behaviour, ChangedFields, Downgrade, Request};
use serde_json::Value;

const INVITING_ROUTES: &[&str] = &["POST /invites", "POST /invites/multiuse"];
const MINUTES_PER_DAY: i64 = 24 * 60;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 417,
        subject: "POST /invites, POST /invites/multiuse",
        description: "BAD_REQUEST when a user who is not an owner invites an owner; before, UNAUTHORIZED_PRINCIPAL.",
        test: "inviting_owners_was_unauthorized_before_417",
        downgrade: Downgrade::Code {
            errors: &["OwnerRequiredToInviteOwner"],
            routes: &["POST /invites", "POST /invites/multiuse"],
            status: 400,
            code: "UNAUTHORIZED_PRINCIPAL",
        },
    },
    Behaviour {
        level: 209,
        subject: "POST /invites/multiuse, DELETE /invites/multiuse/{invite_id}",
        description: "Open to users with the permission; before, only to administrators.",
        test: "invitation_links_were_for_administrators_before_209",
        downgrade: Downgrade::AdditionalAccess(
            &["POST /invites/multiuse", "DELETE /invites/multiuse/{invite_id}"],
            Access::Administrator,
        ),
    },
    Behaviour {
        level: 209,
        subject: "GET /invites",
        description: "Links are listed for their creators too; before, only for administrators.",
        test: "invitation_links_were_for_administrators_before_209",
        downgrade: Downgrade::Objects(&INVITES_REPLY, ChangedFields::Values, |reply, context| {
            if let Some(Value::Array(invites)) = reply.get_mut("invites")
                && !context.caller.is_some_and(|caller| caller.is_admin())
            {
                invites.retain(|invite| invite["is_multiuse"] != true);
            }
        }),
    },
    Behaviour {
        level: 180,
        subject: "POST /invites",
        description: "`stream_ids` may be empty, as it could be at 157 and 158.",
        test: "invitations_required_channels",
        downgrade: Downgrade::RequestChange(&["POST /invites"], |request| match request.level {
            // The list could be empty at 157 and 158 too; below, the row of level 157 checks it.
            159.. => check_has_channels(request),
            _ => Ok(()),
        }),
    },
    Behaviour {
        level: 157,
        subject: "POST /invites",
        description: "`stream_ids` may be empty, until 158.",
        test: "invitations_required_channels",
        downgrade: Downgrade::RequestChange(&["POST /invites"], |request| check_has_channels(request)),
    },
    Behaviour {
        level: 126,
        subject: "POST /invites, POST /invites/multiuse",
        description: "`invite_expires_in_minutes` replaces `invite_expires_in_days`.",
        test: "invitations_expired_in_days_before_126",
        downgrade: Downgrade::RequestChange(INVITING_ROUTES, convert_days_to_minutes),
    },
    Behaviour {
        level: 117,
        subject: "POST /invites, POST /invites/multiuse",
        description: "`invite_expires_in_days` may be null: the invitation never expires.",
        test: "invitations_always_expired_before_117",
        downgrade: Downgrade::RequestChange(INVITING_ROUTES, |request| {
            match request.values.get("invite_expires_in_days").map(|text| text.trim()) {
                Some("null") if Feature::ExpiryInDays.is_at(request.level) => {
                    Err(Error::bad_value("invite_expires_in_days", "is not an integer"))
                }
                _ => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 61,
        subject: "POST /invites, POST /invites/multiuse",
        description: "`invite_as` takes 300, moderators.",
        test: "invitations_had_fewer_roles",
        downgrade: Downgrade::RequestChange(INVITING_ROUTES, |request| refuse_role(request, "300")),
    },
    Behaviour {
        level: 20,
        subject: "POST /invites, POST /invites/multiuse",
        description: "`invite_as` takes 100, owners.",
        test: "invitations_had_fewer_roles",
        downgrade: Downgrade::RequestChange(INVITING_ROUTES, |request| refuse_role(request, "100")),
    },
];

/// Refuses a role that invitations could not have at the level.
fn refuse_role(request: &Request<'_>, number: &str) -> Result<(), Error> {
    match request.values.get("invite_as") {
        Some(role) if role == number => Err(Error::disallowed_value("invite_as")),
        _ => Ok(()),
    }
}

/// Refuses an invitation without channels.
fn check_has_channels(request: &Request<'_>) -> Result<(), Error> {
    let ids = request.values.get("stream_ids").and_then(|text| serde_json::from_str::<Value>(text).ok());
    match ids {
        Some(Value::Array(ids)) if ids.is_empty() => Err(Error::bad_value("stream_ids", "names no channel")),
        _ => Ok(()),
    }
}

fn convert_days_to_minutes(request: &mut Request<'_>) -> Result<(), Error> {
    if !Feature::ExpiryInDays.is_at(request.level) {
        return Ok(());
    }
    let Some(text) = request.values.remove("invite_expires_in_days") else { return Ok(()) };
    let refuse = |problem| Err(Error::bad_value("invite_expires_in_days", problem));
    let minutes = match serde_json::from_str(&text) {
        Ok(Value::Null) => Value::Null,
        Ok(days) => match days.as_i64() {
            Some(days) if days < 1 => return refuse("is too small"),
            Some(days) => days.saturating_mul(MINUTES_PER_DAY).into(),
            None => return refuse("is not an integer"),
        },
        Err(_) => return refuse("is not valid JSON"),
    };
    request.values.insert("invite_expires_in_minutes".into(), minutes.to_string());
    Ok(())
}
