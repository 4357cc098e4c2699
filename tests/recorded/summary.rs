//! What came of the recordings, for readers.

use crate::Run;
use crate::cause::Kind;
use crate::compare::Difference;
use crate::player::Outcome;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const END: &str = "<!-- End of the table. -->\n";

/// A difference with its recording and exchange.
pub type Found<'a> = (String, &'a Outcome, &'a Difference);

/// A file of the project.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The counts of one area.
#[derive(Default)]
struct Row {
    exchanges: usize,
    equal: usize,
    by_kind: BTreeMap<Kind, usize>,
}

impl Row {
    fn line(&self, name: &str) -> String {
        let mut line = format!("| {name} | {} | {} |", self.exchanges, self.equal);
        for kind in Kind::ALL {
            let _ = write!(line, " {} |", self.by_kind.get(&kind).copied().unwrap_or_default());
        }
        line + "\n"
    }

    fn add(&mut self, other: &Self) {
        self.exchanges += other.exchanges;
        self.equal += other.equal;
        for (kind, count) in &other.by_kind {
            *self.by_kind.entry(*kind).or_default() += count;
        }
    }
}

/// Exchanges by area: how many are equal, and of which kind the gravest difference of the others is.
fn table(run: &Run) -> String {
    let mut rows: Vec<(String, Row)> = Vec::new();
    for (recording, explained) in run.played.iter().zip(&run.explained) {
        for (outcome, found) in recording.outcomes.iter().zip(explained) {
            let area = if outcome.area.contains('/') { outcome.area.clone() } else { recording.name.to_owned() };
            let at = rows.iter().position(|(name, _)| *name == area).unwrap_or_else(|| {
                rows.push((area, Row::default()));
                rows.len() - 1
            });
            let row = &mut rows[at].1;
            row.exchanges += 1;
            let kinds = found.iter().map(|cause| cause.map_or(Kind::Wrong, |cause| run.causes[cause].kind));
            match kinds.max() {
                Some(kind) => *row.by_kind.entry(kind).or_default() += 1,
                None => row.equal += 1,
            }
        }
    }
    let mut total = Row::default();
    rows.iter().for_each(|(_, row)| total.add(row));
    let names: Vec<&str> = Kind::ALL.map(Kind::name).to_vec();
    let mut table =
        format!("| area | exchanges | equal | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(2 + names.len()));
    rows.iter().for_each(|(name, row)| table += &row.line(name));
    table + &total.line("**all**") + &batches(run)
}

/// How many of the queues that were read had the recorded events in the recorded order.
fn batches(run: &Run) -> String {
    let (mut all, mut other, mut wrong) = (0, 0, 0);
    for (recording, explained) in run.played.iter().zip(&run.explained) {
        for (outcome, found) in recording.outcomes.iter().zip(explained) {
            all += outcome.batches;
            let mut readers: BTreeMap<&str, bool> = BTreeMap::new();
            for (difference, cause) in outcome.differences.iter().zip(found) {
                let Some(reader) = &difference.reader else { continue };
                let is_wrong = cause.is_none_or(|cause| run.causes[cause].kind == Kind::Wrong);
                *readers.entry(reader).or_default() |= is_wrong;
            }
            other += readers.len();
            wrong += readers.values().filter(|is_wrong| **is_wrong).count();
        }
    }
    if all == 0 {
        return String::new();
    }
    let share = |count: usize| count as f64 * 100.0 / all as f64;
    format!(
        "\nQueues were read {all} times: {} batches of events are equal, order included ({:.1} %), {} differ for a reason \
         above, {wrong} are wrong ({:.2} %).\n",
        all - other,
        share(all - other),
        other - wrong,
        share(wrong),
    )
}

/// A document with the table of a level in its place.
pub fn with_table(document: &str, run: &Run) -> String {
    let begin = format!(
        "<!-- The table of level {} is written by `CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded`. -->\n",
        run.level.number
    );
    let (before, rest) = document.split_once(&begin).expect("the document has a place for the table");
    let (_, after) = rest.split_once(END).expect("the table has an end");
    format!("{before}{begin}\n{}\n{END}{after}", table(run))
}

/// All differences by cause, with up to five examples of each.
pub fn differences(run: &Run) -> String {
    let mut groups: BTreeMap<Option<usize>, Vec<Found>> = BTreeMap::new();
    for (recording, explained) in run.played.iter().zip(&run.explained) {
        for (outcome, found) in recording.outcomes.iter().zip(explained) {
            for (difference, cause) in outcome.differences.iter().zip(found) {
                let name = format!("{}/{}", run.level.number, recording.name);
                groups.entry(*cause).or_default().push((name, outcome, difference));
            }
        }
    }
    let mut text = table(run);
    for (cause, group) in groups {
        let title = cause.map_or_else(|| "without a cause".to_owned(), |cause| run.causes[cause].to_string());
        let _ = writeln!(text, "\n==== {title}: {} differences\n{}", group.len(), grouped(&group));
    }
    text
}

/// Differences of the same request at the same place together, with some examples.
pub fn grouped(differences: &[Found]) -> String {
    let mut groups: BTreeMap<(String, &str), Vec<&Found>> = BTreeMap::new();
    for one in differences {
        groups.entry((general(&one.1.request), one.2.at.as_str())).or_default().push(one);
    }
    let shown: usize = std::env::var("CHATDOUBLE_EXAMPLES").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let mut text = String::new();
    for ((request, at), group) in groups {
        let _ = writeln!(text, "{request}: {at} ({})", group.len());
        for (recording, outcome, difference) in group.into_iter().take(shown) {
            let reader = difference.reader.as_ref().map(|reader| format!(" to {reader}")).unwrap_or_default();
            let (recorded, played) = (short(&difference.real), short(&difference.double));
            let _ = writeln!(text, "    {recording} {} {}{reader} {}", outcome.index, outcome.role, outcome.params);
            let _ = writeln!(text, "        real   {recorded}\n        double {played}");
        }
    }
    text
}

/// A request with `N` for each number and placeholder of its path.
fn general(request: &str) -> String {
    let parts = request.split('/').map(|part| {
        let is_number = part.parse::<i64>().is_ok() || part.starts_with("{{");
        if is_number { "N" } else { part }
    });
    parts.collect::<Vec<_>>().join("/")
}

fn short(text: &str) -> String {
    const LONGEST: usize = 400;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
