//! Filters in a query string, as the table of calls lists them.

use super::calls::Filter;
use super::refused;
use crate::error::Error;
use std::collections::BTreeMap;

/// The filters that a request has.
#[derive(Debug, Default)]
pub struct Filters(BTreeMap<&'static str, String>);

impl Filters {
    /// Reads a query string.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for an unknown filter, or a value of another kind.
    pub fn read(known: &'static [Filter], query: &str) -> Result<Self, Error> {
        let mut filters = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let Some(filter) = known.iter().find(|filter| filter.name == name) else {
                let names: Vec<&str> = known.iter().map(|filter| filter.name).collect();
                let there_are = match names.as_slice() {
                    [] => "the call takes none".to_owned(),
                    [only] => format!("there is {only}"),
                    _ => format!("there are {}", listed(&names, "and")),
                };
                return Err(refused(format!("{name}: is no filter; {there_are}")));
            };
            let takes = match filter.kind {
                "integer" if value.parse::<u64>().is_err() => Some("a whole number".to_owned()),
                "boolean" if !matches!(&*value, "true" | "false") => Some("true or false".to_owned()),
                _ if !filter.choices.is_empty() && !filter.choices.contains(&&*value) => {
                    Some(listed(filter.choices, "or"))
                }
                _ => None,
            };
            if let Some(takes) = takes {
                return Err(refused(format!("{name}: takes {takes}")));
            }
            filters.insert(filter.name, value.into_owned());
        }
        Ok(Self(filters))
    }

    /// A filter's text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A filter's number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// Whether a filter is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }
}

/// Words as a sentence lists them.
fn listed(words: &[&str], joint: &str) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} {joint} {last}", all.join(", ")),
        words => words.concat(),
    }
}
