//! The call that accepts an invitation, as a new user who follows its link.

use crate::api::invites::accept;
use crate::error::Error;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The account to make for a user who accepts an invitation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AcceptedInvite")]
pub struct InviteAcceptance {
    /// Email address of the new account; it may differ from the invited one.
    email: String,
    /// Full name of the new account; checked as in `POST /users`.
    full_name: String,
}

/// Creates the user who accepts an invitation. The key is the last part of the invitation's link.
///
/// # Errors
///
/// When the organization is deactivated, the invitation is not open, or a new user can't have the name or the email
/// address.
pub fn accept(world: &World, key: &str, acceptance: &InviteAcceptance) -> Result<Value, Error> {
    // `World::commit` would send watchers no frames about the new events, which they get for a request of the API.
    let (user, new_events) = world
        .commit_without_broadcast(|tx| accept::accept_invitation(tx, key, &acceptance.email, &acceptance.full_name))?;
    world.broadcast_change(&new_events);
    Ok(json!({ "user_id": user }))
}
