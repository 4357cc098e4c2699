//! Formats frames about a world's networks and rate limits.

use super::{Colour, FrameRow, escape_unprintable, time_of_day};
use crate::count_format::format_count;
use serde_json::Value;

/// The line for all current networks or rate limits, each formatted by `format`.
pub fn conditions_row(frame: &Value, kind: &str, records: &Value, format: fn(&Value) -> String) -> FrameRow {
    let records: Vec<String> = records.as_array().into_iter().flatten().map(format).collect();
    FrameRow {
        at: time_of_day(&frame["at"]),
        kind: kind.to_owned(),
        colour: Colour::Magenta,
        subject: if records.is_empty() { "none".to_owned() } else { records.join(", ") },
        ..FrameRow::default()
    }
}

/// The part of the user's address before the @; `others` for a record without a user.
fn user_label(record: &Value, others: &str) -> String {
    record["user"]
        .as_str()
        .map_or_else(|| others.to_owned(), |email| escape_unprintable(email.split('@').next().unwrap_or(email)))
}

pub fn format_network(record: &Value) -> String {
    let name = user_label(record, "all others");
    if let Some(profile) = record["profile"].as_str() {
        return format!("{name} {}", escape_unprintable(profile));
    }
    let positive_number = |key: &str| record[key].as_f64().filter(|number| *number > 0.0);
    let latency = positive_number("latency_ms").map(|latency| format!(" {latency} ms"));
    let speed = positive_number("bytes_per_second").map(|speed| format!(" {speed} B/s"));
    let loss = positive_number("loss").map(|loss| format!(" {} % loss", loss * 100.0));
    format!("{name}{}", [latency, speed, loss].into_iter().flatten().collect::<String>())
}

pub fn format_rate_limit(record: &Value) -> String {
    let requests = format_count(record["requests"].as_u64().unwrap_or_default(), "request");
    format!("{} {requests} in {} s", user_label(record, "each user"), record["seconds"].as_f64().unwrap_or_default())
}
