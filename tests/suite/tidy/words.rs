//! Words that no file of the project has, in names, comments, texts or documents: each has a plainer one.

use std::path::Path;

const RETIRED: &[&str] = &["anew", "beside", "lies", "mends", "stands", "told", "whom"];

/// Files and folders of the project that people write.
const ROOTS: &[&str] = &[
    ".ci",
    ".github",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "README.md",
    "action.yml",
    "crates",
    "docs",
    "examples",
    "fixtures",
    "justfile",
    "packages",
    "scenarios",
    "src",
    "tests",
];

/// Folders of what others wrote, or of what is made by a run.
const SKIPPED: &[&str] = &[".venv", "__pycache__", "dist", "exchanges", "node_modules", "out", "target", "vendor"];

/// Lines in which a retired word is data.
const DATA: &[(&str, &str)] = &[(
    "src/realm/narrow/search.rs",
    "hers herself it its itself they them their theirs themselves what which who whom this that these \\",
)];

/// The text of each file under a path that is text, with its name.
fn read(root: &Path, path: &Path, all: &mut Vec<(String, String)>) {
    if path.is_dir() {
        if path.file_name().is_some_and(|name| SKIPPED.iter().any(|skipped| name == *skipped)) {
            return;
        }
        for entry in std::fs::read_dir(path).expect("readable") {
            read(root, &entry.expect("readable").path(), all);
        }
    } else if let Ok(text) = std::fs::read_to_string(path) {
        let name = path.strip_prefix(root).expect("inside").to_string_lossy().replace('\\', "/");
        all.push((name, text));
    }
}

#[test]
fn words_are_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for name in ROOTS {
        assert!(root.join(name).exists(), "{name} is not there");
        read(root, &root.join(name), &mut files);
    }
    // In a name, words end at underscores too.
    let word = regex::Regex::new(&format!(r"(?i)(?:\b|_)({})(?:\b|_)", RETIRED.join("|"))).expect("well-formed");
    let mut found = Vec::new();
    let mut allowed = Vec::new();
    for (name, text) in files.iter().filter(|(name, _)| name != "tests/suite/tidy/words.rs") {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| word.is_match(line)) {
            match DATA.iter().find(|(file, data)| file == name && *data == line.trim()) {
                Some(row) => allowed.push(row),
                None => found.push(format!("{name}:{}: {}", at + 1, line.trim())),
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(allowed, DATA.iter().collect::<Vec<_>>(), "a row without such a line");
}
