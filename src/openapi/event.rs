//! The schemas of events, from the types of what they carry.

use crate::realm::event::EventKind;
use crate::record::events::SCHEMAS;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// The schemas of events, by the names that the document has for them.
pub fn schemas(generator: &mut SchemaGenerator) -> Map<String, Value> {
    SCHEMAS.iter().map(|(kind, fields)| (name(*kind), schema(*kind, fields(generator).to_value()))).collect()
}

/// `event.reaction.add`
fn name(kind: EventKind) -> String {
    format!("event.{}", kind.text().replace(' ', "."))
}

/// An event's fields with those before them that all events have.
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
    fn every_event_that_an_operation_sends_has_a_schema_and_no_other_has() {
        let emitted = crate::api::OPERATIONS.iter().flat_map(|row| row.about.events);
        let sent: BTreeSet<EventKind> = emitted.copied().collect();
        let described: BTreeSet<EventKind> = SCHEMAS.iter().map(|(kind, _)| *kind).collect();

        assert_eq!(sent, described);
    }
}
