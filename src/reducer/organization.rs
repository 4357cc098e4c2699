//! Settings: the organization's, and the user's own.

use super::State;
use super::rows::{merge, object, put, row, take};
use serde_json::{Value, json};

impl State {
    pub(super) fn realm(&mut self, event: &Value, op: &str) -> bool {
        match op {
            "update" => {
                let property = event["property"].as_str().unwrap_or_default();
                self.set_realm(property, &event["value"]);
            }
            // The data's keys are whole names, whatever property the event is said to be about.
            "update_dict" => {
                for (property, value) in event["data"].as_object().into_iter().flatten() {
                    self.set_realm(property, value);
                }
            }
            "deactivated" => {}
            _ => return false,
        }
        self.refresh_rights();
        self.refresh_legacy_settings();
        true
    }

    fn set_realm(&mut self, property: &str, value: &Value) {
        let key = format!("realm_{property}");
        if self.value.contains_key(&key) {
            self.replace(&key, value);
        } else {
            // Limits stand without the prefix.
            self.replace(property, value);
        }
    }

    pub(super) fn user_settings(&mut self, event: &Value) {
        let property = event["property"].as_str().unwrap_or_default().to_owned();
        self.user_settings_inherited(&property);
        self.forget_drafts(&property, &event["value"]);
        if let Some(settings) = self.value.get_mut("user_settings") {
            settings[&property] = event["value"].clone();
        }
    }

    /// The server forgets drafts when they are not synchronized any more.
    pub(super) fn forget_drafts(&mut self, property: &str, value: &Value) {
        if property == "enable_drafts_synchronization" && *value == false {
            self.replace("drafts", &json!([]));
        }
    }

    pub(super) fn user_settings_defaults(&mut self, event: &Value) {
        if let (Some(settings), Some(property)) =
            (self.value.get_mut("realm_user_settings_defaults"), event["property"].as_str())
        {
            settings[property] = event["value"].clone();
        }
    }

    pub(super) fn realm_emoji(&mut self, event: &Value, op: &str) -> bool {
        let emoji = self.value.get_mut("realm_emoji").and_then(Value::as_object_mut);
        match op {
            "update" => self.replace("realm_emoji", &event["realm_emoji"]),
            "add" => {
                if let (Some(all), Some(id)) = (emoji, event["emoji"]["id"].as_str()) {
                    all.insert(id.to_owned(), event["emoji"].clone());
                }
            }
            "update_one" => {
                let id = event["emoji_id"].as_str().unwrap_or_default();
                if let Some(row) = emoji.and_then(|all| all.get_mut(id)?.as_object_mut()) {
                    merge(row, &event["data"]);
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn realm_domains(&mut self, event: &Value, op: &str) -> bool {
        let domain = &event["realm_domain"];
        match op {
            "add" => put(&mut self.value, "realm_domains", "domain", object(domain.clone())),
            "change" => {
                if let Some(row) = row(&mut self.value, "realm_domains", "domain", &domain["domain"]) {
                    merge(row, domain);
                }
            }
            "remove" => {
                take(&mut self.value, "realm_domains", "domain", &event["domain"]);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn restart(&mut self, event: &Value) {
        for key in ["service_version", "service_merge_base", "service_feature_level", "server_generation"] {
            self.replace(key, &event[key]);
        }
    }
}
