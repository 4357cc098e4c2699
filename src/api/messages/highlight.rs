//! What was searched for, marked in what was found (A-39 in docs/assumptions.md).

use crate::realm::markdown::{pieces, visible_text};
use std::ops::Range;

const BEGIN: &str = "<span class=\"highlight\">";
const END: &str = "</span>";

/// A text as HTML with the words marked.
pub(super) fn in_text(text: &str, words: &[&str]) -> String {
    in_html(&text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"), words)
}

/// HTML with the words, which are in lower case, marked where they are read: entities stay whole, and a mark ends and
/// begins anew at every tag.
pub(super) fn in_html(html: &str, words: &[&str]) -> String {
    let mut marks = marks(&visible_text(html).to_lowercase(), words).into_iter().peekable();
    if marks.peek().is_none() {
        return html.to_owned();
    }
    let mut out = String::with_capacity(html.len() + BEGIN.len() + END.len());
    let mut is_marking = false;
    let mut at = 0;
    for piece in pieces(html) {
        // Folding may change how long a character is.
        let length: usize = piece.character.into_iter().flat_map(char::to_lowercase).map(char::len_utf8).sum();
        let mut is_past = false;
        while marks.next_if(|mark| mark.end <= at).is_some() {
            is_past = true;
        }
        let is_marked = !piece.is_tag && marks.peek().is_some_and(|mark| mark.start < at + length);
        if is_marking && (is_past || !is_marked) {
            out.push_str(END);
            is_marking = false;
        }
        if is_marked && !is_marking {
            out.push_str(BEGIN);
            is_marking = true;
        }
        out.push_str(piece.html);
        at += length;
    }
    if is_marking {
        out.push_str(END);
    }
    out
}

/// Where the words stand, from left to right; those that overlap are one.
fn marks(folded: &str, words: &[&str]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = words
        .iter()
        .flat_map(|word| folded.match_indices(word).map(|(start, found)| start..start + found.len()))
        .collect();
    found.sort_unstable_by_key(|mark| (mark.start, mark.end));
    let mut marks: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for mark in found {
        match marks.last_mut() {
            Some(last) if mark.start < last.end => last.end = last.end.max(mark.end),
            _ => marks.push(mark),
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::{in_html, in_text};

    fn marked(html: &str, words: &[&str]) -> String {
        in_html(html, words).replace(super::BEGIN, "[").replace(super::END, "]")
    }

    #[test]
    fn a_mark_ends_and_begins_anew_at_every_tag() {
        let html = "<p>the <strong>quick</strong> brown fox</p>";
        assert_eq!(marked(html, &["quick brown"]), "<p>the <strong>[quick]</strong>[ brown] fox</p>");
        assert_eq!(marked("<p>wor<em>ld</em></p><p>s</p>", &["world"]), "<p>[wor]<em>[ld]</em></p><p>s</p>");
    }

    #[test]
    fn entities_stay_whole() {
        let html = "<p>lt x &lt;b&gt; &amp; y</p>";
        assert_eq!(marked(html, &["lt"]), "<p>[lt] x &lt;b&gt; &amp; y</p>");
        assert_eq!(marked(html, &["<b> &"]), "<p>lt x [&lt;b&gt; &amp;] y</p>");
        assert_eq!(in_text("A&B", &["&"]), "A<span class=\"highlight\">&amp;</span>B");
    }

    #[test]
    fn marks_that_touch_stay_apart_and_those_that_overlap_are_one() {
        assert_eq!(marked("aab", &["a"]), "[a][a]b");
        assert_eq!(marked("abcd", &["ab", "bc"]), "[abc]d");
    }

    #[test]
    fn folding_that_changes_lengths_shifts_no_mark() {
        assert_eq!(marked("İstanbul, ODOΣ", &["stanbul", "odoς"]), "İ[stanbul], [ODOΣ]");
    }
}
