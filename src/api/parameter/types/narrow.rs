//! Parameters that select messages: narrows and anchors.

use crate::api::parameter::{FromJson, Parameter, json_parameter};
use crate::error::Error;
use crate::realm::narrow::{Anchor, NEWEST_ANCHOR, RawTerm};
use crate::realm::text::check_length;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// Maximum length of the operator and of the operand of a term, in code points. Lists and objects are measured as
/// JSON (A-450 in docs/assumptions.md).
const MAX_TERM_LENGTH: usize = 10_000;

/// A term of a narrow: an object or a pair of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct NarrowTerm(pub RawTerm);

impl FromJson for NarrowTerm {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let term = parse_term(value, path)?;
        check_length(&term.operator, &format!("{path}[\"operator\"]"), MAX_TERM_LENGTH)?;
        let operand_path = || format!("{path}[\"operand\"]");
        match &term.operand {
            Value::String(operand) => check_length(operand, &operand_path(), MAX_TERM_LENGTH)?,
            Value::Array(_) | Value::Object(_) => {
                check_length(&term.operand.to_string(), &operand_path(), MAX_TERM_LENGTH)?;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(Self(term))
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let operand = serde_json::json!({"anyOf": [
            {"type": "string"}, {"type": "integer"}, {"type": "array", "items": {"type": "integer"}},
        ]});
        json_schema!({"anyOf": [
            {"type": "object", "required": ["operator", "operand"], "properties": {
                "operator": {"type": "string"}, "operand": operand, "negated": {"type": "boolean"},
            }},
            {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        ]})
    }
}

/// The parameter `narrow`: a list of terms, or null for none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NarrowTerms(pub Vec<RawTerm>);

impl FromJson for NarrowTerms {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let terms = Option::<Vec<NarrowTerm>>::from_json(value, path).map_err(|first_error| {
            // The error of an operand, in whichever term, takes precedence over all others.
            let mut errors =
                value.as_array().into_iter().flatten().filter_map(|element| parse_term(element, path).err());
            errors.find(is_operand_error).unwrap_or(first_error)
        })?;
        Ok(Self(terms.unwrap_or_default().into_iter().map(|term| term.0).collect()))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<NarrowTerm>::json_schema(generator)
    }
}

impl Parameter for NarrowTerms {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        json_parameter(text, name)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

fn parse_term(value: &Value, path: &str) -> Result<RawTerm, Error> {
    let invalid_term_error =
        |reason: &str| Error::InvalidValueBecause { parameter: path.into(), reason: reason.into() };
    match value {
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(operator), Value::String(operand)] => {
                check_operand(operator, &pair[1])?;
                Ok(RawTerm { operator: operator.clone(), operand: operand.as_str().into(), is_negated: false })
            }
            _ => Err(invalid_term_error("element is not a string pair")),
        },
        Value::Object(object) => {
            let find_field = |key: &str| object.get(key).filter(|value| !value.is_null());
            let operand = find_field("operand").ok_or_else(|| invalid_term_error("operand is missing"))?;
            let operator = find_field("operator").ok_or_else(|| invalid_term_error("operator is missing"))?;
            let operator = operator
                .as_str()
                .ok_or_else(|| Error::bad_value(format!("{path}[\"operator\"]"), "is not a string"))?;
            check_operand(operator, operand)?;
            let is_negated = match object.get("negated") {
                None => false,
                Some(Value::Bool(negated)) => *negated,
                Some(_) => return Err(Error::bad_value(format!("{path}[\"negated\"]"), "is not a boolean")),
            };
            Ok(RawTerm { operator: operator.to_owned(), operand: operand.clone(), is_negated })
        }
        _ => Err(invalid_term_error("dict or list required")),
    }
}

/// Operators whose operand may be an ID.
const ID_OPERATORS: &[&str] =
    &["channel", "stream", "id", "sender", "group-pm-with", "dm-including", "with", "mentions"];
/// Operators whose operand may be a list of user IDs.
const ID_LIST_OPERATORS: &[&str] = &["dm", "pm-with"];

fn is_operand_error(error: &Error) -> bool {
    let is_operand = |path: &str| path.starts_with("operand");
    matches!(error, Error::BadValue { parameter, .. } if parameter.as_str().is_some_and(is_operand))
}

/// Checks the type of an operand, not whether the channel, user or message exists. The operator may be unknown.
fn check_operand(operator: &str, operand: &Value) -> Result<(), Error> {
    let refuse_operand = |problem: &'static str| Err(Error::bad_value("operand", problem));
    match operand {
        Value::String(text) if operator == "search" && text.trim().is_empty() => refuse_operand("cannot be blank."),
        Value::String(_) => Ok(()),
        Value::Number(number) if ID_OPERATORS.contains(&operator) && number.is_i64() => Ok(()),
        // A boolean is refused later, like an ID that does not exist.
        Value::Bool(_) if ID_OPERATORS.contains(&operator) => Ok(()),
        _ if ID_OPERATORS.contains(&operator) => refuse_operand("is not a string or integer"),
        Value::Array(ids) if ID_LIST_OPERATORS.contains(&operator) => match ids.iter().position(|id| !id.is_i64()) {
            Some(index) => Err(Error::bad_value(format!("operand[{index}]"), "is not an integer")),
            None => Ok(()),
        },
        _ if ID_LIST_OPERATORS.contains(&operator) => refuse_operand("is not a string or an integer list"),
        _ => refuse_operand("is not a string"),
    }
}

/// The parameter `anchor` as text: a message ID, `newest`, `oldest`, `first_unread` or `date`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorText(pub String);

impl Parameter for AnchorText {
    const IS_JSON: bool = false;

    fn from_text(text: &str, _name: &str) -> Result<Self, Error> {
        Ok(Self(text.to_owned()))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "A message ID, newest, oldest, first_unread or date."})
    }
}

/// Parses a whole number of any length. Numbers outside the range of `i64` become `i64::MAX` or `-i64::MAX`.
fn parse_whole_number(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(sign * i64::MAX)
    })
}

impl AnchorText {
    /// Parses the anchor, except `date`, which needs another parameter.
    ///
    /// # Errors
    ///
    /// `InvalidAnchor`, also for `date`.
    pub fn parse(&self) -> Result<Anchor, Error> {
        match self.0.as_str() {
            "newest" => Ok(Anchor::Newest),
            "oldest" => Ok(Anchor::Oldest),
            "first_unread" => Ok(Anchor::FirstUnread),
            id => parse_whole_number(id).map(|id| Anchor::Id(id.clamp(0, NEWEST_ANCHOR))).ok_or(Error::InvalidAnchor),
        }
    }
}
