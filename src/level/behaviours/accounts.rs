//! Users, logging in, presence.

use crate::api::Access;
use crate::error::Error;
use crate::level::fields::gone::address_of;
use crate::level::objects::{PERSON, PRESENCE, REGISTER, USER, USER_CHANGE};
use crate::level::past::as_of;
use crate::level::{AFTER_THE_RECORDED, Behaviour, Context, Downgrade, Request, SPECIFIED};
use crate::realm::id::UserId;
use crate::realm::user::Role;
use crate::record::user::{UserRecord, UserView};
use serde_json::{Map, Value, json};

/// Operations that take `client_gravatar`.
const WITH_PICTURES: &[&str] =
    &["POST /register", "GET /messages", "GET /users", "GET /users/{user_id}", "GET /users/{email}"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 284,
        on: "POST /users, PATCH /users/{user_id}, PATCH /users/{email}, PATCH /settings, POST /bots, PATCH /bots/{bot_id}",
        words: "Names may have invisible characters, such as joiners; before, no character of Unicode's category C.",
        test: "names_had_no_invisible_characters_before_284",
        // Decided where names are checked.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 497,
        on: "GET /users/{user_id_or_email}/presence",
        words: "`website` and `aggregated` are back; they were left out from 487 on.",
        test: "presence_was_given_in_other_forms",
        act: Downgrade::Objects(&PRESENCE, |presence, context| {
            if context.level >= 487 {
                presence.shift_remove("website");
                presence.shift_remove("aggregated");
            }
        }),
    },
    Behaviour {
        level: 492,
        on: "POST /users/me/api_key/regenerate",
        words: "Removes the user's devices too; before, only legacy push tokens.",
        test: "devices_outlived_their_keys_before_492",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 475,
        on: "POST /fetch_api_key, POST /dev_fetch_api_key",
        words: "The first login of imported users and those made through the API moves `date_joined`; before, it stayed.",
        test: "the_first_login_moved_no_date_before_475",
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 473,
        on: "POST /users/{user_id}/status",
        words: "Open to bots.",
        test: "bots_set_no_statuses_before_473",
        act: Downgrade::Also(&["POST /users/{user_id}/status"], Access::Human),
    },
    Behaviour {
        level: 458,
        on: "GET /users/{user_id}/channels, GET /users/{user_id}/subscriptions/{stream_id}, GET /user_groups/{user_group_id}/members/{user_id}",
        words: "Work for bots too; before, bots were `No such user`.",
        test: "subscriptions_and_groups_of_bots_were_not_sent_before_458",
        act: Downgrade::Request(
            &[
                "GET /users/{user_id}/channels",
                "GET /users/{user_id}/subscriptions/{stream_id}",
                "GET /user_groups/{user_group_id}/members/{user_id}",
            ],
            |request| refuse_bots(request, "user_id"),
        ),
    },
    Behaviour {
        level: 437,
        on: "GET /users, GET /users/{user_id}, GET /users/{email}",
        words: "Guests with limited access to users get no placeholders for other users, which are left out or refused.",
        test: "guests_got_placeholders_before_437",
        // Decided in the operations, which know who may be known.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 387,
        on: "GET /users",
        words: "Visitors without an account may call it where the organization has public access.",
        test: "visitors_did_not_list_users_before_387",
        act: Downgrade::Instead(&["GET /users"], Access::User),
    },
    Behaviour {
        level: 380,
        on: "register reply",
        words: "`is_moderator` is true for administrators and owners too.",
        test: "is_moderator_was_for_moderators_alone_before_380",
        act: Downgrade::Objects(&REGISTER, |reply, _| {
            if reply.get("is_admin") == Some(&Value::Bool(true)) && reply.contains_key("is_moderator") {
                reply.insert("is_moderator".into(), false.into());
            }
        }),
    },
    Behaviour {
        level: 302,
        on: "GET /users/{email}",
        words: "Finds users by their real address, where the caller may see it, and all users by the dummy address; before, only by `email`.",
        test: "users_were_found_by_api_email_alone_before_302",
        act: Downgrade::Request(&["GET /users/{email}"], find_by_api_email),
    },
    Behaviour {
        level: 223,
        on: "POST /users/me/platform_device_token",
        words: "`appid` is required; before, it could be left out.",
        test: "appid_could_be_left_out_before_223",
        act: Downgrade::Request(&["POST /users/me/platform_device_token"], |request| {
            //
            request.values.entry("appid".to_owned()).or_insert_with(|| "unknown".to_owned());
            Ok(())
        }),
    },
    Behaviour {
        level: 222,
        on: "event realm_user",
        words: "Deactivation and reactivation are `update` with `is_active`; before, they were `remove` and `add`.",
        test: "deactivation_was_a_removal_before_222",
        act: Downgrade::Objects(&USER_CHANGE, person_activity),
    },
    Behaviour {
        level: 188,
        on: "POST /users/me/muted_users/{muted_user_id}, DELETE /users/me/muted_users/{muted_user_id}",
        words: "Bots can be muted; before, they were `No such user`.",
        test: "bots_were_not_muted_before_188",
        act: Downgrade::Request(
            &["POST /users/me/muted_users/{muted_user_id}", "DELETE /users/me/muted_users/{muted_user_id}"],
            |request| refuse_bots(request, "muted_user_id"),
        ),
    },
    Behaviour {
        level: 163,
        on: "user",
        words: "`delivery_email` is always present, and null where the caller may not see it; before, it was left out there.",
        test: "hidden_addresses_were_left_out_before_163",
        act: Downgrade::Objects(&USER, |user, _| {
            if user.get("delivery_email") == Some(&Value::Null) {
                user.shift_remove("delivery_email");
            }
        }),
    },
    Behaviour {
        level: 106,
        on: "PATCH /users/{user_id}",
        words: "`full_name` is plain text; before, JSON.",
        test: "some_texts_were_json",
        act: Downgrade::Request(&["PATCH /users/{user_id}"], |request| request.text_from_json("full_name")),
    },
    Behaviour {
        level: 92,
        on: "client_gravatar",
        words: "True by default; before, false.",
        test: "client_gravatar_was_off_before_92",
        act: Downgrade::Request(WITH_PICTURES, |request| {
            request.values.entry("client_gravatar".to_owned()).or_insert_with(|| "false".to_owned());
            Ok(())
        }),
    },
    Behaviour {
        level: 86,
        on: "register reply",
        words: "A status in `user_status` may consist of an emoji only; older levels show no status for it.",
        test: "statuses_were_texts_before_86",
        act: Downgrade::Objects(&REGISTER, |reply, _| {
            if let Some(statuses) = reply.get_mut("user_status").and_then(Value::as_object_mut) {
                statuses.retain(|_, status| status.get("status_text").is_some());
            }
        }),
    },
    Behaviour {
        level: SPECIFIED,
        on: "a path that does not take the method",
        words: "The error has a code; before, it had none.",
        test: "wrong_methods_and_paths_had_no_code",
        act: Downgrade::Code { errors: &["MethodNotAllowed"], routes: &[], status: 405, code: "" },
    },
    Behaviour {
        level: SPECIFIED,
        on: "an unknown path",
        words: "The error has a code; before, it had none.",
        test: "wrong_methods_and_paths_had_no_code",
        act: Downgrade::Code { errors: &["UnknownPath"], routes: &[], status: 404, code: "" },
    },
    Behaviour {
        level: 76,
        on: "errors of deactivated accounts",
        words: "HTTP status 401; before, 403.",
        test: "deactivated_accounts_got_403_before_76",
        act: Downgrade::Code { errors: &["UserDeactivated"], routes: &[], status: 403, code: "USER_DEACTIVATED" },
    },
    Behaviour {
        level: AFTER_THE_RECORDED,
        on: "event realm_user add",
        words: "`avatar_url` is null where a client with `client_gravatar` can compute it; before, it was always a URL.",
        test: "new_users_came_with_their_pictures",
        // Decided where the event is shaped.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: SPECIFIED,
        on: "credentials that are refused",
        words: "INVALID_API_KEY, USER_DEACTIVATED or REALM_DEACTIVATED; before, UNAUTHORIZED, except where a key is requested.",
        test: "refused_credentials_had_one_code",
        act: Downgrade::CodeOfCredentials {
            errors: &["MalformedApiKey", "InvalidApiKey", "UserDeactivated", "RealmDeactivated"],
            code: "UNAUTHORIZED",
        },
    },
    Behaviour {
        level: 76,
        on: "errors of deactivated organizations",
        words: "HTTP status 401; before, 403.",
        test: "deactivated_organizations_got_403_before_76",
        act: Downgrade::Code { errors: &["RealmDeactivated"], routes: &[], status: 403, code: "REALM_DEACTIVATED" },
    },
    Behaviour {
        level: 76,
        on: "POST /fetch_api_key, POST /dev_fetch_api_key",
        words: "HTTP status 401 for a wrong name or password; before, 403.",
        test: "wrong_passwords_got_403_before_76",
        act: Downgrade::Code {
            errors: &["AuthenticationFailed"],
            routes: &[],
            status: 403,
            code: "AUTHENTICATION_FAILED",
        },
    },
    Behaviour {
        level: 76,
        on: "POST /fetch_api_key",
        words: "HTTP status 401 where password logins are disabled; before, 403.",
        test: "passwords_not_taken_got_403_before_76",
        act: Downgrade::Code {
            errors: &["PasswordAuthDisabled"],
            routes: &[],
            status: 403,
            code: "PASSWORD_AUTH_DISABLED",
        },
    },
    Behaviour {
        level: 64,
        on: "PATCH /streams/{stream_id}",
        words: "`description` and `new_name` are plain text; before, JSON.",
        test: "some_texts_were_json",
        act: Downgrade::Request(&["PATCH /streams/{stream_id}"], |request| {
            request.text_from_json("description")?;
            request.text_from_json("new_name")
        }),
    },
    Behaviour {
        level: 60,
        on: "user",
        words: "`role` may be 300, moderator; older levels show moderators as members.",
        test: "there_were_no_moderators_before_60",
        act: Downgrade::Objects(&USER, |user, _| moderator_as_member(user)),
    },
    Behaviour {
        level: 60,
        on: "PATCH /users/{user_id}",
        words: "`role` takes 300, moderator.",
        test: "there_were_no_moderators_before_60",
        act: Downgrade::Request(&["PATCH /users/{user_id}"], |request| match request.values.get("role") {
            Some(role) if role == "300" => Err(Error::InvalidValue { parameter: "role".into() }),
            _ => Ok(()),
        }),
    },
    Behaviour {
        level: 43,
        on: "GET /users/{user_id_or_email}/presence",
        words: "Takes a user ID too; before, only an address.",
        test: "presence_was_asked_for_by_address_before_43",
        act: Downgrade::Request(&["GET /users/{user_id_or_email}/presence"], |request| {
            match request.id("user_id_or_email") {
                Some(_) => Err(Error::NoSuchUser),
                None => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 36,
        on: "errors of rate limits",
        words: "Their code is RATE_LIMIT_HIT; before, they had none.",
        test: "rate_limits_had_no_code_before_36",
        act: Downgrade::Code { errors: &["RateLimitHit"], routes: &[], status: 429, code: "" },
    },
    Behaviour {
        level: 36,
        on: "POST /users",
        words: "Requires the permission to create users; before, the role of administrator.",
        test: "administrators_made_users_before_36",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 7,
        on: "PATCH /users/{user_id}",
        words: "`role` replaces `is_admin` and `is_guest`.",
        test: "roles_were_switches_before_7",
        act: Downgrade::Request(&["PATCH /users/{user_id}"], |request| {
            let mut take = |name: &str| request.values.remove(name);
            let (is_admin, is_guest) = (take("is_admin"), take("is_guest"));
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
        on: "event realm_user update",
        words: "`role` replaces `is_admin` and `is_guest`.",
        test: "roles_were_switches_before_7",
        act: Downgrade::Objects(&PERSON, |person, _| {
            if let Some(role) = person.shift_remove("role").and_then(|role| role.as_i64()) {
                person.insert("is_admin".into(), (role <= Role::Administrator.number()).into());
                person.insert("is_guest".into(), (role == Role::Guest.number()).into());
            }
        }),
    },
    Behaviour {
        level: 1,
        on: "event realm_user update",
        words: "`bot_owner_id` replaces `bot_owner`, an address.",
        test: "owners_of_bots_were_addresses",
        act: Downgrade::Objects(&PERSON, |person, context| {
            if let Some(id) = person.shift_remove("bot_owner_id") {
                person.insert("bot_owner".into(), address_of(Some(&id), context));
            }
        }),
    },
];

/// Refuses a bot in the path.
fn refuse_bots(request: &Request<'_>, name: &str) -> Result<(), Error> {
    let id = request.id(name).map(UserId);
    let is_bot = id.and_then(|id| request.realm.user(id)).is_some_and(|user| user.is_bot());
    if is_bot { Err(Error::NoSuchUser) } else { Ok(()) }
}

fn moderator_as_member(user: &mut Map<String, Value>) {
    if user.get("role").and_then(Value::as_i64) == Some(Role::Moderator.number()) {
        user.insert("role".into(), Role::Member.number().into());
    }
}

/// Refuses an address that is not somebody's `email`; the newest level knows more.
fn find_by_api_email(request: &mut Request<'_>) -> Result<(), Error> {
    let email = request.part("email").unwrap_or_default();
    let found = request.realm.user_by_dummy_email(email).or_else(|| request.realm.user_by_email(email));
    let is_api_email = found.is_some_and(|user| request.realm.api_email(user).eq_ignore_ascii_case(email));
    if is_api_email { Ok(()) } else { Err(Error::NoSuchUser) }
}

fn person_activity(event: &mut Map<String, Value>, context: &Context<'_>) {
    let person = event.get("person").cloned().unwrap_or_default();
    let (Some(is_active), Some(id)) = (person["is_active"].as_bool(), person["user_id"].as_i64()) else { return };
    let Some(user) = context.realm.user(UserId(id)) else { return };
    let (op, person) = if is_active {
        let view = UserView { viewer: context.caller, client_gravatar: false, include_profile: true };
        ("add", as_of(222, &USER, json!(UserRecord::new(context.realm, user, view)), context))
    } else {
        ("remove", json!({"user_id": id, "full_name": user.full_name}))
    };
    event.insert("op".into(), op.into());
    event.insert("person".into(), person);
}
