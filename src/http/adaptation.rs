//! Adapts the reply of an operation to its world: to the feature level, to the dialect, and to the path prefix of URLs.

use super::pending_response::{PendingBody, PendingResponse};
use super::reply;
use super::url_prefix::{may_have_relative_urls, prefix_relative_urls};
use crate::api::ReplyBody;
use crate::world::WorldSettings;
use serde_json::Value;

/// Adapts a reply by `adapt_to_level`, by the dialect and by the prefix. Replies at the newest level are bytes; most of
/// them need no change and are not parsed.
pub(super) fn adapt_reply(
    settings: &WorldSettings,
    prefix: &str,
    reply: ReplyBody,
    adapt_to_level: impl FnOnce(&mut Value),
) -> PendingResponse {
    let dialect = &settings.dialect;
    let mut value = match reply {
        ReplyBody::Value(mut value) => {
            adapt_to_level(&mut value);
            value
        }
        ReplyBody::Bytes(bytes) => {
            let may_have_urls = !prefix.is_empty() && may_have_relative_urls(&bytes);
            match (may_have_urls || dialect.may_rename(&bytes)).then(|| serde_json::from_slice(&bytes)) {
                Some(Ok(value)) => value,
                Some(Err(_)) | None => return reply::json(200, PendingBody::Bytes(bytes.into())),
            }
        }
    };
    prefix_relative_urls(&mut value, prefix);
    if !dialect.is_neutral() {
        dialect.translate(&mut value);
    }
    reply::json(200, PendingBody::json_line(value))
}
