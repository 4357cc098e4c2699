//! What one rendering carries along: the source of names, and what it has found.

use super::mention::Candidates;
use super::placeholder::Stash;
use super::{Names, Rendered, Settings};
use crate::budget::Budget;
use crate::linkifier::Linkifier;
use std::rc::Rc;
use std::sync::Arc;

pub(super) struct Context<'a> {
    pub names: &'a dyn Names,
    pub settings: Settings<'a>,
    pub linkifiers: Vec<Arc<Linkifier>>,
    /// What the text may name.
    pub candidates: Candidates,
    /// Whether links to pictures show them.
    pub previews: bool,
    /// Raw HTML.
    pub stash: Stash,
    /// What has been found so far; its `html` stays empty.
    pub found: Rendered,
    /// How many bytes of code were coloured.
    pub coloured: usize,
    /// What the rendering may cost.
    pub budget: Rc<Budget>,
}

impl<'a> Context<'a> {
    pub fn new(source: &str, names: &'a dyn Names, previews: bool, budget: Rc<Budget>) -> Self {
        Self {
            names,
            settings: names.settings(),
            linkifiers: names.linkifiers(),
            candidates: Candidates::of(source, names),
            previews,
            stash: Stash::default(),
            found: Rendered::default(),
            coloured: 0,
            budget,
        }
    }

    /// Keeps raw HTML; the mark that replaces it.
    pub fn store(&mut self, html: String) -> String {
        // Looked at with the tree: what it has to do with this HTML ends soon.
        let _ = self.budget.spend_output(html.chars().count());
        self.stash.store(html)
    }
}
