//! Tests of linkifiers: refused sources, matches, and the cost of searches.

use super::*;
use crate::budget::Cost;
use proptest::prelude::*;

fn source(pattern: &str, url_template: &str) -> LinkifierSource {
    LinkifierSource { pattern: pattern.to_owned(), url_template: url_template.to_owned(), ..Default::default() }
}

fn compile(source: LinkifierSource) -> Result<Linkifier, Vec<(&'static str, String)>> {
    Linkifier::compile(source).map_err(|errors| errors.0)
}

fn linkifier(pattern: &str, url_template: &str) -> Linkifier {
    match compile(source(pattern, url_template)) {
        Ok(linkifier) => linkifier,
        Err(errors) => panic!("{pattern}: {errors:?}"),
    }
}

/// The matches in a text with an unlimited budget.
fn matches(linkifier: &Linkifier, text: &str, start: usize) -> Vec<LinkifierMatch> {
    linkifier.matches(text, start, &Budget::new(Cost::UNLIMITED)).unwrap_or_default()
}

fn errors_of(source: LinkifierSource) -> Vec<(&'static str, String)> {
    compile(source).err().unwrap_or_default()
}

#[test]
fn errors_of_fields_precede_errors_about_several_fields() {
    let blank = "This field cannot be blank.".to_owned();
    assert_eq!(errors_of(source(" ", "")), [("pattern", blank.clone()), ("url_template", blank)]);
    assert_eq!(errors_of(source("a", "{a")), [("url_template", "Invalid URL template.".to_owned())]);
    let errors = errors_of(source("(foo", "{a"));
    assert_eq!(
        errors,
        [
            ("url_template", "Invalid URL template.".to_owned()),
            ("__all__", "Bad regular expression: missing ): (foo".to_owned()),
        ]
    );
    let alternative = LinkifierSource { alternative_url_templates: vec!["{".to_owned()], ..source("a", "b") };
    assert_eq!(errors_of(alternative), [("alternative_url_templates", "Invalid URL template.".to_owned())]);
}

#[test]
fn consistency_is_checked_in_order() {
    let with_reverse = |example: &str, reverse: &str| LinkifierSource {
        example_input: Some(example.to_owned()),
        reverse_template: Some(reverse.to_owned()),
        ..source("#(?P<id>[0-9]+)", "https://x.y/{id}")
    };
    for (linkifier, message) in [
        (source("x????", "https://x.y"), "Bad regular expression: bad repetition operator: ????"),
        (source("(?=a)", "https://x.y"), "Bad regular expression: invalid perl operator: (?="),
        (source("((a{900}){900}){9}", "https://x.y"), "Bad regular expression: pattern too large - compile failed"),
        (with_reverse("", "#{id}"), "Example text is required when an auto-conversion field is given."),
        (with_reverse("none", "#{id}"), "Example input does not match the linkifier pattern."),
        (with_reverse("#12", "#{id"), "Invalid auto-conversion field: missing '}' character."),
        (with_reverse("#12", "#{}"), "Invalid auto-conversion field: empty field name."),
        (with_reverse("#12", "#{no}"), "Group 'no' in auto-conversion field is not present in linkifier pattern."),
        (with_reverse("#12", "{{{id}"), "Example text does not match auto-conversion field."),
        (source("#(?P<a>.)", "{z}{b}"), "Group 'b' in URL template is not present in linkifier pattern."),
        (source("#(?P<z>.)(?P<b>.)", "x"), "Group 'b' in linkifier pattern is not present in URL template."),
    ] {
        assert_eq!(errors_of(linkifier), [("__all__", message.to_owned())], "{message}");
    }
    assert!(compile(with_reverse("#12", "#{id}")).is_ok());
}

#[test]
fn strings_are_trimmed_and_blank_strings_are_absent() {
    let linkifier = compile(LinkifierSource { example_input: Some("  ".to_owned()), ..source(" a ", " b ") });
    let Ok(linkifier) = linkifier else { panic!("{linkifier:?}") };
    assert_eq!((linkifier.pattern.as_str(), linkifier.url_template.as_str()), ("a", "b"));
    assert_eq!((linkifier.example_input, linkifier.reverse_template), (None, None));
}

#[test]
fn matches_require_boundaries() {
    let linkifier = linkifier("#(?P<id>[0-9]+)", "https://x.y/{id}{?id}");
    let matched_texts = |text: &str| -> Vec<String> {
        matches(&linkifier, text, 0).into_iter().map(|found| text[found.range].to_owned()).collect()
    };
    for (text, expected) in [
        ("#1", vec!["#1"]),
        ("see #1, #2 (#3) '#4' \"#5\" a:#6 <#7", vec!["#1", "#2", "#3", "#4", "#5", "#6", "#7"]),
        ("x#1", vec![]),
        ("#1x", vec![]),
        ("#1é", vec![]),
        ("#1_", vec!["#1"]),
        ("#1 #2", vec!["#1", "#2"]),
        ("[#1]", vec![]),
        ("#1.", vec!["#1"]),
    ] {
        assert_eq!(matched_texts(text), expected, "{text}");
    }
    assert_eq!(matches(&linkifier, "#7", 0)[0].url, "https://x.y/7?id=7");
    assert_eq!(matches(&linkifier, "#7 #8", 1)[0].range, 3..5);
}

#[test]
fn the_alternative_with_a_boundary_matches() {
    let linkifier = linkifier("(?P<x>a|ab)", "https://x.y/{x}");
    assert_eq!(matches(&linkifier, "ab", 0)[0].url, "https://x.y/ab");
}

#[test]
fn groups_are_percent_encoded_and_absent_groups_are_left_out() {
    let linkifier = linkifier("t(?P<a>[^ ]*)(?P<b>!)?", "https://x.y/{a}{#b}");
    assert_eq!(matches(&linkifier, "t/?", 0)[0].url, "https://x.y/%2F%3F");
}

#[test]
fn letters_and_digits_of_any_script_are_no_boundaries() {
    let linkifier = linkifier("#(?P<id>[0-9]+)", "https://x.y/{id}");
    for (text, count) in [("#1é", 0), ("#1…", 1), ("#1 é", 1), ("#1٣", 0), ("é #1", 1), ("#1 ٣ #2٣", 1), ("…#1", 0)]
    {
        assert_eq!(matches(&linkifier, text, 0).len(), count, "{text}");
    }
}

proptest! {
    /// The regular expressions for ASCII and for Unicode have the same matches.
    #[test]
    fn a_letter_elsewhere_changes_no_match(text in r##"[ -~…]{0,20}(#[0-9]{1,3}[ -~…]{0,3}){0,4}"##) {
        let linkifier = linkifier("#(?P<id>[0-9]+)", "https://x.y/{id}");
        prop_assert_eq!(matches(&linkifier, &text, 0), matches(&linkifier, &format!("{text} é"), 0));
    }

    #[test]
    fn no_pattern_panics(pattern in r"[\PC]{0,20}|[()\[\]{}*+?|\\^$.a&:<>P=,0-9-]{0,30}", template in "[{}a+#?&*:1,]{0,12}", text in ".{0,30}") {
        if let Ok(linkifier) = compile(source(&pattern, &template)) {
            matches(&linkifier, &text, 0);
        }
    }
}

#[test]
fn searches_that_read_the_text_repeatedly_are_counted() {
    let greedy_linkifier = linkifier("(?P<id>x.*y|x)", "https://x.y/{id}");
    let steps = |words: usize| {
        let budget = Budget::new(Cost::UNLIMITED);
        let count = greedy_linkifier.matches(&"x ".repeat(words), 0, &budget).map(|matches| matches.len());
        assert_eq!(count, Ok(words));
        budget.used().steps
    };
    assert!(steps(2_000) > 3 * steps(1_000), "each search reads up to the end");
    let budget = Budget::new(Cost { steps: 10_000_000, ..Cost::UNLIMITED });
    assert_eq!(greedy_linkifier.matches(&"x ".repeat(50_000), 0, &budget), Err(Exhausted));
}

#[test]
fn patterns_with_many_repetitions_cost_more_per_byte() {
    let repeating_linkifier = linkifier("(?P<id>[ab]*a[ab]{1000}c)", "https://x.y/{id}");
    let simple_linkifier = linkifier("(?P<id>[ab]+c)", "https://x.y/{id}");
    let text = "a".repeat(10_000);
    assert!(repeating_linkifier.steps_to_search(&text) > 900 * simple_linkifier.steps_to_search(&text));
    let example = LinkifierSource {
        example_input: Some("a".repeat(1_000_000) + "c"),
        ..source("(?P<id>[ab]*a[ab]{1000}c)", "https://x.y/{id}")
    };
    assert_eq!(errors_of(example)[0].1, "Ensure this value has at most 20000 characters (it has 1000001).");
}

#[test]
fn urls_that_repeat_a_match_too_often_exceed_the_budget() {
    let repeating_linkifier = linkifier("(?P<id>x+)", &format!("https://x.y/{}", "{id}".repeat(2_000)));
    let budget = Budget::new(Cost { steps: 20_000_000, ..Cost::UNLIMITED });
    assert_eq!(repeating_linkifier.matches(&"x".repeat(10_000), 0, &budget), Err(Exhausted));
    let budget = Budget::new(Cost { steps: 20_000_000, ..Cost::UNLIMITED });
    let length = repeating_linkifier.matches("xx", 0, &budget).map(|matches| matches[0].url.len());
    assert_eq!(length, Ok("https://x.y/".len() + 4_000));
}
