//! The parts of the API that a client used, and the changes of levels that may affect it.

use super::objects::{ALL, EVERY_REPLY, ObjectKind};
use super::place::{Place, Source};
use super::{Behaviour, Change, ChangeKind, Downgrade, ListedChange, changes, list_changes};
use crate::api::{Effect, OPERATIONS, OperationRow, rows};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

/// The operations, events and codes that a client used, with the names in them that changes of levels mention.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// By method and path of the operation, with placeholders.
    operations: BTreeMap<(&'static str, &'static str), UsageDetails>,
    /// By type.
    events: BTreeMap<String, UsageDetails>,
    /// Codes of refusals.
    codes: BTreeSet<String>,
    /// The texts in [`MENTIONED_ERROR_TEXTS`] that messages of refusals contain.
    refusal_texts: BTreeSet<&'static str>,
}

/// What a client used with an operation or a type of event: names of [`MENTIONED_NAMES`], and details of the replies.
#[derive(Clone, Debug, Default)]
struct UsageDetails {
    /// From names and values of parameters.
    sent: BTreeSet<String>,
    /// From replies or events, with the types of the events.
    received: BTreeSet<String>,
    /// Whether `received` may be incomplete: a reply was truncated or not JSON, or the events were only requested.
    is_incomplete: bool,
    /// Statuses of the replies.
    statuses: BTreeSet<u16>,
    /// Codes of the refusals.
    codes: BTreeSet<String>,
    /// The texts in [`MENTIONED_ERROR_TEXTS`] that messages of the refusals contain.
    refusal_texts: BTreeSet<&'static str>,
}

/// A change that may affect the client.
#[derive(Clone, Debug)]
pub struct SuspectedChange {
    pub change: ListedChange,
    /// Whether a name of the change was used; otherwise it may be in the unknown part of a reply.
    pub is_certain: bool,
}

/// How sure it is that a client used a name of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// The name may be in the unknown part of a reply.
    Possible,
    /// The name was used.
    Certain,
}

/// The names in all descriptions of changes. No others are recorded, except types of events.
static MENTIONED_NAMES: LazyLock<HashSet<String>> =
    LazyLock::new(|| list_changes().iter().flat_map(|change| quoted_names(&change.change)).collect());

/// Texts of messages, in lowercase, from the descriptions of behaviours that change the messages of many operations.
static MENTIONED_ERROR_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let behaviours = changes().iter().filter_map(|change| match change.kind {
        ChangeKind::Behaviour(behaviour) if changes_messages_everywhere(behaviour) => Some(behaviour),
        _ => None,
    });
    behaviours.flat_map(|behaviour| quoted_messages(behaviour.description)).collect()
});

fn changes_messages_everywhere(behaviour: &Behaviour) -> bool {
    matches!(behaviour.downgrade, Downgrade::ErrorMessage(_)) && !behaviour.subject.contains('/')
}

/// The texts in backticks or quotation marks, in lowercase, each up to its first digit: the numbers of an example
/// differ from those of a message.
fn quoted_messages(description: &str) -> impl Iterator<Item = String> {
    let quoted_texts = description.split(['`', '"']).skip(1).step_by(2);
    quoted_texts.filter_map(|text| {
        let text = text.split(|character: char| character.is_ascii_digit()).next()?.trim_end();
        (!text.is_empty()).then(|| text.to_lowercase())
    })
}

/// The words between backticks.
fn quoted_names(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).flat_map(words).map(str::to_owned).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| !word.is_empty())
}

/// Adds the words of a text that occur in descriptions of changes.
fn add_names(text: &str, names: &mut BTreeSet<String>) {
    names.extend(words(text).filter(|word| MENTIONED_NAMES.contains(*word)).map(str::to_owned));
}

impl Usage {
    /// Adds a request, by its path without `/api/v1`, and its reply, which may be truncated.
    pub fn add(&mut self, method: &str, path: &str, params: &BTreeMap<String, String>, status: u16, reply: &[u8]) {
        let text = String::from_utf8_lossy(reply);
        let reply_json = serde_json::from_slice::<Value>(reply).ok();
        let code =
            reply_json.as_ref().filter(|reply| reply["result"] == "error").and_then(|reply| reply["code"].as_str());
        self.codes.extend(code.map(str::to_owned));
        let message = code.and_then(|_| reply_json.as_ref()?["msg"].as_str()).unwrap_or_default().to_lowercase();
        let refusal_texts = || MENTIONED_ERROR_TEXTS.iter().map(String::as_str).filter(|text| message.contains(*text));
        self.refusal_texts.extend(refusal_texts());
        for row in matching_rows(method, path) {
            let names = self.operations.entry((row.route.method, row.route.path)).or_default();
            for (name, value) in params {
                add_names(name, &mut names.sent);
                add_names(value, &mut names.sent);
            }
            add_names(&text, &mut names.received);
            names.statuses.insert(status);
            names.codes.extend(code.map(str::to_owned));
            names.refusal_texts.extend(refusal_texts());
            names.is_incomplete |= reply_json.is_none() && !reply.is_empty();
            if row.is_poll() {
                self.add_events(reply_json.as_ref());
            }
            if row.has_effect(Effect::RegistersQueue) {
                let requested_types =
                    params.get("event_types").and_then(|types| serde_json::from_str::<Vec<String>>(types).ok());
                for kind in requested_types.into_iter().flatten() {
                    self.events.entry(kind).or_default().is_incomplete = true;
                }
            }
        }
    }

    fn add_events(&mut self, reply: Option<&Value>) {
        for event in reply.and_then(|reply| reply["events"].as_array()).into_iter().flatten() {
            let kind = event["type"].as_str().unwrap_or_default();
            let received = &mut self.events.entry(kind.to_owned()).or_default().received;
            received.insert(kind.to_owned());
            add_names(&event.to_string(), received);
        }
    }

    /// Adds the usage of another client.
    pub fn merge(&mut self, other: Usage) {
        other.operations.into_iter().for_each(|(key, names)| self.operations.entry(key).or_default().merge(names));
        other.events.into_iter().for_each(|(key, names)| self.events.entry(key).or_default().merge(names));
        self.codes.extend(other.codes);
        self.refusal_texts.extend(other.refusal_texts);
    }

    /// Whether a change may explain that this client failed where another one passed. Then one of these holds:
    ///
    /// - An operation that the change is about replied to the two clients with different statuses.
    /// - Such an operation, or any operation if the change is about all, refused both clients with different codes or
    ///   messages, and the change mentions one of these.
    /// - The change mentions a name that only the passing client received, in events of the type that it is about.
    pub fn is_likely_cause(&self, passing_usage: &Usage, change: &ListedChange) -> bool {
        let concerns_all_operations = !change.on.contains('/');
        let changed_operations: Vec<(&str, &str)> = change.on.split(", ").filter_map(|on| on.split_once(' ')).collect();
        let is_of_operation = self.operations.iter().any(|(route, used)| {
            let is_changed = changed_operations.contains(route);
            let other_used = passing_usage.operations.get(route).filter(|_| is_changed || concerns_all_operations);
            other_used.is_some_and(|other_used| {
                is_changed && used.statuses != other_used.statuses
                    || used.refusals_differ_for(other_used, &change.change)
            })
        });
        let changed_events = change.on.strip_prefix("event ").map(words).into_iter().flatten();
        let mut used_events =
            changed_events.filter_map(|kind| Some((self.events.get(kind)?, passing_usage.events.get(kind)?)));
        is_of_operation
            || used_events.any(|(used, other_used)| {
                quoted_names(&change.change)
                    .iter()
                    .any(|name| other_used.received.contains(name) && !used.received.contains(name))
            })
    }

    /// Returns the changes above `from` and up to `to` that may affect the client: the certain ones first, and the
    /// older ones before the newer.
    pub fn suspected_changes(&self, from: i64, to: i64) -> Vec<SuspectedChange> {
        let is_between = |level: i64| level > from && level <= to;
        let is_used = |row: &OperationRow| self.operations.contains_key(&(row.route.method, row.route.path));
        let new_operations =
            rows().filter(|row| is_between(row.docs.since) && is_used(row)).map(ListedChange::of_new_operation);
        let removed_rows = OPERATIONS.iter().filter(|row| row.removed_in.is_some_and(is_between) && is_used(row));
        let operations = new_operations.chain(removed_rows.filter_map(ListedChange::of_removed_operation));
        let mut suspects: Vec<SuspectedChange> =
            operations.map(|change| SuspectedChange { change, is_certain: true }).collect();
        let other_changes = changes().iter().filter(|change| is_between(change.level));
        suspects.extend(other_changes.filter_map(|change| {
            let is_certain = self.certainty_of_effect(change)? == Certainty::Certain;
            Some(SuspectedChange { change: ListedChange::from_change(change), is_certain })
        }));
        suspects.sort_by_key(|suspect| (!suspect.is_certain, suspect.change.level));
        suspects
    }

    /// How sure it is that a change affects the client; None if the client used nothing that it mentions.
    fn certainty_of_effect(&self, change: &Change) -> Option<Certainty> {
        let used_by_route = |route: &'static str| {
            let (method, path) = route.split_once(' ').unwrap_or_default();
            self.operations.get(&(method, path))
        };
        let certainty_of_sending = |used: Option<&UsageDetails>, name: &str| {
            used.filter(|used| used.sent.contains(name)).map(|_| Certainty::Certain)
        };
        match change.kind {
            ChangeKind::Parameter { route, name } | ChangeKind::RemovedParameter { route, name, .. } => {
                certainty_of_sending(used_by_route(route), name)
            }
            ChangeKind::RenamedParameter { route, old, new, .. } => certainty_of_sending(used_by_route(route), old)
                .or_else(|| certainty_of_sending(used_by_route(route), new)),
            ChangeKind::Capability(name) => certainty_of_sending(used_by_route("POST /register"), name),
            ChangeKind::NarrowTerm { operator, operand } => {
                let name = operand.unwrap_or(operator);
                self.operations
                    .values()
                    .find_map(|used| certainty_of_sending(Some(used), name).filter(|_| used.sent.contains(operator)))
            }
            ChangeKind::Field { object, name } | ChangeKind::RemovedField { object, name, .. } => {
                self.certainty_of_reception(object, &[name.to_owned()])
            }
            ChangeKind::RenamedField { object, old, new } => {
                self.certainty_of_reception(object, &[old.to_owned(), new.to_owned()])
            }
            ChangeKind::Event(pattern) => {
                let used = self.events.get(pattern.kind)?;
                used.certainty_of_reception(&[pattern.carries.map_or(pattern.kind, |(_, name)| name).to_owned()])
            }
            ChangeKind::Behaviour(behaviour) => self
                .certainty_by_subject(behaviour.subject, &quoted_names(behaviour.description))
                .or_else(|| self.certainty_by_refusals(behaviour)),
            ChangeKind::Feature(_, difference) => {
                self.certainty_by_subject(difference.subject, &quoted_names(difference.description))
            }
        }
    }

    /// How sure it is that one of these names was received with a reply or event that has such objects.
    fn certainty_of_reception(&self, object: &ObjectKind, names: &[String]) -> Option<Certainty> {
        let places = object.places.iter().map(|place| Place::parse(place).source);
        let used_names = places.flat_map(|source| self.names_used_at(source));
        used_names.filter_map(|used| used.certainty_of_reception(names)).max()
    }

    fn names_used_at(&self, source: Source) -> Vec<&UsageDetails> {
        match source {
            Source::Reply(method, path) => self.operations.get(&(method, path)).into_iter().collect(),
            Source::Event(kind, _) => self.events.get(kind).into_iter().collect(),
            Source::EveryReply => self.operations.values().collect(),
        }
    }

    /// Certain if the client received the code or a message of a behaviour that concerns refusals of all operations
    /// else None.
    fn certainty_by_refusals(&self, behaviour: &Behaviour) -> Option<Certainty> {
        if changes_messages_everywhere(behaviour) {
            let mut messages = quoted_messages(behaviour.description);
            return messages.any(|text| self.refusal_texts.contains(text.as_str())).then_some(Certainty::Certain);
        }
        let former_code = match behaviour.downgrade {
            Downgrade::Code { code, .. } | Downgrade::CredentialsCode { code, .. } => code,
            _ => return None,
        };
        let mentions = |code: &String| code == former_code || words(behaviour.description).any(|word| word == code);
        let concerns_all_operations = !behaviour.subject.contains('/');
        (concerns_all_operations && self.codes.iter().any(mentions)).then_some(Certainty::Certain)
    }

    /// How sure it is that the client used one of these names with the operations, events or objects in the subject
    /// of a behaviour.
    fn certainty_by_subject(&self, subject: &str, names: &[String]) -> Option<Certainty> {
        let mut used_names: Vec<&UsageDetails> = Vec::new();
        // The methods before a path are those of that path, and of further paths without a method.
        let (mut methods, mut is_after_path): (Vec<&str>, bool) = (Vec::new(), false);
        let mut subject_words = subject.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = subject_words.next() {
            if word == "event" {
                used_names.extend(subject_words.peek().and_then(|kind| self.events.get(*kind)));
            } else if word.starts_with('/') {
                let is_operation = |(used_method, path): &(&str, &str)| {
                    *path == word && (methods.is_empty() || methods.contains(used_method))
                };
                is_after_path = true;
                used_names.extend(self.operations.iter().filter(|(key, _)| is_operation(key)).map(|(_, names)| names));
            } else if word.bytes().all(|byte| byte.is_ascii_uppercase()) {
                if std::mem::take(&mut is_after_path) {
                    methods.clear();
                }
                methods.push(word);
            }
        }
        let objects = ALL.iter().copied().chain([&EVERY_REPLY]).filter(|object| subject == object.name);
        let places = objects.flat_map(|object| object.places);
        used_names.extend(places.flat_map(|place| self.names_used_at(Place::parse(place).source)));
        if names.is_empty() {
            return (!used_names.is_empty()).then_some(Certainty::Certain);
        }
        let certainty_if_sent =
            |used: &&UsageDetails| names.iter().any(|name| used.sent.contains(name)).then_some(Certainty::Certain);
        used_names
            .iter()
            .filter_map(|used| certainty_if_sent(used).or_else(|| used.certainty_of_reception(names)))
            .max()
    }
}

impl UsageDetails {
    fn merge(&mut self, other: UsageDetails) {
        self.sent.extend(other.sent);
        self.received.extend(other.received);
        self.is_incomplete |= other.is_incomplete;
        self.statuses.extend(other.statuses);
        self.codes.extend(other.codes);
        self.refusal_texts.extend(other.refusal_texts);
    }

    /// Whether both clients were refused, and `description` mentions a code or a message that only one received.
    fn refusals_differ_for(&self, other: &UsageDetails, description: &str) -> bool {
        let mut codes = self.codes.symmetric_difference(&other.codes);
        let mut texts = self.refusal_texts.symmetric_difference(&other.refusal_texts);
        let names_code = |code: &String| words(description).any(|word| word == code);
        let names_text = |text: &&'static str| quoted_messages(description).any(|message| message == *text);
        let are_both_refused = !self.codes.is_empty() && !other.codes.is_empty();
        are_both_refused && (codes.any(names_code) || texts.any(names_text))
    }

    /// How sure it is that one of these names was received.
    fn certainty_of_reception(&self, names: &[String]) -> Option<Certainty> {
        if names.iter().any(|name| self.received.contains(name)) {
            return Some(Certainty::Certain);
        }
        self.is_incomplete.then_some(Certainty::Possible)
    }
}

/// The operations of all levels that match a request, reduced to those with the fewest placeholders.
fn matching_rows(method: &str, path: &str) -> Vec<&'static OperationRow> {
    let parts: Vec<&str> = path.split('/').collect();
    let placeholder_count = |row: &&OperationRow| row.route.path.matches('{').count();
    let is_match = |(segment, part): (&str, &&str)| segment.starts_with('{') || segment == *part;
    let matches_path = |row: &&OperationRow| {
        let segments = row.route.path.split('/');
        row.route.method == method && segments.clone().count() == parts.len() && segments.zip(&parts).all(is_match)
    };
    let candidates: Vec<&OperationRow> = rows().filter(matches_path).collect();
    let min_count = candidates.iter().map(placeholder_count).min();
    candidates.into_iter().filter(|row| Some(placeholder_count(row)) == min_count).collect()
}

#[cfg(test)]
mod tests;
