//! Following an invitation's link in a browser.

use crate::support::{Browser, Reply, TestServer};
use serde_json::{Value, json};

const EVERLASTING: &str = "/join/everlastinglinkkeyaaaaaa/";
const EXPIRING: &str = "/join/expiringlinkkeyaaaaaaaaa/";
const BY_EMAIL: &str = "/accounts/do_confirm/emailinvitekeyaaaaaaaaaa";
const PASSWORD: &str = "correct horse battery staple";

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.bytes).into_owned()
}

fn zoe() -> Value {
    json!({"email": "zoe@example.com", "full_name": " Zoe ", "password": PASSWORD})
}

#[track_caller]
fn not_found(reply: Reply, heading: &str) {
    let reply = reply.with_status(404);
    assert!(text(&reply).contains(&format!("<h1>{heading}")), "{reply}");
}

const EXPIRED: &str = "This invitation link has expired or was used";
const UNKNOWN: &str = "There is no such invitation link";
const MALFORMED: &str = "This invitation link is malformed";

#[tokio::test]
async fn a_link_that_the_api_gives_leads_to_an_account() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let channels = [server.channel("general")];
    let link = mel.post("/invites/multiuse", json!({"stream_ids": channels})).await.success();
    let link = link["invite_link"].as_str().expect("a link").strip_prefix(&server.url()).expect("of here").to_owned();
    let mut others = server.user("olive").events(["realm_user", "subscription", "invites_changed"]).await;
    let mut browser = Browser::new(server.url());

    let html = browser.visit(&link).await;
    assert!(html.contains("invites you to join <strong dir=\"auto\">Chatdouble</strong> as a member."), "{html}");
    assert!(html.contains("<strong dir=\"auto\">Mel") && html.contains(">#general</li>"), "{html}");
    let reply = browser.submit(&link, zoe()).await.with_status(302);

    assert_eq!(reply.header("location"), Some("/"));
    let own = browser.send("GET", "/json/users/me", String::new()).await.success();
    assert_eq!((&own["full_name"], &own["role"]), (&json!("Zoe"), &json!(400)));
    let seen = others.next().await.has(json!({"type": "realm_user", "op": "add"}));
    assert_eq!(seen["person"]["user_id"], own["user_id"]);
    let peers = json!({"op": "peer_add", "stream_ids": channels, "user_ids": [own["user_id"]]});
    others.next().await.has(peers);
    others.none().await;
    let login = json!({"username": "zoe@example.com", "password": PASSWORD});
    assert_eq!(server.anonymous().post("/fetch_api_key", login).await.success()["user_id"], own["user_id"]);
}

/// Every page that a visitor without an account may open.
const PAGES: [&str; 9] = [
    "/",
    "/login/",
    "/accounts/login/",
    "/accounts/login/?mobile_flow_otp=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "/accounts/register/",
    "/accounts/deactivated/",
    "/accounts/do_confirm/nosuchkeyaaaaaaaaaaaaaaa",
    "/join/nosuchkeyaaaaaaaaaaaaaaaa/",
    "/w/ghost/login/",
];

#[tokio::test]
async fn pages_tell_visitors_nothing_of_what_is_private() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let made = json!({"subscriptions": [{"name": "canarychannel"}], "invite_only": true});
    olive.post("/users/me/subscriptions", made).await.success();
    let content = json!({"type": "stream", "to": "canarychannel", "topic": "canarytopic", "content": "canarytext"});
    olive.post("/messages", content).await.success();
    let channels = [server.channel("general"), server.channel("canarychannel")];
    let link = olive.post("/invites/multiuse", json!({"stream_ids": channels})).await.success();
    let link = link["invite_link"].as_str().expect("a link").strip_prefix(&server.url()).expect("of here").to_owned();

    let mut browser = Browser::new(server.url());
    let invitation = browser.visit(&link).await;
    assert!(invitation.contains("#general") && invitation.contains("and 1 more"), "{invitation}");
    for page in PAGES.iter().copied().chain([&*link]) {
        let reply = browser.send("GET", page, String::new()).await;
        assert!(!text(&reply).contains("canary"), "{page}: {reply}");
    }
}

#[tokio::test]
async fn an_invitation_by_email_is_for_its_address_and_once() {
    let server = TestServer::start().await;
    let mut adam = server.user("adam").events(["invites_changed", "message"]).await;
    let mut browser = Browser::new(server.url());

    let html = browser.visit(BY_EMAIL).await;
    assert!(html.contains("value=\"wanda@example.com\" readonly") && html.contains("as a moderator."), "{html}");
    let key = "emailinvitekeyaaaaaaaaaa";
    let page = browser.submit("/accounts/register/", json!({"key": key, "from_confirmation": 1})).await;
    assert!(text(&page.with_status(200)).contains("wanda@example.com"));
    let fields = json!({"key": key, "email": "other@example.com", "full_name": "Wanda", "password": PASSWORD});
    drop(browser.submit("/accounts/register/", fields.clone()).await.with_status(302));

    let own = browser.send("GET", "/json/users/me", String::new()).await.success();
    assert_eq!((&own["delivery_email"], &own["role"]), (&json!("wanda@example.com"), &json!(300)));
    let events = adam.all().await;
    assert!(events.iter().any(|event| event["type"] == "invites_changed"), "{events:#?}");
    let is_sent = |event: &Value| {
        event["message"]["content"].as_str().is_some_and(|text| text.contains("accepted your invitation to join"))
    };
    assert!(events.iter().any(is_sent), "{events:#?}");
    not_found(browser.look(BY_EMAIL).await, EXPIRED);
    not_found(browser.submit("/accounts/register/", fields).await, EXPIRED);
    // The state that is given out remembers it.
    let state = server.anonymous().get("/control/worlds/default/state", json!({})).await.success();
    assert_eq!(state["state"]["realm"]["used_invites"], json!([key]));
}

#[tokio::test]
async fn links_that_are_none_say_why() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut browser = Browser::new(server.url());

    not_found(browser.look("/join/short/").await, MALFORMED);
    not_found(browser.look("/accounts/do_confirm/short").await, MALFORMED);
    not_found(browser.look("/join/aaaaaaaaaaaaaaaaaaaaaaaa/").await, UNKNOWN);
    not_found(browser.submit("/join/short/", zoe()).await, MALFORMED);
    // Of the other kind.
    not_found(browser.look("/join/emailinvitekeyaaaaaaaaaa/").await, UNKNOWN);
    not_found(browser.look("/accounts/do_confirm/everlastinglinkkeyaaaaaa").await, UNKNOWN);
    not_found(browser.submit("/accounts/register/", json!({"key": "everlastinglinkkeyaaaaaa"})).await, UNKNOWN);
    let path = EXPIRING.trim_end_matches('/');
    assert_eq!(browser.look(path).await.with_status(301).header("location"), Some(EXPIRING));
    server.advance(10 * 86_400).await;
    not_found(browser.look(EXPIRING).await, EXPIRED);
    not_found(browser.submit(EXPIRING, zoe()).await, EXPIRED);
    not_found(browser.look(BY_EMAIL).await, EXPIRED);
    browser.visit(EVERLASTING).await;
    let listed = mel.get("/invites", json!({})).await.success();
    assert!(listed["invites"].as_array().is_some_and(Vec::is_empty), "{listed}");
    server.user("olive").delete("/invites/multiuse/2", json!({})).await.success();
    not_found(browser.look(EVERLASTING).await, UNKNOWN);
}

#[tokio::test]
async fn what_is_wrong_with_the_form_is_said_and_nothing_changes() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());
    browser.visit(EXPIRING).await;
    let users = server.server().world("default").snapshot().users.len();

    for (field, value, message) in [
        ("full_name", "", "Name must not be empty!"),
        ("full_name", "a*b", "Invalid characters in name!"),
        ("email", "x", "Bad name or username"),
        ("password", "abc", "The password is too weak."),
    ] {
        let mut fields = zoe();
        fields[field] = value.into();
        let page = browser.submit(EXPIRING, fields).await.with_status(200);
        let html = text(&page);
        assert!(html.contains(&format!("role=\"alert\">{message}")), "{field}: {html}");
        assert!(!html.contains(PASSWORD), "a password is never on a page");
    }
    let mut fields = zoe();
    fields["email"] = "MEL@chat.test".into();
    let reply = browser.submit(EXPIRING, fields).await.with_status(302);
    let login = reply.header("location").expect("a page").to_owned();
    assert_eq!(login, "/login/?email=MEL%40chat.test&already_registered=1");
    let html = browser.visit(&login).await;
    assert!(html.contains("There is an account with this address already") && html.contains("value=\"MEL@chat.test\""));
    // Who says only an address gets the form for the rest.
    let html = text(&browser.submit(EXPIRING, json!({"email": "zoe@example.com"})).await.with_status(200));
    assert!(html.contains("value=\"zoe@example.com\""), "{html}");
    assert_eq!(server.server().world("default").snapshot().users.len(), users);
}

#[tokio::test]
async fn a_form_without_the_token_makes_no_account() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());
    browser.visit(EXPIRING).await;
    let form = "email=zoe%40example.com&full_name=Zoe&password=correct+horse+battery+staple";

    browser.headers = vec![("origin", server.url())];
    let page = browser.send("POST", EXPIRING, form.to_owned()).await.with_status(403);
    assert!(text(&page).contains("Access forbidden (403)"), "{page}");
    browser.headers = vec![("origin", "https://evil.test".into())];
    drop(browser.send("POST", EXPIRING, form.to_owned()).await.with_status(403));
}

#[tokio::test]
async fn an_address_and_a_name_are_enough_where_people_are_chosen() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());
    browser.visit(EXPIRING).await;

    drop(
        browser
            .submit(EXPIRING, json!({"email": "zoe@example.com", "full_name": "Zoe", "password": ""}))
            .await
            .with_status(302),
    );

    assert_eq!(browser.send("GET", "/json/users/me", String::new()).await.success()["full_name"], "Zoe");
    // Nobody else could log in as the next one.
    let methods = json!({"authentication_methods": {"Dev": false, "Email": true}});
    server.user("olive").patch("/realm", methods).await.success();
    let fields = json!({"email": "zac@example.com", "full_name": "Zac", "password": ""});
    let page = browser.submit(EXPIRING, fields).await.with_status(200);
    assert!(text(&page).contains("The password is too weak."), "{page}");
}

#[tokio::test]
async fn an_organization_without_passwords_asks_for_none() {
    let server = TestServer::start().await;
    let methods = json!({"authentication_methods": {"Dev": true, "Email": false}});
    server.user("olive").patch("/realm", methods).await.success();
    let mut browser = Browser::new(server.url());

    let html = browser.visit(EXPIRING).await;
    assert!(!html.contains("name=\"password\""), "{html}");
    drop(browser.submit(EXPIRING, json!({"email": "zoe@example.com", "full_name": "Zoe"})).await.with_status(302));

    let realm = server.server().world("default").snapshot();
    assert_eq!(realm.user_by_email("zoe@example.com").map(|user| user.password.clone()), Some(None));
}
