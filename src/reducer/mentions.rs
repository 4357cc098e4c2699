//! The list of unread mentions, which contains wildcard mentions only if their topic is not muted.

use super::json::to_integers;
use super::{State, UnknownPart};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Flags of messages that mention everybody in their channel or topic.
const WILDCARD_FLAGS: [&str; 3] = ["stream_wildcard_mentioned", "topic_wildcard_mentioned", "wildcard_mentioned"];

/// Who is mentioned in an unread message, as far as the client knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mention {
    /// The message does not mention the user.
    #[default]
    Nobody,
    /// The message mentions the user and is always listed.
    User,
    /// The message mentions everybody and is listed unless its topic is muted.
    Everybody,
    /// Only the server's list is known. `was_muted` is whether the topic was muted when the server reported the list,
    /// None if that is not known.
    Reported { is_listed: bool, was_muted: Option<bool> },
}

impl Mention {
    pub(super) fn from_flags(flags: &[&str]) -> Self {
        if flags.contains(&"mentioned") {
            Self::User
        } else if flags.iter().any(|flag| WILDCARD_FLAGS.contains(flag)) {
            Self::Everybody
        } else {
            Self::Nobody
        }
    }

    /// Whether the message is listed, given whether its topic is muted. None if that cannot be known.
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
    /// Initializes the mentions from the register reply.
    pub(super) fn initialize_mentions(&mut self) {
        let Some(unread) = self.value.get("unread_msgs") else { return };
        let listed_ids: BTreeSet<i64> = to_integers(&unread["mentions"]).into_iter().collect();
        let reported = self
            .unread_ids_by_muting()
            .into_iter()
            .flat_map(|(ids, was_muted)| ids.into_iter().map(move |id| (id, was_muted)).collect::<Vec<_>>());
        let to_mention = |(id, was_muted)| (id, Mention::Reported { is_listed: listed_ids.contains(&id), was_muted });
        self.mentions = reported.map(to_mention).collect();
    }

    /// The mention in a message that was marked as unread. Below level 213, it is not known whether its topic counted
    /// as muted, because the server counts unmuted topics in muted channels as muted, too.
    pub(super) fn reported_mention(&self, is_listed: bool, channel: &Value, topic: &str) -> Mention {
        let was_muted = self.is_muted(channel, topic).filter(|_| self.counts_unmuted_topics());
        Mention::Reported { is_listed, was_muted }
    }

    /// Recomputes the list of mentions, and which messages may be missing there.
    pub(super) fn update_mentions(&mut self) {
        self.unknown_parts.retain(|part| !matches!(part, UnknownPart::Mention(_)));
        let mut listed_ids = BTreeSet::new();
        for (ids, is_muted) in self.unread_ids_by_muting() {
            for id in ids {
                match self.mentions.get(&id).copied().unwrap_or_default().is_listed(is_muted) {
                    Some(true) => _ = listed_ids.insert(id),
                    Some(false) => {}
                    None => _ = self.unknown_parts.insert(UnknownPart::Mention(id)),
                }
            }
        }
        if let Some(list) = self.unread_list("mentions") {
            *list = json!(listed_ids);
        }
    }

    /// The IDs of unread messages in each conversation, and whether it is muted. None if that cannot be known.
    fn unread_ids_by_muting(&self) -> Vec<(Vec<i64>, Option<bool>)> {
        let Some(unread) = self.value.get("unread_msgs") else { return Vec::new() };
        let buckets = |list: &str| unread[list].as_array().into_iter().flatten();
        let ids = |bucket: &Value| to_integers(&bucket["unread_message_ids"]);
        let direct = buckets("pms").chain(buckets("huddles")).map(|bucket| (ids(bucket), Some(false)));
        let topics = buckets("streams").map(|bucket| {
            (ids(bucket), self.is_muted(&bucket["stream_id"], bucket["topic"].as_str().unwrap_or_default()))
        });
        direct.chain(topics).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{State, UnknownPart};
    use serde_json::{Value, json};

    fn registered_state(policy: i64, mentions: Value) -> State {
        let topic = json!({"stream_id": 1, "topic": "lunch", "unread_message_ids": [4]});
        State::from_register(json!({
            "service_feature_level": 400,
            "subscriptions": [{"stream_id": 1, "name": "general", "is_muted": false}],
            "user_topics": [{"stream_id": 1, "topic_name": "lunch", "visibility_policy": policy}],
            "unread_msgs": {"count": 1, "streams": [topic], "pms": [], "huddles": [], "mentions": mentions},
        }))
    }

    fn set_policy(state: &mut State, policy: i64) {
        let event = json!({"type": "user_topic", "stream_id": 1, "topic_name": "Lunch", "visibility_policy": policy});
        assert!(state.apply(&event));
    }

    fn receive_message(state: &mut State, id: i64, flags: Value) {
        let message = json!({"id": id, "type": "stream", "stream_id": 1, "subject": "lunch"});
        assert!(state.apply(&json!({"type": "message", "message": message, "flags": flags})));
    }

    #[test]
    fn mentions_of_everybody_are_listed_while_the_topic_is_not_muted() {
        let mut state = registered_state(0, json!([]));
        receive_message(&mut state, 5, json!(["stream_wildcard_mentioned", "wildcard_mentioned"]));
        receive_message(&mut state, 6, json!(["mentioned"]));
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([5, 6]));

        set_policy(&mut state, 1);
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([6]));
        set_policy(&mut state, 3);
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([5, 6]));
        assert!(state.unknown_parts().iter().eq([&UnknownPart::NewestMessage]));
    }

    #[test]
    fn messages_not_listed_in_a_muted_topic_may_be_mentions() {
        let mut state = registered_state(1, json!([]));
        set_policy(&mut state, 2);
        assert!(state.unknown_parts().contains(&UnknownPart::Mention(4)));
        set_policy(&mut state, 1);
        assert!(state.unknown_parts().iter().eq([&UnknownPart::NewestMessage]));
    }

    #[test]
    fn messages_listed_in_a_muted_topic_are_always_listed() {
        let mut state = registered_state(1, json!([4]));
        set_policy(&mut state, 2);
        assert_eq!(state.value()["unread_msgs"]["mentions"], json!([4]));
        assert!(state.unknown_parts().iter().eq([&UnknownPart::NewestMessage]));
    }
}
