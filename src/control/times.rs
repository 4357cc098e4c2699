//! Times and time spans in JSON bodies: numbers of seconds, or texts.

use super::InitialClock;
use crate::time::{Span, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The units of a span, with their seconds.
const UNITS: [(char, i64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// A length of time: a number of seconds, or text such as `1d2h30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpanInput(pub Span);

/// A point in time: UNIX seconds, RFC 3339, or a date, which means its midnight in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampInput(pub Timestamp);

const EXPECTED_SPAN: &str = r#"seconds, or a span such as "1d2h30m""#;
const EXPECTED_TIMESTAMP: &str = "UNIX seconds, a time such as 2026-01-01T00:00:00Z or a date such as 2026-01-01";

impl SpanInput {
    /// Parses a text such as `1d2h30m`, or a number of seconds.
    ///
    /// # Errors
    ///
    /// A message that names the accepted forms, if the text has none of them.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parse_number = || text.parse().ok().and_then(span_from_number);
        span_from_text(text).or_else(parse_number).map(Self).ok_or_else(|| format!("takes {EXPECTED_SPAN}"))
    }
}

fn span_from_number(seconds: f64) -> Option<Span> {
    let micros = seconds * 1e6;
    // The limit is just below that of `i64`.
    (micros.is_finite() && micros.abs() < 9e18).then(|| Span::from_micros(micros.round() as i64))
}

fn span_from_text(text: &str) -> Option<Span> {
    let mut micros: i64 = 0;
    let mut remaining = text;
    while !remaining.is_empty() {
        let number_length = remaining.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (number, unit_onward) = remaining.split_at(number_length);
        let mut after_number = unit_onward.chars();
        let unit = after_number.next()?;
        let (_, seconds_per_unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
        micros = micros.checked_add(micros_of(number, *seconds_per_unit)?)?;
        remaining = after_number.as_str();
    }
    (!text.is_empty()).then(|| Span::from_micros(micros))
}

/// Converts a number of units without a sign, such as `1` or `1.5`, to microseconds. None if the text is not such a
/// number, or if the result is too large.
fn micros_of(number: &str, seconds_per_unit: i64) -> Option<i64> {
    let micros_per_unit = seconds_per_unit * 1_000_000;
    let Some((whole, fraction)) = number.split_once('.') else {
        return number.parse::<i64>().ok()?.checked_mul(micros_per_unit);
    };
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let fraction: f64 = format!("0.{fraction}").parse().ok()?;
    let whole = whole.parse::<i64>().ok()?.checked_mul(micros_per_unit)?;
    whole.checked_add((fraction * micros_per_unit as f64).round() as i64)
}

/// Deserializes a number or a text, each with its own function.
struct NumberOrTextVisitor<T> {
    expected: &'static str,
    from_number: fn(f64) -> Option<T>,
    from_text: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for NumberOrTextVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expected)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        (self.from_number)(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        (self.from_number)(number as f64).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        (self.from_number)(number as f64).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.from_text)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for SpanInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(NumberOrTextVisitor {
                expected: EXPECTED_SPAN,
                from_number: span_from_number,
                from_text: span_from_text,
            })
            .map(Self)
    }
}

fn timestamp_from_number(seconds: f64) -> Option<Timestamp> {
    span_from_number(seconds).map(|span| Timestamp::from_micros(span.micros()))
}

fn timestamp_from_text(text: &str) -> Option<Timestamp> {
    Timestamp::parse_time_or_date(text).ok()
}

impl<'de> Deserialize<'de> for TimestampInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(NumberOrTextVisitor {
                expected: EXPECTED_TIMESTAMP,
                from_number: timestamp_from_number,
                from_text: timestamp_from_text,
            })
            .map(Self)
    }
}

impl<'de> Deserialize<'de> for InitialClock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrTextVisitor {
            expected: InitialClock::EXPECTED,
            from_number: |seconds| timestamp_from_number(seconds).map(InitialClock::At),
            from_text: |text| InitialClock::parse(text).ok(),
        })
    }
}

/// A schema without a type, since client generators turn a choice of types into a class without fields.
fn untyped_schema(description: &str) -> Schema {
    json_schema!({"description": description})
}

impl JsonSchema for SpanInput {
    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        untyped_schema(
            "A number of seconds, fractions allowed, or as text a span of the units w, d, h, m and s such as 1d2h30m \
             or 1.5h.",
        )
    }
}

impl JsonSchema for TimestampInput {
    fn schema_name() -> Cow<'static, str> {
        "Instant".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        untyped_schema(
            "A number of UNIX seconds, fractions allowed, or as text RFC 3339 such as 2026-01-01T00:00:00Z, or a date such as 2026-01-01, which means its midnight in UTC.",
        )
    }
}

impl JsonSchema for InitialClock {
    fn schema_name() -> Cow<'static, str> {
        "Clock".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        untyped_schema(
            "real, frozen (at the time that the world would start with otherwise), or an instant at which the clock is frozen: a number of UNIX seconds, or as text RFC 3339 or a date.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_numbers_or_units() {
        for (text, seconds) in [
            ("90", 90.0),
            ("0.5", 0.5),
            ("90s", 90.0),
            ("1d2h30m", 95_400.0),
            ("2w", 1_209_600.0),
            ("0s", 0.0),
            ("1.5h", 5_400.0),
            ("1h0.25s", 3_600.25),
        ] {
            let span = SpanInput::parse(text).map(|span| span.0.micros());
            assert_eq!(span, Ok((seconds * 1e6) as i64), "{text}");
        }
        for text in [
            "",
            "d",
            "1x",
            ".5h",
            "1.h",
            "1.2.3h",
            "1d2",
            "-1s",
            "+1s",
            "1 d",
            "1dä",
            "1ä",
            "99999999999999999999s",
            "9999999999999w",
            "inf",
        ] {
            assert!(SpanInput::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_invalid_time_is_refused_in_words() {
        let diagnostic = crate::json_diagnostic::deserialize::<TimestampInput>(serde_json::json!("tomorrow"))
            .expect_err("it is none");
        assert_eq!(
            diagnostic.to_string(),
            r#"$: takes UNIX seconds, a time such as 2026-01-01T00:00:00Z or a date such as 2026-01-01, not the text "tomorrow""#
        );
    }
}
