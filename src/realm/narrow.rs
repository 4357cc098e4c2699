//! Narrows: filters that select messages, and the range of matching messages around an anchor (reference behaviour,
//! 11.3, 12).

mod range;
mod resolution;
mod search;

use super::Realm;
use super::channel::Privacy;
use super::id::{ChannelId, MessageId, RecipientId, UserId};
use super::message::{Message, MessagePlace};
use super::message_ids::MessageIds;
use super::personal::VisibilityPolicy;
use super::topic::TopicKey;
use super::user::User;
use crate::error::Error;
use imbl::OrdSet;

pub use range::{Anchor, MessageRange, NEWEST_ANCHOR, SelectedMessages};
pub use resolution::{MAX_TERMS, RawTerm};
pub use search::{STOP_WORDS, Search};

/// A narrow whose channels and users are resolved for one viewer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Narrow {
    terms: Vec<Term>,
    /// Whether messages may match without a user message of the viewer.
    includes_history: bool,
    /// Whether a user message grants access, even in a channel that the viewer can no longer read.
    user_message_grants_access: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    is_negated: bool,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Channel(ChannelId),
    PublicChannels,
    WebPublicChannels,
    ArchivedChannels,
    /// In lower case; "" for the empty topic.
    Topic(String),
    Sender(UserId),
    /// Direct messages among exactly these users, whose conversation has this ID. None if it does not exist.
    Conversation(Option<RecipientId>),
    /// Direct messages with this user.
    DirectIncluding(UserId),
    /// Group direct messages (three or more users) that include this user.
    GroupIncluding(UserId),
    IsDirect,
    IsStarred,
    IsUnread,
    IsMentioned,
    IsAlerted,
    IsResolved,
    IsFollowed,
    IsMuted,
    HasAttachment,
    HasImage,
    HasLink,
    HasReaction,
    /// Messages of the combined feed.
    InHome,
    /// `in:home` below the level of [`Feature::InHomeCanBeNegated`](crate::feature::Feature::InHomeCanBeNegated).
    InHomeLegacy,
    Everything,
    Id(MessageId),
    Search(Search),
    Mentions(UserId),
}

impl Narrow {
    /// Resolves a client's terms, with the semantics of a feature level.
    ///
    /// # Errors
    ///
    /// `BadNarrow`, `BadNarrowCombination`, `BadValue` for an operand of the wrong type or a blank search;
    /// `NotLoggedIn` when a spectator has no term for web-public channels, or one that spectators may not use.
    pub fn resolve(
        realm: &Realm,
        viewer: Option<&User>,
        raw_terms: &[RawTerm],
        feature_level: i64,
    ) -> Result<Self, Error> {
        resolution::resolve(realm, viewer, raw_terms, feature_level)
    }

    /// All search terms that are not negated, as one search; None if the narrow has none.
    pub fn search(&self) -> Option<Search> {
        let searches = self.terms.iter().filter(|term| !term.is_negated).filter_map(|term| match &term.condition {
            Condition::Search(search) => Some(search),
            _ => None,
        });
        searches.cloned().reduce(|combined, search| combined.combine(&search))
    }

    fn has_channel_term(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.condition, Condition::Channel(_)))
    }

    /// Whether a message matches and the viewer may see it.
    pub fn matches(&self, realm: &Realm, viewer: Option<&User>, message: &Message) -> bool {
        let is_visible = match viewer {
            Some(viewer) => {
                let has_user_message = realm.has_user_message(viewer.id, message);
                (has_user_message && self.user_message_grants_access)
                    || ((has_user_message || self.includes_history) && realm.can_see_message(viewer, message))
            }
            None => realm.is_visible_to_spectators(message),
        };
        is_visible && self.terms.iter().all(|term| term.matches(realm, viewer, message))
    }

    /// A set of messages that contains all matches; a small one if an index has it.
    fn candidates<'realm>(&self, realm: &'realm Realm, viewer: Option<&User>) -> Candidates<'realm> {
        let positive_conditions = || self.terms.iter().filter(|term| !term.is_negated).map(|term| &term.condition);
        if let Some(id) =
            positive_conditions().find_map(|condition| if let Condition::Id(id) = condition { Some(*id) } else { None })
        {
            return Candidates::Ids(OrdSet::unit(id));
        }
        let channel = positive_conditions()
            .find_map(|condition| if let Condition::Channel(id) = condition { Some(*id) } else { None });
        let topic = positive_conditions()
            .find_map(|condition| if let Condition::Topic(topic) = condition { Some(topic) } else { None });
        match (channel, topic) {
            (Some(channel), Some(topic)) => match realm.topics.get(&(channel, TopicKey::new(topic))) {
                Some(topic) => return Candidates::Index(&topic.messages),
                None => return Candidates::Ids(OrdSet::new()),
            },
            (Some(channel), None) => return Candidates::Index(realm.messages_in(channel)),
            _ => {}
        }
        for condition in positive_conditions() {
            match condition {
                Condition::Conversation(Some(id)) => return Candidates::Index(&realm.conversations[id].messages),
                Condition::Conversation(None) => return Candidates::Ids(OrdSet::new()),
                Condition::IsUnread => {
                    if let Some(viewer) = viewer {
                        return Candidates::Ids(realm.unread_messages(viewer.id).into_iter().collect());
                    }
                }
                Condition::IsStarred => {
                    if let Some(viewer) = viewer {
                        return Candidates::Ids(realm.user_state(viewer.id).starred.clone());
                    }
                }
                _ => {}
            }
        }
        Candidates::All(realm)
    }
}

/// The messages among which matches are searched, in the order of their IDs.
enum Candidates<'realm> {
    All(&'realm Realm),
    Index(&'realm MessageIds),
    Ids(OrdSet<MessageId>),
}

impl Candidates<'_> {
    /// The candidates below `limit`, newest first.
    fn below(&self, limit: MessageId) -> Box<dyn Iterator<Item = MessageId> + '_> {
        match self {
            Candidates::All(realm) => Box::new(realm.messages.range(..limit).rev().map(|(id, _)| *id)),
            Candidates::Index(index) => Box::new(index.below(limit)),
            Candidates::Ids(ids) => Box::new(ids.range(..limit).rev().copied()),
        }
    }

    /// The candidates from `first` on, oldest first.
    fn starting_at(&self, first: MessageId) -> Box<dyn Iterator<Item = MessageId> + '_> {
        match self {
            Candidates::All(realm) => Box::new(realm.messages.range(first..).map(|(id, _)| *id)),
            Candidates::Index(index) => Box::new(index.starting_at(first)),
            Candidates::Ids(ids) => Box::new(ids.range(first..).copied()),
        }
    }
}

impl Term {
    fn matches(&self, realm: &Realm, viewer: Option<&User>, message: &Message) -> bool {
        self.condition.holds(realm, viewer, message) != self.is_negated
    }
}

impl Condition {
    fn holds(&self, realm: &Realm, viewer: Option<&User>, message: &Message) -> bool {
        let channel_and_topic = message.channel_and_topic();
        let privacy = || channel_and_topic.map(|(channel, _)| realm.channels[&channel].privacy);
        match self {
            Condition::Channel(id) => channel_and_topic.is_some_and(|(channel, _)| channel == *id),
            Condition::PublicChannels => matches!(privacy(), Some(Privacy::Public | Privacy::WebPublic)),
            Condition::WebPublicChannels => privacy() == Some(Privacy::WebPublic),
            Condition::ArchivedChannels => {
                channel_and_topic.is_some_and(|(channel, _)| realm.channels[&channel].is_archived)
            }
            Condition::Topic(name) => channel_and_topic.is_some_and(|(_, topic)| topic.to_lowercase() == *name),
            Condition::Sender(user) => message.sender == *user,
            Condition::Conversation(id) => id.is_some() && message.conversation() == *id,
            Condition::DirectIncluding(user) => members(realm, message).is_some_and(|members| members.contains(user)),
            Condition::GroupIncluding(user) => {
                members(realm, message).is_some_and(|members| members.len() > 2 && members.contains(user))
            }
            Condition::IsDirect => matches!(message.place, MessagePlace::Direct { .. }),
            Condition::HasAttachment => !message.body.uploads.is_empty(),
            Condition::HasImage => message.body.has_image,
            Condition::HasLink => message.body.has_link,
            Condition::HasReaction => !message.reactions.is_empty(),
            Condition::Everything => true,
            Condition::Id(id) => message.id == *id,
            Condition::Search(search) => search.matches(message),
            Condition::Mentions(user) => message.body.mentioned_users.contains(user),
            Condition::IsResolved => channel_and_topic.is_some_and(|(_, topic)| super::topic::is_resolved(topic)),
            personal_condition => viewer.is_some_and(|viewer| personal_condition.holds_for(realm, viewer.id, message)),
        }
    }

    /// Evaluates a condition that depends on the viewer's own state; false for any other.
    fn holds_for(&self, realm: &Realm, viewer: UserId, message: &Message) -> bool {
        let state = realm.user_state(viewer);
        match self {
            Condition::IsStarred => state.starred.contains(&message.id),
            Condition::IsUnread => realm.is_unread(viewer, message),
            Condition::IsMentioned => message.mentions(viewer) || message.wildcard_mentions(viewer),
            Condition::IsAlerted => message.body.alerted_users.contains(&viewer),
            Condition::IsFollowed => message
                .channel_and_topic()
                .is_some_and(|(channel, topic)| state.topic_policy(channel, topic) == VisibilityPolicy::Followed),
            Condition::IsMuted => realm.is_excluded_from_home(viewer, message),
            Condition::InHome => !realm.is_excluded_from_home(viewer, message),
            Condition::InHomeLegacy => !realm.is_topic_or_channel_muted(viewer, message, true),
            _ => false,
        }
    }
}

/// All members of a direct message's conversation; None for a channel message.
fn members<'realm>(realm: &'realm Realm, message: &Message) -> Option<&'realm [UserId]> {
    message.conversation().map(|id| realm.conversations[&id].members.as_ref())
}
