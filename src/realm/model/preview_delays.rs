//! Delays until thumbnails and link previews are ready.

use crate::time::Span;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Delays of previews, by the world's clock. In state documents they are in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreviewDelays {
    /// The time from the upload of a picture until its thumbnails exist.
    #[serde(serialize_with = "serialize_micros", deserialize_with = "deserialize_micros")]
    pub thumbnails: Span,
    /// The time from a message until the previews of its links exist; None if links have no previews.
    #[serde(default, serialize_with = "serialize_optional_micros", deserialize_with = "deserialize_optional_micros")]
    pub links: Option<Span>,
}

impl PreviewDelays {
    pub fn are_default(&self) -> bool {
        *self == Self::default()
    }
}

fn serialize_micros<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    span.micros().serialize(serializer)
}

fn deserialize_micros<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
    i64::deserialize(deserializer).map(Span::from_micros)
}

fn serialize_optional_micros<S: Serializer>(span: &Option<Span>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(Span::micros).serialize(serializer)
}

fn deserialize_optional_micros<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Span>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map(Span::from_micros))
}
