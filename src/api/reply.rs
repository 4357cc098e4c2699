//! Successful replies: the data that operations return, and the envelope around it (specification, conventions 2 and
//! 3).

use super::parameter::{Parameters, RawParameters};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The body of a successful reply: the envelope with the data.
#[derive(Clone, Debug)]
pub enum ReplyBody {
    /// The JSON text to send, with a line break at its end.
    Bytes(Vec<u8>),
    /// For replies that a dialect or an older level changes before they are sent.
    Value(Value),
}

/// The format of a reply that the HTTP layer needs. Bytes are faster to make than a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyFormat {
    /// [`ReplyBody::Bytes`], for replies that are sent unchanged.
    Bytes,
    /// [`ReplyBody::Value`], for replies that are changed first.
    Value,
}

/// The data of a reply: a type that serializes to a JSON object.
pub trait ReplyData {
    /// Appends the data as JSON text.
    fn write(&self, bytes: &mut Vec<u8>);

    fn to_value(&self) -> Value {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        let value = serde_json::from_slice(&bytes);
        debug_assert!(value.is_ok(), "the written bytes are JSON");
        value.unwrap_or_default()
    }
}

impl<T: Serialize> ReplyData for T {
    fn write(&self, bytes: &mut Vec<u8>) {
        let result = serde_json::to_writer(bytes, self);
        debug_assert!(result.is_ok(), "reply data can be serialized");
    }

    fn to_value(&self) -> Value {
        let value = serde_json::to_value(self);
        debug_assert!(value.is_ok(), "reply data can be serialized");
        value.unwrap_or_default()
    }
}

/// The reply of operations that return only success.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Success {}

/// Initial capacity of the buffer for a reply, in bytes. Most replies fit in it.
const INITIAL_REPLY_CAPACITY: usize = 512;

/// A successful reply: `result`, an empty `msg`, `ignored_parameters_unsupported` if there are any, then the data.
pub fn envelope<P: Parameters>(data: &impl ReplyData, raw: &RawParameters, format: ReplyFormat) -> ReplyBody {
    envelope_with_message::<P>("", data, raw, format)
}

/// Like [`envelope`], with this text as `msg`.
pub(super) fn envelope_with_message<P: Parameters>(
    message: &'static str,
    data: &impl ReplyData,
    raw: &RawParameters,
    format: ReplyFormat,
) -> ReplyBody {
    let unsupported_names = raw.unsupported_names(P::LIST);
    match format {
        ReplyFormat::Bytes => ReplyBody::Bytes(envelope_bytes(message, &unsupported_names, data)),
        ReplyFormat::Value => ReplyBody::Value(envelope_value(message, &unsupported_names, data)),
    }
}

fn envelope_bytes(message: &'static str, unsupported_names: &[String], data: &impl ReplyData) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(INITIAL_REPLY_CAPACITY);
    bytes.extend_from_slice(br#"{"result":"success","msg":"#);
    message.write(&mut bytes);
    if !unsupported_names.is_empty() {
        bytes.extend_from_slice(br#","ignored_parameters_unsupported":"#);
        unsupported_names.write(&mut bytes);
    }
    // The members of the data continue the envelope's object, so the opening brace of the data becomes a comma.
    let data_start = bytes.len();
    data.write(&mut bytes);
    debug_assert!(bytes[data_start] == b'{', "replies are objects");
    if bytes[data_start..] == *b"{}" {
        bytes.remove(data_start);
    } else {
        bytes[data_start] = b',';
    }
    bytes.push(b'\n');
    bytes
}

fn envelope_value(message: &'static str, unsupported_names: &[String], data: &impl ReplyData) -> Value {
    let mut envelope = Map::new();
    envelope.insert("result".to_owned(), "success".into());
    envelope.insert("msg".to_owned(), message.into());
    if !unsupported_names.is_empty() {
        envelope.insert("ignored_parameters_unsupported".to_owned(), unsupported_names.to_value());
    }
    match data.to_value() {
        Value::Object(data) => envelope.extend(data),
        other => debug_assert!(false, "replies are objects: {other}"),
    }
    envelope.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_formats_of_a_reply_have_the_same_json() {
        for data in [json!({}), json!({"b": [1, 2.5, {"c": null}], "a": "é\n"})] {
            for (message, unsupported_names) in [("", vec![]), ("Done", vec!["x".to_owned(), "y".to_owned()])] {
                let mut expected = envelope_value(message, &unsupported_names, &data).to_string();
                expected.push('\n');

                let bytes = envelope_bytes(message, &unsupported_names, &data);
                assert_eq!(String::from_utf8(bytes).expect("UTF-8"), expected);
            }
        }
    }
}
