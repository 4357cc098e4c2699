//! A world's whole state, out and in.

use super::{refused, text};
use crate::error::Error;
use crate::fixture::{self, state};
use crate::http::request::ApiRequest;
use crate::realm::Realm;
use crate::time::Clock;
use crate::world::{Checkpoint, World};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// The world as a document, as bytes of a reply: of a large one, a tree of values would take gigabytes.
pub fn show(world: &World) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct Shown<'a> {
        result: &'static str,
        msg: &'static str,
        state: state::Written<'a>,
    }
    let realm = world.snapshot();
    let shown = Shown { result: "success", msg: "", state: state::dump(&realm, world.clock()) };
    serde_json::to_vec(&shown).map_err(|_| Error::Internal)
}

/// Puts a document in the place of what is. Queues end.
///
/// # Errors
///
/// `ControlRefused` with the document's faults.
pub fn put(world: &World, incoming: &ApiRequest) -> Result<Value, Error> {
    /// What GET gave may be sent back as it came.
    #[derive(Deserialize)]
    struct Sent<'a> {
        #[serde(borrow)]
        state: Option<&'a RawValue>,
    }
    let whole = text(incoming)?;
    let sent: Option<Sent<'_>> = serde_json::from_str(whole).ok();
    let inner = sent.and_then(|sent| sent.state).map(RawValue::get).filter(|state| state.starts_with('{'));
    let (realm, clock) = read(world, inner.unwrap_or(whole))?;
    world.go_to(&Checkpoint { realm: Arc::new(realm), clock }, None);
    Ok(json!({}))
}

fn read(world: &World, document: &str) -> Result<(Realm, Clock), Error> {
    let in_words = |faults: Vec<fixture::Diagnostic>| refused(fixture::in_one_sentence(&faults, ToString::to_string));
    if state::is_state(document) {
        return state::read(document, world.real_time().now()).map_err(in_words);
    }
    let realm = fixture::read(document, world.now(), world.snapshot().chance.seed).map_err(in_words)?;
    Ok((realm, world.clock()))
}
