//! Which unread messages are listed as mentions: those of everybody only where the topic is not muted.

use super::rows::numbers;
use super::{State, Unknowable};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Flags of a message that mentions everybody in its channel or topic; `mentioned` is of those mentioned themselves.
const OF_EVERYBODY: [&str; 3] = ["stream_wildcard_mentioned", "topic_wildcard_mentioned", "wildcard_mentioned"];

/// What is known of an unread message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mention {
    /// It is none.
    #[default]
    Nobody,
    /// Of the user: listed wherever it is.
    User,
    /// Of everybody: listed unless the topic is muted.
    Everybody,
    /// The server listed it or not while the topic was muted or not.
    Reported { is_listed: bool, was_muted: Option<bool> },
}

impl Mention {
    /// What an event's flags say.
    pub(super) fn of_flags(flags: &[&str]) -> Self {
        if flags.contains(&"mentioned") {
            Self::User
        } else if flags.iter().any(|flag| OF_EVERYBODY.contains(flag)) {
            Self::Everybody
        } else {
            Self::Nobody
        }
    }

    /// Whether it is listed where the topic is muted or not; None where that can't be known.
    fn is_listed(self, is_muted: Option<bool>) -> Option<bool> {
        match self {
            Self::Nobody | Self::Reported { is_listed: false, was_muted: Some(false) } => Some(false),
            Self::User | Self::Reported { is_listed: true, was_muted: Some(true) } => Some(true),
            Self::Everybody => is_muted.map(|is_muted| !is_muted),
            Self::Reported { is_listed, was_muted } => {
                (is_muted.is_some() && was_muted == is_muted).then_some(is_listed)
            }
        }
    }
}

impl State {
    /// Takes the mentions from a register reply.
    pub(super) fn note_mentions(&mut self) {
        let Some(unread) = self.value.get("unread_msgs") else { return };
        let listed: BTreeSet<i64> = numbers(&unread["mentions"]).into_iter().collect();
        let reported = self
            .unread_by_muting()
            .into_iter()
            .flat_map(|(ids, was_muted)| ids.into_iter().map(move |id| (id, was_muted)).collect::<Vec<_>>());
        let mention = |(id, was_muted)| (id, Mention::Reported { is_listed: listed.contains(&id), was_muted });
        self.mentions = reported.map(mention).collect();
    }

    /// What a server says of a message that is unread again: below 213, more than muting decided.
    pub(super) fn reported_mention(&self, is_listed: bool, channel: &Value, topic: &str) -> Mention {
        let was_muted = self.is_muted(channel, topic).filter(|_| self.counts_unmuted_topics());
        Mention::Reported { is_listed, was_muted }
    }

    /// Lists the mentions again.
    pub(super) fn relist_mentions(&mut self) {
        self.doubts.retain(|doubt| !matches!(doubt, Unknowable::Mention(_)));
        let mut listed = BTreeSet::new();
        for (ids, is_muted) in self.unread_by_muting() {
            for id in ids {
                match self.mentions.get(&id).copied().unwrap_or_default().is_listed(is_muted) {
                    Some(true) => _ = listed.insert(id),
                    Some(false) => {}
                    None => _ = self.doubts.insert(Unknowable::Mention(id)),
                }
            }
        }
        if let Some(list) = self.unread("mentions") {
            *list = json!(listed);
        }
    }

    /// All that is unread, and whether it is in a muted topic; None where that can't be known.
    fn unread_by_muting(&self) -> Vec<(Vec<i64>, Option<bool>)> {
        let Some(unread) = self.value.get("unread_msgs") else { return Vec::new() };
        let shelves = |list: &str| unread[list].as_array().into_iter().flatten();
        let ids = |shelf: &Value| numbers(&shelf["unread_message_ids"]);
        let direct = shelves("pms").chain(shelves("huddles")).map(|shelf| (ids(shelf), Some(false)));
        let topics = shelves("streams")
            .map(|shelf| (ids(shelf), self.is_muted(&shelf["stream_id"], shelf["topic"].as_str().unwrap_or_default())));
        direct.chain(topics).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{State, Unknowable};
    use serde_json::{Value, json};

    fn registered(policy: i64, mentions: Value) -> State {
        let topic = json!({"stream_id": 1, "topic": "lunch", "unread_message_ids": [4]});
        State::from_register(json!({
            "service_feature_level": 400,
            "subscriptions": [{"stream_id": 1, "name": "general", "is_muted": false}],
            "user_topics": [{"stream_id": 1, "topic_name": "lunch", "visibility_policy": policy}],
            "unread_msgs": {"count": 1, "streams": [topic], "pms": [], "huddles": [], "mentions": mentions},
        }))
    }

    fn say(state: &mut State, policy: i64) {
        let event = json!({"type": "user_topic", "stream_id": 1, "topic_name": "Lunch", "visibility_policy": policy});
        assert!(state.apply(&event));
    }

    fn receive(state: &mut State, id: i64, flags: Value) {
        let message = json!({"id": id, "type": "stream", "stream_id": 1, "subject": "lunch"});
        assert!(state.apply(&json!({"type": "message", "message": message, "flags": flags})));
    }

    #[test]
    fn mentions_of_everybody_are_listed_while_the_topic_is_not_muted() {
        let mut state = registered(0, json!([]));
        receive(&mut state, 5, json!(["stream_wildcard_mentioned", "wildcard_mentioned"]));
        receive(&mut state, 6, json!(["mentioned"]));
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([5, 6]));

        say(&mut state, 1);
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([6]));
        say(&mut state, 3);
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([5, 6]));
        assert!(state.doubts().iter().eq([&Unknowable::NewestMessage]));
    }

    #[test]
    fn what_was_not_listed_in_a_muted_topic_may_be_a_mention_outside() {
        let mut state = registered(1, json!([]));
        say(&mut state, 2);
        assert!(state.doubts().contains(&Unknowable::Mention(4)));
        say(&mut state, 1);
        assert!(state.doubts().iter().eq([&Unknowable::NewestMessage]));
    }

    #[test]
    fn what_was_listed_in_a_muted_topic_is_a_mention_anywhere() {
        let mut state = registered(1, json!([4]));
        say(&mut state, 2);
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([4]));
        assert!(state.doubts().iter().eq([&Unknowable::NewestMessage]));
    }
}
