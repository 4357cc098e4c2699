//! The linkifiers of an organization.

use super::id::LinkifierId;
use chat_markdown::linkifier as rule;
use std::ops::Deref;
use std::sync::Arc;

pub use rule::{LinkifierErrors, LinkifierSource};

/// A linkifier with its ID.
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

    /// A linkifier that was checked before; its pattern is compiled when a text needs it.
    ///
    /// # Errors
    ///
    /// Those of [`rule::Linkifier::from_sound`].
    pub fn from_sound(id: LinkifierId, source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        Ok(Self { id, rule: Arc::new(rule::Linkifier::from_sound(source)?) })
    }

    /// What it links, shared.
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
