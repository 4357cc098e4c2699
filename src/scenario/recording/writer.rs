//! Writes the scenario of a recording: requests and events in order, and the list of omissions.

use super::event_batches::{EventBatch, event_batches};
use super::exchange::{Exchange, Recording};
use super::expectation;
use super::kinds::{kind_of_collection, kind_of_path};
use super::names::Names;
use super::request::{self, SecretReplacements};
use super::secrets::Secrets;
use super::text::{fenced_block, placeholder, restore_placeholders};
use crate::scenario::json_text::format_json;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Events that arrive more than this many seconds after the last request count as caused by time, so the clock is moved
/// before them.
const MAX_EVENT_DELAY_SECONDS: f64 = 3.0;

/// The scenario of a recording.
#[derive(Clone, Debug)]
pub struct RecordedScenario {
    /// Text of the file.
    pub text: String,
    /// Number of requests in the scenario, including registrations of queues.
    pub request_count: usize,
    /// Number of `event` blocks.
    pub event_count: usize,
    /// Sentences about what the scenario can't express.
    pub omissions: Vec<String>,
}

/// What blocks of the scenario are written from: a request, or the new events of a poll.
enum Step<'a> {
    Request(&'a Exchange),
    Events(EventBatch),
}

impl Step<'_> {
    /// When the request began, or the poll ended, in UNIX seconds.
    fn seconds(&self) -> f64 {
        match self {
            Step::Request(exchange) => exchange.start_seconds,
            Step::Events(batch) => batch.end_seconds,
        }
    }
}

struct ScenarioWriter {
    names: Names,
    secrets: Secrets,
    replacements: SecretReplacements,
    blocks: Vec<String>,
    /// How often each omission occurs, by its description.
    omissions: BTreeMap<String, usize>,
    /// The time of the first step, in UNIX seconds.
    start_seconds: f64,
    /// The time of the last request, or of later events before which the clock was moved, in UNIX seconds.
    last_cause_seconds: f64,
    /// By how many seconds the scenario has moved the clock.
    clock_offset_seconds: f64,
    request_count: usize,
    event_count: usize,
}

/// Converts a recording to a scenario.
pub fn to_scenario(recording: &Recording) -> RecordedScenario {
    let mut names = Names::from_recording(recording);
    for exchange in &recording.exchanges {
        for (kind, id) in request::ids_in_request(exchange) {
            names.mark_used(&kind, id);
        }
    }
    let event_steps = event_batches(&recording.exchanges).into_iter().map(Step::Events);
    let request_steps = recording.exchanges.iter().filter(|exchange| !exchange.is_successful_poll()).map(Step::Request);
    let mut steps: Vec<Step> = request_steps.chain(event_steps).collect();
    steps.sort_by(|first, second| first.seconds().total_cmp(&second.seconds()));
    let start_seconds = steps.first().map(Step::seconds).unwrap_or_default();
    let mut writer = ScenarioWriter {
        names,
        secrets: Secrets::from_exchanges(&recording.exchanges),
        replacements: SecretReplacements::default(),
        blocks: Vec::new(),
        omissions: BTreeMap::new(),
        start_seconds,
        last_cause_seconds: start_seconds,
        clock_offset_seconds: 0.0,
        request_count: 0,
        event_count: 0,
    };
    for step in &steps {
        match step {
            Step::Request(exchange) => writer.write_request(exchange),
            Step::Events(batch) => writer.write_events(batch),
        }
    }
    writer.finish(recording)
}

impl ScenarioWriter {
    fn add_omission(&mut self, exchange: &Exchange, reason: &str) {
        let description = format!("{} {}: {reason}", exchange.method, path_without_ids(&exchange.path));
        *self.omissions.entry(description).or_default() += 1;
    }

    fn write_request(&mut self, exchange: &Exchange) {
        if exchange.method == "OPTIONS" {
            return;
        }
        self.last_cause_seconds = self.last_cause_seconds.max(exchange.start_seconds);
        if let Some(reason) = omission_reason(exchange) {
            return self.add_omission(exchange, reason);
        }
        let caller = match request::caller_text(exchange, &self.names) {
            Ok(caller) => caller,
            Err(reason) => return self.add_omission(exchange, reason),
        };
        let (path, lines) = match request::path_and_lines(exchange, &mut self.names, &mut self.replacements) {
            Ok(request) => request,
            Err(reason) => return self.add_omission(exchange, &reason),
        };
        let queue_id = exchange.reply_body["queue_id"].as_str();
        let is_registration = exchange.method == "POST" && exchange.api_path() == Some("/register");
        let text = match (queue_id.filter(|_| is_registration && exchange.status == 200), &exchange.account) {
            (Some(queue_id), Some((email, _))) => {
                let label = self.names.add_queue(email, queue_id);
                fenced_block(&format!("queue {label}"), &lines)
            }
            _ => {
                let request_line = format!("{caller}: {} {path}", exchange.method);
                let body = if lines.is_empty() { request_line } else { format!("{request_line}\n{lines}") };
                lost_reply_fault(exchange) + &fenced_block("request", &body) + &self.reply_block(exchange)
            }
        };
        self.add_request_block(exchange, text);
    }

    /// Adds the block of a request, unless it contains a secret.
    fn add_request_block(&mut self, exchange: &Exchange, text: String) {
        if self.secrets.are_in(&text) {
            return self.add_omission(exchange, "a key or password would be in it");
        }
        self.request_count += 1;
        self.blocks.push(text);
    }

    /// The `reply` block of a request. It is empty if only success is expected.
    fn reply_block(&mut self, exchange: &Exchange) -> String {
        if exchange.status == 0 {
            return fenced_block("reply none", "");
        }
        let is_success = exchange.status == 200;
        let info_string = if is_success { "reply".to_owned() } else { format!("reply {}", exchange.status) };
        let Value::Object(reply) = &exchange.reply_body else {
            return if is_success { String::new() } else { fenced_block(&info_string, "") };
        };
        let mut members = reply.clone();
        if members.get("result").is_some_and(|result| result == "success" || result == "error") {
            members.shift_remove("result");
        }
        if is_success && members.get("msg").is_some_and(|msg| msg == "") {
            members.shift_remove("msg");
        }
        let parent_kind = kind_of_path(exchange.api_path().unwrap_or_default());
        let mut expected =
            match expectation::convert_to_expectation(&Value::Object(members), &parent_kind, &mut self.names) {
                Value::Object(expected) => expected,
                _ => Map::new(),
            };
        if exchange.api_path() == Some("/user_uploads") && is_success {
            for key in ["url", "uri"] {
                if let Some(text) = reply.get(key).and_then(Value::as_str) {
                    // Both keys have the same URL, which is captured once.
                    let is_known = self.names.name_of_captured_text(text).is_some();
                    let value = if is_known { placeholder("string") } else { self.names.capture_text("file", text) };
                    expected.insert(key.to_owned(), value.into());
                }
            }
        }
        match (expected.is_empty(), is_success) {
            (true, true) => String::new(),
            (true, false) => fenced_block(&info_string, ""),
            _ => fenced_block(&info_string, &restore_placeholders(&format_json(&Value::Object(expected), 0))),
        }
    }

    fn write_events(&mut self, batch: &EventBatch) {
        let Some(label) = self.names.queue_labels.get(&batch.queue_id).cloned() else {
            let description = "Events of queues that were registered before the recording".to_owned();
            *self.omissions.entry(description).or_default() += batch.events.len();
            return;
        };
        let elapsed = batch.end_seconds - self.start_seconds;
        if batch.end_seconds - self.last_cause_seconds > MAX_EVENT_DELAY_SECONDS
            && elapsed - self.clock_offset_seconds >= 1.0
        {
            let seconds = (elapsed - self.clock_offset_seconds).ceil();
            self.clock_offset_seconds += seconds;
            self.last_cause_seconds = batch.end_seconds;
            self.blocks.push(fenced_block("control", &format!("clock +{seconds}s")));
        }
        for event in &batch.events {
            let mut event = event.clone();
            if let Some(event) = event.as_object_mut() {
                event.shift_remove("id");
            }
            let parent_kind = kind_of_collection(event["type"].as_str().unwrap_or_default());
            let expected = expectation::convert_to_expectation(&event, &parent_kind, &mut self.names);
            let text = fenced_block(&format!("event {label}"), &restore_placeholders(&format_json(&expected, 0)));
            if self.secrets.are_in(&text) {
                *self.omissions.entry("Events with a key in them".to_owned()).or_default() += 1;
                // `{}` accepts any event. Without a block, the events after it would be compared with this one.
                self.blocks.push(fenced_block(&format!("event {label}"), "{}"));
            } else {
                self.blocks.push(text);
            }
            self.event_count += 1;
        }
    }

    fn finish(self, recording: &Recording) -> RecordedScenario {
        let mut omissions = recording.omissions.clone();
        for (description, count) in &self.omissions {
            let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
            omissions.push(self.secrets.redact(&format!("{description}{times}")));
        }
        for (kind, id) in &self.names.unnamed_ids {
            omissions.push(format!(
                "The {} {id} is given by its number: nothing that passed names it",
                kind.replace('_', " ")
            ));
        }
        let mut text = format!(
            "# A recorded session\n\nRecorded by `chatdouble scenario record` from {}. It is played in {}.\n\n",
            self.secrets.redact(&recording.base_url),
            recording
                .fixture
                .as_deref()
                .map_or_else(|| "the built-in organization".to_owned(), |name| format!("the fixture `{name}`"))
        );
        let mut options = Vec::new();
        options.extend(recording.fixture.as_ref().map(|fixture| format!("fixture: {fixture}")));
        options.extend(recording.feature_level.map(|level| format!("feature_level: {level}")));
        options.extend(recording.dialect.as_ref().map(|dialect| format!("dialect: {dialect}")));
        if !options.is_empty() {
            text += &fenced_block("world", &options.join("\n"));
        }
        text += &self.blocks.concat();
        if !omissions.is_empty() {
            let lines: Vec<String> = omissions.iter().map(|omission| format!("- {omission}\n")).collect();
            text += &format!("\n## What this leaves out\n\n{}", lines.concat());
        }
        RecordedScenario { text, request_count: self.request_count, event_count: self.event_count, omissions }
    }
}

/// The block of a fault that drops the reply to a request, if the server sent none; otherwise empty. The fault drops
/// the reply after the request was processed, because most replies are lost then.
fn lost_reply_fault(exchange: &Exchange) -> String {
    if exchange.status > 0 {
        return String::new();
    }
    // The next request with this method is the one in the following block.
    let fault = json!({"match": {"method": exchange.method}, "times": 1, "effect": {"drop": "after"}});
    fenced_block("control", &format!("fault {fault}"))
}

/// Why a request can't be part of a scenario, as far as that follows from its credentials, its reply and the queue of a
/// poll. None if none of these prevents it.
fn omission_reason(exchange: &Exchange) -> Option<&'static str> {
    match exchange.status {
        _ if exchange.uses_other_authentication => Some("it acts in a session, by a cookie or a token"),
        429 => Some("the server limited it"),
        500.. => Some("the server failed"),
        0 if exchange.api_path() == Some("/events") => Some("no reply came to this poll"),
        _ if exchange.method == "GET"
            && exchange.api_path() == Some("/events")
            && exchange.parameter("queue_id").is_none() =>
        {
            Some("it names no queue")
        }
        _ => None,
    }
}

/// A path with `N` instead of numbers, shortened to 100 characters.
fn path_without_ids(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.parse::<i64>().is_ok() { "N" } else { part });
    parts.collect::<Vec<_>>().join("/").chars().take(100).collect()
}
