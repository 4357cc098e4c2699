//! The names that blocks of a scenario refer to, and the check that users, channels and groups of these names exist.

use super::block::{Block, BlockKind, Caller};
use super::document::Document;
use super::mistake::line_of;
use super::scope::Scope;
use super::template::{Part, Reference, Template, UserField};

/// Finds names that do not exist in the world. Returns the line of the first, and a message with all of them. A name
/// that occurs in the text of an earlier block is not checked, because that block may create it.
pub fn find_unknown_names(scope: &Scope, document: &Document, blocks: &[&Block]) -> Option<(usize, String)> {
    let mut earlier_text = String::new();
    let mut messages: Vec<(usize, String)> = Vec::new();
    for block in blocks {
        for (reference, offset) in references_with_offsets(block) {
            let Some((name, existing_names)) = names_of_kind(scope, &reference) else { continue };
            if scope.value(&reference).is_ok() || earlier_text.contains(name) {
                continue;
            }
            let line = line_of(&document.text, offset);
            let reason = scope.value(&reference).err().unwrap_or_default();
            let message = format!("{reason}{}", nearest_name_note(name, &existing_names));
            if !messages.iter().any(|(_, other_message)| *other_message == message) {
                messages.push((line, message));
            }
        }
        block.templates().iter().for_each(|template| earlier_text.push_str(&literal_text(template)));
    }
    let (line, first) = messages.first()?.clone();
    let other_messages =
        messages.iter().skip(1).map(|(line, message)| format!("\n{}:{line}: {message}", document.path));
    Some((line, format!("{first}{}", other_messages.collect::<String>())))
}

/// The handles of the users in a block, with duplicates.
pub fn handles(block: &Block) -> impl Iterator<Item = String> {
    references_with_offsets(block).into_iter().filter_map(|(reference, _)| match reference {
        Reference::User(handle, _) => Some(handle),
        _ => None,
    })
}

/// The names of captured values that a block needs, with duplicates.
pub fn needed_captures(block: &Block) -> impl Iterator<Item = String> {
    references_with_offsets(block).into_iter().filter_map(|(reference, _)| match reference {
        Reference::Captured(name) => Some(name),
        _ => None,
    })
}

/// The references in a block, including its caller, with their byte offsets.
fn references_with_offsets(block: &Block) -> Vec<(Reference, usize)> {
    let mut references = Vec::new();
    if let BlockKind::Request(request, _) = &block.kind
        && let Caller::User { handle, .. } = &request.caller
    {
        references.push((Reference::User(handle.clone(), UserField::UserId), request.path.offset));
    }
    for template in block.templates() {
        references.extend(template.references().map(|reference| (reference.clone(), template.offset)));
    }
    references
}

/// The name in a reference to a user, channel or group, with all existing names of its kind. None for other references.
fn names_of_kind<'a>(scope: &'a Scope, reference: &'a Reference) -> Option<(&'a str, Vec<&'a String>)> {
    let directory = &scope.directory;
    match reference {
        Reference::User(name, _) => Some((name, directory.users.keys().collect())),
        Reference::Channel(name) => Some((name, directory.channel_ids.keys().collect())),
        Reference::Group(name) => Some((name, directory.group_ids.keys().collect())),
        _ => None,
    }
}

fn nearest_name_note(name: &str, existing_names: &[&String]) -> String {
    // The names of users include email addresses.
    let are_both_addresses_or_handles = |other_name: &&&String| other_name.contains('@') == name.contains('@');
    // An integer, since floats have no total order.
    let similarity = |other_name: &&&String| (strsim::jaro_winkler(name, other_name) * 1e6) as i64;
    existing_names
        .iter()
        .filter(are_both_addresses_or_handles)
        .max_by_key(similarity)
        .map(|nearest| format!("; the nearest is '{nearest}'"))
        .unwrap_or_default()
}

fn literal_text(template: &Template) -> String {
    let literal = |part: &Part| if let Part::Literal(text) = part { Some(format!("{text}\n")) } else { None };
    template.parts.iter().filter_map(literal).collect()
}
