//! What of rendered Markdown depends on the feature level (A-230 in docs/assumptions.md).

const THUMBNAILS_SINCE: i64 = 273;
const MESSAGE_LINKS_SINCE: i64 = 319;
const CHANNELS_SINCE: i64 = 320;
/// The first level that has the empty topic.
pub const EMPTY_TOPICS_SINCE: i64 = 334;
const NEWEST_MESSAGES_SINCE: i64 = 347;
const IMAGES_IN_TEXT_SINCE: i64 = 441;
const FAULTY_TIMES_AS_TEXT_SINCE: i64 = 451;

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
    /// Whether a link to a topic names the newest message in it.
    pub links_newest_message: bool,
    /// Whether images and sound can be part of the text.
    pub shows_images_in_text: bool,
    /// Whether a preview of an uploaded image shows a smaller copy.
    pub has_thumbnails: bool,
    /// Whether what is no time is shown as an error.
    pub shows_faulty_times: bool,
}

impl Form {
    /// The form at a feature level.
    pub fn at(level: i64) -> Self {
        let is_of_channels = level >= CHANNELS_SINCE;
        Self {
            channel_path: if is_of_channels { "channel" } else { "stream" },
            marks_channel_wildcards: is_of_channels,
            mentions_system_groups: is_of_channels,
            links_unseen_channels: !is_of_channels,
            links_empty_topics: level >= EMPTY_TOPICS_SINCE,
            links_messages: level >= MESSAGE_LINKS_SINCE,
            links_newest_message: level >= NEWEST_MESSAGES_SINCE,
            shows_images_in_text: level >= IMAGES_IN_TEXT_SINCE,
            has_thumbnails: level >= THUMBNAILS_SINCE,
            shows_faulty_times: level < FAULTY_TIMES_AS_TEXT_SINCE,
        }
    }
}

impl Default for Form {
    fn default() -> Self {
        Self::at(i64::MAX)
    }
}
