//! Linkifiers: patterns of an organization that turn text into links.
//!
//! The data is what the specification shows; the compiled form stands beside it, shared. Source: section 16.
//!
//! A choice where the API is silent: A-41 in docs/assumptions.md.

mod pattern;
mod reverse;

use crate::realm::id::LinkifierId;
use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateString;
use iri_string::template::context::{Context, Visitor};
use regex::{Captures, Regex, RegexBuilder};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The compiled program of one pattern may not take more memory than this.
const COMPILED_SIZE_MAX_BYTES: usize = 1 << 20;

/// The cache of the lazily built automaton of one pattern may not take more memory than this.
const CACHE_SIZE_MAX_BYTES: usize = 1 << 20;

/// How deep groups of a pattern may nest.
const GROUP_NESTING_MAX: u32 = 50;

/// What is in front of a match: nothing, white space or one of the listed characters.
const BEFORE: &str = r#"(?:^|[\s'"(,:<])"#;

/// What is behind a match: nothing, or anything but a letter or a digit.
const AFTER: &str = r"(?:$|[^\p{L}\p{N}])";

/// A pattern and the address that its matches lead to.
///
/// Two linkifiers are equal if their data is; the compiled part follows from it.
#[derive(Clone, Debug)]
pub struct Linkifier {
    /// Its identifier.
    pub id: LinkifierId,
    /// The pattern as given, with groups in the form `(?P<name>…)`.
    pub pattern: String,
    /// An RFC 6570 template over the groups' names.
    pub url_template: String,
    /// A text that the pattern matches.
    pub example_input: Option<String>,
    /// A template that leads from the groups back to the text.
    pub reverse_template: Option<String>,
    /// Further address templates that lead back to the same text.
    pub alternative_url_templates: Vec<String>,
    compiled: Arc<Compiled>,
}

impl PartialEq for Linkifier {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.pattern == other.pattern
            && self.url_template == other.url_template
            && self.example_input == other.example_input
            && self.reverse_template == other.reverse_template
            && self.alternative_url_templates == other.alternative_url_templates
    }
}

impl Eq for Linkifier {}

#[derive(Debug)]
struct Compiled {
    /// The pattern between its boundaries; group 1 is the match itself.
    bounded: Regex,
    template: UriTemplateString,
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

/// Why a linkifier was refused: pairs of a field's name (or [`LinkifierErrors::ALL`]) and a message, in the order in
/// which they are reported. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkifierErrors(pub Vec<(&'static str, String)>);

impl LinkifierErrors {
    /// Stands in the place of a field's name for errors about the linkifier as a whole.
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
    /// A pattern that another linkifier has too is not noticed here.
    pub fn compile(id: LinkifierId, source: LinkifierSource) -> Result<Self, LinkifierErrors> {
        let source = source.stripped();
        let mut errors = source.field_errors();
        let template = UriTemplateString::try_from(source.url_template.as_str()).ok();

        match source.whole(template.as_ref()) {
            Err(message) => errors.push((LinkifierErrors::ALL, message)),
            Ok(bounded) => {
                if let (Some(template), true) = (template, errors.is_empty()) {
                    return Ok(Self {
                        id,
                        pattern: source.pattern,
                        url_template: source.url_template,
                        example_input: source.example_input,
                        reverse_template: source.reverse_template,
                        alternative_url_templates: source.alternative_url_templates,
                        compiled: Arc::new(Compiled { bounded, template }),
                    });
                }
            }
        }
        Err(LinkifierErrors(errors))
    }

    /// Whether it may match somewhere: false says that it does not, without looking for where.
    pub fn may_match(&self, text: &str) -> bool {
        self.compiled.bounded.is_match(text)
    }

    /// Where this linkifier applies in `text` from byte `start` on, from left to right, never overlapping.
    ///
    /// `start` must be a character boundary. What is in front of it is looked at by nobody: it does not count as a
    /// boundary unless it is 0.
    pub fn matches(&self, text: &str, start: usize) -> Vec<LinkifierMatch> {
        let mut found = Vec::new();
        let mut at = start;
        while at <= text.len() {
            let Some(captures) = self.compiled.bounded.captures_at(text, at) else {
                break;
            };
            let Some(whole) = captures.get(1) else { break };
            // The character behind one match may be the one in front of the next. A match without text links nothing.
            at = if whole.is_empty() { next_boundary(text, whole.end()) } else { whole.end() };
            if !whole.is_empty()
                && let Ok(url) = self.compiled.template.expand::<UriSpec, _>(&Groups(&captures))
            {
                found.push(LinkifierMatch { range: whole.range(), url: url.to_string() });
            }
        }
        found
    }
}

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
        let invalid = || "Invalid URL template.".to_owned();
        let is_template = |text: &str| UriTemplateString::try_from(text).is_ok();
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

    /// The checks that need more than one field, in order; gives the bounded pattern.
    fn whole(&self, template: Option<&UriTemplateString>) -> Result<Regex, String> {
        let (plain, bounded) = self.regexes().map_err(|complaint| format!("Bad regular expression: {complaint}"))?;
        let groups: BTreeSet<&str> = plain.capture_names().flatten().collect();
        let example = self.example_input.as_deref();
        if self.reverse_template.is_some() && example.is_none() {
            return Err("Example text is required when an auto-conversion field is given.".to_owned());
        }
        if let Some(example) = example {
            let Some(captures) = plain.captures(example) else {
                return Err("Example input does not match the linkifier pattern.".to_owned());
            };
            if let Some(reverse) = &self.reverse_template {
                reverse::check(reverse, &groups, &captures, example)?;
            }
        }
        let Some(template) = template else {
            return Ok(bounded);
        };
        let variables: BTreeSet<&str> = template.variables().map(|variable| variable.as_str()).collect();
        if let Some(name) = variables.difference(&groups).next() {
            return Err(format!("Group '{name}' in URL template is not present in linkifier pattern."));
        }
        if let Some(name) = groups.difference(&variables).next() {
            return Err(format!("Group '{name}' in linkifier pattern is not present in URL template."));
        }
        Ok(bounded)
    }

    /// The pattern alone and between its boundaries.
    fn regexes(&self) -> Result<(Regex, Regex), String> {
        let translated = pattern::translate(&self.pattern)?;
        let build = |text: &str| {
            RegexBuilder::new(text)
                .size_limit(COMPILED_SIZE_MAX_BYTES)
                .dfa_size_limit(CACHE_SIZE_MAX_BYTES)
                .nest_limit(GROUP_NESTING_MAX)
                .build()
        };
        let plain = build(&translated).map_err(|error| complaint(&error))?;
        let bounded = build(&format!("{BEFORE}({translated}){AFTER}")).map_err(|error| complaint(&error))?;
        Ok((plain, bounded))
    }
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
    let template = UriTemplateString::try_from(text).ok()?;
    let variables: BTreeSet<String> = template.variables().map(|variable| variable.as_str().to_owned()).collect();
    Some(variables.into_iter().collect())
}

#[cfg(test)]
mod tests;
