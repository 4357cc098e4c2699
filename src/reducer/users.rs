//! Events of users, bots and groups, and of the status and presence of users.

use super::rows::{
    Object, insert_number, integers, merge_into_row, object, put, remove_member, remove_number, row, rows, take,
};
use super::{State, UnknownPart};
use serde_json::{Value, json};

/// The lists of active and of deactivated users.
const USER_LISTS: [&str; 2] = ["realm_users", "realm_non_active_users"];

/// Keys that follow from a user's role.
const ROLE_KEYS: [&str; 4] = ["role", "is_owner", "is_admin", "is_guest"];

impl State {
    pub(super) fn apply_realm_user(&mut self, event: &Value, op: &str) -> bool {
        let person = &event["person"];
        let id = &person["user_id"];
        match op {
            "add" => {
                let mut new_user = object(person.clone());
                let is_active = new_user.remove("is_active") != Some(false.into());
                let [was_active, was_inactive] =
                    USER_LISTS.map(|list| take(&mut self.value, list, "user_id", id).is_some());
                if was_active {
                    self.mark_subscriber_counts_unknown();
                }
                put(&mut self.value, USER_LISTS[usize::from(!is_active)], "user_id", new_user);
                // Older servers report a reactivation with this event.
                if id.as_i64().is_some() && id.as_i64() == self.own_id {
                    self.unknown_parts.insert(UnknownPart::Everything);
                }
                let is_guest = self.value.get("is_guest") == Some(&Value::Bool(true));
                if let Some(number) = id.as_i64().filter(|_| was_inactive || is_guest) {
                    self.unknown_parts.insert(UnknownPart::VisibleUsers(number));
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
        self.refresh_rights();
        true
    }

    fn apply_user_update(&mut self, person: &Value) {
        let id = &person["user_id"];
        let is_own = id.as_i64().is_some() && id.as_i64() == self.own_id;
        let mut changes = object(person.clone());
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
            changes.insert("is_owner".into(), (role == 100).into());
            changes.insert("is_admin".into(), (role <= 200).into());
            changes.insert("is_guest".into(), (role == 600).into());
            if is_own {
                self.unknown_parts.insert(UnknownPart::Addresses);
                if self.has_unknown_rights() {
                    self.unknown_parts.insert(UnknownPart::Rights);
                }
                if self.value.get("is_admin").is_some_and(|was_admin| *was_admin != (role <= 200)) {
                    self.unknown_parts.insert(UnknownPart::Bots);
                }
                self.replace("is_moderator", &self.is_moderator(role).into());
                self.update_default_channels(role == 600);
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
            self.mark_subscriber_counts_of_guest_unknown();
        }
        // Records in lists do not have the larger picture and the source of the picture.
        changes.remove("avatar_url_medium");
        let is_provided = changes.remove("avatar_source").is_some_and(|source| source == "G");
        for list in ["realm_users", "realm_non_active_users", "cross_realm_bots"] {
            let Some(user) = row(&mut self.value, list, "user_id", id) else { continue };
            // The records of older servers have fewer keys than the changes.
            let known_changes =
                changes.iter().filter(|(key, _)| !ROLE_KEYS.contains(&key.as_str()) || user.contains_key(*key));
            let known_changes: Object = known_changes.map(|(key, value)| (key.clone(), value.clone())).collect();
            merge_into_row(user, &known_changes.into());
            // The client computes the URL of a provider's picture if it sees the user's email address.
            if is_provided && self.computes_avatars && user.get("delivery_email").is_some_and(Value::is_string) {
                user.insert("avatar_url".into(), Value::Null);
            }
            if let Some(field) = &field {
                set_profile_field(user, field);
            }
        }
    }

    /// The change to an empty text does not have `rendered_value`, but users' records have an empty one.
    fn restore_empty_html(&self, change: &mut Value) {
        let fields = self.value.get("custom_profile_fields").and_then(Value::as_array);
        let kind = fields.into_iter().flatten().find(|field| field["id"] == change["id"]).map(|field| &field["type"]);
        let is_text = kind.and_then(Value::as_i64).is_some_and(|kind| MARKDOWN_FIELD_TYPES.contains(&kind));
        if is_text && change["value"] == "" {
            change["rendered_value"] = "".into();
        }
    }

    /// Guests cannot see the default channels.
    fn update_default_channels(&mut self, is_guest: bool) {
        let was_guest = self.value.get("is_guest") == Some(&Value::Bool(true));
        if is_guest {
            self.replace("realm_default_streams", &json!([]));
            self.replace("realm_default_stream_groups", &json!([]));
        } else if was_guest {
            self.unknown_parts.insert(UnknownPart::DefaultChannels);
        }
    }

    /// Moves a user between the lists. A deactivated user loses the status, and the memberships in groups at levels
    /// from 303 on, without further events.
    fn set_active(&mut self, id: &Value, is_active: bool) {
        let (old_list, new_list) =
            if is_active { (USER_LISTS[1], USER_LISTS[0]) } else { (USER_LISTS[0], USER_LISTS[1]) };
        match take(&mut self.value, old_list, "user_id", id) {
            Some(user) => put(&mut self.value, new_list, "user_id", user),
            None if is_active => self.mark_subscriber_counts_unknown(),
            None => {}
        }
        let Some(number) = id.as_i64() else { return };
        let keeps_memberships = self.groups_list_deactivated();
        if !keeps_memberships {
            self.unknown_parts.insert(UnknownPart::HolderOfChannels(number));
        }
        if is_active {
            self.unknown_parts.insert(UnknownPart::VisibleUsers(number));
            return;
        }
        self.unsubscribe_deactivated(number);
        if !keeps_memberships {
            for group in rows(&mut self.value, "realm_user_groups").into_iter().flatten() {
                remove_number(&mut group["members"], number);
                group
                    .as_object_mut()
                    .into_iter()
                    .flat_map(|group| group.values_mut())
                    .for_each(|permission| remove_member(permission, number));
            }
            self.value.values_mut().for_each(|permission| remove_member(permission, number));
        }
        if let Some(statuses) = self.value.get_mut("user_status").and_then(Value::as_object_mut) {
            statuses.shift_remove(&number.to_string());
        }
    }

    fn remove_status_and_presence(&mut self, id: &Value) {
        let address = row(&mut self.value, USER_LISTS[0], "user_id", id).and_then(|user| user.get("email").cloned());
        let number = id.as_i64().map(|id| id.to_string());
        let user_keys = [number, address.and_then(|address| address.as_str().map(str::to_owned))];
        for list in ["user_status", "presences"] {
            if let Some(values_by_user) = self.value.get_mut(list).and_then(Value::as_object_mut) {
                user_keys.iter().flatten().for_each(|name| _ = values_by_user.shift_remove(name));
            }
        }
    }

    /// Replaces a user's email address in all lists that contain it.
    fn change_address(&mut self, id: &Value, email: &Value) {
        let old_address =
            row(&mut self.value, "realm_users", "user_id", id).and_then(|user| user.get("email").cloned());
        if let Some(old_address) = &old_address {
            self.change_listed_addresses(old_address, email);
        }
        // Records in the list of bots have email addresses below level 474.
        if let Some(bot) = row(&mut self.value, "realm_bots", "user_id", id).filter(|bot| bot.contains_key("email")) {
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

    pub(super) fn apply_realm_bot(&mut self, event: &Value, op: &str) -> bool {
        let bot = &event["bot"];
        match op {
            "add" => put(&mut self.value, "realm_bots", "user_id", object(bot.clone())),
            "update" => {
                if let Some(row) = row(&mut self.value, "realm_bots", "user_id", &bot["user_id"]) {
                    merge_into_row(row, bot);
                }
            }
            "remove" if self.sends_deactivation_as_removal() => {
                if let Some(row) = row(&mut self.value, "realm_bots", "user_id", &bot["user_id"]) {
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

    pub(super) fn apply_user_group(&mut self, event: &Value, op: &str) -> bool {
        const LIST: &str = "realm_user_groups";
        let id = &event["group_id"];
        match op {
            "add" => put(&mut self.value, LIST, "id", object(event["group"].clone())),
            "remove" => {
                take(&mut self.value, LIST, "id", id);
            }
            "update" => {
                if let Some(group) = row(&mut self.value, LIST, "id", id) {
                    merge_into_row(group, &event["data"]);
                }
            }
            "add_members" | "remove_members" | "add_subgroups" | "remove_subgroups" => {
                let (key, changed_ids) = if op.ends_with("_members") {
                    ("members", &event["user_ids"])
                } else {
                    ("direct_subgroup_ids", &event["direct_subgroup_ids"])
                };
                let list = row(&mut self.value, LIST, "id", id).and_then(|group| group.get_mut(key));
                if let Some(list) = list {
                    for number in integers(changed_ids) {
                        if op.starts_with("add") {
                            insert_number(list, number)
                        } else {
                            remove_number(list, number)
                        };
                    }
                }
            }
            _ => return false,
        }
        self.refresh_rights();
        true
    }

    /// Fields that the event does not have keep their values; "" removes a field. Whether a user without text and emoji is away
    /// is not known, since a user who never set a status has no record.
    pub(super) fn apply_user_status(&mut self, event: &Value) {
        let Some(statuses) = self.value.get_mut("user_status").and_then(Value::as_object_mut) else { return };
        let Some(user) = event["user_id"].as_i64() else { return };
        let id = user.to_string();
        let mut status = object(statuses.get(&id).cloned().unwrap_or_default());
        if let Some(is_away) = event["away"].as_bool() {
            self.away.insert(id.clone(), is_away);
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
        let away = self.away.get(&id).copied();
        match away {
            Some(true) => _ = status.insert("away".into(), true.into()),
            Some(false) => _ = status.remove("away"),
            None => {}
        }
        if has_text_or_emoji && away.is_some() {
            self.unknown_parts.remove(&UnknownPart::Away(user));
        } else {
            self.unknown_parts.insert(UnknownPart::Away(user));
        }
        if status.is_empty() {
            statuses.shift_remove(&id);
        } else {
            statuses.insert(id, status.into());
        }
    }

    /// Presence has users' IDs in the modern format and email addresses in the legacy format.
    pub(super) fn apply_presence(&mut self, event: &Value) {
        let Some(presences) = self.value.get_mut("presences").and_then(Value::as_object_mut) else { return };
        for (user, presence) in event["presences"].as_object().into_iter().flatten() {
            presences.insert(user.clone(), presence.clone());
        }
        if let Some(email) = event["email"].as_str() {
            let website = event["presence"]["website"].clone();
            let mut aggregated = object(website.clone());
            aggregated.remove("pushable");
            presences.insert(email.to_owned(), json!({"aggregated": aggregated, "website": website}));
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

/// The types of profile fields whose values are Markdown: short and long texts.
const MARKDOWN_FIELD_TYPES: [i64; 2] = [1, 2];

fn set_profile_field(user: &mut Object, field: &Value) {
    let Some(id) = field["id"].as_i64().map(|id| id.to_string()) else { return };
    let Some(data) = user.get_mut("profile_data").and_then(Value::as_object_mut) else { return };
    if field["value"].is_null() {
        data.shift_remove(&id);
    } else {
        let mut value = object(field.clone());
        value.remove("id");
        data.insert(id, value.into());
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
