//! Domains of addresses that an organization accepts.

use crate::organization::change;
use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn owners_say_which_domains_are_accepted() {
    let server = TestServer::start().await;
    let [olive, adam, mel] = server.users(["olive", "adam", "mel"]);
    let mut queue = mel.events(["realm_domains", "realm"]).await;
    let list = async || mel.get("/realm/domains", json!({})).await.success()["domains"].clone();
    assert_eq!(list().await, json!([{"domain": "chat.test", "allow_subdomains": false}]));

    let params = json!({"domain": "Example.com", "allow_subdomains": true});
    let owner = "Must be an organization owner";
    for user in [&adam, &mel] {
        user.post("/realm/domains", json!({})).await.error("UNAUTHORIZED_PRINCIPAL", owner);
    }
    adam.delete("/realm/domains/chat.test", json!({})).await.error("UNAUTHORIZED_PRINCIPAL", owner);
    olive.post("/realm/domains", json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'domain' argument");
    olive.post("/realm/domains", params.clone()).await.is(json!({"new_domain": [2, "example.com"]}));
    let taken = "The domain example.com is already a part of your organization.";
    olive.post("/realm/domains", params).await.error("BAD_REQUEST", taken);
    for (domain, problem) in [
        ("", "Domain can't be empty."),
        ("localhost", "Domain must have at least one dot (.)"),
        (".example.com", "Domain cannot start or end with a dot (.)"),
        ("a..com", "Consecutive '.' are not allowed."),
        ("-a.com", "Subdomains cannot start or end with a '-'."),
        ("a_b.com", "Domain can only have letters, numbers, '.' and '-'s."),
        (&format!("{}.com", "a".repeat(252)), "Domain is too long"),
    ] {
        let params = json!({"domain": domain, "allow_subdomains": false});
        olive.post("/realm/domains", params).await.error("BAD_REQUEST", &format!("Invalid domain: {problem}"));
    }
    let unknown = "No entry found for domain nowhere.com.";
    let narrow = json!({"allow_subdomains": false});
    olive.patch("/realm/domains/nowhere.com", narrow.clone()).await.error("BAD_REQUEST", unknown);
    olive.patch("/realm/domains/example.com", narrow).await.is(json!({}));
    change(&olive, json!({"emails_restricted_to_domains": true})).await.success();
    let zoe = |email: &str| json!({"email": email, "password": "correct horse battery", "full_name": "Zoe"});
    let refused = olive.post("/users", zoe("zoe@other.com")).await;
    refused.error("BAD_REQUEST", "Email 'zoe@other.com' not allowed in this organization");
    olive.post("/users", zoe("zoe@example.com")).await.success();
    for domain in ["chat.test", "EXAMPLE.com"] {
        olive.delete(&format!("/realm/domains/{domain}"), json!({})).await.is(json!({}));
    }
    olive
        .delete("/realm/domains/chat.test", json!({}))
        .await
        .error("BAD_REQUEST", "No entry found for domain chat.test.");
    assert_eq!(list().await, json!([]));

    let record = |allows: bool| json!({"domain": "example.com", "allow_subdomains": allows});
    queue.next().await.is(json!({"type": "realm_domains", "op": "add", "realm_domain": record(true)}));
    queue.next().await.is(json!({"type": "realm_domains", "op": "change", "realm_domain": record(false)}));
    queue.next().await.has(json!({"op": "update", "property": "emails_restricted_to_domains", "value": true}));
    for domain in ["chat.test", "example.com"] {
        queue.next().await.is(json!({"type": "realm_domains", "op": "remove", "domain": domain}));
    }
    queue.next().await.has(json!({"op": "update", "property": "emails_restricted_to_domains", "value": false}));
    queue.none().await;
}
