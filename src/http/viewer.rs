//! The events that one user's client receives, for watchers. There is no queue, so that watching changes nothing.

use super::url_prefix::prefix_relative_urls;
use crate::api::parameter::RawParameters;
use crate::api::{OPERATIONS, OperationRow, register};
use crate::error::Error;
use crate::level::{Emulation, emulation};
use crate::realm::Realm;
use crate::realm::event::Entry;
use crate::realm::queue::{Cursor, Queue, QueueId};
use crate::realm::user::User;
use crate::record::event::render_events;
use crate::time::{Span, Timestamp};
use crate::world::{World, WorldSettings};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A user, with the options of their client.
pub struct Viewer {
    /// A queue that the world does not have.
    queue: Queue,
    /// `/w/NAME`, or "" for the world `default`.
    prefix: String,
}

impl Viewer {
    /// Reads the options of the user's client as `POST /register` does, without adding a queue to the world. `values`
    /// are the parameters of the operation, as text; `prefix` is put before URLs in events.
    ///
    /// # Errors
    ///
    /// Those of the operation.
    pub fn new(world: &World, user: &User, values: BTreeMap<String, String>, prefix: String) -> Result<Self, Error> {
        let realm = world.snapshot();
        let mut raw = RawParameters { values: Arc::new(values), ..RawParameters::default() };
        let emulation = emulation(world.settings().feature_level);
        if let Some(emulation) = emulation {
            emulation.upgrade_request(operation("POST", "/register"), &realm, Some(user), &mut raw)?;
        }
        let level = emulation.map(Emulation::queue_level).unwrap_or_default();
        let options = register::options_of_user(&realm, user, &raw, level)?;
        let queue = Queue {
            id: QueueId::from(""),
            owner: user.id,
            options: Arc::new(options),
            acknowledged_event: -1,
            cursor: Cursor::default(),
            idle_timeout: Span::from_seconds(0),
            idle_since: Timestamp::default(),
            parked_since: None,
            has_heartbeat: false,
            poll_count: 0,
        };
        Ok(Self { queue, prefix })
    }

    /// The queue with whose options the user's client reads events.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The events that the user's client receives for an entry of the log, as in replies to its polls but without IDs:
    /// at the world's level, in its dialect and with its prefix.
    pub fn events(&self, world: &World, entry: &Entry) -> Vec<Value> {
        let realm = world.snapshot();
        if !realm.is_active(self.queue.owner) {
            return Vec::new();
        }
        let settings = world.settings();
        let emulation = emulation(settings.feature_level);
        let mut queue = self.queue.clone();
        // The world may have been upgraded since the options were read.
        Arc::make_mut(&mut queue.options).level = emulation.map(Emulation::queue_level).unwrap_or_default();
        let parts = queue.parts(entry);
        let events = render_events(&realm, queue.reader(), entry, &parts);
        let events: Vec<Value> = events.filter_map(|event| serde_json::to_value(event).ok()).collect();
        match events.is_empty() {
            true => events,
            false => self.adapt(&realm, &settings, emulation, events),
        }
    }

    /// Adapts events as the reply to a poll is adapted.
    fn adapt(
        &self,
        realm: &Realm,
        settings: &WorldSettings,
        emulation: Option<&Emulation>,
        events: Vec<Value>,
    ) -> Vec<Value> {
        let mut reply = json!({"events": events});
        if let Some(emulation) = emulation {
            let caller = realm.user(self.queue.owner);
            let poll = operation("GET", "/events");
            emulation.downgrade_reply(poll, realm, caller.map(AsRef::as_ref), &RawParameters::default(), &mut reply);
        }
        prefix_relative_urls(&mut reply, &self.prefix);
        settings.dialect.translate(&mut reply);
        match reply["events"].take() {
            Value::Array(events) => events,
            _ => Vec::new(),
        }
    }
}

fn operation(method: &str, path: &str) -> &'static OperationRow {
    let row = OPERATIONS.iter().find(|row| (row.route.method, row.route.path) == (method, path));
    row.expect("an operation")
}
