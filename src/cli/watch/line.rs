//! Formats a frame as a line of text, in columns.

mod conditions;

use super::days::to_timestamp;
use conditions::{conditions_row, format_network, format_rate_limit};
use serde_json::Value;

const TIME_WIDTH: usize = 12;
const KIND_WIDTH: usize = 6;
const SUBJECT_WIDTH: usize = 40;
const OUTCOME_WIDTH: usize = 4;

/// Foreground colours, with the numbers of ANSI escape codes.
#[derive(Clone, Copy)]
enum Colour {
    Plain = 0,
    Red = 31,
    Green = 32,
    Yellow = 33,
    Blue = 34,
    Magenta = 35,
    Cyan = 36,
}

/// Formats a frame. A frame of an unknown kind, or a text that is not JSON, stays as it is, except that its unprintable
/// characters are escaped.
pub fn format_frame(text: &str, is_coloured: bool) -> String {
    let paint = |colour: Colour, text: String| {
        if is_coloured && !matches!(colour, Colour::Plain) {
            format!("\x1b[{}m{text}\x1b[0m", colour as u8)
        } else {
            text
        }
    };
    let Ok(frame) = serde_json::from_str::<Value>(text) else { return escape_unprintable(text) };
    let row = match frame["type"].as_str() {
        Some("request") => request_row(&frame),
        Some("event") => event_row(&frame),
        Some("clock") => clock_row(&frame),
        Some("push") => push_row(&frame),
        Some("queue") => queue_row(&frame),
        Some("fault") => fault_row(&frame),
        Some("network") => conditions_row(&frame, "network", &frame["networks"], format_network),
        Some("rate_limit") => conditions_row(&frame, "limit", &frame["rate_limits"], format_rate_limit),
        Some("lost") => lost_row(&frame),
        _ => return escape_unprintable(text),
    };
    let kind = paint(row.colour, pad(&row.kind, KIND_WIDTH));
    let outcome = paint(row.outcome_colour, format!("{:>OUTCOME_WIDTH$}", row.outcome));
    let mark = if row.mark.is_empty() { String::new() } else { format!("  {}", paint(Colour::Magenta, row.mark)) };
    let line =
        format!("{:TIME_WIDTH$}  {kind}  {}  {outcome}  {}", row.at, pad(&row.subject, SUBJECT_WIDTH), row.details);
    format!("{}{mark}", line.trim_end())
}

struct FrameRow {
    at: String,
    kind: String,
    colour: Colour,
    subject: String,
    outcome: String,
    outcome_colour: Colour,
    details: String,
    /// `! ` and the ID of the fault that the request met; empty if it met none.
    mark: String,
}

impl Default for FrameRow {
    fn default() -> Self {
        Self {
            at: String::new(),
            kind: String::new(),
            colour: Colour::Plain,
            subject: String::new(),
            outcome: String::new(),
            outcome_colour: Colour::Plain,
            details: String::new(),
            mark: String::new(),
        }
    }
}

fn request_row(frame: &Value) -> FrameRow {
    let status = frame["status"].as_u64().unwrap_or_default();
    let code = frame["reply"]["code"].as_str().map(|code| format!(" {}", escape_unprintable(code))).unwrap_or_default();
    let user = frame["user"].as_str().map_or_else(|| "-".to_owned(), escape_unprintable);
    // A hint says more than the message.
    let message = frame["reply"]["msg"].as_str().filter(|_| status >= 400);
    let explanation = frame["hint"].as_str().or(message).filter(|text| !text.is_empty());
    let explanation = explanation.map(|text| format!(": {}", escape_unprintable(text))).unwrap_or_default();
    let milliseconds = frame["duration_ms"].as_f64().unwrap_or_default();
    FrameRow {
        at: time_of_day(&frame["at"]),
        kind: escape_unprintable(frame["method"].as_str().unwrap_or_default()),
        colour: Colour::Plain,
        subject: escape_unprintable(frame["path"].as_str().unwrap_or_default()),
        outcome: if status == 0 { "drop".into() } else { status.to_string() },
        outcome_colour: match status {
            200..400 => Colour::Green,
            400..500 => Colour::Yellow,
            _ => Colour::Red,
        },
        details: format!("{milliseconds:>8.1} ms  {user}{code}{explanation}"),
        mark: frame["fault"].as_str().map(|id| format!("! {}", escape_unprintable(id))).unwrap_or_default(),
    }
}

fn event_row(frame: &Value) -> FrameRow {
    let event = &frame["event"];
    let kind = event["type"].as_str().unwrap_or_default();
    let op = event["op"].as_str().map(|op| format!(" {op}")).unwrap_or_default();
    let id = event["message"]["id"].as_i64().or(event["message_id"].as_i64());
    let id = id.map(|id| format!(" #{id}")).unwrap_or_default();
    let audience = match frame["queue_id"].as_str() {
        Some(queue) => format!("to queue {}", escape_unprintable(queue)),
        None => format!("to {}", audience_text(frame)),
    };
    let details = [event_details(frame), short_text(event)].into_iter().flatten().collect::<Vec<_>>().join(": ");
    let details = if details.is_empty() { audience } else { format!("{audience}  {details}") };
    FrameRow {
        at: time_of_day(&frame["at"]),
        kind: "event".into(),
        colour: Colour::Cyan,
        subject: escape_unprintable(&format!("{kind}{op}{id}")),
        details,
        ..FrameRow::default()
    }
}

/// The maximum number of users that are named in the audience of an event.
const MAX_NAMED_USERS: usize = 4;
/// The maximum length of a text; longer texts are cut.
const MAX_TEXT_CHARACTERS: usize = 60;

/// The name of a user; the ID if the frame has no name.
fn user_name(frame: &Value, id: &Value) -> String {
    frame["names"]["users"][id.to_string()].as_str().map_or_else(|| format!("user {id}"), escape_unprintable)
}

fn audience_text(frame: &Value) -> String {
    let users = frame["users"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<String> = users.iter().take(MAX_NAMED_USERS).map(|id| user_name(frame, id)).collect();
    match users.len() {
        0 => "nobody".to_owned(),
        count if count <= MAX_NAMED_USERS => names.join(", "),
        count => format!("{} and {} more", names.join(", "), count - MAX_NAMED_USERS),
    }
}

/// The user who caused the event and the place: `mel in general > lunch`. None if the frame names neither.
fn event_details(frame: &Value) -> Option<String> {
    let event = &frame["event"];
    let message = &event["message"];
    let actor = match message["sender_email"].as_str() {
        Some(email) => Some(escape_unprintable(email.split('@').next().unwrap_or_default())),
        None => ["user_id", "sender_id"]
            .into_iter()
            .map(|key| &event[key])
            .find(|id| id.is_i64())
            .map(|id| user_name(frame, id)),
    };
    let topic = message["subject"].as_str().or(event["topic"].as_str());
    let place = frame["names"]["channel"].as_str().map(|channel| match topic {
        Some(topic) => format!("{} > {}", escape_unprintable(channel), escape_unprintable(topic)),
        None => escape_unprintable(channel),
    });
    match (actor, place) {
        (Some(actor), Some(place)) => Some(format!("{actor} in {place}")),
        (actor, place) => actor.or(place),
    }
}

/// The text of a message or the name of an emoji, shortened and in one line.
fn short_text(event: &Value) -> Option<String> {
    let text = event["message"]["content"].as_str().or(event["content"].as_str()).or(event["emoji_name"].as_str())?;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shortened: String = line.chars().take(MAX_TEXT_CHARACTERS).collect();
    Some(if shortened.len() < line.len() {
        format!("{}…", escape_unprintable(&shortened))
    } else {
        escape_unprintable(&shortened)
    })
}

fn push_row(frame: &Value) -> FrameRow {
    let push = &frame["push"];
    let user = push["user"].as_str().map_or_else(|| "-".to_owned(), escape_unprintable);
    let device = push["device_id"].as_i64().map(|id| format!(" device {id}")).unwrap_or_default();
    let text = short_text(&push["payload"]).map(|text| format!(": {text}")).unwrap_or_default();
    FrameRow {
        at: time_of_day(&frame["at"]),
        kind: "push".into(),
        colour: Colour::Green,
        subject: escape_unprintable(push["kind"].as_str().unwrap_or_default()),
        details: format!("to {user}{device}{text}"),
        ..FrameRow::default()
    }
}

fn queue_row(frame: &Value) -> FrameRow {
    let user = frame["user"].as_str().map_or_else(|| "-".to_owned(), escape_unprintable);
    let change = frame["change"].as_str().unwrap_or_default();
    FrameRow {
        at: time_of_day(&frame["at"]),
        kind: "queue".into(),
        colour: if matches!(change, "expired" | "lost") { Colour::Yellow } else { Colour::Blue },
        subject: escape_unprintable(change),
        details: format!("{user} {}", escape_unprintable(frame["queue_id"].as_str().unwrap_or_default())),
        ..FrameRow::default()
    }
}

fn fault_row(frame: &Value) -> FrameRow {
    FrameRow {
        at: time_of_day(&frame["at"]),
        kind: "fault".into(),
        colour: Colour::Magenta,
        subject: escape_unprintable(frame["fault_id"].as_str().unwrap_or_default()),
        details: format!("request {} met {}", frame["journal_id"], escape_unprintable(&frame["effect"].to_string())),
        ..FrameRow::default()
    }
}

/// The row that says how many frames were missed.
fn lost_row(frame: &Value) -> FrameRow {
    let subject = match frame["count"].as_u64() {
        Some(1) => "1 frame was missed".to_owned(),
        _ => format!("{} frames were missed", frame["count"]),
    };
    FrameRow { at: time_of_day(&frame["at"]), kind: "lost".into(), colour: Colour::Red, subject, ..FrameRow::default() }
}

fn clock_row(frame: &Value) -> FrameRow {
    let (from, now) = (frame["from"].as_f64().unwrap_or_default(), frame["now"].as_f64().unwrap_or_default());
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for item in frame["fired"].as_array().into_iter().flatten() {
        let kind = escape_unprintable(item["kind"].as_str().unwrap_or_default());
        match kinds.iter_mut().find(|(known_kind, _)| *known_kind == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let parts: Vec<String> =
        kinds.into_iter().map(|(kind, count)| if count == 1 { kind } else { format!("{count} × {kind}") }).collect();
    let (start_date, date) = (to_timestamp(from).to_date(), to_timestamp(now).to_date());
    let jump = match start_date == date {
        true => format!("{} from {}", format_jump(now - from), time_of_day(&frame["from"])),
        false => format!("{} → {date}", format_jump(now - from)),
    };
    let restoration = match frame["cause"].as_str() {
        Some("restore") => {
            Some(format!("restored {}", escape_unprintable(frame["snapshot"].as_str().unwrap_or_default())))
        }
        Some("reset") => Some("reset".to_owned()),
        Some("state") => Some("state replaced".to_owned()),
        _ => None,
    };
    FrameRow {
        at: time_of_day(&frame["now"]),
        kind: "clock".into(),
        colour: Colour::Blue,
        subject: match restoration {
            Some(restoration) if now == from => restoration,
            Some(restoration) => format!("{restoration}, {jump}"),
            None => jump,
        },
        details: parts.join(", "),
        ..FrameRow::default()
    }
}

/// Formats the length of a jump in the largest unit of which it has at least one, or in seconds.
fn format_jump(seconds: f64) -> String {
    let length = seconds.abs();
    let (count, unit) = match length {
        _ if length >= 86_400.0 => (length / 86_400.0, "d"),
        _ if length >= 3_600.0 => (length / 3_600.0, "h"),
        _ if length >= 60.0 => (length / 60.0, "min"),
        _ => (length, "s"),
    };
    let count = format!("{count:.1}");
    format!("{}{} {unit}", if seconds < 0.0 { "−" } else { "+" }, count.trim_end_matches(".0"))
}

/// Formats the time of day in UTC, with milliseconds.
fn time_of_day(seconds: &Value) -> String {
    let seconds = seconds.as_f64().unwrap_or_default();
    let milliseconds = (seconds.rem_euclid(86_400.0) * 1e3).floor() as u64;
    let (seconds, milliseconds) = (milliseconds / 1_000, milliseconds % 1_000);
    format!("{:02}:{:02}:{:02}.{milliseconds:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// Escapes control characters, and the marks, embeddings and overrides of text direction, so that texts can't control
/// the terminal.
fn escape_unprintable(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let is_control =
                character.is_control() || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
            if is_control { character.escape_default().collect::<Vec<_>>() } else { vec![character] }
        })
        .collect()
}

/// Pads a text to a width; longer texts remain unchanged.
fn pad(text: &str, width: usize) -> String {
    format!("{text:width$}")
}

#[cfg(test)]
mod tests;
