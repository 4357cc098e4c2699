//! Who and what there is in a realm, by the names that scenarios use.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Accounts of a realm that can't be asked for its keys, by the names that scenarios use.
pub type Accounts = BTreeMap<String, Account>;

/// An account.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Its address.
    pub email: String,
    /// Its API key.
    pub api_key: String,
}

/// A user who can act.
#[derive(Clone, Debug)]
pub struct Person {
    /// The address of the account.
    pub email: String,
    /// The key.
    pub api_key: String,
    /// The id.
    pub user_id: i64,
    /// The name for people.
    pub full_name: String,
}

/// Who and what there is.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// By handle.
    pub people: BTreeMap<String, Person>,
    /// Ids by name.
    pub channels: BTreeMap<String, i64>,
    /// Ids by name.
    pub groups: BTreeMap<String, i64>,
    messages: Vec<(i64, String)>,
}

impl Directory {
    /// Reads the document that control gives of a world.
    pub fn of_state(state: &Value) -> Self {
        let realm = &state["state"]["realm"];
        let all = |kind: &str| realm[kind].as_object().into_iter().flat_map(|all| all.values());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut people = BTreeMap::new();
        for user in all("users") {
            let email = text(&user["email"]);
            let handle = email.split('@').next().unwrap_or_default().to_owned();
            let user_id = user["id"].as_i64().unwrap_or_default();
            let person =
                Person { api_key: text(&user["api_key"]), user_id, full_name: text(&user["full_name"]), email };
            people.insert(person.email.clone(), person.clone());
            people.entry(handle).or_insert(person);
        }
        let ids = |kind: &str| {
            all(kind).filter_map(|one| Some((text(&one["name"]), one["id"].as_i64()?))).collect::<BTreeMap<_, _>>()
        };
        let mut messages: Vec<(i64, String)> =
            all("messages").filter_map(|one| Some((one["id"].as_i64()?, text(&one["body"]["content"])))).collect();
        messages.sort();
        Self { people, channels: ids("channels"), groups: ids("groups"), messages }
    }

    /// Goes on knowing those who were known by a handle that came from an earlier address.
    pub fn keep_handles(&mut self, before: &Self) {
        for (handle, known) in &before.people {
            let now = self.people.values().find(|person| person.user_id == known.user_id).cloned();
            if let Some(person) = now {
                self.people.entry(handle.clone()).or_insert(person);
            }
        }
    }

    /// Adds what a list of the API names.
    pub fn add_named(ids: &mut BTreeMap<String, i64>, list: &Value, id: &str) {
        for one in list.as_array().into_iter().flatten() {
            if let (Some(name), Some(id)) = (one["name"].as_str(), one[id].as_i64()) {
                ids.insert(name.to_owned(), id);
            }
        }
    }

    /// Somebody, by handle or address.
    pub fn person(&self, handle: &str) -> Option<&Person> {
        self.people.get(handle)
    }

    /// A channel's id.
    pub fn channel(&self, name: &str) -> Option<i64> {
        self.channels.get(name).copied()
    }

    /// A group's id.
    pub fn group(&self, name: &str) -> Option<i64> {
        self.groups.get(name).copied()
    }

    /// The id of the first message that begins so.
    pub fn message(&self, beginning: &str) -> Option<i64> {
        self.messages.iter().find(|(_, content)| content.starts_with(beginning)).map(|(id, _)| *id)
    }
}
