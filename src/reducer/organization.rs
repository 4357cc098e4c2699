//! Events of the organization's settings, defaults of new users, custom emoji and order of channel folders, and of
//! restarts of the server, after which it may have another version.

use super::State;
use super::json::{merge_into_row, row};
use serde_json::Value;

impl State {
    /// Applies an event `realm`. Returns false for an unknown `op`.
    pub(super) fn apply_realm(&mut self, event: &Value, op: &str) -> bool {
        match op {
            "update" => {
                let property = event["property"].as_str().unwrap_or_default();
                self.set_organization_setting(property, &event["value"]);
            }
            // The keys of the data are complete names and do not depend on the event's `property`.
            "update_dict" => {
                for (property, value) in event["data"].as_object().into_iter().flatten() {
                    self.set_organization_setting(property, value);
                }
            }
            "deactivated" => {}
            _ => return false,
        }
        self.refresh_rights();
        self.refresh_legacy_settings();
        true
    }

    pub(super) fn reorder_folders(&mut self, event: &Value) {
        for (position, id) in event["order"].as_array().into_iter().flatten().enumerate() {
            if let Some(folder) = row(&mut self.value, "channel_folders", "id", id) {
                folder.insert("order".into(), position.into());
            }
        }
    }

    fn set_organization_setting(&mut self, property: &str, value: &Value) {
        if property == "authentication_methods" {
            self.set_password_login(&value["Email"]);
        }
        let key = format!("realm_{property}");
        if self.value.contains_key(&key) {
            self.replace(&key, value);
        } else {
            // Keys of limits do not have the prefix.
            self.replace(property, value);
        }
    }

    /// Updates older keys from the authentication method `Email`, which is a boolean below level 243.
    fn set_password_login(&mut self, method: &Value) {
        let is_enabled = method.get("enabled").unwrap_or(method);
        for key in ["realm_email_auth_enabled", "realm_password_auth_enabled"] {
            self.replace(key, is_enabled);
        }
    }

    pub(super) fn apply_user_settings_defaults(&mut self, event: &Value) {
        if let (Some(settings), Some(property)) =
            (self.value.get_mut("realm_user_settings_defaults"), event["property"].as_str())
        {
            settings[property] = event["value"].clone();
        }
    }

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

    pub(super) fn apply_restart(&mut self, event: &Value) {
        for key in ["service_version", "service_merge_base", "service_feature_level", "server_generation"] {
            self.replace(key, &event[key]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use serde_json::{Value, json};

    #[test]
    fn password_login_follows_from_authentication_methods() {
        let record = |is_on: bool| json!({"enabled": is_on, "available": true});
        let reply = |email: Value, is_on: bool| {
            let methods = json!({"Email": email, "Dev": true});
            json!({
                "realm_authentication_methods": methods,
                "realm_email_auth_enabled": is_on,
                "realm_password_auth_enabled": is_on,
            })
        };
        // Methods are booleans below level 243.
        for (enabled, disabled) in [(record(true), record(false)), (json!(true), json!(false))] {
            let mut state = State::from_register(reply(enabled, true));
            let data = json!({"authentication_methods": {"Email": disabled, "Dev": true}});
            let event = json!({"type": "realm", "op": "update_dict", "property": "default", "data": data});

            assert!(state.apply(&event));

            assert_eq!(Value::Object(state.value().clone()), reply(disabled, false));
        }
    }
}
