//! The operation that changes a flag of the messages in a range of a narrow (specification, "Messages").

use crate::api::changes::flags::{FlagChange, change_flag};
use crate::api::parameter::NonNegative;
use crate::api::parameter::types::narrow::{AnchorText, NarrowTerms};
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::narrow::{MessageRange, Narrow};
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of messages that one request changes, besides the one at the anchor. A larger range is made smaller.
const MAX_MESSAGES: i64 = 5_000;

operation! {
    /// Adds or removes a flag of the messages around an anchor.
    pub UpdateFlagsForNarrow = POST "/messages/flags/narrow", for User, since 155;
    params {
        /// A message ID as text, `newest`, `oldest` or `first_unread`.
        anchor: AnchorText,
        /// Whether to include the message at the anchor; false only for messages on one side of it.
        include_anchor: bool = true,
        /// How many messages before the anchor; the server may take fewer, since both sides share a limit of 5,000.
        num_before: NonNegative,
        /// How many messages after the anchor; the server may take fewer, since both sides share a limit of 5,000.
        num_after: NonNegative,
        /// Terms that the messages have to match; all messages of the caller if empty.
        narrow: NarrowTerms,
        /// `add` or `remove`.
        op: String,
        /// `read`, `starred`, `collapsed` or `hide_link_previews`.
        flag: String,
    }
    reply UpdateFlagsForNarrowReply;
    errors [
        InvalidAnchor, AnchorInTheMiddle, BadNarrow, BadNarrowCombination, InvalidFlag, FlagNotEditable,
        InvalidFlagOperation,
    ];
    events [UpdateMessageFlagsAdd, UpdateMessageFlagsRemove];
}

/// Which messages were in the range, and how many of them changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateFlagsForNarrowReply {
    /// Number of messages in the range: at most `num_before` + 1 + `num_after`.
    pub processed_count: usize,
    /// Number of messages whose flag changed.
    pub updated_count: usize,
    /// ID of the oldest message in the range; null if there is none.
    pub first_processed_id: Option<MessageId>,
    /// ID of the newest message in the range; null if there is none.
    pub last_processed_id: Option<MessageId>,
    /// Whether it is known that no older messages match the narrow.
    pub found_oldest: bool,
    /// Whether it is known that no newer messages match the narrow.
    pub found_newest: bool,
    /// IDs of channels whose messages did not become unread because the caller is not subscribed; only for flag `read`
    /// with op `remove`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_because_not_subscribed_channels: Option<Vec<ChannelId>>,
}

impl Write for UpdateFlagsForNarrow {
    fn run(
        tx: &mut Tx,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<UpdateFlagsForNarrowReply, Error> {
        let caller = context.caller();
        let anchor = params.anchor.parse()?;
        let (before, after) = limit_counts(params.num_before.0, params.num_after.0);
        if before > 0 && after > 0 && !params.include_anchor {
            return Err(Error::AnchorInTheMiddle);
        }
        let narrow = Narrow::resolve(tx, Some(caller), &params.narrow.0, context.feature_level)?;
        let change = FlagChange::parse(context, &params.flag, &params.op)?;

        let range =
            MessageRange { anchor, include_anchor: params.include_anchor, num_before: before, num_after: after };
        let selection = narrow.select(tx, Some(caller), range);
        let result = change_flag(tx, caller, &selection.ids, change)?;
        Ok(UpdateFlagsForNarrowReply {
            processed_count: selection.ids.len(),
            updated_count: result.messages.len(),
            first_processed_id: selection.ids.first().copied(),
            last_processed_id: selection.ids.last().copied(),
            found_oldest: selection.found_oldest,
            found_newest: selection.found_newest,
            ignored_because_not_subscribed_channels: change
                .makes_unread()
                .then(|| result.ignored_channels.into_iter().collect()),
        })
    }
}

/// Limits both counts together. Each side can get half of the limit, and what the other side does not need.
fn limit_counts(before: i64, after: i64) -> (usize, usize) {
    let before = before.min((MAX_MESSAGES - after.min(MAX_MESSAGES)).max(MAX_MESSAGES / 2));
    let after = after.min(MAX_MESSAGES - before);
    (usize::try_from(before).unwrap_or(0), usize::try_from(after).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::limit_counts;

    #[test]
    fn each_side_gets_half_of_the_limit_and_what_the_other_does_not_need() {
        assert_eq!(limit_counts(100, 200), (100, 200));
        assert_eq!(limit_counts(5_000, 0), (5_000, 0));
        assert_eq!(limit_counts(9_000, 9_000), (2_500, 2_500));
        assert_eq!(limit_counts(9_000, 1_000), (4_000, 1_000));
        assert_eq!(limit_counts(1_000, 9_000), (1_000, 4_000));
    }
}
