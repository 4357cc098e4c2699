//! Words of narrows that a level does not know.

use crate::error::Error;
use serde_json::Value;

/// An operator, and the operand if that alone is unknown.
pub type Term = (&'static str, Option<&'static str>);

/// Follows a word that the level does not know, so that nothing else does; see [`without_mark`].
const MARK: char = '\u{f8ff}';

/// Has a narrow's unknown words refused where the narrow is understood, in the order of its terms.
pub fn mark(narrow: &mut String, unknown: &[Term]) {
    let Ok(Value::Array(mut terms)) = serde_json::from_str(narrow) else { return };
    let mut is_changed = false;
    for term in &mut terms {
        let Some((word, is_operator)) = unknown_word(term, unknown) else { continue };
        let (key, index) = if is_operator { ("operator", 0) } else { ("operand", 1) };
        let part = if term.is_array() { term.get_mut(index) } else { term.get_mut(key) };
        if let Some(part) = part {
            *part = format!("{word}{MARK}").into();
            is_changed = true;
        }
    }
    if is_changed {
        *narrow = Value::from(terms).to_string();
    }
}

/// Refuses the narrow of a queue with operators that the level does not know; operands are the operation's to refuse.
///
/// # Errors
///
/// `OperatorNotSupported`.
pub fn check(narrow: &str, unknown: &[Term]) -> Result<(), Error> {
    let Ok(Value::Array(terms)) = serde_json::from_str(narrow) else { return Ok(()) };
    let operators = terms.iter().filter_map(|term| unknown_word(term, unknown));
    match operators.into_iter().find(|(_, is_operator)| *is_operator) {
        Some((operator, _)) => Err(Error::OperatorNotSupported { operator: operator.into() }),
        None => Ok(()),
    }
}

/// Leaves the marks out of what is said of a narrow.
pub fn without_mark(error: &mut Error) {
    if let Error::BadNarrow { desc } = error
        && let Some(text) = desc.as_str().filter(|text| text.contains(MARK))
    {
        *desc = text.replace(MARK, "").into();
    }
}

fn part<'a>(term: &'a Value, key: &str, index: usize) -> Option<&'a str> {
    term.get(key).or_else(|| term.get(index)).and_then(Value::as_str)
}

/// The word of a term that is unknown, and whether it is the operator.
fn unknown_word(term: &Value, unknown: &[Term]) -> Option<(String, bool)> {
    let (operator, operand) = (part(term, "operator", 0).unwrap_or_default(), part(term, "operand", 1));
    let is_operator = |(word, only): &Term| *word == operator && only.is_none();
    let is_operand = |(word, only): &Term| *word == operator && only.is_some() && *only == operand;
    if unknown.iter().any(is_operator) {
        Some((operator.to_owned(), true))
    } else {
        operand.filter(|_| unknown.iter().any(is_operand)).map(|operand| (operand.to_owned(), false))
    }
}
