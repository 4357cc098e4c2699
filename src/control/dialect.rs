//! Reads custom dialects, and checks that the names to rename exist.

use crate::api::rows;
use crate::api::server::AUTHENTICATION_METHODS;
use crate::dialect::{Dialect, RenamableNames};

/// Reads a dialect from its JSON document.
///
/// # Errors
///
/// What is wrong with the document, with the JSON path.
pub fn read(text: &str) -> Result<Dialect, String> {
    // The keys of an object in the server settings. The OpenAPI document does not list these keys.
    let authentication_methods = AUTHENTICATION_METHODS.iter().map(|(name, _)| (*name).to_owned());
    // A key in the JSON text of `field_data`.
    let field_data_keys = ["subtype".to_owned()];
    let keys =
        crate::openapi::renamable_keys().into_iter().chain(authentication_methods).chain(field_data_keys).collect();
    let paths = rows().map(|row| row.route.path.to_owned());
    Dialect::parse(text, &RenamableNames { keys, paths: paths.collect() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_built_in_dialect_renames_only_existing_names() {
        let dialect = super::read(include_str!("../dialect/zulip.json"));

        assert_eq!(dialect, Ok(crate::dialect::Dialect::zulip()));
    }
}
