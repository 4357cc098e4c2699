//! The values of the options of `serve`: parsing and loading them, and the messages about them.

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::api::release::{level_of_release, newer_level_text};
use crate::cli::CliError;
use crate::control::times::SpanInput;
use crate::dialect::Dialect;
use crate::json_diagnostic::similar_name;
use crate::server::Host;
use crate::time::Span;
use std::io;
use std::net::IpAddr;

/// Parses an origin as browsers send it, without a path or trailing slash, or `null`; `*` is for all origins.
pub fn parse_origin(text: &str) -> Result<String, String> {
    let is_origin = text.parse::<http::Uri>().is_ok_and(|uri| match (uri.scheme_str(), uri.authority()) {
        (Some(scheme), Some(authority)) => text == format!("{scheme}://{authority}"),
        _ => false,
    });
    if is_origin || text == "*" || text == "null" {
        Ok(text.to_owned())
    } else {
        Err("takes * or an origin such as http://localhost:3000".to_owned())
    }
}

/// Parses a host name or an address, without a port.
pub fn parse_host_name(text: &str) -> Result<String, String> {
    match Host::parse(text) {
        Some(host) if host.name().eq_ignore_ascii_case(text) => Ok(text.to_owned()),
        _ => Err("takes a host name such as chat.example.org, without a port".to_owned()),
    }
}

/// Checks that a token has only characters that every client can send in a header.
pub fn parse_control_token(text: &str) -> Result<String, String> {
    match text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(text.to_owned()),
        false => Err("takes printable ASCII characters without blanks".to_owned()),
    }
}

/// Parses the time after which unused worlds are deleted, at least one second.
pub fn parse_world_ttl(text: &str) -> Result<Span, String> {
    let ttl = SpanInput::parse(text)?.0;
    if ttl >= Span::from_seconds(1) { Ok(ttl) } else { Err("takes seconds from 1 on".to_owned()) }
}

/// Parses a feature level; `newest` is the newest that the program has. The message for a release names its level.
pub fn parse_feature_level(text: &str) -> Result<i64, String> {
    if text == "newest" {
        return Ok(NEWEST_FEATURE_LEVEL);
    }
    let level = text.parse().ok().filter(|level| *level >= 0);
    level.ok_or_else(|| match level_of_release(text) {
        Some(level) => format!("takes a whole number from 0 on; the feature level of release {text} is {level}"),
        None => "takes a whole number from 0 on, such as 387, or newest".to_owned(),
    })
}

/// The warning for levels that are newer than the newest that the program knows; None if none is.
pub fn newer_level_warning(levels: &[i64]) -> Option<String> {
    let newer_levels: Vec<i64> = levels.iter().copied().filter(|level| *level > NEWEST_FEATURE_LEVEL).collect();
    let subject = match newer_levels.as_slice() {
        [] => return None,
        [level] => format!("feature level {level} is"),
        [first, others @ ..] => {
            let highest = others.iter().fold(*first, |highest, level| highest.max(*level));
            format!("{} of the feature levels, up to {highest}, are", newer_levels.len())
        }
    };
    Some(format!("warning: {}", newer_level_text(&subject)))
}

/// Parses an address to listen on, or a host name that the system can resolve.
pub fn parse_host(text: &str) -> Result<String, String> {
    let without_brackets = text.trim_start_matches('[').trim_end_matches(']');
    // A misspelt IPv4 address, such as 127.0.1, is no host name.
    let is_numeric =
        !without_brackets.is_empty() && without_brackets.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_name = Host::parse(text).is_some_and(|host| host.name().eq_ignore_ascii_case(text));
    if without_brackets.parse::<IpAddr>().is_ok() || is_name && !is_numeric {
        Ok(text.to_owned())
    } else {
        Err("is no address: takes one such as 127.0.0.1, ::1 or 0.0.0.0, or a host name without a port".to_owned())
    }
}

/// The error for a value that is neither a built-in name nor a readable file: wrong usage if it looks like a name,
/// which has no folder and no extension, and there is no such file.
pub fn name_or_file_error(value: &str, error: &io::Error, message: String) -> CliError {
    let is_name = error.kind() == io::ErrorKind::NotFound && !value.contains(['/', '\\', '.']);
    if is_name { CliError::usage(message) } else { CliError::failure(message) }
}

/// Returns the built-in dialect of this name, or reads a dialect from a file.
pub fn load_dialect(name: &str) -> Result<Dialect, CliError> {
    match name {
        "neutral" => Ok(Dialect::neutral()),
        "zulip" => Ok(Dialect::zulip()),
        file => {
            let nearest = similar_name(file, &["neutral", "zulip"])
                .map_or(String::new(), |name| format!("; did you mean {name}?"));
            let file_error = |error: io::Error| {
                let reason = format!("is neither a built-in dialect (neutral, zulip) nor a readable file: {error}");
                name_or_file_error(file, &error, format!("{file}: {reason}{nearest}"))
            };
            let text = std::fs::read_to_string(file).map_err(file_error)?;
            crate::control::dialect::read(&text).map_err(|error| CliError::failure(format!("{file}: {error}")))
        }
    }
}
