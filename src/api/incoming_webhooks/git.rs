//! Sentences on commits, branches, issues and pull requests, which all services that host code share.

use std::collections::HashMap;

/// Commits that a message lists at most.
const MAX_LISTED_COMMITS: usize = 20;
/// Authors that a message names at most.
const MAX_NAMED_AUTHORS: usize = 3;
/// Characters of a hash that are shown.
const SHORT_LENGTH: usize = 11;

/// A commit that was pushed.
pub struct Commit<'a> {
    pub author: &'a str,
    /// Its hash, in hexadecimal digits.
    pub id: &'a str,
    /// Its whole message.
    pub message: &'a str,
    /// Its address.
    pub url: &'a str,
}

/// A push of commits to a branch.
pub struct Push<'a> {
    /// Who pushed.
    pub user: &'a str,
    /// The address of the comparison before and after.
    pub compare_url: &'a str,
    pub branch: &'a str,
    /// The commits, oldest first.
    pub commits: Vec<Commit<'a>>,
    /// Whether the branch was deleted.
    pub is_deleted: bool,
    /// Whether the branch lost commits.
    pub is_forced: bool,
}

impl Push<'_> {
    /// What the push did, in words.
    pub fn in_words(&self) -> String {
        let Self { user, compare_url, branch, commits, .. } = self;
        let verb = if self.is_forced { "force pushed" } else { "pushed" };
        if commits.is_empty() {
            let verb = if self.is_deleted { "deleted" } else { verb };
            return format!("{user} [{verb}]({compare_url}) the branch {branch}.");
        }
        let count = commits.len();
        let plural = if count > 1 { "s" } else { "" };
        let mut text = format!("{user} [{verb}]({compare_url}) {count} commit{plural} to branch {branch}.");
        let authors = self.authors();
        if authors.len() > 1 || authors[0].0 != *user {
            text.push_str(&format!(" Commits by {}.", in_a_row(&authors)));
        }
        text.push_str("\n\n");
        for commit in commits.iter().take(MAX_LISTED_COMMITS) {
            let first_line = commit.message.split('\n').next().unwrap_or_default();
            text.push_str(&format!("* {first_line} ([{}]({}))\n", short(commit.id), commit.url));
        }
        if count > MAX_LISTED_COMMITS {
            text.push_str(&format!("[and {} more commit(s)]", count - MAX_LISTED_COMMITS));
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// The authors with the numbers of their commits, most first; those who are not named count together.
    fn authors(&self) -> Vec<(&str, usize)> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for commit in &self.commits {
            *counts.entry(commit.author).or_default() += 1;
        }
        let mut authors: Vec<(&str, usize)> = counts.into_iter().collect();
        authors.sort_by(|(one, count), (other, other_count)| other_count.cmp(count).then(one.cmp(other)));
        if authors.len() > MAX_NAMED_AUTHORS {
            let others = authors.drain(MAX_NAMED_AUTHORS..).map(|(_, count)| count).sum();
            authors.push(("others", others));
        }
        authors
    }
}

/// `Ann (3), Ben (2) and Cid (1)`
fn in_a_row(authors: &[(&str, usize)]) -> String {
    let all: Vec<String> = authors.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    match all.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => all.concat(),
    }
}

/// The beginning of a hash.
pub fn short(id: &str) -> &str {
    id.char_indices().nth(SHORT_LENGTH).map_or(id, |(end, _)| &id[..end])
}

/// What was done with a tag, in words.
pub fn tag_in_words(user: &str, action: &str, tag: &str) -> String {
    let end = if tag.ends_with(|last: char| last.is_ascii_punctuation()) { "" } else { "." };
    format!("{user} {action} tag {tag}{end}")
}

/// Whether a branch is among those that a list with commas names.
pub fn is_among(branch: &str, branches: Option<&str>) -> bool {
    branches.is_none_or(|all| all.split(',').any(|one| one.trim() == branch))
}

/// Something that was done with an issue or a pull request.
#[derive(Default)]
pub struct Activity<'a> {
    /// Who did it.
    pub user: &'a str,
    /// What was done: `opened`, `closed without merge`, `assigned`.
    pub action: &'a str,
    /// `issue`, `PR`, `PR review`.
    pub kind: &'a str,
    /// Its address.
    pub url: &'a str,
    /// Its number, where it has one of its own.
    pub number: Option<i64>,
    /// Its title, where the topic does not have it.
    pub title: Option<&'a str>,
    /// Its text.
    pub message: Option<&'a str>,
    /// Who is assigned.
    pub assignee: Option<&'a str>,
    /// Who was assigned or unassigned.
    pub changed_assignee: Option<&'a str>,
    /// The branch with the changes, and the one that they are for.
    pub branches: Option<(&'a str, &'a str)>,
}

impl Activity<'_> {
    /// What was done, in words.
    pub fn in_words(&self) -> String {
        let assignee = self.changed_assignee.unwrap_or("None");
        let assigned = match self.action {
            "assigned" => format!(" {assignee} to"),
            "unassigned" => format!(" {assignee} from"),
            _ => String::new(),
        };
        let title = self.title.map(|title| format!(" {title}")).unwrap_or_default();
        let number = self.number.map(|number| format!(" #{number}")).unwrap_or_default();
        let Self { user, action, kind, url, .. } = self;
        let mut text = format!("{user} {action}{assigned} [{kind}{number}{title}]({url})");
        if let Some((from, to)) = self.branches {
            text.push_str(&format!(" from `{from}` to `{to}`"));
        }
        if let Some(assignee) = self.assignee {
            text.push_str(&format!(" (assigned to {assignee})"));
        }
        let message = self.message.filter(|message| !message.is_empty());
        let title_ends_it = self.title.is_some_and(|title| title.ends_with(|last: char| last.is_ascii_punctuation()));
        if self.assignee.is_some() || self.branches.is_some() || !title_ends_it {
            text.push(if message.is_some() { ':' } else { '.' });
        }
        if let Some(message) = message {
            text.push_str(&format!("\n{}", quoted(message)));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// A text as a block of a message that quotes it.
pub fn quoted(message: &str) -> String {
    format!("\n~~~ quote\n{message}\n~~~")
}

/// The topic for an issue or a pull request.
pub fn topic_of(repository: &str, kind: &str, number: i64, title: &str) -> String {
    format!("{repository} / {kind} #{number} {title}")
}
