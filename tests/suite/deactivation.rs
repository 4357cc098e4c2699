//! Users who are deactivated, leave, and come back.

use crate::support::{Queue, Reply, TestServer, User};
use serde_json::{Value, json};

async fn deactivate(caller: &User, user: &User, params: Value) -> Reply {
    caller.delete(&format!("/users/{}", user.id()), params).await
}

async fn row(viewer: &User, user: &User) -> Value {
    viewer.get(&format!("/users/{}", user.id()), json!({})).await.success()["user"].clone()
}

async fn subscribers(server: &TestServer, viewer: &User, channel: &str) -> Vec<i64> {
    let path = format!("/streams/{}/members", server.channel(channel));
    let reply = viewer.get(&path, json!({})).await.success();
    reply["subscribers"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
}

fn inactive(user: &User) -> Value {
    json!({"type": "realm_user", "op": "update", "person": {"user_id": user.id(), "is_active": false}})
}

/// The channels that a user leaves, one event for those with the same audience, and the event after them.
async fn until_inactive(queue: &mut Queue, user: &User) -> (Vec<Value>, Value) {
    let mut channels = Vec::new();
    loop {
        let mut event = queue.next().await.0;
        if event["type"] != "subscription" {
            event.as_object_mut().expect("events are objects").shift_remove("id");
            return (channels, event);
        }
        assert_eq!((&event["op"], &event["user_ids"]), (&json!("peer_remove"), &json!([user.id()])));
        channels.extend(event["stream_ids"].as_array().cloned().unwrap_or_default());
    }
}

/// Whether a message is there for an owner of the organization to see.
fn exists(server: &TestServer, id: i64) -> bool {
    server.server().world("default").snapshot().messages.contains_key(&chatdouble::realm::id::MessageId(id))
}

#[tokio::test]
async fn bots_of_the_user_are_deactivated_first() {
    let server = TestServer::start().await;
    let [adam, mel, max, build, out] = server.users(["adam", "mel", "max", "build-bot", "out-bot"]);
    let mut at_max = max.events(["realm_user", "subscription", "user_group"]).await;

    deactivate(&adam, &mel, json!({})).await.is(json!({}));

    let (channels, end) = until_inactive(&mut at_max, &build).await;
    assert_eq!((channels.len(), end), (2, inactive(&build)));
    let (channels, end) = until_inactive(&mut at_max, &out).await;
    assert_eq!((channels.len(), end), (0, inactive(&out)));
    let (channels, end) = until_inactive(&mut at_max, &mel).await;
    assert_eq!(end, inactive(&mel));
    // Archived channels too, for clients that know such.
    for name in ["general", "engineering", "design", "town-square", "announcements", "attic"] {
        assert!(channels.contains(&json!(server.channel(name))), "{name}");
    }
    at_max.none().await;
    for account in [&mel, &build, &out] {
        assert_eq!(row(&adam, account).await["is_active"], false);
    }
}

#[tokio::test]
async fn the_key_is_refused_at_that_moment_and_hanging_polls_end() {
    let server = TestServer::start().await;
    let [adam, mel, bot] = server.users(["adam", "mel", "build-bot"]);
    let mut queue = mel.events(["realm_user"]).await;
    let waiting = tokio::spawn(async move {
        let reply = queue.wait().await;
        (reply, queue)
    });
    server.until_parked(1).await;

    deactivate(&adam, &mel, json!({})).await.is(json!({}));

    let (reply, mut queue) = waiting.await.expect("the poll ends");
    reply.with_status(401).error("USER_DEACTIVATED", "Account is deactivated");
    for account in [&mel, &bot] {
        let refused = account.get("/users/me", json!({})).await.with_status(401);
        refused.error("USER_DEACTIVATED", "Account is deactivated");
    }
    queue.wait().await.with_status(401).error("USER_DEACTIVATED", "Account is deactivated");
}

#[tokio::test]
async fn administrators_deactivate_but_owners_alone_owners() {
    let server = TestServer::start().await;
    let [olive, adam, mona, mel, max, gus] = server.users(["olive", "adam", "mona", "mel", "max", "gus"]);
    let [bot, dana] = server.users(["build-bot", "dana"]);
    let mut events = adam.events(["realm_user", "subscription"]).await;

    for user in [&mona, &mel, &gus] {
        deactivate(user, &max, json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    }
    deactivate(&adam, &bot, json!({})).await.error("BAD_REQUEST", "No such user");
    adam.delete("/users/999", json!({})).await.error("BAD_REQUEST", "No such user");
    deactivate(&mel, &dana, json!({})).await.error("BAD_REQUEST", "User is deactivated");
    deactivate(&adam, &olive, json!({})).await.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    let long = json!({"deactivation_notification_comment": "x".repeat(2001)});
    let text = "deactivation_notification_comment is too long (limit: 2000 characters)";
    deactivate(&adam, &max, long).await.error("BAD_REQUEST", text);
    let bad = json!({"actions": {"delete_profile": 1}});
    deactivate(&adam, &max, bad).await.error("BAD_REQUEST", "actions[\"delete_profile\"] is not a boolean");
    events.none().await;
    deactivate(&adam, &max, json!({"deactivation_notification_comment": " Bye! "})).await.is(json!({}));
}

#[tokio::test]
async fn the_only_organization_owner_stays() {
    let server = TestServer::start().await;
    let [olive, adam, mel, bot] = server.users(["olive", "adam", "mel", "build-bot"]);

    // A bot that acts as an owner does not keep the organization.
    olive.patch(&format!("/bots/{}", bot.id()), json!({"role": 100})).await.success();
    let refused = deactivate(&olive, &olive, json!({})).await.with_status(400);
    refused.error("BAD_REQUEST", "Cannot deactivate the only organization owner");
    let refused = olive.patch(&format!("/users/{}", olive.id()), json!({"role": 400})).await.with_status(400);
    refused.error("BAD_REQUEST", "The owner permission cannot be removed from the only organization owner.");
    let body = olive.delete("/users/me", json!({})).await.with_status(400);
    let body = body.error("CANNOT_DEACTIVATE_LAST_USER", "Cannot deactivate the only organization owner.");
    assert_eq!((&body["is_last_owner"], &body["entity"]), (&json!(true), &json!("organization owner")));

    // A deactivated owner is none.
    olive.patch(&format!("/users/{}", adam.id()), json!({"role": 100})).await.success();
    deactivate(&olive, &adam, json!({})).await.is(json!({}));
    let refused = deactivate(&olive, &olive, json!({})).await;
    refused.error("BAD_REQUEST", "Cannot deactivate the only organization owner");
    olive.patch(&format!("/users/{}", mel.id()), json!({"role": 100})).await.success();
    deactivate(&mel, &olive, json!({})).await.is(json!({}));
    mel.patch(&format!("/bots/{}", bot.id()), json!({"role": 400})).await.success();
}

#[tokio::test]
async fn anybody_may_leave_but_the_last_one() {
    let server = TestServer::start().await;
    let [mel, max, bot] = server.users(["mel", "max", "build-bot"]);
    let mut at_max = max.events(["realm_user"]).await;

    mel.delete("/users/me", json!({})).await.is(json!({}));

    assert_eq!(at_max.next().await.0["person"]["user_id"], bot.id());
    at_max.all().await;
    mel.get("/users/me", json!({})).await.with_status(401).error("USER_DEACTIVATED", "Account is deactivated");
    let last = chatdouble::realm::id::UserId(max.id());
    server.arrange(|tx| {
        chatdouble::api::changes::users::account::change_role(tx, last, chatdouble::realm::user::Role::Owner);
        for user in tx.active_users.clone().without(&last) {
            chatdouble::api::changes::users::activation::deactivate(tx, user, None);
        }
    });
    let body = max.delete("/users/me", json!({})).await;
    let body = body.error("CANNOT_DEACTIVATE_LAST_USER", "Cannot deactivate the only user.");
    assert_eq!((&body["is_last_owner"], &body["entity"]), (&json!(false), &json!("user")));
}

#[tokio::test]
async fn subscriptions_stop_counting_and_come_back() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let mut at_max = max.events(["realm_user", "subscription", "user_group"]).await;
    let before = subscribers(&server, &max, "engineering").await;

    deactivate(&adam, &mel, json!({})).await.is(json!({}));
    assert!(!subscribers(&server, &max, "engineering").await.contains(&mel.id()));
    let missed = max.send_to("engineering", "builds", "Mel is not here.").await;
    at_max.all().await;
    adam.post(&format!("/users/{}/reactivate", mel.id()), json!({})).await.is(json!({}));

    let back = json!({"type": "realm_user", "op": "update", "person": {"user_id": mel.id(), "is_active": true}});
    at_max.next().await.is(back);
    let events = at_max.all().await;
    let ops: Vec<&str> = events.iter().filter_map(|event| event["op"].as_str()).collect();
    assert!(ops.contains(&"peer_add") && ops.contains(&"add_members"), "{ops:?}");
    let bot = server.user("build-bot");
    let now = subscribers(&server, &max, "engineering").await;
    assert_eq!(now, before.into_iter().filter(|id| *id != bot.id()).collect::<Vec<_>>());
    // What was sent meanwhile is nothing unread.
    let state =
        mel.post("/register", json!({"fetch_event_types": ["message", "update_message_flags"]})).await.success();
    assert!(!state["unread_msgs"].to_string().contains(&missed.to_string()));
    mel.get("/users/me", json!({})).await.success();
}

#[tokio::test]
async fn permissions_list_users_while_they_are_active() {
    let server = TestServer::start().await;
    let [olive, max, nora] = server.users(["olive", "max", "nora"]);
    let realm = server.server().world("default").snapshot();
    let group = realm.system_group(chatdouble::realm::group::SystemGroup::Moderators).0;
    let held = |users: &[i64]| json!({"direct_members": users, "direct_subgroups": [group]});
    let both = held(&[max.id().min(nora.id()), max.id().max(nora.id())]);
    let change = async |params: Value| olive.patch("/realm", json!({ "can_create_groups": params })).await;
    change(json!({ "new": both })).await.success();
    let mut queue = max.register(json!({"event_types": ["realm"]})).await;
    let now =
        async || max.register(json!({"fetch_event_types": ["realm"]})).await.state["realm_can_create_groups"].clone();

    deactivate(&olive, &nora, json!({})).await.success();

    assert_eq!(now().await, held(&[max.id()]));
    // Who is informed that she left concludes what she holds no more.
    queue.none().await;
    // What a client sees is what it takes to be so.
    change(json!({"new": held(&[max.id()]), "old": held(&[max.id()])})).await.is(json!({}));
    let mismatch = "'old' value does not match the expected value.";
    change(json!({"new": group, "old": both})).await.error("EXPECTATION_MISMATCH", mismatch);
    olive.post(&format!("/users/{}/reactivate", nora.id()), json!({})).await.success();
    assert_eq!(now().await, both);
    queue.next().await.has(json!({"op": "update_dict", "data": {"can_create_groups": both}}));
    queue.none().await;
}

#[tokio::test]
async fn reactivation_is_for_administrators_and_sent_again_where_the_user_is_active() {
    let server = TestServer::start().await;
    let [adam, mel, max, dana] = server.users(["adam", "mel", "max", "dana"]);
    let mut events = max.events(["realm_user", "subscription"]).await;
    let path = |user: &User| format!("/users/{}/reactivate", user.id());

    mel.post(&path(&dana), json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    adam.post("/users/999/reactivate", json!({})).await.error("BAD_REQUEST", "No such user");
    let placeholder = "Cannot activate a placeholder account; ask the user to sign up, instead.";
    let realm = server.server().world("default").snapshot();
    let deleted = realm.users.values().find(|user| user.is_deleted).expect("one user is deleted").id;
    adam.post(&format!("/users/{deleted}/reactivate"), json!({})).await.error("BAD_REQUEST", placeholder);
    adam.post(&path(&max), json!({})).await.is(json!({}));
    let person = json!({"user_id": max.id(), "is_active": true});
    events.next().await.is(json!({"type": "realm_user", "op": "update", "person": person}));
    events.none().await;
    adam.post(&path(&dana), json!({})).await.is(json!({}));
    assert_eq!(dana.get("/users/me", json!({})).await.success()["is_active"], true);
}

#[tokio::test]
async fn a_bot_whose_owner_left_becomes_the_one_s_who_brings_it_back() {
    let server = TestServer::start().await;
    let [adam, mel, bot] = server.users(["adam", "mel", "build-bot"]);
    deactivate(&adam, &mel, json!({})).await.is(json!({}));

    adam.post(&format!("/users/{}/reactivate", bot.id()), json!({})).await.is(json!({}));

    assert_eq!(row(&adam, &bot).await["bot_owner_id"], adam.id());
}

#[tokio::test]
async fn invitations_of_the_user_are_revoked() {
    let server = TestServer::start().await;
    let [adam, mel, nora] = server.users(["adam", "mel", "nora"]);
    mel.post("/invites/multiuse", json!({})).await.success();
    let (mut at_adam, mut at_nora) = (adam.events(["invites_changed"]).await, nora.events(["invites_changed"]).await);

    deactivate(&adam, &mel, json!({})).await.is(json!({}));

    at_adam.next().await.is(json!({"type": "invites_changed"}));
    at_adam.none().await;
    at_nora.none().await;
    let realm = server.server().world("default").snapshot();
    let mut links = realm.invite_links.values().filter(|link| link.terms.invited_by.0 == mel.id());
    assert!(links.all(|link| link.is_revoked));
}

#[tokio::test]
async fn delete_profile_renames_the_user_and_removes_the_picture() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let mut at_max = max.events(["realm_user"]).await;
    let version = row(&max, &mel).await["avatar_version"].as_i64().map(|version| version + 1);

    deactivate(&adam, &mel, json!({"actions": {"delete_profile": true}})).await.is(json!({}));

    let events = at_max.all().await;
    let persons: Vec<&Value> =
        events.iter().map(|event| &event["person"]).filter(|person| person["user_id"] == mel.id()).collect();
    assert_eq!(*persons[0], json!({"user_id": mel.id(), "full_name": "Deleted user"}));
    assert_eq!((&persons[1]["avatar_source"], &persons[1]["avatar_version"]), (&json!("G"), &json!(version)));
    assert_eq!(*persons[2], json!({"user_id": mel.id(), "is_active": false}));
    assert_eq!(persons.len(), 3);
    let row = row(&max, &mel).await;
    assert_eq!((&row["full_name"], &row["avatar_version"]), (&json!("Deleted user"), &json!(version)));
    // The actions apply to the bots too, before.
    let bot = server.user("build-bot");
    let own = max.get(&format!("/users/{}", bot.id()), json!({})).await.success();
    assert_eq!(own["user"]["full_name"], "Deleted user");
    assert_eq!(events[0]["person"], json!({"user_id": bot.id(), "full_name": "Deleted user"}));
}

#[tokio::test]
async fn messages_are_deleted_by_kind() {
    for (action, kind) in [
        ("delete_public_channel_messages", "public"),
        ("delete_private_channel_messages", "private"),
        ("delete_direct_messages", "direct"),
    ] {
        let server = TestServer::start().await;
        let [adam, mel, max, bot] = server.users(["adam", "mel", "max", "build-bot"]);
        let messages = [
            ("public", mel.send_to("engineering", "t", "Public").await),
            ("public", mel.send_to("town-square", "t", "Web-public").await),
            ("public", bot.send_to("engineering", "t", "From the bot").await),
            ("private", mel.send_to("design", "t", "Private").await),
            ("direct", mel.send_direct(&[max.id()], "Direct").await),
        ];
        let other = max.send_to("engineering", "t", "Stays").await;
        let mut at_max = max.events(["delete_message", "realm_user"]).await;

        deactivate(&adam, &mel, json!({"actions": {action: true}})).await.is(json!({}));

        let events = at_max.all().await;
        let ids = |event: &Value| event["message_ids"].as_array().cloned().unwrap_or_default();
        let received: Vec<Value> = events.iter().flat_map(ids).collect();
        for (its_kind, id) in messages {
            assert_eq!(exists(&server, id), its_kind != kind, "{action}: {its_kind}");
        }
        assert!(exists(&server, other));
        assert!(received.contains(&json!(messages.iter().find(|(its, _)| *its == kind).expect("one of each").1)));
        // First the bot with its messages, then the user.
        let at = |user: &User| events.iter().position(|event| event["person"]["user_id"] == user.id());
        assert!(at(&bot) < at(&mel));
        if kind == "public" {
            let of_bot = events.iter().position(|event| ids(event).contains(&json!(messages[2].1)));
            let of_mel = events.iter().position(|event| ids(event).contains(&json!(messages[0].1)));
            assert!(of_bot < at(&bot) && at(&bot) < of_mel && of_mel < at(&mel));
        }
    }
}

#[tokio::test]
async fn deleted_messages_are_sent_only_to_those_who_can_see_them() {
    let server = TestServer::start().await;
    let [adam, mel, max, mona, nora] = server.users(["adam", "mel", "max", "mona", "nora"]);
    let first = mel.send_to("design", "t", "First").await;
    let second = mel.send_to("design", "t", "Second").await;
    let public = [mel.send_to("engineering", "t", "First").await, mel.send_to("engineering", "t", "Second").await];
    // Nora has a row for the second of the public ones alone.
    nora.post("/messages/flags", json!({"messages": [public[1]], "op": "add", "flag": "starred"})).await.success();
    max.delete("/users/me/subscriptions", json!({"subscriptions": ["design"]})).await.success();
    let types = ["delete_message"];
    let (mut at_max, mut at_mona) = (max.events(types).await, mona.events(types).await);
    let mut at_nora = nora.events(types).await;

    let actions = json!({"delete_public_channel_messages": true, "delete_private_channel_messages": true});
    deactivate(&adam, &mel, json!({ "actions": actions })).await.is(json!({}));

    let received = async |queue: &mut Queue| {
        let ids = |event: &Value| event["message_ids"].as_array().cloned().unwrap_or_default();
        queue.all().await.iter().flat_map(ids).filter_map(|id| id.as_i64()).collect::<Vec<_>>()
    };
    let (at_max, at_mona, at_nora) =
        (received(&mut at_max).await, received(&mut at_mona).await, received(&mut at_nora).await);
    assert!([first, second].iter().all(|id| at_mona.contains(id) && !at_max.contains(id)), "{at_max:?} {at_mona:?}");
    assert!(public.iter().all(|id| at_nora.contains(id) && at_max.contains(id)), "{at_nora:?}");
}

#[tokio::test]
async fn without_actions_nothing_is_deleted() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let id = mel.send_to("general", "t", "Stays").await;

    deactivate(&adam, &mel, json!({"actions": {}})).await.is(json!({}));

    assert!(exists(&server, id));
    assert_eq!(row(&adam, &mel).await["full_name"], "Mel Marsh");
    assert_eq!(row(&adam, &mel).await.get("is_deleted"), None);
}

#[tokio::test]
async fn the_first_message_of_an_archived_channel_is_sent_to_those_who_know_of_such() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    for user in [&mel, &max] {
        user.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "quiet"}]})).await.success();
    }
    max.send_to("quiet", "t", "First").await;
    let second = mel.send_to("quiet", "t", "Second").await;
    let quiet = server.channel("quiet");
    adam.delete(&format!("/streams/{quiet}"), json!({})).await.success();
    let params = |knows: bool| json!({"event_types": ["stream"], "fetch_event_types": [], "client_capabilities": {"archived_channels": knows}});
    let (mut newer, mut older) = (mel.register(params(true)).await, mel.register(params(false)).await);

    deactivate(&adam, &max, json!({"actions": {"delete_public_channel_messages": true}})).await.is(json!({}));

    let received = |events: Vec<Value>| {
        let of_quiet = events.into_iter().filter(|event| event["stream_id"] == quiet);
        of_quiet.map(|event| (event["property"].clone(), event["value"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(received(newer.all().await), [(json!("first_message_id"), json!(second))]);
    assert_eq!(received(older.all().await), []);
}
