//! What operations give, and the envelope around it (specification, conventions 2 and 3).

use super::parameter::{Parameters, RawParameters};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A successful reply.
#[derive(Clone, Debug)]
pub enum ReplyBody {
    /// As it is sent, with a line break at its end.
    Bytes(Vec<u8>),
    /// For those who change it before it is sent.
    Value(Value),
}

/// Which form of a reply is wanted: bytes are made in less time than a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// [`ReplyBody::Bytes`].
    Bytes,
    /// [`ReplyBody::Value`].
    Value,
}

/// The data of a reply, an object.
pub trait ReplyData {
    /// Appends it as JSON.
    fn write(&self, bytes: &mut Vec<u8>);

    /// The same as a value.
    fn to_value(&self) -> Value {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        let value = serde_json::from_slice(&bytes);
        debug_assert!(value.is_ok(), "what is written is JSON");
        value.unwrap_or_default()
    }
}

impl<T: Serialize> ReplyData for T {
    fn write(&self, bytes: &mut Vec<u8>) {
        let written = serde_json::to_writer(bytes, self);
        debug_assert!(written.is_ok(), "texts can be written");
    }

    fn to_value(&self) -> Value {
        let value = serde_json::to_value(self);
        debug_assert!(value.is_ok(), "texts can be written");
        value.unwrap_or_default()
    }
}

/// The reply of operations that return only success.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Success {}

/// Room for most replies, so that few are moved while they are written.
const REPLY_BYTES: usize = 512;

/// A successful reply: `result`, an empty `msg`, what was ignored, then the operation's data, which is an object.
pub fn envelope<P: Parameters>(data: &impl ReplyData, raw: &RawParameters, form: ReplyForm) -> ReplyBody {
    envelope_saying::<P>("", data, raw, form)
}

/// As [`envelope`], with a `msg`.
pub(super) fn envelope_saying<P: Parameters>(
    message: &'static str,
    data: &impl ReplyData,
    raw: &RawParameters,
    form: ReplyForm,
) -> ReplyBody {
    let ignored = raw.unsupported(P::LIST);
    match form {
        ReplyForm::Bytes => ReplyBody::Bytes(bytes(message, &ignored, data)),
        ReplyForm::Value => ReplyBody::Value(value(message, &ignored, data)),
    }
}

fn bytes(message: &'static str, ignored: &[String], data: &impl ReplyData) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(REPLY_BYTES);
    bytes.extend_from_slice(br#"{"result":"success","msg":"#);
    message.write(&mut bytes);
    if !ignored.is_empty() {
        bytes.extend_from_slice(br#","ignored_parameters_unsupported":"#);
        ignored.write(&mut bytes);
    }
    // The envelope's object goes on in the data's: a comma takes the place of its beginning.
    let seam = bytes.len();
    data.write(&mut bytes);
    debug_assert!(bytes[seam] == b'{', "replies are objects");
    if bytes[seam..] == *b"{}" {
        bytes.remove(seam);
    } else {
        bytes[seam] = b',';
    }
    bytes.push(b'\n');
    bytes
}

fn value(message: &'static str, ignored: &[String], data: &impl ReplyData) -> Value {
    let mut envelope = Map::new();
    envelope.insert("result".to_owned(), "success".into());
    envelope.insert("msg".to_owned(), message.into());
    if !ignored.is_empty() {
        envelope.insert("ignored_parameters_unsupported".to_owned(), ignored.to_value());
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
    fn both_forms_of_a_reply_are_the_same() {
        for data in [json!({}), json!({"b": [1, 2.5, {"c": null}], "a": "é\n"})] {
            for (message, ignored) in [("", vec![]), ("Done", vec!["x".to_owned(), "y".to_owned()])] {
                let mut written = value(message, &ignored, &data).to_string();
                written.push('\n');

                assert_eq!(String::from_utf8(bytes(message, &ignored, &data)).expect("UTF-8"), written);
            }
        }
    }
}
