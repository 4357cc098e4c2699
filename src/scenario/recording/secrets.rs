//! What must not get into a file: keys, passwords, tokens.

use super::exchange::{Exchange, Sent};
use serde_json::Value;
use std::collections::BTreeSet;

/// A shorter secret can't be distinguished from other text.
const SHORTEST: usize = 6;

/// Whether the value of a key or parameter is a secret.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = ["password", "api_key", "push_key", "private_key", "secret", "csrf", "otp_encrypted", "session_id"];
    words.iter().any(|word| name.contains(word)) || name == "token" || name.ends_with("_token")
}

/// The secrets that passed.
#[derive(Debug, Default)]
pub struct Secrets {
    all: BTreeSet<String>,
}

impl Secrets {
    /// Those of all exchanges.
    pub fn of(exchanges: &[Exchange]) -> Self {
        let mut found = Self::default();
        for exchange in exchanges {
            if let Some((_, key)) = &exchange.account {
                found.add(key);
            }
            for (name, value) in exchange.parameters() {
                found.parameter(&name, &value);
            }
            if let Sent::Json(_, body) = &exchange.sent {
                found.collect(body);
            }
            found.collect(&exchange.reply);
        }
        found
    }

    fn add(&mut self, secret: &str) {
        if secret.len() >= SHORTEST && secret.chars().any(|one| !one.is_ascii_digit()) {
            self.all.insert(secret.to_owned());
        }
    }

    fn parameter(&mut self, name: &str, value: &str) {
        if is_secret(name) {
            self.add(value.trim_matches('"'));
        }
        if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(value) {
            self.collect(&inner);
        }
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Object(object) => {
                for (name, inner) in object {
                    match inner {
                        Value::String(secret) if is_secret(name) => self.add(secret),
                        other => self.collect(other),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            _ => {}
        }
    }

    /// Whether a text holds one.
    pub fn are_in(&self, text: &str) -> bool {
        self.all.iter().any(|secret| text.contains(secret))
    }

    /// A text with a word in place of each.
    pub fn without(&self, text: &str) -> String {
        self.all.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "left-out"))
    }
}
