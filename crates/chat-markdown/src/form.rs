//! What of rendered Markdown depends on the feature level (A-230 in docs/assumptions.md).

use crate::emoji::EmojiNames;

/// What of the output depends on the feature level. The default is the newest level's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// What links to channels have behind `/#narrow/`.
    pub channel_path: &'static str,
    /// Whether mentions of a whole channel have a class of their own.
    pub marks_channel_wildcards: bool,
    /// Whether the groups that every organization has can be mentioned.
    pub mentions_system_groups: bool,
    /// Whether channels that the sender can't see are linked too.
    pub links_unseen_channels: bool,
    /// Whether a topic's name may be empty in a link.
    pub links_empty_topics: bool,
    /// Whether there are links to messages.
    pub links_messages: bool,
    /// Whether a link to a topic names the first message in it.
    pub links_first_message: bool,
    /// Whether images and sound can be part of the text.
    pub shows_images_in_text: bool,
    /// Whether a preview of an uploaded image shows a smaller copy.
    pub has_thumbnails: bool,
    /// Whether what is no time is shown as an error.
    pub shows_faulty_times: bool,
    /// Whether times are those of ISO 8601 alone.
    pub takes_iso_times_alone: bool,
    /// The name of the still that a preview of a video at a video site shows.
    pub video_still: &'static str,
    /// The feature level whose highlighter colours code.
    pub code_level: i64,
    /// The names of emoji.
    pub emoji: EmojiNames,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            channel_path: "channel",
            marks_channel_wildcards: true,
            mentions_system_groups: true,
            links_unseen_channels: false,
            links_empty_topics: true,
            links_messages: true,
            links_first_message: true,
            shows_images_in_text: true,
            has_thumbnails: true,
            shows_faulty_times: false,
            takes_iso_times_alone: true,
            video_still: "mqdefault",
            code_level: i64::MAX,
            emoji: EmojiNames::newest(),
        }
    }
}
