//! The channels that new users get.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn a_channel_becomes_a_default_and_all_but_guests_are_told() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    let [general, quiet] = ["general", "quiet"].map(|name| server.channel(name));
    let mut at_mel = mel.events(["default_streams"]).await;
    let mut at_gus = gus.events(["default_streams"]).await;
    let add = async |id: i64| adam.post("/default_streams", json!({"stream_id": id})).await;
    let remove = async |id: i64| adam.delete("/default_streams", json!({"stream_id": id})).await;

    add(quiet).await.is(json!({}));
    add(quiet).await.is(json!({}));
    let state = mel.register(json!({"fetch_event_types": ["default_streams"]})).await.state;
    assert_eq!(state["realm_default_streams"], json!([general, quiet]));
    let params = json!({"email": "zoe@chat.test", "password": "correct horse battery", "full_name": "Zoe"});
    let zoe = server.user("olive").post("/users", params).await.success()["user_id"].clone();
    let members = adam.get(&format!("/streams/{quiet}/members"), json!({})).await.success();
    assert_eq!(members["subscribers"], json!([zoe]));
    remove(quiet).await.is(json!({}));
    remove(quiet).await.is(json!({}));

    for ids in [json!([general, quiet]), json!([general])] {
        at_mel.next().await.is(json!({"type": "default_streams", "default_streams": ids}));
    }
    at_mel.none().await;
    at_gus.none().await;
}

#[tokio::test]
async fn only_open_channels_that_are_there_can_be_defaults() {
    let server = TestServer::start().await;
    let [olive, adam, mona] = server.users(["olive", "adam", "mona"]);
    let add = async |id: i64| adam.post("/default_streams", json!({"stream_id": id})).await;

    add(server.channel("leadership")).await.error("BAD_REQUEST", "Private channels cannot be made default.");
    // He does not see what is in it.
    add(server.channel("design")).await.error("BAD_REQUEST", "Invalid channel ID");
    add(server.channel("attic")).await.error("BAD_REQUEST", "Invalid channel ID");
    add(999).await.error("BAD_REQUEST", "Invalid channel ID");
    olive.delete("/default_streams", json!({"stream_id": 999})).await.error("BAD_REQUEST", "Invalid channel ID");
    let (code, message) = ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    mona.post("/default_streams", json!({})).await.error(code, message);
    mona.delete("/default_streams", json!({})).await.error(code, message);
    let missing = adam.post("/default_streams", json!({})).await;
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'stream_id' argument");
}

#[tokio::test]
async fn an_archived_channel_becomes_a_default_only_as_it_comes_back() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let attic = format!("/streams/{}", server.channel("attic"));

    olive.patch(&attic, json!({"is_default_stream": true})).await.error("BAD_REQUEST", "Invalid channel ID");
    olive.patch(&attic, json!({"is_default_stream": true, "is_archived": false})).await.success();

    let state = olive.register(json!({"fetch_event_types": ["default_streams"]})).await.state;
    assert_eq!(state["realm_default_streams"], json!([server.channel("general"), server.channel("attic")]));
}
