//! Linkifiers: patterns of an organization that turn text into links.
//!
//! The data is what the specification shows; the compiled form is kept with it, shared. Source: section 16.
//!
//! A choice where the API is silent: A-41 in docs/assumptions.md.

mod compilation;
mod pattern;
mod reverse;
mod template;
mod weight;

use crate::budget::{Budget, Exhausted};
use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateString;
use iri_string::template::context::{Context, Visitor};
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

const INVALID_TEMPLATE: &str = "Invalid URL template.";

/// What is in front of a match: nothing, white space or one of the listed characters.
const BEFORE: &str = r#"(?:^|[\s'"(,:<])"#;

/// What is behind a match: nothing, or anything but a letter or a digit.
const AFTER: &str = r"(?:$|[^\p{L}\p{N}])";

/// [`AFTER`] for texts whose letters and digits are ASCII. All letters of Unicode take a millisecond to compile, these
/// take none.
const AFTER_IN_ASCII: &str = "(?:$|[^A-Za-z0-9])";

/// A pattern and the address that its matches lead to.
///
/// Two linkifiers are equal if their data is; the compiled part follows from it.
#[derive(Clone, Debug)]
pub struct Linkifier {
    /// The pattern as given, with groups in the form `(?P<name>…)`.
    pub pattern: String,
    /// An RFC 6570 template over the groups' names.
    pub url_template: String,
    /// A text that the pattern matches.
    pub example_input: Option<String>,
    /// A template that leads from the groups back to the text.
    pub reverse_template: Option<String>,
    /// Further templates of URLs from which the text is made.
    pub alternative_url_templates: Vec<String>,
    compiled: Arc<Compiled>,
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
struct Compiled {
    /// The pattern in the syntax of the `regex` crate, without boundaries.
    translated: String,
    /// The pattern between its boundaries; group 1 is the match itself. Compiled by the first text that needs it.
    bounded: OnceLock<Option<Regex>>,
    /// The same for texts whose letters and digits are ASCII.
    bounded_in_ascii: OnceLock<Option<Regex>>,
    template: UriTemplateString,
    /// See [`weight::steps_per_byte`].
    steps_per_byte: OnceLock<usize>,
}

impl Compiled {
    fn steps_to_read(&self, bytes: usize) -> usize {
        bytes.saturating_mul(*self.steps_per_byte.get_or_init(|| weight::steps_per_byte(&self.translated)))
    }

    /// The pattern for a text. None only if it is too large to compile, which a check refuses.
    fn regex_for(&self, text: &str) -> Option<&Regex> {
        let is_plain = text.is_ascii() || text.chars().all(|char| char.is_ascii() || !char.is_alphanumeric());
        let (regex, after) = if is_plain { (&self.bounded_in_ascii, AFTER_IN_ASCII) } else { (&self.bounded, AFTER) };
        regex.get_or_init(|| compilation::compile(&bounded(&self.translated, after)).ok()).as_ref()
    }
}

/// The strings that make a linkifier, before any check.
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

/// Code points of each text of a linkifier, and of all alternative templates together. Real servers have no limit; this one
/// keeps nothing without one.
const TEXT_MAX: usize = 20_000;

impl LinkifierSource {
    /// The fields that are too long, with the web framework's words for it.
    fn too_long(&self) -> Vec<(&'static str, String)> {
        let length = |text: &String| text.chars().count();
        let lengths = [
            ("pattern", length(&self.pattern)),
            ("url_template", length(&self.url_template)),
            ("example_input", self.example_input.as_ref().map_or(0, length)),
            ("reverse_template", self.reverse_template.as_ref().map_or(0, length)),
            ("alternative_url_templates", self.alternative_url_templates.iter().map(|text| length(text) + 1).sum()),
        ];
        let too_long = lengths.into_iter().filter(|(_, length)| *length > TEXT_MAX);
        too_long
            .map(|(field, length)| {
                (field, format!("Ensure this value has at most {TEXT_MAX} characters (it has {length})."))
            })
            .collect()
    }
}

/// Why a linkifier was refused: pairs of a field's name (or [`LinkifierErrors::ALL`]) and a message, in the order in
/// which they are reported. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkifierErrors(pub Vec<(&'static str, String)>);

impl LinkifierErrors {
    /// Replaces a field's name for errors about the linkifier as a whole.
    pub const ALL: &'static str = "__all__";

    /// The first message, which is the `msg` of the reply.
    pub fn first_message(&self) -> &str {
        self.0.first().map_or("", |(_, message)| message)
    }
}

/// One place in a text where a linkifier applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkifierMatch {
    /// The bytes of the text that become the link's text.
    pub range: Range<usize>,
    /// The expanded address, not checked for its scheme.
    pub url: String,
}

impl Linkifier {
    /// Checks and compiles a linkifier. All strings are stripped first.
    ///
    /// # Errors
    ///
    /// Per field first: `This field cannot be blank.` (`pattern`, `url_template`), `Invalid URL template.`
    /// (`url_template`, `alternative_url_templates`). Then at most one error about the whole, the first of:
    /// `Bad regular expression: …`, the missing example, the example that does not match, the auto-conversion field
    /// (syntax, unknown group, other text), and, unless the template is invalid, groups that only one side has.
    /// Alone, `Ensure this value has at most 20000 characters (it has …).` per field that is too long.
    /// A pattern that another linkifier has too is not noticed here.
    pub fn compile(source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        let source = source.stripped();
        // Looked at before the work: compiling a pattern of megabytes takes seconds and hundreds of megabytes.
        let too_long = source.too_long();
        if !too_long.is_empty() {
            return Err(LinkifierErrors(too_long));
        }
        let mut errors = source.field_errors();
        let template = template::parse(&source.url_template);

        if let Err(message) = source.whole(template.as_ref()) {
            errors.push((LinkifierErrors::ALL, message));
        }
        if errors.is_empty() { Self::from_sound(source) } else { Err(LinkifierErrors(errors)) }
    }

    /// A linkifier from a source that [`Linkifier::compile`] took before: nothing is compiled until a text needs it.
    ///
    /// # Errors
    ///
    /// Those of a pattern or template that can't be read at all.
    pub fn from_sound(source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        let source = source.stripped();
        let template = template::parse(&source.url_template)
            .ok_or_else(|| LinkifierErrors(vec![("url_template", INVALID_TEMPLATE.to_owned())]))?;
        let translated = pattern::translate(&source.pattern)
            .map_err(|complaint| LinkifierErrors(vec![(LinkifierErrors::ALL, bad_pattern(&complaint))]))?;
        let compiled = Compiled {
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

    /// The steps in which it searches a text once.
    pub fn steps_to_search(&self, text: &str) -> usize {
        STEPS_TO_BEGIN + self.compiled.steps_to_read(text.len())
    }

    /// Whether it may match somewhere: false says that it does not, without looking for where.
    pub fn may_match(&self, text: &str) -> bool {
        self.compiled.regex_for(text).is_some_and(|regex| regex.is_match(text))
    }

    /// Where this linkifier applies in `text` from byte `start` on, from left to right, never overlapping.
    ///
    /// `start` must be a character boundary. What is in front of it is looked at by nobody: it does not count as a
    /// boundary unless it is 0.
    ///
    /// # Errors
    ///
    /// [`Exhausted`] if the budget does not suffice for the search.
    pub fn matches(&self, text: &str, start: usize, budget: &Budget) -> Result<Vec<LinkifierMatch>, Exhausted> {
        let mut found = Vec::new();
        budget.spend_steps(self.steps_to_search(text))?;
        let Some(regex) = self.compiled.regex_for(text) else { return Ok(found) };
        let template = &self.compiled.template;
        let mut variables = None;
        let mut at = start;
        while at <= text.len() {
            let Some(captures) = regex.captures_at(text, at) else {
                break;
            };
            let Some(whole) = captures.get(1) else { break };
            // A match may be known only at the end of the text: `x.*y|x` looks for a `y` behind each `x`.
            budget.spend_steps(self.compiled.steps_to_read(text.len() - at) / BYTES_PER_STEP)?;
            // The character behind one match may be the one in front of the next. A match without text links nothing.
            at = if whole.is_empty() { next_boundary(text, whole.end()) } else { whole.end() };
            if whole.is_empty() {
                continue;
            }
            // Each variable may be all of the match, in which each byte may be written as three.
            let variables = *variables.get_or_insert_with(|| template.variables().count());
            let longest = template.as_str().len().saturating_add(variables.saturating_mul(3 * whole.len()));
            budget.spend_steps(longest.saturating_mul(STEPS_PER_BYTE_OF_URL))?;
            if let Ok(url) = template.expand::<UriSpec, _>(&Groups(&captures)) {
                found.push(LinkifierMatch { range: whole.range(), url: url.to_string() });
            }
        }
        Ok(found)
    }
}

/// How many bytes are read in a step in search of the next match.
const BYTES_PER_STEP: usize = 4;

/// Steps that a byte of an address takes.
const STEPS_PER_BYTE_OF_URL: usize = 4;

/// Steps that a search takes in the shortest text.
const STEPS_TO_BEGIN: usize = 16;

/// An example that takes more steps to read counts as no match.
const EXAMPLE_STEPS_MAX: usize = 50_000_000;

fn next_boundary(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

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
    fn stripped(self) -> Self {
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

    /// The checks that need more than one field, in order.
    fn whole(&self, template: Option<&UriTemplateString>) -> Result<(), String> {
        let plain = self.regex().map_err(|complaint| bad_pattern(&complaint))?;
        let groups: BTreeSet<&str> = plain.capture_names().flatten().collect();
        let example = self.example_input.as_deref();
        if self.reverse_template.is_some() && example.is_none() {
            return Err("Example text is required when an auto-conversion field is given.".to_owned());
        }
        if let Some(example) = example {
            let is_short = self.steps_to_read(example) <= EXAMPLE_STEPS_MAX;
            let Some(captures) = is_short.then(|| plain.captures(example)).flatten() else {
                return Err("Example input does not match the linkifier pattern.".to_owned());
            };
            if let Some(reverse) = &self.reverse_template {
                reverse::check(reverse, &groups, &captures, example)?;
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
        text.len().saturating_mul(weight::steps_per_byte(&translated))
    }

    /// The pattern without boundaries. With them it compiles too.
    fn regex(&self) -> Result<Regex, String> {
        let translated = pattern::translate(&self.pattern)?;
        let plain = compilation::compile(&translated).map_err(|error| complaint(&error))?;
        for after in [AFTER, AFTER_IN_ASCII] {
            compilation::compile(&bounded(&translated, after)).map_err(|error| complaint(&error))?;
        }
        Ok(plain)
    }
}

fn bounded(translated: &str, after: &str) -> String {
    format!("{BEFORE}({translated}){after}")
}

fn bad_pattern(complaint: &str) -> String {
    format!("Bad regular expression: {complaint}")
}

/// One line about an error of the `regex` crate, whose own text draws the pattern over several lines.
fn complaint(error: &regex::Error) -> String {
    match error {
        regex::Error::Syntax(text) => {
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
        _ => "pattern too large - compile failed".to_owned(),
    }
}

/// The variables of an RFC 6570 template, in alphabetical order; None when it is none.
pub fn template_variables(text: &str) -> Option<Vec<String>> {
    let template = template::parse(text)?;
    let variables: BTreeSet<String> = template.variables().map(|variable| variable.as_str().to_owned()).collect();
    Some(variables.into_iter().collect())
}

#[cfg(test)]
mod tests;
