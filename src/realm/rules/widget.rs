//! Polls and to-do lists: what a message that begins one is made into, and what may be added to it.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::error::Error;
use crate::realm::model::id::UserId;
use crate::realm::model::message::{Message, Submessage};
use serde_json::{Map, Value, json};

/// The one kind of submessages.
pub const WIDGET: &str = "widget";

/// The highest number of an option or a task.
const MAX_INDEX: i64 = 1_000;

/// The widgets that there are, by what messages that begin one begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widget {
    /// `/poll QUESTION`, an option on each further line.
    Poll,
    /// `/todo TITLE`, a task on each further line, with what it is about behind a colon.
    Todo,
}

impl Widget {
    /// The widget that a text begins, and what is said of it.
    pub fn begun_by(content: &str) -> Option<(Self, Value)> {
        let word = content.split_whitespace().next()?;
        let rest = content.strip_prefix(word)?;
        match word {
            "/poll" => Some((Self::Poll, poll(rest))),
            "/todo" => Some((Self::Todo, todo(rest))),
            _ => None,
        }
    }

    /// The widget that a message is.
    pub fn of(message: &Message) -> Option<Self> {
        let first: Value = serde_json::from_str(&message.submessages.front()?.content).ok()?;
        [Self::Poll, Self::Todo].into_iter().find(|widget| first["widget_type"] == widget.name())
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Todo => "todo",
        }
    }

    /// Whether this can be added to it, by its author or somebody else; else why not.
    ///
    /// # Errors
    ///
    /// In words.
    pub fn check(self, data: &Value, is_author: bool) -> Result<(), String> {
        let whole = format!("{} data", self.name());
        let data = data.as_object().ok_or_else(|| format!("{whole} is not a dict"))?;
        check_key(data, &whole, "type", Kind::Text)?;
        let kind = data["type"].as_str().unwrap_or_default();
        let keys: &[(&str, Kind)] = match (self, kind) {
            (Self::Poll, "vote") => &[("key", Kind::Text), ("vote", Kind::Vote)],
            (Self::Poll, "question") if !is_author => {
                return Err("You can't edit a question unless you are the author.".into());
            }
            (Self::Poll, "question") => &[("question", Kind::Text)],
            (Self::Poll, "new_option") => &[("option", Kind::Text), ("idx", Kind::Index)],
            (Self::Todo, "new_task") => {
                &[("key", Kind::Index), ("task", Kind::Text), ("desc", Kind::Text), ("completed", Kind::Switch)]
            }
            (Self::Todo, "strike") => &[("key", Kind::Text)],
            (Self::Todo, "new_task_list_title") if !is_author => {
                return Err("You can't edit the task list title unless you are the author.".into());
            }
            (Self::Todo, "new_task_list_title") => &[("title", Kind::Text)],
            _ => return Err(format!("Unknown type for {whole}: {kind}")),
        };
        keys.iter().try_for_each(|(key, kind)| check_key(data, &whole, key, *kind))?;
        let is_known = |key: &&String| *key == "type" || keys.iter().any(|(known, _)| *key == known);
        let unknown: Vec<&str> = data.keys().filter(|key| !is_known(key)).map(String::as_str).collect();
        if unknown.is_empty() { Ok(()) } else { Err(format!("Unexpected arguments: {}", unknown.join(", "))) }
    }
}

/// What the value of a key has to be.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Switch,
    /// The number of an option or a task.
    Index,
    /// 1, or -1 to take it back.
    Vote,
}

fn check_key(data: &Map<String, Value>, whole: &str, key: &str, kind: Kind) -> Result<(), String> {
    let value = data.get(key).ok_or_else(|| format!("{key} key is missing from {whole}"))?;
    let at = format!("{whole}[\"{key}\"]");
    match (kind, value.as_i64()) {
        (Kind::Text, _) if !value.is_string() => Err(format!("{at} is not a string")),
        (Kind::Switch, _) if !value.is_boolean() => Err(format!("{at} is not a boolean")),
        (Kind::Index | Kind::Vote, None) => Err(format!("{at} is not an integer")),
        (Kind::Index, Some(..0)) => Err(format!("{at} is too small")),
        (Kind::Index, Some(number)) if number > MAX_INDEX => Err(format!("{at} is too large")),
        (Kind::Vote, Some(number)) if number.abs() != 1 => Err(format!("Invalid {at}")),
        _ => Ok(()),
    }
}

/// The question is on the first line that is not empty.
fn poll(rest: &str) -> Value {
    let (question, options) = head_and_items(rest.trim_start());
    json!({"question": question, "options": options})
}

fn todo(rest: &str) -> Value {
    let (title, items) = head_and_items(rest);
    let task = |item: &String| {
        let (task, about) = item.split_once(':').unwrap_or((item, ""));
        json!({"task": task.trim(), "desc": about.trim()})
    };
    json!({"task_list_title": title, "tasks": items.iter().map(task).collect::<Vec<_>>()})
}

/// What is on the first line, and the items of a list below, with or without its bullets.
fn head_and_items(rest: &str) -> (String, Vec<String>) {
    let mut lines = rest.lines();
    let head = lines.next().unwrap_or_default().trim().to_owned();
    let item = |line: &str| {
        let line = line.trim();
        line.strip_prefix(['-', '*']).unwrap_or(line).trim_start().to_owned()
    };
    (head, lines.map(item).filter(|item| !item.is_empty()).collect())
}

/// What a new message is made into: the widget that it is given, or the one that it begins; the number is for the
/// submessage.
pub fn first_submessage(content: &str, widget: Option<Value>, sender: UserId, id: i64) -> Option<Submessage> {
    let begun = || {
        let (widget, extra_data) = Widget::begun_by(content)?;
        Some(json!({"widget_type": widget.name(), "extra_data": extra_data}))
    };
    let content = spaced(&widget.or_else(begun)?);
    Some(Submessage { id, sender, kind: WIDGET.to_owned(), content })
}

/// JSON with a blank behind each comma and colon, as the real server writes what it makes.
fn spaced(value: &Value) -> String {
    let list = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(", ");
    match value {
        Value::Array(items) => format!("[{}]", list(&mut items.iter().map(spaced))),
        Value::Object(object) => {
            let entry = |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), spaced(value));
            format!("{{{}}}", list(&mut object.iter().map(entry)))
        }
        other => other.to_string(),
    }
}

/// A form that a bot gives its message: buttons that answer for whoever presses them.
///
/// # Errors
///
/// In this order: `WidgetNotJson`, `WidgetGivenRefused`.
pub fn given_widget(text: &str) -> Result<Value, Error> {
    let content: Value = serde_json::from_str(text).map_err(|_| Error::WidgetNotJson)?;
    match check_form(&content) {
        Ok(()) => Ok(json!({"widget_type": content["widget_type"], "extra_data": content["extra_data"]})),
        Err(problem) => Err(Error::WidgetGivenRefused { problem: problem.into() }),
    }
}

fn check_form(content: &Value) -> Result<(), String> {
    let content = content.as_object().ok_or("widget_content is not a dict")?;
    let kind = content.get("widget_type").ok_or("widget_type is not in widget_content")?;
    let extra_data = content.get("extra_data").ok_or("extra_data is not in widget_content")?;
    let extra_data = extra_data.as_object().ok_or("extra_data is not a dict")?;
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if kind != "zform" {
        return Err(format!("unknown widget type: {}", shown(kind)));
    }
    let form = extra_data.get("type").ok_or("zform is missing type field")?;
    if form != "choices" {
        return Err(format!("unknown zform type: {}", shown(form)));
    }
    check_text(extra_data, "heading", "extra_data")?;
    let choices = extra_data.get("choices").ok_or("choices key is missing from extra_data")?;
    let choices = choices.as_array().ok_or("extra_data[\"choices\"] is not a list")?;
    for (index, choice) in choices.iter().enumerate() {
        let at = format!("extra_data[\"choices\"][{index}]");
        let choice = choice.as_object().ok_or_else(|| format!("{at} is not a dict"))?;
        ["short_name", "long_name", "reply"].into_iter().try_for_each(|key| check_text(choice, key, &at))?;
    }
    Ok(())
}

fn check_text(object: &Map<String, Value>, key: &str, at: &str) -> Result<(), String> {
    match object.get(key) {
        None => Err(format!("{key} key is missing from {at}")),
        Some(value) if value.is_string() => Ok(()),
        Some(_) => Err(format!("{at}[\"{key}\"] is not a string")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_begin_with_their_question_or_title() {
        let (widget, data) = Widget::begun_by("/poll Lunch?\n* Pizza\n- Pasta\n\n Soup ").expect("a poll");
        assert_eq!(
            (widget, data),
            (Widget::Poll, json!({"question": "Lunch?", "options": ["Pizza", "Pasta", "Soup"]}))
        );
        let (_, data) = Widget::begun_by("/poll\n\nLunch?\n--Pizza").expect("a poll");
        assert_eq!(data, json!({"question": "Lunch?", "options": ["-Pizza"]}));
        let (widget, data) = Widget::begun_by("/todo\nBuy: milk: two\nSell").expect("a list");
        let tasks = json!([{"task": "Buy", "desc": "milk: two"}, {"task": "Sell", "desc": ""}]);
        assert_eq!((widget, data), (Widget::Todo, json!({"task_list_title": "", "tasks": tasks})));
        assert!(Widget::begun_by("/pollution is bad").is_none() && Widget::begun_by("a /poll").is_none());
    }
}
