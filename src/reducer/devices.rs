//! Events of the user's devices.

use super::State;
use super::json::{into_object, merge_into_row};
use serde_json::{Value, json};

impl State {
    /// Updates the status of a device below level 468, where clients choose its ID, a number or a string.
    pub(super) fn apply_push_device(&mut self, event: &Value) {
        let Some(devices) = self.value.get_mut("push_devices").and_then(Value::as_object_mut) else { return };
        let id = &event["push_account_id"];
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        devices.insert(id, json!({"status": event["status"], "error_code": event["error_code"]}));
    }

    /// Applies an event `device`. Returns false for an unknown `op`.
    pub(super) fn apply_device(&mut self, event: &Value, op: &str) -> bool {
        let Some(devices) = self.value.get_mut("devices").and_then(Value::as_object_mut) else { return true };
        let id = event["device_id"].to_string();
        match op {
            "add" => {
                let new_device = json!({
                    "push_key_id": null,
                    "push_token_id": null,
                    "pending_push_token_id": null,
                    "push_token_last_updated_timestamp": null,
                    "push_registration_error_code": null,
                });
                devices.insert(id, new_device);
            }
            "remove" => {
                devices.shift_remove(&id);
            }
            "update" => {
                let mut changes = into_object(event.clone());
                for key in ["type", "op", "id", "device_id"] {
                    changes.remove(key);
                }
                if let Some(device) = devices.get_mut(&id).and_then(Value::as_object_mut) {
                    merge_into_row(device, &changes.into());
                }
            }
            _ => return false,
        }
        true
    }
}
