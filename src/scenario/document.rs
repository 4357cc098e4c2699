//! A file of scenarios: headings, prose and the blocks between them.

use super::block::Block;
use super::mistake::{Mistake, line_of};
use super::reading::{self, Fence, Words};
use super::template::{Reference, Template};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::ops::Range;

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its name, for people.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// What is played before each of its scenarios.
    pub(super) background: Vec<Block>,
    /// In order.
    pub scenarios: Vec<Scenario>,
}

/// A story that begins in a fresh world.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its heading.
    pub name: String,
    /// Where the heading is, from 1.
    pub line: usize,
    /// In order.
    pub(super) blocks: Vec<Block>,
}

/// A heading and what is below it.
struct Section {
    name: String,
    level: u8,
    at: usize,
    blocks: Vec<Block>,
    /// Whether the last block has mistakes, so that there is nothing for its reply to follow.
    is_broken: bool,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// All mistakes in it, by line.
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<Mistake>> {
        let text = text.replace("\r\n", "\n");
        let mut mistakes = Vec::new();
        let mut broken = String::new();
        let sections = sections(&text, &mut mistakes, &mut broken);
        let (background, scenarios) = arrange(&text, sections, &mut mistakes);
        check_names(&background, &scenarios, &broken, &mut mistakes);
        if mistakes.is_empty() {
            return Ok(Self { name: name.to_owned(), text, background, scenarios });
        }
        mistakes.sort_by_key(|mistake| mistake.at);
        mistakes.dedup();
        Err(mistakes.into_iter().map(|mistake| mistake.placed(name, &text)).collect())
    }
}

/// Divides a file at its first two levels of headings.
///
/// Blocks in lists and quotations are mistakes: whoever reads sees them, whoever plays would overlook them.
///
/// `broken` gets the texts of the blocks with mistakes, in which names may be given that other blocks use.
fn sections(text: &str, mistakes: &mut Vec<Mistake>, broken: &mut String) -> Vec<Section> {
    let section = |name, level, at| Section { name, level, at, blocks: Vec::new(), is_broken: false };
    let mut sections = vec![section(String::new(), 1, 0)];
    let mut events = Parser::new(text).into_offset_iter();
    let mut depth = 0_usize;
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 && level <= HeadingLevel::H2 => {
                let inside = events.by_ref().map(|(event, _)| event);
                let name = words_of(inside.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_)))));
                let at = line_start(text, range.start);
                sections.push(section(name, level as u8, at));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let inside = events.by_ref().take_while(|(event, _)| *event != Event::End(TagEnd::CodeBlock));
                let code_end = inside.last().map(|(_, code)| code.end);
                let at = line_start(text, range.start);
                let section = sections.last_mut().expect("there is one from the beginning");
                let known = mistakes.len();
                let Some(words) = reading::words(&info, at, mistakes) else {
                    if mistakes.len() > known {
                        section.is_broken = true;
                        broken.push_str(&text[range]);
                    }
                    continue;
                };
                if depth > 0 {
                    broken.push_str(&text[range]);
                    mistakes.push(Mistake::at(at, "blocks that are played must be outside of lists and quotations"));
                    continue;
                }
                let was_broken = section.is_broken;
                let added = content(text, &range, code_end)
                    .ok_or_else(|| vec![Mistake::at(at, "this block is not closed")])
                    .and_then(|content| add(section, &words, &Fence { text, at, content }));
                // What a block with mistakes is replied is not played either.
                let is_lost = was_broken && matches!(words, Words::Reply(_));
                if added.is_err() || is_lost {
                    broken.push_str(&text[range]);
                }
                mistakes.extend(added.err().into_iter().flatten());
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    sections
}

/// Where the line begins that a byte is in.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The lines between the fences of a block, or nothing if its closing fence is missing.
///
/// `code_end` is the end of its last line of code, if there is one.
fn content(text: &str, block: &Range<usize>, code_end: Option<usize>) -> Option<Range<usize>> {
    let start = block.start + text[block.clone()].find('\n')? + 1;
    let end = code_end.unwrap_or(start);
    let closing_fence = text[end..block.end].trim();
    (!closing_fence.is_empty()).then_some(start..end)
}

fn add(section: &mut Section, words: &Words, fence: &Fence<'_>) -> Result<(), Vec<Mistake>> {
    if let Words::Reply(said) = words {
        let reply = reading::reply(said, fence)?;
        if std::mem::take(&mut section.is_broken) {
            return Ok(());
        }
        let answered = section.blocks.last_mut().map_or(Err(()), |last| last.answer(reply));
        if answered.is_ok() {
            return Ok(());
        }
        return Err(Mistake::at(fence.at, "a reply follows a request, a queue or a control block, once").into());
    }
    let block = reading::read(words, fence);
    section.is_broken = block.is_err();
    section.blocks.push(block?);
    Ok(())
}

fn words_of<'a>(events: impl Iterator<Item = Event<'a>>) -> String {
    let mut words = String::new();
    for event in events {
        match event {
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    words
}

/// Tells what is played before every scenario from the scenarios.
fn arrange(text: &str, sections: Vec<Section>, mistakes: &mut Vec<Mistake>) -> (Vec<Block>, Vec<Scenario>) {
    let (mut first, mut second): (Vec<Section>, Vec<Section>) =
        sections.into_iter().filter(|section| !section.blocks.is_empty()).partition(|section| section.level == 1);
    for unnamed in first.iter().filter(|section| section.name.is_empty()) {
        mistakes.push(Mistake::at(unnamed.blocks[0].range.start, "a scenario needs a heading above it"));
    }
    for further in first.iter().skip(1).filter(|_| !second.is_empty()) {
        mistakes.push(Mistake::at(further.at, "blocks under a second title: there, scenarios must be under ##"));
    }
    let mut background = Vec::new();
    if second.is_empty() {
        second = first;
    } else if !first.is_empty() {
        background = first.swap_remove(0).blocks;
    }
    if second.is_empty() && mistakes.is_empty() {
        mistakes.push(Mistake::at(0, "there is no scenario: a heading with a ```request block below it"));
    }
    let mut names = BTreeSet::new();
    for section in &second {
        if !names.insert(section.name.clone()) {
            mistakes.push(Mistake::at(section.at, format!("two scenarios are called '{}'", section.name)));
        }
    }
    let scenario =
        |section: Section| Scenario { name: section.name, line: line_of(text, section.at), blocks: section.blocks };
    (background, second.into_iter().map(scenario).collect())
}

/// Finds values that nothing gave before, and worlds that are made too late.
///
/// Names that blocks with mistakes may give, of which `broken` is the text, are taken to be there.
fn check_names(background: &[Block], scenarios: &[Scenario], broken: &str, mistakes: &mut Vec<Mistake>) {
    let is_perhaps_given = |name: &str| match name.strip_suffix(" queue") {
        Some(label) => broken.contains(&format!("queue {label}")),
        None => broken.split("{{").skip(1).any(|rest| rest.split(":=").next().is_some_and(|one| one.trim() == name)),
    };
    for scenario in scenarios {
        let mut known = BTreeSet::new();
        let mut is_begun = false;
        for block in background.iter().chain(&scenario.blocks) {
            if block.world().is_some() && is_begun {
                mistakes.push(Mistake::at(block.range.start, "a world is made before anything is asked of it"));
            }
            is_begun |= block.world().is_none();
            for (template, is_expectation) in block.templates() {
                let is_known = |name: &str| known.contains(name) || is_perhaps_given(name);
                check_template(template, is_expectation, is_known, mistakes);
            }
            let has_queue = |label: &str| {
                let name = format!("{label} queue");
                known.contains(&name) || is_perhaps_given(&name)
            };
            for label in block.awaited().filter(|label| !has_queue(label)) {
                mistakes.push(Mistake::at(
                    block.range.start,
                    format!("'{label}' has no queue yet: a ```queue {label} block makes one"),
                ));
            }
            known.extend(block.captures());
        }
    }
}

fn check_template(
    template: &Template,
    is_expectation: bool,
    is_known: impl Fn(&str) -> bool,
    mistakes: &mut Vec<Mistake>,
) {
    if template.is_expectation() && !is_expectation {
        mistakes.push(Mistake::at(
            template.at,
            "a request is made of values; types, ranges and captures say what comes back",
        ));
    }
    for reference in template.references() {
        match reference {
            Reference::Captured(name) if !is_known(name) => {
                let reason =
                    format!("'{name}' has no value yet: {{{{{name} := int}}}} in an earlier reply would give it one");
                mistakes.push(Mistake::at(template.at, reason));
            }
            Reference::Queue(label, _) if !is_known(&format!("{label} queue")) => {
                let reason = format!("'{label}' has no queue yet: a ```queue {label} block makes one");
                mistakes.push(Mistake::at(template.at, reason));
            }
            _ => {}
        }
    }
}
