//! Playing: block after block, until what comes back is not what must.

use super::asking::{encoded, of_request};
use super::block::{Block, Body, Caller, Command, Kind, Line, Reply, Request};
use super::client::{Answer, Ask, Failure};
use super::comparison::Comparison;
use super::document::Document;
use super::edit::{self, Edit};
use super::mistake::line_of;
use super::naming;
use super::outcome_text::{failed_assertion, hint_of, readable};
use super::pattern::Pattern;
use super::scope::{Queue, Scope};
use super::stage::{Stage, World, credentials};
use super::template::{Reference, UserField};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// How long an event is waited for where it may still be on its way.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is done at a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The scenario ends.
    Check,
    /// It goes on, as if what came had been expected.
    Update,
    /// As `Update`, after what came once was written: what is something else this time is written as a placeholder.
    Settle,
}

/// How a scenario went.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Everything came as it must.
    Played,
    /// It can't be played here, and why.
    Skipped(String),
    /// It did not: the first difference, or all of them.
    Differs(Vec<Difference>),
}

/// What came and should not, or the other way round.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where the block is in its file, from 1.
    pub line: usize,
    /// What happened.
    pub what: String,
    /// How the expectation would have to read; empty when no rewriting would do.
    pub edits: Vec<Edit>,
}

impl Difference {
    /// `FILE:LINE: what happened`, and a diff of the file where there is one.
    pub fn shown(&self, document: &Document) -> String {
        let head = format!("{}:{}: {}", document.name, self.line, self.what);
        if self.edits.is_empty() {
            return head;
        }
        format!("{head}\n{}", edit::shown(&document.name, &document.text, &self.edits).trim_end())
    }
}

/// Why a block is not played to its end.
enum Stop {
    /// It can't be played here.
    Skip(String),
    /// What happened instead.
    Fail(String),
    /// What came is not what is written.
    Differ(String, Vec<Edit>),
}

impl From<String> for Stop {
    fn from(what: String) -> Self {
        Stop::Fail(what)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Fail(failure.reason().to_owned())
    }
}

/// A scenario that is being played.
pub struct Player<'a> {
    stage: &'a Stage,
    document: &'a Document,
    world: &'a World,
    scope: Scope,
    mode: Mode,
}

impl<'a> Player<'a> {
    /// Somebody to play in a world.
    ///
    /// # Errors
    ///
    /// When the server does not say who and what there is.
    pub async fn new(stage: &'a Stage, document: &'a Document, world: &'a World, mode: Mode) -> Result<Self, String> {
        let directory = stage.directory(world).await?;
        let unique = stage.unique(world).await?;
        let scope = Scope { directory, unique, server: world.base_url.clone(), ..Scope::default() };
        Ok(Self { stage, document, world, scope, mode })
    }

    /// Plays the blocks in order.
    pub async fn play(&mut self, blocks: &[&Block]) -> Outcome {
        if self.world.control.is_some()
            && let Some((line, what)) = naming::unknown(&self.scope, self.document, blocks)
        {
            return Outcome::Differs(vec![Difference { line, what, edits: Vec::new() }]);
        }
        let mut differences = Vec::new();
        for block in blocks {
            let (what, edits) = match self.play_block(block).await {
                Ok(()) => continue,
                Err(Stop::Skip(reason)) => return Outcome::Skipped(reason),
                Err(Stop::Fail(what)) => (what, Vec::new()),
                Err(Stop::Differ(what, mut edits)) => {
                    edits.iter_mut().for_each(|edit| edit.text = self.scope.without_address(&edit.text));
                    (what, edits)
                }
            };
            let is_mended = self.mode != Mode::Check && !edits.is_empty();
            // A block that would have to follow this one is this one's difference.
            let at = edits.first().map(|edit| edit.range.start).filter(|at| *at != block.range.end);
            let at = at.unwrap_or(block.range.start);
            differences.push(Difference { line: line_of(&self.document.text, at), what, edits });
            if !is_mended {
                break;
            }
        }
        if differences.is_empty() { Outcome::Played } else { Outcome::Differs(differences) }
    }

    async fn play_block(&mut self, block: &Block) -> Result<(), Stop> {
        self.prepare(block).await?;
        match &block.kind {
            Kind::World(_) => Ok(()),
            Kind::Request(request, reply) => self.request(request, reply.as_deref(), block.range.end).await,
            Kind::Control(commands, reply) => self.control(commands, reply.as_deref(), block.range.end).await,
            Kind::Event(label, pattern, is_exact) => self.event(label, pattern, *is_exact).await,
            Kind::NoEvent(label) => self.no_event(label, block.range.start).await,
        }
    }

    /// Finds out what the block's placeholders stand for, as far as it must be asked for.
    async fn prepare(&mut self, block: &Block) -> Result<(), Stop> {
        let templates = block.templates();
        let mut wanted: Vec<Reference> =
            templates.iter().flat_map(|(template, _)| template.references()).cloned().collect();
        if let Kind::Request(request, _) = &block.kind
            && let Caller::User(handle, _) = &request.caller
        {
            wanted.push(Reference::User(handle.clone(), UserField::UserId));
        }
        if wanted.iter().any(|reference| matches!(reference, Reference::Now(_))) {
            self.scope.now = self.stage.now(self.world).await?;
        }
        let is_named = |reference: &Reference| {
            matches!(
                reference,
                Reference::User(..) | Reference::Channel(_) | Reference::Group(_) | Reference::Message(_)
            )
        };
        if wanted.iter().any(|reference| is_named(reference) && self.scope.value(reference).is_err()) {
            self.renew().await?;
        }
        for reference in wanted {
            if let Err(reason) = self.scope.value(&reference) {
                let is_elsewhere = self.world.control.is_none() && is_named(&reference);
                return Err(if is_elsewhere { Stop::Skip(format!("{reason} here")) } else { Stop::Fail(reason) });
            }
        }
        Ok(())
    }

    /// Looks again who and what there is. Who has another address by now goes by the name that was used before.
    async fn renew(&mut self) -> Result<(), Stop> {
        let before = std::mem::replace(&mut self.scope.directory, self.stage.directory(self.world).await?);
        self.scope.directory.keep_handles(&before);
        Ok(())
    }

    async fn request(&mut self, request: &Request, reply: Option<&Reply>, end: usize) -> Result<(), Stop> {
        let ask = of_request(&self.scope, request)?;
        let answer = self.stage.ask(ask).await;
        let shown = format!("{} {}", request.method, self.scope.text(&request.path)?);
        if let Ok(answer) = &answer {
            self.remember(request, answer).await?;
        }
        let checked = self.check(&shown, &answer, reply, Some(end));
        if checked.is_ok() && request.registers.is_some() && !answer.is_ok_and(|answer| answer.status == 200) {
            return Err(Stop::Fail("no queue was registered".to_owned()));
        }
        checked
    }

    /// Notes what later blocks rely on: a registered queue, keys that were made again.
    async fn remember(&mut self, request: &Request, answer: &Answer) -> Result<(), Stop> {
        if answer.status != 200 {
            return Ok(());
        }
        if let (Some(label), Caller::User(handle, _)) = (&request.registers, &request.caller)
            && let Some(id) = answer.body["queue_id"].as_str()
        {
            let last = answer.body["last_event_id"].as_i64().unwrap_or(-1);
            let (handle, id) = (handle.clone(), id.to_owned());
            let queue = Queue { handle, id, last_fetched: last, last_taken: last, waiting: VecDeque::new() };
            self.scope.queues.insert(label.clone(), queue);
        }
        let names_address = |line: &Line| matches!(line, Line::Parameter(name, _) if name.ends_with("email"));
        let is_of_keys = self.scope.text(&request.path)?.ends_with("/api_key/regenerate");
        if (is_of_keys || request.lines.iter().any(names_address)) && self.world.control.is_some() {
            self.renew().await?;
        }
        Ok(())
    }

    async fn control(&mut self, commands: &[Command], reply: Option<&Reply>, end: usize) -> Result<(), Stop> {
        let control = self.world.control.clone().unwrap_or_default();
        for (index, command) in commands.iter().enumerate() {
            let url = format!("{control}{}", self.scope.text_with(&command.path, encoded)?);
            let body = command.body.as_ref().map(|body| self.scope.json(body)).transpose()?;
            let answer = self.stage.control(&command.method, &url, body.as_ref()).await;
            let is_last = index + 1 == commands.len();
            self.check(&command.shown, &answer, reply.filter(|_| is_last), is_last.then_some(end))?;
            // Going back in time may bring older keys back.
            if command.method != "GET" && !["clock", "fault"].iter().any(|word| command.shown.starts_with(word)) {
                self.renew().await?;
            }
        }
        Ok(())
    }

    /// Compares what came with what must; keeps what is captured. Where no reply is written, one may be at `place`.
    fn check(
        &mut self,
        shown: &str,
        answer: &Result<Answer, Failure>,
        reply: Option<&Reply>,
        place: Option<usize>,
    ) -> Result<(), Stop> {
        let answer = match (answer, reply) {
            (Err(Failure::Broken(_)), Some(reply)) if reply.status.is_none() => return Ok(()),
            (Err(failure), _) => return Err(Stop::Fail(format!("{shown} has no reply: {}", failure.reason()))),
            (Ok(answer), _) => answer,
        };
        if let Some(what) = failed_assertion(answer, reply, self.mode != Mode::Check) {
            return Err(Stop::Fail(format!("{shown}: {what}")));
        }
        let came = || format!("{} {}{}", answer.status, readable(answer), hint_of(answer));
        let Some(reply) = reply else {
            let is_success = answer.status == 200;
            let edits = place.map(|at| Edit { range: at..at, text: edit::reply_block(answer) }).into_iter().collect();
            let what = || format!("{shown} must succeed, but got {}", came());
            return if is_success { Ok(()) } else { Err(Stop::Differ(what(), edits)) };
        };
        let Some(status) = reply.status else {
            return Err(Stop::Fail(format!("{shown} must have no reply, but got {}", came())));
        };
        let mut comparison = self.comparison(matches!(reply.body, Body::Json(_, true)));
        if status != answer.status {
            let is_written = !reply.status_range.is_empty();
            let text = if is_written { answer.status.to_string() } else { format!(" {}", answer.status) };
            comparison.edits.push(Edit { range: reply.status_range.clone(), text });
        }
        for (name, value) in &reply.headers {
            let actual = answer.headers.get(name).and_then(|value| value.to_str().ok());
            if !actual.is_some_and(|actual| comparison.fits(value, &Value::from(actual))) {
                let came = actual.map_or_else(|| "is not there".to_owned(), |actual| format!("is '{actual}'"));
                return Err(Stop::Fail(format!("the header {name} of the reply to {shown} {came}")));
            }
        }
        match &reply.body {
            Body::Free => {}
            Body::Json(pattern, _) => comparison.compare(pattern, &answer.body),
            Body::Text(template, range) => {
                let text = String::from_utf8_lossy(&answer.bytes).trim().to_owned();
                if !comparison.fits_text(template, &text) {
                    comparison.edits.push(Edit { range: range.clone(), text });
                }
            }
        }
        let mut what = format!("the reply to {shown} differs");
        let is_no_json = matches!(reply.body, Body::Json(..)) && answer.body.is_null();
        if status != answer.status || is_no_json {
            what = format!("{what}: {}", came());
        }
        self.settle(what, comparison.edits, comparison.captured, &comparison.notes)
    }

    fn comparison(&self, is_exact: bool) -> Comparison<'_> {
        let comparison = Comparison::new(&self.scope, &self.document.text, is_exact);
        if self.mode == Mode::Settle { comparison.writing_placeholders() } else { comparison }
    }

    fn settle(
        &mut self,
        what: String,
        edits: Vec<Edit>,
        captured: Vec<(String, Value)>,
        notes: &[String],
    ) -> Result<(), Stop> {
        self.scope.captured.extend(captured);
        if edits.is_empty() {
            return Ok(());
        }
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        Err(Stop::Differ(format!("{what}{notes}"), edits))
    }

    async fn event(&mut self, label: &str, pattern: &Pattern, is_exact: bool) -> Result<(), Stop> {
        let wants_heartbeat = self.document.text[pattern.range.clone()].contains("\"heartbeat\"");
        let taken = tokio::time::timeout(PATIENCE, self.take(label, wants_heartbeat)).await;
        let mut event = taken.unwrap_or_else(|_| Err(Stop::Fail(format!("no event came for {label}"))))?;
        // Ids count what the queue was sent, which is nothing that an exact event says.
        if let Some(event) = event.as_object_mut().filter(|_| is_exact) {
            event.shift_remove("id");
        }
        let mut comparison = self.comparison(is_exact);
        comparison.compare(pattern, &event);
        let Comparison { edits, captured, notes, .. } = comparison;
        self.settle(format!("the next event for {label} differs"), edits, captured, &notes)
    }

    /// The next event, out of the queue.
    async fn take(&mut self, label: &str, wants_heartbeat: bool) -> Result<Value, Stop> {
        loop {
            self.fetch(label, true).await?;
            let queue = self.scope.queues.get_mut(label).ok_or_else(|| format!("'{label}' has no queue"))?;
            let event = queue.waiting.pop_front().ok_or_else(|| format!("no event came for {label}"))?;
            queue.last_taken = event["id"].as_i64().unwrap_or(queue.last_taken);
            if wants_heartbeat || event["type"] != "heartbeat" {
                return Ok(event);
            }
        }
    }

    /// `at` is where the block is: events that came all the same can be written before it.
    async fn no_event(&mut self, label: &str, at: usize) -> Result<(), Stop> {
        self.fetch(label, false).await?;
        let waiting = self.scope.queues.get_mut(label).map(|queue| std::mem::take(&mut queue.waiting));
        let mut came = waiting.unwrap_or_default();
        came.retain(|event| event["type"] != "heartbeat");
        let Some(first) = came.front() else { return Ok(()) };
        let what = format!("no event must have come for {label}, but did: {first}");
        let text = came.iter().map(|event| edit::event_block(label, event)).collect();
        Err(Stop::Differ(what, vec![Edit { range: at..at, text }]))
    }

    /// Fetches what is in a queue. Where the clock is not ours something may still be on its way, and is waited for.
    async fn fetch(&mut self, label: &str, is_awaited: bool) -> Result<(), Stop> {
        let queue = self.scope.queues.get(label).ok_or_else(|| format!("'{label}' has no queue"))?;
        if is_awaited && !queue.waiting.is_empty() {
            return Ok(());
        }
        let person = self.scope.directory.person(&queue.handle);
        let person = person.ok_or_else(|| format!("there is no user '{}'", queue.handle))?;
        let last = queue.last_fetched.to_string();
        let at_once = (self.world.control.is_some() || !is_awaited).then_some(("dont_block", "true"));
        let named = [("queue_id", queue.id.as_str()), ("last_event_id", &last)].into_iter().chain(at_once);
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(named).finish();
        let answer = self
            .stage
            .ask(Ask {
                method: "GET".to_owned(),
                url: format!("{}/api/v1/events?{}", self.world.base_url, query),
                headers: vec![credentials(&person.email, &person.api_key)],
                body: Vec::new(),
            })
            .await?;
        let Some(events) = answer.body["events"].as_array() else {
            return Err(Stop::Fail(format!(
                "the queue of {label} can't be read: {} {}",
                answer.status,
                readable(&answer)
            )));
        };
        let queue = self.scope.queues.get_mut(label).ok_or_else(|| format!("'{label}' has no queue"))?;
        for event in events {
            queue.last_fetched = queue.last_fetched.max(event["id"].as_i64().unwrap_or(-1));
            queue.waiting.push_back(event.clone());
        }
        Ok(())
    }
}
