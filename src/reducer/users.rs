//! Events of users and bots.

use super::json::{
    Object, into_object, merge_into_row, put, remove_member, remove_number, row, row_mut, rows_mut, take,
};
use super::profile_fields::set_profile_field;
use super::{State, UnknownPart};
use serde_json::{Value, json};

/// The key of the list of active users in a register reply.
pub(super) const ACTIVE_USERS: &str = "realm_users";
/// The key of the list of deactivated users.
const DEACTIVATED_USERS: &str = "realm_non_active_users";
const USER_LISTS: [&str; 2] = [ACTIVE_USERS, DEACTIVATED_USERS];
/// The key of the list of bots that belong to the server.
const SYSTEM_BOTS: &str = "cross_realm_bots";

/// The roles, from the highest down: a role includes the rights of those with larger numbers.
pub(super) const OWNER: i64 = 100;
pub(super) const ADMINISTRATOR: i64 = 200;
pub(super) const MODERATOR: i64 = 300;
pub(super) const MEMBER: i64 = 400;
pub(super) const GUEST: i64 = 600;

/// A user's role, and the keys that follow from it.
const ROLE_KEYS: [&str; 4] = ["role", "is_owner", "is_admin", "is_guest"];

impl State {
    /// Applies an event `realm_user`. Returns false for an unknown `op`.
    pub(super) fn apply_realm_user(&mut self, event: &Value, op: &str) -> bool {
        let person = &event["person"];
        let id = &person["user_id"];
        match op {
            "add" => {
                let mut new_user = into_object(person.clone());
                let is_active = new_user.remove("is_active") != Some(false.into());
                let [was_active, was_inactive] =
                    USER_LISTS.map(|list| take(&mut self.value, list, "user_id", id).is_some());
                if was_active {
                    self.mark_subscriber_counts_unknown();
                }
                let list = if is_active { ACTIVE_USERS } else { DEACTIVATED_USERS };
                put(&mut self.value, list, "user_id", new_user);
                // Older servers report a reactivation with this event.
                if id.as_i64().is_some() && id.as_i64() == self.own_id {
                    self.unknown_parts.insert(UnknownPart::Everything);
                }
                let is_guest = self.value.get("is_guest") == Some(&Value::Bool(true));
                if let Some(user_id) = id.as_i64().filter(|_| was_inactive || is_guest) {
                    self.unknown_parts.insert(UnknownPart::StatusAndPresence(user_id));
                }
            }
            "remove" if self.sends_deactivation_as_removal() => self.set_active(id, false),
            "remove" => {
                self.remove_status_and_presence(id);
                for list in USER_LISTS {
                    take(&mut self.value, list, "user_id", id);
                }
            }
            "update" => self.apply_user_update(person),
            _ => return false,
        }
        self.refresh_rights_and_policies();
        true
    }

    fn apply_user_update(&mut self, person: &Value) {
        let id = &person["user_id"];
        let is_own = id.as_i64().is_some() && id.as_i64() == self.own_id;
        let mut changes = into_object(person.clone());
        if let Some(is_active) = changes.remove("is_active") {
            if is_own {
                self.unknown_parts.insert(UnknownPart::Everything);
            }
            self.set_active(id, is_active == true);
        }
        if let Some(email) = changes.remove("new_email") {
            self.change_address(id, &email);
            changes.insert("email".into(), email);
        }
        if let Some(role) = Self::new_role(person) {
            changes.insert("is_owner".into(), (role == OWNER).into());
            changes.insert("is_admin".into(), (role <= ADMINISTRATOR).into());
            changes.insert("is_guest".into(), (role == GUEST).into());
            if is_own {
                self.unknown_parts.insert(UnknownPart::Addresses);
                if self.has_unknown_rights() {
                    self.unknown_parts.insert(UnknownPart::Rights);
                }
                if self.value.get("is_admin").is_some_and(|was_admin| *was_admin != (role <= ADMINISTRATOR)) {
                    self.unknown_parts.insert(UnknownPart::Bots);
                }
                self.replace("is_moderator", &self.counts_as_moderator(role).into());
                self.update_default_channels(role == GUEST);
            }
        }
        let mut field = changes.remove("custom_profile_field");
        if let Some(field) = &mut field {
            self.restore_empty_html(field);
        }
        if is_own {
            for (key, value) in &changes {
                self.replace(key, value);
            }
            self.hide_subscribers_from_guest();
        }
        // Records in lists do not have the larger picture and the source of the picture.
        changes.remove("avatar_url_medium");
        let is_from_gravatar = changes.remove("avatar_source").is_some_and(|source| source == "G");
        for list in [ACTIVE_USERS, DEACTIVATED_USERS, SYSTEM_BOTS] {
            let Some(user) = row_mut(&mut self.value, list, "user_id", id) else { continue };
            // The records of older servers have fewer keys than the changes.
            let known_changes =
                changes.iter().filter(|(key, _)| !ROLE_KEYS.contains(&key.as_str()) || user.contains_key(*key));
            let known_changes: Object = known_changes.map(|(key, value)| (key.clone(), value.clone())).collect();
            merge_into_row(user, &known_changes.into());
            // The client computes the URL of a picture from Gravatar if it sees the user's email address.
            if is_from_gravatar && self.computes_avatars && user.get("delivery_email").is_some_and(Value::is_string) {
                user.insert("avatar_url".into(), Value::Null);
            }
            if let Some(field) = &field {
                set_profile_field(user, field);
            }
        }
    }

    /// Empties the default channels if the user becomes a guest, because guests cannot see them, and marks them as
    /// unknown if the user ceases to be one. `is_guest` of the state must still have its former value.
    fn update_default_channels(&mut self, is_guest: bool) {
        let was_guest = self.value.get("is_guest") == Some(&Value::Bool(true));
        if is_guest {
            self.replace("realm_default_streams", &json!([]));
            self.replace("realm_default_stream_groups", &json!([]));
        } else if was_guest {
            self.unknown_parts.insert(UnknownPart::DefaultChannels);
        }
    }

    /// Moves a user between the lists of active and deactivated users, and applies what the server sends no event for.
    /// A deactivated user loses the status, below level 377 all subscriptions, from 377 to 427 those to archived
    /// channels, and from 303 on the memberships in groups and the places in permissions. What a reactivated user has
    /// is unknown.
    fn set_active(&mut self, id: &Value, is_active: bool) {
        let (old_list, new_list) =
            if is_active { (DEACTIVATED_USERS, ACTIVE_USERS) } else { (ACTIVE_USERS, DEACTIVATED_USERS) };
        match take(&mut self.value, old_list, "user_id", id) {
            Some(user) => put(&mut self.value, new_list, "user_id", user),
            None if is_active => self.mark_subscriber_counts_unknown(),
            None => {}
        }
        let Some(user_id) = id.as_i64() else { return };
        let keeps_memberships = self.groups_include_deactivated_users();
        if !keeps_memberships {
            self.unknown_parts.insert(UnknownPart::ChannelPermissionHolder(user_id));
        }
        if is_active {
            self.unknown_parts.insert(UnknownPart::StatusAndPresence(user_id));
            return;
        }
        self.unsubscribe_deactivated(user_id);
        if !keeps_memberships {
            for group in rows_mut(&mut self.value, "realm_user_groups").into_iter().flatten() {
                remove_number(&mut group["members"], user_id);
                group
                    .as_object_mut()
                    .into_iter()
                    .flat_map(|group| group.values_mut())
                    .for_each(|permission| remove_member(permission, user_id));
            }
            self.value.values_mut().for_each(|permission| remove_member(permission, user_id));
        }
        if let Some(statuses) = self.value.get_mut("user_status").and_then(Value::as_object_mut) {
            statuses.shift_remove(&user_id.to_string());
        }
    }

    /// Replaces a user's email address in all lists that contain it.
    fn change_address(&mut self, id: &Value, email: &Value) {
        let old_address = row(&self.value, ACTIVE_USERS, "user_id", id).and_then(|user| user.get("email").cloned());
        if let Some(old_address) = &old_address {
            self.change_listed_addresses(old_address, email);
        }
        // Records in the list of bots have email addresses below level 474.
        if let Some(bot) = row_mut(&mut self.value, "realm_bots", "user_id", id).filter(|bot| bot.contains_key("email"))
        {
            bot.insert("email".into(), email.clone());
        }
        let (Some(old_address), Some(new_address)) = (old_address.as_ref().and_then(Value::as_str), email.as_str())
        else {
            return;
        };
        if let Some(presences) = self.value.get_mut("presences").and_then(Value::as_object_mut)
            && let Some(presence) = presences.shift_remove(old_address)
        {
            presences.insert(new_address.to_owned(), presence);
        }
    }

    /// Applies an event `realm_bot`. Returns false for an unknown `op`.
    pub(super) fn apply_realm_bot(&mut self, event: &Value, op: &str) -> bool {
        let bot = &event["bot"];
        match op {
            "add" => put(&mut self.value, "realm_bots", "user_id", into_object(bot.clone())),
            "update" => {
                if let Some(row) = row_mut(&mut self.value, "realm_bots", "user_id", &bot["user_id"]) {
                    merge_into_row(row, bot);
                }
            }
            "remove" if self.sends_deactivation_as_removal() => {
                if let Some(row) = row_mut(&mut self.value, "realm_bots", "user_id", &bot["user_id"]) {
                    row.insert("is_active".into(), false.into());
                }
            }
            "delete" | "remove" => {
                take(&mut self.value, "realm_bots", "user_id", &bot["user_id"]);
            }
            _ => return false,
        }
        self.mark_bot_channels_unknown();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use serde_json::{Value, json};

    #[test]
    fn the_status_of_reactivated_users_is_unknown() {
        for event in [
            json!({"type": "realm_user", "op": "update", "person": {"user_id": 6, "is_active": true}}),
            json!({"type": "realm_user", "op": "add", "person": {"user_id": 6}}),
        ] {
            let reply = |active: Value, inactive: Value, status: Value| json!({"realm_users": active, "realm_non_active_users": inactive, "user_status": status});
            let mut state = State::from_register(reply(json!([]), json!([{"user_id": 6}]), json!({})));
            assert!(state.apply(&event));
            let later_reply = reply(json!([{"user_id": 6}]), json!([]), json!({"6": {"status_text": "here again"}}));
            assert_eq!(state.differences(&later_reply), []);
        }
    }

    #[test]
    fn guests_cannot_see_other_subscribers() {
        let reply = |is_guest: bool, subscribers: Value| json!({"user_id": 3, "is_guest": is_guest, "never_subscribed": [{"stream_id": 1, "subscribers": subscribers}]});
        let mut state = State::from_register(reply(false, json!([6])));

        let event = json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "role": 600}});
        assert!(state.apply(&event));

        assert_eq!(state.differences(&reply(true, json!([]))), []);
    }

    #[test]
    fn invisible_users_are_removed() {
        let reply =
            |name: &str| json!({"service_feature_level": 240, "realm_users": [{"user_id": 6, "full_name": name}]});
        let mut state = State::from_register(reply("Gus"));

        let person = json!({"user_id": 6, "full_name": "Unknown user"});
        assert!(state.apply(&json!({"type": "realm_user", "op": "remove", "person": person})));

        assert_eq!(state.differences(&reply("Unknown user")), []);
        assert_eq!(state.differences(&reply("Gus")).len(), 1);
    }
}
