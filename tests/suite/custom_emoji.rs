//! The organization's own emoji.

use crate::support::{Queue, Reply, TestServer, User};
use base64::Engine;
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

/// A picture of one pixel.
const PIXEL: &str = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==";

fn pixel() -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(PIXEL).expect("a picture")
}

async fn upload(user: &User, name: &str) -> Reply {
    user.upload(&format!("/realm/emoji/{name}"), "pixel.gif", "image/gif", &pixel()).await
}

async fn emoji(user: &User) -> Value {
    user.get("/realm/emoji", json!({})).await.success()["emoji"].clone()
}

async fn one_by_one(user: &User) -> Queue {
    let params = json!({"event_types": ["realm_emoji"], "client_capabilities": {"individual_emoji_changes": true}});
    user.register(params).await
}

#[tokio::test]
async fn an_emoji_is_uploaded_used_and_sent_in_both_forms() {
    let server = TestServer::start().await;
    let [nora, gus] = server.users(["nora", "gus"]);
    let mut whole = gus.events(["realm_emoji"]).await;
    let mut single = one_by_one(&gus).await;

    upload(&nora, "party%20hat").await.is(json!({}));

    let record = json!({
        "id": "3",
        "name": "party_hat",
        "source_url": "/user_avatars/2/emoji/images/3.gif",
        "still_url": null,
        "deactivated": false,
        "author_id": nora.id(),
    });
    let all = emoji(&gus).await;
    assert_eq!(all["3"], record);
    assert_eq!(all.as_object().map(serde_json::Map::len), Some(3));
    whole.next().await.is(json!({"type": "realm_emoji", "op": "update", "realm_emoji": all}));
    single.next().await.is(json!({"type": "realm_emoji", "op": "add", "emoji": record}));
    whole.none().await;
    single.none().await;
    let state = gus.register(json!({"fetch_event_types": ["realm_emoji"]})).await.state;
    assert_eq!(state["realm_emoji"], all);
    let picture = gus.get("/user_avatars/2/emoji/images/3.gif", json!({})).await;
    assert_eq!((picture.status, picture.bytes.as_slice()), (200, pixel().as_slice()));
    let reaction = json!({"emoji_name": "party_hat"});
    let message = server.message("Pizza or pasta?");
    nora.post(&format!("/messages/{message}/reactions"), reaction).await.is(json!({}));
}

#[tokio::test]
async fn an_emoji_is_deactivated_by_its_author_or_an_administrator() {
    let server = TestServer::start().await;
    let [mel, max, adam] = server.users(["mel", "max", "adam"]);
    let mut whole = max.events(["realm_emoji"]).await;
    let mut single = one_by_one(&max).await;
    let remove = async |user: &User, name: &str| user.delete(&format!("/realm/emoji/{name}"), json!({})).await;

    let message = "Must be an organization administrator or emoji author";
    remove(&max, "green_box").await.error("BAD_REQUEST", message);
    remove(&mel, "green_box").await.is(json!({}));

    let all = emoji(&max).await;
    assert_eq!(all["1"]["deactivated"], true);
    whole.next().await.is(json!({"type": "realm_emoji", "op": "update", "realm_emoji": all}));
    single.next().await.is(json!({
        "type": "realm_emoji", "op": "update_one", "emoji_id": "1", "data": {"deactivated": true},
    }));
    single.none().await;
    let gone = "Emoji 'green_box' does not exist";
    remove(&adam, "green_box").await.with_status(404).error("BAD_REQUEST", gone);
    remove(&adam, "nothing").await.with_status(404).error("BAD_REQUEST", "Emoji 'nothing' does not exist");
    // The name is free again.
    upload(&max, "green_box").await.is(json!({}));
    remove(&adam, "green_box").await.is(json!({}));
}

#[tokio::test]
async fn names_are_plain_free_and_override_only_for_administrators() {
    let server = TestServer::start().await;
    let [max, adam] = server.users(["max", "adam"]);
    let refused = async |name: &str, message: &str| {
        upload(&max, name).await.error("BAD_REQUEST", message);
    };

    refused("%20", "Emoji name is missing").await;
    let characters =
        "Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.";
    refused("Green", characters).await;
    refused("gr%C3%BCn", characters).await;
    refused("green_", "Emoji names must end with either a letter or digit.").await;
    refused("green_box", "A custom emoji with this name already exists.").await;
    refused("smile", "Only administrators can override default emoji.").await;
    upload(&adam, "smile").await.is(json!({}));
}

#[tokio::test]
async fn an_emoji_is_one_picture_that_is_not_too_large() {
    let server = TestServer::start().await;
    let max = server.user("max");

    let none = max.post("/realm/emoji/new_one", json!({})).await;
    none.error("BAD_REQUEST", "You must upload exactly one file.");
    let text = max.upload("/realm/emoji/new_one", "a.png", "image/png", b"not a picture").await;
    text.error("BAD_IMAGE", "Invalid image format");
    let large = max.upload("/realm/emoji/new_one", "a.png", "image/png", &vec![0; 5 * 1024 * 1024 + 1]).await;
    large.error("BAD_REQUEST", "Uploaded file is larger than the allowed limit of 5 MiB");
}

#[tokio::test]
async fn guests_bots_and_those_without_the_permission_add_none() {
    let server = TestServer::start().await;
    let [gus, bot, max] = server.users(["gus", "build-bot", "max"]);

    upload(&gus, "fresh").await.error("BAD_REQUEST", "Not allowed for guest users");
    upload(&bot, "fresh").await.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
    server.allow("can_add_custom_emoji_group", SystemGroup::Administrators).await;
    upload(&max, "fresh").await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn what_is_no_picture_is_no_emoji() {
    let server = TestServer::start().await;
    let nora = server.user("nora");
    for (name, bytes, code, message) in [
        ("a.gif", "GIF89a", "BAD_IMAGE", "Invalid image format"),
        ("a.png", "text", "BAD_IMAGE", "Invalid image format"),
        // A form's file that was not chosen.
        ("", "", "BAD_REQUEST", "You must upload exactly one file."),
    ] {
        let reply = nora.upload("/realm/emoji/fake", name, "image/gif", bytes.as_bytes()).await;
        reply.error(code, message);
    }
}
