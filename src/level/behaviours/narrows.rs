//! How older levels read the parameter `narrow`: former operators and operands, and how wrong ones were refused.

use crate::error::Error;
use crate::level::{Behaviour, Downgrade, Request, SPECIFIED_LEVEL, narrow_term};
use serde_json::{Map, Value};

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 194,
        subject: "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
        description: "The operand of `id` may be a number; before, only text.",
        test: "narrows_named_messages_in_text_before_194",
        downgrade: Downgrade::RequestChange(
            &["GET /messages", "GET /messages/matches_narrow", "POST /messages/flags/narrow"],
            refuse_numeric_id,
        ),
    },
    Behaviour {
        level: 265,
        subject: "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
        description: "A `narrow` that is not a list of terms is BAD_REQUEST; before, REQUEST_VARIABLE_INVALID with `var_name` and `bad_value`. Below 265, the types of all operands were checked first, operands were named `elem[\"operand\"]`, and only `id`, `stream`, `sender`, `dm-including` and `group-pm-with` took numbers.",
        test: "narrows_were_checked_in_one_step_before_265",
        // The rows of the other two operations in `parameter_order` convert the narrow when its turn among the
        // parameters comes.
        downgrade: Downgrade::RequestChange(&["POST /messages/flags/narrow"], read_former_narrow),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /register",
        description: "A `narrow` with an unknown operand of `is` is refused; before, such a term was ignored.",
        test: "queues_accepted_any_operand_of_is_before_497",
        downgrade: Downgrade::RequestChange(&["POST /register"], remove_unknown_is_operands),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /messages/flags/narrow",
        description: "A `narrow` may have the operator `with`; before, it was refused as unknown.",
        test: "flags_were_not_changed_by_with_before_497",
        downgrade: Downgrade::RefusalAfterParsing(&["POST /messages/flags/narrow"], refuse_with_operator),
    },
];

fn refuse_numeric_id(request: &mut Request<'_>) -> Result<(), Error> {
    let text = request.values.get("narrow").map(String::as_str).unwrap_or_default();
    let Ok(Value::Array(terms)) = serde_json::from_str(text) else { return Ok(()) };
    for (index, term) in terms.iter().enumerate() {
        let is_id = narrow_term::operator(term).is_some_and(|operator| operator == "id");
        if is_id && narrow_term::operand(term).is_some_and(Value::is_number) {
            return Err(Error::bad_value(format!("narrow[{index}][\"operand\"]"), "is not a string"));
        }
    }
    Ok(())
}

/// Operators whose operand may be a number.
const NUMBER_OPERATORS: &[&str] = &["id", "stream", "channel", "sender", "group-pm-with", "dm-including"];
/// Operators whose operand may be a list of numbers.
const NUMBER_LIST_OPERATORS: &[&str] = &["pm-with", "dm"];

/// Parses a narrow in the former way and converts it to the present form. Fails with the former errors, whose order and
/// parameters differ from the present ones.
pub(super) fn read_former_narrow(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(text) = request.values.get("narrow") else { return Ok(()) };
    let whole_narrow_error =
        || Error::RequestVariableInvalid { var_name: "narrow".into(), bad_value: text.as_str().into() };
    let Ok(Value::Array(terms)) = serde_json::from_str::<Value>(text) else { return Err(whole_narrow_error()) };
    let mut parsed_terms = Vec::with_capacity(terms.len());
    for term in &terms {
        match term {
            Value::Array(pair) if pair.len() == 2 && pair.iter().all(Value::is_string) => {
                parsed_terms.push(new_term(pair[0].clone(), pair[1].clone(), false.into()));
            }
            Value::Object(object) => parsed_terms.push(parse_term(object, request.level, whole_narrow_error)?),
            _ => return Err(whole_narrow_error()),
        }
    }
    // An empty search matched nothing. The present form is a search for a stop word, which matches nothing.
    for term in &mut parsed_terms {
        let is_blank = term["operand"].as_str().is_some_and(|operand| operand.trim().is_empty());
        if term["operator"] == "search" && is_blank {
            term["operand"] = "the".into();
        }
    }
    let text = Value::from(parsed_terms).to_string();
    request.values.insert("narrow".into(), text);
    Ok(())
}

fn new_term(operator: Value, operand: Value, negated: Value) -> Value {
    Value::Object(Map::from_iter([
        ("operator".to_owned(), operator),
        ("operand".to_owned(), operand),
        ("negated".to_owned(), negated),
    ]))
}

fn parse_term(term: &Map<String, Value>, level: i64, whole_narrow_error: impl Fn() -> Error) -> Result<Value, Error> {
    let missing_key_error = |key: &str| Error::InvalidValueBecause {
        parameter: "narrow".into(),
        reason: format!("{key} is missing").into(),
    };
    let operator = term.get("operator").ok_or_else(|| missing_key_error("operator"))?;
    let operand = term.get("operand").ok_or_else(|| missing_key_error("operand"))?;
    // Lists and objects as operators were refused with the whole narrow.
    if operator.is_array() || operator.is_object() {
        return Err(whole_narrow_error());
    }
    let name = operator.as_str().ok_or_else(|| Error::bad_value("elem[\"operator\"]", "is not a string"))?;
    // The former parsing took booleans for numbers.
    let is_number = operand.is_i64() || operand.is_boolean();
    let refuse_operand = |reason: &'static str| Err(Error::bad_value("elem[\"operand\"]", reason));
    // The operator `channel` was added at level 250.
    if NUMBER_OPERATORS.contains(&name) && (name != "channel" || level >= 250) {
        if !operand.is_string() && !is_number {
            return refuse_operand("is not a string or integer");
        }
    } else if NUMBER_LIST_OPERATORS.contains(&name) {
        match operand {
            Value::String(_) => {}
            Value::Array(ids) => {
                if let Some(index) = ids.iter().position(|id| !id.is_i64() && !id.is_boolean()) {
                    return Err(Error::bad_value(format!("elem[\"operand\"][{index}]"), "is not an integer"));
                }
            }
            _ => return refuse_operand("is not a string or an integer list"),
        }
    } else if !operand.is_string() {
        return refuse_operand("is not a string");
    } else if name == "search" && operand.as_str().is_some_and(|operand| operand.trim().is_empty()) {
        return refuse_operand("cannot be blank.");
    }
    let negated = term.get("negated").cloned().unwrap_or(Value::Bool(false));
    if !negated.is_boolean() {
        return Err(Error::bad_value("elem[\"negated\"]", "is not a boolean"));
    }
    Ok(new_term(operator.clone(), operand.clone(), negated))
}

/// The operands of `is` that queues take at all levels.
const IS_OPERANDS: &[&str] = &["dm", "private", "starred", "unread", "mentioned", "alerted", "resolved"];

/// An operand of `is` that queues take from [`FOLLOWED_SINCE`] on.
const FOLLOWED: &str = "followed";
const FOLLOWED_SINCE: i64 = 265;

fn remove_unknown_is_operands(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(text) = request.values.get("narrow") else { return Ok(()) };
    let Ok(Value::Array(mut terms)) = serde_json::from_str::<Value>(text) else { return Ok(()) };
    terms.retain(|term| {
        let operand = term.get(1).and_then(Value::as_str);
        let is_pair = term.as_array().is_some_and(|pair| pair.len() == 2);
        let is_known =
            |operand: &str| IS_OPERANDS.contains(&operand) || (operand == FOLLOWED && request.level >= FOLLOWED_SINCE);
        !(is_pair && term[0] == "is" && operand.is_some_and(|operand| !is_known(operand)))
    });
    request.values.insert("narrow".into(), Value::from(terms).to_string());
    Ok(())
}

fn refuse_with_operator(request: &mut Request<'_>) -> Result<(), Error> {
    let terms = request.values.get("narrow").and_then(|text| serde_json::from_str(text).ok());
    let is_with = |term: &Value| narrow_term::operator(term).is_some_and(|operator| operator == "with");
    match terms {
        Some(Value::Array(terms)) if terms.iter().any(is_with) => {
            Err(Error::BadNarrow { desc: "unknown operator with".into() })
        }
        _ => Ok(()),
    }
}
