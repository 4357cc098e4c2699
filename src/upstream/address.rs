//! The address of a server.

use std::fmt;

/// The base URL of a server: scheme, host, port, and the path below which it is served; without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Reads a base URL. A slash at its end and the API's own path `/api/v1` are left out.
    ///
    /// # Errors
    ///
    /// What the URL must be like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let takes = || "takes a base URL such as https://chat.example.org or http://127.0.0.1:9991".to_owned();
        let url = reqwest::Url::parse(text).map_err(|_| takes())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || text.contains(char::is_whitespace) {
            return Err(takes());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("takes a base URL without a user in it; name the account by --user and --api-key".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("{}, without a query", takes()));
        }
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/api/v1").or_else(|| path.strip_suffix("/api")).unwrap_or(path);
        let origin = url.origin().ascii_serialization();
        Ok(Self(format!("{origin}{}", path.trim_end_matches('/'))))
    }

    /// The URL as text, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the scheme is `https`.
    pub fn is_secure(&self) -> bool {
        self.0.starts_with("https://")
    }

    /// The URL of an operation, from its path without `/api/v1`.
    pub fn operation(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.0)
    }

    /// The URL of a file, from its path such as `/user_uploads/…`; a whole URL remains as it is.
    pub fn file(&self, path: &str) -> String {
        if path.starts_with("http://") || path.starts_with("https://") {
            path.to_owned()
        } else {
            format!("{}/{}", self.0, path.trim_start_matches('/'))
        }
    }

    /// Whether a whole URL is of the same scheme, host and port, so that it may see the account's key.
    pub fn has_origin_of(&self, url: &str) -> bool {
        let [own, other] = [&self.0, url].map(|url| reqwest::Url::parse(url).map(|url| url.origin()));
        matches!((own, other), (Ok(own), Ok(other)) if own == other)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_read_in_the_forms_that_people_copy() {
        for (text, url) in [
            ("http://127.0.0.1:9991", "http://127.0.0.1:9991"),
            ("https://chat.example.org/", "https://chat.example.org"),
            ("https://chat.example.org:443", "https://chat.example.org"),
            ("https://example.org/chat/", "https://example.org/chat"),
            ("https://example.org/chat/api/v1/", "https://example.org/chat"),
            ("http://[::1]:80/w/blue", "http://[::1]/w/blue"),
            ("HTTPS://Chat.Example.org/api", "https://chat.example.org"),
        ] {
            assert_eq!(BaseUrl::parse(text).as_ref().map(BaseUrl::as_str), Ok(url), "{text}");
        }
        for text in [
            "",
            "chat.example.org",
            "ftp://x",
            "http://",
            "http://a b",
            "https://me:key@x",
            "http://x/?a=1",
            "http://x/#a",
        ] {
            assert!(BaseUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn paths_lead_below_the_base() {
        let base = BaseUrl::parse("https://example.org/chat/").expect("a URL");
        assert_eq!(base.operation("/users/me"), "https://example.org/chat/api/v1/users/me");
        assert_eq!(base.file("/user_uploads/2/a.png"), "https://example.org/chat/user_uploads/2/a.png");
        assert_eq!(base.file("https://files.example.org/a.png"), "https://files.example.org/a.png");
        assert!(base.has_origin_of("https://example.org/user_avatars/1.png"));
        assert!(!base.has_origin_of("https://files.example.org/a.png") && !base.has_origin_of("http://example.org/"));
    }
}
