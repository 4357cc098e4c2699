//! Widgets: polls, to-do lists and forms of bots. Creates the first submessage of a widget, and validates later ones of
//! polls and to-do lists.
//!
//! The specification leaves details open: in docs/assumptions.md.

use crate::error::Error;
use crate::realm::model::id::UserId;
use crate::realm::model::message::{Message, Submessage};
use serde_json::{Map, Value, json};

/// The kind of the first submessage of a widget. Clients may send submessages of other kinds.
pub const SUBMESSAGE_KIND: &str = "widget";

/// Maximum index of an option or a task.
const MAX_INDEX: i64 = 1_000;

/// A widget that the text of a message can create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widget {
    /// `/poll QUESTION`, with an option on each following line.
    Poll,
    /// `/todo TITLE`, with a task on each following line, optionally with a description after a colon.
    Todo,
}

impl Widget {
    /// Parses a message that creates a widget. Returns the widget and its `extra_data`. None for other messages.
    pub fn parse(content: &str) -> Option<(Self, Value)> {
        let command = content.split_whitespace().next()?;
        let arguments = content.strip_prefix(command)?;
        match command {
            "/poll" => Some((Self::Poll, poll_data(arguments))),
            "/todo" => Some((Self::Todo, todo_data(arguments))),
            _ => None,
        }
    }

    /// The poll or to-do list of a message; None for other messages, even if they have a form.
    pub fn of(message: &Message) -> Option<Self> {
        let first: Value = serde_json::from_str(&message.submessages.front()?.content).ok()?;
        [Self::Poll, Self::Todo].into_iter().find(|widget| first["widget_type"] == widget.name())
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Todo => "todo",
        }
    }

    /// Validates a submessage. `is_author` means that its sender is the author of the message.
    ///
    /// # Errors
    ///
    /// The error message for the client.
    pub fn check_submessage(self, data: &Value, is_author: bool) -> Result<(), String> {
        let data_name = format!("{} data", self.name());
        let data = data.as_object().ok_or_else(|| format!("{data_name} is not a dict"))?;
        check_key(data, &data_name, "type", ValueKind::Text)?;
        let submessage_type = data["type"].as_str().unwrap_or_default();
        let keys: &[(&str, ValueKind)] = match (self, submessage_type) {
            (Self::Poll, "vote") => &[("key", ValueKind::Text), ("vote", ValueKind::Vote)],
            (Self::Poll, "question") if !is_author => {
                return Err("You can't edit a question unless you are the author.".into());
            }
            (Self::Poll, "question") => &[("question", ValueKind::Text)],
            (Self::Poll, "new_option") => &[("option", ValueKind::Text), ("idx", ValueKind::Index)],
            (Self::Todo, "new_task") => &[
                ("key", ValueKind::Index),
                ("task", ValueKind::Text),
                ("desc", ValueKind::Text),
                ("completed", ValueKind::Boolean),
            ],
            (Self::Todo, "strike") => &[("key", ValueKind::Text)],
            (Self::Todo, "new_task_list_title") if !is_author => {
                return Err("You can't edit the task list title unless you are the author.".into());
            }
            (Self::Todo, "new_task_list_title") => &[("title", ValueKind::Text)],
            _ => return Err(format!("Unknown type for {data_name}: {submessage_type}")),
        };
        keys.iter().try_for_each(|(key, value_kind)| check_key(data, &data_name, key, *value_kind))?;
        let is_known = |key: &&String| *key == "type" || keys.iter().any(|(known_key, _)| *key == known_key);
        let unknown: Vec<&str> = data.keys().filter(|key| !is_known(key)).map(String::as_str).collect();
        if unknown.is_empty() { Ok(()) } else { Err(format!("Unexpected arguments: {}", unknown.join(", "))) }
    }
}

/// The type and range of a value.
#[derive(Clone, Copy)]
enum ValueKind {
    Text,
    Boolean,
    /// The index of an option or a task.
    Index,
    /// 1, or -1 to remove a vote.
    Vote,
}

fn check_key(data: &Map<String, Value>, data_name: &str, key: &str, value_kind: ValueKind) -> Result<(), String> {
    let value = data.get(key).ok_or_else(|| format!("{key} key is missing from {data_name}"))?;
    let path = format!("{data_name}[\"{key}\"]");
    match (value_kind, value.as_i64()) {
        (ValueKind::Text, _) if !value.is_string() => Err(format!("{path} is not a string")),
        (ValueKind::Boolean, _) if !value.is_boolean() => Err(format!("{path} is not a boolean")),
        (ValueKind::Index | ValueKind::Vote, None) => Err(format!("{path} is not an integer")),
        (ValueKind::Index, Some(..0)) => Err(format!("{path} is too small")),
        (ValueKind::Index, Some(number)) if number > MAX_INDEX => Err(format!("{path} is too large")),
        (ValueKind::Vote, Some(number)) if number.abs() != 1 => Err(format!("Invalid {path}")),
        _ => Ok(()),
    }
}

/// The question is on the first line that is not empty.
fn poll_data(arguments: &str) -> Value {
    let (question, options) = first_line_and_items(arguments.trim_start());
    json!({"question": question, "options": options})
}

fn todo_data(arguments: &str) -> Value {
    let (title, items) = first_line_and_items(arguments);
    let task = |item: &String| {
        let (task, description) = item.split_once(':').unwrap_or((item, ""));
        json!({"task": task.trim(), "desc": description.trim()})
    };
    json!({"task_list_title": title, "tasks": items.iter().map(task).collect::<Vec<_>>()})
}

/// The first line, and the items on the following lines without their bullets.
fn first_line_and_items(text: &str) -> (String, Vec<String>) {
    let mut lines = text.lines();
    let first_line = lines.next().unwrap_or_default().trim().to_owned();
    let parse_item = |line: &str| {
        let line = line.trim();
        line.strip_prefix(['-', '*']).unwrap_or(line).trim_start().to_owned()
    };
    (first_line, lines.map(parse_item).filter(|item| !item.is_empty()).collect())
}

/// The first submessage of a new message. It is for `widget`, which comes from the request, or else for the widget that
/// `content` creates; None without either.
pub fn first_submessage(content: &str, widget: Option<Value>, sender: UserId, id: i64) -> Option<Submessage> {
    let from_content = || {
        let (widget, extra_data) = Widget::parse(content)?;
        Some(json!({"widget_type": widget.name(), "extra_data": extra_data}))
    };
    let content = to_spaced_json(&widget.or_else(from_content)?);
    Some(Submessage { id, sender, kind: SUBMESSAGE_KIND.to_owned(), content })
}

/// JSON with a space after each comma and colon, as real servers format it.
fn to_spaced_json(value: &Value) -> String {
    let join = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(", ");
    match value {
        Value::Array(items) => format!("[{}]", join(&mut items.iter().map(to_spaced_json))),
        Value::Object(object) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), to_spaced_json(value));
            format!("{{{}}}", join(&mut object.iter().map(entry)))
        }
        other => other.to_string(),
    }
}

/// Validates `widget_content` of a request: a form with buttons that send replies.
///
/// # Errors
///
/// In this order: `WidgetNotJson`, `InvalidWidgetContent`.
pub fn checked_widget(text: &str) -> Result<Value, Error> {
    let content: Value = serde_json::from_str(text).map_err(|_| Error::WidgetNotJson)?;
    match check_form(&content) {
        Ok(()) => Ok(json!({"widget_type": content["widget_type"], "extra_data": content["extra_data"]})),
        Err(problem) => Err(Error::InvalidWidgetContent { problem: problem.into() }),
    }
}

fn check_form(content: &Value) -> Result<(), String> {
    let content = content.as_object().ok_or("widget_content is not a dict")?;
    let widget_type = content.get("widget_type").ok_or("widget_type is not in widget_content")?;
    let extra_data = content.get("extra_data").ok_or("extra_data is not in widget_content")?;
    let extra_data = extra_data.as_object().ok_or("extra_data is not a dict")?;
    let to_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if widget_type != "zform" {
        return Err(format!("unknown widget type: {}", to_text(widget_type)));
    }
    let form_type = extra_data.get("type").ok_or("zform is missing type field")?;
    if form_type != "choices" {
        return Err(format!("unknown zform type: {}", to_text(form_type)));
    }
    check_text(extra_data, "heading", "extra_data")?;
    let choices = extra_data.get("choices").ok_or("choices key is missing from extra_data")?;
    let choices = choices.as_array().ok_or("extra_data[\"choices\"] is not a list")?;
    for (index, choice) in choices.iter().enumerate() {
        let path = format!("extra_data[\"choices\"][{index}]");
        let choice = choice.as_object().ok_or_else(|| format!("{path} is not a dict"))?;
        ["short_name", "long_name", "reply"].into_iter().try_for_each(|key| check_text(choice, key, &path))?;
    }
    Ok(())
}

fn check_text(object: &Map<String, Value>, key: &str, path: &str) -> Result<(), String> {
    match object.get(key) {
        None => Err(format!("{key} key is missing from {path}")),
        Some(value) if value.is_string() => Ok(()),
        Some(_) => Err(format!("{path}[\"{key}\"] is not a string")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_and_to_do_lists_are_parsed() {
        let (widget, data) = Widget::parse("/poll Lunch?\n* Pizza\n- Pasta\n\n Soup ").expect("a poll");
        assert_eq!(
            (widget, data),
            (Widget::Poll, json!({"question": "Lunch?", "options": ["Pizza", "Pasta", "Soup"]}))
        );
        let (_, data) = Widget::parse("/poll\n\nLunch?\n--Pizza").expect("a poll");
        assert_eq!(data, json!({"question": "Lunch?", "options": ["-Pizza"]}));
        let (widget, data) = Widget::parse("/todo\nBuy: milk: two\nSell").expect("a list");
        let tasks = json!([{"task": "Buy", "desc": "milk: two"}, {"task": "Sell", "desc": ""}]);
        assert_eq!((widget, data), (Widget::Todo, json!({"task_list_title": "", "tasks": tasks})));
        assert!(Widget::parse("/pollution is bad").is_none() && Widget::parse("a /poll").is_none());
    }
}
