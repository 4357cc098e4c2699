//! The calls that return and replace the state of a world.

use super::{body_text, refusal};
use crate::error::Error;
use crate::fixture::{self, state};
use crate::http::request::IncomingRequest;
use crate::realm::Realm;
use crate::time::Clock;
use crate::world::{Checkpoint, Restoration, World};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// The reply with the world's state. It is serialized directly, since the JSON values of a large world would take
/// gigabytes of memory.
///
/// # Errors
///
/// `Internal` if the state can't be serialized, which would be a bug.
pub fn show(world: &World) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct StateReply<'a> {
        result: &'static str,
        msg: &'static str,
        state: state::StateDocument<'a>,
    }
    let realm = world.snapshot();
    let reply = StateReply { result: "success", msg: "", state: state::dump(&realm, world.clock()) };
    serde_json::to_vec(&reply).map_err(|_| Error::Internal)
}

/// Replaces the world's state with that of a document, which is a state or a fixture. Queues and sessions end.
///
/// # Errors
///
/// `ControlRefused` for a body that is not UTF-8, or with the errors in the document.
pub fn replace(world: &World, request: &IncomingRequest) -> Result<Value, Error> {
    /// The reply of GET, which may be sent back unchanged.
    #[derive(Deserialize)]
    struct StateBody<'a> {
        #[serde(borrow)]
        state: Option<&'a RawValue>,
    }
    let body = body_text(request)?;
    let state_body: Option<StateBody<'_>> = serde_json::from_str(body).ok();
    let state =
        state_body.and_then(|state_body| state_body.state).map(RawValue::get).filter(|state| state.starts_with('{'));
    let (realm, clock) = read_document(world, state.unwrap_or(body))?;
    world.restore(&Checkpoint { realm: Arc::new(realm), clock }, Restoration::State);
    Ok(json!({}))
}

fn read_document(world: &World, document: &str) -> Result<(Realm, Clock), Error> {
    let to_refusal =
        |diagnostics: Vec<fixture::Diagnostic>| refusal(fixture::join_diagnostics(&diagnostics, ToString::to_string));
    if state::is_state(document) {
        return state::read(document, world.real_time().now()).map_err(to_refusal);
    }
    let realm = fixture::read(document, world.now(), world.snapshot().rng.seed).map_err(to_refusal)?;
    Ok((realm, world.clock()))
}
