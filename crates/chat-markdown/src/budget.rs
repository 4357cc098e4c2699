//! What the work on a text may cost: rendering it, comparing it with another one, marking words in it.
//!
//! Every size of a text has a limit, but what is made of a text may grow with the product of two of them: the columns of
//! a table times its rows, patterns times letters, edits times words. So the work carries a budget along, and asks it
//! before it takes time or memory. The same text always costs the same, whatever the machine.

use std::cell::Cell;

/// An amount of work, or a limit of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Steps of some ten nanoseconds each, in an optimized program: a byte that is read, a word that is compared.
    pub steps: usize,
    /// Elements of the tree that a text becomes, each of which takes some 250 bytes.
    pub nodes: usize,
    /// Characters of what is made.
    pub output: usize,
}

impl Cost {
    /// No limit.
    pub const UNLIMITED: Self = Self { steps: usize::MAX, nodes: usize::MAX, output: usize::MAX };

    fn zip(self, other: Self, with: fn(usize, usize) -> usize) -> Self {
        Self {
            steps: with(self.steps, other.steps),
            nodes: with(self.nodes, other.nodes),
            output: with(self.output, other.output),
        }
    }
}

/// The most that a text or a request may cost, and what it has cost so far.
///
/// What does not fit is counted too, so that a budget that was exceeded once stays so. It is a counter for one thread,
/// not a lock.
#[derive(Debug)]
pub struct Budget {
    limit: Cost,
    used: Cell<Cost>,
}

/// The budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Budget {
    /// A budget with this limit.
    pub fn new(limit: Cost) -> Self {
        Self { limit, used: Cell::default() }
    }

    /// A budget for all texts that one request works on, of which [`Budget::part`] gives each its own.
    pub fn of_request() -> Self {
        Self::new(Cost { steps: 200_000_000, nodes: usize::MAX, output: 32_000_000 })
    }

    /// A budget for a part of the work: no more than this, and no more than what is left. [`Budget::settle`] counts what
    /// it used.
    pub fn part(&self, limit: Cost) -> Self {
        let left = self.limit.zip(self.used.get(), usize::saturating_sub);
        Self::new(limit.zip(left, Ord::min))
    }

    /// Counts what a part used, at most all that it had.
    pub fn settle(&self, part: &Self) {
        self.spend(part.used().zip(part.limit, Ord::min));
    }

    /// Counts steps.
    ///
    /// # Errors
    ///
    /// [`Exhausted`]: they must not be taken.
    pub fn spend_steps(&self, steps: usize) -> Result<(), Exhausted> {
        self.spend(Cost { steps, ..Cost::default() });
        self.check()
    }

    /// Counts an element with this much output.
    pub fn spend_node(&self, output: usize) {
        self.spend(Cost { steps: 0, nodes: 1, output });
    }

    /// Counts elements with this much output in all, and the steps to make them.
    ///
    /// # Errors
    ///
    /// [`Exhausted`]: they must not be made.
    pub fn afford_nodes(&self, nodes: usize, output: usize) -> Result<(), Exhausted> {
        let sum = self.used.get().zip(Cost { steps: 0, nodes, output }, usize::saturating_add);
        if self.exceeds(sum) {
            self.used.set(sum);
        }
        self.check()
    }

    /// Counts output.
    ///
    /// # Errors
    ///
    /// [`Exhausted`]: it must not be made, or not be used.
    pub fn spend_output(&self, output: usize) -> Result<(), Exhausted> {
        self.spend(Cost { output, ..Cost::default() });
        self.check()
    }

    /// Whether the limit was not exceeded.
    ///
    /// # Errors
    ///
    /// [`Exhausted`] if it was.
    pub fn check(&self) -> Result<(), Exhausted> {
        if self.exceeds(self.used.get()) { Err(Exhausted) } else { Ok(()) }
    }

    /// What was spent so far.
    pub fn used(&self) -> Cost {
        self.used.get()
    }

    fn spend(&self, cost: Cost) {
        self.used.set(self.used.get().zip(cost, usize::saturating_add));
    }

    fn exceeds(&self, cost: Cost) -> bool {
        cost.steps > self.limit.steps || cost.nodes > self.limit.nodes || cost.output > self.limit.output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Cost = Cost { steps: 10, nodes: 2, output: 100 };

    #[test]
    fn what_is_exceeded_once_stays_so() {
        let budget = Budget::new(LIMIT);
        assert_eq!(budget.spend_steps(10), Ok(()));
        assert_eq!(budget.spend_steps(1), Err(Exhausted));
        assert_eq!(budget.spend_output(0), Err(Exhausted));
        let budget = Budget::new(LIMIT);
        budget.spend_node(60);
        assert_eq!(budget.check(), Ok(()));
        assert_eq!(budget.spend_output(usize::MAX), Err(Exhausted));
        assert_eq!(budget.spend_steps(0), Err(Exhausted));
    }

    #[test]
    fn what_is_made_later_is_asked_for_and_counted_when_it_is_made() {
        let budget = Budget::new(LIMIT);
        assert_eq!(budget.afford_nodes(2, 100), Ok(()));
        assert_eq!(budget.used(), Cost::default());
        assert_eq!(budget.afford_nodes(3, 0), Err(Exhausted));
        assert_eq!(budget.check(), Err(Exhausted));
    }

    #[test]
    fn a_part_has_no_more_than_what_is_left() {
        let whole = Budget::new(LIMIT);
        let first = whole.part(Cost { steps: 8, nodes: 1, output: 1_000 });
        assert_eq!(first.spend_steps(8), Ok(()));
        whole.settle(&first);
        let second = whole.part(LIMIT);
        assert_eq!(second.spend_steps(3), Err(Exhausted));
        whole.settle(&second);
        assert_eq!(whole.used().steps, 10);
        assert_eq!(whole.part(LIMIT).spend_steps(1), Err(Exhausted));
    }
}
