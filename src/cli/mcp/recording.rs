//! What a session did in a world, as a scenario.
//!
//! A choice where the API is silent: A-579 in docs/assumptions.md.

use serde_json::{Map, Value};
use std::fmt::Write;

/// Replies of more characters are left out but for their status: they would hide the rest.
const MAX_REPLY: usize = 4_000;
/// Keys of a world's options that a scenario can name.
const OPTIONS: [&str; 5] = ["fixture", "feature_level", "dialect", "clock", "seed"];

/// How a request was answered.
#[derive(Clone, Debug)]
pub enum Answered {
    /// A reply with this status and body.
    Whole(u16, Value),
    /// No reply, or one that breaks off.
    Broken,
}

/// The steps of one world, as blocks of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    options: Vec<(String, String)>,
    steps: Vec<String>,
}

impl Recording {
    /// An empty recording of a world that was made with these options.
    pub fn of(options: &Map<String, Value>) -> Self {
        let named = OPTIONS.iter().filter_map(|name| Some(((*name).to_owned(), as_line(options.get(*name)?))));
        Self { options: named.collect(), steps: Vec::new() }
    }

    /// Forgets the steps: the world is as it was made.
    pub fn reset(&mut self) {
        self.steps.clear();
    }

    /// Adds a call of the API.
    pub fn add_request(&mut self, who: &str, operation: &str, params: &Map<String, Value>, answered: &Answered) {
        let mut block = format!("```request\n{who}: {operation}\n");
        for (name, value) in params {
            _ = writeln!(block, "{name}: {}", as_line(value));
        }
        block.push_str("```\n");
        block.push_str(&reply(answered));
        self.steps.push(block);
    }

    /// Adds a call of control that changes something; `path` is below that of the world.
    pub fn add_control(&mut self, method: &str, path: &str, body: Option<&Value>, status: u16) {
        let body = body.map(|body| format!(" {}", escaped(&body.to_string()))).unwrap_or_default();
        let mut block = format!("```control\n{method} {path}{body}\n```\n");
        if status >= 400 {
            _ = write!(block, "```reply {status}\n```\n");
        }
        self.steps.push(block);
    }

    /// The scenario; None where nothing was done.
    pub fn scenario(&self, title: &str) -> Option<String> {
        if self.steps.is_empty() {
            return None;
        }
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = format!("# {title}\n\n");
        if !self.options.is_empty() {
            let lines: String = self.options.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
            _ = write!(text, "```world\n{lines}```\n");
        }
        Some(text + &self.steps.concat())
    }
}

fn reply(answered: &Answered) -> String {
    match answered {
        Answered::Broken => "```reply none\n```\n".to_owned(),
        Answered::Whole(status, body) => {
            let shown = format!("{:#}", escaped_within(body));
            let body = if body.is_object() && shown.len() <= MAX_REPLY { shown + "\n" } else { String::new() };
            format!("```reply {status}\n{body}```\n")
        }
    }
}

/// A value as a line of a block; further lines are indented.
fn as_line(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let text = escaped(&text);
    if text.contains('\n') { format!("\n  {}", text.replace('\n', "\n  ")) } else { text }
}

/// A text in which braces are no placeholder.
fn escaped(text: &str) -> String {
    text.replace("{{", "\\{{")
}

fn escaped_within(value: &Value) -> Value {
    match value {
        Value::String(text) => escaped(text).into(),
        Value::Array(items) => items.iter().map(escaped_within).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), escaped_within(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}
