//! The journal of a world: its latest requests with their replies, in the order of the replies.

use bytes::Bytes;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::Notify;

/// The limit on the number of entries; the oldest are dropped first.
pub const MAX_ENTRIES: usize = 10_000;
/// The limit on the total size of the entries, in bytes; the oldest are dropped first.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Longer bodies of replies, and longer names and values of parameters, are truncated.
pub const MAX_TEXT_BYTES: usize = 4096;
/// Estimates of the memory for the fixed parts of an entry and of a parameter.
const ENTRY_OVERHEAD_BYTES: usize = 256;
const PARAMETER_OVERHEAD_BYTES: usize = 64;

/// A request and its reply.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Increases by one per entry.
    pub id: u64,
    /// The time of the reply by the world's clock, or that of the request's first event if it is earlier; in UNIX
    /// seconds.
    pub at: f64,
    pub method: Cow<'static, str>,
    /// Without `/api/v1` or `/json`, with values instead of placeholders.
    pub path: String,
    /// The path of the operation with placeholders, or the kind of the file.
    #[serde(skip)]
    pub route: Option<&'static str>,
    /// The email address in the credentials, which may belong to no account.
    pub user: Option<Arc<str>>,
    /// The parameters with neutral names; `…` replaces the key of an incoming webhook.
    pub params: Arc<BTreeMap<String, String>>,
    /// HTTP status; 0 if a fault or the network dropped the connection, or if the client closed it: before a delayed
    /// reply, or during a poll on which a fault had fired.
    pub status: u16,
    pub reply: Body,
    /// When the request arrived, in microseconds of real time.
    #[serde(skip)]
    pub arrived_at: i64,
    /// From the arrival of the request to its reply, in real time; a delay by a fault is included.
    pub duration_ms: f64,
    /// The name of the client without its version, from `X-Chatdouble-Client` or `User-Agent`.
    pub client: Box<str>,
    /// The hint in the reply's header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Box<str>>,
    /// The ID of the fault that fired, or `network`.
    pub fault: Option<String>,
    /// The positions in the event log of the events that the request caused.
    #[serde(serialize_with = "serialize_as_list")]
    pub events: Range<u64>,
    /// Whether the body or a parameter was truncated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

fn serialize_as_list<S: serde::Serializer>(positions: &Range<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(positions.clone())
}

/// The body of a reply, which serializes as its JSON value, or as text if it is not JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body(pub Bytes);

impl Body {
    /// The JSON value, or the text if the body is not JSON.
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
    /// Truncates the body, and each name and value of a parameter, to [`MAX_TEXT_BYTES`].
    pub fn into_truncated(mut self) -> Self {
        if self.params.iter().any(|(name, value)| truncation_point(name).is_some() || truncation_point(value).is_some())
        {
            self.truncated = true;
            let truncate_text = |text: &String| text[..truncation_point(text).unwrap_or(text.len())].to_owned();
            self.params =
                Arc::new(self.params.iter().map(|(name, value)| (truncate_text(name), truncate_text(value))).collect());
        }
        if self.reply.0.len() > MAX_TEXT_BYTES {
            // A copy, because a slice would keep the whole reply in memory.
            self.reply = Body(Bytes::copy_from_slice(&self.reply.0[..MAX_TEXT_BYTES]));
            self.truncated = true;
        }
        self
    }

    /// The approximate memory of the entry, in bytes.
    fn size(&self) -> usize {
        let params: usize =
            self.params.iter().map(|(name, value)| name.len() + value.len() + PARAMETER_OVERHEAD_BYTES).sum();
        ENTRY_OVERHEAD_BYTES + params + self.path.len() + self.reply.0.len()
    }
}

/// Where to truncate a text that is longer than [`MAX_TEXT_BYTES`]; None for a shorter one.
fn truncation_point(text: &str) -> Option<usize> {
    (text.len() > MAX_TEXT_BYTES)
        .then(|| (0..=MAX_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0))
}

/// A search in the journal; absent conditions match all entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    pub method: Option<String>,
    /// With placeholders or with their values.
    pub path: Option<String>,
    /// Email address of the caller; ASCII case is ignored.
    pub user: Option<String>,
    pub status: Option<u16>,
    /// ID of the fault that fired, or `network`.
    pub fault: Option<String>,
    /// Parameters that the request must have, with their text values.
    pub params: BTreeMap<String, String>,
    /// Only entries with a greater ID match.
    pub since: Option<u64>,
}

impl Filter {
    pub fn matches(&self, entry: &Entry) -> bool {
        self.distance(entry) == 0 && self.since.is_none_or(|since| entry.id > since)
    }

    /// Whether the filter names no path, or the entry's path, with or without placeholders.
    pub fn allows_path_of(&self, entry: &Entry) -> bool {
        self.path.as_ref().is_none_or(|path| *path == entry.path || Some(path.as_str()) == entry.route)
    }

    /// How much an entry differs from the filter, for finding the nearest entries; 0 if all conditions but `since`
    /// match.
    pub fn distance(&self, entry: &Entry) -> usize {
        let method_differs = self.method.as_ref().is_some_and(|method| *method != entry.method);
        let user_differs = self
            .user
            .as_ref()
            .is_some_and(|user| !entry.user.as_ref().is_some_and(|caller| caller.eq_ignore_ascii_case(user)));
        let status_differs = self.status.is_some_and(|status| status != entry.status);
        let fault_differs = self.fault.is_some() && self.fault != entry.fault;
        let differing_params =
            self.params.iter().filter(|(name, value)| entry.params.get(*name) != Some(value)).count();
        // A different operation weighs more than different parameters.
        4 * usize::from(!self.allows_path_of(entry))
            + 2 * usize::from(method_differs)
            + usize::from(user_differs)
            + usize::from(status_differs)
            + usize::from(fault_differs)
            + differing_params
    }

    /// The conditions but `since`, as a JSON object with the fields of an entry.
    pub fn conditions(&self) -> Map<String, Value> {
        let mut object = Map::new();
        let text_fields =
            [("method", &self.method), ("path", &self.path), ("user", &self.user), ("fault", &self.fault)];
        for (name, value) in text_fields {
            if let Some(value) = value {
                object.insert(name.into(), value.as_str().into());
            }
        }
        if !self.params.is_empty() {
            object.insert("params".into(), serde_json::to_value(&self.params).unwrap_or_default());
        }
        if let Some(status) = self.status {
            object.insert("status".into(), status.into());
        }
        object
    }
}

/// The latest requests of a world, up to limits of number and size.
#[derive(Debug, Default)]
pub struct Journal {
    retained: Mutex<RetainedEntries>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct RetainedEntries {
    /// The entries with their sizes, oldest first.
    entries: VecDeque<(Arc<Entry>, usize)>,
    /// The sum of the sizes.
    bytes: usize,
    last_id: u64,
}

impl Journal {
    /// Adds an entry under the next ID, truncated, and drops the oldest entries beyond the limits.
    pub fn push(&self, entry: Entry) -> Arc<Entry> {
        let mut entry = entry.into_truncated();
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

    /// Records that the reply of an entry reached nobody, because the client closed the connection `duration_ms` after
    /// the request arrived. Does nothing if the entry was dropped.
    pub fn record_lost_reply(&self, id: u64, duration_ms: f64) {
        let mut retained = self.retained.lock();
        let Ok(index) = retained.entries.binary_search_by_key(&id, |(entry, _)| entry.id) else { return };
        let entry = Arc::make_mut(&mut retained.entries[index].0);
        entry.status = 0;
        entry.duration_ms = duration_ms;
        drop(retained);
        self.changed.notify_waiters();
    }

    /// The matching entries, oldest first.
    pub fn find(&self, filter: &Filter) -> Vec<Arc<Entry>> {
        self.all().into_iter().filter(|entry| filter.matches(entry)).collect()
    }

    /// All entries, oldest first.
    pub fn all(&self) -> Vec<Arc<Entry>> {
        self.retained.lock().entries.iter().map(|(entry, _)| entry.clone()).collect()
    }

    /// Removes all entries; IDs continue to increase.
    pub fn clear(&self) {
        let mut retained = self.retained.lock();
        retained.entries.clear();
        retained.bytes = 0;
    }

    /// Returns a future that is ready when the next entry is added, or an entry's reply is recorded as lost.
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
            arrived_at: 0,
            duration_ms: 0.0,
            client: "".into(),
            hint: None,
            fault: None,
            events: 0..0,
            truncated: false,
        }
    }

    #[test]
    fn the_oldest_entries_are_dropped_and_long_replies_truncated() {
        let journal = Journal::default();
        for _ in 0..MAX_ENTRIES + 5 {
            journal.push(entry("/users/1", String::new()));
        }
        let long_entry = journal.push(entry("/users/1", "ü".repeat(MAX_TEXT_BYTES)));

        assert_eq!(journal.all().len(), MAX_ENTRIES);
        assert_eq!(journal.all()[0].id, 7);
        assert!(long_entry.truncated && long_entry.reply.0.len() <= MAX_TEXT_BYTES);
    }

    #[test]
    fn a_path_is_found_with_placeholders_or_without() {
        let journal = Journal::default();
        journal.push(entry("/users/1", String::new()));
        let find = |path: &str| journal.find(&Filter { path: Some(path.into()), ..Filter::default() }).len();

        assert_eq!((find("/users/1"), find("/users/{user_id}"), find("/users/2")), (1, 1, 0));
    }
}
