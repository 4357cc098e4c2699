//! Resolves the terms that a client sends: operators, and the channels, topics and users in their operands.

use super::{Condition, Narrow, Search, Term};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::MessagePlace;
use crate::realm::topic::is_empty_topic_name;
use crate::realm::user::User;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A term as the client sends it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTerm {
    /// The newest name of the operator, or a legacy one such as `stream`.
    pub operator: String,
    pub operand: Value,
    pub is_negated: bool,
}

/// The maximum number of terms. They are limited because each is evaluated for every candidate message (A-200 in
/// docs/assumptions.md).
pub const MAX_TERMS: usize = 100;
/// The maximum number of different words and phrases of a search (A-200 too).
const MAX_SEARCH_WORDS: usize = 100;

/// The operators that spectators may use. `is` is allowed too, with the operand `resolved`.
const SPECTATOR_OPERATORS: [&str; 9] =
    ["channel", "channels", "topic", "sender", "has", "search", "near", "id", "with"];

pub(super) fn resolve(
    realm: &Realm,
    viewer: Option<&User>,
    raw_terms: &[RawTerm],
    feature_level: i64,
) -> Result<Narrow, Error> {
    if raw_terms.len() > MAX_TERMS {
        return Err(narrow_error(format!("more than {MAX_TERMS} terms")));
    }
    let terms = replace_with_operator(realm, viewer, raw_terms)?;
    if viewer.is_none() {
        check_spectator_terms(&terms)?;
    }
    let mut narrow =
        Narrow { user_message_grants_access: !Feature::NarrowsCheckAccess.is_at(feature_level), ..Narrow::default() };
    for term in &terms {
        let mut condition = resolve_condition(realm, viewer, term)?;
        if !Feature::InHomeCanBeNegated.is_at(feature_level) && condition == Condition::InHome {
            condition = Condition::InHomeLegacy;
        }
        // Below the level of this feature, archived channels are found by ID only.
        if let Condition::Channel(id) = condition
            && !Feature::ArchivedChannelsClosed.is_at(feature_level)
            && term.operand.is_string()
            && realm.channels[&id].is_archived
        {
            return Err(narrow_error(format!("unknown channel {}", term.operand.as_str().unwrap_or_default())));
        }
        // `near` and `in:all` match every message, negated or not. Older levels ignore the negation of `in:home` and
        // `search`.
        let is_never_negated = condition == Condition::Everything
            || condition == Condition::InHomeLegacy
            || (!Feature::SearchCanBeNegated.is_at(feature_level) && matches!(condition, Condition::Search(_)));
        narrow.terms.push(Term { is_negated: term.is_negated && !is_never_negated, condition });
    }
    if !Feature::SearchCanBeNegated.is_at(feature_level) {
        narrow.merge_searches();
    }
    check_combination(&narrow, Feature::NegatedTermsCombined.is_at(feature_level))?;
    narrow.includes_history = includes_history(realm, viewer, &narrow, feature_level);
    Ok(narrow)
}

impl Narrow {
    /// Merges all searches into one term, so that a search of only stop words does not prevent matches of the others.
    fn merge_searches(&mut self) {
        let Some(search) = self.search() else { return };
        self.terms.retain(|term| !matches!(term.condition, Condition::Search(_)));
        self.terms.push(Term { is_negated: false, condition: Condition::Search(search) });
    }
}

fn newest_name(operator: &str) -> &str {
    match operator {
        "stream" => "channel",
        "streams" => "channels",
        "pm-with" | "pm_with" => "dm",
        "group_pm_with" => "group-pm-with",
        other => other,
    }
}

fn narrow_error(desc: impl Into<String>) -> Error {
    Error::BadNarrow { desc: desc.into().into() }
}

/// Replaces a `with` term, and the terms that name a channel, topic or conversation, by terms for the topic or
/// conversation of its message. If the viewer can't see the message, only the `with` term is removed; if the other
/// terms name no topic or conversation then, the narrow is refused.
fn replace_with_operator(realm: &Realm, viewer: Option<&User>, raw_terms: &[RawTerm]) -> Result<Vec<RawTerm>, Error> {
    let mut with_terms = raw_terms.iter().filter(|term| newest_name(&term.operator) == "with");
    let Some(with_term) = with_terms.next() else { return Ok(raw_terms.to_vec()) };
    if with_terms.next().is_some() {
        return Err(Error::BadNarrowCombination { desc: "Duplicate 'with' operators.".into() });
    }
    let id = message_id(&with_term.operand).ok_or_else(|| narrow_error("Invalid 'with' operator"))?;
    let mut terms: Vec<RawTerm> =
        raw_terms.iter().filter(|term| newest_name(&term.operator) != "with").cloned().collect();
    let message = match viewer {
        Some(viewer) => realm.visible_message(viewer, id),
        None => realm.messages.get(&id).filter(|message| realm.is_visible_to_spectators(message)),
    };
    let Some(message) = message else {
        return if names_conversation(&terms) { Ok(terms) } else { Err(narrow_error("Invalid 'with' operator")) };
    };
    terms.retain(|term| !matches!(newest_name(&term.operator), "channel" | "topic" | "dm"));
    let new_term = |operator: &str, operand: Value| RawTerm { operator: operator.into(), operand, is_negated: false };
    match &message.place {
        MessagePlace::Channel { channel, topic } => {
            terms.push(new_term("channel", channel.0.into()));
            terms.push(new_term("topic", topic.as_ref().into()));
        }
        MessagePlace::Direct { conversation } => {
            let members: Vec<i64> = realm.conversations[conversation].members.iter().map(|user| user.0).collect();
            terms.push(new_term("dm", members.into()));
        }
    }
    Ok(terms)
}

fn names_conversation(terms: &[RawTerm]) -> bool {
    let has_operator = |name: &str| terms.iter().any(|term| newest_name(&term.operator) == name);
    has_operator("dm") || (has_operator("channel") && has_operator("topic"))
}

fn check_spectator_terms(terms: &[RawTerm]) -> Result<(), Error> {
    let is_web_public =
        |term: &RawTerm| newest_name(&term.operator) == "channels" && term.operand == "web-public" && !term.is_negated;
    let is_allowed = |term: &RawTerm| {
        SPECTATOR_OPERATORS.contains(&newest_name(&term.operator))
            || (term.operator == "is" && term.operand == "resolved")
    };
    if terms.iter().any(is_web_public) && terms.iter().all(is_allowed) { Ok(()) } else { Err(Error::NotLoggedIn) }
}

fn check_combination(narrow: &Narrow, distinguishes_negated: bool) -> Result<(), Error> {
    let has_term = |matches_kind: fn(&Condition) -> bool, is_negated: bool| {
        narrow
            .terms
            .iter()
            .any(|term| (!distinguishes_negated || term.is_negated == is_negated) && matches_kind(&term.condition))
    };
    let is_channel_condition = |condition: &Condition| {
        matches!(
            condition,
            Condition::Channel(_)
                | Condition::PublicChannels
                | Condition::WebPublicChannels
                | Condition::ArchivedChannels
                | Condition::Topic(_)
        )
    };
    let is_direct_condition = |condition: &Condition| {
        matches!(
            condition,
            Condition::IsDirect
                | Condition::Conversation(_)
                | Condition::DirectIncluding(_)
                | Condition::GroupIncluding(_)
        )
    };
    let excludes_direct = distinguishes_negated && has_term(|condition| *condition == Condition::IsDirect, true);
    let is_in_channels = has_term(is_channel_condition, false) || excludes_direct;
    if is_in_channels && has_term(is_direct_condition, false) {
        return Err(narrow_error("No message can be both a channel message and direct message"));
    }
    Ok(())
}

/// Whether the narrow includes messages for which the viewer has no user message.
fn includes_history(realm: &Realm, viewer: Option<&User>, narrow: &Narrow, level: i64) -> bool {
    let Some(viewer) = viewer else { return true };
    let mut includes_history = false;
    for term in &narrow.terms {
        match &term.condition {
            // Of several terms for channels, the last one decides, as on a real server.
            Condition::Channel(id) if !term.is_negated => {
                let channel = &realm.channels[id];
                includes_history = realm.can_read(viewer, channel) && channel.privacy.has_public_history();
            }
            Condition::PublicChannels if !term.is_negated && !viewer.is_guest() => includes_history = true,
            Condition::IsResolved if !Feature::IsResolvedIncludesHistory.is_at(level) => return false,
            Condition::IsFollowed if !Feature::IsFollowedExcludesHistory.is_at(level) => {}
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
    includes_history
}

fn resolve_condition(realm: &Realm, viewer: Option<&User>, term: &RawTerm) -> Result<Condition, Error> {
    let operand = &term.operand;
    match newest_name(&term.operator) {
        "channel" => resolve_channel(realm, viewer, operand).map(|channel| Condition::Channel(channel.id)),
        "channels" => match text_operand(operand)? {
            "public" => Ok(Condition::PublicChannels),
            "web-public" => Ok(Condition::WebPublicChannels),
            "archived" => Ok(Condition::ArchivedChannels),
            other => Err(narrow_error(format!("unknown channels operand {other}"))),
        },
        "topic" => {
            let topic = text_operand(operand)?;
            Ok(Condition::Topic(if is_empty_topic_name(topic) { String::new() } else { topic.to_lowercase() }))
        }
        "sender" => resolve_user(realm, viewer, operand).map(Condition::Sender),
        "dm" => resolve_conversation(realm, viewer, operand),
        "dm-including" => resolve_user(realm, viewer, operand).map(Condition::DirectIncluding),
        "group-pm-with" => resolve_user(realm, viewer, operand).map(Condition::GroupIncluding),
        "is" => parse_is_operand(text_operand(operand)?),
        "has" => match text_operand(operand)? {
            "attachment" => Ok(Condition::HasAttachment),
            "image" => Ok(Condition::HasImage),
            "link" => Ok(Condition::HasLink),
            "reaction" => Ok(Condition::HasReaction),
            other => Err(narrow_error(format!("unknown 'has' operand {other}"))),
        },
        "in" => match text_operand(operand)? {
            "home" => Ok(Condition::InHome),
            "all" => Ok(Condition::Everything),
            other => Err(narrow_error(format!("unknown 'in' operand {other}"))),
        },
        "id" => {
            let id = message_id(operand).filter(|id| id.0 >= 0);
            id.map(Condition::Id).ok_or_else(|| narrow_error("Invalid message ID"))
        }
        "near" => Ok(Condition::Everything),
        "search" => match text_operand(operand)? {
            blank if blank.trim().is_empty() => Err(Error::bad_value("operand", "cannot be blank.")),
            words => match Search::parse(words) {
                search if search.word_and_phrase_count() > MAX_SEARCH_WORDS => {
                    Err(narrow_error(format!("more than {MAX_SEARCH_WORDS} words")))
                }
                search => Ok(Condition::Search(search)),
            },
        },
        "mentions" => resolve_user(realm, viewer, operand).map(Condition::Mentions),
        other => Err(narrow_error(format!("unknown operator {other}"))),
    }
}

fn parse_is_operand(operand: &str) -> Result<Condition, Error> {
    Ok(match operand {
        "dm" | "private" => Condition::IsDirect,
        "starred" => Condition::IsStarred,
        "unread" => Condition::IsUnread,
        "mentioned" => Condition::IsMentioned,
        "alerted" => Condition::IsAlerted,
        "resolved" => Condition::IsResolved,
        "followed" => Condition::IsFollowed,
        "muted" => Condition::IsMuted,
        other => return Err(narrow_error(format!("unknown 'is' operand {other}"))),
    })
}

fn text_operand(operand: &Value) -> Result<&str, Error> {
    operand.as_str().ok_or_else(|| Error::bad_value("operand", "is not a string"))
}

fn message_id(operand: &Value) -> Option<MessageId> {
    operand.as_i64().or_else(|| operand.as_str().and_then(|text| text.parse().ok())).map(MessageId)
}

fn resolve_channel<'realm>(
    realm: &'realm Realm,
    viewer: Option<&User>,
    operand: &Value,
) -> Result<&'realm Arc<Channel>, Error> {
    let (channel, name_or_id) = match operand {
        Value::String(name) => (realm.channel_by_name(name), name.clone()),
        Value::Number(number) if number.is_i64() => {
            let id = number.as_i64().map(ChannelId);
            (id.and_then(|id| realm.channels.get(&id)), number.to_string())
        }
        _ => return Err(Error::bad_value("operand", "is not a string or integer")),
    };
    let channel = channel.ok_or_else(|| narrow_error(format!("unknown channel {name_or_id}")))?;
    // Users need no access check here, because each message is checked. Below the level of `NarrowsCheckAccess`, former
    // subscribers of a private channel may still read the messages that they received.
    if viewer.is_none() && !channel.privacy.is_web_public() {
        return Err(narrow_error(format!("unknown web-public channel {name_or_id}")));
    }
    Ok(channel)
}

/// The user with an ID or an email address; None if there is none that the viewer can find.
fn find_user(realm: &Realm, viewer: Option<&User>, operand: &Value) -> Option<UserId> {
    match operand {
        Value::Number(number) => number.as_i64().map(UserId).filter(|id| realm.users.contains_key(id)),
        Value::String(email) => realm.user_by_displayed_email(viewer, email).map(|user| user.id),
        _ => None,
    }
}

fn resolve_user(realm: &Realm, viewer: Option<&User>, operand: &Value) -> Result<UserId, Error> {
    if !operand.is_string() && !operand.is_i64() {
        return Err(Error::bad_value("operand", "is not a string or integer"));
    }
    let operand_text = operand.as_str().map_or_else(|| operand.to_string(), str::to_owned);
    find_user(realm, viewer, operand).ok_or_else(|| narrow_error(format!("unknown user {operand_text}")))
}

/// Resolves the operand of `dm`: a list of IDs, or email addresses separated by commas.
fn resolve_conversation(realm: &Realm, viewer: Option<&User>, operand: &Value) -> Result<Condition, Error> {
    let users: Vec<Option<UserId>> = match operand {
        // An empty list names no conversation, not even the viewer's own with themselves.
        Value::Array(ids) if ids.is_empty() => return Ok(Condition::Conversation(None)),
        Value::String(emails) => {
            emails.split(',').map(|email| find_user(realm, viewer, &Value::from(email.trim()))).collect()
        }
        Value::Array(ids) if ids.iter().all(Value::is_i64) => {
            ids.iter().map(|id| find_user(realm, viewer, id)).collect()
        }
        _ => return Err(Error::bad_value("operand", "is not a string or an integer list")),
    };
    let operand_text = operand.as_str().map_or_else(|| operand.to_string(), str::to_owned);
    let users: Option<BTreeSet<UserId>> = users.into_iter().collect();
    let mut members = users.ok_or_else(|| narrow_error(format!("unknown user in {operand_text}")))?;
    members.extend(viewer.map(|viewer| viewer.id));
    Ok(Condition::Conversation(realm.conversation_of(members).map(|conversation| conversation.id)))
}
