//! Reading the values of options.

use crate::control::times::Seconds;
use crate::server::Authority;
use crate::time::Span;
use std::net::IpAddr;

/// Reads an origin as browsers send it: with anything behind the host no page would ever have it.
pub fn origin(text: &str) -> Result<String, String> {
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

/// Reads a host's name, or its address.
pub fn host_name(text: &str) -> Result<String, String> {
    match Authority::parse(text) {
        Some(host) if host.name().eq_ignore_ascii_case(text) => Ok(text.to_owned()),
        _ => Err("takes a host name such as chat.example.org, without a port".to_owned()),
    }
}

/// Reads a token that every client can send in a header.
pub fn control_token(text: &str) -> Result<String, String> {
    match text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(text.to_owned()),
        false => Err("takes printable ASCII characters without blanks".to_owned()),
    }
}

/// Reads how long worlds are kept.
pub fn world_ttl(text: &str) -> Result<Span, String> {
    let ttl = Seconds::parse(text)?.0;
    if ttl >= Span::seconds(1) { Ok(ttl) } else { Err("takes seconds from 1 on".to_owned()) }
}

/// A feature level, as an option takes it.
pub fn feature_level(text: &str) -> Result<i64, String> {
    let level = text.parse().ok().filter(|level| *level >= 0);
    level.ok_or_else(|| "takes a whole number from 0 on, such as 387".to_owned())
}

/// Reads an address to listen on, or a name that the system knows an address for.
pub fn host(text: &str) -> Result<String, String> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let is_numeric = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_name = Authority::parse(text).is_some_and(|host| host.name().eq_ignore_ascii_case(text));
    if bare.parse::<IpAddr>().is_ok() || is_name && !is_numeric {
        Ok(text.to_owned())
    } else {
        Err("is no address: takes one such as 127.0.0.1, ::1 or 0.0.0.0, or a host name without a port".to_owned())
    }
}
