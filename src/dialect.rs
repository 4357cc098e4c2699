//! Names on the wire: the neutral ones of the specification, or a vendor's.
//!
//! A dialect is a list of pairs, neutral to vendor, for the keys of objects (and parameters), for the values under
//! certain keys, and for paths. The core knows the neutral names alone.

mod stock;

use crate::json_diagnostic;
use aho_corasick::AhoCorasick;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// How neutral names are called on the wire.
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
/// println!("stock clients find their names at {}", server.url());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// What the product is called where apps are addressed: the scheme of links that they open, and their part of a push
    /// notification of Apple's service. `chat` when left out.
    product: Option<String>,
    /// The realm that a 401 names. `chatdouble` when left out.
    auth_realm: Option<String>,
    /// The beginning of the `User-Agent` of outgoing webhooks, which the version follows.
    webhook_agent: Option<String>,
    /// Keys of objects and names of parameters.
    #[serde(default)]
    keys: BTreeMap<String, String>,
    /// Values under a key: key → neutral → vendor's.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, String>>,
    /// Paths of operations without `/api/v1`.
    #[serde(default)]
    paths: BTreeMap<String, String>,
    #[serde(skip)]
    search: Search,
}

/// Finds the neutral names in a reply, all at once; made for the first reply. It follows from the names, so that dialects
/// with the same names are equal.
#[derive(Clone, Debug, Default)]
struct Search(OnceLock<Option<AhoCorasick>>);

impl PartialEq for Search {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Search {}

/// The product's name where a dialect gives none.
const PRODUCT: &str = "chat";
/// Longest name of a product, or word of a header, in bytes.
const PRODUCT_MAX_BYTES: usize = 64;

/// Keys whose objects are users' own: what bots keep, and what embedded bots are set up with.
pub const USERS_OWN: [&str; 2] = ["storage", "config_data"];

/// What there is to be renamed.
#[derive(Clone, Debug, Default)]
pub struct Renamable {
    /// Keys of objects and names of parameters.
    pub keys: BTreeSet<String>,
    /// Paths of operations without `/api/v1`.
    pub paths: BTreeSet<String>,
}

/// Asserts that names stay apart on the wire, and that each is one.
fn apart(list: &str, names: &BTreeMap<String, String>) -> Result<(), String> {
    let mut seen = BTreeMap::new();
    for (neutral, vendor) in names {
        if vendor.is_empty() {
            return Err(format!("{list}.{neutral}: takes a name, which is not empty"));
        }
        if let Some(other) = seen.insert(vendor, neutral) {
            return Err(format!("{list}.{neutral}: `{vendor}` is the name of `{other}` already"));
        }
    }
    Ok(())
}

/// Whether a product's name can be the scheme of an address (RFC 3986).
fn is_product(name: &str) -> bool {
    let is_of_scheme = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte);
    name.len() <= PRODUCT_MAX_BYTES
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(is_of_scheme)
}

/// Whether a text can be a word of a header, in quotes or not.
fn is_word_of_header(word: &str) -> bool {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    (1..=PRODUCT_MAX_BYTES).contains(&word.len()) && word.bytes().all(is_of_word)
}

/// The key that values are under, of one that says under which other key that is meant: `key` of `choices.key`.
fn last_part(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, last)| last)
}

/// The value of a parameter that is a text in JSON, as older levels have some.
fn in_quotes(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

/// Keys of a change that say what changes, and those that say to what.
const CHANGED: [&str; 3] = ["property", "setting_name", "notification_name"];
const CHANGED_TO: [&str; 2] = ["value", "setting"];

/// A JSON text with the settings of a profile field, among them the site of an account.
const FIELD_DATA: &str = "field_data";
/// The object whose keys are those sites, and the key of the site in a field's data.
const SITES: &str = "realm_default_external_accounts";
const SITE: &str = "subtype";
/// Values that people choose too, so that a neutral one may be somebody's own.
const CHOSEN: [&str; 2] = ["emoji_name", "emoji_code"];
/// The list of names of parameters that were passed over.
const IGNORED: &str = "ignored_parameters_unsupported";

impl Dialect {
    /// The specification's own names.
    pub fn neutral() -> Self {
        Self::default()
    }

    /// The names that stock clients of the product called Zulip look for.
    pub fn zulip() -> Self {
        serde_json::from_str(include_str!("dialect/zulip.json"))
            .expect("the built-in dialect is well-formed, as a test checks")
    }

    /// Reads a dialect file.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with the JSON path.
    pub fn parse(text: &str, known: &Renamable) -> Result<Self, String> {
        let dialect: Self = json_diagnostic::read(text).map_err(|fault| fault.to_string())?;
        dialect.check(known)?;
        Ok(dialect)
    }

    fn check(&self, known: &Renamable) -> Result<(), String> {
        if self.product.as_deref().is_some_and(|product| !is_product(product)) {
            return Err("$.product: takes at most 64 of a-z, 0-9, '+', '-' and '.', beginning with a letter".to_owned());
        }
        for (key, word) in [("auth_realm", &self.auth_realm), ("webhook_agent", &self.webhook_agent)] {
            if word.as_deref().is_some_and(|word| !is_word_of_header(word)) {
                return Err(format!("$.{key}: takes at most 64 letters, digits, '-', '.' and '_'"));
            }
        }
        apart("$.keys", &self.keys)?;
        apart("$.paths", &self.paths)?;
        for (key, values) in &self.values {
            apart(&format!("$.values.{key}"), values)?;
        }
        for (list, keys) in [("keys", self.keys.keys().collect::<Vec<_>>()), ("values", self.values.keys().collect())] {
            if let Some(key) = keys.into_iter().find(|key| !known.keys.contains(last_part(key))) {
                return Err(format!("$.{list}.{key}: no object of the API has this key, nor a request this parameter"));
            }
        }
        for (path, vendor) in &self.paths {
            let fault = if !known.paths.contains(path) {
                "no operation has this path"
            } else if path.contains('{') {
                "a path with placeholders keeps its name"
            } else if !vendor.starts_with('/') || vendor.contains('{') {
                "takes a path that begins with / and has no placeholders"
            } else {
                continue;
            };
            return Err(format!("$.paths[\"{path}\"]: {fault}"));
        }
        // Two may change their names; a third's would be lost behind another's.
        for (list, names, taken) in [("keys", &self.keys, &known.keys), ("paths", &self.paths, &known.paths)] {
            let is_lost = |(_, vendor): &(&String, &String)| taken.contains(*vendor) && !names.contains_key(*vendor);
            if let Some((name, vendor)) = names.iter().find(is_lost) {
                return Err(format!("$.{list}[\"{name}\"]: `{vendor}` is another's name already"));
            }
        }
        Ok(())
    }

    /// The product's name, as it is in addresses that open its apps (`NAME://login`).
    pub(crate) fn product(&self) -> &str {
        self.product.as_deref().unwrap_or(PRODUCT)
    }

    /// The realm that credentials are asked for.
    pub(crate) fn auth_realm(&self) -> &str {
        self.auth_realm.as_deref().unwrap_or("chatdouble")
    }

    /// The `User-Agent` of outgoing webhooks of a server that calls itself by this version.
    pub(crate) fn webhook_agent(&self, version: &str) -> String {
        match &self.webhook_agent {
            Some(agent) => format!("{agent}/{version}"),
            None => concat!("chatdouble-webhook/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }

    /// Whether nothing is renamed.
    pub fn is_neutral(&self) -> bool {
        self.keys.is_empty() && self.values.is_empty() && self.paths.is_empty()
    }

    /// The neutral path of a path on the wire. A neutral path that is renamed is not served itself.
    pub(crate) fn neutral_path<'path>(&'path self, path: &'path str) -> &'path str {
        counterpart(&self.paths, path).unwrap_or(path)
    }

    /// The neutral name of a parameter on the wire. A neutral name that is renamed is unknown itself.
    pub(crate) fn neutral_key<'key>(&'key self, key: &'key str) -> &'key str {
        counterpart(&self.keys, key).unwrap_or(key)
    }

    /// The neutral value of a parameter (by its neutral name) on the wire.
    pub(crate) fn neutral_value<'value>(&'value self, key: &str, value: &'value str) -> Cow<'value, str> {
        if key == FIELD_DATA {
            return self.with_site(value, |site| self.neutral_name(SITE, site)).map_or(value.into(), Cow::Owned);
        }
        match (self.neutral_name(key, value), in_quotes(value)) {
            (Some(neutral), _) => neutral.into(),
            (None, Some(inner)) => {
                self.neutral_name(key, inner).map_or(value.into(), |neutral| format!("\"{neutral}\"").into())
            }
            (None, None) => value.into(),
        }
    }

    fn neutral_name(&self, key: &str, value: &str) -> Option<&str> {
        let names = self.values.get(key)?;
        if CHOSEN.contains(&key) && !names.values().any(|vendor| vendor == value) {
            return None;
        }
        counterpart(names, value)
    }

    /// A field's data with another name for their site; None where that has none.
    fn with_site<'name>(&self, data: &str, name: impl Fn(&str) -> Option<&'name str>) -> Option<String> {
        let mut data: Value = serde_json::from_str(data).ok()?;
        let site = data.get_mut(SITE)?;
        *site = name(site.as_str()?)?.into();
        Some(data.to_string())
    }

    /// What a key or parameter is called on the wire.
    pub(crate) fn vendor_key<'key>(&'key self, key: &'key str) -> &'key str {
        self.keys.get(key).map_or(key, String::as_str)
    }

    /// What a path is called on the wire.
    pub(crate) fn vendor_path<'path>(&'path self, path: &'path str) -> &'path str {
        self.paths.get(path).map_or(path, String::as_str)
    }

    /// A sentence with the keys, parameters and paths that it names as they are on the wire.
    pub(crate) fn with_vendor_names(&self, text: &str) -> String {
        let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_of_name) {
            let (between, behind) = rest.split_at(start);
            let (word, behind) = behind.split_at(behind.find(|next| !is_of_name(next)).unwrap_or(behind.len()));
            named.push_str(between);
            named.push_str(self.vendor_key(word));
            rest = behind;
        }
        named.push_str(rest);
        self.paths.iter().fold(named, |named, (neutral, vendor)| named.replace(neutral, vendor))
    }

    /// Renames everything in the body of a refusal, also in its sentence.
    pub(crate) fn translate_refusal(&self, refusal: &mut Value) {
        self.translate(refusal);
        for key in ["msg", "var_name", "var_name1", "var_name2"] {
            if let Some(Value::String(text)) = refusal.get_mut(key) {
                *text = self.with_vendor_names(text);
            }
        }
    }

    /// What a value under a key is called on the wire, if it is renamed.
    pub(crate) fn vendor_value(&self, key: &str, neutral: &str) -> Option<&str> {
        self.values.get(key)?.get(neutral).map(String::as_str)
    }

    /// What a value is called on the wire under whichever key it is renamed.
    pub(crate) fn any_vendor_value(&self, neutral: &str) -> Option<&str> {
        self.values.values().find_map(|names| names.get(neutral)).map(String::as_str)
    }

    /// Whether a reply as bytes of JSON may have something that [`Dialect::translate`] would rename.
    pub(crate) fn may_rename(&self, reply: &[u8]) -> bool {
        if self.is_neutral() {
            return false;
        }
        let search = self.search.0.get_or_init(|| {
            let names = self.keys.keys().chain(self.values.values().flat_map(BTreeMap::keys)).map(String::as_str);
            AhoCorasick::new(names.chain([IGNORED])).ok()
        });
        search.as_ref().is_none_or(|search| search.is_match(reply))
    }

    /// Renames everything in a reply or event.
    pub(crate) fn translate(&self, value: &mut Value) {
        self.translate_within(value, "");
    }

    /// Renames parameters back to how they were sent.
    fn rename_as_sent(&self, items: &mut [Value]) {
        for item in items {
            if let Some(name) = item.as_str() {
                let sent = self.keys.get(name).map_or_else(|| self.neutral_key(name), String::as_str);
                *item = sent.into();
            }
        }
    }

    /// Renames everything in what is under a key.
    fn translate_within(&self, value: &mut Value, parent: &str) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.translate_within(item, parent)),
            Value::Object(object) => self.translate_object(object, parent),
            _ => {}
        }
    }

    fn translate_object(&self, object: &mut Map<String, Value>, parent: &str) {
        let changed = CHANGED.iter().find_map(|key| object.get(*key)?.as_str()).and_then(|name| self.values.get(name));
        for (key, value) in object.iter_mut().filter(|(key, _)| !USERS_OWN.contains(&key.as_str())) {
            let within = || self.values.get(&format!("{parent}.{key}"));
            let of_change = changed.filter(|_| CHANGED_TO.contains(&key.as_str()));
            let names = self.values.get(key).or_else(within).or(of_change);
            match value {
                Value::String(text) if key == FIELD_DATA => {
                    if let Some(data) = self.with_site(text, |site| self.vendor_value(SITE, site)) {
                        *text = data;
                    }
                }
                Value::String(text) => {
                    if let Some(vendor) = names.and_then(|names| names.get(text)) {
                        vendor.clone_into(text);
                    }
                }
                Value::Array(items) if key == IGNORED => self.rename_as_sent(items),
                Value::Array(items) if names.is_some() && items.iter().all(Value::is_string) => {
                    names.into_iter().for_each(|names| rename_texts(items, names));
                }
                other => self.translate_within(other, key),
            }
        }
        let names = if parent == SITES { self.values.get(SITE) } else { Some(&self.keys) };
        if let Some(names) = names.filter(|names| object.keys().any(|key| names.contains_key(key))) {
            let renamed =
                std::mem::take(object).into_iter().map(|(key, value)| (names.get(&key).cloned().unwrap_or(key), value));
            *object = renamed.collect();
        }
    }
}

/// The other name of a pair: neutral for vendor's, and vendor's for neutral, so that each name on the wire has one
/// meaning.
fn counterpart<'names>(names: &'names BTreeMap<String, String>, name: &str) -> Option<&'names str> {
    let neutral = names.iter().find(|(_, vendor)| vendor.as_str() == name).map(|(neutral, _)| neutral);
    neutral.or_else(|| names.get(name)).map(String::as_str)
}

fn rename_texts(items: &mut [Value], names: &BTreeMap<String, String>) {
    for item in items {
        if let Some(vendor) = item.as_str().and_then(|text| names.get(text)) {
            *item = vendor.as_str().into();
        }
    }
}

#[cfg(test)]
mod tests;
