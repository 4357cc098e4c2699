//! Events of the status and presence of users.

use super::json::{Object, into_object, row};
use super::users::ACTIVE_USERS;
use super::{State, UnknownPart};
use serde_json::{Value, json};

impl State {
    /// Updates a user's status. Fields that the event does not have keep their values; "" removes a field. Whether a
    /// user without text and emoji is away is not known, since a user who never set a status has no record.
    pub(super) fn apply_user_status(&mut self, event: &Value) {
        let Some(statuses) = self.value.get_mut("user_status").and_then(Value::as_object_mut) else { return };
        let Some(user_id) = event["user_id"].as_i64() else { return };
        let user_key = user_id.to_string();
        let mut status = into_object(statuses.get(&user_key).cloned().unwrap_or_default());
        if let Some(is_away) = event["away"].as_bool() {
            self.away.insert(user_key.clone(), is_away);
        }
        if let Some(text) = event.get("status_text") {
            set_or_remove(&mut status, "status_text", text);
        }
        if let Some(name) = event.get("emoji_name") {
            for key in ["emoji_name", "emoji_code", "reaction_type"] {
                let value = if *name == "" { &json!("") } else { &event[key] };
                set_or_remove(&mut status, key, value);
            }
        }
        let has_text_or_emoji = status.contains_key("status_text") || status.contains_key("emoji_name");
        let away = self.away.get(&user_key).copied();
        match away {
            Some(true) => _ = status.insert("away".into(), true.into()),
            Some(false) => _ = status.remove("away"),
            None => {}
        }
        if has_text_or_emoji && away.is_some() {
            self.unknown_parts.remove(&UnknownPart::Away(user_id));
        } else {
            self.unknown_parts.insert(UnknownPart::Away(user_id));
        }
        if status.is_empty() {
            statuses.shift_remove(&user_key);
        } else {
            statuses.insert(user_key, status.into());
        }
    }

    /// Updates the presence of users, which is listed by user ID in the modern format and by email address in the
    /// legacy format.
    pub(super) fn apply_presence(&mut self, event: &Value) {
        let Some(presences) = self.value.get_mut("presences").and_then(Value::as_object_mut) else { return };
        for (user_key, presence) in event["presences"].as_object().into_iter().flatten() {
            presences.insert(user_key.clone(), presence.clone());
        }
        if let Some(email) = event["email"].as_str() {
            let website = event["presence"]["website"].clone();
            let mut aggregated = into_object(website.clone());
            aggregated.remove("pushable");
            presences.insert(email.to_owned(), json!({"aggregated": aggregated, "website": website}));
        }
    }

    /// Removes what is listed by the user's ID or email address.
    pub(super) fn remove_status_and_presence(&mut self, user_id: &Value) {
        let email = row(&self.value, ACTIVE_USERS, "user_id", user_id).and_then(|user| user.get("email")?.as_str());
        let user_keys = [user_id.as_i64().map(|id| id.to_string()), email.map(str::to_owned)];
        for list in ["user_status", "presences"] {
            if let Some(values_by_user) = self.value.get_mut(list).and_then(Value::as_object_mut) {
                user_keys.iter().flatten().for_each(|key| _ = values_by_user.shift_remove(key));
            }
        }
    }
}

fn set_or_remove(status: &mut Object, key: &str, value: &Value) {
    if *value == "" {
        status.remove(key);
    } else {
        status.insert(key.to_owned(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use serde_json::{Value, json};

    #[test]
    fn users_who_are_away_without_a_status_are_away_with_one() {
        let reply = |status: Value| json!({"user_status": status});
        let apply_status = |state: &mut State, mut fields: Value| {
            fields["type"] = "user_status".into();
            fields["user_id"] = 6.into();
            assert!(state.apply(&fields));
        };
        let mut state = State::from_register(reply(json!({})));
        apply_status(&mut state, json!({"status_text": "busy"}));
        for status in [json!({"status_text": "busy"}), json!({"status_text": "busy", "away": true})] {
            assert_eq!(state.differences(&reply(json!({"6": status}))), []);
        }

        apply_status(&mut state, json!({"status_text": "", "away": true}));
        apply_status(&mut state, json!({"status_text": "busy"}));

        assert_eq!(state.value()["user_status"], json!({"6": {"status_text": "busy", "away": true}}));
        assert_eq!(state.differences(&reply(json!({"6": {"status_text": "busy"}}))).len(), 1);
    }
}
