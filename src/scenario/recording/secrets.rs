//! The secrets in a recording, which must not be written into a file: keys, passwords and tokens.

use super::exchange::{Exchange, RequestBody};
use serde_json::Value;
use std::collections::BTreeSet;

/// The minimum length of a secret. Shorter texts, and texts of digits alone, can't be distinguished from other text.
const MIN_SECRET_BYTES: usize = 6;

/// Whether a key or parameter with this name has a secret as its value.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name_parts =
        ["password", "api_key", "push_key", "private_key", "secret", "csrf", "otp_encrypted", "session_id"];
    name_parts.iter().any(|part| name.contains(part)) || name == "token" || name.ends_with("_token")
}

/// The secrets of a recording.
#[derive(Debug, Default)]
pub struct Secrets {
    secrets: BTreeSet<String>,
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
                secrets.collect_parameter(&name, &value);
            }
            if let RequestBody::Json(_, body) = &exchange.body {
                secrets.collect(body);
            }
            secrets.collect(&exchange.reply);
        }
        secrets
    }

    fn add(&mut self, secret: &str) {
        if secret.len() >= MIN_SECRET_BYTES && secret.chars().any(|character| !character.is_ascii_digit()) {
            self.secrets.insert(secret.to_owned());
        }
    }

    fn collect_parameter(&mut self, name: &str, value: &str) {
        if is_secret_name(name) {
            self.add(value.trim_matches('"'));
        }
        if let Ok(json_value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(value) {
            self.collect(&json_value);
        }
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Object(object) => {
                for (name, member) in object {
                    match member {
                        Value::String(secret) if is_secret_name(name) => self.add(secret),
                        member => self.collect(member),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            _ => {}
        }
    }

    /// Whether a text contains a secret.
    pub fn occur_in(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| text.contains(secret))
    }

    /// Replaces the secrets in a text with `left-out`.
    pub fn redact(&self, text: &str) -> String {
        // The longest comes first, because a shorter one may be a part of it.
        let mut secrets: Vec<&String> = self.secrets.iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.into_iter().fold(text.to_owned(), |text, secret| text.replace(secret, "left-out"))
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
}
