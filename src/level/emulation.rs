//! What applies to a level, compiled from the table of changes and found by operation or type of event.

use super::narrow;
use super::place::{Place, Source, Step, visit};
use super::{Change, ChangeKind, Context, Downgrade, Object, Refusal, Request, changes, objects};
use crate::api::parameter::{ParameterInfo, RawParameters};
use crate::api::{Access, NEWEST_FEATURE_LEVEL, OPERATIONS, Route};
use crate::error::{Error, ErrorRow};
use crate::realm::Realm;
use crate::realm::event::EventPattern;
use crate::realm::queue::QueueLevel;
use crate::realm::user::User;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, LazyLock, OnceLock};

/// A field that no level has, in the replies of worlds above the newest.
const UNKNOWN_FIELD: &str = "field_of_a_later_level";

/// What a world at a level does otherwise than one at the newest.
pub struct Emulation {
    level: i64,
    hidden: HashMap<Key, Vec<&'static str>>,
    renamed: HashMap<Key, Vec<(&'static str, &'static str)>>,
    gone: HashMap<Key, Vec<&'static str>>,
    capabilities: Vec<&'static str>,
    narrow_terms: Vec<narrow::Term>,
    requests: HashMap<Key, Vec<RequestChange>>,
    every_reply: Vec<ObjectChange>,
    /// Fields of single operations' replies that the level has, whatever it says of every reply.
    earlier: HashSet<(Key, &'static str)>,
    replies: HashMap<Key, Vec<ObjectChange>>,
    events: HashMap<&'static str, Vec<(Option<&'static str>, ObjectChange)>>,
    codes: Vec<Code>,
    words: Vec<fn(&mut Refusal<'_>)>,
    /// Parameters that are whole numbers, for which `true` and `false` stand too.
    numbers: HashMap<Key, Vec<&'static str>>,
    access: HashMap<Key, AccessChange>,
    withheld: Vec<EventPattern>,
}

/// An operation's method and path.
type Key = (&'static str, &'static str);
type RequestChange = fn(&mut Request<'_>) -> Result<(), Error>;

struct ObjectChange {
    path: Vec<Step>,
    act: ObjectAct,
}

#[derive(Clone, Copy)]
enum ObjectAct {
    Remove(&'static str),
    Rename {
        old: &'static str,
        new: &'static str,
    },
    Add {
        name: &'static str,
        value: fn(&Map<String, Value>, &Context<'_>) -> Value,
        is_given: fn(&str, &Map<String, Value>, &Context<'_>) -> bool,
    },
    Change(fn(&mut Map<String, Value>, &Context<'_>)),
    /// Adds [`UNKNOWN_FIELD`].
    AddUnknown,
}

struct Code {
    errors: &'static [&'static str],
    of: CodeOf,
    status: u16,
    code: &'static str,
}

#[derive(Clone, Copy)]
enum CodeOf {
    /// These operations; none: all.
    Routes(&'static [&'static str]),
    /// Operations that ask for credentials.
    Credentials,
}

#[derive(Default)]
struct AccessChange {
    instead: Option<Access>,
    also: Vec<Access>,
}

/// The emulation of a level; None at the newest, which needs none.
pub fn emulation(level: i64) -> Option<&'static Emulation> {
    static PAST: [OnceLock<Emulation>; NEWEST_FEATURE_LEVEL as usize] =
        [const { OnceLock::new() }; NEWEST_FEATURE_LEVEL as usize];
    static FUTURE: LazyLock<Emulation> = LazyLock::new(Emulation::future);
    if level == NEWEST_FEATURE_LEVEL {
        return None;
    }
    let past = usize::try_from(level).ok().and_then(|index| PAST.get(index));
    Some(past.map_or(&*FUTURE, |place| place.get_or_init(|| Emulation::past(level))))
}

impl Emulation {
    fn empty(level: i64) -> Self {
        Self {
            level,
            hidden: HashMap::new(),
            renamed: HashMap::new(),
            gone: HashMap::new(),
            capabilities: Vec::new(),
            narrow_terms: Vec::new(),
            requests: HashMap::new(),
            every_reply: Vec::new(),
            earlier: HashSet::new(),
            replies: HashMap::new(),
            events: HashMap::new(),
            codes: Vec::new(),
            words: Vec::new(),
            numbers: HashMap::new(),
            access: HashMap::new(),
            withheld: Vec::new(),
        }
    }

    fn past(level: i64) -> Self {
        let mut all = Self::empty(level);
        for change in changes() {
            match change.touch {
                _ if change.level > level => all.add(change),
                ChangeKind::Field { object, name } => all.earlier.extend(whole_replies(object).map(|key| (key, name))),
                _ => {}
            }
        }
        // On the way in the oldest change comes first.
        all.requests.values_mut().for_each(|changes| changes.reverse());
        all
    }

    /// A level that is not known yet: every reply and every known object has something that no client knows.
    fn future() -> Self {
        let mut all = Self::empty(NEWEST_FEATURE_LEVEL + 1);
        for object in objects::ALL {
            all.add_objects(object, ObjectAct::AddUnknown);
        }
        all.add_objects(&objects::EVERY_REPLY, ObjectAct::AddUnknown);
        all
    }

    fn is_future(&self) -> bool {
        self.level > NEWEST_FEATURE_LEVEL
    }

    fn add(&mut self, change: &Change) {
        match change.touch {
            ChangeKind::Parameter { route, name } => self.hidden.entry(key(route)).or_default().push(name),
            ChangeKind::RenamedParameter { route, old, since, new } => {
                self.hidden.entry(key(route)).or_default().push(new);
                if self.level >= since {
                    self.renamed.entry(key(route)).or_default().push((old, new));
                }
            }
            ChangeKind::GoneParameter { route, name, since } if self.level >= since => {
                self.gone.entry(key(route)).or_default().push(name);
            }
            ChangeKind::GoneParameter { .. } => {}
            ChangeKind::Capability(name) => self.capabilities.push(name),
            ChangeKind::NarrowTerm { operator, operand } => self.narrow_terms.push((operator, operand)),
            ChangeKind::Field { object, name } => self.add_objects(object, ObjectAct::Remove(name)),
            ChangeKind::RenamedField { object, old, new } => self.add_objects(object, ObjectAct::Rename { old, new }),
            ChangeKind::GoneField { object, name, since, value, is_given } if self.level >= since => {
                self.add_objects(object, ObjectAct::Add { name, value, is_given });
            }
            ChangeKind::GoneField { .. } => {}
            ChangeKind::Event(pattern) => self.withheld.push(pattern),
            ChangeKind::Behaviour(behaviour) => self.add_act(&behaviour.act),
        }
    }

    fn add_act(&mut self, act: &'static Downgrade) {
        match *act {
            Downgrade::Request(routes, change) => {
                for route in routes {
                    self.requests.entry(key(route)).or_default().push(change);
                }
            }
            Downgrade::Objects(object, change) => self.add_objects(object, ObjectAct::Change(change)),
            Downgrade::Code { errors, routes, status, code } => {
                self.codes.push(Code { errors, of: CodeOf::Routes(routes), status, code });
            }
            Downgrade::CodeOfCredentials { errors, code } => {
                self.codes.push(Code { errors, of: CodeOf::Credentials, status: 401, code });
            }
            Downgrade::SwitchesAsNumbers { but, not_of } => {
                let is_meant = |route: Route| not_of.iter().all(|other| key(other) != (route.method, route.path));
                for row in OPERATIONS.iter().filter(|row| is_meant(row.route)) {
                    let is_number =
                        |info: &&ParameterInfo| info.is_json && !but.contains(&info.name) && is_whole_number(info);
                    let names = row.parameters.iter().filter(is_number).map(|info| info.name).collect();
                    self.numbers.insert((row.route.method, row.route.path), names);
                }
            }
            Downgrade::Words(words) => self.words.push(words),
            Downgrade::Instead(routes, access) => {
                for route in routes {
                    self.access.entry(key(route)).or_default().instead = Some(access);
                }
            }
            Downgrade::Also(routes, access) => {
                for route in routes {
                    self.access.entry(key(route)).or_default().also.push(access);
                }
            }
            Downgrade::Elsewhere => {}
        }
    }

    fn add_objects(&mut self, object: &Object, act: ObjectAct) {
        for place in object.places {
            let Place { source, path } = Place::parse(place);
            let change = ObjectChange { path, act };
            match source {
                Source::EveryReply => self.every_reply.push(change),
                Source::Reply(method, path) => self.replies.entry((method, path)).or_default().push(change),
                Source::Event(kind, op) => self.events.entry(kind).or_default().push((op, change)),
            }
        }
    }

    /// What the level means for queues.
    pub fn queue_level(&'static self) -> QueueLevel {
        QueueLevel {
            older: (!self.is_future()).then_some(self.level),
            withheld: &self.withheld,
            sends_unknown_events: self.is_future(),
        }
    }

    /// Whether the caller may call an operation that asked for more than now.
    ///
    /// # Errors
    ///
    /// Those of [`Access::check`].
    pub fn check_former_access(&self, route: Route, realm: &Realm, caller: &User) -> Result<(), Error> {
        let change = self.access.get(&(route.method, route.path));
        change.into_iter().flat_map(|change| &change.also).try_for_each(|also| also.check(realm, caller))
    }

    /// Who may call an operation, where the newest level has the rule `access`.
    pub fn access(&self, route: Route, access: Access) -> Access {
        self.access.get(&(route.method, route.path)).and_then(|change| change.instead).unwrap_or(access)
    }

    /// Brings a request's parameters to the newest level: what the level does not know is set aside as unsupported,
    /// old names and defaults are replaced.
    ///
    /// # Errors
    ///
    /// What the level refuses and the newest would take.
    pub fn receive(
        &self,
        route: Route,
        realm: &Realm,
        caller: Option<&User>,
        raw: &mut RawParameters,
    ) -> Result<(), Error> {
        let key = (route.method, route.path);
        let values = Arc::make_mut(&mut raw.values);
        if !self.numbers.is_empty() {
            let is_switch = |text: &str| matches!(text.trim(), "true" | "false");
            raw.switches = values.iter().filter(|(_, text)| is_switch(text)).map(|(name, _)| name.clone()).collect();
        }
        for name in self.hidden.get(&key).into_iter().flatten() {
            if values.remove(*name).is_some() {
                raw.set_aside.push((*name).to_owned());
            }
        }
        for (old, new) in self.renamed.get(&key).into_iter().flatten() {
            if let Some(value) = values.remove(*old) {
                values.insert((*new).to_owned(), value);
            }
        }
        for name in self.gone.get(&key).into_iter().flatten() {
            raw.former.extend(values.remove(*name).map(|value| (*name, value)));
        }
        if !self.capabilities.is_empty() && route.path == "/register" {
            forget_capabilities(values, &self.capabilities);
        }
        let mut request = Request { level: self.level, realm, caller, path: &raw.path, values };
        self.requests.get(&key).into_iter().flatten().try_for_each(|change| change(&mut request))?;
        // Some of what is a number now was a switch.
        for name in self.numbers.get(&key).into_iter().flatten() {
            let Some(value) = request.values.get_mut(*name) else { continue };
            match value.trim() {
                "true" => "1".clone_into(value),
                "false" => "0".clone_into(value),
                _ => {}
            }
        }
        match request.values.get_mut("narrow").filter(|_| !self.narrow_terms.is_empty()) {
            Some(narrow) if route.path == "/register" => narrow::check(narrow, &self.narrow_terms),
            Some(narrow) => {
                narrow::mark(narrow, &self.narrow_terms);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Brings a successful reply, or the events in it, to the level.
    pub fn answer(&self, route: Route, realm: &Realm, caller: Option<&User>, raw: &RawParameters, reply: &mut Value) {
        let RawParameters { values, switches, .. } = raw;
        let context = Context { level: self.level, realm, caller, values, switches };
        let key = (route.method, route.path);
        let own = self.replies.get(&key).into_iter().flatten();
        let is_earlier = |change: &&ObjectChange| match change.act {
            ObjectAct::Remove(name) => self.earlier.contains(&(key, name)),
            _ => false,
        };
        for change in self.every_reply.iter().filter(|change| !is_earlier(change)).chain(own) {
            change.apply(reply, &context);
        }
        if (route.method, route.path) == ("GET", "/events") {
            for event in reply.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten() {
                self.shape_event(event, &context);
            }
        }
    }

    /// As [`Emulation::answer`] where there is no organization: only names come and go, and what no client knows comes.
    pub fn answer_without_realm(&self, route: Route, reply: &mut Value) {
        let own = self.replies.get(&(route.method, route.path)).into_iter().flatten();
        for change in self.every_reply.iter().chain(own) {
            visit(reply, &change.path, &mut |object| match change.act {
                ObjectAct::Remove(name) => drop(object.shift_remove(name)),
                ObjectAct::Rename { old, new } => rename(object, old, new),
                ObjectAct::AddUnknown => add_unknown_field(object),
                ObjectAct::Add { .. } | ObjectAct::Change(_) => {}
            });
        }
    }

    /// A message as an event has it, brought to the level.
    pub fn shape_message(&self, realm: &Realm, caller: Option<&User>, message: &mut Value) {
        let values = BTreeMap::new();
        let mut event = json!({"type": "message", "message": message.take(), "flags": []});
        self.shape_event(&mut event, &Context { level: self.level, realm, caller, values: &values, switches: &[] });
        *message = event["message"].take();
    }

    fn shape_event(&self, event: &mut Value, context: &Context<'_>) {
        let kind = event["type"].as_str().unwrap_or_default();
        let Some(changes) = self.events.get(kind) else { return };
        for (only, change) in changes {
            // A change may have given the event another op, whose older changes are then its own.
            if only.is_none_or(|only| event["op"] == only) {
                change.apply(event, context);
            }
        }
    }

    /// A refusal that names a parameter names it as the level does.
    pub fn with_former_names(&self, route: Route, mut error: Error) -> Error {
        let (Error::MissingParameter { var_name: name }
        | Error::BadValue { parameter: name, .. }
        | Error::InvalidValue { parameter: name }
        | Error::NotOffered { setting: name, .. }
        | Error::InvalidValueBecause { parameter: name, .. }) = &mut error
        else {
            return error;
        };
        let text = name.as_str().unwrap_or_default();
        // `name[0]` is a part of `name`.
        let (whole, part) = text.split_at(text.find('[').unwrap_or(text.len()));
        let mut renamed = self.renamed.get(&(route.method, route.path)).into_iter().flatten();
        if let Some((old, _)) = renamed.find(|(_, new)| *new == whole) {
            *name = format!("{old}{part}").into();
        }
        error
    }

    /// The message that an error had, if it was another; the error may have named other things too.
    pub fn former_message(&self, route: Route, values: &BTreeMap<String, String>, error: &mut Error) -> Option<String> {
        narrow::without_mark(error);
        let mut refusal = Refusal { level: self.level, route, error, values, message: None };
        self.words.iter().for_each(|words| words(&mut refusal));
        refusal.message
    }

    /// The status and code that an error had, when they were others; None where nothing changed. `route` is None where
    /// the error is no operation's.
    pub fn code_of(&self, route: Option<Route>, error: &ErrorRow) -> Option<(u16, &'static str)> {
        let is_route = |text: &&'static str| route.is_some_and(|route| key(text) == (route.method, route.path));
        let asks_for_credentials = || {
            let row = route.and_then(|route| OPERATIONS.iter().find(|row| row.route == route));
            row.is_none_or(|row| row.access != Access::Anyone)
        };
        let fits = |code: &&Code| {
            code.errors.contains(&error.name)
                && match code.of {
                    CodeOf::Routes(routes) => routes.is_empty() || routes.iter().any(is_route),
                    CodeOf::Credentials => asks_for_credentials(),
                }
        };
        // The last to apply is the oldest of those that the world is before.
        self.codes.iter().rfind(fits).map(|code| (code.status, code.code))
    }
}

impl ObjectChange {
    fn apply(&self, value: &mut Value, context: &Context<'_>) {
        visit(value, &self.path, &mut |object| match self.act {
            ObjectAct::Remove(name) => drop(object.shift_remove(name)),
            ObjectAct::Rename { old, new } => rename(object, old, new),
            ObjectAct::Add { name, value, is_given } => {
                if is_given(name, object, context) {
                    let value = value(object, context);
                    object.insert(name.to_owned(), value);
                }
            }
            ObjectAct::Change(change) => change(object, context),
            ObjectAct::AddUnknown => add_unknown_field(object),
        });
    }
}

/// Whether a parameter takes a whole number, perhaps next to other things.
fn is_whole_number(info: &ParameterInfo) -> bool {
    let schema = (info.schema)(&mut schemars::SchemaGenerator::default()).to_value();
    let is_integer = |schema: &Value| schema["type"] == "integer";
    is_integer(&schema) || schema["anyOf"].as_array().is_some_and(|branches| branches.iter().any(is_integer))
}

/// Adds a field that no client knows.
pub fn add_unknown_field(object: &mut Map<String, Value>) {
    object.insert(UNKNOWN_FIELD.to_owned(), json!({"since": NEWEST_FEATURE_LEVEL + 1}));
}

fn rename(object: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = object.shift_remove(new) {
        object.insert(old.to_owned(), value);
    }
}

/// Operations whose whole replies are objects of a kind.
fn whole_replies(object: &'static Object) -> impl Iterator<Item = Key> {
    object.places.iter().filter_map(|place| match Place::parse(place) {
        Place { source: Source::Reply(method, path), path: steps } if steps.is_empty() => Some((method, path)),
        _ => None,
    })
}

fn key(route: &'static str) -> Key {
    route.split_once(' ').unwrap_or_else(|| panic!("{route:?} is no operation"))
}

/// Takes keys that the level does not know out of `client_capabilities`.
fn forget_capabilities(values: &mut BTreeMap<String, String>, unknown: &[&str]) {
    let Some(text) = values.get_mut("client_capabilities") else { return };
    // What is malformed is left to the operation to refuse.
    let Ok(Value::Object(mut capabilities)) = serde_json::from_str(text) else { return };
    for name in unknown {
        capabilities.shift_remove(*name);
    }
    *text = Value::from(capabilities).to_string();
}
