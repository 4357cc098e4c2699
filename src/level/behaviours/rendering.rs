//! Behaviours of rendered Markdown. A message keeps the HTML of the level at which it was rendered.

use crate::level::{Behaviour, Downgrade};

const fn row(level: i64, description: &'static str, test: &'static str) -> Behaviour {
    // Decided where the text is rendered.
    Behaviour { level, on: "message", description, test, downgrade: Downgrade::InCore }
}

pub(super) static ROWS: &[Behaviour] = &[
    row(
        503,
        "A `<time:…>` is a time of ISO 8601; before, seconds, other forms of dates, and words were taken too.",
        "times_had_other_forms_before_503",
    ),
    row(
        451,
        "A `<time:…>` that can't be read stays as it is in the HTML; before, it was shown as an error.",
        "faulty_times_were_errors_before_451",
    ),
    row(
        441,
        "`![…](…)` of an uploaded image or audio file shows it inline; before, it was plain text.",
        "images_were_no_part_of_the_text_before_441",
    ),
    row(
        377,
        "`:smile:` is 1f604 and `:slight_smile:` 1f642; before, `:smile:` was 1f642 and `:big_smile:` 1f604. The emoticon `:)` \
         follows, and so do reactions and statuses.",
        "emoji_had_other_names",
    ),
    row(
        361,
        "Previews of videos at a video site show `mqdefault.jpg`; before, `default.jpg`.",
        "videos_had_smaller_stills_before_361",
    ),
    row(332, "226 emoji have other aliases.", "emoji_had_other_names"),
    row(276, "The emoji 1f64f is `folded_hands`, too; before, `pray` alone.", "emoji_had_other_names"),
    row(274, "28 more emoji have names.", "emoji_had_other_names"),
    row(
        347,
        "Links to topics in the HTML name the topic's first message.",
        "links_to_topics_named_no_message_before_347",
    ),
    row(
        334,
        "`#**channel>**` links the empty topic; before, it was plain text.",
        "empty_topics_were_not_linked_before_334",
    ),
    row(
        320,
        "Links in the HTML start with `/#narrow/channel/`, before with `/#narrow/stream/`; mentions of a whole channel have \
         the class `channel-wildcard-mention`; system groups can be mentioned; channels that the sender can't see are not \
         linked.",
        "html_spoke_of_streams_before_320",
    ),
    row(
        319,
        "`#**channel>topic@id**` links a message; before, a topic with that name.",
        "messages_were_not_linked_before_319",
    ),
    row(
        273,
        "Previews show thumbnails of uploaded images; before, the images themselves, recognized by the file name.",
        "previews_showed_whole_images_before_273",
    ),
];
