//! Compiles patterns, with a cache for the whole process.

use parking_lot::Mutex;
use regex::{Regex, RegexBuilder};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Memory limit of a compiled pattern.
const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// Memory limit of the lazy automaton of a pattern.
const MAX_AUTOMATON_BYTES: usize = 1 << 20;

const MAX_GROUP_NESTING: u32 = 50;

/// Maximum number of cached patterns.
const MAX_CACHED_PATTERNS: usize = 32;

/// Longer patterns are not cached.
const MAX_CACHED_PATTERN_BYTES: usize = 1 << 10;

static CACHE: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);

/// Compiles a pattern in the syntax of the `regex` crate.
///
/// # Errors
///
/// The syntax is wrong, groups nest too deeply, or the program is too large.
pub fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    // A clone has its own scratch memory, so that threads do not wait for each other.
    if let Some(regex) = CACHE.lock().get(pattern) {
        return Ok(regex.clone());
    }
    let regex = RegexBuilder::new(pattern)
        .size_limit(MAX_PROGRAM_BYTES)
        .dfa_size_limit(MAX_AUTOMATON_BYTES)
        .nest_limit(MAX_GROUP_NESTING)
        .build()?;
    if pattern.len() <= MAX_CACHED_PATTERN_BYTES {
        let mut cache = CACHE.lock();
        if cache.len() >= MAX_CACHED_PATTERNS {
            cache.clear();
        }
        cache.insert(pattern.to_owned(), regex.clone());
    }
    Ok(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_patterns_match_like_new_ones() {
        for _ in 0..2 {
            let regex = compile("^(?P<id>[0-9]+)$").expect("valid");
            assert_eq!(regex.captures("12").expect("it matches")["id"], *"12");
            assert!(!regex.is_match("1a"));
        }
    }

    #[test]
    fn the_cache_is_limited() {
        for number in 0..3 * MAX_CACHED_PATTERNS {
            compile(&format!("^{number}$")).expect("valid");
            assert!(CACHE.lock().len() <= MAX_CACHED_PATTERNS);
        }
    }

    #[test]
    fn too_large_patterns_are_refused_each_time() {
        for _ in 0..2 {
            assert!(matches!(compile(r"\w{5000}"), Err(regex::Error::CompiledTooBig(_))));
        }
    }
}
