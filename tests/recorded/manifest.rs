//! What the replay says of each operation: the data that the program has of it, a page of it, and its totals.

use crate::Run;
use crate::cause::Cause;
use chatdouble::api::rows;
use chatdouble::control::fidelity::{ComparisonCounts, Manifest, Reason, operation_name};
use chatdouble::http::router::{RouteMatch, Router};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const BEGIN: &str = "<!-- The next line is written by `CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded`. -->\n";
const END: &str = "<!-- End of the line. -->\n";
const NOTICE: &str =
    "<!-- Made from the recordings; `CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded` updates it. -->";

/// A request's operation, and why its reply differs.
type Explained = (String, BTreeSet<Reason>);

fn reason(cause: Option<&Cause>) -> Reason {
    let Some(cause) = cause else {
        return Reason { kind: "wrong".to_owned(), reason: "Not explained".to_owned(), assumption: None };
    };
    Reason { kind: cause.kind.name().to_owned(), reason: cause.reason.clone(), assumption: cause.assumption.clone() }
}

/// The manifest of a replay.
pub fn of(runs: &[Run]) -> Manifest {
    let router = Router::shared();
    let explained = |run: &Run| -> Vec<Explained> {
        let outcomes =
            run.played.iter().zip(&run.explained).flat_map(|(played, found)| played.outcomes.iter().zip(found));
        outcomes
            .map(|(outcome, found)| {
                let method = outcome.request.split(' ').next().unwrap_or_default();
                let path = outcome.path.split('?').next().unwrap_or_default();
                let row = path.strip_prefix("/api/v1").map(|path| router.find(method, path, run.level.number));
                let name = match row {
                    Some(RouteMatch::Operation(row, _)) => operation_name(row),
                    _ => String::new(),
                };
                (name, found.iter().map(|cause| reason(cause.map(|at| &run.causes[at]))).collect())
            })
            .collect()
    };
    let all: Vec<(i64, Vec<Explained>)> = runs.iter().map(|run| (run.level.number, explained(run))).collect();
    let reasons: BTreeSet<&Reason> = all.iter().flat_map(|(_, list)| list).flat_map(|(_, reasons)| reasons).collect();
    let reasons: Vec<Reason> = reasons.into_iter().cloned().collect();
    let mut operations: BTreeMap<String, BTreeMap<i64, ComparisonCounts>> = BTreeMap::new();
    for (level, list) in &all {
        for (name, found) in list {
            let positions = found.iter().map(|one| reasons.binary_search(one).expect("all reasons are in the list"));
            operations.entry(name.clone()).or_default().entry(*level).or_default().add(positions);
        }
    }
    let elsewhere = operations.remove("").unwrap_or_default();
    Manifest { levels: runs.iter().map(|run| run.level.number).collect(), reasons, operations, elsewhere }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("there are only names and numbers in it")
}

/// The file that the program has: JSON with a line for each reason and operation.
pub fn data(manifest: &Manifest) -> String {
    let reasons: Vec<String> = manifest.reasons.iter().map(json).collect();
    let operation =
        |(name, levels): (&String, &BTreeMap<i64, ComparisonCounts>)| format!("{}: {}", json(name), json(levels));
    let operations: Vec<String> = manifest.operations.iter().map(operation).collect();
    format!(
        "{{\n\"levels\": {},\n\"reasons\": [\n{}\n],\n\"operations\": {{\n{}\n}},\n\"elsewhere\": {}\n}}\n",
        json(&manifest.levels),
        reasons.join(",\n"),
        operations.join(",\n"),
        json(&manifest.elsewhere)
    )
}

fn cell(compared: &ComparisonCounts) -> String {
    let reasons: Vec<String> = compared.reasons.keys().map(|at| (at + 1).to_string()).collect();
    match compared.differ {
        0 => compared.compared.to_string(),
        differ => format!("{}, {differ} differ ([{}](#reasons))", compared.compared, reasons.join(", ")),
    }
}

fn cells(manifest: &Manifest, levels: &BTreeMap<i64, ComparisonCounts>) -> String {
    let cells = manifest.levels.iter().map(|level| levels.get(level).map_or_else(|| "none".to_owned(), cell));
    cells.collect::<Vec<_>>().join(" | ")
}

/// The page `docs/reference/fidelity.md`.
pub fn page(manifest: &Manifest) -> String {
    let mut text = format!(
        "# Fidelity by operation\n\n{NOTICE}\n\nHow many recorded requests were compared for each operation and level, with the events that followed, and\nafter how many of them something differs; the numbers in brackets are those of the [reasons](#reasons).\n[Fidelity](../fidelity.md) explains the comparison. `GET /control/fidelity` replies with the same.\n\n"
    );
    text += &totals(manifest);
    let levels: Vec<String> = manifest.levels.iter().map(|level| format!("level {level}")).collect();
    let _ = writeln!(text, "\n| operation | {} |\n|---|{}", levels.join(" | "), "---|".repeat(levels.len()));
    let mut without = Vec::new();
    for row in rows() {
        match manifest.operations.get(&operation_name(row)) {
            Some(levels) => {
                let _ = writeln!(text, "| {} | {} |", operation_name(row), cells(manifest, levels));
            }
            None => without.push(operation_name(row)),
        }
    }
    let _ = writeln!(text, "| other paths and methods | {} |", cells(manifest, &manifest.elsewhere));
    let _ = writeln!(
        text,
        "\n## Without a recording\n\nThese {} operations are known by the specification and the change log only:\n",
        without.len()
    );
    without.iter().for_each(|operation_name| text += &format!("- {operation_name}\n"));
    text += "\n## Reasons\n\n| number | kind | reason |\n|---|---|---|\n";
    for (at, Reason { kind, reason, assumption }) in manifest.reasons.iter().enumerate() {
        let link = |number: &String| format!(" ([{number}](../assumptions.md#{}))", number.to_lowercase());
        let assumption = assumption.as_ref().map(link);
        let reason = reason.replace('|', "\\|");
        let _ = writeln!(text, "| {} | {kind} | {reason}{} |", at + 1, assumption.unwrap_or_default());
    }
    text
}

/// `12,345`
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let head = digits.len() % 3;
    let (first, rest) = digits.split_at(head);
    let mut groups: Vec<&str> = if first.is_empty() { Vec::new() } else { vec![first] };
    groups.extend(rest.as_bytes().chunks(3).map(|group| std::str::from_utf8(group).expect("digits")));
    groups.join(",")
}

/// The totals in a line.
fn totals(manifest: &Manifest) -> String {
    let level = |level: &i64| {
        let (compared, differ) = manifest.total(*level);
        format!("{} requests at level {level}, {} of which differ", grouped(compared), grouped(differ))
    };
    let levels: Vec<String> = manifest.levels.iter().map(level).collect();
    let known = rows().filter(|row| manifest.operations.contains_key(&operation_name(row))).count();
    format!(
        "Compared: {}, each for a reason. {known} of {} operations have recordings, the others are known by the specification and the change log only.\n",
        levels.join("; "),
        rows().count()
    )
}

/// The README with the totals in their place.
pub fn with_totals(readme: &str, manifest: &Manifest) -> String {
    let (before, rest) = readme.split_once(BEGIN).expect("the document has a place for the totals");
    let (_, after) = rest.split_once(END).expect("the line has an end");
    format!("{before}{BEGIN}{}{END}{after}", totals(manifest))
}
