//! The section of a result about a request whose replies or events differ.

use super::level_changes::level_changes;
use super::record::RequestRecord;
use crate::scenario::recording::secrets::redact_value;
use crate::scenario::server_comparison::{ServerDifference, Step};
use serde_json::Value;
use std::fmt::Write;

/// The maximum number of differences in the section of a request. Further ones are only counted.
const MAX_DIFFERENCES: usize = 12;
/// The maximum number of lines of the diff of two replies.
const MAX_DIFF_LINES: usize = 60;
/// The maximum number of characters of such a line.
const MAX_DIFF_LINE_LENGTH: usize = 200;

/// The section of a request: its differences and how to repeat it, or a line if the baseline has all differences.
/// Without a baseline, differences are neither known nor new.
pub fn describe_differing_request(
    record: &RequestRecord,
    step: &Step,
    has_baseline: bool,
    urls: &[String; 2],
    levels: [i64; 2],
) -> String {
    let known_text = match record.is_known {
        true => ", in the baseline",
        false if has_baseline => ", new",
        false => "",
    };
    let RequestRecord { probe, location, caller, request, .. } = record;
    let mut text = format!("  {caller}: {request} ({location}, {probe}{known_text})\n");
    if record.is_known {
        return text;
    }
    for (curl, name) in step.curl_commands.iter().zip(["first ", "second"]) {
        let _ = writeln!(text, "    {name}: {curl}");
    }
    let groups = difference_groups(&step.differences);
    for (place, difference) in groups.iter().take(MAX_DIFFERENCES) {
        let _ = writeln!(text, "    {place}\n    - {}\n    + {}", difference.first, difference.second);
    }
    if groups.len() > MAX_DIFFERENCES {
        let _ = writeln!(text, "    and {} more", groups.len() - MAX_DIFFERENCES);
    }
    if step.differences.iter().any(|difference| difference.place == "status" || difference.place.starts_with("reply")) {
        let format_reply = |(status, body): &(u16, Value)| {
            format!("{status}\n{}", serde_json::to_string_pretty(&redact_value("", body)).unwrap_or_default())
        };
        let [first, second] = [format_reply(&step.replies[0]), format_reply(&step.replies[1])];
        let diff = similar::TextDiff::from_lines(&first, &second);
        let diff = diff.unified_diff().header(&urls[0], &urls[1]).to_string();
        for line in diff.lines().take(MAX_DIFF_LINES) {
            let _ = writeln!(text, "      {}", line.chars().take(MAX_DIFF_LINE_LENGTH).collect::<String>());
        }
    }
    for change in level_changes(levels, step) {
        let _ = writeln!(text, "    {change}");
    }
    text
}

/// Groups differences with the same values at the same place; the events of several accounts count as one place. Returns
/// for each group its place, with the accounts and the number of differences, and its first difference.
fn difference_groups(differences: &[ServerDifference]) -> Vec<(String, &ServerDifference)> {
    let mut groups: Vec<(&ServerDifference, &str, Vec<&str>, usize)> = Vec::new();
    for difference in differences {
        // A place within an event continues behind the account, as in `event message of mel.id`. Such places are not
        // grouped.
        let (place, account) = match difference.place.split_once(" of ") {
            Some((place, account)) if place.starts_with("event ") && !account.contains(['.', '[']) => (place, account),
            _ => (difference.place.as_str(), ""),
        };
        let is_same = |(other, other_place, ..): &&mut (&ServerDifference, &str, Vec<&str>, usize)| {
            *other_place == place && other.first == difference.first && other.second == difference.second
        };
        match groups.iter_mut().find(is_same) {
            Some((_, _, accounts, count)) => {
                *count += 1;
                if !accounts.contains(&account) {
                    accounts.push(account);
                }
            }
            None => groups.push((difference, place, vec![account], 1)),
        }
    }
    let describe = |(difference, place, accounts, count): (_, &str, Vec<&str>, usize)| {
        let accounts = accounts.join(", ");
        let of_accounts = if accounts.is_empty() { String::new() } else { format!(" of {accounts}") };
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        (format!("{place}{of_accounts}{times}"), difference)
    };
    groups.into_iter().map(describe).collect()
}
