//! Messages about pushes, tags, issues and pull requests, for all services that host code.

use std::collections::HashMap;

const MAX_LISTED_COMMITS: usize = 20;
const MAX_NAMED_AUTHORS: usize = 3;
/// The length of a short hash, in hexadecimal digits.
const SHORT_HASH_LENGTH: usize = 11;

pub struct Commit<'a> {
    pub author: &'a str,
    /// The full hash.
    pub id: &'a str,
    /// The full commit message.
    pub message: &'a str,
    pub url: &'a str,
}

/// A push of commits to a branch.
pub struct Push<'a> {
    /// The name of the user who pushed.
    pub user: &'a str,
    /// The URL of a comparison between the branch before and after the push.
    pub compare_url: &'a str,
    pub branch: &'a str,
    /// Oldest first.
    pub commits: Vec<Commit<'a>>,
    /// Whether the push deleted the branch.
    pub deletes_branch: bool,
    pub is_forced: bool,
}

impl Push<'_> {
    pub fn to_message(&self) -> String {
        let Self { user, compare_url, branch, commits, .. } = self;
        let verb = if self.is_forced { "force pushed" } else { "pushed" };
        if commits.is_empty() {
            let verb = if self.deletes_branch { "deleted" } else { verb };
            return format!("{user} [{verb}]({compare_url}) the branch {branch}.");
        }
        let count = commits.len();
        let plural = if count > 1 { "s" } else { "" };
        let mut text = format!("{user} [{verb}]({compare_url}) {count} commit{plural} to branch {branch}.");
        let authors = self.authors();
        if authors.len() > 1 || authors[0].0 != *user {
            text.push_str(&format!(" Commits by {}.", author_list(&authors)));
        }
        text.push_str("\n\n");
        for commit in commits.iter().take(MAX_LISTED_COMMITS) {
            let first_line = commit.message.split('\n').next().unwrap_or_default();
            text.push_str(&format!("* {first_line} ([{}]({}))\n", short_hash(commit.id), commit.url));
        }
        if count > MAX_LISTED_COMMITS {
            text.push_str(&format!("[and {} more commit(s)]", count - MAX_LISTED_COMMITS));
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// The authors with the numbers of their commits; those with the most commits come first. Authors after the first
    /// [`MAX_NAMED_AUTHORS`] share a last item, "others".
    fn authors(&self) -> Vec<(&str, usize)> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for commit in &self.commits {
            *counts.entry(commit.author).or_default() += 1;
        }
        let mut authors: Vec<(&str, usize)> = counts.into_iter().collect();
        authors.sort_by(|(name_a, count_a), (name_b, count_b)| count_b.cmp(count_a).then(name_a.cmp(name_b)));
        if authors.len() > MAX_NAMED_AUTHORS {
            let others_count = authors.drain(MAX_NAMED_AUTHORS..).map(|(_, count)| count).sum();
            authors.push(("others", others_count));
        }
        authors
    }
}

/// Returns a list such as `Ann (3), Ben (2) and Cid (1)`.
fn author_list(authors: &[(&str, usize)]) -> String {
    let items: Vec<String> = authors.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    match items.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => items.concat(),
    }
}

pub fn short_hash(hash: &str) -> &str {
    hash.char_indices().nth(SHORT_HASH_LENGTH).map_or(hash, |(end, _)| &hash[..end])
}

/// Returns the message about a tag. `action` is `pushed` or `removed`.
pub fn tag_message(user: &str, action: &str, tag: &str) -> String {
    let full_stop = if tag.ends_with(|last: char| last.is_ascii_punctuation()) { "" } else { "." };
    format!("{user} {action} tag {tag}{full_stop}")
}

/// Whether a branch is in a comma-separated list. None lists all branches.
pub fn is_branch_listed(branch: &str, branches: Option<&str>) -> bool {
    branches.is_none_or(|list| list.split(',').any(|listed| listed.trim() == branch))
}

/// An action on an issue or a pull request.
#[derive(Default)]
pub struct Activity<'a> {
    /// The name of the user who acted.
    pub user: &'a str,
    /// For example `opened`, `closed without merge`, `assigned`, `[commented](URL) on`.
    pub action: &'a str,
    /// For example `issue`, `PR`, `PR review`.
    pub kind: &'a str,
    pub url: &'a str,
    /// None for reviews and review comments.
    pub number: Option<i64>,
    /// The title of the issue or pull request; for reviews and review comments with a preposition and the number, such
    /// as `for #3 Fix the build`. None if the topic contains the title.
    pub title: Option<&'a str>,
    /// The text of the issue, pull request, comment or review, to be quoted. None or empty: nothing is quoted.
    pub message: Option<&'a str>,
    /// The current assignee of a pull request.
    pub assignee: Option<&'a str>,
    /// The user that the action assigned or unassigned.
    pub changed_assignee: Option<&'a str>,
    /// The source and the target branch of a pull request.
    pub branches: Option<(&'a str, &'a str)>,
}

impl Activity<'_> {
    pub fn to_message(&self) -> String {
        // Real servers, which run Python, write a missing assignee so.
        let changed_assignee = self.changed_assignee.unwrap_or("None");
        let assignment = match self.action {
            "assigned" => format!(" {changed_assignee} to"),
            "unassigned" => format!(" {changed_assignee} from"),
            _ => String::new(),
        };
        let title = self.title.map(|title| format!(" {title}")).unwrap_or_default();
        let number = self.number.map(|number| format!(" #{number}")).unwrap_or_default();
        let Self { user, action, kind, url, .. } = self;
        let mut text = format!("{user} {action}{assignment} [{kind}{number}{title}]({url})");
        if let Some((from, to)) = self.branches {
            text.push_str(&format!(" from `{from}` to `{to}`"));
        }
        if let Some(assignee) = self.assignee {
            text.push_str(&format!(" (assigned to {assignee})"));
        }
        let message = self.message.filter(|message| !message.is_empty());
        // A title that ends with punctuation, with nothing after it, gets neither a full stop nor the colon before a
        // quotation.
        let title_has_punctuation =
            self.title.is_some_and(|title| title.ends_with(|last: char| last.is_ascii_punctuation()));
        if self.assignee.is_some() || self.branches.is_some() || !title_has_punctuation {
            text.push(if message.is_some() { ':' } else { '.' });
        }
        if let Some(message) = message {
            text.push_str(&format!("\n{}", quote_block(message)));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

pub fn quote_block(text: &str) -> String {
    format!("\n~~~ quote\n{text}\n~~~")
}

/// The default topic for an issue or a pull request.
pub fn issue_topic(repository: &str, kind: &str, number: i64, title: &str) -> String {
    format!("{repository} / {kind} #{number} {title}")
}
