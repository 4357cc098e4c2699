//! What rendering depends on besides the realm: the server's URL in the client's view, and the feature level.

use chat_markdown::Form;

/// The request's view of the server, for rendering Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The organization's URL. Links that begin with it become relative.
    pub own_url: Option<String>,
    /// Alternative name of the built-in extra emoji (A-184 in docs/assumptions.md).
    pub extra_emoji: Option<String>,
    /// The form of HTML at the world's feature level.
    pub form: Form,
}
