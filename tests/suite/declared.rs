//! What operations refuse with, held against the errors that they declare: whatever a test's journal has must be declared,
//! and what was seen is kept for `tests/table`, which finds what is declared and was never seen.

use chatdouble::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, Row};
use chatdouble::error::{Error, ErrorKind, ErrorRow};
use chatdouble::journal::Entry;
use chatdouble::world::World;
use regex::Regex;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

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

/// The messages of the error table as patterns, by the error's name.
static PATTERNS: LazyLock<HashMap<&'static str, Regex>> =
    LazyLock::new(|| Error::TABLE.iter().map(|row| (row.name, pattern(row.message))).collect());

/// Pairs of operation and error that were seen, and the file that keeps them.
static SEEN: LazyLock<Mutex<(BTreeSet<String>, std::fs::File)>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refusals.txt");
    Mutex::new((BTreeSet::new(), std::fs::File::create(path).expect("the folder of tests can be written to")))
});

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
    error.status == entry.status
        && reply["code"] == error.code
        && reply["msg"].as_str().is_some_and(|message| PATTERNS[error.name].is_match(message))
}

/// Refusals in a world's journal that their operation does not declare, a sentence each. Only worlds that speak as the table
/// does are looked at.
pub fn undeclared(world: &World) -> Vec<String> {
    let settings = world.settings();
    if settings.feature_level != NEWEST_FEATURE_LEVEL || !settings.dialect.is_neutral() {
        return Vec::new();
    }
    let is_refused = |entry: &&std::sync::Arc<Entry>| {
        entry.status >= 400 && entry.fault.is_none() && !entry.truncated && entry.status != 405 && entry.status < 500
    };
    let all = world.journal().all();
    all.iter().filter(is_refused).filter_map(|entry| look(entry)).collect()
}

fn look(entry: &Entry) -> Option<String> {
    let is_row = |row: &&Row| Some(row.route.path) == entry.route && row.route.method == entry.method;
    let row = OPERATIONS.iter().find(is_row)?;
    let name = format!("{} {}", row.route.method, row.route.path);
    let declared: Vec<&str> = row
        .about
        .errors
        .iter()
        .map(|kind| kind.row())
        .filter(|error| fits(error, entry))
        .map(|error| error.name)
        .collect();
    let (seen, file) = &mut *SEEN.lock().expect("no test panics while it is held");
    for error in &declared {
        let line = format!("{name}\t{error}\n");
        if seen.insert(line.clone()) {
            file.write_all(line.as_bytes()).expect("the file can be written to");
        }
    }
    let is_of_all = OF_ALL.iter().any(|kind| fits(kind.row(), entry));
    (declared.is_empty() && !is_of_all)
        .then(|| format!("{name} does not declare what it refused with: {}", entry.reply.value()))
}
