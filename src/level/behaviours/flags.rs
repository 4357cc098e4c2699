//! Behaviours of the personal flags of messages.

use crate::level::objects::MESSAGE_FLAGS;
use crate::level::{Behaviour, ChangedFields, Downgrade};
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 510,
        subject: "flags of a message",
        description: "New flag `hide_link_previews`.",
        test: "link_previews_were_not_hidden_before_510",
        downgrade: Downgrade::Objects(&MESSAGE_FLAGS, ChangedFields::Values, |object, _| {
            if let Some(Value::Array(flags)) = object.get_mut("flags") {
                flags.retain(|flag| *flag != "hide_link_previews");
            }
        }),
    },
    Behaviour {
        level: 224,
        subject: "flags of a message",
        description: "`stream_wildcard_mentioned` and `topic_wildcard_mentioned` are separate; before, `wildcard_mentioned` was the flag for both.",
        test: "wildcard_mentions_had_one_flag_before_224",
        downgrade: Downgrade::Objects(&MESSAGE_FLAGS, ChangedFields::Values, |object, _| {
            let Some(Value::Array(flags)) = object.get_mut("flags") else { return };
            let previous_count = flags.len();
            flags.retain(|flag| *flag != "stream_wildcard_mentioned" && *flag != "topic_wildcard_mentioned");
            if flags.len() < previous_count && !flags.iter().any(|flag| flag == "wildcard_mentioned") {
                flags.push("wildcard_mentioned".into());
            }
        }),
    },
];
