//! The last guard: nothing leaves the renderer that a sanitizer would take out.
//!
//! The writer builds HTML from constant tags and escaped text only, so there should be nothing to find. A sanitizer
//! changes bytes that are right, too (it decodes entities and rewrites attributes), and the shapes of section 23 are
//! exact. So its output is not used, but compared: as long as it has as many tags as the original, nothing was
//! dangerous and the original stands; otherwise the sanitizer's output does.

use ammonia::{Builder, UrlRelative};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Output of these tags only, without attributes, is not worth the time.
const HARMLESS: [&str; 18] = [
    "p",
    "br",
    "strong",
    "em",
    "code",
    "del",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
];

const TAGS: [&str; 40] = [
    "a",
    "annotation",
    "audio",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "img",
    "li",
    "math",
    "mrow",
    "mtext",
    "ol",
    "p",
    "pre",
    "semantics",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "tr",
    "ul",
    "video",
    "source",
    "mi",
    "mn",
    "mo",
];

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let attributes: [(&str, &[&str]); 12] = [
        ("a", &["class", "data-stream-id", "data-id", "href", "title"]),
        ("annotation", &["encoding"]),
        ("audio", &["controls", "preload", "src", "title"]),
        ("div", &["aria-hidden", "class", "data-code-language"]),
        (
            "img",
            &[
                "alt",
                "class",
                "data-animated",
                "data-original-content-type",
                "data-original-dimensions",
                "data-original-src",
                "data-transcoded-image",
                "src",
                "title",
            ],
        ),
        ("math", &["display", "xmlns"]),
        ("ol", &["start"]),
        ("span", &["aria-hidden", "aria-label", "class", "data-user-group-id", "data-user-id", "role", "title"]),
        ("td", &["style"]),
        ("th", &["style"]),
        ("time", &["datetime"]),
        ("video", &["preload", "src"]),
    ];
    let attributes: HashMap<&str, HashSet<&str>> =
        attributes.into_iter().map(|(tag, names)| (tag, names.iter().copied().collect())).collect();
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.into_iter().collect())
        .tag_attributes(attributes)
        .url_schemes(super::link::SAFE_SCHEMES.into_iter().collect())
        .url_relative(UrlRelative::PassThrough)
        .link_rel(None)
        .strip_comments(true);
    builder
});

/// The HTML itself if it is safe, or what the sanitizer leaves of it.
pub(super) fn checked(html: String) -> String {
    if is_plain(&html) {
        return html;
    }
    let clean = SANITIZER.clean(&html).to_string();
    if fingerprint(&clean.replace("controls=\"\"", "controls")) == fingerprint(&html) { html } else { clean }
}

/// Whether all tags are among [`HARMLESS`] and have no attributes.
fn is_plain(html: &str) -> bool {
    let mut tags = memchr::memchr_iter(b'<', html.as_bytes());
    tags.all(|at| {
        let tag = html[at + 1..].split('>').next().unwrap_or_default();
        HARMLESS.contains(&tag.strip_prefix('/').unwrap_or(tag))
    })
}

/// What no sanitizer can take out of HTML without changing it: how many tags there are, and how many attributes they
/// have. The text does not count, since entities in it may be written in another way.
fn fingerprint(html: &str) -> (usize, usize) {
    let tags = html.split('<').skip(1).map(|behind| behind.split('>').next().unwrap_or_default());
    tags.fold((0, 0), |(tags, attributes), tag| (tags + 1, attributes + tag.matches("=\"").count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dangerous_is_taken_out() {
        for html in [
            "<p>a<script>alert(1)</script></p>",
            "<p><a href=\"javascript:alert(1)\">x</a></p>",
            "<p><img onerror=\"alert(1)\" src=\"/x\"></p>",
            "<p><iframe src=\"https://x.y\"></iframe></p>",
        ] {
            let clean = checked(html.to_owned());
            assert_ne!(clean, html);
            assert!(!clean.contains("alert") && !clean.contains("iframe"), "{clean}");
        }
    }

    #[test]
    fn what_is_right_stays_byte_for_byte() {
        for html in [
            "<p>x=&quot; &nbsp; a=\"b\" &amp;copy;</p>\n<hr>",
            "<p><a href=\"https://x.y/?a=b&amp;c=\">&copy;</a></p>",
            "<audio controls preload=\"metadata\" src=\"/x\" title=\"&quot;\"></audio>",
        ] {
            assert_eq!(checked(html.to_owned()), html);
        }
    }
}
