//! What anybody may know of the server.

use crate::support::TestServer;
use serde_json::{Value, json};

/// Server settings have these fields and no others, whoever asks.
#[tokio::test]
async fn settings_have_their_fields() {
    let server = TestServer::start().await;

    let reply = server.anonymous().get("/server_settings", json!({})).await.success();

    let methods = [
        "chat_vendor",
        "cloud_identity",
        "code_host_a",
        "code_host_b",
        "dev",
        "device_vendor",
        "email",
        "ldap",
        "openid connect",
        "password",
        "remoteuser",
        "saml",
        "search_vendor",
    ];
    let on = ["dev", "email", "password"];
    let methods: Value = methods.iter().map(|name| ((*name).to_owned(), json!(on.contains(name)))).collect();
    let level = chatdouble::api::NEWEST_FEATURE_LEVEL;
    let version = reply["service_version"].clone();
    assert_eq!(
        reply,
        json!({
            "authentication_methods": methods,
            "external_authentication_methods": [],
            "service_feature_level": level,
            "service_version": version,
            "service_merge_base": version,
            "push_notifications_enabled": true,
            "is_incompatible": false,
            "email_auth_enabled": true,
            "require_email_format_usernames": true,
            "realm_uri": server.url(),
            "realm_url": server.url(),
            "realm_name": "Chatdouble",
            "realm_icon": "/static/images/default-icon.png?version=1",
            "realm_description": "<p>The built-in organization: <strong>one of each kind</strong> of thing.</p>",
            "realm_web_public_access_enabled": true,
        })
    );
    // The icon is there, and the register reply has the same level and version.
    let icon = server.anonymous().get("/static/images/default-icon.png", json!({})).await;
    assert_eq!(icon.status, 200);
    let state = server.user("mel").post("/register", json!({"fetch_event_types": []})).await.success();
    for key in ["service_feature_level", "service_version", "service_merge_base"] {
        assert_eq!(state[key], reply[key]);
    }
}

/// `realm_web_public_access_enabled` is true when web-public channels are enabled and at least one exists.
#[tokio::test]
async fn web_public_access_takes_the_permission_and_a_channel() {
    let server = TestServer::start().await;
    let enabled = async || {
        let reply = server.anonymous().get("/server_settings", json!({})).await.success();
        reply["realm_web_public_access_enabled"].clone()
    };
    assert_eq!(enabled().await, true);

    server.change_channel("town-square", json!({"is_web_public": false})).await;
    assert_eq!(enabled().await, false);

    server.change_channel("town-square", json!({"is_web_public": true})).await;
    assert_eq!(enabled().await, true);
    server.set("enable_spectator_access", false).await;
    assert_eq!(enabled().await, false);
}

/// POST /dev_fetch_api_key gives api_key, email and user_id, and the pair authenticates.
#[tokio::test]
async fn the_key_that_is_given_authenticates() {
    let server = TestServer::start().await;

    for handle in ["mona", "gus", "build-bot"] {
        let user = server.user(handle);
        let reply = server.anonymous().post("/dev_fetch_api_key", json!({"username": user.email()})).await;
        let key = user.credentials().api_key.clone();
        reply.is(json!({"api_key": key, "email": user.email(), "user_id": user.id()}));
        user.with_key(&key).get("/users/me", json!({})).await.success();
    }
    // An address for the API is no user name.
    let dummy = format!("user{}@chat.test", server.user("mona").id());
    let refused = server.anonymous().post("/dev_fetch_api_key", json!({ "username": dummy })).await;
    refused.with_status(401).error("AUTHENTICATION_FAILED", "Your username or password is incorrect");
}

#[tokio::test]
async fn clients_that_are_too_old_are_refused_as_such() {
    let server = TestServer::start().await;
    let ask = async |agent: &str| {
        let request = http::Request::get(format!("{}/api/v1/server_settings", server.url()));
        let request = request.header("user-agent", agent).body(http_body_util::Full::default());
        let reply = server.anonymous().raw(request.expect("a test's request is well-formed"), agent).await.success();
        reply["is_incompatible"].clone()
    };

    assert_eq!(ask("ChatMobile/16.2.95 (Android 14)").await, true);
    assert_eq!(ask("ChatInvalid/1.0").await, true);
    assert_eq!(ask("ChatMobile/27.1.0 (iOS 18)").await, false);
    assert_eq!(ask("chat-python/0.9").await, false);
}

#[tokio::test]
async fn people_who_can_be_logged_in_as_are_listed() {
    let server = TestServer::start().await;

    let reply = server.anonymous().get("/dev_list_users", json!({})).await.success();

    let emails = |list: &str| -> Vec<String> {
        let people = reply[list].as_array().into_iter().flatten();
        people.map(|person| person["email"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(emails("direct_admins"), ["adam@chat.test", "olive@chat.test"]);
    assert_eq!(
        emails("direct_users"),
        ["gus", "ivy", "max", "mel", "mona", "nora"].map(|name| format!("{name}@chat.test"))
    );
    assert_eq!(reply["direct_users"][0]["realm_url"], server.url());
}

#[tokio::test]
async fn an_organization_that_says_nothing_of_itself_has_the_servers_words() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    olive.patch("/realm", json!({"description": ""})).await.success();

    let settings = olive.get("/server_settings", json!({})).await.success();
    let text = settings["realm_description"].as_str().expect("HTML");
    assert!(text.starts_with("<p>") && text.ends_with("</p>") && text.len() > 7, "{text}");
    let state = olive.post("/register", json!({"fetch_event_types": ["realm"]})).await.success();
    assert_eq!(state["realm_description"], "");
}
