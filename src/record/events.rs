//! The types of events, with the fields besides `type`, `op` and `id`: one for each kind, and further ones for kinds
//! that older levels send with other fields.
//!
//! Events that are the same for all readers are stored in the log as they are ([`EventData`]). The others are created
//! for each reader from an entry of the log, in `record/event.rs`. The OpenAPI document has the schemas of these types.

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

/// A kind of event, and the schema of its fields.
pub type EventSchema = (EventKind, fn(&mut SchemaGenerator) -> Schema);

macro_rules! schemas {
    ($($kind:ident = $type_name:literal $($op:literal)? $([$not_at_newest:ident])? $(since $since:literal)?;)*) => {
        /// The schemas of the fields of all kinds of events at the newest level, sorted by kind.
        pub static SCHEMAS: LazyLock<Vec<EventSchema>> = LazyLock::new(|| {
            let rows: &[Option<EventSchema>] = &[$(schemas!(@row $kind $($not_at_newest)?)),*];
            let mut schemas: Vec<EventSchema> = rows.iter().flatten().copied().collect();
            schemas.sort_by_key(|(kind, _)| *kind);
            schemas
        });
    };
    (@row $kind:ident not_at_newest) => { None };
    (@row $kind:ident) => { Some((EventKind::$kind, <$kind as JsonSchema>::json_schema)) };
}

with_event_kinds!(schemas);

fn setting_value_schema(_: &mut SchemaGenerator) -> Schema {
    any_of_types(&["boolean", "integer", "string", "null"])
}

/// The schema of a value of any of these JSON types.
fn any_of_types(types: &[&str]) -> Schema {
    let choices: Vec<Schema> = types.iter().map(|name| json_schema!({ "type": name })).collect();
    json_schema!({ "anyOf": choices })
}
