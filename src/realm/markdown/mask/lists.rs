//! Lists: two spaces nest, whatever the width of the parent's marker, and a numbered list may follow a paragraph
//! directly, whatever its first number. Lines of a paragraph keep the spaces that no item takes (A-182 in
//! docs/assumptions.md).

use super::{fence_length, is_heading, is_rule, marker_length, prefix};

/// How many spaces nest an item.
const NESTING: usize = 2;

/// What has to come before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    None,
    BlankLine,
    /// Ends a paragraph like a blank line, but does not make a list loose.
    Comment,
}

/// Where a line has to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub division: Division,
    /// Its new indentation. With the hidden spaces it replaces the old one, which stays where both are 0.
    pub indent: usize,
    /// How many spaces of the old indentation are text.
    pub hidden_spaces: usize,
}

impl Place {
    fn at(indent: usize) -> Self {
        Self { division: Division::None, indent, hidden_spaces: 0 }
    }
}

/// A fence that is open in an item or at a place of its own.
#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: u8,
    length: usize,
    is_in_item: bool,
}

/// Follows lists from line to line, to give each line the indentation that CommonMark expects.
#[derive(Default)]
pub(super) struct Lists {
    /// The open items, outermost first: the indentation as typed, and the column where the content has to start.
    open: Vec<(usize, usize)>,
    after_blank: bool,
    after_text: bool,
    /// How much of the indentation of its further lines belongs to items, while there is a paragraph.
    paragraph: Option<usize>,
    fence: Option<Fence>,
}

impl Lists {
    /// Where a line has to stand.
    pub fn place(&mut self, line: &str) -> Place {
        let trimmed = line.trim_start_matches([' ', '\t']);
        let indent: usize =
            line[..line.len() - trimmed.len()].chars().map(|char| if char == '\t' { 4 } else { 1 }).sum();
        if trimmed.is_empty() {
            self.after_blank = true;
            self.after_text = false;
            self.paragraph = None;
            return Place::at(0);
        }
        if let Some(place) = self.in_fence(indent, trimmed) {
            return place;
        }
        let marker = marker_length(trimmed).filter(|_| !is_rule(trimmed) && (indent < 4 || !self.open.is_empty()));
        let place = match marker {
            Some(length) => self.item(indent, length, trimmed),
            None => self.other(indent, trimmed),
        };
        self.after_blank = false;
        self.after_text = marker.is_none() && !trimmed.starts_with('>');
        place
    }

    fn in_fence(&mut self, indent: usize, trimmed: &str) -> Option<Place> {
        let fence = self.fence?;
        if fence.is_in_item && indent < NESTING {
            self.fence = None;
            return None;
        }
        let marks = trimmed.trim_end();
        if marks.len() >= fence.length && marks.bytes().all(|byte| byte == fence.mark) {
            self.fence = None;
        }
        let place = Place::at(self.continuation(indent));
        self.after_blank = false;
        Some(place)
    }

    fn item(&mut self, indent: usize, length: usize, trimmed: &str) -> Place {
        let depth = self.open.len();
        // A numbered list that doesn't start with 1 would not end the paragraph.
        let is_numbered = length > 1;
        let follows_text = depth == 0 && self.after_text && is_numbered;
        while self.open.last().is_some_and(|&(parent, _)| indent < parent + NESTING) {
            self.open.pop();
        }
        let nests = depth > 0 && self.open.len() == depth && self.paragraph.is_some();
        let division = if follows_text {
            Division::BlankLine
        } else if nests && is_numbered && !trimmed.starts_with("1.") {
            Division::Comment
        } else {
            Division::None
        };
        let column = self.open.last().map_or(indent.min(3), |&(_, content)| content);
        let spaces = trimmed[length..].bytes().take_while(|&byte| byte == b' ').count();
        let content = column + length + if (1..=4).contains(&spaces) { spaces } else { 1 };
        self.paragraph = Some(NESTING * self.open.len());
        self.open.push((indent, content));
        self.note(&trimmed[length..]);
        Place { division, ..Place::at(column) }
    }

    /// A line that begins no item.
    fn other(&mut self, indent: usize, trimmed: &str) -> Place {
        let place = self.continuation(indent);
        let content = self.open.last().map_or(0, |&(_, content)| content);
        let is_code = self.paragraph.is_none() && (if place > 0 { place - content } else { indent }) >= 4;
        let is_text = !trimmed.starts_with('>') && fence_length(trimmed).is_none() && !is_rule(trimmed);
        let further = self.paragraph.filter(|_| is_text && !trimmed.contains('|'));
        let hidden_spaces = further.map_or(0, |of_items| indent.saturating_sub(of_items));
        if is_code || trimmed.starts_with('>') {
            self.paragraph = None;
        } else {
            self.paragraph = self.paragraph.or(Some(NESTING * self.open.len()));
            if hidden_spaces == 0 {
                self.note(trimmed);
            }
        }
        let indent = if hidden_spaces > 0 && place > 0 { content } else { place };
        Place { hidden_spaces, ..Place::at(indent) }
    }

    /// Notes what begins no paragraph, or a fence, behind the marks of items.
    fn note(&mut self, text: &str) {
        let mut rest = text;
        while let Some(length) = prefix(rest) {
            rest = &rest[length..];
        }
        let rest = rest.trim_start();
        let fence = fence_length(rest);
        if fence.is_some() || is_rule(rest) || is_heading(rest) {
            self.paragraph = None;
        }
        self.fence = fence.map(|length| Fence { mark: rest.as_bytes()[0], length, is_in_item: !self.open.is_empty() });
    }

    fn continuation(&mut self, indent: usize) -> usize {
        if indent < NESTING {
            if self.after_blank {
                self.open.clear();
            }
            return 0;
        }
        while self.after_blank && self.open.last().is_some_and(|&(parent, _)| indent < parent + NESTING) {
            self.open.pop();
        }
        match self.open.last() {
            Some(&(_, content)) => indent.max(content),
            None => 0,
        }
    }
}
