//! The format of rendered Markdown at a feature level (A-230 in docs/assumptions.md).

use crate::feature::Feature;
use chat_markdown::OutputFormat;
use chat_markdown::emoji::EmojiNames;

pub fn output_format_at_level(level: i64) -> OutputFormat {
    let has_channels = Feature::ChannelsInHtml.is_at(level);
    OutputFormat {
        channel_path: if has_channels { "channel" } else { "stream" },
        marks_channel_wildcards: has_channels,
        mentions_system_groups: has_channels,
        links_unseen_channels: !has_channels,
        links_empty_topics: Feature::EmptyTopics.is_at(level),
        links_messages: Feature::MessageLinks.is_at(level),
        links_first_message: Feature::TopicLinksNameMessage.is_at(level),
        embeds_media_in_text: Feature::InlineMedia.is_at(level),
        has_thumbnails: Feature::Thumbnails.is_at(level),
        reports_invalid_times: !Feature::InvalidTimesAsText.is_at(level),
        accepts_only_iso_times: Feature::OnlyIsoTimes.is_at(level),
        video_still_size: if Feature::LargeVideoThumbnails.is_at(level) { "mqdefault" } else { "default" },
        highlighter_level: level,
        emoji: EmojiNames::at_level(level),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_the_newest_level_the_format_is_the_default() {
        assert_eq!(output_format_at_level(i64::MAX), OutputFormat::default());
    }

    #[test]
    fn names_of_emoji_change_at_the_levels_of_their_features() {
        for (feature, name) in [
            (Feature::SlightSmileName, "slight_smile"),
            (Feature::OtherAliasesOfEmoji, "point"),
            (Feature::FoldedHandsName, "folded_hands"),
            (Feature::MoreEmojiNames, "phoenix"),
        ] {
            let code = |level| EmojiNames::at_level(level).code_of(name);
            assert_ne!(code(feature.since() - 1), code(feature.since()), "{name}");
        }
    }
}
