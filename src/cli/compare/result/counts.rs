//! The last lines of a result: how many probes and operations agree, and what was not compared.

use super::{ComparisonResult, MAX_REASONS, Operation};
use crate::cli::compare::record::ProbeCounts;
use crate::count_format::format_count;
use std::collections::BTreeMap;

impl ComparisonResult {
    /// At most two texts: how many requests were not played because the servers or the accounts lack something, and how
    /// many because an earlier reply differed, each with the reasons.
    pub fn skip_texts(&self) -> Vec<String> {
        let lack_text = reasons_text("not played", &self.skips_by_lack);
        let difference_text = reasons_text("not tried since an earlier reply differed", &self.skips_by_difference);
        lack_text.into_iter().chain(difference_text).collect()
    }

    /// Says how many requests were not compared since a server gave no complete reply, with the first of them. None if
    /// every request got its reply.
    pub fn lost_text(&self) -> Option<String> {
        let total = self.lost_requests.len();
        let further_count = total.saturating_sub(MAX_REASONS);
        let further_text = if further_count > 0 { format!("; and {further_count} more") } else { String::new() };
        let verb = if total == 1 { "was" } else { "were" };
        let first_texts = self.lost_requests.iter().take(MAX_REASONS).cloned().collect::<Vec<_>>().join("; ");
        (total > 0).then(|| {
            format!(
                "{} {verb} not compared for want of a reply: {first_texts}{further_text}",
                format_count(total, "request")
            )
        })
    }

    /// The numbers of probes and operations that agree, differ or were not played, in a line each. Further lines say
    /// why requests were not compared, if there are any. With a baseline, the last line has the numbers of differing
    /// requests that are in it, and that are new, and the number of its differences that are gone.
    pub fn counts_text(&self) -> String {
        let ProbeCounts { agreeing, differing, cut_short, failed, not_played } = self.probe_counts;
        let count = |matches: &dyn Fn(&&Operation) -> bool| self.operations.values().filter(matches).count();
        let differing_operation_count = count(&|operation| !operation.differing_requests.is_empty());
        let agreeing_operation_count = count(&|operation| operation.agrees());
        let untried_operation_count =
            self.operation_names().len() - differing_operation_count - agreeing_operation_count;
        let known_count = self.differing_requests().filter(|(record, _)| record.is_known).count();
        let new_count = self.differing_requests().count() - known_count;
        let gone_text = match self.gone_differences().len() {
            0 => String::new(),
            count => format!(
                "; {} of the baseline {} gone",
                format_count(count, "difference"),
                if count == 1 { "is" } else { "are" }
            ),
        };
        let known_text = match &self.baseline {
            None => String::new(),
            Some(_) => format!(
                "\n{} that differ{} in the baseline, {new_count} {} new{gone_text}",
                format_count(known_count, "request"),
                if known_count == 1 { "s is" } else { " are" },
                if new_count == 1 { "is" } else { "are" },
            ),
        };
        let agree_verb = |count: usize| if count == 1 { "agrees" } else { "agree" };
        let differ_verb = |count: usize| if count == 1 { "differs" } else { "differ" };
        let past_verb = |count: usize| if count == 1 { "was" } else { "were" };
        let cut_short_text = match cut_short {
            0 => String::new(),
            _ => format!(
                "{cut_short} {} cut short, since a reply or the accounts lack what the next request needs, ",
                past_verb(cut_short)
            ),
        };
        let failed_text = if failed > 0 { format!("{failed} failed, ") } else { String::new() };
        let incomplete_text = self.end_reason.as_ref().map(|reason| format!("incomplete: {reason}\n"));
        let incomplete_text = incomplete_text.unwrap_or_default();
        let lost_line = self.lost_text().map(|text| format!("\n{text}")).unwrap_or_default();
        let skip_lines: String = self.skip_texts().iter().map(|text| format!("\n{text}")).collect();
        format!(
            "{incomplete_text}{} {}, {cut_short_text}{differing} {} in a reply or an event, \
             {failed_text}{not_played} {} not played\n\
             {} {}, {differing_operation_count} {}, {untried_operation_count} {} not tried\
             {lost_line}{skip_lines}{known_text}",
            format_count(agreeing, "probe"),
            agree_verb(agreeing),
            differ_verb(differing),
            past_verb(not_played),
            format_count(agreeing_operation_count, "operation"),
            agree_verb(agreeing_operation_count),
            differ_verb(differing_operation_count),
            past_verb(untried_operation_count),
        )
    }
}

/// Says how many requests had an outcome such as `not played`, and for which reasons; the reason with the most requests
/// comes first. None if there are no such requests.
fn reasons_text(outcome: &str, counts_by_reason: &BTreeMap<String, usize>) -> Option<String> {
    let total: usize = counts_by_reason.values().sum();
    let mut reasons: Vec<(&String, &usize)> = counts_by_reason.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let further_count = reasons.len().saturating_sub(MAX_REASONS);
    let further_text =
        if further_count > 0 { format!("; and {}", format_count(further_count, "more reason")) } else { String::new() };
    let texts: Vec<String> =
        reasons.iter().take(MAX_REASONS).map(|(reason, count)| format!("{reason} ({count})")).collect();
    let verb = if total == 1 { "was" } else { "were" };
    (total > 0)
        .then(|| format!("{} {verb} {outcome}: {}{further_text}", format_count(total, "request"), texts.join("; ")))
}
