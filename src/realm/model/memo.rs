//! What was worked out from a value and holds for as long as the value does.

use serde_json::value::RawValue;
use std::sync::OnceLock;

/// Into so many ways of looking at it a thing's texts may fall.
pub const WAYS_TO_LOOK: usize = 16;

/// A thing's text for each way of looking at it, written when the first reader looks so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderedVariants(Memo<Box<[Memo<Box<RawValue>>; WAYS_TO_LOOK]>>);

impl RenderedVariants {
    /// The text for one way of looking, below [`WAYS_TO_LOOK`].
    pub fn get_or_make(&self, way: usize, make: impl FnOnce() -> Box<RawValue>) -> &RawValue {
        self.0.get_or_make(Box::default)[way].get_or_make(make)
    }
}

/// Something worked out from the value that it is in. A copy begins without it, since copies are made to be changed;
/// it is worked out for values of a published realm alone, which nobody changes in place.
#[derive(Debug)]
pub struct Memo<T>(OnceLock<T>);

impl<T> Memo<T> {
    /// What was worked out, which is done now if nobody did before.
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// It follows from the rest of the value.
impl<T> PartialEq for Memo<T> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}
