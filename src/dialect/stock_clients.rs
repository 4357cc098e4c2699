//! Recognizes stock clients by their User-Agent, to say which dialect they expect.

use super::Dialect;

impl Dialect {
    /// The name of the built-in dialect that a client expects; None if it is not a stock client.
    pub(crate) fn name_expected_by(user_agent: &str) -> Option<&'static str> {
        let product = "zulip";
        let is_stock = user_agent.get(..product.len()).is_some_and(|start| start.eq_ignore_ascii_case(product));
        is_stock.then_some(product)
    }

    /// The name of the built-in dialect that a client expects, if this dialect is the neutral one; None for another
    /// dialect, or a client that is not a stock client.
    pub(crate) fn name_expected_instead_by(&self, user_agent: &str) -> Option<&'static str> {
        self.is_neutral().then(|| Self::name_expected_by(user_agent)).flatten()
    }
}
