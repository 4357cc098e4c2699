//! Names for what requests and replies speak of: users, channels, groups, queues, and what was captured.

use super::exchange::{Exchange, Session};
use super::text::placeholder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// All names.
#[derive(Debug, Default)]
pub struct Names {
    /// Handles by address.
    handles: BTreeMap<String, String>,
    /// Addresses by id.
    users: BTreeMap<i64, String>,
    full_names: BTreeMap<String, String>,
    /// Addresses that requests of the recording give to accounts, which have others before.
    made: BTreeSet<String>,
    /// Names by id; none where it has had several.
    channels: BTreeMap<i64, Option<String>>,
    groups: BTreeMap<i64, Option<String>>,
    /// Labels by queue id.
    pub queues: BTreeMap<String, String>,
    /// What a request names later: kinds and ids.
    wanted: BTreeSet<(String, i64)>,
    captured: BTreeMap<(String, i64), String>,
    /// Texts that replies gave and later requests use, with their names.
    texts: Vec<(String, String)>,
    counts: BTreeMap<String, usize>,
    /// Ids that are written as numbers, because the recording has no name for them.
    pub numbers: BTreeSet<(String, i64)>,
}

impl Names {
    /// The names that all exchanges of a session tell.
    pub fn of(session: &Session) -> Self {
        let mut names = Self::default();
        let accounts = session.exchanges.iter().filter(|exchange| exchange.status != 401);
        let emails: BTreeSet<&String> = accounts.filter_map(|exchange| Some(&exchange.account.as_ref()?.0)).collect();
        emails.into_iter().for_each(|email| names.add_person(email, session));
        for exchange in &session.exchanges {
            names.made.extend(exchange.parameter("email").filter(|_| exchange.method != "GET"));
            names.collect(&exchange.reply, session);
        }
        names
    }

    fn add_person(&mut self, email: &str, session: &Session) {
        if self.handles.contains_key(email) {
            return;
        }
        let local = email.split('@').next().unwrap_or(email).to_owned();
        let mut handle = session.aliases.get(email).cloned().unwrap_or(local);
        let is_taken = self.handles.values().any(|other| *other == handle);
        if is_taken || handle.is_empty() || handle.contains(|one: char| one.is_whitespace() || "{}:=".contains(one)) {
            handle = email.to_owned();
        }
        self.handles.insert(email.to_owned(), handle);
    }

    /// Notes the users, channels and groups that a value describes.
    fn collect(&mut self, value: &Value, session: &Session) {
        match value {
            Value::Object(object) => {
                let text = |key: &str| object.get(key).and_then(Value::as_str);
                let number = |key: &str| object.get(key).and_then(Value::as_i64);
                let email = text("delivery_email").or_else(|| text("email"));
                if let (Some(id), Some(email), Some(full_name)) = (number("user_id"), email, text("full_name"))
                    && !email.starts_with(&format!("user{id}@"))
                {
                    self.add_person(email, session);
                    self.users.insert(id, email.to_owned());
                    self.full_names.insert(full_name.to_owned(), email.to_owned());
                }
                if let (Some(id), Some(name), Some(_)) = (number("stream_id"), text("name"), text("description")) {
                    note(&mut self.channels, id, name);
                }
                if let (Some(id), Some(name), true) =
                    (number("id"), text("name"), object.contains_key("direct_subgroup_ids"))
                {
                    note(&mut self.groups, id, name);
                }
                object.values().for_each(|inner| self.collect(inner, session));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, session)),
            _ => {}
        }
    }

    /// The handle of an address.
    pub fn handle(&self, email: &str) -> Option<&str> {
        self.handles.get(email).map(String::as_str)
    }

    /// Adds a queue of a user, and gives its label.
    pub fn add_queue(&mut self, email: &str, queue_id: &str) -> String {
        let handle = self.handle(email).unwrap_or(email).to_owned();
        let count = self.counts.entry(format!("queue {handle}")).or_default();
        *count += 1;
        let label = if *count == 1 { handle } else { format!("{handle} {count}") };
        self.queues.insert(queue_id.to_owned(), label.clone());
        label
    }

    /// Notes what a request names by its id, so that the reply that shows it first captures it.
    pub fn want(&mut self, kind: &str, id: i64) {
        self.wanted.insert((kind.to_owned(), id));
    }

    /// The placeholder of an id that has a name by now.
    pub fn known(&self, kind: &str, id: i64) -> Option<String> {
        let named = |names: &BTreeMap<i64, Option<String>>| {
            let name = names.get(&id)?.as_ref()?;
            let is_plain = !name.contains(|one: char| "{}".contains(one)) && !name.contains(":=");
            is_plain.then(|| placeholder(&format!("{kind} {name}")))
        };
        let by_name = match kind {
            "user" => self
                .users
                .get(&id)
                .filter(|email| !self.made.contains(*email))
                .and_then(|email| self.handle(email))
                .map(|handle| placeholder(&format!("{handle}.user_id"))),
            "channel" => named(&self.channels),
            "group" => named(&self.groups),
            _ => None,
        };
        by_name.or_else(|| self.captured.get(&(kind.to_owned(), id)).map(|name| placeholder(name)))
    }

    /// An id in a request: its placeholder, or the number.
    pub fn sent(&mut self, kind: &str, id: i64) -> Value {
        match self.known(kind, id) {
            Some(name) => name.into(),
            None => {
                self.numbers.insert((kind.to_owned(), id));
                id.into()
            }
        }
    }

    /// An id in a reply: its placeholder, a capture where a later request names it, or any number.
    pub fn received(&mut self, kind: &str, id: i64) -> Value {
        if let Some(name) = self.known(kind, id) {
            return name.into();
        }
        let key = (kind.to_owned(), id);
        if self.numbers.contains(&key) {
            return id.into();
        }
        if !self.wanted.contains(&key) {
            return placeholder("int").into();
        }
        let name = self.next(kind);
        self.captured.insert(key, name.clone());
        placeholder(&format!("{name} := int")).into()
    }

    /// Captures a text that later requests use.
    pub fn capture_text(&mut self, kind: &str, text: &str) -> String {
        let name = self.next(kind);
        self.texts.push((text.to_owned(), name.clone()));
        placeholder(&format!("{name} := string"))
    }

    fn next(&mut self, kind: &str) -> String {
        let word: String = kind.chars().map(|one| if one.is_ascii_lowercase() { one } else { '_' }).collect();
        let word = if word.starts_with(|one: char| one.is_ascii_lowercase()) { word } else { format!("id{word}") };
        let count = self.counts.entry(word.clone()).or_default();
        *count += 1;
        format!("{word}{count}")
    }

    /// The placeholder of a text that is an address or the id of a queue, as a whole.
    pub fn whole(&self, text: &str) -> Option<String> {
        if let Some(handle) = self.handle(text) {
            return (!self.made.contains(text)).then(|| placeholder(&format!("{handle}.email")));
        }
        self.queues.get(text).map(|label| placeholder(&format!("{label}.queue_id")))
    }

    /// The placeholder of a user's full name.
    pub fn full_name(&self, text: &str) -> Option<String> {
        let handle = self.handle(self.full_names.get(text)?)?;
        Some(placeholder(&format!("{handle}.full_name")))
    }

    /// A text with placeholders for the queues and captured texts in it.
    pub fn within(&self, text: &str) -> String {
        let mut written = text.to_owned();
        for (known, name) in &self.texts {
            written = written.replace(known, &placeholder(name));
        }
        for (id, label) in &self.queues {
            written = written.replace(id, &placeholder(&format!("{label}.queue_id")));
        }
        written
    }

    /// Whether a placeholder is a number.
    pub fn is_number(&self, inner: &str) -> bool {
        let is_of_user_or_queue =
            [".email", ".full_name", ".queue_id", ".api_key"].iter().any(|end| inner.ends_with(end));
        !is_of_user_or_queue && !self.texts.iter().any(|(_, name)| name == inner)
    }

    /// The name of a text that was captured.
    pub fn text(&self, text: &str) -> Option<&str> {
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let wanted = decoded(text);
        self.texts.iter().find(|(known, _)| decoded(known) == wanted).map(|(_, name)| name.as_str())
    }
}

fn note(names: &mut BTreeMap<i64, Option<String>>, id: i64, name: &str) {
    let known = names.entry(id).or_insert_with(|| Some(name.to_owned()));
    if known.as_deref() != Some(name) {
        *known = None;
    }
}

/// Who sends a request, and whether the key was accepted.
pub fn caller(exchange: &Exchange, names: &Names) -> Result<String, &'static str> {
    let Some((email, _)) = &exchange.account else { return Ok("anonymous".to_owned()) };
    match names.handle(email) {
        Some(handle) if exchange.status == 401 => Ok(format!("{handle} with key {}", "wrongKey".repeat(4))),
        Some(handle) => Ok(handle.to_owned()),
        None => Err("no request of this account succeeded, so that it is no user of the scenario"),
    }
}
