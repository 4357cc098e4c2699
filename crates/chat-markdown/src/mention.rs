//! Finds the syntax of mentions and links to channels, and collects the names in a text.
//!
//! Names are looked up once, in the source. Some mentions appear only during rendering, after other markup was
//! replaced: these are resolved only if the source has a mention with the same name elsewhere.

use super::character::is_space;
use super::{MentionedGroup, MentionedUser, Names};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Prefix of the names of system groups.
const SYSTEM_GROUP_PREFIX: &str = "role:";

/// A name between asterisks after `@` or `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameReference<'t> {
    /// Position of the `@` or `#`.
    pub start: usize,
    /// Position after the last asterisk.
    pub end: usize,
    /// Whether an underscore follows the `@`, or all mentions in the text are silent.
    pub is_silent: bool,
    /// The text between the asterisks.
    pub name: &'t str,
}

/// The names in a text, from left to right. `sign` is `@` or `#`, and `asterisks` is `*` or `**`.
pub(super) fn name_references<'t>(
    text: &'t str,
    sign: u8,
    asterisks: &'static str,
) -> impl Iterator<Item = NameReference<'t>> {
    filtered_references(text, sign, asterisks, |_| true)
}

/// Whether a name consists of a channel and a topic.
pub(super) fn has_topic(name: &str) -> bool {
    name.find('>').is_some_and(|position| position > 0)
}

/// As [`name_references`], but only names that fulfil `predicate`.
pub(super) fn filtered_references<'t>(
    text: &'t str,
    sign: u8,
    asterisks: &'static str,
    predicate: fn(&str) -> bool,
) -> impl Iterator<Item = NameReference<'t>> {
    let mut end = 0;
    memchr::memchr_iter(sign, text.as_bytes()).filter_map(move |start| {
        if start < end || !may_precede_name(&text[..start]) {
            return None;
        }
        let following = &text[start + 1..];
        let without_underscore = following.strip_prefix('_').filter(|_| sign == b'@');
        let inside = without_underscore.unwrap_or(following).strip_prefix(asterisks)?;
        let length = memchr::memchr(b'*', inside.as_bytes()).filter(|length| *length > 0)?;
        if !inside[length..].starts_with(asterisks) || !predicate(&inside[..length]) {
            return None;
        }
        end = text.len() - inside.len() + length + asterisks.len();
        Some(NameReference { start, end, is_silent: without_underscore.is_some(), name: &inside[..length] })
    })
}

/// Whether a mention or a link to a channel may follow this text.
fn may_precede_name(before: &str) -> bool {
    let is_boundary = |last: char| is_space(last) || matches!(last, '\'' | '"' | '(' | '{' | '[' | '/' | '<');
    before.chars().next_back().is_none_or(is_boundary)
}

/// Makes all mentions in a line silent.
pub(super) fn silence_mentions(line: &str) -> Cow<'_, str> {
    if !line.contains('@') {
        return Cow::Borrowed(line);
    }
    let mut line = line.to_owned();
    for asterisks in ["**", "*"] {
        let mut output = String::with_capacity(line.len() + 4);
        let mut copy_start = 0;
        for mention in name_references(&line, b'@', asterisks) {
            output.push_str(&line[copy_start..=mention.start]);
            output.extend(["_", asterisks, mention.name, asterisks]);
            copy_start = mention.end;
        }
        output.push_str(&line[copy_start..]);
        line = output;
    }
    Cow::Owned(line)
}

/// Splits a name with a user ID: `Iago|11`, or `|11`.
fn split_id(name: &str) -> Option<(&str, i64)> {
    let (name, id) = name.rsplit_once('|')?;
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !name.contains('\n')).then_some(())?;
    Some((name, id.parse().ok()?))
}

/// The users, groups and channels that the source of a text names.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Names of users without an ID, in lower case.
    lowercase_user_names: BTreeSet<String>,
    /// Users that are named with their ID.
    by_id: BTreeMap<i64, MentionedUser>,
    /// The IDs of the users in `by_id`, by name in lower case.
    ids_by_name: BTreeMap<String, i64>,
    /// Spellings of names of groups, by name in lower case.
    groups: BTreeMap<String, BTreeSet<String>>,
    /// Names of channels, alone or before the `>` of a topic.
    channels: BTreeSet<String>,
    /// Results of looking up names without an ID, by name in lower case.
    user_results: BTreeMap<String, Option<MentionedUser>>,
    /// Results of looking up groups, by name in lower case.
    group_results: BTreeMap<String, Option<MentionedGroup>>,
}

impl Candidates {
    /// Collects the names in a source. Users that are named with an ID are looked up at once, other names when they are
    /// used.
    pub fn collect(source: &str, names: &dyn Names) -> Self {
        let mut candidates = Self::default();
        if memchr::memchr(b'@', source.as_bytes()).is_some() {
            for mention in name_references(source, b'@', "**") {
                match split_id(mention.name) {
                    Some((name, id)) => {
                        let Some(user) = names.user(name, Some(id)) else { continue };
                        candidates.ids_by_name.insert(user.full_name.to_lowercase(), id);
                        candidates.by_id.insert(id, user);
                    }
                    None => drop(candidates.lowercase_user_names.insert(mention.name.to_lowercase())),
                }
            }
            for mention in name_references(source, b'@', "*") {
                candidates.groups.entry(mention.name.to_lowercase()).or_default().insert(mention.name.to_owned());
            }
        }
        for mention in name_references(source, b'#', "**") {
            candidates.channels.insert(mention.name.to_owned());
        }
        let topics = filtered_references(source, b'#', "**", has_topic).filter_map(|link| link.name.split_once('>'));
        candidates.channels.extend(topics.map(|(channel, _)| channel.to_owned()));
        candidates
    }

    /// The user that a mention names. `text` is what is between its asterisks.
    pub fn user(&mut self, text: &str, names: &dyn Names) -> Option<MentionedUser> {
        let Some((name, id)) = split_id(text) else { return self.user_by_name(text, names) };
        let user = self.by_id.get(&id).cloned();
        let user = user.or_else(|| {
            let user = names.user("", Some(id))?;
            self.lowercase_user_names.contains(&user.full_name.to_lowercase()).then_some(user)
        });
        user.filter(|user| name.is_empty() || user.full_name == name)
    }

    fn user_by_name(&mut self, name: &str, names: &dyn Names) -> Option<MentionedUser> {
        let lowercase_name = name.to_lowercase();
        if self.lowercase_user_names.contains(&lowercase_name) {
            let user = self.user_results.entry(lowercase_name).or_insert_with(|| names.user(name, None));
            return user.clone();
        }
        self.by_id.get(self.ids_by_name.get(&lowercase_name)?).cloned()
    }

    /// The group that a mention names. Unless it is a system group, one of the spellings in the source must be its
    /// exact name.
    pub fn group(&mut self, name: &str, names: &dyn Names) -> Option<MentionedGroup> {
        let lowercase_name = name.to_lowercase();
        if let Some(group_result) = self.group_results.get(&lowercase_name) {
            return group_result.clone();
        }
        let mentions_system_groups = names.settings().output_format.mentions_system_groups;
        let group_result = self.groups.get(&lowercase_name)?.iter().find_map(|spelling| {
            let is_system = spelling.starts_with(SYSTEM_GROUP_PREFIX);
            let group = (!is_system || mentions_system_groups).then(|| names.group(spelling)).flatten();
            group.filter(|group| is_system || group.display_name == *spelling)
        });
        self.group_results.insert(lowercase_name, group_result.clone());
        group_result
    }

    /// Whether the source has a link to this channel.
    pub fn has_channel(&self, name: &str) -> bool {
        self.channels.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_asterisks_are_found() {
        let names = |text| name_references(text, b'@', "**").map(|mention| mention.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names("@**a** (@_**b c**) x@**d** @**e* @**** @**f\ng**"), ["a", "b c", "f\ng"]);
        assert_eq!(names("@**a @**b** @**c**"), ["a @", "c"]);
    }

    #[test]
    fn mentions_become_silent() {
        assert_eq!(silence_mentions("> @**a** @*b* @_**c** x@**d**"), "> @_**a** @_*b* @_**c** x@**d**");
    }
}
