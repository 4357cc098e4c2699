//! Patterns of a table, compiled when a text first needs them.

use regex_automata::meta::Regex;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};
use std::sync::{Arc, OnceLock};

/// Bytes of a regular expression's tables before they are made again.
const CACHE_BYTES: usize = 256 * 1024;

/// What of a table can't be read.
#[derive(Debug)]
pub(super) struct Fault(pub String);

/// Patterns of which the first that matches counts.
///
/// Classes that know all letters of Unicode take most of the time of compiling. Few texts need them: for those in ASCII
/// the patterns are compiled without.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    patterns: Vec<&'static str>,
    notation: Arc<Notation>,
    of_ascii: OnceLock<Option<Regex>>,
    of_all: OnceLock<Option<Regex>>,
}

impl Matcher {
    pub fn new(pattern: &'static str, notation: &Arc<Notation>) -> Self {
        Self { patterns: vec![pattern], notation: notation.clone(), ..Self::default() }
    }

    /// Adds a pattern that is tried after the others. Nothing may have been matched yet.
    pub fn push(&mut self, pattern: &'static str) {
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
            let hir = regex_syntax::parse(&self.notation.expanded(pattern)).map_err(|error| fault(&error))?;
            Ok(if for_ascii { within_ascii(hir) } else { hir })
        });
        // Whole automata and searches for literals take long to make, and gain nothing: each search begins at a place.
        let configuration = Regex::config().hybrid_cache_capacity(CACHE_BYTES).dfa(false).auto_prefilter(false);
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

/// How the patterns of a table are written.
#[derive(Debug, Default)]
pub(super) struct Notation {
    /// What `%NAME%` means. Later ones may use earlier ones.
    pub macros: Vec<(&'static str, &'static str)>,
    /// Whether patterns ignore case.
    pub folds_case: bool,
}

impl Notation {
    /// A pattern with what `%NAME%` and `\w` mean.
    fn expanded(&self, pattern: &str) -> String {
        let mut pattern = pattern.to_owned();
        for (name, meaning) in self.macros.iter().rev() {
            pattern = pattern.replace(&format!("%{name}%"), meaning);
        }
        let mut out = String::from(if self.folds_case { "(?mi)" } else { "(?m)" });
        let mut in_class = false;
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    // Marks that combine with letters are not of words here.
                    Some('w') if in_class => out.push_str(r"\p{L}\p{N}_"),
                    Some('w') => out.push_str(r"[\p{L}\p{N}_]"),
                    Some('W') => out.push_str(r"[^\p{L}\p{N}_]"),
                    Some(other) => out.extend(['\\', other]),
                    None => out.push('\\'),
                },
                '[' => {
                    in_class = true;
                    out.push('[');
                }
                ']' => {
                    in_class = false;
                    out.push(']');
                }
                other => out.push(other),
            }
        }
        out
    }
}
