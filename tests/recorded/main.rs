//! What a real server answered at two feature levels, held against the double at these levels.
//!
//! `247/` and `387/` hold the recordings: requests, replies, and the events that several users' queues then had. Each one
//! is played on a server of its own. What differs must have a row in `causes/` or in the level's own `causes/`;
//! `docs/fidelity.md` counts the rest.

mod cause;
mod compare;
mod events;
mod level;
mod manifest;
mod numbers;
mod player;
mod recording;
mod sender;
mod summary;

use cause::{Cause, Kind};
use level::{LEVELS, Level};
use player::Played;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Names the recordings to play, separated by commas, and has their differences printed: `387`, `247/s_state`, `s_more`.
const CHOICE: &str = "CHATDOUBLE_RECORDED";

fn choice() -> Option<Vec<String>> {
    let text = std::env::var(CHOICE).ok()?;
    let names: Vec<String> = text.split(',').map(str::to_owned).collect();
    let all = || LEVELS.iter().flat_map(|level| level.recordings.iter().map(move |recording| (level, *recording)));
    let unknown = names.iter().find(|name| !all().any(|(level, recording)| level.is_meant(recording, name)));
    let known: Vec<String> = all().map(|(level, recording)| format!("{}/{recording}", level.number)).collect();
    assert!(unknown.is_none(), "{CHOICE}: no recording is called {unknown:?}; there are {}", known.join(", "));
    Some(names)
}

/// The recordings of a level, played.
pub struct Run {
    /// The level.
    pub level: &'static Level,
    /// The rows that may explain a difference.
    pub causes: Vec<Cause>,
    /// What was played.
    pub played: Vec<Played>,
    /// Of each recording, exchange and difference, the position of the cause that explains it.
    pub explained: Vec<Vec<Vec<Option<usize>>>>,
}

/// Everything played once, whichever test asks first.
static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| LEVELS.iter().map(run).collect());

fn run(level: &'static Level) -> Run {
    let chosen = choice();
    let is_chosen = |name: &&&'static str| {
        chosen.as_ref().is_none_or(|chosen| chosen.iter().any(|choice| level.is_meant(name, choice)))
    };
    let names = level.recordings.iter().filter(is_chosen);
    let played: Vec<Played> = std::thread::scope(|scope| {
        let threads: Vec<_> = names.map(|name| scope.spawn(move || player::play_blocking(level, name))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the recording can be played")).collect()
    });
    let causes = cause::read(level);
    let explain = |played: &Played| -> Vec<Vec<Option<usize>>> {
        let exchanges = played.outcomes.iter();
        exchanges
            .map(|outcome| {
                outcome.differences.iter().map(|one| cause::find(&causes, played.name, outcome, one)).collect()
            })
            .collect()
    };
    let explained = played.iter().map(explain).collect();
    Run { level, causes, played, explained }
}

#[test]
fn every_difference_has_a_cause() {
    let mut unexplained = Vec::new();
    for run in RUNS.iter() {
        for (played, explained) in run.played.iter().zip(&run.explained) {
            for (outcome, causes) in played.outcomes.iter().zip(explained) {
                for (difference, _) in outcome.differences.iter().zip(causes).filter(|(_, cause)| cause.is_none()) {
                    unexplained.push((format!("{}/{}", run.level.number, played.name), outcome, difference));
                }
            }
        }
        if choice().is_some() {
            print!("{}", summary::differences(run));
        }
    }
    assert!(
        unexplained.is_empty(),
        "{} differences have no row in the causes of tests/recorded; {CHOICE}=NAME shows those of a recording by cause:\n{}",
        unexplained.len(),
        summary::grouped(&unexplained)
    );
}

#[test]
fn every_cause_explains_a_difference() {
    if choice().is_some() {
        return;
    }
    let used = |run: &Run| {
        let positions = run.explained.iter().flatten().flatten().filter_map(|cause| *cause);
        positions.map(|position| run.causes[position].to_string()).collect::<BTreeSet<String>>()
    };
    let used: BTreeSet<String> = RUNS.iter().flat_map(used).collect();
    let all: BTreeSet<String> = RUNS.iter().flat_map(|run| &run.causes).map(ToString::to_string).collect();
    let idle: Vec<&str> = all.difference(&used).map(String::as_str).collect();
    assert!(idle.is_empty(), "causes in tests/recorded that nothing needs any more:\n{}", idle.join("\n"));
}

#[test]
fn declared_causes_name_an_assumption() {
    let assumptions = std::fs::read_to_string(summary::path("docs/assumptions.md")).expect("there");
    for cause in RUNS.iter().flat_map(|run| &run.causes) {
        let is_known = |number: &str| assumptions.contains(&format!("| {number} |"));
        match cause.kind {
            Kind::Declared => assert!(cause.assumption.as_deref().is_some_and(is_known), "{cause}: no such assumption"),
            Kind::Wrong => assert!(cause.finding.is_some(), "{cause}: no finding"),
            Kind::Setup | Kind::Recording | Kind::Words => {}
        }
    }
}

#[test]
fn the_summary_is_up_to_date() {
    if choice().is_some() {
        return;
    }
    let path = summary::path("docs/fidelity.md");
    let document = std::fs::read_to_string(&path).expect("the document is there");
    let renewed = RUNS.iter().fold(document.clone(), |document, run| summary::with_table(&document, run));
    if std::env::var_os("CHATDOUBLE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, renewed).expect("the document can be written");
        return;
    }
    assert!(document == renewed, "docs/fidelity.md is stale: CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded");
}

#[test]
fn the_manifest_is_up_to_date() {
    if choice().is_some() {
        return;
    }
    let found = manifest::of(&RUNS);
    let readme = std::fs::read_to_string(summary::path("README.md")).expect("there");
    let made = [
        ("src/control/fidelity.json", manifest::data(&found)),
        ("docs/reference/fidelity.md", manifest::page(&found)),
        ("README.md", manifest::with_totals(&readme, &found)),
    ];
    for (name, text) in made {
        let path = summary::path(name);
        if std::env::var_os("CHATDOUBLE_UPDATE_DOCS").is_some() {
            std::fs::write(&path, text).expect("the file can be written");
            continue;
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == text, "{name} is stale: CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded");
    }
}
