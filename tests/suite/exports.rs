//! Exports of the organization's data.

use crate::support::{TestServer, User};
use chatdouble::realm::id::MessageId;
use serde_json::{Value, json};

async fn list(user: &User) -> Value {
    user.get("/export/realm", json!({})).await.success()["exports"].take()
}

async fn begin(user: &User, params: Value) -> i64 {
    user.post("/export/realm", params).await.success()["id"].as_i64().expect("an export has an ID")
}

/// An export of olive's, begun when the test began.
fn export(id: i64, at: i64, export_type: i64) -> Value {
    json!({
        "id": id, "acting_user_id": 1, "export_time": at, "deleted_timestamp": null, "failed_timestamp": null,
        "export_url": null, "pending": true, "export_type": export_type,
        "export_from_prior_server": false,
    })
}

fn now(server: &TestServer) -> i64 {
    server.server().world("default").now().seconds()
}

#[tokio::test]
async fn an_export_is_begun_made_fetched_and_deleted() {
    let server = TestServer::start().await;
    let [olive, adam] = server.users(["olive", "adam"]);
    let mut received = olive.events(["realm_export"]).await;
    let mut others = adam.events(["realm_export"]).await;
    let at = now(&server);
    assert_eq!(list(&olive).await, json!([]));

    let id = begin(&olive, json!({})).await;
    let mut expected = export(id, at, 1);
    for queue in [&mut received, &mut others] {
        queue.next().await.is(json!({"type": "realm_export", "exports": [expected]}));
    }
    assert_eq!(list(&adam).await, json!([expected]));
    let path = format!("/export/realm/{id}");
    adam.delete(&path, json!({})).await.error("BAD_REQUEST", "Export still in progress");

    server.advance(9).await;
    received.none().await;
    server.advance(1).await;
    let event = received.next().await.0;
    let url = event["exports"][0]["export_url"].as_str().expect("it is ready").to_owned();
    expected["pending"] = false.into();
    expected["export_url"] = url.as_str().into();
    assert_eq!(event["exports"], json!([expected]));
    assert_eq!(list(&olive).await, json!([expected]));
    let file = server.anonymous().get(&url, json!({})).await.with_status(200);
    assert_eq!(file.body["export_type"], 1);

    others.next().await.has(json!({"type": "realm_export"}));
    adam.delete(&path, json!({})).await.is(json!({}));
    expected["export_url"] = Value::Null;
    expected["deleted_timestamp"] = (at + 10).into();
    received.next().await.is(json!({"type": "realm_export", "exports": [expected]}));
    others.next().await.is(json!({"type": "realm_export", "exports": [expected]}));
    assert_eq!(list(&olive).await, json!([expected]));
    assert_eq!(server.anonymous().get(&url, json!({})).await.status, 404);
    olive.delete(&path, json!({})).await.error("BAD_REQUEST", "Export already deleted");
    olive.delete("/export/realm/77", json!({})).await.error("BAD_REQUEST", "Invalid data export ID");
}

#[tokio::test]
async fn an_export_fails_when_who_asked_for_it_is_no_administrator_any_more() {
    let server = TestServer::start().await;
    let [olive, adam] = server.users(["olive", "adam"]);
    let mut received = adam.events(["realm_export"]).await;
    let at = now(&server);
    let id = begin(&adam, json!({})).await;
    received.next().await.has(json!({"type": "realm_export"}));
    olive.patch(&format!("/users/{}", adam.id()), json!({"role": 400})).await.success();

    server.advance(10).await;

    // A member does not hear of exports.
    received.none().await;
    let mut failed = export(id, at, 1);
    failed["acting_user_id"] = adam.id().into();
    failed["failed_timestamp"] = (at + 10).into();
    failed["pending"] = false.into();
    assert_eq!(list(&olive).await, json!([failed]));
    let refused = olive.delete(&format!("/export/realm/{id}"), json!({})).await;
    refused.error("BAD_REQUEST", "Export failed, nothing to delete");
}

#[tokio::test]
async fn the_file_holds_what_is_public_and_what_is_consented_to() {
    let server = TestServer::start().await;
    let [olive, mel, max] = server.users(["olive", "mel", "max"]);
    mel.send_to("general", "x", "for everybody").await;
    mel.send_direct(&[max.id()], "between us").await;
    max.send_direct(&[olive.id()], "not of mel").await;
    max.patch("/settings", json!({"allow_private_data_export": false})).await.success();
    mel.patch("/settings", json!({"allow_private_data_export": true})).await.success();
    begin(&olive, json!({"export_type": 1})).await;
    begin(&olive, json!({"export_type": 2})).await;
    server.advance(10).await;

    let mut held = Vec::new();
    for export in list(&olive).await.as_array().expect("a list") {
        let url = export["export_url"].as_str().expect("it is ready");
        let file = server.anonymous().get(url, json!({})).await.with_status(200).body;
        let has = |content: &str| {
            let messages = file["messages"].as_array().expect("messages");
            messages.iter().any(|message| message["content"] == content)
        };
        let private = file["channels"].as_array().expect("channels").iter().any(|one| one["name"] == "leadership");
        held.push((export["export_type"].clone(), has("for everybody"), has("between us"), has("not of mel"), private));
    }

    let leads = server.server().world("default").snapshot();
    let is_mels =
        leads.channel_by_name("leadership").is_some_and(|one| one.subscribers.iter().any(|id| id.0 == mel.id()));
    assert_eq!(held, [(json!(1), true, false, false, false), (json!(2), true, true, false, is_mels)]);
}

#[tokio::test]
async fn administrators_see_who_consents() {
    let server = TestServer::start().await;
    let [olive, adam, mel] = server.users(["olive", "adam", "mel"]);
    let consents = async || olive.get("/export/realm/consents", json!({})).await.success()["export_consents"].take();
    let mut admins = adam.events(["realm_export_consent"]).await;
    let mut own = mel.events(["realm_export_consent"]).await;
    let before = consents().await;
    assert!(before.as_array().expect("a list").iter().all(|one| one["consented"] == false), "{before}");
    let realm = server.server().world("default").snapshot();
    let people = realm.active_users.iter().filter(|id| !realm.users[*id].is_bot()).count();
    assert_eq!(before.as_array().map(Vec::len), Some(people));

    mel.patch("/settings", json!({"allow_private_data_export": true, "email_address_visibility": 4})).await.success();

    admins.next().await.is(json!({"type": "realm_export_consent", "user_id": mel.id(), "consented": true}));
    own.none().await;
    let after = consents().await;
    let consented: Vec<&Value> =
        after.as_array().expect("a list").iter().filter(|one| one["consented"] == true).collect();
    assert_eq!(consented, [&json!({"user_id": mel.id(), "consented": true, "email_address_visibility": 4})]);
    // An unchanged value sends no event.
    mel.patch("/settings", json!({"allow_private_data_export": true})).await.success();
    admins.none().await;
}

#[tokio::test]
async fn exports_are_for_administrators() {
    let server = TestServer::start().await;
    for handle in ["mona", "mel", "gus", "build-bot"] {
        let user = server.user(handle);
        let admins = "Must be an organization administrator";
        user.get("/export/realm", json!({})).await.error("UNAUTHORIZED_PRINCIPAL", admins);
        user.get("/export/realm/consents", json!({})).await.error("UNAUTHORIZED_PRINCIPAL", admins);
        user.post("/export/realm", json!({})).await.error("UNAUTHORIZED_PRINCIPAL", admins);
        user.delete("/export/realm/1", json!({})).await.error("UNAUTHORIZED_PRINCIPAL", admins);
    }
    let olive = server.user("olive");
    let other = "Invalid export_type: Value error, Not in the list of possible values";
    olive.post("/export/realm", json!({"export_type": 3})).await.error("BAD_REQUEST", other);
    olive
        .post("/export/realm", json!({"export_type": "everything"}))
        .await
        .error("BAD_REQUEST", "export_type is not valid JSON");
    assert_eq!(list(&olive).await, json!([]));
}

#[tokio::test]
async fn a_large_organization_is_exported_by_hand() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let realm = server.server().world("default").snapshot();
    let (_, message) = realm.messages.get_max().expect("there are messages").clone();
    let begin_with = async |count: usize| {
        server.arrange(|tx| {
            let missing = count - tx.messages.len();
            let newest = tx.messages.get_max().map_or(0, |(id, _)| id.0);
            for id in (newest + 1..).take(missing) {
                tx.realm_mut().messages.insert(MessageId(id), message.clone());
            }
        });
        olive.post("/export/realm", json!({})).await
    };

    begin_with(50_000).await.success();
    let by_hand = "Please request a manual export from support@chat.test.";
    begin_with(50_001).await.error("BAD_REQUEST", by_hand);
    // These are no sound messages.
    let reset = "/control/worlds/default/reset";
    server.anonymous().send("POST", reset, &Value::Null, Vec::new(), None).await.success();
}

#[tokio::test]
async fn an_export_goes_on_in_a_state_that_is_put_back() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let control = async |method: &str, body: Vec<u8>| {
        let path = "/control/worlds/default/state";
        server.anonymous().send(method, path, &Value::Null, body, Some("application/json")).await.success()
    };
    begin(&olive, json!({})).await;
    let mut state = control("GET", Vec::new()).await["state"].take();

    control("PUT", state.to_string().into_bytes()).await;
    assert_eq!(list(&olive).await[0]["pending"], true);
    server.advance(10).await;
    assert_eq!(list(&olive).await[0]["pending"], false);

    // What was saved before there was such a thing has none.
    state.pointer_mut("/realm").and_then(Value::as_object_mut).map(|realm| realm.remove("exports"));
    state.pointer_mut("/realm/counters").and_then(Value::as_object_mut).map(|counters| counters.remove("export"));
    control("PUT", state.to_string().into_bytes()).await;
    assert_eq!(list(&olive).await, json!([]));
}
