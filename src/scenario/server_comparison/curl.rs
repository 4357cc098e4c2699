//! Formats requests as `curl` commands for the reports of comparisons.

use crate::scenario::client::HttpRequest;
use crate::scenario::recording::secrets::{redact_form, redact_url, redact_value};
use serde_json::Value;
use std::borrow::Cow;

/// The `curl` command for a request, with the API key in the variable `KEY`, and without other secrets. Of the other
/// headers, it has only the content type, unless that is the default of `curl`. The body is cut after 2,000 characters.
/// `email` is None for a request without credentials.
pub fn curl_command(request: &HttpRequest, email: Option<&str>) -> String {
    let quote = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let mut parts = vec!["curl".to_owned()];
    if request.method != "GET" && (request.method != "POST" || request.body.is_empty()) {
        parts.push(format!("-X {}", request.method));
    }
    parts.extend(email.map(|email| format!("-u {}:\"$KEY\"", quote(email))));
    parts.push(quote(&redact_url(&request.url)));
    let content_type = request.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
    if content_type.is_some_and(|value| value != "application/x-www-form-urlencoded") {
        parts.push(format!("-H {}", quote(&format!("content-type: {}", content_type.unwrap_or_default()))));
    }
    if !request.body.is_empty() {
        let body = String::from_utf8_lossy(&request.body);
        let body = match content_type {
            Some("application/x-www-form-urlencoded") => Cow::Owned(redact_form(&body)),
            _ => match serde_json::from_str::<Value>(&body).map(|json| (redact_value("", &json), json)) {
                Ok((redacted, json)) if redacted != json => Cow::Owned(redacted.to_string()),
                _ => body,
            },
        };
        let excerpt: String = body.chars().take(2_000).collect();
        parts.push(format!("--data-raw {}", quote(&excerpt)));
    }
    parts.join(" ")
}
