//! Rules about requests that cost more than necessary.

use super::SECOND;
use super::known_queues::{KnownQueue, KnownQueues};
use crate::report::finding::Findings;
use crate::report::latest_items::LatestItems;
use crate::report::observation::{Moment, Observation, stable_hash};
use crate::report::rule::{Rule, Severity};
use serde_json::Value;

/// A client breaks `whole-history-fetched` if it fetches a conversation to its end in at least this number of pages.
const MIN_PAGES: u32 = 5;
/// A client breaks `whole-history-fetched` with this number of pages in a row even before the end.
const MIN_PAGES_BEFORE_END: u32 = 20;
/// Pages count as one loop if each follows the previous one within this time.
const MAX_PAGE_INTERVAL: i64 = 10 * SECOND;
/// A client breaks `flags-one-by-one` with this number of requests that change the flag of a single message.
const MIN_FLAG_CHANGES: u32 = 10;
/// The time within which these requests are sent.
const FLAG_CHANGES_SPAN: i64 = 10 * SECOND;
/// A client breaks `users-fetched-again` with this number of requests for all users.
const MIN_USER_FETCHES: u32 = 3;
/// The time within which these requests are sent.
const USER_FETCHES_SPAN: i64 = 600 * SECOND;

pub const RULES: &[&Rule] =
    &[&WHOLE_HISTORY_FETCHED, &FLAGS_ONE_BY_ONE, &USERS_FETCHED_AGAIN, &REGISTER_EVERYTHING, &CAPABILITY_UNDECLARED];

static WHOLE_HISTORY_FETCHED: Rule = Rule {
    name: "whole-history-fetched",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Fetched a conversation to its end in a loop",
    why: "Large organizations have millions of messages: the client takes hours, and loads the server's database all the time.",
    help: "Fetch a page where the user is, and further ones as the user scrolls.",
    example: "GET /messages with an ever older anchor, five times, until found_oldest",
    test: "history_is_fetched_as_it_is_read",
};
static FLAGS_ONE_BY_ONE: Rule = Rule {
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
static USERS_FETCHED_AGAIN: Rule = Rule {
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
static REGISTER_EVERYTHING: Rule = Rule {
    name: "register-everything",
    severity: Severity::Note,
    since: 0,
    removed_in: None,
    what: "Registered for every type of events and all state, which clients without a user interface hardly need",
    why: "The reply holds the whole organization, and every event of presence or typing wakes the client.",
    help: "Name what is used in event_types and fetch_event_types.",
    example: "POST /register without event_types, fetch_event_types and client_capabilities",
    test: "registering_names_what_is_used",
};
static CAPABILITY_UNDECLARED: Rule = Rule {
    name: "capability-undeclared",
    severity: Severity::Note,
    since: 13,
    removed_in: None,
    what: "Registered without the capability {}",
    why: "The server sends the older, longer or poorer form of events, which later servers may drop, or none: typing in channels.",
    help: "Declare it in client_capabilities once the client understands it.",
    example: "POST /register with event_types=[\"delete_message\"] and no client_capabilities",
    test: "capabilities_are_declared",
};

/// The capabilities that a client should declare: name, the first level with it, and the type of events that it
/// changes.
const EXPECTED_CAPABILITIES: &[(&str, i64, &str)] = &[
    ("bulk_message_deletion", 13, "delete_message"),
    ("stream_typing_notifications", 58, "typing"),
    ("user_settings_object", 89, "user_settings"),
    ("linkifier_url_template", 176, "realm_linkifiers"),
    ("empty_topic_name", 334, "message"),
];

/// Pages of a conversation that were fetched one after the other.
#[derive(Debug)]
struct PageSeries {
    /// A hash of the narrow and the direction.
    conversation: u64,
    /// The anchor of the latest page.
    anchor: i64,
    count: u32,
    /// The time of the reply with the latest page.
    last_reply_at: Moment,
}

/// Changes of a flag of single messages.
#[derive(Debug)]
struct FlagChangeSeries {
    /// A hash of the flag and its change.
    change: u64,
    count: u32,
    first_reply_at: Moment,
}

/// Requests for all users.
#[derive(Debug)]
struct UserFetchSeries {
    count: u32,
    first_reply_at: Moment,
}

#[derive(Debug, Default)]
pub struct Memory {
    pages: LatestItems<PageSeries, 4>,
    flag_change_series: Option<FlagChangeSeries>,
    user_fetch_series: Option<UserFetchSeries>,
}

impl Memory {
    pub fn check(&mut self, queues: &KnownQueues, request: &Observation<'_>, findings: &mut Findings) {
        let entry = request.entry;
        if !request.is_success() {
            return;
        }
        match (&*entry.method, entry.route) {
            ("GET", Some("/messages")) => self.check_page(request, findings),
            ("POST", Some("/messages/flags")) => self.check_flag_change(request, findings),
            ("GET", Some("/users")) => self.check_user_fetch(queues, request, findings),
            ("POST", Some("/register")) => {
                self.user_fetch_series = None;
                check_registration(request, findings);
            }
            _ => {}
        }
    }

    fn check_page(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let number = |name: &str| request.param(name).and_then(|number| number.parse::<i64>().ok()).unwrap_or(0);
        let is_backwards = number("num_before") >= number("num_after");
        // Where other anchors are is not known: they begin a new series.
        let anchor = match request.param("anchor") {
            Some("oldest") => 0,
            Some("newest") => i64::MAX,
            Some(id) => id.parse().unwrap_or(i64::MAX),
            None => i64::MAX,
        };
        let conversation = stable_hash(&(request.param("narrow"), is_backwards));
        let series = self.pages.take(|series| series.conversation == conversation);
        let continues_series = |series: &PageSeries| {
            let has_advanced = if is_backwards { anchor < series.anchor } else { anchor > series.anchor };
            has_advanced
                && request.is_after(series.last_reply_at)
                && request.waited_since(series.last_reply_at) < MAX_PAGE_INTERVAL
        };
        let count = series.filter(continues_series).map_or(1, |series| series.count + 1);
        let end_marker = if is_backwards { br#""found_oldest":true"#.as_slice() } else { br#""found_newest":true"# };
        let is_end = count >= MIN_PAGES && memchr::memmem::find(request.reply, end_marker).is_some();
        if is_end || count == MIN_PAGES_BEFORE_END {
            findings.add(&WHOLE_HISTORY_FETCHED, "", request);
        }
        self.pages.push(PageSeries { conversation, anchor, count, last_reply_at: request.reply_sent_at });
    }

    fn check_flag_change(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let is_single = request.param("messages").is_some_and(|ids| !ids.contains(','));
        let change = stable_hash(&(request.param("op"), request.param("flag")));
        self.flag_change_series = match self.flag_change_series.take() {
            _ if !is_single => None,
            Some(FlagChangeSeries { change: previous_change, count, first_reply_at })
                if previous_change == change && request.waited_since(first_reply_at) < FLAG_CHANGES_SPAN =>
            {
                if count + 1 >= MIN_FLAG_CHANGES {
                    findings.add(&FLAGS_ONE_BY_ONE, "", request);
                }
                Some(FlagChangeSeries { change, count: count + 1, first_reply_at })
            }
            _ => Some(FlagChangeSeries { change, count: 1, first_reply_at: request.reply_sent_at }),
        };
    }

    fn check_user_fetch(&mut self, queues: &KnownQueues, request: &Observation<'_>, findings: &mut Findings) {
        let receives_user_events =
            |queue: &KnownQueue| queue.has_user_events && queue.is_alive() && (request.is_queue_alive)(&queue.id);
        if request.param("user_ids").is_some() || !queues.iter().any(receives_user_events) {
            return;
        }
        self.user_fetch_series = match self.user_fetch_series.take() {
            Some(UserFetchSeries { count, first_reply_at })
                if request.waited_since(first_reply_at) < USER_FETCHES_SPAN =>
            {
                if count + 1 >= MIN_USER_FETCHES {
                    findings.add(&USERS_FETCHED_AGAIN, "", request);
                }
                Some(UserFetchSeries { count: count + 1, first_reply_at })
            }
            _ => Some(UserFetchSeries { count: 1, first_reply_at: request.reply_sent_at }),
        };
    }
}

fn check_registration(request: &Observation<'_>, findings: &mut Findings) {
    let requested_types = request.param("event_types").or_else(|| request.param("fetch_event_types"));
    let capabilities = request.param("client_capabilities");
    if requested_types.is_none() && capabilities.is_none() {
        return findings.add(&REGISTER_EVERYTHING, "", request);
    }
    let declared_capabilities: Value =
        capabilities.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    for (name, since, event_type) in EXPECTED_CAPABILITIES.iter().filter(|(_, since, _)| *since <= request.facts.level)
    {
        let is_relevant = match request.param("event_types") {
            // Clients that declare no capabilities are mostly bots, to which empty names of topics make no difference.
            Some(_) if *event_type == "message" && capabilities.is_none() => false,
            Some(event_types) => event_types.contains(&format!("\"{event_type}\"")),
            None => capabilities.is_some(),
        };
        if is_relevant && declared_capabilities[name] != true {
            findings.add(&CAPABILITY_UNDECLARED, &format!("{name}, known since level {since}"), request);
        }
    }
}
