//! The context in which Markdown is rendered: the server's URL as the client sees it, and the format of HTML at the
//! feature level.

use chat_markdown::OutputFormat;

/// The data besides the realm on which rendered Markdown depends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderContext {
    /// The organization's URL. Links that begin with it become relative.
    pub own_url: Option<String>,
    /// The alternative name of the built-in extra emoji (A-184 in docs/assumptions.md).
    pub extra_emoji: Option<String>,
    /// The format of HTML at the world's feature level.
    pub output_format: OutputFormat,
}
