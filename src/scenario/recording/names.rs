//! The placeholders for users, channels, groups, queues and captured values in recorded requests and replies.

use super::exchange::Recording;
use super::text::placeholder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The names and captured values that placeholders of a recording can refer to.
#[derive(Debug, Default)]
pub struct Names {
    /// Handles by email address.
    handles: BTreeMap<String, String>,
    /// Email addresses by user ID.
    emails_by_id: BTreeMap<i64, String>,
    /// Email addresses by full name.
    emails_by_full_name: BTreeMap<String, String>,
    /// Email addresses that requests of the recording set, so that they are not valid from the start.
    changed_emails: BTreeSet<String>,
    /// Names of channels by ID. None if the channel has had several names.
    channel_names: BTreeMap<i64, Option<String>>,
    /// Names of groups by ID. None if the group has had several names.
    group_names: BTreeMap<i64, Option<String>>,
    /// Labels by queue ID.
    pub queue_labels: BTreeMap<String, String>,
    /// Kinds and IDs of objects that later requests use.
    used_ids: BTreeSet<(String, i64)>,
    /// Names of captured IDs by kind and ID.
    captured_ids: BTreeMap<(String, i64), String>,
    /// Captured texts that later requests may use, with their names.
    captured_texts: Vec<(String, String)>,
    /// How many names were made from each base. The base of a queue's label is `queue HANDLE`.
    name_counts: BTreeMap<String, usize>,
    /// Kinds and IDs that requests use without a placeholder.
    pub unnamed_ids: BTreeSet<(String, i64)>,
}

impl Names {
    /// Collects the names in all exchanges of a recording.
    pub fn from_recording(recording: &Recording) -> Self {
        let mut names = Self::default();
        let accepted_exchanges = recording.exchanges.iter().filter(|exchange| exchange.status != 401);
        let emails: BTreeSet<&String> =
            accepted_exchanges.filter_map(|exchange| Some(&exchange.account.as_ref()?.0)).collect();
        emails.into_iter().for_each(|email| names.add_user(email, recording));
        for exchange in &recording.exchanges {
            names.changed_emails.extend(exchange.parameter("email").filter(|_| exchange.method != "GET"));
            names.collect(&exchange.reply_body, recording);
        }
        names
    }

    fn add_user(&mut self, email: &str, recording: &Recording) {
        if self.handles.contains_key(email) {
            return;
        }
        let local_part = email.split('@').next().unwrap_or(email).to_owned();
        let mut handle = recording.aliases.get(email).cloned().unwrap_or(local_part);
        let is_taken = self.handles.values().any(|other| *other == handle);
        if is_taken
            || handle.is_empty()
            || handle.contains(|character: char| character.is_whitespace() || "{}:=".contains(character))
        {
            handle = email.to_owned();
        }
        self.handles.insert(email.to_owned(), handle);
    }

    /// Collects the users, channels and groups that a value describes.
    fn collect(&mut self, value: &Value, recording: &Recording) {
        match value {
            Value::Object(object) => {
                let text = |key: &str| object.get(key).and_then(Value::as_str);
                let number = |key: &str| object.get(key).and_then(Value::as_i64);
                let email = text("delivery_email").or_else(|| text("email"));
                // Where addresses are hidden, this form replaces them. No account logs in with it.
                if let (Some(id), Some(email), Some(full_name)) = (number("user_id"), email, text("full_name"))
                    && !email.starts_with(&format!("user{id}@"))
                {
                    self.add_user(email, recording);
                    self.emails_by_id.insert(id, email.to_owned());
                    self.emails_by_full_name.insert(full_name.to_owned(), email.to_owned());
                }
                if let (Some(id), Some(name), Some(_)) = (number("stream_id"), text("name"), text("description")) {
                    add_name(&mut self.channel_names, id, name);
                }
                if let (Some(id), Some(name), true) =
                    (number("id"), text("name"), object.contains_key("direct_subgroup_ids"))
                {
                    add_name(&mut self.group_names, id, name);
                }
                object.values().for_each(|member| self.collect(member, recording));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, recording)),
            _ => {}
        }
    }

    /// The handle of the account with this email address. None if the recording has no such account.
    pub fn handle(&self, email: &str) -> Option<&str> {
        self.handles.get(email).map(String::as_str)
    }

    /// Adds a queue of a user and returns its label.
    pub fn add_queue(&mut self, email: &str, queue_id: &str) -> String {
        let handle = self.handle(email).unwrap_or(email).to_owned();
        let count = self.name_counts.entry(format!("queue {handle}")).or_default();
        *count += 1;
        let label = if *count == 1 { handle } else { format!("{handle} {count}") };
        self.queue_labels.insert(queue_id.to_owned(), label.clone());
        label
    }

    /// Marks an ID as used by a request, so that the first reply or event that contains it captures it.
    pub fn mark_used(&mut self, kind: &str, id: i64) {
        self.used_ids.insert((kind.to_owned(), id));
    }

    /// The placeholder of an ID, if it has a name or was captured.
    pub fn id_placeholder(&self, kind: &str, id: i64) -> Option<String> {
        let named_placeholder = |names: &BTreeMap<i64, Option<String>>| {
            let name = names.get(&id)?.as_ref()?;
            let is_plain = !name.contains(['{', '}']) && !name.contains(":=");
            is_plain.then(|| placeholder(&format!("{kind} {name}")))
        };
        let name_placeholder = match kind {
            "user" => self
                .emails_by_id
                .get(&id)
                .filter(|email| !self.changed_emails.contains(*email))
                .and_then(|email| self.handle(email))
                .map(|handle| placeholder(&format!("{handle}.user_id"))),
            "channel" => named_placeholder(&self.channel_names),
            "group" => named_placeholder(&self.group_names),
            _ => None,
        };
        name_placeholder.or_else(|| self.captured_ids.get(&(kind.to_owned(), id)).map(|name| placeholder(name)))
    }

    /// Converts an ID in a request to its placeholder, or to the number, which is then noted as unnamed.
    pub fn convert_id_in_request(&mut self, kind: &str, id: i64) -> Value {
        match self.id_placeholder(kind, id) {
            Some(id_placeholder) => id_placeholder.into(),
            None => {
                self.unnamed_ids.insert((kind.to_owned(), id));
                id.into()
            }
        }
    }

    /// Converts an ID in a reply or event to an expectation: its placeholder; the number if an earlier request used it
    /// without a placeholder; a capture if a request uses it, which gives the ID a name; or any number.
    pub fn convert_id_in_expectation(&mut self, kind: &str, id: i64) -> Value {
        if let Some(id_placeholder) = self.id_placeholder(kind, id) {
            return id_placeholder.into();
        }
        let key = (kind.to_owned(), id);
        if self.unnamed_ids.contains(&key) {
            return id.into();
        }
        if !self.used_ids.contains(&key) {
            return placeholder("int").into();
        }
        let name = self.new_name(kind);
        self.captured_ids.insert(key, name.clone());
        placeholder(&format!("{name} := int")).into()
    }

    /// Gives a text a new name for later requests, and returns the placeholder that captures it.
    pub fn capture_text(&mut self, kind: &str, text: &str) -> String {
        let name = self.new_name(kind);
        self.captured_texts.push((text.to_owned(), name.clone()));
        placeholder(&format!("{name} := string"))
    }

    fn new_name(&mut self, kind: &str) -> String {
        let name_base: String =
            kind.chars().map(|character| if character.is_ascii_lowercase() { character } else { '_' }).collect();
        let name_base = if name_base.starts_with(|character: char| character.is_ascii_lowercase()) {
            name_base
        } else {
            format!("id{name_base}")
        };
        let count = self.name_counts.entry(name_base.clone()).or_default();
        *count += 1;
        format!("{name_base}{count}")
    }

    /// The placeholder of a text that is an email address or a queue ID. None for other texts, and for email addresses
    /// that the recording changes.
    pub fn placeholder_for(&self, text: &str) -> Option<String> {
        if let Some(handle) = self.handle(text) {
            return (!self.changed_emails.contains(text)).then(|| placeholder(&format!("{handle}.email")));
        }
        self.queue_labels.get(text).map(|label| placeholder(&format!("{label}.queue_id")))
    }

    /// The placeholder of a full name. None if no account of the recording has it.
    pub fn full_name_placeholder(&self, text: &str) -> Option<String> {
        let handle = self.handle(self.emails_by_full_name.get(text)?)?;
        Some(placeholder(&format!("{handle}.full_name")))
    }

    /// Replaces captured texts and queue IDs within a text with placeholders.
    pub fn insert_placeholders(&self, text: &str) -> String {
        let mut result = text.to_owned();
        for (captured_text, name) in &self.captured_texts {
            result = result.replace(captured_text, &placeholder(name));
        }
        for (id, label) in &self.queue_labels {
            result = result.replace(id, &placeholder(&format!("{label}.queue_id")));
        }
        result
    }

    /// Whether the value of a placeholder is a number. `inner` is the text between its braces.
    pub fn is_number_placeholder(&self, inner: &str) -> bool {
        let is_text_property =
            [".email", ".full_name", ".queue_id", ".api_key"].iter().any(|suffix| inner.ends_with(suffix));
        !is_text_property && !self.captured_texts.iter().any(|(_, name)| name == inner)
    }

    /// The name of a captured text. Percent-encoding is ignored.
    pub fn name_of_captured_text(&self, text: &str) -> Option<&str> {
        let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let decoded = decode(text);
        self.captured_texts
            .iter()
            .find(|(captured_text, _)| decode(captured_text) == decoded)
            .map(|(_, name)| name.as_str())
    }
}

/// Adds the name of an object. An object that has had several names gets None.
fn add_name(names: &mut BTreeMap<i64, Option<String>>, id: i64, name: &str) {
    let known_name = names.entry(id).or_insert_with(|| Some(name.to_owned()));
    if known_name.as_deref() != Some(name) {
        *known_name = None;
    }
}
