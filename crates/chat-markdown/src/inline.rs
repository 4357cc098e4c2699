//! Inline markup: what the text of a block becomes.
//!
//! The kinds of markup are looked for one after the other in the whole text. What one finds becomes an element on a stash,
//! with a mark in its place in the text, so that those behind it see a mark and no markup; what is inside an element is
//! looked at by those behind it alone. In the end the elements take the place of their marks, and what then is
//! inside of an element inside of another is looked at once more from the start, as the service does.

mod address;
mod code;
mod emoji;
mod emphasis;
mod link;
mod linkified;
mod math;
mod name;
mod time;
mod url;

use super::TooLarge;
use super::context::Context;
use super::placeholder;
use super::tree::{Node, NodeId, ROOT, Text, Tree};

pub(super) use address::bare_addresses;
pub(super) use url::{Parts as UrlParts, Target, is_safe};

/// Elements nested deeper than this can't be rendered.
const DEPTH_MAX: usize = 100;

/// A kind of markup: the text with marks in the place of what it finds, or None if it finds nothing.
type Pass = fn(&mut Inline<'_, '_>, &str) -> Option<String>;

/// The kinds of markup in the order in which they are looked for.
const PASSES: [Pass; 18] = [
    code::code,
    emphasis::strong_emphasis,
    name::users,
    math::sources,
    name::topics,
    name::channels,
    time::times,
    name::groups,
    link::links,
    address::addresses,
    linkified::linkified,
    emoji::entities,
    emphasis::strong,
    emphasis::emphasis,
    emphasis::deleted,
    emoji::names,
    emoji::emoticons,
    emoji::line_ends_and_characters,
];

/// What a mark means.
#[derive(Debug)]
enum Stashed {
    Element(NodeId),
    Text(String),
}

/// Inline markup of one text.
pub(super) struct Inline<'i, 'a> {
    pub context: &'i mut Context<'a>,
    pub tree: &'i mut Tree,
    stash: Vec<Stashed>,
    /// The pass that looks at the text now.
    pass: usize,
}

/// Replaces the markup in a tree of blocks.
///
/// # Errors
///
/// If elements are nested too deeply, or the budget does not suffice.
pub(super) fn expand(context: &mut Context<'_>, tree: &mut Tree) -> Result<(), TooLarge> {
    Inline { context, tree, stash: Vec::new(), pass: 0 }.expand()
}

impl Inline<'_, '_> {
    fn expand(&mut self) -> Result<(), TooLarge> {
        let mut waiting = vec![ROOT];
        while let Some(parent) = waiting.pop() {
            let mut found = Vec::new();
            let mut at = 0;
            // What comes out of the text behind a child is among the children that follow.
            while let Some(&child) = self.tree[parent].children.get(at) {
                at += 1;
                self.context.budget.check()?;
                let text = &mut self.tree[child].text;
                if !text.content.is_empty() && !text.is_final {
                    let text = std::mem::take(text);
                    let text = Text::markup(self.marked(text.content, 0));
                    let elements = self.resolve(&text, child, true, 0)?;
                    waiting.extend(&elements);
                    found.push((child, elements));
                }
                self.expand_tail(parent, child, at)?;
                if !self.tree[child].children.is_empty() {
                    waiting.push(child);
                }
            }
            for (child, elements) in found {
                self.tree[child].children.splice(0..0, elements);
            }
        }
        Ok(())
    }

    fn expand_tail(&mut self, parent: NodeId, child: NodeId, next: usize) -> Result<(), TooLarge> {
        let mut tail = std::mem::take(&mut self.tree[child].tail);
        if tail.content.is_empty() {
            return Ok(());
        }
        if !tail.is_final {
            tail.content = self.marked(tail.content, 0);
        }
        let elements = self.resolve(&tail, child, false, 0)?;
        self.tree[parent].children.splice(next..next, elements);
        Ok(())
    }

    /// The text with marks in the place of markup of the kinds from one on.
    fn marked(&mut self, mut text: String, from: usize) -> String {
        let outer = self.pass;
        for (number, pass) in PASSES.iter().enumerate().skip(from) {
            if self.context.budget.check().is_err() {
                break;
            }
            self.pass = number;
            if let Some(marked) = pass(self, &text) {
                text = marked;
            }
        }
        self.pass = outer;
        text
    }

    /// The mark of an element in whose text the kinds of markup behind this one are looked for.
    pub fn nest(&mut self, tags: &[&'static str], content: &str) -> String {
        if self.context.budget.check().is_err() {
            return String::new();
        }
        let content = self.marked(content.to_owned(), self.pass + 1);
        let mut tags = tags.iter().rev();
        let mut element =
            Node { tag: tags.next().copied().unwrap_or("span"), text: Text::markup(content), ..Node::default() };
        for tag in tags {
            let inner = self.tree.add(element);
            element = Node { tag, children: vec![inner], ..Node::default() };
        }
        self.element(element)
    }

    /// The mark of a finished element; none where the budget does not suffice, as all is refused then.
    pub fn element(&mut self, element: Node) -> String {
        if self.context.budget.check().is_err() {
            return String::new();
        }
        let node = self.tree.add(element);
        self.keep(Stashed::Element(node))
    }

    /// The mark of text that the kinds of markup behind this one don't see.
    pub fn text(&mut self, text: String) -> String {
        self.keep(Stashed::Text(text))
    }

    fn keep(&mut self, stashed: Stashed) -> String {
        self.stash.push(stashed);
        placeholder::inline(self.stash.len() - 1)
    }

    /// A text with the text alone of what its marks stand for.
    pub fn unmarked(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        while let Some(mark) = placeholder::next_inline(text, done) {
            out.push_str(&text[done..mark.start]);
            done = mark.end;
            match self.stash.get(mark.number) {
                Some(Stashed::Element(node)) => out.push_str(&self.tree.inner_text(*node)),
                Some(Stashed::Text(text)) => out.push_str(text),
                None => {}
            }
        }
        out.push_str(&text[done..]);
        out
    }

    /// Puts elements in the place of their marks in a text. What is before the first of them becomes the text of
    /// `place`, or its tail; the elements are returned.
    fn resolve(&mut self, text: &Text, place: NodeId, is_text: bool, depth: usize) -> Result<Vec<NodeId>, TooLarge> {
        if depth > DEPTH_MAX {
            return Err(TooLarge);
        }
        let mut elements: Vec<NodeId> = Vec::new();
        let mut done = 0;
        while let Some(mark) = placeholder::next_inline(&text.content, done) {
            let before = Text::markup(&text.content[done..mark.start]);
            self.add_text(&before, &elements, place, is_text);
            done = mark.end;
            match self.stash.get(mark.number) {
                Some(Stashed::Element(node)) => {
                    let node = *node;
                    self.resolve_inside(node, depth)?;
                    elements.push(node);
                }
                Some(Stashed::Text(text)) => {
                    let text = Text::markup(text.clone());
                    self.add_text(&text, &elements, place, is_text);
                }
                None => {}
            }
        }
        let rest = Text { content: text.content[done..].to_owned(), is_final: text.is_final };
        self.add_text(&rest, &elements, place, is_text);
        Ok(elements)
    }

    fn add_text(&mut self, text: &Text, elements: &[NodeId], place: NodeId, is_text: bool) {
        let target = match elements.last() {
            Some(last) => &mut self.tree[*last].tail,
            None if is_text => &mut self.tree[place].text,
            None => &mut self.tree[place].tail,
        };
        target.push(text);
    }

    /// Resolves the texts of an element and of its children.
    fn resolve_inside(&mut self, node: NodeId, depth: usize) -> Result<(), TooLarge> {
        let mut parts = vec![node];
        parts.extend(&self.tree[node].children);
        for part in parts {
            if !self.tree[part].text.is_blank() {
                let text = std::mem::take(&mut self.tree[part].text);
                let elements = self.resolve(&text, part, true, depth + 1)?;
                self.tree[part].children.splice(0..0, elements);
            }
        }
        Ok(())
    }
}

/// A text under way in which parts are replaced from left to right.
pub(super) struct Rewriting<'t> {
    source: &'t str,
    out: String,
    done: usize,
}

impl<'t> Rewriting<'t> {
    pub fn new(source: &'t str) -> Self {
        Self { source, out: String::new(), done: 0 }
    }

    /// Up to where the source was replaced or copied.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Replaces a part behind all earlier ones.
    pub fn replace(&mut self, range: std::ops::Range<usize>, by: &str) {
        self.out.push_str(&self.source[self.done..range.start]);
        self.out.push_str(by);
        self.done = range.end;
    }

    /// The text, if anything was replaced.
    pub fn finish(mut self) -> Option<String> {
        if self.done == 0 && self.out.is_empty() {
            return None;
        }
        self.out.push_str(&self.source[self.done..]);
        Some(self.out)
    }
}
