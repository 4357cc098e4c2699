//! Users: looking them up and making them.

use crate::support::{TestServer, User};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn new_person() -> Value {
    json!({"email": "wilma@chat.test", "password": "wilma-password-7421", "full_name": "Wilma Wong"})
}

async fn user_by(viewer: &User, who: &str) -> Value {
    viewer.get(&format!("/users/{who}"), json!({})).await.success()["user"].clone()
}

#[tokio::test]
async fn the_list_has_bots_and_deactivated_users_but_not_the_service_s_own() {
    let server = TestServer::start().await;
    let [mel, dana, bot] = server.users(["mel", "dana", "build-bot"]);

    let members = mel.get("/users", json!({})).await.success()["members"].clone();

    let ids: Vec<i64> = members.as_array().into_iter().flatten().filter_map(|user| user["user_id"].as_i64()).collect();
    assert_eq!(ids.len(), 15);
    assert!(ids.contains(&dana.id()) && ids.contains(&bot.id()));
    assert!(ids.is_sorted());
    let reply = mel.get("/users", json!({"user_ids": [bot.id(), 9999, mel.id()]})).await.success();
    let chosen: Vec<&Value> = reply["members"].as_array().into_iter().flatten().map(|user| &user["user_id"]).collect();
    assert_eq!(chosen, [&json!(mel.id()), &json!(bot.id())]);
}

#[tokio::test]
async fn a_user_is_found_by_id_by_dummy_and_by_visible_address() {
    let server = TestServer::start().await;
    let [mel, mona, adam, gus] = server.users(["mel", "mona", "adam", "gus"]);
    let dummy = |user: &User| format!("user{}@chat.test", user.id());

    for who in [mel.id().to_string(), mel.email().to_uppercase(), dummy(&mel)] {
        assert_eq!(user_by(&adam, &who).await["user_id"], mel.id());
    }
    // Gus shows his address to administrators, Mona hers to nobody.
    for (viewer, hidden) in [(&mel, &gus), (&mel, &mona), (&adam, &mona)] {
        let refused = viewer.get(&format!("/users/{}", hidden.email()), json!({})).await;
        refused.error("BAD_REQUEST", "No such user");
        assert_eq!(user_by(viewer, &dummy(hidden)).await["delivery_email"], Value::Null);
    }
    assert_eq!(user_by(&adam, gus.email()).await["delivery_email"], gus.email());
    assert_eq!(user_by(&adam, gus.email()).await["email"], dummy(&gus));
    for unknown in ["9999", "nobody@chat.test", "user9999@chat.test", "abc", "-5"] {
        mel.get(&format!("/users/{unknown}"), json!({})).await.with_status(400).error("BAD_REQUEST", "No such user");
    }
}

#[tokio::test]
async fn rows_have_what_the_viewer_may_see() {
    let server = TestServer::start().await;
    let [max, mel, bot] = server.users(["max", "mel", "build-bot"]);

    let row = user_by(&mel, &max.id().to_string()).await;
    assert_eq!(
        row,
        json!({
            "user_id": max.id(), "delivery_email": max.email(), "email": max.email(), "full_name": "Max Mercer",
            "date_joined": "2025-10-03T12:00+00:00", "is_active": true, "is_owner": false, "is_admin": false,
            "is_guest": false, "is_bot": false, "bot_type": null, "bot_owner_id": null, "role": 400, "timezone": "",
            "avatar_url": null, "avatar_version": 1, "is_imported_stub": false,
        })
    );
    let with = json!({"client_gravatar": false, "include_custom_profile_fields": true});
    let reply = mel.get(&format!("/users/{}", max.id()), with.clone()).await.success();
    assert!(reply["user"]["avatar_url"].as_str().is_some_and(|url| url.ends_with("?v=1")), "{reply}");
    assert!(reply["user"]["profile_data"].is_object());
    let reply = mel.get(&format!("/users/{}", bot.id()), with).await.success();
    assert_eq!(reply["user"]["bot_type"], 1);
    assert_eq!(reply["user"]["bot_owner_id"], mel.id());
    assert!(reply["user"].get("profile_data").is_none());
}

#[tokio::test]
async fn visitors_see_less() {
    let server = TestServer::start().await;
    let anybody = server.anonymous();
    let max = server.user("max");

    let members = anybody.get("/users", json!({"user_ids": [max.id()]})).await.success()["members"].clone();

    assert_eq!(members[0]["delivery_email"], Value::Null);
    assert_eq!(members[0]["date_joined"], "2025-10-03");
    assert!(members[0].get("timezone").is_none());
    assert!(members[0]["avatar_url"].is_string());
    anybody
        .get(&format!("/users/{}", max.id()), json!({}))
        .await
        .with_status(401)
        .error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
    server.set("enable_spectator_access", false).await;
    anybody
        .get("/users", json!({}))
        .await
        .with_status(401)
        .error("UNAUTHORIZED", "Not logged in: API authentication or user session required");
}

#[tokio::test]
async fn the_caller_sees_themselves_whole() {
    let server = TestServer::start().await;
    let [gus, bot] = server.users(["gus", "build-bot"]);

    let own = gus.get("/users/me", json!({"a": 1})).await.success();

    assert_eq!(own["delivery_email"], gus.email());
    assert_eq!(own["email"], format!("user{}@chat.test", gus.id()));
    assert_eq!((&own["is_guest"], &own["role"]), (&json!(true), &json!(600)));
    assert!(own["avatar_url"].is_string() && own["max_message_id"].is_i64() && own["profile_data"].is_object());
    assert_eq!(own["ignored_parameters_unsupported"], json!(["a"]));
    assert!(own.get("is_billing_admin").is_none());
    assert!(bot.get("/users/me", json!({})).await.success().get("profile_data").is_none());
}

#[tokio::test]
async fn a_limited_guest_knows_those_they_share_channels_with() {
    let server = TestServer::start().await;
    let [gus, nora, mel] = server.users(["gus", "nora", "mel"]);
    crate::statuses::limit_guests(&server, &nora).await;

    let members = gus.get("/users", json!({})).await.success()["members"].clone();
    let ids: Vec<i64> = members.as_array().into_iter().flatten().filter_map(|user| user["user_id"].as_i64()).collect();
    assert!(ids.contains(&mel.id()) && !ids.contains(&nora.id()));
    for who in [nora.id().to_string(), format!("user{}@chat.test", nora.id())] {
        gus.get(&format!("/users/{who}"), json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    }
}

#[tokio::test]
async fn a_new_user_is_sent_to_all_and_announced() {
    let server = TestServer::start().await;
    let [adam, max] = server.users(["adam", "max"]);
    let mut events = max.events(["realm_user", "user_group", "subscription", "message"]).await;

    let reply = adam.post("/users", new_person()).await.success();

    let id = reply["user_id"].as_i64().expect("an id");
    assert_eq!(reply, json!({"user_id": id}));
    let added = events.next().await.has(json!({"type": "realm_user", "op": "add"}));
    assert_eq!(added["person"]["full_name"], "Wilma Wong");
    assert_eq!(added["person"]["delivery_email"], "wilma@chat.test");
    events.next().await.has(json!({"type": "user_group", "op": "add_members", "user_ids": [id]}));
    let general = server.channel("general");
    events.next().await.has(json!({"op": "peer_add", "stream_ids": [general], "user_ids": [id]}));
    let notice = events.next().await.has(json!({"type": "message"}));
    assert_eq!(notice["message"]["subject"], "signups");
    assert_eq!(notice["message"]["content"], format!("@_**Wilma Wong|{id}** joined this organization."));
    events.none().await;
    let key =
        adam.post("/fetch_api_key", json!({"username": "WILMA@chat.test", "password": "wilma-password-7421"})).await;
    assert_eq!(key.success()["user_id"], id);
}

#[tokio::test]
async fn a_new_user_has_something_to_look_at_and_nothing_to_read() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    mel.send_to("quiet", "apart", "In no channel that new users get.").await;
    let said = mel.send_to("general", "lunch", "What is for lunch?").await;

    adam.post("/users", new_person()).await.success();

    let wilma = server.user("wilma");
    let feed = wilma.get("/messages", json!({"anchor": "newest", "num_before": 100})).await.success();
    let feed = feed["messages"].as_array().expect("a list");
    let known = feed.iter().find(|message| message["id"] == said).expect("it is in the feed");
    assert_eq!(known["flags"], json!(["read", "historical"]));
    assert!(feed.iter().all(|message| message["display_recipient"] == "general"), "{feed:#?}");
    let state = wilma.register(json!({"fetch_event_types": ["message", "update_message_flags"]})).await.state;
    // The notice of the own arrival.
    assert_eq!(state["unread_msgs"]["count"], 1);

    // What is older than twelve weeks is left where it is.
    server.advance(13 * 7 * 86_400).await;
    adam.post("/users", json!({"email": "zoe@chat.test", "full_name": "Zoe", "password": "zoe-password-7421"}))
        .await
        .success();
    let zoe = server.user("zoe");
    let feed = zoe.get("/messages", json!({"anchor": "newest", "num_before": 100})).await.success();
    assert!(feed["messages"].as_array().is_some_and(|feed| feed.iter().all(|message| message["id"] != said)));
}

/// The built-in organization with a user who may create users, or may not.
pub async fn server_where(handle: &str, may_create_users: bool) -> TestServer {
    TestServer::start_in(|fixture| {
        let users = fixture["users"].as_array_mut().into_iter().flatten();
        let user = users.into_iter().find(|user| user["handle"] == handle).expect("a user of the fixture");
        user["can_create_users"] = may_create_users.into();
    })
    .await
}

#[tokio::test]
async fn making_users_takes_an_administrator_who_may() {
    let server = TestServer::start().await;
    let [mona, mel] = server.users(["mona", "mel"]);

    for user in [&mona, &mel] {
        let refused = user.post("/users", json!({})).await.with_status(400);
        refused.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    }
    let server = server_where("adam", false).await;
    let refused = server.user("adam").post("/users", new_person()).await;
    refused.error("BAD_REQUEST", "User not authorized to create users");
}

#[tokio::test]
async fn how_strong_passwords_must_be_is_a_setting_of_the_organization() {
    let server = TestServer::start_with(|options| {
        let fixture = json!({
            "organization": {
                "name": "Lax",
                "settings": {"password_min_length": 4, "password_min_guesses": 0},
            },
            "users": [{"handle": "olive", "full_name": "Olive", "role": "owner", "can_create_users": true}],
        });
        options.fixture = fixture.to_string().into();
    })
    .await;
    let olive = server.user("olive");
    let state = olive.register(json!({"fetch_event_types": ["realm"]})).await.state;
    assert_eq!((&state["password_min_length"], &state["password_min_guesses"]), (&json!(4), &json!(0)));
    let person = |name: &str, password: &str| json!({"email": format!("{name}@chat.test"), "full_name": name, "password": password});

    olive.post("/users", person("Tim", "temp")).await.success();
    olive.post("/users", person("Tom", "tmp")).await.error("BAD_REQUEST", "The password is too weak.");
    let key = json!({"username": "tim@chat.test", "password": "temp"});
    server.anonymous().post("/fetch_api_key", key).await.success();
}

#[tokio::test]
async fn what_is_wrong_with_a_new_user_is_said_in_order() {
    let server = TestServer::start().await;
    let [adam, dana, max] = server.users(["adam", "dana", "max"]);
    let mut events = max.events(["realm_user"]).await;
    let with = |changes: Value| {
        let mut person = new_person();
        for (key, value) in changes.as_object().into_iter().flatten() {
            person[key] = value.clone();
        }
        person
    };
    let domain = async |is_limited: bool| server.set("emails_restricted_to_domains", is_limited).await;

    for name in ["email", "password", "full_name"] {
        let mut person = new_person();
        person.as_object_mut().map(|person| person.shift_remove(name));
        let refused = adam.post("/users", person).await;
        refused.error("REQUEST_VARIABLE_MISSING", &format!("Missing '{name}' argument"));
    }
    domain(true).await;
    for (changes, text) in [
        (json!({"full_name": "x".repeat(101), "email": "bad"}), "Name too long!"),
        (json!({"full_name": "  ", "email": "bad"}), "Name must not be empty!"),
        (json!({"full_name": "Wil*ma", "email": "bad"}), "Invalid characters in name!"),
        (json!({"full_name": "Wilma|7", "email": "bad"}), "Invalid format!"),
        (json!({"email": "bad"}), "Bad name or username"),
        (json!({"email": "zoë@chat.test"}), "Bad name or username"),
        (json!({"email": "wilma+1@elsewhere.test"}), "Email addresses containing + are not allowed."),
        (json!({"email": "w@elsewhere.test"}), "Email 'w@elsewhere.test' not allowed in this organization"),
        (json!({"email": dana.email().to_uppercase(), "password": "x"}), "Email is already in use."),
        (json!({"password": "12345"}), "The password is too weak."),
        (json!({"password": "password"}), "The password is too weak."),
    ] {
        adam.post("/users", with(changes)).await.with_status(400).error("BAD_REQUEST", text);
    }
    domain(false).await;
    for email in ["w@mailinator.com", "w@eu.Mailinator.com"] {
        let refused = adam.post("/users", with(json!({ "email": email }))).await.with_status(400);
        refused.error("BAD_REQUEST", "Disposable email addresses are not allowed in this organization");
    }
    events.none().await;
    server.set("disallow_disposable_email_addresses", false).await;
    adam.post("/users", with(json!({"email": "w@mailinator.com"}))).await.success();
    adam.post("/users", with(json!({"email": "wilma+1@elsewhere.test"}))).await.success();
}

#[tokio::test]
async fn the_list_has_users_as_they_are_alone_before_and_after_a_change() {
    let server = TestServer::start().await;
    let [olive, mel, gus] = server.users(["olive", "mel", "gus"]);
    let is_as_alone = async || {
        for viewer in [&olive, &mel, &gus] {
            for client_gravatar in [true, false] {
                let look = json!({"client_gravatar": client_gravatar});
                let list = viewer.get("/users", look.clone()).await.success();
                for member in list["members"].as_array().expect("a list") {
                    let alone = viewer.get(&format!("/users/{}", member["user_id"]), look.clone()).await.success();
                    assert_eq!(*member, alone["user"]);
                }
            }
        }
    };
    is_as_alone().await;

    olive.patch(&format!("/users/{}", mel.id()), json!({"full_name": "Mel Changed"})).await.success();
    mel.patch("/settings", json!({"email_address_visibility": 3})).await.success();

    is_as_alone().await;
    let list = gus.get("/users", json!({})).await.success();
    let changed = list["members"].as_array().expect("a list").iter().find(|one| one["user_id"] == mel.id());
    let changed = changed.expect("mel is in the list");
    assert_eq!((&changed["full_name"], &changed["delivery_email"]), (&json!("Mel Changed"), &Value::Null));
}

#[tokio::test]
async fn bots_hide_no_addresses_and_the_systems_have_pictures_of_their_own() {
    let server = TestServer::start().await;
    let visitor = server.anonymous();
    let everybody = visitor.get("/users", json!({"client_gravatar": true})).await.success();
    let named = |name: &str| {
        let mut members = everybody["members"].as_array().into_iter().flatten();
        members.find(|member| member["full_name"] == name).unwrap_or_else(|| panic!("{name}: {everybody}")).clone()
    };
    let bot = named("Build Bot");
    assert_eq!((&bot["delivery_email"], &bot["avatar_url"]), (&json!("build-bot@chat.test"), &Value::Null));
    let register = server.user("mel").post("/register", json!({"fetch_event_types": ["realm_user"]})).await.success();
    let url = register["cross_realm_bots"][0]["avatar_url"].as_str().expect("an address").to_owned();
    assert!(url.starts_with("/static/"), "{url}");
    assert_eq!(visitor.get(&url, json!({})).await.status, 200);
}

#[tokio::test]
async fn addresses_have_a_domain_of_labels() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let person = |email: &str| json!({"email": email, "full_name": "New Person", "password": "a long pass phrase"});
    for email in ["ab@chat..test", "ab@chat", "ab@-chat.test", "a..b@chat.test", "ab@"] {
        adam.post("/users", person(email)).await.error("BAD_REQUEST", "Bad name or username");
    }
    adam.post("/users", person("ab@localhost")).await.success();
}

#[tokio::test]
async fn a_browser_without_credentials_is_shown_where_to_log_in() {
    let server = TestServer::start().await;
    for (accepted, status) in [("text/html,application/xhtml+xml,*/*;q=0.8", "302"), ("*/*", "401")] {
        let mut stream = tokio::net::TcpStream::connect(server.server().address()).await.expect("connected");
        let head =
            format!("GET /api/v1/users/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: {accepted}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.expect("text");
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{reply}");
        let is_led = reply.contains("\r\nlocation: /login/?next=%2Fapi%2Fv1%2Fusers%2Fme\r\n");
        assert_eq!(is_led, status == "302", "{reply}");
    }
}
