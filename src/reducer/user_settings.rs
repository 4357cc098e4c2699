//! Events of the user's settings, and what else a change of a setting affects.

use super::{State, UnknownPart};
use serde_json::{Value, json};

impl State {
    pub(super) fn apply_user_settings(&mut self, event: &Value) {
        let property = event["property"].as_str().unwrap_or_default().to_owned();
        self.mark_inherited_settings_unknown(&property);
        self.remove_unsynchronized_drafts(&property, &event["value"]);
        if let Some(settings) = self.value.get_mut("user_settings") {
            settings[&property] = event["value"].clone();
        }
    }

    /// Removes the drafts if `property` and `value` disable their synchronization, because the server deletes them
    /// then.
    pub(super) fn remove_unsynchronized_drafts(&mut self, property: &str, value: &Value) {
        if property == "enable_drafts_synchronization" && *value == false {
            self.replace("drafts", &json!([]));
        }
    }

    /// Marks inherited notification settings as unknown after a change of the user's setting, because subscriptions do
    /// not tell clients that do not support null which settings are inherited.
    pub(super) fn mark_inherited_settings_unknown(&mut self, property: &str) {
        let kinds = ["desktop", "audible", "push", "email"];
        let is_inherited = kinds.iter().any(|kind| property == format!("enable_stream_{kind}_notifications"));
        if is_inherited {
            self.unknown_parts.insert(UnknownPart::InheritedSettings);
        }
    }
}
