//! The dialects that stock clients look for.

use super::Dialect;

impl Dialect {
    /// The name of the built-in dialect that a stock client looks for, by its User-Agent.
    pub(crate) fn of_stock_client(user_agent: &str) -> Option<&'static str> {
        let product = "zulip";
        let is_of = user_agent.get(..product.len()).is_some_and(|start| start.eq_ignore_ascii_case(product));
        is_of.then_some(product)
    }

    /// The name of the built-in dialect that a stock client misses here, by its User-Agent.
    pub(crate) fn missing_for(&self, user_agent: &str) -> Option<&'static str> {
        self.is_neutral().then(|| Self::of_stock_client(user_agent)).flatten()
    }
}
