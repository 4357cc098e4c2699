//! Parses and checks the query string of a call.

use super::calls::QueryParameter;
use super::{refusal, unknown_word_error};
use crate::error::Error;
use std::collections::BTreeMap;

/// The query parameters of a request, by name.
#[derive(Debug, Default)]
pub struct Query(BTreeMap<&'static str, String>);

impl Query {
    /// Parses a query string.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for an unknown parameter, a value of the wrong kind, or one that is not among the choices.
    pub fn read(known_parameters: &'static [QueryParameter], query: &str) -> Result<Self, Error> {
        let mut values = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let Some(parameter) = known_parameters.iter().find(|parameter| parameter.name == name) else {
                let names: Vec<&str> = known_parameters.iter().map(|parameter| parameter.name).collect();
                let available = match names.as_slice() {
                    [] => "the call takes none".to_owned(),
                    [name] => format!("there is {name}"),
                    _ => format!("there are {}", join_words(&names, "and")),
                };
                return Err(refusal(format!("{name}: is no query parameter; {available}")));
            };
            let expected = match parameter.kind {
                "integer" if value.parse::<u64>().is_err() => Some("a whole number".to_owned()),
                "boolean" if !matches!(&*value, "true" | "false") => Some("true or false".to_owned()),
                _ if !parameter.choices.is_empty() && !parameter.choices.contains(&&*value) => {
                    let choices = join_words(parameter.choices, "or");
                    return Err(unknown_word_error(name.as_ref(), &choices, &value, parameter.choices));
                }
                _ => None,
            };
            if let Some(expected) = expected {
                return Err(refusal(format!("{name}: takes {expected}")));
            }
            values.insert(parameter.name, value.into_owned());
        }
        Ok(Self(values))
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    pub fn is_true(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }
}

/// Joins words for a sentence, such as `a, b and c`.
fn join_words(words: &[&str], conjunction: &str) -> String {
    match words {
        [leading @ .., last] if !leading.is_empty() => format!("{} {conjunction} {last}", leading.join(", ")),
        words => words.concat(),
    }
}
