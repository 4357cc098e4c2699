//! What the documents show is what the server does: requests are sent in order, replies compared.

use crate::support::{Reply, TestServer};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A request that a document shows, and its reply.
struct Example {
    line: usize,
    user: Option<String>,
    method: String,
    path: String,
    body: String,
    status: u16,
    reply: String,
}

/// The examples of a document: a request, a blank line, the status and the reply.
fn examples(document: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((line, fence)) = lines.next() {
        let Some(info) = fence.strip_prefix("```http") else { continue };
        let block: Vec<&str> =
            lines.by_ref().map(|(_, text)| text).take_while(|text| !text.starts_with("```")).collect();
        let text = block.join("\n");
        let (asked, answered) = text.split_once("\n\n").unwrap_or((&text, ""));
        let (way, body) = asked.split_once('\n').unwrap_or((asked, ""));
        let (method, path) = way.split_once(' ').expect("a method and a path");
        let (status, reply) = answered.split_once('\n').unwrap_or((answered, ""));
        found.push(Example {
            line: line + 1,
            user: Some(info.trim().to_owned()).filter(|user| !user.is_empty()),
            method: method.into(),
            path: path.into(),
            body: body.into(),
            status: status.parse().unwrap_or_default(),
            reply: reply.into(),
        });
    }
    found
}

/// JSON text without the whitespace between its parts.
fn compact(json: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    json.chars()
        .filter(|character| {
            let is_kept = is_text || !character.is_whitespace();
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' if is_text => is_escaped = true,
                '"' => is_text = !is_text,
                _ => {}
            }
            is_kept
        })
        .collect()
}

fn fits(shown: &str, actual: &str) -> bool {
    let pattern: Vec<String> = compact(shown).split('…').map(regex::escape).collect();
    let pattern = format!("(?s)^{}$", pattern.join(".*"));
    regex::Regex::new(&pattern).expect("a well-formed pattern").is_match(actual)
}

async fn send(server: &TestServer, example: &Example) -> Reply {
    let (sender, kind) = match &example.user {
        Some(handle) => (server.user(handle), "application/x-www-form-urlencoded"),
        None => (server.anonymous(), "application/json"),
    };
    let body = example.body.clone().into_bytes();
    sender.send(&example.method, &example.path, &Value::from(example.body.clone()), body, Some(kind)).await
}

#[tokio::test]
async fn control_is_as_its_document_shows() {
    let server = TestServer::start().await;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/control.md");
    let document = std::fs::read_to_string(file).expect("readable");
    let mut differing = Vec::new();
    let all = examples(&document);
    for example in &all {
        let reply = send(&server, example).await;
        let actual = reply.body.to_string();
        if reply.status != example.status || !fits(&example.reply, &actual) {
            let Example { line, method, path, .. } = example;
            differing.push(format!("docs/control.md:{line}: {method} {path}\n{}\n{actual}\n", reply.status));
        }
    }
    assert!(all.len() > 30, "{} examples", all.len());
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn dots_stand_for_anything_and_nothing_else_does() {
    assert!(fits(r#"{ "a": "b c", … }"#, r#"{"a":"b c","d":1}"#));
    assert!(fits(r#"{"a": "x…z"}"#, r#"{"a":"xyz"}"#));
    assert!(!fits(r#"{"a": "b c"}"#, r#"{"a":"bc"}"#));
    assert!(!fits(r#"{"a": 1}"#, r#"{"a":1,"b":2}"#));
}

/// Markdown without its blocks of code, and without code in lines.
fn prose(document: &str) -> String {
    let mut is_code = false;
    let lines = document.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        !is_code && !is_fence && !line.starts_with("    ")
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split('`').step_by(2).collect::<Vec<_>>().join("")
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = |one: char| match one {
        ' ' => Some('-'),
        one if one.is_alphanumeric() || "-_".contains(one) => Some(one),
        _ => None,
    };
    heading.trim().to_lowercase().chars().filter_map(kept).collect()
}

fn anchors(document: &str) -> Vec<String> {
    let mut is_code = false;
    let headings = document.lines().filter(|line| {
        is_code ^= line.starts_with("```") || line.starts_with("~~~");
        !is_code && line.starts_with('#')
    });
    let named = document.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    headings.map(|line| anchor(line.trim_start_matches('#'))).chain(named).collect()
}

#[test]
fn assumptions_are_linked_by_their_number() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/assumptions.md")).expect("readable");
    for row in page.lines().filter(|line| line.starts_with("| A-")) {
        let number = row.trim_start_matches("| ").split(' ').next().unwrap_or_default();
        let start = format!("| {number} | <a id=\"{}\"></a>", number.to_lowercase());
        assert!(row.starts_with(&start), "{number} does not begin with {start}");
    }
}

#[test]
fn links_lead_to_files_and_headings_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md"), root.join("CHANGELOG.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "docs/contributing", "docs/reference", "scenarios"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder").map(|entry| entry.expect("one").path());
        files.extend(entries.filter(|file| file.extension().is_some_and(|end| end == "md")));
    }
    let link = regex::Regex::new(r"\]\(([^)\s]+)\)").expect("well-formed");
    let read = |file: &Path| std::fs::read_to_string(file).expect("readable");
    let mut dead = Vec::new();
    for file in &files {
        for (_, [target]) in link.captures_iter(&prose(&read(file))).map(|found| found.extract()) {
            if target.contains("://") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() { file.clone() } else { file.with_file_name("").join(path) };
            let leads = path.exists() && (heading.is_empty() || anchors(&read(&path)).contains(&heading.to_owned()));
            if !leads {
                dead.push(format!("{}: {target}", file.strip_prefix(root).unwrap_or(file).display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

/// Words of commands that load a package by its name from a registry.
const LOADING: &[&str] = &["npx", "bunx", "uvx", "pipx", "dlx", "i", "install", "add", "docker", "podman"];
/// Words that keep them from it: without the second one, npx takes the name for a value of the first.
const LOCAL: &[[&str; 2]] = &[["--no", "--"], ["--pull", "never"]];
/// How many words before the name belong to its command.
const COMMAND_WORDS: usize = 10;

/// Commands in a text that would load whatever a registry has under the name of this project.
fn loads(document: &str) -> Vec<&str> {
    let is_name =
        |word: &str| word == "chatdouble" || word.starts_with("chatdouble@") || word.starts_with("chatdouble==");
    let loads_it = |line: &&str| {
        let line = line.split(" #").next().unwrap_or_default();
        line.split('`').any(|part| {
            let words: Vec<&str> = part.split_whitespace().collect();
            words.iter().position(|word| is_name(word)).is_some_and(|at| {
                let command = &words[at.saturating_sub(COMMAND_WORDS)..at];
                let is_local = command.windows(2).any(|pair| LOCAL.iter().any(|local| pair == local));
                command.iter().any(|word| LOADING.contains(word)) && !is_local
            })
        })
    };
    document.lines().filter(loads_it).collect()
}

#[test]
fn no_command_loads_a_package_that_is_not_published() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let readmes = ["npm", "python", "kotlin", "go"].map(|package| format!("packages/{package}/README.md"));
    for path in ["README.md", "action.yml", "examples", "docs"].map(str::to_owned).into_iter().chain(readmes) {
        for file in files_below(&root.join(path)) {
            let document = fs::read_to_string(&file).unwrap_or_default();
            found.extend(loads(&document).into_iter().map(|line| format!("{}: {line}", file.display())));
        }
    }
    assert!(found.is_empty(), "install the files that packages/build makes:\n{}", found.join("\n"));
}

fn files_below(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("a folder").filter_map(Result::ok);
    entries.filter(|entry| entry.file_name() != "node_modules").flat_map(|entry| files_below(&entry.path())).collect()
}

#[test]
fn commands_that_load_packages_are_found() {
    let text = "    npx chatdouble serve\n`npm i -D chatdouble`, and\npip install chatdouble==1 # x\ndocker run -p 1:1 chatdouble\n\
                npx --no chatdouble\nnpx --no -- chatdouble serve\nnpm i -D DIR/chatdouble-*.tgz\nnpx vitest # chatdouble\ndocker run --pull never chatdouble\n";
    assert_eq!(loads(text).len(), 5);
    assert!(loads(text)[1].starts_with("`npm"));
}

#[test]
fn fixtures_in_the_documents_load() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut loaded = 0;
    for entry in std::fs::read_dir(folder).expect("documents") {
        let path = entry.expect("readable").path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let blocks = text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
        for document in blocks.filter(|block| block.contains("\"organization\"") && !block.contains('…')) {
            let now = crate::support::ParseTimestamp::parse_timestamp(crate::support::START);
            let read = chatdouble::fixture::read(document, now, 0);
            assert!(read.is_ok(), "{}: {:?}", path.display(), read.err());
            loaded += 1;
        }
    }
    assert!(loaded > 0);
}

#[test]
fn the_level_of_undated_changes_is_that_of_the_code() {
    let level = chatdouble::level::SPECIFIED_LEVEL;
    let page =
        |name: &str| std::fs::read_to_string(format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a page");
    let assumptions = page("assumptions.md");
    for id in ["A-4", "A-12"] {
        let row = assumptions.lines().find(|line| line.starts_with(&format!("| {id} |"))).expect("a row");
        assert!(row.contains(&format!("From {level} on")), "{row}");
    }
    for (name, part) in [
        ("assumptions.md", format!("hexadecimal from {level} on")),
        ("assumptions.md", format!("below {level}, the level of the specification")),
        ("real-server.md", format!("so does the double below {level}")),
        ("contributing/levels.md", format!("has the level {level}")),
    ] {
        let text = page(name).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&part), "{name}: {part}");
    }
}

#[test]
fn documents_name_the_newest_level() {
    let level = chatdouble::api::NEWEST_FEATURE_LEVEL;
    for (file, text) in [
        ("docs/adopting.md", format!("The newest level, {level},")),
        ("docs/levels.md", format!("newest level is {level},")),
    ] {
        let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("readable");
        assert!(document.contains(&text), "{file} does not say {text:?}");
    }
}

#[test]
fn the_readme_counts_the_differences_that_were_chosen() {
    let read = |name: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("readable");
    let (mut differ, mut chosen) = (0, 0);
    for totals in read("docs/fidelity.md").lines().filter_map(|line| line.strip_prefix("| **all** |")) {
        let counts: Vec<u32> = totals.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
        let [exchanges, equal, _, _, _, declared, _] = counts[..] else { panic!("{totals}") };
        differ += exchanges - equal;
        chosen += declared;
    }
    let text = format!("Of the {},{:03} requests that differ, {chosen} do so", differ / 1000, differ % 1000);
    let readme = read("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&text), "README.md does not say {text:?}");
}

#[test]
fn the_page_of_clients_has_the_versions_that_the_checks_lock() {
    let read = |name: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("readable");
    let page = read("docs/clients.md");
    let pinned_in = |folder: &str, package: &str| {
        let requirements = read(&format!("tests/clients/{folder}/requirements.txt"));
        let found = requirements.lines().find_map(|line| line.strip_prefix(&format!("{package}==")).map(str::to_owned));
        found.unwrap_or_else(|| panic!("{folder} does not pin {package}"))
    };
    let locked_in = |folder: &str, package: &str| {
        let lock: Value =
            serde_json::from_str(&read(&format!("tests/clients/{folder}/package-lock.json"))).expect("JSON");
        lock["packages"][format!("node_modules/{package}")]["version"].as_str().expect("a version").to_owned()
    };
    let example: Value = serde_json::from_str(&read("examples/playwright/package.json")).expect("JSON");
    let playwright = example["devDependencies"]["@playwright/test"].as_str().expect("a version").to_owned();
    for (client, versions) in [
        ("`zulip` (Python)", vec![pinned_in("python", "zulip")]),
        ("`zulip-js`", vec![locked_in("javascript", "zulip-js")]),
        ("`tuspy`, `tus-js-client`", vec![pinned_in("python", "tuspy"), locked_in("javascript", "tus-js-client")]),
        ("PyNaCl", vec![pinned_in("python", "pynacl")]),
        ("`zulip_botserver`", vec![pinned_in("botserver", "zulip_botserver")]),
        ("Playwright", vec![playwright]),
        ("Schemathesis", vec![pinned_in("openapi", "schemathesis")]),
        (
            "Redocly CLI, Spectral",
            vec![locked_in("generated", "@redocly/cli"), locked_in("generated", "@stoplight/spectral-cli")],
        ),
        ("openapi-generator", vec![pinned_in("generated", "openapi-generator-cli")]),
        (
            "`openapi-typescript` with `openapi-fetch`, `@hey-api/openapi-ts`, `orval`, `openapi-python-client`",
            vec![
                locked_in("generated", "openapi-typescript") + " with " + &locked_in("generated", "openapi-fetch"),
                locked_in("generated", "@hey-api/openapi-ts"),
                locked_in("generated", "orval"),
                pinned_in("generated", "openapi-python-client"),
            ],
        ),
    ] {
        let start = format!("| {client} | {} |", versions.join(", "));
        assert!(page.lines().any(|line| line.starts_with(&start)), "docs/clients.md has no line {start}");
    }
}

#[test]
fn tables_have_as_many_columns_in_each_line_below_their_heads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = files_below(&root.join("docs")).into_iter().chain([root.join("README.md")]);
    let mut count = 0;
    for page in pages.filter(|page| page.extension().is_some_and(|end| end == "md")) {
        let text = fs::read_to_string(&page).expect("readable");
        let lines: Vec<&str> = text.lines().collect();
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        for (index, pair) in lines.windows(2).enumerate() {
            if pair[1].starts_with("|---") {
                count += 1;
                assert_eq!(columns(pair[0]), columns(pair[1]), "{}:{}", page.display(), index + 1);
            }
        }
    }
    assert!(count > 100, "{count} tables");
}

/// The types of `chatdouble::testing`, as its `pub use` lines name them.
fn testing_types() -> Vec<String> {
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/testing.rs")).expect("readable");
    let uses = source.lines().filter_map(|line| line.strip_prefix("pub use "));
    let names =
        uses.flat_map(|line| line.split(|one: char| !one.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>());
    names.filter(|name| name.starts_with(char::is_uppercase)).collect()
}

#[test]
fn blocks_in_rust_import_what_they_use_of_the_tests_helper() {
    let types = testing_types();
    let mut mistakes = Vec::new();
    let mut checked = 0;
    for path in ["README.md", "docs/rust.md"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("readable");
        for block in text.split("```rust\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            let Some((_, rest)) = block.split_once("use chatdouble::testing::{") else { continue };
            let (imports, code) = rest.split_once("};").expect("an end of the import");
            let words = |text: &str| -> Vec<String> {
                text.split(|one: char| !one.is_alphanumeric() && one != '_').map(str::to_owned).collect()
            };
            let (imported, used) = (words(imports), words(code));
            let unused = imported.iter().filter(|name| *name != "self" && !name.is_empty() && !used.contains(name));
            mistakes.extend(unused.map(|name| format!("{path}: {name} is imported and not used")));
            let missing = types.iter().filter(|name| used.contains(name) && !imported.contains(name));
            mistakes.extend(missing.map(|name| format!("{path}: {name} is used and not imported")));
            checked += 1;
        }
    }
    assert!(checked >= 2 && mistakes.is_empty(), "{checked} blocks: {mistakes:#?}");
}
