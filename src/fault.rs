//! Faults: rules that make requests fail as a network, a proxy or the push relay would (contract, Faults).

use crate::realm::chance::Chance;
use serde_json::{Map, Value};

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
}

/// Which requests a rule is for; what is not given holds for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// HTTP method.
    pub method: Option<String>,
    /// Path of an operation, with its placeholders.
    pub path: Option<String>,
    /// Address of the caller.
    pub user: Option<String>,
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
        /// `code`, `msg` and what else stands in it.
        fields: Map<String, Value>,
    },
    /// 429 with `retry-after`; nothing is done.
    RateLimit {
        /// Seconds, a JSON number.
        retry_after: Value,
    },
    /// The connection closes before the operation is carried out.
    DropBefore,
    /// The connection closes after the operation was carried out.
    DropAfter,
    /// Carried out; the body breaks off after so many bytes.
    TruncateAt(u64),
    /// Carried out; the body is a proxy's page.
    Garbage,
    /// The caller's queues are gone, then the request goes on.
    LoseQueue,
}

/// How the push relay fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bouncer {
    /// `FAILED_TO_CONNECT_BOUNCER`
    Unreachable,
    /// `INTERNAL_SERVER_ERROR_ON_BOUNCER`
    ServerError,
    /// `ADMIN_ACTION_REQUIRED`
    AdminActionRequired,
}

/// A request as rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// HTTP method.
    pub method: &'a str,
    /// Path of its operation with placeholders; None when no operation has its path.
    pub path: Option<&'a str>,
    /// Address of the caller, as the credentials have it.
    pub user: Option<&'a str>,
    /// Whether the operation asks the push relay.
    pub asks_relay: bool,
}

/// A world's rules, in the order in which they were installed.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rules: Vec<Rule>,
    chance: Chance,
    installed: u64,
}

impl Faults {
    /// No rules; probabilities follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self { rules: Vec::new(), chance: Chance::from_seed(seed ^ 0x0066_6175_6c74), installed: 0 }
    }

    /// Installs a rule; gives its id.
    pub fn install(&mut self, mut rule: Rule) -> String {
        self.installed += 1;
        rule.id = format!("fault-{}", self.installed);
        let id = rule.id.clone();
        self.rules.push(rule);
        id
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
        for rule in rules {
            let is_relays = matches!(rule.effect, Effect::Bouncer(_));
            if !rule.matching.matches(seen) || (is_relays && !seen.asks_relay) {
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
            return Some((rule.id.clone(), rule.effect.clone()));
        }
        None
    }
}

impl Matching {
    fn matches(&self, seen: Seen<'_>) -> bool {
        self.method.as_deref().is_none_or(|method| method == seen.method)
            && self.path.as_deref().is_none_or(|path| Some(path) == seen.path)
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
        }
    }

    const REQUEST: Seen<'_> = Seen { method: "GET", path: Some("/users"), user: None, asks_relay: false };

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
