//! Descriptions of settings and of keys of the register reply, in one sentence each.

use crate::api::parameter::{ORGANIZATION_SETTING_DOC, ParameterInfo, USER_SETTING_DOC};
use crate::wire::LISTS;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A table of `meanings.json`, which has a description for each name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeaningTable {
    UserSettings,
    /// Settings and permissions of the organization, without the prefix `realm_`.
    Organization,
    /// Other keys of the register reply, except the lists in [`crate::wire`], which have their own descriptions.
    State,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meanings {
    user_settings: BTreeMap<String, String>,
    organization: BTreeMap<String, String>,
    state: BTreeMap<String, String>,
}

static MEANINGS: LazyLock<Meanings> = LazyLock::new(|| {
    serde_json::from_str(include_str!("meanings.json")).expect("it has tables of texts, as a test checks")
});

impl MeaningTable {
    fn rows(self) -> &'static BTreeMap<String, String> {
        match self {
            MeaningTable::UserSettings => &MEANINGS.user_settings,
            MeaningTable::Organization => &MEANINGS.organization,
            MeaningTable::State => &MEANINGS.state,
        }
    }

    /// None if the table does not have the name.
    pub fn meaning(self, name: &str) -> Option<&'static str> {
        self.rows().get(name).map(String::as_str)
    }
}

/// The description of a parameter that is a setting or permission; None for another parameter.
pub fn of_parameter(info: &ParameterInfo) -> Option<&'static str> {
    match info.doc {
        USER_SETTING_DOC => MeaningTable::UserSettings.meaning(info.name),
        ORGANIZATION_SETTING_DOC => MeaningTable::Organization.meaning(info.name),
        _ => None,
    }
}

/// The description of a key of the register reply; None if no table has it.
pub fn of_state_key(key: &str) -> Option<&'static str> {
    let organization_meaning = MeaningTable::Organization.meaning(key.strip_prefix("realm_").unwrap_or(key));
    let list_meaning = LISTS.iter().find(|list| list.key == key).map(|list| list.meaning);
    list_meaning
        .or_else(|| MeaningTable::State.meaning(key))
        .or(organization_meaning)
        // For clients without `user_settings_object`, user settings are at the top level too.
        .or_else(|| MeaningTable::UserSettings.meaning(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::register_reply_properties;
    use crate::realm::permission::REALM_PERMISSIONS;
    use crate::realm::setting::REALM_SETTINGS;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_of_the_register_reply_and_every_setting_has_a_meaning() {
        let properties = register_reply_properties();
        let settings = properties["user_settings"]["properties"].as_object().expect("an object");
        let organization_names =
            REALM_SETTINGS.iter().map(|row| row.name).chain(REALM_PERMISSIONS.iter().map(|row| row.name));

        let unknown_keys = properties.keys().map(String::as_str).filter(|key| of_state_key(key).is_none());
        let unknown_settings =
            settings.keys().map(String::as_str).filter(|name| MeaningTable::UserSettings.meaning(name).is_none());
        let unknown_names = organization_names.filter(|name| MeaningTable::Organization.meaning(name).is_none());
        let missing: Vec<&str> = unknown_keys.chain(unknown_settings).chain(unknown_names).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn meanings_are_distinct_sentences() {
        for table in [MeaningTable::UserSettings, MeaningTable::Organization, MeaningTable::State] {
            let rows = table.rows().iter().map(|(name, meaning)| (name.as_str(), meaning.as_str()));
            let lists = LISTS.iter().filter(|_| table == MeaningTable::State).map(|list| (list.key, list.meaning));
            let mut meanings = BTreeSet::new();
            for (name, meaning) in rows.chain(lists) {
                assert!(meaning.ends_with('.') && meaning.starts_with(char::is_uppercase), "{name}: {meaning}");
                assert!(meanings.insert(meaning), "{name}: {meaning}");
            }
        }
    }
}
