//! Parses the base URL of another server, and makes the URLs of operations and files from it.

use std::error::Error;
use std::fmt;

/// The base URL of a server: scheme, host, port and path, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

/// The requirement that a base URL does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseUrlError {
    /// It is not a URL with a host, of HTTP or HTTPS.
    Malformed,
    /// It has the name or the password of a user.
    WithUser,
    /// It has a query or a fragment.
    WithQuery,
}

impl fmt::Display for BaseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EXPECTED_URL: &str = "takes a base URL such as https://chat.example.org or http://127.0.0.1:9991";
        match self {
            Self::Malformed => f.write_str(EXPECTED_URL),
            Self::WithUser => f.write_str("takes a base URL without a user in it"),
            Self::WithQuery => write!(f, "{EXPECTED_URL}, without a query"),
        }
    }
}

impl Error for BaseUrlError {}

impl BaseUrl {
    /// Parses a base URL. A trailing slash and the path `/api/v1` or `/api` are removed.
    ///
    /// # Errors
    ///
    /// The requirement that the URL does not meet.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let url = reqwest::Url::parse(text).map_err(|_| BaseUrlError::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || text.contains(char::is_whitespace) {
            return Err(BaseUrlError::Malformed);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BaseUrlError::WithUser);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::WithQuery);
        }
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/api/v1").or_else(|| path.strip_suffix("/api")).unwrap_or(path);
        let origin = url.origin().ascii_serialization();
        Ok(Self(format!("{origin}{}", path.trim_end_matches('/'))))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_secure(&self) -> bool {
        self.0.starts_with("https://")
    }

    /// The URL of an operation; `path` is without `/api/v1`.
    pub fn operation_url(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.0)
    }

    /// The URL of a file with a path such as `/user_uploads/…`. An absolute URL is returned unchanged.
    pub fn file_url(&self, path: &str) -> String {
        if path.starts_with("http://") || path.starts_with("https://") {
            path.to_owned()
        } else {
            format!("{}/{}", self.0, path.trim_start_matches('/'))
        }
    }

    /// Whether an absolute URL has the same scheme, host and port, so that the API key may be sent to it.
    pub fn has_same_origin_as(&self, url: &str) -> bool {
        let [own_origin, other_origin] = [&self.0, url].map(|url| reqwest::Url::parse(url).map(|url| url.origin()));
        matches!((own_origin, other_origin), (Ok(own_origin), Ok(other_origin)) if own_origin == other_origin)
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
    fn base_urls_are_normalized_and_other_urls_are_refused() {
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
    fn paths_are_appended_to_the_base_url() {
        let base_url = BaseUrl::parse("https://example.org/chat/").expect("a URL");
        assert_eq!(base_url.operation_url("/users/me"), "https://example.org/chat/api/v1/users/me");
        assert_eq!(base_url.file_url("/user_uploads/2/a.png"), "https://example.org/chat/user_uploads/2/a.png");
        assert_eq!(base_url.file_url("https://files.example.org/a.png"), "https://files.example.org/a.png");
        assert!(base_url.has_same_origin_as("https://example.org/user_avatars/1.png"));
        assert!(
            !base_url.has_same_origin_as("https://files.example.org/a.png")
                && !base_url.has_same_origin_as("http://example.org/")
        );
    }
}
