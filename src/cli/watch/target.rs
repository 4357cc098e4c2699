//! The world to watch, parsed from its base URL.

use crate::json_diagnostic::similar_name;
use crate::world::Worlds;

/// A world to watch, and how to connect to its watch socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Base URL without a trailing slash and without `/api/v1`.
    pub base_url: String,
    /// Name of the world.
    pub name: String,
    /// URL of the world's watch socket.
    pub socket_url: String,
    /// Host to connect to; IPv6 addresses have no brackets.
    pub host: String,
    pub port: u16,
}

impl Target {
    /// Parses the base URL of a world.
    ///
    /// # Errors
    ///
    /// The notation that the URL must have, and the nearest base URL where the path is one of control or the console.
    pub fn parse(url: &str) -> Result<Self, String> {
        let requirement = || "takes a base URL such as http://127.0.0.1:9991/w/NAME".to_owned();
        let (scheme, address) = match url.split_once("://") {
            Some((scheme @ ("http" | "https"), address)) => (scheme, address),
            Some(_) => return Err(requirement()),
            None => ("http", url),
        };
        let (socket_scheme, default_port) = if scheme == "https" { ("wss", 443) } else { ("ws", 80) };
        let address = address.trim_end_matches('/').trim_end_matches("/api/v1");
        let (authority, path) = address.split_once('/').unwrap_or((address, ""));
        let is_authority_char = |character: char| character.is_ascii_alphanumeric() || "-._:[]".contains(character);
        if authority.is_empty() || !authority.chars().all(is_authority_char) {
            return Err(requirement());
        }
        let (host, port) = split_port(authority);
        let path_error = || match nearest_base_path(path) {
            Some(base_path) => format!("{}; did you mean {scheme}://{authority}{base_path}?", requirement()),
            None => requirement(),
        };
        let name_in_host = host.strip_suffix(".localhost");
        let name = match (path.strip_prefix("w/"), name_in_host) {
            (Some(name), _) => name,
            (None, Some(name)) if path.is_empty() => name,
            (None, None) if path.is_empty() => Worlds::DEFAULT,
            _ => return Err(path_error()),
        };
        if !Worlds::is_valid_name(name) {
            return Err(path_error());
        }
        // Some machines do not resolve names below localhost, which always mean this machine.
        let connect_host = if name_in_host.is_some() { "127.0.0.1" } else { host };
        let port_number = port.strip_prefix(':').map_or(Ok(default_port), str::parse);
        Ok(Self {
            base_url: format!("{scheme}://{address}"),
            name: name.to_owned(),
            socket_url: format!("{socket_scheme}://{connect_host}{port}/control/worlds/{name}/watch"),
            host: connect_host.trim_matches(['[', ']']).to_owned(),
            port: port_number.map_err(|_| requirement())?,
        })
    }
}

/// The path of the base URL of the world that another path is about: `/w/blue` for `control/worlds/blue/watch`, for a
/// page of the console and for the misspelt `contol/worlds/blue`. Empty for the default world; None if the path is like
/// none of these, or has no valid name.
fn nearest_base_path(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let name = match similar_name(parts[0], &["w", "world", "worlds", "control", "console"])? {
        "control" | "console" => parts.get(2),
        _ => parts.get(1),
    };
    let name = name.map(|name| name.to_lowercase()).unwrap_or_else(|| Worlds::DEFAULT.to_owned());
    match name.as_str() {
        Worlds::DEFAULT => Some(String::new()),
        name => Worlds::is_valid_name(name).then(|| format!("/w/{name}")),
    }
}

/// Splits an authority into host and port; the port keeps its colon.
fn split_port(authority: &str) -> (&str, &str) {
    let end = match authority.rfind(':') {
        Some(colon) if authority[colon + 1..].bytes().all(|byte| byte.is_ascii_digit()) => colon,
        _ => authority.len(),
    };
    authority.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_world_is_found_from_its_base_url() {
        for (url, socket_url) in [
            ("http://127.0.0.1:9991", "ws://127.0.0.1:9991/control/worlds/default/watch"),
            ("http://127.0.0.1:9991/", "ws://127.0.0.1:9991/control/worlds/default/watch"),
            ("http://[::1]:9991/w/blue", "ws://[::1]:9991/control/worlds/blue/watch"),
            ("http://[::1]", "ws://[::1]/control/worlds/default/watch"),
            ("localhost:9991/w/blue/", "ws://localhost:9991/control/worlds/blue/watch"),
            ("http://blue.localhost:9991", "ws://127.0.0.1:9991/control/worlds/blue/watch"),
            ("http://blue.localhost:9991/w/red", "ws://127.0.0.1:9991/control/worlds/red/watch"),
            ("https://blue.localhost", "wss://127.0.0.1/control/worlds/blue/watch"),
            ("https://10.0.2.2:9991/w/blue", "wss://10.0.2.2:9991/control/worlds/blue/watch"),
            ("http://chat:80/w/a/api/v1", "ws://chat:80/control/worlds/a/watch"),
        ] {
            assert_eq!(Target::parse(url).map(|target| target.socket_url), Ok(socket_url.to_owned()), "{url}");
        }
    }

    #[test]
    fn invalid_base_urls_are_refused() {
        for url in [
            "",
            "http://x:99999",
            "ftp://x",
            "http://",
            "http://x/y",
            "http://x/w/",
            "http://x/w/A",
            "http://a b",
            "/w/x",
        ] {
            assert!(Target::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn the_nearest_base_url_is_named_for_paths_of_control_and_the_console() {
        for (path, nearest) in [
            ("/contol/worlds", Some("")),
            ("/control", Some("")),
            ("/control/worlds/blue/watch", Some("/w/blue")),
            ("/contorl/wolrds/blue", Some("/w/blue")),
            ("/console/w/blue/live", Some("/w/blue")),
            ("/worlds/blue", Some("/w/blue")),
            ("/w/Blue", Some("/w/blue")),
            ("/w/blue/events", Some("/w/blue")),
            ("/w/a_b", None),
            ("/somewhere", None),
        ] {
            let error = Target::parse(&format!("http://x:1{path}")).expect_err(path);
            let suggestion = nearest.map(|base| format!("; did you mean http://x:1{base}?")).unwrap_or_default();
            assert_eq!(error, format!("takes a base URL such as http://127.0.0.1:9991/w/NAME{suggestion}"), "{path}");
        }
    }
}
