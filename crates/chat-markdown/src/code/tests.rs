//! Code as the highlighter of the recorded server coloured it.

use super::{colour, languages, lexer};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::Read;
use std::time::{Duration, Instant};

/// A sample a line, with the HTML that Pygments 2.17.2 made of it, quotes as they are.
const SAMPLES: &[u8] = include_bytes!("samples.jsonl.gz");
/// The samples in languages whose later classes are in the tables, as Pygments 2.19.1 has them, from level 339 on.
const LATER_SAMPLES: &[u8] = include_bytes!("samples-339.jsonl.gz");
/// The level at which the first samples were recorded.
const RECORDED: i64 = 247;

#[derive(Deserialize)]
struct Sample {
    language: String,
    code: String,
    html: String,
}

fn samples() -> Vec<Sample> {
    read(SAMPLES)
}

fn read(samples: &[u8]) -> Vec<Sample> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(samples).read_to_string(&mut text).expect("samples are UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a sample")).collect()
}

#[test]
fn code_is_coloured_like_by_the_highlighter_of_the_recorded_server() {
    for Sample { language, code, html } in samples() {
        let spans = colour::spans(&language, &code, RECORDED).unwrap_or_else(|| panic!("{language} is not coloured"));
        assert_eq!(spans, html, "{language}: {code:?}");
    }
}

#[test]
fn a_later_highlighter_has_more_classes() {
    for Sample { language, code, html } in read(LATER_SAMPLES) {
        let spans = colour::spans(&language, &code, 339).unwrap_or_else(|| panic!("{language} is not coloured"));
        assert_eq!(spans, html, "{language}: {code:?}");
    }
}

#[test]
fn code_in_ascii_is_read_alike_by_patterns_that_know_other_letters() {
    let has_table = |language: &str| languages::names().any(|name| name == language);
    let in_ascii = |sample: &Sample| sample.code.is_ascii() && has_table(&sample.language);
    for Sample { language, code, .. } in samples().into_iter().filter(in_ascii) {
        let table = languages::table(&language).unwrap_or_else(|| panic!("{language} has no table"));
        let [of_ascii, of_all] = [true, false].map(|is_ascii| {
            let tokens = lexer::tokens_by(table, &code, RECORDED, is_ascii).into_iter();
            tokens.map(|token| (token.class, token.text)).collect::<Vec<_>>()
        });
        assert_eq!(of_ascii, of_all, "{language}: {code:?}");
    }
}

#[test]
fn each_language_has_samples() {
    let samples = samples();
    let sampled: BTreeSet<&str> = samples.iter().map(|sample| sample.language.as_str()).collect();
    let missing: Vec<&str> = languages::names().filter(|name| !sampled.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn hard_code_is_coloured_in_time() {
    for language in languages::names() {
        for part in ["\"\\", "(", "a ", "/*", "<a ", "é", "r#\"", "<<a ", "f{", "`${", "int f(", "$ x\\\n", "k:\n "] {
            let code = part.repeat(8_000 / part.len()) + "\n";
            let begin = Instant::now();
            let spans = colour::spans(language, &code, RECORDED);
            assert!(spans.is_some(), "{language}");
            // Some milliseconds in an optimized program.
            assert!(begin.elapsed() < Duration::from_secs(10), "{language} {part:?}: {:?}", begin.elapsed());
        }
    }
}
