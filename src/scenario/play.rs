//! Plays the blocks of a scenario in a world, and compares replies and events with the expected ones.

use super::block::{Block, BlockKind, Caller, ControlCall, ExpectedBody, ExpectedReply, Request, RequestLine};
use super::block_text;
use super::client::{Failure, HttpReply, HttpRequest, authorization_header};
use super::comparison::Comparison;
use super::document::Document;
use super::edit::Edit;
use super::lost_refusal::describe_lost_refusal;
use super::mistake::line_of;
use super::mode::Mode;
use super::outcome::{Difference, Outcome};
use super::pattern::Pattern;
use super::reply_text::{failed_assertion_text, hint_text, printable_body};
use super::request_encoding::{encode_path_segment, encode_request};
use super::scope::{Queue, Scope};
use super::stage::{Stage, World};
use super::template::{Reference, UserField};
use super::world_names;
use serde_json::Value;
use std::time::Duration;

/// How long an expected event may take to come, in real time.
const EVENT_TIMEOUT: Duration = Duration::from_secs(10);

/// The end of a message that a queue is gone, in a scenario that moved the clock.
const EXPIRED_QUEUE_NOTE: &str = "; it expired, unless the scenario ended it: a jump of the clock lasts longer than the \
    queue's idle_queue_timeout (10 minutes by default); give the queue block a line `idle_queue_timeout: 604800`";

/// Why a block was not played to its end.
enum BlockError {
    /// The block can't be played on this server.
    Skip(String),
    /// The block failed in a way that no edit can fix.
    Fail(String),
    /// The actual reply or event differs from the expected one.
    Differ(String, Vec<Edit>),
}

impl From<String> for BlockError {
    fn from(message: String) -> Self {
        BlockError::Fail(message)
    }
}

impl From<Failure> for BlockError {
    fn from(failure: Failure) -> Self {
        BlockError::Fail(failure.reason().to_owned())
    }
}

/// Plays one scenario in one world.
pub struct Player<'a> {
    stage: &'a Stage,
    document: &'a Document,
    world: &'a World,
    scope: Scope,
    mode: Mode,
    /// Whether a control block has named the clock, and so may have moved it.
    may_have_moved_clock: bool,
}

impl<'a> Player<'a> {
    /// Prepares to play in a world.
    ///
    /// # Errors
    ///
    /// If the users, channels and groups of the world can't be read.
    pub async fn new(stage: &'a Stage, document: &'a Document, world: &'a World, mode: Mode) -> Result<Self, String> {
        let directory = stage.read_directory(world).await?;
        let unique_word = stage.unique_word(world);
        let scope = Scope { directory, unique_word, base_url: world.base_url.clone(), ..Scope::default() };
        Ok(Self { stage, document, world, scope, mode, may_have_moved_clock: false })
    }

    /// Plays the blocks in order. Stops at the first difference; if the file is being updated, only at the first that
    /// no edit removes.
    pub async fn play(&mut self, blocks: &[&Block]) -> Outcome {
        if self.world.control_url.is_some()
            && let Some((line, message)) = world_names::find_unknown_names(&self.scope, self.document, blocks)
        {
            return Outcome::Differs(vec![Difference { line, message, edits: Vec::new() }]);
        }
        let mut differences = Vec::new();
        for block in blocks {
            let (message, edits) = match self.play_block(block).await {
                Ok(()) => continue,
                Err(BlockError::Skip(reason)) => return Outcome::Skipped(reason),
                Err(BlockError::Fail(message)) => (message, Vec::new()),
                Err(BlockError::Differ(message, mut edits)) => {
                    edits.iter_mut().for_each(|edit| edit.text = self.scope.insert_url_placeholders(&edit.text));
                    (message, edits)
                }
            };
            let can_continue = self.mode != Mode::Check && !edits.is_empty();
            // A block that is inserted after this one counts as a difference of this one.
            let offset = edits.first().map(|edit| edit.range.start).filter(|offset| *offset != block.range.end);
            let offset = offset.unwrap_or(block.range.start);
            differences.push(Difference { line: line_of(&self.document.text, offset), message, edits });
            if !can_continue {
                break;
            }
        }
        if differences.is_empty() { Outcome::Passed } else { Outcome::Differs(differences) }
    }

    async fn play_block(&mut self, block: &Block) -> Result<(), BlockError> {
        self.load_referenced_values(block).await?;
        match &block.kind {
            BlockKind::World(_) => Ok(()),
            BlockKind::Request(request, reply) => self.play_request(request, reply.as_deref(), block.range.end).await,
            BlockKind::Control(calls, reply) => self.play_control(calls, reply.as_deref(), block.range.end).await,
            BlockKind::Event { label, pattern, is_exact } => self.play_event(label, pattern, *is_exact).await,
            BlockKind::NoEvent(label) => self.play_no_event(label, block.range.start).await,
        }
    }

    /// Loads what the block's references need from the server: the world's time, and its names if one is not known yet.
    /// Fails if a reference still has no value, or skips the scenario if a server without control lacks the name.
    async fn load_referenced_values(&mut self, block: &Block) -> Result<(), BlockError> {
        let templates = block.templates();
        let mut references: Vec<Reference> =
            templates.iter().flat_map(|template| template.references()).cloned().collect();
        if let BlockKind::Request(request, _) = &block.kind
            && let Caller::User { handle, .. } = &request.caller
        {
            references.push(Reference::User(handle.clone(), UserField::UserId));
        }
        if references.iter().any(|reference| matches!(reference, Reference::Now(_))) {
            self.scope.now = self.stage.read_time(self.world).await?;
        }
        let is_world_name = |reference: &Reference| {
            matches!(
                reference,
                Reference::User(..) | Reference::Channel(_) | Reference::Group(_) | Reference::Message(_)
            )
        };
        if references.iter().any(|reference| is_world_name(reference) && self.scope.value(reference).is_err()) {
            self.reload_directory().await?;
        }
        for reference in references {
            if let Err(reason) = self.scope.value(&reference) {
                let is_missing_on_server = self.world.control_url.is_none() && is_world_name(&reference);
                return Err(if is_missing_on_server {
                    let place = self.scope.directory.describe_missing_place(&reference);
                    BlockError::Skip(format!("{reason} {place}"))
                } else {
                    BlockError::Fail(reason)
                });
            }
        }
        Ok(())
    }

    /// Reads the names of the world again. Users whose email address has changed, and messages that were deleted or
    /// edited, keep their names.
    async fn reload_directory(&mut self) -> Result<(), BlockError> {
        let previous = std::mem::replace(&mut self.scope.directory, self.stage.read_directory(self.world).await?);
        self.scope.directory.keep_names(&previous);
        Ok(())
    }

    /// Sends a request and checks its reply. `insertion_offset` is the byte offset at which a `reply` block can be
    /// inserted.
    async fn play_request(
        &mut self,
        request: &Request,
        expected: Option<&ExpectedReply>,
        insertion_offset: usize,
    ) -> Result<(), BlockError> {
        let http_request = encode_request(&self.scope, request)?;
        let actual = self.stage.send(http_request).await;
        let description = format!("{} {}", request.method, self.scope.resolve_text(&request.path)?);
        if let Ok(actual) = &actual {
            self.keep_results(request, actual).await?;
        }
        let result = self.check_reply(&description, &actual, expected, Some(insertion_offset));
        if result.is_ok() && request.queue_label.is_some() && !actual.is_ok_and(|actual| actual.status == 200) {
            return Err(BlockError::Fail("no queue was registered".to_owned()));
        }
        result
    }

    /// Keeps what later blocks need after a success: a registered queue and, with control, new API keys and email
    /// addresses.
    async fn keep_results(&mut self, request: &Request, actual: &HttpReply) -> Result<(), BlockError> {
        if actual.status != 200 {
            return Ok(());
        }
        if let (Some(label), Caller::User { handle, .. }) = (&request.queue_label, &request.caller)
            && let Some(id) = actual.body["queue_id"].as_str()
        {
            let last_event_id = actual.body["last_event_id"].as_i64().unwrap_or(-1);
            let queue = Queue::new(handle.clone(), id.to_owned(), last_event_id);
            self.scope.queues.insert(label.clone(), queue);
        }
        let may_change_email =
            |line: &RequestLine| matches!(line, RequestLine::Parameter(name, _) if name.ends_with("email"));
        // Without control, the accounts give the keys and addresses.
        let regenerates_key = self.scope.resolve_text(&request.path)?.ends_with("/api_key/regenerate");
        if (regenerates_key || request.lines.iter().any(may_change_email)) && self.world.control_url.is_some() {
            self.reload_directory().await?;
        }
        Ok(())
    }

    async fn play_control(
        &mut self,
        calls: &[ControlCall],
        expected: Option<&ExpectedReply>,
        insertion_offset: usize,
    ) -> Result<(), BlockError> {
        let control_url = self.world.control_url.clone().unwrap_or_default();
        self.may_have_moved_clock |= calls.iter().any(|call| call.text.contains("clock"));
        for (index, call) in calls.iter().enumerate() {
            let url = format!("{control_url}{}", self.scope.resolve_text_with(&call.path, encode_path_segment)?);
            let body = call.body.as_ref().map(|body| self.scope.resolve_json(body)).transpose()?;
            let actual = self.stage.call_control(&call.method, &url, body.as_ref()).await;
            let is_last = index + 1 == calls.len();
            let insertion_offset = is_last.then_some(insertion_offset);
            self.check_reply(&call.text, &actual, expected.filter(|_| is_last), insertion_offset)?;
            // Any other call, such as a reset or a restored snapshot, may change keys.
            if call.method != "GET" && !["clock", "fault"].iter().any(|word| call.text.starts_with(word)) {
                self.reload_directory().await?;
            }
        }
        Ok(())
    }

    /// Compares a reply with the expected one and captures values. Without an expected reply, `insertion_offset` is the
    /// byte offset at which a `reply` block can be inserted. None if the block has a later call.
    fn check_reply(
        &mut self,
        description: &str,
        actual: &Result<HttpReply, Failure>,
        expected: Option<&ExpectedReply>,
        insertion_offset: Option<usize>,
    ) -> Result<(), BlockError> {
        let actual = match (actual, expected) {
            (Err(Failure::Broken(_)), Some(expected)) if expected.status.is_none() => return Ok(()),
            (Err(failure), _) => {
                return Err(BlockError::Fail(format!("{description} has no reply: {}", failure.reason())));
            }
            (Ok(actual), _) => actual,
        };
        if let Some(message) = failed_assertion_text(actual, expected, self.mode != Mode::Check) {
            return Err(BlockError::Fail(format!("{description}: {message}")));
        }
        let actual_text = || format!("{} {}{}", actual.status, printable_body(actual), hint_text(actual));
        let Some(expected) = expected else {
            let is_success = actual.status == 200;
            let edits = insertion_offset
                .map(|offset| Edit { range: offset..offset, text: block_text::reply_block(actual) })
                .into_iter()
                .collect();
            let message = || format!("{description} must succeed, but got {}", actual_text());
            return if is_success { Ok(()) } else { Err(BlockError::Differ(message(), edits)) };
        };
        let Some(status) = expected.status else {
            return Err(BlockError::Fail(format!("{description} must have no reply, but got {}", actual_text())));
        };
        let mut comparison = self.new_comparison(matches!(expected.body, ExpectedBody::Json { is_exact: true, .. }));
        if status != actual.status {
            // Without a written status, 200 is expected, and the edit inserts one with a space.
            let has_status = !expected.status_range.is_empty();
            let text = if has_status { actual.status.to_string() } else { format!(" {}", actual.status) };
            comparison.edits.push(Edit { range: expected.status_range.clone(), text });
        }
        for (name, expected_value) in &expected.headers {
            let header = actual.headers.get(name).and_then(|value| value.to_str().ok());
            if !header.is_some_and(|header| comparison.match_template(expected_value, &Value::from(header))) {
                let header_text = header.map_or_else(|| "is not there".to_owned(), |header| format!("is '{header}'"));
                return Err(BlockError::Fail(format!("the header {name} of the reply to {description} {header_text}")));
            }
        }
        match &expected.body {
            ExpectedBody::Any => {}
            ExpectedBody::Json { pattern, .. } => comparison.compare(pattern, &actual.body),
            ExpectedBody::Text(template, range) => {
                let text = String::from_utf8_lossy(&actual.bytes).trim().to_owned();
                if !comparison.match_text(template, &text) {
                    comparison.edits.push(Edit { range: range.clone(), text });
                }
            }
        }
        let mut message = format!("the reply to {description} differs");
        let is_not_json = matches!(expected.body, ExpectedBody::Json { .. }) && actual.body.is_null();
        if status != actual.status || is_not_json {
            message = format!("{message}: {}", actual_text());
        }
        self.finish_comparison(message, comparison.edits, comparison.captured, &comparison.notes)
    }

    fn new_comparison(&self, is_exact: bool) -> Comparison<'_> {
        let comparison = Comparison::new(&self.scope, &self.document.text, is_exact);
        if self.mode == Mode::Settle { comparison.with_placeholders() } else { comparison }
    }

    fn finish_comparison(
        &mut self,
        message: String,
        edits: Vec<Edit>,
        captured: Vec<(String, Value)>,
        notes: &[String],
    ) -> Result<(), BlockError> {
        self.scope.captured.extend(captured);
        if edits.is_empty() {
            return Ok(());
        }
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        Err(BlockError::Differ(format!("{message}{notes}"), edits))
    }

    async fn play_event(&mut self, label: &str, pattern: &Pattern, is_exact: bool) -> Result<(), BlockError> {
        // The type may be anywhere in the pattern, so its text is searched.
        let expects_heartbeat = self.document.text[pattern.range.clone()].contains("\"heartbeat\"");
        let result = tokio::time::timeout(EVENT_TIMEOUT, self.take_next_event(label, expects_heartbeat)).await;
        let Some(mut event) = result.unwrap_or(Ok(None))? else {
            let refusal = describe_lost_refusal(self.stage, self.world).await;
            return Err(BlockError::Fail(format!("no event came for {label}{refusal}")));
        };
        // The ID depends on previous events of the queue, so exact events omit it.
        if let Some(event) = event.as_object_mut().filter(|_| is_exact) {
            event.shift_remove("id");
        }
        let mut comparison = self.new_comparison(is_exact);
        comparison.compare(pattern, &event);
        let Comparison { edits, captured, notes, .. } = comparison;
        self.finish_comparison(format!("the next event for {label} differs"), edits, captured, &notes)
    }

    /// Consumes the next event of a queue; None if none came. Skips heartbeats, unless one is expected.
    async fn take_next_event(&mut self, label: &str, expects_heartbeat: bool) -> Result<Option<Value>, BlockError> {
        loop {
            self.fetch_events(label, true).await?;
            let queue = self.scope.queues.get_mut(label).ok_or_else(|| format!("'{label}' has no queue"))?;
            let Some(event) = queue.pending.pop_front() else { return Ok(None) };
            queue.last_consumed_id = event["id"].as_i64().unwrap_or(queue.last_consumed_id);
            if expects_heartbeat || event["type"] != "heartbeat" {
                return Ok(Some(event));
            }
        }
    }

    /// Checks that no events but heartbeats have come. `insertion_offset` is the byte offset at which `event` blocks
    /// for unexpected events can be inserted.
    async fn play_no_event(&mut self, label: &str, insertion_offset: usize) -> Result<(), BlockError> {
        self.fetch_events(label, false).await?;
        let pending = self.scope.queues.get_mut(label).map(|queue| std::mem::take(&mut queue.pending));
        let mut events = pending.unwrap_or_default();
        events.retain(|event| event["type"] != "heartbeat");
        let Some(first_event) = events.front() else { return Ok(()) };
        let message = format!("no event must have come for {label}, but did: {first_event}");
        let text = events.iter().map(|event| block_text::event_block(label, event)).collect();
        Err(BlockError::Differ(message, vec![Edit { range: insertion_offset..insertion_offset, text }]))
    }

    /// Fetches the new events of a queue. With `waits_for_event`, does nothing if an event is pending already, and on a
    /// server without control waits for one.
    async fn fetch_events(&mut self, label: &str, waits_for_event: bool) -> Result<(), BlockError> {
        let queue = self.scope.queues.get(label).ok_or_else(|| format!("'{label}' has no queue"))?;
        if waits_for_event && !queue.pending.is_empty() {
            return Ok(());
        }
        let user = self.scope.directory.user(&queue.handle);
        let user = user.ok_or_else(|| format!("there is no user '{}'", queue.handle))?;
        let last_event_id = queue.last_fetched_id.to_string();
        // With control, events are in the queue as soon as the request that emits them is answered.
        let dont_block = (self.world.control_url.is_some() || !waits_for_event).then_some(("dont_block", "true"));
        let parameters =
            [("queue_id", queue.id.as_str()), ("last_event_id", &last_event_id)].into_iter().chain(dont_block);
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
        let actual = self
            .stage
            .send(HttpRequest {
                method: "GET".to_owned(),
                url: format!("{}/api/v1/events?{}", self.world.base_url, query),
                headers: vec![authorization_header(&user.email, &user.api_key)],
                body: Vec::new(),
            })
            .await?;
        let Some(events) = actual.body["events"].as_array() else {
            let is_expired = self.may_have_moved_clock && actual.body["code"] == "BAD_EVENT_QUEUE_ID";
            return Err(BlockError::Fail(format!(
                "the queue of {label} can't be read: {} {}{}",
                actual.status,
                printable_body(&actual),
                if is_expired { EXPIRED_QUEUE_NOTE } else { "" }
            )));
        };
        let queue = self.scope.queues.get_mut(label).ok_or_else(|| format!("'{label}' has no queue"))?;
        for event in events {
            queue.last_fetched_id = queue.last_fetched_id.max(event["id"].as_i64().unwrap_or(-1));
            queue.pending.push_back(event.clone());
        }
        Ok(())
    }
}
