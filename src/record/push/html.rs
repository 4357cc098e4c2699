//! Reads the rendered HTML of a message for a push notification: its text, and the groups that it mentions.

use crate::realm::id::GroupId;
use chat_markdown::pieces;
use std::fmt::Write;

/// The elements without an end tag that rendered messages have.
const VOID_ELEMENTS: [&str; 3] = ["br", "hr", "img"];

/// An open element and the text that was collected within it.
#[derive(Default)]
struct Element {
    kind: ElementKind,
    text: String,
}

#[derive(Default, PartialEq)]
enum ElementKind {
    #[default]
    Plain,
    Quote,
    NumberedList {
        /// The number of the next item.
        next_number: u64,
        /// The number of enclosing numbered lists.
        depth: usize,
    },
    Spoiler,
    SpoilerContent,
    /// A formula; its source is in an annotation.
    Formula,
    Annotation,
    /// An emoji, whose name is not shown.
    Emoji,
}

/// Converts HTML to text. Emoji become characters, pictures their alternative text and formulas TeX. Quotes and
/// numbered lists keep their markers. Only the header of a spoiler remains.
pub fn html_to_text(html: &str) -> String {
    let mut open_elements: Vec<Element> = vec![Element::default()];
    // Text after a numbered list or a spoiler is skipped up to the next tag: real servers drop what directly follows
    // these elements.
    let mut skips_text = false;
    for piece in pieces(html) {
        if !piece.is_tag {
            if let (Some(element), Some(character), false) = (open_elements.last_mut(), piece.character, skips_text)
                && !matches!(element.kind, ElementKind::Emoji | ElementKind::NumberedList { .. })
            {
                element.text.push(character);
            }
            continue;
        }
        skips_text = false;
        if piece.html.starts_with("</") {
            skips_text = close_element(&mut open_elements);
        } else {
            open_element(&mut open_elements, piece.html);
        }
    }
    while open_elements.len() > 1 {
        close_element(&mut open_elements);
    }
    open_elements.pop().map(|element| element.text).unwrap_or_default()
}

fn open_element(open_elements: &mut Vec<Element>, tag: &str) {
    let name = tag[1..].split(|character: char| !character.is_ascii_alphanumeric()).next().unwrap_or_default();
    if VOID_ELEMENTS.contains(&name) {
        if let (Some(element), Some(alternative_text)) = (open_elements.last_mut(), attribute(tag, "alt")) {
            element.text.extend(pieces(alternative_text).filter_map(|piece| piece.character));
        }
        return;
    }
    let classes = attribute(tag, "class").unwrap_or_default();
    let has_class = |class: &str| classes.split(' ').any(|other| other == class);
    let mut text = String::new();
    let kind = match name {
        "blockquote" => ElementKind::Quote,
        "ol" => {
            let next_number = attribute(tag, "start").and_then(|start| start.parse().ok()).unwrap_or(1);
            let depth =
                open_elements.iter().filter(|element| matches!(element.kind, ElementKind::NumberedList { .. })).count();
            ElementKind::NumberedList { next_number, depth }
        }
        "annotation" => ElementKind::Annotation,
        _ if has_class("spoiler-block") => ElementKind::Spoiler,
        _ if has_class("spoiler-content") => ElementKind::SpoilerContent,
        _ if has_class("katex") => ElementKind::Formula,
        _ => match classes.split(' ').find_map(|class| class.strip_prefix("emoji-")) {
            Some(code) => {
                text = emoji_characters(code);
                ElementKind::Emoji
            }
            None => ElementKind::Plain,
        },
    };
    open_elements.push(Element { kind, text });
}

/// Closes the innermost element. Returns whether the text up to the next tag is skipped.
fn close_element(open_elements: &mut Vec<Element>) -> bool {
    // The first element is the document, which an end tag too many must not close.
    let Some(element) = (open_elements.len() > 1).then(|| open_elements.pop()).flatten() else { return false };
    let is_in_formula = open_elements.iter().any(|element| element.kind == ElementKind::Formula);
    let Some(parent) = open_elements.last_mut() else { return false };
    match (&mut parent.kind, element.kind) {
        (ElementKind::NumberedList { next_number, depth }, _) => {
            if !parent.text.is_empty() {
                parent.text.push('\n');
            }
            if *depth > 0 {
                parent.text.push('\n');
                parent.text.extend(std::iter::repeat_n("  ", *depth));
            }
            // Writing to a text cannot fail.
            _ = write!(parent.text, "{next_number}. {}", element.text.trim());
            *next_number += 1;
        }
        (_, ElementKind::Quote) => {
            for line in element.text.lines().filter(|line| !line.is_empty()) {
                _ = writeln!(parent.text, "> {line}");
            }
        }
        (_, ElementKind::Spoiler) => {
            let header = element.text.trim();
            parent.text.push_str(header);
            parent.text.push_str(if header.is_empty() { "(…)\n" } else { " (…)\n" });
            return true;
        }
        (_, ElementKind::SpoilerContent) => {}
        (_, ElementKind::NumberedList { .. }) => {
            parent.text.push_str(&element.text);
            return true;
        }
        (_, ElementKind::Annotation) => {
            if let Some(formula) = open_elements.iter_mut().rfind(|element| element.kind == ElementKind::Formula) {
                formula.text = format!("$${}$$", element.text);
            }
        }
        // Within a formula, only the annotation has a meaningful text.
        (_, ElementKind::Plain) if is_in_formula => {}
        (_, ElementKind::Plain | ElementKind::Formula | ElementKind::Emoji) => parent.text.push_str(&element.text),
    }
    false
}

/// The groups that rendered HTML mentions, without silent mentions.
pub fn group_mentions(html: &str) -> impl Iterator<Item = GroupId> {
    let tags = pieces(html).filter(|piece| piece.is_tag).map(|piece| piece.html);
    let mentions = tags.filter(|tag| attribute(tag, "class") == Some("user-group-mention"));
    mentions.filter_map(|tag| attribute(tag, "data-user-group-id")?.parse().ok().map(GroupId))
}

fn attribute<'tag>(tag: &'tag str, name: &str) -> Option<&'tag str> {
    let (_, remaining) = tag.split_once(&format!(" {name}=\""))?;
    remaining.split_once('"').map(|(value, _)| value)
}

/// Decodes an emoji code, which consists of hexadecimal code points separated by `-`.
fn emoji_characters(code: &str) -> String {
    code.split('-').filter_map(|code_point| u32::from_str_radix(code_point, 16).ok().and_then(char::from_u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::html_to_text;

    #[test]
    fn emoji_pictures_and_formulas_are_shown_as_text() {
        let emoji = r#"<p>hi <span aria-label="smile" class="emoji emoji-1f1e9-1f1ea" role="img">:smile:</span> <img alt=":own:" class="emoji" src="/x">!</p>"#;
        assert_eq!(html_to_text(emoji), "hi \u{1f1e9}\u{1f1ea} :own:!");
        let formula = r#"<p>a <span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation encoding="application/x-tex">x &lt; 2</annotation></math></span><span class="katex-html"><span>x</span></span></span> b</p>"#;
        assert_eq!(html_to_text(formula), "a $$x < 2$$ b");
    }

    #[test]
    fn quotes_and_numbered_lists_keep_their_markers() {
        let quote = "<p>x</p>\n<blockquote>\n<p>one<br>\ntwo</p>\n</blockquote>\n<p>y</p>";
        assert_eq!(html_to_text(quote), "x\n> one\n> two\n\ny");
        let list = "<ol start=\"3\">\n<li>a</li>\n<li>b<ol>\n<li>c</li>\n</ol>\n</li>\n</ol>\n<p>end</p>";
        assert_eq!(html_to_text(list), "3. a\n4. b\n  1. cend");
        assert_eq!(html_to_text("<ul>\n<li>a</li>\n<li>b</li>\n</ul>"), "\na\nb\n");
    }

    #[test]
    fn a_spoiler_shows_its_header() {
        let with_header = "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n<p>who</p>\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n<p>it</p>\n</div></div>\n<p>x</p>";
        assert_eq!(html_to_text(with_header), "who (…)\nx");
        let without_header = "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div><div class=\"spoiler-content\">it</div></div>";
        assert_eq!(html_to_text(without_header), "(…)\n");
    }

    #[test]
    fn unclosed_elements_end_with_the_text() {
        assert_eq!(html_to_text("<p>a<b>c</p></p></p>d"), "acd");
    }
}
