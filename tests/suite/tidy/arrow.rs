//! Which file names which: read from `use` items and from paths that begin with `crate` or `super`, unit tests aside.
//!
//! A name that a file re-exports means the file that has it.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A file as a module: `["realm", "model", "id"]`.
type Module = Vec<String>;

/// The longest chain of re-exports that is followed.
const MAX_CHAIN: usize = 8;

/// What a file has besides its own items.
#[derive(Default)]
struct Contents {
    paths: Vec<Module>,
    re_exports: BTreeMap<String, Module>,
}

struct Reader {
    item: Regex,
    inline: Regex,
    test_item: Regex,
    comment: Regex,
}

/// The files that each file names, as paths without their ends: `realm/model/id`. A module that is inside another one and
/// that other one may name each other, and are left out.
pub(super) fn arrows(sources: &[(PathBuf, String)]) -> BTreeSet<(String, String)> {
    let expression = |text: &str| Regex::new(text).expect("well-formed");
    let reader = Reader {
        item: expression(r"(?m)^ *(pub(?:\([^)]*\))? )?use ([^;]+);"),
        inline: expression(r"\b(?:crate|super)(?:::\w+)+"),
        test_item: expression(r"#\[cfg\(test\)\]\s*(?:mod|use) [^;{]+;"),
        comment: expression(r"//[^\n]*"),
    };
    let modules: BTreeSet<Module> = sources.iter().map(|(path, _)| module(path)).collect();
    let files: BTreeMap<Module, Contents> =
        sources.iter().map(|(path, text)| (module(path), reader.contents(&modules, &module(path), text))).collect();
    let mut all = BTreeSet::new();
    for (from, contents) in &files {
        for path in contents.paths.iter().chain(contents.re_exports.values()) {
            let to = resolved(&files, path, MAX_CHAIN);
            if !from.starts_with(&to) && !to.starts_with(from) {
                all.insert((from.join("/"), to.join("/")));
            }
        }
    }
    all
}

/// The arrows from which their beginning can be reached again.
pub(super) fn on_circles(arrows: &BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    let is_reached = |from: &String, goal: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            if file == goal {
                return true;
            }
            if seen.insert(file) {
                next.extend(arrows.iter().filter(|(from, _)| from == file).map(|(_, to)| to));
            }
        }
        false
    };
    arrows.iter().filter(|(from, to)| is_reached(to, from)).cloned().collect()
}

fn module(path: &std::path::Path) -> Module {
    let names = path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect::<Module>();
    if names == ["lib"] { Module::new() } else { names }
}

/// The file that has what a path leads to.
fn resolved(files: &BTreeMap<Module, Contents>, path: &[String], chain: usize) -> Module {
    let mut at = Module::new();
    for (index, name) in path.iter().enumerate() {
        let inner: Module = at.iter().chain([name]).cloned().collect();
        if files.contains_key(&inner) {
            at = inner;
            continue;
        }
        let target = files.get(&at).and_then(|file| file.re_exports.get(name)).filter(|_| chain > 0);
        let Some(target) = target else { break };
        let whole: Module = target.iter().chain(&path[index + 1..]).cloned().collect();
        return resolved(files, &whole, chain - 1);
    }
    at
}

impl Reader {
    fn contents(&self, modules: &BTreeSet<Module>, own: &Module, text: &str) -> Contents {
        let text = self.test_item.replace_all(text, "");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let text = self.comment.replace_all(text, "");
        let items: Vec<(bool, Vec<String>)> =
            self.item.captures_iter(&text).map(|item| (item.get(1).is_some(), expanded(&item[2]))).collect();
        let re_exported = items.iter().filter(|(is_public, _)| *is_public).flat_map(|(_, uses)| uses);
        let mut names: BTreeSet<String> = re_exported.map(|path| last_name(path).to_owned()).collect();
        let inner = modules.iter().filter(|inner| inner.len() == own.len() + 1 && inner.starts_with(own));
        names.extend(inner.filter_map(|inner| inner.last().cloned()));
        let mut contents = Contents::default();
        for (is_public, uses) in items {
            for path in uses {
                let Some(absolute) = absolute(own, &names, &path) else { continue };
                if is_public && !path.ends_with('*') {
                    contents.re_exports.insert(last_name(&path).to_owned(), absolute);
                } else {
                    contents.paths.push(absolute);
                }
            }
        }
        let rest = self.item.replace_all(&text, "");
        contents.paths.extend(self.inline.find_iter(&rest).filter_map(|path| absolute(own, &names, path.as_str())));
        contents
    }
}

/// The name by which an item of a `use` goes in the file.
fn last_name(path: &str) -> &str {
    path.rsplit([':', ' ']).next().unwrap_or_default()
}

/// A path from the crate's root; None when it leads out of the crate.
fn absolute(own: &[String], names: &BTreeSet<String>, path: &str) -> Option<Module> {
    let path = path.split(" as ").next().unwrap_or_default();
    let mut parts: Vec<&str> = path.split("::").collect();
    let base = match parts.first().copied()? {
        "crate" => &own[..0],
        "self" => own,
        "super" => {
            let ups = parts.iter().take_while(|part| **part == "super").count();
            parts.drain(..ups - 1);
            &own[..own.len().saturating_sub(ups)]
        }
        name if names.contains(name) => {
            parts.insert(0, "self");
            own
        }
        _ => return None,
    };
    Some(base.iter().cloned().chain(parts[1..].iter().map(|part| (*part).to_owned())).collect())
}

/// The single paths of a `use`, whose braces may hold braces.
fn expanded(tree: &str) -> Vec<String> {
    let tree: String = tree.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((prefix, rest)) = tree.split_once('{') else { return vec![tree] };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (mut branches, mut depth) = (vec![String::new()], 0);
    for character in inside.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if character == ',' && depth == 0 {
            branches.push(String::new());
        } else if let Some(branch) = branches.last_mut() {
            branch.push(character);
        }
    }
    let branches = branches.iter().map(|branch| branch.trim()).filter(|branch| !branch.is_empty());
    branches.flat_map(expanded).map(|branch| format!("{}{branch}", prefix.trim())).collect()
}
