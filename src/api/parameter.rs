//! Reading parameters: a struct's fields are its operation's parameter list, in the order in which they are checked.
//!
//! Texts are raw; everything else travels as JSON text (reference behaviour, section 3). Messages name the parameter
//! and the place inside its value: `subscriptions[0]["name"] is not a string`.

use crate::error::Error;
use crate::realm::id::{
    AttachmentId, ChannelId, DeviceId, DraftId, EmojiId, ExportId, FolderId, GroupId, InviteId, InviteLinkId,
    LinkifierId, MessageId, ProfileFieldId, ReminderId, ScheduledMessageId, SnippetId, UserId,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// What a request brought, before anybody knows what it means.
#[derive(Clone, Debug)]
pub struct RawParameters {
    /// Parts of the path, by placeholder, percent-decoded.
    pub path: Vec<(String, String)>,
    /// Query and body; the body's value wins. The journal shares them.
    pub values: Arc<BTreeMap<String, String>>,
    /// Files of a multipart body.
    pub files: Vec<UploadedFile>,
    /// Parameters that the world's feature level knows and the newest does not.
    pub former: BTreeMap<&'static str, String>,
    /// Names that were sent and that the world's feature level does not know.
    pub set_aside: Vec<String>,
}

/// A file of a multipart body.
#[derive(Clone, Debug)]
pub struct UploadedFile {
    /// As the client named it.
    pub name: String,
    /// As the client said, if it did.
    pub content_type: Option<String>,
    /// Its bytes.
    pub bytes: bytes::Bytes,
}

/// What most requests that read were sent with.
static NO_VALUES: LazyLock<Arc<BTreeMap<String, String>>> = LazyLock::new(Arc::default);

impl Default for RawParameters {
    fn default() -> Self {
        Self {
            path: Vec::new(),
            values: Self::no_values(),
            files: Vec::new(),
            former: BTreeMap::new(),
            set_aside: Vec::new(),
        }
    }
}

impl RawParameters {
    /// An empty [`RawParameters::values`], which all share.
    pub fn no_values() -> Arc<BTreeMap<String, String>> {
        NO_VALUES.clone()
    }

    /// The text under a parameter's name or one of its aliases.
    ///
    /// # Errors
    ///
    /// `ConfusingParameter` when two of them are given.
    pub fn text(&self, info: &ParameterInfo) -> Result<Option<&str>, Error> {
        if info.is_in_path {
            return Ok(self.path.iter().find(|(name, _)| name == info.name).map(|(_, value)| value.as_str()));
        }
        let mut found: Option<(&str, &str)> = None;
        for name in std::iter::once(&info.name).chain(info.aliases) {
            if let Some(value) = self.values.get(*name) {
                if let Some((first, _)) = found {
                    return Err(Error::ConfusingParameter { var_name1: first.into(), var_name2: (*name).into() });
                }
                found = Some((name, value));
            }
        }
        Ok(found.map(|(_, value)| value))
    }

    /// The names that no parameter of the list has, sorted (`ignored_parameters_unsupported`).
    pub fn unsupported(&self, list: &[ParameterInfo]) -> Vec<String> {
        let is_known = |name: &str| {
            list.iter().any(|info| !info.is_in_path && (info.name == name || info.aliases.contains(&name)))
        };
        let unknown = self.values.keys().filter(|name| !is_known(name));
        let mut unsupported: Vec<String> = unknown.chain(&self.set_aside).cloned().collect();
        unsupported.sort();
        unsupported
    }
}

/// What is known of a parameter: for reading, the documents and the tests.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// Its name on the wire.
    pub name: &'static str,
    /// Further names that it goes by.
    pub aliases: &'static [&'static str],
    /// Whether it is a part of the path.
    pub is_in_path: bool,
    /// Whether a request without it is refused.
    pub is_required: bool,
    /// The value when it is absent, as written in the code.
    pub default: Option<&'static str>,
    /// Lines of its description.
    pub doc: &'static [&'static str],
    /// Whether its value is JSON text rather than raw text.
    pub is_json: bool,
    /// The form of its value.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// An operation's parameters. Made by [`parameters!`].
pub trait Parameters: Sized {
    /// The list, in the order in which it is checked.
    const LIST: &'static [ParameterInfo];

    /// Reads all of them.
    ///
    /// # Errors
    ///
    /// That of the first parameter that is missing or malformed.
    fn read(raw: &RawParameters) -> Result<Self, Error>;
}

/// A type that a parameter can have.
pub trait Parameter: Sized {
    /// Whether the text is JSON.
    const IS_JSON: bool = true;
    /// Whether a request without it is refused.
    const IS_REQUIRED: bool = true;

    /// Reads the text.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in the API's words.
    fn from_text(text: &str, name: &str) -> Result<Self, Error>;

    /// The value when it is absent, if it may be.
    fn absent() -> Option<Self> {
        None
    }

    /// The form of its value.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

/// A type that can be read from a JSON value inside a parameter.
pub trait FromJson: Sized {
    /// Reads the value; `at` names its place.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in the API's words.
    fn from_json(value: &Value, at: &str) -> Result<Self, Error>;

    /// The form of the value.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema;
}

/// Reads a parameter that is JSON text.
///
/// # Errors
///
/// `is not valid JSON`, or what is wrong with the value.
pub fn json_parameter<T: FromJson>(text: &str, name: &str) -> Result<T, Error> {
    let value: Value = serde_json::from_str(text).map_err(|_| Error::bad_value(name, "is not valid JSON"))?;
    T::from_json(&value, name)
}

macro_rules! through_json {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::api::parameter::Parameter for $type {
            fn from_text(text: &str, name: &str) -> Result<Self, $crate::error::Error> {
                $crate::api::parameter::json_parameter(text, name)
            }
            fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$type as $crate::api::parameter::FromJson>::json_schema(generator)
            }
        }
    )*};
}
pub(crate) use through_json;

impl FromJson for i64 {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        value.as_i64().ok_or_else(|| Error::bad_value(at, "is not an integer"))
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<i64>()
    }
}

impl FromJson for bool {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        value.as_bool().ok_or_else(|| Error::bad_value(at, "is not a boolean"))
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<bool>()
    }
}

impl FromJson for String {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        value.as_str().map(str::to_owned).ok_or_else(|| Error::bad_value(at, "is not a string"))
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<String>()
    }
}

impl FromJson for Value {
    fn from_json(value: &Value, _at: &str) -> Result<Self, Error> {
        Ok(value.clone())
    }
    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!(true)
    }
}

through_json!(i64, bool, Value);

macro_rules! ids_through_json {
    ($($type:ty),*) => {$(
        impl FromJson for $type {
            fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
                i64::from_json(value, at).map(Self)
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                generator.subschema_for::<i64>()
            }
        }
        through_json!($type);
    )*};
}
ids_through_json!(
    UserId,
    GroupId,
    ChannelId,
    ExportId,
    FolderId,
    EmojiId,
    LinkifierId,
    ProfileFieldId,
    ReminderId,
    ScheduledMessageId,
    SnippetId,
    DraftId,
    InviteLinkId,
    InviteId,
    AttachmentId,
    DeviceId
);

/// Messages' IDs are never negative: `is too small`, while other objects are just not there.
impl FromJson for MessageId {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        Count::from_json(value, at).map(|Count(number)| Self(number))
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <Count as FromJson>::json_schema(generator)
    }
}
through_json!(MessageId);

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

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        let items = value.as_array().ok_or_else(|| Error::bad_value(at, "is not a list"))?;
        items.iter().enumerate().map(|(index, item)| T::from_json(item, &format!("{at}[{index}]"))).collect()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = T::json_schema(generator);
        schemars::json_schema!({"type": "array", "items": items})
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        let object = value.as_object().ok_or_else(|| Error::bad_value(at, "is not a dict"))?;
        object.iter().map(|(key, item)| Ok((key.clone(), T::from_json(item, &format!("{at}[\"{key}\"]"))?))).collect()
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

/// A value or JSON's null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nullable<T>(pub Option<T>);

impl<T: FromJson> FromJson for Nullable<T> {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        if value.is_null() { Ok(Self(None)) } else { T::from_json(value, at).map(|value| Self(Some(value))) }
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let some = T::json_schema(generator);
        schemars::json_schema!({"anyOf": [some, {"type": "null"}]})
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

/// A whole number from 0 on: `is too small` below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
pub struct Count(pub i64);

impl FromJson for Count {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        match i64::from_json(value, at)? {
            number if number < 0 => Err(Error::bad_value(at, "is too small")),
            number => Ok(Self(number)),
        }
    }
    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0})
    }
}
through_json!(Count);

/// Reads a group-setting value: `is not an integer` for neither form, `does not have the expected format` for a broken object.
impl FromJson for crate::realm::permission::GroupSettingValue {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        if value.is_object() {
            return serde_json::from_value(value.clone())
                .map(Self::Anonymous)
                .map_err(|_| Error::bad_value(at, "does not have the expected format"));
        }
        GroupId::from_json(value, at).map(Self::Group)
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Self>()
    }
}
through_json!(crate::realm::permission::GroupSettingValue);

/// Makes a struct of parameters and its [`Parameters`].
///
/// `@path` marks a part of the path, `| "alias"` a further name, `= value` what stands for an absent one. The wire
/// name is the field's unless `as "name"` gives another.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:expr])*
                $(@$place:ident)? $field:ident $(as $wire:literal)? $(| $alias:literal)* : $type:ty $(= $default:expr)?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl $crate::api::parameter::Parameters for $name {
            const LIST: &'static [$crate::api::parameter::ParameterInfo] = &[$(
                $crate::api::parameter::ParameterInfo {
                    name: $crate::api::parameter::wire_name!($field $($wire)?),
                    aliases: &[$($alias),*],
                    is_in_path: $crate::api::parameter::is_path!($($place)?),
                    is_required: <$type as $crate::api::parameter::Parameter>::IS_REQUIRED
                        && $crate::api::parameter::has_no_default!($($default)?),
                    default: $crate::api::parameter::default_text!($($default)?),
                    doc: &[$($doc),*],
                    is_json: <$type as $crate::api::parameter::Parameter>::IS_JSON,
                    schema: <$type as $crate::api::parameter::Parameter>::schema,
                },
            )*];

            #[allow(unused_mut, unused_variables, unused_assignments, reason = "not every list has every kind of parameter")]
            fn read(raw: &$crate::api::parameter::RawParameters) -> Result<Self, $crate::error::Error> {
                let mut index = 0;
                $(
                    let info = &Self::LIST[index];
                    let $field: $type = match raw.text(info)? {
                        Some(text) => <$type as $crate::api::parameter::Parameter>::from_text(text, info.name)?,
                        None => $crate::api::parameter::or_default!($type, info, $($default)?),
                    };
                    index += 1;
                )*
                Ok(Self { $($field),* })
            }
        }
    };
}

macro_rules! wire_name {
    ($field:ident $wire:literal) => {
        $wire
    };
    ($field:ident) => {
        stringify!($field)
    };
}
macro_rules! is_path {
    (path) => {
        true
    };
    () => {
        false
    };
}
macro_rules! has_no_default {
    ($default:expr) => {
        false
    };
    () => {
        true
    };
}
macro_rules! default_text {
    ($default:expr) => {
        Some(stringify!($default))
    };
    () => {
        None
    };
}
macro_rules! or_default {
    ($type:ty, $info:ident, $default:expr) => {
        $default
    };
    ($type:ty, $info:ident,) => {
        <$type as $crate::api::parameter::Parameter>::absent()
            .ok_or_else(|| $crate::error::Error::MissingParameter { var_name: $info.name.into() })?
    };
}

/// Makes an enum of texts that a parameter takes; others are `Invalid {parameter}`.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal $(| $other:literal)*),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// The text on the wire.
            #[allow(dead_code, reason = "not every enum is written back")]
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }

        impl $crate::api::parameter::Parameter for $name {
            const IS_JSON: bool = false;

            fn from_text(text: &str, name: &str) -> Result<Self, $crate::error::Error> {
                match text {
                    $($text $(| $other)* => Ok(Self::$variant),)*
                    _ => Err($crate::error::Error::InvalidValue { parameter: name.into() }),
                }
            }
            fn schema(_generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "enum": [$($text, $($other,)*)*]})
            }
        }
    };
}

/// Makes a struct that is read from a JSON object; unknown keys are refused unless it is `open`.
macro_rules! json_object {
    (@refuse closed, $object:ident, $at:ident, [$($known:expr),*]) => {
        if let Some(key) = $object.keys().find(|key| ![$($known),*].contains(&key.as_str())) {
            return Err($crate::error::Error::UnexpectedKey { key: key.as_str().into(), parameter: $at.into() });
        }
    };
    (@refuse open, $object:ident, $at:ident, [$($known:expr),*]) => {};
    (
        $kind:ident
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$doc:meta])* $field:ident $(as $wire:literal)? : $type:ty $(= $default:expr)?),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name { $($(#[$doc])* pub $field: $type),* }

        impl $crate::api::parameter::FromJson for $name {
            fn from_json(value: &serde_json::Value, at: &str) -> Result<Self, $crate::error::Error> {
                let object = value.as_object().ok_or_else(|| $crate::error::Error::bad_value(at, "is not a dict"))?;
                json_object!(@refuse $kind, object, at, [$($crate::api::parameter::wire_name!($field $($wire)?)),*]);
                Ok(Self {$(
                    $field: {
                        let key = $crate::api::parameter::wire_name!($field $($wire)?);
                        let at = format!("{at}[\"{key}\"]");
                        match object.get(key) {
                            Some(value) => <$type as $crate::api::parameter::FromJson>::from_json(value, &at)?,
                            None => $crate::api::parameter::key_default!(at, $($default)?),
                        }
                    },
                )*})
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut properties = serde_json::Map::new();
                let mut required: Vec<&str> = Vec::new();
                $(
                    let key = $crate::api::parameter::wire_name!($field $($wire)?);
                    properties.insert(key.into(), <$type as $crate::api::parameter::FromJson>::json_schema(generator).to_value());
                    if $crate::api::parameter::has_no_default!($($default)?) {
                        required.push(key);
                    }
                )*
                schemars::json_schema!({"type": "object", "properties": properties, "required": required})
            }
        }
        $crate::api::parameter::through_json!($name);
    };
}

macro_rules! key_default {
    ($at:ident, $default:expr) => {
        $default
    };
    ($at:ident,) => {
        return Err($crate::error::Error::bad_value($at, "field is missing: Field required"))
    };
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: &Value, at: &str) -> Result<Self, Error> {
        if value.is_null() { Ok(None) } else { T::from_json(value, at).map(Some) }
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let some = T::json_schema(generator);
        schemars::json_schema!({"anyOf": [some, {"type": "null"}]})
    }
}

pub(crate) use {
    default_text, has_no_default, is_path, json_object, key_default, or_default, parameters, wire_name, words,
};
