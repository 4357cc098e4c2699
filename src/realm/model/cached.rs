//! Caches for values that are computed from the immutable value they are part of.

use serde_json::value::RawValue;
use std::sync::OnceLock;

/// The number of variants of rendered JSON for which [`RenderedVariants`] has room.
pub const VARIANT_CAPACITY: usize = 16;

/// The JSON of a value for each kind of reader, rendered on first use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderedVariants(Cached<Box<[Cached<Box<RawValue>>; VARIANT_CAPACITY]>>);

impl RenderedVariants {
    /// The JSON for a kind of reader, made by `make` on first use.
    ///
    /// # Panics
    ///
    /// When `variant` is not below [`VARIANT_CAPACITY`].
    pub fn get_or_init(&self, variant: usize, make: impl FnOnce() -> Box<RawValue>) -> &RawValue {
        self.0.get_or_init(Box::default)[variant].get_or_init(make)
    }
}

/// A cached result that is computed from the value it is a field of. Clones start empty, because values are cloned to
/// be changed. It may be filled only for a value that no longer changes in place: one of a published realm, or the
/// message of an event.
#[derive(Debug)]
pub struct Cached<T>(OnceLock<T>);

impl<T> Cached<T> {
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Clone for Cached<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Always equal: the result depends only on the other fields.
impl<T> PartialEq for Cached<T> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}
