//! Expands TeX between dollar signs.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use crate::character::is_word_character;
use crate::math::typeset_within_budget;
use crate::tree::{Node, Text};

/// Maximum number of times that a text is searched again after a replacement.
const MAX_REPETITIONS: usize = 20;

/// Expands `$$x$$`.
pub(super) fn expand_math(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    expand_sources(inline, text, MAX_REPETITIONS)
}

/// Expands the sources in a text. Dollar signs that were not closed before a source may be closed after it, so the text
/// is searched again.
fn expand_sources(inline: &mut InlineExpander<'_, '_>, text: &str, remaining_repetitions: usize) -> Option<String> {
    const DELIMITER: &str = "$$";
    if !text.contains(DELIMITER) {
        return None;
    }
    let mut rewriter = TextRewriter::new(text);
    let mut is_open = false;
    let mut position = 0;
    while let Some(start) = text[position..].find(DELIMITER).map(|offset| position + offset) {
        let before = text[rewriter.position()..start].chars().next_back();
        let may_start = before.is_none_or(|before| before != '$' && !is_word_character(before));
        let Some(length) = source_length(&text[start + DELIMITER.len()..]).filter(|_| may_start) else {
            position = start + 1;
            is_open |= may_start;
            continue;
        };
        let source = &text[start + DELIMITER.len()..start + DELIMITER.len() + length];
        let placeholder = if let Some(html) = typeset_within_budget(inline.context, source, false) {
            let html_placeholder = inline.context.store(html);
            inline.stash_text(html_placeholder)
        } else {
            let content = Text::literal(format!("$${source}$$"));
            let attributes = vec![("class", "tex-error".to_owned())];
            inline.stash_element(Node { tag: "span", attributes, text: content, ..Node::default() })
        };
        position = start + length + 2 * DELIMITER.len();
        rewriter.replace(start..position, &placeholder);
        if is_open && remaining_repetitions > 0 {
            let rewritten = rewriter.finish()?;
            return Some(expand_sources(inline, &rewritten, remaining_repetitions - 1).unwrap_or(rewritten));
        }
    }
    rewriter.finish()
}

/// The length in bytes of the source up to its closing `$$`. A source is on one line, and its dollar signs are escaped
/// by backslashes.
fn source_length(text: &str) -> Option<usize> {
    let ends_at = |position: usize| {
        let following = text[position..].strip_prefix("$$").and_then(|following| following.chars().next());
        text[position..].starts_with("$$")
            && following.is_none_or(|following| following != '$' && !is_word_character(following))
    };
    // As for real servers, a source can't begin with an underscore, and a backslash at its beginning escapes nothing.
    if text.starts_with(['\n', '_', '$']) {
        return None;
    }
    // Escaped dollar signs, which end the source if nothing else does.
    let mut escaped_positions = Vec::new();
    let mut position = text.chars().next()?.len_utf8();
    while let Some(offset) = memchr::memchr2(b'\n', b'$', &text.as_bytes()[position..]) {
        position += offset;
        if text.as_bytes()[position] == b'\n' {
            break;
        }
        if position == 1 || !text[..position].ends_with('\\') {
            if ends_at(position) {
                return Some(position);
            }
            break;
        }
        escaped_positions.push(position);
        position += 1;
    }
    escaped_positions.into_iter().rev().find(|position| ends_at(*position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_end_at_closing_dollar_signs() {
        for (text, length) in [("x$$", 1), ("1 \\$ 2$$", 6), ("a\\$$", 2), ("\\$$", 1), ("x$$)", 1), ("x\\$$ y$$", 2)] {
            assert_eq!(source_length(text), Some(length), "{text}");
        }
        for text in ["x", "$$", "x$$a", "x$$$", "a\nb$$", "_x$$", "a$b$$", ""] {
            assert_eq!(source_length(text), None, "{text}");
        }
    }
}
