//! The tree of HTML elements. It is an arena, so that every pass can change any element.

use crate::budget::Budget;
use std::rc::Rc;

/// Index of an element in a [`Tree`].
pub(super) type NodeId = usize;

/// Text before, between or after elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    /// Escaped when it is serialized, except for HTML entities in it.
    pub content: String,
    /// Whether inline markup in it is not expanded.
    pub is_final: bool,
}

impl Text {
    /// Text in which inline markup is expanded.
    pub fn markup(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_final: false }
    }

    /// Text in which inline markup is not expanded.
    pub fn literal(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_final: true }
    }

    /// Appends text. If neither text is empty, inline markup is expanded in the result.
    pub fn push(&mut self, other: &Self) {
        if self.content.is_empty() {
            *self = other.clone();
        } else if !other.content.is_empty() {
            self.content.push_str(&other.content);
            self.is_final = false;
        }
    }

    /// Whether it has only white space.
    pub fn is_blank(&self) -> bool {
        self.content.chars().all(super::character::is_space)
    }
}

/// An HTML element, and the text after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub tag: &'static str,
    /// In any order.
    pub attributes: Vec<(&'static str, String)>,
    /// Text before the first child.
    pub text: Text,
    pub children: Vec<NodeId>,
    /// Text between the element and its next sibling.
    pub tail: Text,
    /// Whether it is a link that may have a preview.
    pub is_link: bool,
}

impl Node {
    /// The minimum number of characters of the tags with attributes.
    fn length_with_attributes(&self) -> usize {
        let attributes = self.attributes.iter().map(|(name, value)| length_of_attribute(name, value));
        length_of_tags(self.tag) + attributes.sum::<usize>()
    }
}

/// The number of characters of the tags without attributes.
pub(super) fn length_of_tags(tag: &str) -> usize {
    if is_void(tag) { "<>".len() + tag.len() } else { "<></>".len() + 2 * tag.len() }
}

/// The minimum number of characters of an attribute.
pub(super) fn length_of_attribute(name: &str, value: &str) -> usize {
    let value_length = if value == name { 0 } else { "=\"\"".len() + value.chars().count() };
    1 + name.len() + value_length
}

/// An arena of elements. The first element is the root.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    budget: Rc<Budget>,
}

/// Lists, quotes and fenced blocks with deeper nesting are text, because parsing is recursive (A-231 in
/// docs/assumptions.md).
pub(super) const MAX_DEPTH: usize = 60;

/// The root element.
pub(super) const ROOT: NodeId = 0;

/// Sorted for binary search.
const BLOCK_ELEMENTS: [&str; 21] = [
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

const VOID_ELEMENTS: [&str; 3] = ["br", "hr", "img"];

/// Whether an element has no end tag.
pub(super) fn is_void(tag: &str) -> bool {
    VOID_ELEMENTS.contains(&tag)
}

pub(super) fn is_block(tag: &str) -> bool {
    BLOCK_ELEMENTS.binary_search(&tag).is_ok()
}

impl Tree {
    /// A tree with an empty root. Added elements are counted in the budget.
    pub fn new(budget: Rc<Budget>) -> Self {
        Self { nodes: vec![Node { tag: "div", ..Node::default() }], budget }
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Adds an element without a parent.
    pub fn add_element(&mut self, tag: &'static str) -> NodeId {
        self.add(Node { tag, ..Node::default() })
    }

    /// As [`Tree::add_element`], with text.
    pub fn add_element_with_text(&mut self, tag: &'static str, text: Text) -> NodeId {
        self.add(Node { tag, text, ..Node::default() })
    }

    /// As [`Tree::add_element`], for a complete element.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.budget.spend_node(node.length_with_attributes());
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an element as the last child of `parent`.
    pub fn append(&mut self, parent: NodeId, tag: &'static str) -> NodeId {
        let child = self.add_element(tag);
        self.nodes[parent].children.push(child);
        child
    }

    pub fn last_child(&self, parent: NodeId) -> Option<NodeId> {
        self.nodes[parent].children.last().copied()
    }

    pub fn tag(&self, node: NodeId) -> &'static str {
        self.nodes[node].tag
    }

    /// The text of an element and its descendants, without the element's tail.
    pub fn inner_text(&self, node: NodeId) -> String {
        let mut text = self[node].text.content.clone();
        for child in &self[node].children {
            text.push_str(&self.inner_text(*child));
            text.push_str(&self[*child].tail.content);
        }
        text
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
    fn blocks_are_sorted() {
        assert!(BLOCK_ELEMENTS.is_sorted() && is_block("p") && !is_block("span"));
    }

    #[test]
    fn lengths_of_tags_are_those_of_the_html() {
        for (tag, attributes, html) in [
            ("td", vec![], "<td></td>"),
            ("br", vec![], "<br>"),
            ("a", vec![("href", "#é".to_owned())], "<a href=\"#é\"></a>"),
            ("input", vec![("checked", "checked".to_owned())], "<input checked></input>"),
        ] {
            let node = Node { tag, attributes, ..Node::default() };
            assert_eq!(node.length_with_attributes(), html.chars().count(), "{html}");
        }
    }
}
