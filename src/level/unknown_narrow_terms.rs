//! Terms of narrows that a level does not know.

use crate::error::Error;
use serde_json::Value;

/// An unknown operator, or a known operator with an unknown operand.
pub type UnknownTerm = (&'static str, Option<&'static str>);

/// A character that makes an operator or operand unknown to the parser of narrows; [`remove_mark`] removes it from
/// the error.
const MARK: char = '\u{f8ff}';

/// Marks unknown operators and operands, so that the parser of narrows refuses them in the order of the terms.
pub fn mark_unknown_terms(narrow: &mut String, unknown: &[UnknownTerm]) {
    let Ok(Value::Array(mut terms)) = serde_json::from_str(narrow) else { return };
    let mut is_changed = false;
    for term in &mut terms {
        let Some((name, is_operator)) = unknown_name(term, unknown) else { continue };
        let (key, index) = if is_operator { ("operator", 0) } else { ("operand", 1) };
        let unknown_part = if term.is_array() { term.get_mut(index) } else { term.get_mut(key) };
        if let Some(unknown_part) = unknown_part {
            *unknown_part = format!("{name}{MARK}").into();
            is_changed = true;
        }
    }
    if is_changed {
        *narrow = Value::from(terms).to_string();
    }
}

/// Refuses the narrow of a queue with unknown operators. Unknown operands are left to the operation.
///
/// # Errors
///
/// `OperatorNotSupported`.
pub fn check_no_unknown_operators(narrow: &str, unknown: &[UnknownTerm]) -> Result<(), Error> {
    let Ok(Value::Array(terms)) = serde_json::from_str(narrow) else { return Ok(()) };
    let unknown_names = terms.iter().filter_map(|term| unknown_name(term, unknown));
    match unknown_names.into_iter().find(|(_, is_operator)| *is_operator) {
        Some((operator, _)) => Err(Error::OperatorNotSupported { operator: operator.into() }),
        None => Ok(()),
    }
}

/// Removes the marks from an error about a narrow.
pub fn remove_mark(error: &mut Error) {
    if let Error::BadNarrow { desc } = error
        && let Some(text) = desc.as_str().filter(|text| text.contains(MARK))
    {
        *desc = text.replace(MARK, "").into();
    }
}

fn term_part<'a>(term: &'a Value, key: &str, index: usize) -> Option<&'a str> {
    term.get(key).or_else(|| term.get(index)).and_then(Value::as_str)
}

/// The unknown operator or operand of a term, and whether it is the operator.
fn unknown_name(term: &Value, unknown: &[UnknownTerm]) -> Option<(String, bool)> {
    let (operator, operand) = (term_part(term, "operator", 0).unwrap_or_default(), term_part(term, "operand", 1));
    let is_operator = |(name, unknown_operand): &UnknownTerm| *name == operator && unknown_operand.is_none();
    let is_operand = |(name, unknown_operand): &UnknownTerm| {
        *name == operator && unknown_operand.is_some() && *unknown_operand == operand
    };
    if unknown.iter().any(is_operator) {
        Some((operator.to_owned(), true))
    } else {
        operand.filter(|_| unknown.iter().any(is_operand)).map(|operand| (operand.to_owned(), false))
    }
}
