//! Guests who may not know all users learn neither names nor addresses of the others.

use crate::statuses::limit_guests;
use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// gus, limited, and nora, who is unknown to gus.
async fn arranged() -> (TestServer, User, User) {
    let server = TestServer::start().await;
    let [gus, nora] = server.users(["gus", "nora"]);
    limit_guests(&server, &nora).await;
    gus.get(&format!("/users/{}", nora.id()), json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    (server, gus, nora)
}

#[tokio::test]
async fn a_mention_names_only_those_its_author_may_know() {
    let (server, gus, nora) = arranged().await;
    let mel = server.user("mel");
    let id = nora.id();

    for text in [format!("@**|{id}**"), format!("@**Nora Novak|{id}**"), "@**Nora Novak** @_**nora novak**".to_owned()]
    {
        let html = gus.post("/messages/render", json!({"content": text})).await.success()["rendered"].clone();
        assert!(html.as_str().is_some_and(|html| !html.contains("data-user-id")), "{html}");
        let html = mel.post("/messages/render", json!({"content": text})).await.success()["rendered"].clone();
        assert!(html.as_str().is_some_and(|html| html.contains("data-user-id")), "{html}");
    }
    // Values of profile fields are rendered too.
    let fields = gus.get("/realm/profile_fields", json!({})).await.success()["custom_fields"].clone();
    let texts = fields.as_array().into_iter().flatten().find(|field| field["type"] == 1).expect("a field for texts");
    let data = json!([{"id": texts["id"], "value": format!("@**|{id}**")}]);
    gus.patch("/users/me/profile_data", json!({"data": data})).await.success();
    let own = gus.get("/users/me", json!({})).await.success()["profile_data"].clone();
    assert_eq!(own[texts["id"].to_string()]["rendered_value"], format!("<p>@<strong>|{id}</strong></p>"));
}

#[tokio::test]
async fn a_person_who_may_not_be_known_is_refused_like_nobody() {
    let (server, gus, nora) = arranged().await;
    let mel = server.user("mel");
    let (id, unknown) = (nora.id(), 9_999);
    let mut at_nora = nora.events(["typing", "message"]).await;
    let mut at_gus = gus.events(["typing"]).await;

    for user in [id, unknown] {
        let text = format!("Invalid user ID {user}");
        let typing = json!({"op": "start", "to": [mel.id(), user]});
        gus.post("/typing", typing).await.error("BAD_REQUEST", &text);
        let draft = json!([{"type": "private", "to": [user], "topic": "", "content": "hi"}]);
        gus.post("/drafts", json!({"drafts": draft})).await.error("BAD_REQUEST", &text);
    }
    for email in [nora.email(), "nobody@chat.test"] {
        gus.get(&format!("/users/{email}"), json!({})).await.error("BAD_REQUEST", "No such user");
        let message = json!({"type": "direct", "to": [email], "content": "hi"});
        gus.post("/messages", message).await.error("BAD_REQUEST", &format!("Invalid email '{email}'"));
        let narrow = json!([["sender", email]]);
        let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": narrow});
        gus.get("/messages", params)
            .await
            .error("BAD_NARROW", &format!("Invalid narrow operator: unknown user {email}"));
    }
    at_nora.none().await;
    at_gus.none().await;
}

#[tokio::test]
async fn typing_reveals_no_user_that_a_guest_may_not_know() {
    let (server, gus, nora) = arranged().await;
    let mel = server.user("mel");
    let (mut at_gus, mut at_nora) = (gus.events(["typing"]).await, nora.events(["typing"]).await);

    mel.post("/typing", json!({"op": "start", "to": [gus.id(), nora.id()]})).await.success();
    at_gus.none().await;
    at_nora.next().await.has(json!({"op": "start", "message_type": "direct"}));

    let params = json!({"type": "channel", "op": "start", "stream_id": server.channel("general"), "topic": "x"});
    nora.post("/typing", params.clone()).await.success();
    at_gus.none().await;
    mel.post("/typing", params).await.success();
    at_gus.next().await.has(json!({"op": "start", "message_type": "stream"}));
}

#[tokio::test]
async fn a_refusal_does_not_say_whose_account_is_deactivated() {
    let (server, gus, _) = arranged().await;
    let dana = server.user("dana");

    let reply = gus.post("/messages", json!({"type": "direct", "to": [dana.id()], "content": "hi"})).await;

    let body: Value = reply.error("BAD_REQUEST", "You do not have permission to access some of the recipients.");
    assert!(!body.to_string().contains("dana"), "{body}");
}

#[tokio::test]
async fn a_reminder_does_not_name_a_sender_its_reader_may_not_know() {
    let (server, gus, nora) = arranged().await;
    let message = nora.send_to("general", "x", "From a stranger").await;

    let params = json!({"message_id": message, "scheduled_delivery_timestamp": 1_767_268_860});
    gus.post("/reminders", params).await.success();
    server.advance(60).await;

    let params = json!({"anchor": "newest", "num_before": 1, "num_after": 0, "apply_markdown": false});
    let sent = gus.get("/messages", params).await.success()["messages"][0].clone();
    let text = sent["content"].as_str().expect("text");
    assert!(text.contains("Unknown user [said]") && !text.contains("Nora"), "{text}");
}
