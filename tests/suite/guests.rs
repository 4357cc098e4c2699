//! Guests of an organization that lets them know only users who share a channel or a conversation with them.

use crate::statuses::limit_guests;
use crate::support::{Queue, TestServer, User};
use serde_json::{Value, json};

fn added(event: &Value, user: i64) {
    let person = &event["person"];
    assert_eq!((&event["type"], &event["op"]), (&json!("realm_user"), &json!("add")), "{event}");
    assert_eq!(person["user_id"], user, "{event}");
}

fn removed(user: i64) -> Value {
    json!({"type": "realm_user", "op": "remove", "person": {"user_id": user, "full_name": "Unknown user"}})
}

async fn knows(guest: &User, user: &User) -> bool {
    let members = guest.get("/users", json!({})).await.success()["members"].clone();
    members.as_array().into_iter().flatten().any(|row| row["user_id"] == user.id())
}

/// A queue of a client that knows that its list of users is incomplete.
async fn knowing(user: &User) -> Queue {
    let capabilities = json!({"user_list_incomplete": true});
    let params = json!({"event_types": ["realm_user"], "fetch_event_types": ["realm_user"], "client_capabilities": capabilities});
    user.register(params).await
}

#[tokio::test]
async fn a_guest_comes_to_know_those_who_join_a_channel_of_theirs_and_loses_those_who_leave() {
    let server = TestServer::start().await;
    let [adam, gus, nora] = server.users(["adam", "gus", "nora"]);
    limit_guests(&server, &nora).await;
    let mut at_gus = gus.events(["realm_user", "subscription"]).await;
    let mut at_adam = adam.events(["realm_user"]).await;
    let subscriptions = |names: Value| json!({"subscriptions": names, "principals": [nora.id()]});

    adam.post("/users/me/subscriptions", subscriptions(json!([{"name": "general"}]))).await.success();

    let event = at_gus.next().await.0;
    added(&event, nora.id());
    assert_eq!(event["person"]["full_name"], "Nora Novak", "{event}");
    at_gus.next().await.has(json!({"op": "peer_add", "user_ids": [nora.id()]}));
    assert!(knows(&gus, &nora).await);

    adam.delete("/users/me/subscriptions", subscriptions(json!(["general"]))).await.success();

    at_gus.next().await.has(json!({"op": "peer_remove", "user_ids": [nora.id()]}));
    at_gus.next().await.is(removed(nora.id()));
    at_gus.none().await;
    assert!(!knows(&gus, &nora).await);
    // Whoever is no guest knows everybody all the time.
    at_adam.none().await;
}

#[tokio::test]
async fn a_guest_who_enters_a_channel_comes_to_know_those_inside_and_loses_them_with_it() {
    let server = TestServer::start().await;
    let [adam, gus, nora] = server.users(["adam", "gus", "nora"]);
    limit_guests(&server, &nora).await;
    nora.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "engineering"}]})).await.success();
    let mut at_gus = gus.events(["realm_user"]).await;
    let principals = json!([gus.id()]);

    let params = json!({"subscriptions": [{"name": "engineering"}], "principals": principals});
    adam.post("/users/me/subscriptions", params).await.success();
    added(&at_gus.next().await.0, nora.id());
    at_gus.none().await;

    let params = json!({"subscriptions": ["engineering"], "principals": principals});
    adam.delete("/users/me/subscriptions", params).await.success();
    at_gus.next().await.is(removed(nora.id()));
    at_gus.none().await;
}

#[tokio::test]
async fn a_guest_comes_to_know_who_writes_to_them_before_the_message() {
    let server = TestServer::start().await;
    let [gus, nora] = server.users(["gus", "nora"]);
    limit_guests(&server, &nora).await;
    let mut at_gus = gus.events(["realm_user", "message"]).await;

    let id = nora.send_direct(&[gus.id()], "Hello").await;

    added(&at_gus.next().await.0, nora.id());
    assert_eq!(at_gus.next().await.0["message"]["id"], id);
    nora.send_direct(&[gus.id()], "Again").await;
    at_gus.next().await.has(json!({"type": "message"}));
    at_gus.none().await;
}

#[tokio::test]
async fn messages_of_those_a_guest_may_not_know_come_from_an_unknown_user() {
    let server = TestServer::start().await;
    let [gus, mel, nora] = server.users(["gus", "mel", "nora"]);
    limit_guests(&server, &nora).await;
    let mut at_gus = gus.events(["message"]).await;

    // Nora is not subscribed, but may post.
    let id = nora.send_to("general", "t", "From outside").await;

    let event = at_gus.next().await.0["message"].clone();
    let path = format!("/messages/{id}");
    let fetched = gus.get(&path, json!({})).await.success()["message"].clone();
    for message in [&event, &fetched] {
        let sender = [&message["sender_id"], &message["sender_full_name"], &message["sender_email"]];
        let email = json!(format!("user{}@chat.test", nora.id()));
        assert_eq!(sender, [&json!(nora.id()), &json!("Unknown user"), &email]);
        assert_eq!(message["avatar_url"], "/static/images/unknown-user-avatar.png?v=1");
    }
    assert_eq!(mel.get(&path, json!({})).await.success()["message"]["sender_full_name"], "Nora Novak");
}

#[tokio::test]
async fn a_new_guest_loses_those_they_share_nothing_with() {
    let server = TestServer::start().await;
    let [adam, max, nora] = server.users(["adam", "max", "nora"]);
    limit_guests(&server, &nora).await;
    let mut at_max = max.events(["realm_user"]).await;
    let path = format!("/users/{}", max.id());

    adam.patch(&path, json!({"role": 600})).await.is(json!({}));
    let events = at_max.all().await;
    let of_nora: Vec<_> = events.iter().filter(|event| event["person"]["user_id"] == nora.id()).collect();
    assert!(of_nora.len() == 1 && of_nora[0]["op"] == "remove", "{events:#?}");

    adam.patch(&path, json!({"role": 400})).await.is(json!({}));
    let events = at_max.all().await;
    let of_nora: Vec<_> = events.iter().filter(|event| event["person"]["user_id"] == nora.id()).collect();
    assert_eq!(of_nora.len(), 1, "{events:#?}");
    added(of_nora[0], nora.id());
}

#[tokio::test]
async fn guests_hear_which_groups_those_leave_whose_end_they_do_not_hear_of() {
    let server = TestServer::start().await;
    let [adam, gus, mel, nora] = server.users(["adam", "gus", "mel", "nora"]);
    limit_guests(&server, &nora).await;
    let mut at_gus = gus.events(["realm_user", "user_group"]).await;

    // Nora is unknown already, Mel was known.
    adam.delete(&format!("/users/{}", nora.id()), json!({})).await.is(json!({}));
    at_gus.next().await.has(json!({"type": "user_group", "op": "remove_members", "user_ids": [nora.id()]}));
    at_gus.none().await;
    adam.delete(&format!("/users/{}", mel.id()), json!({})).await.is(json!({}));

    let events = at_gus.all().await;
    let of_mel: Vec<_> = events.iter().skip_while(|event| event["op"] == "update").collect();
    assert_eq!(
        (&of_mel[0]["op"], &of_mel[0]["person"]["user_id"]),
        (&json!("remove"), &json!(mel.id())),
        "{events:#?}"
    );
    let left = json!({"type": "user_group", "op": "remove_members", "user_ids": [mel.id()]});
    assert!(of_mel.len() > 1);
    for event in &of_mel[1..] {
        assert_eq!((&event["op"], &event["user_ids"]), (&left["op"], &left["user_ids"]));
    }
}

/// With the capability `user_list_incomplete`, `realm_users` excludes inaccessible users, and guests get no
/// `realm_user` add events for inaccessible new users.
#[tokio::test]
async fn clients_with_an_incomplete_list_get_nothing_of_those_they_may_not_know() {
    let server = TestServer::start().await;
    let [adam, gus, nora] = server.users(["adam", "gus", "nora"]);
    limit_guests(&server, &nora).await;
    adam.delete("/default_streams", json!({"stream_id": server.channel("general")})).await.success();
    let (mut knowing, mut other) = (knowing(&gus).await, gus.register(json!({"event_types": ["realm_user"]})).await);
    let row = |queue: &Queue| {
        let users = queue.state["realm_users"].as_array().cloned().unwrap_or_default();
        users.into_iter().find(|row| row["user_id"] == nora.id())
    };
    assert_eq!(row(&knowing), None);
    assert_eq!(row(&other).map(|row| row["full_name"].clone()), Some(json!("Unknown user")));

    let params = json!({"email": "wilma@chat.test", "password": "wilma-password-7421", "full_name": "Wilma Wong"});
    let id = adam.post("/users", params).await.success()["user_id"].as_i64().expect("an id");

    knowing.none().await;
    let event = other.next().await.0;
    added(&event, id);
    let person = &event["person"];
    assert_eq!((&person["full_name"], &person["delivery_email"]), (&json!("Unknown user"), &json!(null)), "{event}");
    assert_eq!(person["email"], format!("user{id}@chat.test"));
    other.none().await;
}
