//! Names of users, channels and groups that a scenario uses and its world does not have, found before anything is played.

use super::block::{Block, Caller, Kind};
use super::document::Document;
use super::mistake::line_of;
use super::scope::Scope;
use super::template::{Part, Reference, Template, UserField};

/// All names of a scenario that nothing has: the line of the first, and a sentence for each. A name that an earlier block
/// has in its own text may be given there, and is left to the playing.
pub fn unknown(scope: &Scope, document: &Document, blocks: &[&Block]) -> Option<(usize, String)> {
    let mut earlier = String::new();
    let mut lines: Vec<(usize, String)> = Vec::new();
    for block in blocks {
        for (reference, at) in named(block) {
            let Some((name, known)) = namesakes(scope, &reference) else { continue };
            if scope.value(&reference).is_ok() || earlier.contains(name) {
                continue;
            }
            let line = line_of(&document.text, at);
            let reason = scope.value(&reference).err().unwrap_or_default();
            let what = format!("{reason}{}", nearest(name, &known));
            if !lines.iter().any(|(_, other)| *other == what) {
                lines.push((line, what));
            }
        }
        block.templates().iter().for_each(|(template, _)| earlier.push_str(&literals(template)));
    }
    let (line, first) = lines.first()?.clone();
    let others = lines.iter().skip(1).map(|(line, what)| format!("\n{}:{line}: {what}", document.name));
    Some((line, format!("{first}{}", others.collect::<String>())))
}

/// The handles of the users in a block, who may occur repeatedly.
pub fn users(block: &Block) -> impl Iterator<Item = String> {
    named(block).into_iter().filter_map(|(reference, _)| match reference {
        Reference::User(handle, _) => Some(handle),
        _ => None,
    })
}

/// The references of a block to what is in the world, with their places.
fn named(block: &Block) -> Vec<(Reference, usize)> {
    let mut all = Vec::new();
    if let Kind::Request(request, _) = &block.kind
        && let Caller::User(handle, _) = &request.caller
    {
        all.push((Reference::User(handle.clone(), UserField::UserId), request.path.at));
    }
    for (template, _) in block.templates() {
        all.extend(template.references().map(|reference| (reference.clone(), template.at)));
    }
    all
}

/// The name in a reference, and all names of its kind.
fn namesakes<'a>(scope: &'a Scope, reference: &'a Reference) -> Option<(&'a str, Vec<&'a String>)> {
    let directory = &scope.directory;
    match reference {
        Reference::User(name, _) => Some((name, directory.people.keys().collect())),
        Reference::Channel(name) => Some((name, directory.channels.keys().collect())),
        Reference::Group(name) => Some((name, directory.groups.keys().collect())),
        _ => None,
    }
}

fn nearest(name: &str, known: &[&String]) -> String {
    // Users are known by their addresses too.
    let is_of_kind = |other: &&&String| other.contains('@') == name.contains('@');
    let likeness = |other: &&&String| (strsim::jaro_winkler(name, other) * 1e6) as i64;
    known
        .iter()
        .filter(is_of_kind)
        .max_by_key(likeness)
        .map(|nearest| format!("; the nearest is '{nearest}'"))
        .unwrap_or_default()
}

fn literals(template: &Template) -> String {
    let literal = |part: &Part| if let Part::Literal(text) = part { Some(format!("{text}\n")) } else { None };
    template.parts.iter().filter_map(literal).collect()
}
