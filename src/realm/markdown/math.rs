//! TeX: where it is, and what is shown where it has a fault (A-232 in docs/assumptions.md).

mod typeset;

use super::character::is_word;
use super::context::Context;
use super::html;
use super::inline::{Inline, Rewriting};
use super::tree::{Node, Text};
use typeset::typeset;

/// A text has no more sources than this.
const SOURCES_MAX: usize = 4_000;

/// With more HTML than this there is too much of it in any case.
const HTML_MAX_BYTES: usize = 2 * super::OUTPUT_MAX_CHARS;

/// A text is not looked at more often than this for sources within sources.
const REPETITIONS_MAX: usize = 20;

/// `$$x$$`
pub(super) fn inline(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
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
            let mark = inline.context.stash.store(html);
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

/// The HTML of a source, if it has no fault and the text has not had too many before.
fn typeset_in(context: &mut Context<'_>, source: &str, is_display: bool) -> Option<String> {
    context.sources += 1;
    let has_room = context.sources <= SOURCES_MAX && context.stash.bytes() <= HTML_MAX_BYTES;
    has_room.then(|| typeset(source, is_display)).flatten()
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

/// A block of math: one for each part between blank lines.
pub(super) fn display(context: &mut Context<'_>, body: &str) -> String {
    let error = |source: &str| format!("<span class=\"tex-error\">{}</span>", html::with_quotes(source, "&#x27;"));
    let part = |source: &str| typeset_in(context, source, true).unwrap_or_else(|| error(source));
    body.split("\n\n").map(part).collect::<Vec<_>>().join("\n\n")
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
