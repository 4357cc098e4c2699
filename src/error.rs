//! The error table: every error reply of the API and of control. The files of the folder `error/` hold its rows, by
//! area.
//!
//! A row is a variant, its HTTP status, its code and the template of its message. Fields in braces fill the template;
//! fields after `+` are also extra fields of the reply. Only a fault can send an error reply that is not in the table.
//!
//! Each file defines a macro that appends its rows and passes all rows on to the next macro; the last one, `errors`,
//! expands to the table.

mod channels;
mod control;
mod groups;
mod messages;
mod organization;
mod personal;
mod requests;
mod users;

use channels::channels;
use control::control;
use groups::groups;
use messages::messages;
use organization::organization;
use personal::personal;
use requests::requests;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use users::users;

/// A row of the table, for the reference, the OpenAPI document and tests.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// The name of the variant of [`Error`].
    pub name: &'static str,
    pub status: u16,
    pub code: &'static str,
    /// The template, with placeholders such as `{user_id}`.
    pub message: &'static str,
    /// Extra fields of the reply, besides `result`, `msg` and `code`.
    pub extra_fields: &'static [&'static str],
}

/// A JSON value that fills a placeholder of the message or is an extra field of the reply. Boxed to keep [`Error`]
/// small.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorField(Box<Value>);

impl std::ops::Deref for ErrorField {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

macro_rules! impl_error_field_from {
    ($($type:ty),*) => {$(
        impl From<$type> for ErrorField {
            fn from(value: $type) -> Self {
                Self(Box::new(value.into()))
            }
        }
    )*};
}
impl_error_field_from!(&str, String, bool, i64, i32, u64, usize, Value, Vec<&'static str>, Vec<String>, Vec<Value>);

macro_rules! errors {
    ([] $(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident),* })? : $status:literal $code:ident $message:literal $(+ [$($extra:ident),*])?;
    )*) => {
        /// An error reply. Each variant is a row of the table.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Error {
            $(
                $(#[$doc])*
                #[doc = concat!("`", stringify!($code), "`, HTTP ", $status, ": ", $message)]
                $name $({ $(
                    #[doc = concat!("Fills `{", stringify!($field), "}` in the message, is an extra field, or both.")]
                    $field: ErrorField
                ),* })?,
            )*
        }

        /// The variants of [`Error`] without their fields, with which operations declare their errors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ErrorKind {
            $(#[doc = concat!("`", stringify!($code), "`, HTTP ", $status, ": ", $message)] $name,)*
        }

        impl ErrorKind {
            pub fn row(self) -> &'static ErrorRow {
                &Error::TABLE[self as usize]
            }
        }

        impl Error {
            /// All rows, in the order of [`ErrorKind`].
            pub const TABLE: &'static [ErrorRow] = &[$(
                ErrorRow {
                    name: stringify!($name),
                    status: $status,
                    code: stringify!($code),
                    message: $message,
                    extra_fields: &[$($(stringify!($extra)),*)?],
                },
            )*];

            pub fn kind(&self) -> ErrorKind {
                match self { $(Error::$name { .. } => ErrorKind::$name,)* }
            }

            fn fields(&self) -> Vec<(&'static str, &ErrorField)> {
                match self {
                    $(Error::$name $({ $($field),* })? => vec![$($((stringify!($field), $field)),*)?],)*
                }
            }
        }
    };
}

requests! { [organization users groups channels messages personal control errors] }

impl Error {
    pub fn row(&self) -> &'static ErrorRow {
        self.kind().row()
    }

    pub fn status(&self) -> u16 {
        self.row().status
    }

    /// The message with its placeholders filled.
    pub fn message(&self) -> String {
        self.fill_template(self.row().message)
    }

    /// Replaces the placeholders of a template with this error's fields. Unknown placeholders stay.
    pub fn fill_template(&self, template: &str) -> String {
        let mut message = String::new();
        let mut remaining = template;
        // A single pass, so that braces inside a field's value are not taken for placeholders.
        while let Some((before, after_brace)) = remaining.split_once('{') {
            message.push_str(before);
            let replacement =
                after_brace.split_once('}').and_then(|(name, after)| Some((self.field_text(name)?, after)));
            let (text, after) = replacement.unwrap_or_else(|| ("{".to_owned(), after_brace));
            message.push_str(&text);
            remaining = after;
        }
        message.push_str(remaining);
        message
    }

    fn field_text(&self, name: &str) -> Option<String> {
        let (_, value) = self.fields().into_iter().find(|(field, _)| *field == name)?;
        Some(match &**value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(", "),
            other => other.to_string(),
        })
    }

    /// The reply's JSON: `result`, `msg`, the extra fields, `code` (specification, Errors).
    pub fn body(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(body)) => body,
            _ => Map::new(),
        }
    }

    /// A parameter's value has the wrong type or form. The message is the parameter's name and `problem`, such as `is
    /// not an integer`.
    pub fn bad_value(parameter: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::BadValue { parameter: parameter.into().into(), problem: problem.into().into() }
    }

    /// A parameter's value has the right type but is not an allowed value.
    pub fn disallowed_value(parameter: &str) -> Self {
        Error::InvalidValueBecause { parameter: parameter.into(), reason: "Not in the list of possible values".into() }
    }
}

/// Serializes the same fields as [`Error::body`], in the same order.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row();
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("result", "error")?;
        body.serialize_entry("msg", &self.message())?;
        for (name, value) in self.fields() {
            if row.extra_fields.contains(&name) {
                // `retry-after` is the only extra field whose name is not a Rust identifier.
                let name = if name == "retry_after" { "retry-after" } else { name };
                body.serialize_entry(name, &**value)?;
            }
        }
        body.serialize_entry("code", row.code)?;
        body.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_listed_field_fills_the_message_and_is_in_the_reply() {
        let error = Error::UnknownChannel { stream: "nowhere".into() };

        assert_eq!(
            Value::Object(error.body()),
            json!({"result": "error", "msg": "Channel 'nowhere' does not exist", "stream": "nowhere", "code": "STREAM_DOES_NOT_EXIST"})
        );
    }

    #[test]
    fn a_placeholder_inside_a_field_is_not_replaced() {
        let error = Error::InDefaultGroup { channel_name: "{group_name}".into(), group_name: "news".into() };

        let message = "Channel '{group_name}' is already present in default channel group 'news'";
        assert_eq!(error.message(), message);
    }

    #[test]
    fn a_field_that_only_fills_the_message_is_not_in_the_reply() {
        let body = Error::InvalidUserId { user_id: 7.into() }.body();

        assert_eq!(body["msg"], "Invalid user ID: 7");
        assert!(!body.contains_key("user_id"));
    }

    #[test]
    fn every_row_has_an_error_status_and_a_message() {
        for row in Error::TABLE {
            // Services repeat a delivery that fails, so an unsupported event has the status of a success.
            let is_unsupported_event = row.name == "UnsupportedWebhookEvent" && row.status == 200;
            assert!((400..=599).contains(&row.status) || is_unsupported_event, "{}", row.name);
            assert!(!row.message.is_empty(), "{}", row.name);
        }
    }
}
