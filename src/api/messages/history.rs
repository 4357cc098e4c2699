//! The edit history of a message.

mod difference;

use crate::api::{OperationContext, Read, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::message::{Body, Message};
use crate::realm::setting::RealmSetting;
use crate::record::message::display_topic_name;
use chat_markdown::budget::{Budget, Cost, Exhausted};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

operation! {
    /// Returns the versions of a message. If the organization's policy shows only moves, edits of the content alone are
    /// left out.
    pub GetMessageHistory = GET "/messages/{message_id}/history", for User;
    params {
        /// ID of a message that the caller can access.
        @path message_id: MessageId,
        /// Whether the empty topic is "" in the reply, rather than `general chat`.
        allow_empty_topic_name since 334: bool = false,
    }
    reply GetMessageHistoryReply;
    errors [HistoryDisabled, InvalidMessage, UnableToRender];
}

/// The versions of a message that the organization's policy shows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GetMessageHistoryReply {
    /// Oldest first; the first is the message as it was sent.
    pub message_history: Vec<HistoryEntry>,
}

/// A version of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistoryEntry {
    /// Topic of this version; "" for a direct message.
    pub topic: String,
    /// Topic of the version before; absent if the topic did not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_topic: Option<String>,
    /// ID of the channel after a move to another channel; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<i64>,
    /// ID of the channel before a move to another channel; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_stream: Option<i64>,
    /// Content of this version, as Markdown.
    pub content: String,
    /// Content of this version, as HTML.
    pub rendered_content: String,
    /// Markdown of the version before; absent if the content did not change or the policy hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_content: Option<String>,
    /// HTML of the version before; absent if the content did not change or the policy hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_rendered_content: Option<String>,
    /// ID of the user who made this version by sending, editing or moving; null for the server.
    pub user_id: Option<i64>,
    /// HTML with inserted and deleted words marked; absent if the content did not change or the policy hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_html_diff: Option<String>,
    /// When this version was made, in UNIX seconds.
    pub timestamp: i64,
}

impl Read for GetMessageHistory {
    fn run(
        realm: &Realm,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<GetMessageHistoryReply, Error> {
        let policy = realm.organization.setting(RealmSetting::MessageEditHistoryVisibilityPolicy);
        if policy == "none" {
            return Err(Error::HistoryDisabled);
        }
        let message = context.message(realm, params.message_id)?;
        let entries = history_entries(message, policy == "all", params.allow_empty_topic_name);
        Ok(GetMessageHistoryReply { message_history: entries.map_err(|_| Error::UnableToRender)? })
    }
}

/// The budget for a history. Comparing versions takes most of the steps; the output is all versions together, in
/// bytes (A-431 in docs/assumptions.md).
const BUDGET: Cost = Cost { steps: 60_000_000, nodes: usize::MAX, output: 20_000_000 };

/// Returns the entries, oldest first. They are created from the newest to the oldest, because edits store the previous
/// values.
///
/// # Errors
///
/// [`Exhausted`] if all versions together are too long for a reply.
fn history_entries(
    message: &Message,
    shows_content: bool,
    allows_empty_topic_name: bool,
) -> Result<Vec<HistoryEntry>, Exhausted> {
    let mut entries = Vec::new();
    let budget = Budget::new(BUDGET);
    let size = |body: &Body| body.content.len() + body.rendered_html().len();
    let mut body: Arc<Body> = message.body.clone();
    let mut topic = message.channel_and_topic().map(|(_, topic)| topic.to_string()).unwrap_or_default();
    let display_topic = |topic: &str| {
        if message.channel_and_topic().is_some() {
            display_topic_name(topic, allows_empty_topic_name)
        } else {
            topic.to_owned()
        }
    };
    for edit in message.history.iter().rev() {
        let is_move = edit.topic.is_some() || edit.channel.is_some();
        let previous_body = edit.previous_body.as_ref().filter(|_| shows_content);
        budget.spend_output(size(&body) + previous_body.map_or(0, |previous_body| size(previous_body)))?;
        let difference = previous_body.map(|previous_body| {
            let highlighted_html =
                difference::highlight_differences(&previous_body.rendered_html(), &body.rendered_html(), &budget);
            budget.spend_output(highlighted_html.len())?;
            Ok(highlighted_html)
        });
        let entry = HistoryEntry {
            topic: display_topic(&topic),
            prev_topic: edit.topic.as_ref().map(|(before, _)| display_topic(before)),
            stream: edit.channel.map(|(_, after)| after.0),
            prev_stream: edit.channel.map(|(before, _)| before.0),
            content: body.content.clone(),
            rendered_content: body.rendered_html().into_owned(),
            prev_content: previous_body.map(|previous_body| previous_body.content.clone()),
            prev_rendered_content: previous_body.map(|previous_body| previous_body.rendered_html().into_owned()),
            user_id: edit.user.map(|user| user.0),
            content_html_diff: difference.transpose()?,
            timestamp: edit.at.seconds(),
        };
        if shows_content || is_move {
            entries.push(entry);
        }
        if let Some(previous_body) = &edit.previous_body {
            body = previous_body.clone();
        }
        if let Some((before, _)) = &edit.topic {
            topic = before.to_string();
        }
    }
    entries.push(HistoryEntry {
        topic: display_topic(&topic),
        prev_topic: None,
        stream: None,
        prev_stream: None,
        content: body.content.clone(),
        rendered_content: body.rendered_html().into_owned(),
        prev_content: None,
        prev_rendered_content: None,
        user_id: Some(message.sender.0),
        content_html_diff: None,
        timestamp: message.sent_at.seconds(),
    });
    entries.reverse();
    Ok(entries)
}
