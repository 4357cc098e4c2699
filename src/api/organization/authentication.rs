//! Authentication methods: the parameter that enables and disables them, and their records.
//!
//! A choice where the API is silent: A-146 in docs/assumptions.md.

use crate::api::parameter::{FromJson, impl_json_parameter};
use crate::error::Error;
use crate::realm::organization::{AuthenticationMethod, Organization};
use indexmap::IndexMap;
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The methods in a request, and for each whether it is to be enabled. Other methods do not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticationMethodChanges(pub BTreeMap<String, bool>);

impl AuthenticationMethodChanges {
    /// The methods that are disabled after the change.
    ///
    /// # Errors
    ///
    /// `InvalidValue` for an unknown method; `AuthenticationMethodRequired` if the request has no method, or no method
    /// would remain enabled.
    pub fn disabled_after(&self, organization: &Organization) -> Result<BTreeSet<AuthenticationMethod>, Error> {
        let is_known = |name: &String| AuthenticationMethod::ALL.iter().any(|method| method.name() == name);
        if !self.0.keys().all(is_known) {
            return Err(Error::InvalidValue { parameter: "authentication_methods".into() });
        }
        let is_enabled = |method: AuthenticationMethod| {
            self.0.get(method.name()).copied().unwrap_or_else(|| organization.allows_login_by(method))
        };
        let (enabled, disabled): (BTreeSet<_>, BTreeSet<_>) =
            AuthenticationMethod::ALL.into_iter().partition(|method| is_enabled(*method));
        if enabled.is_empty() || self.0.is_empty() { Err(Error::AuthenticationMethodRequired) } else { Ok(disabled) }
    }
}

impl FromJson for AuthenticationMethodChanges {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let settings = BTreeMap::<String, MethodSetting>::from_json(value, path)?;
        Ok(Self(settings.into_iter().map(|(name, setting)| (name, setting.is_enabled)).collect()))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let setting = MethodSetting::json_schema(generator).to_value();
        let methods = AuthenticationMethod::ALL.map(|method| (method.name().to_owned(), setting.clone()));
        let properties: Map<String, Value> = methods.into_iter().collect();
        schemars::json_schema!({"type": "object", "properties": properties, "additionalProperties": false})
    }
}
impl_json_parameter!(AuthenticationMethodChanges);

/// Whether a method is enabled: a boolean, or an object as in the register reply, of which only `enabled` is used.
struct MethodSetting {
    is_enabled: bool,
}

impl FromJson for MethodSetting {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let Some(object) = value.as_object() else {
            return bool::from_json(value, path).map(|is_enabled| Self { is_enabled });
        };
        let path = format!("{path}[\"enabled\"]");
        let enabled =
            object.get("enabled").ok_or_else(|| Error::bad_value(&path, "field is missing: Field required"))?;
        bool::from_json(enabled, &path).map(|is_enabled| Self { is_enabled })
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let boolean = bool::json_schema(generator).to_value();
        let object = json!({"type": "object", "properties": {"enabled": boolean}, "required": ["enabled"]});
        schemars::json_schema!({"anyOf": [boolean, object]})
    }
}

/// An authentication method, as the register reply and events have it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MethodRecord {
    /// Whether users may log in by the method.
    enabled: bool,
    /// Whether the server supports the method; always true here.
    available: bool,
}

/// The records of all methods, by name.
pub fn authentication_method_records(organization: &Organization) -> IndexMap<&'static str, MethodRecord> {
    let record = |method: AuthenticationMethod| {
        (method.name(), MethodRecord { enabled: organization.allows_login_by(method), available: true })
    };
    AuthenticationMethod::ALL.map(record).into_iter().collect()
}

/// All methods in the form of the parameter: whether each is enabled, by name.
pub fn authentication_method_settings(organization: &Organization) -> Value {
    let setting =
        |method: AuthenticationMethod| (method.name().to_owned(), organization.allows_login_by(method).into());
    AuthenticationMethod::ALL.map(setting).into_iter().collect::<Map<String, Value>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::parameter::json_parameter;

    fn parse(text: &str) -> Result<AuthenticationMethodChanges, Error> {
        json_parameter(text, "authentication_methods")
    }

    #[test]
    fn a_method_is_a_boolean_or_an_object() {
        let text = r#"{"Dev": {"enabled": false, "available": true, "unavailable_reason": "x"}, "Email": true}"#;
        let expected = [("Email".to_owned(), true), ("Dev".to_owned(), false)];

        assert_eq!(parse(text), Ok(AuthenticationMethodChanges(BTreeMap::from(expected))));
    }

    #[test]
    fn errors_name_their_place() {
        for (text, message) in [
            ("[]", "authentication_methods is not a dict"),
            (r#"{"Email": 1}"#, r#"authentication_methods["Email"] is not a boolean"#),
            (
                r#"{"Email": {"available": true}}"#,
                r#"authentication_methods["Email"]["enabled"] field is missing: Field required"#,
            ),
            (r#"{"Email": {"enabled": 1}}"#, r#"authentication_methods["Email"]["enabled"] is not a boolean"#),
        ] {
            assert_eq!(parse(text).map_err(|error| error.message()), Err(message.to_owned()), "{text}");
        }
    }
}
