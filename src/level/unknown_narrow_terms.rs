//! Terms of narrows that a level does not know.

use super::narrow_term;
use crate::error::Error;
use serde_json::Value;

/// An unknown operator, or a known operator with an unknown operand.
pub type UnknownTerm = (&'static str, Option<&'static str>);

/// A character that makes an operator or operand unknown to the parser of narrows; [`remove_marks`] removes it from
/// the error.
const MARK: char = '\u{f8ff}';

/// Marks unknown operators and operands, so that the parser of narrows refuses them in the order of the terms.
pub fn mark_unknown_terms(narrow: &mut String, unknown: &[UnknownTerm]) {
    let Ok(Value::Array(mut terms)) = serde_json::from_str(narrow) else { return };
    let mut is_changed = false;
    for term in &mut terms {
        let Some((name, is_operator)) = unknown_name(term, unknown) else { continue };
        let set_part = if is_operator { narrow_term::set_operator } else { narrow_term::set_operand };
        set_part(term, &format!("{name}{MARK}"));
        is_changed = true;
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
pub fn remove_marks(error: &mut Error) {
    if let Error::BadNarrow { desc } = error
        && let Some(text) = desc.as_str().filter(|text| text.contains(MARK))
    {
        *desc = text.replace(MARK, "").into();
    }
}

/// The unknown operator or operand of a term, and whether it is the operator.
fn unknown_name(term: &Value, unknown: &[UnknownTerm]) -> Option<(String, bool)> {
    let operator = narrow_term::operator(term).and_then(Value::as_str).unwrap_or_default();
    let operand = narrow_term::operand(term).and_then(Value::as_str);
    let is_unknown_operator = |(name, unknown_operand): &UnknownTerm| *name == operator && unknown_operand.is_none();
    let is_unknown_operand = |(name, unknown_operand): &UnknownTerm| {
        *name == operator && unknown_operand.is_some() && *unknown_operand == operand
    };
    if unknown.iter().any(is_unknown_operator) {
        Some((operator.to_owned(), true))
    } else {
        operand.filter(|_| unknown.iter().any(is_unknown_operand)).map(|operand| (operand.to_owned(), false))
    }
}
