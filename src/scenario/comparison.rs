//! Compares an expectation with an actual value: the edits that the file needs, and the captured values.

use super::edit::Edit;
use super::json_text::{format_json, format_value_of_key, placeholder_for_type};
use super::pattern::{Pattern, PatternValue, Property};
use super::scope::{Scope, to_text};
use super::template::{Matcher, Part, Template};
use regex::Regex;
use serde_json::{Map, Number, Value};

/// A comparison in progress, with its results.
pub struct Comparison<'a> {
    scope: &'a Scope,
    text: &'a str,
    is_exact: bool,
    writes_placeholders: bool,
    /// The edits that make the expectation match; empty if it matches.
    pub edits: Vec<Edit>,
    /// The captured values, by name.
    pub captured: Vec<(String, Value)>,
    /// The references that did not match, each with its value, for error messages.
    pub notes: Vec<String>,
}

impl<'a> Comparison<'a> {
    /// A comparison for the text of a file. `is_exact` means that objects may not have additional keys.
    pub fn new(scope: &'a Scope, text: &'a str, is_exact: bool) -> Self {
        let (edits, captured, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { scope, text, is_exact, writes_placeholders: false, edits, captured, notes }
    }

    /// Makes the edits replace values that differ with placeholders for the type of the actual value.
    pub fn with_placeholders(self) -> Self {
        Self { writes_placeholders: true, ..self }
    }

    /// Compares a value, and adds the edits, the captured values and the notes.
    pub fn compare(&mut self, expected: &Pattern, actual: &Value) {
        let matches = match (&expected.value, actual) {
            (PatternValue::Null, Value::Null) => true,
            (PatternValue::Boolean(expected), Value::Bool(actual)) => expected == actual,
            (PatternValue::Number(expected), Value::Number(actual)) => is_same_number(expected, actual),
            (PatternValue::Object(properties), Value::Object(actual)) => {
                return self.compare_objects(expected, properties, actual);
            }
            (PatternValue::Array(items), Value::Array(actual)) => return self.compare_arrays(expected, items, actual),
            (PatternValue::Text(template), actual) => self.match_template(template, actual),
            _ => false,
        };
        if !matches {
            self.push_replacement(expected, actual);
        }
    }

    fn push_replacement(&mut self, expected: &Pattern, actual: &Value) {
        let text = match self.writes_placeholders {
            true => placeholder_for_type(actual).to_owned(),
            false => format_json(actual, self.indentation(expected.range.start)),
        };
        self.edits.push(Edit { range: expected.range.clone(), text });
    }

    /// The indentation of the line that contains a byte offset.
    fn indentation(&self, offset: usize) -> usize {
        let line = &self.text[self.text[..offset].rfind('\n').map_or(0, |newline| newline + 1)..offset];
        line.len() - line.trim_start().len()
    }

    /// Whether a value matches a template. Adds captured values, and a note about a reference with another value.
    pub fn match_template(&mut self, template: &Template, actual: &Value) -> bool {
        match template.only_part() {
            Some(Part::Matcher(matcher)) => matches_value(matcher, actual),
            Some(Part::Capture(name, matcher)) => {
                let matches = matches_value(matcher, actual);
                if matches {
                    self.captured.push((name.clone(), actual.clone()));
                }
                matches
            }
            Some(Part::Reference(reference)) => {
                let value = self.scope.value(reference).unwrap_or_default();
                let matches = match (&value, actual) {
                    (Value::Number(value), Value::Number(actual)) => is_same_number(value, actual),
                    (value, actual) => value == actual,
                };
                if !matches {
                    // The placeholder as it is written in the file.
                    let remaining_text = &self.text[template.offset..];
                    let placeholder =
                        remaining_text[..remaining_text.find("}}").map_or(0, |end| end + 2)].trim_start_matches('"');
                    self.notes.push(format!("{placeholder} is {value}"));
                }
                matches
            }
            _ => actual.as_str().is_some_and(|actual| self.match_text(template, actual)),
        }
    }

    /// Whether a text matches a template with placeholders. Adds captured values.
    pub fn match_text(&mut self, template: &Template, actual: &str) -> bool {
        let mut pattern = String::from(r"(?s)\A");
        let mut names = Vec::new();
        for part in &template.parts {
            match part {
                Part::Literal(literal) => pattern.push_str(&regex::escape(literal)),
                Part::Reference(reference) => {
                    pattern.push_str(&regex::escape(&to_text(&self.scope.value(reference).unwrap_or_default())));
                }
                Part::Matcher(matcher) => pattern.push_str(&format!("(?:{})", regex_for(matcher))),
                Part::Capture(name, matcher) => {
                    pattern.push_str(&format!("(?<captured{}>{})", names.len(), regex_for(matcher)));
                    names.push(name);
                }
            }
        }
        pattern.push_str(r"\z");
        let text_captures = Regex::new(&pattern).ok().and_then(|regex| regex.captures(actual));
        let Some(text_captures) = text_captures else { return false };
        for (index, name) in names.into_iter().enumerate() {
            let captured_text =
                text_captures.name(&format!("captured{index}")).map_or("", |captured_text| captured_text.as_str());
            self.captured.push((name.clone(), captured_text.into()));
        }
        true
    }

    fn compare_objects(&mut self, expected: &Pattern, properties: &[Property], actual: &Map<String, Value>) {
        let mut names = Vec::new();
        let mut is_kept = Vec::new();
        for property in properties {
            let name = self.scope.resolve_text(&property.name).unwrap_or_default();
            let is_absent = matches!(property.value.matcher(), Some(Matcher::Absent));
            let actual_value = actual.get(&name);
            is_kept.push(actual_value.is_some() || is_absent);
            match actual_value {
                Some(actual_value) if is_absent => self.push_replacement(&property.value, actual_value),
                Some(actual_value) => self.compare_property(&name, &property.value, actual_value),
                None => {}
            }
            names.push(name);
        }
        self.remove_missing_keys(expected, properties, &is_kept);
        let additional_members: Vec<(&String, &Value)> =
            actual.iter().filter(|(name, _)| !names.contains(name)).collect();
        if self.is_exact && !additional_members.is_empty() {
            self.insert_additional_keys(expected, properties, &is_kept, &additional_members);
        }
    }

    /// Compares the value of a key. If it is a real time that differs, the edit writes a placeholder for any number.
    fn compare_property(&mut self, name: &str, expected: &Pattern, actual: &Value) {
        let previous_edit_count = self.edits.len();
        self.compare(expected, actual);
        if self.writes_placeholders {
            return;
        }
        let text = format_value_of_key(name, actual, self.indentation(expected.range.start));
        if let [edit] = &mut self.edits[previous_edit_count..]
            && edit.range == expected.range
        {
            edit.text = text;
        }
    }

    /// Adds edits that remove missing keys, one for each run of keys with the commas between them. `is_kept` says of
    /// each property whether it stays in the file.
    fn remove_missing_keys(&mut self, expected: &Pattern, properties: &[Property], is_kept: &[bool]) {
        let mut first_missing = 0;
        while first_missing < properties.len() {
            if is_kept[first_missing] {
                first_missing += 1;
                continue;
            }
            let next_kept = (first_missing..properties.len()).find(|index| is_kept[*index]).unwrap_or(properties.len());
            let range = match (first_missing.checked_sub(1), properties.get(next_kept)) {
                (Some(previous), _) => properties[previous].range.end..properties[next_kept - 1].range.end,
                (None, Some(next)) => properties[0].range.start..next.range.start,
                (None, None) => expected.range.start + 1..expected.range.end - 1,
            };
            self.edits.push(Edit { range, text: String::new() });
            first_missing = next_kept;
        }
    }

    /// Adds an edit that inserts additional keys, formatted like the others: in one line, or one per line.
    fn insert_additional_keys(
        &mut self,
        expected: &Pattern,
        properties: &[Property],
        is_kept: &[bool],
        additional_members: &[(&String, &Value)],
    ) {
        let is_empty = !is_kept.contains(&true);
        let position = properties.last().map_or(expected.range.start + 1, |last| last.range.end);
        let first_start = properties.first().map_or(position, |first| first.range.start);
        let is_multiline = self.text[expected.range.start..first_start].contains('\n');
        let indentation = self.indentation(first_start);
        let separator = if is_multiline { format!(",\n{}", " ".repeat(indentation)) } else { ", ".to_owned() };
        let new_members: Vec<String> = additional_members
            .iter()
            .map(|(name, value)| {
                format!("{}: {}", Value::from(name.as_str()), format_value_of_key(name, value, indentation))
            })
            .collect();
        let prefix = if is_empty { "" } else { separator.as_str() };
        self.edits.push(Edit { range: position..position, text: format!("{prefix}{}", new_members.join(&separator)) });
    }

    fn compare_arrays(&mut self, expected: &Pattern, items: &[Pattern], actual: &[Value]) {
        let is_any_order = matches!(items.first().and_then(Pattern::matcher), Some(Matcher::AnyOrder));
        let is_rest = |item: &Pattern| matches!(item.matcher(), Some(Matcher::Rest));
        let has_rest = items.iter().any(is_rest);
        if is_any_order || has_rest {
            let expected_items: Vec<&Pattern> =
                items.iter().filter(|item| !matches!(item.matcher(), Some(Matcher::AnyOrder))).collect();
            let captured = if is_any_order {
                let expected_items: Vec<&Pattern> = expected_items.into_iter().filter(|item| !is_rest(item)).collect();
                let may_match =
                    expected_items.len() == actual.len() || (has_rest && expected_items.len() < actual.len());
                may_match
                    .then(|| self.match_in_any_order(&expected_items, &mut vec![false; actual.len()], actual))
                    .flatten()
            } else {
                self.match_in_order(&expected_items, actual)
            };
            match captured {
                Some(captured) => self.captured.extend(captured),
                None => self.push_replacement(expected, &Value::Array(actual.to_vec())),
            }
            return;
        }
        if self.writes_placeholders && items.len() != actual.len() {
            return self.push_replacement(expected, &Value::Array(actual.to_vec()));
        }
        for (item, actual) in items.iter().zip(actual) {
            self.compare(item, actual);
        }
        self.adjust_length(expected, items, actual);
    }

    /// Adds edits that remove missing items and insert additional ones.
    fn adjust_length(&mut self, expected: &Pattern, items: &[Pattern], actual: &[Value]) {
        match (items.last(), actual.len()) {
            (None, 0) => {}
            (None, _) | (Some(_), 0) => self.push_replacement(expected, &Value::Array(actual.to_vec())),
            (Some(last), count) if items.len() > count => {
                let range = items[count - 1].range.end..last.range.end;
                self.edits.push(Edit { range, text: String::new() });
            }
            (Some(last), _) => {
                let is_multiline = self.text[expected.range.start..items[0].range.start].contains('\n');
                let indentation = self.indentation(items[0].range.start);
                let separator = if is_multiline { format!(",\n{}", " ".repeat(indentation)) } else { ", ".to_owned() };
                let additional_text: String = actual[items.len()..]
                    .iter()
                    .map(|value| format!("{separator}{}", format_json(value, indentation)))
                    .collect();
                if !additional_text.is_empty() {
                    self.edits.push(Edit { range: last.range.end..last.range.end, text: additional_text });
                }
            }
        }
    }

    /// The values that an item captures, or None if it does not match.
    fn try_match(&self, expected: &Pattern, actual: &Value) -> Option<Vec<(String, Value)>> {
        let mut comparison = Comparison::new(self.scope, self.text, self.is_exact);
        comparison.compare(expected, actual);
        comparison.edits.is_empty().then_some(comparison.captured)
    }

    /// Matches items in order. `{{...}}` matches any number of items. Returns the captured values, or None if the items
    /// do not match.
    fn match_in_order(&self, expected_items: &[&Pattern], actual: &[Value]) -> Option<Vec<(String, Value)>> {
        let Some((first, remaining_items)) = expected_items.split_first() else {
            return actual.is_empty().then(Vec::new);
        };
        if matches!(first.matcher(), Some(Matcher::Rest)) {
            return (0..=actual.len())
                .find_map(|skipped_count| self.match_in_order(remaining_items, &actual[skipped_count..]));
        }
        let (next, remaining_values) = actual.split_first()?;
        let mut captured = self.try_match(first, next)?;
        captured.extend(self.match_in_order(remaining_items, remaining_values)?);
        Some(captured)
    }

    /// Matches each expected item with a different actual one that `is_used` does not mark. Returns the captured
    /// values, or None if that is impossible.
    fn match_in_any_order(
        &self,
        expected_items: &[&Pattern],
        is_used: &mut [bool],
        actual: &[Value],
    ) -> Option<Vec<(String, Value)>> {
        let Some((first, remaining_items)) = expected_items.split_first() else { return Some(Vec::new()) };
        for index in 0..actual.len() {
            if is_used[index] {
                continue;
            }
            let Some(mut captured) = self.try_match(first, &actual[index]) else { continue };
            is_used[index] = true;
            if let Some(additional) = self.match_in_any_order(remaining_items, is_used, actual) {
                captured.extend(additional);
                return Some(captured);
            }
            is_used[index] = false;
        }
        None
    }
}

fn is_same_number(first: &Number, second: &Number) -> bool {
    first == second || first.as_f64() == second.as_f64()
}

fn matches_value(matcher: &Matcher, actual: &Value) -> bool {
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
            .is_some_and(|text| Regex::new(&format!(r"\A(?:{regex})\z")).is_ok_and(|regex| regex.is_match(text))),
        Matcher::Absent | Matcher::Rest | Matcher::AnyOrder => false,
    }
}

/// The regular expression for a matcher within a text.
fn regex_for(matcher: &Matcher) -> String {
    match matcher {
        Matcher::Integer => r"-?\d+".to_owned(),
        Matcher::Number => r"-?\d+(?:\.\d+)?".to_owned(),
        Matcher::Boolean => "true|false".to_owned(),
        Matcher::Regex(regex) => regex.to_string(),
        _ => ".*?".to_owned(),
    }
}

#[cfg(test)]
mod tests;
