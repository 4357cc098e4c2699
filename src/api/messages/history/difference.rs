//! Highlights the differences between two HTML texts word by word, for edit histories.
//!
//! Tags belong to the words next to them and are not differences by themselves. Highlights contain whole elements and
//! stay inside paragraphs and other blocks; start or end tags whose counterpart is elsewhere stay outside of them.

mod distance;

use chat_markdown::budget::Budget;
use distance::are_comparable;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A run of common words counts as coincidence, and thus as changed, if it has at most this many words and at most a
/// quarter of the words of the new text.
const MAX_COINCIDENTAL_WORDS: f64 = 2.0;

/// Two texts that are longer than this together are not compared, because each word needs about a hundred bytes of
/// memory.
const MAX_COMPARED_BYTES: usize = 300_000;

/// Returns the new text in a `<div>`, with inserted words highlighted and deleted words added and highlighted. If the
/// comparison costs too much, all words count as changed (A-431 in docs/assumptions.md).
pub fn highlight_differences(old_html: &str, new_html: &str, budget: &Budget) -> String {
    if old_html.len() + new_html.len() > MAX_COMPARED_BYTES {
        let [inserted, deleted] =
            [(new_html, INSERTED), (old_html, DELETED)].map(|(html, class)| highlight_in_blocks(html, class));
        return format!("<div>{inserted} {deleted}</div>");
    }
    let (old_words, new_words) = (split_words(old_html), split_words(new_html));
    let mut pieces: Vec<Piece> = Vec::new();
    for (is_common, old, new) in compare_words(&old_words, &new_words, budget) {
        if is_common {
            pieces.extend(new.iter().flat_map(|word| word.pieces(true)));
            continue;
        }
        if !new.is_empty() {
            push_inserted(&mut pieces, new.iter().flat_map(|word| word.pieces(false)).collect());
        }
        if !old.is_empty() {
            pieces.push(Piece::Deleted(old.iter().flat_map(|word| word.pieces(false)).collect()));
        }
    }
    format!("<div>{}</div>", to_html(pieces).trim())
}

/// The CSS class of inserted words.
const INSERTED: &str = "highlight_text_inserted";

/// The CSS class of deleted words.
const DELETED: &str = "highlight_text_deleted";

/// A part of an HTML text.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Start {
        name: String,
        text: String,
    },
    End {
        name: String,
        text: String,
    },
    /// Words of the old text that the new text does not have.
    Deleted(Vec<Piece>),
}

impl Piece {
    fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Piece::Text(text) | Piece::Start { text, .. } | Piece::End { text, .. } => Some(text),
            Piece::Deleted(_) => None,
        }
    }
}

/// A word or an image, with the tags before and after it.
#[derive(Clone, Debug, Default)]
struct Word {
    tags_before: Vec<Piece>,
    text: String,
    /// White space after the word.
    space: String,
    tags_after: Vec<Piece>,
    /// Whether the word is left out unless it was inserted or deleted. Set for the URL of a link.
    is_hidden: bool,
}

impl Word {
    fn pieces(&self, is_common: bool) -> Vec<Piece> {
        let mut pieces = self.tags_before.clone();
        if !(self.is_hidden && is_common) {
            pieces.push(Piece::Text(format!("{}{}", self.text, self.space)));
        }
        pieces.extend(self.tags_after.iter().cloned());
        pieces
    }
}

/// Returns runs of words: whether they are common, the old words, and the new words.
fn compare_words<'words>(
    old: &'words [Word],
    new: &'words [Word],
    budget: &Budget,
) -> Vec<(bool, &'words [Word], &'words [Word])> {
    let word_texts = |words: &'words [Word]| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>();
    let (old_texts, new_texts) = (word_texts(old), word_texts(new));
    let operations = if are_comparable(&old_texts, &new_texts, budget) {
        capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts)
    } else {
        Vec::new()
    };
    let max_coincidental_words = MAX_COINCIDENTAL_WORDS.min(new.len() as f64 / 4.0);
    let mut runs = Vec::new();
    let (mut old_start, mut new_start) = (0, 0);
    for operation in operations {
        let DiffOp::Equal { old_index, new_index, len } = operation else { continue };
        if len as f64 <= max_coincidental_words {
            continue;
        }
        runs.push((false, &old[old_start..old_index], &new[new_start..new_index]));
        (old_start, new_start) = (old_index + len, new_index + len);
        runs.push((true, &old[old_index..old_start], &new[new_index..new_start]));
    }
    runs.push((false, &old[old_start..], &new[new_start..]));
    runs
}

/// The elements without an end tag that rendered messages can have.
const VOID_ELEMENTS: [&str; 4] = ["br", "hr", "img", "input"];

/// Splits HTML into words with their tags.
fn split_words(html: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    // Tags that belong to the next word.
    let mut pending_tags: Vec<Piece> = Vec::new();
    // The URLs of open links, which become hidden words at the end tags.
    let mut link_urls: Vec<Option<String>> = Vec::new();
    let mut remaining = html;
    while !remaining.is_empty() {
        if !remaining.starts_with('<') {
            let end = remaining.find('<').unwrap_or(remaining.len());
            for text in remaining[..end].split_inclusive(char::is_whitespace) {
                push_text(&mut words, &mut pending_tags, text);
            }
            remaining = &remaining[end..];
            continue;
        }
        let (tag, after_tag) = remaining.split_at(tag_length(remaining));
        // White space after a tag belongs to the tag, as one space.
        let trimmed = after_tag.trim_start();
        let space = if trimmed.len() < after_tag.len() { " " } else { "" };
        remaining = trimmed;
        let is_end = tag.starts_with("</");
        let name = tag.trim_matches(['<', '>', '/']).split_whitespace().next().unwrap_or_default().to_owned();
        if name == "img" {
            words.push(Word {
                tags_before: std::mem::take(&mut pending_tags),
                text: tag.into(),
                space: space.into(),
                ..Word::default()
            });
            continue;
        }
        if name == "a" && is_end {
            if let Some(url) = link_urls.pop().flatten() {
                let text = format!(" Link: {url}");
                words.push(Word {
                    tags_before: std::mem::take(&mut pending_tags),
                    text,
                    is_hidden: true,
                    ..Word::default()
                });
            }
        } else if name == "a" {
            link_urls.push(find_attribute(tag, "href").map(str::to_owned));
        }
        let text = format!("{tag}{space}");
        match words.last_mut().filter(|_| is_end && pending_tags.is_empty()) {
            Some(word) => word.tags_after.push(Piece::End { name, text }),
            None if is_end => pending_tags.push(Piece::End { name, text }),
            None => pending_tags.push(Piece::Start { name, text }),
        }
    }
    match words.last_mut() {
        Some(word) => word.tags_after.extend(pending_tags),
        None => words.push(Word { tags_before: pending_tags, ..Word::default() }),
    }
    words
}

/// Adds a word with its trailing white space, or appends white space to the preceding word. `text` has white space only
/// at its end.
fn push_text(words: &mut Vec<Word>, pending_tags: &mut Vec<Piece>, text: &str) {
    let word = text.trim_end();
    let space = &text[word.len()..];
    if word.is_empty() {
        if let Some(last) = words.last_mut().filter(|last| last.tags_after.is_empty() && pending_tags.is_empty()) {
            last.space.push_str(space);
        }
        return;
    }
    words.push(Word {
        tags_before: std::mem::take(pending_tags),
        text: word.into(),
        space: space.into(),
        ..Word::default()
    });
}

/// The length of the tag at the beginning of a text. Quoted attribute values may contain `>`.
fn tag_length(html: &str) -> usize {
    let mut is_quoted = false;
    let end = html.find(|character| {
        is_quoted ^= character == '"';
        character == '>' && !is_quoted
    });
    end.map_or(html.len(), |end| end + 1)
}

fn find_attribute<'tag>(tag: &'tag str, name: &str) -> Option<&'tag str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

/// Returns for each piece whether it is no tag, the tag of a void element, or a tag whose counterpart is among the
/// pieces.
fn balance_flags(pieces: &[Piece]) -> Vec<bool> {
    let mut is_balanced = vec![false; pieces.len()];
    let mut open_tags: Vec<(usize, &str)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Start { name, .. } if !VOID_ELEMENTS.contains(&name.as_str()) => open_tags.push((index, name)),
            Piece::End { name, .. } => {
                if let Some((start, _)) = open_tags.pop_if(|(_, open_name)| open_name == name) {
                    (is_balanced[start], is_balanced[index]) = (true, true);
                }
            }
            _ => is_balanced[index] = true,
        }
    }
    is_balanced
}

/// Adds inserted pieces, with highlights that contain whole elements.
fn push_inserted(pieces: &mut Vec<Piece>, inserted: Vec<Piece>) {
    let is_balanced = balance_flags(&inserted);
    let mut whole_elements: Vec<Piece> = Vec::new();
    for (piece, is_balanced) in inserted.into_iter().zip(is_balanced) {
        if is_balanced {
            whole_elements.push(piece);
        } else {
            push_highlight(pieces, INSERTED, std::mem::take(&mut whole_elements));
            pieces.push(piece);
        }
    }
    push_highlight(pieces, INSERTED, whole_elements);
}

/// Adds a highlight, with a space before and after it. Adds nothing if it would be blank.
fn push_highlight(pieces: &mut Vec<Piece>, class: &str, content: Vec<Piece>) {
    let text = to_html(content);
    if text.trim().is_empty() {
        return;
    }
    if let Some(last) = pieces.last_mut().and_then(Piece::text_mut).filter(|last| !last.ends_with(' ')) {
        last.push(' ');
    }
    pieces.push(Piece::Text(format!("{} ", highlight_in_blocks(text.trim_end(), class))));
}

/// Block elements, which no highlight contains.
const BLOCK_ELEMENTS: [&str; 25] = [
    "address",
    "blockquote",
    "dd",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Highlights the text inside and between block elements.
fn highlight_in_blocks(html: &str, class: &str) -> String {
    let mut output = String::with_capacity(html.len() + 64);
    let mut text_run = String::new();
    let flush = |text_run: &mut String, output: &mut String| {
        if text_run.trim().is_empty() {
            output.push_str(text_run);
        } else {
            output.push_str(&format!("<span class=\"{class}\">{text_run}</span>"));
        }
        text_run.clear();
    };
    let mut remaining = html;
    while !remaining.is_empty() {
        let is_tag = remaining.starts_with('<');
        let length = if is_tag { tag_length(remaining) } else { remaining.find('<').unwrap_or(remaining.len()) };
        let (part, following) = remaining.split_at(length);
        remaining = following;
        let name = part.trim_start_matches(['<', '/']).split([' ', '>', '/']).next().unwrap_or_default();
        if is_tag && BLOCK_ELEMENTS.contains(&name) {
            flush(&mut text_run, &mut output);
            output.push_str(part);
        } else {
            text_run.push_str(part);
        }
    }
    flush(&mut text_run, &mut output);
    output
}

/// Converts pieces to HTML. Deleted words are highlighted inside the elements that they share with their neighbours:
/// the highlight is moved before matching end tags that precede it, or after matching start tags that follow it.
fn to_html(pieces: Vec<Piece>) -> String {
    let mut output: Vec<Piece> = Vec::new();
    let mut input = pieces.into_iter().peekable();
    while let Some(piece) = input.next() {
        let Piece::Deleted(deleted) = piece else {
            output.push(piece);
            continue;
        };
        let is_balanced = balance_flags(&deleted);
        let (balanced_pieces, unbalanced_tags): (Vec<_>, Vec<_>) =
            deleted.into_iter().zip(is_balanced).partition(|(_, is_balanced)| *is_balanced);
        let mut end_tags: Vec<Piece> = Vec::new();
        for (tag, _) in unbalanced_tags.iter().rev() {
            let Piece::End { name, .. } = tag else { continue };
            let Some(last) =
                output.pop_if(|last| matches!(last, Piece::End { name: last_name, .. } if last_name == name))
            else {
                break;
            };
            end_tags.insert(0, last);
        }
        // Start tags that follow count only if no end tags preceded.
        for (tag, _) in unbalanced_tags.iter().filter(|_| end_tags.is_empty()) {
            let Piece::Start { name, .. } = tag else { continue };
            let next = input.next_if(|next| matches!(next, Piece::Start { name: next_name, .. } if next_name == name));
            let Some(next) = next else { break };
            output.push(next);
        }
        push_highlight(&mut output, DELETED, balanced_pieces.into_iter().map(|(piece, _)| piece).collect());
        output.extend(end_tags);
    }
    let piece_text = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Start { text, .. } | Piece::End { text, .. } => text.clone(),
        Piece::Deleted(_) => String::new(),
    };
    output.iter().map(piece_text).collect()
}

#[cfg(test)]
mod tests;
