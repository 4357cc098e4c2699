//! Parses a scenario file: finds its headings and blocks, and checks the blocks.

use super::block::{Block, QUEUE_NAME_SUFFIX, queue_name};
use super::block_parser::{self, FenceInfo};
use super::fenced_block::FencedBlock;
use super::mistake::{Mistake, line_of};
use super::template::{REFERENCE_WORDS, Reference, Template};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::ops::Range;

/// A parsed scenario file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Path of the file, for messages. Paths of fixtures are relative to its folder.
    pub path: String,
    /// Text of the file, with `\n` as the end of each line. Byte offsets and ranges count in this text.
    pub text: String,
    /// The blocks that are played before each scenario.
    pub(super) background: Vec<Block>,
    /// The scenarios in the order of the file.
    pub scenarios: Vec<Scenario>,
}

/// A scenario: a heading with the blocks below it. A server with control plays it in a new world.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The text of its heading.
    pub name: String,
    /// The line of its heading, from 1.
    pub line: usize,
    pub(super) blocks: Vec<Block>,
}

/// A heading with the blocks below it.
struct Section {
    name: String,
    /// 1 or 2.
    level: u8,
    /// Byte offset of the heading in the file.
    offset: usize,
    blocks: Vec<Block>,
    /// Whether the last block has mistakes, so that a reply after it belongs to no block.
    is_broken: bool,
}

impl Document {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// The mistakes in the file, in the order of lines. Of each block, perhaps only the first.
    pub fn parse(path: &str, text: &str) -> Result<Self, Vec<Mistake>> {
        let text = text.replace("\r\n", "\n");
        let mut mistakes = Vec::new();
        let mut broken_text = String::new();
        let sections = parse_sections(&text, &mut mistakes, &mut broken_text);
        let (background, scenarios) = assign_sections(&text, sections, &mut mistakes);
        check_blocks(&background, &scenarios, &broken_text, &mut mistakes);
        if mistakes.is_empty() {
            return Ok(Self { path: path.to_owned(), text, background, scenarios });
        }
        mistakes.sort_by_key(|mistake| mistake.offset);
        mistakes.dedup();
        Err(mistakes.into_iter().map(|mistake| mistake.with_location(path, &text)).collect())
    }
}

/// Splits a file into sections at headings of the first two levels.
///
/// Blocks in lists and quotations are mistakes, because a reader sees them, but they would not be played.
///
/// The text of blocks with mistakes is added to `broken_text`, because these blocks may capture names that other blocks
/// use.
fn parse_sections(text: &str, mistakes: &mut Vec<Mistake>, broken_text: &mut String) -> Vec<Section> {
    let new_section = |name, level, offset| Section { name, level, offset, blocks: Vec::new(), is_broken: false };
    let mut sections = vec![new_section(String::new(), 1, 0)];
    let mut events = Parser::new(text).into_offset_iter();
    let mut depth = 0_usize;
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 && level <= HeadingLevel::H2 => {
                let heading_events = events.by_ref().map(|(event, _)| event);
                let name =
                    plain_text(heading_events.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_)))));
                let offset = line_start(text, range.start);
                sections.push(new_section(name, level as u8, offset));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let code_events = events.by_ref().take_while(|(event, _)| *event != Event::End(TagEnd::CodeBlock));
                let code_end = code_events.last().map(|(_, code)| code.end);
                let fence_offset = line_start(text, range.start);
                let section = sections.last_mut().expect("there is one from the beginning");
                let previous_mistake_count = mistakes.len();
                let Some(fence_info) = block_parser::parse_fence_info(&info, fence_offset, mistakes) else {
                    if mistakes.len() > previous_mistake_count {
                        section.is_broken = true;
                        broken_text.push_str(&text[range]);
                    }
                    continue;
                };
                if depth > 0 {
                    broken_text.push_str(&text[range]);
                    mistakes.push(Mistake::at(
                        fence_offset,
                        "blocks that are played must be outside of lists and quotations",
                    ));
                    continue;
                }
                let was_broken = section.is_broken;
                let result = content_range(text, &range, code_end)
                    .ok_or_else(|| vec![Mistake::at(fence_offset, "this block is not closed")])
                    .and_then(|content| {
                        add_block(section, &fence_info, &FencedBlock { text, offset: fence_offset, content })
                    });
                // A reply to a block with mistakes is ignored, too.
                let is_ignored = was_broken && matches!(fence_info, FenceInfo::Reply(_));
                if result.is_err() || is_ignored {
                    broken_text.push_str(&text[range]);
                }
                mistakes.extend(result.err().into_iter().flatten());
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    sections
}

/// The start of the line that contains a byte offset.
fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The byte range between the fences of a block. None if the closing fence is missing. `code_end` is the end of its
/// last line, if it has lines.
fn content_range(text: &str, block: &Range<usize>, code_end: Option<usize>) -> Option<Range<usize>> {
    let start = block.start + text[block.clone()].find('\n')? + 1;
    let end = code_end.unwrap_or(start);
    let closing_fence = text[end..block.end].trim();
    (!closing_fence.is_empty()).then_some(start..end)
}

fn add_block(
    section: &mut Section,
    fence_info: &FenceInfo,
    fenced_block: &FencedBlock<'_>,
) -> Result<(), Vec<Mistake>> {
    if let FenceInfo::Reply(arguments) = fence_info {
        let reply = block_parser::parse_reply(arguments, fenced_block)?;
        if std::mem::take(&mut section.is_broken) {
            return Ok(());
        }
        if section.blocks.last_mut().is_some_and(|last| last.set_reply(reply)) {
            return Ok(());
        }
        return Err(
            Mistake::at(fenced_block.offset, "a reply follows a request, a queue or a control block, once").into()
        );
    }
    let block = block_parser::parse_block(fence_info, fenced_block);
    section.is_broken = block.is_err();
    section.blocks.push(block?);
    Ok(())
}

fn plain_text<'a>(events: impl Iterator<Item = Event<'a>>) -> String {
    let mut plain_text = String::new();
    for event in events {
        match event {
            Event::Text(text) | Event::Code(text) => plain_text.push_str(&text),
            Event::SoftBreak | Event::HardBreak => plain_text.push(' '),
            _ => {}
        }
    }
    plain_text
}

/// Divides the sections into the background, which is played before each scenario, and the scenarios. If no section of
/// level 2 has blocks, those of level 1 are the scenarios, and there is no background.
fn assign_sections(text: &str, sections: Vec<Section>, mistakes: &mut Vec<Mistake>) -> (Vec<Block>, Vec<Scenario>) {
    let (mut titles, mut subsections): (Vec<Section>, Vec<Section>) =
        sections.into_iter().filter(|section| !section.blocks.is_empty()).partition(|section| section.level == 1);
    for unnamed in titles.iter().filter(|section| section.name.is_empty()) {
        mistakes.push(Mistake::at(unnamed.blocks[0].range.start, "a scenario needs a heading above it"));
    }
    for title in titles.iter().skip(1).filter(|_| !subsections.is_empty()) {
        mistakes.push(Mistake::at(title.offset, "blocks under a second title: there, scenarios must be under ##"));
    }
    let mut background = Vec::new();
    if subsections.is_empty() {
        subsections = titles;
    } else if !titles.is_empty() {
        background = titles.swap_remove(0).blocks;
    }
    if subsections.is_empty() && mistakes.is_empty() {
        mistakes.push(Mistake::at(0, "there is no scenario: a heading with a ```request block below it"));
    }
    let mut names = BTreeSet::new();
    for section in &subsections {
        if !names.insert(section.name.clone()) {
            mistakes.push(Mistake::at(section.offset, format!("two scenarios are called '{}'", section.name)));
        }
    }
    let scenario =
        |section: Section| Scenario { name: section.name, line: line_of(text, section.offset), blocks: section.blocks };
    (background, subsections.into_iter().map(scenario).collect())
}

/// Finds names and queues that have no value yet, matchers in requests, and `world` blocks that come too late.
///
/// Names that a block with mistakes may capture, according to `broken_text`, count as known.
fn check_blocks(background: &[Block], scenarios: &[Scenario], broken_text: &str, mistakes: &mut Vec<Mistake>) {
    let may_be_captured = |name: &str| match name.strip_suffix(QUEUE_NAME_SUFFIX) {
        Some(label) => broken_text.contains(&format!("queue {label}")),
        None => broken_text.split("{{").skip(1).any(|placeholder| {
            placeholder.split(":=").next().is_some_and(|captured_name| captured_name.trim() == name)
        }),
    };
    for scenario in scenarios {
        let mut known_names = BTreeSet::new();
        let mut has_started = false;
        for block in background.iter().chain(&scenario.blocks) {
            if block.world_setup().is_some() && has_started {
                mistakes.push(Mistake::at(
                    block.range.start,
                    "a world block must be above all requests, events and calls of control",
                ));
            }
            has_started |= block.world_setup().is_none();
            let is_known = |name: &str| known_names.contains(name) || may_be_captured(name);
            for template in block.sent_templates() {
                check_template(template, false, is_known, mistakes);
            }
            for template in block.expected_templates() {
                check_template(template, true, is_known, mistakes);
            }
            if let Some(label) = block.awaited_queue_label().filter(|label| !is_known(&queue_name(label))) {
                mistakes.push(Mistake::at(
                    block.range.start,
                    format!("'{label}' has no queue yet: a ```queue {label} block makes one"),
                ));
            }
            known_names.extend(block.captured_names());
        }
    }
}

fn check_template(
    template: &Template,
    allows_matchers: bool,
    is_known: impl Fn(&str) -> bool,
    mistakes: &mut Vec<Mistake>,
) {
    if template.has_matchers_or_captures() && !allows_matchers {
        mistakes.push(Mistake::at(
            template.offset,
            "a request is made of values; types, ranges and captures say what comes back",
        ));
    }
    for reference in template.references() {
        match reference {
            Reference::Captured(name) if !is_known(name) => {
                let suggestion = REFERENCE_WORDS
                    .iter()
                    .find(|word| strsim::damerau_levenshtein(word, name) <= 1)
                    .map(|word| format!("; did you mean {{{{{word}}}}}?"))
                    .unwrap_or_default();
                let reason = format!(
                    "'{name}' has no value yet: {{{{{name} := int}}}} in an earlier reply would give it \
                     one{suggestion}"
                );
                mistakes.push(Mistake::at(template.offset, reason));
            }
            Reference::Queue(label, _) if !is_known(&queue_name(label)) => {
                let reason = format!("'{label}' has no queue yet: a ```queue {label} block makes one");
                mistakes.push(Mistake::at(template.offset, reason));
            }
            _ => {}
        }
    }
}
