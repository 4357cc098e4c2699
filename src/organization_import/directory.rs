//! The directory: the names in the fixture of users, channels, groups and other objects that have IDs on the server,
//! and the conversions of texts, times and permissions that all parts of the fixture share.
//!
//! A fixture refers to users by handle and to other objects by name. They are chosen here, distinct and short enough;
//! only a deactivated emoji may have the name of another one.

use super::anonymization::Anonymizer;
use super::json::JsonFields;
use crate::fixture::format::{AnonymousGroup, Holder, RelativeTime};
use crate::realm::account_names::MAX_NAME_LENGTH;
use crate::realm::text::{invalid_character_position, normalize_content};
use crate::realm::topic::MAX_TOPIC_LENGTH;
use chat_markdown::emoji::{EXTRA_EMOJI, EmojiNames};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The maximum length of the name of a custom emoji, in characters.
pub const MAX_EMOJI_NAME_LENGTH: usize = 60;
/// The number of anonymous names of which the first unused one is taken.
const MAX_CANDIDATES: u32 = 8;

/// The names of one object.
#[derive(Clone, Debug, Default)]
pub struct NamePair {
    /// The name on the server.
    pub server_name: String,
    /// The name in the fixture.
    pub fixture_name: String,
}

/// The names of one user.
#[derive(Clone, Debug)]
pub struct UserNames {
    /// The name by which the fixture refers to the user.
    pub handle: String,
    pub full_name: NamePair,
}

/// The names of objects of one kind.
#[derive(Debug, Default)]
pub struct NameTable {
    by_id: HashMap<i64, NamePair>,
    /// Names of the fixture in lower case.
    used: HashSet<String>,
}

impl NameTable {
    /// The name in the fixture for an ID on the server; None if the fixture does not have the object.
    pub fn get(&self, id: i64) -> Option<&str> {
        self.by_id.get(&id).map(|names| names.fixture_name.as_str())
    }

    /// Finds a name on the server, ignoring case; the one with the smallest ID if there are several.
    pub fn find(&self, server_name: &str) -> Option<&NamePair> {
        let server_name = server_name.to_lowercase();
        self.by_id
            .iter()
            .filter(|(_, name)| name.server_name.to_lowercase() == server_name)
            .min_by_key(|(id, _)| **id)
            .map(|(_, name)| name)
    }

    /// Adds an object under the first candidate that is unused; if all are used, under one with the ID as a suffix, or
    /// else under the ID alone. `limit` is in characters.
    fn add(&mut self, id: i64, server_name: &str, candidates: &[String], limit: usize) {
        let valid_names = candidates.iter().map(|name| to_valid_text(name, limit));
        let names_with_id = candidates.iter().map(|name| with_suffix(name, &id.to_string(), limit));
        let mut names = valid_names.chain(names_with_id).filter(|name| !name.is_empty());
        let name = names.find(|name| !self.used.contains(&name.to_lowercase())).unwrap_or_else(|| id.to_string());
        self.used.insert(name.to_lowercase());
        self.by_id.insert(id, NamePair { server_name: server_name.to_owned(), fixture_name: name });
    }
}

/// All names, and the choices that apply to all parts of the fixture.
pub struct Directory {
    /// By ID, users of all lists and those that are only known from messages.
    pub users: BTreeMap<i64, UserNames>,
    /// Only the channels that `--channel` includes.
    pub channels: NameTable,
    /// The groups, including system groups.
    pub groups: NameTable,
    pub folders: NameTable,
    pub profile_fields: NameTable,
    pub custom_emoji: NameTable,
    /// None if texts remain as they are.
    pub anonymizer: Option<Anonymizer>,
    /// The ID of the account that read the organization.
    pub own_id: i64,
    /// The base URL of the organization, for links in texts.
    pub url: String,
    /// The time to which the times of the fixture are relative, in UNIX seconds.
    pub reference_time: i64,
    /// All handles in lower case.
    handles: HashSet<String>,
    /// By full name in lower case.
    ids_by_full_name: HashMap<String, i64>,
    /// Sentences about what the fixture lacks.
    notes: std::cell::RefCell<BTreeSet<String>>,
}

impl Directory {
    pub fn new(url: &str, anonymizer: Option<Anonymizer>) -> Self {
        Self {
            users: BTreeMap::new(),
            channels: NameTable::default(),
            groups: NameTable::default(),
            folders: NameTable::default(),
            profile_fields: NameTable::default(),
            custom_emoji: NameTable::default(),
            anonymizer,
            own_id: 0,
            url: url.to_owned(),
            reference_time: 0,
            handles: HashSet::new(),
            ids_by_full_name: HashMap::new(),
            notes: std::cell::RefCell::default(),
        }
    }

    /// Adds a user, whose handle follows from the email address.
    pub fn add_user(&mut self, id: i64, full_name: &str, email: &str) {
        let local_part = email.split('@').next().unwrap_or_default();
        let plain_name: String =
            local_part.chars().map(|character| if is_plain_character(character) { character } else { '-' }).collect();
        let has_letters = plain_name.chars().any(|character| character.is_ascii_alphanumeric());
        let plain_name = if has_letters { plain_name } else { format!("user{id}") };
        let handle = match &self.anonymizer {
            Some(anonymizer) => anonymizer.anonymize_text(&plain_name.to_ascii_lowercase()),
            None => plain_name,
        };
        let handle = if self.handles.insert(handle.to_lowercase()) { handle } else { format!("{handle}-{id}") };
        // The handle may have the ID, and is then taken too.
        self.handles.insert(handle.to_lowercase());
        let new_name = self
            .anonymizer
            .as_ref()
            .map_or_else(|| full_name.to_owned(), |anonymizer| anonymizer.anonymize_text(full_name));
        let fixture_name = Some(to_valid_text(&new_name, MAX_NAME_LENGTH))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| format!("User {id}"));
        self.ids_by_full_name.entry(full_name.to_lowercase()).or_insert(id);
        self.users
            .insert(id, UserNames { handle, full_name: NamePair { server_name: full_name.to_owned(), fixture_name } });
    }

    /// Adds a channel, a group, a folder, a profile field or a custom emoji. `limit` is the maximum length of its name
    /// in characters.
    pub fn add(&mut self, table: fn(&mut Self) -> &mut NameTable, id: i64, name: &str, limit: usize) {
        let candidates = match &self.anonymizer {
            Some(anonymizer) => {
                (0..MAX_CANDIDATES).map(|salt| anonymizer.anonymize_text_with_salt(name, salt)).collect()
            }
            None => vec![name.to_owned()],
        };
        table(self).add(id, name, &candidates, limit);
    }

    /// Adds a system group, whose name does not change.
    pub fn add_system_group(&mut self, id: i64, name: &str) {
        self.groups.add(id, name, &[name.to_owned()], usize::MAX);
    }

    /// Adds a custom emoji. Without an anonymizer, a deactivated one may have the same name as another.
    pub fn add_emoji(&mut self, id: i64, name: &str, is_deactivated: bool) {
        if is_deactivated && self.custom_emoji.find(name).is_some() && self.anonymizer.is_none() {
            self.custom_emoji
                .by_id
                .insert(id, NamePair { server_name: name.to_owned(), fixture_name: name.to_owned() });
        } else {
            self.add(|directory| &mut directory.custom_emoji, id, name, MAX_EMOJI_NAME_LENGTH);
        }
    }

    /// The user with a full name, ignoring case; the one that was added first if there are several.
    pub fn user_named(&self, full_name: &str) -> Option<&UserNames> {
        self.users.get(self.ids_by_full_name.get(&full_name.to_lowercase())?)
    }

    pub fn handle(&self, id: i64) -> Option<String> {
        self.users.get(&id).map(|user| user.handle.clone())
    }

    /// The handles of known users, without duplicates.
    pub fn handles(&self, ids: impl IntoIterator<Item = i64>) -> Vec<String> {
        let mut unique = HashSet::new();
        ids.into_iter().filter(|id| unique.insert(*id)).filter_map(|id| self.handle(id)).collect()
    }

    pub fn channel_name(&self, id: i64) -> Option<String> {
        self.channels.get(id).map(str::to_owned)
    }

    /// The ID of a system group by its name, such as `role:members`; None if the server did not list it.
    pub fn system_group_id(&self, name: &str) -> Option<i64> {
        self.groups.by_id.iter().find(|(_, group)| group.server_name == name).map(|(id, _)| *id)
    }

    /// The name in the fixture of the emoji in a reaction or a status. None, with a note, if this double does not know
    /// the emoji; None without a note if the record has none.
    pub fn emoji_name(&self, record: &Value) -> Option<String> {
        let (name, code) = (record.text("emoji_name"), record.text("emoji_code"));
        if name.is_empty() {
            return None;
        }
        let emoji = EmojiNames::newest();
        let known_name = match record.text("reaction_type") {
            "realm_emoji" => code.parse().ok().and_then(|id| self.custom_emoji.get(id)).map(str::to_owned),
            "service_extra_emoji" => Some(EXTRA_EMOJI.name.to_owned()),
            _ if emoji.code_of(name) == Some(code) => Some(name.to_owned()),
            _ => emoji.names_of(code).and_then(|names| names.first()).map(|name| (*name).to_owned()),
        };
        if known_name.is_none() {
            self.add_note("Some emoji of reactions or statuses are not in the file: this double does not know them");
        }
        known_name
    }

    /// Anonymizes a text without markup, if requested.
    pub fn convert_text(&self, text: &str) -> String {
        self.anonymizer.as_ref().map_or_else(|| text.to_owned(), |anonymizer| anonymizer.anonymize_text(text))
    }

    /// Anonymizes a text in Markdown, if requested.
    pub fn convert_markdown(&self, text: &str) -> String {
        self.anonymizer.as_ref().map_or_else(|| text.to_owned(), |anonymizer| anonymizer.anonymize_markdown(text, self))
    }

    /// Converts the content of a message; None if this double refuses it.
    pub fn convert_content(&self, text: &str) -> Option<String> {
        let text = self.convert_markdown(text);
        let text = if text.contains('\0') { text.replace('\0', "") } else { text };
        normalize_content(&text).is_ok().then_some(text)
    }

    /// Anonymizes the name of a topic, if requested, and makes it valid for fixtures.
    pub fn convert_topic(&self, topic: &str) -> String {
        to_valid_text(&self.convert_text(topic), MAX_TOPIC_LENGTH)
    }

    /// Anonymizes a URL, if requested.
    pub fn convert_url(&self, url: &str) -> String {
        self.anonymizer.as_ref().map_or_else(|| url.to_owned(), |anonymizer| anonymizer.anonymize_url(url))
    }

    /// Converts a time from UNIX seconds.
    pub fn convert_time(&self, seconds: i64) -> RelativeTime {
        RelativeTime::after_seconds(seconds - self.reference_time)
    }

    /// Converts a time from UNIX seconds. A time after the fixture's time becomes that time.
    pub fn convert_past_time(&self, seconds: i64) -> RelativeTime {
        self.convert_time(seconds.min(self.reference_time))
    }

    /// Converts the time at which an object was created; 30 days before the fixture's time if the record does not have
    /// it.
    pub fn convert_creation_time(&self, record: &Value) -> RelativeTime {
        let at = record.integer("date_created").unwrap_or(self.reference_time - 30 * 86_400);
        self.convert_past_time(at)
    }

    /// Adds a note about an omission of the fixture: a sentence without the period.
    pub fn add_note(&self, text: impl Into<String>) {
        self.notes.borrow_mut().insert(text.into());
    }

    /// The notes, sorted and without duplicates.
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().iter().cloned().collect()
    }

    /// Converts the holder of a permission: the ID of a group, or an object with users and groups. None for an unknown
    /// group or any other value.
    pub fn convert_holder(&self, value: &Value) -> Option<Holder> {
        if let Some(id) = value.as_i64() {
            return self.groups.get(id).map(|name| Holder::Group(name.to_owned()));
        }
        value.as_object()?;
        let groups =
            value.integers("direct_subgroups").into_iter().filter_map(|id| self.groups.get(id)).map(str::to_owned);
        Some(Holder::Anonymous(AnonymousGroup {
            users: self.handles(value.integers("direct_members")),
            groups: groups.collect(),
        }))
    }
}

fn is_plain_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || ".-_".contains(character)
}

/// Makes a name or another text valid for fixtures: truncates it to `limit` characters, and removes invalid characters
/// and surrounding white space.
pub fn to_valid_text(text: &str, limit: usize) -> String {
    let mut valid_text: String = text.trim().chars().take(limit).collect();
    while let Some(position) = invalid_character_position(&valid_text) {
        valid_text = valid_text
            .chars()
            .enumerate()
            // Positions count from 1.
            .filter(|(index, _)| index + 1 != position)
            .map(|(_, character)| character)
            .collect();
    }
    valid_text.trim().to_owned()
}

fn with_suffix(name: &str, suffix: &str, limit: usize) -> String {
    let max_prefix_length = limit.saturating_sub(suffix.chars().count() + 1);
    let prefix: String = name.chars().take(max_prefix_length).collect();
    to_valid_text(&format!("{prefix}-{suffix}"), limit)
}
