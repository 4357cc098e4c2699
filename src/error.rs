//! The error table: every failed reply that the API can give. Its rows are in the files of this folder, by area.
//!
//! A row is a variant, its HTTP status, its code and the template of its message. Fields named in
//! braces fill the template; those listed behind `+` also are in the reply next to `msg` and `code`.
//! Nothing else builds an error reply.
//!
//! Each area is a macro that adds its rows to those above and passes all on to the next one; the last one makes the table
//! of them.

mod belongings;
mod channels;
mod control;
mod groups;
mod messages;
mod organization;
mod requests;
mod users;

use belongings::belongings;
use channels::channels;
use control::control;
use groups::groups;
use messages::messages;
use organization::organization;
use requests::requests;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use users::users;

/// A row of the table, for documents and tests.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// The variant's name.
    pub name: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Machine-readable code.
    pub code: &'static str,
    /// Message with its placeholders.
    pub message: &'static str,
    /// Fields that the reply carries next to `msg` and `code`.
    pub fields: &'static [&'static str],
}

/// What fills a placeholder or is next to a message: any JSON value, boxed to keep errors small.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorField(Box<Value>);

impl std::ops::Deref for ErrorField {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

macro_rules! fills {
    ($($type:ty),*) => {$(
        impl From<$type> for ErrorField {
            fn from(value: $type) -> Self {
                Self(Box::new(value.into()))
            }
        }
    )*};
}
fills!(&str, String, bool, i64, i32, u64, usize, Value, Vec<&'static str>, Vec<String>, Vec<Value>);

macro_rules! errors {
    ([] $(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident),* })? : $status:literal $code:ident $message:literal $(+ [$($extra:ident),*])?;
    )*) => {
        /// A refused request: what the client gets. Each variant is a row of the table.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Error {
            $(
                $(#[$doc])*
                #[doc = concat!("`", stringify!($code), "`, HTTP ", $status, ": ", $message)]
                $name $({ $(
                    #[doc = concat!("Fills `{", stringify!($field), "}` or is next to the message.")]
                    $field: ErrorField
                ),* })?,
            )*
        }

        /// A row of the table by its name: what operations declare that they refuse with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ErrorKind {
            $(#[doc = concat!("`", stringify!($code), "`, HTTP ", $status, ": ", $message)] $name,)*
        }

        impl ErrorKind {
            /// The row of the table.
            pub fn row(self) -> &'static ErrorRow {
                &Error::TABLE[self as usize]
            }
        }

        impl Error {
            /// Every row, in the order of the table.
            pub const TABLE: &'static [ErrorRow] = &[$(
                ErrorRow {
                    name: stringify!($name),
                    status: $status,
                    code: stringify!($code),
                    message: $message,
                    fields: &[$($(stringify!($extra)),*)?],
                },
            )*];

            /// Which row it is.
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

requests! { [organization users groups channels messages belongings control errors] }

impl Error {
    /// The row of the table that this error is of.
    pub fn row(&self) -> &'static ErrorRow {
        self.kind().row()
    }

    /// HTTP status of the reply.
    pub fn status(&self) -> u16 {
        self.row().status
    }

    /// The message with its placeholders filled.
    pub fn message(&self) -> String {
        self.filled(self.row().message)
    }

    /// Any text with the error's placeholders filled.
    pub fn filled(&self, template: &str) -> String {
        let mut message = String::new();
        let mut rest = template;
        // Each once: what is filled in may have braces of its own.
        while let Some((before, behind)) = rest.split_once('{') {
            message.push_str(before);
            let placeholder = behind.split_once('}').and_then(|(name, after)| Some((self.in_words(name)?, after)));
            let (text, after) = placeholder.unwrap_or_else(|| ("{".to_owned(), behind));
            message.push_str(&text);
            rest = after;
        }
        message.push_str(rest);
        message
    }

    /// The field of this name as it is in the message.
    fn in_words(&self, name: &str) -> Option<String> {
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

    /// The reply's JSON: `result`, `msg`, the row's further fields, `code` (specification, Errors).
    pub fn body(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(body)) => body,
            _ => Map::new(),
        }
    }

    /// A parameter's value is of the wrong kind; `problem` follows its name: `is not an integer`.
    pub fn bad_value(parameter: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::BadValue { parameter: parameter.into().into(), problem: problem.into().into() }
    }

    /// A parameter's value is of the right kind and none of those that there are.
    pub fn not_possible(parameter: &str) -> Self {
        Error::InvalidValueBecause { parameter: parameter.into(), reason: "Not in the list of possible values".into() }
    }
}

/// As [`Error::body`] has it.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row();
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("result", "error")?;
        body.serialize_entry("msg", &self.message())?;
        for (name, value) in self.fields() {
            if row.fields.contains(&name) {
                // The one name on the wire that no identifier can have.
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
    fn fields_fill_the_message_and_are_next_to_it() {
        let error = Error::UnknownChannel { stream: "nowhere".into() };

        assert_eq!(
            Value::Object(error.body()),
            json!({"result": "error", "msg": "Channel 'nowhere' does not exist", "stream": "nowhere", "code": "STREAM_DOES_NOT_EXIST"})
        );
    }

    #[test]
    fn what_looks_like_a_placeholder_in_a_field_is_left_alone() {
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
    fn every_row_has_a_failing_status_and_names_fields_that_it_has() {
        for row in Error::TABLE {
            // Services repeat what is refused: an event that is not supported is taken, and said to be left out.
            let is_taken = row.name == "UnsupportedWebhookEvent" && row.status == 200;
            assert!((400..=599).contains(&row.status) || is_taken, "{}", row.name);
            assert!(!row.message.is_empty(), "{}", row.name);
        }
    }
}
