//! What operations give, and the envelope around it (specification, conventions 2 and 3).

use super::parameter::{Parameters, RawParameters};
use schemars::JsonSchema;
use serde::Serialize;

/// A successful reply as bytes of JSON.
pub type ReplyBytes = Vec<u8>;

/// The data of a reply, an object.
pub trait ReplyData {
    /// Appends it as JSON.
    fn write(&self, bytes: &mut Vec<u8>);
}

impl<T: Serialize> ReplyData for T {
    fn write(&self, bytes: &mut Vec<u8>) {
        let written = serde_json::to_writer(bytes, self);
        debug_assert!(written.is_ok(), "texts can be written");
    }
}

/// The reply of operations that return only success.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Success {}

/// Room for most replies, so that few are moved while they are written.
const REPLY_BYTES: usize = 512;

/// A successful reply's bytes: `result`, an empty `msg`, what was ignored, then the operation's data, which is an object.
pub fn envelope<P: Parameters>(data: &impl ReplyData, raw: &RawParameters) -> ReplyBytes {
    envelope_saying::<P>("", data, raw)
}

/// As [`envelope`], with a `msg`.
pub(super) fn envelope_saying<P: Parameters>(
    message: &'static str,
    data: &impl ReplyData,
    raw: &RawParameters,
) -> ReplyBytes {
    let mut bytes = Vec::with_capacity(REPLY_BYTES);
    bytes.extend_from_slice(br#"{"result":"success","msg":"#);
    message.write(&mut bytes);
    let ignored = raw.unsupported(P::LIST);
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
