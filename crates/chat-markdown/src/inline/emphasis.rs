//! Expands strong, emphasized and deleted text.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use crate::character::is_space;

/// A run of asterisks that may open emphasis.
struct AsteriskRun {
    position: usize,
    count: usize,
}

/// Expands `***strong and emphasized***`.
pub(super) fn expand_strong_emphasis(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    text.contains("***").then(|| expand_between_asterisks(inline, text, 3, &["strong", "em"]))
}

/// Expands `*emphasized*`.
pub(super) fn expand_emphasis(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    text.contains('*').then(|| expand_between_asterisks(inline, text, 1, &["em"]))
}

/// Expands text between `width` asterisks on each side. The text has no white space at its ends and, as on real
/// servers, contains no line ends, circumflexes or further asterisks. Expanded text can be part of the next match.
fn expand_between_asterisks(
    inline: &mut InlineExpander<'_, '_>,
    text: &str,
    width: usize,
    tags: &[&'static str],
) -> String {
    let mut output = String::with_capacity(text.len());
    let mut open_asterisks: Vec<AsteriskRun> = Vec::new();
    let mut remaining = text;
    while let Some(offset) = memchr::memchr(b'*', remaining.as_bytes()) {
        let (before, asterisks) = remaining.split_at(offset);
        if before.contains(['\n', '^']) {
            open_asterisks.clear();
        }
        output.push_str(before);
        let mut count = asterisks.bytes().take_while(|&byte| byte == b'*').count();
        remaining = &asterisks[count..];
        while let Some(last) = open_asterisks.last_mut().filter(|last| last.count >= width && count >= width) {
            let content = &output[last.position + last.count..];
            if content.is_empty() || content.starts_with(is_space) || content.ends_with(is_space) {
                break;
            }
            let content = content.to_owned();
            last.count -= width;
            output.truncate(last.position + last.count);
            if last.count == 0 {
                open_asterisks.pop();
            }
            output.push_str(&inline.stash_nested_element(tags, &content));
            count -= width;
        }
        if count > 0 {
            open_asterisks.push(AsteriskRun { position: output.len(), count });
            output.extend(std::iter::repeat_n('*', count));
        }
    }
    output.push_str(remaining);
    output
}

/// Expands `**strong**`: on one line, up to the next two asterisks after at least one character.
pub(super) fn expand_strong(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    const DELIMITER: &str = "**";
    text.contains(DELIMITER).then_some(())?;
    let mut rewriter = TextRewriter::new(text);
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut position = 0;
        while let Some(opening) = line[position..].find(DELIMITER).map(|offset| position + offset) {
            let content_start = opening + DELIMITER.len();
            let Some(first) = line[content_start..].chars().next() else { break };
            let min_end = content_start + first.len_utf8();
            let Some(closing) = line[min_end..].find(DELIMITER).map(|offset| min_end + offset) else { break };
            let placeholder = inline.stash_nested_element(&["strong"], &line[content_start..closing]);
            position = closing + DELIMITER.len();
            rewriter.replace(line_start + opening..line_start + position, &placeholder);
        }
        line_start += line.len();
    }
    rewriter.finish()
}

/// Expands `~~deleted~~`: between exactly two tildes on each side, on one line, without further tildes.
pub(super) fn expand_deleted(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    text.contains("~~").then_some(())?;
    let mut rewriter = TextRewriter::new(text);
    let mut opening: Option<usize> = None;
    let mut position = 0;
    while let Some(start) = memchr::memchr(b'~', &text.as_bytes()[position..]).map(|offset| position + offset) {
        let count = text[start..].bytes().take_while(|&byte| byte == b'~').count();
        position = start + count;
        let content = opening.take().map(|opening| opening + 2..start).filter(|_| count == 2);
        match content.filter(|content| !text[content.clone()].contains('\n')) {
            Some(content) => {
                let placeholder = inline.stash_nested_element(&["del"], &text[content.clone()]);
                rewriter.replace(content.start - 2..position, &placeholder);
            }
            None => opening = (count == 2).then_some(start),
        }
    }
    rewriter.finish()
}
