//! How mentions and links to channels are written, and which names a text may mean.
//!
//! Names are looked up once, in the text as it was sent. What becomes a mention only later, behind a mark that is gone by
//! then, means a person if the same name is also written where a mention may be.

use super::character::may_precede_name;
use super::{MentionedGroup, MentionedUser, Names};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What the names of groups begin with that every organization has.
const SYSTEM_GROUP_PREFIX: &str = "role:";

/// A name between stars behind a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named<'t> {
    /// Where the sign is.
    pub start: usize,
    /// Where the last star ends.
    pub end: usize,
    /// Whether there is an underscore behind the sign.
    pub is_silent: bool,
    /// What is between the stars.
    pub name: &'t str,
}

/// The names in a text, from left to right: `sign`, perhaps an underscore, and the name between `stars`.
pub(super) fn named<'t>(text: &'t str, sign: u8, stars: &'static str) -> impl Iterator<Item = Named<'t>> {
    named_if(text, sign, stars, |_| true)
}

/// Whether a name is that of a channel and of a topic in it.
pub(super) fn has_topic(name: &str) -> bool {
    name.find('>').is_some_and(|at| at > 0)
}

/// [`named`], but only what fits.
pub(super) fn named_if<'t>(
    text: &'t str,
    sign: u8,
    stars: &'static str,
    fits: fn(&str) -> bool,
) -> impl Iterator<Item = Named<'t>> {
    let mut done = 0;
    memchr::memchr_iter(sign, text.as_bytes()).filter_map(move |start| {
        if start < done || !may_precede_name(&text[..start]) {
            return None;
        }
        let behind = &text[start + 1..];
        let unsilenced = behind.strip_prefix('_').filter(|_| sign == b'@');
        let inside = unsilenced.unwrap_or(behind).strip_prefix(stars)?;
        let length = memchr::memchr(b'*', inside.as_bytes()).filter(|length| *length > 0)?;
        if !inside[length..].starts_with(stars) || !fits(&inside[..length]) {
            return None;
        }
        done = text.len() - inside.len() + length + stars.len();
        Some(Named { start, end: done, is_silent: unsilenced.is_some(), name: &inside[..length] })
    })
}

/// A line in which nobody mentioned notices.
pub(super) fn silenced(line: &str) -> Cow<'_, str> {
    if !line.contains('@') {
        return Cow::Borrowed(line);
    }
    let mut line = line.to_owned();
    for stars in ["**", "*"] {
        let mut out = String::with_capacity(line.len() + 4);
        let mut done = 0;
        for it in named(&line, b'@', stars) {
            out.push_str(&line[done..=it.start]);
            out.extend(["_", stars, it.name, stars]);
            done = it.end;
        }
        out.push_str(&line[done..]);
        line = out;
    }
    Cow::Owned(line)
}

/// A name and the number behind a bar in it: `Iago|11`, or `|11`.
fn with_id(name: &str) -> Option<(&str, i64)> {
    let (name, id) = name.rsplit_once('|')?;
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !name.contains('\n')).then_some(())?;
    Some((name, id.parse().ok()?))
}

/// The people, groups and channels that a text may mean.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Names without a number, in lower case.
    names: BTreeSet<String>,
    /// Who is named with their number.
    by_id: BTreeMap<i64, MentionedUser>,
    /// The same by their names in lower case.
    ids: BTreeMap<String, i64>,
    /// Names of groups, by themselves in lower case.
    groups: BTreeMap<String, BTreeSet<String>>,
    /// Names of channels.
    channels: BTreeSet<String>,
    /// The users that names without a number were found to mean.
    found: BTreeMap<String, Option<MentionedUser>>,
    /// Which groups names in lower case were found to mean.
    found_groups: BTreeMap<String, Option<MentionedGroup>>,
}

impl Candidates {
    /// The names in a text as it was sent.
    pub fn of(source: &str, names: &dyn Names) -> Self {
        let mut candidates = Self::default();
        if memchr::memchr(b'@', source.as_bytes()).is_some() {
            for it in named(source, b'@', "**") {
                match with_id(it.name) {
                    Some((name, id)) => {
                        let Some(user) = names.user(name, Some(id)) else { continue };
                        candidates.ids.insert(user.full_name.to_lowercase(), id);
                        candidates.by_id.insert(id, user);
                    }
                    None => drop(candidates.names.insert(it.name.to_lowercase())),
                }
            }
            for it in named(source, b'@', "*") {
                candidates.groups.entry(it.name.to_lowercase()).or_default().insert(it.name.to_owned());
            }
        }
        for it in named(source, b'#', "**") {
            candidates.channels.insert(it.name.to_owned());
        }
        let topics = named_if(source, b'#', "**", has_topic).filter_map(|it| it.name.split_once('>'));
        candidates.channels.extend(topics.map(|(channel, _)| channel.to_owned()));
        candidates
    }

    /// The user that a mention means.
    pub fn user(&mut self, text: &str, names: &dyn Names) -> Option<MentionedUser> {
        let Some((name, id)) = with_id(text) else { return self.user_by_name(text, names) };
        let user = self.by_id.get(&id).cloned();
        let user = user.or_else(|| {
            let user = names.user("", Some(id))?;
            self.names.contains(&user.full_name.to_lowercase()).then_some(user)
        });
        user.filter(|user| name.is_empty() || user.full_name == name)
    }

    fn user_by_name(&mut self, name: &str, names: &dyn Names) -> Option<MentionedUser> {
        let folded = name.to_lowercase();
        if self.names.contains(&folded) {
            let found = self.found.entry(folded).or_insert_with(|| names.user(name, None));
            return found.clone();
        }
        self.by_id.get(self.ids.get(&folded)?).cloned()
    }

    /// The group that a mention means. Its name is written somewhere as it is.
    pub fn group(&mut self, name: &str, names: &dyn Names) -> Option<MentionedGroup> {
        let folded = name.to_lowercase();
        if let Some(found) = self.found_groups.get(&folded) {
            return found.clone();
        }
        let mentions_system_groups = names.settings().form.mentions_system_groups;
        let found = self.groups.get(&folded)?.iter().find_map(|written| {
            let is_system = written.starts_with(SYSTEM_GROUP_PREFIX);
            let group = (!is_system || mentions_system_groups).then(|| names.group(written)).flatten();
            group.filter(|group| is_system || group.display_name == *written)
        });
        self.found_groups.insert(folded, found.clone());
        found
    }

    /// Whether a name of a channel is written where a link may be.
    pub fn has_channel(&self, name: &str) -> bool {
        self.channels.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_stars() {
        let found = |text| named(text, b'@', "**").map(|it| it.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(found("@**a** (@_**b c**) x@**d** @**e* @**** @**f\ng**"), ["a", "b c", "f\ng"]);
        assert_eq!(found("@**a @**b** @**c**"), ["a @", "c"]);
    }

    #[test]
    fn quoted_mentions_are_silent() {
        assert_eq!(silenced("> @**a** @*b* @_**c** x@**d**"), "> @_**a** @_*b* @_**c** x@**d**");
    }
}
