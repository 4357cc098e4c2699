//! The picture of a user: set, served, taken away, and what is none.

use crate::support::TestServer;
use serde_json::json;

/// A PNG of one pixel.
const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 6,
    0, 0, 0, 0x1f, 0x15, 0xc4, 0x89,
];

#[tokio::test]
async fn a_picture_is_sent_to_all_and_served_until_it_is_removed() {
    let server = TestServer::start().await;
    let [max, gus] = server.users(["max", "gus"]);
    let mut at_gus = gus.events(["realm_user"]).await;

    let url = max.upload("/users/me/avatar", "me.png", "image/png", PICTURE).await.success()["avatar_url"].clone();

    let url = url.as_str().unwrap_or_default().to_owned();
    assert!(url.starts_with("/user_avatars/2/") && url.ends_with(".png?v=2"), "{url}");
    let medium = url.replace(".png", "-medium.png");
    at_gus.next().await.is(json!({
        "type": "realm_user",
        "op": "update",
        "person": {
            "user_id": max.id(),
            "avatar_source": "U",
            "avatar_url": url,
            "avatar_url_medium": medium,
            "avatar_version": 2,
        },
    }));
    assert_eq!(gus.get(&url, json!({})).await.with_status(200).bytes, PICTURE);
    let reply = max.delete("/users/me/avatar", json!({})).await.success();
    assert!(reply["avatar_url"].as_str().is_some_and(|url| url.contains("gravatar") && url.ends_with("?v=3")));
    at_gus.next().await.has(json!({"person": {"avatar_source": "G", "avatar_version": 3}}));
    let _ = gus.get(&url, json!({})).await.with_status(404);
    // Sent again without a picture of one's own.
    let again = max.delete("/users/me/avatar", json!({})).await.success();
    assert!(again["avatar_url"].as_str().is_some_and(|url| url.ends_with("?v=4")));
    at_gus.next().await.has(json!({"person": {"avatar_source": "G", "avatar_version": 4}}));
    at_gus.none().await;
}

#[tokio::test]
async fn what_is_no_picture_is_refused() {
    let server = TestServer::start().await;
    let [max, adam] = server.users(["max", "adam"]);
    let path = "/users/me/avatar";

    let refused = max.upload(path, "me.png", "image/png", b"no picture").await;
    refused.error("BAD_IMAGE", "Could not decode image; did you upload an image file?");
    let large = [PICTURE, &vec![0; 5 * 1024 * 1024]].concat();
    let refused = max.upload(path, "me.png", "image/png", &large).await;
    refused.error("BAD_REQUEST", "Uploaded file is larger than the allowed limit of 5 MiB");
    max.post(path, json!({})).await.error("BAD_REQUEST", "You must upload exactly one avatar.");
    let mut events = max.events(["realm"]).await;
    adam.patch("/realm", json!({"avatar_changes_disabled": true})).await.success();
    events.next().await.has(json!({"op": "update", "property": "avatar_changes_disabled", "value": true}));
    let closed = "Avatar changes are disabled in this organization.";
    max.upload(path, "me.png", "image/png", PICTURE).await.error("BAD_REQUEST", closed);
    max.delete(path, json!({})).await.error("BAD_REQUEST", closed);
    adam.upload(path, "me.png", "image/png", PICTURE).await.success();
}
