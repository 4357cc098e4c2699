//! Lists.

use super::{Block, ITEM_INDENT, Parser, State};
use crate::character::{is_digit, is_space};
use crate::tree::{NodeId, Text};

/// Whether a list is numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bulleted,
    Numbered,
}

impl Kind {
    /// The kind of list that a block begins.
    pub fn of(text: &str) -> Option<Self> {
        let line = text.split('\n').next().unwrap_or_default();
        [Self::Numbered, Self::Bulleted].into_iter().find(|kind| kind.item(line).is_some())
    }

    fn tag(self) -> &'static str {
        if self == Self::Numbered { "ol" } else { "ul" }
    }

    /// The mark without its dot and the content of a line that is an item of such a list.
    fn item(self, line: &str) -> Option<(&str, &str)> {
        let line = line.strip_prefix(' ').unwrap_or(line);
        let (mark, content) = self.marked(line)?;
        Some((mark, content.trim_start_matches(' ')))
    }

    /// The mark, and what follows it with at least one blank.
    fn marked(self, line: &str) -> Option<(&str, &str)> {
        let (mark, behind) = match self {
            Self::Bulleted => (line, line.strip_prefix(['*', '+', '-'])?),
            Self::Numbered => {
                let end = line.find(|character| !is_digit(character)).filter(|end| *end > 0)?;
                (&line[..end], line[end..].strip_prefix('.')?)
            }
        };
        behind.starts_with(' ').then_some((mark, behind))
    }
}

/// Whether a line is an item of any list one level deeper.
fn is_nested_item(line: &str) -> bool {
    let marked = line.trim_start_matches(' ');
    let indent = line.len() - marked.len();
    let is_marked = |kind: Kind| kind.marked(marked).is_some();
    (2..=3).contains(&indent) && (is_marked(Kind::Numbered) || is_marked(Kind::Bulleted))
}

/// The items of a list, and the number of the first. Those one level deeper come together, with their indentation.
fn items(kind: Kind, text: &str) -> (Vec<String>, String) {
    let mut items: Vec<String> = Vec::new();
    let mut number = String::new();
    for line in text.split('\n') {
        if let Some((mark, content)) = kind.item(line) {
            if items.is_empty() {
                number = mark.to_owned();
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

/// A text with so many blanks less at the beginning of the lines that have them.
pub(super) fn without_indent(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        let has_indent = line.len() >= width && line.bytes().take(width).all(|byte| byte == b' ');
        out.push_str(if at > 0 { "\n" } else { "" });
        out.push_str(if has_indent { &line[width..] } else { line });
    }
    out
}

impl Parser<'_> {
    fn is_list(&self, node: NodeId) -> bool {
        matches!(self.tree.tag(node), "ol" | "ul")
    }

    fn is_item(&self, node: NodeId) -> bool {
        self.tree.tag(node) == "li"
    }

    pub(super) fn parse_list(&mut self, parent: NodeId, kind: Kind, block: Block) {
        let (items, number) = items(kind, block.text());
        drop(block);
        let mut items = items.into_iter();
        let before = self.tree.last_child(parent).filter(|last| self.tree.tag(*last) == kind.tag());
        let list = if let Some(list) = before {
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
            let place = last.unwrap_or_else(|| self.tree.append(list, "li"));
            self.parse_block(place, item);
        }
        self.states.pop();
    }

    /// The last item of a list gets paragraphs, since a blank line follows it.
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

    /// Puts the text that an item begins with into a paragraph.
    fn wrap_text(&mut self, item: NodeId) {
        let text = std::mem::take(&mut self.tree[item].text);
        if !text.content.is_empty() {
            let paragraph = self.tree.create_with("p", text);
            self.tree[item].children.insert(0, paragraph);
        }
    }

    /// Whether a block belongs to the item before it.
    pub(super) fn is_indented_item(&self, parent: NodeId, text: &str) -> bool {
        text.starts_with(ITEM_INDENT)
            && !self.is_in(State::Indented)
            && self.may_go_deeper()
            && (self.is_item(parent) || self.tree.last_child(parent).is_some_and(|last| self.is_list(last)))
    }

    /// Parses a block that belongs to the item before it.
    pub(super) fn parse_indented_item(&mut self, parent: NodeId, block: Block) {
        let (level, place) = self.level(parent, block.text());
        let text = without_indent(block.text(), level * ITEM_INDENT.len());
        drop(block);
        self.states.push(State::Indented);
        if self.is_item(parent) {
            let list = self.tree.last_child(parent).filter(|last| self.is_list(*last));
            self.parse_block(list.unwrap_or(parent), text);
        } else if self.is_item(place) {
            self.parse_block(place, text);
        } else if let Some(item) = self.tree.last_child(place).filter(|last| self.is_item(*last)) {
            self.wrap_text(item);
            self.parse_text(item, text);
        } else {
            let item = self.tree.append(place, "li");
            self.parse_block(item, text);
        }
        self.states.pop();
    }

    /// How deep a block is indented, as far as there are lists for it, and the list or item that it belongs to.
    fn level(&self, parent: NodeId, text: &str) -> (usize, NodeId) {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let wanted = indent / ITEM_INDENT.len();
        let mut level = usize::from(self.is_in(State::TightList));
        let mut place = parent;
        while wanted > level {
            let Some(last) = self.tree.last_child(place).filter(|last| self.is_list(*last) || self.is_item(*last))
            else {
                break;
            };
            level += usize::from(self.is_list(last));
            place = last;
        }
        (level, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_one_level() {
        let found = |text| items(Kind::Bulleted, text).0;
        assert_eq!(found("* a\n* b\nc"), ["a", "b\nc"]);
        assert_eq!(found("* a\n  * b\n    * c\n* d"), ["a", "  * b\n    * c", "d"]);
        assert_eq!(found("* a\n    * b"), ["a\n    * b"]);
        assert_eq!(items(Kind::Numbered, "07. a\n* b").1, "07");
    }

    #[test]
    fn marks_need_a_blank() {
        assert_eq!(Kind::of(" * a"), Some(Kind::Bulleted));
        assert_eq!(Kind::of("12. a"), Some(Kind::Numbered));
        assert_eq!(Kind::of("* "), Some(Kind::Bulleted));
        for text in ["*a", "  * a", "1) a", "1.a", "a. b", "*"] {
            assert_eq!(Kind::of(text), None, "{text}");
        }
    }
}
