//! Faults, which make a world's requests fail, or change their replies, as a network, a proxy, the push relay or
//! another server would.

mod dropped_request;
pub mod network;
pub mod rate_limit;

use crate::realm::seeded_rng::SeededRng;
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use dropped_request::DroppedRequest;

/// The largest delay of a reply, and the largest latency and jitter of a network: an hour.
pub const MAX_DELAY_MS: u64 = 3_600_000;

/// The fault ID in the journal for requests and replies that the network lost.
pub const NETWORK_FAULT_ID: &str = "network";

/// A fault, which may be installed in several worlds.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The JSON that the control call or the command line sent.
    pub source: Value,
    pub conditions: RequestConditions,
    /// The number of matching requests that pass before the fault may fire.
    pub after: u64,
    /// The chance that the fault fires for a request, from 0 to 1; None means always.
    pub probability: Option<f64>,
    /// How often the fault fires at most; None means without limit.
    pub max_fires: Option<u64>,
    pub effect: Effect,
    /// How often the fault fired in all worlds that share it, resets included.
    pub fire_count_in_all_worlds: Arc<AtomicU64>,
}

/// A fault of a world, with its counters there.
#[derive(Clone, Debug)]
pub struct InstalledFault {
    /// `fault-1`, `fault-2` and so on, in the order of installation.
    pub id: String,
    pub fault: Fault,
    /// The number of matching requests that passed because of `after` or `probability`.
    pub pass_count: u64,
    /// How often the fault fired in this world since it was installed.
    pub fire_count: u64,
    /// The requests whose retries are dropped too.
    pub dropped_requests: Vec<DroppedRequest>,
}

/// The method of polls, to which `Effect::Events` applies.
pub const POLL_METHOD: &str = "GET";
/// The path of polls.
pub const POLL_PATH: &str = "/events";
/// The prefix of the paths of operations that call the push relay.
pub const RELAY_PATH_PREFIX: &str = "/mobile_push/";

/// The conditions on a request; an absent condition matches every request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestConditions {
    pub method: Option<String>,
    /// Path of an operation with its placeholders, such as `/messages/{message_id}`, or of a kind of files.
    pub path: Option<String>,
    /// Email address of the caller; ASCII case is ignored.
    pub user: Option<String>,
    /// Parameters that the request must have, with their text values.
    pub params: BTreeMap<String, String>,
}

/// What a fault does to a request or its reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// The push relay fails.
    PushRelayFailure(PushRelayFailure),
    /// The reply is delayed by this many milliseconds of real time.
    DelayMs(u64),
    /// The request is not carried out and gets this reply.
    Error {
        status: u16,
        /// The body: `code`, `msg` and any further fields.
        fields: Map<String, Value>,
    },
    /// The request is not carried out and gets the HTML page of a gateway with this status.
    Gateway(u16),
    /// The request is not carried out and gets status 429.
    RateLimit {
        /// Seconds, as a JSON number that may have a fraction.
        retry_after: Value,
    },
    /// The connection closes without a reply.
    Drop {
        /// Whether the operation is carried out all the same, so that only the reply is lost.
        is_carried_out: bool,
        /// Whether retries of the request are dropped too, while each follows within a second of the one before.
        drops_retries: bool,
    },
    /// The events of a poll are changed.
    Events(Disturbance),
    /// The request is carried out; the body of the reply breaks off after this many bytes.
    TruncateAt(u64),
    /// The request is carried out; a successful reply gets these values at its top level. Null removes a key.
    Change(Map<String, Value>),
    /// The request is carried out; the `msg` of a failed reply is written in accented letters, as if translated.
    PseudoLocalize,
    /// The request is carried out; the reply is the HTML page of a proxy.
    Garbage,
    /// The caller's queues are ended before the request is carried out.
    LoseQueue,
}

/// How the events of a poll are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// The events that the last poll acknowledged are delivered again, before new ones.
    Repeat,
    /// No event is delivered; the undelivered ones follow with the next poll.
    Hold,
    /// Each poll delivers a single event.
    OneByOne,
    /// An event of an unknown type is added, and an unknown field to the reply and to each event.
    Unknown,
}

/// How the push relay fails, which the codes of the API call *bouncer*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushRelayFailure {
    /// Replied as `FAILED_TO_CONNECT_BOUNCER`.
    Unreachable,
    /// Replied as `INTERNAL_SERVER_ERROR_ON_BOUNCER`.
    ServerError,
    /// Replied as `ADMIN_ACTION_REQUIRED`.
    AdminActionRequired,
}

/// The properties of a request that faults are matched against.
#[derive(Clone, Copy, Debug)]
pub struct RequestView<'a> {
    pub method: &'a str,
    /// Path of the operation with placeholders, or of the kind of files; None when the path belongs to neither.
    pub path: Option<&'a str>,
    /// The path of the request itself.
    pub full_path: &'a str,
    pub params: &'a BTreeMap<String, String>,
    /// Email address in the credentials, which may belong to no account.
    pub user: Option<&'a str>,
    /// Whether the operation calls the push relay.
    pub calls_push_relay: bool,
    /// Real time, not the world's clock.
    pub at: Timestamp,
}

/// A world's faults, in the order in which they were installed.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    faults: Vec<InstalledFault>,
    /// Faults that a reset installs again.
    permanent_faults: Vec<Fault>,
    rng: SeededRng,
    installed_count: u64,
}

impl Faults {
    /// Returns an empty set of faults, whose random draws follow from the seed.
    pub fn new(seed: u64) -> Self {
        // The constant is `fault` in ASCII. It makes the draws differ from those of the world.
        Self { rng: SeededRng::from_seed(seed ^ 0x0066_6175_6c74), ..Self::default() }
    }

    /// Installs a fault and returns its new ID.
    pub fn install(&mut self, fault: Fault) -> String {
        self.installed_count += 1;
        let id = format!("fault-{}", self.installed_count);
        self.faults.push(InstalledFault {
            id: id.clone(),
            fault,
            pass_count: 0,
            fire_count: 0,
            dropped_requests: Vec::new(),
        });
        id
    }

    /// Installs a fault that a reset installs again.
    pub fn install_permanent(&mut self, fault: Fault) {
        self.permanent_faults.push(fault.clone());
        self.install(fault);
    }

    /// Removes all faults and installs the permanent ones again, with the counters of this world at 0.
    pub fn reset(&mut self, seed: u64) {
        let permanent_faults = std::mem::take(&mut self.permanent_faults);
        *self = Self::new(seed);
        permanent_faults.into_iter().for_each(|fault| self.install_permanent(fault));
    }

    /// All faults, including those that fired as often as they may.
    pub fn all(&self) -> &[InstalledFault] {
        &self.faults
    }

    /// The `effect` of a fault, in the JSON that was sent; None if no fault has this ID.
    pub fn effect_as_sent(&self, id: &str) -> Option<Value> {
        let installed = self.faults.iter().find(|installed| installed.id == id);
        installed.map(|installed| installed.fault.source["effect"].clone())
    }

    /// Removes all faults, also the permanent ones until the next reset.
    pub fn clear(&mut self) {
        self.faults.clear();
    }

    /// Removes a fault; returns false when no fault has this ID.
    pub fn remove(&mut self, id: &str) -> bool {
        let count_before = self.faults.len();
        self.faults.retain(|fault| fault.id != id);
        self.faults.len() < count_before
    }

    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns the ID and effect of the first fault that fires for a request, and updates the counters. A fault that
    /// drops the request as a retry comes before all others, and does not count as fired. A fault's conditions are
    /// checked in the order match, `after`, `times`, `probability`.
    pub fn fire(&mut self, request: RequestView<'_>) -> Option<(String, Effect)> {
        let Self { faults, rng, .. } = self;
        let dropping_fault = |fault: &mut InstalledFault| fault.drops_as_retry(request).then(|| fault.id.clone());
        if let Some(id) = faults.iter_mut().find_map(dropping_fault) {
            return Some((id, Effect::Drop { is_carried_out: false, drops_retries: true }));
        }
        for installed in faults {
            let fault = &installed.fault;
            if !fault.conditions.matches(request) || !fault.effect.applies_to(request) {
                continue;
            }
            if installed.pass_count < fault.after {
                installed.pass_count += 1;
                continue;
            }
            if fault.max_fires.is_some_and(|max| installed.fire_count >= max) {
                continue;
            }
            if fault.probability.is_some_and(|probability| rng.next_fraction() >= probability) {
                installed.pass_count += 1;
                continue;
            }
            installed.fire_count += 1;
            fault.fire_count_in_all_worlds.fetch_add(1, Ordering::Relaxed);
            if matches!(fault.effect, Effect::Drop { drops_retries: true, .. }) {
                installed.dropped_requests.push(DroppedRequest::from_request(request));
            }
            return Some((installed.id.clone(), fault.effect.clone()));
        }
        None
    }
}

impl Effect {
    /// Whether the effect can happen to a request. Other requests do not count for `after` and `times`.
    fn applies_to(&self, request: RequestView<'_>) -> bool {
        match self {
            Effect::PushRelayFailure(_) => request.calls_push_relay,
            Effect::Events(_) => request.method == POLL_METHOD && request.path == Some(POLL_PATH),
            _ => true,
        }
    }
}

impl RequestConditions {
    fn matches(&self, request: RequestView<'_>) -> bool {
        self.method.as_deref().is_none_or(|method| method == request.method)
            && self.path.as_deref().is_none_or(|path| Some(path) == request.path)
            && self.params.iter().all(|(name, value)| request.params.get(name) == Some(value))
            && self
                .user
                .as_deref()
                .is_none_or(|user| request.user.is_some_and(|caller| caller.eq_ignore_ascii_case(user)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(after: u64, probability: Option<f64>, max_fires: Option<u64>) -> Fault {
        Fault {
            source: Value::Null,
            conditions: RequestConditions::default(),
            after,
            probability,
            max_fires,
            effect: Effect::Garbage,
            fire_count_in_all_worlds: Arc::default(),
        }
    }

    static NO_PARAMS: BTreeMap<String, String> = BTreeMap::new();

    const REQUEST: RequestView<'static> = RequestView {
        method: "GET",
        path: Some("/users"),
        full_path: "/users",
        params: &NO_PARAMS,
        user: None,
        calls_push_relay: false,
        at: Timestamp::from_seconds(0),
    };

    fn fire_repeatedly(faults: &mut Faults, request_count: usize) -> Vec<bool> {
        (0..request_count).map(|_| faults.fire(REQUEST).is_some()).collect()
    }

    #[test]
    fn a_fault_lets_requests_pass_and_then_fires_a_limited_number_of_times() {
        let mut faults = Faults::new(0);
        faults.install(fault(1, None, Some(2)));

        assert_eq!(fire_repeatedly(&mut faults, 5), [false, true, true, false, false]);
        assert_eq!((faults.all()[0].pass_count, faults.all()[0].fire_count), (1, 2));
    }

    #[test]
    fn retries_of_a_dropped_request_are_dropped_for_a_second_after_the_last() {
        let mut faults = Faults::new(0);
        let effect = Effect::Drop { is_carried_out: true, drops_retries: true };
        faults.install(Fault { effect: effect.clone(), ..fault(0, None, Some(1)) });
        let retry = Some(("fault-1".to_owned(), Effect::Drop { is_carried_out: false, drops_retries: true }));
        let at = |milliseconds: i64| RequestView { at: Timestamp::from_micros(milliseconds * 1_000), ..REQUEST };

        assert_eq!(faults.fire(at(0)), Some(("fault-1".to_owned(), effect)));
        assert_eq!(faults.fire(at(900)), retry);
        assert_eq!(faults.fire(RequestView { full_path: "/users/me", ..at(901) }), None);
        assert_eq!(faults.fire(at(1_800)), retry);
        assert_eq!(faults.all()[0].fire_count, 1);
        assert_eq!(faults.fire(at(2_900)), None);
    }

    #[test]
    fn a_reset_installs_only_permanent_faults_again() {
        let mut faults = Faults::new(0);
        faults.install_permanent(fault(0, None, Some(1)));
        faults.install(fault(0, None, None));
        let fire_count_in_all_worlds = faults.all()[0].fault.fire_count_in_all_worlds.clone();
        assert_eq!(fire_repeatedly(&mut faults, 1), [true]);

        faults.reset(0);

        assert_eq!(fire_repeatedly(&mut faults, 3), [true, false, false]);
        assert_eq!((faults.all().len(), fire_count_in_all_worlds.load(Ordering::Relaxed)), (1, 2));
    }

    #[test]
    fn random_draws_follow_from_the_seed() {
        let fired_with_seed = |seed| {
            let mut faults = Faults::new(seed);
            faults.install(fault(0, Some(0.5), None));
            fire_repeatedly(&mut faults, 64)
        };

        assert_eq!(fired_with_seed(1), fired_with_seed(1));
        assert_ne!(fired_with_seed(1), fired_with_seed(2));
        assert!(fired_with_seed(1).contains(&true) && fired_with_seed(1).contains(&false));
    }

    #[test]
    fn the_first_fault_that_fires_applies_alone() {
        let mut faults = Faults::new(0);
        faults.install(fault(0, None, Some(1)));
        faults.install(fault(0, None, None));

        assert_eq!(faults.fire(REQUEST).map(|(id, _)| id), Some("fault-1".to_owned()));
        assert_eq!(faults.fire(REQUEST).map(|(id, _)| id), Some("fault-2".to_owned()));
        assert_eq!(faults.all()[1].pass_count, 0);
    }
}
