//! The last lines of a report: how many probes and operations agree, and what was not compared.

use super::{MAX_REASONS, Operation, Report};
use crate::cli::compare::record::ProbeCounts;
use crate::count_format::format_count;
use std::collections::BTreeMap;

impl Report {
    /// Says how many requests were not played for what the servers or the accounts lack, or since an earlier reply
    /// differed, and what that is: a text for each of the two, if there are such requests.
    pub fn skip_texts(&self) -> Vec<String> {
        let lack_text = reasons_text("not played", &self.skips_by_lack);
        let difference_text = reasons_text("not tried since an earlier reply differed", &self.skips_by_difference);
        lack_text.into_iter().chain(difference_text).collect()
    }

    /// Says how many requests were not compared since a server gave no complete reply, with the first of them.
    pub fn lost_text(&self) -> Option<String> {
        let total = self.lost.len();
        let further = total.saturating_sub(MAX_REASONS);
        let further = if further > 0 { format!("; and {further} more") } else { String::new() };
        let verb = if total == 1 { "was" } else { "were" };
        let first = self.lost.iter().take(MAX_REASONS).cloned().collect::<Vec<_>>().join("; ");
        (total > 0).then(|| {
            format!("{} {verb} not compared for want of a reply: {first}{further}", format_count(total, "request"))
        })
    }

    /// The numbers of probes and operations that agree, differ or were not played, in a line each. Further lines say
    /// why requests were not compared, if there are any. With a baseline, the last line has the numbers of differing
    /// requests that are in it, and that are new, and the number of its differences that are gone.
    pub fn counts(&self) -> String {
        let ProbeCounts { agreeing, differing, cut_short, failed, not_played } = self.probes;
        let count = |matches: &dyn Fn(&&Operation) -> bool| self.operations.values().filter(matches).count();
        let differing_operations = count(&|operation| !operation.differing_requests.is_empty());
        let agreeing_operations = count(&|operation| operation.agrees());
        let untried_operations = self.operation_names().len() - differing_operations - agreeing_operations;
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
        let incomplete_text = self.incomplete.as_ref().map(|reason| format!("incomplete: {reason}\n"));
        let incomplete_text = incomplete_text.unwrap_or_default();
        let lost: String = self.lost_text().map(|lost| format!("\n{lost}")).unwrap_or_default();
        let skips: String = self.skip_texts().iter().map(|text| format!("\n{text}")).collect();
        format!(
            "{incomplete_text}{} {}, {cut_short_text}{differing} {} in a reply or an event, \
             {failed_text}{not_played} {} not played\n\
             {} {}, {differing_operations} {}, {untried_operations} {} not tried{lost}{skips}{known_text}",
            format_count(agreeing, "probe"),
            agree_verb(agreeing),
            differ_verb(differing),
            past_verb(not_played),
            format_count(agreeing_operations, "operation"),
            agree_verb(agreeing_operations),
            differ_verb(differing_operations),
            past_verb(untried_operations),
        )
    }
}

/// Says how many requests were not compared, and for which reasons; the reason with the most requests comes first. None
/// if there are no such requests.
fn reasons_text(what: &str, counts_by_reason: &BTreeMap<String, usize>) -> Option<String> {
    let total: usize = counts_by_reason.values().sum();
    let mut reasons: Vec<(&String, &usize)> = counts_by_reason.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let further_count = reasons.len().saturating_sub(MAX_REASONS);
    let further =
        if further_count > 0 { format!("; and {}", format_count(further_count, "more reason")) } else { String::new() };
    let texts: Vec<String> =
        reasons.iter().take(MAX_REASONS).map(|(reason, count)| format!("{reason} ({count})")).collect();
    let verb = if total == 1 { "was" } else { "were" };
    (total > 0).then(|| format!("{} {verb} {what}: {}{further}", format_count(total, "request"), texts.join("; ")))
}
