//! Budgets for work on texts: rendering, comparing two texts, and marking words.
//!
//! The size of texts is limited, but work can grow with a product: columns of a table times rows, patterns times
//! characters, or edits times words. So the work checks a budget before it takes time or memory. The cost of a text is
//! the same on every machine.

use std::cell::Cell;

/// An amount of work, or a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Steps such as reading a byte or comparing a word, each of about ten nanoseconds in an optimized build.
    pub steps: usize,
    /// Nodes of the tree, each of about 250 bytes.
    pub nodes: usize,
    /// Length of output: characters where a text is rendered, bytes where a reply is built.
    pub output: usize,
}

impl Cost {
    /// The limit that no work exceeds.
    pub const UNLIMITED: Self = Self { steps: usize::MAX, nodes: usize::MAX, output: usize::MAX };

    fn combine(self, other: Self, operation: fn(usize, usize) -> usize) -> Self {
        Self {
            steps: operation(self.steps, other.steps),
            nodes: operation(self.nodes, other.nodes),
            output: operation(self.output, other.output),
        }
    }
}

/// The cost limit of a text or a request, and the cost so far.
///
/// Work that exceeds the limit is counted too, so that an exceeded budget stays exceeded. A budget is for one thread.
#[derive(Debug)]
pub struct Budget {
    limit: Cost,
    used: Cell<Cost>,
}

/// The error of an exceeded budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Budget {
    /// Creates an unused budget.
    pub fn new(limit: Cost) -> Self {
        Self { limit, used: Cell::default() }
    }

    /// A budget for one request: for rendering 32 million characters, each text with a [`Budget::part`], or for a reply
    /// of 32 MB.
    pub fn for_request() -> Self {
        Self::new(Cost { steps: 200_000_000, nodes: usize::MAX, output: 32_000_000 })
    }

    /// A budget for a part of the work: `limit`, or what remains of this budget if that is less.
    /// [`Budget::settle`] counts its use.
    pub fn part(&self, limit: Cost) -> Self {
        let remaining = self.limit.combine(self.used.get(), usize::saturating_sub);
        Self::new(limit.combine(remaining, Ord::min))
    }

    /// Counts the use of a part, at most its limit.
    pub fn settle(&self, part: &Self) {
        self.spend(part.used().combine(part.limit, Ord::min));
    }

    /// Counts steps that are about to be taken.
    ///
    /// # Errors
    ///
    /// [`Exhausted`]: the caller must not take them.
    pub fn spend_steps(&self, steps: usize) -> Result<(), Exhausted> {
        self.spend(Cost { steps, ..Cost::default() });
        self.check()
    }

    /// Counts a node with this much output.
    pub fn spend_node(&self, output: usize) {
        self.spend(Cost { steps: 0, nodes: 1, output });
    }

    /// Checks that the budget suffices for nodes with this much output in total. Only if it does not, they are counted
    /// here; otherwise, the caller counts each with [`Budget::spend_node`].
    ///
    /// # Errors
    ///
    /// [`Exhausted`]: the caller must not create them.
    pub fn check_nodes(&self, nodes: usize, output: usize) -> Result<(), Exhausted> {
        let sum = self.used.get().combine(Cost { steps: 0, nodes, output }, usize::saturating_add);
        if self.exceeds(sum) {
            self.used.set(sum);
        }
        self.check()
    }

    /// Counts output of this length.
    ///
    /// # Errors
    ///
    /// [`Exhausted`]: the caller must not create the output, or must discard it.
    pub fn spend_output(&self, output: usize) -> Result<(), Exhausted> {
        self.spend(Cost { output, ..Cost::default() });
        self.check()
    }

    /// Checks that the limit is not exceeded.
    ///
    /// # Errors
    ///
    /// [`Exhausted`] if it is.
    pub fn check(&self) -> Result<(), Exhausted> {
        if self.exceeds(self.used.get()) { Err(Exhausted) } else { Ok(()) }
    }

    /// The cost so far.
    pub fn used(&self) -> Cost {
        self.used.get()
    }

    fn spend(&self, cost: Cost) {
        self.used.set(self.used.get().combine(cost, usize::saturating_add));
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
    fn an_exceeded_budget_stays_exceeded() {
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
    fn affordable_nodes_are_not_counted_yet() {
        let budget = Budget::new(LIMIT);
        assert_eq!(budget.check_nodes(2, 100), Ok(()));
        assert_eq!(budget.used(), Cost::default());
        assert_eq!(budget.check_nodes(3, 0), Err(Exhausted));
        assert_eq!(budget.check(), Err(Exhausted));
    }

    #[test]
    fn a_part_is_limited_by_the_remaining_budget() {
        let total = Budget::new(LIMIT);
        let first = total.part(Cost { steps: 8, nodes: 1, output: 1_000 });
        assert_eq!(first.spend_steps(8), Ok(()));
        total.settle(&first);
        let second = total.part(LIMIT);
        assert_eq!(second.spend_steps(3), Err(Exhausted));
        total.settle(&second);
        assert_eq!(total.used().steps, 10);
        assert_eq!(total.part(LIMIT).spend_steps(1), Err(Exhausted));
    }
}
