//! Compares a reply or an event with the recorded one, key by key.

use crate::numbers::Numbers;
use regex::Regex;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The text for something that is not there.
pub const ABSENT: &str = "absent";

/// One thing that is not as recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// Where: `reply` for refusals, `reply.members[].email` for what is in a reply, `event message.flags`.
    pub at: String,
    /// Who got the event.
    pub reader: Option<String>,
    /// What the real server had there, as JSON, or `absent`; of a reply with another outcome its status, code and message.
    pub real: String,
    /// What the double has there.
    pub double: String,
}

/// Keys whose values follow from time, chance or the server's address: only the types are compared.
static BY_CHANCE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let keys = "timestamp queue_id api_key zulip_version zulip_merge_base date_sent edit_timestamp last_edit_timestamp
        last_moved_timestamp date_joined date_created create_date rendered_date server_timestamp server_generation
        presence_timestamp active_timestamp idle_timestamp last_updated date_muted realm_date_created invited expiry_date
        link_url invite_link url uri path_id create_time export_time event_queue_longpoll_timeout_seconds realm_upload_quota upload_space_used
        jitsi_server_url realm_jitsi_server_url server_jitsi_server_url service_token token email_address recipient_id
        stream_weekly_traffic zulip_plan_is_not_limited avatar_url avatar_url_medium icon_url source_url still_url
        last_update_id realm_icon_url realm_icon logo_url realm_logo_url realm_night_logo_url scheduled_delivery_timestamp
        max_icon_file_size default_jitsi_server_url latest_desktop_version time";
    keys.split_whitespace().collect()
});

/// Lists that are sets: their order says nothing.
const SETS: &[&str] = &[
    "members",
    "subscribers",
    "bots",
    "direct_subgroup_ids",
    "subgroups",
    "messages",
    "message_ids",
    "unread_message_ids",
    "mentions",
    "starred_messages",
    "alert_words",
    "flags",
    "user_ids",
    "ignored_because_not_subscribed_channels",
];

/// What tells the objects of a list apart: the first key, or keys, that all have with another value.
const NAMES: &[&[&str]] = &[&["user_id"], &["stream_id"], &["id"], &["email"], &["name"], &["stream_id", "topic_name"]];

/// The folders of an uploaded file, which are by chance.
static UPLOAD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"/user_uploads/\d+/[\w-]+/[\w-]+/").expect("well-formed"));

/// The names of the pictures of custom emoji, which are by chance.
static EMOJI: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"/emoji/images/\w+\.").expect("well-formed"));

/// What texts name by a number: channels, groups and messages.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(data-(?:stream|user-group)-id="|#narrow/channel/|/near/|/with/)(\d+)"#;
    Regex::new(pattern).expect("well-formed")
});

/// A comparison of two values, with what it found.
pub struct Comparison<'a> {
    numbers: &'a Numbers,
    /// `http://HOST:PORT` of the double.
    base_url: &'a str,
    /// What differs.
    pub differences: Vec<Difference>,
}

impl<'a> Comparison<'a> {
    /// One that found nothing yet.
    pub fn new(numbers: &'a Numbers, base_url: &'a str) -> Self {
        Self { numbers, base_url, differences: Vec::new() }
    }

    /// Compares status and body.
    pub fn reply(&mut self, real: (u16, &Value), double: (u16, &Value)) {
        if real.0 == 200 && double.0 == 200 {
            return self.value(real.1, double.1, "reply");
        }
        let (real_text, double_text) = (self.outcome(real), self.outcome(double));
        if real_text != double_text {
            return self.note("reply", real_text, double_text);
        }
        if double.0 != 200 {
            self.value(&without_message(real.1), &without_message(double.1), "reply");
        }
    }

    /// Compares two values at a path.
    pub fn value(&mut self, real: &Value, double: &Value, path: &str) {
        let key = path.rsplit('.').next().unwrap_or_default().trim_end_matches("[]");
        if BY_CHANCE.contains(&key) {
            if kind(real) != kind(double) {
                self.note_values(path, real, double);
            }
            return;
        }
        match (real, double) {
            (Value::Object(real), Value::Object(double)) => self.objects(real, double, path),
            (Value::Array(real), Value::Array(double)) => self.lists(real, double, path, key),
            (Value::String(one), Value::String(other)) => {
                if !self.are_same_texts(&self.text(one), &self.text(other)) {
                    self.note_values(path, real, double);
                }
            }
            // Rows of the older list of muted topics: a channel's name, a topic, a time.
            (Value::Number(_), Value::Number(_)) if path.ends_with("muted_topics[][]") => {}
            _ => {
                if !self.are_same(real, double) {
                    self.note_values(path, real, double);
                }
            }
        }
    }

    fn objects(&mut self, real: &Map<String, Value>, double: &Map<String, Value>, path: &str) {
        let numbered = !real.is_empty() && real.keys().all(|key| key.parse::<i64>().is_ok());
        let mut met = Vec::new();
        for (key, value) in real {
            let name = match key.parse::<i64>() {
                Ok(number) if numbered => {
                    self.numbers.of(number).map(|one| one.to_string()).find(|one| double.contains_key(one))
                }
                _ => Some(key.clone()),
            };
            let name = name.unwrap_or_else(|| key.clone());
            let below = if numbered { format!("{path}.{{}}") } else { format!("{path}.{key}") };
            match double.get(&name) {
                Some(other) => self.value(value, other, &below),
                None => self.note(&below, self.json(value), ABSENT.to_owned()),
            }
            met.push(name);
        }
        for (key, value) in double.iter().filter(|(key, _)| !met.contains(key)) {
            let below = if numbered { format!("{path}.{{}}") } else { format!("{path}.{key}") };
            self.note(&below, ABSENT.to_owned(), self.json(value));
        }
    }

    fn lists(&mut self, real: &[Value], double: &[Value], path: &str, key: &str) {
        let below = format!("{path}[]");
        if SETS.contains(&key) && real.iter().chain(double).all(|item| item.is_i64() || item.is_string()) {
            let gone: Vec<&Value> =
                real.iter().filter(|one| !double.iter().any(|other| self.are_same(one, other))).collect();
            let new: Vec<&Value> =
                double.iter().filter(|one| !real.iter().any(|other| self.are_same(other, one))).collect();
            if !gone.is_empty() || !new.is_empty() {
                self.note(
                    path,
                    format!("{}", Value::from_iter(gone.into_iter().cloned())),
                    Value::from_iter(new.into_iter().cloned()).to_string(),
                );
            }
            return;
        }
        let name = NAMES.iter().find(|name| are_distinguished(real, name) && are_distinguished(double, name));
        if let Some(name) = name.filter(|_| !real.is_empty() && !double.is_empty()) {
            return self.aligned(real, double, &below, name);
        }
        if real.len() != double.len() {
            return self.note_values(path, &Value::from(real), &Value::from(double));
        }
        for (one, other) in real.iter().zip(double) {
            self.value(one, other, &below);
        }
    }

    /// Compares objects with the same name; those without a partner differ as a whole.
    fn aligned(&mut self, real: &[Value], double: &[Value], path: &str, names: &[&str]) {
        let mut positions = Vec::new();
        for one in real {
            // Numbers of other kinds may have been paired too: of several partners the one that is most alike counts, and
            // of those the one with the same numbers.
            let mut partners: Vec<usize> = (0..double.len())
                .filter(|at| !positions.contains(at) && self.are_called_alike(one, &double[*at], names))
                .collect();
            if partners.len() > 1 {
                let has_others = |at: &usize| names.iter().any(|name| one[*name] != double[*at][*name]);
                partners.sort_by_key(|at| (self.count(one, &double[*at], path), has_others(at)));
            }
            match partners.first().copied() {
                Some(position) => {
                    self.value(one, &double[position], path);
                    positions.push(position);
                }
                None => self.note(path, self.json(one), ABSENT.to_owned()),
            }
        }
        for (_, other) in double.iter().enumerate().filter(|(at, _)| !positions.contains(at)) {
            self.note(path, ABSENT.to_owned(), self.json(other));
        }
        if path.ends_with("messages[]") && !positions.is_sorted() {
            self.note(path, "in order".to_owned(), format!("in the order {positions:?}"));
        }
    }

    /// How much differs between two values.
    fn count(&self, real: &Value, double: &Value, path: &str) -> usize {
        let mut comparison = Comparison::new(self.numbers, self.base_url);
        comparison.value(real, double, path);
        comparison.differences.len()
    }

    fn are_called_alike(&self, real: &Value, double: &Value, names: &[&str]) -> bool {
        names.iter().all(|name| self.are_same(&real[*name], &double[*name]))
    }

    fn are_same(&self, real: &Value, double: &Value) -> bool {
        match (real.as_i64(), double.as_i64()) {
            (Some(real), Some(double)) => self.numbers.are_same(real, double),
            _ => real == double,
        }
    }

    /// Whether texts are equal but for the numbers of what they name, and name the same.
    fn are_same_texts(&self, real: &str, double: &str) -> bool {
        let named = |text: &str| -> Vec<i64> {
            NUMBERED.captures_iter(text).map(|found| found[2].parse().unwrap_or_default()).collect()
        };
        real == double
            || (NUMBERED.replace_all(real, "$1") == NUMBERED.replace_all(double, "$1")
                && named(real).into_iter().zip(named(double)).all(|(one, other)| self.numbers.are_same(one, other)))
    }

    /// Status, code and message; of a success the status alone.
    fn outcome(&self, (status, body): (u16, &Value)) -> String {
        if status == 200 {
            return "200".to_owned();
        }
        match (body["code"].as_str(), body["msg"].as_str()) {
            (Some(code), Some(message)) => format!("{status} {code}: {}", self.text(message)),
            (None, Some(message)) => format!("{status}: {}", self.text(message)),
            _ => format!("{status} {}", self.json(body)),
        }
    }

    /// A text without what depends on the server's address or on chance.
    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let host = self.base_url.trim_start_matches("http://");
        let mut text = Cow::Borrowed(text);
        let names = [("http://REALM", "URL"), (self.base_url, "URL"), ("REALM", "HOST"), (host, "HOST")];
        for (name, short) in names.into_iter().filter(|(name, _)| !name.is_empty()) {
            if text.contains(name) {
                text = Cow::Owned(text.replace(name, short));
            }
        }
        for (real, double) in self.numbers.queues().filter(|(real, _)| text.contains(real)).collect::<Vec<_>>() {
            text = Cow::Owned(text.replace(real, double));
        }
        if text.contains("/user_uploads/") {
            text = Cow::Owned(UPLOAD.replace_all(&text, "/user_uploads/U/").into_owned());
        }
        if text.contains("/emoji/images/") {
            text = Cow::Owned(EMOJI.replace_all(&text, "/emoji/images/E.").into_owned());
        }
        text
    }

    fn json(&self, value: &Value) -> String {
        match value {
            Value::String(text) => Value::from(self.text(text)).to_string(),
            other => self.text(&other.to_string()).into_owned(),
        }
    }

    fn note_values(&mut self, path: &str, real: &Value, double: &Value) {
        self.note(path, self.json(real), self.json(double));
    }

    /// Notes a difference.
    pub fn note(&mut self, path: &str, real: String, double: String) {
        self.differences.push(Difference { at: path.to_owned(), reader: None, real, double });
    }
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn without_message(body: &Value) -> Value {
    let mut body = body.clone();
    if let Some(body) = body.as_object_mut() {
        body.retain(|key, _| !["msg", "code", "result"].contains(&key.as_str()));
    }
    body
}

/// Whether all are objects with these keys, each with other values.
fn are_distinguished(list: &[Value], names: &[&str]) -> bool {
    let mut seen = std::collections::HashSet::new();
    let is_named = |item: &Value, name: &str| item.get(name).is_some_and(|value| value.is_i64() || value.is_string());
    list.iter().all(|item| {
        names.iter().all(|name| is_named(item, name))
            && seen.insert(names.iter().map(|name| item[*name].to_string()).collect::<Vec<_>>())
    })
}
