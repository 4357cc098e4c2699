//! Expands `<time:…>`, which clients show in the reader's time zone (A-183 in docs/assumptions.md).

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use crate::tree::{Node, Text};
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};

const OPENING: &str = "<time:";

/// Longer texts are not times.
const MAX_TIME_BYTES: usize = 100;

/// Formats of dates in texts that are not ISO 8601 or RFC 2822 as a whole, without commas. If a date is ambiguous, the
/// month is first.
const DATE_FORMATS: [&str; 14] = [
    "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%Y",
    "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y", "%m.%d.%Y", "%d.%m.%Y",
];

/// Formats of the time of day, without spaces.
const TIME_FORMATS: [&str; 6] = ["%I:%M%p", "%I%p", "%I:%M:%S%p", "%H:%M", "%H:%M:%S", "%H:%M:%S%.f"];

/// Words in a date that do not matter, such as its weekday.
const IGNORED_WORDS: [&str; 18] = [
    "at",
    "of",
    "on",
    "the",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Common abbreviations of time zones, with their offset from UTC in minutes. Ambiguous ones have one of their offsets.
const ZONES: [(&str, i32); 36] = [
    ("Z", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("HST", -600),
    ("AKST", -540),
    ("AKDT", -480),
    ("PST", -480),
    ("PDT", -420),
    ("MST", -420),
    ("MDT", -360),
    ("CST", -360),
    ("CDT", -300),
    ("EST", -300),
    ("EDT", -240),
    ("AST", -240),
    ("ADT", -180),
    ("NST", -210),
    ("NDT", -150),
    ("BST", 60),
    ("WEST", 60),
    ("CET", 60),
    ("CEST", 120),
    ("EET", 120),
    ("SAST", 120),
    ("EEST", 180),
    ("MSK", 180),
    ("PKT", 300),
    ("IST", 330),
    ("HKT", 480),
    ("AWST", 480),
    ("JST", 540),
    ("KST", 540),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
];

/// Expands `<time:2026-01-31T12:00>`.
pub(super) fn expand_times(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    text.contains(OPENING).then_some(())?;
    let mut rewriter = TextRewriter::new(text);
    while let Some(start) = text[rewriter.position()..].find(OPENING).map(|offset| rewriter.position() + offset) {
        let source_start = start + OPENING.len();
        let Some(end) = memchr::memchr(b'>', &text.as_bytes()[source_start..]).map(|offset| source_start + offset)
        else {
            break;
        };
        let source = &text[source_start..end];
        let format = &inline.context.settings.output_format;
        let placeholder =
            match time_element(source, if format.accepts_only_iso_times { parse_iso } else { parse_any_format }) {
                Some(element) => inline.stash_element(element),
                None if format.reports_invalid_times => {
                    let content = Text::literal(format!("Invalid time format: {source}"));
                    let attributes = vec![("class", "timestamp-error".to_owned())];
                    inline.stash_element(Node { tag: "span", attributes, text: content, ..Node::default() })
                }
                None => inline.stash_text(text[start..=end].to_owned()),
            };
        rewriter.replace(start..end + 1, &placeholder);
    }
    rewriter.finish()
}

fn time_element(source: &str, parse: fn(&str) -> Option<Timestamp>) -> Option<Node> {
    let timestamp = parse(source.trim()).filter(|_| source.len() <= MAX_TIME_BYTES)?;
    let has_fraction = timestamp.subsec_microsecond() != 0 || timestamp.subsec_millisecond() != 0;
    let format = if has_fraction { "%Y-%m-%dT%H:%M:%S.%6fZ" } else { "%Y-%m-%dT%H:%M:%SZ" };
    let attributes = vec![("datetime", timestamp.strftime(format).to_string())];
    Some(Node { tag: "time", attributes, text: Text::literal(source), ..Node::default() })
}

/// Parses a date of ISO 8601, optionally with a time of day and an offset. Without an offset, it is in UTC.
fn parse_iso(text: &str) -> Option<Timestamp> {
    // The parser also accepts a space instead of `T`, and names of time zones.
    if text.contains([' ', '[', '_']) {
        return None;
    }
    let parse_without_offset = || {
        let moment = text.parse::<DateTime>().ok().filter(|_| !has_offset(text))?;
        timestamp_in_utc(moment).ok()
    };
    text.parse::<Timestamp>().ok().or_else(parse_without_offset)
}

/// Whether the time of day has an offset or `Z`.
fn has_offset(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(_, time)| time.contains(['+', '-', 'Z', 'z']))
}

fn timestamp_in_utc(moment: DateTime) -> Result<Timestamp, jiff::Error> {
    moment.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp())
}

/// Parses a time in the formats that are supported below level 503.
fn parse_any_format(text: &str) -> Option<Timestamp> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        // Eight digits are a date if the calendar has it; other numbers are UNIX seconds.
        if text.len() == "20260101".len()
            && let Ok(timestamp) = Date::strptime("%Y%m%d", text).and_then(|date| timestamp_in_utc(date.into()))
        {
            return Some(timestamp);
        }
        if text.matches('.').count() < 2 {
            let seconds = text.split('.').next()?;
            return Timestamp::from_second(seconds.parse().ok()?).ok();
        }
    }
    text.parse::<Timestamp>()
        .or_else(|_| text.parse::<Zoned>().map(|zoned| zoned.timestamp()))
        .or_else(|_| text.parse::<DateTime>().and_then(timestamp_in_utc))
        .or_else(|_| text.parse::<Date>().and_then(|date| timestamp_in_utc(date.into())))
        .or_else(|_| rfc2822::parse(text).map(|zoned| zoned.timestamp()))
        .ok()
        .or_else(|| parse_words(text))
}

/// Parses a date, optionally with a time of day and a time zone in any order. The default is UTC.
fn parse_words(text: &str) -> Option<Timestamp> {
    let (mut date, mut time, mut offset) = (String::new(), String::new(), Offset::UTC);
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if let Some(zone_offset) = parse_zone(word) {
            offset = zone_offset;
        } else if is_part_of_time(word) || words.peek().is_some_and(|next| is_am_or_pm(next)) {
            time.push_str(word);
        } else if !IGNORED_WORDS.iter().any(|ignored| ignored.eq_ignore_ascii_case(word)) {
            date.push_str(if date.is_empty() { "" } else { " " });
            date.push_str(strip_ordinal_ending(word));
        }
    }
    let date = DATE_FORMATS.iter().find_map(|format| Date::strptime(format, &date).ok())?;
    let time = if time.is_empty() {
        Time::midnight()
    } else {
        TIME_FORMATS.iter().find_map(|format| Time::strptime(format, &time).ok())?
    };
    offset.to_timestamp(date.to_datetime(time)).ok()
}

fn parse_zone(word: &str) -> Option<Offset> {
    if word.starts_with(['+', '-']) {
        return strtime::parse("%z", word.replace(':', "")).ok()?.offset();
    }
    let (_, minutes) = ZONES.iter().find(|(name, _)| *name == word)?;
    Offset::from_seconds(minutes * 60).ok()
}

fn is_part_of_time(word: &str) -> bool {
    word.contains(':') || is_am_or_pm(word.trim_start_matches(|character: char| character.is_ascii_digit()))
}

fn is_am_or_pm(word: &str) -> bool {
    ["am", "pm"].iter().any(|suffix| suffix.eq_ignore_ascii_case(word))
}

/// Removes the ending of ordinal numbers such as `5th`.
fn strip_ordinal_ending(word: &str) -> &str {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending));
    digits.filter(|digits| digits.ends_with(|character: char| character.is_ascii_digit())).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_formats_are_parsed() {
        for (source, timestamp) in [
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
            ("28 may 2023", "2023-05-28T00:00:00Z"),
            ("20230528", "2023-05-28T00:00:00Z"),
            ("28-May-2023", "2023-05-28T00:00:00Z"),
            ("2023/5/28 7:05", "2023-05-28T07:05:00Z"),
            ("5/6/2023", "2023-05-06T00:00:00Z"),
            ("28.5.2023", "2023-05-28T00:00:00Z"),
            ("2023-05-28 1:30pm", "2023-05-28T13:30:00Z"),
            ("2023-05-28 13:30 UTC", "2023-05-28T13:30:00Z"),
            ("2023-05-28 13:30 +02:00", "2023-05-28T11:30:00Z"),
            ("May 3rd 2023, 10:30PM", "2023-05-03T22:30:00Z"),
            ("the 1st of May 2023", "2023-05-01T00:00:00Z"),
            ("1:05:09 pm May 28 2023", "2023-05-28T13:05:09Z"),
            ("Sunday, May 28, 2023 at 5 pm", "2023-05-28T17:00:00Z"),
            ("Sun May 28 2023 13:30:00 +0530", "2023-05-28T08:00:00Z"),
            ("28 May 2023 5:30 am IST", "2023-05-28T00:00:00Z"),
        ] {
            let attributes = time_element(source, parse_any_format).map(|node| node.attributes);
            assert_eq!(attributes, Some(vec![("datetime", timestamp.to_owned())]), "{source}");
        }
    }

    #[test]
    fn only_formats_of_iso_8601_are_parsed() {
        for (source, timestamp) in [
            ("2023-05-28T13:30:00+05:30", "2023-05-28T08:00:00Z"),
            ("2023-05-28T13:30:00Z", "2023-05-28T13:30:00Z"),
            ("2023-05-28T13:30:00", "2023-05-28T13:30:00Z"),
            ("2023-05-28T13:30", "2023-05-28T13:30:00Z"),
            ("2023-05-28T13:30+02:00", "2023-05-28T11:30:00Z"),
            ("2023-05-28", "2023-05-28T00:00:00Z"),
            ("20230528", "2023-05-28T00:00:00Z"),
            ("20230528T133000Z", "2023-05-28T13:30:00Z"),
        ] {
            let attributes = time_element(source, parse_iso).map(|node| node.attributes);
            assert_eq!(attributes, Some(vec![("datetime", timestamp.to_owned())]), "{source}");
        }
        for source in [
            "1685261400",
            "1685261400.5",
            "2023-05-28 13:30",
            "2023-05-28 13:30:00Z",
            "2023-05-28T13:30:00[Europe/Berlin]",
            "2023-05-28T13:30:00+05:30[Asia/Kolkata]",
            "2023-05-28T13:30:00+99:99",
            "Sun, 28 May 2023 13:30:00 +0530",
            "May 28, 2023 1:30 PM",
            "28 May 2023",
            "5/6/2023",
            "2023/5/28",
            "2023-05",
        ] {
            assert!(time_element(source, parse_iso).is_none(), "{source}");
        }
    }

    #[test]
    fn other_texts_are_not_times() {
        for text in ["", "soon", "2023-13-01", "99999999999999", ".."] {
            assert!(
                time_element(text, parse_any_format).is_none() && time_element(text, parse_iso).is_none(),
                "{text}"
            );
        }
    }
}
