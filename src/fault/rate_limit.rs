//! Rate limits: budgets of requests that refill evenly with the world's clock, one for each user.

use crate::realm::id::UserId;
use crate::time::{Span, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// How many requests are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests of a whole budget, from 1.
    pub requests: u32,
    /// The time in which an empty budget becomes whole, longer than nothing.
    pub span: Span,
}

/// Who spends a budget: a caller, None for all who have none; polls of events have budgets of their own.
type Spender = (Option<UserId>, bool);

/// A world's rate limits.
#[derive(Debug, Default)]
pub struct RateLimits {
    /// By the user whose limit it is; None: of all who have no limit of their own.
    limits: BTreeMap<Option<UserId>, Limited>,
}

#[derive(Debug)]
struct Limited {
    limit: RateLimit,
    spent: HashMap<Spender, Spent>,
}

/// What of a budget is spent. A request costs `span` microseconds, and each microsecond that passes gives back as many
/// of them as a budget has requests: so all numbers are whole.
#[derive(Clone, Copy, Debug)]
struct Spent {
    cost: i128,
    at: Timestamp,
}

/// A budget after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Requests of the whole budget.
    pub limit: u32,
    /// Requests that are left.
    pub remaining: u32,
    /// When it is whole again, by the world's clock.
    pub whole_at: Timestamp,
    /// After how long the next request is allowed; None when this one was.
    pub retry_after: Option<Span>,
}

impl RateLimits {
    /// Whether nothing is limited: then requests need not be counted.
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Limits the requests of a user, or those of each who has no limit of their own. Budgets begin whole.
    pub fn set(&mut self, user: Option<UserId>, limit: RateLimit) {
        self.limits.insert(user, Limited { limit, spent: HashMap::new() });
    }

    /// Ends the limit of a user alone, if it has one.
    pub fn remove(&mut self, user: UserId) {
        self.limits.remove(&Some(user));
    }

    /// The limits, with the user that each is for.
    pub fn all(&self) -> impl Iterator<Item = (Option<UserId>, RateLimit)> {
        self.limits.iter().map(|(user, limited)| (*user, limited.limit))
    }

    /// Counts a request of a caller, who is None without credentials; None when no limit applies. A request beyond the
    /// budget spends nothing.
    pub fn count(&mut self, caller: Option<UserId>, is_poll: bool, now: Timestamp) -> Option<Budget> {
        let has_own = caller.is_some() && self.limits.contains_key(&caller);
        let Limited { limit, spent } = self.limits.get_mut(if has_own { &caller } else { &None })?;
        let spent = spent.entry((caller, is_poll)).or_insert(Spent { cost: 0, at: now });
        Some(limit.spend(spent, now))
    }
}

impl RateLimit {
    fn spend(self, spent: &mut Spent, now: Timestamp) -> Budget {
        let (requests, price) = (i128::from(self.requests), i128::from(self.span.micros()));
        // The clock goes back when a world is restored.
        let passed = i128::from(now.since(spent.at).micros()).max(0);
        let whole = requests * price;
        let mut cost = (spent.cost - passed * requests).max(0);
        let lacking = cost + price - whole;
        let is_allowed = lacking <= 0;
        if is_allowed {
            cost += price;
        }
        *spent = Spent { cost, at: now };
        let span_of =
            |cost: i128| Span::from_micros(i64::try_from((cost + requests - 1) / requests).unwrap_or(i64::MAX));
        Budget {
            limit: self.requests,
            remaining: u32::try_from((whole - cost) / price).unwrap_or_default(),
            whole_at: now.plus(span_of(cost)),
            retry_after: (!is_allowed).then(|| span_of(lacking)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEL: Option<UserId> = Some(UserId(4));

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    fn limits(user: Option<UserId>, requests: u32, seconds: i64) -> RateLimits {
        let mut limits = RateLimits::default();
        limits.set(user, RateLimit { requests, span: Span::seconds(seconds) });
        limits
    }

    #[test]
    fn a_request_after_exactly_the_wait_is_allowed_and_none_before() {
        for (requests, seconds) in [(1, 1), (3, 10), (7, 1), (2000, 3600), (1_000_000, 1)] {
            let mut limits = limits(MEL, requests, seconds);
            for left in (0..requests).rev() {
                let budget = limits.count(MEL, false, at(0)).expect("it is limited");
                assert_eq!((budget.remaining, budget.retry_after), (left, None));
            }

            let refused = limits.count(MEL, false, at(0)).expect("it is limited");
            let wait = refused.retry_after.expect("it is beyond the budget").micros();

            assert_eq!(refused.whole_at, at(seconds * 1_000_000));
            let early = limits.count(MEL, false, at(wait - 1)).and_then(|budget| budget.retry_after);
            assert_eq!(early, Some(Span::from_micros(1)), "{requests} in {seconds} s");
            assert_eq!(limits.count(MEL, false, at(wait)).and_then(|budget| budget.retry_after), None);
        }
    }

    #[test]
    fn each_spends_a_budget_and_whoever_has_a_limit_only_that() {
        let mut limits = limits(None, 1, 60);
        limits.set(MEL, RateLimit { requests: 2, span: Span::seconds(60) });
        let mut is_allowed =
            |caller, is_poll| limits.count(caller, is_poll, at(0)).expect("it is limited").retry_after.is_none();

        assert!(is_allowed(Some(UserId(5)), false) && is_allowed(Some(UserId(6)), false) && is_allowed(None, false));
        assert!(!is_allowed(Some(UserId(5)), false) && !is_allowed(None, false));
        assert!(is_allowed(Some(UserId(5)), true), "polls have a budget of their own");
        assert!(is_allowed(MEL, false) && is_allowed(MEL, false) && !is_allowed(MEL, false));
        assert_eq!(self::limits(MEL, 1, 1).count(Some(UserId(5)), false, at(0)), None);
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing_back_and_takes_nothing() {
        let mut limits = limits(MEL, 1, 10);
        limits.count(MEL, false, at(5_000_000));

        let refused = limits.count(MEL, false, at(0)).expect("it is limited");

        assert_eq!(refused.retry_after, Some(Span::seconds(10)));
    }
}
