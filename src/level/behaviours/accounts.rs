//! Behaviours of users, spectators, statuses, presence, muted users and one-time notices.

use crate::api::Access;
use crate::error::Error;
use crate::level::fields::removed::email_of_user;
use crate::level::historical_records::record_at_level;
use crate::level::objects::{ONE_TIME_NOTICE, PRESENCE, REGISTER_REPLY, USER, USER_UPDATE_EVENT, USER_UPDATE_VALUES};
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext, Request};
use crate::realm::id::UserId;
use crate::realm::user::Role;
use crate::record::user::{UserRecord, UserView};
use serde_json::{Map, Value, json};

const CLIENT_GRAVATAR_ROUTES: &[&str] =
    &["POST /register", "GET /messages", "GET /users", "GET /users/{user_id}", "GET /users/{email}"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 497,
        subject: "GET /users/{user_id_or_email}/presence",
        description: "`website` and `aggregated` are back; they were left out from 487 on.",
        test: "presence_had_other_fields",
        downgrade: Downgrade::Objects(
            &PRESENCE,
            ChangedFields::Fields(&["website", "aggregated"]),
            |presence, context| {
                if context.level >= 487 {
                    presence.shift_remove("website");
                    presence.shift_remove("aggregated");
                }
            },
        ),
    },
    Behaviour {
        level: 473,
        subject: "POST /users/{user_id}/status",
        description: "Open to bots.",
        test: "bots_set_no_statuses_before_473",
        downgrade: Downgrade::AdditionalAccess(&["POST /users/{user_id}/status"], Access::Human),
    },
    Behaviour {
        level: 458,
        subject: "GET /users/{user_id}/channels, GET /users/{user_id}/subscriptions/{stream_id}, GET /user_groups/{user_group_id}/members/{user_id}",
        description: "Work for bots too; before, bots were `No such user`.",
        test: "subscriptions_and_groups_of_bots_were_not_sent_before_458",
        downgrade: Downgrade::RequestChange(
            &[
                "GET /users/{user_id}/channels",
                "GET /users/{user_id}/subscriptions/{stream_id}",
                "GET /user_groups/{user_group_id}/members/{user_id}",
            ],
            |request| refuse_bots(request, "user_id"),
        ),
    },
    Behaviour {
        level: 387,
        subject: "GET /users",
        description: "Spectators may call it where the organization has public access.",
        test: "spectators_did_not_list_users_before_387",
        downgrade: Downgrade::FormerAccess(&["GET /users"], Access::User),
    },
    Behaviour {
        level: 380,
        subject: "register reply",
        description: "`is_moderator` is true for administrators and owners too.",
        test: "is_moderator_was_only_for_moderators_before_380",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, _| {
            if reply.get("is_admin") == Some(&Value::Bool(true)) && reply.contains_key("is_moderator") {
                reply.insert("is_moderator".into(), false.into());
            }
        }),
    },
    Behaviour {
        level: 302,
        subject: "GET /users/{email}",
        description: "Finds users by their real address, where the caller may see it, and all users by the dummy address; before, only by `email`.",
        test: "users_were_found_only_by_api_email_before_302",
        downgrade: Downgrade::RequestChange(&["GET /users/{email}"], check_api_email),
    },
    Behaviour {
        level: 233,
        subject: "one-time notice",
        description: "Notices have a `type`.",
        test: "notices_had_no_type_before_233",
        downgrade: Downgrade::Objects(&ONE_TIME_NOTICE, ChangedFields::Fields(&["type"]), |notice, _| {
            _ = notice.shift_remove("type")
        }),
    },
    Behaviour {
        level: 222,
        subject: "event realm_user",
        description: "Deactivation and reactivation are `update` with `is_active`; before, they were `remove` and `add`.",
        test: "deactivation_was_a_removal_before_222",
        downgrade: Downgrade::Objects(&USER_UPDATE_EVENT, ChangedFields::Values, replace_activity_update),
    },
    Behaviour {
        level: 188,
        subject: "POST /users/me/muted_users/{muted_user_id}, DELETE /users/me/muted_users/{muted_user_id}",
        description: "Bots can be muted; before, they were `No such user`.",
        test: "bots_were_not_muted_before_188",
        downgrade: Downgrade::RequestChange(
            &["POST /users/me/muted_users/{muted_user_id}", "DELETE /users/me/muted_users/{muted_user_id}"],
            |request| refuse_bots(request, "muted_user_id"),
        ),
    },
    Behaviour {
        level: 163,
        subject: "user",
        description: "`delivery_email` is always present, and null where the caller may not see it; before, it was left out there.",
        test: "hidden_addresses_were_left_out_before_163",
        downgrade: Downgrade::Objects(&USER, ChangedFields::Fields(&["delivery_email"]), |user, _| {
            if user.get("delivery_email") == Some(&Value::Null) {
                user.shift_remove("delivery_email");
            }
        }),
    },
    Behaviour {
        level: 106,
        subject: "PATCH /users/{user_id}",
        description: "`full_name` is plain text; before, JSON.",
        test: "some_texts_were_json",
        downgrade: Downgrade::RequestChange(&["PATCH /users/{user_id}"], |request| request.unquote_json("full_name")),
    },
    Behaviour {
        level: 92,
        subject: "client_gravatar",
        description: "True by default; before, false.",
        test: "client_gravatar_was_off_before_92",
        downgrade: Downgrade::RequestChange(CLIENT_GRAVATAR_ROUTES, |request| {
            request.values.entry("client_gravatar".to_owned()).or_insert_with(|| "false".to_owned());
            Ok(())
        }),
    },
    Behaviour {
        level: 149,
        subject: "POST /register",
        description: "`true` for `client_gravatar` or `include_subscribers` is an error without an account; before, it was ignored.",
        test: "some_parameters_of_spectators_were_ignored_before_149",
        downgrade: Downgrade::RequestChange(&["POST /register"], |request| {
            if request.caller.is_none() {
                for name in ["client_gravatar", "include_subscribers"] {
                    request.values.entry(name.to_owned()).and_modify(|value| "false".clone_into(value));
                }
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 86,
        subject: "register reply",
        description: "A status in `user_status` may consist of an emoji only; older levels show no status for it.",
        test: "statuses_were_texts_before_86",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, _| {
            if let Some(statuses) = reply.get_mut("user_status").and_then(Value::as_object_mut) {
                statuses.retain(|_, status| status.get("status_text").is_some());
            }
        }),
    },
    Behaviour {
        level: 60,
        subject: "user",
        description: "`role` may be 300, moderator; older levels show moderators as members.",
        test: "there_were_no_moderators_before_60",
        downgrade: Downgrade::Objects(&USER, ChangedFields::Values, |user, _| show_moderator_as_member(user)),
    },
    Behaviour {
        level: 60,
        subject: "PATCH /users/{user_id}",
        description: "`role` takes 300, moderator.",
        test: "there_were_no_moderators_before_60",
        downgrade: Downgrade::RequestChange(&["PATCH /users/{user_id}"], |request| match request.values.get("role") {
            Some(role) if role == "300" => Err(Error::InvalidValue { parameter: "role".into() }),
            _ => Ok(()),
        }),
    },
    Behaviour {
        level: 43,
        subject: "GET /users/{user_id_or_email}/presence",
        description: "Takes a user ID too; before, only an address.",
        test: "presence_was_requested_by_address_before_43",
        downgrade: Downgrade::RequestChange(&["GET /users/{user_id_or_email}/presence"], |request| {
            match request.path_id("user_id_or_email") {
                Some(_) => Err(Error::NoSuchUser),
                None => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 7,
        subject: "PATCH /users/{user_id}",
        description: "`role` replaces `is_admin` and `is_guest`.",
        test: "roles_were_booleans_before_7",
        downgrade: Downgrade::RequestChange(&["PATCH /users/{user_id}"], |request| {
            let mut remove = |name: &str| request.values.remove(name);
            let (is_admin, is_guest) = (remove("is_admin"), remove("is_guest"));
            let role = match (is_admin.as_deref(), is_guest.as_deref()) {
                (Some("true"), _) => Role::Administrator,
                (_, Some("true")) => Role::Guest,
                (None, None) => return Ok(()),
                _ => Role::Member,
            };
            request.values.insert("role".into(), role.number().to_string());
            Ok(())
        }),
    },
    Behaviour {
        level: 7,
        subject: "event realm_user update",
        description: "`role` replaces `is_admin` and `is_guest`.",
        test: "roles_were_booleans_before_7",
        downgrade: Downgrade::Objects(
            &USER_UPDATE_VALUES,
            ChangedFields::Fields(&["role", "is_admin", "is_guest"]),
            |person, _| {
                if let Some(role) = person.shift_remove("role").and_then(|role| role.as_i64()) {
                    person.insert("is_admin".into(), (role <= Role::Administrator.number()).into());
                    person.insert("is_guest".into(), (role == Role::Guest.number()).into());
                }
            },
        ),
    },
    Behaviour {
        level: 1,
        subject: "event realm_user update",
        description: "`bot_owner_id` replaces `bot_owner`, an address.",
        test: "owners_of_bots_were_addresses",
        downgrade: Downgrade::Objects(
            &USER_UPDATE_VALUES,
            ChangedFields::Fields(&["bot_owner_id", "bot_owner"]),
            |person, context| {
                if let Some(id) = person.shift_remove("bot_owner_id") {
                    person.insert("bot_owner".into(), email_of_user(Some(&id), context));
                }
            },
        ),
    },
];

/// Refuses a request whose path has the ID of a bot.
fn refuse_bots(request: &Request<'_>, name: &str) -> Result<(), Error> {
    let id = request.path_id(name).map(UserId);
    let is_bot = id.and_then(|id| request.realm.user(id)).is_some_and(|user| user.is_bot());
    if is_bot { Err(Error::NoSuchUser) } else { Ok(()) }
}

fn show_moderator_as_member(user: &mut Map<String, Value>) {
    if user.get("role").and_then(Value::as_i64) == Some(Role::Moderator.number()) {
        user.insert("role".into(), Role::Member.number().into());
    }
}

/// Refuses an address that is no user's `email`; the newest level also finds users by other addresses.
fn check_api_email(request: &mut Request<'_>) -> Result<(), Error> {
    let email = request.path_value("email").unwrap_or_default();
    let user = request.realm.user_by_dummy_email(email).or_else(|| request.realm.user_by_email(email));
    let is_api_email = user.is_some_and(|user| request.realm.api_email(user).eq_ignore_ascii_case(email));
    if is_api_email { Ok(()) } else { Err(Error::NoSuchUser) }
}

/// Replaces an update of `is_active` with the event `add` or `remove`.
fn replace_activity_update(event: &mut Map<String, Value>, context: &DowngradeContext<'_>) {
    let person = event.get("person").cloned().unwrap_or_default();
    let (Some(is_active), Some(id)) = (person["is_active"].as_bool(), person["user_id"].as_i64()) else { return };
    let Some(user) = context.realm.user(UserId(id)) else { return };
    let (op, person) = if is_active {
        // Whether the client computes avatars is not known here; a URL is right for every client.
        let view = UserView { viewer: context.caller, client_gravatar: false, include_profile: true };
        ("add", record_at_level(222, &USER, json!(UserRecord::new(context.realm, user, view)), context))
    } else {
        ("remove", json!({"user_id": id, "full_name": user.full_name}))
    };
    event.insert("op".into(), op.into());
    event.insert("person".into(), person);
}
