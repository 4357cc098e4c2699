//! Records what a session does in a world, as a scenario (A-579).

use serde_json::{Map, Value};
use std::fmt::Write;

/// The maximum length of the body of a reply in the scenario, in bytes of JSON. Of a longer one, or one that is no
/// object, only the status is recorded.
const MAX_RECORDED_REPLY_BYTES: usize = 4_000;
/// The options of a world that a scenario can set.
const WORLD_OPTIONS: [&str; 5] = ["fixture", "feature_level", "dialect", "clock", "seed"];

/// What came back for a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A complete reply with this status and body.
    Complete(u16, Value),
    /// No reply, or an incomplete one.
    Broken,
}

/// The recorded steps of one world, as blocks of a scenario.
#[derive(Clone, Debug, Default)]
pub struct SessionScenario {
    options: Vec<(String, String)>,
    steps: Vec<String>,
}

impl SessionScenario {
    /// The scenario, still without steps, of a world that was created with these options.
    pub fn new(options: &Map<String, Value>) -> Self {
        let options =
            WORLD_OPTIONS.iter().filter_map(|name| Some(((*name).to_owned(), format_value(options.get(*name)?))));
        Self { options: options.collect(), steps: Vec::new() }
    }

    /// Removes all steps, after a reset of the world.
    pub fn reset(&mut self) {
        self.steps.clear();
    }

    /// Adds a request of an operation, with its reply.
    pub fn add_request(&mut self, user: &str, operation: &str, params: &Map<String, Value>, reply: &Reply) {
        let mut block = format!("```request\n{user}: {operation}\n");
        for (name, value) in params {
            _ = writeln!(block, "{name}: {}", format_value(value));
        }
        block.push_str("```\n");
        block.push_str(&reply_block(reply));
        self.steps.push(block);
    }

    /// Adds a call of control, with its status if it is a refusal. `path` begins after the world's name.
    pub fn add_control_call(&mut self, method: &str, path: &str, body: Option<&Value>, status: u16) {
        let body = body.map(|body| format!(" {}", escape_placeholders(&body.to_string()))).unwrap_or_default();
        let mut block = format!("```control\n{method} {path}{body}\n```\n");
        if status >= 400 {
            _ = write!(block, "```reply {status}\n```\n");
        }
        self.steps.push(block);
    }

    /// The text of the scenario file; None without steps.
    pub fn to_markdown(&self, title: &str) -> Option<String> {
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

fn reply_block(reply: &Reply) -> String {
    match reply {
        Reply::Broken => "```reply none\n```\n".to_owned(),
        Reply::Complete(status, body) => {
            let text = format!("{:#}", escape_strings(body));
            let body =
                if body.is_object() && text.len() <= MAX_RECORDED_REPLY_BYTES { text + "\n" } else { String::new() };
            format!("```reply {status}\n{body}```\n")
        }
    }
}

/// Formats a value for a line of a block. Several lines are indented and begin on a new line.
fn format_value(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let text = escape_placeholders(&text);
    if text.contains('\n') { format!("\n  {}", text.replace('\n', "\n  ")) } else { text }
}

fn escape_placeholders(text: &str) -> String {
    text.replace("{{", "\\{{")
}

fn escape_strings(value: &Value) -> Value {
    match value {
        Value::String(text) => escape_placeholders(text).into(),
        Value::Array(items) => items.iter().map(escape_strings).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), escape_strings(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}
