//! When previews arrive.

use crate::time::Span;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How long previews take, by the world's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreviewDelays {
    /// From the upload of a picture to its thumbnails.
    #[serde(serialize_with = "micros", deserialize_with = "from_micros")]
    pub thumbnails: Span,
    /// From a message to the cards of the pages that it links; None: there are none.
    #[serde(default, serialize_with = "micros_if_any", deserialize_with = "from_micros_if_any")]
    pub links: Option<Span>,
}

impl PreviewDelays {
    /// Whether they are as in worlds that nobody changed.
    pub fn are_usual(&self) -> bool {
        *self == Self::default()
    }
}

fn micros<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    span.micros().serialize(serializer)
}

fn from_micros<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
    i64::deserialize(deserializer).map(Span::from_micros)
}

fn micros_if_any<S: Serializer>(span: &Option<Span>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(Span::micros).serialize(serializer)
}

fn from_micros_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Span>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map(Span::from_micros))
}
