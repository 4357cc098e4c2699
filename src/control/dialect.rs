//! Dialects of a user's own: what there is to be renamed is known here.
//!
//! A choice where the API is silent: A-159 in docs/assumptions.md.

use crate::api::rows;
use crate::api::server::METHODS;
use crate::dialect::{Dialect, Renamable};

/// Reads a dialect's document.
///
/// # Errors
///
/// What is wrong with it, with its place.
pub fn read(text: &str) -> Result<Dialect, String> {
    // An object of the server's settings has these for keys, of which the document says nothing.
    let methods = METHODS.iter().map(|(name, _)| (*name).to_owned());
    // A key of the JSON text in `field_data`.
    let site = ["subtype".to_owned()];
    let keys = crate::openapi::names().into_iter().chain(methods).chain(site).collect();
    let paths = rows().map(|row| row.route.path.to_owned());
    Dialect::parse(text, &Renamable { keys, paths: paths.collect() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_built_in_dialect_renames_what_there_is() {
        let read = super::read(include_str!("../dialect/zulip.json"));

        assert_eq!(read, Ok(crate::dialect::Dialect::zulip()));
    }
}
