//! The server from which the organization is read: its feature level and its dialect.

use super::json::JsonFields;
use crate::dialect::Dialect;
use crate::level::{self, ObjectKind};
use serde_json::{Map, Value};

/// The oldest feature level of servers from which organizations are read.
pub const OLDEST_LEVEL: i64 = 130;

/// The server with the organization.
#[derive(Clone, Debug)]
pub struct Server {
    /// The feature level, from [`OLDEST_LEVEL`] on.
    pub level: i64,
    dialect: Dialect,
}

impl Server {
    /// Describes a server by its reply to `GET /server_settings`.
    ///
    /// # Errors
    ///
    /// A message if the server has another API or is too old.
    pub fn new(settings: &Value) -> Result<Self, String> {
        let vendor = Dialect::zulip();
        let has_vendor_names = settings.get(vendor.vendor_key("service_feature_level")).is_some();
        let dialect = if has_vendor_names { vendor } else { Dialect::neutral() };
        let level = settings.integer(dialect.vendor_key("service_feature_level"));
        let level = level.ok_or("the server does not say its feature level, so it has another API or is too old")?;
        if level < OLDEST_LEVEL {
            return Err(format!(
                "the server has the feature level {level}; organizations are read from {OLDEST_LEVEL} on"
            ));
        }
        Ok(Self { level, dialect })
    }

    /// Translates a record to the neutral dialect, and renames its fields to their names at the newest level.
    pub fn with_newest_names(&self, kind: &ObjectKind, record: Value) -> Value {
        let mut record = self.with_neutral_names("", record);
        if let Value::Object(record) = &mut record {
            level::rename_fields(self.level, kind, record);
        }
        record
    }

    /// Translates a value under a key to neutral names.
    fn with_neutral_names(&self, key: &str, value: Value) -> Value {
        if self.dialect.is_neutral() {
            return value;
        }
        match value {
            Value::String(text) => self.dialect.neutral_value(key, &text).into_owned().into(),
            Value::Array(list) => list.into_iter().map(|value| self.with_neutral_names(key, value)).collect(),
            Value::Object(object) => {
                let translate = |(key, value): (String, Value)| {
                    let value = self.with_neutral_names(&key, value);
                    (self.dialect.neutral_key(&key).to_owned(), value)
                };
                Value::Object(object.into_iter().map(translate).collect::<Map<_, _>>())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::objects::{GROUP, REGISTER_REPLY};
    use serde_json::json;

    #[test]
    fn the_level_is_read_from_the_server_settings() {
        assert_eq!(Server::new(&json!({"zulip_feature_level": 247})).map(|server| server.level), Ok(247));
        assert_eq!(Server::new(&json!({"service_feature_level": 512})).map(|server| server.level), Ok(512));
        assert!(Server::new(&json!({"zulip_feature_level": 129})).is_err());
        assert!(Server::new(&json!({"result": "success"})).is_err());
    }

    #[test]
    fn fields_get_the_newest_names() {
        let old = Server::new(&json!({"zulip_feature_level": 130})).expect("a server");
        assert_eq!(old.with_newest_names(&GROUP, json!({"subgroups": [1]})), json!({"direct_subgroup_ids": [1]}));
        let register_reply =
            json!({"realm_notifications_stream_id": 3, "reactions": [{"reaction_type": "zulip_extra_emoji"}]});
        assert_eq!(
            old.with_newest_names(&REGISTER_REPLY, register_reply),
            json!({
                "reactions": [{"reaction_type": "service_extra_emoji"}],
                "realm_new_stream_announcements_stream_id": 3,
            })
        );
        let newer = Server::new(&json!({"service_feature_level": 200})).expect("a server");
        assert_eq!(newer.with_newest_names(&GROUP, json!({"can_mention_group": 1})), json!({"can_mention_group": 1}));
    }
}
