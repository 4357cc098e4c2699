//! What happens outside of the API: somebody follows an invitation, and the push relay is handed something.

use crate::api::invites::accept;
use crate::error::Error;
use crate::realm::push::{Push, PushKind, PushTarget};
use crate::world::World;
use serde::Deserialize;
use serde_json::{Value, json};

/// Who follows an invitation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accept {
    email: String,
    full_name: String,
}

/// Somebody follows an invitation's link, whose last part is the key.
///
/// # Errors
///
/// Those of an invitation that is not open, and of a name or an address that can't be a new user's.
pub fn accept(world: &World, key: &str, accept: &Accept) -> Result<Value, Error> {
    let (user, caused) = world.commit_noting(|tx| accept::accept(tx, key, &accept.email, &accept.full_name))?;
    world.tell_events(&caused);
    Ok(json!({ "user_id": user }))
}

/// What the push relay was handed, newest last.
pub fn pushes(world: &World) -> Value {
    let realm = world.snapshot();
    let record = |push: &Push| {
        let mut record = json!({
            "at": push.at.fractional_seconds(),
            "user": realm.user(push.user).map(|user| user.email.clone()),
            "kind": match push.kind {
                PushKind::Registration => "registration",
                PushKind::Test => "test",
            },
        });
        match &push.to {
            PushTarget::Device(device) => record["device_id"] = json!(device),
            PushTarget::Token(token) => record["token"] = json!(token),
        }
        record["payload"] = push.payload.clone();
        record
    };
    json!({ "pushes": realm.pushes.iter().map(|push| record(push)).collect::<Vec<_>>() })
}
