//! The block parser: paragraphs, headings, rules, quotes, lists, tables and indented code.
//!
//! A text is split at blank lines. For each part, the kinds of blocks are tried in a fixed order. The first kind that
//! matches parses the beginning of the part, and the remaining text is parsed next. A heading, rule or quote may begin
//! in a later line; the lines before it are parsed first. Items of lists and quotes are parsed recursively.

mod list;
mod quote;
mod scan;
mod table;

use super::lines::is_blank;
use super::tree::{MAX_DEPTH, NodeId, Text, Tree};
use std::collections::VecDeque;

const CODE_INDENT: &str = "    ";

/// Indentation of text that belongs to an item of a list.
const ITEM_INDENT: &str = "  ";

/// The context of the block that is being parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Items without blank lines between them.
    TightList,
    /// An item after a blank line.
    LooseItem,
    Quote,
    /// Text that is indented below an item.
    Indented,
}

/// Text between blank lines, or its unparsed remainder. The flags prevent repeated searches in the same text.
#[derive(Debug)]
struct Block {
    text: String,
    /// Position of the unparsed remainder in `text`.
    start: usize,
    may_have_heading: bool,
    may_have_rule: bool,
}

impl Block {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), start: 0, may_have_heading: true, may_have_rule: true }
    }

    fn text(&self) -> &str {
        &self.text[self.start..]
    }

    fn skip(mut self, bytes: usize) -> Self {
        self.start += bytes;
        self
    }
}

/// Parses a text into children of `root`. Stops when the tree's budget is exhausted.
pub(super) fn parse(tree: &mut Tree, root: NodeId, text: String) {
    Parser { tree, states: Vec::new(), depth: 0 }.parse_text(root, text);
}

struct Parser<'t> {
    tree: &'t mut Tree,
    states: Vec<State>,
    depth: usize,
}

impl Parser<'_> {
    fn is_in(&self, state: State) -> bool {
        self.states.last() == Some(&state)
    }

    fn can_nest(&self) -> bool {
        self.depth < MAX_DEPTH
    }

    fn parse_text(&mut self, parent: NodeId, text: String) {
        // The budget is checked before each block.
        let _ = self.tree.budget().spend_steps(text.len());
        let blocks = text.split("\n\n").map(Block::new).collect();
        // The blocks are copies: dropping the text saves memory in deep nesting.
        drop(text);
        self.parse_blocks(parent, blocks);
    }

    /// Parses a text as one block, even if it has blank lines.
    fn parse_block(&mut self, parent: NodeId, text: impl Into<String>) {
        let block = Block::new(text);
        let _ = self.tree.budget().spend_steps(block.text.len());
        self.parse_blocks(parent, VecDeque::from([block]));
    }

    fn parse_blocks(&mut self, parent: NodeId, mut blocks: VecDeque<Block>) {
        self.depth += 1;
        while let Some(block) = blocks.pop_front().filter(|_| self.tree.budget().check().is_ok()) {
            if let Some(remaining) = self.take_block(parent, block) {
                blocks.push_front(remaining);
            }
        }
        self.depth -= 1;
    }

    /// Parses the beginning of a block, and returns the remaining text. None: nothing remains.
    fn take_block(&mut self, parent: NodeId, mut block: Block) -> Option<Block> {
        let text = block.text();
        if text.is_empty() || text.starts_with('\n') {
            return self.take_blank_line(parent, block);
        }
        if self.is_indented_item(parent, text) {
            self.parse_indented_item(parent, block);
            return None;
        }
        if text.starts_with(CODE_INDENT) {
            return self.take_code(parent, block);
        }
        if let Some(heading) = (block.may_have_heading).then(|| scan::find_heading(text)).flatten() {
            return self.take_heading(parent, block, &heading);
        }
        block.may_have_heading = false;
        if let Some(table) = table::TableFormat::parse(block.text()) {
            table.build(self.tree, parent, block.text());
            return None;
        }
        if let Some(rule) = (block.may_have_rule).then(|| scan::find_rule(block.text())).flatten() {
            let before = block.text()[..rule.start].trim_end_matches('\n').to_owned();
            if !before.is_empty() {
                self.parse_block(parent, before);
            }
            self.tree.append(parent, "hr");
            let after = block.skip(rule.end);
            let blank_length = after.text().len() - after.text().trim_start_matches('\n').len();
            return Some(after.skip(blank_length)).filter(|after| !after.text().is_empty());
        }
        block.may_have_rule = false;
        if self.can_nest() {
            if let Some(kind) = list::Kind::of_block(block.text()) {
                self.parse_list(parent, kind, block);
                return None;
            }
            if let Some(start) = scan::find_quote(block.text()) {
                self.parse_quote(parent, block, start);
                return None;
            }
        }
        self.parse_paragraph(parent, block.text());
        None
    }

    fn take_blank_line(&mut self, parent: NodeId, block: Block) -> Option<Block> {
        let is_empty = block.text().is_empty();
        if let Some(code) = self.tree.last_child(parent).filter(|last| self.tree.tag(*last) == "pre") {
            // Blank lines between indented code belong to the code.
            self.tree[code].text.content.push_str(if is_empty { "\n\n" } else { "\n" });
        }
        if is_empty { None } else { Some(block.skip(1)).filter(|remaining| !remaining.text().is_empty()) }
    }

    fn take_code(&mut self, parent: NodeId, block: Block) -> Option<Block> {
        let text = block.text();
        let mut code = String::new();
        let mut length = 0;
        for (index, line) in text.split('\n').enumerate() {
            let unindented = match line.strip_prefix(CODE_INDENT) {
                Some(unindented) => unindented,
                None if is_blank(line) => "",
                None => break,
            };
            code.push_str(if index > 0 { "\n" } else { "" });
            code.push_str(unindented);
            length += line.len() + 1;
        }
        code.truncate(code.trim_end_matches(super::character::is_space).len());
        code.push('\n');
        match self.tree.last_child(parent).filter(|last| self.tree.tag(*last) == "pre") {
            Some(preceding_code) => {
                let content = &mut self.tree[preceding_code].text.content;
                content.push('\n');
                content.push_str(&code);
            }
            None => {
                let pre = self.tree.append(parent, "pre");
                self.tree[pre].text = Text::literal(code);
            }
        }
        (length < text.len()).then(|| block.skip(length))
    }

    fn take_heading(&mut self, parent: NodeId, block: Block, heading: &scan::Heading) -> Option<Block> {
        let text = block.text();
        if heading.start > 0 {
            self.parse_block(parent, &text[..heading.start]);
        }
        let tag = ["h1", "h2", "h3", "h4", "h5", "h6"][heading.level - 1];
        let content = text[heading.content.clone()].trim_matches(super::character::is_space).to_owned();
        let node = self.tree.append(parent, tag);
        self.tree[node].text = Text::markup(content);
        if heading.end >= text.len() {
            return None;
        }
        if self.is_in(State::LooseItem) {
            // As in Python-Markdown: without a blank line after the heading, the lines after it still have the
            // indentation of the item.
            return Some(Block::new(list::remove_indent(&text[heading.end..], CODE_INDENT.len())));
        }
        Some(block.skip(heading.end))
    }

    fn parse_paragraph(&mut self, parent: NodeId, text: &str) {
        if is_blank(text) {
            return;
        }
        let trimmed = text.trim_start_matches(super::character::is_space);
        if !self.is_in(State::TightList) {
            let paragraph = self.tree.append(parent, "p");
            self.tree[paragraph].text = Text::markup(trimmed);
            return;
        }
        // Text of a tight list gets no paragraph: it continues the text of the item, or follows the item's last child.
        if let Some(last) = self.tree.last_child(parent) {
            let tail = &mut self.tree[last].tail.content;
            tail.push('\n');
            tail.push_str(text);
        } else if self.tree[parent].text.content.is_empty() {
            self.tree[parent].text = Text::markup(trimmed);
        } else {
            let content = &mut self.tree[parent].text.content;
            content.push('\n');
            content.push_str(text);
        }
    }
}
