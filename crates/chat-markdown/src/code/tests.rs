//! Tests of code blocks: names of languages, and highlighting as on recorded servers.

use super::{CANONICAL_NAMES, html_spans, languages, lexer};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::Read;
use std::time::{Duration, Instant};

/// One sample per line, with its HTML by Pygments 2.17.2. Quotes are not escaped.
const SAMPLES: &[u8] = include_bytes!("samples.jsonl.gz");
/// Samples of the languages whose classes changed in Pygments 2.19.1, from level 339 on.
const LATER_SAMPLES: &[u8] = include_bytes!("samples-339.jsonl.gz");
/// The feature level of the first samples.
const RECORDED_LEVEL: i64 = 247;

#[derive(Deserialize)]
struct Sample {
    language: String,
    code: String,
    html: String,
}

fn recorded_samples() -> Vec<Sample> {
    parse_samples(SAMPLES)
}

fn parse_samples(compressed: &[u8]) -> Vec<Sample> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(compressed).read_to_string(&mut text).expect("samples are UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a sample")).collect()
}

#[test]
fn code_is_highlighted_as_on_the_recorded_server() {
    for Sample { language, code, html } in recorded_samples() {
        let spans = html_spans::highlight(&language, &code, RECORDED_LEVEL)
            .unwrap_or_else(|| panic!("{language} is not coloured"));
        assert_eq!(spans, html, "{language}: {code:?}");
    }
}

#[test]
fn a_later_highlighter_has_more_classes() {
    for Sample { language, code, html } in parse_samples(LATER_SAMPLES) {
        let spans =
            html_spans::highlight(&language, &code, 339).unwrap_or_else(|| panic!("{language} is not coloured"));
        assert_eq!(spans, html, "{language}: {code:?}");
    }
}

#[test]
fn ascii_and_unicode_patterns_give_the_same_tokens_for_ascii_code() {
    let has_table = |language: &str| languages::names().any(|name| name == language);
    let is_ascii_sample = |sample: &Sample| sample.code.is_ascii() && has_table(&sample.language);
    for Sample { language, code, .. } in recorded_samples().into_iter().filter(is_ascii_sample) {
        let table = languages::find_language(&language).unwrap_or_else(|| panic!("{language} has no table"));
        let [ascii_tokens, unicode_tokens] = [true, false].map(|is_ascii| {
            let tokens = lexer::tokens_with_patterns(table, &code, RECORDED_LEVEL, is_ascii).into_iter();
            tokens.map(|token| (token.class, token.text)).collect::<Vec<_>>()
        });
        assert_eq!(ascii_tokens, unicode_tokens, "{language}: {code:?}");
    }
}

#[test]
fn each_language_has_samples() {
    let samples = recorded_samples();
    let sampled_languages: BTreeSet<&str> = samples.iter().map(|sample| sample.language.as_str()).collect();
    let missing_languages: Vec<&str> = languages::names().filter(|name| !sampled_languages.contains(name)).collect();
    assert_eq!(missing_languages, Vec::<&str>::new());
}

#[test]
fn pathological_code_is_highlighted_in_time() {
    for language in languages::names() {
        for part in ["\"\\", "(", "a ", "/*", "<a ", "é", "r#\"", "<<a ", "f{", "`${", "int f(", "$ x\\\n", "k:\n "] {
            let code = part.repeat(8_000 / part.len()) + "\n";
            let started_at = Instant::now();
            let spans = html_spans::highlight(language, &code, RECORDED_LEVEL);
            assert!(spans.is_some(), "{language}");
            // An optimized build takes some milliseconds.
            assert!(started_at.elapsed() < Duration::from_secs(10), "{language} {part:?}: {:?}", started_at.elapsed());
        }
    }
}

#[test]
fn aliases_are_replaced_by_canonical_names() {
    for (alias, name) in [
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
        assert_eq!(CANONICAL_NAMES.get(alias).copied().unwrap_or(alias), name);
    }
}
