//! The secrets of recordings and comparisons, which must not be written into a file: keys, passwords and tokens.

use super::exchange::{Exchange, RequestBody};
use regex::Regex;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The minimum length of a secret. Shorter texts, and texts of digits alone, can't be distinguished from other text.
const MIN_SECRET_BYTES: usize = 6;

/// The replacement of a secret.
const LEFT_OUT: &str = "left-out";

/// The URL of a file that is valid for a short time. Whoever has its token can read the file.
static TEMPORARY_URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(/user_uploads/temporary/)[^/\s"'?]+"#).expect("a well-formed pattern"));

/// The token in the email address of a channel. Whoever has it can post there.
static CHANNEL_ADDRESS_TOKEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(^|[.\s<:])([0-9a-f]{32})((?:\.[a-z-]+)*@)").expect("a well-formed pattern"));

/// The key of a bot's configuration, whose texts are credentials of other services as often as not.
const BOT_CONFIGURATION_KEY: &str = "config_data";

/// Whether a key or parameter with this name has a secret as its value.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name_parts =
        ["password", "api_key", "push_key", "private_key", "secret", "csrf", "otp_encrypted", "session_id"];
    name_parts.iter().any(|part| name.contains(part)) || name == "token" || name.ends_with("_token")
}

/// The name that decides whether a member of an object is a secret: its key, or in an event of a changed property the
/// property's name if that is the name of a secret.
pub fn name_for_redaction<'o>(name: &'o str, object: &'o Map<String, Value>) -> &'o str {
    let property = object.get("property").and_then(Value::as_str).filter(|_| name == "value");
    property.filter(|property| is_secret_name(property)).unwrap_or(name)
}

/// A value with its secrets replaced. `name` is its key or parameter; it may be empty.
pub fn redact_value(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if is_secret_name(name) && !text.is_empty() => LEFT_OUT.into(),
        Value::String(text) => redact_tokens(text).into_owned().into(),
        Value::Array(items) => items.iter().map(|item| redact_value(name, item)).collect::<Vec<_>>().into(),
        Value::Object(object) => object
            .iter()
            .map(|(key, member)| match member {
                Value::String(_) if name == BOT_CONFIGURATION_KEY => (key.clone(), LEFT_OUT.into()),
                member => (key.clone(), redact_value(name_for_redaction(key, object), member)),
            })
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// A text without the tokens in URLs of files and in email addresses of channels.
pub fn redact_tokens(text: &str) -> Cow<'_, str> {
    match TEMPORARY_URL.replace_all(text, format!("${{1}}{LEFT_OUT}")) {
        text if !text.contains('@') => text,
        text => CHANNEL_ADDRESS_TOKEN.replace_all(&text, format!("${{1}}{LEFT_OUT}${{3}}")).into_owned().into(),
    }
}

/// A form or query with its secrets replaced. All else stays as it is encoded.
pub fn redact_form(form: &str) -> String {
    let redact_pair = |pair: &str| {
        let Some((name, value)) = form_urlencoded::parse(pair.as_bytes()).next() else { return pair.to_owned() };
        let encoded_name = pair.split('=').next().unwrap_or_default();
        if is_secret_name(&name) && !value.is_empty() {
            return format!("{encoded_name}={LEFT_OUT}");
        }
        let Ok(json_value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&value) else {
            return pair.to_owned();
        };
        let redacted = redact_value(&name, &json_value);
        if redacted == json_value {
            return pair.to_owned();
        }
        let encoded: String = form_urlencoded::byte_serialize(redacted.to_string().as_bytes()).collect();
        format!("{encoded_name}={encoded}")
    };
    form.split('&').map(redact_pair).collect::<Vec<_>>().join("&")
}

/// A URL with the secrets in its path and query replaced.
pub fn redact_url(url: &str) -> String {
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    let query = query.map(|query| format!("?{}", redact_form(query))).unwrap_or_default();
    format!("{}{query}", redact_tokens(path))
}

/// The secrets of a recording or a comparison.
#[derive(Debug, Default)]
pub struct Secrets {
    texts: BTreeSet<String>,
}

impl Secrets {
    /// Collects the secrets of all exchanges.
    pub fn from_exchanges(exchanges: &[Exchange]) -> Self {
        let mut secrets = Self::default();
        for exchange in exchanges {
            if let Some((_, key)) = &exchange.account {
                secrets.add(key);
            }
            for (name, value) in exchange.parameters() {
                secrets.add_from_parameter(&name, &value);
            }
            if let RequestBody::Json(_, body) = &exchange.body {
                secrets.add_from_value(body);
            }
            secrets.add_from_value(&exchange.reply_body);
        }
        secrets
    }

    /// Adds a secret, unless it is so short that other texts may contain it.
    pub fn add(&mut self, secret: &str) {
        if secret.len() >= MIN_SECRET_BYTES && secret.chars().any(|character| !character.is_ascii_digit()) {
            self.texts.insert(secret.to_owned());
        }
    }

    /// Adds the secrets in the value of a parameter.
    pub fn add_from_parameter(&mut self, name: &str, value: &str) {
        if is_secret_name(name) {
            self.add(value.trim_matches('"'));
        }
        if let Ok(json_value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(value) {
            self.add_from_member(name, &json_value);
        }
    }

    /// Adds the secrets in a reply or another JSON value.
    pub fn add_from_value(&mut self, value: &Value) {
        self.add_from_member("", value);
    }

    /// Adds the secrets in the value of a key, which may be empty.
    fn add_from_member(&mut self, key: &str, value: &Value) {
        match value {
            Value::Object(object) => {
                for (name, member) in object {
                    match member {
                        Value::String(secret) if key == BOT_CONFIGURATION_KEY => self.add(secret),
                        member => self.add_from_member(name_for_redaction(name, object), member),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_from_member(key, item)),
            Value::String(secret) if is_secret_name(key) => self.add(secret),
            Value::String(text) if text.contains('@') => {
                CHANNEL_ADDRESS_TOKEN.captures_iter(text).for_each(|address| self.add(&address[2]));
            }
            _ => {}
        }
    }

    /// Whether a text contains a secret.
    pub fn are_in(&self, text: &str) -> bool {
        self.texts.iter().any(|secret| text.contains(secret))
    }

    /// A text with the secrets replaced.
    pub fn redact(&self, text: &str) -> String {
        // The longest comes first, because a shorter one may be a part of it.
        let mut secrets: Vec<&String> = self.texts.iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.into_iter().fold(text.to_owned(), |text, secret| text.replace(secret, LEFT_OUT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_contains_another_is_replaced_as_a_whole() {
        let mut secrets = Secrets::default();
        secrets.add("abcdef");
        secrets.add("abcdef-and-more");
        assert_eq!(secrets.redact("keys: abcdef-and-more, abcdef"), "keys: left-out, left-out");
    }

    #[test]
    fn secrets_in_urls_and_forms_are_replaced_and_all_else_stays() {
        let url = "http://chat.test/api/v1/x?api_key=abc&to=[%227%22]&service={%22token%22:%22abc%22}&password=";
        let service = "%7B%22token%22%3A%22left-out%22%7D";
        let expected = format!("http://chat.test/api/v1/x?api_key=left-out&to=[%227%22]&service={service}&password=");
        assert_eq!(redact_url(url), expected);
        let address = "http://chat.test/user_uploads/temporary/abcdef/file.txt";
        assert_eq!(redact_url(address), "http://chat.test/user_uploads/temporary/left-out/file.txt");
    }

    #[test]
    fn tokens_of_channels_and_configurations_of_bots_are_secrets() {
        let value = serde_json::json!({"email": "general.0123456789abcdef0123456789abcdef.show-sender@chat.test",
            "bots": [{"config_data": {"key": "value-of-a-key", "number": 7}}]});
        let expected = serde_json::json!({"email": "general.left-out.show-sender@chat.test",
            "bots": [{"config_data": {"key": "left-out", "number": 7}}]});
        assert_eq!(redact_value("", &value), expected);
        let mut secrets = Secrets::default();
        secrets.add_from_value(&value);
        assert_eq!(secrets.redact("0123456789abcdef0123456789abcdef, value-of-a-key"), "left-out, left-out");
        assert_eq!(redact_tokens("mel@chat.test"), "mel@chat.test");
        assert_eq!(redact_form("config_data=%7B%22a%22%3A%22b%22%7D"), "config_data=%7B%22a%22%3A%22left-out%22%7D");
    }

    #[test]
    fn texts_in_a_list_under_the_name_of_a_secret_are_secrets() {
        let value = serde_json::json!({"token": ["token-in-a-list"], "config_data": [{"key": "value-of-a-key"}]});
        let expected = serde_json::json!({"token": ["left-out"], "config_data": [{"key": "left-out"}]});
        assert_eq!(redact_value("", &value), expected);
        let mut secrets = Secrets::default();
        secrets.add_from_value(&value);
        assert_eq!(secrets.redact("token-in-a-list, value-of-a-key"), "left-out, left-out");
    }

    #[test]
    fn secrets_in_values_are_replaced_by_name() {
        let value = serde_json::json!({"api_key": "abc", "services": [{"token": "abc", "base_url": "http://a"}],
            "property": "api_key", "value": "abc", "otp_encrypted_api_key": null, "password": ""});
        let expected = serde_json::json!({"api_key": "left-out", "services": [{"token": "left-out",
            "base_url": "http://a"}], "property": "api_key", "value": "left-out", "otp_encrypted_api_key": null,
            "password": ""});
        assert_eq!(redact_value("", &value), expected);
    }
}
