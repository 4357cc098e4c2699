//! From a client's terms to resolved ones.

use super::{Condition, Narrow, Participants, Search, Term};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::Place;
use crate::realm::topic::names_empty_topic;
use crate::realm::user::User;
use serde_json::Value;
use std::sync::Arc;

/// A term as a client sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTerm {
    /// The operator, by its newest or an older name.
    pub operator: String,
    /// What it is applied to.
    pub operand: Value,
    /// The opposite is meant.
    pub is_negated: bool,
}

/// Terms that a narrow has at most; each is asked of every message that may be in it (A-200
/// in docs/assumptions.md).
pub const MAX_TERMS: usize = 100;
/// Words that one term of a search has at most.
const MAX_WORDS: usize = 100;

/// Operators that an anonymous visitor may use.
const FOR_VISITORS: [&str; 9] = ["channel", "channels", "topic", "sender", "has", "search", "near", "id", "with"];

pub(super) fn resolve(
    realm: &Realm,
    viewer: Option<&User>,
    raw: &[RawTerm],
    feature_level: i64,
) -> Result<Narrow, Error> {
    if raw.len() > MAX_TERMS {
        return Err(bad(format!("more than {MAX_TERMS} terms")));
    }
    let terms = with_conversation_of(realm, viewer, raw)?;
    if viewer.is_none() {
        check_visitor(&terms)?;
    }
    let mut narrow = Narrow { rows_are_enough: !Feature::NarrowsCheckRows.is_at(feature_level), ..Narrow::default() };
    for term in &terms {
        let mut condition = condition(realm, viewer, term)?;
        if !Feature::HomeNegated.is_at(feature_level) && condition == Condition::InHome {
            condition = Condition::InHomeOfOld;
        }
        if let Condition::Channel(id) = condition
            && !Feature::ArchivedChannelsClosed.is_at(feature_level)
            && term.operand.is_string()
            && realm.channels[&id].is_archived
        {
            return Err(bad(format!("unknown channel {}", term.operand.as_str().unwrap_or_default())));
        }
        // `near` and `in:all` say nothing, so that their opposite doesn't either.
        let is_never_negated = condition == Condition::Everything
            || condition == Condition::InHomeOfOld
            || (!Feature::SearchNegated.is_at(feature_level) && matches!(condition, Condition::Words(_)));
        narrow.terms.push(Term { is_negated: term.is_negated && !is_never_negated, condition });
    }
    if !Feature::SearchNegated.is_at(feature_level) {
        narrow.search_at_once();
    }
    check_combination(&narrow, Feature::NegatedTermsApart.is_at(feature_level))?;
    narrow.includes_history = includes_history(realm, viewer, &narrow, feature_level);
    Ok(narrow)
}

impl Narrow {
    /// Puts all searches together: words that are too common count for nothing with others.
    fn search_at_once(&mut self) {
        let Some(search) = self.search() else { return };
        self.terms.retain(|term| !matches!(term.condition, Condition::Words(_)));
        self.terms.push(Term { is_negated: false, condition: Condition::Words(search) });
    }
}

/// The operator's newest name.
fn newest_name(operator: &str) -> &str {
    match operator {
        "stream" => "channel",
        "streams" => "channels",
        "pm-with" | "pm_with" => "dm",
        "group_pm_with" => "group-pm-with",
        other => other,
    }
}

fn bad(desc: impl Into<String>) -> Error {
    Error::BadNarrow { desc: desc.into().into() }
}

/// `with` means the conversation of a message: it replaces terms that name another one.
fn with_conversation_of(realm: &Realm, viewer: Option<&User>, raw: &[RawTerm]) -> Result<Vec<RawTerm>, Error> {
    let mut with = raw.iter().filter(|term| newest_name(&term.operator) == "with");
    let Some(term) = with.next() else { return Ok(raw.to_vec()) };
    if with.next().is_some() {
        return Err(Error::BadNarrowCombination { desc: "Duplicate 'with' operators.".into() });
    }
    let id = message_id(&term.operand).ok_or_else(|| bad("Invalid 'with' operator"))?;
    let mut terms: Vec<RawTerm> = raw.iter().filter(|term| newest_name(&term.operator) != "with").cloned().collect();
    let message = match viewer {
        Some(viewer) => realm.message_seen_by(viewer, id),
        None => realm.messages.get(&id).filter(|message| realm.is_for_visitors(message)),
    };
    let Some(message) = message else {
        return if names_conversation(&terms) { Ok(terms) } else { Err(bad("Invalid 'with' operator")) };
    };
    terms.retain(|term| !matches!(newest_name(&term.operator), "channel" | "topic" | "dm"));
    let term = |operator: &str, operand: Value| RawTerm { operator: operator.into(), operand, is_negated: false };
    match &message.place {
        Place::Channel { channel, topic } => {
            terms.push(term("channel", channel.0.into()));
            terms.push(term("topic", topic.as_ref().into()));
        }
        Place::Direct { conversation } => {
            let members: Vec<i64> = realm.conversations[conversation].members.iter().map(|user| user.0).collect();
            terms.push(term("dm", members.into()));
        }
    }
    Ok(terms)
}

/// Whether the terms say by themselves which conversation is meant.
fn names_conversation(terms: &[RawTerm]) -> bool {
    let has = |name: &str| terms.iter().any(|term| newest_name(&term.operator) == name);
    has("dm") || (has("channel") && has("topic"))
}

fn check_visitor(terms: &[RawTerm]) -> Result<(), Error> {
    let is_web_public =
        |term: &RawTerm| newest_name(&term.operator) == "channels" && term.operand == "web-public" && !term.is_negated;
    let is_allowed = |term: &RawTerm| {
        FOR_VISITORS.contains(&newest_name(&term.operator)) || (term.operator == "is" && term.operand == "resolved")
    };
    if terms.iter().any(is_web_public) && terms.iter().all(is_allowed) { Ok(()) } else { Err(Error::NotLoggedIn) }
}

fn check_combination(narrow: &Narrow, tells_negated: bool) -> Result<(), Error> {
    let has = |wanted: fn(&Condition) -> bool, is_negated: bool| {
        narrow.terms.iter().any(|term| (!tells_negated || term.is_negated == is_negated) && wanted(&term.condition))
    };
    let is_of_channels = |condition: &Condition| {
        matches!(
            condition,
            Condition::Channel(_)
                | Condition::PublicChannels
                | Condition::WebPublicChannels
                | Condition::ArchivedChannels
                | Condition::Topic(_)
        )
    };
    let is_direct = |condition: &Condition| {
        matches!(
            condition,
            Condition::IsDirect
                | Condition::Conversation(_)
                | Condition::DirectIncluding(_)
                | Condition::GroupIncluding(_)
        )
    };
    let excludes_direct = tells_negated && has(|condition| *condition == Condition::IsDirect, true);
    let in_channels = has(is_of_channels, false) || excludes_direct;
    if in_channels && has(is_direct, false) {
        return Err(bad("No message can be both a channel message and direct message"));
    }
    Ok(())
}

/// Whether messages without a personal row are looked at too.
fn includes_history(realm: &Realm, viewer: Option<&User>, narrow: &Narrow, level: i64) -> bool {
    let Some(viewer) = viewer else { return true };
    let mut includes = false;
    for term in &narrow.terms {
        match &term.condition {
            Condition::Channel(id) if !term.is_negated => {
                let channel = &realm.channels[id];
                includes = realm.can_read(viewer, channel) && channel.privacy.has_public_history();
            }
            Condition::PublicChannels if !term.is_negated && !viewer.is_guest() => includes = true,
            Condition::IsResolved if !Feature::ResolvedForAll.is_at(level) => return false,
            Condition::IsFollowed if !Feature::FollowedByRows.is_at(level) => {}
            Condition::IsDirect
            | Condition::IsStarred
            | Condition::IsUnread
            | Condition::IsMentioned
            | Condition::IsAlerted
            | Condition::IsFollowed
            | Condition::IsMuted => return false,
            _ => {}
        }
    }
    includes
}

fn condition(realm: &Realm, viewer: Option<&User>, term: &RawTerm) -> Result<Condition, Error> {
    let operand = &term.operand;
    match newest_name(&term.operator) {
        "channel" => channel(realm, viewer, operand).map(|channel| Condition::Channel(channel.id)),
        "channels" => match text(operand)? {
            "public" => Ok(Condition::PublicChannels),
            "web-public" => Ok(Condition::WebPublicChannels),
            "archived" => Ok(Condition::ArchivedChannels),
            other => Err(bad(format!("unknown channels operand {other}"))),
        },
        "topic" => {
            let topic = text(operand)?;
            Ok(Condition::Topic(if names_empty_topic(topic) { String::new() } else { topic.to_lowercase() }))
        }
        "sender" => one_user(realm, viewer, operand, "unknown user").map(Condition::Sender),
        "dm" => conversation(realm, viewer, operand),
        "dm-including" => one_user(realm, viewer, operand, "unknown user").map(Condition::DirectIncluding),
        "group-pm-with" => one_user(realm, viewer, operand, "unknown user").map(Condition::GroupIncluding),
        "is" => is_condition(text(operand)?),
        "has" => match text(operand)? {
            "attachment" => Ok(Condition::HasAttachment),
            "image" => Ok(Condition::HasImage),
            "link" => Ok(Condition::HasLink),
            "reaction" => Ok(Condition::HasReaction),
            other => Err(bad(format!("unknown 'has' operand {other}"))),
        },
        "in" => match text(operand)? {
            "home" => Ok(Condition::InHome),
            "all" => Ok(Condition::Everything),
            other => Err(bad(format!("unknown 'in' operand {other}"))),
        },
        "id" => {
            let id = message_id(operand).filter(|id| id.0 >= 0);
            id.map(Condition::Id).ok_or_else(|| bad("Invalid message ID"))
        }
        "near" => Ok(Condition::Everything),
        "search" => match text(operand)? {
            blank if blank.trim().is_empty() => Err(Error::bad_value("operand", "cannot be blank.")),
            words => match Search::of(words) {
                search if search.count() > MAX_WORDS => Err(bad(format!("more than {MAX_WORDS} words"))),
                search => Ok(Condition::Words(search)),
            },
        },
        "mentions" => one_user(realm, viewer, operand, "unknown user").map(Condition::Mentions),
        other => Err(bad(format!("unknown operator {other}"))),
    }
}

fn is_condition(operand: &str) -> Result<Condition, Error> {
    Ok(match operand {
        "dm" | "private" => Condition::IsDirect,
        "starred" => Condition::IsStarred,
        "unread" => Condition::IsUnread,
        "mentioned" => Condition::IsMentioned,
        "alerted" => Condition::IsAlerted,
        "resolved" => Condition::IsResolved,
        "followed" => Condition::IsFollowed,
        "muted" => Condition::IsMuted,
        other => return Err(bad(format!("unknown 'is' operand {other}"))),
    })
}

fn text(operand: &Value) -> Result<&str, Error> {
    operand.as_str().ok_or_else(|| Error::bad_value("operand", "is not a string"))
}

fn message_id(operand: &Value) -> Option<MessageId> {
    operand.as_i64().or_else(|| operand.as_str().and_then(|text| text.parse().ok())).map(MessageId)
}

fn channel<'realm>(
    realm: &'realm Realm,
    viewer: Option<&User>,
    operand: &Value,
) -> Result<&'realm Arc<Channel>, Error> {
    let (found, shown) = match operand {
        Value::String(name) => (realm.channel_by_name(name), name.clone()),
        Value::Number(number) if number.is_i64() => {
            let id = number.as_i64().map(crate::realm::id::ChannelId);
            (id.and_then(|id| realm.channels.get(&id)), number.to_string())
        }
        _ => return Err(Error::bad_value("operand", "is not a string or integer")),
    };
    let channel = found.ok_or_else(|| bad(format!("unknown channel {shown}")))?;
    // Whoever left a private channel has messages of it still: their rows say which of those they may read.
    if viewer.is_none() && !channel.privacy.is_web_public() {
        return Err(bad(format!("unknown web-public channel {shown}")));
    }
    Ok(channel)
}

fn user(realm: &Realm, viewer: Option<&User>, operand: &Value) -> Option<UserId> {
    match operand {
        Value::Number(number) => number.as_i64().map(UserId).filter(|id| realm.users.contains_key(id)),
        Value::String(email) => realm.user_known_as(viewer, email).map(|user| user.id),
        _ => None,
    }
}

fn one_user(realm: &Realm, viewer: Option<&User>, operand: &Value, desc: &str) -> Result<UserId, Error> {
    if !operand.is_string() && !operand.is_i64() {
        return Err(Error::bad_value("operand", "is not a string or integer"));
    }
    let shown = operand.as_str().map_or_else(|| operand.to_string(), str::to_owned);
    user(realm, viewer, operand).ok_or_else(|| bad(format!("{desc} {shown}")))
}

/// The exact conversation with somebody: ids, one address, or addresses with commas between them.
fn conversation(realm: &Realm, viewer: Option<&User>, operand: &Value) -> Result<Condition, Error> {
    let users: Vec<Option<UserId>> = match operand {
        // Nobody writes to nobody.
        Value::Array(ids) if ids.is_empty() => return Ok(Condition::Conversation(None)),
        Value::String(emails) => {
            emails.split(',').map(|email| user(realm, viewer, &Value::from(email.trim()))).collect()
        }
        Value::Array(ids) if ids.iter().all(Value::is_i64) => ids.iter().map(|id| user(realm, viewer, id)).collect(),
        _ => return Err(Error::bad_value("operand", "is not a string or an integer list")),
    };
    let shown = operand.as_str().map_or_else(|| operand.to_string(), str::to_owned);
    let users: Option<Participants> = users.into_iter().collect();
    let mut members = users.ok_or_else(|| bad(format!("unknown user in {shown}")))?;
    members.extend(viewer.map(|viewer| viewer.id));
    Ok(Condition::Conversation(realm.conversation_of(members).map(|conversation| conversation.id)))
}
