//! Feature levels in JSON bodies. The number of a release is refused with a message that gives its level.

use crate::api::release::level_of_release;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A feature level. It may be negative: the calls refuse that themselves, with the levels that they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureLevel(pub i64);

impl JsonSchema for FeatureLevel {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FeatureLevel".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        i64::json_schema(generator)
    }
}

struct LevelVisitor;

/// The refusal of a value that is the number of a release; None for other values.
fn release_error<E: Error>(release: &str) -> Option<E> {
    let level = level_of_release(release)?;
    Some(E::custom(format!("takes a feature level, a whole number; that of release {release} is {level}")))
}

impl Visitor<'_> for LevelVisitor {
    type Value = FeatureLevel;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `json_diagnostic` puts the name of a type into words.
        formatter.write_str("i64")
    }

    fn visit_i64<E: Error>(self, level: i64) -> Result<FeatureLevel, E> {
        Ok(FeatureLevel(level))
    }

    fn visit_u64<E: Error>(self, level: u64) -> Result<FeatureLevel, E> {
        let level = i64::try_from(level).map_err(|_| E::invalid_value(Unexpected::Unsigned(level), &self))?;
        Ok(FeatureLevel(level))
    }

    // A release such as 12.0, without quotes, is a float in JSON.
    fn visit_f64<E: Error>(self, number: f64) -> Result<FeatureLevel, E> {
        Err(release_error(&format!("{number:?}")).unwrap_or_else(|| E::invalid_type(Unexpected::Float(number), &self)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FeatureLevel, E> {
        Err(release_error(text).unwrap_or_else(|| E::invalid_type(Unexpected::Str(text), &self)))
    }
}

impl<'de> Deserialize<'de> for FeatureLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LevelVisitor)
    }
}
