//! Where the client is that sends a text.

use chat_markdown::Form;

/// What the client that sends a text knows things by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The organization's address, links into which become relative.
    pub own_url: Option<String>,
    /// Another name of the built-in extra emoji (A-184 in docs/assumptions.md).
    pub extra_emoji: Option<String>,
    /// The form of HTML that the level asks for.
    pub form: Form,
}
