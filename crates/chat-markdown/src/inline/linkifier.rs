//! Expands the organization's linkifiers.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use super::url::{Target, sanitize};
use crate::tree::{Node, Text};

/// Applies the linkifiers in their order.
pub(super) fn expand_linkifiers(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    let mut output: Option<String> = None;
    for linkifier in inline.context.linkifiers.clone() {
        let text = output.as_deref().unwrap_or(text);
        let mut rewriter = TextRewriter::new(text);
        for linkifier_match in linkifier.matches(text, 0, &inline.context.budget).ok()? {
            let Some(href) = sanitize(&linkifier_match.url) else { continue };
            let target = Target::from_url(inline.context, &href);
            let label = Text::literal(&text[linkifier_match.range.clone()]);
            let attributes = vec![("href", target.href)];
            let placeholder =
                inline.stash_element(Node { tag: "a", attributes, text: label, is_link: true, ..Node::default() });
            rewriter.replace(linkifier_match.range, &placeholder);
        }
        if let Some(linked) = rewriter.finish() {
            output = Some(linked);
        }
    }
    output
}
