//! Reading parameters: a struct's fields are its operation's parameter list, in the order in which they are checked.
//!
//! Texts are raw; everything else travels as JSON text (reference behaviour, section 3). Messages name the parameter
//! and the place inside its value: `subscriptions[0]["name"] is not a string`.

mod declaring;
pub mod types;
mod values;

use crate::error::Error;
pub(crate) use declaring::{
    default_text, has_no_default, is_path, json_object, key_default, listed, or_default, parameters, read_from,
    through_json, wire_name, words,
};
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
pub use values::{Expected, NonNegative, Nullable, RoleNumber, WholeNumber};

/// What a request brought, before anybody knows what it means.
#[derive(Clone, Debug)]
pub struct RawParameters {
    /// Parts of the path, by placeholder, percent-decoded.
    pub path: Vec<(String, String)>,
    /// Query and body; the body's value wins. The journal shares them.
    pub values: Arc<BTreeMap<String, String>>,
    /// Files of a multipart body.
    pub files: Vec<UploadedFile>,
    /// Headers that services which deliver use, by their names in small letters.
    pub headers: Vec<(&'static str, String)>,
    /// Parameters that the world's feature level knows and the newest does not.
    pub former: BTreeMap<&'static str, String>,
    /// Names that were sent and that the world's feature level does not know.
    pub set_aside: Vec<String>,
    /// Why the world's feature level refuses the request once its parameters are read.
    pub refusal: Option<Box<Error>>,
    /// Names of those that are `true` or `false`, where the world's feature level takes these for numbers too.
    pub switches: Vec<String>,
}

/// A file of a multipart body.
#[derive(Clone, Debug)]
pub struct UploadedFile {
    /// As the client named it.
    pub name: String,
    /// As the client said, if it did.
    pub content_type: Option<String>,
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
            headers: Vec::new(),
            former: BTreeMap::new(),
            set_aside: Vec::new(),
            refusal: None,
            switches: Vec::new(),
        }
    }
}

/// What the client calls itself, which every operation takes (A-186 in docs/assumptions.md).
const CLIENT: &str = "client";

impl RawParameters {
    /// What the client calls itself in a parameter.
    pub fn client(&self) -> Option<&str> {
        self.values.get(CLIENT).map(String::as_str)
    }

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
            name == CLIENT
                || list.iter().any(|info| !info.is_in_path && (info.name == name || info.aliases.contains(&name)))
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
    /// The value when it is absent, as a client would send it; "" where the description says it.
    pub default: Option<&'static str>,
    /// Lines of its description.
    pub doc: &'static [&'static str],
    /// Whether its value is JSON text rather than raw text.
    pub is_json: bool,
    /// The form of its value.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// How many parameters parts of a list have.
pub const fn length(parts: &[&[ParameterInfo]]) -> usize {
    let (mut index, mut count) = (0, 0);
    while index < parts.len() {
        count += parts[index].len();
        index += 1;
    }
    count
}

/// The list that parts make, whose length is [`length`].
pub const fn joined<const COUNT: usize>(parts: &[&[ParameterInfo]]) -> [ParameterInfo; COUNT] {
    const BLANK: ParameterInfo = ParameterInfo {
        name: "",
        aliases: &[],
        is_in_path: false,
        is_required: false,
        default: None,
        doc: &[],
        is_json: false,
        schema: <bool as Parameter>::schema,
    };
    let mut list = [BLANK; COUNT];
    let (mut part, mut end) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            list[end] = parts[part][index];
            end += 1;
            index += 1;
        }
        part += 1;
    }
    list
}

/// The description of a parameter that is a user's setting: what it means is in a table, under its name.
pub const MEANT_AS_USER_SETTING: &[&str] = &["A user's setting."];
/// The description of a parameter that is a setting or permission of the organization, likewise.
pub const MEANT_FOR_ORGANIZATION: &[&str] = &["A setting of the organization."];

/// An operation's parameters. Made by `parameters!`.
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
