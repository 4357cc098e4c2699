//! What happens outside of the API: somebody follows an invitation.

use crate::api::invites::accept;
use crate::error::Error;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A user who accepts an invitation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AcceptedInvite")]
pub struct Accept {
    /// Address of the new account.
    email: String,
    /// Full name of the new account.
    full_name: String,
}

/// Somebody follows an invitation's link, whose last part is the key.
///
/// # Errors
///
/// Those of an invitation that is not open, and of a name or an address that can't be a new user's.
pub fn accept(world: &World, key: &str, accept: &Accept) -> Result<Value, Error> {
    let (user, new_events) = world.commit_noting(|tx| accept::accept(tx, key, &accept.email, &accept.full_name))?;
    world.broadcast_events(&new_events);
    Ok(json!({ "user_id": user }))
}
