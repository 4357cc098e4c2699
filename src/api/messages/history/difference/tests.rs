use chat_markdown::budget::Budget;

fn marked(before: &str, after: &str) -> String {
    super::marked(before, after, &Budget::of_request())
}

#[test]
fn words_that_came_stand_before_those_that_went() {
    assert_eq!(
        marked("<p>see you at noon</p>", "<p>see you at one</p>"),
        "<div><p>see you at <span class=\"highlight_text_inserted\">one</span> \
         <span class=\"highlight_text_deleted\">noon</span> </p></div>"
    );
    assert_eq!(
        marked("<p>content before edit</p>", "<p>content after edit</p>"),
        "<div><p>content <span class=\"highlight_text_inserted\">after</span> \
         <span class=\"highlight_text_deleted\">before</span> edit</p></div>"
    );
}

#[test]
fn marks_hold_whole_elements() {
    assert_eq!(
        marked("<p>it was a quiet day at sea</p>", "<p>it was a <strong>very loud</strong> day at sea</p>"),
        "<div><p>it was a <span class=\"highlight_text_inserted\"><strong>very loud</strong></span> \
         <span class=\"highlight_text_deleted\">quiet</span> day at sea</p></div>"
    );
    assert_eq!(
        marked("<p>first one here</p>", "<p>first one here</p>\n<p>second one</p>"),
        "<div><p>first one here</p> <p><span class=\"highlight_text_inserted\">second one</span></p></div>"
    );
}

#[test]
fn a_link_tells_its_address_where_it_is_new() {
    let text = marked("<p>look here please now</p>", "<p>look <a href=\"https://x.y\">here</a> please now</p>");
    assert!(text.contains("Link: https://x.y"), "{text}");
    let same = "<p>look <a href=\"https://x.y\">here</a> please</p>";
    assert_eq!(marked(same, same), format!("<div>{same}</div>"));
}

#[test]
fn texts_without_words_are_no_trouble() {
    assert_eq!(marked("", ""), "<div></div>");
    assert_eq!(marked("<p>gone</p>", ""), "<div><p><span class=\"highlight_text_deleted\">gone</span></p></div>");
    marked("<p title=\"a > b\">x</p>", "<hr>");
}

#[test]
fn texts_that_cost_too_much_are_not_compared() {
    let html = |first: usize| {
        let words: Vec<String> = (first..first + 5_000).map(|word| word.to_string()).collect();
        format!("<p>{}</p>", words.join(" "))
    };
    let shown = marked(&html(0), &html(5_000));
    assert_eq!(shown.matches("<span class=\"highlight_text_").count(), 2, "all is new");
    assert!(shown.len() < 2 * (html(0).len() + html(5_000).len()));
}

#[test]
fn texts_that_are_too_long_are_not_compared() {
    let before = format!("<table>{}</table>", "<tr><td>a</td></tr>".repeat(10_000));
    let shown = marked(&before, &before.replacen(">a<", ">b<", 1));
    assert!(shown.contains("<td><span class=\"highlight_text_inserted\">b</span></td>"));
    assert!(shown.contains("<td><span class=\"highlight_text_deleted\">a</span></td>"));
}

proptest::proptest! {
    /// Whatever is in texts that were changed by hand.
    #[test]
    fn no_text_panics(before in "[<>/\"ap br\n]{0,40}", after in "[<>/\"ap br\n]{0,40}") {
        marked(&before, &after);
    }
}
