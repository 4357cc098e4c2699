//! The state of one rendering: settings, budget, stored HTML, and the results so far.

use super::mention::Candidates;
use super::placeholder::RawHtmlStash;
use super::{Names, RenderedMessage, Settings};
use crate::budget::Budget;
use crate::linkifier::Linkifier;
use std::rc::Rc;
use std::sync::Arc;

pub(super) struct Context<'a> {
    pub names: &'a dyn Names,
    pub settings: Settings<'a>,
    pub linkifiers: Vec<Arc<Linkifier>>,
    /// The users, groups and channels that the source names.
    pub candidates: Candidates,
    /// Whether links to images and videos get previews, and images and sound can be embedded in the text.
    pub shows_previews: bool,
    /// HTML that placeholders in the text stand for.
    pub raw_html: RawHtmlStash,
    /// Everything found so far; its `html` stays empty.
    pub rendered: RenderedMessage,
    /// Number of bytes of code that were highlighted so far, which the module `code` limits.
    pub highlighted_bytes: usize,
    pub budget: Rc<Budget>,
}

impl<'a> Context<'a> {
    pub fn new(source: &str, names: &'a dyn Names, shows_previews: bool, budget: Rc<Budget>) -> Self {
        Self {
            names,
            settings: names.settings(),
            linkifiers: names.linkifiers(),
            candidates: Candidates::collect(source, names),
            shows_previews,
            raw_html: RawHtmlStash::default(),
            rendered: RenderedMessage::default(),
            highlighted_bytes: 0,
            budget,
        }
    }

    /// Stores HTML, and returns a placeholder for it.
    pub fn store(&mut self, html: String) -> String {
        // An exhausted budget stays exhausted, so the error can wait until the whole document is rendered: then the
        // budget is checked, and everything discarded.
        let _ = self.budget.spend_output(html.chars().count());
        self.raw_html.store(html)
    }
}
