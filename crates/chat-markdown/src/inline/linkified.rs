//! What the organization's patterns turn into links.

use super::Inline;
use super::url::{Target, sanitized};
use crate::tree::{Node, Text};

/// What the patterns match, those first that come first.
pub(super) fn linkified(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    let mut current: Option<String> = None;
    for linkifier in inline.context.linkifiers.clone() {
        let text = current.as_deref().unwrap_or(text);
        let mut out = super::Rewriting::new(text);
        for found in linkifier.matches(text, 0, &inline.context.budget).ok()? {
            let Some(href) = sanitized(&found.url) else { continue };
            let target = Target::of(inline.context, &href);
            let shown = Text::literal(&text[found.range.clone()]);
            let attributes = vec![("href", target.href)];
            let mark = inline.element(Node { tag: "a", attributes, text: shown, is_link: true, ..Node::default() });
            out.replace(found.range, &mark);
        }
        if let Some(linked) = out.finish() {
            current = Some(linked);
        }
    }
    current
}
