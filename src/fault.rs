//! Faults: rules that make requests fail as a network, a proxy or the push relay would (contract, Faults).

mod dropped;
pub mod network;
pub mod rate_limit;

use crate::realm::seeded_rng::SeededRng;
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use dropped::DroppedRequest;

/// What the journal has instead of a fault's id where a network lost the request or the reply.
pub const NETWORK: &str = "network";

/// A rule that was installed.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Names it in replies and in the control endpoint.
    pub id: String,
    /// The rule as it was sent.
    pub rule: Value,
    /// Which requests it is for.
    pub matching: Matching,
    /// Requests that it lets pass first.
    pub after: u64,
    /// Chance that it fires at all; None: always.
    pub probability: Option<f64>,
    /// How often it fires at most.
    pub times: Option<u64>,
    /// What it does.
    pub effect: Effect,
    /// Requests that it let pass.
    pub passed: u64,
    /// How often it fired.
    pub fired: u64,
    /// Requests that it dropped lately and whose repetitions it drops too.
    pub dropped: Vec<DroppedRequest>,
    /// How often it fired in all worlds that have it, and before resets.
    pub fired_anywhere: Arc<AtomicU64>,
}

/// The operation that effects on events are for: its method and path.
pub const POLL: (&str, &str) = ("GET", "/events");
/// What the paths of operations that call the push relay begin with.
pub const RELAYED: &str = "/mobile_push/";

/// Which requests a rule is for; what is not given holds for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// HTTP method.
    pub method: Option<String>,
    /// Path of an operation, with its placeholders, or of a kind of files.
    pub path: Option<String>,
    /// Address of the caller.
    pub user: Option<String>,
    /// Parameters that must be among those sent, as text.
    pub params: BTreeMap<String, String>,
}

/// What the client sees.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Push operations fail so.
    Bouncer(Bouncer),
    /// The reply comes so many milliseconds of real time later.
    DelayMs(u64),
    /// This failed reply; nothing is done.
    Error {
        /// HTTP status.
        status: u16,
        /// `code`, `msg` and what else is in it.
        fields: Map<String, Value>,
    },
    /// 429 with `retry-after`; nothing is done.
    RateLimit {
        /// Seconds, a JSON number.
        retry_after: Value,
    },
    /// The connection closes without a reply.
    Drop {
        /// Whether the operation is carried out.
        is_carried_out: bool,
        /// Whether repetitions of the request are dropped too.
        retries: bool,
    },
    /// What a poll of an event queue gives.
    Events(Disturbance),
    /// Carried out; the body breaks off after so many bytes.
    TruncateAt(u64),
    /// Carried out; a success with these values at its top level, in which null leaves a key out.
    Change(Map<String, Value>),
    /// Carried out; a failed reply whose `msg` is in accented letters, as from a server that translates.
    PseudoLocalize,
    /// Carried out; the body is a proxy's page.
    Garbage,
    /// The caller's queues are gone, then the request goes on.
    LoseQueue,
}

/// What becomes of the events that a poll gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// What the last acknowledgement covered comes once more, before what is new.
    Repeat,
    /// Nothing comes although there is something, which comes with the next poll.
    Hold,
    /// One event comes.
    OneByOne,
    /// An event of an unknown type comes along, and unknown fields.
    Unknown,
}

/// How the push relay fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bouncer {
    /// `FAILED_TO_CONNECT_BOUNCER`
    Unreachable,
    /// `INTERNAL_SERVER_ERROR_ON_BOUNCER`
    ServerError,
    AdminActionRequired,
}

/// A request as rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// HTTP method.
    pub method: &'a str,
    /// Path of its operation with placeholders, or of its kind of files; None when no operation has its path.
    pub path: Option<&'a str>,
    /// Its own path.
    pub full_path: &'a str,
    /// Its parameters.
    pub params: &'a BTreeMap<String, String>,
    /// Address of the caller, as the credentials have it.
    pub user: Option<&'a str>,
    /// Whether the operation asks the push relay.
    pub asks_relay: bool,
    /// Real time.
    pub at: Timestamp,
}

/// A world's rules, in the order in which they were installed.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rules: Vec<Rule>,
    /// Rules that a reset installs again.
    standing: Vec<Rule>,
    chance: SeededRng,
    installed: u64,
}

impl Faults {
    /// No rules; probabilities follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self { chance: SeededRng::from_seed(seed ^ 0x0066_6175_6c74), ..Self::default() }
    }

    /// Installs a rule; gives its id.
    pub fn install(&mut self, mut rule: Rule) -> String {
        self.installed += 1;
        rule.id = format!("fault-{}", self.installed);
        let id = rule.id.clone();
        self.rules.push(rule);
        id
    }

    /// Installs a rule that a reset installs again.
    pub fn install_standing(&mut self, rule: Rule) {
        self.standing.push(rule.clone());
        self.install(rule);
    }

    /// Removes all rules but the standing ones, which begin again.
    pub fn reset(&mut self, seed: u64) {
        let standing = std::mem::take(&mut self.standing);
        *self = Self::new(seed);
        standing.into_iter().for_each(|rule| self.install_standing(rule));
    }

    /// All rules, spent ones too.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// A rule's effect as it was sent.
    pub fn effect_as_sent(&self, id: &str) -> Option<Value> {
        self.rules.iter().find(|rule| rule.id == id).map(|rule| rule.rule["effect"].clone())
    }

    /// Removes all rules.
    pub fn clear(&mut self) {
        self.rules.clear();
    }

    /// Removes a rule; false when there is none of this id.
    pub fn remove(&mut self, id: &str) -> bool {
        let count = self.rules.len();
        self.rules.retain(|rule| rule.id != id);
        self.rules.len() < count
    }

    /// Whether no rule is installed: then requests need not be looked at.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The first rule that fires for a request: its id and effect. Counts, in the order match, after, probability, times.
    pub fn fire(&mut self, seen: Seen<'_>) -> Option<(String, Effect)> {
        let Self { rules, chance, .. } = self;
        let repeats = |rule: &mut Rule| rule.note_repetition(seen).then(|| rule.id.clone());
        if let Some(id) = rules.iter_mut().find_map(repeats) {
            return Some((id, Effect::Drop { is_carried_out: false, retries: true }));
        }
        for rule in rules {
            if !rule.matching.matches(seen) || !rule.effect.concerns(seen) {
                continue;
            }
            if rule.passed < rule.after {
                rule.passed += 1;
                continue;
            }
            if rule.times.is_some_and(|times| rule.fired >= times) {
                continue;
            }
            if let Some(probability) = rule.probability {
                let [word] = chance.words();
                if f64::from(word) / (f64::from(u32::MAX) + 1.0) >= probability {
                    rule.passed += 1;
                    continue;
                }
            }
            rule.fired += 1;
            rule.fired_anywhere.fetch_add(1, Ordering::Relaxed);
            if matches!(rule.effect, Effect::Drop { retries: true, .. }) {
                rule.dropped.push(DroppedRequest::of(seen));
            }
            return Some((rule.id.clone(), rule.effect.clone()));
        }
        None
    }
}

impl Effect {
    /// Whether it can happen to a request: only those are counted.
    fn concerns(&self, seen: Seen<'_>) -> bool {
        match self {
            Effect::Bouncer(_) => seen.asks_relay,
            Effect::Events(_) => seen.method == POLL.0 && seen.path == Some(POLL.1),
            _ => true,
        }
    }
}

impl Matching {
    fn matches(&self, seen: Seen<'_>) -> bool {
        self.method.as_deref().is_none_or(|method| method == seen.method)
            && self.path.as_deref().is_none_or(|path| Some(path) == seen.path)
            && self.params.iter().all(|(name, value)| seen.params.get(name) == Some(value))
            && self.user.as_deref().is_none_or(|user| seen.user.is_some_and(|one| one.eq_ignore_ascii_case(user)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(after: u64, probability: Option<f64>, times: Option<u64>) -> Rule {
        Rule {
            id: String::new(),
            rule: Value::Null,
            matching: Matching::default(),
            after,
            probability,
            times,
            effect: Effect::Garbage,
            passed: 0,
            fired: 0,
            dropped: Vec::new(),
            fired_anywhere: Arc::default(),
        }
    }

    static NO_PARAMS: BTreeMap<String, String> = BTreeMap::new();

    const REQUEST: Seen<'static> = Seen {
        method: "GET",
        path: Some("/users"),
        full_path: "/users",
        params: &NO_PARAMS,
        user: None,
        asks_relay: false,
        at: Timestamp::from_seconds(0),
    };

    fn fired(faults: &mut Faults, requests: usize) -> Vec<bool> {
        (0..requests).map(|_| faults.fire(REQUEST).is_some()).collect()
    }

    #[test]
    fn a_rule_lets_some_pass_and_fires_so_often() {
        let mut faults = Faults::new(0);
        faults.install(rule(1, None, Some(2)));

        assert_eq!(fired(&mut faults, 5), [false, true, true, false, false]);
        assert_eq!((faults.rules()[0].passed, faults.rules()[0].fired), (1, 2));
    }

    #[test]
    fn repetitions_of_a_dropped_request_are_dropped_for_a_second_after_the_last() {
        let mut faults = Faults::new(0);
        let effect = Effect::Drop { is_carried_out: true, retries: true };
        faults.install(Rule { effect: effect.clone(), ..rule(0, None, Some(1)) });
        let repetition = Some(("fault-1".to_owned(), Effect::Drop { is_carried_out: false, retries: true }));
        let at = |millis: i64| Seen { at: Timestamp::from_micros(millis * 1_000), ..REQUEST };

        assert_eq!(faults.fire(at(0)), Some(("fault-1".to_owned(), effect)));
        assert_eq!(faults.fire(at(900)), repetition);
        assert_eq!(faults.fire(Seen { full_path: "/users/me", ..at(901) }), None);
        assert_eq!(faults.fire(at(1_800)), repetition);
        assert_eq!(faults.rules()[0].fired, 1);
        assert_eq!(faults.fire(at(2_900)), None);
    }

    #[test]
    fn a_reset_installs_standing_rules_again_and_no_others() {
        let mut faults = Faults::new(0);
        faults.install_standing(rule(0, None, Some(1)));
        faults.install(rule(0, None, None));
        let anywhere = faults.rules()[0].fired_anywhere.clone();
        assert_eq!(fired(&mut faults, 1), [true]);

        faults.reset(0);

        assert_eq!(fired(&mut faults, 3), [true, false, false]);
        assert_eq!((faults.rules().len(), anywhere.load(Ordering::Relaxed)), (1, 2));
    }

    #[test]
    fn chance_follows_from_the_seed() {
        let flaky = |seed| {
            let mut faults = Faults::new(seed);
            faults.install(rule(0, Some(0.5), None));
            fired(&mut faults, 64)
        };

        assert_eq!(flaky(1), flaky(1));
        assert_ne!(flaky(1), flaky(2));
        assert!(flaky(1).contains(&true) && flaky(1).contains(&false));
    }

    #[test]
    fn the_first_rule_that_fires_applies_alone() {
        let mut faults = Faults::new(0);
        faults.install(rule(0, None, Some(1)));
        faults.install(rule(0, None, None));

        assert_eq!(faults.fire(REQUEST).map(|(id, _)| id), Some("fault-1".to_owned()));
        assert_eq!(faults.fire(REQUEST).map(|(id, _)| id), Some("fault-2".to_owned()));
        assert_eq!(faults.rules()[1].passed, 0);
    }
}
