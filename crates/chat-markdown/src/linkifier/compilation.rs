//! Compiles patterns, each once for all worlds of the process.

use parking_lot::Mutex;
use regex::{Regex, RegexBuilder};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The compiled program of one pattern may not take more memory than this.
const COMPILED_SIZE_MAX_BYTES: usize = 1 << 20;

/// The cache of the lazily built automaton of one pattern may not take more memory than this.
const CACHE_SIZE_MAX_BYTES: usize = 1 << 20;

/// How deep groups of a pattern may nest.
const GROUP_NESTING_MAX: u32 = 50;

/// So many compiled patterns are kept. Worlds of one fixture share theirs.
const KEPT_MAX: usize = 32;

/// Longer patterns are compiled each time.
const KEPT_PATTERN_MAX_BYTES: usize = 1 << 10;

static KEPT: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);

/// Compiles a pattern in the syntax of the `regex` crate.
///
/// # Errors
///
/// The syntax is wrong, groups nest too deeply, or the program is too large.
pub fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    // A copy has its own cache, so that worlds never wait for each other.
    if let Some(regex) = KEPT.lock().get(pattern) {
        return Ok(regex.clone());
    }
    let regex = RegexBuilder::new(pattern)
        .size_limit(COMPILED_SIZE_MAX_BYTES)
        .dfa_size_limit(CACHE_SIZE_MAX_BYTES)
        .nest_limit(GROUP_NESTING_MAX)
        .build()?;
    if pattern.len() <= KEPT_PATTERN_MAX_BYTES {
        let mut kept = KEPT.lock();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(pattern.to_owned(), regex.clone());
    }
    Ok(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_was_compiled_before_matches_the_same() {
        for _ in 0..2 {
            let regex = compile("^(?P<id>[0-9]+)$").expect("sound");
            assert_eq!(regex.captures("12").expect("it matches")["id"], *"12");
            assert!(!regex.is_match("1a"));
        }
    }

    #[test]
    fn no_more_patterns_are_kept_than_the_limit() {
        for number in 0..3 * KEPT_MAX {
            compile(&format!("^{number}$")).expect("sound");
            assert!(KEPT.lock().len() <= KEPT_MAX);
        }
    }

    #[test]
    fn what_is_too_large_is_refused_each_time() {
        for _ in 0..2 {
            assert!(matches!(compile(r"\w{5000}"), Err(regex::Error::CompiledTooBig(_))));
        }
    }
}
