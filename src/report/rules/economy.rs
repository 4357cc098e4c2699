//! Rules about what costs more than it has to.

use super::SECOND;
use super::known_queues::{KnownQueue, KnownQueues};
use crate::report::finding::Findings;
use crate::report::memory::Latest;
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{Past, Seen};
use serde_json::Value;

/// Pages of a conversation that nobody reads in one go, and how soon one follows the other.
const PAGES: u32 = 5;
const PAGE_WITHIN: i64 = 10 * SECOND;
/// Pages after which a conversation need not have come to its end.
const MANY_PAGES: u32 = 20;
/// Messages that are marked one by one within this time.
const MARKS: u32 = 10;
const MARKS_WITHIN: i64 = 10 * SECOND;
/// Requests for all users since registering, within this time.
const USERS: u32 = 3;
const USERS_WITHIN: i64 = 600 * SECOND;

/// The rows.
pub const RULES: &[&Rule] = &[&HISTORY, &ONE_BY_ONE, &ALL_USERS, &EVERYTHING, &CAPABILITIES];

static HISTORY: Rule = Rule {
    name: "whole-history-fetched",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Fetched a conversation to its end in a loop",
    why: "Large organizations have millions of messages: the client takes hours and the server's database with it.",
    help: "Fetch a page where the user is, and further ones as the user scrolls.",
    example: "GET /messages with an ever older anchor, five times, until found_oldest",
    test: "history_is_fetched_as_it_is_read",
};
static ONE_BY_ONE: Rule = Rule {
    name: "flags-one-by-one",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Changed a flag of messages one by one",
    why: "Each request is a transaction, and an event for all clients of the user.",
    help: "Send the IDs as one list, or use POST /messages/flags/narrow.",
    example: "POST /messages/flags with messages=[1], then [2], …, ten times within ten seconds",
    test: "flags_are_changed_together",
};
static ALL_USERS: Rule = Rule {
    name: "users-fetched-again",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Fetched all users again although its queue tells of changes",
    why: "The list is the longest reply of large organizations.",
    help: "Apply the events realm_user to the list of the register reply, or to the first one fetched.",
    example: "POST /register; GET /users, three times within ten minutes",
    test: "users_are_fetched_once",
};
static EVERYTHING: Rule = Rule {
    name: "register-everything",
    severity: Severity::Note,
    since: 0,
    removed_in: None,
    what: "Registered for every type of events and all state, as clients without an interface hardly need",
    why: "The reply holds the whole organization, and every event of presence or typing wakes the client.",
    help: "Name what is used in event_types and fetch_event_types.",
    example: "POST /register without event_types, fetch_event_types and client_capabilities",
    test: "registering_names_what_is_used",
};
static CAPABILITIES: Rule = Rule {
    name: "capability-undeclared",
    severity: Severity::Note,
    since: 13,
    removed_in: None,
    what: "Registered without the capability {}",
    why: "The server sends the older, longer or poorer form of events, which later servers may drop.",
    help: "Declare it in client_capabilities once the client understands it.",
    example: "POST /register with event_types=[\"delete_message\"] and no client_capabilities",
    test: "capabilities_are_declared",
};

/// Capabilities that today's clients declare: the first level that has each, and the type of events that it changes.
const DECLARED: &[(&str, i64, &str)] = &[
    ("bulk_message_deletion", 13, "delete_message"),
    ("stream_typing_notifications", 58, "typing"),
    ("user_settings_object", 89, "user_settings"),
    ("linkifier_url_template", 176, "realm_linkifiers"),
    ("empty_topic_name", 334, "message"),
];

#[derive(Debug)]
struct Pages {
    /// The narrow, and whether older or newer messages are fetched.
    conversation: u64,
    anchor: i64,
    count: u32,
    last: Past,
}

/// What is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    pages: Latest<Pages, 4>,
    /// The flag and what is done with it, how often, and since when.
    marks: Option<(u64, u32, Past)>,
    users: Option<(u32, Past)>,
}

impl Memory {
    /// Judges a request.
    pub fn judge(&mut self, queues: &KnownQueues, seen: &Seen<'_>, findings: &mut Findings) {
        let entry = seen.entry;
        if !seen.is_success() {
            return;
        }
        match (&*entry.method, entry.route) {
            ("GET", Some("/messages")) => self.judge_page(seen, findings),
            ("POST", Some("/messages/flags")) => self.judge_mark(seen, findings),
            ("GET", Some("/users")) => self.judge_users(queues, seen, findings),
            ("POST", Some("/register")) => {
                self.users = None;
                judge_registration(seen, findings);
            }
            _ => {}
        }
    }

    fn judge_page(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let count = |name: &str| seen.param(name).and_then(|count| count.parse::<i64>().ok()).unwrap_or(0);
        let is_backwards = count("num_before") >= count("num_after");
        let anchor = match seen.param("anchor") {
            Some("oldest") => 0,
            Some("newest") => i64::MAX,
            Some(id) => id.parse().unwrap_or(i64::MAX),
            None => i64::MAX,
        };
        let conversation = crate::report::seen::hash(&(seen.param("narrow"), is_backwards));
        let known = self.pages.take(|pages| pages.conversation == conversation);
        let goes_on = |pages: &Pages| {
            let is_further = if is_backwards { anchor < pages.anchor } else { anchor > pages.anchor };
            is_further && seen.is_after(pages.last) && seen.waited(pages.last) < PAGE_WITHIN
        };
        let count = known.filter(goes_on).map_or(1, |pages| pages.count + 1);
        let end = if is_backwards { br#""found_oldest":true"#.as_slice() } else { br#""found_newest":true"# };
        let is_end = count >= PAGES && memchr::memmem::find(seen.reply, end).is_some();
        if is_end || count == MANY_PAGES {
            findings.add(&HISTORY, "", seen);
        }
        self.pages.push(Pages { conversation, anchor, count, last: seen.sent });
    }

    fn judge_mark(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let is_single = seen.param("messages").is_some_and(|ids| !ids.contains(','));
        let change = crate::report::seen::hash(&(seen.param("op"), seen.param("flag")));
        self.marks = match self.marks {
            _ if !is_single => None,
            Some((same, count, since)) if same == change && seen.waited(since) < MARKS_WITHIN => {
                if count + 1 >= MARKS {
                    findings.add(&ONE_BY_ONE, "", seen);
                }
                Some((same, count + 1, since))
            }
            _ => Some((change, 1, seen.sent)),
        };
    }

    fn judge_users(&mut self, queues: &KnownQueues, seen: &Seen<'_>, findings: &mut Findings) {
        // Some users only are another question.
        let tells = |queue: &KnownQueue| queue.tells_of_users && queue.is_alive() && (seen.is_alive)(&queue.id);
        if seen.param("user_ids").is_some() || !queues.iter().any(tells) {
            return;
        }
        self.users = match self.users {
            Some((count, since)) if seen.waited(since) < USERS_WITHIN => {
                if count + 1 >= USERS {
                    findings.add(&ALL_USERS, "", seen);
                }
                Some((count + 1, since))
            }
            _ => Some((1, seen.sent)),
        };
    }
}

fn judge_registration(seen: &Seen<'_>, findings: &mut Findings) {
    let types = seen.param("event_types").or_else(|| seen.param("fetch_event_types"));
    let capabilities = seen.param("client_capabilities");
    if types.is_none() && capabilities.is_none() {
        return findings.add(&EVERYTHING, "", seen);
    }
    let declared: Value = capabilities.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    for (name, since, kind) in DECLARED.iter().filter(|(_, since, _)| *since <= seen.facts.level) {
        let concerns = match seen.param("event_types") {
            // A bot that reads messages has nothing from the name of the empty topic.
            Some(_) if *kind == "message" && capabilities.is_none() => false,
            Some(types) => types.contains(&format!("\"{kind}\"")),
            None => capabilities.is_some(),
        };
        if concerns && declared[name] != true {
            findings.add(&CAPABILITIES, &format!("{name}, known since level {since}"), seen);
        }
    }
}
