//! Comparing values of two servers, each of which assigns its own ids.

use crate::scenario::recording::kinds::{is_time, kind, singular};
use crate::scenario::recording::secrets::is_secret;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Items of longer lists are only compared with the item at the same position.
const MATCHED_ITEMS: usize = 80;
/// What is shown in place of a missing value.
pub const ABSENT: &str = "absent";

/// Keys whose values depend on the server or the time, and are not compared.
const OF_SERVER: [&str; 12] = [
    "queue_id",
    "zulip_merge_base",
    "service_merge_base",
    "stream_weekly_traffic",
    "server_generation",
    "avatar_url",
    "avatar_url_medium",
    "duration",
    "email_address",
    "retry-after",
    "local_id",
    "realm_upload_quota_mib",
];

/// Parts of texts that each server draws at random or that are times, and what is compared in their place.
static DRAWN: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let all = [
        (r#"/user_uploads/[^\s"')<]*/"#, "/user_uploads/U/"),
        (r"[0-9a-f]{24,}", "H"),
        (r"[0-9a-f]{8}-[0-9a-f-]{20,}", "H"),
        (r"/join/\w+", "/join/J"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "T"),
        (r"\d{10,}:[0-9a-f]+|\d{10,}:\d+", "Q"),
    ];
    all.map(|(pattern, short)| (Regex::new(pattern).expect("a well-formed pattern"), short)).to_vec()
});

/// Ids in texts, after the text that tells their kind.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(/near/|/with/|data-user-id=\\?"|data-stream-id=\\?"|data-user-group-id=\\?"|/channel/|/stream/)(\d+)"#,
    )
    .expect("a well-formed pattern")
});

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place, such as `reply.messages[].id` or `event message of mel`.
    pub at: String,
    /// The value of the first server as text.
    pub first: String,
    /// The value of the second server as text.
    pub second: String,
}

/// Which ids and texts of two servers correspond.
#[derive(Clone, Debug, Default)]
pub struct Likeness {
    pairs: imbl::HashMap<(String, i64), i64>,
    back: imbl::HashMap<(String, i64), i64>,
    /// For each server: texts, and what is compared in their place; the longest text first.
    texts: [Vec<(String, String)>; 2],
}

impl Likeness {
    /// Compares `by` in place of a text of one server (`side` 0 or 1), wherever it occurs.
    pub fn replace(&mut self, side: usize, text: &str, by: &str) {
        if text.len() > 2 && !self.texts[side].iter().any(|(known, _)| known == text) {
            self.texts[side].push((text.to_owned(), by.to_owned()));
            self.texts[side].sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
    }

    /// Notes that two ids of a kind correspond; false if one of them corresponds to another id already.
    pub fn pair(&mut self, kind: &str, first: i64, second: i64) -> bool {
        let (one, other) = ((kind.to_owned(), first), (kind.to_owned(), second));
        match (self.pairs.get(&one), self.back.get(&other)) {
            (Some(known), _) => *known == second,
            (None, Some(_)) => false,
            (None, None) => {
                self.pairs.insert(one, second);
                self.back.insert(other, first);
                true
            }
        }
    }

    /// The differences between two values at a place. `around` is the kind of object that they describe, such as `message`.
    pub fn differences(&mut self, at: &str, around: &str, first: &Value, second: &Value) -> Vec<Difference> {
        let mut found = Vec::new();
        self.value("", around, first, second, at, &mut found);
        found
    }

    fn value(&mut self, key: &str, around: &str, first: &Value, second: &Value, at: &str, found: &mut Vec<Difference>) {
        let is_free = OF_SERVER.contains(&key) || key.ends_with("_version") || key.ends_with("_feature_level");
        // Clients are named by what they are called on the way, which proxies change.
        let is_any_text = is_secret(key) || matches!(key, "client" | "sending_client");
        if is_free || (is_any_text && first.is_string() && second.is_string()) {
            return;
        }
        match (first, second) {
            (Value::Object(first), Value::Object(second)) => self.objects(key, around, first, second, at, found),
            (Value::Array(first), Value::Array(second)) => self.arrays(key, around, first, second, at, found),
            (Value::Number(one), Value::Number(other)) => {
                if !self.numbers(key, around, one, other) {
                    self.note(at, first, second, found);
                }
            }
            (Value::String(one), Value::String(other)) => {
                if !self.strings(one, other) {
                    self.note(at, first, second, found);
                }
            }
            _ if first == second => {}
            _ => self.note(at, first, second, found),
        }
    }

    fn numbers(&mut self, key: &str, around: &str, first: &serde_json::Number, second: &serde_json::Number) -> bool {
        let (Some(one), Some(other)) = (first.as_i64(), second.as_i64()) else {
            let is_float = first.as_i64().is_none() && second.as_i64().is_none();
            let both_times = [first, second].iter().all(|number| is_time(key, number.as_f64().unwrap_or_default()));
            return is_float && (both_times || first == second);
        };
        if is_time(key, one as f64) && is_time(key, other as f64) {
            return true;
        }
        match kind(key, around) {
            Some(kind) if one > 0 && other > 0 => self.pair(&kind, one, other),
            None if matches!(key, "recipient_id" | "last_event_id" | "realm_id") => true,
            _ => one == other,
        }
    }

    fn strings(&mut self, first: &str, second: &str) -> bool {
        let (one, other) = (self.normal(0, first), self.normal(1, second));
        if one == other {
            return true;
        }
        let ids = |text: &str| -> Vec<(String, i64)> {
            let found = NUMBERED.captures_iter(text);
            found.map(|part| (part[1].to_owned(), part[2].parse().unwrap_or_default())).collect()
        };
        let pairs: Vec<_> = ids(&one).into_iter().zip(ids(&other)).collect();
        NUMBERED.replace_all(&one, "$1") == NUMBERED.replace_all(&other, "$1")
            && pairs.into_iter().all(|((before, first), (_, second))| {
                let kind = match before.as_str() {
                    "/near/" | "/with/" => "message",
                    "/channel/" | "/stream/" => "channel",
                    other if other.contains("user-id") => "user",
                    other if other.contains("stream-id") => "channel",
                    _ => "group",
                };
                self.pair(kind, first, second)
            })
    }

    /// A text with the replacements for its server.
    fn normal(&self, side: usize, text: &str) -> String {
        let mut text = text.to_owned();
        for (known, by) in &self.texts[side] {
            if text.contains(known) {
                text = text.replace(known, by);
            }
        }
        DRAWN.iter().fold(text, |text, (pattern, short)| pattern.replace_all(&text, *short).into_owned())
    }

    fn objects(
        &mut self,
        key: &str,
        around: &str,
        first: &Map<String, Value>,
        second: &Map<String, Value>,
        at: &str,
        found: &mut Vec<Difference>,
    ) {
        let around = if key.is_empty() { around.to_owned() } else { singular(key) };
        let mut left: BTreeSet<&String> = second.keys().collect();
        for (name, inner) in first {
            let place = format!("{at}.{}", if is_index(name) { "*" } else { name });
            match self.counterpart(name, second) {
                Some(other) => {
                    left.remove(other);
                    self.value(name, &around, inner, &second[other], &place, found);
                }
                None => found.push(Difference { at: place, first: self.shown(0, inner), second: ABSENT.to_owned() }),
            }
        }
        for name in left {
            let place = format!("{at}.{}", if is_index(name) { "*" } else { name });
            found.push(Difference { at: place, first: ABSENT.to_owned(), second: self.shown(1, &second[name]) });
        }
    }

    /// The key of the second object that corresponds to a key of the first.
    fn counterpart<'o>(&self, name: &str, second: &'o Map<String, Value>) -> Option<&'o String> {
        if let Ok(id) = name.parse::<i64>() {
            for kind in ["message", "user", "channel", "group"] {
                let other = self.pairs.get(&(kind.to_owned(), id)).map(ToString::to_string);
                if let Some((known, _)) = other.and_then(|other| second.get_key_value(&other)) {
                    return Some(known);
                }
            }
        }
        let exact = second.get_key_value(name).map(|(known, _)| known);
        exact.or_else(|| {
            let wanted = self.normal(0, name);
            second.keys().find(|other| self.normal(1, other) == wanted)
        })
    }

    fn arrays(
        &mut self,
        key: &str,
        around: &str,
        first: &[Value],
        second: &[Value],
        at: &str,
        found: &mut Vec<Difference>,
    ) {
        let place = format!("{at}[]");
        let mut in_order = self.clone();
        let mut differing = Vec::new();
        if first.len() == second.len() {
            for (one, other) in first.iter().zip(second) {
                in_order.value(key, around, one, other, &place, &mut differing);
            }
            if differing.is_empty() || first.len() > MATCHED_ITEMS || first.len() == 1 {
                *self = in_order;
                found.extend(differing);
                return;
            }
        }
        let mut left: Vec<usize> = (0..second.len()).collect();
        let mut positions = Vec::new();
        for one in first.iter().take(MATCHED_ITEMS) {
            let rated = left.iter().map(|at| (self.distance(key, around, one, &second[*at]), *at));
            match rated.min() {
                Some((distance, other)) if distance <= farthest(one) => {
                    self.value(key, around, one, &second[other], &place, found);
                    left.retain(|at| *at != other);
                    positions.push(other);
                }
                _ => found.push(Difference { at: place.clone(), first: self.shown(0, one), second: ABSENT.to_owned() }),
            }
        }
        for other in left.into_iter().filter(|_| first.len() <= MATCHED_ITEMS) {
            found.push(Difference {
                at: place.clone(),
                first: ABSENT.to_owned(),
                second: self.shown(1, &second[other]),
            });
        }
        if is_ordered(key, first) && !positions.is_sorted() {
            found.push(Difference {
                at: place,
                first: "in order".to_owned(),
                second: format!("in the order {positions:?}"),
            });
        }
    }

    /// The number of differences between two values.
    fn distance(&self, key: &str, around: &str, first: &Value, second: &Value) -> usize {
        let mut found = Vec::new();
        self.clone().value(key, around, first, second, "", &mut found);
        found.len()
    }

    fn note(&self, at: &str, first: &Value, second: &Value, found: &mut Vec<Difference>) {
        found.push(Difference { at: at.to_owned(), first: self.shown(0, first), second: self.shown(1, second) });
    }

    fn shown(&self, side: usize, value: &Value) -> String {
        let text = self.normal(side, &value.to_string());
        let short: String = text.chars().take(300).collect();
        if short.len() < text.len() { short + " …" } else { short }
    }
}

fn is_index(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The most differences between two items of lists that are still taken for the same object.
fn farthest(item: &Value) -> usize {
    item.as_object().map_or(0, |object| object.len() / 3)
}

/// Whether the order of a list is promised.
fn is_ordered(key: &str, items: &[Value]) -> bool {
    matches!(key, "messages" | "message_history" | "edit_history" | "topics" | "events")
        && items.iter().all(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn between(likeness: &mut Likeness, first: &Value, second: &Value) -> Vec<String> {
        likeness.differences("reply", "message", first, second).into_iter().map(|one| one.at).collect()
    }

    #[test]
    fn ids_are_matched_and_not_ignored() {
        let mut likeness = Likeness::default();
        assert!(between(&mut likeness, &json!({"id": 5}), &json!({"id": 70})).is_empty());
        assert!(between(&mut likeness, &json!({"message_id": 5}), &json!({"message_id": 70})).is_empty());
        assert_eq!(between(&mut likeness, &json!({"message_id": 5}), &json!({"message_id": 71})), ["reply.message_id"]);
        assert_eq!(
            between(&mut likeness, &json!({"message_ids": [6]}), &json!({"message_ids": [70]})),
            ["reply.message_ids[]"]
        );
        assert!(between(&mut likeness, &json!({"user_id": 5}), &json!({"user_id": 9})).is_empty());
    }

    #[test]
    fn order_is_forgiven_where_none_is_promised() {
        let mut likeness = Likeness::default();
        let names = |names: [&str; 2]| json!({"users": names.map(|name| json!({"full_name": name}))});
        assert!(between(&mut likeness, &names(["a", "b"]), &names(["b", "a"])).is_empty());
        let messages = |texts: [&str; 2]| json!({"messages": texts.map(|text| json!({"content": text}))});
        assert_eq!(between(&mut likeness, &messages(["a", "b"]), &messages(["b", "a"])), ["reply.messages[]"]);
    }

    #[test]
    fn types_keys_and_values_differ_one_by_one() {
        for (second, at) in [
            (json!({"a": "1", "b": {"c": null}}), "reply.a"),
            (json!({"a": 1, "b": {"c": 0}}), "reply.b.c"),
            (json!({"a": 1, "b": {}}), "reply.b.c"),
            (json!({"a": 1, "b": {"c": null}, "d": 1}), "reply.d"),
            (json!({"a": 1.0, "b": {"c": null}}), "reply.a"),
        ] {
            assert_eq!(
                between(&mut Likeness::default(), &json!({"a": 1, "b": {"c": null}}), &second),
                [at],
                "{second}"
            );
        }
    }

    #[test]
    fn times_and_addresses_are_compared_by_type() {
        let mut likeness = Likeness::default();
        likeness.replace(0, "http://one:1", "URL");
        likeness.replace(1, "https://two", "URL");
        let first = json!({"timestamp": 1_767_225_600, "realm_url": "http://one:1", "at": "2026-01-01T00:00:00Z"});
        let second = json!({"timestamp": 1_800_000_000, "realm_url": "https://two", "at": "2026-02-03 04:05:06"});
        assert!(between(&mut likeness, &first, &second).is_empty());
        assert_eq!(
            between(
                &mut likeness,
                &first,
                &json!({"timestamp": null, "realm_url": "https://two", "at": "2026-02-03 04:05"})
            ),
            ["reply.timestamp"]
        );
    }
}
