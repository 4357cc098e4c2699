//! A request, the requests before it, and the accounts that its events reach.

use crate::support::{Queue, Reply, TestServer, User, assert_has};
use chatdouble::api::OPERATIONS;
use chatdouble::realm::Realm;
use chatdouble::realm::id::UserId;
use chatdouble::realm::permission::GroupSettingValue;
use chatdouble::realm::tx::Tx;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The accounts that listen: an owner, an administrator, a moderator, two members, a guest, a new member, one that has
/// never logged in, a bot with subscriptions and one without. Deactivated accounts and webhook bots can't.
const LISTENERS: [&str; 10] = ["olive", "adam", "mona", "mel", "max", "gus", "nora", "ivy", "build-bot", "out-bot"];

/// A PNG of 3 by 2 pixels, as far as its header goes.
pub const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x06\0\0\0\0\0\0\0";

type Params = fn(&TestServer) -> Value;

/// A request of somebody's.
struct Request {
    way: &'static str,
    by: &'static str,
    params: Params,
    /// Name, type and bytes of the file that it uploads.
    file: Option<(&'static str, &'static str, &'static [u8])>,
}

/// What the clients that listen can do.
#[derive(Clone, Copy)]
enum Clients {
    /// All that today's can, single emoji included.
    Todays,
    /// Nothing, and they don't ask for `user_topic`.
    Old,
}

enum Cause {
    Request(Request),
    /// So many seconds pass.
    Time(i64),
    /// Somebody from outside follows an invitation.
    Acceptance(&'static str),
}

/// A request, its events and their receivers.
pub struct Case {
    cause: Cause,
    before: Vec<Request>,
    arrangements: Vec<fn(&mut Tx)>,
    clients: Clients,
    /// Type, op and words that stand in the event; who gets it.
    sends: Vec<(&'static str, &'static str)>,
    shows: Vec<(&'static str, &'static str, Params)>,
}

impl Case {
    /// A request by somebody: method and path as the table has them. Parameters fill the path's braces.
    pub fn of(way: &'static str, by: &'static str, params: Params) -> Self {
        Self::caused_by(Cause::Request(Request { way, by, params, file: None }))
    }

    /// So many seconds pass.
    pub fn when_due(seconds: i64) -> Self {
        Self::caused_by(Cause::Time(seconds))
    }

    /// Somebody from outside follows the invitation with this key.
    pub fn when_accepted(key: &'static str) -> Self {
        Self::caused_by(Cause::Acceptance(key))
    }

    fn caused_by(cause: Cause) -> Self {
        let (before, sends, shows) = (Vec::new(), Vec::new(), Vec::new());
        Self { cause, before, arrangements: Vec::new(), clients: Clients::Todays, sends, shows }
    }

    /// The request uploads a file.
    pub fn uploading(mut self, name: &'static str, kind: &'static str, bytes: &'static [u8]) -> Self {
        let Cause::Request(request) = &mut self.cause else { panic!("only requests have files") };
        request.file = Some((name, kind, bytes));
        self
    }

    /// What was done before anybody listened.
    pub fn after(mut self, way: &'static str, by: &'static str, params: Params) -> Self {
        self.before.push(Request { way, by, params, file: None });
        self
    }

    /// What no request brings about, before anybody listened.
    pub fn arranged(mut self, change: fn(&mut Tx)) -> Self {
        self.arrangements.push(change);
        self
    }

    /// Guests know only users who share a channel or a conversation with them.
    pub fn with_limited_guests(self) -> Self {
        self.arranged(limit_guests)
    }

    /// The clients that listen declare no capabilities.
    pub fn with_old_clients(mut self) -> Self {
        self.clients = Clients::Old;
        self
    }

    /// An event, as `type op`, and who gets it: handles, `everyone`, `everyone but` some. Further words must stand in
    /// the event as keys or values, to tell events of one type apart; the first that fits counts.
    pub fn sends(mut self, event: &'static str, to: &'static str) -> Self {
        self.sends.push((event, to));
        self
    }

    /// The event's content as an account gets it.
    pub fn shows(mut self, to: &'static str, event: &'static str, expected: Params) -> Self {
        self.shows.push((to, event, expected));
        self
    }

    /// The operation and the types and ops of its events, as the table lists them.
    pub fn provokes(&self) -> Vec<(String, String)> {
        let Cause::Request(request) = &self.cause else { return Vec::new() };
        let row = |kind_and_op: &str| {
            let listed =
                OPERATIONS.iter().find(|row| format!("{} {}", row.route.method, row.route.path) == request.way);
            let listed = listed.unwrap_or_else(|| panic!("{} is no operation", request.way));
            let of_kind = kind_and_op.split(' ').next().unwrap_or_default();
            let has_op = listed.docs.events.iter().any(|kind| kind.text() == kind_and_op);
            if has_op { kind_and_op.to_owned() } else { of_kind.to_owned() }
        };
        let named = |event: &str| event.split(' ').take(2).collect::<Vec<_>>().join(" ");
        self.sends.iter().map(|(event, _)| (request.way.to_owned(), row(&named(event)))).collect()
    }

    /// Plays it; gives what was otherwise than it says.
    pub async fn play(&self, server: &TestServer) -> Vec<String> {
        for change in &self.arrangements {
            server.arrange(*change);
        }
        for request in &self.before {
            let _ = request.send(server).await.success();
        }
        let mut queues = BTreeMap::new();
        for handle in LISTENERS {
            let user = server.user(handle);
            if realm(server).is_active(UserId(user.id())) {
                queues.insert(handle, self.clients.listen(&user).await);
            }
        }
        self.provoke(server).await;
        self.examine(server, queues).await
    }

    async fn provoke(&self, server: &TestServer) {
        let (path, body) = match &self.cause {
            // Some replies say in words what was done, so that only the status is alike.
            Cause::Request(request) => return drop(request.send(server).await.with_status(200)),
            Cause::Time(seconds) => ("clock".to_owned(), json!({"advance_seconds": seconds})),
            Cause::Acceptance(key) => {
                (format!("invites/{key}/accept"), json!({"email": "wanda@example.com", "full_name": "Wanda"}))
            }
        };
        control(server, &path, body).await;
    }

    async fn examine(&self, server: &TestServer, mut queues: BTreeMap<&'static str, Queue>) -> Vec<String> {
        let mut faults = Vec::new();
        // For each event that should come: who got it.
        let mut got: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); self.sends.len()];
        for (handle, queue) in &mut queues {
            let mut shown: Vec<&(&str, &str, Params)> = self.shows.iter().filter(|(to, ..)| to == handle).collect();
            let mut earlier: Vec<Value> = Vec::new();
            for mut event in queue.all_if_active().await {
                event.as_object_mut().expect("events are objects").shift_remove("id");
                match self.sends.iter().position(|(expected, _)| fits(expected, &event)) {
                    Some(index) => drop(got[index].insert(handle)),
                    None => faults.push(format!("{handle} should not get {event}")),
                }
                if earlier.contains(&event) {
                    faults.push(format!("{handle} gets twice {event}"));
                }
                earlier.push(event.clone());
                shown.retain(|(_, expected, content)| {
                    let is_it = fits(expected, &event);
                    if is_it {
                        assert_has(&format!("{self}: what {handle} gets"), &event, &content(server));
                    }
                    !is_it
                });
            }
            faults.extend(shown.iter().map(|(_, event, _)| format!("{handle} should be shown {event}")));
        }
        for ((event, to), actual) in self.sends.iter().zip(got) {
            let expected = accounts(to);
            if expected != actual {
                let missed: Vec<_> = expected.difference(&actual).collect();
                let surplus: Vec<_> = actual.difference(&expected).collect();
                faults.push(format!("{event}: missed by {missed:?}, wrongly sent to {surplus:?}"));
            }
        }
        faults.into_iter().map(|fault| format!("{self}: {fault}")).collect()
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.cause {
            Cause::Request(request) => write!(f, "{} by {}", request.way, request.by),
            Cause::Time(seconds) => write!(f, "after {seconds} seconds"),
            Cause::Acceptance(key) => write!(f, "accepting {key}"),
        }
    }
}

impl Request {
    async fn send(&self, server: &TestServer) -> Reply {
        let user = server.user(self.by);
        let (method, path) = self.way.split_once(' ').expect("a method and a path");
        let mut params = (self.params)(server);
        let fields = params.as_object_mut().expect("parameters are an object");
        let mut path = format!("/api/v1{path}");
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            let name = path[start + 1..end].trim_start_matches('*').to_owned();
            let value = fields.shift_remove(&name).unwrap_or_else(|| panic!("{}: no {name} is given", self.way));
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            path.replace_range(start..=end, &utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string());
        }
        if let Some((name, kind, bytes)) = self.file {
            for (index, (name, value)) in fields.iter().enumerate() {
                path.push_str(&format!("{}{name}={value}", if index == 0 { '?' } else { '&' }));
            }
            return user.upload(&path, name, kind, bytes).await;
        }
        match method {
            "POST" => user.post(&path, params).await,
            "PATCH" => user.patch(&path, params).await,
            "PUT" => user.put(&path, params).await,
            _ => user.delete(&path, params).await,
        }
    }
}

impl Clients {
    async fn listen(self, user: &User) -> Queue {
        let todays = json!({
            "notification_settings_null": true, "bulk_message_deletion": true, "stream_typing_notifications": true,
            "linkifier_url_template": true, "include_deactivated_groups": true, "archived_channels": true,
            "empty_topic_name": true, "individual_emoji_changes": true, "simplified_presence_events": true,
        });
        let params = match self {
            Clients::Todays => {
                json!({"fetch_event_types": [], "client_capabilities": todays, "idle_queue_timeout": 604_800})
            }
            Clients::Old => json!({
                "fetch_event_types": [],
                "client_capabilities": {},
                "event_types": [
                    "delete_message", "muted_topics", "realm_emoji", "realm_linkifiers", "stream", "subscription",
                    "typing", "user_group",
                ],
            }),
        };
        user.register(params).await
    }
}

/// Whether an event is of the type and op, and has the further words as keys or values.
fn fits(expected: &str, event: &Value) -> bool {
    let mut words: Vec<&str> = expected.split(' ').collect();
    let kind = words.remove(0);
    if event["type"] != kind {
        return false;
    }
    if let Some(op) = event["op"].as_str() {
        if words.first() != Some(&op) {
            return false;
        }
        words.remove(0);
    }
    words.iter().all(|word| has_word(event, word))
}

fn has_word(value: &Value, word: &str) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| key == word || has_word(value, word)),
        Value::Array(items) => items.iter().any(|item| has_word(item, word)),
        Value::String(text) => text == word,
        Value::Number(number) => number.to_string() == word,
        _ => false,
    }
}

/// `everyone but gus out-bot`, `adam mel`, `nobody`
fn accounts(words: &str) -> BTreeSet<&'static str> {
    let named = |words: &str| -> BTreeSet<&'static str> {
        let known = |word| LISTENERS.into_iter().find(|handle| *handle == word);
        words.split(' ').map(|word| known(word).unwrap_or_else(|| panic!("{word} does not listen"))).collect()
    };
    let everyone = BTreeSet::from(LISTENERS);
    match words.strip_prefix("everyone but ") {
        Some(left_out) => everyone.difference(&named(left_out)).copied().collect(),
        None if words == "everyone" => everyone,
        None if words == "nobody" => BTreeSet::new(),
        None => named(words),
    }
}

fn limit_guests(tx: &mut Tx) {
    let members = GroupSettingValue::Group(tx.system_group(chatdouble::realm::group::SystemGroup::Members));
    let organization = Arc::make_mut(&mut tx.realm_mut().organization);
    organization.permissions.insert("can_access_all_users_group", members);
}

/// Steers the default world.
pub async fn control(server: &TestServer, path: &str, body: Value) {
    let path = format!("/control/worlds/default/{path}");
    let bytes = body.to_string().into_bytes();
    let reply = server.anonymous().send("POST", &path, &body, bytes, Some("application/json")).await;
    let _ = reply.success();
}

/// The realm as it is.
pub fn realm(server: &TestServer) -> Arc<Realm> {
    server.server().world("default").snapshot()
}

/// A user's number.
pub fn id(server: &TestServer, handle: &str) -> i64 {
    server.user(handle).id()
}

/// A group's number.
pub fn group(server: &TestServer, name: &str) -> i64 {
    realm(server).groups.values().find(|group| group.name == name).unwrap_or_else(|| panic!("no group {name}")).id.0
}

/// The newest message's number.
pub fn newest(server: &TestServer) -> i64 {
    realm(server).counters.message
}
