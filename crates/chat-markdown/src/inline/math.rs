//! TeX in a text: where its sources are.

use super::{Inline, Rewriting};
use crate::character::is_word;
use crate::math::typeset_in;
use crate::tree::{Node, Text};

/// A text is not looked at more often than this for sources within sources.
const REPETITIONS_MAX: usize = 20;

/// `$$x$$`
pub(super) fn sources(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    replaced(inline, text, REPETITIONS_MAX)
}

/// Replaces the sources in a text. What stood open before one may close behind it, so that the text is looked at again.
fn replaced(inline: &mut Inline<'_, '_>, text: &str, repetitions: usize) -> Option<String> {
    const MARK: &str = "$$";
    text.contains(MARK).then_some(())?;
    let mut out = Rewriting::new(text);
    let mut is_open = false;
    let mut at = 0;
    while let Some(start) = text[at..].find(MARK).map(|offset| at + offset) {
        let before = text[out.done()..start].chars().next_back();
        let may_start = before.is_none_or(|before| before != '$' && !is_word(before));
        let Some(length) = source_length(&text[start + MARK.len()..]).filter(|_| may_start) else {
            at = start + 1;
            is_open |= may_start;
            continue;
        };
        let source = &text[start + MARK.len()..start + MARK.len() + length];
        let mark = if let Some(html) = typeset_in(inline.context, source, false) {
            let mark = inline.context.store(html);
            inline.text(mark)
        } else {
            let text = Text::literal(format!("$${source}$$"));
            let attributes = vec![("class", "tex-error".to_owned())];
            inline.element(Node { tag: "span", attributes, text, ..Node::default() })
        };
        at = start + length + 2 * MARK.len();
        out.replace(start..at, &mark);
        if is_open && repetitions > 0 {
            let text = out.finish()?;
            return Some(replaced(inline, &text, repetitions - 1).unwrap_or(text));
        }
    }
    out.finish()
}

/// How long the source is that ends with the two dollar signs behind it. It is on one line, and has dollar signs behind
/// backslashes alone.
fn source_length(text: &str) -> Option<usize> {
    let ends = |at: usize| {
        let behind = text[at..].strip_prefix("$$").and_then(|behind| behind.chars().next());
        text[at..].starts_with("$$") && behind.is_none_or(|behind| behind != '$' && !is_word(behind))
    };
    if text.starts_with(['\n', '_', '$']) {
        return None;
    }
    // Dollar signs behind backslashes, which may end the source if nothing else does.
    let mut protected = Vec::new();
    let mut at = text.chars().next()?.len_utf8();
    while let Some(offset) = memchr::memchr2(b'\n', b'$', &text.as_bytes()[at..]) {
        at += offset;
        if text.as_bytes()[at] == b'\n' {
            break;
        }
        if at == 1 || !text[..at].ends_with('\\') {
            if ends(at) {
                return Some(at);
            }
            break;
        }
        protected.push(at);
        at += 1;
    }
    protected.into_iter().rev().find(|at| ends(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_sources_end() {
        for (text, length) in [("x$$", 1), ("1 \\$ 2$$", 6), ("a\\$$", 2), ("\\$$", 1), ("x$$)", 1), ("x\\$$ y$$", 2)] {
            assert_eq!(source_length(text), Some(length), "{text}");
        }
        for text in ["x", "$$", "x$$a", "x$$$", "a\nb$$", "_x$$", "a$b$$", ""] {
            assert_eq!(source_length(text), None, "{text}");
        }
    }
}
