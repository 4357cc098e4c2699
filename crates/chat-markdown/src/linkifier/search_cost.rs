//! Estimates the cost of searching for a pattern by its positions, which are the bytes of its literals and its
//! character classes.

use regex_syntax::hir::{Hir, HirKind};

/// Patterns with fewer positions in counted repetitions take one step per byte.
const FREE_POSITIONS: usize = 64;

/// The maximum number of steps per byte of text. In a text of `a` and `b`, a search for `[ab]*a[ab]{1000}c` has a
/// thousand states after each byte. Without counted repetitions, a search has few states.
pub(super) fn steps_per_byte(translated: &str) -> usize {
    let positions = regex_syntax::parse(translated).map_or(0, |pattern| repeated_positions(&pattern));
    if positions < FREE_POSITIONS { 1 } else { positions }
}

/// The number of positions in the counted repetitions of a pattern, when they are expanded.
fn repeated_positions(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => 0,
        HirKind::Capture(capture) => repeated_positions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(repeated_positions).fold(0, usize::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            let count = repetition.max.unwrap_or(repetition.min) as usize;
            if count < 2 {
                return repeated_positions(&repetition.sub);
            }
            count.saturating_mul(positions(&repetition.sub))
        }
    }
}

/// The number of positions in a pattern, when its repetitions are expanded.
fn positions(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(_) => 1,
        HirKind::Capture(capture) => positions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(positions).fold(0, usize::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            let count = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            count.saturating_mul(positions(&repetition.sub))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_repetitions_increase_the_cost() {
        for (pattern, steps) in [
            ("#(?P<id>[0-9]+)", 1),
            ("(?P<id>[0-9a-f]{7,40})", 1),
            ("(?P<id>[A-Z]{2,5}-[0-9]{1,6})", 1),
            ("(?P<id>[ab]*a[ab]{1000}c)", 1_000),
            ("(?P<id>(?:a?){1000})", 1_000),
            ("(?P<id>(?:[ab]{20}c){10})", 210),
            ("(?P<id>one|another|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)", 1),
        ] {
            assert_eq!(steps_per_byte(pattern), steps, "{pattern}");
        }
    }
}
