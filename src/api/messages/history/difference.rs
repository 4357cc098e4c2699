//! What went and what came between two HTML texts, marked word by word.
//!
//! Tags go along with the words with them and are no difference by themselves. Marks hold whole elements and are within
//! paragraphs and other blocks; tags whose other half is elsewhere stay outside.

mod distance;

use chat_markdown::budget::Budget;
use distance::are_comparable;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Words in common that are fewer than this, or than a quarter of the text, are taken as chance.
const CHANCE: f64 = 2.0;

/// Texts that have more bytes than this together are not compared: each word takes some hundred bytes.
const COMPARED_MAX_BYTES: usize = 300_000;

/// The newer text, with the words that it lost. Where comparing them costs too much, all words count as new (A-431 in
/// docs/assumptions.md).
pub fn marked(before: &str, after: &str, budget: &Budget) -> String {
    if before.len() + after.len() > COMPARED_MAX_BYTES {
        let [came, went] = [(after, INSERTED), (before, DELETED)].map(|(html, class)| marked_within(html, class));
        return format!("<div>{came} {went}</div>");
    }
    let (before, after) = (words(before), words(after));
    let mut pieces: Vec<Piece> = Vec::new();
    for (is_common, old, new) in steps(&before, &after, budget) {
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
    format!("<div>{}</div>", written(pieces).trim())
}

/// The class of what came.
const INSERTED: &str = "highlight_text_inserted";

/// The class of what went.
const DELETED: &str = "highlight_text_deleted";

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Start { name: String, text: String },
    End { name: String, text: String },
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

/// A word, or a picture, with the tags around it.
#[derive(Clone, Debug, Default)]
struct Word {
    before: Vec<Piece>,
    text: String,
    space: String,
    after: Vec<Piece>,
    /// Shown only where it comes or goes: the address of a link.
    is_hidden: bool,
}

impl Word {
    fn pieces(&self, is_kept: bool) -> Vec<Piece> {
        let mut pieces = self.before.clone();
        if !(self.is_hidden && is_kept) {
            pieces.push(Piece::Text(format!("{}{}", self.text, self.space)));
        }
        pieces.extend(self.after.iter().cloned());
        pieces
    }
}

/// Runs of words that stayed, or that went (old) and came (new).
fn steps<'words>(
    old: &'words [Word],
    new: &'words [Word],
    budget: &Budget,
) -> Vec<(bool, &'words [Word], &'words [Word])> {
    let texts = |words: &'words [Word]| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>();
    let (old_texts, new_texts) = (texts(old), texts(new));
    let operations = if are_comparable(&old_texts, &new_texts, budget) {
        capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts)
    } else {
        Vec::new()
    };
    let least = CHANCE.min(new.len() as f64 / 4.0);
    let mut steps = Vec::new();
    let (mut old_from, mut new_from) = (0, 0);
    for operation in operations {
        let DiffOp::Equal { old_index, new_index, len } = operation else { continue };
        if len as f64 <= least {
            continue;
        }
        steps.push((false, &old[old_from..old_index], &new[new_from..new_index]));
        (old_from, new_from) = (old_index + len, new_index + len);
        steps.push((true, &old[old_index..old_from], &new[new_index..new_from]));
    }
    steps.push((false, &old[old_from..], &new[new_from..]));
    steps
}

/// Elements without an end.
const EMPTY: [&str; 4] = ["br", "hr", "img", "input"];

fn words(html: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut waiting: Vec<Piece> = Vec::new();
    let mut addresses: Vec<Option<String>> = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        if !rest.starts_with('<') {
            let end = rest.find('<').unwrap_or(rest.len());
            for text in rest[..end].split_inclusive(char::is_whitespace) {
                push_text(&mut words, &mut waiting, text);
            }
            rest = &rest[end..];
            continue;
        }
        let (tag, behind) = rest.split_at(tag_length(rest));
        // White space behind a tag goes with it.
        let trimmed = behind.trim_start();
        let space = if trimmed.len() < behind.len() { " " } else { "" };
        rest = trimmed;
        let is_end = tag.starts_with("</");
        let name = tag.trim_matches(['<', '>', '/']).split_whitespace().next().unwrap_or_default().to_owned();
        if name == "img" {
            words.push(Word {
                before: std::mem::take(&mut waiting),
                text: tag.into(),
                space: space.into(),
                ..Word::default()
            });
            continue;
        }
        if name == "a" && is_end {
            if let Some(address) = addresses.pop().flatten() {
                let text = format!(" Link: {address}");
                words.push(Word { before: std::mem::take(&mut waiting), text, is_hidden: true, ..Word::default() });
            }
        } else if name == "a" {
            addresses.push(attribute(tag, "href").map(str::to_owned));
        }
        let text = format!("{tag}{space}");
        match words.last_mut().filter(|_| is_end && waiting.is_empty()) {
            Some(word) => word.after.push(Piece::End { name, text }),
            None if is_end => waiting.push(Piece::End { name, text }),
            None => waiting.push(Piece::Start { name, text }),
        }
    }
    match words.last_mut() {
        Some(word) => word.after.extend(waiting),
        None => words.push(Word { before: waiting, ..Word::default() }),
    }
    words
}

/// Adds a text that has white space at its end alone, or is white space that belongs to what is before it.
fn push_text(words: &mut Vec<Word>, waiting: &mut Vec<Piece>, text: &str) {
    let word = text.trim_end();
    let space = &text[word.len()..];
    if word.is_empty() {
        if let Some(last) = words.last_mut().filter(|last| last.after.is_empty() && waiting.is_empty()) {
            last.space.push_str(space);
        }
        return;
    }
    words.push(Word { before: std::mem::take(waiting), text: word.into(), space: space.into(), ..Word::default() });
}

/// How long the tag is with which a text begins; values in quotes may hold anything.
fn tag_length(html: &str) -> usize {
    let mut is_quoted = false;
    let end = html.find(|character| {
        is_quoted ^= character == '"';
        character == '>' && !is_quoted
    });
    end.map_or(html.len(), |end| end + 1)
}

fn attribute<'tag>(tag: &'tag str, name: &str) -> Option<&'tag str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

/// Which of the pieces are tags whose other half is among them, and all that is no tag.
fn balanced(pieces: &[Piece]) -> Vec<bool> {
    let mut is_balanced = vec![false; pieces.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Start { name, .. } if !EMPTY.contains(&name.as_str()) => open.push((index, name)),
            Piece::End { name, .. } => {
                if let Some((start, _)) = open.pop_if(|(_, open)| open == name) {
                    (is_balanced[start], is_balanced[index]) = (true, true);
                }
            }
            _ => is_balanced[index] = true,
        }
    }
    is_balanced
}

/// Adds pieces that came, in marks that hold whole elements.
fn push_inserted(pieces: &mut Vec<Piece>, new: Vec<Piece>) {
    let is_balanced = balanced(&new);
    let mut held: Vec<Piece> = Vec::new();
    for (piece, is_balanced) in new.into_iter().zip(is_balanced) {
        if is_balanced {
            held.push(piece);
        } else {
            push_mark(pieces, INSERTED, std::mem::take(&mut held));
            pieces.push(piece);
        }
    }
    push_mark(pieces, INSERTED, held);
}

/// A mark is apart from what is before and behind it.
fn push_mark(pieces: &mut Vec<Piece>, class: &str, marked: Vec<Piece>) {
    let text = written(marked);
    if text.trim().is_empty() {
        return;
    }
    if let Some(last) = pieces.last_mut().and_then(Piece::text_mut).filter(|last| !last.ends_with(' ')) {
        last.push(' ');
    }
    pieces.push(Piece::Text(format!("{} ", marked_within(text.trim_end(), class))));
}

/// Elements that are blocks: marks are within them.
const BLOCKS: [&str; 25] = [
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

/// HTML with the runs between blocks and within them in marks.
fn marked_within(html: &str, class: &str) -> String {
    let mut out = String::with_capacity(html.len() + 64);
    let mut run = String::new();
    let close = |run: &mut String, out: &mut String| {
        if run.trim().is_empty() {
            out.push_str(run);
        } else {
            out.push_str(&format!("<span class=\"{class}\">{run}</span>"));
        }
        run.clear();
    };
    let mut rest = html;
    while !rest.is_empty() {
        let length = if rest.starts_with('<') { tag_length(rest) } else { rest.find('<').unwrap_or(rest.len()) };
        let (part, behind) = rest.split_at(length);
        rest = behind;
        let name = part.trim_start_matches(['<', '/']).split([' ', '>', '/']).next().unwrap_or_default();
        if part.starts_with('<') && BLOCKS.contains(&name) {
            close(&mut run, &mut out);
            out.push_str(part);
        } else {
            run.push_str(part);
        }
    }
    close(&mut run, &mut out);
    out
}

/// The pieces as HTML. What went is marked inside of the elements that it has in common with its neighbours.
fn written(pieces: Vec<Piece>) -> String {
    let mut done: Vec<Piece> = Vec::new();
    let mut todo = pieces.into_iter().peekable();
    while let Some(piece) = todo.next() {
        let Piece::Deleted(gone) = piece else {
            done.push(piece);
            continue;
        };
        let is_balanced = balanced(&gone);
        let (whole, halves): (Vec<_>, Vec<_>) = gone.into_iter().zip(is_balanced).partition(|(_, whole)| *whole);
        let mut behind: Vec<Piece> = Vec::new();
        for (half, _) in halves.iter().rev() {
            let Piece::End { name, .. } = half else { continue };
            let Some(last) = done.pop_if(|last| matches!(last, Piece::End { name: last, .. } if last == name)) else {
                break;
            };
            behind.insert(0, last);
        }
        for (half, _) in halves.iter().filter(|_| behind.is_empty()) {
            let Piece::Start { name, .. } = half else { continue };
            let next = todo.next_if(|next| matches!(next, Piece::Start { name: next, .. } if next == name));
            let Some(next) = next else { break };
            done.push(next);
        }
        push_mark(&mut done, DELETED, whole.into_iter().map(|(piece, _)| piece).collect());
        done.extend(behind);
    }
    let text = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Start { text, .. } | Piece::End { text, .. } => text.clone(),
        Piece::Deleted(_) => String::new(),
    };
    done.iter().map(text).collect()
}

#[cfg(test)]
mod tests;
