//! Expands emoji and emoticons, and line ends in the same pass as emoji that are written as characters. Each pass
//! returns the changed text, or None if it replaces nothing.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use crate::character::is_word_character;
use crate::emoji::{self, EmojiSequence};
use crate::tree::{Node, Text};

/// Expands names such as `:smile:`. Unknown names are stashed as text, so that their second colon does not begin
/// another emoji.
pub(super) fn expand_emoji_names(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    let mut rewriter = TextRewriter::new(text);
    let is_in_name = |character: char| is_word_character(character) || matches!(character, '-' | '+');
    for start in memchr::memchr_iter(b':', text.as_bytes()) {
        if start < rewriter.position() {
            continue;
        }
        let following = &text[start + 1..];
        let length = following.find(|character| !is_in_name(character)).unwrap_or(following.len());
        if length == 0 || !following[length..].starts_with(':') {
            continue;
        }
        let placeholder = match emoji_node(inline, &following[..length]) {
            Some(element) => inline.stash_element(element),
            None => inline.stash_text(text[start..start + length + 2].to_owned()),
        };
        rewriter.replace(start..start + length + 2, &placeholder);
    }
    rewriter.finish()
}

fn emoji_node(inline: &InlineExpander<'_, '_>, name: &str) -> Option<Node> {
    if let Some(image) = inline.context.names.custom_emoji(name) {
        Some(image_emoji_node(name, &image.src))
    } else if name == emoji::EXTRA_EMOJI.name {
        Some(image_emoji_node(name, emoji::EXTRA_EMOJI.image_src))
    } else {
        Some(unicode_emoji_node(inline.context.settings.output_format.emoji.code_of(name)?, name))
    }
}

/// Expands emoticons such as `:)` between spaces and punctuation, if the sender's setting enables it.
pub(super) fn expand_emoticons(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    if !inline.context.settings.translate_emoticons {
        return None;
    }
    let is_boundary = |character: char| ",.;?!()[] \"'\n\t".contains(character);
    let mut rewriter = TextRewriter::new(text);
    for (start, _) in text.match_indices([':', '(', '<', ';']) {
        let is_separate = start >= rewriter.position()
            && text[rewriter.position()..start].chars().next_back().is_none_or(is_boundary);
        // An emoticon directly after another one stays text.
        if !is_separate || start == rewriter.position() && start > 0 {
            continue;
        }
        let emoticon = inline.context.settings.output_format.emoji.emoticons().find(|(emoticon, _, _)| {
            let following = text[start..].strip_prefix(emoticon);
            following.is_some_and(|following| following.chars().next().is_none_or(is_boundary))
        });
        if let Some((emoticon, code, name)) = emoticon {
            let placeholder = inline.stash_element(unicode_emoji_node(code, name));
            rewriter.replace(start..start + emoticon.len(), &placeholder);
        }
    }
    rewriter.finish()
}

/// Expands line ends, and emoji that are written as characters.
pub(super) fn expand_line_ends_and_emoji(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    let names = inline.context.settings.output_format.emoji;
    let mut rewriter = TextRewriter::new(text);
    let mut index = 0;
    while let Some(offset) = text.as_bytes()[index..].iter().position(|&byte| byte == b'\n' || !byte.is_ascii()) {
        index += offset;
        if text.as_bytes()[index] == b'\n' {
            let placeholder = inline.stash_element(Node { tag: "br", ..Node::default() });
            rewriter.replace(index..index + 1, &placeholder);
            index += 1;
            continue;
        }
        // In a keycap, the first non-ASCII character follows a digit, `#` or `*`.
        let keycap_start =
            index.checked_sub(1).filter(|&start| start >= rewriter.position() && text.is_char_boundary(start));
        let keycap = keycap_start.and_then(|start| Some((start, names.sequence(&text[start..])?)));
        let (start, sequence) =
            match keycap.filter(|(start, sequence)| text.as_bytes()[*start].is_ascii() && sequence.length > 1) {
                Some((start, sequence)) => (start, Some(sequence)),
                None => (index, names.sequence(&text[index..])),
            };
        match sequence {
            Some(EmojiSequence { code: Some(code), length }) => {
                let name = names.names_of(code).and_then(|names| names.first());
                let placeholder = inline.stash_element(unicode_emoji_node(code, name.copied().unwrap_or_default()));
                rewriter.replace(start..start + length, &placeholder);
                index = start + length;
            }
            Some(EmojiSequence { code: None, length }) => index = start + length,
            None => index += text[index..].chars().next().map_or(1, char::len_utf8),
        }
    }
    rewriter.finish()
}

fn unicode_emoji_node(code: &str, name: &str) -> Node {
    let label = name.replace('_', " ");
    let attributes = vec![
        ("aria-label", label.clone()),
        ("class", format!("emoji emoji-{code}")),
        ("role", "img".to_owned()),
        ("title", label),
    ];
    Node { tag: "span", attributes, text: Text::literal(format!(":{name}:")), ..Node::default() }
}

fn image_emoji_node(name: &str, src: &str) -> Node {
    let attributes = vec![
        ("alt", format!(":{name}:")),
        ("class", "emoji".to_owned()),
        ("src", src.to_owned()),
        ("title", name.replace('_', " ")),
    ];
    Node { tag: "img", attributes, ..Node::default() }
}
