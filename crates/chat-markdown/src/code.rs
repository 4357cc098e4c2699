//! Renders code blocks, with names of languages and syntax highlighting (A-157, A-181 in docs/assumptions.md).

mod html_spans;
mod indentation;
mod languages;
mod lexer;
mod matcher;
mod shell_session;
mod table;

use super::context::Context;
use super::html;
use super::tree::{Node, ROOT, Text, Tree};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A line per language: its canonical name, a tab, and its aliases, as in the highlighter Pygments.
const LANGUAGE_ALIASES: &str = include_str!("code/languages.txt");

/// Canonical names by alias.
static CANONICAL_NAMES: LazyLock<HashMap<&'static str, &'static str, foldhash::fast::FixedState>> =
    LazyLock::new(|| {
        let rows = LANGUAGE_ALIASES.lines().filter_map(|line| line.split_once('\t'));
        rows.flat_map(|(name, aliases)| aliases.split(' ').map(move |alias| (alias, name))).collect()
    });

/// Maximum size of highlighted code in one text, in bytes.
const MAX_HIGHLIGHTED_BYTES: usize = 50_000;

/// The number of steps that highlighting a byte costs.
const STEPS_PER_BYTE: usize = 50;

/// Returns the HTML of fenced code. `language` is in lower case, or "" for none.
pub(super) fn render_fenced_code(context: &mut Context<'_>, language: &str, text: &str) -> String {
    let code = text.trim_matches('\n');
    if language.is_empty() {
        return code_block_html("", &html::escape_with_quotes(code, "&#39;"));
    }
    let name = CANONICAL_NAMES.get(language).copied();
    let mut attribute = String::from(" data-code-language=\"");
    html::push_attribute(&mut attribute, name.unwrap_or(language));
    attribute.push('"');
    let is_within_limit = context.highlighted_bytes + code.len() <= MAX_HIGHLIGHTED_BYTES;
    let is_affordable = || context.budget.spend_steps(STEPS_PER_BYTE * code.len()).is_ok();
    let level = context.settings.output_format.highlighter_level;
    let name_to_highlight = name.filter(|_| is_within_limit && is_affordable());
    let highlighted = name_to_highlight.and_then(|name| html_spans::highlight(name, &format!("{code}\n"), level));
    match highlighted {
        Some(spans) => {
            context.highlighted_bytes += code.len();
            code_block_html(&attribute, spans.trim_end_matches('\n'))
        }
        None => code_block_html(&attribute, &html::escape_code(code)),
    }
}

/// Returns the HTML of indented code, which is not highlighted.
fn render_indented_code(text: &str) -> String {
    let code = text.trim_matches('\n');
    // A first line that names a language is not part of the code.
    let code = match code.split_once('\n') {
        Some((first, following)) if first.starts_with("::") && !first.contains('/') => following.trim_matches('\n'),
        _ => code,
    };
    code_block_html("", &html::escape_with_quotes(code, "&#39;")) + "\n"
}

/// Replaces indented code in the tree by placeholders for its HTML.
pub(super) fn store_indented_code(context: &mut Context<'_>, tree: &mut Tree) {
    let mut pending = vec![ROOT];
    while let Some(node) = pending.pop() {
        if tree.tag(node) == "pre" {
            let placeholder = context.store(render_indented_code(&tree[node].text.content));
            tree[node] = Node { tag: "p", text: Text::markup(placeholder), ..Node::default() };
        }
        pending.extend(&tree[node].children);
    }
}

fn code_block_html(attribute: &str, code: &str) -> String {
    format!("<div class=\"codehilite\"{attribute}><pre><span></span><code>{code}\n</code></pre></div>")
}

#[cfg(test)]
mod tests;
