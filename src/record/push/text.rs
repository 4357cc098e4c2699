//! What a notification says of a message: its rendered text without tags.

use crate::realm::id::GroupId;
use chat_markdown::pieces;
use std::fmt::Write;

/// Elements without an end tag.
const VOID: [&str; 3] = ["br", "hr", "img"];

/// An element whose end tag has not come, and its text so far.
#[derive(Default)]
struct Element {
    kind: Kind,
    text: String,
}

#[derive(Default, PartialEq)]
enum Kind {
    #[default]
    Plain,
    Quote,
    /// A numbered list: the next number, and in how many others it is.
    List {
        next: u64,
        depth: usize,
    },
    Spoiler,
    SpoilerText,
    /// A formula; its source is in an annotation.
    Formula,
    Annotation,
    /// An emoji, whose name is not shown.
    Hidden,
}

/// Reads rendered HTML: an emoji as its characters, a picture as its alternative text, quotes and numbered lists with
/// their marks, a formula as TeX, and of a spoiler its header alone.
pub fn text(html: &str) -> String {
    let mut open: Vec<Element> = vec![Element::default()];
    // What follows a numbered list or a spoiler within the same element is left out up to the next tag.
    let mut is_after_list = false;
    for piece in pieces(html) {
        if !piece.is_tag {
            if let (Some(element), Some(character), false) = (open.last_mut(), piece.character, is_after_list)
                && !matches!(element.kind, Kind::Hidden | Kind::List { .. })
            {
                element.text.push(character);
            }
            continue;
        }
        is_after_list = false;
        if piece.html.starts_with("</") {
            is_after_list = close(&mut open);
        } else {
            begin(&mut open, piece.html);
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map(|element| element.text).unwrap_or_default()
}

fn begin(open: &mut Vec<Element>, tag: &str) {
    let name = tag[1..].split(|character: char| !character.is_ascii_alphanumeric()).next().unwrap_or_default();
    if VOID.contains(&name) {
        if let (Some(element), Some(shown)) = (open.last_mut(), attribute(tag, "alt")) {
            element.text.extend(pieces(shown).filter_map(|piece| piece.character));
        }
        return;
    }
    let classes = attribute(tag, "class").unwrap_or_default();
    let has = |class: &str| classes.split(' ').any(|each| each == class);
    let mut text = String::new();
    let kind = match name {
        "blockquote" => Kind::Quote,
        "ol" => {
            let next = attribute(tag, "start").and_then(|start| start.parse().ok()).unwrap_or(1);
            let depth = open.iter().filter(|element| matches!(element.kind, Kind::List { .. })).count();
            Kind::List { next, depth }
        }
        "annotation" => Kind::Annotation,
        _ if has("spoiler-block") => Kind::Spoiler,
        _ if has("spoiler-content") => Kind::SpoilerText,
        _ if has("katex") => Kind::Formula,
        _ => match classes.split(' ').find_map(|class| class.strip_prefix("emoji-")) {
            Some(code) => {
                text = characters(code);
                Kind::Hidden
            }
            None => Kind::Plain,
        },
    };
    open.push(Element { kind, text });
}

/// Ends the innermost element. Whether what comes next, up to a tag, is left out.
fn close(open: &mut Vec<Element>) -> bool {
    let Some(element) = (open.len() > 1).then(|| open.pop()).flatten() else { return false };
    let is_in_formula = open.iter().any(|element| element.kind == Kind::Formula);
    let Some(parent) = open.last_mut() else { return false };
    match (&mut parent.kind, element.kind) {
        (Kind::List { next, depth }, _) => {
            if !parent.text.is_empty() {
                parent.text.push('\n');
            }
            if *depth > 0 {
                parent.text.push('\n');
                parent.text.extend(std::iter::repeat_n("  ", *depth));
            }
            _ = write!(parent.text, "{next}. {}", element.text.trim());
            *next += 1;
        }
        (_, Kind::Quote) => {
            for line in element.text.lines().filter(|line| !line.is_empty()) {
                _ = writeln!(parent.text, "> {line}");
            }
        }
        (_, Kind::Spoiler) => {
            let header = element.text.trim();
            parent.text.push_str(header);
            parent.text.push_str(if header.is_empty() { "(…)\n" } else { " (…)\n" });
            return true;
        }
        (_, Kind::SpoilerText) => {}
        (_, Kind::List { .. }) => {
            parent.text.push_str(&element.text);
            return true;
        }
        (_, Kind::Annotation) => {
            if let Some(formula) = open.iter_mut().rfind(|element| element.kind == Kind::Formula) {
                formula.text = format!("$${}$$", element.text);
            }
        }
        // Of a formula's elements only the annotation is read.
        (_, Kind::Plain) if is_in_formula => {}
        (_, Kind::Plain | Kind::Formula | Kind::Hidden) => parent.text.push_str(&element.text),
    }
    false
}

/// The groups that rendered HTML mentions aloud.
pub fn group_mentions(html: &str) -> impl Iterator<Item = GroupId> {
    let tags = pieces(html).filter(|piece| piece.is_tag).map(|piece| piece.html);
    let aloud = tags.filter(|tag| attribute(tag, "class") == Some("user-group-mention"));
    aloud.filter_map(|tag| attribute(tag, "data-user-group-id")?.parse().ok().map(GroupId))
}

/// The value of a tag's attribute.
fn attribute<'tag>(tag: &'tag str, name: &str) -> Option<&'tag str> {
    let (_, behind) = tag.split_once(&format!(" {name}=\""))?;
    behind.split_once('"').map(|(value, _)| value)
}

/// The characters of an emoji's code: hexadecimal numbers with `-` between.
fn characters(code: &str) -> String {
    code.split('-').filter_map(|number| u32::from_str_radix(number, 16).ok().and_then(char::from_u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn emoji_pictures_and_formulas_are_shown_as_text() {
        let emoji = r#"<p>hi <span aria-label="smile" class="emoji emoji-1f1e9-1f1ea" role="img">:smile:</span> <img alt=":own:" class="emoji" src="/x">!</p>"#;
        assert_eq!(text(emoji), "hi \u{1f1e9}\u{1f1ea} :own:!");
        let formula = r#"<p>a <span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation encoding="application/x-tex">x &lt; 2</annotation></math></span><span class="katex-html"><span>x</span></span></span> b</p>"#;
        assert_eq!(text(formula), "a $$x < 2$$ b");
    }

    #[test]
    fn quotes_and_numbered_lists_keep_their_marks() {
        let quote = "<p>x</p>\n<blockquote>\n<p>one<br>\ntwo</p>\n</blockquote>\n<p>y</p>";
        assert_eq!(text(quote), "x\n> one\n> two\n\ny");
        let list = "<ol start=\"3\">\n<li>a</li>\n<li>b<ol>\n<li>c</li>\n</ol>\n</li>\n</ol>\n<p>end</p>";
        assert_eq!(text(list), "3. a\n4. b\n  1. cend");
        assert_eq!(text("<ul>\n<li>a</li>\n<li>b</li>\n</ul>"), "\na\nb\n");
    }

    #[test]
    fn a_spoiler_shows_its_header() {
        let with = "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n<p>who</p>\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n<p>it</p>\n</div></div>\n<p>x</p>";
        assert_eq!(text(with), "who (…)\nx");
        let without = "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div><div class=\"spoiler-content\">it</div></div>";
        assert_eq!(text(without), "(…)\n");
    }

    #[test]
    fn what_is_not_closed_ends_with_the_text() {
        assert_eq!(text("<p>a<b>c</p></p></p>d"), "acd");
    }
}
