//! Linkifiers of an organization: those of the Markdown renderer with their IDs.

use super::id::LinkifierId;
use chat_markdown::linkifier as markdown;
use std::ops::Deref;
use std::sync::Arc;

pub use markdown::{LinkifierErrors, LinkifierSource};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linkifier {
    /// `filter_id` in the specification.
    pub id: LinkifierId,
    compiled: Arc<markdown::Linkifier>,
}

impl Linkifier {
    /// Checks and compiles a linkifier.
    ///
    /// # Errors
    ///
    /// Those of [`markdown::Linkifier::compile`].
    pub fn compile(id: LinkifierId, source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        Ok(Self { id, compiled: Arc::new(markdown::Linkifier::compile(source)?) })
    }

    /// Creates a linkifier from a source that was checked before. The pattern is compiled when it is first used.
    ///
    /// # Errors
    ///
    /// Those of [`markdown::Linkifier::from_checked`].
    pub fn from_checked(id: LinkifierId, source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        Ok(Self { id, compiled: Arc::new(markdown::Linkifier::from_checked(source)?) })
    }

    pub fn compiled(&self) -> Arc<markdown::Linkifier> {
        Arc::clone(&self.compiled)
    }
}

impl Deref for Linkifier {
    type Target = markdown::Linkifier;

    fn deref(&self) -> &markdown::Linkifier {
        &self.compiled
    }
}
