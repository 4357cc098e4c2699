//! Behaviours of mobile devices and their push tokens.

use crate::level::objects::PUSH_DEVICE_EVENT;
use crate::level::{Behaviour, ChangedFields, Downgrade};
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 450,
        subject: "event push_device",
        description: "`push_account_id` is a number; before, text.",
        test: "clients_chose_device_ids_before_468",
        downgrade: Downgrade::Objects(&PUSH_DEVICE_EVENT, ChangedFields::Fields(&["push_account_id"]), |event, _| {
            if let Some(id) = event.get("push_account_id").and_then(Value::as_i64) {
                event.insert("push_account_id".into(), id.to_string().into());
            }
        }),
    },
    Behaviour {
        level: 223,
        subject: "POST /users/me/platform_device_token",
        description: "`appid` is required; before, it could be left out.",
        test: "appid_could_be_left_out_before_223",
        downgrade: Downgrade::RequestChange(&["POST /users/me/platform_device_token"], |request| {
            // The app ID of tokens without one.
            request.values.entry("appid".to_owned()).or_insert_with(|| "unknown".to_owned());
            Ok(())
        }),
    },
];
