//! Rules about how requests are written.

use crate::report::finding::Findings;
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{DoubtKind, Seen};

/// Where `ignored_parameters_unsupported` is in a reply, if anywhere: behind `result` and `msg`.
const ENVELOPE_BYTES: usize = 512;

/// The rows.
pub const RULES: &[&Rule] = &[
    &IGNORED,
    &DEPRECATED_OPERATION,
    &DEPRECATED_PARAMETER,
    &DEPRECATED_EVENTS,
    &JSON_BODY,
    &SPLIT,
    &SECRET,
    &NUMBER_AS_TEXT,
    &ENCODED_TWICE,
];

static IGNORED: Rule = Rule {
    name: "ignored-parameter",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Sent a parameter that is ignored: {}",
    why: "What the client asks for is not done; the reply says so in ignored_parameters_unsupported.",
    help: "Correct the name, or leave it out at this feature level.",
    example: "GET /messages?anchor=newest&num_before=10&num_after=0&limit=10",
    test: "parameters_are_known_to_the_operation",
};
static DEPRECATED_OPERATION: Rule = Rule {
    name: "deprecated-operation",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Used a deprecated operation: {}",
    why: "A later server does not have it.",
    help: "Use what replaces it.",
    example: "POST /mark_all_as_read",
    test: "deprecated_operations_are_avoided",
};
static DEPRECATED_PARAMETER: Rule = Rule {
    name: "deprecated-parameter",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Used a deprecated parameter: {}",
    why: "A later server ignores or refuses it.",
    help: "Use what replaces it.",
    example: "POST /messages with type=private",
    test: "deprecated_parameters_are_avoided",
};
static DEPRECATED_EVENTS: Rule = Rule {
    name: "deprecated-event-type",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Registered for a deprecated type of events: {}",
    why: "Its events and its keys of the register reply are gone from later servers.",
    help: "Register for the type that replaces it, with the capability that it needs.",
    example: "POST /register with event_types=[\"muted_topics\"]",
    test: "deprecated_types_of_events_are_avoided",
};
static JSON_BODY: Rule = Rule {
    name: "json-instead-of-form",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Sent a JSON body: {}",
    why: "The API reads forms: the request has no parameters for it.",
    help: "Send application/x-www-form-urlencoded; lists and objects are JSON inside of a parameter.",
    example: "POST /messages with Content-Type: application/json",
    test: "bodies_are_forms",
};
static SPLIT: Rule = Rule {
    name: "parameters-in-query-and-body",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Sent parameters in the query and in the body: {}",
    why: "Which of two values holds is an accident, and queries are written to logs.",
    help: "Send all parameters of POST, PATCH, PUT and DELETE in the body.",
    example: "POST /messages?type=channel with the rest in the body",
    test: "parameters_are_in_one_place",
};
static SECRET: Rule = Rule {
    name: "credentials-in-query",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Sent {} in the query",
    why: "Servers and proxies write addresses to their logs, and browsers to their history.",
    help: "Send the key in the Authorization header, and passwords in the body.",
    example: "GET /users/me?api_key=…",
    test: "credentials_are_in_the_header",
};
static NUMBER_AS_TEXT: Rule = Rule {
    name: "id-as-text",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Sent IDs as text where numbers are meant: {}",
    why: "Strict servers refuse it; others take it for a name or an address.",
    help: "Write IDs in JSON without quotes: [9, 10].",
    example: "POST /messages/flags with messages=[\"9\"]",
    test: "ids_are_numbers",
};
static ENCODED_TWICE: Rule = Rule {
    name: "upload-address-encoded-twice",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Encoded the address of an upload once more",
    why: "The file is not found: files whose names have blanks or letters with accents do not open.",
    help: "Use the address as the API gave it; it is encoded already.",
    example: "GET /user_uploads/…/a%2520b.txt for the url /user_uploads/…/a%20b.txt",
    test: "addresses_of_uploads_are_used_as_they_are",
};

/// Parameters that hold IDs; also those whose names end with `_id` or `_ids`.
const OF_IDS: &[&str] = &["add", "delete", "messages", "principals"];

/// Judges a request.
pub fn judge(seen: &Seen<'_>, findings: &mut Findings) {
    if seen.facts.sends_json {
        findings.add(&JSON_BODY, &way(seen), seen);
    }
    if seen.facts.splits_parameters {
        findings.add(&SPLIT, &way(seen), seen);
    }
    if let Some(name) = seen.facts.secret_in_query {
        findings.add(&SECRET, name, seen);
    }
    for doubt in seen.doubts.iter().filter(|doubt| doubt.level <= seen.facts.level) {
        let rule = match doubt.kind {
            DoubtKind::DeprecatedOperation => &DEPRECATED_OPERATION,
            DoubtKind::DeprecatedParameter => &DEPRECATED_PARAMETER,
            DoubtKind::DeprecatedEvents => &DEPRECATED_EVENTS,
            // The operation says by itself that it does not know them.
            DoubtKind::Removed | DoubtKind::Renamed => continue,
        };
        let instead = if doubt.instead.is_empty() { String::new() } else { format!("; use {}", doubt.instead) };
        findings.add(rule, &format!("{}, since level {}{instead}", doubt.what, doubt.level), seen);
    }
    if is_encoded_twice(seen) {
        findings.add(&ENCODED_TWICE, "", seen);
    }
    if seen.entry.params.is_empty() {
        return;
    }
    if seen.entry.status == 200 {
        for name in ignored(seen.reply) {
            findings.add(&IGNORED, &format!("{name} of {}", way(seen)), seen);
        }
    }
    for (name, value) in seen.entry.params.iter().filter(|(name, value)| is_of_ids(name, value)) {
        if has_digits_in_quotes(value) {
            findings.add(&NUMBER_AS_TEXT, &format!("{name} of {}", way(seen)), seen);
        }
    }
}

/// A request without its values.
fn way(seen: &Seen<'_>) -> String {
    format!("{} {}", seen.entry.method, seen.entry.route.unwrap_or(&seen.entry.path))
}

fn ignored(reply: &[u8]) -> Vec<String> {
    const KEY: &[u8] = br#""ignored_parameters_unsupported":"#;
    let head = &reply[..reply.len().min(ENVELOPE_BYTES)];
    let Some(begin) = memchr::memmem::find(head, KEY) else { return Vec::new() };
    let list = &reply[begin + KEY.len()..];
    let mut lists = serde_json::Deserializer::from_slice(list).into_iter::<Vec<String>>();
    lists.next().and_then(Result::ok).unwrap_or_default()
}

fn is_of_ids(name: &str, value: &str) -> bool {
    let is_list = value.starts_with('[');
    match name {
        // A channel may be called by a number, and a list of addresses never is one.
        "to" => is_list,
        _ => {
            (is_list || value.starts_with('"'))
                && (name.ends_with("_id") || name.ends_with("_ids") || OF_IDS.contains(&name))
        }
    }
}

/// Whether JSON has a text of digits only, in a list or by itself.
fn has_digits_in_quotes(json: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match serde_json::from_str::<serde_json::Value>(json) {
        Ok(serde_json::Value::String(text)) => is_number(&text),
        Ok(serde_json::Value::Array(items)) => items.iter().any(|item| item.as_str().is_some_and(is_number)),
        _ => false,
    }
}

fn is_encoded_twice(seen: &Seen<'_>) -> bool {
    let path = seen.entry.path.as_bytes();
    let is_lost = matches!(seen.entry.status, 400 | 404) && seen.entry.path.starts_with("/user_uploads/");
    let is_code = |at: usize| path.get(at + 3..at + 5).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit));
    is_lost && memchr::memmem::find_iter(path, b"%25").any(is_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_parameters_are_read_from_the_envelope() {
        let reply = br#"{"result":"success","msg":"","ignored_parameters_unsupported":["limit","x"],"messages":[]}"#;

        assert_eq!(ignored(reply), ["limit", "x"]);
        assert!(ignored(br#"{"result":"success","msg":""}"#).is_empty());
    }

    #[test]
    fn names_of_digits_are_no_ids() {
        let is_text = |name: &str, value: &str| is_of_ids(name, value) && has_digits_in_quotes(value);

        assert!(is_text("messages", r#"["9"]"#) && is_text("stream_id", r#""9""#) && is_text("to", r#"["9"]"#));
        assert!(!is_text("messages", "[9]") && !is_text("to", r#""2026""#) && !is_text("content", r#""9""#));
        assert!(!is_text("queue_id", "17") && !is_text("to", r#"["mel@chat.test"]"#));
    }
}
