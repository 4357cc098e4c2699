//! The parameter `principals`: the users that an operation subscribes or unsubscribes.

use crate::api::parameter::{FromJson, Parameter, json_parameter};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::user::User;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// User IDs, or email addresses that the caller sees. An empty list means the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principals {
    Ids(Vec<UserId>),
    Addresses(Vec<String>),
}

impl FromJson for Principals {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let begins_with_text = value.as_array().and_then(|items| items.first()).is_some_and(Value::is_string);
        if begins_with_text {
            Vec::from_json(value, path).map(Self::Addresses)
        } else {
            Vec::from_json(value, path).map(Self::Ids)
        }
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "anyOf": [
                {"type": "array", "items": {"type": "integer"}},
                {"type": "array", "items": {"type": "string"}},
            ]
        })
    }
}

impl Parameter for Principals {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        json_parameter(text, name)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

impl Principals {
    /// The value that means only the caller: an empty list.
    pub fn caller() -> Self {
        Self::Ids(Vec::new())
    }

    /// Whether the list has other users than the caller, including unknown ones.
    pub fn names_others(&self, realm: &Realm, caller: &User) -> bool {
        match self {
            Self::Ids(ids) => ids.iter().any(|id| *id != caller.id),
            Self::Addresses(addresses) => addresses.iter().any(|address| {
                realm.user_by_displayed_email(Some(caller), address).is_none_or(|user| user.id != caller.id)
            }),
        }
    }

    /// The IDs of the users, who are all active.
    ///
    /// # Errors
    ///
    /// `NoSuchUser` or `TargetDeactivated` for the first that is unknown to the caller or deactivated.
    pub fn resolve(&self, realm: &Realm, caller: &User) -> Result<BTreeSet<UserId>, Error> {
        let checked_id = |user: Option<&Arc<User>>| {
            let user = user.filter(|user| !user.is_system_bot() && realm.can_access_user(caller, user.id));
            let user = user.ok_or(Error::NoSuchUser)?;
            if user.is_active { Ok(user.id) } else { Err(Error::TargetDeactivated) }
        };
        let users: BTreeSet<UserId> = match self {
            Self::Ids(ids) => ids.iter().map(|id| checked_id(realm.user(*id))).collect::<Result<_, _>>()?,
            Self::Addresses(addresses) => addresses
                .iter()
                .map(|address| checked_id(realm.user_by_displayed_email(Some(caller), address)))
                .collect::<Result<_, _>>()?,
        };
        Ok(if users.is_empty() { BTreeSet::from([caller.id]) } else { users })
    }
}
