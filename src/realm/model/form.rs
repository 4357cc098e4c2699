//! What of rendered Markdown depends on the feature level (A-230 in docs/assumptions.md).

use crate::feature::Feature;
use chat_markdown::Form;
use chat_markdown::emoji::EmojiNames;

/// The form of rendered Markdown at a feature level.
pub fn form_at(level: i64) -> Form {
    let is_of_channels = Feature::ChannelsInHtml.is_at(level);
    Form {
        channel_path: if is_of_channels { "channel" } else { "stream" },
        marks_channel_wildcards: is_of_channels,
        mentions_system_groups: is_of_channels,
        links_unseen_channels: !is_of_channels,
        links_empty_topics: Feature::EmptyTopics.is_at(level),
        links_messages: Feature::MessageLinks.is_at(level),
        links_first_message: Feature::TopicLinksNameMessage.is_at(level),
        shows_images_in_text: Feature::ImagesInText.is_at(level),
        has_thumbnails: Feature::Thumbnails.is_at(level),
        shows_faulty_times: !Feature::FaultyTimesAsText.is_at(level),
        takes_iso_times_alone: Feature::TimesOfIsoAlone.is_at(level),
        video_still: if Feature::LargeVideoStills.is_at(level) { "mqdefault" } else { "default" },
        code_level: level,
        emoji: EmojiNames::at(level),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_the_newest_level_the_form_is_the_default() {
        assert_eq!(form_at(i64::MAX), Form::default());
    }

    #[test]
    fn names_of_emoji_change_with_the_feature() {
        let since = Feature::SlightSmile.since();
        let is_known = |level| EmojiNames::at(level).by_name("slight_smile").is_some();
        assert!(!is_known(since - 1) && is_known(since));
    }
}
