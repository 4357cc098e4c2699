//! The context in which Markdown is rendered: the server's URL as the client sees it, the name of the extra emoji in
//! the sender's dialect, and the format of HTML at the feature level.

use chat_markdown::OutputFormat;

/// The data besides the realm and the author on which rendered Markdown depends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderContext {
    /// The organization's URL; None if the text is not from a request. Links that begin with it become relative.
    pub organization_url: Option<String>,
    /// The name of the built-in extra emoji in the sender's dialect (A-184 in docs/assumptions.md).
    pub extra_emoji: Option<String>,
    /// The format of HTML at the world's feature level.
    pub output_format: OutputFormat,
}
