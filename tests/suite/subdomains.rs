//! Names for new organizations.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn anybody_learns_whether_a_name_is_free() {
    let server = TestServer::start_in(|fixture| fixture["organization"]["subdomain"] = "double".into()).await;
    let long = "x".repeat(64);
    for (name, verdict) in [
        ("fresh-name", "available"),
        ("fresh2", "available"),
        ("double", "Subdomain is already in use. Please choose a different one."),
        ("ab", "Subdomain needs to have length 3 or greater."),
        (long.as_str(), "A subdomain has 63 characters at most."),
        ("-abc", "Subdomain cannot start or end with a '-'."),
        ("abc-", "Subdomain cannot start or end with a '-'."),
        ("Fresh", "Subdomain can only have lowercase letters, numbers, and '-'s."),
        ("fr%C3%A9sh", "Subdomain can only have lowercase letters, numbers, and '-'s."),
    ] {
        let reply = server.anonymous().get(&format!("/realm/subdomain/{name}"), json!({})).await.with_status(200);
        assert_eq!(reply.body, json!({"result": "success", "msg": verdict}));
    }
    let reply = server.user("mel").get("/realm/subdomain/fresh", json!({"x": 1})).await.with_status(200);
    assert_eq!(reply.body, json!({"result": "success", "msg": "available", "ignored_parameters_unsupported": ["x"]}));
}
