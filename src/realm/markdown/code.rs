//! Code blocks: their shape, and the names under which languages are known (A-157, A-181 in docs/assumptions.md).

use super::html;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A line per language: its canonical name and, behind a tab, what authors write. As the highlighter Pygments has them.
const LANGUAGES: &str = include_str!("code/languages.txt");

/// Canonical names by what authors write.
static NAMES: LazyLock<HashMap<&'static str, &'static str, foldhash::fast::FixedState>> = LazyLock::new(|| {
    let rows = LANGUAGES.lines().filter_map(|line| line.split_once('\t'));
    rows.flat_map(|(name, words)| words.split(' ').map(move |word| (word, name))).collect()
});

/// The word that asks for no language even where the organization has a default.
const NO_LANGUAGE: &str = "text";

/// Fenced code. `text` is without its last newline; an empty language is none.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    let code = lines.join("\n");
    let code = code.trim_matches('\n');
    if language.is_empty() {
        return block(&[], &in_entities(code));
    }
    let language = Some(canonical(language)).filter(|_| language != NO_LANGUAGE);
    let attribute = language.map(|name| ("data-code-language", name));
    block(attribute.as_slice(), &html::text(code))
}

/// Indented code, without its indentation and its last newline.
pub(super) fn indented(text: &str) -> String {
    block(&[], &in_entities(text.trim_end().trim_start_matches('\n')))
}

fn block(further_attributes: &[(&'static str, &str)], code: &str) -> String {
    let content = String::from("<span></span>") + &html::element("code", &[], &format!("{code}\n"));
    let pre = html::element("pre", &[], &content);
    let attributes = [&[("class", "codehilite")], further_attributes].concat();
    html::element("div", &attributes, &pre)
}

/// Where no language is named, quotes are escaped too.
fn in_entities(code: &str) -> String {
    html::text(code).replace('"', "&quot;").replace('\'', "&#39;")
}

/// A language's canonical name, or the word itself if nobody knows it.
fn canonical(language: &str) -> &str {
    NAMES.get(language.to_ascii_lowercase().as_str()).copied().unwrap_or(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_canonical_names() {
        for (word, name) in
            [("py", "Python"), ("Rust", "Rust"), ("c++", "C++"), ("js", "JavaScript"), ("klingon", "klingon")]
                .into_iter()
                .chain([("py2", "Python 2.x"), ("yml", "YAML"), ("console", "Bash Session"), ("latex", "TeX")])
        {
            assert_eq!(canonical(word), name);
        }
    }
}
