use super::super::edit::apply_edits;
use super::*;
use serde_json::json;

/// The rewritten expectation, and the captured values.
fn compare_texts(expected: &str, actual: Value, is_exact: bool) -> (String, Vec<(String, Value)>) {
    let scope = Scope { now: 1_000, base_url: "http://chat".into(), ..Scope::default() };
    let pattern = Pattern::parse(expected, 0).unwrap_or_else(|mistake| panic!("{expected}: {}", mistake[0].reason));
    let mut comparison = Comparison::new(&scope, expected, is_exact);
    comparison.compare(&pattern, &actual);
    (apply_edits(expected, &comparison.edits), comparison.captured)
}

#[test]
fn matching_expectations_are_unchanged() {
    for (expected, actual) in [
        (r#"{}"#, json!({"a": 1})),
        (r#"{"a": "{{absent}}"}"#, json!({})),
        (r#"{"a": 1.0, "b": "{{any}}"}"#, json!({"a": 1, "b": null})),
        (r#"["{{int}}", "{{string}}", "{{bool}}", "{{array}}", "{{object}}"]"#, json!([1, "a", true, [], {}])),
        (r#"["{{1..3}}", "{{..-1}}", "{{2..}}"]"#, json!([3, -1, 2.5])),
        (r#"["{{now +1m}}", "{{server}}/x/{{int}}.png"]"#, json!([1060, "http://chat/x/12.png"])),
        (r#"["{{...}}", {"a": 2}, "{{...}}"]"#, json!([{"a": 1}, {"a": 2}, {"a": 3}])),
        (r#"["{{any order}}", "{{int}}", 1]"#, json!([1, 2])),
        (r#"["{{any order}}", 3, 1, "{{...}}"]"#, json!([1, 2, 3])),
        (r#""{{/a{2}|b/}}""#, json!("aa")),
        (r#""\\{{int}}""#, json!("{{int}}")),
    ] {
        assert_eq!(compare_texts(expected, actual, false).0, expected);
    }
}

#[test]
fn only_differences_are_rewritten() {
    for (expected, actual, is_exact, rewritten_text) in [
        (r#"{"a": "{{int}}",  "b": 2}"#, json!({"a": 1, "b": 3}), false, r#"{"a": "{{int}}",  "b": 3}"#),
        (r#"{"a": 1, "b": 2, "c": 3}"#, json!({"c": 3}), false, r#"{"c": 3}"#),
        (r#"{"a": 1, "b": 2, "c": 3}"#, json!({"a": 1}), false, r#"{"a": 1}"#),
        (r#"{"a": 1}"#, json!({}), false, "{}"),
        (r#"{"a": "{{absent}}"}"#, json!({"a": 1}), false, r#"{"a": 1}"#),
        (r#"{"a": 1}"#, json!({"a": 1, "b": [2, "x"]}), true, r#"{"a": 1, "b": [2, "x"]}"#),
        ("{\n  \"a\": 1\n}", json!({"a": 1, "b": 2}), true, "{\n  \"a\": 1,\n  \"b\": 2\n}"),
        (r#"{"a": 1}"#, json!({"b": 2}), true, r#"{"b": 2}"#),
        (r#"["{{int}}", 2]"#, json!([1]), false, r#"["{{int}}"]"#),
        (r#"["{{int}}"]"#, json!([1, 2]), false, r#"["{{int}}", 2]"#),
        ("[]", json!([1]), false, "[1]"),
        (r#"["{{...}}", 5]"#, json!([1, 2]), false, "[1, 2]"),
        (r#""{{string}}""#, json!(null), false, "null"),
        (r#""{{/a/}}""#, json!("aa {{x}}"), false, r#""aa \\{{x}}""#),
    ] {
        assert_eq!(compare_texts(expected, actual, is_exact).0, rewritten_text, "{expected}");
    }
}

#[test]
fn captures_are_values_or_parts_of_a_text() {
    let expected = r#"{"id": "{{id := 1..}}", "link": "{{server}}/join/{{key := /[a-z]+/}}/"}"#;
    let (rewritten_text, captured) = compare_texts(expected, json!({"id": 7, "link": "http://chat/join/abc/"}), true);
    assert_eq!(rewritten_text, expected);
    assert_eq!(captured, [("id".to_owned(), json!(7)), ("key".to_owned(), json!("abc"))]);
}
