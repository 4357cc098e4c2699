//! Dialects: the names that a vendor's API has on the wire for the neutral names of the specification.
//!
//! A dialect maps neutral names to vendor names, separately for keys of objects (and parameters), for values of certain
//! keys, and for paths. The code of the operations uses only the neutral names.

mod stock_clients;
mod translation;

use crate::json_diagnostic;
use aho_corasick::AhoCorasick;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use translation::field_data_with_site;

/// The vendor names that replace neutral names on the wire.
///
/// ```
/// use chatdouble::{Dialect, Options, Server};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// let options = Options { dialect: Dialect::zulip(), ..Options::default() };
/// assert!(!options.dialect.is_neutral());
/// assert!(Dialect::neutral().is_neutral());
///
/// let server = Server::start_with(options).await?;
/// println!("stock clients can connect to {}", server.url());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// The product's name: the scheme of links that its apps open, and the key of its part of an Apple push
    /// notification. `chat` when absent.
    product: Option<String>,
    /// The realm in the `WWW-Authenticate` header of a 401. `chatdouble` when absent.
    auth_realm: Option<String>,
    /// The product part of the `User-Agent` of outgoing webhooks, before a version. `chatdouble-webhook` when absent.
    webhook_agent: Option<String>,
    /// Neutral to vendor names of keys of objects and of parameters.
    #[serde(default)]
    keys: BTreeMap<String, String>,
    /// For each key, neutral to vendor values. The key is neutral and may name its parent: `choices.key`.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, String>>,
    /// Neutral to vendor paths of operations, without `/api/v1`.
    #[serde(default)]
    paths: BTreeMap<String, String>,
    #[serde(skip)]
    search: NameSearch,
}

/// Searches a reply for all neutral names at once. It is built from the dialect's names when the first reply is
/// searched, so equality ignores it. None if it can't be built; then every reply is translated.
#[derive(Clone, Debug, Default)]
struct NameSearch(OnceLock<Option<AhoCorasick>>);

impl PartialEq for NameSearch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for NameSearch {}

const DEFAULT_PRODUCT: &str = "chat";
/// The largest length of `product`, `auth_realm` and `webhook_agent`.
const MAX_WORD_BYTES: usize = 64;

/// Keys of objects whose keys and values users choose, so that no dialect renames them: the storage of bots, and the
/// configuration of embedded bots.
pub const USER_DATA_KEYS: [&str; 2] = ["storage", "config_data"];

/// The neutral names that the API has, which a dialect may rename.
#[derive(Clone, Debug, Default)]
pub struct RenamableNames {
    /// Keys of objects and names of parameters.
    pub keys: BTreeSet<String>,
    /// Paths of operations without `/api/v1`.
    pub paths: BTreeSet<String>,
}

/// Checks that no vendor name is empty and no two are equal.
fn check_vendor_names(path: &str, names: &BTreeMap<String, String>) -> Result<(), String> {
    let mut neutral_by_vendor = BTreeMap::new();
    for (neutral, vendor) in names {
        if vendor.is_empty() {
            return Err(format!("{path}.{neutral}: takes a name, which is not empty"));
        }
        if let Some(other) = neutral_by_vendor.insert(vendor, neutral) {
            return Err(format!("{path}.{neutral}: `{vendor}` is the name of `{other}` already"));
        }
    }
    Ok(())
}

/// Whether a name is a valid URI scheme (RFC 3986) in lower case, of at most [`MAX_WORD_BYTES`].
fn is_scheme(name: &str) -> bool {
    let is_scheme_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte);
    name.len() <= MAX_WORD_BYTES
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(is_scheme_byte)
}

/// Whether a word is not empty, has at most [`MAX_WORD_BYTES`], and needs no quoting in a header.
fn is_header_word(word: &str) -> bool {
    let is_word_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    (1..=MAX_WORD_BYTES).contains(&word.len()) && word.bytes().all(is_word_byte)
}

/// The part after the parent's name: `key` of `choices.key`; the whole key if it names no parent.
fn last_part(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, last)| last)
}

/// The text between the quotes of a JSON string; None for other text. Older levels take some parameters as JSON.
fn strip_quotes(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

/// The key of JSON text with the configuration of a profile field, such as the site of an external account.
const FIELD_DATA_KEY: &str = "field_data";
/// The key of the site in the data of a profile field.
const SITE_KEY: &str = "subtype";
/// Keys whose values users may choose, so that a value equal to a neutral name is not necessarily that name.
const USER_CHOSEN_KEYS: [&str; 2] = ["emoji_name", "emoji_code"];
/// The key of a list of the request's parameter names, as they were sent.
const IGNORED_PARAMETERS_KEY: &str = "ignored_parameters_unsupported";

impl Dialect {
    /// The dialect that renames nothing.
    pub fn neutral() -> Self {
        Self::default()
    }

    /// The names of the Zulip API, which stock clients of Zulip expect.
    pub fn zulip() -> Self {
        serde_json::from_str(include_str!("dialect/zulip.json"))
            .expect("the built-in dialect is well-formed, as a test checks")
    }

    /// Reads the JSON document of a dialect, and checks its names.
    ///
    /// # Errors
    ///
    /// The first problem, after the JSON path of its place.
    pub fn parse(text: &str, renamable: &RenamableNames) -> Result<Self, String> {
        let dialect: Self = json_diagnostic::read(text).map_err(|problem| problem.to_string())?;
        dialect.check(renamable)?;
        Ok(dialect)
    }

    fn check(&self, renamable: &RenamableNames) -> Result<(), String> {
        if self.product.as_deref().is_some_and(|product| !is_scheme(product)) {
            return Err("$.product: takes at most 64 of a-z, 0-9, '+', '-' and '.', beginning with a letter".to_owned());
        }
        for (key, word) in [("auth_realm", &self.auth_realm), ("webhook_agent", &self.webhook_agent)] {
            if word.as_deref().is_some_and(|word| !is_header_word(word)) {
                return Err(format!("$.{key}: takes at most 64 letters, digits, '-', '.' and '_'"));
            }
        }
        check_vendor_names("$.keys", &self.keys)?;
        check_vendor_names("$.paths", &self.paths)?;
        for (key, values) in &self.values {
            check_vendor_names(&format!("$.values.{key}"), values)?;
        }
        for (list, keys) in [("keys", self.keys.keys().collect::<Vec<_>>()), ("values", self.values.keys().collect())] {
            if let Some(key) = keys.into_iter().find(|key| !renamable.keys.contains(last_part(key))) {
                return Err(format!("$.{list}.{key}: no object of the API has this key, nor a request this parameter"));
            }
        }
        for (path, vendor) in &self.paths {
            let problem = if !renamable.paths.contains(path) {
                "no operation has this path"
            } else if path.contains('{') {
                "a path with placeholders keeps its name"
            } else if !vendor.starts_with('/') || vendor.contains('{') {
                "takes a path that begins with / and has no placeholders"
            } else {
                continue;
            };
            return Err(format!("$.paths[\"{path}\"]: {problem}"));
        }
        // A vendor name may be a neutral name only if that one is renamed too; otherwise the two would collide.
        for (list, names, existing) in [("keys", &self.keys, &renamable.keys), ("paths", &self.paths, &renamable.paths)]
        {
            let collides =
                |(_, vendor): &(&String, &String)| existing.contains(*vendor) && !names.contains_key(*vendor);
            if let Some((name, vendor)) = names.iter().find(collides) {
                return Err(format!("$.{list}[\"{name}\"]: `{vendor}` is another's name already"));
            }
        }
        Ok(())
    }

    /// The product's name, which is also the scheme of links that open its apps (`NAME://login`).
    pub(crate) fn product(&self) -> &str {
        self.product.as_deref().unwrap_or(DEFAULT_PRODUCT)
    }

    pub(crate) fn auth_realm(&self) -> &str {
        self.auth_realm.as_deref().unwrap_or("chatdouble")
    }

    /// The `User-Agent` of outgoing webhooks: the vendor's with `version`, which is that of the emulated server, or
    /// chatdouble's own with the program's version.
    pub(crate) fn webhook_agent(&self, version: &str) -> String {
        match &self.webhook_agent {
            Some(agent) => format!("{agent}/{version}"),
            None => concat!("chatdouble-webhook/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }

    /// Whether the dialect renames no key, value or path.
    pub fn is_neutral(&self) -> bool {
        self.keys.is_empty() && self.values.is_empty() && self.paths.is_empty()
    }

    /// The neutral path of a path on the wire. A neutral path that the dialect renames is not served under that name.
    pub(crate) fn neutral_path<'path>(&'path self, path: &'path str) -> &'path str {
        counterpart(&self.paths, path).unwrap_or(path)
    }

    /// The neutral name of a parameter on the wire. A neutral name that the dialect renames is unknown on the wire.
    pub(crate) fn neutral_key<'key>(&'key self, key: &'key str) -> &'key str {
        counterpart(&self.keys, key).unwrap_or(key)
    }

    /// The neutral value for a value on the wire. `key` is the parameter's neutral name.
    pub(crate) fn neutral_value<'value>(&'value self, key: &str, value: &'value str) -> Cow<'value, str> {
        if key == FIELD_DATA_KEY {
            let data = field_data_with_site(value, |site| self.find_neutral_value(SITE_KEY, site));
            return data.map_or(value.into(), Cow::Owned);
        }
        match (self.find_neutral_value(key, value), strip_quotes(value)) {
            (Some(neutral), _) => neutral.into(),
            (None, Some(unquoted_value)) => self
                .find_neutral_value(key, unquoted_value)
                .map_or(value.into(), |neutral| format!("\"{neutral}\"").into()),
            (None, None) => value.into(),
        }
    }

    /// The neutral value for a value on the wire; None if the dialect does not rename it.
    fn find_neutral_value(&self, key: &str, value: &str) -> Option<&str> {
        let names = self.values.get(key)?;
        if USER_CHOSEN_KEYS.contains(&key) && !names.values().any(|vendor| vendor == value) {
            return None;
        }
        counterpart(names, value)
    }

    /// The name on the wire for the neutral name of a key or parameter.
    pub(crate) fn vendor_key<'key>(&'key self, key: &'key str) -> &'key str {
        self.keys.get(key).map_or(key, String::as_str)
    }

    /// The path on the wire for a neutral path.
    pub(crate) fn vendor_path<'path>(&'path self, path: &'path str) -> &'path str {
        self.paths.get(path).map_or(path, String::as_str)
    }

    /// Replaces neutral keys, parameters and paths in a sentence with their names on the wire.
    pub(crate) fn translate_text(&self, text: &str) -> String {
        let is_word_char = |character: char| character.is_alphanumeric() || character == '_';
        let mut translated = String::with_capacity(text.len());
        let mut remaining = text;
        while let Some(start) = remaining.find(is_word_char) {
            let (separator, tail) = remaining.split_at(start);
            let (word, tail) = tail.split_at(tail.find(|next| !is_word_char(next)).unwrap_or(tail.len()));
            translated.push_str(separator);
            translated.push_str(self.vendor_key(word));
            remaining = tail;
        }
        translated.push_str(remaining);
        self.paths.iter().fold(translated, |text, (neutral, vendor)| text.replace(neutral, vendor))
    }

    /// Renames keys and values in the body of an error reply as [`Self::translate`] does; also the names in its message
    /// and in the fields that name parameters.
    pub(crate) fn translate_refusal(&self, refusal: &mut Value) {
        self.translate(refusal);
        for key in ["msg", "var_name", "var_name1", "var_name2"] {
            if let Some(Value::String(text)) = refusal.get_mut(key) {
                *text = self.translate_text(text);
            }
        }
    }

    /// The vendor value for a neutral value of a key; None if the dialect does not rename it.
    pub(crate) fn vendor_value(&self, key: &str, neutral: &str) -> Option<&str> {
        self.values.get(key)?.get(neutral).map(String::as_str)
    }

    /// The vendor value for a neutral value, from the first key whose values include it; None if none does.
    pub(crate) fn any_vendor_value(&self, neutral: &str) -> Option<&str> {
        self.values.values().find_map(|names| names.get(neutral)).map(String::as_str)
    }

    /// Whether the JSON text of a reply may contain a name that [`Dialect::translate`] renames.
    pub(crate) fn may_rename(&self, reply: &[u8]) -> bool {
        if self.is_neutral() {
            return false;
        }
        let search = self.search.0.get_or_init(|| {
            let names = self.keys.keys().chain(self.values.values().flat_map(BTreeMap::keys)).map(String::as_str);
            AhoCorasick::new(names.chain([IGNORED_PARAMETERS_KEY])).ok()
        });
        search.as_ref().is_none_or(|search| search.is_match(reply))
    }
}

/// The other name of a pair: the neutral name for a vendor name, and the vendor name for a neutral name. Names are
/// swapped in both directions because a vendor name may be the neutral name of something else.
fn counterpart<'names>(names: &'names BTreeMap<String, String>, name: &str) -> Option<&'names str> {
    let neutral = names.iter().find(|(_, vendor)| vendor.as_str() == name).map(|(neutral, _)| neutral);
    neutral.or_else(|| names.get(name)).map(String::as_str)
}

#[cfg(test)]
mod tests;
