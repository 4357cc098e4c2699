//! Linkifiers: patterns of an organization whose matches become links.
//!
//! Clones of a linkifier share its compiled form. Source: section 16 of the reference behaviour, which leaves details
//! open: A-41 in docs/assumptions.md.

mod compilation;
mod pattern;
mod reverse_template;
mod search_cost;
mod template;

use crate::budget::{Budget, Exhausted};
use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateString;
use iri_string::template::context::{Context, Visitor};
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

const INVALID_TEMPLATE: &str = "Invalid URL template.";

/// The boundary before a match: the start of the text, white space or one of these characters.
const BEFORE: &str = r#"(?:^|[\s'"(,:<])"#;

/// The boundary after a match: the end of the text, or a character other than a letter or a digit.
const AFTER: &str = r"(?:$|[^\p{L}\p{N}])";

/// [`AFTER`] for texts whose letters and digits are all ASCII. Unicode classes would take a millisecond to compile.
const AFTER_IN_ASCII: &str = "(?:$|[^A-Za-z0-9])";

/// A pattern, and the URL template of the links for its matches.
///
/// Linkifiers are equal if their sources are equal.
#[derive(Clone, Debug)]
pub struct Linkifier {
    /// The pattern, with groups in the form `(?P<name>…)`.
    pub pattern: String,
    /// An RFC 6570 template, whose variables are the names of the groups.
    pub url_template: String,
    /// An example of a text that the pattern matches.
    pub example_input: Option<String>,
    /// A template that converts the groups back to the text.
    pub reverse_template: Option<String>,
    /// Other URL templates whose URLs clients convert to the text.
    pub alternative_url_templates: Vec<String>,
    compiled: Arc<CompiledForm>,
}

impl PartialEq for Linkifier {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
            && self.url_template == other.url_template
            && self.example_input == other.example_input
            && self.reverse_template == other.reverse_template
            && self.alternative_url_templates == other.alternative_url_templates
    }
}

impl Eq for Linkifier {}

#[derive(Debug)]
struct CompiledForm {
    /// The pattern in the syntax of the `regex` crate, without boundaries.
    translated: String,
    /// The pattern with boundaries; group 1 is the match. Compiled on first use. None: it can't be compiled.
    bounded: OnceLock<Option<Regex>>,
    /// As `bounded`, for texts whose letters and digits are all ASCII.
    bounded_in_ascii: OnceLock<Option<Regex>>,
    template: UriTemplateString,
    /// See [`search_cost::steps_per_byte`].
    steps_per_byte: OnceLock<usize>,
}

impl CompiledForm {
    fn steps_to_read(&self, bytes: usize) -> usize {
        bytes.saturating_mul(*self.steps_per_byte.get_or_init(|| search_cost::steps_per_byte(&self.translated)))
    }

    /// The regular expression for a text. None: it can't be compiled; [`Linkifier::compile`] refuses such patterns.
    fn regex_for(&self, text: &str) -> Option<&Regex> {
        let is_ascii =
            text.is_ascii() || text.chars().all(|character| character.is_ascii() || !character.is_alphanumeric());
        let (regex, after) = if is_ascii { (&self.bounded_in_ascii, AFTER_IN_ASCII) } else { (&self.bounded, AFTER) };
        regex.get_or_init(|| compilation::compile(&with_boundaries(&self.translated, after)).ok()).as_ref()
    }
}

/// The unchecked strings of a linkifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkifierSource {
    /// See [`Linkifier::pattern`].
    pub pattern: String,
    /// See [`Linkifier::url_template`].
    pub url_template: String,
    /// See [`Linkifier::example_input`]; blank counts as absent.
    pub example_input: Option<String>,
    /// See [`Linkifier::reverse_template`]; blank counts as absent.
    pub reverse_template: Option<String>,
    /// See [`Linkifier::alternative_url_templates`].
    pub alternative_url_templates: Vec<String>,
}

/// Maximum number of code points of each string, and of all alternative templates together. Real servers have no limit.
const MAX_TEXT_LENGTH: usize = 20_000;

impl LinkifierSource {
    /// The fields that are too long, with the error messages of the web framework.
    fn length_errors(&self) -> Vec<(&'static str, String)> {
        let length = |text: &String| text.chars().count();
        let lengths = [
            ("pattern", length(&self.pattern)),
            ("url_template", length(&self.url_template)),
            ("example_input", self.example_input.as_ref().map_or(0, length)),
            ("reverse_template", self.reverse_template.as_ref().map_or(0, length)),
            // Each template counts one more, so that the number of empty ones is limited too.
            ("alternative_url_templates", self.alternative_url_templates.iter().map(|text| length(text) + 1).sum()),
        ];
        let length_errors = lengths.into_iter().filter(|(_, length)| *length > MAX_TEXT_LENGTH);
        length_errors
            .map(|(field, length)| {
                (field, format!("Ensure this value has at most {MAX_TEXT_LENGTH} characters (it has {length})."))
            })
            .collect()
    }
}

/// The errors of a refused linkifier: pairs of a field (or [`LinkifierErrors::NON_FIELD`]) and a message, in the order
/// in which they are reported. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkifierErrors(pub Vec<(&'static str, String)>);

impl LinkifierErrors {
    /// The field of errors about several fields.
    pub const NON_FIELD: &'static str = "__all__";

    /// The first message, which becomes the `msg` of the reply.
    pub fn first_message(&self) -> &str {
        self.0.first().map_or("", |(_, message)| message)
    }
}

/// A match of a linkifier in a text, and its URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkifierMatch {
    /// The range of bytes that becomes the text of the link.
    pub range: Range<usize>,
    /// The expanded URL, whose scheme is not checked.
    pub url: String,
}

impl Linkifier {
    /// Checks and compiles a linkifier. White space around all strings is removed first.
    ///
    /// # Errors
    ///
    /// Only errors of too long fields, if any: `Ensure this value has at most 20000 characters (it has …).`
    ///
    /// Otherwise, first the errors of fields: `This field cannot be blank.` (`pattern`, `url_template`), `Invalid URL
    /// template.` (`url_template`, `alternative_url_templates`). Then at most one error about several fields, the first
    /// of: `Bad regular expression: …`, missing example, example without a match, auto-conversion field (syntax,
    /// unknown group, different result) and, unless the template is invalid, groups that only the pattern or only the
    /// template has.
    ///
    /// Whether another linkifier has the same pattern is not checked.
    pub fn compile(source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        let source = source.trimmed();
        // Checked first, because compiling a pattern of megabytes takes seconds and hundreds of megabytes.
        let length_errors = source.length_errors();
        if !length_errors.is_empty() {
            return Err(LinkifierErrors(length_errors));
        }
        let mut errors = source.field_errors();
        let template = template::parse(&source.url_template);

        if let Err(message) = source.check_consistency(template.as_ref()) {
            errors.push((LinkifierErrors::NON_FIELD, message));
        }
        if errors.is_empty() { Self::from_checked(source) } else { Err(LinkifierErrors(errors)) }
    }

    /// Creates a linkifier from a source that [`Linkifier::compile`] accepted before. The pattern is compiled on first
    /// use.
    ///
    /// # Errors
    ///
    /// Syntax errors of the pattern or the URL template.
    pub fn from_checked(source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        let source = source.trimmed();
        let template = template::parse(&source.url_template)
            .ok_or_else(|| LinkifierErrors(vec![("url_template", INVALID_TEMPLATE.to_owned())]))?;
        let translated = pattern::translate(&source.pattern)
            .map_err(|message| LinkifierErrors(vec![(LinkifierErrors::NON_FIELD, bad_pattern_message(&message))]))?;
        let compiled = CompiledForm {
            translated,
            bounded: OnceLock::new(),
            bounded_in_ascii: OnceLock::new(),
            template,
            steps_per_byte: OnceLock::new(),
        };
        Ok(Self {
            pattern: source.pattern,
            url_template: source.url_template,
            example_input: source.example_input,
            reverse_template: source.reverse_template,
            alternative_url_templates: source.alternative_url_templates,
            compiled: Arc::new(compiled),
        })
    }

    /// The number of steps of a budget that one search of a text takes.
    pub fn steps_to_search(&self, text: &str) -> usize {
        STEPS_PER_SEARCH + self.compiled.steps_to_read(text.len())
    }

    /// Whether the pattern matches anywhere in a text, if only with an empty match, which is not linked. Faster than
    /// [`Linkifier::matches`].
    pub fn may_match(&self, text: &str) -> bool {
        self.compiled.regex_for(text).is_some_and(|regex| regex.is_match(text))
    }

    /// The matches in `text` from byte `start` on, from left to right, without overlaps.
    ///
    /// `start` must be a character boundary. It counts as the boundary before a match only if it is 0.
    ///
    /// # Errors
    ///
    /// [`Exhausted`] if the budget does not suffice.
    pub fn matches(&self, text: &str, start: usize, budget: &Budget) -> Result<Vec<LinkifierMatch>, Exhausted> {
        let mut matches = Vec::new();
        budget.spend_steps(self.steps_to_search(text))?;
        let Some(regex) = self.compiled.regex_for(text) else { return Ok(matches) };
        let template = &self.compiled.template;
        let mut variable_count = None;
        let mut position = start;
        while position <= text.len() {
            let Some(captures) = regex.captures_at(text, position) else {
                break;
            };
            let Some(group) = captures.get(1) else { break };
            // Some searches read up to the end of the text for each match: `x.*y|x` searches for a `y` after each `x`.
            budget.spend_steps(self.compiled.steps_to_read(text.len() - position) / BYTES_PER_STEP)?;
            // The character after a match can be the boundary before the next one. Empty matches are not linked.
            position = if group.is_empty() { next_char_boundary(text, group.end()) } else { group.end() };
            if group.is_empty() {
                continue;
            }
            // The value of each variable is at most the whole match, and percent-encoding triples its length.
            let variable_count = *variable_count.get_or_insert_with(|| template.variables().count());
            let max_url_bytes = template.as_str().len().saturating_add(variable_count.saturating_mul(3 * group.len()));
            budget.spend_steps(max_url_bytes.saturating_mul(STEPS_PER_BYTE_OF_URL))?;
            if let Ok(url) = template.expand::<UriSpec, _>(&Groups(&captures)) {
                matches.push(LinkifierMatch { range: group.range(), url: url.to_string() });
            }
        }
        Ok(matches)
    }
}

/// Number of bytes per step in the search after a match.
const BYTES_PER_STEP: usize = 4;

/// Steps per byte of an expanded URL.
const STEPS_PER_BYTE_OF_URL: usize = 4;

/// Steps of a search in an empty text.
const STEPS_PER_SEARCH: usize = 16;

/// Examples whose search takes more steps count as not matching.
const MAX_EXAMPLE_STEPS: usize = 50_000_000;

fn next_char_boundary(text: &str, position: usize) -> usize {
    position + text[position..].chars().next().map_or(1, char::len_utf8)
}

/// The groups of a match, as values of the URL template's variables.
struct Groups<'c, 't>(&'c Captures<'t>);

impl Context for Groups<'_, '_> {
    fn visit<V: Visitor>(&self, visitor: V) -> V::Result {
        match self.0.name(visitor.var_name().as_str()) {
            Some(group) => visitor.visit_string(group.as_str()),
            None => visitor.visit_undefined(),
        }
    }
}

impl LinkifierSource {
    fn trimmed(self) -> Self {
        let strip = |text: String| text.trim().to_owned();
        let strip_optional = |text: Option<String>| text.map(strip).filter(|text| !text.is_empty());
        Self {
            pattern: strip(self.pattern),
            url_template: strip(self.url_template),
            example_input: strip_optional(self.example_input),
            reverse_template: strip_optional(self.reverse_template),
            alternative_url_templates: self.alternative_url_templates.into_iter().map(strip).collect(),
        }
    }

    fn field_errors(&self) -> Vec<(&'static str, String)> {
        let blank = || "This field cannot be blank.".to_owned();
        let invalid = || INVALID_TEMPLATE.to_owned();
        let is_template = |text: &str| template::parse(text).is_some();
        let mut errors = Vec::new();
        if self.pattern.is_empty() {
            errors.push(("pattern", blank()));
        }
        if self.url_template.is_empty() {
            errors.push(("url_template", blank()));
        } else if !is_template(&self.url_template) {
            errors.push(("url_template", invalid()));
        }
        if !self.alternative_url_templates.iter().all(|text| is_template(text)) {
            errors.push(("alternative_url_templates", invalid()));
        }
        errors
    }

    /// The checks that involve several fields.
    fn check_consistency(&self, template: Option<&UriTemplateString>) -> Result<(), String> {
        let regex = self.compile_pattern().map_err(|message| bad_pattern_message(&message))?;
        let groups: BTreeSet<&str> = regex.capture_names().flatten().collect();
        let example = self.example_input.as_deref();
        if self.reverse_template.is_some() && example.is_none() {
            return Err("Example text is required when an auto-conversion field is given.".to_owned());
        }
        if let Some(example) = example {
            let is_affordable = self.steps_to_read(example) <= MAX_EXAMPLE_STEPS;
            let Some(captures) = is_affordable.then(|| regex.captures(example)).flatten() else {
                return Err("Example input does not match the linkifier pattern.".to_owned());
            };
            if let Some(reverse) = &self.reverse_template {
                reverse_template::check_reverse_template(reverse, &groups, &captures, example)?;
            }
        }
        let Some(template) = template else {
            return Ok(());
        };
        let variables: BTreeSet<&str> = template.variables().map(|variable| variable.as_str()).collect();
        if let Some(name) = variables.difference(&groups).next() {
            return Err(format!("Group '{name}' in URL template is not present in linkifier pattern."));
        }
        if let Some(name) = groups.difference(&variables).next() {
            return Err(format!("Group '{name}' in linkifier pattern is not present in URL template."));
        }
        Ok(())
    }

    fn steps_to_read(&self, text: &str) -> usize {
        let translated = pattern::translate(&self.pattern).unwrap_or_default();
        text.len().saturating_mul(search_cost::steps_per_byte(&translated))
    }

    /// Compiles the pattern without boundaries. The versions with boundaries are compiled too, because they can be too
    /// large.
    fn compile_pattern(&self) -> Result<Regex, String> {
        let translated = pattern::translate(&self.pattern)?;
        let regex = compilation::compile(&translated).map_err(|error| error_message(&error))?;
        for after in [AFTER, AFTER_IN_ASCII] {
            compilation::compile(&with_boundaries(&translated, after)).map_err(|error| error_message(&error))?;
        }
        Ok(regex)
    }
}

fn with_boundaries(translated: &str, after: &str) -> String {
    format!("{BEFORE}({translated}){after}")
}

fn bad_pattern_message(message: &str) -> String {
    format!("Bad regular expression: {message}")
}

/// An error of the `regex` crate in one line, instead of its text with the pattern on several lines.
fn error_message(error: &regex::Error) -> String {
    match error {
        regex::Error::Syntax(text) => {
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
        _ => "pattern too large - compile failed".to_owned(),
    }
}

/// The variables of an RFC 6570 template, in alphabetical order. None: the template is invalid.
pub fn template_variables(text: &str) -> Option<Vec<String>> {
    let template = template::parse(text)?;
    let variables: BTreeSet<String> = template.variables().map(|variable| variable.as_str().to_owned()).collect();
    Some(variables.into_iter().collect())
}

#[cfg(test)]
mod tests;
