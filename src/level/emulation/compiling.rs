//! From the table of changes to what one level does otherwise.

use super::numbers::Numbers;
use super::object_change::{ObjectAct, ObjectChange};
use super::{Code, CodeOf, Emulation, Key, key};
use crate::api::parameter::ParameterInfo;
use crate::api::{NEWEST_FEATURE_LEVEL, OPERATIONS};
use crate::feature::has_changes_of;
use crate::level::behaviours::words::of_former_reading;
use crate::level::place::{Place, Source};
use crate::level::{Change, ChangeKind, Downgrade, Object, Refusal, changes, objects};
use std::collections::{HashMap, HashSet};

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
            refusals: HashMap::new(),
            every_reply: Vec::new(),
            earlier: HashSet::new(),
            replies: HashMap::new(),
            events: HashMap::new(),
            codes: Vec::new(),
            words: Vec::new(),
            numbers: HashMap::new(),
            read_as_before: HashMap::new(),
            access: HashMap::new(),
            withheld: Vec::new(),
        }
    }

    /// The emulation of a level that is known.
    pub(super) fn past(level: i64) -> Self {
        let mut all = Self::empty(level);
        for change in changes() {
            match change.kind {
                _ if !has_changes_of(level, change.level) => all.add(change),
                ChangeKind::Field { object, name } => all.earlier.extend(whole_replies(object).map(|key| (key, name))),
                _ => {}
            }
        }
        // On the way in the oldest change comes first.
        all.requests.values_mut().chain(all.refusals.values_mut()).for_each(|changes| changes.reverse());
        all
    }

    /// A level that is not known yet: every reply and every known object has something that no client knows.
    pub(super) fn future() -> Self {
        let mut all = Self::empty(NEWEST_FEATURE_LEVEL + 1);
        for object in objects::ALL {
            all.add_objects(object, ObjectAct::AddUnknown);
        }
        all.add_objects(&objects::EVERY_REPLY, ObjectAct::AddUnknown);
        all
    }

    fn add(&mut self, change: &Change) {
        match change.kind {
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
            Downgrade::Refuse(routes, change) => {
                for route in routes {
                    self.refusals.entry(key(route)).or_default().push(change);
                }
            }
            Downgrade::Objects(object, change) => self.add_objects(object, ObjectAct::Change(change)),
            Downgrade::Code { errors, routes, status, code } => {
                self.codes.push(Code { errors, of: CodeOf::Routes(routes), status, code });
            }
            Downgrade::CodeOfCredentials { errors, code } => {
                self.codes.push(Code { errors, of: CodeOf::Credentials, status: 401, code });
            }
            Downgrade::FormerReading(routes) => {
                for key in routes.iter().map(|route| key(route)) {
                    let row = OPERATIONS.iter().find(|row| (row.route.method, row.route.path) == key);
                    let parameters = row.map(|row| row.parameters).unwrap_or_default();
                    self.numbers.insert(key, parameters.iter().filter_map(former_numbers).collect());
                    let texts = parameters.iter().filter(|info| !info.is_json).map(|info| info.name);
                    self.read_as_before.insert(key, texts.collect());
                }
                if !self.words.iter().any(|words| std::ptr::fn_addr_eq(*words, OF_FORMER_READING)) {
                    self.words.push(OF_FORMER_READING);
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
}

const OF_FORMER_READING: fn(&mut Refusal<'_>) = of_former_reading;

/// The whole numbers for which a switch was taken, by the rules of before.
fn former_numbers(info: &ParameterInfo) -> Option<Numbers> {
    let is_single = !["num_before", "num_after", "waiting_period_threshold", "to"].contains(&info.name);
    Numbers::of(info, is_single).filter(|_| info.name != "narrow")
}

/// Operations whose whole replies are objects of a kind.
fn whole_replies(object: &'static Object) -> impl Iterator<Item = Key> {
    object.places.iter().filter_map(|place| match Place::parse(place) {
        Place { source: Source::Reply(method, path), path: steps } if steps.is_empty() => Some((method, path)),
        _ => None,
    })
}
