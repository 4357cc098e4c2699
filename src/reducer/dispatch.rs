//! Applies an event by its type.

use super::State;
use serde_json::Value;

/// Types of events about data that a register reply does not have.
const TYPES_OUTSIDE_STATE: [&str; 10] = [
    "attachment",
    "heartbeat",
    "invites_changed",
    "reaction",
    "realm_export",
    "realm_export_consent",
    "submessage",
    "typing",
    "typing_edit_message",
    "web_reload_client",
];

impl State {
    /// Applies an event. Events must come in the order of their IDs. Returns false if the `type`, the `op` or the flag
    /// of messages is not known; the client should then register again.
    pub fn apply(&mut self, event: &Value) -> bool {
        let op = event["op"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "message" => self.apply_message(event),
            "update_message" => self.apply_update_message(event),
            "delete_message" => self.apply_delete_message(event),
            "update_message_flags" => {
                // Below level 32, the key is `operation`.
                let operation = event["op"].as_str().or(event["operation"].as_str()).unwrap_or_default();
                return self.apply_update_message_flags(event, operation);
            }
            "stream" => return self.apply_stream(event, op),
            "subscription" => return self.apply_subscription(event, op),
            "realm_user" => return self.apply_realm_user(event, op),
            "realm_bot" => return self.apply_realm_bot(event, op),
            "user_group" => return self.apply_user_group(event, op),
            "user_status" => self.apply_user_status(event),
            "presence" => self.apply_presence(event),
            "user_settings" => self.apply_user_settings(event),
            "update_display_settings" | "update_global_notifications" => self.apply_former_setting(event),
            "realm" => return self.apply_realm(event, op),
            "realm_user_settings_defaults" => self.apply_user_settings_defaults(event),
            "realm_emoji" => return self.apply_realm_emoji(event, op),
            "restart" => self.apply_restart(event),
            event_type => {
                return self.apply_to_lists(event_type, event, op) || self.apply_unlisted(event_type, event, op);
            }
        }
        true
    }

    /// Applies an event that belongs to none of the lists in `wire.rs`. Returns false for an unknown `type` or `op`.
    fn apply_unlisted(&mut self, event_type: &str, event: &Value, op: &str) -> bool {
        match event_type {
            "user_topic" => self.apply_user_topic(event),
            "device" => return self.apply_device(event, op),
            "push_device" => self.apply_push_device(event),
            "channel_folder" if op == "reorder" => self.reorder_folders(event),
            "has_zoom_token" | "has_webex_token" => self.replace(event_type, &event["value"]),
            _ => return TYPES_OUTSIDE_STATE.contains(&event_type),
        }
        true
    }
}
