//! Code blocks: their shape, the names under which languages are known, and the spans that colour them (A-157, A-181 in
//! docs/assumptions.md).

mod colour;
mod indentation;
mod languages;
mod lexer;
mod matcher;
mod session;
mod table;

use super::context::Context;
use super::html;
use super::tree::{Node, ROOT, Text, Tree};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A line per language: its canonical name and, behind a tab, what authors write. As the highlighter Pygments has them.
const LANGUAGES: &str = include_str!("code/languages.txt");

/// Canonical names by what authors write.
static NAMES: LazyLock<HashMap<&'static str, &'static str, foldhash::fast::FixedState>> = LazyLock::new(|| {
    let rows = LANGUAGES.lines().filter_map(|line| line.split_once('\t'));
    rows.flat_map(|(name, words)| words.split(' ').map(move |word| (word, name))).collect()
});

/// What is coloured of one text, in bytes.
const COLOURED_MAX: usize = 50_000;

/// Steps that colouring a byte takes.
const STEPS_PER_BYTE: usize = 50;

/// Fenced code. The language is in lower case, and empty for none.
pub(super) fn fenced(context: &mut Context<'_>, language: &str, text: &str) -> String {
    let code = text.trim_matches('\n');
    if language.is_empty() {
        return block("", &html::with_quotes(code, "&#39;"));
    }
    let name = NAMES.get(language).copied();
    let mut attribute = String::from(" data-code-language=\"");
    html::push_attribute(&mut attribute, name.unwrap_or(language));
    attribute.push('"');
    let fits = context.coloured + code.len() <= COLOURED_MAX;
    let is_affordable = || context.budget.spend_steps(STEPS_PER_BYTE * code.len()).is_ok();
    let level = context.settings.form.code_level;
    let name = name.filter(|_| fits && is_affordable());
    let coloured = name.and_then(|name| colour::spans(name, &format!("{code}\n"), level));
    match coloured {
        Some(spans) => {
            context.coloured += code.len();
            block(&attribute, spans.trim_end_matches('\n'))
        }
        None => block(&attribute, &html::in_code(code)),
    }
}

/// Indented code.
fn indented(text: &str) -> String {
    let code = text.trim_matches('\n');
    // A first line that names a language is no code.
    let code = match code.split_once('\n') {
        Some((first, rest)) if first.starts_with("::") && !first.contains('/') => rest.trim_matches('\n'),
        _ => code,
    };
    block("", &html::with_quotes(code, "&#39;")) + "\n"
}

/// Turns the indented code in a tree into raw HTML.
pub(super) fn highlight(context: &mut Context<'_>, tree: &mut Tree) {
    let mut waiting = vec![ROOT];
    while let Some(node) = waiting.pop() {
        if tree.tag(node) == "pre" {
            let mark = context.store(indented(&tree[node].text.content));
            tree[node] = Node { tag: "p", text: Text::markup(mark), ..Node::default() };
        }
        waiting.extend(&tree[node].children);
    }
}

fn block(attribute: &str, code: &str) -> String {
    format!("<div class=\"codehilite\"{attribute}><pre><span></span><code>{code}\n</code></pre></div>")
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod names {
    use super::*;

    #[test]
    fn words_become_canonical_names() {
        for (word, name) in [
            ("py", "Python"),
            ("rust", "Rust"),
            ("c++", "C++"),
            ("js", "JavaScript"),
            ("klingon", "klingon"),
            ("py2", "Python 2.x"),
            ("yml", "YAML"),
            ("console", "Bash Session"),
            ("latex", "TeX"),
            ("text", "Text only"),
        ] {
            assert_eq!(NAMES.get(word).copied().unwrap_or(word), name);
        }
    }
}
