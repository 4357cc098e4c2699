//! The block parser: paragraphs, headings, rules, quotes, lists, tables and indented code.
//!
//! A text is cut at blank lines; each part is then tried by the kinds of blocks in a fixed order, and the first kind
//! that fits takes what belongs to it and gives the rest back. What a list holds is parsed in the same way.

mod list;
mod quote;
mod scan;
mod table;

use super::lines::is_blank;
use super::tree::{DEPTH_MAX, NodeId, Text, Tree};
use std::collections::VecDeque;

/// The indentation of code.
const CODE_INDENT: &str = "    ";

/// The indentation of what belongs to an item of a list.
const ITEM_INDENT: &str = "  ";

/// Where the parser is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Among items without blank lines between them.
    TightList,
    /// In an item behind a blank line.
    LooseItem,
    Quote,
    /// In what is indented below an item.
    Indented,
}

/// A part of the text between blank lines, or the rest of one. What was looked for in the whole and not found need not
/// be looked for in its rest.
#[derive(Debug)]
struct Block {
    text: String,
    start: usize,
    has_no_heading: bool,
    has_no_rule: bool,
}

impl Block {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), start: 0, has_no_heading: false, has_no_rule: false }
    }

    fn text(&self) -> &str {
        &self.text[self.start..]
    }

    /// What follows a number of bytes.
    fn rest(mut self, from: usize) -> Self {
        self.start += from;
        self
    }
}

/// Parses a prepared text into the tree; a part of it, if the tree's budget does not suffice.
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

    fn may_go_deeper(&self) -> bool {
        self.depth < DEPTH_MAX
    }

    /// Parses a text that may have blank lines.
    fn parse_text(&mut self, parent: NodeId, text: String) {
        // Looked at below, before each block.
        let _ = self.tree.budget().spend_steps(text.len());
        let blocks = text.split("\n\n").map(Block::new).collect();
        // What is parsed within is a copy: texts are not held at all levels of a deep nesting.
        drop(text);
        self.parse_blocks(parent, blocks);
    }

    /// Parses a text that is one block.
    fn parse_block(&mut self, parent: NodeId, text: impl Into<String>) {
        let block = Block::new(text);
        let _ = self.tree.budget().spend_steps(block.text.len());
        self.parse_blocks(parent, VecDeque::from([block]));
    }

    fn parse_blocks(&mut self, parent: NodeId, mut blocks: VecDeque<Block>) {
        self.depth += 1;
        while let Some(block) = blocks.pop_front().filter(|_| self.tree.budget().check().is_ok()) {
            if let Some(rest) = self.take_block(parent, block) {
                blocks.push_front(rest);
            }
        }
        self.depth -= 1;
    }

    /// Parses what a block begins with; what is left of it.
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
        if let Some(heading) = (!block.has_no_heading).then(|| scan::heading(text)).flatten() {
            return self.take_heading(parent, block, &heading);
        }
        block.has_no_heading = true;
        if let Some(table) = table::Table::of(block.text()) {
            table.build(self.tree, parent, block.text());
            return None;
        }
        if let Some(rule) = (!block.has_no_rule).then(|| scan::rule(block.text())).flatten() {
            let before = block.text()[..rule.start].trim_end_matches('\n').to_owned();
            if !before.is_empty() {
                self.parse_block(parent, before);
            }
            self.tree.append(parent, "hr");
            let behind = block.rest(rule.end);
            let blank = behind.text().len() - behind.text().trim_start_matches('\n').len();
            return Some(behind.rest(blank)).filter(|behind| !behind.text().is_empty());
        }
        block.has_no_rule = true;
        if self.may_go_deeper() {
            if let Some(kind) = list::Kind::of(block.text()) {
                self.parse_list(parent, kind, block);
                return None;
            }
            if let Some(start) = scan::quote(block.text()) {
                self.parse_quote(parent, block, start);
                return None;
            }
        }
        self.parse_paragraph(parent, block.text());
        None
    }

    fn take_blank_line(&mut self, parent: NodeId, block: Block) -> Option<Block> {
        let is_last = block.text().is_empty();
        if let Some(code) = self.tree.last_child(parent).filter(|last| self.tree.tag(*last) == "pre") {
            // Blank lines between two parts of indented code belong to it.
            self.tree[code].text.content.push_str(if is_last { "\n\n" } else { "\n" });
        }
        if is_last { None } else { Some(block.rest(1)).filter(|rest| !rest.text().is_empty()) }
    }

    fn take_code(&mut self, parent: NodeId, block: Block) -> Option<Block> {
        let text = block.text();
        let mut code = String::new();
        let mut length = 0;
        for (at, line) in text.split('\n').enumerate() {
            let unindented = match line.strip_prefix(CODE_INDENT) {
                Some(unindented) => unindented,
                None if is_blank(line) => "",
                None => break,
            };
            code.push_str(if at > 0 { "\n" } else { "" });
            code.push_str(unindented);
            length += line.len() + 1;
        }
        code.truncate(code.trim_end_matches(super::character::is_space).len());
        code.push('\n');
        match self.tree.last_child(parent).filter(|last| self.tree.tag(*last) == "pre") {
            Some(before) => {
                let content = &mut self.tree[before].text.content;
                content.push('\n');
                content.push_str(&code);
            }
            None => {
                let pre = self.tree.append(parent, "pre");
                self.tree[pre].text = Text::literal(code);
            }
        }
        (length < text.len()).then(|| block.rest(length))
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
            return Some(Block::new(list::without_indent(&text[heading.end..], CODE_INDENT.len())));
        }
        Some(block.rest(heading.end))
    }

    fn parse_paragraph(&mut self, parent: NodeId, text: &str) {
        if is_blank(text) {
            return;
        }
        let start = text.trim_start_matches(super::character::is_space);
        if !self.is_in(State::TightList) {
            let paragraph = self.tree.append(parent, "p");
            self.tree[paragraph].text = Text::markup(start);
            return;
        }
        if let Some(last) = self.tree.last_child(parent) {
            let tail = &mut self.tree[last].tail.content;
            tail.push('\n');
            tail.push_str(text);
        } else if self.tree[parent].text.content.is_empty() {
            self.tree[parent].text = Text::markup(start);
        } else {
            let content = &mut self.tree[parent].text.content;
            content.push('\n');
            content.push_str(text);
        }
    }
}
