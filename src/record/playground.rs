//! The API's record of a code playground.

use crate::realm::playground::Playground;
use schemars::JsonSchema;
use serde::Serialize;

/// A website that runs code of a language, to which clients link code blocks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmPlayground")]
pub struct PlaygroundRecord {
    /// ID of the playground.
    pub id: i64,
    /// Name of the playground in clients.
    pub name: String,
    /// Name that the syntax highlighter Pygments has for the language.
    pub pygments_language: String,
    /// URL that opens the code: an RFC 6570 template with the variable `code`.
    pub url_template: String,
}

impl PlaygroundRecord {
    pub fn new(playground: &Playground) -> Self {
        Self {
            id: playground.id,
            name: playground.name.clone(),
            pygments_language: playground.language.clone(),
            url_template: playground.url_template.clone(),
        }
    }
}
