//! Reading the parameters of requests into structs: each field is a parameter, in the order in which they are checked.
//!
//! Strings and words are sent as raw text, most other types as JSON text (reference behaviour, section 3). Error
//! messages name the parameter and the path inside its value: `subscriptions[0]["name"] is not a string`.

mod macros;
pub mod types;
mod values;

use crate::error::Error;
pub(crate) use macros::{
    default_or_missing, default_text, has_no_default, impl_json_parameter, is_path, json_object, key_default,
    list_part, parameters, read_from, string_enum, wire_name,
};
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
pub use values::{NonNegative, Nullable, RequiredParameter, RoleNumber, WholeNumber};

/// The parameters of a request as they were sent.
#[derive(Clone, Debug)]
pub struct RawParameters {
    /// Placeholders of the route and their values, percent-decoded.
    pub path_values: Vec<(String, String)>,
    /// Query and body; the body takes precedence. Shared with the journal.
    pub values: Arc<BTreeMap<String, String>>,
    /// Files of a multipart body; for resumable uploads, the body as a file without a name.
    pub files: Vec<UploadedFile>,
    /// Headers of the services that deliver incoming webhooks, with their names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// Parameters that the world's feature level has and the newest does not.
    pub legacy_values: BTreeMap<&'static str, String>,
    /// Names of parameters that were removed from `values` because the world's feature level does not have them.
    pub ignored_names: Vec<String>,
    /// An error of the world's feature level, returned after the parameters were read.
    pub refusal: Option<Box<Error>>,
    /// Names of parameters sent as `true` or `false`, where the world's feature level takes these for numbers too.
    pub boolean_names: Vec<String>,
}

/// A file of a multipart body, or the body of a resumable upload.
#[derive(Clone, Debug)]
pub struct UploadedFile {
    /// As the client sent it; "" for a resumable upload.
    pub name: String,
    /// As the client sent it; None if the part has no `Content-Type`.
    pub content_type: Option<String>,
    pub bytes: bytes::Bytes,
}

/// The shared empty map of requests without query and body.
static NO_VALUES: LazyLock<Arc<BTreeMap<String, String>>> = LazyLock::new(Arc::default);

impl Default for RawParameters {
    fn default() -> Self {
        Self {
            path_values: Vec::new(),
            values: Self::no_values(),
            files: Vec::new(),
            headers: Vec::new(),
            legacy_values: BTreeMap::new(),
            ignored_names: Vec::new(),
            refusal: None,
            boolean_names: Vec::new(),
        }
    }
}

/// The parameter with the name of the client, which every operation takes (A-186 in docs/assumptions.md).
const CLIENT: &str = "client";

impl RawParameters {
    /// The value of the parameter `client`.
    pub fn client(&self) -> Option<&str> {
        self.values.get(CLIENT).map(String::as_str)
    }

    /// The shared empty map for [`RawParameters::values`].
    pub fn no_values() -> Arc<BTreeMap<String, String>> {
        NO_VALUES.clone()
    }

    /// The text of a parameter, under its name or one of its aliases.
    ///
    /// # Errors
    ///
    /// `ConfusingParameter` if the request has two of these names.
    pub fn text(&self, info: &ParameterInfo) -> Result<Option<&str>, Error> {
        if info.is_in_path {
            return Ok(self.path_values.iter().find(|(name, _)| name == info.name).map(|(_, value)| value.as_str()));
        }
        let mut first_value: Option<(&str, &str)> = None;
        for name in std::iter::once(&info.name).chain(info.aliases) {
            if let Some(value) = self.values.get(*name) {
                if let Some((first_name, _)) = first_value {
                    return Err(Error::ConfusingParameter { var_name1: first_name.into(), var_name2: (*name).into() });
                }
                first_value = Some((name, value));
            }
        }
        Ok(first_value.map(|(_, value)| value))
    }

    /// The sent names that are not in a list of parameters or that the world's feature level does not have, sorted
    /// (`ignored_parameters_unsupported`).
    pub fn unsupported_names(&self, list: &[ParameterInfo]) -> Vec<String> {
        let is_known = |name: &str| {
            name == CLIENT
                || list.iter().any(|info| !info.is_in_path && (info.name == name || info.aliases.contains(&name)))
        };
        let unknown_names = self.values.keys().filter(|name| !is_known(name));
        let mut unsupported: Vec<String> = unknown_names.chain(&self.ignored_names).cloned().collect();
        unsupported.sort();
        unsupported
    }
}

/// The description of a parameter, for reading it and for the reference and the OpenAPI document.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// The neutral name.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// The first feature level with the parameter; 0 if the operation always had it, or a table in `level/` has the
    /// level.
    pub since: i64,
    pub former_names: &'static [FormerName],
    pub is_in_path: bool,
    /// Whether a request without the parameter is refused.
    pub is_required: bool,
    /// The default value as a client would send it; "" if `doc` describes it, None if there is none.
    pub default: Option<&'static str>,
    /// The lines of the doc comment.
    pub doc: &'static [&'static str],
    /// Whether the value is JSON text; otherwise it is raw text.
    pub is_json: bool,
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// A name that a parameter had at older feature levels.
#[derive(Clone, Debug)]
pub struct FormerName {
    pub name: &'static str,
    /// From the first level with the name to the level that renamed it.
    pub levels: Range<i64>,
}

/// Returns the number of parameters in all parts together.
pub const fn total_length(parts: &[&[ParameterInfo]]) -> usize {
    let (mut index, mut count) = (0, 0);
    while index < parts.len() {
        count += parts[index].len();
        index += 1;
    }
    count
}

/// Joins the parts of a list. `COUNT` is [`total_length`].
pub const fn join_parts<const COUNT: usize>(parts: &[&[ParameterInfo]]) -> [ParameterInfo; COUNT] {
    const BLANK: ParameterInfo = ParameterInfo {
        name: "",
        aliases: &[],
        since: 0,
        former_names: &[],
        is_in_path: false,
        is_required: false,
        default: None,
        doc: &[],
        is_json: false,
        schema: <bool as Parameter>::schema,
    };
    let mut list = [BLANK; COUNT];
    let (mut part_index, mut end) = (0, 0);
    while part_index < parts.len() {
        let mut parameter_index = 0;
        while parameter_index < parts[part_index].len() {
            list[end] = parts[part_index][parameter_index];
            end += 1;
            parameter_index += 1;
        }
        part_index += 1;
    }
    list
}

/// The description of parameters that are user settings. The reference replaces it with the setting's own description.
pub const USER_SETTING_DOC: &[&str] = &["A user's setting."];
/// The description of parameters that are settings or permissions of the organization, which the reference also
/// replaces.
pub const ORGANIZATION_SETTING_DOC: &[&str] = &["A setting of the organization."];

/// The parameters of an operation. `parameters!` implements it, except for long lists of settings.
pub trait Parameters: Sized {
    /// The parameters, for the reference. `parameters!` reads and checks them in this order.
    const LIST: &'static [ParameterInfo];

    /// # Errors
    ///
    /// That of the first parameter that is missing or malformed, or that the request has under two names.
    fn read(raw: &RawParameters) -> Result<Self, Error>;
}

/// The type of a parameter.
pub trait Parameter: Sized {
    /// Whether the parameter is sent as JSON text; otherwise it is raw text.
    const IS_JSON: bool = true;
    /// Whether a request without the parameter is refused.
    const IS_REQUIRED: bool = true;

    /// Parses the text of the parameter `name`.
    ///
    /// # Errors
    ///
    /// The API's error for an invalid value.
    fn from_text(text: &str, name: &str) -> Result<Self, Error>;

    /// The value of an absent parameter; None if a request without it is refused with `MissingParameter`.
    fn absent() -> Option<Self> {
        None
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

/// A type that can be read from a JSON value inside a parameter.
pub trait FromJson: Sized {
    /// Reads a value. `path` is for error messages: the parameter's name, then keys and indexes.
    ///
    /// # Errors
    ///
    /// The API's error for an invalid value.
    fn from_json(value: &Value, path: &str) -> Result<Self, Error>;

    fn json_schema(generator: &mut SchemaGenerator) -> Schema;
}

/// Parses the text of a parameter that is sent as JSON.
///
/// # Errors
///
/// `BadValue` if the text is not JSON, and those of [`FromJson::from_json`].
pub fn json_parameter<T: FromJson>(text: &str, name: &str) -> Result<T, Error> {
    let value: Value = serde_json::from_str(text).map_err(|_| Error::bad_value(name, "is not valid JSON"))?;
    T::from_json(&value, name)
}
