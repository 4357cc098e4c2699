//! Draws random faults that can fire on the observed requests (A-512). Faults that uncover more bugs in clients have
//! larger weights; the weights are estimates.

use super::observed_requests::{ObservedOperation, ObservedRequests};
use crate::realm::seeded_rng::SeededRng;
use serde_json::{Map, Value, json};

/// Draws the faults of a run, from 1 to `max_count`. They depend only on the arguments.
pub fn draw_faults(observed_requests: &ObservedRequests, seed: u64, run: u32, max_count: u32) -> Vec<Value> {
    let mut random = RandomNumbers::new(seed, run);
    let kinds_and_targets: Vec<(&FaultKind, Vec<Target>)> = FAULT_KINDS
        .iter()
        .map(|fault_kind| (fault_kind, (fault_kind.targets)(observed_requests)))
        .filter(|(_, targets)| !targets.is_empty())
        .collect();
    let count = 1 + random.next_below(max_count as usize);
    let mut faults: Vec<Value> = (0..count)
        .filter_map(|_| {
            let (fault_kind, targets) =
                random.choose_weighted(&kinds_and_targets, |(fault_kind, _)| fault_kind.weight)?;
            let target = random.choose(targets)?;
            let effect = (fault_kind.effect)(target, &mut random);
            Some(target.create_fault(effect, fault_kind.max_times, &mut random))
        })
        .collect();
    // Only the first matching fault applies, so faults for all requests of a user come last.
    faults.sort_by_key(|fault| fault["match"]["path"].is_null());
    faults
}

/// Random choices that depend only on a seed and the number of a run.
struct RandomNumbers(SeededRng);

impl RandomNumbers {
    fn new(seed: u64, run: u32) -> Self {
        // The odd multiplier, from the golden ratio, spreads neighbouring seeds over the whole range.
        Self(SeededRng::from_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(run.into())))
    }

    fn next_below(&mut self, limit: usize) -> usize {
        let [word] = self.0.next_words();
        word as usize % limit.max(1)
    }

    fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.next_below(items.len()))
    }

    fn choose_weighted<'a, T>(&mut self, items: &'a [T], weight: impl Fn(&T) -> usize) -> Option<&'a T> {
        let mut position = self.next_below(items.iter().map(&weight).sum());
        items.iter().find(|item| {
            let is_chosen = position < weight(item);
            position = position.saturating_sub(weight(item));
            is_chosen
        })
    }
}

/// Requests that a fault can affect.
#[derive(Clone, Debug)]
struct Target {
    /// The value of `match` in a fault: method and path of an operation, or a user.
    filter: Value,
    /// The possible values of `after`: how many of these requests pass before the fault fires.
    after: Vec<usize>,
    /// Length of the longest reply; 0 for the requests of a user, which may be of any operation.
    longest_reply_bytes: usize,
}

impl Target {
    fn for_operation(method: &str, route: &'static str, operation: &ObservedOperation) -> Self {
        let after = (0..operation.request_count).collect();
        Self {
            filter: json!({"method": method, "path": route}),
            after,
            longest_reply_bytes: operation.longest_reply_bytes,
        }
    }

    fn create_fault(&self, effect: Value, max_times: Option<usize>, random: &mut RandomNumbers) -> Value {
        let mut fault = Map::from_iter([("match".to_owned(), self.filter.clone())]);
        let after = random.choose(&self.after).copied().unwrap_or_default();
        if after > 0 {
            fault.insert("after".into(), after.into());
        }
        if let Some(max_times) = max_times {
            fault.insert("times".into(), (1 + random.next_below(max_times)).into());
        }
        fault.insert("effect".into(), effect);
        fault.into()
    }
}

/// A kind of fault to draw, with the requests that it can affect.
struct FaultKind {
    /// How often the kind is drawn, relative to the others.
    weight: usize,
    /// The maximum of `times`; None for faults that fire without limit.
    max_times: Option<usize>,
    targets: fn(&ObservedRequests) -> Vec<Target>,
    effect: fn(&Target, &mut RandomNumbers) -> Value,
}

const fn fault_kind(
    weight: usize,
    max_times: Option<usize>,
    targets: fn(&ObservedRequests) -> Vec<Target>,
    effect: fn(&Target, &mut RandomNumbers) -> Value,
) -> FaultKind {
    FaultKind { weight, max_times, targets, effect }
}

static FAULT_KINDS: &[FaultKind] = &[
    // The reply to a write is lost: the client may repeat the write.
    fault_kind(8, Some(1), write_targets, |_, _| json!({"drop": "after"})),
    // The queue is lost between two polls: the client has to register again and fetch what it missed.
    fault_kind(
        8,
        Some(1),
        |observed_requests| poll_targets(observed_requests, later_polls),
        |_, _| json!({"lose_queue": true}),
    ),
    // The register reply breaks off: the client has no queue, and does not know that the server has one.
    fault_kind(
        4,
        Some(1),
        |observed_requests| operation_targets(observed_requests, |_, route, _| route == REGISTER),
        truncation_effect,
    ),
    // An event arrives before the reply to the request that caused it.
    fault_kind(4, Some(1), polled_write_targets, |_, random| json!({"delay_ms": 200 * (1 + random.next_below(5))})),
    // Events come twice: the client has to ignore those that it knows.
    fault_kind(
        4,
        Some(2),
        |observed_requests| {
            poll_targets(observed_requests, |observed_requests| observed_requests.acknowledging_polls.clone())
        },
        |_, _| json!({"events": "repeat"}),
    ),
    // Events come late, with a later poll.
    fault_kind(
        3,
        Some(2),
        |observed_requests| {
            poll_targets(observed_requests, |observed_requests| observed_requests.polls_with_events.clone())
        },
        |_, _| json!({"events": "hold"}),
    ),
    // Events that one poll would return come with several.
    fault_kind(
        2,
        Some(3),
        |observed_requests| {
            poll_targets(observed_requests, |observed_requests| observed_requests.polls_with_several_events.clone())
        },
        |_, _| json!({"events": "one_by_one"}),
    ),
    // A poll takes longer than the client's timeout.
    fault_kind(
        2,
        Some(1),
        |observed_requests| poll_targets(observed_requests, all_polls),
        |_, random| json!({"delay_ms": random.choose(&[1_500, 4_000, 12_000])}),
    ),
    // A user has a bad network: replies are late, or connections break. Without a user, these faults would also affect
    // the requests with which tests get API keys.
    fault_kind(
        2,
        None,
        |observed_requests| user_targets(observed_requests, 1),
        |_, random| json!({"delay_ms": 100 * (1 + random.next_below(4))}),
    ),
    fault_kind(
        2,
        Some(2),
        |observed_requests| user_targets(observed_requests, usize::MAX),
        |_, _| json!({"drop": "before"}),
    ),
    // Failures that any operation can have.
    fault_kind(
        1,
        Some(1),
        |observed_requests| operation_targets(observed_requests, |_, _, _| true),
        |_, _| json!({"drop": "before"}),
    ),
    fault_kind(
        1,
        Some(1),
        |observed_requests| operation_targets(observed_requests, |_, _, _| true),
        |_, _| json!({"rate_limit": {"retry_after": 1}}),
    ),
    fault_kind(
        1,
        Some(1),
        |observed_requests| operation_targets(observed_requests, |_, _, _| true),
        |_, _| json!({"garbage": true}),
    ),
    fault_kind(
        1,
        Some(1),
        |observed_requests| operation_targets(observed_requests, |_, _, _| true),
        |_, _| json!({"error": {"status": 500}}),
    ),
];

const REGISTER: &str = "/register";
const EVENTS: &str = "/events";

fn operation_targets(
    observed_requests: &ObservedRequests,
    is_target: fn(&str, &str, &ObservedOperation) -> bool,
) -> Vec<Target> {
    let targets =
        observed_requests.operations().filter(|(method, route, operation)| is_target(method, route, operation));
    targets.map(|(method, route, operation)| Target::for_operation(method, route, operation)).collect()
}

/// Requests that change the organization, unlike reads and requests for queues.
fn write_targets(observed_requests: &ObservedRequests) -> Vec<Target> {
    operation_targets(observed_requests, |method, route, _| method != "GET" && route != REGISTER && route != EVENTS)
}

/// Writes that emit events, if there are polls.
fn polled_write_targets(observed_requests: &ObservedRequests) -> Vec<Target> {
    if observed_requests.operation("GET", EVENTS).is_none() {
        return Vec::new();
    }
    operation_targets(observed_requests, |method, _, operation| method != "GET" && operation.has_events)
}

fn poll_targets(observed_requests: &ObservedRequests, select: fn(&ObservedRequests) -> Vec<usize>) -> Vec<Target> {
    let Some(operation) = observed_requests.operation("GET", EVENTS) else { return Vec::new() };
    let after = select(observed_requests);
    if after.is_empty() {
        Vec::new()
    } else {
        vec![Target { after, ..Target::for_operation("GET", EVENTS, operation) }]
    }
}

fn all_polls(observed_requests: &ObservedRequests) -> Vec<usize> {
    (0..observed_requests.operation("GET", EVENTS).map_or(0, |operation| operation.request_count)).collect()
}

/// All polls except the first; the first one if it is the only one.
fn later_polls(observed_requests: &ObservedRequests) -> Vec<usize> {
    let all_polls = all_polls(observed_requests);
    if all_polls.len() > 1 { all_polls[1..].to_vec() } else { all_polls }
}

/// The requests of each user, with fewer than `limit` requests that pass first.
fn user_targets(observed_requests: &ObservedRequests, limit: usize) -> Vec<Target> {
    let target = |(user, request_count): (&str, usize)| Target {
        filter: json!({"user": user}),
        after: (0..request_count.min(limit)).collect(),
        longest_reply_bytes: 0,
    };
    observed_requests.users().map(target).collect()
}

/// An effect that cuts the reply off, at one of several lengths.
fn truncation_effect(target: &Target, random: &mut RandomNumbers) -> Value {
    let lengths: Vec<usize> =
        [0, 1, 100, 1_000].into_iter().filter(|length| *length < target.longest_reply_bytes.max(1)).collect();
    json!({"truncate_at": random.choose(&lengths)})
}

#[cfg(test)]
mod tests {
    use super::super::observed_requests::ObservedRequest;
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The requests of a client that registers, sends a message and polls.
    fn observed_requests() -> ObservedRequests {
        let mut observed_requests = ObservedRequests::default();
        let mut add = |method, route, last: &str, reply: &str, has_events| {
            let params = BTreeMap::from([("queue_id".into(), "q".into()), ("last_event_id".into(), last.into())]);
            let (user, reply) = ((route != "/dev_fetch_api_key").then_some("mel@chat.test"), reply.as_bytes());
            observed_requests.add(ObservedRequest {
                method,
                route,
                user,
                params: &params,
                status: 200,
                reply,
                has_events,
            });
        };
        add("POST", "/dev_fetch_api_key", "", "{}", false);
        add("POST", "/register", "", r#"{"queue_id":"q","last_event_id":-1}"#, false);
        add("POST", "/messages", "", r#"{"id":1}"#, true);
        add("GET", "/events", "-1", r#"{"events":[{"id":0},{"id":1}]}"#, false);
        add("GET", "/events", "1", r#"{"events":[]}"#, false);
        observed_requests
    }

    #[test]
    fn faults_depend_on_the_seed_and_the_run_and_are_limited_in_number() {
        let observed_requests = observed_requests();
        assert_eq!(draw_faults(&observed_requests, 1, 1, 8), draw_faults(&observed_requests, 1, 1, 8));
        assert_ne!(draw_faults(&observed_requests, 1, 1, 8), draw_faults(&observed_requests, 2, 1, 8));
        assert_ne!(draw_faults(&observed_requests, 1, 1, 8), draw_faults(&observed_requests, 1, 2, 8));
        let counts: BTreeSet<usize> = (0..200).map(|run| draw_faults(&observed_requests, 3, run, 4).len()).collect();
        assert_eq!(counts, BTreeSet::from([1, 2, 3, 4]));
    }

    #[test]
    fn every_fault_can_fire_on_the_observed_requests() {
        let observed_requests = observed_requests();
        let mut effects = BTreeSet::new();
        for fault in (0..500).flat_map(|run| draw_faults(&observed_requests, 1, run, 8)) {
            let (method, path) = (fault["match"]["method"].as_str(), fault["match"]["path"].as_str());
            let after = fault["after"].as_u64().unwrap_or_default();
            let request_count = match (method, path) {
                (Some("POST"), Some("/register" | "/messages")) => 1,
                (Some("GET"), Some("/events")) => 2,
                (None, None) if fault["match"]["user"] == "mel@chat.test" => 4,
                other => panic!("{other:?} was not observed: {fault}"),
            };
            assert!(after < request_count, "{fault}");
            let effect = &fault["effect"];
            match effect["events"].as_str() {
                Some("repeat") => assert_eq!(after, 1, "{fault}"),
                Some("hold" | "one_by_one") => assert_eq!(after, 0, "{fault}"),
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
    fn no_fault_affects_the_requests_with_which_tests_get_keys() {
        for seed in 0..20 {
            for fault in (1..=20).flat_map(|run| draw_faults(&observed_requests(), seed, run, 8)) {
                let filter = &fault["match"];
                let has_other_path = filter["path"].as_str().is_some_and(|path| path != "/dev_fetch_api_key");
                assert!(has_other_path || filter["user"].is_string(), "{fault}");
            }
        }
    }

    #[test]
    fn the_largest_counts_of_several_worlds_apply() {
        let mut merged = observed_requests();
        merged.merge(observed_requests());
        for fault in (0..200).flat_map(|run| draw_faults(&merged, 1, run, 8)) {
            assert!(fault["after"].as_u64().unwrap_or_default() < 4, "{fault}");
        }
        assert_eq!(draw_faults(&merged, 1, 1, 8), draw_faults(&observed_requests(), 1, 1, 8));
    }

    #[test]
    fn lost_replies_and_lost_queues_are_among_the_first_runs() {
        let observed_requests = observed_requests();
        for seed in 0..100 {
            let faults_of_runs: Vec<Value> =
                (1..=10).flat_map(|run| draw_faults(&observed_requests, seed, run, 8)).collect();
            for effect in [json!({"drop": "after"}), json!({"lose_queue": true})] {
                assert!(faults_of_runs.iter().any(|fault| fault["effect"] == effect), "seed {seed} draws no {effect}");
            }
        }
    }
}
