//! Tests of rendering with a small organization, by the rows of section 23 of the reference behaviour.

mod blocks;
mod inline;
mod media;
mod mentions;
mod properties;

use super::*;
use crate::linkifier::LinkifierSource;

/// An organization with some users, groups, channels, emoji and uploads.
struct Organization {
    linkifiers: Vec<Arc<Linkifier>>,
    own_url: &'static str,
    translates_emoticons: bool,
    has_previews: bool,
    proxies_pictures: bool,
    default_language: &'static str,
    output_format: OutputFormat,
}

impl Default for Organization {
    fn default() -> Self {
        let linkifiers = [
            ("#(?P<id>[0-9]+)", "https://bugs.example.org/{id}"),
            ("#(?P<id>[0-9]{2,})[a-z]?", "https://other.example.org/{id}"),
        ]
        .into_iter()
        .filter_map(|(pattern, template)| {
            let source = LinkifierSource {
                pattern: pattern.to_owned(),
                url_template: template.to_owned(),
                ..Default::default()
            };
            Linkifier::compile(source).ok().map(Arc::new)
        })
        .collect();
        Self {
            linkifiers,
            own_url: "https://chat.example.org",
            translates_emoticons: false,
            has_previews: true,
            proxies_pictures: true,
            default_language: "",
            output_format: OutputFormat::default(),
        }
    }
}

impl Names for Organization {
    fn user(&self, name: &str, id: Option<i64>) -> Option<MentionedUser> {
        let users = [(31, "Zoe", true), (32, "King Hamlet", true), (33, "Gone", false), (34, "A <b> & \"c\"", true)];
        users.into_iter().find_map(|(known_id, full_name, is_active)| {
            let matches = if name.is_empty() {
                id == Some(known_id)
            } else {
                full_name.eq_ignore_ascii_case(name) && id.is_none_or(|id| id == known_id)
            };
            matches.then(|| MentionedUser { id: known_id, full_name: full_name.to_owned(), is_active })
        })
    }

    fn group(&self, name: &str) -> Option<MentionedGroup> {
        let (id, display_name, is_active) = match name {
            "group" => (17, "group", true),
            "role:administrators" => (2, "Administrators", true),
            "old" => (18, "old", false),
            _ => return None,
        };
        Some(MentionedGroup { id, display_name: display_name.to_owned(), is_active })
    }

    fn channel(&self, name: &str) -> Option<LinkedChannel> {
        let id = match name {
            "design" => 9,
            "a b.(c)*" | "a b.(c)" => 10,
            _ => return None,
        };
        Some(LinkedChannel { id, name: name.to_owned() })
    }

    fn first_message_in_topic(&self, channel: i64, topic: &str) -> Option<i64> {
        (channel == 9 && topic == "bugs").then_some(214)
    }

    fn custom_emoji(&self, name: &str) -> Option<CustomEmojiImage> {
        (name == "green_tick").then(|| CustomEmojiImage { src: "/user_avatars/2/emoji/images/1.png".to_owned() })
    }

    fn upload(&self, path_id: &str) -> Option<UploadProperties> {
        let (content_type, is_animated, has_thumbnail, transcoded) = match path_id {
            "2/ab/xyz/image.png" => ("image/png", false, true, None),
            "2/ab/new.png" => ("image/png", false, false, None),
            "2/ab/moving.gif" => ("image/gif", true, true, None),
            "2/ab/photo.heic" => ("image/heic", false, true, Some((4032, 3024))),
            "2/ab/film.mp4" => ("video/mp4", false, false, None),
            "2/ab/sound.mp3" => ("audio/mpeg", false, false, None),
            "2/ab/text.txt" => ("text/plain", false, false, None),
            _ => return None,
        };
        let dimensions = content_type.starts_with("image").then_some((1920, 1080));
        Some(UploadProperties {
            content_type: content_type.to_owned(),
            dimensions,
            has_thumbnail,
            is_animated,
            transcoded,
        })
    }

    fn linkifiers(&self) -> Vec<Arc<Linkifier>> {
        self.linkifiers.clone()
    }

    fn steps_to_linkify(&self, text: &str) -> usize {
        self.linkifiers.iter().map(|linkifier| linkifier.steps_to_search(text)).sum()
    }

    fn may_linkify(&self, paragraph: &str) -> bool {
        self.linkifiers.iter().any(|linkifier| linkifier.may_match(paragraph))
    }

    fn settings(&self) -> Settings<'_> {
        Settings {
            empty_topic_display_name: "general chat",
            default_code_block_language: self.default_language,
            translate_emoticons: self.translates_emoticons,
            inline_image_preview: self.has_previews,
            proxies_pictures: self.proxies_pictures,
            own_url: Some(self.own_url),
            mentions_are_silent: false,
            output_format: self.output_format,
        }
    }
}

fn render_source(source: &str) -> RenderedMessage {
    let result = render(source, &Organization::default());
    assert!(result.is_ok(), "{source}");
    result.unwrap_or_default()
}

#[track_caller]
fn assert_html(rows: &[(&str, &str)]) {
    for (source, html) in rows {
        assert_eq!(render_source(source).html, *html, "{source}");
    }
}
