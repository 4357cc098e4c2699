//! Highlights the words of a search in the content and the topic of messages (A-39 in docs/assumptions.md).

use crate::realm::narrow::Search;
use chat_markdown::budget::{Budget, Cost, Exhausted};
use chat_markdown::{pieces, visible_text};

const START_TAG: &str = "<span class=\"highlight\">";
const END_TAG: &str = "</span>";

/// Budget steps for each byte of a text, for comparing its words and copying it.
const STEPS_PER_BYTE: usize = 5;

/// A budget for all highlights of one reply (A-432 in docs/assumptions.md). Its output is counted in bytes.
pub(super) fn budget() -> Budget {
    Budget::new(Cost { steps: 100_000_000, nodes: usize::MAX, output: 6_000_000 })
}

/// Converts a plain text to HTML with the words highlighted.
///
/// # Errors
///
/// [`Exhausted`] if the budget does not suffice.
pub(super) fn highlight_text(text: &str, search: &Search, budget: &Budget) -> Result<String, Exhausted> {
    highlight_html(&text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"), search, budget)
}

/// Highlights the words in the visible text of HTML. Highlights do not split entities, and end before each tag and
/// begin again after it.
///
/// # Errors
///
/// [`Exhausted`] if the budget does not suffice.
pub(super) fn highlight_html(html: &str, search: &Search, budget: &Budget) -> Result<String, Exhausted> {
    budget.spend_output(html.len())?;
    budget.spend_steps(STEPS_PER_BYTE.saturating_mul(html.len()))?;
    let mut marks = search.match_ranges(&visible_text(html).to_lowercase()).into_iter().peekable();
    if marks.peek().is_none() {
        return Ok(html.to_owned());
    }
    let mut output = String::with_capacity(html.len() + START_TAG.len() + END_TAG.len());
    let mut is_highlighting = false;
    // The position in the visible text in lower case, to which the marks refer.
    let mut position = 0;
    for piece in pieces(html) {
        // Converting to lower case may change the length of a character.
        let length: usize = piece.character.into_iter().flat_map(char::to_lowercase).map(char::len_utf8).sum();
        let mut has_mark_ended = false;
        while marks.next_if(|mark| mark.end <= position).is_some() {
            has_mark_ended = true;
        }
        let is_marked = !piece.is_tag && marks.peek().is_some_and(|mark| mark.start < position + length);
        if is_highlighting && (has_mark_ended || !is_marked) {
            output.push_str(END_TAG);
            is_highlighting = false;
        }
        if is_marked && !is_highlighting {
            budget.spend_output(START_TAG.len() + END_TAG.len())?;
            output.push_str(START_TAG);
            is_highlighting = true;
        }
        output.push_str(piece.html);
        position += length;
    }
    if is_highlighting {
        output.push_str(END_TAG);
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::{END_TAG, START_TAG, budget, highlight_html, highlight_text};
    use crate::realm::narrow::Search;
    use chat_markdown::budget::{Budget, Cost, Exhausted};

    fn highlight(html: &str, words: &str) -> String {
        let html = highlight_html(html, &Search::parse(words), &budget()).expect("it is short");
        html.replace(START_TAG, "[").replace(END_TAG, "]")
    }

    #[test]
    fn whole_words_are_highlighted_separately() {
        let html = "<p>the <strong>quick</strong> brown foxes, quickly</p>";
        let expected = "<p>the <strong>[quick]</strong> [brown] [foxes], quickly</p>";
        assert_eq!(highlight(html, "quick brown the fox"), expected);
    }

    #[test]
    fn a_highlight_is_interrupted_by_tags() {
        assert_eq!(highlight("<p>wor<em>ld</em></p><p>s</p>", "world"), "<p>[wor]<em>[ld]</em></p><p>s</p>");
    }

    #[test]
    fn entities_are_not_split() {
        assert_eq!(highlight("<p>lt x &lt;b&gt; &amp; y</p>", "lt"), "<p>[lt] x &lt;b&gt; &amp; y</p>");
        let topic = highlight_text("AB&CD", &Search::parse("cd"), &budget());
        assert_eq!(topic.as_deref(), Ok("AB&amp;<span class=\"highlight\">CD</span>"));
    }

    #[test]
    fn output_is_counted_before_it_is_written() {
        let html = "<p>a x <b>x</b> y</p>";
        let search = Search::parse("fox x");
        let search = search.combine(&Search::parse("y1"));
        let length = highlight_html(html, &search, &budget()).expect("it is short").len();
        for (output, is_enough) in [(length, true), (length - 1, false)] {
            let budget = Budget::new(Cost { output, ..Cost::UNLIMITED });
            let result = highlight_html(html, &search, &budget);
            assert_eq!(result.is_ok(), is_enough, "{output}");
            assert_eq!(result.err(), (!is_enough).then_some(Exhausted));
        }
    }

    #[test]
    fn lower_case_of_another_length_shifts_no_highlight() {
        assert_eq!(highlight("İİ istanbul, ODOΣ", "istanbul odoς"), "İİ [istanbul], [ODOΣ]");
    }
}
