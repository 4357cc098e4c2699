//! Behaviours of mobile devices and push notifications.

use crate::level::objects::PUSH_DEVICE;
use crate::level::{Behaviour, Downgrade};
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 504,
        on: "push notifications",
        description: "Where `require_e2ee_push_notifications` is on, legacy tokens get none; before, they got them without the content.",
        test: "legacy_tokens_got_pushes_without_content_before_504",
        // Decided where pushes are sent to the relay.
        downgrade: Downgrade::InCore,
    },
    Behaviour {
        level: 483,
        on: "POST /mobile_push/register",
        description: "Removes the same legacy token; before, it stayed.",
        test: "older_tokens_stayed_before_483",
        // Decided in the operation, after the relay has accepted the token.
        downgrade: Downgrade::InCore,
    },
    Behaviour {
        level: 468,
        on: "POST /mobile_push/register",
        description: "The server assigns device IDs; before, the client chose them, all parameters were required, and a registered device stayed as it was.",
        test: "clients_chose_the_numbers_of_devices_before_468",
        // Decided in the operation.
        downgrade: Downgrade::InCore,
    },
    Behaviour {
        level: 468,
        on: "event push_device",
        description: "No longer sent; before, it reported the progress of a device's registration.",
        test: "clients_chose_the_numbers_of_devices_before_468",
        // Decided by the delivery condition of the event: Needs::Before.
        downgrade: Downgrade::InCore,
    },
    Behaviour {
        level: 450,
        on: "event push_device",
        description: "`push_account_id` is a number; before, text.",
        test: "clients_chose_the_numbers_of_devices_before_468",
        downgrade: Downgrade::Objects(&PUSH_DEVICE, |event, _| {
            if let Some(id) = event.get("push_account_id").and_then(Value::as_i64) {
                event.insert("push_account_id".into(), id.to_string().into());
            }
        }),
    },
    Behaviour {
        level: 468,
        on: "push notifications",
        description: "Encrypted ones name their key, `push_key_id`; before, the device, `push_account_id`.",
        test: "pushes_listed_recipients_and_named_devices_otherwise",
        // Decided where the push is read.
        downgrade: Downgrade::InCore,
    },
    Behaviour {
        level: 429,
        on: "push notifications",
        description: "Those for direct messages have `recipient_user_ids`; before, those for group direct messages had `pm_users`, a text.",
        test: "pushes_listed_recipients_and_named_devices_otherwise",
        // Decided where the push is read.
        downgrade: Downgrade::InCore,
    },
];
