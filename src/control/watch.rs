//! What a watcher may ask for, and the frames of the watch socket in JSON.

use super::clock::agenda_item_to_json;
use super::pushes::server_properties;
use super::query::Query;
use super::{refusal, unknown_word_error, users};
use crate::error::Error;
use crate::http::viewer::Viewer;
use crate::journal::Entry;
use crate::realm::Realm;
use crate::realm::event::{Entry as LogEntry, Part, Payload};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::queue::{Capabilities, QueueOptions, Reader};
use crate::record::event::render_events;
use crate::record::push::push_record;
use crate::world::{Restoration, WatchFrame, WatcherRegistration, World, Worlds};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The parameters of `POST /register` that decide which events a queue receives, and in which format.
const REGISTER_PARAMETERS: [&str; 7] = [
    "all_public_streams",
    "apply_markdown",
    "client_capabilities",
    "client_gravatar",
    "event_types",
    "narrow",
    "slim_presence",
];

/// What a watcher asked for.
pub struct WatchRequest {
    pub world: Arc<World>,
    /// The largest number of frames per second; None without a limit.
    pub max_per_second: Option<u64>,
    /// Whose events are sent; None for those of all users.
    viewer: Option<Viewer>,
    /// Makes the world create events for the watcher while the request exists.
    _registration: Option<WatcherRegistration>,
}

impl WatchRequest {
    /// Reads the query of a watcher.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for an unknown user; for `register` without `user`, or with something else than a JSON object;
    /// for an unknown parameter in it, or a value that the operation refuses.
    pub(super) fn new(world: Arc<World>, query: &Query) -> Result<Self, Error> {
        let register = query.text("register");
        let viewer = match query.text("user") {
            Some(user) => {
                let user = users::find_user(&world.snapshot(), user, "user")?;
                let viewer =
                    Viewer::new(&world, &user, parse_register_parameters(register)?, Worlds::prefix(world.name()));
                Some(viewer.map_err(|error| refusal(format!("register: {}", error.message())))?)
            }
            None if register.is_some() => return Err(refusal("register: needs user")),
            None => None,
        };
        let registration = viewer.as_ref().map(|viewer| world.register_watcher(viewer.queue().clone()));
        Ok(Self {
            world,
            _registration: registration,
            max_per_second: query.number("per_second").map(|max| max.max(1)),
            viewer,
        })
    }

    /// The frames for something that happened: one, or for a watcher of one user's events, one for each event that the
    /// user receives, perhaps none. URLs in frames begin with `base_url`.
    pub fn frames(&self, watch_frame: &WatchFrame, base_url: &str) -> Vec<Value> {
        match (&self.viewer, watch_frame) {
            (Some(viewer), WatchFrame::Event(position, entry)) => {
                let realm = self.world.snapshot();
                let events = viewer.events(&self.world, entry).into_iter();
                events.map(|event| event_frame(&realm, *position, entry, Some(event))).collect()
            }
            _ => vec![frame(&self.world, watch_frame, base_url)],
        }
    }
}

/// Parses the query parameter `register`: parameters of `POST /register`, each as text. `apply_markdown` is true unless
/// they say otherwise.
fn parse_register_parameters(register: Option<&str>) -> Result<BTreeMap<String, String>, Error> {
    let mut parameters = BTreeMap::from([("apply_markdown".to_owned(), "true".to_owned())]);
    let Some(text) = register else { return Ok(parameters) };
    let sent_parameters: Map<String, Value> = serde_json::from_str(text).map_err(|_| {
        refusal(
            r#"register: takes a JSON object of parameters of POST /register, such as {"event_types": ["message"]}"#,
        )
    })?;
    for (name, value) in sent_parameters {
        if !REGISTER_PARAMETERS.contains(&name.as_str()) {
            return Err(unknown_word_error("register", &REGISTER_PARAMETERS.join(", "), &name, &REGISTER_PARAMETERS));
        }
        parameters.insert(name, value.to_string());
    }
    Ok(parameters)
}

/// The frame for something that happened in a world. URLs in it begin with `base_url`.
fn frame(world: &World, watch_frame: &WatchFrame, base_url: &str) -> Value {
    match watch_frame {
        WatchFrame::Request(entry) => request_frame(entry),
        WatchFrame::Clock { from, to, due_items, restoration } => {
            let reported_items =
                due_items.iter().filter(|(_, due)| due.is_listed()).map(|(at, due)| agenda_item_to_json(*at, due));
            let mut frame = json!({
                "type": "clock",
                "at": to.fractional_seconds(),
                "from": from.fractional_seconds(),
                "now": to.fractional_seconds(),
                "fired": reported_items.collect::<Vec<_>>(),
            });
            if let Some(restoration) = restoration {
                frame["cause"] = cause_name(restoration).into();
            }
            if let Some(Restoration::Snapshot(name)) = restoration {
                frame["snapshot"] = name.clone().into();
            }
            frame
        }
        WatchFrame::Event(position, entry) => event_frame(&world.snapshot(), *position, entry, None),
        WatchFrame::Fault { at, fault_id, journal_id, effect } => json!({
            "type": "fault",
            "at": at.fractional_seconds(),
            "fault_id": fault_id,
            "journal_id": journal_id,
            "effect": effect,
        }),
        WatchFrame::NetworksOrRateLimits { at, kind, current } => {
            let mut frame = current.clone();
            frame["type"] = (*kind).into();
            frame["at"] = at.fractional_seconds().into();
            frame
        }
        WatchFrame::Push(push) => json!({
            "type": "push",
            "at": push.at.fractional_seconds(),
            "push": push_record(&world.snapshot(), push, server_properties(&world.settings(), base_url)),
        }),
        WatchFrame::Queue { at, queue_id, owner, change } => json!({
            "type": "queue",
            "at": at.fractional_seconds(),
            "queue_id": queue_id,
            "user": world.snapshot().user(*owner).map(|user| user.email.clone()),
            "change": change.name(),
        }),
    }
}

/// The name, in frames, of what set the world to another state.
fn cause_name(restoration: &Restoration) -> &'static str {
    match restoration {
        Restoration::Snapshot(_) => "restore",
        Restoration::Reset => "reset",
        Restoration::State => "state",
    }
}

/// The frame that reports how many frames were missed.
pub fn missed_count_frame(world: &World, count: u64) -> Value {
    json!({"type": "lost", "at": world.now().fractional_seconds(), "count": count})
}

fn request_frame(entry: &Entry) -> Value {
    let mut frame = serde_json::to_value(entry).unwrap_or_default();
    frame["type"] = "request".into();
    frame
}

/// The frame for an entry of the log. `event` is what the watched user's client receives; if it is None, because the
/// watcher watches all users, the event is rendered for the first user of its audience.
fn event_frame(realm: &Realm, position: u64, entry: &LogEntry, event: Option<Value>) -> Value {
    let users: Vec<UserId> = realm.active_users.iter().copied().filter(|user| entry.audience.contains(*user)).collect();
    let event = event.unwrap_or_else(|| render_event(realm, entry, users.first().copied()));
    let names = names_in_event(realm, &users, &event);
    json!({
        "type": "event",
        "id": position,
        "at": entry.at.fractional_seconds(),
        "queue_id": entry.queue,
        "users": users,
        "names": names,
        "event": event,
    })
}

/// The largest number of users of the audience whose handles a frame has.
const MAX_NAMED_USERS: usize = 50;

/// The handles, by user ID, of the users in the event and of the first users in its audience, and the name of the
/// event's channel.
fn names_in_event(realm: &Realm, audience: &[UserId], event: &Value) -> Value {
    let user_ids = ["user_id", "sender_id"].into_iter().filter_map(|key| event[key].as_i64().map(UserId));
    let user_ids = user_ids.chain(event["sender"]["user_id"].as_i64().map(UserId));
    let users = user_ids.chain(audience.iter().copied().take(MAX_NAMED_USERS)).filter_map(|id| {
        let user = realm.user(id)?;
        Some((id.0.to_string(), Value::from(user.email.split('@').next().unwrap_or_default())))
    });
    let channel = event["stream_id"].as_i64().or(event["message"]["stream_id"].as_i64()).map(ChannelId);
    let channel = channel.and_then(|id| realm.channels.get(&id));
    json!({
        "users": users.collect::<serde_json::Map<String, Value>>(),
        "channel": channel.map(|channel| channel.name.as_str()),
    })
}

/// Renders the event as a client with all capabilities receives it. `audience_user` is a user of the audience;
/// if it is None, the event is rendered for the first user of the world. A message without an audience, or an event
/// that such a client does not receive, has only its type and `op`.
fn render_event(realm: &Realm, entry: &LogEntry, audience_user: Option<UserId>) -> Value {
    let mut capabilities = Capabilities::default();
    for (_, is_enabled) in capabilities.by_name_mut() {
        *is_enabled = true;
    }
    let reader_id = audience_user.or_else(|| realm.users.keys().next().copied());
    let minimal_event = json!({"type": entry.event.kind.type_name(), "op": entry.event.kind.op()});
    let Some(reader_id) = reader_id else { return minimal_event };
    if matches!(entry.event.payload, Payload::Message(_)) && audience_user.is_none() {
        return minimal_event;
    }
    let options = QueueOptions { capabilities, ..QueueOptions::default() };
    let reader = Reader { user: reader_id, options: &options, queue: None };
    let event = render_events(realm, reader, entry, &[Part::Whole]).next();
    event.and_then(|event| serde_json::to_value(event).ok()).unwrap_or(minimal_event)
}
