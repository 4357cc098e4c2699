//! Habits that a reader relies on: layers, numbered assumptions, no clock or chance below the server.

mod arrow;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The crate of Markdown, which builds alone.
const MARKDOWN: &str = "crates/chat-markdown/src";

/// The sources of the program, by their paths below `src`.
fn sources() -> Vec<(PathBuf, String)> {
    sources_below("src")
}

/// The sources of all crates.
fn all_sources() -> Vec<(PathBuf, String)> {
    sources().into_iter().chain(sources_below(MARKDOWN)).collect()
}

fn sources_below(root: &str) -> Vec<(PathBuf, String)> {
    fn read(folder: &Path, all: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).expect("the sources are there") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                read(&path, all);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable");
                all.push((path, text));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    let mut all = Vec::new();
    read(&root, &mut all);
    all.into_iter().map(|(path, text)| (path.strip_prefix(&root).expect("inside").to_owned(), text)).collect()
}

/// The layer that a file is of: its first folder or its own name.
fn layer(path: &Path) -> String {
    let first =
        path.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    first.trim_end_matches(".rs").to_owned()
}

/// Unit tests in files of their own, which may arrange things through any layer.
fn is_test(path: &Path) -> bool {
    path.iter().any(|part| part == "tests" || part == "tests.rs")
}

/// The layers that each layer may name, besides itself.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("feature", &[]),
    ("time", &[]),
    ("wire", &[]),
    ("realm", &["feature", "error", "time", "wire"]),
    ("json_diagnostic", &[]),
    ("count_format", &[]),
    ("dialect", &["json_diagnostic"]),
    ("reducer", &["feature", "wire"]),
    ("scenario", &[]),
    ("journal", &[]),
    ("report", &["journal", "count_format"]),
    ("fault", &["realm", "time"]),
    ("world", &["feature", "fault", "journal", "report", "realm", "error", "time", "dialect"]),
    ("record", &["feature", "realm", "error", "time", "wire"]),
    ("fixture", &["realm", "error", "time", "json_diagnostic"]),
    ("api", &["feature", "record", "world", "fault", "realm", "error", "time", "wire"]),
    ("openapi", &["feature", "level", "api", "record", "realm", "error", "dialect", "wire"]),
    ("level", &["feature", "api", "record", "report", "realm", "error", "wire"]),
    (
        "http",
        &[
            "feature", "level", "api", "record", "world", "fault", "journal", "report", "realm", "error", "time",
            "dialect",
        ],
    ),
    (
        "control",
        &[
            "http",
            "openapi",
            "fixture",
            "api",
            "record",
            "world",
            "fault",
            "journal",
            "report",
            "realm",
            "error",
            "time",
            "dialect",
            "json_diagnostic",
        ],
    ),
    ("console", &["control", "http"]),
    (
        "server",
        &[
            "console", "control", "http", "fixture", "api", "world", "fault", "report", "realm", "error", "time",
            "dialect", "tls",
        ],
    ),
    ("tls", &[]),
    ("upstream", &[]),
    (
        "organization_import",
        &["count_format", "upstream", "fixture", "level", "api", "realm", "time", "dialect", "json_diagnostic"],
    ),
    ("testing", &["count_format", "server", "control", "world", "fault", "time"]),
    (
        "cli",
        &[
            "count_format",
            "scenario",
            "server",
            "control",
            "level",
            "fixture",
            "openapi",
            "report",
            "api",
            "world",
            "realm",
            "time",
            "dialect",
            "json_diagnostic",
            "tls",
            "upstream",
            "organization_import",
        ],
    ),
    ("build", &[]),
    ("lib", &["server", "control"]),
    ("main", &["cli"]),
];

#[test]
fn layers_name_only_those_below_them() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        if is_test(&path) {
            continue;
        }
        let own = layer(&path);
        let (_, allowed) =
            MAY_NAME.iter().find(|(name, _)| *name == own).unwrap_or_else(|| panic!("no layer is called {own}"));
        // Unit tests may arrange things through any layer.
        if path.ends_with("tests.rs") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (index, _) in code.match_indices("crate::") {
            let named: String =
                code[index + 7..].chars().take_while(|one| one.is_ascii_lowercase() || *one == '_').collect();
            let is_known = MAY_NAME.iter().any(|(name, _)| *name == named);
            if is_known && named != own && !allowed.contains(&named.as_str()) {
                faults.push(format!("{}: {own} names {named}", path.display()));
            }
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{faults:#?}");
}

fn arrows_between_files() -> BTreeSet<(String, String)> {
    arrows_below("src")
}

fn arrows_below(root: &str) -> BTreeSet<(String, String)> {
    let files: Vec<_> = sources_below(root).into_iter().filter(|(path, _)| !is_test(path)).collect();
    arrow::arrows(&files)
}

#[test]
fn files_of_a_layer_name_each_other_in_no_circle() {
    let first = |file: &str| file.split('/').next().unwrap_or_default().to_owned();
    let mut arrows = arrows_between_files();
    arrows.retain(|(from, to)| first(from) == first(to));
    assert_eq!(arrow::on_circles(&arrows), BTreeSet::new());
    assert_eq!(arrow::on_circles(&arrows_below(MARKDOWN)), BTreeSet::new());
}

/// Which rooms of the realm each room may name, besides itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("narrow", &["model"]),
    ("log", &["model"]),
    ("tx", &["model", "log"]),
    ("rules", &["model", "log", "tx"]),
    ("invariants", &["model", "log"]),
];

#[test]
fn rooms_of_the_realm_name_only_those_below_them() {
    let room = |file: &str| file.strip_prefix("realm/")?.split('/').next().map(str::to_owned);
    let mut faults = Vec::new();
    for (from, to) in arrows_between_files() {
        let (Some(own), Some(named)) = (room(&from), room(&to)) else { continue };
        let (_, allowed) =
            ROOMS.iter().find(|(name, _)| *name == own).unwrap_or_else(|| panic!("no room is called {own}"));
        if named != own && !allowed.contains(&named.as_str()) {
            faults.push(format!("{from} names {to}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The family of operations that shows what all the others have.
const SHOWS_ALL: &str = "api/register";

/// What several families need, which itself needs none of them.
const SHARED: [&str; 2] = ["api/changes", "api/parameter"];

/// The first folder or file inside a layer.
fn family(file: &str) -> String {
    file.split('/').take(2).collect::<Vec<_>>().join("/")
}

#[test]
fn families_of_operations_name_no_other_family() {
    let declares = |(path, text): &(PathBuf, String)| {
        let name = path.with_extension("").to_string_lossy().into_owned();
        text.contains("\noperation! {").then(|| family(&name))
    };
    let families: BTreeSet<String> =
        sources().iter().filter(|(path, _)| layer(path) == "api").filter_map(declares).collect();
    assert!(SHARED.iter().all(|shared| !families.contains(*shared)), "operations are in families");
    let mut arrows = arrows_between_files();
    arrows.retain(|(from, to)| {
        let (from, to) = (family(from), family(to));
        let begins_in_one = families.contains(&from) || SHARED.contains(&from.as_str());
        from != to && from != SHOWS_ALL && begins_in_one && families.contains(&to)
    });
    // What several need is in `api/parameter/types/`, `api/changes/` or `realm/rules/`.
    assert!(arrows.is_empty(), "{arrows:#?}");
}

#[test]
fn time_and_chance_come_from_the_world() {
    let forbidden = ["SystemTime::now", "Instant::now", "thread_rng", "rand::rng(", "from_os_rng", "Timestamp::now"];
    for (path, text) in all_sources() {
        // Sockets, and the pace at which real servers are asked.
        if ["server", "upstream"].contains(&layer(&path).as_str()) || is_test(&path) {
            continue;
        }
        for word in forbidden {
            assert!(!text.contains(word), "{} reads {word}", path.display());
        }
    }
}

/// What only some systems have, and the condition under which it may be named: that of its file, its item, or its module.
const OF_SYSTEMS: [(&str, &str); 6] = [
    ("std::os::unix", "unix"),
    ("tokio::signal::unix", "unix"),
    ("rustix::", "unix"),
    ("std::os::windows", "not(unix)"),
    ("tokio::signal::windows", "not(unix)"),
    ("/dev/", "unix"),
];

#[test]
fn what_only_some_systems_have_is_named_for_them_alone() {
    let all = sources();
    for (path, text) in &all {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let under = |condition: &str| {
            let declared = format!("#[cfg({condition})]\n");
            let declared = ["mod", "pub mod"].map(|keyword| format!("{declared}{keyword} {name};"));
            all.iter().any(|(_, other)| declared.iter().any(|declared| other.contains(declared)))
        };
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for (word, condition) in OF_SYSTEMS.iter().filter(|(word, _)| line.contains(word)) {
                // The item that the line is in, or is.
                let item = lines[..=at].iter().rposition(|line| line.starts_with(|first: char| first.is_alphabetic()));
                let above = item.and_then(|item| item.checked_sub(1)).map_or("", |above| lines[above]);
                // One of those is narrower.
                let narrower = if *condition == "unix" { "target_os = \"linux\"" } else { condition };
                let holds = [condition, narrower].iter().any(|one| above == format!("#[cfg({one})]") || under(one));
                assert!(holds, "{}:{}: {word} without cfg({condition})", path.display(), at + 1);
            }
        }
    }
}

#[test]
fn levels_that_decide_below_the_table_are_named_in_it() {
    let table =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/levels.md")).expect("there");
    let named = regex::Regex::new(r"_SINCE: i64 = (\d+);").expect("well-formed");
    for feature in chatdouble::feature::Feature::ALL {
        assert!(table.contains(&format!("\n| {} |", feature.since())), "{feature:?}: no row at {}", feature.since());
    }
    let bare = regex::Regex::new(r"(is_before|From|Before)\(\d|feature_level\(?\)? *[<>]=? *\d").expect("well-formed");
    for (path, text) in sources() {
        if !["api", "record", "realm"].contains(&layer(&path).as_str()) {
            continue;
        }
        for level in named.captures_iter(&text) {
            assert!(table.contains(&format!("\n| {} |", &level[1])), "{}: no row at {}", path.display(), &level[1]);
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let found = bare.find(code).map(|found| found.as_str());
        assert_eq!(found, None, "{}: a level without a name", path.display());
    }
}

/// Longer ones are to be divided.
const MAX_LINES_OF_FUNCTION: usize = 70;

#[test]
fn functions_can_be_held_in_the_head() {
    let function = regex::Regex::new(r"^(pub(\([a-z]+\))? )?(const )?(async )?fn [a-z]").expect("well-formed");
    let mut long = Vec::new();
    for (path, text) in all_sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let mut signature = lines[at..].iter().take_while(|line| !line.ends_with('}'));
            let is_written = signature.find(|line| line.ends_with(['{', ';'])).is_some_and(|line| line.ends_with('{'));
            let is_function = is_written && function.is_match(line.trim_start());
            let end = format!("{}}}", " ".repeat(indent));
            let length = lines[at..].iter().position(|line| *line == end);
            if let Some(length) = length.filter(|length| is_function && *length >= MAX_LINES_OF_FUNCTION) {
                long.push(format!("{}:{} has {} lines", path.display(), at + 1, length + 1));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

/// Longer ones are to be divided.
const MAX_LINES_OF_FILE: usize = 400;

#[test]
fn files_can_be_read_in_one_go() {
    let length = |(path, text): (PathBuf, String)| (path, text.lines().count());
    let long: Vec<_> = all_sources().into_iter().map(length).filter(|(_, lines)| *lines > MAX_LINES_OF_FILE).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn assumptions_are_numbered_once_and_cited_ones_exist() {
    let document =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/assumptions.md")).expect("there");
    let number = |line: &str| line.strip_prefix("| A-")?.split(' ').next()?.parse().ok();
    let mut numbers: Vec<usize> = Vec::new();
    for area in document.split("\n## ") {
        let own: Vec<usize> = area.lines().filter_map(number).collect();
        assert!(own.is_sorted_by(|one, next| one < next), "{own:?}");
        numbers.extend(own);
    }
    numbers.sort_unstable();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    let cited = regex::Regex::new(r"\bA-(\d+)\b").expect("well-formed");
    let mut found = BTreeSet::new();
    for (path, text) in all_sources() {
        for citation in cited.captures_iter(&text).filter(|citation| citation[1].len() <= 3) {
            let number: usize = citation[1].parse().unwrap_or_default();
            assert!(numbers.contains(&number), "{} cites A-{number}", path.display());
            found.insert(number);
        }
    }
    let uncited: Vec<&usize> = numbers.iter().filter(|number| !found.contains(number)).collect();
    assert!(uncited.is_empty(), "the code cites none of {uncited:?}");
}

#[test]
fn nothing_is_left_for_later_in_the_code() {
    for (path, text) in all_sources() {
        for word in ["todo!(", "unimplemented!(", "TODO", "FIXME", "XXX"] {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}
