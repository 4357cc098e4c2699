//! Addresses in replies, which lead back to the world by its prefix.

use crate::dialect::USERS_OWN;
use memchr::memmem;
use serde_json::Value;

/// Keys whose values are addresses relative to the organization's.
const ADDRESSES: &[&str] = &[
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
const HTML: &[&str] = &[
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

/// Whether a reply may have an address that [`prefix_addresses`] would change: a value, or an attribute in HTML, that
/// begins with a slash.
pub fn may_have_addresses(reply: &[u8]) -> bool {
    memmem::find(reply, b":\"/").is_some() || memmem::find(reply, b"\\\"/").is_some()
}

/// Puts the world's prefix before all addresses that are relative to the organization's.
pub fn prefix_addresses(value: &mut Value, prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| prefix_addresses(item, prefix)),
        Value::Object(object) => {
            let is_html = object.get("content_type").is_some_and(|kind| kind == "text/html");
            for (key, value) in object.iter_mut() {
                match value {
                    _ if USERS_OWN.contains(&key.as_str()) => {}
                    // Drafts, phrases and history have Markdown here.
                    Value::String(_) if key == "content" && !is_html => {}
                    Value::String(text) if ADDRESSES.contains(&key.as_str()) => {
                        if text.starts_with('/') && !text.starts_with("//") {
                            *text = format!("{prefix}{text}");
                        }
                    }
                    Value::String(text) if HTML.contains(&key.as_str()) => *text = prefix_html(text, prefix),
                    other => prefix_addresses(other, prefix),
                }
            }
        }
        _ => {}
    }
}

/// Addresses are in tags; what looks like one elsewhere is text that a user wrote.
fn prefix_html(html: &str, prefix: &str) -> String {
    let mut prefixed = String::with_capacity(html.len() + 64);
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (text, behind) = rest.split_at(start);
        prefixed.push_str(text);
        let (tag, behind) = behind.split_at(end_of_tag(behind));
        prefixed.push_str(&prefix_tag(tag, prefix));
        rest = behind;
    }
    prefixed + rest
}

/// Where a tag ends that begins the text: a bracket within quotes is none.
fn end_of_tag(tag: &str) -> usize {
    let mut is_quoted = false;
    let end = tag.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b'>' && !is_quoted
    });
    end.map_or(tag.len(), |end| end + 1)
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
