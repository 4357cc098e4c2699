//! The whole scenario: steps in order, the events that came between them, and what is left out.

use super::batch::{Batch, batches};
use super::exchange::{Exchange, Session};
use super::kinds::singular;
use super::names::{Names, caller};
use super::pattern;
use super::request::{self, StandIns};
use super::secrets::Secrets;
use super::text::{block, finished_json, placeholder};
use crate::scenario::json_text::rendered;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Events that come later than this after the last request, in seconds, follow from time: the clock is moved before them.
const BY_TIME: f64 = 3.0;

/// A scenario that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The file's text.
    pub text: String,
    /// Requests in it.
    pub requests: usize,
    /// Events in it.
    pub events: usize,
    /// What could not be expressed, in sentences.
    pub left_out: Vec<String>,
}

/// A step of the story, and when it was.
enum Step<'a> {
    Request(&'a Exchange),
    Events(Batch),
}

impl Step<'_> {
    fn at(&self) -> f64 {
        match self {
            Step::Request(exchange) => exchange.started,
            Step::Events(batch) => batch.at,
        }
    }
}

struct Story {
    names: Names,
    secrets: Secrets,
    stand_ins: StandIns,
    blocks: Vec<String>,
    /// Reasons by request, with their numbers.
    left_out: BTreeMap<String, usize>,
    /// When the first step was, the last request, and by how much the clock was moved; in seconds.
    began: f64,
    last: f64,
    moved: f64,
    requests: usize,
    events: usize,
}

/// The scenario of a session.
pub fn written(session: &Session) -> Written {
    let mut names = Names::of(session);
    for exchange in &session.exchanges {
        for (kind, id) in request::ids(exchange) {
            names.want(&kind, id);
        }
    }
    let polls = batches(&session.exchanges).into_iter().map(Step::Events);
    let requests = session.exchanges.iter().filter(|exchange| !exchange.is_poll()).map(Step::Request);
    let mut steps: Vec<Step> = requests.chain(polls).collect();
    steps.sort_by(|one, other| one.at().total_cmp(&other.at()));
    let began = steps.first().map(Step::at).unwrap_or_default();
    let mut story = Story {
        names,
        secrets: Secrets::of(&session.exchanges),
        stand_ins: StandIns::default(),
        blocks: Vec::new(),
        left_out: BTreeMap::new(),
        began,
        last: began,
        moved: 0.0,
        requests: 0,
        events: 0,
    };
    for step in &steps {
        match step {
            Step::Request(exchange) => story.request(exchange),
            Step::Events(batch) => story.batch(batch),
        }
    }
    story.finish(session)
}

impl Story {
    fn leave_out(&mut self, exchange: &Exchange, reason: &str) {
        let shown = format!("{} {}: {reason}", exchange.method, general(&exchange.path));
        *self.left_out.entry(shown).or_default() += 1;
    }

    fn request(&mut self, exchange: &Exchange) {
        if exchange.method == "OPTIONS" {
            return;
        }
        self.last = self.last.max(exchange.started);
        if let Some(reason) = obstacle(exchange) {
            return self.leave_out(exchange, reason);
        }
        let caller = match caller(exchange, &self.names) {
            Ok(caller) => caller,
            Err(reason) => return self.leave_out(exchange, reason),
        };
        let made = request::lines(exchange, &mut self.names, &mut self.stand_ins);
        let (path, lines) = match made {
            Ok(made) => made,
            Err(reason) => return self.leave_out(exchange, &reason),
        };
        let queue_id = exchange.reply["queue_id"].as_str();
        let registers = exchange.method == "POST" && exchange.operation() == Some("/register");
        let text = match (queue_id.filter(|_| registers && exchange.status == 200), &exchange.account) {
            (Some(queue_id), Some((email, _))) => {
                let label = self.names.add_queue(email, queue_id);
                block(&format!("queue {label}"), &lines)
            }
            _ => {
                let first = format!("{caller}: {} {path}", exchange.method);
                let body = if lines.is_empty() { first } else { format!("{first}\n{lines}") };
                lost_reply(exchange) + &block("request", &body) + &self.reply(exchange)
            }
        };
        self.add(exchange, text);
    }

    /// Adds a block, unless a secret is in it.
    fn add(&mut self, exchange: &Exchange, text: String) {
        if self.secrets.are_in(&text) {
            return self.leave_out(exchange, "a key or password would be in it");
        }
        self.requests += 1;
        self.blocks.push(text);
    }

    /// The block of the expected reply; empty if only success is expected.
    fn reply(&mut self, exchange: &Exchange) -> String {
        if exchange.status == 0 {
            return block("reply none", "");
        }
        let is_success = exchange.status == 200;
        let head = if is_success { "reply".to_owned() } else { format!("reply {}", exchange.status) };
        let Value::Object(reply) = &exchange.reply else {
            return if is_success { String::new() } else { block(&head, "") };
        };
        let mut said = reply.clone();
        if said.get("result").is_some_and(|result| result == "success" || result == "error") {
            said.shift_remove("result");
        }
        if is_success && said.get("msg").is_some_and(|msg| msg == "") {
            said.shift_remove("msg");
        }
        let around = kind_of_path(exchange.operation().unwrap_or_default());
        let mut expected = match pattern::of(&Value::Object(said), &around, &mut self.names) {
            Value::Object(expected) => expected,
            _ => Map::new(),
        };
        if exchange.operation() == Some("/user_uploads") && is_success {
            for key in ["url", "uri"] {
                if let Some(text) = reply.get(key).and_then(Value::as_str) {
                    let is_known = self.names.text(text).is_some();
                    let value = if is_known { placeholder("string") } else { self.names.capture_text("file", text) };
                    expected.insert(key.to_owned(), value.into());
                }
            }
        }
        match (expected.is_empty(), is_success) {
            (true, true) => String::new(),
            (true, false) => block(&head, ""),
            _ => block(&head, &finished_json(&rendered(&Value::Object(expected), 0))),
        }
    }

    fn batch(&mut self, batch: &Batch) {
        let Some(label) = self.names.queues.get(&batch.queue_id).cloned() else {
            let shown = "Events of queues that were registered before the recording".to_owned();
            *self.left_out.entry(shown).or_default() += batch.events.len();
            return;
        };
        let elapsed = batch.at - self.began;
        if batch.at - self.last > BY_TIME && elapsed - self.moved >= 1.0 {
            let seconds = (elapsed - self.moved).ceil();
            self.moved += seconds;
            self.last = batch.at;
            self.blocks.push(block("control", &format!("clock +{seconds}s")));
        }
        for event in &batch.events {
            let mut event = event.clone();
            if let Some(event) = event.as_object_mut() {
                event.shift_remove("id");
            }
            let around = singular(event["type"].as_str().unwrap_or_default());
            let expected = pattern::of(&event, &around, &mut self.names);
            let text = block(&format!("event {label}"), &finished_json(&rendered(&expected, 0)));
            if self.secrets.are_in(&text) {
                *self.left_out.entry("Events with a key in them".to_owned()).or_default() += 1;
                self.blocks.push(block(&format!("event {label}"), "{}"));
            } else {
                self.blocks.push(text);
            }
            self.events += 1;
        }
    }

    fn finish(self, session: &Session) -> Written {
        let mut left_out = session.lost.clone();
        for (what, count) in &self.left_out {
            let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
            left_out.push(self.secrets.without(&format!("{what}{times}")));
        }
        for (kind, id) in &self.names.numbers {
            left_out.push(format!(
                "The {} {id} is given by its number: nothing that passed names it",
                kind.replace('_', " ")
            ));
        }
        let mut text = format!(
            "# A recorded session\n\nRecorded by `chatdouble scenario record` from {}. It is played in {}.\n\n",
            self.secrets.without(&session.upstream),
            session
                .fixture
                .as_deref()
                .map_or_else(|| "the built-in organization".to_owned(), |name| format!("the fixture `{name}`"))
        );
        let mut options = Vec::new();
        options.extend(session.fixture.as_ref().map(|fixture| format!("fixture: {fixture}")));
        options.extend(session.feature_level.map(|level| format!("feature_level: {level}")));
        options.extend(session.dialect.as_ref().map(|dialect| format!("dialect: {dialect}")));
        if !options.is_empty() {
            text += &block("world", &options.join("\n"));
        }
        text += &self.blocks.concat();
        if !left_out.is_empty() {
            let lines: Vec<String> = left_out.iter().map(|one| format!("- {one}\n")).collect();
            text += &format!("\n## What this leaves out\n\n{}", lines.concat());
        }
        Written { text, requests: self.requests, events: self.events, left_out }
    }
}

/// The block with the fault that loses the reply of a request, as the server did; empty where a reply came. Whether the server
/// carried it out is not known: most replies are lost on their way back.
fn lost_reply(exchange: &Exchange) -> String {
    if exchange.status > 0 {
        return String::new();
    }
    // The next request of this method is the one that follows.
    let fault = json!({"match": {"method": exchange.method}, "times": 1, "effect": {"drop": "after"}});
    block("control", &format!("fault {fault}"))
}

/// Why a request can't be part of a scenario.
fn obstacle(exchange: &Exchange) -> Option<&'static str> {
    match exchange.status {
        _ if exchange.is_session => Some("it acts in a session, by a cookie or a token"),
        429 => Some("the server limited it"),
        500.. => Some("the server failed"),
        0 if exchange.operation() == Some("/events") => Some("no reply came to this poll"),
        _ if exchange.method == "GET"
            && exchange.operation() == Some("/events")
            && exchange.parameter("queue_id").is_none() =>
        {
            Some("it names no queue")
        }
        _ => None,
    }
}

/// The kind of what the operation of a path is about.
fn kind_of_path(path: &str) -> String {
    let mut words = path.split('/').filter(|part| !part.is_empty() && part.parse::<i64>().is_err());
    singular(words.rfind(|part| !["realm", "me", "create"].contains(part)).unwrap_or_default())
}

/// A path with `N` in place of numbers, as far as it is readable.
fn general(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.parse::<i64>().is_ok() { "N" } else { part });
    parts.collect::<Vec<_>>().join("/").chars().take(100).collect()
}
