//! The event queues of the accounts on one server, and the comparison of what two servers' queues hold.

use super::likeness::{ABSENT, Difference, Likeness};
use super::side::Side;
use crate::scenario::recording::kinds::singular;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Queues on one server.
#[derive(Debug, Default)]
pub struct Queues {
    /// Those that are read after each request, by handle.
    read: BTreeMap<String, Queue>,
    /// Those that the probe registers, with the handle of their account.
    of_probe: Vec<(String, String)>,
}

#[derive(Debug)]
struct Queue {
    id: String,
    last_event_id: i64,
}

impl Queues {
    /// Registers a queue for each account; gives the ids by handle.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn register(&mut self, side: &Side) -> Result<Vec<(String, String)>, String> {
        let capabilities = json!({"notification_settings_null": true, "bulk_message_deletion": true,
            "user_avatar_url_field_optional": false, "stream_typing_notifications": true, "user_settings_object": true,
            "include_deactivated_groups": true, "archived_channels": true, "empty_topic_name": true});
        let capabilities = capabilities.to_string();
        let form =
            [("fetch_event_types", "[]"), ("client_capabilities", &capabilities), ("all_public_streams", "false")];
        let mut ids = Vec::new();
        for handle in side.handles() {
            let Some(person) = side.scope.directory.person(&handle) else { continue };
            let reply = side.call("POST", "/register", person, &form).await?;
            if let Some(id) = reply.body["queue_id"].as_str() {
                let last_event_id = reply.body["last_event_id"].as_i64().unwrap_or(-1);
                ids.push((handle.clone(), id.to_owned()));
                self.read.insert(handle, Queue { id: id.to_owned(), last_event_id });
            }
        }
        Ok(ids)
    }

    /// Adds a queue that the probe registered, so that it is deleted at the end.
    pub fn add_of_probe(&mut self, handle: &str, id: &str) {
        self.of_probe.push((handle.to_owned(), id.to_owned()));
    }

    /// The events that came for an account since the last call, without their ids and without heartbeats.
    ///
    /// # Errors
    ///
    /// Why there is no reply.
    pub async fn events(&mut self, side: &Side, handle: &str) -> Result<Vec<Value>, String> {
        let Some(queue) = self.read.get_mut(handle) else { return Ok(Vec::new()) };
        let Some(person) = side.scope.directory.person(handle) else { return Ok(Vec::new()) };
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("queue_id", &queue.id)
            .append_pair("last_event_id", &queue.last_event_id.to_string())
            .append_pair("dont_block", "true")
            .finish();
        let reply = side.get(&format!("/events?{query}"), Some(person)).await?;
        let mut events = Vec::new();
        for event in reply.body["events"].as_array().into_iter().flatten() {
            queue.last_event_id = queue.last_event_id.max(event["id"].as_i64().unwrap_or(-1));
            let mut event = event.clone();
            event.as_object_mut().map(|event| event.shift_remove("id"));
            if event["type"] != "heartbeat" {
                events.push(event);
            }
        }
        Ok(events)
    }

    /// Deletes all queues. One that can't be deleted expires by itself.
    pub async fn delete(&self, side: &Side) {
        let read = self.read.iter().map(|(handle, queue)| (handle, &queue.id));
        let of_probe = self.of_probe.iter().map(|(handle, id)| (handle, id));
        for (handle, id) in read.chain(of_probe) {
            let Some(person) = side.scope.directory.person(handle) else { continue };
            if side.call("DELETE", "/events", person, &[("queue_id", id)]).await.is_err() {
                return;
            }
        }
    }
}

/// The differences between the events of one account on the two servers.
pub fn compare(likeness: &mut Likeness, handle: &str, first: &[Value], second: &[Value]) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut unmatched: Vec<usize> = (0..second.len()).collect();
    let mut positions = Vec::new();
    for event in first {
        let at = format!("event {} of {handle}", kind(event));
        let around = singular(event["type"].as_str().unwrap_or_default());
        let candidates = unmatched.iter().copied().filter(|position| kind(&second[*position]) == kind(event));
        let nearest = candidates.min_by_key(|position| {
            (likeness.clone().differences(&at, &around, event, &second[*position]).len(), *position)
        });
        match nearest {
            Some(position) => {
                found.extend(likeness.differences(&at, &around, event, &second[position]));
                unmatched.retain(|other| *other != position);
                positions.push(position);
            }
            None => found.push(Difference { at, first: excerpt(event), second: ABSENT.to_owned() }),
        }
    }
    for position in unmatched {
        let at = format!("event {} of {handle}", kind(&second[position]));
        found.push(Difference { at, first: ABSENT.to_owned(), second: excerpt(&second[position]) });
    }
    if !positions.is_sorted() {
        let order = |events: &[Value]| events.iter().map(kind).collect::<Vec<_>>().join(", ");
        found.push(Difference {
            at: format!("order of events of {handle}"),
            first: order(first),
            second: order(second),
        });
    }
    found
}

/// Type and operation of an event: `reaction/add`.
fn kind(event: &Value) -> String {
    let operation = event["op"].as_str().map(|operation| format!("/{operation}")).unwrap_or_default();
    format!("{}{operation}", event["type"].as_str().unwrap_or_default())
}

fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}
