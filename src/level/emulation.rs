//! What applies to a level, compiled from the table of changes and found by operation or type of event.

mod compiling;
mod numbers;
mod object_change;

pub use object_change::add_unknown_field;

use super::narrow;
use super::{Context, Refusal, Request};
use crate::api::parameter::RawParameters;
use crate::api::{Access, Effect, NEWEST_FEATURE_LEVEL, OPERATIONS, Route, Row};
use crate::error::{Error, ErrorRow};
use crate::realm::Realm;
use crate::realm::event::EventPattern;
use crate::realm::queue::QueueLevel;
use crate::realm::user::User;
use numbers::Numbers;
use object_change::{ObjectAct, ObjectChange};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, LazyLock, OnceLock};

/// What a world at a level does otherwise than one at the newest.
pub struct Emulation {
    level: i64,
    hidden: HashMap<Key, Vec<&'static str>>,
    renamed: HashMap<Key, Vec<(&'static str, &'static str)>>,
    gone: HashMap<Key, Vec<&'static str>>,
    capabilities: Vec<&'static str>,
    narrow_terms: Vec<narrow::Term>,
    requests: HashMap<Key, Vec<RequestChange>>,
    refusals: HashMap<Key, Vec<RequestChange>>,
    every_reply: Vec<ObjectChange>,
    /// Fields of single operations' replies that the level has, whatever it says of every reply.
    earlier: HashSet<(Key, &'static str)>,
    replies: HashMap<Key, Vec<ObjectChange>>,
    events: HashMap<&'static str, Vec<(Option<&'static str>, ObjectChange)>>,
    codes: Vec<Code>,
    words: Vec<fn(&mut Refusal<'_>)>,
    /// Parameters that take whole numbers, for which `true` and `false` stand too.
    numbers: HashMap<Key, Vec<Numbers>>,
    /// Operations that read their parameters by the former rules, with those of them that are plain text.
    read_as_before: HashMap<Key, Vec<&'static str>>,
    access: HashMap<Key, AccessChange>,
    withheld: Vec<EventPattern>,
}

/// An operation's method and path.
type Key = (&'static str, &'static str);
type RequestChange = fn(&mut Request<'_>) -> Result<(), Error>;

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
    fn is_future(&self) -> bool {
        self.level > NEWEST_FEATURE_LEVEL
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
        row: &Row,
        realm: &Realm,
        caller: Option<&User>,
        raw: &mut RawParameters,
    ) -> Result<(), Error> {
        let key = (row.route.method, row.route.path);
        let registers_queue = row.has(Effect::RegistersQueue);
        let values = Arc::make_mut(&mut raw.values);
        if !self.numbers.is_empty() {
            let is_switch = |text: &str| matches!(text.trim(), "true" | "false");
            raw.switches = values.iter().filter(|(_, text)| is_switch(text)).map(|(name, _)| name.clone()).collect();
        }
        if let Some(texts) = self.read_as_before.get(&key) {
            let values = values
                .iter_mut()
                .filter(|(name, text)| numbers::is_beyond_range(text) && !texts.contains(&name.as_str()));
            values.for_each(|(_, text)| numbers::NO_WHOLE_NUMBER.clone_into(text));
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
        if !self.capabilities.is_empty() && registers_queue {
            forget_capabilities(values, &self.capabilities);
        }
        // What had another name may have been a switch indeed, as older rows take it.
        let renamed = self.renamed.get(&key).into_iter().flatten();
        let renamed: Vec<&str> = renamed.map(|(_, new)| *new).collect();
        let numbers = || self.numbers.get(&key).into_iter().flatten();
        numbers().filter(|one| !renamed.contains(&one.name())).for_each(|one| one.replace(values));
        let mut request = Request { level: self.level, realm, caller, path: &raw.path, values };
        self.requests.get(&key).into_iter().flatten().try_for_each(|change| change(&mut request))?;
        raw.refusal = self
            .refusals
            .get(&key)
            .into_iter()
            .flatten()
            .try_for_each(|change| change(&mut request))
            .err()
            .map(Box::new);
        numbers().for_each(|one| one.replace(request.values));
        match request.values.get_mut("narrow").filter(|_| !self.narrow_terms.is_empty()) {
            Some(narrow) if registers_queue => narrow::check(narrow, &self.narrow_terms),
            Some(narrow) => {
                narrow::mark(narrow, &self.narrow_terms);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Brings a successful reply, or the events in it, to the level.
    pub fn answer(&self, row: &Row, realm: &Realm, caller: Option<&User>, raw: &RawParameters, reply: &mut Value) {
        let RawParameters { values, switches, .. } = raw;
        let context = Context { level: self.level, realm, caller, values, switches };
        let key = (row.route.method, row.route.path);
        let own = self.replies.get(&key).into_iter().flatten();
        let is_earlier = |change: &&ObjectChange| match change.act {
            ObjectAct::Remove(name) => self.earlier.contains(&(key, name)),
            _ => false,
        };
        for change in self.every_reply.iter().filter(|change| !is_earlier(change)).chain(own) {
            change.apply(reply, &context);
        }
        if row.is_poll() {
            for event in reply.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten() {
                self.shape_event(event, &context);
            }
        }
    }

    /// As [`Emulation::answer`] where there is no organization: only names come and go, and what no client knows comes.
    pub fn answer_without_realm(&self, route: Route, reply: &mut Value) {
        let own = self.replies.get(&(route.method, route.path)).into_iter().flatten();
        for change in self.every_reply.iter().chain(own) {
            change.apply_without_realm(reply);
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
        let is_read_as_before = self.read_as_before.contains_key(&(route.method, route.path));
        let mut refusal = Refusal { level: self.level, route, error, values, is_read_as_before, message: None };
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
