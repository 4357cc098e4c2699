//! The last guard: nothing leaves the renderer that a sanitizer would take out.
//!
//! The writer builds HTML from constant tags and escaped text only, so there should be nothing to find. A sanitizer
//! changes bytes that are right, too (it decodes entities and rewrites attributes), and the shapes of section 23 are
//! exact. So its output is not used, but compared: as long as it has as many tags as the original, nothing was
//! dangerous and the original stands; otherwise the sanitizer's output does.
//!
//! Parsing HTML as browsers do takes longer than writing it, so the sanitizer is asked only when there is a tag that is
//! not written exactly as the writer writes the allowed ones.

use ammonia::{Builder, UrlRelative};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

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

const ATTRIBUTES: [(&str, &[&str]); 12] = [
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

/// Attributes that hold addresses.
const ADDRESSES: [&str; 2] = ["href", "src"];

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let attributes: HashMap<&str, HashSet<&str>> =
        ATTRIBUTES.into_iter().map(|(tag, names)| (tag, names.iter().copied().collect())).collect();
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
    if is_as_written(&html) {
        return html;
    }
    let clean = SANITIZER.clean(&html).to_string();
    if fingerprint(&clean.replace("controls=\"\"", "controls")) == fingerprint(&html) { html } else { clean }
}

/// Whether every tag is an allowed one with nothing but allowed attributes, in the writer's own spelling.
fn is_as_written(html: &str) -> bool {
    let mut tags = memchr::memchr_iter(b'<', html.as_bytes());
    tags.all(|at| is_allowed_tag(&html[at + 1..]))
}

/// Whether a text starts with a tag, without its `<`, that is allowed.
fn is_allowed_tag(text: &str) -> bool {
    if let Some(end) = text.strip_prefix('/') {
        return end.split_once('>').is_some_and(|(name, _)| TAGS.contains(&name));
    }
    let Some(length) = text.find([' ', '>']) else { return false };
    let (name, mut rest) = text.split_at(length);
    if !TAGS.contains(&name) {
        return false;
    }
    let allowed = ATTRIBUTES.iter().find(|(tag, _)| *tag == name).map_or(&[][..], |(_, attributes)| attributes);
    while let Some(attribute) = rest.strip_prefix(' ') {
        let Some(length) = attribute.find(['=', ' ', '>']) else { return false };
        let (name, behind) = attribute.split_at(length);
        let (value, behind) = match behind.strip_prefix("=\"") {
            Some(quoted) => match quoted.split_once('"') {
                Some(split) => split,
                None => return false,
            },
            None => ("", behind),
        };
        let is_safe = !ADDRESSES.contains(&name) || is_safe_address(value);
        if !allowed.contains(&name) || !is_safe || value.contains(['<', '>']) {
            return false;
        }
        rest = behind;
    }
    rest.starts_with('>')
}

/// Whether an address certainly has a safe scheme or, beginning like a path or a fragment, none.
fn is_safe_address(address: &str) -> bool {
    let scheme = || address.split_once(':').is_some_and(|(scheme, _)| super::link::SAFE_SCHEMES.contains(&scheme));
    address.starts_with(['/', '#']) || scheme()
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
            "<p><a href=\"java&#115;cript:alert(1)\">x</a></p>",
            "<p><a href=\"&#106;avascript://alert(1)\">x</a></p>",
            "<p><a href=\"/x\"onclick=\"alert(1)\">x</a></p>",
            "<p><img src=\"/x\" onerror=\"alert(1)\"></p>",
            "<p><SCRIPT>alert(1)</SCRIPT></p>",
            "<p onclick=\"alert(1)\">x</p>",
        ] {
            let clean = checked(html.to_owned());
            assert_ne!(clean, html);
            assert!(!clean.contains("alert") && !clean.contains("iframe"), "{clean}");
        }
    }

    #[test]
    fn what_the_writer_writes_needs_no_sanitizer() {
        for (html, is_known) in [
            ("<p>a <strong>b</strong> <a href=\"https://x.y/?a=b&amp;c=\" title=\"x\">c</a></p>\n<hr>", true),
            ("<p><span class=\"user-mention\" data-user-id=\"1\">@x</span> <img alt=\":x:\" src=\"/x\"></p>", true),
            ("<audio controls preload=\"metadata\" src=\"/x\" title=\"&quot;\"></audio>", true),
            ("<p><a href=\"mailto:a@b.example\">x</a> <a href=\"#narrow/channel/1-x\">y</a></p>", true),
            ("<p><a href=\"javascript://x\">x</a></p>", false),
            ("<p><a href=\"&#106;avascript://x\">x</a></p>", false),
            ("<p><a href=/x>x</a></p>", false),
            ("<p><a href=\"/x\"onclick=\"y\">x</a></p>", false),
            ("<p><a onclick=x href=\"/x\">x</a></p>", false),
            ("<p><a  href=\"/x\">x</a></p>", false),
            ("<p onclick=\"x\">y</p>", false),
            ("<p", false),
            ("<a href=\"/x", false),
            ("<script>", false),
            ("</script>", false),
            ("<!-- x -->", false),
        ] {
            assert_eq!(is_as_written(html), is_known, "{html}");
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
