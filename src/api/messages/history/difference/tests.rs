//! Tests of highlighted differences between two versions of a message.

use chat_markdown::budget::Budget;

fn highlight(before: &str, after: &str) -> String {
    super::highlight_differences(before, after, &Budget::for_request())
}

#[test]
fn inserted_words_precede_deleted_words() {
    assert_eq!(
        highlight("<p>see you at noon</p>", "<p>see you at one</p>"),
        "<div><p>see you at <span class=\"highlight_text_inserted\">one</span> \
         <span class=\"highlight_text_deleted\">noon</span> </p></div>"
    );
    assert_eq!(
        highlight("<p>content before edit</p>", "<p>content after edit</p>"),
        "<div><p>content <span class=\"highlight_text_inserted\">after</span> \
         <span class=\"highlight_text_deleted\">before</span> edit</p></div>"
    );
}

#[test]
fn highlights_contain_whole_elements() {
    assert_eq!(
        highlight("<p>it was a quiet day at sea</p>", "<p>it was a <strong>very loud</strong> day at sea</p>"),
        "<div><p>it was a <span class=\"highlight_text_inserted\"><strong>very loud</strong></span> \
         <span class=\"highlight_text_deleted\">quiet</span> day at sea</p></div>"
    );
    assert_eq!(
        highlight("<p>first one here</p>", "<p>first one here</p>\n<p>second one</p>"),
        "<div><p>first one here</p> <p><span class=\"highlight_text_inserted\">second one</span></p></div>"
    );
}

#[test]
fn the_url_of_a_new_link_is_shown() {
    let text = highlight("<p>look here please now</p>", "<p>look <a href=\"https://x.y\">here</a> please now</p>");
    assert!(text.contains("Link: https://x.y"), "{text}");
    let same = "<p>look <a href=\"https://x.y\">here</a> please</p>";
    assert_eq!(highlight(same, same), format!("<div>{same}</div>"));
}

#[test]
fn texts_without_words_can_be_compared() {
    assert_eq!(highlight("", ""), "<div></div>");
    assert_eq!(highlight("<p>gone</p>", ""), "<div><p><span class=\"highlight_text_deleted\">gone</span></p></div>");
    highlight("<p title=\"a > b\">x</p>", "<hr>");
}

#[test]
fn texts_that_cost_too_much_are_not_compared() {
    let html = |first: usize| {
        let words: Vec<String> = (first..first + 5_000).map(|word| word.to_string()).collect();
        format!("<p>{}</p>", words.join(" "))
    };
    let result = highlight(&html(0), &html(5_000));
    assert_eq!(result.matches("<span class=\"highlight_text_").count(), 2, "all words count as changed");
    assert!(result.len() < 2 * (html(0).len() + html(5_000).len()));
}

#[test]
fn texts_that_are_too_long_are_not_compared() {
    let before = format!("<table>{}</table>", "<tr><td>a</td></tr>".repeat(10_000));
    let result = highlight(&before, &before.replacen(">a<", ">b<", 1));
    assert!(result.contains("<td><span class=\"highlight_text_inserted\">b</span></td>"));
    assert!(result.contains("<td><span class=\"highlight_text_deleted\">a</span></td>"));
}

proptest::proptest! {
    /// Malformed HTML included.
    #[test]
    fn no_text_causes_a_panic(before in "[<>/\"ap br\n]{0,40}", after in "[<>/\"ap br\n]{0,40}") {
        highlight(&before, &after);
    }
}
