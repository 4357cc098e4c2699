//! The data of custom profile fields: the choices of a field, or the site of an external account.

use crate::api::parameter::{FromJson, impl_json_parameter};
use crate::error::Error;
use crate::realm::profile_field::ProfileField;
use crate::realm::url::is_url;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The `type` of fields whose values are choices.
pub const CHOICE_KIND: i64 = 3;
/// The `type` of fields whose values are user names on another site.
pub const EXTERNAL_ACCOUNT_KIND: i64 = 7;

/// The placeholder for the user name in a URL pattern.
const USER_NAME_PLACEHOLDER: &str = "%(username)s";

/// A site of external accounts that the server knows. It determines the label and the hint of fields for it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnownSite {
    /// The `subtype` in the data of fields for the site.
    #[serde(skip)]
    pub subtype: &'static str,
    /// The label of fields for the site.
    pub name: &'static str,
    /// The name that administrators see when they create a field.
    pub text: &'static str,
    /// The hint of fields for the site; may be empty.
    pub hint: &'static str,
    /// The URL of an account, with `%(username)s` for the user name.
    pub url_pattern: &'static str,
}

const KNOWN_SITES: &[KnownSite] = &[
    KnownSite {
        subtype: "microblog",
        text: "Microblog",
        name: "Microblog",
        hint: "",
        url_pattern: "https://microblog.example/%(username)s",
    },
    KnownSite {
        subtype: "code_host",
        text: "Code host",
        name: "Code host",
        hint: "Your user name there",
        url_pattern: "https://code-host.example/%(username)s",
    },
];

/// The known sites by subtype, in the form of the register reply.
pub fn known_sites() -> IndexMap<&'static str, &'static KnownSite> {
    KNOWN_SITES.iter().map(|site| (site.subtype, site)).collect()
}

/// The site of an external account field; None for other fields and for unknown sites.
pub fn find_known_site(kind: i64, data: &FieldData) -> Option<&'static KnownSite> {
    let subtype = data.0.get("subtype").filter(|_| kind == EXTERNAL_ACCOUNT_KIND)?;
    KNOWN_SITES.iter().find(|site| *subtype == site.subtype)
}

/// The stored data of a field; empty for types of fields without data.
pub fn parse_field_data(field: &ProfileField) -> FieldData {
    FieldData(serde_json::from_str(&field.data).unwrap_or_default())
}

/// Checks the data of a field and returns it as JSON text; "" for types of fields without data. Each choice has a text
/// and an order; an external account has a site.
///
/// # Errors
///
/// For choices `FieldWithoutChoices`, `BlankValue`, `BadValue`, `MissingKey`, `UnexpectedKeys`, `DuplicateChoices`. For
/// accounts `MissingKey`, `BadValue`, `BlankValue`, `UrlPatternWithoutName`, `UnexpectedKeys`, `UrlPatternMissing`,
/// `UnknownExternalAccount`.
pub fn checked_field_json(kind: i64, data: &FieldData) -> Result<String, Error> {
    let object = &data.0;
    match kind {
        CHOICE_KIND if object.is_empty() => return Err(Error::FieldWithoutChoices),
        CHOICE_KIND => check_choices(object)?,
        EXTERNAL_ACCOUNT_KIND => check_account(object)?,
        _ => return Ok(String::new()),
    }
    Ok(Value::Object(object.clone()).to_string())
}

/// Unchecked data of a field: a JSON object whose values are strings or objects of strings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldData(pub Map<String, Value>);

impl FromJson for FieldData {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let data = value.as_object().ok_or_else(|| Error::bad_value(path, "is not a dict"))?;
        for (key, member) in data.iter().filter(|(_, member)| !member.is_string()) {
            // Real servers name this member of the union of types.
            let member_path = format!("{path}[\"{key}\"][\"dict[str,str]\"]");
            let texts = member.as_object().ok_or_else(|| Error::bad_value(&member_path, "is not a dict"))?;
            if let Some((text_key, _)) = texts.iter().find(|(_, text)| !text.is_string()) {
                return Err(Error::bad_value(format!("{member_path}[\"{text_key}\"]"), "is not a string"));
            }
        }
        Ok(Self(data.clone()))
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<Map<String, Value>>()
    }
}
impl_json_parameter!(FieldData);

fn check_choices(choices: &Map<String, Value>) -> Result<(), Error> {
    let mut texts = BTreeSet::new();
    for (key, choice) in choices {
        if key.trim().is_empty() {
            // Real servers call the key of a choice its value.
            return Err(Error::BlankValue { item: "'value'".into() });
        }
        let choice = choice.as_object().ok_or_else(|| Error::bad_value("field_data", "is not a dict"))?;
        texts.insert(required_text(choice, "text")?);
        required_text(choice, "order")?;
        check_keys(choice, &["text", "order"])?;
    }
    if texts.len() == choices.len() { Ok(()) } else { Err(Error::DuplicateChoices) }
}

fn check_account(data: &Map<String, Value>) -> Result<(), Error> {
    let subtype = required_text(data, "subtype")?;
    let pattern = data.get("url_pattern");
    if let Some(pattern) = pattern {
        check_url_pattern(pattern)?;
    }
    check_keys(data, &["subtype", "url_pattern"])?;
    match subtype {
        "custom" if pattern.is_none() => Err(Error::UrlPatternMissing),
        "custom" => Ok(()),
        _ if KNOWN_SITES.iter().any(|site| site.subtype == subtype) => Ok(()),
        _ => Err(Error::UnknownExternalAccount),
    }
}

fn check_url_pattern(pattern: &Value) -> Result<(), Error> {
    let bad_value = |problem: &str| Error::bad_value("field_data[\"url_pattern\"]", problem);
    let pattern = pattern.as_str().ok_or_else(|| bad_value("is not a string"))?;
    if pattern.matches(USER_NAME_PLACEHOLDER).count() != 1 {
        return Err(Error::UrlPatternWithoutName);
    }
    if is_url(&pattern.replace(USER_NAME_PLACEHOLDER, "username")) { Ok(()) } else { Err(bad_value("is not a URL")) }
}

fn required_text<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a str, Error> {
    let path = format!("field_data[\"{key}\"]");
    let value =
        object.get(key).ok_or_else(|| Error::MissingKey { key_name: key.into(), var_name: "field_data".into() })?;
    let text = value.as_str().ok_or_else(|| Error::bad_value(&path, "is not a string"))?;
    if text.trim().is_empty() { Err(Error::BlankValue { item: path.into() }) } else { Ok(text) }
}

fn check_keys(object: &Map<String, Value>, allowed: &[&str]) -> Result<(), Error> {
    let unknown_keys: Vec<String> = object.keys().filter(|key| !allowed.contains(&key.as_str())).cloned().collect();
    if unknown_keys.is_empty() { Ok(()) } else { Err(Error::UnexpectedKeys { keys: unknown_keys.into() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn malformed_data_is_refused() {
        let choice = |text: &str| json!({"text": text, "order": "1"});
        for (kind, data, message) in [
            (CHOICE_KIND, json!([]), "field_data is not a dict"),
            (CHOICE_KIND, json!({"0": 1}), r#"field_data["0"]["dict[str,str]"] is not a dict"#),
            (CHOICE_KIND, json!({"0": {"text": 1}}), r#"field_data["0"]["dict[str,str]"]["text"] is not a string"#),
            (CHOICE_KIND, json!({}), "Field must have at least one choice."),
            (CHOICE_KIND, json!({" ": choice("Tea")}), "'value' cannot be blank."),
            (CHOICE_KIND, json!({"0": "Tea"}), "field_data is not a dict"),
            (CHOICE_KIND, json!({"0": {"text": "Tea"}}), "order key is missing from field_data"),
            (CHOICE_KIND, json!({"0": choice(" ")}), r#"field_data["text"] cannot be blank."#),
            (CHOICE_KIND, json!({"0": {"text": "T", "order": "1", "x": ""}}), "Unexpected arguments: x"),
            (CHOICE_KIND, json!({"0": choice("Tea"), "1": choice("Tea")}), "Field must not have duplicate choices."),
            (EXTERNAL_ACCOUNT_KIND, json!({}), "subtype key is missing from field_data"),
            (EXTERNAL_ACCOUNT_KIND, json!({"subtype": ""}), r#"field_data["subtype"] cannot be blank."#),
            (EXTERNAL_ACCOUNT_KIND, json!({"subtype": "elsewhere"}), "Invalid external account type"),
            (EXTERNAL_ACCOUNT_KIND, json!({"subtype": "custom"}), "Custom external account must define URL pattern"),
            (EXTERNAL_ACCOUNT_KIND, json!({"subtype": "code_host", "x": ""}), "Unexpected arguments: x"),
        ] {
            let result = FieldData::from_json(&data, "field_data").and_then(|data| checked_field_json(kind, &data));
            assert_eq!(result.map_err(|error| error.message()), Err(message.to_owned()), "{data}");
        }
        for (pattern, message) in [
            ("https://x.test/", Some("URL pattern must contain '%(username)s'.")),
            ("https://x.test/%(username)s/%(username)s", Some("URL pattern must contain '%(username)s'.")),
            ("x.test/%(username)s", Some(r#"field_data["url_pattern"] is not a URL"#)),
            ("https://x.test/%(username)s", None),
        ] {
            let data = FieldData::from_json(&json!({"subtype": "custom", "url_pattern": pattern}), "field_data");
            let problem = data
                .and_then(|data| checked_field_json(EXTERNAL_ACCOUNT_KIND, &data))
                .err()
                .map(|error| error.message());
            assert_eq!(problem.as_deref(), message, "{pattern}");
        }
    }
}
