//! How much longer a search for a pattern may take than one for a few letters.

use regex_syntax::hir::{Hir, HirKind};

/// With fewer repetitions than this, a byte takes no more than a step.
const FEW_REPETITIONS: usize = 64;

/// The steps that a byte of a text may take. `[ab]*a[ab]{1000}c` is at a thousand places of the pattern at once, behind
/// each byte of a text of `a` and `b`; what is not repeated a number of times hardly is.
pub(super) fn steps_per_byte(translated: &str) -> usize {
    let repetitions = regex_syntax::parse(translated).map_or(0, |pattern| repetitions(&pattern));
    if repetitions < FEW_REPETITIONS { 1 } else { repetitions }
}

/// How many copies of its parts a pattern has, where it says how often they are repeated.
fn repetitions(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => 0,
        HirKind::Capture(capture) => repetitions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(repetitions).fold(0, usize::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            let count = repetition.max.unwrap_or(repetition.min) as usize;
            if count < 2 {
                return repetitions(&repetition.sub);
            }
            count.saturating_mul(places(&repetition.sub))
        }
    }
}

/// At how many places of a pattern a search may be.
fn places(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(_) => 1,
        HirKind::Capture(capture) => places(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(places).fold(0, usize::saturating_add),
        HirKind::Repetition(repetition) => {
            let count = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            count.saturating_mul(places(&repetition.sub))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_weigh_what_they_repeat() {
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
