//! Changing others' accounts: name, role, profile, address.

use crate::support::{Queue, Reply, TestServer, User};
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

async fn edit(caller: &User, user: &User, params: Value) -> Reply {
    caller.patch(&format!("/users/{}", user.id()), params).await
}

fn group(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    realm.group_by_name(name).unwrap_or_else(|| panic!("no group is called {name}")).id.0
}

fn person(user: &User, key: &str, value: Value) -> Value {
    json!({"type": "realm_user", "op": "update", "person": {"user_id": user.id(), key: value}})
}

/// Kinds and ops of all events that are there.
async fn kinds(queue: &mut Queue) -> Vec<String> {
    let words = |event: &Value| format!("{} {}", event["type"], event["op"]).replace('"', "");
    queue.all().await.iter().map(words).collect()
}

#[tokio::test]
async fn a_new_name_is_sent_to_everybody_and_a_blank_one_changes_nothing() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    let mut at_gus = gus.events(["realm_user"]).await;

    for name in ["  ", "Mel Marsh", " Mel Moss "] {
        edit(&adam, &mel, json!({"full_name": name})).await.is(json!({}));
    }
    // By address too, the dummy one included.
    let dummy = format!("/users/user{}@chat.test", mel.id());
    adam.patch(&dummy, json!({"full_name": "Mel M."})).await.is(json!({}));

    at_gus.next().await.is(person(&mel, "full_name", json!("Mel Moss")));
    at_gus.next().await.is(person(&mel, "full_name", json!("Mel M.")));
    at_gus.none().await;
}

#[tokio::test]
async fn administrators_change_users_and_owners_of_bots_those() {
    let server = TestServer::start().await;
    let [olive, adam, mona, mel, bot] = server.users(["olive", "adam", "mona", "mel", "build-bot"]);
    let mut events = olive.events(["realm_user", "user_group"]).await;

    edit(&mona, &mel, json!({"full_name": "X"})).await.error("BAD_REQUEST", "Insufficient permission");
    adam.patch("/users/999", json!({})).await.error("BAD_REQUEST", "No such user");
    adam.patch("/users/nobody@chat.test", json!({})).await.error("BAD_REQUEST", "No such user");
    // Mona's address is nobody's to see.
    let hidden = adam.patch(&format!("/users/{}", mona.email()), json!({"full_name": "X"})).await;
    hidden.error("BAD_REQUEST", "No such user");
    let role = "Invalid role: Value error, Not in the list of possible values";
    edit(&adam, &mel, json!({"role": 500})).await.error("BAD_REQUEST", role);
    let owner = edit(&adam, &mel, json!({"role": 100})).await;
    owner.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    let owner = edit(&adam, &olive, json!({"role": 200})).await;
    owner.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    let role = edit(&mel, &bot, json!({"role": 300})).await;
    role.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    let role = edit(&mel, &bot, json!({"role": 100})).await;
    role.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    let last = "The owner permission cannot be removed from the only organization owner.";
    edit(&olive, &olive, json!({"role": 200})).await.error("BAD_REQUEST", last);
    let name = json!({"role": 300, "full_name": "Mel*"});
    edit(&adam, &mel, name).await.error("BAD_REQUEST", "Invalid characters in name!");
    edit(&adam, &mel, json!({"profile_data": [{"id": 99, "value": "x"}]}))
        .await
        .error("BAD_REQUEST", "Field id 99 not found.");
    events.none().await;
    edit(&mel, &bot, json!({"full_name": "Builder"})).await.is(json!({}));
}

#[tokio::test]
async fn a_new_role_moves_the_user_between_the_systems_groups() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    let mut at_gus = gus.events(["realm_user", "user_group"]).await;
    let named = |name: &str| group(&server, name);

    edit(&adam, &mel, json!({"role": 300})).await.is(json!({}));
    edit(&adam, &mel, json!({"role": 300})).await.is(json!({}));

    at_gus.next().await.is(person(&mel, "role", json!(300)));
    let change =
        |op: &str, name: &str| json!({"type": "user_group", "op": op, "group_id": named(name), "user_ids": [mel.id()]});
    at_gus.next().await.is(change("remove_members", "role:members"));
    at_gus.next().await.is(change("add_members", "role:moderators"));
    at_gus.next().await.is(change("remove_members", "role:fullmembers"));
    at_gus.none().await;
    let path = format!("/user_groups/{}/members", named("role:moderators"));
    let members = adam.get(&path, json!({})).await.success()["members"].clone();
    assert!(members.as_array().is_some_and(|members| members.contains(&json!(mel.id()))));
}

#[tokio::test]
async fn channels_vanish_for_who_becomes_a_guest_and_come_back() {
    let server = TestServer::start().await;
    let [adam, nora] = server.users(["adam", "nora"]);
    let mut at_nora = nora.events(["stream", "subscription"]).await;
    let hidden = ["engineering", "announcements", "quiet"].map(|name| json!(server.channel(name)));

    edit(&adam, &nora, json!({"role": 600})).await.is(json!({}));
    let deleted = at_nora.all().await;
    assert!(deleted.iter().all(|event| event["type"] == "stream" && event["op"] == "delete"));
    // All in one event, archived ones in another.
    let ids: Vec<&Value> = deleted.iter().flat_map(|event| event["stream_ids"].as_array().expect("a list")).collect();
    for id in &hidden {
        assert!(ids.contains(&id), "{ids:?}");
    }
    assert!(!ids.contains(&&json!(server.channel("general"))) && !ids.contains(&&json!(server.channel("town-square"))));

    edit(&adam, &nora, json!({"role": 400})).await.is(json!({}));
    let created = kinds(&mut at_nora).await;
    assert_eq!(created.iter().filter(|kind| *kind == "stream create").count(), deleted.len());
    assert!(created.contains(&"subscription peer_add".to_owned()));
    let streams = nora.get("/streams", json!({})).await.success();
    assert!(streams["streams"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == "quiet")));
}

#[tokio::test]
async fn an_administrator_comes_to_see_private_channels() {
    let server = TestServer::start().await;
    let [olive, nora, max] = server.users(["olive", "nora", "max"]);
    let (mut at_nora, mut at_max) =
        (nora.events(["stream", "subscription"]).await, max.events(["stream", "subscription"]).await);

    edit(&olive, &nora, json!({"role": 200})).await.is(json!({}));

    let expected = ["stream create", "subscription peer_add", "subscription peer_add"];
    assert_eq!(kinds(&mut at_nora).await, expected);
    at_max.none().await;
}

#[tokio::test]
async fn a_new_address_is_sent_to_those_who_see_it_and_is_the_one_that_counts() {
    let server = TestServer::start().await;
    let [adam, mel, max, gus, mona] = server.users(["adam", "mel", "max", "gus", "mona"]);
    let mut at_adam = adam.events(["realm_user"]).await;

    edit(&adam, &max, json!({"new_email": "maxim@chat.test"})).await.is(json!({}));

    at_adam.next().await.is(person(&max, "delivery_email", json!("maxim@chat.test")));
    at_adam.next().await.is(person(&max, "new_email", json!("maxim@chat.test")));
    // Found by a hash of the address: the picture changes with it.
    at_adam.next().await.has(json!({"person": {"user_id": max.id(), "avatar_source": "G"}}));
    at_adam.none().await;
    let old = max.get("/users/me", json!({})).await.with_status(401);
    old.error("INVALID_API_KEY", "Invalid API key");
    let max = User::new(
        server.url(),
        Some(chatdouble::Credentials { email: "maxim@chat.test".into(), ..max.credentials().clone() }),
    );
    assert_eq!(max.get("/users/me", json!({})).await.success()["delivery_email"], "maxim@chat.test");

    // Gus shows his address to administrators, Mona hers to nobody.
    let mut at_mel = mel.events(["realm_user"]).await;
    edit(&adam, &gus, json!({"new_email": "g@chat.test"})).await.is(json!({}));
    edit(&adam, &mona, json!({"new_email": "m@chat.test"})).await.is(json!({}));
    at_adam.next().await.is(person(&gus, "delivery_email", json!("g@chat.test")));
    for _ in [&gus, &mona] {
        at_adam.next().await.has(json!({"person": {"avatar_source": "G"}}));
        at_mel.next().await.has(json!({"person": {"avatar_source": "G"}}));
    }
    at_adam.none().await;
    at_mel.none().await;
}

#[tokio::test]
async fn a_new_address_is_refused_for_what_is_wrong_with_it() {
    let server = TestServer::start().await;
    let [adam, mel, mona, bot] = server.users(["adam", "mel", "mona", "build-bot"]);
    let mut events = adam.events(["realm_user"]).await;
    let email = |email: &str| json!({"full_name": "Changed", "new_email": email});

    for (new, text) in [
        ("nonsense", "Invalid new email address.".to_owned()),
        (mona.email(), "New email value error: Email is already in use.".to_owned()),
    ] {
        edit(&adam, &mel, email(new)).await.with_status(400).error("BAD_REQUEST", &text);
    }
    let denied = "User not authorized to change user emails";
    edit(&mel, &bot, email("b@chat.test")).await.error("BAD_REQUEST", denied);
    events.none().await;

    let server = crate::users::server_where("adam", false).await;
    let [adam, mel] = server.users(["adam", "mel"]);
    edit(&adam, &mel, email("m@chat.test")).await.error("BAD_REQUEST", denied);
}

#[tokio::test]
async fn a_guest_who_may_not_know_everybody_loses_those_who_leave() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    server.allow("can_access_all_users_group", SystemGroup::Members).await;
    let mut at_gus = gus.events(["realm_user"]).await;

    adam.delete(&format!("/users/{}", mel.id()), json!({})).await.is(json!({}));

    let mut events = at_gus.all().await;
    let last = events.pop().expect("an event");
    assert_eq!(
        (&last["op"], &last["person"]),
        (&json!("remove"), &json!({"user_id": mel.id(), "full_name": "Unknown user"}))
    );
    adam.post(&format!("/users/{}/reactivate", mel.id()), json!({})).await.success();
    at_gus.next().await.has(json!({"op": "add"}));
}

/// What a client does with an event of a user.
fn fold(users: &mut Vec<Value>, event: &Value) {
    let person = &event["person"];
    if event["op"] == "add" {
        return users.push(person.clone());
    }
    let user = users.iter_mut().find(|user| user["user_id"] == person["user_id"]).expect("the user is known");
    for (key, value) in person.as_object().into_iter().flatten() {
        match key.as_str() {
            "new_email" => user["email"] = value.clone(),
            "role" => {
                let role = value.as_i64().unwrap_or_default();
                user["role"] = value.clone();
                user["is_owner"] = (role == 100).into();
                user["is_admin"] = (role <= 200).into();
                user["is_guest"] = (role == 600).into();
            }
            "custom_profile_field" if value["value"].is_null() => {
                let data = user["profile_data"].as_object_mut().expect("people have profile data");
                data.shift_remove(&value["id"].to_string());
            }
            "custom_profile_field" => {
                let mut change = value.clone();
                let id = change.as_object_mut().and_then(|change| change.shift_remove("id")).unwrap_or_default();
                // The event of an emptied text leaves its HTML out.
                if change["value"] == "" && user["profile_data"][id.to_string()]["rendered_value"].is_string() {
                    change["rendered_value"] = "".into();
                }
                user["profile_data"][id.to_string()] = change;
            }
            "avatar_source" | "avatar_url_medium" => {}
            // A time zone comes with the address for the API, which stays as it is.
            "email" => assert_eq!(user["email"], *value),
            _ => user[key] = value.clone(),
        }
    }
}

/// All users of a registration, active or not, sorted, with their activity.
fn all_users(state: &Value) -> Vec<Value> {
    let list = |key: &str, is_active: bool| {
        let users = state[key].as_array().cloned().unwrap_or_default().into_iter();
        users.map(move |mut user| {
            user["is_active"] = is_active.into();
            user
        })
    };
    let mut users: Vec<Value> = list("realm_users", true).chain(list("realm_non_active_users", false)).collect();
    users.sort_by_key(|user| user["user_id"].as_i64());
    users
}

#[tokio::test]
async fn events_folded_into_the_registered_users_give_a_later_registration() {
    let server = TestServer::start().await;
    let [olive, adam, mel, max, gus, bot] = server.users(["olive", "adam", "mel", "max", "gus", "build-bot"]);
    let register =
        async |viewer: &User| viewer.register(json!({"event_types": ["realm_user"], "client_gravatar": false})).await;
    let mut queues = Vec::new();
    for viewer in [&adam, &server.user("mona"), &gus] {
        queues.push((viewer.clone(), register(viewer).await));
    }

    let change = json!({"full_name": "Max M.", "role": 300, "profile_data": [{"id": 2, "value": "*Hi*"}]});
    edit(&adam, &max, change).await.success();
    max.patch("/settings", json!({"timezone": "Europe/Rome", "email_address_visibility": 5})).await.success();
    edit(&olive, &max, json!({"new_email": "maxim@chat.test"})).await.success();
    mel.delete("/users/me/avatar", json!({})).await.success();
    mel.patch("/users/me/profile_data", json!({"data": [{"id": 1, "value": ""}]})).await.success();
    mel.patch(&format!("/bots/{}", bot.id()), json!({"bot_owner_id": max.id()})).await.success();
    adam.delete(&format!("/users/{}", max.id()), json!({"actions": {"delete_profile": true}})).await.success();
    adam.post(&format!("/users/{}/reactivate", max.id()), json!({})).await.success();
    adam.post(&format!("/users/{}/reactivate", bot.id()), json!({})).await.success();
    adam.post("/bots", json!({"full_name": "Tea", "short_name": "tea"})).await.success();
    adam.delete(&format!("/users/{}", server.user("ivy").id()), json!({})).await.success();

    for (viewer, mut queue) in queues {
        let mut users = all_users(&queue.state);
        for event in queue.all().await {
            fold(&mut users, &event);
        }
        assert_eq!(json!(users), json!(all_users(&register(&viewer).await.state)), "{}", viewer.email());
    }
}

#[tokio::test]
async fn the_first_message_of_a_channel_is_sent_once_when_an_account_takes_those_of_several_topics_along() {
    let server = TestServer::start().await;
    let [olive, mel, max] = server.users(["olive", "mel", "max"]);
    let params = json!({"subscriptions": [{"name": "nook"}], "principals": [mel.id(), max.id()]});
    mel.post("/users/me/subscriptions", params).await.success();
    let topic = json!({"topic_name": "channel events"});
    olive.post(&format!("/streams/{}/delete_topic", server.channel("nook")), topic).await.success();
    let former = [max.send_to("nook", "tea", "Hot").await, max.send_to("nook", "cake", "Sweet").await];
    let stays = mel.send_to("nook", "tea", "Thanks").await;
    let mut queue = mel.events(["delete_message", "stream"]).await;

    let actions = json!({"actions": {"delete_public_channel_messages": true}});
    olive.delete(&format!("/users/{}", max.id()), actions).await.success();

    let is_of_nook =
        |event: &&Value| event["name"] == "nook" || former.iter().any(|id| event["message_ids"] == json!([id]));
    let events = queue.all().await;
    let of_nook: Vec<&Value> = events.iter().filter(is_of_nook).collect();
    let kinds: Vec<&Value> = of_nook.iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["stream", "delete_message", "delete_message"], "{events:#?}");
    assert_eq!((&of_nook[0]["property"], &of_nook[0]["value"]), (&json!("first_message_id"), &json!(stays)));
}
