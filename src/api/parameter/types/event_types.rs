//! The parameter `event_types`.

use crate::api::parameter::{FromJson, Parameter, json_parameter};
use crate::error::Error;
use crate::realm::text::check_length;
use schemars::{Schema, SchemaGenerator};
use std::collections::BTreeSet;

/// Longest `event_types` and longest narrow of a queue, in code points of the JSON text (A-450 in docs/assumptions.md).
pub const MAX_QUEUE_TEXT_LENGTH: usize = 10_000;

/// Types of events. Their text is limited in length, because queues store them.
#[derive(Clone, Debug)]
pub struct EventTypes(pub BTreeSet<String>);

impl Parameter for EventTypes {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        check_length(text, name, MAX_QUEUE_TEXT_LENGTH)?;
        json_parameter::<Vec<String>>(text, name).map(|types| Self(types.into_iter().collect()))
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<String>::json_schema(generator)
    }
}
