//! Strong, emphasized and deleted text.

use super::{Inline, Rewriting};
use crate::character::is_space;

/// Stars that may open emphasis.
struct Stars {
    at: usize,
    count: usize,
}

/// `***both***`
pub(super) fn strong_emphasis(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    text.contains("***").then(|| between_stars(inline, text, 3, &["strong", "em"]))
}

/// `*emphasized*`
pub(super) fn emphasis(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    text.contains('*').then(|| between_stars(inline, text, 1, &["em"]))
}

/// Text between so many stars on each side, without white space at its ends, and without line ends, circumflexes and
/// further stars. What was found may be inside of what is found next.
fn between_stars(inline: &mut Inline<'_, '_>, text: &str, width: usize, tags: &[&'static str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<Stars> = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'*', rest.as_bytes()) {
        let (before, stars) = rest.split_at(at);
        if before.contains(['\n', '^']) {
            open.clear();
        }
        out.push_str(before);
        let mut count = stars.bytes().take_while(|&byte| byte == b'*').count();
        rest = &stars[count..];
        while let Some(last) = open.last_mut().filter(|last| last.count >= width && count >= width) {
            let content = &out[last.at + last.count..];
            if content.is_empty() || content.starts_with(is_space) || content.ends_with(is_space) {
                break;
            }
            let content = content.to_owned();
            last.count -= width;
            out.truncate(last.at + last.count);
            if last.count == 0 {
                open.pop();
            }
            out.push_str(&inline.nest(tags, &content));
            count -= width;
        }
        if count > 0 {
            open.push(Stars { at: out.len(), count });
            out.extend(std::iter::repeat_n('*', count));
        }
    }
    out.push_str(rest);
    out
}

/// `**strong**`: on one line, up to the first two stars behind at least one character.
pub(super) fn strong(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    const MARK: &str = "**";
    text.contains(MARK).then_some(())?;
    let mut out = Rewriting::new(text);
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut at = 0;
        while let Some(opening) = line[at..].find(MARK).map(|offset| at + offset) {
            let content = opening + MARK.len();
            let Some(first) = line[content..].chars().next() else { break };
            let least = content + first.len_utf8();
            let Some(closing) = line[least..].find(MARK).map(|offset| least + offset) else { break };
            let mark = inline.nest(&["strong"], &line[content..closing]);
            at = closing + MARK.len();
            out.replace(line_start + opening..line_start + at, &mark);
        }
        line_start += line.len();
    }
    out.finish()
}

/// `~~deleted~~`: between exactly two tildes on each side, on one line, without further tildes.
pub(super) fn deleted(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    text.contains("~~").then_some(())?;
    let mut out = Rewriting::new(text);
    let mut opening: Option<usize> = None;
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'~', &text.as_bytes()[at..]).map(|offset| at + offset) {
        let count = text[start..].bytes().take_while(|&byte| byte == b'~').count();
        at = start + count;
        let content = opening.take().map(|opening| opening + 2..start).filter(|_| count == 2);
        match content.filter(|content| !text[content.clone()].contains('\n')) {
            Some(content) => {
                let mark = inline.nest(&["del"], &text[content.clone()]);
                out.replace(content.start - 2..at, &mark);
            }
            None => opening = (count == 2).then_some(start),
        }
    }
    out.finish()
}
