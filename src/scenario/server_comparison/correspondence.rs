//! Compares values of two servers, each of which assigns its own IDs.

mod lists;

use crate::scenario::recording::kinds::{is_id_without_kind, kind_of_collection, kind_of_id};
use crate::scenario::recording::secrets::{is_secret_name, name_for_redaction, redact_value};
use crate::scenario::recording::times::is_unix_time;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::LazyLock;

/// Displayed instead of a missing value.
pub const ABSENT: &str = "absent";

/// Keys whose values are compared by type, since they depend on the server or the time. Null is as good as any type.
const SERVER_DEPENDENT_KEYS: [&str; 12] = [
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

/// Keys of the ID of the first or the last of many objects. If one server has more objects, the two IDs are of
/// different objects, so they do not become a pair.
const FIRST_OR_LAST_ID_KEYS: [&str; 3] = ["max_message_id", "max_id", "first_message_id"];

/// Keys of positions that servers derive from the ID of a new object. They are not compared if, on both servers, they
/// are the ID of their object (A-551).
const POSITIONS_BY_ID: [&str; 1] = ["order"];

/// Random values and times in texts, with their replacements before a comparison.
static RANDOM_PARTS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let patterns = [
        (r#"/user_uploads/[^\s"')<]*/"#, "/user_uploads/U/"),
        // The path of an attachment: organization, two hexadecimal digits at most, random characters, name.
        (r"^\d+/[0-9a-f]{1,2}/[\w-]{24}/", "U/"),
        (r"[0-9a-f]{24,}", "H"),
        (r"[0-9a-f]{8}-[0-9a-f-]{20,}", "H"),
        (r"/join/\w+", "/join/J"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "T"),
        (r"\d{10,}:[0-9a-f]+|\d{10,}:\d+", "Q"),
    ];
    patterns.map(|(pattern, replacement)| (Regex::new(pattern).expect("a well-formed pattern"), replacement)).to_vec()
});

/// IDs in texts. The text before an ID shows its kind.
static IDS_IN_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    let prefixes = [
        r"/near/",
        r"/with/",
        r"/channel/",
        r"/stream/",
        r#"data-user-id=\\?""#,
        r#"data-stream-id=\\?""#,
        r#"data-user-group-id=\\?""#,
        // Refusals.
        r"[Uu]ser group (?:ID: )?",
        r"[Uu]ser (?:with )?(?:IDs?:? )?",
        r"member '",
        r"(?:[Cc]hannel|[Ss]tream) (?:with )?ID '?",
    ];
    Regex::new(&format!(r"({})(\d+)", prefixes.join("|"))).expect("a well-formed pattern")
});

/// A difference between the two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerDifference {
    /// The place, such as `reply.messages[].id` or `event message of mel`.
    pub place: String,
    /// The value of the first server as text, shortened; `absent` if it has none.
    pub first: String,
    /// The value of the second server as text, shortened; `absent` if it has none.
    pub second: String,
}

/// Corresponding IDs and texts of two servers.
#[derive(Clone, Debug, Default)]
pub struct Correspondence {
    /// IDs of the second server by kind and ID of the first.
    second_ids: imbl::HashMap<(String, i64), i64>,
    /// IDs of the first server by kind and ID of the second.
    first_ids: imbl::HashMap<(String, i64), i64>,
    /// For each server: texts with their replacements, the longest text first.
    replacements: [Vec<(String, String)>; 2],
}

impl Correspondence {
    /// Makes comparisons use a replacement for a text of one server (`server_index` 0 or 1). Ignores texts of less than
    /// three bytes, and texts that already have a replacement.
    pub fn add_replacement(&mut self, server_index: usize, text: &str, replacement: &str) {
        if text.len() > 2 && !self.replacements[server_index].iter().any(|(existing_text, _)| existing_text == text) {
            self.replacements[server_index].push((text.to_owned(), replacement.to_owned()));
            self.replacements[server_index].sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
    }

    /// Notes that two IDs of a kind correspond. Returns false if one of them already corresponds to another ID.
    pub fn pair(&mut self, kind: &str, first: i64, second: i64) -> bool {
        let is_possible = self.may_correspond(kind, first, second);
        if is_possible {
            self.second_ids.insert((kind.to_owned(), first), second);
            self.first_ids.insert((kind.to_owned(), second), first);
        }
        is_possible
    }

    /// Whether no other ID is known to correspond to one of these.
    fn may_correspond(&self, kind: &str, first: i64, second: i64) -> bool {
        let known_second = self.second_ids.get(&(kind.to_owned(), first));
        let known_first = self.first_ids.get(&(kind.to_owned(), second));
        known_second.is_none_or(|id| *id == second) && known_first.is_none_or(|id| *id == first)
    }

    /// Compares two values, and returns the differences. IDs at the same place become pairs. `parent_kind` is the
    /// kind of object that the values describe, such as `message`.
    pub fn compare(&mut self, path: &str, parent_kind: &str, first: &Value, second: &Value) -> Vec<ServerDifference> {
        let mut differences = Vec::new();
        self.compare_values("", parent_kind, first, second, path, &mut differences);
        differences
    }

    fn compare_values(
        &mut self,
        key: &str,
        parent_kind: &str,
        first: &Value,
        second: &Value,
        path: &str,
        differences: &mut Vec<ServerDifference>,
    ) {
        let depends_on_server =
            SERVER_DEPENDENT_KEYS.contains(&key) || key.ends_with("_version") || key.ends_with("_feature_level");
        // Servers derive client names from the User-Agent, which proxies may change.
        let accepts_any_text = is_secret_name(key) || matches!(key, "client" | "sending_client");
        let have_same_type = discriminant(first) == discriminant(second);
        if depends_on_server && (have_same_type || first.is_null() || second.is_null())
            || accepts_any_text && first.is_string() && second.is_string()
        {
            return;
        }
        match (first, second) {
            (Value::Object(first), Value::Object(second)) => {
                self.compare_objects(key, parent_kind, first, second, path, differences);
            }
            (Value::Array(first), Value::Array(second)) => {
                self.compare_arrays(key, parent_kind, first, second, path, differences);
            }
            (Value::Number(first_number), Value::Number(second_number)) => {
                if !self.match_numbers(key, parent_kind, first_number, second_number) {
                    differences.push(self.number_difference(key, parent_kind, [first_number, second_number], path));
                }
            }
            (Value::String(first_text), Value::String(second_text)) => {
                // Servers choose the colors of subscriptions.
                let are_colors = key == "color" && [first_text, second_text].iter().all(|text| is_color(text));
                if !are_colors && !self.match_texts(first_text, second_text) {
                    self.add_difference(key, path, first, second, differences);
                }
            }
            _ if first == second => {}
            _ => self.add_difference(key, path, first, second, differences),
        }
    }

    /// Whether two numbers count as equal. IDs of the same kind become a pair, if neither has another counterpart.
    fn match_numbers(
        &mut self,
        key: &str,
        parent_kind: &str,
        first: &serde_json::Number,
        second: &serde_json::Number,
    ) -> bool {
        let (Some(first_int), Some(second_int)) = (first.as_i64(), second.as_i64()) else {
            let are_floats = first.as_i64().is_none() && second.as_i64().is_none();
            let are_times = [first, second].iter().all(|number| is_unix_time(number.as_f64().unwrap_or_default()));
            return are_floats && (are_times || first == second);
        };
        if is_unix_time(first_int as f64) && is_unix_time(second_int as f64) {
            return true;
        }
        match kind_of_id(key, parent_kind) {
            Some(kind) if first_int > 0 && second_int > 0 && FIRST_OR_LAST_ID_KEYS.contains(&key) => {
                self.may_correspond(&kind, first_int, second_int)
            }
            Some(kind) if first_int > 0 && second_int > 0 => self.pair(&kind, first_int, second_int),
            None if is_id_without_kind(key) => true,
            _ => first_int == second_int,
        }
    }

    /// A difference of two numbers. If they are IDs of which one corresponds to another ID, that ID is named.
    fn number_difference(
        &self,
        key: &str,
        parent_kind: &str,
        [first, second]: [&serde_json::Number; 2],
        path: &str,
    ) -> ServerDifference {
        let kind = kind_of_id(key, parent_kind).unwrap_or_default();
        let counterpart_of = |ids: &imbl::HashMap<(String, i64), i64>, number: &serde_json::Number| {
            ids.get(&(kind.clone(), number.as_i64()?)).map(i64::to_string)
        };
        let describe = |number: &serde_json::Number,
                        counterpart: Option<String>,
                        other: &serde_json::Number,
                        other_server| {
            match counterpart.filter(|counterpart| *counterpart != other.to_string()) {
                Some(counterpart) => format!("{number}, which earlier was {counterpart} of the {other_server} server"),
                None => number.to_string(),
            }
        };
        ServerDifference {
            place: path.to_owned(),
            first: describe(first, counterpart_of(&self.second_ids, first), second, "second"),
            second: describe(second, counterpart_of(&self.first_ids, second), first, "first"),
        }
    }

    /// Whether two texts count as equal. IDs in them become pairs.
    fn match_texts(&mut self, first: &str, second: &str) -> bool {
        let (first, second) = (self.normalize(0, first), self.normalize(1, second));
        if first == second {
            return true;
        }
        let ids = |text: &str| -> Vec<(String, i64)> {
            IDS_IN_TEXT
                .captures_iter(text)
                .map(|part| (part[1].to_owned(), part[2].parse().unwrap_or_default()))
                .collect()
        };
        let pairs: Vec<_> = ids(&first).into_iter().zip(ids(&second)).collect();
        IDS_IN_TEXT.replace_all(&first, "$1") == IDS_IN_TEXT.replace_all(&second, "$1")
            && pairs
                .into_iter()
                .all(|((prefix, first_id), (_, second_id))| self.pair(kind_after(&prefix), first_id, second_id))
    }

    /// A text of a server with its replacements made, and without random values and times.
    fn normalize(&self, server_index: usize, text: &str) -> String {
        let mut text = text.to_owned();
        for (original, replacement) in &self.replacements[server_index] {
            if text.contains(original) {
                text = text.replace(original, replacement);
            }
        }
        RANDOM_PARTS
            .iter()
            .fold(text, |text, (pattern, replacement)| pattern.replace_all(&text, *replacement).into_owned())
    }

    fn compare_objects(
        &mut self,
        key: &str,
        parent_kind: &str,
        first: &Map<String, Value>,
        second: &Map<String, Value>,
        path: &str,
        differences: &mut Vec<ServerDifference>,
    ) {
        let parent_kind = if key.is_empty() { parent_kind.to_owned() } else { kind_of_collection(key) };
        let mut unmatched_names: BTreeSet<&String> = second.keys().collect();
        for (name, value) in first {
            let member_path = format!("{path}.{}", if has_only_digits(name) { "*" } else { name });
            match self.counterpart(key, name, second) {
                Some(second_name) if is_position_by_id(name, [first, second]) => {
                    unmatched_names.remove(second_name);
                }
                Some(second_name) => {
                    unmatched_names.remove(second_name);
                    let key = compared_key(name, [first, second]);
                    self.compare_values(key, &parent_kind, value, &second[second_name], &member_path, differences);
                }
                None => differences.push(ServerDifference {
                    place: member_path,
                    first: self.excerpt(0, name_for_redaction(name, first), value),
                    second: ABSENT.to_owned(),
                }),
            }
        }
        for name in unmatched_names {
            let member_path = format!("{path}.{}", if has_only_digits(name) { "*" } else { name });
            differences.push(ServerDifference {
                place: member_path,
                first: ABSENT.to_owned(),
                second: self.excerpt(1, name_for_redaction(name, second), &second[name]),
            });
        }
    }

    /// The key of the second object that corresponds to a key of the first. `collection` is the key of the two objects.
    fn counterpart<'o>(&self, collection: &str, name: &str, second: &'o Map<String, Value>) -> Option<&'o String> {
        if let Ok(id) = name.parse::<i64>() {
            for kind in kinds_of_keys(collection) {
                let second_id = self.second_ids.get(&((*kind).to_owned(), id)).map(ToString::to_string);
                if let Some((second_name, _)) = second_id.and_then(|second_id| second.get_key_value(&second_id)) {
                    return Some(second_name);
                }
            }
        }
        let exact = second.get_key_value(name).map(|(second_name, _)| second_name);
        exact.or_else(|| {
            let normalized_name = self.normalize(0, name);
            second.keys().find(|other| self.normalize(1, other) == normalized_name)
        })
    }

    fn add_difference(
        &self,
        key: &str,
        path: &str,
        first: &Value,
        second: &Value,
        differences: &mut Vec<ServerDifference>,
    ) {
        differences.push(ServerDifference {
            place: path.to_owned(),
            first: self.excerpt(0, key, first),
            second: self.excerpt(1, key, second),
        });
    }

    /// A value of a server as text, without secrets and shortened. `key` is where the value is; it may be empty.
    pub(super) fn excerpt(&self, server_index: usize, key: &str, value: &Value) -> String {
        let text = self.normalize(server_index, &redact_value(key, value).to_string());
        let excerpt: String = text.chars().take(300).collect();
        if excerpt.len() < text.len() { excerpt + " …" } else { excerpt }
    }
}

/// The kind of object whose ID comes in a text after a prefix of [`IDS_IN_TEXT`].
fn kind_after(prefix: &str) -> &'static str {
    let has = |word: &str| prefix.contains(word);
    match prefix {
        "/near/" | "/with/" => "message",
        _ if has("group") => "group",
        _ if has("user") || has("User") || has("member") => "user",
        _ => "channel",
    }
}

/// The key that decides how the member `name` of two objects is compared. Events of a changed property have its name in
/// `property` and its value in `value`: if that is an ID or a secret, the property's name decides. All other values are
/// what somebody set, and are compared even if the property's own key would not be.
fn compared_key<'o>(name: &'o str, objects: [&'o Map<String, Value>; 2]) -> &'o str {
    let [first, second] = objects.map(|object| object.get("property").and_then(Value::as_str));
    let is_id_or_secret = |property: &&str| kind_of_id(property, "").is_some() || is_secret_name(property);
    first.filter(|_| name == "value" && first == second).filter(is_id_or_secret).unwrap_or(name)
}

/// The kinds of objects whose IDs may be the keys of a collection.
fn kinds_of_keys(collection: &str) -> &'static [&'static str] {
    match collection {
        "profile_data" => &["custom_profile_field"],
        "presences" | "subscribed" | "already_subscribed" => &["user"],
        "message_details" => &["message"],
        _ => &["message", "user", "channel", "group"],
    }
}

/// Whether a member of two objects is a position that is the ID of its object on both servers.
fn is_position_by_id(name: &str, objects: [&Map<String, Value>; 2]) -> bool {
    POSITIONS_BY_ID.contains(&name)
        && objects
            .iter()
            .all(|object| object.get(name).is_some_and(Value::is_i64) && object.get(name) == object.get("id"))
}

/// Whether a text is `#rrggbb`.
fn is_color(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn has_only_digits(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
