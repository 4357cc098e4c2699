//! Basic parameter types: numbers, booleans, strings, JSON values, lists, maps, optional and nullable values, IDs,
//! roles, group-setting values.

use super::{FromJson, Parameter, impl_json_parameter, json_parameter};
use crate::error::Error;
use crate::realm::id::{GroupId, Id, MessageId};
use crate::realm::permission::GroupSettingValue;
use crate::realm::user::Role;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeMap;

/// 2⁶³, the smallest whole number above the range of `i64`. Whole numbers outside the range count as its nearest end.
const ABOVE_I64_MAX: f64 = 9_223_372_036_854_775_808.0;

impl FromJson for i64 {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        match value.as_i64() {
            Some(number) => Ok(number),
            None if value.as_f64().is_some_and(|number| number.abs() >= ABOVE_I64_MAX) => {
                Ok(if value.as_f64() < Some(0.0) { i64::MIN } else { i64::MAX })
            }
            None => Err(Error::bad_value(path, "is not an integer")),
        }
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<i64>()
    }
}

impl FromJson for bool {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        value.as_bool().ok_or_else(|| Error::bad_value(path, "is not a boolean"))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<bool>()
    }
}

impl FromJson for String {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        value.as_str().map(str::to_owned).ok_or_else(|| Error::bad_value(path, "is not a string"))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<String>()
    }
}

impl FromJson for Value {
    fn from_json(value: &Value, _path: &str) -> Result<Self, Error> {
        Ok(value.clone())
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!(true)
    }
}

impl_json_parameter!(i64, bool, Value);

impl<T: Id> FromJson for T {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        i64::from_json(value, path).map(T::from_number)
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<i64>()
    }
}

impl<T: Id> Parameter for T {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        json_parameter(text, name)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        <T as FromJson>::json_schema(generator)
    }
}

/// Negative message IDs are refused with `is too small`; negative IDs of other objects are merely unknown.
impl FromJson for MessageId {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        NonNegative::from_json(value, path).map(|NonNegative(number)| Self(number))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <NonNegative as FromJson>::json_schema(generator)
    }
}
impl_json_parameter!(MessageId);

impl Parameter for String {
    const IS_JSON: bool = false;

    fn from_text(text: &str, _name: &str) -> Result<Self, Error> {
        Ok(text.to_owned())
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<String>()
    }
}

impl<T: Parameter> Parameter for Option<T> {
    const IS_JSON: bool = T::IS_JSON;
    const IS_REQUIRED: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        T::from_text(text, name).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::schema(generator)
    }
}

/// A parameter that the operation itself refuses as missing, because something else may replace it, or another error
/// takes precedence.
#[derive(Clone, Debug)]
pub struct RequiredParameter<T>(pub Option<T>);

impl<T> RequiredParameter<T> {
    /// The value of the parameter.
    ///
    /// # Errors
    ///
    /// `MissingParameter` if the parameter is absent.
    pub fn require(self, name: &'static str) -> Result<T, Error> {
        self.0.ok_or_else(|| Error::MissingParameter { var_name: name.into() })
    }
}

impl<T: Parameter> Parameter for RequiredParameter<T> {
    const IS_JSON: bool = T::IS_JSON;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        T::from_text(text, name).map(|value| Self(Some(value)))
    }

    fn absent() -> Option<Self> {
        Some(Self(None))
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::schema(generator)
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        if value.is_null() { Ok(None) } else { T::from_json(value, path).map(Some) }
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value_schema = T::json_schema(generator);
        schemars::json_schema!({"anyOf": [value_schema, {"type": "null"}]})
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let items = value.as_array().ok_or_else(|| Error::bad_value(path, "is not a list"))?;
        items.iter().enumerate().map(|(index, item)| T::from_json(item, &format!("{path}[{index}]"))).collect()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = T::json_schema(generator);
        schemars::json_schema!({"type": "array", "items": items})
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let object = value.as_object().ok_or_else(|| Error::bad_value(path, "is not a dict"))?;
        object.iter().map(|(key, item)| Ok((key.clone(), T::from_json(item, &format!("{path}[\"{key}\"]"))?))).collect()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let values = T::json_schema(generator);
        schemars::json_schema!({"type": "object", "additionalProperties": values})
    }
}

impl<T: FromJson> Parameter for Vec<T> {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        json_parameter(text, name)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

impl<T: FromJson> Parameter for BTreeMap<String, T> {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        json_parameter(text, name)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

/// A JSON value that may be null. As a parameter, it is required unless it has a default, in contrast to an `Option`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nullable<T>(pub Option<T>);

impl<T: FromJson> FromJson for Nullable<T> {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        if value.is_null() { Ok(Self(None)) } else { T::from_json(value, path).map(|value| Self(Some(value))) }
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value_schema = T::json_schema(generator);
        schemars::json_schema!({"anyOf": [value_schema, {"type": "null"}]})
    }
}

impl<T: FromJson> Parameter for Nullable<T> {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        json_parameter(text, name)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

/// A whole number that is not negative; negative ones are refused with `is too small`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct NonNegative(pub i64);

impl FromJson for NonNegative {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        match i64::from_json(value, path)? {
            number if number < 0 => Err(Error::bad_value(path, "is too small")),
            number => Ok(Self(number)),
        }
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0})
    }
}
impl_json_parameter!(NonNegative);

/// A whole number of any size, read like `i64`. Only its schema differs: it has no `format`, which would limit the
/// range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct WholeNumber(pub i64);

impl FromJson for WholeNumber {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        i64::from_json(value, path).map(Self)
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "integer"})
    }
}
impl_json_parameter!(WholeNumber);

/// Removes equal elements from a list of IDs: requests may have them, but the type refuses them when it is read.
/// Values that are not lists are left to the type.
fn remove_duplicates(list: &Value) -> Value {
    let Some(elements) = list.as_array() else { return list.clone() };
    let mut texts = std::collections::HashSet::new();
    elements.iter().filter(|element| texts.insert(element.to_string())).cloned().collect()
}

/// A group-setting value is a group's ID or an object. Other values are refused as if an ID was expected.
impl FromJson for GroupSettingValue {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        // Real servers name this member of the union of types.
        let not_an_id_error = || Error::bad_value(format!("{path}[\"int\"]"), "is not an integer");
        if let Some(object) = value.as_object() {
            // Other keys are ignored.
            let lists = object.iter().filter(|(key, _)| ["direct_members", "direct_subgroups"].contains(&key.as_str()));
            let lists: Value =
                lists.map(|(key, ids)| (key.clone(), remove_duplicates(ids))).collect::<serde_json::Map<_, _>>().into();
            return serde_json::from_value(lists).map(Self::Anonymous).map_err(|_| not_an_id_error());
        }
        GroupId::from_json(value, path).map(Self::Group).map_err(|_| not_an_id_error())
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Self>()
    }
}
impl_json_parameter!(GroupSettingValue);

/// A role by its number in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoleNumber(pub Role);

impl RoleNumber {
    pub const MEMBER: Self = Self(Role::Member);
}

impl FromJson for RoleNumber {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        Role::from_number(i64::from_json(value, path)?).map(Self).ok_or_else(|| Error::disallowed_value(path))
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "integer", "enum": Role::ALL.map(Role::number)})
    }
}
impl_json_parameter!(RoleNumber);
