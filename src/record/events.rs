//! Events as clients get them: a type for each kind, whose fields are what it carries besides `type`, `op` and `id`.
//!
//! Those that look the same to everybody are emitted as they are ([`EventData`]); those that depend on who reads them are
//! made from the log's entry in `record/event.rs`. Documents have their schemas from here.

mod channels;
mod groups;
mod messages;
mod organization;
mod personal;
mod users;

pub use super::own_lists::*;
pub use crate::realm::event::data::*;
pub use channels::*;
pub use groups::*;
pub use messages::*;
pub use organization::*;
pub use personal::*;
pub use users::*;

use crate::realm::event::EventKind;
use crate::wire::with_event_kinds;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::sync::LazyLock;

/// A kind of event, and the schema of what it carries.
pub type EventSchema = (EventKind, fn(&mut SchemaGenerator) -> Schema);

macro_rules! schemas {
    ($($kind:ident = $type_name:literal $($op:literal)? $([$not_at_newest:ident])?;)*) => {
        /// The schema of what each kind of event carries, of those that the newest level has; sorted by kind.
        pub static SCHEMAS: LazyLock<Vec<EventSchema>> = LazyLock::new(|| {
            let all: &[Option<EventSchema>] = &[$(schemas!(@row $kind $($not_at_newest)?)),*];
            let mut all: Vec<EventSchema> = all.iter().flatten().copied().collect();
            all.sort_by_key(|(kind, _)| *kind);
            all
        });
    };
    (@row $kind:ident not_at_newest) => { None };
    (@row $kind:ident) => { Some((EventKind::$kind, <$kind as JsonSchema>::json_schema)) };
}

with_event_kinds!(schemas);

/// The value of a setting.
fn setting_value(_: &mut SchemaGenerator) -> Schema {
    any_of(&["boolean", "integer", "string", "null"])
}

/// A value of one of these types.
fn any_of(types: &[&str]) -> Schema {
    let choices: Vec<Schema> = types.iter().map(|one| json_schema!({ "type": one })).collect();
    json_schema!({ "anyOf": choices })
}
