//! Addresses that are hidden find nobody; who is meant is named by the address that the API gives.

use crate::support::{TestServer, User};
use serde_json::json;

/// Mona hides her address from everybody, gus from all but administrators.
const HIDDEN: [&str; 2] = ["mona", "gus"];

fn dummy(user: &User) -> String {
    format!("user{}@chat.test", user.id())
}

#[tokio::test]
async fn a_message_goes_to_the_address_that_the_api_gives() {
    let server = TestServer::start().await;
    for sender in ["mel", "adam", "build-bot"] {
        let sender = server.user(sender);
        for handle in HIDDEN {
            let hidden = server.user(handle);
            let send = |to: &str| json!({"type": "direct", "to": [to], "content": "psst"});
            let refusal = format!("Invalid email '{}'", hidden.email());
            sender.post("/messages", send(hidden.email())).await.error("BAD_REQUEST", &refusal);
            sender.post("/messages", send(&dummy(&hidden).to_uppercase())).await.success();
        }
    }
}

#[tokio::test]
async fn the_address_of_somebody_who_left_stays_hidden() {
    let server = TestServer::start().await;
    let [olive, mel, mona] = server.users(["olive", "mel", "mona"]);
    olive.delete(&format!("/users/{}", mona.id()), json!({})).await.success();

    let refusal = format!("'{}' is no longer using the service.", dummy(&mona));
    mel.post("/messages", json!({"type": "direct", "to": [mona.id()], "content": "psst"}))
        .await
        .error("BAD_REQUEST", &refusal);
}

#[tokio::test]
async fn narrows_know_people_by_the_address_that_the_api_gives() {
    let server = TestServer::start().await;
    let [mel, adam] = server.users(["mel", "adam"]);
    for handle in HIDDEN {
        let hidden = server.user(handle);
        for operator in ["sender", "dm", "pm-with", "dm-including", "group-pm-with", "mentions"] {
            let narrow = |address: &str| json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": [[operator, address]]});
            let desc = if matches!(operator, "dm" | "pm-with") { "unknown user in" } else { "unknown user" };
            let refusal = format!("Invalid narrow operator: {desc} {}", hidden.email());
            for viewer in [&mel, &adam] {
                viewer.get("/messages", narrow(hidden.email())).await.error("BAD_NARROW", &refusal);
                viewer.get("/messages", narrow(&dummy(&hidden))).await.success();
            }
        }
    }
}

#[tokio::test]
async fn a_queue_tells_of_a_sender_by_the_address_that_the_api_gives() {
    let server = TestServer::start().await;
    let [mel, mona] = server.users(["mel", "mona"]);
    let of = async |address: String| {
        mel.register(json!({"event_types": ["message"], "fetch_event_types": [], "narrow": [["sender", address]]}))
            .await
    };
    let mut by_real = of(mona.email().to_owned()).await;
    let mut by_dummy = of(dummy(&mona)).await;

    mona.send_to("general", "t", "who am I?").await;

    by_real.none().await;
    by_dummy.next().await.has(json!({"message": {"sender_email": dummy(&mona)}}));
}

#[tokio::test]
async fn typing_below_11_uses_the_address_that_the_api_gives() {
    let server = TestServer::start_with(|options| options.feature_level = 10).await;
    let [adam, gus] = server.users(["adam", "gus"]);
    let typing = |to: &str| json!({"op": "start", "to": [to]});

    adam.post("/typing", typing(gus.email())).await.error("BAD_REQUEST", "No such user");
    adam.post("/typing", typing(&dummy(&gus))).await.success();
}

#[tokio::test]
async fn a_dummy_of_somebody_to_come_is_nobodys_real_address() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    for email in ["user999@chat.test", "USER99999999999999999999@Chat.Test"] {
        let person = json!({"email": email, "password": "wilma-password-7421", "full_name": "Wilma Wong"});
        let made = adam.post("/users", person).await;
        made.error("BAD_REQUEST", "Email is already in use.");
        let edited = adam.patch(&format!("/users/{}", mel.id()), json!({"new_email": email})).await;
        edited.error("BAD_REQUEST", "New email value error: Email is already in use.");
        max.patch("/settings", json!({"email": email})).await.error("BAD_REQUEST", "Already has an account.");
    }
    for (email, full_name) in
        [("user@chat.test", "Una Ude"), ("user9x@chat.test", "Ulf Urban"), ("user999@elsewhere.test", "Ute Unger")]
    {
        let person = json!({"email": email, "password": "wilma-password-7421", "full_name": full_name});
        adam.post("/users", person).await.success();
    }
}

#[tokio::test]
async fn a_visitor_sees_no_address_of_a_person() {
    let server = TestServer::start().await;
    let [olive, bot] = server.users(["olive", "build-bot"]);
    let visitor = server.anonymous();
    olive.send_to("town-square", "x", "Good morning").await;

    let members = visitor.get("/users", json!({})).await.success()["members"].clone();
    let state = visitor.post("/register", json!({})).await.success();
    for list in [&members, &state["realm_users"]] {
        let row = |user: &User| {
            let rows = list.as_array().into_iter().flatten();
            rows.clone().find(|row| row["user_id"] == user.id()).cloned().expect("everybody is listed")
        };
        assert_eq!(row(&olive)["email"], dummy(&olive));
        assert_eq!(row(&bot)["email"], bot.email());
    }
    let narrow = json!([["channels", "web-public"]]);
    let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
    let messages = visitor.get("/messages", params).await.success()["messages"].clone();
    assert_eq!(messages[0]["sender_email"], dummy(&olive));
    for reply in [members, state, messages] {
        assert!(!reply.to_string().contains("olive@"), "an address is shown");
    }
}
