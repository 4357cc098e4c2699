//! The page on which one logs in, for web clients and for apps.

use crate::support::{Browser, Reply, TestServer};
use chatdouble::dialect::Dialect;
use serde_json::{Value, json};

const PAD: &str = "1234abcd1234abcd1234abcd1234abcd1234abcd1234abcd1234abcd1234abcd";

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.bytes).into_owned()
}

/// What the page's form would send for a person.
fn chosen(email: &str) -> Value {
    json!({"direct_email": email})
}

/// Scheme and parameters of the address that an app is opened with.
#[track_caller]
fn handed_over(reply: &Reply) -> (String, Vec<(String, String)>) {
    assert_eq!(reply.status, 302, "{reply}");
    let (address, query) = reply.header("location").and_then(|to| to.split_once('?')).expect("an address");
    (address.to_owned(), form_urlencoded::parse(query.as_bytes()).into_owned().collect())
}

fn decrypted(encrypted: &str) -> String {
    let digit = |character: char| character.to_digit(16).expect("a digit");
    let digits: Vec<u32> = encrypted.chars().zip(PAD.chars()).map(|(one, pad)| digit(one) ^ digit(pad)).collect();
    digits.chunks(2).map(|pair| char::from((pair[0] * 16 + pair[1]) as u8)).collect()
}

#[tokio::test]
async fn an_app_gets_the_key_of_the_chosen_user() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());
    let path = format!("/accounts/login/?mobile_flow_otp={PAD}");

    let page = browser.look(&path).await.with_status(200);
    let html = text(&page);
    assert!(html.contains(&format!("<input type=\"hidden\" name=\"mobile_flow_otp\" value=\"{PAD}\">")), "{html}");
    assert!(page.header("content-security-policy").is_some_and(|policy| policy.contains("form-action 'self' chat:;")));
    let fields = json!({"direct_email": "mel@chat.test", "mobile_flow_otp": PAD});
    let (address, mut query) = handed_over(&browser.submit("/accounts/login/", fields).await);

    assert_eq!(address, "chat://login");
    let (name, encrypted) = query.pop().expect("the key");
    assert_eq!((name.as_str(), encrypted.len()), ("otp_encrypted_api_key", 64));
    assert_eq!(decrypted(&encrypted), "melKey00000000000000000000000000");
    let mel = server.user("mel");
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let expected =
        [pair("realm", server.url()), pair("email", mel.email().to_owned()), pair("user_id", mel.id().to_string())];
    assert_eq!(query, expected);
    assert!(!browser.cookies.contains_key("sessionid"), "the app is logged in, not the browser");
}

#[tokio::test]
async fn the_scheme_and_the_address_are_those_of_the_world() {
    let server = TestServer::start_with(|options| options.dialect = Dialect::zulip()).await;
    let body = json!({"name": "tenant", "fork_of": "default"});
    server.anonymous().send("POST", "/control/worlds", &body, body.to_string().into_bytes(), None).await.success();
    let mut browser = Browser::new(format!("{}/w/tenant", server.url()));

    let path = format!("/accounts/login/?mobile_flow_otp={}", PAD.to_uppercase());
    let html = browser.visit(&path).await;
    assert!(html.contains("action=\"/w/tenant/accounts/login/\""), "{html}");
    let fields = json!({"username": "max@chat.test", "password": "max-password-7421", "mobile_flow_otp": PAD});
    let (address, query) = handed_over(&browser.submit("/accounts/login/", fields).await);

    assert_eq!(address, "zulip://login");
    assert_eq!(query[0], ("realm".to_owned(), format!("{}/w/tenant", server.url())));
    assert_eq!(decrypted(&query[3].1), "maxKey00000000000000000000000000");
}

#[tokio::test]
async fn apps_find_the_page_by_the_services_that_a_fixture_gives() {
    let server = TestServer::start().await;
    let fixture = json!({
        "organization": {"login_services": [{"name": "saml:company", "display_name": "Company login"}]},
        "users": [{"handle": "olive", "full_name": "Olive", "role": "owner"}],
    });
    let body = json!({"name": "company", "fixture": fixture});
    server.anonymous().send("POST", "/control/worlds", &body, body.to_string().into_bytes(), None).await.success();

    let settings = server.anonymous().get("/w/company/api/v1/server_settings", json!({})).await.success();

    let page = "/w/company/accounts/login/";
    let service = json!({
        "name": "saml:company",
        "display_name": "Company login",
        "display_icon": null,
        "login_url": page,
        "signup_url": page,
    });
    assert_eq!(settings["external_authentication_methods"], json!([service]));
    let methods = &settings["authentication_methods"];
    assert_eq!((&methods["saml"], &methods["ldap"]), (&json!(true), &json!(false)));
    let html = Browser::new(server.url()).visit(&format!("{page}?mobile_flow_otp={PAD}")).await;
    assert!(html.contains("olive@chat.test"), "{html}");
    // The state that is given out has them.
    let state = server.anonymous().get("/control/worlds/company/state", json!({})).await.success();
    assert_eq!(
        state["state"]["realm"]["organization"]["login_services"],
        json!(fixture["organization"]["login_services"])
    );
}

#[tokio::test]
async fn a_pad_that_is_none_is_refused() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());
    for pad in ["1234", &"invalido".repeat(8), ""] {
        let reply = browser.look(&format!("/accounts/login/?mobile_flow_otp={pad}")).await.with_status(400);
        reply.error("BAD_REQUEST", "Invalid OTP");
        browser.visit("/accounts/login/").await;
        let fields = json!({"direct_email": "mel@chat.test", "mobile_flow_otp": pad});
        browser.submit("/accounts/login/", fields).await.with_status(400).error("BAD_REQUEST", "Invalid OTP");
    }
}

#[tokio::test]
async fn choosing_a_person_opens_a_session_and_leads_on() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());

    let redirected = browser.look("/api/v1/users/me").await.with_status(302);
    let login = redirected.header("location").expect("a page").to_owned();
    let html = browser.visit(&login).await;
    assert!(html.contains("<input type=\"hidden\" name=\"next\" value=\"/api/v1/users/me\">"), "{html}");
    let fields = json!({"direct_email": "mona@chat.test", "next": "/api/v1/users/me"});
    let reply = browser.submit("/login/", fields).await.with_status(302);

    assert_eq!(reply.header("location"), Some("/api/v1/users/me"));
    let own = browser.send("GET", "/json/users/me", String::new()).await.success();
    assert_eq!(own["user_id"], server.user("mona").id());
    let html = browser.visit("/accounts/login/").await;
    assert!(html.contains("You are logged in as <strong dir=\"auto\">Mona"), "{html}");
}

#[tokio::test]
async fn the_page_leads_to_no_other_site() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());
    browser.visit("/login/").await;
    for next in ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", "/a\r\nx: y", ""] {
        let fields = json!({"direct_email": "mel@chat.test", "next": next});
        let reply = browser.submit("/login/", fields).await.with_status(302);
        assert_eq!(reply.header("location"), Some("/"), "{next:?}");
    }
}

#[tokio::test]
async fn active_people_are_listed_by_role_and_bots_are_not() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());

    let html = browser.visit("/accounts/login/").await;

    let place = |what: &str| html.find(what).unwrap_or_else(|| panic!("{what} is missing in {html}"));
    let order = ["<h2>Owners", "olive@", "<h2>Administrators", "adam@", "<h2>Moderators", "mona@", "<h2>Members"];
    assert!(order.map(place).is_sorted(), "{html}");
    assert!(place("<h2>Guests") < place("gus@chat.test"));
    for absent in ["dana@", "deleteduser", "build-bot", "notification-bot", "role=\"search\"", "<script"] {
        assert!(!html.contains(absent), "{absent}");
    }
}

#[tokio::test]
async fn names_are_text_on_the_page() {
    let server = TestServer::start().await;
    server.arrange(|tx| {
        let mel = tx.user_by_email("mel@chat.test").expect("mel").id;
        tx.user_mut(mel).full_name = "<script>alert('x')</script> & \"co\"".to_owned();
    });
    let mut browser = Browser::new(server.url());

    let page = browser.look("/accounts/login/?query=%22%3E%3Cscript%3E&next=/%22%3E%3Cscript%3E").await;

    let html = text(&page.with_status(200));
    assert!(!html.contains("<script"), "{html}");
    let html = browser.visit("/accounts/login/").await;
    assert!(html.contains("&lt;script&gt;alert('x')&lt;/script&gt; &amp; &quot;co&quot;"), "{html}");
}

#[tokio::test]
async fn a_large_organization_is_searched() {
    let server = TestServer::start_in(|fixture| {
        let people = (0..150)
            .map(|number| json!({"handle": format!("person-{number:03}"), "full_name": format!("Person {number:03}")}));
        fixture["users"].as_array_mut().expect("a list").extend(people);
    })
    .await;
    let mut browser = Browser::new(server.url());
    let shown = |html: &str| html.matches("name=\"direct_email\"").count();

    let html = browser.visit("/accounts/login/").await;
    assert_eq!(shown(&html), 100);
    assert!(html.contains("The first 100 of 158 people are shown."), "{html}");
    for query in ["MONA@", "pErSoN%20149"] {
        let html = browser.visit(&format!("/accounts/login/?query={query}")).await;
        assert_eq!(shown(&html), 1, "{query}");
    }
    let html = browser.visit("/accounts/login/?query=nobody-has-this-name").await;
    assert!(html.contains("No account has a name or an address like this."));
    let long = "x".repeat(5_000);
    browser.visit(&format!("/accounts/login/?query={long}&mobile_flow_otp={PAD}")).await;
}

#[tokio::test]
async fn passwords_are_asked_and_what_is_wrong_is_said() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());
    browser.visit("/login/").await;
    let attempt = async |browser: &mut Browser, email: &str, password: &str| {
        browser.submit("/login/", json!({"username": email, "password": password})).await
    };

    for (email, password, message) in [
        ("mel@chat.test", "wrong", "Your username or password is incorrect"),
        ("nobody@chat.test", "x", "Your username or password is incorrect"),
        ("x", "x", "Enter a valid email address."),
        ("dana@chat.test", "dana-password-7421", "The account dana@chat.test is deactivated."),
    ] {
        let page = attempt(&mut browser, email, password).await.with_status(200);
        assert!(text(&page).contains(message), "{email}: {page}");
        assert!(!browser.cookies.contains_key("sessionid"));
    }
    drop(attempt(&mut browser, "mel@chat.test", "mel-password-7421").await.with_status(302));
    assert!(browser.cookies.contains_key("sessionid"));
    let page = browser.submit("/login/", json!({})).await.with_status(200);
    assert!(text(&page).contains("Choose who to log in as."));
}

#[tokio::test]
async fn only_the_ways_that_the_organization_takes_are_offered() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let mut browser = Browser::new(server.url());
    let methods = json!({"authentication_methods": {"Dev": false, "Email": true}});
    olive.patch("/realm", methods).await.success();

    let html = browser.visit("/accounts/login/").await;
    assert!(!html.contains("direct_email") && html.contains("name=\"password\""), "{html}");
    let page = browser.submit("/accounts/login/", chosen("mel@chat.test")).await.with_status(200);
    assert!(text(&page).contains("DevAuthBackend not enabled."), "{page}");
    let methods = json!({"authentication_methods": {"Dev": true, "Email": false}});
    olive.patch("/realm", methods).await.success();
    let html = browser.visit("/accounts/login/").await;
    assert!(html.contains("direct_email") && !html.contains("name=\"password\""), "{html}");
}

#[tokio::test]
async fn a_deactivated_organization_says_so() {
    let server = TestServer::start().await;
    server.user("olive").post("/realm/deactivate", json!({})).await.success();
    let mut browser = Browser::new(server.url());

    let reply = browser.look("/accounts/login/").await.with_status(302);
    let notice = reply.header("location").expect("a page").to_owned();
    assert_eq!(notice, "/accounts/deactivated/");
    assert!(browser.visit(&notice).await.contains("This organization has been deactivated."));
}

#[tokio::test]
async fn pages_of_other_sites_log_nobody_in() {
    let server = TestServer::start().await;
    let form = "direct_email=mel%40chat.test";
    let mut browser = Browser::new(server.url());
    browser.visit("/login/").await;
    let token = browser.token().to_owned();

    for origin in ["https://evil.test", "null", "http://127.0.0.1.evil.test"] {
        browser.headers = vec![("origin", origin.into())];
        let full = format!("{form}&csrfmiddlewaretoken={token}");
        drop(browser.send("POST", "/accounts/login/", full.clone()).await.with_status(403));
        let refused = browser.send("GET", "/accounts/login/", String::new()).await.with_status(403);
        refused.error("BAD_REQUEST", &format!("Access denied: keys are not given to pages of {origin}"));
    }
    // A page of this server's that does not repeat the token.
    for header in [("origin", server.url()), ("sec-fetch-site", "cross-site".into()), ("referer", server.url())] {
        browser.headers = vec![header];
        let page = browser.send("POST", "/accounts/login/", form.to_owned()).await.with_status(403);
        assert!(text(&page).contains("Access forbidden (403)"), "{page}");
    }
    browser.headers = vec![("host", "rebind.evil.com".into())];
    drop(browser.send("GET", "/accounts/login/", String::new()).await.with_status(403));
    drop(browser.send("POST", "/accounts/login/", form.to_owned()).await.with_status(403));
    // By its own name, and from its own pages, which are others' to no browser.
    browser.headers = vec![("host", "10.0.2.2:9991".into()), ("origin", "http://10.0.2.2:9991".into())];
    let full = format!("{form}&csrfmiddlewaretoken={token}");
    drop(browser.send("POST", "/accounts/login/", full).await.with_status(302));
    // A script, as with the real development server.
    let mut script = Browser::new(server.url());
    drop(script.send("POST", "/accounts/login/", form.to_owned()).await.with_status(302));
    assert!(script.cookies.contains_key("sessionid"));
}

#[tokio::test]
async fn pages_are_shown_in_no_frame_and_load_nothing() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());

    let page = browser.look("/accounts/login/").await.with_status(200);

    let policy = page.header("content-security-policy").expect("a policy").to_owned();
    let hash = policy.split("style-src '").nth(1).and_then(|rest| rest.split('\'').next()).expect("a hash");
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src '{hash}'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
    );
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn paths_without_their_slash_lead_to_the_page_and_other_methods_are_refused() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(server.url());

    let reply = browser.look("/accounts/login?next=/x").await.with_status(301);
    assert_eq!(reply.header("location"), Some("/accounts/login/?next=/x"));
    for (method, path) in [("DELETE", "/accounts/login/"), ("GET", "/accounts/logout/"), ("GET", "/accounts/register/")]
    {
        let reply = browser.send(method, path, String::new()).await.with_status(405);
        reply.error("BAD_REQUEST", "Method Not Allowed");
    }
    browser.look("/accounts/other/").await.with_status(404).error("BAD_REQUEST", "Unknown path");
}

#[tokio::test]
async fn a_world_in_a_path_begins_with_who_is_logged_in() {
    let server = TestServer::start().await;
    let mut browser = Browser::new(format!("{}/w/default", server.url()));

    let reply = browser.look("/").await.with_status(302);
    assert_eq!(reply.header("location"), Some("/w/default/accounts/login/"));
    browser.visit("/accounts/login/").await;
    let reply = browser.submit("/accounts/login/", chosen("mel@chat.test")).await.with_status(302);
    assert_eq!(reply.header("location"), Some("/w/default/"));
    let html = browser.visit("/").await;
    assert!(html.contains("You are logged in as"), "{html}");
    browser.send("GET", "/", String::new()).await.with_status(404).error("BAD_REQUEST", "Unknown path");
}

#[tokio::test]
async fn logging_in_is_in_the_journal_with_the_events_of_a_first_login() {
    let server = TestServer::start().await;
    let mut olive = server.user("olive").events(["realm_user"]).await;
    let mut browser = Browser::new(server.url());
    browser.visit("/login/").await;

    drop(browser.submit("/login/", chosen("ivy@chat.test")).await.with_status(302));

    let ivy = server.user("ivy").id();
    let person = json!({"user_id": ivy, "is_imported_stub": false});
    olive.next().await.has(json!({"type": "realm_user", "op": "update", "person": person}));
    let journal = server.anonymous().get("/control/worlds/default/journal", json!({"limit": 1000})).await.success();
    let entries = journal["entries"].as_array().expect("a list");
    let entry = entries.iter().rfind(|entry| entry["path"] == "/login/").expect("the login");
    assert_eq!((&entry["user"], &entry["status"]), (&json!("ivy@chat.test"), &json!(302)));
    assert!(entry["events"].as_array().is_some_and(|events| !events.is_empty()), "{entry}");
}
