//! The schema of each kind of event, generated from the type of its fields.

use crate::realm::event::EventKind;
use crate::record::events::SCHEMAS;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// The schemas of all kinds of events, by their names in the document.
pub fn schemas(generator: &mut SchemaGenerator) -> Map<String, Value> {
    SCHEMAS.iter().map(|(kind, fields)| (schema_name(*kind), schema(*kind, fields(generator).to_value()))).collect()
}

/// The name of the schema in the document, such as `event.reaction.add`.
fn schema_name(kind: EventKind) -> String {
    format!("event.{}", kind.text().replace(' ', "."))
}

/// The schema of an event: the common fields and those of its kind.
fn schema(kind: EventKind, mut fields: Value) -> Value {
    let mut properties = Map::from_iter([
        ("id".to_owned(), json!({"type": "integer"})),
        ("type".to_owned(), json!({"const": kind.type_name()})),
    ]);
    if let Some(op) = kind.op() {
        properties.insert("op".into(), json!({ "const": op }));
    }
    let mut required: Vec<Value> = properties.keys().map(|key| key.as_str().into()).collect();
    properties.extend(fields["properties"].as_object().cloned().unwrap_or_default());
    required.extend(fields["required"].as_array().cloned().unwrap_or_default());
    let description = fields["description"].take();
    json!({
        "type": "object",
        "description": description,
        "properties": properties,
        "required": required,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_event_that_an_operation_emits_has_a_schema_and_no_other_has() {
        let events = crate::api::OPERATIONS.iter().flat_map(|row| row.docs.events);
        let emitted_kinds: BTreeSet<EventKind> = events.copied().collect();
        let described_kinds: BTreeSet<EventKind> = SCHEMAS.iter().map(|(kind, _)| *kind).collect();

        assert_eq!(emitted_kinds, described_kinds);
    }
}
