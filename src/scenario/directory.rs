//! The users, channels, groups and messages of an organization, by the names that scenarios use.

use super::template::Reference;
use serde_json::Value;
use std::collections::BTreeMap;

/// A user with the credentials for requests.
#[derive(Clone, Debug)]
pub struct ScenarioUser {
    pub email: String,
    pub api_key: String,
    pub user_id: i64,
    pub full_name: String,
}

impl ScenarioUser {
    /// Whether the account has another full name on another server, though it logs in with the same address.
    pub fn is_renamed(&self, counterpart: &Self) -> bool {
        self.full_name != counterpart.full_name && self.email == counterpart.email
    }
}

/// The users, channels, groups and messages of an organization.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// Users by handle; with control, also by email address.
    pub users: BTreeMap<String, ScenarioUser>,
    /// IDs of channels by name.
    pub channel_ids: BTreeMap<String, i64>,
    /// IDs of groups by name.
    pub group_ids: BTreeMap<String, i64>,
    /// IDs and contents of messages, sorted by ID. Empty without control.
    messages: Vec<(i64, String)>,
    /// IDs and former contents of messages that an earlier reading of the names had, and that were deleted or edited
    /// since, sorted by ID.
    former_messages: Vec<(i64, String)>,
}

impl Directory {
    /// Reads the names from a world's state, as control returns it.
    pub fn from_state(state: &Value) -> Self {
        let realm = &state["state"]["realm"];
        let records = |kind: &str| realm[kind].as_object().into_iter().flat_map(|records| records.values());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut users = BTreeMap::new();
        for user in records("users") {
            let email = text(&user["email"]);
            let handle = email.split('@').next().unwrap_or_default().to_owned();
            let user_id = user["id"].as_i64().unwrap_or_default();
            let scenario_user =
                ScenarioUser { api_key: text(&user["api_key"]), user_id, full_name: text(&user["full_name"]), email };
            users.insert(scenario_user.email.clone(), scenario_user.clone());
            users.entry(handle).or_insert(scenario_user);
        }
        let ids = |kind: &str| {
            records(kind)
                .filter_map(|record| Some((text(&record["name"]), record["id"].as_i64()?)))
                .collect::<BTreeMap<_, _>>()
        };
        let mut messages: Vec<(i64, String)> = records("messages")
            .filter_map(|record| Some((record["id"].as_i64()?, text(&record["body"]["content"]))))
            .collect();
        messages.sort();
        Self { users, channel_ids: ids("channels"), group_ids: ids("groups"), messages, former_messages: Vec::new() }
    }

    /// Adds the names that things had in `before`: a user whose email address has changed is still found by the old
    /// handle and address, a message that was deleted or edited by its former source.
    pub fn keep_names(&mut self, before: &Self) {
        let former = before.messages.iter().chain(&before.former_messages);
        self.former_messages =
            former.filter(|message| self.messages.binary_search(message).is_err()).cloned().collect();
        self.former_messages.sort();
        for (handle, user_before) in &before.users {
            let user_now = self.users.values().find(|user| user.user_id == user_before.user_id).cloned();
            if let Some(user) = user_now {
                self.users.entry(handle.clone()).or_insert(user);
            }
        }
    }

    /// Says where a server without control lacks the value of a reference: `here`, or for a user `among --accounts`,
    /// with the account whose handle differs in one letter.
    pub fn describe_missing_place(&self, reference: &Reference) -> String {
        let Reference::User(handle, _) = reference else { return "here".to_owned() };
        let similar = self.users.keys().find(|known| strsim::damerau_levenshtein(known, handle) == 1);
        let suggestion = similar.map(|similar| format!("; did you mean '{similar}'?")).unwrap_or_default();
        format!("among --accounts{suggestion}")
    }

    /// A user by handle or email address.
    pub fn user(&self, handle: &str) -> Option<&ScenarioUser> {
        self.users.get(handle)
    }

    pub fn channel_id(&self, name: &str) -> Option<i64> {
        self.channel_ids.get(name).copied()
    }

    pub fn group_id(&self, name: &str) -> Option<i64> {
        self.group_ids.get(name).copied()
    }

    /// The ID of the first message that begins with this text. If there is none, the ID of the first that began with it
    /// before it was deleted or edited.
    pub fn message_id(&self, beginning: &str) -> Option<i64> {
        let mut messages = self.messages.iter().chain(&self.former_messages);
        messages.find(|(_, content)| content.starts_with(beginning)).map(|(id, _)| *id)
    }
}

/// Adds the names and IDs of a list in a reply to `ids`. `id_key` is the key of an ID in the list.
pub fn collect_ids(ids: &mut BTreeMap<String, i64>, list: &Value, id_key: &str) {
    for record in list.as_array().into_iter().flatten() {
        if let (Some(name), Some(id)) = (record["name"].as_str(), record[id_key].as_i64()) {
            ids.insert(name.to_owned(), id);
        }
    }
}
