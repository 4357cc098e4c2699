//! Operations that checked their parameters in another order, as recordings of a server at level 247 show. The newest
//! level checks them in the order of their declaration (A-240 in docs/assumptions.md).

use super::narrows::read_former_narrow;
use crate::api::devices::AppId;
use crate::api::parameter::types::recipients::MessageType;
use crate::api::parameter::{NonNegative, Parameters, RawParameters};
use crate::api::scheduled_messages::{EditScheduledMessage, ToParameter};
use crate::api::subscriptions::channel_to_subscribe::ChannelToSubscribe;
use crate::error::Error;
use crate::level::{Behaviour, Downgrade, Request};
use crate::realm::schedule::checked_delivery_time;
use serde_json::Value;
use std::sync::Arc;

const DESCRIPTION: &str = "Parameters are checked in the order of their declaration; before, in another order.";

/// A row that checks the parameters in their former order before the operation does. `route` is a list of one route
/// because [`Downgrade::RequestChange`] takes a list.
const fn former_order(
    level: i64,
    route: &'static [&'static str; 1],
    test: &'static str,
    check: fn(&mut Request<'_>) -> Result<(), Error>,
) -> Behaviour {
    Behaviour {
        level,
        subject: route[0],
        description: DESCRIPTION,
        test,
        downgrade: Downgrade::RequestChange(route, check),
    }
}

const RANGES_TEST: &str = "range_parameters_were_checked_in_another_order";
const MESSAGES_TEST: &str = "recipients_were_checked_last";
const OTHERS_TEST: &str = "some_parameters_were_checked_in_another_order";

pub(super) static ROWS: &[Behaviour] = &[
    former_order(265, &["GET /messages"], RANGES_TEST, |request| {
        request.check_optional::<bool>("include_anchor")?;
        request.check_required::<NonNegative>("num_before")?;
        request.check_required::<NonNegative>("num_after")?;
        read_former_narrow(request)
    }),
    former_order(253, &["POST /messages/flags/narrow"], RANGES_TEST, |request| {
        request.check_required::<String>("anchor")?;
        request.check_optional::<bool>("include_anchor")?;
        request.check_required::<NonNegative>("num_before")?;
        request.check_required::<NonNegative>("num_after")?;
        request.check_required::<String>("narrow")
    }),
    former_order(265, &["GET /messages/matches_narrow"], RANGES_TEST, |request| {
        request.check_required::<Vec<i64>>("msg_ids")?;
        request.check_required::<String>("narrow")?;
        read_former_narrow(request)
    }),
    former_order(283, &["POST /messages"], MESSAGES_TEST, |request| {
        request.check_required::<MessageType>("type")?;
        request.check_required::<String>("content")?;
        request.check_optional::<bool>("read_by_sender")
    }),
    former_order(283, &["POST /scheduled_messages"], MESSAGES_TEST, |request| {
        request.check_required::<MessageType>("type")?;
        request.check_required::<String>("to")?;
        request.check_required::<String>("content")?;
        request.check_required::<i64>("scheduled_delivery_timestamp")?;
        request.check_optional::<bool>("read_by_sender")?;
        let seconds = request.values["scheduled_delivery_timestamp"].trim().parse();
        seconds.map_or(Ok(()), |seconds| checked_delivery_time(request.realm, seconds).map(drop))
    }),
    former_order(283, &["PATCH /scheduled_messages/{scheduled_message_id}"], MESSAGES_TEST, check_scheduled_recipients),
    former_order(284, &["POST /jwt/fetch_api_key"], OTHERS_TEST, |request| {
        request.check_optional::<bool>("include_profile")
    }),
    former_order(254, &["POST /users/me/platform_device_token"], OTHERS_TEST, |request| {
        request.check_required::<String>("token")?;
        request.check_required::<AppId>("appid")
    }),
    former_order(259, &["POST /user_groups/create"], OTHERS_TEST, |request| {
        request.check_required::<String>("name")?;
        // Not required: the row of `members` in the table of groups has added it if it was missing.
        request.check_optional::<Vec<i64>>("members")?;
        request.check_required::<String>("description")
    }),
    former_order(274, &["PATCH /streams/{stream_id}"], OTHERS_TEST, |request| {
        request.check_optional::<bool>("is_private")?;
        request.check_optional::<bool>("is_announcement_only")?;
        request.check_optional::<bool>("is_default_stream")
    }),
    former_order(274, &["POST /users/me/subscriptions"], OTHERS_TEST, |request| {
        request.check_required::<Vec<ChannelToSubscribe>>("subscriptions")?;
        request.check_optional::<bool>("invite_only")?;
        request.check_optional::<bool>("is_web_public")?;
        request.check_optional::<bool>("is_default_stream")
    }),
];

/// Refuses invalid recipients of a scheduled message with the former errors, which depend on its type. Errors of other
/// parameters come first.
fn check_scheduled_recipients(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(to) = request.values.get("to").filter(|_| request.check_optional::<ToParameter>("to").is_err()) else {
        return Ok(());
    };
    let is_list = matches!(serde_json::from_str(to), Ok(Value::Array(_)));
    Err(match scheduled_message_type(request)? {
        MessageType::Channel => Error::InvalidChannelIdType,
        MessageType::Direct if is_list => Error::bad_value("to[0]", "is not an integer"),
        MessageType::Direct => Error::InvalidRecipientsType,
    })
}

/// The type of a scheduled message after its change. The errors are those of all parameters but the recipients, then
/// those of [`EditScheduledMessage::checked_kind`].
pub(super) fn scheduled_message_type(request: &Request<'_>) -> Result<MessageType, Error> {
    let mut values = request.values.clone();
    // The recipients become an empty list, because they are checked later.
    values.entry("to".into()).and_modify(|to| "[]".clone_into(to));
    let raw = RawParameters {
        path_values: request.path_values.to_vec(),
        values: Arc::new(values),
        ..RawParameters::default()
    };
    let caller = request.caller.ok_or(Error::NoSuchScheduledMessage)?;
    EditScheduledMessage::read(&raw)?.checked_kind(request.realm, caller.id)
}
