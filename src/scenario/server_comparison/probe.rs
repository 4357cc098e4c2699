//! Plays a probe: sends each of its requests to both servers, and compares the replies and the resulting events.

mod end;

use super::cleanup::{self, CreatedObject};
use super::compared_server::ComparedServer;
use super::correspondence::{Correspondence, ServerDifference};
use super::curl::curl_command;
use super::event_comparison::compare_events;
use super::probe_result::{ProbeFailure, ProbeResult, SkipReason, Step};
use super::queues::Queues;
use super::received_reply::{json_body, status_and_message};
use super::sent_request::{parameters_of, path_without_base};
use crate::scenario::block::{Block, BlockKind, Caller, ExpectedBody, Request};
use crate::scenario::client::{HttpReply, HttpRequest};
use crate::scenario::comparison::Comparison;
use crate::scenario::document::{Document, Scenario};
use crate::scenario::mistake::line_of;
use crate::scenario::recording::kinds::kind_of_path;
use crate::scenario::recording::secrets::redact_tokens;
use crate::scenario::reply_text::hint_text;
use crate::scenario::request_encoding::encode_request;
use crate::scenario::world_names;
use crate::scenario::world_setup::WorldSetup;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Maximum wait for events from one server that the other server has already sent.
const MAX_EVENT_WAIT: Duration = Duration::from_millis(1_500);
/// The number of waits that may end while the servers have different numbers of events. Further waits are short, so
/// that servers whose events always differ do not make a comparison many times as long.
const MAX_FAILED_WAITS: usize = 10;
/// The wait after [`MAX_FAILED_WAITS`].
const SHORT_EVENT_WAIT: Duration = Duration::from_millis(100);
/// Pause between two reads of the events.
const READ_INTERVAL: Duration = Duration::from_millis(50);

/// Settings for playing a probe.
pub struct ProbeSettings<'a> {
    /// A word that is different in each probe.
    pub unique_word: &'a str,
    /// The value of `{{now}}`, in UNIX seconds.
    pub now: i64,
    /// Whether to send only requests that change nothing.
    pub is_read_only: bool,
    /// Says that the account of a handle is missing on the server with this URL; on both servers if the URL is None.
    pub describe_missing_account: &'a (dyn Fn(&str, Option<&str>) -> String + Sync),
    /// Set when the user interrupts the comparison. The probe then undoes its changes and compares no more.
    pub is_interrupted: &'a AtomicBool,
    /// How many waits of all probes of a comparison ended without the missing events.
    pub failed_wait_count: &'a AtomicUsize,
}

/// A probe in progress on two servers.
struct ProbeRun<'a> {
    servers: [&'a mut ComparedServer; 2],
    correspondence: &'a mut Correspondence,
    document: &'a Document,
    queues: [Queues; 2],
    created_objects: [Vec<CreatedObject>; 2],
    settings: &'a ProbeSettings<'a>,
    /// Whether a request may have changed something.
    may_have_changed: bool,
    /// Names of values that don't correspond, each with the request whose replies have different statuses.
    differing_requests_by_capture: BTreeMap<String, String>,
}

/// What became of a request of the probe.
enum StepOutcome {
    /// It was compared, and the probe continues.
    Compared,
    /// It was not sent for this reason, and the probe continues.
    Skipped(SkipReason),
    /// It was compared, but the probe ends for this reason.
    EndsAfter(SkipReason),
    /// It was not sent, and the probe ends for this reason.
    EndsBefore(SkipReason),
}

/// Plays a probe on both servers, then removes the objects that it created.
pub async fn play(
    servers: [&mut ComparedServer; 2],
    correspondence: &mut Correspondence,
    document: &Document,
    scenario: &Scenario,
    settings: &ProbeSettings<'_>,
) -> ProbeResult {
    let blocks: Vec<&Block> = document.background.iter().chain(&scenario.blocks).collect();
    let setup = WorldSetup::merge(blocks.iter().filter_map(|block| block.world_setup()));
    let mut result = ProbeResult::default();
    let [first, second] = servers;
    let feature_level = first.feature_level.min(second.feature_level);
    if let Some(required) = setup.from_level.filter(|required| *required > feature_level) {
        result.add_skipped(&blocks, &SkipReason::NewerLevel { required, actual: feature_level });
        return result;
    }
    for server in [&mut *first, &mut *second] {
        server.scope.unique_word = settings.unique_word.to_owned();
        server.scope.now = settings.now;
        server.scope.captured.clear();
        server.scope.queues.clear();
    }
    let (queues, created_objects) = (Default::default(), Default::default());
    let mut run = ProbeRun {
        servers: [first, second],
        correspondence,
        document,
        queues,
        created_objects,
        settings,
        may_have_changed: false,
        differing_requests_by_capture: BTreeMap::new(),
    };
    if let Err(reason) = run.play(&blocks, &mut result).await {
        result.failure.get_or_insert(ProbeFailure { reason, is_read: false });
    }
    run.clean_up(&mut result).await;
    result
}

impl ProbeRun<'_> {
    /// Sends the requests of the blocks, and compares replies and events. The error says why a server does not reply to
    /// a request around those of the probe.
    async fn play(&mut self, blocks: &[&Block], result: &mut ProbeResult) -> Result<(), String> {
        if !self.settings.is_read_only {
            self.register_queues().await?;
        }
        for (index, block) in blocks.iter().enumerate() {
            let outcome = match &block.kind {
                BlockKind::World(_) | BlockKind::Event { .. } | BlockKind::NoEvent(_) => continue,
                BlockKind::Control(..) => {
                    StepOutcome::EndsBefore(SkipReason::MissingRequirement("needs control of both servers".to_owned()))
                }
                BlockKind::Request(..) if self.settings.is_interrupted.load(Ordering::Relaxed) => {
                    StepOutcome::EndsBefore(SkipReason::Interrupted)
                }
                BlockKind::Request(request, _) if self.settings.is_read_only && request.method != "GET" => {
                    StepOutcome::EndsBefore(SkipReason::ChangesData)
                }
                BlockKind::Request(request, reply) => {
                    let expected = reply.as_ref().map(|reply| &reply.body);
                    self.play_request(block, request, expected, result).await.unwrap_or_else(|reason| {
                        let is_read = request.method == "GET";
                        result.failure = Some(ProbeFailure { reason: reason.clone(), is_read });
                        StepOutcome::EndsBefore(SkipReason::NoReply(reason))
                    })
                }
            };
            let (reason, remaining_blocks) = match outcome {
                StepOutcome::Compared => continue,
                StepOutcome::Skipped(reason) => {
                    result.add_skipped(&blocks[index..=index], &reason);
                    continue;
                }
                StepOutcome::EndsAfter(reason) => (reason, &blocks[index + 1..]),
                StepOutcome::EndsBefore(reason) => (reason, &blocks[index..]),
            };
            result.add_skipped(remaining_blocks, &reason);
            return if self.may_have_changed { self.undo_changes(remaining_blocks).await } else { Ok(()) };
        }
        Ok(())
    }

    async fn register_queues(&mut self) -> Result<(), String> {
        for (server_index, server) in self.servers.iter().enumerate() {
            for (handle, id) in self.queues[server_index].register(server).await? {
                self.correspondence.add_replacement(server_index, &id, &format!("QUEUE of {handle}"));
            }
        }
        Ok(())
    }

    /// Sends a request to both servers, and compares the replies and the resulting events.
    async fn play_request(
        &mut self,
        block: &Block,
        request: &Request,
        expected: Option<&ExpectedBody>,
        result: &mut ProbeResult,
    ) -> Result<StepOutcome, String> {
        let encoded = match self.encode(block, request).await? {
            Ok(encoded) => encoded,
            Err(reason @ SkipReason::EarlierDifference(_)) if request.method == "GET" => {
                return Ok(StepOutcome::Skipped(reason));
            }
            Err(reason) => {
                result.is_cut_short = true;
                return Ok(StepOutcome::EndsBefore(reason));
            }
        };
        let (caller, emails) = match &request.caller {
            Caller::Anonymous => ("anonymous".to_owned(), [None, None]),
            Caller::User { handle, .. } => {
                let email =
                    |server: &ComparedServer| server.scope.directory.user(handle).map(|user| user.email.clone());
                (handle.clone(), [email(self.servers[0]), email(self.servers[1])])
            }
        };
        self.may_have_changed |= request.method != "GET";
        let path = path_without_base(&encoded[0].url, &self.servers[0].url);
        let [first, second] = self.send_to_both(&encoded, &path, &caller, result).await?;
        let have_same_status = first.status == second.status;
        let mut differences = self.reply_differences(&path, &first, &second);
        if request.method != "GET" && !self.settings.is_read_only {
            differences.extend(self.event_differences(have_same_status).await?);
        }
        let shown_path = redact_tokens(&path).into_owned();
        let request_line = format!("{} {shown_path}", request.method);
        let missing_capture =
            self.capture_or_explain(0, expected, &first).or(self.capture_or_explain(1, expected, &second));
        for name in captured_names(expected) {
            match have_same_status {
                true => self.differing_requests_by_capture.remove(&name),
                false => self.differing_requests_by_capture.insert(name, request_line.clone()),
            };
        }
        result.is_cut_short |= missing_capture.is_some();
        result.steps.push(Step {
            line: line_of(&self.document.text, block.range.start),
            caller,
            method: request.method.clone(),
            path: shown_path,
            parameters: parameters_of(&encoded[0]),
            curl_commands: [
                curl_command(&encoded[0], emails[0].as_deref()),
                curl_command(&encoded[1], emails[1].as_deref()),
            ],
            replies: [(first.status, first.body), (second.status, second.body)],
            differences,
        });
        Ok(match missing_capture {
            // After a read with another status, both servers hold what they held.
            _ if !have_same_status && request.method == "GET" => StepOutcome::Compared,
            _ if !have_same_status => StepOutcome::EndsAfter(SkipReason::EarlierDifference(request_line)),
            Some(reason) => StepOutcome::EndsAfter(SkipReason::MissingRequirement(format!("{request_line}: {reason}"))),
            None => StepOutcome::Compared,
        })
    }

    /// Sends a request to both servers, and remembers what it creates, or may create if its reply is lost.
    async fn send_to_both(
        &mut self,
        encoded: &[HttpRequest; 2],
        path: &str,
        caller: &str,
        result: &mut ProbeResult,
    ) -> Result<[HttpReply; 2], String> {
        let mut replies = Vec::new();
        for (server_index, request) in encoded.iter().enumerate() {
            let (server_url, unique_word) = (self.servers[server_index].url.as_str(), self.settings.unique_word);
            let unidentified =
                |reason: &str| cleanup::unidentified_creation(&request.method, path, reason, server_url, unique_word);
            let reply = self.servers[server_index].send(request.clone()).await.inspect_err(|_| {
                let creation = unidentified("perhaps: the reply was lost");
                result.unremoved_objects.extend(creation);
            })?;
            if reply.status == 200 && cleanup::created_objects(&request.method, path, &reply.body, caller).is_empty() {
                result.unremoved_objects.extend(unidentified("the reply does not identify it"));
            }
            self.track_created(server_index, &request.method, path, caller, &reply);
            replies.push(reply);
        }
        replies.try_into().map_err(|_| "there are two servers".to_owned())
    }

    fn reply_differences(&mut self, path: &str, first: &HttpReply, second: &HttpReply) -> Vec<ServerDifference> {
        if first.status == second.status {
            return self.correspondence.compare("reply", &kind_of_path(path), &json_body(first), &json_body(second));
        }
        let [first, second] = [first, second].map(status_and_message);
        vec![ServerDifference { place: "status".to_owned(), first, second }]
    }

    /// The encoded request for each server. The inner error says what can't be encoded, such as a placeholder without
    /// a value; the outer one, why a server does not reply.
    async fn encode(
        &mut self,
        block: &Block,
        request: &Request,
    ) -> Result<Result<[HttpRequest; 2], SkipReason>, String> {
        let mut requests = Vec::new();
        // One of the servers may have the value, or both have that of an earlier reply.
        if let Some(earlier) =
            world_names::needed_captures(block).find_map(|name| self.differing_requests_by_capture.get(&name))
        {
            return Ok(Err(SkipReason::EarlierDifference(earlier.clone())));
        }
        for server in &mut self.servers {
            let mut encoded = encode_request(&server.scope, request);
            if encoded.is_err() {
                server.read_names().await?;
                encoded = encode_request(&server.scope, request);
            }
            match encoded {
                Ok(encoded) => requests.push(encoded),
                Err(reason) => {
                    let reason = format!("{reason} on {}", server.url);
                    return Ok(Err(SkipReason::MissingRequirement(
                        self.missing_account_reason(block).unwrap_or(reason),
                    )));
                }
            }
        }
        requests.try_into().map(Ok).map_err(|_| "there are two servers".to_owned())
    }

    /// Says which account the block needs that one of the servers or both lack.
    fn missing_account_reason(&self, block: &Block) -> Option<String> {
        let lacks = |server: &ComparedServer, handle: &str| server.scope.directory.user(handle).is_none();
        world_names::handles(block).find_map(|handle| {
            let url = match [lacks(self.servers[0], &handle), lacks(self.servers[1], &handle)] {
                [false, false] => return None,
                [true, true] => None,
                [first_lacks_it, _] => Some(self.servers[usize::from(!first_lacks_it)].url.as_str()),
            };
            Some((self.settings.describe_missing_account)(&handle, url))
        })
    }

    /// Remembers the objects that a request created on a server, and the queue that it registered, to remove them.
    fn track_created(&mut self, server_index: usize, method: &str, path: &str, caller: &str, reply: &HttpReply) {
        self.created_objects[server_index].extend(cleanup::created_objects(method, path, &reply.body, caller));
        if let Some(id) = reply.body["queue_id"].as_str() {
            self.correspondence.add_replacement(server_index, id, "QUEUE");
            self.queues[server_index].add_probe_queue(caller, id);
        }
    }

    /// Captures values of a reply. Returns why a value that later requests need is missing, with the refusal if the
    /// reply is one; None if all are there.
    fn capture_or_explain(
        &mut self,
        server_index: usize,
        expected: Option<&ExpectedBody>,
        reply: &HttpReply,
    ) -> Option<String> {
        let name = self.capture(server_index, expected, reply)?;
        Some(match reply.status {
            200 => format!("the reply has no value of the expected type for '{name}'"),
            _ => format!("{}{}", status_and_message(reply), hint_text(reply)),
        })
    }

    /// Captures values of a reply according to the reply block. Returns the first name without a value.
    fn capture(&mut self, server_index: usize, expected: Option<&ExpectedBody>, reply: &HttpReply) -> Option<String> {
        let Some(ExpectedBody::Json { pattern, .. }) = expected else { return None };
        let server = &mut self.servers[server_index];
        let mut comparison = Comparison::new(&server.scope, &self.document.text, false);
        comparison.compare(pattern, &reply.body);
        let new_values = comparison.captured;
        server.scope.captured.extend(new_values);
        captured_names(expected).into_iter().find(|name| !server.scope.captured.contains_key(name))
    }

    /// The differences between the new events of the two servers. With `waits_for_late_events`, late ones have time to
    /// arrive.
    async fn event_differences(&mut self, waits_for_late_events: bool) -> Result<Vec<ServerDifference>, String> {
        let handles = self.servers[0].handles();
        let mut all_events: [BTreeMap<String, Vec<Value>>; 2] = Default::default();
        let failed_wait_count = self.settings.failed_wait_count;
        let may_wait_long = failed_wait_count.load(Ordering::Relaxed) < MAX_FAILED_WAITS;
        let max_wait = if may_wait_long { MAX_EVENT_WAIT } else { SHORT_EVENT_WAIT };
        let mut waited = Duration::ZERO;
        loop {
            for (server_index, events) in all_events.iter_mut().enumerate() {
                for handle in &handles {
                    let new_events = self.queues[server_index].read_events(self.servers[server_index], handle).await?;
                    events.entry(handle.clone()).or_default().extend(new_events);
                }
            }
            let counts = |server_index: usize| -> Vec<usize> {
                handles.iter().map(|handle| all_events[server_index][handle].len()).collect()
            };
            if counts(0) == counts(1) || !waits_for_late_events {
                break;
            }
            if waited >= max_wait {
                failed_wait_count.fetch_add(1, Ordering::Relaxed);
                break;
            }
            tokio::time::sleep(READ_INTERVAL).await;
            waited += READ_INTERVAL;
        }
        let mut differences = Vec::new();
        for handle in &handles {
            let [first, second] = [&all_events[0][handle], &all_events[1][handle]];
            differences.extend(compare_events(self.correspondence, handle, first, second));
        }
        Ok(differences)
    }
}

/// The names of the values that an expected reply captures.
fn captured_names(expected: Option<&ExpectedBody>) -> Vec<String> {
    let Some(ExpectedBody::Json { pattern, .. }) = expected else { return Vec::new() };
    pattern.templates().iter().flat_map(|template| template.captured_names()).map(str::to_owned).collect()
}
