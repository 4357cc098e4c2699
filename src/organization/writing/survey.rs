//! A first pass over the records: names, times, and the positions of records.

use crate::counted::counted;
use crate::level::objects::{CHANNEL, GROUP, REGISTER, USER};
use crate::organization::Wanted;
use crate::organization::anonymous::{Anonymizer, Originals};
use crate::organization::channels::{Received, Relation};
use crate::organization::directory::Directory;
use crate::organization::json::Json;
use crate::organization::lists::{emoji_name, emoji_records};
use crate::organization::partial::{Line, Partial};
use crate::organization::people::{List, joined, role};
use crate::organization::server::Server;
use crate::realm::user::Role;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;

/// Keys of times that lie in the past, in Unix seconds.
const TIMES: [&str; 13] = [
    "timestamp",
    "last_edit_timestamp",
    "last_moved_timestamp",
    "date_created",
    "last_updated",
    "invited",
    "active_timestamp",
    "idle_timestamp",
    "realm_date_created",
    "push_token_last_updated_timestamp",
    "export_time",
    "failed_timestamp",
    "deleted_timestamp",
];

/// What the writer needs to know before it writes the first part.
pub struct Survey {
    pub server: Server,
    pub server_settings: Value,
    pub register: Value,
    pub directory: Directory,
    /// Users by number: their list, and the position of the record; users known only from messages have no record.
    pub users: BTreeMap<i64, (List, Option<u64>)>,
    /// Channels by number: the account's relation, and the position of the record.
    pub channels: BTreeMap<i64, (Relation, Option<u64>)>,
    /// The positions of messages by number, without those that `--messages` leaves out.
    pub messages: BTreeMap<i64, u64>,
    pub histories: HashMap<i64, u64>,
    pub presences: HashMap<i64, (i64, i64)>,
    /// By channel, the messages that the account received.
    pub received: HashMap<i64, Received>,
    /// The positions of records of other kinds, by kind.
    pub others: HashMap<String, Vec<u64>>,
    /// Bots and deactivated users, who own no bots.
    pub no_owners: HashSet<i64>,
    /// The number of a made-up owner, which a fixture needs if the account sees no owner.
    pub made_up_owner: Option<i64>,
    pub subdomain: String,
    /// Sentences about what could not be read, without the periods.
    pub notes: Vec<String>,
}

impl Survey {
    /// Makes the pass.
    ///
    /// # Errors
    ///
    /// The error of the system, or records that are not JSON.
    pub fn new(partial: &Partial, wanted: &Wanted) -> io::Result<Self> {
        let settings = partial.done("server").cloned().unwrap_or_default();
        let server = Server::new(&settings).map_err(io::Error::other)?;
        let mut walk =
            Walk { originals: wanted.anonymous.map(|_| Originals::default()), ..Walk::new(server, settings) };
        let mut lines = partial.lines()?;
        while let Some(line) = lines.next()? {
            walk.line(&line)?;
        }
        Ok(walk.end(wanted))
    }

    /// The host of the organization's addresses.
    pub fn host(&self) -> String {
        let url_host = || {
            let (_, rest) = self.directory.url.split_once("://")?;
            Some(rest.split(['/', ':']).next()?.to_owned())
        };
        let domain = Some(self.register.text("realm_bot_domain")).filter(|domain| !domain.is_empty());
        domain.map(str::to_owned).or_else(url_host).unwrap_or_else(|| "chat.test".to_owned())
    }

    /// The organization's number, from the addresses of its files.
    pub fn organization_id(&self) -> i64 {
        let emoji = emoji_records(&self.register);
        let urls = emoji.iter().map(|emoji| emoji.text("source_url"));
        let own = ["avatar_url", "realm_icon_url"].map(|key| self.register.text(key));
        let numbered = |url: &str| url.split_once("/user_avatars/")?.1.split('/').next()?.parse().ok();
        urls.chain(own).find_map(numbered).filter(|id| *id > 0).unwrap_or(2)
    }
}

/// The state of the pass.
struct Walk {
    server: Server,
    server_settings: Value,
    originals: Option<Originals>,
    register: Value,
    people: BTreeMap<i64, (List, Option<u64>, String, String)>,
    channels: BTreeMap<i64, (Relation, Option<u64>, String)>,
    messages: BTreeMap<i64, u64>,
    histories: HashMap<i64, u64>,
    presences: HashMap<i64, (i64, i64)>,
    marks: HashMap<i64, Vec<(i64, i64, bool)>>,
    others: HashMap<String, Vec<u64>>,
    no_owners: HashSet<i64>,
    has_owner: bool,
    subdomain: String,
    notes: Vec<String>,
    latest: i64,
}

impl Walk {
    fn new(server: Server, server_settings: Value) -> Self {
        Self {
            server,
            server_settings,
            originals: None,
            register: Value::Null,
            people: BTreeMap::new(),
            channels: BTreeMap::new(),
            messages: BTreeMap::new(),
            histories: HashMap::new(),
            presences: HashMap::new(),
            marks: HashMap::new(),
            others: HashMap::new(),
            no_owners: HashSet::new(),
            has_owner: false,
            subdomain: String::new(),
            notes: Vec::new(),
            latest: 0,
        }
    }

    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let (kind, number) = line.kind.split_once(' ').map_or((line.kind, ""), |(kind, number)| match kind {
            "message" | "history" | "emoji" | "avatar" => (kind, number),
            _ => (line.kind, ""),
        });
        if matches!(kind, "done" | "wanted") {
            return Ok(());
        }
        if matches!(kind, "emoji" | "avatar" | "upload") {
            self.others.entry(line.kind.to_owned()).or_default().push(line.start);
            if kind == "upload" && self.originals.is_some() {
                let record: Value = serde_json::from_str(line.json)?;
                self.add_words(&json!([record["name"], record["path_id"]]));
            }
            return Ok(());
        }
        let id = number.parse().unwrap_or_default();
        if kind == "message" && self.messages.contains_key(&id) {
            return Ok(());
        }
        let record: Value = serde_json::from_str(line.json)?;
        if kind != "note" {
            self.add_words(&record);
            self.see_times(&record);
        }
        match kind {
            "register" => self.register = self.server.renewed(&REGISTER, record),
            "note" => self.notes.push(record.as_str().unwrap_or_default().to_owned()),
            "user" => self.user(List::Active, record, line.start),
            "former user" => self.user(List::Former, record, line.start),
            "system bot" => self.user(List::System, record, line.start),
            "subscription" => self.channel(Relation::Subscribed, &record, line.start),
            "former subscription" => self.channel(Relation::Unsubscribed, &record, line.start),
            "channel" => self.channel(Relation::Other, &record, line.start),
            "presence" => self.presence(&record),
            "history" => _ = self.histories.insert(id, line.start),
            "message" => {
                self.messages.insert(id, line.start);
                self.message(id, &record);
            }
            _ => self.others.entry(kind.to_owned()).or_default().push(line.start),
        }
        Ok(())
    }

    fn add_words(&mut self, record: &Value) {
        if let Some(originals) = &mut self.originals {
            originals.add(record);
        }
    }

    fn see_times(&mut self, value: &Value) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| self.see_times(value)),
            Value::Object(object) => {
                for (key, value) in object {
                    match value {
                        Value::Number(number) if TIMES.contains(&key.as_str()) => {
                            self.latest = self.latest.max(number.as_f64().unwrap_or_default() as i64);
                        }
                        Value::Array(_) | Value::Object(_) => self.see_times(value),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn user(&mut self, list: List, record: Value, start: u64) {
        let record = self.server.renewed(&USER, record);
        let Some(id) = record.int("user_id") else { return };
        self.latest = self.latest.max(joined(&record).unwrap_or_default());
        if list != List::Active || record.flag("is_bot") || record["is_active"] == false {
            self.no_owners.insert(id);
        } else {
            self.has_owner |= role(&record) == Role::Owner;
        }
        let email = record["delivery_email"].as_str().unwrap_or_else(|| record.text("email")).to_owned();
        self.people.entry(id).or_insert((list, Some(start), record.text("full_name").to_owned(), email));
    }

    fn channel(&mut self, relation: Relation, record: &Value, start: u64) {
        if let Some(id) = record.int("stream_id") {
            self.channels.entry(id).or_insert((relation, Some(start), record.text("name").to_owned()));
        }
    }

    fn presence(&mut self, record: &Value) {
        let id = record[0].as_str().and_then(|id| id.parse().ok());
        let time = |key: &str| record[1].int(key).unwrap_or_default();
        if let Some(id) = id {
            self.presences.insert(id, (time("active_timestamp"), time("idle_timestamp")));
        }
    }

    fn message(&mut self, id: i64, record: &Value) {
        if self.subdomain.is_empty() {
            record.text("sender_realm_str").clone_into(&mut self.subdomain);
        }
        self.unseen(record.int("sender_id"), record.text("sender_full_name"), record.text("sender_email"));
        for member in record.list("display_recipient") {
            self.unseen(member.int("id"), member.text("full_name"), member.text("email"));
        }
        if let (Some(channel), Some(at)) = (record.int("stream_id"), record.int("timestamp")) {
            let is_historical = record.list("flags").iter().any(|flag| flag == "historical");
            // Before archived channels were listed, their messages could be read.
            let name = record.text("display_recipient");
            self.channels.entry(channel).or_insert_with(|| (Relation::Other, None, name.to_owned()));
            self.marks.entry(channel).or_default().push((id, at, !is_historical));
        }
    }

    /// Adds a user who is not in the lists that the account sees.
    fn unseen(&mut self, id: Option<i64>, full_name: &str, email: &str) {
        if let Some(id) = id {
            self.people.entry(id).or_insert_with(|| (List::Unseen, None, full_name.to_owned(), email.to_owned()));
        }
    }

    fn end(mut self, wanted: &Wanted) -> Survey {
        if let Some(most) = wanted.messages.and_then(|most| usize::try_from(most).ok()) {
            while self.messages.len() > most {
                self.messages.pop_first();
            }
        }
        let made_up_owner = (!self.has_owner).then(|| self.people.keys().max().copied().unwrap_or_default() + 1);
        if let Some(id) = made_up_owner {
            self.notes.push("No owner of the organization is visible, and one is made up".to_owned());
            self.people.insert(id, (List::Unseen, None, "Owner".to_owned(), format!("owner{id}")));
        }
        self.notes.sort();
        self.notes.dedup();
        let anonymizer =
            wanted.anonymous.zip(self.originals.take()).map(|(seed, originals)| Anonymizer::new(seed, originals));
        let mut directory = Directory::new(&wanted.url, anonymizer);
        directory.reference = self.latest;
        directory.own = self.register.int("user_id").unwrap_or_default();
        self.fill(&mut directory, wanted, made_up_owner);
        let received = self.marks.iter_mut().map(|(channel, marks)| (*channel, received(marks))).collect();
        let is_in = |id: &i64| directory.channels.get(*id).is_some();
        let channels = self.channels.into_iter().filter(|(id, _)| is_in(id));
        Survey {
            channels: channels.map(|(id, (relation, start, _))| (id, (relation, start))).collect(),
            users: self.people.into_iter().map(|(id, (list, start, ..))| (id, (list, start))).collect(),
            server: self.server,
            server_settings: self.server_settings,
            register: self.register,
            directory,
            messages: self.messages,
            histories: self.histories,
            presences: self.presences,
            received,
            others: self.others,
            no_owners: self.no_owners,
            made_up_owner,
            subdomain: self.subdomain,
            notes: self.notes,
        }
    }

    /// Chooses all names.
    fn fill(&mut self, directory: &mut Directory, wanted: &Wanted, made_up_owner: Option<i64>) {
        let unseen: Vec<i64> = self
            .people
            .iter()
            .filter(|(id, (list, ..))| *list == List::Unseen && made_up_owner != Some(**id))
            .map(|(id, _)| *id)
            .collect();
        if !unseen.is_empty() {
            self.notes.push(format!("known from messages alone: {}", counted(unseen.len(), "user")));
        }
        for (id, (_, _, full_name, email)) in &self.people {
            directory.add_user(*id, full_name, email);
        }
        let chosen: BTreeSet<String> = wanted.channels.iter().map(|name| name.to_lowercase()).collect();
        for (id, (_, _, name)) in &self.channels {
            if chosen.is_empty() || chosen.contains(&name.to_lowercase()) {
                directory.add(|names| &mut names.channels, *id, name, 60);
            }
        }
        for group in self.register.list("realm_user_groups") {
            let group = self.server.renewed(&GROUP, group.clone());
            match group.int("id") {
                Some(id) if group.flag("is_system_group") => directory.add_system_group(id, group.text("name")),
                Some(id) => directory.add(|names| &mut names.groups, id, group.text("name"), 100),
                None => {}
            }
        }
        for folder in self.register.list("channel_folders") {
            if let Some(id) = folder.int("id") {
                directory.add(|names| &mut names.folders, id, folder.text("name"), 60);
            }
        }
        for field in self.register.list("custom_profile_fields") {
            if let Some(id) = field.int("id") {
                directory.add(|names| &mut names.fields, id, field.text("name"), 40);
            }
        }
        for emoji in emoji_records(&self.register) {
            if let Ok(id) = emoji.text("id").parse() {
                directory.add_emoji(id, &emoji_name(emoji.text("name")), emoji.flag("deactivated"));
            }
        }
    }
}

/// The messages of a channel that the account received, from number, time and whether it received it for each.
fn received(marks: &mut [(i64, i64, bool)]) -> Received {
    marks.sort_unstable();
    let first = marks.iter().position(|(_, _, is_received)| *is_received);
    let last = marks.iter().rposition(|(_, _, is_received)| *is_received);
    let at = |index: usize| (marks[index].0, marks[index].1);
    let missed = match first {
        Some(first) => first.checked_sub(1),
        None => marks.len().checked_sub(1),
    };
    Received { missed: missed.map(at), first: first.map(at), last: last.map(at) }
}

/// A channel's record with the names of the newest level.
pub fn renewed_channel(server: &Server, record: Value) -> Value {
    server.renewed(&CHANNEL, record)
}
