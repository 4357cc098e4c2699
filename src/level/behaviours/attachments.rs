//! Behaviours of attachments, the uploaded files that messages link to.

use crate::level::objects::ATTACHMENT;
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext};
use crate::realm::id::MessageId;
use serde_json::{Map, Value, json};

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 472,
        subject: "attachment",
        description: "`message_ids` replaces `messages`, a list of `id` and `date_sent` (seconds; milliseconds below 443).",
        test: "attachments_listed_messages_before_472",
        downgrade: Downgrade::Objects(
            &ATTACHMENT,
            ChangedFields::Fields(&["message_ids", "messages"]),
            replace_message_ids,
        ),
    },
    Behaviour {
        level: ATTACHMENT_SECONDS_SINCE,
        subject: "attachment",
        description: "`create_time` is in seconds; before, in milliseconds.",
        test: "attachments_counted_milliseconds_before_443",
        downgrade: Downgrade::Objects(&ATTACHMENT, ChangedFields::Values, |attachment, _| {
            if let Some(seconds) = attachment.get("create_time").and_then(Value::as_i64) {
                attachment.insert("create_time".into(), (seconds * 1000).into());
            }
        }),
    },
    Behaviour {
        level: 22,
        subject: "attachment",
        description: "Times are integers; before, numbers with a fraction.",
        test: "attachments_named_the_times_of_messages_before_22",
        downgrade: Downgrade::Objects(
            &ATTACHMENT,
            ChangedFields::Fields(&["create_time", "messages"]),
            |attachment, _| {
                convert_to_float(attachment.get_mut("create_time"));
                for message in attachment.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
                    // `date_sent`, which was called `name` below this level: that renaming is undone before.
                    convert_to_float(message.get_mut("name"));
                }
            },
        ),
    },
];

/// The first level with times of attachments in seconds instead of milliseconds.
const ATTACHMENT_SECONDS_SINCE: i64 = 443;

/// Turns an integer into a number with a fraction, such as `1767268800000.0`.
#[expect(clippy::cast_precision_loss, reason = "milliseconds are far below 2^53")]
fn convert_to_float(number: Option<&mut Value>) {
    if let Some(number) = number
        && let Some(integer) = number.as_i64()
    {
        *number = json!(integer as f64);
    }
}

fn replace_message_ids(attachment: &mut Map<String, Value>, context: &DowngradeContext<'_>) {
    let Some(Value::Array(ids)) = attachment.shift_remove("message_ids") else { return };
    let units_per_second = if context.level < ATTACHMENT_SECONDS_SINCE { 1000 } else { 1 };
    let date_sent = |id: i64| {
        context.realm.messages.get(&MessageId(id)).map(|message| message.sent_at.seconds() * units_per_second)
    };
    let objects = ids.iter().filter_map(Value::as_i64).map(|id| json!({"id": id, "date_sent": date_sent(id)}));
    attachment.insert("messages".into(), objects.collect());
}
