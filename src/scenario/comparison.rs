//! An expectation next to what came: how the file would have to read, and what is kept.

use super::edit::Edit;
use super::json_text::{placeholder, rendered, rendered_under};
use super::pattern::{Pattern, Property, Shape};
use super::scope::{Scope, plain};
use super::template::{Matcher, Part, Template};
use regex::Regex;
use serde_json::{Map, Number, Value};

/// What a comparison finds.
pub struct Comparison<'a> {
    scope: &'a Scope,
    text: &'a str,
    is_exact: bool,
    writes_placeholders: bool,
    /// What would have to read otherwise; none: it fits.
    pub edits: Vec<Edit>,
    /// What was kept.
    pub captured: Vec<(String, Value)>,
    /// What placeholders that did not fit stand for.
    pub notes: Vec<String>,
}

impl<'a> Comparison<'a> {
    /// One that has found nothing yet, for a file's text. Exact: objects have no further keys.
    pub fn new(scope: &'a Scope, text: &'a str, is_exact: bool) -> Self {
        let (edits, captured, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { scope, text, is_exact, writes_placeholders: false, edits, captured, notes }
    }

    /// The same, but what differs is written as a placeholder for all values of its type.
    pub fn writing_placeholders(self) -> Self {
        Self { writes_placeholders: true, ..self }
    }

    /// Compares a value.
    pub fn compare(&mut self, expected: &Pattern, actual: &Value) {
        let fits = match (&expected.shape, actual) {
            (Shape::Null, Value::Null) => true,
            (Shape::Boolean(expected), Value::Bool(actual)) => expected == actual,
            (Shape::Number(expected), Value::Number(actual)) => is_same_number(expected, actual),
            (Shape::Object(properties), Value::Object(actual)) => {
                return self.compare_objects(expected, properties, actual);
            }
            (Shape::Array(items), Value::Array(actual)) => return self.compare_arrays(expected, items, actual),
            (Shape::Text(template), actual) => self.fits(template, actual),
            _ => false,
        };
        if !fits {
            self.replace(expected, actual);
        }
    }

    fn replace(&mut self, expected: &Pattern, actual: &Value) {
        let text = match self.writes_placeholders {
            true => placeholder(actual).to_owned(),
            false => rendered(actual, self.indentation(expected.range.start)),
        };
        self.edits.push(Edit { range: expected.range.clone(), text });
    }

    /// How far the line of a place is indented.
    fn indentation(&self, at: usize) -> usize {
        let line = &self.text[self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
        line.len() - line.trim_start().len()
    }

    /// Whether a value fits a text, which keeps what it captures.
    pub fn fits(&mut self, template: &Template, actual: &Value) -> bool {
        match template.only() {
            Some(Part::Matcher(matcher)) => is_fitting(matcher, actual),
            Some(Part::Capture(name, matcher)) => {
                let fits = is_fitting(matcher, actual);
                if fits {
                    self.captured.push((name.clone(), actual.clone()));
                }
                fits
            }
            Some(Part::Reference(reference)) => {
                let value = self.scope.value(reference).unwrap_or_default();
                let fits = match (&value, actual) {
                    (Value::Number(value), Value::Number(actual)) => is_same_number(value, actual),
                    (value, actual) => value == actual,
                };
                if !fits {
                    let place = &self.text[template.at..];
                    let shown = place[..place.find("}}").map_or(0, |end| end + 2)].trim_start_matches('"');
                    self.notes.push(format!("{shown} is {value}"));
                }
                fits
            }
            _ => actual.as_str().is_some_and(|actual| self.fits_text(template, actual)),
        }
    }

    /// Whether a text fits one with placeholders in it.
    pub fn fits_text(&mut self, template: &Template, actual: &str) -> bool {
        let mut pattern = String::from(r"(?s)\A");
        let mut names = Vec::new();
        for part in &template.parts {
            match part {
                Part::Literal(literal) => pattern.push_str(&regex::escape(literal)),
                Part::Reference(reference) => {
                    pattern.push_str(&regex::escape(&plain(&self.scope.value(reference).unwrap_or_default())));
                }
                Part::Matcher(matcher) => pattern.push_str(&format!("(?:{})", pattern_of(matcher))),
                Part::Capture(name, matcher) => {
                    pattern.push_str(&format!("(?<kept{}>{})", names.len(), pattern_of(matcher)));
                    names.push(name);
                }
            }
        }
        pattern.push_str(r"\z");
        let found = Regex::new(&pattern).ok().and_then(|regex| regex.captures(actual));
        let Some(found) = found else { return false };
        for (index, name) in names.into_iter().enumerate() {
            let kept = found.name(&format!("kept{index}")).map_or("", |kept| kept.as_str());
            self.captured.push((name.clone(), kept.into()));
        }
        true
    }

    fn compare_objects(&mut self, expected: &Pattern, properties: &[Property], actual: &Map<String, Value>) {
        let mut names = Vec::new();
        let mut is_kept = Vec::new();
        for property in properties {
            let name = self.scope.text(&property.name).unwrap_or_default();
            let is_absent = matches!(property.value.matcher(), Some(Matcher::Absent));
            let found = actual.get(&name);
            is_kept.push(found.is_some() || is_absent);
            match found {
                Some(found) if is_absent => self.replace(&property.value, found),
                Some(found) => self.compare_property(&name, &property.value, found),
                None => {}
            }
            names.push(name);
        }
        self.remove(expected, properties, &is_kept);
        let further: Vec<(&String, &Value)> = actual.iter().filter(|(name, _)| !names.contains(name)).collect();
        if self.is_exact && !further.is_empty() {
            self.add(expected, properties, &is_kept, &further);
        }
    }

    /// Compares the value of a key. A number of real time is written as any number where it differs.
    fn compare_property(&mut self, name: &str, expected: &Pattern, actual: &Value) {
        let known = self.edits.len();
        self.compare(expected, actual);
        if self.writes_placeholders {
            return;
        }
        let text = rendered_under(name, actual, self.indentation(expected.range.start));
        if let [edit] = &mut self.edits[known..]
            && edit.range == expected.range
        {
            edit.text = text;
        }
    }

    /// Takes out keys that are not there, each run of them with the commas between.
    fn remove(&mut self, expected: &Pattern, properties: &[Property], is_kept: &[bool]) {
        let mut first = 0;
        while first < properties.len() {
            if is_kept[first] {
                first += 1;
                continue;
            }
            let behind = (first..properties.len()).find(|index| is_kept[*index]).unwrap_or(properties.len());
            let range = match (first.checked_sub(1), properties.get(behind)) {
                (Some(before), _) => properties[before].range.end..properties[behind - 1].range.end,
                (None, Some(next)) => properties[0].range.start..next.range.start,
                (None, None) => expected.range.start + 1..expected.range.end - 1,
            };
            self.edits.push(Edit { range, text: String::new() });
            first = behind;
        }
    }

    /// Puts in keys that are not expected, as the others are: side by side or below each other.
    fn add(&mut self, expected: &Pattern, properties: &[Property], is_kept: &[bool], further: &[(&String, &Value)]) {
        let is_empty = !is_kept.contains(&true);
        let at = properties.last().map_or(expected.range.start + 1, |last| last.range.end);
        let begin = properties.first().map_or(at, |first| first.range.start);
        let is_below = self.text[expected.range.start..begin].contains('\n');
        let indentation = self.indentation(begin);
        let between = if is_below { format!(",\n{}", " ".repeat(indentation)) } else { ", ".to_owned() };
        let written: Vec<String> = further
            .iter()
            .map(|(name, value)| {
                format!("{}: {}", Value::from(name.as_str()), rendered_under(name, value, indentation))
            })
            .collect();
        let start = if is_empty { "" } else { between.as_str() };
        self.edits.push(Edit { range: at..at, text: format!("{start}{}", written.join(&between)) });
    }

    fn compare_arrays(&mut self, expected: &Pattern, items: &[Pattern], actual: &[Value]) {
        let is_any_order = matches!(items.first().and_then(Pattern::matcher), Some(Matcher::AnyOrder));
        let is_rest = |item: &Pattern| matches!(item.matcher(), Some(Matcher::Rest));
        let has_rest = items.iter().any(is_rest);
        if is_any_order || has_rest {
            let wanted: Vec<&Pattern> =
                items.iter().filter(|item| !matches!(item.matcher(), Some(Matcher::AnyOrder))).collect();
            let found = if is_any_order {
                let wanted: Vec<&Pattern> = wanted.into_iter().filter(|item| !is_rest(item)).collect();
                let may_fit = wanted.len() == actual.len() || (has_rest && wanted.len() < actual.len());
                may_fit.then(|| self.in_any_order(&wanted, &mut vec![false; actual.len()], actual)).flatten()
            } else {
                self.in_order(&wanted, actual)
            };
            match found {
                Some(captured) => self.captured.extend(captured),
                None => self.replace(expected, &Value::Array(actual.to_vec())),
            }
            return;
        }
        if self.writes_placeholders && items.len() != actual.len() {
            return self.replace(expected, &Value::Array(actual.to_vec()));
        }
        for (item, actual) in items.iter().zip(actual) {
            self.compare(item, actual);
        }
        self.fit_length(expected, items, actual);
    }

    /// Takes out items that did not come, puts in those that came besides.
    fn fit_length(&mut self, expected: &Pattern, items: &[Pattern], actual: &[Value]) {
        match (items.last(), actual.len()) {
            (None, 0) => {}
            (None, _) | (Some(_), 0) => self.replace(expected, &Value::Array(actual.to_vec())),
            (Some(last), count) if items.len() > count => {
                let range = items[count - 1].range.end..last.range.end;
                self.edits.push(Edit { range, text: String::new() });
            }
            (Some(last), _) => {
                let is_below = self.text[expected.range.start..items[0].range.start].contains('\n');
                let indentation = self.indentation(items[0].range.start);
                let between = if is_below { format!(",\n{}", " ".repeat(indentation)) } else { ", ".to_owned() };
                let further: String = actual[items.len()..]
                    .iter()
                    .map(|value| format!("{between}{}", rendered(value, indentation)))
                    .collect();
                if !further.is_empty() {
                    self.edits.push(Edit { range: last.range.end..last.range.end, text: further });
                }
            }
        }
    }

    /// What an item captures when it fits.
    fn attempt(&self, expected: &Pattern, actual: &Value) -> Option<Vec<(String, Value)>> {
        let mut attempt = Comparison::new(self.scope, self.text, self.is_exact);
        attempt.compare(expected, actual);
        attempt.edits.is_empty().then_some(attempt.captured)
    }

    /// Items one after another, `{{...}}` standing for any number of them.
    fn in_order(&self, wanted: &[&Pattern], actual: &[Value]) -> Option<Vec<(String, Value)>> {
        let Some((first, later)) = wanted.split_first() else { return actual.is_empty().then(Vec::new) };
        if matches!(first.matcher(), Some(Matcher::Rest)) {
            return (0..=actual.len()).find_map(|skipped| self.in_order(later, &actual[skipped..]));
        }
        let (next, rest) = actual.split_first()?;
        let mut captured = self.attempt(first, next)?;
        captured.extend(self.in_order(later, rest)?);
        Some(captured)
    }

    /// Each item with one of its own.
    fn in_any_order(
        &self,
        wanted: &[&Pattern],
        is_taken: &mut [bool],
        actual: &[Value],
    ) -> Option<Vec<(String, Value)>> {
        let Some((first, later)) = wanted.split_first() else { return Some(Vec::new()) };
        for index in 0..actual.len() {
            if is_taken[index] {
                continue;
            }
            let Some(mut captured) = self.attempt(first, &actual[index]) else { continue };
            is_taken[index] = true;
            if let Some(further) = self.in_any_order(later, is_taken, actual) {
                captured.extend(further);
                return Some(captured);
            }
            is_taken[index] = false;
        }
        None
    }
}

fn is_same_number(one: &Number, other: &Number) -> bool {
    one == other || one.as_f64() == other.as_f64()
}

fn is_fitting(matcher: &Matcher, actual: &Value) -> bool {
    match matcher {
        Matcher::Any => true,
        Matcher::Integer => actual.is_i64() || actual.is_u64(),
        Matcher::Number => actual.is_number(),
        Matcher::Text => actual.is_string(),
        Matcher::Boolean => actual.is_boolean(),
        Matcher::Object => actual.is_object(),
        Matcher::Array => actual.is_array(),
        Matcher::Range(from, to) => actual.as_f64().is_some_and(|number| {
            from.is_none_or(|from| from as f64 <= number) && to.is_none_or(|to| number <= to as f64)
        }),
        Matcher::Regex(regex) => actual
            .as_str()
            .is_some_and(|text| Regex::new(&format!(r"\A(?:{regex})\z")).is_ok_and(|whole| whole.is_match(text))),
        Matcher::Absent | Matcher::Rest | Matcher::AnyOrder => false,
    }
}

/// What fits within a text.
fn pattern_of(matcher: &Matcher) -> String {
    match matcher {
        Matcher::Integer => r"-?\d+".to_owned(),
        Matcher::Number => r"-?\d+(?:\.\d+)?".to_owned(),
        Matcher::Boolean => "true|false".to_owned(),
        Matcher::Regex(regex) => regex.to_string(),
        _ => ".*?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::edit::rewritten;
    use super::*;
    use serde_json::json;

    /// What an expectation would have to be, and what it kept.
    fn compared(expected: &str, actual: Value, is_exact: bool) -> (String, Vec<(String, Value)>) {
        let scope = Scope { now: 1_000, server: "http://chat".into(), ..Scope::default() };
        let pattern = Pattern::parse(expected, 0).unwrap_or_else(|mistake| panic!("{expected}: {}", mistake[0].reason));
        let mut comparison = Comparison::new(&scope, expected, is_exact);
        comparison.compare(&pattern, &actual);
        (rewritten(expected, &comparison.edits), comparison.captured)
    }

    #[test]
    fn what_fits_stays_as_it_was_written() {
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
            assert_eq!(compared(expected, actual, false).0, expected);
        }
    }

    #[test]
    fn what_differs_is_written_again_and_nothing_else() {
        for (expected, actual, is_exact, after) in [
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
            assert_eq!(compared(expected, actual, is_exact).0, after, "{expected}");
        }
    }

    #[test]
    fn captures_are_values_or_pieces_of_a_text() {
        let expected = r#"{"id": "{{id := 1..}}", "link": "{{server}}/join/{{key := /[a-z]+/}}/"}"#;
        let (after, captured) = compared(expected, json!({"id": 7, "link": "http://chat/join/abc/"}), true);
        assert_eq!(after, expected);
        assert_eq!(captured, [("id".to_owned(), json!(7)), ("key".to_owned(), json!("abc"))]);
    }
}
