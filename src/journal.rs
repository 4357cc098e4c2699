//! The journal: what was asked of a world and what it answered, bounded, in the order in which it was answered.

use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::Notify;

/// Entries that are kept at most.
pub const MAX_ENTRIES: usize = 10_000;
/// Bytes of all entries that are kept at most.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of a body or parameter that are kept.
pub const MAX_BODY_BYTES: usize = 4096;

/// A request and its reply.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Rises by one per entry.
    pub id: u64,
    /// When it was answered by the world's clock, UNIX seconds.
    pub at: f64,
    /// HTTP method.
    pub method: Cow<'static, str>,
    /// Without `/api/v1`, placeholders filled in.
    pub path: String,
    /// The operation's path, with placeholders.
    #[serde(skip)]
    pub route: Option<&'static str>,
    /// Address of the caller.
    pub user: Option<Arc<str>>,
    /// As sent.
    pub params: Arc<BTreeMap<String, String>>,
    /// HTTP status; 0 when the connection was dropped.
    pub status: u16,
    /// The reply; text when it is no JSON.
    pub reply: Body,
    /// Real time that it took.
    pub duration_ms: f64,
    /// What the client calls itself: the first word of its User-Agent.
    pub client: Box<str>,
    /// What would have worked, of a refused request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Box<str>>,
    /// The fault that made the reply.
    pub fault: Option<String>,
    /// Positions in the event log of the events that it caused.
    #[serde(serialize_with = "one_by_one")]
    pub events: Range<u64>,
    /// Present when a body was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

fn one_by_one<S: serde::Serializer>(positions: &Range<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(positions.clone())
}

/// A reply's bytes; shown as JSON when they are, else as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body(pub Bytes);

impl Body {
    /// As JSON, or as text.
    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.0).unwrap_or_else(|_| String::from_utf8_lossy(&self.0).into_owned().into())
    }
}

impl Serialize for Body {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl Entry {
    /// Cuts what is too long.
    pub fn bounded(mut self) -> Self {
        if self.params.iter().any(|(name, value)| cut(name).is_some() || cut(value).is_some()) {
            self.truncated = true;
            let short = |text: &String| text[..cut(text).unwrap_or(text.len())].to_owned();
            self.params = Arc::new(self.params.iter().map(|(name, value)| (short(name), short(value))).collect());
        }
        if self.reply.0.len() > MAX_BODY_BYTES {
            // A copy, so that the rest of a long reply is not kept alive.
            self.reply = Body(Bytes::copy_from_slice(&self.reply.0[..MAX_BODY_BYTES]));
            self.truncated = true;
        }
        self
    }

    fn size(&self) -> usize {
        let params: usize = self.params.iter().map(|(name, value)| name.len() + value.len() + 64).sum();
        256 + params + self.path.len() + self.reply.0.len()
    }
}

/// Where a text over the limit is cut.
fn cut(text: &str) -> Option<usize> {
    (text.len() > MAX_BODY_BYTES)
        .then(|| (0..=MAX_BODY_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0))
}

/// What entries are looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// HTTP method.
    pub method: Option<String>,
    /// With placeholders or filled in.
    pub path: Option<String>,
    /// Address of the caller.
    pub user: Option<String>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Id of the fault that fired, or `network`.
    pub fault: Option<String>,
    /// Parameters that must be among those sent, as text.
    pub params: BTreeMap<String, String>,
    /// Only entries after this one.
    pub since: Option<u64>,
}

impl Filter {
    /// Whether an entry is looked for.
    pub fn admits(&self, entry: &Entry) -> bool {
        self.misses(entry) == 0 && self.since.is_none_or(|since| entry.id > since)
    }

    /// In how many points an entry differs from what is looked for.
    pub fn misses(&self, entry: &Entry) -> usize {
        let method = self.method.as_ref().is_some_and(|method| *method != entry.method);
        let path = self.path.as_ref().is_some_and(|path| *path != entry.path && Some(path.as_str()) != entry.route);
        let user = self
            .user
            .as_ref()
            .is_some_and(|user| !entry.user.as_ref().is_some_and(|one| one.eq_ignore_ascii_case(user)));
        let status = self.status.is_some_and(|status| status != entry.status);
        let fault = self.fault.is_some() && self.fault != entry.fault;
        let params = self.params.iter().filter(|(name, value)| entry.params.get(*name) != Some(value)).count();
        // A request of another operation is further away than one with other parameters.
        4 * usize::from(path)
            + 2 * usize::from(method)
            + usize::from(user)
            + usize::from(status)
            + usize::from(fault)
            + params
    }

    /// What is looked for, as an entry would have it.
    pub fn expected(&self) -> Map<String, Value> {
        let mut expected = Map::new();
        let texts = [("method", &self.method), ("path", &self.path), ("user", &self.user), ("fault", &self.fault)];
        for (name, value) in texts {
            if let Some(value) = value {
                expected.insert(name.into(), value.as_str().into());
            }
        }
        if !self.params.is_empty() {
            expected.insert("params".into(), serde_json::to_value(&self.params).unwrap_or_default());
        }
        if let Some(status) = self.status {
            expected.insert("status".into(), status.into());
        }
        expected
    }
}

/// A world's journal.
#[derive(Debug, Default)]
pub struct Journal {
    retained: Mutex<RetainedEntries>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct RetainedEntries {
    entries: VecDeque<(Arc<Entry>, usize)>,
    bytes: usize,
    last_id: u64,
}

impl Journal {
    /// Enters a request, under the next id; the oldest give way.
    pub fn enter(&self, entry: Entry) -> Arc<Entry> {
        let mut entry = entry.bounded();
        let size = entry.size();
        let mut retained = self.retained.lock();
        retained.last_id += 1;
        entry.id = retained.last_id;
        let entry = Arc::new(entry);
        retained.bytes += size;
        retained.entries.push_back((entry.clone(), size));
        while retained.entries.len() > MAX_ENTRIES || retained.bytes > MAX_BYTES {
            let Some((_, size)) = retained.entries.pop_front() else { break };
            retained.bytes -= size;
        }
        drop(retained);
        self.changed.notify_waiters();
        entry
    }

    /// The entries that a filter admits, oldest first.
    pub fn find(&self, filter: &Filter) -> Vec<Arc<Entry>> {
        self.all().into_iter().filter(|entry| filter.admits(entry)).collect()
    }

    /// All entries, oldest first.
    pub fn all(&self) -> Vec<Arc<Entry>> {
        self.retained.lock().entries.iter().map(|(entry, _)| entry.clone()).collect()
    }

    /// Forgets all entries; ids go on rising.
    pub fn clear(&self) {
        let mut retained = self.retained.lock();
        retained.entries.clear();
        retained.bytes = 0;
    }

    /// Becomes ready at the next entry.
    pub fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, reply: String) -> Entry {
        Entry {
            id: 0,
            at: 0.0,
            method: "GET".into(),
            path: path.into(),
            route: Some("/users/{user_id}"),
            user: None,
            params: Arc::default(),
            status: 200,
            reply: Body(reply.into()),
            duration_ms: 0.0,
            client: "".into(),
            hint: None,
            fault: None,
            events: 0..0,
            truncated: false,
        }
    }

    #[test]
    fn the_oldest_give_way_and_long_replies_are_cut() {
        let journal = Journal::default();
        for _ in 0..MAX_ENTRIES + 5 {
            journal.enter(entry("/users/1", String::new()));
        }
        let long = journal.enter(entry("/users/1", "ü".repeat(MAX_BODY_BYTES)));

        assert_eq!(journal.all().len(), MAX_ENTRIES);
        assert_eq!(journal.all()[0].id, 7);
        assert!(long.truncated && long.reply.0.len() <= MAX_BODY_BYTES);
    }

    #[test]
    fn a_path_is_found_with_placeholders_or_without() {
        let journal = Journal::default();
        journal.enter(entry("/users/1", String::new()));
        let find = |path: &str| journal.find(&Filter { path: Some(path.into()), ..Filter::default() }).len();

        assert_eq!((find("/users/1"), find("/users/{user_id}"), find("/users/2")), (1, 1, 0));
    }
}
