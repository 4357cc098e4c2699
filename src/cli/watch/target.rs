//! Which world is watched, read from its base URL.

use crate::world::Worlds;

/// A world and where it is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Without a slash at the end.
    pub base_url: String,
    /// The world's name.
    pub name: String,
    /// The address of its WebSocket.
    pub watching: String,
    /// The host that is connected to; an address of the sixth version without its brackets.
    pub host: String,
    pub port: u16,
}

impl Target {
    /// Reads a world's base URL.
    ///
    /// # Errors
    ///
    /// What would have been understood.
    pub fn parse(url: &str) -> Result<Self, String> {
        let takes = || "takes a base URL such as http://127.0.0.1:9991/w/NAME".to_owned();
        let (scheme, rest) = match url.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => (scheme, rest),
            Some(_) => return Err(takes()),
            None => ("http", url),
        };
        let (socket, default_port) = if scheme == "https" { ("wss", 443) } else { ("ws", 80) };
        let rest = rest.trim_end_matches('/').trim_end_matches("/api/v1");
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_host = |character: char| character.is_ascii_alphanumeric() || "-._:[]".contains(character);
        if authority.is_empty() || !authority.chars().all(is_host) {
            return Err(takes());
        }
        let (host, port) = split_port(authority);
        let in_host = host.strip_suffix(".localhost");
        let name = match (path.strip_prefix("w/"), in_host) {
            (Some(name), _) => name,
            (None, Some(name)) if path.is_empty() => name,
            (None, None) if path.is_empty() => Worlds::DEFAULT,
            _ => return Err(takes()),
        };
        if !Worlds::is_name(name) {
            return Err(takes());
        }
        // Not every machine resolves names below localhost, which are this machine whatever it says.
        let reached = if in_host.is_some() { "127.0.0.1" } else { host };
        let number = port.strip_prefix(':').map_or(Ok(default_port), str::parse);
        Ok(Self {
            base_url: format!("{scheme}://{rest}"),
            name: name.to_owned(),
            watching: format!("{socket}://{reached}{port}/control/worlds/{name}/watch"),
            host: reached.trim_matches(['[', ']']).to_owned(),
            port: number.map_err(|_| takes())?,
        })
    }
}

/// A host and its port, the latter with its colon.
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
    fn a_base_url_leads_to_its_world() {
        for (url, watching) in [
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
            assert_eq!(Target::parse(url).map(|target| target.watching), Ok(watching.to_owned()), "{url}");
        }
    }

    #[test]
    fn what_is_no_base_url_is_refused() {
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
}
