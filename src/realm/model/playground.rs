//! Code playgrounds.

use serde::{Deserialize, Serialize};

/// A site that runs the code of a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Playground {
    pub id: i64,
    /// Display name.
    pub name: String,
    /// The highlighter's name of the language.
    pub language: String,
    /// RFC 6570 template with the variable `code`.
    pub url_template: String,
}
