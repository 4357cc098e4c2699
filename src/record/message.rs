//! The API's record of a message (specification, Message and FetchedMessage).

use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::UserId;
use crate::realm::message::{Edit, Message, MessagePlace};
use crate::realm::setting::RealmSetting;
use crate::realm::topic::EMPTY_TOPIC_DISPLAY_NAME;
use crate::realm::user::{UNKNOWN_USER_NAME, User};
use crate::record::avatar::{UNKNOWN_AVATAR_URL, avatar_url_unless_computed};
use chat_markdown::TopicLink;
use schemars::JsonSchema;
use serde::Serialize;

/// The subdomain of the organization of system bots. Dialects replace it by the product's name.
const SYSTEM_BOT_SUBDOMAIN: &str = "service-internal";

/// A message as a viewer sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub struct MessageRecord {
    /// ID of the message, unique in the organization.
    pub id: i64,
    /// ID of the user who sent it.
    pub sender_id: i64,
    /// The text in HTML or Markdown, as `content_type` says.
    pub content: String,
    /// `text/html` or `text/x-markdown`, as `apply_markdown` asks.
    #[schemars(extend("enum" = ["text/html", "text/x-markdown"]))]
    pub content_type: &'static str,
    /// A number for the channel or the conversation.
    pub recipient_id: i64,
    /// When it was sent, UNIX seconds.
    pub timestamp: i64,
    /// Name of the client that sent it.
    pub client: String,
    /// The topic; "" for direct messages.
    pub subject: String,
    /// Links in the topic.
    pub topic_links: Vec<TopicLinkRecord>,
    /// Whether the text starts with `/me`.
    pub is_me_message: bool,
    /// Reactions in the order in which they were added.
    pub reactions: Vec<ReactionRecord>,
    /// The parts of the widget, oldest first; empty for messages without one.
    pub submessages: Vec<SubmessageRecord>,
    /// Name of the sender; `Unknown user` if the viewer may not access them.
    pub sender_full_name: String,
    /// API address of the sender, as the viewer may see it.
    pub sender_email: String,
    /// The subdomain of the sender's organization; system bots have their own.
    pub sender_realm_str: String,
    /// The channel's name, or everyone in the conversation, including the sender.
    pub display_recipient: DisplayRecipient,
    /// `stream` for channel messages, `private` for direct messages.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["private", "stream"]))]
    pub kind: &'static str,
    /// The sender's picture; null if the client can compute its URL.
    pub avatar_url: Option<String>,
    /// ID of the channel; absent for direct messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<i64>,
    /// Edits and moves that the organization shows, newest first; absent if the message was never changed, or the
    /// organization shows neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit_history: Option<Vec<EditRecord>>,
    /// When the text was last edited, UNIX seconds; absent if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_edit_timestamp: Option<i64>,
    /// When the message was last moved, UNIX seconds; absent if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_moved_timestamp: Option<i64>,
    /// The viewer's flags; absent inside events, which have them next to the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flags: Option<Vec<&'static str>>,
    /// The content with highlighted matches; present only in results of a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_content: Option<String>,
    /// The topic with highlighted matches; present only in results of a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_subject: Option<String>,
}

/// A link that linkifiers or URLs make in the name of a topic.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TopicLinkRecord {
    /// The part of the name that is linked.
    pub text: String,
    /// Where the link leads.
    pub url: String,
}

/// A user's reaction to a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reaction")]
pub struct ReactionRecord {
    /// The name by which the emoji was chosen.
    pub emoji_name: String,
    /// Code of the emoji in the namespace `reaction_type`.
    pub emoji_code: String,
    /// Namespace of `emoji_code`.
    pub reaction_type: crate::realm::emoji::ReactionType,
    /// ID of the user who reacted.
    pub user_id: i64,
}

/// A part of a widget: a poll, a to-do list or a form.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Submessage")]
pub struct SubmessageRecord {
    /// ID of the part, unique in the organization.
    pub id: i64,
    /// ID of the message that has the widget.
    pub message_id: i64,
    /// ID of the user who added the part.
    pub sender_id: i64,
    /// `widget`, or another text that a client sent.
    pub msg_type: String,
    /// JSON text, which clients interpret.
    pub content: String,
}

/// The recipients of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum DisplayRecipient {
    /// The name of the channel.
    Channel(String),
    /// Everyone in the conversation, including the sender.
    People(Vec<Participant>),
}

/// A user in a conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Participant {
    /// ID of the user.
    pub id: i64,
    /// API address of the user.
    pub email: String,
    /// Name of the user.
    pub full_name: String,
    /// Always false.
    pub is_mirror_dummy: bool,
}

/// An edit of a message's text, a move, or both. What did not change is absent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "EditHistoryEntry")]
pub struct EditRecord {
    /// Time of the change, UNIX seconds.
    pub timestamp: i64,
    /// ID of the user who made the change; null for the server.
    pub user_id: Option<i64>,
    /// The text before the edit, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_content: Option<String>,
    /// The text before the edit, in HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_rendered_content: Option<String>,
    /// The topic before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_topic: Option<String>,
    /// The topic after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// ID of the channel before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_stream: Option<i64>,
    /// ID of the channel after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<i64>,
}

/// The viewer of messages, and the capabilities of the client that affect the record.
#[derive(Clone, Copy, Debug)]
pub struct MessageView<'a> {
    /// None for a spectator.
    pub viewer: Option<&'a User>,
    /// Whether the content is HTML rather than Markdown.
    pub apply_markdown: bool,
    /// Whether the client computes the URLs of the provider's pictures itself.
    pub client_gravatar: bool,
    /// Whether the client computes the URLs of system bots' pictures too (A-333 in docs/assumptions.md).
    pub computes_system_bot_avatars: bool,
    /// Whether the client supports the empty topic, which is otherwise replaced by a display name.
    pub allow_empty_topic_name: bool,
}

impl MessageView<'_> {
    /// An index below 16. Viewers with the same index get the same JSON, except for the flags.
    pub fn view_index(&self, realm: &Realm, sender: &User) -> usize {
        let view_properties = [
            self.apply_markdown,
            self.allow_empty_topic_name,
            self.client_computes_avatar(realm, sender),
            self.hides_sender(realm, sender),
        ];
        view_properties.into_iter().fold(0, |view_index, property| 2 * view_index + usize::from(property))
    }

    /// Whether the client computes the URL of the sender's picture, if it is the provider's.
    fn client_computes_avatar(&self, realm: &Realm, sender: &User) -> bool {
        self.client_gravatar
            && realm.can_see_email(self.viewer, sender)
            && (self.computes_system_bot_avatars || !sender.is_system_bot())
    }

    /// Whether the viewer may not access the sender.
    fn hides_sender(&self, realm: &Realm, sender: &User) -> bool {
        self.viewer.is_some_and(|viewer| !realm.can_access_user(viewer, sender.id))
    }
}

/// The topic, or its display name if it is empty and the client does not support that.
pub fn display_topic_name(topic: &str, allows_empty: bool) -> String {
    if topic.is_empty() && !allows_empty { EMPTY_TOPIC_DISPLAY_NAME.to_owned() } else { topic.to_owned() }
}

impl MessageRecord {
    /// The record of a message with the viewer's flags. Spectators have the flag `read`.
    pub fn with_flags(realm: &Realm, message: &Message, view: MessageView<'_>) -> Self {
        let sender = &realm.users[&message.sender];
        let channel = message.channel_and_topic().map(|(channel, _)| realm.channels[&channel].as_ref());
        let mut record = Self::new(realm, message, sender, channel, view);
        record.flags = Some(match view.viewer {
            Some(viewer) => realm.flags(viewer.id, message),
            None => vec!["read"],
        });
        record
    }

    /// The record of a message without flags. `channel` is the message's channel; None for a direct message. The
    /// message, its sender and its channel may be older than `realm`. A sender that the viewer may not access appears
    /// as an unknown user.
    pub fn new(
        realm: &Realm,
        message: &Message,
        sender: &User,
        channel: Option<&Channel>,
        view: MessageView<'_>,
    ) -> Self {
        let display_topic = |topic: &str| display_topic_name(topic, view.allow_empty_topic_name);
        let topic = message.channel_and_topic().map(|(_, topic)| topic.as_ref());
        let client_computes_avatar = view.client_computes_avatar(realm, sender);
        let (sender_full_name, sender_email, avatar_url) = if view.hides_sender(realm, sender) {
            (UNKNOWN_USER_NAME.to_owned(), realm.dummy_email(sender.id), Some(UNKNOWN_AVATAR_URL.to_owned()))
        } else {
            (
                sender.full_name.clone(),
                realm.email_shown_to(view.viewer, sender),
                avatar_url_unless_computed(realm, sender, client_computes_avatar),
            )
        };
        let (kind, recipient_id, display_recipient) = match (&message.place, channel) {
            (MessagePlace::Channel { .. }, Some(channel)) => {
                ("stream", channel.recipient.0, DisplayRecipient::Channel(channel.name.clone()))
            }
            (MessagePlace::Direct { conversation }, _) => {
                let members = realm.conversations[conversation].members.iter();
                (
                    "private",
                    conversation.0,
                    DisplayRecipient::People(members.map(|id| Participant::new(realm, *id)).collect()),
                )
            }
            // Callers pass the channel of every channel message.
            (MessagePlace::Channel { .. }, None) => ("stream", 0, DisplayRecipient::Channel(String::new())),
        };
        let (content, content_type) = if view.apply_markdown {
            (message.body.rendered_html().into_owned(), "text/html")
        } else {
            (message.body.content.clone(), "text/x-markdown")
        };
        Self {
            id: message.id.0,
            sender_id: message.sender.0,
            content,
            content_type,
            recipient_id,
            timestamp: message.sent_at.seconds(),
            client: message.client.to_string(),
            subject: topic.map(display_topic).unwrap_or_default(),
            topic_links: topic.map(|topic| topic_links(realm, topic)).unwrap_or_default(),
            is_me_message: message.body.is_me_message,
            reactions: reactions(message),
            submessages: submessages(message),
            sender_full_name,
            sender_email,
            sender_realm_str: match sender.is_system_bot() {
                true => SYSTEM_BOT_SUBDOMAIN.to_owned(),
                false => realm.organization.subdomain.clone(),
            },
            display_recipient,
            kind,
            avatar_url,
            stream_id: channel.map(|channel| channel.id.0),
            edit_history: edit_history(realm, message, view.allow_empty_topic_name),
            last_edit_timestamp: message.last_edited_at.map(|time| time.seconds()),
            last_moved_timestamp: message.last_moved_at.map(|time| time.seconds()),
            flags: None,
            match_content: None,
            match_subject: None,
        }
    }
}

impl Participant {
    pub fn new(realm: &Realm, id: UserId) -> Self {
        let user = &realm.users[&id];
        Self { id: id.0, email: realm.api_email(user), full_name: user.full_name.clone(), is_mirror_dummy: false }
    }
}

fn submessages(message: &Message) -> Vec<SubmessageRecord> {
    let to_record = |submessage: &crate::realm::message::Submessage| SubmessageRecord {
        id: submessage.id,
        message_id: message.id.0,
        sender_id: submessage.sender.0,
        msg_type: submessage.kind.clone(),
        content: submessage.content.clone(),
    };
    message.submessages.iter().map(to_record).collect()
}

fn reactions(message: &Message) -> Vec<ReactionRecord> {
    let to_record = |reaction: &crate::realm::message::Reaction| ReactionRecord {
        emoji_name: reaction.emoji.emoji_name.clone(),
        emoji_code: reaction.emoji.emoji_code.clone(),
        reaction_type: reaction.emoji.reaction_type,
        user_id: reaction.user.0,
    };
    message.reactions.iter().map(to_record).collect()
}

/// The links in the name of a topic.
pub fn topic_links(realm: &Realm, topic: &str) -> Vec<TopicLinkRecord> {
    realm.topic_links(topic).into_iter().map(|TopicLink { text, url }| TopicLinkRecord { text, url }).collect()
}

/// The edits that the organization's policy shows, newest first. None for unedited messages and for the policy `none`.
fn edit_history(realm: &Realm, message: &Message, allows_empty: bool) -> Option<Vec<EditRecord>> {
    let policy =
        realm.organization.setting(RealmSetting::MessageEditHistoryVisibilityPolicy).as_str().unwrap_or_default();
    if message.history.is_empty() || policy == "none" {
        return None;
    }
    let is_visible = |edit: &&std::sync::Arc<Edit>| policy == "all" || edit.topic.is_some() || edit.channel.is_some();
    let to_record = |edit: &std::sync::Arc<Edit>| {
        let previous = edit.previous_body.as_ref().filter(|_| policy == "all");
        EditRecord {
            timestamp: edit.at.seconds(),
            user_id: edit.user.map(|user| user.0),
            prev_content: previous.map(|body| body.content.clone()),
            prev_rendered_content: previous.map(|body| body.rendered_html().into_owned()),
            prev_topic: edit.topic.as_ref().map(|(before, _)| display_topic_name(before, allows_empty)),
            topic: edit.topic.as_ref().map(|(_, after)| display_topic_name(after, allows_empty)),
            prev_stream: edit.channel.map(|(before, _)| before.0),
            stream: edit.channel.map(|(_, after)| after.0),
        }
    };
    Some(message.history.iter().rev().filter(is_visible).map(to_record).collect())
}
