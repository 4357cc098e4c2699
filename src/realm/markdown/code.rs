//! Code blocks: their shape, and the names under which languages are known (A-157 in docs/assumptions.md).

use super::html;

/// What authors write, and the language's canonical name.
const LANGUAGES: [(&str, &[&str]); 36] = [
    ("Bash", &["bash", "sh", "ksh", "zsh", "shell"]),
    ("Batchfile", &["batch", "bat", "dosbatch", "winbatch"]),
    ("C", &["c"]),
    ("C#", &["csharp", "c#", "cs"]),
    ("C++", &["cpp", "c++"]),
    ("CSS", &["css"]),
    ("Clojure", &["clojure", "clj"]),
    ("Dart", &["dart"]),
    ("Diff", &["diff", "udiff"]),
    ("Docker", &["docker", "dockerfile"]),
    ("Elixir", &["elixir", "ex", "exs"]),
    ("Erlang", &["erlang"]),
    ("Go", &["go", "golang"]),
    ("GraphQL", &["graphql"]),
    ("HTML", &["html"]),
    ("Haskell", &["haskell", "hs"]),
    ("INI", &["ini", "cfg", "dosini"]),
    ("JSON", &["json"]),
    ("Java", &["java"]),
    ("JavaScript", &["javascript", "js"]),
    ("Julia", &["julia", "jl"]),
    ("Kotlin", &["kotlin"]),
    ("Lua", &["lua"]),
    ("Makefile", &["makefile", "make", "mf", "bsdmake"]),
    ("Markdown", &["markdown", "md"]),
    ("Nix", &["nix", "nixos"]),
    ("OCaml", &["ocaml"]),
    ("PHP", &["php", "php3", "php4", "php5"]),
    ("Perl", &["perl", "pl"]),
    ("Python", &["python", "py", "python3", "py3", "sage"]),
    ("Ruby", &["ruby", "rb", "duby"]),
    ("Rust", &["rust", "rs"]),
    ("SQL", &["sql"]),
    ("Swift", &["swift"]),
    ("TypeScript", &["typescript", "ts"]),
    ("YAML", &["yaml"]),
];

/// The word that asks for no language even where the organization has a default.
const NO_LANGUAGE: &str = "text";

/// A code block. `text` is without its last newline; an empty language is none.
pub(super) fn block(language: &str, text: &str) -> String {
    let mut content = String::from("<span></span>");
    let mut code = html::text(text);
    code.push('\n');
    content.push_str(&html::element("code", &[], &code));
    let pre = html::element("pre", &[], &content);
    let name = canonical(language);
    let attributes = [("class", "codehilite"), ("data-code-language", name)];
    let plain = language.is_empty() || language == NO_LANGUAGE;
    html::element("div", if plain { &attributes[..1] } else { &attributes }, &pre)
}

/// A language's canonical name, or the word itself if nobody knows it.
fn canonical(language: &str) -> &str {
    let word = language.to_ascii_lowercase();
    LANGUAGES.iter().find(|(_, aliases)| aliases.contains(&word.as_str())).map_or(language, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_canonical_names() {
        for (word, name) in
            [("py", "Python"), ("Rust", "Rust"), ("c++", "C++"), ("js", "JavaScript"), ("klingon", "klingon")]
        {
            assert_eq!(canonical(word), name);
        }
    }
}
