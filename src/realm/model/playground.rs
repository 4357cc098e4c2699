//! Code playgrounds: websites to which clients send the code blocks of a language.

use serde::{Deserialize, Serialize};

/// A website that runs code, which its URL contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Playground {
    pub id: i64,
    pub name: String,
    /// The name of the language in the syntax highlighter.
    pub language: String,
    /// A template (RFC 6570) with the variable `code`.
    pub url_template: String,
}
