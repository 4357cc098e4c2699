//! Reverse templates (the "auto-conversion field"): from the groups of a match back to its text.

use regex::Captures;
use std::collections::BTreeSet;

/// Checks a reverse template against the pattern's groups and against the first match in the example.
///
/// # Errors
///
/// In order from left to right: a missing `}`, an empty name, a name that is no group; then an expansion other than
/// the example. The texts are those of section 16.
pub(super) fn check(
    template: &str,
    groups: &BTreeSet<&str>,
    captures: &Captures<'_>,
    example: &str,
) -> Result<(), String> {
    let mut expanded = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        expanded.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix("{{") {
            expanded.push('{');
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("}}") {
            expanded.push('}');
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('}') {
            // A lone closing brace closes nothing and is itself.
            expanded.push('}');
            rest = behind;
        } else {
            let Some((name, behind)) = rest[1..].split_once('}') else {
                return Err("Invalid auto-conversion field: missing '}' character.".to_owned());
            };
            if name.is_empty() {
                return Err("Invalid auto-conversion field: empty field name.".to_owned());
            }
            if !groups.contains(name) {
                return Err(format!("Group '{name}' in auto-conversion field is not present in linkifier pattern."));
            }
            expanded.push_str(captures.name(name).map_or("", |group| group.as_str()));
            rest = behind;
        }
    }
    expanded.push_str(rest);
    if expanded == example { Ok(()) } else { Err("Example text does not match auto-conversion field.".to_owned()) }
}
