//! Entities, emoji, emoticons and line ends.

use super::{Inline, Rewriting};
use crate::character::is_word;
use crate::emoji::{self, EmojiSequence};
use crate::html;
use crate::tree::{Node, Text};

/// `&copy;`: kept as it is.
pub(super) fn entities(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    let mut out = Rewriting::new(text);
    for at in memchr::memchr_iter(b'&', text.as_bytes()) {
        if let Some(length) = html::entity(&text[at..]) {
            let mark = inline.context.store(text[at..at + length].to_owned());
            // Raw HTML is no element, but nothing looks into what replaces it.
            let mark = inline.text(mark);
            out.replace(at..at + length, &mark);
        }
    }
    out.finish()
}

/// `:smile:`. A name that nobody knows is taken too, so that its second colon begins no other.
pub(super) fn names(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    let mut out = Rewriting::new(text);
    let is_in_name = |character: char| is_word(character) || matches!(character, '-' | '+');
    for at in memchr::memchr_iter(b':', text.as_bytes()) {
        if at < out.done() {
            continue;
        }
        let behind = &text[at + 1..];
        let length = behind.find(|character| !is_in_name(character)).unwrap_or(behind.len());
        if length == 0 || !behind[length..].starts_with(':') {
            continue;
        }
        let mark = match named(inline, &behind[..length]) {
            Some(element) => inline.element(element),
            None => inline.text(text[at..at + length + 2].to_owned()),
        };
        out.replace(at..at + length + 2, &mark);
    }
    out.finish()
}

fn named(inline: &Inline<'_, '_>, name: &str) -> Option<Node> {
    if let Some(image) = inline.context.names.custom_emoji(name) {
        Some(picture(name, &image.src))
    } else if name == emoji::EXTRA_EMOJI.name {
        Some(picture(name, emoji::EXTRA_EMOJI.image_src))
    } else {
        Some(unicode(inline.context.settings.form.emoji.by_name(name)?, name))
    }
}

/// `:)` between spaces and punctuation, for senders who want it.
pub(super) fn emoticons(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    if !inline.context.settings.translate_emoticons {
        return None;
    }
    let is_boundary = |character: char| ",.;?!()[] \"'\n\t".contains(character);
    let mut out = Rewriting::new(text);
    for (at, _) in text.match_indices([':', '(', '<', ';']) {
        let is_apart = at >= out.done() && text[out.done()..at].chars().next_back().is_none_or(is_boundary);
        if !is_apart || at == out.done() && at > 0 {
            continue;
        }
        let found = inline.context.settings.form.emoji.emoticons().find(|(emoticon, _, _)| {
            let behind = text[at..].strip_prefix(emoticon);
            behind.is_some_and(|behind| behind.chars().next().is_none_or(is_boundary))
        });
        if let Some((emoticon, code, name)) = found {
            let mark = inline.element(unicode(code, name));
            out.replace(at..at + emoticon.len(), &mark);
        }
    }
    out.finish()
}

/// Line ends, and emoji as they are.
pub(super) fn line_ends_and_characters(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    let names = inline.context.settings.form.emoji;
    let mut out = Rewriting::new(text);
    let mut at = 0;
    while let Some(offset) = text.as_bytes()[at..].iter().position(|&byte| byte == b'\n' || !byte.is_ascii()) {
        // What makes a keycap of a digit is behind it.
        at += offset;
        if text.as_bytes()[at] == b'\n' {
            let mark = inline.element(Node { tag: "br", ..Node::default() });
            out.replace(at..at + 1, &mark);
            at += 1;
            continue;
        }
        let keycap = at.checked_sub(1).filter(|&start| start >= out.done() && text.is_char_boundary(start));
        let keycap = keycap.and_then(|start| Some((start, names.sequence(&text[start..])?)));
        let (start, found) = match keycap.filter(|(start, found)| text.as_bytes()[*start].is_ascii() && found.bytes > 1)
        {
            Some((start, found)) => (start, Some(found)),
            None => (at, names.sequence(&text[at..])),
        };
        match found {
            Some(EmojiSequence { code: Some(code), bytes }) => {
                let name = names.by_code(code).and_then(|names| names.first());
                let mark = inline.element(unicode(code, name.copied().unwrap_or_default()));
                out.replace(start..start + bytes, &mark);
                at = start + bytes;
            }
            Some(EmojiSequence { code: None, bytes }) => at = start + bytes,
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    out.finish()
}

fn unicode(code: &str, name: &str) -> Node {
    let label = name.replace('_', " ");
    let attributes = vec![
        ("aria-label", label.clone()),
        ("class", format!("emoji emoji-{code}")),
        ("role", "img".to_owned()),
        ("title", label),
    ];
    Node { tag: "span", attributes, text: Text::literal(format!(":{name}:")), ..Node::default() }
}

fn picture(name: &str, src: &str) -> Node {
    let attributes = vec![
        ("alt", format!(":{name}:")),
        ("class", "emoji".to_owned()),
        ("src", src.to_owned()),
        ("title", name.replace('_', " ")),
    ];
    Node { tag: "img", attributes, ..Node::default() }
}
