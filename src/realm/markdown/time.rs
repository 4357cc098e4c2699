//! `<time:…>`: a moment that every reader sees in their own time zone.

use super::html;
use jiff::civil::{Date, DateTime};
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

const OPENING: &str = "<time:";

/// More is no time.
const TIME_MAX_BYTES: usize = 100;

/// Formats beside ISO 8601 and RFC 2822; without a zone the time is UTC.
const FORMATS: [&str; 16] = [
    "%Y-%m-%d %H:%M %z",
    "%Y-%m-%d %H:%M:%S %z",
    "%a %b %d %Y %H:%M:%S %z",
    "%b %d %Y %H:%M:%S %z",
    "%B %d, %Y %I:%M %p",
    "%b %d, %Y %I:%M %p",
    "%B %d, %Y, %I:%M %p",
    "%b %d, %Y, %I:%M %p",
    "%B %d %Y %H:%M",
    "%d %B %Y %H:%M",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %Y, %H:%M:%S",
    "%B %d, %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%d %B %Y",
];

/// A time at the start of `text`: its HTML and its length. None if it can't be understood, so that it stays text.
pub(super) fn inline(text: &str) -> Option<(String, usize)> {
    let behind = text.strip_prefix(OPENING)?;
    let window = behind.as_bytes().get(..TIME_MAX_BYTES.min(behind.len()))?;
    let end = window.iter().position(|&byte| byte == b'>')?;
    let typed = &behind[..end];
    let moment = parse(typed.trim())?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let html = html::element("time", &[("datetime", &moment)], &html::text(typed));
    Some((html, OPENING.len() + end + 1))
}

fn parse(text: &str) -> Option<Timestamp> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !text.contains('-') {
        let seconds = text.split('.').next()?;
        return Timestamp::from_second(seconds.parse().ok()?).ok();
    }
    let utc = |moment: DateTime| moment.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp());
    text.parse::<Timestamp>()
        .or_else(|_| text.parse::<Zoned>().map(|zoned| zoned.timestamp()))
        .or_else(|_| text.parse::<DateTime>().and_then(utc))
        .or_else(|_| text.parse::<Date>().and_then(|date| utc(date.into())))
        .or_else(|_| rfc2822::parse(text).map(|zoned| zoned.timestamp()))
        .ok()
        .or_else(|| FORMATS.iter().find_map(|format| by_format(format, text)))
}

fn by_format(format: &str, text: &str) -> Option<Timestamp> {
    let parsed = strtime::parse(format, text).ok()?;
    if parsed.offset().is_some() {
        return parsed.to_timestamp().ok();
    }
    let date = parsed.to_date().ok()?;
    let moment = parsed.to_datetime().unwrap_or_else(|_| date.into());
    moment.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_formats_are_understood() {
        for (typed, moment) in [
            ("2023-05-28T13:30:00+05:30", "2023-05-28T08:00:00Z"),
            ("2023-05-28T13:30:00Z", "2023-05-28T13:30:00Z"),
            ("2023-05-28T13:30:00", "2023-05-28T13:30:00Z"),
            ("2023-05-28 13:30", "2023-05-28T13:30:00Z"),
            ("2023-05-28 13:30 +0200", "2023-05-28T11:30:00Z"),
            ("2023-05-28", "2023-05-28T00:00:00Z"),
            ("1685261400", "2023-05-28T08:10:00Z"),
            ("1685261400.5", "2023-05-28T08:10:00Z"),
            ("Sun, 28 May 2023 13:30:00 +0530", "2023-05-28T08:00:00Z"),
            ("May 28, 2023 1:30 PM", "2023-05-28T13:30:00Z"),
            ("28 May 2023", "2023-05-28T00:00:00Z"),
        ] {
            let html = format!("<time datetime=\"{moment}\">{typed}</time>");
            let text = format!("<time:{typed}>");
            assert_eq!(inline(&text), Some((html, text.len())), "{typed}");
        }
    }

    #[test]
    fn others_stay_text() {
        for text in
            ["<time:>", "<time:soon>", "<time:2023-13-01>", "<time:1", "<time:99999999999999>", "<time:..>", "<b>"]
        {
            assert_eq!(inline(text), None, "{text}");
        }
    }
}
