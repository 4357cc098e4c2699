//! Keeps HTML entities from being escaped, by stashing them.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use crate::html;

/// Stashes entities such as `&copy;`.
pub(super) fn stash_entities(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    let mut rewriter = TextRewriter::new(text);
    for start in memchr::memchr_iter(b'&', text.as_bytes()) {
        if let Some(length) = html::entity_length(&text[start..]) {
            let raw_html = inline.context.store(text[start..start + length].to_owned());
            // Stashed as text, because later passes must not change the placeholder of the HTML.
            let placeholder = inline.stash_text(raw_html);
            rewriter.replace(start..start + length, &placeholder);
        }
    }
    rewriter.finish()
}
