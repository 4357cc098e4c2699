//! Sentry: messages about events (exceptions and log messages) and about issues.

use super::delivery::{Delivery, RenderedDelivery};
use super::payload::PayloadValue;
use super::python_text::python_str;
use crate::error::Error;
use crate::time::Timestamp;
use serde_json::Value;

/// The title of Sentry's sample event, which is accepted whatever its version.
const SAMPLE_TITLE: &str = "This is an example Python exception";

/// The lowest `version` of an event that Sentry's current SDK sends. Lower ones come from its predecessor, Raven.
const MIN_EVENT_VERSION: i64 = 7;

/// Timestamps, in UNIX seconds, must be below this in absolute value. Larger numbers, such as milliseconds, are
/// refused. As seconds, the limit is reached in the year 8307.
const MAX_TIMESTAMP: f64 = 200_000_000_000.0;

pub fn render(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let payload = delivery.root();
    if !payload.value().is_object() {
        return Err(Error::bad_value("request", "is not a dict"));
    }
    let (topic, content) = match payload.find("data")?.filter(|data| !data.value().is_null()) {
        None => match payload.find_non_empty("event")? {
            Some(event) if event.find_non_empty("event_id")?.is_some() => {
                let reference = EventReference::from_webhook(&payload, &event)?;
                event_message(delivery, &event, &reference)?
            }
            _ => older_payload_message(&payload)?,
        },
        Some(data) => match (data.find("event")?, data.find("issue")?) {
            (Some(event), _) => {
                let url = event.text_of("web_url")?.to_owned();
                let reference = EventReference { url, time: format_time(event.text_of("datetime")?) };
                event_message(delivery, &event, &reference)?
            }
            (None, Some(issue)) => issue_message(delivery, &payload, &issue)?,
            (None, None) => {
                let names: Vec<String> = data.members()?.map(|(name, _)| format!("'{name}'")).collect();
                return Err(delivery.unsupported_event_error(&format!("[{}]", names.join(", "))));
            }
        },
    };
    Ok(RenderedDelivery::of_message(topic, content))
}

/// The URL and the time of an event.
struct EventReference {
    url: String,
    /// In the format of [`format_time`].
    time: String,
}

impl EventReference {
    /// Derives the URL from that of the issue, because payloads of Sentry's plain webhooks do not have the URL of the
    /// event.
    fn from_webhook(payload: &PayloadValue<'_>, event: &PayloadValue<'_>) -> Result<Self, Error> {
        let issue_url = payload.text_of("url")?;
        let url_prefix = issue_url.rfind('/').map_or("", |end| &issue_url[..=end]);
        let id = event.text_of("event_id")?;
        let time_value = match event.find("timestamp")? {
            Some(time_value) => time_value,
            None => event.require("received")?,
        };
        let seconds = time_value.value().as_f64().filter(|seconds| seconds.abs() < MAX_TIMESTAMP);
        let seconds = seconds.ok_or_else(|| Error::bad_value("timestamp", "is not a time"))?;
        let time = format_time(&Timestamp::from_seconds(seconds as i64).to_rfc3339());
        Ok(Self { url: format!("{url_prefix}events/{id}/"), time })
    }
}

/// Converts a UTC time in RFC 3339 to the format `2026-01-12 09:51:03`, without fractions of a second.
fn format_time(time: &str) -> String {
    time.split('.').next().unwrap_or_default().replace('T', " ").trim_end_matches('Z').to_owned()
}

/// The topic and the content for an event.
fn event_message(
    delivery: &Delivery<'_>,
    event: &PayloadValue<'_>,
    reference: &EventReference,
) -> Result<(String, String), Error> {
    let (title, platform) = (event.text_of("title")?, event.text_of("platform")?);
    if platform == "python" && title != SAMPLE_TITLE && event_version(event)? < MIN_EVENT_VERSION {
        return Err(delivery.unsupported_event_error("Raven SDK"));
    }
    let (level, EventReference { url, time }) = (event.text_of("level")?, reference);
    if event.find("exception")?.is_none() {
        if event.find("logentry")?.is_none() {
            return Err(delivery.unsupported_event_error("unknown-event type"));
        }
        let text = format!(
            "\n**New message event:** [{title}]({url})\n```quote\n**level:** {level}\n**timestamp:** {time}\n```\n"
        );
        return Ok((title.to_owned(), text));
    }
    let file_name = event.require("metadata")?.find("filename")?.filter(|name| !name.value().is_null());
    let file_name = file_name.map(|name| name.text()).transpose()?;
    let mut text = format!(
        "\n**New exception:** [{title}]({url})\n\
         ```quote\n**level:** {level}\n**timestamp:** {time}\n**filename:** {}\n```\n",
        file_name.unwrap_or("None")
    );
    if let Some(frame) = file_name.map(|file_name| find_frame(event, file_name)).transpose()?.flatten()
        && let Some(line) = frame.find("context_line")?.filter(|line| !line.value().is_null())
    {
        let (before, after) = (indented_lines(&frame, "pre_context")?, indented_lines(&frame, "post_context")?);
        let language = highlighting_language(platform);
        let line = line.text()?;
        text.push_str(&format!("\nTraceback:\n```{language}\n{before}---> {line}\n{after}```\n"));
    }
    Ok((title.to_owned(), text))
}

fn event_version(event: &PayloadValue<'_>) -> Result<i64, Error> {
    let version = event.require("version")?;
    let number = match version.value() {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64(),
    };
    number.ok_or_else(|| Error::bad_value("version", "is not an integer"))
}

/// The innermost frame in a file, in the last exception with the key `stacktrace`; None if no exception has the key, or
/// the trace is null or has no such frame.
fn find_frame<'a>(event: &PayloadValue<'a>, file_name: &str) -> Result<Option<PayloadValue<'a>>, Error> {
    let exceptions: Vec<PayloadValue<'_>> = event.require("exception")?.require("values")?.items()?.collect();
    for exception in exceptions.iter().rev() {
        let Some(trace) = exception.find("stacktrace")? else { continue };
        if trace.value().is_null() {
            return Ok(None);
        }
        let frames: Vec<PayloadValue<'_>> = trace.require("frames")?.items()?.collect();
        return Ok(frames.into_iter().rfind(|frame| frame.value()["filename"] == file_name));
    }
    Ok(None)
}

fn indented_lines(frame: &PayloadValue<'_>, name: &str) -> Result<String, Error> {
    let Some(lines) = frame.find(name)?.filter(|lines| !lines.value().is_null()) else { return Ok(String::new()) };
    let indent = |line: PayloadValue<'_>| {
        let line = line.text()?;
        Ok(if line.is_empty() { "\n".to_owned() } else { format!("     {line}\n") })
    };
    lines.items()?.map(indent).collect()
}

/// The language for highlighting code of a platform; "" if unknown.
fn highlighting_language(platform: &str) -> &str {
    match platform {
        "go" | "java" | "javascript" | "ruby" => platform,
        "node" => "javascript",
        "python" => "python3",
        _ => "",
    }
}

/// The topic and the content for an action on an issue.
fn issue_message(
    delivery: &Delivery<'_>,
    payload: &PayloadValue<'_>,
    issue: &PayloadValue<'_>,
) -> Result<(String, String), Error> {
    let title = issue.text_of("title")?;
    let time = format_time(issue.text_of("lastSeen")?);
    // The key is required, but may be null or empty.
    issue.require("assignedTo")?;
    let assignee = match issue.find_non_empty("assignedTo")? {
        Some(assignee) if assignee.text_of("type")? == "team" => format!("team {}", assignee.text_of("name")?),
        Some(assignee) => assignee.text_of("name")?.to_owned(),
        None => "No one".to_owned(),
    };
    let actor = || payload.require("actor")?.text_of("name");
    let text = match payload.text_of("action")? {
        "created" => {
            let level = issue.text_of("level")?;
            format!(
                "\n**New issue created:** {title}\n\
                 ```quote\n**level:** {level}\n**timestamp:** {time}\n**assignee:** {assignee}\n```\n"
            )
        }
        "resolved" => format!("\nIssue **{title}** was marked as resolved by **{}**.\n", actor()?),
        "assigned" => format!("\nIssue **{title}** has now been assigned to **{assignee}** by **{}**.\n", actor()?),
        "ignored" => format!("\nIssue **{title}** was ignored by **{}**.\n", actor()?),
        other => return Err(delivery.unsupported_event_error(&format!("{other} action"))),
    };
    Ok((title.to_owned(), text))
}

/// The topic and the content for the payload of an older version, which has no event or one without an ID.
fn older_payload_message(payload: &PayloadValue<'_>) -> Result<(String, String), Error> {
    let text_or_none = |name: &str| -> Result<String, Error> {
        Ok(payload.find(name)?.map_or_else(|| "None".to_owned(), |value| python_str(value.value())))
    };
    let level = payload.text_of("level")?.to_uppercase();
    let (url, message) = (text_or_none("url")?, text_or_none("message")?);
    let text = format!("\nNew [issue]({url}) (level: {level}):\n\n``` quote\n{message}\n```\n");
    Ok((text_or_none("project_name")?, text))
}
