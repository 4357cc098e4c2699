//! Users, bots, logging in, presence, devices.

use crate::api::Access;
use crate::error::Error;
use crate::level::objects::{PRESENCE, REGISTER, USER, USER_CHANGE};
use crate::level::{Act, Behaviour, Context, Request};
use crate::realm::id::UserId;
use crate::record::user::{Look, UserRecord};
use serde_json::{Map, Value, json};

/// Operations that take `client_gravatar`.
const WITH_PICTURES: &[&str] =
    &["POST /register", "GET /messages", "GET /users", "GET /users/{user_id}", "GET /users/{email}"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 497,
        on: "GET /users/{user_id_or_email}/presence",
        words: "`website` and `aggregated` are back; they were left out from 487 on.",
        test: "presence_was_given_in_other_forms",
        act: Act::Objects(&PRESENCE, |presence, context| {
            if context.level >= 487 {
                presence.shift_remove("website");
                presence.shift_remove("aggregated");
            }
        }),
    },
    Behaviour {
        level: 494,
        on: "/bot_storage",
        words: "For bots only (403 PERMISSION_DENIED); before, people had a storage too.",
        test: "people_had_a_storage_before_494",
        act: Act::Instead(&["GET /bot_storage", "PUT /bot_storage", "DELETE /bot_storage"], Access::User),
    },
    Behaviour {
        level: 475,
        on: "POST /fetch_api_key, POST /dev_fetch_api_key",
        words: "The first login of imported users and those made through the API moves `date_joined`; before, it stayed.",
        test: "the_first_login_moved_no_date_before_475",
        act: Act::Elsewhere,
    },
    Behaviour {
        level: 473,
        on: "POST /users/{user_id}/status",
        words: "Open to bots.",
        test: "bots_set_no_statuses_before_473",
        act: Act::Also(&["POST /users/{user_id}/status"], Access::Human),
    },
    Behaviour {
        level: 387,
        on: "GET /users",
        words: "Visitors without an account may call it where the organization has public access.",
        test: "visitors_did_not_list_users_before_387",
        act: Act::Instead(&["GET /users"], Access::User),
    },
    Behaviour {
        level: 380,
        on: "register reply",
        words: "`is_moderator` is true for administrators and owners too.",
        test: "is_moderator_was_for_moderators_alone_before_380",
        act: Act::Objects(&REGISTER, |reply, _| {
            if reply.get("is_admin") == Some(&Value::Bool(true)) && reply.contains_key("is_moderator") {
                reply.insert("is_moderator".into(), false.into());
            }
        }),
    },
    Behaviour {
        level: 302,
        on: "GET /users/{email}",
        words: "Finds users by their real address, where the caller may see it, and everybody by the dummy address; before, by `email` alone.",
        test: "users_were_found_by_api_email_alone_before_302",
        act: Act::Request(&["GET /users/{email}"], find_by_api_email),
    },
    Behaviour {
        level: 223,
        on: "POST /users/me/platform_device_token",
        words: "`appid` is required; before, it could be left out.",
        test: "appid_could_be_left_out_before_223",
        act: Act::Request(&["POST /users/me/platform_device_token"], |request| {
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
        act: Act::Objects(&USER_CHANGE, activity_as_coming_and_going),
    },
    Behaviour {
        level: 163,
        on: "user",
        words: "`delivery_email` is always there, null where the caller may not see it; before, it was left out then.",
        test: "hidden_addresses_were_left_out_before_163",
        act: Act::Objects(&USER, |user, _| {
            if user.get("delivery_email") == Some(&Value::Null) {
                user.shift_remove("delivery_email");
            }
        }),
    },
    Behaviour {
        level: 92,
        on: "client_gravatar",
        words: "True by default; before, false.",
        test: "client_gravatar_was_off_before_92",
        act: Act::Request(WITH_PICTURES, |request| {
            request.values.entry("client_gravatar".to_owned()).or_insert_with(|| "false".to_owned());
            Ok(())
        }),
    },
    Behaviour {
        level: 76,
        on: "errors of deactivated accounts",
        words: "HTTP status 401; before, 403.",
        test: "deactivated_accounts_got_403_before_76",
        act: Act::Code { errors: &["UserDeactivated"], routes: &[], status: 403, code: "USER_DEACTIVATED" },
    },
    Behaviour {
        level: 76,
        on: "POST /fetch_api_key, POST /dev_fetch_api_key",
        words: "HTTP status 401 for a wrong name or password; before, 403.",
        test: "wrong_passwords_got_403_before_76",
        act: Act::Code { errors: &["AuthenticationFailed"], routes: &[], status: 403, code: "AUTHENTICATION_FAILED" },
    },
];

/// Refuses an address that is not somebody's `email`; the newest level knows more.
fn find_by_api_email(request: &mut Request<'_>) -> Result<(), Error> {
    let email = request.part("email").unwrap_or_default();
    let found = request.realm.user_by_dummy_email(email).or_else(|| request.realm.user_by_email(email));
    let is_api_email = found.is_some_and(|user| request.realm.api_email(user).eq_ignore_ascii_case(email));
    if is_api_email { Ok(()) } else { Err(Error::NoSuchUser) }
}

fn activity_as_coming_and_going(event: &mut Map<String, Value>, context: &Context<'_>) {
    let person = event.get("person").cloned().unwrap_or_default();
    let (Some(is_active), Some(id)) = (person["is_active"].as_bool(), person["user_id"].as_i64()) else { return };
    let Some(user) = context.realm.user(UserId(id)) else { return };
    let (op, mut person) = if is_active {
        let look = Look { viewer: context.caller, client_gravatar: false, include_profile: true };
        ("add", json!(UserRecord::new(context.realm, user, look)))
    } else {
        ("remove", json!({"user_id": id, "full_name": user.full_name}))
    };
    // What is younger than this change was taken from records of the newest level before.
    if let Some(person) = person.as_object_mut() {
        person.shift_remove("is_imported_stub");
        person.shift_remove("is_deleted");
    }
    event.insert("op".into(), op.into());
    event.insert("person".into(), person);
}
