//! The event queues of the accounts on a server.

use super::compared_server::ComparedServer;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The queues of a probe on one server.
#[derive(Debug, Default)]
pub struct Queues {
    /// The queues of the accounts. Their events are read after each request that may change something.
    queues_by_handle: BTreeMap<String, Queue>,
    /// Handles and IDs of the queues that requests of the probe registered.
    registered_by_probe: Vec<(String, String)>,
}

#[derive(Debug)]
struct Queue {
    id: String,
    last_event_id: i64,
}

impl Queues {
    /// Registers a queue for each account. Returns handles and IDs, without accounts for which the server refuses it.
    ///
    /// # Errors
    ///
    /// If there is no reply.
    pub async fn register(&mut self, server: &ComparedServer) -> Result<Vec<(String, String)>, String> {
        // Events are compared in the forms that these capabilities ask for, and in the older forms where a capability
        // is not listed. `user_avatar_url_field_optional` is false, since servers would leave avatar URLs out.
        let capabilities = json!({"notification_settings_null": true, "bulk_message_deletion": true,
            "user_avatar_url_field_optional": false, "stream_typing_notifications": true, "user_settings_object": true,
            "include_deactivated_groups": true, "archived_channels": true, "empty_topic_name": true});
        let capabilities = capabilities.to_string();
        let form =
            [("fetch_event_types", "[]"), ("client_capabilities", &capabilities), ("all_public_streams", "false")];
        let mut ids = Vec::new();
        for handle in server.handles() {
            let Some(user) = server.scope.directory.user(&handle) else { continue };
            let reply = server.send_form("POST", "/register", user, &form).await?;
            if let Some(id) = reply.body["queue_id"].as_str() {
                let last_event_id = reply.body["last_event_id"].as_i64().unwrap_or(-1);
                ids.push((handle.clone(), id.to_owned()));
                self.queues_by_handle.insert(handle, Queue { id: id.to_owned(), last_event_id });
            }
        }
        Ok(ids)
    }

    /// Adds a queue that a request of the probe registered, so that it is deleted at the end.
    pub fn add_probe_queue(&mut self, handle: &str, id: &str) {
        self.registered_by_probe.push((handle.to_owned(), id.to_owned()));
    }

    /// The new events of an account since the last call, without their IDs and without heartbeats. There are none if
    /// the account has no queue.
    ///
    /// # Errors
    ///
    /// If there is no reply.
    pub async fn read_events(&mut self, server: &ComparedServer, handle: &str) -> Result<Vec<Value>, String> {
        let Some(queue) = self.queues_by_handle.get_mut(handle) else { return Ok(Vec::new()) };
        let Some(user) = server.scope.directory.user(handle) else { return Ok(Vec::new()) };
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("queue_id", &queue.id)
            .append_pair("last_event_id", &queue.last_event_id.to_string())
            .append_pair("dont_block", "true")
            .finish();
        let reply = server.get(&format!("/events?{query}"), Some(user)).await?;
        let mut events = Vec::new();
        for event in reply.body["events"].as_array().into_iter().flatten() {
            queue.last_event_id = queue.last_event_id.max(event["id"].as_i64().unwrap_or(-1));
            let mut event = event.clone();
            if let Some(object) = event.as_object_mut() {
                object.shift_remove("id");
            }
            if event["type"] != "heartbeat" {
                events.push(event);
            }
        }
        Ok(events)
    }

    /// Deletes the queues; stops at the first request without a reply. Queues that are not deleted will expire.
    pub async fn delete(&self, server: &ComparedServer) {
        let own_queues = self.queues_by_handle.iter().map(|(handle, queue)| (handle, &queue.id));
        let other_queues = self.registered_by_probe.iter().map(|(handle, id)| (handle, id));
        for (handle, id) in own_queues.chain(other_queues) {
            let Some(user) = server.scope.directory.user(handle) else { continue };
            if server.send_form("DELETE", "/events", user, &[("queue_id", id)]).await.is_err() {
                return;
            }
        }
    }
}
