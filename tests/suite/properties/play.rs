//! Worlds behind the edge and its control, without sockets: requests in, replies out, all noted.

use super::discretion::discreet;
use super::draw::{Draw, Request, text};
use super::story::{Story, lines};
use base64::Engine;
use bytes::Bytes;
use chatdouble::api::register::Register;
use chatdouble::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, Operation};
use chatdouble::control::{Control, Defaults, Guard, InitialClock};
use chatdouble::dialect::Dialect;
use chatdouble::fixture::state;
use chatdouble::http::authentication::Credentials;
use chatdouble::http::request::{IncomingRequest, RequestHead};
use chatdouble::http::{ConnectionFault, Edge, KeyGuard};
use chatdouble::realm::Realm;
use chatdouble::realm::invariants;
use chatdouble::realm::user::User;
use chatdouble::time::{Span, Timestamp};
use chatdouble::world::{JumpPolicy, RealTime, World, WorldSettings, Worlds};
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::sync::Arc;

/// Real time is never asked for: the clock is frozen except for jumps.
struct NoTime;

impl RealTime for NoTime {
    fn now(&self) -> Timestamp {
        Timestamp::parse(crate::support::START).expect("well-formed")
    }
}

/// What all chance of the world follows from.
pub const SEED: u64 = 7;

/// How far the clock jumps, in seconds; all of a sequence together stay below the longest life of a queue.
const JUMPS: &[i64] = &[1, 30, 61, 601, 3_700, 90_000, 90_000];
const MAX_JUMPED: i64 = 6 * 86_400;
/// The same where no client can ask for a longer life: below the level of `idle_queue_timeout`.
const MAX_JUMPED_BEFORE_481: i64 = 590;

/// Worlds, one of which is played with.
pub struct Play {
    control: Control,
    runtime: tokio::runtime::Runtime,
    /// The world that is played with.
    world: Arc<World>,
    /// The forks that were made on the way, each with all that it held when it was left.
    forks: Vec<(Arc<World>, String)>,
    jumped: i64,
    story: Story,
    /// All replies, in order.
    pub replies: Vec<u8>,
    /// Addresses of those who lost queues to a fault.
    pub bereft: Vec<String>,
}

/// A reply.
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub body: Value,
    /// A fault made it what it is.
    pub is_faulty: bool,
    /// What the connection does to it.
    pub mangled: Option<ConnectionFault>,
    /// The hint of a refusal; "" without one.
    pub hint: String,
}

impl Play {
    /// A realm: the built-in one with 0, else a small one that the generator makes of this number.
    pub fn new(realm: u64) -> Self {
        Self::at(realm, NEWEST_FEATURE_LEVEL)
    }

    /// A realm as with [`Play::new`], at a feature level.
    pub fn at(realm: u64, feature_level: i64) -> Self {
        let story = Story::new(realm, feature_level);
        let defaults = Defaults {
            fixture: story.fixture(),
            clock: InitialClock::At(NoTime.now()),
            feature_level,
            dialect: Arc::new(Dialect::neutral()),
            seed: SEED,
            world_ttl: None,
        };
        let settings = WorldSettings { feature_level: defaults.feature_level, dialect: defaults.dialect.clone() };
        let realm = defaults.fixture.build_realm(NoTime.now(), SEED).expect("it has no faults");
        let clock = defaults.clock.start_at(NoTime.now());
        let world = Arc::new(World::new(Worlds::DEFAULT.into(), realm, clock, settings.clone(), Arc::new(NoTime)));
        let worlds = Arc::new(Worlds::default());
        worlds.add(world.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime needs nothing");
        let control = Control {
            edge: Arc::new(Edge::new(worlds, KeyGuard::default(), settings)),
            guard: Guard { host: "127.0.0.1".into(), token: None },
            defaults,
            listen: Arc::new(|_| Box::pin(async { Err(std::io::Error::other("there are no sockets")) })),
            real_time: Arc::new(NoTime),
        };
        let (forks, replies, bereft) = (Vec::new(), Vec::new(), Vec::new());
        Self { control, runtime, world, forks, jumped: 0, story, replies, bereft }
    }

    /// The same realm and chance once more.
    pub fn twin(&self) -> Self {
        self.aged(self.story.level)
    }

    /// The same realm and chance at another feature level.
    pub fn aged(&self, feature_level: i64) -> Self {
        Self::at(self.story.realm, feature_level)
    }

    /// Whether the world speaks as the served OpenAPI document does, which is of the newest level.
    pub fn is_documented(&self) -> bool {
        self.story.level == NEWEST_FEATURE_LEVEL
    }

    /// From now on guests may know only users who share something with them.
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

    /// All that the world holds but its queues, as text.
    pub fn held(&self) -> String {
        held(&self.world)
    }

    /// One step: mostly a request, now and then a jump of the clock, a request under a fault, or some in a fork. An error is
    /// a sentence that describes the broken rule.
    pub fn step(&mut self, seed: u64) -> Result<(), String> {
        let before = self.realm();
        let mut draw = Draw::new(&before, seed);
        match draw.below(48) {
            0..4 => {
                let jump = JUMPS[draw.below(JUMPS.len() as u64) as usize];
                if self.jumped + jump <= self.longest() {
                    self.jump(jump)?;
                }
            }
            4..7 => self.request_under_fault(&draw.effect(), &draw.request())?,
            7 => self.visit_fork(seed)?,
            _ => {
                let request = draw.request();
                let answer = self.ask(&request);
                self.check_answer(&request, &answer, &before)?;
            }
        }
        self.check_world()
    }

    /// How far the clock jumps in all.
    fn longest(&self) -> i64 {
        if self.story.level < 481 { MAX_JUMPED_BEFORE_481 } else { MAX_JUMPED }
    }

    fn check_answer(&self, request: &Request, answer: &Answer, before: &Arc<Realm>) -> Result<(), String> {
        if answer.status >= 500 {
            return Err(format!("{} {} gives {}: {}", request.method, request.path, answer.status, answer.body));
        }
        if (answer.status >= 400 || request.method == "GET") && !Arc::ptr_eq(before, &self.realm()) {
            return Err(format!("{} {} changed the realm with {}", request.method, request.path, answer.body));
        }
        let asked = format!("{} {}", request.path.replace("%40", "@"), Value::Object(request.params.clone()));
        // Anybody may list the accounts that developers can log in as.
        if !request.path.ends_with("/dev_list_users") {
            discreet(&self.realm(), &request.caller, &asked, &answer.body)?;
        }
        self.check_documented(request, answer)
    }

    /// Whether the served document has the reply.
    fn check_documented(&self, request: &Request, answer: &Answer) -> Result<(), String> {
        if !self.is_documented() || !request.row.exists_at(NEWEST_FEATURE_LEVEL) {
            return Ok(());
        }
        let faults = crate::documented::faults(request.row, answer.status, &answer.body);
        if faults.is_empty() {
            return Ok(());
        }
        let faults = faults.join("\n  ");
        Err(format!("{} {} is not documented to answer so:\n  {faults}", request.method, request.path))
    }

    fn check_world(&self) -> Result<(), String> {
        let violations = invariants::all_violations(&self.realm());
        if !violations.is_empty() {
            return Err(format!("broken: {violations:#?}"));
        }
        let changed = self.forks.iter().find(|(fork, left)| held(fork) != *left);
        changed.map_or(Ok(()), |(fork, _)| Err(format!("{} was touched from outside", fork.name())))
    }

    /// A request that a fault befalls: it is either carried out as without the fault, or not at all.
    fn request_under_fault(&mut self, effect: &Value, request: &Request) -> Result<(), String> {
        let before = self.realm();
        let unharmed = self.elsewhere(Worlds::DEFAULT, |play| {
            let answer = play.ask(request);
            (answer, play.held())
        });
        self.control("POST", "/faults", &json!({"effect": effect, "times": 1}));
        let answer = self.ask(request);
        self.control("DELETE", "/faults", &Value::Null);
        if effect["lose_queue"] == true && answer.is_faulty {
            self.bereft.push(request.caller.email.clone());
        }
        let is_stopped =
            effect.get("error").is_some() || effect.get("rate_limit").is_some() || effect["drop"] == "before";
        if !answer.is_faulty && effect.get("bouncer").is_none() {
            return Err(format!("{effect} did not fire for {} {}", request.method, request.path));
        }
        if is_stopped && !Arc::ptr_eq(&before, &self.realm()) {
            return Err(format!("{} {} was carried out in spite of {effect}", request.method, request.path));
        }
        let (unharmed, held) = unharmed;
        if !is_stopped && effect.get("bouncer").is_none() && held != self.held() {
            let what = format!("{} {} ({})", request.method, request.path, unharmed.status);
            return Err(format!("{what} did something else under {effect}"));
        }
        Ok(())
    }

    /// Forks the world and plays some steps there, which must not touch it.
    fn visit_fork(&mut self, seed: u64) -> Result<(), String> {
        let before = self.realm();
        let outcome = self.elsewhere(Worlds::DEFAULT, |play| {
            let outcome = (1..4).try_for_each(|number: u64| {
                let realm = play.realm();
                let request = Draw::new(&realm, seed.wrapping_add(number)).request();
                let answer = play.ask(&request);
                play.check_answer(&request, &answer, &realm)
            });
            let left = play.held();
            let fork = play.world.clone();
            play.forks.push((fork, left));
            outcome
        });
        outcome?;
        if Arc::ptr_eq(&before, &self.realm()) {
            Ok(())
        } else {
            Err("a fork's requests changed its origin".to_owned())
        }
    }

    /// Plays in a fork of the world, or of one of its snapshots, of which the story and the replies know nothing.
    pub fn elsewhere<T>(&mut self, from: &str, play: impl FnOnce(&mut Self) -> T) -> T {
        let mut wanted = json!({"fork_of": self.world.name()});
        if from != Worlds::DEFAULT {
            wanted["snapshot"] = from.into();
        }
        self.in_new_world(&wanted, play)
    }

    /// Plays in a world that is made for it, of which the story and the replies know nothing.
    pub fn in_new_world<T>(&mut self, wanted: &Value, play: impl FnOnce(&mut Self) -> T) -> T {
        let made = self.control_at("POST", "/control/worlds", wanted);
        assert_eq!(made.status, 200, "{}", made.body);
        let name = made.body["name"].as_str().expect("worlds have names");
        let world = self.control.edge.worlds.get(name).expect("it was made");
        let here = std::mem::replace(&mut self.world, world);
        let (story, replies, jumped) = (self.story.clone(), self.replies.clone(), self.jumped);
        let outcome = play(self);
        let there = std::mem::replace(&mut self.world, here);
        (self.story, self.replies, self.jumped) = (story, replies, jumped);
        self.control.edge.worlds.remove(there.name());
        outcome
    }

    /// Plays steps, and tells what came of it: the replies, and all that the world holds in the end.
    pub fn go_on(&mut self, steps: &[u64]) -> Result<(String, String), String> {
        let (jumped, begun) = (self.jumped, self.replies.len());
        steps.iter().try_for_each(|step| self.step(*step))?;
        self.jumped = jumped;
        Ok((String::from_utf8_lossy(&self.replies[begun..]).into_owned(), self.held()))
    }

    /// Puts the world back to how it was made, with all of its jumps to come.
    pub fn reset(&mut self) {
        self.control("POST", "/reset", &Value::Null);
        self.jumped = 0;
    }

    fn go_to_time(&self, at: Timestamp) {
        let Ok(_) = self.world.advance(&JumpPolicy::default(), |_| Ok::<_, Infallible>(at));
    }

    /// Moves the clock, which must come to the same as moving it from one thing that falls due to the next.
    fn jump(&mut self, seconds: i64) -> Result<(), String> {
        let there = self.world.now().plus(Span::from_seconds(seconds));
        let step_by_step = self.elsewhere(Worlds::DEFAULT, |play| {
            let next = |play: &Self| play.realm().agenda.next().map(|(at, _)| *at).filter(|at| *at <= there);
            while let Some(at) = next(play) {
                play.go_to_time(at);
            }
            play.go_to_time(there);
            play.held()
        });
        self.jumped += seconds;
        self.story.tell(format!("```control\nclock +{seconds}s\n```"));
        let moved = self.call_control("POST", "/clock", &json!({"advance_seconds": seconds}));
        assert_eq!(moved.status, 200, "{}", moved.body);
        if step_by_step == self.held() {
            return Ok(());
        }
        Err(format!("{seconds} seconds at once are not what they are step by step"))
    }

    fn ask(&mut self, request: &Request) -> Answer {
        let is_upload = request.is_upload();
        let answer = if is_upload {
            self.upload(request)
        } else {
            self.call(&request.caller, request.method, &request.path, &request.params)
        };
        self.story.tell_request(request, &answer);
        answer
    }

    /// Registers a queue for a user, as the story tells it under a label.
    pub fn register(&mut self, caller: &User, label: &str, params: &Map<String, Value>) -> Answer {
        self.story.tell(format!("```queue {label}\n{}\n```", lines(params)));
        self.register_again(caller, params)
    }

    /// Registers a queue of which the story does not tell.
    pub fn register_again(&mut self, caller: &User, params: &Map<String, Value>) -> Answer {
        let answer = self.call(caller, "POST", "/register", params);
        discreet(&self.realm(), caller, "", &answer.body).unwrap_or_else(|fault| panic!("{fault}"));
        if self.is_documented() {
            let row = OPERATIONS.iter().find(|row| row.route == Register::ROUTE).expect("it is served");
            let faults = crate::documented::faults(row, answer.status, &answer.body);
            assert!(faults.is_empty(), "{faults:#?}");
        }
        answer
    }

    /// What was done, as a scenario that can be saved and played.
    pub fn scenario(&self, title: &str) -> String {
        self.story.to_scenario(title)
    }

    /// Calls the world's control; it must succeed.
    pub fn control(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let shown = if body.is_null() { String::new() } else { format!(" {body}") };
        self.story.tell(format!("```control\n{method} {path}{shown}\n```"));
        let answer = self.call_control(method, path, body);
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        answer.body
    }

    fn call_control(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.control_at(method, &format!("/control/worlds/{}{path}", self.world.name()), body)
    }

    fn control_at(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = head(method, path.to_owned(), String::new(), "application/json");
        let incoming = IncomingRequest::from_parts(Arc::new(head), Bytes::from(body));
        answer(&self.runtime.block_on(self.control.respond(&incoming)))
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

    /// Makes a request that was drawn, as part of the story.
    pub fn make(&mut self, request: &Request) -> Answer {
        self.ask(request)
    }

    /// Makes a reading request that was drawn, as somebody without credentials.
    pub fn read_as_visitor(&mut self, request: &Request) -> Answer {
        let mut form = form_urlencoded::Serializer::new(String::new());
        request.params.iter().for_each(|(name, value)| _ = form.append_pair(name, &text(value)));
        let head = head("GET", format!("/api/v1{}", request.path), form.finish(), "text/plain");
        let body = stream::iter([Ok::<_, Infallible>(Bytes::new())]);
        let bound = Some(self.world.name());
        answer(&self.runtime.block_on(self.control.edge.respond(Arc::new(head), body, bound)))
    }

    /// Moves the clock on by so many seconds.
    pub fn wait(&mut self, seconds: i64) -> Result<(), String> {
        self.jump(seconds)
    }

    fn upload(&mut self, request: &Request) -> Answer {
        let body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--b--\r\n";
        let kind = "multipart/form-data; boundary=b";
        self.send(&request.caller, "POST", &request.path, String::new(), body.into(), kind)
    }

    fn send(&mut self, caller: &User, method: &str, path: &str, query: String, body: String, kind: &str) -> Answer {
        // The key as it is now: it may have been regenerated.
        let key = self.realm().users[&caller.id].api_key.clone();
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{}:{key}", caller.email));
        let mut head = head(method, format!("/api/v1{path}"), query, kind);
        head.credentials = Some(Credentials::parse(&format!("Basic {pair}")).map(Arc::new));
        // As through a port of the world's own, so that addresses in replies are the same in every world.
        let bound = Some(self.world.name());
        let body = stream::iter([Ok::<_, Infallible>(Bytes::from(body))]);
        let response = self.runtime.block_on(self.control.edge.respond(Arc::new(head), body, bound));
        self.replies.extend_from_slice(response.body());
        answer(&response)
    }
}

fn held(world: &World) -> String {
    let mut realm = Realm::clone(&world.snapshot());
    // The realm's own time is that of the last change, which forking counts as.
    realm.now = world.now();
    serde_json::to_string(&state::dump(&realm, world.clock())).expect("a world can be written")
}

fn head(method: &str, path: String, query: String, kind: &str) -> RequestHead {
    let mut headers = http::HeaderMap::new();
    headers.insert("content-type", kind.parse().expect("a header"));
    headers.insert("host", "127.0.0.1".parse().expect("a header"));
    let method = method.parse().expect("a method");
    let uri = if query.is_empty() { path } else { format!("{path}?{query}") };
    let uri = uri.parse().expect("a path");
    RequestHead { method, scheme: "http", uri, headers, connection_number: 0, credentials: None }
}

fn answer(response: &chatdouble::http::Response) -> Answer {
    Answer {
        status: response.status().as_u16(),
        body: serde_json::from_slice(response.body()).unwrap_or(Value::Null),
        is_faulty: response.headers().contains_key("x-chatdouble-fault"),
        mangled: response.extensions().get().copied(),
        hint: response.headers().get("x-chatdouble-hint").map(|hint| format!("{hint:?}")).unwrap_or_default(),
    }
}
