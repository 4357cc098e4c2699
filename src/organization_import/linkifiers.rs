//! Converts linkifiers to those of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use crate::fixture::format::Linkifier;
use crate::realm::id::LinkifierId;
use crate::realm::linkifier::{self, LinkifierSource};
use serde_json::Value;

/// Converts a linkifier. If this double refuses it, its example and its reverse template are omitted, with a note. None
/// if the linkifier is refused even so, or lacks a pattern or a template.
pub fn convert_linkifier(record: &Value, directory: &Directory) -> Option<Linkifier> {
    let id = record.integer("id");
    let text = |key: &str| record[key].as_str().map(str::to_owned);
    // At older levels, variables are written `%(name)s`.
    let template =
        text("url_template").or_else(|| text("url_format_string").map(|format| convert_to_template(&format)))?;
    let mut linkifier = Linkifier {
        id,
        pattern: text("pattern")?,
        url_template: template,
        example_input: text("example_input"),
        reverse_template: text("reverse_template"),
        alternative_url_templates: record
            .list("alternative_url_templates")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    };
    if let Some(anonymizer) = &directory.anonymizer {
        let (pattern, names) = anonymizer.anonymize_pattern(&linkifier.pattern);
        let rename = |name: &str| names.get(name).cloned().unwrap_or_else(|| anonymizer.anonymize_text(name));
        let anonymize_url_template = |template: &str| {
            let (scheme, remaining) = template.split_once("://").unwrap_or(("https", template));
            let (host, path) = remaining.split_at(remaining.find(['/', '?', '#', '{']).unwrap_or(remaining.len()));
            format!("{scheme}://{}{}", anonymizer.anonymize_host(host), anonymizer.anonymize_template(path, &rename))
        };
        linkifier.pattern = pattern;
        linkifier.url_template = anonymize_url_template(&linkifier.url_template);
        linkifier.example_input = linkifier.example_input.map(|example| anonymizer.anonymize_text(&example));
        linkifier.reverse_template =
            linkifier.reverse_template.map(|template| anonymizer.anonymize_template(&template, &rename));
        let alternatives = linkifier.alternative_url_templates.iter().map(|template| anonymize_url_template(template));
        linkifier.alternative_url_templates = alternatives.collect();
    }
    if compiles(&linkifier) {
        return Some(linkifier);
    }
    // Both are optional, and the example may not match the anonymous pattern.
    linkifier.example_input = None;
    linkifier.reverse_template = None;
    let pattern = if directory.anonymizer.is_some() { String::new() } else { format!(" {}", linkifier.pattern) };
    directory.add_note(format!("The linkifier {}{pattern} is not in the file as it was", id.unwrap_or_default()));
    compiles(&linkifier).then_some(linkifier)
}

fn compiles(linkifier: &Linkifier) -> bool {
    let source = LinkifierSource {
        pattern: linkifier.pattern.clone(),
        url_template: linkifier.url_template.clone(),
        example_input: linkifier.example_input.clone(),
        reverse_template: linkifier.reverse_template.clone(),
        alternative_url_templates: linkifier.alternative_url_templates.clone(),
    };
    linkifier::Linkifier::compile(LinkifierId(1), source).is_ok()
}

/// Converts a URL with variables such as `%(name)s` to a URI template.
fn convert_to_template(format: &str) -> String {
    let mut result = String::new();
    let mut remaining = format;
    while let Some((literal, from_variable)) = remaining.split_once("%(") {
        let Some((name, suffix)) = from_variable.split_once(")s") else { break };
        result.push_str(&format!("{literal}{{{name}}}"));
        remaining = suffix;
    }
    result + remaining
}
