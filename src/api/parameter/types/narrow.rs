//! Parameters that say which messages: narrows and anchors.

use crate::api::parameter::{FromJson, Parameter, json_parameter};
use crate::error::Error;
use crate::realm::narrow::{Anchor, NEWEST, RawTerm};
use crate::realm::text::check_length;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// Longest operator or operand of a term, in code points; of a list, as JSON (A-450 in docs/assumptions.md).
const MAX_TERM_LENGTH: usize = 10_000;

/// A term of a narrow: an object or a pair of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct NarrowTerm(pub RawTerm);

impl FromJson for NarrowTerm {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        let term = term(value, at)?;
        check_length(&term.operator, &format!("{at}[\"operator\"]"), MAX_TERM_LENGTH)?;
        let place = || format!("{at}[\"operand\"]");
        match &term.operand {
            Value::String(operand) => check_length(operand, &place(), MAX_TERM_LENGTH)?,
            Value::Array(_) | Value::Object(_) => check_length(&term.operand.to_string(), &place(), MAX_TERM_LENGTH)?,
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

/// `narrow`: terms, or null for none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NarrowTerms(pub Vec<RawTerm>);

impl FromJson for NarrowTerms {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        let terms = Option::<Vec<NarrowTerm>>::from_json(value, at).map_err(|first| {
            // A wrong operand is refused at once, other faults after the last term.
            let mut faults = value.as_array().into_iter().flatten().filter_map(|value| term(value, at).err());
            faults.find(is_of_operand).unwrap_or(first)
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

fn term(value: &Value, at: &str) -> Result<RawTerm, Error> {
    let wrong = |reason: &str| Error::InvalidValueBecause { parameter: at.into(), reason: reason.into() };
    match value {
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(operator), Value::String(operand)] => {
                check_operand(operator, &pair[1])?;
                Ok(RawTerm { operator: operator.clone(), operand: operand.as_str().into(), is_negated: false })
            }
            _ => Err(wrong("element is not a string pair")),
        },
        Value::Object(object) => {
            let field = |key: &str| object.get(key).filter(|value| !value.is_null());
            let operand = field("operand").ok_or_else(|| wrong("operand is missing"))?;
            let operator = field("operator").ok_or_else(|| wrong("operator is missing"))?;
            let operator =
                operator.as_str().ok_or_else(|| Error::bad_value(format!("{at}[\"operator\"]"), "is not a string"))?;
            check_operand(operator, operand)?;
            let is_negated = match object.get("negated") {
                None => false,
                Some(Value::Bool(negated)) => *negated,
                Some(_) => return Err(Error::bad_value(format!("{at}[\"negated\"]"), "is not a boolean")),
            };
            Ok(RawTerm { operator: operator.to_owned(), operand: operand.clone(), is_negated })
        }
        _ => Err(wrong("dict or list required")),
    }
}

/// Operators that a channel, a user or a message may be given to by its ID.
const OF_ONE: &[&str] = &["channel", "stream", "id", "sender", "group-pm-with", "dm-including", "with", "mentions"];
/// Operators that users may be given to by a list of their IDs.
const OF_SEVERAL: &[&str] = &["dm", "pm-with"];

fn is_of_operand(error: &Error) -> bool {
    matches!(error, Error::BadValue { parameter, .. } if parameter.as_str().is_some_and(|at| at.starts_with("operand")))
}

/// Checks the type of an operand, whatever it names; the operator may be unknown.
fn check_operand(operator: &str, operand: &Value) -> Result<(), Error> {
    let wrong = |problem: &'static str| Err(Error::bad_value("operand", problem));
    match operand {
        Value::String(text) if operator == "search" && text.trim().is_empty() => wrong("cannot be blank."),
        Value::String(_) => Ok(()),
        Value::Number(number) if OF_ONE.contains(&operator) && number.is_i64() => Ok(()),
        // To be refused as what names nothing.
        Value::Bool(_) if OF_ONE.contains(&operator) => Ok(()),
        _ if OF_ONE.contains(&operator) => wrong("is not a string or integer"),
        Value::Array(ids) if OF_SEVERAL.contains(&operator) => match ids.iter().position(|id| !id.is_i64()) {
            Some(index) => Err(Error::bad_value(format!("operand[{index}]"), "is not an integer")),
            None => Ok(()),
        },
        _ if OF_SEVERAL.contains(&operator) => wrong("is not a string or an integer list"),
        _ => wrong("is not a string"),
    }
}

/// `anchor` as text: a message ID, `newest`, `oldest`, `first_unread` or `date`.
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

/// A whole number, be it longer than any ID.
fn whole_number(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(sign * i64::MAX)
    })
}

impl AnchorText {
    /// The anchor that the text names; `date` is the caller's to resolve.
    ///
    /// # Errors
    ///
    /// `InvalidAnchor`.
    pub fn anchor(&self) -> Result<Anchor, Error> {
        match self.0.as_str() {
            "newest" => Ok(Anchor::Newest),
            "oldest" => Ok(Anchor::Oldest),
            "first_unread" => Ok(Anchor::FirstUnread),
            id => whole_number(id).map(|id| Anchor::Id(id.clamp(0, NEWEST))).ok_or(Error::InvalidAnchor),
        }
    }
}
