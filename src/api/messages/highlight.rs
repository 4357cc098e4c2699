//! What was searched for, marked in what was found (A-39 in docs/assumptions.md).

use crate::realm::narrow::Search;
use chat_markdown::budget::{Budget, Cost, Exhausted};
use chat_markdown::{pieces, visible_text};

const BEGIN: &str = "<span class=\"highlight\">";
const END: &str = "</span>";

/// Steps that a byte of a text takes: its words are compared, and it is copied with marks.
const STEPS_PER_BYTE: usize = 5;

/// A budget for all marks of one reply.
pub(super) fn budget() -> Budget {
    Budget::new(Cost { steps: 100_000_000, nodes: usize::MAX, output: 6_000_000 })
}

/// A text as HTML with the words marked.
///
/// # Errors
///
/// [`Exhausted`] if the budget does not suffice.
pub(super) fn in_text(text: &str, search: &Search, budget: &Budget) -> Result<String, Exhausted> {
    in_html(&text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"), search, budget)
}

/// HTML with the words marked where they are read: entities stay whole, and a mark ends and
/// begins again at every tag.
///
/// # Errors
///
/// [`Exhausted`] if the budget does not suffice.
pub(super) fn in_html(html: &str, search: &Search, budget: &Budget) -> Result<String, Exhausted> {
    budget.spend_output(html.len())?;
    budget.spend_steps(STEPS_PER_BYTE.saturating_mul(html.len()))?;
    let mut marks = search.marks(&visible_text(html).to_lowercase()).into_iter().peekable();
    if marks.peek().is_none() {
        return Ok(html.to_owned());
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
            budget.spend_output(BEGIN.len() + END.len())?;
            out.push_str(BEGIN);
            is_marking = true;
        }
        out.push_str(piece.html);
        at += length;
    }
    if is_marking {
        out.push_str(END);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, budget, in_html, in_text};
    use crate::realm::narrow::Search;
    use chat_markdown::budget::{Budget, Cost, Exhausted};

    fn marked(html: &str, words: &str) -> String {
        let html = in_html(html, &Search::of(words), &budget()).expect("it is short");
        html.replace(BEGIN, "[").replace(END, "]")
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
        let shown = in_text("AB&CD", &Search::of("cd"), &budget());
        assert_eq!(shown.as_deref(), Ok("AB&amp;<span class=\"highlight\">CD</span>"));
    }

    #[test]
    fn all_that_is_written_is_counted_before() {
        let html = "<p>a x <b>x</b> y</p>";
        let search = Search::of("fox x");
        let search = search.and(&Search::of("y1"));
        let length = in_html(html, &search, &budget()).expect("it is short").len();
        for (output, is_enough) in [(length, true), (length - 1, false)] {
            let budget = Budget::new(Cost { output, ..Cost::UNLIMITED });
            let marked = in_html(html, &search, &budget);
            assert_eq!(marked.is_ok(), is_enough, "{output}");
            assert_eq!(marked.err(), (!is_enough).then_some(Exhausted));
        }
    }

    #[test]
    fn folding_that_changes_lengths_shifts_no_mark() {
        assert_eq!(marked("İİ istanbul, ODOΣ", "istanbul odoς"), "İİ [istanbul], [ODOΣ]");
    }
}
