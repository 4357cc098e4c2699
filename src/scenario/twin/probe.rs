//! Playing a probe: each of its requests to both servers, and the events that follow.

use super::cleanup::{self, Creation};
use super::likeness::{Difference, Likeness};
use super::queues::{self, Queues};
use super::side::{Side, curl};
use crate::scenario::asking::of_request;
use crate::scenario::block::{Block, Body, Caller, Kind, Request};
use crate::scenario::client::{Answer, Ask};
use crate::scenario::comparison::Comparison;
use crate::scenario::document::{Document, Scenario};
use crate::scenario::founding::Founding;
use crate::scenario::mistake::line_of;
use crate::scenario::recording::kinds::singular;
use crate::scenario::template::Part;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long events of one server are waited for that the other server has sent, and the pause between two reads.
const EVENTS_WITHIN: Duration = Duration::from_millis(1_500);
const PAUSE: Duration = Duration::from_millis(50);

/// A request that was sent to both servers.
#[derive(Clone, Debug)]
pub struct Step {
    /// Line of its block in the file, from 1.
    pub line: usize,
    /// The handle of its account, or `anonymous`.
    pub who: String,
    /// GET, POST, …
    pub method: String,
    /// Without `/api/v1` and the query, as it was sent to the first server.
    pub path: String,
    /// The parameters as the first server received them.
    pub parameters: BTreeMap<String, String>,
    /// The command that repeats it, for each server.
    pub curl: [String; 2],
    /// Status and body of the replies.
    pub replies: [(u16, Value); 2],
    /// Differences between the replies and between the events that followed.
    pub differences: Vec<Difference>,
}

/// What came of a probe.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The requests that were compared.
    pub steps: Vec<Step>,
    /// Requests that were not compared, by method and path as written, and why.
    pub not_tried: Vec<(String, String)>,
    /// What the probe created and could not remove.
    pub left: Vec<String>,
    /// Why a server could not be asked any more.
    pub failure: Option<String>,
}

/// How a probe is played.
pub struct Conditions<'a> {
    /// A word that no other probe has.
    pub unique: &'a str,
    /// Whether only requests are sent that change nothing.
    pub reads_only: bool,
    /// Set when the user wants the comparison to end: the probe undoes its changes and compares no more.
    pub interrupted: &'a AtomicBool,
}

/// A probe that is played on two servers.
struct Twins<'a> {
    sides: [&'a mut Side; 2],
    likeness: &'a mut Likeness,
    document: &'a Document,
    queues: [Queues; 2],
    creations: [Vec<Creation>; 2],
    conditions: &'a Conditions<'a>,
    /// Whether a request was sent that may have changed something.
    has_changed: bool,
}

/// What came of one request of a probe.
enum Outcome {
    /// It was compared, and the probe goes on.
    Compared,
    /// It was compared, and the probe ends for this reason.
    Last(String),
    /// It was not sent, and the probe ends for this reason.
    NotSent(String),
}

/// Plays a probe on both servers, and removes what it created.
pub async fn play(
    sides: [&mut Side; 2],
    likeness: &mut Likeness,
    document: &Document,
    scenario: &Scenario,
    conditions: &Conditions<'_>,
) -> Played {
    let blocks: Vec<&Block> = document.background.iter().chain(&scenario.blocks).collect();
    let founding = Founding::together(blocks.iter().filter_map(|block| block.world()));
    let mut played = Played::default();
    let [first, second] = sides;
    let level = first.level.min(second.level);
    if let Some(needed) = founding.from_level.filter(|needed| *needed > level) {
        played.skip(&blocks, &format!("needs feature level {needed}; one of the servers has {level}"));
        return played;
    }
    for side in [&mut *first, &mut *second] {
        side.scope.unique = conditions.unique.to_owned();
        side.scope.captured.clear();
        side.scope.queues.clear();
    }
    let (queues, creations) = (Default::default(), Default::default());
    let mut twins =
        Twins { sides: [first, second], likeness, document, queues, creations, conditions, has_changed: false };
    played.failure = twins.play(&blocks, &mut played).await.err();
    twins.clean_up(&mut played).await;
    played
}

impl Played {
    fn skip(&mut self, blocks: &[&Block], reason: &str) {
        for block in blocks {
            if let Kind::Request(request, _) = &block.kind {
                let path: String = request.path.parts.iter().map(example).collect();
                self.not_tried.push((format!("{} {path}", request.method), reason.to_owned()));
            }
        }
    }
}

/// A part of a path with a number for a placeholder.
fn example(part: &Part) -> String {
    match part {
        Part::Literal(text) => text.clone(),
        _ => "1".to_owned(),
    }
}

impl Twins<'_> {
    /// Sends the requests of the blocks and compares. The error says why a server does not reply.
    async fn play(&mut self, blocks: &[&Block], played: &mut Played) -> Result<(), String> {
        if !self.conditions.reads_only {
            self.register_queues().await?;
        }
        for (at, block) in blocks.iter().enumerate() {
            let outcome = match &block.kind {
                Kind::World(_) | Kind::Event(..) | Kind::NoEvent(_) => continue,
                Kind::Control(..) => Outcome::NotSent("needs control of both servers".to_owned()),
                Kind::Request(..) if self.conditions.interrupted.load(Ordering::Relaxed) => {
                    Outcome::NotSent("interrupted".to_owned())
                }
                Kind::Request(request, _) if self.conditions.reads_only && request.method != "GET" => {
                    Outcome::NotSent("changes something, and only reads are played".to_owned())
                }
                Kind::Request(request, reply) => {
                    self.request(block, request, reply.as_ref().map(|reply| &reply.body), played).await?
                }
            };
            let (reason, rest) = match outcome {
                Outcome::Compared => continue,
                Outcome::Last(reason) => (reason, &blocks[at + 1..]),
                Outcome::NotSent(reason) => (reason, &blocks[at..]),
            };
            played.skip(rest, &reason);
            return if self.has_changed { self.undo(rest).await } else { Ok(()) };
        }
        Ok(())
    }

    /// Sends the requests that are left to each server on its own, so that the probe undoes what it changed: all that
    /// create nothing, and reads that later requests need.
    async fn undo(&mut self, rest: &[&Block]) -> Result<(), String> {
        for block in rest {
            let Kind::Request(request, reply) = &block.kind else { continue };
            let expected = reply.as_ref().map(|reply| &reply.body);
            if request.method == "GET" && names_in(expected).is_empty() {
                continue;
            }
            for at in 0..self.sides.len() {
                // A request that needs the reply to an earlier one can't be made.
                let Ok(ask) = of_request(&self.sides[at].scope, request) else { continue };
                let path = sent_path(&ask.url, &self.sides[at].url);
                if cleanup::creates(&request.method, &path) {
                    continue;
                }
                let answer = self.sides[at].send(ask).await?;
                self.capture(at, expected, &answer);
            }
        }
        Ok(())
    }

    async fn register_queues(&mut self) -> Result<(), String> {
        for (at, side) in self.sides.iter().enumerate() {
            for (handle, id) in self.queues[at].register(side).await? {
                self.likeness.replace(at, &id, &format!("QUEUE of {handle}"));
            }
        }
        Ok(())
    }

    /// Sends a request to both servers and compares.
    async fn request(
        &mut self,
        block: &Block,
        request: &Request,
        expected: Option<&Body>,
        played: &mut Played,
    ) -> Result<Outcome, String> {
        let asks = match self.asks(request).await? {
            Ok(asks) => asks,
            Err(reason) => return Ok(Outcome::NotSent(reason)),
        };
        let (who, email) = match &request.caller {
            Caller::Anonymous => ("anonymous".to_owned(), [None, None]),
            Caller::User(handle, _) => {
                let email = |side: &Side| side.scope.directory.person(handle).map(|person| person.email.clone());
                (handle.clone(), [email(self.sides[0]), email(self.sides[1])])
            }
        };
        self.has_changed |= request.method != "GET";
        let path = sent_path(&asks[0].url, &self.sides[0].url);
        let mut answers = Vec::new();
        for (at, ask) in asks.iter().enumerate() {
            let answer = self.sides[at].send(ask.clone()).await?;
            self.remember(at, &request.method, &path, &who, &answer);
            answers.push(answer);
        }
        let [first, second] = answers.try_into().map_err(|_| "there are two servers".to_owned())?;
        let is_same_status = first.status == second.status;
        let mut differences = if is_same_status {
            self.likeness.differences("reply", &kind_of(&path), &body_of(&first), &body_of(&second))
        } else {
            vec![Difference { at: "status".to_owned(), first: status_of(&first), second: status_of(&second) }]
        };
        if request.method != "GET" && !self.conditions.reads_only {
            differences.extend(self.events(is_same_status).await?);
        }
        let missing = self.capture(0, expected, &first).or(self.capture(1, expected, &second));
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
        Ok(match missing {
            _ if !is_same_status => Outcome::Last("the replies to an earlier request have another status".to_owned()),
            Some(name) => Outcome::Last(format!("an earlier reply does not have '{name}'")),
            None => Outcome::Compared,
        })
    }

    /// The request for each server; the inner error is what has no value.
    async fn asks(&mut self, request: &Request) -> Result<Result<[Ask; 2], String>, String> {
        let mut asks = Vec::new();
        for side in &mut self.sides {
            let mut ask = of_request(&side.scope, request);
            if ask.is_err() {
                side.read_names().await?;
                ask = of_request(&side.scope, request);
            }
            match ask {
                Ok(ask) => asks.push(ask),
                Err(reason) => return Ok(Err(format!("{reason} on {}", side.url))),
            }
        }
        let [first, second] = asks.try_into().map_err(|_| "there are two servers".to_owned())?;
        Ok(Ok([first, second]))
    }

    /// Notes what a request created on a server.
    fn remember(&mut self, at: usize, method: &str, path: &str, who: &str, answer: &Answer) {
        self.creations[at].extend(cleanup::creations(method, path, &answer.body, who));
        if let Some(id) = answer.body["queue_id"].as_str() {
            self.likeness.replace(at, id, "QUEUE");
            self.queues[at].add_of_probe(who, id);
        }
    }

    /// Gives names to values of a reply, as the reply block says; a name whose value the reply does not have.
    fn capture(&mut self, at: usize, expected: Option<&Body>, answer: &Answer) -> Option<String> {
        let Some(Body::Json(pattern, _)) = expected else { return None };
        let side = &mut self.sides[at];
        let mut comparison = Comparison::new(&side.scope, &self.document.text, false);
        comparison.compare(pattern, &answer.body);
        let captured = comparison.captured;
        side.scope.captured.extend(captured);
        names_in(expected).into_iter().find(|name| !side.scope.captured.contains_key(name))
    }

    /// Differences in the events that came. Where the replies have the same status, late ones are waited for.
    async fn events(&mut self, is_awaited: bool) -> Result<Vec<Difference>, String> {
        let handles = self.sides[0].handles();
        let mut came: [BTreeMap<String, Vec<Value>>; 2] = Default::default();
        let mut waited = Duration::ZERO;
        loop {
            for (at, events) in came.iter_mut().enumerate() {
                for handle in &handles {
                    let more = self.queues[at].events(self.sides[at], handle).await?;
                    events.entry(handle.clone()).or_default().extend(more);
                }
            }
            let counts = |at: usize| -> Vec<usize> { handles.iter().map(|handle| came[at][handle].len()).collect() };
            if counts(0) == counts(1) || waited >= EVENTS_WITHIN || !is_awaited {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            waited += PAUSE;
        }
        let mut found = Vec::new();
        for handle in &handles {
            found.extend(queues::compare(self.likeness, handle, &came[0][handle], &came[1][handle]));
        }
        Ok(found)
    }

    /// Deletes the queues and removes what was created.
    async fn clean_up(&mut self, played: &mut Played) {
        for (at, side) in self.sides.iter().enumerate() {
            self.queues[at].delete(side).await;
            if self.conditions.reads_only {
                continue;
            }
            let mut creations = self.creations[at].clone();
            creations.extend(self.channels_of_subscriptions(side).await);
            played.left.extend(cleanup::remove(side, &creations).await);
        }
    }

    /// Channels that the probe created by subscribing to them, known by its unique word.
    async fn channels_of_subscriptions(&self, side: &Side) -> Vec<Creation> {
        let Some(person) = side.scope.directory.people.values().next() else { return Vec::new() };
        let Ok(reply) = side.get("/streams", Some(person)).await else { return Vec::new() };
        let is_own =
            |channel: &&Value| channel["name"].as_str().is_some_and(|name| name.contains(self.conditions.unique));
        let channels = reply.body["streams"].as_array().into_iter().flatten().filter(is_own);
        channels.filter_map(|channel| channel["stream_id"].as_i64()).map(cleanup::channel).collect()
    }
}

/// The names that an expected reply gives to values.
fn names_in(expected: Option<&Body>) -> Vec<String> {
    let Some(Body::Json(pattern, _)) = expected else { return Vec::new() };
    pattern.templates().iter().flat_map(|template| template.captures()).map(str::to_owned).collect()
}

fn status_of(answer: &Answer) -> String {
    format!("{} {}", answer.status, answer.body["msg"].as_str().unwrap_or_default())
}

/// The body of a reply; only the type of one that is not JSON.
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
