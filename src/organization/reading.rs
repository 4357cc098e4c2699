//! Reading, step by step.

use super::Wanted;
use super::feed::{Feed, KnownChannel, feeds};
use super::json::Json;
use super::partial::Partial;
use super::server::Server;
use super::uploads;
use crate::upstream::{Ask, Fault, Upstream};
use http::Method;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

/// Messages in a page: large enough for few requests, small enough for little memory.
const PAGE: u64 = 1_000;

/// The lists of the register reply that grow with the organization; each element is a record of its own.
const LISTS: [(&str, &str); 7] = [
    ("realm_users", "user"),
    ("realm_non_active_users", "former user"),
    ("cross_realm_bots", "system bot"),
    ("subscriptions", "subscription"),
    ("unsubscribed", "former subscription"),
    ("never_subscribed", "channel"),
    ("streams", "channel"),
];

/// What a client can do that takes in everything.
const CAPABILITIES: [&str; 12] = [
    "notification_settings_null",
    "bulk_message_deletion",
    "stream_typing_notifications",
    "user_settings_object",
    "linkifier_url_template",
    "user_list_incomplete",
    "include_deactivated_groups",
    "archived_channels",
    "empty_topic_name",
    "simplified_presence_events",
    "partial_subscribers",
    "user_avatar_url_field_optional",
];

/// Hears how far reading is.
pub trait Progress {
    /// Begins with something, of which there are so many if that is known.
    fn begin(&self, what: &str, count: Option<u64>);
    /// So many more were read.
    fn advance(&self, count: u64);
}

/// Why an organization was not read.
#[derive(Debug)]
pub enum ReadError {
    /// The server did not give what is needed.
    Fault(Fault),
    /// The server, or what is asked of it, does not do.
    Unfit(String),
    /// The partial file can't be written.
    Io(io::Error),
}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::Unfit(reason) => f.write_str(reason),
            Self::Io(error) => write!(f, "what was read cannot be written: {error}"),
        }
    }
}

/// Reads what an account sees of its organization into a partial file, from where that ends.
///
/// # Errors
///
/// Why it was not read to the end; the partial file has what was read before.
pub async fn read(
    upstream: &Upstream,
    wanted: &Wanted,
    partial: &mut Partial,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    let mut reader = Reader { upstream, wanted, partial, progress };
    progress.begin("the organization", None);
    let server = reader.server().await?;
    reader.register().await?;
    let known = reader.known(&server)?;
    reader.lists_for_administrators().await?;
    reader.messages(&server, &known).await?;
    reader.histories().await?;
    uploads::read(&mut reader, &known.register).await
}

/// What the steps have in common.
pub(super) struct Reader<'a> {
    pub(super) upstream: &'a Upstream,
    pub(super) wanted: &'a Wanted,
    pub(super) partial: &'a mut Partial,
    pub(super) progress: &'a dyn Progress,
}

/// What later steps depend on.
struct Known {
    register: Value,
    channels: Vec<KnownChannel>,
}

impl Reader<'_> {
    async fn server(&mut self) -> Result<Server, ReadError> {
        if let Some(settings) = self.partial.done("server") {
            return Server::new(settings).map_err(ReadError::Unfit);
        }
        let reply = self.upstream.get("/server_settings", &[]).await?;
        let settings: Value = self.json(&reply, "/server_settings")?;
        let server = Server::new(&settings).map_err(ReadError::Unfit)?;
        self.partial.record("server", &settings)?;
        self.partial.end_step("server", settings)?;
        Ok(server)
    }

    pub(super) fn json<'a, T: Deserialize<'a>>(
        &self,
        reply: &'a crate::upstream::Reply,
        path: &str,
    ) -> Result<T, ReadError> {
        reply.json_borrowed().map_err(|reason| {
            let request = format!("GET {}", self.upstream.base().operation(path));
            ReadError::Fault(Fault { request, reason })
        })
    }

    /// The one request that is no read: its queue is ended at once.
    async fn register(&mut self) -> Result<(), ReadError> {
        if self.partial.done("register").is_some() {
            return Ok(());
        }
        let capabilities: BTreeMap<&str, bool> = CAPABILITIES
            .iter()
            .map(|name| (*name, !name.ends_with("optional") && !name.starts_with("partial")))
            .collect();
        let parameters = [
            ("client_capabilities", json!(capabilities).to_string()),
            ("slim_presence", "true".to_owned()),
            ("client_gravatar", "false".to_owned()),
            ("include_subscribers", "true".to_owned()),
            ("apply_markdown", "false".to_owned()),
        ];
        let ask = Ask { method: Method::POST, path: "/register", parameters: &parameters };
        let reply = self.upstream.succeed(&ask).await?;
        let mut rest: BTreeMap<Cow<'_, str>, &RawValue> = self.json(&reply, "/register")?;
        let queue = rest.remove("queue_id").and_then(|id| serde_json::from_str::<String>(id.get()).ok());
        if let Some(queue) = queue {
            self.end_queue(queue).await?;
        }
        for (key, kind) in LISTS {
            let Some(list) = rest.remove(key) else { continue };
            // Older levels give `streams` as numbers or not at all.
            let list: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap_or_default();
            for element in list {
                self.partial.record_raw(kind, element)?;
            }
        }
        if let Some(presences) = rest.remove("presences") {
            let presences: BTreeMap<Cow<'_, str>, &RawValue> =
                serde_json::from_str(presences.get()).unwrap_or_default();
            for (user, presence) in presences {
                self.partial.record("presence", &(user, presence))?;
            }
        }
        self.partial.record("register", &rest)?;
        self.partial.end_step("register", Value::Null)?;
        Ok(())
    }

    async fn end_queue(&mut self, queue: String) -> Result<(), ReadError> {
        let ask = Ask { method: Method::DELETE, path: "/events", parameters: &[("queue_id", queue)] };
        if let Err(fault) = self.upstream.succeed(&ask).await {
            self.partial.note(&format!("The queue that was registered is not ended, and ends by itself: {fault}"))?;
        }
        Ok(())
    }

    /// What was registered, without its long lists.
    fn known(&self, server: &Server) -> Result<Known, ReadError> {
        let (mut register, mut channels) = (Value::Null, BTreeMap::new());
        let mut lines = self.partial.lines()?;
        while let Some(line) = lines.next()? {
            let is_subscribed = line.kind == "subscription";
            match line.kind {
                "register" => register = serde_json::from_str(line.json).map_err(io::Error::from)?,
                "subscription" | "former subscription" | "channel" => {
                    let record: ChannelHead<'_> = serde_json::from_str(line.json).map_err(io::Error::from)?;
                    let is_private = record.invite_only.unwrap_or_default();
                    let has_shared_history =
                        is_private && is_subscribed && record.history_public_to_subscribers.unwrap_or_default();
                    let known =
                        KnownChannel { id: record.stream_id, name: record.name.into_owned(), has_shared_history };
                    channels.entry(known.id).or_insert(known);
                }
                _ => {}
            }
        }
        let register = server.renewed(&crate::level::objects::REGISTER, register);
        let mut channels: Vec<KnownChannel> = channels.into_values().collect();
        if !self.wanted.channels.is_empty() {
            channels = self.chosen(channels)?;
        }
        Ok(Known { register, channels })
    }

    /// The channels that are asked for.
    fn chosen(&self, channels: Vec<KnownChannel>) -> Result<Vec<KnownChannel>, ReadError> {
        let mut chosen = BTreeMap::new();
        for name in &self.wanted.channels {
            let found = channels.iter().find(|channel| channel.name.to_lowercase() == name.to_lowercase());
            let Some(channel) = found else {
                let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
                return Err(ReadError::Unfit(crate::json_diagnostic::unknown("channel", name, &names)));
            };
            chosen.insert(channel.id, channel.clone());
        }
        Ok(chosen.into_values().collect())
    }

    /// Lists that only some may read; what is refused is noted.
    async fn lists_for_administrators(&mut self) -> Result<(), ReadError> {
        for (path, key, kind, what) in [
            ("/invites", "invites", "invite", "Invitations"),
            ("/export/realm", "exports", "export", "Exports"),
            ("/attachments", "attachments", "attachment", "The list of the account's own uploads"),
        ] {
            if self.partial.done(path).is_some() {
                continue;
            }
            match self.upstream.get(path, &[]).await {
                Ok(reply) => {
                    let body: BTreeMap<Cow<'_, str>, &RawValue> = self.json(&reply, path)?;
                    let list = body.get(key).map_or("[]", |list| list.get());
                    let list: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
                    for element in list {
                        self.partial.record_raw(kind, element)?;
                    }
                }
                Err(fault) if fault.is_refusal() => {
                    self.partial.note(&format!("{what} are not in the file: {}", fault.reason))?;
                }
                Err(fault) => return Err(fault.into()),
            }
            self.partial.end_step(path, Value::Null)?;
        }
        Ok(())
    }

    async fn messages(&mut self, server: &Server, known: &Known) -> Result<(), ReadError> {
        self.progress.begin("messages", self.wanted.messages);
        let mut newest = Newest::new(self.wanted.messages);
        for feed in feeds(self.wanted, &known.channels, &known.register, server) {
            self.feed(&feed, &mut newest).await?;
        }
        Ok(())
    }

    /// Reads a feed down to its end, or to where only messages are older than all that are wanted.
    async fn feed(&mut self, feed: &Feed, newest: &mut Newest) -> Result<(), ReadError> {
        let mut anchor = None;
        loop {
            let step =
                format!("{} before {}", feed.name, anchor.map_or("the end".to_owned(), |id: i64| id.to_string()));
            let page = match self.partial.done(&step) {
                Some(done) => serde_json::from_value(done.clone()).map_err(io::Error::from)?,
                None => self.page(&step, feed, anchor).await?,
            };
            newest.add(&page.ids);
            match page.oldest {
                Some(oldest) if !page.is_last && newest.wants(oldest) => anchor = Some(oldest),
                _ => return Ok(()),
            }
        }
    }

    async fn page(&mut self, step: &str, feed: &Feed, anchor: Option<i64>) -> Result<Page, ReadError> {
        let size = self.wanted.messages.map_or(PAGE, |messages| messages.min(PAGE));
        let parameters = [
            ("anchor", anchor.map_or("newest".to_owned(), |id| (id - 1).to_string())),
            ("num_before", size.to_string()),
            ("num_after", "0".to_owned()),
            ("narrow", feed.narrow.to_string()),
            ("apply_markdown", "false".to_owned()),
            ("client_gravatar", "false".to_owned()),
            ("allow_empty_topic_name", "true".to_owned()),
        ];
        let empty = Page { oldest: None, ids: Vec::new(), is_last: true };
        if size == 0 {
            return Ok(empty);
        }
        let read = match self.upstream.get("/messages", &parameters).await {
            Ok(reply) => {
                let body: MessagesReply<'_> = self.json(&reply, "/messages")?;
                let mut ids = Vec::with_capacity(body.messages.len());
                for message in body.messages {
                    let id = id_of(message)?;
                    self.partial.record_raw(&format!("message {id}"), message)?;
                    ids.push(id);
                }
                self.progress.advance(ids.len() as u64);
                let oldest = ids.iter().min().copied();
                let is_last = body.found_oldest || ids.is_empty() || body.history_limited;
                if body.history_limited {
                    self.partial.note("Older messages are not in the file: the server's plan shows no more of them")?;
                }
                // Which they are matters only where not all are wanted.
                let ids = if self.wanted.messages.is_some() { ids } else { Vec::new() };
                Page { oldest, ids, is_last }
            }
            Err(fault) if fault.is_refusal() => {
                self.partial.note(&format!("Messages are missing ({}): {}", feed.name, fault.reason))?;
                empty
            }
            Err(fault) => return Err(fault.into()),
        };
        self.partial.end_step(step, json!(read))?;
        Ok(read)
    }

    /// The edits of messages that came without them.
    async fn histories(&mut self) -> Result<(), ReadError> {
        let mut without = BTreeSet::new();
        let mut lines = self.partial.lines()?;
        while let Some(line) = lines.next()? {
            if line.kind.starts_with("message ") {
                let head: MessageHead<'_> = serde_json::from_str(line.json).map_err(io::Error::from)?;
                let is_changed = head.last_edit_timestamp.is_some() || head.last_moved_timestamp.is_some();
                if is_changed && head.edit_history.is_none() {
                    without.insert(head.id);
                }
            }
        }
        self.progress.begin("edits", Some(without.len() as u64));
        for id in without {
            let path = format!("/messages/{id}/history");
            if self.partial.done(&path).is_some() {
                continue;
            }
            match self.upstream.get(&path, &[]).await {
                Ok(reply) => {
                    let body: BTreeMap<Cow<'_, str>, &RawValue> = self.json(&reply, &path)?;
                    if let Some(history) = body.get("message_history") {
                        self.partial.record_raw(&format!("history {id}"), history)?;
                    }
                }
                Err(fault) if fault.is_refusal() => {
                    self.partial.note(&format!("The edits of message {id} are not in the file: {}", fault.reason))?;
                }
                Err(fault) => return Err(fault.into()),
            }
            self.partial.end_step(&path, Value::Null)?;
            self.progress.advance(1);
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct ChannelHead<'a> {
    stream_id: i64,
    #[serde(borrow)]
    name: Cow<'a, str>,
    invite_only: Option<bool>,
    history_public_to_subscribers: Option<bool>,
}

#[derive(Deserialize)]
struct MessagesReply<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    #[serde(default)]
    found_oldest: bool,
    #[serde(default)]
    history_limited: bool,
}

#[derive(Deserialize)]
struct MessageHead<'a> {
    id: i64,
    last_edit_timestamp: Option<i64>,
    last_moved_timestamp: Option<i64>,
    #[serde(borrow)]
    edit_history: Option<&'a RawValue>,
}

fn id_of(message: &RawValue) -> io::Result<i64> {
    #[derive(Deserialize)]
    struct Id {
        id: i64,
    }
    Ok(serde_json::from_str::<Id>(message.get())?.id)
}

/// A page of a feed, as the partial file has it.
#[derive(serde::Serialize, Deserialize)]
struct Page {
    oldest: Option<i64>,
    ids: Vec<i64>,
    is_last: bool,
}

/// The numbers of the newest messages, of which only so many are wanted.
struct Newest {
    wanted: Option<usize>,
    ids: BTreeSet<i64>,
}

impl Newest {
    fn new(wanted: Option<u64>) -> Self {
        Self { wanted: wanted.map(|wanted| usize::try_from(wanted).unwrap_or(usize::MAX)), ids: BTreeSet::new() }
    }

    fn add(&mut self, ids: &[i64]) {
        let Some(wanted) = self.wanted else { return };
        self.ids.extend(ids);
        while self.ids.len() > wanted {
            self.ids.pop_first();
        }
    }

    /// Whether messages older than one may be among those that are wanted.
    fn wants(&self, older_than: i64) -> bool {
        let Some(wanted) = self.wanted else { return true };
        self.ids.len() < wanted || self.ids.first().is_some_and(|oldest| older_than > *oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_messages_of_several_feeds_are_found() {
        let mut newest = Newest::new(Some(3));
        newest.add(&[10, 8]);
        assert!(newest.wants(8));
        newest.add(&[6, 4]);
        assert!(!newest.wants(4), "8, 10 and 6 are newer than all that follow");
        newest.add(&[9]);
        assert!(newest.wants(9) && !newest.wants(8));
        assert_eq!(newest.ids.into_iter().collect::<Vec<_>>(), [8, 9, 10]);
        assert!(Newest::new(None).wants(1));
    }
}
