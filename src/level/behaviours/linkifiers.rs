//! Behaviours of linkifiers.

use crate::error::Error;
use crate::level::objects::{LINKIFIER, REALM_FILTERS_EVENT, REGISTER_REPLY};
use crate::level::{Behaviour, ChangedFields, Downgrade};
use crate::realm::linkifier::Linkifier;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 176,
        subject: "POST /realm/filters, PATCH /realm/filters/{filter_id}",
        description: "`url_template` (RFC 6570) replaces `url_format_string`, where `%(name)s` refers to a group.",
        test: "linkifiers_had_format_strings_before_176",
        downgrade: Downgrade::RequestChange(&["POST /realm/filters", "PATCH /realm/filters/{filter_id}"], |request| {
            let Some(format) = request.values.remove("url_format_string") else {
                return Err(Error::MissingParameter { var_name: "url_format_string".into() });
            };
            request.values.insert("url_template".into(), convert_to_template(&format));
            Ok(())
        }),
    },
    Behaviour {
        level: 176,
        subject: "linkifier",
        description: "`url_template` replaces `url_format_string`; the older form loses a template's operators.",
        test: "linkifiers_had_format_strings_before_176",
        downgrade: Downgrade::Objects(
            &LINKIFIER,
            ChangedFields::Fields(&["url_template", "url_format_string"]),
            |linkifier, _| {
                if let Some(Value::String(template)) = linkifier.shift_remove("url_template") {
                    linkifier.insert("url_format_string".into(), convert_to_format(&template).into());
                }
            },
        ),
    },
    Behaviour {
        level: 176,
        subject: "POST /register",
        description: "Linkifiers are sent to clients with `linkifier_url_template`; before, to all clients.",
        test: "linkifiers_were_for_all_clients_before_176",
        downgrade: Downgrade::RequestChange(&["POST /register"], |request| {
            request.add_capability("linkifier_url_template");
            Ok(())
        }),
    },
    Behaviour {
        level: 176,
        subject: "register reply",
        description: "`realm_filters` is always empty; before, it held the linkifiers as lists of pattern, format string and ID.",
        test: "realm_filters_held_linkifiers_before_176",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, context| {
            if let Some(filters) = reply.get_mut("realm_filters") {
                let to_list = |linkifier: &Arc<Linkifier>| {
                    json!([linkifier.pattern, convert_to_format(&linkifier.url_template), linkifier.id])
                };
                *filters = context.realm.linkifiers.iter().map(to_list).collect();
            }
        }),
    },
    Behaviour {
        level: 176,
        subject: "event realm_filters",
        description: "No longer sent; before, sent together with `realm_linkifiers`, with lists of pattern, format string and ID.",
        test: "realm_filters_held_linkifiers_before_176",
        // The delivery condition of the event, `DeliveryCondition::Before`, decides whether it is sent.
        downgrade: Downgrade::Objects(&REALM_FILTERS_EVENT, ChangedFields::Values, |event, _| {
            for filter in event.get_mut("realm_filters").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(template) = filter[1].as_str() {
                    filter[1] = convert_to_format(template).into();
                }
            }
        }),
    },
];

/// Converts `https://x.test/%(id)s` to `https://x.test/{id}`.
fn convert_to_template(format: &str) -> String {
    let mut template = String::new();
    let mut remaining = format;
    while let Some(character) = remaining.chars().next() {
        if let Some((name, after_name)) = remaining.strip_prefix("%(").and_then(|inner| inner.split_once(")s")) {
            template.push_str(&format!("{{{name}}}"));
            remaining = after_name;
        } else if let Some(after_percent) = remaining.strip_prefix("%%") {
            template.push('%');
            remaining = after_percent;
        } else {
            match character {
                // Braces have a meaning in templates and are escaped.
                '{' => template.push_str("%7B"),
                '}' => template.push_str("%7D"),
                other => template.push(other),
            }
            remaining = &remaining[character.len_utf8()..];
        }
    }
    template
}

/// Converts `https://x.test/{id}` to `https://x.test/%(id)s`.
fn convert_to_format(template: &str) -> String {
    let mut format = String::new();
    let mut remaining = template;
    while let Some(character) = remaining.chars().next() {
        if let Some((expression, after_expression)) =
            remaining.strip_prefix('{').and_then(|inner| inner.split_once('}'))
        {
            let names = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
            for name in names.split(',') {
                format.push_str(&format!("%({})s", name.trim_end_matches('*')));
            }
            remaining = after_expression;
        } else {
            format.push_str(if character == '%' { "%%" } else { &remaining[..character.len_utf8()] });
            remaining = &remaining[character.len_utf8()..];
        }
    }
    format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_templates_are_converted_to_each_other() {
        for (format, template) in [
            ("https://x.test/%(id)s", "https://x.test/{id}"),
            ("https://x.test/%%20/%(org)s/%(id)s?é", "https://x.test/%20/{org}/{id}?é"),
        ] {
            assert_eq!(
                (convert_to_template(format), convert_to_format(template)),
                (template.to_owned(), format.to_owned())
            );
        }
        assert_eq!(convert_to_template("a{b}%(c)d"), "a%7Bb%7D%(c)d");
        assert_eq!(convert_to_format("x{?q,page*}"), "x%(q)s%(page)s");
    }
}
