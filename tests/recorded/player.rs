//! Plays a recording against the double.

use crate::compare::{Comparison, Difference};
use crate::events;
use crate::level::Level;
use crate::numbers::Numbers;
use crate::recording::{self, Exchange};
use crate::sender::{Queue, Sender};
use chatdouble::dialect::Dialect;
use chatdouble::{InitialClock, Options, Server};
use serde_json::{Value, json};
use std::time::Duration;

/// A recording with its outcomes.
pub struct Played {
    /// Its name.
    pub name: &'static str,
    /// One for each exchange.
    pub outcomes: Vec<Outcome>,
}

/// What one exchange came to.
pub struct Outcome {
    /// Its position in the recording.
    pub index: usize,
    /// What the recording was about.
    pub area: String,
    /// Who asked.
    pub role: String,
    /// `POST /messages`, with the path as recorded.
    pub request: String,
    /// The path as it was sent to the double.
    pub path: String,
    /// The parameters in short.
    pub params: String,
    /// How many queues were read afterwards.
    pub batches: usize,
    /// What is not as recorded.
    pub differences: Vec<Difference>,
}

/// Plays a recording on a server of its own.
pub fn play_blocking(level: &Level, name: &'static str) -> Played {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    runtime.block_on(play(level, name))
}

async fn play(level: &Level, name: &'static str) -> Played {
    let options = Options {
        fixture: level.organization.into(),
        clock: InitialClock::At(chatdouble::time::Timestamp::parse(level.start).expect("well-formed")),
        feature_level: level.number,
        dialect: Dialect::zulip(),
        ..Options::default()
    };
    let server = Server::start_with(options).await.unwrap_or_else(|error| panic!("the server does not start: {error}"));
    let mut sender = Sender::new(server.url().to_owned(), level.accounts);
    let mut numbers = Numbers::default();
    let mut queues: Vec<Queue> = Vec::new();
    let mut outcomes = Vec::new();
    for (index, exchange) in recording::read(level, name).iter().enumerate() {
        server.clock().advance(Duration::from_secs(exchange.advance_seconds)).await;
        for opened in &exchange.queues {
            for role in &opened.roles {
                queues.retain(|queue| queue.role != *role);
                queues.push(sender.register(role, &opened.params).await);
            }
        }
        outcomes.push(play_one(index, exchange, &mut sender, &mut queues, &mut numbers, server.url()).await);
    }
    let violations = server.violations();
    assert!(violations.is_empty(), "{name}: {violations:#?}");
    Played { name, outcomes }
}

async fn play_one(
    index: usize,
    exchange: &Exchange,
    sender: &mut Sender,
    queues: &mut [Queue],
    numbers: &mut Numbers,
    base_url: &str,
) -> Outcome {
    let sent_path = numbers.fill(&exchange.path);
    let (status, mut body) = sender.send(exchange, numbers).await;
    if exchange.slim && status == 200 {
        slim(&mut body);
    }
    let (real_status, real_body) = &exchange.real;
    if exchange.partial && status == 200 {
        leave_out(&mut body, &[real_body]);
    }
    for (name, path) in &exchange.bind {
        let found = at(&body, path);
        numbers.bind(name, found);
        numbers.pair(at(real_body, path), found);
        if path == "queue_id" {
            numbers.pair_queues(at(real_body, path), found);
        }
        if let Some(key) = found.as_str().filter(|_| path == "api_key") {
            sender.change_key(&exchange.role, key);
        }
    }
    if exchange.method == "POST" && *real_status == 200 && status == 200 {
        for path in ["id", "user_id", "group_id", "reminder_id", "scheduled_message_id", "ids.0", "ids.1", "ids.2"] {
            numbers.pair(at(real_body, path), at(&body, path));
        }
    }
    let mut comparison = Comparison::new(numbers, base_url);
    comparison.reply((*real_status, real_body), (status, &body));
    let mut differences = comparison.differences;
    for role in &exchange.looked {
        let queue = queues.iter_mut().find(|queue| queue.role == *role).expect("the queue was registered");
        let double = sender.events(queue).await;
        let real = exchange.events.get(role).map(Vec::as_slice).unwrap_or_default();
        differences.extend(events::compare(role, real, &double, numbers, base_url));
    }
    let params = Value::Object(exchange.params.clone()).to_string();
    let path = exchange.path.trim_start_matches("/api/v1");
    Outcome {
        index,
        area: exchange.area.clone(),
        role: exchange.role.clone(),
        request: format!("{} {path}", exchange.method),
        path: sent_path,
        params: params.chars().take(200).collect(),
        batches: exchange.looked.len(),
        differences,
    }
}

/// The value at a path such as `ids.0`; null where there is none.
fn at<'a>(body: &'a Value, path: &str) -> &'a Value {
    let pointer = format!("/{}", path.replace('.', "/"));
    body.pointer(&pointer).unwrap_or(&Value::Null)
}

/// Leaves out what none of the recorded values has at the same place.
fn leave_out(value: &mut Value, recorded: &[&Value]) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| recorded.iter().any(|other| other.get(key).is_some()));
            for (key, inner) in object {
                let others: Vec<&Value> = recorded.iter().filter_map(|other| other.get(key.as_str())).collect();
                leave_out(inner, &others);
            }
        }
        Value::Array(list) => {
            let others: Vec<&Value> = recorded.iter().filter_map(|other| other.as_array()).flatten().collect();
            if !others.is_empty() {
                list.iter_mut().for_each(|inner| leave_out(inner, &others));
            }
        }
        _ => {}
    }
}

/// Leaves of each message its number, flags and matches.
fn slim(body: &mut Value) {
    for message in body.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        let mut flags: Vec<Value> = message["flags"].as_array().cloned().unwrap_or_default();
        flags.sort_by_key(|flag| flag.as_str().map(str::to_owned));
        let mut kept = json!({"slim": 1, "id": message["id"], "flags": flags});
        for key in ["match_content", "match_subject"] {
            if let Some(value) = message.get(key) {
                kept[key] = value.clone();
            }
        }
        *message = kept;
    }
}
