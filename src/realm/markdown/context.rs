//! What one rendering carries along: the source of names, and what it has found.

use super::mention::Candidates;
use super::placeholder::Stash;
use super::{Names, Rendered, Settings};
use crate::realm::linkifier::Linkifier;
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
    /// How many bytes were read in search of the ends of links.
    pub read: usize,
    /// How many sources of TeX were met.
    pub sources: usize,
    /// How many bytes of code were coloured.
    pub coloured: usize,
}

impl<'a> Context<'a> {
    pub fn new(source: &str, names: &'a dyn Names, previews: bool) -> Self {
        Self {
            names,
            settings: names.settings(),
            linkifiers: names.linkifiers(),
            candidates: Candidates::of(source, names),
            previews,
            stash: Stash::default(),
            found: Rendered::default(),
            read: 0,
            sources: 0,
            coloured: 0,
        }
    }
}
