//! Parses bulleted and numbered lists.

use super::{Block, ITEM_INDENT, Parser, State};
use crate::character::{is_digit, is_space};
use crate::tree::{NodeId, Text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bulleted,
    Numbered,
}

impl Kind {
    /// The kind of the list that a block begins with. None: it begins with no list.
    pub fn of_block(text: &str) -> Option<Self> {
        let line = text.split('\n').next().unwrap_or_default();
        [Self::Numbered, Self::Bulleted].into_iter().find(|kind| kind.parse_item(line).is_some())
    }

    fn tag(self) -> &'static str {
        if self == Self::Numbered { "ol" } else { "ul" }
    }

    /// Parses a line as an item. Returns its number ("" in a bulleted list) and its content.
    fn parse_item(self, line: &str) -> Option<(&str, &str)> {
        let line = line.strip_prefix(' ').unwrap_or(line);
        let (number, content) = self.split_marker(line)?;
        Some((number, content.trim_start_matches(' ')))
    }

    /// Splits the marker from a line. Returns its number ("" in a bulleted list) and the text after it, which begins
    /// with a space.
    fn split_marker(self, line: &str) -> Option<(&str, &str)> {
        let (number, text) = match self {
            Self::Bulleted => ("", line.strip_prefix(['*', '+', '-'])?),
            Self::Numbered => {
                let end = line.find(|character| !is_digit(character)).filter(|end| *end > 0)?;
                (&line[..end], line[end..].strip_prefix('.')?)
            }
        };
        text.starts_with(' ').then_some((number, text))
    }
}

/// Whether a line is an item one level deeper.
fn is_nested_item(line: &str) -> bool {
    let unindented = line.trim_start_matches(' ');
    let indent = line.len() - unindented.len();
    let is_item = |kind: Kind| kind.split_marker(unindented).is_some();
    (2..=3).contains(&indent) && (is_item(Kind::Numbered) || is_item(Kind::Bulleted))
}

/// Returns the items of a list, and the number of the first one ("" in a bulleted list). Consecutive items one level
/// deeper are returned as one item, with their indentation.
fn parse_items(kind: Kind, text: &str) -> (Vec<String>, String) {
    let mut items: Vec<String> = Vec::new();
    let mut number = String::new();
    for line in text.split('\n') {
        if let Some((item_number, content)) = kind.parse_item(line) {
            if items.is_empty() {
                number = item_number.to_owned();
            }
            items.push(content.to_owned());
            continue;
        }
        match items.last_mut() {
            Some(last) if !is_nested_item(line) || last.starts_with(ITEM_INDENT) => {
                last.push('\n');
                last.push_str(line);
            }
            _ => items.push(line.to_owned()),
        }
    }
    (items, number)
}

/// Removes `width` spaces from the beginning of all lines that have them.
pub(super) fn remove_indent(text: &str, width: usize) -> String {
    let mut result = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        let has_indent = line.len() >= width && line.bytes().take(width).all(|byte| byte == b' ');
        result.push_str(if index > 0 { "\n" } else { "" });
        result.push_str(if has_indent { &line[width..] } else { line });
    }
    result
}

impl Parser<'_> {
    fn is_list(&self, node: NodeId) -> bool {
        matches!(self.tree.tag(node), "ol" | "ul")
    }

    fn is_item(&self, node: NodeId) -> bool {
        self.tree.tag(node) == "li"
    }

    pub(super) fn parse_list(&mut self, parent: NodeId, kind: Kind, block: Block) {
        let (items, number) = parse_items(kind, block.text());
        drop(block);
        let mut items = items.into_iter();
        let previous_list = self.tree.last_child(parent).filter(|last| self.tree.tag(*last) == kind.tag());
        let list = if let Some(list) = previous_list {
            self.loosen_last_item(list);
            let item = self.tree.append(list, "li");
            self.states.push(State::LooseItem);
            self.parse_block(item, items.next().unwrap_or_default());
            self.states.pop();
            list
        } else if self.is_list(parent) {
            parent
        } else {
            let list = self.tree.append(parent, kind.tag());
            if kind == Kind::Numbered && number != "1" {
                self.tree[list].attributes.push(("start", number));
            }
            list
        };
        self.states.push(State::TightList);
        for item in items {
            if self.tree.budget().check().is_err() {
                break;
            }
            let last = self.tree.last_child(list).filter(|_| item.starts_with(ITEM_INDENT));
            let node = last.unwrap_or_else(|| self.tree.append(list, "li"));
            self.parse_block(node, item);
        }
        self.states.pop();
    }

    /// Wraps the text of the last item in paragraphs, because a blank line follows it.
    fn loosen_last_item(&mut self, list: NodeId) {
        let Some(item) = self.tree.last_child(list) else { return };
        self.wrap_text(item);
        let Some(last) = self.tree.last_child(item) else { return };
        let tail = std::mem::take(&mut self.tree[last].tail);
        if !tail.content.is_empty() {
            let paragraph = self.tree.append(item, "p");
            self.tree[paragraph].text = Text::markup(tail.content.trim_start_matches(is_space));
        }
    }

    /// Wraps the text at the beginning of an item in a paragraph.
    fn wrap_text(&mut self, item: NodeId) {
        let text = std::mem::take(&mut self.tree[item].text);
        if !text.content.is_empty() {
            let paragraph = self.tree.add_element_with_text("p", text);
            self.tree[item].children.insert(0, paragraph);
        }
    }

    /// Whether a block is indented text of the preceding item.
    pub(super) fn is_indented_item(&self, parent: NodeId, text: &str) -> bool {
        text.starts_with(ITEM_INDENT)
            && !self.is_in(State::Indented)
            && self.can_nest()
            && (self.is_item(parent) || self.tree.last_child(parent).is_some_and(|last| self.is_list(last)))
    }

    /// Parses indented text of the preceding item.
    pub(super) fn parse_indented_item(&mut self, parent: NodeId, block: Block) {
        let (level, owner) = self.level_and_owner(parent, block.text());
        let text = remove_indent(block.text(), level * ITEM_INDENT.len());
        drop(block);
        self.states.push(State::Indented);
        if self.is_item(parent) {
            let list = self.tree.last_child(parent).filter(|last| self.is_list(*last));
            self.parse_block(list.unwrap_or(parent), text);
        } else if self.is_item(owner) {
            self.parse_block(owner, text);
        } else if let Some(item) = self.tree.last_child(owner).filter(|last| self.is_item(*last)) {
            self.wrap_text(item);
            self.parse_text(item, text);
        } else {
            let item = self.tree.append(owner, "li");
            self.parse_block(item, text);
        }
        self.states.pop();
    }

    /// The level of an indented block, limited by the depth of existing lists, and the list or item that it belongs to.
    fn level_and_owner(&self, parent: NodeId, text: &str) -> (usize, NodeId) {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let target_level = indent / ITEM_INDENT.len();
        let mut level = usize::from(self.is_in(State::TightList));
        let mut node = parent;
        while target_level > level {
            let Some(last) = self.tree.last_child(node).filter(|last| self.is_list(*last) || self.is_item(*last))
            else {
                break;
            };
            level += usize::from(self.is_list(last));
            node = last;
        }
        (level, node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_into_items_of_one_level() {
        let bulleted = |text| parse_items(Kind::Bulleted, text).0;
        assert_eq!(bulleted("* a\n* b\nc"), ["a", "b\nc"]);
        assert_eq!(bulleted("* a\n  * b\n    * c\n* d"), ["a", "  * b\n    * c", "d"]);
        assert_eq!(bulleted("* a\n    * b"), ["a\n    * b"]);
        assert_eq!(parse_items(Kind::Numbered, "07. a\n* b").1, "07");
    }

    #[test]
    fn markers_require_a_space() {
        assert_eq!(Kind::of_block(" * a"), Some(Kind::Bulleted));
        assert_eq!(Kind::of_block("12. a"), Some(Kind::Numbered));
        assert_eq!(Kind::of_block("* "), Some(Kind::Bulleted));
        for text in ["*a", "  * a", "1) a", "1.a", "a. b", "*"] {
            assert_eq!(Kind::of_block(text), None, "{text}");
        }
    }
}
