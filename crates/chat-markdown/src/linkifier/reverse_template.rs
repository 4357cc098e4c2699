//! Reverse templates (the "auto-conversion field"), which convert the groups of a match back to its text.

use regex::Captures;
use std::collections::BTreeSet;

/// Checks that a reverse template uses only groups of the pattern, and that it converts the match in the example to
/// the example.
///
/// # Errors
///
/// The first from left to right: a missing `}`, an empty name, or a name that is not a group; then an expansion that
/// differs from the example. The messages are those of section 16 of the reference behaviour.
pub(super) fn check_reverse_template(
    template: &str,
    groups: &BTreeSet<&str>,
    captures: &Captures<'_>,
    example: &str,
) -> Result<(), String> {
    let mut output = String::new();
    let mut remaining = template;
    while let Some(offset) = remaining.find(['{', '}']) {
        output.push_str(&remaining[..offset]);
        remaining = &remaining[offset..];
        if let Some(following) = remaining.strip_prefix("{{") {
            output.push('{');
            remaining = following;
        } else if let Some(following) = remaining.strip_prefix("}}") {
            output.push('}');
            remaining = following;
        } else if let Some(following) = remaining.strip_prefix('}') {
            // An unmatched closing brace is a literal character.
            output.push('}');
            remaining = following;
        } else {
            let Some((name, following)) = remaining[1..].split_once('}') else {
                return Err("Invalid auto-conversion field: missing '}' character.".to_owned());
            };
            if name.is_empty() {
                return Err("Invalid auto-conversion field: empty field name.".to_owned());
            }
            if !groups.contains(name) {
                return Err(format!("Group '{name}' in auto-conversion field is not present in linkifier pattern."));
            }
            output.push_str(captures.name(name).map_or("", |group| group.as_str()));
            remaining = following;
        }
    }
    output.push_str(remaining);
    if output == example { Ok(()) } else { Err("Example text does not match auto-conversion field.".to_owned()) }
}
