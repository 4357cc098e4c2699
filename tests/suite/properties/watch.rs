//! Clients that watch: each registers first, folds what its queue brings, and compares with registering later.

use super::play::Play;
use chatdouble::realm::user::User;
use chatdouble::reducer::State;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Who watches: an owner, two members, a moderator whose address nobody sees, a guest and a bot.
pub const WATCHERS: [&str; 6] = ["olive", "mel", "max", "mona", "gus", "build-bot"];

/// What a client says that it understands.
const CAPABILITIES: [&str; 12] = [
    "notification_settings_null",
    "bulk_message_deletion",
    "user_avatar_url_field_optional",
    "stream_typing_notifications",
    "user_settings_object",
    "linkifier_url_template",
    "user_list_incomplete",
    "include_deactivated_groups",
    "archived_channels",
    "empty_topic_name",
    "simplified_presence_events",
    "individual_emoji_changes",
];

/// A client with its queue.
pub struct Watcher {
    user: Arc<User>,
    request: Map<String, Value>,
    queue: Value,
    last: i64,
    seen: Vec<String>,
    state: State,
    /// Its queue gets messages of a bot's channel alone, so that its state lacks others.
    is_narrowed: bool,
    /// Polls now and then, not only at the end.
    pub is_eager: bool,
}

impl Watcher {
    /// Registers a client that understands everything or nothing.
    pub fn new(play: &mut Play, handle: &str, understands: bool, is_eager: bool) -> Self {
        let user = play.realm().user_by_email(&format!("{handle}@chat.test")).expect("it is built in").clone();
        let capabilities: Map<String, Value> =
            CAPABILITIES.iter().map(|name| ((*name).to_owned(), understands.into())).collect();
        let request = json!({
            "client_capabilities": capabilities,
            "include_subscribers": understands.to_string(),
            "idle_queue_timeout": 604_800,
            "all_public_streams": false,
        });
        let Value::Object(request) = request else { unreachable!("an object was written") };
        let label = format!("{handle} {}", if understands { "modern" } else { "simple" });
        let reply = play.register(&user, &label, &request);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let last = reply.body["last_event_id"].as_i64().expect("users have queues");
        let queue = reply.body["queue_id"].clone();
        let state = State::from_register(reply.body);
        Self { user, request, queue, last, seen: Vec::new(), state, is_narrowed: false, is_eager }
    }

    fn name(&self) -> String {
        let understands = self.request["include_subscribers"] == "true";
        let kind = if understands { "a client that understands everything" } else { "a client without capabilities" };
        format!("{kind} of {}", self.user.full_name)
    }

    /// Folds what is there.
    pub fn poll(&mut self, play: &mut Play) -> Result<(), String> {
        let params = json!({"queue_id": self.queue, "last_event_id": self.last, "dont_block": true});
        let Value::Object(params) = params else { unreachable!("an object was written") };
        let reply = play.call(&self.user, "GET", "/events", &params);
        if reply.body["code"] == "UNAUTHORIZED" || reply.body["code"] == "USER_DEACTIVATED" {
            return Ok(());
        }
        if reply.body["code"] == "BAD_EVENT_QUEUE_ID" && play.bereft.contains(&self.user.email) {
            return self.start_over(play);
        }
        if reply.status != 200 {
            return Err(format!("{} can't poll: {}", self.name(), reply.body));
        }
        for event in reply.body["events"].as_array().into_iter().flatten() {
            self.last += 1;
            if event["id"] != self.last {
                return Err(format!("{} got {event} where event {} was due", self.name(), self.last));
            }
            let faults = if play.is_documented() { crate::documented::event_faults(event) } else { Vec::new() };
            if !faults.is_empty() {
                return Err(format!("{} got an event that is not documented:\n  {}", self.name(), faults.join("\n  ")));
            }
            if !self.state.apply(event) {
                return Err(format!("{} does not know {event}", self.name()));
            }
            self.seen.push(event.to_string());
        }
        Ok(())
    }

    /// What a client does whose queue is gone.
    fn start_over(&mut self, play: &mut Play) -> Result<(), String> {
        let reply = play.register_again(&self.user, &self.request);
        let queue = reply.body["queue_id"].clone();
        if queue.is_null() {
            return Err(format!("{} can't register again: {}", self.name(), reply.body));
        }
        (self.queue, self.last, self.state) = (queue, -1, State::from_register(reply.body));
        self.is_narrowed = play.realm().users[&self.user.id].bot_defaults().events_channel.is_some();
        Ok(())
    }

    /// Compares the folded state with what registering says now.
    pub fn compare(&mut self, play: &mut Play) -> Result<(), String> {
        self.poll(play)?;
        if self.is_narrowed || !play.realm().is_active(self.user.id) {
            return Ok(());
        }
        let later = play.register_again(&self.user, &self.request);
        let differences: Vec<String> =
            self.state.differences(&later.body).iter().map(|difference| format!("  {difference}")).collect();
        if differences.is_empty() {
            return Ok(());
        }
        let start = self.seen.len().saturating_sub(40);
        Err(format!(
            "{} differs:\n{}\nits last events:\n  {}",
            self.name(),
            differences.join("\n"),
            self.seen[start..].join("\n  ")
        ))
    }
}
