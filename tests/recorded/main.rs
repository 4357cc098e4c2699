//! What a real server at feature level 247 answered, held against the double at that level.
//!
//! `exchanges/` holds the recordings: requests, replies, and the events that several users' queues then had. Each one is
//! played on a server of its own. What differs must have a row in `causes/`; `docs/fidelity.md` counts the rest.

mod cause;
mod compare;
mod events;
mod numbers;
mod player;
mod recording;
mod sender;
mod summary;

use cause::{Cause, Kind};
use player::Played;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The recordings, in the order of the summary.
const RECORDINGS: &[&str] = &[
    "s_state",
    "s_errors",
    "s_messages",
    "s_flows",
    "s_extra",
    "s_guests",
    "r_policies",
    "s_markdown",
    "r_markdown-11",
    "r_search-11",
    "r_random-11",
    "r_random-12",
    "r_random-13",
    "r_random-14",
];

/// Names the recordings to play, separated by commas, and has their differences printed.
const CHOICE: &str = "CHATDOUBLE_RECORDED";

fn choice() -> Option<Vec<String>> {
    let text = std::env::var(CHOICE).ok()?;
    let names: Vec<String> = text.split(',').map(str::to_owned).collect();
    let unknown = names.iter().find(|name| !RECORDINGS.iter().any(|one| one == name));
    assert!(unknown.is_none(), "{CHOICE}: no recording is called {unknown:?}; there are {}", RECORDINGS.join(", "));
    Some(names)
}

/// Everything played once, whichever test asks first.
static PLAYED: LazyLock<Vec<Played>> = LazyLock::new(|| {
    let chosen = choice();
    let names =
        RECORDINGS.iter().filter(|name| chosen.as_ref().is_none_or(|chosen| chosen.iter().any(|one| one == *name)));
    std::thread::scope(|scope| {
        let threads: Vec<_> = names.map(|name| scope.spawn(|| player::play_blocking(name))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the recording can be played")).collect()
    })
});

/// Of each recording, exchange and difference, the position of the cause that explains it.
static EXPLAINED: LazyLock<Vec<Vec<Vec<Option<usize>>>>> = LazyLock::new(|| {
    let explain = |played: &Played| -> Vec<Vec<Option<usize>>> {
        let exchanges = played.outcomes.iter();
        exchanges
            .map(|outcome| {
                outcome.differences.iter().map(|one| cause::find(&CAUSES, played.name, outcome, one)).collect()
            })
            .collect()
    };
    PLAYED.iter().map(explain).collect()
});

static CAUSES: LazyLock<Vec<Cause>> = LazyLock::new(cause::read);

#[test]
fn every_difference_has_a_cause() {
    let mut unexplained = Vec::new();
    for (played, explained) in PLAYED.iter().zip(EXPLAINED.iter()) {
        for (outcome, causes) in played.outcomes.iter().zip(explained) {
            for (difference, _) in outcome.differences.iter().zip(causes).filter(|(_, cause)| cause.is_none()) {
                unexplained.push((played.name, outcome, difference));
            }
        }
    }
    if choice().is_some() {
        print!("{}", summary::differences(&PLAYED, &EXPLAINED, &CAUSES));
    }
    assert!(
        unexplained.is_empty(),
        "{} differences have no row in tests/recorded/causes; {CHOICE}=NAME shows those of a recording by cause:\n{}",
        unexplained.len(),
        summary::grouped(&unexplained)
    );
}

#[test]
fn every_cause_explains_a_difference() {
    if choice().is_some() {
        return;
    }
    let used: BTreeSet<usize> = EXPLAINED.iter().flatten().flatten().filter_map(|cause| *cause).collect();
    let idle: Vec<String> =
        CAUSES.iter().enumerate().filter(|(at, _)| !used.contains(at)).map(|(_, cause)| cause.to_string()).collect();
    assert!(idle.is_empty(), "rows of tests/recorded/causes that nothing needs any more:\n{}", idle.join("\n"));
}

#[test]
fn declared_causes_name_an_assumption() {
    let assumptions = std::fs::read_to_string(summary::path("docs/assumptions.md")).expect("there");
    for cause in CAUSES.iter() {
        let is_known = |number: &str| assumptions.contains(&format!("| {number} |"));
        match cause.kind {
            Kind::Declared => assert!(cause.assumption.as_deref().is_some_and(is_known), "{cause}: no such assumption"),
            Kind::Wrong => assert!(cause.finding.is_some(), "{cause}: no finding"),
            Kind::Setup | Kind::Words => {}
        }
    }
}

#[test]
fn the_summary_is_up_to_date() {
    if choice().is_some() {
        return;
    }
    let table = summary::table(&PLAYED, &EXPLAINED, &CAUSES);
    let path = summary::path("docs/fidelity.md");
    let document = std::fs::read_to_string(&path).expect("the document is there");
    let renewed = summary::with_table(&document, &table);
    if std::env::var_os("CHATDOUBLE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, renewed).expect("the document can be written");
        return;
    }
    assert!(
        document == renewed,
        "docs/fidelity.md is stale: CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded\n{table}"
    );
}
