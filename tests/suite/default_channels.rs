//! The channels that new users get.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

#[tokio::test]
async fn a_channel_becomes_a_default_and_all_but_guests_get_an_event() {
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

    // Its removal sends an event again.
    for ids in [json!([general, quiet]), json!([general]), json!([general])] {
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

#[tokio::test]
async fn groups_of_default_channels_are_made_changed_and_removed() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    let (mut queue, mut at_gus) =
        (mel.events(["default_stream_groups"]).await, gus.events(["default_stream_groups"]).await);
    let [engineering, quiet] = ["engineering", "quiet"].map(|name| server.channel(name));
    let groups = async |user: &User| {
        let params = json!({"fetch_event_types": ["default_stream_groups"]});
        user.register(params).await.state["realm_default_stream_groups"].clone()
    };
    let create = async |name: &str, channels: Value| {
        let params = json!({"group_name": name, "description": "For those\nwho build", "stream_names": channels});
        adam.post("/default_stream_groups/create", params).await
    };
    let members = async |op: &str, channels: Value| {
        adam.patch("/default_stream_groups/1/streams", json!({"op": op, "stream_names": channels})).await
    };

    create("Builders", json!(["Engineering"])).await.is(json!({}));
    members("add", json!(["quiet"])).await.is(json!({}));
    adam.patch("/default_stream_groups/1", json!({"new_group_name": "Makers"})).await.is(json!({}));
    let all =
        json!([{"id": 1, "name": "Makers", "description": "For those\nwho build", "streams": [engineering, quiet]}]);
    assert_eq!((groups(&mel).await, groups(&gus).await), (all, json!([])));
    // What is private or archived is in no group.
    adam.patch(&format!("/streams/{engineering}"), json!({"is_private": true})).await.success();
    adam.delete(&format!("/streams/{quiet}"), json!({})).await.success();
    assert_eq!(groups(&mel).await[0]["streams"], json!([]));

    for (reply, message) in [
        (create("Makers", json!([])).await, "Default channel group 'Makers' already exists"),
        (create(" ", json!([])).await, "Invalid default channel group name ' '"),
        (create("x", json!(["nowhere"])).await, "Invalid channel name 'nowhere'"),
        (create("x", json!(["leadership"])).await, "Private channels cannot be made default."),
        (create("x", json!(["general"])).await, "'general' is a default channel and cannot be added to 'x'"),
        (
            members("remove", json!(["town-square"])).await,
            "Channel 'town-square' is not present in default channel group 'Makers'",
        ),
    ] {
        reply.error("BAD_REQUEST", message);
    }
    members("add", json!(["town-square"])).await.is(json!({}));
    assert_eq!(queue.all().await.len(), 6);
    let twice = "Channel 'town-square' is already present in default channel group 'Makers'";
    members("add", json!(["town-square"])).await.error("BAD_REQUEST", twice);
    members("dance", json!([])).await.error("BAD_REQUEST", "Invalid op");
    let same = adam.patch("/default_stream_groups/1", json!({"new_group_name": "Makers"})).await;
    same.error("BAD_REQUEST", "This default channel group is already named 'Makers'");
    let nothing = "You must pass \"new_description\" or \"new_group_name\".";
    adam.patch("/default_stream_groups/1", json!({})).await.error("BAD_REQUEST", nothing);
    queue.all().await;
    // The name and the description are sent one after the other.
    let both = json!({"new_group_name": "Builders", "new_description": "Of things"});
    adam.patch("/default_stream_groups/1", both).await.is(json!({}));
    for text in ["For those\nwho build", "Of things"] {
        let event = queue.next().await.has(json!({"type": "default_stream_groups"}));
        let group = &event["default_stream_groups"][0];
        assert_eq!((&group["name"], &group["description"]), (&json!("Builders"), &json!(text)));
    }
    adam.delete("/default_stream_groups/1", json!({})).await.is(json!({}));
    let gone = "Default channel group with id '1' does not exist.";
    adam.delete("/default_stream_groups/1", json!({})).await.error("BAD_REQUEST", gone);

    assert_eq!(queue.all().await.len(), 1);
    at_gus.none().await;
}
