//! Patterns of a table, compiled when a text first needs them.

use super::table::Fault;
use regex_automata::meta::Regex;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};
use std::sync::OnceLock;

/// Bytes of a regular expression's tables before they are made again.
const CACHE_BYTES: usize = 256 * 1024;

/// Patterns of which the first that matches counts.
///
/// Classes that know all letters of Unicode take most of the time of compiling. Few texts need them: for those in ASCII
/// the patterns are compiled without.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    patterns: Vec<String>,
    of_ascii: OnceLock<Option<Regex>>,
    of_all: OnceLock<Option<Regex>>,
}

impl Matcher {
    pub fn new(pattern: String) -> Self {
        Self { patterns: vec![pattern], ..Self::default() }
    }

    /// Adds a pattern that is tried after the others. Nothing may have been matched yet.
    pub fn push(&mut self, pattern: String) {
        self.patterns.push(pattern);
    }

    /// The compiled patterns for a text. None if they can't be compiled.
    pub fn regex(&self, text_is_ascii: bool) -> Option<&Regex> {
        let compiled = if text_is_ascii { &self.of_ascii } else { &self.of_all };
        compiled.get_or_init(|| self.compile(text_is_ascii).ok()).as_ref()
    }

    /// # Errors
    ///
    /// When one of the patterns is none.
    pub fn compile(&self, for_ascii: bool) -> Result<Regex, Fault> {
        let fault = |error: &dyn std::fmt::Display| Fault(format!("{:?}: {error}", self.patterns));
        let parsed = self.patterns.iter().map(|pattern| {
            let hir = regex_syntax::parse(pattern).map_err(|error| fault(&error))?;
            Ok(if for_ascii { within_ascii(hir) } else { hir })
        });
        let configuration = Regex::config().hybrid_cache_capacity(CACHE_BYTES);
        let builder = Regex::builder().configure(configuration).clone();
        builder.build_many_from_hir(&parsed.collect::<Result<Vec<_>, _>>()?).map_err(|error| fault(&error))
    }
}

/// The same pattern for texts in ASCII alone.
fn within_ascii(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7f')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(match look {
            Look::WordUnicode => Look::WordAscii,
            Look::WordUnicodeNegate => Look::WordAsciiNegate,
            Look::WordStartUnicode => Look::WordStartAscii,
            Look::WordEndUnicode => Look::WordEndAscii,
            Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
            Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
            look => look,
        }),
        HirKind::Repetition(mut repetition) => {
            *repetition.sub = within_ascii(*repetition.sub);
            Hir::repetition(repetition)
        }
        HirKind::Capture(mut capture) => {
            *capture.sub = within_ascii(*capture.sub);
            Hir::capture(capture)
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_ascii).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(within_ascii).collect()),
    }
}
