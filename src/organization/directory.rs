//! The names in the fixture of what has a number on the server.
//!
//! A fixture refers to users, channels and groups by name. Their names must be distinct and short enough, and are chosen here.

use super::anonymous::Anonymizer;
use super::json::Json;
use crate::fixture::format::When;
use crate::realm::text::invalid_character;
use chat_markdown::emoji::{EXTRA_EMOJI, EmojiNames};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The name on the server, and the one in the fixture.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// On the server.
    pub old: String,
    /// In the fixture.
    pub new: String,
}

/// A user's names.
#[derive(Clone, Debug)]
pub struct UserNames {
    /// The name by which the fixture refers to the user.
    pub handle: String,
    /// The name that others see.
    pub full_name: Name,
}

/// The names of one kind of thing.
#[derive(Debug, Default)]
pub struct Names {
    by_id: HashMap<i64, Name>,
    taken: HashSet<String>,
}

impl Names {
    /// The name in the fixture for a number on the server; None if the fixture leaves it out.
    pub fn get(&self, id: i64) -> Option<&str> {
        self.by_id.get(&id).map(|name| name.new.as_str())
    }

    /// The name in the fixture for one on the server, case-insensitively; the smallest number's if there are several.
    pub fn renamed(&self, old: &str) -> Option<&Name> {
        let old = old.to_lowercase();
        self.by_id
            .iter()
            .filter(|(_, name)| name.old.to_lowercase() == old)
            .min_by_key(|(id, _)| **id)
            .map(|(_, name)| name)
    }

    fn add(&mut self, id: i64, old: &str, drawn: &[String], limit: usize) {
        let candidates = drawn.iter().map(|name| fitting(name, limit));
        let with_number = drawn.iter().map(|name| with_end(name, &id.to_string(), limit));
        let mut free = candidates.chain(with_number).filter(|name| !name.is_empty());
        let name = free.find(|name| !self.taken.contains(&name.to_lowercase())).unwrap_or_else(|| id.to_string());
        self.taken.insert(name.to_lowercase());
        self.by_id.insert(id, Name { old: old.to_owned(), new: name });
    }
}

/// All names, and the choices that hold for all parts of the fixture.
pub struct Directory {
    /// Users by number.
    pub users: BTreeMap<i64, UserNames>,
    /// Channels that are in the fixture.
    pub channels: Names,
    /// Groups, the system's too.
    pub groups: Names,
    pub folders: Names,
    /// Profile fields.
    pub fields: Names,
    /// Custom emoji.
    pub emoji: Names,
    /// Replaces words; None if texts remain as they are.
    pub anonymizer: Option<Anonymizer>,
    /// The account that read.
    pub own: i64,
    /// The organization's own base URL, for links in texts.
    pub url: String,
    /// The time that times are relative to, in Unix seconds.
    pub reference: i64,
    handles: HashSet<String>,
    by_full_name: HashMap<String, i64>,
    notes: std::cell::RefCell<BTreeSet<String>>,
}

impl Directory {
    /// An empty directory of an organization at a URL.
    pub fn new(url: &str, anonymizer: Option<Anonymizer>) -> Self {
        Self {
            users: BTreeMap::new(),
            channels: Names::default(),
            groups: Names::default(),
            folders: Names::default(),
            fields: Names::default(),
            emoji: Names::default(),
            anonymizer,
            own: 0,
            url: url.to_owned(),
            reference: 0,
            handles: HashSet::new(),
            by_full_name: HashMap::new(),
            notes: std::cell::RefCell::default(),
        }
    }

    /// Adds a user; the handle is made of the address.
    pub fn add_user(&mut self, id: i64, full_name: &str, email: &str) {
        let local = email.split('@').next().unwrap_or_default();
        let plain: String = local.chars().map(|one| if is_plain(one) { one } else { '-' }).collect();
        let plain = if plain.chars().any(|one| one.is_ascii_alphanumeric()) { plain } else { format!("user{id}") };
        let drawn = match &self.anonymizer {
            Some(anonymizer) => anonymizer.text(&plain.to_ascii_lowercase()),
            None => plain,
        };
        let handle = if self.handles.insert(drawn.to_lowercase()) { drawn } else { format!("{drawn}-{id}") };
        self.handles.insert(handle.to_lowercase());
        let new =
            self.anonymizer.as_ref().map_or_else(|| full_name.to_owned(), |anonymizer| anonymizer.text(full_name));
        let new = Some(fitting(&new, 100)).filter(|name| !name.is_empty()).unwrap_or_else(|| format!("User {id}"));
        self.by_full_name.entry(full_name.to_lowercase()).or_insert(id);
        self.users.insert(id, UserNames { handle, full_name: Name { old: full_name.to_owned(), new } });
    }

    /// Adds a channel, a group, a folder, a field or an emoji.
    pub fn add(&mut self, of: fn(&mut Self) -> &mut Names, id: i64, name: &str, limit: usize) {
        let drawn = match &self.anonymizer {
            Some(anonymizer) => (0..8).map(|salt| anonymizer.salted(name, salt)).collect(),
            None => vec![name.to_owned()],
        };
        of(self).add(id, name, &drawn, limit);
    }

    /// Adds a system group, whose name is the API's.
    pub fn add_system_group(&mut self, id: i64, name: &str) {
        self.groups.add(id, name, &[name.to_owned()], usize::MAX);
    }

    /// Adds a custom emoji; those that are deactivated may have the name of another one.
    pub fn add_emoji(&mut self, id: i64, name: &str, is_deactivated: bool) {
        if is_deactivated && self.emoji.renamed(name).is_some() && self.anonymizer.is_none() {
            self.emoji.by_id.insert(id, Name { old: name.to_owned(), new: name.to_owned() });
        } else {
            self.add(|directory| &mut directory.emoji, id, name, 60);
        }
    }

    /// The user with a full name, case-insensitively; the one that was added first if there are several.
    pub fn user_named(&self, full_name: &str) -> Option<&UserNames> {
        self.users.get(self.by_full_name.get(&full_name.to_lowercase())?)
    }

    /// The handle of a user.
    pub fn handle(&self, id: i64) -> Option<String> {
        self.users.get(&id).map(|user| user.handle.clone())
    }

    /// The handles of users, each once, without unknown users.
    pub fn handles(&self, ids: impl IntoIterator<Item = i64>) -> Vec<String> {
        let mut seen = HashSet::new();
        ids.into_iter().filter(|id| seen.insert(*id)).filter_map(|id| self.handle(id)).collect()
    }

    /// A channel's name.
    pub fn channel(&self, id: i64) -> Option<String> {
        self.channels.get(id).map(str::to_owned)
    }

    /// The number of a system group.
    pub fn group_id(&self, name: &str) -> Option<i64> {
        self.groups.by_id.iter().find(|(_, group)| group.old == name).map(|(id, _)| *id)
    }

    /// The name of the emoji in a reaction or a status, as fixtures refer to it.
    pub fn emoji_of(&self, record: &Value) -> Option<String> {
        let (name, code) = (record.text("emoji_name"), record.text("emoji_code"));
        if name.is_empty() {
            return None;
        }
        let emoji = EmojiNames::newest();
        let found = match record.text("reaction_type") {
            "realm_emoji" => code.parse().ok().and_then(|id| self.emoji.get(id)).map(str::to_owned),
            "service_extra_emoji" => Some(EXTRA_EMOJI.name.to_owned()),
            _ if emoji.by_name(name) == Some(code) => Some(name.to_owned()),
            _ => emoji.by_code(code).and_then(|names| names.first()).map(|name| (*name).to_owned()),
        };
        if found.is_none() {
            self.note("Some reactions are not in the file: this double does not know their emoji");
        }
        found
    }

    /// A text without markup.
    pub fn text(&self, text: &str) -> String {
        self.anonymizer.as_ref().map_or_else(|| text.to_owned(), |anonymizer| anonymizer.text(text))
    }

    /// A text in Markdown.
    pub fn markdown(&self, text: &str) -> String {
        self.anonymizer.as_ref().map_or_else(|| text.to_owned(), |anonymizer| anonymizer.markdown(text, self))
    }

    /// A topic.
    pub fn topic(&self, topic: &str) -> String {
        fitting(&self.text(topic), 60)
    }

    /// The address of a page or a service.
    pub fn link(&self, url: &str) -> String {
        self.anonymizer.as_ref().map_or_else(|| url.to_owned(), |anonymizer| anonymizer.url(url))
    }

    /// A time, in Unix seconds.
    pub fn when(&self, seconds: i64) -> When {
        When::in_seconds(seconds - self.reference)
    }

    /// A time, in Unix seconds, but not later than the fixture's own time.
    pub fn past(&self, seconds: i64) -> When {
        self.when(seconds.min(self.reference))
    }

    /// Notes something that the fixture leaves out, as a sentence without the period.
    pub fn note(&self, text: impl Into<String>) {
        self.notes.borrow_mut().insert(text.into());
    }

    /// All notes, sorted.
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().iter().cloned().collect()
    }

    /// The holder of a permission, from a value of the API: the number of a group, or users and groups.
    pub fn holder(&self, value: &Value) -> Option<crate::fixture::format::Holder> {
        use crate::fixture::format::{Anonymous, Holder};
        if let Some(id) = value.as_i64() {
            return self.groups.get(id).map(|name| Holder::Group(name.to_owned()));
        }
        value.as_object()?;
        let groups = value.ints("direct_subgroups").into_iter().filter_map(|id| self.groups.get(id)).map(str::to_owned);
        Some(Holder::Anonymous(Anonymous {
            users: self.handles(value.ints("direct_members")),
            groups: groups.collect(),
        }))
    }
}

fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || ".-_".contains(character)
}

/// A name that fixtures take: without control characters and white space around it, and not too long.
pub fn fitting(name: &str, limit: usize) -> String {
    let mut name: String = name.trim().chars().take(limit).collect();
    while let Some(position) = invalid_character(&name) {
        name = name.chars().enumerate().filter(|(index, _)| index + 1 != position).map(|(_, one)| one).collect();
    }
    name.trim().to_owned()
}

fn with_end(name: &str, end: &str, limit: usize) -> String {
    let room = limit.saturating_sub(end.chars().count() + 1);
    let begin: String = name.chars().take(room).collect();
    fitting(&format!("{begin}-{end}"), limit)
}
