//! Rules about the parameters, bodies and addresses of requests.

use crate::report::finding::Findings;
use crate::report::observation::Observation;
use crate::report::rule::{Rule, Severity};

pub const RULES: &[&Rule] = &[
    &IGNORED_PARAMETER,
    &JSON_INSTEAD_OF_FORM,
    &PARAMETERS_IN_QUERY_AND_BODY,
    &CREDENTIALS_IN_QUERY,
    &ID_AS_TEXT,
    &UPLOAD_ADDRESS_ENCODED_TWICE,
];

static IGNORED_PARAMETER: Rule = Rule {
    name: "ignored-parameter",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Sent a parameter that is ignored: {}",
    why: "What the client asks for is not done; from level 167 on, the reply of most operations says so in ignored_parameters_unsupported.",
    help: "Correct the name, or leave it out at this feature level.",
    example: "GET /messages?anchor=newest&num_before=10&num_after=0&limit=10",
    test: "parameters_are_known_to_the_operation",
};
static JSON_INSTEAD_OF_FORM: Rule = Rule {
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
static PARAMETERS_IN_QUERY_AND_BODY: Rule = Rule {
    name: "parameters-in-query-and-body",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Sent parameters in the query and in the body: {}",
    why: "Which of two values wins is undefined, and queries are written to logs.",
    help: "Send all parameters of POST, PATCH, PUT and DELETE in the body.",
    example: "POST /messages?type=channel with the rest in the body",
    test: "parameters_are_in_one_place",
};
static CREDENTIALS_IN_QUERY: Rule = Rule {
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
static ID_AS_TEXT: Rule = Rule {
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
static UPLOAD_ADDRESS_ENCODED_TWICE: Rule = Rule {
    name: "upload-address-encoded-twice",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Encoded the address of an upload once more",
    why: "The file is not found: files whose names have spaces or accented letters do not open.",
    help: "Use the address as the API gave it; it is encoded already.",
    example: "GET /user_uploads/…/a%2520b.txt for the url /user_uploads/…/a%20b.txt",
    test: "addresses_of_uploads_are_used_as_they_are",
};

/// Parameters with IDs, besides `to` and those whose names end with `_id` or `_ids`.
const ID_PARAMETERS: &[&str] = &["add", "delete", "messages", "principals"];

pub fn check(request: &Observation<'_>, findings: &mut Findings) {
    if request.facts.sends_json {
        findings.add(&JSON_INSTEAD_OF_FORM, &request.operation(), request);
    }
    if request.facts.splits_parameters {
        findings.add(&PARAMETERS_IN_QUERY_AND_BODY, &request.operation(), request);
    }
    if let Some(name) = request.facts.secret_query_parameter {
        findings.add(&CREDENTIALS_IN_QUERY, name, request);
    }
    if is_encoded_twice(request) {
        findings.add(&UPLOAD_ADDRESS_ENCODED_TWICE, "", request);
    }
    if request.entry.params.is_empty() {
        return;
    }
    if request.entry.status == 200 {
        for name in request.ignored_parameters {
            findings.add(&IGNORED_PARAMETER, &format!("{name} of {}", request.operation()), request);
        }
    }
    for (name, value) in request.entry.params.iter().filter(|(name, value)| may_contain_ids(name, value)) {
        if has_quoted_number(value) {
            findings.add(&ID_AS_TEXT, &format!("{name} of {}", request.operation()), request);
        }
    }
}

fn may_contain_ids(name: &str, value: &str) -> bool {
    let is_list = value.starts_with('[');
    match name {
        // A channel may have a number as its name, but a list never contains names of channels.
        "to" => is_list,
        _ => {
            (is_list || value.starts_with('"'))
                && (name.ends_with("_id") || name.ends_with("_ids") || ID_PARAMETERS.contains(&name))
        }
    }
}

/// Whether JSON is a string of digits, or a list with such a string.
fn has_quoted_number(json: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match serde_json::from_str::<serde_json::Value>(json) {
        Ok(serde_json::Value::String(text)) => is_number(&text),
        Ok(serde_json::Value::Array(items)) => items.iter().any(|item| item.as_str().is_some_and(is_number)),
        _ => false,
    }
}

fn is_encoded_twice(request: &Observation<'_>) -> bool {
    let path = request.entry.path.as_bytes();
    // A temporary URL with a wrong name is refused with 400.
    let is_missing_upload =
        matches!(request.entry.status, 400 | 404) && request.entry.path.starts_with("/user_uploads/");
    let precedes_hex_digits =
        |start: usize| path.get(start + 3..start + 5).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    is_missing_upload && memchr::memmem::find_iter(path, b"%25").any(precedes_hex_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_channels_with_digits_are_not_reported_as_ids() {
        let is_reported = |name: &str, value: &str| may_contain_ids(name, value) && has_quoted_number(value);

        assert!(
            is_reported("messages", r#"["9"]"#) && is_reported("stream_id", r#""9""#) && is_reported("to", r#"["9"]"#)
        );
        assert!(
            !is_reported("messages", "[9]") && !is_reported("to", r#""2026""#) && !is_reported("content", r#""9""#)
        );
        assert!(!is_reported("queue_id", "17") && !is_reported("to", r#"["mel@chat.test"]"#));
    }
}
