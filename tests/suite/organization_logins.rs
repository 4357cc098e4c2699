//! The ways to log in that an organization has on.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

const NO_PASSWORDS: &str = "Password authentication is disabled in this organization";
const NO_DEV: &str = "DevAuthBackend not enabled.";

async fn change(user: &User, methods: Value) -> Reply {
    user.patch("/realm", json!({ "authentication_methods": methods })).await
}

fn records(email: bool, dev: bool) -> Value {
    json!({"Email": {"enabled": email, "available": true}, "Dev": {"enabled": dev, "available": true}})
}

async fn log_in(server: &TestServer, username: &str, password: &str) -> Reply {
    let login = json!({"username": username, "password": password});
    server.anonymous().post("/fetch_api_key", login).await
}

async fn take_key(server: &TestServer) -> Reply {
    server.anonymous().post("/dev_fetch_api_key", json!({"username": "mel@chat.test"})).await
}

/// What somebody who registers and somebody without an account see: Email as the older keys have it, and both methods.
async fn assert_shown(server: &TestServer, email: bool, dev: bool) {
    let state = server.user("gus").register(json!({"fetch_event_types": ["realm"]})).await.state;
    assert_eq!(state["realm_authentication_methods"], records(email, dev));
    assert_eq!(
        (&state["realm_email_auth_enabled"], &state["realm_password_auth_enabled"]),
        (&json!(email), &json!(email))
    );
    let settings = server.anonymous().get("/server_settings", json!({})).await.success();
    let methods = &settings["authentication_methods"];
    assert_eq!((&methods["password"], &methods["email"], &methods["dev"]), (&json!(email), &json!(email), &json!(dev)));
    assert_eq!((&settings["email_auth_enabled"], &methods["ldap"]), (&json!(email), &json!(false)));
}

#[tokio::test]
async fn a_way_to_log_in_is_switched_off_and_on_again() {
    let server = TestServer::start().await;
    let [olive, gus] = server.users(["olive", "gus"]);
    let mut queue = gus.events(["realm"]).await;
    let received = |email: bool, dev: bool| {
        let data = json!({"authentication_methods": records(email, dev)});
        json!({"type": "realm", "op": "update_dict", "property": "default", "data": data})
    };
    let switches = |email: bool, dev: bool| json!({"authentication_methods": {"Email": email, "Dev": dev}});
    assert_shown(&server, true, true).await;

    change(&olive, json!({"Email": false})).await.is(switches(false, true));
    queue.next().await.is(received(false, true));
    assert_shown(&server, false, true).await;
    // In one request, as the register reply has them; any other key is ignored.
    let both = json!({"Email": {"enabled": true, "available": false}, "Dev": {"enabled": false, "x": 1}});
    change(&olive, both.clone()).await.is(switches(true, false));
    queue.next().await.is(received(true, false));
    assert_shown(&server, true, false).await;
    change(&olive, both).await.is(json!({}));
    let none = "At least one authentication method must be enabled.";
    change(&olive, json!({})).await.error("BAD_REQUEST", none);
    queue.none().await;
}

#[tokio::test]
async fn nobody_logs_in_by_a_way_that_is_off() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let users = async || server.anonymous().get("/dev_list_users", json!({})).await;

    change(&olive, json!({"Email": false})).await.success();
    // Whether the password is right is not said, whether that is an address is.
    for password in ["mel-password-7421", "wrong"] {
        let refused = log_in(&server, "mel@chat.test", password).await.with_status(401);
        refused.error("PASSWORD_AUTH_DISABLED", NO_PASSWORDS);
    }
    log_in(&server, "mel", "wrong").await.error("BAD_REQUEST", "Enter a valid email address.");
    take_key(&server).await.success();
    users().await.success();

    change(&olive, json!({"Email": true, "Dev": false})).await.success();
    log_in(&server, "mel@chat.test", "mel-password-7421").await.success();
    take_key(&server).await.with_status(400).error("BAD_REQUEST", NO_DEV);
    users().await.with_status(400).error("BAD_REQUEST", NO_DEV);
    let nobody = server.anonymous().post("/dev_fetch_api_key", json!({})).await;
    nobody.error("REQUEST_VARIABLE_MISSING", "Missing 'username' argument");
    mel.get("/users/me", json!({})).await.success();

    change(&olive, json!({"Dev": true})).await.success();
    take_key(&server).await.success();
    users().await.success();
}

#[tokio::test]
async fn owners_decide_how_people_log_in() {
    let server = TestServer::start().await;
    let [olive, adam, mel] = server.users(["olive", "adam", "mel"]);
    let mut queue = mel.events(["realm"]).await;
    let off = || json!({"Dev": false});

    let admins = "Must be an organization administrator";
    change(&mel, off()).await.error("UNAUTHORIZED_PRINCIPAL", admins);
    for methods in [off(), json!({"LDAP": true})] {
        change(&adam, methods).await.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
    }
    for (methods, message) in [
        (json!({"Email": false, "Dev": false}), "At least one authentication method must be enabled."),
        (json!({"LDAP": true}), "Invalid authentication_methods"),
        (json!({"email": false}), "Invalid authentication_methods"),
        (json!(["Email"]), "authentication_methods is not a dict"),
        (json!({"Email": "no"}), "authentication_methods[\"Email\"] is not a boolean"),
        (json!({"Email": {}}), "authentication_methods[\"Email\"][\"enabled\"] field is missing: Field required"),
    ] {
        let params = json!({"name": "Other", "authentication_methods": methods});
        olive.patch("/realm", params).await.error("BAD_REQUEST", message);
    }
    queue.none().await;
    assert_shown(&server, true, true).await;
    // The other one is off already.
    change(&olive, off()).await.success();
    let last = "At least one authentication method must be enabled.";
    change(&olive, json!({"Email": false})).await.error("BAD_REQUEST", last);
    assert_shown(&server, true, false).await;
}

#[tokio::test]
async fn a_fixture_says_how_people_log_in_and_older_states_have_all_ways() {
    let mut fixture: Value =
        serde_json::from_str(chatdouble::fixture::built_in("default").expect("built in")).expect("JSON");
    fixture["organization"]["authentication_methods"] = json!(["Email"]);
    let server = TestServer::start_with(|options| options.fixture = fixture.to_string().into()).await;
    assert_shown(&server, true, false).await;
    let control = async |method: &str, body: Vec<u8>| {
        let path = "/control/worlds/default/state";
        server.anonymous().send(method, path, &Value::Null, body, Some("application/json")).await.success()
    };

    let mut state = control("GET", Vec::new()).await["state"].take();
    control("PUT", state.to_string().into_bytes()).await;
    assert_shown(&server, true, false).await;
    let organization = state.pointer_mut("/realm/organization").and_then(Value::as_object_mut).expect("it is there");
    assert_eq!(organization.remove("disabled_authentication_methods"), Some(json!(["Dev"])));
    control("PUT", state.to_string().into_bytes()).await;
    assert_shown(&server, true, true).await;
}
