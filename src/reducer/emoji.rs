//! Events of custom emoji.

use super::State;
use super::json::merge_into_row;
use serde_json::Value;

impl State {
    /// Applies an event `realm_emoji`. Returns false for an unknown `op`.
    pub(super) fn apply_realm_emoji(&mut self, event: &Value, op: &str) -> bool {
        let emoji = self.value.get_mut("realm_emoji").and_then(Value::as_object_mut);
        match op {
            "update" => self.replace("realm_emoji", &event["realm_emoji"]),
            "add" => {
                if let (Some(all_emoji), Some(id)) = (emoji, event["emoji"]["id"].as_str()) {
                    all_emoji.insert(id.to_owned(), event["emoji"].clone());
                }
            }
            "update_one" => {
                let id = event["emoji_id"].as_str().unwrap_or_default();
                if let Some(row) = emoji.and_then(|all_emoji| all_emoji.get_mut(id)?.as_object_mut()) {
                    merge_into_row(row, &event["data"]);
                }
            }
            _ => return false,
        }
        true
    }
}
