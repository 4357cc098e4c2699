//! What operations refuse with and which events they send, held against what they declare: whatever a test's journal has
//! must be declared, and what was seen is kept for `tests/table`, which finds what is declared and was never seen.

use chatdouble::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, OperationRow};
use chatdouble::error::{Error, ErrorKind, ErrorRow};
use chatdouble::journal::{Entry, MAX_TEXT_BYTES};
use chatdouble::realm::event::EventKind;
use chatdouble::world::{WatchFrame, World};
use regex::Regex;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{LazyLock, Mutex};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;

/// What any operation may refuse with before it begins: credentials, rights that `for …` names, the form of parameters.
const OF_ALL: &[ErrorKind] = &[
    ErrorKind::AdministratorRequired,
    ErrorKind::BadValue,
    ErrorKind::BasicAuthenticationRequired,
    ErrorKind::BodyTooLarge,
    ErrorKind::BotsNotAllowed,
    ErrorKind::BotsOnly,
    ErrorKind::ConfusingParameter,
    ErrorKind::CsrfFailed,
    ErrorKind::GuestsNotAllowed,
    ErrorKind::InvalidApiKey,
    ErrorKind::InvalidAuthorizationHeader,
    ErrorKind::InvalidValue,
    ErrorKind::InvalidValueBecause,
    ErrorKind::MalformedApiKey,
    ErrorKind::MalformedBody,
    ErrorKind::MissingParameter,
    ErrorKind::NotLoggedIn,
    ErrorKind::OwnerRequired,
    ErrorKind::ParameterNullBytes,
    ErrorKind::RealmDeactivated,
    ErrorKind::UserDeactivated,
    ErrorKind::WebhookBotNotAllowed,
];

/// What the relay of push notifications refuses with; it does so by a fault alone.
const OF_RELAY: &[ErrorKind] =
    &[ErrorKind::InternalRelayFailure, ErrorKind::RelayUnreachable, ErrorKind::RelayAdminActionRequired];

/// Events that go to an account that the request made, and which has no queue yet.
const OF_NEW_ACCOUNTS: &[(&str, EventKind)] = &[("POST /users", EventKind::SubscriptionAdd)];

/// The messages of the error table as patterns, by the error's name.
static PATTERNS: LazyLock<HashMap<&'static str, Regex>> =
    LazyLock::new(|| Error::TABLE.iter().map(|row| (row.name, pattern(row.message))).collect());

static SEEN_REFUSALS: LazyLock<Mutex<Seen>> = LazyLock::new(|| Seen::kept_in("refusals.txt"));
static SEEN_EVENTS: LazyLock<Mutex<Seen>> = LazyLock::new(|| Seen::kept_in("events.txt"));

/// Pairs of an operation and what it did, and the file that keeps them for `tests/table`.
struct Seen {
    lines: BTreeSet<String>,
    file: File,
}

impl Seen {
    fn kept_in(name: &str) -> Mutex<Self> {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut file = File::create(path).expect("the folder of tests can be written to");
        if is_filtered(std::env::args().skip(1)) {
            file.write_all(b"filtered\n").expect("the file can be written to");
        }
        Mutex::new(Self { lines: BTreeSet::new(), file })
    }

    fn note(&mut self, row: &OperationRow, what: &str) {
        let line = format!("{}\t{what}\n", way(row));
        if self.lines.insert(line.clone()) {
            self.file.write_all(line.as_bytes()).expect("the file can be written to");
        }
    }
}

/// Whether the arguments of this program leave tests out.
fn is_filtered(mut arguments: impl Iterator<Item = String>) -> bool {
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--test-threads" | "--format" | "--color" | "--logfile" => drop(arguments.next()),
            "--ignored" | "--skip" => return true,
            other if !other.starts_with('-') || other.starts_with("--skip=") => return true,
            _ => {}
        }
    }
    false
}

fn way(row: &OperationRow) -> String {
    format!("{} {}", row.route.method, row.route.path)
}

fn pattern(message: &str) -> Regex {
    let mut text = String::from("(?s)^");
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        text += &regex::escape(before);
        text += ".*";
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    Regex::new(&(text + &regex::escape(rest) + "$")).expect("a well-formed pattern")
}

fn fits(error: &ErrorRow, entry: &Entry) -> bool {
    let reply = entry.reply.value();
    // Clients of Slack know no codes.
    says(error, entry) && (reply["code"] == error.code || reply["ok"] == false)
}

/// Whether an error has the status and the words; older levels have other codes.
fn says(error: &ErrorRow, entry: &Entry) -> bool {
    let reply = entry.reply.value();
    let text = reply["msg"].as_str().or_else(|| reply["error"].as_str());
    error.status == entry.status && text.is_some_and(|message| PATTERNS[error.name].is_match(message))
}

fn fits_any(kinds: &[ErrorKind], entry: &Entry) -> bool {
    kinds.iter().any(|kind| fits(kind.row(), entry))
}

fn operation(entry: &Entry) -> Option<&'static OperationRow> {
    OPERATIONS.iter().find(|row| Some(row.route.path) == entry.route && row.route.method == entry.method)
}

fn is_newest(world: &World) -> bool {
    world.settings().feature_level == NEWEST_FEATURE_LEVEL
}

/// Refusals in a world's journal that their operation does not declare, a sentence each. Only worlds that speak as the table
/// does are looked at: at the newest level, and for operations that it does not have any more at older ones.
pub fn undeclared(world: &World) -> Vec<String> {
    if !world.settings().dialect.is_neutral() {
        return Vec::new();
    }
    let is_newest = is_newest(world);
    let is_refused = |entry: &&std::sync::Arc<Entry>| {
        let is_whole = entry.reply.0.len() < MAX_TEXT_BYTES;
        // Any operation may be refused by a limit of requests.
        let is_of_operation = !matches!(entry.status, 405 | 429);
        let is_refusal = entry.status >= 400 || entry.reply.value()["result"] == "error";
        is_refusal && is_of_operation && is_whole && (entry.fault.is_none() || fits_any(OF_RELAY, entry))
    };
    let all = world.journal().all();
    let refused = all.iter().filter(is_refused).filter_map(|entry| Some((operation(entry)?, entry)));
    let looked_at = refused.filter(|(row, _)| is_newest || !row.exists_at(NEWEST_FEATURE_LEVEL));
    let undeclared = looked_at.filter_map(|(row, entry)| look(row, entry));
    undeclared.filter(|_| is_newest).collect()
}

fn look(row: &OperationRow, entry: &Entry) -> Option<String> {
    let fits_here = if row.exists_at(NEWEST_FEATURE_LEVEL) { fits } else { says };
    let declared = row.docs.errors.iter().map(|kind| kind.row()).filter(|error| fits_here(error, entry));
    let mut is_declared = false;
    for error in declared {
        is_declared = true;
        SEEN_REFUSALS.lock().expect("no test panics while it is held").note(row, error.name);
    }
    (!is_declared && entry.status < 500 && !fits_any(OF_ALL, entry))
        .then(|| format!("{} does not declare what it refused with: {}", way(row), entry.reply.value()))
}

/// What happens in a world, looked at when its test ends.
pub struct Watch(Receiver<WatchFrame>);

impl Watch {
    /// Watches from now on.
    pub fn of(world: &World) -> Self {
        Self(world.watch())
    }

    /// Events that a request caused and its operation does not declare, a sentence each. Of very long tests some may have
    /// been forgotten.
    pub fn undeclared(&mut self, world: &World) -> Vec<String> {
        if !is_newest(world) || !world.settings().dialect.is_neutral() {
            return Vec::new();
        }
        let mut undeclared = Vec::new();
        // By the position of the event that is to follow: what time causes has no request.
        let mut causes: HashMap<u64, &OperationRow> = HashMap::new();
        loop {
            match self.0.try_recv() {
                Ok(WatchFrame::Request(entry)) => {
                    let row = operation(&entry).into_iter();
                    causes.extend(row.flat_map(|row| entry.events.clone().map(move |position| (position, row))));
                }
                Ok(WatchFrame::Event(position, entry)) => {
                    let kind = entry.event.kind;
                    match causes.remove(&position) {
                        Some(row) if row.docs.events.contains(&kind) => {
                            SEEN_EVENTS.lock().expect("no test panics while it is held").note(row, kind.text());
                        }
                        Some(row) if !OF_NEW_ACCOUNTS.contains(&(way(row).as_str(), kind)) => {
                            undeclared.push(format!("{} does not declare {}", way(row), kind.text()));
                        }
                        _ => {}
                    }
                }
                Ok(_) => {}
                Err(TryRecvError::Lagged(_)) => causes.clear(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return undeclared,
            }
        }
    }
}

#[test]
fn a_run_that_leaves_tests_out_is_recognized_by_its_arguments() {
    let is_filtered = |arguments: &str| is_filtered(arguments.split_whitespace().map(str::to_owned));
    for arguments in ["refusals", "--exact refusals::bots", "--nocapture drafts", "--skip endurance", "--ignored"] {
        assert!(is_filtered(arguments), "{arguments}");
    }
    for arguments in ["", "--nocapture", "--test-threads 1", "--test-threads=1 --format terse"] {
        assert!(!is_filtered(arguments), "{arguments}");
    }
}
