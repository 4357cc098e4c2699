//! Channel folders.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

const NOW: i64 = 1_767_268_800;

async fn folders(user: &User) -> Vec<Value> {
    let reply = user.get("/channel_folders", json!({"include_archived": true})).await.success();
    reply["channel_folders"].as_array().cloned().unwrap_or_default()
}

/// The id of the folder with this name.
async fn folder(user: &User, name: &str) -> i64 {
    let all = folders(user).await;
    let found = all.iter().find(|folder| folder["name"] == name).unwrap_or_else(|| panic!("no folder {name}: {all:?}"));
    found["id"].as_i64().expect("an id")
}

fn event(op: &str, more: Value) -> Value {
    let mut event = json!({"type": "channel_folder", "op": op});
    for (key, value) in more.as_object().expect("an object") {
        event[key] = value.clone();
    }
    event
}

#[tokio::test]
async fn everybody_sees_the_folders_and_archived_ones_when_asked_for() {
    let server = TestServer::start().await;
    let [gus, adam] = server.users(["gus", "adam"]);

    let reply = gus.get("/channel_folders", json!({})).await.success();

    let id = folder(&gus, "Product").await;
    assert_eq!(
        reply["channel_folders"],
        json!([{
            "id": id,
            "name": "Product",
            "description": "All about the **product**",
            "rendered_description": "<p>All about the <strong>product</strong></p>",
            "date_created": NOW - 90 * 86_400,
            "creator_id": adam.id(),
            "order": 0,
            "is_archived": false,
        }])
    );
    assert_eq!(folders(&gus).await.len(), 2);
    let state = gus.register(json!({"fetch_event_types": ["channel_folders"]})).await.state;
    assert_eq!(state["channel_folders"], json!(folders(&gus).await));
}

#[tokio::test]
async fn an_administrator_makes_a_folder_and_everybody_gets_an_event() {
    let server = TestServer::start().await;
    let [adam, gus] = server.users(["adam", "gus"]);
    let mut at_gus = gus.events(["channel_folder"]).await;

    let params = json!({"name": " Fun ", "description": "*Only* fun"});
    let made = adam.post("/channel_folders/create", params).await.success();

    let id = &made["channel_folder_id"];
    let record = json!({
        "id": id,
        "name": " Fun ",
        "description": "*Only* fun",
        "rendered_description": "<p><em>Only</em> fun</p>",
        "date_created": NOW,
        "creator_id": adam.id(),
        "order": id,
        "is_archived": false,
    });
    assert_eq!(folders(&gus).await.last(), Some(&record));
    at_gus.next().await.is(event("add", json!({"channel_folder": record})));
    at_gus.none().await;
}

#[tokio::test]
async fn names_are_not_blank_not_too_long_and_not_taken() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let product = format!("/channel_folders/{}", folder(&adam, "Product").await);
    let long = |text: &str, count: usize| text.repeat(count);

    for (name, message) in [
        (String::new(), "Channel folder name can't be empty."),
        ("  ".into(), "Channel folder name can't be empty."),
        (long("é", 61), "name is too long (limit: 60 characters)"),
        ("a\tb".into(), "Invalid character in channel folder name, at position 2."),
        ("PRODUCT".into(), "Channel folder name already in use"),
    ] {
        let params = json!({"name": name, "description": ""});
        adam.post("/channel_folders/create", params).await.error("BAD_REQUEST", message);
        // The folder's own name in another case is taken by itself.
        adam.patch(&product, json!({ "name": name })).await.error("BAD_REQUEST", message);
    }
    let params = json!({"name": "x", "description": long("é", 1_025)});
    let message = "description is too long (limit: 1024 characters)";
    adam.post("/channel_folders/create", params.clone()).await.error("BAD_REQUEST", message);
    adam.patch(&product, params).await.error("BAD_REQUEST", message);
    let missing = adam.post("/channel_folders/create", json!({"name": "x"})).await;
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'description' argument");
    // An archived folder keeps no name, and lengths count code points.
    for name in ["Projects of last year".into(), long("é", 60)] {
        let params = json!({"name": name, "description": long("é", 1_024)});
        adam.post("/channel_folders/create", params).await.success();
    }
}

#[tokio::test]
async fn each_changed_field_of_a_folder_is_an_event_of_its_own() {
    let server = TestServer::start().await;
    let [adam, gus] = server.users(["adam", "gus"]);
    let id = folder(&adam, "Product").await;
    let path = format!("/channel_folders/{id}");
    let mut at_gus = gus.events(["channel_folder"]).await;

    adam.patch(&path, json!({"name": "Products", "description": "`all`"})).await.is(json!({}));
    adam.patch(&path, json!({"name": "Products", "description": "`all`", "is_archived": false})).await.is(json!({}));
    adam.patch(&path, json!({})).await.is(json!({}));

    for data in [
        json!({"name": "Products"}),
        json!({"description": "`all`", "rendered_description": "<p><code>all</code></p>"}),
    ] {
        at_gus.next().await.is(event("update", json!({"channel_folder_id": id, "data": data})));
    }
    at_gus.none().await;
    assert_eq!(folder(&adam, "Products").await, id);
}

#[tokio::test]
async fn a_folder_is_archived_when_empty_and_brought_back() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let id = folder(&adam, "Product").await;
    let path = format!("/channel_folders/{id}");
    let full = adam.patch(&path, json!({"is_archived": true, "name": "Never"})).await;
    full.error("BAD_REQUEST", "You need to remove all the channels from this folder to archive it.");
    assert_eq!(folder(&adam, "Product").await, id, "a refused change changes nothing");
    for channel in ["engineering", "design"] {
        server.change_channel(channel, json!({"folder_id": null})).await;
    }
    let mut events = mel.events(["channel_folder"]).await;
    let shown = async || {
        let reply = mel.get("/channel_folders", json!({})).await.success();
        reply["channel_folders"].as_array().map(Vec::len)
    };

    adam.patch(&path, json!({"is_archived": true})).await.is(json!({}));
    assert_eq!(shown().await, Some(0));
    adam.patch(&path, json!({"is_archived": false})).await.is(json!({}));
    assert_eq!(shown().await, Some(1));

    for is_archived in [true, false] {
        let data = json!({ "is_archived": is_archived });
        events.next().await.is(event("update", json!({"channel_folder_id": id, "data": data})));
    }
    events.none().await;
}

#[tokio::test]
async fn changing_an_unknown_folder_is_refused() {
    let server = TestServer::start().await;
    let adam = server.user("adam");

    let reply = adam.patch("/channel_folders/999", json!({"name": "x"})).await;
    reply.error("BAD_REQUEST", "Invalid channel folder ID");
    let reply = adam.patch("/channel_folders/999", json!({"name": "x".repeat(61)})).await;
    reply.error("BAD_REQUEST", "name is too long (limit: 60 characters)");
}

#[tokio::test]
async fn only_administrators_make_change_and_order_folders() {
    let server = TestServer::start().await;
    let [mona, olive] = server.users(["mona", "olive"]);
    let path = format!("/channel_folders/{}", folder(&olive, "Product").await);
    let (code, message) = ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");

    // Before any parameter is looked at.
    mona.post("/channel_folders/create", json!({})).await.error(code, message);
    mona.patch(&path, json!({"is_archived": 7})).await.error(code, message);
    mona.patch("/channel_folders", json!({})).await.error(code, message);
    olive.patch(&path, json!({"name": "Things"})).await.is(json!({}));
}

#[tokio::test]
async fn folders_are_put_into_an_order_that_has_them_all() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let product = folder(&adam, "Product").await;
    let projects = folder(&adam, "Projects of last year").await;
    let mut events = mel.events(["channel_folder"]).await;
    let order = async |ids: &[i64]| adam.patch("/channel_folders", json!({ "order": ids })).await;

    order(&[projects, 999, product]).await.is(json!({}));

    events.next().await.is(event("reorder", json!({"order": [projects, product]})));
    let listed: Vec<_> =
        folders(&mel).await.iter().map(|folder| (folder["id"].clone(), folder["order"].clone())).collect();
    assert_eq!(listed, [(json!(projects), json!(0)), (json!(product), json!(1))]);
    order(&[product]).await.error("BAD_REQUEST", "Invalid order mapping.");
    order(&[product, product]).await.error("BAD_REQUEST", "Invalid order mapping.");
    events.none().await;
}

#[tokio::test]
async fn a_folder_does_not_come_back_under_a_name_that_was_given_again() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let former = format!("/channel_folders/{}", folder(&adam, "Projects of last year").await);
    let again = json!({"name": "PROJECTS of last year", "description": ""});
    adam.post("/channel_folders/create", again).await.success();
    let mut events = adam.events(["channel_folder"]).await;

    let back = adam.patch(&former, json!({"is_archived": false, "description": "Never"})).await;

    back.error("BAD_REQUEST", "Channel folder name already in use");
    events.none().await;
    adam.patch(&former, json!({"is_archived": true, "description": "Still archived"})).await.is(json!({}));
    adam.patch(&former, json!({"is_archived": false, "name": "Older projects"})).await.is(json!({}));
    folder(&adam, "Older projects").await;
}
