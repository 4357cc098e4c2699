//! What the crate offers: every item at its root and in its public modules, with fields, variants and functions, is in
//! `public/surface.txt`. A change of the surface shows there; `CHATDOUBLE_UPDATE_DOCS=1 cargo test public` writes it again.

use regex::Regex;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The modules of the surface, which have items of their own.
const MODULES: [&str; 3] = ["reducer", "scenario", "testing"];

/// A public item: its path, and the file or folder of the module that it comes from.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    path: String,
    name: String,
    module: String,
}

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("well-formed")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)).expect("readable")
}

/// The items that a module re-exports or has itself.
fn items(text: &str, prefix: &str) -> BTreeSet<Item> {
    let mut all = BTreeSet::new();
    for found in expression(r"(?m)^pub use ([\w:]+)::(?:(\w+)(?: as (\w+))?|\{([^}]+)\});").captures_iter(text) {
        let module = found[1].trim_start_matches("crate::").replace("::", "/");
        let module = format!("{prefix}{module}");
        let names = found.get(4).map_or_else(|| found[2].to_owned(), |list| list.as_str().to_owned());
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let shown = found.get(3).map_or(name, |shown| shown.as_str());
            let path = format!("{}{shown}", prefix.replace('/', "::"));
            all.insert(Item { path, name: name.to_owned(), module: module.clone() });
        }
    }
    for found in expression(r"(?m)^pub (?:async )?(?:fn|struct|enum|trait|const|type) (\w+)").captures_iter(text) {
        let path = format!("{}{}", prefix.replace('/', "::"), &found[1]);
        all.insert(Item { path, name: found[1].to_owned(), module: prefix.trim_end_matches('/').to_owned() });
    }
    all
}

/// All items of the surface: those of the crate's root, and those of its public modules.
fn surface() -> BTreeSet<Item> {
    let root = read("lib.rs");
    // What is for the crate's own tests is public with a feature alone, and the program is no library.
    let root = expression(r#"#\[cfg\(feature = "internals"\)\]\npub mod \w+;|#\[doc\(hidden\)\]\npub mod \w+;"#)
        .replace_all(&root, "")
        .into_owned();
    let modules: Vec<String> =
        expression(r"(?m)^pub mod (\w+);").captures_iter(&root).map(|found| found[1].to_owned()).collect();
    assert_eq!(modules, MODULES, "the public modules");
    let mut all = items(&root, "");
    for module in modules {
        all.extend(items(&read(&format!("{module}.rs")), &format!("{module}/")));
    }
    all
}

/// The sources of a module: its file, and those in its folder.
fn sources(module: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<PathBuf> = vec![root.join(format!("{module}.rs"))];
    let folder = std::fs::read_dir(root.join(module)).into_iter().flatten().flatten().map(|entry| entry.path());
    // Where a feature is off, others are in the place of its types.
    files.extend(folder.filter(|path| path.is_file() && !path.ends_with("stubs.rs")));
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).expect("readable")).collect()
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(", )", ")")
}

/// The declaration of an item, then its fields or variants and its functions.
fn listing(item: &Item) -> Vec<String> {
    let name = &item.name;
    let declared = expression(&format!(
        r"(?ms)^pub type {name}\b[^;]*|^pub (?:(?:async )?fn|const) {name}\b[^=;{{]*|^pub (?:struct|enum|trait) {name}\b[^;{{]*(?:;|\{{\}}|\{{.*?^\}})"
    ));
    let inherent = expression(&format!(r"(?ms)^impl(?:<[^>]*>)? {name}(?:<[^>]*>)? \{{\n(.*?)^\}}"));
    let function = expression(r"(?m)^    (pub (?:const )?(?:async )?(?:fn|const) [^{;=]+)");
    let field = expression(r"(?m)^    (pub \w+: [^\n]+),$");
    let variant = expression(r"(?m)^    ([A-Z]\w*(?:\([^)]*\)| \{[^}]*\})?),$");
    // What is hidden is for the crate's own tests, like the modules behind `internals`.
    let unlisted = expression(r"(?m)^ *//.*\n|^    #\[doc\(hidden\)\]\n    pub ");
    let (mut lines, mut functions) = (Vec::new(), BTreeSet::new());
    for text in sources(&item.module) {
        let text = unlisted.replace_all(&text, "");
        if let Some(whole) = declared.find(&text).filter(|_| lines.is_empty()) {
            lines.push(in_one_line(whole.as_str().split(['{', ';']).next().unwrap_or_default()));
            let parts = if lines[0].contains("enum ") { &variant } else { &field };
            lines.extend(parts.captures_iter(whole.as_str()).map(|part| format!("    {}", in_one_line(&part[1]))));
        }
        for block in inherent.captures_iter(&text) {
            functions.extend(function.captures_iter(&block[1]).map(|one| format!("    {}", in_one_line(&one[1]))));
        }
    }
    assert!(!lines.is_empty(), "{} is declared nowhere in {}", item.path, item.module);
    lines.extend(functions);
    lines
}

#[test]
fn the_public_surface_is_as_listed() {
    let mut text = String::new();
    for item in surface() {
        let lines = listing(&item);
        let _ = writeln!(text, "chatdouble::{}\n    {}\n", item.path, lines.join("\n    "));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/public/surface.txt");
    if std::env::var_os("CHATDOUBLE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).expect("the listing can be written");
        return;
    }
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    let (new, gone): (Vec<_>, Vec<_>) = (
        text.lines().filter(|line| !listed.lines().any(|other| other == *line)).collect(),
        listed.lines().filter(|line| !text.lines().any(|other| other == *line)).collect(),
    );
    assert!(text == listed, "the surface is another: new {new:#?}, gone {gone:#?}");
}

#[test]
fn every_item_of_the_surface_has_an_example() {
    // Those of a module are shown together, in its own example.
    let described = |item: &Item| {
        let module = item.path.split_once("::").map(|(module, _)| module);
        match module {
            Some(module) => {
                let text = read(&format!("{module}.rs"));
                text.lines().take_while(|line| line.starts_with("//!")).any(|line| line == "//! ```")
            }
            None => sources(&item.module).iter().any(|text| {
                let declared =
                    expression(&format!(r"(?m)^(?:///[^\n]*\n|#\[[^\n]*\n)+pub (?:struct|enum) {}\b", item.name));
                declared.find(text).is_some_and(|found| found.as_str().lines().any(|line| line == "/// ```"))
            }),
        }
    };
    let without: Vec<String> = surface().into_iter().filter(|item| !described(item)).map(|item| item.path).collect();
    assert!(without.is_empty(), "{without:#?}");
}
