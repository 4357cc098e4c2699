//! Linkifiers of an organization: compiled rules with their IDs.

use super::id::LinkifierId;
use chat_markdown::linkifier as rule;
use std::ops::Deref;
use std::sync::Arc;

pub use rule::{LinkifierErrors, LinkifierSource};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linkifier {
    /// `filter_id` in the specification.
    pub id: LinkifierId,
    rule: Arc<rule::Linkifier>,
}

impl Linkifier {
    /// Checks and compiles a linkifier.
    ///
    /// # Errors
    ///
    /// Those of [`rule::Linkifier::compile`].
    pub fn compile(id: LinkifierId, source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        Ok(Self { id, rule: Arc::new(rule::Linkifier::compile(source)?) })
    }

    /// Creates a linkifier from a source that was checked before. The pattern is compiled when it is first used.
    ///
    /// # Errors
    ///
    /// Those of [`rule::Linkifier::from_checked`].
    pub fn from_checked(id: LinkifierId, source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        Ok(Self { id, rule: Arc::new(rule::Linkifier::from_checked(source)?) })
    }

    pub fn rule(&self) -> Arc<rule::Linkifier> {
        Arc::clone(&self.rule)
    }
}

impl Deref for Linkifier {
    type Target = rule::Linkifier;

    fn deref(&self) -> &rule::Linkifier {
        &self.rule
    }
}
