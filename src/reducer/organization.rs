//! Events that change the settings of the organization, or the defaults of new users.

use super::State;
use serde_json::{Value, json};

impl State {
    /// Applies a `realm` event. Returns false for an unknown `op`.
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
        self.refresh_rights_and_policies();
        self.refresh_deprecated_settings();
        true
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

    /// Updates deprecated booleans from newer settings.
    fn refresh_deprecated_settings(&mut self) {
        if let Some(policy) = self.value.get("realm_topics_policy").cloned() {
            self.replace("realm_mandatory_topics", &json!(policy == "disable_empty_topic"));
        }
        if let Some(policy) = self.value.get("realm_message_edit_history_visibility_policy").cloned() {
            self.replace("realm_allow_edit_history", &json!(policy != "none"));
        }
    }

    /// Updates older keys from the authentication method `Email`, which is a boolean below level 243.
    fn set_password_login(&mut self, method: &Value) {
        let enabled = method.get("enabled").unwrap_or(method);
        for key in ["realm_email_auth_enabled", "realm_password_auth_enabled"] {
            self.replace(key, enabled);
        }
    }

    pub(super) fn apply_user_settings_defaults(&mut self, event: &Value) {
        if let (Some(settings), Some(property)) =
            (self.value.get_mut("realm_user_settings_defaults"), event["property"].as_str())
        {
            settings[property] = event["value"].clone();
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
