//! Parses block quotes.

use super::scan::{is_empty_quote, strip_quote_marker};
use super::{Block, Parser, State};
use crate::character::is_space;
use crate::mention;
use crate::tree::NodeId;

impl Parser<'_> {
    /// Parses a block that has a quote from the byte `start` on.
    pub(super) fn parse_quote(&mut self, parent: NodeId, block: Block, start: usize) {
        self.parse_block(parent, &block.text()[..start]);
        let mut quoted = String::with_capacity(block.text().len());
        for (index, line) in block.text()[start..].split('\n').enumerate() {
            quoted.push_str(if index > 0 { "\n" } else { "" });
            quoted.push_str(&unquote_line(line));
        }
        drop(block);
        let quote = self.tree.append(parent, "blockquote");
        self.states.push(State::Quote);
        self.parse_text(quote, quoted);
        self.states.pop();
    }
}

/// Removes the `>` from a line, if it has one, and makes its mentions silent.
fn unquote_line(line: &str) -> String {
    let line = mention::silence_mentions(line);
    if line.trim_matches(is_space) == ">" {
        return String::new();
    }
    match strip_quote_marker(&line) {
        Some(content) if !is_empty_quote(&line) => content.to_owned(),
        _ => line.into_owned(),
    }
}
