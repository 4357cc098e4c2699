//! The ways in which people log in, which owners switch on and off.
//!
//! Choices where the API is silent: A-146 in docs/assumptions.md.

use crate::api::parameter::{FromJson, through_json};
use crate::error::Error;
use crate::realm::organization::{AuthenticationMethod, Organization};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Which methods are to be on and which off; those that are not named stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticationMethods(pub BTreeMap<String, bool>);

impl AuthenticationMethods {
    /// The methods that are off once the change is made.
    ///
    /// # Errors
    ///
    /// `InvalidValue` when one of them is unknown; `AuthenticationMethodRequired` when none is named, or all of them
    /// are off then: nobody could log in any more.
    pub fn applied_to(&self, organization: &Organization) -> Result<BTreeSet<AuthenticationMethod>, Error> {
        let is_known = |name: &String| AuthenticationMethod::ALL.iter().any(|method| method.name() == name);
        if !self.0.keys().all(is_known) {
            return Err(Error::InvalidValue { parameter: "authentication_methods".into() });
        }
        let is_on = |method: AuthenticationMethod| {
            self.0.get(method.name()).copied().unwrap_or_else(|| organization.takes_logins_by(method))
        };
        let (on, off): (BTreeSet<_>, BTreeSet<_>) =
            AuthenticationMethod::ALL.into_iter().partition(|method| is_on(*method));
        if on.is_empty() || self.0.is_empty() { Err(Error::AuthenticationMethodRequired) } else { Ok(off) }
    }
}

impl FromJson for AuthenticationMethods {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        let text = BTreeMap::<String, Switch>::from_json(value, at)?;
        Ok(Self(text.into_iter().map(|(name, switch)| (name, switch.is_on)).collect()))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let switch = Switch::json_schema(generator).to_value();
        let methods = AuthenticationMethod::ALL.map(|method| (method.name().to_owned(), switch.clone()));
        let properties: Map<String, Value> = methods.into_iter().collect();
        schemars::json_schema!({"type": "object", "properties": properties, "additionalProperties": false})
    }
}
through_json!(AuthenticationMethods);

/// Whether a method is on: by itself, or in an object as the register reply has it, whose other keys say nothing.
struct Switch {
    is_on: bool,
}

impl FromJson for Switch {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        let Some(object) = value.as_object() else {
            return bool::from_json(value, at).map(|is_on| Self { is_on });
        };
        let at = format!("{at}[\"enabled\"]");
        let enabled = object.get("enabled").ok_or_else(|| Error::bad_value(&at, "field is missing: Field required"))?;
        bool::from_json(enabled, &at).map(|is_on| Self { is_on })
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let switch = bool::json_schema(generator).to_value();
        let object = json!({"type": "object", "properties": {"enabled": switch}, "required": ["enabled"]});
        schemars::json_schema!({"anyOf": [switch, object]})
    }
}

/// The methods as the register reply and events show them.
pub fn records(organization: &Organization) -> Value {
    let record = |method: AuthenticationMethod| {
        let record = json!({"enabled": organization.takes_logins_by(method), "available": true});
        (method.name().to_owned(), record)
    };
    AuthenticationMethod::ALL.map(record).into_iter().collect()
}

/// The methods as the parameter names them.
pub fn switches(organization: &Organization) -> Value {
    let switch = |method: AuthenticationMethod| (method.name().to_owned(), organization.takes_logins_by(method).into());
    AuthenticationMethod::ALL.map(switch).into_iter().collect::<Map<String, Value>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::parameter::json_parameter;

    fn read(text: &str) -> Result<AuthenticationMethods, Error> {
        json_parameter(text, "authentication_methods")
    }

    #[test]
    fn a_method_is_switched_by_itself_or_in_an_object() {
        let text = r#"{"Dev": {"enabled": false, "available": true, "unavailable_reason": "x"}, "Email": true}"#;
        let expected = [("Email".to_owned(), true), ("Dev".to_owned(), false)];

        assert_eq!(read(text), Ok(AuthenticationMethods(BTreeMap::from(expected))));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, message) in [
            ("[]", "authentication_methods is not a dict"),
            (r#"{"Email": 1}"#, r#"authentication_methods["Email"] is not a boolean"#),
            (
                r#"{"Email": {"available": true}}"#,
                r#"authentication_methods["Email"]["enabled"] field is missing: Field required"#,
            ),
            (r#"{"Email": {"enabled": 1}}"#, r#"authentication_methods["Email"]["enabled"] is not a boolean"#),
        ] {
            assert_eq!(read(text).map_err(|error| error.message()), Err(message.to_owned()), "{text}");
        }
    }
}
