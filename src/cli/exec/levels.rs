//! A command against servers of several feature levels, a run for each.

use super::attempt::{Attempt, Attempted};
use crate::api::NEWEST_FEATURE_LEVEL;
use crate::cli::CliError;
use crate::cli::output::tell;
use crate::level::{Suspect, Usage};
use clap::Args;
use futures_util::{StreamExt, TryStreamExt, stream};
use std::process::ExitCode;

/// Changes of which nothing was seen are listed up to here.
const MOST_UNSEEN: usize = 10;
/// The most runs of one list.
const MOST_LEVELS: usize = 1_000;

/// Which levels, and how many runs at the same time.
#[derive(Debug, Args)]
pub struct Levels {
    /// Run the command once for each of these feature levels, each time against a fresh server, and show a table at the
    /// end; a comma separates levels and ranges: 371,421,newest or 371..387
    #[arg(long, value_name = "LIST", conflicts_with_all = ["chaos", "feature_level"], value_parser = list)]
    levels: Option<LevelList>,

    /// Number of levels that run at the same time; each line of the command's output then begins with its level
    #[arg(long, value_name = "N", default_value_t = 1, requires = "levels", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
}

/// Levels in the order in which they were given, each once.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelList(Vec<i64>);

/// Reads a list such as `371..387,421,newest`.
fn list(text: &str) -> Result<LevelList, String> {
    let mut levels = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = match part.split_once("..") {
            Some((first, last)) => (level(first)?, level(last)?),
            None => (level(part)?, level(part)?),
        };
        if first > last {
            return Err(format!("{part}: takes the older level first"));
        }
        if last - first >= MOST_LEVELS as i64 {
            return Err(format!("{part}: takes at most {MOST_LEVELS} levels"));
        }
        levels.extend((first..=last).filter(|level| !levels.contains(level)).collect::<Vec<_>>());
    }
    if levels.len() > MOST_LEVELS { Err(format!("takes at most {MOST_LEVELS} levels")) } else { Ok(LevelList(levels)) }
}

fn level(text: &str) -> Result<i64, String> {
    match text.trim() {
        "newest" => Ok(NEWEST_FEATURE_LEVEL),
        text => text.parse::<u32>().map(i64::from).map_err(|_| {
            format!("'{text}' is no feature level: takes levels such as 371,421,newest, or a range such as 371..387")
        }),
    }
}

impl Levels {
    /// The levels, if the command is to be run for several.
    pub fn list(&self) -> Option<&LevelList> {
        self.levels.as_ref()
    }

    /// Whether runs are to share the time.
    pub fn is_parallel(&self) -> bool {
        self.jobs > 1
    }

    /// Runs the command for each level and shows the table; the status of the first that failed.
    ///
    /// # Errors
    ///
    /// What keeps a run from starting.
    pub async fn run(
        &self,
        LevelList(levels): &LevelList,
        attempt: impl AsyncFn(Attempt) -> Result<Attempted<Usage>, CliError>,
    ) -> Result<ExitCode, CliError> {
        let at_level = |level: i64| {
            let prefix = self.is_parallel().then(|| format!("{level}: "));
            let attempted = attempt(Attempt { feature_level: Some(level), prefix, ..Attempt::default() });
            async move {
                tell(format_args!("level {level}:"));
                attempted.await.map(|attempted| (level, attempted))
            }
        };
        let runs = stream::iter(levels).map(|level| at_level(*level)).buffered(usize::from(self.jobs));
        // Nothing more is begun after an interruption.
        let mut is_over = false;
        let runs = runs.try_take_while(|(_, run)| {
            let goes_on = !std::mem::replace(&mut is_over, run.is_interrupted);
            std::future::ready(Ok(goes_on))
        });
        let runs: Vec<Run> = runs.try_collect().await?;
        tell(table(&runs));
        for text in suspicions(&runs) {
            tell(text);
        }
        let failed = runs.iter().find(|(_, run)| run.status != 0);
        Ok(failed.map_or(ExitCode::SUCCESS, |(_, run)| ExitCode::from(run.status)))
    }
}

/// A level, and how the run against it ended.
type Run = (i64, Attempted<Usage>);

/// The results, a line for each level.
fn table(runs: &[Run]) -> String {
    let width = runs.iter().map(|(_, run)| run.result().len()).max().unwrap_or_default().max("result".len());
    let heading = if runs.iter().any(|(_, run)| run.findings.is_some()) { "  findings" } else { "" };
    let mut text = format!("level  {:width$}  seconds{heading}", "result");
    for (level, run) in runs {
        text.push_str(&format!("\n{level:>5}  {:width$}  {:>7.1}", run.result(), run.took.as_secs_f64()));
        if let Some(findings) = run.findings {
            text.push_str(&format!("  {findings:>8}"));
        }
    }
    text
}

/// For each two levels that are next to each other and of which one passed and one failed: the changes between them that
/// touch what the command used.
fn suspicions(runs: &[Run]) -> Vec<String> {
    let mut sorted: Vec<&Run> = runs.iter().collect();
    sorted.sort_by_key(|(level, _)| *level);
    let pairs = sorted.windows(2).filter(|pair| (pair[0].1.status == 0) != (pair[1].1.status == 0));
    pairs.map(|pair| suspicion(pair[0], pair[1])).collect()
}

fn suspicion((from, older): &Run, (to, newer): &Run) -> String {
    let mut used = older.seen.clone();
    used.join(newer.seen.clone());
    let suspects = used.suspects(*from, *to);
    let word = |run: &Attempted<Usage>| if run.status == 0 { "passes" } else { "fails" };
    let between = format!("{from} {}, {to} {}", word(older), word(newer));
    if suspects.is_empty() {
        return format!("{between}: no known change between them touches what the command used");
    }
    let mut text = format!("{between}; what changed between them of what the command used:");
    let (seen, unseen): (Vec<&Suspect>, Vec<&Suspect>) = suspects.iter().partition(|suspect| suspect.is_seen);
    let add = |text: &mut String, Suspect { change, .. }: &Suspect| {
        text.push_str(&format!("\n{:>5}  {}: {} ({})", change.level, change.on, change.change, change.known_by));
    };
    seen.iter().for_each(|suspect| add(&mut text, suspect));
    if !unseen.is_empty() {
        text.push_str("\n       perhaps, in a part of a reply that the journal does not keep:");
        unseen.iter().take(MOST_UNSEEN).for_each(|suspect| add(&mut text, suspect));
    }
    if unseen.len() > MOST_UNSEEN {
        let more = unseen.len() - MOST_UNSEEN;
        text.push_str(&format!("\n       and {more} more; chatdouble levels --between {from} {to} lists all"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_levels_and_ranges_each_level_once() {
        assert_eq!(list("371, 421,newest"), Ok(LevelList(vec![371, 421, NEWEST_FEATURE_LEVEL])));
        assert_eq!(list("5..7,6,9"), Ok(LevelList(vec![5, 6, 7, 9])));
        for (text, part) in [
            ("", "'' is no feature level"),
            ("new", "'new' is no feature level"),
            ("7..5", "older level first"),
            ("-1", "'-1'"),
            ("0..1000", "at most 1000"),
        ] {
            assert!(list(text).is_err_and(|error| error.contains(part)), "{text}: {:?}", list(text));
        }
    }
}
