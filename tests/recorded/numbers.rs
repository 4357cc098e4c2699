//! Numbers and other values that the two servers gave to the same things.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Which numbers of the double stand for a number of the real server. Numbers of all kinds share this.
#[derive(Debug, Default)]
pub struct Numbers {
    pairs: BTreeMap<i64, BTreeSet<i64>>,
    names: BTreeMap<String, String>,
    queues: BTreeMap<String, String>,
}

impl Numbers {
    /// Notes that both gave these IDs, which are by chance, to the same queue.
    pub fn pair_queues(&mut self, real: &Value, double: &Value) {
        if let (Some(real), Some(double)) = (real.as_str(), double.as_str()) {
            self.queues.insert(real.to_owned(), double.to_owned());
        }
    }

    /// Queues of the real server with those of the double, as IDs.
    pub fn queues(&self) -> impl Iterator<Item = (&str, &str)> {
        self.queues.iter().map(|(real, double)| (real.as_str(), double.as_str()))
    }

    /// Notes that both gave these to the same thing.
    pub fn pair(&mut self, real: &Value, double: &Value) {
        if let (Some(real), Some(double)) = (real.as_i64(), double.as_i64())
            && real != double
        {
            self.pairs.entry(real).or_default().insert(double);
        }
    }

    /// Whether they may be the same thing.
    pub fn are_same(&self, real: i64, double: i64) -> bool {
        real == double || self.pairs.get(&real).is_some_and(|known| known.contains(&double))
    }

    /// The numbers of the double that may stand for a number of the real server.
    pub fn of(&self, real: i64) -> impl Iterator<Item = i64> {
        std::iter::once(real).chain(self.pairs.get(&real).into_iter().flatten().copied())
    }

    /// Binds a name to the double's value; where it has none, to `None`.
    pub fn bind(&mut self, name: &str, double: &Value) {
        let text = match double {
            Value::String(text) => text.clone(),
            Value::Null => "None".to_owned(),
            other => other.to_string(),
        };
        self.names.insert(name.to_owned(), text);
    }

    /// A text with the bound values in the place of `{{name}}`.
    pub fn fill(&self, text: &str) -> String {
        let mut rest = text;
        let mut filled = String::new();
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, behind)) = after.split_once("}}") else { break };
            filled.push_str(before);
            match self.names.get(name) {
                Some(value) => filled.push_str(value),
                None => filled.push_str(&format!("{{{{{name}}}}}")),
            }
            rest = behind;
        }
        filled + rest
    }
}
