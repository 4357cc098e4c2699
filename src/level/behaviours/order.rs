//! Parameters that a recorded server of level 247 looked at in another order than the newest, which reads them as they
//! are declared (A-240 in docs/assumptions.md).

use super::narrows::read_narrow;
use crate::api::changes::channels::creation::ChannelToSubscribe;
use crate::api::devices::AppId;
use crate::api::parameter::types::recipients::MessageType;
use crate::api::parameter::{NonNegative, Parameters, RawParameters};
use crate::api::scheduled_messages::{EditScheduledMessage, To};
use crate::error::Error;
use crate::level::{Behaviour, Downgrade, Request};
use crate::realm::schedule::future_time;
use serde_json::Value;
use std::sync::Arc;

const AS_DECLARED: &str = "Parameters are checked in the order of their declaration; before, in another order.";

/// A row that checks the parameters of a request first, in their former order.
const fn ordered(
    level: i64,
    on: &'static [&'static str; 1],
    test: &'static str,
    check: fn(&mut Request<'_>) -> Result<(), Error>,
) -> Behaviour {
    Behaviour { level, on: on[0], words: AS_DECLARED, test, act: Downgrade::Request(on, check) }
}

const RANGES_TEST: &str = "ranges_were_read_in_another_order";
const MESSAGES_TEST: &str = "recipients_were_looked_at_last";
const OTHERS_TEST: &str = "some_parameters_were_read_in_another_order";

pub(super) static ROWS: &[Behaviour] = &[
    ordered(265, &["GET /messages"], RANGES_TEST, |request| {
        request.optional::<bool>("include_anchor")?;
        request.required::<NonNegative>("num_before")?;
        request.required::<NonNegative>("num_after")?;
        read_narrow(request)
    }),
    ordered(253, &["POST /messages/flags/narrow"], RANGES_TEST, |request| {
        request.required::<String>("anchor")?;
        request.optional::<bool>("include_anchor")?;
        request.required::<NonNegative>("num_before")?;
        request.required::<NonNegative>("num_after")?;
        request.required::<String>("narrow")
    }),
    ordered(265, &["GET /messages/matches_narrow"], RANGES_TEST, |request| {
        request.required::<Vec<i64>>("msg_ids")?;
        request.required::<String>("narrow")?;
        read_narrow(request)
    }),
    ordered(283, &["POST /messages"], MESSAGES_TEST, |request| {
        request.required::<MessageType>("type")?;
        request.required::<String>("content")?;
        request.optional::<bool>("read_by_sender")
    }),
    ordered(283, &["POST /scheduled_messages"], MESSAGES_TEST, |request| {
        request.required::<MessageType>("type")?;
        request.required::<String>("to")?;
        request.required::<String>("content")?;
        request.required::<i64>("scheduled_delivery_timestamp")?;
        request.optional::<bool>("read_by_sender")?;
        let seconds = request.values["scheduled_delivery_timestamp"].trim().parse();
        seconds.map_or(Ok(()), |seconds| future_time(request.realm, seconds).map(drop))
    }),
    ordered(283, &["PATCH /scheduled_messages/{scheduled_message_id}"], MESSAGES_TEST, look_up_scheduled),
    ordered(284, &["POST /jwt/fetch_api_key"], OTHERS_TEST, |request| request.optional::<bool>("include_profile")),
    ordered(254, &["POST /users/me/platform_device_token"], OTHERS_TEST, |request| {
        request.required::<String>("token")?;
        request.required::<AppId>("appid")
    }),
    ordered(259, &["POST /user_groups/create"], OTHERS_TEST, |request| {
        request.required::<String>("name")?;
        // The operation itself checks whether `members` is required.
        request.optional::<Vec<i64>>("members")?;
        request.required::<String>("description")
    }),
    ordered(274, &["PATCH /streams/{stream_id}"], OTHERS_TEST, |request| {
        request.optional::<bool>("is_private")?;
        request.optional::<bool>("is_announcement_only")?;
        request.optional::<bool>("is_default_stream")
    }),
    ordered(274, &["POST /users/me/subscriptions"], OTHERS_TEST, |request| {
        request.required::<Vec<ChannelToSubscribe>>("subscriptions")?;
        request.optional::<bool>("invite_only")?;
        request.optional::<bool>("is_web_public")?;
        request.optional::<bool>("is_default_stream")
    }),
];

/// Recipients were parsed only after the message was found.
fn look_up_scheduled(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(to) = request.values.get("to").filter(|_| request.optional::<To>("to").is_err()) else { return Ok(()) };
    let is_list = matches!(serde_json::from_str(to), Ok(Value::Array(_)));
    Err(match scheduled_kind(request)? {
        MessageType::Channel => Error::InvalidChannelIdType,
        MessageType::Direct if is_list => Error::bad_value("to[0]", "is not an integer"),
        MessageType::Direct => Error::InvalidRecipientsType,
    })
}

/// Where a scheduled message goes when it is changed, once all is checked that does not depend on it.
pub(super) fn scheduled_kind(request: &Request<'_>) -> Result<MessageType, Error> {
    let mut values = request.values.clone();
    // Recipients are checked later.
    values.entry("to".into()).and_modify(|to| "[]".clone_into(to));
    let raw = RawParameters { path: request.path.to_vec(), values: Arc::new(values), ..RawParameters::default() };
    let caller = request.caller.ok_or(Error::NoSuchScheduledMessage)?;
    EditScheduledMessage::read(&raw)?.kind(request.realm, caller.id)
}
