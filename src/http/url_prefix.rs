//! Puts the prefix of a world, such as `/w/NAME`, before the relative URLs in replies.

use crate::dialect::USER_DATA_KEYS;
use memchr::memmem;
use serde_json::Value;

/// Keys whose values are URLs, absolute or relative to that of the organization.
const URL_KEYS: &[&str] = &[
    "avatar_url",
    "avatar_url_medium",
    "url",
    "uri",
    "source_url",
    "login_url",
    "signup_url",
    "still_url",
    "display_icon",
    "export_url",
    "icon_url",
    "logo_url",
    "night_logo_url",
    "realm_icon",
    "realm_icon_url",
    "realm_logo_url",
    "realm_night_logo_url",
    "server_emoji_data_url",
];

/// Keys whose values are HTML.
const HTML_KEYS: &[&str] = &[
    "content",
    "content_html_diff",
    "rendered",
    "rendered_content",
    "orig_rendered_content",
    "prev_rendered_content",
    "rendered_description",
    "rendered_value",
    "match_content",
];

/// Whether [`prefix_relative_urls`] might change a reply: it has a value, or an attribute in HTML, that begins with a
/// slash. This spares most replies from being parsed.
pub fn may_have_relative_urls(reply: &[u8]) -> bool {
    memmem::find(reply, b":\"/").is_some() || memmem::find(reply, b"\\\"/").is_some()
}

/// Puts the prefix before the URLs under [`URL_KEYS`] that begin with one slash, and before those of files in the HTML
/// under [`HTML_KEYS`].
pub fn prefix_relative_urls(value: &mut Value, prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| prefix_relative_urls(item, prefix)),
        Value::Object(object) => {
            let is_html = object.get("content_type").is_some_and(|kind| kind == "text/html");
            for (key, value) in object.iter_mut() {
                match value {
                    // What clients stored stays as it is, even if it looks like a URL.
                    _ if USER_DATA_KEYS.contains(&key.as_str()) => {}
                    // Drafts, saved snippets and the edit history have Markdown under this key.
                    Value::String(_) if key == "content" && !is_html => {}
                    Value::String(text) if URL_KEYS.contains(&key.as_str()) => {
                        if text.starts_with('/') && !text.starts_with("//") {
                            *text = format!("{prefix}{text}");
                        }
                    }
                    Value::String(text) if HTML_KEYS.contains(&key.as_str()) => *text = prefix_html(text, prefix),
                    other => prefix_relative_urls(other, prefix),
                }
            }
        }
        _ => {}
    }
}

/// Changes URLs within tags only; elsewhere they are text that a user wrote.
fn prefix_html(html: &str, prefix: &str) -> String {
    let mut prefixed = String::with_capacity(html.len() + 64);
    let mut remaining = html;
    while let Some(start) = remaining.find('<') {
        let (text, from_tag) = remaining.split_at(start);
        prefixed.push_str(text);
        let (tag, after_tag) = from_tag.split_at(tag_length(from_tag));
        prefixed.push_str(&prefix_tag(tag, prefix));
        remaining = after_tag;
    }
    prefixed + remaining
}

/// The length of the tag at the beginning of a text, in bytes. A `>` within quotes does not end it; without an end, it
/// is the whole text.
fn tag_length(html: &str) -> usize {
    let mut is_quoted = false;
    let end = html.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b'>' && !is_quoted
    });
    end.map_or(html.len(), |end| end + 1)
}

fn prefix_tag(tag: &str, prefix: &str) -> String {
    let mut tag = tag.to_owned();
    for folder in ["user_uploads", "user_avatars", "static"] {
        for attribute in ["href", "src"] {
            tag = tag.replace(&format!("{attribute}=\"/{folder}/"), &format!("{attribute}=\"{prefix}/{folder}/"));
        }
    }
    tag
}
