//! The survey of a partial file's records: collects names, times, and the positions of records.

use crate::count_format::format_count;
use crate::level::objects::{GROUP, REGISTER_REPLY, USER};
use crate::organization_import::ImportOptions;
use crate::organization_import::anonymization::{Anonymizer, OriginalWords};
use crate::organization_import::channels::{ReceivedRange, SubscriptionStatus};
use crate::organization_import::custom_emoji::{emoji_records, to_valid_emoji_name};
use crate::organization_import::directory::Directory;
use crate::organization_import::json::JsonFields;
use crate::organization_import::partial_file::{PartialFile, Record};
use crate::organization_import::people::{UserList, parse_date_joined, role_of_user};
use crate::organization_import::server::Server;
use crate::realm::channel::MAX_CHANNEL_NAME_LENGTH;
use crate::realm::user::Role;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;

/// Keys whose values are times in the past, in UNIX seconds.
const TIME_KEYS: [&str; 13] = [
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

// The maximum lengths of names, in characters.
const MAX_GROUP_NAME_LENGTH: usize = 100;
const MAX_FOLDER_NAME_LENGTH: usize = 60;
const MAX_FIELD_NAME_LENGTH: usize = 40;

/// The data that the writer needs before it writes the first part.
pub struct Survey {
    pub server: Server,
    pub server_settings: Value,
    pub register_reply: Value,
    pub directory: Directory,
    /// By ID, the list and the position of the record; users that are only known from messages have no record.
    pub users: BTreeMap<i64, (UserList, Option<u64>)>,
    /// By ID, the account's status and the position of the record; a channel that is only known from messages has none.
    pub channels: BTreeMap<i64, (SubscriptionStatus, Option<u64>)>,
    /// By ID, the positions of the messages that `--messages` includes.
    pub messages: BTreeMap<i64, u64>,
    /// By message, the positions of the edit histories.
    pub histories: HashMap<i64, u64>,
    /// By user, the times at which the user was last active and last had a client open, in UNIX seconds.
    pub presences: HashMap<i64, (i64, i64)>,
    /// By channel, the messages from which the start and the end of the subscription are inferred.
    pub received: HashMap<i64, ReceivedRange>,
    /// By kind, the positions of all other records. The kinds of pictures include the ID, as in `avatar 7`.
    pub others: HashMap<String, Vec<u64>>,
    /// Bots and deactivated users, who cannot own bots.
    pub ineligible_bot_owners: HashSet<i64>,
    /// The ID of a placeholder for the owner, which a fixture needs if the account sees no owner.
    pub placeholder_owner: Option<i64>,
    pub subdomain: String,
    /// Sentences about data that could not be read or that is made up, without the periods.
    pub notes: Vec<String>,
}

impl Survey {
    /// Reads all records.
    ///
    /// # Errors
    ///
    /// An I/O error, or an error for records that are not JSON or for an unsuitable server.
    pub fn new(partial: &PartialFile, options: &ImportOptions) -> io::Result<Self> {
        let settings = partial.step_value("server").cloned().unwrap_or_default();
        let server = Server::new(&settings).map_err(io::Error::other)?;
        let mut builder = SurveyBuilder {
            originals: options.anonymization_seed.map(|_| OriginalWords::default()),
            ..SurveyBuilder::new(server, settings)
        };
        let mut records = partial.records()?;
        while let Some(record) = records.read_next()? {
            builder.add_record(&record)?;
        }
        Ok(builder.finish(options))
    }

    /// The domain of the bots' addresses, or the host of the organization's URL; `chat.test` if both are missing.
    pub fn host(&self) -> String {
        let url_host = || {
            let (_, authority) = self.directory.url.split_once("://")?;
            Some(authority.split(['/', ':']).next()?.to_owned())
        };
        let domain = Some(self.register_reply.text("realm_bot_domain")).filter(|domain| !domain.is_empty());
        domain.map(str::to_owned).or_else(url_host).unwrap_or_else(|| "chat.test".to_owned())
    }

    /// The ID of the organization, from the URLs of its emoji, its icon and the account's picture; 2 if none has it.
    pub fn organization_id(&self) -> i64 {
        let emoji = emoji_records(&self.register_reply);
        let urls = emoji.iter().map(|emoji| emoji.text("source_url"));
        let register_urls = ["avatar_url", "realm_icon_url"].map(|key| self.register_reply.text(key));
        let id_in_url = |url: &str| url.split_once("/user_avatars/")?.1.split('/').next()?.parse().ok();
        urls.chain(register_urls).find_map(id_in_url).filter(|id| *id > 0).unwrap_or(2)
    }
}

struct SurveyBuilder {
    server: Server,
    server_settings: Value,
    originals: Option<OriginalWords>,
    register_reply: Value,
    /// By ID: the list, the position of the record, the full name and the email address.
    users: BTreeMap<i64, (UserList, Option<u64>, String, String)>,
    /// By ID: the status, the position of the record and the name.
    channels: BTreeMap<i64, (SubscriptionStatus, Option<u64>, String)>,
    messages: BTreeMap<i64, u64>,
    histories: HashMap<i64, u64>,
    presences: HashMap<i64, (i64, i64)>,
    /// By channel, for each message: ID, time, and whether the account received it.
    channel_messages: HashMap<i64, Vec<(i64, i64, bool)>>,
    others: HashMap<String, Vec<u64>>,
    ineligible_bot_owners: HashSet<i64>,
    has_organization_owner: bool,
    subdomain: String,
    notes: Vec<String>,
    /// The latest time in any record, in UNIX seconds.
    latest_time: i64,
}

impl SurveyBuilder {
    fn new(server: Server, server_settings: Value) -> Self {
        Self {
            server,
            server_settings,
            originals: None,
            register_reply: Value::Null,
            users: BTreeMap::new(),
            channels: BTreeMap::new(),
            messages: BTreeMap::new(),
            histories: HashMap::new(),
            presences: HashMap::new(),
            channel_messages: HashMap::new(),
            others: HashMap::new(),
            ineligible_bot_owners: HashSet::new(),
            has_organization_owner: false,
            subdomain: String::new(),
            notes: Vec::new(),
            latest_time: 0,
        }
    }

    fn add_record(&mut self, record: &Record<'_>) -> io::Result<()> {
        let start = record.start;
        let (kind, number) = record.kind.split_once(' ').map_or((record.kind, ""), |(kind, number)| match kind {
            "message" | "history" | "emoji" | "avatar" => (kind, number),
            _ => (record.kind, ""),
        });
        if matches!(kind, "done" | "wanted") {
            return Ok(());
        }
        if matches!(kind, "emoji" | "avatar" | "upload") {
            self.others.entry(record.kind.to_owned()).or_default().push(start);
            if kind == "upload" && self.originals.is_some() {
                let value: Value = serde_json::from_str(record.json)?;
                self.add_words(&json!([value["name"], value["path_id"]]));
            }
            return Ok(());
        }
        let id = number.parse().unwrap_or_default();
        if kind == "message" && self.messages.contains_key(&id) {
            return Ok(());
        }
        let value: Value = serde_json::from_str(record.json)?;
        if kind != "note" {
            self.add_words(&value);
            self.update_latest_time(&value);
        }
        match kind {
            "register" => self.register_reply = self.server.with_newest_names(&REGISTER_REPLY, value),
            "note" => self.notes.push(value.as_str().unwrap_or_default().to_owned()),
            "user" => self.add_user(UserList::Active, value, start),
            "former user" => self.add_user(UserList::Deactivated, value, start),
            "system bot" => self.add_user(UserList::SystemBots, value, start),
            "subscription" => self.add_channel(SubscriptionStatus::Subscribed, &value, start),
            "former subscription" => self.add_channel(SubscriptionStatus::Unsubscribed, &value, start),
            "channel" => self.add_channel(SubscriptionStatus::NeverSubscribed, &value, start),
            "presence" => self.add_presence(&value),
            "history" => _ = self.histories.insert(id, start),
            "message" => {
                self.messages.insert(id, start);
                self.add_message(id, &value);
            }
            _ => self.others.entry(kind.to_owned()).or_default().push(start),
        }
        Ok(())
    }

    fn add_words(&mut self, record: &Value) {
        if let Some(originals) = &mut self.originals {
            originals.add(record);
        }
    }

    fn update_latest_time(&mut self, value: &Value) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| self.update_latest_time(value)),
            Value::Object(object) => {
                for (key, value) in object {
                    match value {
                        Value::Number(number) if TIME_KEYS.contains(&key.as_str()) => {
                            self.latest_time = self.latest_time.max(number.as_f64().unwrap_or_default() as i64);
                        }
                        Value::Array(_) | Value::Object(_) => self.update_latest_time(value),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn add_user(&mut self, list: UserList, record: Value, start: u64) {
        let record = self.server.with_newest_names(&USER, record);
        let Some(id) = record.integer("user_id") else { return };
        self.latest_time = self.latest_time.max(parse_date_joined(&record).unwrap_or_default());
        if list != UserList::Active || record.boolean("is_bot") || record["is_active"] == false {
            self.ineligible_bot_owners.insert(id);
        } else {
            self.has_organization_owner |= role_of_user(&record) == Role::Owner;
        }
        let email = record["delivery_email"].as_str().unwrap_or_else(|| record.text("email")).to_owned();
        self.users.entry(id).or_insert((list, Some(start), record.text("full_name").to_owned(), email));
    }

    fn add_channel(&mut self, status: SubscriptionStatus, record: &Value, start: u64) {
        if let Some(id) = record.integer("stream_id") {
            self.channels.entry(id).or_insert((status, Some(start), record.text("name").to_owned()));
        }
    }

    fn add_presence(&mut self, record: &Value) {
        let id = record[0].as_str().and_then(|id| id.parse().ok());
        let time = |key: &str| record[1].integer(key).unwrap_or_default();
        if let Some(id) = id {
            self.presences.insert(id, (time("active_timestamp"), time("idle_timestamp")));
        }
    }

    fn add_message(&mut self, id: i64, record: &Value) {
        // System bots belong to an organization of their own.
        if self.subdomain.is_empty() && !self.is_system_bot(record.integer("sender_id")) {
            record.text("sender_realm_str").clone_into(&mut self.subdomain);
        }
        self.add_unlisted_user(
            record.integer("sender_id"),
            record.text("sender_full_name"),
            record.text("sender_email"),
        );
        for member in record.list("display_recipient") {
            self.add_unlisted_user(member.integer("id"), member.text("full_name"), member.text("email"));
        }
        if let (Some(channel), Some(at)) = (record.integer("stream_id"), record.integer("timestamp")) {
            let is_historical = record.list("flags").iter().any(|flag| flag == "historical");
            // At older levels, archived channels are not listed although their messages can be read.
            let name = record.text("display_recipient");
            self.channels
                .entry(channel)
                .or_insert_with(|| (SubscriptionStatus::NeverSubscribed, None, name.to_owned()));
            self.channel_messages.entry(channel).or_default().push((id, at, !is_historical));
        }
    }

    fn is_system_bot(&self, id: Option<i64>) -> bool {
        let user = id.and_then(|id| self.users.get(&id));
        matches!(user, Some((UserList::SystemBots, ..)))
    }

    /// Adds a sender or recipient of a message who is in no list.
    fn add_unlisted_user(&mut self, id: Option<i64>, full_name: &str, email: &str) {
        if let Some(id) = id {
            self.users.entry(id).or_insert_with(|| (UserList::Unlisted, None, full_name.to_owned(), email.to_owned()));
        }
    }

    fn finish(mut self, options: &ImportOptions) -> Survey {
        if let Some(limit) = options.max_messages.and_then(|limit| usize::try_from(limit).ok()) {
            while self.messages.len() > limit {
                self.messages.pop_first();
            }
        }
        let placeholder_owner =
            (!self.has_organization_owner).then(|| self.users.keys().max().copied().unwrap_or_default() + 1);
        if let Some(id) = placeholder_owner {
            self.notes.push("No owner of the organization is visible, and one is made up".to_owned());
            self.users.insert(id, (UserList::Unlisted, None, "Owner".to_owned(), format!("owner{id}")));
        }
        self.notes.sort();
        self.notes.dedup();
        let anonymizer = options
            .anonymization_seed
            .zip(self.originals.take())
            .map(|(seed, originals)| Anonymizer::new(seed, originals));
        let mut directory = Directory::new(&options.url, anonymizer);
        directory.reference_time = self.latest_time;
        directory.own_id = self.register_reply.integer("user_id").unwrap_or_default();
        self.choose_names(&mut directory, options, placeholder_owner);
        let received =
            self.channel_messages.iter_mut().map(|(channel, messages)| (*channel, received_range(messages))).collect();
        let is_channel_included = |id: &i64| directory.channels.get(*id).is_some();
        let channels = self.channels.into_iter().filter(|(id, _)| is_channel_included(id));
        Survey {
            channels: channels.map(|(id, (status, start, _))| (id, (status, start))).collect(),
            users: self.users.into_iter().map(|(id, (list, start, ..))| (id, (list, start))).collect(),
            server: self.server,
            server_settings: self.server_settings,
            register_reply: self.register_reply,
            directory,
            messages: self.messages,
            histories: self.histories,
            presences: self.presences,
            received,
            others: self.others,
            ineligible_bot_owners: self.ineligible_bot_owners,
            placeholder_owner,
            subdomain: self.subdomain,
            notes: self.notes,
        }
    }

    /// Adds all objects to the directory, which chooses their names.
    fn choose_names(&mut self, directory: &mut Directory, options: &ImportOptions, placeholder_owner: Option<i64>) {
        let unlisted_ids: Vec<i64> = self
            .users
            .iter()
            .filter(|(id, (list, ..))| *list == UserList::Unlisted && placeholder_owner != Some(**id))
            .map(|(id, _)| *id)
            .collect();
        if !unlisted_ids.is_empty() {
            self.notes.push(format!("known from messages alone: {}", format_count(unlisted_ids.len(), "user")));
        }
        for (id, (_, _, full_name, email)) in &self.users {
            directory.add_user(*id, full_name, email);
        }
        let selected_names: BTreeSet<String> = options.channels.iter().map(|name| name.to_lowercase()).collect();
        for (id, (_, _, name)) in &self.channels {
            if selected_names.is_empty() || selected_names.contains(&name.to_lowercase()) {
                directory.add(|directory| &mut directory.channels, *id, name, MAX_CHANNEL_NAME_LENGTH);
            }
        }
        for group in self.register_reply.list("realm_user_groups") {
            let group = self.server.with_newest_names(&GROUP, group.clone());
            match group.integer("id") {
                Some(id) if group.boolean("is_system_group") => directory.add_system_group(id, group.text("name")),
                Some(id) => {
                    directory.add(|directory| &mut directory.groups, id, group.text("name"), MAX_GROUP_NAME_LENGTH)
                }
                None => {}
            }
        }
        for folder in self.register_reply.list("channel_folders") {
            if let Some(id) = folder.integer("id") {
                directory.add(|directory| &mut directory.folders, id, folder.text("name"), MAX_FOLDER_NAME_LENGTH);
            }
        }
        for field in self.register_reply.list("custom_profile_fields") {
            if let Some(id) = field.integer("id") {
                directory.add(|directory| &mut directory.profile_fields, id, field.text("name"), MAX_FIELD_NAME_LENGTH);
            }
        }
        for emoji in emoji_records(&self.register_reply) {
            if let Ok(id) = emoji.text("id").parse() {
                directory.add_emoji(id, &to_valid_emoji_name(emoji.text("name")), emoji.boolean("deactivated"));
            }
        }
    }
}

/// The range of a channel's messages that the account received. Each message has its ID, its time, and whether it was
/// received.
fn received_range(messages: &mut [(i64, i64, bool)]) -> ReceivedRange {
    messages.sort_unstable();
    let first = messages.iter().position(|(_, _, is_received)| *is_received);
    let last = messages.iter().rposition(|(_, _, is_received)| *is_received);
    let id_and_time = |index: usize| (messages[index].0, messages[index].1);
    let last_missed = match first {
        Some(first) => first.checked_sub(1),
        None => messages.len().checked_sub(1),
    };
    ReceivedRange {
        last_missed: last_missed.map(id_and_time),
        first: first.map(id_and_time),
        last: last.map(id_and_time),
    }
}
