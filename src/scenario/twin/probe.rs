//! Playing a probe: each of its requests to both servers, and the events that follow.

use super::likeness::{Difference, Likeness};
use super::side::{Side, curl};
use super::tidying::{self, Made, tidy};
use crate::scenario::asking::of_request;
use crate::scenario::block::{Block, Body, Caller, Kind, Request};
use crate::scenario::client::{Answer, Ask};
use crate::scenario::comparison::Comparison;
use crate::scenario::document::{Document, Scenario};
use crate::scenario::founding::Founding;
use crate::scenario::mistake::line_of;
use crate::scenario::recording::kinds::singular;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long events may be on their way, and how often they are looked for.
const PATIENCE: Duration = Duration::from_millis(1_500);
const PAUSE: Duration = Duration::from_millis(50);

/// A request that was sent to both.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it is in its file, from 1.
    pub line: usize,
    /// Who sent it.
    pub who: String,
    /// GET, POST, …
    pub method: String,
    /// Without `/api/v1`, as it was sent to the first.
    pub path: String,
    /// The parameters as the first got them.
    pub parameters: BTreeMap<String, String>,
    /// The commands that send it again.
    pub curl: [String; 2],
    /// The replies.
    pub replies: [(u16, Value); 2],
    /// What differs in replies and events.
    pub differences: Vec<Difference>,
}

/// How a probe went.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The requests that were sent.
    pub steps: Vec<Step>,
    /// Requests that were not, by method and path as written, and why.
    pub not_tried: Vec<(String, String)>,
    /// What could not be taken away.
    pub left: Vec<String>,
}

/// Two servers and what is known of their likeness.
struct Twins<'a> {
    sides: [&'a mut Side; 2],
    likeness: &'a mut Likeness,
    document: &'a Document,
    /// Queues by handle, for each server: id and last event.
    queues: [BTreeMap<String, (String, i64)>; 2],
    made: [Vec<Made>; 2],
    reads_only: bool,
}

/// Plays a probe on both servers. `unique` is a word that no other probe has.
pub async fn play(
    sides: [&mut Side; 2],
    likeness: &mut Likeness,
    document: &Document,
    scenario: &Scenario,
    unique: &str,
    reads_only: bool,
) -> Result<Played, String> {
    let blocks: Vec<&Block> = document.background.iter().chain(&scenario.blocks).collect();
    let founding = Founding::together(blocks.iter().filter_map(|block| block.world()));
    let mut played = Played::default();
    let [first, second] = sides;
    let level = first.level.min(second.level);
    if let Some(needed) = founding.from_level.filter(|needed| *needed > level) {
        played.skip(&blocks, &format!("needs feature level {needed}; one of the servers has {level}"));
        return Ok(played);
    }
    for side in [&mut *first, &mut *second] {
        side.scope.unique = unique.to_owned();
        side.scope.captured.clear();
        side.scope.queues.clear();
    }
    let (queues, made) = (Default::default(), Default::default());
    let mut twins = Twins { sides: [first, second], likeness, document, queues, made, reads_only };
    if !reads_only {
        twins.listen().await?;
    }
    for (at, block) in blocks.iter().enumerate() {
        let stop = match &block.kind {
            Kind::World(_) | Kind::Event(..) | Kind::NoEvent(_) => continue,
            Kind::Control(..) => Err("needs control of both servers".to_owned()),
            Kind::Request(request, reply) => {
                if reads_only && request.method != "GET" {
                    Err("changes something, and only reads are played".to_owned())
                } else {
                    let body = reply.as_ref().map(|reply| &reply.body);
                    twins.request(block, request, body, &mut played).await?
                }
            }
        };
        if let Err(reason) = stop {
            played.skip(&blocks[at..], &reason);
            break;
        }
    }
    twins.end(&mut played).await;
    Ok(played)
}

impl Played {
    fn skip(&mut self, blocks: &[&Block], reason: &str) {
        for block in blocks {
            if let Kind::Request(request, _) = &block.kind {
                let path: String = request.path.parts.iter().map(shown_part).collect();
                self.not_tried.push((format!("{} {path}", request.method), reason.to_owned()));
            }
        }
    }
}

fn shown_part(part: &crate::scenario::template::Part) -> String {
    match part {
        crate::scenario::template::Part::Literal(text) => text.clone(),
        _ => "1".to_owned(),
    }
}

impl Twins<'_> {
    /// Registers a queue for each account on both servers.
    async fn listen(&mut self) -> Result<(), String> {
        let capabilities = json!({"notification_settings_null": true, "bulk_message_deletion": true,
            "user_avatar_url_field_optional": false, "stream_typing_notifications": true, "user_settings_object": true,
            "include_deactivated_groups": true, "archived_channels": true, "empty_topic_name": true});
        let capabilities = capabilities.to_string();
        let form =
            [("fetch_event_types", "[]"), ("client_capabilities", &capabilities), ("all_public_streams", "false")];
        for (at, side) in self.sides.iter().enumerate() {
            for handle in side.handles() {
                let Some(person) = side.scope.directory.person(&handle) else { continue };
                let reply = side.call("POST", "/register", person, &form).await?;
                if let Some(id) = reply.body["queue_id"].as_str() {
                    self.likeness.replace(at, id, &format!("QUEUE of {handle}"));
                    let last = reply.body["last_event_id"].as_i64().unwrap_or(-1);
                    self.queues[at].insert(handle, (id.to_owned(), last));
                }
            }
        }
        Ok(())
    }

    /// Sends a request to both. The inner error is why the probe can't go on.
    async fn request(
        &mut self,
        block: &Block,
        request: &Request,
        expected: Option<&Body>,
        played: &mut Played,
    ) -> Result<Result<(), String>, String> {
        let asks = match self.asks(request).await? {
            Ok(asks) => asks,
            Err(reason) => return Ok(Err(reason)),
        };
        let (who, email) = match &request.caller {
            Caller::Anonymous => ("anonymous".to_owned(), [None, None]),
            Caller::User(handle, _) => {
                let email = |side: &Side| side.scope.directory.person(handle).map(|person| person.email.clone());
                (handle.clone(), [email(self.sides[0]), email(self.sides[1])])
            }
        };
        let path = sent_path(&asks[0].url, &self.sides[0].url);
        let answers = [self.sides[0].send(asks[0].clone()).await?, self.sides[1].send(asks[1].clone()).await?];
        self.remember(request, &path, &who, &answers);
        let around = kind_of(&path);
        let mut differences = Vec::new();
        if answers[0].status != answers[1].status {
            let status =
                |answer: &Answer| format!("{} {}", answer.status, answer.body["msg"].as_str().unwrap_or_default());
            let (first, second) = (status(&answers[0]), status(&answers[1]));
            differences.push(Difference { at: "status".to_owned(), first, second });
        } else {
            differences = self.likeness.differences("reply", &around, &body_of(&answers[0]), &body_of(&answers[1]));
        }
        let is_same = answers[0].status == answers[1].status;
        if request.method != "GET" && !self.reads_only {
            differences.extend(self.events(is_same).await?);
        }
        let missing = self.capture(expected, &answers);
        let [first, second] = answers;
        played.steps.push(Step {
            line: line_of(&self.document.text, block.range.start),
            who,
            method: request.method.clone(),
            path,
            parameters: parameters_of(&asks[0]),
            curl: [curl(&asks[0], email[0].as_deref()), curl(&asks[1], email[1].as_deref())],
            replies: [(first.status, first.body), (second.status, second.body)],
            differences,
        });
        if !is_same {
            return Ok(Err("an earlier request of the probe came to different ends".to_owned()));
        }
        Ok(missing.map_or(Ok(()), |name| Err(format!("an earlier reply does not have '{name}'"))))
    }

    /// The request as each server gets it; the inner error is what has no value.
    async fn asks(&mut self, request: &Request) -> Result<Result<[Ask; 2], String>, String> {
        let mut made = Vec::new();
        for side in &mut self.sides {
            let mut ask = of_request(&side.scope, request);
            if ask.is_err() {
                side.look().await?;
                ask = of_request(&side.scope, request);
            }
            match ask {
                Ok(ask) => made.push(ask),
                Err(reason) => return Ok(Err(format!("{reason} on {}", side.url))),
            }
        }
        let [first, second] = made.try_into().map_err(|_| "there are two servers".to_owned())?;
        Ok(Ok([first, second]))
    }

    /// Notes what has to be taken away.
    fn remember(&mut self, request: &Request, path: &str, who: &str, answers: &[Answer; 2]) {
        for (at, answer) in answers.iter().enumerate() {
            self.made[at].extend(tidying::made(&request.method, path, &answer.body, who));
            if let Some(id) = answer.body["queue_id"].as_str() {
                self.likeness.replace(at, id, "QUEUE");
                self.queues[at].insert(format!("{who} {}", self.queues[at].len()), (id.to_owned(), i64::MAX));
            }
        }
    }

    /// Keeps what the reply block captures; the name of what one of the replies does not have.
    fn capture(&mut self, expected: Option<&Body>, answers: &[Answer; 2]) -> Option<String> {
        let Some(Body::Json(pattern, _)) = expected else { return None };
        let names: Vec<String> =
            pattern.templates().iter().flat_map(|template| template.captures()).map(str::to_owned).collect();
        let mut missing = None;
        for (side, answer) in self.sides.iter_mut().zip(answers) {
            let mut comparison = Comparison::new(&side.scope, &self.document.text, false);
            comparison.compare(pattern, &answer.body);
            let captured = comparison.captured;
            side.scope.captured.extend(captured);
            missing = missing.or_else(|| names.iter().find(|name| !side.scope.captured.contains_key(*name)).cloned());
        }
        missing
    }

    /// What differs in the events that came. Where the replies were alike, late ones are waited for.
    async fn events(&mut self, is_awaited: bool) -> Result<Vec<Difference>, String> {
        let handles = self.sides[0].handles();
        let mut came: [BTreeMap<String, Vec<Value>>; 2] = Default::default();
        let mut waited = Duration::ZERO;
        loop {
            for (at, batches) in came.iter_mut().enumerate() {
                for handle in &handles {
                    let more = self.read(at, handle).await?;
                    batches.entry(handle.clone()).or_default().extend(more);
                }
            }
            let counts = |at: usize| -> Vec<usize> { handles.iter().map(|handle| came[at][handle].len()).collect() };
            if counts(0) == counts(1) || waited >= PATIENCE || !is_awaited {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            waited += PAUSE;
        }
        let mut found = Vec::new();
        for handle in &handles {
            found.extend(compared(self.likeness, handle, &came[0][handle], &came[1][handle]));
        }
        Ok(found)
    }

    async fn read(&mut self, at: usize, handle: &str) -> Result<Vec<Value>, String> {
        let Some((id, last)) = self.queues[at].get_mut(handle) else { return Ok(Vec::new()) };
        let Some(person) = self.sides[at].scope.directory.person(handle) else { return Ok(Vec::new()) };
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("queue_id", id)
            .append_pair("last_event_id", &last.to_string())
            .append_pair("dont_block", "true")
            .finish();
        let reply = self.sides[at].get(&format!("/events?{query}"), Some(person)).await?;
        let mut events = Vec::new();
        for event in reply.body["events"].as_array().into_iter().flatten() {
            *last = (*last).max(event["id"].as_i64().unwrap_or(-1));
            let mut event = event.clone();
            event.as_object_mut().map(|event| event.shift_remove("id"));
            if event["type"] != "heartbeat" {
                events.push(event);
            }
        }
        Ok(events)
    }

    /// Ends the queues, and takes away what was made.
    async fn end(&mut self, played: &mut Played) {
        for (at, side) in self.sides.iter().enumerate() {
            for (handle, (id, _)) in &self.queues[at] {
                let handle = handle.split(' ').next().unwrap_or_default();
                if let Some(person) = side.scope.directory.person(handle) {
                    let _ = side.call("DELETE", "/events", person, &[("queue_id", id)]).await;
                }
            }
            let mut made = self.made[at].clone();
            let word = &side.scope.unique;
            if !self.reads_only
                && let Some(person) = side.scope.directory.people.values().next()
                && let Ok(reply) = side.get("/streams", Some(person)).await
            {
                for channel in reply.body["streams"].as_array().into_iter().flatten() {
                    let is_own = channel["name"].as_str().is_some_and(|name| name.contains(word.as_str()));
                    if let Some(id) = channel["stream_id"].as_i64().filter(|_| is_own) {
                        made.push(tidying::channel(id, ""));
                    }
                }
            }
            played.left.extend(tidy(side, &made).await);
        }
    }
}

/// What differs in the events of one account.
fn compared(likeness: &mut Likeness, handle: &str, first: &[Value], second: &[Value]) -> Vec<Difference> {
    let name = |event: &Value| {
        let op = event["op"].as_str().map(|op| format!("/{op}")).unwrap_or_default();
        format!("{}{op}", event["type"].as_str().unwrap_or_default())
    };
    let mut found = Vec::new();
    let mut left: Vec<usize> = (0..second.len()).collect();
    let mut positions = Vec::new();
    for event in first {
        let at = format!("event {} of {handle}", name(event));
        let around = singular(event["type"].as_str().unwrap_or_default());
        let alike: Vec<usize> = left.iter().copied().filter(|at| name(&second[*at]) == name(event)).collect();
        let nearest = alike
            .into_iter()
            .min_by_key(|other| (likeness.clone().differences(&at, &around, event, &second[*other]).len(), *other));
        match nearest {
            Some(other) => {
                found.extend(likeness.differences(&at, &around, event, &second[other]));
                left.retain(|at| *at != other);
                positions.push(other);
            }
            None => found.push(Difference { at, first: short(event), second: "absent".to_owned() }),
        }
    }
    for other in left {
        let at = format!("event {} of {handle}", name(&second[other]));
        found.push(Difference { at, first: "absent".to_owned(), second: short(&second[other]) });
    }
    if !positions.is_sorted() {
        let order = |events: Vec<&Value>| events.into_iter().map(name).collect::<Vec<_>>().join(", ");
        let (first, second) = (order(first.iter().collect()), order(second.iter().collect()));
        found.push(Difference { at: format!("order of events of {handle}"), first, second });
    }
    found
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}

/// The body of a reply; of one that is no JSON only its type.
fn body_of(answer: &Answer) -> Value {
    if answer.body.is_null() && !answer.bytes.is_empty() {
        let kind = answer.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        return json!({ "content-type": kind.split(';').next() });
    }
    answer.body.clone()
}

/// The path below `/api/v1`, without its query.
fn sent_path(url: &str, base: &str) -> String {
    let path = url.strip_prefix(base).unwrap_or(url);
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    path.split('?').next().unwrap_or_default().to_owned()
}

fn kind_of(path: &str) -> String {
    let mut words = path.split('/').filter(|part| !part.is_empty() && part.parse::<i64>().is_err());
    singular(words.rfind(|part| !["realm", "me", "create"].contains(part)).unwrap_or_default())
}

fn parameters_of(ask: &Ask) -> BTreeMap<String, String> {
    let query = ask.url.split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default();
    let mut all: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    all.extend(form_urlencoded::parse(&ask.body).into_owned());
    all
}
