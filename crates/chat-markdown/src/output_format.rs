//! The format of rendered Markdown, which depends on the feature level (A-230 in docs/assumptions.md).

use crate::emoji::EmojiNames;

/// The parts of the output that depend on the feature level. The default is the newest level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputFormat {
    /// The path segment that follows `/#narrow/` in links to channels.
    pub channel_path: &'static str,
    /// Whether mentions of everyone in a channel have a separate CSS class.
    pub marks_channel_wildcards: bool,
    /// Whether names such as `@*role:administrators*` mention system groups.
    pub mentions_system_groups: bool,
    /// Whether channels that the sender can't see are linked.
    pub links_unseen_channels: bool,
    /// Whether `#**channel>**` is a link to the empty topic.
    pub links_empty_topics: bool,
    /// Whether `#**channel>topic@ID**` is a link to a message.
    pub links_messages: bool,
    /// Whether links to topics contain the ID of the topic's first message.
    pub links_first_message: bool,
    /// Whether images, videos and sound can be embedded in the text.
    pub embeds_media_in_text: bool,
    /// Whether previews of uploaded images show a thumbnail.
    pub has_thumbnails: bool,
    /// Whether an error message replaces `<time:…>` with an invalid time; otherwise, the time is shown as text.
    pub reports_invalid_times: bool,
    /// Whether `<time:…>` takes only times in ISO 8601.
    pub accepts_only_iso_times: bool,
    /// The video site's name for the size of still images in previews, such as `mqdefault`.
    pub video_still_size: &'static str,
    /// The feature level whose version of the highlighter is used.
    pub highlighter_level: i64,
    /// The names of Unicode emoji at the level.
    pub emoji: EmojiNames,
}

impl Default for OutputFormat {
    fn default() -> Self {
        Self {
            channel_path: "channel",
            marks_channel_wildcards: true,
            mentions_system_groups: true,
            links_unseen_channels: false,
            links_empty_topics: true,
            links_messages: true,
            links_first_message: true,
            embeds_media_in_text: true,
            has_thumbnails: true,
            reports_invalid_times: false,
            accepts_only_iso_times: true,
            video_still_size: "mqdefault",
            highlighter_level: i64::MAX,
            emoji: EmojiNames::newest(),
        }
    }
}
