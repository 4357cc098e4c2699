//! The end of a probe: its changes are undone, and what it created is removed.

use super::{ProbeRun, captured_names};
use crate::scenario::block::{Block, BlockKind};
use crate::scenario::request_encoding::encode_request;
use crate::scenario::server_comparison::cleanup::{self, CreatedObject};
use crate::scenario::server_comparison::compared_server::ComparedServer;
use crate::scenario::server_comparison::probe_result::ProbeResult;
use crate::scenario::server_comparison::sent_request::path_without_base;
use serde_json::Value;

impl ProbeRun<'_> {
    /// Sends the remaining requests that may undo changes of the probe: all except those that create objects, and
    /// except reads that capture nothing. Does not compare the replies. A server that does not reply to one of
    /// them gets no further ones.
    pub(super) async fn undo_changes(&mut self, remaining_blocks: &[&Block]) -> Result<(), String> {
        let mut failures: [Option<String>; 2] = Default::default();
        for block in remaining_blocks {
            let BlockKind::Request(request, reply) = &block.kind else { continue };
            let expected = reply.as_ref().map(|reply| &reply.body);
            if request.method == "GET" && captured_names(expected).is_empty() {
                continue;
            }
            for (server_index, failure) in failures.iter_mut().enumerate().filter(|(_, failure)| failure.is_none()) {
                // A request can't be encoded if it needs a value that no earlier reply had.
                let Ok(encoded) = encode_request(&self.servers[server_index].scope, request) else { continue };
                let path = path_without_base(&encoded.url, &self.servers[server_index].url);
                if cleanup::creates_objects(&request.method, &path) {
                    continue;
                }
                match self.servers[server_index].send(encoded).await {
                    Ok(reply) => _ = self.capture(server_index, expected, &reply),
                    Err(reason) => *failure = Some(reason),
                }
            }
        }
        failures.into_iter().flatten().next().map_or(Ok(()), Err)
    }

    /// Deletes the queues and removes the created objects.
    pub(super) async fn clean_up(&mut self, result: &mut ProbeResult) {
        for (server_index, server) in self.servers.iter().enumerate() {
            self.queues[server_index].delete(server).await;
            if self.settings.is_read_only {
                continue;
            }
            let mut created_objects = self.created_objects[server_index].clone();
            created_objects.extend(self.find_channels_from_subscriptions(server).await);
            result.unremoved_objects.extend(cleanup::remove_objects(server, &created_objects).await);
        }
    }

    /// The channels that the probe created by subscribing to them, found by its unique word.
    async fn find_channels_from_subscriptions(&self, server: &ComparedServer) -> Vec<CreatedObject> {
        let Some(user) = server.scope.directory.users.values().next() else { return Vec::new() };
        let Ok(reply) = server.get("/streams", Some(user)).await else { return Vec::new() };
        let is_from_probe =
            |channel: &&Value| channel["name"].as_str().is_some_and(|name| name.contains(self.settings.unique_word));
        let channels = reply.body["streams"].as_array().into_iter().flatten().filter(is_from_probe);
        channels
            .filter_map(|channel| channel["stream_id"].as_i64())
            .map(cleanup::channel_created_by_subscription)
            .collect()
    }
}
