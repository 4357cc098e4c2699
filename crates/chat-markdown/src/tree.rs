//! The tree of elements that a text becomes: an arena, so that parsing may change any part at any time.

use crate::budget::Budget;
use std::rc::Rc;

/// An element in a [`Tree`].
pub(super) type NodeId = usize;

/// Text before, between or behind elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    /// With `&` as part of an entity where one follows, otherwise as typed.
    pub content: String,
    /// Whether inline markup in it means nothing any more.
    pub is_final: bool,
}

impl Text {
    /// Text in which inline markup has its meaning.
    pub fn markup(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_final: false }
    }

    /// Text that is shown as it is.
    pub fn literal(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_final: true }
    }

    /// Adds text at the end. Together, two texts are open to markup.
    pub fn push(&mut self, other: &Self) {
        if self.content.is_empty() {
            *self = other.clone();
        } else if !other.content.is_empty() {
            self.content.push_str(&other.content);
            self.is_final = false;
        }
    }

    /// Whether there is nothing to see.
    pub fn is_blank(&self) -> bool {
        self.content.chars().all(super::character::is_space)
    }
}

/// An element.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// Its name.
    pub tag: &'static str,
    /// Its attributes in any order.
    pub attributes: Vec<(&'static str, String)>,
    /// The text before its first child.
    pub text: Text,
    /// Its children.
    pub children: Vec<NodeId>,
    /// The text between its end and the next sibling.
    pub tail: Text,
    /// The address that it shows, if it is a link that may have a preview.
    pub is_link: bool,
}

impl Node {
    /// How many characters of HTML its tags take, at least.
    fn length_of_tags(&self) -> usize {
        let attributes = self.attributes.iter().map(|(name, value)| length_of_attribute(name, value));
        length_of_tags(self.tag) + attributes.sum::<usize>()
    }
}

/// How many characters of HTML the tags of an element take that has no attributes.
pub(super) fn length_of_tags(tag: &str) -> usize {
    if is_void(tag) { "<>".len() + tag.len() } else { "<></>".len() + 2 * tag.len() }
}

/// How many characters of HTML an attribute takes, at least.
pub(super) fn length_of_attribute(name: &str, value: &str) -> usize {
    let value_length = if value == name { 0 } else { "=\"\"".len() + value.chars().count() };
    1 + name.len() + value_length
}

/// Elements by number. The first is the root.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    budget: Rc<Budget>,
}

/// Lists, quotes and fences nested deeper than this are text (A-231 in docs/assumptions.md): parsing is recursive.
pub(super) const DEPTH_MAX: usize = 60;

/// The number of the root.
pub(super) const ROOT: NodeId = 0;

/// Elements that are on lines of their own.
const BLOCKS: [&str; 21] = [
    "blockquote",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
    "video",
];

/// Elements that have no end.
const VOID: [&str; 3] = ["br", "hr", "img"];

/// Whether an element has no end.
pub(super) fn is_void(tag: &str) -> bool {
    VOID.contains(&tag)
}

/// Whether an element is on lines of its own.
pub(super) fn is_block(tag: &str) -> bool {
    BLOCKS.binary_search(&tag).is_ok()
}

impl Tree {
    /// A tree with an empty root, whose elements are counted.
    pub fn new(budget: Rc<Budget>) -> Self {
        Self { nodes: vec![Node { tag: "div", ..Node::default() }], budget }
    }

    /// What its elements are counted in.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Adds an element that has no place yet.
    pub fn create(&mut self, tag: &'static str) -> NodeId {
        self.add(Node { tag, ..Node::default() })
    }

    /// [`Tree::create`] with text in it.
    pub fn create_with(&mut self, tag: &'static str, text: Text) -> NodeId {
        self.add(Node { tag, text, ..Node::default() })
    }

    /// [`Tree::create`] of a prepared element.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.budget.spend_node(node.length_of_tags());
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an element as the last child.
    pub fn append(&mut self, parent: NodeId, tag: &'static str) -> NodeId {
        let child = self.create(tag);
        self.nodes[parent].children.push(child);
        child
    }

    /// The last child.
    pub fn last_child(&self, parent: NodeId) -> Option<NodeId> {
        self.nodes[parent].children.last().copied()
    }

    /// The name of an element.
    pub fn tag(&self, node: NodeId) -> &'static str {
        self.nodes[node].tag
    }

    /// All text below an element, its own tail left out.
    pub fn inner_text(&self, node: NodeId) -> String {
        let mut out = self[node].text.content.clone();
        for child in &self[node].children {
            out.push_str(&self.inner_text(*child));
            out.push_str(&self[*child].tail.content);
        }
        out
    }
}

impl std::ops::Index<NodeId> for Tree {
    type Output = Node;

    fn index(&self, node: NodeId) -> &Node {
        &self.nodes[node]
    }
}

impl std::ops::IndexMut<NodeId> for Tree {
    fn index_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_in_order() {
        assert!(BLOCKS.is_sorted() && is_block("p") && !is_block("span"));
    }

    #[test]
    fn the_tags_of_elements_are_counted_as_they_are_written() {
        for (tag, attributes, html) in [
            ("td", vec![], "<td></td>"),
            ("br", vec![], "<br>"),
            ("a", vec![("href", "#é".to_owned())], "<a href=\"#é\"></a>"),
            ("input", vec![("checked", "checked".to_owned())], "<input checked></input>"),
        ] {
            let node = Node { tag, attributes, ..Node::default() };
            assert_eq!(node.length_of_tags(), html.chars().count(), "{html}");
        }
    }
}
