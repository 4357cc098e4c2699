//! A world of its own behind the edge, without sockets: requests in, replies out, all noted.

use super::draw::{Draw, Request, text};
use base64::Engine;
use bytes::Bytes;
use chatdouble::dialect::Dialect;
use chatdouble::http::request::Incoming;
use chatdouble::http::{Cors, Edge};
use chatdouble::realm::Realm;
use chatdouble::realm::user::User;
use chatdouble::time::{Clock, Span, Timestamp};
use chatdouble::world::{RealTime, World, WorldSettings, Worlds};
use chatdouble::{fixture, realm::invariants};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Real time is never asked for: the clock stands still but for jumps.
struct NoTime;

impl RealTime for NoTime {
    fn now(&self) -> Timestamp {
        Timestamp::parse(crate::support::START).expect("well-formed")
    }
}

/// What all chance of the world follows from.
const SEED: u64 = 7;

/// How far the clock jumps, in seconds; all of a sequence together stay below the longest life of a queue.
const JUMPS: &[i64] = &[1, 30, 61, 601, 3_700, 90_000, 90_000];
const MAX_JUMPED: i64 = 6 * 86_400;

/// A world that is played with.
pub struct Play {
    edge: Edge,
    world: Arc<World>,
    runtime: tokio::runtime::Runtime,
    jumped: i64,
    /// What was done, in blocks of a scenario.
    story: Vec<String>,
    /// All replies, in order.
    pub replies: Vec<u8>,
}

/// A reply.
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl Play {
    /// The built-in realm.
    pub fn new() -> Self {
        Self::at(chatdouble::api::NEWEST_FEATURE_LEVEL)
    }

    /// The built-in realm, at a feature level.
    pub fn at(feature_level: i64) -> Self {
        let now = NoTime.now();
        let text = fixture::builtin("default").expect("it is built in");
        let realm = fixture::read(text, now, SEED).expect("it has no faults");
        let settings = WorldSettings { feature_level, dialect: Arc::new(Dialect::neutral()) };
        let world = Arc::new(World::new(
            "default".into(),
            realm,
            Clock::Frozen { at: now },
            settings.clone(),
            Arc::new(NoTime),
        ));
        let worlds = Arc::new(Worlds::default());
        worlds.add(world.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime needs nothing");
        let edge = Edge::new(worlds, Cors::new("*".into()), settings);
        Self { edge, world, runtime, jumped: 0, story: Vec::new(), replies: Vec::new() }
    }

    /// From now on guests may know only those with whom they share something.
    pub fn limit_guests(&mut self) {
        let limited = self.world.commit(|tx| {
            let members = tx.system_group(chatdouble::realm::group::SystemGroup::Members);
            let organization = Arc::make_mut(&mut tx.realm_mut().organization);
            let value = chatdouble::realm::permission::GroupSettingValue::Group(members);
            organization.permissions.insert("can_access_all_users_group", value);
            Ok(())
        });
        limited.expect("arranging can't be refused");
    }

    /// The realm as it is.
    pub fn realm(&self) -> Arc<Realm> {
        self.world.snapshot()
    }

    /// One step: mostly a request, now and then a jump of the clock. What may not be is told in a sentence.
    pub fn step(&mut self, seed: u64) -> Result<(), String> {
        let before = self.realm();
        let mut draw = Draw::new(&before, seed);
        if draw.below(12) == 0 {
            let jump = JUMPS[draw.below(JUMPS.len() as u64) as usize];
            if self.jumped + jump <= MAX_JUMPED {
                self.jump(jump);
            }
        } else {
            let request = draw.request();
            let answer = self.ask(&request);
            self.check_answer(&request, &answer, &before)?;
        }
        self.check_invariants()
    }

    fn check_answer(&self, request: &Request, answer: &Answer, before: &Arc<Realm>) -> Result<(), String> {
        if answer.status >= 500 {
            return Err(format!("{} {} gives {}: {}", request.method, request.path, answer.status, answer.body));
        }
        let is_read = request.method == "GET";
        if (answer.status >= 400 || is_read) && !Arc::ptr_eq(before, &self.realm()) {
            return Err(format!("{} {} changed the realm with {}", request.method, request.path, answer.body));
        }
        Ok(())
    }

    fn check_invariants(&self) -> Result<(), String> {
        let violations = invariants::check(&self.realm());
        if violations.is_empty() { Ok(()) } else { Err(format!("broken: {violations:#?}")) }
    }

    fn jump(&mut self, seconds: i64) {
        self.jumped += seconds;
        self.story.push(format!("```control\nclock +{seconds}s\n```"));
        self.world.advance_to(self.world.now().plus(Span::seconds(seconds)));
    }

    fn ask(&mut self, request: &Request) -> Answer {
        let is_upload = request.path == "/user_uploads" && request.method == "POST";
        let answer = if is_upload {
            self.upload(&request.caller)
        } else {
            self.call(&request.caller, request.method, &request.path, &request.params)
        };
        let handle = request.caller.email.split('@').next().unwrap_or_default();
        let lines = if is_upload { "file a.txt: hello".to_owned() } else { lines(&request.params) };
        let mut reply = format!("```reply {}\n```", answer.status);
        if answer.status != 200 {
            let body = serde_json::json!({"code": answer.body["code"], "msg": answer.body["msg"]});
            reply = format!("```reply {}\n{}\n```", answer.status, body.to_string().replace("{{", r"\\{{"));
        }
        self.story.push(format!("```request\n{handle}: {} {}\n{lines}\n```\n{reply}", request.method, request.path));
        answer
    }

    /// Registers a queue for a user, as the story tells it under a label.
    pub fn register(&mut self, caller: &User, label: &str, params: &Map<String, Value>) -> Answer {
        self.story.push(format!("```queue {label}\n{}\n```", lines(params)));
        self.call(caller, "POST", "/register", params)
    }

    /// What was done, as a scenario that can be saved and played.
    pub fn scenario(&self, title: &str) -> String {
        let world = format!("```world\nclock: {}\nseed: {SEED}\n```", crate::support::START);
        format!("# {title}\n\n{world}\n{}\n", self.story.join("\n"))
    }

    /// Calls the API for a user.
    pub fn call(&mut self, caller: &User, method: &str, path: &str, params: &Map<String, Value>) -> Answer {
        let mut form = form_urlencoded::Serializer::new(String::new());
        for (name, value) in params {
            form.append_pair(name, &text(value));
        }
        let form = form.finish();
        let (query, body) = if method == "GET" { (form, String::new()) } else { (String::new(), form) };
        self.send(caller, method, path, query, body, "application/x-www-form-urlencoded")
    }

    /// Calls the API for a user of the cast.
    pub fn call_as(&mut self, handle: &str, method: &str, path: &str, params: &Map<String, Value>) -> Answer {
        let realm = self.realm();
        let user = realm.user_by_email(&format!("{handle}@chat.test")).expect("one of the cast");
        self.call(user, method, path, params)
    }

    fn upload(&mut self, caller: &User) -> Answer {
        let body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--b--\r\n";
        self.send(caller, "POST", "/user_uploads", String::new(), body.into(), "multipart/form-data; boundary=b")
    }

    fn send(&mut self, caller: &User, method: &str, path: &str, query: String, body: String, kind: &str) -> Answer {
        // The key as it is now: it may have been made anew.
        let key = self.realm().users[&caller.id].api_key.clone();
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{}:{key}", caller.email));
        let mut headers = http::HeaderMap::new();
        headers.insert("authorization", format!("Basic {pair}").parse().expect("a header"));
        headers.insert("content-type", kind.parse().expect("a header"));
        headers.insert("host", "chat.test".parse().expect("a header"));
        let incoming = Incoming {
            method: method.parse().expect("a method"),
            path: format!("/api/v1{path}"),
            query,
            headers,
            body: Bytes::from(body),
        };
        let response = self.runtime.block_on(self.edge.respond(Ok(incoming), None));
        let status = response.status().as_u16();
        self.replies.extend_from_slice(response.body());
        Answer { status, body: serde_json::from_slice(response.body()).unwrap_or(Value::Null) }
    }
}

/// Parameters as a scenario has them.
fn lines(params: &Map<String, Value>) -> String {
    let line = |(name, value): (&String, &Value)| {
        format!("{name}: {}", text(value).replace("{{", r"\{{").replace('\n', "\n  "))
    };
    params.iter().map(line).collect::<Vec<_>>().join("\n")
}
