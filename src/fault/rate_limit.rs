//! Rate limits: each user has a budget for event polls and one for all other requests, and so have all callers without
//! credentials together. Budgets refill evenly with the world's clock.

use crate::realm::id::UserId;
use crate::time::{Span, Timestamp};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of requests in a full budget, at least 1.
    pub budget_size: u32,
    /// The time in which an empty budget refills completely; positive.
    pub span: Span,
}

/// The caller, which is None for requests without credentials, and whether the budget is the one for event polls.
type BudgetKey = (Option<UserId>, bool);

/// The rate limits of a world's callers, with what the callers have spent.
#[derive(Debug, Default)]
pub struct RateLimits {
    /// By user. The limit under None applies to each user without an entry, and to all callers without credentials
    /// together.
    limits: BTreeMap<Option<UserId>, LimitState>,
}

#[derive(Debug)]
struct LimitState {
    limit: RateLimit,
    spent_budgets: HashMap<BudgetKey, SpentBudget>,
}

/// The spent part of a budget, in integers: a request costs as many units as `span` has microseconds, and each
/// microsecond that passes refunds `budget_size` units. So a budget of `budget_size * span` units refills in `span`.
#[derive(Clone, Copy, Debug)]
struct SpentBudget {
    spent_units: i128,
    /// The time of the latest request, up to which refunds are counted.
    at: Timestamp,
}

/// The state of a budget after a request, for the reply's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The size of the full budget.
    pub limit: u32,
    pub remaining: u32,
    /// When the budget is full again, by the world's clock.
    pub full_at: Timestamp,
    /// The wait until the next allowed request; None when this request was allowed.
    pub retry_after: Option<Span>,
}

impl RateLimits {
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Limits the requests of a user. With None: of each user without a limit of their own, and of callers without
    /// credentials together. Budgets start full.
    pub fn set(&mut self, user: Option<UserId>, limit: RateLimit) {
        self.limits.insert(user, LimitState { limit, spent_budgets: HashMap::new() });
    }

    /// Removes the limit of a user; the one for users without a limit of their own stays.
    pub fn remove(&mut self, user: UserId) {
        self.limits.remove(&Some(user));
    }

    pub fn all(&self) -> impl Iterator<Item = (Option<UserId>, RateLimit)> {
        self.limits.iter().map(|(user, state)| (*user, state.limit))
    }

    /// Charges a request to the budget of a caller, which is None without credentials. Returns None when no limit
    /// applies. A refused request costs nothing.
    pub fn charge(&mut self, caller: Option<UserId>, is_poll: bool, now: Timestamp) -> Option<Budget> {
        let has_user_limit = caller.is_some() && self.limits.contains_key(&caller);
        let LimitState { limit, spent_budgets } = self.limits.get_mut(if has_user_limit { &caller } else { &None })?;
        let spent_budget = spent_budgets.entry((caller, is_poll)).or_insert(SpentBudget { spent_units: 0, at: now });
        Some(limit.spend(spent_budget, now))
    }
}

impl RateLimit {
    /// Spends the cost of a request, if that much is left.
    fn spend(self, spent_budget: &mut SpentBudget, now: Timestamp) -> Budget {
        let (budget_size, request_cost) = (i128::from(self.budget_size), i128::from(self.span.micros()));
        // The clock goes back when a world is restored.
        let elapsed = i128::from(now.since(spent_budget.at).micros()).max(0);
        let budget_units = budget_size * request_cost;
        let mut spent_units = (spent_budget.spent_units - elapsed * budget_size).max(0);
        let deficit = spent_units + request_cost - budget_units;
        let is_allowed = deficit <= 0;
        if is_allowed {
            spent_units += request_cost;
        }
        *spent_budget = SpentBudget { spent_units, at: now };
        // Rounded up, so that a request after the wait is allowed.
        let refund_time =
            |units: i128| Span::from_micros(i64::try_from((units + budget_size - 1) / budget_size).unwrap_or(i64::MAX));
        Budget {
            limit: self.budget_size,
            remaining: u32::try_from((budget_units - spent_units) / request_cost).unwrap_or_default(),
            full_at: now.plus(refund_time(spent_units)),
            retry_after: (!is_allowed).then(|| refund_time(deficit)),
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
        limits.set(user, RateLimit { budget_size: requests, span: Span::from_seconds(seconds) });
        limits
    }

    #[test]
    fn a_request_is_allowed_exactly_after_retry_after() {
        for (requests, seconds) in [(1, 1), (3, 10), (7, 1), (2000, 3600), (1_000_000, 1)] {
            let mut limits = limits(MEL, requests, seconds);
            for remaining in (0..requests).rev() {
                let budget = limits.charge(MEL, false, at(0)).expect("it is limited");
                assert_eq!((budget.remaining, budget.retry_after), (remaining, None));
            }

            let refused = limits.charge(MEL, false, at(0)).expect("it is limited");
            let wait = refused.retry_after.expect("it is beyond the budget").micros();

            assert_eq!(refused.full_at, at(seconds * 1_000_000));
            let early = limits.charge(MEL, false, at(wait - 1)).and_then(|budget| budget.retry_after);
            assert_eq!(early, Some(Span::from_micros(1)), "{requests} in {seconds} s");
            assert_eq!(limits.charge(MEL, false, at(wait)).and_then(|budget| budget.retry_after), None);
        }
    }

    #[test]
    fn each_caller_has_a_budget_and_a_user_limit_takes_precedence() {
        let mut limits = limits(None, 1, 60);
        limits.set(MEL, RateLimit { budget_size: 2, span: Span::from_seconds(60) });
        let mut is_allowed =
            |caller, is_poll| limits.charge(caller, is_poll, at(0)).expect("it is limited").retry_after.is_none();

        assert!(is_allowed(Some(UserId(5)), false) && is_allowed(Some(UserId(6)), false) && is_allowed(None, false));
        assert!(!is_allowed(Some(UserId(5)), false) && !is_allowed(None, false));
        assert!(is_allowed(Some(UserId(5)), true), "polls have a budget of their own");
        assert!(is_allowed(MEL, false) && is_allowed(MEL, false) && !is_allowed(MEL, false));
        assert_eq!(self::limits(MEL, 1, 1).charge(Some(UserId(5)), false, at(0)), None);
    }

    #[test]
    fn a_clock_that_goes_back_does_not_change_the_budget() {
        let mut limits = limits(MEL, 1, 10);
        limits.charge(MEL, false, at(5_000_000));

        let refused = limits.charge(MEL, false, at(0)).expect("it is limited");

        assert_eq!(refused.retry_after, Some(Span::from_seconds(10)));
    }
}
