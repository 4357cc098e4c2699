//! A file of scenarios: headings, prose and the blocks between them.

use super::block::Block;
use super::mistake::{Mistake, line_of};
use super::reading::{self, Fence, Words};
use super::template::{Reference, Template};
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options};
use std::collections::BTreeSet;

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
        let sections = sections(&text, &mut mistakes);
        let (background, scenarios) = arrange(&text, sections, &mut mistakes);
        if mistakes.is_empty() {
            check_names(&background, &scenarios, &mut mistakes);
        }
        if mistakes.is_empty() {
            return Ok(Self { name: name.to_owned(), text, background, scenarios });
        }
        mistakes.sort_by_key(|mistake| mistake.at);
        mistakes.dedup();
        Err(mistakes.into_iter().map(|mistake| mistake.placed(name, &text)).collect())
    }
}

/// Divides a file at its first two levels of headings.
fn sections(text: &str, mistakes: &mut Vec<Mistake>) -> Vec<Section> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
    let start_of = |line: usize| starts.get(line.saturating_sub(1)).copied().unwrap_or(text.len());
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, text, &Options::default());
    let mut sections = vec![Section { name: String::new(), level: 1, at: 0, blocks: Vec::new() }];
    for node in root.children() {
        let lines = node.data().sourcepos;
        match &node.data().value {
            NodeValue::Heading(heading) if heading.level <= 2 => {
                let at = start_of(lines.start.line);
                sections.push(Section { name: words_of(node), level: heading.level, at, blocks: Vec::new() });
            }
            NodeValue::CodeBlock(code) if code.fenced => {
                let Some(words) = reading::words(&code.info, start_of(lines.start.line), mistakes) else { continue };
                let at = start_of(lines.start.line);
                if !code.closed {
                    mistakes.push(Mistake::at(at, "this block is not closed"));
                    continue;
                }
                let content = start_of(lines.start.line + 1)..start_of(lines.end.line);
                let fence = Fence { text, at, content };
                let section = sections.last_mut().expect("there is one from the beginning");
                if let Err(mistake) = add(&mut section.blocks, &words, &fence) {
                    mistakes.push(mistake);
                }
            }
            _ => refuse_nested(node, &start_of, mistakes),
        }
    }
    sections
}

/// Blocks in lists and quotations would be overlooked by whoever plays, but not by whoever reads.
fn refuse_nested<'a>(node: &'a AstNode<'a>, start_of: &dyn Fn(usize) -> usize, mistakes: &mut Vec<Mistake>) {
    for inner in node.descendants().skip(1) {
        if let NodeValue::CodeBlock(code) = &inner.data().value
            && code.fenced
        {
            let at = start_of(inner.data().sourcepos.start.line);
            if reading::words(&code.info, at, mistakes).is_some() {
                mistakes.push(Mistake::at(at, "blocks that are played stand outside of lists and quotations"));
            }
        }
    }
}

fn add(blocks: &mut Vec<Block>, words: &Words, fence: &Fence<'_>) -> Result<(), Mistake> {
    match words {
        Words::Reply(said) => {
            let reply = reading::reply(said, fence)?;
            blocks
                .last_mut()
                .map_or(Err(()), |last| last.answer(reply))
                .map_err(|()| Mistake::at(fence.at, "a reply follows a request, a queue or a control block, once"))
        }
        other => {
            blocks.push(reading::read(other, fence)?);
            Ok(())
        }
    }
}

fn words_of<'a>(node: &'a AstNode<'a>) -> String {
    let mut words = String::new();
    for inner in node.descendants() {
        match &inner.data().value {
            NodeValue::Text(text) => words.push_str(text),
            NodeValue::Code(code) => words.push_str(&code.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak => words.push(' '),
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
        mistakes.push(Mistake::at(further.at, "blocks under a second title: scenarios stand under ## there"));
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
fn check_names(background: &[Block], scenarios: &[Scenario], mistakes: &mut Vec<Mistake>) {
    for scenario in scenarios {
        let mut known = BTreeSet::new();
        let mut is_begun = false;
        for block in background.iter().chain(&scenario.blocks) {
            if block.world().is_some() && is_begun {
                mistakes.push(Mistake::at(block.range.start, "a world is made before anything is asked of it"));
            }
            is_begun |= block.world().is_none();
            for (template, is_expectation) in block.templates() {
                check_template(template, is_expectation, &known, mistakes);
            }
            for label in block.awaited().filter(|label| !known.contains(&format!("{label} queue"))) {
                mistakes.push(Mistake::at(
                    block.range.start,
                    format!("'{label}' has no queue yet: a ```queue {label} block makes one"),
                ));
            }
            known.extend(block.given());
        }
    }
}

fn check_template(template: &Template, is_expectation: bool, known: &BTreeSet<String>, mistakes: &mut Vec<Mistake>) {
    if template.is_expectation() && !is_expectation {
        mistakes.push(Mistake::at(
            template.at,
            "a request is made of values; types, ranges and captures say what comes back",
        ));
    }
    for reference in template.references() {
        match reference {
            Reference::Captured(name) if !known.contains(name) => {
                let reason =
                    format!("'{name}' has no value yet: {{{{{name} := int}}}} in an earlier reply would give it one");
                mistakes.push(Mistake::at(template.at, reason));
            }
            Reference::Queue(label, _) if !known.contains(&format!("{label} queue")) => {
                let reason = format!("'{label}' has no queue yet: a ```queue {label} block makes one");
                mistakes.push(Mistake::at(template.at, reason));
            }
            _ => {}
        }
    }
}
