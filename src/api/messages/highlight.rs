//! What was searched for, marked in what was found (A-39 in docs/assumptions.md).

use crate::realm::markdown::{pieces, visible_text};
use crate::realm::narrow::Search;

const BEGIN: &str = "<span class=\"highlight\">";
const END: &str = "</span>";

/// A text as HTML with the words marked.
pub(super) fn in_text(text: &str, search: &Search) -> String {
    in_html(&text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"), search)
}

/// HTML with the words marked where they are read: entities stay whole, and a mark ends and
/// begins again at every tag.
pub(super) fn in_html(html: &str, search: &Search) -> String {
    let mut marks = search.marks(&visible_text(html).to_lowercase()).into_iter().peekable();
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

#[cfg(test)]
mod tests {
    use super::{in_html, in_text};
    use crate::realm::narrow::Search;

    fn marked(html: &str, words: &str) -> String {
        in_html(html, &Search::of(words)).replace(super::BEGIN, "[").replace(super::END, "]")
    }

    #[test]
    fn words_are_marked_whole_and_each_by_itself() {
        let html = "<p>the <strong>quick</strong> brown foxes, quickly</p>";
        let found = "<p>the <strong>[quick]</strong> [brown] [foxes], quickly</p>";
        assert_eq!(marked(html, "quick brown the fox"), found);
    }

    #[test]
    fn a_mark_ends_and_begins_again_at_every_tag() {
        assert_eq!(marked("<p>wor<em>ld</em></p><p>s</p>", "world"), "<p>[wor]<em>[ld]</em></p><p>s</p>");
    }

    #[test]
    fn entities_stay_whole() {
        assert_eq!(marked("<p>lt x &lt;b&gt; &amp; y</p>", "lt"), "<p>[lt] x &lt;b&gt; &amp; y</p>");
        assert_eq!(in_text("AB&CD", &Search::of("cd")), "AB&amp;<span class=\"highlight\">CD</span>");
    }

    #[test]
    fn folding_that_changes_lengths_shifts_no_mark() {
        assert_eq!(marked("İİ istanbul, ODOΣ", "istanbul odoς"), "İİ [istanbul], [ODOΣ]");
    }
}
