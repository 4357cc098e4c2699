//! `chatdouble exec --levels`: runs the command at several feature levels and compares the results.

use super::run_settings::{RunResult, RunSettings};
use crate::api::NEWEST_FEATURE_LEVEL;
use crate::api::release::level_of_release;
use crate::cli::CliError;
use crate::cli::output::eprint_line;
use crate::level::{SuspectedChange, Usage};
use clap::Args;
use futures_util::{StreamExt, TryStreamExt, stream};
use std::cell::Cell;
use std::process::ExitCode;

/// The maximum number of listed changes that were not observed in the command's requests.
const MAX_UNOBSERVED_CHANGES: usize = 10;
const MAX_LEVELS: usize = 1_000;

#[derive(Debug, Args)]
pub struct LevelOptions {
    /// Run the command once for each of these feature levels, each time against a fresh server, and show a table at the
    /// end; a comma separates levels and ranges: 371,421,newest or 371..387
    #[arg(long, value_name = "LIST", conflicts_with_all = ["chaos", "feature_level"], value_parser = parse_list)]
    levels: Option<LevelList>,

    /// Number of levels that run at the same time; each line of the command's output then begins with its level
    #[arg(long, value_name = "N", default_value_t = 1, requires = "levels", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
}

/// Levels in the order of the command line, without duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelList(Vec<i64>);

impl LevelList {
    pub fn as_slice(&self) -> &[i64] {
        &self.0
    }
}

/// Parses a list such as `371..387,421,newest`.
fn parse_list(text: &str) -> Result<LevelList, String> {
    let mut levels = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = match part.split_once("..") {
            Some((first, last)) => (parse_level(first)?, parse_level(last)?),
            None => (parse_level(part)?, parse_level(part)?),
        };
        if first > last {
            return Err(format!("{part}: takes the older level first"));
        }
        if last - first >= MAX_LEVELS as i64 {
            return Err(format!("{part}: takes at most {MAX_LEVELS} levels"));
        }
        levels.extend((first..=last).filter(|level| !levels.contains(level)).collect::<Vec<_>>());
    }
    if levels.len() > MAX_LEVELS { Err(format!("takes at most {MAX_LEVELS} levels")) } else { Ok(LevelList(levels)) }
}

fn parse_level(text: &str) -> Result<i64, String> {
    match text.trim() {
        "newest" => Ok(NEWEST_FEATURE_LEVEL),
        text => text.parse::<u32>().map(i64::from).map_err(|_| {
            let level_note = level_of_release(text).map(|level| format!("; that of release {text} is {level}"));
            let level_note = level_note.unwrap_or_default();
            format!(
                "'{text}' is no feature level: takes levels such as 371,421,newest, or a range such as \
                 371..387{level_note}"
            )
        }),
    }
}

impl LevelOptions {
    /// The levels; None without `--levels`.
    pub fn list(&self) -> Option<&LevelList> {
        self.levels.as_ref()
    }

    /// Whether several runs happen at the same time.
    pub fn is_parallel(&self) -> bool {
        self.jobs > 1
    }

    /// Runs the command at each level. Prints a table, and what changed between levels with different results. Returns
    /// the status of the first failed run, or success.
    ///
    /// # Errors
    ///
    /// If a run can't start, or leaves a world with broken invariants.
    pub async fn run(
        &self,
        LevelList(levels): &LevelList,
        run_once: impl AsyncFn(RunSettings) -> Result<RunResult<Usage>, CliError>,
    ) -> Result<ExitCode, CliError> {
        let run_at_level = |level: i64| {
            let prefix = self.is_parallel().then(|| format!("{level}: "));
            let result = run_once(RunSettings { feature_level: Some(level), prefix, ..RunSettings::default() });
            async move {
                eprint_line(format_args!("level {level}:"));
                result.await.map(|result| (level, result))
            }
        };
        // No level starts after an interrupted run; those that run already end by the same signal.
        let is_interrupted = Cell::new(false);
        let started_levels = stream::iter(levels).take_while(|_| std::future::ready(!is_interrupted.get()));
        let results = started_levels.map(|level| run_at_level(*level)).buffered(usize::from(self.jobs));
        let results =
            results.inspect_ok(|(_, result)| is_interrupted.set(is_interrupted.get() || result.is_interrupted));
        let results: Vec<LevelResult> = results.try_collect().await?;
        eprint_line(results_table(&results));
        for text in level_comparisons(&results) {
            eprint_line(text);
        }
        let first_failure = results.iter().find(|(_, result)| result.status != 0);
        Ok(first_failure.map_or(ExitCode::SUCCESS, |(_, result)| ExitCode::from(result.status)))
    }
}

type LevelResult = (i64, RunResult<Usage>);

fn results_table(results: &[LevelResult]) -> String {
    let width = results.iter().map(|(_, result)| result.summary().len()).max().unwrap_or_default().max("result".len());
    let all_finding_counts = || results.iter().filter_map(|(_, result)| result.finding_counts);
    let findings_heading = if all_finding_counts().next().is_some() { "  findings" } else { "" };
    let has_known = all_finding_counts().any(|counts| counts.known > 0);
    let known_heading = if has_known { "  in the baseline" } else { "" };
    let mut text = format!("level  {:width$}  seconds{findings_heading}{known_heading}", "result");
    for (level, result) in results {
        text.push_str(&format!("\n{level:>5}  {:width$}  {:>7.1}", result.summary(), result.duration.as_secs_f64()));
        if let Some(counts) = result.finding_counts {
            text.push_str(&format!("  {:>8}", counts.new));
            if has_known {
                text.push_str(&format!("  {:>15}", counts.known));
            }
        }
    }
    text
}

/// For each pair of neighbouring levels of which one passed and one failed: the changes between them that affect what
/// the command used.
fn level_comparisons(results: &[LevelResult]) -> Vec<String> {
    let mut sorted_results: Vec<&LevelResult> = results.iter().collect();
    sorted_results.sort_by_key(|(level, _)| *level);
    let pairs = sorted_results.windows(2).filter(|pair| (pair[0].1.status == 0) != (pair[1].1.status == 0));
    pairs.map(|pair| compare_levels(pair[0], pair[1])).collect()
}

fn compare_levels((from, older): &LevelResult, (to, newer): &LevelResult) -> String {
    let mut usage = older.observation.clone();
    usage.merge(newer.observation.clone());
    let mut suspects = usage.suspected_changes(*from, *to);
    let (failed, passed) = if older.status == 0 { (newer, older) } else { (older, newer) };
    let is_likely_cause = |suspect: &SuspectedChange| {
        suspect.is_certain && failed.observation.is_likely_cause(&passed.observation, &suspect.change)
    };
    suspects.sort_by_key(|suspect| !is_likely_cause(suspect));
    let likely_count = suspects.iter().filter(|suspect| is_likely_cause(suspect)).count();
    let result_verb = |result: &RunResult<Usage>| if result.status == 0 { "passes" } else { "fails" };
    let summary = format!("{from} {}, {to} {}", result_verb(older), result_verb(newer));
    if suspects.is_empty() {
        return format!("{summary}: no known change between them touches what the command used");
    }
    let mut text = format!("{summary}; what changed between them of what the command used:");
    let (observed_changes, unobserved_changes): (Vec<&SuspectedChange>, Vec<&SuspectedChange>) =
        suspects.iter().partition(|suspect| suspect.is_certain);
    let add_line = |text: &mut String, SuspectedChange { change, .. }: &SuspectedChange| {
        text.push_str(&format!("\n{:>5}  {}: {} ({})", change.level, change.on, change.change, change.known_by));
    };
    for (position, suspect) in observed_changes.iter().enumerate() {
        if position == likely_count && likely_count > 0 {
            text.push_str("\n       other changes of what it used:");
        }
        add_line(&mut text, suspect);
    }
    if !unobserved_changes.is_empty() {
        text.push_str("\n       perhaps, in a part of a reply that the journal does not keep:");
        unobserved_changes.iter().take(MAX_UNOBSERVED_CHANGES).for_each(|suspect| add_line(&mut text, suspect));
    }
    if unobserved_changes.len() > MAX_UNOBSERVED_CHANGES {
        let omitted_count = unobserved_changes.len() - MAX_UNOBSERVED_CHANGES;
        text.push_str(&format!("\n       and {omitted_count} more; chatdouble levels --between {from} {to} lists all"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_contain_levels_and_ranges_without_duplicates() {
        assert_eq!(parse_list("371, 421,newest"), Ok(LevelList(vec![371, 421, NEWEST_FEATURE_LEVEL])));
        assert_eq!(parse_list("5..7,6,9"), Ok(LevelList(vec![5, 6, 7, 9])));
        for (text, part) in [
            ("", "'' is no feature level"),
            ("new", "'new' is no feature level"),
            ("7..5", "older level first"),
            ("-1", "'-1'"),
            ("0..1000", "at most 1000"),
        ] {
            assert!(parse_list(text).is_err_and(|error| error.contains(part)), "{text}: {:?}", parse_list(text));
        }
    }
}
