//! Drawing faults: a grammar over what was seen, so that each fault can fire, weighted to those that find most (A-512).

use super::seen::{Operation, Seen};
use crate::realm::seeded_rng::SeededRng;
use serde_json::{Map, Value, json};

/// The faults of a run: the same for the same seed, number and requests.
pub fn faults(seen: &Seen, seed: u64, run: u32, most: u32) -> Vec<Value> {
    let mut chance = Chance::of(seed, run);
    let kinds: Vec<(&Kind, Vec<Target>)> =
        KINDS.iter().map(|kind| (kind, (kind.targets)(seen))).filter(|(_, targets)| !targets.is_empty()).collect();
    let count = 1 + chance.below(most as usize);
    let mut rules: Vec<Value> = (0..count)
        .filter_map(|_| {
            let (kind, targets) = chance.weighted(&kinds, |(kind, _)| kind.weight)?;
            let target = chance.pick(targets)?;
            let effect = (kind.effect)(target, &mut chance);
            Some(target.rule(effect, kind.most_times, &mut chance))
        })
        .collect();
    // The first rule that fires applies alone: one for all requests would leave nothing to the others.
    rules.sort_by_key(|rule| rule["match"]["path"].is_null());
    rules
}

/// Numbers that follow from a seed.
struct Chance(SeededRng);

impl Chance {
    fn of(seed: u64, run: u32) -> Self {
        Self(SeededRng::from_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(run.into())))
    }

    /// A number from 0 to below a limit.
    fn below(&mut self, limit: usize) -> usize {
        let [word] = self.0.words();
        word as usize % limit.max(1)
    }

    fn pick<'all, T>(&mut self, all: &'all [T]) -> Option<&'all T> {
        all.get(self.below(all.len()))
    }

    fn weighted<'all, T>(&mut self, all: &'all [T], weight: impl Fn(&T) -> usize) -> Option<&'all T> {
        let mut place = self.below(all.iter().map(&weight).sum());
        all.iter().find(|one| {
            let is_here = place < weight(one);
            place = place.saturating_sub(weight(one));
            is_here
        })
    }
}

/// Requests that a fault can meet.
#[derive(Clone, Debug)]
struct Target {
    /// As a rule has them: method and path of an operation, or a user.
    matching: Value,
    /// How many pass first, one of these.
    after: Vec<usize>,
    /// Bytes of the longest reply.
    longest: usize,
}

impl Target {
    fn of(method: &str, route: &'static str, operation: &Operation) -> Self {
        let after = (0..operation.requests).collect();
        Self { matching: json!({"method": method, "path": route}), after, longest: operation.longest }
    }

    fn rule(&self, effect: Value, most_times: Option<usize>, chance: &mut Chance) -> Value {
        let mut rule = Map::from_iter([("match".to_owned(), self.matching.clone())]);
        let after = chance.pick(&self.after).copied().unwrap_or_default();
        if after > 0 {
            rule.insert("after".into(), after.into());
        }
        if let Some(most) = most_times {
            rule.insert("times".into(), (1 + chance.below(most)).into());
        }
        rule.insert("effect".into(), effect);
        rule.into()
    }
}

/// A kind of fault.
struct Kind {
    weight: usize,
    /// How often it fires, at most; None: without end.
    most_times: Option<usize>,
    targets: fn(&Seen) -> Vec<Target>,
    effect: fn(&Target, &mut Chance) -> Value,
}

const fn kind(
    weight: usize,
    most_times: Option<usize>,
    targets: fn(&Seen) -> Vec<Target>,
    effect: fn(&Target, &mut Chance) -> Value,
) -> Kind {
    Kind { weight, most_times, targets, effect }
}

static KINDS: &[Kind] = &[
    // The reply of a write is lost: a client may do it twice.
    kind(8, Some(1), writes, |_, _| json!({"drop": "after"})),
    // The queue is lost between two polls: a client has to register again, and to fetch what it missed.
    kind(8, Some(1), |seen| polls(seen, later), |_, _| json!({"lose_queue": true})),
    kind(4, Some(1), |seen| operations(seen, |_, route, _| route == REGISTER), cut),
    // An event arrives before the reply to what caused it.
    kind(4, Some(1), causes, |_, chance| json!({"delay_ms": 200 * (1 + chance.below(5))})),
    kind(4, Some(2), |seen| polls(seen, |seen| seen.acknowledging.clone()), |_, _| json!({"events": "repeat"})),
    kind(3, Some(2), |seen| polls(seen, |seen| seen.with_events.clone()), |_, _| json!({"events": "hold"})),
    kind(2, Some(3), |seen| polls(seen, |seen| seen.with_several.clone()), |_, _| json!({"events": "one_by_one"})),
    // A poll takes longer than a client waits.
    kind(2, Some(1), |seen| polls(seen, all), |_, chance| json!({"delay_ms": chance.pick(&[1_500, 4_000, 12_000])})),
    // A user's network is weak: everything takes long, or some connections break. Without a user, the requests would be
    // among them with which tests get keys.
    kind(2, None, |seen| callers(seen, 1), |_, chance| json!({"delay_ms": 100 * (1 + chance.below(4))})),
    kind(2, Some(2), |seen| callers(seen, usize::MAX), |_, _| json!({"drop": "before"})),
    // What happens to any operation on a bad day.
    kind(1, Some(1), |seen| operations(seen, |_, _, _| true), |_, _| json!({"drop": "before"})),
    kind(1, Some(1), |seen| operations(seen, |_, _, _| true), |_, _| json!({"rate_limit": {"retry_after": 1}})),
    kind(1, Some(1), |seen| operations(seen, |_, _, _| true), |_, _| json!({"garbage": true})),
    kind(
        1,
        Some(1),
        |seen| operations(seen, |_, _, _| true),
        |_, _| json!({"error": {"status": 500, "code": "INTERNAL_SERVER_ERROR", "msg": "Internal server error"}}),
    ),
];

const REGISTER: &str = "/register";
const EVENTS: &str = "/events";

fn operations(seen: &Seen, is_meant: fn(&str, &str, &Operation) -> bool) -> Vec<Target> {
    let meant = seen.operations().filter(|(method, route, operation)| is_meant(method, route, operation));
    meant.map(|(method, route, operation)| Target::of(method, route, operation)).collect()
}

/// Requests that change something for good: a queue is none of that.
fn writes(seen: &Seen) -> Vec<Target> {
    operations(seen, |method, route, _| method != "GET" && route != REGISTER && route != EVENTS)
}

/// Writes whose events somebody polls for.
fn causes(seen: &Seen) -> Vec<Target> {
    if seen.operation("GET", EVENTS).is_none() {
        return Vec::new();
    }
    operations(seen, |method, _, operation| method != "GET" && operation.has_events)
}

/// Some of the polls.
fn polls(seen: &Seen, which: fn(&Seen) -> Vec<usize>) -> Vec<Target> {
    let Some(operation) = seen.operation("GET", EVENTS) else { return Vec::new() };
    let after = which(seen);
    if after.is_empty() { Vec::new() } else { vec![Target { after, ..Target::of("GET", EVENTS, operation) }] }
}

fn all(seen: &Seen) -> Vec<usize> {
    (0..seen.operation("GET", EVENTS).map_or(0, |operation| operation.requests)).collect()
}

/// All polls but the first; where there is one only, that.
fn later(seen: &Seen) -> Vec<usize> {
    let all = all(seen);
    if all.len() > 1 { all[1..].to_vec() } else { all }
}

/// All requests of a user, of which fewer than a limit pass first.
fn callers(seen: &Seen, limit: usize) -> Vec<Target> {
    let target = |(user, requests): (&str, usize)| Target {
        matching: json!({"user": user}),
        after: (0..requests.min(limit)).collect(),
        longest: 0,
    };
    seen.callers().map(target).collect()
}

/// A reply breaks off: at its beginning, within, or near its end.
fn cut(target: &Target, chance: &mut Chance) -> Value {
    let at: Vec<usize> = [0, 1, 100, 1_000].into_iter().filter(|at| *at < target.longest.max(1)).collect();
    json!({"truncate_at": chance.pick(&at)})
}

#[cfg(test)]
mod tests {
    use super::super::seen::Request;
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// What a client did that registers, sends and polls.
    fn seen() -> Seen {
        let mut seen = Seen::default();
        let mut add = |method, route, last: &str, reply: &str, has_events| {
            let params = BTreeMap::from([("queue_id".into(), "q".into()), ("last_event_id".into(), last.into())]);
            let (user, reply) = ((route != "/dev_fetch_api_key").then_some("mel@chat.test"), reply.as_bytes());
            seen.add(Request { method, route, user, params: &params, status: 200, reply, has_events });
        };
        add("POST", "/dev_fetch_api_key", "", "{}", false);
        add("POST", "/register", "", r#"{"queue_id":"q","last_event_id":-1}"#, false);
        add("POST", "/messages", "", r#"{"id":1}"#, true);
        add("GET", "/events", "-1", r#"{"events":[{"id":0},{"id":1}]}"#, false);
        add("GET", "/events", "1", r#"{"events":[]}"#, false);
        seen
    }

    #[test]
    fn faults_follow_from_the_seed_and_there_are_no_more_than_asked_for() {
        let seen = seen();
        assert_eq!(faults(&seen, 1, 1, 8), faults(&seen, 1, 1, 8));
        assert_ne!(faults(&seen, 1, 1, 8), faults(&seen, 2, 1, 8));
        assert_ne!(faults(&seen, 1, 1, 8), faults(&seen, 1, 2, 8));
        let counts: BTreeSet<usize> = (0..200).map(|run| faults(&seen, 3, run, 4).len()).collect();
        assert_eq!(counts, BTreeSet::from([1, 2, 3, 4]));
    }

    #[test]
    fn every_fault_can_fire_on_what_was_seen() {
        let seen = seen();
        let mut effects = BTreeSet::new();
        for rule in (0..500).flat_map(|run| faults(&seen, 1, run, 8)) {
            let (method, path) = (rule["match"]["method"].as_str(), rule["match"]["path"].as_str());
            let after = rule["after"].as_u64().unwrap_or_default();
            let requests = match (method, path) {
                (Some("POST"), Some("/register" | "/messages")) => 1,
                (Some("GET"), Some("/events")) => 2,
                (None, None) if rule["match"]["user"] == "mel@chat.test" => 4,
                other => panic!("{other:?} was not seen: {rule}"),
            };
            assert!(after < requests, "{rule}");
            let effect = &rule["effect"];
            match effect["events"].as_str() {
                Some("repeat") => assert_eq!(after, 1, "{rule}"),
                Some("hold" | "one_by_one") => assert_eq!(after, 0, "{rule}"),
                _ => {}
            }
            effects.extend(effect.as_object().into_iter().flatten().map(|(name, value)| format!("{name} {value}")));
        }
        let has = |beginning: &str| effects.iter().any(|effect| effect.starts_with(beginning));
        for effect in [
            "drop \"after\"",
            "drop \"before\"",
            "lose_queue",
            "truncate_at",
            "delay_ms",
            "events \"repeat\"",
            "events \"hold\"",
            "events \"one_by_one\"",
            "garbage",
            "error",
            "rate_limit",
        ] {
            assert!(has(effect), "{effect} is never drawn: {effects:?}");
        }
    }

    #[test]
    fn no_fault_meets_the_requests_with_which_tests_get_keys() {
        for seed in 0..20 {
            for rule in (1..=20).flat_map(|run| faults(&seen(), seed, run, 8)) {
                let matching = &rule["match"];
                let is_of_another = matching["path"].as_str().is_some_and(|path| path != "/dev_fetch_api_key");
                assert!(is_of_another || matching["user"].is_string(), "{rule}");
            }
        }
    }

    #[test]
    fn what_several_worlds_saw_counts_as_the_most_that_one_saw() {
        let mut joined = seen();
        joined.join(seen());
        for rule in (0..200).flat_map(|run| faults(&joined, 1, run, 8)) {
            assert!(rule["after"].as_u64().unwrap_or_default() < 4, "{rule}");
        }
        assert_eq!(faults(&joined, 1, 1, 8), faults(&seen(), 1, 1, 8));
    }

    #[test]
    fn lost_replies_and_lost_queues_are_among_the_first_runs() {
        let seen = seen();
        for seed in 0..100 {
            let drawn: Vec<Value> = (1..=10).flat_map(|run| faults(&seen, seed, run, 8)).collect();
            for effect in [json!({"drop": "after"}), json!({"lose_queue": true})] {
                assert!(drawn.iter().any(|rule| rule["effect"] == effect), "seed {seed} draws no {effect}");
            }
        }
    }
}
