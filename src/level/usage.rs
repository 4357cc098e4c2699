//! What a client used of the API, and which changes of levels touch it.

use super::objects::{ALL, EVERY_REPLY, Object};
use super::place::{Place, Source};
use super::{Behaviour, Change, ChangeKind, Downgrade, Listed, changes, listed};
use crate::api::{Effect, OPERATIONS, Row, rows};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

/// Operations, their parameters and replies, and events, as far as changes of levels name them.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// By method and path of the operation, with placeholders.
    operations: BTreeMap<(&'static str, &'static str), Words>,
    /// By type.
    events: BTreeMap<String, Words>,
    /// Codes of refusals.
    codes: BTreeSet<String>,
}

/// Names in what a client sent and received.
#[derive(Clone, Debug, Default)]
struct Words {
    sent: BTreeSet<String>,
    received: BTreeSet<String>,
    /// Whether a part of what was received is not known.
    is_cut: bool,
}

/// A change that touches what was used.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub change: Listed,
    /// Whether what it names was seen; else it may be in a part of a reply that is not known.
    pub is_seen: bool,
}

/// What changes name, between backticks.
static NAMES: LazyLock<HashSet<String>> =
    LazyLock::new(|| listed().iter().flat_map(|listed| named(&listed.change)).collect());

/// The words between backticks.
fn named(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).flat_map(words).map(str::to_owned).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_alphanumeric() && one != '_').filter(|word| !word.is_empty())
}

/// Adds those words of a text that changes name.
fn add_words(text: &str, to: &mut BTreeSet<String>) {
    to.extend(words(text).filter(|word| NAMES.contains(*word)).map(str::to_owned));
}

impl Usage {
    /// Adds a request, by its path without `/api/v1`, and its reply, of which the end may be missing.
    pub fn add(&mut self, method: &str, path: &str, params: &BTreeMap<String, String>, reply: &[u8]) {
        let text = String::from_utf8_lossy(reply);
        let known = serde_json::from_slice::<Value>(reply).ok();
        let code = known.as_ref().filter(|reply| reply["result"] == "error").and_then(|reply| reply["code"].as_str());
        self.codes.extend(code.map(str::to_owned));
        for row in rows_at(method, path) {
            let words = self.operations.entry((row.route.method, row.route.path)).or_default();
            for (name, value) in params {
                add_words(name, &mut words.sent);
                add_words(value, &mut words.sent);
            }
            add_words(&text, &mut words.received);
            words.is_cut |= known.is_none() && !reply.is_empty();
            if row.is_poll() {
                self.add_events(known.as_ref());
            }
            if row.has(Effect::RegistersQueue) {
                let asked = params.get("event_types").and_then(|types| serde_json::from_str::<Vec<String>>(types).ok());
                for kind in asked.into_iter().flatten() {
                    self.events.entry(kind).or_default().is_cut = true;
                }
            }
        }
    }

    fn add_events(&mut self, reply: Option<&Value>) {
        for event in reply.and_then(|reply| reply["events"].as_array()).into_iter().flatten() {
            let kind = event["type"].as_str().unwrap_or_default();
            let received = &mut self.events.entry(kind.to_owned()).or_default().received;
            received.insert(kind.to_owned());
            add_words(&event.to_string(), received);
        }
    }

    /// Adds what another client used.
    pub fn join(&mut self, other: Usage) {
        other.operations.into_iter().for_each(|(key, words)| self.operations.entry(key).or_default().join(words));
        other.events.into_iter().for_each(|(key, words)| self.events.entry(key).or_default().join(words));
        self.codes.extend(other.codes);
    }

    /// The changes above one level and up to another that touch what was used; first those of which it was seen, then the
    /// older ones before the newer.
    pub fn suspects(&self, from: i64, to: i64) -> Vec<Suspect> {
        let is_between = |level: i64| level > from && level <= to;
        let is_used = |row: &Row| self.operations.contains_key(&(row.route.method, row.route.path));
        let operations = rows().filter(|row| is_between(row.about.since) && is_used(row)).map(Listed::of_new);
        let gone = OPERATIONS.iter().filter(|row| row.removed_in.is_some_and(is_between) && is_used(row));
        let operations = operations.chain(gone.filter_map(Listed::of_gone));
        let mut found: Vec<Suspect> = operations.map(|change| Suspect { change, is_seen: true }).collect();
        let others = changes().iter().filter(|change| is_between(change.level));
        found.extend(others.filter_map(|change| {
            let is_seen = self.is_seen(change)?;
            Some(Suspect { change: Listed::of(change), is_seen })
        }));
        found.sort_by_key(|suspect| (!suspect.is_seen, suspect.change.level));
        found
    }

    /// Whether what a change names was seen; None where it does not touch what was used.
    fn is_seen(&self, change: &Change) -> Option<bool> {
        let of_route = |route: &'static str| {
            let (method, path) = route.split_once(' ').unwrap_or_default();
            self.operations.get(&(method, path))
        };
        let sent = |words: Option<&Words>, name: &str| words.filter(|words| words.sent.contains(name)).map(|_| true);
        match change.kind {
            ChangeKind::Parameter { route, name } | ChangeKind::GoneParameter { route, name, .. } => {
                sent(of_route(route), name)
            }
            ChangeKind::RenamedParameter { route, old, new, .. } => {
                sent(of_route(route), old).or_else(|| sent(of_route(route), new))
            }
            ChangeKind::Capability(name) => sent(of_route("POST /register"), name),
            ChangeKind::NarrowTerm { operator, operand } => {
                let name = operand.unwrap_or(operator);
                self.operations
                    .values()
                    .find_map(|words| sent(Some(words), name).filter(|_| words.sent.contains(operator)))
            }
            ChangeKind::Field { object, name } | ChangeKind::GoneField { object, name, .. } => {
                self.received(object, &[name.to_owned()])
            }
            ChangeKind::RenamedField { object, old, new } => self.received(object, &[old.to_owned(), new.to_owned()]),
            ChangeKind::Event(pattern) => {
                let words = self.events.get(pattern.kind)?;
                words.has_received(&[pattern.carries.map_or(pattern.kind, |(_, name)| name).to_owned()])
            }
            ChangeKind::Behaviour(behaviour) => {
                self.behaves(behaviour.on, &named(behaviour.words)).or_else(|| self.is_refused_by(behaviour))
            }
        }
    }

    /// Whether one of these names was seen where an object is.
    fn received(&self, object: &Object, names: &[String]) -> Option<bool> {
        let places = object.places.iter().map(|place| Place::parse(place).source);
        let touched = places.flat_map(|source| self.at(source));
        best(touched.filter_map(|words| words.has_received(names)))
    }

    /// What was used of a source.
    fn at(&self, source: Source) -> Vec<&Words> {
        match source {
            Source::Reply(method, path) => self.operations.get(&(method, path)).into_iter().collect(),
            Source::Event(kind, _) => self.events.get(kind).into_iter().collect(),
            Source::EveryReply => self.operations.values().collect(),
        }
    }

    /// Whether a refusal of a behaviour was seen that is not of certain operations (A-661); None where it was not.
    fn is_refused_by(&self, behaviour: &Behaviour) -> Option<bool> {
        let former = match behaviour.act {
            Downgrade::Code { code, .. } | Downgrade::CodeOfCredentials { code, .. } => code,
            _ => return None,
        };
        let names = |code: &String| code == former || words(behaviour.words).any(|word| word == code);
        let is_of_all = !behaviour.on.contains('/');
        (is_of_all && self.codes.iter().any(names)).then_some(true)
    }

    /// Whether a behaviour was seen: of operations, events or objects that the text names.
    fn behaves(&self, on: &str, names: &[String]) -> Option<bool> {
        let mut touched: Vec<&Words> = Vec::new();
        let mut method = None;
        let mut words = on.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            if word == "event" {
                touched.extend(words.peek().and_then(|kind| self.events.get(*kind)));
            } else if word.starts_with('/') {
                let is_it = |(own, path): &(&str, &str)| *path == word && method.is_none_or(|method| method == *own);
                touched.extend(self.operations.iter().filter(|(key, _)| is_it(key)).map(|(_, words)| words));
            } else if word.bytes().all(|byte| byte.is_ascii_uppercase()) {
                method = Some(word);
            }
        }
        let objects = ALL.iter().copied().chain([&EVERY_REPLY]).filter(|object| on == object.name);
        touched.extend(objects.flat_map(|object| object.places).flat_map(|place| self.at(Place::parse(place).source)));
        if names.is_empty() {
            return (!touched.is_empty()).then_some(true);
        }
        let sent = |words: &&Words| names.iter().any(|name| words.sent.contains(name)).then_some(true);
        best(touched.iter().filter_map(|words| sent(words).or_else(|| words.has_received(names))))
    }
}

/// Whether one was seen, of those that touch.
fn best(touches: impl Iterator<Item = bool>) -> Option<bool> {
    touches.max()
}

impl Words {
    fn join(&mut self, other: Words) {
        self.sent.extend(other.sent);
        self.received.extend(other.received);
        self.is_cut |= other.is_cut;
    }

    /// Whether one of these names was received; None where it was not.
    fn has_received(&self, names: &[String]) -> Option<bool> {
        let is_seen = names.iter().any(|name| self.received.contains(name));
        (is_seen || self.is_cut).then_some(is_seen)
    }
}

/// The operations that a request may be for, at any level: those with the fewest placeholders that its path fits.
fn rows_at(method: &str, path: &str) -> Vec<&'static Row> {
    let parts: Vec<&str> = path.split('/').collect();
    let placeholders = |row: &&Row| row.route.path.matches('{').count();
    let fits_part = |(own, part): (&str, &&str)| own.starts_with('{') || own == *part;
    let fits = |row: &&Row| {
        let own = row.route.path;
        row.route.method == method && own.split('/').count() == parts.len() && own.split('/').zip(&parts).all(fits_part)
    };
    let fitting: Vec<&Row> = rows().filter(fits).collect();
    let fewest = fitting.iter().map(placeholders).min();
    fitting.into_iter().filter(|row| Some(placeholders(row)) == fewest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(method: &str, path: &str, params: &[(&str, &str)], reply: &str) -> Usage {
        let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut usage = Usage::default();
        usage.add(method, path, &params, reply.as_bytes());
        usage
    }

    fn lines(usage: &Usage, from: i64, to: i64) -> Vec<String> {
        let line = |suspect: &Suspect| format!("{} {} {}", suspect.change.level, suspect.change.on, suspect.is_seen);
        usage.suspects(from, to).iter().map(line).collect()
    }

    #[test]
    fn changes_touch_what_was_sent_and_nothing_else() {
        let settings = usage("PATCH", "/settings", &[("web_channel_default_view", "3")], r#"{"result":"success"}"#);
        assert_eq!(lines(&settings, 371, 387), ["383 PATCH /settings, PATCH /realm/user_settings_defaults true"]);
        assert_eq!(lines(&settings, 383, 387), [""; 0]);

        let other = usage("PATCH", "/settings", &[("twenty_four_hour_time", "true")], r#"{"result":"success"}"#);
        assert_eq!(lines(&other, 371, 387), [""; 0]);
        let reminders = usage("POST", "/reminders", &[("note", "x")], "{}");
        assert_eq!(lines(&reminders, 380, 381), ["381 POST /reminders true"]);
    }

    #[test]
    fn changes_touch_fields_that_were_received_or_may_have_been() {
        let seen = usage("POST", "/register", &[], r#"{"user_settings":{"resolved_topic_notice_auto_read_policy":1}}"#);
        assert_eq!(lines(&seen, 384, 385), ["385 user settings true"]);
        let cut = usage("POST", "/register", &[], r#"{"user_settings":{"#);
        assert_eq!(lines(&cut, 384, 385), ["385 user settings false"]);
        let without = usage("POST", "/register", &[], r#"{"user_settings":{}}"#);
        assert_eq!(lines(&without, 384, 385), [""; 0]);
    }

    #[test]
    fn changes_of_refusals_that_are_of_no_operation_touch_replies_with_their_codes() {
        let refused = |code: &str| {
            let reply = format!(r#"{{"result":"error","msg":"","code":"{code}"}}"#);
            lines(&usage("GET", "/users/me", &[], &reply), 387, 497)
        };
        for code in ["UNAUTHORIZED", "INVALID_API_KEY"] {
            assert!(refused(code).contains(&"497 credentials that are refused true".to_owned()), "{code}");
        }
        assert!(!refused("BAD_REQUEST").iter().any(|line| line.contains("credentials")));
    }

    #[test]
    fn changes_touch_events_that_came_or_were_asked_for() {
        let params = [("event_types", r#"["user_settings"]"#)];
        let mut asked = usage("POST", "/register", &params, r#"{"queue_id":"q"}"#);
        assert_eq!(lines(&asked, 384, 385), ["385 event user_settings update false"]);

        let event = r#"{"events":[{"type":"user_settings","op":"update","property":"resolved_topic_notice_auto_read_policy"}]}"#;
        asked.join(usage("GET", "/events", &[], event));
        assert_eq!(lines(&asked, 384, 385), ["385 event user_settings update true"]);
    }
}
