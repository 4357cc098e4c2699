//! Behaviours of bots: accounts, storage and the options of incoming webhooks.

use crate::api::Access;
use crate::level::fields::removed::email_of_user;
use crate::level::historical_records::record_at_level;
use crate::level::objects::{BOT, BOT_UPDATE_EVENT, BOT_UPDATE_VALUES, INCOMING_WEBHOOK_OPTION};
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext};
use crate::realm::id::UserId;
use crate::record::bot::BotRecord;
use serde_json::{Map, Value, json};

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 318,
        subject: "POST /register",
        description: "`realm_incoming_webhook_bots[].config_options` is a list; before, `config` was an object of validators by key.",
        test: "options_of_webhook_bots_were_an_object_before_318",
        downgrade: Downgrade::Objects(
            &INCOMING_WEBHOOK_OPTION,
            ChangedFields::Fields(&["config", "config_options"]),
            |bot, _| {
                // The renaming to `config_options` at this level is undone before.
                let Some(Value::Array(options)) = bot.get("config") else { return };
                let text = |option: &Value, name: &str| option[name].as_str().unwrap_or_default().to_owned();
                let validators =
                    options.iter().map(|option| (text(option, "key"), Value::from(text(option, "validator"))));
                let config: Map<String, Value> = validators.collect();
                bot.insert("config".into(), config.into());
            },
        ),
    },
    Behaviour {
        level: 494,
        subject: "/bot_storage",
        description: "For bots only (403 PERMISSION_DENIED); before, human users had a storage too.",
        test: "human_users_had_a_storage_before_494",
        downgrade: Downgrade::FormerAccess(
            &["GET /bot_storage", "PUT /bot_storage", "DELETE /bot_storage"],
            Access::User,
        ),
    },
    Behaviour {
        level: 222,
        subject: "event realm_bot",
        description: "Deactivation and reactivation are `update` with `is_active` (until 474); before, they were `remove` and `add`.",
        test: "bot_records_had_account_fields_before_474",
        downgrade: Downgrade::Objects(&BOT_UPDATE_EVENT, ChangedFields::Values, replace_activity_update),
    },
    Behaviour {
        level: 5,
        subject: "event realm_bot update",
        description: "`owner_id` replaces `owner`, an address.",
        test: "owners_of_bots_were_addresses",
        downgrade: Downgrade::Objects(
            &BOT_UPDATE_VALUES,
            ChangedFields::Fields(&["owner_id", "owner"]),
            |bot, context| {
                if let Some(id) = bot.shift_remove("owner_id") {
                    bot.insert("owner".into(), email_of_user(Some(&id), context));
                }
            },
        ),
    },
];

/// Replaces an update of `is_active` with the event `add` or `remove`.
fn replace_activity_update(event: &mut Map<String, Value>, context: &DowngradeContext<'_>) {
    let bot = event.get("bot").cloned().unwrap_or_default();
    let (Some(is_active), Some(id)) = (bot["is_active"].as_bool(), bot["user_id"].as_i64()) else { return };
    let Some(user) = context.realm.user(UserId(id)) else { return };
    let (op, bot) = if is_active {
        ("add", record_at_level(222, &BOT, json!(BotRecord::new(context.realm, user)), context))
    } else {
        ("remove", json!({"user_id": id, "full_name": user.full_name}))
    };
    event.insert("op".into(), op.into());
    event.insert("bot".into(), bot);
}
