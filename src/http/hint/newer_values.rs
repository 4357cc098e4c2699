//! Hints for values and terms of narrows that are newer than the world's level.

use crate::error::Error;
use crate::level::level_of_addition;
use std::collections::BTreeMap;

/// The maximum length of a value, and of the description of an unknown operator or operand. No level added anything for
/// which either is longer.
const MAX_TEXT_BYTES: usize = 100;

/// Says since which level a value, or a narrow's operator or operand, is known, if that is later than the world's
/// `level`. `params` are those of the request, by name.
pub fn for_newer_value(error: &Error, params: &BTreeMap<String, String>, level: i64) -> Option<String> {
    let (subject, addition) = match error {
        Error::BadValue { parameter, .. }
        | Error::InvalidValue { parameter }
        | Error::InvalidValueBecause { parameter, .. } => {
            let name = parameter.as_str()?;
            let value = params.get(name).filter(|value| value.len() <= MAX_TEXT_BYTES)?;
            (format!("The value {value} of {name}"), format!("`{name}` takes `{value}`"))
        }
        Error::BadNarrow { desc } => newer_term(desc.as_str().filter(|text| text.len() <= MAX_TEXT_BYTES)?)?,
        Error::OperatorNotSupported { operator } => newer_operator(operator.as_str()?),
        _ => return None,
    };
    let since = level_of_addition(&addition, level)?;
    Some(format!("{subject} was added at feature level {since}; this world is at {level}."))
}

/// For the description in a `BadNarrow`: the subject of the hint, and the words with which the table of levels
/// describes the addition of the operator or operand. None if it is about neither.
fn newer_term(description: &str) -> Option<(String, String)> {
    if let Some(operator) = description.strip_prefix("unknown operator ") {
        return Some(newer_operator(operator));
    }
    let (operator, operand) = description.strip_prefix("unknown ")?.split_once(" operand ")?;
    let term = format!("{}:{operand}", operator.trim_matches('\''));
    Some((format!("The operand {term}"), format!("New operand `{term}`")))
}

fn newer_operator(operator: &str) -> (String, String) {
    (format!("The operator {operator}"), format!("New operator `{operator}`"))
}
