//! Expands the inline markup in the text of blocks.
//!
//! The kinds of markup are processed in order, each in the whole text. An element that is found is put on a stash and
//! replaced by a placeholder, so that later kinds do not see its markup. The text inside an element is processed only
//! by later kinds. In the end, the elements replace their placeholders. As on a real server, the text of elements
//! within elements is then processed again by all kinds.

mod address;
mod code;
mod emoji;
mod emphasis;
mod entity;
mod link;
mod linkifier;
mod math;
mod references;
mod text_rewriter;
mod time;
mod url;

use super::TooLarge;
use super::context::Context;
use super::placeholder;
use super::tree::{Node, NodeId, ROOT, Text, Tree};

pub(super) use address::find_bare_addresses;
pub(super) use url::{Target, UrlParts, is_safe_url};

/// Maximum depth of nested elements. Deeper nesting is an error.
const MAX_DEPTH: usize = 100;

/// Processes a kind of markup. Returns the text with placeholders. If nothing was replaced: None, or the unchanged
/// text.
type Pass = fn(&mut InlineExpander<'_, '_>, &str) -> Option<String>;

/// The kinds of markup, in the order in which they are processed.
const PASSES: [Pass; 18] = [
    code::expand_code,
    emphasis::expand_strong_emphasis,
    references::expand_user_mentions,
    math::expand_math,
    references::expand_topic_links,
    references::expand_channel_links,
    time::expand_times,
    references::expand_group_mentions,
    link::expand_links,
    address::expand_addresses,
    linkifier::expand_linkifiers,
    entity::stash_entities,
    emphasis::expand_strong,
    emphasis::expand_emphasis,
    emphasis::expand_deleted,
    emoji::expand_emoji_names,
    emoji::expand_emoticons,
    emoji::expand_line_ends_and_emoji,
];

/// The replacement of a placeholder.
#[derive(Debug)]
enum StashEntry {
    Element(NodeId),
    Text(String),
}

/// Expands inline markup, and holds the elements that are found until their placeholders are replaced.
pub(super) struct InlineExpander<'i, 'a> {
    pub context: &'i mut Context<'a>,
    pub tree: &'i mut Tree,
    stash: Vec<StashEntry>,
    /// Index of the current pass.
    pass: usize,
}

/// Expands the inline markup in a tree of blocks.
///
/// # Errors
///
/// Elements are nested too deeply, or the budget is exhausted.
pub(super) fn expand(context: &mut Context<'_>, tree: &mut Tree) -> Result<(), TooLarge> {
    InlineExpander { context, tree, stash: Vec::new(), pass: 0 }.expand()
}

impl InlineExpander<'_, '_> {
    fn expand(&mut self) -> Result<(), TooLarge> {
        let mut pending = vec![ROOT];
        while let Some(parent) = pending.pop() {
            let mut child_elements = Vec::new();
            let mut index = 0;
            // Elements in the text after a child are inserted into `children` as next siblings.
            while let Some(&child) = self.tree[parent].children.get(index) {
                index += 1;
                self.context.budget.check()?;
                let text = &mut self.tree[child].text;
                if !text.content.is_empty() && !text.is_final {
                    let text = std::mem::take(text);
                    let text = Text::markup(self.replace_markup(text.content, 0));
                    let elements = self.resolve(&text, child, true, 0)?;
                    pending.extend(&elements);
                    child_elements.push((child, elements));
                }
                self.expand_tail(parent, child, index)?;
                if !self.tree[child].children.is_empty() {
                    pending.push(child);
                }
            }
            for (child, elements) in child_elements {
                self.tree[child].children.splice(0..0, elements);
            }
        }
        Ok(())
    }

    fn expand_tail(&mut self, parent: NodeId, child: NodeId, insertion_index: usize) -> Result<(), TooLarge> {
        let mut tail = std::mem::take(&mut self.tree[child].tail);
        if tail.content.is_empty() {
            return Ok(());
        }
        if !tail.is_final {
            tail.content = self.replace_markup(tail.content, 0);
        }
        let elements = self.resolve(&tail, child, false, 0)?;
        self.tree[parent].children.splice(insertion_index..insertion_index, elements);
        Ok(())
    }

    /// Replaces markup by placeholders, with the passes from index `from` on.
    fn replace_markup(&mut self, mut text: String, from: usize) -> String {
        let outer_pass = self.pass;
        for (index, pass) in PASSES.iter().enumerate().skip(from) {
            if self.context.budget.check().is_err() {
                break;
            }
            self.pass = index;
            if let Some(replaced) = pass(self, &text) {
                text = replaced;
            }
        }
        self.pass = outer_pass;
        text
    }

    /// Stashes an element whose text is processed by the later passes, and returns its placeholder, or "" if the budget
    /// is exhausted. If there are several tags, each element contains the next one, and the innermost has the text.
    pub fn stash_nested_element(&mut self, tags: &[&'static str], content: &str) -> String {
        if self.context.budget.check().is_err() {
            return String::new();
        }
        let content = self.replace_markup(content.to_owned(), self.pass + 1);
        let mut tags = tags.iter().rev();
        let mut element =
            Node { tag: tags.next().copied().unwrap_or("span"), text: Text::markup(content), ..Node::default() };
        for tag in tags {
            let inner = self.tree.add(element);
            element = Node { tag, children: vec![inner], ..Node::default() };
        }
        self.stash_element(element)
    }

    /// Stashes an element, and returns its placeholder. Returns "" if the budget is exhausted, because rendering then
    /// fails.
    pub fn stash_element(&mut self, element: Node) -> String {
        if self.context.budget.check().is_err() {
            return String::new();
        }
        let node = self.tree.add(element);
        self.stash(StashEntry::Element(node))
    }

    /// Stashes text that later passes must not process, and returns its placeholder.
    pub fn stash_text(&mut self, text: String) -> String {
        self.stash(StashEntry::Text(text))
    }

    fn stash(&mut self, entry: StashEntry) -> String {
        self.stash.push(entry);
        placeholder::format_inline(self.stash.len() - 1)
    }

    /// Replaces placeholders by the text of their elements.
    pub fn replace_placeholders(&self, text: &str) -> String {
        let mut output = String::with_capacity(text.len());
        let mut copy_start = 0;
        while let Some(placeholder) = placeholder::next_inline(text, copy_start) {
            output.push_str(&text[copy_start..placeholder.start]);
            copy_start = placeholder.end;
            match self.stash.get(placeholder.index) {
                Some(StashEntry::Element(node)) => output.push_str(&self.tree.inner_text(*node)),
                Some(StashEntry::Text(stashed_text)) => output.push_str(stashed_text),
                None => {}
            }
        }
        output.push_str(&text[copy_start..]);
        output
    }

    /// Splits a text into the elements of its placeholders, which are returned, and the texts after them. The text
    /// before the first element becomes the text of `node` if it is inside, else the tail of `node`.
    fn resolve(&mut self, text: &Text, node: NodeId, is_inside: bool, depth: usize) -> Result<Vec<NodeId>, TooLarge> {
        if depth > MAX_DEPTH {
            return Err(TooLarge);
        }
        let mut elements: Vec<NodeId> = Vec::new();
        let mut copy_start = 0;
        while let Some(placeholder) = placeholder::next_inline(&text.content, copy_start) {
            let preceding_text = Text::markup(&text.content[copy_start..placeholder.start]);
            self.add_text(&preceding_text, &elements, node, is_inside);
            copy_start = placeholder.end;
            match self.stash.get(placeholder.index) {
                Some(StashEntry::Element(element)) => {
                    let element = *element;
                    self.resolve_element(element, depth)?;
                    elements.push(element);
                }
                Some(StashEntry::Text(stashed_text)) => {
                    let stashed_text = Text::markup(stashed_text.clone());
                    self.add_text(&stashed_text, &elements, node, is_inside);
                }
                None => {}
            }
        }
        let remaining = Text { content: text.content[copy_start..].to_owned(), is_final: text.is_final };
        self.add_text(&remaining, &elements, node, is_inside);
        Ok(elements)
    }

    fn add_text(&mut self, text: &Text, elements: &[NodeId], node: NodeId, is_inside: bool) {
        let target = match elements.last() {
            Some(last) => &mut self.tree[*last].tail,
            None if is_inside => &mut self.tree[node].text,
            None => &mut self.tree[node].tail,
        };
        target.push(text);
    }

    /// Resolves the placeholders in the texts of an element and its children.
    fn resolve_element(&mut self, element: NodeId, depth: usize) -> Result<(), TooLarge> {
        let mut nodes = vec![element];
        nodes.extend(&self.tree[element].children);
        for node in nodes {
            if !self.tree[node].text.is_blank() {
                let text = std::mem::take(&mut self.tree[node].text);
                let elements = self.resolve(&text, node, true, depth + 1)?;
                self.tree[node].children.splice(0..0, elements);
            }
        }
        Ok(())
    }
}
