//! Fetching messages: ranges of a narrow, messages by ID, and which messages match a narrow.
//!
//! A choice where the API is silent: A-39 in docs/assumptions.md.

use super::highlight;
use crate::api::parameter::NonNegative;
use crate::api::parameter::types::narrow::{AnchorText, NarrowTerm, NarrowTerms};
use crate::api::{OperationContext, Read, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::message::Message;
use crate::realm::narrow::{Anchor, MessageRange, Narrow, RawTerm, Search};
use crate::record::message::{MessageRecord, MessageView, display_topic_name};
use crate::time::Timestamp;
use chat_markdown::budget::{Budget, Exhausted};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum of `num_before` and `num_after` together.
pub const MAX_MESSAGES: i64 = 5_000;

operation! {
    /// Fetches messages around an anchor.
    pub GetMessages = GET "/messages", for UserOrSpectator;
    params {
        /// A message ID, `newest`, `oldest`, `first_unread`, or `date` (with `anchor_date`).
        anchor: Option<AnchorText>,
        /// The time of the anchor `date`, in ISO 8601; UTC if it has no zone.
        anchor_date since 445: Option<String>,
        /// Whether to include the message at the anchor; false only for messages on one side of it.
        include_anchor since 155: bool = true,
        /// How many messages before the anchor; at most 5,000 together with `num_after`.
        num_before: Option<NonNegative>,
        /// How many messages after the anchor; at most 5,000 together with `num_before`.
        num_after: Option<NonNegative>,
        /// Terms that the messages have to match; all messages of the caller if empty.
        narrow: NarrowTerms = NarrowTerms::default() => "[]",
        /// Legacy form of the anchor `first_unread`.
        use_first_unread_anchor: bool = false,
        /// Whether `avatar_url` is null where the client can compute the provider's URL itself.
        client_gravatar: bool = true,
        /// Whether the content is HTML rather than Markdown.
        apply_markdown: bool = true,
        /// Whether the empty topic is "" in the reply, rather than `general chat`.
        allow_empty_topic_name since 334: bool = false,
        /// IDs of messages to fetch instead of a range; those that do not match the narrow are left out.
        message_ids since 300: Option<Vec<MessageId>>,
    }
    reply GetMessagesReply;
    errors [
        UnsupportedCombination, MissingAnchor, InvalidAnchor, TooManyMessages, AnchorInTheMiddle, BadNarrow,
        BadNarrowCombination, NotLoggedIn,
    ];
}

/// A range of messages, or the messages of `message_ids`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GetMessagesReply {
    /// Oldest first.
    pub messages: Vec<MessageRecord>,
    /// The anchor as a message ID; a very large number for the newest end, absent with `message_ids`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<i64>,
    /// Whether the message at the anchor is among `messages`; false with `message_ids`.
    pub found_anchor: bool,
    /// Whether it is known that no older messages match the narrow; false with `message_ids`.
    pub found_oldest: bool,
    /// Whether it is known that no newer messages match the narrow; false with `message_ids`.
    pub found_newest: bool,
    /// Whether the plan hides older messages; always false here.
    pub history_limited: bool,
}

impl Read for GetMessages {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<GetMessagesReply, Error> {
        let viewer = context.caller.as_deref();
        let view = MessageView {
            viewer,
            apply_markdown: params.apply_markdown,
            client_gravatar: params.client_gravatar,
            computes_system_bot_avatars: !context.has(Feature::SystemBotAvatarsFromServer),
            allow_empty_topic_name: params.allow_empty_topic_name,
        };
        if let Some(ids) = &params.message_ids {
            return fetch_by_ids(realm, context, view, &params, ids);
        }
        let range = parse_range(&params)?;
        let narrow = Narrow::resolve(realm, viewer, &params.narrow.0, context.feature_level)?;
        let selection = narrow.select(realm, viewer, range);
        let search = narrow.search();
        Ok(GetMessagesReply {
            messages: message_records(realm, &selection.ids, view, search.as_ref())?,
            anchor: Some(selection.anchor),
            found_anchor: selection.found_anchor,
            found_oldest: selection.found_oldest,
            found_newest: selection.found_newest,
            history_limited: false,
        })
    }
}

fn parse_range(params: &GetMessages) -> Result<MessageRange, Error> {
    let anchor = match &params.anchor {
        _ if params.use_first_unread_anchor => Anchor::FirstUnread,
        None => return Err(Error::MissingAnchor),
        Some(text) if text.0 == "date" => {
            let date =
                params.anchor_date.as_deref().ok_or(Error::MissingParameter { var_name: "anchor_date".into() })?;
            Anchor::Date(parse_time(date).ok_or_else(|| Error::bad_value("anchor_date", "is not a date"))?)
        }
        Some(text) => text.parse()?,
    };
    let (before, after) = (params.num_before.map_or(0, |count| count.0), params.num_after.map_or(0, |count| count.0));
    if before.saturating_add(after) > MAX_MESSAGES {
        return Err(Error::TooManyMessages { max_messages: MAX_MESSAGES.into() });
    }
    if before > 0 && after > 0 && !params.include_anchor {
        return Err(Error::AnchorInTheMiddle);
    }
    Ok(MessageRange {
        anchor,
        include_anchor: params.include_anchor,
        num_before: before as usize,
        num_after: after as usize,
    })
}

/// Parses a date or a time; UTC if it has no zone.
fn parse_time(text: &str) -> Option<Timestamp> {
    let candidates = [text.to_owned(), format!("{text}Z"), format!("{text}T00:00:00Z")];
    candidates.iter().find_map(|text| Timestamp::parse(text).ok())
}

/// Returns the reply for `message_ids`, without messages that the caller can't access or that are not in the narrow.
fn fetch_by_ids(
    realm: &Realm,
    context: &OperationContext<'_>,
    view: MessageView<'_>,
    params: &GetMessages,
    ids: &[MessageId],
) -> Result<GetMessagesReply, Error> {
    let counts = [params.num_before, params.num_after].into_iter().flatten();
    let has_range =
        params.anchor.is_some() || params.use_first_unread_anchor || counts.into_iter().any(|count| count.0 > 0);
    if has_range {
        let names = ["num_before", "num_after", "anchor", "message_ids", "include_anchor", "use_first_unread_anchor"];
        return Err(Error::UnsupportedCombination { parameters: names.join(", ").into() });
    }
    let narrow = Narrow::resolve(realm, view.viewer, &params.narrow.0, context.feature_level)?;
    let mut ids: BTreeSet<MessageId> = ids.iter().copied().collect();
    ids.retain(|id| realm.messages.get(id).is_some_and(|message| narrow.matches(realm, view.viewer, message)));
    let search = narrow.search();
    Ok(GetMessagesReply {
        messages: message_records(realm, &ids, view, search.as_ref())?,
        anchor: None,
        found_anchor: false,
        found_oldest: false,
        found_newest: false,
        history_limited: false,
    })
}

/// The records of messages. With a search, they also have the content and the topic with highlighted matches.
///
/// # Errors
///
/// `TooManyMessages` with the number of messages that fit into a reply (A-432 in docs/assumptions.md).
fn message_records<'id>(
    realm: &Realm,
    ids: impl IntoIterator<Item = &'id MessageId>,
    view: MessageView<'_>,
    search: Option<&Search>,
) -> Result<Vec<MessageRecord>, Error> {
    let budget = Budget::for_request();
    let highlight_budget = highlight::budget();
    let create_record = |message: &Message| {
        // The record has all former versions in `edit_history`.
        budget.spend_output(history_size(message))?;
        let mut record = MessageRecord::with_flags(realm, message, view);
        budget.spend_output(record.content.len())?;
        budget.spend_steps(realm.steps_to_linkify(&record.subject))?;
        if let Some(search) = search {
            record.match_content =
                Some(highlight::highlight_html(&message.body.rendered_html(), search, &highlight_budget)?);
            record.match_subject = Some(highlight::highlight_text(&record.subject, search, &highlight_budget)?);
        }
        Ok(record)
    };
    let mut records = Vec::new();
    for id in ids {
        records.push(create_record(&realm.messages[id]).map_err(|Exhausted| too_many_messages_error(records.len()))?);
    }
    Ok(records)
}

/// The size of the former versions of a message, in bytes.
fn history_size(message: &Message) -> usize {
    let versions = message.history.iter().filter_map(|edit| edit.previous_body.as_ref());
    versions.map(|body| body.content.len() + body.rendered_html().len()).sum()
}

/// `fitting_count` is the number of messages that fit into the reply.
fn too_many_messages_error(fitting_count: usize) -> Error {
    Error::TooManyMessages { max_messages: (fitting_count as i64).into() }
}

operation! {
    /// Returns which of the given messages match a narrow. Messages that the caller neither received nor marked later
    /// do not match.
    pub MatchesNarrow = GET "/messages/matches_narrow", for User;
    params {
        /// IDs of the messages to test; unknown ones do not match.
        msg_ids: Vec<MessageId>,
        /// Terms that the messages have to match; the operator `with` is not supported.
        narrow: Vec<NarrowTerm>,
    }
    reply MatchesNarrowReply;
    errors [BadNarrow, TooManyMessages];
}

/// The messages that match the narrow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MatchesNarrowReply {
    /// Keys are message IDs.
    pub messages: BTreeMap<String, Match>,
}

/// The texts of a message that matches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Match {
    /// Content as HTML, with the words of a search highlighted.
    pub match_content: String,
    /// Topic as HTML, with the words of a search highlighted; "" for a direct message.
    pub match_subject: String,
}

impl Read for MatchesNarrow {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<MatchesNarrowReply, Error> {
        let viewer = Some(context.caller());
        let terms: Vec<RawTerm> = params.narrow.into_iter().map(|term| term.0).collect();
        if terms.iter().any(|term| term.operator == "with") {
            return Err(Error::BadNarrow { desc: "unknown operator with".into() });
        }
        let narrow = Narrow::resolve(realm, viewer, &terms, context.feature_level)?;
        let search = narrow.search().unwrap_or_default();
        let highlight_budget = highlight::budget();
        let mut messages = BTreeMap::new();
        for id in BTreeSet::from_iter(params.msg_ids) {
            let message =
                realm.messages.get(&id).filter(|message| realm.has_user_message(context.caller().id, message));
            let Some(message) = message.filter(|message| narrow.matches(realm, viewer, message)) else { continue };
            let topic =
                message.channel_and_topic().map(|(_, topic)| display_topic_name(topic, true)).unwrap_or_default();
            let to_error = |Exhausted| too_many_messages_error(messages.len());
            let match_content = highlight::highlight_html(&message.body.rendered_html(), &search, &highlight_budget)
                .map_err(to_error)?;
            let match_subject = highlight::highlight_text(&topic, &search, &highlight_budget).map_err(to_error)?;
            messages.insert(id.to_string(), Match { match_content, match_subject });
        }
        Ok(MatchesNarrowReply { messages })
    }
}
