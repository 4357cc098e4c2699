//! What settings and the keys of the register reply mean, in a sentence each.

use crate::api::parameter::{MEANT_AS_USER_SETTING, MEANT_FOR_ORGANIZATION, ParameterInfo};
use crate::wire::LISTS;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A table of meanings, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    UserSettings,
    /// The organization's settings and permissions, without `realm_` before them.
    Organization,
    /// Other keys of the register reply, but for lists that say it themselves ([`crate::wire`]).
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
    serde_json::from_str(include_str!("meanings.json")).expect("tables of sentences, as the tests read them")
});

impl Table {
    fn rows(self) -> &'static BTreeMap<String, String> {
        match self {
            Table::UserSettings => &MEANINGS.user_settings,
            Table::Organization => &MEANINGS.organization,
            Table::State => &MEANINGS.state,
        }
    }

    /// The meaning of a name; None where the table does not have it.
    pub fn meaning(self, name: &str) -> Option<&'static str> {
        self.rows().get(name).map(String::as_str)
    }
}

/// The meaning of a parameter that is a setting or permission.
pub fn of_parameter(info: &ParameterInfo) -> Option<&'static str> {
    match info.doc {
        MEANT_AS_USER_SETTING => Table::UserSettings.meaning(info.name),
        MEANT_FOR_ORGANIZATION => Table::Organization.meaning(info.name),
        _ => None,
    }
}

/// The meaning of a key of the register reply.
pub fn of_state(key: &str) -> Option<&'static str> {
    let of_organization = Table::Organization.meaning(key.strip_prefix("realm_").unwrap_or(key));
    let of_list = LISTS.iter().find(|list| list.key == key).map(|list| list.meaning);
    // Users' settings are at the top for clients that do not know the object of them.
    of_list.or_else(|| Table::State.meaning(key)).or(of_organization).or_else(|| Table::UserSettings.meaning(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::state;
    use crate::realm::permission::REALM_PERMISSIONS;
    use crate::realm::setting::REALM_SETTINGS;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_of_the_register_reply_and_every_setting_has_a_meaning() {
        let properties = state();
        let settings = properties["user_settings"]["properties"].as_object().expect("an object");
        let of_organization =
            REALM_SETTINGS.iter().map(|one| one.name).chain(REALM_PERMISSIONS.iter().map(|one| one.name));

        let unknown_keys = properties.keys().map(String::as_str).filter(|key| of_state(key).is_none());
        let unknown_settings =
            settings.keys().map(String::as_str).filter(|name| Table::UserSettings.meaning(name).is_none());
        let unknown = of_organization.filter(|name| Table::Organization.meaning(name).is_none());
        let missing: Vec<&str> = unknown_keys.chain(unknown_settings).chain(unknown).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_meaning_is_one_sentence_and_said_of_one_thing() {
        for table in [Table::UserSettings, Table::Organization, Table::State] {
            let rows = table.rows().iter().map(|(name, meaning)| (name.as_str(), meaning.as_str()));
            let lists = LISTS.iter().filter(|_| table == Table::State).map(|list| (list.key, list.meaning));
            let mut seen = BTreeSet::new();
            for (name, meaning) in rows.chain(lists) {
                assert!(meaning.ends_with('.') && meaning.starts_with(char::is_uppercase), "{name}: {meaning}");
                assert!(seen.insert(meaning), "{name}: {meaning}");
            }
        }
    }
}
