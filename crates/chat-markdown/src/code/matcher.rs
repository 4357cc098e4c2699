//! Compiles the patterns of language tables on first use.

use regex_automata::meta::Regex;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};
use std::sync::{Arc, OnceLock};

/// Memory limit of a lazy automaton, in bytes.
const CACHE_BYTES: usize = 256 * 1024;

/// The invalid part of a table, with the reason if it is a pattern.
#[derive(Debug)]
pub(super) struct TableError(pub String);

/// Patterns; the first one that matches is used.
///
/// Compiling Unicode character classes takes most of the time, and few texts need them, so that there is a separate
/// version for ASCII texts.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    patterns: Vec<&'static str>,
    notation: Arc<Notation>,
    ascii: OnceLock<Option<Regex>>,
    unicode: OnceLock<Option<Regex>>,
}

impl Matcher {
    pub fn new(pattern: &'static str, notation: &Arc<Notation>) -> Self {
        Self { patterns: vec![pattern], notation: notation.clone(), ..Self::default() }
    }

    /// Adds a pattern that is tried after the others. Must not be called after [`Matcher::regex`].
    pub fn push(&mut self, pattern: &'static str) {
        self.patterns.push(pattern);
    }

    /// The patterns, compiled on first use. None: they are invalid.
    pub fn regex(&self, is_ascii: bool) -> Option<&Regex> {
        let compiled = if is_ascii { &self.ascii } else { &self.unicode };
        compiled.get_or_init(|| self.compile(is_ascii).ok()).as_ref()
    }

    /// Compiles the patterns, for all texts or only for those in ASCII.
    ///
    /// # Errors
    ///
    /// A pattern is invalid, or the patterns are too large.
    pub fn compile(&self, is_ascii: bool) -> Result<Regex, TableError> {
        let table_error = |error: &dyn std::fmt::Display| TableError(format!("{:?}: {error}", self.patterns));
        let parsed = self.patterns.iter().map(|pattern| {
            let hir = regex_syntax::parse(&self.notation.expand(pattern)).map_err(|error| table_error(&error))?;
            Ok(if is_ascii { restrict_to_ascii(hir) } else { hir })
        });
        // Full automata and prefilters take long to build and do not help anchored searches.
        let configuration = Regex::config().hybrid_cache_capacity(CACHE_BYTES).dfa(false).auto_prefilter(false);
        let builder = Regex::builder().configure(configuration).clone();
        builder.build_many_from_hir(&parsed.collect::<Result<Vec<_>, _>>()?).map_err(|error| table_error(&error))
    }
}

/// Returns a pattern that has the same matches in ASCII texts, and compiles faster.
fn restrict_to_ascii(hir: Hir) -> Hir {
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
            *repetition.sub = restrict_to_ascii(*repetition.sub);
            Hir::repetition(repetition)
        }
        HirKind::Capture(mut capture) => {
            *capture.sub = restrict_to_ascii(*capture.sub);
            Hir::capture(capture)
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(restrict_to_ascii).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(restrict_to_ascii).collect()),
    }
}

/// Extensions of the syntax of patterns.
#[derive(Debug, Default)]
pub(super) struct Notation {
    /// Names and values of `%NAME%`. Values may use earlier macros.
    pub macros: Vec<(&'static str, &'static str)>,
    /// Whether patterns ignore case.
    pub folds_case: bool,
}

impl Notation {
    /// Replaces `%NAME%`, `\w` and `\W` in a pattern, and adds its flags.
    fn expand(&self, pattern: &str) -> String {
        let mut pattern = pattern.to_owned();
        for (name, value) in self.macros.iter().rev() {
            pattern = pattern.replace(&format!("%{name}%"), value);
        }
        let mut result = String::from(if self.folds_case { "(?mi)" } else { "(?m)" });
        let mut is_in_class = false;
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    // Unlike in Rust, `\w` does not match combining marks.
                    Some('w') if is_in_class => result.push_str(r"\p{L}\p{N}_"),
                    Some('w') => result.push_str(r"[\p{L}\p{N}_]"),
                    Some('W') => result.push_str(r"[^\p{L}\p{N}_]"),
                    Some(other) => result.extend(['\\', other]),
                    None => result.push('\\'),
                },
                '[' => {
                    is_in_class = true;
                    result.push('[');
                }
                ']' => {
                    is_in_class = false;
                    result.push(']');
                }
                other => result.push(other),
            }
        }
        result
    }
}
