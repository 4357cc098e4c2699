//! References to the schemas of the document.

use serde_json::{Value, json};

/// A reference to the schema with a name.
pub fn reference_to(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}
