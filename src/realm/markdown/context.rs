//! What one rendering carries along: whom to ask, how deep it is, and what it has found.

use super::{Names, Rendered, Settings, TooLarge, media::Previews};
use crate::realm::linkifier::Linkifier;
use std::sync::Arc;

/// Quotes, spoilers and lists nested deeper than this are shown as plain text: writing is recursive.
pub(super) const DEPTH_MAX: usize = 40;

/// A rendering gives up as soon as its parts have more bytes than the largest allowed output could have.
const WRITTEN_MAX_BYTES: usize = 4 * super::OUTPUT_MAX_CHARS;

pub(super) struct Context<'a> {
    pub names: &'a dyn Names,
    pub settings: Settings<'a>,
    pub linkifiers: Vec<Arc<Linkifier>>,
    /// What has been found so far; its `html` stays empty.
    pub found: Rendered,
    pub previews: Previews,
    /// How many quotes this place is in. Mentions in quotes are silent, and links in them have no previews.
    pub quotes: usize,
    /// How many blocks this place is in.
    pub depth: usize,
    written: usize,
}

impl<'a> Context<'a> {
    pub fn new(names: &'a dyn Names, previews: bool) -> Self {
        Self {
            names,
            settings: names.settings(),
            linkifiers: names.linkifiers(),
            found: Rendered::default(),
            previews: Previews::new(previews),
            quotes: 0,
            depth: 0,
            written: 0,
        }
    }

    /// Counts what a leaf has written.
    ///
    /// # Errors
    ///
    /// When it is certain that the output will be too large.
    pub fn count(&mut self, html: &str) -> Result<(), TooLarge> {
        self.written += html.len();
        if self.written > WRITTEN_MAX_BYTES { Err(TooLarge) } else { Ok(()) }
    }

    pub fn into_rendered(self) -> Rendered {
        self.found
    }
}
